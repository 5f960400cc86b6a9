//! Calls that pass `decode` and `apply` and still make no sense: answered with errors or undefined pixels, never with a
//! panic, an abort or a hang.

use crate::rig::*;
use mgl_core::format::Format;
use mgl_core::handle::*;
use mgl_core::pipe::*;

/// The rig's closing check is for well-behaved clients.
fn done(mut rig: Rig) {
    rig.be.take_events();
    rig.call(&Call::ContextReset {
        p: &ContextReset::default(),
    });
    rig.be.take_events();
    std::mem::forget(rig);
}

fn respecify(rig: &mut Rig, r: ResourceHandle, change: impl FnOnce(&mut ResourceDesc)) {
    let mut d = rig.s.resource(r).expect("a resource").desc;
    change(&mut d);
    rig.call(&Call::ResourceRespecify { p: &d });
}

fn try_draw(
    rig: &mut Rig,
    info: DrawInfo,
    ranges: &[DrawRange],
) -> std::result::Result<Reply, ApplyError> {
    rig.try_call(&Call::DrawVbo {
        p: &info,
        indices: &[],
        arrays: &[],
        ranges,
        user_arrays: &[],
    })
}

#[test]
fn bindings_outlive_the_sizes_that_they_were_made_for() {
    let mut rig = Rig::new(4, 4);
    let p = rig.program("blocks");
    rig.positions(&COVER);
    rig.uniform(&p, "more", &[0.0f32; 4]);
    let u = rig.buffer(&[0; 1024]);
    let bound = |index| BufferBinding {
        index,
        buffer: u,
        offset: 768,
        size: 256,
        ..BufferBinding::default()
    };
    rig.uniform_buffers(&[bound(0), bound(1)]);
    rig.draw(Primitive::TRIANGLES, 0, 3);
    for size in [800, 512, 0] {
        respecify(&mut rig, u.into(), |d| d.size = size);
        let _ = try_draw(&mut rig, info(Primitive::TRIANGLES), &[range(0, 3)]);
    }
    let v = rig.s.context().expect("a context").values.vertex_buffers[0].buffer;
    respecify(&mut rig, v.into(), |d| d.size = 4);
    let _ = try_draw(&mut rig, info(Primitive::TRIANGLES), &[range(0, 3)]);
    // A framebuffer whose texture has fewer levels and layers now.
    let t = rig.texture(ResourceDesc {
        target: Target::TEXTURE_2D_ARRAY,
        format: Format::RGBA8,
        width: 8,
        height: 8,
        layers: 4,
        levels: 3,
        ..ResourceDesc::default()
    });
    let a = rig.attachment(t, 2, 3);
    rig.framebuffer(&[a], None);
    rig.clear([1.0; 4]);
    respecify(&mut rig, t.into(), |d| (d.layers, d.levels) = (1, 1));
    let clear = Clear {
        buffers: BufferMask::COLOR0,
        color_type: ValueType::FLOAT,
        ..Clear::default()
    };
    let refused = rig.try_call(&Call::Clear { p: &clear });
    assert!(refused.is_err(), "nothing is attached any more");
    done(rig);
}

#[test]
fn views_outlive_the_levels_that_they_name() {
    let mut rig = Rig::new(4, 4);
    rig.program("textured");
    rig.positions(&COVER);
    let t = rig.texture_2d(Format::RGBA8, 16, 16, 5);
    for (format, first_level) in [(Format::RGBA8, 4), (Format::R32UI, 4)] {
        let view: SamplerViewHandle = rig.alloc();
        rig.call(&Call::CreateSamplerView {
            p: &SamplerView {
                view,
                texture: t,
                format,
                target: Target::TEXTURE_2D,
                first_level,
                levels: 1,
                layers: 1,
                ..SamplerView::default()
            },
        });
        rig.call(&Call::SetSamplerViews {
            p: &SetSamplerViews::default(),
            views: &[BoundView {
                view,
                texture: t,
                ..BoundView::default()
            }],
        });
        respecify(&mut rig, t.into(), |d| d.levels = 2);
        let _ = try_draw(&mut rig, info(Primitive::TRIANGLES), &[range(0, 3)]);
        respecify(&mut rig, t.into(), |d| d.levels = 5);
        let _ = try_draw(&mut rig, info(Primitive::TRIANGLES), &[range(0, 3)]);
    }
    done(rig);
}

