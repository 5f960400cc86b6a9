//! What GL is told about a linked program: active lists, names, sizes, indices, locations.

use mgl::shader::{LinkOptions, LinkedProgram, ProfileHint, ShaderCompiler, XfbRequest};
use mgl_core::program::ShaderStage::{self, Fragment, Geometry, Vertex};
use mgl_core::program::{GlType, Reflection, StageMask, Uniform, UniformPlace, XfbMode, XfbSource};
use std::sync::Arc;

const HINT: ProfileHint = ProfileHint {
    core: false,
    max_version: 330,
};
const PASS: &str = "#version 330\nin vec4 pos; void main() { gl_Position = pos; }";

fn link_with(sources: &[(ShaderStage, &str)], options: &LinkOptions) -> Arc<LinkedProgram> {
    let compiler = ShaderCompiler::default();
    let shaders: Vec<_> = sources
        .iter()
        .map(|(stage, source)| compiler.compile(*stage, source, HINT))
        .collect();
    let linked = compiler.link(&shaders.iter().collect::<Vec<_>>(), options);
    assert!(linked.ok, "{}", linked.info_log);
    linked.program.expect("a linked program is there")
}

fn link(sources: &[(ShaderStage, &str)]) -> Arc<LinkedProgram> {
    link_with(sources, &LinkOptions::default())
}

fn names(reflection: &Reflection) -> Vec<&str> {
    reflection
        .uniforms
        .iter()
        .map(|u| u.name.as_str())
        .collect()
}

fn uniform<'a>(reflection: &'a Reflection, name: &str) -> &'a Uniform {
    let found = reflection.uniforms.iter().find(|u| u.name == name);
    found.unwrap_or_else(|| panic!("`{name}` is not in {:?}", names(reflection)))
}

fn stages(list: &[ShaderStage]) -> StageMask {
    list.iter()
        .fold(StageMask::default(), |mask, stage| mask | stage.mask())
}

#[test]
fn only_reachable_uniforms_are_active() {
    let program = link(&[
        (
            Vertex,
            "#version 330
uniform float used; uniform float unused; uniform vec4 only_in_dead_function; uniform mat4 by_call;
uniform struct { vec3 a; vec3 b; } s; uniform float list[4]; uniform float untouched[3];
in vec4 pos; in vec4 dead; in vec2 by_function;
vec4 never() { return only_in_dead_function + dead; } vec4 called(mat4 m) { return m * vec4(by_function, 0, 1); }
void main() { gl_Position = pos * used + called(by_call) + vec4(s.b, list[2]); if (false) gl_Position += vec4(unused); }",
        ),
        (
            Fragment,
            "#version 330\nuniform float used; uniform sampler2D t, idle; out vec4 c; void main() { c = texture(t, vec2(used)); }",
        ),
    ]);
    let reflection = &program.reflection;
    let mut active = names(reflection);
    active.sort_unstable();
    assert_eq!(active, ["by_call", "list[0]", "s.b", "t", "used"]);
    assert_eq!(
        uniform(reflection, "used").stages,
        stages(&[Vertex, Fragment])
    );
    assert_eq!(uniform(reflection, "by_call").stages, stages(&[Vertex]));
    assert_eq!(uniform(reflection, "t").stages, stages(&[Fragment]));
    let mut attributes: Vec<&str> = reflection
        .attributes
        .iter()
        .map(|a| a.name.as_str())
        .collect();
    attributes.sort_unstable();
    assert_eq!(attributes, ["by_function", "pos"]);
}

