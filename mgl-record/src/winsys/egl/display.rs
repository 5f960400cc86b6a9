//! Displays and devices (EGL 1.5, 3.2; the platform extensions).
//!
//! A display is ours for each native one; what lies behind it is a connection of our own to the
//! same X server, or nothing at all (surfaceless, device).

use super::error::{Result, answer};
use super::surface::EglSurface;
use crate::consts::egl::*;
use crate::gl::entry::api_entry;
use crate::winsys::configs::{self, Config, Interface};
use crate::winsys::state::state;
use crate::winsys::types::*;
use crate::winsys::x11::Connection;
use crate::winsys::{memory, xlib};
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;

/// EGL_EXT_platform_xcb, which is younger than the registry used here.
const EGL_PLATFORM_XCB_EXT: EGLenum = 0x31DC;
const EGL_PLATFORM_XCB_SCREEN_EXT: EGLint = 0x31DE;

/// The one device: whatever the back end draws with.
const DEVICE: usize = 0x6d67_6c00;

/// What a display was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Platform {
    /// An Xlib `Display *`; 0 for the default one.
    X11 { native: usize, screen: i32 },
    /// An `xcb_connection_t *`; 0 for the default one.
    Xcb { native: usize, screen: i32 },
    /// No window system.
    Surfaceless,
    /// The device.
    Device,
}

/// What an initialised display works with.
#[derive(Clone)]
pub struct Backing {
    /// Our connection; none without a window system.
    pub connection: Option<Arc<Connection>>,
    /// What programs choose from.
    pub configs: &'static [Config],
}

/// An EGLDisplay.
pub struct EglDisplay {
    /// The handle that programs have.
    pub handle: usize,
    /// What it was made from.
    pub platform: Platform,
    /// Set while it is initialised.
    backing: Mutex<Option<Backing>>,
    /// Its surfaces by handle.
    pub surfaces: Mutex<BTreeMap<usize, Arc<EglSurface>>>,
    /// Handles of its sync objects; all are signalled.
    pub syncs: Mutex<HashMap<usize, EGLenum>>,
}

impl EglDisplay {
    /// What it works with, if it is initialised.
    pub fn backing(&self) -> Option<Backing> {
        self.backing.lock().clone()
    }

    /// Sends and awaits what the program has asked of the server on its own connection.
    pub fn sync_native(&self) {
        match self.platform {
            Platform::X11 { native, .. } => xlib::sync(native as *mut Display),
            Platform::Xcb { native, .. } => xlib::xcb_sync(native as *mut c_void),
            Platform::Surfaceless | Platform::Device => {}
        }
    }

    /// Sends what the program has queued on its own connection.
    pub fn flush_native(&self) {
        match self.platform {
            Platform::X11 { native, .. } => xlib::flush(native as *mut Display),
            Platform::Xcb { native, .. } => xlib::xcb_flush(native as *mut c_void),
            Platform::Surfaceless | Platform::Device => {}
        }
    }

    fn initialize(&self) -> Result<()> {
        let mut backing = self.backing.lock();
        if backing.is_some() {
            return Ok(());
        }
        let (name, screen) = match self.platform {
            Platform::X11 { native: 0, screen } | Platform::Xcb { native: 0, screen } => {
                (std::env::var("DISPLAY").ok(), screen)
            }
            Platform::X11 { native, screen } => {
                (xlib::display_string(native as *mut Display), screen)
            }
            Platform::Xcb { native, screen } => {
                (xlib::xcb_display_string(native as *mut c_void), screen)
            }
            Platform::Surfaceless | Platform::Device => {
                *backing = Some(Backing {
                    connection: None,
                    configs: configs::windowless(),
                });
                return Ok(());
            }
        };
        let name = name.ok_or(EGL_NOT_INITIALIZED)?;
        let connection = state().connection(&name).map_err(|error| {
            eprintln!("mgl: {error}");
            EGL_NOT_INITIALIZED
        })?;
        let facts = usize::try_from(screen)
            .ok()
            .and_then(|s| connection.screens().get(s))
            .ok_or(EGL_NOT_INITIALIZED)?;
        let configs = configs::of_screen(Interface::Egl, connection.name(), screen, facts);
        *backing = Some(Backing {
            connection: Some(connection),
            configs,
        });
        Ok(())
    }

    fn terminate(&self) {
        // What is current stays alive through the references that the current slot holds.
        if self.backing.lock().take().is_some() {
            let surfaces = std::mem::take(&mut *self.surfaces.lock());
            for surface in surfaces.into_values() {
                surface.end();
            }
            for handle in state().contexts_of(self.handle) {
                if let Some(entry) = state().remove_context(handle) {
                    crate::context::destroy_context(&entry.context);
                }
            }
            self.syncs.lock().clear();
        }
    }
}

