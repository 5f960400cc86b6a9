//! The GL's own types, named as in the specification (OpenGL 4.6, table 2.2).

#![allow(non_camel_case_types)]

use core::ffi::{c_char, c_void};

pub type GLenum = u32;
pub type GLbitfield = u32;
pub type GLboolean = u8;
pub type GLbyte = i8;
pub type GLubyte = u8;
pub type GLchar = c_char;
pub type GLcharARB = c_char;
pub type GLshort = i16;
pub type GLushort = u16;
pub type GLint = i32;
pub type GLuint = u32;
pub type GLsizei = i32;
pub type GLfixed = i32;
pub type GLclampx = i32;
pub type GLint64 = i64;
pub type GLint64EXT = i64;
pub type GLuint64 = u64;
pub type GLuint64EXT = u64;
pub type GLfloat = f32;
pub type GLclampf = f32;
pub type GLdouble = f64;
pub type GLclampd = f64;
pub type GLhalfNV = u16;
pub type GLintptr = isize;
pub type GLintptrARB = isize;
pub type GLsizeiptr = isize;
pub type GLsizeiptrARB = isize;
pub type GLhandleARB = u32;
pub type GLsync = *mut c_void;
pub type GLeglImageOES = *mut c_void;
pub type GLeglClientBufferEXT = *mut c_void;
pub type GLvdpauSurfaceNV = GLintptr;
pub type GLVULKANPROCNV = Option<unsafe extern "system" fn()>;

/// A debug callback: source, type, id, severity, length, message, user pointer (GL 4.6, 20.2).
pub type GLDEBUGPROC = Option<
    unsafe extern "system" fn(
        source: GLenum,
        kind: GLenum,
        id: GLuint,
        severity: GLenum,
        length: GLsizei,
        message: *const GLchar,
        user: *const c_void,
    ),
>;
pub type GLDEBUGPROCARB = GLDEBUGPROC;
pub type GLDEBUGPROCKHR = GLDEBUGPROC;
/// The callback of GL_AMD_debug_output, which has another shape.
pub type GLDEBUGPROCAMD = Option<
    unsafe extern "system" fn(
        id: GLuint,
        category: GLenum,
        severity: GLenum,
        length: GLsizei,
        message: *const GLchar,
        user: *mut c_void,
    ),
>;
