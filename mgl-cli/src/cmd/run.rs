//! `mgl run`: becomes a program that runs on the driver.

use mgl_verify::launcher::replace;

use crate::args::ProgramArgs;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Run a program on mgl, without recording
///
/// mgl replaces itself by the program: process id, standard streams and exit status are the program's.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  mgl run -- glmark2 -b build
  mgl run --backend null -- ./game --level 3      draw nothing: the program's own speed
  mgl run --preload always -- ./start-game.sh     the script starts a program with a library path")]
pub struct Args {
    #[command(flatten)]
    program: ProgramArgs,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    if out.is_json() {
        return Err(Failure::input(
            "--json: `mgl run` becomes the program and has nothing of its own to print",
        ));
    }
    let command = args.program.command(&args.program.launcher()?, None)?;
    Err(replace(command).into())
}
