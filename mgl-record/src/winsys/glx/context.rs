//! Entry points about contexts (GLX 1.4, 3.3.7; GLX_ARB_create_context and kin).

use super::config::{of_description, of_visual};
use super::{Client, config_of};
use crate::consts::glx::*;
use crate::context::{self, ContextConfig};
use crate::gl::entry::api_entry;
use crate::winsys::configs::Config;
use crate::winsys::current::{self, Binding, Current};
use crate::winsys::drawable::Drawable;
use crate::winsys::state::{ContextEntry, state};
use crate::winsys::types::*;
use crate::winsys::{memory, versions, xlib};
use std::ffi::c_int;
use std::sync::Arc;

/// Reads the attributes of glXCreateContextAttribsARB; `None` for a value that is not allowed or
/// an API that is not offered.
fn requested(list: &[(c_int, c_int)]) -> Option<ContextConfig> {
    let mut config = versions::unversioned();
    let mut profiles = versions::CORE;
    for (name, value) in list {
        match *name {
            GLX_CONTEXT_MAJOR_VERSION_ARB => config.major = u32::try_from(*value).ok()?,
            GLX_CONTEXT_MINOR_VERSION_ARB => config.minor = u32::try_from(*value).ok()?,
            GLX_CONTEXT_PROFILE_MASK_ARB => profiles = *value,
            GLX_CONTEXT_FLAGS_ARB => {
                const KNOWN: c_int = GLX_CONTEXT_DEBUG_BIT_ARB
                    | GLX_CONTEXT_FORWARD_COMPATIBLE_BIT_ARB
                    | GLX_CONTEXT_ROBUST_ACCESS_BIT_ARB;
                if value & !KNOWN != 0 {
                    return None;
                }
                config.debug = value & GLX_CONTEXT_DEBUG_BIT_ARB != 0;
                config.forward_compatible = value & GLX_CONTEXT_FORWARD_COMPATIBLE_BIT_ARB != 0;
                config.robust = value & GLX_CONTEXT_ROBUST_ACCESS_BIT_ARB != 0;
            }
            GLX_CONTEXT_RESET_NOTIFICATION_STRATEGY_ARB => {
                config.lose_on_reset = *value == GLX_LOSE_CONTEXT_ON_RESET_ARB;
            }
            GLX_RENDER_TYPE if *value != GLX_RGBA_TYPE => return None,
            // Errors are raised all the same, and a context that changes threads is always flushed.
            GLX_CONTEXT_OPENGL_NO_ERROR_ARB => config.no_error = *value != 0,
            GLX_CONTEXT_RELEASE_BEHAVIOR_ARB => {
                config.flush_on_release = match *value {
                    GLX_CONTEXT_RELEASE_BEHAVIOR_FLUSH_ARB => true,
                    GLX_CONTEXT_RELEASE_BEHAVIOR_NONE_ARB => false,
                    _ => return None,
                };
            }
            GLX_RENDER_TYPE | GLX_SCREEN => {}
            _ => return None,
        }
    }
    if profiles & GLX_CONTEXT_ES2_PROFILE_BIT_EXT != 0 {
        versions::refuse_es();
        return None;
    }
    versions::resolve(config, profiles)
}

fn new_context(
    config: Option<&'static Config>,
    screen: c_int,
    share: GLXContext,
    wanted: &ContextConfig,
) -> GLXContext {
    let share = match share as usize {
        0 => None,
        handle => match state().context(handle) {
            Some(entry) => Some(entry),
            None => return std::ptr::null_mut(),
        },
    };
    match versions::create(wanted, share.as_ref().map(|s| &s.context)) {
        Ok(context) => state().add_context(ContextEntry {
            context,
            config,
            screen,
            display: 0,
        }) as GLXContext,
        Err(_) => std::ptr::null_mut(),
    }
}

/// A context for an explicit configuration, or for none.
fn for_config(
    dpy: *mut Display,
    config: GLXFBConfig,
    share: GLXContext,
    wanted: Option<ContextConfig>,
) -> GLXContext {
    let known = config_of(config);
    if Client::of(dpy).is_none() || (known.is_none() && !config.is_null()) {
        return std::ptr::null_mut();
    }
    let Some(wanted) = wanted else {
        return std::ptr::null_mut();
    };
    let screen = known.map_or_else(|| xlib::default_screen(dpy), |c| c.screen);
    new_context(known, screen, share, &wanted)
}

