//! Sequences of legal calls: samples of the schema, with handles and sizes brought to what the state of now takes.

use crate::schema::{Random, Schema};
use mgl_core::codec::{decode, split};
use mgl_core::format::Format;
use mgl_core::handle::*;
use mgl_core::pipe::emission::{Absent, Content, Part, Piece};
use mgl_core::pipe::table::Table;
use mgl_core::pipe::*;
use std::collections::BTreeMap;

/// Code of a program: six stages and the reflection archive.
type Code = [Vec<u8>; 7];

/// A client that pushes at random, and the state that it has pushed.
pub struct World {
    pub state: PushedState,
    /// Calls that were taken, by opcode.
    pub taken: BTreeMap<Op, u64>,
    pub code: BTreeMap<Handle, Code>,
    slots: Vec<SlotAllocator>,
    r: Random,
}

/// What a random client does; the rest of the catalogue leaves no trace in a state.
const OPS: &[Op] = &[
    Op::ResourceCreate,
    Op::ResourceRespecify,
    Op::ResourceDestroy,
    Op::FenceCreate,
    Op::FenceDestroy,
    Op::ContextReset,
    Op::ContextCreate,
    Op::ContextDestroy,
    Op::BindContext,
    Op::SurfaceCreate,
    Op::SurfaceRespecify,
    Op::SurfaceDestroy,
    Op::ObjectLabel,
    Op::QueryCreate,
    Op::QueryBegin,
    Op::QueryEnd,
    Op::QueryDestroy,
    Op::QueryCounter,
    Op::CreateRenderState,
    Op::BindRenderState,
    Op::DeleteRenderState,
    Op::CreateVertexElements,
    Op::BindVertexElements,
    Op::DeleteVertexElements,
    Op::CreateShaderState,
    Op::BindShaderState,
    Op::DeleteShaderState,
    Op::CreateSamplerState,
    Op::DeleteSamplerState,
    Op::CreateSamplerView,
    Op::DeleteSamplerView,
    Op::SetDynamicState,
    Op::SetFramebufferState,
    Op::SetVertexBuffers,
    Op::SetIndexBuffer,
    Op::SetIndirectBuffers,
    Op::SetSamplerViews,
    Op::BindSamplerStates,
    Op::SetShaderImages,
    Op::SetShaderBuffers,
    Op::SetStreamOutputTargets,
    Op::SetGlobalConstants,
    Op::SetVertexAttribDefaults,
    Op::SetPixelPackState,
    Op::SetPatchState,
    Op::SetDrawProgram,
    Op::SetDispatchProgram,
    Op::SetProgramBindings,
    Op::SetTextureParams,
    Op::ObjectDeath,
    Op::BeginStreamOutput,
    Op::EndStreamOutput,
    Op::PauseStreamOutput,
    Op::ResumeStreamOutput,
    Op::BindStreamOutput,
];

const TARGETS: [Target; 7] = [
    Target::TEXTURE_2D,
    Target::TEXTURE_1D,
    Target::TEXTURE_3D,
    Target::TEXTURE_2D_ARRAY,
    Target::TEXTURE_CUBE_MAP,
    Target::TEXTURE_BUFFER,
    Target::TEXTURE_2D_MULTISAMPLE,
];
const FORMATS: [Format; 4] = [
    Format::RGBA8,
    Format::R8,
    Format::RGBA32F,
    Format::DEPTH24_STENCIL8,
];

impl World {
    pub fn new(seed: u64) -> Self {
        Self {
            state: PushedState::default(),
            taken: BTreeMap::new(),
            code: BTreeMap::new(),
            slots: (0..HandleKind::COUNT as u32)
                .map(|k| SlotAllocator::for_kind(HandleKind(k)))
                .collect(),
            r: Random(seed),
        }
    }

    /// A random number below `n`.
    pub fn below(&mut self, n: u32) -> u32 {
        self.r.below(n as usize) as u32
    }

