//! Contexts (EGL 1.5, 3.7), with or without a configuration, with or without surfaces.

use super::config;
use super::display::{EglDisplay, initialized, known};
use super::error::{self, Result, answer};
use super::surface::EglSurface;
use crate::consts::egl::*;
use crate::context::{self, ContextConfig};
use crate::gl::entry::api_entry;
use crate::winsys::current::{self, Binding, Current};
use crate::winsys::refusal::{self, Refusal};
use crate::winsys::state::{ContextEntry, state};
use crate::winsys::types::*;
use crate::winsys::{memory, versions};
use std::ffi::c_int;
use std::sync::Arc;

/// The error code that stands for a reason (EGL 1.5, 3.7.1).
fn code(why: &Refusal) -> c_int {
    match why {
        Refusal::Flags(_) | Refusal::Attribute(..) => EGL_BAD_ATTRIBUTE,
        Refusal::Share => EGL_BAD_CONTEXT,
        Refusal::Config => EGL_BAD_CONFIG,
        Refusal::Driver(_) => EGL_BAD_ALLOC,
        _ => EGL_BAD_MATCH,
    }
}

/// A part of a version number.
fn number(value: c_int) -> std::result::Result<u32, Refusal> {
    u32::try_from(value).map_err(|_| Refusal::NoSuchVersion(value.into(), 0))
}

/// Reads the attributes of eglCreateContext.
fn requested(list: &[(c_int, c_int)]) -> std::result::Result<ContextConfig, Refusal> {
    let mut config = versions::unversioned();
    let mut profiles = versions::CORE;
    for (name, value) in list {
        let on = *value != 0;
        match *name {
            EGL_CONTEXT_MAJOR_VERSION => {
                config.major = number(*value)?;
            }
            EGL_CONTEXT_MINOR_VERSION => {
                config.minor = number(*value)?;
            }
            EGL_CONTEXT_OPENGL_PROFILE_MASK => profiles = *value,
            EGL_CONTEXT_OPENGL_DEBUG => config.debug = on,
            EGL_CONTEXT_OPENGL_FORWARD_COMPATIBLE => config.forward_compatible = on,
            EGL_CONTEXT_OPENGL_ROBUST_ACCESS | EGL_CONTEXT_OPENGL_ROBUST_ACCESS_EXT => {
                config.robust = on;
            }
            EGL_CONTEXT_FLAGS_KHR => {
                const KNOWN: c_int = EGL_CONTEXT_OPENGL_DEBUG_BIT_KHR
                    | EGL_CONTEXT_OPENGL_FORWARD_COMPATIBLE_BIT_KHR
                    | EGL_CONTEXT_OPENGL_ROBUST_ACCESS_BIT_KHR;
                if value & !KNOWN != 0 {
                    return Err(Refusal::Flags(*value));
                }
                config.debug |= value & EGL_CONTEXT_OPENGL_DEBUG_BIT_KHR != 0;
                config.forward_compatible |=
                    value & EGL_CONTEXT_OPENGL_FORWARD_COMPATIBLE_BIT_KHR != 0;
                config.robust |= value & EGL_CONTEXT_OPENGL_ROBUST_ACCESS_BIT_KHR != 0;
            }
            EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY
            | EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT => {
                config.lose_on_reset = *value == EGL_LOSE_CONTEXT_ON_RESET;
            }
            // Errors are raised all the same, and a context that changes threads is always flushed.
            EGL_CONTEXT_OPENGL_NO_ERROR_KHR => config.no_error = on,
            EGL_CONTEXT_RELEASE_BEHAVIOR_KHR => {
                config.flush_on_release = match *value {
                    EGL_CONTEXT_RELEASE_BEHAVIOR_FLUSH_KHR => true,
                    EGL_NONE => false,
                    _ => return Err(Refusal::Attribute(*name, *value)),
                };
            }
            EGL_CONTEXT_PRIORITY_LEVEL_IMG => {}
            _ => return Err(Refusal::Attribute(*name, *value)),
        }
    }
    versions::resolve(config, profiles)
}

fn create(
    dpy: EGLDisplay,
    config: EGLConfig,
    share: EGLContext,
    list: &[(c_int, c_int)],
) -> Result<EGLContext> {
    let (display, _) = initialized(dpy)?;
    make(display.handle, config, share, list).map_err(|why| {
        refusal::say("EGL", &why);
        code(&why)
    })
}

