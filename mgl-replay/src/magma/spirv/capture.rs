//! Transform feedback: what is captured, where to (GL 3.3 §2.14, VK_EXT_transform_feedback).
//!
//! A variable that is captured whole, once, is decorated. Everything else (built-ins, elements of
//! arrays, members of structures) is copied to an output of its own when a vertex is complete; built-ins
//! because their values change afterwards ([`super::vertex`]), the others because only whole variables
//! can be decorated.

use super::SpirvError;
use super::builtins::{Code, find};
use crate::spv::{Shape, Spv, Variable, edit};
use mgl_core::program::{ShaderStage, TransformFeedback, XfbSource};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Capability, Decoration, ExecutionMode, Op, StorageClass};
use std::collections::HashMap;

/// A value that is copied to an output of its own.
#[derive(Clone, Debug)]
pub(super) struct Copy {
    from: u32,
    path: Vec<u32>,
    ty: u32,
    to: u32,
}

impl Copy {
    /// Copies the value as it is now.
    pub fn write(&self, code: &mut Code<'_>) {
        let pointer = code.chain(StorageClass::Output, self.from, self.ty, &self.path);
        let value = code.load(self.ty, pointer);
        code.store(self.to, value);
    }
}

/// What a captured name stands for in the module.
struct Found {
    variable: u32,
    path: Vec<u32>,
    ty: u32,
}

/// Decorates the module, and gives what must be copied where a vertex is complete.
pub(super) fn decorate(
    spv: &mut Spv,
    stage: ShaderStage,
    xfb: &TransformFeedback,
) -> Result<Vec<Copy>, SpirvError> {
    let invalid = |what: String| SpirvError::Invalid {
        stage: stage.name(),
        what,
    };
    edit::add_capability(spv, Capability::TransformFeedback);
    let entry = spv.entry_function();
    spv.module.execution_modes.push(Instruction::new(
        Op::ExecutionMode,
        None,
        None,
        vec![
            Operand::IdRef(entry),
            Operand::ExecutionMode(ExecutionMode::Xfb),
        ],
    ));
    let outputs: Vec<Variable> = spv
        .variables()
        .into_iter()
        .filter(|v| v.class == StorageClass::Output && !spv.is_builtin(*v))
        .collect();
    let mut found = Vec::new();
    let mut uses: HashMap<u32, u32> = HashMap::new();
    for varying in &xfb.varyings {
        let Some(source) = varying.source else {
            continue;
        };
        let stride = xfb.strides.get(varying.buffer as usize).copied();
        let (Some(stride), Some(place)) = (stride, locate(spv, &outputs, source, varying.size))
        else {
            return Err(invalid(format!("nothing to capture for {}", varying.name)));
        };
        *uses.entry(place.variable).or_default() += 1;
        found.push((place, varying.buffer, varying.offset, stride));
    }
    let mut free = outputs.iter().fold(0, |most, v| {
        let first = spv.decoration(v.id, Decoration::Location).unwrap_or(0);
        most.max(first.saturating_add(spv.locations(v.ty, true)))
    });
    let mut copies = Vec::new();
    for (place, buffer, offset, stride) in found {
        let is_plain = place.path.is_empty() && outputs.iter().any(|v| v.id == place.variable);
        let target = if is_plain && uses[&place.variable] == 1 {
            place.variable
        } else {
            let to = spv.add_variable(StorageClass::Output, place.ty);
            spv.decorate(to, Decoration::Location, free);
            free += spv.locations(place.ty, true);
            copies.push(Copy {
                from: place.variable,
                path: place.path,
                ty: place.ty,
                to,
            });
            to
        };
        spv.decorate(target, Decoration::XfbBuffer, buffer);
        spv.decorate(target, Decoration::XfbStride, stride);
        spv.decorate(target, Decoration::Offset, offset);
    }
    Ok(copies)
}

/// Finds a captured value: `size` elements of what is at the source.
fn locate(spv: &Spv, outputs: &[Variable], source: XfbSource, size: u32) -> Option<Found> {
    match source {
        XfbSource::BuiltIn { builtin, element } => {
            let place = find(spv, StorageClass::Output, Spv::builtin(builtin)?)?;
            let (inner, length) = spv.strip_array(place.ty);
            Some(match length {
                Some(length) if length != size || element != 0 => Found {
                    variable: place.variable,
                    path: place.path(&[element]),
                    ty: inner,
                },
                _ => Found {
                    variable: place.variable,
                    path: place.path(&[]),
                    ty: place.ty,
                },
            })
        }
        XfbSource::Location(location) => {
            let at = |v: &Variable| spv.decoration(v.id, Decoration::Location).unwrap_or(0);
            let variable = outputs
                .iter()
                .filter(|v| at(v) <= location)
                .max_by_key(|v| at(v))?;
            walk(spv, variable, location - at(variable), size)
        }
    }
}

/// The value at a location inside a variable.
fn walk(spv: &Spv, variable: &Variable, mut rest: u32, size: u32) -> Option<Found> {
    let mut found = Found {
        variable: variable.id,
        path: Vec::new(),
        ty: variable.ty,
    };
    loop {
        match spv.shape(found.ty) {
            Shape::Array(element, length) => {
                let each = spv.locations(element, true).max(1);
                let is_basic = matches!(spv.shape(element), Shape::Basic(_));
                if is_basic && size == length && rest == 0 && (length > 1 || found.path.is_empty())
                {
                    return Some(found);
                }
                if rest / each >= length {
                    return None;
                }
                found.path.push(rest / each);
                rest %= each;
                found.ty = element;
            }
            Shape::Struct(members) => {
                let mut inside = None;
                for (at, member) in members.into_iter().enumerate() {
                    let count = spv.locations(member, true);
                    if rest < count {
                        inside = Some((at as u32, member));
                        break;
                    }
                    rest -= count;
                }
                let (at, member) = inside?;
                found.path.push(at);
                found.ty = member;
            }
            Shape::Basic(_) => return (rest == 0).then_some(found),
            Shape::Other => return None,
        }
    }
}
