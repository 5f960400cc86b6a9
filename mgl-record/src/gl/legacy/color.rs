//! Current colours, normals, fog coordinates, indices and edge flags (GL 3.3 compatibility §2.7).

use super::{Component, read};
use crate::consts::gl::*;
use crate::context::Gl;
use crate::gl::entry::gl_entry;
use crate::gl::types::*;
use crate::gl::vertex_value::unpack_2_10_10_10;

/// Sets the current colour; without alpha that is 1.
fn color<T: Component, const N: usize>(gl: &mut Gl<'_>, v: [T; N]) {
    if let Some(state) = gl.legacy() {
        state.current.color = filled(v.map(Component::normalized));
    }
}

fn secondary<T: Component>(gl: &mut Gl<'_>, v: [T; 3]) {
    if let Some(state) = gl.legacy() {
        state.current.secondary = filled(v.map(Component::normalized));
    }
}

fn normal<T: Component>(gl: &mut Gl<'_>, v: [T; 3]) {
    if let Some(state) = gl.legacy() {
        state.current.normal = v.map(Component::normalized);
    }
}

fn fog(gl: &mut Gl<'_>, v: f32) {
    if let Some(state) = gl.legacy() {
        state.current.fog = v;
    }
}

fn index(gl: &mut Gl<'_>, v: f32) {
    if let Some(state) = gl.legacy() {
        state.current.index = v;
    }
}

fn edge(gl: &mut Gl<'_>, on: GLboolean) {
    if let Some(state) = gl.legacy() {
        state.current.edge = on != 0;
    }
}

/// Missing components are 0, and the fourth is 1.
pub(super) fn filled<const N: usize>(v: [f32; N]) -> [f32; 4] {
    let mut all = [0.0, 0.0, 0.0, 1.0];
    all[..N].copy_from_slice(&v);
    all
}

/// The first components of a packed word; `None` after GL_INVALID_ENUM for a type that packs none.
pub(super) fn unpacked<const N: usize>(
    gl: &mut Gl<'_>,
    ty: GLenum,
    normalized: bool,
    word: GLuint,
) -> Option<[f32; N]> {
    gl.legacy()?;
    let signed = match ty {
        GL_INT_2_10_10_10_REV => true,
        GL_UNSIGNED_INT_2_10_10_10_REV => false,
        _ => {
            gl.raise(GL_INVALID_ENUM);
            return None;
        }
    };
    let all = unpack_2_10_10_10(word, signed, normalized);
    Some(std::array::from_fn(|i| all[i]))
}

