//! Transform feedback: what is captured, around pauses, other programs and several draws.

use crate::rig::*;
use mgl_core::handle::*;
use mgl_core::pipe::*;

fn op(rig: &mut Rig, primitive: CapturePrimitive, f: impl Fn(&StreamOutputOp) -> Call<'_>) {
    let p = StreamOutputOp {
        primitive,
        ..StreamOutputOp::default()
    };
    rig.call(&f(&p));
}

fn draw(rig: &mut Rig, mode: Primitive, start: u32, count: u32, captures: bool) {
    rig.call(&Call::DrawVbo {
        p: &DrawInfo {
            flags: if captures {
                DrawFlags::CAPTURING
            } else {
                DrawFlags::NONE
            },
            ..info(mode)
        },
        indices: &[],
        arrays: &[],
        ranges: &[range(start, count)],
        user_arrays: &[],
    });
}

fn floats(rig: &mut Rig, buffer: BufferHandle, offset: u64, count: u64) -> Vec<f32> {
    let r = rig.call(&Call::ResourceReadback {
        p: &BufferRange {
            buffer,
            offset,
            size: count * 4,
        },
    });
    match r {
        Reply::Bytes(b) => b
            .chunks_exact(4)
            .map(|c| f32::from_le_bytes([c[0], c[1], c[2], c[3]]))
            .collect(),
        r => panic!("{r:?}"),
    }
}

#[test]
fn outputs_are_captured() {
    let mut rig = Rig::new(4, 4);
    let other = rig.program("flat");
    let p = rig.program("capture");
    rig.positions(&COVER);
    let buffer = rig.buffer(&[0xEE; 256]);
    rig.call(&Call::SetStreamOutputTargets {
        p: &SetStreamOutputTargets::default(),
        targets: &[BufferBinding {
            buffer,
            offset: 16,
            size: 240,
            ..BufferBinding::default()
        }],
    });
    rig.clear([0.0, 0.0, 0.0, 1.0]);
    op(&mut rig, CapturePrimitive::TRIANGLES, |p| {
        Call::BeginStreamOutput { p }
    });
    draw(&mut rig, Primitive::TRIANGLES, 0, 3, true);
    // A clear, a read and a program of its own lie between two draws of one capture.
    rig.clear([1.0, 0.0, 0.0, 1.0]);
    rig.image();
    op(&mut rig, CapturePrimitive::TRIANGLES, |p| {
        Call::PauseStreamOutput { p }
    });
    rig.use_program(other.shader);
    draw(&mut rig, Primitive::TRIANGLES, 0, 3, false);
    rig.use_program(p.shader);
    draw(&mut rig, Primitive::TRIANGLES, 0, 3, false);
    op(&mut rig, CapturePrimitive::TRIANGLES, |p| {
        Call::ResumeStreamOutput { p }
    });
    draw(&mut rig, Primitive::TRIANGLE_STRIP, 0, 3, true);
    op(&mut rig, CapturePrimitive::TRIANGLES, |p| {
        Call::EndStreamOutput { p }
    });
    let vertex = |i: usize| [i as f32 + 0.5, COVER[2 * i], COVER[2 * i + 1], 7.0];
    let expected: Vec<f32> = [0, 1, 2, 0, 1, 2].into_iter().flat_map(vertex).collect();
    assert_eq!(floats(&mut rig, buffer, 16, 24), expected);
    assert_ne!(
        floats(&mut rig, buffer, 16 + 96, 1),
        [0.5],
        "nothing behind the last vertex"
    );
    assert_eq!(rig.image().count(GREEN), 16, "captured draws are drawn");
    // What was captured can be drawn from.
    let ve = rig.elements(
        &[attrib(0, 0, 2, AttribType::FLOAT, 4)],
        &[binding(0, 16, 0)],
    );
    rig.bind_elements(ve);
    rig.vertex_buffers(&[VertexBuffer {
        buffer,
        offset: 16,
        stride: 16,
        ..VertexBuffer::default()
    }]);
    rig.clear([0.0, 0.0, 0.0, 1.0]);
    draw(&mut rig, Primitive::TRIANGLES, 3, 3, false);
    assert_eq!(rig.image().count(GREEN), 16);
}

#[test]
fn written_primitives_are_counted() {
    let mut rig = Rig::new(4, 4);
    rig.program("capture");
    rig.positions(&COVER);
    let buffer = rig.buffer(&[0; 256]);
    rig.call(&Call::SetStreamOutputTargets {
        p: &SetStreamOutputTargets::default(),
        targets: &[BufferBinding {
            buffer,
            size: 256,
            ..BufferBinding::default()
        }],
    });
    let query: QueryHandle = rig.alloc();
    let q = QueryDesc {
        query,
        target: QueryTarget::TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN,
        index: 0,
    };
    rig.call(&Call::QueryCreate { p: &q });
    rig.call(&Call::QueryBegin { p: &q });
    rig.state.rasterizer_discard(true.into());
    rig.push_state();
    op(&mut rig, CapturePrimitive::POINTS, |p| {
        Call::BeginStreamOutput { p }
    });
    draw(&mut rig, Primitive::POINTS, 0, 3, true);
    op(&mut rig, CapturePrimitive::POINTS, |p| {
        Call::EndStreamOutput { p }
    });
    rig.call(&Call::QueryEnd { p: &q });
    let r = rig.call(&Call::QueryResult {
        p: &QueryOnly { query },
    });
    assert_eq!(r, Reply::Value(3));
    // A capture without draws is none.
    op(&mut rig, CapturePrimitive::POINTS, |p| {
        Call::BeginStreamOutput { p }
    });
    op(&mut rig, CapturePrimitive::POINTS, |p| {
        Call::EndStreamOutput { p }
    });
}

#[test]
fn what_is_not_over_ends_with_its_context() {
    // What a driver below loses track of, it tells by dying some time later.
    for round in 0..12 {
        let mut rig = Rig::new(64, 64);
        let first = rig.program("flat");
        let program = rig.program("capture");
        rig.positions(&COVER);
        let buffer = rig.buffer(&[0; 256]);
        rig.call(&Call::SetStreamOutputTargets {
            p: &SetStreamOutputTargets::default(),
            targets: &[BufferBinding {
                buffer,
                size: 256,
                ..BufferBinding::default()
            }],
        });
        for target in [
            QueryTarget::ANY_SAMPLES_PASSED,
            QueryTarget::TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN,
        ] {
            let query: QueryHandle = rig.alloc();
            let q = QueryDesc {
                query,
                target,
                index: 0,
            };
            rig.call(&Call::QueryCreate { p: &q });
            rig.call(&Call::QueryBegin { p: &q });
        }
        rig.clear([0.0; 4]);
        rig.use_program(first.shader);
        draw(&mut rig, Primitive::TRIANGLES, 0, 3, false);
        rig.use_program(program.shader);
        op(&mut rig, CapturePrimitive::POINTS, |p| {
            Call::BeginStreamOutput { p }
        });
        draw(&mut rig, Primitive::POINTS, 0, 3, true);
        // Either the context ends while the back end goes on, or all ends with it.
        if round % 2 == 0 {
            let (old, surface) = (rig.context, rig.surface);
            let next = rig.new_context();
            rig.bind(next, surface);
            rig.call(&Call::ContextDestroy {
                p: &ContextOnly { context: old },
            });
        }
        assert_eq!(rig.errors(), [""; 0]);
    }
}
