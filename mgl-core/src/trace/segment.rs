//! Memory that grows: of this process alone, or a part of an [`Arena`] that outlives it.

use super::arena::Arena;
use std::io;
use std::ptr::{self, NonNull};
use std::sync::Arc;

/// Memory grows in steps of so many bytes, which every page size divides.
const STEP: usize = 64 << 10;
/// It doubles, until that is more than so many bytes.
const MOST_MORE: usize = 1 << 20;

/// Words that grow, and keep what is in them. All are initialised.
pub(super) struct Segment {
    /// The first; dangling while there are none.
    at: NonNull<u64>,
    /// How many may be used.
    words: usize,
    store: Store,
}

enum Store {
    /// The process's own.
    Heap(Vec<u64>),
    /// A mapping of a part of the arena, of so many bytes; those behind `words` are untouched. Grows up to `most` bytes.
    Shared {
        arena: Arc<Arena>,
        mapped: usize,
        most: usize,
    },
}

// SAFETY: the memory is this value's alone within the process; who reads it from outside does so after the process's end.
unsafe impl Send for Segment {}

impl Segment {
    /// Bytes that are mapped of a shared one that is empty.
    pub const FIRST_MAP: usize = STEP;

    /// One of the process's own memory; empty.
    pub fn private() -> Self {
        Self {
            at: NonNull::dangling(),
            words: 0,
            store: Store::Heap(Vec::new()),
        }
    }

    /// One of a mapping of the arena's file, of [`Self::FIRST_MAP`] bytes; empty, nothing is touched.
    ///
    /// # Safety
    /// The mapping is the caller's alone, who gives it away; `most` bytes belong to it in the file.
    pub unsafe fn shared(arena: Arc<Arena>, mapping: NonNull<u64>, most: usize) -> Self {
        Self {
            at: mapping,
            words: 0,
            store: Store::Shared {
                arena,
                mapped: Self::FIRST_MAP,
                most,
            },
        }
    }

    /// How many words there are.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.words
    }

    #[inline]
    pub fn words(&self) -> &[u64] {
        // SAFETY: so many words at `at` are this value's, and initialised; a slice of none may dangle.
        unsafe { std::slice::from_raw_parts(self.at.as_ptr(), self.words) }
    }

    #[inline]
    pub fn words_mut(&mut self) -> &mut [u64] {
        // SAFETY: as in `words`, and borrowed as long as this value is.
        unsafe { std::slice::from_raw_parts_mut(self.at.as_ptr(), self.words) }
    }

    #[inline]
    pub fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(self.words())
    }

    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(self.words_mut())
    }

    /// Grows to hold at least so many words.
    ///
    /// # Errors
    /// There is no more memory; nothing changes then.
    #[cold]
    pub fn grow(&mut self, words: usize) -> io::Result<()> {
        let none = || io::Error::from(io::ErrorKind::OutOfMemory);
        let wanted = words.checked_mul(8).ok_or_else(none)?;
        let used = self.words * 8;
        let bytes = wanted
            .max(used + used.min(MOST_MORE))
            .checked_next_multiple_of(STEP)
            .ok_or_else(none)?;
        match &mut self.store {
            Store::Heap(all) => {
                let mut new = zeroed(bytes / 8).ok_or_else(none)?;
                new[..all.len()].copy_from_slice(all);
                *all = new;
                self.at = NonNull::new(all.as_mut_ptr()).ok_or_else(none)?;
            }
            Store::Shared {
                arena,
                mapped,
                most,
            } => {
                if wanted > *most {
                    return Err(none());
                }
                let bytes = bytes.min(*most);
                if bytes > *mapped {
                    // SAFETY: the mapping is this value's, and nothing borrows from it.
                    let new = unsafe {
                        let old = self.at.as_ptr().cast();
                        libc::mremap(old, *mapped, bytes, libc::MREMAP_MAYMOVE)
                    };
                    if new == libc::MAP_FAILED {
                        return Err(io::Error::last_os_error());
                    }
                    self.at = NonNull::new(new.cast()).ok_or_else(none)?;
                    *mapped = bytes;
                }
                // Before anything is stored there: a page that cannot be had would be a SIGBUS.
                // SAFETY: the range is within the mapping.
                unsafe { arena.populate(self.at.as_ptr().cast::<u8>().add(used), bytes - used) }?;
            }
        }
        self.words = match &self.store {
            Store::Heap(all) => all.len(),
            Store::Shared { mapped, .. } => *mapped / 8,
        };
        Ok(())
    }

    /// Gives all memory back; it is empty then, and can grow again.
    pub fn release(&mut self) {
        self.words = 0;
        match &mut self.store {
            Store::Heap(all) => {
                *all = Vec::new();
                self.at = NonNull::dangling();
            }
            Store::Shared { mapped, .. } => {
                let at: *mut libc::c_void = self.at.as_ptr().cast();
                // SAFETY: the mapping is this value's, and nothing borrows from it; a shrinking one stays where it is.
                unsafe {
                    libc::madvise(at, *mapped, libc::MADV_REMOVE);
                    if libc::mremap(at, *mapped, Self::FIRST_MAP, 0) == at {
                        *mapped = Self::FIRST_MAP;
                    }
                }
            }
        }
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        let Store::Shared { arena, mapped, .. } = &self.store else {
            return;
        };
        // A forked child has no such mapping: something else may be there.
        if arena.is_forked() {
            return;
        }
        let at: *mut libc::c_void = self.at.as_ptr().cast();
        // SAFETY: the mapping is this value's, and nothing borrows from it.
        unsafe {
            // The launcher holds the memory as long as the program runs: it is to be no burden.
            libc::madvise(at, *mapped, libc::MADV_REMOVE);
            libc::munmap(at, *mapped);
        }
    }
}

