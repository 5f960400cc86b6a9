//! Entry points of buffer objects (GL 4.6 chapter 6).

use super::entry::gl_entry;
use super::limits::UNIFORM_BUFFER_OFFSET_ALIGNMENT;
use super::types::*;
use crate::consts::gl::*;
use crate::context::Gl;
use crate::state::buffer::{
    Buffer, BufferTarget, IndexedBinding, MAX_FEEDBACK_BUFFERS, MAX_UNIFORM_BUFFER_BINDINGS,
    Mapping,
};
use crate::state::dirty::Mappings;
use crate::state::names::Id;
use core::ffi::c_void;
use mgl_core::pipe::BufferUsage;

const MAP_BITS: u32 = GL_MAP_READ_BIT
    | GL_MAP_WRITE_BIT
    | GL_MAP_INVALIDATE_RANGE_BIT
    | GL_MAP_INVALIDATE_BUFFER_BIT
    | GL_MAP_FLUSH_EXPLICIT_BIT
    | GL_MAP_UNSYNCHRONIZED_BIT;

impl Gl<'_> {
    /// The target of a GL constant, or GL_INVALID_ENUM.
    fn buffer_target(&mut self, target: GLenum) -> Option<BufferTarget> {
        let t = BufferTarget::from_gl(target);
        if t.is_none() {
            self.raise(GL_INVALID_ENUM);
        }
        t
    }

    /// The buffer on a target.
    #[must_use]
    pub fn bound_buffer(&self, target: BufferTarget) -> Option<Id<Buffer>> {
        match target {
            BufferTarget::ElementArray => self.ctx.vertex.current().element_buffer(),
            t => self.ctx.buffers.bound(t),
        }
    }

    /// The buffer on a target, or GL_INVALID_ENUM or GL_INVALID_OPERATION for none.
    fn need_buffer(&mut self, target: GLenum) -> Option<Id<Buffer>> {
        let target = self.buffer_target(target)?;
        let id = self.bound_buffer(target);
        if id.is_none() {
            self.raise(GL_INVALID_OPERATION);
        }
        id
    }

    /// The object of a name that is to be bound, made now if need be; GL_INVALID_OPERATION for a name that was not
    /// generated, which only the core profile refuses. `Some(None)` for name 0.
    fn buffer_to_bind(&mut self, name: GLuint) -> Option<Option<Id<Buffer>>> {
        if name == 0 {
            return Some(None);
        }
        if let Some(id) = self.share.buffers.id(name) {
            return Some(Some(id));
        }
        if self.is_core() && !self.share.buffers.is_reserved(name) {
            self.raise(GL_INVALID_OPERATION);
            return None;
        }
        let handle = self.pipe.mint();
        Some(Some(
            self.share.buffers.create(name, Buffer::new(name, handle)),
        ))
    }

    fn bind_to(&mut self, target: BufferTarget, id: Option<Id<Buffer>>) {
        if let Some(id) = id {
            self.share.buffers.objects[id].hint(target.hint());
        }
        match target {
            BufferTarget::ElementArray => {
                if self.ctx.vertex.current().element_buffer() != id {
                    let t = self.gens.touch();
                    self.ctx.vertex.current_mut().set_element_buffer(t, id);
                }
            }
            t => self.ctx.buffers.bind(self.gens.touch(), t, id),
        }
    }

    /// glBindBufferBase and glBindBufferRange (GL 4.6 §6.1.1).
    fn bind_indexed(
        &mut self,
        target: GLenum,
        index: GLuint,
        name: GLuint,
        range: Option<(GLintptr, GLsizeiptr)>,
    ) {
        let (target, limit) = match target {
            GL_UNIFORM_BUFFER => (BufferTarget::Uniform, MAX_UNIFORM_BUFFER_BINDINGS),
            GL_TRANSFORM_FEEDBACK_BUFFER => (BufferTarget::TransformFeedback, MAX_FEEDBACK_BUFFERS),
            _ => return self.raise(GL_INVALID_ENUM),
        };
        if index >= limit {
            return self.raise(GL_INVALID_VALUE);
        }
        if target == BufferTarget::TransformFeedback && self.ctx.stream_output.is_active() {
            return self.raise(GL_INVALID_OPERATION);
        }
        if let Some((offset, size)) = range.filter(|_| name != 0) {
            let align = match target {
                BufferTarget::Uniform => UNIFORM_BUFFER_OFFSET_ALIGNMENT as isize,
                _ => 4,
            };
            let odd_size = target == BufferTarget::TransformFeedback && size % 4 != 0;
            if offset < 0 || size <= 0 || offset % align.max(1) != 0 || odd_size {
                return self.raise(GL_INVALID_VALUE);
            }
        }
        let Some(id) = self.buffer_to_bind(name) else {
            return;
        };
        self.bind_to(target, id);
        let to = IndexedBinding {
            buffer: id,
            range: range
                .filter(|_| id.is_some())
                .map(|(o, s)| (o as u64, s as u64)),
        };
        match target {
            BufferTarget::Uniform => {
                if self.ctx.buffers.uniform_bindings().get(index as usize) != Some(&to) {
                    let t = self.gens.touch();
                    self.ctx.buffers.bind_uniform(t, index, to);
                }
            }
            _ => self.ctx.buffers.bind_feedback(self.gens.touch(), index, to),
        }
    }

    /// Ends a buffer's name (GL 4.6 §5.1.2): its mapping, and its bindings in this context and the bound vertex array.
    fn delete_buffer(&mut self, name: GLuint) {
        let Some(id) = self.share.buffers.delete(name) else {
            return;
        };
        self.share.deleted += 1;
        let b = &mut self.share.buffers.objects[id];
        if b.mapping().is_some() {
            b.unmap(self.gens.touch(), self.pipe);
        }
        let tokens = (self.gens.touch(), self.gens.touch());
        self.ctx.buffers.unbind(tokens, id);
        if self.ctx.vertex.current().refers_to(id) {
            let t = self.gens.touch();
            self.ctx.vertex.current_mut().unbind_buffer(t, id);
        }
    }

    /// A range of a buffer's store as GL gives it; GL_INVALID_VALUE when it is negative or outside.
    fn buffer_range(
        &mut self,
        id: Id<Buffer>,
        offset: GLintptr,
        size: GLsizeiptr,
    ) -> Option<(u64, u64)> {
        let limit = self.share.buffers.objects[id].size();
        let range = u64::try_from(offset).ok().zip(u64::try_from(size).ok());
        let inside = range.filter(|&(o, n)| o.checked_add(n).is_some_and(|end| end <= limit));
        if inside.is_none() {
            self.raise(GL_INVALID_VALUE);
        }
        inside
    }

    fn map_buffer(
        &mut self,
        id: Id<Buffer>,
        offset: GLintptr,
        length: GLsizeiptr,
        access: GLbitfield,
    ) -> *mut c_void {
        let nothing = std::ptr::null_mut();
        let Some((offset, length)) = self.buffer_range(id, offset, length) else {
            return nothing;
        };
        if access & !MAP_BITS != 0 {
            self.raise(GL_INVALID_VALUE);
            return nothing;
        }
        let has = |bits: u32| access & bits != 0;
        let careless =
            GL_MAP_INVALIDATE_RANGE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT | GL_MAP_UNSYNCHRONIZED_BIT;
        let b = &mut self.share.buffers.objects[id];
        if length == 0
            || b.mapping().is_some()
            || !has(GL_MAP_READ_BIT | GL_MAP_WRITE_BIT)
            || (has(GL_MAP_READ_BIT) && has(careless))
            || (has(GL_MAP_FLUSH_EXPLICIT_BIT) && !has(GL_MAP_WRITE_BIT))
        {
            self.raise(GL_INVALID_OPERATION);
            return nothing;
        }
        let map = Mapping {
            offset,
            length,
            access,
        };
        b.map(self.gens.touch(), self.pipe, map).cast()
    }

    /// glGetBufferParameter* (GL 4.6 table 6.3).
    fn buffer_parameter(&mut self, target: GLenum, pname: GLenum) -> Option<i64> {
        let id = self.need_buffer(target)?;
        let b = &self.share.buffers.objects[id];
        let map = b.mapping();
        Some(match pname {
            GL_BUFFER_SIZE => b.size() as i64,
            GL_BUFFER_USAGE => i64::from(b.usage()),
            GL_BUFFER_ACCESS => {
                let both = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT;
                i64::from(match map.map(|m| m.access & both) {
                    Some(GL_MAP_READ_BIT) => GL_READ_ONLY,
                    Some(GL_MAP_WRITE_BIT) => GL_WRITE_ONLY,
                    _ => GL_READ_WRITE,
                })
            }
            GL_BUFFER_MAPPED => i64::from(map.is_some()),
            GL_BUFFER_ACCESS_FLAGS => map.map_or(0, |m| i64::from(m.access)),
            GL_BUFFER_MAP_OFFSET => map.map_or(0, |m| m.offset as i64),
            GL_BUFFER_MAP_LENGTH => map.map_or(0, |m| m.length as i64),
            _ => {
                self.raise(GL_INVALID_ENUM);
                return None;
            }
        })
    }

    fn copy_buffer(
        &mut self,
        read: GLenum,
        write: GLenum,
        from: GLintptr,
        to: GLintptr,
        size: GLsizeiptr,
    ) {
        let (Some(read), Some(write)) = (self.buffer_target(read), self.buffer_target(write))
        else {
            return;
        };
        let (Some(src), Some(dst)) = (self.bound_buffer(read), self.bound_buffer(write)) else {
            return self.raise(GL_INVALID_OPERATION);
        };
        let mapped = |id| self.share.buffers.objects[id].mapping().is_some();
        if mapped(src) || mapped(dst) {
            return self.raise(GL_INVALID_OPERATION);
        }
        let Some((from, size)) = self.buffer_range(src, from, size as GLsizeiptr) else {
            return;
        };
        let Some((to, _)) = self.buffer_range(dst, to, size as GLsizeiptr) else {
            return;
        };
        if src == dst && from < to + size && to < from + size {
            return self.raise(GL_INVALID_VALUE);
        }
        if size == 0 {
            return;
        }
        let t = self.gens.touch();
        let objects = &mut self.share.buffers.objects;
        if src == dst {
            objects[src].copy_within(t, self.pipe, from, to, size);
        } else if let (Some(s), Some(d)) = objects.get_two_mut(src, dst) {
            d.copy_from(t, self.pipe, s, from, to, size);
        }
    }
}

