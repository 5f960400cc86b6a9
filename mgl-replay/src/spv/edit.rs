//! Edits of a module that both back ends make: code at the ends and the start of functions, variables
//! in place of others, one colour for all draw buffers, fragment outputs one by one, types that became equal.

use super::code::Code;
use super::{Shape, Spv, Variable};
use mgl_core::program::ComponentKind;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Capability, Decoration, Op, StorageClass};
use std::collections::HashMap;

/// Inserts what `make` gives before every instruction with opcode `op` in the entry function, or in
/// all functions.
pub fn insert_before(
    spv: &mut Spv,
    op: Op,
    everywhere: bool,
    mut make: impl FnMut(&mut Spv) -> Vec<Instruction>,
) {
    let entry = spv.entry_function();
    let mut functions = std::mem::take(&mut spv.module.functions);
    for function in &mut functions {
        if !everywhere && function.def_id() != Some(entry) {
            continue;
        }
        for block in &mut function.blocks {
            let mut at = 0;
            while at < block.instructions.len() {
                if block.instructions[at].class.opcode == op {
                    let new = make(spv);
                    let count = new.len();
                    block.instructions.splice(at..at, new);
                    at += count;
                }
                at += 1;
            }
        }
    }
    spv.module.functions = functions;
}

/// Copies the output at location 0 to `count - 1` more outputs at the next locations.
pub fn broadcast_color(spv: &mut Spv, count: u32) {
    let first = spv.variables().into_iter().find(|v| {
        v.class == StorageClass::Output && spv.decoration(v.id, Decoration::Location) == Some(0)
    });
    let Some(first) = first else { return };
    let copies: Vec<u32> = (1..count)
        .map(|location| {
            let copy = spv.add_variable(StorageClass::Output, first.ty);
            spv.decorate(copy, Decoration::Location, location);
            copy
        })
        .collect();
    if copies.is_empty() {
        return;
    }
    insert_before(spv, Op::Return, false, |spv| {
        let value = spv.new_id();
        let load = vec![Operand::IdRef(first.id)];
        let mut code = vec![Instruction::new(
            Op::Load,
            Some(first.ty),
            Some(value),
            load,
        )];
        code.extend(copies.iter().map(|copy| {
            let operands = vec![Operand::IdRef(*copy), Operand::IdRef(value)];
            Instruction::new(Op::Store, None, None, operands)
        }));
        code
    });
}

/// Fragment outputs that are `gone` (by location and index) are written to nothing. Of an array that has one, or of every
/// array with `arrays`, the other elements become outputs of their own.
pub fn split_outputs(spv: &mut Spv, arrays: bool, gone: impl Fn(u32, u32) -> bool) {
    for v in spv.variables() {
        if v.class != StorageClass::Output || spv.is_builtin(v) {
            continue;
        }
        let first = spv.decoration(v.id, Decoration::Location).unwrap_or(0);
        let index = spv.decoration(v.id, Decoration::Index);
        let (element, length) = spv.strip_array(v.ty);
        let count = length.unwrap_or(1).min(32);
        let is_gone = |n: u32| gone(first.saturating_add(n), index.unwrap_or(0));
        if !(arrays && length.is_some() || (0..count).any(is_gone)) {
            continue;
        }
        let whole = spv.add_variable(StorageClass::Private, v.ty);
        retarget(spv, v.id, whole, StorageClass::Private);
        spv.remove_variables(&[v.id]);
        let mut kept = Vec::new();
        for n in (0..count).filter(|n| !is_gone(*n)) {
            let output = spv.add_variable(StorageClass::Output, element);
            spv.decorate(output, Decoration::Location, first + n);
            if let Some(index) = index {
                spv.decorate(output, Decoration::Index, index);
            }
            kept.push((length.is_some().then_some(n), output));
        }
        if kept.is_empty() {
            continue;
        }
        insert_before(spv, Op::Return, false, |spv| {
            let mut code = Code::new(spv);
            for (n, output) in &kept {
                let path: Vec<u32> = n.iter().copied().collect();
                let pointer = code.chain(StorageClass::Private, whole, element, &path);
                let value = code.load(element, pointer);
                code.store(*output, value);
            }
            code.out
        });
    }
}

/// Every colour of four floats that a fragment shader writes gets the alpha 1 (GL 4.6 §17.3.3). Arrays of outputs have
/// been split.
pub fn alpha_to_one(spv: &mut Spv) {
    let colors: Vec<(u32, u32)> = spv
        .variables()
        .into_iter()
        .filter(|v| v.class == StorageClass::Output && !spv.is_builtin(*v))
        .filter(|v| match spv.shape(v.ty) {
            Shape::Basic(t) => t.numeric().is_some_and(|n| {
                n.component == ComponentKind::Float && n.columns == 1 && n.rows == 4
            }),
            _ => false,
        })
        .map(|v| (v.id, v.ty))
        .collect();
    insert_before(spv, Op::Return, false, |spv| {
        let mut code = Code::new(spv);
        let one = code.float(1.0);
        for (color, ty) in &colors {
            let value = code.load(*ty, *color);
            let opaque = code.insert(*ty, one, value, 3);
            code.store(*color, opaque);
        }
        code.out
    });
}

