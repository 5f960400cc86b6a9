//! [`replay`]: plays a trace on a back end and checks it against itself.
//!
//! A replay passes when something was drawn and four things hold; `mgl verify` asks for the same:
//!
//! 1. where the trace holds images of frames, the replayed ones equal them pixel for pixel;
//! 2. where it holds replies, those agree;
//! 3. the back end did every call;
//! 4. the driver below it had no complaint.
//!
//! 3 and 4 leave out what the recording had too, as far as the trace says: the values that were refused, with how often,
//! and the driver's messages. Images can be written as files, whose names sort by frame.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mgl_core::counters::Counters;
use mgl_core::pipe::backend::{Backend, BackendError};
use mgl_core::trace::{FrameImage, TraceError, TraceFile};
use mgl_replay::player::{
    Origin, PlayError, PlayOptions, PlayedFrame, Progress, ReplyDifference, play,
};
use mgl_replay::{BackendKind, BackendOptions, Limit, make_backend};
use serde::{Serialize, Serializer};

use crate::image::{Image, ImageError, Options, compare, heatmap};

/// What to replay, and how.
#[derive(Clone, Debug)]
pub struct ReplaySettings<'p> {
    pub back_end: BackendKind,
    /// The Vulkan device, by number or part of its name; the best one without.
    pub device: Option<String>,
    /// Frames to deliver; nothing for all.
    pub frames: Option<Range<u64>>,
    /// Folder for the images of the frames.
    pub out: Option<PathBuf>,
    /// Compare images and replies with the recorded ones.
    pub check: bool,
    /// Turn the back end's debug messages into errors.
    pub debug: bool,
    /// How far the bounds on what a replay may cost hold.
    pub limit: Limit,
    /// Where it tells how far it is.
    pub progress: Option<Progress<'p>>,
}

/// How a replayed frame compares with the recorded image of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "check", rename_all = "kebab-case")]
pub enum FrameCheck {
    /// The trace holds no image of this frame, or none was looked at.
    Unchecked,
    /// Equal, pixel for pixel, alpha included.
    Equal,
    /// Of the same size and different.
    Different {
        /// Pixels with a difference.
        pixels: u64,
        /// Largest difference of a channel, of 255.
        largest: u8,
    },
    /// Of another size, or the back end gave no image.
    Missing { detail: String },
}

impl FrameCheck {
    /// Whether the frame is not what was recorded.
    pub fn failed(&self) -> bool {
        matches!(self, Self::Different { .. } | Self::Missing { .. })
    }
}

/// A frame that was replayed.
#[derive(Clone, Debug, Serialize)]
pub struct FrameReport {
    pub frame: u64,
    /// What follows the last Present.
    pub partial: bool,
    /// Time in the replay of the frame's records.
    #[serde(rename = "milliseconds", serialize_with = "milliseconds")]
    pub time: Duration,
    #[serde(flatten)]
    pub check: FrameCheck,
    /// The image that was written.
    #[serde(serialize_with = "mgl_core::files::lossy_option")]
    pub image: Option<PathBuf>,
    pub counters: Counters,
}

/// How a replay went. Serialises to the JSON of `mgl replay --json`.
#[derive(Clone, Debug, Serialize)]
pub struct ReplayReport {
    #[serde(serialize_with = "mgl_core::files::lossy")]
    pub trace: PathBuf,
    /// Back end, and the driver below it.
    pub back_end: String,
    pub renderer: String,
    pub version: String,
    /// Nothing that was checked differs, and the back end did what the recording's did.
    pub pass: bool,
    /// The trace was recorded on a back end that draws, so that its images and replies can be compared with.
    pub recording_drew: bool,
    /// Frames whose image was compared with the recorded one.
    pub images_compared: u64,
    /// Frames whose image was written.
    pub images_written: u64,
    pub frames: Vec<FrameReport>,
    pub replies_compared: u64,
    pub reply_differences: Vec<ReplyDifference>,
    /// The call on which the back end failed, with its verb: nothing behind it was replayed.
    pub fault: Option<String>,
    /// What the back end did not do, and what the driver complained of.
    pub errors: Vec<String>,
    /// The same, where the recording had it too.
    pub as_recorded: Vec<String>,
    /// What the back end drew as near as its API allows, by name, with how often.
    pub approximated: BTreeMap<&'static str, u64>,
    #[serde(rename = "milliseconds", serialize_with = "milliseconds")]
    pub time: Duration,
    /// Counted over the whole replay.
    pub counters: Counters,
}

fn milliseconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64() * 1e3)
}