/// Zeros that the allocator need not touch; `None` where there is no memory.
fn zeroed(words: usize) -> Option<Vec<u64>> {
    let layout = std::alloc::Layout::array::<u64>(words)
        .ok()
        .filter(|l| l.size() > 0)?;
    // SAFETY: the layout is that of so many words and not empty; a vector of as many owns what was allocated by it.
    unsafe {
        let at = std::alloc::alloc_zeroed(layout).cast::<u64>();
        (!at.is_null()).then(|| Vec::from_raw_parts(at, words, words))
    }
}

/// Maps a part of a file that a forked child does not inherit, and that is left out of core dumps.
pub(super) fn map(fd: libc::c_int, offset: u64, bytes: usize) -> io::Result<NonNull<u64>> {
    let offset = libc::off_t::try_from(offset).map_err(io::Error::other)?;
    // SAFETY: a new mapping at a place of the kernel's choice.
    unsafe {
        let how = libc::PROT_READ | libc::PROT_WRITE;
        let at = libc::mmap(ptr::null_mut(), bytes, how, libc::MAP_SHARED, fd, offset);
        if at == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        if libc::madvise(at, bytes, libc::MADV_DONTFORK) != 0 {
            let error = io::Error::last_os_error();
            libc::munmap(at, bytes);
            return Err(error);
        }
        libc::madvise(at, bytes, libc::MADV_DONTDUMP);
        NonNull::new(at.cast()).ok_or_else(|| io::Error::other("mapped at zero"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_memory_grows_and_keeps_its_content() {
        let mut s = Segment::private();
        assert!(s.words().is_empty());
        s.grow(3).expect("memory");
        s.words_mut()[2] = 7;
        let before = s.capacity();
        s.grow(before + 1).expect("memory");
        assert!(s.capacity() == 2 * before && s.words()[2] == 7);
        let (few, more) = (1 << 17, 20 << 20);
        for words in [few, more, more + 1] {
            s.grow(words).expect("memory");
            let beyond = s.capacity() - words;
            assert!(beyond * 8 <= MOST_MORE && s.words()[2] == 7 && s.words()[words - 1] == 0);
        }
        assert!(s.grow(usize::MAX).is_err() && s.words()[2] == 7);
        s.release();
        assert!(s.capacity() == 0 && s.words().is_empty());
        s.grow(1).expect("memory");
    }
}
