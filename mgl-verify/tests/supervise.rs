//! Signals and exit statuses of a watched program. A program of one thread (no test harness), as
//! signals to a process go to any of its threads.

use mgl_verify::launcher::{LaunchError, supervise};
use std::process::Command;

fn sh(script: &str) -> i32 {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    supervise(command).expect("sh can be started")
}

/// Answers a test runner that asks for the list of tests: there is one, and it is not ignored.
fn listed() -> bool {
    let asked = |option: &str| std::env::args().any(|arg| arg == option);
    if asked("--list") && !asked("--ignored") {
        println!("supervise: test");
    }
    asked("--list")
}

fn main() {
    if listed() {
        return;
    }
    assert_eq!(sh("exit 0"), 0);
    assert_eq!(sh("exit 7"), 7);
    assert_eq!(sh("kill -9 $$"), 128 + 9);
    assert_eq!(sh("kill -SEGV $$"), 128 + 11);
    // The child signals its parent, which passes it on; the trap proves the arrival.
    let script = |signal: &str| {
        format!("trap 'exit 42' {signal}; kill -{signal} $PPID; while :; do sleep 0.05; done")
    };
    for signal in ["TERM", "HUP", "USR1", "INT", "QUIT"] {
        assert_eq!(sh(&script(signal)), 42, "{signal}");
    }
    // Without a trap the program dies of it and we do not.
    assert_eq!(
        sh("kill -TERM $PPID; while :; do sleep 0.05; done"),
        128 + 15
    );
    // The program starts with nothing blocked.
    assert_eq!(
        sh("grep -q 'SigBlk:.0000000000000000' /proc/self/status"),
        0
    );
    let missing = supervise(Command::new("/nowhere/no-such-program"));
    assert!(matches!(missing, Err(LaunchError::Program { .. })));
    println!("supervise: ok");
}
