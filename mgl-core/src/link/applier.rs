//! The server's end of a link: applies calls, and turns what goes wrong into notices.

use super::notice::{News, Notice};
use crate::pipe::{ApplyError, Backend, BackendError, Call, Op, Reply, Server};

/// A server, and which record it applied last.
pub struct Applier {
    /// The server.
    pub server: Server<Box<dyn Backend>>,
    ordinal: u64,
    op: Op,
}

impl Applier {
    /// An applier of a server to which nothing was pushed.
    #[must_use]
    pub fn new(backend: Box<dyn Backend>) -> Self {
        Self {
            server: Server::new(backend),
            ordinal: 0,
            op: Op::GetCaps,
        }
    }

    /// Applies record `ordinal`. What goes wrong is told; the answer is `None` then.
    pub fn apply(
        &mut self,
        ordinal: u64,
        call: &Call<'_>,
        tell: &mut dyn FnMut(Notice),
    ) -> Option<Reply> {
        (self.ordinal, self.op) = (ordinal, call.op());
        match self.server.apply(call) {
            Ok(reply) => Some(reply),
            Err(error) => {
                tell(self.notice(News::Failed { op: self.op, error }));
                None
            }
        }
    }

    /// Tells what the back end reported since this was last called.
    pub fn tell_events(&mut self, tell: &mut dyn FnMut(Notice)) {
        for event in self.server.backend.take_events() {
            tell(self.notice(News::Event(event)));
        }
    }

    /// Tells that what should not happen happened, at the record that was applied last.
    pub fn tell_broken(&self, what: &str, tell: &mut dyn FnMut(Notice)) {
        let op = self.op;
        let error = ApplyError::Backend {
            op: op.name(),
            error: BackendError::Driver(what.into()),
        };
        tell(self.notice(News::Failed { op, error }));
    }

    fn notice(&self, news: News) -> Notice {
        Notice {
            ordinal: self.ordinal,
            context: self.server.state.current.context,
            news,
        }
    }
}
