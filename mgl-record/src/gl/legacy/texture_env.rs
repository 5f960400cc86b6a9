//! Texture environments and generation of coordinates (GL 3.3 compatibility §3.9.16, §2.12.3).

use super::TEXTURE_COORDS;
use super::math::transform_plane;
use super::params::{Owner, check, parameter};
use crate::consts::gl::*;
use crate::context::Gl;
use crate::gl::entry::gl_entry;
use crate::gl::types::*;
use crate::state::sampler::Values;

/// The values behind a pointer: as many as the parameter has, one for a name that is none.
///
/// # Safety
///
/// `p` is null or leads to as many values.
pub(super) unsafe fn slice<'a, T>(owner: Owner, pname: GLenum, p: *const T) -> &'a [T] {
    if p.is_null() {
        return &[];
    }
    let n = match (owner, pname) {
        (Owner::Material(_), GL_AMBIENT_AND_DIFFUSE) => 4,
        _ => parameter(owner, pname).map_or(1, |p| p.count),
    };
    // SAFETY: by this function's contract.
    unsafe { std::slice::from_raw_parts(p, n) }
}

/// Writes a parameter's values as floats.
///
/// # Safety
///
/// `out` has room for them.
pub(super) unsafe fn deliver_floats((v, n, _): ([f32; 4], usize, bool), out: *mut GLfloat) {
    // SAFETY: by this function's contract.
    unsafe { std::ptr::copy_nonoverlapping(v.as_ptr(), out, n) }
}

/// Writes a parameter's values as integers, which stand for the range of a colour.
///
/// # Safety
///
/// `out` has room for them.
pub(super) unsafe fn deliver_ints((v, n, color): ([f32; 4], usize, bool), out: *mut GLint) {
    for (i, v) in v.into_iter().take(n).enumerate() {
        let v = if color {
            (f64::from(v.clamp(-1.0, 1.0)) * f64::from(i32::MAX)).round() as GLint
        } else {
            v.round() as GLint
        };
        // SAFETY: by this function's contract.
        unsafe { out.add(i).write_unaligned(v) }
    }
}

/// What a target means in the selected texture unit.
///
/// # Errors
///
/// `GL_INVALID_ENUM` for no target, `GL_INVALID_OPERATION` for a unit without coordinates.
fn owner(gl: &Gl<'_>, target: GLenum) -> Result<Owner, GLenum> {
    let unit = gl.ctx.textures.active();
    match target {
        GL_TEXTURE_ENV => Ok(Owner::TexEnv(unit)),
        GL_TEXTURE_FILTER_CONTROL => Ok(Owner::FilterControl(unit)),
        GL_POINT_SPRITE if (unit as usize) < TEXTURE_COORDS => Ok(Owner::PointSprite(unit)),
        GL_POINT_SPRITE => Err(GL_INVALID_OPERATION),
        _ => Err(GL_INVALID_ENUM),
    }
}

/// The generation of a coordinate of the selected unit.
fn coordinate(gl: &Gl<'_>, coord: GLenum) -> Result<Owner, GLenum> {
    let unit = gl.ctx.textures.active();
    match coord {
        GL_S..=GL_Q if (unit as usize) < TEXTURE_COORDS => Ok(Owner::TexGen(unit, coord - GL_S)),
        GL_S..=GL_Q => Err(GL_INVALID_OPERATION),
        _ => Err(GL_INVALID_ENUM),
    }
}

fn set_env(gl: &mut Gl<'_>, target: GLenum, pname: GLenum, v: Values<'_>) {
    if gl.legacy().is_none() {
        return;
    }
    match owner(gl, target).and_then(|o| Ok((o, check(o, pname, v)?))) {
        Ok((o, v)) => {
            if matches!(o, Owner::FilterControl(_)) && v[0] != 0.0 {
                gl.ctx.misc.without_effect("glTexEnv", target);
            }
            gl.ctx.legacy.params.set(o, pname, v);
        }
        Err(e) => gl.raise(e),
    }
}

fn set_gen(gl: &mut Gl<'_>, coord: GLenum, pname: GLenum, v: Values<'_>) {
    if gl.legacy().is_none() {
        return;
    }
    match coordinate(gl, coord).and_then(|o| Ok((o, check(o, pname, v)?))) {
        Ok((o, v)) => {
            let state = &mut gl.ctx.legacy;
            // Planes of the eye go through the inverse of the model-view matrix.
            let v = match pname {
                GL_EYE_PLANE => transform_plane(state.matrices.model_view.top(), v),
                _ => v,
            };
            state.params.set(o, pname, v);
        }
        Err(e) => gl.raise(e),
    }
}

