//! Verification of what mgl records and replays.

pub mod doctor;
pub mod image;
mod limited;
