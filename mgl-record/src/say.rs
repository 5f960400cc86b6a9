//! Messages on standard error, which may be closed, full, or a pipe that nobody reads: that is no reason for the program
//! to panic, nor to end by SIGPIPE where it would not have written anything itself.

use std::fmt::Arguments;
use std::io::Write;
use std::time::Duration;

/// As std's, and never the program's end.
macro_rules! eprintln {
    ($($text:tt)*) => { $crate::say::line(format_args!($($text)*)) };
}

/// Writes a line to standard error, if that can be done.
pub fn line(text: Arguments<'_>) {
    without_sigpipe(|| {
        let _ = writeln!(std::io::stderr(), "{text}");
    });
}

/// Runs `f` with SIGPIPE held back from this thread, and takes back the one that it caused.
fn without_sigpipe(f: impl FnOnce()) {
    // SAFETY: the sets are initialised by the calls that fill them before they are read; the mask is this thread's own,
    // and is as it was in the end.
    unsafe {
        let mut pipe = std::mem::zeroed::<libc::sigset_t>();
        libc::sigemptyset(&mut pipe);
        libc::sigaddset(&mut pipe, libc::SIGPIPE);
        let mut pending = std::mem::zeroed::<libc::sigset_t>();
        libc::sigpending(&mut pending);
        let mut before = std::mem::zeroed::<libc::sigset_t>();
        libc::pthread_sigmask(libc::SIG_BLOCK, &pipe, &mut before);
        f();
        if libc::sigismember(&pending, libc::SIGPIPE) == 0 {
            let none = Duration::ZERO.as_secs() as libc::time_t;
            let none = libc::timespec {
                tv_sec: none,
                tv_nsec: 0,
            };
            libc::sigtimedwait(&pipe, std::ptr::null_mut(), &none);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    /// What the child does: writes to a pipe that nobody reads.
    #[test]
    fn a_line_that_nobody_reads_ends_nothing() {
        const CHILD: &str = "MGL_TEST_SAY_CHILD";
        if std::env::var_os(CHILD).is_some() {
            // SAFETY: SIG_DFL calls nothing; it is what programs have that are not in Rust.
            unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
            // Until the parent has closed its end.
            std::thread::sleep(std::time::Duration::from_millis(100));
            for n in 0..3 {
                eprintln!("line {n}");
            }
            std::process::exit(7);
        }
        let mut child = Command::new(std::env::current_exe().expect("a path"))
            .args([
                "--exact",
                "say::tests::a_line_that_nobody_reads_ends_nothing",
            ])
            .args(["--nocapture", "--test-threads=1"])
            .env(CHILD, "1")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the test's own program starts");
        drop(child.stderr.take());
        assert_eq!(child.wait().expect("waited for").code(), Some(7));
    }
}
