//! The application's own messages, groups and labels, told to whoever watches the driver below (VK_EXT_debug_utils).
//!
//! Groups span command buffers of the one queue, in the order of the pipe; early uploads are outside of all of them. Where
//! the instance lacks the extension, nothing is told and nothing fails.

use super::Magma;
use super::objects::Storage;
use ash::vk;
use mgl_core::handle::*;
use mgl_core::pipe::{DebugEvent, PushedState};
use std::ffi::CString;

/// A text as Vulkan takes it: up to its first zero.
fn text_of(text: &[u8]) -> CString {
    let end = text.iter().position(|b| *b == 0).unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

impl Magma {
    /// Passes on what the application says of itself, in order with its draws.
    pub(super) fn tell_debug(&mut self, e: DebugEvent<'_>) {
        let Some(utils) = &self.gpu.debug else { return };
        let text = match e {
            DebugEvent::Message { text, .. } | DebugEvent::Push { text } => text_of(text),
            DebugEvent::Pop => CString::default(),
        };
        let label = vk::DebugUtilsLabelEXT::default().label_name(&text);
        // SAFETY: the command buffer is recorded; the label lives until the calls return; an end follows a begin.
        unsafe {
            match e {
                DebugEvent::Message { .. } => {
                    utils.cmd_insert_debug_utils_label(self.rec.cmd(), &label);
                }
                DebugEvent::Push { .. } => {
                    self.debug_groups += 1;
                    utils.cmd_begin_debug_utils_label(self.rec.cmd(), &label);
                }
                DebugEvent::Pop if self.debug_groups > 0 => {
                    self.debug_groups -= 1;
                    utils.cmd_end_debug_utils_label(self.rec.cmd());
                }
                DebugEvent::Pop => {}
            }
        }
    }

    /// Names the native object of a handle, if it has been made.
    pub(super) fn label(&self, kind: HandleKind, handle: Handle, label: &[u8]) {
        let Some(utils) = &self.gpu.debug else { return };
        let name = text_of(label);
        let set = |info: vk::DebugUtilsObjectNameInfoEXT<'_>| {
            // SAFETY: the object lives and is the device's; the name lives until the call returns. A driver that has no
            // room for the name keeps none, which changes nothing that is drawn.
            let _ = unsafe { utils.set_debug_utils_object_name(&info.object_name(&name)) };
        };
        let info = vk::DebugUtilsObjectNameInfoEXT::default;
        let window = match kind {
            HandleKind::BUFFER => {
                if let Ok(b) = self.obj.buffers.get(BufferHandle(handle)) {
                    set(info().object_handle(b.raw.buffer));
                }
                return;
            }
            HandleKind::TEXTURE => match self.obj.textures.get(TextureHandle(handle)) {
                Ok(t) => match t.storage {
                    // A view shares its owner's image, whose name that is.
                    Storage::Image(w) if t.desc.view_of.is_null() => w,
                    _ => return,
                },
                Err(_) => return,
            },
            HandleKind::RENDERBUFFER => {
                match self.obj.renderbuffers.get(RenderbufferHandle(handle)) {
                    Ok(w) => *w,
                    Err(_) => return,
                }
            }
            _ => return,
        };
        if let Ok(image) = self.obj.images.get(window.image) {
            set(info().object_handle(image.raw.image));
        }
    }

    /// Names a new object, if it is to have a label.
    #[inline]
    pub(super) fn label_new(&self, s: &PushedState, r: ResourceHandle) {
        if !s.labels.is_empty()
            && let Some(label) = s.labels.get(&(r.kind, r.handle))
        {
            self.label(r.kind, r.handle, label);
        }
    }
}
