//! Handles of every kind through `apply`: objects that come and go, and slots that are used again (design: verification
//! 6.8).

use mgl_core::counters::Counters;
use mgl_core::format::Format;
use mgl_core::handle::*;
use mgl_core::pipe::table::HandleError;
use mgl_core::pipe::*;
use mgl_core::pod::F32;

const ROUNDS: u32 = 48;
/// Objects of a kind that live side by side.
const SIDE_BY_SIDE: usize = 3;

/// The kinds that have a table: framebuffers and stream outputs are names only, see the last test.
const KINDS: [HandleKind; 12] = [
    HandleKind::BUFFER,
    HandleKind::TEXTURE,
    HandleKind::RENDERBUFFER,
    HandleKind::RENDER_STATE,
    HandleKind::VERTEX_ELEMENTS,
    HandleKind::SAMPLER,
    HandleKind::SAMPLER_VIEW,
    HandleKind::SHADER,
    HandleKind::FENCE,
    HandleKind::QUERY,
    HandleKind::CONTEXT,
    HandleKind::SURFACE,
];

/// A client with a context, a surface, and a texture to make views of.
struct Client {
    state: PushedState,
    back_end: NullBackend,
    counters: Counters,
    slots: Vec<SlotAllocator>,
    bound: BindContext,
    texture: TextureHandle,
}

impl Client {
    fn new() -> Self {
        let slots = (0..HandleKind::COUNT as u32)
            .map(|kind| SlotAllocator::for_kind(HandleKind(kind)))
            .collect();
        let mut client = Self {
            state: PushedState::default(),
            back_end: NullBackend::default(),
            counters: Counters::default(),
            slots,
            bound: BindContext::default(),
            texture: TextureHandle::NULL,
        };
        let context = client.mint(HandleKind::CONTEXT);
        let surface = client.mint(HandleKind::SURFACE);
        let texture = client.mint(HandleKind::TEXTURE);
        for (kind, h) in [
            (HandleKind::CONTEXT, context),
            (HandleKind::SURFACE, surface),
            (HandleKind::TEXTURE, texture),
        ] {
            client.make(kind, h).expect("new handles are taken");
        }
        client.bound = BindContext {
            context: ContextHandle(context),
            draw: SurfaceHandle(surface),
            read: SurfaceHandle(surface),
        };
        client.texture = TextureHandle(texture);
        let bound = client.bound;
        client
            .call(&Call::BindContext { p: &bound })
            .expect("both live");
        client
    }

    fn mint(&mut self, kind: HandleKind) -> Handle {
        self.slots[kind.0 as usize].alloc().expect("a slot")
    }

    fn release(&mut self, kind: HandleKind, h: Handle) {
        assert!(self.slots[kind.0 as usize].free(h), "a live handle");
    }

    fn call(&mut self, call: &Call<'_>) -> Result<Reply, ApplyError> {
        apply(
            &mut self.state,
            &mut self.back_end,
            &mut self.counters,
            call,
        )
    }

    fn resource(kind: HandleKind, handle: Handle) -> ResourceDesc {
        let (target, format, size) = match kind {
            HandleKind::BUFFER => (Target::BUFFER, Format::default(), 16),
            HandleKind::TEXTURE => (Target::TEXTURE_2D, Format::RGBA8, 0),
            _ => (Target::RENDERBUFFER, Format::RGBA8, 0),
        };
        ResourceDesc {
            resource: ResourceHandle { kind, handle },
            target,
            format,
            width: 4,
            height: 4,
            depth: 1,
            layers: 1,
            levels: 1,
            size,
            ..ResourceDesc::default()
        }
    }

