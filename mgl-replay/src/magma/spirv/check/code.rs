//! Functions: every instruction is one that GLSL gives, has operands of the right types, and uses
//! values that are there by then.

use super::images;
use super::types::{Kind, Ty, Types};
use crate::spv::Spv;
use mgl_core::program::ShaderStage;
use rspirv::dr::{Function, Instruction, Operand};
use rspirv::spirv::{Op, StorageClass};
use std::collections::{HashMap, HashSet};

/// What is known while a function is checked.
pub(super) struct Scope<'a> {
    pub spv: &'a Spv,
    pub types: &'a Types,
    pub stage: ShaderStage,
    /// Types of values: of the module, and of the function so far.
    pub values: HashMap<u32, u32>,
    /// The instruction set GLSL.std.450.
    pub glsl: Option<u32>,
}

impl Scope<'_> {
    /// Type of the value that an operand names.
    pub fn ty(&self, inst: &Instruction, n: usize) -> Option<u32> {
        match inst.operands.get(n)? {
            Operand::IdRef(id) => self.values.get(id).copied(),
            _ => None,
        }
    }

    pub fn id(inst: &Instruction, n: usize) -> Option<u32> {
        match inst.operands.get(n)? {
            Operand::IdRef(id) => Some(*id),
            _ => None,
        }
    }

    pub fn literal(inst: &Instruction, n: usize) -> Option<u32> {
        match inst.operands.get(n)? {
            Operand::LiteralBit32(v) => Some(*v),
            _ => None,
        }
    }

    /// The value of an operand that is an integer constant.
    pub fn constant(&self, inst: &Instruction, n: usize) -> Option<u32> {
        let def = self.spv.def(Self::id(inst, n)?)?;
        let int = matches!(self.types.get(def.result_type?)?, Ty::Int(_));
        (int && def.class.opcode == Op::Constant)
            .then(|| Self::literal(def, 0))
            .flatten()
    }
}

/// Checks all functions.
pub(super) fn functions(spv: &Spv, types: &Types, stage: ShaderStage) -> Result<(), String> {
    let mut globals = HashMap::new();
    for inst in &spv.module.types_global_values {
        if let (Some(id), Some(ty)) = (inst.result_id, inst.result_type) {
            globals.insert(id, ty);
        }
    }
    let mut signatures = HashMap::new();
    for f in &spv.module.functions {
        let (Some(def), Some(id)) = (&f.def, f.def_id()) else {
            return Err("a function without its beginning".to_owned());
        };
        let signature = match def.operands.as_slice() {
            [Operand::FunctionControl(_), Operand::IdRef(ty)] => types.get(*ty),
            _ => None,
        };
        let Some(Ty::Function(result, params)) = signature else {
            return Err(format!("function {id} has no function type"));
        };
        let own: Vec<Option<u32>> = f.parameters.iter().map(|p| p.result_type).collect();
        let same = def.result_type == Some(*result)
            && own.len() == params.len()
            && own.iter().zip(params).all(|(a, b)| *a == Some(*b));
        if !same {
            return Err(format!("function {id} is not of its type"));
        }
        signatures.insert(id, (*result, params.clone()));
    }
    let main = signatures.get(&spv.entry_function());
    let plain = main.is_some_and(|(result, params)| {
        matches!(types.get(*result), Some(Ty::Void)) && params.is_empty()
    });
    if !plain {
        return Err("the entry function takes or gives something".to_owned());
    }
    let import = &spv.module.ext_inst_imports;
    let glsl = import
        .iter()
        .find(|i| i.operands.first() == Some(&Operand::LiteralString("GLSL.std.450".to_owned())));
    let mut scope = Scope {
        spv,
        types,
        stage,
        values: globals,
        glsl: glsl.and_then(|i| i.result_id),
    };
    for f in &spv.module.functions {
        function(&mut scope, f, &signatures)?;
    }
    Ok(())
}

type Signatures = HashMap<u32, (u32, Vec<u32>)>;

