//! SPIR-V of one stage and its reflection archive to ESSL (design page 5.5). The SPIR-V is first
//! brought to what ESSL can say (rectangle and one-dimensional textures, output broadcast, names,
//! bindings: the sub-modules), then SPIRV-Cross writes the text.
//!
//! Nothing is looked up by name in the text: blocks, samplers, attributes and fragment outputs carry
//! explicit bindings and locations, values between stages match by names made from their locations,
//! and names for transform feedback are returned with the text.

mod bias;
mod clip_inputs;
mod flatten;
mod inputs;
mod interface;
mod lacking;
pub mod logic;
mod names;
mod outputs;
mod seams;
pub mod wire;

pub use bias::FIRST_BIAS_LOCATION;
pub use inputs::HEIGHT_LOCATION;
pub use outputs::POINT_SIZE_LOCATION;

use crate::approximation::Approximation;
use crate::spv::{Spv, SpvError, edit, images, points};
use mgl_core::program::{
    Reflection, SET_DEFAULT_BLOCK, SET_SAMPLERS, SET_UNIFORM_BLOCKS, ShaderStage,
};
use mgl_core::trace::with_signals_blocked;
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, ExecutionMode, Op, StorageClass};
use spirv_cross2::compile::CompilableTarget;
use spirv_cross2::compile::glsl::GlslVersion;
use spirv_cross2::targets::Glsl;
use spirv_cross2::{Compiler, Module, SpirvCrossError};

/// Uniform buffer binding point of the default uniform block.
pub const DEFAULT_BLOCK_BINDING: u32 = 0;
/// Uniform buffer binding point of the named block with index 0; block n has this plus n.
pub const FIRST_BLOCK_BINDING: u32 = 1;

/// What the GLES context below offers, and what the draw needs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EsslOptions {
    /// 310 or 320.
    pub version: u32,
    /// Draw buffers that the colour at location 0 is written to: several for `gl_FragColor` and for a window of which
    /// both buffers are drawn to.
    pub broadcast_outputs: u32,
    /// The last vertex-processing stage sets `gl_PointSize` from the plain float uniform at location
    /// [`POINT_SIZE_LOCATION`]: for points that are drawn without `GL_PROGRAM_POINT_SIZE`.
    pub point_size_from_state: bool,
    /// `GL_NV_shader_noperspective_interpolation`.
    pub noperspective: bool,
    /// `GL_EXT_clip_cull_distance`.
    pub clip_distance: bool,
    /// `GL_EXT_blend_func_extended`.
    pub dual_source: bool,
    /// `GL_EXT_geometry_point_size`: a geometry shader may write the point size.
    pub geometry_point_size: bool,
    /// `gl_PointCoord` counts from the lower left.
    pub point_coord_from_below: bool,
    /// Look-ups of the fragment shader add the pair of uniforms at [`FIRST_BIAS_LOCATION`] plus their slot.
    pub lod_bias: bool,
    /// Fragment outputs are no arrays, and second colours are not there: what a logic operation works on.
    pub single_outputs: bool,
    /// Colours are written with alpha one.
    pub alpha_to_one: bool,
    /// Points whose centre is outside the clip volume are dropped.
    pub clip_points: bool,
}

impl Default for EsslOptions {
    fn default() -> Self {
        EsslOptions {
            version: 320,
            broadcast_outputs: 1,
            point_size_from_state: false,
            noperspective: false,
            clip_distance: false,
            dual_source: false,
            geometry_point_size: false,
            point_coord_from_below: false,
            lod_bias: false,
            single_outputs: false,
            alpha_to_one: false,
            clip_points: false,
        }
    }
}

/// A stage's ESSL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Essl {
    pub source: String,
    /// For the last vertex-processing stage: what to pass to `glTransformFeedbackVaryings`, an
    /// entry for each of the archive's varyings. A skip is `gl_SkipComponentsN`, which no GLES
    /// accepts: programs with one are captured in another way.
    pub xfb_varyings: Vec<String>,
    /// What of the stage the context does only nearly.
    pub near: Vec<Approximation>,
}

