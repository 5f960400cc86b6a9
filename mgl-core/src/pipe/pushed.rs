//! What the server has been told: the one model of pushed state (design: architecture, "one model of pushed state").
//!
//! [`super::transition`] maintains it; back ends read it at verbs. A group's generation rises when its value changes, so a
//! back end remembers the generation at which it last looked. Content (texels, bytes) is not here, shapes are; code of
//! programs is here by digest.

use super::group::Group;
use super::payload::*;
use super::render_state::{DynamicState, PipelineState};
use super::table::Table;
use crate::handle::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceEntry {
    /// As created or last respecified.
    pub desc: ResourceDesc,
    /// Parameters, of a texture that has been given some.
    pub params: Option<TextureParams>,
}

/// A vertex-elements CSO.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct VertexElementsEntry {
    /// Enabled attributes.
    pub attribs: Vec<VertexAttrib>,
    /// Binding points they use.
    pub bindings: Vec<VertexBinding>,
}

/// A program.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ProgramEntry {
    /// As created.
    pub desc: ProgramDesc,
    /// xxh3-128 of SPIR-V a stage, and of the reflection archive; 0 where empty.
    pub code: [u128; 7],
    /// The default uniform block as last pushed.
    pub constants: Vec<u8>,
    /// Rises when `constants` change.
    #[serde(skip)]
    pub constants_generation: u64,
    /// What its opaque uniforms and blocks are bound to.
    pub bindings: ProgramBindings,
    /// Rises when `bindings` change.
    #[serde(skip)]
    pub bindings_generation: u64,
}

/// Equal when what was pushed is; generations are history.
impl PartialEq for ProgramEntry {
    fn eq(&self, o: &Self) -> bool {
        let Self {
            desc,
            code,
            constants,
            constants_generation: _,
            bindings,
            bindings_generation: _,
        } = o;
        (&self.desc, &self.code, &self.constants, &self.bindings)
            == (desc, code, constants, bindings)
    }
}
impl Eq for ProgramEntry {}

/// What a program's opaque uniforms and blocks are bound to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ProgramBindings {
    /// Sampler slots.
    pub samplers: Vec<SlotUnit>,
    /// Image slots.
    pub images: Vec<SlotUnit>,
    /// Uniform blocks.
    pub uniform_blocks: Vec<BlockBinding>,
    /// Storage blocks.
    pub storage_blocks: Vec<BlockBinding>,
}

/// A query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryEntry {
    /// As created.
    pub desc: QueryDesc,
    /// Begun and not ended.
    pub active: bool,
    /// The context that made it, or began it last: queries are not shared (GL 4.6 §5.1). Null when it is gone.
    pub context: ContextHandle,
}

/// A transform feedback that was begun and not ended (GL 4.6 §13.2.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capture {
    /// The stream output object, null for the default one.
    pub object: StreamOutputHandle,
    /// What is captured.
    pub primitive: CapturePrimitive,
    /// Draws are not captured for now.
    pub paused: bool,
    /// The program that draws used when it began; null when it is gone.
    pub program: ShaderHandle,
    /// The object's buffers when it began, but for those that are gone.
    pub targets: Vec<BufferBinding>,
}

