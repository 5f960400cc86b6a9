//! Programs through the whole road to Vulkan: GLSL to SPIR-V as it crosses the pipe, then Magma's
//! rewriting for every kind of draw and device, then the validator of spirv-tools for Vulkan 1.1. And
//! Magma's own shaders: the words that are checked in must be what their GLSL gives; with `MGL_BLESS=1`
//! they are written anew.

mod programs;

use mgl::shader::{LinkOptions, LinkedProgram, ProfileHint, ShaderCompiler, XfbRequest};
use mgl_core::program::ShaderStage::{self, Fragment, Geometry, Vertex};
use mgl_core::program::XfbMode;
use mgl_replay::magma::internal;
use mgl_replay::magma::spirv::{BindingKind, DrawState, Program, ShaderFeatures};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

/// Beyond the version that contexts have, so that all built-ins can be tried.
const HINT: ProfileHint = ProfileHint {
    core: false,
    max_version: 460,
};

/// A device that has everything.
const RICH: ShaderFeatures = ShaderFeatures {
    depth_clip_control: true,
    draw_parameters: true,
    one_d_images: true,
    geometry: true,
    tessellation: true,
    late_point_size: true,
    clip_distance: true,
    cull_distance: true,
    float64: true,
    sample_rate: true,
    multi_viewport: true,
    gather_extended: true,
    cube_arrays: true,
    capture: true,
    streams: true,
    opaque_blocks: false,
};

/// A device that lacks what can be done in shaders.
const POOR: ShaderFeatures = ShaderFeatures {
    depth_clip_control: false,
    draw_parameters: false,
    one_d_images: false,
    opaque_blocks: true,
    ..RICH
};

fn link_with(sources: &[(ShaderStage, &str)], options: &LinkOptions) -> Arc<LinkedProgram> {
    let compiler = ShaderCompiler::default();
    let shaders: Vec<_> = sources
        .iter()
        .map(|(stage, source)| compiler.compile(*stage, source, HINT))
        .collect();
    for s in &shaders {
        assert!(s.ok, "{} shader: {}", s.stage.name(), s.info_log);
    }
    let linked = compiler.link(&shaders.iter().collect::<Vec<_>>(), options);
    assert!(linked.ok, "{}", linked.info_log);
    linked.program.expect("a linked program is there")
}

fn program_with(
    sources: &[(ShaderStage, &str)],
    options: &LinkOptions,
    features: ShaderFeatures,
) -> Program {
    let linked = link_with(sources, options);
    let mut stages: [Vec<u32>; 6] = Default::default();
    for (stage, words) in &linked.stages {
        stages[*stage as usize] = words.clone();
    }
    Program::new(linked.reflection.clone(), &stages, features).expect("Vulkan can say it")
}

fn program(sources: &[(ShaderStage, &str)], features: ShaderFeatures) -> Program {
    program_with(sources, &LinkOptions::default(), features)
}

/// What spirv-val says of a module, or nothing where it is content.
fn complaint(words: &[u32]) -> Option<String> {
    let child = Command::new("spirv-val")
        .args(["--target-env", "vulkan1.1", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.unwrap_or_else(|e| panic!("spirv-val (package spirv-tools): {e}"));
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let mut input = child.stdin.take().expect("its input is a pipe");
    // It may stop reading at the first fault.
    let _ = input.write_all(&bytes);
    drop(input);
    let ended = child.wait_with_output().expect("spirv-val ends");
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&ended.stdout),
        String::from_utf8_lossy(&ended.stderr)
    );
    (!ended.status.success()).then_some(text)
}

