//! Watching a program: signals go through to it, its end is ours.

use super::LaunchError;
use std::mem::MaybeUninit;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::ptr;

/// Signals that are passed on. What a terminal sends reaches the program by itself, being sent to
/// the whole group, and is not passed on a second time.
const FORWARDED: [libc::c_int; 7] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGWINCH,
];

/// Starts the program, passes signals on to it while it runs, and returns the status to exit with:
/// the program's own, or 128 plus the number of the signal that ended it.
///
/// To be called while the process has one thread: a signal could otherwise end it through another.
///
/// # Errors
///
/// [`LaunchError::Program`] when it cannot be started, [`LaunchError::Wait`] when it is lost.
pub fn supervise(mut command: Command) -> Result<i32, LaunchError> {
    // Blocked before the program starts, so that no signal falls between; std gives the child an
    // empty mask.
    let blocked = Blocked::new();
    let mut child = command.spawn().map_err(|source| LaunchError::Program {
        program: command.get_program().to_owned(),
        source,
    })?;
    loop {
        if let Some(status) = child.try_wait().map_err(LaunchError::Wait)? {
            return Ok(exit_code(status));
        }
        blocked.next(&child);
    }
}

fn exit_code(status: ExitStatus) -> i32 {
    status
        .code()
        .or_else(|| status.signal().map(|n| 128 + n))
        .unwrap_or(1)
}

/// Holds the watched signals back from their usual effect.
struct Blocked {
    watched: libc::sigset_t,
    before: libc::sigset_t,
    child_action: libc::sigaction,
}

impl Blocked {
    fn new() -> Self {
        // SAFETY: the sets and the action are initialised by the calls that fill them; SIG_DFL for
        // SIGCHLD only undoes an inherited SIG_IGN, under which no exit status would be kept.
        unsafe {
            let mut watched = MaybeUninit::<libc::sigset_t>::uninit();
            libc::sigemptyset(watched.as_mut_ptr());
            let mut watched = watched.assume_init();
            for signal in FORWARDED {
                libc::sigaddset(&mut watched, signal);
            }
            libc::sigaddset(&mut watched, libc::SIGCHLD);
            let mut before = MaybeUninit::<libc::sigset_t>::uninit();
            libc::pthread_sigmask(libc::SIG_BLOCK, &watched, before.as_mut_ptr());
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = libc::SIG_DFL;
            let mut child_action = MaybeUninit::<libc::sigaction>::zeroed();
            libc::sigaction(libc::SIGCHLD, &action, child_action.as_mut_ptr());
            Self {
                watched,
                before: before.assume_init(),
                child_action: child_action.assume_init(),
            }
        }
    }

    /// Waits for one signal and passes it on if it is for the program.
    fn next(&self, child: &Child) {
        // SAFETY: an initialised set; the information is only read after a signal was taken.
        unsafe {
            let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
            let signal = libc::sigwaitinfo(&self.watched, info.as_mut_ptr());
            if signal <= 0 || signal == libc::SIGCHLD {
                return;
            }
            // Codes above zero are the kernel's (a terminal), others come from processes.
            if info.assume_init().si_code <= 0 {
                libc::kill(child.id() as libc::pid_t, signal);
            }
        }
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        // SAFETY: restores what `new` found.
        unsafe {
            libc::sigaction(libc::SIGCHLD, &self.child_action, ptr::null_mut());
            libc::pthread_sigmask(libc::SIG_SETMASK, &self.before, ptr::null_mut());
        }
    }
}