/// Why a stage cannot be expressed in ESSL.
#[derive(Debug, thiserror::Error)]
pub enum EsslError {
    #[error("{stage} shader: {source}")]
    Spirv {
        stage: &'static str,
        source: SpvError,
    },
    #[error("{stage} shader: SPIRV-Cross: {message}")]
    Cross {
        stage: &'static str,
        message: String,
    },
    /// A feature that this context does not have.
    #[error("{stage} shader: {feature} is not available on this OpenGL ES")]
    Unsupported {
        stage: &'static str,
        feature: &'static str,
    },
}

/// Text of a fragment shader that does nothing: GLES links no program without one.
pub fn empty_fragment(options: &EsslOptions) -> Essl {
    let version = if options.version < 320 { 310 } else { 320 };
    Essl {
        source: format!("#version {version} es\nvoid main() {{}}\n"),
        xfb_varyings: Vec::new(),
        near: Vec::new(),
    }
}

/// Texture unit and uniform buffer bindings in the text are the archive's: sampler slot n is
/// `binding = n`; the default block has binding [`DEFAULT_BLOCK_BINDING`], block n has
/// [`FIRST_BLOCK_BINDING`] plus n.
pub fn to_essl(
    stage: ShaderStage,
    words: &[u32],
    reflection: &Reflection,
    options: &EsslOptions,
) -> Result<Essl, EsslError> {
    let name = stage.name();
    let extensions = check_features(stage, reflection, options)?;
    let mut spv = Spv::load(words).map_err(|source| EsslError::Spirv {
        stage: name,
        source,
    })?;
    let near = lacking::do_without(&mut spv, stage, reflection, options);
    place_resources(&mut spv);
    drop_invariant_inputs(&mut spv);
    images::lower(&mut spv, true);
    flatten::values(&mut spv, stage);
    match stage {
        ShaderStage::Vertex => outputs::split_attribute_arrays(&mut spv),
        ShaderStage::Geometry => clip_inputs::choose(&mut spv),
        ShaderStage::Fragment => {
            edit::broadcast_color(&mut spv, options.broadcast_outputs);
            if options.single_outputs || options.alpha_to_one {
                let only_first = options.single_outputs || !options.dual_source;
                edit::split_outputs(&mut spv, true, |_, index| only_first && index > 0);
            }
            if options.single_outputs {
                outputs::forget_indices(&mut spv);
            }
            if options.alpha_to_one {
                edit::alpha_to_one(&mut spv);
            }
            drop_depth_hints(&mut spv);
            if options.point_coord_from_below {
                inputs::point_coord_from_below(&mut spv);
            }
        }
        _ => {}
    }
    let last_vertex = reflection
        .stages
        .iter()
        .filter(|s| *s < ShaderStage::Fragment)
        .last();
    let is_last_vertex = last_vertex == Some(stage);
    let xfb_varyings = names::assign(&mut spv, stage, reflection);
    // Uniforms of our own come after the names, which are theirs.
    if stage == ShaderStage::Fragment {
        let facts = &reflection.fragment;
        inputs::place_frag_coord(
            &mut spv,
            facts.origin_upper_left,
            facts.pixel_center_integer,
        );
        if options.lod_bias {
            bias::add(&mut spv);
        }
    }
    let sized = stage != ShaderStage::Geometry || options.geometry_point_size;
    if is_last_vertex && options.point_size_from_state && sized {
        let vertex_ends = if stage == ShaderStage::Geometry {
            Op::EmitVertex
        } else {
            Op::Return
        };
        outputs::point_size_from_state(&mut spv, vertex_ends);
    }
    if is_last_vertex && options.clip_points {
        points::clip(&mut spv);
    }
    let source = cross(&spv.assemble(), options, &extensions).map_err(|e| EsslError::Cross {
        stage: name,
        message: e.to_string(),
    })?;
    Ok(Essl {
        source,
        xfb_varyings,
        near,
    })
}

