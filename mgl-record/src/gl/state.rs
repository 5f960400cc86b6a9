//! Capabilities, fragment operations, rasterisation and clear values (GL 3.3 chapters 2 to 4; GL 4.6 chapters 13 to 17).

use super::entry::{api_entry, enter_gl, gl_entry};
use super::limits::MAX_DRAW_BUFFERS;
use super::types::*;
use crate::consts::gl::*;
use crate::context::Gl;
use crate::state::dirty::Passive;
use crate::state::program::Program;
use crate::state::sampler::symbol;
use mgl_core::pipe::*;
use mgl_core::pod::F32;

/// Sides that a face enumerant selects: 0 front, 1 back.
fn sides(face: GLenum) -> Option<&'static [usize]> {
    match face {
        GL_FRONT => Some(&[0]),
        GL_BACK => Some(&[1]),
        GL_FRONT_AND_BACK => Some(&[0, 1]),
        _ => None,
    }
}

const ALL_BUFFERS: std::ops::Range<usize> = 0..MAX_DRAW_BUFFERS as usize;

fn clamp01(v: f64) -> f32 {
    if v.is_nan() {
        0.0
    } else {
        v.clamp(0.0, 1.0) as f32
    }
}

impl Gl<'_> {
    fn set_viewport(&mut self, x: GLint, y: GLint, width: GLsizei, height: GLsizei) {
        if width < 0 || height < 0 {
            return self.raise(GL_INVALID_VALUE);
        }
        let limit = super::limits::MAX_VIEWPORT_DIM as i32;
        for i in 0..MAX_VIEWPORTS {
            let v = self.ctx.render.dynamic().viewports[i];
            let v = Viewport {
                x: F32(x as f32),
                y: F32(y as f32),
                width: F32(width.min(limit) as f32),
                height: F32(height.min(limit) as f32),
                ..v
            };
            self.ctx.render.viewport(i, v);
        }
    }

    /// Reads a capability, or sets it and returns the new value; `None` for one that does not exist.
    pub(crate) fn capability(&mut self, cap: GLenum, set: Option<bool>) -> Option<bool> {
        let r = &mut self.ctx.render;
        macro_rules! value {
            ($set:ident($($i:expr,)?) = $($read:tt)*) => {{
                if let Some(on) = set { r.$set($($i,)? on.into()); }
                Some(r.$($read)*.get())
            }};
        }
        match cap {
            GL_BLEND => {
                if let Some(on) = set {
                    ALL_BUFFERS.for_each(|i| r.blend_enable(i, on.into()));
                }
                Some(r.pipeline().blend[0].enable.get())
            }
            GL_SCISSOR_TEST => {
                if let Some(on) = set {
                    (0..MAX_VIEWPORTS).for_each(|i| r.scissor_enable(i, on.into()));
                }
                Some(r.dynamic().scissors[0].enable.get())
            }
            GL_CLIP_DISTANCE0..=GL_CLIP_DISTANCE7 => {
                let bit = 1 << (cap - GL_CLIP_DISTANCE0);
                let now = r.dynamic().raster.clip_distances;
                if let Some(on) = set {
                    r.clip_distances(if on { now | bit } else { now & !bit });
                }
                Some(r.dynamic().raster.clip_distances & bit != 0)
            }
            GL_COLOR_LOGIC_OP => value!(logic_op_enable() = pipeline().logic_op_enable),
            GL_CULL_FACE => value!(cull_enable() = pipeline().cull_enable),
            GL_DEPTH_CLAMP => value!(depth_clamp() = pipeline().depth_clamp),
            GL_DEPTH_TEST => value!(depth_test() = pipeline().depth_test),
            GL_STENCIL_TEST => value!(stencil_test() = pipeline().stencil_test),
            GL_RASTERIZER_DISCARD => value!(rasterizer_discard() = pipeline().rasterizer_discard),
            GL_DITHER => value!(dither() = dynamic().output.dither),
            GL_FRAMEBUFFER_SRGB => value!(framebuffer_srgb() = dynamic().output.framebuffer_srgb),
            GL_LINE_SMOOTH => value!(line_smooth() = dynamic().raster.line_smooth),
            GL_POLYGON_SMOOTH => value!(polygon_smooth() = dynamic().raster.polygon_smooth),
            GL_PROGRAM_POINT_SIZE => {
                value!(program_point_size() = dynamic().raster.program_point_size)
            }
            GL_MULTISAMPLE => value!(multisample() = dynamic().multisample.enable),
            GL_SAMPLE_ALPHA_TO_COVERAGE => {
                value!(alpha_to_coverage() = dynamic().multisample.alpha_to_coverage)
            }
            GL_SAMPLE_ALPHA_TO_ONE => value!(alpha_to_one() = dynamic().multisample.alpha_to_one),
            GL_SAMPLE_COVERAGE => value!(coverage_enable() = dynamic().multisample.coverage_enable),
            GL_SAMPLE_MASK => value!(sample_mask_enable() = dynamic().multisample.mask_enable),
            GL_POLYGON_OFFSET_FILL => value!(depth_bias_fill() = dynamic().depth_bias.fill),
            GL_POLYGON_OFFSET_LINE => value!(depth_bias_line() = dynamic().depth_bias.line),
            GL_POLYGON_OFFSET_POINT => value!(depth_bias_point() = dynamic().depth_bias.point),
            GL_PRIMITIVE_RESTART => {
                if let Some(on) = set {
                    self.ctx.vertex.set_restart(self.gens.touch(), on);
                }
                Some(self.ctx.vertex.restart())
            }
            GL_TEXTURE_CUBE_MAP_SEAMLESS => {
                if let Some(on) = set {
                    self.ctx.textures.set_seamless(on, self.gens.touch());
                }
                Some(self.ctx.textures.seamless())
            }
            GL_DEBUG_OUTPUT | GL_DEBUG_OUTPUT_SYNCHRONOUS => Some(self.ctx.debug.switch(cap, set)),
            _ => self.legacy_switch(cap, set),
        }
    }

    fn set_capability(&mut self, cap: GLenum, on: bool) {
        if self.capability(cap, Some(on)).is_none() {
            self.raise(GL_INVALID_ENUM);
        }
    }

    fn set_indexed_capability(&mut self, cap: GLenum, index: GLuint, on: bool) {
        match (cap, index as usize) {
            (GL_BLEND, i) if ALL_BUFFERS.contains(&i) => self.ctx.render.blend_enable(i, on.into()),
            (GL_SCISSOR_TEST, 0) => self.ctx.render.scissor_enable(0, on.into()),
            (GL_BLEND | GL_SCISSOR_TEST, _) => self.raise(GL_INVALID_VALUE),
            _ => self.raise(GL_INVALID_ENUM),
        }
    }

    fn blend_func(&mut self, buffers: impl Iterator<Item = usize>, f: [GLenum; 4]) {
        let f = f.map(BlendFactor::from_gl);
        let [Some(sc), Some(dc), Some(sa), Some(da)] = f else {
            return self.raise(GL_INVALID_ENUM);
        };
        for i in buffers {
            let r = &mut self.ctx.render;
            r.blend_src_color(i, sc);
            r.blend_dst_color(i, dc);
            r.blend_src_alpha(i, sa);
            r.blend_dst_alpha(i, da);
        }
    }

    fn blend_equation(&mut self, buffers: impl Iterator<Item = usize>, e: [GLenum; 2]) {
        let [Some(c), Some(a)] = e.map(BlendEquation::from_gl) else {
            return self.raise(GL_INVALID_ENUM);
        };
        for i in buffers {
            self.ctx.render.blend_eq_color(i, c);
            self.ctx.render.blend_eq_alpha(i, a);
        }
    }

    /// One draw buffer's index, or GL_INVALID_VALUE.
    fn draw_buffer(&mut self, buf: GLuint) -> Option<std::iter::Once<usize>> {
        if buf >= MAX_DRAW_BUFFERS {
            self.raise(GL_INVALID_VALUE);
            return None;
        }
        Some(std::iter::once(buf as usize))
    }

    fn depth_range(&mut self, near: f64, far: f64) {
        let (near, far) = (clamp01(near), clamp01(far));
        for i in 0..MAX_VIEWPORTS {
            let v = self.ctx.render.dynamic().viewports[i];
            self.ctx.render.viewport(
                i,
                Viewport {
                    near: F32(near),
                    far: F32(far),
                    ..v
                },
            );
        }
        if let Some(id) = self.ctx.programs.current() {
            let p: &mut Program = &mut self.share.programs.objects[id];
            p.set_depth_range(near, far);
        }
    }

    fn point_parameter(&mut self, pname: GLenum, value: f32) {
        match pname {
            GL_POINT_SPRITE_COORD_ORIGIN => match ClipOrigin::from_gl(symbol(value)) {
                Some(o) => self.ctx.render.point_origin(o),
                None => self.raise(GL_INVALID_ENUM),
            },
            GL_POINT_FADE_THRESHOLD_SIZE | GL_POINT_SIZE_MIN | GL_POINT_SIZE_MAX if value < 0.0 => {
                self.raise(GL_INVALID_VALUE)
            }
            GL_POINT_FADE_THRESHOLD_SIZE => self.ctx.misc.point_fade_threshold = value,
            GL_POINT_SIZE_MIN if !self.is_core() => self.ctx.legacy.values.point_sizes[0] = value,
            GL_POINT_SIZE_MAX if !self.is_core() => self.ctx.legacy.values.point_sizes[1] = value,
            _ => self.raise(GL_INVALID_ENUM),
        }
    }

    fn polygon_offset(&mut self, factor: f32, units: f32, clamp: f32) {
        let b = self.ctx.render.dynamic().depth_bias;
        self.ctx.render.depth_bias(DepthBias {
            factor: F32(factor),
            units: F32(units),
            clamp: F32(clamp),
            ..b
        });
    }
}

