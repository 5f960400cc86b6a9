//! The reverse channel: what a back end tells the client, in order with the command stream (design: pipe contract 3.6).

use super::backend::BackendError;
use super::error::ApplyError;
use crate::handle::{BufferHandle, ResourceHandle, SurfaceHandle, TextureHandle};
use serde::{Deserialize, Serialize};

/// How loud a log line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum LogLevel {
    /// For developers.
    Debug,
    /// For the curious.
    Info,
    /// Something is off.
    Warn,
    /// Something failed; never dropped.
    Error,
}

/// What became of a call that was not carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum OutcomeKind {
    /// It does not go with what was pushed before; nothing changed.
    Refused,
    /// The back end does not take the call; nothing changed.
    NotTaken,
    /// The back end does not lower what it asks for; state changed.
    Unsupported,
    /// There was no memory for it; state changed.
    OutOfMemory,
    /// The back end failed; state changed.
    Failed,
    /// The device was lost; state changed.
    Lost,
}

impl OutcomeKind {
    /// Of an error.
    #[must_use]
    pub fn of(e: &ApplyError) -> Self {
        match e {
            ApplyError::NotTaken { .. } => Self::NotTaken,
            ApplyError::Backend { error, .. } => match error {
                BackendError::Unsupported(_) => Self::Unsupported,
                BackendError::OutOfMemory(_) => Self::OutOfMemory,
                BackendError::Driver(_) => Self::Failed,
                BackendError::Lost(_) => Self::Lost,
            },
            _ => Self::Refused,
        }
    }

    /// Whether pushed state is as it was before the call.
    #[must_use]
    pub fn leaves_state(self) -> bool {
        matches!(self, Self::Refused | Self::NotTaken)
    }
}

/// An event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// A GL error that only the back end could find (out of memory).
    GlError {
        /// GL error code.
        code: u32,
        /// What failed.
        detail: String,
    },
    /// The GPU wrote ranges of a buffer.
    GpuWritten {
        /// The buffer.
        buffer: BufferHandle,
        /// First byte and bytes of each range.
        ranges: Vec<(u64, u64)>,
    },
    /// Bytes of a buffer, on their way back to the client.
    BufferWriteback {
        /// The buffer.
        buffer: BufferHandle,
        /// First byte.
        offset: u64,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Texels of a level, on their way back to the client.
    TextureWriteback {
        /// The texture.
        texture: TextureHandle,
        /// Level.
        level: u32,
        /// Rows in the transfer layout.
        bytes: Vec<u8>,
    },
    /// The back end wants a level anew; ended by ResourceSubDataComplete.
    TexturePullRequest {
        /// The resource.
        resource: ResourceHandle,
        /// Level.
        level: u32,
        /// Number to answer with.
        request: u64,
    },
    /// Levels exist now (shape only).
    MipLevelsGenerated {
        /// The texture.
        texture: TextureHandle,
        /// First level made.
        first: u32,
        /// Last level made.
        last: u32,
    },
    /// A surface has another size.
    SurfaceChanged {
        /// The surface.
        surface: SurfaceHandle,
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
    },
    /// Capabilities must be asked for again.
    CapsInvalidated,
    /// A line of log.
    Log {
        /// Level.
        level: LogLevel,
        /// Text.
        text: String,
    },
    /// A call was not carried out.
    Outcome {
        /// How many records came between its record and this event.
        behind: u64,
        /// What became of it.
        kind: OutcomeKind,
        /// Why, in words.
        text: String,
    },
}
