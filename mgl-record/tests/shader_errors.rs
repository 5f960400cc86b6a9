//! Programs that must fail, with logs that name the fault and the program's own line, and sources
//! that must not crash the compiler.

use mgl::shader::{
    CompiledShader, LinkOptions, LinkResult, ProfileHint, ShaderCompiler, XfbRequest,
};
use mgl_core::program::ShaderStage::{self, Fragment, Geometry, Vertex};
use mgl_core::program::XfbMode;
use proptest::prelude::*;

const HINT: ProfileHint = ProfileHint {
    core: false,
    max_version: 330,
};
const PASS: &str = "#version 330\nin vec4 pos; void main() { gl_Position = pos; }";
const RED: &str = "#version 330\nout vec4 c; void main() { c = vec4(1, 0, 0, 1); }";

fn compile(stage: ShaderStage, source: &str) -> CompiledShader {
    ShaderCompiler::default().compile(stage, source, HINT)
}

/// The log of a shader that must not compile.
fn refused(stage: ShaderStage, source: &str) -> String {
    let shader = compile(stage, source);
    assert!(!shader.ok, "compiled: {source}");
    shader.info_log
}

fn link_with(sources: &[(ShaderStage, &str)], options: &LinkOptions) -> LinkResult {
    let compiler = ShaderCompiler::default();
    let shaders: Vec<_> = sources
        .iter()
        .map(|(stage, source)| compiler.compile(*stage, source, HINT))
        .collect();
    for shader in &shaders {
        assert!(shader.ok, "{}", shader.info_log);
    }
    compiler.link(&shaders.iter().collect::<Vec<_>>(), options)
}

/// The log of a program that must not link.
fn unlinked(sources: &[(ShaderStage, &str)], options: &LinkOptions) -> String {
    let linked = link_with(sources, options);
    assert!(
        !linked.ok && linked.program.is_none(),
        "linked: {sources:?}"
    );
    linked.info_log
}

fn has(log: &str, parts: &[&str]) {
    for part in parts {
        assert!(log.contains(part), "`{part}` is not in:\n{log}");
    }
    assert!(!log.contains("mgl_"), "internal names are in:\n{log}");
}

#[test]
fn syntax_errors_name_their_line() {
    has(
        &refused(
            Vertex,
            "#version 330\nin vec4 a;\nvoid main() {\n  gl_Position = a\n}\n",
        ),
        &["ERROR: 0:5:", "syntax error"],
    );
    has(
        &refused(Fragment, "void main() {\n\n  gl_FragColor = vec4(1.0;\n}"),
        &["ERROR: 0:3:", "syntax error"],
    );
    // Macros and comments do not shift lines.
    has(
        &refused(
            Fragment,
            "/* one\ntwo */\n#define A \\\n 1\n#if 0\nx\n#endif\nvoid main() { float x = B; }\n",
        ),
        &["ERROR: 0:8: 'B' : undeclared identifier"],
    );
}

#[test]
fn line_directives_move_the_log() {
    has(
        &refused(
            Fragment,
            "#version 330\n#line 40 2\nvoid main() {\n  nothing = 1;\n}",
        ),
        &["ERROR: 2:41: 'nothing' : undeclared identifier"],
    );
    has(
        &refused(Fragment, "#line 40\nvoid main() {\n  nothing = 1;\n}"),
        &["ERROR: 0:42: 'nothing'"],
    );
}

#[test]
fn type_errors() {
    has(
        &refused(
            Vertex,
            "#version 330\nvoid main() {\n  vec3 a = vec4(1);\n}",
        ),
        &["ERROR: 0:3:", "cannot convert"],
    );
    has(
        &refused(
            Vertex,
            "#version 330\nvoid main() {\n  gl_Position = foo(1);\n}",
        ),
        &["ERROR: 0:3: 'foo' : no matching overloaded function found"],
    );
    has(
        &refused(
            Fragment,
            "varying vec2 uv; uniform sampler2D texture;\nvoid main() { texture = uv; }",
        ),
        &["ERROR: 0:2:", "\"texture\""],
    );
    has(
        &refused(
            Fragment,
            "#version 330\nin vec2 v; out vec4 c;\nvoid main() { v.x = 1.0; c = vec4(v, 0, 1); }",
        ),
        &["ERROR: 0:3:", "l-value required"],
    );
    has(
        &refused(Fragment, "void main() { gl_FragColor = 1.0; }"),
        &["cannot convert", "ERROR: 0:1:"],
    );
}

