//! glGet* and strings (GL 3.3 §6.1; GL 4.6 chapter 22).
//!
//! One look-up gives a value in its own type; the entry points convert it as GL 4.6 §2.2.2 says.

use super::entry::gl_entry;
use super::extensions;
use super::limits::*;
use super::types::*;
use crate::consts::gl::*;
use crate::context::{ContextConfig, Gl, Profile};
use crate::state::debug;
use crate::state::framebuffer::{Point, Side, complete};
use crate::tracker::framebuffer;
use mgl_core::pipe::ValueType;
use mgl_core::pod::{Bool32, F32};

/// A value of state in its own type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// Booleans.
    Bools([bool; 4], usize),
    /// Integers and enumerants.
    Ints([i64; 4], usize),
    /// Floats that convert to integers by rounding.
    Floats([f64; 4], usize),
    /// Floats that convert to integers by the full range: colours, depths.
    Normalized([f64; 4], usize),
    /// A list of enumerants.
    List(&'static [i64]),
    /// A matrix, column after column.
    Matrix([f32; 16]),
}

impl Value {
    /// One integer.
    pub fn int(v: impl TryInto<i64>) -> Self {
        Self::Ints([v.try_into().unwrap_or(i64::MAX), 0, 0, 0], 1)
    }
    /// One boolean.
    #[must_use]
    pub fn bool(v: bool) -> Self {
        Self::Bools([v, false, false, false], 1)
    }
    /// One float.
    #[must_use]
    pub fn float(v: f32) -> Self {
        Self::Floats([f64::from(v), 0.0, 0.0, 0.0], 1)
    }
    fn len(&self) -> usize {
        match self {
            Self::Bools(_, n) | Self::Ints(_, n) | Self::Floats(_, n) | Self::Normalized(_, n) => {
                *n
            }
            Self::List(l) => l.len(),
            Self::Matrix(_) => 16,
        }
    }
    fn as_f64(&self, i: usize) -> f64 {
        match self {
            Self::Bools(v, _) => f64::from(u8::from(v[i])),
            Self::Ints(v, _) => v[i] as f64,
            Self::Floats(v, _) | Self::Normalized(v, _) => v[i],
            Self::List(l) => l[i] as f64,
            Self::Matrix(m) => f64::from(m[i]),
        }
    }
    fn as_i64(&self, i: usize) -> i64 {
        match self {
            Self::Bools(v, _) => i64::from(v[i]),
            Self::Ints(v, _) => v[i],
            Self::Floats(v, _) => v[i].round() as i64,
            // 1.0 is the most positive integer (GL 4.6 §2.2.2).
            Self::Normalized(v, _) => (v[i].clamp(-1.0, 1.0) * f64::from(i32::MAX)).round() as i64,
            Self::List(l) => l[i],
            Self::Matrix(m) => m[i].round() as i64,
        }
    }
    fn as_bool(&self, i: usize) -> bool {
        match self {
            Self::Bools(v, _) => v[i],
            _ => self.as_f64(i) != 0.0,
        }
    }
}

/// Some integers.
pub(super) fn ints<const N: usize>(v: [i64; N]) -> Value {
    let mut a = [0; 4];
    a[..N].copy_from_slice(&v);
    Value::Ints(a, N)
}

/// Some floats.
pub(super) fn floats<const N: usize>(v: [f32; N]) -> Value {
    let mut a = [0.0; 4];
    for (to, from) in a.iter_mut().zip(v) {
        *to = f64::from(from);
    }
    Value::Floats(a, N)
}

/// A colour.
pub(super) fn color(v: [f32; 4]) -> Value {
    Value::Normalized(v.map(f64::from), 4)
}

fn on(v: Bool32) -> Value {
    Value::bool(v.get())
}

/// Block formats that suit any picture (EXT_texture_compression_s3tc: without the one of one-bit alpha).
const COMPRESSED_FORMATS: &[i64] = &[
    GL_COMPRESSED_RGB_S3TC_DXT1_EXT as i64,
    GL_COMPRESSED_RGBA_S3TC_DXT3_EXT as i64,
    GL_COMPRESSED_RGBA_S3TC_DXT5_EXT as i64,
];

