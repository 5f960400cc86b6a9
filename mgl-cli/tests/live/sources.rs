//! Sources of goldens: recorded on the driver, drawn by the system's GL, frame by frame the same.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use mgl_core::trace::TraceFile;
use mgl_replay::BackendKind;
use mgl_verify::image::{Image, Options, Thresholds, compare};
use mgl_verify::launcher::Launcher;
use mgl_verify::replay::{ReplaySettings, replay};
use mgl_verify::settings::BackEnd;
use mgl_verify::source::{LiveOptions, Source, SourceError};

use crate::road::Place;

const LIMIT: Duration = Duration::from_secs(120);

fn launcher() -> Launcher {
    let program = Path::new(env!("CARGO_BIN_EXE_mgl"));
    Launcher::at(program.parent().expect("programs lie in a folder")).expect("the driver is built")
}

fn command(line: &[&str]) -> Source {
    Source::Command {
        command: line.iter().map(|&word| word.to_owned()).collect(),
        clock: Some(1000),
        env: BTreeMap::new(),
    }
}

fn options(back_end: BackEnd) -> LiveOptions {
    LiveOptions {
        back_end,
        max_frames: None,
        limit: LIMIT,
        leave_out: None,
        device: None,
    }
}

/// A folder with the programs in it.
fn place() -> Place {
    let place = Place::new();
    place.compile_for_system("live/programs/swaps.c", "swaps");
    place.compile_for_system("road/programs/frames.c", "frames");
    place
}

/// Images of a source's frames: the driver's, replayed from its recording, and the system's.
fn both(place: &Place, source: &Source, frames: u64) -> Vec<(Image, Image)> {
    let base = place.path("");
    let trace = place.path("live.mgltrace");
    let recorded = source
        .record(&base, &launcher(), &options(BackEnd::Espryt), &trace)
        .expect("recorded");
    assert!(recorded.status.success());
    let report = recorded.report.expect("the driver's report");
    assert_eq!(report["counters"]["presents"], frames);
    assert_eq!(report["faults"], serde_json::json!({}));
    let file = TraceFile::open(&trace).expect("a trace");
    assert_eq!(file.frames(), 0..frames);
    let settings = ReplaySettings {
        back_end: BackendKind::Espryt,
        device: None,
        frames: None,
        out: Some(place.path("driver")),
        check: true,
        debug: false,
        limit: mgl_replay::Limit::default(),
        progress: None,
    };
    replay(&file, &settings, |_| ()).expect("replayed");

    let wanted: Vec<u64> = (0..frames).collect();
    let out = place.path("system");
    let images = source
        .system_images(&base, &launcher(), &wanted, &out, LIMIT)
        .expect("drawn");
    assert!(!images.driver.vendor.is_empty() && !images.driver.renderer.is_empty());
    assert!(images.driver.version.contains('.'), "{:?}", images.driver);
    assert_eq!(images.frames.len() as u64, frames);
    let pair = |(frame, path): &(u64, std::path::PathBuf)| {
        assert_eq!(*path, out.join(format!("{frame:06}.png")));
        let mut driver =
            Image::load(&place.path(&format!("driver/{frame:06}.png"))).expect("a frame");
        // The system's images have no alpha.
        driver.pixels_mut().iter_mut().for_each(|p| p[3] = 255);
        (driver, Image::load(path).expect("a frame"))
    };
    images.frames.iter().map(pair).collect()
}

/// Every way to find and to call a swap: the frames are the driver's, and the program finds its state as it left it.
#[test]
fn frames_of_the_system_are_the_drivers_however_they_are_shown() {
    let place = place();
    let glx = [
        "linked", "libGLX", "libGL", "default", "get", "get-get", "other",
    ];
    let egl = [
        "egl",
        "egl-dlsym",
        "egl-get",
        "egl-damage",
        "egl-damage-ext",
    ];
    for mode in glx.into_iter().chain(egl) {
        let pairs = both(&place, &command(&["./swaps", mode, "4"]), 4);
        for (n, (driver, system)) in (0..).zip(pairs) {
            assert_eq!(system.size().to_string(), "48x32", "{mode}");
            assert_eq!(system.row(0)[0], [n * 16, 64, 128, 255], "{mode} {n}");
            assert_eq!(system.row(31)[23], [255, 0, 0, 255], "{mode} {n}");
            assert_eq!(system.row(31)[24], [n * 16, 64, 128, 255], "{mode} {n}");
            assert_eq!(driver, system, "{mode} {n}");
        }
    }
}

/// Draws, not only clears: equal but for rounding.
#[test]
fn drawn_frames_are_alike() {
    let place = place();
    let pairs = both(&place, &command(&["./frames", "blend", "3"]), 3);
    for (n, (driver, system)) in pairs.iter().enumerate() {
        let far = |(a, b): (&[u8; 4], &[u8; 4])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > 1);
        let pixels = driver.pixels().iter().zip(system.pixels());
        assert_eq!(pixels.filter(|pair| far(*pair)).count(), 0, "frame {n}");
    }
    // Frames are told apart.
    assert_ne!(pairs[0].1, pairs[1].1);
}

/// What one context of a share group changes, another one draws with, as on the system's GL.
#[test]
fn changes_of_another_context_are_drawn() {
    let place = Place::new();
    place.compile_for_system("live/programs/shared.c", "shared");
    for mode in ["texture", "levels", "buffer", "target"] {
        let pairs = both(&place, &command(&["./shared", mode]), 8);
        for (n, (driver, system)) in pairs.iter().enumerate() {
            assert_eq!(driver, system, "{mode} {n}");
        }
        // Every change shows.
        for n in 1..8 {
            assert_ne!(pairs[n - 1].1, pairs[n].1, "{mode} {n}");
        }
    }
}

