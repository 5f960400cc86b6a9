//! What crosses the pipe with a program's SPIR-V: the reflection archive (design page 3, ProgramDesc;
//! page 5.4). The client's linker fills it once; the client answers every GL query about the program
//! from it (GL 3.3 §2.11), and a back end draws from it without looking anything up by name in
//! generated source. Pure data: nothing here knows a shader compiler or a graphics API.
//!
//! # SPIR-V conventions that belong to the archive
//!
//! - Descriptor set [`SET_DEFAULT_BLOCK`], binding 0: the default uniform block, one std140 block for
//!   all stages, with the same member offsets in every stage.
//! - Set [`SET_UNIFORM_BLOCKS`], binding = GL block index. An arrayed block is one variable whose
//!   elements take consecutive bindings.
//! - Set [`SET_SAMPLERS`], binding = sampler slot of the first element. Slots are dense over all
//!   stages; an array takes one a element.
//! - Clip space is GL's (z from -w to w), `InstanceIndex` includes the base instance,
//!   `VertexIndex` includes the base vertex; back ends convert.
//! - Booleans in blocks are 32-bit words, zero or one.

mod gltype;

pub use gltype::{ComponentKind, GlType, NumericShape, SamplerDim, SamplerShape};

use serde::{Deserialize, Serialize};

/// Descriptor set of the default uniform block.
pub const SET_DEFAULT_BLOCK: u32 = 0;
/// Descriptor set of the named uniform blocks.
pub const SET_UNIFORM_BLOCKS: u32 = 1;
/// Descriptor set of the samplers.
pub const SET_SAMPLERS: u32 = 2;

/// First bytes of an encoded archive; the last one is its layout's version.
const MAGIC: [u8; 4] = *b"mgR\x01";
/// Most bytes that an archive may have; a real one has a few kilobytes.
const MAX_ARCHIVE_BYTES: usize = 16 << 20;
/// Most entries of any list in an archive.
const MAX_ENTRIES: usize = 1 << 16;
/// Most bytes of a default uniform block.
const MAX_DEFAULT_BLOCK_BYTES: u32 = 1 << 20;

/// A programmable stage, in pipeline order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum ShaderStage {
    Vertex = 0,
    TessControl = 1,
    TessEval = 2,
    Geometry = 3,
    Fragment = 4,
    Compute = 5,
}

impl ShaderStage {
    /// All stages in pipeline order.
    pub const ALL: [ShaderStage; 6] = [
        ShaderStage::Vertex,
        ShaderStage::TessControl,
        ShaderStage::TessEval,
        ShaderStage::Geometry,
        ShaderStage::Fragment,
        ShaderStage::Compute,
    ];

    /// The stage of a GL shader type (`GL_VERTEX_SHADER` and so on).
    pub const fn from_gl(shader_type: u32) -> Option<ShaderStage> {
        Some(match shader_type {
            0x8B31 => ShaderStage::Vertex,
            0x8E88 => ShaderStage::TessControl,
            0x8E87 => ShaderStage::TessEval,
            0x8DD9 => ShaderStage::Geometry,
            0x8B30 => ShaderStage::Fragment,
            0x91B9 => ShaderStage::Compute,
            _ => return None,
        })
    }

    /// The GL shader type.
    pub const fn to_gl(self) -> u32 {
        match self {
            ShaderStage::Vertex => 0x8B31,
            ShaderStage::TessControl => 0x8E88,
            ShaderStage::TessEval => 0x8E87,
            ShaderStage::Geometry => 0x8DD9,
            ShaderStage::Fragment => 0x8B30,
            ShaderStage::Compute => 0x91B9,
        }
    }

    /// The stage as info logs write it.
    pub const fn name(self) -> &'static str {
        match self {
            ShaderStage::Vertex => "vertex",
            ShaderStage::TessControl => "tessellation control",
            ShaderStage::TessEval => "tessellation evaluation",
            ShaderStage::Geometry => "geometry",
            ShaderStage::Fragment => "fragment",
            ShaderStage::Compute => "compute",
        }
    }

    /// The set with this stage only.
    pub const fn mask(self) -> StageMask {
        StageMask(1 << self as u8)
    }
}

/// A set of stages; bit n is the stage with discriminant n.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StageMask(pub u8);

impl StageMask {
    /// True when `stage` is in the set.
    pub const fn contains(self, stage: ShaderStage) -> bool {
        self.0 & stage.mask().0 != 0
    }

    /// True for the empty set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The stages of the set in pipeline order.
    pub fn iter(self) -> impl Iterator<Item = ShaderStage> {
        ShaderStage::ALL
            .into_iter()
            .filter(move |s| self.contains(*s))
    }
}

