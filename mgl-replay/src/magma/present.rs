//! Windows: showing surfaces in them.

use super::Magma;
use mgl_core::handle::SurfaceHandle;
use mgl_core::pipe::backend::NativeWindow;
use mgl_core::pipe::{BackendError, PushedState};

/// A window of the program.
pub struct Shown {
    /// As attached.
    pub native: NativeWindow,
    /// The window no longer exists.
    pub gone: bool,
}

impl Shown {
    /// Nothing is made yet.
    pub fn new(native: NativeWindow) -> Self {
        Self {
            native,
            gone: false,
        }
    }

    /// Whether it still exists, as far as is known.
    pub fn is_there(&self) -> bool {
        !self.gone
    }
}

impl Magma {
    pub(super) fn close_windows(&mut self) {}
    pub(super) fn close_window(&mut self, _h: SurfaceHandle) {}
    pub(super) fn show_in_window(
        &mut self,
        _s: &PushedState,
        _h: SurfaceHandle,
    ) -> Result<(), BackendError> {
        self.submit()
    }
}
