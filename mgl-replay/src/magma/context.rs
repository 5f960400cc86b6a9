//! What of a GL context is native: up to where what was pushed has been followed, and what came of it.

use super::Magma;
use super::capture::{Capture, Counters};
use super::spirv::DrawConstants;
use super::state::{Commanded, Flexible};
use super::sync::BufferUse;
use super::targets::Targets;
use super::units::{InUse, Slot};
use super::vertex::{MOST, VertexInput};
use ash::vk;
use mgl_core::handle::ContextHandle;
use mgl_core::pipe::table::Table;
use mgl_core::pipe::{BackendError, PushedState};

/// See the module. The `seen` fields hold the generations and identities that a result was made from.
#[derive(Default)]
pub struct Ctx {
    /// The pushed draw framebuffer.
    pub draw: Targets,
    /// As above.
    pub draw_seen: (u64, u64, bool),
    /// Textures and samplers of the program in use.
    pub slots: Vec<Slot>,
    /// As above.
    pub units_seen: Option<(u64, u64, u64, u64, u64)>,
    /// Textures bound for the program in use.
    pub in_use: Vec<InUse>,
    /// Uniform blocks of the program in use: buffer, first byte, bytes.
    pub blocks: Vec<(vk::Buffer, u64, u64)>,
    /// Buffers that they are in.
    pub block_uses: Vec<BufferUse>,
    /// As above.
    pub blocks_seen: Option<(u64, u64, u64, u64)>,
    /// Attributes of the program in use.
    pub vertex: VertexInput,
    /// As above.
    pub vertex_seen: Option<(u64, u64, u64, u64, u64)>,
    /// Transform feedback that the client has begun.
    pub capture: Option<Capture>,
    /// How far captures came.
    pub counters: Option<Counters>,
}

/// What the command buffer has bound; nothing when it is new.
#[derive(Default)]
pub struct Bound {
    /// Pipeline.
    pub pipeline: vk::Pipeline,
    /// Layout that the sets of blocks and samplers were bound with.
    pub layout: vk::PipelineLayout,
    /// Sets, with their dynamic offsets.
    pub sets: [(vk::DescriptorSet, u32); 3],
    /// State that commands set in every case.
    pub commanded: Option<Commanded>,
    /// State that commands set where the device lets them.
    pub flexible: Option<Flexible>,
    /// Index buffer.
    pub index: Option<(vk::Buffer, u64, vk::IndexType)>,
    /// Vertex buffers.
    pub vertex_count: usize,
    /// As above.
    pub vertex_buffers: [vk::Buffer; MOST],
    /// As above.
    pub vertex_offsets: [u64; MOST],
    /// As above.
    pub vertex_strides: [u64; MOST],
    /// Push constants.
    pub constants: Option<DrawConstants>,
}

impl Magma {
    /// The native part of the current context.
    ///
    /// # Errors
    ///
    /// [`BackendError::Driver`] when there is none.
    #[inline]
    pub(super) fn ctx(&mut self, s: &PushedState) -> Result<&mut Ctx, BackendError> {
        Self::ctx_of(&mut self.contexts, s)
    }

    /// As above, where the rest of the back end is borrowed too.
    #[inline]
    pub(super) fn ctx_of<'c>(
        contexts: &'c mut Table<ContextHandle, Ctx>,
        s: &PushedState,
    ) -> Result<&'c mut Ctx, BackendError> {
        contexts
            .get_mut(s.current.context)
            .map_err(|e| BackendError::Driver(e.to_string()))
    }
}