/// A moving scene: under the virtual clock both drivers see it at the same instants.
#[test]
fn scenes_move_alike() {
    let limits = Thresholds {
        min_ssim: Some(0.99),
        min_tile_ssim: Some(0.95),
        ..Thresholds::NONE
    };
    for scene in ["build", "buffer:update-method=map", "jellyfish", "effect2d"] {
        let place = Place::new();
        let options = format!("{scene}:nframes=6:duration=600");
        let line = ["glmark2", "-s", "240x180", "-b", &options];
        let source = Source::Command {
            command: line.iter().map(|&word| word.to_owned()).collect(),
            clock: Some(40_000),
            env: BTreeMap::new(),
        };
        let pairs = both(&place, &source, 6);
        for (n, (driver, system)) in pairs.iter().enumerate() {
            let verdict = limits.judge(&compare(system, driver, &Options::default()));
            assert!(verdict.pass, "{scene} {n}: {verdict:?}");
        }
        // Another instant would have been another image.
        if scene != "effect2d" {
            let moved = compare(&pairs[1].1, &pairs[5].1, &Options::default());
            assert!(!limits.judge(&moved).pass, "{scene} does not move");
        }
    }
}

/// The library that keeps frames is asked for some of them, and does not wait for a program that goes on.
#[test]
fn a_program_without_end_is_ended_when_its_frames_are_there() {
    let place = place();
    let source = command(&["./frames", "plain", "1000000000"]);
    let start = Instant::now();
    let images = source
        .system_images(
            &place.path(""),
            &launcher(),
            &[5, 2],
            &place.path("out"),
            LIMIT,
        )
        .expect("drawn");
    let frames: Vec<u64> = images.frames.iter().map(|f| f.0).collect();
    assert_eq!(frames, [5, 2]);
    let files = std::fs::read_dir(place.path("out")).expect("a folder");
    assert_eq!(files.count(), 2);

    let trace = place.path("some.mgltrace");
    let options = LiveOptions {
        max_frames: Some(7),
        ..options(BackEnd::Null)
    };
    let recorded = source
        .record(&place.path(""), &launcher(), &options, &trace)
        .expect("recorded");
    assert!(recorded.report.is_none());
    let file = TraceFile::open(&trace).expect("a trace");
    assert_eq!((file.frames(), file.recovered()), (0..7, None));
    assert!(start.elapsed() < LIMIT);
}

fn record(place: &Place, source: &Source, options: &LiveOptions) -> Result<(), SourceError> {
    let trace = place.path("failed.mgltrace");
    source
        .record(&place.path(""), &launcher(), options, &trace)
        .map(drop)
}

#[test]
fn sources_that_fail_say_how() {
    let place = place();
    let null = options(BackEnd::Null);
    let failed = record(
        &place,
        &command(&["sh", "-c", "echo because >&2; exit 3"]),
        &null,
    );
    let error = failed.expect_err("a program that fails");
    assert!(matches!(&error, SourceError::Failed { status, .. } if status.code() == Some(3)));
    assert!(error.to_string().ends_with("because"), "{error}");

    let nothing = record(&place, &command(&["true"]), &null);
    assert!(matches!(nothing, Err(SourceError::NothingRecorded { .. })));

    let missing = record(&place, &command(&["./no-such-program"]), &null);
    assert!(
        matches!(&missing, Err(SourceError::Start { program, .. }) if program == "no-such-program")
    );

    let start = Instant::now();
    let short = LiveOptions {
        limit: Duration::from_millis(300),
        ..null.clone()
    };
    // In real time: under the virtual clock a sleep is over at once.
    let sleeping = Source::Command {
        command: vec!["sh".into(), "-c".into(), "sleep 600; true".into()],
        clock: None,
        env: BTreeMap::new(),
    };
    let slow = record(&place, &sleeping, &short);
    assert!(matches!(slow, Err(SourceError::TimeOut { .. })));
    assert!(start.elapsed() < LIMIT);

    let source = command(&["./frames", "plain", "3"]);
    let images = source.system_images(
        &place.path(""),
        &launcher(),
        &[1, 3, 9],
        &place.path("out"),
        LIMIT,
    );
    match images {
        Err(SourceError::NotShown { missing, .. }) => assert_eq!(missing, [3, 9]),
        other => panic!("{other:?}"),
    }

    // Swaps of a surface with one buffer show nothing, on either side.
    let single = command(&["./swaps", "single"]);
    let out = place.path("out");
    let images = single.system_images(&place.path(""), &launcher(), &[0], &out, LIMIT);
    assert!(matches!(images, Err(SourceError::NotShown { .. })));
    record(&place, &single, &null).expect("a context is recorded");
    let file = TraceFile::open(&place.path("failed.mgltrace")).expect("a trace");
    assert!(file.frames().is_empty());

    let no_trace = Source::GlTrace {
        path: "no-such.trace".into(),
    };
    let error = record(&place, &no_trace, &null).expect_err("a missing file");
    assert!(matches!(&error, SourceError::Io { path, .. } if path.ends_with("no-such.trace")));
    assert!(!error.is_environment());
}

/// The looking-up that is left alone is seen as the program's own: what comes after the program is the first library
/// that is preloaded.
#[test]
fn what_a_program_looks_up_otherwise_is_left_alone() {
    let place = place();
    let source = command(&["sh", "-c", "./swaps linked > said"]);
    let out = place.path("out");
    // More frames than there are, so that the program is not ended before it has spoken.
    let images = source.system_images(&place.path(""), &launcher(), &[9], &out, LIMIT);
    assert!(matches!(images, Err(SourceError::NotShown { .. })));
    let said = std::fs::read_to_string(place.path("said")).expect("its output");
    assert_eq!(said, "next libmgl-clock.so\nok\n");
}
