//! Objects come and go, 48 rounds a kind: live counts and high-water marks of handles, tables and native objects come
//! back to where they were after the first rounds (design: verification 6.8).

use crate::rig::*;
use mgl_core::format::Format;
use mgl_core::handle::*;
use mgl_core::pipe::*;
use mgl_core::pod::F32;

const ROUNDS: usize = 48;
/// Rounds before the counts are taken: caches fill, streaming buffers are made.
const FIRST: usize = 3;

/// Native objects that live, by kind.
fn native(rig: &Rig) -> Vec<(String, i64)> {
    let all = rig.be.native_counters();
    let value = |name: &str| {
        let found = all.iter().find(|c| c.0 == name);
        found.unwrap_or_else(|| panic!("no counter {name}")).1 as i64
    };
    let mut live: Vec<(String, i64)> = all
        .iter()
        .filter_map(|(name, _)| name.strip_suffix("_ended"))
        .map(|kind| {
            let made = match kind {
                "programs" => value("programs_linked"),
                _ => value(&format!("{kind}_made")),
            };
            (kind.to_owned(), made - value(&format!("{kind}_ended")))
        })
        .collect();
    live.sort();
    live
}

/// Live entries and slots ever used, of every table of the pushed state.
fn tables(s: &PushedState) -> Vec<(&'static str, usize, usize)> {
    macro_rules! counts {
        ($($name:ident),*) => { vec![ $( (stringify!($name), s.$name.len(), s.$name.high_water()) ),* ] };
    }
    counts![
        buffers,
        textures,
        renderbuffers,
        render_states,
        vertex_elements,
        samplers,
        views,
        programs,
        fences,
        queries,
        contexts,
        surfaces
    ]
}

/// Everything that is to come back.
fn counts(rig: &Rig) -> impl PartialEq + std::fmt::Debug + use<> {
    (native(rig), tables(&rig.s), rig.handle_counts())
}

/// What every round starts from: a program with positions, drawing to the window.
struct Base {
    flat: Program,
    elements: VertexElementsHandle,
    buffers: [VertexBuffer; 1],
}

impl Base {
    fn new(rig: &mut Rig) -> Self {
        let flat = rig.program("flat");
        rig.uniform(&flat, "place", &[1.0f32, 1.0, 0.0, 0.0]);
        let elements = rig.elements(
            &[attrib(0, 0, 2, AttribType::FLOAT, 0)],
            &[binding(0, 8, 0)],
        );
        let buffer = rig.buffer(&bytes(&COVER));
        let buffers = [VertexBuffer {
            buffer,
            stride: 8,
            ..VertexBuffer::default()
        }];
        Self {
            flat,
            elements,
            buffers,
        }
    }

    /// Puts everything back, and draws: what was forgotten meanwhile is ended then.
    fn restore(&self, rig: &mut Rig) {
        rig.use_program(self.flat.shader);
        rig.bind_elements(self.elements);
        rig.vertex_buffers(&self.buffers);
        rig.default_framebuffer();
        rig.draw(Primitive::TRIANGLES, 0, 3);
    }
}

fn churn(kind: &str, mut round: impl FnMut(&mut Rig, &Base)) {
    let mut rig = Rig::new(4, 4);
    let base = Base::new(&mut rig);
    let mut one = |rig: &mut Rig| {
        round(rig, &base);
        base.restore(rig);
    };
    base.restore(&mut rig);
    for _ in 0..FIRST {
        one(&mut rig);
    }
    let before = counts(&rig);
    let made = |rig: &Rig| -> u64 {
        let all = rig.be.native_counters();
        let objects = all
            .iter()
            .filter(|c| c.0.ends_with("_made") || c.0 == "programs_linked");
        objects.map(|c| c.1).sum()
    };
    let made_before = made(&rig);
    for _ in 0..ROUNDS {
        one(&mut rig);
    }
    assert_eq!(counts(&rig), before, "{kind}");
    let made = made(&rig) - made_before;
    assert!(
        made >= ROUNDS as u64,
        "{kind}: {made} objects in {ROUNDS} rounds"
    );
}

fn destroy<H: TypedHandle + Copy + Into<ResourceHandle>>(rig: &mut Rig, h: H) {
    rig.call(&Call::ResourceDestroy {
        p: &ResourceOnly {
            resource: h.into(),
            ..ResourceOnly::default()
        },
    });
    rig.free(h);
}

