//! Waiting for records to be applied, on any thread and without the producer.

use super::LinkError;
use super::control::Shared;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Waits for records to be applied. Several threads can wait at once; each clone is as good.
#[derive(Clone)]
pub struct Waiter {
    pub(super) shared: Arc<Shared>,
    pub(super) spin: Duration,
}

impl Waiter {
    /// Whether the record with this ordinal has been applied.
    #[must_use]
    pub fn is_applied(&self, ordinal: u64) -> bool {
        self.shared.control.applied().load(Ordering::Acquire) > ordinal
    }

    /// Blocks until the record with this ordinal has been applied. It must have been published, or be published by
    /// another thread: this does not do it.
    ///
    /// # Errors
    ///
    /// [`LinkError::Gone`]: the consumer is gone without having applied it.
    pub fn wait_applied(&self, ordinal: u64) -> Result<(), LinkError> {
        let control = &self.shared.control;
        control.done().wait(self.spin, &mut 0, || {
            if self.is_applied(ordinal) {
                return Some(Ok(()));
            }
            // What was applied before the consumer went counts.
            control.is_gone().then(|| match self.is_applied(ordinal) {
                true => Ok(()),
                false => Err(LinkError::Gone),
            })
        })
    }

    /// Whether the consumer is gone.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.shared.control.is_gone()
    }
}
