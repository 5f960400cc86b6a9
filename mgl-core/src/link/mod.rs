//! Links: how calls get from the client's end of the pipe to the server's, and answers and notices back.
//!
//! [`Direct`]: the server is where the client stands. [`ring`]: records cross to an applying thread. Above a link nothing
//! depends on which it is.

mod applier;
mod direct;
mod notice;
pub mod ring;
mod ticket;

pub use applier::Applier;
pub use direct::Direct;
pub use notice::{News, Notice};
pub use ticket::Ticket;

use crate::pipe::{Backend, Call, Reply, Server};
use crate::trace::TraceRecorder;

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

    /// Whether what is sent has been applied when that returns.
    #[inline]
    #[must_use]
    pub fn is_direct(&self) -> bool {
        matches!(self, Self::Direct(_))
    }

    /// Sends a call, and gives it to `recorder` too.
    #[inline]
    pub fn send(&mut self, call: &Call<'_>, recorder: Option<&mut TraceRecorder>) -> Sent {
        match self {
            Self::Direct(link) => {
                if let Some(r) = recorder {
                    r.push(call);
                }
                Sent::Done(link.send(call))
            }
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
        }
    }

    /// Whether there are notices.
    #[inline]
    #[must_use]
    pub fn has_notices(&self) -> bool {
        match self {
            Self::Direct(link) => link.has_notices(),
        }
    }

    /// Takes the oldest notice.
    pub fn notice(&mut self) -> Option<Notice> {
        match self {
            Self::Direct(link) => link.notice(),
        }
    }

    /// Makes notices of what the back end has to report by now. Does not wait.
    pub fn look(&mut self) {
        match self {
            Self::Direct(link) => link.look(),
        }
    }

    /// Runs something at the server's end, behind all that was sent, and waits for it.
    pub fn run<T: Send + 'static>(
        &mut self,
        f: impl FnOnce(&mut LinkedServer) -> T + Send + 'static,
    ) -> T {
        match self {
            Self::Direct(link) => f(&mut link.applier().server),
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
        }
    }

    /// The server, where it can be looked at from here: tests do.
    #[must_use]
    pub fn server(&self) -> Option<&LinkedServer> {
        match self {
            Self::Direct(link) => Some(link.server()),
        }
    }

    /// As [`Link::server`], to change it.
    pub fn server_mut(&mut self) -> Option<&mut LinkedServer> {
        match self {
            Self::Direct(link) => Some(&mut link.applier().server),
        }
    }
}
