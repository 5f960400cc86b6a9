//! Files that a user names: opened so that nothing hangs, written so that nothing is destroyed.
//!
//! What is read is read at many places, so it must be a regular file: a FIFO would be waited for, and a device may have
//! no end. What is written whole takes the place of a regular file only; through anything else, and through a symbolic
//! link, it is written.

use std::fs::{self, File, FileType, Metadata};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde::Serializer;

/// How long the other end of a FIFO is waited for.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// What a thing is that is no regular file.
#[must_use]
pub fn kind(what: FileType) -> Option<&'static str> {
    match what {
        t if t.is_file() => None,
        t if t.is_dir() => Some("a folder"),
        t if t.is_fifo() => Some("a FIFO"),
        t if t.is_socket() => Some("a socket"),
        _ => Some("a device"),
    }
}

fn regular(meta: &Metadata) -> io::Result<()> {
    let text = match kind(meta.file_type()) {
        None => return Ok(()),
        Some(folder @ "a folder") => format!("it is {folder}, not a file"),
        Some(other) => format!("it is {other}; copy what it gives into a file"),
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, text))
}

/// Opens a regular file for reading.
///
/// # Errors
/// As the system says; or it is no regular file, which is not opened.
pub fn open(path: &Path) -> io::Result<File> {
    // Before it is opened: that alone can move a device, and lets the writer of a FIFO go.
    regular(&fs::metadata(path)?)?;
    let file = File::options()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)?;
    regular(&file.metadata()?)?;
    Ok(file)
}

/// Reads a regular file.
///
/// # Errors
/// As [`open`].
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut open(path)?, &mut bytes)?;
    Ok(bytes)
}

/// Opens a file for writing, from its start; makes it where there is none. A FIFO's reader is waited for so long.
///
/// # Errors
/// As the system says; or nobody reads the FIFO.
pub fn create(path: &Path, patience: Duration) -> io::Result<File> {
    let start = Instant::now();
    loop {
        let opened = File::options()
            .write(true)
            .create(true)
            .truncate(true)
            .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
            .open(path);
        match opened {
            Err(e) if e.raw_os_error() == Some(libc::ENXIO) && is_fifo(path) => {
                if start.elapsed() >= patience {
                    let text = "it is a FIFO that nobody reads";
                    return Err(io::Error::new(e.kind(), text));
                }
                std::thread::sleep(Duration::from_millis(10));
            }
            Ok(file) => {
                block(&file)?;
                return Ok(file);
            }
            Err(e) => return Err(e),
        }
    }
}

/// Writes a file as [`create`] opens it.
///
/// # Errors
/// As [`create`], and the disk is full.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    io::Write::write_all(&mut create(path, PATIENCE)?, bytes)
}

fn is_fifo(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|m| m.file_type().is_fifo())
}

