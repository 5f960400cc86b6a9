//! A native context and the shadow of its GL state: what GL has set, so that setting it again costs nothing.
//!
//! Names of shared objects (textures, buffers, samplers) are shadowed by [`Serial`], which is never used twice, because
//! GL gives a deleted object's name to the next one. Containers (framebuffers, vertex arrays, queries) belong to one
//! context and live here.

use super::capture::Capture;
use super::device::Device;
use super::egl;
use super::framebuffers::Framebuffers;
use super::samplers::LookUp;
use super::stream::Stream;
use super::uniforms::ConstantsAt;
use super::units::InUse;
use super::vertex::VertexArrays;
use mgl_core::handle::{QueryHandle, RenderStateHandle, ShaderHandle};
use mgl_core::pipe::render_state::{DynamicState, PipelineState};
use mgl_core::pipe::{BackendError, Group};

/// Identity of a native object's storage; 0 is none. Never used twice.
pub type Serial = u64;

/// A texture unit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unit {
    /// Texture bound last, to its own target.
    pub texture: Serial,
    /// Sampler object.
    pub sampler: Serial,
}

/// An indexed uniform buffer binding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UniformRange {
    /// The buffer.
    pub buffer: Serial,
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
}

/// What GL has set in one context.
pub struct Shadow {
    /// Pipeline part of the render state.
    pub pipeline: PipelineState,
    /// Dynamic part of the render state.
    pub dynamic: DynamicState,
    /// Viewports other than the first were set apart from it.
    pub many_viewports: bool,
    /// GL_ACTIVE_TEXTURE, counted from 0.
    pub active_unit: u32,
    /// Texture units.
    pub units: Vec<Unit>,
    /// Uniform buffer binding points.
    pub uniforms: Vec<UniformRange>,
    /// The program in use.
    pub program: Serial,
    /// GL_COPY_WRITE_BUFFER.
    pub copy_write: Serial,
    /// GL_COPY_READ_BUFFER.
    pub copy_read: Serial,
    /// GL_DRAW_INDIRECT_BUFFER.
    pub indirect: Serial,
    /// GL_UNPACK_ROW_LENGTH and GL_UNPACK_IMAGE_HEIGHT.
    pub unpack: (i32, i32),
    /// Fixed-index primitive restart.
    pub restart: bool,
    /// Vertices a patch.
    pub patch_vertices: u32,
    /// Current values of attributes: type and bits.
    pub attribs: Vec<(u32, [u32; 4])>,
}

impl Shadow {
    /// The state of a new context (ES 3.2 chapter 21).
    fn new(dev: &Device) -> Self {
        let mut dynamic = DynamicState::initial();
        // OpenGL ES starts with sRGB encoding on.
        dynamic.output.framebuffer_srgb = true.into();
        Self {
            pipeline: PipelineState::initial(),
            dynamic,
            many_viewports: false,
            active_unit: 0,
            units: vec![Unit::default(); dev.gl.limits.texture_units as usize],
            uniforms: vec![UniformRange::default(); dev.gl.limits.uniform_bindings as usize],
            program: 0,
            copy_write: 0,
            copy_read: 0,
            indirect: 0,
            unpack: (0, 0),
            restart: false,
            patch_vertices: 3,
            attribs: vec![(glow::FLOAT, [0, 0, 0, 1f32.to_bits()]); dev.gl.limits.attribs as usize],
        }
    }
}

/// Up to where this context has followed what was pushed: handles and generations last looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Seen {
    /// Render-state CSO.
    pub render_state: RenderStateHandle,
    /// Generations by group; 0 is never.
    pub groups: [u64; Group::COUNT],
    /// [`super::objects::Objects::epoch`] when textures and samplers were bound.
    pub textures_epoch: u64,
    /// The same when the draw framebuffer was bound.
    pub framebuffer_epoch: u64,
    /// The same when vertex and index buffers were bound.
    pub vertex_epoch: u64,
    /// The same when uniform buffers were bound.
    pub uniforms_epoch: u64,
    /// Program variant whose units are bound.
    pub units_program: Serial,
    /// `bindings_generation` of the program whose units are bound.
    pub units_bindings: u64,
    /// The same for uniform buffers.
    pub uniforms_program: Serial,
    /// The same for uniform buffers.
    pub uniforms_bindings: u64,
    /// Base instance that vertex buffers were bound for, where draws have none.
    pub skipped_instances: u32,
    /// Write masks of the draw buffers that the pipeline state was set for, four bits each.
    pub write_masks: u32,
}

impl Seen {
    /// An epoch that never is: what was bound at it is bound anew.
    pub const NEVER: u64 = u64::MAX;

    /// Whether `group` moved since last asked; it has not then.
    #[inline]
    pub fn moved(&mut self, group: Group, generation: u64) -> bool {
        let seen = &mut self.groups[group as usize];
        // A group that was never pushed has generation 0 and its initial value.
        let moved = *seen != generation + 1;
        *seen = generation + 1;
        moved
    }
}

