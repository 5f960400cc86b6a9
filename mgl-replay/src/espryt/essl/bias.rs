//! The LOD bias of textures and samplers, which ESSL knows only as an argument: every look-up of a fragment shader adds
//! a uniform of its sampler slot. The uniform has three parts: the bias, two to the power of it, by which gradients grow,
//! and one where the faces of a cube map are filtered alone ([`super::seams`]).

use crate::spv::{Shape, Spv};
use rspirv::dr::{Function, Instruction, Operand};
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

/// Where the bias of a sampler comes from.
#[derive(Clone, Copy)]
enum Source {
    /// The uniform of a slot.
    Slot(u32),
    /// Values that the function is given with the sampler.
    Given(u32),
}

/// The parameters of a function that are samplers, and the uniforms' values that are handed over with them.
struct Taken {
    function: u32,
    samplers: Vec<usize>,
}

/// Adds the biases. A function that is given samplers is given their pairs too. A sampler that comes from nowhere, which
/// GLSL does not give, is looked up without.
pub fn add(spv: &mut Spv) {
    let float = spv.type_float();
    let pair = spv.type_vector(float, 3);
    let mut slots: HashMap<u32, Source> = HashMap::new();
    for v in spv.variables() {
        if v.class == StorageClass::UniformConstant
            && let Some(slot) = spv.decoration(v.id, Decoration::Binding)
        {
            slots.insert(v.id, Source::Slot(slot));
        }
    }
    let mut uniforms: HashMap<u32, u32> = HashMap::new();
    let mut functions = std::mem::take(&mut spv.module.functions);
    let mut given = slots;
    let taken = hand_pairs_over(spv, &mut functions, pair, &mut given);
    for function in &mut functions {
        // What pointers and loaded samplers lead to.
        let mut known = given.clone();
        for block in &mut function.blocks {
            let old = std::mem::take(&mut block.instructions);
            let mut out = Vec::with_capacity(old.len() + 8);
            for mut inst in old {
                let op = inst.class.opcode;
                let first = match inst.operands.first() {
                    Some(Operand::IdRef(id)) => known.get(id).copied(),
                    _ => None,
                };
                let mut rewriter = Rewriter {
                    spv,
                    out: &mut out,
                    uniforms: &mut uniforms,
                    float,
                    pair,
                };
                match (op, first) {
                    (Op::AccessChain | Op::InBoundsAccessChain, Some(Source::Slot(base))) => {
                        // An element that is chosen while the shader runs takes the first one's bias.
                        let element = match inst.operands.get(1) {
                            Some(Operand::IdRef(id)) => rewriter.spv.constant(*id).unwrap_or(0),
                            _ => 0,
                        };
                        let slot = Source::Slot(base.saturating_add(element));
                        known.extend(inst.result_id.map(|id| (id, slot)));
                    }
                    (
                        Op::AccessChain | Op::InBoundsAccessChain | Op::Load | Op::CopyObject,
                        Some(source),
                    ) => known.extend(inst.result_id.map(|id| (id, source))),
                    (Op::FunctionCall, _) => {
                        let callee = inst.operands.first().cloned();
                        let takes = taken
                            .iter()
                            .find(|t| callee == Some(Operand::IdRef(t.function)));
                        for at in takes.iter().flat_map(|t| &t.samplers) {
                            let source = match inst.operands.get(1 + at) {
                                Some(Operand::IdRef(id)) => known.get(id).copied(),
                                _ => None,
                            };
                            let value = rewriter.pair_of(source);
                            inst.operands.push(Operand::IdRef(value));
                        }
                    }
                    (op, Some(source)) => {
                        if let Some(at) = operands_before(op) {
                            let value = rewriter.pair_of(Some(source));
                            rewriter.keep_on_face(&mut inst, at, value);
                            rewriter.look_up(&mut inst, at, value);
                        }
                    }
                    _ => {}
                }
                out.push(inst);
            }
            block.instructions = out;
        }
    }
    spv.module.functions = functions;
}

