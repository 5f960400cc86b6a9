//! Reading with a bound on what is written (KHR_robustness, ARB_robustness, GL 4.6 §7.13). Pixels are in [`super::read`] and
//! in [`super::texture`].

use super::entry::{api_entry, gl_entry};
use super::get::glGetGraphicsResetStatus;
use super::read::glReadnPixels;
use super::texture::compressed::glGetnCompressedTexImage;
use super::texture::readback::glGetnTexImage;
use super::types::*;
use super::uniform::{as_f32, as_i64};
use crate::consts::gl::*;
use crate::context::Gl;
use core::ffi::c_void;
use mgl_core::program::ComponentKind;

/// Writes a uniform's components, or raises GL_INVALID_OPERATION where they need more than `size` bytes.
///
/// # Safety
///
/// `params` has room for `size` bytes.
unsafe fn uniform<T>(
    gl: &mut Gl<'_>,
    (program, location): (GLuint, GLint),
    size: GLsizei,
    params: *mut T,
    convert: impl Fn(ComponentKind, u32) -> T,
) {
    let Some((kind, bits)) = gl.uniform_value(program, location) else {
        return;
    };
    if usize::try_from(size).is_ok_and(|n| bits.len() * size_of::<T>() <= n) {
        for (i, b) in bits.into_iter().enumerate() {
            // SAFETY: by this function's contract and the check above.
            unsafe { params.add(i).write_unaligned(convert(kind, b)) }
        }
    } else {
        gl.raise(GL_INVALID_OPERATION);
    }
}

fn as_i32(kind: ComponentKind, bits: u32) -> GLint {
    as_i64(kind, bits).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as GLint
}

fn as_u32(kind: ComponentKind, bits: u32) -> GLuint {
    if kind == ComponentKind::Int {
        bits
    } else {
        as_i64(kind, bits).clamp(0, i64::from(u32::MAX)) as GLuint
    }
}

gl_entry! {
    /// A uniform as floats, within a size (GL 4.6 §7.13).
    fn glGetnUniformfv(gl, program: GLuint, location: GLint, bufSize: GLsizei, params: *mut GLfloat) {
        // SAFETY: the caller gives room for `bufSize` bytes; so in all entry points below.
        unsafe { uniform(gl, (program, location), bufSize, params, as_f32) }
    }
    /// A uniform as integers, within a size (GL 4.6 §7.13).
    fn glGetnUniformiv(gl, program: GLuint, location: GLint, bufSize: GLsizei, params: *mut GLint) {
        // SAFETY: as above.
        unsafe { uniform(gl, (program, location), bufSize, params, as_i32) }
    }
    /// A uniform as unsigned integers, within a size (GL 4.6 §7.13).
    fn glGetnUniformuiv(gl, program: GLuint, location: GLint, bufSize: GLsizei, params: *mut GLuint) {
        // SAFETY: as above.
        unsafe { uniform(gl, (program, location), bufSize, params, as_u32) }
    }
    /// A uniform as doubles, within a size (ARB_robustness).
    fn glGetnUniformdvARB(gl, program: GLuint, location: GLint, bufSize: GLsizei, params: *mut GLdouble) {
        let convert = |kind, bits| match kind {
            ComponentKind::Float | ComponentKind::Double => GLdouble::from(as_f32(kind, bits)),
            _ => as_i64(kind, bits) as GLdouble,
        };
        // SAFETY: as above.
        unsafe { uniform(gl, (program, location), bufSize, params, convert) }
    }
}

api_entry! {
    /// glGetGraphicsResetStatus of ARB_robustness.
    fn glGetGraphicsResetStatusARB() -> GLenum {
        // SAFETY: the caller keeps the same contract; so below.
        unsafe { glGetGraphicsResetStatus() }
    }
    /// glGetnTexImage of ARB_robustness.
    fn glGetnTexImageARB(
        target: GLenum, level: GLint, format: GLenum, ty: GLenum, bufSize: GLsizei, img: *mut c_void,
    ) {
        // SAFETY: as above.
        unsafe { glGetnTexImage(target, level, format, ty, bufSize, img) }
    }
    /// glGetnCompressedTexImage of ARB_robustness.
    fn glGetnCompressedTexImageARB(target: GLenum, lod: GLint, bufSize: GLsizei, img: *mut c_void) {
        // SAFETY: as above.
        unsafe { glGetnCompressedTexImage(target, lod, bufSize, img) }
    }
    /// glReadnPixels of ARB_robustness.
    fn glReadnPixelsARB(
        x: GLint, y: GLint, width: GLsizei, height: GLsizei, format: GLenum, ty: GLenum, bufSize: GLsizei,
        data: *mut c_void,
    ) {
        // SAFETY: as above.
        unsafe { glReadnPixels(x, y, width, height, format, ty, bufSize, data) }
    }
    /// glGetnUniformfv of ARB_robustness.
    fn glGetnUniformfvARB(program: GLuint, location: GLint, bufSize: GLsizei, params: *mut GLfloat) {
        // SAFETY: as above.
        unsafe { glGetnUniformfv(program, location, bufSize, params) }
    }
    /// glGetnUniformiv of ARB_robustness.
    fn glGetnUniformivARB(program: GLuint, location: GLint, bufSize: GLsizei, params: *mut GLint) {
        // SAFETY: as above.
        unsafe { glGetnUniformiv(program, location, bufSize, params) }
    }
    /// glGetnUniformuiv of ARB_robustness.
    fn glGetnUniformuivARB(program: GLuint, location: GLint, bufSize: GLsizei, params: *mut GLuint) {
        // SAFETY: as above.
        unsafe { glGetnUniformuiv(program, location, bufSize, params) }
    }
}
