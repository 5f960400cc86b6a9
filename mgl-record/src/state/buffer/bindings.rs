//! Binding points of buffers (GL 4.6 §6.1): one a target, and the indexed ones.

use super::Buffer;
use crate::consts::gl::*;
pub use crate::gl::limits::MAX_UNIFORM_BUFFER_BINDINGS;
use crate::state::dirty::{BufferBindings, Passive, StreamOutput};
use crate::state::{Id, References, Token};
use mgl_core::pipe::{BindMask, MAX_STREAM_OUTPUT_BUFFERS};

/// Transform feedback binding points.
pub const MAX_FEEDBACK_BUFFERS: u32 = MAX_STREAM_OUTPUT_BUFFERS;

/// A target of glBindBuffer (GL 4.6 table 6.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BufferTarget {
    /// GL_ARRAY_BUFFER: what attribute pointers take.
    Array,
    /// GL_ELEMENT_ARRAY_BUFFER: part of the bound vertex array, not of [`BufferState`].
    ElementArray,
    /// GL_PIXEL_PACK_BUFFER.
    PixelPack,
    /// GL_PIXEL_UNPACK_BUFFER.
    PixelUnpack,
    /// GL_UNIFORM_BUFFER.
    Uniform,
    /// GL_TEXTURE_BUFFER.
    Texture,
    /// GL_TRANSFORM_FEEDBACK_BUFFER.
    TransformFeedback,
    /// GL_COPY_READ_BUFFER.
    CopyRead,
    /// GL_COPY_WRITE_BUFFER.
    CopyWrite,
    /// GL_DRAW_INDIRECT_BUFFER.
    DrawIndirect,
}

impl BufferTarget {
    /// Number of targets.
    pub const COUNT: usize = 10;

    /// The target of a GL constant.
    #[must_use]
    pub const fn from_gl(target: u32) -> Option<Self> {
        Some(match target {
            GL_ARRAY_BUFFER => Self::Array,
            GL_ELEMENT_ARRAY_BUFFER => Self::ElementArray,
            GL_PIXEL_PACK_BUFFER => Self::PixelPack,
            GL_PIXEL_UNPACK_BUFFER => Self::PixelUnpack,
            GL_UNIFORM_BUFFER => Self::Uniform,
            GL_TEXTURE_BUFFER => Self::Texture,
            GL_TRANSFORM_FEEDBACK_BUFFER => Self::TransformFeedback,
            GL_COPY_READ_BUFFER => Self::CopyRead,
            GL_COPY_WRITE_BUFFER => Self::CopyWrite,
            GL_DRAW_INDIRECT_BUFFER => Self::DrawIndirect,
            _ => return None,
        })
    }

    /// The placement hint that a binding here gives.
    #[must_use]
    pub const fn hint(self) -> BindMask {
        match self {
            Self::Array => BindMask::VERTEX,
            Self::ElementArray => BindMask::INDEX,
            Self::PixelPack | Self::PixelUnpack => BindMask::PIXEL,
            Self::Uniform => BindMask::UNIFORM,
            Self::Texture => BindMask::TEXEL,
            Self::TransformFeedback => BindMask::STREAM_OUTPUT,
            Self::DrawIndirect => BindMask::INDIRECT,
            Self::CopyRead | Self::CopyWrite => BindMask::NONE,
        }
    }
}

/// An indexed binding point: buffer and range; `None` is the whole buffer, resolved at validate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexedBinding {
    /// The buffer.
    pub buffer: Option<Id<Buffer>>,
    /// First byte and bytes.
    pub range: Option<(u64, u64)>,
}

/// A context's buffer bindings.
#[derive(Default)]
pub struct BufferState {
    bound: [Option<Id<Buffer>>; BufferTarget::COUNT],
    uniform: Vec<IndexedBinding>,
    feedback: [IndexedBinding; MAX_FEEDBACK_BUFFERS as usize],
}

impl BufferState {
    /// The buffer on a target; for [`BufferTarget::ElementArray`] ask the vertex array.
    #[inline]
    #[must_use]
    pub fn bound(&self, target: BufferTarget) -> Option<Id<Buffer>> {
        self.bound[target as usize]
    }

    /// Binds a buffer to a target that no draw reads by itself.
    pub fn bind(&mut self, _t: Token<Passive>, target: BufferTarget, buffer: Option<Id<Buffer>>) {
        self.bound[target as usize] = buffer;
    }

    /// Uniform buffer binding points, up to the touched high-water mark.
    #[inline]
    #[must_use]
    pub fn uniform_bindings(&self) -> &[IndexedBinding] {
        &self.uniform
    }

    /// Sets a uniform buffer binding point, below [`MAX_UNIFORM_BUFFER_BINDINGS`].
    pub fn bind_uniform(&mut self, _t: Token<BufferBindings>, index: u32, to: IndexedBinding) {
        let index = index as usize;
        if self.uniform.len() <= index {
            if to.buffer.is_none() {
                return;
            }
            self.uniform.resize(index + 1, IndexedBinding::default());
        }
        self.uniform[index] = to;
    }

    /// Transform feedback binding points.
    #[inline]
    #[must_use]
    pub fn feedback_bindings(&self) -> &[IndexedBinding] {
        &self.feedback
    }

    /// Sets a transform feedback binding point, below [`MAX_FEEDBACK_BUFFERS`].
    pub fn bind_feedback(&mut self, _t: Token<StreamOutput>, index: u32, to: IndexedBinding) {
        self.feedback[index as usize] = to;
    }

    /// Takes a deleted buffer out of every binding point of this context (GL 4.6 §5.1.2).
    pub fn unbind(&mut self, tokens: (Token<BufferBindings>, Token<StreamOutput>), id: Id<Buffer>) {
        let _ = tokens;
        for place in &mut self.bound {
            if *place == Some(id) {
                *place = None;
            }
        }
        for b in self.uniform.iter_mut().chain(&mut self.feedback) {
            if b.buffer == Some(id) {
                *b = IndexedBinding::default();
            }
        }
    }

    /// Adds what the bindings refer to.
    pub fn references(&self, refs: &mut References) {
        refs.buffers.extend(self.bound.iter().flatten());
        let indexed = self.uniform.iter().chain(&self.feedback);
        refs.buffers.extend(indexed.filter_map(|b| b.buffer));
    }
}
