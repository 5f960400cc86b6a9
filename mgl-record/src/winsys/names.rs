//! Keeps the library names that programs ask for leading to this library.
//!
//! Once the system's libEGL is in the process it owns the SONAME `libEGL.so.1`, and a plugin that
//! is loaded later and needs that name would get it instead of us. So every shim is opened first,
//! which puts its SONAME into the loader's list before any other file of that name (design page 5,
//! "claim the names first"). Done lazily, when the back end is about to open the real libEGL.

use mgl_replay::espryt::loader::{self, Hooks};
use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Once;

/// The SONAMEs that have a shim.
pub const SONAMES: [&str; 6] = [
    "libGL.so.1",
    "libGLX.so.0",
    "libOpenGL.so.0",
    "libEGL.so.1",
    "libGLESv2.so.2",
    "libGLESv1_CM.so.1",
];

/// Tells the loader of the real libEGL about us; cheap, may be called often.
pub fn install_hooks() {
    loader::set_hooks(Hooks {
        claim_names: claim,
        is_ours,
    });
}

/// The file of this library, as the loader knows it.
fn own_file() -> Option<PathBuf> {
    loader::object_of(own_file as fn() -> Option<PathBuf> as usize)
}

/// Where shims may lie: beside the library when installed, below it in a build directory.
fn shim_dirs() -> Vec<PathBuf> {
    let Some(dir) = own_file().and_then(|f| f.parent().map(Path::to_owned)) else {
        return Vec::new();
    };
    vec![dir.join("shims"), dir.join("../shims"), dir]
}

fn shim_path(soname: &str) -> Option<PathBuf> {
    shim_dirs()
        .into_iter()
        .map(|dir| dir.join(soname))
        .find(|path| path.exists())
}

/// Makes every shim own its SONAME, once a process; a name that someone else already has is
/// reported, because calls through it would miss us.
pub fn claim() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // A program that links the driver in (tests do) has no shims and no names to keep.
        let ours = own_file();
        for soname in SONAMES {
            let Some(path) = shim_path(soname) else {
                continue;
            };
            if !open(
                path.as_os_str(),
                libc::RTLD_NOW | libc::RTLD_LOCAL | RTLD_NODELETE,
            ) {
                eprintln!("mgl: cannot open {}", path.display());
                continue;
            }
            if holder(soname) != ours {
                eprintln!(
                    "mgl: {soname} is already another library in this process; calls through it \
                     do not reach mgl"
                );
            }
        }
    });
}

const RTLD_NODELETE: i32 = 0x1000;

fn open(name: &OsStr, flags: i32) -> bool {
    let Ok(name) = CString::new(name.as_bytes()) else {
        return false;
    };
    // SAFETY: a valid C string; shims have no initialisers.
    !unsafe { libc::dlopen(name.as_ptr(), flags) }.is_null()
}

/// The file whose glGetError or eglGetError a program gets through this name.
fn holder(soname: &str) -> Option<PathBuf> {
    let name = CString::new(soname).ok()?;
    // SAFETY: valid C strings; NOLOAD only looks at what is loaded.
    let address = unsafe {
        let handle = libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD);
        if handle.is_null() {
            return None;
        }
        let symbol = match soname {
            "libEGL.so.1" => c"eglGetError",
            "libGLX.so.0" => c"glXGetCurrentContext",
            _ => c"glGetError",
        };
        let address = libc::dlsym(handle, symbol.as_ptr());
        libc::dlclose(handle);
        address
    };
    loader::object_of(address as usize)
}

/// Whether this file is the library itself or one of its shims.
fn is_ours(path: &Path) -> bool {
    let identity = |p: &Path| std::fs::metadata(p).map(|m| (m.dev(), m.ino())).ok();
    let Some(candidate) = identity(path) else {
        return false;
    };
    own_file()
        .into_iter()
        .chain(SONAMES.iter().filter_map(|n| shim_path(n)))
        .any(|ours| identity(&ours) == Some(candidate))
}
