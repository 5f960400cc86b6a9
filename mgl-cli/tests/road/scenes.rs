//! Scenes of glmark2: recorded, and replayed from the file and from a copy that holds no image, pixel for pixel; and both
//! back ends show the same.

use mgl_core::trace::TraceFile;

use mgl_verify::image::{Image, Options, Thresholds, compare};

use crate::road::{Place, finish, live, mgl};

const FRAMES: u64 = 8;

/// Records a scene and replays it; its frames must not all be the same.
fn scene(options: &str) {
    let place = Place::new();
    let scene = format!("{options}:nframes={FRAMES}:duration=600");
    let report = place.record(
        "scene.mgltrace",
        &["glmark2", "-s", "240x180", "-b", &scene],
    );
    report.is_healthy().compared_content();
    assert_eq!(report.0["backend"], "espryt");
    assert!(report.counter("draws") >= FRAMES, "{}", report.0);
    let frames = place.replays_equal("scene.mgltrace");
    assert!(frames >= FRAMES, "{frames} frames");
    // A scene shows something: a replay of nothing at all would be equal as well.
    let file = TraceFile::open(&place.path("scene.mgltrace")).expect("a readable trace");
    let last = live(&file, frames - 1);
    assert_eq!(last.size().to_string(), "240x180");
    let first = last.pixels()[0];
    let drawn = last.pixels().iter().filter(|p| **p != first).count();
    assert!(drawn > 1000, "{drawn} pixels stand out");

    // Live on Vulkan, and the same recording on both back ends.
    let report = place.record_on(
        "magma",
        "magma.mgltrace",
        &["glmark2", "-s", "240x180", "-b", &scene],
    );
    report.is_healthy().compared_content();
    assert_eq!(report.0["backend"], "magma");
    assert!(place.replays_equal_on("magma", "magma.mgltrace") >= FRAMES);
    let out = place.path("on-magma");
    let trace = place.path("scene.mgltrace");
    let mut command = mgl();
    command.args(["replay", "--backend", "magma"]);
    // Pixels may differ from those that Espryt recorded.
    finish(command.arg(&trace).arg("--out").arg(&out));
    for frame in file.frames() {
        let there = Image::load(&out.join(format!("{frame:06}.png"))).expect("a frame");
        let verdict =
            Thresholds::default().judge(&compare(&live(&file, frame), &there, &Options::default()));
        assert!(verdict.pass, "{options}: frame {frame}: {verdict:?}");
    }
}

#[test]
fn build() {
    scene("build");
}

#[test]
fn texture() {
    scene("texture:texture-filter=mipmap");
}

#[test]
fn shading() {
    scene("shading:shading=phong");
}

#[test]
fn bump() {
    scene("bump:bump-render=height");
}

#[test]
fn effect2d() {
    scene("effect2d");
}
