//! The link without a distance: a call is applied where it is sent.

use super::applier::Applier;
use super::notice::Notice;
use crate::pipe::{Backend, Call, Reply, Server};
use std::collections::VecDeque;

/// See the module.
pub struct Direct {
    applier: Applier,
    /// Number of the next record.
    next: u64,
    notices: VecDeque<Notice>,
}

impl Direct {
    /// A link to a back end.
    #[must_use]
    pub fn new(backend: Box<dyn Backend>) -> Self {
        Self {
            applier: Applier::new(backend),
            next: 0,
            notices: VecDeque::new(),
        }
    }

    /// Applies a call; `None` when that failed, which a notice tells.
    #[inline]
    pub fn send(&mut self, call: &Call<'_>) -> Option<Reply> {
        let ordinal = self.next;
        self.next += 1;
        let notices = &mut self.notices;
        self.applier
            .apply(ordinal, call, &mut |n| notices.push_back(n))
    }

    /// How many records were sent.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.next
    }

    /// The server.
    #[must_use]
    pub fn server(&self) -> &Server<Box<dyn Backend>> {
        &self.applier.server
    }

    /// The applier.
    pub fn applier(&mut self) -> &mut Applier {
        &mut self.applier
    }

    /// Whether there are notices.
    #[inline]
    #[must_use]
    pub fn has_notices(&self) -> bool {
        !self.notices.is_empty()
    }

    /// Takes the oldest notice.
    pub fn notice(&mut self) -> Option<Notice> {
        self.notices.pop_front()
    }

    /// Makes notices of what the back end reported meanwhile.
    pub fn look(&mut self) {
        let notices = &mut self.notices;
        self.applier.tell_events(&mut |n| notices.push_back(n));
    }
}
