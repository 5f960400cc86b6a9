//! `mgl replay`: draws a trace again, without the program that it was recorded from.

use std::path::{Path, PathBuf};

use comfy_table::Cell;
use mgl_core::trace::TraceFile;
use mgl_replay::attachments::{AttachmentError, framebuffer_after};
use mgl_replay::player::{PlayError, Progress as Told};
use mgl_replay::{BackendKind, Limit};
use mgl_verify::attachments::save;
use mgl_verify::replay::{
    FrameCheck, FrameReport, ReplayError, ReplayReport, ReplaySettings, replay, start,
};
use mgl_verify::watched;
use serde_json::json;

use crate::args::{Frames, parse_frames};
use crate::exit::{Exit, Failure};
use crate::output::{Output, Tone};
use crate::progress::Progress;
use crate::watch::{self, Timeout};

/// Draw a trace again, without the program
///
/// Where the trace holds images of frames, the replayed ones must equal them pixel for pixel; replies
/// that the program was given (pixels read back, query results) must agree where they can be compared.
/// The back end must do every call and the driver must not complain, but for what the recording had too.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  mgl replay game.mgltrace                           replay and check
  mgl replay game.mgltrace --out frames              every frame as frames/NNNNNN.png
  mgl replay game.mgltrace --frames 100..110 --stats
  mgl replay game.mgltrace --bench --json            times a frame
  mgl replay game.mgltrace --dump-verb 12:345 --out dump   the framebuffer after a verb

Exits with 1 when an image or a reply differs from the recorded one, when the back end left a call out or
failed, and when the driver complained, crashed or hung; with 2 when the trace is damaged, holds nothing to
replay, or asks for more work or memory than a replay may cost (--limit). With --out, the recorded image
and a picture of the differences are then in FOLDER/recorded and FOLDER/differences.")]
pub struct Args {
    /// The trace
    trace: PathBuf,

    /// What draws: espryt (OpenGL ES), magma (Vulkan) or null (nothing)
    #[arg(long, value_name = "NAME", default_value_t = BackendKind::Espryt)]
    backend: BackendKind,

    /// The Vulkan device, by number or part of its name (mgl doctor lists them)
    #[arg(long, value_name = "DEVICE")]
    device: Option<String>,

    /// Frames to show and check; those before are replayed too, since state comes from them
    #[arg(long, value_name = "A..B", value_parser = parse_frames)]
    frames: Option<Frames>,

    /// Write the image of every frame into this folder
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Show what was counted
    #[arg(long)]
    stats: bool,

    /// Measure: no images, no checks; shows the time a frame
    #[arg(long, conflicts_with = "out")]
    bench: bool,

    /// Replay up to this verb (mgl dump names them) and write the attachments of the framebuffer that is
    /// then bound into the folder: as PNG, or as raw numbers where a channel has more than eight bits
    #[arg(long, value_name = "F:N", value_parser = parse_verb, requires = "out",
          conflicts_with_all = ["frames", "stats", "bench"])]
    dump_verb: Option<(u64, u32)>,

    /// Report the back end's debug messages as errors
    #[arg(long)]
    debug: bool,

    /// Let the replay cost so many times what it may by default, or `none` for no bound: 2^28 vertices
    /// (instances, texels and code count as some), 2^26 more for each frame, and 4 GiB of storage
    #[arg(long, value_name = "TIMES", default_value_t)]
    limit: Limit,

    #[command(flatten)]
    timeout: Timeout,
}

fn parse_verb(text: &str) -> Result<(u64, u32), String> {
    text.split_once(':')
        .and_then(|(frame, verb)| Some((frame.parse().ok()?, verb.parse().ok()?)))
        .ok_or_else(|| "not of the form F:N, frame and verb in it".to_owned())
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    if let Some(exit) = watch::apart(&args.timeout)? {
        return Ok(exit);
    }
    let told = watched::progress();
    let told = told.as_ref().map(|file| file.progress());
    let file = TraceFile::open(&args.trace)?;
    if let (Some(verb), Some(folder)) = (args.dump_verb, &args.out) {
        return dump_verb(args, &file, verb, folder, told, out);
    }
    let settings = ReplaySettings {
        back_end: args.backend,
        device: args.device.clone(),
        frames: args.frames.map(|frames| frames.among(&file.all_frames())),
        out: args.out.clone(),
        check: !args.bench,
        debug: args.debug,
        limit: args.limit,
        progress: told,
    };
    let mut progress: Option<Progress> = None;
    let report = replay(&file, &settings, |total| {
        progress
            .get_or_insert_with(|| Progress::new(total, "frames"))
            .step();
    })?;
    drop(progress);

    if let Some(recovery) = file.recovered() {
        eprintln!("mgl: {}: {recovery}", args.trace.display());
    }
    out.show(&report, |out, report| show(out, report, args))?;
    Ok(if report.pass {
        Exit::Success
    } else {
        Exit::Difference
    })
}

