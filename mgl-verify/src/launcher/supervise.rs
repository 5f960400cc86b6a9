//! Watching a program: it is as if it had been started without us.
//!
//! It has our process group, terminal, streams, limits and folder, and the signal mask and dispositions that we were
//! started with. What is sent to us is passed on, unless it reached the program by itself; when the program stops, we
//! stop; its end is ours.

use super::LaunchError;
use super::inherited;
use super::sentinel::Sentinel;
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::ptr;
use std::time::Duration;

/// Starts the program, passes signals on to it while it runs, and returns the status to exit with:
/// the program's own, or 128 plus the number of the signal that ended it.
///
/// `look` is called with the program's process id now and then until it has seen enough: it says after which time it is
/// to be called again. `leftovers` are removed should this process be killed: files, and folders behind what they hold.
///
/// To be called while the process has one thread: a signal could otherwise end it through another.
///
/// # Errors
///
/// [`LaunchError::Program`] when it cannot be started, [`LaunchError::Wait`] when it is lost.
pub fn supervise(
    mut command: Command,
    look: &mut dyn FnMut(u32) -> Option<Duration>,
    leftovers: &[PathBuf],
) -> Result<i32, LaunchError> {
    // Blocked before the program starts, so that no signal falls between.
    let mut watch = Watch::new();
    let mut sentinel = Sentinel::start(leftovers);
    watch.restore_in(&mut command);
    if let Some(sentinel) = &sentinel {
        sentinel.is_told_by(&mut command);
    }
    inherited::pass_on(&mut command);
    let child = command.spawn().map_err(|source| LaunchError::Program {
        program: command.get_program().to_owned(),
        source,
    })?;
    let id = child.id();
    let pid = id as libc::pid_t;
    if let Some(sentinel) = &mut sentinel {
        sentinel.knows(pid);
    }
    let mut next_look = Some(Duration::ZERO);
    let mut stopped = false;
    loop {
        match state(pid).map_err(LaunchError::Wait)? {
            Some(Change::Ended(code)) => {
                watch.forget_pending();
                return Ok(code);
            }
            Some(Change::Stopped(signal)) => {
                stopped = true;
                watch.stop_too(signal, pid);
                continue;
            }
            Some(Change::Continued) => {
                stopped = false;
                continue;
            }
            None => {}
        }
        match watch.next(next_look) {
            Taken::Nothing => next_look = look(id),
            Taken::Own => {}
            Taken::FromTerminal(signal) => {
                // It went to our group, which the program may have left.
                if !in_our_group(pid) {
                    // SAFETY: the program has not been waited for, so the number is its own.
                    unsafe { libc::kill(pid, signal) };
                }
            }
            Taken::Sent(signal, info) => {
                // What continues a process that runs has no effect, and may have come with the group's.
                let idle = signal == libc::SIGCONT && !stopped;
                let mut reached =
                    || in_our_group(pid) && sentinel.as_mut().is_some_and(|s| s.has_got(signal));
                if !idle && !reached() {
                    send(pid, signal, &info);
                }
            }
        }
    }
}

/// What became of the program.
enum Change {
    /// With the status to exit with.
    Ended(i32),
    /// By this signal.
    Stopped(libc::c_int),
    Continued,
}

/// What happened to the program since it was last asked for.
fn state(pid: libc::pid_t) -> io::Result<Option<Change>> {
    let mut status = 0;
    let how = libc::WNOHANG | libc::WUNTRACED | libc::WCONTINUED;
    // SAFETY: there is room for the status.
    match unsafe { libc::waitpid(pid, &mut status, how) } {
        0 => Ok(None),
        -1 => Err(io::Error::last_os_error()),
        _ if libc::WIFSTOPPED(status) => Ok(Some(Change::Stopped(libc::WSTOPSIG(status)))),
        _ if libc::WIFCONTINUED(status) => Ok(Some(Change::Continued)),
        _ if libc::WIFSIGNALED(status) => Ok(Some(Change::Ended(128 + libc::WTERMSIG(status)))),
        _ => Ok(Some(Change::Ended(libc::WEXITSTATUS(status)))),
    }
}

/// Whether the program is in our process group, as it was when it started.
fn in_our_group(pid: libc::pid_t) -> bool {
    // SAFETY: touches no memory.
    unsafe { libc::getpgid(pid) == libc::getpgrp() }
}

/// Passes a signal on, with the value that came with it if there was one.
fn send(pid: libc::pid_t, signal: libc::c_int, info: &libc::siginfo_t) {
    // SAFETY: the program has not been waited for, so the number is its own; the information is only read.
    unsafe {
        if info.si_code == libc::SI_QUEUE {
            libc::syscall(libc::SYS_rt_sigqueueinfo, pid, signal, &raw const *info);
        } else {
            libc::kill(pid, signal);
        }
    }
}

/// A signal that was taken, or none in time.
enum Taken {
    Nothing,
    /// It concerns us alone.
    Own,
    /// A terminal's user, or its end, sent it to our group.
    FromTerminal(libc::c_int),
    /// A process sent it to us.
    Sent(libc::c_int, libc::siginfo_t),
}

/// Holds all signals back from their usual effect.
struct Watch {
    all: libc::sigset_t,
    before: libc::sigset_t,
    child_action: libc::sigaction,
}

