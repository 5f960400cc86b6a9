//! Texture parameters, and queries of textures and levels (GL 4.6 §8.10, §8.11).

use super::Checked;
use super::image::check_level;
use crate::consts::gl::*;
use crate::context::Gl;
use crate::gl::entry::gl_entry;
use crate::gl::limits::MAX_ANISOTROPY;
use crate::gl::types::*;
use crate::state::sampler::{self, Answer, Rules, Values};
use crate::state::texture::{ImageSpec, ImageTarget, Parameters, Texture, TextureTarget};
use mgl_core::pipe::Swizzle;

impl Gl<'_> {
    /// What limits sampler parameters in this context.
    pub fn sampler_rules(&self, rectangle: bool) -> Rules {
        Rules {
            compatibility: !self.is_core(),
            rectangle,
            max_anisotropy: MAX_ANISOTROPY,
        }
    }
}

/// Whether a parameter is sampler state, which multisample textures lack (GL 4.6 §8.10).
fn is_sampler_state(pname: GLenum) -> bool {
    matches!(
        pname,
        GL_TEXTURE_MIN_FILTER
            | GL_TEXTURE_MAG_FILTER
            | GL_TEXTURE_WRAP_S
            | GL_TEXTURE_WRAP_T
            | GL_TEXTURE_WRAP_R
            | GL_TEXTURE_BORDER_COLOR
            | GL_TEXTURE_MIN_LOD
            | GL_TEXTURE_MAX_LOD
            | GL_TEXTURE_LOD_BIAS
            | GL_TEXTURE_COMPARE_MODE
            | GL_TEXTURE_COMPARE_FUNC
            | GL_TEXTURE_MAX_ANISOTROPY
            | GL_TEXTURE_SRGB_DECODE_EXT
    )
}

/// How many values a parameter has.
fn value_count(pname: GLenum) -> usize {
    match pname {
        GL_TEXTURE_BORDER_COLOR | GL_TEXTURE_SWIZZLE_RGBA => 4,
        _ => 1,
    }
}

/// The values behind a pointer.
///
/// # Safety
///
/// `v` is null or holds as many values as the parameter has.
pub unsafe fn values<'a, T>(pname: GLenum, v: *const T) -> &'a [T] {
    if v.is_null() {
        return &[];
    }
    // SAFETY: by this function's contract.
    unsafe { std::slice::from_raw_parts(v, value_count(pname)) }
}

fn swizzle(v: GLenum) -> Checked<u32> {
    Swizzle::from_gl(v).map(|s| s.0).ok_or(GL_INVALID_ENUM)
}

fn tex_parameter(gl: &mut Gl<'_>, target: GLenum, pname: GLenum, v: Values<'_>) -> Checked {
    let target = TextureTarget::from_gl(target)
        .filter(|t| *t != TextureTarget::Buffer)
        .ok_or(GL_INVALID_ENUM)?;
    if v.is_empty() {
        return Ok(());
    }
    let id = gl.bound_texture(target);
    let rules = gl.sampler_rules(target == TextureTarget::Rectangle);
    let old = *gl.share.textures.objects[id].params();
    let mut p = old;
    if is_sampler_state(pname) {
        if target.is_multisample() {
            return Err(GL_INVALID_ENUM);
        }
        sampler::set(&mut p.sampler, pname, v, rules)?;
    } else {
        set_own(&mut p, pname, v, target, rules.compatibility)?;
    }
    if p != old {
        gl.share.textures.objects[id].set_params(p, gl.gens.touch());
    }
    Ok(())
}

