//! [`run_limited`]: runs a program to its end, or to a time limit.

use std::io::{self, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How often a running child is looked at.
const POLL: Duration = Duration::from_millis(10);

/// How a child ended, and what it printed.
#[derive(Debug)]
pub struct Ended {
    /// The status; nothing when the child was killed at the time limit.
    pub status: Option<ExitStatus>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// Runs `command` without input and collects what it prints; kills it when `limit` has passed.
///
/// # Errors
/// The program cannot be started, or its pipes cannot be read.
pub fn run_limited(command: &mut Command, limit: Duration) -> io::Result<Ended> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());
    let deadline = Instant::now() + limit;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            break None;
        }
        thread::sleep(POLL);
    };
    // A grandchild may hold the pipes of a killed child open: what it would print is not waited for.
    let finish = |reader: Reader| match status {
        None if !reader.is_finished() => Ok(Vec::new()),
        _ => reader
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("reader ended early"))),
    };
    Ok(Ended {
        status,
        stdout: finish(stdout)?,
        stderr: finish(stderr)?,
    })
}

type Reader = thread::JoinHandle<io::Result<Vec<u8>>>;

fn collect(pipe: Option<impl Read + Send + 'static>) -> Reader {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            pipe.read_to_end(&mut bytes)?;
        }
        Ok(bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn output_and_status_come_back() {
        let ended = run_limited(
            &mut shell("head -c 300000 /dev/zero; echo oops >&2; exit 5"),
            Duration::from_secs(60),
        )
        .expect("sh starts");
        assert_eq!(ended.status.and_then(|s| s.code()), Some(5));
        assert_eq!(
            (ended.stdout.len(), ended.stderr),
            (300_000, b"oops\n".to_vec())
        );
    }

    #[test]
    fn a_program_that_hangs_is_ended() {
        let start = Instant::now();
        let ended = run_limited(&mut shell("exec sleep 600"), Duration::from_millis(50));
        assert_eq!(ended.expect("sh starts").status, None);
        assert!(start.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn a_missing_program_is_an_error() {
        let error = run_limited(&mut Command::new("/no/such/program"), POLL);
        assert_eq!(error.expect_err("missing").kind(), io::ErrorKind::NotFound);
    }
}