impl std::ops::BitOr for StageMask {
    type Output = StageMask;
    fn bitor(self, rhs: StageMask) -> StageMask {
        StageMask(self.0 | rhs.0)
    }
}

impl std::ops::BitOrAssign for StageMask {
    fn bitor_assign(&mut self, rhs: StageMask) {
        self.0 |= rhs.0;
    }
}

impl std::ops::BitOrAssign<ShaderStage> for StageMask {
    fn bitor_assign(&mut self, rhs: ShaderStage) {
        self.0 |= rhs.mask().0;
    }
}

/// Where an active uniform lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum UniformPlace {
    /// In the default uniform block, at `Uniform::offset`.
    Default,
    /// In the named uniform block with this index.
    Block(u32),
    /// A sampler; the number indexes [`Reflection::samplers`].
    Sampler(u32),
}

/// One active uniform as GL enumerates it (GL 3.3 §2.11.4): structures are flattened down to basic
/// types, an array of a basic type is one entry. The position in [`Reflection::uniforms`] is the GL
/// uniform index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uniform {
    /// As `glGetActiveUniform` returns it: with `[0]` at the end of an array, `Block.member` for a
    /// member of a block with an instance name.
    pub name: String,
    pub ty: GlType,
    /// Number of array elements, 1 for a non-array.
    pub size: u32,
    /// Declared as an array (an array of one element is an array).
    pub is_array: bool,
    pub place: UniformPlace,
    /// First location; element n of an array has `location + n`. -1 for members of named blocks.
    pub location: i32,
    /// Byte offset in its block; 0 for samplers.
    pub offset: u32,
    /// Bytes from one array element to the next; 0 for non-arrays and samplers.
    pub array_stride: u32,
    /// Bytes from one column (row, if `row_major`) to the next; 0 for non-matrices.
    pub matrix_stride: u32,
    pub row_major: bool,
    /// Stages that reference it.
    pub stages: StageMask,
}

/// The default uniform block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DefaultBlock {
    /// Bytes, a multiple of 16.
    pub size: u32,
    /// Initial content from uniform initialisers; `size` bytes, or empty when all of it is zero.
    pub preset: Vec<u8>,
    /// Stages whose SPIR-V declares the block.
    pub stages: StageMask,
    /// Where the members of `gl_DepthRange` lie, when a stage reads it; the client keeps them
    /// current with `glDepthRange`.
    pub depth_range: Option<DepthRangeOffsets>,
}

/// Byte offsets in the default block of `gl_DepthRange`'s members, each one float.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DepthRangeOffsets {
    pub near: u32,
    pub far: u32,
    pub diff: u32,
}

/// One named uniform block; its position in [`Reflection::uniform_blocks`] is the GL block index
/// and the SPIR-V binding in set [`SET_UNIFORM_BLOCKS`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UniformBlock {
    /// The block's name, with `[n]` for an element of an arrayed block.
    pub name: String,
    /// `GL_UNIFORM_BLOCK_DATA_SIZE`, bytes.
    pub size: u32,
    /// Element of an arrayed block, 0 for others.
    pub array_element: u32,
    /// Elements of the arrayed block that this one belongs to, 0 for a block that is no array.
    pub array_size: u32,
    /// Uniform buffer binding point given in the source (`layout(binding)`), 0 otherwise.
    pub initial_binding: u32,
    /// Indices into [`Reflection::uniforms`].
    pub members: Vec<u32>,
    pub stages: StageMask,
}

/// One active sampler uniform.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sampler {
    /// Index into [`Reflection::uniforms`].
    pub uniform: u32,
    pub ty: GlType,
    /// Elements of the array, 1 for a non-array.
    pub array_size: u32,
    /// Sampler slot of the first element, which is also its SPIR-V binding in set
    /// [`SET_SAMPLERS`]; the elements take `slot .. slot + array_size`.
    pub slot: u32,
    /// Texture unit of the first element given in the source (`layout(binding)`), 0 otherwise; the
    /// next elements follow it when `has_initial_unit`.
    pub initial_unit: u32,
    pub has_initial_unit: bool,
    pub stages: StageMask,
}

/// One active vertex attribute (GL 3.3 §2.11.3). A matrix takes one location a column, an array
/// that many an element.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attribute {
    /// As declared; `gl_VertexID` and its kin are in the list too.
    pub name: String,
    pub ty: GlType,
    /// Number of array elements, 1 for a non-array.
    pub size: u32,
    /// Generic attribute index; -1 for built-ins.
    pub location: i32,
}