/// Draws that differ in everything.
fn states() -> [DrawState; 4] {
    let plain = DrawState {
        point_origin_upper_left: true,
        depth_minus_one_to_one: true,
        draw_buffers: 1,
        indexed: true,
        ..DrawState::default()
    };
    [
        plain,
        DrawState {
            flip_y: true,
            points: true,
            draw_buffers: 4,
            unattached: 0b0010,
            indexed: false,
            draw_id_pushed: true,
            ..plain
        },
        DrawState {
            unattached: 0b0001,
            clip_distances: 5,
            capture: true,
            polygon_points: true,
            ..plain
        },
        DrawState {
            flip_y: true,
            point_origin_upper_left: false,
            depth_minus_one_to_one: false,
            program_point_size: true,
            ..plain
        },
    ]
}

/// Validates every stage of every variant of a program.
fn validate(name: &str, p: &Program) {
    let mut seen = Vec::new();
    for state in states() {
        let key = p.key(&state);
        for stage in ShaderStage::ALL {
            if seen
                .iter()
                .any(|(s, k)| *s == stage && p.same_stage(stage, k, &key))
            {
                continue;
            }
            let words = p
                .stage(stage, &key)
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            if let Some(words) = words
                && let Some(text) = complaint(&words)
            {
                let path = std::env::temp_dir().join("mgl-refused.spv");
                let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
                let _ = std::fs::write(&path, bytes);
                panic!("{name}, {} shader, {state:?}: {text}", stage.name());
            }
            seen.push((stage, key));
        }
    }
}

fn validate_list(list: &[programs::Program]) {
    for (name, sources) in list {
        for features in [RICH, POOR] {
            validate(name, &program(sources, features));
        }
    }
}

#[test]
fn old_programs_are_valid_for_vulkan() {
    validate_list(programs::GLSL_110);
    validate_list(programs::GLSL_120);
}

#[test]
fn middle_programs_are_valid_for_vulkan() {
    validate_list(programs::GLSL_130);
    validate_list(programs::GLSL_140);
}

#[test]
fn new_programs_are_valid_for_vulkan() {
    validate_list(programs::GLSL_150);
    validate_list(programs::GLSL_330);
}

#[test]
fn the_validator_finds_faults() {
    let p = program(&[(Vertex, PASS), (Fragment, RED)], RICH);
    let key = p.key(&states()[0]);
    let words = p.stage(Fragment, &key).expect("a stage").expect("is there");
    assert_eq!(complaint(&words), None);
    // An instruction fewer leaves something undefined.
    let mut cut = words.clone();
    let at = cut
        .iter()
        .position(|w| *w & 0xFFFF == 248)
        .expect("a label");
    cut.drain(at..at + 2);
    assert!(complaint(&cut).is_some());
}

const PASS: &str = "#version 330
in vec4 pos; void main() { gl_Position = pos; }";
const RED: &str = "#version 330
out vec4 c; void main() { c = vec4(1, 0, 0, 1); }";

#[test]
fn built_ins_and_clip_space_are_valid_in_all_variants() {
    let vertex = "#version 460
in vec4 pos; in mat3 m; in float list[2]; out float gl_ClipDistance[4]; out vec2 v;
void main() {
  gl_ClipDistance[0] = pos.x; gl_ClipDistance[2] = pos.y; gl_PointSize = 3.0;
  v = vec2(gl_InstanceID + gl_BaseInstance, gl_VertexID + gl_BaseVertex + gl_DrawID) + m[1].xy + list[1];
  if (pos.w < 0.0) { gl_Position = vec4(0); return; }
  gl_Position = pos; }";
    let fragment = "#version 330
layout(origin_upper_left, pixel_center_integer) in vec4 gl_FragCoord; in vec2 v;
layout(location = 0) out vec4 c; layout(location = 1) out vec2 d;
void main() { c = gl_FragCoord + vec4(gl_PointCoord, dFdy(v.x), fwidth(v.y)); d = dFdy(v) + (gl_FrontFacing ? 1.0 : 0.0); }";
    for features in [RICH, POOR] {
        let p = program(&[(Vertex, vertex), (Fragment, fragment)], features);
        validate("built-ins", &p);
        assert!(
            p.reads_height(&p.key(&states()[0])),
            "the origin is the upper one"
        );
        assert!(!p.reads_height(&p.key(&states()[1])));
        assert_eq!(p.layout().outputs, 3);
        let locations: Vec<u32> = p.layout().inputs.iter().map(|i| i.location).collect();
        assert_eq!(locations.len(), 1 + 3 + 2, "{locations:?}");
    }
}

