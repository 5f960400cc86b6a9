//! Replays in processes of their own: a driver that crashes or hangs takes one case with it, and not the run.
//!
//! The parent writes a [`Job`] into a scratch folder and starts the program that it is told to, which calls [`work`]. The
//! worker leaves `result.json` and the images there. While it replays it keeps telling in a mapped file which record it
//! is at, so that the parent can name the verb at which it died.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use mgl_core::pipe::{Backend, UploadReport};
use mgl_core::trace::TraceFile;
use mgl_replay::player::{Origin, PlayError, PlayOptions, Progress, play};
use mgl_replay::{BackendKind, BackendOptions, Limit, make_backend};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::verdict::Proof;
use crate::image::Image;
use crate::limited::run_limited;
use crate::progress_file::{self, ProgressFile};
use crate::replay::image_name;

const JOB: &str = "job.json";
const RESULT: &str = "result.json";
const PROGRESS: &str = "progress";
/// Most bytes of a dead worker's last words that are shown.
const LAST_WORDS: usize = 400;

/// How workers are started: a program and its first arguments; the scratch folder follows.
#[derive(Clone, Debug)]
pub struct WorkerCommand {
    pub program: PathBuf,
    pub args: Vec<OsString>,
}

/// What a worker is to replay.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    #[serde(with = "bytes_of_path")]
    pub trace: PathBuf,
    /// Name of the back end.
    pub backend: String,
    /// Frames whose images are wanted.
    pub images: BTreeSet<u64>,
    /// Turn the back end's debug messages into errors.
    pub debug: bool,
    /// The Vulkan device, by number or part of its name; absent: the best one.
    pub device: Option<String>,
    /// How far the bounds on what a replay may cost hold.
    pub limit: Limit,
}

/// A path as its bytes, whatever they are.
mod bytes_of_path {
    use std::ffi::OsString;
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    use std::path::{Path, PathBuf};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
        path.as_os_str().as_bytes().serialize(to)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<PathBuf, D::Error> {
        Vec::deserialize(from).map(|bytes| OsString::from_vec(bytes).into())
    }
}

/// A frame that was replayed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FrameResult {
    pub frame: u64,
    /// A Present ended it.
    pub whole: bool,
    /// What the back end made of the frame's uploads.
    pub uploads: Vec<UploadReport>,
    /// What the back end counted in it.
    pub native: Vec<(String, u64)>,
    /// Its image was wanted, and is there.
    pub image: bool,
}

/// A replay that reached its end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Replayed {
    pub proof: Proof,
    pub frames: Vec<FrameResult>,
    pub replies_compared: u64,
    /// Place, call, what differs.
    pub reply_differences: Vec<(String, String, String)>,
    /// What the back end did not do, and what the driver complained of, unless the recording had it too.
    pub errors: Vec<String>,
}

/// How a worker fared.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Outcome {
    Done(Replayed),
    /// This machine lacks something.
    Environment(String),
    /// The back end failed on a call, which is named with its verb.
    Fault(String),
    /// The trace is at fault, or the call.
    Failed(String),
    /// A signal ended it.
    Crashed(String),
    TimedOut(String),
}

/// Where the image of a frame is that a worker left.
pub fn image_path(scratch: &Path, frame: u64) -> PathBuf {
    scratch.join(image_name(frame))
}

/// Runs a job in a process of its own. What goes wrong there is an outcome.
///
/// # Errors
/// The scratch folder cannot be used, or the worker cannot be started.
pub fn run(
    worker: &WorkerCommand,
    job: &Job,
    scratch: &Path,
    limit: Duration,
) -> io::Result<Outcome> {
    fs::write(scratch.join(JOB), serde_json::to_vec(job)?)?;
    let progress = scratch.join(PROGRESS);
    fs::write(&progress, [0; progress_file::BYTES])?;
    let mut command = Command::new(&worker.program);
    command.args(&worker.args).arg(scratch);
    let ended = run_limited(&mut command, limit)?;
    let reached = || progress_file::in_words(progress_file::reached(&progress).ok().flatten());
    let words = last_words(&ended.stderr);
    Ok(match ended.status {
        None => Outcome::TimedOut(format!(
            "no end after {} s, {}{words}",
            limit.as_secs(),
            reached()
        )),
        Some(status) => match (status.signal(), fs::read(scratch.join(RESULT))) {
            (Some(signal), _) => {
                Outcome::Crashed(format!("ended by signal {signal}, {}{words}", reached()))
            }
            (None, Ok(bytes)) => serde_json::from_slice(&bytes)?,
            (None, Err(_)) => Outcome::Crashed(format!(
                "the worker left with {status} and without a result, {}{words}",
                reached()
            )),
        },
    })
}

/// The end of what a worker wrote.
fn last_words(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let text = text.trim();
    let start = text.len().saturating_sub(LAST_WORDS);
    let start = (start..text.len()).find(|&i| text.is_char_boundary(i));
    match start.map(|i| &text[i..]) {
        Some(text) if !text.is_empty() => format!("; it said: {text}"),
        _ => String::new(),
    }
}

