//! Memory that crosses the interface: attribute lists in, malloc'ed arrays out.

use std::ffi::c_int;

/// More pairs than any list has; a list without an end stops being read here.
const MOST_PAIRS: usize = 256;

/// Reads `name, value, .., end`.
///
/// # Safety
///
/// `list` is null or points to pairs of ints that are ended by `end`.
pub unsafe fn pairs(list: *const c_int, end: c_int) -> Vec<(c_int, c_int)> {
    let mut found = Vec::new();
    if list.is_null() {
        return found;
    }
    for i in 0..MOST_PAIRS {
        // SAFETY: no name so far was the end, so this pair is part of the list.
        unsafe {
            let name = *list.add(2 * i);
            if name == end {
                break;
            }
            found.push((name, *list.add(2 * i + 1)));
        }
    }
    found
}

/// `pairs` for the pointer-sized lists of EGL 1.5; values are cut to ints, as all of ours fit.
///
/// # Safety
///
/// `list` is null or points to pairs of words that are ended by `end`.
pub unsafe fn long_pairs(list: *const isize, end: c_int) -> Vec<(c_int, c_int)> {
    let mut found = Vec::new();
    if list.is_null() {
        return found;
    }
    for i in 0..MOST_PAIRS {
        // SAFETY: no name so far was the end, so this pair is part of the list.
        unsafe {
            let name = *list.add(2 * i) as c_int;
            if name == end {
                break;
            }
            found.push((name, *list.add(2 * i + 1) as c_int));
        }
    }
    found
}

/// Copies items into memory that the program frees with XFree; null for no items.
pub fn malloc_array<T: Copy>(items: &[T]) -> *mut T {
    if items.is_empty() {
        return std::ptr::null_mut();
    }
    // SAFETY: the allocation has room for all items, and T is plain data.
    unsafe {
        let memory = libc::malloc(size_of_val(items)).cast::<T>();
        if !memory.is_null() {
            memory.copy_from_nonoverlapping(items.as_ptr(), items.len());
        }
        memory
    }
}

/// Stores through a pointer that may be null.
///
/// # Safety
///
/// `to` is null or writable.
pub unsafe fn store<T>(to: *mut T, value: T) {
    if !to.is_null() {
        // SAFETY: the caller's promise.
        unsafe { to.write(value) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_end_at_their_end_or_at_the_limit() {
        let list = [5, 1, 7, 2, 0, 9];
        // SAFETY: ended by 0.
        assert_eq!(unsafe { pairs(list.as_ptr(), 0) }, [(5, 1), (7, 2)]);
        // SAFETY: null is allowed.
        assert!(unsafe { pairs(std::ptr::null(), 0) }.is_empty());
        let endless = [1; 2 * MOST_PAIRS + 2];
        // SAFETY: longer than the limit.
        assert_eq!(unsafe { pairs(endless.as_ptr(), 0) }.len(), MOST_PAIRS);
        let long = [3isize, -1, 0x3038, 0];
        // SAFETY: ended by EGL_NONE.
        assert_eq!(unsafe { long_pairs(long.as_ptr(), 0x3038) }, [(3, -1)]);
    }
}
