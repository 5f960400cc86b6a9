//! Constants, variables, decorations and execution modes: what is outside of functions.

use super::types::{Kind, Ty, Types};
use crate::spv::{Spv, Variable};
use mgl_core::program::ShaderStage;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, Op, StorageClass};

/// Locations between stages, and of attributes and outputs.
const MOST_LOCATIONS: u32 = 64;

type Outcome = Result<(), String>;

pub(super) fn globals(spv: &Spv, types: &Types) -> Outcome {
    for inst in &spv.module.types_global_values {
        if !inst.class.opname.starts_with("Type") {
            let id = inst.result_id.unwrap_or(0);
            global(spv, types, inst)
                .ok_or_else(|| format!("{} {id} is damaged or not supported", inst.class.opname))?;
        }
    }
    Ok(())
}

fn global(spv: &Spv, types: &Types, inst: &Instruction) -> Option<()> {
    let ty = inst.result_type?;
    let type_of = |o: &Operand| match o {
        Operand::IdRef(id) => spv.def(*id)?.result_type,
        _ => None,
    };
    let right = match inst.class.opcode {
        Op::ConstantTrue | Op::ConstantFalse => matches!(types.get(ty)?, Ty::Bool),
        Op::Constant => matches!(
            (types.get(ty)?, inst.operands.as_slice()),
            (Ty::Int(_) | Ty::Float(32), [Operand::LiteralBit32(_)])
                | (Ty::Float(64), [Operand::LiteralBit64(_)])
        ),
        Op::ConstantNull | Op::Undef => !types.is_opaque(ty) && types.pointee(ty).is_none(),
        Op::ConstantComposite => {
            let count = match types.get(ty)? {
                Ty::Vector(_, n) | Ty::Matrix(_, n) | Ty::Array(_, n) => *n as usize,
                Ty::Struct(members) => members.len(),
                _ => return None,
            };
            count == inst.operands.len()
                && inst.operands.iter().enumerate().all(|(n, o)| {
                    let part = types.part(ty, Some(n as u32));
                    part.is_some() && part == type_of(o)
                })
        }
        Op::Variable => {
            let (class, pointee) = types.pointee(ty)?;
            let initial = match inst.operands.as_slice() {
                [Operand::StorageClass(c)] => (*c == class).then_some(None)?,
                [Operand::StorageClass(c), o] => {
                    let constant = matches!(o, Operand::IdRef(id)
                        if spv.def(*id).is_some_and(|i| i.class.opname.starts_with("Constant")));
                    (*c == class && constant).then(|| type_of(o))?
                }
                _ => return None,
            };
            let opaque = types.is_opaque(pointee);
            class != StorageClass::Function
                && opaque == (class == StorageClass::UniformConstant)
                && initial.is_none_or(|i| {
                    i == pointee && matches!(class, StorageClass::Private | StorageClass::Output)
                })
        }
        _ => false,
    };
    right.then_some(())
}

/// Decorations that change nothing that a driver must trust.
fn is_harmless(d: Decoration) -> bool {
    matches!(
        d,
        Decoration::RelaxedPrecision
            | Decoration::RowMajor
            | Decoration::ColMajor
            | Decoration::Flat
            | Decoration::NoPerspective
            | Decoration::Centroid
            | Decoration::Sample
            | Decoration::Patch
            | Decoration::Invariant
            | Decoration::NoContraction
            | Decoration::Block
            | Decoration::Restrict
            | Decoration::Aliased
            | Decoration::NonWritable
            | Decoration::NonReadable
            | Decoration::GLSLShared
            | Decoration::GLSLPacked
    )
}

/// Whether a decoration's value is in range, wherever it stands.
fn in_range(d: Decoration, value: Option<&Operand>) -> bool {
    let number = match value {
        Some(Operand::LiteralBit32(v)) => *v,
        Some(Operand::BuiltIn(_)) => return d == Decoration::BuiltIn,
        None => return is_harmless(d),
        _ => return false,
    };
    match d {
        Decoration::Location => number < MOST_LOCATIONS,
        Decoration::Component => number < 4,
        Decoration::Index => number < 2,
        Decoration::Binding => number < 1 << 12,
        Decoration::DescriptorSet => number < 4,
        Decoration::Offset => number < 1 << 20,
        Decoration::ArrayStride => (1..1 << 20).contains(&number),
        Decoration::MatrixStride => (4..=64).contains(&number),
        // What earlier rewriting wrote is a plain number.
        Decoration::BuiltIn => true,
        _ => false,
    }
}

