//! Entry points of vertex arrays (GL 4.6 chapter 10). Current values have their own file.

use super::entry::gl_entry;
use super::types::*;
use crate::consts::gl::*;
use crate::context::Gl;
use crate::state::buffer::BufferTarget;
use crate::state::dirty::VertexArrays;
use crate::state::vertex_array::{AttribArray, MAX_ATTRIBS};
use core::ffi::c_void;
use mgl_core::pipe::{AttribClass, AttribType, AttribValue, ValueType};

/// What a query of an attribute yields.
#[derive(Clone, Copy)]
enum Answer {
    Number(u32),
    Current(AttribValue),
}

impl Gl<'_> {
    /// Whether `index` names an attribute; GL_INVALID_VALUE if not.
    fn is_attrib(&mut self, index: GLuint) -> bool {
        let ok = index < MAX_ATTRIBS;
        if !ok {
            self.raise(GL_INVALID_VALUE);
        }
        ok
    }

    /// Whether a vertex array is bound that may be changed: the core profile has no array 0 (GL 4.6 §10.3.1).
    fn has_vertex_array(&mut self) -> bool {
        let ok = !(self.is_core() && self.ctx.vertex.is_default_bound());
        if !ok {
            self.raise(GL_INVALID_OPERATION);
        }
        ok
    }

    fn enable_array(&mut self, index: GLuint, on: bool) {
        if self.is_attrib(index) && self.has_vertex_array() {
            let was = self.ctx.vertex.current().enabled() >> index & 1 != 0;
            if was != on {
                let t = self.gens.touch();
                self.ctx.vertex.current_mut().enable(t, index, on);
            }
        }
    }

    /// glVertexAttribPointer and glVertexAttribIPointer, whose component types are `types` (GL 4.6 §10.3.1).
    fn attrib_pointer(
        &mut self,
        index: GLuint,
        size: GLint,
        ty: GLenum,
        class: AttribClass,
        stride: GLsizei,
        pointer: *const c_void,
    ) {
        if !self.is_attrib(index) {
            return;
        }
        let integer = class == AttribClass::INTEGER;
        let bgra = size == GL_BGRA as GLint && !integer;
        if !(bgra || (1..=4).contains(&size)) || stride < 0 {
            return self.raise(GL_INVALID_VALUE);
        }
        let Some(ty) = component_type(ty, integer) else {
            return self.raise(GL_INVALID_ENUM);
        };
        let buffer = self.ctx.buffers.bound(BufferTarget::Array);
        let client = buffer.is_none() && !pointer.is_null();
        if (bgra && (class != AttribClass::NORMALIZED || !may_be_bgra(ty)))
            || (ty.is_packed() && !bgra && size != packed_size(ty))
            || (client && !self.ctx.vertex.is_default_bound())
        {
            return self.raise(GL_INVALID_OPERATION);
        }
        if !self.has_vertex_array() {
            return;
        }
        let array = AttribArray {
            components: if bgra { 4 } else { size as u32 },
            bgra,
            ty,
            class,
            stride: stride as u32,
            pointer: pointer as u64,
            buffer,
            divisor: self.ctx.vertex.current().attribs()[index as usize].divisor,
        };
        if self.ctx.vertex.current().attribs()[index as usize] != array {
            let t = self.gens.touch();
            self.ctx.vertex.current_mut().set_array(t, index, array);
        }
    }

    /// glGetVertexAttrib* (GL 4.6 table 23.5); `None` after an error.
    fn attrib_parameter(&mut self, index: GLuint, pname: GLenum) -> Option<Answer> {
        if !self.is_attrib(index) {
            return None;
        }
        let vao = self.ctx.vertex.current();
        let a = &vao.attribs()[index as usize];
        let yes = u32::from;
        Some(Answer::Number(match pname {
            GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING => a
                .buffer
                .map_or(0, |id| self.share.buffers.objects[id].name()),
            GL_VERTEX_ATTRIB_ARRAY_ENABLED => vao.enabled() >> index & 1,
            GL_VERTEX_ATTRIB_ARRAY_SIZE if a.bgra => GL_BGRA,
            GL_VERTEX_ATTRIB_ARRAY_SIZE => a.components,
            GL_VERTEX_ATTRIB_ARRAY_STRIDE => a.stride,
            GL_VERTEX_ATTRIB_ARRAY_TYPE => a.ty.0,
            GL_VERTEX_ATTRIB_ARRAY_NORMALIZED => yes(a.class == AttribClass::NORMALIZED),
            GL_VERTEX_ATTRIB_ARRAY_INTEGER => yes(a.class == AttribClass::INTEGER),
            GL_VERTEX_ATTRIB_ARRAY_DIVISOR => a.divisor,
            // Attribute 0 of the compatibility profile is the vertex itself and has no current value.
            GL_CURRENT_VERTEX_ATTRIB if index == 0 && !self.is_core() => {
                self.raise(GL_INVALID_OPERATION);
                return None;
            }
            GL_CURRENT_VERTEX_ATTRIB => {
                return Some(Answer::Current(self.ctx.vertex.values()[index as usize]));
            }
            _ => {
                self.raise(GL_INVALID_ENUM);
                return None;
            }
        }))
    }
}

