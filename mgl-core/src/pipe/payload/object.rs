//! Payloads of class O (object operations).

use super::enums::*;
use crate::format::Format;
use crate::handle::*;
use crate::pod::{F32, Pad};

crate::pod! {
    /// A box of texels (z counts slices, layers or faces), or a byte range of a buffer in x and width.
    pub struct Box3: 24 {
        /// First column.
        x: u32,
        /// First row.
        y: u32,
        /// First slice, layer or face.
        z: u32,
        /// Columns.
        width: u32,
        /// Rows.
        height: u32,
        /// Slices, layers or faces.
        depth: u32,
    }
    /// Parameters of a texture object, its own sampler included.
    pub struct TextureParams: 72 {
        /// The texture.
        texture: TextureHandle,
        /// The texture's own sampler.
        sampler: SamplerHandle,
        /// First level used.
        base_level: u32,
        /// Last level used, as set.
        max_level: u32,
        /// Component sources.
        swizzle: [Swizzle; 4],
        /// What a depth-stencil texture yields.
        depth_stencil_mode: DepthStencilMode,
        /// Lowest level of detail.
        min_lod: F32,
        /// Highest level of detail.
        max_lod: F32,
        /// Bias of the level of detail.
        lod_bias: F32,
        /// Zero.
        #[serde(skip)]
        pad: Pad<16>,
    }
    /// An upload into one level of a texture or into a buffer.
    ///
    /// Texture: `union_box` bounds everything that changed; the blob is the box's rows in the format's transfer layout,
    /// tight (`row_stride`, `image_stride` bytes); the tail's regions are the parts that really changed, given as
    /// boxes and byte offsets into the blob. Of a multisampled texture one sample of every texel is written. Buffer: the
    /// blob goes to `offset`, and there are no regions.
    pub struct SubData: 72 {
        /// The resource.
        resource: ResourceHandle,
        /// Mipmap level; 0 for buffers.
        level: u32,
        /// Union box; zero for buffers.
        union_box: Box3,
        /// Buffers: first byte.
        offset: u64,
        /// Bytes from row to row in the blob.
        row_stride: u32,
        /// Flags.
        flags: SubDataFlags,
        /// Bytes from slice to slice in the blob.
        image_stride: u64,
        /// Which sample is written. A driver may have more than were asked for: those beyond repeat them in turn.
        sample: u32,
        /// Zero.
        #[serde(skip)]
        pad: Pad<4>,
    }
    /// A changed part of an upload's union box.
    pub struct SubRegion: 32 {
        /// Where, in the level.
        area: Box3,
        /// First byte of it in the blob.
        offset: u64,
    }
    /// Ends the answer to a pull request.
    pub struct SubDataComplete: 24 {
        /// The resource.
        resource: ResourceHandle,
        /// The level.
        level: u32,
        /// The request.
        request: u64,
    }
    /// A byte range of a buffer.
    pub struct BufferRange: 24 {
        /// The buffer.
        buffer: BufferHandle,
        /// First byte.
        offset: u64,
        /// Bytes.
        size: u64,
    }
    /// Copies texels or bytes between resources of compatible formats.
    pub struct CopyRegion: 72 {
        /// Source.
        src: ResourceHandle,
        /// Destination.
        dst: ResourceHandle,
        /// Source level.
        src_level: u32,
        /// Destination level.
        dst_level: u32,
        /// Source box (buffers: byte range, x and width).
        src_box: Box3,
        /// Destination corner.
        dst_x: u32,
        /// Destination corner.
        dst_y: u32,
        /// Destination corner.
        dst_z: u32,
        /// Zero.
        #[serde(skip)]
        pad: Pad<4>,
    }
    /// Fills a box of a level, or a range of a buffer, with one value.
    pub struct ClearResource: 80 {
        /// The resource.
        resource: ResourceHandle,
        /// Level.
        level: u32,
        /// Where.
        area: Box3,
        /// Format of `value`.
        format: Format,
        /// Bytes of one texel that `value` holds.
        value_size: u32,
        /// One texel in the format's transfer layout.
        value: [u32; 4],
        /// Buffers: first byte.
        offset: u64,
        /// Buffers: bytes.
        size: u64,
    }
    /// Content that need not be kept.
    pub struct Invalidate: 56 {
        /// The resource.
        resource: ResourceHandle,
        /// Level.
        level: u32,
        /// Where.
        area: Box3,
        /// Buffers: first byte.
        offset: u64,
        /// Buffers: bytes.
        size: u64,
    }
    /// Makes the levels after `base_level` from it.
    pub struct GenerateMipmap: 24 {
        /// The texture.
        texture: TextureHandle,
        /// First level read.
        base_level: u32,
        /// Last level written.
        last_level: u32,
        /// Cube map face, or 0.
        layer: u32,
        /// Layers, or 0 for all.
        layers: u32,
    }
    /// Reads a box of a level. The reply is its rows, tight, in the transfer layout of `format`, which is the
    /// texture's own; of a multisampled texture one sample of every texel.
    pub struct GetTextureImage: 48 {
        /// The texture.
        texture: TextureHandle,
        /// Level.
        level: u32,
        /// Format of the reply.
        format: Format,
        /// Where.
        area: Box3,
        /// Which sample is read.
        sample: u32,
        /// Zero.
        #[serde(skip)]
        pad: Pad<4>,
    }
    /// Reads a box of a level into a buffer, by the pack state.
    pub struct GetTextureImageToBuffer: 72 {
        /// What is read.
        image: GetTextureImage,
        /// Where it goes.
        buffer: BufferHandle,
        /// First byte.
        offset: u64,
        /// GL format of the bytes written.
        gl_format: u32,
        /// GL type of the bytes written.
        gl_type: u32,
    }
    /// A framebuffer or stream output object is gone.
    pub struct ObjectDeath: 16 {
        /// Framebuffer or stream output.
        kind: HandleKind,
        /// The object.
        handle: Handle,
        /// Zero.
        #[serde(skip)]
        pad: Pad<4>,
    }
}
