//! [`DriverSettings`]: what the driver is told, as the environment variables that it reads.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use mgl_core::files::stamp;
use mgl_replay::BackendKind;

use crate::launcher::{LaunchError, Launcher};

/// Puts a library before what a command is to have preloaded already.
fn preload(command: &mut Command, library: &Path) {
    let set = command.get_envs().find(|(name, _)| *name == "LD_PRELOAD");
    let before = match set {
        Some((_, value)) => value.map(OsStr::to_owned),
        None => std::env::var_os("LD_PRELOAD"),
    };
    let mut list = library.as_os_str().to_owned();
    if let Some(before) = before {
        list.push(" ");
        list.push(before);
    }
    command.env("LD_PRELOAD", list);
}

/// A library that lies beside the driver's shims.
fn beside_shims(launcher: &Launcher, name: &str) -> Result<PathBuf, LaunchError> {
    let path = launcher.shims().join(name);
    if path.is_file() {
        Ok(path)
    } else {
        Err(LaunchError::NoShim { path })
    }
}

/// Back end that the driver draws with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BackEnd {
    /// OpenGL ES.
    #[default]
    Espryt,
    /// Vulkan.
    Magma,
    /// Nothing is drawn.
    Null,
}

impl From<BackendKind> for BackEnd {
    fn from(kind: BackendKind) -> Self {
        match kind {
            BackendKind::Espryt => Self::Espryt,
            BackendKind::Magma => Self::Magma,
            BackendKind::Null => Self::Null,
        }
    }
}

/// Where the driver's back end works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// In the program's own threads, at every call.
    Direct,
    /// In a thread of its own.
    Thread,
    /// In a thread of its own where there are two processors.
    Auto,
}

/// What a recording stores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// The trace file; made absolute, since programs change their folder.
    pub trace: PathBuf,
    /// File that gets the driver's notes ([`crate::launcher::Notes`]); beside it a [`mgl_core::trace::Keeper`] may listen.
    pub notes: Option<PathBuf>,
    /// Store the image of every n-th frame.
    pub images_every: Option<u64>,
    /// End the recording after so many frames; the program goes on.
    pub max_frames: Option<u64>,
    /// Keep paths, arguments and the whole environment in the trace.
    pub full_provenance: bool,
}

/// A clock that gives a program the same times in every run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The library that answers for the time; it lies beside the driver's shims.
    pub library: PathBuf,
    /// Microseconds from one reading to the next.
    pub step_us: u32,
}

/// Name of the clock's library.
const CLOCK_LIBRARY: &str = "libmgl-clock.so";

impl Clock {
    /// The clock that belongs to a driver.
    ///
    /// # Errors
    /// [`LaunchError::NoShim`] when its library is missing.
    pub fn of(launcher: &Launcher, step_us: u32) -> Result<Self, LaunchError> {
        let library = beside_shims(launcher, CLOCK_LIBRARY)?;
        Ok(Self { library, step_us })
    }

    /// Gives it to a command, which may run on the driver or on the system's GL.
    pub fn apply(&self, command: &mut Command) {
        command.env("MGL_CLOCK_STEP_US", self.step_us.to_string());
        preload(command, &self.library);
    }
}

/// Keeps frames of a program that runs on the system's GL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// The library that keeps them; it lies beside the driver's shims.
    pub library: PathBuf,
    /// Where to; made absolute.
    pub folder: PathBuf,
    /// Frames to keep, counted from 0.
    pub frames: Vec<u64>,
}

/// Name of the library that keeps frames.
const CAPTURE_LIBRARY: &str = "libmgl-capture.so";

impl Capture {
    /// The one that belongs to a driver.
    ///
    /// # Errors
    /// [`LaunchError::NoShim`] when its library is missing.
    pub fn of(launcher: &Launcher, folder: PathBuf, frames: &[u64]) -> Result<Self, LaunchError> {
        Ok(Self {
            library: beside_shims(launcher, CAPTURE_LIBRARY)?,
            folder,
            frames: frames.to_vec(),
        })
    }

