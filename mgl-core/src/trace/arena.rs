//! The arena: a recorder's batches in memory that outlives its process.
//!
//! It is a file in memory without a name, which the launcher holds ([`super::keeper`]). When the process dies, whatever
//! the instruction, the launcher finds in it every batch that the writer thread had not written, and every record of the
//! open one that was complete ([`super::salvage`]).
//!
//! ```text
//! 0         head        [`Head`]: how far the file is written; which batch each slot holds, and how much of it counts
//! 64 KiB    start       the first bytes of the trace file: header, provenance, schema
//! 16 MiB    slots       each: 16 MiB for words, then 2 GiB for bytes; sparse, only what is used takes memory
//! ```
//!
//! Nothing of the file is ever read back here. A descriptor is kept neither: programs look at theirs, and close them.

use super::fork::ForkGuard;
use super::segment::{Segment, map};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::FileExt;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// First word of an arena: name and version of this layout.
const MAGIC: u64 = u64::from_le_bytes(*b"MGLmem\x00\x01");
/// Batches that there can be at once: the open one, those that wait, and the one that is being written.
pub(super) const SLOTS: usize = 32;
const HEAD_BYTES: usize = 64 << 10;
const SLOTS_AT: u64 = 16 << 20;
/// Most bytes of the file's start.
const MAX_START: u64 = SLOTS_AT - HEAD_BYTES as u64;
/// Bytes of a slot's words: a batch that is almost full, and the largest record.
pub(super) const WORD_BYTES: usize = 16 << 20;
/// Bytes of a slot's bytes: a batch that is almost full, and the largest blob.
pub(super) const DATA_BYTES: usize = 2 << 30;
const SLOT_BYTES: u64 = WORD_BYTES as u64 + DATA_BYTES as u64;

/// What a slot says of its batch.
#[repr(C, align(64))]
struct Slot {
    /// Number of the batch, from 1; 0 for none yet.
    batch: AtomicU64,
    /// Words of it that count.
    words: AtomicU64,
    /// Bytes that they may name.
    data: AtomicU64,
}

/// The first bytes.
#[repr(C, align(64))]
struct Head {
    magic: AtomicU64,
    /// Fingerprint of the records' layout.
    layout: AtomicU64,
    /// Bytes of the trace file's start.
    start: AtomicU64,
    /// 1 once nothing is to be done for the trace file any more.
    over: AtomicU64,
    /// The last batch that is in the file as a whole.
    done: AtomicU64,
    /// Length of the file then, for an even and for an odd batch: one is valid while the other is being written.
    length: [AtomicU64; 2],
    slots: [Slot; SLOTS],
}

const _: () = assert!(size_of::<Head>() <= HEAD_BYTES);

/// An arena, at the recorder's end. See the module.
pub(super) struct Arena {
    head: NonNull<u64>,
    fork: ForkGuard,
    /// The kernel can say beforehand whether pages can be had.
    can_populate: bool,
    /// No more memory is taken from it.
    ended: AtomicBool,
}

/// A new arena.
pub(super) struct Made {
    pub arena: Arc<Arena>,
    /// Memory of its slots: words, bytes.
    pub slots: Vec<(Segment, Segment)>,
    /// What it is, to be handed over: nothing else holds it but the mappings.
    pub file: File,
}

// SAFETY: of what `head` points to only atomics are used, and it is mapped as long as this value lives.
unsafe impl Send for Arena {}
// SAFETY: as above.
unsafe impl Sync for Arena {}

