//! What a driver may be given: modules come from files, and drivers trust what they are given; a
//! constant of another type, an index beyond its array or a location out of range ends in their memory
//! faults. So a module is only passed on when every part of it is one that GLSL gives: types, constants,
//! decorations, built-ins and modes ([`interface`], [`types`]), every instruction with the types of its
//! operands ([`code`], [`images`]), control flow inside its function, no recursion; and when it asks for
//! nothing that the device lacks.

mod code;
mod images;
mod interface;
mod types;

use super::{ShaderFeatures, SpirvError};
use crate::spv::Spv;
use mgl_core::program::ShaderStage;
use rspirv::dr::Operand;
use rspirv::spirv::{AddressingModel, Capability, ExecutionModel, Op};
use std::collections::HashSet;

fn invalid(stage: ShaderStage, what: impl Into<String>) -> SpirvError {
    SpirvError::Invalid {
        stage: stage.name(),
        what: what.into(),
    }
}

/// The module is whole.
pub(super) fn structure(spv: &Spv, stage: ShaderStage) -> Result<(), SpirvError> {
    let module = &spv.module;
    let model = match stage {
        ShaderStage::Vertex => ExecutionModel::Vertex,
        ShaderStage::TessControl => ExecutionModel::TessellationControl,
        ShaderStage::TessEval => ExecutionModel::TessellationEvaluation,
        ShaderStage::Geometry => ExecutionModel::Geometry,
        ShaderStage::Fragment => ExecutionModel::Fragment,
        ShaderStage::Compute => ExecutionModel::GLCompute,
    };
    let entry = module.entry_points.first().map(|e| e.operands.as_slice());
    let Some(
        [
            Operand::ExecutionModel(found),
            Operand::IdRef(main),
            Operand::LiteralString(name),
            ..,
        ],
    ) = entry
    else {
        return Err(invalid(stage, "the entry point is damaged"));
    };
    if *found != model {
        return Err(invalid(stage, format!("the entry point is for {found:?}")));
    }
    if name != "main" {
        return Err(invalid(stage, "the entry point is not called main"));
    }
    let logical = module.memory_model.as_ref().is_some_and(|m| {
        m.operands.first() == Some(&Operand::AddressingModel(AddressingModel::Logical))
    });
    if !logical {
        return Err(invalid(stage, "the addressing model is not logical"));
    }
    if !module.functions.iter().any(|f| f.def_id() == Some(*main)) {
        return Err(invalid(stage, "the entry function is missing"));
    }
    let mut defined = HashSet::new();
    for inst in module.all_inst_iter() {
        if let Some(id) = inst.result_id
            && !defined.insert(id)
        {
            return Err(invalid(stage, format!("id {id} is defined twice")));
        }
    }
    for inst in module.all_inst_iter() {
        let used = inst.operands.iter().filter_map(Operand::id_ref_any);
        for id in used.chain(inst.result_type) {
            if !defined.contains(&id) {
                return Err(invalid(stage, format!("id {id} is not defined")));
            }
        }
    }
    let types: HashSet<u32> = module
        .types_global_values
        .iter()
        .filter(|i| i.class.opname.starts_with("Type"))
        .filter_map(|i| i.result_id)
        .collect();
    let untyped = module
        .all_inst_iter()
        .any(|i| i.result_type.is_some_and(|ty| !types.contains(&ty)));
    if untyped {
        return Err(invalid(stage, "a value whose type is no type"));
    }
    for function in &module.functions {
        let labels: HashSet<u32> = function
            .blocks
            .iter()
            .filter_map(|b| b.label_id())
            .collect();
        if labels.is_empty() {
            return Err(invalid(stage, "a function without code"));
        }
        for inst in function.blocks.iter().flat_map(|b| &b.instructions) {
            let mut targets: Vec<u32> = Vec::new();
            let ids = inst.operands.iter().filter_map(|o| match o {
                Operand::IdRef(id) => Some(*id),
                _ => None,
            });
            match inst.class.opcode {
                Op::Branch | Op::SelectionMerge | Op::LoopMerge => targets.extend(ids),
                Op::BranchConditional | Op::Switch => targets.extend(ids.skip(1)),
                _ => {}
            }
            if targets.iter().any(|t| !labels.contains(t)) {
                return Err(invalid(stage, "a branch that leads out of its function"));
            }
        }
    }
    calls_end(spv, stage)?;
    let types = types::Types::of(spv).map_err(|e| invalid(stage, e))?;
    interface::globals(spv, &types)
        .and_then(|()| interface::decorations(spv, &types))
        .and_then(|()| interface::modes(spv, stage))
        .and_then(|()| interface::interface(spv, &types, stage))
        .and_then(|()| code::functions(spv, &types, stage))
        .map_err(|e| invalid(stage, e))
}

