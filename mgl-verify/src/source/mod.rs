//! [`Source`]: the program that draws the frames of a golden, and running it.
//!
//! A source is recorded on the driver ([`Source::record`]), and drawn by the system's own GL for comparison
//! ([`Source::system_images`]). Both runs see the same: a display of their own where Xvfb is installed, the golden's
//! folder as the current one, no input, the virtual clock if the source asks for it. Frame n of the one is frame n of
//! the other: each swap of a surface ends a frame (design page 4).

mod captured;
mod display;
mod error;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use mgl_core::trace::TraceFile;
use serde::{Deserialize, Serialize};

use crate::launcher::{Launcher, Notes, Preload, reason_of};
use crate::limited::{Ended, run_until};
use crate::settings::{BackEnd, Capture, Clock, DriverSettings, Recording};

pub use captured::{SystemDriver, SystemImages};
pub use error::SourceError;

use display::Display;

/// Bytes of a program's last words that are kept.
const TAIL: usize = 16 << 10;

/// What draws the frames of a golden. Its form in `golden.toml` is either of
///
/// ```toml
/// [source]
/// command = ["glmark2", "-s", "240x180", "-b", "build:nframes=8:duration=600"]
/// clock = 4000
/// env = { SDL_AUDIODRIVER = "dummy" }
/// ```
///
/// ```toml
/// [source]
/// gl-trace = "scene.trace"
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Table", into = "Table")]
pub enum Source {
    /// A program.
    Command {
        /// The program and its arguments. A program named with a `/` is found from the golden's folder, which is also
        /// its current folder.
        command: Vec<String>,
        /// Step of the virtual clock in microseconds; absent: the real time.
        clock: Option<u32>,
        /// Variables of its environment besides those there are.
        env: BTreeMap<String, String>,
    },
    /// A recorded GL trace of apitrace, which plays it by glretrace, or by eglretrace where it was recorded on EGL.
    GlTrace {
        /// The file, from the golden's folder.
        path: PathBuf,
    },
}

/// The fields as they stand in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Table {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    command: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    clock: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gl_trace: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    env: BTreeMap<String, String>,
}

impl From<Source> for Table {
    fn from(source: Source) -> Self {
        match source {
            Source::Command {
                command,
                clock,
                env,
            } => Self {
                command,
                clock,
                gl_trace: None,
                env,
            },
            Source::GlTrace { path } => Self {
                command: Vec::new(),
                clock: None,
                gl_trace: Some(path),
                env: BTreeMap::new(),
            },
        }
    }
}

impl TryFrom<Table> for Source {
    type Error = &'static str;

    fn try_from(table: Table) -> Result<Self, Self::Error> {
        let Table {
            command,
            clock,
            gl_trace,
            env,
        } = table;
        match gl_trace {
            Some(_) if !command.is_empty() => {
                Err("`command` and `gl-trace` exclude each other: a golden has one source")
            }
            Some(_) if clock.is_some() || !env.is_empty() => {
                Err("`clock` and `env` belong to `command`; a GL trace plays the same without them")
            }
            Some(path) => Ok(Self::GlTrace { path }),
            None if command.first().is_none_or(String::is_empty) => {
                Err("a source is a `command` (a list that starts with the program) or a `gl-trace`")
            }
            None if clock == Some(0) => Err("`clock` is a step of at least one microsecond"),
            None => Ok(Self::Command {
                command,
                clock,
                env,
            }),
        }
    }
}

/// How a source is recorded on the driver.
#[derive(Clone, Debug)]
pub struct LiveOptions {
    pub back_end: BackEnd,
    /// Record so many frames, then end the program; absent: it ends by itself.
    pub max_frames: Option<u64>,
    /// The program and all that it started are killed after this time.
    pub limit: Duration,
    /// A push to leave out, `CALL` or `CALL:N`, to see a check fail.
    pub leave_out: Option<String>,
    /// The Vulkan device, by number or part of its name; absent: the best one.
    pub device: Option<String>,
}

/// A recording that was made.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// What the driver says of itself at the end of the program: `backend`, `renderer`, `counters`, `refused`,
    /// `unsupported`, `faults`, `panics`, `checks`, `recording`. Absent where the program was ended after
    /// [`LiveOptions::max_frames`].
    pub report: Option<serde_json::Value>,
    /// How the program ended: well, or by our signal after [`LiveOptions::max_frames`].
    pub status: ExitStatus,
    /// The end of what it wrote to standard error; the driver's messages are there too.
    pub stderr: String,
}

