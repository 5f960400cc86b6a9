//! The few functions of the program's own libX11 and libxcb that are called on its connections.
//!
//! We keep a connection of our own (`x11`); the program's is only synchronised and flushed where
//! programs rely on GLX doing so, and asked for facts that are on the client's side anyway. The
//! libraries are opened at first need, never linked.

use super::types::{Display, XVisualInfo};
use std::ffi::{CStr, CString, c_char, c_int, c_long, c_uint, c_void};
use std::sync::OnceLock;

struct Functions {
    display_string: unsafe extern "C" fn(*mut Display) -> *const c_char,
    default_screen: unsafe extern "C" fn(*mut Display) -> c_int,
    sync: unsafe extern "C" fn(*mut Display, c_int) -> c_int,
    flush: unsafe extern "C" fn(*mut Display) -> c_int,
    get_visual_info: unsafe extern "C" fn(
        *mut Display,
        c_long,
        *const XVisualInfo,
        *mut c_int,
    ) -> *mut XVisualInfo,
}

/// Opens a library that the program must have already; its functions are never unloaded.
fn library(name: &CStr) -> *mut c_void {
    // SAFETY: a valid C string; opening libX11 or libxcb has no effect on what is loaded.
    unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) }
}

fn symbol(library: *mut c_void, name: &str) -> Option<*mut c_void> {
    let name = CString::new(name).ok()?;
    // SAFETY: an open library and a valid C string.
    let address = unsafe { libc::dlsym(library, name.as_ptr()) };
    (!address.is_null()).then_some(address)
}

fn functions() -> Option<&'static Functions> {
    static FUNCTIONS: OnceLock<Option<Functions>> = OnceLock::new();
    FUNCTIONS
        .get_or_init(|| {
            let lib = library(c"libX11.so.6");
            if lib.is_null() {
                return None;
            }
            // SAFETY: the signatures are those of Xlib.h and Xutil.h.
            unsafe {
                Some(Functions {
                    display_string: std::mem::transmute::<
                        *mut c_void,
                        unsafe extern "C" fn(*mut Display) -> *const c_char,
                    >(symbol(lib, "XDisplayString")?),
                    default_screen: std::mem::transmute::<
                        *mut c_void,
                        unsafe extern "C" fn(*mut Display) -> c_int,
                    >(symbol(lib, "XDefaultScreen")?),
                    sync: std::mem::transmute::<
                        *mut c_void,
                        unsafe extern "C" fn(*mut Display, c_int) -> c_int,
                    >(symbol(lib, "XSync")?),
                    flush: std::mem::transmute::<
                        *mut c_void,
                        unsafe extern "C" fn(*mut Display) -> c_int,
                    >(symbol(lib, "XFlush")?),
                    get_visual_info: std::mem::transmute::<
                        *mut c_void,
                        unsafe extern "C" fn(
                            *mut Display,
                            c_long,
                            *const XVisualInfo,
                            *mut c_int,
                        ) -> *mut XVisualInfo,
                    >(symbol(lib, "XGetVisualInfo")?),
                })
            }
        })
        .as_ref()
}

/// The name of the server behind a program's connection, as XOpenDisplay understands it.
pub fn display_string(display: *mut Display) -> Option<String> {
    if display.is_null() {
        return None;
    }
    let f = functions()?;
    // SAFETY: the program passed its open connection; the string lives as long as it.
    let text = unsafe {
        let text = (f.display_string)(display);
        if text.is_null() {
            return None;
        }
        CStr::from_ptr(text)
    };
    Some(text.to_string_lossy().into_owned())
}

/// The screen that the program's connection was opened for.
pub fn default_screen(display: *mut Display) -> i32 {
    match functions() {
        // SAFETY: the program passed its open connection.
        Some(f) if !display.is_null() => unsafe { (f.default_screen)(display) },
        _ => 0,
    }
}

/// Sends and waits for everything that the program has asked of the server (XSync, keeping
/// events): its window must exist before another connection can use it.
pub fn sync(display: *mut Display) {
    if let Some(f) = functions().filter(|_| !display.is_null()) {
        // SAFETY: the program passed its open connection, in a call that Xlib's rules let use it.
        unsafe { (f.sync)(display, 0) };
    }
}

/// Sends what the program has queued (XFlush); programs rely on a swap doing so.
pub fn flush(display: *mut Display) {
    if let Some(f) = functions().filter(|_| !display.is_null()) {
        // SAFETY: as in `sync`.
        unsafe { (f.flush)(display) };
    }
}

