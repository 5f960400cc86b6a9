//! Render state: one trivially copyable block in two parts (design: pipe contract 3.4).
//!
//! The **pipeline** part becomes a CSO whose identity is its content; the **dynamic** part travels in chunks, and only
//! those that changed. [`DYNAMIC_CHUNKS`] is the one table that cuts it. [`SETTERS`] lists every setter, so that
//! a test can drive each of them: the pipeline part's hash changes exactly when its version does.

use super::payload::*;
use crate::pod::{Bool32, F32};

/// Viewports and scissor boxes.
pub const MAX_VIEWPORTS: usize = 16;

crate::pod! {
    /// Blending of one draw buffer.
    pub struct BlendTarget: 32 {
        /// Blending is on.
        enable: Bool32,
        /// Source factor, colour.
        src_color: BlendFactor,
        /// Destination factor, colour.
        dst_color: BlendFactor,
        /// Equation, colour.
        eq_color: BlendEquation,
        /// Source factor, alpha.
        src_alpha: BlendFactor,
        /// Destination factor, alpha.
        dst_alpha: BlendFactor,
        /// Equation, alpha.
        eq_alpha: BlendEquation,
        /// Write mask.
        mask: ColorMask,
    }
    /// Stencil test of one face, without what is dynamic.
    pub struct StencilFace: 16 {
        /// Comparison.
        func: CompareFunc,
        /// When the stencil test fails.
        fail: StencilOp,
        /// When the depth test fails.
        depth_fail: StencilOp,
        /// When both pass.
        pass: StencilOp,
    }
    /// The pipeline part.
    pub struct PipelineState: 336 {
        /// Blending and masks of the draw buffers. A mask stands here though blending may be off.
        blend: [BlendTarget; MAX_COLOR_ATTACHMENTS],
        /// Logic operation is on.
        logic_op_enable: Bool32,
        /// Logic operation.
        logic_op: LogicOp,
        /// Depth test is on.
        depth_test: Bool32,
        /// Depth writes are on.
        depth_write: Bool32,
        /// Depth comparison.
        depth_func: CompareFunc,
        /// Fragments beyond near and far are clamped, not clipped.
        depth_clamp: Bool32,
        /// Stencil test is on.
        stencil_test: Bool32,
        /// Stencil functions, front and back.
        stencil: [StencilFace; 2],
        /// Faces are culled.
        cull_enable: Bool32,
        /// Which.
        cull_face: Face,
        /// Winding of front faces.
        front_face: FrontFace,
        /// Polygon mode.
        polygon_mode: PolygonMode,
        /// Fragments are dropped before rasterisation.
        rasterizer_discard: Bool32,
    }
    /// A viewport with its depth range.
    pub struct Viewport: 24 {
        /// Left edge, pixels.
        x: F32,
        /// Lower edge, pixels.
        y: F32,
        /// Pixels.
        width: F32,
        /// Pixels.
        height: F32,
        /// Window depth of the near plane.
        near: F32,
        /// Window depth of the far plane.
        far: F32,
    }
    /// A scissor box with its switch; an empty box is legal and rejects all.
    pub struct Scissor: 20 {
        /// The test is on.
        enable: Bool32,
        /// Left edge.
        x: i32,
        /// Lower edge.
        y: i32,
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
    }
    /// Stencil reference and masks of one face.
    pub struct StencilDynamic: 12 {
        /// Reference value.
        reference: u32,
        /// Mask of the comparison.
        compare_mask: u32,
        /// Mask of writes.
        write_mask: u32,
    }
    /// Rasterisation values.
    pub struct RasterDynamic: 40 {
        /// Width of lines, pixels.
        line_width: F32,
        /// Lines are smoothed.
        line_smooth: Bool32,
        /// Size of points, pixels.
        point_size: F32,
        /// The vertex shader sets the point size.
        program_point_size: Bool32,
        /// gl_PointCoord's origin.
        point_origin: ClipOrigin,
        /// Polygons are smoothed.
        polygon_smooth: Bool32,
        /// Vertex that flat outputs come from.
        provoking_vertex: ProvokingVertex,
        /// Enabled clip distances, a bit each.
        clip_distances: u32,
        /// Clip-space origin.
        clip_origin: ClipOrigin,
        /// Clip-space depth.
        clip_depth: ClipDepth,
    }
    /// Polygon offset.
    pub struct DepthBias: 24 {
        /// On for fill.
        fill: Bool32,
        /// On for lines.
        line: Bool32,
        /// On for points.
        point: Bool32,
        /// Slope factor.
        factor: F32,
        /// Units.
        units: F32,
        /// Largest offset, 0 for none.
        clamp: F32,
    }
    /// Multisampling.
    pub struct MultisampleDynamic: 36 {
        /// Multisample rasterisation is on.
        enable: Bool32,
        /// Alpha becomes coverage.
        alpha_to_coverage: Bool32,
        /// Alpha becomes one.
        alpha_to_one: Bool32,
        /// Sample coverage is on.
        coverage_enable: Bool32,
        /// Sample coverage.
        coverage: F32,
        /// It is inverted.
        coverage_invert: Bool32,
        /// The sample mask is on.
        mask_enable: Bool32,
        /// The sample mask.
        mask: u32,
        /// Smallest share of samples shaded, negative when off.
        min_sample_shading: F32,
    }
    /// What applies to stores and reads.
    pub struct OutputDynamic: 12 {
        /// sRGB encoding of writes is on.
        framebuffer_srgb: Bool32,
        /// Dithering is on.
        dither: Bool32,
        /// Clamping of colours read.
        clamp_read_color: ClampColor,
    }
    /// The dynamic part.
    pub struct DynamicState: 856 {
        /// Viewports.
        viewports: [Viewport; MAX_VIEWPORTS],
        /// Scissors.
        scissors: [Scissor; MAX_VIEWPORTS],
        /// Blend colour.
        blend_color: [F32; 4],
        /// Stencil, front and back.
        stencil: [StencilDynamic; 2],
        /// Rasterisation.
        raster: RasterDynamic,
        /// Polygon offset.
        depth_bias: DepthBias,
        /// Multisampling.
        multisample: MultisampleDynamic,
        /// Stores and reads.
        output: OutputDynamic,
    }
}