#[test]
fn arrays_of_outputs_lose_elements() {
    let fragment =
        "uniform float f; void main() { if (f < 0.0) { gl_FragData[2] = vec4(1); return; }
      gl_FragData[0] = vec4(f); gl_FragData[1] = vec4(0.5); gl_FragData[3] = vec4(0.25); }";
    let vertex = "attribute vec4 pos; void main() { gl_Position = pos; }";
    let p = program(&[(Vertex, vertex), (Fragment, fragment)], RICH);
    assert!(p.layout().outputs & 0xF == 0xF, "{:#x}", p.layout().outputs);
    validate("gl_FragData", &p);
}

#[test]
fn sampling_a_sample_each_is_valid() {
    let fragment = "#version 400
sample in vec2 v; out vec4 c;
void main() { c = vec4(gl_SamplePosition, interpolateAtOffset(v, vec2(0.25, 0.5)).y, gl_SampleID); }";
    let vertex = "#version 400
in vec4 pos; out vec2 v; void main() { v = pos.xy; gl_Position = pos; }";
    let linked = link_with(
        &[(Vertex, vertex), (Fragment, fragment)],
        &LinkOptions::default(),
    );
    let mut stages: [Vec<u32>; 6] = Default::default();
    for (stage, words) in &linked.stages {
        stages[*stage as usize] = words.clone();
    }
    let p = Program::new(linked.reflection.clone(), &stages, RICH).expect("a program");
    validate("a sample each", &p);
    let lacking = ShaderFeatures {
        sample_rate: false,
        ..RICH
    };
    let error = Program::new(linked.reflection.clone(), &stages, lacking)
        .err()
        .expect("the device lacks it");
    assert!(
        error.to_string().contains("shading a sample each"),
        "{error}"
    );
}

#[test]
fn textures_of_all_kinds_are_valid_and_laid_out() {
    let fragment = "#version 330
uniform sampler2D two[3]; uniform sampler2DRect rect[2]; uniform sampler2DRectShadow rect_shadow; uniform samplerBuffer words;
uniform isamplerBuffer more[2]; uniform sampler1DArray rows; uniform sampler2DMS samples; uniform usampler3D deep;
uniform samplerCubeShadow cube; uniform float f;
in vec4 v; out vec4 c;
vec4 through(samplerBuffer s, int i) { return texelFetch(s, i); }
void main() {
  c = texture(two[2], v.xy) + texture(rect[1], v.xy) + textureProj(rect[0], v.xyw) + texture(rect_shadow, v.xyz)
    + texelFetch(words, 3) + vec4(texelFetch(more[1], textureSize(more[0]))) + texture(rows, v.xy) + texelFetch(samples, ivec2(v.xy), 1)
    + vec4(texture(deep, v.xyz)) + texture(cube, v) + textureOffset(rect[0], v.xy, ivec2(1, -1)) + through(words, 4)
    + textureGrad(rect[0], v.xy, v.zw, v.xy) + f; }";
    let vertex = "#version 330
in vec4 pos; out vec4 v; void main() { v = pos; gl_Position = pos; }";
    for features in [RICH, POOR] {
        let p = program(&[(Vertex, vertex), (Fragment, fragment)], features);
        validate("textures", &p);
        let slots = p.layout().slots();
        assert_eq!(
            slots.iter().flatten().count(),
            3 + 2 + 1 + 1 + 2 + 1 + 1 + 1 + 1
        );
        let blocks = p
            .layout()
            .bindings
            .iter()
            .filter(|b| matches!(b.kind, BindingKind::DefaultBlock { size } if size >= 4));
        assert_eq!(blocks.count(), 1);
        for b in &p.layout().bindings {
            assert!(b.count > 0 && !b.stages.is_empty(), "{b:?}");
        }
    }
}