    /// Makes an object.
    fn make(&mut self, kind: HandleKind, h: Handle) -> Result<Reply, ApplyError> {
        let texture = self.texture;
        match kind {
            HandleKind::BUFFER | HandleKind::TEXTURE | HandleKind::RENDERBUFFER => {
                self.call(&Call::ResourceCreate {
                    p: &Self::resource(kind, h),
                })
            }
            HandleKind::RENDER_STATE => self.call(&Call::CreateRenderState {
                p: &RenderStateDesc {
                    render_state: RenderStateHandle(h),
                    state: PipelineState::initial(),
                },
            }),
            HandleKind::VERTEX_ELEMENTS => self.call(&Call::CreateVertexElements {
                p: &VertexElements {
                    vertex_elements: VertexElementsHandle(h),
                },
                attribs: &[],
                bindings: &[],
            }),
            HandleKind::SAMPLER => self.call(&Call::CreateSamplerState {
                p: &SamplerDesc {
                    sampler: SamplerHandle(h),
                    ..SamplerDesc::default()
                },
            }),
            HandleKind::SAMPLER_VIEW => self.call(&Call::CreateSamplerView {
                p: &SamplerView {
                    view: SamplerViewHandle(h),
                    texture,
                    levels: 1,
                    layers: 1,
                    ..SamplerView::default()
                },
            }),
            HandleKind::SHADER => self.call(&Call::CreateShaderState {
                p: &ProgramDesc {
                    shader: ShaderHandle(h),
                    stages: StageMask::VERTEX,
                    gl_name: 0,
                },
                vertex: &[0; 4],
                tess_control: &[],
                tess_eval: &[],
                geometry: &[],
                fragment: &[],
                compute: &[],
                reflection: &[],
            }),
            HandleKind::FENCE => self.call(&Call::FenceCreate {
                p: &FenceOnly {
                    fence: FenceHandle(h),
                },
            }),
            HandleKind::QUERY => self.call(&Call::QueryCreate {
                p: &QueryDesc {
                    query: QueryHandle(h),
                    ..QueryDesc::default()
                },
            }),
            HandleKind::CONTEXT => self.call(&Call::ContextCreate {
                p: &ContextDesc {
                    context: ContextHandle(h),
                    profile: ContextProfile::CORE,
                    ..ContextDesc::default()
                },
            }),
            _ => self.call(&Call::SurfaceCreate {
                p: &SurfaceDesc {
                    surface: SurfaceHandle(h),
                    width: 4,
                    height: 4,
                    color: Format::RGBA8,
                    ..SurfaceDesc::default()
                },
            }),
        }
    }

    /// Uses an object by its handle.
    fn put_to_use(&mut self, kind: HandleKind, h: Handle) -> Result<Reply, ApplyError> {
        let texture = self.texture;
        match kind {
            HandleKind::BUFFER => self.call(&Call::ResourceReadback {
                p: &BufferRange {
                    buffer: BufferHandle(h),
                    offset: 0,
                    size: 4,
                },
            }),
            HandleKind::TEXTURE => self.call(&Call::SetTextureParams {
                p: &TextureParams {
                    texture: TextureHandle(h),
                    max_lod: F32(1.0),
                    ..TextureParams::default()
                },
            }),
            HandleKind::RENDERBUFFER => {
                let mut f = FramebufferState {
                    binding: FramebufferBinding::DRAW,
                    ..FramebufferState::default()
                };
                f.color[0] = Attachment {
                    resource: RenderbufferHandle(h).into(),
                    format: Format::RGBA8,
                    ..Attachment::default()
                };
                self.call(&Call::SetFramebufferState { p: &f })
            }
            HandleKind::RENDER_STATE => self.call(&Call::BindRenderState {
                p: &BindRenderState {
                    render_state: RenderStateHandle(h),
                    ..BindRenderState::default()
                },
            }),
            HandleKind::VERTEX_ELEMENTS => self.call(&Call::BindVertexElements {
                p: &VertexElements {
                    vertex_elements: VertexElementsHandle(h),
                },
            }),
            HandleKind::SAMPLER => self.call(&Call::BindSamplerStates {
                p: &BindSamplerStates::default(),
                samplers: &[BoundSampler {
                    sampler: SamplerHandle(h),
                    ..BoundSampler::default()
                }],
            }),
            HandleKind::SAMPLER_VIEW => self.call(&Call::SetSamplerViews {
                p: &SetSamplerViews::default(),
                views: &[BoundView {
                    view: SamplerViewHandle(h),
                    texture,
                    ..BoundView::default()
                }],
            }),
            HandleKind::SHADER => self.call(&Call::SetDrawProgram {
                p: &ShaderOnly {
                    shader: ShaderHandle(h),
                },
            }),
            HandleKind::FENCE => self.call(&Call::FenceStatus {
                p: &FenceOnly {
                    fence: FenceHandle(h),
                },
            }),
            HandleKind::QUERY => self.call(&Call::QueryAvailable {
                p: &QueryOnly {
                    query: QueryHandle(h),
                },
            }),
            HandleKind::CONTEXT => {
                let own = self.bound;
                let used = self.call(&Call::BindContext {
                    p: &BindContext {
                        context: ContextHandle(h),
                        ..own
                    },
                });
                self.call(&Call::BindContext { p: &own })?;
                used
            }
            _ => self.call(&Call::Present {
                p: &Present {
                    surface: SurfaceHandle(h),
                    ..Present::default()
                },
            }),
        }
    }