impl Arena {
    /// Makes one for a trace file that starts with `start`.
    ///
    /// # Errors
    /// There is no such memory.
    pub fn create(start: &[u8]) -> io::Result<Made> {
        let whole = SLOTS_AT + SLOTS as u64 * SLOT_BYTES;
        // Growing past this limit is a signal that ends the program.
        if file_size_limit() < whole || start.len() as u64 > MAX_START {
            return Err(io::Error::from(io::ErrorKind::FileTooLarge));
        }
        // SAFETY: the name ends with a zero; the descriptor is new, and owned from here on.
        let file = unsafe {
            let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
            match libc::memfd_create(c"mgl-recording".as_ptr(), flags) {
                -1 => return Err(io::Error::last_os_error()),
                fd => File::from_raw_fd(fd),
            }
        };
        file.set_len(whole)?;
        file.write_all_at(start, HEAD_BYTES as u64)?;
        let fd = file.as_raw_fd();
        let head = map(fd, 0, HEAD_BYTES)?;
        let mut arena = Self {
            head,
            fork: ForkGuard::new(),
            can_populate: true,
            ended: AtomicBool::new(false),
        };
        // SAFETY: the range is the mapping that was just made.
        let first = unsafe { arena.populate(head.as_ptr().cast(), HEAD_BYTES) };
        if let Err(e) = first {
            // Kernels before 5.14. Pages that cannot be had are a SIGBUS then; but where memory may be promised beyond
            // what there is, only a process that is ended for want of memory anyway gets none.
            if e.raw_os_error() != Some(libc::EINVAL) || is_promised_strictly() {
                return Err(e);
            }
            arena.can_populate = false;
        }
        let arena = Arc::new(arena);
        let mut slots = Vec::with_capacity(SLOTS);
        for i in 0..SLOTS as u64 {
            let at = SLOTS_AT + i * SLOT_BYTES;
            let part = |at: u64, most: usize| {
                let mapping = map(fd, at, Segment::FIRST_MAP)?;
                // SAFETY: the mapping is new, and no other slot's.
                io::Result::Ok(unsafe { Segment::shared(Arc::clone(&arena), mapping, most) })
            };
            slots.push((
                part(at, WORD_BYTES)?,
                part(at + WORD_BYTES as u64, DATA_BYTES)?,
            ));
        }
        let h = arena.head();
        h.layout
            .store(crate::layout::layout_fingerprint(), Ordering::Relaxed);
        h.start.store(start.len() as u64, Ordering::Relaxed);
        h.length[0].store(start.len() as u64, Ordering::Relaxed);
        h.magic.store(MAGIC, Ordering::Release);
        Ok(Made { arena, slots, file })
    }

    #[inline]
    fn head(&self) -> &Head {
        // SAFETY: the mapping is large enough, aligned, and lives as long as this value; every bit pattern is valid.
        unsafe { self.head.cast().as_ref() }
    }

    /// Makes sure that pages are there.
    ///
    /// # Safety
    /// The range is mapped.
    pub unsafe fn populate(&self, at: *mut u8, bytes: usize) -> io::Result<()> {
        if self.ended.load(Ordering::Relaxed) {
            return Err(io::Error::from(io::ErrorKind::OutOfMemory));
        }
        if !self.can_populate {
            return Ok(());
        }
        // SAFETY: changes no content.
        match unsafe { libc::madvise(at.cast(), bytes, libc::MADV_POPULATE_WRITE) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Whether this process is a child of the one that made it, and has none of its memory.
    pub fn is_forked(&self) -> bool {
        self.fork.is_child()
    }

    /// A slot gets a batch, of which nothing counts yet.
    pub fn begin(&self, slot: usize, batch: u64) {
        let s = &self.head().slots[slot];
        s.words.store(0, Ordering::Release);
        s.batch.store(batch, Ordering::Release);
    }

    /// So many words of a slot's batch count from now on, and the bytes that they name.
    #[inline]
    pub fn commit(&self, slot: usize, words: usize, data: usize) {
        let s = &self.head().slots[slot];
        s.data.store(data as u64, Ordering::Relaxed);
        // What was stored before, in memory that outlives us, is there for whoever sees this.
        s.words.store(words as u64, Ordering::Release);
    }

    /// A batch is in the file, which is so long now.
    pub fn done(&self, batch: u64, length: u64) {
        let h = self.head();
        h.length[(batch % 2) as usize].store(length, Ordering::Release);
        h.done.store(batch, Ordering::Release);
    }

    /// Nothing is to be done for the file any more.
    pub fn over(&self) {
        self.head().over.store(1, Ordering::Release);
    }

    /// No more memory is taken.
    pub fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Whether it has come to that.
    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if !self.is_forked() {
            // SAFETY: the mapping is this value's, and nothing borrows from it any more.
            unsafe { libc::munmap(self.head.as_ptr().cast(), HEAD_BYTES) };
        }
    }
}

fn file_size_limit() -> u64 {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the structure is written by the call.
    match unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) } {
        0 => limit.rlim_cur,
        _ => 0,
    }
}