#[test]
fn preprocessor_errors() {
    has(
        &refused(Vertex, "#version 330\n#error out of luck\n"),
        &["ERROR: 0:2: '#error' : out of luck"],
    );
    has(
        &refused(Vertex, "#if 1\nvoid main() {}"),
        &["ERROR: 0:1: '#if' : missing #endif"],
    );
    has(
        &refused(Vertex, "#extension GL_NV_nothing : require\nvoid main() {}"),
        &["ERROR: 0:1: '#extension' : 'GL_NV_nothing' is not supported"],
    );
    has(
        &refused(Vertex, "#version 450\nvoid main() {}"),
        &["ERROR: 0:1: '#version' : GLSL 450 is not supported"],
    );
    let warned = compile(
        Vertex,
        "#extension GL_NV_nothing : enable\nvoid main() { gl_Position = vec4(0.0); }",
    );
    assert!(warned.ok);
    has(
        &warned.info_log,
        &["WARNING: 0:1: '#extension' : 'GL_NV_nothing' is not supported"],
    );
}

#[test]
fn fixed_function_is_named() {
    for (source, name) in [
        (
            "void main() {\n  gl_Position = ftransform();\n}",
            "ftransform",
        ),
        (
            "void main() {\n  gl_Position = gl_ModelViewProjectionMatrix * vec4(0.0);\n}",
            "gl_ModelViewProjectionMatrix",
        ),
        (
            "void main() {\n  gl_TexCoord[0] = vec4(0.0);\n}",
            "gl_TexCoord",
        ),
    ] {
        let log = refused(Vertex, source);
        has(
            &log,
            &[&format!(
                "ERROR: 0:2: '{name}' : fixed-function built-ins are not supported"
            )],
        );
    }
    has(
        &refused(Fragment, "void main() { gl_FragColor = gl_Color; }"),
        &["'gl_Color' : fixed-function"],
    );
}

#[test]
fn reserved_names() {
    has(
        &refused(Vertex, "#version 330\nfloat gl_mine;\nvoid main() {}"),
        &["ERROR: 0:2: 'gl_mine'", "reserved"],
    );
    has(
        &refused(Vertex, "#version 330\nfloat class;\nvoid main() {}"),
        &["ERROR: 0:2:", "Reserved word"],
    );
    has(
        &refused(Vertex, "#version 330\nfloat uint;\nvoid main() {}"),
        &["ERROR: 0:2:"],
    );
}

#[test]
fn no_main() {
    let log = unlinked(
        &[(Vertex, "#version 330\nvoid helper() {}"), (Fragment, RED)],
        &LinkOptions::default(),
    );
    has(&log, &["vertex stage", "Missing entry point"]);
}

#[test]
fn functions_without_bodies_and_with_two() {
    let lone =
        "#version 330\nin vec4 pos; vec4 place(vec4 p); void main() { gl_Position = place(pos); }";
    has(
        &unlinked(&[(Vertex, lone), (Fragment, RED)], &LinkOptions::default()),
        &["No function definition", "place"],
    );
    let body = "#version 330\nvec4 place(vec4 p) { return p; }";
    let other = "#version 330\nvec4 place(vec4 p) { return p * 2.0; }";
    has(
        &unlinked(
            &[
                (Vertex, lone),
                (Vertex, body),
                (Vertex, other),
                (Fragment, RED),
            ],
            &LinkOptions::default(),
        ),
        &["Multiple function bodies", "place"],
    );
    has(
        &unlinked(
            &[(Vertex, PASS), (Vertex, PASS), (Fragment, RED)],
            &LinkOptions::default(),
        ),
        &["entry points"],
    );
}

