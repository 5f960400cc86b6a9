//! The application's own messages, groups and labels, told to whoever watches the driver below (KHR_debug).

use super::Espryt;
use super::objects::Name;
use super::work::Work;
use mgl_core::handle::*;
use mgl_core::pipe::backend::Result;
use mgl_core::pipe::{DebugEvent, PushedState};

/// Groups that a context opens below; the specification promises 64 with the default one. Deeper ones are only counted.
const MOST_GROUPS: u32 = 60;

impl Espryt {
    /// Passes on what the application says of itself. Without KHR_debug, or a context to say it in, it is for traces only.
    pub(super) fn tell_debug(&mut self, s: &PushedState, e: DebugEvent<'_>) -> Result {
        if !self.dev.gl.has.debug || s.context().is_none() {
            return Ok(());
        }
        self.on_current(s, |w| {
            w.debug(e);
            Ok(())
        })
    }

    /// Labels an object, if it has been made and KHR_debug is there.
    pub(super) fn label(
        &mut self,
        s: &PushedState,
        kind: HandleKind,
        handle: Handle,
        label: &[u8],
    ) -> Result {
        if !self.dev.gl.has.debug {
            return Ok(());
        }
        self.on_any(s, |w| {
            w.label(kind, handle, label);
            Ok(())
        })
    }

    /// Labels a new object, if it is to have a label.
    #[inline]
    pub(super) fn label_new<H: TypedHandle>(&mut self, s: &PushedState, h: H) -> Result {
        let handle = h.raw();
        match s.label(h) {
            [] => Ok(()),
            label => self.label(s, H::KIND, handle, label),
        }
    }
}

impl Work<'_> {
    fn debug(&mut self, e: DebugEvent<'_>) {
        let es = &self.dev.gl.es;
        let depth = &mut self.ctx.debug_groups;
        // GL counts in its own limit, which is at least that of the front end's texts.
        let length = |text: &[u8]| text.len().min(self.dev.gl.limits.debug_text) as i32;
        // SAFETY: the context is current and has KHR_debug; texts have the length that is given.
        unsafe {
            match e {
                DebugEvent::Message { message: m, text } => es.DebugMessageInsert(
                    m.source.0,
                    m.kind.0,
                    m.id,
                    m.severity.0,
                    length(text),
                    text.as_ptr().cast(),
                ),
                DebugEvent::Push { text } => {
                    *depth += 1;
                    if *depth <= MOST_GROUPS {
                        es.PushDebugGroup(
                            glow::DEBUG_SOURCE_APPLICATION,
                            0,
                            length(text),
                            text.as_ptr().cast(),
                        );
                    }
                }
                DebugEvent::Pop => {
                    if (1..=MOST_GROUPS).contains(depth) {
                        es.PopDebugGroup();
                    }
                    *depth = depth.saturating_sub(1);
                }
            }
        }
    }

    /// Sets the label of a native object; what is not made yet, or has no one object, has none.
    fn label(&mut self, kind: HandleKind, handle: Handle, label: &[u8]) {
        let of_name = |n: Name| match n {
            Name::Texture(t, _) => (glow::TEXTURE, t.0.get()),
            Name::Renderbuffer(r) => (glow::RENDERBUFFER, r.0.get()),
        };
        let found = match kind {
            HandleKind::BUFFER => {
                let b = self.obj.buffers.get(BufferHandle(handle));
                b.ok().map(|b| (glow::BUFFER, b.name.0.get()))
            }
            HandleKind::TEXTURE => {
                let t = self.obj.textures.get(TextureHandle(handle));
                t.ok().map(|t| of_name(t.image.name))
            }
            HandleKind::RENDERBUFFER => {
                let r = self.obj.renderbuffers.get(RenderbufferHandle(handle));
                r.ok().map(|r| of_name(r.name))
            }
            _ => None,
        };
        let Some((identifier, name)) = found else {
            return;
        };
        let length = label.len().min(self.dev.gl.limits.debug_label) as i32;
        // SAFETY: a context of the share group is current and has KHR_debug; the label has that length.
        unsafe {
            self.dev
                .gl
                .es
                .ObjectLabel(identifier, name, length, label.as_ptr().cast());
        }
    }
}
