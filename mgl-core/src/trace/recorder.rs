//! The recorder: the asynchronous front of the writer, used on the game's thread (design: trace file, writing).
//!
//! The game's thread encodes a call into the current batch and returns. A batch goes to the writer thread when a Present
//! is pushed (frames that come faster than [`RecorderOptions::group`] share one, and small ones wait for company), when it
//! is large, or when it has been lying around: then the writer thread fetches it. The writer thread hashes, finds known
//! blobs, compresses and writes.
//!
//! - The queue is bounded in bytes. A game that is faster than the disk waits, which is counted; nothing is dropped.
//! - When writing fails, a half-written chunk is cut off, the file is finished if that is still possible, one message is
//!   given, and the game goes on without being recorded.
//! - A forked child records nothing: it has no writer thread and must not write into its parent's file.
//! - Batches lie in memory that the launcher holds, where there is one ([`RecorderOptions::keeper`]): what was pushed before
//!   the process died, by whatever, gets into the file. Without, it is what lay in memory for a tenth of a second.

mod output;
mod thread;

use super::arena::{Arena, Made};
use super::batch::{Batch, NoteKind, room_of};
use super::error::TraceError;
use super::fork::{ForkGuard, with_signals_blocked};
use super::provenance::Provenance;
use super::reader::TraceFile;
use super::writer::{
    TraceWriter, WriterOptions, Written, check_record_size, event_bytes, reply_parts,
};
use super::{Pack, keeper};
use crate::codec::{MAX_RECORD_BYTES, each_blob, record_words};
use crate::files;
use crate::handle::SurfaceHandle;
use crate::pipe::{Call, Event, Op, Reply};
use output::Output;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use thread::WriterThread;

/// A batch with less content than this waits [`PATIENCE`] times as long for more frames.
const SMALL_BYTES: usize = 16 << 10;
const PATIENCE: u32 = 12;
/// Batches kept for use.
const KEEP_BATCHES: usize = 4;
/// How often the writer thread looks for a batch that is lying around: one that it sees a second time it fetches, so that
/// none lies for longer than a tenth of a second.
const TICK: Duration = Duration::from_millis(50);
const _: () = assert!(2 * TICK.as_millis() <= 100);

/// Gets the one message when recording ends early.
pub type OnError = Box<dyn Fn(&str) + Send + Sync>;

/// How to record.
pub struct RecorderOptions {
    /// How chunks are packed.
    pub writer: WriterOptions,
    /// Bytes that may wait for the writer thread before the game's thread has to.
    pub queue_bytes: usize,
    /// Presents that follow each other faster than this share a chunk; those of little content share one for twelve
    /// times as long, since a chunk of its own costs more than such a frame.
    pub group: Duration,
    /// Called on the writer thread or the game's when recording ends early; `None`: a line on standard error.
    pub on_error: Option<OnError>,
    /// Where the launcher takes the batches' memory into its keeping ([`super::keeper::Keeper`]); `None`: there is none.
    pub keeper: Option<PathBuf>,
}

impl Default for RecorderOptions {
    fn default() -> Self {
        Self {
            writer: WriterOptions::default(),
            queue_bytes: 64 << 20,
            group: Duration::from_millis(8),
            on_error: None,
            keeper: None,
        }
    }
}

/// How recording goes.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
pub struct Status {
    /// What is in the file by now.
    pub written: Written,
    /// How often the game's thread had to wait for the writer thread.
    pub waits: u64,
    /// Why recording ended early.
    pub failed: Option<String>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Batch>,
    /// Batches for use; the last is the next.
    free: Vec<Batch>,
    /// Number of the batch that was begun last.
    number: u64,
    /// Bytes of the batches that wait or are being written.
    bytes: usize,
    closed: bool,
    status: Status,
}

