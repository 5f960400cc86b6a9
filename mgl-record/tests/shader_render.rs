//! Programs that draw a known value through the whole shader road, read back from the driver: they
//! prove that layouts, bindings and lowerings mean what the archive says.

mod gles;

use gles::{Blocks, Gles, SIZE, bytes_of, sampler_slot};
use glow::HasContext;
use mgl::shader::{LinkOptions, LinkedProgram, ProfileHint, ShaderCompiler, XfbRequest};
use mgl_core::program::ShaderStage::{self, Fragment, Geometry, Vertex};
use mgl_core::program::XfbMode;
use std::sync::Arc;

const HINT: ProfileHint = ProfileHint {
    core: false,
    max_version: 330,
};
const PASS: &str =
    "#version 330\nlayout(location = 0) in vec4 pos; void main() { gl_Position = pos; }";

fn link_with(sources: &[(ShaderStage, &str)], options: &LinkOptions) -> Arc<LinkedProgram> {
    let compiler = ShaderCompiler::default();
    let shaders: Vec<_> = sources
        .iter()
        .map(|(stage, source)| compiler.compile(*stage, source, HINT))
        .collect();
    for shader in &shaders {
        assert!(
            shader.ok,
            "{} shader: {}",
            shader.stage.name(),
            shader.info_log
        );
    }
    let linked = compiler.link(&shaders.iter().collect::<Vec<_>>(), options);
    assert!(linked.ok, "{}", linked.info_log);
    linked.program.expect("a linked program is there")
}

fn link(sources: &[(ShaderStage, &str)]) -> Arc<LinkedProgram> {
    link_with(sources, &LinkOptions::default())
}

/// Draws the covering triangle and reads the middle.
fn draw(gles: &Gles, program: &LinkedProgram) -> [f32; 4] {
    gles.draw_covering(gles.build(program), 1);
    gles.texel(SIZE / 2, SIZE / 2)
}

fn close(got: [f32; 4], want: [f32; 4]) {
    let near = got
        .iter()
        .zip(&want)
        .all(|(a, b)| (a - b).abs() <= 1e-4 * b.abs().max(1.0));
    assert!(near, "drew {got:?}, want {want:?}");
}

#[test]
fn default_block_merges_different_subsets() {
    let vertex = "#version 330
uniform float a; uniform vec3 b; uniform mat3 m; uniform float list[3]; uniform bool on;
struct S { float x; vec2 y[2]; bool z; mat2 w; }; uniform S s[2];
layout(location = 0) in vec4 pos; flat out vec4 v;
void main() { v = vec4(a + b.y + m[2][1], list[2], on ? s[1].y[1].y : -1.0, s[1].z ? s[0].w[1].x : -2.0); gl_Position = pos; }";
    let fragment = "#version 330
uniform ivec2 i; uniform mat2x3 n; uniform float list[3]; uniform vec3 b; uniform bvec3 flags; uniform uint u;
struct S { float x; vec2 y[2]; bool z; mat2 w; }; uniform S s[2];
flat in vec4 v; out vec4 c;
void main() { c = v + vec4(i.y, n[1].z, list[1] + b.x, flags.z && !flags.x ? float(u) + s[1].x : -3.0); }";
    let program = link(&[(Vertex, vertex), (Fragment, fragment)]);
    let mut blocks = Blocks::new(&program.reflection);
    blocks
        .set("a", &[1.0])
        .set("b", &[10.0, 20.0, 30.0])
        .set("m", &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 300.0, 0.0])
        .set_element("list[0]", 1, &[7.0])
        .set_element("list[0]", 2, &[9.0])
        .set_words("on", 0, 0, &[1])
        .set("s[0].w", &[0.0, 0.0, 40.0, 0.0])
        .set("s[1].x", &[0.25])
        .set_element("s[1].y[0]", 1, &[0.0, 50.0])
        .set_words("s[1].z", 0, 0, &[1])
        .set_words("i", 0, 0, &[0, -5i32 as u32])
        .set("n", &[0.0, 0.0, 0.0, 0.0, 0.0, 0.5])
        .set_words("flags", 0, 0, &[0, 0, 1])
        .set_words("u", 0, 0, &[3]);
    let gles = Gles::new();
    blocks.bind(&gles);
    close(
        draw(&gles, &program),
        [1.0 + 20.0 + 300.0 - 5.0, 9.5, 50.0 + 17.0, 40.0 + 3.25],
    );
}

