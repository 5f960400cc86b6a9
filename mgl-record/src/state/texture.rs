//! Textures (GL 4.6 chapter 8).
use super::*;
use crate::pipe::Pipe;

/// A texture.
pub struct Texture {}

impl Texture {
    /// Ends it on the pipe.
    pub fn destroy(self, _pipe: &mut Pipe) {}
    /// Adds what it refers to (the buffer of a buffer texture, the storage owner of a view).
    pub fn references(&self, _refs: &mut References) {}
}

/// A context's texture units and pixel store state.
#[derive(Default)]
pub struct TextureState {}

impl TextureState {
    /// Adds what the units refer to.
    pub fn references(&self, _refs: &mut References) {}
}