/// No function calls itself: drivers inline everything.
fn calls_end(spv: &Spv, stage: ShaderStage) -> Result<(), SpirvError> {
    let functions = &spv.module.functions;
    let calls: Vec<Vec<usize>> = functions
        .iter()
        .map(|f| {
            f.all_inst_iter()
                .filter(|i| i.class.opcode == Op::FunctionCall)
                .filter_map(|i| match i.operands.first() {
                    Some(Operand::IdRef(id)) => {
                        functions.iter().position(|g| g.def_id() == Some(*id))
                    }
                    _ => None,
                })
                .collect()
        })
        .collect();
    // Functions whose calls are all known to end are taken away until none is left.
    let mut open: Vec<usize> = (0..functions.len()).collect();
    while !open.is_empty() {
        let before = open.len();
        let still = open.clone();
        open.retain(|f| calls[*f].iter().any(|g| still.contains(g)));
        if open.len() == before {
            return Err(invalid(stage, "a function calls itself"));
        }
    }
    Ok(())
}

/// The device has what the module asks for.
pub(super) fn features(
    spv: &Spv,
    stage: ShaderStage,
    has: &ShaderFeatures,
) -> Result<(), SpirvError> {
    let unsupported = |feature: String| SpirvError::Unsupported {
        stage: stage.name(),
        feature,
    };
    let kind = match stage {
        ShaderStage::Geometry => has.geometry,
        ShaderStage::TessControl | ShaderStage::TessEval => has.tessellation,
        _ => true,
    };
    if !kind {
        return Err(unsupported(format!("a {} shader", stage.name())));
    }
    for inst in &spv.module.capabilities {
        let Some(Operand::Capability(capability)) = inst.operands.first() else {
            continue;
        };
        let (known, name) = match capability {
            Capability::Shader
            | Capability::Matrix
            | Capability::Sampled1D
            | Capability::SampledRect
            | Capability::SampledBuffer
            | Capability::ImageQuery
            | Capability::DerivativeControl
            | Capability::DrawParameters => (true, ""),
            Capability::Geometry => (has.geometry, "gl_PrimitiveID or gl_Layer"),
            Capability::Tessellation => (has.tessellation, "tessellation"),
            Capability::Float64 => (has.float64, "double precision (fp64)"),
            Capability::ClipDistance => (has.clip_distance, "gl_ClipDistance"),
            Capability::CullDistance => (has.cull_distance, "gl_CullDistance"),
            Capability::SampleRateShading | Capability::InterpolationFunction => {
                (has.sample_rate, "shading a sample each")
            }
            Capability::SampledCubeArray => (has.cube_arrays, "a cube map array"),
            Capability::ImageGatherExtended => (has.gather_extended, "a gather with offsets"),
            Capability::MultiViewport => (has.multi_viewport, "gl_ViewportIndex"),
            Capability::GeometryPointSize | Capability::TessellationPointSize => (
                has.late_point_size,
                "gl_PointSize in a geometry or tessellation shader",
            ),
            Capability::GeometryStreams => (has.streams, "vertex streams"),
            Capability::TransformFeedback => (has.capture, "transform feedback"),
            _ => (false, ""),
        };
        if !known {
            return Err(unsupported(if name.is_empty() {
                format!("{capability:?}")
            } else {
                name.to_owned()
            }));
        }
    }
    if let Some(ext) = spv.module.extensions.iter().find(|i| {
        !matches!(i.operands.first(), Some(Operand::LiteralString(name))
            if KNOWN_EXTENSIONS.contains(&name.as_str()))
    }) {
        return Err(unsupported(format!("{:?}", ext.operands.first())));
    }
    Ok(())
}

/// SPIR-V extensions that are part of what the capabilities above need.
const KNOWN_EXTENSIONS: [&str; 2] = [
    "SPV_KHR_shader_draw_parameters",
    "SPV_KHR_storage_buffer_storage_class",
];