#[test]
fn named_blocks_have_std140_layout() {
    let fragment = "#version 330
struct T { float f; vec3 v; bool on; };
layout(std140) uniform A { float x; vec3 y; mat3 m; T t[2]; float tail[2]; };
layout(row_major) uniform B { mat2x3 r; layout(column_major) mat3x2 k; vec2 z; } b[2];
uniform C { mat4 big; } other;
out vec4 c;
void main() { c = vec4(x + y.z + m[1].y, t[1].on ? t[1].v.z + tail[1] : -1.0, b[1].r[1].z + b[0].k[2].y, b[1].z.y + other.big[3].w); }";
    let program = link(&[(Vertex, PASS), (Fragment, fragment)]);
    let names: Vec<&str> = program
        .reflection
        .uniform_blocks
        .iter()
        .map(|b| b.name.as_str())
        .collect();
    assert_eq!(names, ["A", "B[0]", "B[1]", "C"]);
    let size = |n: usize| program.reflection.uniform_blocks[n].size;
    // x, y at 16 (a vec3 is aligned to 16), m at 32, t at 80 with 32 bytes an element, tail at 144.
    assert_eq!(size(0), 176);
    // Three rows of two (48), three columns (48), z.
    assert_eq!(size(1), 112);
    let mut blocks = Blocks::new(&program.reflection);
    blocks
        .set("x", &[1.0])
        .set("y", &[0.0, 0.0, 2.0])
        .set("m", &[0.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0])
        .set("t[1].v", &[0.0, 0.0, 8.0])
        .set_words("t[1].on", 0, 0, &[1])
        .set_element("tail[0]", 1, &[0.5])
        .set(
            "C.big",
            &[
                0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 64.0,
            ],
        );
    let bits = |v: &[f32]| v.iter().map(|x| x.to_bits()).collect::<Vec<u32>>();
    blocks
        .set_words("B.r", 0, 1, &bits(&[0.0, 0.0, 0.0, 0.0, 0.0, 16.0]))
        .set_words("B.k", 0, 0, &bits(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.25]))
        .set_words("B.z", 0, 1, &bits(&[0.0, 32.0]));
    let gles = Gles::new();
    blocks.bind(&gles);
    close(draw(&gles, &program), [7.0, 8.5, 16.25, 96.0]);
}

#[test]
fn initialisers_preset_the_default_block() {
    let vertex = "#version 330
uniform float a = 2.0 * 3.0 + sqrt(4.0); uniform vec3 b = vec3(1, 2, 3); uniform float unset;
layout(location = 0) in vec4 pos; flat out vec4 v;
void main() { v = vec4(a, b.z, unset, 0.0); gl_Position = pos; }";
    let fragment = "#version 330
const float K = 0.5;
uniform float list[3] = float[](1.0, K, K * 8.0); uniform mat2x3 m = mat2x3(1, 2, 3, 4, 5, 6); uniform bool on = true;
struct S { int i; vec2 v; }; uniform S s = S(7, vec2(0.25, 0.75)); uniform uvec2 u = uvec2(3u, 4u), w;
flat in vec4 v; out vec4 c;
void main() { c = v + vec4(list[2], m[1].y, on ? float(s.i) : -1.0, s.v.y + float(u.y) + float(w.x)); }";
    let program = link(&[(Vertex, vertex), (Fragment, fragment)]);
    let gles = Gles::new();
    Blocks::new(&program.reflection).bind(&gles);
    close(draw(&gles, &program), [8.0 + 4.0, 3.0 + 5.0, 7.0, 4.75]);
}

/// Depth texture of two by two texels with comparison on.
fn shadow_texture(gles: &Gles, unit: u32, depths: &[f32; 4]) {
    gles.texture(unit, glow::TEXTURE_2D, |gl| {
        // SAFETY: the slice has the four texels that the call reads.
        unsafe {
            gl.tex_image_2d(
                glow::TEXTURE_2D,
                0,
                glow::DEPTH_COMPONENT32F as i32,
                2,
                2,
                0,
                glow::DEPTH_COMPONENT,
                glow::FLOAT,
                glow::PixelUnpackData::Slice(Some(bytes_of(depths))),
            );
            let compare = glow::COMPARE_REF_TO_TEXTURE as i32;
            gl.tex_parameter_i32(glow::TEXTURE_2D, glow::TEXTURE_COMPARE_MODE, compare);
            gl.tex_parameter_i32(
                glow::TEXTURE_2D,
                glow::TEXTURE_COMPARE_FUNC,
                glow::LEQUAL as i32,
            );
        }
    });
}

