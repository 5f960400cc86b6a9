//! Textures that APIs below lack. One-dimensional textures become two-dimensional ones of height one,
//! looked up in the middle of their row. Rectangle textures become two-dimensional ones whose
//! coordinates are divided by the texture's size at each look-up, because only normalised ones are
//! left; texel fetches keep theirs.

use super::Spv;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Capability, Dim, ImageOperands, Op};
use std::collections::HashMap;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Lowered {
    OneD { arrayed: bool },
    Rect,
}

/// Rewrites rectangle types, one-dimensional ones where `one_d` says so, and every instruction on
/// them.
pub fn lower(spv: &mut Spv, one_d: bool) {
    let kinds = lower_types(spv, one_d);
    if kinds.is_empty() {
        return;
    }
    spv.module
        .capabilities
        .retain(|inst| match inst.operands.first() {
            Some(Operand::Capability(Capability::SampledRect | Capability::ImageQuery)) => false,
            Some(Operand::Capability(Capability::Sampled1D)) => !one_d,
            _ => true,
        });
    let query = vec![Operand::Capability(Capability::ImageQuery)];
    spv.module
        .capabilities
        .push(Instruction::new(Op::Capability, None, None, query));

    let mut functions = std::mem::take(&mut spv.module.functions);
    for function in &mut functions {
        // Values of the lowered types, by id.
        let mut values: HashMap<u32, (Lowered, u32)> = HashMap::new();
        for block in &mut function.blocks {
            let old = std::mem::take(&mut block.instructions);
            let mut out = Vec::with_capacity(old.len() + 8);
            for inst in old {
                if let (Some(ty), Some(id)) = (inst.result_type, inst.result_id)
                    && let Some(kind) = kinds.get(&ty)
                {
                    values.insert(id, (*kind, ty));
                }
                let image = match inst.operands.first() {
                    Some(Operand::IdRef(id)) => values.get(id).map(|(kind, ty)| (*id, *kind, *ty)),
                    _ => None,
                };
                match image {
                    Some((id, kind, ty)) => {
                        Rewriter { spv, out: &mut out }.image(inst, id, kind, ty)
                    }
                    None => out.push(inst),
                }
            }
            block.instructions = out;
        }
    }
    spv.module.functions = functions;
}

/// Changes the types and gives what each image or sampled image type was.
fn lower_types(spv: &mut Spv, one_d: bool) -> HashMap<u32, Lowered> {
    let mut kinds = HashMap::new();
    for inst in &mut spv.module.types_global_values {
        let Some(id) = inst.result_id else { continue };
        match (inst.class.opcode, inst.operands.as_mut_slice()) {
            (Op::TypeImage, [_, dim, _, arrayed, ..]) => {
                let kind = match dim {
                    Operand::Dim(Dim::Dim1D) if one_d => Lowered::OneD {
                        arrayed: *arrayed == Operand::LiteralBit32(1),
                    },
                    Operand::Dim(Dim::DimRect) => Lowered::Rect,
                    _ => continue,
                };
                *dim = Operand::Dim(Dim::Dim2D);
                kinds.insert(id, kind);
            }
            (Op::TypeSampledImage, [Operand::IdRef(image)]) => {
                if let Some(kind) = kinds.get(image).copied() {
                    kinds.insert(id, kind);
                }
            }
            _ => {}
        }
    }
    kinds
}

struct Rewriter<'s, 'o> {
    spv: &'s mut Spv,
    out: &'o mut Vec<Instruction>,
}

impl Rewriter<'_, '_> {
    fn emit(&mut self, op: Op, ty: u32, operands: Vec<Operand>) -> u32 {
        let id = self.spv.new_id();
        self.out
            .push(Instruction::new(op, Some(ty), Some(id), operands));
        id
    }

    /// Component type and number of components of a value made in this block.
    fn type_of(&self, id: u32) -> Option<u32> {
        if let Some(inst) = self.out.iter().rev().find(|i| i.result_id == Some(id)) {
            return inst.result_type;
        }
        self.spv.def(id).and_then(|inst| inst.result_type)
    }

    /// Number of components, 1 for a scalar.
    fn width(&self, id: u32) -> u32 {
        let Some(inst) = self.type_of(id).and_then(|ty| self.spv.def(ty)) else {
            return 1;
        };
        match (inst.class.opcode, inst.operands.get(1)) {
            (Op::TypeVector, Some(Operand::LiteralBit32(n))) => *n,
            _ => 1,
        }
    }

    fn component(&mut self, value: u32, at: u32, scalar: u32) -> u32 {
        if self.width(value) == 1 {
            return value;
        }
        let operands = vec![Operand::IdRef(value), Operand::LiteralBit32(at)];
        self.emit(Op::CompositeExtract, scalar, operands)
    }

