//! Draws: the pushed state becomes a pipeline, descriptor sets and commands, as far as it moved.

use super::Magma;
use super::indices::{Indices, Rewrite, mode_after, needed};
use super::pipeline_key::{Raster, raster_of};
use super::spirv::{DrawConstants, DrawState};
use super::state::{DepthBiasKind, Flexible, flexible};
use super::targets::{Targets, context};
use crate::approximation::Approximation;
use ash::vk;
use mgl_core::handle::ShaderHandle;
use mgl_core::pipe::render_state::{DynamicState, PipelineState};
use mgl_core::pipe::*;

impl Magma {
    /// Draws.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] where nothing can be drawn. State that the device cannot express is drawn as near as
    /// it can ([`crate::approximation`]).
    pub(super) fn draw_call(
        &mut self,
        s: &PushedState,
        d: &DrawCall<'_>,
    ) -> Result<(), BackendError> {
        let info = d.info;
        if d.ranges.iter().all(|r| r.count == 0) && !info.flags.has(DrawFlags::INDIRECT) {
            return Ok(());
        }
        self.rec.check()?;
        self.stream.begin(&self.rec);
        if self.draw_again(s, d)? {
            return Ok(());
        }
        self.steady = None;
        let told = self.near.total();
        let c = context(s)?;
        let h = c.values.draw_program;
        if h.is_null() {
            // What comes of vertices that no program processes is undefined (GL 4.6 §7.3): nothing.
            return Ok(());
        }
        let pipeline = s
            .render_states
            .get(c.values.render_state)
            .map_err(|e| BackendError::Driver(e.to_string()))?;
        let dynamic = &c.values.dynamic;
        if let Some((_, e)) = self.broken.iter().find(|b| b.0 == h) {
            return Err(e.clone());
        }
        let t = self.draw_targets(s)?;
        let (flat, output, layered_viewports) = {
            let p = self
                .obj
                .programs
                .get(h)
                .map_err(|e| BackendError::Driver(e.to_string()))?;
            let r = p.reflection();
            (
                p.flat_inputs,
                r.geometry.map(|g| g.output),
                r.vertex.writes_viewport_index,
            )
        };
        let raster = raster_of(info.mode, output);
        refuse(info, self.gpu.has.tessellation)?;
        self.tell_near(pipeline, dynamic, raster, &t);
        let captures = info.flags.has(DrawFlags::CAPTURING) && self.is_capturing(s)?;
        let state = DrawState {
            flip_y: t.flip,
            points: info.mode == Primitive::POINTS,
            polygon_points: raster == Raster::Polygons
                && pipeline.polygon_mode == PolygonMode::POINT,
            program_point_size: dynamic.raster.program_point_size.get(),
            point_origin_upper_left: dynamic.raster.point_origin == ClipOrigin::UPPER_LEFT,
            depth_minus_one_to_one: dynamic.raster.clip_depth == ClipDepth::NEGATIVE_ONE_TO_ONE,
            clip_distances: dynamic.raster.clip_distances,
            draw_buffers: t.draw_buffers(),
            to_both: self.obj.programs.get(h).is_ok_and(|p| {
                crate::records::goes_to_both(&c.values.draw_framebuffer, p.reflection())
            }),
            unattached: t.unattached(),
            capture: captures,
            indexed: info.index_size != 0,
            draw_id_pushed: true,
            alpha_to_one: self.alpha_to_one_by_shader(dynamic, &t),
            first_color_only: !self.gpu.has.dual_src_blend,
        };
        let (variant, program_serial) = {
            let p = self
                .obj
                .programs
                .get_mut(h)
                .map_err(|e| BackendError::Driver(e.to_string()))?;
            let key = p.code.key(&state);
            (p.variant(key), p.serial)
        };
        let last = dynamic.raster.provoking_vertex == ProvokingVertex::LAST_VERTEX_CONVENTION;
        let mut turned = last && flat && output.is_none() && !self.gpu.has.provoking_vertex_last;
        if turned && captures {
            // What is captured has the order of the vertices.
            self.near(Approximation::ProvokingVertex);
            turned = false;
        }
        let how = needed(
            info,
            self.gpu.has.index_u8,
            self.gpu.has.list_restart,
            turned,
        );
        self.follow_vertex_input(s, h, d)?;
        self.follow_textures(s, h)?;
        self.follow_blocks(s, h)?;
        let mut rewritten = std::mem::take(&mut self.ranges);
        let placed = match (how, info.index_size) {
            (Rewrite::None, 0) => Ok(None),
            (Rewrite::None, _) => self.plain_indices(s, d).map(Some),
            (how, _) => self.rewrite_indices(s, d, how, &mut rewritten).map(Some),
        };
        let done = placed.and_then(|indices| {
            let mode = mode_after(how, info.mode);
            let ranges = if how == Rewrite::None {
                d.ranges
            } else {
                &rewritten
            };
            let bias = match (raster, pipeline.polygon_mode) {
                (Raster::Polygons, PolygonMode::LINE) => DepthBiasKind::Line,
                (Raster::Polygons, PolygonMode::POINT) => DepthBiasKind::Point,
                (Raster::Polygons, _) => DepthBiasKind::Fill,
                _ => DepthBiasKind::None,
            };
            let upper = dynamic.raster.clip_origin == ClipOrigin::UPPER_LEFT;
            let flex = flexible(
                pipeline,
                mode,
                t.flip != upper,
                t.depth.is_some(),
                t.stencil.is_some(),
                bias.is_on(&dynamic.depth_bias),
                indices.is_some_and(|i| i.restart),
            );
            let key = self.key_of(
                s,
                (program_serial, variant),
                pipeline,
                dynamic,
                &t,
                mode,
                raster,
                &flex,
                last && self.gpu.has.provoking_vertex_last,
                layered_viewports,
            )?;
            let raw = self.pipeline(h, &key)?;
            self.begin_draw(s, h, d, indices.is_some(), &t, raw, captures)?;
            self.bind(
                s,
                h,
                raw,
                &t,
                dynamic,
                &flex,
                bias,
                layered_viewports,
                indices.as_ref(),
            )?;
            self.draw_ranges(s, d, ranges, indices.as_ref())?;
            // What is only nearly drawn is counted at every draw.
            if how == Rewrite::None && told == self.near.total() {
                self.settle(s, d, indices);
            }
            Ok(())
        });
        self.ranges = rewritten;
        done
    }

