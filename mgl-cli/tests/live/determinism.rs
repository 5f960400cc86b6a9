//! Two recordings of one deterministic program are equal: on one back end in everything, on two of them in everything but
//! what the back end answers. What a program makes of answers is its own: such programs are here too.

use mgl_core::trace::{Diff, DiffOptions, TraceFile, diff};

use crate::road::{Place, finish, mgl, mgl_with_driver};

/// Records a program under the virtual clock.
#[track_caller]
fn record(place: &Place, trace: &str, back_end: &str, program: &[&str]) {
    record_over(place, trace, (back_end, "auto"), program);
}

/// As [`record`], over a link.
#[track_caller]
fn record_over(place: &Place, trace: &str, (back_end, link): (&str, &str), program: &[&str]) {
    let mut command = mgl_with_driver();
    place.on_display(&mut command);
    command
        .args(["record", "-o", trace, "--backend", back_end, "--link", link])
        .args(["--clock", "4000", "--"])
        .args(program);
    finish(&mut command).expect_code(0);
}

fn compare(place: &Place, left: &str, right: &str) -> Diff {
    let open = |name| TraceFile::open(&place.path(name)).expect("a readable trace");
    diff(&open(left), &open(right), &DiffOptions::default()).expect("whole records")
}

#[track_caller]
fn assert_equal(difference: &Diff, frames: u64, what: &str) {
    let first = difference.rows.first();
    assert!(
        difference.is_equal(),
        "{what}: {first:?} {:?}",
        difference.summary
    );
    // What follows the last frame is compared as well.
    assert!(
        (frames..frames + 2).contains(&difference.frames),
        "{what}: {}",
        difference.frames
    );
}

