//! Recorders whose memory is in a keeper's hands: what was pushed before the process died is in the file.

use super::{KEEPER, child, command, wait};
use crate::recorder::record;
use crate::scene;
use crate::schema::Random;
use mgl_core::pipe::*;
use mgl_core::trace::*;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Frames that a child pushes before it ends.
const FRAMES: u64 = 50;
const PATIENCE: Duration = Duration::from_secs(10);

/// What the child does that the role names.
pub fn as_child(role: &str, r: &mut TraceRecorder) {
    let push = |r: &mut TraceRecorder, frames: u64| (0..frames).for_each(|n| scene::frame(r, n));
    match role {
        "push and be killed" => {
            push(r, FRAMES);
            // SAFETY: ends the process at once, which is what is being tested.
            unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
        }
        "push and abort" => {
            push(r, FRAMES);
            std::process::abort();
        }
        "push and _exit" => {
            push(r, FRAMES);
            // SAFETY: as above.
            unsafe { libc::_exit(7) };
        }
        "push and exec" => {
            push(r, FRAMES);
            panic!("{}", Command::new("/bin/true").exec());
        }
        "push, fork and be killed" => {
            push(r, FRAMES / 2);
            // SAFETY: the child only pushes into the recorder, which then does nothing, and sleeps.
            let pid = unsafe { libc::fork() };
            if pid == 0 {
                push(r, FRAMES);
                std::thread::sleep(Duration::from_secs(60));
                // SAFETY: as above.
                unsafe { libc::_exit(0) };
            }
            (FRAMES / 2..FRAMES).for_each(|n| scene::frame(r, n));
            println!("child {pid}");
            // SAFETY: as above.
            unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
        }
        "push noise and be killed" => {
            noise(r, 30);
            // SAFETY: as above.
            unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
        }
        "push and wait" => {
            push(r, FRAMES);
            println!("pushed");
            std::thread::sleep(Duration::from_secs(60));
        }
        "scribble" => {
            push(r, FRAMES);
            let seed = std::env::var("MGL_TEST_TRACE_SEED").expect("set");
            scribble(seed.parse().expect("a number"));
            // SAFETY: as above.
            unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
        }
        "run out of memory" => {
            push(r, FRAMES);
            let bytes = vec![1; 300 << 20];
            limit_memory(64 << 20);
            r.push(&Call::DebugMarker {
                p: &DebugMarker::default(),
                text: &bytes,
            });
            println!("the game went on: {}", r.is_off());
        }
        other => panic!("unknown role {other}"),
    }
}

/// Pushes frames with 3 MiB each that do not compress: faster than they are written.
fn noise(r: &mut impl scene::Sink, frames: u64) {
    let mut noise = Random(7);
    let mut bytes = vec![0u8; 3 << 20];
    for n in 0..frames {
        for b in bytes.chunks_exact_mut(8) {
            b.copy_from_slice(&noise.next().to_le_bytes());
        }
        r.push(&Call::DebugMarker {
            p: &DebugMarker::default(),
            text: &bytes,
        });
        scene::frame(r, n);
    }
}

/// Writes anything anywhere into the recorder's memory.
fn scribble(seed: u64) {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("readable");
    let ranges: Vec<(usize, usize)> = maps
        .lines()
        .filter(|l| l.contains("memfd:mgl-recording"))
        .map(|l| {
            let (range, _) = l.split_once(' ').expect("a range");
            let (from, to) = range.split_once('-').expect("a range");
            let number = |n| usize::from_str_radix(n, 16).expect("an address");
            (number(from), number(to))
        })
        .collect();
    assert!(!ranges.is_empty(), "there is no such memory: {maps}");
    let mut random = Random(seed);
    // The head, or the first of the batches, or all.
    let few = [1, 3, ranges.len()][seed as usize % 3];
    for _ in 0..[1, 10, 1000][seed as usize / 3 % 3] {
        let (from, to) = ranges[random.next() as usize % few];
        // Where something is.
        let size = (to - from).min(4096) as u64;
        let at = from + (random.next() % (size / 8)) as usize * 8;
        let value = match random.next() % 3 {
            0 => random.next(),
            1 => u64::MAX,
            _ => random.next() % 100,
        };
        // SAFETY: mapped, and aligned. That it is the recorder's is what is being tested.
        unsafe { (at as *mut u64).write_volatile(value) };
    }
}

/// Lets the process have so many bytes of address space more.
fn limit_memory(more: u64) {
    let status = std::fs::read_to_string("/proc/self/statm").expect("readable");
    let pages = status.split(' ').next().and_then(|n| n.parse::<u64>().ok());
    let limit = pages.expect("a number") * 4096 + more;
    let limit = libc::rlimit {
        rlim_cur: limit,
        rlim_max: limit,
    };
    // SAFETY: the structure is whole; only this child is limited.
    assert_eq!(
        unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) },
        0
    );
}

