//! Programs that are killed while they are recorded.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use mgl_core::trace::TraceFile;

use crate::road::{Place, arg, finish, live, mgl, mgl_with_driver};

/// SIGKILL leaves no time for an index: the complete frames replay all the same, and it is said that the file was
/// recovered.
#[test]
fn the_frames_of_a_killed_program_replay() {
    const SHOWN: u64 = 40;
    let place = Place::new();
    let program = place.compile("frames", &[]);
    let mut command = mgl_with_driver();
    place.on_display(&mut command);
    command
        .args([
            "record",
            "-o",
            "killed.mgltrace",
            "--images",
            "every=1",
            "--",
        ])
        .args([arg(&program), "plain", "1000000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut mgl_record = command.spawn().expect("mgl starts");
    let mut pid = None;
    let out = mgl_record.stdout.take().expect("its standard output");
    for line in BufReader::new(out).lines() {
        let line = line.expect("text");
        match line.split_once(' ') {
            Some(("pid", n)) => pid = Some(n.to_owned()),
            Some(("frame", n)) if n.parse() == Ok(SHOWN) => {
                let pid = pid.as_ref().expect("the first line");
                let kill = Command::new("kill").args(["-KILL", pid]).status();
                assert!(kill.expect("kill is installed").success());
            }
            _ => {}
        }
    }
    let status = mgl_record.wait().expect("mgl ends");
    assert_eq!(status.code(), Some(128 + 9));

    let path = place.path("killed.mgltrace");
    let file = TraceFile::open(&path).expect("a readable trace");
    let recovered = file.recovered().expect("there is no index").frames;
    // What had not been written yet is lost, and that is little.
    assert!(recovered >= SHOWN / 2, "{recovered} frames");
    assert_ne!(live(&file, 0), live(&file, 1), "the frames differ");

    let info = finish(mgl().arg("info").arg(&path));
    info.expect_code(0);
    let text = format!("recovered, {recovered} frames");
    assert!(info.stdout.contains(&text), "{}", info.stdout);

    let replay = finish(mgl().arg("replay").arg(&path).arg("--json"));
    let report = replay.expect_code(0).json();
    assert_eq!(report["pass"], true);
    let complete = report["frames"].as_array().expect("frames").iter();
    let complete = complete.filter(|f| f["partial"] == false).count() as u64;
    assert_eq!(complete, recovered);
    // The frame that was being written may have left its image or not.
    let compared = report["images_compared"].as_u64().expect("a number");
    assert!(compared >= recovered, "{compared} of {recovered}");
}
