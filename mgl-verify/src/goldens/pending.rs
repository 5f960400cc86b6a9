//! What is pending: results that differ from their goldens and wait for a decision, one file each.
//!
//! A pending file lies in the golden's folder `pending` under the name of the file that it would replace. A recording that
//! goes with them lies there as `trace.mgltrace`.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::blessing::{self, Blessed, Blesser};
use super::case::{measures, read_toml};
use super::select::{SelectError, goldens};
use super::store::{COUNTERS, Golden, PENDING, SETTINGS, STATE, StoreError, UPLOADS};
use crate::counters::{CounterLimits, CounterTable};
use crate::difference::Difference;
use crate::image::{Image, compare, heatmap};
use crate::uploads::Uploads;

/// The recording that pending state belongs to.
pub const TRACE: &str = "trace.mgltrace";
/// What was found, and where the trace belongs.
const NOTE: &str = "pending.toml";
/// Rows of a review.
const ROWS: usize = 50;

/// `pending.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Note {
    /// The trace file that a pending recording would replace, as an absolute path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<PathBuf>,
    /// What was found, by file.
    pub found: std::collections::BTreeMap<String, String>,
}

/// A file that waits for a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Item {
    /// Name of the golden.
    pub name: String,
    /// The file: `state.mglstate`, `uploads.toml`, `counters.toml`, `golden.toml`, `frames/000012.png`, `trace.mgltrace`.
    pub file: String,
    /// What was found.
    pub found: String,
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.name, self.file)
    }
}

/// Why pending results cannot be shown or decided on.
#[derive(Debug, thiserror::Error)]
pub enum PendingError {
    #[error(transparent)]
    Select(#[from] SelectError),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Nothing of that name is pending.
    #[error("nothing is pending that is called {0}; `mgl golden list` shows what is")]
    Unknown(String),
    /// A pending recording has lost its place.
    #[error("{0}: it is not known which trace the pending recording belongs to")]
    NoTrace(String),
}

/// All that is pending below a folder of goldens, in the order of names.
///
/// # Errors
/// A folder cannot be read.
pub fn list(folder: &Path) -> Result<Vec<Item>, PendingError> {
    let mut names = goldens(folder)?;
    names.extend(new_ones(folder, folder));
    names.sort();
    names.dedup();
    let mut out = Vec::new();
    for name in names {
        let pending = Golden::new(folder, &name).pending();
        let note: Note = pending.toml(NOTE).unwrap_or_default();
        for file in files(pending.folder()) {
            let found = note.found.get(&file).cloned().unwrap_or_default();
            out.push(Item {
                name: name.clone(),
                file,
                found,
            });
        }
    }
    Ok(out)
}

/// Goldens that are not there yet and have something pending.
fn new_ones(root: &Path, folder: &Path) -> Vec<String> {
    let mut out = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if !path.is_dir() {
            continue;
        }
        if path.file_name().is_some_and(|n| n == PENDING) {
            let name = folder.strip_prefix(root).unwrap_or(folder);
            out.push(name.to_string_lossy().into_owned());
        } else {
            out.extend(new_ones(root, &path));
        }
    }
    out
}

/// The files below a pending folder, sorted; the note is none of them.
fn files(folder: &Path) -> Vec<String> {
    fn walk(root: &Path, folder: &Path, out: &mut Vec<String>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(root, &path, out);
            } else {
                let name = path.strip_prefix(root).unwrap_or(&path);
                out.push(name.to_string_lossy().into_owned());
            }
        }
    }
    let mut out = Vec::new();
    walk(folder, folder, &mut out);
    out.retain(|f| f != NOTE);
    out.sort();
    out
}