/// A folder with a keeper.
struct Place {
    folder: tempfile::TempDir,
    keeper: Keeper,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a directory");
        let keeper = Keeper::listen(&folder.path().join("keeper")).expect("listens");
        Self { folder, keeper }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, role: &str, file: &Path) -> Command {
        let mut command = command(role, file);
        command.env(KEEPER, self.path("keeper"));
        command
    }

    /// What is rescued of one recorder.
    #[track_caller]
    fn rescued(&mut self, file: &Path) -> Salvaged {
        let mut rescues = self.keeper.close(PATIENCE);
        assert_eq!(rescues.len(), 1, "{rescues:?}");
        let rescue = rescues.remove(0);
        assert_eq!(rescue.path, file);
        rescue.result.expect("salvaged")
    }
}

/// The file is whole and holds so many frames of the scene, and nothing behind them.
#[track_caller]
fn assert_whole(file: &Path, frames: u64) {
    let f = TraceFile::open(file).expect("opens");
    assert_eq!(f.recovered(), None);
    let expected = TraceFile::from_bytes("memory", scene::file(frames)).expect("opens");
    let (got, all) = (
        scene::calls(&f).expect("reads"),
        scene::calls(&expected).expect("reads"),
    );
    // The expected one ends with a Flush.
    assert_eq!(got[..], all[..all.len() - 1]);
    for n in 0..frames {
        let read = scene::PRELUDE_RECORDS + n * scene::FRAME_RECORDS + 2;
        assert_eq!(
            f.reply(read).expect("reads"),
            expected.reply(read).expect("reads")
        );
        let behind = read + 1;
        assert_eq!(
            f.events(behind).expect("reads"),
            expected.events(behind).expect("reads")
        );
        assert_eq!(
            f.image(n).expect("reads"),
            expected.image(n).expect("reads")
        );
    }
}

#[test]
fn whatever_ends_a_process_all_that_it_pushed_is_in_the_file() {
    for (role, ends) in [
        ("push and be killed", Ok(libc::SIGKILL)),
        ("push and abort", Ok(libc::SIGABRT)),
        ("push and _exit", Err(7)),
        ("push and exec", Err(0)),
    ] {
        let dir = tempfile::tempdir().expect("a directory");
        // Nobody holds its memory: something is missing then, unless the process got on slowly.
        let loses = |n: u32| {
            let file = dir.path().join(format!("lost-{n}.mgltrace"));
            wait(child(role, &file));
            let f = TraceFile::open(&file).expect("opens");
            f.recovered().expect("was not finished").frames < FRAMES
        };
        assert!((0..10).any(loses), "{role}");

        let mut place = Place::new();
        let file = place.path("kept.mgltrace");
        let child = place.command(role, &file).spawn().expect("starts");
        let (status, _, err) = wait(child);
        assert_eq!(status.signal().ok_or(status.code()), ends.map_err(Some));
        assert!(!err.contains("mgl: "), "{err}");
        let salvaged = place.rescued(&file);
        assert_eq!(salvaged.written.frames, FRAMES, "{salvaged}");
        assert_eq!(salvaged.damaged, None);
        assert_whole(&file, FRAMES);
    }
}

/// A hundred kills: whatever is being done then, the file is whole, and has what the process said it had pushed.
#[test]
fn killed_at_any_instruction() {
    let seed = std::env::var("MGL_TEST_SEED").map_or(1, |s| s.parse().expect("a number"));
    let mut random = Random(seed);
    for kill in 0..100 {
        let mut place = Place::new();
        let file = place.path("killed.mgltrace");
        let mut child = place
            .command("record until killed", &file)
            .spawn()
            .expect("starts");
        let mut out = BufReader::new(child.stdout.take().expect("piped"));
        let mut said = String::new();
        // Some before it records, most while.
        if kill % 10 != 0 {
            while !said.contains("frame 0") {
                said.clear();
                assert_ne!(out.read_line(&mut said).expect("text"), 0, "it ended");
            }
        }
        std::thread::sleep(Duration::from_micros(random.next() % 60_000));
        child.kill().expect("SIGKILL");
        child.wait().expect("ends");
        out.read_to_string(&mut said).expect("text");
        let told = said.lines().filter_map(|l| l.split("frame ").nth(1));
        let told = told.filter_map(|n| n.trim().parse::<u64>().ok());
        let pushed = told.max().map_or(0, |n| n + 1);
        let rescues = place.keeper.close(PATIENCE);
        if rescues.is_empty() {
            assert_eq!(pushed, 0, "kill {kill}, seed {seed}: nothing was rescued");
            continue;
        }
        let salvaged = rescues[0].result.as_ref().expect("salvaged");
        assert_eq!(salvaged.damaged, None, "kill {kill}, seed {seed}");
        let f = TraceFile::open(&file).expect("opens");
        assert_eq!(f.recovered(), None, "kill {kill}, seed {seed}");
        let frames = f.info().frames;
        assert!(
            frames >= pushed,
            "kill {kill}, seed {seed}: {frames} of {pushed}"
        );
        let expected = TraceFile::from_bytes("memory", scene::file(frames + 1)).expect("opens");
        let (got, all) = (
            scene::calls(&f).expect("reads"),
            scene::calls(&expected).expect("reads"),
        );
        assert_eq!(got[..], all[..got.len()], "kill {kill}, seed {seed}");
    }
}

