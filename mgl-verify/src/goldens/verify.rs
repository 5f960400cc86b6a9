//! [`verify()`]: runs cases and compares them with their goldens; writes what is pending, or the goldens themselves.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use mgl_core::trace::TraceFile;
use mgl_replay::{BackendKind, Limit};

use super::blessing::Blesser;
use super::case::{Case, Changed, Given};
use super::images::{self, Waiting};
use super::pending::{self, Note, TRACE};
use super::select::{self, SelectError, Selection};
use super::settings::{Settings, default_frames};
use super::store::{COUNTERS, Golden, SETTINGS, STATE, StoreError, UPLOADS};
use super::verdict::{CaseReport, Check, Report, Verdict};
use super::worker::{self, Job, Outcome, WorkerCommand};
use crate::counters::CounterTable;
use crate::image::Image;
use crate::launcher::Launcher;
use crate::settings::BackEnd;
use crate::source::LiveOptions;
use crate::state::StateLog;
use crate::uploads::Uploads;

/// What draws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Stored traces are replayed: a check of back ends.
    Stored,
    /// The goldens' sources are recorded on the driver, and the recordings replayed: a check of the front end too.
    Live {
        /// A push to leave out, to see the check fail.
        leave_out: Option<String>,
    },
}

/// How to verify.
#[derive(Clone, Debug)]
pub struct VerifyOptions {
    /// The folder of goldens.
    pub goldens: PathBuf,
    /// Back ends, in order; the first one draws while sources are recorded.
    pub backends: Vec<BackendKind>,
    pub mode: Mode,
    /// Write goldens.
    pub update: bool,
    /// Leave what differs beside the goldens.
    pub write_pending: bool,
    /// Cases at a time.
    pub jobs: usize,
    /// For each replay, and each run of a source.
    pub limit: Duration,
    pub worker: WorkerCommand,
    /// Turn the back ends' debug messages into errors.
    pub debug: bool,
    /// The Vulkan device, by number or part of its name; absent: the best one.
    pub device: Option<String>,
    /// How far the bounds on what a replay may cost hold.
    pub cost: Limit,
}

