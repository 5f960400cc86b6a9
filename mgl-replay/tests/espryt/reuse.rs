//! Slots are used again under a new generation, and nothing that Espryt keeps by slot is taken for its predecessor's
//! (design: verification 6.8).
//!
//! The control is a lookup that ignores the generation: the new object gets the very handle of the old one. Then what is
//! kept by handle must show the old object, or the test would not see the confusion.

use crate::rig::*;
use mgl_core::format::Format;
use mgl_core::handle::*;
use mgl_core::pipe::table::Table;
use mgl_core::pipe::*;
use mgl_core::pod::F32;

/// Which handle the second object gets.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Second {
    /// The first one's slot with the next generation, as clients mint it.
    NextGeneration,
    /// The first one's: generations are ignored.
    Same,
}

impl Second {
    fn of<H: TypedHandle + Copy>(self, first: H) -> H {
        let h = first.raw();
        H::from_raw(match self {
            Self::Same => h,
            Self::NextGeneration => Handle {
                generation: h.generation + 1,
                ..h
            },
        })
    }
}

/// Ends an object behind Espryt's back: only the generation can tell the next one from it. The table's history goes too,
/// since it refuses a generation that does not rise.
fn forget<H: TypedHandle + Copy, T: Clone>(table: &mut Table<H, T>, h: H) {
    let mut rest = Table::default();
    for (other, entry) in table.iter() {
        if other != h {
            rest.insert(other, entry.clone())
                .expect("lives in the old table");
        }
    }
    *table = rest;
}

/// Whether the second render state is followed: it masks everything off.
fn render_state_is_followed(second: Second) -> bool {
    let mut rig = Rig::new(2, 2);
    flat(&mut rig, GREEN);
    let bind = |rig: &mut Rig, render_state: RenderStateHandle, mask: ColorMask| {
        let mut state = *rig.state.pipeline();
        for b in &mut state.blend {
            b.mask = mask;
        }
        rig.call(&Call::CreateRenderState {
            p: &RenderStateDesc {
                render_state,
                state,
            },
        });
        rig.call(&Call::BindRenderState {
            p: &BindRenderState {
                render_state,
                ..BindRenderState::default()
            },
        });
    };
    let first: RenderStateHandle = rig.alloc();
    bind(&mut rig, first, ColorMask::ALL);
    rig.draw(Primitive::TRIANGLES, 0, 3);
    assert_eq!(rig.image().count(GREEN), 4);
    // Taking the picture moved state that the next draw would set again.
    rig.draw(Primitive::TRIANGLES, 0, 3);
    forget(&mut rig.s.render_states, first);
    bind(&mut rig, second.of(first), ColorMask::NONE);
    tint(&mut rig, RED);
    rig.draw(Primitive::TRIANGLES, 0, 3);
    let image = rig.image();
    assert_eq!(image.count(GREEN) + image.count(RED), 4);
    image.count(GREEN) == 4
}

/// Whether the second vertex elements are followed: their positions are elsewhere in the buffer.
fn vertex_elements_are_followed(second: Second) -> bool {
    let mut rig = Rig::new(2, 2);
    flat(&mut rig, GREEN);
    // Behind each position that covers everything one that covers nothing.
    let both: Vec<f32> = COVER
        .chunks(2)
        .flat_map(|p| [p[0], p[1], 9.0, 9.0])
        .collect();
    let buffer = rig.buffer(&bytes(&both));
    rig.vertex_buffers(&[VertexBuffer {
        buffer,
        stride: 16,
        ..VertexBuffer::default()
    }]);
    let bind = |rig: &mut Rig, vertex_elements: VertexElementsHandle, offset: u32| {
        let p = &VertexElements { vertex_elements };
        rig.call(&Call::CreateVertexElements {
            p,
            attribs: &[attrib(0, 0, 2, AttribType::FLOAT, offset)],
            bindings: &[binding(0, 16, 0)],
        });
        rig.call(&Call::BindVertexElements { p });
    };
    let first: VertexElementsHandle = rig.alloc();
    bind(&mut rig, first, 0);
    rig.draw(Primitive::TRIANGLES, 0, 3);
    assert_eq!(rig.image().count(GREEN), 4);
    forget(&mut rig.s.vertex_elements, first);
    bind(&mut rig, second.of(first), 8);
    tint(&mut rig, RED);
    rig.draw(Primitive::TRIANGLES, 0, 3);
    rig.image().count(GREEN) == 4
}

