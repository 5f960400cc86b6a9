//! The recorder: threads, forks, kills, full disks.

use crate::scene::{self, FRAME_RECORDS, PRELUDE_RECORDS, SURFACE, Sink};
use mgl_core::pipe::*;
use mgl_core::trace::*;
use std::fs::File;
use std::os::fd::{AsRawFd, RawFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

impl Sink for TraceRecorder {
    fn push(&mut self, call: &Call<'_>) {
        TraceRecorder::push(self, call);
    }
    fn reply(&mut self, reply: &Reply) {
        TraceRecorder::reply(self, reply);
    }
    fn event(&mut self, event: &Event) {
        TraceRecorder::event(self, event);
    }
    fn image(&mut self, width: u32, height: u32, rgba: &[u8]) {
        self.frame_image(SURFACE, width, height, rgba);
    }
}

pub fn record(path: &Path, options: RecorderOptions) -> TraceRecorder {
    TraceRecorder::create(path, &Provenance::of_tool("test"), options).expect("creates")
}

#[test]
fn a_recording_equals_what_the_writer_writes() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("a.mgltrace");
    for group in [Duration::ZERO, Duration::from_secs(3600)] {
        let mut r = record(
            &path,
            RecorderOptions {
                group,
                ..RecorderOptions::default()
            },
        );
        scene::prelude(&mut r);
        for n in 0..20 {
            scene::frame(&mut r, n);
        }
        scene::rest(&mut r);
        let status = r.finish();
        assert_eq!(status.failed, None);
        assert_eq!(status.written.frames, 20);
        let f = TraceFile::open(&path).expect("opens");
        assert_eq!(
            status.written.bytes,
            std::fs::metadata(&path).expect("exists").len()
        );
        assert_eq!(f.recovered(), None);
        let expected = TraceFile::from_bytes("memory", scene::file(20)).expect("opens");
        assert_eq!(
            scene::calls(&f).expect("reads"),
            scene::calls(&expected).expect("reads")
        );
        for n in 0..20 {
            let read = PRELUDE_RECORDS + n * FRAME_RECORDS + 2;
            assert_eq!(
                f.reply(read).expect("reads"),
                expected.reply(read).expect("reads")
            );
            assert_eq!(
                f.events(read + 1).expect("reads"),
                expected.events(read + 1).expect("reads")
            );
            assert_eq!(
                f.image(n).expect("reads"),
                expected.image(n).expect("reads")
            );
        }
    }
}

#[test]
fn what_lies_around_is_written() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("a.mgltrace");
    let mut r = record(&path, RecorderOptions::default());
    scene::prelude(&mut r);
    let start = Instant::now();
    let records = loop {
        let f = TraceFile::open(&path).expect("opens while it is being written");
        if f.info().records > 0 {
            break f.info().records;
        }
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "nothing was written although nothing was pushed for ten seconds"
        );
        std::thread::sleep(Duration::from_millis(50));
    };
    assert_eq!(records, PRELUDE_RECORDS);
    // What follows still lands behind it.
    for n in 0..3 {
        scene::frame(&mut r, n);
    }
    assert_eq!(r.finish().written.frames, 3);
    let f = TraceFile::open(&path).expect("opens");
    assert_eq!(f.info().records, PRELUDE_RECORDS + 3 * FRAME_RECORDS);
}

