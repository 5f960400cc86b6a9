//! Clears of the bound draw framebuffer, under the pushed masks and scissor.

use super::work::Work;
use glow::HasContext;
use mgl_core::pipe::*;

impl Work<'_> {
    /// Clears.
    ///
    /// # Errors
    ///
    /// As for binding the framebuffer.
    pub fn clear(&mut self, s: &PushedState, c: &Clear) -> Result<(), BackendError> {
        self.bind_draw_framebuffer(s)?;
        self.follow_render_state(s, false)?;
        let gl = &self.dev.gl.glow;
        let bound = self.ctx.framebuffers.draw_bound;
        let (depth, stencil) = (
            c.buffers.has(BufferMask::DEPTH) && bound.depth.is_some(),
            c.buffers.has(BufferMask::STENCIL) && bound.stencil.is_some(),
        );
        let reference = (c.stencil & 0xFF) as i32;
        // SAFETY: the context is current with a complete framebuffer; draw buffers are below eight.
        unsafe {
            for i in 0..bound.draw_buffers.min(MAX_COLOR_ATTACHMENTS as u32) {
                if !c.buffers.has(BufferMask::color(i as usize)) {
                    continue;
                }
                self.dev.tally.clear_calls.one();
                match c.color_type {
                    ValueType::INT => {
                        let v = c.color.map(|v| v as i32);
                        gl.clear_buffer_i32_slice(glow::COLOR, i, &v);
                    }
                    ValueType::UINT => gl.clear_buffer_u32_slice(glow::COLOR, i, &c.color),
                    _ => {
                        let v = c.color.map(f32::from_bits);
                        gl.clear_buffer_f32_slice(glow::COLOR, i, &v);
                    }
                }
            }
            self.dev.tally.clear_calls.add(u64::from(depth || stencil));
            match (depth, stencil) {
                (true, true) => {
                    gl.clear_buffer_depth_stencil(glow::DEPTH_STENCIL, 0, c.depth.0, reference);
                }
                (true, false) => gl.clear_buffer_f32_slice(glow::DEPTH, 0, &[c.depth.0]),
                (false, true) => gl.clear_buffer_i32_slice(glow::STENCIL, 0, &[reference]),
                (false, false) => {}
            }
        }
        Ok(())
    }
}
