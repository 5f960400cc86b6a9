//! Textures and samplers, as programs call them.

mod completeness;
mod errors;
pub(super) mod log;
mod queries;
mod uploads;

use super::{Current, error, gl as on};
use crate::consts::gl::*;
use crate::context::{Gl, Profile};
use crate::gl::texture::image::{glTexImage2D, glTexSubImage2D};
use crate::gl::texture::params::glTexParameteri;
use crate::gl::texture::{glBindTexture, glGenTextures};
use crate::state::Id;
use crate::state::sampling::SamplerUse;
use crate::state::texture::{Texture, TextureTarget};
use crate::tracker::textures::validate;
use mgl_core::program::GlType;
use std::ffi::c_void;

/// A texture of a name that was just generated, bound.
fn texture(target: u32) -> u32 {
    let mut name = 0;
    // SAFETY: room for one name.
    unsafe {
        glGenTextures(1, &mut name);
        glBindTexture(target, name);
    }
    name
}

fn image(level: i32, width: i32, height: i32, pixels: Option<&[u8]>) {
    let p = pixels.map_or(std::ptr::null(), |p| p.as_ptr().cast::<c_void>());
    if let Some(p) = pixels {
        assert!(p.len() >= (width * height * 4) as usize);
    }
    // SAFETY: the slice has the size asserted.
    unsafe {
        glTexImage2D(
            GL_TEXTURE_2D,
            level,
            GL_RGBA8 as i32,
            width,
            height,
            0,
            GL_RGBA,
            GL_UNSIGNED_BYTE,
            p,
        );
    }
}

fn sub_image(x: i32, y: i32, width: i32, height: i32, value: u8) {
    let pixels = vec![value; (width * height * 4) as usize];
    // SAFETY: the slice has the size of the rectangle.
    unsafe {
        glTexSubImage2D(
            GL_TEXTURE_2D,
            0,
            x,
            y,
            width,
            height,
            GL_RGBA,
            GL_UNSIGNED_BYTE,
            pixels.as_ptr().cast(),
        );
    }
}

fn parameter(pname: u32, value: u32) {
    // SAFETY: no pointers.
    unsafe { glTexParameteri(GL_TEXTURE_2D, pname, value as i32) }
}

/// What a draw with one sampler on unit 0 does.
fn draw(gl: &mut Gl<'_>, ty: GlType) {
    // Another program may have drawn before.
    let _ = gl.gens.touch::<crate::state::dirty::Programs>();
    let wanted = SamplerUse::new(0, ty).expect("a sampler type");
    validate(gl, &[wanted]);
}

fn bound(gl: &mut Gl<'_>) -> Id<Texture> {
    gl.bound_texture(TextureTarget::D2)
}

/// A context of its own, in the share group of another if one is given.
fn current(profile: Profile, share: Option<&Current>) -> Current {
    Current::shared(profile, share.map(|c| &c.context))
}
