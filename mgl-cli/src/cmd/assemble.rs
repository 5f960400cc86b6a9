//! `mgl assemble`: makes a trace from its text form.

use std::path::PathBuf;

use mgl_core::trace::{TraceError, WriterOptions, assemble};
use serde_json::json;

use crate::exit::{Exit, Failure};
use crate::files::{read_json_text, write_trace};
use crate::output::{Output, bytes};

/// Make a trace from its text form
///
/// The text is what `mgl dump --json` prints, or written by hand: fields that are missing are zero.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  mgl assemble case.json -o case.mgltrace
  mgl dump game.mgltrace --json | mgl assemble - -o copy.mgltrace")]
pub struct Args {
    /// The text form, - for standard input
    text: PathBuf,

    /// The trace
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    let name = match args.text.to_str() {
        Some("-") => "standard input".to_owned(),
        _ => args.text.display().to_string(),
    };
    let named = |e: &dyn std::fmt::Display| Failure::input(format!("{name}: {e}"));
    let text = read_json_text(&args.text).map_err(|e| named(&e))?;
    let written = write_trace(&args.output, |file| {
        assemble(&text, &args.output, file, WriterOptions::default()).map_err(|e| match e {
            // It says where in the text, and not in which.
            TraceError::Text { .. } | TraceError::TooLarge { .. } => named(&e),
            other => other.into(),
        })
    })?;
    let document = json!({ "trace": args.output.to_string_lossy(), "written": written });
    out.show(&document, |out, _| {
        let (name, size) = (args.output.display(), bytes(written.bytes));
        out.line(format_args!(
            "{name}: {} frames, {} records, {size}",
            written.frames, written.records
        ))
    })?;
    Ok(Exit::Success)
}
