//! Transform feedback (GL 4.6 §13.2): whether a capture runs, of what, by which program. The buffers that it goes to are
//! the context's indexed bindings ([`super::buffer::BufferState::feedback_bindings`]).

use super::Id;
use super::buffer::Buffer;
use super::program::Program;
use mgl_core::handle::StreamOutputHandle;
use mgl_core::pipe::{CapturePrimitive, Primitive, StreamOutputOp};
use mgl_core::program::{GeometryPrimitive, Reflection};

/// A capture that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capture {
    /// What is captured.
    pub primitive: CapturePrimitive,
    /// The program that writes it.
    pub program: Id<Program>,
    /// The buffers that it goes to.
    pub buffers: Vec<Id<Buffer>>,
}

/// A context's transform feedback.
#[derive(Default)]
pub struct StreamOutputState {
    active: Option<Capture>,
}

impl StreamOutputState {
    /// The capture that runs.
    #[inline]
    #[must_use]
    pub fn active(&self) -> Option<&Capture> {
        self.active.as_ref()
    }

    /// Whether a capture runs.
    #[inline]
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.active.is_some()
    }

    /// glBeginTransformFeedback, once it is known to be allowed.
    pub fn begin(&mut self, capture: Capture) {
        self.active = Some(capture);
    }

    /// glEndTransformFeedback; the capture that ran.
    pub fn end(&mut self) -> Option<Capture> {
        self.active.take()
    }

    /// Whether a draw of `mode` may be captured: always while no capture runs (GL 4.6 table 13.1; with a geometry
    /// shader it is the shader's output that counts).
    #[must_use]
    pub fn allows(&self, mode: Primitive, program: Option<&Reflection>) -> bool {
        let Some(capture) = &self.active else {
            return true;
        };
        let drawn = match program.and_then(|r| r.geometry.as_ref()) {
            Some(g) => captured_of_geometry(g.output),
            None => captured_of_mode(mode),
        };
        drawn == Some(capture.primitive)
    }
}

/// The payload of an operation on the default object.
#[must_use]
pub fn operation(primitive: CapturePrimitive) -> StreamOutputOp {
    StreamOutputOp {
        stream_output: StreamOutputHandle::NULL,
        primitive,
        ..StreamOutputOp::default()
    }
}

/// What primitives of a mode are captured as.
fn captured_of_mode(mode: Primitive) -> Option<CapturePrimitive> {
    Some(match mode {
        Primitive::POINTS => CapturePrimitive::POINTS,
        Primitive::LINES | Primitive::LINE_LOOP | Primitive::LINE_STRIP => CapturePrimitive::LINES,
        Primitive::TRIANGLES | Primitive::TRIANGLE_STRIP | Primitive::TRIANGLE_FAN => {
            CapturePrimitive::TRIANGLES
        }
        _ => return None,
    })
}

/// What a geometry shader's output is captured as.
fn captured_of_geometry(output: GeometryPrimitive) -> Option<CapturePrimitive> {
    match output {
        GeometryPrimitive::Points => Some(CapturePrimitive::POINTS),
        GeometryPrimitive::LineStrip => Some(CapturePrimitive::LINES),
        GeometryPrimitive::TriangleStrip => Some(CapturePrimitive::TRIANGLES),
        _ => None,
    }
}
