//! Names in the generated text. They are made from locations and bindings, so that both sides of an
//! interface agree and none of them is a word that ESSL reserves.

use crate::spv::{Shape, Spv, Variable};
use mgl_core::program::{Reflection, ShaderStage, XfbSource};
use rspirv::spirv::{Decoration, StorageClass};
use std::hash::Hasher;

/// Renames everything that is visible outside a stage. Gives the names of the archive's captured
/// varyings when this is the stage that they leave.
pub fn assign(spv: &mut Spv, stage: ShaderStage, reflection: &Reflection) -> Vec<String> {
    for variable in spv.variables() {
        match variable.class {
            StorageClass::Uniform => name_block(spv, variable),
            StorageClass::UniformConstant => {
                let binding = spv
                    .decoration(variable.id, Decoration::Binding)
                    .unwrap_or(0);
                spv.rename(variable.id, &format!("mgl_t{binding}"));
            }
            StorageClass::Input | StorageClass::Output if !spv.is_builtin(variable) => {
                name_interface(spv, stage, variable);
            }
            _ => {}
        }
    }
    let last = reflection
        .stages
        .iter()
        .filter(|s| *s < ShaderStage::Fragment)
        .last();
    match &reflection.xfb {
        Some(xfb) if Some(stage) == last => xfb
            .varyings
            .iter()
            .map(|v| xfb_name(spv, v.source, v.size))
            .collect(),
        _ => Vec::new(),
    }
}

/// The letter before the location in a value's name: vertex inputs, fragment outputs, and the
/// boundary between two stages by the stage that writes.
fn interface_prefix(stage: ShaderStage, class: StorageClass) -> String {
    match (stage, class) {
        (ShaderStage::Vertex, StorageClass::Input) => "mgl_a".to_owned(),
        (ShaderStage::Fragment, StorageClass::Output) => "mgl_o".to_owned(),
        // One name for a value on both sides; a stage between two others reads `v` and writes `v`,
        // which must differ within it, so the writer's kind is part of the name of what a
        // geometry or tessellation stage writes.
        (ShaderStage::Vertex, _) => "mgl_v".to_owned(),
        (_, StorageClass::Output) => format!("mgl_{}", stage as u8),
        (_, _) => "mgl_v".to_owned(),
    }
}

fn name_interface(spv: &mut Spv, stage: ShaderStage, variable: Variable) {
    let location = spv
        .decoration(variable.id, Decoration::Location)
        .unwrap_or(0);
    let index = spv.decoration(variable.id, Decoration::Index).unwrap_or(0);
    let mut name = format!("{}{location}", interface_prefix(stage, variable.class));
    if index > 0 {
        name.push_str("_second");
    }
    spv.rename(variable.id, &name);
    let ty = spv.strip_array(variable.ty).0;
    if spv.decoration(ty, Decoration::Block).is_some() {
        spv.rename(ty, &format!("{name}_block"));
        name_members(spv, ty);
    }
}

fn name_block(spv: &mut Spv, variable: Variable) {
    let binding = spv
        .decoration(variable.id, Decoration::Binding)
        .unwrap_or(0);
    let ty = spv.strip_array(variable.ty).0;
    spv.rename(variable.id, &format!("mgl_u{binding}"));
    spv.rename(ty, &format!("mgl_U{binding}"));
    name_members(spv, ty);
}

/// Gives a laid-out struct's members names by position, and the structs inside it names by content,
/// so that two stages that declare it agree.
fn name_members(spv: &mut Spv, ty: u32) {
    let Shape::Struct(members) = spv.shape(ty) else {
        return;
    };
    for (at, member) in members.into_iter().enumerate() {
        spv.rename_member(ty, at as u32, &format!("m{at}"));
        let mut inner = member;
        while let Shape::Array(element, _) = spv.shape(inner) {
            inner = element;
        }
        if let Shape::Struct(_) = spv.shape(inner) {
            name_members(spv, inner);
            let mut hasher = xxhash_rust::xxh3::Xxh3::new();
            hash_layout(spv, inner, &mut hasher);
            spv.rename(inner, &format!("mgl_S{:016x}", hasher.finish()));
        }
    }
}

fn hash_layout(spv: &Spv, ty: u32, hasher: &mut impl Hasher) {
    match spv.shape(ty) {
        Shape::Basic(basic) => hasher.write_u32(basic.0),
        Shape::Array(element, length) => {
            hasher.write_u32(length);
            hasher.write_u32(spv.decoration(ty, Decoration::ArrayStride).unwrap_or(0));
            hash_layout(spv, element, hasher);
        }
        Shape::Struct(members) => {
            hasher.write_usize(members.len());
            for (at, member) in members.into_iter().enumerate() {
                let at = at as u32;
                for decoration in [Decoration::Offset, Decoration::MatrixStride] {
                    let value = spv.member_decoration(ty, at, decoration);
                    hasher.write_u32(value.unwrap_or(u32::MAX));
                }
                let row_major = spv.member_decoration(ty, at, Decoration::RowMajor);
                hasher.write_u8(u8::from(row_major.is_some()));
                hash_layout(spv, member, hasher);
            }
        }
        Shape::Other => hasher.write_u32(0),
    }
}

fn xfb_name(_spv: &Spv, _source: Option<XfbSource>, _size: u32) -> String {
    String::new()
}