    fn vector(&mut self, scalar: u32, parts: &[u32]) -> u32 {
        let ty = self.spv.type_vector(scalar, parts.len() as u32);
        let operands = parts.iter().map(|id| Operand::IdRef(*id)).collect();
        self.emit(Op::CompositeConstruct, ty, operands)
    }

    /// Rewrites one instruction whose first operand is a lowered image.
    fn image(&mut self, mut inst: Instruction, image: u32, kind: Lowered, ty: u32) {
        let opcode = inst.class.opcode;
        let is_proj = matches!(
            opcode,
            Op::ImageSampleProjImplicitLod
                | Op::ImageSampleProjExplicitLod
                | Op::ImageSampleProjDrefImplicitLod
                | Op::ImageSampleProjDrefExplicitLod
        );
        let before_operands = match opcode {
            Op::ImageSampleImplicitLod
            | Op::ImageSampleExplicitLod
            | Op::ImageSampleProjImplicitLod
            | Op::ImageSampleProjExplicitLod
            | Op::ImageQueryLod
            | Op::ImageFetch => 2,
            Op::ImageSampleDrefImplicitLod
            | Op::ImageSampleDrefExplicitLod
            | Op::ImageSampleProjDrefImplicitLod
            | Op::ImageSampleProjDrefExplicitLod
            | Op::ImageGather
            | Op::ImageDrefGather => 3,
            Op::ImageQuerySize | Op::ImageQuerySizeLod => {
                self.query_size(inst, kind);
                return;
            }
            _ => {
                self.out.push(inst);
                return;
            }
        };
        let Some(Operand::IdRef(coordinate)) = inst.operands.get(1).cloned() else {
            self.out.push(inst);
            return;
        };
        let scale = match kind {
            Lowered::Rect if opcode != Op::ImageFetch => Some(self.rect_size(image, ty)),
            _ => None,
        };
        let coordinate = match kind {
            Lowered::OneD { arrayed } if opcode == Op::ImageFetch => {
                self.fetch_coordinate(coordinate, arrayed)
            }
            Lowered::OneD { arrayed } => self.row_coordinate(coordinate, arrayed, is_proj),
            Lowered::Rect => match scale {
                Some(size) => self.rect_coordinate(coordinate, size, is_proj),
                None => coordinate,
            },
        };
        inst.operands[1] = Operand::IdRef(coordinate);
        self.image_operands(&mut inst, before_operands, kind, scale);
        self.out.push(inst);
    }

    /// (x [, layer] [, q]) to (x, middle of the row [, layer] [, q]).
    fn row_coordinate(&mut self, coordinate: u32, arrayed: bool, is_proj: bool) -> u32 {
        let float = self.spv.type_float();
        let half = self.spv.constant_bits(float, 0.5f32.to_bits());
        let x = self.component(coordinate, 0, float);
        if is_proj {
            let q = self.component(coordinate, 1, float);
            let operands = vec![Operand::IdRef(q), Operand::IdRef(half)];
            let y = self.emit(Op::FMul, float, operands);
            return self.vector(float, &[x, y, q]);
        }
        if arrayed {
            let layer = self.component(coordinate, 1, float);
            return self.vector(float, &[x, half, layer]);
        }
        self.vector(float, &[x, half])
    }

    fn fetch_coordinate(&mut self, coordinate: u32, arrayed: bool) -> u32 {
        let int = self.spv.type_int();
        let zero = self.spv.constant_bits(int, 0);
        let x = self.component(coordinate, 0, int);
        if arrayed {
            let layer = self.component(coordinate, 1, int);
            return self.vector(int, &[x, zero, layer]);
        }
        self.vector(int, &[x, zero])
    }

    /// The texture's size as two floats.
    fn rect_size(&mut self, image: u32, ty: u32) -> u32 {
        let plain = match self
            .spv
            .def(ty)
            .map(|i| (i.class.opcode, i.operands.clone()))
        {
            Some((Op::TypeSampledImage, operands)) => match operands.first() {
                Some(Operand::IdRef(plain)) => {
                    let plain = *plain;
                    self.emit(Op::Image, plain, vec![Operand::IdRef(image)])
                }
                _ => image,
            },
            _ => image,
        };
        let int = self.spv.type_int();
        let float = self.spv.type_float();
        let zero = self.spv.constant_bits(int, 0);
        let ivec2 = self.spv.type_vector(int, 2);
        let vec2 = self.spv.type_vector(float, 2);
        let operands = vec![Operand::IdRef(plain), Operand::IdRef(zero)];
        let size = self.emit(Op::ImageQuerySizeLod, ivec2, operands);
        self.emit(Op::ConvertSToF, vec2, vec![Operand::IdRef(size)])
    }

