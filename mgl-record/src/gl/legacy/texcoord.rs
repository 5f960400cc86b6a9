//! Current texture coordinates (GL 3.3 compatibility §2.7).

use super::color::{filled, unpacked};
use super::{Component, read};
use crate::consts::gl::*;
use crate::context::Gl;
use crate::gl::entry::gl_entry;
use crate::gl::types::*;

/// Sets a unit's coordinates; GL_INVALID_ENUM for a unit that has none.
fn set<T: Component, const N: usize>(gl: &mut Gl<'_>, unit: GLenum, v: [T; N]) {
    let Some(state) = gl.legacy() else { return };
    let place = unit
        .checked_sub(GL_TEXTURE0)
        .and_then(|u| state.current.texture.get_mut(u as usize));
    match place {
        Some(place) => *place = filled(v.map(Component::plain)),
        None => gl.raise(GL_INVALID_ENUM),
    }
}

gl_entry! {
    /// Sets the coordinates of unit 0; the entry points below are its kin.
    fn glTexCoord1d(gl, s: GLdouble) { set(gl, GL_TEXTURE0, [s]) }
    fn glTexCoord1dv(gl, v: *const GLdouble) {
        // SAFETY: the program gives 1 values.
        set(gl, GL_TEXTURE0, unsafe { read::<GLdouble, 1>(v) })
    }
    fn glTexCoord1f(gl, s: GLfloat) { set(gl, GL_TEXTURE0, [s]) }
    fn glTexCoord1fv(gl, v: *const GLfloat) {
        // SAFETY: the program gives 1 values.
        set(gl, GL_TEXTURE0, unsafe { read::<GLfloat, 1>(v) })
    }
    fn glTexCoord1i(gl, s: GLint) { set(gl, GL_TEXTURE0, [s]) }
    fn glTexCoord1iv(gl, v: *const GLint) {
        // SAFETY: the program gives 1 values.
        set(gl, GL_TEXTURE0, unsafe { read::<GLint, 1>(v) })
    }
    fn glTexCoord1s(gl, s: GLshort) { set(gl, GL_TEXTURE0, [s]) }
    fn glTexCoord1sv(gl, v: *const GLshort) {
        // SAFETY: the program gives 1 values.
        set(gl, GL_TEXTURE0, unsafe { read::<GLshort, 1>(v) })
    }
    fn glTexCoord2d(gl, s: GLdouble, t: GLdouble) { set(gl, GL_TEXTURE0, [s, t]) }
    fn glTexCoord2dv(gl, v: *const GLdouble) {
        // SAFETY: the program gives 2 values.
        set(gl, GL_TEXTURE0, unsafe { read::<GLdouble, 2>(v) })
    }
    fn glTexCoord2f(gl, s: GLfloat, t: GLfloat) { set(gl, GL_TEXTURE0, [s, t]) }
    fn glTexCoord2fv(gl, v: *const GLfloat) {
        // SAFETY: the program gives 2 values.
        set(gl, GL_TEXTURE0, unsafe { read::<GLfloat, 2>(v) })
    }
    fn glTexCoord2i(gl, s: GLint, t: GLint) { set(gl, GL_TEXTURE0, [s, t]) }
    fn glTexCoord2iv(gl, v: *const GLint) {
        // SAFETY: the program gives 2 values.
        set(gl, GL_TEXTURE0, unsafe { read::<GLint, 2>(v) })
    }
    fn glTexCoord2s(gl, s: GLshort, t: GLshort) { set(gl, GL_TEXTURE0, [s, t]) }
    fn glTexCoord2sv(gl, v: *const GLshort) {
        // SAFETY: the program gives 2 values.
        set(gl, GL_TEXTURE0, unsafe { read::<GLshort, 2>(v) })
    }
    fn glTexCoord3d(gl, s: GLdouble, t: GLdouble, r: GLdouble) { set(gl, GL_TEXTURE0, [s, t, r]) }
    fn glTexCoord3dv(gl, v: *const GLdouble) {
        // SAFETY: the program gives 3 values.
        set(gl, GL_TEXTURE0, unsafe { read::<GLdouble, 3>(v) })
    }
    fn glTexCoord3f(gl, s: GLfloat, t: GLfloat, r: GLfloat) { set(gl, GL_TEXTURE0, [s, t, r]) }
    fn glTexCoord3fv(gl, v: *const GLfloat) {
        // SAFETY: the program gives 3 values.
        set(gl, GL_TEXTURE0, unsafe { read::<GLfloat, 3>(v) })
    }
    fn glTexCoord3i(gl, s: GLint, t: GLint, r: GLint) { set(gl, GL_TEXTURE0, [s, t, r]) }
    fn glTexCoord3iv(gl, v: *const GLint) {
        // SAFETY: the program gives 3 values.
        set(gl, GL_TEXTURE0, unsafe { read::<GLint, 3>(v) })
    }
    fn glTexCoord3s(gl, s: GLshort, t: GLshort, r: GLshort) { set(gl, GL_TEXTURE0, [s, t, r]) }
    fn glTexCoord3sv(gl, v: *const GLshort) {
        // SAFETY: the program gives 3 values.
        set(gl, GL_TEXTURE0, unsafe { read::<GLshort, 3>(v) })
    }
    fn glTexCoord4d(gl, s: GLdouble, t: GLdouble, r: GLdouble, q: GLdouble) { set(gl, GL_TEXTURE0, [s, t, r, q]) }
    fn glTexCoord4dv(gl, v: *const GLdouble) {
        // SAFETY: the program gives 4 values.
        set(gl, GL_TEXTURE0, unsafe { read::<GLdouble, 4>(v) })
    }
    fn glTexCoord4f(gl, s: GLfloat, t: GLfloat, r: GLfloat, q: GLfloat) { set(gl, GL_TEXTURE0, [s, t, r, q]) }
    fn glTexCoord4fv(gl, v: *const GLfloat) {
        // SAFETY: the program gives 4 values.
        set(gl, GL_TEXTURE0, unsafe { read::<GLfloat, 4>(v) })
    }
    fn glTexCoord4i(gl, s: GLint, t: GLint, r: GLint, q: GLint) { set(gl, GL_TEXTURE0, [s, t, r, q]) }
    fn glTexCoord4iv(gl, v: *const GLint) {
        // SAFETY: the program gives 4 values.
        set(gl, GL_TEXTURE0, unsafe { read::<GLint, 4>(v) })
    }
    fn glTexCoord4s(gl, s: GLshort, t: GLshort, r: GLshort, q: GLshort) { set(gl, GL_TEXTURE0, [s, t, r, q]) }
    fn glTexCoord4sv(gl, v: *const GLshort) {
        // SAFETY: the program gives 4 values.
        set(gl, GL_TEXTURE0, unsafe { read::<GLshort, 4>(v) })
    }
    /// Sets the coordinates of a unit; the entry points below are its kin.
    fn glMultiTexCoord1d(gl, unit: GLenum, s: GLdouble) { set(gl, unit, [s]) }
    fn glMultiTexCoord1dv(gl, unit: GLenum, v: *const GLdouble) {
        // SAFETY: the program gives 1 values.
        set(gl, unit, unsafe { read::<GLdouble, 1>(v) })
    }
    fn glMultiTexCoord1f(gl, unit: GLenum, s: GLfloat) { set(gl, unit, [s]) }
    fn glMultiTexCoord1fv(gl, unit: GLenum, v: *const GLfloat) {
        // SAFETY: the program gives 1 values.
        set(gl, unit, unsafe { read::<GLfloat, 1>(v) })
    }
    fn glMultiTexCoord1i(gl, unit: GLenum, s: GLint) { set(gl, unit, [s]) }
    fn glMultiTexCoord1iv(gl, unit: GLenum, v: *const GLint) {
        // SAFETY: the program gives 1 values.
        set(gl, unit, unsafe { read::<GLint, 1>(v) })
    }
    fn glMultiTexCoord1s(gl, unit: GLenum, s: GLshort) { set(gl, unit, [s]) }
    fn glMultiTexCoord1sv(gl, unit: GLenum, v: *const GLshort) {
        // SAFETY: the program gives 1 values.
        set(gl, unit, unsafe { read::<GLshort, 1>(v) })
    }
    fn glMultiTexCoord2d(gl, unit: GLenum, s: GLdouble, t: GLdouble) { set(gl, unit, [s, t]) }
    fn glMultiTexCoord2dv(gl, unit: GLenum, v: *const GLdouble) {
        // SAFETY: the program gives 2 values.
        set(gl, unit, unsafe { read::<GLdouble, 2>(v) })
    }
    fn glMultiTexCoord2f(gl, unit: GLenum, s: GLfloat, t: GLfloat) { set(gl, unit, [s, t]) }
    fn glMultiTexCoord2fv(gl, unit: GLenum, v: *const GLfloat) {
        // SAFETY: the program gives 2 values.
        set(gl, unit, unsafe { read::<GLfloat, 2>(v) })
    }
    fn glMultiTexCoord2i(gl, unit: GLenum, s: GLint, t: GLint) { set(gl, unit, [s, t]) }
    fn glMultiTexCoord2iv(gl, unit: GLenum, v: *const GLint) {
        // SAFETY: the program gives 2 values.
        set(gl, unit, unsafe { read::<GLint, 2>(v) })
    }
    fn glMultiTexCoord2s(gl, unit: GLenum, s: GLshort, t: GLshort) { set(gl, unit, [s, t]) }
    fn glMultiTexCoord2sv(gl, unit: GLenum, v: *const GLshort) {
        // SAFETY: the program gives 2 values.
        set(gl, unit, unsafe { read::<GLshort, 2>(v) })
    }
    fn glMultiTexCoord3d(gl, unit: GLenum, s: GLdouble, t: GLdouble, r: GLdouble) { set(gl, unit, [s, t, r]) }
    fn glMultiTexCoord3dv(gl, unit: GLenum, v: *const GLdouble) {
        // SAFETY: the program gives 3 values.
        set(gl, unit, unsafe { read::<GLdouble, 3>(v) })
    }
    fn glMultiTexCoord3f(gl, unit: GLenum, s: GLfloat, t: GLfloat, r: GLfloat) { set(gl, unit, [s, t, r]) }
    fn glMultiTexCoord3fv(gl, unit: GLenum, v: *const GLfloat) {
        // SAFETY: the program gives 3 values.
        set(gl, unit, unsafe { read::<GLfloat, 3>(v) })
    }
    fn glMultiTexCoord3i(gl, unit: GLenum, s: GLint, t: GLint, r: GLint) { set(gl, unit, [s, t, r]) }
    fn glMultiTexCoord3iv(gl, unit: GLenum, v: *const GLint) {
        // SAFETY: the program gives 3 values.
        set(gl, unit, unsafe { read::<GLint, 3>(v) })
    }
    fn glMultiTexCoord3s(gl, unit: GLenum, s: GLshort, t: GLshort, r: GLshort) { set(gl, unit, [s, t, r]) }
    fn glMultiTexCoord3sv(gl, unit: GLenum, v: *const GLshort) {
        // SAFETY: the program gives 3 values.
        set(gl, unit, unsafe { read::<GLshort, 3>(v) })
    }
    fn glMultiTexCoord4d(gl, unit: GLenum, s: GLdouble, t: GLdouble, r: GLdouble, q: GLdouble) { set(gl, unit, [s, t, r, q]) }
    fn glMultiTexCoord4dv(gl, unit: GLenum, v: *const GLdouble) {
        // SAFETY: the program gives 4 values.
        set(gl, unit, unsafe { read::<GLdouble, 4>(v) })
    }
    fn glMultiTexCoord4f(gl, unit: GLenum, s: GLfloat, t: GLfloat, r: GLfloat, q: GLfloat) { set(gl, unit, [s, t, r, q]) }
    fn glMultiTexCoord4fv(gl, unit: GLenum, v: *const GLfloat) {
        // SAFETY: the program gives 4 values.
        set(gl, unit, unsafe { read::<GLfloat, 4>(v) })
    }
    fn glMultiTexCoord4i(gl, unit: GLenum, s: GLint, t: GLint, r: GLint, q: GLint) { set(gl, unit, [s, t, r, q]) }
    fn glMultiTexCoord4iv(gl, unit: GLenum, v: *const GLint) {
        // SAFETY: the program gives 4 values.
        set(gl, unit, unsafe { read::<GLint, 4>(v) })
    }
    fn glMultiTexCoord4s(gl, unit: GLenum, s: GLshort, t: GLshort, r: GLshort, q: GLshort) { set(gl, unit, [s, t, r, q]) }
    fn glMultiTexCoord4sv(gl, unit: GLenum, v: *const GLshort) {
        // SAFETY: the program gives 4 values.
        set(gl, unit, unsafe { read::<GLshort, 4>(v) })
    }
    /// Sets coordinates from a packed word; the entry points below are its kin.
    fn glTexCoordP1ui(gl, ty: GLenum, word: GLuint) {
        if let Some(v) = unpacked::<1>(gl, ty, false, word) { set(gl, GL_TEXTURE0, v) }
    }
    fn glTexCoordP1uiv(gl, ty: GLenum, word: *const GLuint) {
        // SAFETY: the program gives a word.
        let [word] = unsafe { read(word) };
        if let Some(v) = unpacked::<1>(gl, ty, false, word) { set(gl, GL_TEXTURE0, v) }
    }
    fn glMultiTexCoordP1ui(gl, unit: GLenum, ty: GLenum, word: GLuint) {
        if let Some(v) = unpacked::<1>(gl, ty, false, word) { set(gl, unit, v) }
    }
    fn glMultiTexCoordP1uiv(gl, unit: GLenum, ty: GLenum, word: *const GLuint) {
        // SAFETY: the program gives a word.
        let [word] = unsafe { read(word) };
        if let Some(v) = unpacked::<1>(gl, ty, false, word) { set(gl, unit, v) }
    }
    fn glTexCoordP2ui(gl, ty: GLenum, word: GLuint) {
        if let Some(v) = unpacked::<2>(gl, ty, false, word) { set(gl, GL_TEXTURE0, v) }
    }
    fn glTexCoordP2uiv(gl, ty: GLenum, word: *const GLuint) {
        // SAFETY: the program gives a word.
        let [word] = unsafe { read(word) };
        if let Some(v) = unpacked::<2>(gl, ty, false, word) { set(gl, GL_TEXTURE0, v) }
    }
    fn glMultiTexCoordP2ui(gl, unit: GLenum, ty: GLenum, word: GLuint) {
        if let Some(v) = unpacked::<2>(gl, ty, false, word) { set(gl, unit, v) }
    }
    fn glMultiTexCoordP2uiv(gl, unit: GLenum, ty: GLenum, word: *const GLuint) {
        // SAFETY: the program gives a word.
        let [word] = unsafe { read(word) };
        if let Some(v) = unpacked::<2>(gl, ty, false, word) { set(gl, unit, v) }
    }
    fn glTexCoordP3ui(gl, ty: GLenum, word: GLuint) {
        if let Some(v) = unpacked::<3>(gl, ty, false, word) { set(gl, GL_TEXTURE0, v) }
    }
    fn glTexCoordP3uiv(gl, ty: GLenum, word: *const GLuint) {
        // SAFETY: the program gives a word.
        let [word] = unsafe { read(word) };
        if let Some(v) = unpacked::<3>(gl, ty, false, word) { set(gl, GL_TEXTURE0, v) }
    }
    fn glMultiTexCoordP3ui(gl, unit: GLenum, ty: GLenum, word: GLuint) {
        if let Some(v) = unpacked::<3>(gl, ty, false, word) { set(gl, unit, v) }
    }
    fn glMultiTexCoordP3uiv(gl, unit: GLenum, ty: GLenum, word: *const GLuint) {
        // SAFETY: the program gives a word.
        let [word] = unsafe { read(word) };
        if let Some(v) = unpacked::<3>(gl, ty, false, word) { set(gl, unit, v) }
    }
    fn glTexCoordP4ui(gl, ty: GLenum, word: GLuint) {
        if let Some(v) = unpacked::<4>(gl, ty, false, word) { set(gl, GL_TEXTURE0, v) }
    }
    fn glTexCoordP4uiv(gl, ty: GLenum, word: *const GLuint) {
        // SAFETY: the program gives a word.
        let [word] = unsafe { read(word) };
        if let Some(v) = unpacked::<4>(gl, ty, false, word) { set(gl, GL_TEXTURE0, v) }
    }
    fn glMultiTexCoordP4ui(gl, unit: GLenum, ty: GLenum, word: GLuint) {
        if let Some(v) = unpacked::<4>(gl, ty, false, word) { set(gl, unit, v) }
    }
    fn glMultiTexCoordP4uiv(gl, unit: GLenum, ty: GLenum, word: *const GLuint) {
        // SAFETY: the program gives a word.
        let [word] = unsafe { read(word) };
        if let Some(v) = unpacked::<4>(gl, ty, false, word) { set(gl, unit, v) }
    }
}
