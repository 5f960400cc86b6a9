//! Entry points about drawables (GLX 1.4, 3.3.4 to 3.3.6). Pixmaps are refused by name.

use super::{Client, attributes, config_of};
use crate::consts::glx::*;
use crate::gl::entry::api_entry;
use crate::winsys::drawable::Drawable;
use crate::winsys::state::state;
use crate::winsys::types::*;
use crate::winsys::{memory, xlib};
use std::ffi::{c_int, c_uint, c_ulong};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The drawable of this id; a window that no context has met yet has none.
pub fn find(dpy: *mut Display, id: GLXDrawable) -> Option<(Client, Arc<Drawable>)> {
    let client = Client::of(dpy)?;
    let found = state().drawable(client.name(), u32::try_from(id).ok()?)?;
    Some((client, found))
}

fn destroy(dpy: *mut Display, id: GLXDrawable) {
    if let (Some(client), Ok(xid)) = (Client::of(dpy), u32::try_from(id)) {
        state().remove_drawable(client.name(), xid);
    }
}

fn create_pbuffer(dpy: *mut Display, config: GLXFBConfig, list: &[(c_int, c_int)]) -> GLXPbuffer {
    let (Some(client), Some(config)) = (Client::of(dpy), config_of(config)) else {
        return 0;
    };
    let (mut width, mut height, mut largest) = (0, 0, false);
    for (name, value) in list {
        match *name {
            GLX_PBUFFER_WIDTH => width = *value,
            GLX_PBUFFER_HEIGHT => height = *value,
            GLX_LARGEST_PBUFFER => largest = *value != 0,
            // Contents are never lost.
            GLX_PRESERVED_CONTENTS => {}
            _ => return 0,
        }
    }
    if largest {
        width = width.min(attributes::MAX_PBUFFER);
        height = height.min(attributes::MAX_PBUFFER);
    }
    let allowed = 0..=attributes::MAX_PBUFFER;
    if !allowed.contains(&width) || !allowed.contains(&height) {
        return 0;
    }
    let Some(xid) = client.connection.new_id() else {
        return 0;
    };
    let (width, height) = (width.max(1) as u32, height.max(1) as u32);
    let pbuffer = Drawable::offscreen(xid, config, width, height, false);
    state().add_drawable(client.name(), &pbuffer);
    xid.into()
}

api_entry! {
    /// Declares what a window is drawn with. The window's own id is the GLXWindow.
    fn glXCreateWindow(
        dpy: *mut Display,
        config: GLXFBConfig,
        window: Window,
        _attributes: *const c_int,
    ) -> GLXWindow {
        let (Some(client), Some(config), Ok(xid)) =
            (Client::of(dpy), config_of(config), u32::try_from(window))
        else {
            return 0;
        };
        xlib::sync(dpy);
        match state().window(&client.connection, xid, config, true) {
            Some(_) => window,
            None => 0,
        }
    }

    /// Takes a declaration back; the window stays.
    fn glXDestroyWindow(dpy: *mut Display, window: GLXWindow) {
        destroy(dpy, window);
    }

    /// A drawable without a window.
    fn glXCreatePbuffer(
        dpy: *mut Display,
        config: GLXFBConfig,
        attributes: *const c_int,
    ) -> GLXPbuffer {
        // SAFETY: the program passes null or a list that ends with None.
        let list = unsafe { memory::pairs(attributes, 0) };
        create_pbuffer(dpy, config, &list)
    }

    /// Ends a pbuffer.
    fn glXDestroyPbuffer(dpy: *mut Display, pbuffer: GLXPbuffer) {
        destroy(dpy, pbuffer);
    }

    /// One attribute of a drawable; nothing is stored for an unknown one.
    fn glXQueryDrawable(
        dpy: *mut Display,
        drawable: GLXDrawable,
        attribute: c_int,
        value: *mut c_uint,
    ) {
        let found = query(dpy, drawable, attribute);
        if let Some(found) = found {
            // SAFETY: the program passes null or a pointer to an unsigned int.
            unsafe { memory::store(value, found) };
        }
    }

    /// Selects GLX events. Pbuffers never lose their contents, so none is ever sent.
    fn glXSelectEvent(dpy: *mut Display, drawable: GLXDrawable, mask: c_ulong) {
        if let Some((_, found)) = find(dpy, drawable) {
            found.event_mask.store(mask, Ordering::Relaxed);
        }
    }

    /// The events selected.
    fn glXGetSelectedEvent(dpy: *mut Display, drawable: GLXDrawable, mask: *mut c_ulong) {
        if let Some((_, found)) = find(dpy, drawable) {
            // SAFETY: the program passes null or a pointer to a word.
            unsafe { memory::store(mask, found.event_mask.load(Ordering::Relaxed)) };
        }
    }
}

fn query(dpy: *mut Display, id: GLXDrawable, attribute: c_int) -> Option<c_uint> {
    if matches!(attribute, GLX_WIDTH | GLX_HEIGHT) {
        let (width, height) = size(dpy, id)?;
        return Some(if attribute == GLX_WIDTH {
            width
        } else {
            height
        });
    }
    let drawable = find(dpy, id).map(|(_, drawable)| drawable);
    Some(match attribute {
        GLX_PRESERVED_CONTENTS => 1,
        GLX_LARGEST_PBUFFER => 0,
        GLX_FBCONFIG_ID => drawable.map_or(0, |d| d.config.id as c_uint),
        GLX_SWAP_INTERVAL_EXT => {
            drawable.map_or(1, |d| d.swap_interval.load(Ordering::Relaxed) as c_uint)
        }
        GLX_MAX_SWAP_INTERVAL_EXT => super::swap::MAX_INTERVAL as c_uint,
        _ => return None,
    })
}

/// Width and height, after everything that the program has asked of its window so far.
fn size(dpy: *mut Display, id: GLXDrawable) -> Option<(u32, u32)> {
    if let Some((_, drawable)) = find(dpy, id) {
        if drawable.connection.is_some() {
            xlib::sync(dpy);
            state().refresh(&drawable);
        }
        return Some(drawable.size());
    }
    // A window that was never drawn to has a size as well.
    xlib::sync(dpy);
    let client = Client::of(dpy)?;
    let geometry = client.connection.geometry(u32::try_from(id).ok()?)?;
    Some((geometry.width, geometry.height))
}
