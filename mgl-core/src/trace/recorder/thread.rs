//! The writer thread.

use super::super::batch::Batch;
use super::super::error::TraceError;
use super::super::writer::TraceWriter;
use super::output::Output;
use super::{KEEP_BATCHES, Pack, Shared, TICK, lock};
use std::sync::{Arc, PoisonError};

enum Work {
    Batch(Batch),
    LookAround,
    Finish,
}

pub(super) struct WriterThread {
    shared: Arc<Shared>,
    writer: TraceWriter<Output>,
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
    pub fn new(shared: Arc<Shared>, writer: TraceWriter<Output>, pack: Pack) -> Self {
        Self {
            shared,
            writer,
            pack,
        }
    }

    pub fn run(mut self) {
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
                    match r {
                        Ok(()) => self.over(),
                        Err(e) => self.give_up(&e),
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
        if current.ticks < 2 {
            return None;
        }
        let fresh = self.shared.fresh(&mut q)?;
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
        let (words, data) = batch.content();
        self.writer.parts(words, data)?;
        self.writer.flush()?;
        let written = self.writer.written();
        if let Some(arena) = &self.shared.arena {
            arena.done(batch.number, written.bytes);
        }
        let mut q = lock(&self.shared.queue);
        q.bytes -= size;
        q.status.written = written;
        let warm = q.free.iter().filter(|b| b.memory() > 0).count();
        if batch.is_large() || warm >= KEEP_BATCHES {
            drop(q);
            batch.release();
            q = lock(&self.shared.queue);
            if batch.is_shared() {
                // Those whose memory is there are taken first.
                q.free.insert(0, batch);
            }
        } else {
            q.free.push(batch);
        }
        drop(q);
        self.shared.drained.notify_all();
        Ok(())
    }

    /// Nothing is to be done for the file any more.
    fn over(&self) {
        if let Some(arena) = &self.shared.arena {
            arena.over();
        }
    }

    /// After a failed write: cuts off the half-written chunk, and finishes the file if that is still possible.
    fn give_up(&mut self, error: &TraceError) {
        // What was refused for what it is does not keep what came before it from being written. After a failed write
        // nothing more is tried: records may wait whose blobs did not get into the file.
        if !matches!(error, TraceError::Io { .. }) {
            drop(self.writer.flush());
        }
        let whole = self.writer.written().bytes;
        let cut = |w: &mut TraceWriter<Output>| w.get_mut().cut(whole).is_ok();
        if cut(&mut self.writer) && self.writer.close().is_err() {
            cut(&mut self.writer);
        }
        self.shared.fail(&error.to_string());
        self.over();
    }
}