/// The values of a context's groups.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupValues {
    /// [`Group::RenderState`].
    pub render_state: RenderStateHandle,
    /// [`Group::Dynamic`].
    pub dynamic: DynamicState,
    /// [`Group::DrawFramebuffer`].
    pub draw_framebuffer: FramebufferState,
    /// [`Group::ReadFramebuffer`].
    pub read_framebuffer: FramebufferState,
    /// [`Group::VertexElements`].
    pub vertex_elements: VertexElementsHandle,
    /// [`Group::VertexBuffers`].
    pub vertex_buffers: Vec<VertexBuffer>,
    /// [`Group::IndexBuffer`].
    pub index_buffer: IndexBuffer,
    /// [`Group::IndirectBuffers`].
    pub indirect: IndirectBuffers,
    /// [`Group::SamplerViews`].
    pub views: Vec<BoundView>,
    /// [`Group::SamplerStates`].
    pub samplers: Vec<BoundSampler>,
    /// [`Group::ShaderImages`].
    pub images: Vec<ImageView>,
    /// [`Group::UniformBuffers`].
    pub uniform_buffers: Vec<BufferBinding>,
    /// [`Group::StorageBuffers`].
    pub storage_buffers: Vec<BufferBinding>,
    /// [`Group::AtomicBuffers`].
    pub atomic_buffers: Vec<BufferBinding>,
    /// [`Group::StreamOutput`]: the object.
    pub stream_output: StreamOutputHandle,
    /// [`Group::StreamOutput`]: its buffers.
    pub stream_targets: Vec<BufferBinding>,
    /// [`Group::AttribDefaults`].
    pub attrib_defaults: Vec<AttribValue>,
    /// [`Group::PixelPack`].
    pub pixel_pack: PixelPackState,
    /// [`Group::Patch`].
    pub patch: PatchState,
    /// [`Group::Shader`].
    pub shader: ShaderHandle,
    /// [`Group::DrawProgram`].
    pub draw_program: ShaderHandle,
    /// [`Group::DispatchProgram`].
    pub dispatch_program: ShaderHandle,
}

impl GroupValues {
    fn initial() -> Self {
        Self {
            render_state: RenderStateHandle::NULL,
            dynamic: DynamicState::initial(),
            draw_framebuffer: FramebufferState::default(),
            read_framebuffer: FramebufferState::default(),
            vertex_elements: VertexElementsHandle::NULL,
            vertex_buffers: Vec::new(),
            index_buffer: IndexBuffer::default(),
            indirect: IndirectBuffers::default(),
            views: Vec::new(),
            samplers: Vec::new(),
            images: Vec::new(),
            uniform_buffers: Vec::new(),
            storage_buffers: Vec::new(),
            atomic_buffers: Vec::new(),
            stream_output: StreamOutputHandle::NULL,
            stream_targets: Vec::new(),
            attrib_defaults: Vec::new(),
            pixel_pack: PixelPackState::default(),
            patch: PatchState::default(),
            shader: ShaderHandle::NULL,
            draw_program: ShaderHandle::NULL,
            dispatch_program: ShaderHandle::NULL,
        }
    }
}

/// A context: its groups, their generations, and which of them were ever pushed.
#[derive(Debug, Clone)]
pub struct ContextState {
    /// As created; `share` always names a living context of the group, and is null in exactly one of each group.
    pub desc: ContextDesc,
    /// The groups.
    pub values: GroupValues,
    /// Transform feedback under way, by object: at most one is not paused.
    pub captures: Vec<Capture>,
    generations: [u64; Group::COUNT],
    version: u64,
    pushed: u32,
}

/// Equal when description, values, captures and the set of pushed groups are; generations are history.
impl PartialEq for ContextState {
    fn eq(&self, o: &Self) -> bool {
        let Self {
            desc,
            values,
            captures,
            generations: _,
            version: _,
            pushed,
        } = o;
        (&self.desc, &self.values, &self.captures, &self.pushed) == (desc, values, captures, pushed)
    }
}

