//! The recorder: the asynchronous front of the writer, used on the game's thread (design: trace file, writing).
//!
//! The game's thread encodes a call into the current batch and returns. A batch goes to the writer thread when a Present
//! is pushed (frames that come faster than [`RecorderOptions::group`] share one, and small ones wait for company), when it
//! is large, or when it has been lying around: then the writer thread fetches it. The writer thread hashes, finds known blobs, compresses and writes.
//!
//! - The queue is bounded in bytes. A game that is faster than the disk waits, which is counted; nothing is dropped.
//! - When writing fails, a half-written chunk is cut off, the file is finished if that is still possible, one message is
//!   given, and the game goes on without being recorded.
//! - A forked child records nothing: it has no writer thread and must not write into its parent's file.

use super::error::TraceError;
use super::fork::{ForkGuard, with_signals_blocked};
use super::provenance::Provenance;
use super::writer::{
    TraceWriter, WriterOptions, Written, check_record_size, event_bytes, reply_parts,
};
use super::{Pack, chunk::entry};
use crate::codec::{BlobSink, BlobSource, blob_refs_mut, encode};
use crate::files;
use crate::handle::SurfaceHandle;
use crate::pipe::{Call, Event, Op, Reply};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A batch of this many words goes to the writer.
const BATCH_WORDS: usize = 128 << 10;
/// A batch with this many bytes of blobs, replies and images goes to the writer.
const BATCH_BYTES: usize = 4 << 20;
/// A batch with less content than this waits [`PATIENCE`] times as long for more frames.
const SMALL_BYTES: usize = 16 << 10;
const PATIENCE: u32 = 12;
/// A batch whose buffers have grown beyond this is not used again.
const KEEP_BYTES: usize = 4 * BATCH_BYTES;
/// Batches kept for use.
const KEEP_BATCHES: usize = 4;
/// How often the writer thread looks for a batch that is lying around.
const TICK: Duration = Duration::from_millis(100);
/// Ticks after which a batch with a whole frame is fetched, and one without.
const TICKS_FRAME: u32 = 1;
const TICKS_PARTIAL: u32 = 8;

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
}

