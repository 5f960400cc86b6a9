//! Uniforms of the default block, uniform blocks, and sampler uniforms (GL 3.3 §2.11.4).

use crate::bindings::consts::gl::*;
use crate::rig::{RECT, Rig, cstr, data};

fn float_target(t: &Rig) {
    t.target(GL_RGBA32F, (1, 1));
}

fn drawn(t: &Rig) -> [f32; 4] {
    t.strip();
    t.pixel_f32(0, 0)
}

/// A block's buffer at a binding point.
fn block(t: &Rig, binding: u32, values: &[f32]) -> u32 {
    let b = t.buffer(GL_UNIFORM_BUFFER, values);
    t.BindBufferBase(GL_UNIFORM_BUFFER, binding, b);
    b
}

fn block_index(t: &Rig, name: &str) -> u32 {
    t.GetUniformBlockIndex(t.int(GL_CURRENT_PROGRAM) as u32, cstr(name).as_ptr())
}

scenarios! {
    /// Floats and their vectors and arrays, set one by one and as arrays.
    fn floats(t) {
        float_target(t);
        t.paint("uniform float a; uniform vec2 b; uniform vec3 d; uniform vec4 e; uniform float f[3]; uniform vec4 g[2]; uniform int what; out vec4 c;
            void main() { c = what == 0 ? vec4(a, b, f[1]) : what == 1 ? vec4(d, f[2]) : what == 2 ? e : what == 3 ? g[1] : vec4(f[0], f[1], f[2], g[0].x); }");
        t.Uniform1f(t.at("a"), 0.5);
        t.Uniform2f(t.at("b"), 1.5, 2.5);
        t.Uniform3f(t.at("d"), 3.5, 4.5, 5.5);
        t.Uniform4f(t.at("e"), 6.5, 7.5, 8.5, 9.5);
        t.Uniform1fv(t.at("f"), 3, [10.0, 11.0, 12.0].as_ptr());
        t.Uniform4fv(t.at("g[1]"), 1, [13.0, 14.0, 15.0, 16.0].as_ptr());
        let wanted = [[0.5, 1.5, 2.5, 11.0], [3.5, 4.5, 5.5, 12.0], [6.5, 7.5, 8.5, 9.5], [13.0, 14.0, 15.0, 16.0], [10.0, 11.0, 12.0, 0.0]];
        for (i, want) in wanted.into_iter().enumerate() {
            t.Uniform1i(t.at("what"), i as i32);
            t.near(&format!("case {i}"), &drawn(t), &want, 0.0);
        }
        t.Uniform2fv(t.at("b"), 1, [-1.0, -2.0].as_ptr());
        t.Uniform3fv(t.at("d"), 1, [-3.0, -4.0, -5.0].as_ptr());
        // More than there is room for: the rest is ignored.
        t.Uniform1fv(t.at("f[1]"), 5, [21.0, 22.0, 23.0, 24.0, 25.0].as_ptr());
        t.Uniform1i(t.at("what"), 4);
        t.near("an array beyond its end", &drawn(t), &[10.0, 21.0, 22.0, 0.0], 0.0);
        let mut v = [0.0; 3];
        t.GetUniformfv(t.int(GL_CURRENT_PROGRAM) as u32, t.at("d"), v.as_mut_ptr());
        t.near("queried", &v, &[-3.0, -4.0, -5.0], 0.0);
    }

    /// Integers, unsigned integers and booleans.
    fn integers(t) {
        t.target(GL_RGBA32I, (1, 1));
        t.paint("uniform int a; uniform ivec3 b; uniform uint d; uniform uvec2 e; uniform bool f; uniform bvec2 g; uniform int what; out ivec4 c;
            void main() { c = what == 0 ? ivec4(a, b) : what == 1 ? ivec4(int(d), ivec2(e), f) : ivec4(g, 0, 0); }");
        t.Uniform1i(t.at("a"), i32::MIN);
        t.Uniform3i(t.at("b"), 16777217, -1, i32::MAX);
        t.Uniform1ui(t.at("d"), u32::MAX);
        t.Uniform2uiv(t.at("e"), 1, [7, 1 << 31].as_ptr());
        t.Uniform1i(t.at("f"), 7);
        t.Uniform2f(t.at("g"), 0.0, 0.5);
        for (i, want) in [[i32::MIN, 16777217, -1, i32::MAX], [-1, 7, i32::MIN, 1], [0, 1, 0, 0]].into_iter().enumerate() {
            t.Uniform1i(t.at("what"), i as i32);
            t.strip();
            t.eq(&format!("case {i}"), t.pixel_i32(0, 0), want);
        }
        let p = t.int(GL_CURRENT_PROGRAM) as u32;
        let (mut i, mut u) = (0, 0);
        t.GetUniformiv(p, t.at("a"), &mut i);
        t.GetUniformuiv(p, t.at("d"), &mut u);
        t.eq("queried", (i, u), (i32::MIN, u32::MAX));
        t.GetUniformiv(p, t.at("f"), &mut i);
        t.is("a boolean", i != 0);
        t.Uniform2ui(t.at("g"), 9, 0);
        t.strip();
        t.eq("booleans by unsigned", t.pixel_i32(0, 0), [1, 0, 0, 0]);
    }

    /// Matrices of all shapes, by columns and transposed.
    fn matrices(t) {
        float_target(t);
        let values: Vec<f32> = (1..=16).map(|i| i as f32).collect();
        type Setter = fn(&Rig, i32, u8, *const f32);
        let rows: [(&str, usize, usize, Setter); 9] = [
            ("mat2", 2, 2, |t, l, tr, v| t.UniformMatrix2fv(l, 1, tr, v)),
            ("mat3", 3, 3, |t, l, tr, v| t.UniformMatrix3fv(l, 1, tr, v)),
            ("mat4", 4, 4, |t, l, tr, v| t.UniformMatrix4fv(l, 1, tr, v)),
            ("mat2x3", 2, 3, |t, l, tr, v| t.UniformMatrix2x3fv(l, 1, tr, v)),
            ("mat3x2", 3, 2, |t, l, tr, v| t.UniformMatrix3x2fv(l, 1, tr, v)),
            ("mat2x4", 2, 4, |t, l, tr, v| t.UniformMatrix2x4fv(l, 1, tr, v)),
            ("mat4x2", 4, 2, |t, l, tr, v| t.UniformMatrix4x2fv(l, 1, tr, v)),
            ("mat3x4", 3, 4, |t, l, tr, v| t.UniformMatrix3x4fv(l, 1, tr, v)),
            ("mat4x3", 4, 3, |t, l, tr, v| t.UniformMatrix4x3fv(l, 1, tr, v)),
        ];
        for (ty, columns, height, set) in rows {
            t.paint(&format!("uniform {ty} m; uniform int k; out vec4 c; void main() {{ vec{height} v = m[k]; c = vec4(0); for (int i = 0; i < {height}; i++) c[i] = v[i]; }}"));
            for transpose in [0u8, 1] {
                set(t, t.at("m"), transpose, values.as_ptr());
                for k in 0..columns {
                    t.Uniform1i(t.at("k"), k as i32);
                    let mut want = [0.0; 4];
                    for (i, w) in want.iter_mut().enumerate().take(height) {
                        *w = if transpose == 0 { values[k * height + i] } else { values[i * columns + k] };
                    }
                    t.near(&format!("{ty}, transposed {transpose}, column {k}"), &drawn(t), &want, 0.0);
                }
            }
        }
    }

    /// Uniforms that a program's text initialises, until they are set; a link initialises them again.
    fn initial_values(t) {
        float_target(t);
        let p = t.paint("uniform vec3 a = vec3(1, 2, 3); uniform float b[2] = float[](4.0, 5.0); uniform mat2 m = mat2(6); uniform float zero; out vec4 c;
            void main() { c = vec4(a.y, b[1], m[1][1], zero); }");
        t.near("initially", &drawn(t), &[2.0, 5.0, 6.0, 0.0], 0.0);
        t.Uniform3f(t.at("a"), 7.0, 8.0, 9.0);
        t.near("set", &drawn(t), &[8.0, 5.0, 6.0, 0.0], 0.0);
        t.LinkProgram(p);
        t.UseProgram(p);
        t.near("linked again", &drawn(t), &[2.0, 5.0, 6.0, 0.0], 0.0);
    }

    /// Structures and arrays of them: each member has a location.
    fn structures(t) {
        float_target(t);
        t.paint("struct Light { vec3 color; float power; vec2 at[2]; }; uniform Light lights[2]; uniform int k; out vec4 c;
            void main() { c = vec4(lights[k].color.x * lights[k].power, lights[1].at[1], lights[0].power); }");
        t.Uniform3f(t.at("lights[0].color"), 2.0, 0.0, 0.0);
        t.Uniform1f(t.at("lights[0].power"), 3.0);
        t.Uniform3f(t.at("lights[1].color"), 4.0, 0.0, 0.0);
        t.Uniform1f(t.at("lights[1].power"), 5.0);
        t.Uniform2f(t.at("lights[1].at[1]"), 6.0, 7.0);
        t.near("first", &drawn(t), &[6.0, 6.0, 7.0, 3.0], 0.0);
        t.Uniform1i(t.at("k"), 1);
        t.near("second", &drawn(t), &[20.0, 6.0, 7.0, 3.0], 0.0);
        t.eq("what has no location", [t.at("lights"), t.at("lights[0]"), t.at("lights[2].power"), t.at("nothing"), t.at("gl_FragCoord")], [-1; 5]);
    }

    /// Each program has its own values.
    fn programs_keep_their_values(t) {
        float_target(t);
        let source = "uniform float v; out vec4 c; void main() { c = vec4(v); }";
        let a = t.paint(source);
        t.Uniform1f(t.at("v"), 1.0);
        let b = t.paint(source);
        t.Uniform1f(t.at("v"), 2.0);
        t.UseProgram(a);
        t.near("first", &drawn(t), &[1.0; 4], 0.0);
        t.UseProgram(b);
        t.near("second", &drawn(t), &[2.0; 4], 0.0);
    }

    /// What setters must not do.
    fn errors(t) {
        float_target(t);
        let p = t.paint("uniform float a; uniform vec2 b; uniform int i; uniform uint u; uniform mat3 m; uniform sampler2D s; uniform bool f; out vec4 c;
            void main() { c = vec4(a, b, i + int(u)) + vec4(m[0], f) + texture(s, b); }");
        let [a, b, i, u, m, s] = ["a", "b", "i", "u", "m", "s"].map(|n| t.at(n));
        t.Uniform1f(-1, 1.0);
        t.ok("a location of -1 is ignored");
        let many = t.int(GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS);
        t.wrong(&[
            ("a vector for a float", GL_INVALID_OPERATION, &|t| t.Uniform2f(a, 1.0, 2.0)),
            ("a float for a vector", GL_INVALID_OPERATION, &|t| t.Uniform1f(b, 1.0)),
            ("an integer for a float", GL_INVALID_OPERATION, &|t| t.Uniform1i(a, 1)),
            ("a float for an integer", GL_INVALID_OPERATION, &|t| t.Uniform1f(i, 1.0)),
            ("an unsigned for an integer", GL_INVALID_OPERATION, &|t| t.Uniform1ui(i, 1)),
            ("an integer for an unsigned", GL_INVALID_OPERATION, &|t| t.Uniform1i(u, 1)),
            ("an unsigned for a sampler", GL_INVALID_OPERATION, &|t| t.Uniform1ui(s, 1)),
            ("a float for a sampler", GL_INVALID_OPERATION, &|t| t.Uniform1f(s, 1.0)),
            ("a unit too many", GL_INVALID_VALUE, &|t| t.Uniform1i(s, many)),
            ("a matrix of another shape", GL_INVALID_OPERATION, &|t| t.UniformMatrix4fv(m, 1, 0, [0.0; 16].as_ptr())),
            ("two of no array", GL_INVALID_OPERATION, &|t| t.Uniform1fv(a, 2, [0.0; 2].as_ptr())),
            ("a negative count", GL_INVALID_VALUE, &|t| t.Uniform1fv(a, -1, [0.0; 2].as_ptr())),
            ("a location that is none", GL_INVALID_OPERATION, &|t| t.Uniform1f(12345, 1.0)),
            ("glGetUniformfv", GL_INVALID_OPERATION, &|t| t.GetUniformfv(p, 12345, [0.0; 4].as_mut_ptr())),
            ("glGetUniformLocation of no program", GL_INVALID_VALUE, &|t| { t.GetUniformLocation(98765, cstr("a").as_ptr()); }),
        ]);
        t.UseProgram(0);
        t.wrong(&[("no program", GL_INVALID_OPERATION, &|t| t.Uniform1f(a, 1.0))]);
    }

    /// Two blocks from two buffers, each at a binding of the program's choosing.
    fn two_blocks(t) {
        float_target(t);
        let p = t.program("layout(std140) uniform Place { vec4 offset; } place; uniform float z; uniform vec4 rect = vec4(-1, -1, 1, 1);
              void main() { gl_Position = vec4(mix(rect.xy, rect.zw, vec2(gl_VertexID & 1, gl_VertexID >> 1)), z, 1) + place.offset; }",
            "layout(std140) uniform Look { vec4 tint; float gain; }; out vec4 c; void main() { c = tint * gain; }");
        let (place, look) = (block_index(t, "Place"), block_index(t, "Look"));
        t.is("indices", place != look && place < 2 && look < 2);
        t.eq("a block that is none", block_index(t, "tint"), GL_INVALID_INDEX);
        t.UniformBlockBinding(p, place, 3);
        t.UniformBlockBinding(p, look, 5);
        block(t, 3, &[0.0; 4]);
        block(t, 5, &[1.0, 2.0, 3.0, 4.0, 10.0, 0.0, 0.0, 0.0]);
        t.near("drawn", &drawn(t), &[10.0, 20.0, 30.0, 40.0], 0.0);
        let mut v = -1;
        t.GetActiveUniformBlockiv(p, look, GL_UNIFORM_BLOCK_BINDING, &mut v);
        t.eq("binding", v, 5);
        block(t, 6, &[1.0, 1.0, 1.0, 1.0, 7.0, 0.0, 0.0, 0.0]);
        t.UniformBlockBinding(p, look, 6);
        t.near("bound elsewhere", &drawn(t), &[7.0; 4], 0.0);
        let bindings = t.int(GL_MAX_UNIFORM_BUFFER_BINDINGS) as u32;
        t.wrong(&[
            ("a binding too many", GL_INVALID_VALUE, &|t| t.UniformBlockBinding(p, look, bindings)),
            ("a block too many", GL_INVALID_VALUE, &|t| t.UniformBlockBinding(p, 2, 0)),
        ]);
    }

    /// std140: the places of scalars, vectors, arrays, matrices and structures.
    fn std140(t) {
        float_target(t);
        let p = t.paint("struct S { vec3 a; float b; }; layout(std140) uniform B { float f; vec2 v2; vec3 v3; float g; float arr[3]; mat3 m; layout(row_major) mat2x3 r; S s[2]; bool on; int i; };
            uniform int k; out vec4 c; void main() {
              c = k == 0 ? vec4(f, v2, v3.z) : k == 1 ? vec4(g, arr[0], arr[1], arr[2]) : k == 2 ? vec4(m[0].x, m[1].y, m[2].z, r[1].z) : k == 3 ? vec4(s[0].a.y, s[0].b, s[1].a.z, s[1].b) : vec4(on, i, r[0].y, r[1].x); }");
        // Offsets by the rules of GL 3.3 §2.11.4, in words.
        let offsets = [("f", 0), ("v2", 8), ("v3", 16), ("g", 28), ("arr[0]", 32), ("m", 80), ("r", 128), ("s[0].a", 176), ("s[0].b", 188),
            ("s[1].a", 192), ("s[1].b", 204), ("on", 208), ("i", 212)];
        for (name, offset) in offsets {
            let mut index = 0;
            t.GetUniformIndices(p, 1, [cstr(name).as_ptr()].as_ptr(), &mut index);
            let mut v = -1;
            t.GetActiveUniformsiv(p, 1, &index, GL_UNIFORM_OFFSET, &mut v);
            t.eq(&format!("offset of {name}"), v, offset);
        }
        let mut size = 0;
        t.GetActiveUniformBlockiv(p, 0, GL_UNIFORM_BLOCK_DATA_SIZE, &mut size);
        t.eq("size", size, 224);
        let mut words: Vec<f32> = (0..56).map(|i| i as f32).collect();
        (words[52], words[53]) = (f32::from_bits(1), f32::from_bits(77));
        block(t, 0, &words);
        let w = |b: usize| (b / 4) as f32;
        for (k, want) in [
            [w(0), w(8), w(12), w(24)], [w(28), w(32), w(48), w(64)], [w(80), w(96) + 1.0, w(112) + 2.0, w(128 + 32) + 1.0],
            [w(180), w(188), w(200), w(204)], [1.0, 77.0, w(128 + 16), w(128) + 1.0],
        ].into_iter().enumerate() {
            t.Uniform1i(t.at("k"), k as i32);
            t.near(&format!("case {k}"), &drawn(t), &want, 0.0);
        }
    }

    /// Arrays of blocks: an index and a binding each.
    fn arrays_of_blocks(t) {
        float_target(t);
        let p = t.paint("layout(std140) uniform B { vec4 v; } b[3]; out vec4 c; void main() { c = vec4(b[0].v.x, b[1].v.x, b[2].v.x, b[1].v.w); }");
        for i in 0..3u32 {
            let index = block_index(t, &format!("B[{i}]"));
            t.is(&format!("block {i}"), index < 3);
            t.UniformBlockBinding(p, index, 4 + i);
            block(t, 4 + i, &[10.0 * (i + 1) as f32, 0.0, 0.0, i as f32]);
        }
        t.eq("GL_ACTIVE_UNIFORM_BLOCKS", t.program_int(p, GL_ACTIVE_UNIFORM_BLOCKS), 3);
        t.near("drawn", &drawn(t), &[10.0, 20.0, 30.0, 1.0], 0.0);
    }

    /// Ranges of one buffer at aligned offsets; other offsets are errors.
    fn ranges(t) {
        float_target(t);
        t.paint("layout(std140) uniform B { vec4 v; }; out vec4 c; void main() { c = v; }");
        let step = t.int(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT);
        t.is("alignment", (1..=256).contains(&step));
        let words: Vec<f32> = (0..256).map(|i| i as f32).collect();
        let b = t.buffer(GL_UNIFORM_BUFFER, &words);
        for at in [0isize, 256, 512] {
            t.BindBufferRange(GL_UNIFORM_BUFFER, 0, b, at, 16);
            let f = (at / 4) as f32;
            t.near(&format!("from {at}"), &drawn(t), &[f, f + 1.0, f + 2.0, f + 3.0], 0.0);
        }
        let get = |name| { let mut v = -1i64; t.GetInteger64i_v(name, 0, &mut v); v };
        t.eq("start and size", (get(GL_UNIFORM_BUFFER_START), get(GL_UNIFORM_BUFFER_SIZE)), (512, 16));
        let mut v = 0;
        t.GetIntegeri_v(GL_UNIFORM_BUFFER_BINDING, 0, &mut v);
        t.eq("binding", v as u32, b);
        let bindings = t.int(GL_MAX_UNIFORM_BUFFER_BINDINGS) as u32;
        t.wrong(&[
            ("unaligned", GL_INVALID_VALUE, &|t| t.BindBufferRange(GL_UNIFORM_BUFFER, 0, b, 4, 16)),
            ("a size of zero", GL_INVALID_VALUE, &|t| t.BindBufferRange(GL_UNIFORM_BUFFER, 0, b, 0, 0)),
            ("a binding too many", GL_INVALID_VALUE, &|t| t.BindBufferBase(GL_UNIFORM_BUFFER, bindings, b)),
            ("a target without indices", GL_INVALID_ENUM, &|t| t.BindBufferBase(GL_ARRAY_BUFFER, 0, b)),
            ("a query beyond", GL_INVALID_VALUE, &|t| t.GetIntegeri_v(GL_UNIFORM_BUFFER_BINDING, bindings, &mut 0)),
        ]);
    }

    /// A buffer that changes between draws, and one that is respecified.
    fn changing_buffers(t) {
        float_target(t);
        t.paint("layout(std140) uniform B { vec4 v; }; out vec4 c; void main() { c = v; }");
        block(t, 0, &[1.0; 4]);
        t.near("first", &drawn(t), &[1.0; 4], 0.0);
        t.BufferSubData(GL_UNIFORM_BUFFER, 4, 4, data(&[9f32]));
        t.near("a part", &drawn(t), &[1.0, 9.0, 1.0, 1.0], 0.0);
        t.BufferData(GL_UNIFORM_BUFFER, 16, data(&[3f32; 4]), GL_DYNAMIC_DRAW);
        t.near("all", &drawn(t), &[3.0; 4], 0.0);
        t.BufferData(GL_UNIFORM_BUFFER, 64, data(&[4f32; 16]), GL_DYNAMIC_DRAW);
        t.near("a larger one", &drawn(t), &[4.0; 4], 0.0);
    }

    /// What is asked of blocks and their members.
    fn introspection_of_blocks(t) {
        let p = t.program("layout(std140) uniform Camera { mat4 view; layout(row_major) mat4 projection; }; in vec4 p; uniform float scale;
              void main() { gl_Position = projection * view * p * scale; }",
            "layout(std140) uniform Look { vec4 tint[4]; } look; out vec4 c; void main() { c = look.tint[2]; }");
        let text = |index: u32| { let mut b = [0u8; 64]; let mut n = 0; t.GetActiveUniformBlockName(p, index, 64, &mut n, b.as_mut_ptr().cast()); String::from_utf8_lossy(&b[..n as usize]).into_owned() };
        let get = |index: u32, name| { let mut v = -1; t.GetActiveUniformBlockiv(p, index, name, &mut v); v };
        let (camera, look) = (block_index(t, "Camera"), block_index(t, "Look"));
        t.eq("names", (text(camera), text(look)), ("Camera".into(), "Look".into()));
        t.eq("sizes", (get(camera, GL_UNIFORM_BLOCK_DATA_SIZE), get(look, GL_UNIFORM_BLOCK_DATA_SIZE)), (128, 64));
        t.eq("members", (get(camera, GL_UNIFORM_BLOCK_ACTIVE_UNIFORMS), get(look, GL_UNIFORM_BLOCK_ACTIVE_UNIFORMS)), (2, 1));
        t.eq("stages", (get(camera, GL_UNIFORM_BLOCK_REFERENCED_BY_VERTEX_SHADER), get(camera, GL_UNIFORM_BLOCK_REFERENCED_BY_FRAGMENT_SHADER),
            get(look, GL_UNIFORM_BLOCK_REFERENCED_BY_VERTEX_SHADER), get(look, GL_UNIFORM_BLOCK_REFERENCED_BY_FRAGMENT_SHADER)), (1, 0, 0, 1));
        t.eq("name lengths", (get(camera, GL_UNIFORM_BLOCK_NAME_LENGTH), t.program_int(p, GL_ACTIVE_UNIFORM_BLOCK_MAX_NAME_LENGTH)), (7, 7));
        let names = ["view", "projection", "Look.tint", "scale", "nothing"].map(cstr);
        let pointers = names.each_ref().map(|n| n.as_ptr());
        let mut indices = [0u32; 5];
        t.GetUniformIndices(p, 5, pointers.as_ptr(), indices.as_mut_ptr());
        t.eq("a name that is none", indices[4], GL_INVALID_INDEX);
        let per = |name| { let mut v = [-9; 4]; t.GetActiveUniformsiv(p, 4, indices.as_ptr(), name, v.as_mut_ptr()); v };
        t.eq("types", per(GL_UNIFORM_TYPE), [GL_FLOAT_MAT4, GL_FLOAT_MAT4, GL_FLOAT_VEC4, GL_FLOAT].map(|v| v as i32));
        t.eq("array sizes", per(GL_UNIFORM_SIZE), [1, 1, 4, 1]);
        t.eq("offsets", per(GL_UNIFORM_OFFSET), [0, 64, 0, -1]);
        t.eq("array strides", per(GL_UNIFORM_ARRAY_STRIDE), [0, 0, 16, -1]);
        t.eq("matrix strides", per(GL_UNIFORM_MATRIX_STRIDE), [16, 16, 0, -1]);
        t.eq("row majors", per(GL_UNIFORM_IS_ROW_MAJOR), [0, 1, 0, 0]);
        t.eq("blocks", per(GL_UNIFORM_BLOCK_INDEX), [camera as i32, camera as i32, look as i32, -1]);
        t.eq("no location in a block", (t.at("view"), t.at("Look.tint")), (-1, -1));
        t.wrong(&[
            ("a block too many", GL_INVALID_VALUE, &|t| t.GetActiveUniformBlockiv(p, 2, GL_UNIFORM_BLOCK_BINDING, &mut 0)),
            ("a query that is none", GL_INVALID_ENUM, &|t| t.GetActiveUniformBlockiv(p, 0, GL_UNIFORM_TYPE, &mut 0)),
            ("a uniform too many", GL_INVALID_VALUE, &|t| t.GetActiveUniformsiv(p, 1, &1000, GL_UNIFORM_TYPE, &mut 0)),
            ("and a query that is none", GL_INVALID_ENUM, &|t| t.GetActiveUniformsiv(p, 1, &0, GL_UNIFORM_BLOCK_BINDING, &mut 0)),
            ("the name of a block too many", GL_INVALID_VALUE, &|t| t.GetActiveUniformBlockName(p, 2, 4, &mut 0, [0i8; 4].as_mut_ptr())),
        ]);
        let _ = RECT;
    }
}
