//! Scenes of glmark2: recorded, and replayed from the file and from a copy that holds no image, pixel for pixel.

use mgl_core::trace::TraceFile;

use crate::road::{Place, live};

const FRAMES: u64 = 8;

/// Records a scene and replays it; its frames must not all be the same.
fn scene(options: &str) {
    let place = Place::new();
    let scene = format!("{options}:nframes={FRAMES}:duration=600");
    let report = place.record(
        "scene.mgltrace",
        &["glmark2", "-s", "240x180", "-b", &scene],
    );
    report.is_healthy();
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
