//! The translator, construct by construct.

use super::*;

const HINT: ProfileHint = ProfileHint {
    core: false,
    max_version: 330,
};

/// The translated text behind the prologue.
fn body(stage: ShaderStage, source: &str) -> String {
    let done = translate(stage, source, HINT, &Retry::default())
        .unwrap_or_else(|e| panic!("{source}\n{e}"));
    let lines: Vec<&str> = done.text.lines().skip(done.prologue as usize).collect();
    lines.join("\n")
}

fn vertex(source: &str) -> String {
    body(ShaderStage::Vertex, source)
}

fn fragment(source: &str) -> String {
    body(ShaderStage::Fragment, source)
}

fn prologue(stage: ShaderStage, source: &str) -> String {
    let done = translate(stage, source, HINT, &Retry::default()).expect("the text is well formed");
    let lines: Vec<&str> = done.text.lines().take(done.prologue as usize).collect();
    lines.join("\n")
}

fn refused(stage: ShaderStage, source: &str) -> String {
    match translate(stage, source, HINT, &Retry::default()) {
        Ok(_) => panic!("accepted: {source}"),
        Err(log) => log,
    }
}

#[test]
fn qualifiers() {
    assert_eq!(
        vertex("attribute vec4 a;\nvarying vec2 v;"),
        "in vec4 a;\nout vec2 v;"
    );
    assert_eq!(fragment("varying vec2 v;"), "in vec2 v;");
    assert_eq!(
        fragment("invariant centroid varying vec2 v;").trim(),
        "invariant centroid in vec2 v;"
    );
    assert!(
        refused(ShaderStage::Fragment, "\nattribute vec4 a;")
            .starts_with("ERROR: 0:2: 'attribute'")
    );
    assert!(
        refused(ShaderStage::Geometry, "#version 150\nvarying vec4 a;").contains("0:2: 'varying'")
    );
}

#[test]
fn precision_words() {
    assert_eq!(
        fragment("precision mediump float;\nuniform highp vec4 a; lowp float b;"),
        "\nuniform vec4 a; float b;"
    );
    assert_eq!(
        fragment("#ifdef GL_ES\nprecision highp float;\n#endif\nint a;"),
        "\n\n\nint a;"
    );
}

#[test]
fn the_language_of_es_2() {
    assert_eq!(
        fragment(
            "#version 100\nprecision mediump float;\nuniform lowp sampler2D t; varying vec2 v;"
        ),
        "\n\nuniform sampler2D t; in vec2 v;"
    );
    assert_eq!(
        fragment("#version 100\n#if defined(GL_ES) && __VERSION__ == 100\nint a;\n#endif").trim(),
        "int a;"
    );
}

#[test]
fn texture_functions() {
    assert_eq!(fragment("a = texture2D(t, uv);"), "a = texture(t, uv);");
    assert_eq!(
        fragment("a = textureCube(t, uv) + texture3DProj(u, v);"),
        "a = texture(t, uv) + textureProj(u, v);"
    );
    assert_eq!(
        fragment("texture2DLod(t, uv, 1.0); texture2DGradARB(t, a, b, c)"),
        "textureLod(t, uv, 1.0); textureGrad(t, a, b, c)"
    );
    assert_eq!(
        fragment("a = shadow2D(s, vec3(f(x), 1)).r * shadow1DProj(s, y);"),
        "a = mgl_shadow(texture(s, vec3(f(x), 1))).r * mgl_shadow(textureProj(s, y));"
    );
    assert_eq!(
        fragment("shadow2D(s, shadow2D(s, c).xyz)"),
        "mgl_shadow(texture(s, mgl_shadow(texture(s, c)).xyz))"
    );
    assert!(prologue(ShaderStage::Fragment, "shadow2D(s, c)").contains("vec4 mgl_shadow(float r)"));
    assert!(!prologue(ShaderStage::Fragment, "texture2D(s, c)").contains("mgl_shadow"));
}