pub(super) fn decorations(spv: &Spv, types: &Types) -> Outcome {
    for inst in &spv.module.annotations {
        let right = match (inst.class.opcode, inst.operands.as_slice()) {
            (Op::Decorate, [Operand::IdRef(_), Operand::Decoration(d), rest @ ..]) => {
                rest.len() <= 1 && in_range(*d, rest.first())
            }
            (
                Op::MemberDecorate,
                [
                    Operand::IdRef(id),
                    Operand::LiteralBit32(member),
                    Operand::Decoration(d),
                    rest @ ..,
                ],
            ) => {
                types.part(*id, Some(*member)).is_some()
                    && matches!(types.get(*id), Some(Ty::Struct(_)))
                    && rest.len() <= 1
                    && in_range(*d, rest.first())
            }
            _ => false,
        };
        if !right {
            return Err(format!(
                "a decoration is damaged or not supported: {inst:?}"
            ));
        }
    }
    Ok(())
}

/// The type that a built-in must have: kind, components, and whether it is an array.
fn builtin_type(b: BuiltIn) -> Option<(Kind, u32, bool)> {
    Some(match b {
        BuiltIn::Position | BuiltIn::FragCoord => (Kind::Float, 4, false),
        BuiltIn::PointSize | BuiltIn::FragDepth => (Kind::Float, 1, false),
        BuiltIn::ClipDistance
        | BuiltIn::CullDistance
        | BuiltIn::TessLevelOuter
        | BuiltIn::TessLevelInner => (Kind::Float, 1, true),
        BuiltIn::TessCoord => (Kind::Float, 3, false),
        BuiltIn::PointCoord | BuiltIn::SamplePosition => (Kind::Float, 2, false),
        BuiltIn::FrontFacing | BuiltIn::HelperInvocation => (Kind::Bool, 1, false),
        BuiltIn::SampleMask => (Kind::Int, 1, true),
        BuiltIn::VertexIndex
        | BuiltIn::InstanceIndex
        | BuiltIn::BaseVertex
        | BuiltIn::BaseInstance
        | BuiltIn::DrawIndex
        | BuiltIn::PrimitiveId
        | BuiltIn::InvocationId
        | BuiltIn::Layer
        | BuiltIn::ViewportIndex
        | BuiltIn::PatchVertices
        | BuiltIn::SampleId => (Kind::Int, 1, false),
        _ => return None,
    })
}

/// Whether a stage has a built-in as an input or output.
fn belongs(b: BuiltIn, class: StorageClass, stage: ShaderStage) -> bool {
    use ShaderStage as S;
    let output = match class {
        StorageClass::Input => false,
        StorageClass::Output => true,
        _ => return false,
    };
    let late = matches!(stage, S::TessControl | S::TessEval | S::Geometry);
    match b {
        BuiltIn::Position | BuiltIn::PointSize => {
            (output && stage != S::Fragment) || (!output && late)
        }
        BuiltIn::ClipDistance | BuiltIn::CullDistance => match stage {
            S::Fragment => !output,
            S::Vertex => output,
            _ => true,
        },
        BuiltIn::VertexIndex
        | BuiltIn::InstanceIndex
        | BuiltIn::BaseVertex
        | BuiltIn::BaseInstance
        | BuiltIn::DrawIndex => !output && stage == S::Vertex,
        BuiltIn::InvocationId => !output && matches!(stage, S::Geometry | S::TessControl),
        BuiltIn::PrimitiveId => (output && stage == S::Geometry) || (!output && stage != S::Vertex),
        BuiltIn::Layer | BuiltIn::ViewportIndex => {
            (output && matches!(stage, S::Vertex | S::TessEval | S::Geometry))
                || (!output && stage == S::Fragment)
        }
        BuiltIn::PatchVertices => !output && matches!(stage, S::TessControl | S::TessEval),
        BuiltIn::TessCoord => !output && stage == S::TessEval,
        BuiltIn::TessLevelOuter | BuiltIn::TessLevelInner => {
            (output && stage == S::TessControl) || (!output && stage == S::TessEval)
        }
        BuiltIn::FragDepth => output && stage == S::Fragment,
        BuiltIn::SampleMask => stage == S::Fragment,
        _ => !output && stage == S::Fragment,
    }
}

