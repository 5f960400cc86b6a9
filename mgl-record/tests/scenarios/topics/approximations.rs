//! State that a back end's API cannot express, or not together with what the program is made of: every draw draws, as near
//! as it goes, and leaves no error.

use crate::bindings::consts::gl::*;
use crate::rig::{PLAIN, RECT, Rig, cstr};

const FULL: [f32; 4] = [-1.0, -1.0, 1.0, 1.0];
const GREEN: [u8; 4] = [0, 255, 0, 255];

/// Positions of three corners by number: the lower left half of an 8 by 8 target, its corners at pixel centres.
const CORNER: &str = "vec4 corner() { vec2 p = vec2(gl_VertexID == 1 ? 6.5 : 1.5, gl_VertexID == 2 ? 6.5 : 1.5); return vec4(p / 4.0 - 1.0, 0, 1); }";

/// A multisampled framebuffer of 8 by 8, bound.
fn samples(t: &Rig) -> u32 {
    let many = t.framebuffer();
    let color = t.renderbuffer(GL_RGBA8, (8, 8), 4);
    t.attach(GL_COLOR_ATTACHMENT0, color);
    t.complete();
    t.Viewport(0, 0, 8, 8);
    many
}

/// What a multisampled framebuffer holds when resolved, at (1, 1).
fn resolved(t: &Rig, many: u32) -> [u8; 4] {
    let (one, _) = t.target(GL_RGBA8, (8, 8));
    t.BindFramebuffer(GL_READ_FRAMEBUFFER, many);
    t.BlitFramebuffer(0, 0, 8, 8, 0, 0, 8, 8, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    t.BindFramebuffer(GL_FRAMEBUFFER, one);
    let p = t.pixel(1, 1);
    t.BindFramebuffer(GL_FRAMEBUFFER, many);
    p
}

/// Draws the corner triangle as lines and as points: of the outline, its edges and corners only.
fn outlined(t: &Rig, what: &str, draw: impl Fn(&Rig)) {
    for (mode, pixels) in [(GL_LINE, 14), (GL_POINT, 3)] {
        t.PolygonMode(GL_FRONT_AND_BACK, mode);
        t.clear([0.0; 4]);
        draw(t);
        t.ok(&format!("{what}, {mode:#x}"));
        let s = t.shape([0, 0, 8, 8]);
        let lit = s.matches('#').count();
        let inside = t.pixel(2, 2)[..3] != [0; 3];
        t.is(&format!("{what}, {mode:#x}: {s}"), (pixels..=pixels + 2).contains(&lit) && !inside);
    }
    t.PolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    t.clear([0.0; 4]);
    draw(t);
    t.is(&format!("{what}, filled"), t.pixel(2, 2)[..3] != [0; 3]);
}

fn outlines_of(t: &Rig, what: &str, vertex: &str, fragment: &str) {
    t.program(&format!("{CORNER} {vertex}"), fragment);
    outlined(t, what, |t| t.DrawArrays(GL_TRIANGLES, 0, 3));
}

fn captured(t: &Rig, names: &[&str], stages: &[(u32, &str)]) -> u32 {
    let names: Vec<_> = names.iter().map(|n| cstr(n)).collect();
    let pointers: Vec<_> = names.iter().map(|n| n.as_ptr()).collect();
    t.program_with(stages, |p| t.TransformFeedbackVaryings(p, pointers.len() as i32, pointers.as_ptr(), GL_INTERLEAVED_ATTRIBS))
}

fn output(t: &Rig, floats: usize) -> u32 {
    let b = t.buffer(GL_TRANSFORM_FEEDBACK_BUFFER, &vec![-99.0f32; floats]);
    t.BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b);
    b
}

fn floats(t: &Rig, buffer: u32, n: usize) -> Vec<f32> {
    let mut out = vec![0f32; n];
    t.BindBuffer(GL_COPY_READ_BUFFER, buffer);
    t.GetBufferSubData(GL_COPY_READ_BUFFER, 0, (n * 4) as isize, out.as_mut_ptr().cast());
    out
}

