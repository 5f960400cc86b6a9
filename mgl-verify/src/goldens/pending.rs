//! What is pending: results that differ from their goldens and wait for a decision, one file each.
//!
//! A pending file lies in the golden's folder `pending` under the name of the file that it would replace. A recording that
//! goes with them lies there as `trace.mgltrace`. Pending files may come from elsewhere (a CI server, another person): each
//! is read and checked before any is taken in, and none of them says where on this machine something is written.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mgl_core::trace::TraceFile;
use serde::{Deserialize, Serialize};

use super::blessing::{self, Blessed, Blesser};
use super::case::{measures, read_toml};
use super::paths::{self, Walked, is_plain};
use super::select::{SelectError, goldens};
use super::settings::Settings;
use super::store::{COUNTERS, FRAMES, Golden, PENDING, SETTINGS, STATE, StoreError, UPLOADS};
use crate::counters::{CounterLimits, CounterTable};
use crate::difference::Difference;
use crate::image::{Image, compare, heatmap};
use crate::state::StateLog;
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
    /// The trace file that a pending recording would replace, from the folder in which the goldens' folder lies; absent
    /// where it is not below that.
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
    #[error(
        "{0}: it is not known which trace the pending recording belongs to; `mgl golden accept --traces FOLDER` says where"
    )]
    NoTrace(String),
    /// A pending recording is to go where no trace of the golden can be.
    #[error("{name}: {NOTE} says that the recording belongs to {}: {why}", to.display())]
    Place {
        name: String,
        to: PathBuf,
        why: String,
    },
}

/// All that is pending below a folder of goldens, in the order of names.
///
/// # Errors
/// A folder cannot be read.
pub fn list(folder: &Path) -> Result<Vec<Item>, PendingError> {
    let mut names = goldens(folder)?;
    new_ones(folder, folder, &mut Walked::default(), &mut names);
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
fn new_ones(root: &Path, folder: &Path, walked: &mut Walked, out: &mut Vec<String>) {
    if !walked.enter(folder) {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if !path.is_dir() {
            continue;
        }
        if path.file_name().is_some_and(|n| n == PENDING) {
            if folder == root {
                continue;
            }
            let name = folder.strip_prefix(root).unwrap_or(folder);
            out.push(name.to_string_lossy().into_owned());
        } else {
            new_ones(root, &path, walked, out);
        }
    }
}

/// The files below a pending folder, sorted; the note is none of them.
fn files(folder: &Path) -> Vec<String> {
    let names = paths::files(folder);
    let names = names.iter().map(|f| f.to_string_lossy().into_owned());
    names.filter(|f| f != NOTE).collect()
}

/// The pending files that names mean: `NAME` all of a golden's, `NAME:FILE` one, where the ending of the file may be left
/// out and `image 12` stands for `frames/000012.png`, in whichever folder of images.
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
        .map(crate::replay::image_name);
    let is_image = || {
        image.is_some()
            && Path::new(&item.file).file_name().and_then(|n| n.to_str()) == image.as_deref()
    };
    item.name == golden && (item.file == file || stem.as_os_str() == file || is_image())
}

/// The frame of an image file, with its folder.
fn frame_of(file: &str) -> Option<(&str, u64)> {
    let (folder, name) = file.rsplit_once('/')?;
    Some((folder, name.strip_suffix(".png")?.parse().ok()?))
}

/// What is wrong with a pending file, as one reads it: nothing, or why it could not be taken in.
fn readable(golden: &Golden, item: &Item) -> Result<Vec<u8>, StoreError> {
    let path = golden.pending().folder().join(&item.file);
    let failed = |source| StoreError::Io {
        path: path.clone(),
        source,
    };
    let wrong = |problem: &dyn fmt::Display| StoreError::Content {
        path: path.clone(),
        problem: problem.to_string(),
    };
    paths::inside(golden.folder(), &path).map_err(failed)?;
    if !fs::symlink_metadata(&path).map_err(failed)?.is_file() {
        return Err(wrong(&"not a regular file"));
    }
    let bytes = mgl_core::files::read(&path).map_err(failed)?;
    let text = || std::str::from_utf8(&bytes).map_err(|e| wrong(&e));
    match item.file.as_str() {
        STATE => StateLog::decode(&bytes).map(drop).map_err(|e| wrong(&e))?,
        UPLOADS => Uploads::from_toml(text()?)
            .map(drop)
            .map_err(|e| wrong(&e))?,
        COUNTERS => CounterTable::from_toml(text()?)
            .map(drop)
            .map_err(|e| wrong(&e))?,
        SETTINGS => drop(golden.pending().settings()?),
        TRACE => whole_trace(&path, &bytes).map_err(|e| wrong(&e))?,
        file => match frame_of(file) {
            Some((folder, _)) if folder == FRAMES || has_override(golden, folder) => {
                Image::from_png(&bytes, &path).map(drop)?;
            }
            _ => return Err(wrong(&"no file of a golden has this name")),
        },
    }
    Ok(bytes)
}

