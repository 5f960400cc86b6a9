//! Programs that are run to their end, or to a time limit, with everything that they start.
//!
//! A program gets a process group of its own, and the whole group ends with it: what a killed or finished program
//! started does not live on.

use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How often a running child is looked at.
const POLL: Duration = Duration::from_millis(10);

/// How long a program that was told to end may take.
const GRACE: Duration = Duration::from_secs(2);

/// How a child ended, and what it printed.
#[derive(Debug)]
pub struct Ended {
    /// The status; nothing when the child was killed at the time limit.
    pub status: Option<ExitStatus>,
    /// It was ended because there was no more to wait for.
    pub stopped: bool,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// Runs `command` without input and collects what it prints; kills its group when `limit` has passed.
///
/// # Errors
/// The program cannot be started, or its pipes cannot be read.
pub fn run_limited(command: &mut Command, limit: Duration) -> io::Result<Ended> {
    run(command, limit, usize::MAX, || false)
}

/// As [`run_limited`], but keeps only the last `tail` bytes of either stream, and tells the program to end (SIGTERM) as
/// soon as `enough` says so.
///
/// # Errors
/// As [`run_limited`].
pub fn run_until(
    command: &mut Command,
    limit: Duration,
    tail: usize,
    enough: impl FnMut() -> bool,
) -> io::Result<Ended> {
    run(command, limit, tail, enough)
}

fn run(
    command: &mut Command,
    limit: Duration,
    tail: usize,
    mut enough: impl FnMut() -> bool,
) -> io::Result<Ended> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    end_with_this_thread(command);
    let mut child = command.spawn()?;
    let stdout = collect(child.stdout.take(), tail);
    let stderr = collect(child.stderr.take(), tail);
    let start = Instant::now();
    let mut told: Option<Instant> = None;
    let in_time = loop {
        if has_ended(&child)? {
            break true;
        }
        match told {
            Some(at) if at.elapsed() >= GRACE => break true,
            Some(_) => {}
            None if start.elapsed() >= limit => break false,
            None if enough() => {
                signal_group(&child, libc::SIGTERM);
                told = Some(Instant::now());
            }
            None => {}
        }
        thread::sleep(POLL);
    };
    // The child has not been waited for yet, so the number of its group is still its own.
    signal_group(&child, libc::SIGKILL);
    let status = child.wait()?;
    // A process that left the group may hold the pipes open: what it would print is not waited for.
    let finish = |reader: Reader| {
        let deadline = Instant::now() + GRACE;
        while !reader.is_finished() && Instant::now() < deadline {
            thread::sleep(POLL);
        }
        match reader.is_finished() {
            false => Ok(Vec::new()),
            true => reader
                .join()
                .unwrap_or_else(|_| Err(io::Error::other("reader ended early"))),
        }
    };
    Ok(Ended {
        status: in_time.then_some(status),
        stopped: told.is_some(),
        stdout: finish(stdout)?,
        stderr: finish(stderr)?,
    })
}

/// Has the child killed when the thread that started it ends: nothing outlives a killed mgl.
pub fn end_with_this_thread(command: &mut Command) {
    // SAFETY: prctl is async-signal-safe and touches no memory of ours.
    unsafe {
        command.pre_exec(|| {
            if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
                return Err(io::Error::last_os_error());
            }
            Ok(())
        });
    }
}

/// Whether the child has ended; it is left to be waited for.
pub(crate) fn has_ended(child: &Child) -> io::Result<bool> {
    // SAFETY: the information is initialised, and written by the call.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let how = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        if libc::waitid(libc::P_PID, child.id(), &mut info, how) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(info.si_pid() != 0)
    }
}

fn signal_group(child: &Child, signal: libc::c_int) {
    // SAFETY: kill touches no memory. The group is the child's own, which has not been waited for. Nobody being left in
    // it is no fault.
    unsafe { libc::kill(-(child.id() as libc::pid_t), signal) };
}

