//! Render state: what of the pushed state is set by commands, and Vulkan's words for GL's.

use super::Magma;
use super::samplers::compare_op;
use super::targets::Targets;
use ash::vk;
use mgl_core::pipe::render_state::*;
use mgl_core::pipe::*;

/// Vulkan's blend factor.
pub fn blend_factor(f: BlendFactor) -> vk::BlendFactor {
    use vk::BlendFactor as V;
    match f {
        BlendFactor::ZERO => V::ZERO,
        BlendFactor::ONE => V::ONE,
        BlendFactor::SRC_COLOR => V::SRC_COLOR,
        BlendFactor::ONE_MINUS_SRC_COLOR => V::ONE_MINUS_SRC_COLOR,
        BlendFactor::SRC_ALPHA => V::SRC_ALPHA,
        BlendFactor::ONE_MINUS_SRC_ALPHA => V::ONE_MINUS_SRC_ALPHA,
        BlendFactor::DST_ALPHA => V::DST_ALPHA,
        BlendFactor::ONE_MINUS_DST_ALPHA => V::ONE_MINUS_DST_ALPHA,
        BlendFactor::DST_COLOR => V::DST_COLOR,
        BlendFactor::ONE_MINUS_DST_COLOR => V::ONE_MINUS_DST_COLOR,
        BlendFactor::SRC_ALPHA_SATURATE => V::SRC_ALPHA_SATURATE,
        BlendFactor::CONSTANT_COLOR => V::CONSTANT_COLOR,
        BlendFactor::ONE_MINUS_CONSTANT_COLOR => V::ONE_MINUS_CONSTANT_COLOR,
        BlendFactor::CONSTANT_ALPHA => V::CONSTANT_ALPHA,
        BlendFactor::ONE_MINUS_CONSTANT_ALPHA => V::ONE_MINUS_CONSTANT_ALPHA,
        BlendFactor::SRC1_ALPHA => V::SRC1_ALPHA,
        BlendFactor::SRC1_COLOR => V::SRC1_COLOR,
        BlendFactor::ONE_MINUS_SRC1_COLOR => V::ONE_MINUS_SRC1_COLOR,
        _ => V::ONE_MINUS_SRC1_ALPHA,
    }
}

/// Vulkan's blend operation.
pub fn blend_op(e: BlendEquation) -> vk::BlendOp {
    match e {
        BlendEquation::FUNC_SUBTRACT => vk::BlendOp::SUBTRACT,
        BlendEquation::FUNC_REVERSE_SUBTRACT => vk::BlendOp::REVERSE_SUBTRACT,
        BlendEquation::MIN => vk::BlendOp::MIN,
        BlendEquation::MAX => vk::BlendOp::MAX,
        _ => vk::BlendOp::ADD,
    }
}

/// Vulkan's logic operation.
pub fn logic_op(o: LogicOp) -> vk::LogicOp {
    match o {
        LogicOp::CLEAR => vk::LogicOp::CLEAR,
        LogicOp::AND => vk::LogicOp::AND,
        LogicOp::AND_REVERSE => vk::LogicOp::AND_REVERSE,
        LogicOp::AND_INVERTED => vk::LogicOp::AND_INVERTED,
        LogicOp::NOOP => vk::LogicOp::NO_OP,
        LogicOp::XOR => vk::LogicOp::XOR,
        LogicOp::OR => vk::LogicOp::OR,
        LogicOp::NOR => vk::LogicOp::NOR,
        LogicOp::EQUIV => vk::LogicOp::EQUIVALENT,
        LogicOp::INVERT => vk::LogicOp::INVERT,
        LogicOp::OR_REVERSE => vk::LogicOp::OR_REVERSE,
        LogicOp::COPY_INVERTED => vk::LogicOp::COPY_INVERTED,
        LogicOp::OR_INVERTED => vk::LogicOp::OR_INVERTED,
        LogicOp::NAND => vk::LogicOp::NAND,
        LogicOp::SET => vk::LogicOp::SET,
        _ => vk::LogicOp::COPY,
    }
}