#[test]
fn captures_are_valid() {
    let vertex = "#version 330
in vec4 pos; struct S { float a; vec3 b[2]; }; out S s; out float list[3]; out vec3 whole; out mat3 m; flat out ivec2 n;
out B { vec2 first; vec4 second; } block; out float gl_ClipDistance[2];
void main() { gl_Position = pos; gl_PointSize = 2.0; s.a = 1.0; s.b[0] = s.b[1] = pos.xyz; list = float[3](1.0, 2.0, 3.0);
  whole = pos.xyz; m = mat3(1.0); n = ivec2(7); block.first = pos.xy; block.second = pos; gl_ClipDistance[0] = gl_ClipDistance[1] = 1.0; }";
    let request = |names: &[&str], mode| LinkOptions {
        xfb: Some(XfbRequest {
            varyings: names.iter().map(|n| (*n).to_owned()).collect(),
            mode,
        }),
        ..LinkOptions::default()
    };
    let all = [
        "gl_Position",
        "gl_SkipComponents2",
        "s.b[1]",
        "list[1]",
        "whole",
        "gl_NextBuffer",
        "m",
        "list[0]",
        "n",
        "B.second",
        "gl_PointSize",
        "gl_ClipDistance",
    ];
    let interleaved = request(&all, XfbMode::Interleaved);
    let separate = request(&["list", "whole", "gl_Position", "s.a"], XfbMode::Separate);
    for features in [RICH, POOR] {
        for options in [&interleaved, &separate] {
            let p = program_with(&[(Vertex, vertex)], options, features);
            validate("capture", &p);
        }
    }
    let lacking = ShaderFeatures {
        capture: false,
        ..RICH
    };
    let p = program_with(&[(Vertex, vertex)], &separate, lacking);
    let error = p
        .stage(Vertex, &p.key(&states()[2]))
        .expect_err("the device cannot capture");
    assert!(error.to_string().contains("transform feedback"), "{error}");
}

#[test]
fn geometry_shaders_are_valid_in_all_variants() {
    let geometry = "#version 330
layout(triangles) in; layout(points, max_vertices = 3) out; in vec4 v[]; out vec4 g;
void emit(int i) { g = v[i]; gl_Position = gl_in[i].gl_Position; EmitVertex(); }
void main() { for (int i = 0; i < 3; i++) emit(i); EndPrimitive(); }";
    let vertex = "#version 330
in vec4 pos; out vec4 v; void main() { v = pos; gl_Position = pos; }";
    let fragment = "#version 330
in vec4 g; out vec4 c; void main() { c = g + float(gl_PrimitiveID); }";
    let sources = [(Vertex, vertex), (Geometry, geometry), (Fragment, fragment)];
    let options = LinkOptions {
        xfb: Some(XfbRequest {
            varyings: vec!["gl_Position".into(), "g".into()],
            mode: XfbMode::Interleaved,
        }),
        ..LinkOptions::default()
    };
    for features in [RICH, POOR] {
        validate("geometry", &program_with(&sources, &options, features));
    }
    let lacking = ShaderFeatures {
        geometry: false,
        ..RICH
    };
    let linked = link_with(&sources, &options);
    let mut stages: [Vec<u32>; 6] = Default::default();
    for (stage, words) in &linked.stages {
        stages[*stage as usize] = words.clone();
    }
    let error = Program::new(linked.reflection.clone(), &stages, lacking)
        .err()
        .expect("the device lacks it");
    assert!(error.to_string().contains("geometry"), "{error}");
}

/// The words of a stage, by its first variant.
fn words_of(p: &Program, stage: ShaderStage) -> Vec<u32> {
    let [plain, ..] = states();
    p.stage(stage, &p.key(&plain))
        .expect("a stage")
        .expect("it is there")
}