/// The drawable that an id stands for: a pbuffer or declared window, else a window as it is.
fn drawable(client: &Client, id: GLXDrawable, entry: &ContextEntry) -> Option<Arc<Drawable>> {
    let xid = u32::try_from(id).ok()?;
    let known = state().drawable(client.name(), xid);
    if let Some(known) = known.filter(|k| k.connection.is_none()) {
        return Some(known);
    }
    let config = match entry.config {
        Some(config) => config,
        None => {
            let visual = client.connection.window_visual(xid)?;
            of_visual(client, entry.screen, visual)?
        }
    };
    state().window(&client.connection, xid, config, false)
}

fn make_current(
    dpy: *mut Display,
    draw: GLXDrawable,
    read: GLXDrawable,
    handle: GLXContext,
) -> Bool {
    if handle.is_null() {
        if draw != 0 || read != 0 {
            return 0;
        }
        let done = context::make_current(None, None, None).is_ok();
        current::set(None);
        return done.into();
    }
    let binding = Binding::Glx {
        display: dpy,
        context: handle as usize,
        draw,
        read,
    };
    let (Some(client), Some(entry)) = (Client::of(dpy), state().context(handle as usize)) else {
        return 0;
    };
    if (draw == 0) != (read == 0) {
        return 0;
    }
    let (mut draw_to, mut read_from) = (None, None);
    if draw != 0 {
        // The program's window may still be on its way to the server.
        xlib::sync(dpy);
        draw_to = drawable(&client, draw, &entry);
        read_from = match read == draw {
            true => draw_to.clone(),
            false => drawable(&client, read, &entry),
        };
        if draw_to.is_none() || read_from.is_none() {
            return 0;
        }
    }
    let made = context::make_current(
        Some(&entry.context),
        draw_to.as_ref().map(|d| &d.surface),
        read_from.as_ref().map(|d| &d.surface),
    );
    if made.is_err() {
        return 0;
    }
    current::set(Some(Current {
        binding,
        draw: draw_to,
        read: read_from,
    }));
    1
}

fn current_glx() -> Option<(*mut Display, usize, XID, XID)> {
    match current::binding() {
        Some(Binding::Glx {
            display,
            context,
            draw,
            read,
        }) => Some((display, context, draw, read)),
        _ => None,
    }
}

