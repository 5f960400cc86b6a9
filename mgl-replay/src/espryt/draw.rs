//! Draws: the pushed state becomes GL state as far as it moved, then one GL call a range.
//!
//! A draw that is captured is drawn at once where its variant of the program captures what the program gives; else it is
//! drawn twice: captured with nothing rasterised, then rasterised with nothing captured. So a capture goes on with the
//! variant that it began with, whatever state changes between its draws.

use super::essl::logic::{Logic, LogicTarget};
use super::essl::wire::Outline;
use super::indices::Indices;
use super::near::{Raster, raster_of, refuse, wire};
use super::program::{StateValues, VariantKey};
use super::provoking::list_mode;
use super::samplers::LookUp;
use super::work::Work;
use glow::HasContext;
use mgl_core::format::ComponentClass;
use mgl_core::handle::ShaderHandle;
use mgl_core::pipe::render_state::{DynamicState, PipelineState};
use mgl_core::pipe::*;
use std::ffi::c_void;

/// How the vertices of a draw become what is drawn.
#[derive(Clone, Copy)]
struct Pass {
    key: VariantKey,
    /// Values that the variant takes from state.
    values: StateValues,
    /// Viewports are chosen by the shader.
    many_viewports: bool,
    /// Lists that the primitives are turned into, and whether the first vertex of each provokes.
    list: Option<(Primitive, bool)>,
    /// Nothing is rasterised, though the state says otherwise.
    discards: bool,
}

