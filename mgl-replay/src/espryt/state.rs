//! Render state: the pushed pipeline and dynamic parts become GL state, as far as they differ from what GL has.
//!
//! What OpenGL ES cannot express is refused by name where it would change what is drawn (design: driver 5.1, 5.5).

use super::context::NativeContext;
use super::device::Device;
use super::work::Work;
use glow::HasContext;
use mgl_core::handle::RenderStateHandle;
use mgl_core::pipe::render_state::*;
use mgl_core::pipe::*;
use mgl_core::pod::{Bool32, F32};

fn switch(dev: &Device, what: u32, on: bool) {
    // SAFETY: the context is current.
    unsafe {
        if on {
            dev.state().enable(what);
        } else {
            dev.state().disable(what);
        }
    }
}

impl NativeContext {
    /// Makes the pipeline part GL's.
    pub fn set_pipeline(&mut self, dev: &Device, new: &PipelineState) {
        let old = self.shadow.pipeline;
        if old == *new {
            return;
        }
        set_blend(dev, &old.blend, &new.blend);
        if old.depth_test != new.depth_test {
            switch(dev, glow::DEPTH_TEST, new.depth_test.get());
        }
        if old.depth_clamp != new.depth_clamp && dev.gl.has.depth_clamp {
            switch(dev, glow::DEPTH_CLAMP, new.depth_clamp.get());
        }
        if old.stencil_test != new.stencil_test {
            switch(dev, glow::STENCIL_TEST, new.stencil_test.get());
        }
        if old.cull_enable != new.cull_enable {
            switch(dev, glow::CULL_FACE, new.cull_enable.get());
        }
        if old.rasterizer_discard != new.rasterizer_discard {
            switch(dev, glow::RASTERIZER_DISCARD, new.rasterizer_discard.get());
        }
        // SAFETY: the context is current; the values are GL's own.
        unsafe {
            if old.depth_write != new.depth_write {
                dev.state().depth_mask(new.depth_write.get());
            }
            if old.depth_func != new.depth_func {
                dev.state().depth_func(new.depth_func.0);
            }
            if old.cull_face != new.cull_face {
                dev.state().cull_face(new.cull_face.0);
            }
            if old.front_face != new.front_face {
                dev.state().front_face(new.front_face.0);
            }
            for (i, face) in [glow::FRONT, glow::BACK].into_iter().enumerate() {
                let (o, n) = (&old.stencil[i], &new.stencil[i]);
                if (o.fail, o.depth_fail, o.pass) != (n.fail, n.depth_fail, n.pass) {
                    dev.state()
                        .stencil_op_separate(face, n.fail.0, n.depth_fail.0, n.pass.0);
                }
                if o.func != n.func {
                    set_stencil_func(dev, face, n, &self.shadow.dynamic.stencil[i]);
                }
            }
        }
        self.shadow.pipeline = *new;
    }

    /// Makes the dynamic part GL's; the viewports after the first only if a draw can use them.
    pub fn set_dynamic(&mut self, dev: &Device, new: &DynamicState, all_viewports: bool) {
        let effective = with_multisample(dev, new);
        let new = &effective;
        let old = self.shadow.dynamic;
        let many = all_viewports && dev.gl.has.viewport_array;
        if old == *new && many == self.shadow.many_viewports {
            return;
        }
        if many || self.shadow.many_viewports {
            set_all_viewports(dev, new, many);
            self.shadow.many_viewports = many;
        } else {
            set_first_viewport(dev, &old, new);
        }
        // SAFETY: the context is current; the values are GL's own.
        unsafe {
            if old.blend_color != new.blend_color {
                let [r, g, b, a] = new.blend_color.map(|c| c.0);
                dev.state().blend_color(r, g, b, a);
            }
            for (i, face) in [glow::FRONT, glow::BACK].into_iter().enumerate() {
                let (o, n) = (&old.stencil[i], &new.stencil[i]);
                if (o.reference, o.compare_mask) != (n.reference, n.compare_mask) {
                    set_stencil_func(dev, face, &self.shadow.pipeline.stencil[i], n);
                }
                if o.write_mask != n.write_mask {
                    dev.state().stencil_mask_separate(face, n.write_mask);
                }
            }
            if old.raster.line_width != new.raster.line_width {
                dev.state().line_width(new.raster.line_width.0);
            }
        }
        set_raster(dev, &old.raster, &new.raster);
        set_depth_bias(dev, &old.depth_bias, &new.depth_bias);
        set_multisample(dev, &old.multisample, &new.multisample);
        if old.output.dither != new.output.dither {
            switch(dev, glow::DITHER, new.output.dither.get());
        }
        if old.output.framebuffer_srgb != new.output.framebuffer_srgb
            && dev.gl.has.srgb_write_control
        {
            switch(
                dev,
                glow::FRAMEBUFFER_SRGB,
                new.output.framebuffer_srgb.get(),
            );
        }
        self.shadow.dynamic = *new;
    }
}

