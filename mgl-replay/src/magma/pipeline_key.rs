//! The key of the pipeline that a draw needs: what of the pushed state pipelines are made of.

use super::Magma;
use super::pipeline::{Key, LINES_BRESENHAM, LINES_DEFAULT, LINES_SMOOTH, topology_key};
use super::state::Flexible;
use super::targets::{Targets, context};
use crate::approximation::Approximation;
use ash::vk;
use mgl_core::pipe::render_state::{BlendTarget, DynamicState, PipelineState};
use mgl_core::pipe::*;
use mgl_core::program::GeometryPrimitive;

/// What reaches the rasteriser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Raster {
    /// Points.
    Points,
    /// Lines.
    Lines,
    /// Polygons, as whatever the polygon mode says.
    Polygons,
}

/// What a mode gives, after a geometry shader if there is one.
pub fn raster_of(mode: Primitive, output: Option<GeometryPrimitive>) -> Raster {
    match (output, mode) {
        (Some(GeometryPrimitive::Points), _) => Raster::Points,
        (Some(GeometryPrimitive::LineStrip), _) => Raster::Lines,
        (Some(_), _) => Raster::Polygons,
        (None, Primitive::POINTS) => Raster::Points,
        (
            None,
            Primitive::LINES
            | Primitive::LINE_STRIP
            | Primitive::LINE_LOOP
            | Primitive::LINES_ADJACENCY
            | Primitive::LINE_STRIP_ADJACENCY,
        ) => Raster::Lines,
        _ => Raster::Polygons,
    }
}

/// Samples that are written (GL 4.6 §17.3.4, as Mesa rounds the coverage).
fn sample_mask(m: &render_state::MultisampleDynamic, samples: u32) -> u32 {
    if samples <= 1 || !m.enable.get() {
        return u32::MAX;
    }
    let mut mask = u32::MAX;
    if m.coverage_enable.get() {
        let n = (m.coverage.0.clamp(0.0, 1.0) * samples as f32) as u32;
        let covered = if n >= 32 { u32::MAX } else { (1 << n) - 1 };
        mask &= if m.coverage_invert.get() {
            !covered
        } else {
            covered
        };
    }
    if m.mask_enable.get() {
        mask &= m.mask;
    }
    mask
}