#[test]
fn shadow_samplers() {
    let fragment = "#version 330
uniform sampler2DShadow s; uniform sampler1DShadow one; uniform sampler2DRectShadow r; out vec4 c;
void main() { c = vec4(texture(s, vec3(0.25, 0.25, 0.4)), textureProj(s, vec4(1.5, 0.5, 0.8, 2.0)) + 0.5,
  texture(one, vec3(0.75, 9.0, 0.6)), texture(r, vec3(0.5, 1.5, 0.8)) + textureLod(s, vec3(0.25, 0.25, 0.6), 0.0)); }";
    let program = link(&[(Vertex, PASS), (Fragment, fragment)]);
    let gles = Gles::new();
    let depths = [0.5, 0.3, 0.9, 0.7];
    shadow_texture(&gles, sampler_slot(&program.reflection, "s"), &depths);
    // A one-dimensional texture is a row; both rows of this one say the same in the middle.
    shadow_texture(
        &gles,
        sampler_slot(&program.reflection, "one"),
        &[0.5, 0.7, 0.5, 0.7],
    );
    shadow_texture(&gles, sampler_slot(&program.reflection, "r"), &depths);
    // 0.4 <= 0.5; 0.8/2 = 0.4 <= 0.3 fails; 0.6 <= 0.7; 0.8 <= 0.9, 0.6 <= 0.5 fails.
    close(draw(&gles, &program), [1.0, 0.5, 1.0, 1.0]);
}

#[test]
fn old_shadow_functions_give_four_components() {
    let fragment = "uniform sampler2DShadow s; void main() { gl_FragColor = shadow2D(s, vec3(0.25, 0.25, 0.4)) * vec4(0.5, 0.25, 2.0, 0.75) + shadow2D(s, vec3(0.25, 0.25, 0.6)); }";
    let program = link(&[(Vertex, PASS), (Fragment, fragment)]);
    let gles = Gles::new();
    shadow_texture(&gles, sampler_slot(&program.reflection, "s"), &[0.5; 4]);
    close(draw(&gles, &program), [0.5, 0.25, 2.0, 1.75]);
}

/// Texels of a width by height texture: (x, y, 0.5, 1).
fn grid(width: i32, height: i32) -> Vec<f32> {
    let texel = |y: i32, x: i32| [x as f32, y as f32, 0.5, 1.0];
    (0..height)
        .flat_map(|y| (0..width).flat_map(move |x| texel(y, x)))
        .collect()
}

#[test]
fn rectangle_textures_take_texel_coordinates() {
    let fragment = "#version 330
uniform sampler2DRect r; flat in float unused; out vec4 c;
vec4 through(sampler2DRect s, vec2 at) { return texture(s, at); }
void main() { c = vec4(texture(r, vec2(3.5, 1.5)).xy, texelFetch(r, ivec2(4, 2)).xy)
  + 10.0 * vec4(textureProj(r, vec3(7.0, 3.0, 2.0)).xy, textureOffset(r, vec2(0.5, 0.5), ivec2(2, 1)).xy)
  + 100.0 * vec4(through(r, vec2(1.5, 0.5)).xy, vec2(textureSize(r))) + 1000.0 * vec4(textureProj(r, vec4(7.0, 3.0, 0.0, 2.0)).xy, textureGrad(r, vec2(2.5, 2.5), vec2(1), vec2(1)).xy); }"
        .replace("flat in float unused; ", "");
    let program = link(&[(Vertex, PASS), (Fragment, &fragment)]);
    let gles = Gles::new();
    gles.texture_2d(sampler_slot(&program.reflection, "r"), 5, 3, &grid(5, 3));
    close(
        draw(&gles, &program),
        [
            3.0 + 30.0 + 100.0 + 3000.0,
            1.0 + 10.0 + 0.0 + 1000.0,
            4.0 + 20.0 + 500.0 + 2000.0,
            2.0 + 10.0 + 300.0 + 2000.0,
        ],
    );
}

#[test]
fn one_dimensional_textures_are_rows() {
    let fragment = "#version 330
uniform sampler1D t; uniform sampler1DArray a; out vec4 c;
void main() { c = vec4(texture(t, 0.625).x, texelFetch(t, 3, 0).x, textureSize(t, 0), textureProj(t, vec2(0.75, 2.0)).x)
  + 10.0 * vec4(texture(a, vec2(0.375, 1.0)).xy, textureSize(a, 0)) + 100.0 * vec4(texelFetch(a, ivec2(3, 1), 0).xy, textureOffset(t, 0.125, 2).x, textureLod(t, 0.875, 0.0).x)
  + 1000.0 * vec4(textureGrad(t, 0.375, 0.1, 0.1).x, textureProj(t, vec4(0.75, 0.0, 0.0, 2.0)).x, textureGrad(a, vec2(0.625, 0.0), 0.1, 0.1).x, textureOffset(a, vec2(0.125, 1.0), 1).y); }";
    let program = link(&[(Vertex, PASS), (Fragment, fragment)]);
    let gles = Gles::new();
    gles.texture_2d(sampler_slot(&program.reflection, "t"), 4, 1, &grid(4, 1));
    // Layers of one row each: layer n has y = n.
    gles.texture(
        sampler_slot(&program.reflection, "a"),
        glow::TEXTURE_2D_ARRAY,
        |gl| {
            let texels = grid(4, 2);
            // SAFETY: the slice has the eight texels that the call reads.
            unsafe {
                gl.tex_image_3d(
                    glow::TEXTURE_2D_ARRAY,
                    0,
                    glow::RGBA32F as i32,
                    4,
                    1,
                    2,
                    0,
                    glow::RGBA,
                    glow::FLOAT,
                    glow::PixelUnpackData::Slice(Some(bytes_of(&texels))),
                );
            }
        },
    );
    close(
        draw(&gles, &program),
        [
            2.0 + 10.0 + 300.0 + 1000.0,
            3.0 + 10.0 + 100.0 + 1000.0,
            4.0 + 40.0 + 200.0 + 2000.0,
            1.0 + 20.0 + 300.0 + 1000.0,
        ],
    );
}

