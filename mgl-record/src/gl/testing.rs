//! Contexts for tests of entry points: on the null back end, current in the test's thread.
//!
//! Tests share the process's driver, so they look only at objects of their own context and share group.

use crate::config::Config;
use crate::context::{self, ContextConfig, ContextRef, Gl, Profile};
use crate::driver;
use crate::pipe::Pipe;
use mgl_core::pipe::NullBackend;
use mgl_replay::BackendKind;

/// A context, current in this thread until it is dropped.
pub(crate) struct Current(ContextRef);

/// Makes a context, in the share group of `share` if one is given, and makes it current.
pub(crate) fn current(profile: Profile, share: Option<&Current>) -> Current {
    {
        let mut d = driver::lock();
        if d.pipe.is_none() {
            let config = Config {
                backend: BackendKind::Null,
                ..Config::from_env()
            };
            d.pipe = Some(Pipe::with_backend(
                &config,
                Box::new(NullBackend::default()),
            ));
        }
    }
    let config = ContextConfig {
        profile,
        major: 3,
        minor: 3,
        debug: false,
        forward_compatible: false,
        robust: false,
        lose_on_reset: false,
    };
    let made =
        context::create(&config, share.map(|c| &c.0)).expect("the null back end has contexts");
    context::make_current(Some(&made), None, None).expect("a new context is current nowhere");
    Current(made)
}

impl Current {
    /// Makes it this thread's current context again.
    pub(crate) fn again(&self) {
        context::make_current(Some(&self.0), None, None).expect("it is current here or nowhere");
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        // A failed release has nobody to tell; the context ends with the process then.
        let _ = context::make_current(None, None, None);
        context::destroy_context(&self.0);
    }
}

/// Runs `f` on the current context.
pub(crate) fn on<R>(f: impl FnOnce(&mut Gl<'_>) -> R) -> R {
    context::with_current(f).expect("a context is current")
}

/// The error since the last call (glGetError).
pub(crate) fn error() -> u32 {
    on(|gl| gl.take_error())
}
