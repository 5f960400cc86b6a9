//! [`Notes`]: what the driver writes down for the command that starts a program.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// What a process of the program wrote down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The driver was loaded into a program of this name.
    Loaded(String),
    /// A process began to record into this file.
    Recording(PathBuf),
    /// A process made a context and could not record, for this reason.
    Failed(String),
    /// A context was asked for and refused, for this reason.
    Refused(String),
}

/// A file that gets notes; gone with the value.
#[derive(Debug)]
pub struct Notes(NamedTempFile);

impl Notes {
    /// An empty one.
    ///
    /// # Errors
    /// There is no folder for temporary files.
    pub fn new() -> io::Result<Self> {
        NamedTempFile::with_prefix("mgl-notes-").map(Self)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// What there is by now.
    pub fn read(&self) -> Vec<Note> {
        parse(&std::fs::read(self.path()).unwrap_or_default())
    }
}

fn parse(bytes: &[u8]) -> Vec<Note> {
    let note = |bytes: &[u8]| {
        let at = bytes.iter().position(|b| *b == b'\t')?;
        let (what, rest) = (&bytes[..at], &bytes[at + 1..]);
        let text = || String::from_utf8_lossy(rest).into_owned();
        Some(match what {
            b"loaded" => Note::Loaded(text()),
            b"recording" => Note::Recording(OsStr::from_bytes(rest).into()),
            b"failed" => Note::Failed(text()),
            b"refused" => Note::Refused(text()),
            _ => return None,
        })
    };
    bytes.split(|b| *b == 0).filter_map(note).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_read_as_they_are_written() {
        let bytes = b"loaded\tgame\0recording\t/a\n\xff.mgltrace\0new\tx\0failed\tno\ttab\0half";
        let path = OsStr::from_bytes(b"/a\n\xff.mgltrace");
        assert_eq!(
            parse(bytes),
            [
                Note::Loaded("game".into()),
                Note::Recording(path.into()),
                Note::Failed("no\ttab".into())
            ]
        );
    }
}