    /// Counts what is drawn only nearly.
    #[inline]
    pub(super) fn near(&self, kind: Approximation) {
        self.near.near(kind, &self.gpu.events);
    }

    /// Tells what of a draw's state the device cannot express.
    fn tell_near(&self, p: &PipelineState, d: &DynamicState, raster: Raster, t: &Targets) {
        let has = &self.gpu.has;
        if p.polygon_mode != PolygonMode::FILL && raster == Raster::Polygons && !has.fill_mode {
            self.near(Approximation::PolygonMode);
        }
        if p.logic_op_enable.get() && p.logic_op != LogicOp::COPY && !has.logic_op {
            self.near(Approximation::LogicOp);
        }
        if p.depth_clamp.get() && !has.depth_clamp {
            self.near(Approximation::DepthClamp);
        }
        if !has.dual_src_blend
            && p.blend
                .iter()
                .any(|b| b.enable.get() && b.takes_second_color())
        {
            self.near(Approximation::DualSource);
        }
        if t.samples > 1 {
            // Multisampling smooths too (GL 4.6 §14.5.4, §14.6.6).
            let m = &d.multisample;
            if !m.enable.get() {
                self.near(Approximation::MultisampleOff);
            } else if m.alpha_to_one.get() && m.alpha_to_coverage.get() && !has.alpha_to_one {
                self.near(Approximation::AlphaToOne);
            }
            return;
        }
        if raster == Raster::Lines && d.raster.line_smooth.get() && !has.smooth_lines {
            self.near(Approximation::LineSmooth);
        }
        if raster == Raster::Polygons && d.raster.polygon_smooth.get() {
            self.near(Approximation::PolygonSmooth);
        }
    }

    /// Whether the shader writes alpha as one because pipelines of the device cannot. With alpha to coverage it must not:
    /// coverage is made of the alpha before (GL 4.6 §17.3.3).
    fn alpha_to_one_by_shader(&self, d: &DynamicState, t: &Targets) -> bool {
        let m = &d.multisample;
        let on = t.samples > 1 && m.enable.get() && m.alpha_to_one.get();
        on && !m.alpha_to_coverage.get() && !self.gpu.has.alpha_to_one
    }

