//! Payloads of class C (constant state objects) and T (state), with the elements of their tails.

use super::enums::*;
use crate::format::Format;
use crate::handle::*;
use crate::pipe::render_state::PipelineState;
use crate::pod::{Bool32, F32, Pad};

/// Colour attachments of a framebuffer and draw buffers.
pub const MAX_COLOR_ATTACHMENTS: usize = 8;
/// Merged texture units of all stages.
pub const MAX_TEXTURE_UNITS: u32 = 192;
/// Generic vertex attributes and vertex buffer binding points.
pub const MAX_VERTEX_ATTRIBS: u32 = 32;
/// Indexed buffer binding points a class.
pub const MAX_BUFFER_BINDINGS: u32 = 96;
/// Image units.
pub const MAX_IMAGE_UNITS: u32 = 192;
/// Stream output buffers.
pub const MAX_STREAM_OUTPUT_BUFFERS: u32 = 4;

crate::pod! {
    /// A render-state CSO: the pipeline part of [`crate::pipe::RenderState`].
    pub struct RenderStateDesc: 344 {
        /// The new CSO.
        render_state: RenderStateHandle,
        /// Its content.
        state: PipelineState,
    }
    /// Binds a render-state CSO.
    pub struct BindRenderState: 16 {
        /// The CSO.
        render_state: RenderStateHandle,
        /// The client's pipeline version, for messages.
        version: u32,
        /// Zero.
        #[serde(skip)]
        pad: Pad<4>,
    }
    /// Names one render-state CSO.
    pub struct RenderStateOnly: 8 {
        /// The CSO.
        render_state: RenderStateHandle,
    }
    /// A vertex-elements CSO; tails: enabled attributes and the binding points they use.
    pub struct VertexElements: 8 {
        /// The new CSO (create), or the one bound or deleted.
        vertex_elements: VertexElementsHandle,
    }
    /// An enabled attribute.
    pub struct VertexAttrib: 32 {
        /// Attribute location, below 32.
        location: u32,
        /// Binding point it reads, below 32.
        binding: u32,
        /// Components, 1 to 4.
        components: u32,
        /// Component type.
        ty: AttribType,
        /// How it reaches the shader.
        class: AttribClass,
        /// Components are stored BGRA.
        bgra: Bool32,
        /// Byte offset from the start of an element.
        relative_offset: u32,
        /// Zero.
        #[serde(skip)]
        pad: Pad<4>,
    }
    /// A binding point of a vertex-elements CSO.
    pub struct VertexBinding: 16 {
        /// Binding point, below 32.
        binding: u32,
        /// Bytes from element to element; 0 means one element for all vertices.
        stride: u32,
        /// Instances an element lasts; 0 is per vertex.
        divisor: u32,
        /// Zero.
        #[serde(skip)]
        pad: Pad<4>,
    }
    /// A sampler CSO.
    pub struct SamplerDesc: 80 {
        /// The new CSO.
        sampler: SamplerHandle,
        /// Minification filter.
        min_filter: MinFilter,
        /// Magnification filter.
        mag_filter: Filter,
        /// Wrap modes of s, t, r.
        wrap: [Wrap; 3],
        /// Comparison mode.
        compare_mode: CompareMode,
        /// Comparison function.
        compare_func: CompareFunc,
        /// Lowest level of detail.
        min_lod: F32,
        /// Highest level of detail.
        max_lod: F32,
        /// Bias of the level of detail.
        lod_bias: F32,
        /// Largest anisotropy, at least 1.
        max_anisotropy: F32,
        /// Border colour, as bits of `border_form`'s type.
        border_color: [u32; 4],
        /// Which form of border colour was written.
        border_form: BorderForm,
        /// Cube maps filter across faces.
        seamless: Bool32,
        /// sRGB decoding.
        srgb_decode: SrgbDecode,
    }
    /// Names one sampler CSO.
    pub struct SamplerOnly: 8 {
        /// The CSO.
        sampler: SamplerHandle,
    }
    /// A sampler view: restrictions of a texture only; parameters stand in [`super::TextureParams`].
    pub struct SamplerView: 48 {
        /// The new view.
        view: SamplerViewHandle,
        /// The texture.
        texture: TextureHandle,
        /// Format it is read as.
        format: Format,
        /// Target it is read as.
        target: Target,
        /// First level.
        first_level: u32,
        /// Levels.
        levels: u32,
        /// First layer.
        first_layer: u32,
        /// Layers.
        layers: u32,
        /// Zero.
        #[serde(skip)]
        pad: Pad<8>,
    }
    /// Names one sampler view.
    pub struct SamplerViewOnly: 8 {
        /// The view.
        view: SamplerViewHandle,
    }
    /// A linked program; blobs: SPIR-V a stage (vertex, tessellation control, tessellation evaluation, geometry,
    /// fragment, compute; empty where absent) and the reflection archive ([`crate::program`]).
    pub struct ProgramDesc: 16 {
        /// The new program.
        shader: ShaderHandle,
        /// Stages present.
        stages: StageMask,
        /// The application's name, for messages only.
        gl_name: u32,
    }
    /// Names one program (null: none).
    pub struct ShaderOnly: 8 {
        /// The program.
        shader: ShaderHandle,
    }
    /// Changed chunks of the dynamic part of the render state; the tail is their words, in chunk order.
    pub struct SetDynamicState: 8 {
        /// A bit a chunk of [`crate::pipe::render_state::DYNAMIC_CHUNKS`].
        chunks: u32,
        /// Zero.
        #[serde(skip)]
        pad: Pad<4>,
    }
    /// One attachment, with everything a back end needs to make a surface of it.
    ///
    /// Of a [`HandleKind::SURFACE`] the colour buffer is `layer` 0 (back) or 1 (front).
    pub struct Attachment: 32 {
        /// Texture, renderbuffer or surface; null where nothing is attached.
        resource: ResourceHandle,
        /// Its format.
        format: Format,
        /// Mipmap level.
        level: u32,
        /// Layer, face or slice.
        layer: u32,
        /// Layers of a layered attachment, 0 otherwise.
        layers: u32,
        /// What the texture is bound as.
        target: Target,
    }
    /// A complete framebuffer, resolved.
    pub struct FramebufferState: 416 {
        /// The framebuffer object; `{0,1}` the default one.
        framebuffer: FramebufferHandle,
        /// Which binding points this is for.
        binding: FramebufferBinding,
        /// Pixels of the common area.
        width: u32,
        /// Pixels of the common area.
        height: u32,
        /// Samples.
        samples: u32,
        /// Layers, 0 when not layered.
        layers: u32,
        /// Draw buffers: index of the colour attachment, or `NO_BUFFER`.
        draw_buffers: [u32; MAX_COLOR_ATTACHMENTS],
        /// Colour attachments.
        color: [Attachment; MAX_COLOR_ATTACHMENTS],
        /// Depth attachment.
        depth: Attachment,
        /// Stencil attachment.
        stencil: Attachment,
        /// The attachment that colour reads come from.
        read: Attachment,
        /// Zero.
        #[serde(skip)]
        pad: Pad<4>,
    }
    /// Tail: all vertex buffers in use.
    pub struct SetVertexBuffers: 8 {
        /// Zero.
        #[serde(skip)]
        pad: Pad<8>,
    }
    /// A bound vertex buffer.
    pub struct VertexBuffer: 24 {
        /// The buffer; null for a client array, whose bytes come with the draw.
        buffer: BufferHandle,
        /// First byte.
        offset: u64,
        /// Binding point, below 32.
        binding: u32,
        /// Bytes from element to element.
        stride: u32,
    }
    /// The index buffer.
    pub struct IndexBuffer: 8 {
        /// The buffer, or null.
        buffer: BufferHandle,
    }
    /// Buffers of indirect parameters.
    pub struct IndirectBuffers: 24 {
        /// Draw parameters.
        draw: BufferHandle,
        /// Dispatch parameters.
        dispatch: BufferHandle,
        /// Draw counts.
        parameter: BufferHandle,
    }
    /// Tail: all units with a view.
    pub struct SetSamplerViews: 8 {
        /// Zero.
        #[serde(skip)]
        pad: Pad<8>,
    }
    /// A view on a merged texture unit.
    pub struct BoundView: 24 {
        /// Unit, below 192.
        unit: u32,
        /// Zero.
        #[serde(skip)]
        pad: Pad<4>,
        /// The view.
        view: SamplerViewHandle,
        /// Its texture.
        texture: TextureHandle,
    }
    /// Tail: all units with a sampler.
    pub struct BindSamplerStates: 8 {
        /// Zero.
        #[serde(skip)]
        pad: Pad<8>,
    }
    /// A sampler on a merged texture unit.
    pub struct BoundSampler: 16 {
        /// Unit, below 192.
        unit: u32,
        /// Zero.
        #[serde(skip)]
        pad: Pad<4>,
        /// The sampler.
        sampler: SamplerHandle,
    }
    /// Tail: all image units in use.
    pub struct SetShaderImages: 8 {
        /// Zero.
        #[serde(skip)]
        pad: Pad<8>,
    }
    /// An image unit.
    pub struct ImageView: 40 {
        /// Unit, below 192.
        unit: u32,
        /// Level.
        level: u32,
        /// First layer.
        layer: u32,
        /// Layers.
        layers: u32,
        /// Format it is accessed as.
        format: Format,
        /// Access.
        access: ImageAccess,
        /// The texture.
        texture: TextureHandle,
        /// Target.
        target: Target,
        /// Zero.
        #[serde(skip)]
        pad: Pad<4>,
    }
    /// Tail: all binding points of one class in use.
    pub struct SetShaderBuffers: 8 {
        /// Which binding points.
        class: BufferClass,
        /// Zero.
        #[serde(skip)]
        pad: Pad<4>,
    }
    /// A buffer range on an indexed binding point.
    pub struct BufferBinding: 32 {
        /// Binding point, below 96.
        index: u32,
        /// Zero.
        #[serde(skip)]
        pad: Pad<4>,
        /// The buffer.
        buffer: BufferHandle,
        /// First byte.
        offset: u64,
        /// Bytes, resolved.
        size: u64,
    }
    /// Tail: the buffers of the bound stream output object.
    pub struct SetStreamOutputTargets: 8 {
        /// The object, `{0,0}` the default one.
        stream_output: StreamOutputHandle,
    }
    /// New bytes of a program's default uniform block; the blob holds `offset..offset+blob length`.
    pub struct SetGlobalConstants: 16 {
        /// The program.
        shader: ShaderHandle,
        /// First byte in the block.
        offset: u32,
        /// Bytes of the whole block.
        block_size: u32,
    }
    /// Tail: current values of attributes that no array feeds.
    pub struct SetVertexAttribDefaults: 8 {
        /// Zero.
        #[serde(skip)]
        pad: Pad<8>,
    }
    /// Current value of a generic attribute.
    pub struct AttribValue: 40 {
        /// Location, below 32.
        location: u32,
        /// Type.
        ty: ValueType,
        /// Four components as bits; two words each for doubles, low word first.
        bits: [u32; 8],
    }
    /// Pack state of read-backs into buffers (GL 4.6 §18.2.1).
    pub struct PixelPackState: 32 {
        /// 1, 2, 4 or 8.
        alignment: u32,
        /// Pixels, 0 for the width read.
        row_length: u32,
        /// Rows, 0 for the height read.
        image_height: u32,
        /// Pixels.
        skip_pixels: u32,
        /// Rows.
        skip_rows: u32,
        /// Images.
        skip_images: u32,
        /// Byte order is swapped.
        swap_bytes: Bool32,
        /// Bits are filled from the low end.
        lsb_first: Bool32,
    }
    /// Patch parameters (GL 4.6 §10.1.15).
    pub struct PatchState: 32 {
        /// Vertices a patch.
        vertices: u32,
        /// Default outer levels.
        outer: [F32; 4],
        /// Default inner levels.
        inner: [F32; 2],
        /// Zero.
        #[serde(skip)]
        pad: Pad<4>,
    }
    /// Tails: what the program's opaque uniforms and blocks are bound to.
    pub struct SetProgramBindings: 8 {
        /// The program.
        shader: ShaderHandle,
    }
    /// A sampler or image slot of a program and the unit it reads.
    pub struct SlotUnit: 8 {
        /// Slot, as numbered by the reflection archive.
        slot: u32,
        /// Unit, below 192.
        unit: u32,
    }
    /// A block of a program and the binding point it reads.
    pub struct BlockBinding: 8 {
        /// Block index, as numbered by the reflection archive.
        block: u32,
        /// Binding point, below 96.
        binding: u32,
    }
}

/// A draw buffer that nothing is written to.
pub const NO_BUFFER: u32 = u32::MAX;