impl NativeContext {
    /// GL set viewport and scissor itself, as it does when a context is first made current with a window (ES 3.2
    /// §2.2.2): puts back what the shadow says.
    pub fn restore_rectangles(&mut self, dev: &Device) {
        let d = &self.shadow.dynamic;
        if self.shadow.many_viewports {
            set_all_viewports(dev, d, true);
            return;
        }
        let mut other = *d;
        let (v, s) = (&mut other.viewports[0], &mut other.scissors[0]);
        v.width.0 += 1.0;
        s.width = s.width.wrapping_add(1);
        set_first_viewport(dev, &other, d);
    }
}

fn same_function(a: &BlendTarget, b: &BlendTarget) -> bool {
    BlendTarget {
        enable: b.enable,
        mask: b.mask,
        ..*a
    } == *b
}

fn set_blend(dev: &Device, old: &[BlendTarget; 8], new: &[BlendTarget; 8]) {
    if old == new {
        return;
    }
    let uniform = new.iter().all(|b| *b == new[0]);
    let indexed = dev.gl.has.draw_buffers_indexed && !uniform;
    let count = if indexed {
        (dev.gl.limits.draw_buffers as usize).min(8)
    } else {
        1
    };
    let mask = |b: &BlendTarget| [0, 1, 2, 3].map(|i| b.mask.0 >> i & 1 != 0);
    // SAFETY: the context is current; indices are below the number of draw buffers, the values are GL's own. A call
    // without index sets all draw buffers, so `old` need only be compared where the calls are indexed.
    unsafe {
        for (i, n) in new.iter().enumerate().take(count) {
            let index = i as u32;
            let moved = |same: fn(&BlendTarget, &BlendTarget) -> bool| {
                if indexed {
                    !same(&old[i], n)
                } else {
                    !old.iter().all(|o| same(o, n))
                }
            };
            if moved(|o, n| o.enable == n.enable) {
                match (indexed, n.enable.get()) {
                    (true, true) => dev.state().enable_draw_buffer(glow::BLEND, index),
                    (true, false) => dev.state().disable_draw_buffer(glow::BLEND, index),
                    (false, true) => dev.state().enable(glow::BLEND),
                    (false, false) => dev.state().disable(glow::BLEND),
                }
            }
            if moved(|o, n| o.mask == n.mask) {
                let [r, g, b, a] = mask(n);
                if indexed {
                    dev.state().color_mask_draw_buffer(index, r, g, b, a);
                } else {
                    dev.state().color_mask(r, g, b, a);
                }
            }
            if moved(same_function) {
                let (eq, func) = (
                    (n.eq_color.0, n.eq_alpha.0),
                    (n.src_color.0, n.dst_color.0, n.src_alpha.0, n.dst_alpha.0),
                );
                if indexed {
                    dev.state()
                        .blend_equation_separate_draw_buffer(index, eq.0, eq.1);
                    dev.state()
                        .blend_func_separate_draw_buffer(index, func.0, func.1, func.2, func.3);
                } else {
                    dev.state().blend_equation_separate(eq.0, eq.1);
                    dev.state()
                        .blend_func_separate(func.0, func.1, func.2, func.3);
                }
            }
        }
    }
}

fn set_stencil_func(dev: &Device, face: u32, f: &StencilFace, d: &StencilDynamic) {
    let reference = d.reference.min(i32::MAX as u32) as i32;
    // SAFETY: the context is current; the values are GL's own.
    unsafe {
        dev.state()
            .stencil_func_separate(face, f.func.0, reference, d.compare_mask);
    }
}

fn whole(v: f32) -> bool {
    v.fract() == 0.0
}

