//! `mgl assemble`: makes a trace from its text form.

use std::io::Read;
use std::path::{Path, PathBuf};

use mgl_core::trace::{WriterOptions, assemble};
use serde_json::json;

use crate::exit::{Exit, Failure};
use crate::files::write_trace;
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
    let named = |e: &dyn std::fmt::Display| Failure::input(format!("{}: {e}", args.text.display()));
    let text = if args.text == Path::new("-") {
        let mut text = String::new();
        let read = std::io::stdin().read_to_string(&mut text);
        read.map(|_| text)
    } else {
        std::fs::read_to_string(&args.text)
    }
    .map_err(|e| named(&e))?;
    let written = write_trace(&args.output, |file| {
        assemble(&text, &args.output, file, WriterOptions::default())
    })
    .map_err(|failure| named(&failure.message))?;
    let document = json!({ "trace": args.output, "written": written });
    out.show(&document, |out, _| {
        let (name, size) = (args.output.display(), bytes(written.bytes));
        out.line(format_args!(
            "{name}: {} frames, {} records, {size}",
            written.frames, written.records
        ))
    })?;
    Ok(Exit::Success)
}
