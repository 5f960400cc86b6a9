//! glTexImage*, glTexSubImage*, and their checks (GL 4.6 §8.5, §8.6).

use super::Checked;
use super::transfer::{source, touched};
use crate::consts::gl::*;
use crate::context::Gl;
use crate::gl::entry::gl_entry;
use crate::gl::limits::{MAX_3D_TEXTURE_SIZE, MAX_ARRAY_TEXTURE_LAYERS, MAX_TEXTURE_SIZE};
use crate::gl::types::*;
use crate::pixel::{PixelError, PixelStore, Resolved, validate};
use crate::state::Id;
use crate::state::texture::{Extent, ImageSpec, ImageTarget, Pixels, Texture, TextureTarget};
use core::ffi::c_void;
use mgl_core::pipe::Box3;
use mgl_core::pipe::limits::MAX_IMAGE_BYTES;

/// Image sizes as the application gives them.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Columns.
    pub width: GLsizei,
    /// Rows, or layers of a one-dimensional array; 1 where the call has none.
    pub height: GLsizei,
    /// Slices or layers; 1 where the call has none.
    pub depth: GLsizei,
}

/// The image target of a call of `dims` dimensions.
///
/// # Errors
///
/// `GL_INVALID_ENUM` where the call does not take the target.
pub fn image_target(target: GLenum, dims: u32, proxies: bool) -> Checked<ImageTarget> {
    ImageTarget::from_gl(target)
        .filter(|t| t.target.image_dims() == dims && (proxies || !t.proxy))
        .ok_or(GL_INVALID_ENUM)
}

/// Limits of a target: side, depth or layers, levels.
struct Limits {
    side: u32,
    depth: u32,
    levels: u32,
}

fn limits(target: TextureTarget) -> Limits {
    let side = match target {
        TextureTarget::D3 => MAX_3D_TEXTURE_SIZE,
        _ => MAX_TEXTURE_SIZE,
    };
    Limits {
        side,
        depth: match target {
            TextureTarget::D3 => MAX_3D_TEXTURE_SIZE,
            TextureTarget::D1Array
            | TextureTarget::D2Array
            | TextureTarget::CubeArray
            | TextureTarget::D2MultisampleArray => MAX_ARRAY_TEXTURE_LAYERS,
            _ => 1,
        },
        levels: if target.has_levels() {
            u32::BITS - side.leading_zeros()
        } else {
            1
        },
    }
}

/// Checks a level (GL 4.6 §8.5).
///
/// # Errors
///
/// `GL_INVALID_VALUE` where the target has no such level.
pub fn check_level(target: TextureTarget, level: GLint) -> Checked<u32> {
    u32::try_from(level)
        .ok()
        .filter(|&l| l < limits(target).levels)
        .ok_or(GL_INVALID_VALUE)
}

/// The extent of an image, as the pipe counts, and whether the implementation takes it.
///
/// # Errors
///
/// `GL_INVALID_VALUE` for negative sizes, and for cube faces that are not square (GL 4.6 §8.5).
pub fn check_size(target: TextureTarget, level: u32, size: Size) -> Checked<(Extent, bool)> {
    let n = |v: GLsizei| u32::try_from(v).map_err(|_| GL_INVALID_VALUE);
    let (width, height, depth) = (n(size.width)?, n(size.height)?, n(size.depth)?);
    let extent = if target == TextureTarget::D1Array {
        Extent {
            width,
            height: 1,
            depth: height,
        }
    } else {
        Extent {
            width,
            height,
            depth,
        }
    };
    let cube = matches!(target, TextureTarget::Cube | TextureTarget::CubeArray);
    if cube && width != height {
        return Err(GL_INVALID_VALUE);
    }
    if target == TextureTarget::CubeArray && depth % 6 != 0 {
        return Err(GL_INVALID_VALUE);
    }
    let l = limits(target);
    let side = (l.side >> level).max(1);
    let deep = if target == TextureTarget::D3 {
        (l.depth >> level).max(1)
    } else {
        l.depth
    };
    let fits = extent.width <= side && extent.height <= side && extent.depth <= deep;
    Ok((extent, fits))
}

/// Whether a target takes an internal format at all (GL 4.6 §8.5, §8.5.3).
///
/// # Errors
///
/// `GL_INVALID_OPERATION` for depth in three dimensions and for block formats where there are no blocks.
pub fn check_format(target: TextureTarget, r: &Resolved) -> Checked {
    if target == TextureTarget::D3 && !r.is_color() {
        return Err(GL_INVALID_OPERATION);
    }
    match r.compressed {
        Some(c) if target == TextureTarget::D3 && !c.allows_3d() => Err(GL_INVALID_OPERATION),
        Some(_)
            if matches!(
                target,
                TextureTarget::D1 | TextureTarget::D1Array | TextureTarget::Rectangle
            ) =>
        {
            Err(GL_INVALID_ENUM)
        }
        _ => Ok(()),
    }
}