fn set_first_viewport(dev: &Device, old: &DynamicState, new: &DynamicState) {
    let (o, n) = (&old.viewports[0], &new.viewports[0]);
    // SAFETY: the context is current; a size is never negative.
    unsafe {
        if (o.x, o.y, o.width, o.height) != (n.x, n.y, n.width, n.height) {
            let v = [n.x.0, n.y.0, n.width.0.max(0.0), n.height.0.max(0.0)];
            if v.into_iter().all(whole) || !dev.gl.has.viewport_array {
                let [x, y, w, h] = v.map(|v| v.round() as i32);
                dev.state().viewport(x, y, w, h);
            } else {
                dev.state_es().ViewportArrayvOES(0, 1, v.as_ptr());
            }
        }
        if (o.near, o.far) != (n.near, n.far) {
            dev.state().depth_range_f32(n.near.0, n.far.0);
        }
    }
    let (o, n) = (&old.scissors[0], &new.scissors[0]);
    if o.enable != n.enable {
        switch(dev, glow::SCISSOR_TEST, n.enable.get());
    }
    if (o.x, o.y, o.width, o.height) != (n.x, n.y, n.width, n.height) {
        let [w, h] = [n.width, n.height].map(|v| v.min(i32::MAX as u32) as i32);
        // SAFETY: the context is current; a size is never negative.
        unsafe { dev.state().scissor(n.x, n.y, w, h) };
    }
}

/// Sets all viewports and scissors by index, or (with `many` off) all of them to the first.
fn set_all_viewports(dev: &Device, new: &DynamicState, many: bool) {
    let pick = |i: usize| if many { i } else { 0 };
    // SAFETY: the context is current and has sixteen viewports (OES_viewport_array); sizes are never negative.
    unsafe {
        for i in 0..MAX_VIEWPORTS {
            let (v, s) = (&new.viewports[pick(i)], &new.scissors[pick(i)]);
            let index = i as u32;
            let rect = [v.x.0, v.y.0, v.width.0.max(0.0), v.height.0.max(0.0)];
            dev.state_es().ViewportArrayvOES(index, 1, rect.as_ptr());
            dev.state_es()
                .DepthRangeIndexedfOES(index, v.near.0, v.far.0);
            let [w, h] = [s.width, s.height].map(|v| v.min(i32::MAX as u32) as i32);
            dev.state_es().ScissorIndexedOES(index, s.x, s.y, w, h);
            if s.enable.get() {
                dev.state_es().Enablei(glow::SCISSOR_TEST, index);
            } else {
                dev.state_es().Disablei(glow::SCISSOR_TEST, index);
            }
        }
    }
}

fn set_raster(dev: &Device, old: &RasterDynamic, new: &RasterDynamic) {
    if dev.gl.has.clip_distance {
        for i in 0..8 {
            let on = new.clip_distances >> i & 1 != 0;
            if (old.clip_distances >> i & 1 != 0) != on {
                switch(dev, glow::CLIP_DISTANCE0 + i, on);
            }
        }
    }
    let clip = |r: &RasterDynamic| (r.clip_origin, r.clip_depth);
    if clip(old) != clip(new) && dev.gl.has.clip_control {
        // SAFETY: the context is current; the values are GL's own.
        unsafe {
            dev.state_es()
                .ClipControlEXT(new.clip_origin.0, new.clip_depth.0);
        }
    }
}

fn set_depth_bias(dev: &Device, old: &DepthBias, new: &DepthBias) {
    if old.fill != new.fill {
        switch(dev, glow::POLYGON_OFFSET_FILL, new.fill.get());
    }
    let value = |b: &DepthBias| (b.factor, b.units, b.clamp);
    if value(old) != value(new) {
        // SAFETY: the context is current.
        unsafe {
            if dev.gl.has.offset_clamp {
                dev.state_es()
                    .PolygonOffsetClampEXT(new.factor.0, new.units.0, new.clamp.0);
            } else {
                dev.state().polygon_offset(new.factor.0, new.units.0);
            }
        }
    }
}

/// What of the state is in force. With multisampling off, coverage and alpha are left alone (GL 4.6 §17.3.3); where the
/// driver has no such switch, that much of it is done here.
fn with_multisample(dev: &Device, d: &DynamicState) -> DynamicState {
    let mut d = *d;
    let m = &mut d.multisample;
    if !m.enable.get() && !dev.gl.has.multisample_switch {
        let off = Bool32::from(false);
        (m.alpha_to_coverage, m.alpha_to_one) = (off, off);
        (m.coverage_enable, m.mask_enable) = (off, off);
        m.min_sample_shading = F32(-1.0);
    }
    d
}