/// Vulkan's stencil operation.
pub fn stencil_op(o: StencilOp) -> vk::StencilOp {
    match o {
        StencilOp::ZERO => vk::StencilOp::ZERO,
        StencilOp::REPLACE => vk::StencilOp::REPLACE,
        StencilOp::INCR => vk::StencilOp::INCREMENT_AND_CLAMP,
        StencilOp::DECR => vk::StencilOp::DECREMENT_AND_CLAMP,
        StencilOp::INVERT => vk::StencilOp::INVERT,
        StencilOp::INCR_WRAP => vk::StencilOp::INCREMENT_AND_WRAP,
        StencilOp::DECR_WRAP => vk::StencilOp::DECREMENT_AND_WRAP,
        _ => vk::StencilOp::KEEP,
    }
}

/// Vulkan's topology; line loops have been rewritten.
pub fn topology(mode: Primitive) -> vk::PrimitiveTopology {
    use vk::PrimitiveTopology as V;
    match mode {
        Primitive::POINTS => V::POINT_LIST,
        Primitive::LINES => V::LINE_LIST,
        Primitive::LINE_STRIP | Primitive::LINE_LOOP => V::LINE_STRIP,
        Primitive::TRIANGLE_STRIP => V::TRIANGLE_STRIP,
        Primitive::TRIANGLE_FAN => V::TRIANGLE_FAN,
        Primitive::LINES_ADJACENCY => V::LINE_LIST_WITH_ADJACENCY,
        Primitive::LINE_STRIP_ADJACENCY => V::LINE_STRIP_WITH_ADJACENCY,
        Primitive::TRIANGLES_ADJACENCY => V::TRIANGLE_LIST_WITH_ADJACENCY,
        Primitive::TRIANGLE_STRIP_ADJACENCY => V::TRIANGLE_STRIP_WITH_ADJACENCY,
        Primitive::PATCHES => V::PATCH_LIST,
        _ => V::TRIANGLE_LIST,
    }
}

/// The topology that stands for all of its class in pipelines with a dynamic one.
pub fn class_of(t: vk::PrimitiveTopology) -> vk::PrimitiveTopology {
    use vk::PrimitiveTopology as V;
    match t {
        V::POINT_LIST | V::PATCH_LIST => t,
        V::LINE_LIST
        | V::LINE_STRIP
        | V::LINE_LIST_WITH_ADJACENCY
        | V::LINE_STRIP_WITH_ADJACENCY => V::LINE_LIST,
        _ => V::TRIANGLE_LIST,
    }
}

/// The stencil state of a face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StencilSet {
    /// Reference value.
    pub reference: u32,
    /// Mask of the comparison.
    pub compare_mask: u32,
    /// Mask of writes.
    pub write_mask: u32,
}

/// State that commands set in every case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Commanded {
    /// Viewports: left, upper edge, width, height, depths of near and far.
    pub viewports: [[f32; 6]; MAX_VIEWPORTS],
    /// Scissors.
    pub scissors: [vk::Rect2D; MAX_VIEWPORTS],
    /// How many of both.
    pub count: u32,
    /// Line width.
    pub line_width: f32,
    /// Constant, clamp and slope of the depth bias.
    pub bias: [f32; 3],
    /// Blend constants.
    pub blend: [f32; 4],
    /// Stencil, front and back.
    pub stencil: [StencilSet; 2],
}

/// State that commands set where the device lets them, and that pipelines have otherwise.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Flexible {
    /// Cull mode.
    pub cull: u32,
    /// Front face.
    pub front: i32,
    /// Topology.
    pub topology: i32,
    /// Depth test is on.
    pub depth_test: u32,
    /// Depth is written.
    pub depth_write: u32,
    /// Depth comparison.
    pub depth_func: i32,
    /// Stencil test is on.
    pub stencil_test: u32,
    /// Comparison, fail, depth fail and pass operations, front and back.
    pub stencil: [[i32; 4]; 2],
    /// Nothing is rasterised.
    pub discard: u32,
    /// Depth bias is on.
    pub bias: u32,
    /// Primitive restart is on.
    pub restart: u32,
}

