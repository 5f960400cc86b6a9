//! Objects of a share group that one context changes while another has them bound (GL 4.6 chapter 5), what is active in
//! a context while others speak or when it ends, and objects that are first used in the middle of something.

use crate::bindings::consts::gl::*;
use crate::rig::{PLAIN, RECT, Other, Rig, at, cstr, data, size};

const R: [u8; 4] = [255, 0, 0, 255];
const G: [u8; 4] = [0, 255, 0, 255];
const B: [u8; 4] = [0, 0, 255, 255];
const SAMPLE: &str = "uniform sampler2D s; in vec2 uv; out vec4 c; void main() { c = texture(s, uv); }";

/// Changes something in the other context, and comes back.
fn elsewhere(t: &Rig, other: Other, change: impl FnOnce()) {
    t.switch(other);
    change();
    t.Finish();
    t.ok("in the other context");
    t.switch(t.first());
}

fn strip_is(t: &Rig, what: &str, want: [u8; 4]) {
    t.clear([1.0; 4]);
    t.strip();
    t.pixel_is(what, 1, 1, want);
}

/// A program that captures the number of each vertex, plus `base`.
fn capturing(t: &Rig) -> u32 {
    let vertex = "uniform float base = 0.0; out float number;
        void main() { number = base + float(gl_VertexID); gl_Position = vec4(0.0, 0.0, 0.0, 1.0); }";
    let stages = [(GL_VERTEX_SHADER, vertex), (GL_FRAGMENT_SHADER, PLAIN)];
    let name = cstr("number");
    t.program_with(&stages, |p| t.TransformFeedbackVaryings(p, 1, &name.as_ptr(), GL_INTERLEAVED_ATTRIBS))
}

fn floats<const N: usize>(t: &Rig, buffer: u32) -> [f32; N] {
    let mut got = [-1.0; N];
    t.BindBuffer(GL_ARRAY_BUFFER, buffer);
    t.GetBufferSubData(GL_ARRAY_BUFFER, 0, size(&got), got.as_mut_ptr().cast());
    got
}

fn result(t: &Rig, query: u32) -> u32 {
    let mut v = 99;
    t.GetQueryObjectuiv(query, GL_QUERY_RESULT, &mut v);
    v
}

