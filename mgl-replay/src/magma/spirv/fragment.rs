//! The fragment stage: the origin of its coordinates, derivatives in y, one colour for all draw
//! buffers, and draw buffers that are not there.

use super::VariantKey;
use super::builtins::{Code, Pushed, find, push_block, pushed, replace_input};
use crate::spv::{Spv, edit};
use mgl_core::program::FragmentFacts;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{BuiltIn, ExecutionMode, GlslStd450Op, Op, StorageClass};

pub(super) fn rewrite(spv: &mut Spv, facts: &FragmentFacts, key: &VariantKey) {
    execution_modes(spv);
    let invert = key.flip_y != facts.origin_upper_left;
    if invert || facts.pixel_center_integer {
        frag_coord(spv, invert, facts.pixel_center_integer);
    }
    if key.invert_point_coord {
        replace_input(spv, BuiltIn::PointCoord, one_minus_y);
    }
    if key.flip_y {
        replace_input(spv, BuiltIn::SamplePosition, one_minus_y);
        negate_derivatives(spv);
        negate_offsets(spv);
    }
    if key.broadcast > 1 {
        edit::broadcast_color(spv, u32::from(key.broadcast));
    }
    if key.unattached != 0 || key.alpha_to_one || key.first_color_only {
        edit::split_outputs(spv, key.alpha_to_one, |location, index| {
            let unattached = location < 8 && key.unattached >> location & 1 != 0;
            unattached || key.first_color_only && index > 0
        });
    }
    if key.alpha_to_one {
        edit::alpha_to_one(spv);
    }
}

/// Vulkan knows one origin and one pixel centre; what the shader asked for is computed.
fn execution_modes(spv: &mut Spv) {
    let entry = spv.entry_function();
    spv.module.execution_modes.retain(|i| {
        !matches!(
            i.operands.get(1),
            Some(Operand::ExecutionMode(
                ExecutionMode::PixelCenterInteger
                    | ExecutionMode::OriginLowerLeft
                    | ExecutionMode::OriginUpperLeft
            ))
        )
    });
    spv.module.execution_modes.push(Instruction::new(
        Op::ExecutionMode,
        None,
        None,
        vec![
            Operand::IdRef(entry),
            Operand::ExecutionMode(ExecutionMode::OriginUpperLeft),
        ],
    ));
}

/// `gl_FragCoord` counted from the other side, and with integers at pixel centres.
fn frag_coord(spv: &mut Spv, invert: bool, integer: bool) {
    if find(spv, StorageClass::Input, BuiltIn::FragCoord).is_none() {
        return;
    }
    let block = invert.then(|| push_block(spv));
    replace_input(spv, BuiltIn::FragCoord, |code, ty, mut value| {
        let float = code.spv.type_float();
        if let Some(block) = block {
            let height = pushed(code, block, Pushed::Height);
            let y = code.extract(float, value, 1);
            let inverted = code.binary(Op::FSub, float, height, y);
            value = code.insert(ty, inverted, value, 1);
        }
        if integer {
            let half = code.float(0.5);
            for at in [0, 1] {
                let c = code.extract(float, value, at);
                let centre = code.binary(Op::FSub, float, c, half);
                value = code.insert(ty, centre, value, at);
            }
        }
        value
    });
}

fn one_minus_y(code: &mut Code<'_>, ty: u32, value: u32) -> u32 {
    let float = code.spv.type_float();
    let one = code.float(1.0);
    let y = code.extract(float, value, 1);
    let inverted = code.binary(Op::FSub, float, one, y);
    code.insert(ty, inverted, value, 1)
}

/// Derivatives in y have the other sign where rows count from the other side.
fn negate_derivatives(spv: &mut Spv) {
    let mut functions = std::mem::take(&mut spv.module.functions);
    for block in functions.iter_mut().flat_map(|f| &mut f.blocks) {
        let old = std::mem::take(&mut block.instructions);
        for mut inst in old {
            let is_y = matches!(inst.class.opcode, Op::DPdy | Op::DPdyFine | Op::DPdyCoarse);
            let (Some(ty), Some(id)) = (inst.result_type, inst.result_id) else {
                block.instructions.push(inst);
                continue;
            };
            if !is_y {
                block.instructions.push(inst);
                continue;
            }
            let raw = spv.new_id();
            inst.result_id = Some(raw);
            block.instructions.push(inst);
            block.instructions.push(Instruction::new(
                Op::FNegate,
                Some(ty),
                Some(id),
                vec![Operand::IdRef(raw)],
            ));
        }
    }
    spv.module.functions = functions;
}

/// Offsets in y of `interpolateAtOffset` have the other sign too.
fn negate_offsets(spv: &mut Spv) {
    let sets: Vec<u32> = spv
        .module
        .ext_inst_imports
        .iter()
        .filter(|i| i.operands.first() == Some(&Operand::LiteralString("GLSL.std.450".to_owned())))
        .filter_map(|i| i.result_id)
        .collect();
    let wanted = Operand::LiteralExtInstInteger(GlslStd450Op::InterpolateAtOffset as u32);
    let mut functions = std::mem::take(&mut spv.module.functions);
    for block in functions.iter_mut().flat_map(|f| &mut f.blocks) {
        let old = std::mem::take(&mut block.instructions);
        for mut inst in old {
            if inst.class.opcode == Op::ExtInst
                && let [Operand::IdRef(set), which, _, Operand::IdRef(offset)] =
                    inst.operands.as_slice()
                && sets.contains(set)
                && *which == wanted
            {
                let offset = *offset;
                let mut code = Code::new(spv);
                let float = code.spv.type_float();
                let vec2 = code.spv.type_vector(float, 2);
                let y = code.extract(float, offset, 1);
                let negated = code.emit(Op::FNegate, float, vec![Operand::IdRef(y)]);
                let new = code.insert(vec2, negated, offset, 1);
                let out = code.out;
                block.instructions.extend(out);
                inst.operands[3] = Operand::IdRef(new);
            }
            block.instructions.push(inst);
        }
    }
    spv.module.functions = functions;
}