impl ContextState {
    /// A context to which nothing was pushed.
    #[must_use]
    pub fn new(desc: ContextDesc) -> Self {
        Self {
            desc,
            values: GroupValues::initial(),
            captures: Vec::new(),
            generations: [0; Group::COUNT],
            version: 0,
            pushed: 0,
        }
    }
    /// Rises whenever the group changes; unique in the process run of this state only.
    #[inline]
    #[must_use]
    pub fn generation(&self, g: Group) -> u64 {
        self.generations[g as usize]
    }
    /// Rises whenever any group changes.
    #[inline]
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }
    /// Whether the group was ever pushed.
    #[inline]
    #[must_use]
    pub fn was_pushed(&self, g: Group) -> bool {
        self.pushed & g.bit() != 0
    }
    /// The transform feedback of an object, if it is under way.
    #[must_use]
    pub fn capture(&self, object: StreamOutputHandle) -> Option<&Capture> {
        self.captures.iter().find(|c| c.object == object)
    }
    pub(super) fn capture_mut(&mut self, object: StreamOutputHandle) -> Option<&mut Capture> {
        self.captures.iter_mut().find(|c| c.object == object)
    }
    /// Mask of the groups that were pushed.
    #[must_use]
    pub fn pushed_mask(&self) -> u32 {
        self.pushed
    }
    #[inline]
    pub(super) fn touch(&mut self, g: Group) {
        self.scrubbed(g);
        self.pushed |= g.bit();
    }
    #[inline]
    fn scrubbed(&mut self, g: Group) {
        self.generations[g as usize] += 1;
        self.version += 1;
    }
    /// The read framebuffer is again what it was, after a read of the server's own.
    pub(super) fn restore_read_framebuffer(&mut self, old: FramebufferState, was_pushed: bool) {
        self.values.read_framebuffer = old;
        self.touch(Group::ReadFramebuffer);
        if !was_pushed {
            self.pushed &= !Group::ReadFramebuffer.bit();
        }
    }
}

/// All that was pushed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PushedState {
    /// Buffers.
    pub buffers: Table<BufferHandle, ResourceEntry>,
    /// Textures.
    pub textures: Table<TextureHandle, ResourceEntry>,
    /// Renderbuffers.
    pub renderbuffers: Table<RenderbufferHandle, ResourceEntry>,
    /// Render-state CSOs.
    pub render_states: Table<RenderStateHandle, PipelineState>,
    /// Vertex-elements CSOs.
    pub vertex_elements: Table<VertexElementsHandle, VertexElementsEntry>,
    /// Sampler CSOs.
    pub samplers: Table<SamplerHandle, SamplerDesc>,
    /// Sampler views.
    pub views: Table<SamplerViewHandle, SamplerView>,
    /// Programs.
    pub programs: Table<ShaderHandle, ProgramEntry>,
    /// Fences.
    pub fences: Table<FenceHandle, ()>,
    /// Queries.
    pub queries: Table<QueryHandle, QueryEntry>,
    /// Contexts.
    pub contexts: Table<ContextHandle, ContextState>,
    /// Surfaces.
    pub surfaces: Table<SurfaceHandle, SurfaceDesc>,
    /// Labels, of objects that live and of such as are yet to be made.
    pub labels: BTreeMap<(HandleKind, Handle), Box<[u8]>>,
    /// Speaker and its surfaces.
    pub current: BindContext,
    /// Resets so far.
    pub epoch: u32,
    /// How often parameters of any texture changed.
    pub params_changes: History,
}

/// A count of what happened, which is no part of what is: all are equal.
#[derive(Debug, Clone, Copy, Default)]
pub struct History(u64);

impl PartialEq for History {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl History {
    /// The count.
    #[inline]
    #[must_use]
    pub fn count(self) -> u64 {
        self.0
    }
    #[inline]
    pub(super) fn happens(&mut self) {
        self.0 += 1;
    }
}

impl PushedState {
    /// The current context.
    #[inline]
    #[must_use]
    pub fn context(&self) -> Option<&ContextState> {
        self.contexts.get(self.current.context).ok()
    }

    /// The current context.
    #[inline]
    pub(super) fn context_mut(&mut self) -> Option<&mut ContextState> {
        self.contexts.get_mut(self.current.context).ok()
    }

    /// A resource of any kind that has a [`ResourceDesc`].
    #[must_use]
    pub fn resource(&self, r: ResourceHandle) -> Option<&ResourceEntry> {
        match r.kind {
            HandleKind::BUFFER => self.buffers.get(BufferHandle(r.handle)).ok(),
            HandleKind::TEXTURE => self.textures.get(TextureHandle(r.handle)).ok(),
            HandleKind::RENDERBUFFER => self.renderbuffers.get(RenderbufferHandle(r.handle)).ok(),
            _ => None,
        }
    }