/// The framebuffer after a verb, as files.
fn dump_verb(
    args: &Args,
    file: &TraceFile,
    (frame, verb): (u64, u32),
    folder: &Path,
    told: Option<Told<'_>>,
    out: &mut Output,
) -> Result<Exit, Failure> {
    if args.backend == BackendKind::Null {
        return Err(ReplayError::NoImages.into());
    }
    let mut back_end = start(args.backend, args.device.as_deref(), args.debug)?;
    let after = framebuffer_after(file, back_end.as_mut(), frame, verb, args.limit, told);
    let image = after.map_err(|e| match &e {
        AttachmentError::Play(play) if play.is_fault() => {
            Failure::difference(format!("FAIL: {}: {e}", args.trace.display()))
        }
        // They name the file themselves.
        AttachmentError::Trace(_) | AttachmentError::Play(PlayError::Trace(_)) => Failure::input(e),
        _ => Failure::input(format!("{}: {e}", args.trace.display())),
    })?;
    let files = save(&image, frame, verb, folder).map_err(Failure::input)?;
    let document = json!({
        "verb": format!("{frame}:{verb}"),
        "call": image.op.name(),
        "files": files,
        "unread": image.unread,
    });
    out.show(&document, |out, _| {
        out.line(format_args!("after {frame}:{verb} {}", image.op.name()))?;
        let rows = files.iter().map(|f| {
            let kind = match f.components {
                0 => f.kind.to_owned(),
                n => format!("{n} x {} a pixel", f.kind),
            };
            vec![
                Cell::new(&f.name),
                Cell::new(&f.format),
                Cell::new(format!("{}x{}", f.width, f.height)),
                Cell::new(kind),
                Cell::new(f.file.display()),
            ]
        });
        out.table(
            &["attachment", "format", "size", "as", "file"],
            rows.collect(),
        )?;
        if files.is_empty() {
            out.line("FAIL: nothing was written")?;
        }
        for (name, why) in &image.unread {
            out.line(format_args!("{name} cannot be read: {why}"))?;
        }
        Ok(())
    })?;
    Ok(match image.unread.is_empty() && !files.is_empty() {
        true => Exit::Success,
        false => Exit::Difference,
    })
}

fn show(out: &mut Output, report: &ReplayReport, args: &Args) -> Result<(), Failure> {
    let renderer = if report.renderer.is_empty() {
        report.back_end.clone()
    } else {
        format!(
            "{} on {}, {}",
            report.back_end, report.renderer, report.version
        )
    };
    out.line(format_args!(
        "{} frames replayed: {renderer}",
        report.frames.len()
    ))?;
    if args.backend == BackendKind::Null {
        out.line("nothing was drawn, and nothing compared")?;
    }
    if !report.recording_drew {
        out.line("recorded on the null back end, which draws nothing: its images and replies are not compared")?;
    }
    let failed: Vec<&FrameReport> = report.frames.iter().filter(|f| f.check.failed()).collect();
    if !failed.is_empty() {
        let rows = failed.iter().map(|row| {
            let what = match &row.check {
                FrameCheck::Different { pixels, largest } => {
                    format!("{pixels} pixels differ, by up to {largest} of 255")
                }
                FrameCheck::Missing { detail } => detail.clone(),
                FrameCheck::Equal | FrameCheck::Unchecked => String::new(),
            };
            vec![
                Cell::new(row.frame),
                out.toned("FAIL", Tone::Bad),
                Cell::new(what),
            ]
        });
        let rows = rows.collect();
        out.table(&["frame", "", "against the recorded image"], rows)?;
    }
    if args.bench {
        show_times(out, report)?;
    } else {
        out.line(format_args!(
            "images: {} compared with recorded ones, {} differ",
            report.images_compared,
            failed.len()
        ))?;
        out.line(format_args!(
            "replies: {} compared, {} differ",
            report.replies_compared,
            report.reply_differences.len()
        ))?;
    }
    for difference in &report.reply_differences {
        let (place, call) = (&difference.place, difference.call);
        out.line(format_args!(
            "FAIL: reply to {call} at {place}: {}",
            difference.detail
        ))?;
    }
    for error in &report.errors {
        out.line(format_args!("FAIL: back end: {error}"))?;
    }
    for error in &report.as_recorded {
        out.line(format_args!("back end, as in the recording: {error}"))?;
    }
    if let Some(fault) = &report.fault {
        out.line(format_args!("FAIL: the back end failed: {fault}"))?;
    }
    for (name, times) in &report.approximated {
        out.line(format_args!("back end: {name} approximated {times} times"))?;
    }
    if args.stats {
        show_counters(out, report)?;
    }
    if let Some(folder) = &args.out {
        let folder = folder.display();
        match report.images_written {
            0 => out.line("FAIL: no image was written")?,
            n => out.line(format_args!("{n} images are in {folder}"))?,
        }
    }
    Ok(())
}

fn show_times(out: &mut Output, report: &ReplayReport) -> Result<(), Failure> {
    let mut times: Vec<f64> = report
        .frames
        .iter()
        .map(|frame| frame.time.as_secs_f64() * 1e3)
        .collect();
    times.sort_by(f64::total_cmp);
    let at = |part: f64| {
        let index = (times.len() as f64 * part) as usize;
        let time = times.get(index.min(times.len().saturating_sub(1)));
        time.map_or("-".to_owned(), |time| format!("{time:.3} ms"))
    };
    let whole = report.time.as_secs_f64();
    let frequency = times.len() as f64 / (times.iter().sum::<f64>() / 1e3).max(1e-9);
    let rows = [
        ("frames a second", format!("{frequency:.1}")),
        ("median frame", at(0.5)),
        ("99th percentile", at(0.99)),
        ("slowest", at(1.0)),
        (
            "records a second",
            format!("{:.0}", report.counters.records as f64 / whole.max(1e-9)),
        ),
    ];
    let rows = rows.map(|(name, value)| vec![Cell::new(name), Cell::new(value)]);
    out.table(&["time", ""], rows.into())
}

fn show_counters(out: &mut Output, report: &ReplayReport) -> Result<(), Failure> {
    let frames = report.counters.presents.max(1) as f64;
    let rows = report
        .counters
        .fields()
        .into_iter()
        .filter(|(_, value)| *value > 0)
        .map(|(name, value)| {
            vec![
                Cell::new(name),
                Cell::new(value),
                Cell::new(format!("{:.1}", value as f64 / frames)),
            ]
        });
    out.table(&["counter", "total", "a frame"], rows.collect())
}
