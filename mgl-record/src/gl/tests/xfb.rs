//! Transform feedback.

use super::*;
use crate::gl::draw::*;
use crate::gl::xfb::*;
use mgl_core::pipe::DrawFlags;

/// A linked program that captures `a` and `b` of its outputs.
fn capturing(mode: GLenum, geometry: Option<&[u8]>) -> GLuint {
    let vertex = b"#version 330\n\
        layout(location = 0) in vec4 i; out vec4 a; out vec2 b;\n\
        void main() { a = i; b = i.xy; gl_Position = i; }\0";
    let fragment = b"#version 330\nout vec4 color; void main() { color = vec4(1.0); }\0";
    let stages = [
        Some((GL_VERTEX_SHADER, &vertex[..])),
        geometry.map(|g| (GL_GEOMETRY_SHADER, g)),
        Some((GL_FRAGMENT_SHADER, &fragment[..])),
    ];
    let names: &[&[u8]] = match geometry {
        Some(_) => &[b"gl_Position\0"],
        None => &[b"a\0", b"b\0"],
    };
    let names: Vec<_> = names.iter().map(|n| n.as_ptr().cast()).collect();
    // SAFETY: sources and names end in zero.
    unsafe {
        let program = glCreateProgram();
        for (stage, text) in stages.into_iter().flatten() {
            let shader = glCreateShader(stage);
            let source = text.as_ptr().cast();
            glShaderSource(shader, 1, &source, std::ptr::null());
            glCompileShader(shader);
            glAttachShader(program, shader);
        }
        glTransformFeedbackVaryings(program, names.len() as GLsizei, names.as_ptr(), mode);
        glLinkProgram(program);
        let mut linked = 0;
        glGetProgramiv(program, GL_LINK_STATUS, &mut linked);
        assert_eq!(linked, 1);
        no_error();
        program
    }
}

/// A capture buffer on a binding point.
fn capture_buffer(index: GLuint, size: usize) -> GLuint {
    let name = buffer(GL_TRANSFORM_FEEDBACK_BUFFER, &vec![0; size]);
    // SAFETY: no pointers.
    unsafe { glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, index, name) };
    name
}

/// Ranges pushed as capture buffers: index, buffer, first byte, bytes.
fn pushed_targets() -> Vec<(u32, BufferHandle, u64, u64)> {
    gl(|gl| {
        let c = gl
            .pipe
            .server()
            .state
            .contexts
            .get(gl.ctx.handle)
            .expect("it was made");
        let t = c.values.stream_targets.iter();
        t.map(|b| (b.index, b.buffer, b.offset, b.size)).collect()
    })
}

#[test]
fn what_a_capture_needs() {
    let _c = Current::new(Profile::Core);
    vertex_array();
    let program = capturing(GL_SEPARATE_ATTRIBS, None);
    let plain = use_program();
    // SAFETY: no pointers.
    unsafe {
        raises(GL_INVALID_OPERATION, || glEndTransformFeedback());
        raises(GL_INVALID_ENUM, || {
            glBeginTransformFeedback(GL_TRIANGLE_STRIP)
        });
        raises(GL_INVALID_OPERATION, || glBeginTransformFeedback(GL_POINTS));
        glUseProgram(0);
        raises(GL_INVALID_OPERATION, || glBeginTransformFeedback(GL_POINTS));
        glUseProgram(program);
        raises(GL_INVALID_OPERATION, || glBeginTransformFeedback(GL_POINTS));
        let first = capture_buffer(0, 64);
        raises(GL_INVALID_OPERATION, || glBeginTransformFeedback(GL_POINTS));
        let second = gen_buffer();
        glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 1, second);
        raises(GL_INVALID_OPERATION, || glBeginTransformFeedback(GL_POINTS));
        glBufferData(
            GL_TRANSFORM_FEEDBACK_BUFFER,
            70,
            std::ptr::null(),
            GL_STATIC_READ,
        );
        glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 1, second, 8, 400);
        glBeginTransformFeedback(GL_POINTS);
        no_error();
        assert_eq!(
            pushed_targets(),
            [(0, handle_of(first), 0, 64), (1, handle_of(second), 8, 60)]
        );
        // What a running capture forbids.
        raises(GL_INVALID_OPERATION, || glBeginTransformFeedback(GL_POINTS));
        raises(GL_INVALID_OPERATION, || glUseProgram(plain));
        raises(GL_INVALID_OPERATION, || glUseProgram(0));
        raises(GL_INVALID_OPERATION, || glLinkProgram(program));
        raises(GL_INVALID_OPERATION, || {
            glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, second)
        });
        glLinkProgram(plain);
        glEndTransformFeedback();
        glUseProgram(plain);
        no_error();
        raises(GL_INVALID_OPERATION, || glEndTransformFeedback());
    }
}