/// One fragment output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FragOutput {
    pub name: String,
    pub ty: GlType,
    /// Number of array elements, 1 for a non-array; element n has `location + n`.
    pub size: u32,
    pub is_array: bool,
    pub location: u32,
    /// 1 for the second source of dual-source blending.
    pub index: u32,
}

/// How captured varyings are laid out (GL 3.3 §2.14).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum XfbMode {
    Interleaved,
    Separate,
}

/// One captured varying.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct XfbVarying {
    /// As passed to `glTransformFeedbackVaryings`, e.g. `gl_Position` or `v[2]`.
    pub name: String,
    pub ty: GlType,
    /// Array elements captured, 1 for a non-array or a single element.
    pub size: u32,
    pub buffer: u32,
    /// Byte offset in the vertex's record in that buffer.
    pub offset: u32,
    /// What is captured; `None` for `gl_SkipComponentsN` (then `size` floats are skipped).
    pub source: Option<XfbSource>,
}

/// The output that an [`XfbVarying`] reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum XfbSource {
    /// SPIR-V `BuiltIn` number of a built-in output (0 is Position, 1 PointSize), element for
    /// `gl_ClipDistance[n]`.
    BuiltIn { builtin: u32, element: u32 },
    /// Location of the first component captured.
    Location(u32),
}

/// Transform feedback of the last vertex-processing stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransformFeedback {
    pub mode: XfbMode,
    pub varyings: Vec<XfbVarying>,
    /// Bytes a vertex in each buffer used.
    pub strides: Vec<u32>,
}

/// Primitives that a geometry shader takes or gives, by their GL enumerants' meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GeometryPrimitive {
    Points,
    Lines,
    LinesAdjacency,
    Triangles,
    TrianglesAdjacency,
    LineStrip,
    TriangleStrip,
}

impl GeometryPrimitive {
    /// The GL primitive (`GL_POINTS` and so on).
    pub const fn to_gl(self) -> u32 {
        match self {
            GeometryPrimitive::Points => 0x0000,
            GeometryPrimitive::Lines => 0x0001,
            GeometryPrimitive::LineStrip => 0x0003,
            GeometryPrimitive::Triangles => 0x0004,
            GeometryPrimitive::TriangleStrip => 0x0005,
            GeometryPrimitive::LinesAdjacency => 0x000A,
            GeometryPrimitive::TrianglesAdjacency => 0x000C,
        }
    }
}

/// The geometry stage's fixed facts (GL 3.3 §2.12).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Geometry {
    pub input: GeometryPrimitive,
    pub output: GeometryPrimitive,
    pub max_vertices: u32,
    pub invocations: u32,
}

/// What the vertex-processing stages do that a back end must know before it draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VertexFacts {
    /// The last vertex-processing stage writes `gl_PointSize`.
    pub writes_point_size: bool,
    /// Elements of `gl_ClipDistance` that the last vertex-processing stage declares.
    pub clip_distances: u32,
    pub writes_layer: bool,
    pub writes_viewport_index: bool,
    /// The vertex stage reads `gl_InstanceID` (SPIR-V `InstanceIndex`).
    pub uses_instance_id: bool,
    pub uses_vertex_id: bool,
    /// The vertex stage reads `gl_BaseInstance`, `gl_BaseVertex` or `gl_DrawID`.
    pub uses_base_instance: bool,
    pub uses_base_vertex: bool,
    pub uses_draw_id: bool,
    /// Values leave the last vertex-processing stage with `noperspective`.
    pub uses_noperspective: bool,
}

/// What the fragment stage does that a back end must know before it draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FragmentFacts {
    /// `gl_FragColor` is written: the output at location 0 goes to every draw buffer.
    pub broadcasts_color: bool,
    /// An output has index 1.
    pub dual_source: bool,
    pub writes_depth: bool,
    pub early_fragment_tests: bool,
    pub uses_discard: bool,
    /// `gl_FragCoord` is read: back ends with another origin correct it.
    pub uses_frag_coord: bool,
    /// `gl_PointCoord` is read.
    pub uses_point_coord: bool,
    /// `gl_FrontFacing` is read.
    pub uses_front_facing: bool,
    /// `gl_PrimitiveID` is read.
    pub uses_primitive_id: bool,
    /// Derivatives are taken: their sign in y depends on the origin.
    pub uses_derivatives: bool,
    pub pixel_center_integer: bool,
    pub origin_upper_left: bool,
    /// Runs a sample each (`gl_SampleID`, `gl_SamplePosition`, `sample in`).
    pub per_sample: bool,
}

