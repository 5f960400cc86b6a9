//! An own connection to the X server, through libxcb opened at run time.
//!
//! The program's connection is never touched: EGL or Vulkan gets this one, a round trip on it after presenting makes the frame
//! visible to whoever looks next, and StructureNotify tells when a window is gone (an X id is handed out again, so a
//! dead surface must not be drawn to). What the server refuses is told with the events ([`Connection::drain`]).

pub mod pixels;
mod refresh;

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
#[derive(Clone, Copy)]
struct Event {
    response_type: u8,
    /// An error's code.
    detail: u8,
    _sequence: u16,
    /// An error's value.
    word: u32,
    /// An error's minor and major code of the request.
    window: u32,
}

/// What the server says unasked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// A window that is watched was destroyed.
    Destroyed(u32),
    /// A request was refused.
    Refused(Refusal),
}

/// A request that the server refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// The error's code (X11, encoding of errors).
    pub code: u8,
    /// Major code of the request; extensions have those above 127.
    pub request: u8,
    /// The resource or value that the server objects to, where it names one.
    pub value: u32,
}

const BAD_WINDOW: u8 = 3;
const BAD_DRAWABLE: u8 = 9;
const PUT_IMAGE: u8 = 72;

impl Refusal {
    fn of(error: &Event) -> Self {
        let request = error.window.to_ne_bytes();
        Self {
            code: error.detail,
            request: request[2],
            value: error.word,
        }
    }

    /// The window that a request was for does not exist.
    pub fn names_no_window(&self) -> bool {
        matches!(self.code, BAD_WINDOW | BAD_DRAWABLE)
    }

    /// A frame that was sent did not get into its window.
    pub fn spoils_a_frame(&self) -> bool {
        !self.names_no_window() && (self.request == PUT_IMAGE || self.request > 127)
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "X error {} to request {}", self.code, self.request)
    }
}

/// A reply to GetGeometry; only the fields read here.
#[repr(C)]
struct Geometry {
    _response_type: u8,
    depth: u8,
}

/// A reply to GetWindowAttributes; only the fields read here.
#[repr(C)]
struct Attributes {
    _response_type: u8,
    _backing_store: u8,
    _sequence: u16,
    _length: u32,
    visual: u32,
}

const DESTROY_NOTIFY: u8 = 17;
const ERROR: u8 = 0;
const Z_PIXMAP: u8 = 2;
/// Bytes of PutImage's header where requests may be long.
const PUT_IMAGE_HEADER: usize = 28;
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
    xcb_get_window_attributes: fn(Raw, u32) -> Cookie;
    xcb_get_window_attributes_reply: fn(Raw, Cookie, *mut Raw) -> Raw;
    xcb_get_setup: fn(Raw) -> *const u8;
    xcb_get_maximum_request_length: fn(Raw) -> u32;
    xcb_generate_id: fn(Raw) -> u32;
    xcb_create_gc_checked: fn(Raw, u32, u32, u32, *const u32) -> Cookie;
    xcb_free_gc: fn(Raw, u32) -> Cookie;
    xcb_put_image_checked: fn(Raw, u8, u32, u32, u16, u16, i16, i16, u8, u8, u32, *const u8) -> Cookie;
}

/// A connection.
pub struct Connection {
    raw: Raw,
    screen: i32,
    name: String,
    xcb: Functions,
    library: Library,
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
            library,
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

    /// Takes all waiting events and errors, and tells of windows that were destroyed and requests that were refused.
    pub fn drain(&self, mut tell: impl FnMut(Notice)) {
        loop {
            // SAFETY: the connection lives; the event is read within its 32 bytes and freed.
            let event = unsafe { (self.xcb.xcb_poll_for_event)(self.raw) };
            if event.is_null() {
                return;
            }
            // SAFETY: not null, and at least 32 bytes long.
            let e = unsafe { *event };
            match e.response_type & 0x7F {
                DESTROY_NOTIFY => tell(Notice::Destroyed(e.window)),
                ERROR => tell(Notice::Refused(Refusal::of(&e))),
                _ => {}
            }
            free(event.cast());
        }
    }

    /// How the server stores the pixels of a window; `None` for a window that does not exist or that has no colours.
    pub fn pixels_of(&self, window: u32) -> Option<pixels::Layout> {
        let (mut no_attributes, mut no_geometry) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: the connection lives; replies are read within their fixed parts, and freed as errors are.
        let found = unsafe {
            let attributes = (self.xcb.xcb_get_window_attributes)(self.raw, window);
            let geometry = (self.xcb.xcb_get_geometry)(self.raw, window);
            let a = (self.xcb.xcb_get_window_attributes_reply)(
                self.raw,
                attributes,
                &mut no_attributes,
            );
            let g = (self.xcb.xcb_get_geometry_reply)(self.raw, geometry, &mut no_geometry);
            let visual = a.cast::<Attributes>().as_ref().map(|a| a.visual);
            let depth = g.cast::<Geometry>().as_ref().map(|g| g.depth);
            free(a);
            free(g);
            visual.zip(depth)
        };
        free(no_attributes);
        free(no_geometry);
        let (visual, depth) = found?;
        // SAFETY: the setup lives as long as the connection; its length in words of four bytes stands at byte 6.
        let setup = unsafe {
            let start = (self.xcb.xcb_get_setup)(self.raw);
            let words = u16::from_ne_bytes([*start.add(6), *start.add(7)]);
            std::slice::from_raw_parts(start, 8 + usize::from(words) * 4)
        };
        pixels::Layout::of(setup, visual, depth)
    }