#[test]
fn buffers() {
    churn("buffers", |rig, _| {
        let buffer = rig.buffer(&bytes(&COVER));
        rig.vertex_buffers(&[VertexBuffer {
            buffer,
            stride: 8,
            ..VertexBuffer::default()
        }]);
        rig.draw(Primitive::TRIANGLES, 0, 3);
        destroy(rig, buffer);
    });
}

/// Attributes that OpenGL ES does not read have a second buffer, which must not outlive the first.
#[test]
fn buffers_whose_attributes_are_converted() {
    churn("converted buffers", |rig, base| {
        let a = VertexAttrib {
            bgra: true.into(),
            class: AttribClass::NORMALIZED,
            ..attrib(0, 0, 4, AttribType::UNSIGNED_BYTE, 0)
        };
        let elements = rig.elements(&[a], &[binding(0, 4, 0)]);
        let buffer = rig.buffer(&[7; 64]);
        rig.bind_elements(elements);
        rig.vertex_buffers(&[VertexBuffer {
            buffer,
            stride: 4,
            ..VertexBuffer::default()
        }]);
        rig.draw(Primitive::TRIANGLES, 0, 3);
        rig.bind_elements(base.elements);
        rig.call(&Call::DeleteVertexElements {
            p: &VertexElements {
                vertex_elements: elements,
            },
        });
        rig.free(elements);
        destroy(rig, buffer);
    });
}

/// A view of all of a texture, in a format.
fn view(rig: &mut Rig, texture: TextureHandle, format: Format) -> SamplerViewHandle {
    let d = rig.s.textures.get(texture).expect("a texture").desc;
    let view: SamplerViewHandle = rig.alloc();
    rig.call(&Call::CreateSamplerView {
        p: &SamplerView {
            view,
            texture,
            format,
            target: d.target,
            levels: d.levels.max(1),
            layers: d.layers.max(1),
            ..SamplerView::default()
        },
    });
    view
}

fn end_view(rig: &mut Rig, view: SamplerViewHandle) {
    rig.call(&Call::DeleteSamplerView {
        p: &SamplerViewOnly { view },
    });
    rig.free(view);
}

fn sampler(rig: &mut Rig) -> SamplerHandle {
    let sampler: SamplerHandle = rig.alloc();
    rig.call(&Call::CreateSamplerState {
        p: &SamplerDesc {
            sampler,
            min_filter: MinFilter::NEAREST,
            mag_filter: Filter::NEAREST,
            wrap: [Wrap::CLAMP_TO_EDGE; 3],
            compare_mode: CompareMode::NONE,
            compare_func: CompareFunc::LEQUAL,
            max_lod: F32(1000.0),
            max_anisotropy: F32(1.0),
            srgb_decode: SrgbDecode::DECODE,
            ..SamplerDesc::default()
        },
    });
    sampler
}

/// Draws with a texture through a view and a sampler.
fn draw_textured(
    rig: &mut Rig,
    program: &Program,
    texture: TextureHandle,
    view: SamplerViewHandle,
    sampler: SamplerHandle,
) {
    rig.use_program(program.shader);
    rig.call(&Call::SetSamplerViews {
        p: &SetSamplerViews::default(),
        views: &[BoundView {
            view,
            texture,
            ..BoundView::default()
        }],
    });
    rig.call(&Call::BindSamplerStates {
        p: &BindSamplerStates::default(),
        samplers: &[BoundSampler {
            sampler,
            ..BoundSampler::default()
        }],
    });
    rig.draw(Primitive::TRIANGLES, 0, 3);
}

