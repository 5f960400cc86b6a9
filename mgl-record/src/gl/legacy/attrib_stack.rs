//! glPushAttrib and glPopAttrib (GL 3.3 compatibility §6.1.21): groups of state, of the fixed function and of what draws.
//!
//! Objects are kept by name, so that one that is deleted meanwhile is not bound again.

use super::raster::Values;
use super::{Current, is_of_unit, params};
use crate::consts::gl::*;
use crate::context::{ClearValues, Gl};
use crate::gl::entry::gl_entry;
use crate::gl::limits::{MAX_COMBINED_TEXTURE_IMAGE_UNITS, MAX_VERTEX_ATTRIBS};
use crate::gl::types::*;
use crate::state::texture::{Parameters, TextureTarget};
use mgl_core::pipe::{AttribValue, RenderState};
use std::collections::{BTreeMap, BTreeSet};

/// GL_MAX_ATTRIB_STACK_DEPTH.
pub const DEPTH: usize = 16;

/// A texture bound to a unit, with its parameters.
struct BoundTexture {
    unit: u32,
    target: TextureTarget,
    name: GLuint,
    params: Parameters,
}

/// State of the texture group.
struct Textures {
    active: u32,
    bound: Vec<BoundTexture>,
    samplers: Vec<(u32, GLuint)>,
}

/// What one glPushAttrib kept.
pub struct Saved {
    mask: GLbitfield,
    render: RenderState,
    clear: ClearValues,
    current: Current,
    attribs: [AttribValue; MAX_VERTEX_ATTRIBS as usize],
    values: Values,
    params: params::Params,
    switches: BTreeSet<(GLenum, u32)>,
    matrix_mode: GLenum,
    hints: BTreeMap<GLenum, GLenum>,
    point_fade_threshold: f32,
    restart: (bool, u32),
    seamless: bool,
    draw_buffers: [GLenum; mgl_core::pipe::MAX_COLOR_ATTACHMENTS],
    read_buffer: GLenum,
    textures: Option<Textures>,
}

fn save(gl: &mut Gl<'_>, mask: GLbitfield) -> Saved {
    let textures = (mask & GL_TEXTURE_BIT != 0).then(|| save_textures(gl));
    let c = &gl.ctx;
    Saved {
        mask,
        render: c.render.clone(),
        clear: c.clear,
        current: c.legacy.current,
        attribs: *c.vertex.values(),
        values: c.legacy.values,
        params: c.legacy.params.clone(),
        switches: c.legacy.switches.clone(),
        matrix_mode: c.legacy.matrices.mode,
        hints: c.misc.hints().clone(),
        point_fade_threshold: c.misc.point_fade_threshold,
        restart: (c.vertex.restart(), c.vertex.restart_index()),
        seamless: c.textures.seamless(),
        draw_buffers: *c.framebuffers.draw_buffers(),
        read_buffer: c.framebuffers.read_buffer(),
        textures,
    }
}

fn save_textures(gl: &mut Gl<'_>) -> Textures {
    let active = gl.ctx.textures.active();
    let mut saved = Textures {
        active,
        bound: Vec::new(),
        samplers: Vec::new(),
    };
    for unit in 0..MAX_COMBINED_TEXTURE_IMAGE_UNITS {
        let bound = gl.ctx.textures.unit(unit);
        let sampler = bound
            .sampler()
            .map(|id| gl.share.samplers.objects[id].name());
        saved.samplers.extend(sampler.map(|name| (unit, name)));
        for target in TextureTarget::all() {
            let texture = bound
                .texture(target)
                .map(|id| &gl.share.textures.objects[id]);
            saved.bound.extend(texture.map(|t| BoundTexture {
                unit,
                target,
                name: t.name(),
                params: *t.params(),
            }));
        }
    }
    saved
}

