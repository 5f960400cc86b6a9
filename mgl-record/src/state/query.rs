//! Query objects (GL 4.6 §4.2).
use crate::pipe::Pipe;

/// A context's queries.
#[derive(Default)]
pub struct QueryState {}

impl QueryState {
    /// Ends the context's queries on the pipe.
    pub fn destroy(&mut self, _pipe: &mut Pipe) {}
}
