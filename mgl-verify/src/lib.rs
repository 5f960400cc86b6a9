//! Verification of what mgl records and replays.

pub mod image;
