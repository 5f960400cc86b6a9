//! The GLX attributes of a configuration (GLX 1.4, table 3.1 and the extensions).

use crate::consts::glx::*;
use crate::winsys::configs::Config;
use std::ffi::c_int;

/// Largest width and height of a pbuffer.
pub const MAX_PBUFFER: c_int = 16384;

/// The drawables that a configuration supports. Pixmaps are refused.
pub const DRAWABLE_TYPES: c_int = GLX_WINDOW_BIT | GLX_PBUFFER_BIT;

/// One attribute; `None` for a name that is none.
pub fn of(config: &Config, attribute: c_int) -> Option<c_int> {
    let visual = config.visual;
    Some(match attribute {
        GLX_FBCONFIG_ID => config.id,
        GLX_BUFFER_SIZE => config.buffer_size(),
        GLX_DOUBLEBUFFER => c_int::from(config.double_buffered),
        GLX_RED_SIZE => config.color[0].into(),
        GLX_GREEN_SIZE => config.color[1].into(),
        GLX_BLUE_SIZE => config.color[2].into(),
        GLX_ALPHA_SIZE => config.color[3].into(),
        GLX_DEPTH_SIZE => config.depth.into(),
        GLX_STENCIL_SIZE => config.stencil.into(),
        GLX_SAMPLE_BUFFERS => c_int::from(config.samples > 0),
        GLX_SAMPLES => config.samples.into(),
        GLX_FRAMEBUFFER_SRGB_CAPABLE_ARB => c_int::from(config.srgb),
        GLX_RENDER_TYPE => GLX_RGBA_BIT,
        GLX_DRAWABLE_TYPE => DRAWABLE_TYPES,
        GLX_X_RENDERABLE => c_int::from(visual.is_some()),
        GLX_VISUAL_ID => visual.map_or(0, |v| v.id as c_int),
        GLX_X_VISUAL_TYPE => match visual {
            Some(v) if v.direct => GLX_DIRECT_COLOR,
            Some(_) => GLX_TRUE_COLOR,
            None => GLX_NONE,
        },
        GLX_SCREEN => config.screen,
        GLX_CONFIG_CAVEAT | GLX_TRANSPARENT_TYPE => GLX_NONE,
        GLX_MAX_PBUFFER_WIDTH | GLX_MAX_PBUFFER_HEIGHT => MAX_PBUFFER,
        GLX_MAX_PBUFFER_PIXELS => MAX_PBUFFER * MAX_PBUFFER,
        GLX_SWAP_METHOD_OML => GLX_SWAP_UNDEFINED_OML,
        GLX_LEVEL
        | GLX_STEREO
        | GLX_AUX_BUFFERS
        | GLX_ACCUM_RED_SIZE
        | GLX_ACCUM_GREEN_SIZE
        | GLX_ACCUM_BLUE_SIZE
        | GLX_ACCUM_ALPHA_SIZE
        | GLX_TRANSPARENT_INDEX_VALUE
        | GLX_TRANSPARENT_RED_VALUE
        | GLX_TRANSPARENT_GREEN_VALUE
        | GLX_TRANSPARENT_BLUE_VALUE
        | GLX_TRANSPARENT_ALPHA_VALUE
        | GLX_OPTIMAL_PBUFFER_WIDTH_SGIX
        | GLX_OPTIMAL_PBUFFER_HEIGHT_SGIX
        | GLX_VISUAL_SELECT_GROUP_SGIX
        | GLX_BIND_TO_TEXTURE_RGB_EXT
        | GLX_BIND_TO_TEXTURE_RGBA_EXT
        | GLX_BIND_TO_MIPMAP_TEXTURE_EXT
        | GLX_BIND_TO_TEXTURE_TARGETS_EXT
        | GLX_Y_INVERTED_EXT => 0,
        _ => return None,
    })
}
