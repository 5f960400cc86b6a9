//! The link to a thread of the same process: the client encodes, and the applying thread decodes, applies and draws.
//!
//! Records go through the ring, encoded once for it and for the recorder. What is no record (a closure to be run at the
//! server's end) goes as a mark in order with them. Back come replies, by the number of their record, and notices.

use super::applier::Applier;
use super::notice::{News, Notice};
use super::pacer::Pacer;
use super::ring::{Consumer, Item, LinkError, LinkStats, Producer, Sizes, Waiter, pair};
use super::ticket::{Await, Ticket};
use super::{LinkedServer, Sent};
use crate::codec;
use crate::handle::{ContextHandle, SurfaceHandle};
use crate::pipe::{ApplyError, Backend, BackendError, Call, Op, Reply, Wait};
use crate::trace::{TraceRecorder, with_signals_blocked};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Something to be done at the server's end.
type Request = Box<dyn FnOnce(&mut LinkedServer) + Send>;

/// What both ends reach beside the ring.
#[derive(Default)]
struct Shared {
    /// Requests, in the order of their marks.
    requests: Mutex<VecDeque<Request>>,
    /// Replies that somebody waits for, by the number of their record; few at any time.
    replies: Mutex<Vec<(u64, Option<Reply>)>>,
    notices: Mutex<VecDeque<Notice>>,
    /// There may be notices.
    news: AtomicBool,
    pacer: Pacer,
}

/// What is behind these locks is whole between any two statements.
fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn tell(&self, notice: Notice) {
        lock(&self.notices).push_back(notice);
        self.news.store(true, Ordering::Release);
    }
}

/// See the module.
pub struct Thread {
    /// `None` once the link is closed.
    producer: Option<Producer>,
    waiter: Waiter,
    shared: Arc<Shared>,
    /// Number of the last Present of each surface that has presented.
    presents: Vec<(SurfaceHandle, u64)>,
    /// Says that the applying thread does nothing any more.
    ended: Receiver<()>,
    id: std::thread::ThreadId,
    /// What the ring did until it was closed.
    last: LinkStats,
    /// Records sent.
    sent: u64,
}