    /// Ends an object.
    fn end(&mut self, kind: HandleKind, h: Handle) -> Result<Reply, ApplyError> {
        match kind {
            HandleKind::BUFFER | HandleKind::TEXTURE | HandleKind::RENDERBUFFER => {
                self.call(&Call::ResourceDestroy {
                    p: &ResourceOnly {
                        resource: ResourceHandle { kind, handle: h },
                        ..ResourceOnly::default()
                    },
                })
            }
            HandleKind::RENDER_STATE => self.call(&Call::DeleteRenderState {
                p: &RenderStateOnly {
                    render_state: RenderStateHandle(h),
                },
            }),
            HandleKind::VERTEX_ELEMENTS => self.call(&Call::DeleteVertexElements {
                p: &VertexElements {
                    vertex_elements: VertexElementsHandle(h),
                },
            }),
            HandleKind::SAMPLER => self.call(&Call::DeleteSamplerState {
                p: &SamplerOnly {
                    sampler: SamplerHandle(h),
                },
            }),
            HandleKind::SAMPLER_VIEW => self.call(&Call::DeleteSamplerView {
                p: &SamplerViewOnly {
                    view: SamplerViewHandle(h),
                },
            }),
            HandleKind::SHADER => self.call(&Call::DeleteShaderState {
                p: &ShaderOnly {
                    shader: ShaderHandle(h),
                },
            }),
            HandleKind::FENCE => self.call(&Call::FenceDestroy {
                p: &FenceOnly {
                    fence: FenceHandle(h),
                },
            }),
            HandleKind::QUERY => self.call(&Call::QueryDestroy {
                p: &QueryOnly {
                    query: QueryHandle(h),
                },
            }),
            HandleKind::CONTEXT => self.call(&Call::ContextDestroy {
                p: &ContextOnly {
                    context: ContextHandle(h),
                },
            }),
            _ => self.call(&Call::SurfaceDestroy {
                p: &SurfaceOnly {
                    surface: SurfaceHandle(h),
                },
            }),
        }
    }

    /// Live handles, slots ever used: of the client's allocator and of the state's table.
    fn counts(&self, kind: HandleKind) -> [usize; 4] {
        let s = &self.state;
        let (live, slots) = match kind {
            HandleKind::BUFFER => (s.buffers.len(), s.buffers.high_water()),
            HandleKind::TEXTURE => (s.textures.len(), s.textures.high_water()),
            HandleKind::RENDERBUFFER => (s.renderbuffers.len(), s.renderbuffers.high_water()),
            HandleKind::RENDER_STATE => (s.render_states.len(), s.render_states.high_water()),
            HandleKind::VERTEX_ELEMENTS => {
                (s.vertex_elements.len(), s.vertex_elements.high_water())
            }
            HandleKind::SAMPLER => (s.samplers.len(), s.samplers.high_water()),
            HandleKind::SAMPLER_VIEW => (s.views.len(), s.views.high_water()),
            HandleKind::SHADER => (s.programs.len(), s.programs.high_water()),
            HandleKind::FENCE => (s.fences.len(), s.fences.high_water()),
            HandleKind::QUERY => (s.queries.len(), s.queries.high_water()),
            HandleKind::CONTEXT => (s.contexts.len(), s.contexts.high_water()),
            _ => (s.surfaces.len(), s.surfaces.high_water()),
        };
        let a = &self.slots[kind.0 as usize];
        [a.live(), a.high_water(), live, slots]
    }
}

#[test]
fn rounds_of_churn_bring_counts_back() {
    for kind in KINDS {
        let mut client = Client::new();
        let start = client.counts(kind);
        let mut first = None;
        let mut generations = Vec::new();
        for round in 1..=ROUNDS {
            let mut made = Vec::new();
            for _ in 0..SIDE_BY_SIDE {
                let h = client.mint(kind);
                client
                    .make(kind, h)
                    .unwrap_or_else(|e| panic!("{kind:?}: {e}"));
                client
                    .put_to_use(kind, h)
                    .unwrap_or_else(|e| panic!("{kind:?}: {e}"));
                made.push(h);
            }
            let full = client.counts(kind);
            assert_eq!(full[0], start[0] + SIDE_BY_SIDE, "{kind:?}");
            assert_eq!(full[2], start[2] + SIDE_BY_SIDE, "{kind:?}");
            // The oldest first in one round, the newest first in the next.
            if round % 2 == 0 {
                made.reverse();
            }
            for h in &made {
                client
                    .end(kind, *h)
                    .unwrap_or_else(|e| panic!("{kind:?}: {e}"));
                client.release(kind, *h);
                let used = client.put_to_use(kind, *h);
                assert!(
                    matches!(
                        used,
                        Err(ApplyError::Handle {
                            error: HandleError::NotLive { .. },
                            ..
                        })
                    ),
                    "{kind:?}: {used:?}"
                );
            }
            generations.push(made.iter().map(|h| h.generation).max());
            let now = client.counts(kind);
            assert_eq!(
                [now[0], now[2]],
                [start[0], start[2]],
                "{kind:?}, round {round}"
            );
            let first = *first.get_or_insert(now);
            assert_eq!(
                now, first,
                "{kind:?}, round {round}: marks rise in the first round only"
            );
        }
        let expected: Vec<_> = (1..=ROUNDS).map(Some).collect();
        assert_eq!(generations, expected, "{kind:?}: a generation a use");
    }
}