/// Bytes that a program hands in; `None` for a null pointer.
///
/// # Safety
///
/// A non-null `data` leads to `size` readable bytes that stay unchanged while the slice lives.
unsafe fn client_bytes<'a>(data: *const c_void, size: u64) -> Option<&'a [u8]> {
    if data.is_null() {
        return None;
    }
    // SAFETY: as the caller promises; a size that got here fits a store, and so usize.
    Some(unsafe { std::slice::from_raw_parts(data.cast(), size as usize) })
}

gl_entry! {
    /// Reserves buffer names (GL 4.6 §6).
    fn glGenBuffers(gl, n: GLsizei, buffers: *mut GLuint) {
        if n < 0 {
            return gl.raise(GL_INVALID_VALUE);
        }
        for i in 0..n as usize {
            let name = gl.share.buffers.reserve();
            // SAFETY: the program gives room for `n` names.
            unsafe { buffers.add(i).write_unaligned(name) };
        }
    }

    /// Ends buffer names (GL 4.6 §6); unknown names and 0 are ignored.
    fn glDeleteBuffers(gl, n: GLsizei, buffers: *const GLuint) {
        if n < 0 {
            return gl.raise(GL_INVALID_VALUE);
        }
        for i in 0..n as usize {
            // SAFETY: the program gives `n` names.
            let name = unsafe { buffers.add(i).read_unaligned() };
            gl.delete_buffer(name);
        }
    }

    /// Whether a name is that of a buffer object (GL 4.6 §6).
    fn glIsBuffer(gl, buffer: GLuint) -> GLboolean {
        GLboolean::from(gl.share.buffers.id(buffer).is_some())
    }

    /// Binds a buffer (GL 4.6 §6.1).
    fn glBindBuffer(gl, target: GLenum, buffer: GLuint) {
        let Some(target) = gl.buffer_target(target) else { return };
        if let Some(id) = gl.buffer_to_bind(buffer) {
            gl.bind_to(target, id);
        }
    }

    /// Binds a whole buffer to an indexed binding point (GL 4.6 §6.1.1).
    fn glBindBufferBase(gl, target: GLenum, index: GLuint, buffer: GLuint) {
        gl.bind_indexed(target, index, buffer, None)
    }

    /// Binds a range of a buffer to an indexed binding point (GL 4.6 §6.1.1).
    fn glBindBufferRange(
        gl, target: GLenum, index: GLuint, buffer: GLuint, offset: GLintptr, size: GLsizeiptr,
    ) {
        gl.bind_indexed(target, index, buffer, Some((offset, size)))
    }

    /// Binds a buffer from an offset to its end for capture (EXT_transform_feedback).
    fn glBindBufferOffsetEXT(gl, target: GLenum, index: GLuint, buffer: GLuint, offset: GLintptr) {
        if target != GL_TRANSFORM_FEEDBACK_BUFFER {
            return gl.raise(GL_INVALID_ENUM);
        }
        let size = gl.share.buffers.get(buffer).map_or(0, |b| b.size() as GLsizeiptr);
        // Captured values have four bytes each: what is left over at the end is never written.
        let rest = size.saturating_sub(offset) & !3;
        gl.bind_indexed(target, index, buffer, Some((offset, rest)))
    }

    /// Makes a new data store (GL 4.6 §6.2).
    fn glBufferData(gl, target: GLenum, size: GLsizeiptr, data: *const c_void, usage: GLenum) {
        let Some(target) = gl.buffer_target(target) else { return };
        let Some(usage) = BufferUsage::from_gl(usage).filter(|u| *u != BufferUsage::NONE) else {
            return gl.raise(GL_INVALID_ENUM);
        };
        let Ok(size) = u64::try_from(size) else { return gl.raise(GL_INVALID_VALUE) };
        let Some(id) = gl.bound_buffer(target) else { return gl.raise(GL_INVALID_OPERATION) };
        // SAFETY: the program gives `size` bytes or null.
        let data = unsafe { client_bytes(data, size) };
        let b = &mut gl.share.buffers.objects[id];
        let gens = &mut *gl.gens;
        if b.mapping().is_some() {
            drop(gens.touch::<Mappings>());
        }
        if !b.specify(|| gens.touch(), gl.pipe, size, data, usage) {
            gl.raise(GL_OUT_OF_MEMORY);
        }
    }

    /// Writes a range of a data store (GL 4.6 §6.2.1).
    fn glBufferSubData(
        gl, target: GLenum, offset: GLintptr, size: GLsizeiptr, data: *const c_void,
    ) {
        let Some(id) = gl.need_buffer(target) else { return };
        let Some((offset, size)) = gl.buffer_range(id, offset, size) else { return };
        let b = &mut gl.share.buffers.objects[id];
        if b.mapping().is_some() {
            return gl.raise(GL_INVALID_OPERATION);
        }
        // SAFETY: the program gives `size` bytes.
        if let Some(bytes) = unsafe { client_bytes(data, size) } {
            b.write(gl.gens.touch(), gl.pipe, offset, bytes);
        }
    }

    /// Reads a range of a data store (GL 4.6 §6.6).
    fn glGetBufferSubData(
        gl, target: GLenum, offset: GLintptr, size: GLsizeiptr, data: *mut c_void,
    ) {
        let Some(id) = gl.need_buffer(target) else { return };
        let Some((offset, size)) = gl.buffer_range(id, offset, size) else { return };
        let b = &mut gl.share.buffers.objects[id];
        if b.mapping().is_some() {
            return gl.raise(GL_INVALID_OPERATION);
        }
        if size == 0 || data.is_null() {
            return;
        }
        if !b.sync_apart(gl.pipe) {
            return;
        }
        let from = &b.bytes()[offset as usize..(offset + size) as usize];
        // SAFETY: the program gives room for `size` bytes; `copy` allows that it overlaps the store.
        unsafe { std::ptr::copy(from.as_ptr(), data.cast::<u8>(), from.len()) };
    }

    /// Maps a whole buffer (GL 4.6 §6.3).
    fn glMapBuffer(gl, target: GLenum, access: GLenum) -> *mut c_void {
        let bits = match access {
            GL_READ_ONLY => GL_MAP_READ_BIT,
            GL_WRITE_ONLY => GL_MAP_WRITE_BIT,
            GL_READ_WRITE => GL_MAP_READ_BIT | GL_MAP_WRITE_BIT,
            _ => {
                gl.raise(GL_INVALID_ENUM);
                return std::ptr::null_mut();
            }
        };
        let Some(id) = gl.need_buffer(target) else { return std::ptr::null_mut() };
        let size = gl.share.buffers.objects[id].size() as GLsizeiptr;
        gl.map_buffer(id, 0, size, bits)
    }

    /// Maps a range of a buffer (GL 4.6 §6.3).
    fn glMapBufferRange(
        gl, target: GLenum, offset: GLintptr, length: GLsizeiptr, access: GLbitfield,
    ) -> *mut c_void {
        let Some(id) = gl.need_buffer(target) else { return std::ptr::null_mut() };
        gl.map_buffer(id, offset, length, access)
    }

    /// Says that a part of a mapped range was written (GL 4.6 §6.3).
    fn glFlushMappedBufferRange(gl, target: GLenum, offset: GLintptr, length: GLsizeiptr) {
        let Some(id) = gl.need_buffer(target) else { return };
        let b = &mut gl.share.buffers.objects[id];
        let Some(m) = b.mapping().filter(|m| m.access & GL_MAP_FLUSH_EXPLICIT_BIT != 0) else {
            return gl.raise(GL_INVALID_OPERATION);
        };
        match (u64::try_from(offset), u64::try_from(length)) {
            (Ok(o), Ok(n)) if o.checked_add(n).is_some_and(|end| end <= m.length) => {
                b.flush_mapped(o, n);
            }
            _ => gl.raise(GL_INVALID_VALUE),
        }
    }

    /// Ends a mapping (GL 4.6 §6.3.1). The store is never lost, so the answer is true.
    fn glUnmapBuffer(gl, target: GLenum) -> GLboolean {
        let Some(id) = gl.need_buffer(target) else { return 0 };
        let b = &mut gl.share.buffers.objects[id];
        if b.mapping().is_none() {
            gl.raise(GL_INVALID_OPERATION);
            return 0;
        }
        GLboolean::from(b.unmap(gl.gens.touch(), gl.pipe))
    }

    /// Copies between data stores (GL 4.6 §6.5).
    fn glCopyBufferSubData(
        gl, readTarget: GLenum, writeTarget: GLenum, readOffset: GLintptr, writeOffset: GLintptr,
        size: GLsizeiptr,
    ) {
        gl.copy_buffer(readTarget, writeTarget, readOffset, writeOffset, size)
    }

    /// A parameter of a buffer (GL 4.6 §6.7), clamped to 32 bits.
    fn glGetBufferParameteriv(gl, target: GLenum, pname: GLenum, params: *mut GLint) {
        if let Some(v) = gl.buffer_parameter(target, pname) {
            let v = GLint::try_from(v).unwrap_or(GLint::MAX);
            // SAFETY: the program gives room for one value.
            unsafe { params.write_unaligned(v) };
        }
    }

    /// A parameter of a buffer (GL 4.6 §6.7).
    fn glGetBufferParameteri64v(gl, target: GLenum, pname: GLenum, params: *mut GLint64) {
        if let Some(v) = gl.buffer_parameter(target, pname) {
            // SAFETY: the program gives room for one value.
            unsafe { params.write_unaligned(v) };
        }
    }

    /// Where a buffer is mapped (GL 4.6 §6.7).
    fn glGetBufferPointerv(gl, target: GLenum, pname: GLenum, params: *mut *mut c_void) {
        if pname != GL_BUFFER_MAP_POINTER {
            return gl.raise(GL_INVALID_ENUM);
        }
        if let Some(id) = gl.need_buffer(target) {
            let at = gl.share.buffers.objects[id].map_pointer();
            // SAFETY: the program gives room for one pointer.
            unsafe { params.write_unaligned(at.cast()) };
        }
    }

    /// Where a buffer is mapped, the buffer given by name (GL 4.6 §6.7).
    fn glGetNamedBufferPointerv(gl, buffer: GLuint, pname: GLenum, params: *mut *mut c_void) {
        let Some(id) = gl.share.buffers.id(buffer) else {
            return gl.raise(GL_INVALID_OPERATION);
        };
        if pname != GL_BUFFER_MAP_POINTER {
            return gl.raise(GL_INVALID_ENUM);
        }
        let at = gl.share.buffers.objects[id].map_pointer();
        // SAFETY: the program gives room for one pointer.
        unsafe { params.write_unaligned(at.cast()) };
    }
}
