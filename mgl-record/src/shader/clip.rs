//! Clip distances between stages. A fragment shader reads them as it reads any value between stages: what
//! stands in the built-in is what clips, which back ends change for planes that are not enabled.

use super::link::Stage;
use mgl_core::program::ShaderStage;
use mgl_replay::spv::{Shape, Spv, Variable, edit};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass};

/// Name of the value that carries the distances to the fragment shader.
const CARRIED: &str = "mgl_ClipDistance";

fn is_clip_distance(decoration: Option<u32>) -> bool {
    decoration.and_then(Spv::builtin) == Some(BuiltIn::ClipDistance)
}

/// The block of outputs with the distances, and which member they are.
fn output_member(spv: &Spv) -> Option<(Variable, u32, u32)> {
    let mut outputs = spv.variables().into_iter();
    outputs.find_map(|v| {
        let Shape::Struct(members) = spv.shape(v.ty) else {
            return None;
        };
        let at = (0..members.len() as u32)
            .find(|at| is_clip_distance(spv.member_decoration(v.ty, *at, Decoration::BuiltIn)))?;
        (v.class == StorageClass::Output).then_some((v, at, members[at as usize]))
    })
}

/// Makes the distances that a fragment shader reads a value of their own.
pub fn carry_to_fragments(before: &mut Stage, fragment: &mut Stage) {
    if fragment.stage != ShaderStage::Fragment {
        return;
    }
    let input = fragment.spv.variables().into_iter().find(|v| {
        let builtin = fragment.spv.decoration(v.id, Decoration::BuiltIn);
        v.class == StorageClass::Input && is_clip_distance(builtin)
    });
    let Some(input) = input.filter(|v| fragment.reach.uses(v.id)) else {
        return;
    };
    let Some((block, member, array)) = output_member(&before.spv) else {
        return;
    };
    let (Shape::Array(element, written), Shape::Array(_, read)) =
        (before.spv.shape(array), fragment.spv.shape(input.ty))
    else {
        return;
    };
    fragment.spv.undecorate(input.id, Decoration::BuiltIn);
    fragment.spv.rename(input.id, CARRIED);
    let spv = &mut before.spv;
    let uint = spv.type_uint();
    let length = spv.constant_bits(uint, read);
    let operands = vec![Operand::IdRef(element), Operand::IdRef(length)];
    let array = spv.global(Op::TypeArray, None, operands);
    let output = spv.add_variable(StorageClass::Output, array);
    spv.rename(output, CARRIED);
    let pointer = spv.type_pointer(StorageClass::Output, element);
    let int = spv.type_int();
    let member = spv.constant_bits(int, member);
    let indices: Vec<u32> = (0..read.min(written))
        .map(|n| spv.constant_bits(int, n))
        .collect();
    let ends = match before.stage {
        ShaderStage::Geometry => Op::EmitVertex,
        _ => Op::Return,
    };
    // Only the entry function's return ends a vertex; it is emitted anywhere.
    edit::insert_before(spv, ends, ends == Op::EmitVertex, |spv| {
        let mut code = Vec::new();
        for index in &indices {
            let (from, value, to) = (spv.new_id(), spv.new_id(), spv.new_id());
            let chain = |base: u32, path: &[u32]| {
                let ids = std::iter::once(base).chain(path.iter().copied());
                ids.map(Operand::IdRef).collect::<Vec<_>>()
            };
            let source = chain(block.id, &[member, *index]);
            let target = chain(output, &[*index]);
            code.push(Instruction::new(
                Op::AccessChain,
                Some(pointer),
                Some(from),
                source,
            ));
            let load = vec![Operand::IdRef(from)];
            code.push(Instruction::new(Op::Load, Some(element), Some(value), load));
            code.push(Instruction::new(
                Op::AccessChain,
                Some(pointer),
                Some(to),
                target,
            ));
            let store = vec![Operand::IdRef(to), Operand::IdRef(value)];
            code.push(Instruction::new(Op::Store, None, None, store));
        }
        code
    });
}