fn restore_textures(gl: &mut Gl<'_>, saved: &Textures) {
    for unit in 0..MAX_COMBINED_TEXTURE_IMAGE_UNITS {
        let now = gl.ctx.textures.unit(unit);
        let name = saved.samplers.iter().find(|s| s.0 == unit).map(|s| s.1);
        let sampler = name.and_then(|n| gl.share.samplers.id(n));
        if now.sampler() != sampler {
            gl.ctx.textures.bind_sampler(unit, sampler, gl.gens.touch());
        }
        for target in TextureTarget::all() {
            let then = saved
                .bound
                .iter()
                .find(|b| b.unit == unit && b.target == target);
            let id = then.and_then(|b| gl.share.textures.id(b.name));
            if now.texture(target) != id {
                gl.ctx.textures.bind(unit, target, id, gl.gens.touch());
            }
            if let (Some(id), Some(then)) = (id, then)
                && *gl.share.textures.objects[id].params() != then.params
            {
                gl.share.textures.objects[id].set_params(then.params, gl.gens.touch());
            }
        }
    }
    gl.ctx.textures.set_active(saved.active);
}

/// Capabilities of GL_ENABLE_BIT that draws depend on; the fixed function's own are switches.
const ENABLES: &[GLenum] = &[
    GL_CLIP_DISTANCE0,
    GL_CLIP_DISTANCE1,
    GL_CLIP_DISTANCE2,
    GL_CLIP_DISTANCE3,
    GL_CLIP_DISTANCE4,
    GL_CLIP_DISTANCE5,
    GL_CLIP_DISTANCE6,
    GL_CLIP_DISTANCE7,
    GL_COLOR_LOGIC_OP,
    GL_CULL_FACE,
    GL_DEPTH_CLAMP,
    GL_DEPTH_TEST,
    GL_DITHER,
    GL_FRAMEBUFFER_SRGB,
    GL_LINE_SMOOTH,
    GL_MULTISAMPLE,
    GL_POLYGON_OFFSET_FILL,
    GL_POLYGON_OFFSET_LINE,
    GL_POLYGON_OFFSET_POINT,
    GL_POLYGON_SMOOTH,
    GL_PROGRAM_POINT_SIZE,
    GL_SAMPLE_ALPHA_TO_COVERAGE,
    GL_SAMPLE_ALPHA_TO_ONE,
    GL_SAMPLE_COVERAGE,
    GL_SAMPLE_MASK,
    GL_SCISSOR_TEST,
    GL_STENCIL_TEST,
];

/// Switches of the fixed function that a group has beside GL_ENABLE_BIT, which has all.
fn switch_groups(cap: GLenum) -> GLbitfield {
    GL_ENABLE_BIT
        | match cap {
            GL_ALPHA_TEST | GL_INDEX_LOGIC_OP => GL_COLOR_BUFFER_BIT,
            GL_LINE_STIPPLE => GL_LINE_BIT,
            GL_POLYGON_STIPPLE => GL_POLYGON_BIT,
            GL_POINT_SMOOTH | GL_POINT_SPRITE | GL_VERTEX_PROGRAM_POINT_SIZE => GL_POINT_BIT,
            GL_FOG | GL_COLOR_SUM => GL_FOG_BIT,
            GL_NORMALIZE | GL_RESCALE_NORMAL => GL_TRANSFORM_BIT,
            GL_AUTO_NORMAL
            | GL_MAP1_COLOR_4..=GL_MAP1_VERTEX_4
            | GL_MAP2_COLOR_4..=GL_MAP2_VERTEX_4 => GL_EVAL_BIT,
            cap if is_of_unit(cap) => GL_TEXTURE_BIT,
            // Lighting, lights, colour material, two sides.
            _ => GL_LIGHTING_BIT,
        }
}

