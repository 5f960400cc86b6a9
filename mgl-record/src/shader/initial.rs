//! Initial values of uniforms. The relaxed rules by which programs are compiled drop the
//! initialisers in declarations; OpenGL's rules keep each as the constant initialiser of a variable,
//! which is read here.

use super::uniforms::original_name;
use mgl_replay::spv::{Shape, Spv};
use rspirv::dr::Operand;
use rspirv::spirv::{Op, StorageClass};

/// The initial value of one element of a uniform, from its declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitialValue {
    /// The flattened uniform's name, as in the reflection archive.
    pub name: String,
    pub element: u32,
    /// Components in column-major order: 32-bit patterns, or 64-bit ones for doubles.
    pub components: Vec<u64>,
}

/// Reads the initial values out of a module that was made by OpenGL rules, where a uniform is a
/// variable with a constant initialiser.
pub fn initial_values(spv: &Spv) -> Vec<InitialValue> {
    let mut values = Vec::new();
    for variable in spv.variables() {
        if variable.class != StorageClass::UniformConstant {
            continue;
        }
        let Some(Operand::IdRef(constant)) =
            spv.def(variable.id).and_then(|inst| inst.operands.get(1))
        else {
            continue;
        };
        let name = original_name(spv.name(variable.id)).to_owned();
        collect_values(spv, variable.ty, *constant, name, &mut values);
    }
    values
}

fn collect_values(spv: &Spv, ty: u32, constant: u32, name: String, values: &mut Vec<InitialValue>) {
    match spv.shape(ty) {
        Shape::Basic(_) => {
            let mut components = Vec::new();
            collect_components(spv, ty, constant, &mut components);
            values.push(InitialValue {
                name,
                element: 0,
                components,
            });
        }
        Shape::Array(element, length) => {
            let basic = matches!(spv.shape(element), Shape::Basic(_));
            for index in 0..length {
                let Some(part) = constituent(spv, constant, index) else {
                    continue;
                };
                if basic {
                    let mut components = Vec::new();
                    collect_components(spv, element, part, &mut components);
                    let name = format!("{name}[0]");
                    values.push(InitialValue {
                        name,
                        element: index,
                        components,
                    });
                } else {
                    collect_values(spv, element, part, format!("{name}[{index}]"), values);
                }
            }
        }
        Shape::Struct(members) => {
            for (at, member) in members.into_iter().enumerate() {
                let at = at as u32;
                let Some(part) = constituent(spv, constant, at) else {
                    continue;
                };
                let field = original_name(spv.member_name(ty, at));
                collect_values(spv, member, part, format!("{name}.{field}"), values);
            }
        }
        Shape::Other => {}
    }
}

/// The n-th part of a composite constant; a null constant is null in every part.
fn constituent(spv: &Spv, constant: u32, at: u32) -> Option<u32> {
    let inst = spv.def(constant)?;
    match inst.class.opcode {
        Op::ConstantComposite => match inst.operands.get(at as usize) {
            Some(Operand::IdRef(id)) => Some(*id),
            _ => None,
        },
        _ => None,
    }
}

fn collect_components(spv: &Spv, ty: u32, constant: u32, out: &mut Vec<u64>) {
    let Some(inst) = spv.def(constant) else {
        return;
    };
    match inst.class.opcode {
        Op::ConstantComposite => {
            for operand in inst.operands.clone() {
                if let Operand::IdRef(id) = operand {
                    collect_components(spv, ty, id, out);
                }
            }
        }
        Op::Constant => out.push(match inst.operands.first() {
            Some(Operand::LiteralBit32(v)) => u64::from(*v),
            Some(Operand::LiteralBit64(v)) => *v,
            _ => 0,
        }),
        Op::ConstantTrue => out.push(1),
        Op::ConstantNull => {
            let Shape::Basic(basic) = spv.shape(inst.result_type.unwrap_or(ty)) else {
                return;
            };
            out.extend(std::iter::repeat_n(0, basic.components() as usize));
        }
        _ => out.push(0),
    }
}