#[test]
fn structs_are_flattened_and_arrays_marked() {
    let program = link(&[
        (
            Vertex,
            "#version 330
struct In { float f[2]; ivec2 i; }; struct Out { In a[2]; bvec3 flags; mat3x2 m; };
uniform Out o; uniform Out list[2]; uniform float one[1]; uniform bool yes; uniform uvec4 u;
in vec4 pos;
float sum(Out x) { return x.a[0].f[0] + x.a[1].f[1] + float(x.a[0].i.x + x.a[1].i.y) + x.m[2].y + float(x.flags.z); }
void main() { gl_Position = pos + vec4(sum(o) + sum(list[1]), one[0], yes, u.x); }",
        ),
        (
            Fragment,
            "#version 330\nout vec4 c; void main() { c = vec4(1); }",
        ),
    ]);
    let reflection = &program.reflection;
    for (name, ty, size, is_array) in [
        ("o.a[0].f[0]", GlType::FLOAT, 2, true),
        ("o.a[1].f[0]", GlType::FLOAT, 2, true),
        ("o.a[1].i", GlType::INT_VEC2, 1, false),
        ("o.flags", GlType::BOOL_VEC3, 1, false),
        ("o.m", GlType::FLOAT_MAT3X2, 1, false),
        ("list[1].a[0].f[0]", GlType::FLOAT, 2, true),
        ("list[1].flags", GlType::BOOL_VEC3, 1, false),
        ("one[0]", GlType::FLOAT, 1, true),
        ("yes", GlType::BOOL, 1, false),
        ("u", GlType::UNSIGNED_INT_VEC4, 1, false),
    ] {
        let found = uniform(reflection, name);
        assert_eq!(
            (found.ty, found.size, found.is_array),
            (ty, size, is_array),
            "{name}"
        );
    }
    // The element that is never read is not active.
    assert!(!names(reflection).contains(&"list[0].flags"));
    // std140: an element of f takes 16 bytes, a column of m 16 too.
    assert_eq!(uniform(reflection, "o.a[0].f[0]").array_stride, 16);
    assert_eq!(uniform(reflection, "o.m").matrix_stride, 16);
}

#[test]
fn locations_are_dense_and_cover_array_elements() {
    let program = link(&[
        (
            Vertex,
            "#version 330\nuniform float a[3]; uniform vec2 b; in vec4 pos; uniform B { vec4 x; }; void main() { gl_Position = pos * a[2] + vec4(b, 0, 0) + x; }",
        ),
        (
            Fragment,
            "#version 330\nuniform sampler2D t[2]; uniform vec4 d; out vec4 c; void main() { c = texture(t[1], d.xy); }",
        ),
    ]);
    let reflection = &program.reflection;
    let mut taken = vec![false; reflection.location_count() as usize];
    for uniform in &reflection.uniforms {
        match uniform.place {
            UniformPlace::Block(_) => assert_eq!(uniform.location, -1),
            _ => {
                for n in 0..uniform.size {
                    let slot = &mut taken[uniform.location as usize + n as usize];
                    assert!(!*slot, "location of {} is shared", uniform.name);
                    *slot = true;
                }
            }
        }
    }
    assert!(taken.iter().all(|t| *t));
    assert_eq!(reflection.sampler_slots(), 2);
}

#[test]
fn blocks_are_listed_with_their_members() {
    let program = link(&[
        (
            Vertex,
            "#version 330
layout(std140) uniform Plain { vec4 a; float b[3]; }; uniform Named { mat4 m; bool on; } n; uniform Many { vec2 p; } many[2];
in vec4 pos; void main() { gl_Position = pos + a + n.m[0] + vec4(many[1].p, 0, 0); }",
        ),
        (
            Fragment,
            "#version 330
uniform Named { mat4 m; bool on; } n; uniform Unread { vec3 z; }; out vec4 c; void main() { c = n.m[1]; }",
        ),
    ]);
    let reflection = &program.reflection;
    let blocks: Vec<&str> = reflection
        .uniform_blocks
        .iter()
        .map(|b| b.name.as_str())
        .collect();
    assert_eq!(blocks, ["Plain", "Named", "Many[0]", "Many[1]", "Unread"]);
    let block = |name: &str| {
        let found = reflection.uniform_blocks.iter().find(|b| b.name == name);
        found.expect("the block is there")
    };
    assert_eq!(block("Plain").size, 64);
    assert_eq!(block("Named").size, 80);
    assert_eq!(block("Named").stages, stages(&[Vertex, Fragment]));
    assert_eq!(block("Plain").stages, stages(&[Vertex]));
    assert_eq!(block("Unread").stages, StageMask::default());
    let members = |name: &str| -> Vec<&str> {
        let members = block(name).members.iter();
        members
            .map(|m| reflection.uniforms[*m as usize].name.as_str())
            .collect()
    };
    // All members of a shared or std140 block are active, read or not.
    assert_eq!(members("Plain"), ["a", "b[0]"]);
    assert_eq!(members("Named"), ["Named.m", "Named.on"]);
    assert_eq!(members("Many[1]"), ["Many.p"]);
    assert_eq!(members("Unread"), ["z"]);
    assert_eq!(uniform(reflection, "Named.on").ty, GlType::BOOL);
    assert_eq!(uniform(reflection, "b[0]").offset, 16);
    assert_eq!(uniform(reflection, "b[0]").place, UniformPlace::Block(0));
}

