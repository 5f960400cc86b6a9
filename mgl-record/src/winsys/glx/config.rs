//! Entry points about configurations and visuals (GLX 1.4, 3.3.3 and 3.4.1).

use super::choose::{self, Request};
use super::{Client, attributes, config_of, handle_of};
use crate::consts::glx::*;
use crate::gl::entry::api_entry;
use crate::winsys::configs::{self, Config};
use crate::winsys::state::state;
use crate::winsys::types::*;
use crate::winsys::{memory, xlib};
use std::ffi::c_int;

/// Longest attribute list of glXChooseVisual that is read.
const MOST_ITEMS: usize = 256;

/// The configuration that goes with a bare visual: the one glXChooseVisual gave it out for, else
/// one of that visual, else one of that depth.
pub fn of_visual(client: &Client, screen: c_int, visual: u32) -> Option<&'static Config> {
    let list = client.configs(screen)?;
    state()
        .hint(client.name(), visual)
        .filter(|c| c.screen == screen)
        .or_else(|| configs::for_visual(list, client.screen(screen)?, visual))
}

/// The configuration that goes with a description of a visual: the one that this description was
/// made for, if it was made here.
///
/// # Safety
///
/// `info` points to a description.
pub unsafe fn of_description(client: &Client, info: *mut XVisualInfo) -> Option<&'static Config> {
    // SAFETY: the caller's promise.
    let (screen, id) = unsafe { ((*info).screen, (*info).visualid as u32) };
    state()
        .described(info as usize, id)
        .filter(|c| c.screen == screen)
        .or_else(|| of_visual(client, screen, id))
}

/// The program's description of a configuration's visual; remembers the configuration for the day
/// that only the description comes back.
fn describe(dpy: *mut Display, config: &'static Config) -> *mut XVisualInfo {
    let Some(visual) = config.visual else {
        return std::ptr::null_mut();
    };
    let info = xlib::visual_info(dpy, visual.id);
    if !info.is_null() {
        state().set_described(info as usize, visual.id, config);
    }
    info
}

