//! glPushClientAttrib and glPopClientAttrib (GL 3.3 compatibility §6.1.21): pixel store modes and vertex arrays.
//!
//! Buffers are kept by name, so that one that is deleted meanwhile is not bound again.

use super::arrays::Set;
use crate::consts::gl::*;
use crate::context::Gl;
use crate::gl::entry::gl_entry;
use crate::gl::limits::MAX_VERTEX_ATTRIBS;
use crate::gl::types::*;
use crate::pixel::PixelStore;
use crate::state::Id;
use crate::state::buffer::{Buffer, BufferTarget};
use crate::state::vertex_array::AttribArray;

/// GL_MAX_CLIENT_ATTRIB_STACK_DEPTH.
pub const DEPTH: usize = 16;

/// State of the vertex array group.
struct Arrays {
    name: GLuint,
    enabled: u32,
    /// Arrays with the names of their buffers, without the buffers themselves.
    attribs: [(AttribArray, GLuint); MAX_VERTEX_ATTRIBS as usize],
    elements: GLuint,
    array_buffer: GLuint,
    restart: (bool, u32),
    legacy: Set,
    unit: usize,
}

/// What one glPushClientAttrib kept.
pub struct Saved {
    pixels: Option<[(PixelStore, GLuint); 2]>,
    arrays: Option<Box<Arrays>>,
}

const PIXEL_BUFFERS: [BufferTarget; 2] = [BufferTarget::PixelUnpack, BufferTarget::PixelPack];

fn name(gl: &Gl<'_>, id: Option<Id<Buffer>>) -> GLuint {
    id.map_or(0, |id| gl.share.buffers.objects[id].name())
}

fn save(gl: &Gl<'_>, mask: GLbitfield) -> Saved {
    let pixels = (mask & GL_CLIENT_PIXEL_STORE_BIT != 0).then(|| {
        let stores = [
            *gl.ctx.textures.unpack_store(),
            *gl.ctx.textures.pack_store(),
        ];
        std::array::from_fn(|i| (stores[i], name(gl, gl.ctx.buffers.bound(PIXEL_BUFFERS[i]))))
    });
    let arrays = (mask & GL_CLIENT_VERTEX_ARRAY_BIT != 0).then(|| {
        let v = gl.ctx.vertex.current();
        Box::new(Arrays {
            name: v.name(),
            enabled: v.enabled(),
            attribs: v
                .attribs()
                .map(|a| (AttribArray { buffer: None, ..a }, name(gl, a.buffer))),
            elements: name(gl, v.element_buffer()),
            array_buffer: name(gl, gl.ctx.buffers.bound(BufferTarget::Array)),
            restart: (gl.ctx.vertex.restart(), gl.ctx.vertex.restart_index()),
            legacy: gl.ctx.legacy.arrays.of(v.name()),
            unit: gl.ctx.legacy.arrays.unit,
        })
    });
    Saved { pixels, arrays }
}

fn restore(gl: &mut Gl<'_>, s: &Saved) {
    if let Some(pixels) = &s.pixels {
        gl.ctx
            .textures
            .set_unpack_store(pixels[0].0, gl.gens.touch());
        gl.ctx.textures.set_pack_store(pixels[1].0, gl.gens.touch());
        for (target, (_, name)) in PIXEL_BUFFERS.into_iter().zip(pixels) {
            let id = gl.share.buffers.id(*name);
            gl.ctx.buffers.bind(gl.gens.touch(), target, id);
        }
    }
    let Some(a) = &s.arrays else { return };
    let id = gl.share.buffers.id(a.array_buffer);
    gl.ctx
        .buffers
        .bind(gl.gens.touch(), BufferTarget::Array, id);
    gl.ctx.vertex.set_restart(gl.gens.touch(), a.restart.0);
    gl.ctx
        .vertex
        .set_restart_index(gl.gens.touch(), a.restart.1);
    gl.ctx.legacy.arrays.unit = a.unit;
    // A vertex array that was deleted does not come back (GL 3.3 compatibility §2.10).
    if a.name != gl.ctx.vertex.current().name() && !gl.ctx.vertex.bind(gl.gens.touch(), a.name) {
        return;
    }
    gl.ctx.legacy.arrays.replace(a.name, a.legacy);
    for (i, (array, buffer)) in (0..).zip(&a.attribs) {
        let buffer = gl.share.buffers.id(*buffer);
        let v = gl.ctx.vertex.current_mut();
        v.set_array(gl.gens.touch(), i, AttribArray { buffer, ..*array });
        v.enable(gl.gens.touch(), i, a.enabled >> i & 1 != 0);
    }
    let elements = gl.share.buffers.id(a.elements);
    gl.ctx
        .vertex
        .current_mut()
        .set_element_buffer(gl.gens.touch(), elements);
}

gl_entry! {
    /// Keeps groups of client state (GL 3.3 compatibility §6.1.21); GL_STACK_OVERFLOW when the stack is full.
    fn glPushClientAttrib(gl, mask: GLbitfield) {
        let Some(state) = gl.legacy() else { return };
        if state.client_attribs.len() == DEPTH {
            return gl.raise(GL_STACK_OVERFLOW);
        }
        let saved = save(gl, mask);
        gl.ctx.legacy.client_attribs.push(saved);
    }
    /// Brings back what the last glPushClientAttrib kept; GL_STACK_UNDERFLOW when there is none.
    fn glPopClientAttrib(gl) {
        let Some(state) = gl.legacy() else { return };
        match state.client_attribs.pop() {
            Some(saved) => restore(gl, &saved),
            None => gl.raise(GL_STACK_UNDERFLOW),
        }
    }
}
