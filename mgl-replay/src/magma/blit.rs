//! Blits between the pushed framebuffers (GL 4.6 §18.3.1), and resolves.
//!
//! Copies and vkCmdBlitImage do what they can. The latter knows neither scissors nor sources that reach out of their
//! image, it always converts between sRGB encodings, writes every component, never to samples, and changes no depth or
//! stencil format: such blits are drawn ([`super::painter`]).

use super::Magma;
use super::copy::window_at;
use super::images::{IDENTITY, Shape, ViewKey};
use super::objects::{ImageId, Window};
use super::painter::{Drawn, Samples};
use super::targets::{Slice, Targets, context};
use ash::vk;
use mgl_core::format::{ComponentClass, Format};
use mgl_core::pipe::*;

/// Scratch images that are kept.
const MOST_SCRATCH: usize = 8;

/// One axis of a blit in image coordinates: two corners of the source and of the destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Axis {
    src: (i32, i32),
    dst: (i32, i32),
}

impl Axis {
    /// The source and destination with the destination in order.
    fn ordered(self) -> Self {
        if self.dst.0 <= self.dst.1 {
            return self;
        }
        Self {
            src: (self.src.1, self.src.0),
            dst: (self.dst.1, self.dst.0),
        }
    }

    /// The destination pixels whose centres lie inside a source of `size` pixels, and inside `visible`.
    fn valid(self, size: u32, visible: (i32, i32)) -> (i32, i32) {
        let (d0, d1) = (i64::from(self.dst.0), i64::from(self.dst.1));
        let (s0, s1) = (f64::from(self.src.0), f64::from(self.src.1));
        let inside = |d: i64| {
            let part = (d as f64 + 0.5 - d0 as f64) / (d1 - d0) as f64;
            let at = s0 + part * (s1 - s0);
            at >= 0.0 && at < f64::from(size)
        };
        let (mut low, mut high) = (d0.max(i64::from(visible.0)), d1.min(i64::from(visible.1)));
        while low < high && !inside(low) {
            low += 1;
        }
        while high > low && !inside(high - 1) {
            high -= 1;
        }
        (low as i32, high as i32)
    }
}

/// What one kind of buffer of a blit needs to know.
struct Pass {
    from: Slice,
    to: Slice,
    x: Axis,
    y: Axis,
    aspects: vk::ImageAspectFlags,
    linear: bool,
    /// Values are copied as they are stored, without sRGB conversions.
    raw: bool,
    /// Columns and rows that the scissor lets through.
    visible: ((i32, i32), (i32, i32)),
}

impl Magma {
    /// An image for intermediate results; its content is whatever was there before.
    ///
    /// # Errors
    ///
    /// As for storage.
    pub(super) fn scratch(
        &mut self,
        format: Format,
        w: u32,
        h: u32,
        flip: bool,
        place: u32,
    ) -> Result<ImageId, BackendError> {
        let key = (format, w, h, flip, place);
        if let Some(at) = self.scratch_images.iter().position(|s| s.0 == key) {
            let found = self.scratch_images.remove(at);
            self.scratch_images.push(found);
            return Ok(found.1);
        }
        if self.scratch_images.len() >= MOST_SCRATCH {
            let (_, old) = self.scratch_images.remove(0);
            self.end_image(old);
        }
        let id = self.make_image(&Shape {
            flip,
            ..Shape::plain(format, w, h)
        })?;
        self.scratch_images.push((key, id));
        Ok(id)
    }