scenarios! {
    /// Without multisampling all samples of a fragment are written, whatever coverage, mask and alpha say (GL 3.3 §4.1.3).
    fn multisampling_switched_off(t) {
        t.approximates("espryt", "GL_MULTISAMPLE off");
        t.approximates("magma", "GL_MULTISAMPLE off");
        let many = samples(t);
        t.paint("out vec4 c; void main() { c = vec4(0, 1, 0, 0.25); }");
        t.Disable(GL_MULTISAMPLE);
        for (what, caps) in [("plain", &[][..]), ("mask", &[GL_SAMPLE_MASK]), ("coverage", &[GL_SAMPLE_COVERAGE]),
            ("alpha to coverage", &[GL_SAMPLE_ALPHA_TO_COVERAGE]), ("alpha to one", &[GL_SAMPLE_ALPHA_TO_ONE])] {
            t.SampleMaski(0, 1);
            t.SampleCoverage(0.0, 0);
            caps.iter().for_each(|c| t.Enable(*c));
            t.clear([1.0, 0.0, 0.0, 1.0]);
            t.rect(FULL, 0.0);
            t.ok(what);
            caps.iter().for_each(|c| t.Disable(*c));
            t.eq(what, resolved(t, many), [0, 255, 0, 64]);
        }
        // Switched on again, the mask counts.
        t.Enable(GL_MULTISAMPLE);
        t.Enable(GL_SAMPLE_MASK);
        t.clear([1.0, 0.0, 0.0, 1.0]);
        t.rect(FULL, 0.0);
        t.eq("on again", resolved(t, many), [191, 64, 0, 207]);
    }

    /// Alpha becomes one behind the shader, in every draw buffer, where samples are drawn to.
    fn alpha_becomes_one(t) {
        let many = samples(t);
        t.paint("out vec4 c; void main() { c = vec4(0, 1, 0, 0.25); }");
        t.Enable(GL_SAMPLE_ALPHA_TO_ONE);
        t.clear([1.0, 0.0, 0.0, 0.0]);
        t.rect(FULL, 0.0);
        t.ok("drawn");
        t.eq("one", resolved(t, many), GREEN);
        t.paint("out vec4 c[1]; void main() { c[0] = vec4(0, 1, 0, 0.5); }");
        t.clear([1.0, 0.0, 0.0, 0.0]);
        t.rect(FULL, 0.0);
        t.eq("one of an array", resolved(t, many), GREEN);
        t.Disable(GL_SAMPLE_ALPHA_TO_ONE);
        t.rect(FULL, 0.0);
        t.eq("off", resolved(t, many), [0, 255, 0, 128]);
    }

    /// Alpha makes the coverage before it becomes one.
    fn alpha_to_coverage_comes_before_alpha_to_one(t) {
        t.approximates("espryt", "GL_SAMPLE_ALPHA_TO_ONE");
        let many = samples(t);
        t.paint("uniform float a; out vec4 c; void main() { c = vec4(0, 1, 0, a); }");
        t.Enable(GL_SAMPLE_ALPHA_TO_ONE);
        t.Enable(GL_SAMPLE_ALPHA_TO_COVERAGE);
        for (a, want) in [(0.0, [255, 0, 0]), (1.0, [0, 255, 0])] {
            t.clear([1.0, 0.0, 0.0, 0.0]);
            t.Uniform1f(t.at("a"), a);
            t.rect(FULL, 0.0);
            t.ok("drawn");
            t.eq(&format!("alpha {a}"), resolved(t, many)[..3].to_vec(), want.to_vec());
        }
    }

    /// Smooth lines are there.
    fn smooth_lines(t) {
        t.approximates("espryt", "GL_LINE_SMOOTH");
        t.target(GL_RGBA8, (8, 8));
        t.program("void main() { gl_Position = vec4(gl_VertexID == 0 ? -1.0 : 1.0, 0.125, 0, 1); }", "out vec4 c; void main() { c = vec4(0, 1, 0, 1); }");
        t.Enable(GL_LINE_SMOOTH);
        for mode in [GL_LINES, GL_LINE_STRIP, GL_LINE_LOOP] {
            t.clear([0.0; 4]);
            t.DrawArrays(mode, 0, 2);
            t.ok("drawn");
            t.is(&format!("mode {mode}"), t.pixel(3, 4)[1] > 100);
        }
    }

    /// Smooth polygons are there.
    fn smooth_polygons(t) {
        t.approximates("espryt", "GL_POLYGON_SMOOTH");
        t.approximates("magma", "GL_POLYGON_SMOOTH");
        t.target(GL_RGBA8, (8, 8));
        t.paint("out vec4 c; void main() { c = vec4(0, 1, 0, 1); }");
        t.Enable(GL_POLYGON_SMOOTH);
        t.clear([0.0; 4]);
        t.rect(FULL, 0.0);
        t.ok("drawn");
        t.area_is("inside", [1, 1, 6, 6], GREEN);
    }

    /// Logic operations work on outputs that are arrays, of floats and of integers.
    fn logic_operations_on_arrays(t) {
        let (fb, a) = t.target(GL_RGBA8, (8, 8));
        let b = t.rgba((8, 8), &[]);
        t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_TEXTURE_2D, b, 0);
        t.DrawBuffers(2, [GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1].as_ptr());
        t.paint("out vec4 c[2]; void main() { c[0] = vec4(0, 1, 0, 1); for (int i = 1; i < 2; i++) c[i] = vec4(1, 0, 0, 1); }");
        t.clear([0.0, 0.0, 1.0, 1.0]);
        t.Enable(GL_COLOR_LOGIC_OP);
        t.LogicOp(GL_OR);
        t.rect(FULL, 0.0);
        t.ok("drawn");
        for (i, want) in [(GL_COLOR_ATTACHMENT0, [0, 255, 255, 255]), (GL_COLOR_ATTACHMENT1, [255, 0, 255, 255])] {
            t.ReadBuffer(i);
            t.pixel_is(&format!("buffer {i:#x}"), 3, 3, want);
        }
        t.LogicOp(GL_XOR);
        t.rect(FULL, 0.0);
        t.pixel_is("exclusive or", 3, 3, [0, 0, 255, 0]);
        t.Disable(GL_COLOR_LOGIC_OP);
        t.DeleteFramebuffers(1, &fb);
        t.DeleteTextures(1, &a);
        t.target(GL_RGBA8UI, (4, 4));
        t.ClearBufferuiv(GL_COLOR, 0, [0b1100, 1, 2, 3].as_ptr());
        t.paint("out uvec4 c[1]; void main() { c[0] = uvec4(10u, 1u, 2u, 3u); }");
        t.Enable(GL_COLOR_LOGIC_OP);
        t.LogicOp(GL_AND);
        t.rect(FULL, 0.0);
        t.ok("integers");
        t.eq("and", t.pixel_u32(1, 1), [0b1000, 1, 2, 3]);
    }

    /// A logic operation with a shader that has a second colour too.
    fn logic_operations_with_second_colors(t) {
        t.target(GL_RGBA8, (8, 8));
        let p = t.link(&[(GL_VERTEX_SHADER, RECT), (GL_FRAGMENT_SHADER, "out vec4 a; out vec4 b; void main() { a = vec4(0, 1, 0, 1); b = vec4(1); }")], |p| {
            t.BindFragDataLocationIndexed(p, 0, 0, cstr("a").as_ptr());
            t.BindFragDataLocationIndexed(p, 0, 1, cstr("b").as_ptr());
        });
        t.UseProgram(p);
        t.clear([1.0, 0.0, 0.0, 1.0]);
        t.Enable(GL_COLOR_LOGIC_OP);
        t.LogicOp(GL_OR);
        t.rect(FULL, 0.0);
        t.ok("drawn");
        t.pixel_is("or", 3, 3, [255, 255, 0, 255]);
    }

    /// A bias of the level of detail reaches look-ups in functions that are given samplers, through functions too.
    fn bias_in_functions(t) {
        t.target(GL_RGBA8, (8, 8));
        t.paint("uniform sampler2D s; uniform sampler2D two[2]; in vec2 uv; out vec4 c;
            vec4 inner(sampler2D x, vec2 at) { return texture(x, at); }
            vec4 outer(float scale, sampler2D x, vec2 at) { return inner(x, at) * scale; }
            vec4 grad(sampler2D x, vec2 at) { return textureGrad(x, at, dFdx(at), dFdy(at)); }
            void main() { c = vec4(outer(1.0, s, uv).r, inner(two[1], uv).g, grad(s, uv).b, 1.0); }");
        for unit in 0..2 {
            t.ActiveTexture(GL_TEXTURE0 + unit);
            t.texture(GL_TEXTURE_2D);
            for (level, size) in [(0, 8), (1, 4), (2, 2), (3, 1)] {
                let texels = vec![[40 * level as u8 + unit as u8; 4]; (size * size) as usize];
                t.TexImage2D(GL_TEXTURE_2D, level, GL_RGBA8 as i32, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels.as_ptr().cast());
            }
            t.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST as i32);
            t.TexParameterf(GL_TEXTURE_2D, GL_TEXTURE_LOD_BIAS, 1.0 + unit as f32);
        }
        t.Uniform1i(t.at("s"), 0);
        t.Uniform1iv(t.at("two"), 2, [0, 1].as_ptr());
        t.rect(FULL, 0.0);
        t.ok("drawn");
        t.pixel_is("levels 1, 2 and 1", 3, 3, [40, 81, 40, 255]);
        t.ActiveTexture(GL_TEXTURE0);
        t.TexParameterf(GL_TEXTURE_2D, GL_TEXTURE_LOD_BIAS, 3.0);
        t.rect(FULL, 0.0);
        t.pixel_is("levels 3, 2 and 3", 3, 3, [120, 81, 120, 255]);
    }

    /// Outlines of programs whose values are blocks, structures and arrays, flat ones among them.
    fn outlines_of_blocks_structures_and_arrays(t) {
        t.target(GL_RGBA8, (8, 8));
        outlines_of(t, "a block", "out Data { vec4 a; flat int b; } data; void main() { data.a = vec4(0, 1, 0, 1); data.b = 1; gl_Position = corner(); }",
            "in Data { vec4 a; flat int b; } data; out vec4 c; void main() { c = data.a * float(data.b); }");
        outlines_of(t, "a structure", "struct S { vec4 a; float b[2]; }; out S data; void main() { data.a = vec4(0, 1, 0, 1); data.b = float[2](0.5, 1.0); gl_Position = corner(); }",
            "struct S { vec4 a; float b[2]; }; in S data; out vec4 c; void main() { c = data.a * data.b[1]; }");
        outlines_of(t, "arrays", "out vec4 a[2]; flat out ivec2 b[3]; void main() { a[0] = vec4(0); a[1] = vec4(0, 1, 0, 1); b[0] = b[1] = ivec2(0); b[2] = ivec2(1); gl_Position = corner(); }",
            "in vec4 a[2]; flat in ivec2 b[3]; out vec4 c; void main() { c = a[1] * float(b[2].y); }");
        outlines_of(t, "noperspective", "noperspective out vec4 a; centroid out float b; void main() { a = vec4(0, 1, 0, 1); b = 1.0; gl_Position = corner(); }",
            "noperspective in vec4 a; centroid in float b; out vec4 c; void main() { c = a * b; }");
    }

    /// Structures that hold arrays and structures, arrays of structures, and blocks that hold them: between stages, with a
    /// geometry shader and without, filled, as outlines and captured.
    fn structures_and_arrays_between_stages(t) {
        t.target(GL_RGBA8, (8, 8));
        const S: &str = "struct In { float a[2]; vec2 b; }; struct S { vec4 color; In inner[2]; }; struct F { int n[2]; };";
        const FILL: &str = "s.color = vec4(0, 1, 0, 1); for (int i = 0; i < 2; i++) { s.inner[i].a[0] = float(i); s.inner[i].a[1] = 0.5; s.inner[i].b = vec2(1, 2); }
            many[0] = many[1] = s; many[1].color = vec4(1); flat_f.n[0] = 3; flat_f.n[1] = gl_VertexID;";
        const USE: &str = "float sum = s.inner[0].a[0] + s.inner[1].a[0] + s.inner[0].a[1] + many[0].inner[1].a[1] + s.inner[1].b.x; bool ok = abs(sum - 3.0) < 0.01 && many[1].color == vec4(1);
            c = ok ? s.color : vec4(1, 0, 0, 1); c.b = float(flat_f.n[1] * flat_f.n[0]) / 12.0;";
        let vertex = format!("{CORNER} {S} out S s; out S many[2]; flat out F flat_f; void main() {{ gl_Position = corner(); {FILL} }}");
        let fragment = format!("{S} in S s; in S many[2]; flat in F flat_f; out vec4 c; void main() {{ {USE} }}");
        t.program(&vertex, &fragment);
        t.clear([0.0; 4]);
        t.DrawArrays(GL_TRIANGLES, 0, 3);
        t.ok("drawn");
        t.pixel_is("without a geometry shader", 2, 2, [0, 255, 128, 255]);
        outlined(t, "as outlines", |t| t.DrawArrays(GL_TRIANGLES, 0, 3));
        t.program_with(&[
            (GL_VERTEX_SHADER, &format!("{CORNER} {S} out Between {{ S s; In plain; }}; void main() {{ gl_Position = corner(); S many[2]; F flat_f; {FILL} plain.b = vec2(7); }}")),
            (GL_GEOMETRY_SHADER, &format!("layout(triangles) in; layout(triangle_strip, max_vertices = 3) out; {S} in Between {{ S s; In plain; }} data[]; out S s; out S many[2]; flat out F flat_f;
              void main() {{ for (int i = 0; i < 3; i++) {{ gl_Position = gl_in[i].gl_Position; s = data[i].s; many[0] = s; many[1] = s; many[1].color = vec4(data[i].plain.b.x == 7.0); flat_f.n[0] = 3; flat_f.n[1] = 2; EmitVertex(); }} EndPrimitive(); }}")),
            (GL_FRAGMENT_SHADER, &fragment),
        ], |_| {});
        t.clear([0.0; 4]);
        t.DrawArrays(GL_TRIANGLES, 0, 3);
        t.ok("with a geometry shader");
        t.pixel_is("with a geometry shader", 2, 2, [0, 255, 128, 255]);
        captured(t, &["s.inner[1].a[0]", "many[1].color"], &[(GL_VERTEX_SHADER, &vertex), (GL_FRAGMENT_SHADER, &fragment)]);
        let b = output(t, 15);
        t.BeginTransformFeedback(GL_TRIANGLES);
        t.DrawArrays(GL_TRIANGLES, 0, 3);
        t.EndTransformFeedback();
        t.ok("captured");
        t.eq("captured", floats(t, b, 15), vec![1.0; 15]);
    }

    /// Outlines are cut by clip distances.
    fn outlines_with_clip_distances(t) {
        t.target(GL_RGBA8, (8, 8));
        t.program(&format!("{CORNER} out float gl_ClipDistance[1]; void main() {{ gl_Position = corner(); gl_ClipDistance[0] = gl_Position.x; }}"), PLAIN);
        t.Enable(GL_CLIP_DISTANCE0);
        t.PolygonMode(GL_FRONT_AND_BACK, GL_LINE);
        t.clear([0.0; 4]);
        t.DrawArrays(GL_TRIANGLES, 0, 3);
        t.ok("drawn");
        t.eq("the lower edge", [2, 5].map(|x| t.pixel(x, 1)[0] != 0), [false, true]);
        t.eq("the inside", t.pixel(4, 2)[0] != 0 && t.pixel(4, 3)[0] == 0, false);
    }

    /// Outlines behind a geometry shader, of strips too.
    fn outlines_behind_a_geometry_shader(t) {
        t.target(GL_RGBA8, (8, 8));
        t.program_with(&[
            (GL_VERTEX_SHADER, &format!("{CORNER} out vec3 color; void main() {{ color = vec3(0, 1, 0); gl_Position = corner(); }}")),
            (GL_GEOMETRY_SHADER, "layout(triangles) in; layout(triangle_strip, max_vertices = 3) out; in vec3 color[]; out Data { vec3 color; flat int one; } data;
              void main() { for (int i = 0; i < 3; i++) { data.color = color[i]; data.one = 1; gl_Position = gl_in[i].gl_Position; EmitVertex(); } EndPrimitive(); }"),
            (GL_FRAGMENT_SHADER, "in Data { vec3 color; flat int one; } data; out vec4 c; void main() { c = vec4(data.color * float(data.one), 1); }"),
        ], |_| {});
        outlined(t, "a triangle", |t| t.DrawArrays(GL_TRIANGLES, 0, 3));
        t.program_with(&[
            (GL_VERTEX_SHADER, "void main() { gl_Position = vec4(0); }"),
            (GL_GEOMETRY_SHADER, "layout(points) in; layout(triangle_strip, max_vertices = 4) out; flat out int n;
              void main() { for (int i = 0; i < 4; i++) { n = i; gl_Position = vec4(vec2(i & 1, i >> 1) * 1.25 - 0.625, 0, 1); EmitVertex(); } }"),
            (GL_FRAGMENT_SHADER, "flat in int n; out vec4 c; void main() { c = vec4(n == 2, n == 3, 0, 1); }"),
        ], |_| {});
        t.PolygonMode(GL_FRONT_AND_BACK, GL_LINE);
        t.clear([0.0; 4]);
        t.DrawArrays(GL_POINTS, 0, 1);
        t.ok("a strip");
        t.pixel_is("an edge of the first triangle", 1, 3, [255, 0, 0, 255]);
        t.pixel_is("an edge of the second", 6, 4, GREEN);
        t.is("the inside is empty", t.pixel(2, 3)[3] == 0 && t.pixel(5, 4)[3] == 0);
        t.Enable(GL_CULL_FACE);
        t.clear([0.0; 4]);
        t.DrawArrays(GL_POINTS, 0, 1);
        t.is("front faces", t.pixel(1, 3)[3] != 0 && t.pixel(6, 4)[3] != 0);
        t.CullFace(GL_FRONT);
        t.clear([0.0; 4]);
        t.DrawArrays(GL_POINTS, 0, 1);
        t.eq("no back faces", t.shape([0, 0, 8, 8]).contains('#'), false);
    }

    /// Outlines of primitives with neighbours, without a geometry shader that would see them.
    fn outlines_of_primitives_with_neighbours(t) {
        t.target(GL_RGBA8, (8, 8));
        t.program("void main() { int n = gl_VertexID >> 1; vec2 p = vec2(n == 1 ? 6.5 : 1.5, n == 2 ? 6.5 : 1.5);
            gl_Position = vec4((gl_VertexID & 1) == 1 ? vec2(0.9) : p / 4.0 - 1.0, 0, 1); }", PLAIN);
        outlined(t, "a list", |t| t.DrawArrays(GL_TRIANGLES_ADJACENCY, 0, 6));
        outlined(t, "a strip", |t| t.DrawArrays(GL_TRIANGLE_STRIP_ADJACENCY, 0, 6));
        let ids: [u16; 6] = [0, 1, 2, 3, 4, 5];
        t.buffer(GL_ELEMENT_ARRAY_BUFFER, &ids);
        outlined(t, "indexed", |t| t.DrawElements(GL_TRIANGLES_ADJACENCY, 6, GL_UNSIGNED_SHORT, std::ptr::null()));
    }

    /// Outlines are offset in depth where that is switched on for them.
    fn outlines_are_offset(t) {
        t.full_target();
        t.paint(PLAIN);
        t.Enable(GL_DEPTH_TEST);
        t.DepthFunc(GL_LESS);
        for (mode, cap, at) in [(GL_LINE, GL_POLYGON_OFFSET_LINE, (20, 8)), (GL_POINT, GL_POLYGON_OFFSET_POINT, (8, 8))] {
            // A corner and an edge at pixel centres.
            let low = 8.5 / 32.0 - 1.0;
            for (what, factor, units, on, passes) in [
                ("off", -1.0, -8.0, false, false), ("nearer", 0.0, -8.0, true, true), ("farther", 0.0, 8.0, true, false),
                ("a flat one has no slope", -8.0, 0.0, true, false),
            ] {
                t.Disable(cap);
                t.clear([0.0; 4]);
                t.color([1.0, 0.0, 0.0, 1.0]);
                t.PolygonMode(GL_FRONT_AND_BACK, GL_FILL);
                t.rect([-1.0, -1.0, 1.0, 1.0], 0.25);
                t.PolygonMode(GL_FRONT_AND_BACK, mode);
                t.PolygonOffset(factor, units);
                if on { t.Enable(cap) }
                t.color([0.0, 1.0, 0.0, 1.0]);
                t.rect([low, low, 0.75, 0.75], 0.25);
                t.ok(what);
                let seen = t.pixel(at.0, at.1);
                t.eq(&format!("{mode:#x}, {what}"), seen, if passes { GREEN } else { [255, 0, 0, 255] });
            }
            t.Disable(cap);
        }
    }

    /// Programs with captured varyings are drawn with in every state, and captured with in every state: what is captured
    /// is what the shader gives, and what is drawn is what the state says.
    fn captures_in_every_state(t) {
        t.target(GL_RGBA8, (8, 8));
        captured(t, &["v", "gl_Position"], &[
            (GL_VERTEX_SHADER, &format!("{CORNER} out float v; flat out vec4 tint; void main() {{ v = float(gl_VertexID) + 0.5; tint = vec4(gl_VertexID == 0, gl_VertexID == 2, 0, 1); gl_Position = corner(); }}")),
            (GL_FRAGMENT_SHADER, "flat in vec4 tint; out vec4 c; void main() { c = tint; }")]);
        let mut q = 0;
        t.GenQueries(1, &mut q);
        type State = fn(&Rig);
        let states: [(&str, State, State, [u8; 4]); 5] = [
            ("plain", |_| {}, |_| {}, GREEN),
            ("lines", |t| t.PolygonMode(GL_FRONT_AND_BACK, GL_LINE), |t| t.PolygonMode(GL_FRONT_AND_BACK, GL_FILL), GREEN),
            ("points", |t| t.PolygonMode(GL_FRONT_AND_BACK, GL_POINT), |t| t.PolygonMode(GL_FRONT_AND_BACK, GL_FILL), GREEN),
            ("first vertex", |t| t.ProvokingVertex(GL_FIRST_VERTEX_CONVENTION), |t| t.ProvokingVertex(GL_LAST_VERTEX_CONVENTION), [255, 0, 0, 255]),
            ("logic", |t| { t.Enable(GL_COLOR_LOGIC_OP); t.LogicOp(GL_OR); }, |t| t.Disable(GL_COLOR_LOGIC_OP), GREEN),
        ];
        for (what, on, off, color) in states {
            on(t);
            t.clear([0.0; 4]);
            t.DrawArrays(GL_TRIANGLES, 0, 3);
            t.ok(&format!("{what}, not captured"));
            let alone = t.shape([0, 0, 8, 8]);
            t.pixel_is(&format!("{what}, not captured"), 1, 1, color);
            t.clear([0.0; 4]);
            let b = output(t, 16);
            t.BeginQuery(GL_PRIMITIVES_GENERATED, q);
            t.BeginTransformFeedback(GL_TRIANGLES);
            t.DrawArrays(GL_TRIANGLES, 0, 3);
            t.EndTransformFeedback();
            t.EndQuery(GL_PRIMITIVES_GENERATED);
            t.ok(&format!("{what}, captured"));
            let mut count = 0;
            t.GetQueryObjectuiv(q, GL_QUERY_RESULT, &mut count);
            t.eq(&format!("{what}, primitives"), count, 1);
            let got = floats(t, b, 16);
            if what != "first vertex" {
                t.eq(&format!("{what}, values"), [got[0], got[5], got[10], got[15]].to_vec(), vec![0.5, 1.5, 2.5, -99.0]);
            }
            t.eq(&format!("{what}, the same picture"), t.shape([0, 0, 8, 8]) == alone, true);
            t.pixel_is(&format!("{what}, captured"), 1, 1, color);
            off(t);
        }
    }

    /// One capture goes on over draws whose state asks for other programs below: logic operations, polygon modes, point
    /// sizes, rasteriser on and off.
    fn captures_across_changes_of_state(t) {
        t.target(GL_RGBA8, (8, 8));
        captured(t, &["v"], &[
            (GL_VERTEX_SHADER, &format!("{CORNER} out float v; uniform float base; void main() {{ v = base + float(gl_VertexID); gl_Position = corner(); }}")),
            (GL_FRAGMENT_SHADER, "out vec4 c; void main() { c = vec4(0, 1, 0, 1); }")]);
        let b = output(t, 18);
        let draw = |base: f32| {
            t.Uniform1f(t.at("base"), base);
            t.DrawArrays(GL_TRIANGLES, 0, 3);
        };
        t.clear([1.0, 0.0, 0.0, 1.0]);
        t.BeginTransformFeedback(GL_TRIANGLES);
        draw(0.0);
        t.Enable(GL_COLOR_LOGIC_OP);
        t.LogicOp(GL_SET);
        draw(10.0);
        t.pixel_is("set", 2, 2, [255; 4]);
        t.LogicOp(GL_XOR);
        draw(20.0);
        t.pixel_is("exclusive or", 2, 2, [255, 0, 255, 0]);
        t.Disable(GL_COLOR_LOGIC_OP);
        t.PolygonMode(GL_FRONT_AND_BACK, GL_LINE);
        draw(30.0);
        t.pixel_is("not filled", 2, 2, [255, 0, 255, 0]);
        t.pixel_is("an edge", 3, 1, GREEN);
        t.PolygonMode(GL_FRONT_AND_BACK, GL_FILL);
        t.Enable(GL_RASTERIZER_DISCARD);
        draw(40.0);
        t.Disable(GL_RASTERIZER_DISCARD);
        t.pixel_is("discarded", 2, 2, [255, 0, 255, 0]);
        draw(50.0);
        t.EndTransformFeedback();
        t.ok("captured");
        t.pixel_is("drawn", 2, 2, GREEN);
        let want: Vec<f32> = (0..6).flat_map(|i| [0.0, 1.0, 2.0].map(|v| v + 10.0 * i as f32)).collect();
        t.eq("all in order", floats(t, b, 18), want);
    }

    /// A point whose centre is outside the clip volume is not there, however wide it is (GL 3.3 §2.22).
    fn points_outside_are_dropped(t) {
        t.both(|t, what| {
            t.program("uniform vec4 p; void main() { gl_Position = p; }", PLAIN);
            t.PointSize(16.0);
            let count = |t: &Rig, p: [f32; 4]| {
                t.clear([0.0; 4]);
                t.Uniform4fv(t.at("p"), 1, p.as_ptr());
                t.DrawArrays(GL_POINTS, 0, 1);
                t.shape([0, 0, 64, 64]).matches('#').count()
            };
            t.eq(&format!("{what}, in"), count(t, [0.0, 0.0, 0.0, 1.0]), 256);
            t.eq(&format!("{what}, at the edge"), count(t, [0.96875, 0.0, 0.0, 1.0]), 9 * 16);
            for p in [[1.0625, 0.0, 0.0, 1.0], [-1.0625, 0.0, 0.0, 1.0], [0.0, 1.0625, 0.0, 1.0], [0.0, -1.0625, 0.0, 1.0],
                [0.0, 0.0, 1.5, 1.0], [0.0, 0.0, -1.5, 1.0], [0.0, 0.0, 0.0, -1.0], [2.125, 0.0, 0.0, 2.0]] {
                t.eq(&format!("{what}, {p:?}"), count(t, p), 0);
            }
            t.eq(&format!("{what}, in again"), count(t, [0.0, 0.0, 0.0, 2.0]), 256);
            // With the viewport in the middle of the framebuffer.
            t.Viewport(16, 16, 32, 32);
            t.eq(&format!("{what}, outside a small viewport"), count(t, [1.125, 0.0, 0.0, 1.0]), 0);
            t.PointSize(1.0);
            t.eq(&format!("{what}, small ones too"), count(t, [1.125, 0.0, 0.0, 1.0]), 0);
            t.Viewport(0, 0, 64, 64);
        });
    }

    /// The same behind a geometry shader, whose next vertices go on with what it wrote before.
    fn points_of_a_geometry_shader_are_dropped(t) {
        t.target(GL_RGBA8, (64, 64));
        t.program_with(&[
            (GL_VERTEX_SHADER, "void main() { gl_Position = vec4(0); }"),
            (GL_GEOMETRY_SHADER, "layout(points) in; layout(points, max_vertices = 2) out;
              void main() { gl_Position = vec4(1.0625, 0, 0, 1); EmitVertex(); EndPrimitive(); gl_Position = vec4(-0.5, 0, 0, 1); EmitVertex(); EndPrimitive(); }"),
            (GL_FRAGMENT_SHADER, PLAIN),
        ], |_| {});
        t.PointSize(16.0);
        t.clear([0.0; 4]);
        t.DrawArrays(GL_POINTS, 0, 1);
        t.eq("one of two", (t.shape([0, 0, 64, 64]).matches('#').count(), t.pixel(16, 32)[0]), (256, 255));
    }

    /// What is captured of a point that is dropped is what the shader wrote.
    fn dropped_points_are_captured(t) {
        t.target(GL_RGBA8, (8, 8));
        captured(t, &["gl_Position"], &[(GL_VERTEX_SHADER, "void main() { gl_Position = vec4(3.0 * float(gl_VertexID), 0, 0, 1); }"), (GL_FRAGMENT_SHADER, PLAIN)]);
        let b = output(t, 8);
        t.clear([0.0; 4]);
        t.BeginTransformFeedback(GL_POINTS);
        t.DrawArrays(GL_POINTS, 0, 2);
        t.EndTransformFeedback();
        t.ok("captured");
        t.eq("positions", floats(t, b, 8), vec![0.0, 0.0, 0.0, 1.0, 3.0, 0.0, 0.0, 1.0]);
        t.eq("one is drawn", t.shape([0, 0, 8, 8]).matches('#').count(), 1);
    }

    /// A draw without a program is undefined and no error.
    fn draws_without_a_program(t) {
        t.target(GL_RGBA8, (8, 8));
        t.clear([0.0; 4]);
        t.UseProgram(0);
        t.DrawArrays(GL_TRIANGLES, 0, 3);
        t.ok("without a program");
        t.buffer(GL_ELEMENT_ARRAY_BUFFER, &[0u16, 1, 2]);
        t.DrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_SHORT, std::ptr::null());
        t.ok("by index");
    }

    /// What is wrong with the state is an error of a draw that draws nothing too.
    fn empty_draws_are_checked(t) {
        t.paint(PLAIN);
        t.framebuffer();
        t.buffer(GL_ELEMENT_ARRAY_BUFFER, &[0u16, 1, 2]);
        let wanted = GL_INVALID_FRAMEBUFFER_OPERATION;
        t.wrong(&[
            ("no vertices", wanted, &|t| t.DrawArrays(GL_TRIANGLES, 0, 0)),
            ("no instances", wanted, &|t| t.DrawArraysInstanced(GL_TRIANGLES, 0, 3, 0)),
            ("no draws", wanted, &|t| t.MultiDrawArrays(GL_TRIANGLES, std::ptr::null(), std::ptr::null(), 0)),
            ("no indices", wanted, &|t| t.DrawElements(GL_TRIANGLES, 0, GL_UNSIGNED_SHORT, std::ptr::null())),
            ("no indexed instances", wanted, &|t| t.DrawElementsInstanced(GL_TRIANGLES, 3, GL_UNSIGNED_SHORT, std::ptr::null(), 0)),
        ]);
        t.UseProgram(0);
        t.wrong(&[("without a program", wanted, &|t| t.DrawArrays(GL_TRIANGLES, 0, 3))]);
    }

    /// A blend function that takes the second colour, with more than GL_MAX_DUAL_SOURCE_DRAW_BUFFERS draw buffers.
    fn second_colors_and_two_buffers(t) {
        t.target(GL_RGBA8, (8, 8));
        let b = t.rgba((8, 8), &[]);
        t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_TEXTURE_2D, b, 0);
        let p = t.link(&[(GL_VERTEX_SHADER, RECT), (GL_FRAGMENT_SHADER, "out vec4 a; out vec4 b; void main() { a = vec4(0, 1, 0, 1); b = vec4(0.5); }")], |p| {
            t.BindFragDataLocationIndexed(p, 0, 0, cstr("a").as_ptr());
            t.BindFragDataLocationIndexed(p, 0, 1, cstr("b").as_ptr());
        });
        t.UseProgram(p);
        t.Enable(GL_BLEND);
        t.BlendFunc(GL_ONE, GL_SRC1_COLOR);
        let draw = |n: i32| {
            t.DrawBuffers(n, [GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1].as_ptr());
            // The system's OpenGL looks at state that was current when the program was last made so.
            t.UseProgram(0);
            t.UseProgram(p);
            t.rect(FULL, 0.0);
            t.GetError()
        };
        t.clear([1.0, 0.0, 0.0, 1.0]);
        t.eq("one", draw(1), GL_NO_ERROR);
        t.pixel_is("blended", 3, 3, [128, 255, 0, 255]);
        draw(2);
        t.eq("two", draw(2), GL_INVALID_OPERATION);
        t.pixel_is("nothing drawn", 3, 3, [128, 255, 0, 255]);
        t.BlendFunc(GL_ONE, GL_ZERO);
        draw(2);
        t.eq("two with another function", draw(2), GL_NO_ERROR);
    }
}