/// Recorded on Espryt and on Magma, over both links, which makes no difference, and on null; gives the differences
/// between the back ends.
#[track_caller]
fn recorded_again(place: &Place, program: &[&str], frames: u64) -> [(&'static str, Diff); 2] {
    for old in ["one", "two", "magma", "magma-direct", "null"] {
        let _ = std::fs::remove_file(place.path(&format!("{old}.mgltrace")));
    }
    record_over(place, "one.mgltrace", ("espryt", "thread"), program);
    record_over(place, "two.mgltrace", ("espryt", "direct"), program);
    record_over(place, "magma.mgltrace", ("magma", "thread"), program);
    record_over(place, "magma-direct.mgltrace", ("magma", "direct"), program);
    record(place, "null.mgltrace", "null", program);
    for (thread, direct, name) in [("one", "two", "Espryt"), ("magma", "magma-direct", "Magma")] {
        let file = |name: &str| format!("{name}.mgltrace");
        let again = compare(place, &file(thread), &file(direct));
        assert_equal(
            &again,
            frames,
            &format!("recorded on {name} over both links"),
        );
    }
    ["magma", "null"].map(|name| {
        let other = format!("{name}.mgltrace");
        (name, compare(place, "one.mgltrace", &other))
    })
}

#[track_caller]
fn is_deterministic(program: &[&str], frames: u64) {
    let place = place();
    for (name, between) in recorded_again(&place, program, frames) {
        assert_equal(
            &between,
            frames,
            &format!("recorded on Espryt and on {name}"),
        );
    }
}

fn place() -> Place {
    let place = Place::new();
    place.compile_for_system("road/programs/frames.c", "frames");
    place.compile_for_system("live/programs/asks.c", "asks");
    place.compile_for_system("live/programs/swaps.c", "swaps");
    place
}

#[test]
fn draws_and_uploads() {
    for mode in ["plain", "blend", "atlas", "noise"] {
        is_deterministic(&["./frames", mode, "6"], 6);
    }
}

#[test]
fn swaps_of_glx_and_egl() {
    for mode in ["linked", "other", "egl"] {
        is_deterministic(&["./swaps", mode], 4);
    }
}

/// A mapped buffer holds what the program wrote, with a back end or without.
#[test]
fn mapped_buffers() {
    is_deterministic(&["./asks", "maps"], 8);
}

/// Where the program's memory lies makes no difference, in one recording or between two.
#[test]
fn client_arrays() {
    let place = place();
    for order in ["low", "high"] {
        for (name, between) in recorded_again(&place, &["./asks", "arrays", order], 8) {
            assert_equal(&between, 8, &format!("{order} on {name}"));
        }
        record(
            &place,
            &format!("{order}.mgltrace"),
            "null",
            &["./asks", "arrays", order],
        );
    }
    let moved = compare(&place, "low.mgltrace", "high.mgltrace");
    assert_equal(&moved, 8, "the same arrays elsewhere");
}

/// Null reads black and sees nothing: a program that goes by that pushes other things, and the first difference is where
/// it does.
#[test]
fn programs_that_go_by_answers_differ_where_they_use_them() {
    let place = place();
    for (mode, call) in [
        ("reads", "ResourceSubData"),
        ("query", "DrawVbo"),
        ("renderer", "Clear"),
    ] {
        let [_, (_, between)] = recorded_again(&place, &["./asks", mode], 8);
        assert!(!between.is_equal(), "{mode}");
        assert_eq!(between.rows[0].call, call, "{mode}: {:?}", between.rows[0]);
    }
}

fn scene(options: &str) {
    const FRAMES: u64 = 8;
    let place = Place::new();
    let scene = format!("{options}:nframes={FRAMES}:duration=600");
    let program = ["glmark2", "-s", "240x180", "-b", &scene];
    for (name, between) in recorded_again(&place, &program, FRAMES) {
        assert_equal(&between, FRAMES, &format!("{options} on {name}"));
    }
    // The clock moves the scene: without, every frame would be the same, and equal recordings easy.
    let file = TraceFile::open(&place.path("one.mgltrace")).expect("a readable trace");
    assert!(
        file.record_count() > 5 * FRAMES,
        "{} records",
        file.record_count()
    );
}

#[test]
fn glmark2_build() {
    scene("build");
}

#[test]
fn glmark2_texture() {
    scene("texture");
}

#[test]
fn glmark2_buffer() {
    scene("buffer:update-method=map");
}

#[test]
fn glmark2_desktop() {
    scene("desktop");
}

#[test]
fn glmark2_effect2d() {
    scene("effect2d");
}

/// Other work, other recording; the field that differs is named.
#[test]
fn another_argument_is_a_difference_by_name() {
    let place = place();
    record(
        &place,
        "one.mgltrace",
        "null",
        &["./frames", "atlas", "4", "50"],
    );
    record(
        &place,
        "two.mgltrace",
        "null",
        &["./frames", "atlas", "4", "49"],
    );
    let call = finish(
        mgl()
            .arg("diff")
            .args([place.path("one.mgltrace"), place.path("two.mgltrace")]),
    );
    call.expect_code(1);
    let first = call.stdout.lines().next().unwrap_or_default();
    assert!(
        first.starts_with("first difference: frame 0, verb 0:2, ResourceSubData."),
        "{first}"
    );

    // So is another speed of the clock, where the program looks at it.
    for (trace, step) in [("slow.mgltrace", "4000"), ("fast.mgltrace", "5000")] {
        let mut command = mgl_with_driver();
        place.on_display(&mut command);
        command
            .args([
                "record",
                "-o",
                trace,
                "--backend",
                "null",
                "--clock",
                step,
                "--",
            ])
            .args([
                "glmark2",
                "-s",
                "240x180",
                "-b",
                "build:nframes=8:duration=600",
            ]);
        finish(&mut command).expect_code(0);
    }
    let difference = compare(&place, "slow.mgltrace", "fast.mgltrace");
    assert!(!difference.is_equal());
    assert_eq!(difference.rows[0].call, "SetGlobalConstants");
}

/// A fault made on purpose is a difference at its verb, and said.
#[test]
fn a_push_that_is_left_out_is_found() {
    let place = place();
    let program = ["./frames", "blend", "4"];
    record(&place, "whole.mgltrace", "null", &program);
    let faulty = |push: &str| {
        let trace = format!("without-{}.mgltrace", push.replace(':', "-"));
        let mut command = mgl_with_driver();
        place
            .on_display(&mut command)
            .env("MGL_LEAVE_OUT", push)
            .args(["record", "-o", &trace, "--backend", "null"])
            .args(["--clock", "4000", "--"])
            .args(program);
        let call = finish(&mut command);
        call.expect_code(0);
        (compare(&place, "whole.mgltrace", &trace), call.stderr)
    };
    let (difference, stderr) = faulty("SetGlobalConstants:250");
    assert!(
        stderr.contains("a push of SetGlobalConstants was left out"),
        "{stderr}"
    );
    let row = &difference.rows[0];
    assert_eq!((row.frame, row.call), (2, "SetGlobalConstants"), "{row:?}");
    assert!(
        row.right.is_none() && difference.total == 1,
        "{difference:?}"
    );

    let (difference, _) = faulty("Clear:4");
    assert_eq!(difference.rows[0].call, "Clear");
    assert_eq!(difference.rows[0].verb, "3:0");

    // Nothing is left out in silence, or by a wrong name.
    let (difference, stderr) = faulty("Clear:5");
    assert!(difference.is_equal());
    assert!(
        stderr.contains("Clear was pushed 4 times; nothing was left out"),
        "{stderr}"
    );
    let (difference, stderr) = faulty("SetGlobals:2");
    assert!(difference.is_equal());
    assert!(
        stderr.contains("MGL_LEAVE_OUT: there is no call SetGlobals"),
        "{stderr}"
    );
}
