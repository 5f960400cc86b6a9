//! Instructions on images.

use super::code::Scope;
use super::types::{ImageTy, Kind, Ty};
use mgl_core::program::ShaderStage;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Dim, ImageOperands, Op};

/// Whether an instruction on an image has operands that it can have; `None` where something is missing.
pub(super) fn instruction(s: &Scope<'_>, inst: &Instruction, result: u32) -> Option<bool> {
    let types = s.types;
    let ty = s.ty(inst, 0)?;
    let sampled = matches!(types.get(ty)?, Ty::Sampled(_));
    let image = types.image_of(ty)?;
    let count = inst.operands.len();
    let own = types.shape(result);
    match inst.class.opcode {
        Op::Image => Some(count == 1 && *types.get(ty)? == Ty::Sampled(result)),
        Op::ImageQuerySizeLod | Op::ImageQuerySize => {
            let levels = inst.class.opcode == Op::ImageQuerySizeLod;
            let dimensions = match image.dim {
                Dim::DimCube => 2,
                _ => image.dimensions(),
            };
            let has_levels =
                !image.multisampled && !matches!(image.dim, Dim::DimBuffer | Dim::DimRect);
            let level = !levels || types.shape(s.ty(inst, 1)?)? == (Kind::Int, 1);
            Some(
                !sampled
                    && level
                    && count == 1 + usize::from(levels)
                    && levels == has_levels
                    && own? == (Kind::Int, dimensions + u32::from(image.arrayed)),
            )
        }
        Op::ImageQueryLevels | Op::ImageQuerySamples => {
            let samples = inst.class.opcode == Op::ImageQuerySamples;
            Some(
                !sampled
                    && count == 1
                    && own? == (Kind::Int, 1)
                    && samples == image.multisampled
                    && !matches!(image.dim, Dim::DimBuffer | Dim::DimRect),
            )
        }
        Op::ImageQueryLod => {
            let coordinate = types.shape(s.ty(inst, 1)?)?;
            Some(
                sampled
                    && count == 2
                    && s.stage == ShaderStage::Fragment
                    && own? == (Kind::Float, 2)
                    && coordinate.0 == Kind::Float
                    && coordinate.1 >= image.dimensions()
                    && !image.multisampled
                    && !matches!(image.dim, Dim::DimBuffer | Dim::DimRect),
            )
        }
        _ => look_up(s, inst, result, image, sampled),
    }
}

fn look_up(
    s: &Scope<'_>,
    inst: &Instruction,
    result: u32,
    image: ImageTy,
    sampled: bool,
) -> Option<bool> {
    let types = s.types;
    let op = inst.class.opcode;
    let fetch = op == Op::ImageFetch;
    let gather = matches!(op, Op::ImageGather | Op::ImageDrefGather);
    let (dref, proj, explicit) = match op {
        Op::ImageSampleImplicitLod => (false, false, false),
        Op::ImageSampleExplicitLod => (false, false, true),
        Op::ImageSampleDrefImplicitLod => (true, false, false),
        Op::ImageSampleDrefExplicitLod => (true, false, true),
        Op::ImageSampleProjImplicitLod => (false, true, false),
        Op::ImageSampleProjExplicitLod => (false, true, true),
        Op::ImageSampleProjDrefImplicitLod => (true, true, false),
        Op::ImageSampleProjDrefExplicitLod => (true, true, true),
        Op::ImageFetch | Op::ImageGather => (false, false, true),
        Op::ImageDrefGather => (true, false, true),
        _ => return Some(false),
    };
    let coordinate = types.shape(s.ty(inst, 1)?)?;
    let kind = if fetch { Kind::Int } else { Kind::Float };
    let needed = image.coordinates() + u32::from(proj);
    let allowed = match image.dim {
        Dim::DimBuffer => fetch,
        Dim::DimCube => !fetch && !proj,
        _ => (fetch || !image.multisampled) && !(proj && image.arrayed),
    };
    let third = dref || gather;
    let component = types.shape(result)?;
    let reads = if dref && !gather {
        result == image.component && component == (Kind::Float, 1)
    } else {
        types.part(result, None)? == image.component && component.1 == 4
    };
    let reference = match op {
        Op::ImageGather => matches!(s.constant(inst, 2), Some(0..=3)),
        _ if dref => types.shape(s.ty(inst, 2)?)? == (Kind::Float, 1),
        _ => true,
    };
    let implicit_ok = explicit || s.stage == ShaderStage::Fragment || !sampled;
    let at = 2 + usize::from(third);
    let operands = operands(s, inst, at, image, fetch, gather, explicit)?;
    Some(
        sampled != fetch
            && coordinate.0 == kind
            && coordinate.1 >= needed
            && allowed
            && reads
            && reference
            && implicit_ok
            && operands,
    )
}