impl Thread {
    /// Starts the applying thread, which makes its back end itself: native contexts belong to a thread.
    ///
    /// # Errors
    ///
    /// Those of `make`, and that no thread can be started.
    pub fn start<E: Send + From<std::io::Error> + 'static>(
        make: impl FnOnce() -> Result<Box<dyn Backend>, E> + Send + 'static,
    ) -> Result<Self, E> {
        let (producer, consumer) = pair(Sizes::default());
        let shared = Arc::new(Shared::default());
        let (made, is_made) = channel();
        let (end, ended) = channel();
        let theirs = Arc::clone(&shared);
        let serve = move || {
            let backend = match make() {
                Ok(mut backend) => {
                    backend.present_at_once();
                    backend
                }
                Err(e) => return drop(made.send(Err(e))),
            };
            drop(made.send(Ok(())));
            let applier = Applier::new(backend);
            serve(consumer, applier, &theirs);
            drop(end);
            // The end of a thread runs destructors of the libraries below, which the exit handlers of the process would
            // meet: it ends with the process.
            loop {
                std::thread::park();
            }
        };
        let thread = with_signals_blocked(|| {
            std::thread::Builder::new()
                .name("mgl-apply".into())
                .spawn(serve)
        })?;
        match is_made.recv() {
            Ok(made) => made?,
            Err(_) => {
                return Err(std::io::Error::other("the back end broke down at its start").into());
            }
        }
        Ok(Self {
            waiter: producer.waiter(),
            producer: Some(producer),
            shared,
            presents: Vec::new(),
            ended,
            id: thread.thread().id(),
            last: LinkStats::default(),
            sent: 0,
        })
    }

    /// Sends a call, and gives its record to `recorder` too.
    #[inline]
    pub fn send(
        &mut self,
        call: &Call<'_>,
        wait: Wait,
        recorder: Option<&mut TraceRecorder>,
    ) -> Sent {
        let Some(producer) = &mut self.producer else {
            return Sent::Done(None);
        };
        let put = match recorder {
            None => producer.put(call),
            Some(recorder) => producer.put_seen(call, |record| recorder.push_record(call, record)),
        };
        match put {
            Ok(ordinal) => {
                self.sent = ordinal + 1;
                if wait == Wait::None && !matches!(call, Call::Flush { .. }) {
                    return Sent::Done(None);
                }
                self.waits(call, wait, ordinal)
            }
            Err(e) => self.failed(call.op(), &e),
        }
    }

    /// What is to be waited for of a record that was sent, and is to be applied at once.
    fn waits(&mut self, call: &Call<'_>, wait: Wait, ordinal: u64) -> Sent {
        match wait {
            Wait::None => {
                self.publish();
                Sent::Done(None)
            }
            Wait::Reply | Wait::Ack | Wait::Applied => self.ticket(ordinal),
            Wait::Present => self.credit(call, ordinal),
        }
    }

    /// How many records were sent.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.sent
    }

    fn ticket(&mut self, ordinal: u64) -> Sent {
        self.publish();
        Sent::Later(Ticket::new(self.reached(ordinal)))
    }

    fn reached(&self, ordinal: u64) -> Reached {
        Reached {
            ordinal,
            waiter: self.waiter.clone(),
            shared: Arc::clone(&self.shared),
        }
    }

    /// A surface has one frame under way beside the one that is being made: waited for is that the one before this one is
    /// shown.
    fn credit(&mut self, call: &Call<'_>, ordinal: u64) -> Sent {
        let Call::Present { p } = *call else {
            return Sent::Done(None);
        };
        self.publish();
        match self.presents.iter_mut().find(|(s, _)| *s == p.surface) {
            Some((_, last)) => {
                let before = std::mem::replace(last, ordinal);
                Sent::Later(Ticket::new(Credit {
                    reached: self.reached(before),
                    surface: p.surface,
                }))
            }
            None => {
                self.presents.push((p.surface, ordinal));
                Sent::Done(None)
            }
        }
    }

    /// A record that no link carries, or nobody who applies any more, which is as good as a device that is lost.
    #[cold]
    fn failed(&mut self, op: Op, why: &LinkError) -> Sent {
        let error = match why {
            LinkError::RecordSize { .. } => BackendError::Driver(why.to_string()),
            _ => {
                self.producer = None;
                BackendError::Lost(why.to_string())
            }
        };
        self.shared.tell(Notice {
            ordinal: u64::MAX,
            context: ContextHandle::NULL,
            news: News::Failed {
                op,
                error: ApplyError::Backend {
                    op: op.name(),
                    error,
                },
            },
        });
        Sent::Done(None)
    }

    /// Has all that was sent applied in due course.
    #[inline]
    pub fn publish(&mut self) {
        if let Some(producer) = &mut self.producer {
            // That nobody is there, the next record finds.
            let _ = producer.publish();
        }
    }

    /// Has it applied soon where that is worth it by now: when much has come together.
    #[inline]
    pub fn offer(&mut self) {
        if let Some(producer) = &mut self.producer {
            // As above.
            let _ = producer.offer();
        }
    }

    /// Whether there may be notices.
    #[inline]
    #[must_use]
    pub fn has_notices(&self) -> bool {
        self.shared.news.load(Ordering::Relaxed)
    }

    /// Takes the oldest notice.
    pub fn notice(&mut self) -> Option<Notice> {
        let mut notices = lock(&self.shared.notices);
        let notice = notices.pop_front();
        if notices.is_empty() {
            self.shared.news.store(false, Ordering::Relaxed);
        }
        notice
    }

    /// Runs something at the server's end, behind all that was sent, and waits for it, `patience` at most. `None` when nobody
    /// is there, or not in time.
    pub fn run<T: Send + 'static>(
        &mut self,
        f: impl FnOnce(&mut LinkedServer) -> T + Send + 'static,
        patience: Duration,
    ) -> Option<T> {
        let producer = self.producer.as_mut()?;
        let (answer, answered) = channel();
        lock(&self.shared.requests).push_back(Box::new(move |server| {
            // Who asked may have gone.
            drop(answer.send(f(server)));
        }));
        producer.mark(0).and_then(|()| producer.publish()).ok()?;
        answered.recv_timeout(patience).ok()
    }

    /// What the client's end of the ring did.
    #[must_use]
    pub fn stats(&self) -> LinkStats {
        self.producer.as_ref().map_or(self.last, Producer::stats)
    }

    /// Ends the applying thread once it has applied all that was sent; false when that takes longer than `patience`.
    pub fn close(&mut self, patience: Duration) -> bool {
        self.publish();
        self.last = self.stats();
        self.producer = None;
        if std::thread::current().id() == self.id {
            return true;
        }
        use std::sync::mpsc::RecvTimeoutError;
        self.ended.recv_timeout(patience) != Err(RecvTimeoutError::Timeout)
    }
}