/// A red and a green texel over four columns: the second sampler mixes them in the middle.
fn sampler_is_followed(second: Second) -> bool {
    let mut rig = Rig::new(4, 2);
    let texture = two_texels(&mut rig, Format::RGBA8);
    textured(&mut rig);
    let view = whole_view(&mut rig, texture, Format::RGBA8);
    bind_view(&mut rig, view, texture);
    let bind = |rig: &mut Rig, sampler: SamplerHandle, mag_filter: Filter| {
        rig.call(&Call::CreateSamplerState {
            p: &SamplerDesc {
                mag_filter,
                ..nearest(sampler)
            },
        });
        bind_sampler(rig, sampler);
    };
    let first: SamplerHandle = rig.alloc();
    bind(&mut rig, first, Filter::NEAREST);
    rig.draw(Primitive::TRIANGLE_STRIP, 0, 4);
    assert_eq!(rig.image().count(RED), 4);
    forget(&mut rig.s.samplers, first);
    bind(&mut rig, second.of(first), Filter::LINEAR);
    rig.draw(Primitive::TRIANGLE_STRIP, 0, 4);
    rig.image().count(RED) == 2
}

/// The second view shows the other layer; both have GL objects of their own.
fn view_is_followed(second: Second) -> bool {
    let mut rig = Rig::new(2, 2);
    let texture = rig.texture(ResourceDesc {
        target: Target::TEXTURE_2D_ARRAY,
        format: Format::RGBA8,
        width: 1,
        height: 1,
        layers: 2,
        ..ResourceDesc::default()
    });
    for (layer, color) in [RED, GREEN].into_iter().enumerate() {
        upload(&mut rig, texture, layer as u32, 1, &color);
    }
    textured(&mut rig);
    let sampler: SamplerHandle = rig.alloc();
    rig.call(&Call::CreateSamplerState {
        p: &nearest(sampler),
    });
    bind_sampler(&mut rig, sampler);
    let bind = |rig: &mut Rig, view: SamplerViewHandle, first_layer: u32| {
        rig.call(&Call::CreateSamplerView {
            p: &SamplerView {
                view,
                texture,
                format: Format::RGBA8,
                target: Target::TEXTURE_2D,
                first_layer,
                levels: 1,
                layers: 1,
                ..SamplerView::default()
            },
        });
        bind_view(rig, view, texture);
    };
    let first: SamplerViewHandle = rig.alloc();
    bind(&mut rig, first, 0);
    rig.draw(Primitive::TRIANGLE_STRIP, 0, 4);
    assert_eq!(rig.image().count(RED), 4);
    forget(&mut rig.s.views, first);
    bind(&mut rig, second.of(first), 1);
    rig.draw(Primitive::TRIANGLE_STRIP, 0, 4);
    rig.image().count(GREEN) == 4
}

#[test]
fn constant_state_is_told_from_its_predecessor_by_generation() {
    type Follows = fn(Second) -> bool;
    let kinds: [(&str, Follows); 4] = [
        ("render state", render_state_is_followed),
        ("vertex elements", vertex_elements_are_followed),
        ("sampler", sampler_is_followed),
        ("view", view_is_followed),
    ];
    for (kind, follows) in kinds {
        assert!(follows(Second::NextGeneration), "{kind}");
        assert!(
            !follows(Second::Same),
            "{kind}: the control sees no confusion"
        );
    }
}

