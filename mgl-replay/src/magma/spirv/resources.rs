//! Textures and leftovers: rectangle textures become two-dimensional ones, buffer textures become
//! texel buffers, and what nothing uses goes.

use super::ShaderFeatures;
use crate::spv::{Shape, Spv, images};
use mgl_core::program::{SamplerDim, ShaderStage};
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, Op, StorageClass};
use std::collections::{HashMap, HashSet};

/// Removes resources that no function uses, and decorations that belong to the other side of an
/// interface.
pub(super) fn tidy(spv: &mut Spv, stage: ShaderStage) {
    let used: HashSet<u32> = spv
        .module
        .functions
        .iter()
        .flat_map(|f| f.all_inst_iter())
        .flat_map(|i| i.operands.iter().filter_map(Operand::id_ref_any))
        .collect();
    let mut gone = Vec::new();
    for v in spv.variables() {
        match v.class {
            StorageClass::Uniform | StorageClass::UniformConstant if !used.contains(&v.id) => {
                gone.push(v.id);
            }
            // The outputs that they read have it.
            StorageClass::Input => spv.undecorate(v.id, Decoration::Invariant),
            // The inputs that read them have it.
            StorageClass::Output if stage != ShaderStage::Fragment => {
                spv.undecorate(v.id, Decoration::Sample);
            }
            _ => {}
        }
    }
    spv.remove_variables(&gone);
}

/// Brings texture types to what Vulkan has.
pub(super) fn lower(spv: &mut Spv, features: &ShaderFeatures) {
    images::lower(spv, !features.one_d_images);
    texel_buffers(spv);
}

/// A texel buffer is an image without sampler: variables of sampled buffer types become variables of
/// their image types, and the instructions that take the image out of a sampled one go.
fn texel_buffers(spv: &mut Spv) {
    let is_buffer = |spv: &Spv, ty: u32| match spv.shape(ty) {
        Shape::Basic(basic) => basic.sampler().is_some_and(|s| s.dim == SamplerDim::Buffer),
        _ => false,
    };
    // The image type of each sampled buffer type.
    let mut plain: HashMap<u32, u32> = HashMap::new();
    for inst in &spv.module.types_global_values {
        if inst.class.opcode == Op::TypeSampledImage
            && let (Some(id), Some(Operand::IdRef(image))) = (inst.result_id, inst.operands.first())
            && is_buffer(spv, id)
        {
            plain.insert(id, *image);
        }
    }
    if plain.is_empty() {
        return;
    }
    for inst in &mut spv.module.types_global_values {
        if matches!(inst.class.opcode, Op::TypePointer | Op::TypeArray) {
            for operand in &mut inst.operands {
                if let Operand::IdRef(id) = operand
                    && let Some(image) = plain.get(id)
                {
                    *id = *image;
                }
            }
        }
    }
    spv.module
        .types_global_values
        .retain(|i| i.result_id.is_none_or(|id| !plain.contains_key(&id)));
    let mut same: HashMap<u32, u32> = HashMap::new();
    for function in &mut spv.module.functions {
        for block in &mut function.blocks {
            block.instructions.retain_mut(|inst| {
                let was_buffer = inst.result_type.is_some_and(|ty| plain.contains_key(&ty));
                if let Some(ty) = &mut inst.result_type
                    && let Some(image) = plain.get(ty)
                {
                    *ty = *image;
                }
                for operand in &mut inst.operands {
                    if let Operand::IdRef(id) = operand
                        && let Some(new) = same.get(id)
                    {
                        *id = *new;
                    }
                }
                if was_buffer && let Some(id) = inst.result_id {
                    same.insert(id, id);
                }
                if inst.class.opcode == Op::Image
                    && let (Some(id), Some(Operand::IdRef(from))) =
                        (inst.result_id, inst.operands.first())
                    && same.contains_key(from)
                {
                    let from = *from;
                    same.insert(id, from);
                    return false;
                }
                true
            });
        }
    }
    spv.reindex();
}
