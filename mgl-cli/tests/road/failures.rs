//! What goes wrong on the road has a message that says what, and the right exit code.

use std::path::Path;
use std::process::Command;

use mgl_core::trace::{ChunkKind, TraceFile};
use mgl_verify::image::Image;

use crate::road::{Place, Report, Run, arg, finish, mgl, mgl_with_driver};

fn replay(path: &Path) -> Run {
    finish(mgl().arg("replay").arg(path))
}

/// Nothing on standard output, and a message with the file's name and some words.
#[track_caller]
fn refused(call: &Run, code: i32, words: &[&str]) {
    call.expect_code(code);
    assert!(call.stdout.is_empty(), "{}", call.stdout);
    for word in words {
        assert!(call.stderr.contains(word), "{word}: {}", call.stderr);
    }
}

#[test]
fn files_that_cannot_be_replayed_are_told_apart() {
    let place = Place::new();
    let program = place.compile("frames", &[]);
    place.record("good.mgltrace", &[arg(&program), "plain", "3"]);
    let good = place.path("good.mgltrace");
    replay(&good).expect_code(0);

    let file = TraceFile::open(&good).expect("a readable trace");
    let whole = std::fs::read(&good).expect("read");
    for kind in [ChunkKind::Records, ChunkKind::Blobs, ChunkKind::Image] {
        let of_kind = |c: &&mgl_core::trace::index::ChunkInfo| c.header.kind == kind;
        let chunk = file.chunks().iter().find(of_kind).expect("a chunk");
        let mut damaged = whole.clone();
        // In the middle of what the chunk holds, behind its header.
        damaged[(chunk.offset + chunk.end()) as usize / 2] ^= 0x10;
        let path = place.path("damaged.mgltrace");
        std::fs::write(&path, damaged).expect("write");
        let offset = format!("chunk at offset {}", chunk.offset);
        refused(&replay(&path), 2, &["damaged.mgltrace", &offset]);
    }

    let empty = place.path("empty.mgltrace");
    std::fs::write(&empty, "").expect("write");
    refused(&replay(&empty), 2, &["empty.mgltrace", "the file is empty"]);

    let picture = place.path("picture.mgltrace");
    let image = Image::from_fn(8, 8, |x, y| [x as u8, y as u8, 0, 255]);
    image.save(&picture).expect("write");
    refused(
        &replay(&picture),
        2,
        &["picture.mgltrace", "not an mgl trace", "PNG"],
    );

    let missing = place.path("missing.mgltrace");
    refused(&replay(&missing), 2, &["missing.mgltrace", "No such file"]);

    // No driver to replay on.
    let nowhere = place.path("nowhere/libEGL.so.1");
    let call = finish(
        mgl()
            .env("MGL_REAL_LIBEGL", &nowhere)
            .arg("replay")
            .arg(&good),
    );
    refused(&call, 3, &["libEGL", "mgl doctor"]);
}

#[test]
fn programs_that_cannot_be_run_are_told_apart() {
    let place = Place::new();
    let program = place.compile("frames", &[]);
    for command in ["run", "record"] {
        let start = |program: &str| {
            let mut mgl = mgl_with_driver();
            place.on_display(&mut mgl).args([command, "--", program]);
            mgl
        };
        let nobody = place.path("no-such-program");
        refused(
            &finish(&mut start(arg(&nobody))),
            2,
            &["no-such-program", "No such file"],
        );

        // No driver below us: known before the program starts.
        let nowhere = place.path("nowhere/libEGL.so.1");
        let call = finish(start(arg(&program)).env("MGL_REAL_LIBEGL", &nowhere));
        refused(&call, 3, &["libEGL", "mgl doctor"]);

        // No display: the program cannot go on without one, and says so in its own words.
        let call = finish(start(arg(&program)).env_remove("DISPLAY"));
        call.expect_code(1);
        assert!(call.stderr.contains("XOpenDisplay"), "{}", call.stderr);
    }
    // A replay needs no display.
    place.record("good.mgltrace", &[arg(&program), "plain", "2"]);
    let good = place.path("good.mgltrace");
    finish(mgl().env_remove("DISPLAY").arg("replay").arg(&good)).expect_code(0);
}

/// Records onto a file system of three megabytes, in a name space of its own: nothing of it outlasts the command.
#[test]
fn a_full_disk_ends_the_recording_and_not_the_program() {
    let place = Place::new();
    let program = place.compile("frames", &[]);
    std::fs::create_dir(place.path("small")).expect("a new folder");
    let script = r#"
        mount -t tmpfs -o size=3m mgl-test small || exit 90
        "$MGL" record -o small/noise.mgltrace -- "$PROGRAM" noise 12
        status=$?
        cp small/noise.mgltrace noise.mgltrace || exit 91
        exit $status"#;
    let mut command = Command::new("unshare");
    // Root in a user name space where we are not root.
    // SAFETY: geteuid cannot fail and touches no memory.
    if unsafe { libc::geteuid() } != 0 {
        command.arg("--map-root-user");
    }
    place
        .on_display(&mut command)
        .args(["--mount", "sh", "-c", script])
        .env("MGL", env!("CARGO_BIN_EXE_mgl"))
        .env("PROGRAM", &program)
        .env("MGL_REPORT", place.path("report.json"));
    let call = finish(&mut command);
    // The program went on to its end, and its status is mgl's.
    call.expect_code(0);
    assert!(call.stdout.contains("frame 11\nok\n"), "{}", call.stdout);
    let told: Vec<&str> = call
        .stderr
        .lines()
        .filter(|l| l.contains("recording ended"))
        .collect();
    assert_eq!(told.len(), 1, "{}", call.stderr);
    for word in [
        "noise.mgltrace",
        "No space left on device",
        "the file so far is readable",
    ] {
        assert!(told[0].contains(word), "{word}: {}", told[0]);
    }
    let report = Report::read(&place.path("report.json"));
    assert_eq!(report.counter("presents"), 12);
    assert!(report.0["recording"]["failed"].is_string(), "{}", report.0);

    // What fitted replays.
    let path = place.path("noise.mgltrace");
    let file = TraceFile::open(&path).expect("a readable trace");
    let frames = file.frames().end;
    assert!((1..12).contains(&frames), "{frames} frames");
    replay(&path).expect_code(0);
}
