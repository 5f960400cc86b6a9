//! Vertex-processing stages: the built-in inputs that Vulkan counts otherwise, and the outputs of the
//! last of them, which the fixed functions behind it read.

use super::builtins::{Code, Place, Pushed, find, input, push_block, pushed, replace_input};
use super::{ShaderFeatures, SpirvError, VariantKey, capture};
use crate::spv::{Spv, edit};
use mgl_core::program::{Reflection, ShaderStage};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{BuiltIn, Capability, Decoration, Op, StorageClass};

/// Inputs of the vertex stage: `gl_InstanceID` counts from 0 whatever the base instance is,
/// `gl_BaseVertex` is 0 without indices, and the numbers of the draw are pushed where the device or
/// the draw does not give them.
pub(super) fn inputs(spv: &mut Spv, features: &ShaderFeatures, key: &VariantKey) {
    let native = features.draw_parameters;
    if find(spv, StorageClass::Input, BuiltIn::InstanceIndex).is_some() {
        if native {
            edit::add_capability(spv, Capability::DrawParameters);
            let int = spv.type_int();
            let base = input(spv, BuiltIn::BaseInstance, int);
            replace_input(spv, BuiltIn::InstanceIndex, |code, ty, index| {
                let base = code.load(int, base);
                code.binary(Op::ISub, ty, index, base)
            });
        } else {
            let block = push_block(spv);
            replace_input(spv, BuiltIn::InstanceIndex, |code, ty, index| {
                let base = pushed(code, block, Pushed::BaseInstance);
                code.binary(Op::ISub, ty, index, base)
            });
        }
    }
    if key.zero_base_vertex && native {
        set_to(spv, BuiltIn::BaseVertex, None);
    }
    if key.push_draw_id || !native {
        set_to(spv, BuiltIn::DrawIndex, Some(Pushed::DrawId));
    }
    if !native {
        set_to(spv, BuiltIn::BaseVertex, Some(Pushed::BaseVertex));
        set_to(spv, BuiltIn::BaseInstance, Some(Pushed::BaseInstance));
        edit::remove_capability(spv, Capability::DrawParameters);
    }
}

/// Replaces a built-in integer input by a pushed value, or by zero, and removes it.
fn set_to(spv: &mut Spv, builtin: BuiltIn, what: Option<Pushed>) {
    let Some(place) = find(spv, StorageClass::Input, builtin) else {
        return;
    };
    let block = what.map(|_| push_block(spv));
    let copy = spv.add_variable(StorageClass::Private, place.ty);
    edit::retarget(spv, place.variable, copy, StorageClass::Private);
    let mut code = Code::new(spv);
    let value = match (block, what) {
        (Some(block), Some(what)) => {
            let value = pushed(&mut code, block, what);
            let int = code.spv.type_int();
            if int == place.ty {
                value
            } else {
                code.emit(Op::Bitcast, place.ty, vec![Operand::IdRef(value)])
            }
        }
        _ => code.spv.constant_bits(place.ty, 0),
    };
    code.store(copy, value);
    let out = code.out;
    edit::insert_at_start(spv, out);
    spv.remove_variables(&[place.variable]);
}

/// What is done where a vertex is complete.
#[derive(Default)]
struct Ending {
    /// `gl_Position`, whose z is rewritten.
    depth: Option<Place>,
    /// `gl_PointSize` and the block that its value comes from.
    size: Option<(Place, u32)>,
    /// `gl_ClipDistance`, and the elements that must not clip.
    clip: Option<(Place, Vec<u32>)>,
    captures: Vec<capture::Copy>,
}