/// A viewport as Vulkan has it, and whether it turns clip space upside down.
pub fn viewport(
    v: &Viewport,
    t: &Targets,
    height: f32,
    upper_left: bool,
    limits: &vk::PhysicalDeviceLimits,
) -> vk::Viewport {
    let (x, y, w, h) = (v.x.0, v.y.0, v.width.0.max(0.0), v.height.0.max(0.0));
    let (y, h) = match (t.flip, upper_left) {
        (false, false) => (y, h),
        (true, false) => (height - y, -h),
        (false, true) => (y + h, -h),
        (true, true) => (height - y - h, h),
    };
    let bounds = limits.viewport_bounds_range;
    let most = limits.max_viewport_dimensions;
    let x = x.clamp(bounds[0], bounds[1]);
    let depth = |d: f32| if d.is_nan() { 0.0 } else { d.clamp(0.0, 1.0) };
    vk::Viewport {
        x,
        y: y.clamp(bounds[0], bounds[1]),
        // An empty viewport has an empty scissor beside it.
        width: if w > 0.0 { w.min(most[0] as f32) } else { 1.0 },
        height: h.clamp(-(most[1] as f32), most[1] as f32),
        min_depth: depth(v.near.0),
        max_depth: depth(v.far.0),
    }
}

impl Magma {
    /// The commanded state of a draw.
    pub(super) fn commanded(
        &self,
        d: &DynamicState,
        t: &Targets,
        height: f32,
        many: bool,
        filled: DepthBiasKind,
    ) -> Commanded {
        let limits = &self.gpu.limits.core;
        let count = if many && self.gpu.has.multi_viewport {
            (MAX_VIEWPORTS as u32).min(limits.max_viewports)
        } else {
            1
        };
        let upper_left = d.raster.clip_origin == ClipOrigin::UPPER_LEFT;
        let mut viewports = [[0.0; 6]; MAX_VIEWPORTS];
        let mut scissors = [vk::Rect2D::default(); MAX_VIEWPORTS];
        for i in 0..count as usize {
            let v = &d.viewports[i];
            let x = viewport(v, t, height, upper_left, limits);
            viewports[i] = [x.x, x.y, x.width, x.height, x.min_depth, x.max_depth];
            let s = &d.scissors[i];
            scissors[i] = if v.width.0 <= 0.0 || v.height.0 <= 0.0 {
                t.rect(0, 0, 0, 0)
            } else if s.enable.get() {
                t.rect(s.x, s.y, s.width, s.height)
            } else {
                t.whole()
            };
        }
        let width = if self.gpu.has.wide_lines {
            let range = limits.line_width_range;
            d.raster.line_width.0.clamp(range[0], range[1])
        } else {
            1.0
        };
        let stencil = d.stencil.map(|s| StencilSet {
            reference: s.reference.min(0xFF),
            compare_mask: s.compare_mask & 0xFF,
            write_mask: s.write_mask & 0xFF,
        });
        let clamp = if self.gpu.has.depth_bias_clamp {
            d.depth_bias.clamp.0
        } else {
            0.0
        };
        let bias = if filled.is_on(&d.depth_bias) {
            [d.depth_bias.units.0, clamp, d.depth_bias.factor.0]
        } else {
            [0.0; 3]
        };
        Commanded {
            viewports,
            scissors,
            count,
            line_width: width,
            bias,
            blend: d.blend_color.map(|c| c.0),
            stencil,
        }
    }

