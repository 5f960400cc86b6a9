//! Verification of what mgl records and replays.

pub mod attachments;
pub mod counters;
pub mod difference;
pub mod doctor;
pub mod goldens;
pub mod image;
pub mod launcher;
mod limited;
pub mod progress_file;
pub mod replay;
pub mod settings;
pub mod source;
pub mod state;
pub mod toml_text;
pub mod uploads;
pub mod watched;
pub mod xvfb;