    /// Gives it to a command that does not run on the driver.
    ///
    /// # Errors
    /// The current folder, which a relative folder starts from, is gone.
    pub fn apply(&self, command: &mut Command) -> io::Result<()> {
        let frames: Vec<String> = self.frames.iter().map(u64::to_string).collect();
        command
            .env("MGL_CAPTURE", std::path::absolute(&self.folder)?)
            .env("MGL_CAPTURE_FRAMES", frames.join(","));
        preload(command, &self.library);
        Ok(())
    }
}

/// Settings of one run of a program on the driver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DriverSettings {
    pub back_end: BackEnd,
    /// The Vulkan device, by number or part of its name; absent: the best one.
    pub device: Option<String>,
    /// Absent: as `MGL_LINK` of this process says, else [`Link::Auto`].
    pub link: Option<Link>,
    /// Absent: nothing is recorded.
    pub recording: Option<Recording>,
    /// Absent: the program sees the real time.
    pub clock: Option<Clock>,
    /// Turn the back end's debug messages into errors.
    pub debug: bool,
    /// File that gets the driver's report, one JSON document, when the program ends; made absolute.
    pub report: Option<PathBuf>,
    /// A push to leave out, `CALL` or `CALL:N`: a fault made on purpose, which checks must find.
    pub leave_out: Option<String>,
}

impl DriverSettings {
    /// Sets the variables of a command, and clears those that this process itself was started with.
    ///
    /// # Errors
    /// The current folder, which a relative trace path starts from, is gone.
    pub fn apply(&self, command: &mut Command) -> io::Result<()> {
        let back_end = match self.back_end {
            BackEnd::Espryt => "espryt",
            BackEnd::Magma => "magma",
            BackEnd::Null => "null",
        };
        command.env("MGL_BACKEND", back_end);
        if let Some(device) = &self.device {
            command.env("MGL_DEVICE", device);
        }
        if let Some(link) = self.link {
            let name = match link {
                Link::Direct => "direct",
                Link::Thread => "thread",
                Link::Auto => "auto",
            };
            command.env("MGL_LINK", name);
        }
        if self.debug {
            command.env("MGL_DEBUG", "1");
        }
        for name in [
            "MGL_RECORD",
            "MGL_IMAGES",
            "MGL_MAX_FRAMES",
            "MGL_PROVENANCE",
            "MGL_RECORD_OVER",
            "MGL_NOTES",
        ] {
            command.env_remove(name);
        }
        if let Some(clock) = &self.clock {
            clock.apply(command);
        }
        if let Some(report) = &self.report {
            command.env("MGL_REPORT", std::path::absolute(report)?);
        }
        if let Some(call) = &self.leave_out {
            command.env("MGL_LEAVE_OUT", call);
        }
        let Some(recording) = &self.recording else {
            return Ok(());
        };
        command.env("MGL_RECORD", std::path::absolute(&recording.trace)?);
        // Tells an older file of that name, which is replaced, from one that another process of the same command writes.
        let over = stamp(&recording.trace).unwrap_or_else(|| "none".to_owned());
        command.env("MGL_RECORD_OVER", over);
        if let Some(notes) = &recording.notes {
            command.env("MGL_NOTES", notes);
        }
        if let Some(every) = recording.images_every {
            command.env("MGL_IMAGES", every.to_string());
        }
        if let Some(frames) = recording.max_frames {
            command.env("MGL_MAX_FRAMES", frames.to_string());
        }
        if recording.full_provenance {
            command.env("MGL_PROVENANCE", "full");
        }
        Ok(())
    }
}

