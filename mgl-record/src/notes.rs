//! Notes for the command that started the program: whether the driver was loaded, and what became of the recording. It
//! says why nothing was recorded where nothing was.
//!
//! `MGL_NOTES` names the file. Notes are words, a tab and bytes, and end with a zero byte; processes append to it.

#[cfg(not(test))]
use std::ffi::OsStr;
use std::fmt::Display;
use std::fs::File;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Adds a note, if they are wanted. That it cannot be written is not the program's concern.
fn add(what: &str, bytes: &[u8]) {
    let Some(path) = std::env::var_os("MGL_NOTES").filter(|p| !p.is_empty()) else {
        return;
    };
    // One write, so that notes of several processes do not mix.
    let mut note = format!("{what}\t").into_bytes();
    note.extend(bytes.iter().filter(|b| **b != 0));
    note.push(0);
    let file = File::options().append(true).open(path);
    let _ = file.and_then(|mut f| f.write_all(&note));
}

/// This process records into a file.
pub fn recording(path: &Path) {
    add("recording", path.as_os_str().as_bytes());
}

/// This process made a context and cannot record.
pub fn failed(why: &dyn Display) {
    add("failed", why.to_string().as_bytes());
}

/// A context was asked for and refused.
pub fn refused(why: &dyn Display) {
    add("refused", why.to_string().as_bytes());
}

#[used]
#[cfg(not(test))]
// SAFETY: the section holds pointers to functions that the loader calls once, when the library is loaded; this one
// returns, and touches nothing of the program's.
#[unsafe(link_section = ".init_array")]
static LOADED: extern "C" fn() = loaded;

/// The driver is in the process.
#[cfg(not(test))]
extern "C" fn loaded() {
    let program = std::fs::read_link("/proc/self/exe").unwrap_or_default();
    let name = program.file_name().unwrap_or(OsStr::new("?"));
    add("loaded", name.as_bytes());
}