/// Textures with everything that hangs on them: views of their own and of another format, samplers, framebuffers.
#[test]
fn textures_views_samplers_and_framebuffers() {
    let mut textured = None;
    churn("textures", |rig, base| {
        let program = textured.get_or_insert_with(|| rig.program("textured"));
        base.restore(rig);
        let t = rig.texture_2d(Format::RGBA8, 8, 8, 2);
        let (same, other) = (
            view(rig, t, Format::RGBA8),
            view(rig, t, Format::SRGB8_ALPHA8),
        );
        let s = sampler(rig);
        draw_textured(rig, program, t, same, s);
        draw_textured(rig, program, t, other, s);
        let a = rig.attachment(t, 1, 0);
        rig.call(&Call::SetSamplerViews {
            p: &SetSamplerViews::default(),
            views: &[],
        });
        rig.framebuffer(&[a], None);
        rig.clear([1.0, 0.0, 0.0, 1.0]);
        let f = rig
            .s
            .context()
            .expect("a context")
            .values
            .draw_framebuffer
            .framebuffer;
        rig.call(&Call::ObjectDeath {
            p: &ObjectDeath {
                kind: HandleKind::FRAMEBUFFER,
                handle: f.raw(),
                ..ObjectDeath::default()
            },
        });
        rig.free(f);
        end_view(rig, same);
        end_view(rig, other);
        destroy(rig, t);
        rig.call(&Call::DeleteSamplerState {
            p: &SamplerOnly { sampler: s },
        });
        rig.free(s);
    });
}

/// The texture goes first, its view afterwards.
#[test]
fn views_that_outlive_their_texture() {
    let mut textured = None;
    churn("late views", |rig, base| {
        let program = textured.get_or_insert_with(|| rig.program("textured"));
        base.restore(rig);
        let t = rig.texture_2d(Format::RGBA8, 8, 8, 1);
        let (v, s) = (view(rig, t, Format::SRGB8_ALPHA8), sampler(rig));
        draw_textured(rig, program, t, v, s);
        destroy(rig, t);
        end_view(rig, v);
        rig.call(&Call::DeleteSamplerState {
            p: &SamplerOnly { sampler: s },
        });
        rig.free(s);
    });
}

#[test]
fn respecified_textures_and_texture_views() {
    churn("respecified textures", |rig, _| {
        let owner = rig.texture(ResourceDesc {
            target: Target::TEXTURE_2D_ARRAY,
            format: Format::RGBA8,
            width: 8,
            height: 8,
            layers: 4,
            levels: 2,
            ..ResourceDesc::default()
        });
        let view = rig.texture(ResourceDesc {
            target: Target::TEXTURE_2D,
            storage: StorageKind::VIEW,
            format: Format::RGBA8,
            width: 4,
            height: 4,
            view_of: owner,
            view_level: 1,
            view_layer: 2,
            ..ResourceDesc::default()
        });
        let old = rig.s.textures.get(owner).expect("a texture").desc;
        rig.call(&Call::ResourceRespecify {
            p: &ResourceDesc { levels: 3, ..old },
        });
        destroy(rig, view);
        destroy(rig, owner);
    });
}

#[test]
fn buffer_textures() {
    churn("buffer textures", |rig, _| {
        let buffer = rig.buffer(&[1; 64]);
        let t = rig.texture(ResourceDesc {
            target: Target::TEXTURE_BUFFER,
            storage: StorageKind::BUFFER_TEXTURE,
            format: Format::RGBA8,
            width: 16,
            height: 1,
            buffer,
            size: 64,
            ..ResourceDesc::default()
        });
        destroy(rig, t);
        destroy(rig, buffer);
    });
}

#[test]
fn renderbuffers() {
    churn("renderbuffers", |rig, _| {
        let [color, depth] =
            [(Format::RGBA8, 4), (Format::DEPTH24_STENCIL8, 4)].map(|(format, samples)| {
                let h: RenderbufferHandle = rig.alloc();
                rig.call(&Call::ResourceCreate {
                    p: &ResourceDesc {
                        resource: h.into(),
                        target: Target::RENDERBUFFER,
                        format,
                        width: 4,
                        height: 4,
                        depth: 1,
                        layers: 1,
                        levels: 1,
                        samples,
                        ..ResourceDesc::default()
                    },
                });
                h
            });
        let (a, d) = (rig.attachment(color, 0, 0), rig.attachment(depth, 0, 0));
        rig.framebuffer(&[a], Some(d));
        rig.clear([1.0; 4]);
        let f = rig
            .s
            .context()
            .expect("a context")
            .values
            .draw_framebuffer
            .framebuffer;
        rig.free(f);
        destroy(rig, depth);
        destroy(rig, color);
    });
}

#[test]
fn programs() {
    churn("programs", |rig, base| {
        let p = rig.program("flat");
        rig.uniform(&p, "tint", &[1.0f32, 0.0, 0.0, 1.0]);
        rig.draw(Primitive::TRIANGLES, 0, 3);
        rig.use_program(base.flat.shader);
        rig.call(&Call::DeleteShaderState {
            p: &ShaderOnly { shader: p.shader },
        });
        rig.free(p.shader);
    });
}

