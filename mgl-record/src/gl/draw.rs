//! Draw entry points (GL 4.6 §10.4). All of them become one DrawVbo, or none.
//!
//! Errors first, then the tracker, then what must be copied from the program's memory, then the push. A draw that draws
//! nothing is checked for errors and ends there.

use super::entry::gl_entry;
use super::types::*;
use crate::consts::gl::*;
use crate::context::Gl;
use crate::state::buffer::Buffer;
use crate::state::names::Id;
use crate::tracker::client_arrays::Extent;
use crate::tracker::indices::{self, IndexType};
use crate::tracker::{DrawShape, may_draw, validate_draw, vertex};
use core::ffi::c_void;
use mgl_core::pipe::{Call, DrawFlags, DrawInfo, DrawRange, Primitive};

/// Bytes of indices that one draw may bring along.
const INDEX_LIMIT: u64 = 1 << 30;

/// A primitive mode as the program gave it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Plain(Primitive),
    /// Quadrilaterals, which the pipe does not know: cut into triangles here.
    Quads,
    /// A quadrilateral strip is a triangle strip without its odd last vertex.
    QuadStrip,
}

impl Mode {
    fn primitive(self) -> Primitive {
        match self {
            Mode::Plain(p) => p,
            Mode::Quads => Primitive::TRIANGLES,
            Mode::QuadStrip => Primitive::TRIANGLE_STRIP,
        }
    }
}

/// Where the indices of a draw are.
#[derive(Clone, Copy)]
enum Source {
    /// There are none.
    None,
    /// In a buffer, at multiples of their size.
    Buffer(Id<Buffer>, IndexType),
    /// Copied into the tracker's memory.
    Copied(IndexType),
}

impl Source {
    fn ty(self) -> Option<IndexType> {
        match self {
            Source::None => None,
            Source::Buffer(_, t) | Source::Copied(t) => Some(t),
        }
    }
}

/// One indexed part of a draw, as the program gave it.
#[derive(Clone, Copy)]
struct Part {
    count: GLsizei,
    /// Byte offset, or address.
    at: u64,
    base_vertex: i32,
}

