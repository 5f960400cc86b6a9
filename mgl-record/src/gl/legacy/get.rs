//! glGet* of the fixed function's state (GL 3.3 compatibility tables 6.5 to 6.55).

use super::math::{Matrix, transpose};
use super::matrix::{DEPTH, TEXTURE_DEPTH};
use super::params::{Owner, parameter};
use super::{CLIP_PLANES, LIGHTS, TEXTURE_COORDS, arrays, attrib_stack, client_stack};
use crate::consts::gl::*;
use crate::context::Gl;
use crate::gl::get::{Value, color, floats, ints};
use crate::gl::types::*;

impl Gl<'_> {
    /// A value of the fixed function's state; `None` for what is none, and in the core profile.
    pub(crate) fn get_legacy(&self, pname: GLenum) -> Option<Value> {
        if self.is_core() {
            return None;
        }
        self.legacy_matrix(pname)
            .or_else(|| self.legacy_value(pname))
            .or_else(|| self.legacy_param(pname))
            .or_else(|| self.legacy_array(pname))
            .or_else(|| limit(pname))
    }

    fn legacy_matrix(&self, pname: GLenum) -> Option<Value> {
        let m = &self.ctx.legacy.matrices;
        let unit = self.ctx.textures.active() as usize;
        let texture = || m.texture.get(unit);
        let rows = |m: &Matrix| Value::Matrix(transpose(m));
        let depth = |s: &super::matrix::Stack| Value::int(s.depth() as i64);
        Some(match pname {
            GL_MATRIX_MODE => Value::int(m.mode),
            GL_MODELVIEW_MATRIX => Value::Matrix(*m.model_view.top()),
            GL_PROJECTION_MATRIX => Value::Matrix(*m.projection.top()),
            GL_TEXTURE_MATRIX => Value::Matrix(*texture()?.top()),
            GL_TRANSPOSE_MODELVIEW_MATRIX => rows(m.model_view.top()),
            GL_TRANSPOSE_PROJECTION_MATRIX => rows(m.projection.top()),
            GL_TRANSPOSE_TEXTURE_MATRIX => rows(texture()?.top()),
            GL_MODELVIEW_STACK_DEPTH => depth(&m.model_view),
            GL_PROJECTION_STACK_DEPTH => depth(&m.projection),
            GL_TEXTURE_STACK_DEPTH => depth(texture()?),
            GL_MAX_MODELVIEW_STACK_DEPTH | GL_MAX_PROJECTION_STACK_DEPTH => {
                Value::int(DEPTH as i64)
            }
            GL_MAX_TEXTURE_STACK_DEPTH => Value::int(TEXTURE_DEPTH as i64),
            _ => return None,
        })
    }

    fn legacy_value(&self, pname: GLenum) -> Option<Value> {
        let state = &self.ctx.legacy;
        let (c, v) = (&state.current, &state.values);
        let unit = self.ctx.textures.active() as usize;
        let [nx, ny, nz] = c.normal.map(f64::from);
        Some(match pname {
            GL_CURRENT_COLOR => color(c.color),
            GL_CURRENT_SECONDARY_COLOR => color(c.secondary),
            GL_CURRENT_NORMAL => Value::Normalized([nx, ny, nz, 0.0], 3),
            GL_CURRENT_TEXTURE_COORDS => floats(*c.texture.get(unit)?),
            GL_CURRENT_FOG_COORD => Value::float(c.fog),
            GL_CURRENT_INDEX => Value::float(c.index),
            GL_EDGE_FLAG => Value::bool(c.edge),
            GL_SHADE_MODEL => Value::int(v.shade_model),
            GL_ALPHA_TEST_FUNC => Value::int(v.alpha.0),
            GL_ALPHA_TEST_REF => Value::Normalized([v.alpha.1.into(), 0.0, 0.0, 0.0], 1),
            GL_COLOR_MATERIAL_FACE => Value::int(v.color_material[0]),
            GL_COLOR_MATERIAL_PARAMETER => Value::int(v.color_material[1]),
            GL_LINE_STIPPLE_REPEAT => Value::int(v.line_stipple.0),
            GL_LINE_STIPPLE_PATTERN => Value::int(v.line_stipple.1),
            GL_ACCUM_CLEAR_VALUE => color(v.clear_accum),
            GL_INDEX_CLEAR_VALUE => Value::float(v.clear_index),
            GL_INDEX_WRITEMASK => Value::int(v.index_mask),
            GL_POINT_SIZE_MIN => Value::float(v.point_sizes[0]),
            GL_POINT_SIZE_MAX => Value::float(v.point_sizes[1]),
            GL_POINT_DISTANCE_ATTENUATION => floats(v.point_attenuation),
            GL_CLAMP_VERTEX_COLOR => Value::int(v.clamp[0]),
            GL_CLAMP_FRAGMENT_COLOR => Value::int(v.clamp[1]),
            GL_ZOOM_X => Value::float(v.pixel_zoom[0]),
            GL_ZOOM_Y => Value::float(v.pixel_zoom[1]),
            GL_LIST_BASE => Value::int(v.list_base),
            GL_ATTRIB_STACK_DEPTH => Value::int(state.attribs.len() as i64),
            GL_CLIENT_ATTRIB_STACK_DEPTH => Value::int(state.client_attribs.len() as i64),
            GL_BLEND_EQUATION_EXT => Value::int(self.ctx.render.pipeline().blend[0].eq_color.0),
            _ => return None,
        })
    }

    fn legacy_param(&self, pname: GLenum) -> Option<Value> {
        let owner = match pname {
            GL_LIGHT_MODEL_AMBIENT
            | GL_LIGHT_MODEL_LOCAL_VIEWER
            | GL_LIGHT_MODEL_TWO_SIDE
            | GL_LIGHT_MODEL_COLOR_CONTROL => Owner::LightModel,
            GL_FOG_INDEX..=GL_FOG_COLOR | GL_FOG_COORD_SRC => Owner::Fog,
            _ => return None,
        };
        let p = parameter(owner, pname)?;
        let v = self.ctx.legacy.params.get(owner, pname)?;
        Some(if p.is_color() {
            color(v)
        } else {
            Value::Floats(v.map(f64::from), p.count)
        })
    }

    /// Whether an array of conventional attributes is enabled, which glIsEnabled tells as well.
    pub(crate) fn client_state(&self, cap: GLenum) -> Option<bool> {
        let array = matches!(
            cap,
            GL_VERTEX_ARRAY
                | GL_NORMAL_ARRAY
                | GL_COLOR_ARRAY
                | GL_SECONDARY_COLOR_ARRAY
                | GL_INDEX_ARRAY
                | GL_FOG_COORD_ARRAY
                | GL_EDGE_FLAG_ARRAY
                | GL_TEXTURE_COORD_ARRAY
        );
        let arrays = &self.ctx.legacy.arrays;
        let set = arrays.of(self.ctx.vertex.current().name());
        let on = arrays::get(&set, arrays.unit, cap).filter(|_| array && !self.is_core());
        on.map(|v| v != 0)
    }

    fn legacy_array(&self, pname: GLenum) -> Option<Value> {
        let arrays = &self.ctx.legacy.arrays;
        let set = arrays.of(self.ctx.vertex.current().name());
        arrays::get(&set, arrays.unit, pname).map(Value::int)
    }
}

