//! What can be wrong with a trace file, its text form, or its writing.

use super::format::ChunkKind;
use crate::codec::DecodeError;
use std::path::{Path, PathBuf};

/// Why a trace could not be read or written. Messages say what to do where something can be done.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The operating system said no.
    #[error("{}: {action}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done.
        action: &'static str,
        /// What the system said.
        error: std::io::Error,
    },
    /// A file without a byte.
    #[error("{}: the file is empty: no trace was recorded into it", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// Something else.
    #[error("{}: not an mgl trace: {found}", path.display())]
    NotATrace {
        /// The file.
        path: PathBuf,
        /// What it looks like instead.
        found: String,
    },
    /// Written by a later version.
    #[error("{}: format version {version} needs a reader of version {oldest_reader} or later; this mgl reads up to {}: use a newer mgl", path.display(), super::format::VERSION)]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format version.
        version: u32,
        /// Oldest version that can read it.
        oldest_reader: u32,
    },
    /// Written with other payloads.
    #[error("{}: format version {version}, recorded by mgl {recorder}, has {unknown}, which this mgl does not know: use a newer mgl", path.display())]
    Layout {
        /// The file.
        path: PathBuf,
        /// Its format version.
        version: u32,
        /// What is not known here.
        unknown: String,
        /// Version of mgl that wrote the file.
        recorder: String,
    },
    /// Written with other archives.
    #[error("{}: its archives are of rkyv {theirs}, this mgl reads {ours}: use the mgl that recorded it", path.display())]
    Archives {
        /// The file.
        path: PathBuf,
        /// Release series of its archives.
        theirs: String,
        /// The one that is read here.
        ours: String,
    },
    /// The file header is damaged.
    #[error("{}: header: {problem}", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A chunk is damaged.
    #[error("{}: {kind} chunk at offset {offset}: {problem}", path.display())]
    Chunk {
        /// The file.
        path: PathBuf,
        /// Kind of the chunk.
        kind: ChunkKind,
        /// Where it starts in the file.
        offset: u64,
        /// What is wrong.
        problem: String,
    },
    /// A record is damaged.
    #[error("{}: records chunk at offset {offset}: frame {frame}, record {ordinal}: {error}", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// Where its chunk starts in the file.
        offset: u64,
        /// Frame.
        frame: u64,
        /// Ordinal of the record.
        ordinal: u64,
        /// What is wrong.
        error: DecodeError,
    },
    /// Frames that the file does not have.
    #[error("{}: frames {asked} were asked for; the file holds {held}", path.display())]
    NoFrames {
        /// The file.
        path: PathBuf,
        /// As asked.
        asked: String,
        /// What there is.
        held: String,
    },
    /// Larger than the format takes.
    #[error("{what} of {size} bytes is above the limit of {limit}")]
    TooLarge {
        /// What.
        what: String,
        /// Bytes.
        size: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// The text form says something that cannot be.
    #[error("{place}: {problem}")]
    Text {
        /// Record and field, or line and column.
        place: String,
        /// What is wrong.
        problem: String,
    },
}

impl TraceError {
    /// Whether another version of mgl reads the file: nothing is wrong with it.
    #[must_use]
    pub fn is_of_another_version(&self) -> bool {
        matches!(
            self,
            Self::Newer { .. } | Self::Archives { .. } | Self::Layout { .. }
        )
    }

    /// An [`TraceError::Io`].
    pub(super) fn io(
        path: &Path,
        action: &'static str,
    ) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |error| Self::Io {
            path,
            action,
            error,
        }
    }

    /// A [`TraceError::Text`].
    pub(super) fn text(place: impl Into<String>, problem: impl std::fmt::Display) -> Self {
        Self::Text {
            place: place.into(),
            problem: problem.to_string(),
        }
    }
}
