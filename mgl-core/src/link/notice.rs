//! What the server tells without being asked, in the order in which it happened.

use crate::handle::ContextHandle;
use crate::pipe::{ApplyError, Event, Op};

/// One thing that the server tells.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// Number of the record during or behind which it happened, from 0.
    pub ordinal: u64,
    /// The context that spoke then; null when none did.
    pub context: ContextHandle,
    /// What.
    pub news: News,
}

/// What a [`Notice`] tells.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// A call was refused, or the back end failed at it.
    Failed {
        /// The call.
        op: Op,
        /// Why.
        error: ApplyError,
    },
    /// The back end reported something.
    Event(Event),
}