    fn refusal(&self, cookie: Cookie) -> Result<(), Refusal> {
        // SAFETY: the cookie is a checked request's of this connection; an error is read within its 32 bytes and freed.
        unsafe {
            let error = (self.xcb.xcb_request_check)(self.raw, cookie);
            match error.cast::<Event>().as_ref() {
                None => Ok(()),
                Some(e) => {
                    let refusal = Refusal::of(e);
                    free(error);
                    Err(refusal)
                }
            }
        }
    }

    /// A graphics context for a window.
    ///
    /// # Errors
    ///
    /// The server's, for a window that does not exist.
    pub fn make_gc(&self, window: u32) -> Result<u32, Refusal> {
        // SAFETY: the connection lives; no values are given.
        let (gc, cookie) = unsafe {
            let gc = (self.xcb.xcb_generate_id)(self.raw);
            let none = std::ptr::null();
            (
                gc,
                (self.xcb.xcb_create_gc_checked)(self.raw, gc, window, 0, none),
            )
        };
        self.refusal(cookie).map(|()| gc)
    }

    /// Ends a graphics context.
    pub fn end_gc(&self, gc: u32) {
        // SAFETY: the connection lives; ids that are none are the server's to refuse.
        unsafe { (self.xcb.xcb_free_gc)(self.raw, gc) };
    }

    /// Puts rows of pixels (`layout`'s, from the upper left corner) into a window, in as many requests as the server's
    /// longest takes. They have arrived when this returns.
    ///
    /// # Errors
    ///
    /// The server's.
    pub fn put_rows(
        &self,
        window: u32,
        gc: u32,
        layout: &pixels::Layout,
        width: u16,
        rows: &[u8],
    ) -> Result<(), Refusal> {
        let row = layout.row_bytes(width);
        if row == 0 || rows.is_empty() {
            return Ok(());
        }
        // SAFETY: the connection lives.
        let most = unsafe { (self.xcb.xcb_get_maximum_request_length)(self.raw) } as usize * 4;
        let lines = (most.saturating_sub(PUT_IMAGE_HEADER) / row).clamp(1, usize::from(u16::MAX));
        let mut y = 0;
        let mut cookies = Vec::with_capacity(rows.len().div_ceil(lines * row));
        for part in rows.chunks(lines * row) {
            let height = part.len() / row;
            // SAFETY: the bytes are copied or sent before the call returns.
            cookies.push(unsafe {
                (self.xcb.xcb_put_image_checked)(
                    self.raw,
                    Z_PIXMAP,
                    window,
                    gc,
                    width,
                    height as u16,
                    0,
                    y,
                    0,
                    layout.depth,
                    part.len() as u32,
                    part.as_ptr(),
                )
            });
            y = y.saturating_add(height as i16);
        }
        let mut done = Ok(());
        for cookie in cookies {
            let one = self.refusal(cookie);
            done = done.and(one);
        }
        done
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: made by xcb_connect, and this is its end.
        unsafe { (self.xcb.xcb_disconnect)(self.raw) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An error as the wire has it.
    fn refused(code: u8, request: u8, value: u32) -> Refusal {
        Refusal::of(&Event {
            response_type: ERROR,
            detail: code,
            _sequence: 7,
            word: value,
            window: u32::from_ne_bytes([3, 0, request, 0]),
        })
    }

    #[test]
    fn a_refused_image_spoils_a_frame() {
        const BAD_MATCH: u8 = 8;
        let r = refused(BAD_MATCH, PUT_IMAGE, 0x20_0001);
        assert_eq!((r.code, r.request, r.value), (8, 72, 0x20_0001));
        assert!(r.spoils_a_frame() && !r.names_no_window());
        assert_eq!(r.to_string(), "X error 8 to request 72");
        // Extensions carry images, too.
        assert!(refused(BAD_MATCH, 130, 0).spoils_a_frame());
        // Other requests carry none.
        assert!(!refused(BAD_MATCH, 43, 0).spoils_a_frame());
        // That a window is gone is told otherwise.
        for code in [BAD_WINDOW, BAD_DRAWABLE] {
            let r = refused(code, PUT_IMAGE, 5);
            assert!(!r.spoils_a_frame() && r.names_no_window());
        }
    }
}
