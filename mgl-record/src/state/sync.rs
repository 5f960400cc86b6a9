//! Sync objects (GL 4.6 §4.1).
use crate::pipe::Pipe;

/// A sync object.
pub struct Sync {}

impl Sync {
    /// Ends it on the pipe.
    pub fn destroy(self, _pipe: &mut Pipe) {}
}
