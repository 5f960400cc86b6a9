//! Vertex array objects and current attribute values (GL 4.6 chapter 10).
use super::*;
use crate::context::Profile;

/// Vertex arrays of a context, and the current attribute values.
pub struct VertexState {}

impl VertexState {
    /// Initial state; the compatibility profile has a default vertex array.
    #[must_use]
    pub fn new(_profile: Profile) -> Self {
        Self {}
    }
    /// Adds what the arrays refer to.
    pub fn references(&self, _refs: &mut References) {}
}
