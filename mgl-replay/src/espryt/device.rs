//! What all contexts share: EGL, the functions, and the log.

use super::egl::{DisplayChoice, Egl};
use super::gl::{Gl, es};
use super::tally::Tally;
use crate::approximation::{Approximation, Approximations};
pub use crate::events::Events;
use glow::HasContext;
use mgl_core::pipe::BackendError;
use mgl_core::pipe::event::LogLevel;
use std::ffi::c_void;
use std::sync::Arc;

/// See the module.
pub struct Device {
    /// Display and contexts.
    pub egl: Egl,
    /// Functions.
    pub gl: Gl,
    /// Events; behind an Arc because GL's debug callback holds it too.
    pub events: Arc<Events>,
    /// KHR_debug and error checks are on.
    pub debug: bool,
    /// What was asked of the driver.
    pub tally: Tally,
    /// What was drawn only nearly.
    near: Approximations,
}

impl Device {
    /// Opens a display and makes the root context, which is current on this thread afterwards.
    ///
    /// # Errors
    ///
    /// From EGL, or when the context is not good enough.
    pub fn open(
        choice: &DisplayChoice,
        debug: bool,
        lacking: &[&str],
    ) -> Result<(Self, super::egl::Context), BackendError> {
        let egl = Egl::open(choice, debug)?;
        let mut root = egl.create_context(None)?;
        egl.make_current(&mut root, None)?;
        let gl = match Gl::load(&egl, lacking) {
            Ok(gl) => gl,
            Err(e) => {
                egl.destroy_context(&mut root);
                return Err(e);
            }
        };
        let dev = Self {
            egl,
            gl,
            events: Arc::new(Events::default()),
            debug,
            tally: Tally::default(),
            near: Approximations::default(),
        };
        dev.start_context();
        Ok((dev, root))
    }

    /// Counts what is drawn only nearly.
    #[inline]
    pub fn near(&self, kind: Approximation) {
        self.near.near(kind, &self.events);
    }

    /// How often something was drawn only nearly.
    pub fn approximated(&self) -> u64 {
        self.near.total()
    }

    /// What was drawn only nearly, with how often.
    pub fn approximations(&self) -> Vec<(&'static str, u64)> {
        self.near.counted()
    }

    /// The functions, for one call that sets render state: it is counted.
    #[inline]
    pub fn state(&self) -> &glow::Context {
        self.tally.state_calls.one();
        &self.gl.glow
    }

    /// As [`Device::state`], of the generated table.
    #[inline]
    pub fn state_es(&self) -> &es::Gles2 {
        self.tally.state_calls.one();
        &self.gl.es
    }

    /// Sets the new context that is current up: values that never change, and the debug callback.
    pub fn start_context(&self) {
        let gl = &self.gl;
        // SAFETY: the context is current.
        unsafe {
            gl.glow.pixel_store_i32(glow::UNPACK_ALIGNMENT, 1);
            gl.glow.pixel_store_i32(glow::PACK_ALIGNMENT, 1);
        }
        if !(self.debug && gl.has.debug) {
            return;
        }
        // SAFETY: the context is current. The callback's parameter stays valid: this device holds the Arc, and outlives
        // every context that it makes.
        unsafe {
            gl.es.Enable(glow::DEBUG_OUTPUT);
            gl.es.Enable(glow::DEBUG_OUTPUT_SYNCHRONOUS);
            gl.es.DebugMessageControl(
                glow::DONT_CARE,
                glow::DONT_CARE,
                glow::DONT_CARE,
                0,
                std::ptr::null(),
                1,
            );
            gl.es
                .DebugMessageCallback(Some(on_message), Arc::as_ptr(&self.events).cast());
        }
    }

    /// Takes the GL errors that earlier calls have left behind, so that the next check finds its own only. They are
    /// told in debug mode.
    pub fn check_errors(&self, place: &str) {
        loop {
            match self.gl.error() {
                glow::NO_ERROR => return,
                // Without a context every call is an error, the question too.
                glow::CONTEXT_LOST => return,
                _ if !self.debug => {}
                code => self
                    .events
                    .log(LogLevel::Error, format!("GL error {code:#06x} at {place}")),
            }
        }
    }
}

extern "system" fn on_message(
    source: u32,
    kind: u32,
    id: u32,
    severity: u32,
    length: i32,
    message: *const std::ffi::c_char,
    events: *mut c_void,
) {
    // What the application says of itself is no complaint of the driver.
    if matches!(
        source,
        glow::DEBUG_SOURCE_APPLICATION | glow::DEBUG_SOURCE_THIRD_PARTY
    ) {
        return;
    }
    if !matches!(
        severity,
        glow::DEBUG_SEVERITY_HIGH | glow::DEBUG_SEVERITY_MEDIUM
    ) {
        return;
    }
    // SAFETY: GL passes `length` bytes.
    let bytes = unsafe { std::slice::from_raw_parts(message.cast::<u8>(), length.max(0) as usize) };
    let text = String::from_utf8_lossy(bytes);
    // SAFETY: the parameter given with the callback, which outlives the context.
    let events = unsafe { &*events.cast::<Events>() };
    // Advice on speed, for instance that a program is compiled again for another context, is no fault.
    let level = match kind {
        glow::DEBUG_TYPE_PERFORMANCE => LogLevel::Info,
        _ => LogLevel::Error,
    };
    events.log(
        level,
        format!(
            "GL debug message {id} (source {source:#x}, type {kind:#x}): {}",
            text.trim_end()
        ),
    );
}