/// Gives each function a pair for each of its samplers, behind its other parameters; notes where they come from.
fn hand_pairs_over(
    spv: &mut Spv,
    functions: &mut [Function],
    pair: u32,
    known: &mut HashMap<u32, Source>,
) -> Vec<Taken> {
    let mut all = Vec::new();
    for function in functions {
        let is_sampler = |p: &Instruction| {
            let Some(mut ty) = p.result_type.and_then(|ty| spv.pointee(ty)) else {
                return false;
            };
            while let Shape::Array(element, _) = spv.shape(ty) {
                ty = element;
            }
            matches!(spv.shape(ty), Shape::Basic(t) if t.sampler().is_some())
        };
        let samplers: Vec<usize> = (0..function.parameters.len())
            .filter(|at| is_sampler(&function.parameters[*at]))
            .collect();
        let Some(id) = function.def_id().filter(|_| !samplers.is_empty()) else {
            continue;
        };
        for at in &samplers {
            let new = spv.new_id();
            if let Some(sampler) = function.parameters[*at].result_id {
                known.insert(sampler, Source::Given(new));
            }
            function.parameters.push(Instruction::new(
                Op::FunctionParameter,
                Some(pair),
                Some(new),
                vec![],
            ));
        }
        let parameters = function.parameters.iter().filter_map(|p| p.result_type);
        if let Some(def) = &mut function.def {
            let returned = def.result_type;
            let types = returned.into_iter().chain(parameters);
            let operands = types.map(Operand::IdRef).collect();
            let ty = spv.global(Op::TypeFunction, None, operands);
            if let Some(place) = def.operands.get_mut(1) {
                *place = Operand::IdRef(ty);
            }
        }
        all.push(Taken {
            function: id,
            samplers,
        });
    }
    all
}

pub(super) struct Rewriter<'s> {
    pub(super) spv: &'s mut Spv,
    out: &'s mut Vec<Instruction>,
    uniforms: &'s mut HashMap<u32, u32>,
    pub(super) float: u32,
    pair: u32,
}

impl Rewriter<'_> {
    pub(super) fn emit(&mut self, op: Op, ty: u32, operands: Vec<Operand>) -> u32 {
        let id = self.spv.new_id();
        self.out
            .push(Instruction::new(op, Some(ty), Some(id), operands));
        id
    }

    /// A sampler's pair: that of no bias where it is not known.
    fn pair_of(&mut self, source: Option<Source>) -> u32 {
        let slot = match source {
            Some(Source::Given(value)) => return value,
            Some(Source::Slot(slot)) => slot,
            None => {
                let [none, one] = [0f32, 1.0].map(|v| {
                    let bits = v.to_bits();
                    self.spv.constant_bits(self.float, bits)
                });
                let parts = [none, one, none].map(Operand::IdRef).to_vec();
                return self.emit(Op::CompositeConstruct, self.pair, parts);
            }
        };
        let (spv, pair) = (&mut *self.spv, self.pair);
        let uniform = *self.uniforms.entry(slot).or_insert_with(|| {
            let id = spv.add_variable(StorageClass::UniformConstant, pair);
            let location = FIRST_BIAS_LOCATION.saturating_add(slot);
            spv.decorate(id, Decoration::Location, location);
            spv.rename(id, &format!("mgl_bias{slot}"));
            id
        });
        self.emit(Op::Load, self.pair, vec![Operand::IdRef(uniform)])
    }

    /// One part of a vector.
    pub(super) fn part(&mut self, pair: u32, at: u32) -> u32 {
        let part = vec![Operand::IdRef(pair), Operand::LiteralBit32(at)];
        self.emit(Op::CompositeExtract, self.float, part)
    }

    fn add_to(&mut self, operand: &mut Operand, pair: u32) {
        let bias = self.part(pair, 0);
        if let Operand::IdRef(id) = *operand {
            let sum = vec![Operand::IdRef(id), Operand::IdRef(bias)];
            *operand = Operand::IdRef(self.emit(Op::FAdd, self.float, sum));
        }
    }

    /// Makes one gradient longer.
    fn grow(&mut self, operand: &mut Operand, pair: u32) {
        let Operand::IdRef(id) = *operand else { return };
        let scale = self.part(pair, 1);
        let Some(ty) = self.type_of(id) else { return };
        let op = if ty == self.float {
            Op::FMul
        } else {
            Op::VectorTimesScalar
        };
        let product = vec![Operand::IdRef(id), Operand::IdRef(scale)];
        *operand = Operand::IdRef(self.emit(op, ty, product));
    }

    /// The type of a value of this block, or of a constant.
    pub(super) fn type_of(&self, id: u32) -> Option<u32> {
        let made = self.out.iter().rev().find(|i| i.result_id == Some(id));
        made.or_else(|| self.spv.def(id))?.result_type
    }

    fn look_up(&mut self, inst: &mut Instruction, at: usize, pair: u32) {
        if inst.operands.len() <= at {
            let bias = self.part(pair, 0);
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
            self.add_to(&mut operand, pair);
            inst.operands[at + 1] = operand;
        } else if mask.contains(ImageOperands::GRAD) {
            for i in [at + 1, at + 2] {
                let mut operand = inst.operands[i].clone();
                self.grow(&mut operand, pair);
                inst.operands[i] = operand;
            }
        } else {
            let bias = self.part(pair, 0);
            inst.operands[at] = Operand::ImageOperands(mask | ImageOperands::BIAS);
            inst.operands.insert(at + 1, Operand::IdRef(bias));
        }
    }
}
