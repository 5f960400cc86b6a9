//! What only Magma has: devices, the pipeline cache, refusals of what a device lacks.

use crate::lane;
use crate::rig::*;
use crate::windows::{Server, Window, shows_on};
use mgl_core::format::Format;
use mgl_core::handle::QueryHandle;
use mgl_core::pipe::ApplyError;
use mgl_core::pipe::event::{Event, LogLevel};
use mgl_core::pipe::*;
use mgl_replay::magma::{Magma, MagmaOptions, PipelineCache};

fn surface() -> SurfaceDesc {
    SurfaceDesc {
        width: 4,
        height: 4,
        color: Format::RGBA8,
        depth_stencil: Format::DEPTH24_STENCIL8,
        double_buffered: true.into(),
        ..SurfaceDesc::default()
    }
}

#[test]
fn caps_are_the_devices() {
    let rig = Rig::new(4, 4);
    let caps = rig.be.caps();
    assert_eq!(caps.backend, "magma");
    assert!(caps.version.starts_with("Vulkan 1."), "{}", caps.version);
    assert!(caps.max_texture_size >= 4096 && caps.max_vertex_attribs >= 16);
    assert!(caps.takes(Op::DrawVbo) && !caps.takes(Op::MapPersistent));
    assert!(caps.features.is_sorted(), "has() searches by halves");
}

#[test]
fn devices_are_named() {
    let of = |device: &str| {
        Magma::new(MagmaOptions {
            device: Some(device.into()),
            ..lane::options()
        })
    };
    let name = of("0").expect("the first device").caps().renderer.clone();
    assert_eq!(
        of(&name.to_uppercase()).expect("by name").caps().renderer,
        name
    );
    let Err(e) = of("no such device") else {
        panic!("there is none of this name");
    };
    let text = e.to_string();
    assert!(
        text.contains("'no such device'") && text.contains(&name),
        "{text}"
    );
}

#[test]
fn pipelines_are_kept_on_disk() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("deep/pipelines.bin");
    let draw = || {
        let be = Magma::new(MagmaOptions {
            cache: PipelineCache::File(file.clone()),
            ..lane::options()
        })
        .expect("a device");
        let mut rig = Rig::over(be, surface());
        let p = rig.program("flat");
        rig.positions(&COVER);
        rig.uniform(&p, "place", &[1.0f32, 1.0, 0.0, 0.0]);
        rig.uniform(&p, "tint", &[0.0f32, 1.0, 0.0, 1.0]);
        rig.draw(Primitive::TRIANGLES, 0, 3);
        assert_eq!(rig.image().count(GREEN), 16);
    };
    draw();
    let first = std::fs::read(&file).expect("the cache");
    // Its header at least (Vulkan, VkPipelineCacheHeaderVersionOne); what follows is the driver's.
    assert!(first.len() >= 32, "{} bytes", first.len());
    draw();
    // A file that is another device's, or no cache at all, is left aside and replaced.
    for damaged in [vec![0; 100], b"short".to_vec(), Vec::new()] {
        std::fs::write(&file, &damaged).expect("written");
        draw();
        assert!(std::fs::read(&file).expect("the cache").len() >= 32);
    }
    let parts = std::fs::read_dir(folder.path().join("deep"))
        .expect("the folder")
        .count();
    assert_eq!(parts, 1, "nothing half-written stays");
}

#[test]
fn what_the_device_lacks_is_drawn_nearly_and_said_once() {
    type Case = (&'static str, &'static str, fn(&mut Rig));
    let cases: [Case; 4] = [
        ("logic_op", "glLogicOp", |r| {
            r.state.logic_op_enable(true.into());
            r.state.logic_op(LogicOp::XOR);
        }),
        ("fill_mode", "glPolygonMode", |r| {
            r.state.polygon_mode(PolygonMode::LINE);
        }),
        ("depth_clamp", "GL_DEPTH_CLAMP", |r| {
            r.state.depth_clamp(true.into());
        }),
        ("dual_src_blend", "dual-source blending", |r| {
            r.state.blend_enable(0, true.into());
            r.state
                .blend_dst_color(0, BlendFactor::ONE_MINUS_SRC1_ALPHA);
        }),
    ];
    for (feature, name, set) in cases {
        let mut rig = Rig::over(lane::lacking(&[feature]), surface());
        let p = rig.program("flat");
        rig.positions(&COVER);
        rig.uniform(&p, "place", &[1.0f32, 1.0, 0.0, 0.0]);
        rig.uniform(&p, "tint", &[0.0f32, 1.0, 0.0, 1.0]);
        set(&mut rig);
        rig.push_state();
        for _ in 0..2 {
            rig.clear([1.0, 0.0, 0.0, 1.0]);
            rig.draw(Primitive::TRIANGLES, 0, 3);
            assert_eq!(
                rig.image().count(GREEN),
                16,
                "{feature}: drawn all the same"
            );
        }
        assert_eq!(rig.be.approximations(), [(name, 2)]);
        let line = format!("approximated: {name}: ");
        let is_said = |e: &Event| matches!(e, Event::Log { level: LogLevel::Warn, text } if text.starts_with(&line));
        let said = rig.be.take_events();
        assert_eq!(said.iter().filter(|e| is_said(e)).count(), 1, "{said:#?}");
    }
}

