//! `mgl replay-worker`: one replay of `mgl verify` in a process of its own. Not for people.

use std::path::PathBuf;

use mgl_verify::goldens::worker;

use crate::exit::{Exit, Failure};

/// Replay for `mgl verify`
#[derive(clap::Args)]
pub struct Args {
    /// The folder that holds the job
    scratch: PathBuf,
}

pub fn run(args: &Args) -> Result<Exit, Failure> {
    worker::work(&args.scratch)
        .map_err(|e| Failure::input(format!("{}: {e}", args.scratch.display())))?;
    Ok(Exit::Success)
}
