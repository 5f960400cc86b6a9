//! Draws: indices, restarts, client arrays, instances, attributes without arrays, points.

use crate::rig::*;
use mgl_core::format::Format;
use mgl_core::handle::*;
use mgl_core::pipe::*;
use mgl_core::pod::F32;

/// Two quads as one strip of four vertices each: the left quarter and the right quarter.
const STRIPS: [f32; 16] = [
    -1.0, -1.0, -0.5, -1.0, -1.0, 1.0, -0.5, 1.0, 0.5, -1.0, 1.0, -1.0, 0.5, 1.0, 1.0, 1.0,
];

fn flat(rig: &mut Rig, tint: [f32; 4]) -> Program {
    let p = rig.program("flat");
    rig.uniform(&p, "place", &[1.0f32, 1.0, 0.0, 0.0]);
    rig.uniform(&p, "tint", &tint);
    p
}

fn index_buffer(rig: &mut Rig, content: &[u8]) -> BufferHandle {
    let buffer = rig.buffer(content);
    rig.call(&Call::SetIndexBuffer {
        p: &IndexBuffer { buffer },
    });
    buffer
}

fn draw_indexed(rig: &mut Rig, info: DrawInfo, ranges: &[DrawRange]) {
    rig.call(&Call::DrawVbo {
        p: &info,
        indices: &[],
        arrays: &[],
        ranges,
        user_arrays: &[],
    });
}

fn indexed(mode: Primitive, index_size: u32, restart: Option<u32>) -> DrawInfo {
    DrawInfo {
        index_size,
        restart_index: restart.unwrap_or(0),
        flags: if restart.is_some() {
            DrawFlags::RESTART
        } else {
            DrawFlags::NONE
        },
        ..info(mode)
    }
}

