//! The program in use, its bindings and values, and the uniform buffers that its blocks read.

use crate::context::Gl;
use crate::state::Id;
use crate::state::dirty::{BufferBindings, Buffers, Programs};
use crate::state::program::Program;
use mgl_core::pipe::{
    BufferBinding, BufferClass, Call, Group, Primitive, SetShaderBuffers, ShaderOnly,
};
use mgl_core::program::{GeometryPrimitive, ShaderStage};

/// Generations at which uniform buffers were last resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Seen {
    program: Option<(Id<Program>, u64)>,
    bindings: u64,
    buffers: u64,
    programs: u64,
}

/// What the tracker remembers of a context's program.
#[derive(Default)]
pub struct ProgramTracker {
    seen: Seen,
    ranges: Vec<BufferBinding>,
}

/// Whether a draw of such primitives is legal with the program: a geometry shader takes one kind of them (GL 3.3
/// §2.12.1), and samplers of different types must not read one unit (GL 3.3 §2.11.7).
pub fn may_draw(gl: &Gl<'_>, id: Id<Program>, mode: Primitive) -> bool {
    let program = &gl.share.programs.objects[id];
    let Some(linked) = program.executable() else {
        return true;
    };
    if let Some(geometry) = linked.reflection.geometry
        && !linked.reflection.stages.contains(ShaderStage::TessEval)
        && !takes(geometry.input, mode)
    {
        return false;
    }
    program.sampling().conflict.is_none()
}

/// Whether primitives of a mode are what a geometry shader takes.
fn takes(input: GeometryPrimitive, mode: Primitive) -> bool {
    match input {
        GeometryPrimitive::Points => mode == Primitive::POINTS,
        GeometryPrimitive::Lines => matches!(
            mode,
            Primitive::LINES | Primitive::LINE_STRIP | Primitive::LINE_LOOP
        ),
        GeometryPrimitive::LinesAdjacency => matches!(
            mode,
            Primitive::LINES_ADJACENCY | Primitive::LINE_STRIP_ADJACENCY
        ),
        GeometryPrimitive::Triangles => matches!(
            mode,
            Primitive::TRIANGLES | Primitive::TRIANGLE_STRIP | Primitive::TRIANGLE_FAN
        ),
        GeometryPrimitive::TrianglesAdjacency => matches!(
            mode,
            Primitive::TRIANGLES_ADJACENCY | Primitive::TRIANGLE_STRIP_ADJACENCY
        ),
        // Strips are what comes out of a geometry shader, not what goes in.
        _ => true,
    }
}

/// Pushes the program and what it reads of uniform buffers.
pub fn validate(gl: &mut Gl<'_>, id: Id<Program>) {
    let p = &mut gl.share.programs.objects[id];
    p.flush(gl.pipe);
    let handle = p.handle();
    let pushed = gl.pipe.emitted(gl.ctx.handle);
    if pushed.is_none_or(|c| !c.was_pushed(Group::DrawProgram) || c.values.draw_program != handle) {
        gl.pipe.push(Call::SetDrawProgram {
            p: &ShaderOnly { shader: handle },
        });
    }
    let now = Seen {
        program: Some((id, gl.share.programs.objects[id].epoch())),
        bindings: gl.gens.of::<BufferBindings>(),
        buffers: gl.gens.of::<Buffers>(),
        programs: gl.gens.of::<Programs>(),
    };
    if gl.ctx.tracker.program.seen == now {
        return;
    }
    let mut ranges = std::mem::take(&mut gl.ctx.tracker.program.ranges);
    uniform_ranges(gl, id, &mut ranges);
    let pushed = gl.pipe.emitted(gl.ctx.handle);
    if pushed
        .is_none_or(|c| !c.was_pushed(Group::UniformBuffers) || c.values.uniform_buffers != ranges)
    {
        let p = SetShaderBuffers {
            class: BufferClass::UNIFORM_BUFFER,
            ..SetShaderBuffers::default()
        };
        gl.pipe.push(Call::SetShaderBuffers {
            p: &p,
            buffers: &ranges,
        });
    }
    gl.ctx.tracker.program.ranges = ranges;
    gl.ctx.tracker.program.seen = now;
}

/// The ranges that the program's blocks read, by binding point; a whole-buffer binding is resolved here, not at bind.
fn uniform_ranges(gl: &mut Gl<'_>, id: Id<Program>, out: &mut Vec<BufferBinding>) {
    out.clear();
    let bindings = gl.ctx.buffers.uniform_bindings();
    for &index in gl.share.programs.objects[id].blocks() {
        if out.iter().any(|b| b.index == index) {
            continue;
        }
        let Some(bound) = bindings.get(index as usize) else {
            continue;
        };
        let Some(buffer) = bound.buffer.and_then(|b| gl.share.buffers.objects.get(b)) else {
            continue;
        };
        let (offset, size) = bound.range.unwrap_or((0, buffer.size()));
        // A range past the end reads only what is there (GL 4.6 §6.7.1).
        let size = size.min(buffer.size().saturating_sub(offset));
        if buffer.handle().is_null() || size == 0 {
            continue;
        }
        out.push(BufferBinding {
            index,
            buffer: buffer.handle(),
            offset,
            size,
            ..BufferBinding::default()
        });
    }
    out.sort_unstable_by_key(|b| b.index);
}
