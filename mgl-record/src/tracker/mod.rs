//! The tracker: resolves state and pushes it, at verbs (design: pipe contract 3.5).

pub mod check;

use crate::pipe::Pipe;

/// What the tracker remembers of one context.
#[derive(Default)]
pub struct Tracker {}

impl Tracker {
    /// Ends what the tracker made for the context.
    pub fn destroy(&mut self, _pipe: &mut Pipe) {}
}