/// A chunk of the dynamic part: what SetDynamicState sends or leaves out as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk {
    /// Name, as JSON has it.
    pub name: &'static str,
    /// First byte in [`DynamicState`].
    pub offset: usize,
    /// Bytes.
    pub size: usize,
}

const fn chunk(name: &'static str, offset: usize, size: usize) -> Chunk {
    Chunk { name, offset, size }
}

const VIEWPORT: usize = size_of::<Viewport>();
const SCISSOR: usize = size_of::<Scissor>();
const SCISSORS_AT: usize = core::mem::offset_of!(DynamicState, scissors);

/// The chunks, in bit order of `SetDynamicState::chunks`; they cover the struct without gaps.
pub const DYNAMIC_CHUNKS: [Chunk; 10] = [
    chunk("viewport0", 0, VIEWPORT),
    chunk("viewports", VIEWPORT, VIEWPORT * (MAX_VIEWPORTS - 1)),
    chunk("scissor0", SCISSORS_AT, SCISSOR),
    chunk(
        "scissors",
        SCISSORS_AT + SCISSOR,
        SCISSOR * (MAX_VIEWPORTS - 1),
    ),
    chunk(
        "blend_color",
        core::mem::offset_of!(DynamicState, blend_color),
        16,
    ),
    chunk(
        "stencil",
        core::mem::offset_of!(DynamicState, stencil),
        2 * size_of::<StencilDynamic>(),
    ),
    chunk(
        "raster",
        core::mem::offset_of!(DynamicState, raster),
        size_of::<RasterDynamic>(),
    ),
    chunk(
        "depth_bias",
        core::mem::offset_of!(DynamicState, depth_bias),
        size_of::<DepthBias>(),
    ),
    chunk(
        "multisample",
        core::mem::offset_of!(DynamicState, multisample),
        size_of::<MultisampleDynamic>(),
    ),
    chunk(
        "output",
        core::mem::offset_of!(DynamicState, output),
        size_of::<OutputDynamic>(),
    ),
];