/// The worker's side: does the job of a scratch folder and leaves the result there.
///
/// # Errors
/// The scratch folder cannot be used.
pub fn work(scratch: &Path) -> io::Result<()> {
    let job: Job = serde_json::from_slice(&fs::read(scratch.join(JOB))?)?;
    let outcome = replay(&job, scratch)?;
    let temporary = scratch.join("result.part");
    fs::write(&temporary, serde_json::to_vec(&outcome)?)?;
    fs::rename(&temporary, scratch.join(RESULT))
}

/// Why a replay has no result.
enum Ended {
    Environment(String),
    Fault(String),
    Failed(String),
}

impl Ended {
    fn failed(error: &dyn std::fmt::Display) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<Ended> for Outcome {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::Environment(why) => Self::Environment(why),
            Ended::Fault(why) => Self::Fault(why),
            Ended::Failed(why) => Self::Failed(why),
        }
    }
}

impl From<PlayError> for Ended {
    fn from(error: PlayError) -> Self {
        Self::failed(&error)
    }
}

fn replay(job: &Job, scratch: &Path) -> io::Result<Outcome> {
    let file = ProgressFile::open(&scratch.join(PROGRESS))?;
    let bytes = mgl_core::files::read(&job.trace)?;
    Ok(match replays(job, scratch, &bytes, file.progress()) {
        Ok(replayed) => Outcome::Done(replayed),
        Err(ended) => ended.into(),
    })
}

/// Replays twice where images are wanted: what a back end counts must not depend on frames being looked at.
fn replays(
    job: &Job,
    scratch: &Path,
    bytes: &[u8],
    progress: Progress<'_>,
) -> Result<Replayed, Ended> {
    let kind: BackendKind = job.backend.parse().map_err(|e| Ended::failed(&e))?;
    let file = TraceFile::open(&job.trace).map_err(|e| Ended::failed(&e))?;
    let start = || {
        let mut options = BackendOptions::headless(job.debug);
        options.magma.device.clone_from(&job.device);
        make_backend(kind, &options)
            .map_err(|e| Ended::Environment(format!("{kind} does not start: {e}")))
    };
    let draws = kind != BackendKind::Null;
    let mut replayed = count(&file, start()?.as_mut(), job, bytes, progress)?;
    if draws && !job.images.is_empty() {
        let there = images(&file, start()?.as_mut(), job, scratch, progress)?;
        for frame in &mut replayed.frames {
            frame.image = there.contains(&frame.frame);
        }
    }
    Ok(replayed)
}

/// The replay that measures.
fn count(
    file: &TraceFile,
    backend: &mut dyn Backend,
    job: &Job,
    bytes: &[u8],
    progress: Progress<'_>,
) -> Result<Replayed, Ended> {
    let caps = backend.caps().clone();
    let origin = Origin::of(file, &caps);
    let options = PlayOptions {
        check_replies: job.backend != BackendKind::Null.name() && origin.drew,
        same_backend: origin.same,
        uploads: true,
        limit: job.limit,
        progress: Some(progress),
        ..PlayOptions::default()
    };
    let mut frames = Vec::new();
    let summary = play(file, backend, &options, &mut |frame| {
        frames.push(FrameResult {
            frame: frame.frame,
            whole: !frame.partial,
            uploads: frame.uploads,
            native: frame
                .native
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
            image: false,
        });
        Ok(())
    })?;
    if let Some(fault) = summary.fault {
        return Err(Ended::Fault(fault));
    }
    Ok(Replayed {
        proof: Proof {
            renderer: caps.renderer,
            version: caps.version,
            trace: format!("{:032x}", xxh3_128(bytes)),
            records: summary.counters.records,
            frames: summary.frames,
        },
        frames,
        replies_compared: summary.replies_compared,
        reply_differences: summary
            .reply_differences
            .into_iter()
            .map(|d| (d.place, d.call.to_owned(), d.detail))
            .collect(),
        errors: summary.backend_errors,
    })
}

/// The replay that shows: saves the images of frames, and says which there are.
fn images(
    file: &TraceFile,
    backend: &mut dyn Backend,
    job: &Job,
    scratch: &Path,
    progress: Progress<'_>,
) -> Result<BTreeSet<u64>, Ended> {
    let all = file.all_frames();
    let inside: BTreeSet<u64> = job
        .images
        .iter()
        .copied()
        .filter(|f| all.contains(f))
        .collect();
    let (Some(first), Some(last)) = (inside.first(), inside.last()) else {
        return Ok(BTreeSet::new());
    };
    let options = PlayOptions {
        frames: Some(*first..last + 1),
        images: true,
        image_frames: Some(inside.clone()),
        limit: job.limit,
        progress: Some(progress),
        ..PlayOptions::default()
    };
    let mut there = BTreeSet::new();
    let mut unsaved = None;
    let played = play(file, backend, &options, &mut |frame| {
        let Some(p) = &frame.image else { return Ok(()) };
        let saved = Image::from_bottom_up(p.width, p.height, &p.rgba)
            .and_then(|image| image.save(&image_path(scratch, frame.frame)));
        match saved {
            Ok(()) => {
                there.insert(frame.frame);
                Ok(())
            }
            Err(e) => {
                unsaved = Some(e);
                Err("an image could not be saved".to_owned())
            }
        }
    });
    if let Some(e) = unsaved {
        return Err(Ended::failed(&e));
    }
    match played?.fault {
        Some(fault) => Err(Ended::Fault(fault)),
        None => Ok(there),
    }
}