#[test]
fn instances_are_counted_from_zero() {
    let vertex = "#version 330
layout(location = 0) in vec4 pos; flat out int id;
void main() { id = gl_InstanceID; gl_Position = pos; }";
    let fragment =
        "#version 330\nflat in int id; out vec4 c; void main() { c = vec4(float(id) + 1.0); }";
    let program = link(&[(Vertex, vertex), (Fragment, fragment)]);
    assert!(program.reflection.vertex.uses_instance_id);
    let gles = Gles::new();
    gles.draw_covering(gles.build(&program), 3);
    assert_eq!(gles.texel(1, 1), [3.0; 4]);
}

#[test]
fn dual_source_blending() {
    let fragment = "#version 330
out vec4 first; out vec4 second; void main() { first = vec4(1.0, 2.0, 4.0, 8.0); second = vec4(0.5, 0.25, 2.0, 1.0); }";
    let mut options = LinkOptions::default();
    options.frag_data_bindings.insert("first".into(), (0, 0));
    options.frag_data_bindings.insert("second".into(), (0, 1));
    let program = link_with(&[(Vertex, PASS), (Fragment, fragment)], &options);
    assert!(program.reflection.fragment.dual_source);
    let gles = Gles::new();
    // SAFETY: plain state on the current context.
    unsafe {
        gles.gl.clear_color(10.0, 10.0, 10.0, 10.0);
        gles.gl.clear(glow::COLOR_BUFFER_BIT);
        gles.gl.enable(glow::BLEND);
        gles.gl.blend_func(glow::ONE, glow::SRC1_COLOR);
    }
    close(draw(&gles, &program), [6.0, 4.5, 24.0, 18.0]);
}

/// A framebuffer with two more colour attachments, all of them drawn to.
fn three_targets(gles: &Gles) {
    let gl = &gles.gl;
    // SAFETY: plain calls on the current context with objects made here.
    unsafe {
        for n in 1..3 {
            let texture = gl.create_texture().expect("textures can be made");
            gl.bind_texture(glow::TEXTURE_2D, Some(texture));
            gl.tex_storage_2d(glow::TEXTURE_2D, 1, glow::RGBA32F, SIZE, SIZE);
            let attachment = glow::COLOR_ATTACHMENT0 + n;
            gl.framebuffer_texture_2d(
                glow::FRAMEBUFFER,
                attachment,
                glow::TEXTURE_2D,
                Some(texture),
                0,
            );
        }
        gl.draw_buffers(&[
            glow::COLOR_ATTACHMENT0,
            glow::COLOR_ATTACHMENT1,
            glow::COLOR_ATTACHMENT2,
        ]);
        gl.bind_texture(glow::TEXTURE_2D, None);
    }
}

fn texel_of(gles: &Gles, attachment: u32) -> [f32; 4] {
    // SAFETY: plain state on the current context.
    unsafe { gles.gl.read_buffer(glow::COLOR_ATTACHMENT0 + attachment) };
    gles.texel(2, 2)
}

#[test]
fn frag_color_goes_to_all_draw_buffers() {
    let fragment = "uniform float k; void main() { gl_FragColor = vec4(1.0, 2.0, 3.0, 4.0); if (k > 0.5) { gl_FragColor.x = 9.0; return; } gl_FragColor.y = 7.0; }";
    let program = link(&[(Vertex, PASS), (Fragment, fragment)]);
    assert!(program.reflection.fragment.broadcasts_color);
    assert_eq!(program.reflection.outputs[0].name, "gl_FragColor");
    let mut gles = Gles::new();
    gles.options.broadcast_outputs = 3;
    three_targets(&gles);
    Blocks::new(&program.reflection)
        .set("k", &[1.0])
        .bind(&gles);
    draw(&gles, &program);
    for n in 0..3 {
        assert_eq!(texel_of(&gles, n), [9.0, 2.0, 3.0, 4.0]);
    }
    Blocks::new(&program.reflection)
        .set("k", &[0.0])
        .bind(&gles);
    draw(&gles, &program);
    for n in 0..3 {
        assert_eq!(texel_of(&gles, n), [1.0, 7.0, 3.0, 4.0]);
    }
}