/// Outputs of the last vertex-processing stage.
pub(super) fn outputs(
    spv: &mut Spv,
    stage: ShaderStage,
    reflection: &Reflection,
    features: &ShaderFeatures,
    key: &VariantKey,
) -> Result<(), SpirvError> {
    let mut ending = Ending::default();
    if key.capture
        && let Some(xfb) = &reflection.xfb
    {
        if !features.capture {
            return Err(SpirvError::Unsupported {
                stage: stage.name(),
                feature: "transform feedback".to_owned(),
            });
        }
        ending.captures = capture::decorate(spv, stage, xfb)?;
    }
    if key.rewrite_depth {
        ending.depth = find(spv, StorageClass::Output, BuiltIn::Position);
    }
    if key.push_point_size {
        let place = point_size(spv, stage);
        ending.size = Some((place, push_block(spv)));
    }
    if key.disabled_clip_distances != 0
        && let Some(place) = find(spv, StorageClass::Output, BuiltIn::ClipDistance)
    {
        let length = spv.strip_array(place.ty).1.unwrap_or(0);
        let elements = (0..length.min(8))
            .filter(|n| key.disabled_clip_distances >> n & 1 != 0)
            .collect();
        ending.clip = Some((place, elements));
    }
    if stage == ShaderStage::Geometry {
        emitted_vertices(spv, &ending);
    } else {
        edit::insert_before(spv, Op::Return, false, |spv| {
            let mut code = Code::new(spv);
            finish(&mut code, &ending);
            code.out
        });
    }
    Ok(())
}

/// The output `gl_PointSize`, made where it is missing.
fn point_size(spv: &mut Spv, stage: ShaderStage) -> Place {
    match stage {
        ShaderStage::Geometry => edit::add_capability(spv, Capability::GeometryPointSize),
        ShaderStage::TessEval => edit::add_capability(spv, Capability::TessellationPointSize),
        _ => {}
    }
    if let Some(place) = find(spv, StorageClass::Output, BuiltIn::PointSize) {
        return place;
    }
    let ty = spv.type_float();
    let variable = spv.add_variable(StorageClass::Output, ty);
    spv.decorate(variable, Decoration::BuiltIn, BuiltIn::PointSize as u32);
    Place {
        variable,
        member: None,
        ty,
    }
}

/// Writes what a complete vertex lacks. Captures come first: they take the values that the shader
/// wrote. Gives the position as it was, where it was rewritten.
fn finish(code: &mut Code<'_>, ending: &Ending) -> Option<u32> {
    for copy in &ending.captures {
        copy.write(code);
    }
    if let Some((place, block)) = &ending.size {
        let value = pushed(code, *block, Pushed::PointSize);
        let pointer = code.chain(
            StorageClass::Output,
            place.variable,
            place.ty,
            &place.path(&[]),
        );
        code.store(pointer, value);
    }
    if let Some((place, elements)) = &ending.clip {
        let (float, inside) = (code.spv.type_float(), code.float(1.0));
        for n in elements {
            let path = place.path(&[*n]);
            let pointer = code.chain(StorageClass::Output, place.variable, float, &path);
            code.store(pointer, inside);
        }
    }
    ending.depth.map(|place| {
        let float = code.spv.type_float();
        let pointer = code.chain(
            StorageClass::Output,
            place.variable,
            place.ty,
            &place.path(&[]),
        );
        let position = code.load(place.ty, pointer);
        let z = code.extract(float, position, 2);
        let w = code.extract(float, position, 3);
        let sum = code.binary(Op::FAdd, float, z, w);
        let half = code.float(0.5);
        let depth = code.binary(Op::FMul, float, sum, half);
        let moved = code.insert(place.ty, depth, position, 2);
        code.store(pointer, moved);
        position
    })
}

/// Finishes each vertex that a geometry shader emits. Its position is put back afterwards, because
/// many shaders go on with what they wrote before.
fn emitted_vertices(spv: &mut Spv, ending: &Ending) {
    let mut functions = std::mem::take(&mut spv.module.functions);
    for block in functions.iter_mut().flat_map(|f| &mut f.blocks) {
        let old: Vec<Instruction> = std::mem::take(&mut block.instructions);
        for inst in old {
            if !matches!(inst.class.opcode, Op::EmitVertex | Op::EmitStreamVertex) {
                block.instructions.push(inst);
                continue;
            }
            let mut code = Code::new(spv);
            let position = finish(&mut code, ending);
            code.out.push(inst);
            if let (Some(value), Some(place)) = (position, ending.depth) {
                let pointer = code.chain(
                    StorageClass::Output,
                    place.variable,
                    place.ty,
                    &place.path(&[]),
                );
                code.store(pointer, value);
            }
            let out = code.out;
            block.instructions.extend(out);
        }
    }
    spv.module.functions = functions;
}