#[test]
fn attributes_with_built_ins_and_bindings() {
    let mut options = LinkOptions::default();
    options.attrib_bindings.insert("b".into(), 0);
    options.attrib_bindings.insert("m".into(), 2);
    options.attrib_bindings.insert("nobody".into(), 7);
    options.attrib_bindings.insert("given".into(), 9);
    let program = link_with(
        &[
            (
                Vertex,
                "#version 330
in vec4 a; in vec3 b; in mat3 m; layout(location = 6) in ivec2 given; in uint late;
void main() { gl_Position = a + vec4(m * b, gl_VertexID) + vec4(given, late, gl_InstanceID); }",
            ),
            (
                Fragment,
                "#version 330\nout vec4 c; void main() { c = vec4(1); }",
            ),
        ],
        &options,
    );
    let list: Vec<_> = program
        .reflection
        .attributes
        .iter()
        .map(|a| (a.name.as_str(), a.ty, a.location))
        .collect();
    for expected in [
        ("b", GlType::FLOAT_VEC3, 0),
        ("m", GlType::FLOAT_MAT3, 2),
        ("given", GlType::INT_VEC2, 6),
        ("gl_VertexID", GlType::INT, -1),
        ("gl_InstanceID", GlType::INT, -1),
        ("a", GlType::FLOAT_VEC4, 1),
        ("late", GlType::UNSIGNED_INT, 5),
    ] {
        assert!(list.contains(&expected), "{expected:?} is not in {list:?}");
    }
    assert_eq!(list.len(), 7);
}

#[test]
fn fragment_outputs_and_facts() {
    let mut options = LinkOptions::default();
    options.frag_data_bindings.insert("b".into(), (0, 0));
    let program = link_with(
        &[
            (Vertex, "#version 330\nin vec4 pos; void main() { gl_Position = pos; gl_PointSize = 1.0; gl_ClipDistance[1] = 0.5; }"),
            (
                Fragment,
                "#version 330
out vec4 a; out ivec3 b; layout(location = 3) out vec2 d[2];
void main() { a = dFdx(gl_FragCoord); b = ivec3(gl_PrimitiveID); d[0] = d[1] = gl_PointCoord; if (gl_FrontFacing) discard; gl_FragDepth = 0.5; }",
            ),
        ],
        &options,
    );
    let reflection = &program.reflection;
    let outputs: Vec<_> = reflection
        .outputs
        .iter()
        .map(|o| (o.name.as_str(), o.ty, o.size, o.location, o.index))
        .collect();
    assert_eq!(
        outputs,
        [
            ("a", GlType::FLOAT_VEC4, 1, 1, 0),
            ("b", GlType::INT_VEC3, 1, 0, 0),
            ("d", GlType::FLOAT_VEC2, 2, 3, 0),
        ]
    );
    let facts = reflection.fragment;
    assert!(facts.writes_depth && facts.uses_discard && facts.uses_frag_coord);
    assert!(facts.uses_point_coord && facts.uses_front_facing && facts.uses_primitive_id);
    assert!(facts.uses_derivatives);
    assert!(!facts.broadcasts_color && !facts.dual_source && !facts.early_fragment_tests);
    assert!(reflection.vertex.writes_point_size);
    assert_eq!(reflection.vertex.clip_distances, 2);
    assert!(!reflection.vertex.uses_instance_id && !reflection.uses_fp64);
}