#[test]
fn alpha_becomes_one_by_the_shader() {
    for lacking in [&["alpha_to_one"][..], &[]] {
        let samples = SurfaceDesc {
            samples: 4,
            ..surface()
        };
        let mut rig = Rig::over(lane::lacking(lacking), samples);
        let p = rig.program("flat");
        rig.positions(&COVER);
        rig.uniform(&p, "place", &[1.0f32, 1.0, 0.0, 0.0]);
        rig.uniform(&p, "tint", &[0.0f32, 1.0, 0.0, 0.25]);
        rig.state.alpha_to_one(true.into());
        rig.push_state();
        rig.draw(Primitive::TRIANGLES, 0, 3);
        assert_eq!(rig.image().count(GREEN), 16, "{lacking:?}");
        assert_eq!(rig.be.approximations(), []);
    }
}

#[test]
fn logic_operations_of_every_kind() {
    let mut rig = Rig::new(4, 4);
    let p = rig.program("flat");
    rig.positions(&COVER);
    rig.uniform(&p, "place", &[1.0f32, 1.0, 0.0, 0.0]);
    // Source 1100, destination 1010 in the upper four bits of red.
    let (s, d) = (0xC0u8, 0xA0u8);
    rig.uniform(&p, "tint", &[f32::from(s) / 255.0, 0.0, 0.0, 1.0]);
    type Case = (LogicOp, fn(u8, u8) -> u8);
    let cases: [Case; 16] = [
        (LogicOp::CLEAR, |_, _| 0),
        (LogicOp::AND, |s, d| s & d),
        (LogicOp::AND_REVERSE, |s, d| s & !d),
        (LogicOp::COPY, |s, _| s),
        (LogicOp::AND_INVERTED, |s, d| !s & d),
        (LogicOp::NOOP, |_, d| d),
        (LogicOp::XOR, |s, d| s ^ d),
        (LogicOp::OR, |s, d| s | d),
        (LogicOp::NOR, |s, d| !(s | d)),
        (LogicOp::EQUIV, |s, d| !(s ^ d)),
        (LogicOp::INVERT, |_, d| !d),
        (LogicOp::OR_REVERSE, |s, d| s | !d),
        (LogicOp::COPY_INVERTED, |s, _| !s),
        (LogicOp::OR_INVERTED, |s, d| !s | d),
        (LogicOp::NAND, |s, d| !(s & d)),
        (LogicOp::SET, |_, _| 0xFF),
    ];
    for (op, expected) in cases {
        rig.state.logic_op_enable(false.into());
        rig.push_state();
        rig.clear([f32::from(d) / 255.0, 0.0, 0.0, 1.0]);
        rig.state.logic_op_enable(true.into());
        rig.state.logic_op(op);
        rig.push_state();
        rig.draw(Primitive::TRIANGLES, 0, 3);
        assert_eq!(rig.image().at(1, 1)[0], expected(s, d), "{op:?}");
    }
}

#[test]
fn polygons_as_lines_and_points() {
    let mut rig = Rig::new(8, 8);
    let p = rig.program("flat");
    rig.positions(&[-0.875, -0.875, 0.875, -0.875, -0.875, 0.875]);
    rig.uniform(&p, "place", &[1.0f32, 1.0, 0.0, 0.0]);
    rig.uniform(&p, "tint", &[0.0f32, 1.0, 0.0, 1.0]);
    let mut drawn = |mode: PolygonMode| {
        rig.state.polygon_mode(mode);
        rig.push_state();
        rig.clear([0.0, 0.0, 0.0, 1.0]);
        rig.draw(Primitive::TRIANGLES, 0, 3);
        rig.image()
    };
    let (fill, line, point) = (
        drawn(PolygonMode::FILL),
        drawn(PolygonMode::LINE),
        drawn(PolygonMode::POINT),
    );
    assert_eq!(point.count(GREEN), 3);
    assert_eq!(
        (line.at(0, 0), line.at(4, 0), line.at(2, 2)),
        (GREEN, GREEN, BLACK)
    );
    assert_eq!(fill.at(2, 2), GREEN);
}

