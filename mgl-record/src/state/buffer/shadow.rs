//! The client's copy of a buffer's bytes: 64-byte aligned memory that mapped pointers lead into.
//!
//! Raw memory and not a `Vec`: a program writes through a mapped pointer at any time, also between entry points, so no
//! reference to the bytes may live longer than one operation, and the memory must not move while it is mapped.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

/// Alignment of every shadow (GL 4.6 table 23.60, MIN_MAP_BUFFER_ALIGNMENT).
pub const ALIGNMENT: usize = 64;

/// See the module.
pub struct Shadow {
    at: NonNull<u8>,
    len: usize,
}

// SAFETY: the memory is owned by this value alone; access goes through the driver lock or through mapped pointers,
// whose use across threads GL leaves to the program (GL 4.6 §5.3).
unsafe impl Send for Shadow {}
// SAFETY: as above.
unsafe impl Sync for Shadow {}

impl Default for Shadow {
    fn default() -> Self {
        Self {
            at: NonNull::dangling(),
            len: 0,
        }
    }
}

impl Drop for Shadow {
    fn drop(&mut self) {
        if let Some(layout) = Self::layout(self.len) {
            // SAFETY: allocated in `zeroed` with this very layout.
            unsafe { dealloc(self.at.as_ptr(), layout) }
        }
    }
}

impl Shadow {
    fn layout(len: usize) -> Option<Layout> {
        if len == 0 {
            return None;
        }
        Layout::from_size_align(len, ALIGNMENT).ok()
    }

    /// `len` zero bytes; `None` when memory is out.
    #[must_use]
    pub fn zeroed(len: usize) -> Option<Self> {
        if len == 0 {
            return Some(Self::default());
        }
        let layout = Self::layout(len)?;
        // SAFETY: the layout's size is not zero.
        let at = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(Self { at, len })
    }

    /// Bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it holds no byte.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes. A mapped range may change under the reader, as GL says.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: `len` bytes were allocated and initialised with zeros.
        unsafe { std::slice::from_raw_parts(self.at.as_ptr(), self.len) }
    }

    /// Address of the byte at `offset`, which is at most the length.
    #[must_use]
    pub fn pointer(&self, offset: usize) -> *mut u8 {
        debug_assert!(offset <= self.len);
        self.at.as_ptr().wrapping_add(offset)
    }

    /// Copies `bytes` to `offset`.
    ///
    /// # Panics
    ///
    /// They do not fit: callers have checked the range.
    pub fn write(&mut self, offset: usize, bytes: &[u8]) {
        assert!(offset <= self.len && bytes.len() <= self.len - offset);
        // SAFETY: the range is inside the allocation; `copy` allows a source that overlaps (a program may hand in
        // memory of a mapped buffer).
        unsafe { std::ptr::copy(bytes.as_ptr(), self.pointer(offset), bytes.len()) }
    }

    /// Copies `len` bytes inside the memory; the ranges may overlap.
    ///
    /// # Panics
    ///
    /// They do not fit.
    pub fn copy_within(&mut self, from: usize, to: usize, len: usize) {
        assert!(len <= self.len && from <= self.len - len && to <= self.len - len);
        // SAFETY: both ranges are inside the allocation.
        unsafe { std::ptr::copy(self.pointer(from), self.pointer(to), len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligned_zeroed_and_writable() {
        let mut s = Shadow::zeroed(100).expect("memory");
        assert_eq!(s.pointer(0) as usize % ALIGNMENT, 0);
        assert_eq!(s.bytes(), [0; 100]);
        s.write(96, &[1, 2, 3, 4]);
        s.copy_within(96, 1, 4);
        assert_eq!(&s.bytes()[..6], [0, 1, 2, 3, 4, 0]);
        assert!(Shadow::zeroed(0).expect("nothing").is_empty());
        assert!(Shadow::zeroed(usize::MAX).is_none());
    }
}
