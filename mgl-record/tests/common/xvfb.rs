//! A display of our own: an Xvfb on a free number, ended with the value.

use std::io::{BufRead, BufReader};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// A running server.
pub struct Xvfb {
    child: Child,
    display: String,
}

impl Xvfb {
    /// Starts a server with the screen that the project's figures are for.
    pub fn start() -> Self {
        Self::with(&[])
    }

    /// Starts a server with more arguments.
    pub fn with(arguments: &[&str]) -> Self {
        let (ours, theirs) = pipe();
        let mut command = Command::new("Xvfb");
        command
            .args([
                "-displayfd",
                "3",
                "-screen",
                "0",
                "854x480x24",
                "-nolisten",
                "tcp",
                // A server that loses its last client would otherwise start over, and turn the
                // next one away meanwhile.
                "-noreset",
            ])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let fd = theirs.as_raw_fd();
        // SAFETY: dup2 and prctl are async-signal-safe.
        unsafe {
            command.pre_exec(move || {
                // Numbered 3 and inherited, which dup2 onto itself would not make it.
                if fd == 3 {
                    libc::fcntl(3, libc::F_SETFD, 0);
                } else if libc::dup2(fd, 3) < 0 {
                    return Err(std::io::Error::last_os_error());
                }
                // Also ended when the test is killed.
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM);
                Ok(())
            });
        }
        let child = command.spawn().expect("Xvfb is installed");
        drop(theirs);
        let mut line = String::new();
        BufReader::new(std::fs::File::from(ours))
            .read_line(&mut line)
            .expect("Xvfb reports its display");
        let number: u32 = line.trim().parse().expect("Xvfb reports a number");
        Self {
            child,
            display: format!(":{number}"),
        }
    }

    /// The value for DISPLAY.
    pub fn display(&self) -> &str {
        &self.display
    }
}

impl Drop for Xvfb {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn pipe() -> (OwnedFd, OwnedFd) {
    let mut ends = [0; 2];
    // SAFETY: two fds are written; both are owned from here on.
    unsafe {
        assert_eq!(libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC), 0);
        (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1]))
    }
}
