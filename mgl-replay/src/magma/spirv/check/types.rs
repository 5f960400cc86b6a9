//! Types of a module, as the checks need them: each is one that GLSL gives, and none is beyond reason.

use crate::spv::Spv;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Dim, Op, StorageClass};
use std::collections::HashMap;

/// Most scalars of one value: larger arrays are refused.
const MOST_SCALARS: u64 = 1 << 20;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ty {
    Void,
    Bool,
    /// 32 bits; whether signed.
    Int(bool),
    /// 32 or 64 bits.
    Float(u32),
    /// Component type and count.
    Vector(u32, u32),
    /// Column type and count.
    Matrix(u32, u32),
    Image(ImageTy),
    Sampled(u32),
    /// Element type and length.
    Array(u32, u32),
    Struct(Vec<u32>),
    Pointer(StorageClass, u32),
    Function(u32, Vec<u32>),
}

/// An image type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ImageTy {
    /// Type of a component of what is read.
    pub component: u32,
    pub dim: Dim,
    pub arrayed: bool,
    pub multisampled: bool,
}

impl ImageTy {
    /// Components of a coordinate, without the layer.
    pub fn dimensions(&self) -> u32 {
        match self.dim {
            Dim::Dim1D | Dim::DimBuffer => 1,
            Dim::Dim3D | Dim::DimCube => 3,
            _ => 2,
        }
    }

    /// Components of a coordinate.
    pub fn coordinates(&self) -> u32 {
        self.dimensions() + u32::from(self.arrayed)
    }
}

/// What scalars a value is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Int,
    Float,
}

/// All types of a module.
pub(super) struct Types {
    map: HashMap<u32, Ty>,
    scalars: HashMap<u32, u64>,
}

fn number(inst: &Instruction, n: usize) -> u32 {
    match inst.operands.get(n) {
        Some(Operand::LiteralBit32(v)) => *v,
        Some(Operand::IdRef(v)) => *v,
        _ => 0,
    }
}

impl Types {
    /// Reads the types; an error says which is none that can be taken.
    pub fn of(spv: &Spv) -> Result<Types, String> {
        let mut types = Types {
            map: HashMap::new(),
            scalars: HashMap::new(),
        };
        for inst in &spv.module.types_global_values {
            let Some(id) = inst.result_id else { continue };
            if !inst.class.opname.starts_with("Type") {
                continue;
            }
            let ty = types.read(spv, inst).ok_or_else(|| {
                format!(
                    "type {id} ({}) is damaged or not supported",
                    inst.class.opname
                )
            })?;
            let scalars = types.count(&ty);
            if scalars > MOST_SCALARS {
                return Err(format!("type {id} has {scalars} components"));
            }
            types.scalars.insert(id, scalars);
            types.map.insert(id, ty);
        }
        Ok(types)
    }

    fn count(&self, ty: &Ty) -> u64 {
        let of = |id: &u32| self.scalars.get(id).copied().unwrap_or(0);
        match ty {
            Ty::Vector(inner, n) | Ty::Matrix(inner, n) | Ty::Array(inner, n) => {
                of(inner).saturating_mul(u64::from(*n))
            }
            Ty::Struct(members) => members.iter().map(of).fold(0, u64::saturating_add),
            _ => 1,
        }
    }

    fn read(&self, spv: &Spv, inst: &Instruction) -> Option<Ty> {
        let data = |id: u32| {
            self.get(id)
                .is_some_and(|t| !matches!(t, Ty::Void | Ty::Function(..) | Ty::Pointer(..)))
                .then_some(id)
        };
        let all = |from: usize| -> Option<Vec<u32>> {
            (from..inst.operands.len())
                .map(|n| data(number(inst, n)))
                .collect()
        };
        Some(match inst.class.opcode {
            Op::TypeVoid => Ty::Void,
            Op::TypeBool => Ty::Bool,
            Op::TypeInt if number(inst, 0) == 32 && number(inst, 1) < 2 => {
                Ty::Int(number(inst, 1) == 1)
            }
            Op::TypeFloat if matches!(number(inst, 0), 32 | 64) && inst.operands.len() == 1 => {
                Ty::Float(number(inst, 0))
            }
            Op::TypeVector => {
                let (component, n) = (number(inst, 0), number(inst, 1));
                let scalar = matches!(self.get(component)?, Ty::Bool | Ty::Int(_) | Ty::Float(_));
                (scalar && (2..=4).contains(&n)).then_some(Ty::Vector(component, n))?
            }
            Op::TypeMatrix => {
                let (column, n) = (number(inst, 0), number(inst, 1));
                let Ty::Vector(component, _) = self.get(column)? else {
                    return None;
                };
                let float = matches!(self.get(*component)?, Ty::Float(_));
                (float && (2..=4).contains(&n)).then_some(Ty::Matrix(column, n))?
            }
            Op::TypeImage => Ty::Image(self.image(inst)?),
            Op::TypeSampledImage => {
                let image = number(inst, 0);
                matches!(self.get(image)?, Ty::Image(_)).then_some(Ty::Sampled(image))?
            }
            Op::TypeArray => {
                let constant = spv.def(number(inst, 1))?;
                let int = matches!(self.get(constant.result_type?)?, Ty::Int(_));
                let length = spv.constant(number(inst, 1))?;
                (int && (1..=1 << 16).contains(&length))
                    .then_some(Ty::Array(data(number(inst, 0))?, length))?
            }
            Op::TypeStruct => Ty::Struct(all(0)?),
            Op::TypePointer => {
                let Some(Operand::StorageClass(class)) = inst.operands.first() else {
                    return None;
                };
                let known = matches!(
                    class,
                    StorageClass::Input
                        | StorageClass::Output
                        | StorageClass::Uniform
                        | StorageClass::UniformConstant
                        | StorageClass::Private
                        | StorageClass::Function
                );
                known.then_some(Ty::Pointer(*class, data(number(inst, 1))?))?
            }
            Op::TypeFunction => {
                let result = number(inst, 0);
                self.get(result)?;
                let params = (1..inst.operands.len()).map(|n| number(inst, n));
                let params: Vec<u32> = params.collect();
                let right = params.iter().all(|p| {
                    self.get(*p)
                        .is_some_and(|t| !matches!(t, Ty::Void | Ty::Function(..)))
                });
                right.then_some(Ty::Function(result, params))?
            }
            _ => return None,
        })
    }

