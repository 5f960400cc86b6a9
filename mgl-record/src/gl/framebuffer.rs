//! Framebuffer objects: names, attachments, draw and read buffers (GL 4.6 §9.2, §17.4.1, §18.2.1). Queries of attachments
//! and blits are in [`super::framebuffer_query`] and [`super::blit`].

use super::entry::gl_entry;
use super::limits::{MAX_3D_TEXTURE_SIZE, MAX_ARRAY_TEXTURE_LAYERS};
use super::texture::image::check_level;
use super::texture::{Checked, generate, names};
use super::types::*;
use crate::consts::gl::*;
use crate::context::Gl;
use crate::state::framebuffer::{Attached, Point, Side};
use crate::state::texture::{ImageTarget, TextureTarget};
use crate::tracker::framebuffer;
use mgl_core::pipe::MAX_COLOR_ATTACHMENTS;

/// The bindings of a framebuffer target: `GL_FRAMEBUFFER` is both for binding, and the draw framebuffer otherwise.
///
/// # Errors
///
/// `GL_INVALID_ENUM` for another target.
pub fn side(target: GLenum) -> Checked<Side> {
    match target {
        GL_FRAMEBUFFER | GL_DRAW_FRAMEBUFFER => Ok(Side::Draw),
        GL_READ_FRAMEBUFFER => Ok(Side::Read),
        _ => Err(GL_INVALID_ENUM),
    }
}

/// The attachment point of a framebuffer object.
///
/// # Errors
///
/// `GL_INVALID_OPERATION` for a colour attachment that the implementation lacks, `GL_INVALID_ENUM` for what is none.
pub fn point(attachment: GLenum) -> Checked<Point> {
    match attachment {
        GL_DEPTH_ATTACHMENT => Ok(Point::Depth),
        GL_STENCIL_ATTACHMENT => Ok(Point::Stencil),
        GL_DEPTH_STENCIL_ATTACHMENT => Ok(Point::DepthStencil),
        GL_COLOR_ATTACHMENT0..=GL_COLOR_ATTACHMENT31 => {
            let i = (attachment - GL_COLOR_ATTACHMENT0) as usize;
            if i < MAX_COLOR_ATTACHMENTS {
                Ok(Point::Color(i))
            } else {
                Err(GL_INVALID_OPERATION)
            }
        }
        _ => Err(GL_INVALID_ENUM),
    }
}

fn bind(gl: &mut Gl<'_>, target: GLenum, name: GLuint, generated_only: bool) -> Checked {
    let sides: &[Side] = match target {
        GL_FRAMEBUFFER => &[Side::Draw, Side::Read],
        GL_DRAW_FRAMEBUFFER => &[Side::Draw],
        GL_READ_FRAMEBUFFER => &[Side::Read],
        _ => return Err(GL_INVALID_ENUM),
    };
    let f = &mut gl.ctx.framebuffers;
    if generated_only && name != 0 && !f.table().is_reserved(name) {
        return Err(GL_INVALID_OPERATION);
    }
    let id = (name != 0).then(|| f.create(name, gl.pipe));
    for &s in sides {
        if f.bound(s) != id {
            f.bind(s, id, gl.gens.touch());
        }
    }
    Ok(())
}

/// Attaches, unless that changes nothing; a framebuffer object must be bound.
fn attach(gl: &mut Gl<'_>, target: GLenum, attachment: GLenum, what: Option<Attached>) -> Checked {
    let side = side(target)?;
    let f = gl
        .ctx
        .framebuffers
        .object(side)
        .ok_or(GL_INVALID_OPERATION)?;
    let point = point(attachment)?;
    let same = f.attached(point).copied() == what
        && (point != Point::DepthStencil || f.attached(Point::Stencil).copied() == what);
    if !same {
        let token = gl.gens.touch();
        gl.ctx.framebuffers.attach(side, point, what, token);
    }
    Ok(())
}

/// Which attaching entry point.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// glFramebufferTexture*D with its texture target.
    Image { dims: u32, textarget: GLenum },
    /// glFramebufferTextureLayer.
    Layer,
    /// glFramebufferTexture.
    Whole,
}

