//! `mgl replay`: draws a trace again, without the program that it was recorded from.

use std::path::PathBuf;

use comfy_table::Cell;
use mgl_core::trace::TraceFile;
use mgl_replay::BackendKind;
use mgl_verify::replay::{FrameCheck, FrameReport, ReplayReport, ReplaySettings, replay};

use crate::args::{Frames, parse_frames};
use crate::exit::{Exit, Failure};
use crate::output::{Output, Tone};
use crate::progress::Progress;

/// Draw a trace again, without the program
///
/// Where the trace holds images of frames, the replayed ones must equal them pixel for pixel; replies
/// that the program was given (pixels read back, query results) must agree where they can be compared.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  mgl replay game.mgltrace                           replay and check
  mgl replay game.mgltrace --out frames              every frame as frames/NNNNNN.png
  mgl replay game.mgltrace --frames 100..110 --stats
  mgl replay game.mgltrace --bench --json            times a frame

Exits with 1 when an image or a reply differs from the recorded one. With --out, the recorded image
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

    /// Report the back end's debug messages as errors
    #[arg(long)]
    debug: bool,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    let file = TraceFile::open(&args.trace)?;
    let settings = ReplaySettings {
        back_end: args.backend,
        device: args.device.clone(),
        frames: args.frames.map(|frames| frames.among(&file.all_frames())),
        out: args.out.clone(),
        check: !args.bench,
        debug: args.debug,
    };
    let mut progress: Option<Progress> = None;
    let report = replay(&file, &settings, |total| {
        progress
            .get_or_insert_with(|| Progress::new(total, "frames"))
            .step();
    })?;
    drop(progress);

    out.show(&report, |out, report| show(out, report, args))?;
    Ok(if report.pass {
        Exit::Success
    } else {
        Exit::Difference
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
        out.line(format_args!("back end: {error}"))?;
    }
    if args.stats {
        show_counters(out, report)?;
    }
    if let Some(folder) = &args.out {
        out.line(format_args!("images are in {}", folder.display()))?;
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
