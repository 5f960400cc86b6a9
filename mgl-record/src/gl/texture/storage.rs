//! Storage other than by images: immutable, multisample, buffer textures; mipmap generation (GL 4.6 §8.8, §8.9, §8.14.4,
//! §8.19).

use super::Checked;
use super::image::{Size, affordable, check_format, check_size, mutable_texture};
use crate::consts::gl::*;
use crate::context::Gl;
use crate::gl::entry::gl_entry;
use crate::gl::limits::MAX_SAMPLES;
use crate::gl::types::*;
use crate::pixel::resolve::{resolve_renderbuffer, resolve_storage};
use crate::pixel::{PixelError, Resolved};
use crate::state::Id;
use crate::state::texture::{
    ImageSpec, ImageTarget, TexelBuffer, Texture, TextureTarget, shape::full_chain,
};
use crate::tracker::textures::flush_for_attachment;
use mgl_core::format::Format;
use mgl_core::pipe::{Call, GenerateMipmap};

/// Arguments of glTexStorage*.
struct TexStorage {
    dims: u32,
    target: GLenum,
    levels: GLsizei,
    internal_format: GLenum,
    size: Size,
}

/// The target of glTexStorage*: a cube map is named as a whole here.
fn storage_target(target: GLenum, dims: u32) -> Checked<(TextureTarget, bool)> {
    let found = if target == GL_TEXTURE_CUBE_MAP {
        Some((TextureTarget::Cube, false))
    } else {
        ImageTarget::from_gl(target)
            .filter(|t| t.target != TextureTarget::Cube || t.proxy)
            .map(|t| (t.target, t.proxy))
    };
    found
        .filter(|(t, _)| t.image_dims() == dims)
        .ok_or(GL_INVALID_ENUM)
}

fn tex_storage(gl: &mut Gl<'_>, a: &TexStorage) -> Checked {
    let (target, proxy) = storage_target(a.target, a.dims)?;
    let resolved =
        resolve_storage(a.internal_format, gl.pixel_profile()).map_err(PixelError::gl_error)?;
    check_format(target, &resolved)?;
    let levels = u32::try_from(a.levels).map_err(|_| GL_INVALID_VALUE)?;
    let (extent, fits) = check_size(target, 0, a.size)?;
    if levels == 0 || extent.is_empty() {
        return Err(GL_INVALID_VALUE);
    }
    let most = if target.has_levels() {
        full_chain(target, extent)
    } else {
        1
    };
    if levels > most {
        return Err(GL_INVALID_OPERATION);
    }
    let spec = ImageSpec {
        extent,
        resolved,
        samples: 0,
        fixed_samples: false,
    };
    let taken = fits && affordable(&spec);
    if proxy {
        gl.ctx.textures.set_proxy(target, 0, taken.then_some(spec));
        return Ok(());
    }
    if !fits {
        return Err(GL_INVALID_VALUE);
    }
    if gl.ctx.textures.active_unit().texture(target).is_none() {
        // The default texture cannot have immutable storage.
        return Err(GL_INVALID_OPERATION);
    }
    let id = mutable_texture(gl, target)?;
    if !taken {
        return Err(GL_OUT_OF_MEMORY);
    }
    gl.share.textures.objects[id].set_storage(levels, spec, gl.gens.touch());
    Ok(())
}

/// Arguments of glTexImage*Multisample.
struct Multisample {
    target: GLenum,
    layered: bool,
    samples: GLsizei,
    internal_format: GLenum,
    size: Size,
    fixed: GLboolean,
    immutable: bool,
}

