//! Completeness: whether sampling a texture gives its texels, or black (GL 4.6 §8.17).

use super::shape::level_extent;
use super::{Texture, TextureTarget};
use crate::consts::gl::GL_STENCIL_INDEX;
use mgl_core::format::ComponentClass;
use mgl_core::pipe::{Filter, MinFilter, SamplerDesc};

/// Whether a minification filter reads other levels than the base level.
#[must_use]
pub fn is_mipmap_filter(f: MinFilter) -> bool {
    !matches!(f, MinFilter::NEAREST | MinFilter::LINEAR)
}

impl Texture {
    /// Whether the six faces of the base level are alike and square (GL 4.6 §8.17: cube complete).
    #[must_use]
    pub fn is_cube_complete(&self) -> bool {
        let base = self.base_level();
        let Some(first) = self.image(base, 0) else {
            return false;
        };
        first.extent().width == first.extent().height
            && (1..6).all(|f| {
                self.image(base, f)
                    .is_some_and(|i| i.spec() == first.spec())
            })
    }

    /// Whether the texture is complete when it is read through `sampler`.
    #[must_use]
    pub fn is_complete(&self, sampler: &SamplerDesc) -> bool {
        if self.target == TextureTarget::Buffer {
            return self.texel_buffer.is_some();
        }
        let base = self.base_level();
        let Some(first) = self.image(base, 0) else {
            return false;
        };
        if self.target.is_multisample() {
            return true;
        }
        if self.target == TextureTarget::Cube && !self.is_cube_complete() {
            return false;
        }
        let class = first.resolved().class();
        let integer = match class {
            ComponentClass::Sint | ComponentClass::Uint | ComponentClass::Stencil => true,
            ComponentClass::DepthStencil => self.params.depth_stencil_mode == GL_STENCIL_INDEX,
            _ => false,
        };
        let nearest = sampler.mag_filter == Filter::NEAREST
            && matches!(
                sampler.min_filter,
                MinFilter::NEAREST | MinFilter::NEAREST_MIPMAP_NEAREST
            );
        if integer && !nearest {
            return false;
        }
        if !is_mipmap_filter(sampler.min_filter) {
            return true;
        }
        if !self.target.has_levels() {
            return false;
        }
        let (Some(last), true) = (self.last_level(), base <= self.params.max_level) else {
            return false;
        };
        (base + 1..=last).all(|level| {
            let want = level_extent(self.target, first.extent(), level - base);
            (0..self.target.faces()).all(|f| {
                self.image(level, f).is_some_and(|i| {
                    i.extent() == want
                        && i.resolved().internal_format == first.resolved().internal_format
                        && i.resolved().format == first.resolved().format
                })
            })
        })
    }
}
