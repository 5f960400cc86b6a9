//! Paths that come from files, and folders that are walked: nothing leads out of its folder, and no link goes round.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// Whether a path names something below wherever it starts from: relative, with nothing but names in it.
pub fn is_plain(path: &Path) -> bool {
    let mut parts = path.components().peekable();
    parts.peek().is_some() && parts.all(|p| matches!(p, Component::Normal(_)))
}

/// Says when `path`, or as much of it as is there, lies outside `root` after all links are followed.
///
/// # Errors
/// It does, or a part of it cannot be looked at.
pub fn inside(root: &Path, path: &Path) -> io::Result<()> {
    let root = fs::canonicalize(root)?;
    let mut there = path;
    let real = loop {
        match fs::canonicalize(there) {
            Ok(real) => break real,
            // A link that leads nowhere yet is a way out too.
            Err(e)
                if e.kind() == io::ErrorKind::NotFound && fs::symlink_metadata(there).is_err() =>
            {
                there = there.parent().ok_or(e)?;
            }
            Err(e) => return Err(e),
        }
    };
    match real.starts_with(&root) {
        true => Ok(()),
        false => Err(io::Error::other(format!(
            "it leads to {}, out of {}",
            real.display(),
            root.display()
        ))),
    }
}

/// Folders that were walked: a folder is walked once, however many links lead to it.
#[derive(Default)]
pub struct Walked(BTreeSet<(u64, u64)>);

impl Walked {
    /// Whether this is a folder that was not walked yet.
    pub fn enter(&mut self, path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|m| m.is_dir() && self.0.insert((m.dev(), m.ino())))
    }
}

/// The regular files, and the links, below a folder: paths in it, sorted. Links are not followed.
pub fn files(root: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder))
            .into_iter()
            .flatten()
            .flatten()
        {
            let path = folder.join(entry.file_name());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                _ => out.push(path),
            }
        }
    }
    out.sort();
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_names_are_plain() {
        for path in ["a", "a/b", "frames-magma", "a/./b"] {
            assert!(is_plain(Path::new(path)), "{path}");
        }
        for path in ["", "/a", "..", "a/../b", "../a", "."] {
            assert!(!is_plain(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn links_do_not_lead_out() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let root = dir.path().join("root");
        fs::create_dir_all(root.join("a")).expect("made");
        fs::create_dir(dir.path().join("other")).expect("made");
        symlink(dir.path().join("other"), root.join("out")).expect("linked");
        symlink("a", root.join("in")).expect("linked");
        symlink(dir.path().join("not-yet"), root.join("nowhere")).expect("linked");
        for (path, good) in [
            ("a/b/c.png", true),
            ("in/c.png", true),
            ("out/c.png", false),
            ("../other/c.png", false),
            ("nowhere/c.png", false),
        ] {
            assert_eq!(inside(&root, &root.join(path)).is_ok(), good, "{path}");
        }
    }

    #[test]
    fn links_that_go_round_are_walked_once() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        symlink(".", dir.path().join("round")).expect("linked");
        fs::write(dir.path().join("a"), "").expect("written");
        assert_eq!(files(dir.path()), [PathBuf::from("a"), "round".into()]);
        let mut walked = Walked::default();
        assert!(walked.enter(dir.path()) && !walked.enter(&dir.path().join("round")));
    }
}
