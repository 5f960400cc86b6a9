//! Blits between framebuffers, and giving up their content (GL 4.6 §18.3, §17.4.4).

use super::entry::gl_entry;
use super::framebuffer::side;
use super::texture::{Checked, names};
use super::types::*;
use crate::consts::gl::*;
use crate::context::Gl;
use crate::pixel::Resolved;
use crate::tracker::framebuffer;
use mgl_core::format::{ComponentClass, Format};
use mgl_core::pipe::{Blit, BufferMask, Call, Filter, FramebufferState, NO_BUFFER, Rect};

/// Kind of colours, for the rules about what may be copied to what.
fn kind(format: Format) -> Option<u8> {
    Some(match Resolved::of_format(format)?.class() {
        ComponentClass::Sint => 1,
        ComponentClass::Uint => 2,
        _ => 0,
    })
}

/// What has to be alike for depth to be copied: a stencil part beside it does not matter.
fn depth_bits(format: Format) -> Option<u8> {
    // 32 bits are always floats, fewer never.
    format.info().map(|i| i.bits.depth)
}

/// What has to be alike for stencil values to be copied.
fn stencil_bits(format: Format) -> Option<u8> {
    format.info().map(|i| i.bits.stencil)
}

/// Formats of the colour buffers that the draw framebuffer's draw buffers name.
fn drawn(f: &FramebufferState) -> impl Iterator<Item = Format> {
    f.draw_buffers
        .iter()
        .filter(|&&i| i != NO_BUFFER)
        .filter_map(|&i| f.color.get(i as usize))
        .map(|a| a.format)
}

/// The buffers of a mask that both framebuffers have: others are ignored (GL 4.6 §18.3.1).
fn present(mask: GLbitfield, r: &FramebufferState, d: &FramebufferState) -> BufferMask {
    let has = |bit: GLbitfield, a: bool, b: bool| mask & bit != 0 && a && b;
    let color = has(
        GL_COLOR_BUFFER_BIT,
        !r.read.resource.is_null(),
        drawn(d).next().is_some(),
    );
    let depth = has(
        GL_DEPTH_BUFFER_BIT,
        !r.depth.resource.is_null(),
        !d.depth.resource.is_null(),
    );
    let stencil = has(
        GL_STENCIL_BUFFER_BIT,
        !r.stencil.resource.is_null(),
        !d.stencil.resource.is_null(),
    );
    BufferMask::NONE
        .with(BufferMask::COLOR0, color)
        .with(BufferMask::DEPTH, depth)
        .with(BufferMask::STENCIL, stencil)
}

pub(crate) fn blit(
    gl: &mut Gl<'_>,
    src: Rect,
    dst: Rect,
    mask: GLbitfield,
    filter: GLenum,
) -> Checked {
    let all = GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT;
    if mask & !all != 0 {
        return Err(GL_INVALID_VALUE);
    }
    let filter = Filter::from_gl(filter).ok_or(GL_INVALID_ENUM)?;
    if filter == Filter::LINEAR && mask & !GL_COLOR_BUFFER_BIT != 0 {
        return Err(GL_INVALID_OPERATION);
    }
    framebuffer::validate(gl, true, true)?;
    let (r, d) = (framebuffer::read_state(gl), framebuffer::draw_state(gl));
    let buffers = present(mask, r, d);
    if buffers.has(BufferMask::COLOR0) {
        let from = kind(r.read.format);
        if drawn(d).any(|f| kind(f) != from) || (from != Some(0) && filter == Filter::LINEAR) {
            return Err(GL_INVALID_OPERATION);
        }
    }
    let depth =
        buffers.has(BufferMask::DEPTH) && depth_bits(r.depth.format) != depth_bits(d.depth.format);
    let stencil = buffers.has(BufferMask::STENCIL)
        && stencil_bits(r.stencil.format) != stencil_bits(d.stencil.format);
    if depth || stencil {
        return Err(GL_INVALID_OPERATION);
    }
    let (from, to) = (r.samples.max(1), d.samples.max(1));
    let size = |b: &Rect| {
        let span = |p: i32, q: i32| i64::from(q) - i64::from(p);
        (span(b.x0, b.x1).abs(), span(b.y0, b.y1).abs())
    };
    // Samples are resolved, spread or kept, never scaled.
    if (from > 1 || to > 1) && size(&src) != size(&dst) {
        return Err(GL_INVALID_OPERATION);
    }
    if from > 1 && to > 1 && from != to {
        return Err(GL_INVALID_OPERATION);
    }
    if buffers.is_empty() || gl.ctx.queries.discards(gl.pipe) {
        return Ok(());
    }
    crate::tracker::render::validate(gl);
    gl.pipe.push(Call::Blit {
        p: &Blit {
            src,
            dst,
            buffers,
            filter,
            ..Blit::default()
        },
    });
    framebuffer::mark_drawn(gl);
    Ok(())
}

/// Checks an invalidation. The content is kept, which is one of the things that undefined content can be.
fn invalidate(gl: &mut Gl<'_>, target: GLenum, list: &[GLenum]) -> Checked {
    let side = side(target)?;
    let object = gl.ctx.framebuffers.bound(side).is_some();
    for &a in list {
        let legal = if object {
            super::framebuffer::point(a)?;
            true
        } else {
            matches!(
                a,
                GL_COLOR
                    | GL_DEPTH
                    | GL_STENCIL
                    | GL_FRONT_LEFT
                    | GL_FRONT_RIGHT
                    | GL_BACK_LEFT
                    | GL_BACK_RIGHT
            )
        };
        if !legal {
            return Err(GL_INVALID_ENUM);
        }
    }
    Ok(())
}

gl_entry! {
    /// Copies pixels from the read to the draw framebuffer (GL 4.6 §18.3.1).
    fn glBlitFramebuffer(gl, srcX0: GLint, srcY0: GLint, srcX1: GLint, srcY1: GLint, dstX0: GLint, dstY0: GLint,
            dstX1: GLint, dstY1: GLint, mask: GLbitfield, filter: GLenum) {
        let src = Rect { x0: srcX0, y0: srcY0, x1: srcX1, y1: srcY1 };
        let dst = Rect { x0: dstX0, y0: dstY0, x1: dstX1, y1: dstY1 };
        let r = blit(gl, src, dst, mask, filter);
        gl.report(r)
    }
    /// Gives up the content of attachments (GL 4.6 §17.4.4).
    fn glInvalidateFramebuffer(gl, target: GLenum, numAttachments: GLsizei, attachments: *const GLenum) {
        // SAFETY: the caller vouches for the array.
        let r = unsafe { names(numAttachments, attachments) }.and_then(|list| invalidate(gl, target, list));
        gl.report(r)
    }
}
