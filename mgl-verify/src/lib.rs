//! Verification of what mgl records and replays.

pub mod difference;
pub mod doctor;
pub mod image;
pub mod launcher;
mod limited;
pub mod replay;
pub mod settings;
pub mod source;
pub mod xvfb;
