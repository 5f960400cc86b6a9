//! `mgl run` and `mgl record` as starters of programs: environment, statuses, signals, messages.

use crate::common::{Run, arg, finish, mgl_with_driver};

fn start(command: &str, options: &[&str], script: &str) -> Run {
    let dir = tempfile::tempdir().expect("temporary folder");
    let mut mgl = mgl_with_driver();
    mgl.current_dir(dir.path()).arg(command).args(options);
    finish(mgl.args(["--", "sh", "-c", script]))
}

#[test]
fn the_program_keeps_its_streams_and_its_status() {
    for command in ["run", "record"] {
        let call = start(command, &[], "echo out; echo err >&2; exit 7");
        call.expect_code(7);
        assert_eq!(call.stdout, "out\n", "{command}");
        assert!(
            call.stderr.starts_with("err\n"),
            "{command}: {}",
            call.stderr
        );
    }
}

#[test]
fn the_program_is_led_to_the_driver() {
    let script =
        r#"test -e "${LD_LIBRARY_PATH%%:*}/libGL.so.1" && echo "$MGL_BACKEND $MGL_RECORD""#;
    let call = start("run", &["--backend", "null"], script);
    call.expect_code(0);
    assert_eq!(call.stdout, "null \n");
}

#[test]
fn a_recording_is_told_where_and_what() {
    let script = r#"echo "$MGL_RECORD $MGL_IMAGES $MGL_MAX_FRAMES $MGL_PROVENANCE""#;
    let options = [
        "-o",
        "a.mgltrace",
        "--images",
        "every=5",
        "--max-frames",
        "9",
    ];
    let call = start("record", &options, script);
    call.expect_code(0);
    assert!(call.stdout.starts_with('/'), "absolute: {}", call.stdout);
    assert!(
        call.stdout.ends_with("/a.mgltrace 5 9 \n"),
        "{}",
        call.stdout
    );
    let call = start("record", &["--provenance", "full"], script);
    assert!(
        call.stdout.ends_with("/sh.mgltrace   full\n"),
        "{}",
        call.stdout
    );
}

#[test]
fn death_by_signal_is_128_and_its_number() {
    start("record", &[], "kill -9 $$").expect_code(137);
}

#[test]
fn signals_reach_the_recorded_program() {
    // The program waits for a signal that only mgl, its parent, is sent.
    let script = "trap 'exit 44' USR1; kill -USR1 $PPID; while :; do sleep 0.05; done";
    start("record", &[], script).expect_code(44);
}

#[test]
fn a_program_that_draws_nothing_leaves_no_file_and_a_message() {
    let call = start("record", &[], "true");
    call.expect_code(0);
    assert!(
        call.stderr.contains("nothing was recorded"),
        "{}",
        call.stderr
    );
    let call = start("record", &["--json"], "echo words");
    call.expect_code(0);
    assert!(call.json()["trace"].is_null());
    assert_eq!(call.json()["status"], 0);
    assert!(
        call.stderr.contains("words"),
        "the program's output goes to stderr"
    );
}

#[test]
fn a_missing_program_is_wrong_usage() {
    for command in ["run", "record"] {
        let call = finish(mgl_with_driver().args([command, "--", "/no/such/program"]));
        call.expect_code(2);
        assert!(call.stderr.contains("/no/such/program"), "{}", call.stderr);
    }
}

#[test]
fn a_missing_driver_is_the_environments_fault() {
    let dir = tempfile::tempdir().expect("temporary folder");
    let call = finish(
        mgl_with_driver()
            .env("MGL_LIB_DIR", dir.path())
            .args(["run", "--", "true"]),
    );
    call.expect_code(3);
    assert!(call.stderr.contains(arg(dir.path())), "{}", call.stderr);
    assert!(call.stderr.contains("mgl doctor"), "{}", call.stderr);
}

/// Time comes from the clock, sleeping takes none, and two runs see the same.
#[test]
fn the_clock_is_the_same_in_every_run() {
    let script = "date -u +%F.%T.%N; exec sleep 100000";
    let first = start("run", &["--clock", "2500"], script);
    first.expect_code(0);
    assert_eq!(first.stdout, "2024-01-01.00:00:00.002500000\n");
    assert_eq!(
        start("record", &["--clock", "2500"], script).stdout,
        first.stdout
    );
}

/// Known before the program starts; drawing nothing needs no driver below.
#[test]
fn a_missing_libegl_is_the_environments_fault() {
    let nowhere = "/nonexistent/libEGL.so.1";
    for command in ["run", "record"] {
        let mut mgl = mgl_with_driver();
        mgl.env("MGL_REAL_LIBEGL", nowhere);
        let call = finish(mgl.args([command, "--", "echo", "started"]));
        call.expect_code(3);
        assert!(
            call.stdout.is_empty() && call.stderr.contains(nowhere),
            "{}",
            call.stderr
        );
    }
    let mut mgl = mgl_with_driver();
    mgl.env("MGL_REAL_LIBEGL", nowhere);
    finish(mgl.args(["run", "--backend", "null", "--", "true"])).expect_code(0);
}

#[test]
fn bad_options_are_refused() {
    start("record", &["--images", "3"], "true").expect_code(2);
    start("record", &["--images", "every=0"], "true").expect_code(2);
    start("record", &["--max-frames", "0"], "true").expect_code(2);
    start("run", &["--backend", "metal"], "true").expect_code(2);
    start("run", &["--clock", "0"], "true").expect_code(2);
    start("run", &["--json"], "true").expect_code(2);
}