    fn rect_coordinate(&mut self, coordinate: u32, size: u32, is_proj: bool) -> u32 {
        let float = self.spv.type_float();
        let vec2 = self.spv.type_vector(float, 2);
        let xy = if self.width(coordinate) == 2 {
            coordinate
        } else {
            let x = self.component(coordinate, 0, float);
            let y = self.component(coordinate, 1, float);
            self.vector(float, &[x, y])
        };
        let operands = vec![Operand::IdRef(xy), Operand::IdRef(size)];
        let scaled = self.emit(Op::FDiv, vec2, operands);
        if !is_proj {
            return scaled;
        }
        let q = self.component(coordinate, 2, float);
        let x = self.component(scaled, 0, float);
        let y = self.component(scaled, 1, float);
        self.vector(float, &[x, y, q])
    }

    /// Brings gradients and offsets to two dimensions, and gives fetches their level.
    fn image_operands(
        &mut self,
        inst: &mut Instruction,
        at: usize,
        kind: Lowered,
        scale: Option<u32>,
    ) {
        let int = self.spv.type_int();
        let float = self.spv.type_float();
        let is_fetch = inst.class.opcode == Op::ImageFetch;
        let mask = match inst.operands.get(at) {
            Some(Operand::ImageOperands(mask)) => *mask,
            _ => ImageOperands::NONE,
        };
        let mut next = at + 1;
        // The identifiers follow in the order of the mask's bits.
        for (bit, count) in [
            (ImageOperands::BIAS, 1),
            (ImageOperands::LOD, 1),
            (ImageOperands::GRAD, 2),
            (ImageOperands::CONST_OFFSET, 1),
            (ImageOperands::OFFSET, 1),
        ] {
            if !mask.contains(bit) {
                continue;
            }
            for n in 0..count {
                let Some(Operand::IdRef(value)) = inst.operands.get(next + n).cloned() else {
                    continue;
                };
                let lowered = match kind {
                    Lowered::OneD { .. } if bit == ImageOperands::GRAD => {
                        let zero = self.spv.constant_bits(float, 0);
                        self.vector(float, &[value, zero])
                    }
                    Lowered::OneD { .. } if bit == ImageOperands::CONST_OFFSET => {
                        let zero = self.spv.constant_bits(int, 0);
                        let ty = self.spv.type_vector(int, 2);
                        let parts = vec![Operand::IdRef(value), Operand::IdRef(zero)];
                        self.spv.global(Op::ConstantComposite, Some(ty), parts)
                    }
                    Lowered::OneD { .. } if bit == ImageOperands::OFFSET => {
                        let zero = self.spv.constant_bits(int, 0);
                        self.vector(int, &[value, zero])
                    }
                    Lowered::Rect if bit == ImageOperands::GRAD => match scale {
                        Some(size) => {
                            let vec2 = self.spv.type_vector(float, 2);
                            let operands = vec![Operand::IdRef(value), Operand::IdRef(size)];
                            self.emit(Op::FDiv, vec2, operands)
                        }
                        None => value,
                    },
                    _ => value,
                };
                inst.operands[next + n] = Operand::IdRef(lowered);
            }
            next += count;
        }
        if is_fetch && !mask.contains(ImageOperands::LOD) {
            let zero = self.spv.constant_bits(int, 0);
            let bias = usize::from(mask.contains(ImageOperands::BIAS));
            if inst.operands.len() <= at {
                inst.operands
                    .push(Operand::ImageOperands(ImageOperands::LOD));
            } else {
                inst.operands[at] = Operand::ImageOperands(mask | ImageOperands::LOD);
            }
            inst.operands.insert(at + 1 + bias, Operand::IdRef(zero));
        }
    }

    fn query_size(&mut self, mut inst: Instruction, kind: Lowered) {
        let int = self.spv.type_int();
        if inst.class.opcode == Op::ImageQuerySize {
            let zero = self.spv.constant_bits(int, 0);
            inst.operands.push(Operand::IdRef(zero));
        }
        let (ty, id) = (inst.result_type, inst.result_id);
        let operands = inst.operands;
        match kind {
            Lowered::Rect => {
                self.out
                    .push(Instruction::new(Op::ImageQuerySizeLod, ty, id, operands));
            }
            Lowered::OneD { arrayed } => {
                let count = if arrayed { 3 } else { 2 };
                let wide = self.spv.type_vector(int, count);
                let size = self.emit(Op::ImageQuerySizeLod, wide, operands);
                let size = Operand::IdRef(size);
                if arrayed {
                    let parts = vec![
                        size.clone(),
                        size,
                        Operand::LiteralBit32(0),
                        Operand::LiteralBit32(2),
                    ];
                    self.out
                        .push(Instruction::new(Op::VectorShuffle, ty, id, parts));
                } else {
                    let parts = vec![size, Operand::LiteralBit32(0)];
                    self.out
                        .push(Instruction::new(Op::CompositeExtract, ty, id, parts));
                }
            }
        }
    }
}