    /// Barriers for all that a draw reads, and rendering to its targets.
    #[allow(clippy::too_many_arguments)]
    fn begin_draw(
        &mut self,
        s: &PushedState,
        h: ShaderHandle,
        d: &DrawCall<'_>,
        indexed: bool,
        t: &Targets,
        pipeline: vk::Pipeline,
        captures: bool,
    ) -> Result<(), BackendError> {
        // A capture goes on with one pipeline only, and without draws that are not captured.
        if self.capture_runs() && (!captures || self.bound.pipeline != pipeline) {
            self.end_rendering();
        }
        let values = &context(s)?.values;
        let mut images = std::mem::take(&mut self.draw_images);
        let mut buffers = std::mem::take(&mut self.draw_buffers);
        let mut feedback = std::mem::take(&mut self.feedback);
        images.clear();
        buffers.clear();
        feedback.clear();
        let ctx = self.ctx(s)?;
        for slot in &mut ctx.slots {
            if let Some(image) = slot.image {
                let attached = t.slices().any(|x| x.image == image);
                let layout = if attached {
                    vk::ImageLayout::GENERAL
                } else {
                    vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL
                };
                if slot.layout != layout {
                    slot.layout = layout;
                }
                if attached && !feedback.contains(&image) {
                    feedback.push(image);
                }
                if !images.iter().any(|u: &(_, _, _)| u.0 == image) {
                    images.push((image, layout, false));
                }
            }
            if let Some(b) = slot.buffer {
                buffers.push((b, false));
            }
        }
        buffers.extend_from_slice(&ctx.vertex.uses);
        buffers.extend_from_slice(&ctx.block_uses);
        if indexed && !d.info.flags.has(DrawFlags::USER_INDICES) {
            let b = values.index_buffer.buffer;
            if !b.is_null() {
                buffers.push((b, false));
            }
        }
        if d.info.flags.has(DrawFlags::INDIRECT) {
            buffers.push((values.indirect.draw, false));
        }
        if captures && !self.capture_runs() {
            for x in &values.stream_targets {
                buffers.retain(|b| b.0 != x.buffer);
                buffers.push((x.buffer, true));
            }
        }
        let done = self.sync(&images, &buffers).and_then(|()| {
            let epoch = self.rec.epoch;
            self.counter_ready(s, captures)?;
            self.begin_rendering(t, &feedback)?;
            // Rendering may have begun behind a barrier of its own; the draw's accesses are later than that.
            if self.rec.epoch == epoch {
                return Ok(());
            }
            self.mark(&images, &buffers)
        });
        self.draw_images = images;
        self.draw_buffers = buffers;
        self.feedback = feedback;
        let _ = h;
        done
    }

    #[allow(clippy::too_many_arguments)]
    fn bind(
        &mut self,
        s: &PushedState,
        h: ShaderHandle,
        pipeline: vk::Pipeline,
        t: &Targets,
        d: &DynamicState,
        flex: &Flexible,
        bias: DepthBiasKind,
        many: bool,
        indices: Option<&Indices>,
    ) -> Result<(), BackendError> {
        let cmd = self.rec.cmd();
        if self.bound.pipeline != pipeline {
            self.bound.pipeline = pipeline;
            self.counters.pipeline_binds += 1;
            // SAFETY: the pipeline lives, and no capture runs.
            unsafe {
                self.gpu
                    .device
                    .cmd_bind_pipeline(cmd, vk::PipelineBindPoint::GRAPHICS, pipeline);
            }
        }
        let height = match t.slices().next() {
            Some(x) => self.obj.images.get(x.image)?.extent(x.level).height,
            None => t.height,
        } as f32;
        let commanded = self.commanded(d, t, height, many, bias);
        self.set_commanded(&commanded);
        self.set_flexible(flex);
        self.bind_sets(s, h)?;
        self.bind_vertex_buffers(s)?;
        if let Some(i) = indices {
            let want = (i.buffer, i.offset, i.ty);
            if self.bound.index != Some(want) {
                self.bound.index = Some(want);
                // SAFETY: the buffer lives.
                unsafe {
                    self.gpu
                        .device
                        .cmd_bind_index_buffer(cmd, i.buffer, i.offset, i.ty);
                }
            }
        }
        let size = if self.gpu.has.large_points {
            let range = self.gpu.limits.core.point_size_range;
            d.raster.point_size.0.clamp(range[0], range[1])
        } else {
            1.0
        };
        self.constants = DrawConstants {
            height,
            point_size: size,
            ..DrawConstants::default()
        };
        Ok(())
    }

    fn bind_vertex_buffers(&mut self, s: &PushedState) -> Result<(), BackendError> {
        let ctx = Self::ctx_of(&mut self.contexts, s)?;
        let v = &ctx.vertex;
        let n = v.count;
        if n == 0 {
            return Ok(());
        }
        let b = &mut self.bound;
        let dynamic = self.gpu.has.dynamic_state;
        if b.vertex_count == n
            && b.vertex_buffers[..n] == v.buffers[..n]
            && b.vertex_offsets[..n] == v.offsets[..n]
            && b.vertex_strides[..n] == v.strides[..n]
        {
            return Ok(());
        }
        b.vertex_count = n;
        b.vertex_buffers[..n].copy_from_slice(&v.buffers[..n]);
        b.vertex_offsets[..n].copy_from_slice(&v.offsets[..n]);
        b.vertex_strides[..n].copy_from_slice(&v.strides[..n]);
        let cmd = self.rec.cmd();
        // SAFETY: the buffers live, and offsets are inside them.
        unsafe {
            if dynamic {
                self.gpu.eds.cmd_bind_vertex_buffers2(
                    cmd,
                    0,
                    &v.buffers[..n],
                    &v.offsets[..n],
                    None,
                    Some(&v.strides[..n]),
                );
            } else {
                self.gpu
                    .device
                    .cmd_bind_vertex_buffers(cmd, 0, &v.buffers[..n], &v.offsets[..n]);
            }
        }
        Ok(())
    }

