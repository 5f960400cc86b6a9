//! The whole shader road: GLSL to SPIR-V and archive, to ESSL, to a real OpenGL ES 3.2 driver.

mod gles;
mod programs;

use gles::{Blocks, Gles, sampler_slot, uniform_type};
use mgl::shader::{LinkOptions, LinkedProgram, ProfileHint, ShaderCompiler};
use mgl_core::program::{GlType, Reflection, ShaderStage};
use std::sync::Arc;

const CORE: ProfileHint = ProfileHint {
    core: true,
    max_version: 330,
};

fn link_all(sources: &[(ShaderStage, &str)], options: &LinkOptions) -> Arc<LinkedProgram> {
    let compiler = ShaderCompiler::default();
    let shaders: Vec<_> = sources
        .iter()
        .map(|(stage, source)| compiler.compile(*stage, source, CORE))
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

#[test]
fn textured_triangle() {
    let vertex = "#version 330 core
uniform mat4 mvp;
uniform vec2 scale;
in vec4 position;
out vec2 uv;
void main() { gl_Position = mvp * position; uv = position.xy * scale; }
";
    let fragment = "#version 330 core
uniform sampler2D tex;
uniform vec4 tint;
uniform vec2 scale;
in vec2 uv;
out vec4 color;
void main() { color = texture(tex, uv * 0.5 + 0.5) * tint + vec4(scale, 0.0, 0.0); }
";
    let program = link_all(
        &[
            (ShaderStage::Vertex, vertex),
            (ShaderStage::Fragment, fragment),
        ],
        &LinkOptions::default(),
    );
    let reflection = &program.reflection;
    assert_eq!(uniform_type(reflection, "mvp"), Some(GlType::FLOAT_MAT4));
    assert_eq!(reflection.attributes.len(), 1);
    assert_eq!(reflection.attributes[0].name, "position");
    assert_eq!(reflection.attributes[0].location, 0);
    assert_eq!(reflection.outputs[0].name, "color");

    let gles = Gles::new();
    let built = gles.build(&program);
    #[rustfmt::skip]
    let identity = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let mut blocks = Blocks::new(reflection);
    blocks
        .set("mvp", &identity)
        .set("scale", &[1.0, 1.0])
        .set("tint", &[0.5, 2.0, 1.0, 1.0]);
    blocks.bind(&gles);
    #[rustfmt::skip]
    let texels = [0.1, 0.2, 0.3, 1.0,  0.4, 0.5, 0.6, 1.0,  0.7, 0.8, 0.9, 1.0,  1.0, 1.1, 1.2, 1.0];
    gles.texture_2d(sampler_slot(reflection, "tex"), 2, 2, &texels);
    gles.draw_covering(built, 1);
    assert_eq!(
        gles.texel(1, 1),
        [0.1 * 0.5 + 1.0, 0.2 * 2.0 + 1.0, 0.3, 1.0]
    );
    assert_eq!(gles.texel(6, 6), [1.5, 1.1 * 2.0 + 1.0, 1.2, 1.0]);
}

fn accepted(programs: &[programs::Program]) {
    let gles = Gles::new();
    for (name, shaders) in programs {
        let compiler = ShaderCompiler::default();
        let compiled: Vec<_> = shaders
            .iter()
            .map(|(stage, source)| compiler.compile(*stage, source, CORE))
            .collect();
        for shader in &compiled {
            assert!(
                shader.ok,
                "{name}, {} shader:\n{}",
                shader.stage.name(),
                shader.info_log
            );
        }
        let linked = compiler.link(
            &compiled.iter().collect::<Vec<_>>(),
            &LinkOptions::default(),
        );
        assert!(linked.ok, "{name}:\n{}", linked.info_log);
        let program = linked.program.expect("a linked program is there");
        let bytes = program.reflection.encode();
        assert_eq!(
            Reflection::decode(&bytes).as_ref(),
            Ok(&program.reflection),
            "{name}"
        );
        println!("{name}");
        gles.build(&program);
    }
}

#[test]
fn glsl_110_programs() {
    accepted(programs::GLSL_110);
}

#[test]
fn glsl_120_programs() {
    accepted(programs::GLSL_120);
}

#[test]
fn glsl_130_programs() {
    accepted(programs::GLSL_130);
}

#[test]
fn glsl_140_programs() {
    accepted(programs::GLSL_140);
}

#[test]
fn glsl_150_programs() {
    accepted(programs::GLSL_150);
}

#[test]
fn glsl_330_programs() {
    accepted(programs::GLSL_330);
}
