//! The player on stored text traces: uploads and native counters a frame, and how far it says that it is.

use mgl_core::pipe::ApplyError;
use mgl_core::pipe::event::OutcomeKind;
use mgl_core::pipe::{Backend, NullBackend, Op, PushedState, UploadShape};
use mgl_core::trace::{TraceFile, WriterOptions, assemble};
use mgl_replay::espryt::{DisplayChoice, Espryt, EsprytOptions};
use mgl_replay::player::{PlayError, PlayOptions, PlayedFrame, Progress, play};
use std::path::Path;
use std::sync::atomic::AtomicU64;

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../traces/text")
        .join(name);
    std::fs::read_to_string(path).expect("a stored trace")
}

fn trace(name: &str) -> TraceFile {
    assembled(name, &text(name))
}

fn assembled(name: &str, text: &str) -> TraceFile {
    let options = WriterOptions::default();
    let (bytes, _) = assemble(text, Path::new(name), Vec::new(), options).expect("assembles");
    TraceFile::from_bytes(name, bytes).expect("opens")
}

fn espryt() -> Espryt {
    Espryt::new(EsprytOptions {
        display: DisplayChoice::Surfaceless,
        debug: true,
    })
    .expect("these tests need OpenGL ES 3.1 through EGL without a window system (see mgl doctor)")
}

fn frames(name: &str, be: &mut dyn Backend, options: &PlayOptions<'_>) -> Vec<PlayedFrame> {
    let mut all = Vec::new();
    play(&trace(name), be, options, &mut |f| {
        all.push(f);
        Ok(())
    })
    .expect("plays");
    all
}

fn native(frame: &PlayedFrame, name: &str) -> u64 {
    let found = frame.native.iter().find(|c| c.0 == name);
    found.unwrap_or_else(|| panic!("no counter {name}")).1
}

#[test]
fn a_frame_has_its_own_uploads_and_counts() {
    let options = PlayOptions {
        uploads: true,
        ..PlayOptions::default()
    };
    let all = frames("uploads.json", &mut espryt(), &options);
    let shapes: Vec<Vec<UploadShape>> = all
        .iter()
        .map(|f| f.uploads.iter().map(|u| u.shape).collect())
        .collect();
    use UploadShape::{Box, Regions};
    // Buffers are boxes.
    assert_eq!(
        shapes[..4],
        [vec![Box; 3], vec![Regions], vec![Regions], vec![Box]]
    );
    assert_eq!(shapes[4].len(), 8);
    assert_eq!(native(&all[0], "textures_made"), 2);
    assert_eq!(native(&all[1], "texture_upload_jobs"), 2);
    assert_eq!(native(&all[1], "texture_upload_bytes"), 32);
    assert_eq!(native(&all[2], "textures_made"), 0);
    assert_eq!(native(&all[4], "buffer_upload_bytes"), 32);
    assert_eq!(native(&all[5], "textures_ended"), 1);
    assert!(all[6].partial);
    // One frame alone: the same, though those before were played.
    let one = PlayOptions {
        frames: Some(4..5),
        ..options.clone()
    };
    let one = frames("uploads.json", &mut espryt(), &one);
    assert_eq!(one.len(), 1);
    assert_eq!(one[0].uploads, all[4].uploads);
    assert_eq!(one[0].native, all[4].native);
    // Not asked for, not reported; a second replay on the same back end starts from nothing.
    let mut be = espryt();
    let first = frames("clear-and-present.json", &mut be, &options);
    be.reset().expect("resets");
    let quiet = frames("clear-and-present.json", &mut be, &PlayOptions::default());
    assert!(quiet.iter().all(|f| f.uploads.is_empty()));
    assert_eq!(
        native(&quiet[0], "clear_calls"),
        native(&first[0], "clear_calls")
    );
    // What a back end does not count is absent.
    let none = frames("uploads.json", &mut NullBackend::default(), &options);
    assert!(
        none.iter()
            .all(|f| f.native.is_empty() && f.uploads.is_empty())
    );
}

/// Taking images costs calls that are no part of the trace.
#[test]
fn images_are_not_counted() {
    let with = |images| {
        let options = PlayOptions {
            images,
            ..PlayOptions::default()
        };
        frames("later-frames.json", &mut espryt(), &options)
    };
    let (with, without) = (with(true), with(false));
    assert!(with.iter().all(|f| f.image.is_some()));
    for (a, b) in with.iter().zip(&without) {
        for name in ["read_calls", "copy_calls", "draw_calls", "textures_made"] {
            assert_eq!(native(a, name), native(b, name), "frame {} {name}", a.frame);
        }
    }
}

