//! How often the display of a window is refreshed (RandR), where the server tells.

use super::{Connection, Cookie, Raw, free};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW, Symbol};
use std::time::Duration;

/// A reply to QueryExtension; only the fields read here.
#[repr(C)]
struct Extension {
    _head: [u8; 8],
    present: u8,
}

/// A reply to RRGetScreenInfo; only the fields read here.
#[repr(C)]
struct ScreenInfo {
    _head: [u8; 26],
    rate: u16,
}

type GetInfo = unsafe extern "C" fn(Raw, u32) -> Cookie;
type GetInfoReply = unsafe extern "C" fn(Raw, Cookie, *mut Raw) -> Raw;
type GetExtension = unsafe extern "C" fn(Raw, Raw) -> *const Extension;

impl Connection {
    /// How long the display of a window shows a frame; `None` where the server has none that is refreshed, or does not tell.
    pub fn refresh_of(&self, window: u32) -> Option<Duration> {
        // SAFETY: the library has no initialisers with effects; these are its functions, and libxcb's, with their signatures.
        let (library, get, reply, extension) = unsafe {
            let library = Library::open(Some("libxcb-randr.so.0"), RTLD_NOW | RTLD_LOCAL).ok()?;
            let get: Symbol<GetInfo> = library.get(b"xcb_randr_get_screen_info\0").ok()?;
            let reply: Symbol<GetInfoReply> =
                library.get(b"xcb_randr_get_screen_info_reply\0").ok()?;
            let extension: Symbol<GetExtension> =
                self.library.get(b"xcb_get_extension_data\0").ok()?;
            (library, get, reply, extension)
        };
        // SAFETY: it is the address of the library's own datum.
        let id = unsafe { library.get::<Raw>(b"xcb_randr_id\0") }.ok()?;
        // A request of an extension that the server does not have would end the connection.
        // SAFETY: the connection lives, and keeps what it says of extensions.
        let known = unsafe { extension(self.raw, id.into_raw()).as_ref() };
        if known.is_none_or(|e| e.present == 0) {
            // What xcb noted of the extension names the library's datum.
            std::mem::forget(library);
            return None;
        }
        let mut error = std::ptr::null_mut();
        // SAFETY: the connection lives; reply and error are freed.
        let rate = unsafe {
            let cookie = get(self.raw, window);
            let answer = reply(self.raw, cookie, &mut error);
            let rate = answer.cast::<ScreenInfo>().as_ref().map_or(0, |i| i.rate);
            free(answer);
            rate
        };
        free(error);
        // As above.
        std::mem::forget(library);
        (rate > 0).then(|| Duration::from_secs(1) / u32::from(rate))
    }
}