/// What a texture attachment call attaches; `None` for texture 0.
fn texture(
    gl: &Gl<'_>,
    by: By,
    name: GLuint,
    level: GLint,
    layer: GLint,
) -> Checked<Option<Attached>> {
    if name == 0 {
        return Ok(None);
    }
    let id = gl.share.textures.id(name).ok_or(match by {
        By::Whole => GL_INVALID_VALUE,
        _ => GL_INVALID_OPERATION,
    })?;
    let target = gl.share.textures.objects[id].target();
    let (mut slice, mut layered) = (0, false);
    match by {
        By::Image { dims, textarget } => {
            let t = ImageTarget::from_gl(textarget)
                .filter(|t| !t.proxy)
                .ok_or(GL_INVALID_ENUM)?;
            let takes = match t.target {
                TextureTarget::D1 => dims == 1,
                TextureTarget::D2
                | TextureTarget::Rectangle
                | TextureTarget::Cube
                | TextureTarget::D2Multisample => dims == 2,
                TextureTarget::D3 => dims == 3,
                _ => false,
            };
            if !takes || t.target != target {
                return Err(GL_INVALID_OPERATION);
            }
            slice = if target == TextureTarget::D3 {
                layer
            } else {
                t.face as GLint
            };
        }
        By::Layer => {
            if !target.has_slices() && target != TextureTarget::Cube {
                return Err(GL_INVALID_OPERATION);
            }
            slice = layer;
        }
        By::Whole => {
            if target == TextureTarget::Buffer {
                return Err(GL_INVALID_OPERATION);
            }
            layered = target.has_slices() || target == TextureTarget::Cube;
        }
    }
    let slices = match target {
        TextureTarget::D3 => MAX_3D_TEXTURE_SIZE,
        TextureTarget::Cube => 6,
        _ => MAX_ARRAY_TEXTURE_LAYERS,
    };
    let layer = u32::try_from(slice)
        .ok()
        .filter(|&l| l < slices)
        .ok_or(GL_INVALID_VALUE)?;
    let level = check_level(target, level)?;
    Ok(Some(Attached::Texture {
        texture: id,
        level,
        layer,
        layered,
    }))
}

/// Attaches a texture. The framebuffer's errors come first, as in the specification's lists.
fn attach_texture(
    gl: &mut Gl<'_>,
    (target, attachment): (GLenum, GLenum),
    by: By,
    name: GLuint,
    (level, layer): (GLint, GLint),
) -> Checked {
    let s = side(target)?;
    if gl.ctx.framebuffers.bound(s).is_none() {
        return Err(GL_INVALID_OPERATION);
    }
    point(attachment)?;
    let what = texture(gl, by, name, level, layer)?;
    attach(gl, target, attachment, what)
}

fn attach_renderbuffer(
    gl: &mut Gl<'_>,
    (target, attachment): (GLenum, GLenum),
    kind: GLenum,
    name: GLuint,
) -> Checked {
    let s = side(target)?;
    if kind != GL_RENDERBUFFER && name != 0 {
        return Err(GL_INVALID_ENUM);
    }
    if gl.ctx.framebuffers.bound(s).is_none() {
        return Err(GL_INVALID_OPERATION);
    }
    let what = match name {
        0 => None,
        n => Some(Attached::Renderbuffer(
            gl.share.renderbuffers.id(n).ok_or(GL_INVALID_OPERATION)?,
        )),
    };
    attach(gl, target, attachment, what)
}

/// Whether an enumerant names buffers of a default framebuffer (GL 4.6 tables 17.4 and 17.5).
fn is_default_buffer(b: GLenum) -> bool {
    matches!(
        b,
        GL_FRONT_LEFT
            | GL_FRONT_RIGHT
            | GL_BACK_LEFT
            | GL_BACK_RIGHT
            | GL_FRONT
            | GL_BACK
            | GL_LEFT
            | GL_RIGHT
            | GL_FRONT_AND_BACK
            | GL_AUX0..=GL_AUX3
    )
}