#[test]
fn interfaces_must_match() {
    let vertex =
        "#version 330\nin vec4 pos; out vec3 v; void main() { v = pos.xyz; gl_Position = pos; }";
    let fragment =
        |v: &str| format!("#version 330\nin {v}; out vec4 c; void main() {{ c = vec4(v.x); }}");
    has(
        &unlinked(
            &[(Vertex, vertex), (Fragment, &fragment("vec2 v"))],
            &LinkOptions::default(),
        ),
        &["v", "vec3", "vec2"],
    );
    // Up to GLSL 1.20 an input without an output is an error (§4.3.6); later versions leave its value open.
    let old = "#version 120\nattribute vec4 pos; varying vec3 v; void main() { v = pos.xyz; gl_Position = pos; }";
    let other = "#version 120\nvarying vec3 w; void main() { gl_FragColor = vec4(w, 1.0); }";
    has(
        &unlinked(&[(Vertex, old), (Fragment, other)], &LinkOptions::default()),
        &["input `w` of the fragment shader has no matching output in the vertex shader"],
    );
    let other = "#version 330\nin vec3 w; out vec4 c; void main() { c = vec4(w, 1); }";
    assert!(
        link_with(
            &[(Vertex, vertex), (Fragment, other)],
            &LinkOptions::default()
        )
        .ok
    );
    // A declaration that nothing reads is no error.
    let idle = "#version 330\nin vec3 w; out vec4 c; void main() { c = vec4(1); }";
    assert!(
        link_with(
            &[(Vertex, vertex), (Fragment, idle)],
            &LinkOptions::default()
        )
        .ok
    );
}

#[test]
fn uniforms_must_match() {
    let vertex = "#version 330\nin vec4 pos; uniform vec3 u; void main() { gl_Position = pos + vec4(u, 0); }";
    let fragment = "#version 330\nuniform vec4 u; out vec4 c; void main() { c = u; }";
    has(
        &unlinked(
            &[(Vertex, vertex), (Fragment, fragment)],
            &LinkOptions::default(),
        ),
        &["Types must match", "u"],
    );
    let vertex = "#version 330\nin vec4 pos; uniform sampler2D u; void main() { gl_Position = pos + texture(u, pos.xy); }";
    let fragment =
        "#version 330\nuniform samplerCube u; out vec4 c; void main() { c = texture(u, vec3(1)); }";
    let log = unlinked(
        &[(Vertex, vertex), (Fragment, fragment)],
        &LinkOptions::default(),
    );
    has(&log, &["u"]);
    let vertex = "#version 330\nin vec4 pos; uniform B { vec3 u; }; void main() { gl_Position = pos + vec4(u, 0); }";
    let fragment = "#version 330\nuniform B { vec4 u; }; out vec4 c; void main() { c = u; }";
    has(
        &unlinked(
            &[(Vertex, vertex), (Fragment, fragment)],
            &LinkOptions::default(),
        ),
        &["B"],
    );
}

#[test]
fn sampler_arrays_want_constant_indices() {
    // Drivers take any index into an array of structures that hold samplers.
    let fragment = "#version 330\nstruct L { sampler2D m; float k; }; uniform L l[3]; out vec4 c; void main() { c = vec4(0); for (int i = 0; i < 3; i++) c += texture(l[i].m, vec2(0)) * l[i].k; }";
    let link = link_with(
        &[(Vertex, PASS), (Fragment, fragment)],
        &LinkOptions::default(),
    );
    assert!(link.ok, "{}", link.info_log);
    has(
        &refused(
            Fragment,
            "#version 330\nuniform sampler2D t[4]; uniform int n; out vec4 c;\nvoid main() { c = texture(t[n], vec2(0)); }",
        ),
        &["ERROR: 0:3: 'variable indexing sampler array'"],
    );
}

