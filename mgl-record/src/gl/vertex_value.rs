//! Entry points of current attribute values (GL 4.6 §10.2.1).

use super::entry::gl_entry;
use super::types::*;
use crate::consts::gl::*;
use crate::context::Gl;
use crate::state::vertex_array::MAX_ATTRIBS;
use mgl_core::pipe::ValueType;

impl Gl<'_> {
    fn attrib_value(&mut self, index: GLuint, ty: ValueType, bits: [u32; 4]) {
        if index >= MAX_ATTRIBS {
            return self.raise(GL_INVALID_VALUE);
        }
        let t = self.gens.touch();
        self.ctx.vertex.set_value(t, index, ty, bits);
    }
    fn attrib_f(&mut self, index: GLuint, v: [f32; 4]) {
        self.attrib_value(index, ValueType::FLOAT, v.map(f32::to_bits));
    }
    fn attrib_i(&mut self, index: GLuint, v: [i32; 4]) {
        self.attrib_value(index, ValueType::INT, v.map(|c| c as u32));
    }
    fn attrib_u(&mut self, index: GLuint, v: [u32; 4]) {
        self.attrib_value(index, ValueType::UINT, v);
    }

    /// glVertexAttribP*: the first `n` components of a packed word.
    fn attrib_packed(
        &mut self,
        n: usize,
        index: GLuint,
        ty: GLenum,
        normalized: GLboolean,
        word: u32,
    ) {
        let all = match ty {
            GL_INT_2_10_10_10_REV => unpack_2_10_10_10(word, true, normalized != 0),
            GL_UNSIGNED_INT_2_10_10_10_REV => unpack_2_10_10_10(word, false, normalized != 0),
            // Three components, so not for four (ARB_vertex_type_10f_11f_11f_rev).
            GL_UNSIGNED_INT_10F_11F_11F_REV if n < 4 => unpack_10f_11f_11f(word),
            _ => return self.raise(GL_INVALID_ENUM),
        };
        let mut v = [0.0, 0.0, 0.0, 1.0];
        v[..n].copy_from_slice(&all[..n]);
        self.attrib_f(index, v);
    }
}

/// Components of a 10F_11F_11F_REV word, least significant first (GL 4.6 §2.3.4.3 and §2.3.4.4).
fn unpack_10f_11f_11f(word: u32) -> [f32; 4] {
    let field = |shift: u32, mantissa_bits: u32| -> f32 {
        let (exponent, mantissa) = (
            word >> (shift + mantissa_bits) & 31,
            word >> shift & ((1 << mantissa_bits) - 1),
        );
        let part = mantissa as f32 / (1 << mantissa_bits) as f32;
        match exponent {
            0 => part * 2f32.powi(-14),
            31 if mantissa == 0 => f32::INFINITY,
            31 => f32::NAN,
            e => (1.0 + part) * 2f32.powi(e as i32 - 15),
        }
    };
    [field(0, 6), field(11, 6), field(22, 5), 1.0]
}

/// Components of a 2_10_10_10_REV word, least significant first (GL 4.6 §10.3.8).
pub(super) fn unpack_2_10_10_10(word: u32, signed: bool, normalized: bool) -> [f32; 4] {
    let field = |shift: u32, bits: u32| -> f32 {
        let top = word << (32 - shift - bits);
        let (value, limit) = if signed {
            (((top as i32) >> (32 - bits)) as f32, (1 << (bits - 1)) - 1)
        } else {
            ((top >> (32 - bits)) as f32, (1 << bits) - 1)
        };
        match (normalized, signed) {
            (false, _) => value,
            (true, true) => (value / limit as f32).max(-1.0),
            (true, false) => value / limit as f32,
        }
    };
    [field(0, 10), field(10, 10), field(20, 10), field(30, 2)]
}

/// A signed integer as a normalized value: its least value counts as -1 (GL 4.6 equation 2.4).
fn snorm(v: f64, limit: f64) -> f32 {
    (v / limit).max(-1.0) as f32
}