    /// A single-sampled copy of a multisampled slice: averages of colours, the first sample of all else.
    ///
    /// # Errors
    ///
    /// As for storage.
    pub(super) fn resolve_slice(&mut self, s: &Slice) -> Result<Slice, BackendError> {
        let (extent, flip) = {
            let i = self.obj.images.get(s.image)?;
            (i.extent(s.level), i.flip)
        };
        let format = s.plan.info.format;
        let to = self.scratch(format, extent.width, extent.height, flip, 2)?;
        self.end_rendering();
        let color = s.plan.info.is_color();
        let layout = if color {
            vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL
        } else {
            vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL
        };
        self.sync(&[(s.image, layout, true), (to, layout, true)], &[])?;
        let view = |m: &mut Self, image: ImageId, level: u32, layer: u32| {
            let key = ViewKey {
                format: s.plan.plain,
                kind: vk::ImageViewType::TYPE_2D,
                aspects: s.plan.aspects,
                first_level: level,
                levels: 1,
                first_layer: layer,
                layers: 1,
                swizzle: IDENTITY,
                attach: true,
            };
            m.obj.images.view(&m.gpu, image, &key)
        };
        let from = view(self, s.image, s.level, s.layer)?;
        let into = view(self, to, 0, 0)?;
        let average = color && !s.plan.info.is_integer();
        let attachment = [vk::RenderingAttachmentInfo::default()
            .image_view(from)
            .image_layout(layout)
            .resolve_mode(if average {
                vk::ResolveModeFlags::AVERAGE
            } else {
                vk::ResolveModeFlags::SAMPLE_ZERO
            })
            .resolve_image_view(into)
            .resolve_image_layout(layout)
            .load_op(vk::AttachmentLoadOp::LOAD)
            .store_op(vk::AttachmentStoreOp::STORE)];
        let mut info = vk::RenderingInfo::default()
            .render_area(vk::Rect2D {
                extent: vk::Extent2D {
                    width: extent.width,
                    height: extent.height,
                },
                ..vk::Rect2D::default()
            })
            .layer_count(1);
        if color {
            info = info.color_attachments(&attachment);
        } else {
            if s.plan.aspects.contains(vk::ImageAspectFlags::DEPTH) {
                info = info.depth_attachment(&attachment[0]);
            }
            if s.plan.aspects.contains(vk::ImageAspectFlags::STENCIL) {
                info = info.stencil_attachment(&attachment[0]);
            }
        }
        let cmd = self.rec.cmd();
        // SAFETY: nothing is rendered now; views and layouts are as said.
        unsafe {
            self.gpu.begin_rendering(cmd, &info);
            self.gpu.end_rendering(cmd);
        }
        Ok(Slice {
            image: to,
            plan: s.plan,
            level: 0,
            layer: 0,
            layers: 1,
        })
    }

    /// Blits.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] for formats that can be neither blitted nor drawn.
    pub(super) fn blit_pixels(&mut self, s: &PushedState, b: &Blit) -> Result<(), BackendError> {
        self.rec.check()?;
        let draw = self.draw_targets(s)?;
        let read = self.read_targets(s)?;
        let d = &context(s)?.values.dynamic;
        let scissor = &d.scissors[0];
        let rect = if scissor.enable.get() {
            draw.rect(scissor.x, scissor.y, scissor.width, scissor.height)
        } else {
            draw.whole()
        };
        let visible = (
            (rect.offset.x, rect.offset.x + rect.extent.width as i32),
            (rect.offset.y, rect.offset.y + rect.extent.height as i32),
        );
        let raw = !d.output.framebuffer_srgb.get();
        let pass = |m: &Self,
                    from: &Slice,
                    to: &Slice,
                    aspects: vk::ImageAspectFlags,
                    linear: bool|
         -> Result<Pass, BackendError> {
            let height = |t: &Targets, s: &Slice| {
                m.obj
                    .images
                    .get(s.image)
                    .map(|i| (t.flip, i.extent(s.level).height as i32))
            };
            let row = |(flip, h): (bool, i32), y: i32| {
                if flip { h.saturating_sub(y) } else { y }
            };
            let (f, t) = (height(&read, from)?, height(&draw, to)?);
            Ok(Pass {
                from: *from,
                to: *to,
                x: Axis {
                    src: (b.src.x0, b.src.x1),
                    dst: (b.dst.x0, b.dst.x1),
                }
                .ordered(),
                y: Axis {
                    src: (row(f, b.src.y0), row(f, b.src.y1)),
                    dst: (row(t, b.dst.y0), row(t, b.dst.y1)),
                }
                .ordered(),
                aspects,
                linear,
                raw,
                visible,
            })
        };
        let linear = b.filter == Filter::LINEAR;
        if b.buffers.has(BufferMask::COLOR0)
            && let Some(from) = &read.color[0]
        {
            for to in draw.color.iter().flatten() {
                let p = pass(self, from, to, vk::ImageAspectFlags::COLOR, linear)?;
                self.blit_pass(&p)?;
            }
        }
        let (depth, stencil) = (
            b.buffers.has(BufferMask::DEPTH),
            b.buffers.has(BufferMask::STENCIL),
        );
        let mut ends: Vec<(Slice, Slice, vk::ImageAspectFlags)> = Vec::with_capacity(2);
        if depth && let (Some(from), Some(to)) = (&read.depth, &draw.depth) {
            ends.push((*from, *to, vk::ImageAspectFlags::DEPTH));
        }
        if stencil && let (Some(from), Some(to)) = (&read.stencil, &draw.stencil) {
            match ends.first_mut() {
                Some(e) if e.0.image == from.image && e.1.image == to.image => {
                    e.2 |= vk::ImageAspectFlags::STENCIL;
                }
                _ => ends.push((*from, *to, vk::ImageAspectFlags::STENCIL)),
            }
        }
        for (from, to, aspects) in ends {
            let p = pass(self, &from, &to, aspects, false)?;
            self.blit_pass(&p)?;
        }
        Ok(())
    }

