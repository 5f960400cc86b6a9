//! Contexts, surfaces, clears, one program at a time.

use crate::rig::*;
use mgl_core::format::Format;
use mgl_core::pipe::*;
use mgl_core::pod::F32;

#[test]
fn the_context_is_an_opengl_es_one() {
    let mut rig = Rig::new(4, 4);
    let api = rig.be.api_strings().expect("strings");
    assert_eq!(api.client_api, 0x30A0, "EGL_OPENGL_ES_API");
    assert!(api.version.starts_with("OpenGL ES 3."), "{}", api.version);
    let caps = rig.be.caps();
    assert_eq!(
        (caps.backend.as_str(), &caps.version),
        ("espryt", &api.version)
    );
    assert!(caps.max_texture_size >= 2048 && caps.max_vertex_attribs >= 16);
    assert!(caps.takes(Op::DrawVbo) && !caps.takes(Op::MapPersistent));
    assert!(caps.features.is_sorted(), "has() searches by halves");
}

#[test]
fn clears_respect_scissor_and_masks() {
    let mut rig = Rig::new(8, 8);
    rig.clear([1.0, 0.0, 0.0, 1.0]);
    assert_eq!(rig.image().count(RED), 64);
    rig.state.scissor(
        0,
        Scissor {
            enable: true.into(),
            x: 2,
            y: 4,
            width: 3,
            height: 2,
        },
    );
    rig.push_state();
    rig.clear([0.0, 1.0, 0.0, 1.0]);
    let image = rig.image();
    assert_eq!((image.count(GREEN), image.count(RED)), (6, 58));
    assert_eq!(image.at(2, 4), GREEN, "rows count from the bottom");
    rig.state.scissor_enable(0, false.into());
    rig.state.color_mask(0, ColorMask::B);
    rig.push_state();
    rig.clear([1.0, 1.0, 1.0, 1.0]);
    assert_eq!(rig.image().at(2, 4), [0, 255, 255, 255]);
}

#[test]
fn an_empty_scissor_rejects_all() {
    let mut rig = Rig::new(4, 4);
    rig.clear([1.0, 0.0, 0.0, 1.0]);
    rig.state.scissor_enable(0, true.into());
    rig.push_state();
    rig.clear([0.0, 1.0, 0.0, 1.0]);
    assert_eq!(rig.image().count(RED), 16);
}

#[test]
fn a_triangle_with_uniforms() {
    let mut rig = Rig::new(8, 8);
    rig.clear([0.0, 0.0, 0.0, 1.0]);
    let p = rig.program("flat");
    rig.positions(&LEFT);
    rig.uniform(&p, "place", &[1.0f32, 1.0, 0.0, 0.0]);
    rig.uniform(&p, "tint", &[1.0f32, 0.0, 0.0, 1.0]);
    rig.draw(Primitive::TRIANGLE_STRIP, 0, 4);
    let image = rig.image();
    assert_eq!((image.count(RED), image.count(BLACK)), (32, 32));
    assert_eq!((image.at(0, 0), image.at(7, 7)), (RED, BLACK));
    // The block changes between draws; the first draw keeps its own.
    rig.uniform(&p, "place", &[1.0f32, 1.0, 1.0, 0.0]);
    rig.uniform(&p, "tint", &[0.0f32, 1.0, 0.0, 1.0]);
    rig.draw(Primitive::TRIANGLE_STRIP, 0, 4);
    let image = rig.image();
    assert_eq!((image.count(RED), image.count(GREEN)), (32, 32));
}

#[test]
fn many_uniform_updates_outgrow_the_stream() {
    let mut rig = Rig::new(8, 8);
    let p = rig.program("flat");
    rig.positions(&COVER);
    rig.uniform(&p, "place", &[1.0f32, 1.0, 0.0, 0.0]);
    for i in 0..20_000 {
        rig.uniform(&p, "tint", &[(i % 2) as f32, 0.0f32, 1.0, 1.0]);
        rig.draw(Primitive::TRIANGLES, 0, 3);
    }
    assert_eq!(rig.image().count([255, 0, 255, 255]), 64);
}