    fn chance(&mut self, one_in: u32) -> bool {
        self.below(one_in) == 0
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.r.below(all.len())]
    }

    /// A new handle. It is lost when its object is not made.
    fn mint<H: TypedHandle>(&mut self) -> H {
        H::from_raw(self.slots[H::KIND.0 as usize].alloc().expect("a slot"))
    }

    fn release(&mut self, kind: HandleKind, h: Handle) {
        self.slots[kind.0 as usize].free(h);
    }

    /// A live object, null where there is none.
    fn live<H: TypedHandle + Copy, T>(
        &mut self,
        table: impl Fn(&PushedState) -> &Table<H, T>,
    ) -> H {
        let all: Vec<H> = table(&self.state).iter().map(|(h, _)| h).collect();
        match all.len() {
            0 => H::default(),
            n => all[self.r.below(n)],
        }
    }

    /// As [`Self::live`], and now and then null.
    fn live_or_null<H: TypedHandle + Copy, T>(
        &mut self,
        table: impl Fn(&PushedState) -> &Table<H, T>,
    ) -> H {
        match self.chance(4) {
            true => H::default(),
            false => self.live(table),
        }
    }

    fn resource(&mut self) -> ResourceHandle {
        match self.below(3) {
            0 => self.live(|s| &s.buffers).into(),
            1 => self.live(|s| &s.textures).into(),
            _ => self.live(|s| &s.renderbuffers).into(),
        }
    }

    /// One of a few names of framebuffers or stream outputs.
    fn name(&mut self) -> Handle {
        match self.below(3) {
            0 => Handle::NULL,
            n => Handle {
                slot: n,
                generation: 1,
            },
        }
    }

    /// A range inside a buffer.
    fn range(&mut self, b: &mut BufferBinding) {
        b.buffer = self.live(|s| &s.buffers);
        let size = self.state.buffers.get(b.buffer).map_or(0, |e| e.desc.size);
        b.offset = u64::from(self.below(size as u32 + 1));
        b.size = u64::from(self.below((size - b.offset) as u32 + 1));
    }

    fn ranges(&mut self, sampled: &[BufferBinding]) -> Vec<BufferBinding> {
        let mut list = sampled.to_vec();
        list.iter_mut().for_each(|b| self.range(b));
        list.retain(|b| !b.buffer.is_null());
        list
    }

    /// Gives a description of a resource a shape.
    fn shape(&mut self, d: &mut ResourceDesc) {
        d.format = self.one_of(&FORMATS);
        d.width = 1 + self.below(8);
        d.height = 1 + self.below(8);
        d.depth = 1;
        d.layers = 1;
        d.samples = 0;
        d.view_of = TextureHandle::NULL;
        d.size = u64::from(self.below(64));
        match d.target {
            Target::TEXTURE_3D => d.depth = 1 + self.below(6),
            Target::TEXTURE_2D_ARRAY => d.layers = 1 + self.below(6),
            Target::TEXTURE_CUBE_MAP => d.layers = 6,
            Target::TEXTURE_2D_MULTISAMPLE => d.samples = 4,
            _ => {}
        }
        let longest = d.width.max(d.height).max(d.depth);
        d.levels = 1 + self.below(32 - longest.leading_zeros());
        if d.target == Target::TEXTURE_BUFFER {
            let mut b = BufferBinding::default();
            self.range(&mut b);
            (d.buffer, d.offset, d.size) = (b.buffer, b.offset, b.size);
        } else if self.chance(4) {
            d.view_of = self.live(|s| &s.textures);
        }
    }

    fn attachment(&mut self, a: &mut Attachment) {
        a.resource = match self.below(4) {
            0 => ResourceHandle::NULL,
            1 => self.live(|s| &s.renderbuffers).into(),
            2 => self.live(|s| &s.surfaces).into(),
            _ => self.live(|s| &s.textures).into(),
        };
        a.level = 0;
        a.layer = 0;
        if let Some(t) = a.resource.typed::<TextureHandle>() {
            let d = self.state.textures.get(t).expect("it lives").desc;
            a.level = self.below(d.levels.max(1));
            a.layer = self.below(mgl_core::pipe::limits::level_extent(&d, a.level).2);
        }
    }

    /// Pushes something.
    pub fn step(&mut self) {
        let op = self.one_of(OPS);
        // A reset ends everything: rarely.
        if op == Op::ContextReset && !self.chance(60) {
            return;
        }
        let (words, blobs) = Schema::shared().sample(op, &mut self.r);
        let (view, _) = split(&words).expect("a sample splits");
        let call = decode(&view, blobs.as_slice()).expect("a sample decodes");
        self.adapted(&call);
    }

    fn take(&mut self, call: Call<'_>) -> bool {
        let taken = absorb(&mut self.state, &call).is_ok();
        if taken {
            *self.taken.entry(call.op()).or_insert(0) += 1;
        }
        taken
    }

    /// Takes a sampled call with handles and sizes that fit.
    fn adapted(&mut self, call: &Call<'_>) {
        match *call {
            Call::ResourceCreate { p } => {
                let mut d = *p;
                (d.resource, d.target) = match self.below(3) {
                    0 => (self.mint::<BufferHandle>().into(), Target::BUFFER),
                    1 => (
                        self.mint::<RenderbufferHandle>().into(),
                        Target::RENDERBUFFER,
                    ),
                    _ => (self.mint::<TextureHandle>().into(), self.one_of(&TARGETS)),
                };
                self.shape(&mut d);
                self.take(Call::ResourceCreate { p: &d });
            }
            Call::ResourceRespecify { p } => {
                let resource = self.resource();
                let Some(old) = self.state.resource(resource).map(|e| e.desc) else {
                    return;
                };
                let mut d = ResourceDesc {
                    resource,
                    target: old.target,
                    ..*p
                };
                self.shape(&mut d);
                self.take(Call::ResourceRespecify { p: &d });
            }
            Call::ResourceDestroy { p } => {
                let resource = self.resource();
                let p = &ResourceOnly { resource, ..*p };
                if self.take(Call::ResourceDestroy { p }) {
                    self.release(resource.kind, resource.handle);
                }
            }
            Call::FenceCreate { .. } => {
                let fence = self.mint();
                let p = &FenceOnly { fence };
                self.take(Call::FenceCreate { p });
            }
            Call::FenceDestroy { .. } => {
                let p = &FenceOnly {
                    fence: self.live(|s| &s.fences),
                };
                if self.take(Call::FenceDestroy { p }) {
                    self.release(HandleKind::FENCE, p.fence.raw());
                }
            }
            Call::ContextReset { p } => {
                self.take(Call::ContextReset { p });
            }
            Call::ContextCreate { p } => {
                let p = &ContextDesc {
                    context: self.mint(),
                    share: self.live_or_null(|s| &s.contexts),
                    ..*p
                };
                self.take(Call::ContextCreate { p });
            }
            Call::ContextDestroy { .. } => {
                if !self.chance(3) {
                    return;
                }
                let p = &ContextOnly {
                    context: self.live(|s| &s.contexts),
                };
                if self.take(Call::ContextDestroy { p }) {
                    self.release(HandleKind::CONTEXT, p.context.raw());
                }
            }
            Call::BindContext { .. } => {
                let p = &BindContext {
                    context: self.live(|s| &s.contexts),
                    draw: self.live_or_null(|s| &s.surfaces),
                    read: self.live_or_null(|s| &s.surfaces),
                };
                self.take(Call::BindContext { p });
            }
            Call::SurfaceCreate { p } | Call::SurfaceRespecify { p } => {
                let mut d = SurfaceDesc {
                    width: 1 + self.below(8),
                    height: 1 + self.below(8),
                    color: Format::RGBA8,
                    depth_stencil: self.one_of(&[Format::NONE, Format::DEPTH24_STENCIL8]),
                    samples: self.one_of(&[0, 0, 4]),
                    ..*p
                };
                if matches!(call, Call::SurfaceCreate { .. }) {
                    d.surface = self.mint();
                    self.take(Call::SurfaceCreate { p: &d });
                } else {
                    d.surface = self.live(|s| &s.surfaces);
                    self.take(Call::SurfaceRespecify { p: &d });
                }
            }
            Call::SurfaceDestroy { .. } => {
                let p = &SurfaceOnly {
                    surface: self.live(|s| &s.surfaces),
                };
                if self.take(Call::SurfaceDestroy { p }) {
                    self.release(HandleKind::SURFACE, p.surface.raw());
                }
            }
            Call::ObjectLabel { label, .. } => {
                let resource = self.resource();
                let p = &ObjectLabel {
                    kind: resource.kind,
                    handle: resource.handle,
                    ..ObjectLabel::default()
                };
                self.take(Call::ObjectLabel { p, label });
            }
            Call::QueryCreate { p } => {
                let query = self.mint();
                let p = &QueryDesc { query, ..*p };
                self.take(Call::QueryCreate { p });
            }
            Call::QueryBegin { p } => {
                let query = self.live(|s| &s.queries);
                let p = &QueryDesc { query, ..*p };
                self.take(Call::QueryBegin { p });
            }
            Call::QueryEnd { p } => {
                let query = self.live(|s| &s.queries);
                let p = &QueryDesc { query, ..*p };
                self.take(Call::QueryEnd { p });
            }
            Call::QueryCounter { p } => {
                let query = self.live(|s| &s.queries);
                let p = &QueryDesc { query, ..*p };
                self.take(Call::QueryCounter { p });
            }
            Call::QueryDestroy { .. } => {
                let p = &QueryOnly {
                    query: self.live(|s| &s.queries),
                };
                if self.take(Call::QueryDestroy { p }) {
                    self.release(HandleKind::QUERY, p.query.raw());
                }
            }
            Call::CreateRenderState { p } => {
                let render_state = self.mint();
                let p = &RenderStateDesc { render_state, ..*p };
                self.take(Call::CreateRenderState { p });
            }
            Call::BindRenderState { p } => {
                let render_state = self.live(|s| &s.render_states);
                let p = &BindRenderState { render_state, ..*p };
                self.take(Call::BindRenderState { p });
            }
            Call::DeleteRenderState { .. } => {
                let p = &RenderStateOnly {
                    render_state: self.live(|s| &s.render_states),
                };
                if self.take(Call::DeleteRenderState { p }) {
                    self.release(HandleKind::RENDER_STATE, p.render_state.raw());
                }
            }
            Call::CreateVertexElements { .. } => {
                let p = &VertexElements {
                    vertex_elements: self.mint(),
                };
                let n = self.below(4);
                let bindings: Vec<_> = (0..n)
                    .map(|binding| VertexBinding {
                        binding,
                        stride: 4 * n,
                        ..VertexBinding::default()
                    })
                    .collect();
                let attribs: Vec<_> = (0..n)
                    .map(|i| VertexAttrib {
                        location: 2 * i,
                        binding: i,
                        components: 1 + i,
                        ..VertexAttrib::default()
                    })
                    .collect();
                self.take(Call::CreateVertexElements {
                    p,
                    attribs: &attribs,
                    bindings: &bindings,
                });
            }
            Call::BindVertexElements { .. } => {
                let p = &VertexElements {
                    vertex_elements: self.live(|s| &s.vertex_elements),
                };
                self.take(Call::BindVertexElements { p });
            }
            Call::DeleteVertexElements { .. } => {
                let p = &VertexElements {
                    vertex_elements: self.live(|s| &s.vertex_elements),
                };
                if self.take(Call::DeleteVertexElements { p }) {
                    self.release(HandleKind::VERTEX_ELEMENTS, p.vertex_elements.raw());
                }
            }
            Call::CreateShaderState { p, reflection, .. } => {
                let shader = self.mint();
                let p = &ProgramDesc { shader, ..*p };
                let code: Code = std::array::from_fn(|i| match i {
                    6 => reflection.to_vec(),
                    _ if p.stages.0 >> i & 1 != 0 => self.below(1 << 30).to_le_bytes().to_vec(),
                    _ => Vec::new(),
                });
                let [
                    vertex,
                    tess_control,
                    tess_eval,
                    geometry,
                    fragment,
                    compute,
                    reflection,
                ] = &code;
                let taken = self.take(Call::CreateShaderState {
                    p,
                    vertex,
                    tess_control,
                    tess_eval,
                    geometry,
                    fragment,
                    compute,
                    reflection,
                });
                if taken {
                    self.code.insert(p.shader.raw(), code);
                }
            }
            Call::BindShaderState { .. } => {
                let shader = self.live_or_null(|s| &s.programs);
                let p = &ShaderOnly { shader };
                self.take(Call::BindShaderState { p });
            }
            Call::SetDrawProgram { .. } => {
                let shader = self.live_or_null(|s| &s.programs);
                let p = &ShaderOnly { shader };
                self.take(Call::SetDrawProgram { p });
            }
            Call::SetDispatchProgram { .. } => {
                let shader = self.live_or_null(|s| &s.programs);
                let p = &ShaderOnly { shader };
                self.take(Call::SetDispatchProgram { p });
            }
            Call::DeleteShaderState { .. } => {
                let p = &ShaderOnly {
                    shader: self.live(|s| &s.programs),
                };
                if self.take(Call::DeleteShaderState { p }) {
                    self.release(HandleKind::SHADER, p.shader.raw());
                }
            }
            Call::CreateSamplerState { p } => {
                let sampler = self.mint();
                let p = &SamplerDesc { sampler, ..*p };
                self.take(Call::CreateSamplerState { p });
            }
            Call::DeleteSamplerState { .. } => {
                let p = &SamplerOnly {
                    sampler: self.live(|s| &s.samplers),
                };
                if self.take(Call::DeleteSamplerState { p }) {
                    self.release(HandleKind::SAMPLER, p.sampler.raw());
                }
            }
            Call::CreateSamplerView { p } => {
                let texture = self.live(|s| &s.textures);
                let d = self.state.textures.get(texture).map(|e| e.desc);
                let (levels, layers) = d.map_or((1, 1), |d| (d.levels.max(1), d.layers.max(1)));
                let first_level = self.below(levels);
                let first_layer = self.below(layers);
                let p = &SamplerView {
                    view: self.mint(),
                    texture,
                    first_level,
                    levels: 1 + self.below(levels - first_level),
                    first_layer,
                    layers: 1 + self.below(layers - first_layer),
                    ..*p
                };
                self.take(Call::CreateSamplerView { p });
            }
            Call::DeleteSamplerView { .. } => {
                let p = &SamplerViewOnly {
                    view: self.live(|s| &s.views),
                };
                if self.take(Call::DeleteSamplerView { p }) {
                    self.release(HandleKind::SAMPLER_VIEW, p.view.raw());
                }
            }
            Call::SetFramebufferState { p } => {
                let mut f = *p;
                f.framebuffer = FramebufferHandle(self.name());
                (f.width, f.height) = (self.below(9), self.below(9));
                for a in f
                    .color
                    .iter_mut()
                    .chain([&mut f.depth, &mut f.stencil, &mut f.read])
                {
                    self.attachment(a);
                }
                self.take(Call::SetFramebufferState { p: &f });
            }
            Call::SetVertexBuffers { p, buffers } => {
                let mut buffers = buffers.to_vec();
                for b in &mut buffers {
                    b.buffer = self.live_or_null(|s| &s.buffers);
                }
                self.take(Call::SetVertexBuffers {
                    p,
                    buffers: &buffers,
                });
            }
            Call::SetIndexBuffer { .. } => {
                let p = &IndexBuffer {
                    buffer: self.live_or_null(|s| &s.buffers),
                };
                self.take(Call::SetIndexBuffer { p });
            }
            Call::SetIndirectBuffers { .. } => {
                let p = &IndirectBuffers {
                    draw: self.live_or_null(|s| &s.buffers),
                    dispatch: self.live_or_null(|s| &s.buffers),
                    parameter: self.live_or_null(|s| &s.buffers),
                };
                self.take(Call::SetIndirectBuffers { p });
            }
            Call::SetSamplerViews { p, views } => {
                let mut views = views.to_vec();
                for b in &mut views {
                    b.view = self.live(|s| &s.views);
                    b.texture = self
                        .state
                        .views
                        .get(b.view)
                        .map_or(b.texture, |v| v.texture);
                }
                let whole = |b: &BoundView| !b.texture.is_null();
                views.retain(whole);
                self.take(Call::SetSamplerViews { p, views: &views });
            }
            Call::BindSamplerStates { p, samplers } => {
                let mut samplers = samplers.to_vec();
                for b in &mut samplers {
                    b.sampler = self.live(|s| &s.samplers);
                }
                self.take(Call::BindSamplerStates {
                    p,
                    samplers: &samplers,
                });
            }
            Call::SetShaderImages { p, images } => {
                let mut images = images.to_vec();
                for i in &mut images {
                    i.texture = self.live(|s| &s.textures);
                }
                self.take(Call::SetShaderImages { p, images: &images });
            }
            Call::SetShaderBuffers { p, buffers } => {
                let buffers = &self.ranges(buffers);
                self.take(Call::SetShaderBuffers { p, buffers });
            }
            Call::SetStreamOutputTargets { targets, .. } => {
                let p = &SetStreamOutputTargets {
                    stream_output: StreamOutputHandle(self.name()),
                };
                let targets = &self.ranges(targets);
                self.take(Call::SetStreamOutputTargets { p, targets });
            }
            Call::SetGlobalConstants { bytes, .. } => {
                let p = &SetGlobalConstants {
                    shader: self.live(|s| &s.programs),
                    offset: self.below(9),
                    block_size: 32 + self.below(9),
                };
                self.take(Call::SetGlobalConstants { p, bytes });
            }
            Call::SetProgramBindings {
                samplers,
                images,
                uniform_blocks,
                storage_blocks,
                ..
            } => {
                let p = &SetProgramBindings {
                    shader: self.live(|s| &s.programs),
                };
                self.take(Call::SetProgramBindings {
                    p,
                    samplers,
                    images,
                    uniform_blocks,
                    storage_blocks,
                });
            }
            Call::SetTextureParams { p } => {
                let p = &TextureParams {
                    texture: self.live(|s| &s.textures),
                    sampler: self.live_or_null(|s| &s.samplers),
                    ..*p
                };
                self.take(Call::SetTextureParams { p });
            }
            Call::ObjectDeath { .. } => {
                let p = &ObjectDeath {
                    kind: self.one_of(&[HandleKind::FRAMEBUFFER, HandleKind::STREAM_OUTPUT]),
                    handle: self.name(),
                    ..ObjectDeath::default()
                };
                self.take(Call::ObjectDeath { p });
            }
            Call::BeginStreamOutput { p }
            | Call::EndStreamOutput { p }
            | Call::PauseStreamOutput { p }
            | Call::ResumeStreamOutput { p }
            | Call::BindStreamOutput { p } => {
                let bound = self.state.context().map(|c| c.values.stream_output);
                let other = self.chance(3) || matches!(call, Call::BindStreamOutput { .. });
                let p = &StreamOutputOp {
                    stream_output: match (other, bound) {
                        (false, Some(bound)) => bound,
                        _ => StreamOutputHandle(self.name()),
                    },
                    ..*p
                };
                self.take(match call {
                    Call::BeginStreamOutput { .. } => Call::BeginStreamOutput { p },
                    Call::EndStreamOutput { .. } => Call::EndStreamOutput { p },
                    Call::PauseStreamOutput { .. } => Call::PauseStreamOutput { p },
                    Call::ResumeStreamOutput { .. } => Call::ResumeStreamOutput { p },
                    _ => Call::BindStreamOutput { p },
                });
            }
            other => {
                self.take(other);
            }
        }
    }
}