scenarios! {
    /// Uniform buffers.
    fn uniform_buffers(t) {
        let other = t.other(true);
        t.target(GL_RGBA8, (4, 4));
        let b = t.buffer(GL_UNIFORM_BUFFER, &[0.0f32; 4]);
        let copied = t.buffer(GL_COPY_READ_BUFFER, &[0.0f32, 0.0, 0.0, 1.0]);
        t.paint("layout(std140) uniform U { vec4 k; }; out vec4 c; void main() { c = k; }");
        let whole = || {
            t.BindBufferBase(GL_UNIFORM_BUFFER, 0, 0);
            t.BindBufferBase(GL_UNIFORM_BUFFER, 0, b);
        };
        for (i, want) in [R, G, B, R].into_iter().enumerate() {
            let k = want.map(|v| f32::from(v) / 255.0);
            elsewhere(t, other, || {
                t.BindBuffer(GL_UNIFORM_BUFFER, b);
                t.BufferData(GL_UNIFORM_BUFFER, 16, data(&k), GL_DYNAMIC_DRAW);
            });
            whole();
            strip_is(t, &format!("storage anew, {i}"), want);
            let k = [k[1], k[2], k[0], 1.0];
            elsewhere(t, other, || t.BufferSubData(GL_UNIFORM_BUFFER, 0, 16, data(&k)));
            whole();
            strip_is(t, &format!("a part, {i}"), [want[1], want[2], want[0], 255]);
            elsewhere(t, other, || {
                let p = t.MapBufferRange(GL_UNIFORM_BUFFER, 0, 16, GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT);
                // SAFETY: sixteen bytes are mapped.
                unsafe { p.cast::<[f32; 4]>().write_unaligned([0.0, 1.0, k[2], 1.0]) };
                t.UnmapBuffer(GL_UNIFORM_BUFFER);
            });
            whole();
            strip_is(t, &format!("mapped, {i}"), [0, 255, want[0], 255]);
            elsewhere(t, other, || {
                t.BindBuffer(GL_COPY_READ_BUFFER, copied);
                t.CopyBufferSubData(GL_COPY_READ_BUFFER, GL_UNIFORM_BUFFER, 0, 0, 16);
            });
            whole();
            strip_is(t, &format!("copied, {i}"), [0, 0, 0, 255]);
        }
        // Larger, and another part of it.
        let offset = 256;
        let mut large = vec![0f32; 128];
        large[64..68].copy_from_slice(&[1.0, 1.0, 0.0, 1.0]);
        elsewhere(t, other, || t.BufferData(GL_UNIFORM_BUFFER, size(&large), data(&large), GL_DYNAMIC_DRAW));
        t.BindBufferRange(GL_UNIFORM_BUFFER, 0, b, offset, 16);
        strip_is(t, "a range of a larger one", [255, 255, 0, 255]);
        large[64..68].copy_from_slice(&[0.0, 1.0, 1.0, 1.0]);
        elsewhere(t, other, || t.BufferData(GL_UNIFORM_BUFFER, size(&large), data(&large), GL_DYNAMIC_DRAW));
        t.BindBufferRange(GL_UNIFORM_BUFFER, 0, b, offset, 16);
        strip_is(t, "the same range of storage anew", [0, 255, 255, 255]);
        t.end(other);
    }

    /// Vertices and indices.
    fn vertex_buffers(t) {
        let other = t.other(true);
        t.target(GL_RGBA8, (4, 4));
        t.program("in vec4 color; in vec2 place; out vec4 v; void main() { v = color; gl_Position = vec4(place, 0.0, 1.0); }",
            "in vec4 v; out vec4 c; void main() { c = v; }");
        let (color, place) = (t.attribute("color"), t.attribute("place"));
        let places = t.buffer(GL_ARRAY_BUFFER, &[-1.0f32, -1.0, 1.0, -1.0, -1.0, 1.0, 1.0, 1.0, -3.0, -3.0]);
        t.VertexAttribPointer(place, 2, GL_FLOAT, 0, 0, at(0));
        t.EnableVertexAttribArray(place);
        let colors = t.buffer(GL_ARRAY_BUFFER, &[R; 5]);
        t.VertexAttribPointer(color, 4, GL_UNSIGNED_BYTE, 1, 0, at(0));
        t.EnableVertexAttribArray(color);
        let indices = t.buffer(GL_ELEMENT_ARRAY_BUFFER, &[0u16, 1, 2, 3]);
        let elements = |what: &str, want: [u8; 4]| {
            t.clear([1.0; 4]);
            t.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, indices);
            t.DrawElements(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_SHORT, at(0));
            t.pixel_is(what, 1, 1, want);
        };
        for (i, want) in [R, G, B, G].into_iter().enumerate() {
            elsewhere(t, other, || {
                t.BindBuffer(GL_ARRAY_BUFFER, colors);
                t.BufferData(GL_ARRAY_BUFFER, 20, data(&[want; 5]), GL_DYNAMIC_DRAW);
            });
            t.BindBuffer(GL_ARRAY_BUFFER, colors);
            t.VertexAttribPointer(color, 4, GL_UNSIGNED_BYTE, 1, 0, at(0));
            strip_is(t, &format!("vertices, {i}"), want);
            elements(&format!("by index, {i}"), want);
            elsewhere(t, other, || {
                t.BindBuffer(GL_COPY_WRITE_BUFFER, indices);
                t.BufferData(GL_COPY_WRITE_BUFFER, 8, data(&[4u16; 4]), GL_DYNAMIC_DRAW);
            });
            elements(&format!("indices, {i}"), [255; 4]);
            elsewhere(t, other, || t.BufferData(GL_COPY_WRITE_BUFFER, 8, data(&[0u16, 1, 2, 3]), GL_DYNAMIC_DRAW));
            elements(&format!("indices again, {i}"), want);
            let next = [want[2], want[0], want[1], 255];
            elsewhere(t, other, || t.BufferSubData(GL_ARRAY_BUFFER, 0, 20, data(&[next; 5])));
            t.BindBuffer(GL_ARRAY_BUFFER, colors);
            t.VertexAttribPointer(color, 4, GL_UNSIGNED_BYTE, 1, 0, at(0));
            strip_is(t, &format!("a part, {i}"), next);
        }
        let _ = places;
        t.end(other);
    }

    /// Textures: texels, size, format, parameters; samplers; buffer textures.
    fn textures(t) {
        let other = t.other(true);
        t.target(GL_RGBA8, (4, 4));
        let name = t.rgba((1, 1), &[R]);
        let again = || {
            t.BindTexture(GL_TEXTURE_2D, 0);
            t.BindTexture(GL_TEXTURE_2D, name);
        };
        t.paint(SAMPLE);
        strip_is(t, "at first", R);
        elsewhere(t, other, || {
            t.BindTexture(GL_TEXTURE_2D, name);
            t.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, data(&[G]));
        });
        again();
        strip_is(t, "a part", G);
        elsewhere(t, other, || t.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8 as i32, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, data(&[B])));
        again();
        strip_is(t, "an image of the same size", B);
        elsewhere(t, other, || t.TexImage2D(GL_TEXTURE_2D, 0, GL_RGB16F as i32, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, data(&[R; 4])));
        again();
        strip_is(t, "of another size and format", R);
        elsewhere(t, other, || {
            t.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_R, GL_ZERO as i32);
            t.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_B, GL_RED as i32);
        });
        again();
        strip_is(t, "swizzled", B);
        elsewhere(t, other, || {
            t.TexImage2D(GL_TEXTURE_2D, 1, GL_RGB16F as i32, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, data(&[[0u8, 255, 0, 255]]));
            t.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, 1);
        });
        again();
        strip_is(t, "another base level", G);
        let mut sampler = 0;
        t.GenSamplers(1, &mut sampler);
        t.BindSampler(0, sampler);
        let edges = t.rgba((2, 1), &[R, B]);
        t.SamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER, GL_NEAREST as i32);
        t.SamplerParameteri(sampler, GL_TEXTURE_MAG_FILTER, GL_NEAREST as i32);
        t.clear([0.0; 4]);
        t.strip();
        t.pixel_is("nearest", 1, 1, R);
        elsewhere(t, other, || t.SamplerParameteri(sampler, GL_TEXTURE_MAG_FILTER, GL_LINEAR as i32));
        t.BindSampler(0, 0);
        t.BindSampler(0, sampler);
        t.strip();
        let p = t.pixel(1, 1);
        t.is(&format!("linear {p:?}"), p[0] > 150 && p[2] > 20);
        let _ = edges;
        let b = t.buffer(GL_TEXTURE_BUFFER, &[R; 4]);
        let texels = t.texture(GL_TEXTURE_BUFFER);
        t.TexBuffer(GL_TEXTURE_BUFFER, GL_RGBA8, b);
        t.paint("uniform samplerBuffer s; out vec4 c; void main() { c = texelFetch(s, 3); }");
        strip_is(t, "a buffer's texel", R);
        for want in [G, B, R] {
            elsewhere(t, other, || {
                t.BindBuffer(GL_TEXTURE_BUFFER, b);
                t.BufferData(GL_TEXTURE_BUFFER, 16, data(&[want; 4]), GL_STATIC_DRAW);
            });
            t.BindTexture(GL_TEXTURE_BUFFER, 0);
            t.BindTexture(GL_TEXTURE_BUFFER, texels);
            strip_is(t, "of the buffer anew", want);
        }
        t.end(other);
    }

    /// Values of uniforms, and what state gives to programs.
    fn programs(t) {
        let other = t.other(true);
        t.target(GL_RGBA8, (4, 4));
        let p = t.paint(PLAIN);
        for want in [R, G, B] {
            elsewhere(t, other, || {
                t.UseProgram(p);
                t.color(want.map(|v| f32::from(v) / 255.0));
            });
            t.UseProgram(0);
            t.UseProgram(p);
            // Mesa does not look at a program's values again when it is put to use again.
            if !t.is_oracle() {
                strip_is(t, "a uniform", want);
            }
        }
        // The size of points is no uniform of the program's.
        let dots = t.program("void main() { gl_Position = vec4(0.0, 0.0, 0.0, 1.0); }", PLAIN);
        t.PointSize(4.0);
        t.clear([0.0; 4]);
        t.DrawArrays(GL_POINTS, 0, 1);
        t.eq("large", t.shape([0, 0, 4, 4]), "####/####/####/####".into());
        elsewhere(t, other, || {
            t.array();
            t.target(GL_RGBA8, (4, 4));
            t.UseProgram(dots);
            t.PointSize(2.0);
            t.clear([0.0; 4]);
            t.DrawArrays(GL_POINTS, 0, 1);
            t.eq("small", t.shape([0, 0, 4, 4]), "..../.##./.##./....".into());
        });
        t.clear([0.0; 4]);
        t.DrawArrays(GL_POINTS, 0, 1);
        t.eq("large as before", t.shape([0, 0, 4, 4]), "####/####/####/####".into());
        t.end(other);
    }

    /// Attachments: what is drawn to them and what storage they have.
    fn attachments(t) {
        let other = t.other(true);
        let (fb, tex) = t.target(GL_RGBA8, (4, 4));
        let rb = t.renderbuffer(GL_RGBA8, (4, 4), 0);
        let of_rb = t.framebuffer();
        t.attach(GL_COLOR_ATTACHMENT0, rb);
        t.clear([1.0, 0.0, 0.0, 1.0]);
        t.pixel_is("at first", 1, 1, R);
        elsewhere(t, other, || {
            t.framebuffer();
            t.attach(GL_COLOR_ATTACHMENT0, rb);
            t.clear([0.0, 1.0, 0.0, 1.0]);
            t.framebuffer();
            t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, tex, 0);
            t.clear([0.0, 0.0, 1.0, 1.0]);
        });
        t.BindFramebuffer(GL_FRAMEBUFFER, of_rb);
        t.attach(GL_COLOR_ATTACHMENT0, rb);
        t.pixel_is("drawn to", 1, 1, G);
        t.BindFramebuffer(GL_FRAMEBUFFER, fb);
        t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, tex, 0);
        t.pixel_is("a texture, drawn to", 1, 1, B);
        elsewhere(t, other, || {
            t.BindRenderbuffer(GL_RENDERBUFFER, rb);
            t.RenderbufferStorage(GL_RENDERBUFFER, GL_RGBA16F, 8, 8);
            t.BindTexture(GL_TEXTURE_2D, tex);
            t.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8 as i32, 8, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, data(&[R; 64]));
        });
        t.BindFramebuffer(GL_FRAMEBUFFER, of_rb);
        t.attach(GL_COLOR_ATTACHMENT0, rb);
        t.complete();
        t.clear([0.0, 1.0, 0.0, 1.0]);
        t.pixel_is("larger", 7, 7, G);
        t.BindFramebuffer(GL_FRAMEBUFFER, fb);
        t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, tex, 0);
        t.complete();
        t.pixel_is("a larger texture", 7, 7, R);
        t.end(other);
    }

    /// A query counts what its context draws, and no other.
    fn queries(t) {
        let other = t.other(true);
        t.full_target();
        t.paint(PLAIN);
        let mut q = [0; 3];
        t.GenQueries(3, q.as_mut_ptr());
        t.strip();
        t.BeginQuery(GL_ANY_SAMPLES_PASSED, q[0]);
        t.BeginQuery(GL_PRIMITIVES_GENERATED, q[1]);
        let mut there = 0;
        elsewhere(t, other, || {
            t.array();
            t.full_target();
            t.paint(PLAIN);
            t.GenQueries(1, &mut there);
            t.BeginQuery(GL_ANY_SAMPLES_PASSED, there);
            t.strip();
        });
        t.EndQuery(GL_ANY_SAMPLES_PASSED);
        t.EndQuery(GL_PRIMITIVES_GENERATED);
        t.eq("nothing was drawn here", (result(t, q[0]), result(t, q[1])), (0, 0));
        t.BeginQuery(GL_ANY_SAMPLES_PASSED, q[2]);
        t.strip();
        t.EndQuery(GL_ANY_SAMPLES_PASSED);
        elsewhere(t, other, || {
            t.EndQuery(GL_ANY_SAMPLES_PASSED);
            t.eq("there something was", result(t, there), 1);
        });
        t.eq("and here", result(t, q[2]), 1);
        t.end(other);
    }

    /// A capture takes what its context draws, and no other; two contexts may capture in turns.
    fn captures(t) {
        let other = t.other(true);
        t.full_target();
        let p = capturing(t);
        let here = t.buffer(GL_TRANSFORM_FEEDBACK_BUFFER, &[-1.0f32; 4]);
        t.BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, here);
        t.BeginTransformFeedback(GL_POINTS);
        t.DrawArrays(GL_POINTS, 0, 1);
        let mut there = 0;
        elsewhere(t, other, || {
            t.array();
            t.full_target();
            t.UseProgram(p);
            t.DrawArrays(GL_POINTS, 7, 1);
            there = t.buffer(GL_TRANSFORM_FEEDBACK_BUFFER, &[-1.0f32; 4]);
            t.BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, there);
            t.BeginTransformFeedback(GL_POINTS);
            t.DrawArrays(GL_POINTS, 10, 2);
        });
        t.DrawArrays(GL_POINTS, 1, 1);
        elsewhere(t, other, || {
            t.DrawArrays(GL_POINTS, 12, 1);
            t.EndTransformFeedback();
        });
        t.DrawArrays(GL_POINTS, 2, 1);
        t.EndTransformFeedback();
        t.eq("here", floats::<4>(t, here), [0.0, 1.0, 2.0, -1.0]);
        t.eq("there", floats::<4>(t, there), [10.0, 11.0, 12.0, -1.0]);
        t.end(other);
    }

    /// Contexts end with queries, a capture and a mapping that are not over; others go on.
    fn ended_in_the_middle(t) {
        t.full_target();
        t.paint(PLAIN);
        for _ in 0..4 {
            let other = t.other(true);
            t.switch(other);
            t.array();
            t.full_target();
            capturing(t);
            let b = t.buffer(GL_TRANSFORM_FEEDBACK_BUFFER, &[0.0f32; 4]);
            t.BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b);
            let mapped = t.buffer(GL_ARRAY_BUFFER, &[0.0f32; 4]);
            t.MapBufferRange(GL_ARRAY_BUFFER, 0, 16, GL_MAP_WRITE_BIT);
            let mut q = [0; 4];
            t.GenQueries(4, q.as_mut_ptr());
            t.BeginQuery(GL_ANY_SAMPLES_PASSED, q[0]);
            t.BeginQuery(GL_PRIMITIVES_GENERATED, q[1]);
            t.BeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, q[2]);
            t.BeginTransformFeedback(GL_POINTS);
            t.DrawArrays(GL_POINTS, 0, 1);
            t.BeginConditionalRender(q[3], GL_QUERY_NO_WAIT);
            t.GetError();
            if t.is_oracle() {
                // Mesa corrupts its heap when a context ends with active queries.
                for target in [GL_ANY_SAMPLES_PASSED, GL_PRIMITIVES_GENERATED, GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN] {
                    t.EndQuery(target);
                }
                t.EndTransformFeedback();
            }
            t.switch(t.first());
            t.end(other);
            t.clear([0.0; 4]);
            t.color([0.0, 1.0, 0.0, 1.0]);
            t.strip();
            t.pixel_is("it goes on", 1, 1, G);
            t.DeleteBuffers(1, &b);
            t.DeleteBuffers(1, &mapped);
        }
        // The last one ends with the process.
        let mut q = 0;
        t.GenQueries(1, &mut q);
        t.BeginQuery(GL_ANY_SAMPLES_PASSED, q);
        t.strip();
        if t.is_oracle() {
            t.EndQuery(GL_ANY_SAMPLES_PASSED);
        }
    }

    /// A blit whose source is seen for the first time, and storage that is another each time.
    fn fresh_sources(t) {
        let (to, _) = t.target(GL_RGBA8, (8, 8));
        let from = t.framebuffer();
        for (i, want) in [R, G, B, R, G, B].into_iter().enumerate() {
            let n = if i % 2 == 0 { 8 } else { 4 };
            let name = t.rgba((n, n), &vec![want; (n * n) as usize]);
            let target = if i < 3 { to } else { 0 };
            t.BindFramebuffer(GL_READ_FRAMEBUFFER, from);
            t.FramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, 0);
            t.BindFramebuffer(GL_DRAW_FRAMEBUFFER, target);
            t.BlitFramebuffer(0, 0, n, n, 0, 0, 8, 8, GL_COLOR_BUFFER_BIT, GL_NEAREST);
            t.ok("a blit");
            t.BindFramebuffer(GL_READ_FRAMEBUFFER, target);
            t.pixel_is(&format!("blitted, {i}"), 3, 3, want);
        }
        // Neither side was seen before, and the read side is the window's.
        let next = t.target(GL_RGBA8, (8, 8)).0;
        t.BindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
        t.clear([0.0, 1.0, 1.0, 1.0]);
        t.BindFramebuffer(GL_DRAW_FRAMEBUFFER, next);
        t.BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
        t.ReadBuffer(GL_BACK);
        t.BlitFramebuffer(0, 0, 8, 8, 0, 0, 8, 8, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        t.BindFramebuffer(GL_READ_FRAMEBUFFER, next);
        t.pixel_is("from the window", 3, 3, [0, 255, 255, 255]);
    }

    /// A window's front and depth that nobody has used before are made between a draw's parts.
    fn fresh_surfaces(t) {
        let other = t.other(true);
        t.switch(other);
        t.array();
        let (fb, _) = t.target(GL_RGBA8, (8, 8));
        t.clear([1.0, 0.0, 0.0, 1.0]);
        t.BindFramebuffer(GL_READ_FRAMEBUFFER, fb);
        t.BindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
        t.BlitFramebuffer(0, 0, 8, 8, 8, 8, 16, 16, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        t.BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
        t.ReadBuffer(GL_BACK);
        t.pixel_is("blitted to a surface that is new", 9, 9, R);
        t.switch(t.first());
        t.end(other);
        t.BindFramebuffer(GL_FRAMEBUFFER, 0);
        t.program(RECT, "uniform sampler2D a; uniform samplerCube b; uniform isampler2DArray d; in vec2 uv; out vec4 c;
            void main() { c = vec4(0.0, 1.0, 0.0, 1.0) + texture(a, uv) * 0.0 + texture(b, vec3(uv, 1.0)) * 0.0 + vec4(texture(d, vec3(uv, 0.0))) * 0.0; }");
        t.Uniform1i(t.at("b"), 1);
        t.Uniform1i(t.at("d"), 2);
        t.strip();
        t.ReadBuffer(GL_BACK);
        t.pixel_is("drawn with samplers of nothing", 9, 9, G);
    }

    /// Uniform blocks without buffers, one larger than the other, in one draw with attributes without arrays.
    fn blocks_of_nothing(t) {
        t.target(GL_RGBA8, (4, 4));
        for n in [1, 200, 500] {
            let fragment = format!("layout(std140) uniform U {{ vec4 k[{n}]; }}; uniform vec4 color = vec4(0.0, 1.0, 0.0, 1.0); out vec4 c; void main() {{ c = color + k[{}] * 0.0; }}", n - 1);
            t.program("in vec4 none; uniform vec4 rect = vec4(-1.0, -1.0, 1.0, 1.0);
                void main() { vec2 uv = vec2(gl_VertexID & 1, gl_VertexID >> 1); gl_Position = vec4(mix(rect.xy, rect.zw, uv), 0.0, 1.0) + none * vec4(0.0); }", &fragment);
            let empty = t.buffer(GL_UNIFORM_BUFFER, &[0.0f32; 4]);
            t.BindBufferBase(GL_UNIFORM_BUFFER, 0, empty);
            t.BindBufferBase(GL_UNIFORM_BUFFER, 0, 0);
            strip_is(t, &format!("{n} vectors"), G);
        }
    }
}
