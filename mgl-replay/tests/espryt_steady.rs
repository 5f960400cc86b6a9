//! A frame without changes allocates nothing, and neither does one whose state only toggles (design: driver 5.7).

#[path = "espryt/rig.rs"]
#[allow(dead_code)]
mod rig;

use mgl_core::format::Format;
use mgl_core::handle::*;
use mgl_core::pipe::*;
use mgl_core::pod::F32;
use rig::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: everything is handed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|c| c.set(c.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(p, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

struct Scene {
    flat: Program,
    textured: Program,
    states: [RenderStateHandle; 2],
    views: [BoundView; 2],
    samplers: [BoundSampler; 1],
}

fn scene(rig: &mut Rig) -> Scene {
    let flat = rig.program("flat");
    let textured = rig.program("textured");
    rig.positions(&COVER);
    let views = [(); 2].map(|()| {
        let texture = rig.texture_2d(Format::RGBA8, 4, 4, 1);
        let view: SamplerViewHandle = rig.alloc();
        rig.call(&Call::CreateSamplerView {
            p: &SamplerView {
                view,
                texture,
                format: Format::RGBA8,
                target: Target::TEXTURE_2D,
                levels: 1,
                layers: 1,
                ..SamplerView::default()
            },
        });
        BoundView {
            view,
            texture,
            ..BoundView::default()
        }
    });
    let sampler: SamplerHandle = rig.alloc();
    rig.call(&Call::CreateSamplerState {
        p: &SamplerDesc {
            sampler,
            min_filter: MinFilter::NEAREST,
            mag_filter: Filter::NEAREST,
            wrap: [Wrap::REPEAT; 3],
            compare_mode: CompareMode::NONE,
            compare_func: CompareFunc::LEQUAL,
            max_anisotropy: F32(1.0),
            srgb_decode: SrgbDecode::DECODE,
            ..SamplerDesc::default()
        },
    });
    let mut states = [RenderStateHandle::NULL; 2];
    for (i, place) in states.iter_mut().enumerate() {
        let render_state: RenderStateHandle = rig.alloc();
        let mut state = *rig.state.pipeline();
        state.blend[0].enable = (i == 1).into();
        state.blend[0].dst_color = BlendFactor::ONE;
        rig.call(&Call::CreateRenderState {
            p: &RenderStateDesc {
                render_state,
                state,
            },
        });
        *place = render_state;
    }
    Scene {
        flat,
        textured,
        states,
        views,
        samplers: [BoundSampler {
            sampler,
            ..BoundSampler::default()
        }],
    }
}

/// A frame of draws; with `toggle`, render state, program, texture, uniforms and scissor change with every one.
fn frame(rig: &mut Rig, s: &Scene, toggle: bool) {
    rig.call(&Call::Clear {
        p: &Clear {
            buffers: BufferMask::COLOR0,
            color_type: ValueType::FLOAT,
            ..Clear::default()
        },
    });
    let ranges = [range(0, 3)];
    let info = info(Primitive::TRIANGLES);
    for i in 0..20usize {
        if toggle {
            rig.call(&Call::BindRenderState {
                p: &BindRenderState {
                    render_state: s.states[i % 2],
                    ..BindRenderState::default()
                },
            });
            rig.call(&Call::SetDynamicState {
                p: &SetDynamicState {
                    chunks: 4,
                    ..SetDynamicState::default()
                },
                words: &[1, 0, i as u32 % 3, 4, 4],
            });
            let shader = [s.flat.shader, s.textured.shader][i / 2 % 2];
            rig.call(&Call::SetDrawProgram {
                p: &ShaderOnly { shader },
            });
            rig.call(&Call::SetSamplerViews {
                p: &SetSamplerViews::default(),
                views: &s.views[i % 2..=i % 2],
            });
            rig.call(&Call::BindSamplerStates {
                p: &BindSamplerStates::default(),
                samplers: &s.samplers,
            });
            rig.uniform(&s.flat, "tint", &[i as f32, 0.0f32, 0.0, 1.0]);
        }
        rig.call(&Call::DrawVbo {
            p: &info,
            indices: &[],
            arrays: &[],
            ranges: &ranges,
            user_arrays: &[],
        });
    }
    rig.present();
}

#[test]
fn frames_allocate_nothing() {
    let mut rig = Rig::new(8, 8);
    let s = scene(&mut rig);
    for toggle in [false, true] {
        // Variants, views, samplers, vertex arrays and framebuffers are made in the first frames.
        for _ in 0..3 {
            frame(&mut rig, &s, toggle);
        }
        let before = COUNT.with(Cell::get);
        for _ in 0..10 {
            frame(&mut rig, &s, toggle);
        }
        let made = COUNT.with(Cell::get) - before;
        assert_eq!(made, 0, "allocations in ten frames, toggling: {toggle}");
    }
}

/// Frames that make objects, allocate storage or link programs anew would cost more than they show.
#[test]
fn frames_make_no_objects() {
    let mut rig = Rig::new(8, 8);
    let s = scene(&mut rig);
    let costs = |rig: &Rig| -> Vec<(&'static str, u64)> {
        let all = rig.be.native_counters().into_iter();
        all.filter(|(name, _)| {
            name.ends_with("_made")
                || name.ends_with("_ended")
                || ["programs_linked", "buffer_allocations", "framebuffer_binds"].contains(name)
        })
        .collect()
    };
    let draws = |rig: &Rig| {
        rig.be
            .native_counters()
            .iter()
            .find(|c| c.0 == "draw_calls")
            .map(|c| c.1)
    };
    for toggle in [false, true] {
        for _ in 0..3 {
            frame(&mut rig, &s, toggle);
        }
        let (before, drawn) = (costs(&rig), draws(&rig));
        for _ in 0..10 {
            frame(&mut rig, &s, toggle);
        }
        assert_eq!(costs(&rig), before, "toggling: {toggle}");
        assert_eq!(draws(&rig), drawn.map(|n| n + 200));
    }
    assert!(
        costs(&rig).contains(&("programs_linked", 2)),
        "{:?}",
        costs(&rig)
    );
}

#[test]
fn the_counter_counts() {
    let before = COUNT.with(Cell::get);
    let v = std::hint::black_box(vec![1u8; 100]);
    assert_eq!(COUNT.with(Cell::get) - before, 1);
    drop(v);
}
