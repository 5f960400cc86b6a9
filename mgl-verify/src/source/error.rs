//! Why a golden's source gave no recording or no images.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use crate::image::ImageError;
use crate::launcher::{LaunchError, Reason};

/// Why a source gave no recording or no images.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The player of GL traces is missing.
    #[error("{tool} is not installed; install {package}")]
    NoTool {
        tool: String,
        /// The Debian package.
        package: &'static str,
    },
    /// There is no display to run on, and no server to start.
    #[error("no display: {reason}; install xvfb, which gives every run a display of its own")]
    NoDisplay { reason: String },
    /// The driver, or a library beside it, is missing.
    #[error(transparent)]
    Driver(#[from] LaunchError),
    /// The source names no program.
    #[error("the source's command is empty")]
    NoProgram,
    /// The program cannot be started.
    #[error("cannot start {program}: {source}")]
    Start { program: String, source: io::Error },
    /// The program failed.
    #[error("{program} failed ({status}){}", last_words(stderr))]
    Failed {
        program: String,
        status: ExitStatus,
        /// The end of its standard error.
        stderr: String,
    },
    /// The program did not end in time, and was killed with all that it had started.
    #[error("{program} did not end within {} s and was killed{}", limit.as_secs_f64(), last_words(stderr))]
    TimeOut {
        program: String,
        limit: Duration,
        stderr: String,
    },
    /// The program ended well and recorded nothing.
    #[error("{program} recorded nothing: {}{}", reason.what, last_words(stderr))]
    NothingRecorded {
        program: String,
        reason: Reason,
        stderr: String,
    },
    /// The program ended well before it had shown all frames on the system's GL.
    #[error(
        "on the system's GL {program} did not show {}{}",
        frames(missing),
        last_words(stderr)
    )]
    NotShown {
        program: String,
        /// Frames that are missing.
        missing: Vec<u64>,
        stderr: String,
    },
    /// An image cannot be written.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// A file cannot be used.
    #[error("{path}: {source}", path = path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl SourceError {
    pub(super) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io {
            path: path.to_owned(),
            source,
        }
    }

    /// Whether the machine lacks something, and the source is not at fault.
    #[must_use]
    pub fn is_environment(&self) -> bool {
        match self {
            Self::NoTool { .. } | Self::NoDisplay { .. } => true,
            Self::Driver(error) => !matches!(error, LaunchError::Program { .. }),
            Self::NoProgram
            | Self::Start { .. }
            | Self::Failed { .. }
            | Self::TimeOut { .. }
            | Self::NothingRecorded { .. }
            | Self::NotShown { .. }
            | Self::Image(_)
            | Self::Io { .. } => false,
        }
    }
}

/// The last lines of standard error, as the end of a message.
fn last_words(stderr: &str) -> String {
    const LINES: usize = 5;
    let lines: Vec<&str> = stderr.lines().filter(|l| !l.trim().is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(LINES)..];
    match last {
        [] => String::new(),
        lines => format!("; its last words:\n  {}", lines.join("\n  ")),
    }
}

fn frames(missing: &[u64]) -> String {
    let mut names: Vec<String> = missing.iter().take(5).map(u64::to_string).collect();
    if missing.len() > names.len() {
        names.push(format!("{} more", missing.len() - names.len()));
    }
    format!("frame {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_end_with_the_last_words() {
        let error = SourceError::NotShown {
            program: "game".into(),
            missing: (3..12).collect(),
            stderr: "a\nb\n\nc\nd\ne\nf\n".into(),
        };
        assert_eq!(
            error.to_string(),
            "on the system's GL game did not show frame 3, 4, 5, 6, 7, 4 more; its last words:\n  b\n  c\n  d\n  e\n  f"
        );
        assert!(!error.is_environment());
        let error = SourceError::NoTool {
            tool: "apitrace".into(),
            package: "apitrace",
        };
        assert_eq!(
            error.to_string(),
            "apitrace is not installed; install apitrace"
        );
        assert!(error.is_environment());
    }
}
