//! Removes code that can never run: branches on constants and functions that nothing calls. What
//! only such code touches is not active (GL 3.3 §2.11), and its variables can then be removed.

use mgl_replay::spv::Spv;
use rspirv::dr::{Block, Instruction, Operand};
use rspirv::spirv::Op;
use std::collections::{HashMap, HashSet};

/// Removes dead blocks, then dead functions.
pub fn remove_dead_code(spv: &mut Spv) {
    let constants: HashMap<u32, bool> = spv
        .module
        .types_global_values
        .iter()
        .filter_map(|inst| match (inst.class.opcode, inst.result_id) {
            (Op::ConstantTrue, Some(id)) => Some((id, true)),
            (Op::ConstantFalse, Some(id)) => Some((id, false)),
            _ => None,
        })
        .collect();
    let mut gone = HashSet::new();
    for function in &mut spv.module.functions {
        let mut changed = false;
        for block in &mut function.blocks {
            changed |= fold_branch(block, &constants);
        }
        if changed {
            remove_blocks(&mut function.blocks, &mut gone);
        }
    }
    remove_functions(spv, &mut gone);
    if gone.is_empty() {
        return;
    }
    // Names and decorations of what is gone.
    let is_gone = |inst: &Instruction| match inst.operands.first() {
        Some(Operand::IdRef(id)) => gone.contains(id),
        _ => false,
    };
    spv.module
        .debug_names
        .retain(|inst| inst.class.opcode != Op::Name || !is_gone(inst));
    spv.module
        .annotations
        .retain(|inst| inst.class.opcode != Op::Decorate || !is_gone(inst));
}

/// Turns a selection on a constant into a plain branch. Loops are left alone.
fn fold_branch(block: &mut Block, constants: &HashMap<u32, bool>) -> bool {
    let [.., merge, branch] = block.instructions.as_slice() else {
        return false;
    };
    if merge.class.opcode != Op::SelectionMerge || branch.class.opcode != Op::BranchConditional {
        return false;
    }
    let [
        Operand::IdRef(condition),
        Operand::IdRef(yes),
        Operand::IdRef(no),
        ..,
    ] = branch.operands.as_slice()
    else {
        return false;
    };
    let Some(value) = constants.get(condition) else {
        return false;
    };
    let target = if *value { *yes } else { *no };
    let at = block.instructions.len() - 2;
    block.instructions.truncate(at);
    let operands = vec![Operand::IdRef(target)];
    block
        .instructions
        .push(Instruction::new(Op::Branch, None, None, operands));
    true
}

/// Labels that a block's last instructions name: where it can go, and the merge blocks that must
/// exist for its sake.
fn named_labels(block: &Block) -> Vec<u32> {
    let mut labels = Vec::new();
    for inst in block.instructions.iter().rev().take(2) {
        let skip = match inst.class.opcode {
            Op::Branch | Op::SelectionMerge | Op::LoopMerge => 0,
            // A condition or selector is no label.
            Op::BranchConditional | Op::Switch => 1,
            _ => continue,
        };
        labels.extend(
            inst.operands
                .iter()
                .skip(skip)
                .filter_map(|operand| match operand {
                    Operand::IdRef(id) => Some(*id),
                    _ => None,
                }),
        );
    }
    labels
}

fn remove_blocks(blocks: &mut Vec<Block>, gone: &mut HashSet<u32>) {
    let by_label: HashMap<u32, usize> = blocks
        .iter()
        .enumerate()
        .filter_map(|(at, b)| Some((b.label_id()?, at)))
        .collect();
    let mut kept = HashSet::new();
    let mut queue: Vec<u32> = blocks
        .first()
        .and_then(Block::label_id)
        .into_iter()
        .collect();
    while let Some(label) = queue.pop() {
        if kept.insert(label)
            && let Some(at) = by_label.get(&label)
        {
            queue.extend(named_labels(&blocks[*at]));
        }
    }
    let mut edges: HashSet<(u32, u32)> = HashSet::new();
    blocks.retain(|block| {
        let keep = block.label_id().is_some_and(|label| kept.contains(&label));
        if keep {
            let from = block.label_id().unwrap_or(0);
            let ends = block.instructions.last();
            let branches = ends.is_some_and(|i| {
                matches!(
                    i.class.opcode,
                    Op::Branch | Op::BranchConditional | Op::Switch
                )
            });
            if branches {
                let operands = ends.map(|i| i.operands.as_slice()).unwrap_or_default();
                for operand in operands {
                    if let Operand::IdRef(to) = operand {
                        edges.insert((from, *to));
                    }
                }
            }
        } else {
            let ids = block
                .label
                .iter()
                .chain(&block.instructions)
                .filter_map(|i| i.result_id);
            gone.extend(ids);
        }
        keep
    });
    // A merge point no longer hears from branches that are gone.
    for block in blocks {
        let Some(here) = block.label_id() else {
            continue;
        };
        for inst in &mut block.instructions {
            if inst.class.opcode != Op::Phi {
                continue;
            }
            let operands = std::mem::take(&mut inst.operands);
            for pair in operands.chunks(2) {
                if let [value, Operand::IdRef(from)] = pair
                    && edges.contains(&(*from, here))
                {
                    inst.operands.extend([value.clone(), Operand::IdRef(*from)]);
                }
            }
        }
    }
}

/// True when a function that can run calls itself (GLSL 3.30 §6.1 has no recursion).
pub fn is_recursive(spv: &Spv) -> bool {
    let functions: HashMap<u32, usize> = spv
        .module
        .functions
        .iter()
        .enumerate()
        .filter_map(|(at, f)| Some((f.def_id()?, at)))
        .collect();
    let calls: Vec<HashSet<usize>> = spv
        .module
        .functions
        .iter()
        .map(|f| {
            let calls = f
                .all_inst_iter()
                .filter(|i| i.class.opcode == Op::FunctionCall);
            let callees = calls.filter_map(|i| i.operands.first()?.id_ref_any());
            callees
                .filter_map(|id| functions.get(&id).copied())
                .collect()
        })
        .collect();
    // Functions whose calls are all known to end are taken away until no more can be.
    let mut open: HashSet<usize> = (0..calls.len()).collect();
    loop {
        let ends: Vec<usize> = open
            .iter()
            .copied()
            .filter(|f| calls[*f].is_disjoint(&open))
            .collect();
        if ends.is_empty() {
            return !open.is_empty();
        }
        for f in ends {
            open.remove(&f);
        }
    }
}

fn remove_functions(spv: &mut Spv, gone: &mut HashSet<u32>) {
    let functions: HashMap<u32, usize> = spv
        .module
        .functions
        .iter()
        .enumerate()
        .filter_map(|(at, f)| Some((f.def_id()?, at)))
        .collect();
    let mut called = HashSet::new();
    let mut queue = vec![spv.entry_function()];
    while let Some(id) = queue.pop() {
        if !called.insert(id) {
            continue;
        }
        let Some(at) = functions.get(&id) else {
            continue;
        };
        for inst in spv.module.functions[*at].all_inst_iter() {
            if inst.class.opcode == Op::FunctionCall
                && let Some(Operand::IdRef(callee)) = inst.operands.first()
            {
                queue.push(*callee);
            }
        }
    }
    spv.module.functions.retain(|function| {
        let keep = function.def_id().is_some_and(|id| called.contains(&id));
        if !keep {
            gone.extend(function.all_inst_iter().filter_map(|i| i.result_id));
        }
        keep
    });
}
