//! `mgl record`: runs a program on the driver and writes what it draws to a trace file.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use mgl_core::files::{stamp, writable};
use mgl_core::trace::{Info, Keeper, Rescue, Salvaged, TraceError, TraceFile};
use mgl_verify::launcher::{Note, Notes, Reason, Watcher, supervise};
use mgl_verify::settings::{Recording, free_trace_name};
use rustix::io::fcntl_dupfd_cloexec;
use serde_json::json;

use crate::args::ProgramArgs;
use crate::exit::{Exit, Failure};
use crate::output::{Output, bytes};

/// How often recording processes are looked after while the program runs.
const LOOK: Duration = Duration::from_secs(1);
/// How long processes may take to end behind the program.
const PATIENCE: Duration = Duration::from_millis(200);

/// Run a program on mgl and record what it draws
///
/// The file appears when the program makes its first context. Whatever ends the program, a signal, a crash or a kill, the file
/// is finished, with all that was drawn until then. A second process that draws writes FILE-PID.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  mgl record -- ./game                              writes game.mgltrace
  mgl record -o bug.mgltrace --max-frames 300 -- ./game --level 3
  mgl record --images every=10 -- glmark2 -b build  with the image of every tenth frame

Ends with the program's own status, 128+n when signal n ended it. Signals are passed on to it. Where
nothing was recorded it says why; a FILE that cannot be written is known before the program starts.")]
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
    // Known before the program starts: nobody plays for an hour and then hears of it.
    writable(&trace).map_err(|e| Failure {
        hint: Some("`-o FILE` names the trace file".to_owned()),
        ..Failure::input(format!(
            "{}: the trace cannot be written there: {e}",
            trace.display()
        ))
    })?;
    let launcher = args.program.launcher()?;
    // Without a folder for temporary files there are no notes, and reasons are guessed.
    let notes = Notes::new();
    let keeper = match &notes {
        Ok(notes) => Keeper::listen(&notes.keeper()),
        Err(e) => Err(io::Error::new(e.kind(), e.to_string())),
    };
    let notes = notes.ok();
    let mut keeper = keeper
        .inspect_err(|e| {
            eprintln!(
                "mgl: what the program draws is not kept beyond its end ({e}): if it is killed the last tenth of a \
                 second may be missing"
            );
        })
        .ok();
    let before = stamp(&trace);
    let mut command = args.program.command(
        &launcher,
        Some(Recording {
            trace: trace.clone(),
            notes: notes.as_ref().map(|n| n.path().to_owned()),
            images_every: args.images,
            max_frames: args.max_frames,
            full_provenance: args.provenance == "full",
        }),
    )?;
    if out.is_json() {
        // Standard output is for the JSON document alone.
        let stderr = fcntl_dupfd_cloexec(io::stderr(), 3)
            .map_err(|e| Failure::input(format!("standard error cannot be used: {e}")))?;
        command.stdout(Stdio::from(stderr));
    }
    let mut watcher = Watcher::new(&launcher, notes.as_ref());
    let mut rescues = Vec::new();
    let mut look = |process| {
        let again = watcher.look(process);
        let Some(keeper) = &mut keeper else {
            return again;
        };
        rescues.extend(keeper.look());
        Some(again.map_or(LOOK, |again| again.min(LOOK)))
    };
    let leftovers = notes.as_ref().map(Notes::leftovers).unwrap_or_default();
    let status = supervise(command, &mut look, &leftovers)?;
    if let Some(keeper) = &mut keeper {
        rescues.extend(keeper.close(PATIENCE));
    }

    let notes = notes.as_ref().map(Notes::read).unwrap_or_default();
    let failed = notes.iter().any(|n| matches!(n, Note::Failed(_)));
    let files = notes.into_iter().filter_map(|note| match note {
        Note::Recording(path) => Some(path),
        _ => None,
    });
    let files: Vec<PathBuf> = files.collect();
    let asked = std::path::absolute(&trace).unwrap_or_else(|_| trace.clone());
    // A file that was there before and was not written to is no recording of this program.
    let recorded = stamp(&trace) != before || files.contains(&asked);
    let result = match recorded {
        true if !is_unbegun(&trace) => Ended::of(&trace, take(&mut rescues, &asked)),
        true if !failed => Ended::Nothing(Reason {
            what: "the program ended while it made its first context".to_owned(),
            hint: None,
        }),
        _ => Ended::Nothing(watcher.reason(&args.program.program[0])),
    };
    result.tell(&trace);
    for other in files.iter().filter(|path| **path != asked) {
        eprintln!("mgl: another process recorded {}", other.display());
        tell_rescue(other, &take(&mut rescues, other));
    }
    // Of those that could write no notes.
    for Rescue { path, result } in rescues {
        tell_rescue(&path, &Some(result));
    }
    if out.is_json() {
        out.show(&result.document(status), |_, _| Ok(()))?;
    }
    Ok(Exit::Program(u8::try_from(status).unwrap_or(u8::MAX)))
}

