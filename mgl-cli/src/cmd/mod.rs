//! The subcommands: arguments, a call into a library, and how the result is shown.

pub mod compare;
pub mod completions;
pub mod doctor;
pub mod info;
pub mod record;
pub mod replay;
pub mod run;
