//! Windows: showing surfaces in them, through swap chains on an own connection to the X server.
//!
//! A surface's rows lie as a window's do, so a frame is one blit into the swap chain's image. The upper left corners meet
//! while a resize is under way. A window that is gone is no error: it is told once, and no longer shown to. Where there
//! is no swap chain, or its frames do not arrive, frames are put into the window without one ([`super::direct`]).

use super::Magma;
use super::direct::Direct;
use super::gpu::Gpu;
use super::instance::error;
use super::targets::Slice;
use crate::xcb::pixels::Layout;
use crate::xcb::{Connection, Notice, Refusal};
use ash::vk;
use mgl_core::handle::SurfaceHandle;
use mgl_core::pipe::BackendError;
use mgl_core::pipe::backend::NativeWindow;
use mgl_core::pipe::event::LogLevel;
use std::time::Duration;

/// A window of the program.
pub struct Shown {
    /// As attached.
    pub native: NativeWindow,
    /// The window no longer exists.
    gone: bool,
    surface: vk::SurfaceKHR,
    chain: Option<Chain>,
    /// It takes no swap chain.
    chainless: bool,
    /// How long its display shows a frame, where a Present does not wait for it.
    pub refresh: Option<Duration>,
    /// What frames are put into it with where it takes no swap chain.
    pub direct: Option<Direct>,
}

impl Shown {
    /// Nothing is made yet.
    pub fn new(native: NativeWindow) -> Self {
        Self {
            native,
            gone: false,
            surface: vk::SurfaceKHR::null(),
            chain: None,
            chainless: false,
            refresh: None,
            direct: None,
        }
    }

    /// Whether it still exists, as far as is known.
    pub fn is_there(&self) -> bool {
        !self.gone
    }
}

/// A swap chain.
struct Chain {
    raw: vk::SwapchainKHR,
    images: Vec<vk::Image>,
    extent: vk::Extent2D,
    /// Swap interval that it was made for.
    interval: i32,
    /// sRGB encoding that it was made for.
    srgb: bool,
    /// Semaphores of acquired images, used in turn.
    acquired: Vec<vk::Semaphore>,
    next: usize,
    /// Semaphores of finished frames, by image.
    done: Vec<vk::Semaphore>,
    /// It no longer fits the window.
    stale: bool,
}

/// A connection to an X server, and what the server said on it that was not dealt with yet.
struct Display {
    name: Option<String>,
    x: Connection,
    /// Windows that were destroyed.
    destroyed: Vec<u32>,
    /// A frame's request that was refused.
    refused: Option<Refusal>,
    /// The window that a swap chain showed a frame in last.
    last: u32,
}

/// Connections to X servers, by display string.
#[derive(Default)]
pub struct Displays {
    open: Vec<Display>,
}

impl Displays {
    /// Opens the connection of a display string, unless it is open.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] with the reason.
    pub fn open(&mut self, display: &Option<String>) -> Result<(), BackendError> {
        if self.open.iter().all(|d| d.name != *display) {
            let x = Connection::open(display.as_deref())
                .map_err(|e| BackendError::Unsupported(format!("a window, since {e}")))?;
            self.open.push(Display {
                name: display.clone(),
                x,
                destroyed: Vec::new(),
                refused: None,
                last: 0,
            });
        }
        Ok(())
    }

    /// The connection of a display string.
    pub fn of(&self, display: &Option<String>) -> Option<&Connection> {
        self.open.iter().find(|d| d.name == *display).map(|d| &d.x)
    }

    /// Takes in what the servers said.
    fn listen(&mut self) {
        for d in &mut self.open {
            let (destroyed, refused) = (&mut d.destroyed, &mut d.refused);
            d.x.drain(|notice| match notice {
                Notice::Destroyed(window) => destroyed.push(window),
                // What was refused because the window is gone is told by its end.
                Notice::Refused(r) if r.spoils_a_frame() => *refused = Some(r),
                Notice::Refused(_) => {}
            });
        }
    }

