//! What of a draw's state OpenGL ES cannot express, and is drawn nearly.

use super::essl::wire::{Outline, Wire};
use super::work::Work;
use crate::approximation::Approximation;
use mgl_core::pipe::render_state::{DynamicState, PipelineState};
use mgl_core::pipe::*;
use mgl_core::program::{GeometryPrimitive, Reflection};

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

/// What primitives of a mode become, behind a geometry shader if there is one.
pub fn raster_of(mode: Primitive, r: &Reflection) -> Raster {
    match (r.geometry.map(|g| g.output), mode) {
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

/// How polygons are drawn when they are not filled.
pub fn wire(p: &PipelineState, d: &DynamicState, raster: Raster) -> Option<Wire> {
    let (outline, offset) = match p.polygon_mode {
        PolygonMode::LINE => (Outline::Lines, d.depth_bias.line.get()),
        PolygonMode::POINT => (Outline::Points, d.depth_bias.point.get()),
        _ => return None,
    };
    let culls = |face| p.cull_enable.get() && [face, Face::FRONT_AND_BACK].contains(&p.cull_face);
    (raster == Raster::Polygons).then_some(Wire {
        outline,
        culled: [culls(Face::FRONT), culls(Face::BACK)],
        front_ccw: p.front_face == FrontFace::CCW,
        offset,
    })
}

impl Work<'_> {
    /// The outline that a geometry shader can draw; without one polygons are filled.
    pub fn outlined(&self, wire: Option<Wire>) -> Option<Wire> {
        let w = wire?;
        let has = &self.dev.gl.has;
        if !has.geometry || w.outline == Outline::Points && !has.geometry_point_size {
            self.dev.near(Approximation::PolygonMode);
            return None;
        }
        Some(w)
    }

    /// What outlines are offset by ([`super::essl::wire::OFFSET_LOCATION`]).
    pub fn outline_offset(&self, d: &DynamicState) -> [f32; 4] {
        let (b, v) = (&d.depth_bias, &d.viewports[0]);
        let bits = match self.ctx.framebuffers.draw_bound.depth {
            Some((image, ..)) => i32::from(image.plan.info.bits.depth).min(24),
            None => 24,
        };
        let range = v.far.0 - v.near.0;
        let scale = match d.raster.clip_depth {
            ClipDepth::ZERO_TO_ONE => range,
            _ => range / 2.0,
        };
        let units = if scale == 0.0 {
            0.0
        } else {
            b.units.0 * 2f32.powi(-bits) / scale
        };
        [b.factor.0, units, v.width.0 / 2.0, v.height.0 / 2.0]
    }

    /// Tells what of a draw's state the context cannot express.
    pub fn tell_near(
        &self,
        p: &PipelineState,
        d: &DynamicState,
        raster: Raster,
        flat_from_geometry: bool,
    ) {
        let (has, bound) = (&self.dev.gl.has, &self.ctx.framebuffers.draw_bound);
        let near = |kind| self.dev.near(kind);
        let lowered = p.logic_op == LogicOp::COPY
            || has.framebuffer_fetch
            || matches!(p.logic_op, LogicOp::CLEAR | LogicOp::NOOP) && !bound.integers;
        if p.logic_op_enable.get() && !lowered {
            near(Approximation::LogicOp);
        }
        if p.depth_clamp.get() && !has.depth_clamp {
            near(Approximation::DepthClamp);
        }
        let r = &d.raster;
        if (r.clip_origin, r.clip_depth) != (ClipOrigin::LOWER_LEFT, ClipDepth::NEGATIVE_ONE_TO_ONE)
            && !has.clip_control
        {
            near(Approximation::ClipControl);
        }
        if r.provoking_vertex == ProvokingVertex::FIRST_VERTEX_CONVENTION && flat_from_geometry {
            near(Approximation::ProvokingVertex);
        }
        if bound.samples > 1 {
            // Multisampling smooths too (GL 4.6 §14.5.4, §14.6.6).
            let m = &d.multisample;
            if has.multisample_switch {
                return;
            }
            if !m.enable.get() {
                near(Approximation::MultisampleOff);
            } else if m.alpha_to_one.get() && m.alpha_to_coverage.get() {
                near(Approximation::AlphaToOne);
            }
            return;
        }
        match raster {
            Raster::Lines if r.line_smooth.get() => near(Approximation::LineSmooth),
            Raster::Polygons if r.polygon_smooth.get() => near(Approximation::PolygonSmooth),
            _ => {}
        }
    }

    /// Whether the fragment shader writes alpha as one, which is no state of OpenGL ES. With alpha to coverage it must
    /// not: coverage is made of the alpha before (GL 4.6 §17.3.3).
    pub fn alpha_to_one(&self, d: &DynamicState) -> bool {
        let m = &d.multisample;
        self.ctx.framebuffers.draw_bound.samples > 1
            && m.enable.get()
            && m.alpha_to_one.get()
            && !m.alpha_to_coverage.get()
            && !self.dev.gl.has.multisample_switch
    }
}

/// Refuses draws of which nothing can be drawn.
///
/// # Errors
///
/// [`BackendError::Unsupported`].
pub fn refuse(info: &DrawInfo) -> Result<(), BackendError> {
    let what = if info.flags.has(DrawFlags::COUNT_FROM_STREAM_OUTPUT) {
        "a vertex count from transform feedback"
    } else if info.flags.has(DrawFlags::INDIRECT_COUNT) {
        "an indirect draw count"
    } else {
        return Ok(());
    };
    Err(BackendError::Unsupported(what.into()))
}
