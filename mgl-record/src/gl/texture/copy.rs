//! Images from the framebuffer (GL 4.6 §8.6).

use super::Checked;
use super::image::{
    Place, Size, affordable, check_format, check_level, check_place, check_size, image_target,
    mutable_texture,
};
use crate::consts::gl::*;
use crate::context::Gl;
use crate::gl::entry::gl_entry;
use crate::gl::read::{Clipped, ask, clip, readable, ready};
use crate::gl::types::*;
use crate::pixel::{ClientLayout, PackRules, PixelError, PixelStore, Resolved, pack, resolve};
use crate::state::Id;
use crate::state::texture::{ImageSpec, ImageTarget, Pixels, Texture, TextureTarget};
use crate::tracker::{framebuffer, textures};
use mgl_core::format::{ComponentClass, Format};
use mgl_core::pipe::limits::level_extent;
use mgl_core::pipe::{Box3, BufferMask, Call, CopyToTexture};

/// What is copied: format and buffers of the read framebuffer that go with a texture's format.
///
/// # Errors
///
/// `GL_INVALID_OPERATION` where the framebuffer lacks a depth or stencil buffer that the texture wants, or holds another
/// kind of values (GL 4.6 §8.6). Colours that lack components are no error: what is obtained of them has green and blue
/// of zero and an alpha of one there (GL 4.6 §18.2, "Obtaining Pixels from the Framebuffer"). OpenGL ES has a table of
/// pairs that it refuses (ES 3.2 table 8.17), desktop OpenGL has none.
fn origin(gl: &Gl<'_>, to: &Resolved) -> Checked<(Format, BufferMask)> {
    let pair = match to.class() {
        ComponentClass::Depth => (GL_DEPTH_COMPONENT, GL_FLOAT),
        ComponentClass::DepthStencil => (GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8),
        ComponentClass::Stencil => (GL_STENCIL_INDEX, GL_UNSIGNED_BYTE),
        _ => (GL_RGBA, GL_FLOAT),
    };
    let layout = ClientLayout::new(pair.0, pair.1).ok_or(GL_INVALID_OPERATION)?;
    let (format, buffers) = readable(gl, &layout)?;
    let from = Resolved::of_format(format).ok_or(GL_INVALID_OPERATION)?;
    let kind = |r: &Resolved| match r.class() {
        ComponentClass::Sint => 1,
        ComponentClass::Uint => 2,
        _ => 0,
    };
    if kind(to) != kind(&from) {
        return Err(GL_INVALID_OPERATION);
    }
    Ok((format, buffers))
}

/// A copy whose arguments are in order.
struct Copy {
    id: Id<Texture>,
    target: ImageTarget,
    level: u32,
    /// Where it goes, before clipping.
    area: Box3,
    x: GLint,
    y: GLint,
    from: (Format, BufferMask),
}

fn copy(gl: &mut Gl<'_>, c: &Copy) -> Checked {
    let rows = if c.target.target == TextureTarget::D1Array {
        c.area.depth
    } else {
        c.area.height
    };
    let fb = framebuffer::read_state(gl);
    let limit = (fb.width, fb.height);
    let Some(inside) = clip(c.x, c.y, c.area.width, rows, limit) else {
        return Ok(());
    };
    let Some(image) = gl.share.textures.objects[c.id].image(c.level, c.target.face) else {
        return Ok(());
    };
    let resolved = *image.resolved();
    if matches!(resolved.base_format, GL_ALPHA | GL_LUMINANCE_ALPHA) {
        return by_client(gl, c, &inside, &resolved);
    }
    let extent = image.extent();
    // A level that does not go with the others is the client's alone until it does.
    let flushed = textures::flush_for_attachment(gl, c.id);
    let handle = gl.share.textures.objects[c.id].handle();
    let stored = gl.pipe.resource(handle).is_some_and(|d| {
        let (width, height, _) = level_extent(d, c.level);
        c.level < d.levels.max(1)
            && d.format == resolved.format
            && (width, height) == (extent.width, extent.height)
    });
    if !flushed || !stored {
        return by_client(gl, c, &inside, &resolved);
    }
    let mut push = |area: Box3, y: u32| {
        gl.pipe.push(Call::CopyFramebufferToTexture {
            p: &CopyToTexture {
                texture: handle,
                level: c.level,
                format: resolved.format,
                area,
                x: inside.x as i32,
                y: y as i32,
                ..CopyToTexture::default()
            },
        });
    };
    let to = Box3 {
        x: c.area.x + inside.skip_x,
        width: inside.width,
        depth: 1,
        ..c.area
    };
    if c.target.target == TextureTarget::D1Array {
        for i in 0..inside.height {
            let z = c.area.z + inside.skip_y + i;
            push(Box3 { z, ..to }, inside.y + i);
        }
    } else {
        let area = Box3 {
            y: c.area.y + inside.skip_y,
            z: c.area.z + c.target.face as u32,
            height: inside.height,
            ..to
        };
        push(area, inside.y);
    }
    gl.share.textures.objects[c.id].mark_gpu_written(c.level, c.target.face);
    super::storage::automatic_mipmap(gl, c.id, c.level);
    Ok(())
}