fn handles(found: &[&'static Config], count: *mut c_int) -> *mut GLXFBConfig {
    let handles: Vec<GLXFBConfig> = found.iter().map(|c| handle_of(c)).collect();
    // SAFETY: the program passes null or a pointer to an int.
    unsafe { memory::store(count, handles.len() as c_int) };
    memory::malloc_array(&handles)
}

fn choose_configs(
    dpy: *mut Display,
    screen: c_int,
    list: *const c_int,
    count: *mut c_int,
) -> *mut GLXFBConfig {
    // SAFETY: the program passes null or a list that ends with None.
    let pairs = unsafe { memory::pairs(list, 0) };
    let found = Client::of(dpy)
        .and_then(|client| client.configs(screen))
        .and_then(|configs| Some(Request::new(&pairs)?.choose(configs)))
        .unwrap_or_default();
    handles(&found, count)
}

fn config_attribute(config: GLXFBConfig, attribute: c_int, value: *mut c_int) -> c_int {
    let Some(config) = config_of(config) else {
        return GLX_BAD_VALUE;
    };
    match attributes::of(config, attribute) {
        Some(found) => {
            // SAFETY: the program passes null or a pointer to an int.
            unsafe { memory::store(value, found) };
            0
        }
        None => GLX_BAD_ATTRIBUTE,
    }
}

fn config_visual(dpy: *mut Display, config: GLXFBConfig) -> *mut XVisualInfo {
    match config_of(config) {
        Some(config) => describe(dpy, config),
        None => std::ptr::null_mut(),
    }
}

api_entry! {
    /// All configurations of a screen, in an array that the program frees.
    fn glXGetFBConfigs(dpy: *mut Display, screen: c_int, count: *mut c_int) -> *mut GLXFBConfig {
        let found: Vec<&Config> = Client::of(dpy)
            .and_then(|client| client.configs(screen))
            .map(|list| list.iter().collect())
            .unwrap_or_default();
        handles(&found, count)
    }

    /// The configurations that meet a request, best first.
    fn glXChooseFBConfig(
        dpy: *mut Display,
        screen: c_int,
        attributes: *const c_int,
        count: *mut c_int,
    ) -> *mut GLXFBConfig {
        choose_configs(dpy, screen, attributes, count)
    }

    /// One attribute of a configuration; 0 or GLX_BAD_ATTRIBUTE.
    fn glXGetFBConfigAttrib(
        _dpy: *mut Display,
        config: GLXFBConfig,
        attribute: c_int,
        value: *mut c_int,
    ) -> c_int {
        config_attribute(config, attribute, value)
    }

    /// The visual that windows of this configuration have.
    fn glXGetVisualFromFBConfig(dpy: *mut Display, config: GLXFBConfig) -> *mut XVisualInfo {
        config_visual(dpy, config)
    }

    /// The visual that meets a request best, or null.
    fn glXChooseVisual(dpy: *mut Display, screen: c_int, list: *mut c_int) -> *mut XVisualInfo {
        let Some(client) = Client::of(dpy) else { return std::ptr::null_mut() };
        let mut items = Vec::new();
        if !list.is_null() {
            for i in 0..MOST_ITEMS {
                // SAFETY: the list ends with None, and no item so far was it.
                let item = unsafe { *list.add(i) };
                items.push(item);
                if item == 0 {
                    break;
                }
            }
        }
        match client.configs(screen).and_then(|list| choose::for_visual(list, &items)) {
            Some(config) => {
                if let Some(visual) = config.visual {
                    state().set_hint(client.name(), visual.id, config);
                }
                describe(dpy, config)
            }
            None => std::ptr::null_mut(),
        }
    }

    /// One attribute of a visual; 0 or an error code.
    fn glXGetConfig(
        dpy: *mut Display,
        visual: *mut XVisualInfo,
        attribute: c_int,
        value: *mut c_int,
    ) -> c_int {
        let Some(client) = Client::of(dpy) else { return GLX_NO_EXTENSION };
        if visual.is_null() {
            return GLX_BAD_VISUAL;
        }
        // SAFETY: the program passes a description that it got from Xlib or from us.
        let (screen, id) = unsafe { ((*visual).screen, (*visual).visualid as u32) };
        if client.screen(screen).is_none() {
            return GLX_BAD_SCREEN;
        }
        // SAFETY: as above.
        let config = unsafe { of_description(&client, visual) };
        let found = match (attribute, config) {
            (GLX_USE_GL, config) => Some(c_int::from(config.is_some())),
            (GLX_RGBA, Some(_)) => Some(1),
            (GLX_VISUAL_ID, Some(_)) => Some(id as c_int),
            (_, Some(config)) => attributes::of(config, attribute),
            (_, None) => return GLX_BAD_VISUAL,
        };
        match found {
            Some(found) => {
                // SAFETY: the program passes null or a pointer to an int.
                unsafe { memory::store(value, found) };
                0
            }
            None => GLX_BAD_ATTRIBUTE,
        }
    }

    /// The name of glXChooseFBConfig before GLX 1.3.
    fn glXChooseFBConfigSGIX(
        dpy: *mut Display,
        screen: c_int,
        attributes: *mut c_int,
        count: *mut c_int,
    ) -> *mut GLXFBConfigSGIX {
        choose_configs(dpy, screen, attributes, count)
    }

    /// The name of glXGetFBConfigAttrib before GLX 1.3.
    fn glXGetFBConfigAttribSGIX(
        _dpy: *mut Display,
        config: GLXFBConfigSGIX,
        attribute: c_int,
        value: *mut c_int,
    ) -> c_int {
        config_attribute(config, attribute, value)
    }

    /// The name of glXGetVisualFromFBConfig before GLX 1.3.
    fn glXGetVisualFromFBConfigSGIX(dpy: *mut Display, config: GLXFBConfigSGIX) -> *mut XVisualInfo {
        config_visual(dpy, config)
    }

    /// The configuration that goes with a visual.
    fn glXGetFBConfigFromVisualSGIX(dpy: *mut Display, visual: *mut XVisualInfo) -> GLXFBConfigSGIX {
        let Some(client) = Client::of(dpy).filter(|_| !visual.is_null()) else {
            return std::ptr::null_mut();
        };
        // SAFETY: the program passes a description that it got from Xlib or from us.
        let config = unsafe { of_description(&client, visual) };
        config.map_or(std::ptr::null_mut(), handle_of)
    }
}
