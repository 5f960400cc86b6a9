//! [`watch`]: a command in a process of its own, so that a driver that crashes or hangs in it is reported, with the verb.
//!
//! The process is this program once more, with the same arguments; a variable tells it that it is watched, and where to
//! tell its progress. It prints for itself: only when it cannot, the watcher speaks.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use mgl_replay::player::ProgressPlace;

use crate::limited::{end_with_this_thread, has_ended};
use crate::progress_file::{self, ProgressFile};

/// Names the file in which a watched process tells its progress.
const VARIABLE: &str = "MGL_PROGRESS";
/// How often the process is looked at, at the start and later.
const POLL: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(50)];

/// How a watched process ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Watched {
    /// With a status, after it had said what there is to say.
    Ended(i32),
    /// Someone ended it: Ctrl-C, or a request to end.
    Stopped(i32),
    /// It crashed; the message names the signal and the verb.
    Crashed(String),
    /// A record took longer than it may.
    Stalled(String),
}

/// The progress file of this process, if it is watched.
pub fn progress() -> Option<ProgressFile> {
    let path = std::env::var_os(VARIABLE)?;
    ProgressFile::open(&PathBuf::from(path)).ok()
}

/// Whether this process is the watched one.
pub fn is_watched() -> bool {
    std::env::var_os(VARIABLE).is_some()
}

/// Runs `program` with `args`, and watches it; it inherits the standard streams. `limit` is how long a record may take.
///
/// # Errors
/// The process cannot be started or waited for.
pub fn watch(program: &std::path::Path, args: &[OsString], limit: Duration) -> io::Result<Watched> {
    let file = memory_file()?;
    file.set_len(progress_file::BYTES as u64)?;
    let fd = file.as_raw_fd();
    // The descriptor has the same number there.
    let path = PathBuf::from(format!("/proc/self/fd/{fd}"));
    let mut command = Command::new(program);
    command.args(args).env(VARIABLE, &path);
    // SAFETY: fcntl is async-signal-safe and touches no memory; the descriptor is open until the child has ended.
    unsafe {
        command.pre_exec(move || match libc::fcntl(fd, libc::F_SETFD, 0) {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        });
    }
    end_with_this_thread(&mut command);
    let mut child = command.spawn()?;
    let reached = || progress_file::reached(&path).ok().flatten();
    let (start, mut last, mut since) = (Instant::now(), None, Instant::now());
    let stalled = loop {
        if has_ended(&child)? {
            break None;
        }
        let now = reached();
        if now != last {
            (last, since) = (now, Instant::now());
        } else if since.elapsed() >= limit {
            child.kill()?;
            break Some(now);
        }
        let young = start.elapsed() < Duration::from_millis(200);
        thread::sleep(POLL[usize::from(!young)]);
    };
    let status = child.wait()?;
    if let Some(place) = stalled {
        let seconds = limit.as_secs();
        let place = progress_file::in_words(place);
        return Ok(Watched::Stalled(format!(
            "no progress for {seconds} s, {place}"
        )));
    }
    Ok(match (status.code(), status.signal()) {
        (Some(code), _) => Watched::Ended(code),
        (_, Some(signal)) if is_request(signal) => Watched::Stopped(signal),
        (_, signal) => Watched::Crashed(crash(signal.unwrap_or(0), reached())),
    })
}

/// Signals by which people end programs.
fn is_request(signal: i32) -> bool {
    matches!(
        signal,
        libc::SIGINT | libc::SIGTERM | libc::SIGHUP | libc::SIGQUIT | libc::SIGPIPE
    )
}

/// What a signal that nobody asked for says.
fn crash(signal: i32, place: Option<ProgressPlace>) -> String {
    let name = match signal {
        libc::SIGSEGV => " (SIGSEGV)",
        libc::SIGABRT => " (SIGABRT)",
        libc::SIGBUS => " (SIGBUS)",
        libc::SIGFPE => " (SIGFPE)",
        libc::SIGILL => " (SIGILL)",
        libc::SIGKILL => " (SIGKILL: out of memory?)",
        _ => "",
    };
    format!(
        "ended by signal {signal}{name}, {}",
        progress_file::in_words(place)
    )
}

/// A file in memory, gone with its last descriptor.
fn memory_file() -> io::Result<File> {
    // SAFETY: the name is a C string, and the descriptor that comes back is new and nobody else's.
    unsafe {
        match libc::memfd_create(c"mgl-progress".as_ptr(), libc::MFD_CLOEXEC) {
            -1 => Err(io::Error::last_os_error()),
            fd => Ok(File::from_raw_fd(fd)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn shell(script: &str, limit: Duration) -> Watched {
        let args = ["-c", script].map(OsString::from);
        watch(Path::new("sh"), &args, limit).expect("sh starts")
    }

    const MINUTE: Duration = Duration::from_secs(60);

    /// A script that tells that it has begun the DrawVbo 2:7, the third record.
    fn begun() -> String {
        let words = [3_u64, 2, 7, mgl_core::pipe::Op::DrawVbo as u64];
        let bytes: String = words
            .iter()
            .flat_map(|w| w.to_ne_bytes())
            .map(|b| format!("\\{b:03o}"))
            .collect();
        format!("printf '{bytes}' 1<> \"$MGL_PROGRESS\"")
    }

    #[test]
    fn a_status_is_passed_on() {
        assert_eq!(shell("exit 7", MINUTE), Watched::Ended(7));
    }

    #[test]
    fn a_crash_names_signal_and_verb() {
        let script = format!("{}; kill -SEGV $$", begun());
        let Watched::Crashed(text) = shell(&script, MINUTE) else {
            panic!("no crash");
        };
        for words in ["signal 11 (SIGSEGV)", "2:7", "DrawVbo", "record 2"] {
            assert!(text.contains(words), "{text}");
        }
        assert_eq!(shell("kill -TERM $$", MINUTE), Watched::Stopped(15));
    }

    #[test]
    fn a_record_that_takes_too_long_ends_it() {
        let script = format!("{}; exec sleep 600", begun());
        let start = Instant::now();
        let Watched::Stalled(text) = shell(&script, Duration::from_millis(300)) else {
            panic!("no stall");
        };
        assert!(text.contains("2:7") && start.elapsed() < MINUTE, "{text}");
    }
}