impl Gl<'_> {
    /// The mode of a GL constant; GL_INVALID_ENUM if it is none of this profile.
    fn draw_mode(&mut self, mode: GLenum) -> Option<Mode> {
        let legacy = !self.is_core();
        let found = match mode {
            GL_QUADS if legacy => Some(Mode::Quads),
            GL_QUAD_STRIP if legacy => Some(Mode::QuadStrip),
            GL_POLYGON if legacy => Some(Mode::Plain(Primitive::TRIANGLE_FAN)),
            // Patches came with GL 4.0.
            GL_PATCHES => None,
            m => Primitive::from_gl(m).map(Mode::Plain),
        };
        if found.is_none() {
            self.raise(GL_INVALID_ENUM);
        }
        found
    }

    /// The errors that every draw has in common: no vertex array (core), arrays in mapped buffers, primitives that the
    /// running transform feedback does not capture.
    fn arrays_may_be_drawn(&mut self, mode: Mode) -> bool {
        let nothing_bound = self.is_core() && self.ctx.vertex.is_default_bound();
        if nothing_bound || vertex::reads_mapped_buffer(self) || !self.may_be_captured(mode) {
            self.raise(GL_INVALID_OPERATION);
            return false;
        }
        true
    }

    /// Whether the running transform feedback, if there is one, captures such primitives.
    fn may_be_captured(&self, mode: Mode) -> bool {
        let feedback = &self.ctx.stream_output;
        if !feedback.is_active() {
            return true;
        }
        let program = self.ctx.programs.current();
        let executable = program.and_then(|id| self.share.programs.objects[id].executable());
        feedback.allows(mode.primitive(), executable.map(|e| &e.reflection))
    }

    /// Draws ranges of vertices: first and count of each.
    fn draw_arrays(
        &mut self,
        mode: GLenum,
        instances: GLsizei,
        base_instance: u32,
        parts: impl Iterator<Item = (GLint, GLsizei)>,
    ) {
        let Some(mode) = self.draw_mode(mode) else {
            return;
        };
        let mut ranges = std::mem::take(&mut self.ctx.tracker.vertex.ranges);
        ranges.clear();
        let mut legal = instances >= 0;
        for (i, (first, count)) in parts.enumerate() {
            legal &= first >= 0 && count >= 0;
            if count > 0 {
                ranges.push(DrawRange {
                    start: first as u32,
                    count: count as u32,
                    draw_id: i as u32,
                    ..DrawRange::default()
                });
            }
        }
        if !legal {
            self.raise(GL_INVALID_VALUE);
        } else if self.arrays_may_be_drawn(mode) {
            let source = self.lower_arrays(mode, &mut ranges);
            self.submit(
                mode.primitive(),
                source,
                instances as u32,
                base_instance,
                &ranges,
            );
        }
        self.ctx.tracker.vertex.ranges = ranges;
    }

    /// Rewrites ranges of modes that the pipe does not know.
    fn lower_arrays(&mut self, mode: Mode, ranges: &mut [DrawRange]) -> Source {
        match mode {
            Mode::Plain(_) => return Source::None,
            Mode::QuadStrip => {
                ranges.iter_mut().for_each(|r| r.count &= !1);
                return Source::None;
            }
            Mode::Quads => {}
        }
        let out = &mut self.ctx.tracker.vertex.indices;
        out.clear();
        for r in ranges.iter_mut() {
            let at = out.len() as u32 / 4;
            indices::quads_of_range(r.start, r.count, out);
            (r.start, r.count) = (at, out.len() as u32 / 4 - at);
        }
        Source::Copied(IndexType::U32)
    }

    /// Draws by index.
    fn draw_elements(
        &mut self,
        mode: GLenum,
        ty: GLenum,
        instances: GLsizei,
        base_instance: u32,
        parts: impl Iterator<Item = Part> + Clone,
    ) {
        let Some(mode) = self.draw_mode(mode) else {
            return;
        };
        if instances < 0 || parts.clone().any(|p| p.count < 0) {
            return self.raise(GL_INVALID_VALUE);
        }
        let Some(ty) = IndexType::from_gl(ty) else {
            return self.raise(GL_INVALID_ENUM);
        };
        let element_buffer = self.ctx.vertex.current().element_buffer();
        let mapped =
            element_buffer.is_some_and(|id| self.share.buffers.objects[id].mapping().is_some());
        if mapped || (element_buffer.is_none() && self.is_core()) {
            return self.raise(GL_INVALID_OPERATION);
        }
        if !self.arrays_may_be_drawn(mode) {
            return;
        }
        let mut ranges = std::mem::take(&mut self.ctx.tracker.vertex.ranges);
        ranges.clear();
        match self.locate_indices(mode, ty, element_buffer, parts, &mut ranges) {
            Some(source) => {
                self.submit(
                    mode.primitive(),
                    source,
                    instances as u32,
                    base_instance,
                    &ranges,
                );
            }
            None => self.raise(GL_OUT_OF_MEMORY),
        }
        self.ctx.tracker.vertex.ranges = ranges;
    }

    /// Fills the ranges, and copies indices that cannot be used where they are: in the program's memory, at odd offsets,
    /// or of modes that the pipe does not know. `None` for more than can be copied.
    fn locate_indices(
        &mut self,
        mode: Mode,
        ty: IndexType,
        buffer: Option<Id<Buffer>>,
        parts: impl Iterator<Item = Part> + Clone,
        ranges: &mut Vec<DrawRange>,
    ) -> Option<Source> {
        let size = u64::from(ty.size());
        let drawn = parts.enumerate().filter(|(_, p)| p.count > 0);
        let range = |id: usize, p: &Part, start: u32, count: u32| DrawRange {
            start,
            count,
            base_vertex: p.base_vertex,
            draw_id: id as u32,
        };
        let direct = mode != Mode::Quads && drawn.clone().all(|(_, p)| p.at % size == 0);
        let cut = |n: u32| if mode == Mode::QuadStrip { n & !1 } else { n };
        if let Some(id) = buffer.filter(|_| direct) {
            for (i, p) in drawn {
                // An offset beyond 32 bits is outside of every store: there is nothing to draw.
                if let Ok(start) = u32::try_from(p.at / size) {
                    ranges.push(range(i, &p, start, cut(p.count as u32)));
                }
            }
            return Some(Source::Buffer(id, ty));
        }
        let total: u64 = drawn.clone().map(|(_, p)| p.count as u64 * size).sum();
        if total > INDEX_LIMIT {
            return None;
        }
        if let Some(id) = buffer {
            self.share.buffers.objects[id].sync(self.pipe);
        }
        let restart = self.restart_index(ty);
        let out = &mut self.ctx.tracker.vertex.indices;
        out.clear();
        for (i, p) in drawn {
            let bytes: &[u8] = match buffer {
                Some(id) => {
                    let all = self.share.buffers.objects[id].bytes();
                    let from = usize::try_from(p.at).map_or(all.len(), |a| a.min(all.len()));
                    let rest = &all[from..];
                    let n = rest.len().min(p.count as usize * size as usize);
                    &rest[..n - n % size as usize]
                }
                None if p.at == 0 => continue,
                // SAFETY: without an element buffer the program gives the address of `count` indices.
                None => unsafe {
                    std::slice::from_raw_parts(p.at as *const u8, p.count as usize * size as usize)
                },
            };
            let unit = if mode == Mode::Quads { 4 } else { size as u32 };
            let start = out.len() as u32 / unit;
            if mode == Mode::Quads {
                indices::quads_of_indices(bytes, ty, restart, out);
            } else {
                out.extend_from_slice(bytes);
            }
            let count = out.len() as u32 / unit - start;
            ranges.push(range(i, &p, start, cut(count)));
        }
        Some(Source::Copied(match mode {
            Mode::Quads => IndexType::U32,
            _ => ty,
        }))
    }

    /// The restart index, when restart is on and an index of this type can be it.
    fn restart_index(&self, ty: IndexType) -> Option<u32> {
        let v = &self.ctx.vertex;
        (v.restart() && v.restart_index() <= ty.max()).then(|| v.restart_index())
    }

    /// Validates, copies client arrays, pushes.
    fn submit(
        &mut self,
        mode: Primitive,
        source: Source,
        instances: u32,
        base_instance: u32,
        ranges: &[DrawRange],
    ) {
        let shape = DrawShape {
            mode,
            indexed: source.ty().is_some(),
        };
        if instances == 0 || ranges.iter().all(|r| r.count == 0) {
            // Nothing is drawn, and what is wrong with the state is an error all the same.
            may_draw(self, &shape);
            return;
        }
        if self.ctx.queries.discards(self.pipe) {
            return;
        }
        if !validate_draw(self, &shape) {
            return;
        }
        let mut info = DrawInfo {
            mode,
            index_size: source.ty().map_or(0, IndexType::size),
            instances,
            base_instance,
            ..DrawInfo::default()
        };
        let mut flags =
            DrawFlags::NONE.with(DrawFlags::CAPTURING, self.ctx.stream_output.is_active());
        if let Some(r) = source.ty().and_then(|t| self.restart_index(t)) {
            flags = flags.with(DrawFlags::RESTART, true);
            info.restart_index = r;
        }
        match source {
            Source::None => {}
            Source::Copied(_) => flags = flags.with(DrawFlags::USER_INDICES, true),
            Source::Buffer(id, _) => {
                let handle = self.share.buffers.objects[id].handle();
                if handle.is_null() {
                    // A buffer without a store holds no index.
                    return;
                }
                vertex::validate_index_buffer(self, handle);
            }
        }
        let client = self.ctx.tracker.vertex.client_attributes();
        self.ctx.tracker.vertex.arrays.clear();
        if client != 0 {
            let Some(vertices) = self.vertex_extent(source, ranges, &mut info, &mut flags) else {
                return;
            };
            let extent = Extent {
                vertices,
                instances,
                base_instance,
            };
            let t = &mut self.ctx.tracker.vertex;
            // SAFETY: the program set these pointers and draws these elements.
            let copied = unsafe { t.arrays.gather(self.ctx.vertex.current(), client, extent) };
            if copied.is_err() {
                return self.raise(GL_OUT_OF_MEMORY);
            }
        }
        info.flags = flags;
        let t = &self.ctx.tracker.vertex;
        let copied = flags.has(DrawFlags::USER_INDICES);
        self.pipe.push(Call::DrawVbo {
            p: &info,
            indices: if copied { &t.indices } else { &[] },
            arrays: &t.arrays.bytes,
            ranges,
            user_arrays: &t.arrays.arrays,
        });
        crate::tracker::framebuffer::mark_drawn(self);
    }

    /// First and last vertex that a draw reads; of an indexed one, the bounds of its indices go into `info`. `None`
    /// when it reads none.
    fn vertex_extent(
        &mut self,
        source: Source,
        ranges: &[DrawRange],
        info: &mut DrawInfo,
        flags: &mut DrawFlags,
    ) -> Option<(u32, u32)> {
        let Some(ty) = source.ty() else {
            let drawn = ranges.iter().filter(|r| r.count > 0);
            return drawn.fold(None, |all, r| {
                let last = r.start.saturating_add(r.count - 1);
                indices::join(all, Some((r.start, last)))
            });
        };
        if let Source::Buffer(id, _) = source {
            self.share.buffers.objects[id].sync(self.pipe);
        }
        let bytes = match source {
            Source::Buffer(id, _) => self.share.buffers.objects[id].bytes(),
            _ => &self.ctx.tracker.vertex.indices,
        };
        let restart = self.restart_index(ty);
        let size = ty.size() as usize;
        let (mut plain, mut moved) = (None, None);
        for r in ranges {
            let from = (r.start as usize * size).min(bytes.len());
            let to = (from + r.count as usize * size).min(bytes.len());
            let Some((min, max)) = indices::bounds(&bytes[from..to], ty, restart) else {
                continue;
            };
            plain = indices::join(plain, Some((min, max)));
            // A sum outside of 32 bits is undefined in GL; here it ends at the edge.
            let at = |i: u32| {
                (i64::from(i) + i64::from(r.base_vertex)).clamp(0, i64::from(u32::MAX)) as u32
            };
            moved = indices::join(moved, Some((at(min), at(max))));
        }
        (info.min_index, info.max_index) = plain?;
        *flags = flags.with(DrawFlags::INDEX_BOUNDS, true);
        moved
    }
}

