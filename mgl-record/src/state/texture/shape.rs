//! The storage that a texture's images add up to, as the pipe describes it.
//!
//! A resource has the extent of level 0, one format, and consecutive levels. GL lets the application specify levels in
//! any order and of any size; those that do not go with the others have no storage until they do (and cannot be sampled
//! in that state either, GL 4.6 §8.17). The extent of level 0 is derived when only later levels are there.

use super::{Extent, Image, Texture, TextureTarget};
use crate::state::NameTable;
use crate::state::buffer::Buffer;
use mgl_core::pipe::{BindMask, ResourceDesc, ResourceFlags, StorageKind};

/// The extent of the level `by` levels after one of extent `e` (GL 4.6 equation 8.8).
#[must_use]
pub fn level_extent(target: TextureTarget, e: Extent, by: u32) -> Extent {
    let half = |v: u32| (v >> by.min(31)).max(1);
    Extent {
        width: half(e.width),
        height: if target.halves_height() {
            half(e.height)
        } else {
            e.height
        },
        depth: if target == TextureTarget::D3 {
            half(e.depth)
        } else {
            e.depth
        },
    }
}

/// The extent of the level `by` levels before one of extent `e`; `None` where it is beyond all limits.
fn level_zero(target: TextureTarget, e: Extent, by: u32) -> Option<Extent> {
    let grown = |v: u32| v.checked_shl(by).filter(|g| g >> by == v && *g <= 1 << 15);
    Some(Extent {
        width: grown(e.width)?,
        height: if target.halves_height() {
            grown(e.height)?
        } else {
            e.height
        },
        depth: if target == TextureTarget::D3 {
            grown(e.depth)?
        } else {
            e.depth
        },
    })
}

/// Levels down to a single texel.
#[must_use]
pub fn full_chain(target: TextureTarget, e: Extent) -> u32 {
    let mut side = e.width;
    if target.halves_height() {
        side = side.max(e.height);
    }
    if target == TextureTarget::D3 {
        side = side.max(e.depth);
    }
    32 - side.leading_zeros()
}

impl Texture {
    /// The base level as it takes effect (GL 4.6 §8.17: clamped for immutable storage).
    #[must_use]
    pub fn base_level(&self) -> u32 {
        match self.immutable_levels {
            Some(n) => self.params.base_level.min(n.saturating_sub(1)),
            None => self.params.base_level,
        }
    }

    /// The last level of a mipmap chain from the base level (GL 4.6 §8.14.3: q); `None` without a base level.
    #[must_use]
    pub fn last_level(&self) -> Option<u32> {
        let base = self.base_level();
        let e = self.image(base, 0)?.extent();
        let p = base + full_chain(self.target, e) - 1;
        Some(match self.immutable_levels {
            Some(n) => p.min(n - 1).min(self.params.max_level.clamp(base, n - 1)),
            None => p.min(self.params.max_level),
        })
    }

    /// A face that stands for a level: all faces that are specified are alike.
    #[must_use]
    pub fn level(&self, level: u32) -> Option<&Image> {
        let mut faces = (0..self.target.faces()).filter_map(|f| self.image(level, f));
        let first = faces.next()?;
        faces.all(|f| f.spec() == first.spec()).then_some(first)
    }

    /// Whether level `level` is what a chain with `anchor` at level `at` has there.
    fn follows(&self, anchor: &Image, at: u32, level: u32) -> bool {
        self.level(level).is_some_and(|i| {
            i.extent() == level_extent(self.target, anchor.extent(), level - at)
                && i.resolved().format == anchor.resolved().format
                && i.spec().samples == anchor.spec().samples
        })
    }

