//! The tracker: resolves state and pushes it, at verbs (design: pipe contract 3.5).

pub mod check;
pub mod client_arrays;
pub mod elements;
pub mod indices;
pub mod vertex;

use crate::context::Gl;
use crate::pipe::Pipe;
use mgl_core::pipe::Primitive;

/// What the tracker remembers of one context.
#[derive(Default)]
pub struct Tracker {
    /// Vertex input.
    pub vertex: vertex::VertexTracker,
}

impl Tracker {
    /// Ends what the tracker made for the context.
    pub fn destroy(&mut self, pipe: &mut Pipe) {
        self.vertex.destroy(pipe);
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

/// Pushes all state that a draw reads. False when it cannot be drawn.
pub fn validate_draw(gl: &mut Gl<'_>, _shape: &DrawShape) -> bool {
    let program = gl.ctx.programs.current();
    let attributes = program.map_or(vertex::ALL_ATTRIBUTES, |id| {
        gl.share.programs.objects[id].attribute_mask()
    });
    vertex::validate(gl, attributes)
}
