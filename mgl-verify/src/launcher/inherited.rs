//! What this process was started with, and passes on to a program unchanged.
//!
//! Before `main`, the Rust runtime ignores SIGPIPE and opens /dev/null in the place of standard streams that are closed;
//! std sets SIGPIPE to its default in what it starts. A program started here is to find what it would find without us,
//! so this is looked at before the runtime is.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::ptr;
use std::sync::atomic::{AtomicU8, Ordering};

/// SIGPIPE is ignored.
const PIPE_IGNORED: u8 = 1 << 3;
/// Bits 0 to 2: the standard streams that are closed; bit 3: [`PIPE_IGNORED`].
static FOUND: AtomicU8 = AtomicU8::new(0);

#[used]
// SAFETY: the section holds pointers to functions that the loader calls once, on the only thread, before `main`; this one
// calls nothing but two system calls.
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

extern "C" fn look() {
    let mut found = 0;
    for fd in 0..3 {
        // SAFETY: touches no memory.
        if unsafe { libc::fcntl(fd, libc::F_GETFD) } < 0 {
            found |= 1 << fd;
        }
    }
    // SAFETY: the action is written by the call.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGPIPE, ptr::null(), &mut action);
        if action.sa_sigaction == libc::SIG_IGN {
            found |= PIPE_IGNORED;
        }
    }
    FOUND.store(found, Ordering::Relaxed);
}

/// Gives a program the standard streams and the disposition of SIGPIPE that this process was started with. To be called
/// last: what is closed is closed after everything that std does.
pub fn pass_on(command: &mut Command) {
    let found = FOUND.load(Ordering::Relaxed);
    let restore = move || {
        for fd in 0..3 {
            if found & (1 << fd) != 0 {
                // SAFETY: the child's own copy of the descriptor, which holds the runtime's /dev/null.
                unsafe { libc::close(fd) };
            }
        }
        if found & PIPE_IGNORED != 0 {
            // SAFETY: no handler, so nothing can be called.
            unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
        }
        io::Result::Ok(())
    };
    if found != 0 {
        // SAFETY: close and signal are async-signal-safe and touch no memory.
        unsafe { command.pre_exec(restore) };
    }
}