impl Default for RecorderOptions {
    fn default() -> Self {
        Self {
            writer: WriterOptions::default(),
            queue_bytes: 64 << 20,
            group: Duration::from_millis(8),
            on_error: None,
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

/// Something that is not a record, between two records of a batch.
struct Note {
    /// Words of the batch before it.
    at: usize,
    what: NoteKind,
    /// Place in the batch's bytes.
    bytes: std::ops::Range<usize>,
}

enum NoteKind {
    /// Reply to the record before.
    Reply {
        kind: u32,
        value: u64,
    },
    Event,
    /// Image of the frame being recorded.
    Image {
        surface: SurfaceHandle,
        width: u32,
        height: u32,
    },
}

/// What the game's thread gathers.
#[derive(Default)]
struct Batch {
    words: Vec<u64>,
    blobs: Vec<u8>,
    notes: Vec<Note>,
    bytes: Vec<u8>,
    /// Presents in it.
    frames: u32,
    /// Ticks that it has been seen at.
    ticks: u32,
}

impl Batch {
    fn is_empty(&self) -> bool {
        self.words.is_empty() && self.notes.is_empty()
    }
    fn size(&self) -> usize {
        self.words.len() * 8 + self.blobs.len() + self.bytes.len()
    }
    fn is_full(&self) -> bool {
        self.words.len() >= BATCH_WORDS || self.blobs.len() + self.bytes.len() >= BATCH_BYTES
    }
    fn clear(&mut self) {
        let Self {
            words,
            blobs,
            notes,
            bytes,
            frames,
            ticks,
        } = self;
        words.clear();
        blobs.clear();
        notes.clear();
        bytes.clear();
        (*frames, *ticks) = (0, 0);
    }
    fn note(&mut self, what: NoteKind, bytes: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.notes.push(Note {
            at: self.words.len(),
            what,
            bytes: start..self.bytes.len(),
        });
    }
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Batch>,
    free: Vec<Batch>,
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

    /// Hands the batch to the writer thread; waits while too much is waiting.
    fn hand_over(&self, current: &mut Batch) {
        let size = current.size();
        let mut q = lock(&self.queue);
        if q.bytes > 0 && q.bytes + size > self.limit {
            q.status.waits += 1;
            while q.bytes > 0 && q.bytes + size > self.limit && q.status.failed.is_none() {
                q = self.drained.wait(q).unwrap_or_else(PoisonError::into_inner);
            }
        }
        let fresh = q.free.pop().unwrap_or_default();
        let full = std::mem::replace(current, fresh);
        q.bytes += size;
        q.waiting.push_back(full);
        drop(q);
        self.filled.notify_one();
    }
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
        // No FIFO holds the program up.
        let file = files::create(path, Duration::ZERO).map_err(TraceError::io(path, "creating"))?;
        let writer = TraceWriter::create(file, path, provenance, options.writer)?;
        let shared = Arc::new(Shared {
            path: path.to_owned(),
            current: Mutex::default(),
            queue: Mutex::default(),
            filled: Condvar::new(),
            drained: Condvar::new(),
            failed: AtomicBool::new(false),
            limit: options.queue_bytes,
            on_error: options.on_error,
        });
        let for_thread = Arc::clone(&shared);
        let blobs = options.writer.blobs;
        let thread = with_signals_blocked(|| {
            std::thread::Builder::new()
                .name("mgl-recorder".into())
                .spawn(move || WriterThread::new(for_thread, writer, blobs).run())
        })
        .map_err(TraceError::io(path, "starting the writer thread"))?;
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
        let Batch { words, blobs, .. } = &mut *batch;
        let size = encode(call, words, blobs);
        let present = matches!(call, Call::Present { .. });
        if present | batch.is_full() {
            Self::pushed(
                &self.shared,
                batch,
                call.op(),
                size,
                (&mut self.sent, self.group),
            );
        }
    }

    /// Records a call whose record somebody else has encoded: copies it, and the bytes that its blob references name.
    pub fn push_record<S: BlobSource + ?Sized>(&mut self, op: Op, record: &[u64], source: &S) {
        if self.is_off() {
            return;
        }
        let mut batch = lock(&self.shared.current);
        let Batch { words, blobs, .. } = &mut *batch;
        let start = words.len();
        words.extend_from_slice(record);
        let refs = blob_refs_mut(&mut words[start..]).unwrap_or_default();
        for r in refs {
            // What the encoder has just put is there.
            *r = blobs.put(source.get(r).unwrap_or_default());
        }
        if (op == Op::Present) | batch.is_full() {
            let since = (&mut self.sent, self.group);
            Self::pushed(&self.shared, batch, op, record.len() * 8, since);
        }
    }

    /// What is rarely to be done after a push. A record is too large only if the batch is full.
    #[cold]
    fn pushed(
        shared: &Shared,
        mut batch: MutexGuard<'_, Batch>,
        op: Op,
        size: usize,
        (sent, group): (&mut Instant, Duration),
    ) {
        if let Err(e) = check_record_size(op, size) {
            let keep = batch.words.len() - size / 8;
            batch.words.truncate(keep);
            shared.hand_over(&mut batch);
            drop(batch);
            shared.fail(&e.to_string());
            return;
        }
        batch.frames += u32::from(op == Op::Present);
        let now = Instant::now();
        let patience = if batch.size() < SMALL_BYTES {
            PATIENCE
        } else {
            1
        };
        if batch.is_full() || now.duration_since(*sent) >= group * patience {
            *sent = now;
            shared.hand_over(&mut batch);
        }
    }

    /// Records the reply to the call pushed last.
    pub fn reply(&mut self, reply: &Reply) {
        if self.is_off() {
            return;
        }
        let (kind, value, bytes) = reply_parts(reply);
        self.note(NoteKind::Reply { kind, value }, &bytes);
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
        batch.note(what, bytes);
        if batch.is_full() {
            self.sent = Instant::now();
            self.shared.hand_over(&mut batch);
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
                self.shared.hand_over(&mut batch);
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

enum Work {
    Batch(Batch),
    LookAround,
    Finish,
}

struct WriterThread {
    shared: Arc<Shared>,
    writer: TraceWriter<File>,
    /// Packing of blobs when there is time.
    pack: Pack,
}

/// Tells the game's thread when the writer thread ends by a panic, which would leave it waiting for ever.
struct Watch(Arc<Shared>);
impl Drop for Watch {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail("the writer thread broke down");
        }
    }
}

impl WriterThread {
    fn new(shared: Arc<Shared>, writer: TraceWriter<File>, pack: Pack) -> Self {
        Self {
            shared,
            writer,
            pack,
        }
    }

    fn run(mut self) {
        let _watch = Watch(Arc::clone(&self.shared));
        loop {
            let r = match self.next() {
                Work::Batch(b) => self.write(b),
                Work::LookAround => match self.fetch() {
                    Some(b) => self.write(b),
                    None => Ok(()),
                },
                Work::Finish => {
                    // Also after a record was refused on the game's thread: what came before it is here.
                    let r = self
                        .writer
                        .flush()
                        .and_then(|()| self.writer.close())
                        .map(drop);
                    if let Err(e) = r {
                        self.give_up(&e);
                    }
                    lock(&self.shared.queue).status.written = self.writer.written();
                    return;
                }
            };
            if let Err(e) = r {
                self.give_up(&e);
                return;
            }
        }
    }

    fn next(&self) -> Work {
        let mut q = lock(&self.shared.queue);
        loop {
            if let Some(b) = q.waiting.pop_front() {
                return Work::Batch(b);
            }
            if q.closed {
                return Work::Finish;
            }
            let (back, timeout) = self
                .shared
                .filled
                .wait_timeout(q, TICK)
                .unwrap_or_else(PoisonError::into_inner);
            q = back;
            if timeout.timed_out() && q.waiting.is_empty() && !q.closed {
                return Work::LookAround;
            }
        }
    }

    /// The current batch, if it has been lying around. The game's thread does not need a clock for that.
    fn fetch(&self) -> Option<Batch> {
        let mut current = self.shared.current.try_lock().ok()?;
        let mut q = lock(&self.shared.queue);
        // While this thread was not looking, a batch may have been handed over: it comes first.
        if !q.waiting.is_empty() || current.is_empty() {
            return None;
        }
        current.ticks += 1;
        let limit = if current.frames > 0 {
            TICKS_FRAME
        } else {
            TICKS_PARTIAL
        };
        if current.ticks <= limit {
            return None;
        }
        let fresh = q.free.pop().unwrap_or_default();
        q.bytes += current.size();
        Some(std::mem::replace(&mut *current, fresh))
    }

    fn write(&mut self, mut batch: Batch) -> Result<(), TraceError> {
        let size = batch.size();
        // A full queue is a game that waits: then packing less well is the better bargain.
        let waiting = lock(&self.shared.queue).bytes;
        self.writer.set_packing(match self.pack {
            Pack::Small(_) if waiting > self.shared.limit / 2 => Pack::Fast,
            Pack::Small(level) if waiting > self.shared.limit / 8 => Pack::Small(level.min(1)),
            pack => pack,
        });
        let mut at = 0;
        let notes = std::mem::take(&mut batch.notes);
        for n in &notes {
            self.writer
                .push_words(&mut batch.words[at..n.at], &batch.blobs)?;
            at = n.at;
            let bytes = &batch.bytes[n.bytes.clone()];
            match n.what {
                NoteKind::Reply { kind, value } => self.writer.entry(kind, value, bytes)?,
                NoteKind::Event => self.writer.entry(entry::EVENT, 0, bytes)?,
                NoteKind::Image {
                    surface,
                    width,
                    height,
                } => self.writer.image(surface, width, height, bytes)?,
            }
        }
        self.writer
            .push_words(&mut batch.words[at..], &batch.blobs)?;
        self.writer.flush()?;
        batch.notes = notes;
        batch.clear();
        let kept = (batch.words.capacity() * 8)
            .max(batch.blobs.capacity())
            .max(batch.bytes.capacity())
            <= KEEP_BYTES;
        let mut q = lock(&self.shared.queue);
        q.bytes -= size;
        q.status.written = self.writer.written();
        if kept && q.free.len() < KEEP_BATCHES {
            q.free.push(batch);
        }
        drop(q);
        self.shared.drained.notify_all();
        Ok(())
    }

    /// After a failed write: cuts off the half-written chunk, and finishes the file if that is still possible.
    fn give_up(&mut self, error: &TraceError) {
        // What was refused for what it is does not keep what came before it from being written. After a failed write
        // nothing more is tried: records may wait whose blobs did not get into the file.
        if !matches!(error, TraceError::Io { .. }) {
            drop(self.writer.flush());
        }
        let whole = self.writer.written().bytes;
        let cut = |w: &mut TraceWriter<File>| {
            let file = w.get_mut();
            file.set_len(whole).is_ok() && file.seek(SeekFrom::Start(whole)).is_ok()
        };
        if cut(&mut self.writer) && self.writer.close().is_err() {
            cut(&mut self.writer);
        }
        self.shared.fail(&error.to_string());
    }
}