gl_entry! {
    /// Turns a capability on (GL 4.6 §2.2).
    fn glEnable(gl, cap: GLenum) { gl.set_capability(cap, true) }
    /// Turns a capability off.
    fn glDisable(gl, cap: GLenum) { gl.set_capability(cap, false) }
    /// Whether a capability is on.
    fn glIsEnabled(gl, cap: GLenum) -> GLboolean {
        match gl.capability(cap, None).or_else(|| gl.client_state(cap)) {
            Some(on) => u8::from(on),
            None => { gl.raise(GL_INVALID_ENUM); 0 }
        }
    }
    /// Turns an indexed capability on.
    fn glEnablei(gl, target: GLenum, index: GLuint) { gl.set_indexed_capability(target, index, true) }
    /// Turns an indexed capability off.
    fn glDisablei(gl, target: GLenum, index: GLuint) { gl.set_indexed_capability(target, index, false) }
    /// Whether an indexed capability is on.
    fn glIsEnabledi(gl, target: GLenum, index: GLuint) -> GLboolean {
        match (target, index as usize) {
            (GL_BLEND, i) if ALL_BUFFERS.contains(&i) => u8::from(gl.ctx.render.pipeline().blend[i].enable.get()),
            (GL_SCISSOR_TEST, 0) => u8::from(gl.ctx.render.dynamic().scissors[0].enable.get()),
            (GL_BLEND | GL_SCISSOR_TEST, _) => { gl.raise(GL_INVALID_VALUE); 0 }
            _ => { gl.raise(GL_INVALID_ENUM); 0 }
        }
    }
    /// Blend factors (GL 4.6 §17.3.6.2).
    fn glBlendFunc(gl, sfactor: GLenum, dfactor: GLenum) { gl.blend_func(ALL_BUFFERS, [sfactor, dfactor, sfactor, dfactor]) }
    /// Blend factors, alpha apart.
    fn glBlendFuncSeparate(gl, src_rgb: GLenum, dst_rgb: GLenum, src_alpha: GLenum, dst_alpha: GLenum) {
        gl.blend_func(ALL_BUFFERS, [src_rgb, dst_rgb, src_alpha, dst_alpha])
    }
    /// Blend factors of one draw buffer.
    fn glBlendFunci(gl, buf: GLuint, src: GLenum, dst: GLenum) {
        if let Some(b) = gl.draw_buffer(buf) { gl.blend_func(b, [src, dst, src, dst]) }
    }
    /// Blend factors of one draw buffer, alpha apart.
    fn glBlendFuncSeparatei(gl, buf: GLuint, src_rgb: GLenum, dst_rgb: GLenum, src_alpha: GLenum, dst_alpha: GLenum) {
        if let Some(b) = gl.draw_buffer(buf) { gl.blend_func(b, [src_rgb, dst_rgb, src_alpha, dst_alpha]) }
    }
    /// Blend equation (GL 4.6 §17.3.6.1).
    fn glBlendEquation(gl, mode: GLenum) { gl.blend_equation(ALL_BUFFERS, [mode, mode]) }
    /// Blend equation, alpha apart.
    fn glBlendEquationSeparate(gl, mode_rgb: GLenum, mode_alpha: GLenum) { gl.blend_equation(ALL_BUFFERS, [mode_rgb, mode_alpha]) }
    /// Blend equation of one draw buffer.
    fn glBlendEquationi(gl, buf: GLuint, mode: GLenum) {
        if let Some(b) = gl.draw_buffer(buf) { gl.blend_equation(b, [mode, mode]) }
    }
    /// Blend equation of one draw buffer, alpha apart.
    fn glBlendEquationSeparatei(gl, buf: GLuint, mode_rgb: GLenum, mode_alpha: GLenum) {
        if let Some(b) = gl.draw_buffer(buf) { gl.blend_equation(b, [mode_rgb, mode_alpha]) }
    }
    /// Blend colour, unclamped (GL 4.6 §17.3.6.3).
    fn glBlendColor(gl, red: GLfloat, green: GLfloat, blue: GLfloat, alpha: GLfloat) {
        gl.ctx.render.blend_color([F32(red), F32(green), F32(blue), F32(alpha)])
    }
    /// Colour write mask of all draw buffers (GL 4.6 §17.4.2).
    fn glColorMask(gl, red: GLboolean, green: GLboolean, blue: GLboolean, alpha: GLboolean) {
        let m = color_mask(red, green, blue, alpha);
        ALL_BUFFERS.for_each(|i| gl.ctx.render.color_mask(i, m))
    }
    /// Colour write mask of one draw buffer.
    fn glColorMaski(gl, index: GLuint, r: GLboolean, g: GLboolean, b: GLboolean, a: GLboolean) {
        if index >= MAX_DRAW_BUFFERS { return gl.raise(GL_INVALID_VALUE) }
        gl.ctx.render.color_mask(index as usize, color_mask(r, g, b, a))
    }
    /// Depth comparison (GL 4.6 §17.3.4).
    fn glDepthFunc(gl, func: GLenum) {
        match CompareFunc::from_gl(func) {
            Some(f) => gl.ctx.render.depth_func(f),
            None => gl.raise(GL_INVALID_ENUM),
        }
    }
    /// Depth writes (GL 4.6 §17.4.2).
    fn glDepthMask(gl, flag: GLboolean) { gl.ctx.render.depth_write((flag != 0).into()) }
    /// Depth range (GL 4.6 §13.8.1).
    fn glDepthRange(gl, n: GLdouble, f: GLdouble) { gl.depth_range(n, f) }
    /// Depth range in floats (ARB_ES2_compatibility).
    fn glDepthRangef(gl, n: GLfloat, f: GLfloat) { gl.depth_range(f64::from(n), f64::from(f)) }
    /// Stencil comparison of both faces (GL 4.6 §17.3.3).
    fn glStencilFunc(gl, func: GLenum, reference: GLint, mask: GLuint) { stencil_func(gl, GL_FRONT_AND_BACK, func, reference, mask) }
    /// Stencil comparison of a face.
    fn glStencilFuncSeparate(gl, face: GLenum, func: GLenum, reference: GLint, mask: GLuint) { stencil_func(gl, face, func, reference, mask) }
    /// Stencil write mask of both faces (GL 4.6 §17.4.2).
    fn glStencilMask(gl, mask: GLuint) { (0..2).for_each(|i| gl.ctx.render.stencil_write_mask(i, mask)) }
    /// Stencil write mask of a face.
    fn glStencilMaskSeparate(gl, face: GLenum, mask: GLuint) {
        match sides(face) {
            Some(s) => s.iter().for_each(|i| gl.ctx.render.stencil_write_mask(*i, mask)),
            None => gl.raise(GL_INVALID_ENUM),
        }
    }
    /// Stencil operations of both faces (GL 4.6 §17.3.3).
    fn glStencilOp(gl, fail: GLenum, zfail: GLenum, zpass: GLenum) { stencil_op(gl, GL_FRONT_AND_BACK, [fail, zfail, zpass]) }
    /// Stencil operations of a face.
    fn glStencilOpSeparate(gl, face: GLenum, sfail: GLenum, dpfail: GLenum, dppass: GLenum) { stencil_op(gl, face, [sfail, dpfail, dppass]) }
    /// Culled face (GL 4.6 §14.6.1).
    fn glCullFace(gl, mode: GLenum) {
        match Face::from_gl(mode) {
            Some(f) => gl.ctx.render.cull_face(f),
            None => gl.raise(GL_INVALID_ENUM),
        }
    }
    /// Winding of front faces.
    fn glFrontFace(gl, mode: GLenum) {
        match FrontFace::from_gl(mode) {
            Some(f) => gl.ctx.render.front_face(f),
            None => gl.raise(GL_INVALID_ENUM),
        }
    }
    /// Polygon mode (GL 4.6 §14.6.4); the core profile knows no faces of their own.
    fn glPolygonMode(gl, face: GLenum, mode: GLenum) {
        let Some(m) = PolygonMode::from_gl(mode) else { return gl.raise(GL_INVALID_ENUM) };
        match face {
            GL_FRONT_AND_BACK => gl.ctx.render.polygon_mode(m),
            GL_FRONT | GL_BACK if !gl.is_core() => {
                if m != gl.ctx.render.pipeline().polygon_mode {
                    gl.ctx.misc.refuse_value("glPolygonMode", face);
                    gl.raise(GL_INVALID_OPERATION);
                }
            }
            _ => gl.raise(GL_INVALID_ENUM),
        }
    }
    /// Polygon offset (GL 4.6 §14.6.5).
    fn glPolygonOffset(gl, factor: GLfloat, units: GLfloat) { gl.polygon_offset(factor, units, 0.0) }
    /// Width of lines (GL 4.6 §14.5).
    fn glLineWidth(gl, width: GLfloat) {
        // Wide lines are deprecated: forward-compatible contexts refuse them (GL 3.3 appendix E.2.1).
        let forward = gl.ctx.config.forward_compatible;
        if width > 0.0 && !(forward && width > 1.0) { gl.ctx.render.line_width(F32(width)) } else { gl.raise(GL_INVALID_VALUE) }
    }
    /// Size of points (GL 4.6 §14.4).
    fn glPointSize(gl, size: GLfloat) {
        if size > 0.0 { gl.ctx.render.point_size(F32(size)) } else { gl.raise(GL_INVALID_VALUE) }
    }
    /// Parameters of points (GL 4.6 §14.4).
    fn glPointParameterf(gl, pname: GLenum, param: GLfloat) { gl.point_parameter(pname, param) }
    /// Parameters of points.
    fn glPointParameteri(gl, pname: GLenum, param: GLint) { gl.point_parameter(pname, param as f32) }
    /// Parameters of points from memory.
    fn glPointParameterfv(gl, pname: GLenum, params: *const GLfloat) {
        if params.is_null() { return }
        if pname == GL_POINT_DISTANCE_ATTENUATION && !gl.is_core() {
            // SAFETY: the caller gives three values.
            gl.ctx.legacy.values.point_attenuation = unsafe { params.cast::<[f32; 3]>().read_unaligned() };
            return;
        }
        // SAFETY: the caller gives at least one value.
        gl.point_parameter(pname, unsafe { *params })
    }
    /// Parameters of points from memory.
    fn glPointParameteriv(gl, pname: GLenum, params: *const GLint) {
        if params.is_null() { return }
        if pname == GL_POINT_DISTANCE_ATTENUATION && !gl.is_core() {
            // SAFETY: the caller gives three values.
            let v = unsafe { params.cast::<[i32; 3]>().read_unaligned() };
            gl.ctx.legacy.values.point_attenuation = v.map(|v| v as f32);
            return;
        }
        // SAFETY: the caller gives at least one value.
        gl.point_parameter(pname, unsafe { *params } as f32)
    }
    /// Scissor box (GL 4.6 §17.3.2).
    fn glScissor(gl, x: GLint, y: GLint, width: GLsizei, height: GLsizei) {
        let (Ok(width), Ok(height)) = (u32::try_from(width), u32::try_from(height)) else { return gl.raise(GL_INVALID_VALUE) };
        for i in 0..MAX_VIEWPORTS {
            let enable = gl.ctx.render.dynamic().scissors[i].enable;
            gl.ctx.render.scissor(i, Scissor { enable, x, y, width, height });
        }
    }
    /// Logical operation (GL 4.6 §17.3.9).
    fn glLogicOp(gl, opcode: GLenum) {
        match LogicOp::from_gl(opcode) {
            Some(o) => gl.ctx.render.logic_op(o),
            None => gl.raise(GL_INVALID_ENUM),
        }
    }
    /// Sample coverage (GL 4.6 §17.3.3).
    fn glSampleCoverage(gl, value: GLfloat, invert: GLboolean) {
        gl.ctx.render.coverage(F32(clamp01(f64::from(value))));
        gl.ctx.render.coverage_invert((invert != 0).into());
    }
    /// Sample mask (GL 4.6 §14.9.3).
    fn glSampleMaski(gl, index: GLuint, mask: GLbitfield) {
        if index == 0 { gl.ctx.render.sample_mask(mask) } else { gl.raise(GL_INVALID_VALUE) }
    }
    /// Provoking vertex (GL 4.6 §13.6).
    fn glProvokingVertex(gl, mode: GLenum) {
        match ProvokingVertex::from_gl(mode) {
            Some(m) => gl.ctx.render.provoking_vertex(m),
            None => gl.raise(GL_INVALID_ENUM),
        }
    }
    /// Clamping of colours read (GL 4.6 §18.2.8); the compatibility profile's other targets are fixed function.
    fn glClampColor(gl, target: GLenum, clamp: GLenum) {
        match (target, ClampColor::from_gl(clamp)) {
            (GL_CLAMP_READ_COLOR, Some(c)) => gl.ctx.render.clamp_read_color(c),
            // Colours of vertices are fixed function; those that fragment shaders write are not clamped.
            (GL_CLAMP_VERTEX_COLOR, Some(_)) if !gl.is_core() => gl.ctx.legacy.values.clamp[0] = clamp,
            (GL_CLAMP_FRAGMENT_COLOR, Some(c)) if !gl.is_core() => {
                if c == ClampColor::TRUE {
                    gl.ctx.misc.without_effect("glClampColor", target);
                }
                gl.ctx.legacy.values.clamp[1] = clamp;
            }
            _ => gl.raise(GL_INVALID_ENUM),
        }
    }
    /// Clear colour, unclamped (GL 4.6 §17.4.3.1).
    fn glClearColor(gl, red: GLfloat, green: GLfloat, blue: GLfloat, alpha: GLfloat) {
        gl.ctx.clear.color = [red, green, blue, alpha].map(f32::to_bits);
        gl.ctx.clear.color_type = ValueType::FLOAT;
    }
    /// Clear depth.
    fn glClearDepth(gl, depth: GLdouble) { gl.ctx.clear.depth = f64::from(clamp01(depth)) }
    /// Clear depth in floats (ARB_ES2_compatibility).
    fn glClearDepthf(gl, d: GLfloat) { gl.ctx.clear.depth = f64::from(clamp01(f64::from(d))) }
    /// Clear stencil.
    fn glClearStencil(gl, s: GLint) { gl.ctx.clear.stencil = s }
    /// Hints: kept, and obeyed by nobody (GL 4.6 §21.4).
    fn glHint(gl, target: GLenum, mode: GLenum) {
        let _dirty: crate::state::Token<Passive> = gl.gens.touch();
        let core = gl.is_core();
        if !gl.ctx.misc.set_hint(target, mode, core) { gl.raise(GL_INVALID_ENUM) }
    }
}

