//! The client's copy of an image: zeroed bytes at a 64-byte boundary, so that rows copy and convert with wide loads.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// Boundary of a shadow.
const ALIGN: usize = 64;

/// See the module. An empty one holds no memory.
pub struct Shadow {
    at: NonNull<u8>,
    len: usize,
}

// SAFETY: the memory is owned by the value alone; there is nothing that belongs to a thread.
unsafe impl Send for Shadow {}
// SAFETY: as above; shared references only read.
unsafe impl Sync for Shadow {}

impl Default for Shadow {
    fn default() -> Self {
        Self {
            at: NonNull::dangling(),
            len: 0,
        }
    }
}

impl Shadow {
    /// `len` zero bytes; `None` when there is no memory for them.
    #[must_use]
    pub fn zeroed(len: usize) -> Option<Self> {
        if len == 0 {
            return Some(Self::default());
        }
        let layout = Layout::from_size_align(len, ALIGN).ok()?;
        // SAFETY: the layout has a size above 0.
        let at = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(Self { at, len })
    }
}

impl Drop for Shadow {
    fn drop(&mut self) {
        if let (1.., Ok(layout)) = (self.len, Layout::from_size_align(self.len, ALIGN)) {
            // SAFETY: a shadow of a length above 0 was allocated with this layout, and nobody else frees it.
            unsafe { dealloc(self.at.as_ptr(), layout) }
        }
    }
}

impl Deref for Shadow {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        // SAFETY: `at` points to `len` initialised bytes that the value owns (or is dangling, with a length of 0).
        unsafe { std::slice::from_raw_parts(self.at.as_ptr(), self.len) }
    }
}

impl DerefMut for Shadow {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as for `deref`; the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.at.as_ptr(), self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeroed_aligned_and_writable() {
        for len in [0usize, 1, 63, 64, 4097] {
            let mut s = Shadow::zeroed(len).expect("memory");
            assert_eq!(s.len(), len);
            assert!(s.iter().all(|&b| b == 0));
            assert!(len == 0 || (s.as_ptr() as usize).is_multiple_of(ALIGN));
            s.fill(7);
            assert!(s.iter().all(|&b| b == 7));
        }
        assert!(Shadow::zeroed(usize::MAX).is_none());
    }
}