/// Has reads and writes wait, where the file was opened without waiting.
///
/// # Errors
/// As the system says.
pub fn block(file: &File) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    // SAFETY: touches no memory; the descriptor is open.
    let done = unsafe {
        let flags = libc::fcntl(file.as_raw_fd(), libc::F_GETFL);
        libc::fcntl(file.as_raw_fd(), libc::F_SETFL, flags & !libc::O_NONBLOCK)
    };
    match done {
        0.. => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// A file that is being written to take the place of another as a whole.
#[derive(Debug)]
pub struct Replacement {
    /// The temporary file, and the name that it is to get; nothing where it is written through.
    names: Option<(PathBuf, PathBuf)>,
}

impl Replacement {
    /// Opens what is to be written. [`Replacement::finish`] puts it where `path` leads; dropped before, it leaves what
    /// is there as it is. A regular file keeps its permissions, and a symbolic link leads to the new content.
    ///
    /// # Errors
    /// As the system says; the path leads to a folder, or to a FIFO that nobody reads.
    pub fn begin(path: &Path) -> io::Result<(File, Self)> {
        let through = || Ok((create(path, PATIENCE)?, Self { names: None }));
        let Some(target) = resolve(path)? else {
            return through();
        };
        let old = match fs::metadata(&target) {
            Ok(meta) if meta.is_dir() => {
                regular(&meta)?;
                None
            }
            Ok(meta) if !meta.is_file() => return through(),
            Ok(meta) => Some(meta),
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            Err(e) => return Err(e),
        };
        if target.file_name().is_none() {
            return Err(io::Error::from(io::ErrorKind::InvalidFilename));
        }
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        // Short, whatever the name: that may be as long as names can be.
        let name = format!(".mgl-{}-{number}.tmp", std::process::id());
        let temporary = target.with_file_name(name);
        let file = File::options()
            .write(true)
            .create_new(true)
            .open(&temporary)?;
        let replacement = Self {
            names: Some((temporary, target)),
        };
        if let Some(old) = old {
            // Only root can give files away; nobody else has to.
            let _ = fchown(&file, Some(old.uid()), Some(old.gid()));
            file.set_permissions(fs::Permissions::from_mode(old.mode() & 0o777))?;
        }
        Ok((file, replacement))
    }

    /// Puts what was written in its place.
    ///
    /// # Errors
    /// As the system says.
    pub fn finish(mut self) -> io::Result<()> {
        match &self.names {
            None => Ok(()),
            Some((temporary, target)) => {
                fs::rename(temporary, target)?;
                self.names = None;
                Ok(())
            }
        }
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let Some((temporary, _)) = &self.names {
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Writes a file as a whole, as a [`Replacement`].
///
/// # Errors
/// As [`Replacement::begin`], and the disk is full.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (mut file, replacement) = Replacement::begin(path)?;
    io::Write::write_all(&mut file, bytes)?;
    replacement.finish()
}

/// Where symbolic links lead to, the last one's target need not exist; nothing where one of them is the kernel's own, as
/// `/dev/stdout` is in the end: such a one names something open, and not a place.
fn resolve(path: &Path) -> io::Result<Option<PathBuf>> {
    /// As many as the kernel follows.
    const MOST: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST {
        match fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_symlink() => {}
            Ok(_) => return Ok(Some(path)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Some(path)),
            Err(e) => return Err(e),
        }
        let folder = match path.parent() {
            Some(p) if p != Path::new("") => p.to_owned(),
            _ => PathBuf::from("."),
        };
        if is_proc(&folder) {
            return Ok(None);
        }
        path = folder.join(fs::read_link(&path)?);
    }
    Err(io::Error::from_raw_os_error(libc::ELOOP))
}

fn is_proc(folder: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt;
    let Ok(name) = std::ffi::CString::new(folder.as_os_str().as_bytes()) else {
        return false;
    };
    // SAFETY: the name ends with a zero; the structure is written by the call, and plain data.
    unsafe {
        let mut found: libc::statfs = std::mem::zeroed();
        libc::statfs(name.as_ptr(), &mut found) == 0 && found.f_type == libc::PROC_SUPER_MAGIC
    }
}

/// Whether a program could write a file of this name, from now on; nothing is left behind and nothing is changed.
///
/// # Errors
/// In the system's words; or it is a thing that no file can be written to: a folder, a FIFO, a disk, a terminal.
pub fn writable(path: &Path) -> io::Result<()> {
    let refused = |what: &str| {
        let text = format!("it is {what}, not a file");
        Err(io::Error::new(io::ErrorKind::InvalidInput, text))
    };
    match fs::metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            let target = resolve(path)?.unwrap_or_else(|| path.to_owned());
            File::options()
                .write(true)
                .create_new(true)
                .open(&target)
                .and_then(|_| fs::remove_file(&target))
        }
        Err(e) => Err(e),
        Ok(meta) => {
            let what = meta.file_type();
            if what.is_block_device() {
                return refused("a disk");
            }
            if let Some(other) = kind(what).filter(|_| !what.is_char_device()) {
                return refused(other);
            }
            let file = File::options()
                .write(true)
                .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
                .open(path)?;
            match io::IsTerminal::is_terminal(&file) {
                true => refused("a terminal"),
                false => Ok(()),
            }
        }
    }
}

/// Tells a regular file from what it is after it was written to; nothing where there is none.
#[must_use]
pub fn stamp(path: &Path) -> Option<String> {
    let meta = fs::metadata(path).ok().filter(Metadata::is_file)?;
    Some(format!(
        "{}:{}:{}:{}.{:09}",
        meta.dev(),
        meta.ino(),
        meta.len(),
        meta.mtime(),
        meta.mtime_nsec()
    ))
}

/// Serialises a path as text; what is no UTF-8 in it is replaced.
///
/// # Errors
/// The serialiser's.
pub fn lossy<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&path.to_string_lossy())
}

