//! What stands in for features that a driver may lack, on a driver that has them.

use crate::rig::*;
use mgl_core::format::Format;
use mgl_core::pipe::event::{Event, LogLevel};
use mgl_core::pipe::*;
use mgl_core::pod::F32;
use mgl_replay::espryt::{DisplayChoice, Espryt, EsprytOptions};

fn rig(features: &[&str]) -> Rig {
    let options = EsprytOptions {
        display: DisplayChoice::Surfaceless,
        debug: true,
    };
    let be = Espryt::lacking(options, features).expect("Espryt without a window system");
    for f in features {
        assert!(!be.caps().has(f), "{f} is not told of");
    }
    Rig::over(
        be,
        SurfaceDesc {
            width: 4,
            height: 4,
            color: Format::RGBA8,
            depth_stencil: Format::DEPTH24_STENCIL8,
            double_buffered: true.into(),
            ..SurfaceDesc::default()
        },
    )
}

#[test]
fn depth_and_stencil_are_read_by_a_shader() {
    let mut rig = rig(&["read_depth", "read_stencil"]);
    let both = BufferMask(BufferMask::DEPTH.0 | BufferMask::STENCIL.0);
    rig.program("flat");
    for (format, depth, expected) in [
        (Format::DEPTH_COMPONENT16, 0.25, bytes(&[0x4000u16])),
        (Format::DEPTH_COMPONENT24, 0.25, bytes(&[0x4000_0040u32])),
        (Format::DEPTH_COMPONENT32F, 0.3, bytes(&[0.3f32])),
        (Format::DEPTH24_STENCIL8, 1.0, bytes(&[0xFFFF_FF5Au32])),
        (
            Format::DEPTH32F_STENCIL8,
            0.3,
            [bytes(&[0.3f32]), bytes(&[0x5Au32])].concat(),
        ),
        (Format::STENCIL_INDEX8, 0.0, vec![0x5A]),
    ] {
        let t = rig.texture_2d(format, 3, 2, 1);
        let a = rig.attachment(t, 0, 0);
        rig.framebuffer(&[], Some(a));
        rig.call(&Call::Clear {
            p: &Clear {
                buffers: both,
                color_type: ValueType::FLOAT,
                depth: F32(depth),
                stencil: 0x5A,
                ..Clear::default()
            },
        });
        assert_eq!(rig.read_texture(t, 0), expected.repeat(6), "{format}");
        let r = rig.call(&Call::ReadPixels {
            p: &ReadPixels {
                x: 1,
                y: 1,
                width: 2,
                height: 1,
                format,
                buffers: both,
                ..ReadPixels::default()
            },
        });
        assert_eq!(r, Reply::Bytes(expected.repeat(2)), "{format}");
    }
}

#[test]
fn draws_go_on_after_a_read_by_shader() {
    let mut rig = rig(&["read_depth", "read_stencil"]);
    let p = rig.program("textured");
    rig.positions(&LEFT);
    rig.clear([0.0, 0.0, 0.0, 1.0]);
    rig.state.depth_test(true.into());
    rig.push_state();
    rig.draw(Primitive::TRIANGLE_STRIP, 0, 4);
    rig.call(&Call::ReadPixels {
        p: &ReadPixels {
            width: 4,
            height: 4,
            format: Format::DEPTH24_STENCIL8,
            buffers: BufferMask::DEPTH,
            ..ReadPixels::default()
        },
    });
    // Everything that the read used is as it was: program, texture unit, vertex array, viewport, depth test.
    rig.clear([1.0, 0.0, 0.0, 1.0]);
    rig.draw(Primitive::TRIANGLE_STRIP, 0, 4);
    let image = rig.image();
    assert_eq!((image.at(0, 0), image.at(3, 0)), ([0; 4], RED));
    assert!(
        p.reflection.sampler_slots() == 1,
        "the unit without texture reads black"
    );
}

#[test]
fn storage_is_zeroed_by_framebuffers() {
    let mut rig = rig(&["clear_texture"]);
    for format in [
        Format::RGBA8,
        Format::RGB16F,
        Format::R32UI,
        Format::RGB8I,
        Format::DEPTH24_STENCIL8,
        Format::DEPTH_COMPONENT16,
    ] {
        let t = rig.texture(ResourceDesc {
            target: Target::TEXTURE_2D_ARRAY,
            format,
            width: 4,
            height: 4,
            layers: 2,
            levels: 2,
            ..ResourceDesc::default()
        });
        for level in 0..2 {
            assert!(
                rig.read_texture(t, level).iter().all(|b| *b == 0),
                "{format}"
            );
        }
    }
    // A box of a texture is filled by an upload.
    let t = rig.texture_2d(Format::RGBA8, 4, 4, 1);
    rig.call(&Call::ClearResource {
        p: &ClearResource {
            resource: t.into(),
            area: Box3 {
                width: 4,
                height: 1,
                depth: 1,
                ..Box3::default()
            },
            format: Format::RGBA8,
            value_size: 4,
            value: [u32::from_le_bytes(GREEN), 0, 0, 0],
            ..ClearResource::default()
        },
    });
    assert_eq!(rig.read_texture(t, 0)[..16], GREEN.repeat(4));
}