/// All chunk bits.
pub const ALL_CHUNKS: u32 = (1 << DYNAMIC_CHUNKS.len()) - 1;

/// Words of the chunks in `mask`, or `None` when it has unknown bits.
#[must_use]
pub fn chunk_words(mask: u32) -> Option<usize> {
    if mask & !ALL_CHUNKS != 0 {
        return None;
    }
    Some(
        DYNAMIC_CHUNKS
            .iter()
            .enumerate()
            .filter(|(i, _)| mask >> i & 1 != 0)
            .map(|(_, c)| c.size / 4)
            .sum(),
    )
}

impl DynamicState {
    /// Appends the words of the chunks in `mask`.
    pub fn gather(&self, mask: u32, out: &mut Vec<u32>) {
        let bytes = bytemuck::bytes_of(self);
        for (i, c) in DYNAMIC_CHUNKS.iter().enumerate() {
            if mask >> i & 1 != 0 {
                out.extend_from_slice(bytemuck::cast_slice(&bytes[c.offset..c.offset + c.size]));
            }
        }
    }

    /// Overwrites the chunks in `mask` by `words`, or refuses: a wrong number of words, or a value out of range.
    pub fn scatter(&mut self, mask: u32, words: &[u32]) -> Result<(), crate::pod::FieldError> {
        use crate::pod::{Field, FieldError};
        if chunk_words(mask) != Some(words.len()) {
            return Err(FieldError::new(
                "chunks",
                format!("mask {mask:#x} does not go with {} words", words.len()),
            ));
        }
        let mut new = *self;
        let bytes = bytemuck::bytes_of_mut(&mut new);
        let mut at = 0;
        for (i, c) in DYNAMIC_CHUNKS.iter().enumerate() {
            if mask >> i & 1 != 0 {
                bytes[c.offset..c.offset + c.size]
                    .copy_from_slice(bytemuck::cast_slice(&words[at..at + c.size / 4]));
                at += c.size / 4;
            }
        }
        new.check()?;
        *self = new;
        Ok(())
    }

    /// Chunks in which two blocks differ.
    #[must_use]
    pub fn changed_chunks(&self, other: &Self) -> u32 {
        let (a, b) = (bytemuck::bytes_of(self), bytemuck::bytes_of(other));
        let mut mask = 0;
        for (i, c) in DYNAMIC_CHUNKS.iter().enumerate() {
            if a[c.offset..c.offset + c.size] != b[c.offset..c.offset + c.size] {
                mask |= 1 << i;
            }
        }
        mask
    }
}

impl BlendTarget {
    /// Whether its function takes the second colour of a fragment (GL 4.6 §17.3.6), be blending on or off.
    #[must_use]
    pub fn takes_second_color(&self) -> bool {
        [
            self.src_color,
            self.dst_color,
            self.src_alpha,
            self.dst_alpha,
        ]
        .iter()
        .any(|f| f.is_second())
    }
}

impl BlendFactor {
    /// Whether it is the second colour's.
    #[must_use]
    pub fn is_second(self) -> bool {
        matches!(
            self,
            Self::SRC1_COLOR
                | Self::ONE_MINUS_SRC1_COLOR
                | Self::SRC1_ALPHA
                | Self::ONE_MINUS_SRC1_ALPHA
        )
    }

    /// The first colour's in place of the second's.
    #[must_use]
    pub fn of_first(self) -> Self {
        match self {
            Self::SRC1_COLOR => Self::SRC_COLOR,
            Self::ONE_MINUS_SRC1_COLOR => Self::ONE_MINUS_SRC_COLOR,
            Self::SRC1_ALPHA => Self::SRC_ALPHA,
            Self::ONE_MINUS_SRC1_ALPHA => Self::ONE_MINUS_SRC_ALPHA,
            f => f,
        }
    }
}

