//! Compressed images (GL 4.6 §8.7): decoded here, answered in the application's own blocks.

use super::Checked;
use super::image::{
    Place, Size, affordable, check_format, check_level, check_place, check_size, image_target,
    mutable_texture,
};
use super::transfer::{sink, source};
use crate::consts::gl::*;
use crate::context::Gl;
use crate::gl::entry::gl_entry;
use crate::gl::types::*;
use crate::pixel::{PixelError, resolve};
use crate::state::texture::{ImageSpec, ImageTarget};
use core::ffi::c_void;

/// Arguments of glCompressedTexImage*.
struct Image {
    dims: u32,
    target: GLenum,
    level: GLint,
    internal_format: GLenum,
    size: Size,
    border: GLint,
    bytes: GLsizei,
    data: *const c_void,
}

fn compressed_image(gl: &mut Gl<'_>, a: &Image) -> Checked {
    let t = image_target(a.target, a.dims, true)?;
    let resolved = resolve(a.internal_format, gl.pixel_profile()).map_err(|_| GL_INVALID_ENUM)?;
    // Generic formats name no blocks.
    let code = resolved.compressed.ok_or(GL_INVALID_ENUM)?;
    check_format(t.target, &resolved)?;
    let level = check_level(t.target, a.level)?;
    if a.border != 0 {
        return Err(GL_INVALID_VALUE);
    }
    let (extent, fits) = check_size(t.target, level, a.size)?;
    let spec = ImageSpec {
        extent,
        resolved,
        samples: 0,
        fixed_samples: false,
    };
    let taken = fits && affordable(&spec);
    code.check_size(extent.width, extent.height, extent.depth, a.bytes)
        .map_err(PixelError::gl_error)?;
    if t.proxy {
        gl.ctx
            .textures
            .set_proxy(t.target, level, taken.then_some(spec));
        return Ok(());
    }
    if !fits {
        return Err(GL_INVALID_VALUE);
    }
    let id = mutable_texture(gl, t.target)?;
    if !taken {
        return Err(GL_OUT_OF_MEMORY);
    }
    let range = 0..usize::try_from(a.bytes).map_err(|_| GL_INVALID_VALUE)?;
    let from = source(gl, a.data, &range, 1)?;
    // SAFETY: the caller vouches for `imageSize` bytes.
    let blocks = unsafe { from.bytes(&gl.share.buffers, &range) };
    let texture = &mut gl.share.textures.objects[id];
    texture.specify_blocks(level, t.face, spec, blocks, gl.gens.touch())?;
    super::storage::automatic_mipmap(gl, id, level);
    Ok(())
}

/// Arguments of glCompressedTexSubImage*.
struct SubImage {
    dims: u32,
    target: GLenum,
    level: GLint,
    at: Place,
    size: Size,
    format: GLenum,
    bytes: GLsizei,
    data: *const c_void,
}

fn compressed_sub_image(gl: &mut Gl<'_>, a: &SubImage) -> Checked {
    let t = image_target(a.target, a.dims, false)?;
    let named = resolve(a.format, gl.pixel_profile()).map_err(|_| GL_INVALID_ENUM)?;
    if named.compressed.is_none() {
        return Err(GL_INVALID_ENUM);
    }
    let level = check_level(t.target, a.level)?;
    let id = gl.bound_texture(t.target);
    let image = gl.share.textures.objects[id]
        .image(level, t.face)
        .ok_or(GL_INVALID_OPERATION)?;
    let (resolved, extent) = (*image.resolved(), image.extent());
    let code = resolved.compressed.ok_or(GL_INVALID_OPERATION)?;
    if resolved.internal_format != named.internal_format {
        return Err(GL_INVALID_OPERATION);
    }
    let area = check_place(t.target, extent, a.at, a.size)?;
    code.check_place(
        [extent.width, extent.height],
        [a.at.x, a.at.y],
        [area.width, area.height],
    )
    .map_err(PixelError::gl_error)?;
    code.check_size(area.width, area.height, area.depth, a.bytes)
        .map_err(PixelError::gl_error)?;
    let range = 0..usize::try_from(a.bytes).map_err(|_| GL_INVALID_VALUE)?;
    let from = source(gl, a.data, &range, 1)?;
    // SAFETY: the caller vouches for `imageSize` bytes.
    if let Some(blocks) = unsafe { from.bytes(&gl.share.buffers, &range) }.filter(|b| !b.is_empty())
    {
        let texture = &mut gl.share.textures.objects[id];
        texture.write_blocks(level, t.face, area, blocks, gl.gens.touch())?;
        super::storage::automatic_mipmap(gl, id, level);
    }
    Ok(())
}

