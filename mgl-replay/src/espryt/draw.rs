//! Draws: the pushed state becomes GL state as far as it moved, then one GL call a range.

use super::essl::logic::{Logic, LogicTarget};
use super::essl::wire::{Outline, Wire};
use super::indices::Indices;
use super::program::{StateValues, VariantKey};
use super::provoking::list_mode;
use super::work::Work;
use glow::HasContext;
use mgl_core::format::ComponentClass;
use mgl_core::handle::ShaderHandle;
use mgl_core::pipe::render_state::{DynamicState, PipelineState};
use mgl_core::pipe::*;
use mgl_core::program::ShaderStage;
use std::ffi::c_void;

impl Work<'_> {
    /// Draws.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] for state that OpenGL ES cannot express. Smoothing alone does not stop the draw: it
    /// is drawn without, and refused afterwards.
    pub fn draw(&mut self, s: &PushedState, d: &DrawCall<'_>) -> Result<(), BackendError> {
        let c = self.context(s)?;
        let h = c.values.draw_program;
        if d.ranges.iter().all(|r| r.count == 0) && !d.info.flags.has(DrawFlags::INDIRECT) {
            return Ok(());
        }
        let pipeline = s
            .render_states
            .get(c.values.render_state)
            .map_err(|e| BackendError::Driver(e.to_string()))?;
        let dynamic = &c.values.dynamic;
        self.bind_draw_framebuffer(s)?;
        let program = self
            .obj
            .programs
            .get(h)
            .map_err(|e| BackendError::Driver(e.to_string()))?;
        let facts = &program.reflection;
        let wire = wire(pipeline, d.info.mode);
        let corners = wire.is_some_and(|w| w.outline == Outline::Points);
        let points = is_points(d.info.mode, facts) || corners;
        let target = &c.values.draw_framebuffer;
        let mut key = VariantKey {
            broadcast: if facts.fragment.broadcasts_color
                || crate::records::goes_to_both(target, facts)
            {
                self.ctx.framebuffers.draw_bound.draw_buffers.max(1)
            } else {
                1
            },
            fixed_point_size: points && !dynamic.raster.program_point_size.get(),
            point_coord_from_below: points
                && facts.fragment.uses_point_coord
                && dynamic.raster.point_origin == ClipOrigin::LOWER_LEFT,
            lod_bias: self.ctx.biased == h,
            wire,
            logic: self.logic(pipeline, dynamic, target),
        };
        let values = StateValues {
            point_size: dynamic.raster.point_size.0,
            height: target.height as f32,
        };
        let many = facts.vertex.writes_viewport_index;
        let flat = program.flat_inputs;
        let geometry = facts.geometry.is_some();
        let only_vertices = !facts.stages.contains(ShaderStage::Geometry)
            && !facts.stages.contains(ShaderStage::TessEval);
        self.refuse(pipeline, dynamic, d.info, flat && geometry, only_vertices)?;
        let mut variant = self.use_program(h, key, values)?;
        self.follow_textures(s, h, variant)?;
        let biased = self.reads_biased(h);
        if biased != key.lod_bias {
            self.ctx.biased = if biased { h } else { ShaderHandle::NULL };
            key.lod_bias = biased;
            variant = self.use_program(h, key, values)?;
            self.follow_textures(s, h, variant)?;
        }
        if biased {
            self.follow_biases(h, variant);
        }
        // Stand-ins may have been made and filled through a framebuffer of their own.
        let target = self.ctx.framebuffers.draw_bound.name;
        let fb = &mut self.ctx.framebuffers;
        fb.bind(self.dev, glow::DRAW_FRAMEBUFFER, target);
        self.follow_render_state(s, many)?;
        self.follow_vertex_input(s, d)?;
        self.follow_uniforms(s, h, variant)?;
        if d.info.mode == Primitive::PATCHES
            && self.dev.gl.has.tessellation
            && self.ctx.shadow.patch_vertices != c.values.patch.vertices
        {
            self.ctx.shadow.patch_vertices = c.values.patch.vertices;
            // SAFETY: the context is current and has tessellation, else the program would not have linked.
            unsafe {
                self.dev
                    .gl
                    .glow
                    .patch_parameter_i32(glow::PATCH_VERTICES, c.values.patch.vertices as i32);
            }
        }
        if self.ctx.capture.is_some() {
            let serial = self
                .obj
                .programs
                .get(h)
                .map_or(0, |p| p.variant(variant).serial);
            self.follow_capture(s, d.info.flags.has(DrawFlags::CAPTURING), serial)?;
        }
        let first =
            dynamic.raster.provoking_vertex == ProvokingVertex::FIRST_VERTEX_CONVENTION && flat;
        match list_mode(d.info.mode) {
            Some(list) if first => self.draw_first_provokes(s, d, list)?,
            _ if d.info.index_size == 0 => self.draw_arrays(s, d)?,
            _ => self.draw_elements(s, d)?,
        }
        self.refuse_smoothing(dynamic, d.info.mode)
    }

    /// Refuses what would be drawn wrong.
    fn refuse(
        &self,
        p: &PipelineState,
        d: &DynamicState,
        info: &DrawInfo,
        flat_from_geometry: bool,
        only_vertices: bool,
    ) -> Result<(), BackendError> {
        let has = &self.dev.gl.has;
        let refuse = |what: String| Err(BackendError::Unsupported(what));
        if let Some(w) = wire(p, info.mode) {
            let (offset, sized) = match w.outline {
                Outline::Lines => (d.depth_bias.line.get(), true),
                Outline::Points => (d.depth_bias.point.get(), has.geometry_point_size),
            };
            let adjacent = matches!(
                info.mode,
                Primitive::TRIANGLES_ADJACENCY | Primitive::TRIANGLE_STRIP_ADJACENCY
            );
            let captured = info.flags.has(DrawFlags::CAPTURING);
            if !has.geometry || !sized || !only_vertices || offset || adjacent || captured {
                return refuse(format!("polygon mode {:?}", p.polygon_mode));
            }
        }
        let lowered = p.logic_op == LogicOp::COPY
            || has.framebuffer_fetch
            || matches!(p.logic_op, LogicOp::CLEAR | LogicOp::NOOP)
                && !self.ctx.framebuffers.draw_bound.integers;
        if p.logic_op_enable.get() && !lowered {
            return refuse(format!("logic operation {:?}", p.logic_op));
        }
        if p.depth_clamp.get() && !has.depth_clamp {
            return refuse("depth clamping".into());
        }
        let r = &d.raster;
        if r.clip_distances != 0 && !has.clip_distance {
            return refuse("clip distances".into());
        }
        if (r.clip_origin, r.clip_depth) != (ClipOrigin::LOWER_LEFT, ClipDepth::NEGATIVE_ONE_TO_ONE)
            && !has.clip_control
        {
            return refuse("clip control".into());
        }
        if r.provoking_vertex == ProvokingVertex::FIRST_VERTEX_CONVENTION && flat_from_geometry {
            return refuse("the first vertex as provoking vertex of a geometry shader".into());
        }
        let multisampled = self.ctx.framebuffers.draw_bound.samples > 1;
        if multisampled && !has.multisample_switch {
            if !d.multisample.enable.get() {
                return refuse("a multisampled framebuffer without multisampling".into());
            }
            if d.multisample.alpha_to_one.get() {
                return refuse("alpha to one".into());
            }
        }
        if info.flags.has(DrawFlags::COUNT_FROM_STREAM_OUTPUT) {
            return refuse("a vertex count from transform feedback".into());
        }
        if info.flags.has(DrawFlags::INDIRECT_COUNT) {
            return refuse("an indirect draw count".into());
        }
        if info.base_instance != 0 && !has.base_instance {
            return refuse("a base instance".into());
        }
        Ok(())
    }

    /// Whether a sampler of the program, whose textures are bound, has a LOD bias.
    fn reads_biased(&self, h: ShaderHandle) -> bool {
        let samples = self.obj.programs.get(h).is_ok_and(|p| !p.slots.is_empty());
        samples && self.ctx.biases.iter().any(|b| *b != 0.0)
    }

    /// The logic operation that the fragment shader has to do, if there is one.
    fn logic(
        &self,
        p: &PipelineState,
        d: &DynamicState,
        target: &FramebufferState,
    ) -> Option<Logic> {
        let has = &self.dev.gl.has;
        if !p.logic_op_enable.get() || p.logic_op == LogicOp::COPY || !has.framebuffer_fetch {
            return None;
        }
        let mut targets = [LogicTarget::Untouched; 8];
        for (place, index) in targets.iter_mut().zip(target.draw_buffers) {
            let Some(info) = target
                .color
                .get(index as usize)
                .and_then(|a| a.format.info())
            else {
                continue;
            };
            let b = info.bits;
            let encoded = info.srgb && d.output.framebuffer_srgb.get();
            *place = match info.class {
                ComponentClass::Unorm if !encoded => {
                    LogicTarget::Unorm([b.red, b.green, b.blue, b.alpha])
                }
                ComponentClass::Sint | ComponentClass::Uint => LogicTarget::Integer,
                _ => LogicTarget::Untouched,
            };
        }
        Some(Logic {
            operation: p.logic_op.0,
            targets,
        })
    }

    fn refuse_smoothing(&self, d: &DynamicState, mode: Primitive) -> Result<(), BackendError> {
        if self.ctx.framebuffers.draw_bound.samples > 1 {
            // Multisampling smooths instead (GL 4.6 §14.5.4, §14.6.6).
            return Ok(());
        }
        let lines = matches!(
            mode,
            Primitive::LINES | Primitive::LINE_STRIP | Primitive::LINE_LOOP
        );
        if lines && d.raster.line_smooth.get() {
            return Err(BackendError::Unsupported("line smoothing".into()));
        }
        if !lines && mode != Primitive::POINTS && d.raster.polygon_smooth.get() {
            return Err(BackendError::Unsupported("polygon smoothing".into()));
        }
        Ok(())
    }

    fn draw_arrays(&mut self, s: &PushedState, d: &DrawCall<'_>) -> Result<(), BackendError> {
        let (gl, es) = (&self.dev.gl.glow, &self.dev.gl.es);
        let (info, mode) = (d.info, d.info.mode.0);
        if info.flags.has(DrawFlags::INDIRECT) {
            return self.draw_indirect(s, d, None);
        }
        // SAFETY: the context is current with a program, a vertex array and a complete framebuffer; GL answers a range
        // outside the buffers with undefined vertices, not with undefined behaviour of this process.
        unsafe {
            for r in d.ranges {
                self.dev.tally.draw_calls.one();
                let (first, count) = (r.start as i32, r.count as i32);
                if info.base_instance != 0 {
                    es.DrawArraysInstancedBaseInstanceEXT(
                        mode,
                        first,
                        count,
                        info.instances as i32,
                        info.base_instance,
                    );
                } else if info.instances > 1 {
                    gl.draw_arrays_instanced(mode, first, count, info.instances as i32);
                } else {
                    gl.draw_arrays(mode, first, count);
                }
            }
        }
        Ok(())
    }

    fn draw_elements(&mut self, s: &PushedState, d: &DrawCall<'_>) -> Result<(), BackendError> {
        let info = d.info;
        let indices = self.place_indices(s, d)?;
        self.bind_index_buffer(s, indices.name, indices.serial);
        self.set_restart(indices.restart);
        if info.flags.has(DrawFlags::INDIRECT) {
            return self.draw_indirect(s, d, Some(&indices));
        }
        for r in d.ranges {
            self.draw_range(d.info, r, &indices)?;
        }
        Ok(())
    }

    /// Restarts at the largest value of the index type, or not at all.
    pub fn set_restart(&mut self, on: bool) {
        if self.ctx.shadow.restart != on {
            self.ctx.shadow.restart = on;
            let what = glow::PRIMITIVE_RESTART_FIXED_INDEX;
            // SAFETY: the context is current.
            unsafe {
                if on {
                    self.dev.gl.glow.enable(what);
                } else {
                    self.dev.gl.glow.disable(what);
                }
            }
        }
    }

    /// Draws one range of indices.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] for a base vertex that the context lacks.
    pub fn draw_range(
        &self,
        info: &DrawInfo,
        r: &DrawRange,
        indices: &Indices,
    ) -> Result<(), BackendError> {
        let (gl, es) = (&self.dev.gl.glow, &self.dev.gl.es);
        let (mode, ty) = (info.mode.0, indices.gl_type());
        let at = indices.address(r.start) as *const c_void;
        let (count, instances) = (r.count as i32, info.instances as i32);
        if r.base_vertex != 0 && !self.dev.gl.has.base_vertex {
            return Err(BackendError::Unsupported("a base vertex".into()));
        }
        self.dev.tally.draw_calls.one();
        // SAFETY: as for draws without indices; `at` is an offset into the bound index buffer.
        unsafe {
            match (info.base_instance, r.base_vertex, instances) {
                (0, 0, 1) => es.DrawElements(mode, count, ty, at),
                (0, base, 1) => es.DrawElementsBaseVertex(mode, count, ty, at, base),
                (0, 0, n) => gl.draw_elements_instanced(mode, count, ty, at as usize as i32, n),
                (0, base, n) => {
                    es.DrawElementsInstancedBaseVertex(mode, count, ty, at, n, base);
                }
                (first, base, n) => es.DrawElementsInstancedBaseVertexBaseInstanceEXT(
                    mode, count, ty, at, n, base, first,
                ),
            }
        }
        Ok(())
    }

    fn draw_indirect(
        &mut self,
        s: &PushedState,
        d: &DrawCall<'_>,
        indices: Option<&Indices>,
    ) -> Result<(), BackendError> {
        let info = d.info;
        let buffer = self.context(s)?.values.indirect.draw;
        let b = self.buffer(buffer)?;
        let (name, serial, size) = (b.name, b.serial, b.size);
        let gl = &self.dev.gl.glow;
        if self.ctx.shadow.indirect != serial {
            self.ctx.shadow.indirect = serial;
            self.dev.tally.buffer_binds.one();
            // SAFETY: the context is current, and the buffer lives.
            unsafe { gl.bind_buffer(glow::DRAW_INDIRECT_BUFFER, Some(name)) };
        }
        let default_stride = if indices.is_some() { 20 } else { 16 };
        let stride = match info.indirect_stride {
            0 => default_stride,
            n => u64::from(n),
        };
        for i in 0..u64::from(info.indirect_draws) {
            let first = info.indirect_offset.saturating_add(i * stride);
            if first.saturating_add(default_stride) > size {
                break;
            }
            let at = first as usize as *const c_void;
            self.dev.tally.draw_calls.one();
            // SAFETY: as for draws; GL refuses parameters outside the indirect buffer.
            unsafe {
                match indices {
                    Some(x) => self
                        .dev
                        .gl
                        .es
                        .DrawElementsIndirect(info.mode.0, x.gl_type(), at),
                    None => self.dev.gl.es.DrawArraysIndirect(info.mode.0, at),
                }
            }
        }
        Ok(())
    }
}

/// How polygons of a mode are drawn when they are not filled.
fn wire(p: &PipelineState, mode: Primitive) -> Option<Wire> {
    let outline = match p.polygon_mode {
        PolygonMode::LINE => Outline::Lines,
        PolygonMode::POINT => Outline::Points,
        _ => return None,
    };
    let polygons = matches!(
        mode,
        Primitive::TRIANGLES
            | Primitive::TRIANGLE_STRIP
            | Primitive::TRIANGLE_FAN
            | Primitive::TRIANGLES_ADJACENCY
            | Primitive::TRIANGLE_STRIP_ADJACENCY
            | Primitive::PATCHES
    );
    let culls = |face| p.cull_enable.get() && [face, Face::FRONT_AND_BACK].contains(&p.cull_face);
    polygons.then_some(Wire {
        outline,
        culled: [culls(Face::FRONT), culls(Face::BACK)],
        front_ccw: p.front_face == FrontFace::CCW,
    })
}

/// Whether points reach the rasteriser.
fn is_points(mode: Primitive, r: &mgl_core::program::Reflection) -> bool {
    match r.geometry {
        Some(g) => g.output == mgl_core::program::GeometryPrimitive::Points,
        None => mode == Primitive::POINTS,
    }
}