/// Limits, and state that is always the same: there are no colour indices, no accumulation, no evaluators and no lists.
fn limit(pname: GLenum) -> Option<Value> {
    Some(match pname {
        GL_MAX_LIGHTS => Value::int(LIGHTS),
        GL_MAX_CLIP_PLANES => Value::int(CLIP_PLANES as i64),
        GL_MAX_TEXTURE_COORDS | GL_MAX_TEXTURE_UNITS => Value::int(TEXTURE_COORDS as i64),
        GL_MAX_ATTRIB_STACK_DEPTH => Value::int(attrib_stack::DEPTH as i64),
        GL_MAX_CLIENT_ATTRIB_STACK_DEPTH => Value::int(client_stack::DEPTH as i64),
        GL_MAX_NAME_STACK_DEPTH | GL_MAX_LIST_NESTING => Value::int(64),
        GL_MAX_PIXEL_MAP_TABLE => Value::int(256),
        GL_MAX_EVAL_ORDER => Value::int(30),
        GL_RENDER_MODE => Value::int(GL_RENDER),
        GL_RGBA_MODE => Value::bool(true),
        GL_INDEX_MODE | GL_MAP_COLOR | GL_MAP_STENCIL => Value::bool(false),
        // Where glRasterPos, which is refused, would leave the raster position.
        GL_CURRENT_RASTER_COLOR => color([1.0; 4]),
        GL_CURRENT_RASTER_SECONDARY_COLOR => color([0.0, 0.0, 0.0, 1.0]),
        GL_CURRENT_RASTER_POSITION | GL_CURRENT_RASTER_TEXTURE_COORDS => {
            floats([0.0, 0.0, 0.0, 1.0])
        }
        GL_CURRENT_RASTER_POSITION_VALID => Value::bool(true),
        GL_CURRENT_RASTER_INDEX => Value::float(1.0),
        GL_CURRENT_RASTER_DISTANCE => Value::float(0.0),
        GL_MAP1_GRID_DOMAIN => floats([0.0, 1.0]),
        GL_MAP2_GRID_DOMAIN => floats([0.0, 1.0, 0.0, 1.0]),
        GL_MAP1_GRID_SEGMENTS => Value::int(1),
        GL_MAP2_GRID_SEGMENTS => ints([1, 1]),
        GL_PIXEL_MAP_I_TO_I_SIZE..=GL_PIXEL_MAP_A_TO_A_SIZE => Value::int(1),
        GL_FEEDBACK_BUFFER_TYPE => Value::int(GL_2D),
        GL_RED_SCALE | GL_GREEN_SCALE | GL_BLUE_SCALE | GL_ALPHA_SCALE | GL_DEPTH_SCALE => {
            Value::float(1.0)
        }
        GL_RED_BIAS | GL_GREEN_BIAS | GL_BLUE_BIAS | GL_ALPHA_BIAS | GL_DEPTH_BIAS => {
            Value::float(0.0)
        }
        GL_AUX_BUFFERS | GL_INDEX_BITS | GL_INDEX_SHIFT | GL_INDEX_OFFSET | GL_ACCUM_RED_BITS
        | GL_ACCUM_GREEN_BITS | GL_ACCUM_BLUE_BITS | GL_ACCUM_ALPHA_BITS | GL_LIST_INDEX
        | GL_LIST_MODE | GL_NAME_STACK_DEPTH => Value::int(0),
        _ => return None,
    })
}