fn function(scope: &mut Scope<'_>, f: &Function, signatures: &Signatures) -> Result<(), String> {
    let outside = scope.values.clone();
    let mut places: HashMap<u32, (usize, usize)> = HashMap::new();
    for p in &f.parameters {
        if let (Some(id), Some(ty)) = (p.result_id, p.result_type) {
            scope.values.insert(id, ty);
        }
    }
    // Values in the order of the blocks; what is used before it is there is found below.
    let mut labels = HashMap::new();
    for (b, block) in f.blocks.iter().enumerate() {
        labels.insert(block.label_id().unwrap_or(0), b);
        for (n, inst) in block.instructions.iter().enumerate() {
            if let (Some(id), Some(ty)) = (inst.result_id, inst.result_type) {
                scope.values.insert(id, ty);
                places.insert(id, (b, n));
            }
        }
    }
    let next: Vec<Vec<usize>> = f
        .blocks
        .iter()
        .map(|b| {
            b.instructions
                .last()
                .map_or(Vec::new(), |i| targets(i, &labels))
        })
        .collect();
    let above = dominators(&next);
    let entry_is_target = next.iter().flatten().any(|t| *t == 0);
    if entry_is_target {
        return Err("a branch to the beginning of a function".to_owned());
    }
    let result = f.def.as_ref().and_then(|d| d.result_type).unwrap_or(0);
    for (b, block) in f.blocks.iter().enumerate() {
        for (n, inst) in block.instructions.iter().enumerate() {
            let last = n + 1 == block.instructions.len();
            if last != is_end(inst.class.opcode) {
                return Err("a block that ends too early or too late".to_owned());
            }
            let opcode = inst.class.opcode;
            let leading = matches!(opcode, Op::Variable | Op::Phi | Op::Line | Op::NoLine);
            let before = &block.instructions[..n];
            let ordered = match opcode {
                Op::Variable => {
                    b == 0
                        && before
                            .iter()
                            .all(|i| matches!(i.class.opcode, Op::Variable | Op::Line | Op::NoLine))
                }
                Op::Phi => before
                    .iter()
                    .all(|i| matches!(i.class.opcode, Op::Phi | Op::Line | Op::NoLine)),
                Op::SelectionMerge | Op::LoopMerge => n + 2 == block.instructions.len(),
                _ => true,
            };
            if !ordered {
                return Err(format!("{opcode:?} at a wrong place"));
            }
            if opcode == Op::Phi {
                phi(scope, inst, b, &next, &labels, &places, &above)
                    .ok_or("a phi that does not fit its blocks")?;
                continue;
            }
            // A use is behind its definition in the same block, or in a block that the other dominates.
            for id in inst.operands.iter().filter_map(Operand::id_ref_any) {
                if let Some((db, dn)) = places.get(&id)
                    && !(*db == b && *dn < n || *db != b && above[b].contains(db))
                {
                    return Err(format!("value {id} is used before it is there"));
                }
            }
            let right = if leading && opcode != Op::Variable {
                Some(true)
            } else {
                instruction(scope, inst, result, signatures)
            };
            if right != Some(true) {
                return Err(format!(
                    "{opcode:?} ({:?}) is damaged or not supported",
                    inst.result_id
                ));
            }
        }
    }
    scope.values = outside;
    Ok(())
}

fn is_end(op: Op) -> bool {
    matches!(
        op,
        Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::Return
            | Op::ReturnValue
            | Op::Kill
            | Op::TerminateInvocation
            | Op::Unreachable
    )
}

/// Blocks that a block's end leads to.
fn targets(inst: &Instruction, labels: &HashMap<u32, usize>) -> Vec<usize> {
    let skip = match inst.class.opcode {
        Op::Branch => 0,
        Op::BranchConditional | Op::Switch => 1,
        _ => return Vec::new(),
    };
    inst.operands
        .iter()
        .filter_map(|o| match o {
            Operand::IdRef(id) => Some(id),
            _ => None,
        })
        .skip(skip)
        .filter_map(|id| labels.get(id).copied())
        .collect()
}

