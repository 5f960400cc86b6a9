//! Transform feedback (GL 4.6 §13.2).
//!
//! GL begins a capture before it knows which variant of the program will draw, and OpenGL ES ties a capture to one
//! program object: so it begins natively at the first captured draw, and is paused natively around all that is not
//! captured.

use super::context::Serial;
use super::device::Device;
use super::work::Work;
use glow::HasContext;
use mgl_core::pipe::*;
use mgl_core::program::{Reflection, XfbMode};

/// A capture that the client has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capture {
    primitive: u32,
    /// The program variant that GL captures from, once it has begun.
    begun: Option<Serial>,
    /// GL has it paused.
    paused: bool,
}

impl Capture {
    /// Whether GL captures, or has paused.
    pub fn has_begun(&self) -> bool {
        self.begun.is_some()
    }

    /// The program variant that GL captures from, once it has begun.
    pub fn begun(&self) -> Option<Serial> {
        self.begun
    }

    /// GL stops capturing until the next captured draw; its context is current.
    pub fn pause(&mut self, dev: &Device) {
        if self.begun.is_some() && !self.paused {
            self.paused = true;
            // SAFETY: the context is current, and its capture is active and runs.
            unsafe { dev.gl.glow.pause_transform_feedback() };
        }
    }
}

/// What to pass to glTransformFeedbackVaryings for a program; `None` when it captures nothing.
///
/// # Errors
///
/// [`BackendError::Unsupported`] for gaps, and for several buffers of more than one output.
pub fn varyings<'n>(
    r: &Reflection,
    names: &'n [String],
) -> Result<Option<(Vec<&'n str>, u32)>, BackendError> {
    let Some(xfb) = &r.xfb else { return Ok(None) };
    if xfb.varyings.is_empty() {
        return Ok(None);
    }
    let refuse = |what: &str| Err(BackendError::Unsupported(what.to_owned()));
    if xfb.varyings.iter().any(|v| v.source.is_none()) {
        return refuse("transform feedback with gaps");
    }
    let mode = match xfb.mode {
        XfbMode::Separate => glow::SEPARATE_ATTRIBS,
        XfbMode::Interleaved if xfb.varyings.iter().any(|v| v.buffer != 0) => {
            return refuse("transform feedback of several outputs to several buffers");
        }
        XfbMode::Interleaved => glow::INTERLEAVED_ATTRIBS,
    };
    Ok(Some((names.iter().map(String::as_str).collect(), mode)))
}

impl Work<'_> {
    /// Begins, ends, pauses or resumes the capture of this context.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] for other objects than the default one.
    pub fn stream_output(
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
        match op {
            Op::BeginStreamOutput => {
                self.ctx.capture = Some(Capture {
                    primitive: o.primitive.0,
                    begun: None,
                    paused: false,
                });
            }
            Op::EndStreamOutput => self.end_capture(s)?,
            Op::PauseStreamOutput => self.pause_capture(),
            // The next captured draw resumes it.
            _ => {}
        }
        Ok(())
    }

    fn end_capture(&mut self, s: &PushedState) -> Result<(), BackendError> {
        let Some(c) = self.ctx.capture.take() else {
            return Ok(());
        };
        if c.begun.is_none() {
            return Ok(());
        }
        // SAFETY: the context is current, and its capture is active.
        unsafe { self.dev.gl.glow.end_transform_feedback() };
        for t in &self.context(s)?.values.stream_targets {
            let b = self.buffer(t.buffer)?;
            b.version += 1;
            b.mirror = None;
        }
        Ok(())
    }

    fn pause_capture(&mut self) {
        if let Some(c) = &mut self.ctx.capture {
            c.pause(self.dev);
        }
    }

    /// GL captures what is drawn next, or does not, as the draw says. The program is in use.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] when the capture would go on with another variant of the program.
    pub fn follow_capture(
        &mut self,
        s: &PushedState,
        captures: bool,
        variant: Serial,
    ) -> Result<(), BackendError> {
        let Some(c) = self.ctx.capture else {
            return Ok(());
        };
        if !captures {
            self.pause_capture();
            return Ok(());
        }
        match c.begun {
            // A primitive is written whole or not at all: an empty range leaves no room for any.
            None if self
                .context(s)?
                .values
                .stream_targets
                .iter()
                .any(|t| t.size == 0) =>
            {
                return Ok(());
            }
            None => {
                self.bind_targets(s)?;
                // SAFETY: the context is current; buffers are bound, and the program in use has outputs to capture.
                unsafe { self.dev.gl.glow.begin_transform_feedback(c.primitive) };
            }
            Some(begun) if begun != variant => {
                return Err(BackendError::Unsupported(
                    "a capture that goes on with another variant of its program".into(),
                ));
            }
            Some(_) if c.paused => {
                // SAFETY: the context is current, its capture is paused, and the program is the one that it began with.
                unsafe { self.dev.gl.glow.resume_transform_feedback() };
            }
            Some(_) => {}
        }
        self.ctx.capture = Some(Capture {
            begun: Some(variant),
            paused: false,
            ..c
        });
        Ok(())
    }

    fn bind_targets(&mut self, s: &PushedState) -> Result<(), BackendError> {
        for t in &self.context(s)?.values.stream_targets {
            let name = self.buffer(t.buffer)?.name;
            self.dev.tally.buffer_binds.one();
            // SAFETY: the context is current, no capture runs, and the buffer holds the range.
            unsafe {
                self.dev.gl.es.BindBufferRange(
                    glow::TRANSFORM_FEEDBACK_BUFFER,
                    t.index,
                    name.0.get(),
                    t.offset as isize,
                    t.size as isize,
                );
            }
        }
        Ok(())
    }
}
