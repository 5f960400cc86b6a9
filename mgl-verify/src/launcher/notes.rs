//! [`Notes`]: what the driver writes down for the command that starts a program, and the folder where it meets it.

use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use mgl_core::trace::Keeper;
use tempfile::TempDir;

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

/// A file that gets notes, in a folder of its own that nobody else may look into; gone with the value.
#[derive(Debug)]
pub struct Notes {
    folder: TempDir,
    path: PathBuf,
}

impl Notes {
    /// An empty one.
    ///
    /// # Errors
    /// There is no folder for temporary files.
    pub fn new() -> io::Result<Self> {
        let mut folder = tempfile::Builder::new();
        folder.permissions(Permissions::from_mode(0o700));
        let folder = folder.prefix("mgl-notes-").tempdir()?;
        let path = folder.path().join("notes");
        File::create_new(&path)?;
        Ok(Self { folder, path })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where a keeper listens whom those know that write notes.
    pub fn keeper(&self) -> PathBuf {
        Keeper::place_beside(&self.path)
    }

    /// Whatever may be there, folders behind what they hold: for whoever has to remove it in our place.
    pub fn leftovers(&self) -> Vec<PathBuf> {
        let folder = self.folder.path().to_owned();
        vec![self.path.clone(), self.keeper(), folder]
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