fn multisample(gl: &mut Gl<'_>, a: &Multisample) -> Checked {
    let wanted = if a.layered {
        TextureTarget::D2MultisampleArray
    } else {
        TextureTarget::D2Multisample
    };
    let t = ImageTarget::from_gl(a.target)
        .filter(|t| t.target == wanted)
        .ok_or(GL_INVALID_ENUM)?;
    let samples = u32::try_from(a.samples)
        .ok()
        .filter(|&s| s > 0)
        .ok_or(GL_INVALID_VALUE)?;
    let resolved = resolve_renderbuffer(a.internal_format, gl.pixel_profile())
        .map_err(PixelError::gl_error)?;
    let (extent, fits) = check_size(t.target, 0, a.size)?;
    // A proxy says that there is no such image by being empty (GL 4.6 §8.22).
    let few = samples <= MAX_SAMPLES;
    if !few && !t.proxy {
        return Err(GL_INVALID_OPERATION);
    }
    let spec = ImageSpec {
        extent,
        resolved,
        samples,
        fixed_samples: a.fixed != 0,
    };
    let taken = few && fits && affordable(&spec);
    if t.proxy {
        gl.ctx
            .textures
            .set_proxy(t.target, 0, taken.then_some(spec));
        return Ok(());
    }
    if !fits || (a.immutable && extent.is_empty()) {
        return Err(GL_INVALID_VALUE);
    }
    let id = mutable_texture(gl, t.target)?;
    if !taken {
        return Err(GL_OUT_OF_MEMORY);
    }
    let texture = &mut gl.share.textures.objects[id];
    if a.immutable {
        texture.set_storage(1, spec, gl.gens.touch());
        Ok(())
    } else {
        texture.specify(0, 0, spec, None, gl.gens.touch())
    }
}

/// Formats of buffer textures (GL 4.6 table 8.20).
fn texel_format(internal_format: GLenum) -> Option<Resolved> {
    let known = matches!(
        internal_format,
        GL_R8
            | GL_R16
            | GL_R16F
            | GL_R32F
            | GL_R8I
            | GL_R16I
            | GL_R32I
            | GL_R8UI
            | GL_R16UI
            | GL_R32UI
            | GL_RG8
            | GL_RG16
            | GL_RG16F
            | GL_RG32F
            | GL_RG8I
            | GL_RG16I
            | GL_RG32I
            | GL_RG8UI
            | GL_RG16UI
            | GL_RG32UI
            | GL_RGBA8
            | GL_RGBA16
            | GL_RGBA16F
            | GL_RGBA32F
            | GL_RGBA8I
            | GL_RGBA16I
            | GL_RGBA32I
            | GL_RGBA8UI
            | GL_RGBA16UI
            | GL_RGBA32UI
    );
    Resolved::of_format(Format(internal_format)).filter(|_| known)
}

fn tex_buffer(gl: &mut Gl<'_>, target: GLenum, internal_format: GLenum, buffer: GLuint) -> Checked {
    if target != GL_TEXTURE_BUFFER {
        return Err(GL_INVALID_ENUM);
    }
    let resolved = texel_format(internal_format).ok_or(GL_INVALID_ENUM)?;
    let source = match buffer {
        0 => None,
        name => Some(gl.share.buffers.id(name).ok_or(GL_INVALID_OPERATION)?),
    };
    let id = gl.bound_texture(TextureTarget::Buffer);
    let texels = source.map(|buffer| TexelBuffer { buffer, resolved });
    gl.share.textures.objects[id].set_texel_buffer(texels, gl.gens.touch());
    Ok(())
}

/// glGenerateMipmap.
pub(crate) fn generate_mipmap(gl: &mut Gl<'_>, target: GLenum) -> Checked {
    let t = TextureTarget::from_gl(target)
        .filter(|t| t.has_levels())
        .ok_or(GL_INVALID_ENUM)?;
    let id = gl.bound_texture(t);
    let texture = &gl.share.textures.objects[id];
    if t == TextureTarget::Cube && !texture.is_cube_complete() {
        return Err(GL_INVALID_OPERATION);
    }
    if texture.base_level() >= texture.params().max_level {
        return Ok(());
    }
    if texture.image(texture.base_level(), 0).is_none() {
        return Err(GL_INVALID_OPERATION);
    }
    make_mipmap(gl, id);
    Ok(())
}

fn make_mipmap(gl: &mut Gl<'_>, id: Id<Texture>) {
    // The base level goes out as it is before its successors are made over.
    flush_for_attachment(gl, id);
    let texture = &mut gl.share.textures.objects[id];
    let Some((base_level, last_level)) = texture.make_chain(gl.gens.touch()) else {
        return;
    };
    let handle = texture.handle();
    if flush_for_attachment(gl, id) {
        gl.pipe.push(Call::GenerateMipmap {
            p: &GenerateMipmap {
                texture: handle,
                base_level,
                last_level,
                ..GenerateMipmap::default()
            },
        });
    }
}