/// Why a replay could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The back end does not start here.
    #[error("{back_end} does not start: {error}")]
    BackEnd {
        back_end: BackendKind,
        error: BackendError,
    },
    /// Nothing in it draws, or reads, or shows anything.
    #[error("{}: nothing to replay: it holds no verb (no draw, no clear, no Present){}", path.display(), cut(*recovered))]
    Nothing { path: PathBuf, recovered: bool },
    /// Images were asked for, of a back end that draws nothing.
    #[error("the null back end draws nothing: there are no images to write")]
    NoImages,
    /// The back end failed on a call.
    #[error("{}: {fault}", path.display())]
    Fault { path: PathBuf, fault: String },
    /// A record goes with nothing that came before it, or asks for too much.
    #[error("{}: {error}", path.display())]
    Play {
        path: PathBuf,
        error: Box<PlayError>,
    },
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The folder for images cannot be made.
    #[error("{}: cannot make the folder: {source}", path.display())]
    Folder { path: PathBuf, source: io::Error },
}

impl ReplayError {
    /// Whether this machine is at fault, and not the trace or the call.
    pub fn is_environment(&self) -> bool {
        matches!(self, Self::BackEnd { .. })
    }
}

fn cut(recovered: bool) -> &'static str {
    match recovered {
        true => "; the file is cut off",
        false => "",
    }
}

/// What to say of a replay that ended before its time.
pub(crate) fn unplayed(file: &TraceFile, error: PlayError) -> ReplayError {
    match error {
        PlayError::Trace(error) => ReplayError::Trace(error),
        error => ReplayError::Play {
            path: file.path().to_owned(),
            error: Box::new(error),
        },
    }
}

/// The error of a trace without anything to replay.
pub(crate) fn nothing(file: &TraceFile) -> ReplayError {
    ReplayError::Nothing {
        path: file.path().to_owned(),
        recovered: file.recovered().is_some(),
    }
}

/// Name of the image file of a frame.
pub fn image_name(frame: u64) -> String {
    format!("{frame:06}.png")
}

/// Makes a folder, if it is not there.
fn make_folder(path: &Path) -> Result<(), ReplayError> {
    std::fs::create_dir_all(path).map_err(|source| ReplayError::Folder {
        path: path.to_owned(),
        source,
    })
}

/// Writes the recorded images of some frames as PNG files into a folder; gives their number.
///
/// # Errors
/// The trace is damaged, or a file cannot be written.
pub fn save_recorded_images(
    file: &TraceFile,
    frames: &Range<u64>,
    folder: &Path,
) -> Result<u64, ReplayError> {
    make_folder(folder)?;
    let mut saved = 0;
    for frame in file.image_frames() {
        if !frames.contains(&frame) {
            continue;
        }
        if let Some(image) = file.image(frame)? {
            turned(&image)?.save(&folder.join(image_name(frame)))?;
            saved += 1;
        }
    }
    Ok(saved)
}

fn turned(image: &FrameImage) -> Result<Image, ImageError> {
    Image::from_bottom_up(image.width, image.height, &image.rgba)
}

/// Makes a back end that draws without a window system.
///
/// # Errors
/// [`ReplayError::BackEnd`].
pub fn start(
    back_end: BackendKind,
    device: Option<&str>,
    debug: bool,
) -> Result<Box<dyn Backend>, ReplayError> {
    let mut options = BackendOptions::headless(debug);
    options.magma.device = device.map(str::to_owned);
    make_backend(back_end, &options).map_err(|error| ReplayError::BackEnd { back_end, error })
}