/// The pending files that names mean: `NAME` all of a golden's, `NAME:FILE` one, where the ending of the file may be left
/// out and `image 12` stands for `frames/000012.png`.
///
/// # Errors
/// Nothing is pending under one of the names.
pub fn select(folder: &Path, names: &[String]) -> Result<Vec<Item>, PendingError> {
    let all = list(folder)?;
    let mut out: Vec<Item> = Vec::new();
    for name in names {
        let mut fitting = all
            .iter()
            .filter(|item| fits(item, name))
            .filter(|item| !out.contains(item))
            .cloned()
            .collect::<Vec<_>>();
        if fitting.is_empty() && !out.iter().any(|item| fits(item, name)) {
            return Err(PendingError::Unknown(name.clone()));
        }
        out.append(&mut fitting);
    }
    Ok(out)
}

fn fits(item: &Item, name: &str) -> bool {
    let Some((golden, file)) = name.rsplit_once(':') else {
        return item.name == name;
    };
    let stem = Path::new(&item.file).with_extension("");
    let image = file
        .strip_prefix("image ")
        .and_then(|n| n.parse::<u64>().ok())
        .map(|n| format!("frames/{}", crate::replay::image_name(n)));
    item.name == golden
        && (item.file == file || stem.as_os_str() == file || image.as_ref() == Some(&item.file))
}

/// The frame of an image file, with its folder.
fn frame_of(file: &str) -> Option<(&str, u64)> {
    let (folder, name) = file.rsplit_once('/')?;
    Some((folder, name.strip_suffix(".png")?.parse().ok()?))
}

/// Both values of a pending file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Review {
    #[serde(flatten)]
    pub item: Item,
    /// In a few words.
    pub summary: String,
    /// The golden's file and the pending one.
    #[serde(serialize_with = "mgl_core::files::lossy_option")]
    pub golden: Option<PathBuf>,
    #[serde(serialize_with = "mgl_core::files::lossy")]
    pub pending: PathBuf,
    /// Where images differ, as a picture.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "mgl_core::files::lossy_option"
    )]
    pub heatmap: Option<PathBuf>,
    /// The first differences.
    pub differences: Vec<Difference>,
}

/// Compares a pending file with the golden. Heatmaps are written into `heatmaps`, where that is given.
///
/// # Errors
/// The pending file cannot be read; a golden file that cannot is said to be missing.
pub fn review(folder: &Path, item: &Item, heatmaps: Option<&Path>) -> Result<Review, PendingError> {
    let golden = Golden::new(folder, &item.name);
    let pending = golden.pending();
    let path = golden.folder().join(&item.file);
    let mut out = Review {
        item: item.clone(),
        summary: item.found.clone(),
        golden: path.is_file().then_some(path),
        pending: pending.folder().join(&item.file),
        heatmap: None,
        differences: Vec::new(),
    };
    match item.file.as_str() {
        STATE => {
            let actual = pending.state()?;
            if let Ok(log) = golden.state() {
                let diff = log.diff(&actual, ROWS);
                out.summary = format!("{} differences", diff.total);
                out.differences = diff.rows;
            }
        }
        UPLOADS => {
            let actual = read_toml(&pending, UPLOADS, Uploads::from_toml)?;
            if let Ok(uploads) = read_toml(&golden, UPLOADS, Uploads::from_toml) {
                out.differences = Uploads::compare(&uploads, &actual);
                let deltas = Uploads::delta_lines(&item.name, &uploads, &actual);
                out.summary = deltas.join("\n");
            }
        }
        COUNTERS => {
            let actual = read_toml(&pending, COUNTERS, CounterTable::from_toml)?;
            if let Ok(counters) = read_toml(&golden, COUNTERS, CounterTable::from_toml) {
                let none = CounterLimits::default();
                out.differences = CounterTable::compare(&counters, &actual, &none);
                let deltas = CounterTable::delta_lines(&item.name, &counters, &actual);
                out.summary = deltas.join("\n");
            }
        }
        file => {
            if let Some((images, frame)) = frame_of(file) {
                let actual = pending.image(images, frame)?;
                if let Ok(expected) = golden.image(images, frame) {
                    let settings = golden.settings().unwrap_or_default();
                    let options = settings.images.options();
                    out.summary = measures(&compare(&expected, &actual, &options));
                    if let (Some(to), Some(picture)) =
                        (heatmaps, heatmap(&expected, &actual, &options))
                    {
                        let name = item.to_string().replace(['/', ':'], "-");
                        let path = to.join(name);
                        picture.save(&path).map_err(StoreError::from)?;
                        out.heatmap = Some(path);
                    }
                }
            }
        }
    }
    if out.golden.is_none() {
        out.summary = "there is no golden yet".to_owned();
    }
    Ok(out)
}

