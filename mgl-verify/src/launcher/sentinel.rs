//! [`Sentinel`]: a process that sits in our process group and does nothing.
//!
//! A signal that is sent to a process group reaches us and the program alike, and must not be passed on to it a second
//! time; one that is sent to us alone must be. The signal itself does not tell. But the sentinel, which blocks all signals,
//! has it pending too when it went to the group.
//!
//! It also outlives a kill that we do not, and takes the program along then: whoever kills the process that was started
//! means the program. What we would have removed, it removes.

use std::ffi::CString;
use std::fs;
use std::io::{self, PipeWriter, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// The kernel signals the processes of a group one after the other; this is plenty for it to get from us to the sentinel.
const GROUP_LAG: Duration = Duration::from_millis(2);

/// A running sentinel; ends with the value.
pub struct Sentinel {
    pid: libc::pid_t,
    /// It is told the program's process id, and nothing more: the pipe's end is ours.
    life: PipeWriter,
    program: Option<libc::pid_t>,
    leftovers: Vec<CString>,
}

impl Sentinel {
    /// Starts one, before the program: that may signal its group at once. All signals are blocked, and there is one
    /// thread. Nothing where the system gives no more processes: every signal then counts as sent to us alone.
    /// `leftovers` is what it removes.
    pub fn start(leftovers: &[PathBuf]) -> Option<Self> {
        let name = |path: &PathBuf| CString::new(path.as_os_str().as_bytes()).ok();
        let leftovers: Vec<_> = leftovers.iter().filter_map(name).collect();
        let (pid, life) = fork(&leftovers).ok()?;
        Some(Self {
            pid,
            life,
            program: None,
            leftovers,
        })
    }

    /// Has the program tell it that it is the one to take along, before it becomes the program: killed right after the
    /// start, we would not have come to say so.
    pub fn is_told_by(&self, program: &mut Command) {
        let life = self.life.as_raw_fd();
        // SAFETY: both calls are async-signal-safe; the descriptor is the child's copy, which ends with the start.
        unsafe {
            program.pre_exec(move || {
                let own = libc::getpid();
                libc::write(life, (&raw const own).cast(), size_of::<libc::pid_t>());
                Ok(())
            });
        }
    }

    /// The program that was started after [`Self::is_told_by`].
    pub fn knows(&mut self, program: libc::pid_t) {
        self.program = Some(program);
    }

    /// Whether a signal that we have got went to the whole group. Asked once a signal.
    pub fn has_got(&mut self, signal: libc::c_int) -> bool {
        if !self.pending(signal) {
            std::thread::sleep(GROUP_LAG);
            if !self.pending(signal) {
                return false;
            }
        }
        // What is pending stays pending: another one, with a clean slate, goes on.
        if let Ok((pid, mut life)) = fork(&self.leftovers) {
            // The new one knows before the old one ends: there is always one that does.
            if let Some(program) = self.program {
                // It is there, or it was killed, and then nothing helps.
                let _ = life.write_all(&program.to_ne_bytes());
            }
            self.end();
            (self.pid, self.life) = (pid, life);
        }
        true
    }

    /// Whether the signal is pending for the sentinel, as /proc says.
    fn pending(&self, signal: libc::c_int) -> bool {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid));
        let pending = status.unwrap_or_default().lines().find_map(|line| {
            let bits = line.strip_prefix("ShdPnd:")?;
            u64::from_str_radix(bits.trim(), 16).ok()
        });
        pending.is_some_and(|bits| bits >> (signal - 1) & 1 != 0)
    }

    fn end(&self) {
        // SAFETY: touches no memory but the status; the number is our own child's, which nobody else waits for.
        unsafe {
            libc::kill(self.pid, libc::SIGKILL);
            let mut status = 0;
            libc::waitpid(self.pid, &mut status, 0);
        }
    }
}

impl Drop for Sentinel {
    fn drop(&mut self) {
        self.end();
    }
}

fn fork(leftovers: &[CString]) -> io::Result<(libc::pid_t, PipeWriter)> {
    let (theirs, ours) = io::pipe()?;
    // SAFETY: there is one thread, and the child calls nothing but what is async-signal-safe.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => sit(theirs.as_raw_fd(), leftovers),
        pid => Ok((pid, ours)),
    }
}

/// The sentinel's life: until the pipe's other end is closed.
fn sit(life: RawFd, leftovers: &[CString]) -> ! {
    // SAFETY: system calls on this process's own descriptors; the number has room for what is read.
    unsafe {
        libc::prctl(libc::PR_SET_NAME, c"mgl-sentinel".as_ptr());
        // Pipes that somebody reads to their end are not held open. It is above 2, where the standard streams are.
        libc::dup2(life, 0);
        if libc::syscall(libc::SYS_close_range, 1, libc::c_uint::MAX, 0) != 0 {
            let end = libc::sysconf(libc::_SC_OPEN_MAX).clamp(256, 1 << 16);
            (1..end as RawFd).for_each(|fd| {
                libc::close(fd);
            });
        }
        let mut program: libc::pid_t = 0;
        let room = size_of::<libc::pid_t>();
        let told = libc::read(0, (&raw mut program).cast(), room) == room as isize;
        if told {
            // A process id may belong to another one by the time that it is used; this does not. Where a kernel or a
            // sandbox has no such descriptors, the number has to do.
            let held = libc::syscall(libc::SYS_pidfd_open, program, 0 as libc::c_uint);
            let numbers_only = held < 0 && *libc::__errno_location() == libc::ENOSYS;
            let mut nothing: libc::pid_t = 0;
            libc::read(0, (&raw mut nothing).cast(), room);
            let signal = libc::SIGKILL;
            if numbers_only {
                libc::kill(program, signal);
            } else {
                let info = std::ptr::null_mut::<libc::siginfo_t>();
                let none = 0 as libc::c_uint;
                libc::syscall(libc::SYS_pidfd_send_signal, held, signal, info, none);
            }
        }
        // Only we ourselves end it another way.
        for name in leftovers {
            libc::unlinkat(libc::AT_FDCWD, name.as_ptr(), 0);
            libc::unlinkat(libc::AT_FDCWD, name.as_ptr(), libc::AT_REMOVEDIR);
        }
        libc::_exit(0)
    }
}