/// Runs all cases below some paths. `done` hears of every finished case, with the number of cases that there are.
///
/// # Errors
/// There is nothing to verify, or a folder cannot be read. What goes wrong in a case is part of the report.
pub fn verify(
    paths: &[PathBuf],
    options: &VerifyOptions,
    done: &(dyn Fn(&[CaseReport], usize) + Sync),
) -> Result<Report, SelectError> {
    let start = Instant::now();
    let live = options.mode != Mode::Stored;
    let selection = select::select(paths, live)?;
    let cases: Vec<(&String, &Option<PathBuf>)> = selection.cases.iter().collect();
    let (next, reports) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.clamp(1, cases.len()) {
            scope.spawn(|| {
                while let Some((name, trace)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let rows = one(name, trace.as_deref(), options);
                    done(&rows, cases.len());
                    let mut reports = reports.lock().unwrap_or_else(|e| e.into_inner());
                    reports.insert((*name).clone(), rows);
                }
            });
        }
    });
    let reports = reports.into_inner().unwrap_or_else(|e| e.into_inner());
    let mut cases: Vec<CaseReport> = reports.into_values().flatten().collect();
    cases.extend(left_over(&selection, options)?);
    let pending = pending::list(&options.goldens).unwrap_or_default();
    let mut pending: Vec<String> = pending.into_iter().map(|item| item.name).collect();
    pending.dedup();
    Ok(Report {
        live,
        pass: cases.iter().all(CaseReport::is_good),
        cases,
        pending,
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// Goldens that nothing was found for, where whole folders were looked through.
fn left_over(
    selection: &Selection,
    options: &VerifyOptions,
) -> Result<Vec<CaseReport>, SelectError> {
    if !selection.whole {
        return Ok(Vec::new());
    }
    let names = select::goldens(&options.goldens)?;
    let unreferenced = names
        .into_iter()
        .filter(|name| !selection.cases.contains_key(name));
    Ok(unreferenced
        .map(|name| CaseReport {
            checks: vec![Check::new(
                "golden",
                Verdict::Unreferenced,
                "no trace of that name was found; remove the golden if it is not needed any more",
            )],
            name,
            backend: None,
            proof: None,
            seconds: 0.0,
        })
        .collect())
}

/// One golden with all back ends: the rows of the report.
fn one(name: &str, trace: Option<&Path>, options: &VerifyOptions) -> Vec<CaseReport> {
    let start = Instant::now();
    let mut rows = Vec::new();
    let failed = |check: Check| CaseReport {
        name: name.to_owned(),
        backend: None,
        proof: None,
        checks: vec![check],
        seconds: start.elapsed().as_secs_f64(),
    };
    match run(name, trace, options, &mut rows) {
        Ok(()) => {}
        Err(check) => rows.push(failed(check)),
    }
    rows
}

fn run(
    name: &str,
    trace: Option<&Path>,
    options: &VerifyOptions,
    rows: &mut Vec<CaseReport>,
) -> Result<(), Check> {
    let start = Instant::now();
    let golden = Golden::new(&options.goldens, name);
    let mut settings = match golden.settings() {
        Ok(settings) => Some(settings),
        Err(StoreError::Missing(_)) => None,
        Err(StoreError::Pointer(path)) => {
            let detail = StoreError::Pointer(path).to_string();
            return Err(Check::new("golden", Verdict::Pointer, detail));
        }
        Err(e) => return Err(Check::new("golden", Verdict::Error, e.to_string())),
    };
    let scratch = tempfile::tempdir()
        .map_err(|e| Check::new("replay", Verdict::Error, format!("no scratch folder: {e}")))?;
    let live = options.mode != Mode::Stored;
    let (recording, recorded) = match &options.mode {
        Mode::Stored => (trace.map(Path::to_owned), None),
        Mode::Live { leave_out } => {
            let path = scratch.path().join(TRACE);
            let check = record(
                &golden,
                settings.as_ref(),
                leave_out.as_deref(),
                options,
                &path,
            )?;
            (Some(path), Some(check))
        }
    };
    let recording = recording.ok_or_else(|| {
        let detail = "there is no trace of it; give it with the folder of traces, or use --live";
        Check::new("golden", Verdict::Skipped, detail)
    })?;
    let file = TraceFile::open(&recording)
        .map_err(|e| Check::new("trace", Verdict::Error, e.to_string()))?;
    is_whole(&file)?;
    let is_new = settings.is_none();
    let settings = settings.get_or_insert_with(|| Settings {
        images: super::settings::Images {
            frames: default_frames(match file.frames() {
                whole if whole.is_empty() => file.all_frames(),
                whole => whole,
            }),
            ..super::settings::Images::default()
        },
        ..Settings::default()
    });
    let settings = &*settings;
    let mut checks: Vec<Check> = recorded.into_iter().collect();
    if is_new {
        checks.push(if options.update {
            Check::new("golden", Verdict::Updated, "made")
        } else {
            let detail = "there is no golden; `mgl verify --update` makes it";
            Check::new("golden", Verdict::Missing, detail)
        });
        if options.update {
            write_settings(&golden, settings).map_err(unwritten)?;
        }
    }

    let mut case = Case {
        golden: &golden,
        settings,
        name,
        live,
        update: options.update,
        kept: (options.update && live && !is_new)
            .then(|| recorded_elsewhere(&golden, trace, &file))
            .flatten(),
        checks,
        given: Given::default(),
        changed: Changed::default(),
    };
    case.trace(&file);
    rows.push(CaseReport {
        name: name.to_owned(),
        backend: None,
        proof: None,
        checks: std::mem::take(&mut case.checks),
        seconds: start.elapsed().as_secs_f64(),
    });
    for &backend in &options.backends {
        let start = Instant::now();
        let folder = scratch.path().join(backend.name());
        let proof = replay(&mut case, backend, &recording, &folder, options);
        rows.push(CaseReport {
            name: name.to_owned(),
            backend: Some(backend.name().to_owned()),
            proof,
            checks: std::mem::take(&mut case.checks),
            seconds: start.elapsed().as_secs_f64(),
        });
    }
    let Case {
        given,
        changed,
        kept,
        ..
    } = case;
    let left = if options.update {
        let blesser = Blesser::new(&golden, settings, options.limit);
        images::update(&golden, settings, blesser, &given.images, rows)
    } else {
        images::waiting(&given.images)
    };
    let found: BTreeMap<String, String> = rows
        .iter()
        .flat_map(|row| &row.checks)
        .filter(|c| !c.verdict.is_good())
        .map(|c| (c.what.clone(), c.detail.clone()))
        .collect();
    let pushed = changed.state || changed.pushed_uploads;
    let result = if options.update {
        // What was not to be written is left to people.
        let (now, later) = changed.split(kept.is_some());
        let written = given.written(kept.is_some());
        write(&golden, &written, now)
            .and_then(|()| write_pending(&golden, None, &given, later, &left, &found))
    } else if options.write_pending {
        let new = is_new.then_some(settings);
        write_pending(&golden, new, &given, changed, &left, &found)
    } else {
        Ok(())
    };
    result.map_err(unwritten)?;
    let unkept = trace.is_some_and(|t| !t.is_file());
    if live && (pushed || unkept) {
        let replace = options.update && kept.is_none();
        keep_recording(&golden, trace, &recording, replace, options).map_err(unwritten)?;
    }
    Ok(())
}

/// A golden is made of, and compared with, a whole trace: one that is cut off is not the one that was recorded.
fn is_whole(file: &TraceFile) -> Result<(), Check> {
    let wrong = |detail: String| Err(Check::new("trace", Verdict::Error, detail));
    let path = file.path().display();
    match file.recovered() {
        Some(recovery) => wrong(format!("{path}: not whole: {recovery}")),
        None if file.all_frames().is_empty() => wrong(format!("{path}: it holds no frame")),
        None => Ok(()),
    }
}

/// Why a recording of one back end does not replace what was recorded on another: the state that it would change is the
/// other's too.
fn recorded_elsewhere(golden: &Golden, trace: Option<&Path>, new: &TraceFile) -> Option<String> {
    let old = TraceFile::open(trace?).ok()?;
    let (old, new) = (&old.provenance().backend, &new.provenance().backend);
    (golden.exists() && old != new && !old.is_empty()).then(|| {
        format!(
            "not written, since the golden was recorded on {old}, and this on {new}: name {old} first in --backend"
        )
    })
}

fn unwritten(error: StoreError) -> Check {
    Check::new("golden", Verdict::Error, error.to_string())
}

/// Records a golden's source.
fn record(
    golden: &Golden,
    settings: Option<&Settings>,
    leave_out: Option<&str>,
    options: &VerifyOptions,
    trace: &Path,
) -> Result<Check, Check> {
    let Some(source) = settings.and_then(|s| s.source.as_ref()) else {
        let detail = format!("{SETTINGS} names no source: there is nothing to record");
        return Err(Check::new("recording", Verdict::Skipped, detail));
    };
    let environment = |detail: String| Check::new("recording", Verdict::Environment, detail);
    let launcher = Launcher::locate().map_err(|e| environment(e.to_string()))?;
    let back_end = options
        .backends
        .first()
        .copied()
        .map_or_else(BackEnd::default, BackEnd::from);
    let live = LiveOptions {
        back_end,
        max_frames: None,
        limit: options.limit,
        leave_out: leave_out.map(str::to_owned),
        device: options.device.clone(),
    };
    let recorded = source
        .record(golden.folder(), &launcher, &live, trace)
        .map_err(|e| match e.is_environment() {
            true => environment(e.to_string()),
            false => Check::new("recording", Verdict::Error, e.to_string()),
        })?;
    Ok(recording_check(recorded.report.as_ref()))
}

/// What the driver says of itself.
fn recording_check(report: Option<&serde_json::Value>) -> Check {
    let what = "recording";
    let Some(report) = report else {
        return Check::new(what, Verdict::Pass, "recorded");
    };
    let names = |key: &str| -> Vec<String> {
        match &report[key] {
            serde_json::Value::Object(m) => m.iter().map(|(k, v)| format!("{k} {v}")).collect(),
            serde_json::Value::Array(a) => a.iter().map(ToString::to_string).collect(),
            _ => Vec::new(),
        }
    };
    let mut wrong = Vec::new();
    if report["checks"]["repush_differences"]
        .as_u64()
        .is_some_and(|n| n > 0)
    {
        wrong.push(format!(
            "emission: {}",
            report["checks"]["first_difference"]
        ));
    }
    for key in ["faults", "panics"] {
        let list = names(key);
        if !list.is_empty() {
            wrong.push(format!("{key}: {}", list.join(", ")));
        }
    }
    if !wrong.is_empty() {
        return Check::new(what, Verdict::Fail, wrong.join("; "));
    }
    let refused: Vec<String> = ["refused", "unsupported"]
        .iter()
        .flat_map(|k| names(k))
        .collect();
    Check::new(
        what,
        Verdict::Pass,
        match refused.is_empty() {
            true => "recorded".to_owned(),
            false => format!("recorded; refused: {}", refused.join(", ")),
        },
    )
}

/// Replays a trace in a process of its own, and compares what it gave.
fn replay(
    case: &mut Case<'_>,
    backend: BackendKind,
    trace: &Path,
    scratch: &Path,
    options: &VerifyOptions,
) -> Option<super::verdict::Proof> {
    let what = format!("replay {backend}");
    let job = Job {
        trace: trace.to_owned(),
        backend: backend.name().to_owned(),
        images: case.settings.images.frames.clone(),
        debug: options.debug,
        device: options.device.clone(),
        limit: options.cost,
    };
    let outcome = std::fs::create_dir(scratch)
        .and_then(|()| worker::run(&options.worker, &job, scratch, options.limit));
    let (verdict, detail) = match outcome {
        Ok(Outcome::Done(replayed)) => {
            let detail = format!(
                "{} records, {} frames on {} {}",
                replayed.proof.records,
                replayed.proof.frames,
                replayed.proof.renderer,
                replayed.proof.version
            );
            case.checks.push(Check::new(what, Verdict::Pass, detail));
            case.replay(backend.name(), &replayed, scratch);
            return Some(replayed.proof);
        }
        Ok(Outcome::Environment(detail)) => (Verdict::Environment, detail),
        Ok(Outcome::Fault(detail)) => (Verdict::Fail, detail),
        Ok(Outcome::Failed(detail)) => (Verdict::Error, detail),
        Ok(Outcome::Crashed(detail)) => (Verdict::Crashed, detail),
        Ok(Outcome::TimedOut(detail)) => (Verdict::TimedOut, detail),
        Err(e) => (Verdict::Error, worker_error(&e)),
    };
    case.checks.push(Check::new(what, verdict, detail));
    None
}

fn worker_error(error: &io::Error) -> String {
    format!("the worker could not be run: {error}")
}

fn write_settings(golden: &Golden, settings: &Settings) -> Result<(), StoreError> {
    golden.write_toml(
        SETTINGS,
        "What this golden is made from and compared by; see docs/goldens.md.",
        settings,
    )
}

/// What a run gave over what a golden's file holds already.
fn merged_uploads(golden: &Golden, given: &Uploads) -> Uploads {
    let mut all = super::case::read_toml(golden, UPLOADS, Uploads::from_toml).unwrap_or_default();
    let Uploads {
        client,
        espryt,
        magma,
    } = given.clone();
    all.client = client.or(all.client);
    all.espryt = espryt.or(all.espryt);
    all.magma = magma.or(all.magma);
    all
}

fn merged_counters(golden: &Golden, given: &CounterTable) -> CounterTable {
    let read = super::case::read_toml(golden, COUNTERS, CounterTable::from_toml);
    let mut all = read.unwrap_or_default();
    let CounterTable {
        client,
        espryt,
        magma,
    } = given.clone();
    all.client = client.or(all.client);
    all.espryt = espryt.or(all.espryt);
    all.magma = magma.or(all.magma);
    all
}

/// The file of a state, which is as large as one may be: what is written can be read.
fn state_bytes(golden: &Golden, state: &StateLog) -> Result<Vec<u8>, StoreError> {
    let bytes = state.encode();
    match StateLog::decode(&bytes) {
        Ok(_) => Ok(bytes),
        Err(e) => Err(StoreError::Content {
            path: golden.folder().join(STATE),
            problem: format!("too much for a golden: {e}"),
        }),
    }
}

/// Writes the files of a golden that changed; images were written when they were compared.
fn write(golden: &Golden, given: &Given, changed: Changed) -> Result<(), StoreError> {
    if let Some(state) = given.state.as_ref().filter(|_| changed.state) {
        golden.write(STATE, &state_bytes(golden, state)?)?;
    }
    if changed.uploads {
        let text = merged_uploads(golden, &given.uploads).to_toml();
        golden.write(UPLOADS, text.as_bytes())?;
    }
    if changed.counters {
        let text = merged_counters(golden, &given.counters).to_toml();
        golden.write(COUNTERS, text.as_bytes())?;
    }
    Ok(())
}

/// Leaves what differs beside the golden; what does not differ any more is pending no longer.
fn write_pending(
    golden: &Golden,
    new: Option<&Settings>,
    given: &Given,
    changed: Changed,
    left: &[Waiting],
    found: &BTreeMap<String, String>,
) -> Result<(), StoreError> {
    let pending = golden.pending();
    let before = pending::read_note(golden);
    pending.remove("")?;
    let mut note = Note {
        trace: before.trace,
        ..Note::default()
    };
    let mut say = |file: &str, what: &dyn Fn(&str) -> bool| {
        let words: Vec<&str> = found
            .iter()
            .filter(|(k, _)| what(k))
            .map(|(_, v)| v.as_str())
            .collect();
        note.found.insert(file.to_owned(), words.join("; "));
    };
    if let Some(settings) = new {
        write_settings(&pending, settings)?;
        say(SETTINGS, &|k| k == "golden");
    }
    if let Some(state) = given.state.as_ref().filter(|_| changed.state) {
        pending.write(STATE, &state_bytes(golden, state)?)?;
        say(STATE, &|k| k == "state");
    }
    if changed.uploads {
        let text = merged_uploads(golden, &given.uploads).to_toml();
        pending.write(UPLOADS, text.as_bytes())?;
        say(UPLOADS, &|k| k.starts_with("uploads"));
    }
    if changed.counters {
        let text = merged_counters(golden, &given.counters).to_toml();
        pending.write(COUNTERS, text.as_bytes())?;
        say(COUNTERS, &|k| k.starts_with("counters"));
    }
    for (folder, frame, image) in left {
        pending.write_image(folder, *frame, &Image::load(image)?)?;
        let file = format!("{folder}/{}", crate::replay::image_name(*frame));
        say(&file, &|k| k.starts_with(&format!("image {frame} ")));
    }
    if note.found.is_empty() {
        return Ok(());
    }
    pending::write_note(golden, &note)
}

/// A recording whose pushes are not the golden's belongs to the new state: it replaces the stored trace, or waits beside
/// the pending state.
fn keep_recording(
    golden: &Golden,
    trace: Option<&Path>,
    recording: &Path,
    replace: bool,
    options: &VerifyOptions,
) -> Result<(), StoreError> {
    let Some(trace) = trace else { return Ok(()) };
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| StoreError::Io { path, source }
    };
    if replace {
        pending::write_recording(recording, trace)?;
    } else if options.write_pending {
        let bytes = std::fs::read(recording).map_err(failed(recording))?;
        golden.pending().write(TRACE, &bytes)?;
        let mut note = pending::read_note(golden);
        note.trace = pending::place_of(&options.goldens, trace);
        note.found.insert(
            TRACE.to_owned(),
            "the recording of the pending state".to_owned(),
        );
        pending::write_note(golden, &note)?;
    }
    Ok(())
}