    fn blit_pass(&mut self, p: &Pass) -> Result<(), BackendError> {
        let size = |m: &Self, s: &Slice| {
            m.obj
                .images
                .get(s.image)
                .map(|i| (i.extent(s.level), i.samples))
        };
        let ((fe, from_samples), (te, to_samples)) = (size(self, &p.from)?, size(self, &p.to)?);
        if p.x.dst.0 == p.x.dst.1 || p.y.dst.0 == p.y.dst.1 {
            return Ok(());
        }
        if p.x.src.0 == p.x.src.1 || p.y.src.0 == p.y.src.1 {
            return Ok(());
        }
        let clip = |v: (i32, i32), n: u32| (v.0.max(0), v.1.min(n as i32));
        let vx = p.x.valid(fe.width, clip(p.visible.0, te.width));
        let vy = p.y.valid(fe.height, clip(p.visible.1, te.height));
        if vx.0 >= vx.1 || vy.0 >= vy.1 {
            return Ok(());
        }
        let unscaled = p.x.src.1.wrapping_sub(p.x.src.0) == p.x.dst.1.wrapping_sub(p.x.dst.0)
            && p.y.src.1.wrapping_sub(p.y.src.0) == p.y.dst.1.wrapping_sub(p.y.dst.0);
        let same_format = p.from.plan.info.format == p.to.plan.info.format;
        let stored = (p.from.plan.format, p.to.plan.format);
        // Not all drivers copy or blit one aspect of two and leave the other alone.
        let whole = p.aspects == p.from.plan.aspects && p.aspects == p.to.plan.aspects;
        let plain_copy = unscaled && same_format && stored.0 == stored.1 && whole;
        let same_image = p.from.image == p.to.image;
        if plain_copy && from_samples == to_samples && !same_image {
            return self.copy_part(p, &p.from, vx, vy, (p.x, p.y));
        }
        // Sample by sample, where fragments can be samples.
        let samples = to_samples > 1 && from_samples == to_samples && !same_image;
        let from = if samples && self.gpu.has.sample_shading {
            p.from
        } else {
            self.single_sampled(&p.from)?
        };
        if plain_copy && to_samples == 1 && from.image != p.to.image {
            return self.copy_part(p, &from, vx, vy, (p.x, p.y));
        }
        let from = if from.image == p.to.image {
            self.detached(&from)?
        } else {
            from
        };
        let within = |a: &Axis, n: u32| {
            a.src.0.min(a.src.1) >= 0 && i64::from(a.src.0.max(a.src.1)) <= i64::from(n)
        };
        let curved = p.raw && (from.plan.info.srgb || p.to.plan.info.srgb);
        let blits = self.gpu.blits(stored.0) && self.gpu.blits(stored.1);
        let direct = vx == p.x.dst
            && vy == p.y.dst
            && within(&p.x, fe.width)
            && within(&p.y, fe.height)
            && to_samples == 1
            && whole
            && blits
            && !curved
            && (p.from.plan.info.is_color() && p.to.plan.write_mask() == 0b1111
                || stored.0 == stored.1);
        if direct {
            return self.blit_raw(&from, &p.to, &p.x, &p.y, p.aspects, p.linear);
        }
        let drawn = Drawn {
            from,
            to: p.to,
            src: [p.x.src.0, p.y.src.0, p.x.src.1, p.y.src.1],
            dst: [p.x.dst.0, p.y.dst.0, p.x.dst.1, p.y.dst.1],
            visible: vk::Rect2D {
                offset: vk::Offset2D { x: vx.0, y: vy.0 },
                extent: vk::Extent2D {
                    width: (vx.1 - vx.0) as u32,
                    height: (vy.1 - vy.0) as u32,
                },
            },
            linear: p.linear,
            raw: p.raw,
            samples: Samples::Like,
        };
        self.draw_blits(&drawn, p.aspects)
    }

