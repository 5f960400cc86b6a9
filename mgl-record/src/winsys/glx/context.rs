//! Entry points about contexts (GLX 1.4, 3.3.7; GLX_ARB_create_context and kin).

use super::config::{of_description, of_visual};
use super::{Client, config_of};
use crate::consts::glx::*;
use crate::context::{self, ContextConfig};
use crate::gl::entry::api_entry;
use crate::winsys::configs::Config;
use crate::winsys::current::{self, Binding, Current};
use crate::winsys::drawable::Drawable;
use crate::winsys::refusal::{self, Refusal};
use crate::winsys::state::{ContextEntry, state};
use crate::winsys::types::*;
use crate::winsys::{memory, versions, xlib};
use std::ffi::c_int;
use std::sync::Arc;

/// A part of a version number.
fn number(value: c_int) -> Result<u32, Refusal> {
    u32::try_from(value).map_err(|_| Refusal::NoSuchVersion(value.into(), 0))
}

/// Reads the attributes of glXCreateContextAttribsARB.
///
/// # Errors
///
/// A value that is not allowed, or an API that is not offered.
fn requested(list: &[(c_int, c_int)]) -> Result<ContextConfig, Refusal> {
    let mut config = versions::unversioned();
    let mut profiles = versions::CORE;
    for (name, value) in list {
        match *name {
            GLX_CONTEXT_MAJOR_VERSION_ARB => config.major = number(*value)?,
            GLX_CONTEXT_MINOR_VERSION_ARB => config.minor = number(*value)?,
            GLX_CONTEXT_PROFILE_MASK_ARB => profiles = *value,
            GLX_CONTEXT_FLAGS_ARB => {
                const KNOWN: c_int = GLX_CONTEXT_DEBUG_BIT_ARB
                    | GLX_CONTEXT_FORWARD_COMPATIBLE_BIT_ARB
                    | GLX_CONTEXT_ROBUST_ACCESS_BIT_ARB;
                if value & !KNOWN != 0 {
                    return Err(Refusal::Flags(*value));
                }
                config.debug = value & GLX_CONTEXT_DEBUG_BIT_ARB != 0;
                config.forward_compatible = value & GLX_CONTEXT_FORWARD_COMPATIBLE_BIT_ARB != 0;
                config.robust = value & GLX_CONTEXT_ROBUST_ACCESS_BIT_ARB != 0;
            }
            GLX_CONTEXT_RESET_NOTIFICATION_STRATEGY_ARB => {
                config.lose_on_reset = *value == GLX_LOSE_CONTEXT_ON_RESET_ARB;
            }
            GLX_RENDER_TYPE if *value != GLX_RGBA_TYPE => return Err(Refusal::ColorIndex),
            // Errors are raised all the same, and a context that changes threads is always flushed.
            GLX_CONTEXT_OPENGL_NO_ERROR_ARB => config.no_error = *value != 0,
            GLX_CONTEXT_RELEASE_BEHAVIOR_ARB => {
                config.flush_on_release = match *value {
                    GLX_CONTEXT_RELEASE_BEHAVIOR_FLUSH_ARB => true,
                    GLX_CONTEXT_RELEASE_BEHAVIOR_NONE_ARB => false,
                    _ => return Err(Refusal::Attribute(*name, *value)),
                };
            }
            GLX_RENDER_TYPE | GLX_SCREEN => {}
            _ => return Err(Refusal::Attribute(*name, *value)),
        }
    }
    if profiles & GLX_CONTEXT_ES2_PROFILE_BIT_EXT != 0 {
        return Err(Refusal::Es);
    }
    versions::resolve(config, profiles)
}

fn new_context(
    config: Option<&'static Config>,
    screen: c_int,
    share: GLXContext,
    wanted: &ContextConfig,
) -> Result<GLXContext, Refusal> {
    let share = match share as usize {
        0 => None,
        handle => Some(state().context(handle).ok_or(Refusal::Share)?),
    };
    let context = versions::create(wanted, share.as_ref().map(|s| &s.context))?;
    Ok(state().add_context(ContextEntry {
        context,
        config,
        screen,
        display: 0,
    }) as GLXContext)
}

/// A context, or null and a word of why.
fn answer(made: Result<GLXContext, Refusal>) -> GLXContext {
    made.unwrap_or_else(|why| {
        refusal::say("GLX", &why);
        std::ptr::null_mut()
    })
}

/// A context for an explicit configuration, or for none (GLX_EXT_no_config_context).
fn for_config(
    dpy: *mut Display,
    config: GLXFBConfig,
    share: GLXContext,
    wanted: Result<ContextConfig, Refusal>,
    screen: Option<c_int>,
) -> GLXContext {
    // That the server is out of reach is said where it was tried.
    let Some(client) = Client::of(dpy) else {
        return std::ptr::null_mut();
    };
    let known = config_of(config);
    if known.is_none() && !config.is_null() {
        return answer(Err(Refusal::Config));
    }
    let screen = match (known, screen) {
        (Some(config), _) => config.screen,
        (None, Some(screen)) if client.screen(screen).is_some() => screen,
        (None, Some(screen)) => return answer(Err(Refusal::Attribute(GLX_SCREEN, screen))),
        (None, None) => xlib::default_screen(dpy),
    };
    answer(wanted.and_then(|wanted| new_context(known, screen, share, &wanted)))
}

/// What glXCreateNewContext asks for.
fn for_render_type(render_type: c_int, config: GLXFBConfig) -> Result<ContextConfig, Refusal> {
    match render_type {
        GLX_RGBA_TYPE if config.is_null() => Err(Refusal::Config),
        GLX_RGBA_TYPE => Ok(versions::unversioned()),
        _ => Err(Refusal::ColorIndex),
    }
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
        let config = unsafe { of_description(&client, visual) }.ok_or(Refusal::Config);
        answer(config.and_then(|config| {
            new_context(Some(config), config.screen, share, &versions::unversioned())
        }))
    }

    /// A compatibility context for a configuration.
    fn glXCreateNewContext(
        dpy: *mut Display,
        config: GLXFBConfig,
        render_type: c_int,
        share: GLXContext,
        _direct: Bool,
    ) -> GLXContext {
        for_config(dpy, config, share, for_render_type(render_type, config), None)
    }

    /// The name of glXCreateNewContext before GLX 1.3.
    fn glXCreateContextWithConfigSGIX(
        dpy: *mut Display,
        config: GLXFBConfigSGIX,
        render_type: c_int,
        share: GLXContext,
        _direct: Bool,
    ) -> GLXContext {
        for_config(dpy, config, share, for_render_type(render_type, config), None)
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
        let screen = list.iter().rfind(|(name, _)| *name == GLX_SCREEN).map(|(_, value)| *value);
        for_config(dpy, config, share, requested(&list), screen)
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
        assert!(requested(&version(3, 3)).is_ok_and(|c| c.profile == Profile::Core));
        assert!(requested(&version(-1, 0)).is_err());
        for (name, value) in [
            (
                GLX_CONTEXT_PROFILE_MASK_ARB,
                GLX_CONTEXT_ES2_PROFILE_BIT_EXT,
            ),
            (GLX_CONTEXT_FLAGS_ARB, 0x100),
            (GLX_RENDER_TYPE, GLX_COLOR_INDEX_TYPE),
            (0x7777, 1),
        ] {
            assert!(requested(&[(name, value)]).is_err(), "{name:#x}");
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
