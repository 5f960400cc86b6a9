//! Exit codes, and the errors that lead to them. The one place that knows the numbers.

use std::process::ExitCode;

use mgl_core::trace::TraceError;
use mgl_verify::image::{BatchError, ImageError};
use mgl_verify::launcher::LaunchError;
use mgl_verify::replay::ReplayError;
use mgl_verify::source::SourceError;

/// Explains the exit codes below the program's help.
pub const HELP: &str = "\
Exit codes:
  0  all is well
  1  a difference or a regression was found, or a driver failed
  2  wrong usage, unreadable input, or nothing to work on
  3  this machine lacks something; `mgl doctor` says what
  `mgl record` and `mgl run` end with the program's own status (128+n for signal n).";

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All is well.
    Success,
    /// A difference or a regression was found.
    Difference,
    /// Wrong usage, unreadable input, or an empty selection.
    Usage,
    /// This machine lacks something.
    Environment,
    /// The status of a program that was started.
    Program(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

impl Exit {
    /// The number that the calling process sees.
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Difference => 1,
            Self::Usage => 2,
            Self::Environment => 3,
            Self::Program(status) => status,
        }
    }
}

/// Why a command could not do what it was asked for.
#[derive(Debug)]
pub struct Failure {
    pub exit: Exit,
    /// What is wrong: names the file, and offset, frame and verb where there are any.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Failure {
    /// The input cannot be used.
    pub fn input(message: impl ToString) -> Self {
        Self {
            exit: Exit::Usage,
            message: message.to_string(),
            hint: None,
        }
    }

    /// A difference, or a fault of what is verified.
    pub fn difference(message: impl ToString) -> Self {
        Self {
            exit: Exit::Difference,
            message: message.to_string(),
            hint: None,
        }
    }

    /// This machine lacks something.
    pub fn environment(message: impl ToString) -> Self {
        Self {
            exit: Exit::Environment,
            message: message.to_string(),
            hint: Some("`mgl doctor` shows what this machine offers".to_owned()),
        }
    }
}

impl From<LaunchError> for Failure {
    fn from(error: LaunchError) -> Self {
        match error {
            LaunchError::Program { .. } => Self::input(error),
            LaunchError::NoLibrary { .. }
            | LaunchError::NoShim { .. }
            | LaunchError::BadPath { .. }
            | LaunchError::Wait(_) => Self::environment(error),
        }
    }
}

/// A trace that cannot be read, whatever the reason, is input that cannot be used.
impl From<TraceError> for Failure {
    fn from(error: TraceError) -> Self {
        Self::input(error)
    }
}

impl From<ImageError> for Failure {
    fn from(error: ImageError) -> Self {
        let hint = match &error {
            ImageError::Decode { .. } | ImageError::Depth { .. } => {
                Some("images are PNG files of 8 bits a channel".to_owned())
            }
            _ => None,
        };
        Self {
            hint,
            ..Self::input(error)
        }
    }
}

impl From<BatchError> for Failure {
    fn from(error: BatchError) -> Self {
        match error {
            BatchError::Image(error) => error.into(),
            other => Self::input(other),
        }
    }
}

impl From<ReplayError> for Failure {
    fn from(error: ReplayError) -> Self {
        match error {
            error if error.is_environment() => Self::environment(error),
            ReplayError::Image(error) => error.into(),
            ReplayError::Fault { .. } => Self::difference(format!("FAIL: {error}")),
            error => Self::input(error),
        }
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        if error.is_environment() {
            Self::environment(error)
        } else {
            Self::input(error)
        }
    }
}