/// The component type of a GL constant, if it is one here (GL 3.3 table 2.5; GL 4.6 table 10.3 adds fixed point and
/// packed floats).
fn component_type(ty: GLenum, integer: bool) -> Option<AttribType> {
    let fits = match ty {
        GL_BYTE | GL_UNSIGNED_BYTE | GL_SHORT | GL_UNSIGNED_SHORT | GL_INT | GL_UNSIGNED_INT => {
            true
        }
        GL_HALF_FLOAT
        | GL_FLOAT
        | GL_DOUBLE
        | GL_FIXED
        | GL_INT_2_10_10_10_REV
        | GL_UNSIGNED_INT_2_10_10_10_REV
        | GL_UNSIGNED_INT_10F_11F_11F_REV => !integer,
        _ => false,
    };
    fits.then_some(AttribType(ty))
}

/// Components in a word of a packed type.
fn packed_size(ty: AttribType) -> GLint {
    if ty == AttribType::UNSIGNED_INT_10F_11F_11F_REV {
        3
    } else {
        4
    }
}

fn may_be_bgra(ty: AttribType) -> bool {
    ty == AttribType::UNSIGNED_BYTE || (ty.is_packed() && packed_size(ty) == 4)
}

/// A current value's component as a number.
fn component(v: &AttribValue, i: usize) -> f64 {
    match v.ty {
        ValueType::INT => f64::from(v.bits[i] as i32),
        ValueType::UINT => f64::from(v.bits[i]),
        _ => f64::from(f32::from_bits(v.bits[i])),
    }
}

/// Writes an answer: one number, or four components.
///
/// # Safety
///
/// `params` has room for what the query yields.
unsafe fn store<T>(
    params: *mut T,
    answer: Answer,
    number: impl Fn(u32) -> T,
    current: impl Fn(&AttribValue, usize) -> T,
) {
    match answer {
        // SAFETY: room for one value, as the caller promises.
        Answer::Number(n) => unsafe { params.write_unaligned(number(n)) },
        Answer::Current(v) => {
            for i in 0..4 {
                // SAFETY: room for four values, as the caller promises.
                unsafe { params.add(i).write_unaligned(current(&v, i)) };
            }
        }
    }
}

