//! Clip distances that a geometry shader reads at an index which is no constant. In ESSL `gl_in[].gl_ClipDistance` has no
//! size of its own, and drivers take only constants for an index into what has no size; so all are read, and one is chosen.

use crate::spv::code::Code;
use crate::spv::{Shape, Spv};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass};
use std::collections::HashMap;

/// The distances of a vertex: `[vertex, member, index]` behind the input variable.
struct Distances {
    variable: u32,
    member: u32,
    count: u32,
}

/// A pointer to one of them: its vertex, the member as the code names it, and the index.
#[derive(Clone, Copy)]
struct Pointer {
    vertex: u32,
    member: u32,
    index: u32,
}

/// Makes every index into an input vertex's clip distances a constant.
pub fn choose(spv: &mut Spv) {
    let Some(distances) = find(spv) else { return };
    let mut functions = std::mem::take(&mut spv.module.functions);
    let mut pointers = HashMap::new();
    for block in functions.iter_mut().flat_map(|f| &mut f.blocks) {
        let old = std::mem::take(&mut block.instructions);
        for inst in old {
            if let (Some(id), Some(p)) = (inst.result_id, pointer(spv, &distances, &inst)) {
                pointers.insert(id, p);
                continue;
            }
            let read = match (inst.class.opcode, inst.operands.first()) {
                (Op::Load, Some(Operand::IdRef(from))) => pointers.get(from),
                _ => None,
            };
            match (read, inst.result_id) {
                (Some(p), Some(result)) => {
                    block
                        .instructions
                        .extend(chosen(spv, &distances, *p, result));
                }
                _ => block.instructions.push(inst),
            }
        }
    }
    spv.module.functions = functions;
}

fn find(spv: &Spv) -> Option<Distances> {
    let wanted = Some(BuiltIn::ClipDistance as u32);
    spv.variables().into_iter().find_map(|v| {
        if v.class != StorageClass::Input {
            return None;
        }
        let (block, _) = spv.strip_array(v.ty);
        let Shape::Struct(members) = spv.shape(block) else {
            return None;
        };
        let member = (0..members.len() as u32)
            .find(|at| spv.member_decoration(block, *at, Decoration::BuiltIn) == wanted)?;
        Some(Distances {
            variable: v.id,
            member,
            count: spv.strip_array(members[member as usize]).1?,
        })
    })
}

/// The pointer that an instruction makes, if its index is no constant.
fn pointer(spv: &Spv, d: &Distances, inst: &Instruction) -> Option<Pointer> {
    if !matches!(inst.class.opcode, Op::AccessChain | Op::InBoundsAccessChain) {
        return None;
    }
    let [
        Operand::IdRef(base),
        Operand::IdRef(vertex),
        Operand::IdRef(member),
        Operand::IdRef(index),
    ] = inst.operands.as_slice()
    else {
        return None;
    };
    let fits = *base == d.variable
        && spv.constant(*member) == Some(d.member)
        && spv.constant(*index).is_none();
    fits.then_some(Pointer {
        vertex: *vertex,
        member: *member,
        index: *index,
    })
}

/// Reads all distances and gives the one at the index the name `result`; the first one for an index that is outside.
fn chosen(spv: &mut Spv, d: &Distances, p: Pointer, result: u32) -> Vec<Instruction> {
    let (float, int) = (spv.type_float(), spv.type_int());
    let bool = spv.global(Op::TypeBool, None, Vec::new());
    let place = spv.type_pointer(StorageClass::Input, float);
    let mut code = Code::new(spv);
    let mut value = None;
    for at in 0..d.count {
        let at = code.spv.constant_bits(int, at);
        let path = [d.variable, p.vertex, p.member, at];
        let from = code.emit(Op::AccessChain, place, path.map(Operand::IdRef).to_vec());
        let here = code.load(float, from);
        value = Some(match value {
            None => here,
            Some(before) => {
                let is = code.binary(Op::IEqual, bool, p.index, at);
                let parts = [is, here, before].map(Operand::IdRef).to_vec();
                code.emit(Op::Select, float, parts)
            }
        });
    }
    let mut out = code.out;
    if let Some(value) = value {
        let copy = vec![Operand::IdRef(value)];
        out.push(Instruction::new(
            Op::CopyObject,
            Some(float),
            Some(result),
            copy,
        ));
    }
    out
}
