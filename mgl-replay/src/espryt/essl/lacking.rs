//! What a stage asks for and the context lacks: done without, as near as it goes.

use super::EsslOptions;
use crate::approximation::Approximation;
use crate::spv::code::find;
use crate::spv::edit::{self, retarget};
use crate::spv::{Shape, Spv};
use mgl_core::program::{Reflection, ShaderStage};
use rspirv::dr::Operand;
use rspirv::spirv::{BuiltIn, Capability, Decoration, Op, StorageClass};

/// Takes out what the context lacks; gives what is only near for it.
pub fn do_without(
    spv: &mut Spv,
    stage: ShaderStage,
    reflection: &Reflection,
    options: &EsslOptions,
) -> Vec<Approximation> {
    let mut near = Vec::new();
    if reflection.vertex.uses_noperspective && !options.noperspective {
        interpolate_with_perspective(spv);
        if stage == ShaderStage::Fragment {
            near.push(Approximation::NoPerspective);
        }
    }
    match stage {
        ShaderStage::Fragment => {
            if reflection.fragment.dual_source && !options.dual_source {
                edit::split_outputs(spv, false, |_, index| index > 0);
                super::outputs::forget_indices(spv);
                near.push(Approximation::DualSource);
            }
        }
        _ => {
            if reflection.vertex.clip_distances > 0 && !options.clip_distance {
                write_to_nothing(spv, BuiltIn::ClipDistance);
                edit::remove_capability(spv, Capability::ClipDistance);
                near.push(Approximation::ClipDistances);
            }
        }
    }
    if stage == ShaderStage::Geometry && !options.geometry_point_size {
        let points = reflection
            .geometry
            .is_some_and(|g| g.output == mgl_core::program::GeometryPrimitive::Points);
        if reflection.vertex.writes_point_size || options.point_size_from_state && points {
            write_to_nothing(spv, BuiltIn::PointSize);
            edit::remove_capability(spv, Capability::GeometryPointSize);
            if points {
                near.push(Approximation::PointSize);
            }
        }
    }
    near
}

fn interpolate_with_perspective(spv: &mut Spv) {
    for v in spv.variables() {
        spv.undecorate(v.id, Decoration::NoPerspective);
        let mut ty = v.ty;
        while let Shape::Array(element, _) = spv.shape(ty) {
            ty = element;
        }
        if let Shape::Struct(members) = spv.shape(ty) {
            for at in 0..members.len() as u32 {
                spv.undecorate_member(ty, at, Decoration::NoPerspective);
            }
        }
    }
}

/// What is written to a built-in output goes to a variable that nothing reads. A member of the block of built-ins stays
/// there, and is no longer written: SPIRV-Cross leaves out members that are not used.
fn write_to_nothing(spv: &mut Spv, builtin: BuiltIn) {
    let Some(place) = find(spv, StorageClass::Output, builtin) else {
        return;
    };
    let private = spv.add_variable(StorageClass::Private, place.ty);
    let Some(member) = place.member else {
        retarget(spv, place.variable, private, StorageClass::Private);
        spv.remove_variables(&[place.variable]);
        return;
    };
    let mut whole = Vec::new();
    let mut functions = std::mem::take(&mut spv.module.functions);
    for inst in functions.iter_mut().flat_map(|f| f.all_inst_iter_mut()) {
        let is_chain = matches!(inst.class.opcode, Op::AccessChain | Op::InBoundsAccessChain);
        let hit = is_chain
            && inst.operands.first() == Some(&Operand::IdRef(place.variable))
            && matches!(inst.operands.get(1), Some(Operand::IdRef(id)) if spv.constant(*id) == Some(member));
        if !hit {
            continue;
        }
        if inst.operands.len() == 2 {
            // A pointer to the whole is the variable itself.
            whole.extend(inst.result_id);
            continue;
        }
        inst.operands[0] = Operand::IdRef(private);
        inst.operands.remove(1);
        if let Some(ty) = inst.result_type.and_then(|pointer| spv.pointee(pointer)) {
            inst.result_type = Some(spv.type_pointer(StorageClass::Private, ty));
        }
    }
    for block in functions.iter_mut().flat_map(|f| &mut f.blocks) {
        block
            .instructions
            .retain(|i| !i.result_id.is_some_and(|id| whole.contains(&id)));
    }
    spv.module.functions = functions;
    for pointer in whole {
        retarget(spv, pointer, private, StorageClass::Private);
    }
}
