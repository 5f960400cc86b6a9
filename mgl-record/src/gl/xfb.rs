//! Entry points of transform feedback (GL 3.3 §2.14; GL 4.6 §13.2). Capture buffers are bound in [`super::buffer`],
//! captured outputs are named in [`super::program`].

use super::entry::gl_entry;
use super::types::*;
use crate::consts::gl::*;
use crate::context::Gl;
use crate::state::stream_output::{Capture, operation};
use crate::tracker::{program, stream_output};
use mgl_core::pipe::{Call, CapturePrimitive, Op};

fn begin(gl: &mut Gl<'_>, mode: GLenum) -> Result<(), GLenum> {
    let primitive = match mode {
        GL_POINTS => CapturePrimitive::POINTS,
        GL_LINES => CapturePrimitive::LINES,
        GL_TRIANGLES => CapturePrimitive::TRIANGLES,
        _ => return Err(GL_INVALID_ENUM),
    };
    if gl.ctx.stream_output.is_active() {
        return Err(GL_INVALID_OPERATION);
    }
    let id = gl.ctx.programs.current().ok_or(GL_INVALID_OPERATION)?;
    let executable = gl.share.programs.objects[id].executable();
    let captured = executable.and_then(|e| e.reflection.xfb.as_ref());
    let count = captured.ok_or(GL_INVALID_OPERATION)?.strides.len();
    let (targets, buffers) = stream_output::targets(gl, count).ok_or(GL_INVALID_OPERATION)?;
    if !gl.pipe.caps().takes(Op::BeginStreamOutput) {
        gl.ctx.misc.refuse_value("glBeginTransformFeedback", mode);
        return Err(GL_INVALID_OPERATION);
    }
    program::validate(gl, id);
    stream_output::validate(gl, &targets);
    gl.pipe.push(Call::BeginStreamOutput {
        p: &operation(primitive),
    });
    gl.ctx.stream_output.begin(Capture {
        primitive,
        program: id,
        buffers,
    });
    Ok(())
}

gl_entry! {
    /// Begins to capture the primitives of draws (GL 4.6 §13.2.2).
    fn glBeginTransformFeedback(gl, primitiveMode: GLenum) {
        if let Err(e) = begin(gl, primitiveMode) {
            gl.raise(e);
        }
    }

    /// Ends the capture (GL 4.6 §13.2.2): from here on the program may read what it wrote.
    fn glEndTransformFeedback(gl) {
        let Some(capture) = gl.ctx.stream_output.end() else {
            return gl.raise(GL_INVALID_OPERATION);
        };
        gl.pipe.push(Call::EndStreamOutput { p: &operation(capture.primitive) });
        for id in capture.buffers {
            if let Some(b) = gl.share.buffers.objects.get_mut(id) {
                b.gpu_wrote(gl.gens.touch());
            }
        }
    }
}
