//! Values between stages that ESSL does not let be one variable: structures that hold arrays or structures, and arrays of
//! structures (ESSL 3.20 §4.3.4, §4.3.6). Each becomes one variable a part, whose location is the part's, and a private one
//! in its place: gathered at the start of the stage that reads it, handed out where a vertex is complete.

use crate::spv::code::Code;
use crate::spv::edit::{insert_at_start, insert_before, retarget};
use crate::spv::{Shape, Spv, Variable};
use mgl_core::program::ShaderStage;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Decoration, Op, StorageClass};

/// Decorations that a part has of the whole.
const KEPT: [Decoration; 5] = [
    Decoration::Flat,
    Decoration::NoPerspective,
    Decoration::Centroid,
    Decoration::Sample,
    Decoration::Invariant,
];

/// Most parts that one value is taken apart into; limits of varyings lie far below.
const MOST: usize = 256;

/// A part of a value.
#[derive(Debug, Clone)]
struct Part {
    path: Vec<u32>,
    ty: u32,
    /// Locations behind the whole's.
    offset: u32,
    decorations: Vec<Decoration>,
}

/// Takes apart what leaves or enters a stage.
pub fn values(spv: &mut Spv, stage: ShaderStage) {
    for v in spv.variables() {
        if spv.is_builtin(v) {
            continue;
        }
        let arrayed = match (stage, v.class) {
            (ShaderStage::Vertex | ShaderStage::Geometry, StorageClass::Output) => false,
            (ShaderStage::Fragment, StorageClass::Input) => false,
            (ShaderStage::Geometry, StorageClass::Input) => true,
            _ => continue,
        };
        // A geometry shader has its inputs once a vertex.
        let (one, vertices) = match (arrayed, spv.strip_array(v.ty)) {
            (true, (element, length)) => (element, length),
            (false, _) => (v.ty, None),
        };
        if !is_too_deep(spv, one) {
            continue;
        }
        let mut parts = Vec::new();
        let whole = kept(|d| spv.decoration(v.id, d).is_some());
        collect(spv, one, &mut Vec::new(), &mut 0, &whole, &mut parts);
        if !parts.is_empty() && parts.len() <= MOST && vertices.unwrap_or(1) <= 32 {
            take_apart(spv, stage, v, &parts, vertices);
        }
    }
}

fn kept(has: impl Fn(Decoration) -> bool) -> Vec<Decoration> {
    KEPT.into_iter().filter(|d| has(*d)).collect()
}

/// Whether a type is none that one variable may have.
fn is_too_deep(spv: &Spv, ty: u32) -> bool {
    let holds = |ty: u32| matches!(spv.shape(ty), Shape::Array(..) | Shape::Struct(_));
    match spv.shape(ty) {
        Shape::Array(element, _) => holds(element),
        Shape::Struct(members) => {
            spv.decoration(ty, Decoration::Block).is_none() && members.into_iter().any(holds)
        }
        _ => false,
    }
}

fn collect(
    spv: &Spv,
    ty: u32,
    path: &mut Vec<u32>,
    offset: &mut u32,
    decorations: &[Decoration],
    parts: &mut Vec<Part>,
) {
    if parts.len() > MOST {
        return;
    }
    match spv.shape(ty) {
        Shape::Struct(members) => {
            for (at, member) in members.into_iter().enumerate() {
                let own = kept(|d| {
                    decorations.contains(&d) || spv.member_decoration(ty, at as u32, d).is_some()
                });
                path.push(at as u32);
                collect(spv, member, path, offset, &own, parts);
                path.pop();
            }
        }
        Shape::Array(element, length)
            if matches!(spv.shape(element), Shape::Array(..) | Shape::Struct(_)) =>
        {
            for at in 0..length.min(MOST as u32 + 1) {
                path.push(at);
                collect(spv, element, path, offset, decorations, parts);
                path.pop();
            }
        }
        _ => {
            parts.push(Part {
                path: path.clone(),
                ty,
                offset: *offset,
                decorations: decorations.to_vec(),
            });
            *offset = offset.saturating_add(spv.locations(ty, true));
        }
    }
}

fn take_apart(
    spv: &mut Spv,
    stage: ShaderStage,
    v: Variable,
    parts: &[Part],
    vertices: Option<u32>,
) {
    let first = spv.decoration(v.id, Decoration::Location).unwrap_or(0);
    let variables: Vec<u32> = parts
        .iter()
        .map(|p| {
            let ty = match vertices {
                None => p.ty,
                Some(n) => {
                    let uint = spv.global(
                        Op::TypeInt,
                        None,
                        vec![Operand::LiteralBit32(32), Operand::LiteralBit32(0)],
                    );
                    let length = spv.constant_bits(uint, n);
                    let operands = vec![Operand::IdRef(p.ty), Operand::IdRef(length)];
                    spv.global(Op::TypeArray, None, operands)
                }
            };
            let id = spv.add_variable(v.class, ty);
            spv.decorate(id, Decoration::Location, first.saturating_add(p.offset));
            for d in &p.decorations {
                spv.decorate_flag(id, *d);
            }
            id
        })
        .collect();
    forget_interpolation(spv, v.ty);
    let whole = spv.add_variable(StorageClass::Private, v.ty);
    retarget(spv, v.id, whole, StorageClass::Private);
    spv.remove_variables(&[v.id]);
    let copy = |spv: &mut Spv| -> Vec<Instruction> {
        let mut code = Code::new(spv);
        let each: Vec<Option<u32>> = match vertices {
            None => vec![None],
            Some(n) => (0..n).map(Some).collect(),
        };
        for (part, variable) in parts.iter().zip(&variables) {
            for vertex in &each {
                let outer: Vec<u32> = vertex.iter().copied().collect();
                let inner: Vec<u32> = outer.iter().chain(&part.path).copied().collect();
                let own = code.chain(StorageClass::Private, whole, part.ty, &inner);
                let out = code.chain(v.class, *variable, part.ty, &outer);
                let (from, to) = match v.class {
                    StorageClass::Input => (out, own),
                    _ => (own, out),
                };
                let value = code.load(part.ty, from);
                code.store(to, value);
            }
        }
        code.out
    };
    match (v.class, stage) {
        (StorageClass::Input, _) => {
            let code = copy(spv);
            insert_at_start(spv, code);
        }
        (_, ShaderStage::Geometry) => insert_before(spv, Op::EmitVertex, true, copy),
        _ => insert_before(spv, Op::Return, false, copy),
    }
}

/// Members of a private variable are not interpolated.
fn forget_interpolation(spv: &mut Spv, ty: u32) {
    match spv.shape(ty) {
        Shape::Array(element, _) => forget_interpolation(spv, element),
        Shape::Struct(members) => {
            for (at, member) in members.into_iter().enumerate() {
                for d in KEPT {
                    spv.undecorate_member(ty, at as u32, d);
                }
                forget_interpolation(spv, member);
            }
        }
        _ => {}
    }
}
