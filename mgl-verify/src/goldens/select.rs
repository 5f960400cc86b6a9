//! Which cases there are: traces found below paths, and the goldens that belong to them.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::paths::Walked;
use super::store::{PENDING, SETTINGS};

/// Extension of traces.
const TRACE: &str = "mgltrace";

/// What was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Name of the golden, and the trace; without one, the golden was asked for itself. A trace that is recorded for the
    /// first time is not there yet.
    pub cases: BTreeMap<String, Option<PathBuf>>,
    /// A folder of traces was given, so that goldens without a trace are left over.
    pub whole: bool,
}

/// Why there is no selection.
#[derive(Debug, thiserror::Error)]
pub enum SelectError {
    /// A path that cannot be read.
    #[error("{}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// A file of another kind.
    #[error("{}: neither a trace (.{TRACE}) nor a folder", .0.display())]
    Kind(PathBuf),
    /// Two traces with one name.
    #[error("{} and {} have one golden, {name}", one.display(), other.display())]
    Twice {
        name: String,
        one: PathBuf,
        other: PathBuf,
    },
    /// Nothing was found.
    #[error("there is no trace below {0}")]
    Empty(String),
}

/// Finds the traces at and below some paths. A trace below a folder is named by its path in it, without the extension.
///
/// `live`: folders of goldens count too, as they are enough to record from, and traces that are yet to be recorded.
///
/// # Errors
/// [`SelectError`]; a selection is never empty.
pub fn select(paths: &[PathBuf], live: bool) -> Result<Selection, SelectError> {
    let mut found = Selection::default();
    for path in paths {
        let read = |source| SelectError::Read {
            path: path.clone(),
            source,
        };
        let is_trace = path.extension().is_some_and(|e| e == TRACE);
        let is_folder = match std::fs::metadata(path) {
            Ok(m) => m.is_dir(),
            Err(e) if live && is_trace && e.kind() == io::ErrorKind::NotFound => false,
            Err(e) => return Err(read(e)),
        };
        if is_folder {
            found.whole = true;
            if live && path.join(SETTINGS).is_file() {
                found.whole = false;
                let Some(name) = path.file_name() else {
                    return Err(SelectError::Kind(path.clone()));
                };
                add(&mut found, name.to_string_lossy().into_owned(), None)?;
                continue;
            }
            let mut traces = Vec::new();
            walk(path, path, live, &mut Walked::default(), &mut traces)?;
            for (name, trace) in traces {
                add(&mut found, name, trace)?;
            }
        } else if is_trace {
            let name = path.file_stem().unwrap_or_default();
            add(
                &mut found,
                name.to_string_lossy().into_owned(),
                Some(path.clone()),
            )?;
        } else {
            return Err(SelectError::Kind(path.clone()));
        }
    }
    if found.cases.is_empty() {
        let paths: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
        return Err(SelectError::Empty(paths.join(", ")));
    }
    Ok(found)
}

fn add(found: &mut Selection, name: String, trace: Option<PathBuf>) -> Result<(), SelectError> {
    match found.cases.get(&name) {
        Some(Some(one)) => match trace {
            Some(other) if other != *one => Err(SelectError::Twice {
                name,
                one: one.clone(),
                other,
            }),
            _ => Ok(()),
        },
        _ => {
            found.cases.insert(name, trace);
            Ok(())
        }
    }
}

fn walk(
    root: &Path,
    folder: &Path,
    live: bool,
    walked: &mut Walked,
    out: &mut Vec<(String, Option<PathBuf>)>,
) -> Result<(), SelectError> {
    if !walked.enter(folder) {
        return Ok(());
    }
    let read = |source| SelectError::Read {
        path: folder.to_owned(),
        source,
    };
    let name = |path: &Path| {
        let inner = path.strip_prefix(root).unwrap_or(path);
        inner.to_string_lossy().into_owned()
    };
    for entry in std::fs::read_dir(folder).map_err(read)? {
        let path = entry.map_err(read)?.path();
        if path.is_dir() {
            // What is pending is no golden, even where there is none yet.
            if path.file_name().is_none_or(|n| n == PENDING) {
                continue;
            }
            if live && path.join(SETTINGS).is_file() {
                out.push((name(&path), None));
            } else {
                walk(root, &path, live, walked, out)?;
            }
        } else if path.extension().is_some_and(|e| e == TRACE) {
            out.push((name(&path.with_extension("")), Some(path)));
        }
    }
    Ok(())
}

/// The names of all goldens below a folder.
///
/// # Errors
/// A folder cannot be read; a goldens' folder that is not there has none.
pub fn goldens(folder: &Path) -> Result<Vec<String>, SelectError> {
    let mut out = Vec::new();
    if folder.is_dir() {
        let mut found = Vec::new();
        walk(folder, folder, true, &mut Walked::default(), &mut found)?;
        out.extend(found.into_iter().filter(|(_, t)| t.is_none()).map(|f| f.0));
    }
    out.sort();
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(path: &Path) {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, "").expect("written");
    }

    #[test]
    fn traces_are_named_by_their_place() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let at = |p: &str| dir.path().join(p);
        touch(&at("traces/a.mgltrace"));
        touch(&at("traces/deep/b.mgltrace"));
        touch(&at("traces/text/c.json"));
        let found = select(&[at("traces")], false).expect("found");
        assert_eq!(found.cases.keys().collect::<Vec<_>>(), ["a", "deep/b"]);
        assert!(found.whole);
        let one = select(&[at("traces/deep/b.mgltrace")], false).expect("found");
        assert_eq!(one.cases.keys().collect::<Vec<_>>(), ["b"]);
        assert!(!one.whole);
        touch(&at("other/a.mgltrace"));
        let twice = select(&[at("traces"), at("other")], false);
        assert!(matches!(twice, Err(SelectError::Twice { .. })), "{twice:?}");
        assert!(matches!(
            select(&[at("traces/text")], false),
            Err(SelectError::Empty(_))
        ));
        assert!(matches!(
            select(&[at("traces/text/c.json")], false),
            Err(SelectError::Kind(_))
        ));
        assert!(matches!(
            select(&[at("nowhere")], false),
            Err(SelectError::Read { .. })
        ));
    }

    #[test]
    fn goldens_count_by_themselves_only_live() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let at = |p: &str| dir.path().join(p);
        touch(&at("g/one/golden.toml"));
        touch(&at("g/deep/two/golden.toml"));
        touch(&at("g/one/pending/golden.toml"));
        touch(&at("g/new/pending/golden.toml"));
        std::os::unix::fs::symlink(".", at("g/round")).expect("linked");
        assert_eq!(goldens(&at("g")).expect("read"), ["deep/two", "one"]);
        assert_eq!(goldens(&at("none")).expect("read"), [""; 0]);
        let live = select(&[at("g")], true).expect("found");
        assert_eq!(live.cases.keys().collect::<Vec<_>>(), ["deep/two", "one"]);
        assert!(matches!(
            select(&[at("g")], false),
            Err(SelectError::Empty(_))
        ));
        let one = select(&[at("g/one")], true).expect("found");
        assert_eq!(one.cases, [("one".to_owned(), None)].into());
        // A trace that is to be recorded.
        let new = [at("traces/one.mgltrace")];
        let found = select(&new, true).expect("found");
        assert_eq!(found.cases["one"].as_ref(), Some(&new[0]));
        assert!(matches!(select(&new, false), Err(SelectError::Read { .. })));
    }
}