impl Magma {
    /// The key of a draw. Its attributes are resolved.
    ///
    /// # Errors
    ///
    /// When no context is bound.
    #[allow(clippy::too_many_arguments)] // each names one part of the key
    pub(super) fn key_of(
        &mut self,
        s: &PushedState,
        (program, variant): (u64, u32),
        p: &PipelineState,
        d: &DynamicState,
        t: &Targets,
        mode: Primitive,
        raster: Raster,
        flex: &Flexible,
        last_provokes: bool,
        many: bool,
    ) -> Result<Key, BackendError> {
        let has = self.gpu.has;
        let mut key = Key {
            program,
            variant,
            topology: topology_key(mode, has.dynamic_state),
            polygon: match (raster, p.polygon_mode) {
                _ if !has.fill_mode => vk::PolygonMode::FILL,
                (Raster::Polygons, PolygonMode::LINE) => vk::PolygonMode::LINE,
                (Raster::Polygons, PolygonMode::POINT) => vk::PolygonMode::POINT,
                _ => vk::PolygonMode::FILL,
            }
            .as_raw(),
            depth_clamp: (p.depth_clamp.get() && has.depth_clamp).into(),
            minus_one_to_one: u32::from(
                has.depth_clip_control && d.raster.clip_depth == ClipDepth::NEGATIVE_ONE_TO_ONE,
            ),
            last_provokes: last_provokes.into(),
            draw_buffers: t.draw_buffers(),
            samples: t.samples,
            sample_mask: sample_mask(&d.multisample, t.samples),
            viewports: if many && has.multi_viewport {
                (render_state::MAX_VIEWPORTS as u32).min(self.gpu.limits.core.max_viewports)
            } else {
                1
            },
            ..Key::default()
        };
        if p.logic_op_enable.get() && has.logic_op {
            key.logic = p.logic_op.0 + 1;
        }
        for i in 0..t.draw_buffers() as usize {
            let Some(c) = &t.color[i] else { continue };
            let mut b: BlendTarget = p.blend[i];
            b.mask = ColorMask(b.mask.0 & c.plan.write_mask());
            if !b.enable.get() || c.plan.info.is_integer() || key.logic != 0 {
                b = BlendTarget {
                    mask: b.mask,
                    ..BlendTarget::default()
                };
            }
            if !has.dual_src_blend {
                (b.src_color, b.dst_color) = (b.src_color.of_first(), b.dst_color.of_first());
                (b.src_alpha, b.dst_alpha) = (b.src_alpha.of_first(), b.dst_alpha.of_first());
            }
            if c.plan.write_mask() != 0b1111 {
                // Whatever the stored alpha is, that of a format without is one.
                let one = |f: BlendFactor, alpha: bool| match f {
                    BlendFactor::DST_ALPHA => BlendFactor::ONE,
                    BlendFactor::ONE_MINUS_DST_ALPHA => BlendFactor::ZERO,
                    BlendFactor::SRC_ALPHA_SATURATE if !alpha => BlendFactor::ZERO,
                    f => f,
                };
                (b.src_color, b.dst_color) = (one(b.src_color, false), one(b.dst_color, false));
                (b.src_alpha, b.dst_alpha) = (one(b.src_alpha, true), one(b.dst_alpha, true));
            }
            key.blend[i] = bytemuck::cast(b);
        }
        let used = t.draw_buffers() as usize;
        if !has.independent_blend
            && key.blend[1.min(used)..used]
                .iter()
                .any(|b| *b != key.blend[0])
        {
            self.near(Approximation::BlendApart);
            let first = key.blend[0];
            key.blend[..used].fill(first);
        }
        let (formats, depth, stencil) = t.formats();
        key.formats = formats.map(vk::Format::as_raw);
        (key.depth, key.stencil) = (depth.as_raw(), stencil.as_raw());
        let lines = raster == Raster::Lines
            || raster == Raster::Polygons && p.polygon_mode == PolygonMode::LINE;
        key.lines = match (lines && t.samples <= 1, d.raster.line_smooth.get()) {
            (true, true) if has.smooth_lines => LINES_SMOOTH,
            (true, false) if has.bresenham_lines => LINES_BRESENHAM,
            _ => LINES_DEFAULT,
        };
        if t.samples > 1 {
            let m = &d.multisample;
            // With multisampling off, coverage and alpha are left alone (GL 4.6 §17.3.3).
            let on = m.enable.get();
            let shading = on && m.min_sample_shading.0 >= 0.0 && has.sample_shading;
            key.multisample = u32::from(on && m.alpha_to_coverage.get())
                | u32::from(on && m.alpha_to_one.get() && has.alpha_to_one) << 1
                | u32::from(shading) << 2;
            if shading {
                key.shading = m.min_sample_shading.0.min(1.0).to_bits();
            }
        }
        if mode == Primitive::PATCHES {
            key.patch = context(s)?.values.patch.vertices;
        }
        if !has.dynamic_state {
            key.flexible = *flex;
        }
        let ctx = self.ctx(s)?;
        key.inputs[..ctx.vertex.count].copy_from_slice(&ctx.vertex.keys[..ctx.vertex.count]);
        Ok(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgl_core::pod::F32;

    #[test]
    fn samples_are_masked_as_coverage_and_mask_say() {
        let m = render_state::MultisampleDynamic {
            enable: true.into(),
            coverage_enable: true.into(),
            coverage: F32(0.5),
            mask: 0b101,
            ..Default::default()
        };
        assert_eq!(
            sample_mask(&m, 1),
            u32::MAX,
            "without samples there is no mask"
        );
        assert_eq!(sample_mask(&m, 4), 0b11);
        let inverted = render_state::MultisampleDynamic {
            coverage_invert: true.into(),
            ..m
        };
        assert_eq!(sample_mask(&inverted, 4), !0b11);
        let masked = render_state::MultisampleDynamic {
            mask_enable: true.into(),
            ..m
        };
        assert_eq!(sample_mask(&masked, 4), 0b01);
    }

    #[test]
    fn geometry_decides_what_is_rasterised() {
        assert_eq!(raster_of(Primitive::LINE_LOOP, None), Raster::Lines);
        assert_eq!(raster_of(Primitive::PATCHES, None), Raster::Polygons);
        assert_eq!(
            raster_of(Primitive::POINTS, Some(GeometryPrimitive::TriangleStrip)),
            Raster::Polygons
        );
    }
}
