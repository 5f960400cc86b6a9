//! Uniform values (GL 3.3 §2.11.4; GL 4.6 §7.6.1, §7.13).

use super::entry::gl_entry;
use super::limits::MAX_COMBINED_TEXTURE_IMAGE_UNITS;
use super::types::*;
use crate::consts::gl::*;
use crate::context::Gl;
use crate::state::uniforms::Given;
use mgl_core::program::ComponentKind;

impl Gl<'_> {
    /// Sets uniforms of the current program.
    #[inline]
    fn set_uniform(&mut self, location: GLint, given: &Given<'_>) {
        let Some(id) = self.ctx.programs.current() else {
            return self.raise(GL_INVALID_OPERATION);
        };
        if location == -1 {
            return;
        }
        let dirty = self.gens.touch();
        let gens = &mut *self.gens;
        let p = &mut self.share.programs.objects[id];
        let limit = MAX_COMBINED_TEXTURE_IMAGE_UNITS;
        if let Err(e) = p.set_uniform(location, given, limit, || gens.touch(), dirty) {
            self.raise(e);
        }
    }

    /// Sets one vector.
    #[inline]
    fn uniform(&mut self, location: GLint, kind: ComponentKind, bits: &[u32]) {
        let given = Given {
            kind,
            shape: (1, bits.len() as u8),
            transpose: false,
            count: 1,
            bits,
        };
        self.set_uniform(location, &given);
    }

    /// Sets elements from memory, of columns by rows.
    ///
    /// # Safety
    ///
    /// `data` holds `count` elements.
    unsafe fn uniforms<T>(
        &mut self,
        location: GLint,
        kind: ComponentKind,
        shape: (u8, u8),
        (count, transpose): (GLsizei, bool),
        data: *const T,
    ) {
        const { assert!(size_of::<T>() == 4) }
        let Ok(count) = usize::try_from(count) else {
            return self.raise(match self.ctx.programs.current() {
                None => GL_INVALID_OPERATION,
                Some(_) => GL_INVALID_VALUE,
            });
        };
        let n = count * usize::from(shape.0) * usize::from(shape.1);
        let bits = match data.is_null() {
            true => &[],
            // SAFETY: by this function's contract; values of four bytes are read as bits.
            false => unsafe { std::slice::from_raw_parts(data.cast::<u32>(), n) },
        };
        if bits.len() == n {
            let given = Given {
                kind,
                shape,
                transpose,
                count,
                bits,
            };
            self.set_uniform(location, &given);
        }
    }

    /// The value at a location of a program, raising GL's errors.
    pub(super) fn uniform_value(
        &mut self,
        program: GLuint,
        location: GLint,
    ) -> Option<(ComponentKind, Vec<u32>)> {
        let id = self.program(program)?;
        let p = &self.share.programs.objects[id];
        let value = if p.link_ok() {
            p.get_uniform(location)
        } else {
            None
        };
        if value.is_none() {
            self.raise(GL_INVALID_OPERATION);
        }
        value
    }
}

/// A component's bits as a float.
pub(super) fn as_f32(kind: ComponentKind, bits: u32) -> f32 {
    match kind {
        ComponentKind::Float | ComponentKind::Double => f32::from_bits(bits),
        ComponentKind::Int => bits as i32 as f32,
        ComponentKind::Uint | ComponentKind::Bool => bits as f32,
    }
}

/// A component's bits as an integer (GL 4.6 §2.2.2).
pub(super) fn as_i64(kind: ComponentKind, bits: u32) -> i64 {
    match kind {
        ComponentKind::Float | ComponentKind::Double => f32::from_bits(bits).round() as i64,
        ComponentKind::Int => i64::from(bits as i32),
        ComponentKind::Uint | ComponentKind::Bool => i64::from(bits),
    }
}

const F: ComponentKind = ComponentKind::Float;
const I: ComponentKind = ComponentKind::Int;
const U: ComponentKind = ComponentKind::Uint;