#[test]
fn fragment_coordinate_conventions() {
    let program = link(&[
        (Vertex, PASS),
        (
            Fragment,
            "#version 330\nlayout(origin_upper_left, pixel_center_integer) in vec4 gl_FragCoord; out vec4 c; void main() { c = gl_FragCoord; }",
        ),
    ]);
    assert!(program.reflection.fragment.origin_upper_left);
    assert!(program.reflection.fragment.pixel_center_integer);
}

#[test]
fn initial_units_and_bindings() {
    let program = link(&[
        (Vertex, PASS),
        (
            Fragment,
            "#version 330\n#extension GL_ARB_shading_language_420pack : require
layout(binding = 5) uniform sampler2D t[2]; layout(binding = 3) uniform B { vec4 x; } b[2]; uniform sampler2D plain; out vec4 c;
void main() { c = texture(t[1], b[1].x.xy) + texture(plain, vec2(0)); }",
        ),
    ]);
    let reflection = &program.reflection;
    let sampler = |name: &str| match uniform(reflection, name).place {
        UniformPlace::Sampler(n) => reflection.samplers[n as usize].clone(),
        place => panic!("{name} is {place:?}"),
    };
    assert_eq!(sampler("t[0]").initial_unit, 5);
    assert!(sampler("t[0]").has_initial_unit && !sampler("plain").has_initial_unit);
    assert_eq!(reflection.uniform_blocks[0].initial_binding, 3);
    assert_eq!(reflection.uniform_blocks[1].initial_binding, 4);
}

#[test]
fn transform_feedback_layout() {
    let vertex = "#version 330
out vec3 a; out vec2 b[2]; out float d; in vec4 pos;
void main() { a = pos.xyz; b[0] = b[1] = pos.xy; d = pos.w; gl_Position = pos; }";
    let capture = |names: &[&str], mode| {
        let varyings = names.iter().map(|n| (*n).to_owned()).collect();
        let options = LinkOptions {
            xfb: Some(XfbRequest { varyings, mode }),
            ..LinkOptions::default()
        };
        link_with(&[(Vertex, vertex)], &options)
            .reflection
            .xfb
            .clone()
            .expect("captured")
    };
    let xfb = capture(
        &["d", "gl_SkipComponents2", "b", "gl_NextBuffer", "a"],
        XfbMode::Interleaved,
    );
    assert_eq!(xfb.strides, [28, 12]);
    let list: Vec<_> = xfb
        .varyings
        .iter()
        .map(|v| (v.name.as_str(), v.buffer, v.offset, v.size))
        .collect();
    assert_eq!(
        list,
        [
            ("d", 0, 0, 1),
            ("gl_SkipComponents2", 0, 4, 2),
            ("b", 0, 12, 2),
            ("a", 1, 0, 1)
        ]
    );
    assert_eq!(xfb.varyings[1].source, None);
    let xfb = capture(&["gl_Position", "b[1]"], XfbMode::Separate);
    assert_eq!(xfb.strides, [16, 8]);
    assert_eq!(
        xfb.varyings[0].source,
        Some(XfbSource::BuiltIn {
            builtin: 0,
            element: 0
        })
    );
    assert_eq!(xfb.varyings[1].ty, GlType::FLOAT_VEC2);
}

#[test]
fn renamed_words_keep_their_names() {
    let program = link(&[
        (
            Vertex,
            "attribute vec4 sample; uniform struct { float filter; } common; varying vec2 smooth; void main() { smooth = sample.xy; gl_Position = sample * common.filter; }",
        ),
        (
            Fragment,
            "uniform sampler2D texture; varying vec2 smooth; void main() { gl_FragColor = texture2D(texture, smooth); }",
        ),
    ]);
    let mut active = names(&program.reflection);
    active.sort_unstable();
    assert_eq!(active, ["common.filter", "texture"]);
    assert_eq!(program.reflection.attributes[0].name, "sample");
    let xfb = LinkOptions {
        xfb: Some(XfbRequest {
            varyings: vec!["smooth".into()],
            mode: XfbMode::Interleaved,
        }),
        ..LinkOptions::default()
    };
    let program = link_with(
        &[(
            Vertex,
            "attribute vec4 p; varying vec2 smooth; void main() { smooth = p.xy; gl_Position = p; }",
        )],
        &xfb,
    );
    assert_eq!(
        program
            .reflection
            .xfb
            .as_ref()
            .expect("captured")
            .varyings
            .len(),
        1
    );
}