/// Refuses by name what the context lacks; gives the extensions that the text must ask for and
/// SPIRV-Cross does not.
fn check_features(
    stage: ShaderStage,
    reflection: &Reflection,
    options: &EsslOptions,
) -> Result<Vec<&'static str>, EsslError> {
    let name = stage.name();
    let refuse = |feature| {
        Err(EsslError::Unsupported {
            stage: name,
            feature,
        })
    };
    let mut extensions = Vec::new();
    if reflection.uses_fp64 {
        return refuse("double precision (fp64)");
    }
    match stage {
        ShaderStage::Fragment => {
            if reflection.fragment.dual_source && options.dual_source && !options.single_outputs {
                extensions.push("GL_EXT_blend_func_extended");
            }
        }
        _ => {
            if reflection.vertex.writes_viewport_index {
                return refuse("gl_ViewportIndex");
            }
        }
    }
    if stage == ShaderStage::Geometry {
        let writes_size = reflection.vertex.writes_point_size || options.point_size_from_state;
        if writes_size && options.geometry_point_size {
            extensions.push("GL_EXT_geometry_point_size");
        }
        if options.version < 320 {
            extensions.push("GL_EXT_geometry_shader");
        }
    }
    Ok(extensions)
}

/// ESSL has no `invariant` inputs; the outputs that they read have it.
fn drop_invariant_inputs(spv: &mut Spv) {
    for variable in spv.variables() {
        if variable.class == StorageClass::Input {
            spv.undecorate(variable.id, Decoration::Invariant);
        }
    }
}

/// `depth_greater` and its kin only promise something; ESSL needs an extension to say them.
fn drop_depth_hints(spv: &mut Spv) {
    spv.module.execution_modes.retain(|inst| {
        !matches!(
            inst.operands.get(1),
            Some(Operand::ExecutionMode(
                ExecutionMode::DepthGreater
                    | ExecutionMode::DepthLess
                    | ExecutionMode::DepthUnchanged
            ))
        )
    });
}

/// Descriptor sets become the flat binding spaces of GLES.
fn place_resources(spv: &mut Spv) {
    for variable in spv.variables() {
        if !matches!(
            variable.class,
            StorageClass::Uniform | StorageClass::UniformConstant
        ) {
            continue;
        }
        let set = spv
            .decoration(variable.id, Decoration::DescriptorSet)
            .unwrap_or(0);
        let binding = spv
            .decoration(variable.id, Decoration::Binding)
            .unwrap_or(0);
        let flat = match set {
            SET_DEFAULT_BLOCK => DEFAULT_BLOCK_BINDING,
            SET_UNIFORM_BLOCKS => FIRST_BLOCK_BINDING + binding,
            SET_SAMPLERS => binding,
            _ => binding,
        };
        spv.decorate(variable.id, Decoration::Binding, flat);
    }
}

/// Bytes of stack for SPIRV-Cross, which recurses as deeply as the code is nested.
const CROSS_STACK: usize = 256 << 20;

/// Runs SPIRV-Cross on a thread with a large stack, so that no program's nesting can overflow the
/// caller's.
fn cross(words: &[u32], options: &EsslOptions, extensions: &[&str]) -> Result<String, String> {
    std::thread::scope(|scope| {
        let run = || cross_here(words, options, extensions).map_err(|e| e.to_string());
        // The program's handlers never run on it.
        let thread = with_signals_blocked(|| {
            std::thread::Builder::new()
                .stack_size(CROSS_STACK)
                .spawn_scoped(scope, run)
        });
        match thread.map(|t| t.join()) {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err("the conversion panicked".to_owned()),
            Err(e) => Err(format!("no thread to run on: {e}")),
        }
    })
}

fn cross_here(
    words: &[u32],
    options: &EsslOptions,
    extensions: &[&str],
) -> Result<String, SpirvCrossError> {
    let mut compiler = Compiler::<Glsl>::new(Module::from_words(words))?;
    let mut glsl = Glsl::options();
    glsl.version = match options.version {
        0..=310 => GlslVersion::Glsl310Es,
        _ => GlslVersion::Glsl320Es,
    };
    glsl.support_nonzero_base_instance = false;
    glsl.es_default_float_precision_highp = true;
    glsl.es_default_int_precision_highp = true;
    glsl.enable_row_major_load_workaround = false;
    for extension in extensions {
        compiler.require_extension(*extension)?;
    }
    Ok(compiler.compile(&glsl)?.to_string())
}

#[cfg(test)]
mod tests;
