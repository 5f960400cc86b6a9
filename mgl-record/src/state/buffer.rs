//! Buffer objects and their bindings (GL 4.6 chapter 6).
use super::*;
use crate::pipe::Pipe;
use mgl_core::handle::BufferHandle;

/// A buffer object.
pub struct Buffer {
    handle: BufferHandle,
    size: u64,
}

impl Buffer {
    /// Its handle; null before it has a data store.
    #[must_use]
    pub fn handle(&self) -> BufferHandle {
        self.handle
    }
    /// Bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }
    /// Ends it on the pipe.
    pub fn destroy(self, _pipe: &mut Pipe) {}
}

/// An indexed binding point: buffer and range; `None` is the whole buffer, resolved at validate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexedBinding {
    /// The buffer.
    pub buffer: Option<Id<Buffer>>,
    /// First byte and bytes.
    pub range: Option<(u64, u64)>,
}

/// A context's buffer bindings.
#[derive(Default)]
pub struct BufferState {}

impl BufferState {
    /// Uniform buffer binding points, up to the touched high-water mark.
    #[must_use]
    pub fn uniform_bindings(&self) -> &[IndexedBinding] {
        &[]
    }
    /// Adds what the bindings refer to.
    pub fn references(&self, _refs: &mut References) {}
}
