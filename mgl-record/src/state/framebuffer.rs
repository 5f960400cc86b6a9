//! Framebuffer objects and bindings (GL 4.6 chapter 9).
use super::*;
use crate::pipe::Pipe;

/// A framebuffer object.
pub struct Framebuffer {}

impl Framebuffer {
    /// Adds what it is attached to.
    pub fn references(&self, _refs: &mut References) {}
}

/// A context's framebuffers and bindings.
#[derive(Default)]
pub struct FramebufferState {}

impl FramebufferState {
    /// The default framebuffer's surfaces changed.
    pub fn surfaces_changed(&mut self, gens: &mut Generations) {
        let _t: Token<dirty::Attachments> = gens.touch();
    }
    /// The context is current for the first time: `Some(double-buffered)`, or no default framebuffer at all.
    pub fn first_surface(&mut self, _double_buffered: Option<bool>) {}
    /// Adds what attachments refer to.
    pub fn references(&self, _refs: &mut References) {}
    /// Ends the context's framebuffers on the pipe.
    pub fn destroy(&mut self, _pipe: &mut Pipe) {}
}