/// Instructions of a module, as opcode and operands.
fn instructions(words: &[u32]) -> Vec<(u32, &[u32])> {
    let mut all = Vec::new();
    let mut rest = &words[5..];
    while let Some(first) = rest.first() {
        let length = (first >> 16) as usize;
        all.push((first & 0xFFFF, &rest[1..length]));
        rest = &rest[length..];
    }
    all
}

const OP_VARIABLE: u32 = 59;
const OP_LOAD: u32 = 61;
const OP_STORE: u32 = 62;
const OP_ACCESS_CHAIN: u32 = 65;
const OP_CONSTANT: u32 = 43;
const OP_EMIT_VERTEX: u32 = 218;
const CLASS_UNIFORM: u32 = 2;
const CLASS_OUTPUT: u32 = 3;
const CLASS_PUSH_CONSTANT: u32 = 9;

#[test]
fn every_vertex_gets_all_outputs_that_a_geometry_shader_writes() {
    let geometry = "#version 330
layout(points) in; layout(triangle_strip, max_vertices = 3) out; out vec4 g; flat out int n; out B { vec4 used; vec4 unused; } b[2];
void main() { g = vec4(1); n = 2; b[1].used = g; gl_Position = vec4(0); EmitVertex(); EmitVertex(); g = vec4(0); EmitVertex(); }";
    let vertex = "#version 330
void main() { gl_Position = vec4(0); }";
    let fragment = "#version 330
in vec4 g; flat in int n; in B { vec4 used; vec4 unused; } b[2]; out vec4 c; void main() { c = g + float(n) + b[0].used + b[1].used; }";
    for features in [RICH, POOR] {
        let sources = [(Vertex, vertex), (Geometry, geometry), (Fragment, fragment)];
        let p = program(&sources, features);
        validate("outputs", &p);
        let words = words_of(&p, Geometry);
        let all = instructions(&words);
        let outputs: Vec<u32> = all
            .iter()
            .filter(|i| i.0 == OP_VARIABLE && i.1[2] == CLASS_OUTPUT)
            .map(|i| i.1[1])
            .collect();
        let mut stored = 0;
        let mut vertices = Vec::new();
        let mut chains = Vec::new();
        for (op, operands) in &all {
            match *op {
                OP_ACCESS_CHAIN if outputs.contains(&operands[2]) => chains.push(operands[1]),
                OP_STORE if outputs.contains(&operands[0]) || chains.contains(&operands[0]) => {
                    stored += 1;
                }
                OP_EMIT_VERTEX => vertices.push(std::mem::take(&mut stored)),
                _ => {}
            }
        }
        // Two variables, a member of each of two blocks, and the position; the depth once more where it is rewritten,
        // and put back behind the vertex.
        let least = 5;
        assert_eq!(vertices.len(), 3);
        assert!(vertices.iter().all(|n| *n >= least), "{vertices:?}");
    }
}

#[test]
fn many_uniform_blocks_have_no_constant_number_where_the_driver_must_not_see_it() {
    let block = |n: u32| format!("layout(std140) uniform B{n} {{ vec4 v{n}; int k{n}; }};");
    let with = |blocks: u32, features: ShaderFeatures| {
        let all: String = (0..blocks).map(block).collect();
        let sum: String = (0..blocks)
            .map(|n| format!("+ (k{n} > 2 ? v{n} : vec4(0))"))
            .collect();
        let fragment = format!(
            "#version 330\n{all} layout(std140) uniform A {{ vec4 a; }} list[2]; out vec4 c; void main() {{ c = list[1].a {sum}; }}"
        );
        let vertex = "#version 330
uniform float f; void main() { gl_Position = vec4(f); }";
        let p = program(&[(Vertex, vertex), (Fragment, &fragment)], features);
        validate("blocks", &p);
        let words = words_of(&p, Fragment);
        let all = instructions(&words);
        let of = |class: u32| -> Vec<u32> {
            let variables = all.iter().filter(|i| i.0 == OP_VARIABLE);
            variables
                .filter(|i| i.1[2] == class)
                .map(|i| i.1[1])
                .collect()
        };
        let constants: Vec<u32> = all
            .iter()
            .filter(|i| i.0 == OP_CONSTANT)
            .map(|i| i.1[1])
            .collect();
        let uniforms = of(CLASS_UNIFORM);
        let numbers: Vec<u32> = all
            .iter()
            .filter(|i| i.0 == OP_ACCESS_CHAIN && uniforms.contains(&i.1[2]))
            .map(|i| i.1[3])
            .collect();
        let known = numbers.iter().filter(|n| constants.contains(n)).count();
        (known, numbers.len() - known)
    };
    let hidden = ShaderFeatures {
        opaque_blocks: true,
        ..RICH
    };
    assert_eq!(with(6, hidden).0, 0);
    assert!(with(6, hidden).1 >= 13);
    assert_eq!(with(6, RICH).1, 0);
    assert_eq!(with(1, hidden).1, 0, "three blocks are few");
}