/// Makes all code use `to` in place of the variable `from`, with pointers of the new class.
pub fn retarget(spv: &mut Spv, from: u32, to: u32, class: StorageClass) {
    let mut functions = std::mem::take(&mut spv.module.functions);
    for inst in functions.iter_mut().flat_map(|f| f.all_inst_iter_mut()) {
        let mut hit = false;
        for operand in &mut inst.operands {
            if *operand == Operand::IdRef(from) {
                *operand = Operand::IdRef(to);
                hit = true;
            }
        }
        let is_chain = matches!(inst.class.opcode, Op::AccessChain | Op::InBoundsAccessChain);
        if hit
            && is_chain
            && let Some(ty) = inst.result_type.and_then(|pointer| spv.pointee(pointer))
        {
            inst.result_type = Some(spv.type_pointer(class, ty));
        }
    }
    spv.module.functions = functions;
}

/// Gives a module-scope variable of an array type another length. Only elements may be used, never the array
/// as a whole, and none behind its end.
pub fn resize_array(spv: &mut Spv, variable: Variable, length: u32) {
    let Shape::Array(element, _) = spv.shape(variable.ty) else {
        return;
    };
    let uint = spv.type_uint();
    let length = spv.constant_bits(uint, length);
    // Types come before the variable that has them, so that it moves behind them.
    let operands = vec![Operand::IdRef(element), Operand::IdRef(length)];
    let array = spv.global(Op::TypeArray, None, operands);
    let pointer = spv.type_pointer(variable.class, array);
    let globals = &mut spv.module.types_global_values;
    if let Some(at) = globals
        .iter()
        .position(|inst| inst.result_id == Some(variable.id))
    {
        let mut inst = globals.remove(at);
        inst.result_type = Some(pointer);
        globals.push(inst);
    }
    spv.reindex();
}

/// Puts code at the start of the entry function, behind its variables.
pub fn insert_at_start(spv: &mut Spv, code: Vec<Instruction>) {
    let entry = spv.entry_function();
    let Some(function) = spv
        .module
        .functions
        .iter_mut()
        .find(|f| f.def_id() == Some(entry))
    else {
        return;
    };
    let Some(block) = function.blocks.first_mut() else {
        return;
    };
    let at = block
        .instructions
        .iter()
        .position(|i| i.class.opcode != Op::Variable)
        .unwrap_or(block.instructions.len());
    block.instructions.splice(at..at, code);
}

/// Makes one type of those that say the same: rewriting can make types equal, which a module must
/// not have twice. Structures and arrays are left alone, because their decorations tell them apart.
pub fn unify_types(spv: &mut Spv) {
    let mut first: HashMap<(Op, Vec<Operand>), u32> = HashMap::new();
    let mut renamed: HashMap<u32, u32> = HashMap::new();
    let apply = |operands: &mut [Operand], renamed: &HashMap<u32, u32>| {
        for operand in operands {
            if let Operand::IdRef(id) = operand
                && let Some(new) = renamed.get(id)
            {
                *id = *new;
            }
        }
    };
    let globals = std::mem::take(&mut spv.module.types_global_values);
    let mut kept = Vec::with_capacity(globals.len());
    for mut inst in globals {
        apply(&mut inst.operands, &renamed);
        if let Some(ty) = &mut inst.result_type
            && let Some(new) = renamed.get(ty)
        {
            *ty = *new;
        }
        let comparable = matches!(
            inst.class.opcode,
            Op::TypeVoid
                | Op::TypeBool
                | Op::TypeInt
                | Op::TypeFloat
                | Op::TypeVector
                | Op::TypeMatrix
                | Op::TypeImage
                | Op::TypeSampler
                | Op::TypeSampledImage
                | Op::TypePointer
                | Op::TypeFunction
        );
        if comparable && let Some(id) = inst.result_id {
            let same = first
                .entry((inst.class.opcode, inst.operands.clone()))
                .or_insert(id);
            if *same != id {
                renamed.insert(id, *same);
                continue;
            }
        }
        kept.push(inst);
    }
    spv.module.types_global_values = kept;
    if !renamed.is_empty() {
        let gone = |inst: &Instruction| match inst.operands.first() {
            Some(Operand::IdRef(id)) => renamed.contains_key(id),
            _ => false,
        };
        spv.module.debug_names.retain(|i| !gone(i));
        spv.module.annotations.retain(|i| !gone(i));
        for function in &mut spv.module.functions {
            for inst in function.all_inst_iter_mut() {
                apply(&mut inst.operands, &renamed);
                if let Some(ty) = &mut inst.result_type
                    && let Some(new) = renamed.get(ty)
                {
                    *ty = *new;
                }
            }
        }
    }
    spv.index_globals();
}

/// Whether the module declares a capability.
pub fn has_capability(spv: &Spv, capability: Capability) -> bool {
    let wanted = Operand::Capability(capability);
    let mut list = spv.module.capabilities.iter();
    list.any(|i| i.operands.first() == Some(&wanted))
}

/// Declares a capability.
pub fn add_capability(spv: &mut Spv, capability: Capability) {
    if !has_capability(spv, capability) {
        let operands = vec![Operand::Capability(capability)];
        spv.module
            .capabilities
            .push(Instruction::new(Op::Capability, None, None, operands));
    }
}

/// Takes the declaration of a capability out.
pub fn remove_capability(spv: &mut Spv, capability: Capability) {
    let gone = Operand::Capability(capability);
    spv.module
        .capabilities
        .retain(|i| i.operands.first() != Some(&gone));
}