fn set_multisample(dev: &Device, old: &MultisampleDynamic, new: &MultisampleDynamic) {
    if old == new {
        return;
    }
    let has = &dev.gl.has;
    if old.enable != new.enable && has.multisample_switch {
        switch(dev, glow::MULTISAMPLE, new.enable.get());
    }
    if old.alpha_to_one != new.alpha_to_one && has.multisample_switch {
        switch(dev, glow::SAMPLE_ALPHA_TO_ONE, new.alpha_to_one.get());
    }
    if old.alpha_to_coverage != new.alpha_to_coverage {
        switch(
            dev,
            glow::SAMPLE_ALPHA_TO_COVERAGE,
            new.alpha_to_coverage.get(),
        );
    }
    if old.coverage_enable != new.coverage_enable {
        switch(dev, glow::SAMPLE_COVERAGE, new.coverage_enable.get());
    }
    if old.mask_enable != new.mask_enable {
        switch(dev, glow::SAMPLE_MASK, new.mask_enable.get());
    }
    let shading = new.min_sample_shading.0;
    // SAFETY: the context is current.
    unsafe {
        if (old.coverage, old.coverage_invert) != (new.coverage, new.coverage_invert) {
            dev.state()
                .sample_coverage(new.coverage.0, new.coverage_invert.get());
        }
        if old.mask != new.mask {
            dev.state_es().SampleMaski(0, new.mask);
        }
        if old.min_sample_shading != new.min_sample_shading && has.sample_shading {
            if shading >= 0.0 {
                dev.state_es().Enable(glow::SAMPLE_SHADING);
                dev.state_es().MinSampleShading(shading);
            } else {
                dev.state_es().Disable(glow::SAMPLE_SHADING);
            }
        }
    }
}

/// Logic operations that blending and masks can express, where shaders cannot read the framebuffer; of the others
/// fragments replace what is there. While one is on there is no blending (GL 4.6 §17.3.9). Clears are not affected, since they neither
/// blend nor go through logic operations.
fn lower_logic_op(p: &mut PipelineState, in_shader: bool) {
    if !p.logic_op_enable.get() {
        return;
    }
    let kept = match p.logic_op {
        _ if in_shader => None,
        LogicOp::CLEAR => Some(BlendFactor::ZERO),
        LogicOp::NOOP => Some(BlendFactor::ONE),
        _ => None,
    };
    for b in &mut p.blend {
        b.enable = kept.is_some().into();
        if let Some(kept) = kept {
            (b.src_color, b.dst_color) = (BlendFactor::ZERO, kept);
            (b.src_alpha, b.dst_alpha) = (BlendFactor::ZERO, kept);
            (b.eq_color, b.eq_alpha) = (BlendEquation::FUNC_ADD, BlendEquation::FUNC_ADD);
        }
    }
}

impl Work<'_> {
    /// Makes the pushed render state GL's. The draw framebuffer is bound: it says which components exist.
    ///
    /// # Errors
    ///
    /// When nothing was pushed, which `apply` has ruled out for verbs.
    pub fn follow_render_state(
        &mut self,
        s: &PushedState,
        all_viewports: bool,
    ) -> Result<(), BackendError> {
        let c = self.context(s)?;
        let masks = self.ctx.framebuffers.draw_bound.masks;
        let handle = c.values.render_state;
        if handle == RenderStateHandle::NULL {
            return Err(BackendError::Driver("no render state is bound".into()));
        }
        if self.ctx.seen.render_state != handle || self.ctx.seen.write_masks != masks {
            let mut pipeline = *s
                .render_states
                .get(handle)
                .map_err(|e| BackendError::Driver(e.to_string()))?;
            lower_logic_op(&mut pipeline, self.dev.gl.has.framebuffer_fetch);
            for (i, b) in pipeline.blend.iter_mut().enumerate() {
                b.mask.0 &= masks >> (4 * i) & 0xF;
            }
            self.ctx.set_pipeline(self.dev, &pipeline);
            self.ctx.seen.render_state = handle;
            self.ctx.seen.write_masks = masks;
        }
        self.follow_dynamic_part(s, all_viewports)
    }

    /// Makes the pushed dynamic part GL's.
    ///
    /// # Errors
    ///
    /// When no context is bound.
    pub fn follow_dynamic(&mut self, s: &PushedState) -> Result<(), BackendError> {
        self.follow_dynamic_part(s, false)
    }

    fn follow_dynamic_part(
        &mut self,
        s: &PushedState,
        all_viewports: bool,
    ) -> Result<(), BackendError> {
        let c = self.context(s)?;
        let generation = c.generation(Group::Dynamic);
        let many = all_viewports && self.dev.gl.has.viewport_array;
        if self.ctx.seen.moved(Group::Dynamic, generation) || many != self.ctx.shadow.many_viewports
        {
            self.ctx
                .set_dynamic(self.dev, &c.values.dynamic, all_viewports);
        }
        Ok(())
    }
}
