//! One ring of words: memory, and the two ends that alone touch it.
//!
//! ```text
//!          tail                  at            published        head
//! ---------|---------------------|-------------|----------------|------------------ tail + capacity
//!  writer's| reader's: given, to | reader's:   | writer's: put, | writer's: free
//!          | be given back       | to be read  | to be shown    |
//! ```
//!
//! The reader reads `[tail, published)` only and the writer writes `[published, tail + capacity)` only, each as far as it
//! knows the other's cursor, which lags behind the truth on the safe side. Parts are contiguous: none goes over the end of
//! the memory. All `unsafe` of the ring but the futex is here.

use super::LinkError;
use super::control::{Lane, Shared};
use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A power of two of words. Position `p` is word `p % capacity`.
pub struct Memory {
    words: Box<[UnsafeCell<u64>]>,
    /// What loom watches instead of the words.
    #[cfg(test)]
    watched: Box<[loom::cell::UnsafeCell<()>]>,
}

// SAFETY: plain words; who may touch which is what `Writer` and `Reader` keep.
unsafe impl Sync for Memory {}

impl Memory {
    /// Zeroed, which for large ones costs nothing until it is used.
    pub fn new(capacity: usize) -> Self {
        let words = Box::into_raw(vec![0_u64; capacity].into_boxed_slice());
        Self {
            // SAFETY: UnsafeCell<u64> has the layout of u64, and the box was given up in the line before.
            words: unsafe { Box::from_raw(words as *mut [UnsafeCell<u64>]) },
            #[cfg(test)]
            watched: (0..capacity).map(|_| Default::default()).collect(),
        }
    }

    #[inline]
    pub fn capacity(&self) -> u64 {
        self.words.len() as u64
    }

    /// Index of position `at`, if `words` from there are contiguous.
    #[inline]
    fn index(&self, at: u64, words: u64) -> Option<usize> {
        let index = at & (self.capacity() - 1);
        (words <= self.capacity() - index).then_some(index as usize)
    }

    /// # Safety
    ///
    /// `index` and `words` lie within, and nobody writes there while the borrow lives.
    unsafe fn part(&self, index: usize, words: usize) -> &[u64] {
        #[cfg(test)]
        for cell in &self.watched[index..index + words] {
            cell.with(|_| ());
        }
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().add(index).cast(), words) }
    }

    /// # Safety
    ///
    /// `index` and `words` lie within, and nobody else touches them while the borrow lives.
    #[allow(clippy::mut_from_ref)]
    unsafe fn part_mut(&self, index: usize, words: usize) -> &mut [u64] {
        #[cfg(test)]
        for cell in &self.watched[index..index + words] {
            cell.with_mut(|_| ());
        }
        // SAFETY: as above; the words are cells.
        unsafe {
            let first = UnsafeCell::raw_get(self.words.as_ptr().add(index));
            std::slice::from_raw_parts_mut(first, words)
        }
    }
}

#[cfg(test)]
impl Memory {
    /// Writes from position 0 on what no producer writes; for tests in which nobody else has the memory.
    pub fn overwrite(&self, words: &[u64]) {
        // SAFETY: a test's only thread, between two calls of the ends.
        unsafe { self.part_mut(0, words.len()) }.copy_from_slice(words);
    }
}

/// The writing end.
pub struct Writer {
    shared: Arc<Shared>,
    lane: Lane,
    /// The reader's tail, as last seen.
    tail: u64,
    published: u64,
    head: u64,
}

impl Writer {
    /// The only writer of a new ring.
    pub fn new(shared: Arc<Shared>, lane: Lane) -> Self {
        Self {
            shared,
            lane,
            tail: 0,
            published: 0,
            head: 0,
        }
    }

    #[inline]
    pub fn capacity(&self) -> u64 {
        self.shared.memory(self.lane).capacity()
    }

    /// Where the next part goes that is put.
    #[inline]
    pub fn head(&self) -> u64 {
        self.head
    }

    /// The first position from the head on where `words` are contiguous.
    #[inline]
    pub fn place(&self, words: u64) -> u64 {
        let left = self.capacity() - (self.head & (self.capacity() - 1));
        if words <= left {
            self.head
        } else {
            self.head + left
        }
    }

    /// Whether what ends at `end` can be written by now.
    ///
    /// # Errors
    ///
    /// [`LinkError::Tail`].
    #[inline]
    pub fn has_room(&mut self, end: u64) -> Result<bool, LinkError> {
        if end - self.tail <= self.capacity() {
            return Ok(true);
        }
        let tail = self.shared.control.tail(self.lane).load(Ordering::Acquire);
        if tail < self.tail || tail > self.published {
            return Err(LinkError::Tail {
                lane: self.lane,
                tail,
                seen: self.tail,
                head: self.published,
            });
        }
        self.tail = tail;
        Ok(end - tail <= self.capacity())
    }

    /// Index of a part that is the writer's.
    fn index(&self, at: u64, words: u64) -> Result<usize, LinkError> {
        let memory = self.shared.memory(self.lane);
        let own = at >= self.published
            && at
                .checked_add(words)
                .is_some_and(|end| end - self.tail <= memory.capacity());
        match memory.index(at, words) {
            Some(index) if own => Ok(index),
            _ => Err(LinkError::Part {
                lane: self.lane,
                at,
                words,
            }),
        }
    }