/// Takes pending files in as goldens; says for each what became of it. Images are compared with the system's first.
///
/// # Errors
/// A file cannot be moved. What was accepted before it stays accepted.
pub fn accept(
    folder: &Path,
    items: &[Item],
    limit: Duration,
) -> Result<Vec<(Item, String)>, PendingError> {
    let mut out = Vec::new();
    // Settings first, as images are compared by them.
    let mut ordered: Vec<&Item> = items.iter().collect();
    ordered.sort_by_key(|i| (i.name.clone(), i.file != SETTINGS, i.file.clone()));
    for group in ordered.chunk_by(|a, b| a.name == b.name) {
        let golden = Golden::new(folder, &group[0].name);
        let (settings, images): (Vec<&Item>, Vec<&Item>) =
            group.iter().partition(|i| frame_of(&i.file).is_none());
        for item in settings {
            accept_file(&golden, item)?;
            out.push((item.clone(), "accepted".to_owned()));
        }
        let settings = golden.settings()?;
        let mut blesser = Blesser::new(&golden, &settings, limit);
        for item in images {
            let Some((images, frame)) = frame_of(&item.file) else {
                continue;
            };
            let image = Image::load(&golden.pending().folder().join(&item.file))
                .map_err(StoreError::from)?;
            let blessed = blesser.bless(frame, &image);
            accept_file(&golden, item)?;
            blessing::note(&golden, images, frame, &blessed)?;
            let words = match blessed {
                Blessed::Like(figures) => figures.in_words(),
                Blessed::Unlike(figures, why) => {
                    format!("NOT as the system shows it: {why}; {}", figures.in_words())
                }
                Blessed::Unknown(why) => format!("not compared with the system's: {why}"),
            };
            out.push((item.clone(), format!("accepted, {words}")));
        }
    }
    Ok(out)
}

fn accept_file(golden: &Golden, item: &Item) -> Result<(), PendingError> {
    let pending = golden.pending();
    let from = pending.folder().join(&item.file);
    let bytes = mgl_core::files::read(&from).map_err(|source| StoreError::Io {
        path: from.clone(),
        source,
    })?;
    if item.file == TRACE {
        let note: Note = pending.toml(NOTE).unwrap_or_default();
        let to = note
            .trace
            .ok_or_else(|| PendingError::NoTrace(item.name.clone()))?;
        let io = |source| StoreError::Io {
            path: to.clone(),
            source,
        };
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent).map_err(io)?;
        }
        mgl_core::files::replace(&to, &bytes).map_err(io)?;
    } else {
        golden.write(&item.file, &bytes)?;
    }
    forget(golden, &item.file)?;
    Ok(())
}

/// Throws pending files away.
///
/// # Errors
/// A file cannot be removed.
pub fn reject(folder: &Path, items: &[Item]) -> Result<(), PendingError> {
    for item in items {
        forget(&Golden::new(folder, &item.name), &item.file)?;
    }
    Ok(())
}

/// Removes a pending file, and with the last one the folder; a golden that was nothing else goes too.
///
/// # Errors
/// Something cannot be removed.
pub fn forget(golden: &Golden, file: &str) -> Result<(), StoreError> {
    let pending = golden.pending();
    pending.remove(file)?;
    if pending.folder().is_dir() && files(pending.folder()).is_empty() {
        golden.remove(PENDING)?;
        // Only an empty folder can be removed so.
        let _ = fs::remove_dir(golden.folder());
    }
    Ok(())
}

/// Writes the note beside pending files.
///
/// # Errors
/// It cannot be written.
pub fn write_note(golden: &Golden, note: &Note) -> Result<(), StoreError> {
    golden.pending().write_toml(
        NOTE,
        "Results that wait for a decision: see `mgl golden review`.",
        note,
    )
}