#[test]
fn vertex_arrays() {
    churn("vertex arrays", |rig, base| {
        let elements = rig.elements(
            &[attrib(0, 0, 2, AttribType::FLOAT, 0)],
            &[binding(0, 8, 0)],
        );
        rig.bind_elements(elements);
        rig.draw(Primitive::TRIANGLES, 0, 3);
        rig.bind_elements(base.elements);
        rig.call(&Call::DeleteVertexElements {
            p: &VertexElements {
                vertex_elements: elements,
            },
        });
        rig.free(elements);
    });
}

#[test]
fn render_states() {
    // Espryt makes no objects of them: a fence a round stands for one.
    churn("render states", |rig, _| {
        let render_state: RenderStateHandle = rig.alloc();
        rig.call(&Call::CreateRenderState {
            p: &RenderStateDesc {
                render_state,
                state: *rig.state.pipeline(),
            },
        });
        rig.call(&Call::BindRenderState {
            p: &BindRenderState {
                render_state,
                ..BindRenderState::default()
            },
        });
        rig.draw(Primitive::TRIANGLES, 0, 3);
        rig.push_state();
        rig.call(&Call::DeleteRenderState {
            p: &RenderStateOnly { render_state },
        });
        rig.free(render_state);
        fence(rig);
    });
}

fn fence(rig: &mut Rig) {
    let fence: FenceHandle = rig.alloc();
    rig.call(&Call::FenceCreate {
        p: &FenceOnly { fence },
    });
    rig.call(&Call::FenceWait {
        p: &FenceWait {
            fence,
            timeout_ns: 1_000_000_000,
            flush: true.into(),
            ..FenceWait::default()
        },
    });
    rig.call(&Call::FenceDestroy {
        p: &FenceOnly { fence },
    });
    rig.free(fence);
}

#[test]
fn fences() {
    churn("fences", |rig, _| fence(rig));
}

fn query(rig: &mut Rig) {
    let query: QueryHandle = rig.alloc();
    let d = QueryDesc {
        query,
        target: QueryTarget::ANY_SAMPLES_PASSED,
        ..QueryDesc::default()
    };
    rig.call(&Call::QueryCreate { p: &d });
    rig.call(&Call::QueryBegin { p: &d });
    rig.draw(Primitive::TRIANGLES, 0, 3);
    rig.call(&Call::QueryEnd { p: &d });
    assert_eq!(
        rig.call(&Call::QueryResult {
            p: &QueryOnly { query }
        }),
        Reply::Value(1)
    );
    rig.call(&Call::QueryDestroy {
        p: &QueryOnly { query },
    });
    rig.free(query);
}

#[test]
fn queries() {
    churn("queries", |rig, _| query(rig));
}

#[test]
fn stream_outputs() {
    churn("stream outputs", |rig, base| {
        let p = rig.program("capture");
        let buffer = rig.buffer(&[0; 256]);
        // The default object: Espryt refuses named ones.
        rig.call(&Call::SetStreamOutputTargets {
            p: &SetStreamOutputTargets::default(),
            targets: &[BufferBinding {
                buffer,
                size: 256,
                ..BufferBinding::default()
            }],
        });
        let o = StreamOutputOp {
            primitive: CapturePrimitive::TRIANGLES,
            ..StreamOutputOp::default()
        };
        rig.call(&Call::BeginStreamOutput { p: &o });
        rig.call(&Call::DrawVbo {
            p: &DrawInfo {
                flags: DrawFlags::CAPTURING,
                ..info(Primitive::TRIANGLES)
            },
            indices: &[],
            arrays: &[],
            ranges: &[range(0, 3)],
            user_arrays: &[],
        });
        rig.call(&Call::EndStreamOutput { p: &o });
        rig.use_program(base.flat.shader);
        rig.call(&Call::DeleteShaderState {
            p: &ShaderOnly { shader: p.shader },
        });
        rig.free(p.shader);
        destroy(rig, buffer);
    });
}

