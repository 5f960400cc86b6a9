//! `mgl dump`: the records of a trace, for reading or as text that `mgl assemble` takes; its images.

use std::path::{Path, PathBuf};

use mgl_core::trace::text::show;
use mgl_core::trace::{DumpOptions, TraceFile, dump};
use mgl_verify::replay::save_recorded_images;
use serde_json::Value;

use crate::args::{Frames, Glob, bounds, parse_frames};
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Print the records of a trace, or save the images that it holds
///
/// A line a record: the verb's name FRAME:NUMBER where the record is a verb, the call, and its fields that are not
/// zero. With --json, the text form, from which `mgl assemble` makes the same trace again.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  mgl dump game.mgltrace --frames 12 | less
  mgl dump game.mgltrace --calls 'Draw*,Clear'
  mgl dump game.mgltrace --json > game.json
  mgl dump game.mgltrace --images live/            the recorded images as live/NNNNNN.png")]
pub struct Args {
    /// The trace
    trace: PathBuf,

    /// Frames to print
    #[arg(long, value_name = "A..B", value_parser = parse_frames)]
    frames: Option<Frames>,

    /// Calls to print, by name: * and ? stand for any text and any character, commas separate
    #[arg(long, value_name = "GLOB")]
    calls: Option<Glob>,

    /// Save the recorded images of frames into this folder, and print no records
    #[arg(long, value_name = "FOLDER", conflicts_with = "calls")]
    images: Option<PathBuf>,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    let calls = args.calls.clone().map(Glob::of_calls).transpose()?;
    let file = TraceFile::open(&args.trace)?;
    if file.record_count() == 0 && !out.is_json() {
        let trace = args.trace.display();
        return Err(Failure::input(format!(
            "{trace}: it holds no record to print"
        )));
    }
    if let Some(folder) = &args.images {
        return save_images(&file, args, folder, out);
    }
    let wanted = |name: &str| calls.as_ref().is_none_or(|glob| glob.matches(name));
    let printed = if out.is_json() {
        let options = DumpOptions {
            frames: bounds(args.frames),
            calls: &|op| wanted(op.name()),
            ..DumpOptions::default()
        };
        dump(&file, out, &options).map_err(Failure::from)
    } else {
        print(&file, args, &wanted, out)
    };
    match printed {
        // Whoever read this has seen enough.
        Err(_) if out.is_closed() => Ok(Exit::Success),
        printed => printed.map(|()| Exit::Success),
    }
}

fn save_images(
    file: &TraceFile,
    args: &Args,
    folder: &Path,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let all = file.all_frames();
    let frames = args.frames.map_or(all.clone(), |frames| frames.among(&all));
    let saved = save_recorded_images(file, &frames, folder)?;
    if saved == 0 {
        return Err(Failure::input(format!(
            "{}: no image is recorded of these frames; `mgl record --images every=1` stores them",
            args.trace.display()
        )));
    }
    let document = serde_json::json!({ "folder": folder.to_string_lossy(), "images": saved });
    out.show(&document, |out, _| {
        out.line(format_args!("{saved} images in {}", folder.display()))
    })?;
    Ok(Exit::Success)
}

/// Prints a line a record.
fn print(
    file: &TraceFile,
    args: &Args,
    wanted: &dyn Fn(&str) -> bool,
    out: &mut Output,
) -> Result<(), Failure> {
    let mut records = file.records(bounds(args.frames))?;
    while let Some(record) = records.next()? {
        let name = record.call.op().name();
        if !wanted(name) {
            continue;
        }
        let verb = match record.place.verb {
            Some(number) => format!("{}:{number}", record.place.frame),
            None => String::new(),
        };
        let fields: Vec<String> = show(&record)
            .iter()
            .filter(|(field, _)| *field != "op")
            .map(|(field, value)| format!("{field}={}", compact(value)))
            .collect();
        out.line(format!("{verb:>8}  {name:<22} {}", fields.join(" ")).trim_end())?;
        if out.is_closed() {
            break;
        }
    }
    Ok(())
}

/// A value as short as it can be told apart; handles as in messages, `{slot,generation}`.
fn compact(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(map) => match (map.len(), map.get("slot"), map.get("generation")) {
            (2, Some(slot), Some(generation)) => format!("{{{slot},{generation}}}"),
            _ => {
                let fields = map.iter().map(|(k, v)| format!("{k}={}", compact(v)));
                format!("({})", fields.collect::<Vec<_>>().join(" "))
            }
        },
        Value::Array(list) => {
            format!(
                "[{}]",
                list.iter().map(compact).collect::<Vec<_>>().join(",")
            )
        }
        other => other.to_string(),
    }
}