/// Textures, their views and framebuffers: slots of all three are used again at once.
#[test]
fn textures_views_and_framebuffers_follow_the_new_texture() {
    let mut rig = Rig::new(2, 2);
    textured(&mut rig);
    let sampler: SamplerHandle = rig.alloc();
    rig.call(&Call::CreateSamplerState {
        p: &nearest(sampler),
    });
    bind_sampler(&mut rig, sampler);
    let mut slots = Vec::new();
    for (i, color) in [RED, GREEN, BLUE].into_iter().enumerate() {
        let t = rig.texture_2d(Format::RGBA8, 1 + i as u32, 1, 1);
        let a = rig.attachment(t, 0, 0);
        rig.framebuffer(&[a], None);
        let f = rig
            .s
            .context()
            .expect("a context")
            .values
            .draw_framebuffer
            .framebuffer;
        rig.clear(color.map(|c| f32::from(c) / 255.0));
        assert_eq!(rig.read_texture(t, 0), color.repeat(1 + i));
        rig.default_framebuffer();
        let view = whole_view(&mut rig, t, Format::RGBA8);
        bind_view(&mut rig, view, t);
        rig.draw(Primitive::TRIANGLE_STRIP, 0, 4);
        assert_eq!(rig.image().count(color), 4, "texture {i}");
        slots.push((t, view, f));
        rig.call(&Call::ObjectDeath {
            p: &ObjectDeath {
                kind: HandleKind::FRAMEBUFFER,
                handle: f.raw(),
                ..ObjectDeath::default()
            },
        });
        rig.free(f);
        rig.call(&Call::DeleteSamplerView {
            p: &SamplerViewOnly { view },
        });
        rig.free(view);
        rig.call(&Call::ResourceDestroy {
            p: &ResourceOnly {
                resource: t.into(),
                ..ResourceOnly::default()
            },
        });
        rig.free(t);
    }
    for (i, s) in slots.iter().enumerate() {
        let expected = |h: Handle, first: Handle| {
            assert_eq!(
                (h.slot, h.generation),
                (first.slot, i as u32 + 1),
                "used again"
            );
        };
        expected(s.0.raw(), slots[0].0.raw());
        expected(s.1.raw(), slots[0].1.raw());
        expected(s.2.raw(), slots[0].2.raw());
    }
}

/// Programs and the uniforms that were set on them; buffers that vertices come from.
#[test]
fn programs_and_buffers_follow_the_new_object() {
    let mut rig = Rig::new(2, 2);
    let mut slots = Vec::new();
    for (i, color) in [RED, GREEN].into_iter().enumerate() {
        let p = rig.program("flat");
        rig.uniform(&p, "place", &[1.0f32, 1.0, 0.0, 0.0]);
        rig.uniform(&p, "tint", &color.map(|c| f32::from(c) / 255.0));
        rig.positions(&COVER);
        let buffer = rig.s.context().expect("a context").values.vertex_buffers[0].buffer;
        rig.clear([0.0, 0.0, 0.0, 1.0]);
        if i == 1 {
            // The left half only, in a buffer that has the slot of one that covered everything.
            rig.write_buffer(buffer, 0, &bytes(&LEFT[..6]));
        }
        rig.draw(Primitive::TRIANGLES, 0, 3);
        let expected = if i == 0 { 4 } else { 1 };
        assert_eq!(rig.image().count(color), expected, "program {i}");
        slots.push((p.shader, buffer));
        rig.call(&Call::DeleteShaderState {
            p: &ShaderOnly { shader: p.shader },
        });
        rig.free(p.shader);
        rig.call(&Call::ResourceDestroy {
            p: &ResourceOnly {
                resource: buffer.into(),
                ..ResourceOnly::default()
            },
        });
        rig.free(buffer);
    }
    assert_eq!(slots[0].0.raw().slot, slots[1].0.raw().slot);
    assert_eq!(slots[0].1.raw().slot, slots[1].1.raw().slot);
}

/// A context in another's slot starts with GL's initial state, not with what its predecessor had set.
#[test]
fn contexts_and_surfaces_start_anew() {
    let mut rig = Rig::new(2, 2);
    let program = flat(&mut rig, GREEN);
    let (own, window) = (rig.context, rig.surface);
    let values = rig.s.context().expect("a context").values.clone();
    let mut slots = Vec::new();
    for i in 0..3u32 {
        let context = rig.new_context();
        let surface = rig.new_surface(SurfaceDesc {
            width: 2 + i,
            height: 2,
            color: Format::RGBA8,
            double_buffered: true.into(),
            ..SurfaceDesc::default()
        });
        rig.bind(context, surface);
        rig.push_all();
        rig.use_program(program.shader);
        rig.bind_elements(values.vertex_elements);
        rig.vertex_buffers(&values.vertex_buffers);
        if i == 1 {
            // Left behind in GL when the context ends.
            rig.state.rasterizer_discard(true.into());
            rig.state.scissor_enable(0, true.into());
            rig.push_state();
        }
        rig.draw(Primitive::TRIANGLES, 0, 3);
        let (width, height, rgba) = rig.be.read_surface(&rig.s, surface).expect("pixels");
        let green = rgba.chunks(4).filter(|p| **p == GREEN).count() as u32;
        assert_eq!((width, height), (2 + i, 2));
        assert_eq!(
            green,
            if i == 1 { 0 } else { width * height },
            "context {i}"
        );
        rig.state.rasterizer_discard(false.into());
        rig.state.scissor_enable(0, false.into());
        rig.bind(own, window);
        rig.call(&Call::ContextDestroy {
            p: &ContextOnly { context },
        });
        rig.free(context);
        rig.call(&Call::SurfaceDestroy {
            p: &SurfaceOnly { surface },
        });
        rig.free(surface);
        slots.push((context.raw().slot, surface.raw().slot));
    }
    assert!(slots.iter().all(|s| *s == slots[0]), "{slots:?}");
}