    /// Level that fixes the others, the extent of level 0, and how many levels there are.
    fn chain(&self) -> Option<(&Image, Extent, u32)> {
        let base = self.base_level();
        let last = self.level_count();
        let zero = self.level(0);
        let (anchor, at) = match (zero, self.level(base)) {
            (Some(z), Some(_)) if base == 0 || self.follows(z, 0, base) => (z, 0),
            (Some(z), None) => (z, 0),
            (_, Some(b)) => (b, base),
            (None, None) => (0..last).find_map(|l| self.level(l).map(|i| (i, l)))?,
        };
        let run = |from: u32| {
            (from..last)
                .take_while(|&l| self.follows(anchor, at, l))
                .count()
        };
        let mut levels = at + run(at) as u32;
        if base > levels && at == 0 {
            // Levels between are missing; what the base level starts is there all the same.
            levels = match run(base) {
                0 => levels,
                n => levels.max(base + n as u32),
            };
        }
        let extent = level_zero(self.target, anchor.extent(), at)?;
        Some((anchor, extent, levels.min(full_chain(self.target, extent))))
    }

    /// What the texture is on the pipe; `None` where it has no storage.
    #[must_use]
    pub fn desc(&self, buffers: &NameTable<Buffer>) -> Option<ResourceDesc> {
        let common = ResourceDesc {
            resource: self.handle.into(),
            target: self.target.pipe(),
            depth: 1,
            layers: 1,
            levels: 1,
            width: 1,
            height: 1,
            gl_name: self.name,
            ..ResourceDesc::default()
        };
        if self.target == TextureTarget::Buffer {
            let b = self.texel_buffer?;
            let buffer = buffers.objects.get(b.buffer)?;
            let texel = u64::from(b.resolved.format.info()?.bytes);
            if buffer.handle().is_null() {
                return None;
            }
            return Some(ResourceDesc {
                storage: StorageKind::BUFFER_TEXTURE,
                bind: BindMask::SAMPLED,
                format: b.resolved.format,
                width: u32::try_from(buffer.size() / texel).unwrap_or(u32::MAX),
                buffer: buffer.handle(),
                size: buffer.size(),
                ..common
            });
        }
        let (anchor, e, levels) = self.chain()?;
        let spec = anchor.spec();
        let (depth, layers) = match self.target {
            TextureTarget::D3 => (e.depth, 1),
            TextureTarget::Cube => (1, 6),
            _ => (1, e.depth),
        };
        let bind = if !spec.resolved.is_color() {
            BindMask::SAMPLED | BindMask::DEPTH_STENCIL
        } else if spec.resolved.color_renderable() {
            BindMask::SAMPLED | BindMask::RENDER_TARGET
        } else {
            BindMask::SAMPLED
        };
        let immutable = self.immutable_levels.is_some();
        Some(ResourceDesc {
            storage: if immutable {
                StorageKind::IMMUTABLE
            } else {
                StorageKind::MUTABLE
            },
            bind,
            format: spec.resolved.format,
            width: e.width,
            height: e.height,
            depth,
            layers,
            levels: self.immutable_levels.unwrap_or(levels),
            samples: spec.samples,
            flags: ResourceFlags::NONE
                .with(ResourceFlags::DEFINED, anchor.has_shadow())
                .with(ResourceFlags::FIXED_SAMPLE_LOCATIONS, spec.fixed_samples),
            ..common
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_halve_where_the_target_says_so() {
        let e = Extent {
            width: 12,
            height: 5,
            depth: 8,
        };
        let at = |t, by| {
            let l = level_extent(t, e, by);
            (l.width, l.height, l.depth)
        };
        assert_eq!(at(TextureTarget::D2, 1), (6, 2, 8));
        assert_eq!(at(TextureTarget::D3, 2), (3, 1, 2));
        assert_eq!(at(TextureTarget::D1Array, 3), (1, 5, 8));
        assert_eq!(at(TextureTarget::D3, 40), (1, 1, 1));
        assert_eq!(full_chain(TextureTarget::D2, e), 4);
        assert_eq!(
            level_zero(TextureTarget::D3, e, 2).map(|z| z.depth),
            Some(32)
        );
        assert_eq!(level_zero(TextureTarget::D2, e, 14), None);
    }
}