struct Shared {
    path: PathBuf,
    /// The batch being gathered. Locked before `queue`, never after it.
    current: Mutex<Batch>,
    queue: Mutex<Queue>,
    /// The writer thread waits for batches.
    filled: Condvar,
    /// The game's thread waits for room.
    drained: Condvar,
    failed: AtomicBool,
    limit: usize,
    on_error: Option<OnError>,
    /// Memory for batches that the launcher holds; nothing where it holds none.
    arena: Option<Arc<Arena>>,
}

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic elsewhere must not become one here; what is behind these locks is whole between any two statements.
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Ends recording early, once.
    fn fail(&self, why: &str) {
        if self.failed.swap(true, Ordering::Relaxed) {
            return;
        }
        lock(&self.queue).status.failed = Some(why.to_owned());
        self.drained.notify_all();
        self.filled.notify_all();
        let text = format!("mgl: recording ended: {why}; the file so far is readable");
        match &self.on_error {
            Some(f) => f(&text),
            // Not eprintln: standard error may be on the same full disk, and that must not be a panic.
            None => drop(writeln!(std::io::stderr(), "{text}")),
        }
    }

    /// Takes a batch for use. `None`: all that the launcher's memory has room for are in use.
    fn fresh(&self, q: &mut Queue) -> Option<Batch> {
        let shared = self.arena.as_ref().is_some_and(|a| !a.has_ended());
        let fits = |b: &Batch| shared || !b.is_shared();
        let free = std::iter::from_fn(|| q.free.pop()).find(fits);
        let mut batch = match free {
            None if shared && !self.failed.load(Ordering::Relaxed) => return None,
            found => found.unwrap_or_else(Batch::private),
        };
        q.number += 1;
        batch.begin(q.number);
        Some(batch)
    }

    /// Hands the batch to the writer thread; waits while too much is waiting. Where there is no batch to go on with it is
    /// kept, if it has room and it does not have to go.
    fn hand_over(&self, current: &mut Batch, must: bool) {
        let size = current.size();
        let mut q = lock(&self.queue);
        let has_room = |q: &Queue| q.bytes == 0 || q.bytes + size <= self.limit;
        let mut fresh = None;
        let mut waited = false;
        while q.status.failed.is_none() {
            if has_room(&q) {
                fresh = self.fresh(&mut q);
                if fresh.is_some() {
                    break;
                }
                if !must && !current.is_full() {
                    return;
                }
            }
            q.status.waits += u64::from(!waited);
            waited = true;
            q = self.drained.wait(q).unwrap_or_else(PoisonError::into_inner);
        }
        let Some(fresh) = fresh else {
            // Nothing is recorded any more.
            return;
        };
        let full = std::mem::replace(current, fresh);
        q.bytes += size;
        q.waiting.push_back(full);
        drop(q);
        self.filled.notify_one();
    }

    /// Makes room in the batch, or in the next one; false when there is no memory: recording has ended then.
    #[cold]
    fn make_room(&self, batch: &mut Batch, words: usize, bytes: usize) -> bool {
        let mut made = batch.make_room(words, bytes);
        if let (Err(e), Some(arena)) = (&made, &self.arena)
            && batch.is_shared()
        {
            // From now on in the process's own memory.
            arena.end();
            tell_private(e);
            if batch.is_empty() {
                let mut q = lock(&self.queue);
                if let Some(fresh) = self.fresh(&mut q) {
                    *batch = fresh;
                }
            } else {
                self.hand_over(batch, true);
            }
            made = batch.make_room(words, bytes);
        }
        if let Err(e) = &made {
            // What came before stays.
            self.hand_over(batch, true);
            self.fail(&format!("memory for it: {e}"));
        }
        made.is_ok()
    }
}

/// Says, once a recorder, that the launcher does not hold its batches.
fn tell_private(why: &std::io::Error) {
    let text = format!(
        "mgl: the recording's memory is not kept beyond the program's end ({why}): of a program that is killed the last \
         tenth of a second may be missing"
    );
    // Not eprintln: that standard error is gone must not be a panic.
    drop(writeln!(std::io::stderr(), "{text}"));
}

/// Records calls into a trace file. See the module.
pub struct TraceRecorder {
    shared: Arc<Shared>,
    fork: ForkGuard,
    thread: Option<JoinHandle<()>>,
    group: Duration,
    sent: Instant,
}

