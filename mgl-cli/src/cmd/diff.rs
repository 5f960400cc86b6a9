//! `mgl diff`: where two recordings part, field by field.

use std::path::PathBuf;

use comfy_table::Cell;
use mgl_core::trace::{Diff, DiffOptions, DiffRow, TraceFile, diff, has_field};

use crate::args::{Frames, Glob, bounds, parse_frames};
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Most characters of a value in the table.
const SHOWN: usize = 40;

/// Show where two traces part: frame by frame, verb by verb, field by field
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  mgl diff before.mgltrace after.mgltrace
  mgl diff before.mgltrace after.mgltrace --frames 10..20 --fields 'DrawVbo.*'
  mgl diff before.mgltrace after.mgltrace --json

Exits with 1 when anything differs.")]
pub struct Args {
    /// The one trace
    left: PathBuf,

    /// The other trace
    right: PathBuf,

    /// Frames to compare
    #[arg(long, value_name = "A..B", value_parser = parse_frames)]
    frames: Option<Frames>,

    /// Fields to compare, as CALL.FIELD: * and ? stand for any text and any character
    #[arg(long, value_name = "GLOB")]
    fields: Option<Glob>,

    /// Most differences to show; all are counted
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    let (left, right) = (TraceFile::open(&args.left)?, TraceFile::open(&args.right)?);
    let options = DiffOptions {
        frames: bounds(args.frames),
        fields: &|field| args.fields.as_ref().is_none_or(|glob| glob.matches(field)),
        limit: args.limit,
    };
    let diff = diff(&left, &right, &options)?;
    if diff.frames == 0 && diff.is_equal() {
        return Err(Failure::input(format!(
            "{} and {}: there is no frame to compare",
            args.left.display(),
            args.right.display()
        )));
    }
    // A selection that takes no field compares nothing.
    if let Some(glob) = args.fields.as_ref().filter(|_| diff.is_equal()) {
        let taken = |field: &str| glob.matches(field);
        if !has_field(&left, bounds(args.frames), &taken)? {
            return Err(Failure::input(format!(
                "{}: --fields takes no field that is in it",
                args.left.display()
            )));
        }
    }
    out.show(&diff, show)?;
    Ok(if diff.is_equal() {
        Exit::Success
    } else {
        Exit::Difference
    })
}

fn show(out: &mut Output, diff: &Diff) -> Result<(), Failure> {
    if let Some(first) = diff.rows.first() {
        out.line(format_args!(
            "first difference: frame {}, verb {}, {}",
            first.frame,
            first.verb,
            field(first)
        ))?;
        let dots = out.dots();
        let value = |value: &Option<String>| shortened(value.as_deref().unwrap_or("-"), dots);
        let rows = diff.rows.iter().map(|row| {
            vec![
                Cell::new(&row.verb),
                Cell::new(field(row)),
                Cell::new(value(&row.left)),
                Cell::new(value(&row.right)),
            ]
        });
        out.table(&["verb", "field", "left", "right"], rows.collect())?;
        let rest = diff.total - diff.rows.len() as u64;
        if rest > 0 {
            out.line(format_args!("and {rest} more"))?;
        }
        let summary = diff
            .summary
            .iter()
            .map(|row| vec![Cell::new(&row.field), Cell::new(row.count)]);
        out.table(&["field", "differences"], summary.collect())?;
    }
    for (frames, side) in [(&diff.only_left, "left"), (&diff.only_right, "right")] {
        for run in frames {
            let (first, last) = (run.first, run.last);
            out.line(format_args!(
                "frames {first} to {last} are only in the {side} trace"
            ))?;
        }
    }
    if diff.is_equal() {
        return out.line(format_args!("equal in {} frames", diff.frames));
    }
    out.line(format_args!(
        "{} differences in {} of {} frames",
        diff.total, diff.different_frames, diff.frames
    ))
}

fn field(row: &DiffRow) -> String {
    if row.path.is_empty() {
        row.call.to_owned()
    } else {
        format!("{}.{}", row.call, row.path)
    }
}

fn shortened(text: &str, dots: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}{dots}", &text[..end]),
        None => text.to_owned(),
    }
}