impl PipelineState {
    /// GL's initial values (GL 4.6 chapter 23).
    #[must_use]
    pub fn initial() -> Self {
        let blend = BlendTarget {
            enable: Bool32::FALSE,
            src_color: BlendFactor::ONE,
            dst_color: BlendFactor::ZERO,
            eq_color: BlendEquation::FUNC_ADD,
            src_alpha: BlendFactor::ONE,
            dst_alpha: BlendFactor::ZERO,
            eq_alpha: BlendEquation::FUNC_ADD,
            mask: ColorMask::ALL,
        };
        let stencil = StencilFace {
            func: CompareFunc::ALWAYS,
            fail: StencilOp::KEEP,
            depth_fail: StencilOp::KEEP,
            pass: StencilOp::KEEP,
        };
        Self {
            blend: [blend; MAX_COLOR_ATTACHMENTS],
            logic_op_enable: Bool32::FALSE,
            logic_op: LogicOp::COPY,
            depth_test: Bool32::FALSE,
            depth_write: Bool32::TRUE,
            depth_func: CompareFunc::LESS,
            depth_clamp: Bool32::FALSE,
            stencil_test: Bool32::FALSE,
            stencil: [stencil; 2],
            cull_enable: Bool32::FALSE,
            cull_face: Face::BACK,
            front_face: FrontFace::CCW,
            polygon_mode: PolygonMode::FILL,
            rasterizer_discard: Bool32::FALSE,
        }
    }

    /// Identity of the CSO: xxh3 of the bytes.
    #[must_use]
    pub fn hash(&self) -> u64 {
        xxhash_rust::xxh3::xxh3_64(bytemuck::bytes_of(self))
    }
}

impl DynamicState {
    /// GL's initial values (GL 4.6 chapter 23); viewports and scissors are empty until a context is first made current.
    #[must_use]
    pub fn initial() -> Self {
        let viewport = Viewport {
            far: F32(1.0),
            ..Viewport::default()
        };
        let stencil = StencilDynamic {
            reference: 0,
            compare_mask: u32::MAX,
            write_mask: u32::MAX,
        };
        Self {
            viewports: [viewport; MAX_VIEWPORTS],
            scissors: [Scissor::default(); MAX_VIEWPORTS],
            blend_color: [F32(0.0); 4],
            stencil: [stencil; 2],
            raster: RasterDynamic {
                line_width: F32(1.0),
                line_smooth: Bool32::FALSE,
                point_size: F32(1.0),
                program_point_size: Bool32::FALSE,
                point_origin: ClipOrigin::UPPER_LEFT,
                polygon_smooth: Bool32::FALSE,
                provoking_vertex: ProvokingVertex::LAST_VERTEX_CONVENTION,
                clip_distances: 0,
                clip_origin: ClipOrigin::LOWER_LEFT,
                clip_depth: ClipDepth::NEGATIVE_ONE_TO_ONE,
            },
            depth_bias: DepthBias::default(),
            multisample: MultisampleDynamic {
                enable: Bool32::TRUE,
                coverage: F32(1.0),
                mask: u32::MAX,
                min_sample_shading: F32(-1.0),
                ..MultisampleDynamic::default()
            },
            output: OutputDynamic {
                framebuffer_srgb: Bool32::FALSE,
                dither: Bool32::TRUE,
                clamp_read_color: ClampColor::FIXED_ONLY,
            },
        }
    }
}

/// The client's block: both parts, readable by all, written through the setters of [`SETTERS`] only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderState {
    pipeline: PipelineState,
    dynamic: DynamicState,
    pipeline_version: u64,
    dynamic_version: u64,
}

/// Which part a setter writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The CSO.
    Pipeline,
    /// The chunks.
    Dynamic,
}

/// A row of [`SETTERS`].
pub struct Setter {
    /// Name.
    pub name: &'static str,
    /// Part that it writes.
    pub part: Part,
    /// Calls it with an index and a value made from the seed; for tests.
    pub drive: fn(&mut RenderState, u32),
}