gl_entry! {
    /// Sets the current colour; the entry points below are its kin.
    fn glColor3b(gl, r: GLbyte, g: GLbyte, b: GLbyte) { color(gl, [r, g, b]) }
    fn glColor3bv(gl, v: *const GLbyte) {
        // SAFETY: the program gives 3 values.
        color(gl, unsafe { read::<GLbyte, 3>(v) })
    }
    fn glColor3d(gl, r: GLdouble, g: GLdouble, b: GLdouble) { color(gl, [r, g, b]) }
    fn glColor3dv(gl, v: *const GLdouble) {
        // SAFETY: the program gives 3 values.
        color(gl, unsafe { read::<GLdouble, 3>(v) })
    }
    fn glColor3f(gl, r: GLfloat, g: GLfloat, b: GLfloat) { color(gl, [r, g, b]) }
    fn glColor3fv(gl, v: *const GLfloat) {
        // SAFETY: the program gives 3 values.
        color(gl, unsafe { read::<GLfloat, 3>(v) })
    }
    fn glColor3i(gl, r: GLint, g: GLint, b: GLint) { color(gl, [r, g, b]) }
    fn glColor3iv(gl, v: *const GLint) {
        // SAFETY: the program gives 3 values.
        color(gl, unsafe { read::<GLint, 3>(v) })
    }
    fn glColor3s(gl, r: GLshort, g: GLshort, b: GLshort) { color(gl, [r, g, b]) }
    fn glColor3sv(gl, v: *const GLshort) {
        // SAFETY: the program gives 3 values.
        color(gl, unsafe { read::<GLshort, 3>(v) })
    }
    fn glColor3ub(gl, r: GLubyte, g: GLubyte, b: GLubyte) { color(gl, [r, g, b]) }
    fn glColor3ubv(gl, v: *const GLubyte) {
        // SAFETY: the program gives 3 values.
        color(gl, unsafe { read::<GLubyte, 3>(v) })
    }
    fn glColor3ui(gl, r: GLuint, g: GLuint, b: GLuint) { color(gl, [r, g, b]) }
    fn glColor3uiv(gl, v: *const GLuint) {
        // SAFETY: the program gives 3 values.
        color(gl, unsafe { read::<GLuint, 3>(v) })
    }
    fn glColor3us(gl, r: GLushort, g: GLushort, b: GLushort) { color(gl, [r, g, b]) }
    fn glColor3usv(gl, v: *const GLushort) {
        // SAFETY: the program gives 3 values.
        color(gl, unsafe { read::<GLushort, 3>(v) })
    }
    fn glColor4b(gl, r: GLbyte, g: GLbyte, b: GLbyte, a: GLbyte) { color(gl, [r, g, b, a]) }
    fn glColor4bv(gl, v: *const GLbyte) {
        // SAFETY: the program gives 4 values.
        color(gl, unsafe { read::<GLbyte, 4>(v) })
    }
    fn glColor4d(gl, r: GLdouble, g: GLdouble, b: GLdouble, a: GLdouble) { color(gl, [r, g, b, a]) }
    fn glColor4dv(gl, v: *const GLdouble) {
        // SAFETY: the program gives 4 values.
        color(gl, unsafe { read::<GLdouble, 4>(v) })
    }
    fn glColor4f(gl, r: GLfloat, g: GLfloat, b: GLfloat, a: GLfloat) { color(gl, [r, g, b, a]) }
    fn glColor4fv(gl, v: *const GLfloat) {
        // SAFETY: the program gives 4 values.
        color(gl, unsafe { read::<GLfloat, 4>(v) })
    }
    fn glColor4i(gl, r: GLint, g: GLint, b: GLint, a: GLint) { color(gl, [r, g, b, a]) }
    fn glColor4iv(gl, v: *const GLint) {
        // SAFETY: the program gives 4 values.
        color(gl, unsafe { read::<GLint, 4>(v) })
    }
    fn glColor4s(gl, r: GLshort, g: GLshort, b: GLshort, a: GLshort) { color(gl, [r, g, b, a]) }
    fn glColor4sv(gl, v: *const GLshort) {
        // SAFETY: the program gives 4 values.
        color(gl, unsafe { read::<GLshort, 4>(v) })
    }
    fn glColor4ub(gl, r: GLubyte, g: GLubyte, b: GLubyte, a: GLubyte) { color(gl, [r, g, b, a]) }
    fn glColor4ubv(gl, v: *const GLubyte) {
        // SAFETY: the program gives 4 values.
        color(gl, unsafe { read::<GLubyte, 4>(v) })
    }
    fn glColor4ui(gl, r: GLuint, g: GLuint, b: GLuint, a: GLuint) { color(gl, [r, g, b, a]) }
    fn glColor4uiv(gl, v: *const GLuint) {
        // SAFETY: the program gives 4 values.
        color(gl, unsafe { read::<GLuint, 4>(v) })
    }
    fn glColor4us(gl, r: GLushort, g: GLushort, b: GLushort, a: GLushort) { color(gl, [r, g, b, a]) }
    fn glColor4usv(gl, v: *const GLushort) {
        // SAFETY: the program gives 4 values.
        color(gl, unsafe { read::<GLushort, 4>(v) })
    }
    /// Sets the current secondary colour; the entry points below are its kin.
    fn glSecondaryColor3b(gl, r: GLbyte, g: GLbyte, b: GLbyte) { secondary(gl, [r, g, b]) }
    fn glSecondaryColor3bv(gl, v: *const GLbyte) {
        // SAFETY: the program gives 3 values.
        secondary(gl, unsafe { read::<GLbyte, 3>(v) })
    }
    fn glSecondaryColor3d(gl, r: GLdouble, g: GLdouble, b: GLdouble) { secondary(gl, [r, g, b]) }
    fn glSecondaryColor3dv(gl, v: *const GLdouble) {
        // SAFETY: the program gives 3 values.
        secondary(gl, unsafe { read::<GLdouble, 3>(v) })
    }
    fn glSecondaryColor3f(gl, r: GLfloat, g: GLfloat, b: GLfloat) { secondary(gl, [r, g, b]) }
    fn glSecondaryColor3fv(gl, v: *const GLfloat) {
        // SAFETY: the program gives 3 values.
        secondary(gl, unsafe { read::<GLfloat, 3>(v) })
    }
    fn glSecondaryColor3i(gl, r: GLint, g: GLint, b: GLint) { secondary(gl, [r, g, b]) }
    fn glSecondaryColor3iv(gl, v: *const GLint) {
        // SAFETY: the program gives 3 values.
        secondary(gl, unsafe { read::<GLint, 3>(v) })
    }
    fn glSecondaryColor3s(gl, r: GLshort, g: GLshort, b: GLshort) { secondary(gl, [r, g, b]) }
    fn glSecondaryColor3sv(gl, v: *const GLshort) {
        // SAFETY: the program gives 3 values.
        secondary(gl, unsafe { read::<GLshort, 3>(v) })
    }
    fn glSecondaryColor3ub(gl, r: GLubyte, g: GLubyte, b: GLubyte) { secondary(gl, [r, g, b]) }
    fn glSecondaryColor3ubv(gl, v: *const GLubyte) {
        // SAFETY: the program gives 3 values.
        secondary(gl, unsafe { read::<GLubyte, 3>(v) })
    }
    fn glSecondaryColor3ui(gl, r: GLuint, g: GLuint, b: GLuint) { secondary(gl, [r, g, b]) }
    fn glSecondaryColor3uiv(gl, v: *const GLuint) {
        // SAFETY: the program gives 3 values.
        secondary(gl, unsafe { read::<GLuint, 3>(v) })
    }
    fn glSecondaryColor3us(gl, r: GLushort, g: GLushort, b: GLushort) { secondary(gl, [r, g, b]) }
    fn glSecondaryColor3usv(gl, v: *const GLushort) {
        // SAFETY: the program gives 3 values.
        secondary(gl, unsafe { read::<GLushort, 3>(v) })
    }
    /// Sets the current normal; the entry points below are its kin.
    fn glNormal3b(gl, x: GLbyte, y: GLbyte, z: GLbyte) { normal(gl, [x, y, z]) }
    fn glNormal3bv(gl, v: *const GLbyte) {
        // SAFETY: the program gives 3 values.
        normal(gl, unsafe { read::<GLbyte, 3>(v) })
    }
    fn glNormal3d(gl, x: GLdouble, y: GLdouble, z: GLdouble) { normal(gl, [x, y, z]) }
    fn glNormal3dv(gl, v: *const GLdouble) {
        // SAFETY: the program gives 3 values.
        normal(gl, unsafe { read::<GLdouble, 3>(v) })
    }
    fn glNormal3f(gl, x: GLfloat, y: GLfloat, z: GLfloat) { normal(gl, [x, y, z]) }
    fn glNormal3fv(gl, v: *const GLfloat) {
        // SAFETY: the program gives 3 values.
        normal(gl, unsafe { read::<GLfloat, 3>(v) })
    }
    fn glNormal3i(gl, x: GLint, y: GLint, z: GLint) { normal(gl, [x, y, z]) }
    fn glNormal3iv(gl, v: *const GLint) {
        // SAFETY: the program gives 3 values.
        normal(gl, unsafe { read::<GLint, 3>(v) })
    }
    fn glNormal3s(gl, x: GLshort, y: GLshort, z: GLshort) { normal(gl, [x, y, z]) }
    fn glNormal3sv(gl, v: *const GLshort) {
        // SAFETY: the program gives 3 values.
        normal(gl, unsafe { read::<GLshort, 3>(v) })
    }
    /// Sets the current fog coordinate; the entry points below are its kin.
    fn glFogCoordf(gl, coord: GLfloat) { fog(gl, coord.plain()) }
    fn glFogCoordfv(gl, v: *const GLfloat) {
        // SAFETY: the program gives a value.
        let [coord] = unsafe { read(v) };
        fog(gl, coord.plain())
    }
    fn glFogCoordd(gl, coord: GLdouble) { fog(gl, coord.plain()) }
    fn glFogCoorddv(gl, v: *const GLdouble) {
        // SAFETY: the program gives a value.
        let [coord] = unsafe { read(v) };
        fog(gl, coord.plain())
    }
    /// Sets the current colour index; the entry points below are its kin.
    fn glIndexd(gl, c: GLdouble) { index(gl, c.plain()) }
    fn glIndexdv(gl, v: *const GLdouble) {
        // SAFETY: the program gives a value.
        let [c] = unsafe { read(v) };
        index(gl, c.plain())
    }
    fn glIndexf(gl, c: GLfloat) { index(gl, c.plain()) }
    fn glIndexfv(gl, v: *const GLfloat) {
        // SAFETY: the program gives a value.
        let [c] = unsafe { read(v) };
        index(gl, c.plain())
    }
    fn glIndexi(gl, c: GLint) { index(gl, c.plain()) }
    fn glIndexiv(gl, v: *const GLint) {
        // SAFETY: the program gives a value.
        let [c] = unsafe { read(v) };
        index(gl, c.plain())
    }
    fn glIndexs(gl, c: GLshort) { index(gl, c.plain()) }
    fn glIndexsv(gl, v: *const GLshort) {
        // SAFETY: the program gives a value.
        let [c] = unsafe { read(v) };
        index(gl, c.plain())
    }
    fn glIndexub(gl, c: GLubyte) { index(gl, c.plain()) }
    fn glIndexubv(gl, v: *const GLubyte) {
        // SAFETY: the program gives a value.
        let [c] = unsafe { read(v) };
        index(gl, c.plain())
    }
    /// Sets the current edge flag.
    fn glEdgeFlag(gl, flag: GLboolean) { edge(gl, flag) }
    fn glEdgeFlagv(gl, flag: *const GLboolean) {
        // SAFETY: the program gives a value.
        let [flag] = unsafe { read(flag) };
        edge(gl, flag)
    }
    /// Sets the current colour from a packed word; the entry points below are its kin.
    fn glColorP3ui(gl, ty: GLenum, word: GLuint) {
        if let Some(v) = unpacked::<3>(gl, ty, true, word) { color(gl, v) }
    }
    fn glColorP3uiv(gl, ty: GLenum, word: *const GLuint) {
        // SAFETY: the program gives a word.
        let [word] = unsafe { read(word) };
        if let Some(v) = unpacked::<3>(gl, ty, true, word) { color(gl, v) }
    }
    fn glColorP4ui(gl, ty: GLenum, word: GLuint) {
        if let Some(v) = unpacked::<4>(gl, ty, true, word) { color(gl, v) }
    }
    fn glColorP4uiv(gl, ty: GLenum, word: *const GLuint) {
        // SAFETY: the program gives a word.
        let [word] = unsafe { read(word) };
        if let Some(v) = unpacked::<4>(gl, ty, true, word) { color(gl, v) }
    }
    fn glSecondaryColorP3ui(gl, ty: GLenum, word: GLuint) {
        if let Some(v) = unpacked::<3>(gl, ty, true, word) { secondary(gl, v) }
    }
    fn glSecondaryColorP3uiv(gl, ty: GLenum, word: *const GLuint) {
        // SAFETY: the program gives a word.
        let [word] = unsafe { read(word) };
        if let Some(v) = unpacked::<3>(gl, ty, true, word) { secondary(gl, v) }
    }
    fn glNormalP3ui(gl, ty: GLenum, word: GLuint) {
        if let Some(v) = unpacked::<3>(gl, ty, true, word) { normal(gl, v) }
    }
    fn glNormalP3uiv(gl, ty: GLenum, word: *const GLuint) {
        // SAFETY: the program gives a word.
        let [word] = unsafe { read(word) };
        if let Some(v) = unpacked::<3>(gl, ty, true, word) { normal(gl, v) }
    }
}
