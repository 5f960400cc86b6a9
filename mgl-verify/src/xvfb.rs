//! [`Xvfb`]: a display of our own, on a free number, ended with the value.
//!
//! Uses nothing but the standard library and libc: the tests of other crates include this file.

use std::io::{self, BufRead, BufReader};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The screen that the project's figures and images are for.
const SCREEN: &str = "854x480x24";

/// A running server without a screen.
pub struct Xvfb {
    child: Child,
    display: String,
}

impl Xvfb {
    /// Starts a server with one screen of 854x480, 24 bits deep, and more arguments.
    ///
    /// # Errors
    /// It is not installed (`NotFound`), or ended without saying which display it serves.
    pub fn start(arguments: &[&str]) -> io::Result<Self> {
        let (ours, theirs) = pipe()?;
        let mut command = Command::new("Xvfb");
        command
            .args(["-displayfd", "3", "-screen", "0", SCREEN, "-nolisten"])
            // A server that loses its last client would otherwise start over, and turn the next one away meanwhile.
            .args(["tcp", "-noreset"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let fd = theirs.as_raw_fd();
        // SAFETY: fcntl, dup2 and prctl are async-signal-safe.
        unsafe {
            command.pre_exec(move || {
                // Numbered 3 and inherited, which dup2 onto itself would not make it.
                if fd == 3 {
                    libc::fcntl(3, libc::F_SETFD, 0);
                } else if libc::dup2(fd, 3) < 0 {
                    return Err(io::Error::last_os_error());
                }
                // Also ended when the thread that needs it is.
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM);
                Ok(())
            });
        }
        let mut server = Self {
            child: command.spawn()?,
            display: String::new(),
        };
        drop(theirs);
        let mut line = String::new();
        BufReader::new(std::fs::File::from(ours)).read_line(&mut line)?;
        let number: u32 = line
            .trim()
            .parse()
            .map_err(|_| io::Error::other("Xvfb ended before it served a display"))?;
        server.display = format!(":{number}");
        Ok(server)
    }

    /// The value for DISPLAY.
    pub fn display(&self) -> &str {
        &self.display
    }
}

impl Drop for Xvfb {
    fn drop(&mut self) {
        // Told, not killed: it then removes its lock and its socket.
        // SAFETY: the child has not been waited for, so the number is its own.
        unsafe { libc::kill(self.child.id() as libc::pid_t, libc::SIGTERM) };
        for _ in 0..200 {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: two fds are written; both are owned from here on.
    unsafe {
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])))
    }
}
