//! The subcommands: arguments, a call into a library, and how the result is shown.

pub mod assemble;
pub mod compare;
pub mod completions;
pub mod diff;
pub mod doctor;
pub mod dump;
pub mod golden;
pub mod info;
pub mod record;
pub mod repair;
pub mod replay;
pub mod run;
pub mod stats;
pub mod uploads;
pub mod verify;