#[test]
fn user_functions_of_old_names_stay_theirs() {
    assert_eq!(
        fragment("vec4 texture2DArray(float x) { return vec4(x); } a = texture2DArray(1.0);"),
        "vec4 mgl_r_texture2DArray(float x) { return vec4(x); } a = mgl_r_texture2DArray(1.0);"
    );
    assert_eq!(
        fragment("float noise1(float x) { return x; } a = noise1(2.0);"),
        "float noise1(float x) { return x; } a = noise1(2.0);"
    );
    assert_eq!(
        fragment("vec4 texture(vec2 x);"),
        "vec4 mgl_r_texture(vec2 x);"
    );
}

#[test]
fn names_that_became_words() {
    assert_eq!(
        fragment("uniform sampler2D texture; a = texture2D(texture, uv);"),
        "uniform sampler2D mgl_r_texture; a = texture(mgl_r_texture, uv);"
    );
    assert_eq!(
        fragment("uniform sampler2D sampler; s.sampler"),
        "uniform sampler2D mgl_r_sampler; s.mgl_r_sampler"
    );
    assert_eq!(
        fragment("float flat = 1.0, uint, smooth;"),
        "float mgl_r_flat = 1.0, mgl_r_uint, mgl_r_smooth;"
    );
    assert_eq!(
        fragment("#version 130\nflat in uint a;"),
        "\nflat in uint a;"
    );
    assert_eq!(
        fragment("#version 150\nint sample, patch, buffer;").trim(),
        "int mgl_r_sample, mgl_r_patch, mgl_r_buffer;"
    );
    assert_eq!(
        fragment("struct image2D { int uint; }; image2D x; uniform layout { int y; };"),
        "struct mgl_r_image2D { int mgl_r_uint; }; mgl_r_image2D x; uniform mgl_r_layout { int y; };"
    );
    assert_eq!(
        fragment("#version 330\nint bitCount(int x); int fma; int a = bitCount(1);"),
        "\nint mgl_r_bitCount(int x); int fma; int a = mgl_r_bitCount(1);"
    );
    assert_eq!(
        fragment("float highp = 1.0, precision; a = highp;"),
        "float mgl_r_highp = 1.0, mgl_r_precision; a = mgl_r_highp;"
    );
}

#[test]
fn fragment_outputs() {
    assert_eq!(fragment("gl_FragColor = a;"), "mgl_FragColor = a;");
    assert!(prologue(ShaderStage::Fragment, "gl_FragColor").contains("out vec4 mgl_FragColor;"));
    assert_eq!(fragment("gl_FragData[2] = a;"), "mgl_FragData[2] = a;");
    assert!(
        prologue(ShaderStage::Fragment, "gl_FragData[2] gl_FragData[0]")
            .contains("mgl_FragData[3];")
    );
    assert!(prologue(ShaderStage::Fragment, "gl_FragData[i]").contains("mgl_FragData[8];"));
    assert!(
        refused(ShaderStage::Fragment, "gl_FragColor gl_FragData[0]")
            .contains("gl_FragColor is used too")
    );
    assert_eq!(
        fragment("#version 130\nout vec4 gl_FragColor;\nint a;"),
        "\n\nint a;"
    );
}

#[test]
fn fixed_function_is_refused_by_name() {
    for (source, name) in [
        (
            "void main() {\n gl_Position = gl_ModelViewProjectionMatrix * gl_Vertex; }",
            "gl_ModelViewProjectionMatrix",
        ),
        (
            "\nvoid main() { gl_Position = ftransform(); }",
            "ftransform",
        ),
        ("\ngl_TexCoord[0] = gl_MultiTexCoord0;", "gl_TexCoord"),
        ("\nx = gl_LightSource[0].position;", "gl_LightSource"),
    ] {
        let log = refused(ShaderStage::Vertex, source);
        assert_eq!(
            log,
            format!("ERROR: 0:2: '{name}' : fixed-function built-ins are not supported\n")
        );
    }
    assert_eq!(vertex("s.gl_x"), "s.gl_x");
}

