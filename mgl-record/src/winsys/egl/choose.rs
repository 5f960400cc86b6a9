//! Which configurations a request is met by, in which order (EGL 1.5, 3.4.1).

use super::attributes;
use super::error::Result;
use crate::consts::egl::*;
use crate::winsys::configs::Config;
use std::ffi::c_int;

const DONT_CARE: c_int = EGL_DONT_CARE;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    AtLeast,
    Exact,
    Mask,
    Ignored,
}

/// Attributes with a default, and how they are compared; EGL 1.5, table 3.4. The default of
/// EGL_RENDERABLE_TYPE is OpenGL ES 1 there, which is not offered: without a wish, none is assumed.
const RULES: [(c_int, c_int, Rule); 30] = [
    (EGL_BUFFER_SIZE, 0, Rule::AtLeast),
    (EGL_RED_SIZE, 0, Rule::AtLeast),
    (EGL_GREEN_SIZE, 0, Rule::AtLeast),
    (EGL_BLUE_SIZE, 0, Rule::AtLeast),
    (EGL_LUMINANCE_SIZE, 0, Rule::AtLeast),
    (EGL_ALPHA_SIZE, 0, Rule::AtLeast),
    (EGL_ALPHA_MASK_SIZE, 0, Rule::AtLeast),
    (EGL_BIND_TO_TEXTURE_RGB, DONT_CARE, Rule::Exact),
    (EGL_BIND_TO_TEXTURE_RGBA, DONT_CARE, Rule::Exact),
    (EGL_COLOR_BUFFER_TYPE, EGL_RGB_BUFFER, Rule::Exact),
    (EGL_CONFIG_CAVEAT, DONT_CARE, Rule::Exact),
    (EGL_CONFIG_ID, DONT_CARE, Rule::Exact),
    (EGL_CONFORMANT, 0, Rule::Mask),
    (EGL_DEPTH_SIZE, 0, Rule::AtLeast),
    (EGL_LEVEL, 0, Rule::Exact),
    (EGL_MATCH_NATIVE_PIXMAP, EGL_NONE, Rule::Ignored),
    (EGL_MAX_SWAP_INTERVAL, DONT_CARE, Rule::Exact),
    (EGL_MIN_SWAP_INTERVAL, DONT_CARE, Rule::Exact),
    (EGL_NATIVE_RENDERABLE, DONT_CARE, Rule::Exact),
    (EGL_NATIVE_VISUAL_TYPE, DONT_CARE, Rule::Exact),
    (EGL_NATIVE_VISUAL_ID, DONT_CARE, Rule::Ignored),
    (EGL_RENDERABLE_TYPE, 0, Rule::Mask),
    (EGL_SAMPLE_BUFFERS, 0, Rule::AtLeast),
    (EGL_SAMPLES, 0, Rule::AtLeast),
    (EGL_STENCIL_SIZE, 0, Rule::AtLeast),
    (EGL_SURFACE_TYPE, EGL_WINDOW_BIT, Rule::Mask),
    (EGL_TRANSPARENT_TYPE, EGL_NONE, Rule::Exact),
    (EGL_TRANSPARENT_RED_VALUE, DONT_CARE, Rule::Ignored),
    (EGL_TRANSPARENT_GREEN_VALUE, DONT_CARE, Rule::Ignored),
    (EGL_TRANSPARENT_BLUE_VALUE, DONT_CARE, Rule::Ignored),
];

/// What describes a configuration and selects nothing.
const DESCRIBING: [c_int; 3] = [
    EGL_MAX_PBUFFER_WIDTH,
    EGL_MAX_PBUFFER_HEIGHT,
    EGL_MAX_PBUFFER_PIXELS,
];

