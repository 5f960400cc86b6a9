//! Signals to programs that draw while they are recorded: they end as they do without mgl, and what was drawn replays.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use mgl_core::trace::TraceFile;

use crate::pty::{Terminal, gone, usual_signals};
use crate::road::{Place, arg, finish, mgl, mgl_with_driver};

/// Reads the program's lines up to that of a frame; gives its process id.
fn shown(out: impl std::io::Read, frame: u64) -> String {
    let mut pid = None;
    for line in BufReader::new(out).lines() {
        let line = line.expect("text");
        match line.split_once(' ') {
            Some(("pid", n)) => pid = Some(n.to_owned()),
            Some(("frame", n)) if n.parse() == Ok(frame) => break,
            _ => {}
        }
    }
    pid.expect("the first line")
}

#[track_caller]
fn replays(place: &Place, trace: &str) {
    let path = place.path(trace);
    let file = TraceFile::open(&path).expect("a readable trace");
    assert!(file.frames().end > 10, "{:?}", file.frames());
    finish(mgl().arg("replay").arg(&path)).expect_code(0);
}

#[test]
fn signals_end_a_recorded_program() {
    const SHOWN: u64 = 40;
    let place = Place::new();
    let program = place.compile("frames", &[]);
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let trace = format!("{signal}.mgltrace");
        let mut command = mgl_with_driver();
        place
            .on_display(&mut command)
            .args(["record", "-o", &trace, "--images", "every=1", "--"])
            .args([arg(&program), "plain", "1000000"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut mgl_record = usual_signals(&mut command).spawn().expect("mgl starts");
        let mut out = mgl_record.stdout.take().expect("its standard output");
        let pid = shown(&mut out, SHOWN);
        // Frames go on being printed, and read.
        let rest = std::thread::spawn(move || std::io::copy(&mut out, &mut std::io::sink()));
        let id = mgl_record.id().to_string();
        let kill = Command::new("kill")
            .args([&format!("-{signal}"), &id])
            .status();
        assert!(kill.expect("kill is installed").success());
        let ended = mgl_record.wait_with_output().expect("mgl ends");
        assert_eq!(ended.status.code(), Some(128 + number), "{signal}");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(said.contains("recovered, "), "{said}");
        gone(&pid);
        rest.join().expect("read").expect("readable");
        replays(&place, &trace);
    }
}

#[test]
fn the_key_ends_a_recorded_program() {
    let place = Place::new();
    let program = place.compile("frames", &[]);
    mgl_with_driver();
    let start = format!("{} record -o key.mgltrace --", env!("CARGO_BIN_EXE_mgl"));
    let mut plain = Command::new("true");
    place.on_display(&mut plain);
    let display = plain.get_envs().find(|(name, _)| *name == "DISPLAY");
    let display = display.and_then(|(_, value)| value?.to_str());
    let folder = plain.get_current_dir().expect("set");
    let variables = [
        ("P", &*start),
        ("DISPLAY", display.expect("text")),
        ("PROGRAM", arg(&program)),
    ];
    let mut t = Terminal::new(folder, &variables);
    t.type_in("$P $PROGRAM plain 1000000\n");
    t.expect("pid ");
    let pid = t.expect("\r\n");
    t.expect("frame 40\r\n");
    // What was drawn first has been written by then.
    std::thread::sleep(std::time::Duration::from_secs(1));
    t.type_in("\x03");
    t.expect("recovered, ");
    t.expect("PROMPT ");
    assert_eq!(t.status(), 130);
    gone(&pid);
    replays(&place, "key.mgltrace");
}
