//! Arguments that several subcommands share.

use std::ffi::OsString;
use std::ops::{Bound, Range};
use std::process::Command;

use clap::ValueEnum;
use mgl_core::pipe::Op;
use mgl_verify::doctor::system_libegl;
use mgl_verify::launcher::{Launcher, Preload};
use mgl_verify::settings::{BackEnd, Clock, DriverSettings, Link, Recording};

use crate::exit::Failure;

/// A back end by its name.
#[derive(Clone, Copy, ValueEnum)]
pub enum BackEndName {
    /// OpenGL ES
    Espryt,
    /// Vulkan
    Magma,
    /// Draw nothing
    Null,
}

impl From<BackEndName> for BackEnd {
    fn from(name: BackEndName) -> Self {
        match name {
            BackEndName::Espryt => Self::Espryt,
            BackEndName::Magma => Self::Magma,
            BackEndName::Null => Self::Null,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum LinkName {
    /// In the program's own threads, at every call
    Direct,
    /// In a thread of its own: the program goes on while frames are drawn
    Thread,
    /// In a thread of its own where there are two processors
    Auto,
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

    /// Where the back end works [default: auto]
    #[arg(long, value_name = "NAME", value_enum)]
    link: Option<LinkName>,

    /// The Vulkan device, by number or part of its name (mgl doctor lists them)
    #[arg(long, value_name = "DEVICE")]
    device: Option<String>,

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
    /// The driver.
    pub fn launcher(&self) -> Result<Launcher, Failure> {
        let launcher = Launcher::locate()?;
        if matches!(self.backend, BackEndName::Espryt) {
            // The program would only see that it gets no context.
            system_libegl().map_err(Failure::environment)?;
        }
        Ok(launcher)
    }

    /// The program as a command that runs it on the driver.
    pub fn command(
        &self,
        launcher: &Launcher,
        recording: Option<Recording>,
    ) -> Result<Command, Failure> {
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
        let clock = self.clock.map(|step_us| Clock::of(launcher, step_us));
        let settings = DriverSettings {
            back_end: self.backend.into(),
            link: self.link.map(|link| match link {
                LinkName::Direct => Link::Direct,
                LinkName::Thread => Link::Thread,
                LinkName::Auto => Link::Auto,
            }),
            device: self.device.clone(),
            recording,
            clock: clock.transpose()?,
            debug: self.debug,
            ..DriverSettings::default()
        };
        settings
            .apply(&mut command)
            .map_err(|e| Failure::input(format!("the current folder cannot be used: {e}")))?;
        Ok(command)
    }
}

/// A selection of frames, as given on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frames {
    start: Option<u64>,
    /// The first frame that is not selected any more.
    end: Option<u64>,
}

impl Frames {
    /// The selection among the frames that there are.
    pub fn among(self, all: &Range<u64>) -> Range<u64> {
        self.start.unwrap_or(all.start)..self.end.unwrap_or(all.end)
    }

    /// The selection as bounds.
    pub fn bounds(self) -> (Bound<u64>, Bound<u64>) {
        let bound = |at: Option<u64>, to: fn(u64) -> Bound<u64>| at.map_or(Bound::Unbounded, to);
        (
            bound(self.start, Bound::Included),
            bound(self.end, Bound::Excluded),
        )
    }
}

/// Bounds of a selection that may not have been made.
pub fn bounds(frames: Option<Frames>) -> (Bound<u64>, Bound<u64>) {
    frames.map_or((Bound::Unbounded, Bound::Unbounded), Frames::bounds)
}

/// Names by pattern: `*` stands for any text, `?` for any character, `,` separates alternatives.
#[derive(Clone, Debug)]
pub struct Glob(String);

impl From<String> for Glob {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl Glob {
    /// As a selection of calls: an alternative that is the name of none would select nothing, and nobody would see it.
    ///
    /// # Errors
    /// Which one that is.
    pub fn of_calls(self) -> Result<Self, Failure> {
        let is_call = |pattern: &&str| {
            let pattern = pattern.trim().as_bytes();
            Op::ALL
                .iter()
                .any(|op| matches(pattern, op.name().as_bytes()))
        };
        match self.0.split(',').find(|pattern| !is_call(pattern)) {
            Some(unknown) => Err(Failure::input(format!(
                "--calls: there is no call '{}'",
                unknown.trim()
            ))),
            None => Ok(self),
        }
    }

    /// Whether an alternative matches the whole name.
    pub fn matches(&self, name: &str) -> bool {
        self.0
            .split(',')
            .any(|pattern| matches(pattern.trim().as_bytes(), name.as_bytes()))
    }
}

fn matches(pattern: &[u8], name: &[u8]) -> bool {
    // Where to go on when what follows the last `*` does not match: one character later.
    let (mut p, mut n, mut retry) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                retry = Some((p, n + 1));
                p += 1;
            }
            Some(&c) if c == b'?' || c == name[n] => (p, n) = (p + 1, n + 1),
            _ => match retry {
                Some((star, from)) => {
                    retry = Some((star, from + 1));
                    (p, n) = (star + 1, from);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&c| c == b'*')
}

/// Reads A..B, A.., ..B or A.
pub fn parse_frames(text: &str) -> Result<Frames, String> {
    let wrong = || "not of the form A..B (frames A to B-1), A.., ..B or A".to_owned();
    let number = |text: &str| text.parse::<u64>().map_err(|_| wrong());
    let bound = |text: &str| match text {
        "" => Ok(None),
        text => number(text).map(Some),
    };
    let (start, end) = match text.split_once("..") {
        Some((start, end)) => (bound(start)?, bound(end)?),
        None => {
            let frame = number(text)?;
            (Some(frame), Some(frame.checked_add(1).ok_or_else(wrong)?))
        }
    };
    match (start, end) {
        (Some(start), Some(end)) if start >= end => Err(format!("frames {text}: none")),
        _ => Ok(Frames { start, end }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_half_open() {
        let among = |text: &str| parse_frames(text).map(|f| f.among(&(2..10)));
        assert_eq!(among("3..5"), Ok(3..5));
        assert_eq!(among("3.."), Ok(3..10));
        assert_eq!(among("..5"), Ok(2..5));
        assert_eq!(among(".."), Ok(2..10));
        assert_eq!(among("4"), Ok(4..5));
        for wrong in [
            "",
            "5..5",
            "5..3",
            "a..b",
            "-1..2",
            "1..2..3",
            "18446744073709551615",
        ] {
            assert!(parse_frames(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn calls_that_are_not_there_are_told() {
        let of = |text: &str| Glob::from(text.to_owned()).of_calls();
        assert!(of("Draw*, Clear").is_ok());
        let error = of("Draw*, Claer").expect_err("misspelt");
        assert!(error.message.contains("'Claer'"), "{}", error.message);
    }

    #[test]
    fn globs_match_whole_names() {
        let is = |pattern: &str, name: &str| Glob::from(pattern.to_owned()).matches(name);
        for (pattern, name) in [
            ("*", ""),
            ("Draw*", "DrawVbo"),
            ("*State", "SetFramebufferState"),
            ("Set*State", "SetFramebufferState"),
            ("Cl?ar", "Clear"),
            ("Present, Clear", "Clear"),
            ("*a*a*b", "xaxaxaab"),
        ] {
            assert!(is(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("", "Clear"),
            ("Clear", "Clears"),
            ("Draw", "DrawVbo"),
            ("Cl?ar", "Clar"),
            ("*a*b", "bab_"),
            ("clear", "Clear"),
        ] {
            assert!(!is(pattern, name), "{pattern} {name}");
        }
    }
}