/// fcntl's command that names the signal of a lease (Linux).
const F_SETSIG: libc::c_int = 10;

/// Whether a process made the file and ended before there was anything of a trace: it is removed then, unless somebody
/// still has it open.
fn is_unbegun(trace: &Path) -> bool {
    let is_empty = |m: std::fs::Metadata| m.is_file() && m.len() == 0;
    if !std::fs::metadata(trace).is_ok_and(is_empty) {
        return false;
    }
    if let Ok(file) = File::options().write(true).open(trace) {
        // A lease to write is given where nobody else has the file open. Whoever wants to meanwhile has us told, by a signal
        // that does nothing.
        // SAFETY: touch no memory.
        let alone = unsafe {
            libc::fcntl(file.as_raw_fd(), F_SETSIG, libc::SIGURG) == 0
                && libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, libc::F_WRLCK) == 0
        };
        if alone && file.metadata().is_ok_and(is_empty) {
            let _ = std::fs::remove_file(trace);
        }
    }
    true
}

type Rescued = Option<Result<Salvaged, TraceError>>;

/// What came of finishing a file, if it had to be.
fn take(rescues: &mut Vec<Rescue>, path: &Path) -> Rescued {
    let at = rescues.iter().position(|r| r.path == path)?;
    Some(rescues.swap_remove(at).result)
}

fn tell_rescue(trace: &Path, rescued: &Rescued) {
    let name = trace.display();
    match rescued {
        Some(Ok(salvaged)) => eprintln!("mgl: {name}: {salvaged}"),
        Some(Err(e)) => eprintln!("mgl: {name}: what was in the program's memory is lost: {e}"),
        None => {}
    }
}

/// What is there in the end.
enum Ended {
    Recorded(Box<Info>, Rescued),
    /// Something was written, and it cannot be read, for this reason.
    Unread(String),
    Nothing(Reason),
}

impl Ended {
    fn of(trace: &Path, rescued: Rescued) -> Self {
        match TraceFile::open(trace) {
            Ok(file) => Self::Recorded(Box::new(file.info()), rescued),
            Err(error) => Self::Unread(error.to_string()),
        }
    }

    /// Says it on standard error: the program's own output may be on the other.
    fn tell(&self, trace: &Path) {
        let name = trace.display();
        match self {
            Self::Recorded(info, rescued) => {
                eprintln!(
                    "mgl: recorded {name}: {} frames, {} records, {}",
                    info.frames,
                    info.records,
                    bytes(info.bytes)
                );
                tell_rescue(trace, rescued);
                if let Some(recovery) = &info.recovered {
                    eprintln!("mgl: {name}: {recovery}");
                }
            }
            Self::Unread(error) => eprintln!("mgl: recorded, and not to be read again: {error}"),
            Self::Nothing(reason) => {
                eprintln!("mgl: nothing was recorded: {}", reason.what);
                if let Some(hint) = &reason.hint {
                    eprintln!("  {hint}");
                }
            }
        }
    }

    fn document(&self, status: i32) -> serde_json::Value {
        let (info, rescued, reason) = match self {
            Self::Recorded(info, rescued) => (Some(info), rescued.as_ref(), None),
            Self::Unread(error) => (None, None, Some(error)),
            Self::Nothing(reason) => (None, None, Some(&reason.what)),
        };
        let salvaged = rescued.and_then(|r| r.as_ref().ok());
        json!({ "trace": info, "salvaged": salvaged, "status": status, "reason": reason })
    }
}
