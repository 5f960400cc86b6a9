//! An own connection to the X server, through libxcb opened at run time.
//!
//! The program's connection is never touched: EGL or Vulkan gets this one, a round trip on it after presenting makes the frame
//! visible to whoever looks next, and StructureNotify tells when a window is gone (an X id is handed out again, so a
//! dead surface must not be drawn to).

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW, Symbol};
use std::ffi::{CStr, CString, c_char, c_int, c_void};

#[repr(C)]
#[derive(Clone, Copy)]
struct Cookie {
    sequence: u32,
}

type Raw = *mut c_void;

/// An event or error as the wire has it; only the fields read here.
#[repr(C)]
struct Event {
    response_type: u8,
    _detail: u8,
    _sequence: u16,
    _word: u32,
    window: u32,
}

const DESTROY_NOTIFY: u8 = 17;
const CW_EVENT_MASK: u32 = 1 << 11;
const STRUCTURE_NOTIFY_MASK: u32 = 1 << 17;

macro_rules! functions {
    ($( $name:ident: fn($($arg:ty),*) $(-> $ret:ty)?; )*) => {
        struct Functions { $( $name: Symbol<unsafe extern "C" fn($($arg),*) $(-> $ret)?>, )* }
        impl Functions {
            fn load(library: &Library) -> Result<Self, libloading::Error> {
                // SAFETY: these are libxcb's functions with libxcb's signatures.
                unsafe { Ok(Self { $( $name: library.get(concat!(stringify!($name), "\0").as_bytes())?, )* }) }
            }
        }
    };
}

functions! {
    xcb_connect: fn(*const c_char, *mut c_int) -> Raw;
    xcb_connection_has_error: fn(Raw) -> c_int;
    xcb_disconnect: fn(Raw);
    xcb_get_input_focus: fn(Raw) -> Cookie;
    xcb_get_input_focus_reply: fn(Raw, Cookie, *mut Raw) -> Raw;
    xcb_get_geometry: fn(Raw, u32) -> Cookie;
    xcb_get_geometry_reply: fn(Raw, Cookie, *mut Raw) -> Raw;
    xcb_change_window_attributes_checked: fn(Raw, u32, u32, *const u32) -> Cookie;
    xcb_request_check: fn(Raw, Cookie) -> Raw;
    xcb_poll_for_event: fn(Raw) -> *mut Event;
}

/// A connection.
pub struct Connection {
    raw: Raw,
    screen: i32,
    name: String,
    xcb: Functions,
    _library: Library,
}

// SAFETY: xcb connections may be used from any thread.
unsafe impl Send for Connection {}

fn free(p: Raw) {
    // SAFETY: xcb replies, errors and events are allocated by malloc and ours to free; null is allowed.
    unsafe { libc::free(p) };
}

impl Connection {
    /// Connects to a display string, or to the environment's.
    ///
    /// # Errors
    ///
    /// In words: libxcb is missing, or no server answers.
    pub fn open(display: Option<&str>) -> Result<Self, String> {
        // SAFETY: libxcb has no initialisers with effects.
        let library = unsafe { Library::open(Some("libxcb.so.1"), RTLD_NOW | RTLD_LOCAL) }
            .map_err(|e| e.to_string())?;
        let xcb = Functions::load(&library).map_err(|e| e.to_string())?;
        let c_name = display
            .map(CString::new)
            .transpose()
            .map_err(|_| "the display string holds a NUL".to_owned())?;
        let mut screen = 0;
        // SAFETY: the string outlives the call; null stands for $DISPLAY.
        let raw = unsafe {
            (xcb.xcb_connect)(
                c_name.as_deref().map_or(std::ptr::null(), CStr::as_ptr),
                &mut screen,
            )
        };
        let name = match display {
            Some(d) => d.to_owned(),
            None => std::env::var("DISPLAY").unwrap_or_else(|_| "(DISPLAY is not set)".into()),
        };
        // SAFETY: xcb_connect never returns null.
        if unsafe { (xcb.xcb_connection_has_error)(raw) } != 0 {
            // SAFETY: a failed connection is freed the same way.
            unsafe { (xcb.xcb_disconnect)(raw) };
            return Err(format!("no X server answers at {name}"));
        }
        Ok(Self {
            raw,
            screen,
            name,
            xcb,
            _library: library,
        })
    }

    /// The `xcb_connection_t`.
    pub fn as_ptr(&self) -> *mut c_void {
        self.raw
    }

    /// Screen that the display string names.
    pub fn screen(&self) -> i32 {
        self.screen
    }

    /// Display string.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Waits until the server has taken all that was sent.
    pub fn round_trip(&self) {
        let mut error = std::ptr::null_mut();
        // SAFETY: the connection lives; reply and error are freed.
        unsafe {
            let cookie = (self.xcb.xcb_get_input_focus)(self.raw);
            free((self.xcb.xcb_get_input_focus_reply)(
                self.raw, cookie, &mut error,
            ));
        }
        free(error);
    }

    /// Whether the window exists.
    pub fn window_exists(&self, window: u32) -> bool {
        let mut error = std::ptr::null_mut();
        // SAFETY: as for the round trip.
        let reply = unsafe {
            let cookie = (self.xcb.xcb_get_geometry)(self.raw, window);
            (self.xcb.xcb_get_geometry_reply)(self.raw, cookie, &mut error)
        };
        let exists = !reply.is_null();
        free(reply);
        free(error);
        exists
    }

    /// Asks to be told when the window goes; false when it is gone already.
    pub fn watch(&self, window: u32) -> bool {
        // SAFETY: one value for the one bit of the mask; the error is freed.
        let error = unsafe {
            let cookie = (self.xcb.xcb_change_window_attributes_checked)(
                self.raw,
                window,
                CW_EVENT_MASK,
                &STRUCTURE_NOTIFY_MASK,
            );
            (self.xcb.xcb_request_check)(self.raw, cookie)
        };
        let ok = error.is_null();
        free(error);
        ok
    }

    /// Takes all waiting events and errors; calls `gone` for each window that was destroyed.
    pub fn drain(&self, mut gone: impl FnMut(u32)) {
        loop {
            // SAFETY: the connection lives; the event is read within its 32 bytes and freed.
            let event = unsafe { (self.xcb.xcb_poll_for_event)(self.raw) };
            if event.is_null() {
                return;
            }
            // SAFETY: not null, and at least 32 bytes long.
            let (kind, window) = unsafe { ((*event).response_type & 0x7F, (*event).window) };
            if kind == DESTROY_NOTIFY {
                gone(window);
            }
            free(event.cast());
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: made by xcb_connect, and this is its end.
        unsafe { (self.xcb.xcb_disconnect)(self.raw) };
    }
}
