//! SPIR-V of one stage and its reflection archive to ESSL (design page 5.5). The SPIR-V is first
//! brought to what ESSL can say (rectangle and one-dimensional textures, output broadcast, names,
//! bindings: the sub-modules), then SPIRV-Cross writes the text.
//!
//! Nothing is looked up by name in the text: blocks, samplers, attributes and fragment outputs carry
//! explicit bindings and locations, values between stages match by names made from their locations,
//! and names for transform feedback are returned with the text.

mod names;

use crate::spv::{Spv, SpvError};
use mgl_core::program::{
    Reflection, SET_DEFAULT_BLOCK, SET_SAMPLERS, SET_UNIFORM_BLOCKS, ShaderStage,
};
use rspirv::spirv::{Decoration, StorageClass};
use spirv_cross2::compile::CompilableTarget;
use spirv_cross2::compile::glsl::GlslVersion;
use spirv_cross2::targets::Glsl;
use spirv_cross2::{Compiler, Module, SpirvCrossError};

/// Uniform buffer binding point of the default uniform block.
pub const DEFAULT_BLOCK_BINDING: u32 = 0;
/// Uniform buffer binding point of the named block with index 0; block n has this plus n.
pub const FIRST_BLOCK_BINDING: u32 = 1;

/// What the GLES context below offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EsslOptions {
    /// 310 or 320.
    pub version: u32,
    /// Draw buffers that `gl_FragColor` is written to.
    pub broadcast_outputs: u32,
    /// `GL_NV_shader_noperspective_interpolation`.
    pub noperspective: bool,
    /// `GL_EXT_clip_cull_distance`.
    pub clip_distance: bool,
    /// `GL_EXT_blend_func_extended`.
    pub dual_source: bool,
}

impl Default for EsslOptions {
    fn default() -> Self {
        EsslOptions {
            version: 320,
            broadcast_outputs: 1,
            noperspective: false,
            clip_distance: false,
            dual_source: false,
        }
    }
}

/// A stage's ESSL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Essl {
    pub source: String,
    /// For the last vertex-processing stage: what to pass to `glTransformFeedbackVaryings`, an
    /// entry for each of the archive's varyings.
    pub xfb_varyings: Vec<String>,
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
    let unsupported = |feature| EsslError::Unsupported {
        stage: name,
        feature,
    };
    if reflection.uses_fp64 {
        return Err(unsupported("double precision (fp64)"));
    }
    if stage == ShaderStage::Fragment && reflection.fragment.dual_source && !options.dual_source {
        return Err(unsupported("dual-source blending"));
    }
    let mut spv = Spv::load(words).map_err(|source| EsslError::Spirv {
        stage: name,
        source,
    })?;
    place_resources(&mut spv);
    let xfb_varyings = names::assign(&mut spv, stage, reflection);
    let source = cross(stage, &spv.assemble(), options).map_err(|e| EsslError::Cross {
        stage: name,
        message: e.to_string(),
    })?;
    Ok(Essl {
        source,
        xfb_varyings,
    })
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

fn cross(
    stage: ShaderStage,
    words: &[u32],
    options: &EsslOptions,
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
    if stage == ShaderStage::Geometry && options.version < 320 {
        compiler.require_extension("GL_EXT_geometry_shader")?;
    }
    Ok(compiler.compile(&glsl)?.to_string())
}
