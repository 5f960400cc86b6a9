//! Entry points about configurations (EGL 1.5, 3.4).

use super::display::initialized;
use super::error::{Result, answer};
use super::{attributes, choose};
use crate::consts::egl::*;
use crate::gl::entry::api_entry;
use crate::winsys::configs::{self, Config, Interface};
use crate::winsys::memory;
use crate::winsys::types::*;

/// The configuration behind an EGLConfig.
///
/// # Errors
///
/// EGL_BAD_CONFIG.
pub fn of_handle(handle: EGLConfig) -> Result<&'static Config> {
    configs::by_handle(Interface::Egl, handle).ok_or(EGL_BAD_CONFIG)
}

/// Stores as many configurations as there is room for, and their number.
fn give(
    found: &[&'static Config],
    out: *mut EGLConfig,
    room: EGLint,
    count: *mut EGLint,
) -> Result<EGLBoolean> {
    if count.is_null() {
        return Err(EGL_BAD_PARAMETER);
    }
    let mut number = found.len();
    if !out.is_null() {
        number = number.min(usize::try_from(room).unwrap_or(0));
        for (i, config) in found[..number].iter().enumerate() {
            // SAFETY: the program's array has `room` entries, and i is below that.
            unsafe { *out.add(i) = std::ptr::from_ref(*config).cast_mut().cast() };
        }
    }
    // SAFETY: not null, so a pointer to an int.
    unsafe { *count = number as EGLint };
    Ok(1)
}

api_entry! {
    /// All configurations of a display.
    fn eglGetConfigs(
        dpy: EGLDisplay,
        out: *mut EGLConfig,
        room: EGLint,
        count: *mut EGLint,
    ) -> EGLBoolean {
        answer(initialized(dpy).and_then(|(_, backing)| {
            let all: Vec<&Config> = backing.configs.iter().collect();
            give(&all, out, room, count)
        }))
    }

    /// The configurations that meet a request, best first.
    fn eglChooseConfig(
        dpy: EGLDisplay,
        attributes: *const EGLint,
        out: *mut EGLConfig,
        room: EGLint,
        count: *mut EGLint,
    ) -> EGLBoolean {
        // SAFETY: the program passes null or a list that ends with EGL_NONE.
        let list = unsafe { memory::pairs(attributes, EGL_NONE) };
        answer(initialized(dpy).and_then(|(_, backing)| {
            give(&choose::choose(backing.configs, &list)?, out, room, count)
        }))
    }

    /// One attribute of a configuration.
    fn eglGetConfigAttrib(
        dpy: EGLDisplay,
        config: EGLConfig,
        attribute: EGLint,
        value: *mut EGLint,
    ) -> EGLBoolean {
        answer(initialized(dpy).and_then(|_| {
            let found = attributes::of(of_handle(config)?, attribute).ok_or(EGL_BAD_ATTRIBUTE)?;
            // SAFETY: the program passes null or a pointer to an int.
            unsafe { memory::store(value, found) };
            Ok(1)
        }))
    }
}