#[test]
fn frag_data_and_bound_outputs_reach_their_buffers() {
    let gles = Gles::new();
    three_targets(&gles);
    let fragment = "void main() { gl_FragData[0] = vec4(1.0); gl_FragData[2] = vec4(3.0); gl_FragData[1] = vec4(2.0); }";
    draw(&gles, &link(&[(Vertex, PASS), (Fragment, fragment)]));
    for n in 0..3 {
        assert_eq!(texel_of(&gles, n), [n as f32 + 1.0; 4]);
    }
    let fragment = "#version 330\nout vec4 x, y, z; void main() { x = vec4(4.0); y = vec4(5.0); z = vec4(6.0); }";
    let mut options = LinkOptions::default();
    options.frag_data_bindings.insert("x".into(), (2, 0));
    options.frag_data_bindings.insert("z".into(), (0, 0));
    draw(
        &gles,
        &link_with(&[(Vertex, PASS), (Fragment, fragment)], &options),
    );
    assert_eq!([0, 1, 2].map(|n| texel_of(&gles, n)[0]), [6.0, 5.0, 4.0]);
}

#[test]
fn samplers_in_structs_and_arrays() {
    let fragment = "#version 330
struct M { vec4 tint; sampler2D map; float k; sampler2D more[2]; }; uniform M mats[2]; uniform sampler2D list[3]; out vec4 c;
vec4 shade(M m, vec2 at) { return m.tint * texture(m.map, at).x * m.k; }
void main() { vec2 p = vec2(0.5); c = mats[0].tint * texture(mats[0].map, p).x + shade(mats[1], p) + texture(list[2], p) * 100.0 + texture(mats[1].more[1], p) * 1000.0; }";
    let program = link(&[(Vertex, PASS), (Fragment, fragment)]);
    let reflection = &program.reflection;
    let gles = Gles::new();
    let fill = |unit: u32, v: f32| gles.texture_2d(unit, 1, 1, &[v, v, v, v]);
    fill(sampler_slot(reflection, "mats[0].map"), 2.0);
    fill(sampler_slot(reflection, "mats[1].map"), 3.0);
    let list = sampler_slot(reflection, "list[0]");
    fill(list, 4.0);
    fill(list + 1, 5.0);
    fill(list + 2, 6.0);
    let more = sampler_slot(reflection, "mats[1].more[0]");
    fill(more, 8.0);
    fill(more + 1, 7.0);
    Blocks::new(reflection)
        .set("mats[0].tint", &[1.0, 0.0, 0.0, 1.0])
        .set("mats[1].tint", &[0.0, 1.0, 0.0, 1.0])
        .set("mats[1].k", &[10.0])
        .bind(&gles);
    close(draw(&gles, &program), [7602.0, 7630.0, 7600.0, 7632.0]);
}

#[test]
fn geometry_shader_makes_the_triangle() {
    let vertex = "#version 330
layout(location = 0) in vec4 pos; out Data { vec3 value; flat int id; } o;
void main() { o.value = vec3(0.25, 0.5, 0.75); o.id = 5; gl_Position = pos; }";
    let geometry = "#version 330
layout(triangles) in; layout(triangle_strip, max_vertices = 4) out;
in Data { vec3 value; flat int id; } v[]; out vec4 color; uniform float scale;
void main() { for (int i = 0; i < 4; i++) { color = vec4(v[i % 3].value * scale, float(v[0].id)); gl_PrimitiveID = gl_PrimitiveIDIn + 3; gl_Position = vec4(float(i & 1) * 2.0 - 1.0, float(i >> 1) * 2.0 - 1.0, 0.0, 1.0); EmitVertex(); } EndPrimitive(); }";
    let fragment = "#version 330\nin vec4 color; uniform float scale; out vec4 c; void main() { c = color + vec4(scale, 0.0, 0.0, float(gl_PrimitiveID)); }";
    let program = link(&[(Vertex, vertex), (Geometry, geometry), (Fragment, fragment)]);
    let facts = program
        .reflection
        .geometry
        .expect("the archive tells about the geometry stage");
    assert_eq!(
        (
            facts.input.to_gl(),
            facts.output.to_gl(),
            facts.max_vertices
        ),
        (4, 5, 4)
    );
    let gles = Gles::new();
    Blocks::new(&program.reflection)
        .set("scale", &[2.0])
        .bind(&gles);
    close(draw(&gles, &program), [2.5, 1.0, 1.5, 8.0]);
}