/// More than the queue takes was pushed, and the writer is far behind.
#[test]
fn a_full_queue_is_salvaged() {
    let mut place = Place::new();
    let file = place.path("noise.mgltrace");
    let child = place.command("push noise and be killed", &file).spawn();
    wait(child.expect("starts"));
    let salvaged = place.rescued(&file);
    assert_eq!((salvaged.written.frames, salvaged.damaged), (30, None));
    let f = TraceFile::open(&file).expect("opens");
    let mut w = scene::ToWriter(
        TraceWriter::create(
            Vec::new(),
            Path::new("memory"),
            &Provenance::of_tool("test"),
            WriterOptions::default(),
        )
        .expect("a Vec takes everything"),
    );
    scene::prelude(&mut w);
    noise(&mut w, 30);
    let (bytes, _) = w.0.finish().expect("a Vec takes everything");
    let expected = TraceFile::from_bytes("memory", bytes).expect("opens");
    assert!(scene::calls(&f).expect("reads") == scene::calls(&expected).expect("reads"));
}

/// What was forked off has none of the memory: it neither changes it, nor is it waited for.
#[test]
fn a_forked_child_does_not_keep_it() {
    let mut place = Place::new();
    let file = place.path("fork.mgltrace");
    let mut command = place.command("push, fork and be killed", &file);
    // The child of the child holds the pipes.
    let mut child = command.spawn().expect("starts");
    let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let told = lines.map(|l| l.expect("text"));
    let pid = told
        .filter_map(|l| l.rsplit_once("child ")?.1.parse::<libc::pid_t>().ok())
        .next()
        .expect("told");
    child.wait().expect("ends");
    place.rescued(&file);
    // SAFETY: touches no memory.
    assert_eq!(unsafe { libc::kill(pid, libc::SIGKILL) }, 0, "it lives");
    assert_whole(&file, FRAMES);
}

/// A folder for temporary files may lie deep.
#[test]
fn a_place_with_a_long_path_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let deep = folder.path().join("a".repeat(100)).join("b".repeat(100));
    std::fs::create_dir_all(&deep).expect("new folders");
    let mut keeper = Keeper::listen(&deep.join("keeper")).expect("listens");
    let file = folder.path().join("kept.mgltrace");
    let mut command = command("push and be killed", &file);
    command.env(KEEPER, deep.join("keeper"));
    wait(command.spawn().expect("starts"));
    let rescues = keeper.close(PATIENCE);
    assert_eq!(rescues.len(), 1, "{rescues:?}");
    assert_whole(&file, FRAMES);
}

/// Processes that live keep their memory; each that dies is seen to by itself.
#[test]
fn several_recorders_are_told_apart() {
    let mut place = Place::new();
    let files = [0, 1, 2].map(|n| place.path(&format!("{n}.mgltrace")));
    let mut children = files.each_ref().map(|file| {
        let mut child = place
            .command("push and wait", file)
            .spawn()
            .expect("starts");
        let mut out = BufReader::new(child.stdout.take().expect("piped")).lines();
        while !out
            .next()
            .expect("a line")
            .expect("text")
            .ends_with("pushed")
        {}
        // Its program finds no descriptor that it would not find otherwise.
        let open = std::fs::read_dir(format!("/proc/{}/fd", child.id())).expect("readable");
        for fd in open {
            let to = std::fs::read_link(fd.expect("readable").path()).unwrap_or_default();
            let to = to.to_string_lossy().into_owned();
            assert!(!to.contains("memfd") && !to.contains("socket"), "{to}");
        }
        child
    });
    for (child, file) in children.iter_mut().zip(&files) {
        assert!(place.keeper.look().is_empty(), "all live");
        child.kill().expect("SIGKILL");
        child.wait().expect("ends");
        let start = Instant::now();
        let rescues = loop {
            let rescues = place.keeper.look();
            if !rescues.is_empty() || start.elapsed() > PATIENCE {
                break rescues;
            }
        };
        assert_eq!(rescues.len(), 1);
        assert_eq!(rescues[0].path, *file);
        assert_whole(file, FRAMES);
    }
}

