//! Built-in variables and the block of push constants, as the rewriting modules need them.

use super::DrawConstants;
use crate::spv::{Spv, edit};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass};
use std::mem::offset_of;

pub(super) use crate::spv::code::{Code, Place, find};

/// A member of the block of push constants.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pushed {
    Height,
    PointSize,
    BaseInstance,
    BaseVertex,
    DrawId,
}

/// Members in order, their offsets, and whether they are floats.
const MEMBERS: [(Pushed, usize, bool); 5] = [
    (Pushed::Height, offset_of!(DrawConstants, height), true),
    (
        Pushed::PointSize,
        offset_of!(DrawConstants, point_size),
        true,
    ),
    (
        Pushed::BaseInstance,
        offset_of!(DrawConstants, base_instance),
        false,
    ),
    (
        Pushed::BaseVertex,
        offset_of!(DrawConstants, base_vertex),
        false,
    ),
    (Pushed::DrawId, offset_of!(DrawConstants, draw_id), false),
];

/// The variable of the block of push constants, made where it is missing.
pub(super) fn push_block(spv: &mut Spv) -> u32 {
    let mut variables = spv.variables().into_iter();
    if let Some(v) = variables.find(|v| v.class == StorageClass::PushConstant) {
        return v.id;
    }
    let (float, int) = (spv.type_float(), spv.type_int());
    let members =
        MEMBERS.map(|(_, _, is_float)| Operand::IdRef(if is_float { float } else { int }));
    let block = spv.add_global(Op::TypeStruct, None, members.to_vec());
    spv.decorate_flag(block, Decoration::Block);
    for (at, (_, offset, _)) in MEMBERS.into_iter().enumerate() {
        spv.module.annotations.push(Instruction::new(
            Op::MemberDecorate,
            None,
            None,
            vec![
                Operand::IdRef(block),
                Operand::LiteralBit32(at as u32),
                Operand::Decoration(Decoration::Offset),
                Operand::LiteralBit32(offset as u32),
            ],
        ));
    }
    spv.add_variable(StorageClass::PushConstant, block)
}

/// Loads a pushed value; `block` is [`push_block`]'s.
pub(super) fn pushed(code: &mut Code<'_>, block: u32, what: Pushed) -> u32 {
    let at = MEMBERS.iter().position(|m| m.0 == what).unwrap_or(0);
    let ty = if MEMBERS[at].2 {
        code.spv.type_float()
    } else {
        code.spv.type_int()
    };
    let pointer = code.chain(StorageClass::PushConstant, block, ty, &[at as u32]);
    code.load(ty, pointer)
}

/// The input variable of a built-in, made where it is missing.
pub(super) fn input(spv: &mut Spv, builtin: BuiltIn, ty: u32) -> u32 {
    if let Some(place) = find(spv, StorageClass::Input, builtin) {
        return place.variable;
    }
    let id = spv.add_variable(StorageClass::Input, ty);
    spv.decorate(id, Decoration::BuiltIn, builtin as u32);
    id
}

/// Makes all code read, in place of a built-in input, what `make` computes of it at the start. Does
/// nothing where the module does not have the input.
pub(super) fn replace_input(
    spv: &mut Spv,
    builtin: BuiltIn,
    make: impl FnOnce(&mut Code<'_>, u32, u32) -> u32,
) {
    let Some(place) = find(spv, StorageClass::Input, builtin) else {
        return;
    };
    let copy = spv.add_variable(StorageClass::Private, place.ty);
    edit::retarget(spv, place.variable, copy, StorageClass::Private);
    let mut code = Code::new(spv);
    let own = code.load(place.ty, place.variable);
    let value = make(&mut code, place.ty, own);
    code.store(copy, value);
    let out = code.out;
    edit::insert_at_start(spv, out);
}