    /// Waits until the server has taken a frame that a swap chain showed in a window, and gives what it refused.
    fn arrived(&mut self, display: &Option<String>, window: u32) -> Option<Refusal> {
        let at = self.open.iter().position(|d| d.name == *display)?;
        self.open[at].last = window;
        self.open[at].x.round_trip();
        self.listen();
        self.open[at].refused.take()
    }

    /// What was refused since, of the window that a swap chain of this display showed last. Drivers that wait for the
    /// screen send frames later.
    fn refused_since(&mut self, display: &Option<String>, window: u32) -> Option<Refusal> {
        let d = self.open.iter_mut().find(|d| d.name == *display)?;
        d.refused.take_if(|_| d.last == window)
    }
}

/// What became of an attempt to show a frame.
pub enum Outcome {
    /// It is shown.
    Shown,
    /// The swap chain no longer fits.
    Stale,
    /// The window takes no swap chain; for this reason, where it was to be expected that it does.
    Chainless(Option<String>),
    /// The window cannot be shown to, for this reason.
    Lost(String),
}

/// Attempts at a swap chain for a frame.
const ATTEMPTS: u32 = 3;

/// Whether swap chains of a device show on windows with such pixels. They have words of 8 bits a colour. Drivers of
/// software devices take every window for one of 24 bits, and do not say when the server refuses their frames.
fn chains_fit(software: bool, pixels: &Layout) -> bool {
    if software {
        pixels.is_usual()
    } else {
        pixels.has_bytes()
    }
}

fn is_software(gpu: &Gpu) -> bool {
    gpu.properties.device_type == vk::PhysicalDeviceType::CPU
}

fn present_mode(
    offered: &[vk::PresentModeKHR],
    interval: i32,
    software: bool,
    paced: bool,
) -> vk::PresentModeKHR {
    // Who waits elsewhere still wants whole frames.
    if paced && interval != 0 && offered.contains(&vk::PresentModeKHR::MAILBOX) {
        return vk::PresentModeKHR::MAILBOX;
    }
    // A software device has no display to wait for.
    if interval == 0 || software || paced {
        for mode in [vk::PresentModeKHR::IMMEDIATE, vk::PresentModeKHR::MAILBOX] {
            if offered.contains(&mode) {
                return mode;
            }
        }
    }
    if interval < 0 && offered.contains(&vk::PresentModeKHR::FIFO_RELAXED) {
        return vk::PresentModeKHR::FIFO_RELAXED;
    }
    vk::PresentModeKHR::FIFO
}

/// How a swap chain's alpha is to be taken, the best first: a window of 32 bits is seen through where the program drew it
/// so, and its colours are multiplied by alpha (as compositors of X take them).
fn composite_alpha(seen_through: bool) -> [vk::CompositeAlphaFlagsKHR; 3] {
    use vk::CompositeAlphaFlagsKHR as A;
    if seen_through {
        [A::PRE_MULTIPLIED, A::INHERIT, A::OPAQUE]
    } else {
        [A::OPAQUE, A::INHERIT, A::PRE_MULTIPLIED]
    }
}