fn find(
    gl: &mut Gl<'_>,
    owner: Result<Owner, GLenum>,
    pname: GLenum,
) -> Option<([f32; 4], usize, bool)> {
    gl.legacy()?;
    let found = owner.and_then(|o| {
        let p = parameter(o, pname).ok_or(GL_INVALID_ENUM)?;
        let v = gl.ctx.legacy.params.get(o, pname);
        Ok((v.unwrap_or_default(), p.count, p.is_color()))
    });
    found.map_err(|e| gl.raise(e)).ok()
}

gl_entry! {
    /// Sets a parameter of a texture environment (GL 3.3 compatibility §3.9.16).
    fn glTexEnvf(gl, target: GLenum, pname: GLenum, param: GLfloat) { set_env(gl, target, pname, Values::Float(&[param])) }
    /// Sets a parameter of a texture environment.
    fn glTexEnvi(gl, target: GLenum, pname: GLenum, param: GLint) { set_env(gl, target, pname, Values::Int(&[param])) }
    /// Sets a parameter of a texture environment from memory.
    fn glTexEnvfv(gl, target: GLenum, pname: GLenum, params: *const GLfloat) {
        // SAFETY: the program gives the values of the parameter; so in all entry points below.
        set_env(gl, target, pname, Values::Float(unsafe { slice(Owner::TexEnv(0), pname, params) }))
    }
    /// Sets a parameter of a texture environment from memory.
    fn glTexEnviv(gl, target: GLenum, pname: GLenum, params: *const GLint) {
        // SAFETY: as above.
        set_env(gl, target, pname, Values::Int(unsafe { slice(Owner::TexEnv(0), pname, params) }))
    }
    /// A parameter of a texture environment.
    fn glGetTexEnvfv(gl, target: GLenum, pname: GLenum, params: *mut GLfloat) {
        let owner = owner(gl, target);
        if let Some(found) = find(gl, owner, pname) {
            // SAFETY: as above.
            unsafe { deliver_floats(found, params) }
        }
    }
    /// A parameter of a texture environment.
    fn glGetTexEnviv(gl, target: GLenum, pname: GLenum, params: *mut GLint) {
        let owner = owner(gl, target);
        if let Some(found) = find(gl, owner, pname) {
            // SAFETY: as above.
            unsafe { deliver_ints(found, params) }
        }
    }
    /// Sets how a coordinate is generated (GL 3.3 compatibility §2.12.3).
    fn glTexGenf(gl, coord: GLenum, pname: GLenum, param: GLfloat) { set_gen(gl, coord, pname, Values::Float(&[param])) }
    /// Sets how a coordinate is generated.
    fn glTexGend(gl, coord: GLenum, pname: GLenum, param: GLdouble) {
        set_gen(gl, coord, pname, Values::Float(&[param as f32]))
    }
    /// Sets how a coordinate is generated.
    fn glTexGeni(gl, coord: GLenum, pname: GLenum, param: GLint) { set_gen(gl, coord, pname, Values::Int(&[param])) }
    /// Sets how a coordinate is generated, from memory.
    fn glTexGenfv(gl, coord: GLenum, pname: GLenum, params: *const GLfloat) {
        // SAFETY: as above.
        set_gen(gl, coord, pname, Values::Float(unsafe { slice(Owner::TexGen(0, 0), pname, params) }))
    }
    /// Sets how a coordinate is generated, from memory.
    fn glTexGendv(gl, coord: GLenum, pname: GLenum, params: *const GLdouble) {
        // SAFETY: as above.
        let v: Vec<f32> = unsafe { slice(Owner::TexGen(0, 0), pname, params) }.iter().map(|v| *v as f32).collect();
        set_gen(gl, coord, pname, Values::Float(&v))
    }
    /// Sets how a coordinate is generated, from memory.
    fn glTexGeniv(gl, coord: GLenum, pname: GLenum, params: *const GLint) {
        // SAFETY: as above.
        set_gen(gl, coord, pname, Values::Int(unsafe { slice(Owner::TexGen(0, 0), pname, params) }))
    }
    /// How a coordinate is generated.
    fn glGetTexGenfv(gl, coord: GLenum, pname: GLenum, params: *mut GLfloat) {
        let owner = coordinate(gl, coord);
        if let Some(found) = find(gl, owner, pname) {
            // SAFETY: as above.
            unsafe { deliver_floats(found, params) }
        }
    }
    /// How a coordinate is generated.
    fn glGetTexGendv(gl, coord: GLenum, pname: GLenum, params: *mut GLdouble) {
        let owner = coordinate(gl, coord);
        if let Some((v, n, _)) = find(gl, owner, pname) {
            for (i, v) in v.into_iter().take(n).enumerate() {
                // SAFETY: as above.
                unsafe { params.add(i).write_unaligned(v.into()) }
            }
        }
    }
    /// How a coordinate is generated.
    fn glGetTexGeniv(gl, coord: GLenum, pname: GLenum, params: *mut GLint) {
        let owner = coordinate(gl, coord);
        if let Some(found) = find(gl, owner, pname) {
            // SAFETY: as above.
            unsafe { deliver_ints(found, params) }
        }
    }
}