#[test]
fn limits_are_enforced() {
    let mut options = LinkOptions::default();
    options.attrib_bindings.insert("pos".into(), 16);
    has(
        &unlinked(&[(Vertex, PASS), (Fragment, RED)], &options),
        &["vertex attribute `pos` at location 16 does not fit in 16 attributes"],
    );
    let two = "#version 330\nin vec4 a; in vec4 b; void main() { gl_Position = a + b; }";
    let mut options = LinkOptions::default();
    options.attrib_bindings.insert("a".into(), 3);
    options.attrib_bindings.insert("b".into(), 3);
    has(
        &unlinked(&[(Vertex, two), (Fragment, RED)], &options),
        &["shares location 3"],
    );
    let many = "#version 330\nin mat4 a, b, c, d; in float e; void main() { gl_Position = (a * b * c * d)[0] * e; }";
    has(
        &unlinked(&[(Vertex, many), (Fragment, RED)], &LinkOptions::default()),
        &["consecutive locations are left of 16 for vertex attribute `e`"],
    );
    let samplers: String = (0..17)
        .map(|n| format!("uniform sampler2D s{n};"))
        .collect();
    let reads: String = (0..17)
        .map(|n| format!("+ texture(s{n}, vec2(0))"))
        .collect();
    let fragment =
        format!("#version 330\n{samplers} out vec4 c; void main() {{ c = vec4(0) {reads}; }}");
    has(
        &unlinked(
            &[(Vertex, PASS), (Fragment, &fragment)],
            &LinkOptions::default(),
        ),
        &["the fragment shader uses 17 samplers, the limit is 16"],
    );
    let mut options = LinkOptions::default();
    options.frag_data_bindings.insert("c".into(), (8, 0));
    has(
        &unlinked(&[(Vertex, PASS), (Fragment, RED)], &options),
        &["fragment output `c` at location 8"],
    );
    let vertex = "#version 330\nin vec4 pos; out vec4 v[16]; void main() { for (int i = 0; i < 16; i++) v[i] = pos; gl_Position = pos; }";
    let fragment = "#version 330\nin vec4 v[16]; out vec4 c; void main() { c = v[15]; }";
    has(
        &unlinked(
            &[(Vertex, vertex), (Fragment, fragment)],
            &LinkOptions::default(),
        ),
        &["64 components", "the limit is 60"],
    );
    let big = "#version 330\nuniform B { vec4 x[5000]; }; out vec4 c; void main() { c = x[4999]; }";
    has(
        &unlinked(&[(Vertex, PASS), (Fragment, big)], &LinkOptions::default()),
        &["uniform block `B` has 80000 bytes"],
    );
}

#[test]
fn transform_feedback_errors() {
    let capture = |names: &[&str], mode| LinkOptions {
        xfb: Some(XfbRequest {
            varyings: names.iter().map(|n| (*n).to_owned()).collect(),
            mode,
        }),
        ..LinkOptions::default()
    };
    let vertex = "#version 330\nin vec4 pos; out vec4 v[20]; out mat3 m; void main() { v[0] = pos; m = mat3(1); gl_Position = pos; }";
    for (names, mode, part) in [
        (
            &["nothing"][..],
            XfbMode::Interleaved,
            "`nothing` is to be captured but is no output of the vertex shader",
        ),
        (&["v[20]"][..], XfbMode::Interleaved, "`v[20]`"),
        (
            &["m", "m"][..],
            XfbMode::Interleaved,
            "`m` is captured twice",
        ),
        (
            &["v"][..],
            XfbMode::Interleaved,
            "80 components are captured, the limit is 64",
        ),
        (&["m"][..], XfbMode::Separate, "`m` has 9 components"),
        (
            &["gl_NextBuffer", "v[0]"][..],
            XfbMode::Separate,
            "`gl_NextBuffer` cannot be captured into separate buffers",
        ),
        (
            &["gl_SkipComponents9"][..],
            XfbMode::Interleaved,
            "`gl_SkipComponents9` cannot be captured",
        ),
        (&["v["][..], XfbMode::Interleaved, "`v[`"),
    ] {
        let log = unlinked(&[(Vertex, vertex)], &capture(names, mode));
        has(&log, &[part]);
    }
}