    /// A copy of a single-sampled slice in an image of its own.
    fn detached(&mut self, s: &Slice) -> Result<Slice, BackendError> {
        let (extent, flip) = {
            let i = self.obj.images.get(s.image)?;
            (i.extent(s.level), i.flip)
        };
        let id = self.scratch(s.plan.info.format, extent.width, extent.height, flip, 0)?;
        let to = Slice {
            image: id,
            plan: s.plan,
            level: 0,
            layer: 0,
            layers: 1,
        };
        let area = Box3 {
            x: 0,
            y: 0,
            z: 0,
            width: extent.width,
            height: extent.height,
            depth: 1,
        };
        self.copy_on_gpu(&window_at(s), 0, &area, &window_at(&to), 0, &area)?;
        Ok(to)
    }

    /// Copies the valid part of an unscaled pass.
    fn copy_part(
        &mut self,
        p: &Pass,
        from: &Slice,
        vx: (i32, i32),
        vy: (i32, i32),
        (x, y): (Axis, Axis),
    ) -> Result<(), BackendError> {
        let area = Box3 {
            x: (vx.0 - x.dst.0 + x.src.0) as u32,
            y: (vy.0 - y.dst.0 + y.src.0) as u32,
            z: 0,
            width: (vx.1 - vx.0) as u32,
            height: (vy.1 - vy.0) as u32,
            depth: 1,
        };
        let at = Box3 {
            x: vx.0 as u32,
            y: vy.0 as u32,
            ..area
        };
        self.copy_aspects(&window_at(from), &area, &window_at(&p.to), &at, p.aspects)
    }

