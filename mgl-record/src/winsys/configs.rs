//! The framebuffer configurations that programs choose from.
//!
//! They are ours alone: everything is drawn into framebuffers of the driver, so a configuration
//! promises what those have, whatever the server's GLX thinks of the visual (design page 5). Few,
//! because programs walk all of them times all attributes. Each lives as long as the process: its
//! address is the handle that programs keep, also across fork.

use super::x11::{Screen, Visual};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Samples a pixel of the multisampled configurations.
const SAMPLES: u8 = 4;

/// One configuration.
#[derive(Debug)]
pub struct Config {
    /// GLX_FBCONFIG_ID or EGL_CONFIG_ID: 1 and up, unique in its list.
    pub id: i32,
    /// The screen that it belongs to.
    pub screen: i32,
    /// The visual that windows are expected to have; none where there are no windows.
    pub visual: Option<Visual>,
    /// Bits of red, green, blue and alpha.
    pub color: [u8; 4],
    /// Bits of depth.
    pub depth: u8,
    /// Bits of stencil.
    pub stencil: u8,
    /// Samples a pixel; 0 without multisampling.
    pub samples: u8,
    /// Whether there is a back buffer.
    pub double_buffered: bool,
    /// Whether the colour buffer can be sRGB encoded.
    pub srgb: bool,
}

impl Config {
    /// Bits a pixel of the colour buffer.
    pub fn buffer_size(&self) -> i32 {
        self.color.iter().map(|b| i32::from(*b)).sum()
    }

    /// The surface that this configuration describes.
    pub fn surface(&self, width: u32, height: u32) -> crate::context::SurfaceConfig {
        crate::context::SurfaceConfig {
            native: None,
            width,
            height,
            alpha: self.color[3] > 0,
            depth_bits: self.depth,
            stencil_bits: self.stencil,
            samples: self.samples,
            double_buffered: self.double_buffered,
            srgb: self.srgb,
        }
    }
}

/// Which interface a list is for: GLX has single-buffered configurations and alpha on every
/// visual, EGL neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    Glx,
    Egl,
}

/// A list made for one screen of one server.
struct List {
    interface: Interface,
    display: String,
    screen: i32,
    configs: Vec<Config>,
    next: *const List,
}

/// Lists are only ever added, and never freed: readers need no lock, which matters to a child
/// that was forked while another thread was in here.
static LISTS: AtomicPtr<List> = AtomicPtr::new(ptr::null_mut());

fn lists() -> impl Iterator<Item = &'static List> {
    // SAFETY: nodes are leaked boxes, complete before they are published.
    let mut at = unsafe { LISTS.load(Ordering::Acquire).as_ref() };
    std::iter::from_fn(move || {
        let here = at?;
        // SAFETY: as above.
        at = unsafe { here.next.as_ref() };
        Some(here)
    })
}

/// The configurations of a screen; made at first use.
pub fn of_screen(
    interface: Interface,
    display: &str,
    screen: i32,
    facts: &Screen,
) -> &'static [Config] {
    let known =
        lists().find(|l| l.interface == interface && l.display == display && l.screen == screen);
    if let Some(list) = known {
        return &list.configs;
    }
    let configs = match interface {
        Interface::Glx => glx_configs(screen, facts),
        Interface::Egl => egl_configs(screen, facts),
    };
    add(interface, display, screen, configs)
}

/// The configurations of an EGL display without windows.
pub fn windowless() -> &'static [Config] {
    let known = lists().find(|l| l.interface == Interface::Egl && l.screen < 0);
    if let Some(list) = known {
        return &list.configs;
    }
    let mut configs = Vec::new();
    for alpha in [8, 0] {
        egl_shapes(&mut configs, 0, None, [8, 8, 8, alpha]);
    }
    add(Interface::Egl, "", -1, configs)
}

fn add(
    interface: Interface,
    display: &str,
    screen: i32,
    configs: Vec<Config>,
) -> &'static [Config] {
    let list = Box::leak(Box::new(List {
        interface,
        display: display.to_owned(),
        screen,
        configs,
        next: ptr::null(),
    }));
    let mut head = LISTS.load(Ordering::Acquire);
    loop {
        // Two threads may make the same list; both stay valid, readers take the newer.
        list.next = head;
        match LISTS.compare_exchange(head, list, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return &list.configs,
            Err(now) => head = now,
        }
    }
}

/// The configuration behind a handle, if it is one of `interface`.
pub fn by_handle(interface: Interface, handle: *const std::ffi::c_void) -> Option<&'static Config> {
    lists()
        .filter(|l| l.interface == interface)
        .flat_map(|l| &l.configs)
        .find(|c| ptr::eq(ptr::from_ref(*c).cast(), handle))
}

// SAFETY: a list is immutable once published; `next` points to leaked nodes.
unsafe impl Sync for List {}
// SAFETY: as above.
unsafe impl Send for List {}

/// The visuals worth offering: the screen's default, and one with an alpha channel.
fn offered(facts: &Screen) -> (Option<Visual>, Option<Visual>) {
    let argb = facts
        .visuals
        .iter()
        .find(|v| v.depth == 32 && !v.direct && v.bits == [8, 8, 8])
        .copied()
        .filter(|v| facts.default.is_none_or(|d| d.id != v.id));
    (facts.default, argb)
}