/// Capabilities of single groups that draws depend on.
fn group_enables(mask: GLbitfield) -> impl Iterator<Item = GLenum> {
    const GROUPS: &[(GLbitfield, &[GLenum])] = &[
        (GL_ENABLE_BIT, ENABLES),
        (
            GL_COLOR_BUFFER_BIT,
            &[GL_DITHER, GL_COLOR_LOGIC_OP, GL_FRAMEBUFFER_SRGB],
        ),
        (GL_DEPTH_BUFFER_BIT, &[GL_DEPTH_TEST]),
        (GL_STENCIL_BUFFER_BIT, &[GL_STENCIL_TEST]),
        (GL_LINE_BIT, &[GL_LINE_SMOOTH]),
        (GL_POINT_BIT, &[GL_PROGRAM_POINT_SIZE]),
        (
            GL_POLYGON_BIT,
            &[
                GL_CULL_FACE,
                GL_POLYGON_SMOOTH,
                GL_POLYGON_OFFSET_FILL,
                GL_POLYGON_OFFSET_LINE,
                GL_POLYGON_OFFSET_POINT,
            ],
        ),
        (GL_SCISSOR_BIT, &[GL_SCISSOR_TEST]),
        (
            GL_MULTISAMPLE_BIT,
            &[
                GL_MULTISAMPLE,
                GL_SAMPLE_ALPHA_TO_COVERAGE,
                GL_SAMPLE_ALPHA_TO_ONE,
                GL_SAMPLE_COVERAGE,
                GL_SAMPLE_MASK,
            ],
        ),
        (
            GL_TRANSFORM_BIT,
            &[
                GL_DEPTH_CLAMP,
                GL_CLIP_DISTANCE0,
                GL_CLIP_DISTANCE1,
                GL_CLIP_DISTANCE2,
                GL_CLIP_DISTANCE3,
                GL_CLIP_DISTANCE4,
                GL_CLIP_DISTANCE5,
                GL_CLIP_DISTANCE6,
                GL_CLIP_DISTANCE7,
            ],
        ),
    ];
    GROUPS
        .iter()
        .filter(move |(bit, _)| mask & bit != 0)
        .flat_map(|(_, caps)| caps.iter().copied())
}

/// Whether a capability was on in a kept state.
fn was_enabled(r: &RenderState, cap: GLenum) -> bool {
    let (p, d) = (r.pipeline(), r.dynamic());
    match cap {
        GL_CLIP_DISTANCE0..=GL_CLIP_DISTANCE7 => {
            d.raster.clip_distances >> (cap - GL_CLIP_DISTANCE0) & 1 != 0
        }
        GL_COLOR_LOGIC_OP => p.logic_op_enable.get(),
        GL_CULL_FACE => p.cull_enable.get(),
        GL_DEPTH_CLAMP => p.depth_clamp.get(),
        GL_DEPTH_TEST => p.depth_test.get(),
        GL_STENCIL_TEST => p.stencil_test.get(),
        GL_DITHER => d.output.dither.get(),
        GL_FRAMEBUFFER_SRGB => d.output.framebuffer_srgb.get(),
        GL_LINE_SMOOTH => d.raster.line_smooth.get(),
        GL_POLYGON_SMOOTH => d.raster.polygon_smooth.get(),
        GL_PROGRAM_POINT_SIZE => d.raster.program_point_size.get(),
        GL_MULTISAMPLE => d.multisample.enable.get(),
        GL_SAMPLE_ALPHA_TO_COVERAGE => d.multisample.alpha_to_coverage.get(),
        GL_SAMPLE_ALPHA_TO_ONE => d.multisample.alpha_to_one.get(),
        GL_SAMPLE_COVERAGE => d.multisample.coverage_enable.get(),
        GL_SAMPLE_MASK => d.multisample.mask_enable.get(),
        GL_POLYGON_OFFSET_FILL => d.depth_bias.fill.get(),
        GL_POLYGON_OFFSET_LINE => d.depth_bias.line.get(),
        GL_POLYGON_OFFSET_POINT => d.depth_bias.point.get(),
        _ => d.scissors[0].enable.get(),
    }
}