/// Checks one draw or read buffer against the bound framebuffer.
fn check_buffer(gl: &Gl<'_>, side: Side, buffer: GLenum) -> Checked {
    let object = gl.ctx.framebuffers.bound(side).is_some();
    match buffer {
        GL_NONE => Ok(()),
        GL_COLOR_ATTACHMENT0..=GL_COLOR_ATTACHMENT31 => {
            let i = (buffer - GL_COLOR_ATTACHMENT0) as usize;
            if object && i < MAX_COLOR_ATTACHMENTS {
                Ok(())
            } else {
                Err(GL_INVALID_OPERATION)
            }
        }
        b if !is_default_buffer(b) => Err(GL_INVALID_ENUM),
        // There are no stereo and no auxiliary buffers.
        GL_FRONT_RIGHT | GL_BACK_RIGHT | GL_RIGHT | GL_AUX0..=GL_AUX3 => Err(GL_INVALID_OPERATION),
        _ if object => Err(GL_INVALID_OPERATION),
        _ => Ok(()),
    }
}

fn draw_buffer(gl: &mut Gl<'_>, buffer: GLenum) -> Checked {
    check_buffer(gl, Side::Draw, buffer)?;
    let mut all = [GL_NONE; MAX_COLOR_ATTACHMENTS];
    all[0] = buffer;
    set_draw_buffers(gl, all);
    Ok(())
}

fn set_draw_buffers(gl: &mut Gl<'_>, all: [GLenum; MAX_COLOR_ATTACHMENTS]) {
    if *gl.ctx.framebuffers.draw_buffers() != all {
        gl.ctx.framebuffers.set_draw_buffers(all, gl.gens.touch());
    }
}

fn draw_buffers(gl: &mut Gl<'_>, list: &[GLenum]) -> Checked {
    if list.len() > MAX_COLOR_ATTACHMENTS {
        return Err(GL_INVALID_VALUE);
    }
    let mut all = [GL_NONE; MAX_COLOR_ATTACHMENTS];
    for (i, &b) in list.iter().enumerate() {
        // Enumerants of several buffers cannot stand in a list; GL_BACK can stand alone, as since 4.5.
        if matches!(b, GL_FRONT | GL_LEFT | GL_RIGHT | GL_FRONT_AND_BACK) {
            return Err(GL_INVALID_ENUM);
        }
        if b == GL_BACK && list.len() > 1 {
            return Err(GL_INVALID_OPERATION);
        }
        check_buffer(gl, Side::Draw, b)?;
        if b != GL_NONE && all.contains(&b) {
            return Err(GL_INVALID_OPERATION);
        }
        all[i] = b;
    }
    set_draw_buffers(gl, all);
    Ok(())
}

fn read_buffer(gl: &mut Gl<'_>, buffer: GLenum) -> Checked {
    if buffer == GL_FRONT_AND_BACK {
        return Err(GL_INVALID_ENUM);
    }
    check_buffer(gl, Side::Read, buffer)?;
    if gl.ctx.framebuffers.read_buffer() != buffer {
        gl.ctx.framebuffers.set_read_buffer(buffer, gl.gens.touch());
    }
    Ok(())
}

/// Draw buffers as they were kept (glPopAttrib), unless the framebuffer that is bound by now has none of that name.
pub(super) fn restore_draw_buffers(gl: &mut Gl<'_>, all: [GLenum; MAX_COLOR_ATTACHMENTS]) {
    if all.iter().all(|&b| check_buffer(gl, Side::Draw, b).is_ok()) {
        set_draw_buffers(gl, all);
    }
}

/// A read buffer as it was kept, as [`restore_draw_buffers`].
pub(super) fn restore_read_buffer(gl: &mut Gl<'_>, buffer: GLenum) {
    // One that the framebuffer lacks leaves its own.
    let _ = read_buffer(gl, buffer);
}

