//! Which configurations a request is met by, in which order (GLX 1.4, 3.3.3 and 3.3.8).

use super::attributes;
use crate::consts::glx::*;
use crate::winsys::configs::Config;
use std::ffi::c_int;

const DONT_CARE: c_int = GLX_DONT_CARE;

/// How a requested value is compared (the second column of table 3.4).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    AtLeast,
    Exact,
    Mask,
    /// Names drawables or hints that select nothing.
    Ignored,
}

/// Attributes with a default, and how they are compared; GLX 1.4, table 3.4.
const RULES: [(c_int, c_int, Rule); 33] = [
    (GLX_FBCONFIG_ID, DONT_CARE, Rule::Exact),
    (GLX_BUFFER_SIZE, 0, Rule::AtLeast),
    (GLX_LEVEL, 0, Rule::Exact),
    (GLX_DOUBLEBUFFER, DONT_CARE, Rule::Exact),
    (GLX_STEREO, 0, Rule::Exact),
    (GLX_AUX_BUFFERS, 0, Rule::AtLeast),
    (GLX_RED_SIZE, 0, Rule::AtLeast),
    (GLX_GREEN_SIZE, 0, Rule::AtLeast),
    (GLX_BLUE_SIZE, 0, Rule::AtLeast),
    (GLX_ALPHA_SIZE, 0, Rule::AtLeast),
    (GLX_DEPTH_SIZE, 0, Rule::AtLeast),
    (GLX_STENCIL_SIZE, 0, Rule::AtLeast),
    (GLX_ACCUM_RED_SIZE, 0, Rule::AtLeast),
    (GLX_ACCUM_GREEN_SIZE, 0, Rule::AtLeast),
    (GLX_ACCUM_BLUE_SIZE, 0, Rule::AtLeast),
    (GLX_ACCUM_ALPHA_SIZE, 0, Rule::AtLeast),
    (GLX_SAMPLE_BUFFERS, 0, Rule::AtLeast),
    (GLX_SAMPLES, 0, Rule::AtLeast),
    (GLX_RENDER_TYPE, GLX_RGBA_BIT, Rule::Mask),
    (GLX_DRAWABLE_TYPE, GLX_WINDOW_BIT, Rule::Mask),
    (GLX_X_RENDERABLE, DONT_CARE, Rule::Exact),
    (GLX_X_VISUAL_TYPE, DONT_CARE, Rule::Exact),
    (GLX_CONFIG_CAVEAT, DONT_CARE, Rule::Exact),
    (GLX_TRANSPARENT_TYPE, GLX_NONE, Rule::Exact),
    (GLX_TRANSPARENT_INDEX_VALUE, DONT_CARE, Rule::Ignored),
    (GLX_TRANSPARENT_RED_VALUE, DONT_CARE, Rule::Ignored),
    (GLX_TRANSPARENT_GREEN_VALUE, DONT_CARE, Rule::Ignored),
    (GLX_TRANSPARENT_BLUE_VALUE, DONT_CARE, Rule::Ignored),
    (GLX_TRANSPARENT_ALPHA_VALUE, DONT_CARE, Rule::Ignored),
    (GLX_FRAMEBUFFER_SRGB_CAPABLE_ARB, DONT_CARE, Rule::Exact),
    (GLX_VISUAL_ID, DONT_CARE, Rule::Exact),
    (GLX_SWAP_METHOD_OML, DONT_CARE, Rule::Ignored),
    (GLX_VISUAL_SELECT_GROUP_SGIX, DONT_CARE, Rule::Exact),
];

/// What a program asked for.
pub struct Request {
    wanted: Vec<(c_int, c_int, Rule)>,
}

impl Request {
    /// Reads an attribute list of glXChooseFBConfig; `None` when it has an unknown name.
    pub fn new(list: &[(c_int, c_int)]) -> Option<Self> {
        let mut wanted = RULES.to_vec();
        for (name, value) in list {
            match *name {
                // Not available: asking for them as off is fine.
                GLX_BIND_TO_TEXTURE_RGB_EXT
                | GLX_BIND_TO_TEXTURE_RGBA_EXT
                | GLX_BIND_TO_MIPMAP_TEXTURE_EXT
                | GLX_BIND_TO_TEXTURE_TARGETS_EXT
                | GLX_Y_INVERTED_EXT => wanted.push((*name, *value, Rule::Exact)),
                // These describe, and select nothing (3.3.3: "ignored if present").
                GLX_MAX_PBUFFER_WIDTH
                | GLX_MAX_PBUFFER_HEIGHT
                | GLX_MAX_PBUFFER_PIXELS
                | GLX_SCREEN => {}
                _ => wanted.iter_mut().find(|(n, _, _)| n == name)?.1 = *value,
            }
        }
        Some(Self { wanted })
    }