#[test]
fn named_and_default_blocks() {
    let mut rig = Rig::new(8, 8);
    rig.clear([0.0, 0.0, 0.0, 1.0]);
    let p = rig.program("blocks");
    rig.positions(&LEFT);
    rig.uniform(&p, "more", &[0.0f32, 0.0, 1.0, 0.25]);
    let block = |name: &str| {
        p.reflection
            .uniform_blocks
            .iter()
            .position(|b| b.name == name)
            .expect("the block") as u32
    };
    let place = rig.buffer(&bytes(&[1.0f32, 1.0, 0.0, 0.0]));
    let mut content = vec![0.0f32; 64];
    content.extend([1.0, 0.0, 0.0, 0.5, 0.0, 0.5, 0.0, 0.25]);
    let tint = rig.buffer(&bytes(&content));
    let bound = |index: u32, buffer, offset, size| BufferBinding {
        index,
        buffer,
        offset,
        size,
        ..BufferBinding::default()
    };
    rig.uniform_buffers(&[
        bound(block("Place"), place, 0, 16),
        bound(block("Tint"), tint, 256, 32),
    ]);
    rig.draw(Primitive::TRIANGLE_STRIP, 0, 4);
    let image = rig.image();
    assert_eq!(image.at(0, 0), [255, 128, 255, 255]);
    assert_eq!(image.at(7, 0), BLACK);
    // The content changes under the same binding.
    rig.write_buffer(tint, 256, &bytes(&[0.0f32, 0.0, 0.0, 0.5]));
    rig.draw(Primitive::TRIANGLE_STRIP, 0, 4);
    assert_eq!(rig.image().at(0, 0), [0, 128, 255, 255]);
}

#[test]
fn a_block_without_buffer_reads_zero() {
    let mut rig = Rig::new(4, 4);
    rig.clear([1.0, 0.0, 0.0, 1.0]);
    let p = rig.program("blocks");
    rig.positions(&COVER);
    rig.uniform(&p, "more", &[0.0f32, 1.0, 0.0, 1.0]);
    // The scale is zero, so that nothing is covered.
    rig.draw(Primitive::TRIANGLES, 0, 3);
    assert_eq!(rig.image().count(RED), 16);
}

#[test]
fn one_color_goes_to_all_draw_buffers() {
    let mut rig = Rig::new(4, 4);
    let a = rig.texture_2d(Format::RGBA8, 4, 4, 1);
    let b = rig.texture_2d(Format::RGBA8, 4, 4, 1);
    let p = rig.program("broadcast");
    rig.positions(&COVER);
    rig.uniform(&p, "tint", &[0.0f32, 1.0, 0.0, 1.0]);
    let (ca, cb) = (rig.attachment(a, 0, 0), rig.attachment(b, 0, 0));
    rig.framebuffer(&[ca, cb], None);
    rig.draw(Primitive::TRIANGLES, 0, 3);
    for t in [a, b] {
        assert_eq!(rig.read_texture(t, 0), bytes(&[GREEN; 16]));
    }
    // With one draw buffer another variant of the program is needed.
    rig.default_framebuffer();
    rig.draw(Primitive::TRIANGLES, 0, 3);
    assert_eq!(rig.image().count(GREEN), 16);
}

#[test]
fn draw_buffers_may_name_attachments_out_of_order() {
    let mut rig = Rig::new(4, 4);
    let textures: Vec<_> = (0..3)
        .map(|_| rig.texture_2d(Format::RGBA8, 4, 4, 1))
        .collect();
    rig.program("outputs");
    rig.positions(&COVER);
    let colors: Vec<_> = textures.iter().map(|t| rig.attachment(*t, 0, 0)).collect();
    let mut f = rig.framebuffer_state(&colors, None, FramebufferBinding(3));
    f.draw_buffers = [
        2, NO_BUFFER, 0, NO_BUFFER, NO_BUFFER, NO_BUFFER, NO_BUFFER, NO_BUFFER,
    ];
    rig.call(&Call::SetFramebufferState { p: &f });
    rig.draw(Primitive::TRIANGLES, 0, 3);
    assert_eq!(rig.read_texture(textures[2], 0), bytes(&[RED; 16]));
    assert_eq!(rig.read_texture(textures[0], 0), bytes(&[BLUE; 16]));
    assert_eq!(
        rig.read_texture(textures[1], 0),
        vec![0; 64],
        "no draw buffer names it"
    );
}

