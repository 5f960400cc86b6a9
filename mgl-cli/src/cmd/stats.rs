//! `mgl stats`: what a trace consists of, in numbers.

use std::path::PathBuf;

use comfy_table::Cell;
use mgl_core::trace::{Stats, TraceFile, stats};

use crate::args::{Frames, Glob, bounds, parse_frames};
use crate::exit::{Exit, Failure};
use crate::output::{Output, bytes};

/// Count what a trace consists of: calls, bytes, frames, and what the pipe counts
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  mgl stats game.mgltrace
  mgl stats game.mgltrace --frames 100..110 --per-frame
  mgl stats game.mgltrace --calls 'Set*,Bind*'
  mgl stats game.mgltrace --json")]
pub struct Args {
    /// The trace
    trace: PathBuf,

    /// Frames to count
    #[arg(long, value_name = "A..B", value_parser = parse_frames)]
    frames: Option<Frames>,

    /// Calls to list, by name: * and ? stand for any text and any character, commas separate
    #[arg(long, value_name = "GLOB")]
    calls: Option<Glob>,

    /// Show a line a frame
    #[arg(long)]
    per_frame: bool,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    let calls = args.calls.clone().map(Glob::of_calls).transpose()?;
    let file = TraceFile::open(&args.trace)?;
    let mut stats = stats(&file, bounds(args.frames))?;
    if stats.records == 0 {
        let trace = args.trace.display();
        return Err(Failure::input(format!(
            "{trace}: it holds no record to count"
        )));
    }
    if let Some(glob) = &calls {
        stats.calls.retain(|call| glob.matches(call.call));
    }
    out.show(&stats, |out, stats| show(out, stats, args.per_frame))?;
    Ok(Exit::Success)
}

fn show(out: &mut Output, stats: &Stats, per_frame: bool) -> Result<(), Failure> {
    let whole = stats.frames.iter().filter(|frame| frame.whole).count();
    let blobs = &stats.blobs;
    out.line(format_args!(
        "{whole} whole frames, {} records in {}, {} replies, {} events",
        stats.records,
        bytes(stats.record_bytes),
        stats.replies,
        stats.events
    ))?;
    out.line(format_args!(
        "{} blobs in {}, named {} times ({})",
        blobs.different,
        bytes(blobs.different_bytes),
        blobs.references,
        bytes(blobs.referenced_bytes)
    ))?;
    if let Some((frame, why)) = &stats.first_refusal {
        out.line(format_args!(
            "{} records are refused; the first in frame {frame}: {why}",
            stats.refused
        ))?;
    }
    let calls = stats.calls.iter().map(|call| {
        vec![
            Cell::new(call.call),
            Cell::new(call.count),
            Cell::new(bytes(call.record_bytes)),
            Cell::new(bytes(call.blob_bytes)),
        ]
    });
    out.table(&["call", "records", "bytes", "blobs"], calls.collect())?;

    let frames = stats.counters.presents.max(1) as f64;
    let counters = stats
        .counters
        .fields()
        .into_iter()
        .filter(|(_, value)| *value > 0);
    let counters = counters.map(|(name, value)| {
        let each = format!("{:.1}", value as f64 / frames);
        vec![Cell::new(name), Cell::new(value), Cell::new(each)]
    });
    out.table(&["counter", "total", "a frame"], counters.collect())?;
    if !per_frame {
        return Ok(());
    }
    let rows = stats.frames.iter().map(|frame| {
        vec![
            Cell::new(frame.frame),
            Cell::new(frame.records),
            Cell::new(frame.verbs),
            Cell::new(frame.draws),
            Cell::new(bytes(frame.record_bytes)),
            Cell::new(bytes(frame.blob_bytes)),
            Cell::new(bytes(frame.new_blob_bytes)),
            Cell::new(if frame.whole { "" } else { "partial" }),
        ]
    });
    let header = [
        "frame",
        "records",
        "verbs",
        "draws",
        "bytes",
        "blobs",
        "new blobs",
        "",
    ];
    out.table(&header, rows.collect())
}