#[test]
fn built_in_state() {
    assert_eq!(
        vertex("x = gl_DepthRange.near;"),
        "x = mgl_DepthRange.near;"
    );
    assert!(
        prologue(ShaderStage::Vertex, "gl_DepthRange").contains("uniform mgl_DepthRangeParameters")
    );
    assert_eq!(
        vertex("gl_InstanceIDARB + gl_MaxTextureUnits"),
        "gl_InstanceID + 2"
    );
    assert_eq!(vertex("noise2(x)"), "mgl_noise2(x)");
}

#[test]
fn block_layouts() {
    assert_eq!(
        vertex("#version 140\nlayout(shared, row_major) uniform B { mat4 shared_; };"),
        "\nlayout(std140, row_major) uniform B { mat4 shared_; };"
    );
    assert_eq!(
        vertex("#version 140\nlayout(packed) uniform;"),
        "\nlayout(std140) uniform;"
    );
}

#[test]
fn versions() {
    assert!(prologue(ShaderStage::Vertex, "int a;").starts_with("#version 330 core\n"));
    assert!(
        prologue(ShaderStage::Vertex, "#version 150 compatibility\nint a;")
            .starts_with("#version 330 core\n")
    );
    let later = ProfileHint {
        core: true,
        max_version: 460,
    };
    let done = translate(
        ShaderStage::Vertex,
        "#version 450\nint a;",
        later,
        &Retry::default(),
    )
    .expect("450 is allowed");
    assert!(done.text.starts_with("#version 450 core\n"));
    assert!(
        prologue(
            ShaderStage::Vertex,
            "#extension GL_ARB_texture_gather : enable\nint a;"
        )
        .contains("#extension GL_ARB_texture_gather : enable\n")
    );
}

#[test]
fn lines_are_kept() {
    let source = "#version 120\n// one\n#define F(a) a +\\\n a\n\nfloat x = F(\n1.0\n);\nint y;";
    let text = vertex(source);
    assert_eq!(
        text,
        "\n\n\n\n\nfloat x = 1.0 +\n1.0;\nint y;"
            .replace("+\n1.0", "+ 1.0")
            .replace("1.0;\nint", "1.0\n\n;\nint")
    );
}

#[test]
fn logs_are_mapped() {
    let source = "#version 120\nuniform sampler2D texture;\n#line 100 3\nint a;\n";
    let done = translate(ShaderStage::Fragment, source, HINT, &Retry::default())
        .expect("the text is well formed");
    let at = |line: u32| line + done.prologue;
    let log = format!(
        "ERROR: 0:{}: 'mgl_r_texture' : bad \nWARNING: 0:{}: 'mgl_FragColor' : odd \nERROR: 2 compilation errors.  No code generated.\n\n\n",
        at(2),
        at(4)
    );
    assert_eq!(
        done.map_log(&log),
        "ERROR: 0:2: 'texture' : bad\nWARNING: 3:101: 'gl_FragColor' : odd\n"
    );
}

#[test]
fn bad_text_is_refused() {
    assert_eq!(
        refused(ShaderStage::Vertex, "int a;\nint b = @;"),
        "ERROR: 0:2: '@' : illegal character\n"
    );
    assert!(refused(ShaderStage::Vertex, "int \u{e9};").contains("illegal character"));
    assert!(refused(ShaderStage::Vertex, &"(".repeat(1000)).contains("nested too deeply"));
    assert!(refused(ShaderStage::Vertex, &"a+".repeat(5000)).contains("too long"));
    assert!(refused(ShaderStage::Vertex, "int a; # b").contains("unexpected token"));
    assert!(refused(ShaderStage::Vertex, "/* x").contains("comment is not closed"));
}

#[test]
fn tokens_do_not_run_together() {
    assert_eq!(
        vertex("#define MINUS -\nx = MINUS-1;y=a- -b;"),
        "\nx = - - 1;y=a- -b;".replace("- - 1", "- -1")
    );
    assert_eq!(vertex("#define N 1\nx = N.0;"), "\nx = 1 .0;");
}

#[test]
fn a_last_empty_statement_stays() {
    assert_eq!(
        fragment("#version 130\nswitch (a) { case 0: b = 1; break; default: ; }").trim(),
        "switch (a) { case 0: b = 1; break; default: break ; }"
    );
    let ternary = "void f() { x = a ? b : c; ; }";
    assert_eq!(fragment(ternary), ternary);
}