impl Magma {
    /// Shows the back buffer of a surface in its window.
    ///
    /// # Errors
    ///
    /// As for any storage; a window that is gone is no error.
    pub(super) fn show_in_window(
        &mut self,
        h: SurfaceHandle,
        layer: u32,
    ) -> Result<(), BackendError> {
        self.retire_windows();
        let image = self.surface_image(h, false, layer)?;
        let plan = self.obj.images.get(image)?.plan;
        let slice = self.single_sampled(&Slice {
            image,
            plan,
            level: 0,
            layer: 0,
            layers: 1,
        })?;
        let mut attempts = 0;
        loop {
            // Taken out for the time being, because the rest of this object is needed too.
            let surface = self.surface(h)?;
            let interval = surface.interval;
            let Some(mut window) = surface.window.take().filter(Shown::is_there) else {
                break;
            };
            let outcome = if window.chainless {
                self.show_directly(&slice, &mut window)
            } else {
                self.show_in(&slice, &mut window, interval)
            };
            attempts += 1;
            let outcome = match outcome {
                Ok(Outcome::Stale) if attempts >= ATTEMPTS => {
                    Ok(Outcome::Chainless(Some("it does not keep its size".into())))
                }
                o => o,
            };
            match &outcome {
                Ok(Outcome::Lost(why)) => {
                    window.gone = true;
                    self.tell(&window, &format!("is no longer shown to: {why}"));
                    self.end_window(&mut window);
                }
                Ok(Outcome::Chainless(why)) => {
                    window.chainless = true;
                    if let Some(why) = why {
                        self.tell(&window, &format!("is shown to without a swap chain: {why}"));
                    }
                    self.end_window(&mut window);
                }
                _ => {}
            }
            self.surface(h)?.window = Some(window);
            match outcome? {
                Outcome::Stale | Outcome::Chainless(_) => {}
                Outcome::Shown | Outcome::Lost(_) => break,
            }
        }
        self.submit()
    }

    fn tell(&self, window: &Shown, what: &str) {
        let id = window.native.window;
        self.gpu
            .events
            .log(LogLevel::Warn, format!("window {id:#x} {what}"));
    }

    fn show_in(
        &mut self,
        from: &Slice,
        window: &mut Shown,
        interval: i32,
    ) -> Result<Outcome, BackendError> {
        let native = &window.native;
        if let Some(refused) = self.displays.refused_since(&native.display, native.window) {
            return Ok(Outcome::Chainless(Some(refused.to_string())));
        }
        let srgb = from.plan.info.srgb;
        let fits = |c: &Chain| !c.stale && c.interval == interval && c.srgb == srgb;
        if !window.chain.as_ref().is_some_and(fits)
            && let Some(other) =
                self.make_chain(window, interval, srgb, from.plan.info.has_alpha())?
        {
            return Ok(other);
        }
        let Some(chain) = &mut window.chain else {
            // The window has no area now.
            return Ok(Outcome::Shown);
        };
        let acquired = chain.acquired[chain.next];
        // SAFETY: the semaphore is in no other wait: as many frames as there are semaphores are never under way.
        let index = match unsafe {
            self.gpu
                .swapchain
                .acquire_next_image(chain.raw, u64::MAX, acquired, vk::Fence::null())
        } {
            Ok((index, suboptimal)) => {
                chain.stale |= suboptimal;
                index
            }
            Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => {
                chain.stale = true;
                return Ok(Outcome::Stale);
            }
            Err(e) => return self.surface_failed(e),
        };
        chain.next = (chain.next + 1) % chain.acquired.len();
        let to = chain.images[index as usize];
        let (extent, done, raw) = (chain.extent, chain.done[index as usize], chain.raw);
        self.copy_to_window(from, to, extent)?;
        self.submit_with(Some(acquired), Some(done))?;
        let (waits, chains, indices) = ([done], [raw], [index]);
        let info = vk::PresentInfoKHR::default()
            .wait_semaphores(&waits)
            .swapchains(&chains)
            .image_indices(&indices);
        // SAFETY: the image was acquired, and is in the layout for presenting.
        let shown = unsafe { self.gpu.swapchain.queue_present(self.gpu.queue, &info) };
        let stale = match shown {
            Ok(suboptimal) => suboptimal,
            Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => true,
            Err(e) => return self.surface_failed(e),
        };
        if let Some(c) = &mut window.chain {
            c.stale |= stale;
        }
        // Whoever looks at the window next sees the frame.
        let native = &window.native;
        Ok(
            match self.displays.arrived(&native.display, native.window) {
                Some(refused) => Outcome::Chainless(Some(refused.to_string())),
                None => Outcome::Shown,
            },
        )
    }

    /// What is to be done after an error of a surface or swap chain: what only concerns the window is no error.
    fn surface_failed(&self, e: vk::Result) -> Result<Outcome, BackendError> {
        match e {
            vk::Result::ERROR_DEVICE_LOST
            | vk::Result::ERROR_OUT_OF_HOST_MEMORY
            | vk::Result::ERROR_OUT_OF_DEVICE_MEMORY => Err(error("showing a frame", e)),
            e => Ok(Outcome::Chainless(Some(e.to_string()))),
        }
    }