#[test]
fn attachments_are_checked() {
    let compiler = ShaderCompiler::default();
    let none = compiler.link(&[], &LinkOptions::default());
    assert!(!none.ok);
    has(&none.info_log, &["no shaders are attached"]);
    let bad = compiler.compile(Vertex, "nonsense", HINT);
    let linked = compiler.link(&[&bad], &LinkOptions::default());
    has(&linked.info_log, &["a vertex shader has not been compiled"]);
    let geometry = compiler.compile(
        Geometry,
        "#version 330\nlayout(points) in; layout(points, max_vertices = 1) out; void main() { gl_Position = vec4(0); EmitVertex(); }",
        HINT,
    );
    let fragment = compiler.compile(Fragment, RED, HINT);
    let linked = compiler.link(&[&geometry, &fragment], &LinkOptions::default());
    has(
        &linked.info_log,
        &["a geometry shader needs a vertex shader"],
    );
}

#[test]
fn hostile_sources_end_in_a_log() {
    let deep = |open: &str, close: &str, n: usize| {
        format!(
            "void main() {{ float x = {}1.0{}; }}",
            open.repeat(n),
            close.repeat(n)
        )
    };
    for source in [
        deep("(", ")", 20_000),
        deep("-", "", 100_000),
        deep("1.0+", "", 100_000),
        deep("sin(", ")", 3_000),
        deep("true?1.0:", "", 100_000),
        format!("void main() {{ {} }}", "if (true) {".repeat(5_000)),
        format!(
            "void main() {{ {} ; {} }}",
            "{".repeat(3_000),
            "}".repeat(3_000)
        ),
        "#define A A A\n#define B A B\nB".repeat(100),
        "\u{0}".to_owned(),
        "void main() { \u{0} }".to_owned(),
        "é".repeat(1000),
        "#".repeat(1000),
        "/*".to_owned(),
        "\\".to_owned(),
        "#version".to_owned(),
        "#version 99999999999999999999".to_owned(),
        "#line 4294967295 4294967295\n\n\nx".to_owned(),
        "uniform float x[2147483647]; void main() { gl_Position = vec4(x[0]); }".to_owned(),
        "uniform float x[-1]; void main() { gl_Position = vec4(x[0]); }".to_owned(),
        "struct S { S s; }; uniform S s; void main() {}".to_owned(),
        "layout(location = 4294967295) in vec4 p; void main() { gl_Position = p; }".to_owned(),
        String::new(),
    ] {
        let shader = compile(Vertex, &source);
        // An empty shader compiles; nothing else here does, or if it does it must link or fail.
        if shader.ok {
            let linked = ShaderCompiler::default().link(&[&shader], &LinkOptions::default());
            assert!(linked.ok || !linked.info_log.is_empty());
        } else {
            assert!(
                shader.info_log.starts_with("ERROR: "),
                "{}",
                shader.info_log
            );
        }
    }
}

/// Pieces that random shaders are put together from.
fn pieces() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "uniform",
        "struct",
        "layout",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ";",
        ",",
        "=",
        ".",
        "in",
        "out",
        "varying",
        "attribute",
        "vec4",
        "float",
        "mat3",
        "bool",
        "sampler2D",
        "a",
        "b",
        "main",
        "void",
        "1",
        "2.0",
        "0x",
        "texture2D",
        "shadow2D",
        "gl_FragColor",
        "gl_FragData",
        "gl_Position",
        "std140",
        "shared",
        "location",
        "if",
        "else",
        "for",
        "return",
        "+",
        "-",
        "*",
        "?",
        ":",
        "precision",
        "highp",
        "#define",
        "#if",
        "#endif",
        "#else",
        "\n",
        "\\\n",
        "/*",
        "*/",
        "//",
        "##",
        "#",
        "invariant",
        "centroid",
        "flat",
        "noise1",
        "gl_DepthRange",
        "\"",
        "é",
        "const",
        "#version 330\n",
    ]);
    prop::collection::vec(words, 0..60).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_words_never_crash(source in pieces()) {
        for stage in [Vertex, Fragment, Geometry] {
            let shader = compile(stage, &source);
            prop_assert!(shader.ok || shader.info_log.starts_with("ERROR: "));
        }
    }
}