gl_entry! {
    /// Reserves vertex array names (GL 4.6 §10.3.1).
    fn glGenVertexArrays(gl, n: GLsizei, arrays: *mut GLuint) {
        if n < 0 {
            return gl.raise(GL_INVALID_VALUE);
        }
        for i in 0..n as usize {
            let name = gl.ctx.vertex.reserve();
            // SAFETY: the program gives room for `n` names.
            unsafe { arrays.add(i).write_unaligned(name) };
        }
    }

    /// Ends vertex arrays (GL 4.6 §10.3.1); unknown names and 0 are ignored.
    fn glDeleteVertexArrays(gl, n: GLsizei, arrays: *const GLuint) {
        if n < 0 {
            return gl.raise(GL_INVALID_VALUE);
        }
        for i in 0..n as usize {
            // SAFETY: the program gives `n` names.
            let name = unsafe { arrays.add(i).read_unaligned() };
            gl.ctx.vertex.delete(gl.gens.touch::<VertexArrays>(), name);
            gl.ctx.legacy.arrays.forget(name);
        }
    }

    /// Whether a name is that of a vertex array (GL 4.6 §10.3.1).
    fn glIsVertexArray(gl, array: GLuint) -> GLboolean {
        GLboolean::from(gl.ctx.vertex.exists(array))
    }

    /// Binds a vertex array (GL 4.6 §10.3.1).
    fn glBindVertexArray(gl, array: GLuint) {
        if gl.ctx.vertex.current().name() != array
            && !gl.ctx.vertex.bind(gl.gens.touch(), array)
        {
            gl.raise(GL_INVALID_OPERATION);
        }
    }

    /// Describes an array of floating-point or normalized values (GL 4.6 §10.3.1).
    fn glVertexAttribPointer(
        gl, index: GLuint, size: GLint, r#type: GLenum, normalized: GLboolean, stride: GLsizei,
        pointer: *const c_void,
    ) {
        let float = matches!(
            r#type,
            GL_FLOAT | GL_HALF_FLOAT | GL_DOUBLE | GL_FIXED | GL_UNSIGNED_INT_10F_11F_11F_REV
        );
        let class = if normalized != 0 && !float {
            AttribClass::NORMALIZED
        } else {
            AttribClass::FLOAT
        };
        gl.attrib_pointer(index, size, r#type, class, stride, pointer)
    }

    /// Describes an array of integers (GL 4.6 §10.3.1).
    fn glVertexAttribIPointer(
        gl, index: GLuint, size: GLint, r#type: GLenum, stride: GLsizei, pointer: *const c_void,
    ) {
        gl.attrib_pointer(index, size, r#type, AttribClass::INTEGER, stride, pointer)
    }

    /// Takes an attribute from its array (GL 4.6 §10.3.2).
    fn glEnableVertexAttribArray(gl, index: GLuint) {
        gl.enable_array(index, true)
    }

    /// Takes an attribute from its current value (GL 4.6 §10.3.2).
    fn glDisableVertexAttribArray(gl, index: GLuint) {
        gl.enable_array(index, false)
    }

    /// How many instances an element lasts (GL 4.6 §10.3.4).
    fn glVertexAttribDivisor(gl, index: GLuint, divisor: GLuint) {
        if gl.is_attrib(index)
            && gl.has_vertex_array()
            && gl.ctx.vertex.current().attribs()[index as usize].divisor != divisor
        {
            let t = gl.gens.touch();
            gl.ctx.vertex.current_mut().set_divisor(t, index, divisor);
        }
    }

    /// The index that starts a primitive anew (GL 4.6 §10.3.6).
    fn glPrimitiveRestartIndex(gl, index: GLuint) {
        gl.ctx.vertex.set_restart_index(gl.gens.touch(), index)
    }

    /// A parameter of an attribute (GL 4.6 §10.5).
    fn glGetVertexAttribiv(gl, index: GLuint, pname: GLenum, params: *mut GLint) {
        if let Some(a) = gl.attrib_parameter(index, pname) {
            // SAFETY: the program gives room for the answer. Floats are rounded (GL 4.6 §2.2.2).
            unsafe { store(params, a, |n| n as GLint, |v, i| component(v, i).round() as GLint) };
        }
    }

    /// A parameter of an attribute (GL 4.6 §10.5).
    fn glGetVertexAttribfv(gl, index: GLuint, pname: GLenum, params: *mut GLfloat) {
        if let Some(a) = gl.attrib_parameter(index, pname) {
            // SAFETY: the program gives room for the answer.
            unsafe { store(params, a, |n| n as GLfloat, |v, i| component(v, i) as GLfloat) };
        }
    }

    /// A parameter of an attribute (GL 4.6 §10.5).
    fn glGetVertexAttribdv(gl, index: GLuint, pname: GLenum, params: *mut GLdouble) {
        if let Some(a) = gl.attrib_parameter(index, pname) {
            // SAFETY: the program gives room for the answer.
            unsafe { store(params, a, f64::from, component) };
        }
    }

    /// A parameter of an attribute, its current value as it was written (GL 4.6 §10.5).
    fn glGetVertexAttribIiv(gl, index: GLuint, pname: GLenum, params: *mut GLint) {
        if let Some(a) = gl.attrib_parameter(index, pname) {
            // SAFETY: the program gives room for the answer.
            unsafe { store(params, a, |n| n as GLint, |v, i| v.bits[i] as GLint) };
        }
    }

    /// A parameter of an attribute, its current value as it was written (GL 4.6 §10.5).
    fn glGetVertexAttribIuiv(gl, index: GLuint, pname: GLenum, params: *mut GLuint) {
        if let Some(a) = gl.attrib_parameter(index, pname) {
            // SAFETY: the program gives room for the answer.
            unsafe { store(params, a, |n| n, |v, i| v.bits[i]) };
        }
    }

    /// Where an attribute's array starts (GL 4.6 §10.5).
    fn glGetVertexAttribPointerv(gl, index: GLuint, pname: GLenum, pointer: *mut *mut c_void) {
        if pname != GL_VERTEX_ATTRIB_ARRAY_POINTER {
            return gl.raise(GL_INVALID_ENUM);
        }
        if gl.is_attrib(index) {
            let at = gl.ctx.vertex.current().attribs()[index as usize].pointer;
            // SAFETY: the program gives room for one pointer.
            unsafe { pointer.write_unaligned(at as *mut c_void) };
        }
    }
}
