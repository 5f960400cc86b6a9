//! Sampler objects (GL 4.6 §8.2).
use crate::pipe::Pipe;

/// A sampler object.
pub struct Sampler {}

impl Sampler {
    /// Ends it on the pipe.
    pub fn destroy(self, _pipe: &mut Pipe) {}
}
