//! Linking a program (GL 3.3 §2.11.2): all stages go through glslang as one program, then names are
//! matched, bindings and locations are written into the SPIR-V, and the reflection archive is drawn
//! up.

use super::decls::Decls;
use super::glslang;
use super::initial::{InitialValue, initial_values};
use super::limits::ShaderLimits;
use super::reach::Reach;
use super::translate::{ClipSizes, original_names};
use super::uniforms;
use super::{CompiledShader, clip, dead, facts, interface, xfb};
use mgl_core::program::{Reflection, ShaderStage, XfbMode};
use mgl_replay::spv::Spv;
use std::collections::BTreeMap;

/// What the application has set on the program object before linking.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LinkOptions {
    /// `glBindAttribLocation`: attribute name to location.
    pub attrib_bindings: BTreeMap<String, u32>,
    /// `glBindFragDataLocationIndexed`: output name to (location, index).
    pub frag_data_bindings: BTreeMap<String, (u32, u32)>,
    /// `glTransformFeedbackVaryings`.
    pub xfb: Option<XfbRequest>,
}

/// Varyings to capture, in the order given to `glTransformFeedbackVaryings`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct XfbRequest {
    pub varyings: Vec<String>,
    pub mode: XfbMode,
}

/// A successfully linked program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedProgram {
    /// SPIR-V 1.3 of each stage, in pipeline order.
    pub stages: Vec<(ShaderStage, Vec<u32>)>,
    pub reflection: Reflection,
}

/// One stage on its way through the linker.
pub struct Stage {
    pub stage: ShaderStage,
    pub spv: Spv,
    pub reach: Reach,
    /// What the source's declarations say and SPIR-V does not.
    pub decls: Decls,
    pub initial_values: Vec<InitialValue>,
}

/// Collects a link's errors and warnings; holds the limits that they are about.
pub struct LinkLog<'a> {
    pub limits: &'a ShaderLimits,
    text: String,
    failed: bool,
}

impl LinkLog<'_> {
    /// Adds a warning.
    pub fn warning(&mut self, message: &str) {
        self.text.push_str("warning: ");
        self.text.push_str(message);
        self.text.push('\n');
    }

    /// Adds an error; the link fails.
    pub fn error(&mut self, message: String) {
        self.failed = true;
        self.text.push_str("error: ");
        self.text.push_str(&message);
        self.text.push('\n');
    }
}

/// Links compiled shaders. Gives the program and a log of warnings, or the log of errors.
pub fn link(
    shaders: &[&CompiledShader],
    options: &LinkOptions,
    limits: &ShaderLimits,
) -> Result<(LinkedProgram, String), String> {
    let mut log = LinkLog {
        limits,
        text: String::new(),
        failed: false,
    };
    check_shaders(shaders, &mut log);
    if log.failed {
        return Err(log.text);
    }

    let between = clip_interface(shaders);
    let mut parsed = Vec::with_capacity(shaders.len());
    for shader in shaders {
        let tree = match &between {
            Some((sizes, size)) if shader.stage < ShaderStage::Fragment => {
                let sizes = if shader.stage == ShaderStage::Geometry {
                    *sizes
                } else {
                    Default::default()
                };
                shader.parse_clipped(&sizes, *size, limits)
            }
            _ => shader.take_parsed(limits),
        };
        match tree {
            Ok(tree) => parsed.push(tree),
            Err(text) => return Err(text),
        }
    }
    let (words, text) = glslang::link(parsed).map_err(|text| tidy_log(&text))?;
    log.text.push_str(&tidy_log(&text));

    let mut stages = Vec::with_capacity(words.len());
    for (stage, words) in &words {
        let spv = match Spv::load(words) {
            Ok(mut spv) => {
                dead::remove_dead_code(&mut spv);
                spv
            }
            Err(e) => {
                log.error(format!("{} shader: {e}", stage.name()));
                return Err(log.text);
            }
        };
        let of_stage: Vec<&CompiledShader> = shaders
            .iter()
            .filter(|s| s.stage == *stage)
            .copied()
            .collect();
        let mut decls = Decls::default();
        for own in of_stage.iter().filter_map(|s| s.decls()) {
            decls.merge(own);
        }
        let initial_values = if decls.has_initialisers {
            match read_initial_values(&of_stage, limits) {
                Ok(values) => values,
                Err(text) => {
                    log.error(format!("uniform initialisers: {text}"));
                    return Err(log.text);
                }
            }
        } else {
            Vec::new()
        };
        let reach = Reach::new(&spv);
        if dead::is_recursive(&spv) {
            log.error(format!(
                "a function of the {} shader calls itself",
                stage.name()
            ));
            return Err(log.text);
        }
        stages.push(Stage {
            stage: *stage,
            spv,
            reach,
            decls,
            initial_values,
        });
    }

    let mut reflection = Reflection::default();
    for stage in &stages {
        reflection.stages |= stage.stage;
    }
    uniforms::link_uniforms(&mut stages, &mut reflection, &mut log);
    link_interfaces(&mut stages, options, &mut reflection, &mut log);
    facts::collect_facts(&stages, &mut reflection, &mut log);
    if log.failed {
        return Err(log.text);
    }
    let stages = stages
        .into_iter()
        .map(|s| (s.stage, s.spv.assemble()))
        .collect();
    Ok((LinkedProgram { stages, reflection }, log.text))
}