/// The configurations that meet an attribute list, best first.
///
/// # Errors
///
/// EGL_BAD_ATTRIBUTE for an unknown name.
pub fn choose(configs: &'static [Config], list: &[(c_int, c_int)]) -> Result<Vec<&'static Config>> {
    let mut wanted = RULES;
    for (name, value) in list {
        if DESCRIBING.contains(name) {
            continue;
        }
        wanted
            .iter_mut()
            .find(|(n, _, _)| n == name)
            .ok_or(EGL_BAD_ATTRIBUTE)?
            .1 = *value;
    }
    let value = |name| {
        wanted
            .iter()
            .find(|(n, _, _)| *n == name)
            .map_or(DONT_CARE, |w| w.1)
    };
    let id = value(EGL_CONFIG_ID);
    if id != DONT_CARE {
        return Ok(configs.iter().filter(|c| c.id == id).collect());
    }
    let is_met_by = |config: &Config| {
        wanted.iter().all(|(name, want, rule)| {
            if *want == DONT_CARE || *rule == Rule::Ignored {
                return true;
            }
            match (attributes::of(config, *name), rule) {
                (Some(have), Rule::AtLeast) => have >= *want,
                (Some(have), Rule::Exact) => have == *want,
                (Some(have), Rule::Mask) => have & want == *want,
                _ => false,
            }
        })
    };
    let sizes = [EGL_RED_SIZE, EGL_GREEN_SIZE, EGL_BLUE_SIZE, EGL_ALPHA_SIZE];
    let rank = |config: &&Config| {
        let color: c_int = sizes
            .iter()
            .zip(config.color)
            .filter(|(name, _)| !matches!(value(**name), 0 | DONT_CARE))
            .map(|(_, bits)| c_int::from(bits))
            .sum();
        [
            -color,
            config.buffer_size(),
            config.samples.into(),
            config.depth.into(),
            config.stencil.into(),
            config.id,
        ]
    };
    let mut found: Vec<&Config> = configs.iter().filter(|c| is_met_by(c)).collect();
    found.sort_by_key(rank);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::winsys::configs::{Interface, of_screen, windowless};
    use crate::winsys::x11::{Screen, Visual};

    fn list() -> &'static [Config] {
        let visual = |id, depth| Visual {
            id,
            depth,
            direct: false,
            bits: [8; 3],
        };
        let facts = Screen {
            default: Some(visual(0x21, 24)),
            visuals: vec![visual(0x21, 24), visual(0x40, 32)],
        };
        of_screen(Interface::Egl, ":test-egl-choose", 0, &facts)
    }

    fn first(attributes: &[(c_int, c_int)]) -> Option<&'static Config> {
        choose(list(), attributes).ok()?.first().copied()
    }

    #[test]
    fn the_usual_request_gets_the_root_visual() {
        let config = first(&[
            (EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT),
            (EGL_RED_SIZE, 8),
            (EGL_DEPTH_SIZE, 24),
        ]);
        let config = config.expect("offered");
        assert_eq!((config.depth, config.stencil, config.samples), (24, 0, 0));
        assert_eq!(config.visual.map(|v| v.depth), Some(24));
        let bare = first(&[]).expect("offered");
        assert_eq!((bare.depth, bare.color[3]), (0, 0));
    }

    #[test]
    fn alpha_leads_to_the_visual_that_has_it() {
        let config = first(&[(EGL_ALPHA_SIZE, 8)]).expect("offered");
        assert_eq!(config.visual.map(|v| v.depth), Some(32));
    }

    #[test]
    fn what_is_not_offered_gets_nothing() {
        assert!(first(&[(EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT)]).is_none());
        assert!(first(&[(EGL_SURFACE_TYPE, EGL_PIXMAP_BIT)]).is_none());
        assert!(first(&[(EGL_SAMPLES, 8)]).is_none());
        assert_eq!(
            choose(list(), &[(0x7777, 0)]).err(),
            Some(EGL_BAD_ATTRIBUTE)
        );
        assert!(choose(windowless(), &[]).is_ok_and(|l| l.is_empty()));
        let pbuffer = [(EGL_SURFACE_TYPE, EGL_PBUFFER_BIT)];
        assert!(choose(windowless(), &pbuffer).is_ok_and(|l| !l.is_empty()));
    }
}