fn make(
    display: usize,
    config: EGLConfig,
    share: EGLContext,
    list: &[(c_int, c_int)],
) -> std::result::Result<EGLContext, Refusal> {
    let config = match config.is_null() {
        true => None,
        false => Some(config::of_handle(config).map_err(|_| Refusal::Config)?),
    };
    if error::api() != EGL_OPENGL_API as EGLenum {
        return Err(Refusal::Es);
    }
    let share = match share.is_null() {
        true => None,
        false => Some(state().context(share as usize).ok_or(Refusal::Share)?),
    };
    let wanted = requested(list)?;
    let context = versions::create(&wanted, share.as_ref().map(|s| &s.context))?;
    Ok(state().add_context(ContextEntry {
        context,
        config,
        screen: 0,
        display,
    }) as EGLContext)
}

fn surface_of(display: &EglDisplay, handle: EGLSurface) -> Result<Option<Arc<EglSurface>>> {
    if handle.is_null() {
        return Ok(None);
    }
    let found = display.surfaces.lock().get(&(handle as usize)).cloned();
    found.map(Some).ok_or(EGL_BAD_SURFACE)
}

/// Ends what this thread has current through EGL.
pub fn release() {
    if matches!(current::binding(), Some(Binding::Egl { .. })) {
        // Nothing can be done about a context that does not let go; the slot is empty either way.
        let _ = context::make_current(None, None, None);
        current::set(None);
    }
}

fn make_current(
    dpy: EGLDisplay,
    draw: EGLSurface,
    read: EGLSurface,
    handle: EGLContext,
) -> Result<EGLBoolean> {
    if handle.is_null() {
        known(dpy)?;
        if !draw.is_null() || !read.is_null() {
            return Err(EGL_BAD_MATCH);
        }
        release();
        return Ok(1);
    }
    let (display, _) = initialized(dpy)?;
    let entry = state()
        .context(handle as usize)
        .filter(|e| e.display == display.handle)
        .ok_or(EGL_BAD_CONTEXT)?;
    let draw_to = surface_of(&display, draw)?;
    let read_from = surface_of(&display, read)?;
    if draw_to.is_some() != read_from.is_some() {
        return Err(EGL_BAD_MATCH);
    }
    for surface in [&draw_to, &read_from].into_iter().flatten() {
        if surface.drawable.connection.is_some() {
            display.sync_native();
            if !state().refresh(&surface.drawable) {
                return Err(EGL_BAD_NATIVE_WINDOW);
            }
        }
    }
    context::make_current(
        Some(&entry.context),
        draw_to.as_ref().map(|s| &s.drawable.surface),
        read_from.as_ref().map(|s| &s.drawable.surface),
    )
    .map_err(|_| EGL_BAD_ACCESS)?;
    current::set(Some(Current {
        binding: Binding::Egl {
            display: display.handle,
            context: handle as usize,
            draw: draw as usize,
            read: read as usize,
        },
        draw: draw_to.map(|s| Arc::clone(&s.drawable)),
        read: read_from.map(|s| Arc::clone(&s.drawable)),
    }));
    Ok(1)
}

fn query(
    dpy: EGLDisplay,
    handle: EGLContext,
    attribute: EGLint,
    value: *mut EGLint,
) -> Result<EGLBoolean> {
    initialized(dpy)?;
    let entry = state().context(handle as usize).ok_or(EGL_BAD_CONTEXT)?;
    let found = match attribute {
        EGL_CONFIG_ID => entry.config.map_or(0, |c| c.id),
        EGL_CONTEXT_CLIENT_TYPE => EGL_OPENGL_API,
        EGL_CONTEXT_CLIENT_VERSION => 3,
        EGL_RENDER_BUFFER => match current::get() {
            Some(c) if c.draw.is_some() => EGL_BACK_BUFFER,
            _ => EGL_NONE,
        },
        _ => return Err(EGL_BAD_ATTRIBUTE),
    };
    // SAFETY: the program passes null or a pointer to an int.
    unsafe { memory::store(value, found) };
    Ok(1)
}

fn current_egl() -> Option<(usize, usize, usize, usize)> {
    match current::binding() {
        Some(Binding::Egl {
            display,
            context,
            draw,
            read,
        }) => Some((display, context, draw, read)),
        _ => None,
    }
}