#[test]
fn clip_distances_cut() {
    let vertex = "#version 330
layout(location = 0) in vec4 pos; out float gl_ClipDistance[2];
void main() { gl_Position = pos; gl_ClipDistance[0] = pos.x; gl_ClipDistance[1] = 1.0; }";
    let fragment = "#version 330\nout vec4 c; void main() { c = vec4(1.0); }";
    let program = link(&[(Vertex, vertex), (Fragment, fragment)]);
    assert_eq!(program.reflection.vertex.clip_distances, 2);
    let gles = Gles::new();
    // SAFETY: plain state on the current context; 0x3000 is GL_CLIP_DISTANCE0.
    unsafe {
        gles.gl.clear_color(0.0, 0.0, 0.0, 0.0);
        gles.gl.clear(glow::COLOR_BUFFER_BIT);
        gles.gl.enable(0x3000);
    }
    draw(&gles, &program);
    assert_eq!(gles.texel(1, 4), [0.0; 4]);
    assert_eq!(gles.texel(6, 4), [1.0; 4]);
}

#[test]
fn point_size_from_state_or_shader() {
    let vertex = "#version 330
void main() { gl_Position = vec4(0.0, 0.0, 0.0, 1.0); gl_PointSize = 2.0; }";
    let fragment = "#version 330\nout vec4 c; void main() { c = vec4(gl_PointCoord, 1.0, 1.0); }";
    let program = link(&[(Vertex, vertex), (Fragment, fragment)]);
    assert!(program.reflection.vertex.writes_point_size);
    assert!(program.reflection.fragment.uses_point_coord);
    let mut gles = Gles::new();
    let covered = |gles: &Gles, size: Option<f32>| {
        let built = gles.build(&program);
        // SAFETY: plain calls on the current context with objects made here.
        unsafe {
            let array = gles
                .gl
                .create_vertex_array()
                .expect("vertex arrays can be made");
            gles.gl.bind_vertex_array(Some(array));
            gles.gl.clear_color(0.0, 0.0, 0.0, 0.0);
            gles.gl.clear(glow::COLOR_BUFFER_BIT);
            gles.gl.use_program(Some(built));
            if let Some(size) = size {
                let index = mgl_replay::espryt::essl::POINT_SIZE_LOCATION;
                // glow keeps locations opaque; the driver says that this one is the uniform's.
                let location = gles.gl.get_uniform_location(built, "mgl_point_size");
                assert!(location.is_some_and(|l| l.0 == index));
                gles.gl.uniform_1_f32(location.as_ref(), size);
            }
            gles.gl.draw_arrays(glow::POINTS, 0, 1);
        }
        let on = |x: i32, y: i32| gles.texel(x, y)[3] > 0.0;
        (0..SIZE)
            .flat_map(|y| (0..SIZE).map(move |x| (x, y)))
            .filter(|(x, y)| on(*x, *y))
            .count()
    };
    assert_eq!(covered(&gles, None), 4);
    gles.options.point_size_from_state = true;
    assert_eq!(covered(&gles, Some(6.0)), 36);
}

#[test]
fn attribute_arrays_and_bound_locations() {
    let vertex = "#version 330
in vec4 pos; in float list[3]; in mat2 m; uniform int n; flat out vec4 v;
void main() { v = vec4(list[n], list[2], m[1]); gl_Position = pos; }";
    let fragment = "#version 330\nflat in vec4 v; out vec4 c; void main() { c = v; }";
    let mut options = LinkOptions::default();
    options.attrib_bindings.insert("pos".into(), 0);
    options.attrib_bindings.insert("m".into(), 3);
    let program = link_with(&[(Vertex, vertex), (Fragment, fragment)], &options);
    let place = |name: &str| {
        let found = program
            .reflection
            .attributes
            .iter()
            .find(|a| a.name == name);
        found
            .map(|a| (a.location, a.size))
            .expect("the attribute is active")
    };
    assert_eq!(place("pos"), (0, 1));
    assert_eq!(place("m"), (3, 1));
    // Three consecutive ones are free behind the matrix only: 1 and 2 are too few.
    assert_eq!(place("list"), (5, 3));
    let gles = Gles::new();
    let mut blocks = Blocks::new(&program.reflection);
    blocks.set_words("n", 0, 0, &[1]).bind(&gles);
    // SAFETY: plain state on the current context.
    unsafe {
        for (at, value) in [(5, 10.0), (6, 11.0), (7, 12.0)] {
            gles.gl.vertex_attrib_4_f32(at, value, 0.0, 0.0, 0.0);
        }
        gles.gl.vertex_attrib_4_f32(4, 3.0, 4.0, 0.0, 0.0);
    }
    close(draw(&gles, &program), [11.0, 12.0, 3.0, 4.0]);
}

