//! A state is emitted into another server, with what only the GPU of the first one has; both go on alike.

use crate::lane::{self, Lane};
use crate::rig::*;
use mgl_core::counters::Counters;
use mgl_core::format::Format;
use mgl_core::handle::*;
use mgl_core::pipe::backend::ProgramCode;
use mgl_core::pipe::emission::{
    Absent, Content, Emission, Part, Piece, Plane, emit, first_difference, parts, read_back,
    spare_handles,
};
use mgl_core::pipe::*;
use mgl_core::pod::F32;
use std::collections::BTreeMap;
use std::path::Path;

/// The whole of a part; of buffers nothing need be said.
fn area(s: &PushedState, part: Part) -> Box3 {
    part.image(s).map_or(Box3::default(), |i| i.whole())
}

/// Everything is read from a server; code comes from the files of the tests' programs.
struct Read<'s> {
    server: Server<&'s mut Lane>,
    code: BTreeMap<Handle, [Vec<u8>; 7]>,
}

impl Content for Read<'_> {
    fn code(&mut self, program: ShaderHandle) -> Option<ProgramCode<'_>> {
        let code = self.code.get(&program.raw())?;
        Some(ProgramCode {
            stages: std::array::from_fn(|i| code[i].as_slice()),
            reflection: &code[6],
        })
    }
    fn pieces(
        &mut self,
        state: &PushedState,
        part: Part,
        show: &mut dyn FnMut(Piece<'_>),
    ) -> Result<(), Absent> {
        let area = area(state, part);
        let bytes = &read_back(&mut self.server, part, &area)?;
        show(Piece {
            offset: 0,
            area,
            bytes,
        });
        Ok(())
    }
}

fn code_of(name: &str) -> [Vec<u8>; 7] {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shaders");
    let extensions = ["vert.spv", "", "", "geom.spv", "frag.spv", "", "refl"];
    extensions.map(|ext| std::fs::read(dir.join(format!("{name}.{ext}"))).unwrap_or_default())
}

/// All that a server has, by part.
pub fn all(s: PushedState, be: &mut Lane) -> (BTreeMap<String, Vec<u8>>, PushedState) {
    let mut server = Server {
        state: s,
        backend: be,
        counters: Counters::default(),
    };
    let list: Vec<Part> = parts(&server.state).collect();
    let mut found = BTreeMap::new();
    for part in list {
        let area = area(&server.state, part);
        match read_back(&mut server, part, &area) {
            Ok(bytes) => drop(found.insert(part.to_string(), bytes)),
            Err(e) => panic!("{part}: {e}"),
        }
    }
    (found, server.state)
}

/// What another server becomes when all of `a` is emitted into it.
pub fn moved(a: &mut Rig, programs: &[(ShaderHandle, &str)]) -> (Server<Box<Lane>>, Emission) {
    let mut b = Server::new(Box::new(lane::headless()));
    let before = a.s.clone();
    let mut read = Read {
        server: Server {
            state: std::mem::take(&mut a.s),
            backend: &mut a.be,
            counters: Counters::default(),
        },
        code: programs
            .iter()
            .map(|(h, name)| (h.raw(), code_of(name)))
            .collect(),
    };
    let mut sink = |call: &Call<'_>| b.apply(call).map(|_| ());
    let emission = emit(&before, &mut read, &mut spare_handles(&before), &mut sink);
    let emission = emission.unwrap_or_else(|e| panic!("{e}"));
    a.s = read.server.state;
    assert_eq!(first_difference(&before, &a.s), None, "reading");
    assert_eq!(first_difference(&before, &b.state), None);
    (b, emission)
}

/// Nothing that the driver below had to say was an error.
pub fn is_quiet(b: &mut Server<Box<Lane>>) {
    for e in b.backend.take_events() {
        if let event::Event::Log { level, text } = e {
            assert!(level < event::LogLevel::Error, "{text}");
        }
    }
}

