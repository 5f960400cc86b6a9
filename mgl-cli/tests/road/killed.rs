//! Programs that are killed while they are recorded, or end without a word: all that they drew is in the file.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use mgl_core::trace::TraceFile;

use crate::pty::gone;
use crate::road::{Place, arg, finish, live, mgl, mgl_with_driver};

/// A program that tells its process id before it is `frames`.
const TELLS: &str = "ulimit -c 0; echo pid $$; exec \"$0\" \"$@\"";

fn kill(pid: &str) {
    let kill = Command::new("kill").args(["-KILL", pid]).status();
    assert!(kill.expect("kill is installed").success());
}

/// `mgl record` of what follows, on the display, on a back end that takes no time.
fn record(place: &Place, trace: &str) -> Command {
    let mut command = mgl_with_driver();
    place
        .on_display(&mut command)
        .args(["record", "--backend", "null", "-o", trace, "--"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// The file needs no repair and replays; gives its frames.
#[track_caller]
fn whole(path: &Path, what: &str) -> u64 {
    let file = TraceFile::open(path).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_eq!(file.recovered(), None, "{what}");
    let frames = file.info().frames;
    let info = finish(mgl().args(["info", "--json"]).arg(path));
    assert_eq!(info.expect_code(0).json()["frames"], frames, "{what}");
    let replay = finish(mgl().args(["replay", "--backend", "null"]).arg(path));
    // Before the first verb there is nothing that it could draw.
    let nothing = frames == 0 && replay.stderr.contains("nothing to replay");
    assert!(
        nothing || replay.code == Some(0),
        "{what}: {}",
        replay.stderr
    );
    frames
}

/// Numbers from a seed (xorshift64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Records a program, kills it after a while, and looks at what is left.
fn one_kill(place: &Place, program: &Path, n: u64, seed: u64) {
    let mut random = Random(seed.wrapping_mul(1_000_003).wrapping_add(n) | 1);
    (0..5).for_each(|_| _ = random.below(2));
    let mode = ["plain", "atlas", "plain", "noise", "blend"][n as usize % 5];
    let what = format!("kill {n} of seed {seed}, {mode}");
    let trace = format!("{n}.mgltrace");
    let mut command = record(place, &trace);
    command.args(["sh", "-c", TELLS, arg(program), mode, "1000000"]);
    let mut started = command.spawn().expect("mgl starts");
    let mut out = BufReader::new(started.stdout.take().expect("its standard output"));
    let mut said = String::new();
    let mut pid = None;
    // One in eight at any time from its start on, the others while it draws.
    let starting = n.is_multiple_of(8);
    while pid.is_none() || !(starting || said.contains("frame 0\n")) {
        assert_ne!(out.read_line(&mut said).expect("text"), 0, "{what}: {said}");
        let told = said
            .split("pid ")
            .nth(1)
            .and_then(|rest| rest.lines().next());
        pid = told.map(str::to_owned);
    }
    std::thread::sleep(Duration::from_micros(random.below(80_000)));
    kill(&pid.expect("told"));
    out.read_to_string(&mut said).expect("text");
    let ended = started.wait_with_output().expect("mgl ends");
    let err = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(137), "{what}: {err}");
    let shown = said.lines().filter_map(|l| l.strip_prefix("frame "));
    let shown = shown.filter_map(|n| n.parse::<u64>().ok()).max();
    let path = place.path(&trace);
    match shown {
        None if !path.exists() => assert!(err.contains("nothing was recorded"), "{what}: {err}"),
        _ => {
            let frames = whole(&path, &format!("{what}: {err}"));
            let shown = shown.map_or(0, |n| n + 1);
            assert!(frames >= shown, "{what}: {frames} of {shown}: {err}");
        }
    }
    let _ = fs::remove_file(path);
}

/// A hundred kills, whatever is being done then.
#[test]
fn killed_at_any_instruction() {
    let seed = std::env::var("MGL_TEST_SEED").map_or(1, |s| s.parse().expect("a number"));
    let place = Place::new();
    let program = place.compile("frames", &[]);
    let next = AtomicU64::new(0);
    let kills = || {
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if n >= 100 {
                return;
            }
            one_kill(&place, &program, n, seed);
        }
    };
    std::thread::scope(|s| {
        s.spawn(kills);
        s.spawn(kills);
    });
}

/// An end right after a frame, of any kind; without the launcher's hold on its memory something is missing then.
#[test]
fn programs_that_end_without_a_word_lose_nothing() {
    const FRAMES: u64 = 30;
    let place = Place::new();
    let program = place.compile("frames", &[]);
    for (how, code) in [
        ("abort", 134),
        ("_exit", 0),
        ("exec", 0),
        ("crash", 139),
        ("kill", 137),
    ] {
        let trace = format!("{how}.mgltrace");
        let args = [arg(&program), "plain", &FRAMES.to_string(), "1", how];
        let mut command = record(&place, &trace);
        let call = finish(command.args(["sh", "-c", TELLS]).args(args));
        call.expect_code(code);
        let said = format!("recovered, {FRAMES} frames: ");
        assert!(call.stderr.contains(&said), "{how}: {}", call.stderr);
        assert_eq!(whole(&place.path(&trace), how), FRAMES);
        // The document has it too.
        let mut command = mgl_with_driver();
        place.on_display(&mut command);
        command.args(["--json", "record", "--backend", "null", "-o", &trace, "--"]);
        let call = finish(command.args(["sh", "-c", TELLS]).args(args));
        let json = call.expect_code(code).json();
        assert_eq!(json["trace"]["frames"], FRAMES);
        assert_eq!(json["salvaged"]["written"]["frames"], FRAMES, "{json}");

        // Nobody holds its memory: something is missing then, unless the program got on slowly.
        let loses = |n: u32| {
            let trace = format!("lost-{how}-{n}.mgltrace");
            let mut command = record(&place, &trace);
            let alone = format!("unset MGL_NOTES; {TELLS}");
            let call = finish(command.args(["sh", "-c", &alone]).args(args));
            call.expect_code(code);
            let file = TraceFile::open(&place.path(&trace)).expect("a readable trace");
            file.recovered().expect("there is no index").frames < FRAMES
        };
        assert!((0..10).any(loses), "{how}");
    }
}

/// Several processes of one program, and what one of them becomes: a file each, all of them whole.
#[test]
fn every_process_of_a_program_is_seen_to() {
    let place = Place::new();
    let program = place.compile("frames", &[]);
    let script = "ulimit -c 0; \"$0\" plain 20 1 abort & \"$0\" plain 30 1 _exit & wait; \
                  \"$0\" plain 10 1 kill; (exec \"$0\" plain 5)";
    let mut command = record(&place, "many.mgltrace");
    let call = finish(command.args(["sh", "-c", script, arg(&program)]));
    call.expect_code(0);
    let files = fs::read_dir(place.path("")).expect("readable");
    let names = files.map(|f| f.expect("readable").path());
    let mut frames: Vec<u64> = names
        .filter(|path| path.extension().is_some_and(|e| e == "mgltrace"))
        .map(|path| whole(&path, &path.display().to_string()))
        .collect();
    frames.sort_unstable();
    assert_eq!(frames, [5, 10, 20, 30], "{}", call.stderr);
    assert_eq!(
        call.stderr.matches("recovered, ").count(),
        3,
        "{}",
        call.stderr
    );
    assert_eq!(call.stderr.matches("another process recorded").count(), 3);
}

/// What lives on when the program has ended is not waited for, and writes its file itself.
#[test]
fn a_process_that_outlives_the_program_records_on() {
    let place = Place::new();
    let program = place.compile("frames", &[]);
    let script = "\"$0\" plain 1000000 > out 2>&1 & echo pid $!; \
                  while ! grep -q 'frame 20' out; do sleep 0.05; done";
    let mut command = record(&place, "on.mgltrace");
    let start = Instant::now();
    let call = finish(command.args(["sh", "-c", script, arg(&program)]));
    call.expect_code(0);
    assert!(start.elapsed() < Duration::from_secs(20));
    let frames = || {
        let file = TraceFile::open(&place.path("on.mgltrace")).expect("a readable trace");
        file.info().frames
    };
    let then = frames();
    while frames() <= then + 10 {
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "it records no more"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
    let pid = call.stdout.trim().strip_prefix("pid ").expect("told");
    kill(pid);
    gone(pid);
    assert!(frames() > then);
}

/// Killed itself, mgl leaves nothing in the folder for temporary files, and the trace is readable.
#[test]
fn a_killed_mgl_leaves_nothing_behind() {
    let place = Place::new();
    let program = place.compile("frames", &[]);
    let scratch = place.path("scratch");
    fs::create_dir(&scratch).expect("a new folder");
    let mut command = record(&place, "k.mgltrace");
    command
        .env("TMPDIR", &scratch)
        .args(["sh", "-c", TELLS, arg(&program), "plain", "1000000"]);
    let mut started = command.spawn().expect("mgl starts");
    let mut lines = BufReader::new(started.stdout.take().expect("its standard output")).lines();
    let mut line = || lines.next().expect("a line").expect("text");
    let first = line();
    let pid = first.strip_prefix("pid ").expect("told");
    while line() != "frame 1000" {}
    assert_ne!(fs::read_dir(&scratch).expect("readable").count(), 0);
    started.kill().expect("killed");
    started.wait().expect("ends");
    gone(pid);
    let start = Instant::now();
    while fs::read_dir(&scratch).expect("readable").count() > 0 {
        assert!(
            start.elapsed() < Duration::from_secs(5),
            "something is left"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    let file = TraceFile::open(&place.path("k.mgltrace")).expect("a readable trace");
    assert!(file.info().frames > 0);
}

/// With what was drawn, and the images of it.
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
                kill(pid.as_ref().expect("the first line"));
            }
            _ => {}
        }
    }
    let status = mgl_record.wait().expect("mgl ends");
    assert_eq!(status.code(), Some(128 + 9));

    let path = place.path("killed.mgltrace");
    let file = TraceFile::open(&path).expect("a readable trace");
    assert_eq!(file.recovered(), None);
    let drawn = file.info().frames;
    assert!(drawn > SHOWN, "{drawn} frames");
    assert_ne!(live(&file, 0), live(&file, 1), "the frames differ");

    let replay = finish(mgl().arg("replay").arg(&path).arg("--json"));
    let report = replay.expect_code(0).json();
    assert_eq!(report["pass"], true);
    let complete = report["frames"].as_array().expect("frames").iter();
    let complete = complete.filter(|f| f["partial"] == false).count() as u64;
    assert_eq!(complete, drawn);
    // The frame that was being written may have left its image or not.
    let compared = report["images_compared"].as_u64().expect("a number");
    assert!(compared >= drawn, "{compared} of {drawn}");
}
