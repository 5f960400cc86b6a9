//! The tracker: resolves state and pushes it, at verbs (design: pipe contract 3.5).
//!
//! A verb's entry point has checked GL's errors; then the functions here bring the pipe up to date with all that the
//! verb reads, and nothing else. Each part compares generations first, resolves only what moved, and sends only what
//! differs from what the pipe already has.

pub mod client_arrays;
pub mod elements;
pub mod framebuffer;
pub mod indices;
pub mod program;
pub mod render;
pub mod stream_output;
pub mod textures;
pub mod vertex;

use crate::consts::gl::GL_INVALID_OPERATION;
use crate::context::Gl;
use crate::pipe::Pipe;
use mgl_core::pipe::{NO_BUFFER, Primitive};
use mgl_core::program::ShaderStage;

/// What the tracker remembers of one context.
#[derive(Default)]
pub struct Tracker {
    /// Render state.
    pub render: render::RenderTracker,
    /// The program and its uniform buffers.
    pub program: program::ProgramTracker,
    /// Vertex input.
    pub vertex: vertex::VertexTracker,
    /// Textures and samplers.
    pub textures: textures::TextureTracker,
    /// Framebuffers.
    pub framebuffer: framebuffer::FramebufferTracker,
    /// When a draw last found everything in place.
    steady: Option<Steady>,
}

/// What has to stand for a draw to need no other state than the one before it, render state and uniform values apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Steady {
    shape: DrawShape,
    /// What the program changed: [`Generations::all`](crate::state::Generations::all).
    state: u64,
    /// What the pipe has: the version of the context's groups.
    emitted: u64,
    pipeline: u64,
}

impl Tracker {
    /// Ends what the tracker made for the context.
    pub fn destroy(&mut self, pipe: &mut Pipe) {
        self.render.destroy(pipe);
        self.vertex.destroy(pipe);
        self.textures.destroy(pipe);
        self.steady = None;
    }
}

/// What a draw is, as far as state depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrawShape {
    /// Primitive mode.
    pub mode: Primitive,
    /// Vertices come by index.
    pub indexed: bool,
}

/// Whether state allows a draw, also one that draws nothing; else the error has been raised. The draw framebuffer is
/// pushed.
pub fn may_draw(gl: &mut Gl<'_>, shape: &DrawShape) -> bool {
    if let Err(e) = framebuffer::validate(gl, true, false) {
        gl.raise(e);
        return false;
    }
    let program = gl.ctx.programs.current();
    let legal = program.is_none_or(|id| program::may_draw(gl, id, shape.mode));
    if !legal || second_colors_meet_too_many_buffers(gl) {
        gl.raise(GL_INVALID_OPERATION);
        return false;
    }
    true
}

/// Whether a draw buffer at or behind GL_MAX_DUAL_SOURCE_DRAW_BUFFERS has a blend function that takes the second colour
/// (ARB_blend_func_extended, errors of Begin; whether it blends does not matter).
fn second_colors_meet_too_many_buffers(gl: &Gl<'_>) -> bool {
    let first = crate::gl::limits::MAX_DUAL_SOURCE_DRAW_BUFFERS as usize;
    let written = framebuffer::draw_buffers(gl);
    let blend = &gl.ctx.render.pipeline().blend;
    let many = |i: usize| written[i] != NO_BUFFER && blend[i].takes_second_color();
    (first..written.len()).any(many)
}

/// Pushes all state that a draw reads. False when it cannot be drawn; then the error has been raised, if it is one.
#[inline]
pub fn validate_draw(gl: &mut Gl<'_>, shape: &DrawShape) -> bool {
    let state = gl.gens.all();
    let emitted = |gl: &Gl<'_>| gl.pipe.emitted(gl.ctx.handle).map(|c| c.version());
    let now = |gl: &Gl<'_>| {
        Some(Steady {
            shape: *shape,
            state,
            emitted: emitted(gl)?,
            pipeline: gl.ctx.render.pipeline_version(),
        })
    };
    let before = now(gl);
    if before.is_none() || before != gl.ctx.tracker.steady {
        gl.ctx.tracker.steady = None;
        if !resolve_draw(gl, shape) {
            return false;
        }
        gl.ctx.tracker.steady = now(gl);
        return true;
    }
    if render::validate(gl) {
        gl.ctx.tracker.steady = now(gl);
    }
    if let Some(id) = gl.ctx.programs.current() {
        gl.share.programs.objects[id].flush_values(gl.pipe);
    }
    true
}

/// As [`validate_draw`], where something has changed.
fn resolve_draw(gl: &mut Gl<'_>, shape: &DrawShape) -> bool {
    if !may_draw(gl, shape) {
        return false;
    }
    let Some(id) = gl.ctx.programs.current() else {
        // What is drawn without a program is undefined in the core profile: nothing (GL 4.6 §7.3). In the other one it
        // is fixed function, which is not there.
        if !gl.is_core() {
            gl.ctx.misc.refuse_value("draw without a program", 0);
        }
        return false;
    };
    let linked = gl.share.programs.objects[id].executable();
    if linked.is_some_and(|l| !l.reflection.stages.contains(ShaderStage::Vertex)) {
        // What comes of vertices that no shader processes is undefined (GL 4.6 §11.1): nothing.
        return false;
    }
    render::validate(gl);
    program::validate(gl, id);
    // The list leaves the program for the time of the call.
    let sampling = gl.share.programs.objects[id].take_sampling();
    textures::validate(gl, &sampling.uses);
    gl.share.programs.objects[id].give_sampling(sampling);
    let attributes = gl.share.programs.objects[id].attribute_mask();
    vertex::validate(gl, attributes)
}

/// Pushes all state that a clear reads. False when there is nothing to clear or an error has been raised.
pub fn validate_clear(gl: &mut Gl<'_>) -> bool {
    if gl.ctx.render.pipeline().rasterizer_discard.get() {
        return false;
    }
    if let Err(e) = framebuffer::validate(gl, true, false) {
        gl.raise(e);
        return false;
    }
    render::validate(gl);
    true
}
