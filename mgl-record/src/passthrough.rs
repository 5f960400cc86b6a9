//! Calls of EGL that are not the program's: a driver below a back end asks for libEGL.so.1 by name, and the loader gives
//! it ours, since that name is taken. NVIDIA's Vulkan driver does so on machines without a display. While a back end
//! starts, EGL functions that this thread calls are therefore the system's; in a thread that only back ends run in, always.

use std::cell::Cell;
use std::ffi::{CStr, CString, c_void};
use std::os::unix::ffi::OsStrExt;
use std::sync::OnceLock;

thread_local! {
    static STARTING: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f`, with EGL calls of this thread passed on to the system's library.
pub fn during<R>(f: impl FnOnce() -> R) -> R {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            STARTING.set(self.0);
        }
    }
    let _restore = Restore(STARTING.replace(true));
    f()
}

/// Passes the EGL calls of this thread on from now on: it is the driver's own.
pub fn for_ever() {
    STARTING.set(true);
}

/// The system's function of a name, if calls are passed on now and it has one.
#[inline]
#[must_use]
pub fn real(name: &CStr) -> Option<*mut c_void> {
    if STARTING.get() { look_up(name) } else { None }
}

#[cold]
fn look_up(name: &CStr) -> Option<*mut c_void> {
    static LIBRARY: OnceLock<usize> = OnceLock::new();
    if !name.to_bytes().starts_with(b"egl") {
        return None;
    }
    let library = *LIBRARY.get_or_init(|| {
        // It is kept open below: its threads may outlive the last use of it.
        let Ok((path, _library)) = mgl_replay::espryt::loader::open() else {
            return 0;
        };
        let Ok(path) = CString::new(path.as_os_str().as_bytes()) else {
            return 0;
        };
        // SAFETY: an absolute path; the library's initialisers are sound, and it stays for as long as the process does.
        let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        library as usize
    });
    if library == 0 {
        return None;
    }
    // SAFETY: the handle is open for ever, and the name ends in a zero.
    let address = unsafe { libc::dlsym(library as *mut c_void, name.as_ptr()) };
    (!address.is_null()).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_passed_on_only_while_a_back_end_starts() {
        assert_eq!(real(c"eglQueryString"), None);
        let (inside, glx) = during(|| (real(c"eglQueryString"), real(c"glXQueryVersion")));
        // The system's own function, and not the one of this library.
        let address = inside.expect("libEGL is installed");
        let own = crate::winsys::egl::eglQueryString as *mut c_void;
        assert_ne!(address, own);
        assert_eq!(glx, None);
        assert_eq!(real(c"eglQueryString"), None);
    }

    #[test]
    fn an_entry_point_answers_as_the_system_does() {
        let extensions = |of: u32| {
            // SAFETY: asks for a client string, for which there is no display.
            let text =
                unsafe { crate::winsys::egl::eglQueryString(std::ptr::null_mut(), of as i32) };
            // SAFETY: EGL's strings end in a zero and stay; client extensions are always there.
            unsafe { CStr::from_ptr(text) }
                .to_string_lossy()
                .into_owned()
        };
        let ours = extensions(0x3055);
        let theirs = during(|| extensions(0x3055));
        assert_ne!(ours, theirs);
    }
}
