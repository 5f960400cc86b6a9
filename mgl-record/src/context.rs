//! The current context: placeholder until the front end's own lands.

/// A GL context's front-end state.
pub struct Gl {
    error: u32,
}

impl Gl {
    /// Raises a GL error (GL 3.3, 2.5).
    pub fn raise(&mut self, code: u32) {
        if self.error == 0 {
            self.error = code;
        }
    }
}

/// Runs `f` on the calling thread's current context; `None` without one.
pub fn with_current<R>(f: impl FnOnce(&mut Gl) -> R) -> Option<R> {
    let _ = f;
    None
}
