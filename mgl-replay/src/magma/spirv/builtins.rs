//! Built-in variables and the block of push constants, as the rewriting modules need them.

use super::DrawConstants;
use crate::spv::{Shape, Spv, edit};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass};
use std::mem::offset_of;

/// Code that is being written.
pub(super) struct Code<'s> {
    pub spv: &'s mut Spv,
    pub out: Vec<Instruction>,
}

impl<'s> Code<'s> {
    pub fn new(spv: &'s mut Spv) -> Self {
        Code {
            spv,
            out: Vec::new(),
        }
    }

    /// An instruction with a result.
    pub fn emit(&mut self, op: Op, ty: u32, operands: Vec<Operand>) -> u32 {
        let id = self.spv.new_id();
        self.out
            .push(Instruction::new(op, Some(ty), Some(id), operands));
        id
    }

    /// An operation on two values of a type.
    pub fn binary(&mut self, op: Op, ty: u32, a: u32, b: u32) -> u32 {
        self.emit(op, ty, vec![Operand::IdRef(a), Operand::IdRef(b)])
    }

    pub fn load(&mut self, ty: u32, pointer: u32) -> u32 {
        self.emit(Op::Load, ty, vec![Operand::IdRef(pointer)])
    }

    pub fn store(&mut self, pointer: u32, value: u32) {
        let operands = vec![Operand::IdRef(pointer), Operand::IdRef(value)];
        self.out
            .push(Instruction::new(Op::Store, None, None, operands));
    }

    /// A component of a vector.
    pub fn extract(&mut self, ty: u32, value: u32, at: u32) -> u32 {
        let operands = vec![Operand::IdRef(value), Operand::LiteralBit32(at)];
        self.emit(Op::CompositeExtract, ty, operands)
    }

    /// A vector with another value of one component.
    pub fn insert(&mut self, ty: u32, part: u32, value: u32, at: u32) -> u32 {
        let operands = vec![
            Operand::IdRef(part),
            Operand::IdRef(value),
            Operand::LiteralBit32(at),
        ];
        self.emit(Op::CompositeInsert, ty, operands)
    }

    /// A pointer into a variable; the variable itself for an empty path.
    pub fn chain(&mut self, class: StorageClass, variable: u32, ty: u32, path: &[u32]) -> u32 {
        if path.is_empty() {
            return variable;
        }
        let int = self.spv.type_int();
        let pointer = self.spv.type_pointer(class, ty);
        let mut operands = vec![Operand::IdRef(variable)];
        for at in path {
            operands.push(Operand::IdRef(self.spv.constant_bits(int, *at)));
        }
        self.emit(Op::AccessChain, pointer, operands)
    }

    pub fn float(&mut self, value: f32) -> u32 {
        let float = self.spv.type_float();
        self.spv.constant_bits(float, value.to_bits())
    }
}

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

/// A built-in's variable, or a member of a block's variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub variable: u32,
    pub member: Option<u32>,
    /// Type of the value.
    pub ty: u32,
}

impl Place {
    /// The path from the variable, with more indices behind.
    pub fn path(&self, more: &[u32]) -> Vec<u32> {
        self.member
            .into_iter()
            .chain(more.iter().copied())
            .collect()
    }
}

/// Where a module has a built-in of a class, arrays of blocks (inputs a vertex) apart.
pub(super) fn find(spv: &Spv, class: StorageClass, builtin: BuiltIn) -> Option<Place> {
    let wanted = Some(builtin as u32);
    spv.variables().into_iter().find_map(|v| {
        if v.class != class {
            return None;
        }
        if spv.decoration(v.id, Decoration::BuiltIn) == wanted {
            return Some(Place {
                variable: v.id,
                member: None,
                ty: v.ty,
            });
        }
        let Shape::Struct(members) = spv.shape(v.ty) else {
            return None;
        };
        let at = (0..members.len() as u32)
            .find(|at| spv.member_decoration(v.ty, *at, Decoration::BuiltIn) == wanted)?;
        Some(Place {
            variable: v.id,
            member: Some(at),
            ty: members[at as usize],
        })
    })
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
