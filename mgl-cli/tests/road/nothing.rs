//! Recordings that do not come about: what happened is said, and what to do.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use mgl_core::trace::TraceFile;

use crate::road::{Place, Run, arg, finish, mgl_with_driver};

fn record(place: &Place, options: &[&str], program: &[&str]) -> Run {
    let mut command = mgl_with_driver();
    place.on_display(&mut command);
    finish(command.arg("record").args(options).arg("--").args(program))
}

#[track_caller]
fn says(call: &Run, words: &[&str]) {
    for word in words {
        assert!(call.stderr.contains(word), "{word}: {}", call.stderr);
    }
}

#[test]
fn an_output_that_cannot_be_written_is_known_before_the_program_starts() {
    let place = Place::new();
    std::fs::write(place.path("file"), "").expect("written");
    let fifo = Command::new("mkfifo").arg(place.path("pipe")).status();
    assert!(fifo.expect("mkfifo is installed").success());
    for (output, why) in [
        ("nowhere/a.mgltrace", "No such file or directory"),
        ("file/a.mgltrace", "Not a directory"),
        (".", "folder"),
        ("pipe", "FIFO"),
        ("/proc/a.mgltrace", "/proc/a.mgltrace"),
    ] {
        let call = record(&place, &["-o", output], &["echo", "started"]);
        call.expect_code(2);
        assert_eq!(call.stdout, "", "{output}");
        says(&call, &[output, why, "-o FILE"]);
    }
}

/// A file that was there a moment ago, even touched in the same instant, is replaced by the recording.
#[test]
fn a_file_touched_a_moment_ago_is_replaced() {
    let place = Place::new();
    let program = place.compile("frames", &[]);
    for content in ["", "old"] {
        std::fs::write(place.path("a.mgltrace"), content).expect("written");
        let call = record(
            &place,
            &["-o", "a.mgltrace"],
            &[arg(&program), "plain", "3"],
        );
        call.expect_code(0);
        says(&call, &["recorded a.mgltrace: 3 frames"]);
        let file = TraceFile::open(&place.path("a.mgltrace")).expect("a trace");
        assert_eq!(file.frames(), 0..3);
    }
    // Two processes of one command: each has a file of its own, and both are told.
    let script = r#""$0" plain 2 && "$0" plain 4"#;
    let call = record(
        &place,
        &["-o", "a.mgltrace"],
        &["sh", "-c", script, arg(&program)],
    );
    call.expect_code(0);
    says(
        &call,
        &[
            "recorded a.mgltrace: 2 frames",
            "another process recorded",
            "a-",
        ],
    );
}

#[test]
fn a_library_path_that_is_reset_is_said() {
    let place = Place::new();
    let program = place.compile_for_system("road/programs/frames.c", "frames");
    // Long enough to be seen.
    let script = r#"unset LD_LIBRARY_PATH; "$0" plain 2; exec "$0" noise 200"#;
    let script = ["sh", "-c", script, arg(&program)];
    let call = record(&place, &["-o", "a.mgltrace"], &script);
    says(
        &call,
        &[
            "nothing was recorded",
            "frames took",
            "LD_LIBRARY_PATH",
            "--preload always",
        ],
    );
    assert!(!place.path("a.mgltrace").exists());
    // And what is said to do does it.
    let call = record(
        &place,
        &["-o", "a.mgltrace", "--preload", "always"],
        &script,
    );
    says(&call, &["recorded a.mgltrace: 2 frames"]);
}

/// The reason where the program says nothing itself.
#[test]
fn programs_that_make_no_context_are_told_apart() {
    let place = Place::new();
    let call = record(&place, &["-o", "a.mgltrace"], &["true"]);
    call.expect_code(0);
    says(
        &call,
        &[
            "no process of the program loaded OpenGL",
            "--preload always",
        ],
    );

    // Linked to OpenGL, and without a display.
    let program = place.compile("frames", &[]);
    let mut command = mgl_with_driver();
    place.on_display(&mut command).env_remove("DISPLAY");
    let call = finish(command.args(["record", "--", arg(&program)]));
    call.expect_code(1);
    says(&call, &["frames loaded OpenGL and made no context"]);

    let copy = |name: &str, mode: u32| {
        let path = place.path(name);
        std::fs::copy("/bin/true", &path).expect("copied");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("set");
        path
    };
    // SAFETY: touches no memory.
    if unsafe { libc::geteuid() } == 0 {
        let path = copy("set-user", 0o755);
        std::os::unix::fs::chown(&path, Some(65534), Some(65534)).expect("root gives away");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o4755)).expect("set");
        let call = record(&place, &[], &[arg(&path)]);
        call.expect_code(0);
        says(&call, &["set-user runs with rights of its own", "cp"]);
    }

    let source = place.path("static.c");
    std::fs::write(&source, "int main(void) { return 5; }\n").expect("written");
    let built = place.path("static-program");
    let cc = Command::new("cc")
        .args(["-static", "-o", arg(&built), arg(&source)])
        .status();
    if cc.expect("cc is installed").success() {
        let call = record(&place, &[], &[arg(&built)]);
        call.expect_code(5);
        says(&call, &["static-program is linked statically"]);
    }
    // A device that keeps nothing: the program's status all the same.
    let call = record(&place, &["-o", "/dev/null"], &[arg(&program), "plain", "2"]);
    call.expect_code(0);
    assert!(!Path::new("/dev/null").is_file());
    says(&call, &["/dev/null"]);
}
