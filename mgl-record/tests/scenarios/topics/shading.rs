//! What a fragment's shading follows from: the primitive's number, buffer textures indexed by it, the face, derivatives, and
//! branches that values of many uniform blocks decide (GL 4.6 §11.1.3.9, §8.9, §14.6.1, §15.2.2; GLSL 4.60 §8.14).

use crate::bindings::consts::gl::*;
use crate::rig::{Rig, at, cstr};

/// Squares a side; each is two triangles.
const SIDE: usize = 4;
/// Pixels a side of a square.
const STEP: i32 = 8;
const TRIANGLES: usize = SIDE * SIDE * 2;

/// A square's triangles as rows of a grid of vertices: a lower right and an upper left one; every other is clockwise.
fn grid() -> (Vec<[f32; 3]>, Vec<u32>) {
    let n = SIDE as u32 + 1;
    let mut vertices = Vec::new();
    for y in 0..n {
        for x in 0..n {
            let at = |v: u32| v as f32 / SIDE as f32 * 2.0 - 1.0;
            vertices.push([at(x), at(y), 0.0]);
        }
    }
    let mut indices = Vec::new();
    for y in 0..SIDE as u32 {
        for x in 0..SIDE as u32 {
            let a = y * n + x;
            indices.extend([a, a + 1, a + n + 1]);
            // The other way round.
            indices.extend([a, a + n + 1, a + n].iter().rev());
        }
    }
    (vertices, indices)
}

/// A pixel well inside a triangle.
fn inside(triangle: usize) -> (i32, i32) {
    let (square, upper) = (triangle / 2, triangle % 2 == 1);
    let (x, y) = ((square % SIDE) as i32 * STEP, (square / SIDE) as i32 * STEP);
    if upper { (x + 1, y + 5) } else { (x + 5, y + 1) }
}

/// A colour of its own for each number.
fn colour(n: usize) -> [u8; 4] {
    let byte = |c: usize| (c % 256) as u8;
    [byte(n * 7 + 5), byte(255 - n), byte(n * 37), 255]
}

fn normals(first: usize) -> Vec<[f32; 4]> {
    (0..TRIANGLES + 8)
        .map(|n| colour((n + first) % 200).map(|c| f32::from(c) / 255.0))
        .collect()
}

/// The grid's vertices and indices, bound.
fn mesh(t: &Rig) {
    let (vertices, indices) = grid();
    t.array();
    t.buffer(GL_ARRAY_BUFFER, &vertices);
    let p = t.attribute("pos");
    t.VertexAttribPointer(p, 3, GL_FLOAT, 0, 0, at(0));
    t.EnableVertexAttribArray(p);
    t.buffer(GL_ELEMENT_ARRAY_BUFFER, &indices);
}

fn draw_all(t: &Rig) {
    t.DrawElements(GL_TRIANGLES, TRIANGLES as i32 * 3, GL_UNSIGNED_INT, at(0));
}

const VERTEX: &str = "in vec3 pos; out vec4 view; uniform mat4 m;
    void main() { view = m * vec4(pos, 1); gl_Position = vec4(pos.xy, 0, 1); }";

/// By number of the primitive, from a buffer texture, turned with the face.
const BY_PRIMITIVE: &str = "uniform samplerBuffer normals; uniform int first; uniform mat4 m; in vec4 view; out vec4 c;
    void main() {
        vec3 n = texelFetch(normals, gl_PrimitiveID + first).xyz;
        if (gl_FrontFacing == false) n = 1.0 - n;
        c = vec4(n, 1); }";

fn by_primitive(t: &Rig, what: &str, first: usize, skipped: usize, turned: bool) {
    for n in 0..TRIANGLES - skipped {
        let (x, y) = inside(n + skipped);
        let want = colour((n + first) % 200);
        let back = ((n + skipped) % 2 == 1) != turned;
        let want = if back {
            [255 - want[0], 255 - want[1], 255 - want[2], 255]
        } else {
            want
        };
        t.pixel_is(&format!("{what}, triangle {n}"), x, y, want);
    }
}

/// Four columns of a matrix that leaves all as it is.
const SAME: [f32; 16] = [
    1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0,
];