/// The display behind a handle.
///
/// # Errors
///
/// EGL_BAD_DISPLAY.
pub fn known(dpy: EGLDisplay) -> Result<Arc<EglDisplay>> {
    let displays = state().displays.lock();
    let found = displays.iter().find(|d| d.handle == dpy as usize);
    found.cloned().ok_or(EGL_BAD_DISPLAY)
}

/// The display behind a handle, with what it works with.
///
/// # Errors
///
/// EGL_BAD_DISPLAY, or EGL_NOT_INITIALIZED.
pub fn initialized(dpy: EGLDisplay) -> Result<(Arc<EglDisplay>, Backing)> {
    let display = known(dpy)?;
    let backing = display.backing().ok_or(EGL_NOT_INITIALIZED)?;
    Ok((display, backing))
}

/// The display of a platform; the same one each time.
fn of_platform(platform: Platform) -> EGLDisplay {
    let mut displays = state().displays.lock();
    if let Some(found) = displays.iter().find(|d| d.platform == platform) {
        return found.handle as EGLDisplay;
    }
    let handle = state().new_handle();
    displays.push(Arc::new(EglDisplay {
        handle,
        platform,
        backing: Mutex::new(None),
        surfaces: Mutex::default(),
        syncs: Mutex::default(),
    }));
    handle as EGLDisplay
}

/// The platform of an eglGetDisplay call, which does not say what it passes.
///
/// `EGL_PLATFORM` decides as it does for Mesa; else a native display is an Xlib one (unless it is
/// recognised as Wayland's), and the default is X11 where `DISPLAY` is set.
fn guess(native: usize) -> Option<Platform> {
    let x11 = || {
        let screen = match native {
            0 => screen_of_environment(),
            _ => xlib::default_screen(native as *mut Display),
        };
        Platform::X11 { native, screen }
    };
    match std::env::var("EGL_PLATFORM").as_deref() {
        Ok("surfaceless") => return Some(Platform::Surfaceless),
        Ok("device") => return Some(Platform::Device),
        Ok("x11") => return Some(x11()),
        Ok("xcb") => {
            let screen = screen_of_environment();
            return Some(Platform::Xcb { native, screen });
        }
        Ok("" | "native") | Err(_) => {}
        Ok(other) => {
            eprintln!("mgl: EGL_PLATFORM={other} is not offered (x11, xcb, surfaceless, device)");
            return None;
        }
    }
    if native == 0 {
        let has_display = std::env::var_os("DISPLAY").is_some_and(|d| !d.is_empty());
        return Some(if has_display {
            x11()
        } else {
            Platform::Surfaceless
        });
    }
    if is_wayland(native) {
        eprintln!("mgl: Wayland displays are not offered");
        return None;
    }
    Some(x11())
}

/// The screen in `DISPLAY`: the digits after its last dot.
fn screen_of_environment() -> i32 {
    std::env::var("DISPLAY")
        .ok()
        .and_then(|d| d.rsplit_once(':').map(|(_, rest)| rest.to_owned()))
        .and_then(|rest| rest.split_once('.').and_then(|(_, s)| s.parse().ok()))
        .unwrap_or(0)
}

/// Whether a native display is a `wl_display`, which starts with the address of its interface.
fn is_wayland(native: usize) -> bool {
    // SAFETY: looks a symbol up in what is loaded; a program that has a wl_display has its library
    // in the process, and the first word of any native display can be read.
    unsafe {
        let name = c"libwayland-client.so.0";
        let library = libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if library.is_null() {
            return false;
        }
        let interface = libc::dlsym(library, c"wl_display_interface".as_ptr());
        libc::dlclose(library);
        !interface.is_null() && *(native as *const usize) == interface as usize
    }
}

