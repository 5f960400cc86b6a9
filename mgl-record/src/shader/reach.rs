//! What a stage really uses: the call graph is walked from `main`, and every access to a
//! module-scope variable is noted down to the member (GL 3.3 §2.11: a uniform or attribute is active
//! when it can be accessed).

use mgl_replay::spv::Spv;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::Op;
use std::collections::{HashMap, HashSet};

/// An access path into a variable: constant indices, `None` for a computed one. A shorter path
/// covers all that lies under it.
pub type Path = Vec<Option<u32>>;

/// Everything that code reachable from `main` touches.
#[derive(Default)]
pub struct Reach {
    paths: HashMap<u32, HashSet<Path>>,
    stored: HashSet<u32>,
    ops: HashSet<Op>,
}

impl Reach {
    /// Walks the module's reachable code.
    pub fn new(spv: &Spv) -> Reach {
        let functions: HashMap<u32, usize> = spv
            .module
            .functions
            .iter()
            .enumerate()
            .filter_map(|(at, f)| Some((f.def_id()?, at)))
            .collect();
        let globals: HashSet<u32> = spv.variables().iter().map(|v| v.id).collect();
        let mut reach = Reach::default();
        let mut seen = HashSet::new();
        let mut queue = vec![spv.entry_function()];
        while let Some(function) = queue.pop() {
            if !seen.insert(function) {
                continue;
            }
            let Some(at) = functions.get(&function) else {
                continue;
            };
            // Access chains of this function, resolved to variable and path.
            let mut chains: HashMap<u32, (u32, Path)> = HashMap::new();
            for inst in spv.module.functions[*at].all_inst_iter() {
                reach.visit(spv, inst, &globals, &mut chains, &mut queue);
            }
        }
        reach
    }

    fn visit(
        &mut self,
        spv: &Spv,
        inst: &Instruction,
        globals: &HashSet<u32>,
        chains: &mut HashMap<u32, (u32, Path)>,
        queue: &mut Vec<u32>,
    ) {
        let opcode = inst.class.opcode;
        self.ops.insert(opcode);
        if matches!(opcode, Op::AccessChain | Op::InBoundsAccessChain) {
            let mut ids = inst.operands.iter().filter_map(|o| match o {
                Operand::IdRef(id) => Some(*id),
                _ => None,
            });
            let base = ids.next().unwrap_or(0);
            let origin = if globals.contains(&base) {
                Some((base, Path::new()))
            } else {
                chains.get(&base).cloned()
            };
            let mut indices = Vec::new();
            for id in ids {
                indices.push(spv.constant(id));
                // An index is never a variable, but it costs nothing to be sure.
                self.touch(id, globals, chains);
            }
            if let (Some((variable, mut path)), Some(result)) = (origin, inst.result_id) {
                path.extend(indices);
                chains.insert(result, (variable, path));
            }
            return;
        }
        if opcode == Op::FunctionCall
            && let Some(Operand::IdRef(callee)) = inst.operands.first()
        {
            queue.push(*callee);
        }
        if matches!(opcode, Op::Store | Op::CopyMemory)
            && let Some(Operand::IdRef(target)) = inst.operands.first()
        {
            let variable = chains
                .get(target)
                .map_or(*target, |(variable, _)| *variable);
            self.stored.insert(variable);
        }
        for operand in &inst.operands {
            if let Operand::IdRef(id) = operand {
                self.touch(*id, globals, chains);
            }
        }
    }

    fn touch(&mut self, id: u32, globals: &HashSet<u32>, chains: &HashMap<u32, (u32, Path)>) {
        if globals.contains(&id) {
            self.paths.entry(id).or_default().insert(Path::new());
        } else if let Some((variable, path)) = chains.get(&id) {
            self.paths
                .entry(*variable)
                .or_default()
                .insert(path.clone());
        }
    }

    /// True when any part of the variable is accessed.
    pub fn uses(&self, variable: u32) -> bool {
        self.paths.contains_key(&variable)
    }

    /// True when any part of the variable is written.
    pub fn stores(&self, variable: u32) -> bool {
        self.stored.contains(&variable)
    }

    /// True when the part of the variable under `path` may be accessed.
    pub fn uses_path(&self, variable: u32, path: &[u32]) -> bool {
        self.paths.get(&variable).is_some_and(|paths| {
            paths.iter().any(|p| {
                p.iter()
                    .zip(path)
                    .all(|(a, b)| a.is_none() || *a == Some(*b))
            })
        })
    }

    /// The largest first index by which an array is accessed; `None` when one is computed, or the array is
    /// taken as a whole.
    pub fn highest_index(&self, variable: u32) -> Option<u32> {
        let paths = self.paths.get(&variable)?;
        paths
            .iter()
            .map(|p| p.first().copied().flatten())
            .try_fold(0, |most, index| Some(index?.max(most)))
    }

    /// True when reachable code has an instruction with this opcode.
    pub fn has_op(&self, op: Op) -> bool {
        self.ops.contains(&op)
    }
}