/// Whether the pipe takes an image of such a size.
#[must_use]
pub fn affordable(spec: &ImageSpec) -> bool {
    let e = spec.extent;
    spec.resolved
        .format
        .image_bytes(e.width, e.height, e.depth)
        .and_then(|b| b.checked_mul(u64::from(spec.samples.max(1))))
        .is_some_and(|b| b <= MAX_IMAGE_BYTES)
}

/// The unpack modes that apply to a call of `dims` dimensions.
#[must_use]
pub fn unpack_store(gl: &Gl<'_>, dims: u32) -> PixelStore {
    let s = *gl.ctx.textures.unpack_store();
    if dims < 3 { s.without_images() } else { s }
}

/// The texture that an image call works on, which must not be immutable for calls that respecify.
///
/// # Errors
///
/// `GL_INVALID_OPERATION` for an immutable texture.
pub fn mutable_texture(gl: &mut Gl<'_>, target: TextureTarget) -> Checked<Id<Texture>> {
    let id = gl.bound_texture(target);
    match gl.share.textures.objects[id].immutable_levels() {
        Some(_) => Err(GL_INVALID_OPERATION),
        None => Ok(id),
    }
}

/// Arguments of glTexImage*.
struct TexImage {
    dims: u32,
    target: GLenum,
    level: GLint,
    internal_format: GLint,
    size: Size,
    border: GLint,
    format: GLenum,
    ty: GLenum,
    pixels: *const c_void,
}

fn tex_image(gl: &mut Gl<'_>, a: &TexImage) -> Checked {
    let t = image_target(a.target, a.dims, true)?;
    let level = check_level(t.target, a.level)?;
    // Borders are gone since 3.1, and no implementation stores them any more.
    if a.border != 0 {
        return Err(GL_INVALID_VALUE);
    }
    let (extent, fits) = check_size(t.target, level, a.size)?;
    let (mut resolved, layout) =
        validate::tex_image(a.internal_format as u32, a.format, a.ty, gl.pixel_profile())
            .map_err(PixelError::gl_error)?;
    check_format(t.target, &resolved)?;
    // Pixels that are not blocks are stored as they are: there is no encoder, and GL does not promise one for formats
    // that a query does not show.
    resolved.compressed = None;
    let spec = ImageSpec {
        extent,
        resolved,
        samples: 0,
        fixed_samples: false,
    };
    if t.proxy {
        let taken = (fits && affordable(&spec)).then_some(spec);
        gl.ctx.textures.set_proxy(t.target, level, taken);
        return Ok(());
    }
    if !fits {
        return Err(GL_INVALID_VALUE);
    }
    let id = mutable_texture(gl, t.target)?;
    if !affordable(&spec) {
        return Err(GL_OUT_OF_MEMORY);
    }
    let store = unpack_store(gl, a.dims);
    let rows = [
        a.size.width as u32,
        a.size.height as u32,
        a.size.depth as u32,
    ];
    let range = touched(&layout, &store, rows)?;
    let from = source(gl, a.pixels, &range, layout.element_bytes())?;
    // SAFETY: the caller vouches for the memory that the transfer touches.
    let bytes = unsafe { from.bytes(&gl.share.buffers, &range) };
    let pixels = bytes.map(|bytes| Pixels {
        bytes,
        store: &store,
        format: a.format,
        ty: a.ty,
    });
    let texture = &mut gl.share.textures.objects[id];
    texture.specify(level, t.face, spec, pixels, gl.gens.touch())?;
    super::storage::automatic_mipmap(gl, id, level);
    Ok(())
}

/// A place in an image as the application gives it.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// First column.
    pub x: GLint,
    /// First row, or layer of a one-dimensional array.
    pub y: GLint,
    /// First slice, layer or layer-face.
    pub z: GLint,
}

/// The box that a sub-image call names inside an image.
///
/// # Errors
///
/// `GL_INVALID_VALUE` where it leaves the image (GL 4.6 §8.6).
pub fn check_place(target: TextureTarget, e: Extent, at: Place, size: Size) -> Checked<Box3> {
    let span = |at: GLint, n: GLsizei, limit: u32| -> Checked<(u32, u32)> {
        let (start, n) = (
            u32::try_from(at).map_err(|_| GL_INVALID_VALUE)?,
            u32::try_from(n).map_err(|_| GL_INVALID_VALUE)?,
        );
        match start.checked_add(n) {
            Some(end) if end <= limit => Ok((start, n)),
            _ => Err(GL_INVALID_VALUE),
        }
    };
    let (x, width) = span(at.x, size.width, e.width)?;
    let ((y, height), (z, depth)) = if target == TextureTarget::D1Array {
        ((0, 1), span(at.y, size.height, e.depth)?)
    } else {
        (
            span(at.y, size.height, e.height)?,
            span(at.z, size.depth, e.depth)?,
        )
    };
    Ok(Box3 {
        x,
        y,
        z,
        width,
        height,
        depth,
    })
}

/// Arguments of glTexSubImage*.
struct TexSubImage {
    dims: u32,
    target: GLenum,
    level: GLint,
    at: Place,
    size: Size,
    format: GLenum,
    ty: GLenum,
    pixels: *const c_void,
}