fn platform_display(
    platform: EGLenum,
    native: *mut c_void,
    list: &[(c_int, c_int)],
) -> Result<EGLDisplay> {
    let mut screen = None;
    for (name, value) in list {
        match (*name, platform) {
            (EGL_PLATFORM_X11_SCREEN_KHR, p) if p == EGL_PLATFORM_X11_KHR as EGLenum => {
                screen = Some(*value);
            }
            (EGL_PLATFORM_XCB_SCREEN_EXT, EGL_PLATFORM_XCB_EXT) => screen = Some(*value),
            _ => return Err(EGL_BAD_ATTRIBUTE),
        }
    }
    let native = native as usize;
    let platform = if platform == EGL_PLATFORM_X11_KHR as EGLenum {
        let screen = screen.unwrap_or_else(|| match native {
            0 => screen_of_environment(),
            _ => xlib::default_screen(native as *mut Display),
        });
        Platform::X11 { native, screen }
    } else if platform == EGL_PLATFORM_XCB_EXT {
        let screen = screen.unwrap_or_else(screen_of_environment);
        Platform::Xcb { native, screen }
    } else if platform == EGL_PLATFORM_SURFACELESS_MESA as EGLenum {
        if native != 0 {
            return Err(EGL_BAD_PARAMETER);
        }
        Platform::Surfaceless
    } else if platform == EGL_PLATFORM_DEVICE_EXT as EGLenum {
        if native != DEVICE {
            return Err(EGL_BAD_PARAMETER);
        }
        Platform::Device
    } else {
        eprintln!("mgl: EGL platform {platform:#x} is not offered");
        return Err(EGL_BAD_PARAMETER);
    };
    Ok(of_platform(platform))
}

fn device(device: EGLDeviceEXT) -> Result<()> {
    match device as usize {
        DEVICE => Ok(()),
        _ => Err(EGL_BAD_DEVICE_EXT),
    }
}

api_entry! {
    /// The display of a native one, or the default.
    fn eglGetDisplay(native: EGLNativeDisplayType) -> EGLDisplay {
        match guess(native as usize) {
            Some(platform) => of_platform(platform),
            None => std::ptr::null_mut(),
        }
    }

    /// The display of a native one of a platform.
    fn eglGetPlatformDisplay(
        platform: EGLenum,
        native: *mut c_void,
        attributes: *const EGLAttrib,
    ) -> EGLDisplay {
        // SAFETY: the program passes null or a list that ends with EGL_NONE.
        let list = unsafe { memory::long_pairs(attributes, EGL_NONE) };
        answer(platform_display(platform, native, &list))
    }

    /// The name of eglGetPlatformDisplay before EGL 1.5.
    fn eglGetPlatformDisplayEXT(
        platform: EGLenum,
        native: *mut c_void,
        attributes: *const EGLint,
    ) -> EGLDisplay {
        // SAFETY: the program passes null or a list that ends with EGL_NONE.
        let list = unsafe { memory::pairs(attributes, EGL_NONE) };
        answer(platform_display(platform, native, &list))
    }

    /// Readies a display; may be called again.
    fn eglInitialize(dpy: EGLDisplay, major: *mut EGLint, minor: *mut EGLint) -> EGLBoolean {
        answer(known(dpy).and_then(|display| display.initialize()).map(|()| {
            // SAFETY: the program passes null or pointers to ints.
            unsafe {
                memory::store(major, 1);
                memory::store(minor, 5);
            }
            1
        }))
    }

    /// Ends a display's contexts and surfaces, current ones when they cease to be.
    fn eglTerminate(dpy: EGLDisplay) -> EGLBoolean {
        answer(known(dpy).map(|display| {
            display.terminate();
            1
        }))
    }

    /// The devices: one.
    fn eglQueryDevicesEXT(
        max: EGLint,
        devices: *mut EGLDeviceEXT,
        count: *mut EGLint,
    ) -> EGLBoolean {
        answer(if count.is_null() || (!devices.is_null() && max <= 0) {
            Err(EGL_BAD_PARAMETER)
        } else {
            // SAFETY: room for at least one device, and a pointer to an int.
            unsafe {
                memory::store(devices, DEVICE as EGLDeviceEXT);
                memory::store(count, 1);
            }
            Ok(1)
        })
    }

    /// A device's extensions: none.
    fn eglQueryDeviceStringEXT(dev: EGLDeviceEXT, name: EGLint) -> *const c_char {
        answer(device(dev).and_then(|()| match name {
            EGL_EXTENSIONS => Ok(c"".as_ptr()),
            _ => Err(EGL_BAD_PARAMETER),
        }))
    }

    /// A device's attributes: none.
    fn eglQueryDeviceAttribEXT(
        dev: EGLDeviceEXT,
        _attribute: EGLint,
        _value: *mut EGLAttrib,
    ) -> EGLBoolean {
        answer(device(dev).and(Err(EGL_BAD_ATTRIBUTE)))
    }

    /// A display's device.
    fn eglQueryDisplayAttribEXT(
        dpy: EGLDisplay,
        attribute: EGLint,
        value: *mut EGLAttrib,
    ) -> EGLBoolean {
        answer(initialized(dpy).and_then(|_| match attribute {
            EGL_DEVICE_EXT => {
                // SAFETY: the program passes null or a pointer to a word.
                unsafe { memory::store(value, DEVICE as EGLAttrib) };
                Ok(1)
            }
            _ => Err(EGL_BAD_ATTRIBUTE),
        }))
    }
}