/// Parts of a multi-draw: `n` values at `p`.
///
/// # Safety
///
/// `p` leads to `n` values, which stay as they are while the iterator is used.
unsafe fn list<T: Copy>(p: *const T, n: GLsizei) -> impl Iterator<Item = T> + Clone {
    // SAFETY: inside the `n` values that the caller vouches for.
    (0..n.max(0) as usize).map(move |i| unsafe { p.add(i).read_unaligned() })
}

fn one(count: GLsizei, at: *const c_void, base_vertex: GLint) -> std::iter::Once<Part> {
    std::iter::once(Part {
        count,
        at: at as u64,
        base_vertex,
    })
}

gl_entry! {
    /// Draws vertices (GL 4.6 §10.4).
    fn glDrawArrays(gl, mode: GLenum, first: GLint, count: GLsizei) {
        gl.draw_arrays(mode, 1, 0, std::iter::once((first, count)))
    }

    /// Draws vertices, several times (GL 4.6 §10.4).
    fn glDrawArraysInstanced(
        gl, mode: GLenum, first: GLint, count: GLsizei, instancecount: GLsizei,
    ) {
        gl.draw_arrays(mode, instancecount, 0, std::iter::once((first, count)))
    }

    /// Draws vertices, several times, instances counted from a base (GL 4.6 §10.4).
    fn glDrawArraysInstancedBaseInstance(
        gl, mode: GLenum, first: GLint, count: GLsizei, instancecount: GLsizei,
        baseinstance: GLuint,
    ) {
        gl.draw_arrays(mode, instancecount, baseinstance, std::iter::once((first, count)))
    }

    /// Draws ranges of vertices (GL 4.6 §10.4).
    fn glMultiDrawArrays(
        gl, mode: GLenum, first: *const GLint, count: *const GLsizei, drawcount: GLsizei,
    ) {
        if drawcount < 0 {
            return gl.raise(GL_INVALID_VALUE);
        }
        // SAFETY: the program gives `drawcount` values of each.
        let parts = unsafe { list(first, drawcount).zip(list(count, drawcount)) };
        gl.draw_arrays(mode, 1, 0, parts)
    }

    /// Draws by index (GL 4.6 §10.4).
    fn glDrawElements(
        gl, mode: GLenum, count: GLsizei, r#type: GLenum, indices: *const c_void,
    ) {
        gl.draw_elements(mode, r#type, 1, 0, one(count, indices, 0))
    }

    /// Draws by index, with bounds of the indices (GL 4.6 §10.4), which are not relied on.
    fn glDrawRangeElements(
        gl, mode: GLenum, start: GLuint, end: GLuint, count: GLsizei, r#type: GLenum,
        indices: *const c_void,
    ) {
        if end < start {
            return gl.raise(GL_INVALID_VALUE);
        }
        gl.draw_elements(mode, r#type, 1, 0, one(count, indices, 0))
    }

    /// Draws by index, several times (GL 4.6 §10.4).
    fn glDrawElementsInstanced(
        gl, mode: GLenum, count: GLsizei, r#type: GLenum, indices: *const c_void,
        instancecount: GLsizei,
    ) {
        gl.draw_elements(mode, r#type, instancecount, 0, one(count, indices, 0))
    }

    /// Draws by index, several times, instances counted from a base (GL 4.6 §10.4).
    fn glDrawElementsInstancedBaseInstance(
        gl, mode: GLenum, count: GLsizei, r#type: GLenum, indices: *const c_void,
        instancecount: GLsizei, baseinstance: GLuint,
    ) {
        gl.draw_elements(mode, r#type, instancecount, baseinstance, one(count, indices, 0))
    }

    /// Draws by index, a number added to each (GL 4.6 §10.4).
    fn glDrawElementsBaseVertex(
        gl, mode: GLenum, count: GLsizei, r#type: GLenum, indices: *const c_void,
        basevertex: GLint,
    ) {
        gl.draw_elements(mode, r#type, 1, 0, one(count, indices, basevertex))
    }

    /// Draws by index, a number added to each, with bounds of the indices (GL 4.6 §10.4).
    fn glDrawRangeElementsBaseVertex(
        gl, mode: GLenum, start: GLuint, end: GLuint, count: GLsizei, r#type: GLenum,
        indices: *const c_void, basevertex: GLint,
    ) {
        if end < start {
            return gl.raise(GL_INVALID_VALUE);
        }
        gl.draw_elements(mode, r#type, 1, 0, one(count, indices, basevertex))
    }

    /// Draws by index, several times, a number added to each (GL 4.6 §10.4).
    fn glDrawElementsInstancedBaseVertex(
        gl, mode: GLenum, count: GLsizei, r#type: GLenum, indices: *const c_void,
        instancecount: GLsizei, basevertex: GLint,
    ) {
        gl.draw_elements(mode, r#type, instancecount, 0, one(count, indices, basevertex))
    }

    /// Draws by index, several times, with both bases (GL 4.6 §10.4).
    fn glDrawElementsInstancedBaseVertexBaseInstance(
        gl, mode: GLenum, count: GLsizei, r#type: GLenum, indices: *const c_void,
        instancecount: GLsizei, basevertex: GLint, baseinstance: GLuint,
    ) {
        let part = one(count, indices, basevertex);
        gl.draw_elements(mode, r#type, instancecount, baseinstance, part)
    }

    /// Draws ranges of indices (GL 4.6 §10.4).
    fn glMultiDrawElements(
        gl, mode: GLenum, count: *const GLsizei, r#type: GLenum, indices: *const *const c_void,
        drawcount: GLsizei,
    ) {
        if drawcount < 0 {
            return gl.raise(GL_INVALID_VALUE);
        }
        // SAFETY: the program gives `drawcount` values of each.
        let parts = unsafe { list(count, drawcount).zip(list(indices, drawcount)) };
        let parts = parts.map(|(count, at)| Part { count, at: at as u64, base_vertex: 0 });
        gl.draw_elements(mode, r#type, 1, 0, parts)
    }

    /// Draws ranges of indices, a number added to those of each (GL 4.6 §10.4).
    fn glMultiDrawElementsBaseVertex(
        gl, mode: GLenum, count: *const GLsizei, r#type: GLenum, indices: *const *const c_void,
        drawcount: GLsizei, basevertex: *const GLint,
    ) {
        if drawcount < 0 {
            return gl.raise(GL_INVALID_VALUE);
        }
        // SAFETY: the program gives `drawcount` values of each.
        let parts = unsafe {
            list(count, drawcount).zip(list(indices, drawcount)).zip(list(basevertex, drawcount))
        };
        let parts = parts.map(|((count, at), base_vertex)| Part {
            count,
            at: at as u64,
            base_vertex,
        });
        gl.draw_elements(mode, r#type, 1, 0, parts)
    }
}