    /// Pushes the constants of a draw, if they differ from the last ones.
    fn push_constants(&mut self, h: ShaderHandle) -> Result<(), BackendError> {
        if self.bound.constants == Some(self.constants) {
            return Ok(());
        }
        self.bound.constants = Some(self.constants);
        let layout = self
            .obj
            .programs
            .get(h)
            .map_err(|e| BackendError::Driver(e.to_string()))?
            .layout;
        let cmd = self.rec.cmd();
        // SAFETY: every pipeline layout has this range.
        unsafe {
            self.gpu.device.cmd_push_constants(
                cmd,
                layout,
                vk::ShaderStageFlags::ALL_GRAPHICS,
                0,
                bytemuck::bytes_of(&self.constants),
            );
        }
        Ok(())
    }

    pub(super) fn draw_ranges(
        &mut self,
        s: &PushedState,
        d: &DrawCall<'_>,
        ranges: &[DrawRange],
        indices: Option<&Indices>,
    ) -> Result<(), BackendError> {
        let info = d.info;
        let h = context(s)?.values.draw_program;
        if info.flags.has(DrawFlags::CAPTURING) {
            self.start_capture(s)?;
        }
        if info.flags.has(DrawFlags::INDIRECT) {
            self.push_constants(h)?;
            return self.draw_indirect(s, d, indices.is_some());
        }
        let (pushes, numbered) = {
            let p = self
                .obj
                .programs
                .get(h)
                .map_err(|e| BackendError::Driver(e.to_string()))?;
            let v = &p.reflection().vertex;
            (!self.gpu.has.draw_parameters, v.uses_draw_id)
        };
        // Vertices without numbers do not exist.
        let numbered_all = |r: &DrawRange| r.start.checked_add(r.count).is_some();
        for r in ranges.iter().filter(|r| r.count > 0 && numbered_all(r)) {
            if pushes {
                self.constants.base_instance = info.base_instance as i32;
                self.constants.base_vertex = if indices.is_some() { r.base_vertex } else { 0 };
            }
            if numbered {
                self.constants.draw_id = r.draw_id as i32;
            }
            self.push_constants(h)?;
            let cmd = self.rec.cmd();
            self.counters.draw_calls += 1;
            // SAFETY: everything is bound; the device answers reads outside buffers with values of its own choice.
            unsafe {
                match indices {
                    Some(_) => self.gpu.device.cmd_draw_indexed(
                        cmd,
                        r.count,
                        info.instances,
                        r.start,
                        r.base_vertex,
                        info.base_instance,
                    ),
                    None => self.gpu.device.cmd_draw(
                        cmd,
                        r.count,
                        info.instances,
                        r.start,
                        info.base_instance,
                    ),
                }
            }
        }
        Ok(())
    }

    fn draw_indirect(
        &mut self,
        s: &PushedState,
        d: &DrawCall<'_>,
        indexed: bool,
    ) -> Result<(), BackendError> {
        let info = d.info;
        let b = self.buffer(context(s)?.values.indirect.draw)?;
        let (raw, size) = (b.raw.buffer, b.size);
        let default_stride = if indexed { 20 } else { 16 };
        let stride = match info.indirect_stride {
            0 => default_stride,
            n => u64::from(n),
        };
        let cmd = self.rec.cmd();
        for i in 0..u64::from(info.indirect_draws) {
            let at = info.indirect_offset.saturating_add(i * stride);
            if at.saturating_add(default_stride) > size || at % 4 != 0 {
                break;
            }
            self.counters.draw_calls += 1;
            // SAFETY: everything is bound, and the parameters lie inside the buffer.
            unsafe {
                if indexed {
                    self.gpu
                        .device
                        .cmd_draw_indexed_indirect(cmd, raw, at, 1, 20);
                } else {
                    self.gpu.device.cmd_draw_indirect(cmd, raw, at, 1, 16);
                }
            }
        }
        Ok(())
    }
}

/// Refuses draws of which nothing can be drawn.
fn refuse(info: &DrawInfo, tessellates: bool) -> Result<(), BackendError> {
    let what = if info.flags.has(DrawFlags::COUNT_FROM_STREAM_OUTPUT) {
        "a vertex count from transform feedback"
    } else if info.flags.has(DrawFlags::INDIRECT_COUNT) {
        "an indirect draw count"
    } else if info.mode == Primitive::PATCHES && !tessellates {
        "tessellation"
    } else {
        return Ok(());
    };
    Err(BackendError::Unsupported(what.into()))
}