impl Watch {
    fn new() -> Self {
        // SAFETY: the sets and the action are initialised by the calls that fill them; SIG_DFL for
        // SIGCHLD only undoes an inherited SIG_IGN, under which no exit status would be kept.
        unsafe {
            let mut all = MaybeUninit::<libc::sigset_t>::uninit();
            libc::sigfillset(all.as_mut_ptr());
            let all = all.assume_init();
            let mut before = MaybeUninit::<libc::sigset_t>::uninit();
            libc::pthread_sigmask(libc::SIG_BLOCK, &all, before.as_mut_ptr());
            let child_action = default_action(libc::SIGCHLD);
            Self {
                all,
                before: before.assume_init(),
                child_action,
            }
        }
    }

    /// Has the program start with the mask and the disposition that we were started with: std hands on those there are.
    fn restore_in(&self, command: &mut Command) {
        let (before, child_action) = (self.before, self.child_action);
        // SAFETY: both calls are async-signal-safe, and only read what they are given.
        unsafe {
            command.pre_exec(move || {
                libc::sigaction(libc::SIGCHLD, &child_action, ptr::null_mut());
                libc::pthread_sigmask(libc::SIG_SETMASK, &before, ptr::null_mut());
                Ok(())
            });
        }
    }

    /// Waits for one signal, or for the time to pass.
    fn next(&self, time: Option<Duration>) -> Taken {
        // SAFETY: an initialised set; the information is only read after a signal was taken.
        let (signal, info) = unsafe {
            let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
            let signal = match time {
                None => libc::sigwaitinfo(&self.all, info.as_mut_ptr()),
                Some(time) => libc::sigtimedwait(&self.all, info.as_mut_ptr(), &timespec(time)),
            };
            (signal, info.assume_init())
        };
        match signal {
            ..=0 if io::Error::last_os_error().kind() == io::ErrorKind::WouldBlock => {
                Taken::Nothing
            }
            ..=0 | libc::SIGCHLD => Taken::Own,
            libc::SIGINT | libc::SIGQUIT | libc::SIGHUP | libc::SIGTSTP | libc::SIGWINCH
                if info.si_code > 0 =>
            {
                Taken::FromTerminal(signal)
            }
            // Codes above zero are the kernel's.
            _ if info.si_code > 0 => Taken::Own,
            // SAFETY: signals of processes say who sent them.
            _ if unsafe { info.si_pid() == libc::getpid() } => Taken::Own,
            _ => Taken::Sent(signal, info),
        }
    }

    /// The program was stopped. Where a terminal's user did that, his shell waits for us to stop: by the same signal, so
    /// that it says the same of us. A stop by SIGSTOP is between the program and who sent it.
    fn stop_too(&mut self, signal: libc::c_int, pid: libc::pid_t) {
        if !matches!(signal, libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU) {
            return;
        }
        // SAFETY: the sets are initialised by the calls that fill them; a stop signal's default calls nothing.
        unsafe {
            let mut set = MaybeUninit::<libc::sigset_t>::uninit();
            libc::sigemptyset(set.as_mut_ptr());
            let mut set = set.assume_init();
            libc::sigaddset(&mut set, libc::SIGCONT);
            if libc::sigtimedwait(&set, ptr::null_mut(), &timespec(Duration::ZERO)) > 0 {
                // Continued meanwhile.
                libc::kill(pid, libc::SIGCONT);
                return;
            }
            let action = default_action(signal);
            libc::sigemptyset(&mut set);
            libc::sigaddset(&mut set, signal);
            libc::raise(signal);
            libc::pthread_sigmask(libc::SIG_UNBLOCK, &set, ptr::null_mut());
            // Here time passes. It goes on with SIGCONT, which is taken like any other signal.
            libc::pthread_sigmask(libc::SIG_BLOCK, &set, ptr::null_mut());
            libc::sigaction(signal, &action, ptr::null_mut());
        }
    }

    /// Drops what came while the program ended: it was for the program. What was sent more than once, as timeout(1) does,
    /// does not end us before we have said what was recorded.
    fn forget_pending(&mut self) {
        loop {
            // SAFETY: an initialised set.
            let signal = unsafe {
                libc::sigtimedwait(&self.all, ptr::null_mut(), &timespec(Duration::ZERO))
            };
            if signal <= 0 {
                return;
            }
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // SAFETY: restores what `new` found.
        unsafe {
            libc::sigaction(libc::SIGCHLD, &self.child_action, ptr::null_mut());
            libc::pthread_sigmask(libc::SIG_SETMASK, &self.before, ptr::null_mut());
        }
    }
}

/// Gives a signal its default effect; returns what it had.
///
/// # Safety
/// The default of the signal is one that this process can live with.
unsafe fn default_action(signal: libc::c_int) -> libc::sigaction {
    // SAFETY: both actions are plain data, one read and one written by the call; SIG_DFL calls nothing.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = libc::SIG_DFL;
        let mut before: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, &action, &mut before);
        before
    }
}

fn timespec(time: Duration) -> libc::timespec {
    libc::timespec {
        tv_sec: time.as_secs() as libc::time_t,
        tv_nsec: time.subsec_nanos().into(),
    }
}
