//! [`compare_paths`]: a pair of image files, or two folders of them, measured and judged.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::compare::{Comparison, compare};
use super::options::Options;
use super::pixels::{Image, ImageError};
use super::verdict::{Thresholds, Verdict};

/// The result of comparing two paths. Serialises to the JSON of `mgl compare --json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Batch {
    /// Every pair passed and nothing is missing on either side.
    pub pass: bool,
    /// The pairs, by name.
    pub images: Vec<BatchRow>,
    /// Names that only the left folder has.
    pub only_left: Vec<String>,
    /// Names that only the right folder has.
    pub only_right: Vec<String>,
}

/// One pair of images.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BatchRow {
    /// File name of the left image.
    pub name: String,
    #[serde(serialize_with = "mgl_core::files::lossy")]
    pub left: PathBuf,
    #[serde(serialize_with = "mgl_core::files::lossy")]
    pub right: PathBuf,
    pub comparison: Comparison,
    pub verdict: Verdict,
}

/// Why two paths could not be compared.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    #[error(transparent)]
    Image(#[from] ImageError),
    /// A folder cannot be listed.
    #[error("{}: cannot read the folder: {source}", path.display())]
    Folder { path: PathBuf, source: io::Error },
    /// Neither folder holds an image.
    #[error("{} and {}: no PNG image in either folder", left.display(), right.display())]
    Empty { left: PathBuf, right: PathBuf },
    /// A file cannot be compared with a folder.
    #[error("{} and {}: one is a folder and the other is not", left.display(), right.display())]
    Kinds { left: PathBuf, right: PathBuf },
}

/// Compares two PNG files; or two folders, each `*.png` of one with its namesake of the other.
///
/// `step` is called with the number of pairs, once after each of them.
///
/// # Errors
/// [`BatchError`], at the first file that cannot be read. Images missing on one side and images of
/// different sizes are results, not errors.
pub fn compare_paths(
    left: &Path,
    right: &Path,
    options: &Options,
    thresholds: &Thresholds,
    mut step: impl FnMut(u64),
) -> Result<Batch, BatchError> {
    let (left, right) = (left.to_owned(), right.to_owned());
    let mut batch = Batch {
        pass: false,
        images: Vec::new(),
        only_left: Vec::new(),
        only_right: Vec::new(),
    };
    let pairs: Vec<(PathBuf, PathBuf)> = match (is_folder(&left)?, is_folder(&right)?) {
        (false, false) => vec![(left, right)],
        (true, true) => {
            let (of_left, of_right) = (names(&left)?, names(&right)?);
            if of_left.is_empty() && of_right.is_empty() {
                return Err(BatchError::Empty { left, right });
            }
            batch.only_left = of_left.difference(&of_right).map(|n| text(n)).collect();
            batch.only_right = of_right.difference(&of_left).map(|n| text(n)).collect();
            let both = of_left.intersection(&of_right);
            both.map(|n| (left.join(n), right.join(n))).collect()
        }
        _ => return Err(BatchError::Kinds { left, right }),
    };
    let total = pairs.len() as u64;
    for (left, right) in pairs {
        let comparison = compare(&Image::load(&left)?, &Image::load(&right)?, options);
        batch.images.push(BatchRow {
            name: text(&file_name(&left)),
            verdict: thresholds.judge(&comparison),
            comparison,
            left,
            right,
        });
        step(total);
    }
    batch.pass = batch.only_left.is_empty()
        && batch.only_right.is_empty()
        && batch.images.iter().all(|row| row.verdict.pass);
    Ok(batch)
}

/// Whether the path is a folder; an error when there is nothing there.
fn is_folder(path: &Path) -> Result<bool, ImageError> {
    match std::fs::metadata(path) {
        Ok(found) => Ok(found.is_dir()),
        Err(source) => Err(ImageError::Read {
            path: path.to_owned(),
            source,
        }),
    }
}

fn file_name(path: &Path) -> OsString {
    path.file_name().unwrap_or_default().to_owned()
}

/// A name as text, for reports.
fn text(name: &OsStr) -> String {
    name.to_string_lossy().into_owned()
}

/// Names of the PNG files in a folder.
fn names(folder: &Path) -> Result<BTreeSet<OsString>, BatchError> {
    let error = |source| BatchError::Folder {
        path: folder.to_owned(),
        source,
    };
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(folder).map_err(error)? {
        let path = entry.map_err(error)?.path();
        if path
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("png"))
        {
            names.insert(file_name(&path));
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn save(folder: &Path, name: &str, value: u8) {
        std::fs::create_dir_all(folder).expect("folder");
        let image = Image::from_fn(20, 20, |_, _| [value; 4]);
        image.save(&folder.join(name)).expect("save");
    }

    fn exact(left: &Path, right: &Path) -> Result<Batch, BatchError> {
        compare_paths(left, right, &Options::default(), &Thresholds::EXACT, |_| {})
    }

    #[test]
    fn folders_are_compared_name_by_name() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        save(&a, "0.png", 5);
        save(&b, "0.png", 5);
        std::fs::write(a.join("notes.txt"), "not an image").expect("write");
        assert!(exact(&a, &b).expect("readable").pass);

        save(&a, "1.png", 5);
        save(&b, "1.png", 6);
        let batch = exact(&a, &b).expect("readable");
        let verdicts: Vec<bool> = batch.images.iter().map(|row| row.verdict.pass).collect();
        assert_eq!((batch.pass, verdicts), (false, vec![true, false]));

        save(&b, "1.png", 5);
        save(&b, "2.png", 5);
        let batch = exact(&a, &b).expect("readable");
        assert!(!batch.pass, "a missing image is no pass");
        assert_eq!(batch.only_right, ["2.png"]);
    }

    #[test]
    fn empty_folders_and_mixed_kinds_are_errors() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        save(&a, "0.png", 1);
        std::fs::create_dir(&b).expect("folder");
        assert!(matches!(exact(&b, &b), Err(BatchError::Empty { .. })));
        assert!(matches!(
            exact(&a.join("0.png"), &a),
            Err(BatchError::Kinds { .. })
        ));
    }
}