/// For each block the blocks that every way to it passes; for blocks that no way leads to, all.
fn dominators(next: &[Vec<usize>]) -> Vec<HashSet<usize>> {
    let all: HashSet<usize> = (0..next.len()).collect();
    let mut above = vec![all; next.len()];
    if let Some(first) = above.first_mut() {
        *first = HashSet::from([0]);
    }
    let mut before = vec![Vec::new(); next.len()];
    for (from, list) in next.iter().enumerate() {
        for to in list {
            before[*to].push(from);
        }
    }
    let mut changed = true;
    while changed {
        changed = false;
        for b in 1..next.len() {
            if before[b].is_empty() {
                continue;
            }
            let mut common = above[before[b][0]].clone();
            for from in &before[b][1..] {
                common.retain(|x| above[*from].contains(x));
            }
            common.insert(b);
            if common.len() != above[b].len() {
                above[b] = common;
                changed = true;
            }
        }
    }
    above
}

/// A phi has one value of its type for each block that leads to its own.
fn phi(
    scope: &Scope<'_>,
    inst: &Instruction,
    block: usize,
    next: &[Vec<usize>],
    labels: &HashMap<u32, usize>,
    places: &HashMap<u32, (usize, usize)>,
    above: &[HashSet<usize>],
) -> Option<()> {
    let ty = inst.result_type?;
    scope.types.get(ty)?;
    let mut from: HashSet<usize> = HashSet::new();
    for pair in inst.operands.chunks(2) {
        let [Operand::IdRef(value), Operand::IdRef(label)] = pair else {
            return None;
        };
        let parent = *labels.get(label)?;
        let there = places
            .get(value)
            .is_none_or(|(b, _)| above[parent].contains(b));
        let fits = scope.values.get(value) == Some(&ty) && there && from.insert(parent);
        fits.then_some(())?;
    }
    let wanted: HashSet<usize> = (0..next.len())
        .filter(|b| next[*b].contains(&block))
        .collect();
    (from == wanted).then_some(())
}

