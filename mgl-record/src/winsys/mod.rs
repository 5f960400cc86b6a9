//! Window systems: GLX and EGL as programs see them (design page 5.2).
//!
//! | module | what |
//! |---|---|
//! | `glx`, `egl` | the entry points |
//! | `configs` | the configurations both offer |
//! | `drawable`, `state`, `current` | windows and pbuffers; what the process and each thread have |
//! | `x11`, `xlib` | our connection to the server; the few calls on the program's own |
//! | `versions` | which context a version and profile mean |
//! | `refusal` | why a context was not given |
//! | `names` | keeping the library names ours |

mod configs;
mod current;
mod drawable;
pub mod egl;
pub mod glx;
mod memory;
mod names;
mod refusal;
mod state;
pub mod types;
mod versions;
mod x11;
mod xlib;

/// Brings the current surfaces to the size that their windows are known to have by now; cheap
/// enough for a call a viewport change.
pub fn update_surface_sizes() {
    current::update_sizes(false);
}

/// As [`update_surface_sizes`], once a frame and for every 64th call in it: for entry points that programs call often.
pub fn follow_windows() {
    current::follow_windows();
}

/// What a refused EGL call leaves behind for eglGetError.
pub(crate) fn refused_egl_call() {
    egl::error::set(crate::consts::egl::EGL_BAD_PARAMETER);
}

/// The lists of extensions that the interfaces answer with, for the test of what is listed.
#[cfg(test)]
pub(crate) fn extension_lists() -> [&'static std::ffi::CStr; 3] {
    [
        glx::EXTENSIONS,
        egl::CLIENT_EXTENSIONS,
        egl::DISPLAY_EXTENSIONS,
    ]
}