/// The program's description of a visual, in memory that it frees with XFree.
pub fn visual_info(display: *mut Display, visual: u32) -> *mut XVisualInfo {
    const VISUAL_ID_MASK: c_long = 1;
    let Some(f) = functions().filter(|_| !display.is_null()) else {
        return std::ptr::null_mut();
    };
    // SAFETY: all-zero is a valid template; the answer is Xlib's own allocation.
    unsafe {
        let mut template: XVisualInfo = std::mem::zeroed();
        template.visualid = visual.into();
        let mut count = 0;
        (f.get_visual_info)(display, VISUAL_ID_MASK, &template, &mut count)
    }
}

struct XcbFunctions {
    file_descriptor: unsafe extern "C" fn(*mut c_void) -> c_int,
    flush: unsafe extern "C" fn(*mut c_void) -> c_int,
    get_input_focus: unsafe extern "C" fn(*mut c_void) -> c_uint,
    get_input_focus_reply:
        unsafe extern "C" fn(*mut c_void, c_uint, *mut *mut c_void) -> *mut c_void,
}

fn xcb_functions() -> Option<&'static XcbFunctions> {
    static FUNCTIONS: OnceLock<Option<XcbFunctions>> = OnceLock::new();
    FUNCTIONS
        .get_or_init(|| {
            let lib = library(c"libxcb.so.1");
            if lib.is_null() {
                return None;
            }
            // SAFETY: the signatures are those of xcb.h and xproto.h; the cookie is a structure of
            // one unsigned int, passed and returned like one.
            unsafe {
                Some(XcbFunctions {
                    file_descriptor: std::mem::transmute::<
                        *mut c_void,
                        unsafe extern "C" fn(*mut c_void) -> c_int,
                    >(symbol(lib, "xcb_get_file_descriptor")?),
                    flush: std::mem::transmute::<
                        *mut c_void,
                        unsafe extern "C" fn(*mut c_void) -> c_int,
                    >(symbol(lib, "xcb_flush")?),
                    get_input_focus: std::mem::transmute::<
                        *mut c_void,
                        unsafe extern "C" fn(*mut c_void) -> c_uint,
                    >(symbol(lib, "xcb_get_input_focus")?),
                    get_input_focus_reply: std::mem::transmute::<
                        *mut c_void,
                        unsafe extern "C" fn(*mut c_void, c_uint, *mut *mut c_void) -> *mut c_void,
                    >(symbol(
                        lib,
                        "xcb_get_input_focus_reply",
                    )?),
                })
            }
        })
        .as_ref()
}

/// The name of the server behind an xcb connection: xcb does not keep it, but the other end of a
/// local socket tells the display number; otherwise `DISPLAY` is the best guess.
pub fn xcb_display_string(connection: *mut c_void) -> Option<String> {
    let f = xcb_functions().filter(|_| !connection.is_null())?;
    // SAFETY: the program passed its open xcb connection.
    let fd = unsafe { (f.file_descriptor)(connection) };
    local_display_of(fd).or_else(|| std::env::var("DISPLAY").ok())
}

fn local_display_of(fd: c_int) -> Option<String> {
    // SAFETY: getpeername writes at most `len` bytes of the structure, all of whose values are valid.
    let path = unsafe {
        let mut address: libc::sockaddr_un = std::mem::zeroed();
        let mut len = size_of::<libc::sockaddr_un>() as libc::socklen_t;
        if libc::getpeername(fd, (&raw mut address).cast(), &mut len) != 0
            || i32::from(address.sun_family) != libc::AF_UNIX
        {
            return None;
        }
        address.sun_path.map(|c| c as u8)
    };
    // Abstract names start with a zero byte.
    let start = usize::from(path[0] == 0);
    let text: Vec<u8> = path[start..]
        .iter()
        .copied()
        .take_while(|b| *b != 0)
        .collect();
    let text = String::from_utf8(text).ok()?;
    let number = text.rsplit_once(".X11-unix/X")?.1;
    number.parse::<u32>().ok().map(|n| format!(":{n}"))
}

/// `sync` for an xcb connection.
pub fn xcb_sync(connection: *mut c_void) {
    let Some(f) = xcb_functions().filter(|_| !connection.is_null()) else {
        return;
    };
    // SAFETY: the program's open connection; the reply is malloc'ed and freed here.
    unsafe {
        let cookie = (f.get_input_focus)(connection);
        let reply = (f.get_input_focus_reply)(connection, cookie, std::ptr::null_mut());
        libc::free(reply);
    }
}

/// `flush` for an xcb connection.
pub fn xcb_flush(connection: *mut c_void) {
    if let Some(f) = xcb_functions().filter(|_| !connection.is_null()) {
        // SAFETY: the program's open connection.
        unsafe { (f.flush)(connection) };
    }
}