scenarios! {
    /// Colours of triangles come from a buffer texture at the primitive's number, which each draw begins anew.
    fn by_primitive_number(t) {
        let size = SIDE as i32 * STEP;
        t.target(GL_RGBA8, (size, size));
        t.program(VERTEX, BY_PRIMITIVE);
        mesh(t);
        t.UniformMatrix4fv(t.at("m"), 1, 0, SAME.as_ptr());
        let b = t.buffer(GL_TEXTURE_BUFFER, &normals(0));
        t.texture(GL_TEXTURE_BUFFER);
        t.TexBuffer(GL_TEXTURE_BUFFER, GL_RGBA32F, b);
        draw_all(t);
        by_primitive(t, "all", 0, 0, false);
        t.Uniform1i(t.at("first"), 5);
        draw_all(t);
        by_primitive(t, "from the fifth", 5, 0, false);
        // Another draw counts from zero again.
        t.Uniform1i(t.at("first"), 0);
        t.clear([0.0; 4]);
        t.DrawElements(GL_TRIANGLES, (TRIANGLES as i32 - 10) * 3, GL_UNSIGNED_INT, at(10 * 3 * 4));
        by_primitive(t, "without ten", 0, 10, false);
        t.FrontFace(GL_CW);
        draw_all(t);
        by_primitive(t, "clockwise", 0, 0, true);
        t.FrontFace(GL_CCW);
        // What is written later is read later, and other storage is other texels.
        t.BufferSubData(GL_TEXTURE_BUFFER, 0, 16 * TRIANGLES as isize, crate::rig::data(&normals(60)));
        draw_all(t);
        by_primitive(t, "written anew", 60, 0, false);
        t.BufferData(GL_TEXTURE_BUFFER, 16 * TRIANGLES as isize, crate::rig::data(&normals(90)), GL_STATIC_DRAW);
        draw_all(t);
        by_primitive(t, "other storage", 90, 0, false);
        let shorts: Vec<[u8; 4]> = (0..TRIANGLES).map(|n| colour(n + 20)).collect();
        t.BufferData(GL_TEXTURE_BUFFER, 4 * TRIANGLES as isize, crate::rig::data(&shorts), GL_STATIC_DRAW);
        t.TexBuffer(GL_TEXTURE_BUFFER, GL_RGBA8, b);
        draw_all(t);
        by_primitive(t, "bytes", 20, 0, false);
    }

    /// The same in the default framebuffer, and in a multisampled one that is resolved.
    fn by_primitive_number_elsewhere(t) {
        let size = SIDE as i32 * STEP;
        t.program(VERTEX, BY_PRIMITIVE);
        mesh(t);
        t.UniformMatrix4fv(t.at("m"), 1, 0, SAME.as_ptr());
        let b = t.buffer(GL_TEXTURE_BUFFER, &normals(0));
        t.texture(GL_TEXTURE_BUFFER);
        t.TexBuffer(GL_TEXTURE_BUFFER, GL_RGBA32F, b);
        t.Viewport(0, 0, size, size);
        draw_all(t);
        by_primitive(t, "default", 0, 0, false);
        let single = t.framebuffer();
        let r = t.renderbuffer(GL_RGBA8, (size, size), 0);
        t.attach(GL_COLOR_ATTACHMENT0, r);
        let several = t.framebuffer();
        let r = t.renderbuffer(GL_RGBA8, (size, size), 4);
        t.attach(GL_COLOR_ATTACHMENT0, r);
        t.complete();
        for first in [0, 3] {
            t.BindFramebuffer(GL_FRAMEBUFFER, several);
            t.Uniform1i(t.at("first"), first);
            draw_all(t);
            t.BindFramebuffer(GL_DRAW_FRAMEBUFFER, single);
            t.BlitFramebuffer(0, 0, size, size, 0, 0, size, size, GL_COLOR_BUFFER_BIT, GL_NEAREST);
            t.BindFramebuffer(GL_READ_FRAMEBUFFER, single);
            by_primitive(t, "resolved", first as usize, 0, false);
        }
    }

    /// Normals from derivatives of a position: x grows to the right and y upwards, in every framebuffer.
    fn by_derivatives(t) {
        let size = SIDE as i32 * STEP;
        let fragment = "uniform mat4 m; in vec4 view; out vec4 c;
            void main() {
                float scale = 1.0 / length(fwidth(view.xyz));
                vec3 n = normalize(cross(dFdx(view.xyz) * scale, dFdy(view.xyz) * scale));
                c = vec4(n * 0.5 + 0.5, 1); }";
        t.program(VERTEX, fragment);
        mesh(t);
        // Planes: z is a sum of x and y.
        let planes = [[0.0f32, 0.0], [0.5, 0.0], [0.0, 0.75], [-1.0, 0.5]];
        let looked = |what: &str| for [a, b] in planes {
            let mut m = SAME;
            (m[2], m[6]) = (a, b);
            t.UniformMatrix4fv(t.at("m"), 1, 0, m.as_ptr());
            draw_all(t);
            let long = (a * a + b * b + 1.0).sqrt();
            let byte = |v: f32| ((v / long * 0.5 + 0.5) * 255.0).round() as u8;
            let want = [byte(-a), byte(-b), byte(1.0), 255];
            for n in 0..TRIANGLES {
                let (x, y) = inside(n);
                t.pixel_is(&format!("{what}, {a} and {b}, triangle {n}"), x, y, want);
            }
        };
        t.Viewport(0, 0, size, size);
        looked("default");
        t.target(GL_RGBA8, (size, size));
        looked("texture");
    }

    /// Values of many uniform blocks decide about branches and loops.
    fn branches_on_many_blocks(t) {
        const BLOCKS: usize = 8;
        t.target(GL_RGBA32F, (1, 1));
        let mut source = String::from("uniform float z0; out vec4 c;\n");
        for n in 0..BLOCKS {
            source += &format!("layout(std140) uniform B{n} {{ vec4 v{n}; int k{n}; float w{n}[4]; }};\n");
        }
        source += "void main() { float s = z0; float p = 1.0;\n";
        for n in 0..BLOCKS {
            source += &format!(
                "if (k{n} == {n}) {{
                     for (int i = 0; i < 6; i++) p = fract(p + sin(p + float(i)) * cos(s) + exp(v{n}.y * p));
                     s += v{n}.x;
                 }} else {{
                     for (int i = 0; i < 5; i++) p = fract(p - cos(p * float(i)) - sqrt(abs(s)));
                     s -= 100.0;
                 }}
                 for (int i = 0; i < k{n}; i++) {{ s += w{n}[1] * 0.5; p += sin(s) * cos(p) * v{n}.y; }}
                 if (v{n}.z > 0.5) {{
                     for (int i = 0; i < 7; i++) p = fract(p * 3.0 + sin(s));
                     s += v{n}.w * 2.0;
                 }} else p += exp(v{n}.w) + log(s);\n"
            );
        }
        source += "c = vec4(s, p > -1000.0 ? 1.0 : 0.0, 0, 1); }";
        t.paint(&source);
        t.Uniform1f(t.at("z0"), 0.25);
        let program = t.int(GL_CURRENT_PROGRAM) as u32;
        let mut want = 0.25;
        for n in 0..BLOCKS {
            let mut block = [0u8; 96];
            let x = n as f32 + 0.5;
            let floats = [x, 0.25, 1.0, 0.125];
            block[..16].copy_from_slice(&floats.map(f32::to_le_bytes).concat());
            block[16..20].copy_from_slice(&(n as i32).to_le_bytes());
            block[48..52].copy_from_slice(&2.0f32.to_le_bytes());
            t.buffer(GL_UNIFORM_BUFFER, &block);
            let b = t.int(GL_UNIFORM_BUFFER_BINDING) as u32;
            t.BindBufferBase(GL_UNIFORM_BUFFER, n as u32, b);
            let index = t.GetUniformBlockIndex(program, cstr(&format!("B{n}")).as_ptr());
            t.UniformBlockBinding(program, index, n as u32);
            want += x + n as f32 + 0.25;
        }
        for _ in 0..2 {
            t.clear([0.0; 4]);
            t.strip();
            t.near("the sum", &t.pixel_f32(0, 0), &[want, 1.0, 0.0, 1.0], 1e-3);
        }
    }

    /// What a geometry shader writes once holds for all vertices that it emits afterwards. GLSL leaves it undefined; every
    /// OpenGL driver has it so, and programs rely on it.
    fn geometry_outputs_stay(t) {
        t.target(GL_RGBA8, (16, 16));
        t.program_with(&[
            (GL_VERTEX_SHADER, "in vec4 pos; out vec4 tone; void main() { gl_Position = pos; tone = vec4(pos.xy * 0.5 + 0.5, 0.25, 1); }"),
            (GL_GEOMETRY_SHADER, "layout(points) in; layout(triangle_strip, max_vertices = 8) out;
              in vec4 tone[]; out vec4 shade; flat out int number; out Rest { vec2 pair; vec4 list[2]; float unused; } rest; out vec2 corner[2];
              void corner_at(vec2 o) { gl_Position = vec4(gl_in[0].gl_Position.xy + o, 0, 1); EmitVertex(); }
              void main() {
                shade = tone[0]; number = 3; rest.pair = vec2(0.5, 0.75); rest.list[1] = vec4(0.125); corner[1] = vec2(0.5, 0.25);
                gl_PrimitiveID = 9;
                corner_at(vec2(0)); corner_at(vec2(1, 0)); corner_at(vec2(0, 1));
                gl_Position = vec4(gl_in[0].gl_Position.xy + vec2(1), 0, 1); EmitVertex(); EndPrimitive();
                // A position stays, too: nothing of this has an area.
                for (int i = 0; i < 4; i++) { shade = vec4(0); EmitVertex(); }
              }"),
            (GL_FRAGMENT_SHADER, "in vec4 shade; flat in int number; in Rest { vec2 pair; vec4 list[2]; float unused; } rest; in vec2 corner[2]; out vec4 c;
              void main() {
                bool kept = number == 3 && rest.pair == vec2(0.5, 0.75) && rest.list[1] == vec4(0.125) && corner[1] == vec2(0.5, 0.25) && gl_PrimitiveID == 9;
                c = kept ? shade : vec4(1, 0, 0, 1); }"),
        ], |_| {});
        t.array();
        t.buffer(GL_ARRAY_BUFFER, &[[-1.0f32, -1.0], [0.0, 0.0]]);
        let p = t.attribute("pos");
        t.VertexAttribPointer(p, 2, GL_FLOAT, 0, 0, at(0));
        t.EnableVertexAttribArray(p);
        t.clear([0.0, 0.0, 1.0, 1.0]);
        t.DrawArrays(GL_POINTS, 0, 2);
        t.area_is("first", [0, 0, 8, 8], [0, 0, 64, 255]);
        t.area_is("second", [8, 8, 8, 8], [128, 128, 64, 255]);
        t.area_is("beside", [8, 0, 8, 8], [0, 0, 255, 255]);
    }
}
