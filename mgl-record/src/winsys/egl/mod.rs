//! EGL 1.5 (Khronos, 2014-08-27) for desktop OpenGL: X11, xcb, surfaceless and device displays.
//!
//! Only the OpenGL API is offered; OpenGL ES is refused by name. Functions that are absent here
//! (pixmaps, images, streams, textures from surfaces) are refused by name with EGL_BAD_PARAMETER.

mod attributes;
mod choose;
mod config;
mod context;
pub mod display;
pub mod error;
mod surface;
mod sync;

use super::refusal::{self, Refusal};
use super::types::*;
use crate::consts::egl::*;
use crate::exports;
use crate::gl::entry::api_entry;
use error::answer;
use std::ffi::{CStr, c_char};

/// What works before a display is chosen.
pub(super) const CLIENT_EXTENSIONS: &CStr = c"EGL_EXT_client_extensions EGL_EXT_device_base \
EGL_EXT_device_enumeration EGL_EXT_device_query EGL_EXT_platform_base EGL_EXT_platform_device \
EGL_EXT_platform_x11 EGL_EXT_platform_xcb EGL_KHR_client_get_all_proc_addresses \
EGL_KHR_platform_x11 EGL_MESA_platform_surfaceless";

/// What works on a display beyond EGL 1.5.
pub(super) const DISPLAY_EXTENSIONS: &CStr = c"EGL_EXT_create_context_robustness \
EGL_EXT_swap_buffers_with_damage EGL_KHR_config_attribs EGL_KHR_context_flush_control \
EGL_KHR_create_context EGL_KHR_create_context_no_error EGL_KHR_fence_sync \
EGL_KHR_get_all_proc_addresses EGL_KHR_gl_colorspace EGL_KHR_no_config_context \
EGL_KHR_surfaceless_context EGL_KHR_swap_buffers_with_damage EGL_KHR_wait_sync \
EGL_MESA_configless_context";

api_entry! {
    /// The error of the thread's last call; resets it.
    fn eglGetError() -> EGLint {
        error::take()
    }

    /// Vendor, version, extensions or APIs.
    fn eglQueryString(dpy: EGLDisplay, name: EGLint) -> *const c_char {
        answer(query_string(dpy, name))
    }

    /// Any GL, GLX or EGL function by name; null for names that no registry has.
    fn eglGetProcAddress(name: *const c_char) -> __eglMustCastToProperFunctionPointerType {
        if name.is_null() {
            return std::ptr::null();
        }
        // SAFETY: the program passes a C string.
        let name = unsafe { CStr::from_ptr(name) };
        match name.to_str().ok().and_then(exports::lookup) {
            Some(export) => export.address.as_ptr(),
            None => std::ptr::null(),
        }
    }

    /// Chooses the API of the thread's contexts; only OpenGL is offered.
    fn eglBindAPI(api: EGLenum) -> EGLBoolean {
        answer(if api == EGL_OPENGL_API as EGLenum {
            error::bind_api(api);
            Ok(1)
        } else {
            // Most programs that want OpenGL ES come no further than here.
            if api == EGL_OPENGL_ES_API as EGLenum {
                refusal::say("EGL", &Refusal::Es);
            }
            Err(EGL_BAD_PARAMETER)
        })
    }

    /// The thread's API.
    fn eglQueryAPI() -> EGLenum {
        error::api()
    }

    /// Returns the thread to its initial state.
    fn eglReleaseThread() -> EGLBoolean {
        context::release();
        error::reset();
        1
    }
}

fn query_string(dpy: EGLDisplay, name: EGLint) -> error::Result<*const c_char> {
    let text = if dpy.is_null() {
        match name {
            EGL_EXTENSIONS => CLIENT_EXTENSIONS,
            EGL_VERSION => c"1.5",
            _ => return Err(EGL_BAD_DISPLAY),
        }
    } else {
        display::initialized(dpy)?;
        match name {
            EGL_VENDOR => c"mgl",
            EGL_VERSION => c"1.5 mgl",
            EGL_CLIENT_APIS => c"OpenGL",
            EGL_EXTENSIONS => DISPLAY_EXTENSIONS,
            _ => return Err(EGL_BAD_PARAMETER),
        }
    };
    Ok(text.as_ptr())
}