/// GL_CONTEXT_FLAGS (GL 4.6 §22.2): as the context was asked for.
fn context_flags(c: &ContextConfig) -> GLbitfield {
    [
        (c.forward_compatible, GL_CONTEXT_FLAG_FORWARD_COMPATIBLE_BIT),
        (c.debug, GL_CONTEXT_FLAG_DEBUG_BIT),
        (c.robust, GL_CONTEXT_FLAG_ROBUST_ACCESS_BIT),
        (c.no_error, GL_CONTEXT_FLAG_NO_ERROR_BIT),
    ]
    .into_iter()
    .filter(|(on, _)| *on)
    .fold(0, |flags, (_, bit)| flags | bit)
}

/// Whether the draw framebuffer has a colour buffer of integers (EXT_texture_integer).
fn draws_integers(gl: &Gl<'_>) -> bool {
    let Some(f) = gl.ctx.framebuffers.object(Side::Draw) else {
        return false;
    };
    (0..MAX_DRAW_BUFFERS)
        .filter_map(|i| f.attached(Point::Color(i as usize)))
        .filter_map(|a| complete::image(a, gl.share))
        .any(|i| i.resolved.is_integer())
}

/// Version string: mgl, back end, and the driver below (the part before the first space is what programs parse).
fn version_string(gl: &Gl<'_>) -> std::ffi::CString {
    let c = gl.pipe.caps();
    let profile = match gl.ctx.profile {
        Profile::Core => "(Core Profile) ",
        Profile::Compatibility => "",
    };
    let text = format!(
        "3.3 {profile}mgl {} {} on {}",
        env!("CARGO_PKG_VERSION"),
        c.backend,
        c.version
    );
    std::ffi::CString::new(text.replace('\0', "")).unwrap_or_default()
}