/// Whether variables of stages' interfaces have what drivers take for granted.
pub(super) fn interface(spv: &Spv, types: &Types, stage: ShaderStage) -> Outcome {
    let mut taken: Vec<(StorageClass, u32)> = Vec::new();
    for v in spv.variables() {
        if !matches!(v.class, StorageClass::Input | StorageClass::Output) {
            let misplaced = [Decoration::BuiltIn, Decoration::Location];
            if misplaced.iter().any(|d| spv.decoration(v.id, *d).is_some()) {
                return Err(format!("variable {} has no location", v.id));
            }
            if v.class == StorageClass::Uniform {
                let ty = spv.strip_array(v.ty).0;
                if !block_layout(spv, types, ty, true) {
                    return Err(format!("the layout of block {} is damaged", v.id));
                }
            }
            continue;
        }
        let key = |b: BuiltIn| (v.class, b as u32 | (1 << 31));
        let ty = per_vertex(spv, types, v, stage);
        if let Some(b) = spv.decoration(v.id, Decoration::BuiltIn) {
            let b = Spv::builtin(b).ok_or("an unknown built-in")?;
            if taken.contains(&key(b)) {
                return Err(format!("{b:?} is there twice"));
            }
            taken.push(key(b));
            builtin(types, v, v.ty, b, stage)?;
            continue;
        }
        let block = match types.get(ty) {
            Some(Ty::Struct(members)) => {
                let found: Vec<Option<u32>> = (0..members.len() as u32)
                    .map(|n| spv.member_decoration(ty, n, Decoration::BuiltIn))
                    .collect();
                if found.iter().any(Option::is_some) {
                    for (member, b) in members.iter().zip(&found) {
                        let b = b.and_then(Spv::builtin).ok_or("a block of few built-ins")?;
                        if taken.contains(&key(b)) {
                            return Err(format!("{b:?} is there twice"));
                        }
                        taken.push(key(b));
                        builtin(types, v, *member, b, stage)?;
                    }
                    true
                } else {
                    false
                }
            }
            _ => false,
        };
        if block {
            continue;
        }
        let Some(location) = spv.decoration(v.id, Decoration::Location) else {
            return Err(format!("variable {} has no location", v.id));
        };
        let attribute = stage == ShaderStage::Vertex && v.class == StorageClass::Input;
        let count = spv.locations(ty, !attribute);
        let most = match (stage, v.class) {
            (ShaderStage::Vertex, StorageClass::Input) => 32,
            (ShaderStage::Fragment, StorageClass::Output) => 8,
            _ => MOST_LOCATIONS,
        };
        if count == 0 || location.saturating_add(count) > most {
            return Err(format!("variable {} has locations out of range", v.id));
        }
        let second = spv.decoration(v.id, Decoration::Index).unwrap_or(0);
        let base = spv.decoration(v.id, Decoration::Component).unwrap_or(0);
        for n in 0..count {
            let slot = (v.class, (location + n) | (second << 8) | (base << 16));
            if taken.contains(&slot) {
                return Err(format!("variable {} shares a location", v.id));
            }
            taken.push(slot);
        }
    }
    Ok(())
}

/// The type of one vertex's value.
fn per_vertex(spv: &Spv, types: &Types, v: Variable, stage: ShaderStage) -> u32 {
    let arrayed = match v.class {
        StorageClass::Input => matches!(
            stage,
            ShaderStage::TessControl | ShaderStage::TessEval | ShaderStage::Geometry
        ),
        _ => stage == ShaderStage::TessControl,
    };
    let patch = spv.decoration(v.id, Decoration::Patch).is_some();
    match types.get(v.ty) {
        Some(Ty::Array(inner, _)) if arrayed && !patch => *inner,
        _ => v.ty,
    }
}

fn builtin(types: &Types, v: Variable, ty: u32, b: BuiltIn, stage: ShaderStage) -> Outcome {
    let wrong = || format!("{b:?} has another type, or does not belong to this stage");
    let (kind, count, array) = builtin_type(b).ok_or_else(wrong)?;
    let inner = match types.get(ty) {
        Some(Ty::Array(inner, length)) if array && *length <= 8 => *inner,
        _ if array => return Err(wrong()),
        _ => ty,
    };
    let right = types.shape(inner) == Some((kind, count)) && belongs(b, v.class, stage);
    if right { Ok(()) } else { Err(wrong()) }
}

