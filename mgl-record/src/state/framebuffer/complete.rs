//! Framebuffer completeness (GL 4.6 §9.4).
//!
//! Draw and read buffers may name attachment points to which nothing is attached, as since OpenGL 4.1: programs that
//! only draw depth rely on it. Depth and stencil must be the same image when there are both, as every back end demands:
//! that is what `GL_FRAMEBUFFER_UNSUPPORTED` is for.

use super::{Attached, Framebuffer};
use crate::consts::gl::*;
use crate::pixel::Resolved;
use crate::state::Share;
use crate::state::texture::TextureTarget;
use mgl_core::format::ComponentClass;
use mgl_core::pipe::{Attachment, Target};

/// An attached image, looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttachedImage {
    /// As it crosses the pipe.
    pub attachment: Attachment,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Samples, 0 for one.
    pub samples: u32,
    /// Fixed sample positions; renderbuffers count as having them.
    pub fixed_samples: bool,
    /// Format.
    pub resolved: Resolved,
    /// The pipe has storage for it.
    pub stored: bool,
}

/// The image of an attachment; `None` where there is none: the attachment is incomplete then (GL 4.6 §9.4.1).
#[must_use]
pub fn image(a: &Attached, share: &Share) -> Option<AttachedImage> {
    match *a {
        Attached::Renderbuffer(id) => {
            let r = share.renderbuffers.objects.get(id)?;
            let s = r.storage().filter(|s| s.width > 0 && s.height > 0)?;
            Some(AttachedImage {
                attachment: Attachment {
                    resource: r.handle().into(),
                    format: s.resolved.format,
                    target: Target::RENDERBUFFER,
                    ..Attachment::default()
                },
                width: s.width,
                height: s.height,
                samples: s.samples,
                fixed_samples: true,
                resolved: s.resolved,
                stored: true,
            })
        }
        Attached::Texture {
            texture,
            level,
            layer,
            layered,
        } => {
            let t = share.textures.objects.get(texture)?;
            let cube = t.target() == TextureTarget::Cube;
            let face = if cube { layer as usize } else { 0 };
            let i = t.image(level, face)?;
            let e = i.extent();
            let layers = if cube { 6 } else { e.depth };
            if layered && cube && !t.is_cube_complete() && level == t.base_level() {
                return None;
            }
            if !layered && layer >= layers {
                return None;
            }
            let stored = t
                .desc(&share.buffers)
                .is_some_and(|d| level < d.levels && d.format == i.resolved().format);
            Some(AttachedImage {
                attachment: Attachment {
                    resource: t.handle().into(),
                    format: i.resolved().format,
                    level,
                    layer,
                    layers: if layered { layers } else { 0 },
                    target: t.target().pipe(),
                },
                width: e.width,
                height: e.height,
                samples: i.spec().samples,
                fixed_samples: i.spec().fixed_samples,
                resolved: *i.resolved(),
                stored,
            })
        }
    }
}

/// What an attachment point takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Color,
    Depth,
    Stencil,
}

fn renderable(kind: Kind, r: &Resolved) -> bool {
    match kind {
        Kind::Color => r.is_color() && r.color_renderable(),
        Kind::Depth => matches!(
            r.class(),
            ComponentClass::Depth | ComponentClass::DepthStencil
        ),
        Kind::Stencil => matches!(
            r.class(),
            ComponentClass::Stencil | ComponentClass::DepthStencil
        ),
    }
}

/// `GL_FRAMEBUFFER_COMPLETE`, or why a framebuffer object is not (GL 4.6 §9.4.2).
#[must_use]
pub fn status(f: &Framebuffer, share: &Share) -> u32 {
    let points = f
        .color
        .iter()
        .map(|a| (Kind::Color, a))
        .chain([(Kind::Depth, &f.depth), (Kind::Stencil, &f.stencil)]);
    let mut images: Vec<(Kind, AttachedImage)> = Vec::new();
    for (kind, a) in points {
        let Some(a) = a else { continue };
        match image(a, share) {
            Some(i) if renderable(kind, &i.resolved) => images.push((kind, i)),
            _ => return GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT,
        }
    }
    let Some((_, first)) = images.first() else {
        return GL_FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT;
    };
    let samples = |i: &AttachedImage| i.samples.max(1);
    let alike = |i: &AttachedImage| {
        samples(i) == samples(first)
            && (samples(first) == 1 || i.fixed_samples == first.fixed_samples)
    };
    if !images.iter().all(|(_, i)| alike(i)) {
        return GL_FRAMEBUFFER_INCOMPLETE_MULTISAMPLE;
    }
    let layered = first.attachment.layers != 0;
    let mut colors = images.iter().filter(|(k, _)| *k == Kind::Color);
    let target = colors.next().map(|(_, i)| i.attachment.target);
    let same_layers = images
        .iter()
        .all(|(_, i)| (i.attachment.layers != 0) == layered);
    let same_target = !layered || colors.all(|(_, i)| Some(i.attachment.target) == target);
    if !same_layers || !same_target {
        return GL_FRAMEBUFFER_INCOMPLETE_LAYER_TARGETS;
    }
    let one_image = match (&f.depth, &f.stencil) {
        (Some(d), Some(s)) => d == s,
        _ => true,
    };
    if !one_image || !images.iter().all(|(_, i)| i.stored) {
        return GL_FRAMEBUFFER_UNSUPPORTED;
    }
    GL_FRAMEBUFFER_COMPLETE
}

/// Samples of a complete framebuffer object's images, 0 for single-sampled (GL_SAMPLES, GL 4.6 §9.2.3.1).
#[must_use]
pub fn samples(f: &Framebuffer, share: &Share) -> u32 {
    let mut points = f.color.iter().chain([&f.depth, &f.stencil]);
    points
        .find_map(|a| image(a.as_ref()?, share))
        .map_or(0, |i| if i.samples > 1 { i.samples } else { 0 })
}
