//! The trace file at the writer thread's end: a descriptor among those of a program that closes what it does not know.
//!
//! A number that the program has closed is another file's before long, which is not ours to write to, cut or close. So
//! each time it is looked whether it still is the trace's, and if not the file is opened again.

use std::fs::{File, Metadata};
use std::io::{self, Seek, SeekFrom, Write};
use std::mem::{ManuallyDrop, replace};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// See the module.
pub(super) struct Output {
    /// Dropped only while the descriptor is this file's.
    file: ManuallyDrop<File>,
    path: PathBuf,
    /// Device and number of the file.
    identity: (u64, u64),
    /// Where it is written next.
    at: u64,
}

fn identity(m: &Metadata) -> (u64, u64) {
    (m.dev(), m.ino())
}

impl Output {
    /// A file that has been opened at `path`, and written up to `at`.
    pub fn new(file: File, path: &Path, at: u64) -> io::Result<Self> {
        Ok(Self {
            identity: identity(&file.metadata()?),
            file: ManuallyDrop::new(file),
            path: path.to_owned(),
            at,
        })
    }

    /// Cuts the file, and goes on there.
    pub fn cut(&mut self, at: u64) -> io::Result<()> {
        self.hold()?;
        self.file.set_len(at)?;
        self.file.seek(SeekFrom::Start(at))?;
        self.at = at;
        Ok(())
    }

    /// Whether the descriptor is the file's.
    fn is_held(&self) -> bool {
        let there = self.file.metadata();
        there.is_ok_and(|m| identity(&m) == self.identity)
    }

    /// Sees to it that it is.
    fn hold(&mut self) -> io::Result<()> {
        if self.is_held() {
            return Ok(());
        }
        let mut again = File::options()
            .write(true)
            .custom_flags(libc::O_NOCTTY | libc::O_NONBLOCK)
            .open(&self.path)
            .map_err(|e| {
                let text = format!("the program has closed it, and it cannot be opened again: {e}");
                io::Error::new(e.kind(), text)
            })?;
        let there = again.metadata()?;
        if !there.is_file() || identity(&there) != self.identity {
            return Err(io::Error::other(
                "the program has closed it, and another file has its name",
            ));
        }
        again.seek(SeekFrom::Start(self.at))?;
        // What is let go of has been closed before.
        let _ = replace(&mut self.file, ManuallyDrop::new(again));
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.hold()?;
        let n = self.file.write(bytes)?;
        self.at += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if self.is_held() {
            // SAFETY: it is not used again.
            unsafe { ManuallyDrop::drop(&mut self.file) };
        }
    }
}