/// The reflection archive of one linked program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reflection {
    /// Stages that the program has.
    pub stages: StageMask,
    pub default_block: Option<DefaultBlock>,
    pub uniform_blocks: Vec<UniformBlock>,
    /// Active uniforms of all places; the position is the GL uniform index.
    pub uniforms: Vec<Uniform>,
    pub samplers: Vec<Sampler>,
    /// Active attributes; the position is the GL attribute index.
    pub attributes: Vec<Attribute>,
    pub outputs: Vec<FragOutput>,
    pub xfb: Option<TransformFeedback>,
    pub geometry: Option<Geometry>,
    pub vertex: VertexFacts,
    pub fragment: FragmentFacts,
    /// A stage uses 64-bit floats.
    pub uses_fp64: bool,
}

/// Why bytes are no reflection archive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReflectionError {
    #[error("reflection archive of {0} bytes is over the limit of {MAX_ARCHIVE_BYTES}")]
    TooLarge(usize),
    #[error("not a reflection archive, or one of another version")]
    BadMagic,
    #[error("reflection archive does not decode: {0}")]
    Malformed(String),
    #[error("reflection archive has {0} bytes after its end")]
    TrailingBytes(usize),
    #[error("reflection archive: {field} is out of range")]
    OutOfRange {
        /// The offending field.
        field: &'static str,
    },
}

impl Reflection {
    /// The archive as bytes for the pipe. Equal archives give equal bytes.
    pub fn encode(&self) -> Vec<u8> {
        postcard::to_extend(self, MAGIC.to_vec())
            .expect("an archive holds only plain values, which postcard always encodes")
    }

    /// Reads an archive back. Every count and index is checked, so that what comes out can be used
    /// without further checks; nothing is allocated beyond a small multiple of `bytes.len()`.
    pub fn decode(bytes: &[u8]) -> Result<Reflection, ReflectionError> {
        if bytes.len() > MAX_ARCHIVE_BYTES {
            return Err(ReflectionError::TooLarge(bytes.len()));
        }
        let body = bytes
            .strip_prefix(&MAGIC)
            .ok_or(ReflectionError::BadMagic)?;
        let (archive, rest) = postcard::take_from_bytes::<Reflection>(body)
            .map_err(|e| ReflectionError::Malformed(e.to_string()))?;
        if !rest.is_empty() {
            return Err(ReflectionError::TrailingBytes(rest.len()));
        }
        archive.check()?;
        Ok(archive)
    }

    /// Number of sampler slots: the elements of all samplers.
    pub fn sampler_slots(&self) -> u32 {
        self.samplers
            .iter()
            .map(|s| s.slot + s.array_size)
            .max()
            .unwrap_or(0)
    }

    /// Number of uniform locations that the program has.
    pub fn location_count(&self) -> u32 {
        self.uniforms
            .iter()
            .filter(|u| u.location >= 0)
            .map(|u| u.location as u32 + u.size)
            .max()
            .unwrap_or(0)
    }

