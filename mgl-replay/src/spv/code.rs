//! Code that is being written into a module, and where its built-in outputs are.

use super::{Shape, Spv};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass};

/// Code that is being written.
pub struct Code<'s> {
    /// The module.
    pub spv: &'s mut Spv,
    /// The code so far.
    pub out: Vec<Instruction>,
}

impl<'s> Code<'s> {
    /// Nothing yet.
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

    /// The value that a pointer leads to.
    pub fn load(&mut self, ty: u32, pointer: u32) -> u32 {
        self.emit(Op::Load, ty, vec![Operand::IdRef(pointer)])
    }

    /// Puts a value where a pointer leads.
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

    /// A vector or another composite of values.
    pub fn construct(&mut self, ty: u32, parts: &[u32]) -> u32 {
        let operands = parts.iter().map(|p| Operand::IdRef(*p)).collect();
        self.emit(Op::CompositeConstruct, ty, operands)
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

    /// A constant.
    pub fn float(&mut self, value: f32) -> u32 {
        let float = self.spv.type_float();
        self.spv.constant_bits(float, value.to_bits())
    }
}

/// A built-in's variable, or a member of a block's variable.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The variable.
    pub variable: u32,
    /// Which member of its block.
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
pub fn find(spv: &Spv, class: StorageClass, builtin: BuiltIn) -> Option<Place> {
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