#[test]
fn transform_feedback_captures_by_name() {
    let vertex = "#version 330
struct S { vec2 a; float b; }; out S s; out vec3 list[2]; out Blk { float inner; vec2 other; } blk; out mat2 m; flat out int id;
void main() { s.a = vec2(1, 2); s.b = 3.0; list[0] = vec3(4); list[1] = vec3(5, 6, 7); blk.inner = 8.0; blk.other = vec2(9); m = mat2(10, 11, 12, 13); id = gl_VertexID + 20; gl_Position = vec4(14, 15, 16, 17); }";
    let names = [
        "gl_Position",
        "s.b",
        "list[1]",
        "Blk.inner",
        "m",
        "id",
        "s.a",
    ];
    let options = LinkOptions {
        xfb: Some(XfbRequest {
            varyings: names.map(String::from).to_vec(),
            mode: XfbMode::Interleaved,
        }),
        ..LinkOptions::default()
    };
    let program = link_with(&[(Vertex, vertex)], &options);
    let xfb = program
        .reflection
        .xfb
        .as_ref()
        .expect("the archive tells what is captured");
    assert_eq!(xfb.strides, [16 * 4]);
    let offsets: Vec<u32> = xfb.varyings.iter().map(|v| v.offset).collect();
    assert_eq!(offsets, [0, 16, 20, 32, 36, 52, 56]);
    let gles = Gles::new();
    let built = gles.link(&gles.essl(&program), Some(glow::INTERLEAVED_ATTRIBS));
    let gl = &gles.gl;
    let mut bytes = [0u8; 128];
    // SAFETY: plain calls on the current context with objects made here; the buffer has two
    // records of 64 bytes.
    unsafe {
        let array = gl.create_vertex_array().expect("vertex arrays can be made");
        gl.bind_vertex_array(Some(array));
        let buffer = gl.create_buffer().expect("buffers can be made");
        gl.bind_buffer_base(glow::TRANSFORM_FEEDBACK_BUFFER, 0, Some(buffer));
        gl.buffer_data_u8_slice(glow::TRANSFORM_FEEDBACK_BUFFER, &bytes, glow::STREAM_READ);
        gl.use_program(Some(built));
        gl.enable(glow::RASTERIZER_DISCARD);
        gl.begin_transform_feedback(glow::POINTS);
        gl.draw_arrays(glow::POINTS, 0, 2);
        gl.end_transform_feedback();
        let mapped =
            gl.map_buffer_range(glow::TRANSFORM_FEEDBACK_BUFFER, 0, 128, glow::MAP_READ_BIT);
        assert!(!mapped.is_null());
        std::ptr::copy_nonoverlapping(mapped, bytes.as_mut_ptr(), 128);
        gl.unmap_buffer(glow::TRANSFORM_FEEDBACK_BUFFER);
        assert_eq!(gl.get_error(), glow::NO_ERROR);
    }
    let word =
        |n: usize| u32::from_le_bytes(bytes[n * 4..n * 4 + 4].try_into().expect("four bytes"));
    let floats: Vec<f32> = (0..13).map(|n| f32::from_bits(word(n))).collect();
    assert_eq!(
        floats,
        [
            14.0, 15.0, 16.0, 17.0, 3.0, 5.0, 6.0, 7.0, 8.0, 10.0, 11.0, 12.0, 13.0
        ]
    );
    assert_eq!(word(13), 20);
    assert_eq!(
        [f32::from_bits(word(14)), f32::from_bits(word(15))],
        [1.0, 2.0]
    );
    assert_eq!(word(16 + 13), 21);
}

#[test]
fn interpolation_qualifiers() {
    // The far right corner has w = 3: smooth values bend, noperspective ones do not.
    let vertex = "#version 330
layout(location = 0) in vec4 pos; smooth out float s; noperspective out float n; flat out float f;
void main() { float w = pos.x > 0.0 ? 3.0 : 1.0; s = n = f = pos.x > 0.0 ? 1.0 : 0.0; gl_Position = vec4(pos.xyz * w, w); }";
    let fragment = "#version 330\nsmooth in float s; noperspective in float n; flat in float f; out vec4 c; void main() { c = vec4(s, n, f, 1.0); }";
    let program = link(&[(Vertex, vertex), (Fragment, fragment)]);
    assert!(program.reflection.vertex.uses_noperspective);
    let gles = Gles::new();
    let drawn = draw(&gles, &program);
    // At x = 0.125 of -1..3 the share of the right corner is 0.28125.
    let share: f32 = 1.125 / 4.0;
    let bent = (share / 3.0) / (share / 3.0 + (1.0 - share));
    close(drawn, [bent, share, 0.0, 1.0]);
}