/// Replays a trace. `step` is called with the number of frames, once after each of them.
///
/// # Errors
/// [`ReplayError`]. Frames and replies that differ are results, not errors, and so is a back end that fails on a call.
pub fn replay(
    file: &TraceFile,
    settings: &ReplaySettings<'_>,
    mut step: impl FnMut(u64),
) -> Result<ReplayReport, ReplayError> {
    let frames = settings.frames.clone().unwrap_or(file.all_frames());
    let draws = settings.back_end != BackendKind::Null;
    if !draws && settings.out.is_some() {
        return Err(ReplayError::NoImages);
    }
    if file.all_frames().is_empty() {
        return Err(nothing(file));
    }
    let mut back_end = start(
        settings.back_end,
        settings.device.as_deref(),
        settings.debug,
    )?;
    if let Some(folder) = &settings.out {
        make_folder(folder)?;
    }
    let caps = back_end.caps().clone();
    let origin = Origin::of(file, &caps);
    let recorded = if settings.check && draws && origin.drew {
        file.image_frames()
    } else {
        Vec::new()
    };
    let options = PlayOptions {
        frames: settings.frames.clone(),
        images: draws && (settings.out.is_some() || recorded.iter().any(|f| frames.contains(f))),
        check_replies: settings.check && draws && origin.drew,
        same_backend: origin.same,
        limit: settings.limit,
        progress: settings.progress,
        ..PlayOptions::default()
    };

    let mut rows = Vec::new();
    let mut failure = None;
    let total = frames.end.saturating_sub(frames.start);
    let played = play(file, back_end.as_mut(), &options, &mut |frame| {
        let known = recorded.binary_search(&frame.frame).is_ok();
        let recorded = if known { Some(file) } else { None };
        match finish_frame(frame, recorded, settings.out.as_deref()) {
            Ok(row) => rows.push(row),
            Err(error) => {
                failure = Some(error);
                return Err("a frame could not be checked".to_owned());
            }
        }
        step(total);
        Ok(())
    });
    if let Some(error) = failure {
        return Err(error);
    }
    let summary = played.map_err(|error| unplayed(file, error))?;
    if summary.counters.verbs == 0 && summary.fault.is_none() {
        return Err(nothing(file));
    }

    let written = rows.iter().filter(|row| row.image.is_some()).count() as u64;
    let unwritten = settings.out.is_some() && written == 0;
    let checked = |row: &&FrameReport| row.check != FrameCheck::Unchecked;
    Ok(ReplayReport {
        trace: file.path().to_owned(),
        back_end: settings.back_end.to_string(),
        renderer: caps.renderer,
        version: caps.version,
        pass: summary.is_faithful()
            && summary.reply_differences.is_empty()
            && !rows.iter().any(|row| row.check.failed())
            && !unwritten,
        recording_drew: origin.drew,
        images_compared: rows.iter().filter(checked).count() as u64,
        images_written: written,
        frames: rows,
        replies_compared: summary.replies_compared,
        reply_differences: summary.reply_differences,
        fault: summary.fault,
        errors: summary.backend_errors,
        approximated: summary.approximated.into_iter().collect(),
        as_recorded: summary.as_recorded,
        time: summary.time,
        counters: summary.counters,
    })
}

/// Checks a frame's image against the file that holds the recorded one, and writes it into a folder.
fn finish_frame(
    frame: PlayedFrame,
    recorded: Option<&TraceFile>,
    out: Option<&Path>,
) -> Result<FrameReport, ReplayError> {
    let image = match &frame.image {
        Some(p) => Some(Image::from_bottom_up(p.width, p.height, &p.rgba)?),
        None => None,
    };
    let mut path = None;
    if let (Some(image), Some(out)) = (&image, out) {
        let file = out.join(image_name(frame.frame));
        image.save(&file)?;
        path = Some(file);
    }
    let check = match recorded {
        Some(file) => check_frame(file, &frame, image.as_ref(), out)?,
        None => FrameCheck::Unchecked,
    };
    Ok(FrameReport {
        frame: frame.frame,
        partial: frame.partial,
        time: frame.time,
        check,
        image: path,
        counters: frame.counters,
    })
}

fn check_frame(
    file: &TraceFile,
    frame: &PlayedFrame,
    image: Option<&Image>,
    out: Option<&Path>,
) -> Result<FrameCheck, ReplayError> {
    let images = file.images(frame.frame)?;
    let of_surface = images.iter().find(|image| image.surface == frame.surface);
    let Some(expected) = of_surface.or(images.last()) else {
        return Ok(FrameCheck::Unchecked);
    };
    let expected = turned(expected)?;
    let Some(image) = image else {
        return Ok(FrameCheck::Missing {
            detail: "the back end gave no image".to_owned(),
        });
    };
    if *image == expected {
        return Ok(FrameCheck::Equal);
    }
    let options = Options {
        alpha: true,
        ..Options::default()
    };
    if let Some(out) = out {
        save_difference(out, frame.frame, &expected, image, &options)?;
    }
    let comparison = compare(&expected, image, &options);
    Ok(match comparison.measures {
        Some(measures) => FrameCheck::Different {
            pixels: measures.differing,
            largest: measures.max_difference,
        },
        None => FrameCheck::Missing {
            detail: format!(
                "{} pixels recorded, {} replayed",
                comparison.left, comparison.right
            ),
        },
    })
}

/// Writes what was recorded, and where it differs, into folders below the images.
fn save_difference(
    out: &Path,
    frame: u64,
    expected: &Image,
    image: &Image,
    options: &Options,
) -> Result<(), ReplayError> {
    let save = |folder: &str, picture: &Image| {
        let folder = out.join(folder);
        make_folder(&folder)?;
        Ok::<_, ReplayError>(picture.save(&folder.join(image_name(frame)))?)
    };
    save("recorded", expected)?;
    match heatmap(expected, image, options) {
        Some(picture) => save("differences", &picture),
        None => Ok(()),
    }
}
