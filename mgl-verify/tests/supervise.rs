//! Signals, statuses and what is inherited of a watched program. A program of one thread (no test harness), as
//! signals to a process go to any of its threads.

use mgl_verify::launcher::{LaunchError, supervise};
use std::process::Command;

fn watch(command: Command) -> Result<i32, LaunchError> {
    supervise(command, &mut |_| None, &[])
}

fn sh(script: &str) -> i32 {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    watch(command).expect("sh can be started")
}

/// Answers a test runner that asks for the list of tests: there is one, and it is not ignored.
fn listed() -> bool {
    let asked = |option: &str| std::env::args().any(|arg| arg == option);
    if asked("--list") && !asked("--ignored") {
        println!("supervise: test");
    }
    asked("--list")
}

/// The lines of /proc/self/status that a program inherits.
const INHERITED: [&str; 2] = ["SigBlk:", "SigIgn:"];

/// A program that is not a shell, which would empty its mask itself: grep finds our own lines in its status.
fn inherits_mask_and_dispositions() {
    let status = std::fs::read_to_string("/proc/self/status").expect("/proc is there");
    for name in INHERITED {
        let line = status.lines().find(|l| l.starts_with(name));
        let mut line = line.expect("a line").to_owned();
        if name == "SigIgn:" {
            // This runtime ignores SIGPIPE; the program finds what we were started with.
            let bits = u64::from_str_radix(line[name.len()..].trim(), 16).expect("a number");
            line = format!("SigIgn:\t{:016x}", bits & !(1 << (libc::SIGPIPE - 1)));
        }
        let mut command = Command::new("grep");
        command.args(["-qx", &line, "/proc/self/status"]);
        assert_eq!(watch(command).expect("grep starts"), 0, "{line}");
    }
}

fn set_blocked(how: libc::c_int, signal: libc::c_int) {
    // SAFETY: the set is initialised before it is read.
    unsafe {
        let mut set = std::mem::zeroed::<libc::sigset_t>();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, signal);
        libc::pthread_sigmask(how, &set, std::ptr::null_mut());
    }
}

/// A signal to the group reaches a program once, one to us alone too.
fn a_signal_arrives_once() {
    let script = |how: &str| {
        format!(
            "n=0; trap 'n=$((n+1))' USR1; {how}; i=0; while [ $i -lt 10 ]; do sleep 0.05; i=$((i+1)); done; exit $n"
        )
    };
    assert_eq!(sh(&script("kill -USR1 $PPID")), 1);
    // The whole group, which is ours alone from here on.
    // SAFETY: touches no memory.
    unsafe { libc::setpgid(0, 0) };
    assert_eq!(sh(&script("kill -USR1 0")), 1);
    assert_eq!(sh(&script("kill -USR1 0; sleep 0.1; kill -USR1 0")), 2);
    assert_eq!(sh(&script("kill -USR1 0; sleep 0.1; kill -USR1 $PPID")), 2);
}

fn main() {
    if listed() {
        return;
    }
    // Whatever this was started with: a shell cannot trap what it was started to ignore.
    for signal in 1..=31 {
        // SAFETY: SIG_DFL calls nothing.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    assert_eq!(sh("exit 0"), 0);
    assert_eq!(sh("exit 7"), 7);
    assert_eq!(sh("kill -9 $$"), 128 + 9);
    assert_eq!(sh("kill -SEGV $$"), 128 + 11);
    // The child signals its parent, which passes it on; the trap proves the arrival.
    let script = |signal: &str| {
        format!("trap 'exit 42' {signal}; kill -{signal} $PPID; while :; do sleep 0.05; done")
    };
    for signal in [
        "TERM", "HUP", "USR1", "INT", "QUIT", "ALRM", "ABRT", "IO", "XCPU", "40",
    ] {
        assert_eq!(sh(&script(signal)), 42, "{signal}");
    }
    // Without a trap the program dies of it and we do not.
    assert_eq!(
        sh("kill -TERM $PPID; while :; do sleep 0.05; done"),
        128 + 15
    );

    inherits_mask_and_dispositions();
    // Not empty, and not full.
    set_blocked(libc::SIG_BLOCK, libc::SIGUSR2);
    // SAFETY: nothing is called by a signal that is ignored.
    unsafe {
        libc::signal(libc::SIGHUP, libc::SIG_IGN);
        libc::signal(libc::SIGCHLD, libc::SIG_IGN);
    }
    inherits_mask_and_dispositions();
    // SAFETY: SIG_DFL calls nothing.
    unsafe {
        libc::signal(libc::SIGHUP, libc::SIG_DFL);
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
    }
    set_blocked(libc::SIG_UNBLOCK, libc::SIGUSR2);

    a_signal_arrives_once();
    let missing = watch(Command::new("/nowhere/no-such-program"));
    assert!(matches!(missing, Err(LaunchError::Program { .. })));
    println!("supervise: ok");
}
