//! The shading language as programs of many ages write it (GLSL 1.10 to 3.30): samplers in structures, names that later
//! versions took, clip distances of different sizes, and a table of constructs with what must come of each.

use crate::bindings::consts::gl::*;
use crate::rig::{Rig, SIZE, cstr};

const MIDDLE: i32 = SIZE / 2;

/// Textures of one colour each on the first units: red, green, blue, and a dark grey.
fn units(t: &Rig) {
    let colors = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [64, 64, 64, 255]];
    for (unit, color) in colors.into_iter().enumerate() {
        t.ActiveTexture(GL_TEXTURE0 + unit as u32);
        t.rgba((1, 1), &[color]);
    }
}

fn active(t: &Rig, p: u32) -> Vec<(String, i32, u32)> {
    let mut all: Vec<_> = (0..t.program_int(p, GL_ACTIVE_UNIFORMS) as u32)
        .map(|i| {
            let (mut name, mut n, mut size, mut ty) = ([0u8; 80], 0, 0, 0);
            t.GetActiveUniform(p, i, 80, &mut n, &mut size, &mut ty, name.as_mut_ptr().cast());
            (String::from_utf8_lossy(&name[..n as usize]).into_owned(), size, ty)
        })
        .filter(|(name, ..)| name != "rect" && name != "z")
        .collect();
    all.sort();
    all
}

/// What a shader comes to.
#[derive(Clone, Copy)]
enum Comes {
    /// It draws this colour.
    To([u8; 4]),
    /// It does not compile or the program does not link.
    ToNothing,
}
use Comes::{To, ToNothing};

const HALF: Comes = To([128; 4]);

/// Compiles, links and draws a fragment shader, with a vertex shader that any version of it goes with.
fn comes(t: &Rig, what: &str, stages: &[(u32, &str)], want: Comes) {
    let p = t.CreateProgram();
    let mut compiled = true;
    for (stage, source) in stages {
        let s = t.shader_unchecked(*stage, source);
        compiled &= t.shader_int(s, GL_COMPILE_STATUS) == 1;
        if !compiled && matches!(want, To(_)) {
            t.fail(&format!("{what}: {}", t.shader_log(s)));
        }
        t.AttachShader(p, s);
        t.DeleteShader(s);
    }
    t.BindAttribLocation(p, 0, cstr("p").as_ptr());
    t.LinkProgram(p);
    let linked = compiled && t.program_int(p, GL_LINK_STATUS) == 1;
    match want {
        ToNothing => t.is(&format!("{what}: refused"), !linked),
        To(color) if linked => {
            t.UseProgram(p);
            t.clear([0.0; 4]);
            t.strip();
            let got = t.pixel(MIDDLE, MIDDLE);
            let near = got.iter().zip(color).all(|(a, b)| a.abs_diff(b) <= 1);
            t.is(&format!("{what}: {got:?}, not {color:?}"), near);
            t.UseProgram(0);
        }
        To(_) if compiled => t.fail(&format!("{what}: {}", t.program_log(p))),
        To(_) => {}
    }
    t.DeleteProgram(p);
}

const VS_110: &str = "#version 110\nattribute vec2 p; void main() { gl_Position = vec4(p, 0.0, 1.0); }";
const VS_330: &str = "#version 330\nin vec2 p; void main() { gl_Position = vec4(p, 0.0, 1.0); }";

/// A rectangle over all in attribute 0.
fn full_rectangle(t: &Rig) {
    t.buffer(GL_ARRAY_BUFFER, &[-1.0f32, -1.0, 1.0, -1.0, -1.0, 1.0, 1.0, 1.0]);
    t.VertexAttribPointer(0, 2, GL_FLOAT, 0, 0, std::ptr::null());
    t.EnableVertexAttribArray(0);
}

/// A fragment shader of this version that gives a colour.
fn fragment(version: u32, globals: &str, color: &str) -> String {
    if version < 130 {
        return format!("#version {version}\n{globals}\nvoid main() {{ gl_FragColor = {color}; }}");
    }
    format!("#version {version}\nout vec4 mine;\n{globals}\nvoid main() {{ mine = {color}; }}")
}

