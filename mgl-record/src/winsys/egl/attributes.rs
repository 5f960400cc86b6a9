//! The EGL attributes of a configuration (EGL 1.5, table 3.1).

use crate::consts::egl::*;
use crate::winsys::configs::Config;
use std::ffi::c_int;

/// Largest width and height of a pbuffer.
pub const MAX_PBUFFER: c_int = 16384;

/// The longest swap interval, in frames.
pub const MAX_INTERVAL: c_int = 8;

/// X's visual classes, which EGL_NATIVE_VISUAL_TYPE reports.
const TRUE_COLOR: c_int = 4;
const DIRECT_COLOR: c_int = 5;

/// One attribute; `None` for a name that is none.
pub fn of(config: &Config, attribute: c_int) -> Option<c_int> {
    let visual = config.visual;
    Some(match attribute {
        EGL_CONFIG_ID => config.id,
        EGL_BUFFER_SIZE => config.buffer_size(),
        EGL_RED_SIZE => config.color[0].into(),
        EGL_GREEN_SIZE => config.color[1].into(),
        EGL_BLUE_SIZE => config.color[2].into(),
        EGL_ALPHA_SIZE => config.color[3].into(),
        EGL_DEPTH_SIZE => config.depth.into(),
        EGL_STENCIL_SIZE => config.stencil.into(),
        EGL_SAMPLE_BUFFERS => c_int::from(config.samples > 0),
        EGL_SAMPLES => config.samples.into(),
        EGL_COLOR_BUFFER_TYPE => EGL_RGB_BUFFER,
        EGL_CONFIG_CAVEAT | EGL_TRANSPARENT_TYPE => EGL_NONE,
        EGL_CONFORMANT | EGL_RENDERABLE_TYPE => EGL_OPENGL_BIT,
        EGL_SURFACE_TYPE if visual.is_some() => EGL_WINDOW_BIT | EGL_PBUFFER_BIT,
        EGL_SURFACE_TYPE => EGL_PBUFFER_BIT,
        EGL_NATIVE_RENDERABLE => c_int::from(visual.is_some()),
        EGL_NATIVE_VISUAL_ID => visual.map_or(0, |v| v.id as c_int),
        EGL_NATIVE_VISUAL_TYPE => match visual {
            Some(v) if v.direct => DIRECT_COLOR,
            Some(_) => TRUE_COLOR,
            None => EGL_NONE,
        },
        EGL_MAX_PBUFFER_WIDTH | EGL_MAX_PBUFFER_HEIGHT => MAX_PBUFFER,
        EGL_MAX_PBUFFER_PIXELS => MAX_PBUFFER * MAX_PBUFFER,
        EGL_MAX_SWAP_INTERVAL => MAX_INTERVAL,
        EGL_MIN_SWAP_INTERVAL
        | EGL_LUMINANCE_SIZE
        | EGL_ALPHA_MASK_SIZE
        | EGL_BIND_TO_TEXTURE_RGB
        | EGL_BIND_TO_TEXTURE_RGBA
        | EGL_LEVEL
        | EGL_TRANSPARENT_RED_VALUE
        | EGL_TRANSPARENT_GREEN_VALUE
        | EGL_TRANSPARENT_BLUE_VALUE => 0,
        _ => return None,
    })
}
