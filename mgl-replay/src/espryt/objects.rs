//! Native objects of the share group, by the handles that name them.

use super::attribs::Converted;
use super::context::Serial;
use super::depth::DepthReaders;
use super::device::Device;
use super::formats::Plan;
use super::painter::Painter;
use super::program::Program;
use super::queries::Query;
use super::samplers::Samplers;
use super::samples::Counters;
use super::steady::Steady;
use super::stream::Place;
use super::surfaces::Surface;
use super::units::Dummies;
use super::views::Views;
use glow::HasContext;
use mgl_core::handle::*;
use mgl_core::pipe::table::Table;
use mgl_core::pipe::{ResourceDesc, Swizzle, TextureParams};

/// A texture or a renderbuffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Name {
    /// With its native target.
    Texture(glow::Texture, u32),
    /// A renderbuffer.
    Renderbuffer(glow::Renderbuffer),
}

/// Storage of texels.
#[derive(Debug, Clone, Copy)]
pub struct Image {
    /// GL object.
    pub name: Name,
    /// Identity.
    pub serial: Serial,
    /// Format.
    pub plan: Plan,
    /// Texels of level 0.
    pub width: u32,
    /// Texels of level 0.
    pub height: u32,
    /// Slices of level 0, layers or faces.
    pub depth: u32,
    /// Levels.
    pub levels: u32,
    /// Samples, 0 for single-sampled.
    pub samples: u32,
    /// A buffer of a surface. Where the driver allows it, its rows lie in memory as those of a window do, so that
    /// rasterisation rounds as it does for a program that draws into its window.
    pub of_surface: bool,
}

impl Image {
    /// The texture, if it is one, with its native target.
    pub fn texture(&self) -> Option<(glow::Texture, u32)> {
        match self.name {
            Name::Texture(name, target) => Some((name, target)),
            Name::Renderbuffer(_) => None,
        }
    }

    /// Ends it.
    pub fn delete(&self, dev: &Device) {
        match self.name {
            Name::Texture(..) => dev.tally.textures_ended.one(),
            Name::Renderbuffer(_) => dev.tally.renderbuffers_ended.one(),
        }
        // SAFETY: a context of the share group is current, and the object lives.
        unsafe {
            match self.name {
                Name::Texture(name, _) => dev.gl.glow.delete_texture(name),
                Name::Renderbuffer(name) => dev.gl.glow.delete_renderbuffer(name),
            }
        }
    }
}

/// Parameters as a GL texture object has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Params {
    /// GL_TEXTURE_BASE_LEVEL.
    pub base: u32,
    /// GL_TEXTURE_MAX_LEVEL.
    pub max: u32,
    /// Swizzle.
    pub swizzle: [Swizzle; 4],
    /// GL_DEPTH_STENCIL_TEXTURE_MODE is GL_STENCIL_INDEX.
    pub stencil: bool,
}

impl Params {
    /// Of a new texture.
    pub const INITIAL: Self = Self {
        base: 0,
        max: 1000,
        swizzle: [Swizzle::RED, Swizzle::GREEN, Swizzle::BLUE, Swizzle::ALPHA],
        stencil: false,
    };
}

/// A texture.
#[derive(Debug, Clone, Copy)]
pub struct Texture {
    /// As last specified.
    pub desc: ResourceDesc,
    /// Storage.
    pub image: Image,
    /// Parameters that the GL object has.
    pub params: Params,
    /// What was pushed when `params` were made from it.
    pub pushed: Option<TextureParams>,
}

/// A buffer.
#[derive(Debug)]
pub struct Buffer {
    /// GL object.
    pub name: glow::Buffer,
    /// Identity.
    pub serial: Serial,
    /// Bytes.
    pub size: u64,
    /// Usage hint.
    pub usage: u32,
    /// A copy of the content, kept once the buffer was an index buffer whose indices had to be rewritten.
    pub mirror: Option<Vec<u8>>,
    /// Rises with every change of the content.
    pub version: u64,
}

/// See the module.
#[derive(Default)]
pub struct Objects {
    last_serial: Serial,
    /// Rises when an object that state names by handle got other storage, or ended.
    pub epoch: u64,
    /// Buffers.
    pub buffers: Table<BufferHandle, Buffer>,
    /// Textures.
    pub textures: Table<TextureHandle, Texture>,
    /// Renderbuffers.
    pub renderbuffers: Table<RenderbufferHandle, Image>,
    /// Presents wait for no display.
    pub at_once: bool,
    /// Surfaces.
    pub surfaces: Table<SurfaceHandle, Surface>,
    /// Programs.
    pub programs: Table<ShaderHandle, Program>,
    /// Sampler objects.
    pub samplers: Samplers,
    /// Views that need a GL object of their own.
    pub views: Views,
    /// Stand-ins for textures that are not there.
    pub dummies: Dummies,
    /// Fences.
    pub fences: Table<FenceHandle, Fence>,
    /// Queries.
    pub queries: Table<QueryHandle, Query>,
    /// Counters of samples that no query has.
    pub counters: Counters,
    /// Storage that ended and may be attached to framebuffers.
    pub dead_images: Vec<Serial>,
    /// Query objects that ended, with the context that they belong to.
    pub dead_queries: Vec<(u64, glow::Query)>,
    /// Programs that read depth and stencil.
    pub depth_readers: DepthReaders,
    /// Programs of blits that are drawn.
    pub painter: Painter,
    /// Vertices in forms that OpenGL ES reads.
    pub converted: Converted,
    /// Buffers of zeros, and how many, the smallest first.
    pub zeros: Vec<(Place, usize)>,
    /// What the last draw has left in place, while it is.
    pub steady: Option<Steady>,
}

/// A fence.
#[derive(Debug, Clone, Copy)]
pub struct Fence(pub glow::Fence);

// SAFETY: a sync object's name may be used from any thread.
unsafe impl Send for Fence {}

impl Objects {
    /// A fresh identity.
    pub fn serial(&mut self) -> Serial {
        self.last_serial += 1;
        self.last_serial
    }

    /// The identity given last; who makes an object raises it.
    pub fn last_serial(&mut self) -> &mut Serial {
        &mut self.last_serial
    }

    /// Storage was replaced or ended: what draws have resolved by handle is to be resolved anew.
    pub fn moved(&mut self) {
        self.epoch += 1;
    }
}
