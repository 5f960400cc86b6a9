//! Texture objects and units (GL 4.6 §8.1): names, bindings, and what the other files of this folder share.
//!
//! - [`image`]: glTexImage*, glTexSubImage*, proxies;
//! - [`storage`]: immutable storage, multisample images, buffer textures, mipmap generation;
//! - [`compressed`]: compressed images;
//! - [`copy`]: images from the framebuffer;
//! - [`params`]: parameters and queries;
//! - [`readback`]: glGetTexImage and kin;
//! - [`transfer`]: client memory and pixel buffer objects, pixel store modes.

pub mod compressed;
pub mod copy;
pub mod image;
pub mod params;
pub mod readback;
pub mod storage;
pub mod transfer;

use super::entry::gl_entry;
use super::limits::MAX_COMBINED_TEXTURE_IMAGE_UNITS;
use super::types::*;
use crate::consts::gl::*;
use crate::context::Gl;
use crate::pixel::Profile;
use crate::state::Id;
use crate::state::framebuffer::Attached;
use crate::state::texture::{Texture, TextureTarget};

/// What an entry point's body gives: nothing, or the error to raise.
pub type Checked<T = ()> = Result<T, GLenum>;

impl Gl<'_> {
    /// Raises the error of a body that failed.
    pub fn report(&mut self, r: Checked) {
        if let Err(e) = r {
            self.raise(e);
        }
    }
    /// The profile, as pixel transfers know it.
    #[must_use]
    pub fn pixel_profile(&self) -> Profile {
        if self.is_core() {
            Profile::Core
        } else {
            Profile::Compatibility
        }
    }
    /// The texture bound to a target of the selected unit; the default texture is made when it is asked for first.
    pub fn bound_texture(&mut self, target: TextureTarget) -> Id<Texture> {
        match self.ctx.textures.active_unit().texture(target) {
            Some(id) => id,
            None => self.default_texture(target),
        }
    }
    fn default_texture(&mut self, target: TextureTarget) -> Id<Texture> {
        let defaults = &mut self.share.default_textures;
        if defaults.len() < TextureTarget::COUNT {
            defaults.resize(TextureTarget::COUNT, None);
        }
        if let Some(id) = defaults[target.index()] {
            return id;
        }
        let t = Texture::new(0, target, !self.is_core(), self.pipe);
        let id = self.share.textures.objects.insert(t);
        self.share.default_textures[target.index()] = Some(id);
        id
    }
}

/// Writes generated names.
///
/// # Safety
///
/// `out` is null or has room for `n` names.
pub(super) unsafe fn generate(
    n: GLsizei,
    out: *mut GLuint,
    mut name: impl FnMut() -> GLuint,
) -> Checked {
    let n = usize::try_from(n).map_err(|_| GL_INVALID_VALUE)?;
    if out.is_null() {
        return Ok(());
    }
    for i in 0..n {
        // SAFETY: by this function's contract.
        unsafe { *out.add(i) = name() }
    }
    Ok(())
}

/// The names handed to a glDelete*.
///
/// # Safety
///
/// `names` is null or holds `n` names that stay valid as long as they are used.
pub(super) unsafe fn names<'a>(n: GLsizei, names: *const GLuint) -> Checked<&'a [GLuint]> {
    let n = usize::try_from(n).map_err(|_| GL_INVALID_VALUE)?;
    if names.is_null() || n == 0 {
        return Ok(&[]);
    }
    // SAFETY: by this function's contract.
    Ok(unsafe { std::slice::from_raw_parts(names, n) })
}

fn bind(gl: &mut Gl<'_>, target: GLenum, name: GLuint) -> Checked {
    let target = TextureTarget::from_gl(target).ok_or(GL_INVALID_ENUM)?;
    let unit = gl.ctx.textures.active();
    let texture = if name == 0 {
        None
    } else {
        let id = match gl.share.textures.id(name) {
            Some(id) => id,
            None if gl.is_core() && !gl.share.textures.is_reserved(name) => {
                return Err(GL_INVALID_OPERATION);
            }
            None => {
                let t = Texture::new(name, target, !gl.is_core(), gl.pipe);
                gl.share.textures.create(name, t)
            }
        };
        if gl.share.textures.objects[id].target() != target {
            return Err(GL_INVALID_OPERATION);
        }
        Some(id)
    };
    if gl.ctx.textures.unit(unit).texture(target) != texture {
        gl.ctx.textures.bind(unit, target, texture, gl.gens.touch());
    }
    Ok(())
}

pub(crate) fn delete(gl: &mut Gl<'_>, list: &[GLuint]) {
    for &name in list.iter().filter(|&&n| n != 0) {
        if let Some(id) = gl.share.textures.delete(name) {
            gl.share.deleted += 1;
            gl.ctx.textures.unbind(id, gl.gens.touch());
            gl.ctx.framebuffers.detach(
                |a| matches!(a, Attached::Texture { texture, .. } if *texture == id),
                gl.gens.touch(),
            );
        }
    }
}

gl_entry! {
    /// Names for textures (GL 4.6 §8.1).
    fn glGenTextures(gl, n: GLsizei, textures: *mut GLuint) {
        // SAFETY: the caller vouches for the array.
        let r = unsafe { generate(n, textures, || gl.share.textures.reserve()) };
        gl.report(r)
    }
    /// Ends textures' names (GL 4.6 §8.1).
    fn glDeleteTextures(gl, n: GLsizei, textures: *const GLuint) {
        // SAFETY: the caller vouches for the array.
        match unsafe { names(n, textures) } {
            Ok(list) => delete(gl, list),
            Err(e) => gl.raise(e),
        }
    }
    /// Whether a name is a texture's (GL 4.6 §8.1).
    fn glIsTexture(gl, texture: GLuint) -> GLboolean {
        u8::from(gl.share.textures.id(texture).is_some())
    }
    /// Binds a texture to a target of the selected unit (GL 4.6 §8.1).
    fn glBindTexture(gl, target: GLenum, texture: GLuint) {
        let r = bind(gl, target, texture);
        gl.report(r)
    }
    /// Selects a texture unit (GL 4.6 §2.1).
    fn glActiveTexture(gl, texture: GLenum) {
        let unit = texture.wrapping_sub(GL_TEXTURE0);
        if unit < MAX_COMBINED_TEXTURE_IMAGE_UNITS {
            gl.ctx.textures.set_active(unit)
        } else {
            gl.raise(GL_INVALID_ENUM)
        }
    }
}