#[test]
fn draws_outside_everything() {
    let mut rig = Rig::new(4, 4);
    let p = rig.program("flat");
    rig.uniform(&p, "place", &[1.0f32; 4]);
    rig.positions(&COVER);
    let buffer = rig.buffer(&[0; 8]);
    rig.call(&Call::SetIndexBuffer {
        p: &IndexBuffer { buffer },
    });
    rig.call(&Call::SetIndirectBuffers {
        p: &IndirectBuffers {
            draw: buffer,
            ..IndirectBuffers::default()
        },
    });
    let triangles = info(Primitive::TRIANGLES);
    let indexed = DrawInfo {
        index_size: 2,
        ..triangles
    };
    let far = DrawRange {
        base_vertex: i32::MIN,
        ..range(1_000_000, 6)
    };
    let _ = try_draw(&mut rig, indexed, &[far]);
    let restart = DrawInfo {
        flags: DrawFlags::RESTART,
        restart_index: 5,
        ..indexed
    };
    let _ = try_draw(&mut rig, restart, &[range(0, 4), range(3_000_000_000, 9)]);
    let indirect = DrawInfo {
        flags: DrawFlags::INDIRECT,
        indirect_offset: u64::MAX - 3,
        indirect_draws: u32::MAX,
        indirect_stride: u32::MAX,
        ..triangles
    };
    let _ = try_draw(&mut rig, indirect, &[]);
    let _ = try_draw(
        &mut rig,
        DrawInfo {
            mode: Primitive::PATCHES,
            ..triangles
        },
        &[range(0, 3)],
    );
    let _ = try_draw(&mut rig, triangles, &[range(u32::MAX, u32::MAX)]);
    // A client array that starts at the end of the world.
    let ve = rig.elements(
        &[attrib(0, 0, 2, AttribType::FLOAT, 0)],
        &[binding(0, 2048, 0)],
    );
    rig.bind_elements(ve);
    rig.vertex_buffers(&[VertexBuffer {
        stride: 2048,
        ..VertexBuffer::default()
    }]);
    let refused = rig.try_call(&Call::DrawVbo {
        p: &triangles,
        indices: &[],
        arrays: &[0; 64],
        ranges: &[range(0, 3)],
        user_arrays: &[UserArray {
            first: u32::MAX,
            size: 64,
            ..UserArray::default()
        }],
    });
    let text = refused.expect_err("refused").to_string();
    assert!(text.contains("out of memory"), "{text}");
    // The streaming buffer still works.
    rig.positions(&COVER);
    rig.clear([0.0, 1.0, 0.0, 1.0]);
    assert_eq!(rig.image().count(GREEN), 16);
    done(rig);
}

#[test]
fn sizes_beyond_the_driver_are_refused_by_name() {
    let mut rig = Rig::new(4, 4);
    let h: TextureHandle = rig.alloc();
    let refused = rig.try_call(&Call::ResourceCreate {
        p: &ResourceDesc {
            resource: h.into(),
            target: Target::TEXTURE_2D,
            format: Format::R8,
            width: 32768,
            height: 1,
            depth: 1,
            layers: 1,
            levels: 1,
            ..ResourceDesc::default()
        },
    });
    if rig.be.caps().max_texture_size < 32768 {
        let text = refused.expect_err("refused").to_string();
        assert!(text.contains("GL_R8 of 32768x1"), "{text}");
        // Its name is taken, but whatever asks for its storage is told.
        let read = rig.try_call(&Call::GetTextureImage {
            p: &GetTextureImage {
                texture: h,
                format: Format::R8,
                area: Box3 {
                    width: 1,
                    height: 1,
                    depth: 1,
                    ..Box3::default()
                },
                ..GetTextureImage::default()
            },
        });
        assert!(read.is_err());
        rig.call(&Call::ResourceDestroy {
            p: &ResourceOnly {
                resource: h.into(),
                ..ResourceOnly::default()
            },
        });
    }
    // Code that is no SPIR-V.
    let p = rig.program("flat");
    let shader: ShaderHandle = rig.alloc();
    let archive = p.reflection.encode();
    rig.call(&Call::CreateShaderState {
        p: &ProgramDesc {
            shader,
            stages: StageMask(u32::from(p.reflection.stages.0)),
            gl_name: 0,
        },
        vertex: &[7; 64],
        tess_control: &[],
        tess_eval: &[],
        geometry: &[],
        fragment: &[9; 20],
        compute: &[],
        reflection: &archive,
    });
    rig.use_program(shader);
    rig.positions(&COVER);
    for _ in 0..2 {
        assert!(try_draw(&mut rig, info(Primitive::TRIANGLES), &[range(0, 3)]).is_err());
    }
    done(rig);
}

#[test]
fn blits_and_copies_with_wild_numbers() {
    let mut rig = Rig::new(4, 4);
    let far = Rect {
        x0: i32::MIN,
        y0: i32::MAX,
        x1: i32::MAX,
        y1: i32::MIN,
    };
    let near = Rect {
        x0: 0,
        y0: 0,
        x1: 4,
        y1: 4,
    };
    for (src, dst) in [(far, near), (near, far), (far, far)] {
        let _ = rig.try_call(&Call::Blit {
            p: &Blit {
                src,
                dst,
                buffers: BufferMask(BufferMask::COLOR0.0 | BufferMask::DEPTH.0),
                filter: Filter::NEAREST,
                ..Blit::default()
            },
        });
    }
    let t = rig.texture_2d(Format::RGB16F, 4, 4, 1);
    for (x, y) in [(i32::MIN, 0), (i32::MAX, i32::MAX), (-2, -2)] {
        let _ = rig.try_call(&Call::CopyFramebufferToTexture {
            p: &CopyToTexture {
                texture: t,
                format: Format::RGB16F,
                x,
                y,
                area: Box3 {
                    width: 4,
                    height: 4,
                    depth: 1,
                    ..Box3::default()
                },
                ..CopyToTexture::default()
            },
        });
    }
    done(rig);
}