#[test]
fn surfaces() {
    churn("surfaces", |rig, _| {
        let surface = rig.new_surface(SurfaceDesc {
            width: 6,
            height: 5,
            color: Format::RGBA8,
            depth_stencil: Format::DEPTH24_STENCIL8,
            samples: 4,
            double_buffered: true.into(),
            ..SurfaceDesc::default()
        });
        let (context, own) = (rig.context, rig.surface);
        rig.bind(context, surface);
        rig.default_framebuffer();
        rig.clear([0.0, 1.0, 0.0, 1.0]);
        rig.call(&Call::Present {
            p: &Present {
                surface,
                ..Present::default()
            },
        });
        let (width, height, _) = rig.be.read_surface(&rig.s, surface).expect("pixels");
        assert_eq!((width, height), (6, 5));
        rig.bind(context, own);
        rig.default_framebuffer();
        rig.call(&Call::SurfaceDestroy {
            p: &SurfaceOnly { surface },
        });
        rig.free(surface);
    });
}

/// A context takes with it what is its own: framebuffers, vertex arrays, queries, streaming buffers.
#[test]
fn contexts() {
    churn("contexts", |rig, base| {
        let (own, surface) = (rig.context, rig.surface);
        let context = rig.new_context();
        rig.bind(context, surface);
        rig.push_all();
        rig.use_program(base.flat.shader);
        rig.bind_elements(base.elements);
        rig.vertex_buffers(&base.buffers);
        rig.uniform(&base.flat, "tint", &[0.0f32, 1.0, 0.0, 1.0]);
        rig.draw(Primitive::TRIANGLES, 0, 3);
        query(rig);
        // A query that is begun and never ended, and that its context takes along.
        let left: QueryHandle = rig.alloc();
        let d = QueryDesc {
            query: left,
            target: QueryTarget::PRIMITIVES_GENERATED,
            ..QueryDesc::default()
        };
        rig.call(&Call::QueryCreate { p: &d });
        rig.call(&Call::QueryBegin { p: &d });
        rig.call(&Call::QueryEnd { p: &d });
        rig.bind(own, surface);
        rig.call(&Call::ContextDestroy {
            p: &ContextOnly { context },
        });
        rig.free(context);
        rig.call(&Call::QueryDestroy {
            p: &QueryOnly { query: left },
        });
        rig.free(left);
        // What `push_all` made for the context.
        let made = rig.s.vertex_elements.iter().map(|(h, _)| h);
        let spare: Vec<_> = made.filter(|h| *h != base.elements).collect();
        base.restore(rig);
        for vertex_elements in spare {
            rig.call(&Call::DeleteVertexElements {
                p: &VertexElements { vertex_elements },
            });
            rig.free(vertex_elements);
        }
    });
}

/// A reset ends everything at once.
#[test]
fn resets() {
    let mut rig = Rig::new(4, 4);
    let mut live = Vec::new();
    for round in 1..=8 {
        let base = Base::new(&mut rig);
        base.restore(&mut rig);
        query(&mut rig);
        fence(&mut rig);
        let t = rig.texture_2d(Format::RGBA8, 8, 8, 2);
        let a = rig.attachment(t, 0, 0);
        rig.framebuffer(&[a], None);
        rig.clear([1.0; 4]);
        rig.call(&Call::ContextReset {
            p: &ContextReset {
                epoch: round,
                ..ContextReset::default()
            },
        });
        live.push(native(&rig));
        rig.forget_states();
        rig.context = ContextHandle::NULL;
        rig.context = rig.new_context();
        rig.surface = rig.new_surface(SurfaceDesc {
            width: 4,
            height: 4,
            color: Format::RGBA8,
            depth_stencil: Format::DEPTH24_STENCIL8,
            double_buffered: true.into(),
            ..SurfaceDesc::default()
        });
        let (context, surface) = (rig.context, rig.surface);
        rig.bind(context, surface);
        rig.push_all();
    }
    assert!(
        live.iter().all(|l| l.iter().all(|(_, n)| *n == 0)),
        "nothing lives after a reset: {live:?}"
    );
}

/// The counts see an object that is left behind.
#[test]
fn counts_see_what_is_left_behind() {
    let mut rig = Rig::new(4, 4);
    let before = native(&rig);
    rig.texture_2d(Format::RGBA8, 4, 4, 1);
    let after = native(&rig);
    let changed: Vec<_> = before.iter().zip(&after).filter(|(b, a)| b != a).collect();
    assert_eq!(changed.len(), 1);
    assert_eq!(
        (&*changed[0].1.0, changed[0].1.1 - changed[0].0.1),
        ("textures", 1)
    );
}