impl Source {
    /// Records it on the driver into `trace`. Relative paths of the source start at `base`.
    ///
    /// A program that fails after it was recorded leaves its trace behind.
    ///
    /// # Errors
    /// [`SourceError`]: something is missing, or the program did not end well in time, or showed nothing.
    pub fn record(
        &self,
        base: &Path,
        launcher: &Launcher,
        options: &LiveOptions,
        trace: &Path,
    ) -> Result<Recorded, SourceError> {
        let LiveOptions {
            back_end,
            max_frames,
            limit,
            leave_out,
            device,
        } = options;
        let display = Display::get()?;
        let line = self.line(base)?;
        match fs::remove_file(trace) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(SourceError::io(trace, e));
            }
            _ => {}
        }
        let scratch = tempfile::tempdir().map_err(|e| SourceError::io(trace, e))?;
        let report = scratch.path().join("report.json");
        let notes = Notes::new().map_err(|e| SourceError::io(trace, e))?;
        let mut command = launcher.command(&line.program, &line.args, Preload::Auto);
        self.set_up(&mut command, base, &display);
        for inherited in ["MGL_LEAVE_OUT", "MGL_CHECK", "MGL_DEBUG"] {
            command.env_remove(inherited);
        }
        DriverSettings {
            back_end: *back_end,
            device: device.clone(),
            link: None,
            recording: Some(Recording {
                trace: trace.to_owned(),
                max_frames: *max_frames,
                notes: Some(notes.path().to_owned()),
                ..Recording::default()
            }),
            clock: self.clock(launcher)?,
            debug: false,
            report: Some(report.clone()),
            leave_out: leave_out.clone(),
        }
        .apply(&mut command)
        .map_err(|e| SourceError::io(trace, e))?;

        let mut whole = WholeTrace::new(trace);
        let enough = || max_frames.is_some() && whole.look();
        let ended = line.run(&mut command, *limit, enough)?;
        let stderr = text(&ended.stderr);
        let Some(status) = ended.status else {
            return Err(line.timed_out(*limit, stderr));
        };
        if !status.success() && !ended.stopped {
            return Err(SourceError::Failed {
                program: line.name(),
                status,
                stderr,
            });
        }
        if !trace.is_file() {
            return Err(SourceError::NothingRecorded {
                reason: reason_of(&notes, &line.program),
                program: line.name(),
                stderr,
            });
        }
        // A program that is ended by a signal writes none.
        let report = match fs::read(&report) {
            Ok(bytes) => serde_json::from_slice(&bytes).ok(),
            Err(_) => None,
        };
        Ok(Recorded {
            report,
            status,
            stderr,
        })
    }

    /// Draws it on the system's GL, and saves the images of `frames` as `out/NNNNNN.png`. The program is ended when it
    /// has shown the last of them. Relative paths of the source start at `base`.
    ///
    /// # Errors
    /// [`SourceError`]: as for [`Self::record`], or the program ended before it had shown all the frames.
    pub fn system_images(
        &self,
        base: &Path,
        launcher: &Launcher,
        frames: &[u64],
        out: &Path,
        limit: Duration,
    ) -> Result<SystemImages, SourceError> {
        let display = Display::get()?;
        let line = self.line(base)?;
        let scratch = tempfile::tempdir().map_err(|e| SourceError::io(out, e))?;
        let folder = scratch.path();
        let mut command = Command::new(&line.program);
        command.args(&line.args);
        self.set_up(&mut command, base, &display);
        Capture::of(launcher, folder.to_owned(), frames)?
            .apply(&mut command)
            .map_err(|e| SourceError::io(out, e))?;
        if let Some(clock) = self.clock(launcher)? {
            clock.apply(&mut command);
        }
        let all_there = || folder.join(captured::DONE).exists();
        let ended = line.run(&mut command, limit, all_there)?;
        let stderr = text(&ended.stderr);
        if !all_there() {
            return Err(match ended.status {
                None => line.timed_out(limit, stderr),
                Some(status) if !status.success() => SourceError::Failed {
                    program: line.name(),
                    status,
                    stderr,
                },
                Some(_) => SourceError::NotShown {
                    program: line.name(),
                    missing: captured::missing(folder, frames),
                    stderr,
                },
            });
        }
        captured::collect(folder, frames, out)
    }

    fn clock(&self, launcher: &Launcher) -> Result<Option<Clock>, SourceError> {
        let step = match self {
            Self::Command { clock, .. } => *clock,
            Self::GlTrace { .. } => None,
        };
        Ok(step.map(|us| Clock::of(launcher, us)).transpose()?)
    }

    /// What both runs have in common.
    fn set_up(&self, command: &mut Command, base: &Path, display: &Display) {
        command
            .current_dir(base)
            .env("DISPLAY", display.name())
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("EGL_PLATFORM");
        if let Self::Command { env, .. } = self {
            command.envs(env);
        }
    }

    /// The command line, with the program as the system finds it from anywhere.
    fn line(&self, base: &Path) -> Result<Line, SourceError> {
        let absolute = |path: &Path| {
            std::path::absolute(base.join(path)).map_err(|e| SourceError::io(path, e))
        };
        match self {
            Self::Command { command, .. } => {
                let (program, args) = command.split_first().ok_or(SourceError::NoProgram)?;
                let program = match program.contains('/') {
                    true => absolute(Path::new(program))?.into_os_string(),
                    false => program.into(),
                };
                Ok(Line {
                    program,
                    args: args.iter().map(OsString::from).collect(),
                    tool: false,
                })
            }
            Self::GlTrace { path } => {
                let path = absolute(path)?;
                // The tool's own words for a missing file say little.
                mgl_core::files::open(&path).map_err(|e| SourceError::io(&path, e))?;
                Ok(Line {
                    program: "apitrace".into(),
                    args: vec!["replay".into(), path.into_os_string()],
                    tool: true,
                })
            }
        }
    }
}

