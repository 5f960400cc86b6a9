//! The reverse channel: what a back end tells the client, in order with the command stream (design: pipe contract 3.6).

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
}