/// A record that is waited for.
struct Reached {
    ordinal: u64,
    waiter: Waiter,
    shared: Arc<Shared>,
}

impl Drop for Reached {
    /// A reply that nobody took.
    fn drop(&mut self) {
        lock(&self.shared.replies).retain(|(n, _)| *n != self.ordinal);
    }
}

impl Await for Reached {
    fn wait(&self) {
        // Gone is as good as applied: nothing more will come.
        let _ = self.waiter.wait_applied(self.ordinal);
    }

    fn take(&self) -> Option<Reply> {
        self.wait();
        let mut replies = lock(&self.shared.replies);
        let at = replies.iter().position(|(n, _)| *n == self.ordinal)?;
        replies.swap_remove(at).1
    }
}

/// A Present whose frame is waited for.
struct Credit {
    reached: Reached,
    surface: SurfaceHandle,
}

impl Await for Credit {
    fn wait(&self) {
        self.reached.wait();
        let pacer = &self.reached.shared.pacer;
        pacer.wait_shown(self.surface, self.reached.ordinal);
    }

    fn take(&self) -> Option<Reply> {
        self.wait();
        None
    }
}

/// The applying thread's life.
fn serve(mut consumer: Consumer, mut applier: Applier, shared: &Shared) {
    let mut tell = |n: Notice| shared.tell(n);
    loop {
        let item = match consumer.next() {
            Ok(item) => item,
            Err(e) => {
                // Cannot happen between two ends of this process; nothing that follows can be trusted.
                applier.tell_broken(&e.to_string(), &mut tell);
                break;
            }
        };
        match item {
            Item::Closed => break,
            Item::Mark(_) => {
                let request = lock(&shared.requests).pop_front();
                if let Some(request) = request {
                    let run = AssertUnwindSafe(|| request(&mut applier.server));
                    if catch_unwind(run).is_err() {
                        applier.tell_broken("internal error in the back end", &mut tell);
                    }
                }
                applier.tell_events(&mut tell);
            }
            Item::Record {
                ordinal,
                record,
                blobs,
            } => {
                let call = match codec::decode(&record, &blobs) {
                    Ok(call) => call,
                    Err(e) => {
                        applier.tell_broken(&e.to_string(), &mut tell);
                        consumer.applied();
                        continue;
                    }
                };
                let wait = call.wait();
                let apply = AssertUnwindSafe(|| applier.apply(ordinal, &call, &mut tell));
                let reply = catch_unwind(apply).unwrap_or_else(|_| {
                    let why = format!("internal error in {}", call.op().name());
                    applier.tell_broken(&why, &mut tell);
                    None
                });
                match call {
                    Call::Present { p } => {
                        let pace = applier.server.backend.pace(p.surface);
                        shared.pacer.ready(p.surface, ordinal, pace);
                    }
                    Call::SurfaceDestroy { p } => shared.pacer.forget(p.surface),
                    _ => {}
                }
                match wait {
                    // Nobody waits for it; going on to the next one is enough.
                    Wait::None => continue,
                    Wait::Present => applier.tell_events(&mut tell),
                    Wait::Reply | Wait::Ack | Wait::Applied => {
                        applier.tell_events(&mut tell);
                        lock(&shared.replies).push((ordinal, reply));
                    }
                }
                consumer.applied();
            }
        }
    }
    // The process ends, or the server is of no use: what is native goes with the process, in whatever order that likes.
    std::mem::forget(applier);
}