/// A command line that is about to run.
struct Line {
    program: OsString,
    args: Vec<OsString>,
    /// It is a tool of apitrace, and not the golden's own program.
    tool: bool,
}

impl Line {
    fn name(&self) -> String {
        let name = Path::new(&self.program).file_name();
        name.unwrap_or(&self.program).to_string_lossy().into_owned()
    }

    fn run(
        &self,
        command: &mut Command,
        limit: Duration,
        enough: impl FnMut() -> bool,
    ) -> Result<Ended, SourceError> {
        run_until(command, limit, TAIL, enough).map_err(|source| {
            let missing = source.kind() == std::io::ErrorKind::NotFound;
            if self.tool && missing {
                return SourceError::NoTool {
                    tool: self.name(),
                    package: "apitrace",
                };
            }
            SourceError::Start {
                program: self.name(),
                source,
            }
        })
    }

    fn timed_out(&self, limit: Duration, stderr: String) -> SourceError {
        SourceError::TimeOut {
            program: self.name(),
            limit,
            stderr,
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Waits for a trace that has its index: then no more is recorded.
struct WholeTrace<'p> {
    path: &'p Path,
    /// Size at the last look: a file that grows is not finished, and not read.
    size: u64,
}

impl<'p> WholeTrace<'p> {
    fn new(path: &'p Path) -> Self {
        Self { path, size: 0 }
    }

    fn look(&mut self) -> bool {
        let size = fs::metadata(self.path).map_or(0, |m| m.len());
        let rests = size == std::mem::replace(&mut self.size, size);
        rests && size > 0 && TraceFile::open(self.path).is_ok_and(|t| t.recovered().is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Golden {
        source: Source,
    }

    fn read(text: &str) -> Result<Source, String> {
        toml::from_str::<Golden>(text)
            .map(|golden| golden.source)
            .map_err(|e| e.to_string())
    }

    #[test]
    fn sources_are_written_as_they_are_read() {
        let command = Source::Command {
            command: vec!["glmark2".into(), "-b".into(), "build".into()],
            clock: Some(4000),
            env: BTreeMap::from([("SDL_AUDIODRIVER".into(), "dummy".into())]),
        };
        let trace = Source::GlTrace {
            path: "scene.trace".into(),
        };
        for (source, expected) in [
            (
                &command,
                "[source]\ncommand = [\"glmark2\", \"-b\", \"build\"]\nclock = 4000\n\n\
                 [source.env]\nSDL_AUDIODRIVER = \"dummy\"\n",
            ),
            (&trace, "[source]\ngl-trace = \"scene.trace\"\n"),
        ] {
            let written = toml::to_string(&Golden {
                source: source.clone(),
            });
            assert_eq!(written.expect("TOML"), expected);
            assert_eq!(read(expected).as_ref(), Ok(source));
        }
    }

    #[test]
    fn wrong_sources_are_told_why() {
        for (text, why) in [
            ("[source]", "a source is a `command`"),
            ("[source]\ncommand = []", "a source is a `command`"),
            ("[source]\ncommand = [\"\"]", "a source is a `command`"),
            (
                "[source]\ncommand = [\"a\"]\ngl-trace = \"b\"",
                "one source",
            ),
            (
                "[source]\ngl-trace = \"b\"\nclock = 3",
                "belong to `command`",
            ),
            ("[source]\ncommand = [\"a\"]\nclock = 0", "at least one"),
            ("[source]\ncomand = [\"a\"]", "comand"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
