//! The `mgl` program: parses the command line, calls the libraries, shows what they found.
//!
//! One file a subcommand under `cmd`; what they share (exit codes, output, progress) lies beside this
//! file. No logic lives here: what a command finds out comes from mgl-core, mgl-replay or mgl-verify.

#[macro_use]
mod say;

mod args;
mod cmd;
mod exit;
mod files;
mod internal;
mod output;
mod progress;
mod terminal;
mod watch;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use exit::{Exit, Failure};
use output::Output;

/// Records what OpenGL programs draw, replays it without them, and verifies the result.
#[derive(Parser)]
#[command(name = "mgl", version, max_term_width = 100, after_help = exit::HELP)]
#[command(propagate_version = true, arg_required_else_help = true)]
struct Cli {
    /// Print one JSON document on standard output, and nothing else
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Record(cmd::record::Args),
    Run(cmd::run::Args),
    Replay(cmd::replay::Args),
    Verify(cmd::verify::Args),
    Golden(cmd::golden::Args),
    Info(cmd::info::Args),
    Dump(cmd::dump::Args),
    Stats(cmd::stats::Args),
    Uploads(cmd::uploads::Args),
    Diff(cmd::diff::Args),
    Assemble(cmd::assemble::Args),
    Repair(cmd::repair::Args),
    Compare(cmd::compare::Args),
    Doctor(cmd::doctor::Args),
    Completions(cmd::completions::Args),
}

impl Command {
    fn run(self, out: &mut Output) -> Result<Exit, Failure> {
        match self {
            Self::Record(args) => cmd::record::run(&args, out),
            Self::Run(args) => cmd::run::run(&args, out),
            Self::Replay(args) => cmd::replay::run(&args, out),
            Self::Verify(args) => cmd::verify::run(&args, out),
            Self::Golden(args) => cmd::golden::run(&args, out),
            Self::Info(args) => cmd::info::run(&args, out),
            Self::Dump(args) => cmd::dump::run(&args, out),
            Self::Stats(args) => cmd::stats::run(&args, out),
            Self::Uploads(args) => cmd::uploads::run(&args, out),
            Self::Diff(args) => cmd::diff::run(&args, out),
            Self::Assemble(args) => cmd::assemble::run(&args, out),
            Self::Repair(args) => cmd::repair::run(&args, out),
            Self::Compare(args) => cmd::compare::run(&args, out),
            Self::Doctor(args) => cmd::doctor::run(&args, out),
            Self::Completions(args) => cmd::completions::run(&args, out),
        }
    }
}

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().collect();
    let mut out = Output::new(false);
    let result = internal::run(&args, &mut out).unwrap_or_else(|| {
        // Wrong usage ends here, with clap's message and exit code 2.
        let cli = Cli::parse_from(&args);
        out = Output::new(cli.json);
        cli.command.run(&mut out)
    });
    let exit = result.unwrap_or_else(|failure| out.failure(&failure));
    match out.finish() {
        Ok(()) => exit.into(),
        Err(failure) => {
            out.failure(&failure);
            failure.exit.into()
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
