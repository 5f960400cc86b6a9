//! Shader and program objects: compiling, linking, what they tell, and their errors (GL 3.3 §2.11, §6.1.10).

use crate::bindings::consts::gl::*;
use crate::rig::{PLAIN, RECT, Rig, cstr};

const VS: &str = "in vec4 p; void main() { gl_Position = p; }";

fn attributes(t: &Rig, p: u32) -> Vec<(String, i32, u32)> {
    let mut all: Vec<_> = (0..t.program_int(p, GL_ACTIVE_ATTRIBUTES) as u32)
        .map(|i| {
            let (mut name, mut n, mut size, mut ty) = ([0u8; 80], 0, 0, 0);
            t.GetActiveAttrib(p, i, 80, &mut n, &mut size, &mut ty, name.as_mut_ptr().cast());
            (String::from_utf8_lossy(&name[..n as usize]).into_owned(), size, ty)
        })
        .collect();
    all.sort();
    all
}

fn uniforms(t: &Rig, p: u32) -> Vec<(String, i32, u32)> {
    let mut all: Vec<_> = (0..t.program_int(p, GL_ACTIVE_UNIFORMS) as u32)
        .map(|i| {
            let (mut name, mut n, mut size, mut ty) = ([0u8; 80], 0, 0, 0);
            t.GetActiveUniform(p, i, 80, &mut n, &mut size, &mut ty, name.as_mut_ptr().cast());
            (String::from_utf8_lossy(&name[..n as usize]).into_owned(), size, ty)
        })
        .collect();
    all.sort();
    all
}