/// Whether an instruction has operands that it can have; `None` where something is missing.
fn instruction(
    s: &Scope<'_>,
    inst: &Instruction,
    returns: u32,
    signatures: &Signatures,
) -> Option<bool> {
    let types = s.types;
    let count = inst.operands.len();
    let opcode = inst.class.opcode;
    // Those without a result first.
    match opcode {
        Op::Nop | Op::Line | Op::NoLine => return Some(true),
        Op::Return => return Some(matches!(types.get(returns)?, Ty::Void)),
        Op::ReturnValue => return Some(s.ty(inst, 0)? == returns),
        Op::Unreachable | Op::SelectionMerge | Op::LoopMerge | Op::Branch => return Some(true),
        Op::Kill | Op::TerminateInvocation | Op::DemoteToHelperInvocation => {
            return Some(s.stage == ShaderStage::Fragment);
        }
        Op::BranchConditional => return Some(types.shape(s.ty(inst, 0)?)? == (Kind::Bool, 1)),
        Op::Switch => return Some(types.shape(s.ty(inst, 0)?)? == (Kind::Int, 1)),
        Op::EmitVertex | Op::EndPrimitive => return Some(s.stage == ShaderStage::Geometry),
        Op::ControlBarrier => return Some(s.stage == ShaderStage::TessControl),
        Op::Store => {
            let (class, pointee) = types.pointee(s.ty(inst, 0)?)?;
            let writable = matches!(
                class,
                StorageClass::Output | StorageClass::Private | StorageClass::Function
            );
            return Some(count == 2 && writable && s.ty(inst, 1)? == pointee);
        }
        _ => {}
    }
    let result = inst.result_type?;
    types.get(result)?;
    inst.result_id?;
    let shape = |n: usize| s.ty(inst, n).and_then(|t| types.shape(t));
    let numeric = |n: usize| s.ty(inst, n).and_then(|t| types.numeric(t));
    let own = types.numeric(result);
    let all = |n: usize, right: &dyn Fn(usize) -> Option<bool>| -> Option<bool> {
        if count != n {
            return Some(false);
        }
        for at in 0..n {
            if right(at) != Some(true) {
                return Some(false);
            }
        }
        Some(true)
    };
    let same_type = |n: usize| all(n, &|at| Some(s.ty(inst, at)? == result));
    let is = |kind: Kind| own.is_some_and(|o| o.0 == kind);
    let ints =
        |n: usize| Some(is(Kind::Int) && all(n, &|at| Some(shape(at)? == (Kind::Int, own?.2)))?);
    let compares = |kind: Kind, n: usize| {
        let first = numeric(0)?;
        Some(
            is(Kind::Bool)
                && first.0 == kind
                && first.2 == own?.2
                && all(n, &|at| Some(numeric(at)? == first))?,
        )
    };
    Some(match opcode {
        Op::Variable => {
            let (class, pointee) = types.pointee(result)?;
            let Some(Operand::StorageClass(c)) = inst.operands.first() else {
                return Some(false);
            };
            let initial = match inst.operands.get(1) {
                None => true,
                Some(Operand::IdRef(id)) => {
                    s.spv.def(*id).and_then(|d| d.result_type) == Some(pointee)
                        && s.spv.def(*id)?.class.opcode != Op::Variable
                }
                _ => false,
            };
            class == StorageClass::Function
                && *c == class
                && !types.is_opaque(pointee)
                && count <= 2
                && initial
        }
        Op::Undef => count == 0 && !types.is_opaque(result) && types.pointee(result).is_none(),
        Op::Load => {
            let (_, pointee) = types.pointee(s.ty(inst, 0)?)?;
            count == 1 && pointee == result
        }
        Op::AccessChain | Op::InBoundsAccessChain => {
            let (class, mut ty) = types.pointee(s.ty(inst, 0)?)?;
            for n in 1..count {
                let int = shape(n)? == (Kind::Int, 1);
                let known = s.constant(inst, n);
                if !int || matches!(types.get(ty)?, Ty::Struct(_)) && known.is_none() {
                    return Some(false);
                }
                ty = types.part(ty, known)?;
            }
            count > 1 && types.pointee(result)? == (class, ty)
        }
        Op::CopyObject => same_type(1)?,
        Op::FunctionCall => {
            let (gives, params) = signatures.get(&Scope::id(inst, 0)?)?;
            let fit = params
                .iter()
                .enumerate()
                .all(|(n, p)| s.ty(inst, n + 1) == Some(*p));
            *gives == result && count == params.len() + 1 && fit
        }

        Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem | Op::FMod => {
            is(Kind::Float) && same_type(2)?
        }
        Op::FNegate => is(Kind::Float) && same_type(1)?,
        Op::IAdd
        | Op::ISub
        | Op::IMul
        | Op::SDiv
        | Op::UDiv
        | Op::SRem
        | Op::SMod
        | Op::UMod
        | Op::BitwiseAnd
        | Op::BitwiseOr
        | Op::BitwiseXor
        | Op::ShiftLeftLogical
        | Op::ShiftRightArithmetic
        | Op::ShiftRightLogical => ints(2)?,
        Op::SNegate | Op::Not | Op::BitReverse => ints(1)?,
        Op::BitCount => ints(1)?,
        Op::BitFieldInsert | Op::BitFieldSExtract | Op::BitFieldUExtract => {
            let values = if opcode == Op::BitFieldInsert { 2 } else { 1 };
            let bases = (0..values).all(|n| shape(n) == own.map(|o| (o.0, o.2)));
            let scalars = (values..values + 2).all(|n| shape(n) == Some((Kind::Int, 1)));
            is(Kind::Int) && count == values + 2 && bases && scalars
        }
        Op::FOrdEqual
        | Op::FOrdNotEqual
        | Op::FOrdLessThan
        | Op::FOrdGreaterThan
        | Op::FOrdLessThanEqual
        | Op::FOrdGreaterThanEqual
        | Op::FUnordEqual
        | Op::FUnordNotEqual
        | Op::FUnordLessThan
        | Op::FUnordGreaterThan
        | Op::FUnordLessThanEqual
        | Op::FUnordGreaterThanEqual => compares(Kind::Float, 2)?,
        Op::IEqual
        | Op::INotEqual
        | Op::SLessThan
        | Op::SLessThanEqual
        | Op::SGreaterThan
        | Op::SGreaterThanEqual
        | Op::ULessThan
        | Op::ULessThanEqual
        | Op::UGreaterThan
        | Op::UGreaterThanEqual => compares(Kind::Int, 2)?,
        Op::IsNan | Op::IsInf => compares(Kind::Float, 1)?,
        Op::LogicalEqual | Op::LogicalNotEqual | Op::LogicalAnd | Op::LogicalOr => {
            is(Kind::Bool) && same_type(2)?
        }
        Op::LogicalNot => is(Kind::Bool) && same_type(1)?,
        Op::Any | Op::All => {
            let (kind, n) = shape(0)?;
            count == 1 && kind == Kind::Bool && n > 1 && own?.2 == 1 && is(Kind::Bool)
        }
        Op::Select => {
            let (kind, n) = shape(0)?;
            let fits = n == own?.2;
            let values = s.ty(inst, 1)? == result && s.ty(inst, 2)? == result;
            count == 3 && kind == Kind::Bool && fits && values
        }
        Op::ConvertFToS | Op::ConvertFToU => {
            let from = numeric(0)?;
            count == 1 && is(Kind::Int) && from.0 == Kind::Float && from.2 == own?.2
        }
        Op::ConvertSToF | Op::ConvertUToF => {
            let from = numeric(0)?;
            count == 1 && is(Kind::Float) && from.0 == Kind::Int && from.2 == own?.2
        }
        Op::FConvert => {
            let (from, to) = (numeric(0)?, own?);
            count == 1
                && from.0 == Kind::Float
                && to.0 == Kind::Float
                && from.2 == to.2
                && from.1 != to.1
        }
        Op::Bitcast => {
            let (from, to) = (numeric(0)?, own?);
            count == 1
                && from.0 != Kind::Bool
                && to.0 != Kind::Bool
                && from.1 * from.2 == to.1 * to.2
        }
        Op::QuantizeToF16 => is(Kind::Float) && same_type(1)?,

        Op::VectorTimesScalar => {
            let (v, f) = (s.ty(inst, 0)?, numeric(1)?);
            count == 2
                && v == result
                && is(Kind::Float)
                && f.2 == 1
                && (f.0, f.1) == (own?.0, own?.1)
        }
        Op::MatrixTimesScalar => {
            let (column, ..) = types.matrix(result)?;
            let part = types.part(column, None)?;
            count == 2 && s.ty(inst, 0)? == result && s.ty(inst, 1)? == part
        }
        Op::MatrixTimesVector => {
            let (column, columns, _) = types.matrix(s.ty(inst, 0)?)?;
            let v = numeric(1)?;
            count == 2 && column == result && v.2 == columns && v.1 == own?.1 && v.0 == Kind::Float
        }
        Op::VectorTimesMatrix => {
            let (column, columns, _) = types.matrix(s.ty(inst, 1)?)?;
            count == 2
                && s.ty(inst, 0)? == column
                && own? == (Kind::Float, types.numeric(column)?.1, columns)
        }
        Op::MatrixTimesMatrix => {
            let (a, b, r) = (
                types.matrix(s.ty(inst, 0)?)?,
                types.matrix(s.ty(inst, 1)?)?,
                types.matrix(result)?,
            );
            let bits = |column: u32| types.numeric(column).map(|n| n.1);
            count == 2 && a.1 == b.2 && r.0 == a.0 && r.1 == b.1 && bits(a.0) == bits(b.0)
        }
        Op::OuterProduct => {
            let r = types.matrix(result)?;
            let b = numeric(1)?;
            count == 2 && s.ty(inst, 0)? == r.0 && b == (Kind::Float, types.numeric(r.0)?.1, r.1)
        }
        Op::Transpose => {
            let (a, r) = (types.matrix(s.ty(inst, 0)?)?, types.matrix(result)?);
            let bits = |column: u32| types.numeric(column).map(|n| n.1);
            count == 1 && (a.1, a.2) == (r.2, r.1) && bits(a.0) == bits(r.0)
        }
        Op::Dot => {
            let (a, b) = (s.ty(inst, 0)?, s.ty(inst, 1)?);
            let n = types.numeric(a)?;
            count == 2 && a == b && n.2 > 1 && own? == (Kind::Float, n.1, 1) && n.0 == Kind::Float
        }

        Op::CompositeConstruct => match types.get(result)? {
            Ty::Vector(component, n) => {
                let mut sum = 0;
                for at in 0..count {
                    let ty = s.ty(inst, at)?;
                    let parts = types.numeric(ty)?.2;
                    let scalar = if parts == 1 {
                        ty
                    } else {
                        types.part(ty, None)?
                    };
                    if scalar != *component {
                        return Some(false);
                    }
                    sum += parts;
                }
                sum == *n
            }
            _ => {
                let parts = match types.get(result)? {
                    Ty::Matrix(_, n) | Ty::Array(_, n) => *n as usize,
                    Ty::Struct(members) => members.len(),
                    _ => return Some(false),
                };
                count == parts
                    && (0..count).all(|n| {
                        let part = types.part(result, Some(n as u32));
                        part.is_some() && part == s.ty(inst, n)
                    })
            }
        },
        Op::CompositeExtract => {
            let mut ty = s.ty(inst, 0)?;
            for n in 1..count {
                ty = types.part(ty, Some(Scope::literal(inst, n)?))?;
            }
            count > 1 && ty == result
        }
        Op::CompositeInsert => {
            let mut ty = s.ty(inst, 1)?;
            let whole = ty == result;
            for n in 2..count {
                ty = types.part(ty, Some(Scope::literal(inst, n)?))?;
            }
            count > 2 && whole && ty == s.ty(inst, 0)?
        }
        Op::VectorShuffle => {
            let (a, b) = (s.ty(inst, 0)?, s.ty(inst, 1)?);
            let (na, nb) = (types.numeric(a)?, types.numeric(b)?);
            let component = types.part(result, None)?;
            let same = types.part(a, None)? == component && types.part(b, None)? == component;
            let picks = (2..count)
                .all(|n| Scope::literal(inst, n).is_some_and(|v| v < na.2 + nb.2 || v == u32::MAX));
            same && picks && count as u32 - 2 == own?.2
        }
        Op::VectorExtractDynamic => {
            let v = s.ty(inst, 0)?;
            let vector = types.numeric(v)?.2 > 1;
            count == 2 && vector && types.part(v, None)? == result && shape(1)? == (Kind::Int, 1)
        }
        Op::VectorInsertDynamic => {
            let part = types.part(result, None)?;
            let vector = own?.2 > 1;
            count == 3
                && vector
                && s.ty(inst, 0)? == result
                && s.ty(inst, 1)? == part
                && shape(2)? == (Kind::Int, 1)
        }
        Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => {
            let ty = s.ty(inst, 0)?;
            let two = *types.get(result)? == Ty::Struct(vec![ty, ty]);
            count == 2 && two && s.ty(inst, 1)? == ty && types.shape(ty)?.0 == Kind::Int
        }
        Op::DPdx
        | Op::DPdy
        | Op::Fwidth
        | Op::DPdxFine
        | Op::DPdyFine
        | Op::FwidthFine
        | Op::DPdxCoarse
        | Op::DPdyCoarse
        | Op::FwidthCoarse => {
            let fits = own.is_some_and(|o| o.0 == Kind::Float && o.1 == 32);
            s.stage == ShaderStage::Fragment && fits && same_type(1)?
        }
        Op::ExtInst => extended(s, inst, result)?,
        _ => images::instruction(s, inst, result)?,
    })
}

