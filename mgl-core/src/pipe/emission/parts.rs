//! The parts of a state that have content of their own.

use super::super::limits::level_extent;
use super::super::payload::*;
use super::super::pushed::PushedState;
use crate::format::Format;
use crate::handle::*;
use std::fmt;

/// A plane of a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Plane {
    /// Colour: the back buffer, or the only one.
    Back,
    /// Colour: the front buffer of a double-buffered surface.
    Front,
    /// Depth and stencil.
    DepthStencil,
}

/// A part of a state with content: all of a buffer, a level of a texture with its layers and faces, a renderbuffer, a plane
/// of a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A buffer.
    Buffer(BufferHandle),
    /// A level of a texture.
    Level(TextureHandle, u32),
    /// A renderbuffer.
    Renderbuffer(RenderbufferHandle),
    /// A plane of a surface.
    Surface(SurfaceHandle, Plane),
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Buffer(h) => write!(f, "{h:?}"),
            Self::Level(h, level) => write!(f, "{h:?} level {level}"),
            Self::Renderbuffer(h) => write!(f, "{h:?}"),
            Self::Surface(h, plane) => write!(f, "{h:?} {plane:?}"),
        }
    }
}

/// Shape of an image part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Image {
    /// Format of a texel.
    pub format: Format,
    /// Columns, rows, slices.
    pub extent: [u32; 3],
    /// Samples a texel; 0 or 1 of what is not multisampled.
    pub samples: u32,
}

impl Image {
    /// The whole of it.
    pub fn whole(&self) -> Box3 {
        let [width, height, depth] = self.extent;
        Box3 {
            width,
            height,
            depth,
            ..Box3::default()
        }
    }

    /// The samples of a texel.
    pub fn each_sample(&self) -> std::ops::Range<u32> {
        0..self.samples.max(1)
    }
}

impl Part {
    /// The shape of an image; `None` of a buffer, and of what is not there.
    #[must_use]
    pub fn image(self, s: &PushedState) -> Option<Image> {
        let of = |d: &ResourceDesc, level| {
            let (w, h, z) = level_extent(d, level);
            Image {
                format: d.format,
                extent: [w, h, z],
                samples: d.samples,
            }
        };
        match self {
            Self::Buffer(_) => None,
            Self::Level(t, level) => s.textures.get(t).ok().map(|e| of(&e.desc, level)),
            Self::Renderbuffer(r) => s.renderbuffers.get(r).ok().map(|e| of(&e.desc, 0)),
            Self::Surface(h, plane) => s.surfaces.get(h).ok().map(|d| Image {
                format: match plane {
                    Plane::DepthStencil => d.depth_stencil,
                    _ => d.color,
                },
                extent: [d.width, d.height, 1],
                samples: d.samples,
            }),
        }
    }
}

/// The parts of a state, objects in the order of their slots. Views and buffer textures show what others have.
pub fn parts(s: &PushedState) -> impl Iterator<Item = Part> + '_ {
    let buffers = s.buffers.iter().filter(|(_, b)| b.desc.size > 0);
    let textures = s
        .textures
        .iter()
        .filter(|(_, t)| t.desc.target != Target::TEXTURE_BUFFER && t.desc.view_of.is_null());
    let levels = textures
        .flat_map(|(h, t)| (0..t.desc.levels.max(1)).map(move |level| Part::Level(h, level)));
    let planes = s.surfaces.iter().flat_map(|(h, d)| {
        let double = d.double_buffered.get();
        let deep = !d.depth_stencil.is_none();
        [
            (true, Plane::Back),
            (double, Plane::Front),
            (deep, Plane::DepthStencil),
        ]
        .into_iter()
        .filter_map(move |(there, plane)| there.then_some(Part::Surface(h, plane)))
    });
    buffers
        .map(|(h, _)| Part::Buffer(h))
        .chain(levels)
        .chain(s.renderbuffers.iter().map(|(h, _)| Part::Renderbuffer(h)))
        .chain(planes)
}
