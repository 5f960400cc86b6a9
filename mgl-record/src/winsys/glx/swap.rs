//! Presenting and waiting (GLX 1.4, 3.3.10 and 3.3.11; the swap-interval extensions).

use super::drawable::find;
use crate::consts::glx::*;
use crate::context;
use crate::gl::entry::api_entry;
use crate::winsys::current::{self, Binding};
use crate::winsys::drawable::Drawable;
use crate::winsys::state::state;
use crate::winsys::types::*;
use crate::winsys::xlib;
use std::ffi::{c_int, c_uint};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The longest swap interval reported, in frames.
pub const MAX_INTERVAL: c_int = 8;

/// The drawable that swap intervals without an argument apply to.
fn current_draw() -> Option<Arc<Drawable>> {
    let current = current::get()?;
    matches!(current.binding, Binding::Glx { .. }).then_some(current.draw?)
}

api_entry! {
    /// Shows what was drawn to the back buffer. Also sends what the program has queued for the
    /// server, which programs rely on.
    fn glXSwapBuffers(dpy: *mut Display, drawable: GLXDrawable) {
        xlib::flush(dpy);
        match find(dpy, drawable) {
            Some((_, found)) if found.config.double_buffered => {
                // GLX has no error for a lost device; the context tells.
                let _ = state().present(&found);
            }
            Some(_) => context::flush_current(),
            None => {}
        }
    }

    /// Waits until what was drawn is there for the server's own requests to see.
    fn glXWaitGL() {
        context::finish_current();
        current::update_sizes(true);
    }

    /// Waits until what the program asked of the server is done: a resized window has its new size.
    fn glXWaitX() {
        if let Some(Binding::Glx { display, .. }) = current::binding() {
            xlib::sync(display);
            current::update_sizes(true);
        }
    }

    /// Sets a drawable's swap interval (GLX_EXT_swap_control).
    fn glXSwapIntervalEXT(dpy: *mut Display, drawable: GLXDrawable, interval: c_int) {
        if let Some((_, found)) = find(dpy, drawable).filter(|_| interval >= 0) {
            found.set_swap_interval(interval.min(MAX_INTERVAL));
        }
    }

    /// Sets the current drawable's swap interval (GLX_SGI_swap_control); 0 or an error code.
    fn glXSwapIntervalSGI(interval: c_int) -> c_int {
        if interval <= 0 {
            return GLX_BAD_VALUE;
        }
        set_interval(interval)
    }

    /// Sets the current drawable's swap interval (GLX_MESA_swap_control); 0 or an error code.
    fn glXSwapIntervalMESA(interval: c_uint) -> c_int {
        match c_int::try_from(interval) {
            Ok(interval) => set_interval(interval),
            Err(_) => GLX_BAD_VALUE,
        }
    }

    /// The current drawable's swap interval.
    fn glXGetSwapIntervalMESA() -> c_int {
        current_draw().map_or(0, |d| d.swap_interval.load(Ordering::Relaxed))
    }
}

fn set_interval(interval: c_int) -> c_int {
    match current_draw() {
        Some(drawable) => {
            drawable.set_swap_interval(interval.min(MAX_INTERVAL));
            0
        }
        None => GLX_BAD_CONTEXT,
    }
}
