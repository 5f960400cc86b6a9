//! Finds and opens the system's own libEGL.
//!
//! The driver stands in for libEGL under its own name, so asking the loader for `libEGL.so.1` may
//! lead back to the driver. The real library is therefore looked up the way ld.so would
//! (`/etc/ld.so.cache`, then the usual directories), opened by absolute path, and checked. In a
//! process without the driver the same road simply finds the system's library. Nothing is opened
//! before first use. Implements design page 5 ("claim the names first, then dlopen the real libEGL
//! by absolute path").

use libloading::os::unix::{Library as UnixLibrary, RTLD_LOCAL, RTLD_NOW};
use std::ffi::{CStr, OsStr, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Names the file to open as the system's libEGL, for machines with several.
pub const OVERRIDE: &str = "MGL_REAL_LIBEGL";

const SONAME: &str = "libEGL.so.1";

/// Why the system's libEGL could not be used.
#[derive(Debug, thiserror::Error)]
pub enum LoaderError {
    /// No candidate exists.
    #[error("no {SONAME} on this system besides mgl's own (install libegl1, or set {OVERRIDE})")]
    NotFound,
    /// The dynamic loader refused every candidate.
    #[error("cannot open {path}: {source}", path = path.display())]
    Open {
        /// The last candidate.
        path: PathBuf,
        /// The loader's words.
        source: libloading::Error,
    },
    /// A library that is no libEGL, or one that is the driver itself.
    #[error("{path} is not a usable libEGL: {what}", path = path.display())]
    Unusable {
        /// The last candidate.
        path: PathBuf,
        /// What is wrong with it.
        what: &'static str,
    },
}

/// What the driver adds when it lives in this process.
#[derive(Clone, Copy)]
pub struct Hooks {
    /// Makes the driver's shims own their SONAMEs; called before the real library is opened.
    pub claim_names: fn(),
    /// Whether this file is the driver or one of its shims.
    pub is_ours: fn(&Path) -> bool,
}

static HOOKS: OnceLock<Hooks> = OnceLock::new();

/// Installs the driver's hooks; the first call counts.
pub fn set_hooks(hooks: Hooks) {
    let _ = HOOKS.set(hooks);
}

/// The path of the first candidate, without opening it.
///
/// # Errors
///
/// [`LoaderError::NotFound`] when there is none, [`LoaderError::Unusable`] when [`OVERRIDE`] names no file.
pub fn real_libegl() -> Result<PathBuf, LoaderError> {
    let path = candidates()
        .into_iter()
        .next()
        .ok_or(LoaderError::NotFound)?;
    if path.is_file() {
        Ok(path)
    } else {
        Err(LoaderError::Unusable {
            path,
            what: "it does not exist",
        })
    }
}

/// Opens the system's libEGL, after the driver (if any) has claimed its names.
///
/// # Errors
///
/// See [`LoaderError`]; the reason given is that of the last candidate.
pub fn open() -> Result<(PathBuf, libloading::Library), LoaderError> {
    if let Some(hooks) = HOOKS.get() {
        (hooks.claim_names)();
    }
    let mut last = LoaderError::NotFound;
    for path in candidates() {
        match open_one(&path) {
            Ok(library) => return Ok((path, library)),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn open_one(path: &Path) -> Result<libloading::Library, LoaderError> {
    let unusable = |what| LoaderError::Unusable {
        path: path.to_owned(),
        what,
    };
    // SAFETY: initialisers of the system's GL stack run; nothing of ours is held meanwhile.
    let library = unsafe { UnixLibrary::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map_err(|e| {
        LoaderError::Open {
            path: path.to_owned(),
            source: e,
        }
    })?;
    // SAFETY: only the address is used.
    let entry = unsafe { library.get::<*const c_void>(b"eglGetProcAddress\0") }
        .map_err(|_| unusable("it has no eglGetProcAddress"))?
        .into_raw();
    let object = object_of(entry as usize)
        .ok_or_else(|| unusable("its eglGetProcAddress is in no known file"))?;
    let ours = HOOKS.get().is_some_and(|h| (h.is_ours)(&object))
        || object.file_name() == Some(OsStr::new("libmgl.so"));
    if ours {
        return Err(unusable("it leads back to mgl"));
    }
    Ok(library.into())
}

/// The file that contains an address of this process.
pub fn object_of(address: usize) -> Option<PathBuf> {
    // SAFETY: dladdr only writes the structure it is given; all-zero is a valid Dl_info.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(address as *const c_void, &mut info) == 0 || info.dli_fname.is_null() {
            return None;
        }
        let name = CStr::from_ptr(info.dli_fname);
        Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
    }
}

fn candidates() -> Vec<PathBuf> {
    if let Some(path) = std::env::var_os(OVERRIDE) {
        return vec![path.into()];
    }
    let mut list = std::fs::read("/etc/ld.so.cache")
        .map(|bytes| cache_lookup(&bytes, SONAME))
        .unwrap_or_default();
    for dir in [
        concat_arch("/usr/lib/", "-linux-gnu"),
        concat_arch("/lib/", "-linux-gnu"),
        "/usr/lib64".to_owned(),
        "/lib64".to_owned(),
        "/usr/lib".to_owned(),
        "/usr/local/lib".to_owned(),
    ] {
        list.push(Path::new(&dir).join(SONAME));
    }
    list.retain(|path| path.exists() && !HOOKS.get().is_some_and(|h| (h.is_ours)(path)));
    let mut unique: Vec<PathBuf> = Vec::new();
    for path in list {
        if !unique.contains(&path) {
            unique.push(path);
        }
    }
    unique
}

fn concat_arch(before: &str, after: &str) -> String {
    format!("{before}{}{after}", std::env::consts::ARCH)
}

/// The flags word of libraries for this architecture in ld.so.cache (glibc, sysdeps `ldconfig.h`).
const CACHE_FLAGS: u32 = if cfg!(target_arch = "aarch64") {
    0x0a03
} else {
    0x0303
};

/// Looks a SONAME up in the text of `/etc/ld.so.cache`; damaged files give fewer results.
///
/// The format is a 48-byte header that starts with `glibc-ld.so.cache1.1`, a count, 24-byte entries
/// (flags, key, value, OS version, hardware capabilities) and strings; offsets count from the
/// header. An older table may come before it.
fn cache_lookup(bytes: &[u8], soname: &str) -> Vec<PathBuf> {
    const MAGIC: &[u8] = b"glibc-ld.so.cache1.1";
    let Some(start) = bytes.windows(MAGIC.len()).position(|w| w == MAGIC) else {
        return Vec::new();
    };
    let table = &bytes[start..];
    let word = |at: usize| -> Option<u32> {
        let raw = table.get(at..at.checked_add(4)?)?;
        Some(u32::from_ne_bytes(raw.try_into().ok()?))
    };
    let text = |at: u32| -> Option<&[u8]> {
        let rest = table.get(at as usize..)?;
        Some(&rest[..rest.iter().position(|b| *b == 0)?])
    };
    let mut found = Vec::new();
    for i in 0..word(20).unwrap_or(0) as usize {
        let at = 48 + 24 * i;
        let (Some(flags), Some(key), Some(value)) = (word(at), word(at + 4), word(at + 8)) else {
            break;
        };
        if flags == CACHE_FLAGS && text(key) == Some(soname.as_bytes()) {
            found.extend(text(value).map(|v| PathBuf::from(OsStr::from_bytes(v))));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(entries: &[(u32, &str, &str)]) -> Vec<u8> {
        let mut head = b"glibc-ld.so.cache1.1".to_vec();
        head.extend((entries.len() as u32).to_ne_bytes());
        head.resize(48, 0);
        let mut strings = Vec::new();
        let base = 48 + 24 * entries.len();
        for (flags, key, value) in entries {
            let mut at = [0u32; 2];
            for (slot, text) in at.iter_mut().zip([key, value]) {
                *slot = (base + strings.len()) as u32;
                strings.extend(text.as_bytes());
                strings.push(0);
            }
            head.extend(flags.to_ne_bytes());
            head.extend(at[0].to_ne_bytes());
            head.extend(at[1].to_ne_bytes());
            head.extend([0; 12]);
        }
        head.extend(strings);
        head
    }

    #[test]
    fn finds_the_entry_of_this_architecture() {
        let bytes = cache(&[
            (0x0003, SONAME, "/lib32/libEGL.so.1"),
            (CACHE_FLAGS, "libEGL.so.10", "/x/libEGL.so.10"),
            (CACHE_FLAGS, SONAME, "/a/libEGL.so.1"),
            (CACHE_FLAGS, SONAME, "/b/libEGL.so.1"),
        ]);
        let expected = vec![
            PathBuf::from("/a/libEGL.so.1"),
            PathBuf::from("/b/libEGL.so.1"),
        ];
        assert_eq!(cache_lookup(&bytes, SONAME), expected);
        let mut shifted = vec![7; 64];
        shifted.extend(&bytes);
        assert_eq!(cache_lookup(&shifted, SONAME), expected);
    }

    #[test]
    fn every_truncation_is_survived() {
        let bytes = cache(&[(CACHE_FLAGS, SONAME, "/a/libEGL.so.1")]);
        for len in 0..bytes.len() {
            assert!(cache_lookup(&bytes[..len], SONAME).len() <= 1);
        }
        assert!(cache_lookup(&bytes[..60], SONAME).is_empty());
    }

    #[test]
    fn opens_the_systems_library() {
        let (path, library) = open().expect("libegl1 is installed");
        assert!(path.is_absolute());
        // SAFETY: the symbol is a function of EGL; only its presence matters.
        assert!(unsafe { library.get::<*const c_void>(b"eglInitialize\0") }.is_ok());
    }
}
