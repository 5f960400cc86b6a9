//! Native objects of the share group, by the handles that name them. All contexts share one device, so there is one set.

use super::formats::Plan;
use super::images::Images;
use super::memory::RawBuffer;
use super::program::Program;
use super::queries::Query;
use super::recorder::Access;
use super::samplers::Samplers;
use super::surfaces::Surface;
use ash::vk;
use mgl_core::format::FormatInfo;
use mgl_core::handle::*;
use mgl_core::pipe::ResourceDesc;
use mgl_core::pipe::table::Table;

/// Number of an image in [`Images`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ImageId(pub u32);

/// A part of an image: what a texture or renderbuffer is.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    /// The image.
    pub image: ImageId,
    /// Format that it is seen as.
    pub plan: Plan,
    /// First level.
    pub first_level: u32,
    /// Levels.
    pub levels: u32,
    /// First layer.
    pub first_layer: u32,
    /// Layers; 1 for three-dimensional images.
    pub layers: u32,
}

/// Bytes of a buffer, seen as texels.
#[derive(Debug, Clone, Copy)]
pub struct Texels {
    /// The buffer; null for none.
    pub buffer: BufferHandle,
    /// The pipe's format.
    pub info: Option<&'static FormatInfo>,
    /// Vulkan's format.
    pub format: vk::Format,
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
    /// Vulkan's view, and the buffer's identity when it was made.
    pub view: Option<(vk::BufferView, u64)>,
}

/// What a texture stores its texels in.
#[derive(Debug, Clone, Copy)]
pub enum Storage {
    /// An image.
    Image(Window),
    /// A buffer.
    Buffer(Texels),
}

/// A texture.
#[derive(Debug, Clone, Copy)]
pub struct Texture {
    /// As last specified.
    pub desc: ResourceDesc,
    /// See there.
    pub storage: Storage,
}

/// A buffer.
#[derive(Debug)]
pub struct Buffer {
    /// Vulkan's buffer and its memory.
    pub raw: RawBuffer,
    /// Identity of the storage; never the same twice.
    pub serial: u64,
    /// Bytes, as GL counts them.
    pub size: u64,
    /// Accesses.
    pub access: Access,
    /// A copy of the content, kept once the CPU had to look into it.
    pub mirror: Option<Vec<u8>>,
    /// Rises with every change of the content.
    pub version: u64,
}

/// A fence: the serial that it waits for.
#[derive(Debug, Clone, Copy)]
pub struct Fence(pub u64);

/// See the module.
#[derive(Default)]
pub struct Objects {
    last_serial: u64,
    /// Rises when an object that state names by handle got other storage, or ended.
    pub epoch: u64,
    /// Buffers.
    pub buffers: Table<BufferHandle, Buffer>,
    /// Textures.
    pub textures: Table<TextureHandle, Texture>,
    /// Renderbuffers.
    pub renderbuffers: Table<RenderbufferHandle, Window>,
    /// Surfaces.
    pub surfaces: Table<SurfaceHandle, Surface>,
    /// Programs.
    pub programs: Table<ShaderHandle, Program>,
    /// Images.
    pub images: Images,
    /// Samplers.
    pub samplers: Samplers,
    /// Fences.
    pub fences: Table<FenceHandle, Fence>,
    /// Queries.
    pub queries: Table<QueryHandle, Query>,
}

impl Objects {
    /// A fresh identity.
    pub fn serial(&mut self) -> u64 {
        self.last_serial += 1;
        self.last_serial
    }

    /// Storage was replaced or ended: what draws have resolved by handle is to be resolved anew.
    pub fn moved(&mut self) {
        self.epoch += 1;
    }
}
