//! Queries of framebuffer attachments (GL 4.6 §9.2.3).

use super::entry::gl_entry;
use super::framebuffer::{point, side};
use super::texture::Checked;
use super::texture::params::deliver;
use super::types::*;
use crate::consts::gl::*;
use crate::context::{BoundSurface, Gl};
use crate::pixel::Resolved;
use crate::state::framebuffer::complete::image;
use crate::state::framebuffer::{Attached, Point, Side};
use crate::state::texture::TextureTarget;
use crate::tracker::framebuffer::surface;
use mgl_core::format::Format;

/// Which part of a depth-stencil image is asked about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Color,
    Depth,
    Stencil,
    DepthStencil,
}

/// Properties of an attachment's format.
fn of_format(r: &Resolved, part: Part, pname: GLenum) -> Option<GLint> {
    let s = r.sizes;
    Some(match pname {
        GL_FRAMEBUFFER_ATTACHMENT_RED_SIZE => s.red.into(),
        GL_FRAMEBUFFER_ATTACHMENT_GREEN_SIZE => s.green.into(),
        GL_FRAMEBUFFER_ATTACHMENT_BLUE_SIZE => s.blue.into(),
        GL_FRAMEBUFFER_ATTACHMENT_ALPHA_SIZE => s.alpha.into(),
        GL_FRAMEBUFFER_ATTACHMENT_DEPTH_SIZE => s.depth.into(),
        GL_FRAMEBUFFER_ATTACHMENT_STENCIL_SIZE => s.stencil.into(),
        GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE => match part {
            Part::Stencil => GL_INDEX as GLint,
            Part::Depth => r.component_type(s.depth) as GLint,
            _ => {
                let size = s.red.max(s.alpha).max(s.luminance).max(s.intensity);
                r.component_type(size) as GLint
            }
        },
        GL_FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING => {
            let srgb = r.format.info().is_some_and(|f| f.srgb);
            (if srgb { GL_SRGB } else { GL_LINEAR }) as GLint
        }
        _ => return None,
    })
}

/// Attachments of the default framebuffer (GL 4.6 §9.2.3).
fn of_default(gl: &Gl<'_>, side: Side, attachment: GLenum, pname: GLenum) -> Checked<GLint> {
    let s: Option<BoundSurface> = surface(gl, side);
    let double = s.is_some_and(|s| s.desc.double_buffered.get());
    let (format, part) = match attachment {
        GL_FRONT | GL_FRONT_LEFT => (s.map(|s| s.desc.color), Part::Color),
        GL_BACK | GL_BACK_LEFT => (s.filter(|_| double).map(|s| s.desc.color), Part::Color),
        GL_FRONT_RIGHT | GL_BACK_RIGHT | GL_AUX0..=GL_AUX3 => (None, Part::Color),
        GL_DEPTH => (s.map(|s| s.desc.depth_stencil), Part::Depth),
        GL_STENCIL => (s.map(|s| s.desc.depth_stencil), Part::Stencil),
        _ => return Err(GL_INVALID_ENUM),
    };
    let has = |f: &Format| {
        f.info().is_some_and(|i| match part {
            Part::Depth => i.has_depth(),
            Part::Stencil => i.has_stencil(),
            _ => i.is_color(),
        })
    };
    let resolved = format.filter(has).and_then(Resolved::of_format);
    match (pname, resolved) {
        (GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE, None) => Ok(GL_NONE as GLint),
        (GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE, Some(_)) => Ok(GL_FRAMEBUFFER_DEFAULT as GLint),
        (GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME, None) => Ok(0),
        (_, None) => Err(GL_INVALID_OPERATION),
        (_, Some(r)) => of_format(&r, part, pname).ok_or(GL_INVALID_ENUM),
    }
}

fn parameter(gl: &Gl<'_>, target: GLenum, attachment: GLenum, pname: GLenum) -> Checked<GLint> {
    let side = side(target)?;
    let Some(f) = gl.ctx.framebuffers.object(side) else {
        return of_default(gl, side, attachment, pname);
    };
    let at = point(attachment)?;
    let part = match at {
        Point::Color(_) => Part::Color,
        Point::Depth => Part::Depth,
        Point::Stencil => Part::Stencil,
        Point::DepthStencil => Part::DepthStencil,
    };
    if at == Point::DepthStencil {
        let one = f.attached(Point::Depth) == f.attached(Point::Stencil);
        if !one || pname == GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE {
            return Err(GL_INVALID_OPERATION);
        }
    }
    let Some(a) = f.attached(at) else {
        return match pname {
            GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE => Ok(GL_NONE as GLint),
            GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME => Ok(0),
            _ => Err(GL_INVALID_OPERATION),
        };
    };
    let found = image(a, gl.share);
    if let Some(v) = found.and_then(|i| of_format(&i.resolved, part, pname)) {
        return Ok(v);
    }
    match *a {
        Attached::Renderbuffer(id) => match pname {
            GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE => Ok(GL_RENDERBUFFER as GLint),
            GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME => {
                let r = gl.share.renderbuffers.objects.get(id);
                Ok(r.map_or(0, |r| r.name()) as GLint)
            }
            _ => Err(GL_INVALID_ENUM),
        },
        Attached::Texture {
            texture,
            level,
            layer,
            layered,
        } => {
            let t = gl.share.textures.objects.get(texture);
            let cube = t.is_some_and(|t| t.target() == TextureTarget::Cube);
            let slices = t.is_some_and(|t| t.target().has_slices());
            match pname {
                GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE => Ok(GL_TEXTURE as GLint),
                GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME => Ok(t.map_or(0, |t| t.name()) as GLint),
                GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL => Ok(level as GLint),
                GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_CUBE_MAP_FACE => Ok(if cube && !layered {
                    (GL_TEXTURE_CUBE_MAP_POSITIVE_X + layer) as GLint
                } else {
                    0
                }),
                GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LAYER => {
                    Ok(if slices { layer as GLint } else { 0 })
                }
                GL_FRAMEBUFFER_ATTACHMENT_LAYERED => Ok(GLint::from(layered)),
                _ => Err(GL_INVALID_ENUM),
            }
        }
    }
}

gl_entry! {
    /// Reads a property of an attachment (GL 4.6 §9.2.3).
    fn glGetFramebufferAttachmentParameteriv(gl, target: GLenum, attachment: GLenum, pname: GLenum,
            params: *mut GLint) {
        match parameter(gl, target, attachment, pname) {
            // SAFETY: the caller vouches for the value.
            Ok(v) => unsafe { deliver(params, [v; 4], 1) },
            Err(e) => gl.raise(e),
        }
    }
}
