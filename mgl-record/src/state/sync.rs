//! Sync objects (GL 4.6 §4.1).
//!
//! A GLsync is the object's name, as a pointer. A sync that is deleted while a thread waits for it lives on, without a
//! name, until the last one has stopped waiting.

use crate::pipe::{Answer, Pipe};
use crate::state::{Id, NameTable};
use mgl_core::handle::FenceHandle;
use mgl_core::pipe::{Call, FenceOnly, FenceResult, FenceWait, Reply};

/// A sync object: a fence in the command stream.
pub struct Sync {
    handle: FenceHandle,
    signaled: bool,
    /// Threads that wait for it.
    waiters: u32,
}

impl Sync {
    /// Sets a fence now. `None` without a handle for it; the pipe has raised the error.
    #[must_use]
    pub fn new(pipe: &mut Pipe) -> Option<Self> {
        let handle: FenceHandle = pipe.mint();
        if handle.is_null() {
            return None;
        }
        let fence = FenceOnly { fence: handle };
        pipe.push(Call::FenceCreate { p: &fence });
        Some(Self {
            handle,
            signaled: false,
            waiters: 0,
        })
    }

    /// Its handle.
    #[must_use]
    pub fn handle(&self) -> FenceHandle {
        self.handle
    }

    /// Whether the fence was reached; does not wait. `None` when the entry point is to be left.
    pub fn is_signaled(&mut self, pipe: &mut Pipe) -> Option<bool> {
        if !self.signaled {
            let fence = FenceOnly { fence: self.handle };
            let answer = pipe.ask_apart(Call::FenceStatus { p: &fence });
            self.learn(answer)?;
        }
        Some(self.signaled)
    }

    /// Waits for the fence; `flush` first sends what leads up to it. `None` when the entry point is to be left.
    pub fn wait(&mut self, pipe: &mut Pipe, timeout_ns: u64, flush: bool) -> Option<FenceResult> {
        if self.signaled {
            return Some(FenceResult::ALREADY_SIGNALED);
        }
        let p = FenceWait {
            fence: self.handle,
            timeout_ns,
            flush: flush.into(),
            ..FenceWait::default()
        };
        let answer = pipe.ask_apart(Call::FenceWait { p: &p });
        self.learn(answer)
    }

    fn learn(&mut self, answer: Answer) -> Option<FenceResult> {
        let result = match answer {
            Answer::Later => return None,
            Answer::Reply(Reply::Value(v)) => {
                u32::try_from(v).map_or(FenceResult::WAIT_FAILED, FenceResult)
            }
            _ => FenceResult::WAIT_FAILED,
        };
        self.signaled |= [
            FenceResult::ALREADY_SIGNALED,
            FenceResult::CONDITION_SATISFIED,
        ]
        .contains(&result);
        Some(result)
    }

    /// The server waits for the fence before it goes on.
    pub fn wait_on_server(&self, pipe: &mut Pipe) {
        if !self.signaled {
            let fence = FenceOnly { fence: self.handle };
            pipe.push(Call::FenceWaitServer { p: &fence });
        }
    }

    /// Ends it on the pipe.
    pub fn destroy(self, pipe: &mut Pipe) {
        let fence = FenceOnly { fence: self.handle };
        pipe.push(Call::FenceDestroy { p: &fence });
        pipe.release(self.handle);
    }
}

/// Operations on the sync objects of a share group.
impl NameTable<Sync> {
    /// A thread begins to wait for a sync: it stays, even when it is deleted.
    pub fn hold(&mut self, id: Id<Sync>) {
        self.objects[id].waiters += 1;
    }

    /// A thread has stopped waiting.
    pub fn let_go(&mut self, id: Id<Sync>, pipe: &mut Pipe) {
        if let Some(s) = self.objects.get_mut(id) {
            s.waiters = s.waiters.saturating_sub(1);
        }
        self.end_unwaited(pipe);
    }

    /// glDeleteSync; false for a name that is no sync's.
    pub fn delete_sync(&mut self, name: u32, pipe: &mut Pipe) -> bool {
        let known = self.delete(name).is_some();
        self.end_unwaited(pipe);
        known
    }

    fn end_unwaited(&mut self, pipe: &mut Pipe) {
        let held: Vec<_> = self
            .zombies()
            .iter()
            .copied()
            .filter(|&z| self.objects[z].waiters > 0)
            .collect();
        for s in self.take_unreferenced(|id| held.contains(&id)) {
            s.destroy(pipe);
        }
    }
}