/// Whether the system refuses memory beyond what there is.
fn is_promised_strictly() -> bool {
    std::fs::read("/proc/sys/vm/overcommit_memory").is_ok_and(|mode| mode.starts_with(b"2"))
}

/// A batch that a dead recorder left.
pub(super) struct Left {
    /// Its words that count.
    pub words: Vec<u64>,
    /// The bytes that they may name.
    pub data: Vec<u8>,
}

/// What a dead recorder left: an arena that nobody writes to any more, and that may hold anything.
pub(super) struct Remains<'f> {
    file: &'f File,
    /// Bytes of memory that it has.
    memory: u64,
    /// The start of the trace file.
    pub start: u64,
    pub over: bool,
    done: u64,
    /// Length of the trace file when the last batch was in it that is.
    pub length: u64,
    /// Number, slot, words, bytes; in order, and none missing.
    batches: Vec<[u64; 4]>,
}

impl<'f> Remains<'f> {
    /// Looks at an arena.
    ///
    /// # Errors
    /// It cannot be read, or is none of this layout.
    pub fn read(file: &'f File) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt;
        let mut words = vec![0u64; size_of::<Head>() / 8];
        file.read_exact_at(bytemuck::cast_slice_mut(&mut words), 0)?;
        // The order of `Head`; a slot has eight words.
        let [magic, layout, start, over, done, even, odd] = words[..7] else {
            return Err(io::Error::from(io::ErrorKind::InvalidData));
        };
        if magic != MAGIC || layout != crate::layout::layout_fingerprint() || start > MAX_START {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the recorder's memory is damaged, or of another version of mgl",
            ));
        }
        let mut batches: Vec<[u64; 4]> = words[8..]
            .chunks_exact(8)
            .zip(0..)
            .map(|(s, slot)| [s[0], slot, s[1], s[2]])
            .filter(|b| b[0] > done)
            .collect();
        batches.sort_unstable();
        let mut next = done;
        let follows = |b: &&[u64; 4]| {
            next = next.saturating_add(1);
            b[0] == next
        };
        let whole = batches.iter().take_while(follows).count();
        batches.truncate(whole);
        Ok(Self {
            file,
            memory: file.metadata()?.blocks().saturating_mul(512),
            start,
            over: over != 0,
            done,
            length: if done.is_multiple_of(2) { even } else { odd },
            batches,
        })
    }

    /// Whether no batch is in the file.
    pub fn is_at_start(&self) -> bool {
        self.done == 0
    }

    /// The first bytes of the trace file.
    pub fn start(&self) -> io::Result<Vec<u8>> {
        self.bytes(HEAD_BYTES as u64, self.start)
    }

    /// Batches that are not in the file.
    pub fn count(&self) -> usize {
        self.batches.len()
    }

    /// One of them, in order. `None`: what is said of it cannot be.
    pub fn batch(&self, i: usize) -> io::Result<Option<Left>> {
        let [_, slot, words, data] = self.batches[i];
        // There was never more than has memory, whatever is said.
        if words > WORD_BYTES as u64 / 8 || data > (DATA_BYTES as u64).min(self.memory) {
            return Ok(None);
        }
        let at = SLOTS_AT + slot * SLOT_BYTES;
        let mut left = Left {
            words: vec![0; words as usize],
            data: self.bytes(at + WORD_BYTES as u64, data)?,
        };
        self.file
            .read_exact_at(bytemuck::cast_slice_mut(&mut left.words), at)?;
        Ok(Some(left))
    }

    fn bytes(&self, at: u64, size: u64) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; size as usize];
        self.file.read_exact_at(&mut bytes, at)?;
        Ok(bytes)
    }
}
