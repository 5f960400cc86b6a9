//! Copies: between images, and from the read framebuffer into textures. On the GPU where Vulkan copies the stored
//! texels, through the CPU where it does not: what counts then is the transfer layout.

use super::Magma;
use super::objects::Window;
use super::targets::{Slice, context};
use crate::texels::convert;
use ash::vk;
use mgl_core::format::ComponentClass;
use mgl_core::handle::*;
use mgl_core::pipe::*;

/// The window of a slice of an image.
pub fn window_at(s: &Slice) -> Window {
    Window {
        image: s.image,
        plan: s.plan,
        first_level: s.level,
        levels: 1,
        first_layer: s.layer,
        layers: s.layers,
    }
}

impl Magma {
    /// Copies a box of texels between images of formats with equally large texels.
    ///
    /// # Errors
    ///
    /// As for reading and uploading.
    pub(super) fn copy_texels(
        &mut self,
        from: &Window,
        from_level: u32,
        area: &Box3,
        to: &Window,
        to_level: u32,
        at: (u32, u32, u32),
    ) -> Result<(), BackendError> {
        if area.width == 0 || area.height == 0 || area.depth == 0 {
            return Ok(());
        }
        let stored = |m: &Self, w: &Window| {
            let image = m.obj.images.get(w.image);
            image.map(|i| (i.plan, i.samples, i.kind == vk::ImageType::TYPE_1D))
        };
        let ((a, samples, a_line), (b, _, b_line)) = (stored(self, from)?, stored(self, to)?);
        // Vulkan copies nothing between one-dimensional images and others (VUID-vkCmdCopyImage-srcImage-07743).
        let raw = a.same_texels(&b) && from.plan.same_texels(&to.plan) && a_line == b_line;
        let target = Box3 {
            x: at.0,
            y: at.1,
            z: at.2,
            ..*area
        };
        if raw {
            return self.copy_on_gpu(from, from_level, area, to, to_level, &target);
        }
        if samples > 1 || from.plan.info.bytes != to.plan.info.bytes {
            return Err(BackendError::Unsupported(format!(
                "a copy of {} to {}",
                from.plan.info.name, to.plan.info.name
            )));
        }
        let bytes = self.read_box(from, from_level, area)?;
        self.put_tight(to, to_level, &target, &bytes)
    }

    /// vkCmdCopyImage of boxes of equal size. Slices of a three-dimensional image and layers stand for each other.
    ///
    /// # Errors
    ///
    /// When an image ended.
    pub(super) fn copy_on_gpu(
        &mut self,
        from: &Window,
        from_level: u32,
        area: &Box3,
        to: &Window,
        to_level: u32,
        target: &Box3,
    ) -> Result<(), BackendError> {
        let same = from.image == to.image;
        let (src, dst) = if same {
            (vk::ImageLayout::GENERAL, vk::ImageLayout::GENERAL)
        } else {
            (
                vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
                vk::ImageLayout::TRANSFER_DST_OPTIMAL,
            )
        };
        if same {
            self.transfer(&[(from.image, dst, true)], &[])?;
        } else {
            self.transfer(&[(from.image, src, false), (to.image, dst, true)], &[])?;
        }
        let (a, b) = (
            self.obj.images.get(from.image)?,
            self.obj.images.get(to.image)?,
        );
        let aspects = self.copy_mask.unwrap_or(a.plan.aspects);
        let solid = |kind| kind == vk::ImageType::TYPE_3D;
        let mixed = solid(a.kind) != solid(b.kind);
        let mut regions = Vec::new();
        // A slice at a time where one side has slices and the other layers.
        let (count, depth) = if mixed {
            (area.depth, 1)
        } else {
            (1, area.depth)
        };
        for z in 0..count {
            let one = |box3: &Box3| Box3 {
                z: box3.z + z,
                depth,
                ..*box3
            };
            let (p, q) = (
                from.place(a.kind, from_level, &one(area)),
                to.place(b.kind, to_level, &one(target)),
            );
            regions.push(vk::ImageCopy {
                src_subresource: vk::ImageSubresourceLayers {
                    aspect_mask: aspects,
                    ..p.layers
                },
                src_offset: p.offset,
                dst_subresource: vk::ImageSubresourceLayers {
                    aspect_mask: aspects,
                    ..q.layers
                },
                dst_offset: q.offset,
                extent: p.extent,
            });
        }
        let (a, b) = (a.raw.image, b.raw.image);
        let cmd = self.rec.cmd();
        self.counters.copy_calls += 1;
        // SAFETY: nothing is rendered; the images are in these layouts, and the boxes are inside them.
        unsafe {
            self.gpu
                .device
                .cmd_copy_image(cmd, a, src, b, dst, &regions)
        };
        Ok(())
    }