/// The geometry shaders' sizes and the number of clip distances that pass to them, where they read any or the
/// vertex shader writes some.
fn clip_interface(shaders: &[&CompiledShader]) -> Option<(ClipSizes, u32)> {
    let of = |stage: ShaderStage| {
        let mut sizes = ClipSizes::default();
        for shader in shaders.iter().filter(|s| s.stage == stage) {
            if let Some(decls) = shader.decls() {
                sizes.merge(&decls.clip);
            }
        }
        sizes
    };
    let (vertex, geometry) = (of(ShaderStage::Vertex), of(ShaderStage::Geometry));
    let has = |stage| shaders.iter().any(|s| s.stage == stage);
    let between = has(ShaderStage::Vertex) && has(ShaderStage::Geometry);
    (between && geometry.input > 0).then_some((geometry, vertex.own.max(geometry.input)))
}

/// The relaxed rules drop the initialisers of uniforms; OpenGL's rules keep them as constants, so
/// that a stage that has some is compiled a second time to read them.
fn read_initial_values(
    shaders: &[&CompiledShader],
    limits: &ShaderLimits,
) -> Result<Vec<InitialValue>, String> {
    let mut parsed = Vec::with_capacity(shaders.len());
    for shader in shaders {
        parsed.push(shader.parse_for(glslang::Target::OpenGl, limits)?);
    }
    let (words, _) = glslang::link(parsed)?;
    let mut values = Vec::new();
    for (_, words) in words {
        let spv = Spv::load(&words).map_err(|e| e.to_string())?;
        values.extend(initial_values(&spv));
    }
    Ok(values)
}

fn check_shaders(shaders: &[&CompiledShader], log: &mut LinkLog) {
    if shaders.is_empty() {
        log.error("no shaders are attached to the program".to_owned());
    }
    for shader in shaders {
        if !shader.ok {
            log.error(format!(
                "a {} shader has not been compiled",
                shader.stage.name()
            ));
        }
    }
    let has = |stage| shaders.iter().any(|s| s.stage == stage);
    let early = [
        ShaderStage::TessControl,
        ShaderStage::TessEval,
        ShaderStage::Geometry,
    ];
    for stage in early {
        if has(stage) && !has(ShaderStage::Vertex) {
            log.error(format!("a {} shader needs a vertex shader", stage.name()));
        }
    }
    if has(ShaderStage::Compute) && shaders.iter().any(|s| s.stage != ShaderStage::Compute) {
        log.error("a compute shader cannot be linked with other stages".to_owned());
    }
}

fn link_interfaces(
    stages: &mut [Stage],
    options: &LinkOptions,
    reflection: &mut Reflection,
    log: &mut LinkLog,
) {
    for at in 1..stages.len() {
        let (before, after) = stages.split_at_mut(at);
        clip::carry_to_fragments(&mut before[at - 1], &mut after[0]);
        interface::link_varyings(&mut before[at - 1], &mut after[0], log);
    }
    for stage in stages.iter_mut() {
        if stage.stage == ShaderStage::Vertex {
            reflection.attributes = interface::link_attributes(stage, options, log);
        }
        if stage.stage == ShaderStage::Fragment {
            reflection.outputs = interface::link_outputs(stage, options, log);
            reflection.fragment.dual_source = reflection.outputs.iter().any(|o| o.index == 1);
            reflection.fragment.broadcasts_color =
                reflection.outputs.iter().any(|o| o.name == "gl_FragColor");
        }
    }
    if let Some(last) = stages.last_mut()
        && last.stage < ShaderStage::Fragment
    {
        interface::link_last_outputs(last);
    }
    let last_vertex = stages.iter().rfind(|s| s.stage < ShaderStage::Fragment);
    if let Some(request) = options.xfb.as_ref().filter(|r| !r.varyings.is_empty()) {
        match last_vertex {
            Some(stage) => reflection.xfb = xfb::link_xfb(stage, request, log),
            None => log.error("outputs are to be captured but no stage gives them".to_owned()),
        }
    }
}

/// glslang's link log in the form of the rest: no blank lines, no made-up names.
fn tidy_log(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines().filter(|l| !l.trim().is_empty()) {
        out.push_str(&original_names(line));
        out.push('\n');
    }
    out
}