/// Whether a golden, or its pending settings, have a folder of images for a back end.
fn has_override(golden: &Golden, folder: &str) -> bool {
    let has = |settings: Settings| settings.overrides.iter().any(|o| o.folder == folder);
    golden.settings().is_ok_and(has) || golden.pending().settings().is_ok_and(has)
}

fn whole_trace(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let name = path.to_string_lossy();
    let file = TraceFile::from_bytes(&name, bytes.to_vec()).map_err(|e| e.to_string())?;
    match file.recovered() {
        Some(recovery) => Err(recovery.to_string()),
        None if file.all_frames().is_empty() => Err("it holds no frame".to_owned()),
        None => Ok(()),
    }
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
    /// The pending file could not be taken in; the summary says why.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unreadable: bool,
}

/// Compares a pending file with the golden. Heatmaps are written into `heatmaps`, where that is given. A file that could
/// not be taken in is said to be so, and a golden's file that cannot be read to be missing.
///
/// # Errors
/// A heatmap cannot be written.
pub fn review(folder: &Path, item: &Item, heatmaps: Option<&Path>) -> Result<Review, PendingError> {
    let golden = Golden::new(folder, &item.name);
    let pending = golden.pending();
    let mut path = golden.folder().join(&item.file);
    let mut frames = FRAMES;
    if let Some((folder, frame)) = frame_of(&item.file) {
        // A back end that has no image of its own yet was compared with the one of all.
        match path.is_file() {
            true => frames = folder,
            false => path = golden.image_path(FRAMES, frame),
        }
    }
    let mut out = Review {
        item: item.clone(),
        summary: item.found.clone(),
        golden: path.is_file().then_some(path),
        pending: pending.folder().join(&item.file),
        heatmap: None,
        differences: Vec::new(),
        unreadable: false,
    };
    if let Err(e) = readable(&golden, item) {
        (out.summary, out.unreadable) = (e.to_string(), true);
        return Ok(out);
    }
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
                if let Ok(expected) = golden.image(frames, frame) {
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
/// `traces` is the folder of traces that a pending recording goes to; without it, where [`Note::trace`] says.
///
/// # Errors
/// A pending file is not what it should be, or a recording's place is not known: then nothing is taken in. A file cannot
/// be moved: what was accepted before it stays accepted.
pub fn accept(
    folder: &Path,
    items: &[Item],
    traces: Option<&Path>,
    limit: Duration,
) -> Result<Vec<(Item, String)>, PendingError> {
    let mut out = Vec::new();
    // All of them are looked at before the first is taken.
    let mut places = std::collections::BTreeMap::new();
    for item in items {
        let golden = Golden::new(folder, &item.name);
        readable(&golden, item)?;
        if item.file == TRACE {
            let to = trace_place(folder, &golden, &item.name, traces)?;
            places.insert(item.name.clone(), to);
        }
        let makes = |i: &Item| i.name == item.name && i.file == SETTINGS;
        if !items.iter().any(makes) {
            golden.settings()?;
        }
    }
    // Settings first, as images are compared by them.
    let mut ordered: Vec<&Item> = items.iter().collect();
    ordered.sort_by_key(|i| (i.name.clone(), i.file != SETTINGS, i.file.clone()));
    for group in ordered.chunk_by(|a, b| a.name == b.name) {
        let golden = Golden::new(folder, &group[0].name);
        let (settings, images): (Vec<&Item>, Vec<&Item>) =
            group.iter().partition(|i| frame_of(&i.file).is_none());
        for item in settings {
            accept_file(&golden, item, places.get(&item.name))?;
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
            accept_file(&golden, item, None)?;
            blessing::note(&golden, images, frame, &blessed)?;
            let words = match blessed {
                Blessed::Like(figures) => figures.in_words(),
                Blessed::Unlike(figures, why) => {
                    format!("NOT as the system shows it: {why}; {}", figures.in_words())
                }
                Blessed::Unknown(why) => format!("not compared with the system's: {why}"),
            };
            let is_there = |folder: &str| golden.image_path(folder, frame).is_file();
            let sharers = settings.sharers(images, is_there).join(" and ");
            out.push((item.clone(), format!("accepted for {sharers}, {words}")));
        }
    }
    Ok(out)
}

fn accept_file(
    golden: &Golden,
    item: &Item,
    recording: Option<&PathBuf>,
) -> Result<(), PendingError> {
    let bytes = readable(golden, item)?;
    match recording.filter(|_| item.file == TRACE) {
        Some(to) => write_recording(&golden.pending().folder().join(TRACE), to)?,
        None => golden.write(&item.file, &bytes)?,
    }
    forget(golden, &item.file)?;
    Ok(())
}

/// The folder in which the goldens' folder lies: the project that both goldens and traces belong to.
fn project(goldens: &Path) -> std::io::Result<PathBuf> {
    let goldens = fs::canonicalize(goldens)?;
    Ok(goldens.parent().unwrap_or(&goldens).to_owned())
}

/// Where a trace is, from the folder in which the goldens' folder lies; nothing for one that is elsewhere.
pub fn place_of(goldens: &Path, trace: &Path) -> Option<PathBuf> {
    let folder = match trace.parent()? {
        none if none.as_os_str().is_empty() => Path::new("."),
        folder => folder,
    };
    let folder = fs::canonicalize(folder).ok()?;
    let place = folder.join(trace.file_name()?);
    Some(place.strip_prefix(project(goldens).ok()?).ok()?.to_owned())
}

/// Where the pending recording of a golden goes.
fn trace_place(
    goldens: &Path,
    golden: &Golden,
    name: &str,
    traces: Option<&Path>,
) -> Result<PathBuf, PendingError> {
    if let Some(traces) = traces {
        return Ok(traces.join(format!("{name}.mgltrace")));
    }
    let note: Note = match golden.pending().toml(NOTE) {
        Err(StoreError::Missing(_)) => Note::default(),
        other => other?,
    };
    let to = note
        .trace
        .ok_or_else(|| PendingError::NoTrace(name.to_owned()))?;
    let wrong = |why: &dyn fmt::Display| PendingError::Place {
        name: name.to_owned(),
        to: to.clone(),
        why: why.to_string(),
    };
    let project = project(goldens).map_err(|e| wrong(&e))?;
    let named = Path::new(name).file_name();
    if !is_plain(&to) {
        return Err(wrong(&"not a path below the folder of the goldens' folder"));
    }
    if to.extension().is_none_or(|e| e != "mgltrace") || to.file_stem() != named {
        return Err(wrong(&"not the name of its trace"));
    }
    let place = project.join(&to);
    paths::inside(&project, &place).map_err(|e| wrong(&e))?;
    Ok(place)
}

/// Copies a recording over a trace, or to where one shall be. What is there must be a regular file, and stays until the
/// new one is whole.
///
/// # Errors
/// It cannot be read or written, or something else is there.
pub fn write_recording(recording: &Path, to: &Path) -> Result<(), StoreError> {
    let failed = |source| StoreError::Io {
        path: to.to_owned(),
        source,
    };
    let folder = match to.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder).map_err(failed)?;
    if fs::symlink_metadata(to).is_ok_and(|m| !m.is_file()) {
        return Err(failed(std::io::Error::other("not a regular file")));
    }
    let temporary = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    fs::copy(recording, temporary.path()).map_err(failed)?;
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    fs::set_permissions(temporary.path(), permissions).map_err(failed)?;
    temporary.persist(to).map_err(|e| failed(e.error))?;
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
        let done = accept(dir.path(), &items, None, Duration::from_secs(1)).expect("accepted");
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
        accept(dir.path(), &items, None, Duration::from_secs(1)).expect("accepted");
        let settings = Golden::new(dir.path(), "new").settings().expect("there");
        assert_eq!(settings.images.frames, [2].into());
        let dir = goldens_folder();
        let items = select(dir.path(), &["new".to_owned()]).expect("known");
        reject(dir.path(), &items).expect("rejected");
        assert!(!dir.path().join("new").exists());
        assert_eq!(list(dir.path()).expect("read").len(), 2);
    }

    /// Replaces a pending file of `a/b` and says why it cannot be accepted; nothing may have changed.
    fn refused(dir: &Path, file: &str, place: impl FnOnce(&Path)) -> String {
        let golden = Golden::new(dir, "a/b");
        let path = golden.pending().folder().join(file);
        let _ = fs::remove_file(&path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        place(&path);
        let items = select(dir, &["a/b".to_owned()]).expect("known");
        let second = Duration::from_secs(1);
        let error = accept(dir, &items, None, second).expect_err("refused");
        assert_eq!(golden.image("frames", 12).expect("there"), picture(1));
        assert!(path.symlink_metadata().is_ok(), "it still waits");
        // A review says so too, and goes on.
        let item = items.iter().find(|i| i.file == file).expect("pending");
        let review = review(dir, item, None).expect("shown");
        assert!(file == TRACE || review.unreadable, "{}", review.summary);
        error.to_string()
    }

    #[test]
    fn nothing_is_accepted_that_is_not_what_its_name_says() {
        for file in [
            "state.mglstate",
            "uploads.toml",
            "counters.toml",
            "golden.toml",
            "frames/000013.png",
            "trace.mgltrace",
            "notes.txt",
            "elsewhere/000012.png",
        ] {
            let dir = goldens_folder();
            let error = refused(dir.path(), file, |p| fs::write(p, "x").expect("written"));
            assert!(error.contains(file), "{file}: {error}");
        }
    }

    #[test]
    fn links_among_pending_files_are_not_followed() {
        use std::os::unix::fs::symlink;
        let dir = goldens_folder();
        let out = dir.path().join("out.toml");
        fs::write(&out, "[client]\nframes = 1\n").expect("written");
        refused(dir.path(), "counters.toml", |p| {
            symlink(&out, p).expect("linked");
        });
        // A folder that is a link: nothing is read, written or removed through it.
        let dir = goldens_folder();
        let other = tempfile::tempdir().expect("a temporary folder");
        picture(9)
            .save(&other.path().join("000012.png"))
            .expect("written");
        let golden = Golden::new(dir.path(), "a/b");
        let frames = golden.pending().folder().join("frames");
        fs::remove_dir_all(&frames).expect("removed");
        symlink(other.path(), &frames).expect("linked");
        assert!(golden.pending().write("frames/000012.png", b"x").is_err());
        assert!(golden.pending().remove("frames/000012.png").is_err());
        golden.pending().remove("").expect("removed");
        assert!(other.path().join("000012.png").is_file());
        symlink(other.path(), golden.pending().folder()).expect("linked");
        assert!(golden.pending().write("frames/000012.png", b"x").is_err());
        golden.pending().remove("").expect("removed");
        assert!(other.path().join("000012.png").is_file());
    }

    #[test]
    fn a_recording_goes_nowhere_but_to_its_trace() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let goldens = dir.path().join("goldens");
        let golden = Golden::new(&goldens, "a/b");
        golden.write(SETTINGS, b"").expect("written");
        fs::create_dir(dir.path().join("traces")).expect("made");
        let outside = tempfile::tempdir().expect("a temporary folder");
        std::os::unix::fs::symlink(outside.path(), dir.path().join("link")).expect("linked");
        let place = |to: &str| {
            let note = Note {
                trace: Some(to.into()),
                ..Note::default()
            };
            write_note(&golden, &note).expect("written");
            trace_place(&goldens, &golden, "a/b", None)
        };
        let right = fs::canonicalize(dir.path())
            .expect("there")
            .join("traces/b.mgltrace");
        assert_eq!(place("traces/b.mgltrace").expect("a place"), right);
        let absolute = right.to_str().expect("UTF-8");
        for to in [
            absolute,
            "../b.mgltrace",
            "traces/../../b.mgltrace",
            "traces/c.mgltrace",
            "traces/b.toml",
            "link/b.mgltrace",
        ] {
            let error = place(to).expect_err(to);
            assert!(matches!(error, PendingError::Place { .. }), "{error}");
        }
        // What the person says holds.
        let traces = Path::new("somewhere");
        let to = trace_place(&goldens, &golden, "a/b", Some(traces)).expect("a place");
        assert_eq!(to, Path::new("somewhere/a/b.mgltrace"));
        golden.pending().remove(NOTE).expect("removed");
        assert!(matches!(
            trace_place(&goldens, &golden, "a/b", None),
            Err(PendingError::NoTrace(_))
        ));
        // What is noted is what can be accepted.
        let trace = dir.path().join("traces/b.mgltrace");
        assert_eq!(
            place_of(&goldens, &trace).as_deref(),
            Some(Path::new("traces/b.mgltrace"))
        );
        assert_eq!(place_of(&goldens, &outside.path().join("b.mgltrace")), None);
        // Nothing but a regular file is replaced.
        fs::write(dir.path().join("new"), "new").expect("written");
        std::os::unix::fs::symlink("new", &trace).expect("linked");
        assert!(write_recording(&dir.path().join("new"), &trace).is_err());
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
