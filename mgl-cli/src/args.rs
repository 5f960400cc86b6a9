//! Arguments that several subcommands share.

use std::ffi::OsString;
use std::process::Command;

use clap::ValueEnum;
use mgl_replay::espryt::loader;
use mgl_verify::launcher::{Launcher, Preload};
use mgl_verify::settings::{BackEnd, Clock, DriverSettings, Recording};

use crate::exit::Failure;

/// A back end by its name.
#[derive(Clone, Copy, ValueEnum)]
pub enum BackEndName {
    /// OpenGL ES
    Espryt,
    /// Draw nothing
    Null,
}

impl From<BackEndName> for BackEnd {
    fn from(name: BackEndName) -> Self {
        match name {
            BackEndName::Espryt => Self::Espryt,
            BackEndName::Null => Self::Null,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum PreloadName {
    /// For programs with a built-in library path
    Auto,
    /// For scripts and wrappers that start such a program
    Always,
    Never,
}

/// How a program is started on the driver.
#[derive(clap::Args)]
pub struct ProgramArgs {
    /// What draws
    #[arg(long, value_name = "NAME", value_enum, default_value = "espryt")]
    backend: BackEndName,

    /// When the driver is also preloaded
    #[arg(long, value_name = "WHEN", value_enum, default_value = "auto")]
    preload: PreloadName,

    /// Give the program a clock that moves by so many microseconds each time its main thread reads it,
    /// and the same random bytes in every run, so that it draws the same
    #[arg(long, value_name = "MICROSECONDS", value_parser = clap::value_parser!(u32).range(1..=1_000_000_000))]
    clock: Option<u32>,

    /// Report the back end's debug messages as errors
    #[arg(long)]
    debug: bool,

    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    pub program: Vec<OsString>,
}

impl ProgramArgs {
    /// The program as a command that runs it on the driver.
    pub fn command(&self, recording: Option<Recording>) -> Result<Command, Failure> {
        let launcher = Launcher::locate()?;
        if matches!(self.backend, BackEndName::Espryt) {
            // The program would only see that it gets no context.
            loader::real_libegl().map_err(Failure::environment)?;
        }
        let (program, args) = self
            .program
            .split_first()
            .expect("clap requires a program after --");
        let preload = match self.preload {
            PreloadName::Auto => Preload::Auto,
            PreloadName::Always => Preload::Always,
            PreloadName::Never => Preload::Never,
        };
        let mut command = launcher.command(program, args, preload);
        let clock = self.clock.map(|step_us| Clock::of(&launcher, step_us));
        let settings = DriverSettings {
            back_end: self.backend.into(),
            recording,
            clock: clock.transpose()?,
            debug: self.debug,
        };
        settings
            .apply(&mut command)
            .map_err(|e| Failure::input(format!("the current folder cannot be used: {e}")))?;
        Ok(command)
    }
}
