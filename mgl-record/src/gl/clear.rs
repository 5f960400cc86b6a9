//! Clears (GL 3.3 §4.2.3; GL 4.6 §17.4.3). All become the pipe's Clear.

use super::entry::{api_entry, enter_gl, gl_entry};
use super::types::*;
use crate::consts::gl::*;
use crate::context::Gl;
use crate::tracker;
use mgl_core::pipe::{BufferMask, Call, Clear, NO_BUFFER, ValueType};
use mgl_core::pod::F32;

/// Components to read of a colour, depth or stencil value.
#[derive(Clone, Copy)]
struct What {
    buffer: GLenum,
    draw_buffer: GLint,
}

impl Gl<'_> {
    /// glClear, with the context's clear values.
    fn clear(&mut self, mask: GLbitfield) {
        let known = GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT;
        let accum = if self.is_core() {
            0
        } else {
            GL_ACCUM_BUFFER_BIT
        };
        if mask & !(known | accum) != 0 {
            return self.raise(GL_INVALID_VALUE);
        }
        let v = self.ctx.clear;
        let mut buffers = BufferMask::NONE;
        if mask & GL_COLOR_BUFFER_BIT != 0 {
            buffers |= BufferMask(0xFF);
        }
        if mask & GL_DEPTH_BUFFER_BIT != 0 {
            buffers |= BufferMask::DEPTH;
        }
        if mask & GL_STENCIL_BUFFER_BIT != 0 {
            buffers |= BufferMask::STENCIL;
        }
        self.push_clear(Clear {
            buffers,
            color_type: v.color_type,
            color: v.color,
            depth: F32(v.depth as f32),
            stencil: v.stencil as u32,
            ..Clear::default()
        })
    }

    /// Pushes a clear of those of `buffers` that exist, after state was validated.
    fn push_clear(&mut self, mut clear: Clear) {
        if self.ctx.queries.discards(self.pipe) || !tracker::validate_clear(self) {
            return;
        }
        if clear.buffers.has(BufferMask::COLOR0) && tracker::framebuffer::draws_both(self) {
            clear.buffers = clear.buffers.with(BufferMask::color(1), true);
        }
        let fb = tracker::framebuffer::draw_state(self);
        let mut exist = BufferMask::NONE
            .with(BufferMask::DEPTH, !fb.depth.resource.is_null())
            .with(BufferMask::STENCIL, !fb.stencil.resource.is_null());
        for (i, b) in fb.draw_buffers.iter().enumerate() {
            let attached = *b != NO_BUFFER && !fb.color[*b as usize].resource.is_null();
            exist = exist.with(BufferMask::color(i), attached);
        }
        clear.buffers = BufferMask(clear.buffers.0 & exist.0);
        if clear.buffers.is_empty() {
            return;
        }
        self.pipe.push(Call::Clear { p: &clear });
        tracker::framebuffer::mark_drawn(self);
    }

    fn clear_value(&mut self, what: What, allowed: GLenum, ty: ValueType, bits: [u32; 4]) {
        let mut c = Clear {
            color_type: ty,
            ..Clear::default()
        };
        match (what.buffer, what.draw_buffer) {
            (GL_COLOR, i) if (0..super::limits::MAX_DRAW_BUFFERS as i32).contains(&i) => {
                c.buffers = BufferMask::color(i as usize);
                c.color = bits;
            }
            (b, 0) if b == allowed && b == GL_DEPTH => {
                c.buffers = BufferMask::DEPTH;
                c.depth = F32(f32::from_bits(bits[0]).clamp(0.0, 1.0));
            }
            (b, 0) if b == allowed && b == GL_STENCIL => {
                c.buffers = BufferMask::STENCIL;
                c.stencil = bits[0];
            }
            (b, _) if b == GL_COLOR || b == allowed => return self.raise(GL_INVALID_VALUE),
            _ => return self.raise(GL_INVALID_ENUM),
        }
        self.push_clear(c);
    }
}

/// Reads `N` values of four bytes as bits; the rest is zero.
///
/// # Safety
///
/// `from` has `n` values.
unsafe fn read_bits<T>(from: *const T, n: usize) -> [u32; 4] {
    const { assert!(size_of::<T>() == 4) }
    let mut bits = [0; 4];
    if !from.is_null() {
        // SAFETY: by this function's contract; values of four bytes are read as bits.
        unsafe { std::ptr::copy_nonoverlapping(from.cast::<u32>(), bits.as_mut_ptr(), n) }
    }
    bits
}

fn components(buffer: GLenum) -> usize {
    if buffer == GL_COLOR { 4 } else { 1 }
}

gl_entry! {
    /// Clear colour of integer buffers (EXT_texture_integer).
    fn glClearColorIiEXT(gl, red: GLint, green: GLint, blue: GLint, alpha: GLint) {
        gl.ctx.clear.color = [red, green, blue, alpha].map(|c| c as u32);
        gl.ctx.clear.color_type = ValueType::INT;
    }
    /// Clear colour of unsigned integer buffers (EXT_texture_integer).
    fn glClearColorIuiEXT(gl, red: GLuint, green: GLuint, blue: GLuint, alpha: GLuint) {
        gl.ctx.clear.color = [red, green, blue, alpha];
        gl.ctx.clear.color_type = ValueType::UINT;
    }
    /// Clears a colour or depth buffer with floats (GL 4.6 §17.4.3.1).
    fn glClearBufferfv(gl, buffer: GLenum, drawbuffer: GLint, value: *const GLfloat) {
        // SAFETY: the caller gives four values for a colour, one for a depth; so below.
        let bits = unsafe { read_bits(value, components(buffer)) };
        gl.clear_value(What { buffer, draw_buffer: drawbuffer }, GL_DEPTH, ValueType::FLOAT, bits)
    }
    /// Clears a signed integer colour or a stencil buffer.
    fn glClearBufferiv(gl, buffer: GLenum, drawbuffer: GLint, value: *const GLint) {
        // SAFETY: as above.
        let bits = unsafe { read_bits(value, components(buffer)) };
        gl.clear_value(What { buffer, draw_buffer: drawbuffer }, GL_STENCIL, ValueType::INT, bits)
    }
    /// Clears an unsigned integer colour buffer.
    fn glClearBufferuiv(gl, buffer: GLenum, drawbuffer: GLint, value: *const GLuint) {
        if buffer != GL_COLOR { return gl.raise(GL_INVALID_ENUM) }
        // SAFETY: as above.
        let bits = unsafe { read_bits(value, 4) };
        gl.clear_value(What { buffer, draw_buffer: drawbuffer }, GL_NONE, ValueType::UINT, bits)
    }
    /// Clears depth and stencil together.
    fn glClearBufferfi(gl, buffer: GLenum, drawbuffer: GLint, depth: GLfloat, stencil: GLint) {
        if buffer != GL_DEPTH_STENCIL { return gl.raise(GL_INVALID_ENUM) }
        if drawbuffer != 0 { return gl.raise(GL_INVALID_VALUE) }
        gl.push_clear(Clear {
            buffers: BufferMask::DEPTH | BufferMask::STENCIL,
            depth: F32(depth.clamp(0.0, 1.0)),
            stencil: stencil as u32,
            ..Clear::default()
        })
    }
}

api_entry! {
    /// Clears buffers of the draw framebuffer (GL 4.6 §17.4.3), which has the size of its window by now.
    fn glClear(mask: GLbitfield) {
        crate::winsys::follow_windows();
        enter_gl("glClear", |gl| gl.clear(mask))
    }
}
