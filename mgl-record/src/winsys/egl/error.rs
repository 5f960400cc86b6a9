//! The thread's EGL error.

use std::cell::Cell;
use std::ffi::c_int;

thread_local! {
    static ERROR: Cell<c_int> = const { Cell::new(0x3000) };
}

/// Sets what eglGetError returns next.
pub fn set(code: c_int) {
    let _ = ERROR.try_with(|e| e.set(code));
}