impl Gl<'_> {
    /// A value of state by enumerant; `None` for one that does not exist.
    pub(crate) fn get(&mut self, pname: GLenum) -> Option<Value> {
        if let Some(v) = self.get_object_state(pname) {
            return Some(v);
        }
        if let Some(v) = self.get_render_state(pname) {
            return Some(v);
        }
        if let Some(v) = self.get_limit(pname) {
            return Some(v);
        }
        if let Some(v) = self.get_legacy(pname) {
            return Some(v);
        }
        // Capabilities answer glGet too.
        self.capability(pname, None).map(Value::bool)
    }

    fn get_render_state(&mut self, pname: GLenum) -> Option<Value> {
        let (p, d) = (self.ctx.render.pipeline(), self.ctx.render.dynamic());
        let (b, [front, back], [fd, bd]) = (&p.blend[0], &p.stencil, &d.stencil);
        let reference = |s: &mgl_core::pipe::StencilDynamic| Value::int(s.reference);
        Some(match pname {
            GL_BLEND_SRC | GL_BLEND_SRC_RGB => Value::int(b.src_color.0),
            GL_BLEND_DST | GL_BLEND_DST_RGB => Value::int(b.dst_color.0),
            GL_BLEND_SRC_ALPHA => Value::int(b.src_alpha.0),
            GL_BLEND_DST_ALPHA => Value::int(b.dst_alpha.0),
            GL_BLEND_EQUATION_RGB => Value::int(b.eq_color.0),
            GL_BLEND_EQUATION_ALPHA => Value::int(b.eq_alpha.0),
            GL_BLEND_COLOR => color(d.blend_color.map(|F32(v)| v)),
            GL_COLOR_WRITEMASK => {
                let bit = |i: u32| b.mask.0 >> i & 1 != 0;
                Value::Bools([bit(0), bit(1), bit(2), bit(3)], 4)
            }
            GL_COLOR_CLEAR_VALUE => {
                let c = self.ctx.clear;
                match c.color_type {
                    ValueType::INT => ints(c.color.map(|v| i64::from(v as i32))),
                    ValueType::UINT => ints(c.color.map(i64::from)),
                    _ => color(c.color.map(f32::from_bits)),
                }
            }
            GL_DEPTH_CLEAR_VALUE => Value::Normalized([self.ctx.clear.depth, 0.0, 0.0, 0.0], 1),
            GL_STENCIL_CLEAR_VALUE => Value::int(self.ctx.clear.stencil),
            GL_DEPTH_FUNC => Value::int(p.depth_func.0),
            GL_DEPTH_WRITEMASK => on(p.depth_write),
            GL_DEPTH_RANGE => Value::Normalized(
                [
                    f64::from(d.viewports[0].near.0),
                    f64::from(d.viewports[0].far.0),
                    0.0,
                    0.0,
                ],
                2,
            ),
            GL_STENCIL_FUNC => Value::int(front.func.0),
            GL_STENCIL_FAIL => Value::int(front.fail.0),
            GL_STENCIL_PASS_DEPTH_FAIL => Value::int(front.depth_fail.0),
            GL_STENCIL_PASS_DEPTH_PASS => Value::int(front.pass.0),
            GL_STENCIL_BACK_FUNC => Value::int(back.func.0),
            GL_STENCIL_BACK_FAIL => Value::int(back.fail.0),
            GL_STENCIL_BACK_PASS_DEPTH_FAIL => Value::int(back.depth_fail.0),
            GL_STENCIL_BACK_PASS_DEPTH_PASS => Value::int(back.pass.0),
            GL_STENCIL_REF => reference(fd),
            GL_STENCIL_BACK_REF => reference(bd),
            GL_STENCIL_VALUE_MASK => Value::int(fd.compare_mask),
            GL_STENCIL_BACK_VALUE_MASK => Value::int(bd.compare_mask),
            GL_STENCIL_WRITEMASK => Value::int(fd.write_mask),
            GL_STENCIL_BACK_WRITEMASK => Value::int(bd.write_mask),
            GL_CULL_FACE_MODE => Value::int(p.cull_face.0),
            GL_FRONT_FACE => Value::int(p.front_face.0),
            GL_POLYGON_MODE => {
                let m = i64::from(p.polygon_mode.0);
                if self.is_core() {
                    ints([m])
                } else {
                    ints([m, m])
                }
            }
            GL_LOGIC_OP_MODE => Value::int(p.logic_op.0),
            GL_POLYGON_OFFSET_FACTOR => Value::float(d.depth_bias.factor.0),
            GL_POLYGON_OFFSET_UNITS => Value::float(d.depth_bias.units.0),
            GL_LINE_WIDTH => Value::float(d.raster.line_width.0),
            GL_POINT_SIZE => Value::float(d.raster.point_size.0),
            GL_POINT_SPRITE_COORD_ORIGIN => Value::int(d.raster.point_origin.0),
            GL_POINT_FADE_THRESHOLD_SIZE => Value::float(self.ctx.misc.point_fade_threshold),
            GL_PROVOKING_VERTEX => Value::int(d.raster.provoking_vertex.0),
            GL_VIEWPORT => {
                let v = &d.viewports[0];
                ints([v.x, v.y, v.width, v.height].map(|F32(v)| v as i64))
            }
            GL_SCISSOR_BOX => {
                let s = &d.scissors[0];
                ints([
                    i64::from(s.x),
                    i64::from(s.y),
                    i64::from(s.width),
                    i64::from(s.height),
                ])
            }
            GL_SAMPLE_COVERAGE_VALUE => Value::float(d.multisample.coverage.0),
            GL_SAMPLE_COVERAGE_INVERT => on(d.multisample.coverage_invert),
            GL_CLAMP_READ_COLOR => Value::int(d.output.clamp_read_color.0),
            GL_LINE_SMOOTH_HINT
            | GL_POLYGON_SMOOTH_HINT
            | GL_TEXTURE_COMPRESSION_HINT
            | GL_FRAGMENT_SHADER_DERIVATIVE_HINT
            | GL_PERSPECTIVE_CORRECTION_HINT
            | GL_POINT_SMOOTH_HINT
            | GL_FOG_HINT
            | GL_GENERATE_MIPMAP_HINT => Value::int(self.ctx.misc.hint(pname, self.is_core())?),
            GL_CURRENT_PROGRAM => {
                let id = self.ctx.programs.current();
                Value::int(id.map_or(0, |id| self.share.programs.objects[id].name))
            }
            GL_DEBUG_GROUP_STACK_DEPTH => Value::int(self.ctx.debug.depth() as i64),
            _ => return None,
        })
    }

    #[allow(clippy::too_many_lines)] // one row a limit
    fn get_limit(&mut self, pname: GLenum) -> Option<Value> {
        let core = self.ctx.profile == Profile::Core;
        let surface = self.ctx.draw.map(|s| s.desc);
        let bits = |depth: bool| {
            surface
                .and_then(|s| s.depth_stencil.info())
                .map_or(0, |f| if depth { f.bits.depth } else { f.bits.stencil })
        };
        Some(match pname {
            GL_MAJOR_VERSION | GL_MINOR_VERSION => Value::int(3),
            GL_NUM_EXTENSIONS => Value::int(extensions::of(self.ctx.profile).len() as i64),
            GL_CONTEXT_FLAGS => Value::int(context_flags(&self.ctx.config)),
            GL_CONTEXT_ROBUST_ACCESS => Value::bool(self.ctx.config.robust),
            GL_CONTEXT_RELEASE_BEHAVIOR => Value::int(if self.ctx.config.flush_on_release {
                GL_CONTEXT_RELEASE_BEHAVIOR_FLUSH
            } else {
                GL_NONE
            }),
            GL_CONTEXT_PROFILE_MASK => Value::int(if core {
                GL_CONTEXT_CORE_PROFILE_BIT
            } else {
                GL_CONTEXT_COMPATIBILITY_PROFILE_BIT
            }),
            GL_MAX_VERTEX_ATTRIBS => Value::int(MAX_VERTEX_ATTRIBS),
            GL_MAX_VERTEX_UNIFORM_COMPONENTS
            | GL_MAX_FRAGMENT_UNIFORM_COMPONENTS
            | GL_MAX_GEOMETRY_UNIFORM_COMPONENTS => Value::int(4096),
            GL_MAX_VERTEX_UNIFORM_VECTORS | GL_MAX_FRAGMENT_UNIFORM_VECTORS => Value::int(1024),
            GL_MAX_COMBINED_VERTEX_UNIFORM_COMPONENTS
            | GL_MAX_COMBINED_FRAGMENT_UNIFORM_COMPONENTS
            | GL_MAX_COMBINED_GEOMETRY_UNIFORM_COMPONENTS => {
                Value::int(4096 + 12 * MAX_UNIFORM_BLOCK_SIZE / 4)
            }
            GL_MAX_VERTEX_UNIFORM_BLOCKS
            | GL_MAX_FRAGMENT_UNIFORM_BLOCKS
            | GL_MAX_GEOMETRY_UNIFORM_BLOCKS => Value::int(12),
            GL_MAX_COMBINED_UNIFORM_BLOCKS => Value::int(36),
            GL_MAX_UNIFORM_BUFFER_BINDINGS => Value::int(MAX_UNIFORM_BUFFER_BINDINGS),
            GL_MAX_UNIFORM_BLOCK_SIZE => Value::int(MAX_UNIFORM_BLOCK_SIZE),
            GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT => Value::int(UNIFORM_BUFFER_OFFSET_ALIGNMENT),
            GL_MAX_VARYING_COMPONENTS => Value::int(60),
            GL_MAX_VARYING_VECTORS => Value::int(15),
            GL_MAX_VERTEX_OUTPUT_COMPONENTS | GL_MAX_GEOMETRY_INPUT_COMPONENTS => Value::int(64),
            GL_MAX_FRAGMENT_INPUT_COMPONENTS | GL_MAX_GEOMETRY_OUTPUT_COMPONENTS => Value::int(128),
            GL_MAX_GEOMETRY_OUTPUT_VERTICES => Value::int(256),
            GL_MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS => Value::int(1024),
            GL_MAX_TEXTURE_IMAGE_UNITS
            | GL_MAX_VERTEX_TEXTURE_IMAGE_UNITS
            | GL_MAX_GEOMETRY_TEXTURE_IMAGE_UNITS => Value::int(MAX_TEXTURE_IMAGE_UNITS),
            GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS => Value::int(MAX_COMBINED_TEXTURE_IMAGE_UNITS),
            GL_MAX_TEXTURE_UNITS | GL_MAX_TEXTURE_COORDS if !core => Value::int(8),
            GL_MAX_TEXTURE_SIZE
            | GL_MAX_CUBE_MAP_TEXTURE_SIZE
            | GL_MAX_RECTANGLE_TEXTURE_SIZE
            | GL_MAX_RENDERBUFFER_SIZE => Value::int(MAX_TEXTURE_SIZE),
            GL_MAX_3D_TEXTURE_SIZE => Value::int(MAX_3D_TEXTURE_SIZE),
            GL_MAX_ARRAY_TEXTURE_LAYERS => Value::int(MAX_ARRAY_TEXTURE_LAYERS),
            GL_MAX_TEXTURE_BUFFER_SIZE => Value::int(MAX_TEXTURE_BUFFER_SIZE),
            GL_MAX_TEXTURE_LOD_BIAS => Value::float(15.0),
            GL_MAX_TEXTURE_MAX_ANISOTROPY => Value::float(MAX_ANISOTROPY),
            GL_MAX_SAMPLES
            | GL_MAX_COLOR_TEXTURE_SAMPLES
            | GL_MAX_DEPTH_TEXTURE_SAMPLES
            | GL_MAX_INTEGER_SAMPLES => Value::int(MAX_SAMPLES),
            GL_MAX_SAMPLE_MASK_WORDS => Value::int(1),
            GL_MAX_DRAW_BUFFERS | GL_MAX_COLOR_ATTACHMENTS => Value::int(MAX_DRAW_BUFFERS),
            GL_MAX_DUAL_SOURCE_DRAW_BUFFERS => Value::int(MAX_DUAL_SOURCE_DRAW_BUFFERS),
            GL_MAX_VIEWPORT_DIMS => ints([i64::from(MAX_VIEWPORT_DIM); 2]),
            GL_MAX_VIEWPORTS => Value::int(1),
            GL_VIEWPORT_BOUNDS_RANGE => ints([-32768, 32767]),
            GL_MAX_CLIP_DISTANCES => Value::int(8),
            GL_MAX_ELEMENTS_INDICES | GL_MAX_ELEMENTS_VERTICES => Value::int(1 << 20),
            GL_MAX_ELEMENT_INDEX => Value::int(u32::MAX),
            GL_MIN_PROGRAM_TEXEL_OFFSET => Value::int(-8),
            GL_MAX_PROGRAM_TEXEL_OFFSET => Value::int(7),
            GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS => Value::int(64),
            GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS
            | GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_COMPONENTS => Value::int(4),
            GL_MAX_SERVER_WAIT_TIMEOUT => Value::int(i64::MAX),
            GL_TIMESTAMP => Value::int(super::query::timestamp(self)),
            GL_MAX_LABEL_LENGTH => Value::int(debug::MAX_LABEL_LENGTH as i64),
            GL_MAX_DEBUG_MESSAGE_LENGTH => Value::int(debug::MAX_MESSAGE_LENGTH as i64),
            GL_MAX_DEBUG_LOGGED_MESSAGES => Value::int(debug::MAX_LOGGED_MESSAGES as i64),
            GL_MAX_DEBUG_GROUP_STACK_DEPTH => Value::int(debug::MAX_GROUP_STACK_DEPTH as i64),
            GL_DEBUG_LOGGED_MESSAGES => Value::int(self.ctx.debug.logged() as i64),
            GL_DEBUG_NEXT_LOGGED_MESSAGE_LENGTH => Value::int(
                self.ctx
                    .debug
                    .first_logged()
                    .map_or(0, |m| m.text.len() as i64 + 1),
            ),
            // Quads are no primitives of shaders' draws in the core profile, and follow none elsewhere.
            GL_QUADS_FOLLOW_PROVOKING_VERTEX_CONVENTION => Value::bool(false),
            GL_SUBPIXEL_BITS => Value::int(8),
            GL_QUERY_COUNTER_BITS => Value::int(64),
            GL_POINT_SIZE_RANGE => floats([1.0, 255.0]),
            GL_POINT_SIZE_GRANULARITY | GL_SMOOTH_LINE_WIDTH_GRANULARITY => Value::float(0.1),
            GL_ALIASED_LINE_WIDTH_RANGE | GL_SMOOTH_LINE_WIDTH_RANGE => floats([1.0, 255.0]),
            GL_ALIASED_POINT_SIZE_RANGE if !core => floats([1.0, 255.0]),
            GL_NUM_COMPRESSED_TEXTURE_FORMATS => Value::int(COMPRESSED_FORMATS.len() as i64),
            GL_COMPRESSED_TEXTURE_FORMATS => Value::List(COMPRESSED_FORMATS),
            // Every internal format has a choice of signed types (EXT_packed_float, EXT_texture_integer).
            GL_RGBA_SIGNED_COMPONENTS_EXT => Value::Ints([0; 4], 4),
            GL_RGBA_INTEGER_MODE_EXT => Value::bool(draws_integers(self)),
            GL_NUM_PROGRAM_BINARY_FORMATS | GL_NUM_SHADER_BINARY_FORMATS => Value::int(0),
            GL_PROGRAM_BINARY_FORMATS | GL_SHADER_BINARY_FORMATS => Value::List(&[]),
            GL_SHADER_COMPILER => Value::bool(true),
            GL_IMPLEMENTATION_COLOR_READ_FORMAT => Value::int(GL_RGBA),
            GL_IMPLEMENTATION_COLOR_READ_TYPE => Value::int(GL_UNSIGNED_BYTE),
            GL_DOUBLEBUFFER => Value::bool(surface.is_some_and(|s| s.double_buffered.get())),
            GL_STEREO => Value::bool(false),
            GL_SAMPLE_BUFFERS => Value::int(u32::from(framebuffer::samples(self, Side::Draw) > 0)),
            GL_SAMPLES => Value::int(framebuffer::samples(self, Side::Draw)),
            GL_RESET_NOTIFICATION_STRATEGY => Value::int(if self.ctx.config.lose_on_reset {
                GL_LOSE_CONTEXT_ON_RESET
            } else {
                GL_NO_RESET_NOTIFICATION
            }),
            // Bits of the default framebuffer (compatibility profile; many programs ask all the same).
            GL_RED_BITS | GL_GREEN_BITS | GL_BLUE_BITS if !core => {
                Value::int(if surface.is_some() { 8 } else { 0 })
            }
            GL_ALPHA_BITS if !core => Value::int(
                surface
                    .and_then(|s| s.color.info())
                    .map_or(0, |f| f.bits.alpha),
            ),
            GL_DEPTH_BITS if !core => Value::int(bits(true)),
            GL_STENCIL_BITS if !core => Value::int(bits(false)),
            _ => return None,
        })
    }

    /// Looks a value up, raising GL_INVALID_ENUM.
    fn get_or_raise(&mut self, pname: GLenum) -> Option<Value> {
        let v = self.get(pname);
        if v.is_none() {
            self.raise(GL_INVALID_ENUM);
        }
        v
    }

    fn get_indexed(&mut self, target: GLenum, index: GLuint) -> Option<Value> {
        let v = match target {
            GL_BLEND
            | GL_BLEND_SRC_RGB
            | GL_BLEND_DST_RGB
            | GL_BLEND_SRC_ALPHA
            | GL_BLEND_DST_ALPHA
            | GL_BLEND_EQUATION_RGB
            | GL_BLEND_EQUATION_ALPHA
            | GL_COLOR_WRITEMASK => {
                let Some(b) = self
                    .ctx
                    .render
                    .pipeline()
                    .blend
                    .get(index as usize)
                    .copied()
                else {
                    self.raise(GL_INVALID_VALUE);
                    return None;
                };
                match target {
                    GL_BLEND => on(b.enable),
                    GL_BLEND_SRC_RGB => Value::int(b.src_color.0),
                    GL_BLEND_DST_RGB => Value::int(b.dst_color.0),
                    GL_BLEND_SRC_ALPHA => Value::int(b.src_alpha.0),
                    GL_BLEND_DST_ALPHA => Value::int(b.dst_alpha.0),
                    GL_BLEND_EQUATION_RGB => Value::int(b.eq_color.0),
                    GL_BLEND_EQUATION_ALPHA => Value::int(b.eq_alpha.0),
                    _ => {
                        let bit = |i: u32| b.mask.0 >> i & 1 != 0;
                        Value::Bools([bit(0), bit(1), bit(2), bit(3)], 4)
                    }
                }
            }
            GL_SAMPLE_MASK_VALUE if index == 0 => {
                Value::int(self.ctx.render.dynamic().multisample.mask)
            }
            GL_VIEWPORT | GL_SCISSOR_BOX | GL_DEPTH_RANGE if index == 0 => return self.get(target),
            GL_SAMPLE_MASK_VALUE | GL_VIEWPORT | GL_SCISSOR_BOX | GL_DEPTH_RANGE => {
                self.raise(GL_INVALID_VALUE);
                return None;
            }
            _ => match self.get_indexed_buffer(target, index) {
                Some(Ok(v)) => v,
                Some(Err(e)) => {
                    self.raise(e);
                    return None;
                }
                None => {
                    self.raise(GL_INVALID_ENUM);
                    return None;
                }
            },
        };
        Some(v)
    }
}

