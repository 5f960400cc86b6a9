//! Names and logs across the boundary, by GL's conventions for strings.

use super::types::*;

/// Copies as much of `text` as fits into `size` characters with the terminating zero, and tells how many characters
/// that were (GL 4.6 §7.13).
///
/// # Safety
///
/// `out` is null or has room for `size` characters; `length` is null or writable.
pub unsafe fn copy_text(text: &[u8], size: GLsizei, length: *mut GLsizei, out: *mut GLchar) {
    let mut n = 0;
    // SAFETY: by this function's contract; `n` is below `size`.
    unsafe {
        if size > 0 && !out.is_null() {
            n = text.len().min(size as usize - 1);
            std::ptr::copy_nonoverlapping(text.as_ptr(), out.cast::<u8>(), n);
            *out.add(n) = 0;
        }
        if !length.is_null() {
            *length = n as GLsizei;
        }
    }
}

/// A name given by the program; `None` for a null pointer. Bytes that are not UTF-8 cannot be part of any GLSL name.
///
/// # Safety
///
/// `name` is null or zero-terminated.
pub unsafe fn read_name(name: *const GLchar) -> Option<String> {
    // SAFETY: by this function's contract.
    (!name.is_null()).then(|| {
        unsafe { std::ffi::CStr::from_ptr(name) }
            .to_string_lossy()
            .into_owned()
    })
}

/// Writes one value where the caller wants it.
///
/// # Safety
///
/// `to` is null or writable.
pub unsafe fn write_i32(to: *mut GLint, value: i32) {
    if !to.is_null() {
        // SAFETY: by this function's contract.
        unsafe { *to = value }
    }
}
