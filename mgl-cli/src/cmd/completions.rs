//! `mgl completions`: a script that teaches a shell mgl's command line.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::Cli;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Print a completion script for a shell
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  mgl completions bash > /usr/share/bash-completion/completions/mgl
  mgl completions zsh > \"${fpath[1]}/_mgl\"
  mgl completions fish > ~/.config/fish/completions/mgl.fish")]
pub struct Args {
    /// The shell
    shell: Shell,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "mgl", &mut script);
    let script = String::from_utf8_lossy(&script);
    let document = serde_json::json!({ "shell": args.shell.to_string(), "script": script });
    out.show(&document, |out, _| out.bytes(script.as_bytes()))?;
    Ok(Exit::Success)
}