#[test]
fn copies_go_by_the_cpu() {
    let mut rig = rig(&["copy_image"]);
    let (a, b) = (
        rig.texture_2d(Format::RGBA8, 4, 4, 1),
        rig.texture_2d(Format::R32UI, 4, 4, 1),
    );
    let at = rig.attachment(a, 0, 0);
    rig.framebuffer(&[at], None);
    rig.clear([0.0, 1.0, 0.0, 1.0]);
    rig.call(&Call::ResourceCopyRegion {
        p: &CopyRegion {
            src: a.into(),
            dst: b.into(),
            src_box: Box3 {
                width: 4,
                height: 4,
                depth: 1,
                ..Box3::default()
            },
            ..CopyRegion::default()
        },
    });
    assert_eq!(rig.read_texture(b, 0), GREEN.repeat(16));
}

#[test]
fn instances_and_vertices_are_counted_from_a_base() {
    let mut rig = rig(&["base_instance", "base_vertex"]);
    let p = rig.program("flat");
    // The third vertex on is the triangle that covers everything.
    rig.positions(&[&[9.0f32; 6][..], &COVER].concat());
    rig.uniform(&p, "place", &[1.0f32, 1.0, 0.0, 0.0]);
    rig.uniform(&p, "tint", &[0.0f32, 1.0, 0.0, 1.0]);
    rig.clear([1.0, 0.0, 0.0, 1.0]);
    let indices: Vec<u8> = [0u16, 1, 2].iter().flat_map(|i| i.to_le_bytes()).collect();
    rig.call(&Call::DrawVbo {
        p: &DrawInfo {
            base_instance: 1,
            index_size: 2,
            flags: DrawFlags::USER_INDICES,
            ..info(Primitive::TRIANGLES)
        },
        indices: &indices,
        arrays: &[],
        ranges: &[DrawRange {
            base_vertex: 3,
            ..range(0, 3)
        }],
        user_arrays: &[],
    });
    assert_eq!(rig.image().count(GREEN), 16);
    assert_eq!(rig.be.approximations(), [], "exactly");
}

#[test]
fn what_no_context_can_do_is_drawn_nearly_and_said_once() {
    let mut rig = rig(&[
        "clip_control",
        "depth_clamp",
        "framebuffer_fetch",
        "geometry",
    ]);
    let p = rig.program("flat");
    rig.positions(&COVER);
    rig.uniform(&p, "place", &[1.0f32, 1.0, 0.0, 0.0]);
    rig.uniform(&p, "tint", &[0.0f32, 1.0, 0.0, 1.0]);
    rig.state.clip_depth(ClipDepth::ZERO_TO_ONE);
    rig.state.depth_clamp(true.into());
    rig.state.logic_op_enable(true.into());
    rig.state.logic_op(LogicOp::XOR);
    rig.state.polygon_mode(PolygonMode::LINE);
    rig.push_state();
    for _ in 0..2 {
        rig.clear([1.0, 0.0, 0.0, 1.0]);
        rig.draw(Primitive::TRIANGLES, 0, 3);
        assert_eq!(rig.image().count(GREEN), 16, "drawn all the same");
    }
    let names = [
        "GL_DEPTH_CLAMP",
        "glClipControl",
        "glLogicOp",
        "glPolygonMode",
    ];
    let mut told: Vec<_> = rig.be.approximations();
    told.sort_unstable();
    assert_eq!(told, names.map(|n| (n, 2)));
    let said = rig.be.take_events();
    for name in names {
        let line = format!("approximated: {name}: ");
        let is_said = |e: &Event| matches!(e, Event::Log { level: LogLevel::Warn, text } if text.starts_with(&line));
        assert_eq!(said.iter().filter(|e| is_said(e)).count(), 1, "{said:#?}");
    }
    let options = EsprytOptions {
        display: DisplayChoice::Surfaceless,
        debug: true,
    };
    let unknown = Espryt::lacking(options, &["warp_drive"]).map(|_| ());
    assert!(
        unknown
            .expect_err("refused")
            .to_string()
            .contains("warp_drive")
    );
}

#[test]
fn logic_operations_that_blending_can_express() {
    let mut rig = rig(&["framebuffer_fetch"]);
    rig.clear([1.0, 0.0, 0.0, 1.0]);
    let p = rig.program("flat");
    rig.positions(&COVER);
    rig.uniform(&p, "place", &[1.0f32, 1.0, 0.0, 0.0]);
    rig.uniform(&p, "tint", &[0.0f32, 1.0, 0.0, 1.0]);
    rig.state.logic_op_enable(true.into());
    for (op, expected) in [
        (LogicOp::NOOP, RED),
        (LogicOp::CLEAR, [0; 4]),
        (LogicOp::COPY, GREEN),
    ] {
        rig.state.logic_op(op);
        rig.push_state();
        rig.draw(Primitive::TRIANGLES, 0, 3);
        assert_eq!(rig.image().count(expected), 16, "{op:?}");
    }
    // Clears are no fragments.
    rig.state.logic_op(LogicOp::NOOP);
    rig.push_state();
    rig.clear([0.0, 0.0, 1.0, 1.0]);
    assert_eq!(rig.image().count(BLUE), 16);
}