/// Writes all parts of a value through `convert`.
///
/// # Safety
///
/// `to` has room for the value's parts.
unsafe fn write_all<T>(v: &Value, to: *mut T, convert: impl Fn(&Value, usize) -> T) {
    if to.is_null() {
        return;
    }
    for i in 0..v.len() {
        // SAFETY: by this function's contract.
        unsafe { *to.add(i) = convert(v, i) }
    }
}

fn to_i32(v: &Value, i: usize) -> GLint {
    // Masks above the signed range keep their bits, as 32-bit state read through glGetIntegerv does.
    let n = v.as_i64(i);
    i32::try_from(n).unwrap_or(if (0..=i64::from(u32::MAX)).contains(&n) {
        n as u32 as i32
    } else {
        i32::MAX
    })
}

gl_entry! {
    /// State as booleans (GL 4.6 §2.2.2).
    fn glGetBooleanv(gl, pname: GLenum, data: *mut GLboolean) {
        // SAFETY: the caller gives room for the value; so in all entry points below.
        if let Some(v) = gl.get_or_raise(pname) { unsafe { write_all(&v, data, |v, i| u8::from(v.as_bool(i))) } }
    }
    /// State as integers.
    fn glGetIntegerv(gl, pname: GLenum, data: *mut GLint) {
        // SAFETY: as above.
        if let Some(v) = gl.get_or_raise(pname) { unsafe { write_all(&v, data, to_i32) } }
    }
    /// State as 64-bit integers.
    fn glGetInteger64v(gl, pname: GLenum, data: *mut GLint64) {
        // SAFETY: as above.
        if let Some(v) = gl.get_or_raise(pname) { unsafe { write_all(&v, data, Value::as_i64) } }
    }
    /// State as floats.
    fn glGetFloatv(gl, pname: GLenum, data: *mut GLfloat) {
        // SAFETY: as above.
        if let Some(v) = gl.get_or_raise(pname) { unsafe { write_all(&v, data, |v, i| v.as_f64(i) as f32) } }
    }
    /// State as doubles.
    fn glGetDoublev(gl, pname: GLenum, data: *mut GLdouble) {
        // SAFETY: as above.
        if let Some(v) = gl.get_or_raise(pname) { unsafe { write_all(&v, data, Value::as_f64) } }
    }
    /// Indexed state as booleans.
    fn glGetBooleani_v(gl, target: GLenum, index: GLuint, data: *mut GLboolean) {
        // SAFETY: as above.
        if let Some(v) = gl.get_indexed(target, index) { unsafe { write_all(&v, data, |v, i| u8::from(v.as_bool(i))) } }
    }
    /// Indexed state as integers.
    fn glGetIntegeri_v(gl, target: GLenum, index: GLuint, data: *mut GLint) {
        // SAFETY: as above.
        if let Some(v) = gl.get_indexed(target, index) { unsafe { write_all(&v, data, to_i32) } }
    }
    /// Indexed state as 64-bit integers.
    fn glGetInteger64i_v(gl, target: GLenum, index: GLuint, data: *mut GLint64) {
        // SAFETY: as above.
        if let Some(v) = gl.get_indexed(target, index) { unsafe { write_all(&v, data, Value::as_i64) } }
    }
    /// Strings of the implementation (GL 4.6 §22.2).
    fn glGetString(gl, name: GLenum) -> *const GLubyte {
        let text: *const std::ffi::c_char = match name {
            GL_VENDOR => c"mgl".as_ptr(),
            GL_RENDERER => {
                let c = gl.pipe.caps();
                gl.ctx.misc.keep_string(name, format!("mgl {} on {}", c.backend, c.renderer))
            }
            GL_VERSION => { let v = version_string(gl); gl.ctx.misc.keep_string(name, v.to_string_lossy().into_owned()) }
            GL_SHADING_LANGUAGE_VERSION => c"3.30".as_ptr(),
            GL_EXTENSIONS if !gl.is_core() => extensions::string().as_ptr(),
            _ => { gl.raise(GL_INVALID_ENUM); std::ptr::null() }
        };
        text.cast()
    }
    /// One extension (GL 4.6 §22.2).
    fn glGetStringi(gl, name: GLenum, index: GLuint) -> *const GLubyte {
        match (name, extensions::of(gl.ctx.profile).get(index as usize)) {
            (GL_EXTENSIONS, Some(e)) => e.as_ptr().cast(),
            (GL_EXTENSIONS, None) => { gl.raise(GL_INVALID_VALUE); std::ptr::null() }
            _ => { gl.raise(GL_INVALID_ENUM); std::ptr::null() }
        }
    }
    /// Positions of samples (GL 4.6 §14.3.1): the usual rotated grid of four.
    fn glGetMultisamplefv(gl, pname: GLenum, index: GLuint, val: *mut GLfloat) {
        const GRID: [[f32; 2]; 4] = [[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]];
        if pname != GL_SAMPLE_POSITION { return gl.raise(GL_INVALID_ENUM) }
        // Without samples no index is one (GL 4.6 §14.3.1).
        if index >= framebuffer::samples(gl, Side::Draw) { return gl.raise(GL_INVALID_VALUE) }
        let p = GRID[index as usize % 4];
        // SAFETY: the caller gives room for two values.
        unsafe { std::ptr::copy_nonoverlapping(p.as_ptr(), val, 2) }
    }
    /// The status of a robust context (GL 4.6 §2.3.2). A device that is lost does not come back.
    fn glGetGraphicsResetStatus(gl) -> GLenum {
        if gl.is_lost() { GL_UNKNOWN_CONTEXT_RESET } else { GL_NO_ERROR }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_follow_the_specification() {
        assert_eq!(
            Value::Normalized([1.0, 0.5, 0.0, 0.0], 2).as_i64(0),
            i64::from(i32::MAX)
        );
        assert_eq!(Value::float(2.5).as_i64(0), 3);
        assert!(Value::float(0.25).as_bool(0));
        assert_eq!(
            to_i32(&Value::int(u32::MAX), 0),
            -1,
            "a mask keeps its bits"
        );
    }
}