    /// ResourceCopyRegion.
    ///
    /// # Errors
    ///
    /// As for copies.
    pub(super) fn copy_region_of(&mut self, c: &CopyRegion) -> Result<(), BackendError> {
        if c.src.kind == HandleKind::BUFFER {
            return self.copy_buffer(c);
        }
        let (from, to) = (self.window_of(c.src)?, self.window_of(c.dst)?);
        self.copy_texels(
            &from,
            c.src_level,
            &c.src_box,
            &to,
            c.dst_level,
            (c.dst_x, c.dst_y, c.dst_z),
        )
    }

    /// CopyFramebufferToTexture (GL 4.6 §8.6). Pixels outside the framebuffer leave their texels as they are.
    ///
    /// # Errors
    ///
    /// As for reading and uploading.
    pub(super) fn copy_pixels(
        &mut self,
        s: &PushedState,
        c: &CopyToTexture,
    ) -> Result<(), BackendError> {
        let t = self.read_targets(s)?;
        let to = self.texture_window(c.texture)?;
        let source = if to.plan.info.is_color() {
            t.color[0]
        } else {
            t.depth.or(t.stencil)
        };
        let Some(from) = source else { return Ok(()) };
        let read = &context(s)?.values.read_framebuffer;
        let Some((x, y, area)) = crate::records::clip(c, read.width, read.height) else {
            return Ok(());
        };
        if area.x == 0 && area.y == 0 && area.width == 0 {
            return Ok(());
        }
        if t.samples <= 1
            && from.plan.format == to.plan.format
            && from.plan.info.format == to.plan.info.format
            && !t.flip
        {
            let src = Box3 {
                x: x as u32,
                y: y as u32,
                z: 0,
                ..area
            };
            let at = (area.x, area.y, area.z);
            return self.copy_texels(&window_at(&from), 0, &src, &to, c.level, at);
        }
        if t.samples <= 1 && self.blits_between(&from, &to) {
            return self.blit_into(&t, &from, (x, y), &to, c.level, &area);
        }
        let pixels = self.read_pixels_of(
            s,
            &ReadPixels {
                x,
                y,
                width: area.width,
                height: area.height,
                format: from.plan.info.format,
                buffers: if to.plan.info.is_color() {
                    BufferMask::COLOR0
                } else {
                    BufferMask(BufferMask::DEPTH.0 | BufferMask::STENCIL.0)
                },
                ..ReadPixels::default()
            },
        )?;
        let bytes = convert(from.plan.info, to.plan.info, &pixels).ok_or_else(|| {
            BackendError::Unsupported(format!(
                "a copy of {} into a texture of {}",
                from.plan.info.name, to.plan.info.name
            ))
        })?;
        self.put_tight(&to, c.level, &area, &bytes)
    }

    /// Whether vkCmdBlitImage converts between two formats as a copy of pixels does.
    fn blits_between(&self, from: &Slice, to: &Window) -> bool {
        let (a, b) = (&from.plan, &to.plan);
        let kind = |c: ComponentClass| match c {
            ComponentClass::Sint => 1,
            ComponentClass::Uint => 2,
            _ => 0,
        };
        a.info.is_color()
            && self.gpu.blits(a.format)
            && self.gpu.blits(b.format)
            && a.write_mask() == 0b1111
            && b.write_mask() == 0b1111
            && kind(a.info.class) == kind(b.info.class)
            && a.info.class != ComponentClass::Snorm
            && b.info.class != ComponentClass::Snorm
            && a.info.srgb == b.info.srgb
    }
}
