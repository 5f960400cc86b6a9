//! Names in the generated text. They are made from locations and bindings, so that both sides of an
//! interface agree and none of them is a word that ESSL reserves; everything else loses its name.

use crate::spv::{Shape, Spv, Variable};
use mgl_core::program::{Reflection, ShaderStage, TransformFeedback, XfbSource};
use rspirv::spirv::{BuiltIn, Decoration, StorageClass};
use std::hash::Hasher;

/// Renames everything that is visible outside a stage. Gives the names of the archive's captured
/// varyings when this is the stage that they leave.
pub fn assign(spv: &mut Spv, stage: ShaderStage, reflection: &Reflection) -> Vec<String> {
    spv.forget_names();
    let before = reflection.stages.iter().filter(|s| *s < stage).last();
    let mut outputs = Vec::new();
    for variable in spv.variables() {
        match variable.class {
            StorageClass::Uniform => name_block(spv, variable),
            StorageClass::UniformConstant => {
                let binding = spv
                    .decoration(variable.id, Decoration::Binding)
                    .unwrap_or(0);
                spv.rename(variable.id, &format!("mgl_t{binding}"));
            }
            StorageClass::Input if !spv.is_builtin(variable) => {
                name_interface(spv, before, stage == ShaderStage::Vertex, variable);
            }
            StorageClass::Output if !spv.is_builtin(variable) => {
                let location = spv
                    .decoration(variable.id, Decoration::Location)
                    .unwrap_or(0);
                let is_last = stage == ShaderStage::Fragment;
                let name = name_interface(spv, Some(stage), is_last, variable);
                outputs.push(Output {
                    location,
                    ty: variable.ty,
                    name,
                });
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
        Some(xfb) if Some(stage) == last => xfb_names(spv, xfb, &outputs),
        _ => Vec::new(),
    }
}

struct Output {
    location: u32,
    ty: u32,
    name: String,
}

/// Names a value by its location. Values between stages carry the letter of the stage that writes
/// them and lose the location, so that the driver matches them by name and packs them as it likes;
/// attributes and fragment outputs keep it.
fn name_interface(
    spv: &mut Spv,
    writer: Option<ShaderStage>,
    keeps_location: bool,
    variable: Variable,
) -> String {
    let location = spv
        .decoration(variable.id, Decoration::Location)
        .unwrap_or(0);
    let letter = match writer {
        None => 'a',
        Some(ShaderStage::Vertex) => 'v',
        Some(ShaderStage::TessControl) => 'c',
        Some(ShaderStage::TessEval) => 'e',
        Some(ShaderStage::Geometry) => 'g',
        Some(ShaderStage::Fragment | ShaderStage::Compute) => 'o',
    };
    let mut name = format!("mgl_{letter}{location}");
    if spv.decoration(variable.id, Decoration::Index).unwrap_or(0) > 0 {
        name.push_str("_second");
    }
    if !keeps_location {
        spv.undecorate(variable.id, Decoration::Location);
    }
    let ty = spv.strip_array(variable.ty).0;
    if spv.decoration(ty, Decoration::Block).is_some() {
        let block = format!("{name}_block");
        spv.rename(ty, &block);
        spv.rename(variable.id, &name);
        name_members(spv, ty);
        return block;
    }
    spv.rename(variable.id, &name);
    name_struct(spv, variable.ty);
    name
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

/// Gives a struct's members names by position, and the structs inside it names by content, so that
/// two stages that declare it agree.
fn name_members(spv: &mut Spv, ty: u32) {
    let Shape::Struct(members) = spv.shape(ty) else {
        return;
    };
    for (at, member) in members.into_iter().enumerate() {
        if spv.member_name(ty, at as u32).is_empty() {
            spv.rename_member(ty, at as u32, &format!("m{at}"));
        }
        name_struct(spv, member);
    }
}

/// Names the struct under a type's arrays, if there is one.
fn name_struct(spv: &mut Spv, ty: u32) {
    let mut inner = ty;
    while let Shape::Array(element, _) = spv.shape(inner) {
        inner = element;
    }
    if !matches!(spv.shape(inner), Shape::Struct(_)) || !spv.name(inner).is_empty() {
        return;
    }
    name_members(spv, inner);
    let mut hasher = xxhash_rust::xxh3::Xxh3::new();
    hash_layout(spv, inner, &mut hasher);
    spv.rename(inner, &format!("mgl_S{:016x}", hasher.finish()));
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

/// What each captured varying is called in the text.
fn xfb_names(spv: &Spv, xfb: &TransformFeedback, outputs: &[Output]) -> Vec<String> {
    let name = |source: Option<XfbSource>, size: u32| match source {
        // ESSL has no gaps: callers look for these and take another way.
        None => format!("gl_SkipComponents{size}"),
        Some(XfbSource::BuiltIn { builtin, element }) => match Spv::builtin(builtin) {
            Some(BuiltIn::Position) => "gl_Position".to_owned(),
            Some(BuiltIn::PointSize) => "gl_PointSize".to_owned(),
            Some(BuiltIn::ClipDistance) if size > 1 => "gl_ClipDistance".to_owned(),
            Some(BuiltIn::ClipDistance) => format!("gl_ClipDistance[{element}]"),
            _ => String::new(),
        },
        Some(XfbSource::Location(location)) => {
            let output = outputs
                .iter()
                .filter(|o| o.location <= location)
                .max_by_key(|o| o.location);
            match output {
                Some(output) => path_name(spv, output, location, size),
                None => String::new(),
            }
        }
    };
    xfb.varyings
        .iter()
        .map(|v| name(v.source, v.size))
        .collect()
}

/// The path from an output to the value at a location: members and elements on the way.
fn path_name(spv: &Spv, output: &Output, location: u32, size: u32) -> String {
    let mut name = output.name.clone();
    let mut ty = output.ty;
    let mut rest = location - output.location;
    loop {
        match spv.shape(ty) {
            Shape::Array(element, length) => {
                let each = spv.locations(element, true).max(1);
                let is_basic = matches!(spv.shape(element), Shape::Basic(_));
                if is_basic && size == length && rest == 0 {
                    return name;
                }
                name.push_str(&format!("[{}]", rest / each));
                rest %= each;
                ty = element;
            }
            Shape::Struct(members) => {
                let mut found = None;
                for (at, member) in members.into_iter().enumerate() {
                    let count = spv.locations(member, true);
                    if rest < count {
                        found = Some((at, member));
                        break;
                    }
                    rest -= count;
                }
                let Some((at, member)) = found else {
                    return name;
                };
                name.push_str(&format!(".m{at}"));
                ty = member;
            }
            _ => return name,
        }
    }
}