    /// Blits a frame into an image of a swap chain, which is ready to be shown afterwards.
    fn copy_to_window(
        &mut self,
        from: &Slice,
        to: vk::Image,
        extent: vk::Extent2D,
    ) -> Result<(), BackendError> {
        let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        self.transfer(&[(from.image, layout, false)], &[])?;
        let (source, size) = {
            let i = self.obj.images.get(from.image)?;
            (i.raw.image, i.extent(from.level))
        };
        let (w, h) = (
            size.width.min(extent.width) as i32,
            size.height.min(extent.height) as i32,
        );
        let change = |old: vk::ImageLayout, new: vk::ImageLayout| {
            [vk::ImageMemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
                .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)
                .old_layout(old)
                .new_layout(new)
                .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .image(to)
                .subresource_range(vk::ImageSubresourceRange {
                    aspect_mask: vk::ImageAspectFlags::COLOR,
                    level_count: 1,
                    layer_count: 1,
                    ..vk::ImageSubresourceRange::default()
                })]
        };
        let into = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
        self.rec
            .barrier(&self.gpu, &change(vk::ImageLayout::UNDEFINED, into));
        let layers = vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            mip_level: 0,
            base_array_layer: 0,
            layer_count: 1,
        };
        let corners = [vk::Offset3D::default(), vk::Offset3D { x: w, y: h, z: 1 }];
        let regions = [vk::ImageBlit {
            src_subresource: layers,
            src_offsets: corners,
            dst_subresource: layers,
            dst_offsets: corners,
        }];
        let cmd = self.rec.cmd();
        // SAFETY: nothing is rendered; both images are in these layouts, and the rectangle is inside both.
        unsafe {
            self.gpu.device.cmd_blit_image(
                cmd,
                source,
                layout,
                to,
                into,
                &regions,
                vk::Filter::NEAREST,
            );
        }
        self.rec
            .barrier(&self.gpu, &change(into, vk::ImageLayout::PRESENT_SRC_KHR));
        Ok(())
    }

    /// Makes the surface and the swap chain of a window, or the latter anew. None is made while the window has no area.
    fn make_chain(
        &mut self,
        window: &mut Shown,
        interval: i32,
        srgb: bool,
        has_alpha: bool,
    ) -> Result<Option<Outcome>, BackendError> {
        let lost = |why: &str| Ok(Some(Outcome::Lost(why.into())));
        let chainless = |why: &str| Ok(Some(Outcome::Chainless(Some(why.into()))));
        let gpu = &self.gpu;
        let software = is_software(gpu);
        if window.surface == vk::SurfaceKHR::null() {
            let Some(x) = self.displays.of(&window.native.display) else {
                return lost("its display is not open");
            };
            // Drivers trust the window that they are given.
            if !x.watch(window.native.window) || !x.window_exists(window.native.window) {
                return lost("it does not exist");
            }
            if self.at_once {
                window.refresh = x.refresh_of(window.native.window);
            }
            let pixels = x.pixels_of(window.native.window);
            if !gpu.has.swapchain || !pixels.is_some_and(|p| chains_fit(software, &p)) {
                return Ok(Some(Outcome::Chainless(None)));
            }
            let info = vk::XcbSurfaceCreateInfoKHR::default()
                .connection(x.as_ptr().cast())
                .window(window.native.window);
            // SAFETY: the connection lives as long as the surface.
            match unsafe { gpu.xcb_surface.create_xcb_surface(&info, None) } {
                Ok(surface) => window.surface = surface,
                Err(e) => return self.surface_failed(e).map(Some),
            }
        }
        let surface = window.surface;
        // SAFETY: the surface lives.
        let (supported, capabilities, formats, modes) = unsafe {
            (
                gpu.surface
                    .get_physical_device_surface_support(gpu.physical, gpu.family, surface),
                gpu.surface
                    .get_physical_device_surface_capabilities(gpu.physical, surface),
                gpu.surface
                    .get_physical_device_surface_formats(gpu.physical, surface),
                gpu.surface
                    .get_physical_device_surface_present_modes(gpu.physical, surface),
            )
        };
        if !supported.unwrap_or(false) {
            return Ok(Some(Outcome::Chainless(None)));
        }
        let (Ok(capabilities), Ok(formats), Ok(modes)) = (capabilities, formats, modes) else {
            return chainless("it cannot be asked for its properties");
        };
        let wanted = if srgb {
            [vk::Format::B8G8R8A8_SRGB, vk::Format::R8G8B8A8_SRGB]
        } else {
            [vk::Format::B8G8R8A8_UNORM, vk::Format::R8G8B8A8_UNORM]
        };
        let Some(format) = wanted
            .iter()
            .find_map(|w| formats.iter().find(|f| f.format == *w))
            .or(formats.first())
        else {
            return chainless("it has no format");
        };
        let extent = capabilities.current_extent;
        let old = window.chain.take();
        if extent.width == 0 || extent.height == 0 || extent.width == u32::MAX {
            if let Some(old) = old {
                self.end_chain(old);
            }
            return Ok(None);
        }
        if !capabilities
            .supported_usage_flags
            .contains(vk::ImageUsageFlags::TRANSFER_DST)
        {
            return chainless("its images cannot be copied to");
        }
        let most = match capabilities.max_image_count {
            0 => u32::MAX,
            n => n,
        };
        let alpha = composite_alpha(window.native.depth == 32 && has_alpha)
            .into_iter()
            .find(|a| capabilities.supported_composite_alpha.contains(*a))
            .unwrap_or(vk::CompositeAlphaFlagsKHR::OPAQUE);
        let info = vk::SwapchainCreateInfoKHR::default()
            .surface(surface)
            .min_image_count(capabilities.min_image_count.max(3).min(most))
            .image_format(format.format)
            .image_color_space(format.color_space)
            .image_extent(extent)
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::TRANSFER_DST)
            .image_sharing_mode(vk::SharingMode::EXCLUSIVE)
            .pre_transform(capabilities.current_transform)
            .composite_alpha(alpha)
            .present_mode(present_mode(
                &modes,
                interval,
                software,
                window.refresh.is_some(),
            ))
            .clipped(true)
            .old_swapchain(old.as_ref().map_or(vk::SwapchainKHR::null(), |c| c.raw));
        // SAFETY: the surface lives; the old swap chain is retired by this.
        let made = unsafe { gpu.swapchain.create_swapchain(&info, None) };
        if let Some(old) = old {
            self.end_chain(old);
        }
        let raw = match made {
            Ok(raw) => raw,
            Err(e) => return self.surface_failed(e).map(Some),
        };
        let mut chain = Chain {
            raw,
            images: Vec::new(),
            extent,
            interval,
            srgb,
            acquired: Vec::new(),
            next: 0,
            done: Vec::new(),
            stale: false,
        };
        if let Err(e) = self.fill_chain(&mut chain) {
            self.end_chain(chain);
            return Err(e);
        }
        window.chain = Some(chain);
        Ok(None)
    }

    fn fill_chain(&self, chain: &mut Chain) -> Result<(), BackendError> {
        let what = |e| error("a swap chain", e);
        let gpu = &self.gpu;
        // SAFETY: the swap chain lives.
        unsafe {
            chain.images = gpu
                .swapchain
                .get_swapchain_images(chain.raw)
                .map_err(what)?;
            let info = vk::SemaphoreCreateInfo::default();
            for _ in 0..=chain.images.len() + super::FRAMES_AHEAD {
                chain
                    .acquired
                    .push(gpu.device.create_semaphore(&info, None).map_err(what)?);
            }
            for _ in 0..chain.images.len() {
                chain
                    .done
                    .push(gpu.device.create_semaphore(&info, None).map_err(what)?);
            }
        }
        Ok(())
    }

    fn end_chain(&mut self, chain: Chain) {
        // A resize is rare enough to wait for what is under way.
        let _ = self.finish();
        // SAFETY: nothing that uses them is under way, on a lost device neither.
        unsafe {
            let _ = self.gpu.device.queue_wait_idle(self.gpu.queue);
            for s in chain.acquired.into_iter().chain(chain.done) {
                self.gpu.device.destroy_semaphore(s, None);
            }
            self.gpu.swapchain.destroy_swapchain(chain.raw, None);
        }
    }

    fn end_window(&mut self, window: &mut Shown) {
        if let Some(chain) = window.chain.take() {
            self.end_chain(chain);
        }
        if window.surface != vk::SurfaceKHR::null() {
            // SAFETY: its swap chain has ended.
            unsafe { self.gpu.surface.destroy_surface(window.surface, None) };
            window.surface = vk::SurfaceKHR::null();
        }
        self.end_direct(window);
    }

    /// The window of a surface is shown to no longer.
    pub(super) fn close_window(&mut self, h: SurfaceHandle) {
        if let Ok(s) = self.obj.surfaces.get_mut(h)
            && let Some(mut window) = s.window.take()
        {
            self.end_window(&mut window);
        }
    }

    /// No window is shown to any longer.
    pub(super) fn close_windows(&mut self) {
        let all: Vec<SurfaceHandle> = self.obj.surfaces.iter().map(|s| s.0).collect();
        for h in all {
            self.close_window(h);
        }
    }

    /// Lets go of windows that the X server says are destroyed.
    fn retire_windows(&mut self) {
        self.displays.listen();
        let mut destroyed = Vec::new();
        for d in &mut self.displays.open {
            destroyed.extend(d.destroyed.drain(..).map(|window| (d.name.clone(), window)));
        }
        if destroyed.is_empty() {
            return;
        }
        let all: Vec<SurfaceHandle> = self.obj.surfaces.iter().map(|s| s.0).collect();
        for h in all {
            let Ok(s) = self.obj.surfaces.get_mut(h) else {
                continue;
            };
            let dead = s.window.as_ref().is_some_and(|w| {
                destroyed
                    .iter()
                    .any(|d| d.0 == w.native.display && d.1 == w.native.window)
            });
            if dead && let Some(mut window) = s.window.take() {
                window.gone = true;
                self.end_window(&mut window);
                if let Ok(s) = self.obj.surfaces.get_mut(h) {
                    s.window = Some(window);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alpha_counts_where_a_window_is_seen_through() {
        use vk::CompositeAlphaFlagsKHR as A;
        assert_eq!(composite_alpha(true)[0], A::PRE_MULTIPLIED);
        assert_eq!(composite_alpha(false)[0], A::OPAQUE);
    }

    #[test]
    fn the_present_mode_follows_the_interval() {
        use vk::PresentModeKHR as M;
        let all = [M::FIFO, M::MAILBOX, M::IMMEDIATE, M::FIFO_RELAXED];
        assert_eq!(present_mode(&all, 1, false, false), M::FIFO);
        assert_eq!(present_mode(&all, 0, false, false), M::IMMEDIATE);
        assert_eq!(present_mode(&all, -1, false, false), M::FIFO_RELAXED);
        assert_eq!(present_mode(&all, 1, true, false), M::IMMEDIATE);
        assert_eq!(present_mode(&[M::FIFO], 0, true, false), M::FIFO);
        let two = [M::FIFO, M::MAILBOX];
        assert_eq!(present_mode(&two, 0, false, false), M::MAILBOX);
        // With a pace nothing is waited for here.
        assert_eq!(present_mode(&all, 1, false, true), M::MAILBOX);
        assert_eq!(present_mode(&all, -2, true, true), M::MAILBOX);
        assert_eq!(present_mode(&all, 0, false, true), M::IMMEDIATE);
        assert_eq!(
            present_mode(&[M::FIFO, M::IMMEDIATE], 2, false, true),
            M::IMMEDIATE
        );
    }
}
