//! The thread's EGL error and bound API (EGL 1.5, 3.1 and 3.7).

use crate::consts::egl::*;
use crate::gl::entry::EntryReturn;
use crate::winsys::types::EGLenum;
use std::cell::Cell;
use std::ffi::c_int;

/// The result of the body of an entry point: a value, or an EGL error code.
pub type Result<T> = std::result::Result<T, c_int>;

thread_local! {
    static ERROR: Cell<c_int> = const { Cell::new(EGL_SUCCESS) };
    static API: Cell<EGLenum> = const { Cell::new(EGL_OPENGL_ES_API as EGLenum) };
}

/// Sets what eglGetError returns next.
pub fn set(code: c_int) {
    // Without a slot the thread is ending and cannot ask.
    let _ = ERROR.try_with(|e| e.set(code));
}

/// Takes the error, leaving success.
pub fn take() -> c_int {
    ERROR
        .try_with(|e| e.replace(EGL_SUCCESS))
        .unwrap_or(EGL_SUCCESS)
}

/// Ends an entry point: notes success or the error, and returns the value or zero.
pub fn answer<T: EntryReturn>(result: Result<T>) -> T {
    match result {
        Ok(value) => {
            set(EGL_SUCCESS);
            value
        }
        Err(code) => {
            set(code);
            T::nothing()
        }
    }
}

/// The API that new contexts of this thread are for.
pub fn api() -> EGLenum {
    API.try_with(Cell::get).unwrap_or(EGL_OPENGL_API as EGLenum)
}

/// Binds an API to this thread.
pub fn bind_api(api: EGLenum) {
    let _ = API.try_with(|a| a.set(api));
}

/// Forgets the thread's error and API (eglReleaseThread).
pub fn reset() {
    set(EGL_SUCCESS);
    bind_api(EGL_OPENGL_ES_API as EGLenum);
}
