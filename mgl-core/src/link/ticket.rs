//! [`Ticket`]: what a sender waits with, which needs no part of the link.

use crate::pipe::Reply;
use std::sync::Arc;

/// Waits for one record to have been applied. Clones wait for the same.
#[derive(Clone)]
pub struct Ticket(Arc<dyn Await>);

/// What a link gives to wait by.
pub(super) trait Await: Send + Sync {
    /// Waits.
    fn wait(&self);
    /// Waits; then takes the reply.
    fn take(&self) -> Option<Reply>;
}

impl Ticket {
    pub(super) fn new(what: impl Await + 'static) -> Self {
        Self(Arc::new(what))
    }

    /// Waits until the record was applied, or the server is gone.
    pub fn wait(&self) {
        self.0.wait();
    }

    /// Waits; then takes the reply, unless the call failed or another clone was here before.
    #[must_use]
    pub fn take(&self) -> Option<Reply> {
        self.0.take()
    }
}
