//! Uniform blocks and push constants that a compiler cannot see through.
//!
//! lavapipe compiles a shader anew for the values of uniforms that decide about its branches. It finds them as loads
//! from a block of known number at a known offset, and notes them in a table that is too small for the fourth block of a
//! stage and all after it: it writes over its own counts, and reads a block number -1 when it draws. Push constants
//! are block 0 to it, and lead to the same number. (Mesa 22.3: the table's rows are 4 long, and taken for 32.)
//!
//! So blocks get a number that is only known when the shader runs: a variable becomes an array of one block, or an
//! array's index a sum, with a zero that is computed from an input. Pushed values get the same zero added.

use super::builtins::{Code, find, input};
use crate::spv::{Spv, edit};
use mgl_core::program::ShaderStage;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{BuiltIn, Capability, Decoration, Op, StorageClass};
use std::collections::HashMap;

/// Blocks of a stage that the driver's table has room for, the default block among them.
const MOST_PLAIN: usize = 3;

fn is_chain(inst: &Instruction) -> bool {
    matches!(inst.class.opcode, Op::AccessChain | Op::InBoundsAccessChain)
}

/// A variable that holds zero once the entry function has begun. A driver cannot know that it does: no vertex or
/// primitive has a number of 2^31 or more, and no fragment lies left of the framebuffer.
fn zero(spv: &mut Spv, stage: ShaderStage) -> u32 {
    let int = spv.type_int();
    let zero = spv.add_variable(StorageClass::Private, int);
    let value_of = |code: &mut Code<'_>, builtin: BuiltIn, variable: u32| {
        let ty = find(code.spv, StorageClass::Input, builtin).map_or(int, |p| p.ty);
        let number = code.load(ty, variable);
        let uint = code.spv.type_uint();
        let bits = code.spv.constant_bits(uint, 31);
        code.binary(Op::ShiftRightArithmetic, int, number, bits)
    };
    let (builtin, ty) = match stage {
        ShaderStage::Fragment => {
            let float = spv.type_float();
            (BuiltIn::FragCoord, spv.type_vector(float, 4))
        }
        ShaderStage::Vertex => (BuiltIn::VertexIndex, int),
        _ => (BuiltIn::PrimitiveId, int),
    };
    let variable = input(spv, builtin, ty);
    let mut code = Code::new(spv);
    let value = if stage == ShaderStage::Fragment {
        let float = code.spv.type_float();
        let place = code.load(ty, variable);
        let x = code.extract(float, place, 0);
        let left = code.float(-1.0);
        let bool_type = code.spv.global(Op::TypeBool, None, vec![]);
        let is_left = code.binary(Op::FOrdLessThan, bool_type, x, left);
        let (one, none) = (
            code.spv.constant_bits(int, 1),
            code.spv.constant_bits(int, 0),
        );
        let operands = [is_left, one, none].map(Operand::IdRef).to_vec();
        code.emit(Op::Select, int, operands)
    } else {
        value_of(&mut code, builtin, variable)
    };
    code.store(zero, value);
    let out = code.out;
    edit::insert_at_start(spv, out);
    zero
}

