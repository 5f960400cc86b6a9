//! Sampler objects (GL 4.6 §8.2).

use super::entry::gl_entry;
use super::limits::MAX_COMBINED_TEXTURE_IMAGE_UNITS;
use super::texture::params::{deliver, values};
use super::texture::{Checked, generate, names};
use super::types::*;
use crate::consts::gl::*;
use crate::context::Gl;
use crate::state::Id;
use crate::state::sampler::{self, Answer, Sampler, Values};

/// The object of a generated name, made now if it has none yet.
///
/// # Errors
///
/// `GL_INVALID_OPERATION` for a name that was not generated, or is deleted.
fn object(gl: &mut Gl<'_>, name: GLuint) -> Checked<Id<Sampler>> {
    if let Some(id) = gl.share.samplers.id(name) {
        return Ok(id);
    }
    if !gl.share.samplers.is_reserved(name) {
        return Err(GL_INVALID_OPERATION);
    }
    Ok(gl.share.samplers.create(name, Sampler::new(name)))
}

fn bind(gl: &mut Gl<'_>, unit: GLuint, name: GLuint) -> Checked {
    if unit >= MAX_COMBINED_TEXTURE_IMAGE_UNITS {
        return Err(GL_INVALID_VALUE);
    }
    let id = match name {
        0 => None,
        n => Some(object(gl, n)?),
    };
    if gl.ctx.textures.unit(unit).sampler() != id {
        gl.ctx.textures.bind_sampler(unit, id, gl.gens.touch());
    }
    Ok(())
}

fn set(gl: &mut Gl<'_>, name: GLuint, pname: GLenum, v: Values<'_>) -> Checked {
    let id = object(gl, name)?;
    if v.is_empty() {
        return Ok(());
    }
    let rules = gl.sampler_rules(false);
    let s = &mut gl.share.samplers.objects[id];
    let mut p = *s.params();
    sampler::set(&mut p, pname, v, rules)?;
    if p != *s.params() {
        s.set_params(p, gl.gens.touch());
    }
    Ok(())
}

fn get(gl: &mut Gl<'_>, name: GLuint, pname: GLenum) -> Checked<Answer> {
    let id = object(gl, name)?;
    sampler::get(gl.share.samplers.objects[id].params(), pname).ok_or(GL_INVALID_ENUM)
}

gl_entry! {
    /// Names for sampler objects (GL 4.6 §8.2).
    fn glGenSamplers(gl, count: GLsizei, samplers: *mut GLuint) {
        // SAFETY: the caller vouches for the array.
        let r = unsafe { generate(count, samplers, || gl.share.samplers.reserve()) };
        gl.report(r)
    }
    /// Ends sampler objects (GL 4.6 §8.2).
    fn glDeleteSamplers(gl, count: GLsizei, samplers: *const GLuint) {
        // SAFETY: the caller vouches for the array.
        match unsafe { names(count, samplers) } {
            Ok(list) => {
                for &name in list {
                    if let Some(id) = gl.share.samplers.delete(name) {
                        gl.share.deleted += 1;
                        gl.ctx.textures.unbind_sampler(id, gl.gens.touch());
                    }
                }
            }
            Err(e) => gl.raise(e),
        }
    }
    /// Whether a name is a sampler object's (GL 4.6 §8.2).
    fn glIsSampler(gl, sampler: GLuint) -> GLboolean {
        u8::from(gl.share.samplers.id(sampler).is_some())
    }
    /// Binds a sampler object to a unit (GL 4.6 §8.2).
    fn glBindSampler(gl, unit: GLuint, sampler: GLuint) {
        let r = bind(gl, unit, sampler);
        gl.report(r)
    }
    /// Sets a sampler parameter (GL 4.6 §8.2).
    fn glSamplerParameteri(gl, sampler: GLuint, pname: GLenum, param: GLint) {
        let r = set(gl, sampler, pname, Values::Int(&[param]));
        gl.report(r)
    }
    /// Sets a sampler parameter (GL 4.6 §8.2).
    fn glSamplerParameterf(gl, sampler: GLuint, pname: GLenum, param: GLfloat) {
        let r = set(gl, sampler, pname, Values::Float(&[param]));
        gl.report(r)
    }
    /// Sets a sampler parameter; integer colours are normalised (GL 4.6 §8.2).
    fn glSamplerParameteriv(gl, sampler: GLuint, pname: GLenum, param: *const GLint) {
        // SAFETY: the caller vouches for the array.
        let r = set(gl, sampler, pname, Values::Int(unsafe { values(pname, param) }));
        gl.report(r)
    }
    /// Sets a sampler parameter (GL 4.6 §8.2).
    fn glSamplerParameterfv(gl, sampler: GLuint, pname: GLenum, param: *const GLfloat) {
        // SAFETY: the caller vouches for the array.
        let r = set(gl, sampler, pname, Values::Float(unsafe { values(pname, param) }));
        gl.report(r)
    }
    /// Sets a sampler parameter; colours stay integers (GL 4.6 §8.2).
    fn glSamplerParameterIiv(gl, sampler: GLuint, pname: GLenum, param: *const GLint) {
        // SAFETY: the caller vouches for the array.
        let r = set(gl, sampler, pname, Values::PureInt(unsafe { values(pname, param) }));
        gl.report(r)
    }
    /// Sets a sampler parameter; colours stay integers (GL 4.6 §8.2).
    fn glSamplerParameterIuiv(gl, sampler: GLuint, pname: GLenum, param: *const GLuint) {
        // SAFETY: the caller vouches for the array.
        let r = set(gl, sampler, pname, Values::PureUint(unsafe { values(pname, param) }));
        gl.report(r)
    }
    /// Reads a sampler parameter (GL 4.6 §8.3).
    fn glGetSamplerParameteriv(gl, sampler: GLuint, pname: GLenum, params: *mut GLint) {
        match get(gl, sampler, pname) {
            // SAFETY: the caller vouches for the array.
            Ok(a) => unsafe { deliver(params, a.ints(), a.len()) },
            Err(e) => gl.raise(e),
        }
    }
    /// Reads a sampler parameter (GL 4.6 §8.3).
    fn glGetSamplerParameterfv(gl, sampler: GLuint, pname: GLenum, params: *mut GLfloat) {
        match get(gl, sampler, pname) {
            // SAFETY: the caller vouches for the array.
            Ok(a) => unsafe { deliver(params, a.floats(), a.len()) },
            Err(e) => gl.raise(e),
        }
    }
    /// Reads a sampler parameter; colours are not converted (GL 4.6 §8.3).
    fn glGetSamplerParameterIiv(gl, sampler: GLuint, pname: GLenum, params: *mut GLint) {
        match get(gl, sampler, pname) {
            // SAFETY: the caller vouches for the array.
            Ok(a) => unsafe { deliver(params, a.pure(), a.len()) },
            Err(e) => gl.raise(e),
        }
    }
    /// Reads a sampler parameter; colours are not converted (GL 4.6 §8.3).
    fn glGetSamplerParameterIuiv(gl, sampler: GLuint, pname: GLenum, params: *mut GLuint) {
        match get(gl, sampler, pname) {
            // SAFETY: the caller vouches for the array.
            Ok(a) => unsafe { deliver(params, a.pure().map(|v| v as u32), a.len()) },
            Err(e) => gl.raise(e),
        }
    }
}