/// `GL_GENERATE_MIPMAP` of the compatibility profile: a change of the base level makes the others anew (OpenGL 2.1
/// §3.8.8).
pub fn automatic_mipmap(gl: &mut Gl<'_>, id: Id<Texture>, level: u32) {
    let t = &gl.share.textures.objects[id];
    let complete = t.target() != TextureTarget::Cube || t.is_cube_complete();
    if t.params().generate_mipmap && level == t.base_level() && t.target().has_levels() && complete
    {
        make_mipmap(gl, id);
    }
}

gl_entry! {
    /// Immutable storage of a one-dimensional texture (GL 4.6 §8.19).
    fn glTexStorage1D(gl, target: GLenum, levels: GLsizei, internalformat: GLenum, width: GLsizei) {
        let size = Size { width, height: 1, depth: 1 };
        let r = tex_storage(gl, &TexStorage { dims: 1, target, levels, internal_format: internalformat, size });
        gl.report(r)
    }
    /// Immutable storage of a two-dimensional texture, a cube map or a one-dimensional array (GL 4.6 §8.19).
    fn glTexStorage2D(gl, target: GLenum, levels: GLsizei, internalformat: GLenum, width: GLsizei, height: GLsizei) {
        let size = Size { width, height, depth: 1 };
        let r = tex_storage(gl, &TexStorage { dims: 2, target, levels, internal_format: internalformat, size });
        gl.report(r)
    }
    /// Immutable storage of a three-dimensional texture or an array (GL 4.6 §8.19).
    fn glTexStorage3D(gl, target: GLenum, levels: GLsizei, internalformat: GLenum, width: GLsizei, height: GLsizei,
            depth: GLsizei) {
        let size = Size { width, height, depth };
        let r = tex_storage(gl, &TexStorage { dims: 3, target, levels, internal_format: internalformat, size });
        gl.report(r)
    }
    /// Storage of a multisample texture (GL 4.6 §8.8).
    fn glTexImage2DMultisample(gl, target: GLenum, samples: GLsizei, internalformat: GLenum, width: GLsizei,
            height: GLsizei, fixedsamplelocations: GLboolean) {
        let size = Size { width, height, depth: 1 };
        let r = multisample(gl, &Multisample { target, layered: false, samples, internal_format: internalformat, size,
            fixed: fixedsamplelocations, immutable: false });
        gl.report(r)
    }
    /// Storage of a multisample array texture (GL 4.6 §8.8).
    fn glTexImage3DMultisample(gl, target: GLenum, samples: GLsizei, internalformat: GLenum, width: GLsizei,
            height: GLsizei, depth: GLsizei, fixedsamplelocations: GLboolean) {
        let size = Size { width, height, depth };
        let r = multisample(gl, &Multisample { target, layered: true, samples, internal_format: internalformat, size,
            fixed: fixedsamplelocations, immutable: false });
        gl.report(r)
    }
    /// Immutable storage of a multisample texture (GL 4.6 §8.19).
    fn glTexStorage2DMultisample(gl, target: GLenum, samples: GLsizei, internalformat: GLenum, width: GLsizei,
            height: GLsizei, fixedsamplelocations: GLboolean) {
        let size = Size { width, height, depth: 1 };
        let r = multisample(gl, &Multisample { target, layered: false, samples, internal_format: internalformat, size,
            fixed: fixedsamplelocations, immutable: true });
        gl.report(r)
    }
    /// Immutable storage of a multisample array texture (GL 4.6 §8.19).
    fn glTexStorage3DMultisample(gl, target: GLenum, samples: GLsizei, internalformat: GLenum, width: GLsizei,
            height: GLsizei, depth: GLsizei, fixedsamplelocations: GLboolean) {
        let size = Size { width, height, depth };
        let r = multisample(gl, &Multisample { target, layered: true, samples, internal_format: internalformat, size,
            fixed: fixedsamplelocations, immutable: true });
        gl.report(r)
    }
    /// Makes a buffer the texels of a buffer texture (GL 4.6 §8.9).
    fn glTexBuffer(gl, target: GLenum, internalformat: GLenum, buffer: GLuint) {
        let r = tex_buffer(gl, target, internalformat, buffer);
        gl.report(r)
    }
    /// Makes the levels after the base level (GL 4.6 §8.14.4).
    fn glGenerateMipmap(gl, target: GLenum) {
        let r = generate_mipmap(gl, target);
        gl.report(r)
    }
}