/// A name for the trace of `program` that no file in `folder` has yet: `NAME.mgltrace`, else
/// `NAME-2.mgltrace` and so on.
pub fn free_trace_name(folder: &Path, program: &Path) -> PathBuf {
    let stem = program.file_stem().unwrap_or("program".as_ref());
    let named = |suffix: &str| {
        let mut name = stem.to_owned();
        name.push(suffix);
        name.push(".mgltrace");
        folder.join(name)
    };
    std::iter::once(String::new())
        .chain((2..).map(|n: u64| format!("-{n}")))
        .map(|suffix| named(&suffix))
        .find(|path| !path.exists())
        .expect("a folder holds fewer files than there are numbers")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the command sets a variable to; nothing where it leaves it alone or clears it.
    fn value(command: &Command, name: &str) -> Option<String> {
        let (_, value) = command.get_envs().find(|(n, _)| *n == OsStr::new(name))?;
        Some(value?.to_string_lossy().into_owned())
    }

    #[test]
    fn a_recording_sets_its_variables_and_nothing_else() {
        let settings = DriverSettings {
            recording: Some(Recording {
                trace: "out/a.mgltrace".into(),
                images_every: Some(3),
                ..Recording::default()
            }),
            ..DriverSettings::default()
        };
        let mut command = Command::new("true");
        settings.apply(&mut command).expect("a current folder");
        let trace = value(&command, "MGL_RECORD").expect("set");
        assert!(Path::new(&trace).is_absolute() && trace.ends_with("/out/a.mgltrace"));
        assert_eq!(value(&command, "MGL_IMAGES").as_deref(), Some("3"));
        assert_eq!(value(&command, "MGL_BACKEND").as_deref(), Some("espryt"));
        for name in [
            "MGL_MAX_FRAMES",
            "MGL_PROVENANCE",
            "MGL_DEBUG",
            "MGL_DEVICE",
            "MGL_LINK",
        ] {
            assert_eq!(value(&command, name), None, "{name}");
        }
    }

    #[test]
    fn a_run_without_recording_clears_what_it_was_started_with() {
        let mut command = Command::new("true");
        let settings = DriverSettings {
            back_end: BackEnd::Magma,
            device: Some("llvmpipe".into()),
            link: Some(Link::Thread),
            debug: true,
            ..DriverSettings::default()
        };
        settings
            .apply(&mut command)
            .expect("nothing to make absolute");
        let cleared = command
            .get_envs()
            .any(|(n, v)| n == "MGL_RECORD" && v.is_none());
        assert!(cleared);
        assert_eq!(value(&command, "MGL_BACKEND").as_deref(), Some("magma"));
        assert_eq!(value(&command, "MGL_DEVICE").as_deref(), Some("llvmpipe"));
        assert_eq!(value(&command, "MGL_LINK").as_deref(), Some("thread"));
        assert_eq!(value(&command, "MGL_DEBUG").as_deref(), Some("1"));
    }

    #[test]
    fn the_clock_comes_before_what_is_preloaded_already() {
        let clock = Clock {
            library: "/lib/mgl/libmgl-clock.so".into(),
            step_us: 2000,
        };
        let mut command = Command::new("true");
        command.env("LD_PRELOAD", "/lib/mgl/libGL.so.1");
        clock.apply(&mut command);
        let list = value(&command, "LD_PRELOAD");
        let both = "/lib/mgl/libmgl-clock.so /lib/mgl/libGL.so.1";
        assert_eq!(list.as_deref(), Some(both));
        assert_eq!(
            value(&command, "MGL_CLOCK_STEP_US").as_deref(),
            Some("2000")
        );
    }

    #[test]
    fn names_of_traces_do_not_collide() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let free = |program: &str| {
            let path = free_trace_name(dir.path(), Path::new(program));
            std::fs::write(&path, "").expect("write");
            path.file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned()
        };
        assert_eq!(free("/usr/games/game.bin"), "game.mgltrace");
        assert_eq!(free("game"), "game-2.mgltrace");
        assert_eq!(free("game"), "game-3.mgltrace");
    }
}
