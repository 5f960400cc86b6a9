//! Inputs and outputs that ESSL handles otherwise: the point size from state, vertex attributes that
//! are arrays.

use crate::spv::edit::{insert_at_start, insert_before, retarget};
use crate::spv::{Shape, Spv};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass};

/// Location of the plain uniform that holds the point size from state.
pub const POINT_SIZE_LOCATION: u32 = 0;

/// Makes the stage write the plain uniform at [`POINT_SIZE_LOCATION`] to `gl_PointSize`, over
/// whatever it writes itself: in OpenGL the point size is state unless a program point size is
/// asked for. `op` is where a vertex is complete.
pub fn point_size_from_state(spv: &mut Spv, op: Op) {
    let wanted = Some(BuiltIn::PointSize as u32);
    let target = spv.variables().into_iter().find_map(|v| {
        if v.class != StorageClass::Output {
            return None;
        }
        if spv.decoration(v.id, Decoration::BuiltIn) == wanted {
            return Some((v.id, None));
        }
        let Shape::Struct(members) = spv.shape(v.ty) else {
            return None;
        };
        let at = (0..members.len() as u32)
            .find(|at| spv.member_decoration(v.ty, *at, Decoration::BuiltIn) == wanted)?;
        Some((v.id, Some(at)))
    });
    let float = spv.type_float();
    let (variable, member) = target.unwrap_or_else(|| {
        let variable = spv.add_variable(StorageClass::Output, float);
        spv.decorate(variable, Decoration::BuiltIn, BuiltIn::PointSize as u32);
        (variable, None)
    });
    let size = spv.add_variable(StorageClass::UniformConstant, float);
    spv.decorate(size, Decoration::Location, POINT_SIZE_LOCATION);
    spv.rename(size, "mgl_point_size");
    let pointer = spv.type_pointer(StorageClass::Output, float);
    let int = spv.type_int();
    let member = member.map(|at| spv.constant_bits(int, at));
    insert_before(spv, op, op != Op::Return, |spv| {
        let mut code = Vec::new();
        let target = match member {
            None => variable,
            Some(member) => {
                let chain = spv.new_id();
                let operands = vec![Operand::IdRef(variable), Operand::IdRef(member)];
                code.push(Instruction::new(
                    Op::AccessChain,
                    Some(pointer),
                    Some(chain),
                    operands,
                ));
                chain
            }
        };
        let value = spv.new_id();
        let load = vec![Operand::IdRef(size)];
        code.push(Instruction::new(Op::Load, Some(float), Some(value), load));
        let store = vec![Operand::IdRef(target), Operand::IdRef(value)];
        code.push(Instruction::new(Op::Store, None, None, store));
        code
    });
}

/// First colours need not say that they are the first where there are no second ones.
pub fn forget_indices(spv: &mut Spv) {
    for v in spv.variables() {
        if v.class == StorageClass::Output {
            spv.undecorate(v.id, Decoration::Index);
        }
    }
}

/// ESSL has no arrays of vertex attributes: each becomes one attribute an element, gathered into a
/// private array at the start.
pub fn split_attribute_arrays(spv: &mut Spv) {
    for variable in spv.variables() {
        if variable.class != StorageClass::Input || spv.is_builtin(variable) {
            continue;
        }
        let Shape::Array(element, length) = spv.shape(variable.ty) else {
            continue;
        };
        let location = spv
            .decoration(variable.id, Decoration::Location)
            .unwrap_or(0);
        let each = spv.locations(element, false);
        let parts: Vec<u32> = (0..length)
            .map(|n| {
                let part = spv.add_variable(StorageClass::Input, element);
                spv.decorate(part, Decoration::Location, location + n * each);
                part
            })
            .collect();
        let whole = spv.add_variable(StorageClass::Private, variable.ty);
        retarget(spv, variable.id, whole, StorageClass::Private);
        spv.remove_variables(&[variable.id]);
        let mut code = Vec::new();
        let mut values = Vec::new();
        for part in parts {
            let value = spv.new_id();
            let load = vec![Operand::IdRef(part)];
            code.push(Instruction::new(Op::Load, Some(element), Some(value), load));
            values.push(Operand::IdRef(value));
        }
        let gathered = spv.new_id();
        let ty = Some(variable.ty);
        code.push(Instruction::new(
            Op::CompositeConstruct,
            ty,
            Some(gathered),
            values,
        ));
        let store = vec![Operand::IdRef(whole), Operand::IdRef(gathered)];
        code.push(Instruction::new(Op::Store, None, None, store));
        insert_at_start(spv, code);
    }
}