fn color_mask(r: GLboolean, g: GLboolean, b: GLboolean, a: GLboolean) -> ColorMask {
    ColorMask::NONE
        .with(ColorMask::R, r != 0)
        .with(ColorMask::G, g != 0)
        .with(ColorMask::B, b != 0)
        .with(ColorMask::A, a != 0)
}

fn stencil_func(gl: &mut Gl<'_>, face: GLenum, func: GLenum, reference: GLint, mask: GLuint) {
    let (Some(s), Some(f)) = (sides(face), CompareFunc::from_gl(func)) else {
        return gl.raise(GL_INVALID_ENUM);
    };
    for &i in s {
        gl.ctx.render.stencil_func(i, f);
        // Clamped to the range of the stencil buffer when used (GL 4.6 §17.3.3); kept as set, but never negative.
        gl.ctx.render.stencil_ref(i, reference.max(0) as u32);
        gl.ctx.render.stencil_compare_mask(i, mask);
    }
}

fn stencil_op(gl: &mut Gl<'_>, face: GLenum, ops: [GLenum; 3]) {
    let (Some(s), [Some(fail), Some(zfail), Some(pass)]) =
        (sides(face), ops.map(StencilOp::from_gl))
    else {
        return gl.raise(GL_INVALID_ENUM);
    };
    for &i in s {
        gl.ctx.render.stencil_fail(i, fail);
        gl.ctx.render.stencil_depth_fail(i, zfail);
        gl.ctx.render.stencil_pass(i, pass);
    }
}

api_entry! {
    /// Viewport (GL 4.6 §13.8.1). Programs set it when their window has another size: the surface has to have it too by
    /// now, which is found out before the driver is taken.
    fn glViewport(x: GLint, y: GLint, width: GLsizei, height: GLsizei) {
        crate::winsys::follow_windows();
        enter_gl("glViewport", |gl| gl.set_viewport(x, y, width, height))
    }
}