/// A value from a seed, for driving setters in tests.
trait Sample {
    fn sample(seed: u32) -> Self;
}
macro_rules! sample_enum {
    ($($t:ty),*) => { $( impl Sample for $t {
        fn sample(seed: u32) -> Self { Self::VALUES[seed as usize % Self::VALUES.len()].0 }
    } )* };
}
sample_enum!(
    CompareFunc,
    StencilOp,
    BlendFactor,
    BlendEquation,
    LogicOp,
    Face,
    FrontFace,
    PolygonMode,
    ProvokingVertex,
    ClipOrigin,
    ClipDepth,
    ClampColor
);
impl Sample for Bool32 {
    fn sample(seed: u32) -> Self {
        (seed & 1 != 0).into()
    }
}
impl Sample for F32 {
    fn sample(seed: u32) -> Self {
        F32((seed % 7) as f32 - 2.0)
    }
}
impl Sample for u32 {
    fn sample(seed: u32) -> Self {
        seed % 5
    }
}
impl Sample for ColorMask {
    fn sample(seed: u32) -> Self {
        ColorMask(seed & 15)
    }
}
impl Sample for [F32; 4] {
    fn sample(seed: u32) -> Self {
        [F32::sample(seed), F32(0.5), F32(0.0), F32(1.0)]
    }
}
impl Sample for Scissor {
    fn sample(seed: u32) -> Self {
        Scissor {
            enable: Bool32::sample(seed >> 3),
            x: (seed % 5) as i32,
            y: 1,
            width: 2,
            height: 3,
        }
    }
}
impl Sample for Viewport {
    fn sample(seed: u32) -> Self {
        Viewport {
            width: F32::sample(seed),
            far: F32(1.0),
            ..Viewport::default()
        }
    }
}
impl Sample for DepthBias {
    fn sample(seed: u32) -> Self {
        DepthBias {
            fill: Bool32::sample(seed >> 3),
            factor: F32::sample(seed),
            ..DepthBias::default()
        }
    }
}