api_entry! {
    /// A context of the thread's API.
    fn eglCreateContext(
        dpy: EGLDisplay,
        config: EGLConfig,
        share: EGLContext,
        attributes: *const EGLint,
    ) -> EGLContext {
        // SAFETY: the program passes null or a list that ends with EGL_NONE.
        let list = unsafe { memory::pairs(attributes, EGL_NONE) };
        answer(create(dpy, config, share, &list))
    }

    /// Lets go of a context; it ends when no thread has it current any more.
    fn eglDestroyContext(dpy: EGLDisplay, handle: EGLContext) -> EGLBoolean {
        answer(initialized(dpy).and_then(|_| {
            let entry = state().remove_context(handle as usize).ok_or(EGL_BAD_CONTEXT)?;
            context::destroy_context(&entry.context);
            Ok(1)
        }))
    }

    /// Makes a context current with two surfaces or with none.
    fn eglMakeCurrent(
        dpy: EGLDisplay,
        draw: EGLSurface,
        read: EGLSurface,
        handle: EGLContext,
    ) -> EGLBoolean {
        answer(make_current(dpy, draw, read, handle))
    }

    /// The thread's current context.
    fn eglGetCurrentContext() -> EGLContext {
        current_egl().map_or(std::ptr::null_mut(), |c| c.1 as EGLContext)
    }

    /// The display of the thread's current context.
    fn eglGetCurrentDisplay() -> EGLDisplay {
        current_egl().map_or(std::ptr::null_mut(), |c| c.0 as EGLDisplay)
    }

    /// The surface that is drawn to or read from.
    fn eglGetCurrentSurface(which: EGLint) -> EGLSurface {
        answer(match (current_egl(), which) {
            (Some(c), EGL_DRAW) => Ok(c.2 as EGLSurface),
            (Some(c), EGL_READ) => Ok(c.3 as EGLSurface),
            (None, EGL_DRAW | EGL_READ) => Ok(std::ptr::null_mut()),
            _ => Err(EGL_BAD_PARAMETER),
        })
    }

    /// One attribute of a context.
    fn eglQueryContext(
        dpy: EGLDisplay,
        handle: EGLContext,
        attribute: EGLint,
        value: *mut EGLint,
    ) -> EGLBoolean {
        answer(query(dpy, handle, attribute, value))
    }

    /// Waits until what was drawn is done.
    fn eglWaitClient() -> EGLBoolean {
        context::finish_current();
        1
    }

    /// The name of eglWaitClient before EGL 1.2.
    fn eglWaitGL() -> EGLBoolean {
        context::finish_current();
        1
    }

    /// Waits until what the program asked of the server is done: a resized window has its new size.
    fn eglWaitNative(engine: EGLint) -> EGLBoolean {
        answer(if engine != EGL_CORE_NATIVE_ENGINE {
            Err(EGL_BAD_PARAMETER)
        } else {
            if let Some(display) = current_egl().and_then(|c| known(c.0 as EGLDisplay).ok()) {
                display.sync_native();
                current::update_sizes(true);
            }
            Ok(1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_context_says_why() {
        let version = |major, minor| {
            [
                (EGL_CONTEXT_MAJOR_VERSION, major),
                (EGL_CONTEXT_MINOR_VERSION, minor),
            ]
        };
        assert!(requested(&version(3, 3)).is_ok());
        for (list, error) in [
            (version(3, 7), EGL_BAD_MATCH),
            (version(-1, 0), EGL_BAD_MATCH),
            ([(EGL_CONTEXT_FLAGS_KHR, 0x100); 2], EGL_BAD_ATTRIBUTE),
            ([(0x7777, 1); 2], EGL_BAD_ATTRIBUTE),
        ] {
            let why = requested(&list).expect_err("refused");
            assert_eq!(code(&why), error, "{why}");
        }
        error::bind_api(EGL_OPENGL_ES_API as EGLenum);
        let none = std::ptr::null_mut();
        let why = make(0, none, none, &[]).expect_err("an API that is not offered");
        assert_eq!((why, code(&Refusal::Es)), (Refusal::Es, EGL_BAD_MATCH));
        error::bind_api(EGL_OPENGL_API as EGLenum);
        let why = make(0, none, none, &version(4, 1)).expect_err("a version that is not offered");
        assert_eq!(why, Refusal::NotOffered(4, 1));
        refusal::say("EGL", &why);
        assert!(refusal::was_said("EGL", &why));
        // SAFETY: no pointers.
        let bound = unsafe { super::super::eglBindAPI(EGL_OPENGL_ES_API as EGLenum) };
        assert_eq!((bound, error::take()), (0, EGL_BAD_PARAMETER));
        assert!(refusal::was_said("EGL", &Refusal::Es));
        error::reset();
    }
}
