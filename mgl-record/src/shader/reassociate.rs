//! `(A * B) * v` becomes `A * (B * v)` for matrices and a vector: sixteen products fewer, and more exact. Compilers of
//! OpenGL drivers do it, and programs rely on what comes of it: a glyph whose corners fall on texel edges is sampled
//! from the neighbours when its position is rounded otherwise.

use mgl_replay::spv::Spv;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Decoration, Op};
use std::collections::HashMap;

/// The two operands of a product.
fn pair(inst: &Instruction) -> Option<(u32, u32)> {
    match inst.operands.as_slice() {
        [Operand::IdRef(a), Operand::IdRef(b)] => Some((*a, *b)),
        _ => None,
    }
}

/// Rewrites all such products of which the matrix is used for nothing else, unless they are `precise`. The products of
/// matrices stay behind unused: whoever compiles the module drops them.
pub fn reassociate_products(spv: &mut Spv) {
    let mut functions = std::mem::take(&mut spv.module.functions);
    for function in &mut functions {
        let mut uses: HashMap<u32, u32> = HashMap::new();
        let mut matrices: HashMap<u32, (u32, u32)> = HashMap::new();
        let mut types: HashMap<u32, u32> = HashMap::new();
        for inst in function.all_inst_iter() {
            for id in inst.operands.iter().filter_map(Operand::id_ref_any) {
                *uses.entry(id).or_insert(0) += 1;
            }
            let Some(id) = inst.result_id else { continue };
            types.extend(inst.result_type.map(|ty| (id, ty)));
            let exact = spv.decoration(id, Decoration::NoContraction).is_some();
            if inst.class.opcode == Op::MatrixTimesMatrix && !exact {
                matrices.extend(pair(inst).map(|p| (id, p)));
            }
        }
        if matrices.is_empty() {
            continue;
        }
        for block in &mut function.blocks {
            let old = std::mem::take(&mut block.instructions);
            for inst in old {
                push(spv, &mut block.instructions, inst, &matrices, &uses, &types);
            }
        }
    }
    spv.module.functions = functions;
}

/// Appends an instruction; a product that can be taken apart becomes several.
fn push(
    spv: &mut Spv,
    out: &mut Vec<Instruction>,
    mut inst: Instruction,
    matrices: &HashMap<u32, (u32, u32)>,
    uses: &HashMap<u32, u32>,
    types: &HashMap<u32, u32>,
) {
    let exact = inst
        .result_id
        .is_some_and(|id| spv.decoration(id, Decoration::NoContraction).is_some());
    if inst.class.opcode == Op::MatrixTimesVector
        && !exact
        && let Some((mut matrix, mut vector)) = pair(&inst)
    {
        while let Some((left, right)) = matrices.get(&matrix)
            && uses.get(&matrix) == Some(&1)
        {
            // The inner product has as many components as the right matrix has rows.
            let Some(ty) = column_type(spv, *right, types) else {
                break;
            };
            let id = spv.new_id();
            let operands = vec![Operand::IdRef(*right), Operand::IdRef(vector)];
            // A right matrix that is a product itself is taken apart in its turn.
            let inner = Instruction::new(Op::MatrixTimesVector, Some(ty), Some(id), operands);
            push(spv, out, inner, matrices, uses, types);
            (matrix, vector) = (*left, id);
        }
        inst.operands = vec![Operand::IdRef(matrix), Operand::IdRef(vector)];
    }
    out.push(inst);
}

/// The type of a matrix value's columns.
fn column_type(spv: &Spv, matrix: u32, types: &HashMap<u32, u32>) -> Option<u32> {
    let ty = match types.get(&matrix) {
        Some(ty) => *ty,
        None => spv.def(matrix)?.result_type?,
    };
    match spv.def(ty)?.operands.first() {
        Some(Operand::IdRef(column)) => Some(*column),
        _ => None,
    }
}
