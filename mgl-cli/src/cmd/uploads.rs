//! `mgl uploads`: what goes up into textures and buffers, and in which shape.

use std::path::PathBuf;

use comfy_table::Cell;
use mgl_core::trace::TraceFile;
use mgl_replay::{BackendKind, Limit};
use mgl_verify::uploads::{Asked, ServerBuffers, UploadsReport, report};
use mgl_verify::watched;

use crate::args::{Frames, parse_frames};
use crate::exit::{Exit, Failure};
use crate::output::{Output, bytes};
use crate::progress::Progress;
use crate::watch::{self, Timeout};

/// Show what goes up into textures and buffers, and in which shape
///
/// The program's side comes from the trace: the changed regions of a texture's level in a frame, and the
/// box around them. A back end uploads either; with --backend the trace is replayed and the shape that it
/// chose is shown, with its upload calls and bytes. Frames that follow each other and upload the same are
/// one row.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  mgl uploads game.mgltrace
  mgl uploads game.mgltrace --backend espryt       box or regions?
  mgl uploads game.mgltrace --frames 100..110
  mgl uploads game.mgltrace --backend espryt --json

Textures are counted in the order in which they are first uploaded to; 2:0 is level 0 of texture 2. A box
is WxH+X+Y in texels, or WxHxD+X+Y+Z where there are slices, layers or faces. `boxed` are the bytes of the
boxes, `changed` those of the regions.")]
pub struct Args {
    /// The trace
    trace: PathBuf,

    /// Frames to show; those before are replayed too, since state comes from them
    #[arg(long, value_name = "A..B", value_parser = parse_frames)]
    frames: Option<Frames>,

    /// Replay on this back end and show what it makes of the uploads: espryt (OpenGL ES), magma (Vulkan) or null (nothing)
    #[arg(long, value_name = "NAME")]
    backend: Option<BackendKind>,

    /// Let the replay cost so many times what it may by default, or `none` for no bound (see mgl replay)
    #[arg(long, value_name = "TIMES", default_value_t, requires = "backend")]
    limit: Limit,

    #[command(flatten)]
    timeout: Timeout,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    if args.backend.is_some()
        && let Some(exit) = watch::apart(&args.timeout)?
    {
        return Ok(exit);
    }
    let told = watched::progress();
    let asked = args.backend.map(|kind| Asked {
        kind,
        limit: args.limit,
        progress: told.as_ref().map(|file| file.progress()),
    });
    let file = TraceFile::open(&args.trace)?;
    let frames = args.frames.map(|frames| frames.among(&file.all_frames()));
    let mut progress: Option<Progress> = None;
    let report = report(&file, frames, asked, |total| {
        progress
            .get_or_insert_with(|| Progress::new(total, "frames"))
            .step();
    })?;
    drop(progress);
    out.show(&report, show)?;
    Ok(Exit::Success)
}

fn show(out: &mut Output, report: &UploadsReport) -> Result<(), Failure> {
    if let (Some(back_end), Some(renderer)) = (&report.back_end, &report.renderer) {
        out.line(format_args!("replayed on {back_end} ({renderer})"))?;
    }
    if report.is_empty() {
        return out.line(format_args!("frames {} upload nothing", report.frames));
    }
    show_textures(out, report)?;
    show_levels(out, report)?;
    show_buffers(out, report)?;
    show_totals(out, report)
}

fn show_textures(out: &mut Output, report: &UploadsReport) -> Result<(), Failure> {
    if report.textures.is_empty() {
        return Ok(());
    }
    let rows = report.textures.iter().map(|t| {
        vec![
            Cell::new(t.texture),
            Cell::new(t.since),
            Cell::new(t.name),
            Cell::new(t.label.as_deref().unwrap_or("")),
            Cell::new(&t.target),
            Cell::new(&t.format),
            Cell::new(&t.extent),
            Cell::new(t.levels),
        ]
    });
    let header = [
        "texture", "from", "GL name", "label", "target", "format", "size", "levels",
    ];
    out.table(&header, rows.collect())
}

/// Columns of a back end's side; `-` where it says nothing.
fn result_cells(result: Option<ServerBuffers>) -> [Cell; 2] {
    match result {
        Some(r) => [Cell::new(r.jobs), Cell::new(bytes(r.bytes))],
        None => [Cell::new("-"), Cell::new("-")],
    }
}

/// Boxes, a line each, and how many more there are.
fn boxes(boxes: &[String]) -> String {
    let line = |text: &String| match text.split_once(' ') {
        Some((more, _digest)) => more.to_owned(),
        None => text.clone(),
    };
    boxes.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn show_levels(out: &mut Output, report: &UploadsReport) -> Result<(), Failure> {
    let runs = report.level_runs();
    if runs.is_empty() {
        return Ok(());
    }
    let asked = report.back_end.is_some();
    let rows = runs.into_iter().map(|run| {
        let client = run.client;
        let mut row = vec![
            Cell::new(format!("{}:{}", run.texture, run.level)),
            Cell::new(run.frames),
            Cell::new(client.emissions),
            Cell::new(client.regions),
            Cell::new(boxes(&client.boxes)),
            Cell::new(bytes(client.box_bytes)),
            Cell::new(bytes(client.region_bytes)),
        ];
        if asked {
            let shape = run.back_end.map_or("-", |r| &*r.shape);
            row.push(Cell::new(shape));
            row.extend(result_cells(run.back_end.map(|r| ServerBuffers {
                jobs: r.jobs,
                bytes: r.bytes,
            })));
        }
        row
    });
    let mut header = vec![
        "texture", "frames", "up", "regions", "boxes", "boxed", "changed",
    ];
    if asked {
        header.extend(["shape", "calls", "bytes"]);
    }
    out.table(&header, rows.collect())
}

fn show_buffers(out: &mut Output, report: &UploadsReport) -> Result<(), Failure> {
    let runs = report.buffer_runs();
    if runs.is_empty() {
        return Ok(());
    }
    let asked = report.back_end.is_some();
    let rows = runs.into_iter().map(|run| {
        let mut row = vec![
            Cell::new(run.frames),
            Cell::new(run.client.emissions),
            Cell::new(bytes(run.client.bytes)),
        ];
        if asked {
            row.extend(result_cells(run.back_end));
        }
        row
    });
    let mut header = vec!["buffers, in frames", "uploads", "bytes"];
    if asked {
        header.extend(["calls", "bytes up"]);
    }
    out.table(&header, rows.collect())
}

fn show_totals(out: &mut Output, report: &UploadsReport) -> Result<(), Failure> {
    let totals = &report.totals;
    let up = |result: Option<ServerBuffers>| match result {
        Some(r) => format!("; {} calls, {}", r.jobs, bytes(r.bytes)),
        None => String::new(),
    };
    let client = &totals.client;
    out.line(format_args!(
        "textures: {} uploads, {} regions, boxes {}, regions {}{}",
        client.uploads,
        client.regions,
        bytes(client.box_bytes),
        bytes(client.region_bytes),
        up(totals.back_end)
    ))?;
    out.line(format_args!(
        "buffers: {} uploads, {}{}",
        client.buffer_uploads,
        bytes(client.buffer_bytes),
        up(totals.back_end_buffers)
    ))
}