/// Formats whose storage takes other components than the framebuffer gives them, and levels that have no storage, are
/// copied by the client.
fn by_client(gl: &mut Gl<'_>, c: &Copy, inside: &Clipped, to: &Resolved) -> Checked {
    let (format, buffers) = c.from;
    let from = Resolved::of_format(format).ok_or(GL_INVALID_OPERATION)?;
    let Some(bytes) = ask(gl, inside, format, buffers) else {
        return Ok(());
    };
    let (pixel_format, ty) = match to.class() {
        ComponentClass::Sint => (GL_RGBA_INTEGER, GL_INT),
        ComponentClass::Uint => (GL_RGBA_INTEGER, GL_UNSIGNED_INT),
        ComponentClass::Depth => (GL_DEPTH_COMPONENT, GL_FLOAT),
        ComponentClass::DepthStencil => (GL_DEPTH_STENCIL, GL_FLOAT_32_UNSIGNED_INT_24_8_REV),
        ComponentClass::Stencil => (GL_STENCIL_INDEX, GL_UNSIGNED_BYTE),
        _ => (GL_RGBA, GL_FLOAT),
    };
    let store = PixelStore::tight();
    let extent = [inside.width, inside.height, 1];
    let mut colors = vec![0u8; inside.width as usize * inside.height as usize * 16];
    let row = inside.width as usize * format.info().map_or(0, |f| f.bytes as usize);
    pack(
        &bytes,
        row,
        row * inside.height as usize,
        &from,
        extent,
        &store,
        pixel_format,
        ty,
        &mut colors,
        PackRules::default(),
    )
    .map_err(PixelError::gl_error)?;
    let area = if c.target.target == TextureTarget::D1Array {
        Box3 {
            x: c.area.x + inside.skip_x,
            z: c.area.z + inside.skip_y,
            width: inside.width,
            depth: inside.height,
            ..c.area
        }
    } else {
        Box3 {
            x: c.area.x + inside.skip_x,
            y: c.area.y + inside.skip_y,
            width: inside.width,
            height: inside.height,
            ..c.area
        }
    };
    let pixels = Pixels {
        bytes: &colors,
        store: &store,
        format: pixel_format,
        ty,
    };
    let texture = &mut gl.share.textures.objects[c.id];
    texture.write(c.level, c.target.face, area, pixels, gl.gens.touch())?;
    super::storage::automatic_mipmap(gl, c.id, c.level);
    Ok(())
}

/// Arguments of glCopyTexImage*.
struct CopyImage {
    dims: u32,
    target: GLenum,
    level: GLint,
    internal_format: GLenum,
    x: GLint,
    y: GLint,
    size: Size,
    border: GLint,
}

fn copy_tex_image(gl: &mut Gl<'_>, a: &CopyImage) -> Checked {
    let t = image_target(a.target, a.dims, false)?;
    let level = check_level(t.target, a.level)?;
    if a.border != 0 {
        return Err(GL_INVALID_VALUE);
    }
    let (extent, fits) = check_size(t.target, level, a.size)?;
    if !fits {
        return Err(GL_INVALID_VALUE);
    }
    let mut resolved = match a.internal_format {
        // Component counts are for glTexImage* only.
        1..=4 => return Err(GL_INVALID_ENUM),
        f => resolve(f, gl.pixel_profile()).map_err(|_| GL_INVALID_ENUM)?,
    };
    check_format(t.target, &resolved)?;
    resolved.compressed = None;
    ready(gl)?;
    let from = origin(gl, &resolved)?;
    let id = mutable_texture(gl, t.target)?;
    let spec = ImageSpec {
        extent,
        resolved,
        samples: 0,
        fixed_samples: false,
    };
    if !affordable(&spec) {
        return Err(GL_OUT_OF_MEMORY);
    }
    // Respecifying a level of a texture that is attached may make the framebuffer another one: the copy reads the old.
    let texture = &mut gl.share.textures.objects[id];
    texture.specify(level, t.face, spec, None, gl.gens.touch())?;
    let c = Copy {
        id,
        target: t,
        level,
        area: extent.whole(),
        x: a.x,
        y: a.y,
        from,
    };
    copy(gl, &c)
}