/// Sets a parameter that samplers do not have.
fn set_own(
    p: &mut Parameters,
    pname: GLenum,
    v: Values<'_>,
    target: TextureTarget,
    compatibility: bool,
) -> Checked {
    let count = |v: &Values<'_>| u32::try_from(v.int(0)).map_err(|_| GL_INVALID_VALUE);
    match pname {
        GL_TEXTURE_BASE_LEVEL => {
            let n = count(&v)?;
            if n != 0 && !target.has_levels() {
                return Err(GL_INVALID_OPERATION);
            }
            p.base_level = n;
        }
        GL_TEXTURE_MAX_LEVEL => p.max_level = count(&v)?,
        GL_TEXTURE_SWIZZLE_R | GL_TEXTURE_SWIZZLE_G | GL_TEXTURE_SWIZZLE_B
        | GL_TEXTURE_SWIZZLE_A => {
            p.swizzle[(pname - GL_TEXTURE_SWIZZLE_R) as usize] = swizzle(v.symbol(0))?;
        }
        GL_TEXTURE_SWIZZLE_RGBA if v.len() >= 4 => {
            let mut all = [0; 4];
            for (i, s) in all.iter_mut().enumerate() {
                *s = swizzle(v.symbol(i))?;
            }
            p.swizzle = all;
        }
        GL_DEPTH_STENCIL_TEXTURE_MODE => match v.symbol(0) {
            mode @ (GL_DEPTH_COMPONENT | GL_STENCIL_INDEX) => p.depth_stencil_mode = mode,
            _ => return Err(GL_INVALID_ENUM),
        },
        GL_GENERATE_MIPMAP if compatibility => p.generate_mipmap = v.int(0) != 0,
        GL_TEXTURE_PRIORITY if compatibility => p.priority = v.float(0).clamp(0.0, 1.0),
        GL_DEPTH_TEXTURE_MODE if compatibility => match v.symbol(0) {
            mode @ (GL_LUMINANCE | GL_INTENSITY | GL_ALPHA | GL_RED) => p.depth_mode = mode,
            _ => return Err(GL_INVALID_ENUM),
        },
        _ => return Err(GL_INVALID_ENUM),
    }
    Ok(())
}

fn get_own(t: &Texture, pname: GLenum, compatibility: bool) -> Option<Answer> {
    let p = t.params();
    let n = |v: u32| Answer::Int(v as i32);
    Some(match pname {
        GL_TEXTURE_BASE_LEVEL => n(p.base_level),
        GL_TEXTURE_MAX_LEVEL => n(p.max_level),
        GL_TEXTURE_SWIZZLE_R | GL_TEXTURE_SWIZZLE_G | GL_TEXTURE_SWIZZLE_B
        | GL_TEXTURE_SWIZZLE_A => n(p.swizzle[(pname - GL_TEXTURE_SWIZZLE_R) as usize]),
        GL_TEXTURE_SWIZZLE_RGBA => Answer::Symbols(p.swizzle),
        GL_DEPTH_STENCIL_TEXTURE_MODE => n(p.depth_stencil_mode),
        GL_TEXTURE_IMMUTABLE_FORMAT => n(u32::from(t.immutable_levels().is_some())),
        GL_TEXTURE_IMMUTABLE_LEVELS => n(t.immutable_levels().unwrap_or(0)),
        GL_TEXTURE_TARGET => n(t.target().gl()),
        GL_GENERATE_MIPMAP if compatibility => n(u32::from(p.generate_mipmap)),
        GL_TEXTURE_PRIORITY if compatibility => Answer::Float(p.priority),
        GL_TEXTURE_RESIDENT if compatibility => n(GL_TRUE),
        GL_DEPTH_TEXTURE_MODE if compatibility => n(p.depth_mode),
        _ => return None,
    })
}

fn get_parameter(gl: &mut Gl<'_>, target: GLenum, pname: GLenum) -> Checked<Answer> {
    let target = TextureTarget::from_gl(target)
        .filter(|t| *t != TextureTarget::Buffer)
        .ok_or(GL_INVALID_ENUM)?;
    let id = gl.bound_texture(target);
    let compatibility = !gl.is_core();
    let t = &gl.share.textures.objects[id];
    sampler::get(&t.params().sampler, pname)
        .or_else(|| get_own(t, pname, compatibility))
        .ok_or(GL_INVALID_ENUM)
}

/// Writes an answer in the form asked for.
///
/// # Safety
///
/// `out` is null or has room for as many values as the parameter has.
pub unsafe fn deliver<T: Copy>(out: *mut T, values: [T; 4], n: usize) {
    if !out.is_null() {
        // SAFETY: by this function's contract.
        unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), out, n.min(4)) }
    }
}

/// What glGetTexLevelParameter* asks about.
struct Level {
    spec: Option<ImageSpec>,
    blocks: Option<usize>,
    buffer: Option<(GLuint, u64)>,
    one_dimensional_array: bool,
}

