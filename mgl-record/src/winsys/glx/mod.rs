//! GLX 1.4 (GLX specification, 2005-12-16), with the context, swap-interval and multisample
//! extensions that programs expect.
//!
//! Implemented on our side alone: the server needs no GLX extension. Functions that are absent here
//! (pixmaps, glXCopyContext, glXUseXFont, video, swap groups) are refused by name. Errors are
//! return values; no X errors are made up for the program's error handler.

mod attributes;
mod choose;
mod config;
mod context;
mod drawable;
mod swap;

use super::configs::{self, Config, Interface};
use super::state::state;
use super::types::*;
use super::x11::{Connection, Screen};
use super::xlib;
use crate::consts::glx::*;
use crate::exports;
use crate::gl::entry::api_entry;
use crate::gl::types::GLubyte;
use std::ffi::{CStr, c_char, c_int};
use std::sync::Arc;

const VERSION: (c_int, c_int) = (1, 4);

/// What is implemented beyond GLX 1.4.
pub(super) const EXTENSIONS: &CStr = c"GLX_ARB_context_flush_control GLX_ARB_create_context \
GLX_ARB_create_context_no_error GLX_ARB_create_context_profile \
GLX_ARB_create_context_robustness GLX_ARB_framebuffer_sRGB \
GLX_ARB_get_proc_address GLX_ARB_multisample GLX_EXT_framebuffer_sRGB \
GLX_EXT_no_config_context GLX_EXT_swap_control GLX_EXT_visual_info GLX_EXT_visual_rating \
GLX_MESA_swap_control GLX_SGIS_multisample GLX_SGI_make_current_read GLX_SGI_swap_control \
GLX_SGIX_fbconfig";

/// A program's connection with what we know of its server.
struct Client {
    connection: Arc<Connection>,
}

impl Client {
    /// `None` when the server cannot be reached by us as well; said once.
    fn of(display: *mut Display) -> Option<Self> {
        let name = xlib::display_string(display)?;
        match state().connection(&name) {
            Ok(connection) => Some(Self { connection }),
            Err(error) => {
                static ONCE: std::sync::Once = std::sync::Once::new();
                ONCE.call_once(|| eprintln!("mgl: {error}"));
                None
            }
        }
    }

    fn name(&self) -> &str {
        self.connection.name()
    }

    fn screen(&self, screen: c_int) -> Option<&Screen> {
        self.connection.screens().get(usize::try_from(screen).ok()?)
    }

    fn configs(&self, screen: c_int) -> Option<&'static [Config]> {
        let facts = self.screen(screen)?;
        let list = configs::of_screen(Interface::Glx, self.name(), screen, facts);
        Some(list)
    }
}

/// The configuration behind a GLXFBConfig.
fn config_of(handle: GLXFBConfig) -> Option<&'static Config> {
    configs::by_handle(Interface::Glx, handle)
}

/// The handle of a configuration.
fn handle_of(config: &'static Config) -> GLXFBConfig {
    std::ptr::from_ref(config).cast_mut().cast()
}

api_entry! {
    /// Whether GLX works on this connection, with the codes that its errors and events would have.
    fn glXQueryExtension(dpy: *mut Display, error_base: *mut c_int, event_base: *mut c_int) -> Bool {
        let Some(client) = Client::of(dpy) else { return 0 };
        let (event, error) = client.connection.glx_codes();
        // SAFETY: the program passes null or pointers to ints.
        unsafe {
            super::memory::store(error_base, c_int::from(error));
            super::memory::store(event_base, c_int::from(event));
        }
        1
    }

    /// The version of GLX: 1.4.
    fn glXQueryVersion(dpy: *mut Display, major: *mut c_int, minor: *mut c_int) -> Bool {
        if Client::of(dpy).is_none() {
            return 0;
        }
        // SAFETY: the program passes null or pointers to ints.
        unsafe {
            super::memory::store(major, VERSION.0);
            super::memory::store(minor, VERSION.1);
        }
        1
    }

    /// Vendor, version or extensions of the client library.
    fn glXGetClientString(_dpy: *mut Display, name: c_int) -> *const c_char {
        string(name)
    }

    /// As glXGetClientString: the server's GLX is not used.
    fn glXQueryServerString(_dpy: *mut Display, _screen: c_int, name: c_int) -> *const c_char {
        string(name)
    }

    /// The extensions that work on a screen.
    fn glXQueryExtensionsString(_dpy: *mut Display, _screen: c_int) -> *const c_char {
        EXTENSIONS.as_ptr()
    }

    /// Any GL, GLX or EGL function by name; null for names that no registry has.
    fn glXGetProcAddress(name: *const GLubyte) -> __GLXextFuncPtr {
        proc_address(name)
    }

    /// The name of glXGetProcAddress before GLX 1.4.
    fn glXGetProcAddressARB(name: *const GLubyte) -> __GLXextFuncPtr {
        proc_address(name)
    }
}

fn string(name: c_int) -> *const c_char {
    match name {
        GLX_VENDOR => c"mgl".as_ptr(),
        GLX_VERSION => c"1.4".as_ptr(),
        GLX_EXTENSIONS => EXTENSIONS.as_ptr(),
        _ => std::ptr::null(),
    }
}

fn proc_address(name: *const GLubyte) -> __GLXextFuncPtr {
    if name.is_null() {
        return std::ptr::null();
    }
    // SAFETY: the program passes a C string.
    let name = unsafe { CStr::from_ptr(name.cast()) };
    match name.to_str().ok().and_then(exports::lookup) {
        Some(export) => export.address.as_ptr(),
        None => std::ptr::null(),
    }
}