/// The note beside pending files, if there is one.
pub fn read_note(golden: &Golden) -> Note {
    golden.pending().toml(NOTE).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(red: u8) -> Image {
        Image::from_fn(32, 32, |x, _| [red, x as u8, 0, 255])
    }

    /// A folder of goldens in which `a/b` has a golden and something pending, and `new` is not there yet.
    fn goldens_folder() -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let golden = Golden::new(dir.path(), "a/b");
        golden.write(SETTINGS, b"").expect("written");
        golden
            .write_image("frames", 12, &picture(1))
            .expect("written");
        let pending = golden.pending();
        pending
            .write_image("frames", 12, &picture(9))
            .expect("written");
        pending
            .write(COUNTERS, b"[client]\nframes = 1\n")
            .expect("written");
        let note = Note {
            found: [("frames/000012.png".to_owned(), "it is red".to_owned())].into(),
            ..Note::default()
        };
        write_note(&golden, &note).expect("written");
        let new = Golden::new(dir.path(), "new");
        new.pending()
            .write(SETTINGS, b"[images]\nframes = [2]\n")
            .expect("written");
        dir
    }

    fn shown(items: &[Item]) -> Vec<String> {
        items.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_is_pending_is_listed_and_named() {
        let dir = goldens_folder();
        let all = list(dir.path()).expect("read");
        assert_eq!(
            shown(&all),
            [
                "a/b:counters.toml",
                "a/b:frames/000012.png",
                "new:golden.toml"
            ]
        );
        assert_eq!(all[1].found, "it is red");
        let of = |name: &str| select(dir.path(), &[name.to_owned()]).map(|i| shown(&i));
        assert_eq!(of("a/b").expect("known").len(), 2);
        assert_eq!(of("a/b:counters").expect("known"), ["a/b:counters.toml"]);
        assert_eq!(
            of("a/b:image 12").expect("known"),
            ["a/b:frames/000012.png"]
        );
        for unknown in ["a", "a/b:state", "a/b:image 13", ""] {
            assert!(
                matches!(of(unknown), Err(PendingError::Unknown(_))),
                "{unknown}"
            );
        }
    }

    #[test]
    fn accepting_moves_one_file_and_leaves_the_others() {
        let dir = goldens_folder();
        let items = select(dir.path(), &["a/b:image 12".to_owned()]).expect("known");
        let done = accept(dir.path(), &items, Duration::from_secs(1)).expect("accepted");
        assert!(done[0].1.contains("source"), "{done:?}");
        let golden = Golden::new(dir.path(), "a/b");
        assert_eq!(golden.image("frames", 12).expect("there"), picture(9));
        let left = shown(&list(dir.path()).expect("read"));
        assert_eq!(left, ["a/b:counters.toml", "new:golden.toml"]);
    }

    #[test]
    fn a_new_golden_is_accepted_or_leaves_nothing() {
        let dir = goldens_folder();
        let items = select(dir.path(), &["new".to_owned()]).expect("known");
        accept(dir.path(), &items, Duration::from_secs(1)).expect("accepted");
        let settings = Golden::new(dir.path(), "new").settings().expect("there");
        assert_eq!(settings.images.frames, [2].into());
        let dir = goldens_folder();
        let items = select(dir.path(), &["new".to_owned()]).expect("known");
        reject(dir.path(), &items).expect("rejected");
        assert!(!dir.path().join("new").exists());
        assert_eq!(list(dir.path()).expect("read").len(), 2);
    }

    #[test]
    fn a_review_shows_both_values() {
        let dir = goldens_folder();
        let items = select(dir.path(), &["a/b:image 12".to_owned()]).expect("known");
        let review = review(dir.path(), &items[0], Some(dir.path())).expect("readable");
        assert!(review.golden.is_some_and(|p| p.is_file()));
        assert!(review.pending.is_file());
        assert!(review.heatmap.is_some_and(|p| p.is_file()));
        assert!(
            review.summary.contains("1024 of 1024"),
            "{}",
            review.summary
        );
    }
}
