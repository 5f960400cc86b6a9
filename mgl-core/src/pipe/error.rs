//! Why a call was refused.

use super::backend::BackendError;
use super::group::Group;
use super::table::HandleError;
use crate::pod::FieldError;

/// Why a call was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// A handle is dead, stale, or of the wrong kind.
    #[error("{op}: field {field}: {error}")]
    Handle {
        /// The call.
        op: &'static str,
        /// The field.
        field: String,
        /// What is wrong with it.
        error: HandleError,
    },
    /// A value does not go with the state.
    #[error("{op}: {error}")]
    Field {
        /// The call.
        op: &'static str,
        /// Which, and why.
        error: FieldError,
    },
    /// A verb reads a group that was never pushed.
    #[error("{op} reads {group:?}, which was never pushed")]
    Poison {
        /// The verb.
        op: &'static str,
        /// The group.
        group: Group,
    },
    /// No context is bound.
    #[error("{0}: no context is bound")]
    NoContext(&'static str),
    /// The call was retired.
    #[error("{0} is a retired call: nothing pushes it any more")]
    Retired(&'static str),
    /// The back end does not take the call.
    #[error("{op} is not taken by the {backend} back end")]
    NotTaken {
        /// The call.
        op: &'static str,
        /// The back end.
        backend: String,
    },
    /// The back end failed.
    #[error("{op}: {error}")]
    Backend {
        /// The call.
        op: &'static str,
        /// What happened.
        error: BackendError,
    },
}