gl_entry! {
    /// Names for framebuffers (GL 4.6 §9.2).
    fn glGenFramebuffers(gl, n: GLsizei, framebuffers: *mut GLuint) {
        // SAFETY: the caller vouches for the array.
        let r = unsafe { generate(n, framebuffers, || gl.ctx.framebuffers.reserve()) };
        gl.report(r)
    }
    /// Ends framebuffers (GL 4.6 §9.2).
    fn glDeleteFramebuffers(gl, n: GLsizei, framebuffers: *const GLuint) {
        // SAFETY: the caller vouches for the array.
        match unsafe { names(n, framebuffers) } {
            Ok(list) => {
                for &name in list {
                    gl.ctx.framebuffers.delete(name, gl.pipe, gl.gens.touch());
                }
            }
            Err(e) => gl.raise(e),
        }
    }
    /// Whether a name is a framebuffer's (GL 4.6 §9.2).
    fn glIsFramebuffer(gl, framebuffer: GLuint) -> GLboolean {
        u8::from(gl.ctx.framebuffers.table().id(framebuffer).is_some())
    }
    /// Binds a framebuffer (GL 4.6 §9.2).
    fn glBindFramebuffer(gl, target: GLenum, framebuffer: GLuint) {
        let r = bind(gl, target, framebuffer, true);
        gl.report(r)
    }
    /// Binds a framebuffer, whose name need not have been generated (EXT_framebuffer_object).
    fn glBindFramebufferEXT(gl, target: GLenum, framebuffer: GLuint) {
        let r = bind(gl, target, framebuffer, false);
        gl.report(r)
    }
    /// Completeness of a bound framebuffer (GL 4.6 §9.4.2).
    fn glCheckFramebufferStatus(gl, target: GLenum) -> GLenum {
        match side(target) {
            Ok(s) => framebuffer::completeness(gl, s),
            Err(e) => {
                gl.raise(e);
                0
            }
        }
    }
    /// Attaches a level of a texture, layered if it has layers (GL 4.6 §9.2.8).
    fn glFramebufferTexture(gl, target: GLenum, attachment: GLenum, texture: GLuint, level: GLint) {
        let r = attach_texture(gl, (target, attachment), By::Whole, texture, (level, 0));
        gl.report(r)
    }
    /// Attaches a level of a one-dimensional texture (GL 4.6 §9.2.8).
    fn glFramebufferTexture1D(gl, target: GLenum, attachment: GLenum, textarget: GLenum, texture: GLuint,
            level: GLint) {
        let by = By::Image { dims: 1, textarget };
        let r = attach_texture(gl, (target, attachment), by, texture, (level, 0));
        gl.report(r)
    }
    /// Attaches a level of a two-dimensional texture, or a face of a cube map (GL 4.6 §9.2.8).
    fn glFramebufferTexture2D(gl, target: GLenum, attachment: GLenum, textarget: GLenum, texture: GLuint,
            level: GLint) {
        let by = By::Image { dims: 2, textarget };
        let r = attach_texture(gl, (target, attachment), by, texture, (level, 0));
        gl.report(r)
    }
    /// Attaches a slice of a three-dimensional texture (GL 4.6 §9.2.8).
    fn glFramebufferTexture3D(gl, target: GLenum, attachment: GLenum, textarget: GLenum, texture: GLuint,
            level: GLint, zoffset: GLint) {
        let by = By::Image { dims: 3, textarget };
        let r = attach_texture(gl, (target, attachment), by, texture, (level, zoffset));
        gl.report(r)
    }
    /// Attaches a layer or slice of a texture (GL 4.6 §9.2.8).
    fn glFramebufferTextureLayer(gl, target: GLenum, attachment: GLenum, texture: GLuint, level: GLint,
            layer: GLint) {
        let r = attach_texture(gl, (target, attachment), By::Layer, texture, (level, layer));
        gl.report(r)
    }
    /// Attaches a renderbuffer (GL 4.6 §9.2.7).
    fn glFramebufferRenderbuffer(gl, target: GLenum, attachment: GLenum, renderbuffertarget: GLenum,
            renderbuffer: GLuint) {
        let r = attach_renderbuffer(gl, (target, attachment), renderbuffertarget, renderbuffer);
        gl.report(r)
    }
    /// Selects the one buffer that colours go to (GL 4.6 §17.4.1).
    fn glDrawBuffer(gl, buf: GLenum) {
        let r = draw_buffer(gl, buf);
        gl.report(r)
    }
    /// Selects the buffers that colours go to (GL 4.6 §17.4.1).
    fn glDrawBuffers(gl, n: GLsizei, bufs: *const GLenum) {
        // SAFETY: the caller vouches for the array.
        let r = unsafe { names(n, bufs) }.and_then(|list| draw_buffers(gl, list));
        gl.report(r)
    }
    /// Selects the buffer that colours are read from (GL 4.6 §18.2.1).
    fn glReadBuffer(gl, src: GLenum) {
        let r = read_buffer(gl, src);
        gl.report(r)
    }
}