macro_rules! setters {
    ($( $part:ident $version:ident $variant:ident { $( $(#[$m:meta])* $name:ident $([$i:ident < $n:expr])? ($v:ty) = $place:ident $([$pi:ident])? $(. $rest:ident)* ; )* } )*) => {
        impl RenderState { $( $(
            $(#[$m])*
            #[inline]
            pub fn $name(&mut self, $($i: usize,)? v: $v) {
                let place = &mut self.$part.$place $([$pi])? $(.$rest)*;
                if *place != v {
                    *place = v;
                    self.$version += 1;
                }
            }
        )* )* }
        /// Every setter of [`RenderState`].
        pub const SETTERS: &[Setter] = &[ $( $( Setter {
            name: stringify!($name),
            part: Part::$variant,
            drive: |s, seed| s.$name($( seed as usize / 97 % { let $i: usize = $n; $i }, )? <$v>::sample(seed)),
        } ),* , )* ];
    };
}

setters! {
    pipeline pipeline_version Pipeline {
        /// Blending of draw buffer `i`.
        blend_enable[i < MAX_COLOR_ATTACHMENTS](Bool32) = blend[i].enable;
        /// Source colour factor of draw buffer `i`.
        blend_src_color[i < MAX_COLOR_ATTACHMENTS](BlendFactor) = blend[i].src_color;
        /// Destination colour factor of draw buffer `i`.
        blend_dst_color[i < MAX_COLOR_ATTACHMENTS](BlendFactor) = blend[i].dst_color;
        /// Colour equation of draw buffer `i`.
        blend_eq_color[i < MAX_COLOR_ATTACHMENTS](BlendEquation) = blend[i].eq_color;
        /// Source alpha factor of draw buffer `i`.
        blend_src_alpha[i < MAX_COLOR_ATTACHMENTS](BlendFactor) = blend[i].src_alpha;
        /// Destination alpha factor of draw buffer `i`.
        blend_dst_alpha[i < MAX_COLOR_ATTACHMENTS](BlendFactor) = blend[i].dst_alpha;
        /// Alpha equation of draw buffer `i`.
        blend_eq_alpha[i < MAX_COLOR_ATTACHMENTS](BlendEquation) = blend[i].eq_alpha;
        /// Write mask of draw buffer `i`.
        color_mask[i < MAX_COLOR_ATTACHMENTS](ColorMask) = blend[i].mask;
        /// Logic operation on or off.
        logic_op_enable(Bool32) = logic_op_enable;
        /// Logic operation.
        logic_op(LogicOp) = logic_op;
        /// Depth test on or off.
        depth_test(Bool32) = depth_test;
        /// Depth writes on or off.
        depth_write(Bool32) = depth_write;
        /// Depth comparison.
        depth_func(CompareFunc) = depth_func;
        /// Depth clamping on or off.
        depth_clamp(Bool32) = depth_clamp;
        /// Stencil test on or off.
        stencil_test(Bool32) = stencil_test;
        /// Stencil comparison of face `i` (0 front, 1 back).
        stencil_func[i < 2](CompareFunc) = stencil[i].func;
        /// Stencil operation of face `i` when the stencil test fails.
        stencil_fail[i < 2](StencilOp) = stencil[i].fail;
        /// Stencil operation of face `i` when the depth test fails.
        stencil_depth_fail[i < 2](StencilOp) = stencil[i].depth_fail;
        /// Stencil operation of face `i` when both pass.
        stencil_pass[i < 2](StencilOp) = stencil[i].pass;
        /// Culling on or off.
        cull_enable(Bool32) = cull_enable;
        /// Culled face.
        cull_face(Face) = cull_face;
        /// Winding of front faces.
        front_face(FrontFace) = front_face;
        /// Polygon mode.
        polygon_mode(PolygonMode) = polygon_mode;
        /// Rasteriser discard on or off.
        rasterizer_discard(Bool32) = rasterizer_discard;
    }
    dynamic dynamic_version Dynamic {
        /// Viewport `i`.
        viewport[i < MAX_VIEWPORTS](Viewport) = viewports[i];
        /// Scissor `i`.
        scissor[i < MAX_VIEWPORTS](Scissor) = scissors[i];
        /// Scissor test of viewport `i`.
        scissor_enable[i < MAX_VIEWPORTS](Bool32) = scissors[i].enable;
        /// Blend colour.
        blend_color([F32; 4]) = blend_color;
        /// Stencil reference of face `i`.
        stencil_ref[i < 2](u32) = stencil[i].reference;
        /// Stencil comparison mask of face `i`.
        stencil_compare_mask[i < 2](u32) = stencil[i].compare_mask;
        /// Stencil write mask of face `i`.
        stencil_write_mask[i < 2](u32) = stencil[i].write_mask;
        /// Line width.
        line_width(F32) = raster.line_width;
        /// Line smoothing.
        line_smooth(Bool32) = raster.line_smooth;
        /// Point size.
        point_size(F32) = raster.point_size;
        /// Point size from the vertex shader.
        program_point_size(Bool32) = raster.program_point_size;
        /// Origin of gl_PointCoord.
        point_origin(ClipOrigin) = raster.point_origin;
        /// Polygon smoothing.
        polygon_smooth(Bool32) = raster.polygon_smooth;
        /// Provoking vertex.
        provoking_vertex(ProvokingVertex) = raster.provoking_vertex;
        /// Enabled clip distances.
        clip_distances(u32) = raster.clip_distances;
        /// Clip origin.
        clip_origin(ClipOrigin) = raster.clip_origin;
        /// Clip depth.
        clip_depth(ClipDepth) = raster.clip_depth;
        /// Polygon offset.
        depth_bias(DepthBias) = depth_bias;
        /// Polygon offset of filled polygons.
        depth_bias_fill(Bool32) = depth_bias.fill;
        /// Polygon offset of lines.
        depth_bias_line(Bool32) = depth_bias.line;
        /// Polygon offset of points.
        depth_bias_point(Bool32) = depth_bias.point;
        /// Multisampling.
        multisample(Bool32) = multisample.enable;
        /// Alpha to coverage.
        alpha_to_coverage(Bool32) = multisample.alpha_to_coverage;
        /// Alpha to one.
        alpha_to_one(Bool32) = multisample.alpha_to_one;
        /// Sample coverage on or off.
        coverage_enable(Bool32) = multisample.coverage_enable;
        /// Sample coverage.
        coverage(F32) = multisample.coverage;
        /// Sample coverage inverted.
        coverage_invert(Bool32) = multisample.coverage_invert;
        /// Sample mask on or off.
        sample_mask_enable(Bool32) = multisample.mask_enable;
        /// Sample mask.
        sample_mask(u32) = multisample.mask;
        /// Smallest share of samples shaded.
        min_sample_shading(F32) = multisample.min_sample_shading;
        /// sRGB encoding of writes.
        framebuffer_srgb(Bool32) = output.framebuffer_srgb;
        /// Dithering.
        dither(Bool32) = output.dither;
        /// Clamping of colours read.
        clamp_read_color(ClampColor) = output.clamp_read_color;
    }
}

impl RenderState {
    /// GL's initial values.
    #[must_use]
    pub fn initial() -> Self {
        Self {
            pipeline: PipelineState::initial(),
            dynamic: DynamicState::initial(),
            pipeline_version: 1,
            dynamic_version: 1,
        }
    }
    /// The pipeline part.
    #[must_use]
    pub fn pipeline(&self) -> &PipelineState {
        &self.pipeline
    }
    /// The dynamic part.
    #[must_use]
    pub fn dynamic(&self) -> &DynamicState {
        &self.dynamic
    }
    /// Rises when the pipeline part changes; starts at 1.
    #[must_use]
    pub fn pipeline_version(&self) -> u64 {
        self.pipeline_version
    }
    /// Rises when the dynamic part changes; starts at 1.
    #[must_use]
    pub fn dynamic_version(&self) -> u64 {
        self.dynamic_version
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn chunks_cover_the_dynamic_part_without_gaps() {
        let mut at = 0;
        for c in DYNAMIC_CHUNKS {
            assert_eq!(c.offset, at, "{}", c.name);
            assert_eq!(c.size % 4, 0);
            at += c.size;
        }
        assert_eq!(at, size_of::<DynamicState>());
    }

    #[test]
    fn every_setter_moves_its_part_and_no_other() {
        for s in SETTERS {
            let mut state = RenderState::initial();
            let mut moved = false;
            for seed in 0..400u32 {
                let before = state.clone();
                (s.drive)(&mut state, seed);
                let (p, d) = (
                    before.pipeline != state.pipeline,
                    before.dynamic != state.dynamic,
                );
                moved |= p | d;
                assert!(
                    if s.part == Part::Dynamic { !p } else { !d },
                    "{} moves the other part",
                    s.name
                );
            }
            assert!(moved, "{} never changes anything", s.name);
        }
    }

    proptest! {
        #[test]
        fn hash_and_chunks_follow_versions(steps in proptest::collection::vec((0..SETTERS.len(), any::<u32>()), 1..200)) {
            let mut state = RenderState::initial();
            for (i, seed) in steps {
                let before = state.clone();
                (SETTERS[i].drive)(&mut state, seed);
                prop_assert_eq!(before.pipeline.hash() != state.pipeline.hash(), before.pipeline_version != state.pipeline_version);
                let mask = before.dynamic.changed_chunks(&state.dynamic);
                prop_assert_eq!(mask != 0, before.dynamic_version != state.dynamic_version);
                let mut words = Vec::new();
                state.dynamic.gather(mask, &mut words);
                let mut copy = before.dynamic;
                copy.scatter(mask, &words).expect("own chunks are accepted");
                prop_assert_eq!(copy, state.dynamic);
            }
        }
    }

    #[test]
    fn scatter_refuses_what_does_not_fit() {
        let mut d = DynamicState::initial();
        assert!(d.scatter(1 << 31, &[]).is_err());
        assert!(d.scatter(1, &[0; 5]).is_err());
        assert!(
            d.scatter(1 << 2, &[7, 0, 0, 0, 0]).is_err(),
            "7 is not a bool"
        );
        assert_eq!(
            d,
            DynamicState::initial(),
            "a refused chunk changes nothing"
        );
    }
}
