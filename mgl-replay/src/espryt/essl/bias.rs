//! The LOD bias of textures and samplers, which ESSL knows only as an argument: every look-up of a fragment shader adds
//! a uniform of its sampler slot. The uniform is a pair: the bias, and two to the power of it, by which gradients grow.

use crate::spv::Spv;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Decoration, ImageOperands, Op, StorageClass};
use std::collections::HashMap;

/// Location of slot 0's pair; slot n has this plus n.
pub const FIRST_BIAS_LOCATION: u32 = 8;

/// Operands before the image operands, for look-ups that choose a level.
fn operands_before(op: Op) -> Option<usize> {
    match op {
        Op::ImageSampleImplicitLod
        | Op::ImageSampleExplicitLod
        | Op::ImageSampleProjImplicitLod
        | Op::ImageSampleProjExplicitLod => Some(2),
        Op::ImageSampleDrefImplicitLod
        | Op::ImageSampleDrefExplicitLod
        | Op::ImageSampleProjDrefImplicitLod
        | Op::ImageSampleProjDrefExplicitLod => Some(3),
        _ => None,
    }
}

/// Adds the biases. False when a look-up's sampler cannot be traced to a slot, or ESSL has no biased form of it.
pub fn add(spv: &mut Spv) -> bool {
    let float = spv.type_float();
    let pair = spv.type_vector(float, 2);
    let mut slots: HashMap<u32, u32> = HashMap::new();
    for v in spv.variables() {
        if v.class == StorageClass::UniformConstant
            && let Some(slot) = spv.decoration(v.id, Decoration::Binding)
        {
            slots.insert(v.id, slot);
        }
    }
    let mut uniforms: HashMap<u32, u32> = HashMap::new();
    let mut whole = true;
    let mut functions = std::mem::take(&mut spv.module.functions);
    for function in &mut functions {
        // What pointers and loaded samplers lead to.
        let mut known = slots.clone();
        for block in &mut function.blocks {
            let old = std::mem::take(&mut block.instructions);
            let mut out = Vec::with_capacity(old.len() + 8);
            for mut inst in old {
                let op = inst.class.opcode;
                let first = match inst.operands.first() {
                    Some(Operand::IdRef(id)) => known.get(id).copied(),
                    _ => None,
                };
                if let (Op::AccessChain | Op::InBoundsAccessChain, Some(base)) = (op, first) {
                    // An element that is chosen while the shader runs takes the first one's bias.
                    let element = match inst.operands.get(1) {
                        Some(Operand::IdRef(id)) => spv.constant(*id).unwrap_or(0),
                        _ => 0,
                    };
                    known.extend(inst.result_id.map(|id| (id, base + element)));
                } else if let (Op::Load | Op::CopyObject, Some(slot)) = (op, first) {
                    known.extend(inst.result_id.map(|id| (id, slot)));
                } else if let Some(at) = operands_before(op) {
                    match first {
                        Some(slot) => {
                            let uniform = *uniforms.entry(slot).or_insert_with(|| {
                                let id = spv.add_variable(StorageClass::UniformConstant, pair);
                                let location = FIRST_BIAS_LOCATION + slot;
                                spv.decorate(id, Decoration::Location, location);
                                spv.rename(id, &format!("mgl_bias{slot}"));
                                id
                            });
                            let mut rewriter = Rewriter {
                                spv,
                                out: &mut out,
                                float,
                                pair,
                                uniform,
                            };
                            rewriter.look_up(&mut inst, at);
                        }
                        None => whole = false,
                    }
                }
                out.push(inst);
            }
            block.instructions = out;
        }
    }
    spv.module.functions = functions;
    whole
}

struct Rewriter<'s> {
    spv: &'s mut Spv,
    out: &'s mut Vec<Instruction>,
    float: u32,
    pair: u32,
    uniform: u32,
}

impl Rewriter<'_> {
    fn emit(&mut self, op: Op, ty: u32, operands: Vec<Operand>) -> u32 {
        let id = self.spv.new_id();
        self.out
            .push(Instruction::new(op, Some(ty), Some(id), operands));
        id
    }

    /// One half of the slot's pair.
    fn half(&mut self, at: u32) -> u32 {
        let value = self.emit(Op::Load, self.pair, vec![Operand::IdRef(self.uniform)]);
        let part = vec![Operand::IdRef(value), Operand::LiteralBit32(at)];
        self.emit(Op::CompositeExtract, self.float, part)
    }

    fn add_to(&mut self, operand: &mut Operand) {
        let bias = self.half(0);
        if let Operand::IdRef(id) = *operand {
            let sum = vec![Operand::IdRef(id), Operand::IdRef(bias)];
            *operand = Operand::IdRef(self.emit(Op::FAdd, self.float, sum));
        }
    }

    /// Makes one gradient longer.
    fn grow(&mut self, operand: &mut Operand) {
        let Operand::IdRef(id) = *operand else { return };
        let scale = self.half(1);
        let made = self.out.iter().rev().find(|i| i.result_id == Some(id));
        let ty = match made {
            Some(inst) => inst.result_type,
            None => self.spv.def(id).and_then(|inst| inst.result_type),
        };
        let Some(ty) = ty else { return };
        let op = if ty == self.float {
            Op::FMul
        } else {
            Op::VectorTimesScalar
        };
        let product = vec![Operand::IdRef(id), Operand::IdRef(scale)];
        *operand = Operand::IdRef(self.emit(op, ty, product));
    }

    fn look_up(&mut self, inst: &mut Instruction, at: usize) {
        if inst.operands.len() <= at {
            let bias = self.half(0);
            inst.operands
                .push(Operand::ImageOperands(ImageOperands::BIAS));
            inst.operands.push(Operand::IdRef(bias));
            return;
        }
        let Operand::ImageOperands(mask) = inst.operands[at] else {
            return;
        };
        // Arguments follow the mask in the order of its bits; bias, level and gradients come first.
        if mask.intersects(ImageOperands::BIAS | ImageOperands::LOD) {
            let mut operand = inst.operands[at + 1].clone();
            self.add_to(&mut operand);
            inst.operands[at + 1] = operand;
        } else if mask.contains(ImageOperands::GRAD) {
            for i in [at + 1, at + 2] {
                let mut operand = inst.operands[i].clone();
                self.grow(&mut operand);
                inst.operands[i] = operand;
            }
        } else {
            let bias = self.half(0);
            inst.operands[at] = Operand::ImageOperands(mask | ImageOperands::BIAS);
            inst.operands.insert(at + 1, Operand::IdRef(bias));
        }
    }
}
