//! Replays in a process of their own, so that a driver that crashes or hangs ends in a sentence and an exit code.

use std::time::Duration;

use mgl_verify::watched::{Watched, is_watched, watch};

use crate::exit::{Exit, Failure};

/// How long a record may take, as an argument.
#[derive(clap::Args)]
pub struct Timeout {
    /// Seconds that a single call may take before the replay is ended
    #[arg(long = "timeout", value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
}

/// Runs this very command line once more in a process that is watched, and gives how it ended; nothing in that process
/// itself, which goes on.
pub fn apart(timeout: &Timeout) -> Result<Option<Exit>, Failure> {
    if is_watched() {
        return Ok(None);
    }
    let program = std::env::current_exe()
        .map_err(|e| Failure::environment(format!("mgl does not find itself: {e}")))?;
    let args: Vec<_> = std::env::args_os().skip(1).collect();
    let limit = Duration::from_secs(timeout.seconds);
    let ended = watch(&program, &args, limit)
        .map_err(|e| Failure::environment(format!("the replay could not be started: {e}")))?;
    match ended {
        Watched::Ended(code) => Ok(Some(Exit::Program(code as u8))),
        Watched::Stopped(signal) => Ok(Some(Exit::Program(128 + signal as u8))),
        Watched::Crashed(how) => Err(Failure {
            hint: Some("the back end, or the driver below it, crashed".to_owned()),
            ..Failure::difference(format!("FAIL: the replay was {how}"))
        }),
        Watched::Stalled(how) => Err(Failure {
            hint: Some("--timeout gives a call more time".to_owned()),
            ..Failure::difference(format!("FAIL: the replay was given up: {how}"))
        }),
    }
}
