//! Single values of the fixed function: shading, alpha test, stipples, clip planes, accumulation (GL 3.3 compatibility
//! §2.23, §3.5, §3.6, §4.1.4, §4.2).

use super::math::transform_plane;
use super::{CLIP_PLANES, read};
use crate::consts::gl::*;
use crate::context::Gl;
use crate::gl::entry::gl_entry;
use crate::gl::types::*;
use mgl_core::pipe::CompareFunc;

/// Values that are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Values {
    /// GL_SHADE_MODEL.
    pub shade_model: GLenum,
    /// GL_ALPHA_TEST_FUNC and GL_ALPHA_TEST_REF.
    pub alpha: (GLenum, f32),
    /// GL_COLOR_MATERIAL_FACE and GL_COLOR_MATERIAL_PARAMETER.
    pub color_material: [GLenum; 2],
    /// GL_LINE_STIPPLE_REPEAT and GL_LINE_STIPPLE_PATTERN.
    pub line_stipple: (GLint, GLushort),
    /// The pattern of polygons, a bit a pixel.
    pub polygon_stipple: [u8; 128],
    /// GL_ACCUM_CLEAR_VALUE.
    pub clear_accum: [f32; 4],
    /// GL_INDEX_CLEAR_VALUE.
    pub clear_index: f32,
    /// GL_INDEX_WRITEMASK.
    pub index_mask: GLuint,
    /// Planes in the eye's coordinates.
    pub clip_planes: [[f32; 4]; CLIP_PLANES],
    /// GL_POINT_SIZE_MIN and GL_POINT_SIZE_MAX.
    pub point_sizes: [f32; 2],
    /// GL_POINT_DISTANCE_ATTENUATION.
    pub point_attenuation: [f32; 3],
    /// GL_CLAMP_VERTEX_COLOR and GL_CLAMP_FRAGMENT_COLOR.
    pub clamp: [GLenum; 2],
    /// GL_ZOOM_X and GL_ZOOM_Y.
    pub pixel_zoom: [f32; 2],
    /// GL_LIST_BASE.
    pub list_base: GLuint,
}

impl Default for Values {
    fn default() -> Self {
        Self {
            shade_model: GL_SMOOTH,
            alpha: (GL_ALWAYS, 0.0),
            color_material: [GL_FRONT_AND_BACK, GL_AMBIENT_AND_DIFFUSE],
            line_stipple: (1, 0xFFFF),
            polygon_stipple: [0xFF; 128],
            clear_accum: [0.0; 4],
            clear_index: 0.0,
            index_mask: GLuint::MAX,
            clip_planes: [[0.0; 4]; CLIP_PLANES],
            point_sizes: [0.0, 255.0],
            point_attenuation: [1.0, 0.0, 0.0],
            clamp: [GL_TRUE, GL_FIXED_ONLY],
            pixel_zoom: [1.0; 2],
            list_base: 0,
        }
    }
}

fn plane_of(gl: &mut Gl<'_>, plane: GLenum) -> Option<usize> {
    gl.legacy()?;
    let i = plane.wrapping_sub(GL_CLIP_PLANE0) as usize;
    if i < CLIP_PLANES {
        return Some(i);
    }
    gl.raise(GL_INVALID_ENUM);
    None
}

/// glPixelTransfer*: pixels pass as they are, which the initial values mean; others are refused.
fn pixel_transfer(gl: &mut Gl<'_>, pname: GLenum, value: f32) {
    if gl.legacy().is_none() {
        return;
    }
    let initial = match pname {
        GL_RED_SCALE | GL_GREEN_SCALE | GL_BLUE_SCALE | GL_ALPHA_SCALE | GL_DEPTH_SCALE => 1.0,
        GL_RED_BIAS | GL_GREEN_BIAS | GL_BLUE_BIAS | GL_ALPHA_BIAS | GL_DEPTH_BIAS
        | GL_MAP_COLOR | GL_MAP_STENCIL | GL_INDEX_SHIFT | GL_INDEX_OFFSET => 0.0,
        _ => return gl.raise(GL_INVALID_ENUM),
    };
    if value != initial {
        gl.ctx.misc.refuse_value("glPixelTransfer", pname);
        gl.raise(GL_INVALID_OPERATION);
    }
}