/// How a handle finds its object.
type Lookup = fn(asked: Handle, live: Handle) -> Handle;

/// Whether the handle of an object that ended is refused, in use and when it is ended again, although another object has
/// its slot.
fn stale_handles_are_refused(kind: HandleKind, lookup: Lookup) -> bool {
    let mut client = Client::new();
    let old = client.mint(kind);
    client.make(kind, old).expect("new");
    client.put_to_use(kind, old).expect("live");
    client.end(kind, old).expect("live");
    client.release(kind, old);
    let new = client.mint(kind);
    assert_eq!((new.slot, new.generation), (old.slot, old.generation + 1));
    client.make(kind, new).expect("new");
    let stale = |r: Result<Reply, ApplyError>| match r {
        Err(ApplyError::Handle {
            error: HandleError::Stale {
                generation, live, ..
            },
            ..
        }) => {
            assert_eq!(
                (generation, live),
                (old.generation, new.generation),
                "{kind:?}"
            );
            true
        }
        _ => false,
    };
    let used = client.put_to_use(kind, lookup(old, new));
    let ended = client.end(kind, lookup(old, new));
    let refused = stale(used) & stale(ended);
    refused && client.put_to_use(kind, new).is_ok()
}

#[test]
fn a_slot_that_is_used_again_refuses_old_handles() {
    for kind in KINDS {
        assert!(
            stale_handles_are_refused(kind, |asked, _| asked),
            "{kind:?}"
        );
        // The control: a lookup by slot, whatever the generation.
        let blind: Lookup = |asked, live| Handle {
            generation: live.generation,
            ..asked
        };
        assert!(
            !stale_handles_are_refused(kind, blind),
            "{kind:?}: the control sees nothing"
        );
    }
}

/// A generation that does not rise is refused, and so is a slot that is taken.
#[test]
fn handles_are_made_once() {
    for kind in KINDS {
        let mut client = Client::new();
        let h = client.mint(kind);
        client.make(kind, h).expect("new");
        let error = |r: Result<Reply, ApplyError>| match r {
            Err(ApplyError::Handle { error, .. }) => error,
            r => panic!("{kind:?}: {r:?}"),
        };
        let next = Handle {
            generation: h.generation + 1,
            ..h
        };
        for again in [h, next] {
            let e = error(client.make(kind, again));
            assert!(matches!(e, HandleError::Occupied { .. }), "{kind:?}: {e}");
        }
        client.end(kind, h).expect("live");
        let e = error(client.make(kind, h));
        assert!(matches!(e, HandleError::Backwards { .. }), "{kind:?}: {e}");
        client.make(kind, next).expect("rises");
    }
}

/// Framebuffers and stream outputs are names inside state. The death of an old one does not take its successor out.
#[test]
fn the_death_of_an_old_name_leaves_the_new_one() {
    let survives = |lookup: Lookup| {
        let mut client = Client::new();
        let [old, new] = [1, 2].map(|generation| Handle {
            slot: 5,
            generation,
        });
        let f = FramebufferState {
            framebuffer: FramebufferHandle(new),
            binding: FramebufferBinding::DRAW | FramebufferBinding::READ,
            ..FramebufferState::default()
        };
        client
            .call(&Call::SetFramebufferState { p: &f })
            .expect("names are free");
        client
            .call(&Call::SetStreamOutputTargets {
                p: &SetStreamOutputTargets {
                    stream_output: StreamOutputHandle(new),
                },
                targets: &[],
            })
            .expect("names are free");
        for kind in [HandleKind::FRAMEBUFFER, HandleKind::STREAM_OUTPUT] {
            let handle = lookup(old, new);
            let p = &ObjectDeath {
                kind,
                handle,
                ..ObjectDeath::default()
            };
            client
                .call(&Call::ObjectDeath { p })
                .expect("a death of any name");
        }
        let v = &client.state.context().expect("bound").values;
        [
            v.draw_framebuffer.framebuffer.0,
            v.read_framebuffer.framebuffer.0,
            v.stream_output.0,
        ]
        .map(|h| h == new)
    };
    assert_eq!(survives(|asked, _| asked), [true; 3]);
    assert_eq!(
        survives(|_, live| live),
        [false; 3],
        "the control sees nothing"
    );
}
