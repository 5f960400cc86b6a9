//! MGPipe: handles, call catalogue, pushed state, codec, trace files.

pub mod format;
