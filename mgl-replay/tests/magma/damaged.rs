//! Programs whose SPIR-V is damaged: each is refused with a reason, or is a program of its own and draws.
//! None may end in the driver.

use crate::lane;
use crate::rig::*;
use mgl_core::format::Format;
use mgl_core::handle::*;
use mgl_core::pipe::*;
use mgl_core::program::Reflection;
use mgl_replay::magma::{Magma, MagmaOptions};
use std::path::Path;

/// Without validation layers: they have opinions on programs that work.
fn rig() -> Rig {
    let be = Magma::new(MagmaOptions {
        debug: false,
        ..lane::options()
    });
    let surface = SurfaceDesc {
        width: 8,
        height: 8,
        color: Format::RGBA8,
        depth_stencil: Format::DEPTH24_STENCIL8,
        double_buffered: true.into(),
        ..SurfaceDesc::default()
    };
    Rig::over(be.expect("a Vulkan device (see mgl doctor)"), surface)
}

/// Makes a program and draws with it once; whether that went well.
fn draws(rig: &mut Rig, archive: &[u8], stages: u8, vertex: &[u8], fragment: &[u8]) -> bool {
    let shader: ShaderHandle = rig.alloc();
    let made = rig.try_call(&Call::CreateShaderState {
        p: &ProgramDesc {
            shader,
            stages: StageMask(stages.into()),
            gl_name: 0,
        },
        vertex,
        tess_control: &[],
        tess_eval: &[],
        geometry: &[],
        fragment,
        compute: &[],
        reflection: archive,
    });
    if made.is_err() {
        return false;
    }
    rig.use_program(shader);
    let drawn = rig.try_call(&Call::DrawVbo {
        p: &info(Primitive::TRIANGLES),
        indices: &[],
        arrays: &[],
        ranges: &[range(0, 3)],
        user_arrays: &[],
    });
    // What was drawn is drawn at once, so that the draw to blame is the last one.
    rig.call(&Call::Flush {
        p: &Flush {
            flags: FlushFlags::FINISH,
            ..Flush::default()
        },
    });
    let _ = rig.errors();
    drawn.is_ok()
}

/// Words that are damaged: all but the values of constants, which make another program that is whole.
fn places(code: &[u8]) -> Vec<usize> {
    const CONSTANT: u32 = 43;
    let word = |at: usize| {
        let b = &code[at * 4..at * 4 + 4];
        u32::from_le_bytes([b[0], b[1], b[2], b[3]])
    };
    let (mut at, mut list) = (5, Vec::new());
    while at < code.len() / 4 {
        let (op, length) = (word(at) & 0xFFFF, (word(at) >> 16) as usize);
        let end = if op == CONSTANT { at + 3 } else { at + length };
        list.extend(at..end);
        at += length.max(1);
    }
    list
}

#[test]
fn damaged_programs_end_before_the_driver() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shaders");
    let mut rig = rig();
    rig.positions(&COVER);
    let (mut refused, mut drawn) = (0, 0);
    for name in [
        "vertexcolor",
        "textured",
        "blocks",
        "kinds",
        "flat",
        "outputs",
        "instances",
    ] {
        let read = |ext: &str| std::fs::read(dir.join(format!("{name}.{ext}"))).expect("a file");
        let (archive, vertex, fragment) = (read("refl"), read("vert.spv"), read("frag.spv"));
        let stages = Reflection::decode(&archive).expect("an archive").stages.0;
        assert!(
            draws(&mut rig, &archive, stages, &vertex, &fragment),
            "{name} is whole"
        );
        for (is_vertex, code) in [(true, &vertex), (false, &fragment)] {
            for at in places(code) {
                let mut bad = code.clone();
                let place = at * 4..at * 4 + 4;
                let word = u32::from_le_bytes(bad[place.clone()].try_into().expect("a word"));
                // Another kind of damage for each word, all of them near what was there: they get furthest.
                let word = match at % 4 {
                    0 => word.wrapping_add(1),
                    1 => word.wrapping_sub(1),
                    2 => word ^ 1 << (at % 7),
                    _ => word ^ 1 << (16 + at % 5),
                };
                bad[place].copy_from_slice(&word.to_le_bytes());
                let done = if is_vertex {
                    draws(&mut rig, &archive, stages, &bad, &fragment)
                } else {
                    draws(&mut rig, &archive, stages, &vertex, &bad)
                };
                if done {
                    drawn += 1;
                } else {
                    refused += 1;
                }
            }
        }
    }
    assert!(
        refused > 1000 && drawn > 100,
        "{refused} refused, {drawn} drawn"
    );
}