/// A process that lives on when its keeper has gone writes its file itself.
#[test]
fn a_keeper_that_goes_changes_nothing() {
    let place = Place::new();
    let file = place.path("alone.mgltrace");
    let mut child = place
        .command("push and wait", &file)
        .spawn()
        .expect("starts");
    let mut out = BufReader::new(child.stdout.take().expect("piped")).lines();
    while !out
        .next()
        .expect("a line")
        .expect("text")
        .ends_with("pushed")
    {}
    let Place { folder, mut keeper } = place;
    assert!(keeper.close(Duration::ZERO).is_empty());
    drop(keeper);
    // Flushed every tenth of a second: here what a loaded machine takes.
    let start = Instant::now();
    while TraceFile::open(&file).expect("opens").info().frames < FRAMES {
        assert!(start.elapsed() < PATIENCE, "it is not written");
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().expect("SIGKILL");
    child.wait().expect("ends");
    // And one that finds nobody any more is not troubled by it.
    let file = folder.path().join("later.mgltrace");
    let mut command = command("record and _exit", &file);
    command.env(KEEPER, folder.path().join("keeper"));
    let (status, _, err) = wait(command.spawn().expect("starts"));
    assert_eq!((status.code(), err.contains("mgl: ")), (Some(7), false));
}

/// A finished recording gives its memory back, and needs nothing.
#[test]
fn a_finished_recording_is_let_go() {
    let mut place = Place::new();
    let file = place.path("done.mgltrace");
    let mut r = record(
        &file,
        RecorderOptions {
            keeper: Some(place.path("keeper")),
            ..RecorderOptions::default()
        },
    );
    scene::prelude(&mut r);
    noise(&mut r, 5);
    assert!(place.keeper.look().is_empty());
    assert!(format!("{:?}", place.keeper).contains("done.mgltrace"));
    assert_eq!(r.finish().written.frames, 5);
    assert!(place.keeper.look().is_empty());
    assert!(!format!("{:?}", place.keeper).contains("done.mgltrace"));
    let maps = std::fs::read_to_string("/proc/self/maps").expect("readable");
    let left = maps.lines().filter(|l| l.contains("memfd:mgl-recording"));
    // Other tests of this process may record at the same time.
    assert!(left.count() <= 65 * 4);
}

/// A program that wrote into the recorder's memory: nothing breaks, and what is taken can be read.
#[test]
fn damaged_memory_is_taken_up_to_the_damage() {
    for seed in 0..60u64 {
        let mut place = Place::new();
        let file = place.path("scribbled.mgltrace");
        let mut command = place.command("scribble", &file);
        command.env("MGL_TEST_TRACE_SEED", seed.to_string());
        let (status, out, err) = wait(command.spawn().expect("starts"));
        // Its own writer may have met the damage first.
        assert!(status.code().is_none(), "{status}\n{out}\n{err}");
        for rescue in place.keeper.close(PATIENCE) {
            if rescue.result.is_ok() {
                let f = TraceFile::open(&file).expect("opens");
                assert_eq!(f.recovered(), None, "seed {seed}");
                scene::calls(&f).expect("reads");
                for record in 0..f.record_count() {
                    f.reply(record).expect("reads");
                    f.events(record).expect("reads");
                }
            }
        }
    }
}

/// Where the memory cannot be had, it is said, and recording goes on without.
#[test]
fn a_file_size_limit_leaves_private_memory() {
    let mut place = Place::new();
    let file = place.path("limited.mgltrace");
    let mut command = place.command("push and be killed", &file);
    // SAFETY: async-signal-safe, and the structure is whole.
    unsafe {
        command.pre_exec(|| {
            let limit = libc::rlimit {
                rlim_cur: 1 << 30,
                rlim_max: 1 << 30,
            };
            libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit);
            Ok(())
        });
    }
    let (status, _, err) = wait(command.spawn().expect("starts"));
    assert_eq!(status.signal(), Some(libc::SIGKILL));
    assert_eq!(err.matches("is not kept beyond").count(), 1, "{err}");
    assert!(place.keeper.close(Duration::ZERO).is_empty());
    TraceFile::open(&file).expect("opens");
}

/// No memory is left: recording ends, with what came before, and the program goes on.
#[test]
fn want_of_memory_ends_recording_and_not_the_game() {
    let mut place = Place::new();
    let file = place.path("large.mgltrace");
    let child = place.command("run out of memory", &file).spawn();
    let (status, out, err) = wait(child.expect("starts"));
    assert!(status.success(), "{status}\n{out}\n{err}");
    assert!(out.contains("the game went on: true"), "{out}\n{err}");
    assert_eq!(err.matches("is not kept beyond").count(), 1, "{err}");
    assert_eq!(err.matches("recording ended: memory").count(), 1, "{err}");
    assert!(place.keeper.close(PATIENCE).is_empty());
    assert_whole(&file, FRAMES);
}
