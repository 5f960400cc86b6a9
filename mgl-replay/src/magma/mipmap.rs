//! Mipmaps: by blits where the device filters the format, on the CPU where it does not.

use super::Magma;
use super::objects::Window;
use crate::texels::half_size;
use ash::vk;
use mgl_core::format::ComponentClass;
use mgl_core::pipe::limits::level_extent;
use mgl_core::pipe::*;

impl Magma {
    /// GenerateMipmap.
    ///
    /// # Errors
    ///
    /// When the texture has no storage.
    pub(super) fn make_mipmaps(
        &mut self,
        s: &PushedState,
        g: &GenerateMipmap,
    ) -> Result<(), BackendError> {
        let w = self.texture_window(g.texture)?;
        let desc = s
            .textures
            .get(g.texture)
            .map_err(|e| BackendError::Driver(e.to_string()))?
            .desc;
        let last = g.last_level.min(w.levels.saturating_sub(1));
        if g.base_level >= last {
            return Ok(());
        }
        let info = w.plan.info;
        let all = self.obj.images.get(w.image)?.layers.min(w.layers);
        let (first_layer, layers) = if g.layers == 0 {
            (0, all)
        } else {
            (
                g.layer.min(all - 1),
                g.layers.min(all - g.layer.min(all - 1)),
            )
        };
        let by_gpu = info.is_color()
            && !info.is_integer()
            && w.plan.filterable
            && info.class != ComponentClass::Snorm
            && self.gpu.blits(w.plan.format)
            && w.plan.format == self.obj.images.get(w.image)?.plan.format;
        for level in g.base_level..last {
            if by_gpu {
                self.blit_level(&w, level, first_layer, layers)?;
            } else {
                self.shrink_level(&w, &desc, level, first_layer, layers)?;
            }
        }
        Ok(())
    }

    fn blit_level(
        &mut self,
        w: &Window,
        level: u32,
        layer: u32,
        layers: u32,
    ) -> Result<(), BackendError> {
        let layout = vk::ImageLayout::GENERAL;
        self.transfer(&[(w.image, layout, true)], &[])?;
        let image = self.obj.images.get(w.image)?;
        let at = |level: u32| {
            let level = w.first_level + level;
            let e = image.extent(level);
            (
                vk::ImageSubresourceLayers {
                    aspect_mask: vk::ImageAspectFlags::COLOR,
                    mip_level: level,
                    base_array_layer: if image.depth > 1 {
                        0
                    } else {
                        w.first_layer + layer
                    },
                    layer_count: if image.kind == vk::ImageType::TYPE_3D {
                        1
                    } else {
                        layers
                    },
                },
                [
                    vk::Offset3D::default(),
                    vk::Offset3D {
                        x: e.width as i32,
                        y: e.height as i32,
                        z: e.depth as i32,
                    },
                ],
            )
        };
        let ((src, from), (dst, to)) = (at(level), at(level + 1));
        let regions = [vk::ImageBlit {
            src_subresource: src,
            src_offsets: from,
            dst_subresource: dst,
            dst_offsets: to,
        }];
        let raw = image.raw.image;
        let cmd = self.rec.cmd();
        // SAFETY: nothing is rendered; the image is in this layout, and the levels are two different ones.
        unsafe {
            self.gpu.device.cmd_blit_image(
                cmd,
                raw,
                layout,
                raw,
                layout,
                &regions,
                vk::Filter::LINEAR,
            );
        }
        Ok(())
    }

    fn shrink_level(
        &mut self,
        w: &Window,
        desc: &ResourceDesc,
        level: u32,
        layer: u32,
        layers: u32,
    ) -> Result<(), BackendError> {
        let (width, height, depth) = level_extent(desc, level);
        let solid = desc.target == Target::TEXTURE_3D;
        let area = Box3 {
            z: if solid { 0 } else { layer },
            width,
            height,
            depth: if solid { depth } else { layers },
            ..Box3::default()
        };
        let bytes = self.read_box(w, level, &area)?;
        let (small, (sw, sh, sd)) =
            half_size(w.plan.info, &bytes, (width, height, area.depth), solid);
        let target = Box3 {
            width: sw,
            height: sh,
            depth: sd,
            ..area
        };
        self.put_tight(w, level + 1, &target, &small)
    }
}
