//! Errors, hints, flushes, debug output.

/// Values that no draw depends on.
#[derive(Default)]
pub struct MiscState {}
