//! Reading pixels back from the framebuffer (GL 4.6 §18.2).

use super::entry::gl_entry;
use super::texture::Checked;
use super::texture::transfer::{sink, touched};
use super::types::*;
use crate::consts::gl::*;
use crate::context::Gl;
use crate::pipe::Answer;
use crate::pixel::layout::Channel;
use crate::pixel::{ClientLayout, PackRules, PixelError, PixelStore, Resolved, pack, validate};
use crate::tracker::framebuffer;
use core::ffi::c_void;
use mgl_core::format::{ComponentClass, Format};
use mgl_core::pipe::{BufferMask, Call, ClampColor, ReadPixels, Reply};

/// A rectangle of the framebuffer, and where its part inside the framebuffer lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clipped {
    /// First column and row inside.
    pub x: u32,
    /// First row inside.
    pub y: u32,
    /// Columns inside.
    pub width: u32,
    /// Rows inside.
    pub height: u32,
    /// Columns of the rectangle before the first one inside.
    pub skip_x: u32,
    /// Rows of the rectangle before the first one inside.
    pub skip_y: u32,
}

/// The part of a rectangle inside a framebuffer of `limit` pixels; `None` where there is none.
#[must_use]
pub fn clip(x: i32, y: i32, width: u32, height: u32, limit: (u32, u32)) -> Option<Clipped> {
    let span = |at: i32, n: u32, limit: u32| -> Option<(u32, u32, u32)> {
        let (start, end) = (i64::from(at), i64::from(at) + i64::from(n));
        let (a, b) = (start.max(0), end.min(i64::from(limit)));
        (a < b).then_some((a as u32, (b - a) as u32, (a - start) as u32))
    };
    let (x, width, skip_x) = span(x, width, limit.0)?;
    let (y, height, skip_y) = span(y, height, limit.1)?;
    Some(Clipped {
        x,
        y,
        width,
        height,
        skip_x,
        skip_y,
    })
}

/// Which buffers a pixel format reads, and the format that they have.
///
/// # Errors
///
/// `GL_INVALID_OPERATION` where the framebuffer has no such buffer.
pub fn readable(gl: &Gl<'_>, layout: &ClientLayout) -> Checked<(Format, BufferMask)> {
    let fb = framebuffer::read_state(gl);
    let (attachment, buffers) = match layout.channels() {
        [Channel::Depth, Channel::Stencil] => {
            if fb.depth.resource.is_null() || fb.stencil.resource.is_null() {
                return Err(GL_INVALID_OPERATION);
            }
            (&fb.depth, BufferMask::DEPTH | BufferMask::STENCIL)
        }
        [Channel::Depth] => (&fb.depth, BufferMask::DEPTH),
        [Channel::Stencil] => (&fb.stencil, BufferMask::STENCIL),
        _ => (&fb.read, BufferMask::COLOR0),
    };
    if attachment.resource.is_null() {
        return Err(GL_INVALID_OPERATION);
    }
    Ok((attachment.format, buffers))
}

/// Makes the read framebuffer ready, and refuses one whose pixels have samples (GL 4.6 §18.2.2).
///
/// # Errors
///
/// `GL_INVALID_FRAMEBUFFER_OPERATION`, or `GL_INVALID_OPERATION` for a multisample framebuffer object. A multisample
/// default framebuffer is resolved by the back end.
pub fn ready(gl: &mut Gl<'_>) -> Checked {
    framebuffer::validate(gl, false, true)?;
    let fb = framebuffer::read_state(gl);
    if fb.samples > 1 && fb.framebuffer != mgl_core::handle::FramebufferHandle::DEFAULT {
        return Err(GL_INVALID_OPERATION);
    }
    Ok(())
}

/// Asks for pixels inside the framebuffer: tight rows in the transfer layout of `format`. `None` where the back end
/// failed, which has left its error, and where the entry point is to be left.
pub fn ask(gl: &mut Gl<'_>, at: &Clipped, format: Format, buffers: BufferMask) -> Option<Vec<u8>> {
    let p = ReadPixels {
        x: at.x as i32,
        y: at.y as i32,
        width: at.width,
        height: at.height,
        format,
        buffers,
        ..ReadPixels::default()
    };
    match gl.pipe.ask_apart(Call::ReadPixels { p: &p }) {
        Answer::Reply(Reply::Bytes(b)) => Some(b),
        _ => None,
    }
}