fn level(gl: &mut Gl<'_>, target: GLenum, level: GLint) -> Checked<Level> {
    let t = ImageTarget::from_gl(target).ok_or(GL_INVALID_ENUM)?;
    let level = check_level(t.target, level)?;
    let one_dimensional_array = t.target == TextureTarget::D1Array;
    if t.proxy {
        return Ok(Level {
            spec: gl.ctx.textures.proxy(t.target, level).copied(),
            blocks: None,
            buffer: None,
            one_dimensional_array,
        });
    }
    let id = gl.bound_texture(t.target);
    let texture = &gl.share.textures.objects[id];
    if let Some(b) = texture.texel_buffer() {
        let buffer = gl.share.buffers.objects.get(b.buffer);
        let (name, size) = buffer.map_or((0, 0), |b| (b.name(), b.size()));
        let texel = u64::from(b.resolved.format.info().map_or(1, |f| f.bytes));
        return Ok(Level {
            spec: Some(ImageSpec {
                extent: crate::state::texture::Extent {
                    width: u32::try_from(size / texel).unwrap_or(u32::MAX),
                    height: 1,
                    depth: 1,
                },
                resolved: b.resolved,
                samples: 0,
                fixed_samples: false,
            }),
            blocks: None,
            buffer: Some((name, size)),
            one_dimensional_array,
        });
    }
    let image = texture.image(level, t.face);
    Ok(Level {
        spec: image.map(|i| *i.spec()),
        blocks: image.and_then(|i| i.blocks()).map(<[u8]>::len),
        buffer: None,
        one_dimensional_array,
    })
}

fn level_parameter(l: &Level, pname: GLenum, compatibility: bool) -> Checked<i64> {
    let e = l.spec.map(|s| s.extent);
    let (height, depth) = match e {
        Some(e) if l.one_dimensional_array => (e.depth, 1),
        Some(e) => (e.height, e.depth),
        None => (0, 0),
    };
    let sizes = l.spec.map(|s| s.resolved.sizes).unwrap_or_default();
    let kind = |size: u8| l.spec.map_or(GL_NONE, |s| s.resolved.component_type(size));
    let n = match pname {
        GL_TEXTURE_WIDTH => e.map_or(0, |e| e.width),
        GL_TEXTURE_HEIGHT => height,
        GL_TEXTURE_DEPTH => depth,
        GL_TEXTURE_BORDER if compatibility => 0,
        GL_TEXTURE_INTERNAL_FORMAT => l.spec.map_or(if compatibility { 1 } else { GL_RGBA }, |s| {
            s.resolved.internal_format
        }),
        GL_TEXTURE_SAMPLES => l.spec.map_or(0, |s| s.samples),
        GL_TEXTURE_FIXED_SAMPLE_LOCATIONS => l
            .spec
            .map_or(1, |s| u32::from(s.samples == 0 || s.fixed_samples)),
        GL_TEXTURE_RED_SIZE => sizes.red.into(),
        GL_TEXTURE_GREEN_SIZE => sizes.green.into(),
        GL_TEXTURE_BLUE_SIZE => sizes.blue.into(),
        GL_TEXTURE_ALPHA_SIZE => sizes.alpha.into(),
        GL_TEXTURE_LUMINANCE_SIZE if compatibility => sizes.luminance.into(),
        GL_TEXTURE_INTENSITY_SIZE if compatibility => sizes.intensity.into(),
        GL_TEXTURE_DEPTH_SIZE => sizes.depth.into(),
        GL_TEXTURE_STENCIL_SIZE => sizes.stencil.into(),
        GL_TEXTURE_SHARED_SIZE => sizes.shared.into(),
        GL_TEXTURE_RED_TYPE => kind(sizes.red),
        GL_TEXTURE_GREEN_TYPE => kind(sizes.green),
        GL_TEXTURE_BLUE_TYPE => kind(sizes.blue),
        GL_TEXTURE_ALPHA_TYPE => kind(sizes.alpha),
        GL_TEXTURE_LUMINANCE_TYPE_ARB if compatibility => kind(sizes.luminance),
        GL_TEXTURE_INTENSITY_TYPE_ARB if compatibility => kind(sizes.intensity),
        GL_TEXTURE_DEPTH_TYPE => kind(sizes.depth),
        GL_TEXTURE_COMPRESSED => u32::from(l.blocks.is_some()),
        GL_TEXTURE_COMPRESSED_IMAGE_SIZE => {
            let bytes = l.blocks.ok_or(GL_INVALID_OPERATION)?;
            return Ok(bytes as i64);
        }
        GL_TEXTURE_BUFFER_DATA_STORE_BINDING => l.buffer.map_or(0, |b| b.0),
        GL_TEXTURE_BUFFER_OFFSET => 0,
        GL_TEXTURE_BUFFER_SIZE => return Ok(l.buffer.map_or(0, |b| b.1 as i64)),
        _ => return Err(GL_INVALID_ENUM),
    };
    Ok(i64::from(n))
}

fn get_level_parameter(gl: &mut Gl<'_>, target: GLenum, at: GLint, pname: GLenum) -> Checked<i64> {
    let l = level(gl, target, at)?;
    level_parameter(&l, pname, !gl.is_core())
}

