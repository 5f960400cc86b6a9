//! Payloads of class V (verbs): the calls that consume state.

use super::enums::*;
use super::object::Box3;
use crate::format::Format;
use crate::handle::*;
use crate::pod::{Bool32, F32, Pad};

crate::pod! {
    /// A draw. Tails: its ranges, and the client arrays that came along; blobs: user indices, client array bytes.
    pub struct DrawInfo: 80 {
        /// Primitive mode.
        mode: Primitive,
        /// Bytes an index: 1, 2, 4, or 0 for a draw without indices.
        index_size: u32,
        /// Instances, at least 1.
        instances: u32,
        /// First instance.
        base_instance: u32,
        /// Restart index, when RESTART is set.
        restart_index: u32,
        /// Flags.
        flags: DrawFlags,
        /// Smallest index, when INDEX_BOUNDS is set.
        min_index: u32,
        /// Largest index, when INDEX_BOUNDS is set.
        max_index: u32,
        /// Indirect: first byte of the parameters.
        indirect_offset: u64,
        /// Indirect: bytes from draw to draw.
        indirect_stride: u32,
        /// Indirect: draws (largest number with INDIRECT_COUNT).
        indirect_draws: u32,
        /// Indirect: first byte of the count.
        count_offset: u64,
        /// Stream output object that gives the vertex count.
        stream_output: StreamOutputHandle,
        /// Vertex stream of it.
        stream: u32,
        /// Vertices a patch, for messages.
        patch_vertices: u32,
        /// Vertices that this draw captures, when CAPTURING is set.
        captured_vertices: u64,
    }
    /// One range of a draw.
    pub struct DrawRange: 16 {
        /// First vertex, or first index (counted in indices from the start of the index buffer or blob).
        start: u32,
        /// Vertices or indices.
        count: u32,
        /// Added to every index.
        base_vertex: i32,
        /// Number of the draw inside its multi-draw (gl_DrawID).
        draw_id: u32,
    }
    /// A client array whose bytes came with the draw.
    pub struct UserArray: 32 {
        /// Binding point.
        binding: u32,
        /// First element (vertex or instance) that the bytes hold.
        first: u32,
        /// First byte in the blob.
        offset: u64,
        /// Bytes.
        size: u64,
        /// Zero.
        #[serde(skip)]
        pad: Pad<8>,
    }
    /// Clears buffers of the bound draw framebuffer, whole or inside the scissor, as masks and dynamic state say.
    pub struct Clear: 48 {
        /// Which buffers: draw buffers by index, depth, stencil.
        buffers: BufferMask,
        /// Type of `color`.
        color_type: ValueType,
        /// Colour, as bits.
        color: [u32; 4],
        /// Depth.
        depth: F32,
        /// Stencil.
        stencil: u32,
        /// Zero.
        #[serde(skip)]
        pad: Pad<16>,
    }
    /// A rectangle by two corners; mirrored when they are out of order.
    pub struct Rect: 16 {
        /// First corner.
        x0: i32,
        /// First corner.
        y0: i32,
        /// Second corner.
        x1: i32,
        /// Second corner.
        y1: i32,
    }
    /// Copies pixels from the read to the draw framebuffer (GL 4.6 §18.3.1). Colour goes to all draw buffers.
    pub struct Blit: 48 {
        /// Source.
        src: Rect,
        /// Destination.
        dst: Rect,
        /// COLOR0 stands for colour; depth; stencil.
        buffers: BufferMask,
        /// Filter.
        filter: Filter,
        /// Zero.
        #[serde(skip)]
        pad: Pad<8>,
    }
    /// Reads pixels of the read framebuffer. The reply is rows, bottom up, tight, in the transfer layout of `format`,
    /// which is the read attachment's own (or that of depth or stencil). Pixels outside are left zero. What is multisampled
    /// is resolved, unless one sample is asked for.
    pub struct ReadPixels: 32 {
        /// First column.
        x: i32,
        /// First row.
        y: i32,
        /// Columns.
        width: u32,
        /// Rows.
        height: u32,
        /// Format of the reply.
        format: Format,
        /// COLOR0, DEPTH, STENCIL or both of the latter.
        buffers: BufferMask,
        /// One sample of every pixel is read.
        by_sample: Bool32,
        /// Which sample that is.
        sample: u32,
    }
    /// Reads pixels into a buffer, by the pack state.
    pub struct ReadPixelsToBuffer: 56 {
        /// What is read.
        read: ReadPixels,
        /// Where it goes.
        buffer: BufferHandle,
        /// First byte.
        offset: u64,
        /// GL format of the bytes written.
        gl_format: u32,
        /// GL type of the bytes written.
        gl_type: u32,
    }
    /// Copies pixels of the read framebuffer into a texture level (GL 4.6 §8.6).
    pub struct CopyToTexture: 64 {
        /// The texture.
        texture: TextureHandle,
        /// Level.
        level: u32,
        /// Format of the level.
        format: Format,
        /// Where in the level; depth is 1.
        area: Box3,
        /// First column of the framebuffer.
        x: i32,
        /// First row of the framebuffer.
        y: i32,
        /// Zero.
        #[serde(skip)]
        pad: Pad<16>,
    }
    /// A dispatch.
    pub struct GridInfo: 32 {
        /// Work groups.
        groups: [u32; 3],
        /// Parameters come from the indirect buffer.
        indirect: Bool32,
        /// First byte of the parameters.
        offset: u64,
        /// Zero.
        #[serde(skip)]
        pad: Pad<8>,
    }
    /// A memory barrier.
    pub struct MemoryBarrier: 8 {
        /// Which accesses.
        barriers: BarrierMask,
        /// Only inside the framebuffer region.
        by_region: Bool32,
    }
    /// Begins, ends, pauses, resumes or binds a stream output object.
    pub struct StreamOutputOp: 16 {
        /// The object.
        stream_output: StreamOutputHandle,
        /// Captured primitive (begin).
        primitive: CapturePrimitive,
        /// Zero.
        #[serde(skip)]
        pad: Pad<4>,
    }
    /// A marker or group of EXT_debug_marker or GREMEDY_string_marker; its text is the blob.
    pub struct DebugMarker: 8 {
        /// 0 marker, 1 push group, 2 pop group.
        kind: u32,
        /// The application's id.
        id: u32,
    }
    /// A debug message of the application's own (GL 4.6 §20.5); its text is the blob.
    pub struct DebugMessage: 16 {
        /// Who speaks.
        source: DebugSource,
        /// What it is about.
        kind: DebugType,
        /// How much it matters.
        severity: DebugSeverity,
        /// The application's id.
        id: u32,
    }
    /// Opens a debug group (GL 4.6 §20.6); its text is the blob.
    pub struct DebugGroup: 8 {
        /// Who speaks.
        source: DebugSource,
        /// The application's id.
        id: u32,
    }
    /// Closes the innermost debug group.
    pub struct DebugGroupEnd: 8 {
        /// Zero.
        #[serde(skip)]
        pad: Pad<8>,
    }
    /// Hands work to the GPU.
    pub struct Flush: 8 {
        /// Flags.
        flags: FlushFlags,
        /// Zero.
        #[serde(skip)]
        pad: Pad<4>,
    }
    /// Swap interval of a surface.
    pub struct SwapInterval: 16 {
        /// The surface.
        surface: SurfaceHandle,
        /// Frames a swap; negative is adaptive.
        interval: i32,
        /// Zero.
        #[serde(skip)]
        pad: Pad<4>,
    }
    /// Shows a surface's back buffer; ends a frame.
    pub struct Present: 16 {
        /// The surface.
        surface: SurfaceHandle,
        /// Zero.
        #[serde(skip)]
        pad: Pad<8>,
    }
}
