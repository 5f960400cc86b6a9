//! Window systems: GLX and EGL as programs see them (design page 5.2).

pub mod types;

/// What a refused EGL call leaves behind for eglGetError.
pub(crate) fn refused_egl_call() {}