/// Whether members of a block have offsets, arrays strides, and matrices theirs.
fn block_layout(spv: &Spv, types: &Types, ty: u32, top: bool) -> bool {
    match types.get(ty) {
        Some(Ty::Struct(members)) => members.iter().enumerate().all(|(n, m)| {
            let n = n as u32;
            let mut inner = *m;
            while let Some(Ty::Array(element, _)) = types.get(inner) {
                inner = *element;
            }
            let matrix = types.matrix(inner).is_none()
                || spv
                    .member_decoration(ty, n, Decoration::MatrixStride)
                    .is_some();
            spv.member_decoration(ty, n, Decoration::Offset).is_some()
                && spv.member_decoration(ty, n, Decoration::BuiltIn).is_none()
                && matrix
                && block_layout(spv, types, *m, false)
        }),
        _ if top => false,
        Some(Ty::Array(element, _)) => {
            spv.decoration(ty, Decoration::ArrayStride).is_some()
                && block_layout(spv, types, *element, false)
        }
        Some(Ty::Bool) => false,
        Some(Ty::Vector(component, _)) => block_layout(spv, types, *component, false),
        Some(Ty::Int(_) | Ty::Float(_) | Ty::Matrix(..)) => true,
        _ => false,
    }
}

/// Execution modes that a stage needs, with values in range.
pub(super) fn modes(spv: &Spv, stage: ShaderStage) -> Outcome {
    use ExecutionMode as M;
    let main = spv.entry_function();
    let mut seen = Vec::new();
    for inst in &spv.module.execution_modes {
        let (Op::ExecutionMode, [Operand::IdRef(id), Operand::ExecutionMode(mode), rest @ ..]) =
            (inst.class.opcode, inst.operands.as_slice())
        else {
            return Err("an execution mode is damaged".to_owned());
        };
        let value = match rest {
            [] => None,
            [Operand::LiteralBit32(v)] => Some(*v),
            _ => return Err(format!("{mode:?} is damaged")),
        };
        let right = match (stage, mode) {
            (
                ShaderStage::Fragment,
                M::OriginUpperLeft
                | M::OriginLowerLeft
                | M::PixelCenterInteger
                | M::EarlyFragmentTests
                | M::DepthReplacing
                | M::DepthGreater
                | M::DepthLess
                | M::DepthUnchanged,
            ) => value.is_none(),
            (ShaderStage::Geometry, M::Invocations) => value.is_some_and(|v| (1..=32).contains(&v)),
            (ShaderStage::Geometry, M::OutputVertices) => {
                value.is_some_and(|v| (1..=1024).contains(&v))
            }
            (
                ShaderStage::Geometry,
                M::InputPoints
                | M::InputLines
                | M::InputLinesAdjacency
                | M::Triangles
                | M::InputTrianglesAdjacency
                | M::OutputPoints
                | M::OutputLineStrip
                | M::OutputTriangleStrip,
            ) => value.is_none(),
            (ShaderStage::TessControl, M::OutputVertices) => {
                value.is_some_and(|v| (1..=32).contains(&v))
            }
            (
                ShaderStage::TessControl | ShaderStage::TessEval,
                M::Triangles
                | M::Quads
                | M::Isolines
                | M::SpacingEqual
                | M::SpacingFractionalEven
                | M::SpacingFractionalOdd
                | M::VertexOrderCw
                | M::VertexOrderCcw
                | M::PointMode,
            ) => value.is_none(),
            _ => false,
        };
        if !right || *id != main {
            return Err(format!("{mode:?} does not belong to this stage"));
        }
        seen.push(*mode);
    }
    let one_of = |list: &[M]| list.iter().filter(|m| seen.contains(m)).count() == 1;
    let whole = match stage {
        ShaderStage::Geometry => {
            one_of(&[
                M::InputPoints,
                M::InputLines,
                M::InputLinesAdjacency,
                M::Triangles,
                M::InputTrianglesAdjacency,
            ]) && one_of(&[M::OutputPoints, M::OutputLineStrip, M::OutputTriangleStrip])
                && one_of(&[M::OutputVertices])
        }
        ShaderStage::TessControl => one_of(&[M::OutputVertices]),
        ShaderStage::TessEval => one_of(&[M::Triangles, M::Quads, M::Isolines]),
        _ => true,
    };
    if whole {
        Ok(())
    } else {
        Err("an execution mode is missing".to_owned())
    }
}