#[test]
fn a_respecified_surface_has_its_new_size() {
    let mut rig = Rig::new(4, 4);
    rig.clear([1.0, 0.0, 0.0, 1.0]);
    let d = *rig.s.surfaces.get(rig.surface).expect("the surface");
    rig.call(&Call::SurfaceRespecify {
        p: &SurfaceDesc {
            width: 6,
            height: 3,
            ..d
        },
    });
    rig.default_framebuffer();
    rig.clear([0.0, 1.0, 0.0, 1.0]);
    let image = rig.image();
    assert_eq!((image.width, image.height, image.count(GREEN)), (6, 3, 18));
}

#[test]
fn a_multisampled_surface_is_resolved() {
    let mut rig = Rig::with_surface(SurfaceDesc {
        width: 8,
        height: 8,
        color: Format::RGBA8,
        depth_stencil: Format::DEPTH24_STENCIL8,
        samples: 4,
        double_buffered: true.into(),
        ..SurfaceDesc::default()
    });
    rig.clear([0.0, 0.0, 0.0, 1.0]);
    let p = rig.program("flat");
    // The edge runs through the middle of a column of pixels.
    rig.positions(&LEFT);
    rig.uniform(&p, "place", &[1.0f32, 1.0, 0.125, 0.0]);
    rig.uniform(&p, "tint", &[1.0f32, 0.0, 0.0, 1.0]);
    rig.draw(Primitive::TRIANGLE_STRIP, 0, 4);
    let image = rig.image();
    assert_eq!((image.at(3, 3), image.at(5, 3)), (RED, BLACK));
    let edge = image.at(4, 3)[0];
    assert!((64..192).contains(&edge), "half covered, not {edge}");
}

#[test]
fn two_contexts_take_turns() {
    let mut rig = Rig::new(4, 4);
    rig.clear([1.0, 0.0, 0.0, 1.0]);
    let p = rig.program("flat");
    let (first, surface) = (rig.context, rig.surface);
    let second = rig.new_context();
    let other = rig.new_surface(SurfaceDesc {
        width: 4,
        height: 4,
        color: Format::RGBA8,
        double_buffered: true.into(),
        ..SurfaceDesc::default()
    });
    rig.bind(second, other);
    rig.push_all();
    rig.use_program(p.shader);
    rig.positions(&COVER);
    rig.uniform(&p, "place", &[1.0f32, 1.0, 0.0, 0.0]);
    rig.uniform(&p, "tint", &[0.0f32, 1.0, 0.0, 1.0]);
    rig.draw(Primitive::TRIANGLES, 0, 3);
    assert_eq!(rig.image().count(RED), 16, "the first surface is untouched");
    rig.surface = other;
    assert_eq!(rig.image().count(GREEN), 16);
    // The first context comes back with its own state.
    rig.bind(first, surface);
    rig.surface = surface;
    rig.clear([0.0, 0.0, 1.0, 1.0]);
    assert_eq!(rig.image().count(BLUE), 16);
    rig.call(&Call::ContextDestroy {
        p: &ContextOnly { context: second },
    });
    rig.clear([1.0, 0.0, 0.0, 1.0]);
    assert_eq!(rig.image().count(RED), 16);
}

#[test]
fn a_context_moves_between_threads() {
    let mut rig = Rig::new(4, 4);
    rig.clear([1.0, 0.0, 0.0, 1.0]);
    rig.be.release_thread().expect("released");
    let mut rig = std::thread::spawn(move || {
        rig.clear([0.0, 1.0, 0.0, 1.0]);
        assert_eq!(rig.image().count(GREEN), 16);
        rig.be.release_thread().expect("released");
        rig
    })
    .join()
    .expect("the other thread's assertions hold");
    assert_eq!(rig.image().count(GREEN), 16);
    rig.clear([0.0, 0.0, 1.0, 1.0]);
    assert_eq!(rig.image().count(BLUE), 16);
}