    /// Sets what differs from what the command buffer has.
    pub(super) fn set_commanded(&mut self, new: &Commanded) {
        let old = self.bound.commanded;
        if old.as_ref() == Some(new) {
            return;
        }
        let cmd = self.rec.cmd();
        let d = &self.gpu.device;
        let n = new.count as usize;
        let same = |f: fn(&Commanded, &Commanded) -> bool| old.as_ref().is_some_and(|o| f(o, new));
        // SAFETY: the command buffer records; values are in their ranges.
        unsafe {
            if !same(|a, b| a.count == b.count && a.viewports == b.viewports) {
                let all = new
                    .viewports
                    .map(|[x, y, width, height, min_depth, max_depth]| vk::Viewport {
                        x,
                        y,
                        width,
                        height,
                        min_depth,
                        max_depth,
                    });
                d.cmd_set_viewport(cmd, 0, &all[..n]);
            }
            if !same(|a, b| a.count == b.count && a.scissors == b.scissors) {
                d.cmd_set_scissor(cmd, 0, &new.scissors[..n]);
            }
            if !same(|a, b| a.line_width == b.line_width) {
                d.cmd_set_line_width(cmd, new.line_width);
            }
            if !same(|a, b| a.bias == b.bias) {
                d.cmd_set_depth_bias(cmd, new.bias[0], new.bias[1], new.bias[2]);
            }
            if !same(|a, b| a.blend == b.blend) {
                d.cmd_set_blend_constants(cmd, &new.blend);
            }
            if !same(|a, b| a.stencil == b.stencil) {
                let faces = [vk::StencilFaceFlags::FRONT, vk::StencilFaceFlags::BACK];
                for (face, s) in faces.into_iter().zip(&new.stencil) {
                    d.cmd_set_stencil_reference(cmd, face, s.reference);
                    d.cmd_set_stencil_compare_mask(cmd, face, s.compare_mask);
                    d.cmd_set_stencil_write_mask(cmd, face, s.write_mask);
                }
            }
        }
        self.bound.commanded = Some(*new);
    }

    /// Sets the flexible state where the device lets commands do so.
    pub(super) fn set_flexible(&mut self, new: &Flexible) {
        if !self.gpu.has.dynamic_state || self.bound.flexible.as_ref() == Some(new) {
            return;
        }
        let old = self.bound.flexible;
        let cmd = self.rec.cmd();
        let (a, b) = (&self.gpu.eds, &self.gpu.eds2);
        let same = |f: fn(&Flexible, &Flexible) -> bool| old.as_ref().is_some_and(|o| f(o, new));
        // SAFETY: the command buffer records, and the device has the extensions.
        unsafe {
            if !same(|a, b| a.cull == b.cull) {
                a.cmd_set_cull_mode(cmd, vk::CullModeFlags::from_raw(new.cull));
            }
            if !same(|a, b| a.front == b.front) {
                a.cmd_set_front_face(cmd, vk::FrontFace::from_raw(new.front));
            }
            if !same(|a, b| a.topology == b.topology) {
                a.cmd_set_primitive_topology(cmd, vk::PrimitiveTopology::from_raw(new.topology));
            }
            if !same(|a, b| a.depth_test == b.depth_test) {
                a.cmd_set_depth_test_enable(cmd, new.depth_test != 0);
            }
            if !same(|a, b| a.depth_write == b.depth_write) {
                a.cmd_set_depth_write_enable(cmd, new.depth_write != 0);
            }
            if !same(|a, b| a.depth_func == b.depth_func) {
                a.cmd_set_depth_compare_op(cmd, vk::CompareOp::from_raw(new.depth_func));
            }
            if !same(|a, b| a.stencil_test == b.stencil_test) {
                a.cmd_set_stencil_test_enable(cmd, new.stencil_test != 0);
            }
            if !same(|a, b| a.stencil == b.stencil) {
                let faces = [vk::StencilFaceFlags::FRONT, vk::StencilFaceFlags::BACK];
                for (face, [func, fail, depth_fail, pass]) in faces.into_iter().zip(new.stencil) {
                    a.cmd_set_stencil_op(
                        cmd,
                        face,
                        vk::StencilOp::from_raw(fail),
                        vk::StencilOp::from_raw(pass),
                        vk::StencilOp::from_raw(depth_fail),
                        vk::CompareOp::from_raw(func),
                    );
                }
            }
            if !same(|a, b| a.discard == b.discard) {
                b.cmd_set_rasterizer_discard_enable(cmd, new.discard != 0);
            }
            if !same(|a, b| a.bias == b.bias) {
                b.cmd_set_depth_bias_enable(cmd, new.bias != 0);
            }
            if !same(|a, b| a.restart == b.restart) {
                b.cmd_set_primitive_restart_enable(cmd, new.restart != 0);
            }
        }
        self.bound.flexible = Some(*new);
    }
}

