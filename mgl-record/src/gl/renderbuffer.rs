//! Renderbuffer objects (GL 4.6 §9.2.4).

use super::entry::gl_entry;
use super::limits::{MAX_SAMPLES, MAX_TEXTURE_SIZE};
use super::texture::params::deliver;
use super::texture::{Checked, generate, names};
use super::types::*;
use crate::consts::gl::*;
use crate::context::Gl;
use crate::pixel::PixelError;
use crate::pixel::resolve::resolve_renderbuffer;
use crate::state::framebuffer::Attached;
use crate::state::renderbuffer::{Renderbuffer, Storage};

fn bind(gl: &mut Gl<'_>, target: GLenum, name: GLuint, generated_only: bool) -> Checked {
    if target != GL_RENDERBUFFER {
        return Err(GL_INVALID_ENUM);
    }
    let id = match name {
        0 => None,
        n => Some(match gl.share.renderbuffers.id(n) {
            Some(id) => id,
            None if generated_only && !gl.share.renderbuffers.is_reserved(n) => {
                return Err(GL_INVALID_OPERATION);
            }
            None => {
                let r = Renderbuffer::new(n, gl.pipe);
                gl.share.renderbuffers.create(n, r)
            }
        }),
    };
    gl.ctx.framebuffers.bind_renderbuffer(id);
    Ok(())
}

fn delete(gl: &mut Gl<'_>, list: &[GLuint]) {
    for &name in list {
        if let Some(id) = gl.share.renderbuffers.delete(name) {
            gl.share.deleted += 1;
            if gl.ctx.framebuffers.renderbuffer() == Some(id) {
                gl.ctx.framebuffers.bind_renderbuffer(None);
            }
            gl.ctx
                .framebuffers
                .detach(|a| *a == Attached::Renderbuffer(id), gl.gens.touch());
        }
    }
}

fn storage(
    gl: &mut Gl<'_>,
    target: GLenum,
    samples: GLsizei,
    internal_format: GLenum,
    (width, height): (GLsizei, GLsizei),
) -> Checked {
    if target != GL_RENDERBUFFER {
        return Err(GL_INVALID_ENUM);
    }
    let resolved =
        resolve_renderbuffer(internal_format, gl.pixel_profile()).map_err(PixelError::gl_error)?;
    let side = |v: GLsizei| {
        u32::try_from(v)
            .ok()
            .filter(|&v| v <= MAX_TEXTURE_SIZE)
            .ok_or(GL_INVALID_VALUE)
    };
    let (width, height) = (side(width)?, side(height)?);
    let samples = u32::try_from(samples).map_err(|_| GL_INVALID_VALUE)?;
    if samples > MAX_SAMPLES {
        return Err(if resolved.is_integer() {
            GL_INVALID_OPERATION
        } else {
            GL_INVALID_VALUE
        });
    }
    let id = gl
        .ctx
        .framebuffers
        .renderbuffer()
        .ok_or(GL_INVALID_OPERATION)?;
    let s = Storage {
        width,
        height,
        samples,
        resolved,
        internal_format,
    };
    gl.share.renderbuffers.objects[id].set_storage(s, gl.gens.touch());
    Ok(())
}

fn parameter(gl: &mut Gl<'_>, target: GLenum, pname: GLenum) -> Checked<GLint> {
    if target != GL_RENDERBUFFER {
        return Err(GL_INVALID_ENUM);
    }
    let id = gl
        .ctx
        .framebuffers
        .renderbuffer()
        .ok_or(GL_INVALID_OPERATION)?;
    let s = gl.share.renderbuffers.objects[id].storage();
    let sizes = s.map(|s| s.resolved.sizes).unwrap_or_default();
    Ok(match pname {
        GL_RENDERBUFFER_WIDTH => s.map_or(0, |s| s.width) as GLint,
        GL_RENDERBUFFER_HEIGHT => s.map_or(0, |s| s.height) as GLint,
        GL_RENDERBUFFER_SAMPLES => s.map_or(0, |s| s.samples) as GLint,
        GL_RENDERBUFFER_INTERNAL_FORMAT => s.map_or(GL_RGBA, |s| s.internal_format) as GLint,
        GL_RENDERBUFFER_RED_SIZE => sizes.red.into(),
        GL_RENDERBUFFER_GREEN_SIZE => sizes.green.into(),
        GL_RENDERBUFFER_BLUE_SIZE => sizes.blue.into(),
        GL_RENDERBUFFER_ALPHA_SIZE => sizes.alpha.into(),
        GL_RENDERBUFFER_DEPTH_SIZE => sizes.depth.into(),
        GL_RENDERBUFFER_STENCIL_SIZE => sizes.stencil.into(),
        _ => return Err(GL_INVALID_ENUM),
    })
}

gl_entry! {
    /// Names for renderbuffers (GL 4.6 §9.2.4).
    fn glGenRenderbuffers(gl, n: GLsizei, renderbuffers: *mut GLuint) {
        // SAFETY: the caller vouches for the array.
        let r = unsafe { generate(n, renderbuffers, || gl.share.renderbuffers.reserve()) };
        gl.report(r)
    }
    /// Ends renderbuffers' names (GL 4.6 §9.2.4).
    fn glDeleteRenderbuffers(gl, n: GLsizei, renderbuffers: *const GLuint) {
        // SAFETY: the caller vouches for the array.
        match unsafe { names(n, renderbuffers) } {
            Ok(list) => delete(gl, list),
            Err(e) => gl.raise(e),
        }
    }
    /// Whether a name is a renderbuffer's (GL 4.6 §9.2.4).
    fn glIsRenderbuffer(gl, renderbuffer: GLuint) -> GLboolean {
        u8::from(gl.share.renderbuffers.id(renderbuffer).is_some())
    }
    /// Binds a renderbuffer (GL 4.6 §9.2.4).
    fn glBindRenderbuffer(gl, target: GLenum, renderbuffer: GLuint) {
        let r = bind(gl, target, renderbuffer, true);
        gl.report(r)
    }
    /// Binds a renderbuffer, whose name need not have been generated (EXT_framebuffer_object).
    fn glBindRenderbufferEXT(gl, target: GLenum, renderbuffer: GLuint) {
        let r = bind(gl, target, renderbuffer, false);
        gl.report(r)
    }
    /// Storage of a renderbuffer (GL 4.6 §9.2.4).
    fn glRenderbufferStorage(gl, target: GLenum, internalformat: GLenum, width: GLsizei, height: GLsizei) {
        let r = storage(gl, target, 0, internalformat, (width, height));
        gl.report(r)
    }
    /// Storage of a multisample renderbuffer (GL 4.6 §9.2.4).
    fn glRenderbufferStorageMultisample(gl, target: GLenum, samples: GLsizei, internalformat: GLenum, width: GLsizei,
            height: GLsizei) {
        let r = storage(gl, target, samples, internalformat, (width, height));
        gl.report(r)
    }
    /// Reads a property of a renderbuffer (GL 4.6 §9.2.6).
    fn glGetRenderbufferParameteriv(gl, target: GLenum, pname: GLenum, params: *mut GLint) {
        match parameter(gl, target, pname) {
            // SAFETY: the caller vouches for the value.
            Ok(v) => unsafe { deliver(params, [v; 4], 1) },
            Err(e) => gl.raise(e),
        }
    }
}