#[test]
fn a_lost_device_is_told_of_and_survived() {
    let mut rig = Rig::new(4, 4);
    let p = rig.program("flat");
    rig.positions(&COVER);
    rig.uniform(&p, "tint", &[0.0f32, 1.0, 0.0, 1.0]);
    let query: QueryHandle = rig.alloc();
    let q = QueryDesc {
        query,
        target: QueryTarget::SAMPLES_PASSED,
        index: 0,
    };
    rig.call(&Call::QueryCreate { p: &q });
    rig.call(&Call::QueryBegin { p: &q });
    rig.draw(Primitive::TRIANGLES, 0, 3);
    let texture = rig.texture_2d(Format::RGBA8, 4, 4, 1);
    rig.be.lose_device();
    let draw = info(Primitive::TRIANGLES);
    let surface = rig.surface;
    let whole = Box3 {
        width: 4,
        height: 4,
        depth: 1,
        ..Box3::default()
    };
    let calls = [
        Call::DrawVbo {
            p: &draw,
            indices: &[],
            arrays: &[],
            ranges: &[range(0, 3)],
            user_arrays: &[],
        },
        Call::Clear {
            p: &Clear {
                buffers: BufferMask::COLOR0,
                color_type: ValueType::FLOAT,
                ..Clear::default()
            },
        },
        Call::QueryEnd { p: &q },
        Call::QueryResult {
            p: &QueryOnly { query },
        },
        Call::GetTextureImage {
            p: &GetTextureImage {
                texture,
                format: Format::RGBA8,
                area: whole,
                ..GetTextureImage::default()
            },
        },
        Call::Flush {
            p: &Flush::default(),
        },
        Call::Present {
            p: &Present {
                surface,
                ..Present::default()
            },
        },
    ];
    for call in &calls {
        match rig.try_call(call) {
            Err(ApplyError::Backend {
                error: BackendError::Lost(_),
                ..
            }) => {}
            other => panic!("{:?}: {other:?}", call.op()),
        }
    }
    // Its end is orderly. The rig's closing check is for devices that live.
    drop(std::mem::replace(&mut rig.be, lane::headless()));
    std::mem::forget(rig);
}

/// Error lines among events.
fn errors(events: Vec<Event>) -> Vec<String> {
    events
        .into_iter()
        .filter_map(|e| match e {
            Event::Log {
                level: LogLevel::Error,
                text,
            } => Some(text),
            _ => None,
        })
        .collect()
}

/// The layers name every object of a device that is left when it ends.
#[test]
fn nothing_is_left_at_the_end() {
    let mut rig = Rig::with_surface(SurfaceDesc {
        samples: 4,
        ..surface()
    });
    let p = rig.program("textured");
    rig.positions(&COVER);
    let t = rig.texture_2d(Format::RGBA8, 8, 8, 4);
    let depth = rig.texture_2d(Format::DEPTH24_STENCIL8, 8, 8, 1);
    rig.call(&Call::GenerateMipmap {
        p: &GenerateMipmap {
            texture: t,
            base_level: 0,
            last_level: 3,
            ..GenerateMipmap::default()
        },
    });
    let query: QueryHandle = rig.alloc();
    for target in [QueryTarget::SAMPLES_PASSED, QueryTarget::TIME_ELAPSED] {
        let q = QueryDesc {
            query,
            target,
            index: 0,
        };
        if rig.s.queries.get(query).is_err() {
            rig.call(&Call::QueryCreate { p: &q });
        }
        rig.call(&Call::QueryBegin { p: &q });
        rig.draw(Primitive::TRIANGLES, 0, 3);
        rig.draw(Primitive::LINE_LOOP, 0, 3);
        rig.call(&Call::QueryEnd { p: &q });
    }
    let (a, d) = (rig.attachment(t, 1, 0), rig.attachment(depth, 0, 0));
    rig.framebuffer(&[a], Some(d));
    rig.clear([0.0; 4]);
    rig.program("flat");
    rig.draw(Primitive::TRIANGLES, 0, 3);
    rig.call(&Call::DeleteShaderState {
        p: &ShaderOnly { shader: p.shader },
    });
    rig.call(&Call::ResourceDestroy {
        p: &ResourceOnly {
            resource: depth.into(),
            ..ResourceOnly::default()
        },
    });
    rig.present();
    assert!(rig.errors().is_empty());
    // Ended in the middle of a frame, with work that was never submitted.
    rig.default_framebuffer();
    rig.draw(Primitive::TRIANGLES, 0, 3);
    let be = std::mem::replace(&mut rig.be, lane::headless());
    assert_eq!(errors(be.close()), Vec::<String>::new());
    std::mem::forget(rig);
}

#[test]
fn what_is_left_at_the_end_is_named() {
    let mut be = lane::headless();
    be.leave_a_sampler().expect("a sampler");
    let said = errors(be.close());
    assert!(
        said.iter()
            .any(|t| t.contains("VkSampler") || t.contains("SAMPLER")),
        "{said:?}"
    );
}

#[test]
fn windows_are_shown_to_without_swap_chains() {
    let server = Server::start();
    for (depth, alpha) in [(24, [0, 0]), (32, [0x4000_0000, 0xFF00_0000])] {
        let window = Window::unmapped(&server, 64, 48, Some(depth));
        let be = lane::lacking(&["swapchain"]);
        shows_on(
            be,
            &server,
            &window,
            0x00FF_8000 | alpha[0],
            0xFF | alpha[1],
        );
    }
}

#[test]
fn windows_with_other_masks_are_shown_to() {
    // Ten bits a colour, and five, six and five.
    for (depth, orange, blue) in [(30, 1023 << 20 | 514 << 10, 1023), (16, 0xFC00, 0x1F)] {
        let server = Server::with(depth, &[]);
        let window = Window::unmapped(&server, 64, 48, None);
        shows_on(lane::headless(), &server, &window, orange, blue);
    }
}