/// Reads `N` values; a vector's pointer need not be aligned.
///
/// # Safety
///
/// `p` leads to `N` values.
unsafe fn read<T: Copy, const N: usize>(p: *const T) -> [T; N] {
    // SAFETY: as the caller promises.
    unsafe { p.cast::<[T; N]>().read_unaligned() }
}

gl_entry! {
    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib1f(gl, index: GLuint, x: GLfloat) {
        gl.attrib_f(index, [x, 0.0, 0.0, 1.0])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib1fv(gl, index: GLuint, v: *const GLfloat) {
        // SAFETY: the program gives 1 value.
        let [x] = unsafe { read(v) };
        gl.attrib_f(index, [x, 0.0, 0.0, 1.0])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib1d(gl, index: GLuint, x: GLdouble) {
        gl.attrib_f(index, [x as f32, 0.0, 0.0, 1.0])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib1dv(gl, index: GLuint, v: *const GLdouble) {
        // SAFETY: the program gives 1 value.
        let [x] = unsafe { read(v) };
        gl.attrib_f(index, [x as f32, 0.0, 0.0, 1.0])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib1s(gl, index: GLuint, x: GLshort) {
        gl.attrib_f(index, [f32::from(x), 0.0, 0.0, 1.0])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib1sv(gl, index: GLuint, v: *const GLshort) {
        // SAFETY: the program gives 1 value.
        let [x] = unsafe { read(v) };
        gl.attrib_f(index, [f32::from(x), 0.0, 0.0, 1.0])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib2f(gl, index: GLuint, x: GLfloat, y: GLfloat) {
        gl.attrib_f(index, [x, y, 0.0, 1.0])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib2fv(gl, index: GLuint, v: *const GLfloat) {
        // SAFETY: the program gives 2 values.
        let [x, y] = unsafe { read(v) };
        gl.attrib_f(index, [x, y, 0.0, 1.0])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib2d(gl, index: GLuint, x: GLdouble, y: GLdouble) {
        gl.attrib_f(index, [x as f32, y as f32, 0.0, 1.0])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib2dv(gl, index: GLuint, v: *const GLdouble) {
        // SAFETY: the program gives 2 values.
        let [x, y] = unsafe { read(v) };
        gl.attrib_f(index, [x as f32, y as f32, 0.0, 1.0])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib2s(gl, index: GLuint, x: GLshort, y: GLshort) {
        gl.attrib_f(index, [f32::from(x), f32::from(y), 0.0, 1.0])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib2sv(gl, index: GLuint, v: *const GLshort) {
        // SAFETY: the program gives 2 values.
        let [x, y] = unsafe { read(v) };
        gl.attrib_f(index, [f32::from(x), f32::from(y), 0.0, 1.0])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib3f(gl, index: GLuint, x: GLfloat, y: GLfloat, z: GLfloat) {
        gl.attrib_f(index, [x, y, z, 1.0])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib3fv(gl, index: GLuint, v: *const GLfloat) {
        // SAFETY: the program gives 3 values.
        let [x, y, z] = unsafe { read(v) };
        gl.attrib_f(index, [x, y, z, 1.0])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib3d(gl, index: GLuint, x: GLdouble, y: GLdouble, z: GLdouble) {
        gl.attrib_f(index, [x as f32, y as f32, z as f32, 1.0])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib3dv(gl, index: GLuint, v: *const GLdouble) {
        // SAFETY: the program gives 3 values.
        let [x, y, z] = unsafe { read(v) };
        gl.attrib_f(index, [x as f32, y as f32, z as f32, 1.0])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib3s(gl, index: GLuint, x: GLshort, y: GLshort, z: GLshort) {
        gl.attrib_f(index, [f32::from(x), f32::from(y), f32::from(z), 1.0])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib3sv(gl, index: GLuint, v: *const GLshort) {
        // SAFETY: the program gives 3 values.
        let [x, y, z] = unsafe { read(v) };
        gl.attrib_f(index, [f32::from(x), f32::from(y), f32::from(z), 1.0])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib4f(gl, index: GLuint, x: GLfloat, y: GLfloat, z: GLfloat, w: GLfloat) {
        gl.attrib_f(index, [x, y, z, w])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib4fv(gl, index: GLuint, v: *const GLfloat) {
        // SAFETY: the program gives 4 values.
        let [x, y, z, w] = unsafe { read(v) };
        gl.attrib_f(index, [x, y, z, w])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib4d(gl, index: GLuint, x: GLdouble, y: GLdouble, z: GLdouble, w: GLdouble) {
        gl.attrib_f(index, [x as f32, y as f32, z as f32, w as f32])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib4dv(gl, index: GLuint, v: *const GLdouble) {
        // SAFETY: the program gives 4 values.
        let [x, y, z, w] = unsafe { read(v) };
        gl.attrib_f(index, [x as f32, y as f32, z as f32, w as f32])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib4s(gl, index: GLuint, x: GLshort, y: GLshort, z: GLshort, w: GLshort) {
        gl.attrib_f(index, [f32::from(x), f32::from(y), f32::from(z), f32::from(w)])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib4sv(gl, index: GLuint, v: *const GLshort) {
        // SAFETY: the program gives 4 values.
        let [x, y, z, w] = unsafe { read(v) };
        gl.attrib_f(index, [f32::from(x), f32::from(y), f32::from(z), f32::from(w)])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib4bv(gl, index: GLuint, v: *const GLbyte) {
        // SAFETY: the program gives 4 values.
        let [x, y, z, w] = unsafe { read(v) };
        gl.attrib_f(index, [f32::from(x), f32::from(y), f32::from(z), f32::from(w)])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib4iv(gl, index: GLuint, v: *const GLint) {
        // SAFETY: the program gives 4 values.
        let [x, y, z, w] = unsafe { read(v) };
        gl.attrib_f(index, [x as f32, y as f32, z as f32, w as f32])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib4ubv(gl, index: GLuint, v: *const GLubyte) {
        // SAFETY: the program gives 4 values.
        let [x, y, z, w] = unsafe { read(v) };
        gl.attrib_f(index, [f32::from(x), f32::from(y), f32::from(z), f32::from(w)])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib4usv(gl, index: GLuint, v: *const GLushort) {
        // SAFETY: the program gives 4 values.
        let [x, y, z, w] = unsafe { read(v) };
        gl.attrib_f(index, [f32::from(x), f32::from(y), f32::from(z), f32::from(w)])
    }

    /// Sets the current value of an attribute (GL 4.6 §10.2.1).
    fn glVertexAttrib4uiv(gl, index: GLuint, v: *const GLuint) {
        // SAFETY: the program gives 4 values.
        let [x, y, z, w] = unsafe { read(v) };
        gl.attrib_f(index, [x as f32, y as f32, z as f32, w as f32])
    }

    /// Sets the current value of an attribute from normalized components (GL 4.6 §10.2.1).
    fn glVertexAttrib4Nbv(gl, index: GLuint, v: *const GLbyte) {
        // SAFETY: the program gives 4 values.
        let v = unsafe { read::<_, 4>(v) };
        gl.attrib_f(index, v.map(|c| snorm(f64::from(c), 127.0)))
    }

    /// Sets the current value of an attribute from normalized components (GL 4.6 §10.2.1).
    fn glVertexAttrib4Nsv(gl, index: GLuint, v: *const GLshort) {
        // SAFETY: the program gives 4 values.
        let v = unsafe { read::<_, 4>(v) };
        gl.attrib_f(index, v.map(|c| snorm(f64::from(c), 32767.0)))
    }

    /// Sets the current value of an attribute from normalized components (GL 4.6 §10.2.1).
    fn glVertexAttrib4Niv(gl, index: GLuint, v: *const GLint) {
        // SAFETY: the program gives 4 values.
        let v = unsafe { read::<_, 4>(v) };
        gl.attrib_f(index, v.map(|c| snorm(f64::from(c), 2147483647.0)))
    }

    /// Sets the current value of an attribute from normalized components (GL 4.6 §10.2.1).
    fn glVertexAttrib4Nubv(gl, index: GLuint, v: *const GLubyte) {
        // SAFETY: the program gives 4 values.
        let v = unsafe { read::<_, 4>(v) };
        gl.attrib_f(index, v.map(|c| f32::from(c) / 255.0))
    }

    /// Sets the current value of an attribute from normalized components (GL 4.6 §10.2.1).
    fn glVertexAttrib4Nusv(gl, index: GLuint, v: *const GLushort) {
        // SAFETY: the program gives 4 values.
        let v = unsafe { read::<_, 4>(v) };
        gl.attrib_f(index, v.map(|c| f32::from(c) / 65535.0))
    }

    /// Sets the current value of an attribute from normalized components (GL 4.6 §10.2.1).
    fn glVertexAttrib4Nuiv(gl, index: GLuint, v: *const GLuint) {
        // SAFETY: the program gives 4 values.
        let v = unsafe { read::<_, 4>(v) };
        gl.attrib_f(index, v.map(|c| (f64::from(c) / 4294967295.0) as f32))
    }

    /// Sets the current value of an attribute from normalized components (GL 4.6 §10.2.1).
    fn glVertexAttrib4Nub(gl, index: GLuint, x: GLubyte, y: GLubyte, z: GLubyte, w: GLubyte) {
        gl.attrib_f(index, [x, y, z, w].map(|c| f32::from(c) / 255.0))
    }

    /// Sets the current value of an integer attribute (GL 4.6 §10.2.1).
    fn glVertexAttribI1i(gl, index: GLuint, x: GLint) {
        gl.attrib_i(index, [x, 0, 0, 1])
    }

    /// Sets the current value of an integer attribute (GL 4.6 §10.2.1).
    fn glVertexAttribI1iv(gl, index: GLuint, v: *const GLint) {
        // SAFETY: the program gives 1 value.
        let [x] = unsafe { read(v) };
        gl.attrib_i(index, [x, 0, 0, 1])
    }

    /// Sets the current value of an integer attribute (GL 4.6 §10.2.1).
    fn glVertexAttribI1ui(gl, index: GLuint, x: GLuint) {
        gl.attrib_u(index, [x, 0, 0, 1])
    }

    /// Sets the current value of an integer attribute (GL 4.6 §10.2.1).
    fn glVertexAttribI1uiv(gl, index: GLuint, v: *const GLuint) {
        // SAFETY: the program gives 1 value.
        let [x] = unsafe { read(v) };
        gl.attrib_u(index, [x, 0, 0, 1])
    }

    /// Sets the current value of an integer attribute (GL 4.6 §10.2.1).
    fn glVertexAttribI2i(gl, index: GLuint, x: GLint, y: GLint) {
        gl.attrib_i(index, [x, y, 0, 1])
    }

    /// Sets the current value of an integer attribute (GL 4.6 §10.2.1).
    fn glVertexAttribI2iv(gl, index: GLuint, v: *const GLint) {
        // SAFETY: the program gives 2 values.
        let [x, y] = unsafe { read(v) };
        gl.attrib_i(index, [x, y, 0, 1])
    }

    /// Sets the current value of an integer attribute (GL 4.6 §10.2.1).
    fn glVertexAttribI2ui(gl, index: GLuint, x: GLuint, y: GLuint) {
        gl.attrib_u(index, [x, y, 0, 1])
    }

    /// Sets the current value of an integer attribute (GL 4.6 §10.2.1).
    fn glVertexAttribI2uiv(gl, index: GLuint, v: *const GLuint) {
        // SAFETY: the program gives 2 values.
        let [x, y] = unsafe { read(v) };
        gl.attrib_u(index, [x, y, 0, 1])
    }

    /// Sets the current value of an integer attribute (GL 4.6 §10.2.1).
    fn glVertexAttribI3i(gl, index: GLuint, x: GLint, y: GLint, z: GLint) {
        gl.attrib_i(index, [x, y, z, 1])
    }

    /// Sets the current value of an integer attribute (GL 4.6 §10.2.1).
    fn glVertexAttribI3iv(gl, index: GLuint, v: *const GLint) {
        // SAFETY: the program gives 3 values.
        let [x, y, z] = unsafe { read(v) };
        gl.attrib_i(index, [x, y, z, 1])
    }

    /// Sets the current value of an integer attribute (GL 4.6 §10.2.1).
    fn glVertexAttribI3ui(gl, index: GLuint, x: GLuint, y: GLuint, z: GLuint) {
        gl.attrib_u(index, [x, y, z, 1])
    }

    /// Sets the current value of an integer attribute (GL 4.6 §10.2.1).
    fn glVertexAttribI3uiv(gl, index: GLuint, v: *const GLuint) {
        // SAFETY: the program gives 3 values.
        let [x, y, z] = unsafe { read(v) };
        gl.attrib_u(index, [x, y, z, 1])
    }

    /// Sets the current value of an integer attribute (GL 4.6 §10.2.1).
    fn glVertexAttribI4i(gl, index: GLuint, x: GLint, y: GLint, z: GLint, w: GLint) {
        gl.attrib_i(index, [x, y, z, w])
    }

    /// Sets the current value of an integer attribute (GL 4.6 §10.2.1).
    fn glVertexAttribI4iv(gl, index: GLuint, v: *const GLint) {
        // SAFETY: the program gives 4 values.
        let [x, y, z, w] = unsafe { read(v) };
        gl.attrib_i(index, [x, y, z, w])
    }

    /// Sets the current value of an integer attribute (GL 4.6 §10.2.1).
    fn glVertexAttribI4ui(gl, index: GLuint, x: GLuint, y: GLuint, z: GLuint, w: GLuint) {
        gl.attrib_u(index, [x, y, z, w])
    }

    /// Sets the current value of an integer attribute (GL 4.6 §10.2.1).
    fn glVertexAttribI4uiv(gl, index: GLuint, v: *const GLuint) {
        // SAFETY: the program gives 4 values.
        let [x, y, z, w] = unsafe { read(v) };
        gl.attrib_u(index, [x, y, z, w])
    }

    /// Sets the current value of an integer attribute (GL 4.6 §10.2.1).
    fn glVertexAttribI4bv(gl, index: GLuint, v: *const GLbyte) {
        // SAFETY: the program gives 4 values.
        let v = unsafe { read::<_, 4>(v) };
        gl.attrib_i(index, v.map(i32::from))
    }

    /// Sets the current value of an integer attribute (GL 4.6 §10.2.1).
    fn glVertexAttribI4sv(gl, index: GLuint, v: *const GLshort) {
        // SAFETY: the program gives 4 values.
        let v = unsafe { read::<_, 4>(v) };
        gl.attrib_i(index, v.map(i32::from))
    }

    /// Sets the current value of an integer attribute (GL 4.6 §10.2.1).
    fn glVertexAttribI4ubv(gl, index: GLuint, v: *const GLubyte) {
        // SAFETY: the program gives 4 values.
        let v = unsafe { read::<_, 4>(v) };
        gl.attrib_u(index, v.map(u32::from))
    }

    /// Sets the current value of an integer attribute (GL 4.6 §10.2.1).
    fn glVertexAttribI4usv(gl, index: GLuint, v: *const GLushort) {
        // SAFETY: the program gives 4 values.
        let v = unsafe { read::<_, 4>(v) };
        gl.attrib_u(index, v.map(u32::from))
    }

    /// Sets the current value of an attribute from a packed word (GL 4.6 §10.2.1).
    fn glVertexAttribP1ui(
        gl, index: GLuint, r#type: GLenum, normalized: GLboolean, value: GLuint,
    ) {
        gl.attrib_packed(1, index, r#type, normalized, value)
    }

    /// Sets the current value of an attribute from a packed word (GL 4.6 §10.2.1).
    fn glVertexAttribP1uiv(
        gl, index: GLuint, r#type: GLenum, normalized: GLboolean, value: *const GLuint,
    ) {
        // SAFETY: the program gives one word.
        let word = unsafe { value.read_unaligned() };
        gl.attrib_packed(1, index, r#type, normalized, word)
    }

    /// Sets the current value of an attribute from a packed word (GL 4.6 §10.2.1).
    fn glVertexAttribP2ui(
        gl, index: GLuint, r#type: GLenum, normalized: GLboolean, value: GLuint,
    ) {
        gl.attrib_packed(2, index, r#type, normalized, value)
    }

    /// Sets the current value of an attribute from a packed word (GL 4.6 §10.2.1).
    fn glVertexAttribP2uiv(
        gl, index: GLuint, r#type: GLenum, normalized: GLboolean, value: *const GLuint,
    ) {
        // SAFETY: the program gives one word.
        let word = unsafe { value.read_unaligned() };
        gl.attrib_packed(2, index, r#type, normalized, word)
    }

    /// Sets the current value of an attribute from a packed word (GL 4.6 §10.2.1).
    fn glVertexAttribP3ui(
        gl, index: GLuint, r#type: GLenum, normalized: GLboolean, value: GLuint,
    ) {
        gl.attrib_packed(3, index, r#type, normalized, value)
    }

    /// Sets the current value of an attribute from a packed word (GL 4.6 §10.2.1).
    fn glVertexAttribP3uiv(
        gl, index: GLuint, r#type: GLenum, normalized: GLboolean, value: *const GLuint,
    ) {
        // SAFETY: the program gives one word.
        let word = unsafe { value.read_unaligned() };
        gl.attrib_packed(3, index, r#type, normalized, word)
    }

    /// Sets the current value of an attribute from a packed word (GL 4.6 §10.2.1).
    fn glVertexAttribP4ui(
        gl, index: GLuint, r#type: GLenum, normalized: GLboolean, value: GLuint,
    ) {
        gl.attrib_packed(4, index, r#type, normalized, value)
    }

    /// Sets the current value of an attribute from a packed word (GL 4.6 §10.2.1).
    fn glVertexAttribP4uiv(
        gl, index: GLuint, r#type: GLenum, normalized: GLboolean, value: *const GLuint,
    ) {
        // SAFETY: the program gives one word.
        let word = unsafe { value.read_unaligned() };
        gl.attrib_packed(4, index, r#type, normalized, word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_words_and_normalization() {
        // x = 1, y = -1, z = 511, w = -2.
        let word = 1 | 0x3ff << 10 | 0x1ff << 20 | 2 << 30;
        assert_eq!(
            unpack_2_10_10_10(word, true, false),
            [1.0, -1.0, 511.0, -2.0]
        );
        assert_eq!(
            unpack_2_10_10_10(word, true, true),
            [1.0 / 511.0, -1.0 / 511.0, 1.0, -1.0]
        );
        assert_eq!(
            unpack_2_10_10_10(word, false, false),
            [1.0, 1023.0, 511.0, 2.0]
        );
        assert_eq!(unpack_2_10_10_10(word, false, true)[3], 2.0 / 3.0);
        assert_eq!(snorm(-128.0, 127.0), -1.0);
        // 1.0, 0.5 and 3.0; then the least number, infinity and no number.
        let word = 15 << 6 | (14 << 6) << 11 | (16 << 5 | 16) << 22;
        assert_eq!(unpack_10f_11f_11f(word), [1.0, 0.5, 3.0, 1.0]);
        let [x, y, z, _] = unpack_10f_11f_11f(1 | (31 << 6) << 11 | (31 << 5 | 1) << 22);
        assert_eq!((x, y), (2f32.powi(-20), f32::INFINITY));
        assert!(z.is_nan());
    }
}
