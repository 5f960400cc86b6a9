//! Geometry shaders whose outputs outlive the vertices that they are emitted with.
//!
//! GLSL and SPIR-V leave every output undefined once a vertex is emitted (GLSL 4.60 §8.15). OpenGL drivers keep them, and
//! many programs set what all vertices share only once; some of Vulkan's drivers do not. So a shader writes to variables
//! of its own, which are copied to the outputs before each vertex.

use super::builtins::Code;
use crate::spv::{Shape, Spv, Variable, edit};
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, Op, StorageClass};
use std::collections::BTreeSet;

/// An output and the variable that the shader writes to in its place.
struct Kept {
    output: u32,
    own: u32,
    /// What is copied: its path and its type. Members that the shader does not touch are left alone, since a built-in that
    /// is written has an effect.
    parts: Vec<(Vec<u32>, u32)>,
}

/// How a shader touches an output.
#[derive(Default)]
struct Touch {
    /// As a whole, or at places that only the run knows.
    whole: bool,
    /// Members of a block.
    members: BTreeSet<u32>,
}

/// How the functions touch a variable; the members of blocks stand behind `depth` indices.
fn touch(spv: &Spv, variable: u32, depth: usize) -> Touch {
    let mut found = Touch::default();
    let all = spv.module.functions.iter().flat_map(|f| f.all_inst_iter());
    for inst in all.filter(|i| i.operands.contains(&Operand::IdRef(variable))) {
        let chain = matches!(inst.class.opcode, Op::AccessChain | Op::InBoundsAccessChain);
        let member = match inst.operands.get(1 + depth) {
            Some(Operand::IdRef(id)) if chain => spv.constant(*id),
            _ => None,
        };
        match member {
            Some(m) => {
                found.members.insert(m);
            }
            None => found.whole = true,
        }
    }
    found
}

fn kept(spv: &mut Spv, v: Variable) -> Option<Kept> {
    let (element, length) = spv.strip_array(v.ty);
    let members = match spv.shape(element) {
        Shape::Struct(m) if spv.decoration(element, Decoration::Block).is_some() => Some(m),
        _ => None,
    };
    let Some(members) = members else {
        let touched = touch(spv, v.id, 0);
        if !touched.whole && touched.members.is_empty() {
            return None;
        }
        let own = spv.add_variable(StorageClass::Private, v.ty);
        return Some(Kept {
            output: v.id,
            own,
            parts: vec![(Vec::new(), v.ty)],
        });
    };
    let touched = touch(spv, v.id, usize::from(length.is_some()));
    if touched.whole || touched.members.is_empty() {
        return None;
    }
    // The same members in a type without the decorations of an interface.
    let same = members.iter().map(|m| Operand::IdRef(*m)).collect();
    let mut ty = spv.add_global(Op::TypeStruct, None, same);
    if let Some(length) = length {
        let uint = spv.type_uint();
        let length = spv.constant_bits(uint, length);
        let operands = vec![Operand::IdRef(ty), Operand::IdRef(length)];
        ty = spv.add_global(Op::TypeArray, None, operands);
    }
    let own = spv.add_variable(StorageClass::Private, ty);
    let elements: Vec<Vec<u32>> = match length {
        None => vec![Vec::new()],
        Some(n) => (0..n).map(|at| vec![at]).collect(),
    };
    let mut parts = Vec::new();
    for path in elements {
        for m in &touched.members {
            let ty = *members.get(*m as usize)?;
            parts.push(([path.as_slice(), &[*m]].concat(), ty));
        }
    }
    Some(Kept {
        output: v.id,
        own,
        parts,
    })
}

/// Lets the outputs of a geometry shader keep their values from vertex to vertex.
pub(super) fn keep_outputs(spv: &mut Spv) {
    let outputs: Vec<Variable> = spv
        .variables()
        .into_iter()
        .filter(|v| v.class == StorageClass::Output)
        .collect();
    let mut all = Vec::new();
    for v in outputs {
        if let Some(k) = kept(spv, v) {
            edit::retarget(spv, k.output, k.own, StorageClass::Private);
            all.push(k);
        }
    }
    for op in [Op::EmitVertex, Op::EmitStreamVertex] {
        edit::insert_before(spv, op, true, |spv| {
            let mut code = Code::new(spv);
            for k in &all {
                for (path, ty) in &k.parts {
                    let from = code.chain(StorageClass::Private, k.own, *ty, path);
                    let value = code.load(*ty, from);
                    let to = code.chain(StorageClass::Output, k.output, *ty, path);
                    code.store(to, value);
                }
            }
            code.out
        });
    }
}