/// As [`lossy`], where there is a path.
///
/// # Errors
/// The serialiser's.
pub fn lossy_option<S: Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
    match path {
        Some(path) => to.serialize_some(&path.to_string_lossy()),
        None => to.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;
    use std::io::{Read, Write};
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    fn fifo(path: &Path) {
        let name = CString::new(path.as_os_str().as_bytes()).expect("no zero");
        // SAFETY: the name ends with a zero.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
    }

    #[test]
    fn only_regular_files_are_opened() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let pipe = dir.path().join("pipe");
        fifo(&pipe);
        for (path, what) in [
            (pipe.as_path(), "a FIFO"),
            (Path::new("/dev/zero"), "a device"),
            (dir.path(), "a folder"),
        ] {
            let error = open(path).expect_err("no file").to_string();
            assert!(error.contains(what), "{error}");
        }
        let missing = open(&dir.path().join("missing")).expect_err("missing");
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_replacement_takes_the_place_of_a_file_and_of_nothing_else() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let at = |name: &str| dir.path().join(name);
        fs::write(at("file"), "old").expect("written");
        fs::set_permissions(at("file"), fs::Permissions::from_mode(0o640)).expect("set");
        symlink("file", at("link")).expect("linked");
        symlink("link", at("link to link")).expect("linked");
        symlink("new", at("dangling")).expect("linked");

        // Given up: nothing has changed.
        let (mut file, replacement) = Replacement::begin(&at("link")).expect("begun");
        file.write_all(b"half").expect("written");
        drop(replacement);
        assert_eq!(fs::read(at("file")).expect("read"), b"old");
        let there = fs::read_dir(dir.path()).expect("a folder").count();
        assert_eq!(there, 4, "nothing is left");

        replace(&at("link to link"), b"new").expect("replaced");
        replace(&at("dangling"), b"made").expect("replaced");
        for name in ["link", "link to link", "dangling"] {
            let meta = fs::symlink_metadata(at(name)).expect("there");
            assert!(meta.is_symlink(), "{name}");
        }
        assert_eq!(fs::read(at("file")).expect("read"), b"new");
        let mode = fs::metadata(at("file")).expect("there").mode() & 0o777;
        assert_eq!(mode, 0o640);
        assert_eq!(fs::read(at("new")).expect("read"), b"made");

        // A name as long as names can be.
        let long = at(&"n".repeat(255));
        replace(&long, b"long").expect("replaced");
        assert_eq!(fs::read(long).expect("read"), b"long");

        let error = replace(dir.path(), b"x").expect_err("a folder");
        assert!(error.to_string().contains("folder"), "{error}");
        symlink("round", at("round")).expect("linked");
        assert!(replace(&at("round"), b"x").is_err());
    }

    #[test]
    fn devices_and_fifos_are_written_through() {
        let dir = tempfile::tempdir().expect("temporary folder");
        // A link to the device stands for it: a mistake here would cost the link and not the device.
        let null = dir.path().join("null");
        symlink("/dev/null", &null).expect("linked");
        replace(&null, b"gone").expect("written");
        assert!(fs::symlink_metadata(&null).expect("there").is_symlink());
        assert!(
            fs::metadata("/dev/null")
                .expect("there")
                .file_type()
                .is_char_device()
        );

        let pipe = dir.path().join("pipe");
        fifo(&pipe);
        let name = pipe.clone();
        let reader = std::thread::spawn(move || {
            let mut text = String::new();
            File::open(name)?.read_to_string(&mut text).map(|_| text)
        });
        replace(&pipe, b"through").expect("written");
        assert_eq!(reader.join().expect("read").expect("read"), "through");
        assert!(is_fifo(&pipe));
        let nobody = create(&pipe, Duration::from_millis(20)).expect_err("nobody reads");
        assert!(nobody.to_string().contains("FIFO"), "{nobody}");

        // What is open already is written to, by whichever name.
        let path = dir.path().join("open");
        let file = File::create(&path).expect("made");
        let id = fs::metadata(&path).expect("there").ino();
        let fd = std::os::fd::AsRawFd::as_raw_fd(&file);
        let link = dir.path().join("descriptor");
        symlink(format!("/proc/self/fd/{fd}"), &link).expect("linked");
        replace(&link, b"through").expect("written");
        assert_eq!(fs::metadata(&path).expect("there").ino(), id);
        assert_eq!(fs::read(&path).expect("read"), b"through");
    }

    #[test]
    fn what_cannot_be_written_is_known_before() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let at = |name: &str| dir.path().join(name);
        writable(&at("new")).expect("writable");
        symlink("new", at("dangling")).expect("linked");
        writable(&at("dangling")).expect("writable");
        assert!(!at("new").exists(), "nothing is left");
        fs::write(at("old"), "content").expect("written");
        let before = stamp(&at("old"));
        writable(&at("old")).expect("writable");
        assert!(before.is_some() && stamp(&at("old")) == before);
        writable(Path::new("/dev/null")).expect("writable");
        fifo(&at("pipe"));
        for wrong in [
            dir.path(),
            &at("pipe"),
            &at("no folder/file"),
            &at("old/file"),
        ] {
            assert!(writable(wrong).is_err(), "{}", wrong.display());
        }
    }
}