#[test]
fn geometry_facts() {
    let program = link(&[
        (Vertex, PASS),
        (
            Geometry,
            "#version 330\nlayout(lines) in; layout(points, max_vertices = 7) out; void main() { gl_Layer = 2; gl_PointSize = 3.0; gl_Position = gl_in[1].gl_Position; EmitVertex(); }",
        ),
        (
            Fragment,
            "#version 330\nout vec4 c; void main() { c = vec4(1); }",
        ),
    ]);
    let geometry = program
        .reflection
        .geometry
        .expect("there is a geometry stage");
    assert_eq!(
        (
            geometry.input.to_gl(),
            geometry.output.to_gl(),
            geometry.max_vertices
        ),
        (1, 0, 7)
    );
    assert!(program.reflection.vertex.writes_layer);
    assert!(program.reflection.vertex.writes_point_size);
    assert_eq!(program.reflection.stages.iter().count(), 3);
}

#[test]
fn linking_is_deterministic_and_cached() {
    let sources = [
        (
            Vertex,
            "#version 330\nuniform mat4 m; uniform B { vec4 x; vec4 y; }; in vec4 pos; out vec2 a, b; void main() { a = b = pos.xy; gl_Position = m * pos + x; }",
        ),
        (
            Fragment,
            "#version 330\nuniform sampler2D s, t; uniform float f = 2.0; in vec2 b, a; out vec4 c; void main() { c = texture(s, a) * texture(t, b) * f; }",
        ),
    ];
    let first = link(&sources);
    let second = link(&sources);
    assert_eq!(first, second);

    let compiler = ShaderCompiler::default();
    let compile = |(stage, source): (ShaderStage, &str)| compiler.compile(stage, source, HINT);
    let options = LinkOptions::default();
    let shaders = sources.map(compile);
    let a = compiler
        .link(&[&shaders[0], &shaders[1]], &options)
        .program
        .expect("links");
    let again = sources.map(compile);
    let b = compiler
        .link(&[&again[0], &again[1]], &options)
        .program
        .expect("links");
    assert!(Arc::ptr_eq(&a, &b), "the same sources are the same program");
    // Another binding is another program, made from shaders whose trees are used up.
    let mut bound = LinkOptions::default();
    bound.attrib_bindings.insert("pos".into(), 4);
    let c = compiler
        .link(&[&shaders[0], &shaders[1]], &bound)
        .program
        .expect("links");
    assert_eq!(c.reflection.attributes[0].location, 4);
    assert_eq!(a.reflection.attributes[0].location, 0);
    assert_eq!(a.stages[1], c.stages[1], "the fragment stage is the same");
}

#[test]
fn a_shader_serves_many_programs_on_many_threads() {
    let compiler = ShaderCompiler::default();
    let vertex = compiler.compile(Vertex, PASS, HINT);
    std::thread::scope(|scope| {
        for n in 0..4 {
            let (compiler, vertex) = (&compiler, &vertex);
            scope.spawn(move || {
                for k in 0..4 {
                    let source = format!("#version 330\nuniform float u{n}_{k}; out vec4 c; void main() {{ c = vec4(u{n}_{k}); }}");
                    let fragment = compiler.compile(Fragment, &source, HINT);
                    let linked = compiler.link(&[vertex, &fragment], &LinkOptions::default());
                    let program = linked.program.expect("links");
                    assert_eq!(program.reflection.uniforms[0].name, format!("u{n}_{k}"));
                }
            });
        }
    });
}
