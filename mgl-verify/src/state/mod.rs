//! Pushed state as text that can be stored and compared (design: verification 6.2).
//!
//! [`capture`] writes down what a trace pushes, verb by verb; [`StateLog::diff`] aligns two such logs by their verbs and
//! names the fields that differ; [`StateLog::encode`] is the file `state.mglstate` of a golden. Knows traces and the
//! pushed state, no back end.

mod capture;
mod constants;
mod defaults;
mod diff;
mod file;
pub mod flatten;
mod log;
mod room;

pub use capture::capture;
pub use diff::{FieldCount, StateDiff};
pub use log::StateLog;

use mgl_core::pipe::ApplyError;
use mgl_core::trace::TraceError;

/// Why there is no state log.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The trace.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A record that no pushed state takes.
    #[error("verb {place}: {error}")]
    Apply {
        /// Name of the verb, or place.
        place: String,
        /// Why it was refused.
        error: ApplyError,
    },
    /// Bytes that are no state log.
    #[error("no state log: {0}")]
    Format(String),
}