type Reader = thread::JoinHandle<io::Result<Vec<u8>>>;

/// Reads to the end, and keeps the last `tail` bytes.
fn collect(pipe: Option<impl Read + Send + 'static>, tail: usize) -> Reader {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let Some(mut pipe) = pipe else {
            return Ok(bytes);
        };
        let mut piece = [0; 1 << 14];
        loop {
            let n = match pipe.read(&mut piece) {
                Ok(0) => break,
                Ok(n) => n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            };
            bytes.extend_from_slice(&piece[..n]);
            if bytes.len() > tail.saturating_mul(2) {
                bytes.drain(..bytes.len() - tail);
            }
        }
        if bytes.len() > tail {
            bytes.drain(..bytes.len() - tail);
        }
        Ok(bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    const MINUTE: Duration = Duration::from_secs(60);

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn output_and_status_come_back() {
        let ended = run_limited(
            &mut shell("head -c 300000 /dev/zero; echo oops >&2; exit 5"),
            MINUTE,
        )
        .expect("sh starts");
        assert_eq!(ended.status.and_then(|s| s.code()), Some(5));
        assert!(!ended.stopped);
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
        assert!(start.elapsed() < MINUTE);
    }

    /// Whether a process is there and no zombie.
    fn lives(pid: &str) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit_once(") ")
            .is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
    }

    #[track_caller]
    fn gone(pid: &str) {
        assert!(pid.parse::<u32>().is_ok(), "{pid}");
        let deadline = Instant::now() + MINUTE;
        while lives(pid) {
            assert!(Instant::now() < deadline, "process {pid} lives on");
            thread::sleep(POLL);
        }
    }

    #[test]
    fn what_a_program_started_ends_with_it() {
        for (script, limit) in [
            ("sleep 600 & echo $!; wait", Duration::from_millis(300)),
            ("sleep 600 & echo $!", MINUTE),
        ] {
            let start = Instant::now();
            let ended = run_limited(&mut shell(script), limit).expect("sh starts");
            assert!(start.elapsed() < MINUTE, "{script}");
            gone(String::from_utf8_lossy(&ended.stdout).trim());
        }
    }

    #[test]
    fn a_program_of_which_there_is_enough_is_told_to_end() {
        let start = Instant::now();
        // Not before the shell has set its trap.
        let folder = tempfile::tempdir().expect("temporary folder");
        let ready = folder.path().join("ready");
        let script = |trap: &str| {
            let ready = ready.display();
            shell(&format!(
                "trap '{trap}' TERM; touch {ready}; while :; do sleep 0.01; done"
            ))
        };
        let mut obedient = script("echo told; exit 7");
        let ended = run_until(&mut obedient, MINUTE, 100, || ready.exists());
        let ended = ended.expect("sh starts");
        assert_eq!(ended.status.and_then(|s| s.code()), Some(7));
        assert!(ended.stopped);
        assert_eq!(ended.stdout, b"told\n");

        // One that does not listen is killed a little later.
        std::fs::remove_file(&ready).expect("the file is there");
        let ended = run_until(&mut script(""), MINUTE, 100, || ready.exists());
        let ended = ended.expect("sh starts");
        let signal = ended.status.and_then(|s| s.signal());
        assert_eq!(signal, Some(libc::SIGKILL));
        assert!(start.elapsed() < MINUTE);
    }

    #[test]
    fn only_the_end_of_much_output_is_kept() {
        let script = "head -c 300000 /dev/zero; echo the end";
        let ended = run_until(&mut shell(script), MINUTE, 9, || false).expect("sh starts");
        assert_eq!(ended.stdout, b"\0the end\n");
    }

    #[test]
    fn a_missing_program_is_an_error() {
        let error = run_limited(&mut Command::new("/no/such/program"), POLL);
        assert_eq!(error.expect_err("missing").kind(), io::ErrorKind::NotFound);
    }
}