impl Work<'_> {
    /// Draws.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] where nothing can be drawn. State that OpenGL ES cannot express is drawn as near as it
    /// can ([`crate::approximation`]).
    pub fn draw(&mut self, s: &PushedState, d: &DrawCall<'_>) -> Result<(), BackendError> {
        if self.draw_again(s, d)? {
            return Ok(());
        }
        self.obj.steady = None;
        let told = self.dev.approximated();
        let c = self.context(s)?;
        let h = c.values.draw_program;
        if d.ranges.iter().all(|r| r.count == 0) && !d.info.flags.has(DrawFlags::INDIRECT) {
            return Ok(());
        }
        if h.is_null() {
            // What comes of vertices that no program processes is undefined (GL 4.6 §7.3): nothing.
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
        refuse(d.info)?;
        let raster = raster_of(d.info.mode, facts);
        let (flat, geometry) = (program.flat_inputs, facts.geometry.is_some());
        let target = &c.values.draw_framebuffer;
        let (broadcasts, point_coord) = (
            facts.fragment.broadcasts_color || crate::records::goes_to_both(target, facts),
            facts.fragment.uses_point_coord,
        );
        let many_viewports = facts.vertex.writes_viewport_index;
        let captures = d.info.flags.has(DrawFlags::CAPTURING) && facts.xfb.is_some();
        self.tell_near(pipeline, dynamic, raster, flat && geometry);
        let wire = self.outlined(wire(pipeline, dynamic, raster));
        let corners = wire.is_some_and(|w| w.outline == Outline::Points);
        let points = raster == Raster::Points || corners;
        let key = VariantKey {
            broadcast: if broadcasts {
                self.ctx.framebuffers.draw_bound.draw_buffers.max(1)
            } else {
                1
            },
            fixed_point_size: points && !dynamic.raster.program_point_size.get(),
            point_coord_from_below: points
                && point_coord
                && dynamic.raster.point_origin == ClipOrigin::LOWER_LEFT,
            lod_bias: self.ctx.biased == h,
            wire,
            logic: self.logic(pipeline, dynamic, target),
            alpha_to_one: self.alpha_to_one(dynamic),
            clip_points: raster == Raster::Points,
            capture: false,
            counting: self.counting(pipeline),
        };
        let first = !geometry
            && flat
            && dynamic.raster.provoking_vertex == ProvokingVertex::FIRST_VERTEX_CONVENTION;
        // A geometry shader of our own takes no neighbours.
        let adjacent = !geometry
            && wire.is_some()
            && matches!(
                d.info.mode,
                Primitive::TRIANGLES_ADJACENCY | Primitive::TRIANGLE_STRIP_ADJACENCY
            );
        let list = list_mode(d.info.mode).filter(|_| first || adjacent);
        let pass = Pass {
            key,
            values: StateValues {
                point_size: dynamic.raster.point_size.0,
                height: target.height as f32,
                offset: match wire {
                    Some(w) if w.offset => self.outline_offset(dynamic),
                    _ => [0.0; 4],
                },
            },
            many_viewports,
            list: list.map(|list| (list, first)),
            discards: false,
        };
        if self.ctx.capture.is_none() || !captures {
            self.draw_pass(s, d, h, pass)?;
            // What is only nearly drawn is counted at every draw.
            if pass.list.is_none() && self.ctx.biased != h && told == self.dev.approximated() {
                self.settle(s, d, h);
            }
            return Ok(());
        }
        let discards = pipeline.rasterizer_discard.get();
        if let Some(pass) = self.captured_at_once(h, pass).filter(|_| !discards) {
            return self.draw_pass(s, d, h, pass);
        }
        let captured = self.capture_pass(s, d, h, discards);
        if !discards {
            // What cannot be captured is drawn all the same.
            self.uncounted(|w| w.draw_pass(s, d, h, pass))?;
        }
        captured
    }

    /// The pass that draws and captures at once: where the capture can begin, or began, with this very variant.
    fn captured_at_once(&self, h: ShaderHandle, pass: Pass) -> Option<Pass> {
        let key = VariantKey {
            capture: true,
            ..pass.key
        };
        let program = self.obj.programs.get(h).ok()?;
        let fits = match self.ctx.capture.and_then(|c| c.begun()) {
            None => key.keeps_vertices(),
            Some(begun) => program.serial_of(&key) == Some(begun),
        };
        (fits && pass.list.is_none()).then_some(Pass { key, ..pass })
    }

    /// Captures, and rasterises nothing.
    fn capture_pass(
        &mut self,
        s: &PushedState,
        d: &DrawCall<'_>,
        h: ShaderHandle,
        state_discards: bool,
    ) -> Result<(), BackendError> {
        let begun = self.ctx.capture.and_then(|c| c.begun());
        let program = self.obj.programs.get(h);
        let known = begun.and_then(|b| program.ok().and_then(|p| p.key_of(b)));
        let pass = Pass {
            key: known.unwrap_or(VariantKey::CAPTURE),
            values: StateValues::default(),
            many_viewports: false,
            list: None,
            discards: !state_discards,
        };
        self.draw_pass(s, d, h, pass)
    }

    /// Draws once.
    fn draw_pass(
        &mut self,
        s: &PushedState,
        d: &DrawCall<'_>,
        h: ShaderHandle,
        pass: Pass,
    ) -> Result<(), BackendError> {
        let c = self.context(s)?;
        let mut key = pass.key;
        let mut variant = self.use_nearest(h, &mut key, pass.values)?;
        self.follow_textures(s, h, variant)?;
        let biased = self.reads_biased(h);
        // A capture goes on with its own variant, which no bias concerns.
        if biased != key.lod_bias && !key.capture {
            self.ctx.biased = if biased { h } else { ShaderHandle::NULL };
            key.lod_bias = biased;
            variant = self.use_nearest(h, &mut key, pass.values)?;
            self.follow_textures(s, h, variant)?;
        }
        if key.lod_bias {
            self.follow_biases(h, variant);
        }
        // Stand-ins may have been made and filled through a framebuffer of their own.
        let target = self.ctx.framebuffers.draw_bound.name;
        let fb = &mut self.ctx.framebuffers;
        fb.bind(self.dev, glow::DRAW_FRAMEBUFFER, target);
        self.follow_render_state(s, pass.many_viewports)?;
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
            self.follow_capture(s, key.capture, serial)?;
        }
        if pass.discards {
            // SAFETY: the context is current.
            unsafe { self.dev.state().enable(glow::RASTERIZER_DISCARD) };
        }
        let done = match pass.list {
            Some((list, first)) => self.draw_as_lists(s, d, list, first),
            None if d.info.index_size == 0 => self.draw_arrays(s, d),
            None => self.draw_elements(s, d),
        };
        if pass.discards {
            // SAFETY: the context is current.
            unsafe { self.dev.state().disable(glow::RASTERIZER_DISCARD) };
        }
        done
    }

    /// Whether look-ups of the program, whose textures are bound, do what OpenGL ES cannot be told.
    fn reads_biased(&self, h: ShaderHandle) -> bool {
        let samples = self.obj.programs.get(h).is_ok_and(|p| !p.slots.is_empty());
        samples && !self.ctx.look_ups.iter().all(LookUp::is_plain)
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

    pub(super) fn draw_arrays(
        &mut self,
        s: &PushedState,
        d: &DrawCall<'_>,
    ) -> Result<(), BackendError> {
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
                if info.base_instance != 0 && self.dev.gl.has.base_instance {
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

    pub(super) fn draw_elements(
        &mut self,
        s: &PushedState,
        d: &DrawCall<'_>,
    ) -> Result<(), BackendError> {
        let info = d.info;
        let moved = d.ranges.iter().any(|r| r.base_vertex != 0);
        if moved && !self.dev.gl.has.base_vertex && !info.flags.has(DrawFlags::INDIRECT) {
            return self.draw_with_bases_added(s, d);
        }
        let indices = self.place_indices(s, d)?;
        self.bind_index_buffer(s, indices.name, indices.serial);
        self.set_restart(indices.restart);
        if info.flags.has(DrawFlags::INDIRECT) {
            return self.draw_indirect(s, d, Some(&indices));
        }
        for r in d.ranges {
            self.draw_range(d.info, r, &indices);
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

    /// Draws one range of indices. A base vertex is one that the context has.
    pub fn draw_range(&self, info: &DrawInfo, r: &DrawRange, indices: &Indices) {
        let (gl, es) = (&self.dev.gl.glow, &self.dev.gl.es);
        let (mode, ty) = (info.mode.0, indices.gl_type());
        let at = indices.address(r.start) as *const c_void;
        let (count, instances) = (r.count as i32, info.instances as i32);
        // Where there are no base instances, vertex buffers begin further on.
        let base_instance = if self.dev.gl.has.base_instance {
            info.base_instance
        } else {
            0
        };
        self.dev.tally.draw_calls.one();
        // SAFETY: as for draws without indices; `at` is an offset into the bound index buffer.
        unsafe {
            match (base_instance, r.base_vertex, instances) {
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
