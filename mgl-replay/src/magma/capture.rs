//! Transform feedback (GL 4.6 §13.2, VK_EXT_transform_feedback).
//!
//! Vulkan captures inside one rendering and with one pipeline; where either ends, counter buffers say how far it came,
//! and the next captured draw goes on from there.

use super::Magma;
use super::memory::RawBuffer;
use super::recorder::Access;
use super::targets::context;
use ash::vk;
use gpu_allocator::MemoryLocation;
use mgl_core::pipe::*;

/// A capture that the client has begun.
#[derive(Debug, Clone, Copy, Default)]
pub struct Capture {
    /// Draws are not captured.
    paused: bool,
    /// Counters hold how far it came.
    begun: bool,
    /// Buffers that are captured to.
    buffers: u32,
}

/// Counters of a context's captures: one word a buffer.
#[derive(Debug)]
pub struct Counters {
    /// The words.
    pub raw: RawBuffer,
    access: Access,
}

impl Magma {
    /// Begins, ends, pauses or resumes the capture of a context.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] for other objects than the default one, and without the extension.
    pub(super) fn stream_output_op(
        &mut self,
        s: &PushedState,
        op: Op,
        o: &StreamOutputOp,
    ) -> Result<(), BackendError> {
        if !o.stream_output.is_null() {
            return Err(BackendError::Unsupported(
                "named transform feedback objects".into(),
            ));
        }
        if !self.gpu.has.transform_feedback {
            return Err(BackendError::Unsupported("transform feedback".into()));
        }
        match op {
            Op::BeginStreamOutput => {
                self.stop_running();
                self.ctx(s)?.capture = Some(Capture::default());
            }
            Op::EndStreamOutput => {
                self.stop_running();
                let begun = self.ctx(s)?.capture.take().is_some_and(|c| c.begun);
                if begun {
                    for t in &context(s)?.values.stream_targets {
                        let b = self.buffer_mut(t.buffer)?;
                        b.version += 1;
                        b.mirror = None;
                    }
                }
            }
            Op::PauseStreamOutput => {
                if let Some(c) = &mut self.ctx(s)?.capture {
                    c.paused = true;
                }
            }
            Op::ResumeStreamOutput => {
                if let Some(c) = &mut self.ctx(s)?.capture {
                    c.paused = false;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether the context captures what it draws.
    pub(super) fn is_capturing(&mut self, s: &PushedState) -> Result<bool, BackendError> {
        Ok(self.ctx(s)?.capture.is_some_and(|c| !c.paused))
    }

    /// Whether a capture runs in the rendering under way.
    pub(super) fn capture_runs(&self) -> bool {
        self.capturing.is_some()
    }

    fn stop_running(&mut self) {
        if self.capture_runs() {
            self.end_rendering();
        }
    }

    /// Makes the counters ready for a captured draw.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`].
    pub(super) fn counter_ready(
        &mut self,
        s: &PushedState,
        captures: bool,
    ) -> Result<(), BackendError> {
        if !captures || self.capture_runs() {
            return Ok(());
        }
        if self.ctx(s)?.counters.is_none() {
            let raw = self.mem.buffer(
                &self.gpu,
                16,
                vk::BufferUsageFlags::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT,
                MemoryLocation::GpuOnly,
            )?;
            self.ctx(s)?.counters = Some(Counters {
                raw,
                access: Access::default(),
            });
        }
        let epoch = self.rec.epoch;
        let counters = self.ctx(s)?.counters.as_ref();
        let conflict = counters.is_some_and(|c| c.access.write_conflicts(epoch));
        if conflict {
            self.end_rendering();
            self.rec.barrier(&self.gpu, &[]);
        }
        Ok(())
    }

    /// Captures what is drawn next. Rendering is under way and the pipeline is bound.
    ///
    /// # Errors
    ///
    /// When a buffer has no storage.
    pub(super) fn start_capture(&mut self, s: &PushedState) -> Result<(), BackendError> {
        if self.capture_runs() || !self.is_capturing(s)? {
            return Ok(());
        }
        let targets = &context(s)?.values.stream_targets;
        // A primitive is written whole or not at all: an empty range leaves no room for any.
        if targets.iter().any(|t| t.size == 0) {
            return Ok(());
        }
        let cmd = self.rec.cmd();
        let mut buffers = 0;
        for t in targets
            .iter()
            .filter(|t| t.index < self.gpu.limits.xfb_buffers.min(4))
        {
            let b = self.buffer(t.buffer)?;
            let left = b.size.saturating_sub(t.offset);
            let (raw, size) = ([b.raw.buffer], [t.size.min(left)]);
            if size[0] == 0 || t.offset % 4 != 0 {
                continue;
            }
            buffers |= 1 << t.index;
            // SAFETY: no capture runs; the buffer lives and holds the range.
            unsafe {
                (self.gpu.xfb.fp().cmd_bind_transform_feedback_buffers_ext)(
                    cmd,
                    t.index,
                    1,
                    raw.as_ptr(),
                    &t.offset,
                    size.as_ptr(),
                );
            }
        }
        let begun = self.ctx(s)?.capture.is_some_and(|c| c.begun);
        let Some(counters) = &mut Self::ctx_of(&mut self.contexts, s)?.counters else {
            return Ok(());
        };
        let raw = [counters.raw.buffer; 4];
        let offsets = [0u64, 4, 8, 12];
        let n = 32 - u32::leading_zeros(buffers);
        // SAFETY: rendering is under way with a pipeline that captures; counters hold words of an earlier part.
        unsafe {
            if begun {
                (self.gpu.xfb.fp().cmd_begin_transform_feedback_ext)(
                    cmd,
                    0,
                    n,
                    raw.as_ptr(),
                    offsets.as_ptr(),
                );
            } else {
                (self.gpu.xfb.fp().cmd_begin_transform_feedback_ext)(
                    cmd,
                    0,
                    0,
                    std::ptr::null(),
                    std::ptr::null(),
                );
            }
        }
        self.capturing = Some(s.current.context);
        counters.access.writes(self.rec.epoch, self.rec.serial);
        if let Some(c) = &mut self.ctx(s)?.capture {
            c.begun = true;
            c.buffers = n;
        }
        Ok(())
    }

    /// Ends the capture in the rendering under way, which ends next.
    pub(super) fn stop_capture(&mut self) {
        let Some(running) = self.capturing.take() else {
            return;
        };
        let Ok(ctx) = self.contexts.get_mut(running) else {
            return;
        };
        let n = ctx.capture.map_or(0, |c| c.buffers);
        let Some(counters) = &mut ctx.counters else {
            return;
        };
        counters.access.writes(self.rec.epoch, self.rec.serial);
        let raw = [counters.raw.buffer; 4];
        let offsets = [0u64, 4, 8, 12];
        let cmd = self.rec.cmd();
        // SAFETY: a capture runs.
        unsafe {
            (self.gpu.xfb.fp().cmd_end_transform_feedback_ext)(
                cmd,
                0,
                n,
                raw.as_ptr(),
                offsets.as_ptr(),
            );
        }
    }
}
