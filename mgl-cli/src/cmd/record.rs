//! `mgl record`: runs a program on the driver and writes what it draws to a trace file.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use mgl_core::trace::TraceFile;
use mgl_verify::launcher::supervise;
use mgl_verify::settings::{Recording, free_trace_name};
use rustix::io::dup;
use serde_json::json;

use crate::args::ProgramArgs;
use crate::exit::{Exit, Failure};
use crate::output::{Output, bytes};

/// Run a program on mgl and record what it draws
///
/// The file appears when the program makes its first context, and can be read up to the last complete
/// frame whatever happens to the program. A second process that draws writes FILE-PID.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  mgl record -- ./game                              writes game.mgltrace
  mgl record -o bug.mgltrace --max-frames 300 -- ./game --level 3
  mgl record --images every=10 -- glxgears          with the image of every tenth frame

Ends with the program's own status, 128+n when signal n ended it. Signals are passed on to it.")]
pub struct Args {
    /// The trace file [default: PROGRAM.mgltrace, or the first free PROGRAM-N.mgltrace]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Store images of frames: every=N
    #[arg(long, value_name = "every=N", value_parser = parse_images)]
    images: Option<u64>,

    /// Stop recording after N frames; the program goes on
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_frames: Option<u64>,

    /// What the trace says of where it comes from: base (program name and driver), or full
    /// (arguments, paths, the whole environment)
    #[arg(long, value_name = "HOW MUCH", value_parser = ["base", "full"], default_value = "base")]
    provenance: String,

    #[command(flatten)]
    program: ProgramArgs,
}

fn parse_images(text: &str) -> Result<u64, String> {
    text.strip_prefix("every=")
        .and_then(|number| number.parse().ok())
        .filter(|&every| every > 0)
        .ok_or_else(|| "not of the form every=N, N at least 1".to_owned())
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    let trace = match &args.output {
        Some(path) => path.clone(),
        None => free_trace_name(Path::new(""), Path::new(&args.program.program[0])),
    };
    let before = modified(&trace);
    let mut command = args.program.command(Some(Recording {
        trace: trace.clone(),
        images_every: args.images,
        max_frames: args.max_frames,
        full_provenance: args.provenance == "full",
    }))?;
    if out.is_json() {
        // Standard output is for the JSON document alone.
        let stderr = dup(io::stderr())
            .map_err(|e| Failure::input(format!("standard error cannot be used: {e}")))?;
        command.stdout(Stdio::from(stderr));
    }
    let status = supervise(command, &mut |_| None)?;
    // A file that was there before and was not written to is no recording of this program.
    let recorded = modified(&trace).is_some_and(|now| before != Some(now));
    let info = match recorded {
        true => Some(TraceFile::open(&trace)?.info()),
        false => None,
    };
    if out.is_json() {
        out.show(&json!({ "trace": info, "status": status }), |_, _| Ok(()))?;
    } else if let Some(info) = info {
        let size = bytes(info.bytes);
        let name = trace.display();
        eprintln!(
            "mgl: recorded {name}: {} frames, {} records, {size}",
            info.frames, info.records
        );
        if let Some(recovery) = info.recovered {
            eprintln!("mgl: {name}: {recovery}");
        }
    } else {
        eprintln!("mgl: nothing was recorded: the program made no OpenGL context");
    }
    Ok(Exit::Program(u8::try_from(status).unwrap_or(u8::MAX)))
}

/// When the file was last written, if it is there.
fn modified(path: &Path) -> Option<std::time::SystemTime> {
    std::fs::metadata(path).and_then(|m| m.modified()).ok()
}