#[test]
fn clip_distances_are_declared_once() {
    let sizes = |stage, source| {
        let done = translate(stage, source, HINT, &Retry::default()).expect("well formed");
        let line = done.text[done.declarations_at..].lines().next();
        let line = line.unwrap_or_default().to_owned();
        ((done.decls.clip.input, done.decls.clip.own), line)
    };
    let own = "out float gl_ClipDistance[3]; void main() { gl_ClipDistance[1] = 0.0; }";
    assert_eq!(
        sizes(ShaderStage::Vertex, own),
        ((0, 3), "out float gl_ClipDistance[3];".to_owned())
    );
    let used = "void main() { gl_ClipDistance[1] = 0.0; }";
    assert_eq!(sizes(ShaderStage::Vertex, used), ((0, 2), String::new()));
    let block = "#version 150\nout gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };";
    assert_eq!(
        sizes(ShaderStage::Vertex, block),
        ((0, 2), "out float gl_ClipDistance[2];".to_owned())
    );
    let read = "#version 150\nvoid main() { gl_ClipDistance[0] = gl_in[i].gl_ClipDistance[3]; }";
    assert_eq!(sizes(ShaderStage::Geometry, read), ((4, 1), String::new()));
}

#[test]
fn samplers_leave_structures() {
    let squeezed = |source: &str| fragment(source).replace([' ', '\n'], "");
    let l = "struct L { float c; sampler2D m; }; uniform L l[2];";
    let l_left = "uniformsampler2Dmgl_o_1l_1m[2];structL{floatc;};uniformLl[2];";
    assert_eq!(
        squeezed(&format!(
            "{l} void main() {{ x = l[i].c * texture2D(l[i].m, uv); }}"
        )),
        format!("{l_left}voidmain(){{x=l[i].c*texture(mgl_o_1l_1m[i],uv);}}")
    );
    // A function is written for each way in which it is reached.
    assert_eq!(
        squeezed(&format!(
            "{l} vec4 f(L a) {{ return a.c * g(a.m); }} void main() {{ f(l[1]); f(l[i]); f(l[j]); }}"
        )),
        format!(
            "{l_left}vec4mgl_f0_f(La){{returna.c*g(mgl_o_1l_1m[1]);}}\
             vec4mgl_f1_f(La,intmgl_index_0_0){{returna.c*g(mgl_o_1l_1m[mgl_index_0_0]);}}\
             voidmain(){{mgl_f0_f(l[1]);mgl_f1_f(l[i],int(i));mgl_f1_f(l[j],int(j));}}"
        )
        .replace("             ", "")
    );
    // What is left empty goes; arrays are flattened.
    assert_eq!(
        squeezed(
            "const int N = 2; struct A { sampler2D m[3]; }; struct B { A a[N]; float k; }; uniform B b[2], c; \
             void main() { b[i].a[1].m[j]; c.a[0].m[2]; b.length(); c.a[0].m.length(); c.k; }"
        ),
        "uniformsampler2Dmgl_o_1b_1a_1m[12];uniformsampler2Dmgl_o_1c_1a_1m[6];\
         constintN=2;structB{floatk;};uniformBb[2],c;\
         voidmain(){mgl_o_1b_1a_1m[((int(i))*2+1)*3+int(j)];mgl_o_1c_1a_1m[2];2;3;c.k;}"
            .replace("         ", "")
    );
    // An array of samplers is no argument either.
    assert_eq!(
        squeezed(
            "uniform sampler2D m[2]; vec4 f(sampler2D x[2], int i) { return g(x[i]); } void main() { f(m, 0); }"
        ),
        "uniformsampler2Dm[2];vec4mgl_f0_f(inti){returng(m[i]);}voidmain(){mgl_f0_f(0);}"
    );
    // Other structures stay as they are.
    let other = "struct S { vec3 sampler_position; }; uniform S s;";
    assert_eq!(fragment(other), other);
    assert!(
        refused(
            ShaderStage::Fragment,
            "struct L { sampler2D m; }; uniform L l[unknown];"
        )
        .contains("size is not known")
    );
}
