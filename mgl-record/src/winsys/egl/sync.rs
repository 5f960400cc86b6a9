//! Fence sync objects (EGL 1.5, 3.8).
//!
//! A fence is signalled when the commands before it are complete; making one waits for them, so
//! every fence that a program can see is signalled already. Programs use them to pace themselves or
//! to hand work to another thread; neither can tell the difference, except in time.

use super::display::{EglDisplay, initialized};
use super::error::{Result, answer};
use crate::consts::egl::*;
use crate::context;
use crate::gl::entry::api_entry;
use crate::winsys::current::{self, Binding};
use crate::winsys::memory;
use crate::winsys::state::state;
use crate::winsys::types::*;
use std::sync::Arc;

fn create(dpy: EGLDisplay, kind: EGLenum, has_attributes: bool) -> Result<EGLSync> {
    let (display, _) = initialized(dpy)?;
    if kind != EGL_SYNC_FENCE as EGLenum || has_attributes {
        return Err(EGL_BAD_ATTRIBUTE);
    }
    match current::binding() {
        Some(Binding::Egl { display: d, .. }) if d == display.handle => {}
        _ => return Err(EGL_BAD_MATCH),
    }
    context::finish_current();
    let handle = state().new_handle();
    display.syncs.lock().insert(handle, kind);
    Ok(handle as EGLSync)
}

fn find(dpy: EGLDisplay, sync: EGLSync) -> Result<(Arc<EglDisplay>, EGLenum)> {
    let (display, _) = initialized(dpy)?;
    let kind = display.syncs.lock().get(&(sync as usize)).copied();
    Ok((display, kind.ok_or(EGL_BAD_PARAMETER)?))
}

/// Lets later commands wait: they come after the fence already. Flags are for future use.
fn server_wait<T: From<bool>>(dpy: EGLDisplay, sync: EGLSync, flags: EGLint) -> Result<T> {
    find(dpy, sync)?;
    if flags != 0 {
        return Err(EGL_BAD_PARAMETER);
    }
    Ok(true.into())
}

fn destroy(dpy: EGLDisplay, sync: EGLSync) -> Result<EGLBoolean> {
    let (display, _) = find(dpy, sync)?;
    display.syncs.lock().remove(&(sync as usize));
    Ok(1)
}

fn attribute(dpy: EGLDisplay, sync: EGLSync, name: EGLint) -> Result<EGLint> {
    let (_, kind) = find(dpy, sync)?;
    match name {
        EGL_SYNC_TYPE => Ok(kind as EGLint),
        EGL_SYNC_STATUS => Ok(EGL_SIGNALED),
        EGL_SYNC_CONDITION => Ok(EGL_SYNC_PRIOR_COMMANDS_COMPLETE),
        _ => Err(EGL_BAD_ATTRIBUTE),
    }
}

api_entry! {
    /// A fence after the current context's commands.
    fn eglCreateSync(dpy: EGLDisplay, kind: EGLenum, attributes: *const EGLAttrib) -> EGLSync {
        // SAFETY: the program passes null or a list that ends with EGL_NONE.
        let list = unsafe { memory::long_pairs(attributes, EGL_NONE) };
        answer(create(dpy, kind, !list.is_empty()))
    }

    /// The name of eglCreateSync before EGL 1.5.
    fn eglCreateSyncKHR(dpy: EGLDisplay, kind: EGLenum, attributes: *const EGLint) -> EGLSyncKHR {
        // SAFETY: the program passes null or a list that ends with EGL_NONE.
        let list = unsafe { memory::pairs(attributes, EGL_NONE) };
        answer(create(dpy, kind, !list.is_empty()))
    }

    /// Ends a sync object.
    fn eglDestroySync(dpy: EGLDisplay, sync: EGLSync) -> EGLBoolean {
        answer(destroy(dpy, sync))
    }

    /// Waits for a sync object: it is signalled.
    fn eglClientWaitSync(
        dpy: EGLDisplay,
        sync: EGLSync,
        _flags: EGLint,
        _timeout: EGLTime,
    ) -> EGLint {
        answer(find(dpy, sync).map(|_| EGL_CONDITION_SATISFIED))
    }

    /// Lets later commands wait for a sync object: it is signalled.
    fn eglWaitSync(dpy: EGLDisplay, sync: EGLSync, flags: EGLint) -> EGLBoolean {
        answer(server_wait(dpy, sync, flags))
    }

    /// The name of eglWaitSync before EGL 1.5.
    fn eglWaitSyncKHR(dpy: EGLDisplay, sync: EGLSyncKHR, flags: EGLint) -> EGLint {
        answer(server_wait(dpy, sync, flags))
    }

    /// One attribute of a sync object.
    fn eglGetSyncAttrib(
        dpy: EGLDisplay,
        sync: EGLSync,
        name: EGLint,
        value: *mut EGLAttrib,
    ) -> EGLBoolean {
        answer(attribute(dpy, sync, name).map(|found| {
            // SAFETY: the program passes null or a pointer to a word.
            unsafe { memory::store(value, found as EGLAttrib) };
            1
        }))
    }

    /// The name of eglGetSyncAttrib before EGL 1.5.
    fn eglGetSyncAttribKHR(
        dpy: EGLDisplay,
        sync: EGLSyncKHR,
        name: EGLint,
        value: *mut EGLint,
    ) -> EGLBoolean {
        answer(attribute(dpy, sync, name).map(|found| {
            // SAFETY: the program passes null or a pointer to an int.
            unsafe { memory::store(value, found) };
            1
        }))
    }
}
