//! How many levels a texture has, and how large they are (OpenGL 4.6, 8.14.3 and 8.19). Nothing
//! filters here.

use crate::consts::gl::*;

/// How a texture target lays out its levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    /// Dimensions that halve from level to level; the others count rows or layers.
    halving: usize,
    /// There is one level only.
    single: bool,
}

fn shape(target: u32) -> Option<Shape> {
    let (halving, single) = match target {
        GL_TEXTURE_1D | GL_TEXTURE_1D_ARRAY | GL_PROXY_TEXTURE_1D | GL_PROXY_TEXTURE_1D_ARRAY => {
            (1, false)
        }
        GL_TEXTURE_2D
        | GL_TEXTURE_2D_ARRAY
        | GL_TEXTURE_CUBE_MAP
        | GL_TEXTURE_CUBE_MAP_ARRAY
        | GL_TEXTURE_CUBE_MAP_POSITIVE_X..=GL_TEXTURE_CUBE_MAP_NEGATIVE_Z
        | GL_PROXY_TEXTURE_2D
        | GL_PROXY_TEXTURE_2D_ARRAY
        | GL_PROXY_TEXTURE_CUBE_MAP
        | GL_PROXY_TEXTURE_CUBE_MAP_ARRAY => (2, false),
        GL_TEXTURE_3D | GL_PROXY_TEXTURE_3D => (3, false),
        GL_TEXTURE_RECTANGLE
        | GL_PROXY_TEXTURE_RECTANGLE
        | GL_TEXTURE_2D_MULTISAMPLE
        | GL_PROXY_TEXTURE_2D_MULTISAMPLE
        | GL_TEXTURE_2D_MULTISAMPLE_ARRAY
        | GL_PROXY_TEXTURE_2D_MULTISAMPLE_ARRAY => (2, true),
        GL_TEXTURE_BUFFER => (0, true),
        _ => return None,
    };
    Some(Shape { halving, single })
}

/// How many levels a texture whose level 0 has `extent` texels (width, height or layers, depth or
/// layers; 1 where the target has no such dimension) can have. 0 for an empty level 0, or a target
/// that is none.
pub fn max_levels(target: u32, extent: [u32; 3]) -> u32 {
    let Some(shape) = shape(target) else { return 0 };
    if extent.contains(&0) {
        return 0;
    }
    if shape.single {
        return 1;
    }
    let largest = extent[..shape.halving].iter().copied().max().unwrap_or(1);
    u32::BITS - largest.leading_zeros()
}

/// The extent of a level, level 0 having `extent` texels: each halving dimension by half, rounded
/// down, but at least 1; layers as they are. `None` for a level that the texture cannot have.
pub fn level_extent(target: u32, extent: [u32; 3], level: u32) -> Option<[u32; 3]> {
    if level >= max_levels(target, extent) {
        return None;
    }
    let halving = shape(target)?.halving;
    let mut result = extent;
    for size in &mut result[..halving] {
        *size = (*size >> level).max(1);
    }
    Some(result)
}

/// How many levels a texture can have whose sides are limited to `max_size` texels: the count for
/// which `level` arguments are legal (OpenGL 4.6, 8.5: log2 of the limit, and one).
pub fn levels_for_limit(target: u32, max_size: u32) -> u32 {
    match shape(target) {
        None => 0,
        Some(shape) if shape.single => 1,
        Some(_) => u32::BITS - max_size.leading_zeros(),
    }
}

/// The last level that a texture uses for mipmapping: the smaller of `max_level` and the level at
/// which the largest side of level `base_level` has become 1 (OpenGL 4.6, 8.14.3: q). `extent` is
/// that of level `base_level`. `None` where that level is empty or the target is none.
pub fn last_level(target: u32, extent: [u32; 3], base_level: u32, max_level: u32) -> Option<u32> {
    let below = max_levels(target, extent).checked_sub(1)?;
    Some(base_level.saturating_add(below).min(max_level))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_halve_down_to_one() {
        let levels = |target, extent| {
            (0..max_levels(target, extent))
                .map(|l| level_extent(target, extent, l).expect("within the count"))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            levels(GL_TEXTURE_2D, [5, 12, 1]),
            [[5, 12, 1], [2, 6, 1], [1, 3, 1], [1, 1, 1]]
        );
        assert_eq!(
            levels(GL_TEXTURE_1D, [6, 1, 1]),
            [[6, 1, 1], [3, 1, 1], [1, 1, 1]]
        );
        assert_eq!(
            levels(GL_TEXTURE_1D_ARRAY, [3, 100, 1]),
            [[3, 100, 1], [1, 100, 1]]
        );
        assert_eq!(
            levels(GL_TEXTURE_2D_ARRAY, [2, 2, 77]),
            [[2, 2, 77], [1, 1, 77]]
        );
        assert_eq!(
            levels(GL_TEXTURE_CUBE_MAP_ARRAY, [2, 2, 12]),
            [[2, 2, 12], [1, 1, 12]]
        );
        assert_eq!(
            levels(GL_TEXTURE_3D, [2, 3, 8]),
            [[2, 3, 8], [1, 1, 4], [1, 1, 2], [1, 1, 1]]
        );
        assert_eq!(levels(GL_TEXTURE_RECTANGLE, [64, 64, 1]), [[64, 64, 1]]);
        assert_eq!(
            levels(GL_TEXTURE_2D_MULTISAMPLE, [64, 64, 1]),
            [[64, 64, 1]]
        );
        assert_eq!(levels(GL_TEXTURE_CUBE_MAP_NEGATIVE_Y, [4, 4, 1]).len(), 3);
    }

    #[test]
    fn limits_and_oddities() {
        assert_eq!(max_levels(GL_TEXTURE_2D, [u32::MAX, 1, 1]), 32);
        assert_eq!(max_levels(GL_TEXTURE_2D, [0, 4, 1]), 0);
        assert_eq!(max_levels(GL_RGBA, [4, 4, 1]), 0);
        assert_eq!(level_extent(GL_TEXTURE_2D, [4, 4, 1], 3), None);
        assert_eq!(level_extent(GL_TEXTURE_2D, [4, 4, 1], u32::MAX), None);
        assert_eq!(levels_for_limit(GL_TEXTURE_2D, 16384), 15);
        assert_eq!(levels_for_limit(GL_TEXTURE_RECTANGLE, 16384), 1);
        assert_eq!(levels_for_limit(GL_TEXTURE_3D, 0), 0);
        assert_eq!(last_level(GL_TEXTURE_2D, [16, 4, 1], 2, 1000), Some(6));
        assert_eq!(last_level(GL_TEXTURE_2D, [16, 4, 1], 2, 3), Some(3));
        assert_eq!(last_level(GL_TEXTURE_2D, [16, 0, 1], 2, 3), None);
        assert_eq!(
            last_level(GL_TEXTURE_2D, [16, 4, 1], u32::MAX, u32::MAX),
            Some(u32::MAX)
        );
    }
}