fn get_compressed(
    gl: &mut Gl<'_>,
    target: GLenum,
    level: GLint,
    size: Option<GLsizei>,
    out: *mut c_void,
) -> Checked {
    let t = ImageTarget::from_gl(target)
        .filter(|t| !t.proxy && t.target.image_dims() > 0)
        .ok_or(GL_INVALID_ENUM)?;
    let level = check_level(t.target, level)?;
    let id = gl.bound_texture(t.target);
    let blocks = gl.share.textures.objects[id]
        .image(level, t.face)
        .and_then(|i| i.blocks())
        .ok_or(GL_INVALID_OPERATION)?
        .to_vec();
    let range = 0..blocks.len();
    let to = sink(gl, out, &range, 1, size)?;
    // SAFETY: the caller vouches for the size that GL_TEXTURE_COMPRESSED_IMAGE_SIZE reports.
    unsafe {
        to.write(gl, &range, |bytes| {
            bytes.copy_from_slice(&blocks);
            Ok(())
        })
    }
}

gl_entry! {
    /// One-dimensional compressed image: no format has them (GL 4.6 §8.7).
    fn glCompressedTexImage1D(gl, _target: GLenum, _level: GLint, _internalformat: GLenum, _width: GLsizei,
            _border: GLint, _imageSize: GLsizei, _data: *const c_void) {
        gl.raise(GL_INVALID_ENUM)
    }
    /// Specifies a compressed two-dimensional image (GL 4.6 §8.7).
    fn glCompressedTexImage2D(gl, target: GLenum, level: GLint, internalformat: GLenum, width: GLsizei,
            height: GLsizei, border: GLint, imageSize: GLsizei, data: *const c_void) {
        let size = Size { width, height, depth: 1 };
        let r = compressed_image(gl, &Image { dims: 2, target, level, internal_format: internalformat, size, border,
            bytes: imageSize, data });
        gl.report(r)
    }
    /// Specifies a compressed three-dimensional image or array (GL 4.6 §8.7).
    fn glCompressedTexImage3D(gl, target: GLenum, level: GLint, internalformat: GLenum, width: GLsizei,
            height: GLsizei, depth: GLsizei, border: GLint, imageSize: GLsizei, data: *const c_void) {
        let size = Size { width, height, depth };
        let r = compressed_image(gl, &Image { dims: 3, target, level, internal_format: internalformat, size, border,
            bytes: imageSize, data });
        gl.report(r)
    }
    /// One-dimensional compressed sub-image: no format has them (GL 4.6 §8.7).
    fn glCompressedTexSubImage1D(gl, _target: GLenum, _level: GLint, _xoffset: GLint, _width: GLsizei, _format: GLenum,
            _imageSize: GLsizei, _data: *const c_void) {
        gl.raise(GL_INVALID_ENUM)
    }
    /// Replaces blocks of a compressed two-dimensional image (GL 4.6 §8.7).
    fn glCompressedTexSubImage2D(gl, target: GLenum, level: GLint, xoffset: GLint, yoffset: GLint, width: GLsizei,
            height: GLsizei, format: GLenum, imageSize: GLsizei, data: *const c_void) {
        let (at, size) = (Place { x: xoffset, y: yoffset, z: 0 }, Size { width, height, depth: 1 });
        let r = compressed_sub_image(gl, &SubImage { dims: 2, target, level, at, size, format, bytes: imageSize, data });
        gl.report(r)
    }
    /// Replaces blocks of a compressed three-dimensional image or array (GL 4.6 §8.7).
    fn glCompressedTexSubImage3D(gl, target: GLenum, level: GLint, xoffset: GLint, yoffset: GLint, zoffset: GLint,
            width: GLsizei, height: GLsizei, depth: GLsizei, format: GLenum, imageSize: GLsizei, data: *const c_void) {
        let (at, size) = (Place { x: xoffset, y: yoffset, z: zoffset }, Size { width, height, depth });
        let r = compressed_sub_image(gl, &SubImage { dims: 3, target, level, at, size, format, bytes: imageSize, data });
        gl.report(r)
    }
    /// Reads the blocks of a compressed image (GL 4.6 §8.11.4).
    fn glGetCompressedTexImage(gl, target: GLenum, level: GLint, img: *mut c_void) {
        let r = get_compressed(gl, target, level, None, img);
        gl.report(r)
    }
    /// Reads the blocks of a compressed image into memory of a known size (GL 4.6 §8.11.4).
    fn glGetnCompressedTexImage(gl, target: GLenum, lod: GLint, bufSize: GLsizei, pixels: *mut c_void) {
        let r = get_compressed(gl, target, lod, Some(bufSize), pixels);
        gl.report(r)
    }
}