/// The middle half is free when the two strips are apart.
fn assert_apart(rig: &mut Rig, what: &str) {
    let image = rig.image();
    assert_eq!(image.count(RED), 32, "{what}: two quarters are red");
    assert_eq!(image.at(4, 3), BLACK, "{what}: the middle is free");
    rig.clear([0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn restart_indices_of_every_kind() {
    let mut rig = Rig::new(8, 8);
    rig.clear([0.0, 0.0, 0.0, 1.0]);
    flat(&mut rig, [1.0, 0.0, 0.0, 1.0]);
    rig.positions(&STRIPS);
    let strip = Primitive::TRIANGLE_STRIP;
    // The largest value of the type: what OpenGL ES knows.
    index_buffer(&mut rig, &bytes(&[0u16, 1, 2, 3, 0xFFFF, 4, 5, 6, 7]));
    draw_indexed(&mut rig, indexed(strip, 2, Some(0xFFFF)), &[range(0, 9)]);
    assert_apart(&mut rig, "fixed, shorts");
    index_buffer(&mut rig, &[0, 1, 2, 3, 0xFF, 4, 5, 6, 7]);
    draw_indexed(&mut rig, indexed(strip, 1, Some(0xFF)), &[range(0, 9)]);
    assert_apart(&mut rig, "fixed, bytes");
    // Another index.
    index_buffer(&mut rig, &bytes(&[9u32, 9, 0, 1, 2, 3, 77, 4, 5, 6, 7]));
    draw_indexed(&mut rig, indexed(strip, 4, Some(77)), &[range(2, 9)]);
    assert_apart(&mut rig, "77, words");
    let buffer = index_buffer(&mut rig, &bytes(&[0u16, 1, 2, 3, 40, 4, 5, 6, 7]));
    draw_indexed(&mut rig, indexed(strip, 2, Some(40)), &[range(0, 9)]);
    assert_apart(&mut rig, "40, shorts");
    // The buffer changes behind the copy that was taken of it.
    rig.write_buffer(buffer, 8, &bytes(&[60u16]));
    draw_indexed(&mut rig, indexed(strip, 2, Some(60)), &[range(0, 9)]);
    assert_apart(&mut rig, "60 after a change");
    // Several ranges, with the restart between them untouched.
    draw_indexed(
        &mut rig,
        indexed(strip, 2, Some(60)),
        &[range(0, 4), range(5, 4)],
    );
    assert_apart(&mut rig, "two ranges");
    // An index that the type cannot hold never restarts.
    index_buffer(&mut rig, &[0, 1, 2, 3]);
    draw_indexed(&mut rig, indexed(strip, 1, Some(0xFFFF)), &[range(0, 4)]);
    assert_eq!(rig.image().count(RED), 16);
}

#[test]
fn without_restart_the_largest_index_is_a_vertex() {
    let mut rig = Rig::new(8, 8);
    rig.clear([0.0, 0.0, 0.0, 1.0]);
    flat(&mut rig, [1.0, 0.0, 0.0, 1.0]);
    let mut far = vec![0.0f32; 2 * 256];
    far[..6].copy_from_slice(&[-1.0, -1.0, 0.0, -1.0, -1.0, 1.0]);
    far[510..].copy_from_slice(&[0.0, 1.0]);
    rig.positions(&far);
    index_buffer(&mut rig, &[0, 1, 2, 0xFF]);
    draw_indexed(
        &mut rig,
        indexed(Primitive::TRIANGLE_STRIP, 1, None),
        &[range(0, 4)],
    );
    assert_eq!(rig.image().count(RED), 32);
    // With a restart elsewhere it stays one.
    rig.clear([0.0, 0.0, 0.0, 1.0]);
    index_buffer(&mut rig, &[9, 0, 1, 2, 0xFF]);
    draw_indexed(
        &mut rig,
        indexed(Primitive::TRIANGLE_STRIP, 1, Some(9)),
        &[range(0, 5)],
    );
    assert_eq!(rig.image().count(RED), 32);
}

#[test]
fn client_indices_and_base_vertices() {
    let mut rig = Rig::new(8, 8);
    rig.clear([0.0, 0.0, 0.0, 1.0]);
    flat(&mut rig, [1.0, 0.0, 0.0, 1.0]);
    rig.positions(&STRIPS);
    let mut info = indexed(Primitive::TRIANGLE_STRIP, 2, None);
    info.flags = DrawFlags::USER_INDICES;
    let base = DrawRange {
        base_vertex: 4,
        ..range(1, 4)
    };
    rig.call(&Call::DrawVbo {
        p: &info,
        indices: &bytes(&[9u16, 0, 1, 2, 3]),
        arrays: &[],
        ranges: &[range(1, 4), base],
        user_arrays: &[],
    });
    assert_apart(&mut rig, "base vertex");
    info.flags = DrawFlags(DrawFlags::USER_INDICES.0 | DrawFlags::RESTART.0);
    info.restart_index = 5000;
    rig.call(&Call::DrawVbo {
        p: &info,
        indices: &bytes(&[0u16, 1, 2, 3, 5000, 4, 5, 6, 7]),
        arrays: &[],
        ranges: &[range(0, 9)],
        user_arrays: &[],
    });
    assert_apart(&mut rig, "client restart");
}

#[test]
fn client_arrays_start_anywhere() {
    let mut rig = Rig::new(8, 8);
    rig.clear([0.0, 0.0, 0.0, 1.0]);
    rig.program("vertexid");
    let ve = rig.elements(
        &[attrib(0, 0, 2, AttribType::FLOAT, 0)],
        &[binding(0, 8, 0)],
    );
    rig.bind_elements(ve);
    rig.vertex_buffers(&[VertexBuffer {
        stride: 8,
        ..VertexBuffer::default()
    }]);
    // Elements 100 to 102 only; flat values come from the last vertex.
    rig.call(&Call::DrawVbo {
        p: &info(Primitive::TRIANGLES),
        indices: &[],
        arrays: &bytes(&[[7.0f32, 7.0].as_slice(), &COVER].concat()),
        ranges: &[range(100, 3)],
        user_arrays: &[UserArray {
            binding: 0,
            first: 100,
            offset: 8,
            size: 24,
            ..UserArray::default()
        }],
    });
    assert_eq!(
        rig.image().count([102, 255, 0, 255]),
        64,
        "gl_VertexID counts on"
    );
    // Far behind the start of the streaming buffer.
    rig.call(&Call::DrawVbo {
        p: &info(Primitive::TRIANGLES),
        indices: &[],
        arrays: &bytes(&COVER),
        ranges: &[range(1_000_000, 3)],
        user_arrays: &[UserArray {
            binding: 0,
            first: 1_000_000,
            offset: 0,
            size: 24,
            ..UserArray::default()
        }],
    });
    assert_eq!(rig.image().count([255, 255, 0, 255]), 64);
}

#[test]
fn instances_divisors_and_base_instances() {
    let mut rig = Rig::new(8, 8);
    rig.clear([0.0, 0.0, 0.0, 1.0]);
    rig.program("vertexcolor");
    let ve = rig.elements(
        &[
            attrib(0, 0, 2, AttribType::FLOAT, 0),
            VertexAttrib {
                class: AttribClass::NORMALIZED,
                ..attrib(1, 3, 4, AttribType::UNSIGNED_BYTE, 8)
            },
            attrib(2, 3, 2, AttribType::FLOAT, 0),
        ],
        &[binding(0, 8, 0), binding(3, 12, 1)],
    );
    rig.bind_elements(ve);
    let quad: [f32; 8] = [-1.0, -1.0, -0.5, -1.0, -1.0, 1.0, -0.5, 1.0];
    let positions = rig.buffer(&bytes(&quad));
    let mut per_instance = Vec::new();
    for (shift, color) in [(0.0f32, RED), (0.5, GREEN), (1.0, BLUE)] {
        per_instance.extend(bytes(&[shift, 0.0]));
        per_instance.extend(color);
    }
    let instances = rig.buffer(&per_instance);
    let buffer = |buffer, binding, stride| VertexBuffer {
        buffer,
        offset: 0,
        binding,
        stride,
    };
    rig.vertex_buffers(&[buffer(positions, 0, 8), buffer(instances, 3, 12)]);
    let draw = |rig: &mut Rig, instances, base_instance| {
        rig.call(&Call::DrawVbo {
            p: &DrawInfo {
                instances,
                base_instance,
                ..info(Primitive::TRIANGLE_STRIP)
            },
            indices: &[],
            arrays: &[],
            ranges: &[range(0, 4)],
            user_arrays: &[],
        });
    };
    draw(&mut rig, 3, 0);
    let image = rig.image();
    assert_eq!(
        [0, 2, 4, 6].map(|x| image.at(x, 3)),
        [RED, GREEN, BLUE, BLACK]
    );
    rig.clear([0.0, 0.0, 0.0, 1.0]);
    draw(&mut rig, 1, 2);
    let image = rig.image();
    assert_eq!([0, 4].map(|x| image.at(x, 3)), [BLACK, BLUE]);
}

#[test]
fn attributes_without_arrays_have_current_values() {
    let mut rig = Rig::new(8, 8);
    rig.clear([0.0, 0.0, 0.0, 1.0]);
    rig.program("vertexcolor");
    rig.positions(&LEFT);
    let value = |location, v: [f32; 4]| {
        let mut bits = [0; 8];
        for (to, from) in bits.iter_mut().zip(v) {
            *to = from.to_bits();
        }
        AttribValue {
            location,
            ty: ValueType::FLOAT,
            bits,
        }
    };
    rig.call(&Call::SetVertexAttribDefaults {
        p: &SetVertexAttribDefaults::default(),
        values: &[
            value(1, [0.0, 1.0, 0.0, 1.0]),
            value(2, [1.0, 0.0, 0.0, 1.0]),
        ],
    });
    rig.draw(Primitive::TRIANGLE_STRIP, 0, 4);
    let image = rig.image();
    assert_eq!((image.at(0, 0), image.at(7, 0)), (BLACK, GREEN));
}

#[test]
fn a_stride_of_zero_is_one_element_for_all() {
    let mut rig = Rig::new(8, 8);
    rig.clear([0.0, 0.0, 0.0, 1.0]);
    rig.program("vertexcolor");
    let ve = rig.elements(
        &[
            attrib(0, 0, 2, AttribType::FLOAT, 0),
            attrib(1, 1, 4, AttribType::FLOAT, 0),
        ],
        &[binding(0, 8, 0), binding(1, 0, 0)],
    );
    rig.bind_elements(ve);
    let positions = rig.buffer(&bytes(&COVER));
    let color = rig.buffer(&bytes(&[9.0f32, 9.0, 9.0, 9.0, 0.0, 0.0, 1.0, 1.0]));
    rig.vertex_buffers(&[
        VertexBuffer {
            buffer: positions,
            stride: 8,
            ..VertexBuffer::default()
        },
        VertexBuffer {
            buffer: color,
            offset: 16,
            binding: 1,
            stride: 0,
        },
    ]);
    rig.draw(Primitive::TRIANGLES, 0, 3);
    assert_eq!(rig.image().count(BLUE), 64);
}

#[test]
fn attribute_types() {
    let mut rig = Rig::new(4, 4);
    rig.program("vertexcolor");
    let positions = rig.buffer(&bytes(&COVER));
    let normalized = |a: VertexAttrib| VertexAttrib {
        class: AttribClass::NORMALIZED,
        ..a
    };
    let t = AttribType::UNSIGNED_INT_2_10_10_10_REV;
    let small = AttribType::UNSIGNED_INT_10F_11F_11F_REV;
    let bgra = |a: VertexAttrib| VertexAttrib {
        bgra: true.into(),
        ..normalized(a)
    };
    let packed = 1023u32 | 1023 << 20 | 3 << 30;
    let cases: Vec<(&str, VertexAttrib, Vec<u8>)> = vec![
        (
            "bytes",
            normalized(attrib(1, 1, 4, AttribType::UNSIGNED_BYTE, 0)),
            vec![255, 0, 255, 255],
        ),
        (
            "shorts",
            normalized(attrib(1, 1, 4, AttribType::SHORT, 0)),
            bytes(&[32767i16, -5, 32767, 32767]),
        ),
        (
            "scaled",
            attrib(1, 1, 3, AttribType::UNSIGNED_SHORT, 0),
            bytes(&[1u16, 0, 1, 9]),
        ),
        (
            "halves",
            attrib(1, 1, 3, AttribType::HALF_FLOAT, 0),
            bytes(&[0x3C00u16, 0, 0x3C00, 0]),
        ),
        (
            "fixed",
            attrib(1, 1, 3, AttribType::FIXED, 0),
            bytes(&[0x10000i32, 0, 0x10000, 0]),
        ),
        (
            "packed",
            normalized(attrib(1, 1, 4, t, 0)),
            bytes(&[packed]),
        ),
        (
            "doubles",
            attrib(1, 1, 3, AttribType::DOUBLE, 0),
            bytes(&[1.0f64, 0.0, 1.0]),
        ),
        (
            "small floats",
            attrib(1, 1, 3, small, 0),
            bytes(&[0x3C0u32 | 0x1E0 << 22]),
        ),
        (
            "bytes in BGRA order",
            bgra(attrib(1, 1, 4, AttribType::UNSIGNED_BYTE, 0)),
            vec![255, 0, 255, 255],
        ),
        (
            "packed in BGRA order",
            bgra(attrib(1, 1, 4, t, 0)),
            bytes(&[packed]),
        ),
    ];
    for (name, a, content) in cases {
        let ve = rig.elements(
            &[attrib(0, 0, 2, AttribType::FLOAT, 0), a],
            &[binding(0, 8, 0), binding(1, content.len() as u32, 0)],
        );
        rig.bind_elements(ve);
        let stride = content.len() as u32;
        let color = rig.buffer(&content.repeat(3));
        rig.vertex_buffers(&[
            VertexBuffer {
                buffer: positions,
                stride: 8,
                ..VertexBuffer::default()
            },
            VertexBuffer {
                buffer: color,
                binding: 1,
                stride,
                ..VertexBuffer::default()
            },
        ]);
        rig.clear([0.0, 1.0, 0.0, 1.0]);
        rig.draw(Primitive::TRIANGLES, 0, 3);
        assert_eq!(rig.image().count([255, 0, 255, 255]), 16, "{name}");
        // The content changes under the same binding.
        rig.write_buffer(color, 0, &vec![0; content.len() * 3]);
        rig.draw(Primitive::TRIANGLES, 0, 3);
        let alpha = if a.components == 4 { 0 } else { 255 };
        assert_eq!(
            rig.image().count([0, 0, 0, alpha]),
            16,
            "{name} after a change"
        );
    }
}

#[test]
fn client_arrays_are_converted_too() {
    let mut rig = Rig::new(4, 4);
    rig.program("flat");
    let p = rig.program("flat");
    rig.uniform(&p, "place", &[1.0f32, 1.0, 0.0, 0.0]);
    rig.uniform(&p, "tint", &[1.0f32, 0.0, 0.0, 1.0]);
    let ve = rig.elements(
        &[attrib(0, 0, 2, AttribType::DOUBLE, 8)],
        &[binding(0, 24, 0)],
    );
    rig.bind_elements(ve);
    rig.vertex_buffers(&[VertexBuffer {
        stride: 24,
        ..VertexBuffer::default()
    }]);
    let arrays: Vec<u8> = COVER
        .chunks(2)
        .flat_map(|v| bytes(&[9.0f64, f64::from(v[0]), f64::from(v[1])]))
        .collect();
    rig.call(&Call::DrawVbo {
        p: &info(Primitive::TRIANGLES),
        indices: &[],
        arrays: &arrays,
        ranges: &[range(10, 3)],
        user_arrays: &[UserArray {
            binding: 0,
            first: 10,
            size: 72,
            ..UserArray::default()
        }],
    });
    assert_eq!(rig.image().count(RED), 16);
}

#[test]
fn the_size_of_points() {
    let mut rig = Rig::new(8, 8);
    rig.clear([0.0, 0.0, 0.0, 1.0]);
    // The shader says three pixels.
    rig.program("vertexid");
    rig.positions(&[0.0625, 0.0625]);
    rig.state.program_point_size(true.into());
    rig.push_state();
    rig.draw(Primitive::POINTS, 0, 1);
    assert_eq!(rig.image().count([0, 255, 0, 255]), 9);
    rig.clear([0.0, 0.0, 0.0, 1.0]);
    // The state says one, then five, whatever the shader says.
    rig.state.program_point_size(false.into());
    for size in [1, 5] {
        rig.state.point_size(F32(size as f32));
        rig.push_state();
        rig.clear([0.0, 0.0, 0.0, 1.0]);
        rig.draw(Primitive::POINTS, 0, 1);
        assert_eq!(rig.image().count(GREEN), size * size);
    }
    // A shader that says nothing.
    flat(&mut rig, [1.0, 0.0, 0.0, 1.0]);
    rig.clear([0.0, 0.0, 0.0, 1.0]);
    rig.draw(Primitive::POINTS, 0, 1);
    assert_eq!(rig.image().count(RED), 25);
}

#[test]
fn indirect_draws() {
    let mut rig = Rig::new(8, 8);
    rig.clear([0.0, 0.0, 0.0, 1.0]);
    flat(&mut rig, [1.0, 0.0, 0.0, 1.0]);
    rig.positions(&STRIPS);
    let parameters = rig.buffer(&bytes(&[9u32, 4, 1, 0, 0, 4, 1, 4, 0]));
    rig.call(&Call::SetIndirectBuffers {
        p: &IndirectBuffers {
            draw: parameters,
            ..IndirectBuffers::default()
        },
    });
    rig.call(&Call::DrawVbo {
        p: &DrawInfo {
            flags: DrawFlags::INDIRECT,
            indirect_offset: 4,
            indirect_stride: 16,
            indirect_draws: 2,
            ..info(Primitive::TRIANGLE_STRIP)
        },
        indices: &[],
        arrays: &[],
        ranges: &[],
        user_arrays: &[],
    });
    assert_apart(&mut rig, "indirect");
}

#[test]
fn queries_tell_whether_anything_passed() {
    let mut rig = Rig::new(8, 8);
    rig.clear([0.0, 0.0, 0.0, 1.0]);
    flat(&mut rig, [1.0, 0.0, 0.0, 1.0]);
    rig.positions(&COVER);
    let query: QueryHandle = rig.alloc();
    let ask = |rig: &mut Rig, target, draws: bool| {
        let p = QueryDesc {
            query,
            target,
            index: 0,
        };
        if rig.s.queries.get(query).is_err() {
            rig.call(&Call::QueryCreate { p: &p });
        }
        rig.call(&Call::QueryBegin { p: &p });
        if draws {
            rig.draw(Primitive::TRIANGLES, 0, 3);
        }
        rig.call(&Call::QueryEnd { p: &p });
        match rig.call(&Call::QueryResult {
            p: &QueryOnly { query },
        }) {
            Reply::Value(v) => v,
            r => panic!("{r:?}"),
        }
    };
    assert_eq!(ask(&mut rig, QueryTarget::ANY_SAMPLES_PASSED, true), 1);
    assert_eq!(ask(&mut rig, QueryTarget::ANY_SAMPLES_PASSED, false), 0);
    assert_eq!(ask(&mut rig, QueryTarget::SAMPLES_PASSED, true), 1);
    assert!(
        rig.be.caps().has("samples_passed:boolean"),
        "and Caps say so"
    );
    assert_eq!(ask(&mut rig, QueryTarget::PRIMITIVES_GENERATED, true), 1);
    let elapsed = ask(&mut rig, QueryTarget::TIME_ELAPSED, true);
    assert!(elapsed > 0 && elapsed < 10_000_000_000, "{elapsed} ns");
    let now = rig.call(&Call::QueryTimestamp {
        p: &QueryTimestamp::default(),
    });
    assert!(matches!(now, Reply::Value(v) if v > 0), "{now:?}");
    rig.call(&Call::QueryDestroy {
        p: &QueryOnly { query },
    });
}

#[test]
fn fences_are_signalled() {
    let mut rig = Rig::new(4, 4);
    rig.clear([1.0, 0.0, 0.0, 1.0]);
    let fence: FenceHandle = rig.alloc();
    let p = FenceOnly { fence };
    rig.call(&Call::FenceCreate { p: &p });
    rig.call(&Call::FenceWaitServer { p: &p });
    let r = rig.call(&Call::FenceWait {
        p: &FenceWait {
            fence,
            timeout_ns: 5_000_000_000,
            flush: true.into(),
            ..FenceWait::default()
        },
    });
    let signalled = [
        FenceResult::ALREADY_SIGNALED,
        FenceResult::CONDITION_SATISFIED,
    ];
    assert!(
        signalled.iter().any(|s| r == Reply::Value(u64::from(s.0))),
        "{r:?}"
    );
    let status = rig.call(&Call::FenceStatus { p: &p });
    assert_eq!(
        status,
        Reply::Value(u64::from(FenceResult::ALREADY_SIGNALED.0))
    );
    rig.call(&Call::FenceDestroy { p: &p });
}

#[test]
fn framebuffer_objects_are_found_again() {
    let mut rig = Rig::new(4, 4);
    let textures: Vec<_> = (0..3)
        .map(|_| rig.texture_2d(Format::RGBA8, 4, 4, 1))
        .collect();
    rig.default_framebuffer();
    rig.clear([0.0; 4]);
    let before = rig.be.framebuffer_objects();
    for _ in 0..5 {
        for t in &textures {
            let a = rig.attachment(*t, 0, 0);
            rig.framebuffer(&[a], None);
            rig.clear([0.0, 1.0, 0.0, 1.0]);
        }
    }
    assert_eq!(rig.be.framebuffer_objects(), before + 3);
    // A texture's end ends what holds it.
    rig.call(&Call::ResourceDestroy {
        p: &ResourceOnly {
            resource: textures[0].into(),
            ..ResourceOnly::default()
        },
    });
    rig.default_framebuffer();
    rig.clear([1.0, 0.0, 0.0, 1.0]);
    assert_eq!(rig.be.framebuffer_objects(), before + 2);
    assert_eq!(rig.image().count(RED), 16);
}

#[test]
fn the_first_vertex_can_provoke() {
    let mut rig = Rig::new(8, 8);
    rig.program("vertexid");
    rig.positions(&LEFT);
    let shade = |which: u8| [which, 255, 0, 255];
    // Lower left and upper right pixels of the left half belong to the first and the second triangle.
    let corners = |rig: &mut Rig| {
        let image = rig.image();
        (image.at(0, 0), image.at(3, 7))
    };
    rig.draw(Primitive::TRIANGLE_STRIP, 0, 4);
    assert_eq!(
        corners(&mut rig),
        (shade(2), shade(3)),
        "the last is GL's initial choice"
    );
    rig.state
        .provoking_vertex(ProvokingVertex::FIRST_VERTEX_CONVENTION);
    rig.push_state();
    rig.draw(Primitive::TRIANGLE_STRIP, 0, 4);
    assert_eq!(corners(&mut rig), (shade(0), shade(1)));
    // Culling sees the same winding.
    rig.clear([0.0, 0.0, 0.0, 1.0]);
    rig.state.cull_enable(true.into());
    rig.push_state();
    rig.draw(Primitive::TRIANGLE_STRIP, 0, 4);
    assert_eq!(corners(&mut rig), (shade(0), shade(1)));
    // With indices, a restart and a base vertex.
    rig.clear([0.0, 0.0, 0.0, 1.0]);
    let buffer = rig.buffer(&bytes(&[50u16, 0, 1, 2, 50, 2, 1, 3]));
    rig.call(&Call::SetIndexBuffer {
        p: &IndexBuffer { buffer },
    });
    rig.state.cull_enable(false.into());
    rig.push_state();
    draw_indexed(
        &mut rig,
        indexed(Primitive::TRIANGLES, 2, Some(50)),
        &[range(0, 8)],
    );
    assert_eq!(corners(&mut rig), (shade(0), shade(2)));
}