/// A native context.
pub struct NativeContext {
    /// EGL's part.
    pub egl: egl::Context,
    /// What GL has set.
    pub shadow: Shadow,
    /// What was followed.
    pub seen: Seen,
    /// Debug groups that were begun and not ended.
    pub debug_groups: u32,
    /// Framebuffer objects.
    pub framebuffers: Framebuffers,
    /// Vertex arrays.
    pub vertex: VertexArrays,
    /// Client arrays and indices of draws.
    pub arrays: Stream,
    /// Default uniform blocks.
    pub constants: Stream,
    /// Query objects whose end was asked for while another context was current.
    pub dead_queries: Vec<glow::Query>,
    /// Queries that were begun and not ended, with their native targets.
    pub active_queries: Vec<(u32, glow::Query)>,
    /// Textures bound for the program in use.
    pub in_use: Vec<InUse>,
    /// What look-ups of each sampler slot of the program in use do.
    pub look_ups: Vec<LookUp>,
    /// The program that last drew with look-ups that are not plain.
    pub biased: ShaderHandle,
    /// The query that counts samples, if one is active.
    pub counting: QueryHandle,
    /// The query of generated primitives that is active.
    pub generated: QueryHandle,
    /// Transform feedback that the client has begun.
    pub capture: Option<Capture>,
    /// Default blocks, by slot of the program.
    pub constants_at: Vec<ConstantsAt>,
}

impl NativeContext {
    /// Makes a context and leaves it current on this thread.
    ///
    /// # Errors
    ///
    /// From EGL.
    pub fn new(dev: &Device, share: Option<&egl::Context>) -> Result<Self, BackendError> {
        let mut egl = dev.egl.create_context(share)?;
        dev.egl.make_current(&mut egl, None)?;
        dev.start_context();
        Ok(Self::of(dev, egl))
    }

    /// Wraps a context that is current and has been set up.
    pub fn of(dev: &Device, egl: egl::Context) -> Self {
        Self {
            egl,
            shadow: Shadow::new(dev),
            seen: Seen::default(),
            debug_groups: 0,
            framebuffers: Framebuffers::default(),
            vertex: VertexArrays::default(),
            arrays: Stream::new(1 << 20),
            constants: Stream::new(1 << 18),
            dead_queries: Vec::new(),
            active_queries: Vec::new(),
            in_use: Vec::new(),
            look_ups: Vec::new(),
            biased: ShaderHandle::NULL,
            counting: QueryHandle::NULL,
            generated: QueryHandle::NULL,
            capture: None,
            constants_at: Vec::new(),
        }
    }

    /// Another context may have changed shared objects: bind them anew (ES 3.2 §5.3). Drivers take a binding that is
    /// there already for no change, so that who binds after this unbinds first where storage or values may be others.
    pub fn distrust(&mut self) {
        let s = &mut self.shadow;
        s.units.fill(Unit::default());
        s.uniforms.fill(UniformRange::default());
        (s.copy_write, s.copy_read, s.indirect, s.program) = (0, 0, 0, 0);
        self.seen.textures_epoch = Seen::NEVER;
        self.seen.uniforms_epoch = Seen::NEVER;
        self.seen.framebuffer_epoch = Seen::NEVER;
        self.seen.vertex_epoch = Seen::NEVER;
        self.vertex.distrust();
        self.framebuffers.distrust();
    }

    /// Ends what is waiting for this context to be current; it is.
    pub fn bury(&mut self, dev: &Device) {
        self.framebuffers.bury(dev);
        self.vertex.bury(dev);
        for q in std::mem::take(&mut self.dead_queries) {
            self.stop_query(dev, q);
            // SAFETY: the context is current, and the query is its own.
            unsafe { glow::HasContext::delete_query(&dev.gl.glow, q) };
            dev.tally.queries_ended.one();
        }
    }

    /// Ends a query if it is active; its context is current.
    pub fn stop_query(&mut self, dev: &Device, name: glow::Query) -> bool {
        let Some(at) = self.active_queries.iter().position(|q| q.1 == name) else {
            return false;
        };
        let (target, _) = self.active_queries.swap_remove(at);
        // SAFETY: the context is current, and the query is active for the target.
        unsafe { glow::HasContext::end_query(&dev.gl.glow, target) };
        true
    }

    /// Whether something goes on that has to end before the context does.
    pub fn is_busy(&self) -> bool {
        !self.active_queries.is_empty() || self.capture.as_ref().is_some_and(Capture::has_begun)
    }

    /// Ends what goes on in the context, which is current: drivers keep pointers to it.
    pub fn stop(&mut self, dev: &Device) {
        while let Some(&(_, name)) = self.active_queries.first() {
            self.stop_query(dev, name);
        }
        if self.capture.take().is_some_and(|c| c.has_begun()) {
            // SAFETY: the context is current, and its capture is active.
            unsafe { glow::HasContext::end_transform_feedback(&dev.gl.glow) };
        }
    }

    /// Activates a texture unit.
    pub fn activate(&mut self, dev: &Device, unit: u32) {
        if self.shadow.active_unit != unit {
            // SAFETY: the context is current.
            unsafe { glow::HasContext::active_texture(&dev.gl.glow, glow::TEXTURE0 + unit) };
            self.shadow.active_unit = unit;
        }
    }

    /// Binds a texture for work on it, on the last unit, which draws use last.
    pub fn bind_for_work(
        &mut self,
        dev: &Device,
        target: u32,
        name: glow::Texture,
        serial: Serial,
    ) {
        let unit = dev.gl.limits.texture_units - 1;
        self.activate(dev, unit);
        let bound = &mut self.shadow.units[unit as usize].texture;
        if *bound != serial {
            dev.tally.texture_binds.one();
            // SAFETY: the context is current, and the texture lives.
            unsafe { glow::HasContext::bind_texture(&dev.gl.glow, target, Some(name)) };
            *bound = serial;
            if self.look_ups.len() > unit as usize {
                // The program in use reads that unit too.
                self.seen.textures_epoch = Seen::NEVER;
            }
        }
    }
}