gl_entry! {
    /// How pixels change on their way (GL 3.3 compatibility §3.7.3).
    fn glPixelTransferf(gl, pname: GLenum, param: GLfloat) { pixel_transfer(gl, pname, param) }
    /// How pixels change on their way.
    fn glPixelTransferi(gl, pname: GLenum, param: GLint) { pixel_transfer(gl, pname, param as f32) }
    /// Flat or smooth shading of colours (GL 3.3 compatibility §2.22).
    fn glShadeModel(gl, mode: GLenum) {
        let Some(state) = gl.legacy() else { return };
        match mode {
            GL_FLAT | GL_SMOOTH => state.values.shade_model = mode,
            _ => gl.raise(GL_INVALID_ENUM),
        }
    }
    /// Comparison of the alpha test (GL 3.3 compatibility §4.1.4).
    fn glAlphaFunc(gl, func: GLenum, value: GLfloat) {
        let Some(state) = gl.legacy() else { return };
        match CompareFunc::from_gl(func) {
            Some(_) => state.values.alpha = (func, value.clamp(0.0, 1.0)),
            None => gl.raise(GL_INVALID_ENUM),
        }
    }
    /// Pattern of lines (GL 3.3 compatibility §3.5.2).
    fn glLineStipple(gl, factor: GLint, pattern: GLushort) {
        if let Some(state) = gl.legacy() {
            state.values.line_stipple = (factor.clamp(1, 256), pattern);
        }
    }
    /// Pattern of polygons (GL 3.3 compatibility §3.6.2), as it lies in memory.
    fn glPolygonStipple(gl, pattern: *const GLubyte) {
        let Some(state) = gl.legacy() else { return };
        if !pattern.is_null() {
            // SAFETY: the program gives 32 rows of 32 bits.
            state.values.polygon_stipple = unsafe { read(pattern) };
        }
    }
    /// The pattern of polygons.
    fn glGetPolygonStipple(gl, pattern: *mut GLubyte) {
        let Some(state) = gl.legacy() else { return };
        // SAFETY: the program gives room for 32 rows of 32 bits.
        unsafe { pattern.cast::<[u8; 128]>().write_unaligned(state.values.polygon_stipple) }
    }
    /// Value that clears accumulation buffers, of which there are none.
    fn glClearAccum(gl, red: GLfloat, green: GLfloat, blue: GLfloat, alpha: GLfloat) {
        if let Some(state) = gl.legacy() {
            state.values.clear_accum = [red, green, blue, alpha].map(|v| v.clamp(-1.0, 1.0));
        }
    }
    /// Value that clears buffers of colour indices, of which there are none.
    fn glClearIndex(gl, c: GLfloat) {
        if let Some(state) = gl.legacy() {
            state.values.clear_index = c;
        }
    }
    /// Write mask of buffers of colour indices, of which there are none.
    fn glIndexMask(gl, mask: GLuint) {
        if let Some(state) = gl.legacy() {
            state.values.index_mask = mask;
        }
    }
    /// A clip plane (GL 3.3 compatibility §2.23), which shaders replace by gl_ClipDistance.
    fn glClipPlane(gl, plane: GLenum, equation: *const GLdouble) {
        let Some(i) = plane_of(gl, plane) else { return };
        // SAFETY: the program gives four values.
        let v = unsafe { read::<GLdouble, 4>(equation) }.map(|v| v as f32);
        let state = &mut gl.ctx.legacy;
        state.values.clip_planes[i] = transform_plane(state.matrices.model_view.top(), v);
    }
    /// A clip plane in the eye's coordinates.
    fn glGetClipPlane(gl, plane: GLenum, equation: *mut GLdouble) {
        let Some(i) = plane_of(gl, plane) else { return };
        let v = gl.ctx.legacy.values.clip_planes[i].map(f64::from);
        // SAFETY: the program gives room for four values.
        unsafe { equation.cast::<[f64; 4]>().write_unaligned(v) }
    }
    /// Zoom of glDrawPixels and glCopyPixels.
    fn glPixelZoom(gl, xfactor: GLfloat, yfactor: GLfloat) {
        if let Some(state) = gl.legacy() {
            state.values.pixel_zoom = [xfactor, yfactor];
        }
    }
    /// The number that glCallLists adds.
    fn glListBase(gl, base: GLuint) {
        if let Some(state) = gl.legacy() {
            state.values.list_base = base;
        }
    }
    /// Rendering, or a mode of it whose results are refused; the answer is that of rendering.
    fn glRenderMode(gl, mode: GLenum) -> GLint {
        if gl.legacy().is_some() {
            match mode {
                GL_RENDER => {}
                GL_SELECT | GL_FEEDBACK => {
                    gl.ctx.misc.refuse_value("glRenderMode", mode);
                    gl.raise(GL_INVALID_OPERATION);
                }
                _ => gl.raise(GL_INVALID_ENUM),
            }
        }
        0
    }
}
