//! Links: how calls get from the client's end of the pipe to the server's, and answers and notices back.
//!
//! [`Direct`]: the server is where the client stands. [`Thread`]: it is in a thread of its own, which makes and uses all that
//! is native. Above a link nothing depends on which it is.

mod applier;
mod direct;
mod notice;
mod pacer;
pub mod ring;
mod thread;
mod ticket;

pub use applier::Applier;
pub use direct::Direct;
pub use notice::{News, Notice};
pub use thread::Thread;
pub use ticket::Ticket;

use crate::pipe::{Backend, Call, Reply, Server, Wait};
use crate::trace::TraceRecorder;
use std::time::Duration;

/// The server of a link.
pub type LinkedServer = Server<Box<dyn Backend>>;

/// What became of a call that was sent.
pub enum Sent {
    /// It needs no waiting. The reply, where it was applied at once and did not fail.
    Done(Option<Reply>),
    /// It is under way, and its wait class asks for more.
    Later(Ticket),
}

/// A link. See the module.
pub enum Link {
    /// Applied where it is sent.
    Direct(Box<Direct>),
    /// Applied by a thread of this process.
    Thread(Box<Thread>),
}

impl Link {
    /// A direct link to the back end that `make` makes.
    ///
    /// # Errors
    ///
    /// Those of `make`.
    pub fn direct<E>(make: impl FnOnce() -> Result<Box<dyn Backend>, E>) -> Result<Self, E> {
        Ok(Self::Direct(Box::new(Direct::new(make()?))))
    }

    /// A link to a thread, in which `make` makes the back end.
    ///
    /// # Errors
    ///
    /// Those of `make`, and that no thread can be started.
    pub fn thread<E: Send + From<std::io::Error> + 'static>(
        make: impl FnOnce() -> Result<Box<dyn Backend>, E> + Send + 'static,
    ) -> Result<Self, E> {
        Ok(Self::Thread(Box::new(Thread::start(make)?)))
    }

    /// Whether what is sent has been applied when that returns.
    #[inline]
    #[must_use]
    pub fn is_direct(&self) -> bool {
        matches!(self, Self::Direct(_))
    }

    /// Sends a call, which asks to be waited for as `wait` says ([`Call::wait`]), and gives it to `recorder` too.
    #[inline]
    pub fn send(
        &mut self,
        call: &Call<'_>,
        wait: Wait,
        recorder: Option<&mut TraceRecorder>,
    ) -> Sent {
        match self {
            Self::Direct(link) => {
                if let Some(r) = recorder {
                    r.push(call);
                }
                Sent::Done(link.send(call))
            }
            Self::Thread(link) => link.send(call, wait, recorder),
        }
    }

    /// How many records were sent: the ordinal of the next one.
    #[must_use]
    pub fn sent(&self) -> u64 {
        match self {
            Self::Direct(link) => link.sent(),
            Self::Thread(link) => link.sent(),
        }
    }

    /// Waits until a call was applied; its reply, unless it failed. Takes the reply: a second time there is none.
    pub fn wait(&mut self, ticket: Ticket) -> Option<Reply> {
        ticket.take()
    }

    /// Has all that was sent applied in due course.
    #[inline]
    pub fn publish(&mut self) {
        match self {
            Self::Direct(_) => {}
            Self::Thread(link) => link.publish(),
        }
    }

    /// As [`Link::publish`], where it is worth it by now; to be called often.
    #[inline]
    pub fn offer(&mut self) {
        match self {
            Self::Direct(_) => {}
            Self::Thread(link) => link.offer(),
        }
    }

    /// Whether there are notices.
    #[inline]
    #[must_use]
    pub fn has_notices(&self) -> bool {
        match self {
            Self::Direct(link) => link.has_notices(),
            Self::Thread(link) => link.has_notices(),
        }
    }

    /// Takes the oldest notice.
    pub fn notice(&mut self) -> Option<Notice> {
        match self {
            Self::Direct(link) => link.notice(),
            Self::Thread(link) => link.notice(),
        }
    }

    /// Makes notices of what the back end has to report by now. Does not wait: the applying thread looks by itself behind
    /// every call that is waited for.
    pub fn look(&mut self) {
        match self {
            Self::Direct(link) => link.look(),
            Self::Thread(_) => {}
        }
    }

    /// Runs something at the server's end, behind all that was sent, and waits for it. `None` when the server is gone.
    pub fn run<T: Send + 'static>(
        &mut self,
        f: impl FnOnce(&mut LinkedServer) -> T + Send + 'static,
    ) -> Option<T> {
        self.run_within(Duration::MAX, f)
    }

    /// As [`Link::run`], but does not wait longer than `patience`: `None` then.
    pub fn run_within<T: Send + 'static>(
        &mut self,
        patience: Duration,
        f: impl FnOnce(&mut LinkedServer) -> T + Send + 'static,
    ) -> Option<T> {
        match self {
            Self::Direct(link) => Some(f(&mut link.applier().server)),
            Self::Thread(link) => link.run(f, patience),
        }
    }

    /// Has the back end let go of the native context of the calling thread, if that is where it works.
    ///
    /// # Errors
    ///
    /// The back end's, in words.
    pub fn release_thread(&mut self) -> Result<(), String> {
        match self {
            Self::Direct(link) => {
                let backend = &mut link.applier().server.backend;
                backend.release_thread().map_err(|e| e.to_string())
            }
            Self::Thread(_) => Ok(()),
        }
    }

    /// The server, where it can be looked at from here: tests do.
    #[must_use]
    pub fn server(&self) -> Option<&LinkedServer> {
        match self {
            Self::Direct(link) => Some(link.server()),
            Self::Thread(_) => None,
        }
    }

    /// As [`Link::server`], to change it.
    pub fn server_mut(&mut self) -> Option<&mut LinkedServer> {
        match self {
            Self::Direct(link) => Some(&mut link.applier().server),
            Self::Thread(_) => None,
        }
    }

    /// What the client's end of the ring did; `None` for a link that has none.
    #[must_use]
    pub fn stats(&self) -> Option<ring::LinkStats> {
        match self {
            Self::Direct(_) => None,
            Self::Thread(link) => Some(link.stats()),
        }
    }

    /// The end: all that was sent has been applied when this returns, unless that takes longer than `patience`; false
    /// then. Nothing is sent any more.
    pub fn close(&mut self, patience: Duration) -> bool {
        match self {
            Self::Direct(_) => true,
            Self::Thread(link) => link.close(patience),
        }
    }
}
