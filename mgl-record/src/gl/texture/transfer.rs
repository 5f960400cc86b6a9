//! Where pixels come from and go to: client memory, or a pixel buffer object's client copy (GL 4.6 §8.4.1, §18.2).

use super::Checked;
use crate::consts::gl::*;
use crate::context::Gl;
use crate::gl::entry::gl_entry;
use crate::gl::types::*;
use crate::pixel::{ClientLayout, PixelStore};
use crate::state::Id;
use crate::state::buffer::{Buffer, BufferTarget};
use core::ffi::c_void;
use std::ops::Range;

/// Where the application's pixels are.
#[derive(Clone, Copy)]
pub enum Source {
    /// No pixels were given: the content is undefined.
    None,
    /// Client memory.
    Memory(*const u8),
    /// A buffer object, from this byte on.
    Buffer(Id<Buffer>, usize),
}

/// The bytes of a transfer that `range` names, counted from the pixel pointer.
///
/// # Errors
///
/// `GL_INVALID_OPERATION` where a pixel buffer object is mapped, too small, or where the offset is not a multiple of the
/// type's size (GL 4.6 §8.4.4.1).
pub fn source(
    gl: &mut Gl<'_>,
    pixels: *const c_void,
    range: &Range<usize>,
    element: usize,
) -> Checked<Source> {
    let Some(id) = gl.ctx.buffers.bound(BufferTarget::PixelUnpack) else {
        return Ok(if pixels.is_null() {
            Source::None
        } else {
            Source::Memory(pixels.cast())
        });
    };
    let offset = pixels as usize;
    check_buffer(gl, id, offset, range, element)?;
    Ok(Source::Buffer(id, offset))
}

fn check_buffer(
    gl: &mut Gl<'_>,
    id: Id<Buffer>,
    offset: usize,
    range: &Range<usize>,
    element: usize,
) -> Checked {
    let buffer = &mut gl.share.buffers.objects[id];
    let end = offset.checked_add(range.end).ok_or(GL_INVALID_OPERATION)?;
    if buffer.mapping().is_some()
        || !offset.is_multiple_of(element.max(1))
        || (!range.is_empty() && end as u64 > buffer.size())
    {
        return Err(GL_INVALID_OPERATION);
    }
    // Left to be run again, an entry point has no error.
    let current = buffer.sync_apart(gl.pipe);
    if current { Ok(()) } else { Err(GL_NO_ERROR) }
}

impl Source {
    /// The bytes; `None` where no pixels were given.
    ///
    /// # Safety
    ///
    /// Client memory is readable over `range`, counted from its pointer, as long as the bytes are used.
    #[must_use]
    pub unsafe fn bytes<'a>(
        self,
        buffers: &'a crate::state::NameTable<Buffer>,
        range: &Range<usize>,
    ) -> Option<&'a [u8]> {
        match self {
            Source::None => None,
            Source::Memory(_) if range.is_empty() => Some(&[]),
            // SAFETY: by this function's contract.
            Source::Memory(p) => Some(unsafe {
                std::slice::from_raw_parts(p.add(range.start), range.end - range.start)
            }),
            Source::Buffer(id, offset) => buffers
                .objects
                .get(id)?
                .bytes()
                .get(offset + range.start..offset + range.end),
        }
    }
}

/// Where pixels go that the application reads.
pub enum Sink {
    /// Client memory.
    Memory(*mut u8),
    /// A buffer object, from this byte on.
    Buffer(Id<Buffer>, usize),
}

/// Where a read-back goes. With `size`, what robust entry points say that client memory has.
///
/// # Errors
///
/// `GL_INVALID_OPERATION` where a pixel buffer object is mapped, too small, or where the offset is not a multiple of the
/// type's size, or where `size` is too small.
pub fn sink(
    gl: &mut Gl<'_>,
    pixels: *mut c_void,
    range: &Range<usize>,
    element: usize,
    size: Option<GLsizei>,
) -> Checked<Sink> {
    if let Some(id) = gl.ctx.buffers.bound(BufferTarget::PixelPack) {
        let offset = pixels as usize;
        check_buffer(gl, id, offset, range, element)?;
        return Ok(Sink::Buffer(id, offset));
    }
    if size.is_some_and(|s| usize::try_from(s).unwrap_or(0) < range.end) {
        return Err(GL_INVALID_OPERATION);
    }
    Ok(Sink::Memory(pixels.cast()))
}