#[test]
fn resources_come_and_go_without_a_context() {
    let mut rig = Rig::new(4, 4);
    let (context, surface) = (rig.context, rig.surface);
    rig.call(&Call::BindContext {
        p: &BindContext::default(),
    });
    let b = rig.buffer(&[7; 32]);
    let read = rig.call(&Call::ResourceReadback {
        p: &BufferRange {
            buffer: b,
            offset: 8,
            size: 4,
        },
    });
    assert_eq!(read, Reply::Bytes(vec![7; 4]));
    rig.call(&Call::ResourceDestroy {
        p: &ResourceOnly {
            resource: b.into(),
            ..ResourceOnly::default()
        },
    });
    rig.bind(context, surface);
    rig.clear([1.0, 0.0, 0.0, 1.0]);
    assert_eq!(rig.image().count(RED), 16);
}

#[test]
fn a_reset_forgets_everything() {
    let mut rig = Rig::new(4, 4);
    rig.program("flat");
    rig.positions(&COVER);
    rig.texture_2d(Format::RGBA8, 4, 4, 1);
    rig.clear([1.0, 0.0, 0.0, 1.0]);
    rig.call(&Call::ContextReset {
        p: &ContextReset {
            epoch: 1,
            ..ContextReset::default()
        },
    });
    assert_eq!(rig.be.framebuffer_objects(), 0);
    rig.context = mgl_core::handle::ContextHandle::NULL;
    rig.context = rig.new_context();
    rig.surface = rig.new_surface(SurfaceDesc {
        width: 2,
        height: 2,
        color: Format::RGBA8,
        double_buffered: true.into(),
        ..SurfaceDesc::default()
    });
    rig.bind(rig.context, rig.surface);
    rig.forget_states();
    rig.push_all();
    rig.clear([0.0, 1.0, 0.0, 1.0]);
    assert_eq!(rig.image().count(GREEN), 4);
}

#[test]
fn presenting_keeps_the_back_buffer() {
    let mut rig = Rig::new(4, 4);
    rig.clear([1.0, 0.0, 0.0, 1.0]);
    rig.present();
    assert_eq!(rig.image().count(RED), 16);
}

#[test]
fn blending_and_depth() {
    let mut rig = Rig::new(4, 4);
    rig.clear([0.0, 0.0, 1.0, 1.0]);
    let p = rig.program("flat");
    rig.positions(&COVER);
    rig.uniform(&p, "place", &[1.0f32, 1.0, 0.0, 0.0]);
    rig.uniform(&p, "tint", &[1.0f32, 0.0, 0.0, 0.6]);
    rig.state.blend_enable(0, true.into());
    rig.state.blend_src_color(0, BlendFactor::SRC_ALPHA);
    rig.state
        .blend_dst_color(0, BlendFactor::ONE_MINUS_SRC_ALPHA);
    rig.state.blend_src_alpha(0, BlendFactor::ZERO);
    rig.state.blend_dst_alpha(0, BlendFactor::ONE);
    rig.push_state();
    rig.draw(Primitive::TRIANGLES, 0, 3);
    assert_eq!(rig.image().at(1, 1), [153, 0, 102, 255]);
    rig.state.blend_enable(0, false.into());
    rig.state.depth_test(true.into());
    rig.state.depth_func(CompareFunc::GREATER);
    rig.push_state();
    rig.draw(Primitive::TRIANGLES, 0, 3);
    assert_eq!(
        rig.image().at(1, 1),
        [153, 0, 102, 255],
        "0.5 is not greater than 1"
    );
    let viewport = Viewport {
        near: F32(1.0),
        far: F32(1.0),
        ..rig.state.dynamic().viewports[0]
    };
    rig.state.viewport(0, viewport);
    rig.state.depth_func(CompareFunc::EQUAL);
    rig.push_state();
    rig.draw(Primitive::TRIANGLES, 0, 3);
    assert_eq!(rig.image().at(1, 1), [255, 0, 0, 153]);
}