scenarios! {
    /// A shader that does not compile says where.
    fn compile_errors(t) {
        for (what, source, line) in [
            ("an undeclared name", "void main() {\n gl_Position = nothing;\n}", 3),
            ("a missing semicolon", "void main() {\n float a = 1.0\n}", 4),
            ("wrong types", "void main() {\n vec3 a = 1;\n}", 3),
            ("an unknown function", "void main() {\n\n\n gl_Position = frob(1.0);\n}", 5),
        ] {
            let s = t.shader_unchecked(GL_VERTEX_SHADER, source);
            t.eq(what, t.shader_int(s, GL_COMPILE_STATUS), 0);
            let log = t.shader_log(s);
            t.is(&format!("{what}: the log names line {line}"), log.contains(&format!(":{line}")) || log.contains(&format!("({line})")));
        }
        let good = t.shader(GL_VERTEX_SHADER, VS);
        t.eq("good", t.shader_int(good, GL_COMPILE_STATUS), 1);
    }

    /// Shader parameters and source.
    fn shader_queries(t) {
        let s = t.CreateShader(GL_FRAGMENT_SHADER);
        t.eq("fresh", [GL_SHADER_TYPE, GL_DELETE_STATUS, GL_COMPILE_STATUS, GL_INFO_LOG_LENGTH, GL_SHADER_SOURCE_LENGTH].map(|n| t.shader_int(s, n)),
            [GL_FRAGMENT_SHADER as i32, 0, 0, 0, 0]);
        // Several strings, one of them with a length.
        let (a, b) = (cstr("#version 330\nout vec4 c; XXXX"), cstr("void main() { c = vec4(1); }"));
        t.ShaderSource(s, 2, [a.as_ptr(), b.as_ptr()].as_ptr(), [25, -1].as_ptr());
        let mut text = [0u8; 100];
        let mut n = 0;
        t.GetShaderSource(s, 100, &mut n, text.as_mut_ptr().cast());
        let want = "#version 330\nout vec4 c; void main() { c = vec4(1); }";
        t.eq("source", String::from_utf8_lossy(&text[..n as usize]).into_owned(), want.to_owned());
        t.eq("its length with the zero", t.shader_int(s, GL_SHADER_SOURCE_LENGTH), want.len() as i32 + 1);
        t.CompileShader(s);
        t.eq("compiled", t.shader_int(s, GL_COMPILE_STATUS), 1);
        t.GetShaderSource(s, 8, &mut n, text.as_mut_ptr().cast());
        t.eq("cut", (n, &text[..8] == b"#versio\0"), (7, true));
        t.wrong(&[
            ("a stage that is none", GL_INVALID_ENUM, &|t| { t.CreateShader(GL_VERTEX_ARRAY); }),
            ("no shader", GL_INVALID_VALUE, &|t| t.CompileShader(12345)),
            ("a query that is none", GL_INVALID_ENUM, &|t| t.GetShaderiv(s, GL_LINK_STATUS, &mut 0)),
            ("a negative count", GL_INVALID_VALUE, &|t| t.ShaderSource(s, -1, std::ptr::null(), std::ptr::null())),
            ("a negative size", GL_INVALID_VALUE, &|t| t.GetShaderSource(s, -1, std::ptr::null_mut(), std::ptr::null_mut())),
        ]);
    }

    /// A program is where a shader was asked for, and the other way round.
    fn names_of_the_other_kind(t) {
        let (p, s) = (t.CreateProgram(), t.CreateShader(GL_VERTEX_SHADER));
        t.is("one name space", p != s);
        t.eq("kinds", [t.IsProgram(p), t.IsProgram(s), t.IsShader(p), t.IsShader(s)], [1, 0, 0, 1]);
        t.wrong(&[
            ("compiling a program", GL_INVALID_OPERATION, &|t| t.CompileShader(p)),
            ("linking a shader", GL_INVALID_OPERATION, &|t| t.LinkProgram(s)),
            ("using a shader", GL_INVALID_OPERATION, &|t| t.UseProgram(s)),
            ("attaching a program", GL_INVALID_OPERATION, &|t| t.AttachShader(p, p)),
            ("asking a shader as program", GL_INVALID_OPERATION, &|t| t.GetProgramiv(s, GL_LINK_STATUS, &mut 0)),
            ("using nothing", GL_INVALID_VALUE, &|t| t.UseProgram(99999)),
            ("deleting nothing", GL_INVALID_VALUE, &|t| t.DeleteProgram(99999)),
            ("using what is not linked", GL_INVALID_OPERATION, &|t| t.UseProgram(p)),
            ("locations before linking", GL_INVALID_OPERATION, &|t| { t.GetUniformLocation(p, cstr("a").as_ptr()); }),
            ("attributes before linking", GL_INVALID_OPERATION, &|t| { t.GetAttribLocation(p, cstr("a").as_ptr()); }),
            ("outputs before linking", GL_INVALID_OPERATION, &|t| { t.GetFragDataLocation(p, cstr("a").as_ptr()); }),
        ]);
        t.DeleteProgram(0);
        t.DeleteShader(0);
        t.ok("deleting zero");
    }

    /// What cannot be linked together says so, and is not used.
    fn link_errors(t) {
        for (what, vs, fs) in [
            ("varyings of different types", "in vec4 p; out vec3 v; void main() { v = p.xyz; gl_Position = p; }", "in vec2 v; out vec4 c; void main() { c = vec4(v, 0, 1); }"),
            ("uniforms of different types", "in vec4 p; uniform vec4 u; void main() { gl_Position = p + u; }", "uniform float u; out vec4 c; void main() { c = vec4(u); }"),
            ("no main", VS, "out vec4 c; void draw() { c = vec4(1); }"),
            ("blocks that differ", "layout(std140) uniform B { vec4 a; }; void main() { gl_Position = a; }", "layout(std140) uniform B { vec2 a; }; out vec4 c; void main() { c = vec4(a, a); }"),
        ] {
            let p = t.link(&[(GL_VERTEX_SHADER, vs), (GL_FRAGMENT_SHADER, fs)], |_| {});
            t.eq(what, t.program_int(p, GL_LINK_STATUS), 0);
            t.is(&format!("{what}: a log"), t.program_log(p).len() > 5);
            t.wrong(&[(what, GL_INVALID_OPERATION, &|t| t.UseProgram(p))]);
        }
    }

    /// A program whose second link fails goes on with what it had.
    fn a_failed_link_keeps_the_running_program(t) {
        t.target(GL_RGBA8, (4, 4));
        let p = t.paint(PLAIN);
        t.color([0.0, 1.0, 0.0, 1.0]);
        let mut shaders = [0u32; 4];
        let mut n = 0;
        t.GetAttachedShaders(p, 4, &mut n, shaders.as_mut_ptr());
        t.eq("attached", n, 2);
        for s in &shaders[..2] { t.DetachShader(p, *s) }
        for (stage, source) in [(GL_VERTEX_SHADER, RECT), (GL_FRAGMENT_SHADER, "out vec4 c; void paint() { c = vec4(1); }")] {
            let s = t.shader(stage, source);
            t.AttachShader(p, s);
        }
        t.LinkProgram(p);
        t.eq("not linked", t.program_int(p, GL_LINK_STATUS), 0);
        t.strip();
        t.ok("drawing goes on");
        t.pixel_is("as before", 1, 1, [0, 255, 0, 255]);
    }

    /// A program in use that is linked anew draws with the new executable.
    fn relinked_in_use(t) {
        t.target(GL_RGBA8, (4, 4));
        let p = t.paint(PLAIN);
        t.strip();
        t.pixel_is("first", 1, 1, [255; 4]);
        let mut shaders = [0u32; 4];
        let mut n = 0;
        t.GetAttachedShaders(p, 4, &mut n, shaders.as_mut_ptr());
        let of = |kind: u32| shaders[..2].iter().copied().find(|s| t.shader_int(*s, GL_SHADER_TYPE) as u32 == kind).expect("attached");
        t.DetachShader(p, of(GL_FRAGMENT_SHADER));
        let other = t.shader(GL_FRAGMENT_SHADER, "out vec4 c; void main() { c = vec4(0, 0, 1, 1); }");
        t.AttachShader(p, other);
        t.LinkProgram(p);
        t.eq("linked", t.program_int(p, GL_LINK_STATUS), 1);
        t.strip();
        t.pixel_is("second", 1, 1, [0, 0, 255, 255]);
    }

    /// Attribute locations: bound before the link, laid out, or chosen.
    fn attribute_locations(t) {
        let p = t.link(&[(GL_VERTEX_SHADER, "in vec4 a; in mat2 m; in vec3 d; layout(location = 7) in vec2 fixed_; void main() { gl_Position = a + vec4(d, 1) + vec4(m[0], m[1]) + vec4(fixed_, 0, 0); }"),
            (GL_FRAGMENT_SHADER, PLAIN)], |p| {
            t.BindAttribLocation(p, 5, cstr("a").as_ptr());
            t.BindAttribLocation(p, 2, cstr("d").as_ptr());
            t.BindAttribLocation(p, 1, cstr("fixed_").as_ptr());
            t.BindAttribLocation(p, 9, cstr("absent").as_ptr());
        });
        let at = |name: &str| t.GetAttribLocation(p, cstr(name).as_ptr());
        t.eq("locations", (at("a"), at("d"), at("fixed_"), at("absent"), at("gl_Position")), (5, 2, 7, -1, -1));
        let m = at("m");
        t.is("the matrix has two of its own", m >= 0 && ![2, 5, 7].contains(&m) && ![2, 5, 7].contains(&(m + 1)));
        t.eq("active", attributes(t, p), vec![("a".into(), 1, GL_FLOAT_VEC4), ("d".into(), 1, GL_FLOAT_VEC3), ("fixed_".into(), 1, GL_FLOAT_VEC2), ("m".into(), 1, GL_FLOAT_MAT2)]);
        t.eq("GL_ACTIVE_ATTRIBUTE_MAX_LENGTH", t.program_int(p, GL_ACTIVE_ATTRIBUTE_MAX_LENGTH), 7);
        let last = t.int(GL_MAX_VERTEX_ATTRIBS) as u32;
        t.wrong(&[
            ("a location too many", GL_INVALID_VALUE, &|t| t.BindAttribLocation(p, last, cstr("a").as_ptr())),
            ("a reserved name", GL_INVALID_OPERATION, &|t| t.BindAttribLocation(p, 0, cstr("gl_Vertex").as_ptr())),
            ("an index too many", GL_INVALID_VALUE, &|t| t.GetActiveAttrib(p, 4, 0, std::ptr::null_mut(), &mut 0, &mut 0, std::ptr::null_mut())),
        ]);
    }

    /// Active uniforms: those that are used, arrays with [0], structures by member, samplers.
    fn active_uniforms(t) {
        let p = t.program("in vec4 p; uniform mat4 view; uniform float unused; void main() { gl_Position = view * p; }",
            "struct L { vec3 a; float b; }; uniform L light; uniform float w[3]; uniform sampler2D t; uniform isamplerCube k; uniform sampler2DArrayShadow s; uniform bvec2 flags; uniform uvec3 u; out vec4 c;
             void main() { c = vec4(light.a, light.b) * w[2] + texture(t, light.a.xy) + vec4(texture(k, light.a)) + texture(s, vec4(1)) + vec4(flags, u.xy); }");
        let want = [("flags", 1, GL_BOOL_VEC2), ("k", 1, GL_INT_SAMPLER_CUBE), ("light.a", 1, GL_FLOAT_VEC3), ("light.b", 1, GL_FLOAT), ("s", 1, GL_SAMPLER_2D_ARRAY_SHADOW),
            ("t", 1, GL_SAMPLER_2D), ("u", 1, GL_UNSIGNED_INT_VEC3), ("view", 1, GL_FLOAT_MAT4), ("w[0]", 3, GL_FLOAT)];
        let want: Vec<(String, i32, u32)> = want.into_iter().map(|(n, s, k)| (n.into(), s, k)).collect();
        t.eq("uniforms", uniforms(t, p), want);
        t.eq("longest name", t.program_int(p, GL_ACTIVE_UNIFORM_MAX_LENGTH), 8);
        t.is("array elements have locations", t.at("w") == t.at("w[0]") && t.at("w[1]") >= 0 && t.at("w[2]") >= 0 && t.at("w[3]") == -1);
        t.eq("unused", t.at("unused"), -1);
        let (mut name, mut n, mut size, mut ty) = ([0x7Fu8; 4], 0, 0, 0);
        let long = (0..9).find(|i| { t.GetActiveUniform(p, *i, 4, &mut n, &mut size, &mut ty, name.as_mut_ptr().cast()); &name == b"lig\0" });
        t.is("a name that is cut", long.is_some() && n == 3);
        t.wrong(&[("an index too many", GL_INVALID_VALUE, &|t| t.GetActiveUniform(p, 9, 0, std::ptr::null_mut(), &mut 0, &mut 0, std::ptr::null_mut()))]);
    }

    /// Fragment outputs: bound or laid out.
    fn output_locations(t) {
        let p = t.link(&[(GL_VERTEX_SHADER, RECT), (GL_FRAGMENT_SHADER, "out vec4 a; out vec4 b; layout(location = 3) out vec4 d; void main() { a = vec4(1); b = vec4(0); d = vec4(0.5); }")], |p| {
            t.BindFragDataLocation(p, 2, cstr("a").as_ptr());
            t.BindFragDataLocation(p, 0, cstr("b").as_ptr());
        });
        t.eq("locations", ["a", "b", "d", "e"].map(|n| t.GetFragDataLocation(p, cstr(n).as_ptr())), [2, 0, 3, -1]);
        let last = t.int(GL_MAX_DRAW_BUFFERS) as u32;
        t.wrong(&[
            ("too many", GL_INVALID_VALUE, &|t| t.BindFragDataLocation(p, last, cstr("a").as_ptr())),
            ("a reserved name", GL_INVALID_OPERATION, &|t| t.BindFragDataLocation(p, 0, cstr("gl_FragColor").as_ptr())),
        ]);
    }

    /// A program in use that is deleted lives until another is used; so do attached shaders.
    fn deleted_while_used(t) {
        t.target(GL_RGBA8, (4, 4));
        let p = t.paint(PLAIN);
        let s = t.shader(GL_FRAGMENT_SHADER, PLAIN);
        t.AttachShader(p, s);
        t.DeleteShader(s);
        t.eq("a shader that is attached", (t.IsShader(s), t.shader_int(s, GL_DELETE_STATUS)), (1, 1));
        t.DeleteProgram(p);
        t.eq("a program in use", (t.IsProgram(p), t.program_int(p, GL_DELETE_STATUS)), (1, 1));
        t.clear([0.0; 4]);
        t.strip();
        t.pixel_is("drawn with", 1, 1, [255; 4]);
        t.UseProgram(0);
        t.eq("gone", (t.IsProgram(p), t.IsShader(s)), (0, 0));
    }

    /// Attaching twice, detaching what is not attached.
    fn attachment_errors(t) {
        let (p, s) = (t.CreateProgram(), t.shader(GL_VERTEX_SHADER, VS));
        t.AttachShader(p, s);
        t.wrong(&[
            ("twice", GL_INVALID_OPERATION, &|t| t.AttachShader(p, s)),
            ("no shader", GL_INVALID_VALUE, &|t| t.AttachShader(p, 4567)),
            ("no program", GL_INVALID_VALUE, &|t| t.AttachShader(4567, s)),
            ("a negative number", GL_INVALID_VALUE, &|t| t.GetAttachedShaders(p, -1, &mut 0, std::ptr::null_mut())),
            ("a query that is none", GL_INVALID_ENUM, &|t| t.GetProgramiv(p, GL_COMPILE_STATUS, &mut 0)),
        ]);
        t.DetachShader(p, s);
        t.wrong(&[("not attached", GL_INVALID_OPERATION, &|t| t.DetachShader(p, s))]);
    }

    /// glValidateProgram says whether a program could draw now.
    fn validation(t) {
        t.target(GL_RGBA8, (4, 4));
        let p = t.paint("uniform sampler2D a; uniform samplerCube b; out vec4 c; void main() { c = texture(a, vec2(0)) + texture(b, vec3(1)); }");
        t.Uniform1i(t.at("b"), 1);
        t.ValidateProgram(p);
        t.eq("valid", t.program_int(p, GL_VALIDATE_STATUS), 1);
        t.Uniform1i(t.at("b"), 0);
        t.ValidateProgram(p);
        t.eq("two types on one unit", t.program_int(p, GL_VALIDATE_STATUS), 0);
        t.wrong(&[
            ("drawing with it", GL_INVALID_OPERATION, &|t| t.strip()),
            ("no program", GL_INVALID_VALUE, &|t| t.ValidateProgram(7654)),
        ]);
    }

    /// A geometry program tells its input, output and count.
    fn geometry_parameters(t) {
        let p = t.program_with(&[(GL_VERTEX_SHADER, VS), (GL_GEOMETRY_SHADER, "layout(triangles) in; layout(line_strip, max_vertices = 5) out;
            void main() { for (int i = 0; i < 3; i++) { gl_Position = gl_in[i].gl_Position; EmitVertex(); } EndPrimitive(); }"), (GL_FRAGMENT_SHADER, PLAIN)], |_| {});
        t.eq("parameters", [GL_GEOMETRY_INPUT_TYPE, GL_GEOMETRY_OUTPUT_TYPE, GL_GEOMETRY_VERTICES_OUT].map(|n| t.program_int(p, n)), [GL_TRIANGLES as i32, GL_LINE_STRIP as i32, 5]);
        let q = t.program(VS, PLAIN);
        t.wrong(&[("a program without", GL_INVALID_OPERATION, &|t| t.GetProgramiv(q, GL_GEOMETRY_INPUT_TYPE, &mut 0))]);
    }

    /// GLSL of old versions in a context that takes it.
    [Compatibility] fn old_languages(t) {
        t.target(GL_RGBA8, (4, 4));
        for (version, vs, fs) in [
            ("none", "attribute vec4 p; varying vec2 v; void main() { v = p.xy; gl_Position = p; }", "varying vec2 v; uniform vec4 k; void main() { gl_FragColor = k + vec4(v, 0.0, 0.0) * 0.0; }"),
            ("#version 120", "attribute vec4 p; void main() { gl_Position = p; }", "uniform vec4 k; void main() { gl_FragData[0] = k; }"),
            ("#version 130", "in vec4 p; void main() { gl_Position = p; }", "uniform vec4 k; out vec4 c; void main() { c = k; }"),
            ("#version 150", "in vec4 p; void main() { gl_Position = p; }", "uniform vec4 k; out vec4 c; void main() { c = k; }"),
        ] {
            // A text of none starts with a comment, so that no version is put before it.
            let source = |text: &str| if version == "none" { format!("#version 110\n{text}") } else { format!("{version}\n{text}") };
            t.clear([0.0; 4]);
            t.program_with(&[(GL_VERTEX_SHADER, &source(vs)), (GL_FRAGMENT_SHADER, &source(fs))], |p| t.BindAttribLocation(p, 0, cstr("p").as_ptr()));
            t.buffer(GL_ARRAY_BUFFER, &[[-1f32, -1.0], [3.0, -1.0], [-1.0, 3.0]]);
            t.EnableVertexAttribArray(0);
            t.VertexAttribPointer(0, 2, GL_FLOAT, 0, 0, std::ptr::null());
            t.Uniform4f(t.at("k"), 0.2, 0.4, 0.6, 0.8);
            t.DrawArrays(GL_TRIANGLES, 0, 3);
            t.pixel_is(version, 1, 1, [51, 102, 153, 204]);
        }
    }
}
