//! Recorders whose process dies, forks, or runs out of disk. The test program runs itself as the child.

mod kept;

use crate::recorder::record;
use crate::scene;
use mgl_core::pipe::*;
use mgl_core::trace::*;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// What the child does, and where; set by [`child`].
const ROLE: &str = "MGL_TEST_TRACE_ROLE";
const FILE: &str = "MGL_TEST_TRACE_FILE";
/// The socket of the test's keeper, where it has one.
const KEEPER: &str = "MGL_TEST_TRACE_KEEPER";

/// Starts this program as a child that runs [`as_child`] alone.
fn child(role: &str, file: &Path) -> Child {
    command(role, file).spawn().expect("starts")
}

fn command(role: &str, file: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a program"));
    command
        .args([
            "--exact",
            "killed::as_child",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(ROLE, role)
        .env(FILE, file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Does nothing unless this process is a child of one of the tests below.
#[test]
fn as_child() {
    let (Ok(role), Some(file)) = (std::env::var(ROLE), std::env::var_os(FILE)) else {
        return;
    };
    let options = RecorderOptions {
        keeper: std::env::var_os(KEEPER).map(Into::into),
        ..RecorderOptions::default()
    };
    let mut r = record(Path::new(&file), options);
    scene::prelude(&mut r);
    match role.as_str() {
        "record until killed" => {
            for n in 0.. {
                scene::frame(&mut r, n);
                println!("frame {n}");
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        "record and _exit" => {
            for n in 0..10 {
                scene::frame(&mut r, n);
            }
            while r.status().written.frames < 10 {
                std::thread::sleep(Duration::from_millis(5));
            }
            // SAFETY: ends the process at once, which is what is being tested.
            unsafe { libc::_exit(7) };
        }
        "limit the file" => {
            let limit = libc::rlimit {
                rlim_cur: 400_000,
                rlim_max: 400_000,
            };
            // SAFETY: the struct is whole; only this child is limited.
            assert_eq!(
                unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) },
                0
            );
            fill(&mut r);
            println!("the game went on: {}", r.is_off());
            let s = r.finish();
            println!("failed: {:?}", s.failed);
        }
        "fill the disk" => {
            fill(&mut r);
            println!("the game went on: {}", r.is_off());
            let s = r.finish();
            println!("failed: {:?}", s.failed);
        }
        other => kept::as_child(other, &mut r),
    }
}

/// Pushes what does not compress until recording has ended.
fn fill(r: &mut TraceRecorder) {
    let mut noise = crate::schema::Random(5);
    for n in 0..5000 {
        scene::frame(r, n);
        let bytes: Vec<u8> = (0..16384).map(|_| noise.next() as u8).collect();
        r.push(&Call::DebugMarker {
            p: &DebugMarker::default(),
            text: &bytes,
        });
        if r.is_off() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn wait(mut child: Child) -> (std::process::ExitStatus, String, String) {
    let (mut out, mut err) = (String::new(), String::new());
    let pipe = child.stdout.take().expect("piped");
    BufReader::new(pipe).read_to_string(&mut out).expect("text");
    let pipe = child.stderr.take().expect("piped");
    BufReader::new(pipe).read_to_string(&mut err).expect("text");
    (child.wait().expect("ends"), out, err)
}

#[test]
fn sigkill_leaves_the_complete_frames() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("killed.mgltrace");
    let mut c = child("record until killed", &file);
    let mut lines = BufReader::new(c.stdout.take().expect("piped")).lines();
    let mut presented = 0;
    while presented < 100 {
        let line = lines.next().expect("frames come").expect("text");
        // The harness prints the test's name in front of the first line.
        if let Some(n) = line.split("frame ").nth(1) {
            presented = n.trim().parse().expect("a number");
        }
    }
    c.kill().expect("SIGKILL");
    c.wait().expect("ends");
    let f = TraceFile::open(&file).expect("opens");
    let r = f.recovered().expect("was not finished").clone();
    // At most what a slow machine had in the queue, or what was grouped, is missing.
    assert!(r.frames >= 50 && r.frames <= presented + 100, "{r}");
    let expected = TraceFile::from_bytes("memory", scene::file(r.frames)).expect("opens");
    let (got, all) = (
        scene::calls(&f).expect("reads"),
        scene::calls(&expected).expect("reads"),
    );
    let whole = scene::PRELUDE_RECORDS + r.frames * scene::FRAME_RECORDS;
    assert_eq!(got[..whole as usize], all[..whole as usize]);
    // And it can be given its index.
    let (bytes, w) = repair(&f, Vec::new(), &file, RepairOptions::default()).expect("repairs");
    assert_eq!(w.frames, r.frames);
    assert!(TraceFile::from_bytes("mended", bytes).is_ok_and(|f| f.recovered().is_none()));
}

#[test]
fn underscore_exit_leaves_a_readable_file() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("exit.mgltrace");
    let (status, _, _) = wait(child("record and _exit", &file));
    assert_eq!(status.code(), Some(7));
    let f = TraceFile::open(&file).expect("opens");
    let r = f.recovered().expect("was not finished");
    assert_eq!((r.frames, r.ignored_bytes), (10, 0));
}

/// What has to hold after the file could grow no further.
fn assert_ended_well(file: &Path, (status, out, err): (std::process::ExitStatus, String, String)) {
    assert!(status.success(), "{status}\n{out}\n{err}");
    assert!(out.contains("the game went on: true"), "{out}");
    let said: Vec<_> = err
        .lines()
        .filter(|l| l.starts_with("mgl: recording ended: "))
        .collect();
    assert_eq!(said.len(), 1, "{err}");
    assert!(said[0].ends_with("the file so far is readable"), "{err}");
    let f = TraceFile::open(file).expect("opens");
    assert!(f.info().frames > 0);
    if let Some(r) = f.recovered() {
        assert_eq!(r.ignored_bytes, 0, "a half-written chunk was left: {r}");
    }
    assert!(!scene::calls(&f).expect("reads").is_empty());
}

#[test]
fn a_file_size_limit_ends_recording_and_not_the_game() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("limited.mgltrace");
    let end = wait(child("limit the file", &file));
    assert!(end.2.contains("File too large"), "{}", end.2);
    assert_ended_well(&file, end);
}

#[test]
fn a_full_disk_ends_recording_and_not_the_game() {
    let dir = tempfile::tempdir().expect("a directory");
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=400k", "tmpfs"])
        .arg(dir.path())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success());
    if !mounted {
        // Only root may mount; the limit on a file's size above takes the same road.
        eprintln!("skipped: no tmpfs can be mounted here");
        return;
    }
    let file = dir.path().join("full.mgltrace");
    let end = wait(child("fill the disk", &file));
    let checked = std::panic::catch_unwind(|| {
        assert!(end.2.contains("No space left on device"), "{}", end.2);
        assert_ended_well(&file, end);
    });
    let unmounted = Command::new("umount").arg(dir.path()).status();
    if let Err(e) = checked {
        std::panic::resume_unwind(e);
    }
    assert!(unmounted.is_ok_and(|s| s.success()));
}

#[test]
fn a_forked_child_leaves_its_parents_file_alone() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("fork.mgltrace");
    let mut r = record(&file, RecorderOptions::default());
    scene::prelude(&mut r);
    for n in 0..5 {
        scene::frame(&mut r, n);
    }
    // SAFETY: the child only pushes into the recorder, which then does nothing, and ends by _exit.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        for n in 0..1000 {
            scene::frame(&mut r, 1000 + n);
        }
        let off = r.is_off() && r.status() == Status::default();
        // Must return at once: the thread that it would wait for is not here.
        drop(r);
        // SAFETY: ends the child without the harness's own exit work.
        unsafe { libc::_exit(if off { 0 } else { 1 }) };
    }
    assert!(pid > 0, "fork");
    let mut status = -1;
    // SAFETY: waits for the child made above.
    unsafe { libc::waitpid(pid, &raw mut status, 0) };
    assert_eq!(status, 0);
    for n in 5..8 {
        scene::frame(&mut r, n);
    }
    scene::rest(&mut r);
    let status = r.finish();
    assert_eq!((status.failed, status.written.frames), (None, 8));
    let f = TraceFile::open(&file).expect("opens");
    let expected = TraceFile::from_bytes("memory", scene::file(8)).expect("opens");
    assert_eq!(
        scene::calls(&f).expect("reads"),
        scene::calls(&expected).expect("reads")
    );
}
