//! Functions that OpenGL ES 2.0 has and OpenGL took over (ARB_ES2_compatibility). Those of depth are in [`super::state`].

use super::entry::gl_entry;
use super::types::*;
use crate::consts::gl::*;
use core::ffi::c_void;

/// Range and precision of a precision qualifier (GL 4.6 §7.15): all numbers have 32 bits.
fn precision(qualifier: GLenum) -> Option<([GLint; 2], GLint)> {
    Some(match qualifier {
        GL_LOW_FLOAT | GL_MEDIUM_FLOAT | GL_HIGH_FLOAT => ([127, 127], 23),
        GL_LOW_INT | GL_MEDIUM_INT | GL_HIGH_INT => ([31, 30], 0),
        _ => return None,
    })
}

gl_entry! {
    /// Range and precision of a shader's numbers (GL 4.6 §7.15).
    fn glGetShaderPrecisionFormat(
        gl, shadertype: GLenum, precisiontype: GLenum, range: *mut GLint, precision_: *mut GLint,
    ) {
        let (true, Some((ends, digits))) = (
            matches!(shadertype, GL_VERTEX_SHADER | GL_FRAGMENT_SHADER),
            precision(precisiontype),
        ) else {
            return gl.raise(GL_INVALID_ENUM);
        };
        // SAFETY: the program gives room for two values and for one.
        unsafe {
            if !range.is_null() {
                range.cast::<[GLint; 2]>().write_unaligned(ends);
            }
            if !precision_.is_null() {
                precision_.write_unaligned(digits);
            }
        }
    }
    /// Hints that no shader will be compiled for a while (GL 4.6 §7.2): nothing to let go of.
    fn glReleaseShaderCompiler(_gl) {}
    /// Loads shaders from a binary format (GL 4.6 §7.2); there is none.
    fn glShaderBinary(
        gl, count: GLsizei, shaders: *const GLuint, binaryformat: GLenum, binary: *const c_void, length: GLsizei,
    ) {
        let _ = (shaders, binaryformat, binary);
        gl.raise(if count < 0 || length < 0 { GL_INVALID_VALUE } else { GL_INVALID_ENUM })
    }
}
