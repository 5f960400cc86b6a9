//! Sizes that hold for every back end, and the extent of a level.

use super::payload::*;

/// Texels of the longest side of an image.
pub const MAX_EXTENT: u32 = 1 << 15;
/// Bytes of the largest texture or renderbuffer.
pub const MAX_IMAGE_BYTES: u64 = 2 << 30;
/// Bytes of the largest buffer.
pub const MAX_BUFFER_BYTES: u64 = 4 << 30;

/// Columns, rows and slices (layers and faces counted) of a level.
#[must_use]
pub fn level_extent(d: &ResourceDesc, level: u32) -> (u32, u32, u32) {
    let at = |v: u32| (v >> level.min(31)).max(1);
    match d.target {
        Target::TEXTURE_3D => (at(d.width), at(d.height), at(d.depth)),
        Target::TEXTURE_1D => (at(d.width), 1, 1),
        Target::TEXTURE_1D_ARRAY => (at(d.width), 1, d.layers.max(1)),
        _ => (at(d.width), at(d.height), d.layers.max(1)),
    }
}