/// Code alone.
pub struct CodeOnly<'w>(pub &'w BTreeMap<Handle, Code>);

impl Content for CodeOnly<'_> {
    fn code(&mut self, program: ShaderHandle) -> Option<backend::ProgramCode<'_>> {
        let code = self.0.get(&program.raw())?;
        Some(backend::ProgramCode {
            stages: std::array::from_fn(|i| code[i].as_slice()),
            reflection: &code[6],
        })
    }
    fn pieces(
        &mut self,
        _: &PushedState,
        _: Part,
        _: &mut dyn FnMut(Piece<'_>),
    ) -> Result<(), Absent> {
        Ok(())
    }
}

#[test]
fn every_call_that_leaves_a_trace_is_taken_in_some_sequence() {
    let mut taken: BTreeMap<Op, u64> = BTreeMap::new();
    for seed in 0..100 {
        let mut w = World::new(seed);
        (0..600).for_each(|_| w.step());
        for (op, n) in w.taken {
            *taken.entry(op).or_insert(0) += n;
        }
    }
    let few: Vec<_> = OPS
        .iter()
        .filter(|op| taken.get(op).is_none_or(|n| *n < 15))
        .collect();
    assert!(few.is_empty(), "hardly ever taken: {few:?} of {taken:?}");
}