fn restore(gl: &mut Gl<'_>, s: &Saved) {
    let has = |bit| s.mask & bit != 0;
    for cap in group_enables(s.mask) {
        gl.capability(cap, Some(was_enabled(&s.render, cap)));
    }
    if has(GL_ENABLE_BIT) || has(GL_TEXTURE_BIT) {
        gl.capability(GL_TEXTURE_CUBE_MAP_SEAMLESS, Some(s.seamless));
    }
    restore_switches(gl, s);
    restore_render(gl, s);
    let c = &mut *gl.ctx;
    if has(GL_CURRENT_BIT) {
        c.legacy.current = s.current;
        for (i, v) in (0..).zip(&s.attribs) {
            let bits = std::array::from_fn(|k| v.bits[k]);
            c.vertex.set_value(gl.gens.touch(), i, v.ty, bits);
        }
    }
    restore_values(&mut c.legacy.values, s);
    c.legacy.params.restore(&s.params, |owner| match owner {
        params::Owner::Light(_) | params::Owner::LightModel | params::Owner::Material(_) => {
            has(GL_LIGHTING_BIT)
        }
        params::Owner::Fog => has(GL_FOG_BIT),
        params::Owner::PointSprite(_) => has(GL_POINT_BIT),
        _ => has(GL_TEXTURE_BIT),
    });
    if has(GL_TRANSFORM_BIT) {
        c.legacy.matrices.mode = s.matrix_mode;
    }
    if has(GL_HINT_BIT) {
        c.misc.restore_hints(s.hints.clone());
    }
    if has(GL_POINT_BIT) {
        c.misc.point_fade_threshold = s.point_fade_threshold;
    }
    if has(GL_ENABLE_BIT) {
        c.vertex.set_restart(gl.gens.touch(), s.restart.0);
        c.vertex.set_restart_index(gl.gens.touch(), s.restart.1);
    }
    if has(GL_COLOR_BUFFER_BIT) && *c.framebuffers.draw_buffers() != s.draw_buffers {
        crate::gl::framebuffer::restore_draw_buffers(gl, s.draw_buffers);
    }
    if has(GL_PIXEL_MODE_BIT) && gl.ctx.framebuffers.read_buffer() != s.read_buffer {
        crate::gl::framebuffer::restore_read_buffer(gl, s.read_buffer);
    }
    if let Some(textures) = &s.textures {
        restore_textures(gl, textures);
    }
}

fn restore_switches(gl: &mut Gl<'_>, s: &Saved) {
    let mine = |&(cap, _): &(GLenum, u32)| switch_groups(cap) & s.mask != 0;
    let switches = &mut gl.ctx.legacy.switches;
    switches.retain(|switch| !mine(switch));
    switches.extend(s.switches.iter().filter(|switch| mine(switch)));
}

fn restore_values(now: &mut Values, s: &Saved) {
    let then = &s.values;
    let has = |bit| s.mask & bit != 0;
    if has(GL_LIGHTING_BIT) {
        now.shade_model = then.shade_model;
        now.color_material = then.color_material;
    }
    if has(GL_LIGHTING_BIT | GL_ENABLE_BIT) {
        now.clamp[0] = then.clamp[0];
    }
    if has(GL_COLOR_BUFFER_BIT) {
        now.alpha = then.alpha;
        now.clear_index = then.clear_index;
        now.index_mask = then.index_mask;
    }
    if has(GL_COLOR_BUFFER_BIT | GL_ENABLE_BIT) {
        now.clamp[1] = then.clamp[1];
    }
    if has(GL_LINE_BIT) {
        now.line_stipple = then.line_stipple;
    }
    if has(GL_POLYGON_STIPPLE_BIT) {
        now.polygon_stipple = then.polygon_stipple;
    }
    if has(GL_ACCUM_BUFFER_BIT) {
        now.clear_accum = then.clear_accum;
    }
    if has(GL_TRANSFORM_BIT) {
        now.clip_planes = then.clip_planes;
    }
    if has(GL_POINT_BIT) {
        now.point_sizes = then.point_sizes;
        now.point_attenuation = then.point_attenuation;
    }
    if has(GL_PIXEL_MODE_BIT) {
        now.pixel_zoom = then.pixel_zoom;
    }
    if has(GL_LIST_BIT) {
        now.list_base = then.list_base;
    }
}