impl TraceRecorder {
    /// Creates the file, writes its head and starts the writer thread.
    pub fn create(
        path: &Path,
        provenance: &Provenance,
        options: RecorderOptions,
    ) -> Result<Self, TraceError> {
        let mut first = TraceWriter::create(Vec::new(), path, provenance, options.writer)?;
        let start = std::mem::take(first.get_mut());
        // No FIFO holds the program up.
        let mut file =
            files::create(path, Duration::ZERO).map_err(TraceError::io(path, "creating"))?;
        // From here on somebody would finish the file.
        let keeper = options.keeper.as_deref();
        let (arena, free) = keeper.and_then(|k| kept(&start, k, &file, path)).unzip();
        // Should it fail, nobody makes a file of it.
        let mut unfinished = Unfinished(arena.clone());
        file.write_all(&start)
            .map_err(TraceError::io(path, "writing"))?;
        let start = TraceFile::from_bytes("the file's start", start)?;
        let chunks = start.chunks().len();
        let at = start.chunks().last().map_or(0, |c| c.end());
        let out = Output::new(file, path, at).map_err(TraceError::io(path, "writing"))?;
        let writer = TraceWriter::resume(out, path, &start, chunks, options.writer)?;
        let shared = Arc::new(Shared {
            path: path.to_owned(),
            current: Mutex::new(Batch::private()),
            queue: Mutex::new(Queue {
                free: free.unwrap_or_default(),
                ..Queue::default()
            }),
            filled: Condvar::new(),
            drained: Condvar::new(),
            failed: AtomicBool::new(false),
            limit: options.queue_bytes,
            on_error: options.on_error,
            arena,
        });
        if let Some(first) = shared.fresh(&mut lock(&shared.queue)) {
            *lock(&shared.current) = first;
        }
        let for_thread = Arc::clone(&shared);
        let blobs = options.writer.blobs;
        let thread = with_signals_blocked(|| {
            std::thread::Builder::new()
                .name("mgl-recorder".into())
                .spawn(move || WriterThread::new(for_thread, writer, blobs).run())
        })
        .map_err(TraceError::io(path, "starting the writer thread"))?;
        unfinished.0 = None;
        Ok(Self {
            shared,
            fork: ForkGuard::new(),
            thread: Some(thread),
            group: options.group,
            sent: Instant::now(),
        })
    }

    /// Whether pushing does nothing: recording has failed, or this is a forked child.
    #[inline]
    #[must_use]
    pub fn is_off(&self) -> bool {
        self.fork.is_child() || self.shared.failed.load(Ordering::Relaxed)
    }

    /// Records a call: copies its record and its blobs' bytes.
    #[inline]
    pub fn push(&mut self, call: &Call<'_>) {
        if self.is_off() {
            return;
        }
        let mut batch = lock(&self.shared.current);
        let words = record_words(call);
        if !self.has_words(&mut batch, call.op(), words) {
            return;
        }
        if !batch.push(call, words) {
            let (words, bytes) = room_of(call);
            let made = self.shared.make_room(&mut batch, words, bytes);
            if !made || !batch.push(call, words) {
                return;
            }
        }
        if matches!(call, Call::Present { .. }) | batch.is_full() {
            let since = (&mut self.sent, self.group);
            Self::pushed(&self.shared, batch, call.op(), since);
        }
    }

    /// Records a call whose record somebody else has encoded: copies that, and the call's blobs.
    pub fn push_record(&mut self, call: &Call<'_>, record: &[u64]) {
        if self.is_off() {
            return;
        }
        let op = call.op();
        let mut batch = lock(&self.shared.current);
        if !self.has_words(&mut batch, op, record.len()) {
            return;
        }
        let blobs = |visit: &mut dyn FnMut(&[u8])| each_blob(call, visit);
        if !batch.push_record(op, record, blobs) {
            let (words, bytes) = room_of(call);
            let made = self.shared.make_room(&mut batch, words, bytes);
            if !made || !batch.push_record(op, record, blobs) {
                return;
            }
        }
        if (op == Op::Present) | batch.is_full() {
            let since = (&mut self.sent, self.group);
            Self::pushed(&self.shared, batch, op, since);
        }
    }

    /// Sees to it that the batch has room for a record's words; false when recording has ended over it.
    #[inline]
    fn has_words(&self, batch: &mut Batch, op: Op, words: usize) -> bool {
        batch.has_words(words) && words <= MAX_RECORD_BYTES / 8 || self.find_words(batch, op, words)
    }

    #[cold]
    fn find_words(&self, batch: &mut Batch, op: Op, words: usize) -> bool {
        match check_record_size(op, words * 8) {
            Ok(()) => self.shared.make_room(batch, words, 0),
            Err(e) => {
                // Too large for every reader: recording ends with what came before.
                self.shared.hand_over(batch, true);
                self.shared.fail(&e.to_string());
                false
            }
        }
    }