/// A query in another's slot has a result of its own.
#[test]
fn queries_have_results_of_their_own() {
    let mut rig = Rig::new(2, 2);
    flat(&mut rig, GREEN);
    let mut slots = Vec::new();
    for draws in [true, false, true] {
        let query: QueryHandle = rig.alloc();
        let d = QueryDesc {
            query,
            target: QueryTarget::ANY_SAMPLES_PASSED,
            ..QueryDesc::default()
        };
        rig.call(&Call::QueryCreate { p: &d });
        rig.call(&Call::QueryBegin { p: &d });
        if draws {
            rig.draw(Primitive::TRIANGLES, 0, 3);
        }
        rig.call(&Call::QueryEnd { p: &d });
        let only = QueryOnly { query };
        let result = rig.call(&Call::QueryResult { p: &only });
        assert_eq!(result, Reply::Value(draws.into()));
        rig.call(&Call::QueryDestroy { p: &only });
        rig.free(query);
        slots.push(query.raw().slot);
    }
    assert!(slots.iter().all(|s| *s == slots[0]));
}

/// A program of one colour that covers everything.
fn flat(rig: &mut Rig, color: [u8; 4]) -> Program {
    let p = rig.program("flat");
    rig.uniform(&p, "place", &[1.0f32, 1.0, 0.0, 0.0]);
    rig.uniform(&p, "tint", &color.map(|c| f32::from(c) / 255.0));
    rig.positions(&COVER);
    p
}

/// Another colour for the flat program in use.
fn tint(rig: &mut Rig, color: [u8; 4]) {
    let shader = rig.s.context().expect("a context").values.draw_program;
    let archive = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shaders/flat.refl");
    let archive = std::fs::read(archive).expect("a stored archive");
    let reflection = mgl_core::program::Reflection::decode(&archive).expect("a stored archive");
    let p = Program { shader, reflection };
    rig.uniform(&p, "tint", &color.map(|c| f32::from(c) / 255.0));
}

/// The textured program over a square that covers everything.
fn textured(rig: &mut Rig) {
    rig.program("textured");
    rig.positions(&[-1.0, -1.0, 1.0, -1.0, -1.0, 1.0, 1.0, 1.0]);
}

fn two_texels(rig: &mut Rig, format: Format) -> TextureHandle {
    let t = rig.texture_2d(format, 2, 1, 1);
    upload(rig, t, 0, 2, &[RED, GREEN].concat());
    t
}

fn upload(rig: &mut Rig, texture: TextureHandle, layer: u32, width: u32, content: &[u8]) {
    rig.call(&Call::ResourceSubData {
        p: &SubData {
            resource: texture.into(),
            union_box: Box3 {
                z: layer,
                width,
                height: 1,
                depth: 1,
                ..Box3::default()
            },
            row_stride: width * 4,
            image_stride: u64::from(width) * 4,
            flags: SubDataFlags::UNION_WHOLE,
            ..SubData::default()
        },
        bytes: content,
        regions: &[],
    });
}

fn nearest(sampler: SamplerHandle) -> SamplerDesc {
    SamplerDesc {
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
    }
}

fn whole_view(rig: &mut Rig, texture: TextureHandle, format: Format) -> SamplerViewHandle {
    let view: SamplerViewHandle = rig.alloc();
    rig.call(&Call::CreateSamplerView {
        p: &SamplerView {
            view,
            texture,
            format,
            target: Target::TEXTURE_2D,
            levels: 1,
            layers: 1,
            ..SamplerView::default()
        },
    });
    view
}

fn bind_view(rig: &mut Rig, view: SamplerViewHandle, texture: TextureHandle) {
    rig.call(&Call::SetSamplerViews {
        p: &SetSamplerViews::default(),
        views: &[BoundView {
            view,
            texture,
            ..BoundView::default()
        }],
    });
}

fn bind_sampler(rig: &mut Rig, sampler: SamplerHandle) {
    rig.call(&Call::BindSamplerStates {
        p: &BindSamplerStates::default(),
        samplers: &[BoundSampler {
            sampler,
            ..BoundSampler::default()
        }],
    });
}