#[test]
fn another_server_goes_on_where_the_first_one_was() {
    let mut a = Rig::new(8, 8);
    let program = a.program("flat");
    a.uniform(&program, "place", &[1.0f32, 1.0, 0.0, 0.0]);
    let one = ResourceDesc {
        target: Target::TEXTURE_2D,
        format: Format::RGBA8,
        width: 8,
        height: 8,
        depth: 1,
        layers: 1,
        levels: 1,
        bind: BindMask::SAMPLED | BindMask::RENDER_TARGET,
        ..ResourceDesc::default()
    };
    // What only the GPU has: a texture and renderbuffers that were drawn to.
    let texture = a.alloc::<TextureHandle>();
    let (color, depth) = (
        a.alloc::<RenderbufferHandle>(),
        a.alloc::<RenderbufferHandle>(),
    );
    for (resource, target, format) in [
        (texture.into(), Target::TEXTURE_2D, Format::RGBA8),
        (color.into(), Target::RENDERBUFFER, Format::RGBA8),
        (depth.into(), Target::RENDERBUFFER, Format::DEPTH24_STENCIL8),
    ] {
        let p = &ResourceDesc {
            resource,
            target,
            format,
            ..one
        };
        a.call(&Call::ResourceCreate { p });
    }
    let targets: [ResourceHandle; 2] = [texture.into(), color.into()];
    for (target, value) in targets
        .into_iter()
        .zip([[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]])
    {
        let (c, d) = (a.attachment(target, 0, 0), a.attachment(depth, 0, 0));
        a.framebuffer(&[c], Some(d));
        a.clear(value);
        a.positions(&LEFT);
        a.uniform(&program, "tint", &[0.0f32, 0.0, 1.0, 1.0]);
        a.draw(Primitive::TRIANGLE_STRIP, 0, 4);
    }
    a.default_framebuffer();
    a.clear([1.0, 1.0, 0.0, 1.0]);
    a.draw(Primitive::TRIANGLE_STRIP, 0, 4);

    let (mut b, emission) = moved(&mut a, &[(program.shader, "flat")]);
    assert_eq!(emission.left_out, BTreeMap::new());
    let (mine, s) = all(std::mem::take(&mut a.s), &mut a.be);
    a.s = s;
    let (its, s) = all(std::mem::take(&mut b.state), &mut b.backend);
    b.state = s;
    assert_eq!(mine.len(), its.len());
    for (part, bytes) in &mine {
        assert_eq!(its[part], *bytes, "{part}");
    }
    // The controls: they are not all of one colour, and not empty.
    let back = &mine[&Part::Surface(a.surface, Plane::Back).to_string()];
    assert_eq!(back[..4], BLUE, "the left half was drawn");
    assert_eq!(back[28..32], [255, 255, 0, 255]);
    assert_eq!(mine[&Part::Renderbuffer(color).to_string()][28..32], GREEN);

    // The next verbs find all that they read.
    let p = &Clear {
        buffers: BufferMask::COLOR0 | BufferMask::DEPTH,
        color_type: ValueType::FLOAT,
        color: [0.0f32, 1.0, 0.0, 1.0].map(f32::to_bits),
        depth: F32(1.0),
        ..Clear::default()
    };
    let draw = Call::DrawVbo {
        p: &info(Primitive::TRIANGLE_STRIP),
        indices: &[],
        arrays: &[],
        ranges: &[range(0, 4)],
        user_arrays: &[],
    };
    for call in [Call::Clear { p }, draw] {
        a.call(&call);
        b.apply(&call).expect("all is there");
    }
    let image = a.image();
    assert_eq!((image.count(BLUE), image.count(GREEN)), (32, 32));
    let (_, _, rgba) = (b.backend.read_surface(&b.state, a.surface)).expect("its pixels");
    assert_eq!(image.rgba, rgba);
    is_quiet(&mut b);
}

/// What was captured goes along; how far it came does not.
#[test]
fn transform_feedback_goes_on_at_the_front() {
    let mut a = Rig::new(4, 4);
    let program = a.program("capture");
    a.positions(&COVER);
    let buffer = a.buffer(&[0xEE; 128]);
    a.call(&Call::SetStreamOutputTargets {
        p: &SetStreamOutputTargets::default(),
        targets: &[BufferBinding {
            buffer,
            size: 128,
            ..BufferBinding::default()
        }],
    });
    a.clear([0.0, 0.0, 0.0, 1.0]);
    let op = &StreamOutputOp {
        primitive: CapturePrimitive::TRIANGLES,
        ..StreamOutputOp::default()
    };
    let p = &DrawInfo {
        flags: DrawFlags::CAPTURING,
        ..info(Primitive::TRIANGLES)
    };
    let draw = Call::DrawVbo {
        p,
        indices: &[],
        arrays: &[],
        ranges: &[range(0, 3)],
        user_arrays: &[],
    };
    a.call(&Call::BeginStreamOutput { p: op });
    a.call(&draw);
    a.call(&draw);
    a.call(&Call::PauseStreamOutput { p: op });
    let (mut b, emission) = moved(&mut a, &[(program.shader, "capture")]);
    let told = "how far transform feedback has come".to_owned();
    assert_eq!(emission.left_out, BTreeMap::from([(told, 1)]));
    let vertex = |i: usize| [i as f32 + 0.5, COVER[2 * i], COVER[2 * i + 1], 7.0];
    let triangle: Vec<f32> = (0..3).flat_map(vertex).collect();
    let read = |b: &mut Server<Box<Lane>>| {
        let bytes = read_back(b, Part::Buffer(buffer), &Box3::default()).expect("a buffer");
        let floats = bytes.chunks_exact(4);
        let floats = floats.map(|c| f32::from_le_bytes([c[0], c[1], c[2], c[3]]));
        floats.collect::<Vec<f32>>()
    };
    let both = [triangle.clone(), triangle.clone()].concat();
    assert_eq!(read(&mut b)[..24], both, "what only the first GPU had");
    let lost = &[0; 48];
    let p = &SubData {
        resource: buffer.into(),
        ..SubData::default()
    };
    for call in [
        Call::ResourceSubData {
            p,
            bytes: lost,
            regions: &[],
        },
        Call::ResumeStreamOutput { p: op },
        draw,
        Call::EndStreamOutput { p: op },
    ] {
        b.apply(&call).expect("it is paused, and goes on");
    }
    assert_eq!(
        read(&mut b)[..24],
        both,
        "the first triangle was captured anew"
    );
    a.call(&Call::EndStreamOutput { p: op });
    is_quiet(&mut b);
}