#[test]
fn pushed_values_are_not_seen_through_either() {
    let vertex = "#version 330
void main() { gl_Position = vec4(0); }";
    let hidden = ShaderFeatures {
        opaque_blocks: true,
        ..RICH
    };
    let p = program(&[(Vertex, vertex), (Fragment, RED)], hidden);
    let points = DrawState {
        points: true,
        ..states()[0]
    };
    let words = p
        .stage(Vertex, &p.key(&points))
        .expect("a stage")
        .expect("it is there");
    let all = instructions(&words);
    let pushed = all
        .iter()
        .find(|i| i.0 == OP_VARIABLE && i.1[2] == CLASS_PUSH_CONSTANT)
        .map(|i| i.1[1])
        .expect("the point size is pushed");
    let chain = all
        .iter()
        .find(|i| i.0 == OP_ACCESS_CHAIN && i.1[2] == pushed)
        .map(|i| i.1[1])
        .expect("it is read");
    let value = all
        .iter()
        .find(|i| i.0 == OP_LOAD && i.1[2] == chain)
        .map(|i| i.1[1])
        .expect("it is loaded");
    let stored = all.iter().any(|i| i.0 == OP_STORE && i.1[1] == value);
    assert!(!stored, "only a sum with an unknown zero is stored");
}

#[test]
fn state_that_a_program_does_not_read_makes_no_variant() {
    let p = program(&[(Vertex, PASS), (Fragment, RED)], RICH);
    let [plain, ..] = states();
    let same = DrawState {
        flip_y: true,
        point_origin_upper_left: false,
        clip_distances: 3,
        draw_buffers: 8,
        capture: true,
        indexed: false,
        draw_id_pushed: true,
        program_point_size: true,
        ..plain
    };
    assert_eq!(p.key(&plain), p.key(&same));
    let points = DrawState {
        points: true,
        ..plain
    };
    assert_ne!(p.key(&plain), p.key(&points));
    assert!(p.same_stage(Fragment, &p.key(&plain), &p.key(&points)));
    assert!(!p.same_stage(Vertex, &p.key(&plain), &p.key(&points)));
}

#[test]
fn internal_shaders_are_fresh_and_valid() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mgl-replay/src/magma/internal");
    let bless = std::env::var_os("MGL_BLESS").is_some();
    for shader in internal::ALL {
        let name = shader.name;
        let body = std::fs::read_to_string(dir.join(shader.source)).expect("the GLSL is there");
        let source = format!("#version 450\n{}{body}", shader.prologue);
        let words = mgl::shader::vulkan_words(shader.stage, &source)
            .unwrap_or_else(|log| panic!("{name}: {log}"));
        if let Some(text) = complaint(&words) {
            panic!("{name}: {text}");
        }
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let path = dir.join(format!("{name}.spv"));
        if bless {
            std::fs::write(&path, &bytes).expect("written");
        }
        let stored = std::fs::read(&path).expect("the SPIR-V is checked in");
        assert!(stored == bytes, "{name}.spv is stale: run with MGL_BLESS=1");
    }
}