    /// The label of an object; empty without one. A back end asks when it makes the object.
    #[must_use]
    pub fn label<H: TypedHandle>(&self, h: H) -> &[u8] {
        if self.labels.is_empty() {
            return &[];
        }
        self.labels
            .get(&(H::KIND, h.raw()))
            .map_or(&[], AsRef::as_ref)
    }

    /// Takes a dying resource out of every group of every context: a deleted handle leaves every group that names it.
    pub(super) fn scrub_resource(&mut self, r: ResourceHandle) {
        for (_, c) in self.contexts.iter_mut() {
            scrub_attachments(c, r);
            if let Some(b) = r.typed::<BufferHandle>() {
                scrub_buffer(c, b);
            }
            if let Some(t) = r.typed::<TextureHandle>() {
                let v = &mut c.values;
                let (views, images) = (v.views.len(), v.images.len());
                v.views.retain(|x| x.texture != t);
                v.images.retain(|x| x.texture != t);
                let (views, images) = (views != v.views.len(), images != v.images.len());
                if views {
                    c.scrubbed(Group::SamplerViews);
                }
                if images {
                    c.scrubbed(Group::ShaderImages);
                }
            }
        }
        if let Some(b) = r.typed::<BufferHandle>() {
            self.scrub_texel_buffer(b);
        }
        if let Some(t) = r.typed::<TextureHandle>() {
            self.scrub_storage_owner(t);
        }
        if let Some(s) = r.typed::<SurfaceHandle>() {
            for place in [&mut self.current.draw, &mut self.current.read] {
                if *place == s {
                    *place = SurfaceHandle::NULL;
                }
            }
        }
    }

    /// A buffer texture without its buffer reads nothing. A client keeps the buffer for as long as a texture reads it.
    fn scrub_texel_buffer(&mut self, b: BufferHandle) {
        for (_, t) in self.textures.iter_mut() {
            if take(&mut t.desc.buffer, b) {
                (t.desc.offset, t.desc.size) = (0, 0);
            }
        }
    }

    /// Views of a texture name nothing once it is gone, and what shared its storage has it alone.
    fn scrub_storage_owner(&mut self, owner: TextureHandle) {
        for (_, v) in self.views.iter_mut() {
            take(&mut v.texture, owner);
        }
        for (_, t) in self.textures.iter_mut() {
            take(&mut t.desc.view_of, owner);
        }
        for (_, r) in self.renderbuffers.iter_mut() {
            take(&mut r.desc.view_of, owner);
        }
    }

    /// A context ends: its share group lives on, whoever founded it (GL 4.6 §5.1.1), and so do the queries' entries.
    pub(super) fn end_context(&mut self, gone: ContextHandle) {
        let Ok(ended) = self.contexts.remove(gone) else {
            return;
        };
        // Who shared with it shares with whom it shared; else the first of them takes its place.
        let mut partner = ended.desc.share;
        for (h, c) in self.contexts.iter_mut() {
            if c.desc.share == gone {
                c.desc.share = partner;
                if partner.is_null() {
                    partner = h;
                }
            }
        }
        for (_, q) in self.queries.iter_mut() {
            take(&mut q.context, gone);
        }
        if self.current.context == gone {
            self.current = BindContext::default();
        }
    }