impl Sink {
    /// Lets `fill` write the bytes that `range` names; what it leaves alone stays.
    ///
    /// # Safety
    ///
    /// Client memory is writable over `range`, counted from its pointer.
    pub unsafe fn write(
        self,
        gl: &mut Gl<'_>,
        range: &Range<usize>,
        fill: impl FnOnce(&mut [u8]) -> Checked,
    ) -> Checked {
        if range.is_empty() {
            return Ok(());
        }
        match self {
            Sink::Memory(p) if p.is_null() => Ok(()),
            Sink::Memory(p) => {
                // SAFETY: by this function's contract.
                fill(unsafe {
                    std::slice::from_raw_parts_mut(p.add(range.start), range.end - range.start)
                })
            }
            Sink::Buffer(id, offset) => {
                let buffer = &mut gl.share.buffers.objects[id];
                let at = offset + range.start;
                let mut bytes = buffer
                    .bytes()
                    .get(at..offset + range.end)
                    .ok_or(GL_INVALID_OPERATION)?
                    .to_vec();
                fill(&mut bytes)?;
                buffer.write(gl.gens.touch(), gl.pipe, at as u64, &bytes);
                Ok(())
            }
        }
    }
}

/// The bytes that a transfer touches, counted from the pixel pointer.
///
/// # Errors
///
/// `GL_OUT_OF_MEMORY` for sizes that do not fit the address space.
pub fn touched(
    layout: &ClientLayout,
    store: &PixelStore,
    extent: [u32; 3],
) -> Checked<Range<usize>> {
    layout
        .geometry(store, extent[0], extent[1], extent[2])
        .map(|g| g.range)
        .ok_or(GL_OUT_OF_MEMORY)
}

/// A field of a set of pixel store modes.
enum Mode<'a> {
    Flag(&'a mut bool),
    Count(&'a mut u32),
    Alignment(&'a mut u32),
}

fn pixel_store(gl: &mut Gl<'_>, pname: GLenum, value: i64) -> Checked {
    let mut unpack = *gl.ctx.textures.unpack_store();
    let mut pack = *gl.ctx.textures.pack_store();
    let place = match pname {
        GL_UNPACK_SWAP_BYTES => Mode::Flag(&mut unpack.swap_bytes),
        GL_UNPACK_LSB_FIRST => Mode::Flag(&mut unpack.lsb_first),
        GL_UNPACK_ROW_LENGTH => Mode::Count(&mut unpack.row_length),
        GL_UNPACK_IMAGE_HEIGHT => Mode::Count(&mut unpack.image_height),
        GL_UNPACK_SKIP_PIXELS => Mode::Count(&mut unpack.skip_pixels),
        GL_UNPACK_SKIP_ROWS => Mode::Count(&mut unpack.skip_rows),
        GL_UNPACK_SKIP_IMAGES => Mode::Count(&mut unpack.skip_images),
        GL_UNPACK_ALIGNMENT => Mode::Alignment(&mut unpack.alignment),
        GL_PACK_SWAP_BYTES => Mode::Flag(&mut pack.swap_bytes),
        GL_PACK_LSB_FIRST => Mode::Flag(&mut pack.lsb_first),
        GL_PACK_ROW_LENGTH => Mode::Count(&mut pack.row_length),
        GL_PACK_IMAGE_HEIGHT => Mode::Count(&mut pack.image_height),
        GL_PACK_SKIP_PIXELS => Mode::Count(&mut pack.skip_pixels),
        GL_PACK_SKIP_ROWS => Mode::Count(&mut pack.skip_rows),
        GL_PACK_SKIP_IMAGES => Mode::Count(&mut pack.skip_images),
        GL_PACK_ALIGNMENT => Mode::Alignment(&mut pack.alignment),
        _ => return Err(GL_INVALID_ENUM),
    };
    match place {
        Mode::Flag(f) => *f = value != 0,
        Mode::Count(n) => *n = u32::try_from(value).map_err(|_| GL_INVALID_VALUE)?,
        Mode::Alignment(n) if matches!(value, 1 | 2 | 4 | 8) => *n = value as u32,
        Mode::Alignment(_) => return Err(GL_INVALID_VALUE),
    }
    gl.ctx.textures.set_unpack_store(unpack, gl.gens.touch());
    gl.ctx.textures.set_pack_store(pack, gl.gens.touch());
    Ok(())
}

gl_entry! {
    /// Sets a pixel store mode (GL 4.6 §8.4.1).
    fn glPixelStorei(gl, pname: GLenum, param: GLint) {
        let r = pixel_store(gl, pname, i64::from(param));
        gl.report(r)
    }
    /// Sets a pixel store mode from a float, which is rounded (GL 4.6 §8.4.1).
    fn glPixelStoref(gl, pname: GLenum, param: GLfloat) {
        let r = pixel_store(gl, pname, param.round() as i64);
        gl.report(r)
    }
}