    fn image(&self, inst: &Instruction) -> Option<ImageTy> {
        let [
            Operand::IdRef(component),
            Operand::Dim(dim),
            Operand::LiteralBit32(depth),
            Operand::LiteralBit32(arrayed),
            Operand::LiteralBit32(multisampled),
            Operand::LiteralBit32(1),
            Operand::ImageFormat(rspirv::spirv::ImageFormat::Unknown),
        ] = inst.operands.as_slice()
        else {
            return None;
        };
        let scalar = matches!(self.get(*component)?, Ty::Int(_) | Ty::Float(32));
        let (arrays, samples) = match dim {
            Dim::Dim1D | Dim::DimCube => (true, false),
            Dim::Dim2D => (true, true),
            Dim::Dim3D | Dim::DimRect | Dim::DimBuffer => (false, false),
            _ => return None,
        };
        let fits = *depth <= 1
            && *arrayed <= u32::from(arrays)
            && *multisampled <= u32::from(samples)
            && scalar;
        fits.then_some(ImageTy {
            component: *component,
            dim: *dim,
            arrayed: *arrayed == 1,
            multisampled: *multisampled == 1,
        })
    }

    pub fn get(&self, id: u32) -> Option<&Ty> {
        self.map.get(&id)
    }

    /// Kind, bits and count of components of a scalar or vector.
    pub fn numeric(&self, id: u32) -> Option<(Kind, u32, u32)> {
        match self.get(id)? {
            Ty::Bool => Some((Kind::Bool, 1, 1)),
            Ty::Int(_) => Some((Kind::Int, 32, 1)),
            Ty::Float(bits) => Some((Kind::Float, *bits, 1)),
            Ty::Vector(component, n) => {
                let (kind, bits, _) = self.numeric(*component)?;
                Some((kind, bits, *n))
            }
            _ => None,
        }
    }

    /// Kind and count of components, where the bits are 32 or do not matter.
    pub fn shape(&self, id: u32) -> Option<(Kind, u32)> {
        self.numeric(id).map(|(kind, _, n)| (kind, n))
    }

    /// What a pointer points to, and where.
    pub fn pointee(&self, id: u32) -> Option<(StorageClass, u32)> {
        match self.get(id)? {
            Ty::Pointer(class, ty) => Some((*class, *ty)),
            _ => None,
        }
    }

    /// Column type, columns and rows of a matrix.
    pub fn matrix(&self, id: u32) -> Option<(u32, u32, u32)> {
        match self.get(id)? {
            Ty::Matrix(column, n) => match self.get(*column)? {
                Ty::Vector(_, rows) => Some((*column, *n, *rows)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The image of an image or sampled image type.
    pub fn image_of(&self, id: u32) -> Option<ImageTy> {
        match self.get(id)? {
            Ty::Image(image) => Some(*image),
            Ty::Sampled(image) => self.image_of(*image),
            _ => None,
        }
    }

    /// The type of a part: an element, a component, a member (with its number).
    pub fn part(&self, id: u32, at: Option<u32>) -> Option<u32> {
        match self.get(id)? {
            Ty::Vector(inner, n) | Ty::Matrix(inner, n) | Ty::Array(inner, n) => {
                at.is_none_or(|at| at < *n).then_some(*inner)
            }
            Ty::Struct(members) => members.get(at? as usize).copied(),
            _ => None,
        }
    }

    /// Whether images are anywhere inside: such values cannot be stored.
    pub fn is_opaque(&self, id: u32) -> bool {
        match self.get(id) {
            Some(Ty::Image(_) | Ty::Sampled(_)) => true,
            Some(Ty::Array(inner, _)) => self.is_opaque(*inner),
            Some(Ty::Struct(members)) => members.iter().any(|m| self.is_opaque(*m)),
            _ => false,
        }
    }
}