    pub(super) fn scrub_render_state(&mut self, h: RenderStateHandle) {
        self.scrub(Group::RenderState, |v| take(&mut v.render_state, h));
    }
    pub(super) fn scrub_vertex_elements(&mut self, h: VertexElementsHandle) {
        self.scrub(Group::VertexElements, |v| take(&mut v.vertex_elements, h));
    }
    pub(super) fn scrub_sampler(&mut self, h: SamplerHandle) {
        self.scrub(Group::SamplerStates, |v| {
            retain(&mut v.samplers, |x| x.sampler != h)
        });
        for (_, t) in self.textures.iter_mut() {
            if let Some(p) = t.params.as_mut().filter(|p| p.sampler == h) {
                p.sampler = SamplerHandle::NULL;
            }
        }
        self.params_changes.happens();
    }
    pub(super) fn scrub_view(&mut self, h: SamplerViewHandle) {
        self.scrub(Group::SamplerViews, |v| {
            retain(&mut v.views, |x| x.view != h)
        });
    }
    pub(super) fn scrub_shader(&mut self, h: ShaderHandle) {
        self.scrub(Group::Shader, |v| take(&mut v.shader, h));
        self.scrub(Group::DrawProgram, |v| take(&mut v.draw_program, h));
        self.scrub(Group::DispatchProgram, |v| take(&mut v.dispatch_program, h));
        for (_, c) in self.contexts.iter_mut() {
            for capture in &mut c.captures {
                take(&mut capture.program, h);
            }
        }
    }
    pub(super) fn scrub_stream_output(&mut self, h: StreamOutputHandle) {
        // The default object of a context ends with it.
        if h.is_null() {
            return;
        }
        for (_, c) in self.contexts.iter_mut() {
            c.captures.retain(|capture| capture.object != h);
        }
        self.scrub(Group::StreamOutput, |v| {
            if !take(&mut v.stream_output, h) {
                return false;
            }
            v.stream_targets.clear();
            true
        });
    }
    pub(super) fn scrub_framebuffer(&mut self, h: FramebufferHandle) {
        self.scrub(Group::DrawFramebuffer, |v| {
            take(&mut v.draw_framebuffer.framebuffer, h)
        });
        self.scrub(Group::ReadFramebuffer, |v| {
            take(&mut v.read_framebuffer.framebuffer, h)
        });
    }

    fn scrub(&mut self, g: Group, mut f: impl FnMut(&mut GroupValues) -> bool) {
        for (_, c) in self.contexts.iter_mut() {
            if f(&mut c.values) {
                c.scrubbed(g);
            }
        }
    }
}

/// Nulls `place` if it holds `h`.
fn take<H: TypedHandle>(place: &mut H, h: H) -> bool {
    let hit = *place == h;
    if hit {
        *place = H::default();
    }
    hit
}

fn retain<T>(v: &mut Vec<T>, keep: impl FnMut(&T) -> bool) -> bool {
    let n = v.len();
    v.retain(keep);
    n != v.len()
}

fn scrub_attachments(c: &mut ContextState, r: ResourceHandle) {
    let scrub = |fb: &mut FramebufferState| {
        let mut hit = false;
        for a in fb
            .color
            .iter_mut()
            .chain([&mut fb.depth, &mut fb.stencil, &mut fb.read])
        {
            if a.resource == r && !r.is_null() {
                *a = Attachment::default();
                hit = true;
            }
        }
        hit
    };
    if scrub(&mut c.values.draw_framebuffer) {
        c.scrubbed(Group::DrawFramebuffer);
    }
    if scrub(&mut c.values.read_framebuffer) {
        c.scrubbed(Group::ReadFramebuffer);
    }
}

fn scrub_buffer(c: &mut ContextState, b: BufferHandle) {
    for capture in &mut c.captures {
        capture.targets.retain(|x| x.buffer != b);
    }
    let v = &mut c.values;
    let lists = [
        (Group::UniformBuffers, &mut v.uniform_buffers),
        (Group::StorageBuffers, &mut v.storage_buffers),
        (Group::AtomicBuffers, &mut v.atomic_buffers),
        (Group::StreamOutput, &mut v.stream_targets),
    ];
    let mut hit: Vec<Group> = lists
        .into_iter()
        .filter_map(|(g, l)| retain(l, |x| x.buffer != b).then_some(g))
        .collect();
    if retain(&mut v.vertex_buffers, |x| x.buffer != b) {
        hit.push(Group::VertexBuffers);
    }
    if take(&mut v.index_buffer.buffer, b) {
        hit.push(Group::IndexBuffer);
    }
    let i = &mut v.indirect;
    if take(&mut i.draw, b) | take(&mut i.dispatch, b) | take(&mut i.parameter, b) {
        hit.push(Group::IndirectBuffers);
    }
    for g in hit {
        c.scrubbed(g);
    }
}