/// Whether colours that are read are clamped to 0 and 1 (GL 4.6 §18.2.6).
fn clamps(gl: &Gl<'_>, resolved: &Resolved) -> bool {
    match gl.ctx.render.dynamic().output.clamp_read_color {
        ClampColor::TRUE => !resolved.is_integer(),
        ClampColor::FIXED_ONLY => matches!(
            resolved.class(),
            ComponentClass::Unorm | ComponentClass::Snorm
        ),
        _ => false,
    }
}

/// Arguments of glReadPixels.
struct Args {
    x: GLint,
    y: GLint,
    width: GLsizei,
    height: GLsizei,
    format: GLenum,
    ty: GLenum,
    size: Option<GLsizei>,
    pixels: *mut c_void,
}

fn read_pixels(gl: &mut Gl<'_>, a: &Args) -> Checked {
    let layout =
        validate::transfer(a.format, a.ty, gl.pixel_profile()).map_err(PixelError::gl_error)?;
    let n = |v: GLsizei| u32::try_from(v).map_err(|_| GL_INVALID_VALUE);
    let (width, height) = (n(a.width)?, n(a.height)?);
    ready(gl)?;
    let (format, buffers) = readable(gl, &layout)?;
    let resolved = Resolved::of_format(format).ok_or(GL_INVALID_OPERATION)?;
    validate::read(&resolved, a.format, a.ty, gl.pixel_profile()).map_err(PixelError::gl_error)?;
    let store = gl.ctx.textures.pack_store().without_images();
    let whole = touched(&layout, &store, [width, height, 1])?;
    let out = sink(gl, a.pixels, &whole, layout.element_bytes(), a.size)?;
    let fb = framebuffer::read_state(gl);
    let Some(inside) = clip(a.x, a.y, width, height, (fb.width, fb.height)) else {
        return Ok(());
    };
    let Some(bytes) = ask(gl, &inside, format, buffers) else {
        return Ok(());
    };
    // Only what is inside is written, at its place in the rectangle.
    let store = PixelStore {
        row_length: if store.row_length == 0 {
            width
        } else {
            store.row_length
        },
        skip_pixels: store.skip_pixels + inside.skip_x,
        skip_rows: store.skip_rows + inside.skip_y,
        ..store
    };
    let extent = [inside.width, inside.height, 1];
    let range = touched(&layout, &store, extent)?;
    let row = inside.width as usize * format.info().map_or(0, |f| f.bytes as usize);
    let rules = PackRules {
        clamp: clamps(gl, &resolved),
        sum_luminance: true,
    };
    // SAFETY: the caller vouches for the memory that the transfer touches.
    unsafe {
        out.write(gl, &range, |target| {
            pack(
                &bytes,
                row,
                row * inside.height as usize,
                &resolved,
                extent,
                &store,
                a.format,
                a.ty,
                target,
                rules,
            )
            .map_err(PixelError::gl_error)
        })
    }
}

gl_entry! {
    /// Reads pixels of the read framebuffer (GL 4.6 §18.2.2).
    fn glReadPixels(gl, x: GLint, y: GLint, width: GLsizei, height: GLsizei, format: GLenum, ty: GLenum,
            pixels: *mut c_void) {
        let r = read_pixels(gl, &Args { x, y, width, height, format, ty, size: None, pixels });
        gl.report(r)
    }
    /// Reads pixels into memory of a known size (GL 4.6 §18.2.2).
    fn glReadnPixels(gl, x: GLint, y: GLint, width: GLsizei, height: GLsizei, format: GLenum, ty: GLenum,
            bufSize: GLsizei, data: *mut c_void) {
        let a = Args { x, y, width, height, format, ty, size: Some(bufSize), pixels: data };
        let r = read_pixels(gl, &a);
        gl.report(r)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_are_clipped_without_overflow() {
        let c = clip(-3, 2, 10, 10, (5, 6)).expect("inside");
        assert_eq!(
            (c.x, c.y, c.width, c.height, c.skip_x, c.skip_y),
            (0, 2, 5, 4, 3, 0)
        );
        assert_eq!(clip(5, 0, 1, 1, (5, 5)), None);
        assert_eq!(clip(-4, 0, 4, 1, (5, 5)), None);
        assert_eq!(clip(0, 0, 0, 4, (5, 5)), None);
        let c = clip(i32::MIN, i32::MIN, u32::MAX, u32::MAX, (7, 7)).expect("inside");
        assert_eq!((c.width, c.height, c.skip_x), (7, 7, 1 << 31));
        assert!(clip(i32::MAX, i32::MAX, u32::MAX, u32::MAX, (7, 7)).is_none());
    }
}