    /// A part that is not published yet.
    ///
    /// # Errors
    ///
    /// [`LinkError::Part`] if it is not the writer's.
    #[inline]
    pub fn part(&self, at: u64, words: u64) -> Result<&[u64], LinkError> {
        let index = self.index(at, words)?;
        // SAFETY: index() found it contiguous and between `published` and `tail` + capacity, where the reader never is;
        // this end writes through `&mut self` only.
        Ok(unsafe { self.shared.memory(self.lane).part(index, words as usize) })
    }

    /// A part that is not published yet.
    ///
    /// # Errors
    ///
    /// As [`Writer::part`].
    #[inline]
    pub fn part_mut(&mut self, at: u64, words: u64) -> Result<&mut [u64], LinkError> {
        let index = self.index(at, words)?;
        // SAFETY: as in `part`, and `self` is borrowed for as long.
        Ok(unsafe {
            self.shared
                .memory(self.lane)
                .part_mut(index, words as usize)
        })
    }

    /// The next `words`, where they are contiguous and known to be free; [`Writer::place`] and [`Writer::has_room`] else.
    #[inline]
    pub fn next_mut(&mut self, words: u64) -> Option<&mut [u64]> {
        let memory = self.shared.memory(self.lane);
        let free = self.head - self.tail + words <= memory.capacity();
        let index = memory.index(self.head, words).filter(|_| free)?;
        // SAFETY: contiguous, and between `head`, which is not before `published`, and `tail` + capacity, where the reader
        // never is; `self` is borrowed for as long.
        Some(unsafe { memory.part_mut(index, words as usize) })
    }

    /// Everything up to `head` has been written.
    #[inline]
    pub fn put(&mut self, head: u64) {
        debug_assert!(head >= self.head, "cursors never go back");
        self.head = head;
    }

    /// Words that were put and not shown.
    #[inline]
    pub fn unpublished(&self) -> u64 {
        self.head - self.published
    }

    /// Shows the reader what was put. Returns whether there was something.
    #[inline]
    pub fn publish(&mut self) -> bool {
        let some = self.head != self.published;
        if some {
            let head = self.shared.control.head(self.lane);
            head.store(self.head, Ordering::Release);
            self.published = self.head;
        }
        some
    }
}

/// The reading end.
pub struct Reader {
    shared: Arc<Shared>,
    lane: Lane,
    tail: u64,
    at: u64,
    /// The writer's head, as last seen.
    head: u64,
}

impl Reader {
    /// The only reader of a new ring.
    pub fn new(shared: Arc<Shared>, lane: Lane) -> Self {
        Self {
            shared,
            lane,
            tail: 0,
            at: 0,
            head: 0,
        }
    }

    #[inline]
    pub fn capacity(&self) -> u64 {
        self.shared.memory(self.lane).capacity()
    }

    /// What has been read.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// Words that are known to be there.
    pub fn left(&self) -> u64 {
        self.head - self.at
    }

    /// Looks for more.
    ///
    /// # Errors
    ///
    /// [`LinkError::Head`].
    #[inline]
    pub fn refresh(&mut self) -> Result<(), LinkError> {
        let head = self.shared.control.head(self.lane).load(Ordering::Acquire);
        if head < self.head || head - self.tail > self.capacity() {
            return Err(LinkError::Head {
                lane: self.lane,
                head,
                seen: self.head,
                tail: self.tail,
                capacity: self.capacity(),
            });
        }
        self.head = head;
        Ok(())
    }

    /// A part that was published and not given back.
    ///
    /// # Errors
    ///
    /// [`LinkError::Part`].
    #[inline]
    pub fn part(&self, at: u64, words: u64) -> Result<&[u64], LinkError> {
        let memory = self.shared.memory(self.lane);
        let own = at >= self.tail && at.checked_add(words).is_some_and(|end| end <= self.head);
        match memory.index(at, words) {
            // SAFETY: contiguous and between `tail` and the writer's head, where the writer never is; `tail` moves through
            // `&mut self` only.
            Some(index) if own => Ok(unsafe { memory.part(index, words as usize) }),
            _ => Err(LinkError::Part {
                lane: self.lane,
                at,
                words,
            }),
        }
    }

    /// Everything up to `at`, which is not beyond what is there, has been taken.
    #[inline]
    pub fn take(&mut self, at: u64) {
        debug_assert!(at >= self.at && at <= self.head);
        self.at = at;
    }

    /// Words taken and not yet given back.
    #[inline]
    pub fn owed(&self) -> u64 {
        self.at - self.tail
    }

    /// Gives the room of what was taken back to the writer. Returns whether there was some.
    #[inline]
    pub fn give_back(&mut self) -> bool {
        let some = self.owed() != 0;
        if some {
            self.tail = self.at;
            let tail = self.shared.control.tail(self.lane);
            tail.store(self.tail, Ordering::Release);
        }
        some
    }
}