#[test]
fn captured_draws_say_so_and_what_they_wrote_is_read_back() {
    let _c = Current::new(Profile::Core);
    vertex_array();
    let program = capturing(GL_INTERLEAVED_ATTRIBS, None);
    let out = capture_buffer(0, 240);
    // SAFETY: no pointers, or to enough room.
    unsafe {
        glUseProgram(program);
        glBeginTransformFeedback(GL_TRIANGLES);
        let before = generation(Group::StreamOutput);
        for mode in [GL_POINTS, GL_LINES, GL_LINE_LOOP, GL_TRIANGLES_ADJACENCY] {
            raises(GL_INVALID_OPERATION, || glDrawArrays(mode, 0, 3));
        }
        for mode in [GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN] {
            glDrawArrays(mode, 0, 3);
        }
        no_error();
        glEndTransformFeedback();
        glDrawArrays(GL_POINTS, 0, 3);
        no_error();
        let drawn = spy::draws_of(context_handle());
        let captured = drawn.iter().map(|d| d.info.flags.has(DrawFlags::CAPTURING));
        assert_eq!(captured.collect::<Vec<_>>(), [true, true, true, false]);
        assert_eq!(generation(Group::StreamOutput), before);
        // An equal set of buffers is not sent again.
        glBeginTransformFeedback(GL_TRIANGLES);
        glEndTransformFeedback();
        assert_eq!(generation(Group::StreamOutput), before);
        let h = handle_of(out);
        assert!(!spy::log().reads.contains(&h));
        let mut bytes = [1u8; 240];
        glGetBufferSubData(
            GL_TRANSFORM_FEEDBACK_BUFFER,
            0,
            240,
            bytes.as_mut_ptr().cast(),
        );
        assert!(spy::log().reads.contains(&h), "the server wrote it");
        assert_eq!(bytes, [0; 240]);
    }
    no_error();
}

#[test]
fn after_a_geometry_shader_its_output_counts() {
    let _c = Current::new(Profile::Core);
    vertex_array();
    let geometry = b"#version 330\n\
        layout(points) in; layout(line_strip, max_vertices = 2) out;\n\
        void main() { gl_Position = gl_in[0].gl_Position; EmitVertex();\n\
        gl_Position = vec4(0.0); EmitVertex(); EndPrimitive(); }\0";
    let program = capturing(GL_INTERLEAVED_ATTRIBS, Some(geometry));
    capture_buffer(0, 64);
    // SAFETY: no pointers.
    unsafe {
        glUseProgram(program);
        glBeginTransformFeedback(GL_POINTS);
        raises(GL_INVALID_OPERATION, || glDrawArrays(GL_POINTS, 0, 1));
        glEndTransformFeedback();
        glBeginTransformFeedback(GL_LINES);
        glDrawArrays(GL_POINTS, 0, 1);
        no_error();
        let captures = |gl: &mut Gl<'_>| {
            let c = gl.pipe.server().state.contexts.get(gl.ctx.handle);
            c.expect("live").captures.len()
        };
        assert_eq!(gl(captures), 1);
        assert_eq!(emission_difference(), None, "in the middle of a capture");
        glEndTransformFeedback();
    }
    no_error();
}

#[test]
fn a_range_behind_the_store_captures_nothing() {
    let _c = Current::new(Profile::Core);
    vertex_array();
    let program = capturing(GL_INTERLEAVED_ATTRIBS, None);
    let b = capture_buffer(0, 32);
    // SAFETY: no pointers.
    unsafe {
        glUseProgram(program);
        for (offset, expected) in [(64, (32, 0)), (24, (24, 8)), (32, (32, 0))] {
            glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b, offset, 64);
            glBeginTransformFeedback(GL_POINTS);
            glDrawArrays(GL_POINTS, 0, 1);
            glEndTransformFeedback();
            no_error();
            let (_, _, first, bytes) = pushed_targets()[0];
            assert_eq!((first, bytes), expected, "{offset}");
        }
        glBindBufferOffsetEXT(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b, 12);
        glBeginTransformFeedback(GL_POINTS);
        glEndTransformFeedback();
        no_error();
        assert_eq!(pushed_targets()[0].2..=pushed_targets()[0].3, 12..=20);
        raises(GL_INVALID_VALUE, || {
            glBindBufferOffsetEXT(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b, 32)
        });
        raises(GL_INVALID_ENUM, || {
            glBindBufferOffsetEXT(GL_UNIFORM_BUFFER, 0, b, 0)
        });
    }
}
