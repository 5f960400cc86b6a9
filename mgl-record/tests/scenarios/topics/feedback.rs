//! Transform feedback (GL 3.3 §2.17).

use crate::bindings::consts::gl::*;
use crate::rig::{PLAIN, Rig, cstr, data};

const VS: &str = "in float v; out float one; out vec3 three; void main() { one = v * 2.0; three = vec3(v, v + 0.5, -v); gl_Position = vec4(0, 0, 0, 1); }";

fn varyings(t: &Rig, names: &[&str], mode: u32, stages: &[(u32, &str)]) -> u32 {
    let names: Vec<_> = names.iter().map(|n| cstr(n)).collect();
    let pointers: Vec<_> = names.iter().map(|n| n.as_ptr()).collect();
    t.program_with(stages, |p| t.TransformFeedbackVaryings(p, pointers.len() as i32, pointers.as_ptr(), mode))
}

fn output(t: &Rig, index: u32, floats: usize) -> u32 {
    let b = t.buffer(GL_TRANSFORM_FEEDBACK_BUFFER, &vec![-99.0f32; floats]);
    t.BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, index, b);
    b
}

fn floats(t: &Rig, buffer: u32, n: usize) -> Vec<f32> {
    let mut out = vec![0f32; n];
    t.BindBuffer(GL_COPY_READ_BUFFER, buffer);
    t.GetBufferSubData(GL_COPY_READ_BUFFER, 0, (n * 4) as isize, out.as_mut_ptr().cast());
    out
}

fn input(t: &Rig, values: &[f32]) {
    t.buffer(GL_ARRAY_BUFFER, values);
    let a = t.attribute("v");
    t.EnableVertexAttribArray(a);
    t.VertexAttribPointer(a, 1, GL_FLOAT, 0, 0, std::ptr::null());
}

const STAGES: &[(u32, &str)] = &[(GL_VERTEX_SHADER, VS), (GL_FRAGMENT_SHADER, PLAIN)];

