//! Payloads of class S (screen) and Q (query).

use super::enums::*;
use crate::format::Format;
use crate::handle::*;
use crate::pod::{Bool32, Pad};

crate::pod! {
    /// Asks what the back end can do. The reply is a [`crate::pipe::Caps`].
    pub struct GetCaps: 8 {
        /// Version of the catalogue that the client speaks.
        version: u32,
        /// Zero.
        #[serde(skip)]
        pad: Pad<4>,
    }
    /// A resource: what ResourceCreate makes and ResourceRespecify makes anew under the same handle.
    ///
    /// Extents are of level 0: `width` in texels (bytes for a buffer, with `size`), `height` and `depth` at least 1,
    /// `layers` of arrays (6 for a cube map, 6n for its arrays, 1 otherwise). `levels` is the number of levels that have
    /// storage. A respecified texture keeps the content of those levels whose extent, format and samples stay.
    pub struct ResourceDesc: 112 {
        /// Buffer, texture or renderbuffer.
        resource: ResourceHandle,
        /// What it is.
        target: Target,
        /// How its storage was made.
        storage: StorageKind,
        /// What it may be bound as.
        bind: BindMask,
        /// Resolved internal format; none for buffers.
        format: Format,
        /// Texels; 0 for buffers.
        width: u32,
        /// Texels.
        height: u32,
        /// Texels.
        depth: u32,
        /// Array layers or faces.
        layers: u32,
        /// Mipmap levels.
        levels: u32,
        /// Samples a texel; 0 and 1 are single-sampled.
        samples: u32,
        /// Usage hint of a buffer.
        usage: BufferUsage,
        /// Flags of immutable buffer storage.
        storage_flags: StorageFlags,
        /// Flags.
        flags: ResourceFlags,
        /// Buffer texture: the buffer. View: null.
        buffer: BufferHandle,
        /// Texture view: the storage owner.
        view_of: TextureHandle,
        /// Texture view: first level of the owner.
        view_level: u32,
        /// Texture view: first layer of the owner.
        view_layer: u32,
        /// The application's name, for messages only: never identity, never hashed.
        gl_name: u32,
        /// Zero.
        #[serde(skip)]
        pad: Pad<4>,
        /// Buffer: bytes. Buffer texture: bytes of the live range.
        size: u64,
        /// Buffer texture: first byte of the live range.
        offset: u64,
    }
    /// Names one resource.
    pub struct ResourceOnly: 16 {
        /// The resource.
        resource: ResourceHandle,
        /// Zero.
        #[serde(skip)]
        pad: Pad<4>,
    }
    /// A persistent mapping of a buffer.
    pub struct MapRange: 32 {
        /// The buffer.
        buffer: BufferHandle,
        /// First byte.
        offset: u64,
        /// Bytes.
        size: u64,
        /// Access.
        access: StorageFlags,
        /// Zero.
        #[serde(skip)]
        pad: Pad<4>,
    }
    /// Names one fence.
    pub struct FenceOnly: 8 {
        /// The fence.
        fence: FenceHandle,
    }
    /// Waits for a fence.
    pub struct FenceWait: 24 {
        /// The fence.
        fence: FenceHandle,
        /// Nanoseconds.
        timeout_ns: u64,
        /// Flush first.
        flush: Bool32,
        /// Zero.
        #[serde(skip)]
        pad: Pad<4>,
    }
    /// Forgets all that was pushed: the session starts anew.
    pub struct ContextReset: 8 {
        /// Counts resets.
        epoch: u32,
        /// Zero.
        #[serde(skip)]
        pad: Pad<4>,
    }
    /// A GL context.
    pub struct ContextDesc: 24 {
        /// The new context.
        context: ContextHandle,
        /// A context whose share group it joins, or null.
        share: ContextHandle,
        /// Profile.
        profile: ContextProfile,
        /// Flags.
        flags: ContextFlags,
    }
    /// Names one context.
    pub struct ContextOnly: 8 {
        /// The context.
        context: ContextHandle,
    }
    /// The speaker of the records that follow, and its default framebuffer's surfaces (null without one).
    pub struct BindContext: 24 {
        /// The context; null when none is current.
        context: ContextHandle,
        /// Draw surface.
        draw: SurfaceHandle,
        /// Read surface.
        read: SurfaceHandle,
    }
    /// A window or pbuffer: the storage of a default framebuffer. Native windows never stand in a record.
    pub struct SurfaceDesc: 40 {
        /// The surface.
        surface: SurfaceHandle,
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
        /// Colour format.
        color: Format,
        /// Depth and stencil format, or none.
        depth_stencil: Format,
        /// Samples a pixel; 0 and 1 are single-sampled.
        samples: u32,
        /// Has a back buffer.
        double_buffered: Bool32,
        /// Zero.
        #[serde(skip)]
        pad: Pad<8>,
    }
    /// Names one surface.
    pub struct SurfaceOnly: 8 {
        /// The surface.
        surface: SurfaceHandle,
    }
    /// A debug label (GL 4.6 §20.7); its text is the blob, and an empty one takes the label away. It may come before its
    /// object, and ends when it is taken away: the client does so when it gives the handle back.
    pub struct ObjectLabel: 16 {
        /// Kind of the object.
        kind: HandleKind,
        /// The object.
        handle: Handle,
        /// Zero.
        #[serde(skip)]
        pad: Pad<4>,
    }
    /// A query: made, begun, ended, or written as a counter.
    pub struct QueryDesc: 16 {
        /// The query.
        query: QueryHandle,
        /// Its target.
        target: QueryTarget,
        /// Vertex stream.
        index: u32,
    }
    /// Names one query.
    pub struct QueryOnly: 8 {
        /// The query.
        query: QueryHandle,
    }
    /// Asks for the time stamp of the server.
    pub struct QueryTimestamp: 8 {
        /// Zero.
        #[serde(skip)]
        pad: Pad<8>,
    }
}