    fn value(&self, attribute: c_int) -> c_int {
        self.wanted
            .iter()
            .find(|(name, _, _)| *name == attribute)
            .map_or(DONT_CARE, |w| w.1)
    }

    /// The configurations that meet the request, best first.
    pub fn choose(&self, configs: &'static [Config]) -> Vec<&'static Config> {
        let id = self.value(GLX_FBCONFIG_ID);
        if id != DONT_CARE {
            return configs.iter().filter(|c| c.id == id).collect();
        }
        let mut found: Vec<&Config> = configs.iter().filter(|c| self.is_met_by(c)).collect();
        found.sort_by_key(|c| self.rank(c));
        found
    }

    fn is_met_by(&self, config: &Config) -> bool {
        self.wanted.iter().all(|(name, want, rule)| {
            if *want == DONT_CARE {
                return true;
            }
            let Some(have) = attributes::of(config, *name) else {
                return false;
            };
            match rule {
                Rule::AtLeast => have >= *want,
                Rule::Exact => have == *want,
                Rule::Mask => have & want == *want,
                Rule::Ignored => true,
            }
        })
    }

    /// Lower is better: GLX 1.4, 3.3.3, "sorted according to the following rules". Colour counts
    /// only where the program asked for some.
    fn rank(&self, config: &Config) -> [c_int; 7] {
        let sizes = [GLX_RED_SIZE, GLX_GREEN_SIZE, GLX_BLUE_SIZE, GLX_ALPHA_SIZE];
        let color: c_int = sizes
            .iter()
            .zip(config.color)
            .filter(|(name, _)| !matches!(self.value(**name), 0 | DONT_CARE))
            .map(|(_, bits)| c_int::from(bits))
            .sum();
        [
            -color,
            config.buffer_size(),
            c_int::from(config.double_buffered),
            config.samples.into(),
            -c_int::from(config.depth),
            config.stencil.into(),
            config.id,
        ]
    }
}

/// The best configuration for a request of glXChooseVisual, whose defaults differ: what is not
/// asked for is preferred absent (GLX 1.4, 3.4.1).
pub fn for_visual(configs: &'static [Config], list: &[c_int]) -> Option<&'static Config> {
    let mut at_least = Vec::new();
    let (mut rgba, mut double_buffered, mut stereo, mut level) = (false, false, false, 0);
    let mut items = list.iter().copied();
    while let Some(name) = items.next().filter(|n| *n != 0) {
        match name {
            GLX_USE_GL => {}
            GLX_RGBA => rgba = true,
            GLX_DOUBLEBUFFER => double_buffered = true,
            GLX_STEREO => stereo = true,
            GLX_LEVEL => level = items.next()?,
            GLX_BUFFER_SIZE
            | GLX_AUX_BUFFERS
            | GLX_RED_SIZE
            | GLX_GREEN_SIZE
            | GLX_BLUE_SIZE
            | GLX_ALPHA_SIZE
            | GLX_DEPTH_SIZE
            | GLX_STENCIL_SIZE
            | GLX_ACCUM_RED_SIZE
            | GLX_ACCUM_GREEN_SIZE
            | GLX_ACCUM_BLUE_SIZE
            | GLX_ACCUM_ALPHA_SIZE
            | GLX_SAMPLE_BUFFERS
            | GLX_SAMPLES
            | GLX_FRAMEBUFFER_SRGB_CAPABLE_ARB => at_least.push((name, items.next()?)),
            GLX_X_VISUAL_TYPE | GLX_CONFIG_CAVEAT | GLX_TRANSPARENT_TYPE => {
                let want = items.next()?;
                if want != DONT_CARE
                    && configs.first().and_then(|c| attributes::of(c, name)) != Some(want)
                {
                    return None;
                }
            }
            // Transparent colours: nothing is transparent here.
            GLX_TRANSPARENT_INDEX_VALUE..=GLX_TRANSPARENT_ALPHA_VALUE => {
                items.next()?;
            }
            _ => return None,
        }
    }
    if !rgba || stereo || level != 0 {
        return None;
    }
    let asked = |name: c_int| {
        at_least
            .iter()
            .rev()
            .find(|(n, _)| *n == name)
            .map_or(0, |(_, v)| *v)
    };
    configs
        .iter()
        .filter(|c| c.visual.is_some() && c.double_buffered == double_buffered)
        .filter(|c| {
            at_least
                .iter()
                .all(|(name, want)| attributes::of(c, *name).is_some_and(|have| have >= *want))
        })
        .min_by_key(|c| {
            let depth = c_int::from(c.depth);
            [
                c.srgb as c_int,
                c.samples.into(),
                if asked(GLX_DEPTH_SIZE) > 0 {
                    -depth
                } else {
                    depth
                },
                c.stencil.into(),
                c.id,
            ]
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::winsys::configs::{Interface, of_screen};
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
        of_screen(Interface::Glx, ":test-choose", 0, &facts)
    }

    fn first(attributes: &[(c_int, c_int)]) -> Option<&'static Config> {
        Request::new(attributes)?.choose(list()).first().copied()
    }

    #[test]
    fn the_usual_request_gets_the_root_visual_with_depth_and_without_extras() {
        let config = first(&[
            (GLX_RENDER_TYPE, GLX_RGBA_BIT),
            (GLX_DOUBLEBUFFER, 1),
            (GLX_RED_SIZE, 8),
            (GLX_GREEN_SIZE, 8),
            (GLX_BLUE_SIZE, 8),
            (GLX_DEPTH_SIZE, 16),
        ])
        .expect("offered");
        assert_eq!((config.depth, config.stencil, config.samples), (24, 0, 0));
        assert!(config.double_buffered && !config.srgb);
        assert_eq!(config.visual.map(|v| v.depth), Some(24));
    }

    #[test]
    fn multisampling_and_srgb_come_only_when_asked_for() {
        let config = first(&[(GLX_DOUBLEBUFFER, 1), (GLX_SAMPLES, 2)]).expect("offered");
        assert_eq!(config.samples, 4);
        let config = first(&[(GLX_FRAMEBUFFER_SRGB_CAPABLE_ARB, 1)]).expect("offered");
        assert!(config.srgb);
        assert!(first(&[(GLX_SAMPLES, 16)]).is_none());
    }

    #[test]
    fn an_id_overrides_everything_else() {
        let config = first(&[(GLX_FBCONFIG_ID, 7), (GLX_SAMPLES, 16)]).expect("offered");
        assert_eq!(config.id, 7);
    }

    #[test]
    fn unknown_names_and_pixmaps_get_nothing() {
        assert!(Request::new(&[(0x7777, 1)]).is_none());
        assert!(first(&[(GLX_DRAWABLE_TYPE, GLX_PIXMAP_BIT)]).is_none());
        assert!(first(&[(GLX_RENDER_TYPE, GLX_COLOR_INDEX_BIT)]).is_none());
        assert!(first(&[(GLX_STEREO, 1)]).is_none());
    }

    #[test]
    fn visuals_differ_by_back_buffer_and_depth() {
        let double = for_visual(list(), &[GLX_RGBA, GLX_DOUBLEBUFFER, GLX_DEPTH_SIZE, 1, 0]);
        let double = double.expect("offered");
        assert_eq!((double.double_buffered, double.depth), (true, 24));
        assert_eq!(double.stencil, 0);
        let single = for_visual(list(), &[GLX_RGBA, GLX_RED_SIZE, 1, 0]).expect("offered");
        assert_eq!((single.double_buffered, single.depth), (false, 0));
        assert!(
            for_visual(list(), &[GLX_DOUBLEBUFFER, 0]).is_none(),
            "colour index"
        );
        assert!(for_visual(list(), &[GLX_RGBA, GLX_ACCUM_RED_SIZE, 8, 0]).is_none());
        assert!(
            for_visual(list(), &[GLX_RGBA, GLX_DEPTH_SIZE]).is_none(),
            "cut list"
        );
    }
}