/// Which switch of the polygon offset counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DepthBiasKind {
    /// Polygons as areas.
    Fill,
    /// Polygons as lines.
    Line,
    /// Polygons as points.
    Point,
    /// No polygons: there is none.
    None,
}

impl DepthBiasKind {
    /// Whether the offset is on.
    pub fn is_on(self, b: &DepthBias) -> bool {
        match self {
            Self::Fill => b.fill.get(),
            Self::Line => b.line.get(),
            Self::Point => b.point.get(),
            Self::None => false,
        }
    }
}

/// The flexible state of a draw. `inverted`: clip space is upside down in the image.
pub fn flexible(
    p: &PipelineState,
    mode: Primitive,
    inverted: bool,
    depth: bool,
    stencil: bool,
    bias: bool,
    restart: bool,
) -> Flexible {
    let cull = if p.cull_enable.get() {
        match p.cull_face {
            Face::FRONT => vk::CullModeFlags::FRONT,
            Face::FRONT_AND_BACK => vk::CullModeFlags::FRONT_AND_BACK,
            _ => vk::CullModeFlags::BACK,
        }
    } else {
        vk::CullModeFlags::NONE
    };
    // Vulkan's framebuffer has y downwards: what winds counter-clockwise in clip space winds clockwise there, unless the
    // viewport turns it around.
    let front = if (p.front_face == FrontFace::CCW) == inverted {
        vk::FrontFace::COUNTER_CLOCKWISE
    } else {
        vk::FrontFace::CLOCKWISE
    };
    let face = |f: &StencilFace| {
        [
            compare_op(f.func).as_raw(),
            stencil_op(f.fail).as_raw(),
            stencil_op(f.depth_fail).as_raw(),
            stencil_op(f.pass).as_raw(),
        ]
    };
    Flexible {
        cull: cull.as_raw(),
        front: front.as_raw(),
        topology: topology(mode).as_raw(),
        depth_test: u32::from(depth && p.depth_test.get()),
        depth_write: u32::from(depth && p.depth_test.get() && p.depth_write.get()),
        depth_func: compare_op(p.depth_func).as_raw(),
        stencil_test: u32::from(stencil && p.stencil_test.get()),
        stencil: [face(&p.stencil[0]), face(&p.stencil[1])],
        discard: u32::from(p.rasterizer_discard.get()),
        bias: bias.into(),
        restart: restart.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgl_core::pod::F32;

    #[test]
    fn viewports_are_turned_with_the_image_and_the_origin() {
        let v = Viewport {
            x: F32(10.0),
            y: F32(20.0),
            width: F32(30.0),
            height: F32(40.0),
            near: F32(0.25),
            far: F32(1.0),
        };
        let limits = vk::PhysicalDeviceLimits {
            viewport_bounds_range: [-32768.0, 32767.0],
            max_viewport_dimensions: [16384, 16384],
            ..vk::PhysicalDeviceLimits::default()
        };
        let of = |flip: bool, upper: bool| {
            let t = Targets {
                flip,
                ..Targets::default()
            };
            let v = viewport(&v, &t, 100.0, upper, &limits);
            (v.y, v.height)
        };
        // Clip space's -1 goes to the first number, 1 to their sum.
        assert_eq!(of(false, false), (20.0, 40.0));
        assert_eq!(of(true, false), (80.0, -40.0));
        assert_eq!(of(false, true), (60.0, -40.0));
        assert_eq!(of(true, true), (40.0, 40.0));
    }
}