/// Arguments of glCopyTexSubImage*.
struct CopySubImage {
    dims: u32,
    target: GLenum,
    level: GLint,
    at: Place,
    x: GLint,
    y: GLint,
    size: Size,
}

fn copy_tex_sub_image(gl: &mut Gl<'_>, a: &CopySubImage) -> Checked {
    let t = image_target(a.target, a.dims, false)?;
    let level = check_level(t.target, a.level)?;
    ready(gl)?;
    let id = gl.bound_texture(t.target);
    let image = gl.share.textures.objects[id]
        .image(level, t.face)
        .ok_or(GL_INVALID_OPERATION)?;
    let (resolved, extent) = (*image.resolved(), image.extent());
    let area = check_place(t.target, extent, a.at, a.size)?;
    if resolved.compressed.is_some() {
        return Err(GL_INVALID_OPERATION);
    }
    let from = origin(gl, &resolved)?;
    let c = Copy {
        id,
        target: t,
        level,
        area,
        x: a.x,
        y: a.y,
        from,
    };
    copy(gl, &c)
}

/// glCopyTexSubImage2D on the bound two-dimensional texture, for tests that hold the context.
#[cfg(test)]
pub(crate) fn copy_sub(
    gl: &mut Gl<'_>,
    to: (GLint, GLint),
    from: (GLint, GLint),
    size: (GLsizei, GLsizei),
) -> Checked {
    let a = CopySubImage {
        dims: 2,
        target: GL_TEXTURE_2D,
        level: 0,
        at: Place {
            x: to.0,
            y: to.1,
            z: 0,
        },
        x: from.0,
        y: from.1,
        size: Size {
            width: size.0,
            height: size.1,
            depth: 1,
        },
    };
    copy_tex_sub_image(gl, &a)
}

gl_entry! {
    /// Specifies a one-dimensional image from the framebuffer (GL 4.6 §8.6).
    fn glCopyTexImage1D(gl, target: GLenum, level: GLint, internalformat: GLenum, x: GLint, y: GLint, width: GLsizei,
            border: GLint) {
        let size = Size { width, height: 1, depth: 1 };
        let a = CopyImage { dims: 1, target, level, internal_format: internalformat, x, y, size, border };
        let r = copy_tex_image(gl, &a);
        gl.report(r)
    }
    /// Specifies a two-dimensional image from the framebuffer (GL 4.6 §8.6).
    fn glCopyTexImage2D(gl, target: GLenum, level: GLint, internalformat: GLenum, x: GLint, y: GLint, width: GLsizei,
            height: GLsizei, border: GLint) {
        let size = Size { width, height, depth: 1 };
        let a = CopyImage { dims: 2, target, level, internal_format: internalformat, x, y, size, border };
        let r = copy_tex_image(gl, &a);
        gl.report(r)
    }
    /// Replaces a part of a one-dimensional image from the framebuffer (GL 4.6 §8.6).
    fn glCopyTexSubImage1D(gl, target: GLenum, level: GLint, xoffset: GLint, x: GLint, y: GLint, width: GLsizei) {
        let (at, size) = (Place { x: xoffset, y: 0, z: 0 }, Size { width, height: 1, depth: 1 });
        let r = copy_tex_sub_image(gl, &CopySubImage { dims: 1, target, level, at, x, y, size });
        gl.report(r)
    }
    /// Replaces a part of a two-dimensional image from the framebuffer (GL 4.6 §8.6).
    fn glCopyTexSubImage2D(gl, target: GLenum, level: GLint, xoffset: GLint, yoffset: GLint, x: GLint, y: GLint,
            width: GLsizei, height: GLsizei) {
        let (at, size) = (Place { x: xoffset, y: yoffset, z: 0 }, Size { width, height, depth: 1 });
        let r = copy_tex_sub_image(gl, &CopySubImage { dims: 2, target, level, at, x, y, size });
        gl.report(r)
    }
    /// Replaces a part of a slice of a three-dimensional image or an array from the framebuffer (GL 4.6 §8.6).
    fn glCopyTexSubImage3D(gl, target: GLenum, level: GLint, xoffset: GLint, yoffset: GLint, zoffset: GLint, x: GLint,
            y: GLint, width: GLsizei, height: GLsizei) {
        let (at, size) = (Place { x: xoffset, y: yoffset, z: zoffset }, Size { width, height, depth: 1 });
        let r = copy_tex_sub_image(gl, &CopySubImage { dims: 3, target, level, at, x, y, size });
        gl.report(r)
    }
}
