//! ARB_shader_objects: shaders and programs under one kind of handle, which is their name. Functions that the registry
//! calls other names of core ones are not here.

use super::entry::{api_entry, gl_entry};
use super::program::{
    glDeleteProgram, glDeleteShader, glGetAttachedShaders, glGetProgramInfoLog, glGetProgramiv,
    glGetShaderInfoLog, glGetShaderiv, glIsProgram, glIsShader,
};
use super::types::*;
use crate::consts::gl::*;
use crate::context::with_current;

/// Whether a handle is a program's; what is neither that nor a shader's raises GL_INVALID_VALUE and is `None`.
fn is_program(handle: GLhandleARB) -> Option<bool> {
    // SAFETY: no pointers.
    let (program, shader) = unsafe { (glIsProgram(handle), glIsShader(handle)) };
    if program == 0 && shader == 0 {
        with_current("glGetObjectParameterivARB", |gl| gl.raise(GL_INVALID_VALUE));
        return None;
    }
    Some(program != 0)
}

/// One parameter of a shader or program.
fn parameter(handle: GLhandleARB, pname: GLenum) -> Option<GLint> {
    let program = is_program(handle)?;
    if pname == GL_OBJECT_TYPE_ARB {
        return Some(if program {
            GL_PROGRAM_OBJECT_ARB as GLint
        } else {
            GL_SHADER_OBJECT_ARB as GLint
        });
    }
    // Other parameters have the values of their core names. Left alone after an error.
    let mut value = GLint::MIN;
    // SAFETY: room for one value.
    unsafe {
        if program {
            glGetProgramiv(handle, pname, &mut value);
        } else {
            glGetShaderiv(handle, pname, &mut value);
        }
    }
    (value != GLint::MIN).then_some(value)
}

gl_entry! {
    /// The handle in use for a purpose (ARB_shader_objects): that of the current program.
    fn glGetHandleARB(gl, pname: GLenum) -> GLhandleARB {
        if pname != GL_PROGRAM_OBJECT_ARB {
            gl.raise(GL_INVALID_ENUM);
            return 0;
        }
        let id = gl.ctx.programs.current();
        id.map_or(0, |id| gl.share.programs.objects[id].name)
    }
}

api_entry! {
    /// Ends a shader or program (ARB_shader_objects); 0 is ignored.
    fn glDeleteObjectARB(obj: GLhandleARB) {
        if obj == 0 {
            return;
        }
        // SAFETY: no pointers.
        match is_program(obj) {
            Some(true) => unsafe { glDeleteProgram(obj) },
            // SAFETY: as above.
            Some(false) => unsafe { glDeleteShader(obj) },
            None => {}
        }
    }
    /// A parameter of a shader or program (ARB_shader_objects).
    fn glGetObjectParameterivARB(obj: GLhandleARB, pname: GLenum, params: *mut GLint) {
        if let Some(value) = parameter(obj, pname) {
            // SAFETY: the program gives room for one value.
            unsafe { params.write_unaligned(value) };
        }
    }
    /// A parameter of a shader or program as a float (ARB_shader_objects).
    fn glGetObjectParameterfvARB(obj: GLhandleARB, pname: GLenum, params: *mut GLfloat) {
        if let Some(value) = parameter(obj, pname) {
            // SAFETY: the program gives room for one value.
            unsafe { params.write_unaligned(value as GLfloat) };
        }
    }
    /// The log of a shader or program (ARB_shader_objects).
    fn glGetInfoLogARB(obj: GLhandleARB, max: GLsizei, length: *mut GLsizei, log: *mut GLcharARB) {
        // SAFETY: the caller keeps the same contract.
        match is_program(obj) {
            Some(true) => unsafe { glGetProgramInfoLog(obj, max, length, log) },
            // SAFETY: as above.
            Some(false) => unsafe { glGetShaderInfoLog(obj, max, length, log) },
            None => {}
        }
    }
    /// The shaders attached to a program (ARB_shader_objects).
    fn glGetAttachedObjectsARB(
        program: GLhandleARB, max: GLsizei, count: *mut GLsizei, obj: *mut GLhandleARB,
    ) {
        // SAFETY: the caller keeps the same contract.
        unsafe { glGetAttachedShaders(program, max, count, obj) }
    }
}
