//! What each thread has made current, in the window system's own words.
//!
//! GLX and EGL share the slot: making a context current through one of them ends what was current
//! through the other, as it must with one GL context a thread.

use super::drawable::Drawable;
use super::state::state;
use super::types::{Display, XID};
use crate::context;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// Handles as the program passed them, to be given back by the glXGetCurrent and eglGetCurrent
/// functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    Glx {
        display: *mut Display,
        context: usize,
        draw: XID,
        read: XID,
    },
    Egl {
        display: usize,
        context: usize,
        draw: usize,
        read: usize,
    },
}

/// A thread's current context and drawables.
#[derive(Clone)]
pub struct Current {
    pub binding: Binding,
    pub draw: Option<Arc<Drawable>>,
    pub read: Option<Arc<Drawable>>,
}

thread_local! {
    static CURRENT: RefCell<Option<Current>> = const { RefCell::new(None) };
}

/// The calling thread's binding.
pub fn binding() -> Option<Binding> {
    CURRENT
        .try_with(|c| c.borrow().as_ref().map(|c| c.binding))
        .ok()
        .flatten()
}

/// The calling thread's binding and drawables.
pub fn get() -> Option<Current> {
    CURRENT.try_with(|c| c.borrow().clone()).ok().flatten()
}

/// Replaces the calling thread's binding.
pub fn set(current: Option<Current>) {
    // A thread that is ending has no slot any more; nothing can ask for it either.
    let old = CURRENT.try_with(|c| c.replace(current));
    drop(old);
}

/// Brings the current drawables to the size of their windows: by what has arrived already, or, if
/// `ask`, by asking the server.
pub fn update_sizes(ask: bool) {
    let Some(current) = get() else { return };
    let same = match (&current.draw, &current.read) {
        (Some(d), Some(r)) => Arc::ptr_eq(d, r),
        _ => false,
    };
    for drawable in [current.draw, current.read.filter(|_| !same)]
        .into_iter()
        .flatten()
    {
        if ask {
            state().refresh(&drawable);
        } else if let Some(connection) = &drawable.connection {
            state().pump(connection);
            drawable.apply_size();
        }
    }
}

/// Calls of [`follow_windows`] that go by between two looks, in a frame that has no end in sight.
const LOOK_EVERY: u32 = 64;

/// Brings the current drawables to the size of their windows, once a frame.
pub fn follow_windows() {
    thread_local! {
        // The frame of the last look, and calls since.
        static LOOKED: Cell<(u64, u32)> = const { Cell::new((u64::MAX, 0)) };
    }
    let frame = context::frame_ends();
    let _ = LOOKED.try_with(|l| {
        let (last, calls) = l.get();
        if last == frame && calls < LOOK_EVERY {
            return l.set((frame, calls + 1));
        }
        l.set((frame, 0));
        update_sizes(false);
    });
}
