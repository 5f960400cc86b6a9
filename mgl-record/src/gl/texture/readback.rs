//! Reading textures back: glGetTexImage (GL 4.6 §8.11.4).

use super::Checked;
use super::image::check_level;
use super::transfer::{sink, touched};
use crate::consts::gl::*;
use crate::context::Gl;
use crate::gl::entry::gl_entry;
use crate::gl::types::*;
use crate::pixel::{PackRules, PixelError, pack, validate};
use crate::state::texture::{ImageTarget, TextureTarget};
use crate::tracker::textures::reconcile;
use core::ffi::c_void;

fn get_tex_image(
    gl: &mut Gl<'_>,
    (target, level): (GLenum, GLint),
    (format, ty): (GLenum, GLenum),
    size: Option<GLsizei>,
    pixels: *mut c_void,
) -> Checked {
    let t = ImageTarget::from_gl(target)
        .filter(|t| !t.proxy && t.target.image_dims() > 0)
        .ok_or(GL_INVALID_ENUM)?;
    let level = check_level(t.target, level)?;
    let id = gl.bound_texture(t.target);
    let profile = gl.pixel_profile();
    let Some(image) = gl.share.textures.objects[id].image(level, t.face) else {
        validate::transfer(format, ty, profile).map_err(PixelError::gl_error)?;
        return Ok(());
    };
    let (resolved, e) = (*image.resolved(), image.extent());
    let layout = validate::read(&resolved, format, ty, profile).map_err(PixelError::gl_error)?;
    let extent = if t.target == TextureTarget::D1Array {
        [e.width, e.depth, 1]
    } else {
        [e.width, e.height, e.depth]
    };
    let mut store = *gl.ctx.textures.pack_store();
    if t.target.image_dims() < 3 {
        store = store.without_images();
    }
    let range = touched(&layout, &store, extent)?;
    let out = sink(gl, pixels, &range, layout.element_bytes(), size)?;
    reconcile(gl, id, level, t.face)?;
    let Some(image) = gl.share.textures.objects[id].image(level, t.face) else {
        return Ok(());
    };
    let (row, slice) = (image.row_stride(), image.image_stride());
    // Copied, because writing into a pixel buffer object needs the share group.
    let bytes = if image.has_shadow() {
        image.shadow().to_vec()
    } else {
        vec![0; slice * e.depth as usize]
    };
    // SAFETY: the caller vouches for the memory that the transfer touches.
    unsafe {
        out.write(gl, &range, |target| {
            pack(
                &bytes,
                row,
                slice,
                &resolved,
                extent,
                &store,
                format,
                ty,
                target,
                PackRules::default(),
            )
            .map_err(PixelError::gl_error)
        })
    }
}

gl_entry! {
    /// Reads an image of a texture (GL 4.6 §8.11.4).
    fn glGetTexImage(gl, target: GLenum, level: GLint, format: GLenum, ty: GLenum, pixels: *mut c_void) {
        let r = get_tex_image(gl, (target, level), (format, ty), None, pixels);
        gl.report(r)
    }
    /// Reads an image of a texture into memory of a known size (GL 4.6 §8.11.4).
    fn glGetnTexImage(gl, target: GLenum, level: GLint, format: GLenum, ty: GLenum, bufSize: GLsizei,
            pixels: *mut c_void) {
        let r = get_tex_image(gl, (target, level), (format, ty), Some(bufSize), pixels);
        gl.report(r)
    }
}
