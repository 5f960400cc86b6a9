//! `mgl repair`: copies what is whole of a trace, and gives the copy an index.

use std::path::PathBuf;

use mgl_core::trace::{RepairOptions, TraceFile, repair};
use serde_json::json;

use crate::exit::{Exit, Failure};
use crate::files::write_trace;
use crate::output::{Output, bytes};

/// Mend a trace that was cut off, or copy one without images or replies
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  mgl repair cut.mgltrace -o whole.mgltrace
  mgl repair cut.mgltrace --in-place
  mgl repair game.mgltrace --drop-images -o small.mgltrace")]
pub struct Args {
    /// The trace
    trace: PathBuf,

    /// The copy
    #[arg(short, long, value_name = "FILE", required_unless_present = "in_place")]
    output: Option<PathBuf>,

    /// Replace the trace by the copy
    #[arg(long, conflicts_with = "output")]
    in_place: bool,

    /// Leave out images of frames
    #[arg(long)]
    drop_images: bool,

    /// Leave out replies and events, and so what was not carried out when it was recorded: a replay of the copy fails there
    #[arg(long)]
    drop_replies: bool,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    let file = TraceFile::open(&args.trace)?;
    if file.record_count() == 0 {
        let trace = args.trace.display();
        return Err(Failure::input(format!(
            "{trace}: no record in it is whole: there is nothing to keep"
        )));
    }
    let options = RepairOptions {
        drop_images: args.drop_images,
        drop_replies: args.drop_replies,
    };
    let output = args.output.as_ref().unwrap_or(&args.trace);
    let written = write_trace(output, |to| Ok(repair(&file, to, output, options)?))?;
    let recovered = file.recovered();
    let document =
        json!({ "trace": output.to_string_lossy(), "written": written, "recovered": recovered });
    out.show(&document, |out, _| {
        let name = output.display();
        if let Some(recovery) = recovered {
            out.line(format_args!(
                "{} bytes after the last whole chunk were left out: {}",
                recovery.ignored_bytes, recovery.reason
            ))?;
        }
        let size = bytes(written.bytes);
        out.line(format_args!(
            "{name}: {} frames, {} records, {size}",
            written.frames, written.records
        ))
    })?;
    Ok(Exit::Success)
}
