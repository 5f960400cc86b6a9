//! [`Golden`]: the folder of a golden, and its files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::paths;
use super::settings::Settings;
use crate::image::{Image, ImageError};
use crate::replay::image_name;
use crate::state::{StateError, StateLog};

/// Settings.
pub const SETTINGS: &str = "golden.toml";
/// Pushed state.
pub const STATE: &str = "state.mglstate";
/// Upload shapes.
pub const UPLOADS: &str = "uploads.toml";
/// Counters.
pub const COUNTERS: &str = "counters.toml";
/// Images that all back ends share.
pub const FRAMES: &str = "frames";
/// How images compare with the system's OpenGL.
pub const BLESSING: &str = "blessing.toml";
/// Results that nobody has decided on.
pub const PENDING: &str = "pending";

/// What a file starts with when a large-file store left a pointer in its place.
const POINTER_PREFIX: &[u8] = b"version https://git-lfs";

/// Why a file of a golden cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no such file.
    #[error("{}: not there", .0.display())]
    Missing(PathBuf),
    /// The file holds an address and not the content.
    #[error("{}: a pointer of a large-file store, not the file: fetch the real one", .0.display())]
    Pointer(PathBuf),
    /// Reading or writing failed.
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    /// The content is not what it should be.
    #[error("{}: {problem}", path.display())]
    Content { path: PathBuf, problem: String },
    #[error(transparent)]
    Image(ImageError),
}

/// Pointers and files that are missing are states of their own, whatever the kind of file.
impl From<ImageError> for StoreError {
    fn from(error: ImageError) -> Self {
        match error {
            ImageError::Pointer { path } => Self::Pointer(path),
            ImageError::Read { path, source } if source.kind() == io::ErrorKind::NotFound => {
                Self::Missing(path)
            }
            other => Self::Image(other),
        }
    }
}

/// A golden, or the results that are pending for it: both have the same files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Golden {
    folder: PathBuf,
    /// The golden's own folder: nothing is written or removed outside it, whatever links lie in it.
    root: PathBuf,
}

impl Golden {
    /// The golden of a name below the goldens' folder.
    pub fn new(goldens: &Path, name: &str) -> Self {
        let folder = goldens.join(name);
        Self {
            root: folder.clone(),
            folder,
        }
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What is pending for it.
    pub fn pending(&self) -> Self {
        Self {
            folder: self.folder.join(PENDING),
            root: self.root.clone(),
        }
    }

    /// Whether it was made: its settings are there.
    pub fn exists(&self) -> bool {
        self.folder.join(SETTINGS).is_file()
    }

    /// The settings, checked.
    pub fn settings(&self) -> Result<Settings, StoreError> {
        let settings: Settings = self.toml(SETTINGS)?;
        settings.check().map_err(|problem| StoreError::Content {
            path: self.folder.join(SETTINGS),
            problem,
        })?;
        Ok(settings)
    }

    /// The image of a frame in one of its folders of images.
    pub fn image(&self, folder: &str, frame: u64) -> Result<Image, StoreError> {
        Ok(Image::load(&self.image_path(folder, frame))?)
    }

    /// Where the image of a frame is.
    pub fn image_path(&self, folder: &str, frame: u64) -> PathBuf {
        self.folder.join(folder).join(image_name(frame))
    }

    /// The pushed state.
    pub fn state(&self) -> Result<StateLog, StoreError> {
        let path = self.folder.join(STATE);
        let bytes = read(&path)?;
        StateLog::decode(&bytes).map_err(|e: StateError| StoreError::Content {
            path,
            problem: e.to_string(),
        })
    }

    /// A file of text.
    pub fn text(&self, name: &str) -> Result<String, StoreError> {
        let path = self.folder.join(name);
        String::from_utf8(read(&path)?).map_err(|_| StoreError::Content {
            path,
            problem: "not a text of UTF-8".to_owned(),
        })
    }

    /// A file of TOML.
    pub fn toml<T: DeserializeOwned>(&self, name: &str) -> Result<T, StoreError> {
        toml::from_str(&self.text(name)?).map_err(|e| StoreError::Content {
            path: self.folder.join(name),
            problem: e.to_string(),
        })
    }

    /// Writes a file of TOML, below a line of comment.
    pub fn write_toml(
        &self,
        name: &str,
        what: &str,
        value: &impl Serialize,
    ) -> Result<(), StoreError> {
        let text = toml::to_string(value).map_err(|e| StoreError::Content {
            path: self.folder.join(name),
            problem: e.to_string(),
        })?;
        self.write(name, format!("# {what}\n\n{text}").as_bytes())
    }

    /// Writes a file as a whole: what was there stays until the new content is on the disk.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let path = self.folder.join(name);
        let failed = |source| StoreError::Io {
            path: path.clone(),
            source,
        };
        let folder = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(&self.root).map_err(failed)?;
        // The file itself too: what a link of its name leads to would be written.
        paths::inside(&self.root, &path).map_err(failed)?;
        fs::create_dir_all(folder).map_err(failed)?;
        mgl_core::files::replace(&path, bytes).map_err(failed)
    }