/// Instructions of GLSL.std.450, by number.
fn extended(s: &Scope<'_>, inst: &Instruction, result: u32) -> Option<bool> {
    let types = s.types;
    let (Some(set), [_, Operand::LiteralExtInstInteger(number), ..]) =
        (s.glsl, inst.operands.as_slice())
    else {
        return Some(false);
    };
    if Scope::id(inst, 0)? != set {
        return Some(false);
    }
    let count = inst.operands.len() - 2;
    let ty = |n: usize| s.ty(inst, n + 2);
    let same = |n: usize| count == n && (0..n).all(|at| ty(at) == Some(result));
    let own = types.numeric(result);
    let is = |kind: Kind| own.is_some_and(|o| o.0 == kind);
    let float32 = own.is_some_and(|o| o.0 == Kind::Float && o.1 == 32);
    // Integers of either sign.
    let ints = |n: usize| {
        count == n && is(Kind::Int) && (0..n).all(|at| ty(at).and_then(|t| types.numeric(t)) == own)
    };
    let bits = |n: usize| ty(n).and_then(|t| types.numeric(t));
    Some(match number {
        // Round to FSign without SAbs, Floor, Ceil, Fract.
        1..=4 | 6 | 8..=10 => is(Kind::Float) && same(1),
        5 | 7 => ints(1),
        // Trigonometry, exponentials: 32 bits.
        11..=24 | 27..=30 => float32 && same(1),
        25 | 26 => float32 && same(2),
        31 | 32 => is(Kind::Float) && same(1),
        33 => {
            let (column, columns, rows) = types.matrix(ty(0)?)?;
            count == 1 && columns == rows && types.part(column, None)? == result
        }
        34 => {
            let (_, columns, rows) = types.matrix(result)?;
            columns == rows && same(1)
        }
        // Modf and Frexp give the other part through a pointer, or both in a structure.
        35 => {
            let (class, to) = types.pointee(ty(1)?)?;
            count == 2
                && is(Kind::Float)
                && ty(0)? == result
                && to == result
                && matches!(class, StorageClass::Function | StorageClass::Private)
        }
        36 => {
            *types.get(result)? == Ty::Struct(vec![ty(0)?, ty(0)?])
                && count == 1
                && bits(0)?.0 == Kind::Float
        }
        37 | 40 => is(Kind::Float) && same(2),
        38 | 39 | 41 | 42 => ints(2),
        43 | 46 | 50 => is(Kind::Float) && same(3),
        44 | 45 => ints(3),
        48 => is(Kind::Float) && same(2),
        49 => is(Kind::Float) && same(3),
        51 => {
            let (class, to) = types.pointee(ty(1)?)?;
            let exponent = types.shape(to)? == (Kind::Int, own?.2);
            count == 2
                && is(Kind::Float)
                && ty(0)? == result
                && exponent
                && matches!(class, StorageClass::Function | StorageClass::Private)
        }
        52 => match types.get(result)? {
            Ty::Struct(members) if members.len() == 2 => {
                let n = bits(0)?;
                count == 1
                    && members[0] == ty(0)?
                    && n.0 == Kind::Float
                    && types.shape(members[1])? == (Kind::Int, n.2)
            }
            _ => false,
        },
        53 => {
            let exponent = bits(1)?;
            let fits = exponent.0 == Kind::Int && exponent.2 == own?.2;
            count == 2 && is(Kind::Float) && ty(0)? == result && fits
        }
        // Packing and unpacking.
        54 | 55 => count == 1 && own? == (Kind::Int, 32, 1) && bits(0)? == (Kind::Float, 32, 4),
        56..=58 => count == 1 && own? == (Kind::Int, 32, 1) && bits(0)? == (Kind::Float, 32, 2),
        59 => count == 1 && own? == (Kind::Float, 64, 1) && bits(0)? == (Kind::Int, 32, 2),
        60..=62 => count == 1 && own? == (Kind::Float, 32, 2) && bits(0)? == (Kind::Int, 32, 1),
        63 | 64 => count == 1 && own? == (Kind::Float, 32, 4) && bits(0)? == (Kind::Int, 32, 1),
        65 => count == 1 && own? == (Kind::Int, 32, 2) && bits(0)? == (Kind::Float, 64, 1),
        66 => {
            let n = bits(0)?;
            count == 1 && own? == (Kind::Float, n.1, 1) && n.0 == Kind::Float
        }
        67 => {
            let n = bits(0)?;
            count == 2 && ty(0)? == ty(1)? && own? == (Kind::Float, n.1, 1) && n.0 == Kind::Float
        }
        68 => own?.2 == 3 && is(Kind::Float) && same(2),
        69 => is(Kind::Float) && same(1),
        70 => is(Kind::Float) && same(3),
        71 => is(Kind::Float) && same(2),
        72 => {
            let eta = bits(2)?;
            count == 3
                && is(Kind::Float)
                && ty(0)? == result
                && ty(1)? == result
                && eta == (Kind::Float, own?.1, 1)
        }
        73..=75 => ints(1),
        76..=78 => {
            let (class, to) = types.pointee(ty(0)?)?;
            let second = match number {
                76 => count == 1,
                77 => count == 2 && bits(1)? == (Kind::Int, 32, 1),
                _ => count == 2 && bits(1)? == (Kind::Float, 32, 2),
            };
            class == StorageClass::Input
                && to == result
                && float32
                && second
                && s.stage == ShaderStage::Fragment
        }
        79 | 80 => is(Kind::Float) && same(2),
        81 => is(Kind::Float) && same(3),
        _ => false,
    })
}
