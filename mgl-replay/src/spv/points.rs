//! Points outside the clip volume.
//!
//! GL drops a point whose centre lies outside (GL 4.6 §13.7). OpenGL ES looks at the near and the far plane only, and
//! Vulkan devices may cut the square that the point is drawn as instead (pointClippingBehavior): a wide point whose
//! centre is outside would reach in. So the last vertex-processing stage moves it far away.

use super::Spv;
use super::code::{Code, Place, find};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{BuiltIn, Op, StorageClass};

/// Where a dropped point goes: behind the far plane, and, where that does not clip, many viewports to the side.
const AWAY: [f32; 4] = [64.0, 64.0, 2.0, 1.0];

/// Makes the stage drop points. A geometry shader's position is put back behind each vertex, because many go on with what
/// they wrote before.
pub fn clip(spv: &mut Spv) {
    let Some(place) = find(spv, StorageClass::Output, BuiltIn::Position) else {
        return;
    };
    let entry = spv.entry_function();
    let mut functions = std::mem::take(&mut spv.module.functions);
    let emits = functions
        .iter()
        .flat_map(|f| f.all_inst_iter())
        .any(|i| is_emit(i.class.opcode));
    for function in &mut functions {
        let is_entry = function.def_id() == Some(entry);
        for block in &mut function.blocks {
            let old: Vec<Instruction> = std::mem::take(&mut block.instructions);
            for inst in old {
                let op = inst.class.opcode;
                let ends = if emits {
                    is_emit(op)
                } else {
                    is_entry && op == Op::Return
                };
                if !ends {
                    block.instructions.push(inst);
                    continue;
                }
                let mut code = Code::new(spv);
                let (pointer, position) = drop_outside(&mut code, &place);
                code.out.push(inst);
                if emits {
                    code.store(pointer, position);
                }
                block.instructions.extend(code.out);
            }
        }
    }
    spv.module.functions = functions;
}

fn is_emit(op: Op) -> bool {
    matches!(op, Op::EmitVertex | Op::EmitStreamVertex)
}

/// Writes the position anew; gives the pointer to it, and the value that it had.
fn drop_outside(code: &mut Code<'_>, place: &Place) -> (u32, u32) {
    let float = code.spv.type_float();
    let truth = code.spv.global(Op::TypeBool, None, vec![]);
    let truths = code.spv.type_vector(truth, 4);
    let path = place.path(&[]);
    let pointer = code.chain(StorageClass::Output, place.variable, place.ty, &path);
    let position = code.load(place.ty, pointer);
    let [x, y, w] = [0, 1, 3].map(|at| code.extract(float, position, at));
    let below = code.emit(Op::FNegate, float, vec![Operand::IdRef(w)]);
    // Ordered, so that what is no number is outside.
    let mut inside = code.binary(Op::FOrdLessThanEqual, truth, x, w);
    for (a, b) in [(below, x), (y, w), (below, y)] {
        let side = code.binary(Op::FOrdLessThanEqual, truth, a, b);
        inside = code.binary(Op::LogicalAnd, truth, inside, side);
    }
    let choice = code.construct(truths, &[inside; 4]);
    let away = AWAY.map(|v| code.float(v));
    let away = code.construct(place.ty, &away);
    let operands = [choice, position, away].map(Operand::IdRef).to_vec();
    let kept = code.emit(Op::Select, place.ty, operands);
    code.store(pointer, kept);
    (pointer, position)
}