    /// vkCmdBlitImage between two images.
    fn blit_raw(
        &mut self,
        from: &Slice,
        to: &Slice,
        x: &Axis,
        y: &Axis,
        aspects: vk::ImageAspectFlags,
        linear: bool,
    ) -> Result<(), BackendError> {
        let (src, dst) = (
            vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
            vk::ImageLayout::TRANSFER_DST_OPTIMAL,
        );
        self.transfer(&[(from.image, src, false), (to.image, dst, true)], &[])?;
        let place = |m: &Self, s: &Slice, x: (i32, i32), y: (i32, i32)| {
            m.obj.images.get(s.image).map(|i| {
                let solid = i.kind == vk::ImageType::TYPE_3D;
                let z = if solid { s.layer as i32 } else { 0 };
                (
                    i.raw.image,
                    vk::ImageSubresourceLayers {
                        aspect_mask: aspects,
                        mip_level: s.level,
                        base_array_layer: if solid { 0 } else { s.layer },
                        layer_count: 1,
                    },
                    [
                        vk::Offset3D {
                            x: x.0,
                            y: if i.kind == vk::ImageType::TYPE_1D {
                                0
                            } else {
                                y.0
                            },
                            z,
                        },
                        vk::Offset3D {
                            x: x.1,
                            y: if i.kind == vk::ImageType::TYPE_1D {
                                1
                            } else {
                                y.1
                            },
                            z: z + 1,
                        },
                    ],
                )
            })
        };
        let (a, b) = (
            place(self, from, x.src, y.src)?,
            place(self, to, x.dst, y.dst)?,
        );
        let regions = [vk::ImageBlit {
            src_subresource: a.1,
            src_offsets: a.2,
            dst_subresource: b.1,
            dst_offsets: b.2,
        }];
        let integers = from.plan.info.is_integer() || !from.plan.info.is_color();
        let filter = if linear && !integers {
            vk::Filter::LINEAR
        } else {
            vk::Filter::NEAREST
        };
        let cmd = self.rec.cmd();
        self.counters.copy_calls += 1;
        // SAFETY: nothing is rendered; the images are in these layouts, and the rectangles are inside them.
        unsafe {
            self.gpu
                .device
                .cmd_blit_image(cmd, a.0, src, b.0, dst, &regions, filter);
        }
        Ok(())
    }

    /// Blits a part of a framebuffer, of the same size, into a level of a texture.
    ///
    /// # Errors
    ///
    /// When an image ended.
    pub(super) fn blit_into(
        &mut self,
        t: &Targets,
        from: &Slice,
        (x, y): (i32, i32),
        to: &Window,
        level: u32,
        area: &Box3,
    ) -> Result<(), BackendError> {
        let height = self.obj.images.get(from.image)?.extent(from.level).height as i32;
        let (w, h) = (area.width as i32, area.height as i32);
        let rows = if t.flip {
            (height - y, height - y - h)
        } else {
            (y, y + h)
        };
        let to = Slice {
            image: to.image,
            plan: to.plan,
            level: to.first_level + level,
            layer: to.first_layer + area.z,
            layers: 1,
        };
        let axis = |src, at: u32, n: i32| Axis {
            src,
            dst: (at as i32, at as i32 + n),
        };
        let (ax, ay) = (axis((x, x + w), area.x, w), axis(rows, area.y, h));
        let from = if from.image == to.image {
            self.detached(from)?
        } else {
            *from
        };
        self.blit_raw(&from, &to, &ax, &ay, vk::ImageAspectFlags::COLOR, false)
    }

    /// Copies some aspects of boxes of equal size.
    fn copy_aspects(
        &mut self,
        from: &Window,
        area: &Box3,
        to: &Window,
        at: &Box3,
        aspects: vk::ImageAspectFlags,
    ) -> Result<(), BackendError> {
        let color = matches!(
            from.plan.info.class,
            ComponentClass::Depth | ComponentClass::Stencil | ComponentClass::DepthStencil
        );
        self.copy_mask = color.then_some(aspects);
        let done = self.copy_on_gpu(from, 0, area, to, 0, at);
        self.copy_mask = None;
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn destinations_are_cut_where_the_source_ends() {
        let axis = Axis {
            src: (-2, 6),
            dst: (0, 8),
        };
        assert_eq!(axis.valid(4, (0, 100)), (2, 6));
        assert_eq!(axis.valid(4, (3, 5)), (3, 5));
        let scaled = Axis {
            src: (0, 4),
            dst: (0, 8),
        };
        assert_eq!(scaled.valid(3, (0, 8)), (0, 6));
        let mirrored = Axis {
            src: (0, 4),
            dst: (8, 0),
        }
        .ordered();
        assert_eq!(mirrored.dst, (0, 8));
        assert_eq!(mirrored.src, (4, 0));
        assert_eq!(mirrored.valid(3, (0, 8)), (2, 8));
        assert!(axis.valid(4, (50, 60)).0 >= axis.valid(4, (50, 60)).1);
    }
}
