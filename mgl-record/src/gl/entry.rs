//! How an entry point is declared, and what every one of them does around its body.
//!
//! `gl_entry!` declares functions that need the current context, `api_entry!` those of the window
//! system interfaces that do not. The build script finds the declarations in the sources: declaring
//! is all there is to implementing a name (design page 5.1). Each declaration is checked against
//! the registry's signature when it compiles. No panic crosses the boundary.

use crate::context::{self, Gl};
use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

/// Declares entry points that act on the current context.
///
/// The first parameter is bound to the current context's `&mut Gl`; without a current context the
/// body does not run and the function returns zero.
///
/// ```text
/// gl_entry! {
///     /// Sets the viewport (GL 3.3, 2.13.1).
///     fn glViewport(gl, x: GLint, y: GLint, width: GLsizei, height: GLsizei) {
///         gl.set_viewport(x, y, width, height)
///     }
/// }
/// ```
macro_rules! gl_entry {
    ($(
        $(#[$meta:meta])*
        fn $name:ident($gl:ident $(, $arg:ident : $ty:ty)* $(,)?) $(-> $ret:ty)? { $($body:tt)* }
    )+) => {$(
        $(#[$meta])*
        ///
        /// # Safety
        ///
        /// Pointers must be valid for what the GL specification says is read or written there.
        #[allow(non_snake_case, clippy::too_many_arguments)]
        #[unsafe(no_mangle)]
        pub unsafe extern "system" fn $name($($arg: $ty),*) $(-> $ret)? {
            $crate::gl::entry::enter_gl(
                stringify!($name),
                move |$gl: &mut $crate::context::Gl| $(-> $ret)? { $($body)* },
            )
        }
        const _: $crate::exports::sig::$name = $name;
    )+};
}

/// Declares entry points that need no current context: those of GLX and EGL.
///
/// A caught panic returns zero.
macro_rules! api_entry {
    ($(
        $(#[$meta:meta])*
        fn $name:ident($($arg:ident : $ty:ty),* $(,)?) $(-> $ret:ty)? { $($body:tt)* }
    )+) => {$(
        $(#[$meta])*
        ///
        /// # Safety
        ///
        /// Pointers must be valid for what the GLX or EGL specification says is read or written
        /// there.
        #[allow(non_snake_case, clippy::too_many_arguments)]
        #[unsafe(no_mangle)]
        pub unsafe extern "system" fn $name($($arg: $ty),*) $(-> $ret)? {
            const NAME: &std::ffi::CStr = match std::ffi::CStr::from_bytes_with_nul(
                concat!(stringify!($name), "\0").as_bytes(),
            ) {
                Ok(name) => name,
                Err(_) => panic!("a name with a zero in it"),
            };
            if let Some(real) = $crate::passthrough::real(NAME) {
                // SAFETY: the system's function of this name has the signature that the registry gives.
                let real: $crate::exports::sig::$name = unsafe { std::mem::transmute(real) };
                // SAFETY: the caller's promises are those of the real function.
                return unsafe { real($($arg),*) };
            }
            $crate::gl::entry::enter(stringify!($name), move || $(-> $ret)? { $($body)* })
        }
        const _: $crate::exports::sig::$name = $name;
    )+};
}

#[allow(unused_imports)]
pub(crate) use {api_entry, gl_entry};

/// The value that an entry point returns when it did nothing: zero.
pub trait EntryReturn {
    /// Zero of this type.
    fn nothing() -> Self;
}

macro_rules! zero_is_nothing {
    ($($ty:ty),*) => {$(
        impl EntryReturn for $ty {
            fn nothing() -> Self { 0 as $ty }
        }
    )*};
}
zero_is_nothing!(i8, u8, i16, u16, i32, u32, i64, u64, isize, usize, f32, f64);

impl EntryReturn for () {
    fn nothing() -> Self {}
}

impl<T> EntryReturn for *const T {
    fn nothing() -> Self {
        std::ptr::null()
    }
}

impl<T> EntryReturn for *mut T {
    fn nothing() -> Self {
        std::ptr::null_mut()
    }
}

/// Runs the body of an entry point on the current context; more than once where it asks the server ([`Pipe::ask_apart`]).
///
/// [`Pipe::ask_apart`]: crate::pipe::Pipe::ask_apart
#[inline]
pub fn enter_gl<R: EntryReturn>(name: &'static str, body: impl FnMut(&mut Gl) -> R) -> R {
    let mut body = body;
    let body = |gl: &mut Gl| {
        if gl.pipe.is_lost() && !lives_on(name) {
            return lost(gl);
        }
        body(gl)
    };
    match catch_unwind(AssertUnwindSafe(|| context::with_current_again(name, body))) {
        Ok(Some(value)) => value,
        Ok(None) => R::nothing(),
        Err(panic) => {
            caught(name, panic);
            R::nothing()
        }
    }
}

/// Entry points that behave as ever when the device is lost, or tell who polls that it is over (GL 4.6 §2.3.2).
fn lives_on(name: &str) -> bool {
    let errors = ["glGetError", "glGetGraphicsResetStatus"];
    let polls = ["glGetSynciv", "glGetQueryObjectuiv"];
    errors.contains(&name) || polls.contains(&name)
}

/// What every other entry point does then: nothing but an error, where the context was to say so.
#[cold]
fn lost<R: EntryReturn>(gl: &mut Gl) -> R {
    if gl.is_lost() {
        gl.raise(crate::consts::gl::GL_CONTEXT_LOST);
    }
    R::nothing()
}

/// Runs the body of an entry point that needs no context.
#[inline]
pub fn enter<R: EntryReturn>(name: &'static str, body: impl FnOnce() -> R) -> R {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(value) => value,
        Err(panic) => {
            caught(name, panic);
            R::nothing()
        }
    }
}

static PANICS: Mutex<BTreeMap<&'static str, u64>> = Mutex::new(BTreeMap::new());

#[cold]
#[inline(never)]
fn caught(name: &'static str, panic: Box<dyn Any + Send>) {
    let mut counts = PANICS.lock().unwrap_or_else(|e| e.into_inner());
    let count = counts.entry(name).or_insert(0);
    *count += 1;
    if *count == 1 {
        let what = panic
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("no message");
        eprintln!("mgl: internal error in {name}: {what}; the call had no effect");
    }
    // A payload whose destructor panics must not get past this point either.
    std::mem::forget(panic);
}

/// Entry points whose body panicked, with how often; empty in a healthy process.
pub fn panics() -> Vec<(&'static str, u64)> {
    let counts = PANICS.lock().unwrap_or_else(|e| e.into_inner());
    counts.iter().map(|(n, c)| (*n, *c)).collect()
}

/// Raises GL_INVALID_OPERATION for the entry point `name` on the current context, if there is one.
pub(crate) fn raise_invalid_operation(name: &'static str) {
    enter_gl(name, |gl| gl.raise(crate::consts::gl::GL_INVALID_OPERATION));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_caught_and_counted() {
        let value: u32 = enter("glTestOfPanics", || panic!("on purpose"));
        assert_eq!(value, 0);
        assert!(panics().contains(&("glTestOfPanics", 1)));
    }

    #[test]
    fn without_a_context_nothing_runs() {
        let value: *const u8 = enter_gl("glTestOfNoContext", |_| unreachable!("no context"));
        assert!(value.is_null());
    }
}