fn tex_sub_image(gl: &mut Gl<'_>, a: &TexSubImage) -> Checked {
    let t = image_target(a.target, a.dims, false)?;
    let level = check_level(t.target, a.level)?;
    if a.size.width < 0 || a.size.height < 0 || a.size.depth < 0 {
        return Err(GL_INVALID_VALUE);
    }
    let id = gl.bound_texture(t.target);
    let image = gl.share.textures.objects[id]
        .image(level, t.face)
        .ok_or(GL_INVALID_OPERATION)?;
    let (resolved, extent) = (*image.resolved(), image.extent());
    if resolved.compressed.is_some() {
        return Err(GL_INVALID_OPERATION);
    }
    let layout = validate::tex_sub_image(&resolved, a.format, a.ty, gl.pixel_profile())
        .map_err(PixelError::gl_error)?;
    let area = check_place(t.target, extent, a.at, a.size)?;
    let store = unpack_store(gl, a.dims);
    let rows = [
        a.size.width as u32,
        a.size.height as u32,
        a.size.depth as u32,
    ];
    let range = touched(&layout, &store, rows)?;
    let from = source(gl, a.pixels, &range, layout.element_bytes())?;
    if range.is_empty() {
        return Ok(());
    }
    // SAFETY: the caller vouches for the memory that the transfer touches.
    let Some(bytes) = (unsafe { from.bytes(&gl.share.buffers, &range) }) else {
        // A null pointer without a buffer: undefined by GL, harmless here.
        return Ok(());
    };
    let pixels = Pixels {
        bytes,
        store: &store,
        format: a.format,
        ty: a.ty,
    };
    let texture = &mut gl.share.textures.objects[id];
    texture.write(level, t.face, area, pixels, gl.gens.touch())?;
    super::storage::automatic_mipmap(gl, id, level);
    Ok(())
}

gl_entry! {
    /// Specifies a one-dimensional image (GL 4.6 §8.5).
    fn glTexImage1D(gl, target: GLenum, level: GLint, internalformat: GLint, width: GLsizei, border: GLint,
            format: GLenum, ty: GLenum, pixels: *const c_void) {
        let size = Size { width, height: 1, depth: 1 };
        let a = TexImage { dims: 1, target, level, internal_format: internalformat, size, border, format, ty, pixels };
        let r = tex_image(gl, &a);
        gl.report(r)
    }
    /// Specifies a two-dimensional image, a cube map face or a one-dimensional array (GL 4.6 §8.5).
    fn glTexImage2D(gl, target: GLenum, level: GLint, internalformat: GLint, width: GLsizei, height: GLsizei,
            border: GLint, format: GLenum, ty: GLenum, pixels: *const c_void) {
        let size = Size { width, height, depth: 1 };
        let a = TexImage { dims: 2, target, level, internal_format: internalformat, size, border, format, ty, pixels };
        let r = tex_image(gl, &a);
        gl.report(r)
    }
    /// Specifies a three-dimensional image or an array (GL 4.6 §8.5).
    fn glTexImage3D(gl, target: GLenum, level: GLint, internalformat: GLint, width: GLsizei, height: GLsizei,
            depth: GLsizei, border: GLint, format: GLenum, ty: GLenum, pixels: *const c_void) {
        let size = Size { width, height, depth };
        let a = TexImage { dims: 3, target, level, internal_format: internalformat, size, border, format, ty, pixels };
        let r = tex_image(gl, &a);
        gl.report(r)
    }
    /// Replaces a part of a one-dimensional image (GL 4.6 §8.6).
    fn glTexSubImage1D(gl, target: GLenum, level: GLint, xoffset: GLint, width: GLsizei, format: GLenum, ty: GLenum,
            pixels: *const c_void) {
        let (at, size) = (Place { x: xoffset, y: 0, z: 0 }, Size { width, height: 1, depth: 1 });
        let r = tex_sub_image(gl, &TexSubImage { dims: 1, target, level, at, size, format, ty, pixels });
        gl.report(r)
    }
    /// Replaces a part of a two-dimensional image, a cube map face or a one-dimensional array (GL 4.6 §8.6).
    fn glTexSubImage2D(gl, target: GLenum, level: GLint, xoffset: GLint, yoffset: GLint, width: GLsizei,
            height: GLsizei, format: GLenum, ty: GLenum, pixels: *const c_void) {
        let (at, size) = (Place { x: xoffset, y: yoffset, z: 0 }, Size { width, height, depth: 1 });
        let r = tex_sub_image(gl, &TexSubImage { dims: 2, target, level, at, size, format, ty, pixels });
        gl.report(r)
    }
    /// Replaces a part of a three-dimensional image or an array (GL 4.6 §8.6).
    fn glTexSubImage3D(gl, target: GLenum, level: GLint, xoffset: GLint, yoffset: GLint, zoffset: GLint,
            width: GLsizei, height: GLsizei, depth: GLsizei, format: GLenum, ty: GLenum, pixels: *const c_void) {
        let (at, size) = (Place { x: xoffset, y: yoffset, z: zoffset }, Size { width, height, depth });
        let r = tex_sub_image(gl, &TexSubImage { dims: 3, target, level, at, size, format, ty, pixels });
        gl.report(r)
    }
}