gl_entry! {
    /// Sets a float (GL 4.6 §7.6.1); the entry points below are its kin.
    fn glUniform1f(gl, location: GLint, v0: GLfloat) { gl.uniform(location, F, &[v0.to_bits()]) }
    fn glUniform2f(gl, location: GLint, v0: GLfloat, v1: GLfloat) { gl.uniform(location, F, &[v0.to_bits(), v1.to_bits()]) }
    fn glUniform3f(gl, location: GLint, v0: GLfloat, v1: GLfloat, v2: GLfloat) { gl.uniform(location, F, &[v0.to_bits(), v1.to_bits(), v2.to_bits()]) }
    fn glUniform4f(gl, location: GLint, v0: GLfloat, v1: GLfloat, v2: GLfloat, v3: GLfloat) { gl.uniform(location, F, &[v0.to_bits(), v1.to_bits(), v2.to_bits(), v3.to_bits()]) }
    /// Sets an integer, a boolean or a sampler's unit.
    fn glUniform1i(gl, location: GLint, v0: GLint) { gl.uniform(location, I, &[v0 as u32]) }
    fn glUniform2i(gl, location: GLint, v0: GLint, v1: GLint) { gl.uniform(location, I, &[v0 as u32, v1 as u32]) }
    fn glUniform3i(gl, location: GLint, v0: GLint, v1: GLint, v2: GLint) { gl.uniform(location, I, &[v0 as u32, v1 as u32, v2 as u32]) }
    fn glUniform4i(gl, location: GLint, v0: GLint, v1: GLint, v2: GLint, v3: GLint) { gl.uniform(location, I, &[v0 as u32, v1 as u32, v2 as u32, v3 as u32]) }
    fn glUniform1ui(gl, location: GLint, v0: GLuint) { gl.uniform(location, U, &[v0]) }
    fn glUniform2ui(gl, location: GLint, v0: GLuint, v1: GLuint) { gl.uniform(location, U, &[v0, v1]) }
    fn glUniform3ui(gl, location: GLint, v0: GLuint, v1: GLuint, v2: GLuint) { gl.uniform(location, U, &[v0, v1, v2]) }
    fn glUniform4ui(gl, location: GLint, v0: GLuint, v1: GLuint, v2: GLuint, v3: GLuint) { gl.uniform(location, U, &[v0, v1, v2, v3]) }
    /// Sets elements of an array from memory; the entry points below are its kin.
    fn glUniform1fv(gl, location: GLint, count: GLsizei, value: *const GLfloat) {
        // SAFETY: the caller gives `count` elements; so in all entry points below.
        unsafe { gl.uniforms(location, F, (1, 1), (count, false), value) }
    }
    fn glUniform2fv(gl, location: GLint, count: GLsizei, value: *const GLfloat) {
        // SAFETY: as above.
        unsafe { gl.uniforms(location, F, (1, 2), (count, false), value) }
    }
    fn glUniform3fv(gl, location: GLint, count: GLsizei, value: *const GLfloat) {
        // SAFETY: as above.
        unsafe { gl.uniforms(location, F, (1, 3), (count, false), value) }
    }
    fn glUniform4fv(gl, location: GLint, count: GLsizei, value: *const GLfloat) {
        // SAFETY: as above.
        unsafe { gl.uniforms(location, F, (1, 4), (count, false), value) }
    }
    fn glUniform1iv(gl, location: GLint, count: GLsizei, value: *const GLint) {
        // SAFETY: as above.
        unsafe { gl.uniforms(location, I, (1, 1), (count, false), value) }
    }
    fn glUniform2iv(gl, location: GLint, count: GLsizei, value: *const GLint) {
        // SAFETY: as above.
        unsafe { gl.uniforms(location, I, (1, 2), (count, false), value) }
    }
    fn glUniform3iv(gl, location: GLint, count: GLsizei, value: *const GLint) {
        // SAFETY: as above.
        unsafe { gl.uniforms(location, I, (1, 3), (count, false), value) }
    }
    fn glUniform4iv(gl, location: GLint, count: GLsizei, value: *const GLint) {
        // SAFETY: as above.
        unsafe { gl.uniforms(location, I, (1, 4), (count, false), value) }
    }
    fn glUniform1uiv(gl, location: GLint, count: GLsizei, value: *const GLuint) {
        // SAFETY: as above.
        unsafe { gl.uniforms(location, U, (1, 1), (count, false), value) }
    }
    fn glUniform2uiv(gl, location: GLint, count: GLsizei, value: *const GLuint) {
        // SAFETY: as above.
        unsafe { gl.uniforms(location, U, (1, 2), (count, false), value) }
    }
    fn glUniform3uiv(gl, location: GLint, count: GLsizei, value: *const GLuint) {
        // SAFETY: as above.
        unsafe { gl.uniforms(location, U, (1, 3), (count, false), value) }
    }
    fn glUniform4uiv(gl, location: GLint, count: GLsizei, value: *const GLuint) {
        // SAFETY: as above.
        unsafe { gl.uniforms(location, U, (1, 4), (count, false), value) }
    }
    /// Sets matrices, columns by rows; the entry points below are its kin.
    fn glUniformMatrix2fv(gl, location: GLint, count: GLsizei, transpose: GLboolean, value: *const GLfloat) {
        // SAFETY: the caller gives `count` matrices; so in all entry points below.
        unsafe { gl.uniforms(location, F, (2, 2), (count, transpose != 0), value) }
    }
    fn glUniformMatrix3fv(gl, location: GLint, count: GLsizei, transpose: GLboolean, value: *const GLfloat) {
        // SAFETY: as above.
        unsafe { gl.uniforms(location, F, (3, 3), (count, transpose != 0), value) }
    }
    fn glUniformMatrix4fv(gl, location: GLint, count: GLsizei, transpose: GLboolean, value: *const GLfloat) {
        // SAFETY: as above.
        unsafe { gl.uniforms(location, F, (4, 4), (count, transpose != 0), value) }
    }
    fn glUniformMatrix2x3fv(gl, location: GLint, count: GLsizei, transpose: GLboolean, value: *const GLfloat) {
        // SAFETY: as above.
        unsafe { gl.uniforms(location, F, (2, 3), (count, transpose != 0), value) }
    }
    fn glUniformMatrix3x2fv(gl, location: GLint, count: GLsizei, transpose: GLboolean, value: *const GLfloat) {
        // SAFETY: as above.
        unsafe { gl.uniforms(location, F, (3, 2), (count, transpose != 0), value) }
    }
    fn glUniformMatrix2x4fv(gl, location: GLint, count: GLsizei, transpose: GLboolean, value: *const GLfloat) {
        // SAFETY: as above.
        unsafe { gl.uniforms(location, F, (2, 4), (count, transpose != 0), value) }
    }
    fn glUniformMatrix4x2fv(gl, location: GLint, count: GLsizei, transpose: GLboolean, value: *const GLfloat) {
        // SAFETY: as above.
        unsafe { gl.uniforms(location, F, (4, 2), (count, transpose != 0), value) }
    }
    fn glUniformMatrix3x4fv(gl, location: GLint, count: GLsizei, transpose: GLboolean, value: *const GLfloat) {
        // SAFETY: as above.
        unsafe { gl.uniforms(location, F, (3, 4), (count, transpose != 0), value) }
    }
    fn glUniformMatrix4x3fv(gl, location: GLint, count: GLsizei, transpose: GLboolean, value: *const GLfloat) {
        // SAFETY: as above.
        unsafe { gl.uniforms(location, F, (4, 3), (count, transpose != 0), value) }
    }
    /// The value of a uniform as floats (GL 4.6 §7.13).
    fn glGetUniformfv(gl, program: GLuint, location: GLint, params: *mut GLfloat) {
        let Some((kind, bits)) = gl.uniform_value(program, location) else { return };
        for (i, b) in bits.into_iter().enumerate() {
            // SAFETY: the caller gives room for the uniform's components.
            unsafe { *params.add(i) = as_f32(kind, b) }
        }
    }
    /// The value of a uniform as integers.
    fn glGetUniformiv(gl, program: GLuint, location: GLint, params: *mut GLint) {
        let Some((kind, bits)) = gl.uniform_value(program, location) else { return };
        for (i, b) in bits.into_iter().enumerate() {
            // SAFETY: as above.
            unsafe { *params.add(i) = as_i64(kind, b).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32 }
        }
    }
    /// The value of a uniform as unsigned integers.
    fn glGetUniformuiv(gl, program: GLuint, location: GLint, params: *mut GLuint) {
        let Some((kind, bits)) = gl.uniform_value(program, location) else { return };
        for (i, b) in bits.into_iter().enumerate() {
            // SAFETY: as above.
            unsafe { *params.add(i) = if kind == ComponentKind::Int { b } else { as_i64(kind, b).clamp(0, i64::from(u32::MAX)) as u32 } }
        }
    }
}
