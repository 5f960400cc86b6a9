//! The GL front end: entry points and what they are declared with.

pub mod entry;
pub mod misc;
pub mod types;