    fn check(&self) -> Result<(), ReflectionError> {
        fn ensure(ok: bool, field: &'static str) -> Result<(), ReflectionError> {
            if ok {
                Ok(())
            } else {
                Err(ReflectionError::OutOfRange { field })
            }
        }
        let stages_ok = |m: StageMask| m.0 & !self.stages.0 == 0;
        let lists = [
            self.uniform_blocks.len(),
            self.uniforms.len(),
            self.samplers.len(),
            self.attributes.len(),
            self.outputs.len(),
        ];
        ensure(self.stages.0 < 1 << 6, "stages")?;
        ensure(lists.into_iter().all(|n| n <= MAX_ENTRIES), "list length")?;

        let default_size = match &self.default_block {
            None => 0,
            Some(block) => {
                ensure(
                    block.size <= MAX_DEFAULT_BLOCK_BYTES && block.size.is_multiple_of(16),
                    "default block size",
                )?;
                ensure(
                    block.preset.is_empty() || block.preset.len() == block.size as usize,
                    "default block preset",
                )?;
                ensure(stages_ok(block.stages), "default block stages")?;
                if let Some(DepthRangeOffsets { near, far, diff }) = block.depth_range {
                    let inside =
                        |o: u32| o.is_multiple_of(4) && u64::from(o) + 4 <= u64::from(block.size);
                    ensure(
                        inside(near) && inside(far) && inside(diff),
                        "depth range offsets",
                    )?;
                }
                block.size
            }
        };

        for block in &self.uniform_blocks {
            ensure(block.size <= 1 << 28, "uniform block size")?;
            ensure(stages_ok(block.stages), "uniform block stages")?;
            ensure(
                block.array_element < block.array_size.max(1),
                "uniform block element",
            )?;
            ensure(
                block
                    .members
                    .iter()
                    .all(|m| (*m as usize) < self.uniforms.len()),
                "uniform block members",
            )?;
        }

        for uniform in &self.uniforms {
            ensure(stages_ok(uniform.stages), "uniform stages")?;
            ensure((1..=1 << 20).contains(&uniform.size), "uniform size")?;
            ensure(
                (-1..1 << 24).contains(&uniform.location),
                "uniform location",
            )?;
            ensure(uniform.is_array || uniform.size == 1, "uniform array flag")?;
            let end = match uniform.place {
                UniformPlace::Sampler(index) => {
                    let sampler = self.samplers.get(index as usize);
                    ensure(uniform.ty.is_sampler(), "uniform type")?;
                    ensure(
                        sampler.is_some_and(|s| s.ty == uniform.ty && s.array_size == uniform.size),
                        "uniform sampler",
                    )?;
                    continue;
                }
                UniformPlace::Default => default_size,
                UniformPlace::Block(index) => {
                    let block = self.uniform_blocks.get(index as usize);
                    block
                        .ok_or(ReflectionError::OutOfRange {
                            field: "uniform block index",
                        })?
                        .size
                }
            };
            let shape = uniform.ty.numeric().ok_or(ReflectionError::OutOfRange {
                field: "uniform type",
            })?;
            let width = u64::from(uniform.ty.component_bytes());
            let (major, minor) = if uniform.row_major {
                (shape.rows, shape.columns)
            } else {
                (shape.columns, shape.rows)
            };
            let last = u64::from(uniform.offset)
                + u64::from(uniform.size - 1) * u64::from(uniform.array_stride)
                + u64::from(major - 1) * u64::from(uniform.matrix_stride)
                + u64::from(minor) * width;
            ensure(last <= u64::from(end), "uniform offset")?;
            ensure(uniform.offset.is_multiple_of(4), "uniform offset")?;
            ensure(
                uniform.size == 1 || uniform.array_stride >= 4,
                "uniform array stride",
            )?;
            ensure(
                shape.columns == 1 || u64::from(uniform.matrix_stride) >= width * u64::from(minor),
                "uniform matrix stride",
            )?;
        }

        for sampler in &self.samplers {
            ensure(sampler.ty.is_sampler(), "sampler type")?;
            ensure(
                (sampler.uniform as usize) < self.uniforms.len(),
                "sampler uniform",
            )?;
            ensure(
                (1..=1 << 12).contains(&sampler.array_size),
                "sampler array size",
            )?;
            ensure(sampler.slot < 1 << 16, "sampler slot")?;
            ensure(sampler.initial_unit < 1 << 16, "sampler unit")?;
            ensure(stages_ok(sampler.stages), "sampler stages")?;
        }
        for attribute in &self.attributes {
            ensure(attribute.ty.numeric().is_some(), "attribute type")?;
            ensure((1..=1 << 12).contains(&attribute.size), "attribute size")?;
            ensure(
                (-1..1 << 12).contains(&attribute.location),
                "attribute location",
            )?;
        }
        for output in &self.outputs {
            ensure(output.ty.numeric().is_some(), "output type")?;
            ensure((1..=1 << 12).contains(&output.size), "output size")?;
            ensure(
                output.location < 1 << 12 && output.index <= 1,
                "output location",
            )?;
        }
        if let Some(xfb) = &self.xfb {
            ensure(
                xfb.strides.len() <= 64 && xfb.varyings.len() <= 1 << 12,
                "xfb length",
            )?;
            ensure(
                xfb.strides
                    .iter()
                    .all(|s| *s <= 1 << 16 && s.is_multiple_of(4)),
                "xfb stride",
            )?;
            for varying in &xfb.varyings {
                let stride = xfb.strides.get(varying.buffer as usize);
                let stride = *stride.ok_or(ReflectionError::OutOfRange {
                    field: "xfb buffer",
                })?;
                ensure((1..=1 << 12).contains(&varying.size), "xfb size")?;
                ensure(varying.ty.numeric().is_some(), "xfb type")?;
                let bytes = varying.ty.components() * varying.ty.component_bytes();
                ensure(
                    u64::from(varying.offset) + u64::from(bytes) * u64::from(varying.size)
                        <= u64::from(stride),
                    "xfb offset",
                )?;
            }
        }
        if let Some(geometry) = self.geometry {
            ensure(geometry.max_vertices <= 1 << 16, "geometry vertices")?;
            ensure(
                (1..=1 << 10).contains(&geometry.invocations),
                "geometry invocations",
            )?;
        }
        ensure(self.vertex.clip_distances <= 64, "clip distances")
    }
}

#[cfg(test)]
mod tests;