api_entry! {
    /// A compatibility context for windows of a visual.
    fn glXCreateContext(
        dpy: *mut Display,
        visual: *mut XVisualInfo,
        share: GLXContext,
        _direct: Bool,
    ) -> GLXContext {
        let Some(client) = Client::of(dpy).filter(|_| !visual.is_null()) else {
            return std::ptr::null_mut();
        };
        // SAFETY: the program passes a description that it got from Xlib or from us.
        match unsafe { of_description(&client, visual) } {
            Some(config) => new_context(Some(config), config.screen, share, &versions::unversioned()),
            None => std::ptr::null_mut(),
        }
    }

    /// A compatibility context for a configuration.
    fn glXCreateNewContext(
        dpy: *mut Display,
        config: GLXFBConfig,
        render_type: c_int,
        share: GLXContext,
        _direct: Bool,
    ) -> GLXContext {
        let wanted = (render_type == GLX_RGBA_TYPE && !config.is_null()).then(versions::unversioned);
        for_config(dpy, config, share, wanted)
    }

    /// The name of glXCreateNewContext before GLX 1.3.
    fn glXCreateContextWithConfigSGIX(
        dpy: *mut Display,
        config: GLXFBConfigSGIX,
        render_type: c_int,
        share: GLXContext,
        _direct: Bool,
    ) -> GLXContext {
        let wanted = (render_type == GLX_RGBA_TYPE && !config.is_null()).then(versions::unversioned);
        for_config(dpy, config, share, wanted)
    }

    /// A context of a version and profile (GLX_ARB_create_context, _profile, _robustness).
    fn glXCreateContextAttribsARB(
        dpy: *mut Display,
        config: GLXFBConfig,
        share: GLXContext,
        _direct: Bool,
        attributes: *const c_int,
    ) -> GLXContext {
        // SAFETY: the program passes null or a list that ends with None.
        let list = unsafe { memory::pairs(attributes, 0) };
        for_config(dpy, config, share, requested(&list))
    }

    /// Lets go of a context; it ends when no thread has it current any more.
    fn glXDestroyContext(_dpy: *mut Display, context: GLXContext) {
        if let Some(entry) = state().remove_context(context as usize) {
            context::destroy_context(&entry.context);
        }
    }

    /// Makes a context current with one drawable.
    fn glXMakeCurrent(dpy: *mut Display, drawable: GLXDrawable, context: GLXContext) -> Bool {
        make_current(dpy, drawable, drawable, context)
    }

    /// Makes a context current with two drawables.
    fn glXMakeContextCurrent(
        dpy: *mut Display,
        draw: GLXDrawable,
        read: GLXDrawable,
        context: GLXContext,
    ) -> Bool {
        make_current(dpy, draw, read, context)
    }

    /// The name of glXMakeContextCurrent before GLX 1.3.
    fn glXMakeCurrentReadSGI(
        dpy: *mut Display,
        draw: GLXDrawable,
        read: GLXDrawable,
        context: GLXContext,
    ) -> Bool {
        make_current(dpy, draw, read, context)
    }

    /// The thread's current context.
    fn glXGetCurrentContext() -> GLXContext {
        current_glx().map_or(std::ptr::null_mut(), |c| c.1 as GLXContext)
    }

    /// The connection that the current context was made current with.
    fn glXGetCurrentDisplay() -> *mut Display {
        current_glx().map_or(std::ptr::null_mut(), |c| c.0)
    }

    /// The name of glXGetCurrentDisplay before GLX 1.2.
    fn glXGetCurrentDisplayEXT() -> *mut Display {
        current_glx().map_or(std::ptr::null_mut(), |c| c.0)
    }

    /// The drawable that is drawn to.
    fn glXGetCurrentDrawable() -> GLXDrawable {
        current_glx().map_or(0, |c| c.2)
    }

    /// The drawable that is read from.
    fn glXGetCurrentReadDrawable() -> GLXDrawable {
        current_glx().map_or(0, |c| c.3)
    }

    /// The name of glXGetCurrentReadDrawable before GLX 1.3.
    fn glXGetCurrentReadDrawableSGI() -> GLXDrawable {
        current_glx().map_or(0, |c| c.3)
    }

    /// One attribute of a context; 0 or an error code.
    fn glXQueryContext(
        _dpy: *mut Display,
        context: GLXContext,
        attribute: c_int,
        value: *mut c_int,
    ) -> c_int {
        let Some(entry) = state().context(context as usize) else { return GLX_BAD_CONTEXT };
        let found = match attribute {
            GLX_FBCONFIG_ID => entry.config.map_or(0, |c| c.id),
            GLX_RENDER_TYPE => GLX_RGBA_TYPE,
            GLX_SCREEN => entry.screen,
            _ => return GLX_BAD_ATTRIBUTE,
        };
        // SAFETY: the program passes null or a pointer to an int.
        unsafe { memory::store(value, found) };
        0
    }

    /// Whether a context reaches the driver without the server: always.
    fn glXIsDirect(_dpy: *mut Display, context: GLXContext) -> Bool {
        state().context(context as usize).is_some().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Profile;

    #[test]
    fn no_attributes_mean_a_compatibility_context_of_any_version() {
        let config = requested(&[]).expect("the default is offered");
        assert_eq!(config.profile, Profile::Compatibility);
        assert_eq!((config.major, config.minor), (1, 0));
    }

    #[test]
    fn values_that_are_not_allowed_give_no_context() {
        let version = |major, minor| {
            [
                (GLX_CONTEXT_MAJOR_VERSION_ARB, major),
                (GLX_CONTEXT_MINOR_VERSION_ARB, minor),
            ]
        };
        assert!(requested(&version(3, 3)).is_some_and(|c| c.profile == Profile::Core));
        assert!(requested(&version(-1, 0)).is_none());
        for (name, value) in [
            (
                GLX_CONTEXT_PROFILE_MASK_ARB,
                GLX_CONTEXT_ES2_PROFILE_BIT_EXT,
            ),
            (GLX_CONTEXT_FLAGS_ARB, 0x100),
            (GLX_RENDER_TYPE, GLX_COLOR_INDEX_TYPE),
            (0x7777, 1),
        ] {
            assert!(requested(&[(name, value)]).is_none(), "{name:#x}");
        }
        let flags = GLX_CONTEXT_DEBUG_BIT_ARB | GLX_CONTEXT_ROBUST_ACCESS_BIT_ARB;
        let config = requested(&[(GLX_CONTEXT_FLAGS_ARB, flags)]).expect("offered");
        assert!(config.debug && config.robust && !config.forward_compatible);
    }

    #[test]
    fn a_configuration_handle_is_its_address() {
        assert!(config_of(std::ptr::null_mut()).is_none());
        let any = crate::winsys::configs::windowless().first().expect("some");
        let handle = std::ptr::from_ref(any).cast_mut().cast();
        assert!(config_of(handle).is_none(), "an EGL configuration");
    }
}