fn glx_configs(screen: i32, facts: &Screen) -> Vec<Config> {
    let mut configs = Vec::new();
    let (default, argb) = offered(facts);
    for visual in [default, argb].into_iter().flatten() {
        let [r, g, b] = visual.bits;
        let alpha = if r == 8 { 8 } else { 0 };
        for (double_buffered, depth, stencil, samples, srgb) in [
            (true, 24, 8, 0, false),
            (true, 24, 0, 0, false),
            (true, 0, 0, 0, false),
            (false, 24, 8, 0, false),
            (false, 24, 0, 0, false),
            (false, 0, 0, 0, false),
            (true, 24, 8, SAMPLES, false),
            (true, 24, 8, 0, true),
        ] {
            configs.push(Config {
                id: configs.len() as i32 + 1,
                screen,
                visual: Some(visual),
                color: [r, g, b, alpha],
                depth,
                stencil,
                samples,
                double_buffered,
                srgb,
            });
        }
    }
    configs
}

fn egl_configs(screen: i32, facts: &Screen) -> Vec<Config> {
    let mut configs = Vec::new();
    let (default, argb) = offered(facts);
    if let Some(visual) = default {
        let [r, g, b] = visual.bits;
        egl_shapes(&mut configs, screen, Some(visual), [r, g, b, 0]);
        if argb.is_none() && r == 8 {
            egl_shapes(&mut configs, screen, Some(visual), [r, g, b, 8]);
        }
    }
    if let Some(visual) = argb {
        egl_shapes(&mut configs, screen, Some(visual), [8; 4]);
    }
    configs
}

fn egl_shapes(configs: &mut Vec<Config>, screen: i32, visual: Option<Visual>, color: [u8; 4]) {
    for (depth, stencil, samples) in [(24, 8, 0), (24, 0, 0), (0, 0, 0), (24, 8, SAMPLES)] {
        configs.push(Config {
            id: configs.len() as i32 + 1,
            screen,
            visual,
            color,
            depth,
            stencil,
            samples,
            double_buffered: true,
            srgb: false,
        });
    }
}

/// The configuration that goes with a bare visual (glXCreateContext, glXGetConfig): one of that
/// visual, else one of equal depth, since any window of that depth can be presented to.
pub fn for_visual(
    configs: &'static [Config],
    facts: &Screen,
    visual: u32,
) -> Option<&'static Config> {
    let exact = configs
        .iter()
        .find(|c| c.visual.is_some_and(|v| v.id == visual));
    exact.or_else(|| {
        let depth = facts.visuals.iter().find(|v| v.id == visual)?.depth;
        configs
            .iter()
            .find(|c| c.visual.is_some_and(|v| v.depth == depth))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visual(id: u32, depth: u8) -> Visual {
        Visual {
            id,
            depth,
            direct: false,
            bits: [8; 3],
        }
    }

    fn screen() -> Screen {
        Screen {
            default: Some(visual(0x21, 24)),
            visuals: vec![visual(0x21, 24), visual(0x22, 24), visual(0x40, 32)],
        }
    }

    #[test]
    fn lists_are_made_once_and_found_by_handle() {
        let a = of_screen(Interface::Glx, ":test-lists", 0, &screen());
        let b = of_screen(Interface::Glx, ":test-lists", 0, &screen());
        assert!(ptr::eq(a, b));
        let handle = ptr::from_ref(&a[3]).cast();
        let found = by_handle(Interface::Glx, handle).expect("just made");
        assert_eq!(found.id, 4);
        assert!(by_handle(Interface::Egl, handle).is_none());
        assert!(by_handle(Interface::Glx, ptr::null()).is_none());
        assert!(by_handle(Interface::Glx, handle.wrapping_byte_add(1)).is_none());
    }

    #[test]
    fn bare_visuals_get_the_full_double_buffered_configuration() {
        let facts = screen();
        let list = of_screen(Interface::Glx, ":test-visuals", 0, &facts);
        for (id, of) in [(0x21, 0x21), (0x22, 0x21), (0x40, 0x40)] {
            let config = for_visual(list, &facts, id).expect("a usable visual");
            assert_eq!(config.visual.map(|v| v.id), Some(of));
            assert!(config.double_buffered && config.depth == 24 && config.stencil == 8);
            assert_eq!(config.samples, 0);
        }
        assert!(for_visual(list, &facts, 0x99).is_none());
    }

    #[test]
    fn egl_alpha_follows_the_visual() {
        let with_argb = of_screen(Interface::Egl, ":test-egl", 0, &screen());
        for c in with_argb {
            assert_eq!(c.color[3] == 8, c.visual.is_some_and(|v| v.depth == 32));
        }
        let mut facts = screen();
        facts.visuals.pop();
        let without = of_screen(Interface::Egl, ":test-egl-24", 0, &facts);
        assert!(without.iter().any(|c| c.color[3] == 8));
        assert_eq!(without[0].color[3], 0);
        assert!(windowless().iter().all(|c| c.visual.is_none()));
    }
}
