//! The pieces of a block: its type flattened down to basic types, as GL enumerates the members of
//! the default block and of named blocks (GL 3.3 §2.11.4), with their std140 places.

use super::link::Stage;
use super::uniforms::original_name;
use mgl_core::program::{ComponentKind, GlType, NumericShape};
use mgl_replay::spv::{Shape, Spv};
use rspirv::spirv::Decoration;

/// Most bytes that a block's type may span.
const MAX_EXTENT: u64 = 1 << 28;
/// Most pieces that a block may be flattened to.
const MAX_LEAVES: u64 = 1 << 14;

/// A basic-typed piece of a block.
#[derive(Clone)]
pub struct Leaf {
    pub name: String,
    pub ty: GlType,
    pub size: u32,
    pub is_array: bool,
    pub offset: u32,
    pub array_stride: u32,
    pub matrix_stride: u32,
    pub row_major: bool,
    /// Indices from the block's variable down.
    pub path: Vec<u32>,
}

/// Layout decorations of the member that a type belongs to.
#[derive(Clone, Copy, Default)]
struct MatrixLayout {
    stride: u32,
    row_major: bool,
}

/// True when a block's type is small enough to be flattened; a source can declare arrays of any
/// length.
pub fn is_reasonable(spv: &Spv, block: u32) -> bool {
    extent(spv, block) <= MAX_EXTENT && count(spv, block) <= MAX_LEAVES
}

/// Bytes that a type spans by its layout decorations.
fn extent(spv: &Spv, ty: u32) -> u64 {
    match spv.shape(ty) {
        Shape::Array(element, length) => {
            let stride = spv.decoration(ty, Decoration::ArrayStride).unwrap_or(0);
            (u64::from(length) * u64::from(stride)).max(extent(spv, element))
        }
        Shape::Struct(members) => members
            .into_iter()
            .enumerate()
            .map(|(at, member)| {
                let offset = spv.member_decoration(ty, at as u32, Decoration::Offset);
                u64::from(offset.unwrap_or(0)).saturating_add(extent(spv, member))
            })
            .max()
            .unwrap_or(0),
        // The largest basic type is a matrix of four columns of four doubles.
        _ => 128,
    }
}

/// Pieces that a type is flattened to.
fn count(spv: &Spv, ty: u32) -> u64 {
    match spv.shape(ty) {
        Shape::Array(element, length) => match spv.shape(element) {
            Shape::Basic(_) => 1,
            _ => u64::from(length).saturating_mul(count(spv, element)),
        },
        Shape::Struct(members) => members
            .into_iter()
            .fold(0, |sum, m| count(spv, m).saturating_add(sum)),
        _ => 1,
    }
}

/// Flattens a block's type into leaves, in order of declaration.
pub fn block_leaves(stage: &Stage, block: u32, prefix: &str, path: &[u32]) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    let mut path = path.to_vec();
    flatten_struct(stage, block, prefix, 0, &mut path, &mut leaves);
    leaves
}

fn flatten_struct(
    stage: &Stage,
    ty: u32,
    prefix: &str,
    offset: u32,
    path: &mut Vec<u32>,
    leaves: &mut Vec<Leaf>,
) {
    let spv = &stage.spv;
    let Shape::Struct(members) = spv.shape(ty) else {
        return;
    };
    for (at, member) in members.into_iter().enumerate() {
        let at = at as u32;
        let raw = spv.member_name(ty, at);
        let layout = MatrixLayout {
            stride: spv
                .member_decoration(ty, at, Decoration::MatrixStride)
                .unwrap_or(0),
            row_major: spv
                .member_decoration(ty, at, Decoration::RowMajor)
                .is_some(),
        };
        let offset = offset
            + spv
                .member_decoration(ty, at, Decoration::Offset)
                .unwrap_or(0);
        let name = format!("{prefix}{}", original_name(raw));
        let is_bool = stage.decls.is_bool(spv.name(ty), raw);
        path.push(at);
        flatten(stage, member, name, offset, layout, is_bool, path, leaves);
        path.pop();
    }
}

#[allow(clippy::too_many_arguments)]
fn flatten(
    stage: &Stage,
    ty: u32,
    name: String,
    offset: u32,
    layout: MatrixLayout,
    is_bool: bool,
    path: &mut Vec<u32>,
    leaves: &mut Vec<Leaf>,
) {
    let spv = &stage.spv;
    let leaf = |name: String,
                basic: GlType,
                size: u32,
                is_array: bool,
                array_stride: u32,
                path: &[u32]| {
        let matrix = basic.numeric().is_some_and(|s| s.columns > 1);
        Leaf {
            name,
            ty: if is_bool { as_bool(basic) } else { basic },
            size,
            is_array,
            offset,
            array_stride,
            matrix_stride: if matrix { layout.stride } else { 0 },
            row_major: matrix && layout.row_major,
            path: path.to_vec(),
        }
    };
    match spv.shape(ty) {
        Shape::Basic(basic) => leaves.push(leaf(name, basic, 1, false, 0, path)),
        Shape::Array(element, length) => {
            let stride = spv.decoration(ty, Decoration::ArrayStride).unwrap_or(0);
            if let Shape::Basic(basic) = spv.shape(element) {
                leaves.push(leaf(
                    format!("{name}[0]"),
                    basic,
                    length.max(1),
                    true,
                    stride,
                    path,
                ));
                return;
            }
            for index in 0..length {
                path.push(index);
                let name = format!("{name}[{index}]");
                let offset = offset + index * stride;
                flatten(stage, element, name, offset, layout, is_bool, path, leaves);
                path.pop();
            }
        }
        Shape::Struct(_) => {
            flatten_struct(stage, ty, &format!("{name}."), offset, path, leaves);
        }
        Shape::Other => {}
    }
}

/// Booleans are words in a block; the declaration says what they are to GL.
pub fn as_bool(ty: GlType) -> GlType {
    match ty.numeric() {
        Some(NumericShape {
            component: ComponentKind::Uint,
            columns,
            rows,
        }) => {
            let component = ComponentKind::Bool;
            GlType::from_numeric(NumericShape {
                component,
                columns,
                rows,
            })
            .unwrap_or(ty)
        }
        _ => ty,
    }
}

/// Bytes from the block's start to the end of this leaf.
fn leaf_end(leaf: &Leaf) -> u32 {
    let Some(shape) = leaf.ty.numeric() else {
        return leaf.offset;
    };
    let width = leaf.ty.component_bytes();
    let (major, minor) = if leaf.row_major {
        (u32::from(shape.rows), u32::from(shape.columns))
    } else {
        (u32::from(shape.columns), u32::from(shape.rows))
    };
    let one = (major - 1) * leaf.matrix_stride + minor * width;
    // In std140 an element takes its whole stride, the last one too.
    if leaf.is_array {
        leaf.offset + leaf.size * leaf.array_stride
    } else {
        leaf.offset + one.max(major * leaf.matrix_stride)
    }
}

pub fn block_size(leaves: &[Leaf]) -> u32 {
    leaves
        .iter()
        .map(leaf_end)
        .max()
        .unwrap_or(0)
        .next_multiple_of(16)
}
