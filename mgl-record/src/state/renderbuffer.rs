//! Renderbuffers (GL 4.6 §9.2.4).
use crate::pipe::Pipe;

/// A renderbuffer.
pub struct Renderbuffer {}

impl Renderbuffer {
    /// Ends it on the pipe.
    pub fn destroy(self, _pipe: &mut Pipe) {}
}
