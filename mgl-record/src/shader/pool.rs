//! The threads that compile (design page 5.4: a small pool; the program waits only when it asks).
//! Their stacks are large, because the compilers below recurse as deeply as a source is nested, and
//! a game's thread may have a small one.

use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;

/// Bytes of a worker's stack; untouched pages cost nothing.
const STACK: usize = 256 << 20;
/// Most workers.
const MAX_WORKERS: usize = 4;

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    idle: usize,
    closed: bool,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    wake: Condvar,
}

/// A pool of workers, started as they are needed and ended with the pool.
pub struct Pool {
    shared: Arc<Shared>,
    workers: Mutex<Vec<JoinHandle<()>>>,
    limit: usize,
}

/// A result that a worker is going to give.
pub struct Pending<T> {
    cell: Arc<Cell<T>>,
}

struct Cell<T> {
    value: Mutex<State<T>>,
    done: Condvar,
}

enum State<T> {
    Running,
    Done(T),
    /// The job panicked, or there was no thread to run it.
    Failed,
}

impl<T: Clone> Pending<T> {
    /// True when `wait` would not block.
    pub fn is_done(&self) -> bool {
        !matches!(*self.cell.value.lock(), State::Running)
    }

    /// The result; `None` when the job failed to run to its end.
    pub fn wait(&self) -> Option<T> {
        let mut value = self.cell.value.lock();
        loop {
            match &*value {
                State::Running => self.cell.done.wait(&mut value),
                State::Done(result) => return Some(result.clone()),
                State::Failed => return None,
            }
        }
    }
}

impl Pool {
    /// A pool without workers yet.
    pub fn new() -> Pool {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Pool {
            shared: Arc::default(),
            workers: Mutex::default(),
            limit: cores.min(MAX_WORKERS),
        }
    }

    /// Hands a job to a worker.
    pub fn submit<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Pending<T> {
        let cell = Arc::new(Cell {
            value: Mutex::new(State::Running),
            done: Condvar::new(),
        });
        let target = Arc::clone(&cell);
        let job: Job = Box::new(move || {
            let result = catch_unwind(AssertUnwindSafe(job));
            *target.value.lock() = result.map_or(State::Failed, State::Done);
            target.done.notify_all();
        });
        let starved = {
            let mut queue = self.shared.queue.lock();
            queue.jobs.push_back(job);
            queue.jobs.len() > queue.idle
        };
        if starved && !self.grow() {
            // Without a single worker nothing would ever run.
            self.shared.queue.lock().jobs.clear();
            *cell.value.lock() = State::Failed;
        }
        self.shared.wake.notify_one();
        Pending { cell }
    }

    /// Starts one more worker if there may be one; false when there are none at all.
    fn grow(&self) -> bool {
        let mut workers = self.workers.lock();
        if workers.len() < self.limit {
            let shared = Arc::clone(&self.shared);
            let builder = std::thread::Builder::new()
                .name("mgl-shader".into())
                .stack_size(STACK);
            if let Ok(worker) = builder.spawn(move || work(&shared)) {
                workers.push(worker);
            }
        }
        !workers.is_empty()
    }
}

/// Keeps the program's signals away from a worker: their handlers expect the program's threads.
fn block_signals() {
    // SAFETY: sigfillset writes the set, which is then read; the mask is this thread's own.
    unsafe {
        let mut all = std::mem::zeroed::<libc::sigset_t>();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &all, std::ptr::null_mut());
    }
}

fn work(shared: &Shared) {
    block_signals();
    let mut queue = shared.queue.lock();
    loop {
        if let Some(job) = queue.jobs.pop_front() {
            drop(queue);
            job();
            queue = shared.queue.lock();
        } else if queue.closed {
            return;
        } else {
            queue.idle += 1;
            shared.wake.wait(&mut queue);
            queue.idle -= 1;
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.queue.lock().closed = true;
        self.shared.wake.notify_all();
        let own = std::thread::current().id();
        for worker in self.workers.get_mut().drain(..) {
            // The last owner of a pool may be one of its own jobs.
            if worker.thread().id() != own {
                let _ = worker.join();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_run_and_results_stay() {
        let pool = Pool::new();
        let pending: Vec<_> = (0..50).map(|n| pool.submit(move || n * 2)).collect();
        for (n, p) in pending.iter().enumerate() {
            assert_eq!(p.wait(), Some(n * 2));
            assert!(p.is_done());
            assert_eq!(p.wait(), Some(n * 2));
        }
    }

    #[test]
    fn a_panic_fails_its_job_only() {
        let pool = Pool::new();
        let bad = pool.submit(|| -> u32 { panic!("on purpose") });
        let good = pool.submit(|| 7);
        assert_eq!(bad.wait(), None);
        assert_eq!(good.wait(), Some(7));
    }

    #[test]
    fn a_dropped_pool_finishes_its_jobs() {
        let pool = Pool::new();
        let pending: Vec<_> = (0..8).map(|n| pool.submit(move || n)).collect();
        drop(pool);
        assert!(pending.iter().all(|p| p.wait().is_some()));
    }
}