#[test]
fn built_in_inputs_and_depth() {
    let vertex = "#version 120\nattribute vec4 pos; varying float r; void main() { r = gl_DepthRange.near + gl_DepthRange.far * 10.0 + gl_DepthRange.diff * 100.0; gl_Position = pos; }";
    let fragment = "#version 120\nvarying float r; void main() { gl_FragColor = vec4(gl_FragCoord.xy, gl_FrontFacing ? 1.0 : 0.0, r); gl_FragDepth = 0.25; }";
    let program = link(&[(Vertex, vertex), (Fragment, fragment)]);
    let reflection = &program.reflection;
    assert!(reflection.fragment.writes_depth && reflection.fragment.uses_frag_coord);
    let block = reflection
        .default_block
        .as_ref()
        .expect("gl_DepthRange lives in the block");
    let offsets = block.depth_range.expect("the archive says where");
    let mut bytes = vec![0u8; block.size as usize];
    for (offset, value) in [
        (offsets.near, 0.125f32),
        (offsets.far, 0.75),
        (offsets.diff, 0.625),
    ] {
        bytes[offset as usize..offset as usize + 4].copy_from_slice(&value.to_le_bytes());
    }
    let gles = Gles::new();
    gles.uniform_buffer(mgl_replay::espryt::essl::DEFAULT_BLOCK_BINDING, &bytes);
    close(draw(&gles, &program), [4.5, 4.5, 1.0, 0.125 + 7.5 + 62.5]);
}

#[test]
fn several_shaders_of_one_stage_share_uniforms() {
    let program = link(&[
        (
            Vertex,
            "#version 330\nlayout(location = 0) in vec4 pos; vec4 place(vec4 p); void main() { gl_Position = place(pos); }",
        ),
        (
            Vertex,
            "#version 330\nuniform vec2 shift; uniform vec4 tint; vec4 place(vec4 p) { return p + vec4(shift, 0, 0) * tint.x; }",
        ),
        (
            Fragment,
            "#version 330\nout vec4 c; vec4 shade(float k); void main() { c = shade(2.0); }",
        ),
        (
            Fragment,
            "#version 330\nuniform vec3 odd; uniform vec4 tint = vec4(0.0, 1.0, 2.0, 3.0); vec4 shade(float k) { return tint * k + vec4(odd, 0.0); }",
        ),
    ]);
    let gles = Gles::new();
    Blocks::new(&program.reflection)
        .set("odd", &[0.5, 0.25, 0.125])
        .bind(&gles);
    close(draw(&gles, &program), [0.5, 2.25, 4.125, 6.0]);
}

#[test]
fn integer_textures_and_buffers() {
    let fragment = "#version 330
uniform isampler2D i; uniform usampler2D u; uniform samplerBuffer b; out vec4 c;
void main() { c = vec4(texelFetch(i, ivec2(0), 0).xy, texelFetch(u, ivec2(0), 0).x, texelFetch(b, textureSize(b) - 1).x); }";
    let program = link(&[(Vertex, PASS), (Fragment, fragment)]);
    let gles = Gles::new();
    let one = |name: &str, internal: u32, format: u32, ty: u32, words: [u32; 4]| {
        gles.texture(
            sampler_slot(&program.reflection, name),
            glow::TEXTURE_2D,
            |gl| {
                let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
                // SAFETY: one texel of four words.
                unsafe {
                    gl.tex_image_2d(
                        glow::TEXTURE_2D,
                        0,
                        internal as i32,
                        1,
                        1,
                        0,
                        format,
                        ty,
                        glow::PixelUnpackData::Slice(Some(&bytes)),
                    );
                }
            },
        );
    };
    one(
        "i",
        glow::RGBA32I,
        glow::RGBA_INTEGER,
        glow::INT,
        [-7i32 as u32, 9, 0, 0],
    );
    one(
        "u",
        glow::RGBA32UI,
        glow::RGBA_INTEGER,
        glow::UNSIGNED_INT,
        [4_000_000_000, 0, 0, 0],
    );
    // SAFETY: plain calls on the current context with objects made here.
    unsafe {
        let buffer = gles.gl.create_buffer().expect("buffers can be made");
        gles.gl.bind_buffer(glow::TEXTURE_BUFFER, Some(buffer));
        let texels = [1.0, 0.0, 0.0, 0.0, 42.0, 0.0, 0.0, 0.0];
        gles.gl
            .buffer_data_u8_slice(glow::TEXTURE_BUFFER, bytes_of(&texels), glow::STATIC_DRAW);
        let texture = gles.gl.create_texture().expect("textures can be made");
        gles.gl
            .active_texture(glow::TEXTURE0 + sampler_slot(&program.reflection, "b"));
        gles.gl.bind_texture(glow::TEXTURE_BUFFER, Some(texture));
        gles.gl
            .tex_buffer(glow::TEXTURE_BUFFER, glow::RGBA32F, Some(buffer));
    }
    close(draw(&gles, &program), [-7.0, 9.0, 4_000_000_000.0, 42.0]);
}
