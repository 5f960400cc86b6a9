//! What mgl starts itself for: no command of anybody else's, in no help and no completion.

use std::ffi::OsString;
use std::path::Path;

use mgl_verify::doctor::Probe;
use mgl_verify::goldens::worker;

use crate::exit::{Exit, Failure};
use crate::output::Output;

/// One replay of `mgl verify` in a process of its own; the folder that holds the job follows.
pub const REPLAY_WORKER: &str = "replay-worker";
/// One trial of `mgl doctor` in a process of its own; its name follows.
pub const PROBE: &str = "doctor-probe";

/// Does what the arguments ask for, if it is one of these.
pub fn run(args: &[OsString], out: &mut Output) -> Option<Result<Exit, Failure>> {
    let [_, command, what] = args else {
        return None;
    };
    if command == REPLAY_WORKER {
        let scratch = Path::new(what);
        let done = worker::work(scratch);
        let named = |e| Failure::input(format!("{}: {e}", scratch.display()));
        return Some(done.map(|()| Exit::Success).map_err(named));
    }
    if command == PROBE {
        let probe = Probe::ALL.into_iter().find(|(name, _)| what == name)?.1;
        return Some(out.line(probe.run()).map(|()| Exit::Success));
    }
    None
}