gl_entry! {
    /// Sets a texture parameter (GL 4.6 §8.10).
    fn glTexParameteri(gl, target: GLenum, pname: GLenum, param: GLint) {
        let r = tex_parameter(gl, target, pname, Values::Int(&[param]));
        gl.report(r)
    }
    /// Sets a texture parameter (GL 4.6 §8.10).
    fn glTexParameterf(gl, target: GLenum, pname: GLenum, param: GLfloat) {
        let r = tex_parameter(gl, target, pname, Values::Float(&[param]));
        gl.report(r)
    }
    /// Sets a texture parameter; integer colours are normalised (GL 4.6 §8.10).
    fn glTexParameteriv(gl, target: GLenum, pname: GLenum, params: *const GLint) {
        // SAFETY: the caller vouches for the array.
        let r = tex_parameter(gl, target, pname, Values::Int(unsafe { values(pname, params) }));
        gl.report(r)
    }
    /// Sets a texture parameter (GL 4.6 §8.10).
    fn glTexParameterfv(gl, target: GLenum, pname: GLenum, params: *const GLfloat) {
        // SAFETY: the caller vouches for the array.
        let r = tex_parameter(gl, target, pname, Values::Float(unsafe { values(pname, params) }));
        gl.report(r)
    }
    /// Sets a texture parameter; colours stay integers (GL 4.6 §8.10).
    fn glTexParameterIiv(gl, target: GLenum, pname: GLenum, params: *const GLint) {
        // SAFETY: the caller vouches for the array.
        let r = tex_parameter(gl, target, pname, Values::PureInt(unsafe { values(pname, params) }));
        gl.report(r)
    }
    /// Sets a texture parameter; colours stay integers (GL 4.6 §8.10).
    fn glTexParameterIuiv(gl, target: GLenum, pname: GLenum, params: *const GLuint) {
        // SAFETY: the caller vouches for the array.
        let r = tex_parameter(gl, target, pname, Values::PureUint(unsafe { values(pname, params) }));
        gl.report(r)
    }
    /// Reads a texture parameter (GL 4.6 §8.11).
    fn glGetTexParameteriv(gl, target: GLenum, pname: GLenum, params: *mut GLint) {
        match get_parameter(gl, target, pname) {
            // SAFETY: the caller vouches for the array.
            Ok(a) => unsafe { deliver(params, a.ints(), a.len()) },
            Err(e) => gl.raise(e),
        }
    }
    /// Reads a texture parameter (GL 4.6 §8.11).
    fn glGetTexParameterfv(gl, target: GLenum, pname: GLenum, params: *mut GLfloat) {
        match get_parameter(gl, target, pname) {
            // SAFETY: the caller vouches for the array.
            Ok(a) => unsafe { deliver(params, a.floats(), a.len()) },
            Err(e) => gl.raise(e),
        }
    }
    /// Reads a texture parameter; colours are not converted (GL 4.6 §8.11).
    fn glGetTexParameterIiv(gl, target: GLenum, pname: GLenum, params: *mut GLint) {
        match get_parameter(gl, target, pname) {
            // SAFETY: the caller vouches for the array.
            Ok(a) => unsafe { deliver(params, a.pure(), a.len()) },
            Err(e) => gl.raise(e),
        }
    }
    /// Reads a texture parameter; colours are not converted (GL 4.6 §8.11).
    fn glGetTexParameterIuiv(gl, target: GLenum, pname: GLenum, params: *mut GLuint) {
        match get_parameter(gl, target, pname) {
            // SAFETY: the caller vouches for the array.
            Ok(a) => unsafe { deliver(params, a.pure().map(|v| v as u32), a.len()) },
            Err(e) => gl.raise(e),
        }
    }
    /// Reads a property of a level (GL 4.6 §8.11).
    fn glGetTexLevelParameteriv(gl, target: GLenum, level: GLint, pname: GLenum, params: *mut GLint) {
        match get_level_parameter(gl, target, level, pname) {
            // SAFETY: the caller vouches for the value.
            Ok(v) => unsafe { deliver(params, [v as GLint; 4], 1) },
            Err(e) => gl.raise(e),
        }
    }
    /// Reads a property of a level (GL 4.6 §8.11).
    fn glGetTexLevelParameterfv(gl, target: GLenum, level: GLint, pname: GLenum, params: *mut GLfloat) {
        match get_level_parameter(gl, target, level, pname) {
            // SAFETY: the caller vouches for the value.
            Ok(v) => unsafe { deliver(params, [v as GLfloat; 4], 1) },
            Err(e) => gl.raise(e),
        }
    }
}