    /// Writes an image.
    pub fn write_image(&self, folder: &str, frame: u64, image: &Image) -> Result<(), StoreError> {
        let file = Path::new(folder).join(image_name(frame));
        self.write(&file.to_string_lossy(), &image.to_png()?)
    }

    /// Removes a file or a folder, if it is there; folders that are left empty go too, the golden's own excepted.
    pub fn remove(&self, name: &str) -> Result<(), StoreError> {
        // Without a name the folder itself, not what a link of its name leads to.
        let path = match name {
            "" => self.folder.clone(),
            name => self.folder.join(name),
        };
        if !name.is_empty() && self.folder.is_dir() {
            let parent = path.parent().unwrap_or(&self.folder);
            paths::inside(&self.root, parent).map_err(|source| StoreError::Io {
                path: path.clone(),
                source,
            })?;
        }
        let removed = match fs::symlink_metadata(&path).is_ok_and(|m| m.is_dir()) {
            true => fs::remove_dir_all(&path),
            false => fs::remove_file(&path),
        };
        match removed {
            Err(e) if e.kind() != io::ErrorKind::NotFound => {
                return Err(StoreError::Io { path, source: e });
            }
            _ => {}
        }
        let mut folder = path.parent();
        while let Some(f) = folder.filter(|f| f.starts_with(&self.folder) && *f != self.folder) {
            if fs::remove_dir(f).is_err() {
                break;
            }
            folder = f.parent();
        }
        Ok(())
    }
}

fn read(path: &Path) -> Result<Vec<u8>, StoreError> {
    let bytes = mgl_core::files::read(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => StoreError::Missing(path.to_owned()),
        _ => StoreError::Io {
            path: path.to_owned(),
            source,
        },
    })?;
    if bytes.starts_with(POINTER_PREFIX) {
        return Err(StoreError::Pointer(path.to_owned()));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_missing_pointers_or_content() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let golden = Golden::new(dir.path(), "a/b");
        assert!(matches!(golden.state(), Err(StoreError::Missing(_))));
        assert!(matches!(
            golden.image(FRAMES, 3),
            Err(StoreError::Missing(_))
        ));
        let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n";
        golden.write(STATE, pointer).expect("written");
        golden.write(SETTINGS, pointer).expect("written");
        golden.write("frames/000003.png", pointer).expect("written");
        assert!(matches!(golden.state(), Err(StoreError::Pointer(_))));
        assert!(matches!(golden.settings(), Err(StoreError::Pointer(_))));
        assert!(matches!(
            golden.image(FRAMES, 3),
            Err(StoreError::Pointer(_))
        ));
        golden.write(STATE, b"nonsense").expect("written");
        assert!(matches!(golden.state(), Err(StoreError::Content { .. })));
    }

    #[test]
    fn removing_the_last_file_removes_its_folder() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let pending = Golden::new(dir.path(), "a").pending();
        pending.write("frames/000001.png", b"x").expect("written");
        pending.remove("frames/000001.png").expect("removed");
        assert!(!pending.folder().join("frames").exists());
        pending
            .remove("frames/000001.png")
            .expect("removing twice is no error");
    }
}