/// Makes the numbers of all uniform blocks of a stage unknown, where it has more than the driver has room for.
pub(super) fn blocks(spv: &mut Spv, stage: ShaderStage) {
    let all = spv.variables();
    let blocks: Vec<_> = all
        .into_iter()
        .filter(|v| v.class == StorageClass::Uniform)
        .collect();
    let descriptors: usize = blocks
        .iter()
        .map(|v| spv.strip_array(v.ty).1.unwrap_or(1) as usize)
        .sum();
    if descriptors <= MOST_PLAIN {
        return;
    }
    edit::add_capability(spv, Capability::UniformBufferArrayDynamicIndexing);
    let (int, uint) = (spv.type_int(), spv.type_uint());
    let one = spv.constant_bits(uint, 1);
    let zero = zero(spv, stage);
    // The array that takes a variable's place; `None` where it is one already.
    let mut arrays: HashMap<u32, Option<u32>> = HashMap::new();
    for v in &blocks {
        if spv.strip_array(v.ty).1.is_some() {
            arrays.insert(v.id, None);
            continue;
        }
        let operands = vec![Operand::IdRef(v.ty), Operand::IdRef(one)];
        let ty = spv.add_global(Op::TypeArray, None, operands);
        let array = spv.add_variable(StorageClass::Uniform, ty);
        for d in [Decoration::DescriptorSet, Decoration::Binding] {
            if let Some(value) = spv.decoration(v.id, d) {
                spv.decorate(array, d, value);
            }
        }
        arrays.insert(v.id, Some(array));
    }
    let mut functions = std::mem::take(&mut spv.module.functions);
    for block in functions.iter_mut().flat_map(|f| &mut f.blocks) {
        let old = std::mem::take(&mut block.instructions);
        for mut inst in old {
            let base = match inst.operands.first() {
                Some(Operand::IdRef(id)) if is_chain(&inst) => arrays.get(id).copied(),
                _ => None,
            };
            if let Some(base) = base {
                let mut code = Code::new(spv);
                let none = code.load(int, zero);
                match (base, inst.operands.get(1)) {
                    (Some(array), _) => {
                        inst.operands[0] = Operand::IdRef(array);
                        inst.operands.insert(1, Operand::IdRef(none));
                    }
                    (None, Some(Operand::IdRef(index))) => {
                        let sum = code.binary(Op::IAdd, int, *index, none);
                        inst.operands[1] = Operand::IdRef(sum);
                    }
                    _ => {}
                }
                let out = code.out;
                block.instructions.extend(out);
            }
            block.instructions.push(inst);
        }
    }
    spv.module.functions = functions;
    let gone: Vec<u32> = arrays
        .iter()
        .filter_map(|(old, new)| new.map(|_| *old))
        .collect();
    spv.remove_variables(&gone);
}

/// Adds the unknown zero to every pushed value that a stage reads.
pub(super) fn pushes(spv: &mut Spv, stage: ShaderStage) {
    let pushed: Vec<u32> = spv
        .module
        .types_global_values
        .iter()
        .filter(|i| {
            i.class.opcode == Op::TypePointer
                && i.operands.first() == Some(&Operand::StorageClass(StorageClass::PushConstant))
        })
        .filter_map(|i| i.result_id)
        .collect();
    if pushed.is_empty() {
        return;
    }
    let zero = zero(spv, stage);
    let (int, float) = (spv.type_int(), spv.type_float());
    let mut functions = std::mem::take(&mut spv.module.functions);
    for block in functions.iter_mut().flat_map(|f| &mut f.blocks) {
        let old = std::mem::take(&mut block.instructions);
        // Pointers to pushed values are made in the block that loads through them.
        let mut pointers = Vec::new();
        for mut inst in old {
            if is_chain(&inst) && inst.result_type.is_some_and(|ty| pushed.contains(&ty)) {
                pointers.extend(inst.result_id);
            }
            let from = match inst.operands.first() {
                Some(Operand::IdRef(id)) if inst.class.opcode == Op::Load => *id,
                _ => 0,
            };
            let (true, Some(ty), Some(id)) =
                (pointers.contains(&from), inst.result_type, inst.result_id)
            else {
                block.instructions.push(inst);
                continue;
            };
            let mut code = Code::new(spv);
            let raw = code.spv.new_id();
            inst.result_id = Some(raw);
            code.out.push(inst);
            let none = code.load(int, zero);
            let (op, none) = if ty == float {
                let operands = vec![Operand::IdRef(none)];
                (Op::FAdd, code.emit(Op::ConvertSToF, float, operands))
            } else {
                (Op::IAdd, none)
            };
            let operands = vec![Operand::IdRef(raw), Operand::IdRef(none)];
            code.out
                .push(Instruction::new(op, Some(ty), Some(id), operands));
            let out = code.out;
            block.instructions.extend(out);
        }
    }
    spv.module.functions = functions;
}