/// Everything of the pipe's block but capabilities.
fn restore_render(gl: &mut Gl<'_>, s: &Saved) {
    let has = |bit| s.mask & bit != 0;
    let (p, d) = (s.render.pipeline(), s.render.dynamic());
    let c = &mut *gl.ctx;
    let r = &mut c.render;
    for (i, b) in p.blend.iter().enumerate() {
        if has(GL_COLOR_BUFFER_BIT | GL_ENABLE_BIT) {
            r.blend_enable(i, b.enable);
        }
        if has(GL_COLOR_BUFFER_BIT) {
            r.blend_src_color(i, b.src_color);
            r.blend_dst_color(i, b.dst_color);
            r.blend_eq_color(i, b.eq_color);
            r.blend_src_alpha(i, b.src_alpha);
            r.blend_dst_alpha(i, b.dst_alpha);
            r.blend_eq_alpha(i, b.eq_alpha);
            r.color_mask(i, b.mask);
        }
    }
    if has(GL_COLOR_BUFFER_BIT) {
        r.blend_color(d.blend_color);
        r.logic_op(p.logic_op);
        c.clear.color = s.clear.color;
        c.clear.color_type = s.clear.color_type;
    }
    if has(GL_COLOR_BUFFER_BIT | GL_ENABLE_BIT) {
        r.clamp_read_color(d.output.clamp_read_color);
    }
    if has(GL_DEPTH_BUFFER_BIT) {
        r.depth_func(p.depth_func);
        r.depth_write(p.depth_write);
        c.clear.depth = s.clear.depth;
    }
    if has(GL_STENCIL_BUFFER_BIT) {
        for i in 0..2 {
            r.stencil_func(i, p.stencil[i].func);
            r.stencil_fail(i, p.stencil[i].fail);
            r.stencil_depth_fail(i, p.stencil[i].depth_fail);
            r.stencil_pass(i, p.stencil[i].pass);
            r.stencil_ref(i, d.stencil[i].reference);
            r.stencil_compare_mask(i, d.stencil[i].compare_mask);
            r.stencil_write_mask(i, d.stencil[i].write_mask);
        }
        c.clear.stencil = s.clear.stencil;
    }
    if has(GL_LINE_BIT) {
        r.line_width(d.raster.line_width);
    }
    if has(GL_POINT_BIT) {
        r.point_size(d.raster.point_size);
        r.point_origin(d.raster.point_origin);
    }
    if has(GL_POLYGON_BIT) {
        r.cull_face(p.cull_face);
        r.front_face(p.front_face);
        r.polygon_mode(p.polygon_mode);
        let now = r.dynamic().depth_bias;
        r.depth_bias(mgl_core::pipe::DepthBias {
            fill: now.fill,
            line: now.line,
            point: now.point,
            ..d.depth_bias
        });
    }
    if has(GL_LIGHTING_BIT) {
        r.provoking_vertex(d.raster.provoking_vertex);
    }
    if has(GL_MULTISAMPLE_BIT) {
        r.coverage(d.multisample.coverage);
        r.coverage_invert(d.multisample.coverage_invert);
        r.sample_mask(d.multisample.mask);
    }
    for i in 0..mgl_core::pipe::MAX_VIEWPORTS {
        if has(GL_VIEWPORT_BIT) {
            r.viewport(i, d.viewports[i]);
        }
        if has(GL_SCISSOR_BIT) {
            r.scissor(i, d.scissors[i]);
        }
    }
    if has(GL_VIEWPORT_BIT)
        && let Some(id) = c.programs.current()
    {
        let range = &d.viewports[0];
        gl.share.programs.objects[id].set_depth_range(range.near.0, range.far.0);
    }
}

gl_entry! {
    /// Keeps groups of state (GL 3.3 compatibility §6.1.21); GL_STACK_OVERFLOW when the stack is full.
    fn glPushAttrib(gl, mask: GLbitfield) {
        let Some(state) = gl.legacy() else { return };
        if state.attribs.len() == DEPTH {
            return gl.raise(GL_STACK_OVERFLOW);
        }
        let saved = save(gl, mask);
        gl.ctx.legacy.attribs.push(saved);
    }
    /// Brings back what the last glPushAttrib kept; GL_STACK_UNDERFLOW when there is none.
    fn glPopAttrib(gl) {
        let Some(state) = gl.legacy() else { return };
        match state.attribs.pop() {
            Some(saved) => restore(gl, &saved),
            None => gl.raise(GL_STACK_UNDERFLOW),
        }
    }
}
