//! Vertex input: elements, buffers, current values, index buffer (design: pipe contract 3.5).
//!
//! One binding point an attribute: an element's place inside the vertex is part of the buffer's offset, so that the
//! CSO depends on formats and strides alone and moving through a streaming buffer mints nothing.

use super::client_arrays::{ClientArrays, bits};
use super::elements::ElementsCache;
use crate::context::Gl;
use crate::pipe::Pipe;
use crate::state::dirty::{AttribValues, Buffers, Mappings, VertexArrays};
use crate::state::vertex_array::MAX_ATTRIBS;
use mgl_core::handle::BufferHandle;
use mgl_core::pipe::{
    AttribValue, Call, DrawRange, Group, IndexBuffer, SetVertexAttribDefaults, SetVertexBuffers,
    VertexAttrib, VertexBinding, VertexBuffer, VertexElements,
};

/// Generations at which arrays were last resolved, and for which attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Seen {
    arrays: u64,
    buffers: u64,
    values: u64,
    attributes: u32,
}

/// What the tracker remembers of a context's vertex input.
#[derive(Default)]
pub struct VertexTracker {
    seen: Seen,
    elements: ElementsCache,
    /// Attributes that client arrays feed, as last resolved.
    client: u32,
    /// Generations at which no enabled array was in a mapped buffer.
    unmapped: (u64, u64),
    attribs: Vec<VertexAttrib>,
    bindings: Vec<VertexBinding>,
    buffers: Vec<VertexBuffer>,
    values: Vec<AttribValue>,
    /// Memory of draws: ranges.
    pub ranges: Vec<DrawRange>,
    /// Memory of draws: user indices.
    pub indices: Vec<u8>,
    /// Memory of draws: client arrays.
    pub arrays: ClientArrays,
}

impl VertexTracker {
    /// Attributes that the last validated draw takes from client arrays.
    #[inline]
    #[must_use]
    pub fn client_attributes(&self) -> u32 {
        self.client
    }

    /// Ends the CSOs it made.
    pub fn destroy(&mut self, pipe: &mut Pipe) {
        self.elements.destroy(pipe);
        self.forget();
    }

    /// Forgets what was resolved; the next draw compares everything with what was pushed.
    pub fn forget(&mut self) {
        self.seen = Seen::default();
        self.unmapped = (0, 0);
    }
}

/// Resolves and pushes what a draw reads of vertex arrays and current values. `attributes` has a bit a location that the
/// program reads. False when the context is gone from the pipe.
pub fn validate(gl: &mut Gl<'_>, attributes: u32) -> bool {
    let now = Seen {
        arrays: gl.gens.of::<VertexArrays>(),
        buffers: gl.gens.of::<Buffers>(),
        values: gl.gens.of::<AttribValues>(),
        attributes,
    };
    if gl.ctx.tracker.vertex.seen == now {
        return true;
    }
    collect(gl, attributes);
    let t = &mut gl.ctx.tracker.vertex;
    let elements = t.elements.get(gl.pipe, &t.attribs, &t.bindings);
    let Some(pushed) = gl.pipe.emitted(gl.ctx.handle) else {
        return false;
    };
    let v = &pushed.values;
    // Compared with what was emitted, as it is now: a destroyed buffer leaves every group that was pushed by itself, and a
    // group that was never pushed is not there to be read.
    let stale = |group: Group, same: bool| !(same && pushed.was_pushed(group));
    let elements_stale = stale(Group::VertexElements, v.vertex_elements == elements);
    let buffers_stale = stale(Group::VertexBuffers, v.vertex_buffers == t.buffers);
    let values_stale = stale(Group::AttribDefaults, v.attrib_defaults == t.values);
    if elements_stale {
        gl.pipe.push(Call::BindVertexElements {
            p: &VertexElements {
                vertex_elements: elements,
            },
        });
    }
    if buffers_stale {
        gl.pipe.push(Call::SetVertexBuffers {
            p: &SetVertexBuffers::default(),
            buffers: &t.buffers,
        });
    }
    if values_stale {
        gl.pipe.push(Call::SetVertexAttribDefaults {
            p: &SetVertexAttribDefaults::default(),
            values: &t.values,
        });
    }
    t.seen = now;
    true
}

/// Fills the lists that the draw is to see.
fn collect(gl: &mut Gl<'_>, attributes: u32) {
    let t = &mut gl.ctx.tracker.vertex;
    let vao = gl.ctx.vertex.current();
    t.attribs.clear();
    t.bindings.clear();
    t.buffers.clear();
    t.values.clear();
    t.client = 0;
    for location in bits(attributes) {
        let a = &vao.attribs()[location as usize];
        let enabled = vao.enabled() >> location & 1 != 0;
        let source = match a.buffer {
            Some(id) => {
                let h = gl.share.buffers.objects[id].handle();
                (!h.is_null()).then_some((h, a.pointer))
            }
            None => (a.pointer != 0).then_some((BufferHandle::NULL, 0)),
        };
        // An array without a store or address feeds nothing; GL leaves the value open, the current one is harmless.
        let Some((buffer, offset)) = source.filter(|_| enabled) else {
            t.values.push(gl.ctx.vertex.values()[location as usize]);
            continue;
        };
        if buffer.is_null() {
            t.client |= 1 << location;
        }
        t.attribs.push(VertexAttrib {
            location,
            binding: location,
            components: a.components,
            ty: a.ty,
            class: a.class,
            bgra: a.bgra.into(),
            ..VertexAttrib::default()
        });
        t.bindings.push(VertexBinding {
            binding: location,
            stride: a.step(),
            divisor: a.divisor,
            ..VertexBinding::default()
        });
        t.buffers.push(VertexBuffer {
            buffer,
            offset,
            binding: location,
            stride: a.step(),
        });
    }
}

/// Pushes the index buffer of an indexed draw, if it is another than the pipe has.
pub fn validate_index_buffer(gl: &mut Gl<'_>, buffer: BufferHandle) {
    let p = IndexBuffer { buffer };
    let same = gl
        .pipe
        .emitted(gl.ctx.handle)
        .is_some_and(|c| c.values.index_buffer == p && c.was_pushed(Group::IndexBuffer));
    if !same {
        gl.pipe.push(Call::SetIndexBuffer { p: &p });
    }
}

/// Whether an enabled array is in a mapped buffer: no draw may read it then (GL 4.6 §6.3.2).
pub fn reads_mapped_buffer(gl: &mut Gl<'_>) -> bool {
    let now = (gl.gens.of::<VertexArrays>(), gl.gens.of::<Mappings>());
    if gl.ctx.tracker.vertex.unmapped == now {
        return false;
    }
    let vao = gl.ctx.vertex.current();
    let mapped = bits(vao.enabled()).any(|l| {
        let id = vao.attribs()[l as usize].buffer;
        id.is_some_and(|id| gl.share.buffers.objects[id].mapping().is_some())
    });
    if !mapped {
        gl.ctx.tracker.vertex.unmapped = now;
    }
    mapped
}

/// All attributes that there are.
pub const ALL_ATTRIBUTES: u32 = (1 << MAX_ATTRIBS) - 1;