/// The optional operands, from `at` on.
fn operands(
    s: &Scope<'_>,
    inst: &Instruction,
    at: usize,
    image: ImageTy,
    fetch: bool,
    gather: bool,
    explicit: bool,
) -> Option<bool> {
    let types = s.types;
    let mask = match inst.operands.get(at) {
        None => ImageOperands::NONE,
        Some(Operand::ImageOperands(mask)) => *mask,
        Some(_) => return Some(false),
    };
    let mut next = at + 1;
    let shape = |n: usize| s.ty(inst, n).and_then(|t| types.shape(t));
    let mut right = true;
    let mut rest = mask;
    let one =
        |bit: ImageOperands, kind: Kind, n: u32, rest: &mut ImageOperands, next: &mut usize| {
            if !mask.contains(bit) {
                return true;
            }
            rest.remove(bit);
            *next += 1;
            shape(*next - 1) == Some((kind, n))
        };
    let level = if fetch { Kind::Int } else { Kind::Float };
    let n = image.dimensions();
    right &= one(ImageOperands::BIAS, Kind::Float, 1, &mut rest, &mut next);
    right &= one(ImageOperands::LOD, level, 1, &mut rest, &mut next);
    if mask.contains(ImageOperands::GRAD) {
        rest.remove(ImageOperands::GRAD);
        right &= shape(next) == Some((Kind::Float, n)) && shape(next + 1) == Some((Kind::Float, n));
        next += 2;
    }
    let offset = next;
    right &= one(
        ImageOperands::CONST_OFFSET,
        Kind::Int,
        n,
        &mut rest,
        &mut next,
    );
    if mask.contains(ImageOperands::CONST_OFFSET) {
        let constant = Scope::id(inst, offset).and_then(|id| s.spv.def(id));
        right &= constant.is_some_and(|c| c.class.opname.starts_with("Constant"));
    }
    right &= one(ImageOperands::OFFSET, Kind::Int, n, &mut rest, &mut next);
    if mask.contains(ImageOperands::CONST_OFFSETS) {
        rest.remove(ImageOperands::CONST_OFFSETS);
        let four = match s.ty(inst, next).and_then(|t| types.get(t)) {
            Some(Ty::Array(inner, 4)) => types.shape(*inner) == Some((Kind::Int, 2)),
            _ => false,
        };
        right &= gather && four;
        next += 1;
    }
    right &= one(ImageOperands::SAMPLE, Kind::Int, 1, &mut rest, &mut next);
    let has = |bit| mask.contains(bit);
    let how_many = [ImageOperands::BIAS, ImageOperands::LOD, ImageOperands::GRAD]
        .into_iter()
        .filter(|bit| has(*bit))
        .count();
    let levels = match (fetch, gather, explicit) {
        (true, ..) => how_many == usize::from(has(ImageOperands::LOD)),
        (_, true, _) => how_many == 0,
        (_, _, true) => how_many == 1 && !has(ImageOperands::BIAS),
        _ => how_many == usize::from(has(ImageOperands::BIAS)),
    };
    let samples = has(ImageOperands::SAMPLE) == (fetch && image.multisampled);
    let no_levels = image.multisampled || image.dim == Dim::DimBuffer;
    let cube_offset = image.dim == Dim::DimCube
        && (has(ImageOperands::OFFSET) || has(ImageOperands::CONST_OFFSET));
    Some(
        right
            && rest == ImageOperands::NONE
            && next.max(at + 1) == inst.operands.len().max(at + 1)
            && levels
            && samples
            && !(no_levels && how_many > 0)
            && !cube_offset,
    )
}