fn fragment_comes(t: &Rig, what: &str, source: &str, want: Comes) {
    let old = source.starts_with("#version 110") || source.starts_with("#version 120");
    let vertex = if old { VS_110 } else { VS_330 };
    comes(t, what, &[(GL_VERTEX_SHADER, vertex), (GL_FRAGMENT_SHADER, source)], want);
}

scenarios! {
    /// Samplers of an array of structures, indexed and passed in all ways; each is a uniform by its own name (§4.1.7,
    /// GL 3.3 §2.11.4).
    fn samplers_in_structures(t) {
        units(t);
        let simple = "struct L { float k; sampler2D m; }; uniform L l[3];";
        let deep = "struct T { sampler2D a; float k; }; struct S { float q; T t[2]; }; uniform S s[2];";
        let lists = "struct A { float k; sampler2D m[2]; }; uniform A a[2]; uniform A one;";
        let bare = "struct B { sampler2D m; }; uniform B b[3];";
        let l: &[(&str, i32)] = &[("l[0].m", 0), ("l[1].m", 1), ("l[2].m", 2)];
        let s: &[(&str, i32)] = &[("s[0].t[0].a", 0), ("s[0].t[1].a", 1), ("s[1].t[0].a", 2), ("s[1].t[1].a", 3)];
        let a: &[(&str, i32)] = &[("a[0].m[0]", 0), ("a[0].m[1]", 1), ("a[1].m[0]", 2), ("a[1].m[1]", 3), ("one.m", 1), ("one.m[1]", 2)];
        let b: &[(&str, i32)] = &[("b[0].m", 2), ("b[1].m", 1), ("b[2].m", 0)];
        for (what, declared, functions, code, samplers, want) in [
            ("a loop counter", simple, "", "for (int i = 0; i < 3; i++) c += l[i].k * texture(l[i].m, uv);", l, [128, 128, 128, 255]),
            ("a constant", simple, "", "c = texture(l[1].m, uv) + texture(l[3 - 1].m, uv);", l, [0, 255, 255, 255]),
            ("a uniform", simple, "", "c = texture(l[two].m, uv);", l, [0, 0, 255, 255]),
            ("an expression with an effect", simple, "", "int i = 0; c = texture(l[i++].m, uv) + texture(l[i].m, uv);", l, [255, 255, 0, 255]),
            ("an index by fragment", simple, "", "c = texture(l[gl_FragCoord.x < 1.0 ? 0 : 1].m, uv);", l, [0, 255, 0, 255]),
            ("a structure of samplers alone", bare, "", "for (int i = 0; i < 2; i++) c += texture(b[i + 1].m, uv);", b, [255, 255, 0, 255]),
            ("a structure as an argument", simple, "vec4 f(L x) { return x.k * texture(x.m, uv); }",
                "for (int i = 0; i < 2; i++) c += f(l[i]); c += f(l[two]);", l, [128, 128, 128, 255]),
            ("an argument that is changed", simple, "vec4 f(L x) { x.k *= 2.0; return x.k * texture(x.m, uv); }",
                "int i = 0; c = f(l[i++]) + f(l[i]);", l, [255, 255, 0, 255]),
            ("a prototype and an overload", simple, "vec4 f(const in L x, vec2 at); vec4 f(L x, float k) { return k * texture(x.m, uv); }",
                "c = f(l[0], uv) + f(l[two], 0.5); } vec4 f(const in L y, vec2 at) { return texture(y.m, at);", l, [255, 0, 128, 255]),
            ("a member as an argument", simple, "vec4 f(sampler2D x) { return texture(x, uv); }",
                "for (int i = 1; i < 3; i++) c += f(l[i].m);", l, [0, 255, 255, 255]),
            ("an array of structures as an argument", simple, "vec4 f(L x[3], int i) { return x[i].k * texture(x[i].m, uv); }",
                "c = f(l, 0) + f(l, two);", l, [128, 0, 128, 255]),
            ("an array as an argument", "uniform sampler2D m[3];", "vec4 f(sampler2D x[3], int i) { return texture(x[i], uv); } vec4 g(sampler2D x[3]) { return f(x, 1); }",
                "c = f(m, 0) + g(m);", &[("m[0]", 0), ("m[1]", 1)], [255, 255, 0, 255]),
            ("a structure of the same name in a block", simple, "struct P { vec4 m; };",
                "{ P l[2]; l[1].m = vec4(0.0, 0.0, 1.0, 0.0); c += l[1].m; } c += texture(l[0].m, uv);", l, [255, 0, 255, 255]),
            ("structures in structures", deep, "",
                "for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) c += s[i].t[j].k * texture(s[i].t[j].a, uv);", s, [160, 160, 160, 255]),
            ("structures in structures as arguments", deep, "vec4 g(T x) { return texture(x.a, uv); } vec4 f(S x, int j) { return g(x.t[j]); }",
                "c = f(s[0], one_) + f(s[one_], 0);", s, [0, 255, 255, 255]),
            ("arrays in structures", lists, "", "c = texture(a[one_].m[0], uv) + texture(one.m[0], uv);", a, [0, 255, 255, 255]),
            ("arrays in structures as arguments", lists, "vec4 f(sampler2D x[2], int i) { return texture(x[i], uv); }",
                "c = f(a[0].m, 0) + f(a[one_].m, 0) + f(one.m, 0);", a, [255, 255, 255, 255]),
        ] {
            let source = format!("uniform int two, one_; in vec2 uv; out vec4 c; {declared}\n{functions}\nvoid main() {{ c = vec4(0); {code} c.a = 1.0; }}");
            // Mesa refuses or breaks at some: arrays whose elements are chosen at run time inside, changed arguments.
            if t.is_oracle() && (what.contains("arrays in") || what.contains("changed") || what == "an array as an argument") {
                continue;
            }
            t.paint(&source);
            t.Uniform1i(t.at("two"), 2);
            t.Uniform1i(t.at("one_"), 1);
            for (name, unit) in samplers {
                t.Uniform1i(t.at(name), *unit);
            }
            for name in ["l[0].k", "l[1].k", "l[2].k", "s[0].t[0].k", "s[0].t[1].k", "s[1].t[0].k", "s[1].t[1].k"] {
                t.Uniform1f(t.at(name), 0.5);
            }
            t.clear([0.0; 4]);
            t.strip();
            let got = t.pixel(MIDDLE, MIDDLE);
            let near = got.iter().zip(want).all(|(a, b)| a.abs_diff(b) <= 1);
            t.is(&format!("{what}: {got:?}, not {want:?}"), near);
            t.ok(what);
        }
        // What GL tells of them.
        let p = t.paint("struct T { sampler2D a[2]; }; struct S { float k; T t; samplerCube q; }; uniform S s[2]; uniform int i; in vec2 uv; out vec4 c;
            void main() { c = s[i].k * texture(s[i].t.a[1], uv) + texture(s[i].q, vec3(1)); }");
        t.eq("active", active(t, p), [
            ("i", 1, GL_INT), ("s[0].k", 1, GL_FLOAT), ("s[0].q", 1, GL_SAMPLER_CUBE), ("s[0].t.a[0]", 2, GL_SAMPLER_2D),
            ("s[1].k", 1, GL_FLOAT), ("s[1].q", 1, GL_SAMPLER_CUBE), ("s[1].t.a[0]", 2, GL_SAMPLER_2D),
        ].map(|(n, s, ty)| (n.to_owned(), s, ty)).to_vec());
        t.is("located", ["s[1].t.a", "s[1].t.a[0]", "s[1].t.a[1]", "s[0].q"].iter().all(|n| t.at(n) >= 0));
        for name in ["s", "s[0]", "s.t", "s[2].q", "s[0].t", "s[0].t.a[2]"] {
            t.eq(name, t.at(name), -1);
        }
        t.Uniform1iv(t.at("s[1].t.a"), 2, [5, 6].as_ptr());
        let mut unit = 0;
        t.GetUniformiv(p, t.at("s[1].t.a[1]"), &mut unit);
        t.eq("a unit", unit, 6);
    }

    /// The same structure in both stages: one uniform.
    fn samplers_in_structures_of_two_stages(t) {
        units(t);
        let both = "struct L { float k; sampler2D m; }; uniform L l[3];";
        t.program(
            &format!("{both} out vec4 v; void main() {{ v = vec4(0); for (int i = 0; i < 2; i++) v += l[i].k * textureLod(l[i].m, vec2(0.5), 0.0);
                gl_Position = vec4(gl_VertexID & 1, gl_VertexID >> 1, 0.5, 0.5) * 4.0 - vec4(2, 2, 1, 1); }}"),
            &format!("{both} in vec4 v; out vec4 c; void main() {{ c = vec4(v.rgb + l[2].k * texture(l[2].m, vec2(0.5)).rgb, 1); }}"),
        );
        for (i, k) in [0.25, 0.5, 1.0].into_iter().enumerate() {
            t.Uniform1i(t.at(&format!("l[{i}].m")), i as i32);
            t.Uniform1f(t.at(&format!("l[{i}].k")), k);
        }
        t.strip();
        t.pixel_is("all three", MIDDLE, MIDDLE, [64, 128, 255, 255]);
    }

    /// Keywords and reserved words of later versions are names (§3.6).
    [Compatibility] fn later_words(t) {
        full_rectangle(t);
        for (since, words) in [
            (120, "centroid invariant mat2x3 mat4x4"),
            (130, "active case common double filter flat noperspective partition smooth superp uint uvec2 isampler2D usamplerCube \
                sampler2DArray sampler1DArrayShadow samplerCubeShadow samplerBuffer image1D image2D uimage3D iimageCube imageBuffer"),
            (140, "layout isamplerBuffer usampler2DRect"),
            (150, "sampler2DMS isampler2DMSArray"),
            (400, "patch precise sample subroutine samplerCubeArray samplerCubeArrayShadow"),
            (420, "atomic_uint coherent readonly restrict writeonly resource"),
            (430, "buffer shared"),
            (999, "sampler texture2D texture1DArray itexture3D textureBuffer subpassInput float16_t int64_t demote"),
        ] {
            for word in words.split_whitespace() {
                for version in [110, 120, 130, 140, 150, 330].into_iter().filter(|v| *v < since) {
                    let uses = format!(
                        "float id(float {word}) {{ return {word} * 0.5; }} float f(float x) {{ float {word} = x; return id({word}); }}
                        struct S {{ float {word}; }}; float g(float x) {{ S s; s.{word} = x; return f(s.{word}); }}"
                    );
                    fragment_comes(t, &format!("{version}: {word}"), &fragment(version, &uses, "vec4(g(1.0))"), HALF);
                }
                let newest = [110, 120, 130, 140, 150, 330].into_iter().rfind(|v| *v < since).unwrap_or(110);
                let function = format!("float {word}(float x) {{ return x; }}");
                fragment_comes(t, &format!("function {word}"), &fragment(newest, &function, &format!("vec4({word}(0.5))")), HALF);
                let structure = format!("struct {word} {{ float a; }}; float f({word} x) {{ return x.a; }}");
                fragment_comes(t, &format!("structure {word}"), &fragment(newest, &structure, &format!("vec4(f({word}(0.5)))")), HALF);
                let hidden = format!("#define {word} 0.5");
                fragment_comes(t, &format!("macro {word}"), &fragment(newest, &hidden, &format!("vec4({word})")), HALF);
            }
        }
    }

    /// Built-in functions of later versions are names, whatever their types (§8).
    [Compatibility] fn later_functions(t) {
        full_rectangle(t);
        for (since, names) in [
            (120, "transpose outerProduct"),
            (130, "round trunc sinh isnan texture textureLod textureSize texelFetch"),
            (140, "inverse"),
            (150, "determinant"),
            (330, "floatBitsToInt intBitsToFloat"),
            (400, "fma frexp ldexp bitCount findLSB bitfieldExtract packUnorm4x8 unpackSnorm4x8 umulExtended textureGather \
                interpolateAtCentroid textureQueryLod barrier"),
            (420, "packHalf2x16 unpackHalf2x16 imageLoad atomicCounter memoryBarrier"),
            (450, "dFdxFine fwidthCoarse textureSamples textureQueryLevels atomicAdd allInvocations"),
        ] {
            for name in names.split_whitespace() {
                // Mesa looks at the name alone there.
                if t.is_oracle() && name == "atomicAdd" {
                    continue;
                }
                for version in [110, 120, 130, 140, 150, 330].into_iter().filter(|v| *v < since) {
                    let functions = format!("float {name}(float a) {{ return a; }} vec2 {name}(vec2 a, int b) {{ return a; }}");
                    let color = format!("vec4({name}(0.5), {name}(vec2(0.5), 1), {name}(0.5))");
                    fragment_comes(t, &format!("{version}: {name}"), &fragment(version, &functions, &color), HALF);
                }
            }
        }
        for (what, globals, color) in [
            ("the built-in's own types", "int bitCount(int x) { return 1; } uint packHalf2x16(vec2 v) { return 1u; }", "vec4(bitCount(7)) * float(packHalf2x16(vec2(3))) * 0.5"),
            ("another type of result", "vec4 ldexp(float a, int b) { return vec4(0.5); }", "ldexp(1.0, 1)"),
            ("a variable", "uniform float fma = 0.5;", "vec4(fma)"),
            ("a structure", "struct frexp { float a; };", "vec4(frexp(0.5).a)"),
            ("a redefined one of its own version", "float max(float a, float b) { return 0.5; }", "vec4(max(1.0, 2.0))"),
        ] {
            fragment_comes(t, what, &fragment(330, globals, color), HALF);
        }
    }

    /// Constructs and what must come of them.
    [Compatibility] fn constructs(t) {
        full_rectangle(t);
        for (what, source, want) in [
            ("a semicolon behind a function", "#version 330\nout vec4 o; float f() { return 0.5; };\nvoid main() { o = vec4(f()); };", HALF),
            ("semicolons", "#version 110\n; float f() { return 0.5; };; struct S { float a; };;\nvoid main() {; gl_FragColor = vec4(f());; };", HALF),
            ("a semicolon too many in a structure", "#version 330\nout vec4 o; struct S { float a;; };\nvoid main() { o = vec4(0.5); }", ToNothing),
            ("an empty last statement", "#version 330\nout vec4 o; void main() { uint u = 1u; switch (u) { case 1u: o = vec4(0.5); break; default: ; } }", HALF),
            ("no last statement", "#version 330\nout vec4 o; void main() { int u = 1; o = vec4(0.5); switch (u) { case 1: break; default: } }", ToNothing),
            ("recursion", "#version 330\nout vec4 o; float f(int n) { return n > 0 ? f(n - 1) : 1.0; } void main() { o = vec4(f(3)); }", ToNothing),
            ("an input without an output", "#version 330\nin vec4 v; out vec4 o; void main() { o = vec4(0.5) + v * 0.0; }", HALF),
            ("a varying without a writer", "#version 120\nvarying vec4 v; void main() { gl_FragColor = v; }", ToNothing),
            ("the number of the text", "#version 330\n#line 7 2\nout vec4 o; void main() { o = vec4(float(__FILE__) * 0.25); }", HALF),
            ("samplers by index before 1.30", "#version 120\nuniform sampler2D s[2]; void main() { vec4 c = vec4(0.0); for (int i = 0; i < 2; i++) c += texture2D(s[i], vec2(0.5)) * 0.0;\ngl_FragColor = c + 0.5; }", HALF),
            ("a long array of samplers, the first used", "#version 330\nuniform sampler2D s[90]; out vec4 o; void main() { o = vec4(0.5) + 0.0 * texture(s[1], vec2(0.5)); }", HALF),
            ("a constant array", "#version 330\nconst float k[3] = float[](0.1, 0.5, 0.9); uniform int u = 1; out vec4 o; void main() { o = vec4(k[u]); }", HALF),
            ("an initialiser list", "#version 330\n#extension GL_ARB_shading_language_420pack : require\nout vec4 o; void main() { float k[2] = { 0.1, 0.5 }; o = k[1].xxxx; }", HALF),
        ] {
            fragment_comes(t, what, source, want);
        }
    }

    /// Clip distances of different sizes on the two sides of an interface.
    fn clip_distances_of_two_sizes(t) {
        full_rectangle(t);
        t.Enable(GL_CLIP_DISTANCE0);
        let writes = |declared: &str, code: &str| format!("#version 330\nin vec2 p; {declared} void main() {{ gl_Position = vec4(p, 0.0, 1.0); {code} }}");
        let three = "gl_ClipDistance[0] = p.x; gl_ClipDistance[1] = 0.5; gl_ClipDistance[2] = 5.0;";
        let geometry = |declared: &str, code: &str| format!(
            "#version 330\n{declared} layout(triangles) in; layout(triangle_strip, max_vertices = 3) out; out float d;
            void main() {{ for (int i = 0; i < 3; i++) {{ gl_Position = gl_in[i].gl_Position; d = 0.5; {code} EmitVertex(); }} }}");
        let shows = "#version 330\nin float d; out vec4 o; void main() { o = vec4(d); }";
        let passes = "gl_ClipDistance[0] = gl_in[i].gl_ClipDistance[0];";
        for (what, vertex, geometry) in [
            ("given, fewer read", writes("out float gl_ClipDistance[3];", three), geometry("", passes)),
            ("by use, fewer read", writes("", three), geometry("", passes)),
            ("another read", writes("", three), geometry("", "gl_ClipDistance[0] = gl_in[i].gl_ClipDistance[0]; d = gl_in[i].gl_ClipDistance[1];")),
            ("more read than written", writes("", "gl_ClipDistance[0] = p.x;"), geometry("", "gl_ClipDistance[0] = gl_in[i].gl_ClipDistance[0]; if (d < 0.0) d = gl_in[i].gl_ClipDistance[2];")),
            ("blocks", writes("out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };", "for (int i = 0; i < 2; i++) gl_ClipDistance[i] = p.x;"),
                geometry("in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; } gl_in[];", "for (int k = 0; k < 1; k++) gl_ClipDistance[0] = gl_in[i].gl_ClipDistance[k];")),
        ] {
            let stages = [(GL_VERTEX_SHADER, vertex.as_str()), (GL_GEOMETRY_SHADER, geometry.as_str()), (GL_FRAGMENT_SHADER, shows)];
            t.program_with(&stages, |p| t.BindAttribLocation(p, 0, cstr("p").as_ptr()));
            t.clear([0.0; 4]);
            t.strip();
            t.pixel_is(&format!("{what}: in"), MIDDLE + 9, MIDDLE, [128; 4]);
            t.pixel_is(&format!("{what}: out"), MIDDLE - 9, MIDDLE, [0; 4]);
        }
        // The fragment shader reads what was written, enabled or not.
        t.Disable(GL_CLIP_DISTANCE0);
        for (what, declared, color) in [
            ("fewer", "", "vec4(gl_ClipDistance[0] + gl_ClipDistance[1])"),
            ("given", "in float gl_ClipDistance[3];", "vec4(gl_ClipDistance[1])"),
        ] {
            let code = "gl_ClipDistance[0] = 0.0; gl_ClipDistance[1] = 0.5; gl_ClipDistance[2] = 5.0;";
            let fragment = format!("#version 330\n{declared} out vec4 o; void main() {{ o = {color}; }}");
            comes(t, what, &[(GL_VERTEX_SHADER, &writes("", code)), (GL_FRAGMENT_SHADER, &fragment)], HALF);
        }
    }
}
