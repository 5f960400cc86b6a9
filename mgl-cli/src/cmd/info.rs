//! `mgl info`: what is in a trace, without reading its records.

use std::path::PathBuf;

use comfy_table::Cell;
use mgl_core::pipe::event::{Event, LogLevel};
use mgl_core::trace::{Info, TraceFile};

use crate::exit::{Exit, Failure};
use crate::output::{Output, bytes};

/// Show what is in a trace: frames, records, sizes, and where it comes from
///
/// A file that was cut off, because the program was killed or the disk was full, is read up to its last
/// whole frame, and said to be so. Of a file that a newer mgl wrote, what every version writes alike is shown.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  mgl info game.mgltrace
  mgl info game.mgltrace --json")]
pub struct Args {
    /// The trace
    trace: PathBuf,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    let file = match TraceFile::open(&args.trace) {
        Err(e) if e.is_of_another_version() => {
            let info = TraceFile::survey(&args.trace)?;
            let notes = Vec::new();
            out.show(&Shown { info, notes }, show)?;
            return Ok(Exit::Success);
        }
        file => file?,
    };
    // What the driver refused is written when recording ends, behind the last record.
    let notes = file
        .events(file.record_count())?
        .into_iter()
        .filter_map(|e| match e {
            Event::Log { level, text } if level >= LogLevel::Warn => Some(text),
            _ => None,
        })
        .collect();
    let info = file.info();
    out.show(&Shown { info, notes }, show)?;
    Ok(Exit::Success)
}

/// What is shown: the file, and what the driver had to say at the end.
#[derive(serde::Serialize)]
struct Shown {
    #[serde(flatten)]
    info: Info,
    /// Warnings and errors behind the last record: refused entry points and values, with how often.
    notes: Vec<String>,
}

fn show(out: &mut Output, shown: &Shown) -> Result<(), Failure> {
    let info = &shown.info;
    let from = &info.provenance;
    let mut rows = vec![
        ("file", format!("{}, {}", info.path, bytes(info.bytes))),
        (
            "format",
            format!("version {}, layout {}", info.version, info.layout),
        ),
        ("frames", frames(info)),
        ("records", info.records.to_string()),
        ("images", info.images.to_string()),
        ("program", from.program.clone()),
        (
            "recorded by",
            format!("mgl {} on {}", from.mgl, from.system),
        ),
        ("back end", from.backend.clone()),
    ];
    if let Some(caps) = &from.caps {
        rows.push(("driver", format!("{}, {}", caps.renderer, caps.version)));
    }
    for (name, value) in &from.variables {
        rows.push(("variable", format!("{name}={value}")));
    }
    if let Some(why) = &info.unreadable {
        rows.push(("not readable", why.clone()));
    }
    if let Some(recovery) = &info.recovered {
        rows.push(("not finished", recovery.to_string()));
    }
    for note in &shown.notes {
        rows.push(("note", note.clone()));
    }
    let rows = rows
        .into_iter()
        .map(|(name, value)| vec![Cell::new(name), Cell::new(value)]);
    out.table(&["trace", ""], rows.collect())?;

    let chunks = info.chunks.iter().map(|kind| {
        vec![
            Cell::new(&kind.kind),
            Cell::new(kind.chunks),
            Cell::new(bytes(kind.stored_bytes)),
            Cell::new(bytes(kind.real_bytes)),
        ]
    });
    out.table(
        &["content", "chunks", "in the file", "unpacked"],
        chunks.collect(),
    )
}

fn frames(info: &Info) -> String {
    let whole = match info.frames {
        0 => "none whole".to_owned(),
        1 => format!("1, number {}", info.first_frame),
        n => format!(
            "{n}, from {} to {}",
            info.first_frame,
            info.first_frame + n - 1
        ),
    };
    if info.partial_frame {
        format!("{whole}, and a partial one after the last Present")
    } else {
        whole
    }
}
