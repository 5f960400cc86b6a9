//! Clears of the bound draw framebuffer, under the pushed masks and scissor (GL 4.6 §17.4.3).

use super::Magma;
use super::painter::Paint;
use super::targets::{Slice, Targets, context};
use ash::vk;
use mgl_core::pipe::*;

impl Magma {
    /// Clears.
    ///
    /// # Errors
    ///
    /// As for drawing.
    pub(super) fn clear_targets(&mut self, s: &PushedState, c: &Clear) -> Result<(), BackendError> {
        self.rec.check()?;
        let t = self.draw_targets(s)?;
        let values = &context(s)?.values;
        let p = s
            .render_states
            .get(values.render_state)
            .map_err(|e| BackendError::Driver(e.to_string()))?;
        if p.rasterizer_discard.get() {
            return Ok(());
        }
        let d = &values.dynamic;
        let scissor = &d.scissors[0];
        let rect = if scissor.enable.get() {
            t.rect(scissor.x, scissor.y, scissor.width, scissor.height)
        } else {
            t.whole()
        };
        if rect.extent.width == 0 || rect.extent.height == 0 {
            return Ok(());
        }
        let mut all = [vk::ClearAttachment::default(); MAX_COLOR_ATTACHMENTS + 1];
        let mut count = 0;
        for i in 0..t.draw_buffers() as usize {
            let (Some(slice), true) = (&t.color[i], c.buffers.has(BufferMask::color(i))) else {
                continue;
            };
            let exists = slice.plan.write_mask() & own_mask(slice.plan.info);
            let mask = p.blend[i].mask.0 & exists;
            if mask == 0 {
                continue;
            }
            if mask != exists {
                self.clear_masked(&t, rect, i, mask, c)?;
                continue;
            }
            let words = slice.plan.clear_words(c.color);
            all[count] = vk::ClearAttachment {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                color_attachment: i as u32,
                clear_value: vk::ClearValue {
                    color: vk::ClearColorValue { uint32: words },
                },
            };
            count += 1;
        }
        let depth = c.buffers.has(BufferMask::DEPTH) && t.depth.is_some() && p.depth_write.get();
        let write_mask = d.stencil[0].write_mask & 0xFF;
        let stencil = c.buffers.has(BufferMask::STENCIL) && t.stencil.is_some() && write_mask != 0;
        let whole_stencil = stencil && write_mask == 0xFF;
        if stencil && !whole_stencil {
            self.clear_stencil_masked(&t, rect, write_mask, c.stencil & 0xFF)?;
        }
        let mut aspects = vk::ImageAspectFlags::empty();
        if depth {
            aspects |= vk::ImageAspectFlags::DEPTH;
        }
        if whole_stencil {
            aspects |= vk::ImageAspectFlags::STENCIL;
        }
        if !aspects.is_empty() {
            all[count] = vk::ClearAttachment {
                aspect_mask: aspects,
                color_attachment: 0,
                clear_value: vk::ClearValue {
                    depth_stencil: vk::ClearDepthStencilValue {
                        depth: if c.depth.0.is_nan() {
                            0.0
                        } else {
                            c.depth.0.clamp(0.0, 1.0)
                        },
                        stencil: c.stencil & 0xFF,
                    },
                },
            };
            count += 1;
        }
        let list = &all[..count];
        if list.is_empty() {
            return Ok(());
        }
        if self.capture_runs() {
            self.end_rendering();
        }
        self.begin_rendering(&t, &[])?;
        let cmd = self.rec.cmd();
        let rects = [vk::ClearRect {
            rect,
            base_array_layer: 0,
            layer_count: t.layers,
        }];
        self.counters.clear_calls += 1;
        // SAFETY: rendering is under way, and the rectangle is inside its area.
        unsafe { self.gpu.device.cmd_clear_attachments(cmd, list, &rects) };
        Ok(())
    }

    /// Clears some components of a draw buffer, layer after layer.
    fn clear_masked(
        &mut self,
        t: &Targets,
        rect: vk::Rect2D,
        buffer: usize,
        mask: u32,
        c: &Clear,
    ) -> Result<(), BackendError> {
        let Some(slice) = t.color[buffer] else {
            return Ok(());
        };
        let words = slice.plan.clear_words(c.color);
        for layer in 0..t.layers {
            let to = one_layer(&slice, layer);
            self.counters.clear_calls += 1;
            self.fill(&to, t.srgb, rect, Paint::Color(mask), words)?;
        }
        Ok(())
    }

    /// Clears some bits of stencil, layer after layer.
    fn clear_stencil_masked(
        &mut self,
        t: &Targets,
        rect: vk::Rect2D,
        mask: u32,
        value: u32,
    ) -> Result<(), BackendError> {
        let Some(slice) = t.stencil else {
            return Ok(());
        };
        for layer in 0..t.layers {
            let to = one_layer(&slice, layer);
            self.counters.clear_calls += 1;
            self.fill(&to, false, rect, Paint::Stencil { mask, value }, [0; 4])?;
        }
        Ok(())
    }
}

/// One layer of a slice that may have many.
fn one_layer(s: &Slice, layer: u32) -> Slice {
    Slice {
        layer: s.layer + layer,
        layers: 1,
        ..*s
    }
}

/// Components that a format has, as bits of a colour mask.
fn own_mask(info: &mgl_core::format::FormatInfo) -> u32 {
    match info.color_components() {
        1 => 0b0001,
        2 => 0b0011,
        3 => 0b0111,
        _ => 0b1111,
    }
}