    /// What is rarely to be done after a push.
    #[cold]
    fn pushed(
        shared: &Shared,
        mut batch: MutexGuard<'_, Batch>,
        op: Op,
        (sent, group): (&mut Instant, Duration),
    ) {
        batch.frames += u32::from(op == Op::Present);
        let now = Instant::now();
        let patience = if batch.size() < SMALL_BYTES {
            PATIENCE
        } else {
            1
        };
        if batch.is_full() || now.duration_since(*sent) >= group * patience {
            *sent = now;
            shared.hand_over(&mut batch, false);
        }
    }

    /// Records the reply to the call pushed last.
    pub fn reply(&mut self, reply: &Reply) {
        self.late_reply(0, reply);
    }

    /// Records the reply to a call behind which `behind` more were pushed by now.
    pub fn late_reply(&mut self, behind: u64, reply: &Reply) {
        if self.is_off() {
            return;
        }
        let (kind, value, bytes) = reply_parts(reply);
        let what = NoteKind::Reply {
            kind,
            value,
            behind,
        };
        self.note(what, &bytes);
    }

    /// Records an event.
    pub fn event(&mut self, event: &Event) {
        if !self.is_off() {
            self.note(NoteKind::Event, &event_bytes(event));
        }
    }

    /// Records the image of the frame being recorded, that is, before its Present is pushed. `rgba`: `width * height`
    /// pixels of four bytes, bottom row first as ReadPixels gives them.
    pub fn frame_image(&mut self, surface: SurfaceHandle, width: u32, height: u32, rgba: &[u8]) {
        if !self.is_off() {
            let what = NoteKind::Image {
                surface,
                width,
                height,
            };
            self.note(what, rgba);
        }
    }

    fn note(&mut self, what: NoteKind, bytes: &[u8]) {
        let mut batch = lock(&self.shared.current);
        let (words, room) = Batch::note_room(bytes.len());
        let made = self.shared.make_room(&mut batch, words, room);
        if !made || !batch.note(what, bytes) {
            return;
        }
        if batch.is_full() {
            self.sent = Instant::now();
            self.shared.hand_over(&mut batch, false);
        }
    }

    /// How recording goes.
    #[must_use]
    pub fn status(&self) -> Status {
        if self.fork.is_child() {
            // The queue's lock may have been held while forking.
            return Status::default();
        }
        lock(&self.shared.queue).status.clone()
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// Writes what is pending, index and trailer, and waits until that is done. Dropping a recorder does the same.
    pub fn finish(mut self) -> Status {
        self.stop();
        self.status()
    }

    fn stop(&mut self) {
        let Some(thread) = self.thread.take() else {
            return;
        };
        if self.fork.is_child() {
            // There is no such thread here to wait for.
            std::mem::forget(thread);
            return;
        }
        {
            let mut batch = lock(&self.shared.current);
            if !batch.is_empty() && !self.shared.failed.load(Ordering::Relaxed) {
                self.shared.hand_over(&mut batch, true);
            }
        }
        lock(&self.shared.queue).closed = true;
        self.shared.filled.notify_one();
        // A panic there has been reported by the thread's own guard.
        drop(thread.join());
    }
}

impl Drop for TraceRecorder {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Has the launcher hold an arena for a file that starts with `start`; gives its batches. Nothing where it does not.
fn kept(start: &[u8], keeper: &Path, file: &File, path: &Path) -> Option<(Arc<Arena>, Vec<Batch>)> {
    // What is no regular file is not continued.
    file.metadata().ok().filter(|m| m.is_file())?;
    let kept = Arena::create(start).and_then(|made| {
        keeper::hand_over(keeper, &made.file, file, path)?;
        Ok(made)
    });
    match kept {
        Ok(Made { arena, slots, .. }) => {
            let batch = |(slot, memory)| Batch::shared(&arena, slot, memory);
            let batches = slots.into_iter().enumerate().map(batch).collect();
            Some((arena, batches))
        }
        // The launcher has gone: whoever outlives it knows.
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => None,
        Err(e) => {
            tell_private(&e);
            None
        }
    }
}

/// A recorder that is being made. Dropped, it is none.
struct Unfinished(Option<Arc<Arena>>);
impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(arena) = &self.0 {
            arena.over();
        }
    }
}