#[test]
fn neither_a_frame_nor_a_part_of_one_lies_around() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("a.mgltrace");
    let mut r = record(&path, RecorderOptions::default());
    for n in 0..6 {
        let records = r.status().written.records;
        match n % 2 {
            0 => scene::rest(&mut r),
            _ => scene::frame(&mut r, n),
        }
        let start = Instant::now();
        while r.status().written.records == records {
            assert!(start.elapsed() < Duration::from_secs(10), "{n} lies around");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Its number among the descriptors of this process.
fn descriptor(path: &Path) -> RawFd {
    let all = std::fs::read_dir("/proc/self/fd").expect("readable");
    let mut all = all.map(|fd| fd.expect("readable").path());
    let of = |fd: &PathBuf| std::fs::read_link(fd).is_ok_and(|to| to == path);
    let fd = all.find(of).expect("it is open");
    let number = fd.file_name().and_then(|n| n.to_str()?.parse().ok());
    number.expect("a number")
}

/// A program that closes what it does not know, and opens something in its place.
#[test]
fn a_closed_descriptor_is_no_place_to_write() {
    let dir = tempfile::tempdir().expect("a directory");
    let dir = dir.path().canonicalize().expect("a directory");
    for (at, lost) in [("a", false), ("moved", true)] {
        let (path, others) = (dir.join(format!("{at}.mgltrace")), dir.join("others"));
        std::fs::write(&others, b"something else").expect("written");
        let other = File::options().write(true).open(&others);
        let other = other.expect("opens");
        let options = RecorderOptions {
            on_error: Some(Box::new(|_| {})),
            ..RecorderOptions::default()
        };
        let mut r = record(&path, options);
        scene::prelude(&mut r);
        scene::frame(&mut r, 0);
        let start = Instant::now();
        while r.status().written.frames == 0 {
            assert!(start.elapsed() < Duration::from_secs(10));
            std::thread::sleep(Duration::from_millis(2));
        }
        let fd = descriptor(&path);
        if lost {
            std::fs::rename(&path, dir.join("elsewhere")).expect("moved");
        }
        // SAFETY: the number is the recorder's, which is what is being tested.
        assert_eq!(unsafe { libc::dup2(other.as_raw_fd(), fd) }, fd);
        scene::frame(&mut r, 1);
        let status = r.finish();
        assert_eq!(
            std::fs::read(&others).expect("readable"),
            b"something else",
            "what the program has open is its own"
        );
        // SAFETY: open still: nobody but the program closes it.
        assert_eq!(unsafe { libc::close(fd) }, 0);
        if lost {
            let why = status.failed.expect("it cannot go on");
            assert!(why.contains("the program has closed it"), "{why}");
            let f = TraceFile::open(&dir.join("elsewhere")).expect("opens");
            assert_eq!(f.recovered().map(|r| r.frames), Some(1));
        } else {
            assert_eq!((status.failed, status.written.frames), (None, 2));
            let f = TraceFile::open(&path).expect("opens");
            let expected = TraceFile::from_bytes("memory", scene::file(2)).expect("opens");
            let (got, all) = (scene::calls(&f), scene::calls(&expected));
            let (got, all) = (got.expect("reads"), all.expect("reads"));
            assert_eq!(got[..], all[..got.len()]);
        }
    }
}

#[test]
fn a_slow_disk_makes_the_game_wait_and_loses_nothing() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("a.mgltrace");
    let mut r = record(
        &path,
        RecorderOptions {
            queue_bytes: 1 << 20,
            group: Duration::ZERO,
            ..RecorderOptions::default()
        },
    );
    scene::prelude(&mut r);
    let mut bytes = vec![0u8; 3 << 20];
    for n in 0..30u64 {
        for (i, b) in bytes.chunks_exact_mut(8).enumerate() {
            let v = (n << 32 | i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            b.copy_from_slice(&v.to_le_bytes());
        }
        r.push(&Call::ResourceSubData {
            p: &SubData::default(),
            bytes: &bytes,
            regions: &[],
        });
        r.push(&Call::Present {
            p: &Present::default(),
        });
    }
    let status = r.finish();
    assert!(
        status.waits > 0,
        "90 MB went through a queue of 1 MB without a wait"
    );
    assert_eq!((status.failed, status.written.frames), (None, 30));
    let f = TraceFile::open(&path).expect("opens");
    assert_eq!(
        scene::calls(&f).expect("reads").len(),
        60 + PRELUDE_RECORDS as usize
    );
}

#[test]
fn a_full_device_ends_recording_with_one_message() {
    let messages = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&messages);
    let r = TraceRecorder::create(
        Path::new("/dev/full"),
        &Provenance::default(),
        RecorderOptions::default(),
    );
    assert!(
        matches!(&r, Err(TraceError::Io { .. })),
        "a full device is found at the header"
    );
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("a.mgltrace");
    let mut r = record(
        &path,
        RecorderOptions {
            on_error: Some(Box::new(move |m| {
                sink.lock().expect("unpoisoned").push(m.to_owned());
            })),
            ..RecorderOptions::default()
        },
    );
    scene::prelude(&mut r);
    scene::frame(&mut r, 0);
    // A record that no reader would take: what was recorded before it stays.
    let ranges = vec![DrawRange::default(); 300_000];
    r.push(&Call::DrawVbo {
        p: &DrawInfo::default(),
        indices: &[],
        arrays: &[],
        ranges: &ranges,
        user_arrays: &[],
    });
    for n in 1..5 {
        scene::frame(&mut r, n);
    }
    assert!(r.is_off());
    let status = r.finish();
    let messages = messages.lock().expect("unpoisoned");
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(
        messages[0].contains("DrawVbo") && messages[0].contains("the file so far is readable"),
        "{messages:?}"
    );
    assert!(status.failed.is_some());
    let f = TraceFile::open(&path).expect("opens");
    assert_eq!((f.info().frames, f.recovered()), (1, None));
}