scenarios! {
    /// Varyings one after the other in one buffer, with the counters of it.
    fn interleaved(t) {
        varyings(t, &["three", "one"], GL_INTERLEAVED_ATTRIBS, STAGES);
        input(t, &[1.0, 2.0, 3.0]);
        let b = output(t, 0, 13);
        let mut q = [0u32; 2];
        t.GenQueries(2, q.as_mut_ptr());
        t.Enable(GL_RASTERIZER_DISCARD);
        t.BeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, q[0]);
        t.BeginQuery(GL_PRIMITIVES_GENERATED, q[1]);
        t.BeginTransformFeedback(GL_POINTS);
        t.DrawArrays(GL_POINTS, 0, 3);
        t.EndTransformFeedback();
        t.EndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
        t.EndQuery(GL_PRIMITIVES_GENERATED);
        t.eq("captured", floats(t, b, 13), vec![1.0, 1.5, -1.0, 2.0, 2.0, 2.5, -2.0, 4.0, 3.0, 3.5, -3.0, 6.0, -99.0]);
        let counts = q.map(|q| { let mut v = 0; t.GetQueryObjectuiv(q, GL_QUERY_RESULT, &mut v); v });
        t.eq("counts", counts, [3, 3]);
    }

    /// Each varying in a buffer of its own.
    fn separate(t) {
        varyings(t, &["one", "three"], GL_SEPARATE_ATTRIBS, STAGES);
        input(t, &[1.0, 2.0]);
        let (a, b) = (output(t, 0, 4), output(t, 1, 8));
        t.Enable(GL_RASTERIZER_DISCARD);
        t.BeginTransformFeedback(GL_POINTS);
        t.DrawArrays(GL_POINTS, 0, 2);
        t.EndTransformFeedback();
        t.eq("first", floats(t, a, 4), vec![2.0, 4.0, -99.0, -99.0]);
        t.eq("second", floats(t, b, 8), vec![1.0, 1.5, -1.0, 2.0, 2.5, -2.0, -99.0, -99.0]);
    }

    /// Several draws append; a buffer that is full takes whole primitives only.
    fn appended_and_full(t) {
        varyings(t, &["one"], GL_INTERLEAVED_ATTRIBS, STAGES);
        input(t, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let b = output(t, 0, 5);
        let mut q = [0u32; 2];
        t.GenQueries(2, q.as_mut_ptr());
        t.Enable(GL_RASTERIZER_DISCARD);
        t.BeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, q[0]);
        t.BeginQuery(GL_PRIMITIVES_GENERATED, q[1]);
        t.BeginTransformFeedback(GL_LINES);
        t.DrawArrays(GL_LINES, 0, 2);
        t.DrawArrays(GL_LINES, 2, 4);
        t.EndTransformFeedback();
        t.EndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
        t.EndQuery(GL_PRIMITIVES_GENERATED);
        t.eq("captured", floats(t, b, 5), vec![2.0, 4.0, 6.0, 8.0, -99.0]);
        t.eq("counts", q.map(|q| { let mut v = 0; t.GetQueryObjectuiv(q, GL_QUERY_RESULT, &mut v); v }), [2, 3]);
    }

    /// Strips and loops are captured as lists.
    fn strips_become_lists(t) {
        varyings(t, &["one"], GL_INTERLEAVED_ATTRIBS, STAGES);
        input(t, &[1.0, 2.0, 3.0, 4.0]);
        t.Enable(GL_RASTERIZER_DISCARD);
        for (mode, capture, want) in [
            (GL_LINE_STRIP, GL_LINES, vec![2.0, 4.0, 4.0, 6.0, 6.0, 8.0]), (GL_LINE_LOOP, GL_LINES, vec![2.0, 4.0, 4.0, 6.0, 6.0, 8.0, 8.0, 2.0]),
            (GL_TRIANGLE_FAN, GL_TRIANGLES, vec![2.0, 4.0, 6.0, 2.0, 6.0, 8.0]),
        ] {
            let b = output(t, 0, want.len());
            t.BeginTransformFeedback(capture);
            t.DrawArrays(mode, 0, 4);
            t.EndTransformFeedback();
            t.eq(&format!("mode {mode}"), floats(t, b, want.len()), want);
        }
    }

    /// Indexed draws and instances are captured.
    fn indexed_and_instanced(t) {
        varyings(t, &["one"], GL_INTERLEAVED_ATTRIBS, STAGES);
        input(t, &[1.0, 2.0, 3.0]);
        t.buffer(GL_ELEMENT_ARRAY_BUFFER, &[2u16, 0]);
        let b = output(t, 0, 8);
        t.Enable(GL_RASTERIZER_DISCARD);
        t.BeginTransformFeedback(GL_POINTS);
        t.DrawElements(GL_POINTS, 2, GL_UNSIGNED_SHORT, std::ptr::null());
        t.DrawArraysInstanced(GL_POINTS, 0, 3, 2);
        t.EndTransformFeedback();
        t.eq("captured", floats(t, b, 8), vec![6.0, 2.0, 2.0, 4.0, 6.0, 2.0, 4.0, 6.0]);
    }

    /// Into a range of a buffer.
    fn ranges(t) {
        varyings(t, &["one"], GL_INTERLEAVED_ATTRIBS, STAGES);
        input(t, &[1.0, 2.0, 3.0]);
        let b = t.buffer(GL_TRANSFORM_FEEDBACK_BUFFER, &[-1f32; 6]);
        t.BindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b, 8, 8);
        t.Enable(GL_RASTERIZER_DISCARD);
        t.BeginTransformFeedback(GL_POINTS);
        t.DrawArrays(GL_POINTS, 0, 3);
        t.EndTransformFeedback();
        t.eq("captured", floats(t, b, 6), vec![-1.0, -1.0, 2.0, 4.0, -1.0, -1.0]);
        t.wrong(&[
            ("an offset not of four", GL_INVALID_VALUE, &|t| t.BindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b, 2, 4)),
            ("a size not of four", GL_INVALID_VALUE, &|t| t.BindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b, 4, 3)),
            ("a binding too many", GL_INVALID_VALUE, &|t| t.BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 1000, b)),
        ]);
    }

    /// What a geometry shader emits is captured, while the scene is drawn too.
    fn from_a_geometry_shader(t) {
        t.target(GL_RGBA8, (4, 4));
        varyings(t, &["g", "gl_Position"], GL_INTERLEAVED_ATTRIBS, &[
            (GL_VERTEX_SHADER, "in float v; out float w; void main() { w = v; gl_Position = vec4(0); }"),
            (GL_GEOMETRY_SHADER, "layout(points) in; layout(triangle_strip, max_vertices = 3) out; in float w[]; out float g;
              void main() { for (int i = 0; i < 3; i++) { g = w[0] + float(i); gl_Position = vec4(i == 1 ? 3 : -1, i == 2 ? 3 : -1, 0, 1); EmitVertex(); } EndPrimitive(); }"),
            (GL_FRAGMENT_SHADER, PLAIN),
        ]);
        input(t, &[10.0]);
        let b = output(t, 0, 15);
        t.clear([0.0; 4]);
        t.BeginTransformFeedback(GL_TRIANGLES);
        t.DrawArrays(GL_POINTS, 0, 1);
        t.EndTransformFeedback();
        t.eq("captured", floats(t, b, 15), vec![10.0, -1.0, -1.0, 0.0, 1.0, 11.0, 3.0, -1.0, 0.0, 1.0, 12.0, -1.0, 3.0, 0.0, 1.0]);
        t.area_is("and drawn", [0, 0, 4, 4], [255; 4]);
    }

    /// What was captured is drawn from: particles.
    fn captured_vertices_are_drawn(t) {
        varyings(t, &["three"], GL_INTERLEAVED_ATTRIBS, STAGES);
        input(t, &[0.25, -0.75]);
        let b = output(t, 0, 6);
        t.Enable(GL_RASTERIZER_DISCARD);
        t.BeginTransformFeedback(GL_POINTS);
        t.DrawArrays(GL_POINTS, 0, 2);
        t.EndTransformFeedback();
        t.Disable(GL_RASTERIZER_DISCARD);
        t.target(GL_RGBA8, (8, 8));
        t.clear([0.0; 4]);
        t.program("in vec3 p; void main() { gl_Position = vec4(p.xy, 0, 1); }", PLAIN);
        t.array();
        t.BindBuffer(GL_ARRAY_BUFFER, b);
        let p = t.attribute("p");
        t.EnableVertexAttribArray(p);
        t.VertexAttribPointer(p, 3, GL_FLOAT, 0, 0, std::ptr::null());
        t.DrawArrays(GL_POINTS, 0, 2);
        t.eq("places", t.shape([0, 0, 8, 8]).matches('#').count(), 2);
    }

    /// Integers keep their bits.
    fn integers(t) {
        varyings(t, &["i"], GL_INTERLEAVED_ATTRIBS, &[
            (GL_VERTEX_SHADER, "flat out ivec2 i; void main() { i = ivec2(gl_VertexID * 16777217, -gl_VertexID); gl_Position = vec4(0); }"), (GL_FRAGMENT_SHADER, PLAIN)]);
        let b = output(t, 0, 6);
        t.Enable(GL_RASTERIZER_DISCARD);
        t.BeginTransformFeedback(GL_POINTS);
        t.DrawArrays(GL_POINTS, 0, 3);
        t.EndTransformFeedback();
        t.eq("captured", floats(t, b, 6).iter().map(|f| f.to_bits() as i32).collect::<Vec<_>>(), vec![0, 0, 16777217, -1, 33554434, -2]);
    }

    /// A chain of matrices and a vector is rounded alike on all lanes: programs place glyphs on texel and pixel edges,
    /// and rely on what comes of it.
    fn chains_of_matrices_are_rounded_alike(t) {
        let p = varyings(t, &["gl_Position"], GL_INTERLEAVED_ATTRIBS, &[
            (GL_VERTEX_SHADER, "in float v; in float rotation; uniform Window { mat4 projection; mat4 view; } window;
              void main() { mat4 m_rotation = mat4(1.0); mat4 m_anchor = mat4(1.0); mat4 m_translate = mat4(1.0);
              m_translate[3][0] = v; m_translate[3][1] = v * 3.0; m_translate[3][2] = 0.0;
              m_rotation[0][0] = cos(-radians(rotation)); m_rotation[0][1] = sin(-radians(rotation));
              m_rotation[1][0] = -sin(-radians(rotation)); m_rotation[1][1] = cos(-radians(rotation));
              gl_Position = window.projection * window.view * m_translate * m_anchor * m_rotation * vec4(v, v * 2.0, 0.0, 1.0); }"),
            (GL_FRAGMENT_SHADER, PLAIN)]);
        let ortho = [2.0f32 / 480.0, 0.0, 0.0, 0.0, 0.0, 2.0 / 270.0, 0.0, 0.0, 0.0, 0.0, -0.01, 0.0, -1.0, -1.0, 0.0, 1.0];
        let view = [1.0f32, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        t.buffer(GL_UNIFORM_BUFFER, &[ortho, view]);
        t.BindBufferBase(GL_UNIFORM_BUFFER, 0, t.int(GL_UNIFORM_BUFFER_BINDING) as u32);
        t.UniformBlockBinding(p, 0, 0);
        let values: Vec<f32> = (0..64).map(|i| i as f32 * 0.5 + 1.25).collect();
        input(t, &values);
        let b = output(t, 0, 256);
        t.Enable(GL_RASTERIZER_DISCARD);
        t.BeginTransformFeedback(GL_POINTS);
        t.DrawArrays(GL_POINTS, 0, 64);
        t.EndTransformFeedback();
        let bits: Vec<u32> = floats(t, b, 256).iter().map(|f| f.to_bits()).collect();
        t.is("something was captured", bits[0] != (-99f32).to_bits());
        t.saw("bits", bits);
    }

    /// What programs tell of their varyings.
    fn introspection(t) {
        let p = varyings(t, &["three", "one"], GL_SEPARATE_ATTRIBS, STAGES);
        t.eq("program", [GL_TRANSFORM_FEEDBACK_VARYINGS, GL_TRANSFORM_FEEDBACK_BUFFER_MODE, GL_TRANSFORM_FEEDBACK_VARYING_MAX_LENGTH].map(|n| t.program_int(p, n)), [2, GL_SEPARATE_ATTRIBS as i32, 6]);
        let (mut name, mut n, mut size, mut ty) = ([0u8; 32], 0, 0, 0);
        t.GetTransformFeedbackVarying(p, 0, 32, &mut n, &mut size, &mut ty, name.as_mut_ptr().cast());
        t.eq("varying", (String::from_utf8_lossy(&name[..n as usize]).into_owned(), size, ty), ("three".into(), 1, GL_FLOAT_VEC3));
        t.wrong(&[
            ("one too many", GL_INVALID_VALUE, &|t| t.GetTransformFeedbackVarying(p, 2, 0, std::ptr::null_mut(), &mut 0, &mut 0, std::ptr::null_mut())),
            ("a mode that is none", GL_INVALID_ENUM, &|t| t.TransformFeedbackVaryings(p, 0, std::ptr::null(), GL_POINTS)),
        ]);
        let bad = t.link(STAGES, |p| t.TransformFeedbackVaryings(p, 1, [cstr("nothing").as_ptr()].as_ptr(), GL_INTERLEAVED_ATTRIBS));
        t.eq("a varying that is none", t.program_int(bad, GL_LINK_STATUS), 0);
    }

    /// What feedback refuses.
    fn errors(t) {
        let p = varyings(t, &["one"], GL_INTERLEAVED_ATTRIBS, STAGES);
        t.wrong(&[
            ("ending what is not begun", GL_INVALID_OPERATION, &|t| t.EndTransformFeedback()),
            ("no buffer", GL_INVALID_OPERATION, &|t| t.BeginTransformFeedback(GL_POINTS)),
            ("a mode that is none", GL_INVALID_ENUM, &|t| t.BeginTransformFeedback(GL_LINE_STRIP)),
        ]);
        input(t, &[1.0, 2.0]);
        let b = output(t, 0, 8);
        let other = t.program(VS, PLAIN);
        t.wrong(&[("a program without varyings", GL_INVALID_OPERATION, &|t| t.BeginTransformFeedback(GL_POINTS))]);
        t.UseProgram(p);
        t.BeginTransformFeedback(GL_POINTS);
        t.wrong(&[
            ("twice", GL_INVALID_OPERATION, &|t| t.BeginTransformFeedback(GL_POINTS)),
            ("another primitive", GL_INVALID_OPERATION, &|t| t.DrawArrays(GL_LINES, 0, 2)),
            ("another program", GL_INVALID_OPERATION, &|t| t.UseProgram(other)),
            ("linking", GL_INVALID_OPERATION, &|t| t.LinkProgram(p)),
            ("another buffer", GL_INVALID_OPERATION, &|t| t.BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b)),
        ]);
        t.EndTransformFeedback();
        let _ = data(&[0u8]);
    }
}
