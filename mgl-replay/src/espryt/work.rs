//! One operation at work: the device, the objects, and the native context that is current on this thread.

use super::context::NativeContext;
use super::device::Device;
use super::objects::Objects;
use mgl_core::pipe::{BackendError, ContextState, PushedState};

/// See the module.
pub struct Work<'a> {
    /// EGL, functions, log.
    pub dev: &'a Device,
    /// Objects of the share group.
    pub obj: &'a mut Objects,
    /// The context that is current.
    pub ctx: &'a mut NativeContext,
}

impl Work<'_> {
    /// The pushed state of the current context.
    ///
    /// # Errors
    ///
    /// [`BackendError::Driver`] when there is none, which `apply` has ruled out for verbs.
    pub fn context<'s>(&self, s: &'s PushedState) -> Result<&'s ContextState, BackendError> {
        s.context()
            .ok_or_else(|| BackendError::Driver("no context is bound".into()))
    }
}
