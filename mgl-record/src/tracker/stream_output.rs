//! The buffers that transform feedback writes to: resolved when a capture begins, pushed when they differ.

use crate::context::Gl;
use crate::state::Id;
use crate::state::buffer::Buffer;
use mgl_core::handle::StreamOutputHandle;
use mgl_core::pipe::{BufferBinding, Call, Group, SetStreamOutputTargets};

/// The ranges that `count` capture buffers go to, whole-buffer bindings resolved, and their buffers. `None` when a
/// binding point among them has no buffer, or one without a store.
#[must_use]
pub fn targets(gl: &Gl<'_>, count: usize) -> Option<(Vec<BufferBinding>, Vec<Id<Buffer>>)> {
    let bound = gl.ctx.buffers.feedback_bindings().get(..count)?;
    let mut buffers = Vec::with_capacity(count);
    let mut ranges = Vec::with_capacity(count);
    for (index, b) in (0..).zip(bound) {
        let id = b.buffer?;
        let buffer = gl.share.buffers.objects.get(id)?;
        if buffer.handle().is_null() {
            return None;
        }
        let (offset, size) = b.range.unwrap_or((0, buffer.size()));
        // Only whole words inside the store are written (GL 4.6 §13.2.2): nothing of a range behind it.
        let offset = offset.min(buffer.size() & !3);
        let size = size.min(buffer.size() - offset) & !3;
        ranges.push(BufferBinding {
            index,
            buffer: buffer.handle(),
            offset,
            size,
            ..BufferBinding::default()
        });
        buffers.push(id);
    }
    Some((ranges, buffers))
}

/// Pushes the ranges of the default stream output object.
pub fn validate(gl: &mut Gl<'_>, targets: &[BufferBinding]) {
    let pushed = gl.pipe.emitted(gl.ctx.handle);
    let same = pushed.is_some_and(|c| {
        c.was_pushed(Group::StreamOutput)
            && c.values.stream_output.is_null()
            && c.values.stream_targets == targets
    });
    if !same {
        let p = SetStreamOutputTargets {
            stream_output: StreamOutputHandle::NULL,
        };
        gl.pipe
            .push(Call::SetStreamOutputTargets { p: &p, targets });
    }
}