#[test]
fn progress_names_the_record_that_was_begun_last() {
    let words: [AtomicU64; 4] = Default::default();
    let progress = Progress::new(&words);
    assert_eq!(progress.last(), None);
    let options = PlayOptions {
        progress: Some(progress),
        ..PlayOptions::default()
    };
    // While a frame is delivered its Present was begun last.
    let mut seen = Vec::new();
    let error = play(
        &trace("later-frames.json"),
        &mut NullBackend::default(),
        &options,
        &mut |f| {
            let at = progress.last().expect("begun");
            seen.push((at.frame, at.next_verb, at.op, at.to_string()));
            if f.frame == 101 {
                Err("enough".into())
            } else {
                Ok(())
            }
        },
    )
    .expect_err("stopped");
    assert!(matches!(error, PlayError::Stopped(_)));
    assert_eq!(seen.len(), 2);
    assert_eq!(
        seen[0],
        (100, 1, Op::Present, "100:1, Present, record 8".to_owned())
    );
    assert_eq!((seen[1].0, seen[1].1), (101, 1));

    // A record that fails is the last one begun.
    let error = play(
        &trace("dead-handle.json"),
        &mut NullBackend::default(),
        &options,
        &mut |_| Ok(()),
    )
    .expect_err("a dead handle");
    let PlayError::Apply {
        ordinal,
        frame,
        place,
        error: ApplyError::Handle { op, .. },
    } = error
    else {
        panic!("{error}");
    };
    let at = progress.last().expect("begun");
    assert_eq!((at.ordinal, at.frame, at.op.name()), (ordinal, frame, op));
    assert!(at.to_string().starts_with(&place), "{at} {place}");
    // The words of another process may hold anything.
    words[3].store(u64::MAX, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(progress.last(), None);
}

/// The smallest picture, with the end of a fence that was never made, and with what became of that record.
fn with_outcome(outcome: &str) -> TraceFile {
    let fence = r#"{"op": "FenceDestroy", "fence": {"slot": 5, "generation": 1}},"#;
    let whole = text("clear-and-present.json");
    let place = r#"{"op": "CreateRenderState""#;
    assert_eq!(whole.matches(place).count(), 1);
    // The event stands behind one more record.
    let (before, after) = whole.split_once(place).expect("found");
    let (one, rest) = after.split_once('\n').expect("a line");
    let whole = format!("{before}{fence}\n{place}{one}\n{outcome}\n{rest}");
    assembled("outcome", &whole)
}

fn outcome(behind: u64, kind: &str) -> String {
    format!(
        r#"{{"event": {{"Outcome": {{"behind": {behind}, "kind": "{kind}", "text": "why"}}}}}},"#
    )
}

#[test]
fn what_was_not_carried_out_when_it_was_recorded_need_not_be_here() {
    let replay = |file: &TraceFile| {
        let options = PlayOptions::default();
        play(file, &mut NullBackend::default(), &options, &mut |_| Ok(()))
    };
    let recorded = with_outcome(&outcome(1, "Refused"));
    let all = recorded.outcomes().expect("read");
    assert_eq!(
        (all.len(), all.get(3)),
        (1, Some((OutcomeKind::Refused, "why")))
    );
    let summary = replay(&recorded).expect("as recorded");
    assert!(summary.is_faithful() && summary.frames == 2);
    assert_eq!(summary.as_recorded.len(), 1);
    assert!(
        summary.as_recorded[0].starts_with("FenceDestroy"),
        "{:?}",
        summary.as_recorded
    );

    // Not told, told of another record, or told to have failed for another reason: the trace is at fault.
    for other in [
        String::new(),
        outcome(0, "Refused"),
        outcome(1, "OutOfMemory"),
    ] {
        let file = with_outcome(&other);
        let error = replay(&file).expect_err("a fence that is none");
        assert!(
            matches!(error, PlayError::Apply { ordinal: 3, .. }),
            "{other}: {error}"
        );
        let mut state = PushedState::default();
        let mut cursor = file.records(..).expect("records");
        let refused = loop {
            let record = cursor.next().expect("a record").expect("not the end");
            if let Err(e) = file.absorb(&mut state, &record) {
                break (record.place.ordinal, e.to_string());
            }
        };
        assert_eq!(refused.0, 3);
    }
    // An outcome of a record that would be before the first names none.
    assert!(
        with_outcome(&outcome(99, "Refused"))
            .outcomes()
            .expect("read")
            .is_empty()
    );
}
