//! A shell with job control on a terminal of its own, typed at and read from.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(60);

/// Gives a command the usual dispositions, whatever the tests were started with: a shell's background jobs ignore some
/// signals, and what is ignored is inherited.
pub fn usual_signals(command: &mut Command) -> &mut Command {
    // SAFETY: async-signal-safe, and SIG_DFL calls nothing.
    unsafe {
        command.pre_exec(|| {
            for signal in 1..=31 {
                libc::signal(signal, libc::SIG_DFL);
            }
            Ok(())
        })
    }
}

/// An interactive shell.
pub struct Terminal {
    shell: Child,
    master: Option<File>,
    seen: Arc<Mutex<String>>,
    /// Bytes of what was seen that were waited for already.
    read: usize,
}

impl Terminal {
    /// Starts one that finds `variables` in its environment.
    pub fn new(folder: &std::path::Path, variables: &[(&str, &str)]) -> Self {
        let (mut master, mut slave) = (-1, -1);
        let null = std::ptr::null_mut();
        // SAFETY: two descriptors are written; nothing else is asked for.
        let opened = unsafe {
            let (name, how, size) = (null, std::ptr::null_mut(), std::ptr::null_mut());
            libc::openpty(&mut master, &mut slave, name, how, size)
        };
        assert_eq!(opened, 0, "a terminal");
        // SAFETY: both were just opened, and are owned from here on.
        let (master, slave) = unsafe { (File::from_raw_fd(master), File::from_raw_fd(slave)) };
        // SAFETY: touches no memory; the shell must not hold the other end.
        unsafe { libc::fcntl(master.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC) };
        let stream = || Stdio::from(slave.try_clone().expect("a copy"));
        let mut command = Command::new("bash");
        command
            .args(["--norc", "--noediting", "-i"])
            .current_dir(folder)
            .envs(variables.iter().copied())
            .env("PS1", "PROMPT ")
            .env_remove("PROMPT_COMMAND")
            .stdin(stream())
            .stdout(stream())
            .stderr(stream());
        // SAFETY: both calls are async-signal-safe: a session of its own, with the terminal.
        unsafe {
            command.pre_exec(|| {
                libc::setsid();
                libc::ioctl(0, libc::TIOCSCTTY, 0);
                Ok(())
            });
        }
        let shell = usual_signals(&mut command)
            .spawn()
            .expect("bash is installed");
        let seen = Arc::new(Mutex::new(String::new()));
        let (mut from, to) = (master.try_clone().expect("a copy"), Arc::clone(&seen));
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(n @ 1..) = from.read(&mut piece) {
                let text = String::from_utf8_lossy(&piece[..n]);
                to.lock().expect("no panic").push_str(&text);
            }
        });
        let mut terminal = Self {
            shell,
            master: Some(master),
            seen,
            read: 0,
        };
        terminal.expect("PROMPT ");
        terminal
    }

    /// Types; a control character does what it does on a terminal.
    pub fn type_in(&mut self, text: &str) {
        let master = self.master.as_mut().expect("not hung up");
        master.write_all(text.as_bytes()).expect("typed");
    }

    /// Waits for text; gives what came before it.
    #[track_caller]
    pub fn expect(&mut self, text: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let seen = self.seen.lock().expect("no panic").clone();
            if let Some(at) = seen[self.read..].find(text) {
                let before = seen[self.read..self.read + at].to_owned();
                self.read += at + text.len();
                return before;
            }
            assert!(Instant::now() < deadline, "no {text:?} in\n{seen}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The status of the last command.
    #[track_caller]
    pub fn status(&mut self) -> i32 {
        self.type_in("echo \"status=$?.\"\n");
        self.expect("status=$?.");
        self.expect("status=");
        let status = self.expect(".");
        status.parse().expect("a number")
    }

    /// Closes the terminal, as a window is closed.
    #[allow(dead_code)]
    pub fn hang_up(&mut self) {
        // The reading thread has a copy: the terminal is closed for both.
        self.master = None;
        // SAFETY: touches no memory; the shell is our child, not waited for yet. A terminal that goes away sends the
        // shell this, which sends it to its jobs.
        unsafe { libc::kill(self.shell.id() as libc::pid_t, libc::SIGHUP) };
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}

/// Waits until a process is gone, or a zombie.
#[track_caller]
pub fn gone(pid: &str) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let state = stat.rsplit_once(") ").map(|(_, rest)| rest.chars().next());
        if matches!(state, None | Some(Some('Z' | 'X'))) {
            return;
        }
        assert!(Instant::now() < deadline, "process {pid} lives on");
        std::thread::sleep(Duration::from_millis(10));
    }
}
