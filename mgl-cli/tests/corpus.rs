//! The corpus lane (`scripts/test --corpus DIR`): recorded GL traces of real programs, replayed by glretrace on the
//! system's GL and on the driver in the same test. Built with the feature `corpus` only.

#[path = "road/road.rs"]
#[allow(dead_code)]
mod road;

use std::path::{Path, PathBuf};
use std::process::Command;

use mgl_core::trace::TraceFile;
use mgl_verify::image::{Image, Options, Thresholds, compare};
use road::{Place, Report, arg, finish};

/// A trace, in whichever group it is; the variable is set by scripts/test.
fn trace(name: &str) -> PathBuf {
    let corpus = std::env::var_os("MGL_CORPUS").expect("MGL_CORPUS names the corpus");
    ["group1", "group2"]
        .iter()
        .map(|group| Path::new(&corpus).join(format!("{group}/{name}.trace")))
        .find(|path| path.is_file())
        .unwrap_or_else(|| panic!("no trace {name} in MGL_CORPUS"))
}

/// The pictures in a folder, in the order of their frames.
fn pictures(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder of pictures");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    files.sort();
    files
}

/// Plays a trace on the system's GL, then records it on the driver. From its second frame on the driver must show what
/// the system shows, but for rounding. The first one is left out: what a program never drew is undefined.
fn plays_as_on_the_system(name: &str) {
    let place = Place::new();
    let trace = trace(name);
    for folder in ["system", "driver"] {
        std::fs::create_dir(place.path(folder)).expect("a new folder");
    }
    let mut command = Command::new("glretrace");
    place.on_display(&mut command);
    finish(command.args(["-s", "system/", arg(&trace)])).expect_code(0);
    let report: Report = place.record(
        "corpus.mgltrace",
        &["glretrace", "-s", "driver/", arg(&trace)],
    );
    report.is_healthy();

    let (system, driver) = (
        pictures(&place.path("system")),
        pictures(&place.path("driver")),
    );
    assert_eq!(system.len(), driver.len(), "frames");
    assert!(system.len() > 2, "{} frames", system.len());
    let limits = Thresholds {
        min_ssim: Some(0.99),
        min_tile_ssim: Some(0.95),
        ..Thresholds::NONE
    };
    for (left, right) in system.iter().zip(&driver).skip(1) {
        assert_eq!(left.file_name(), right.file_name());
        let left = Image::load(left).expect("a picture");
        let verdict = limits.judge(&compare(
            &left,
            &Image::load(right).expect("a picture"),
            &Options::default(),
        ));
        assert!(verdict.pass, "{name}: {}: {verdict:?}", right.display());
    }

    let frames = place.replays_equal("corpus.mgltrace");
    assert_eq!(frames, driver.len() as u64);
    // What glretrace saw is what the recording holds.
    let file = TraceFile::open(&place.path("corpus.mgltrace")).expect("a readable trace");
    let last = Image::load(&driver[driver.len() - 1]).expect("a picture");
    let recorded = road::live(&file, frames - 1);
    let same = Thresholds::EXACT.judge(&compare(&last, &recorded, &Options::default()));
    assert!(same.pass, "{name}: {same:?}");
}

#[test]
fn alacritty_egl() {
    plays_as_on_the_system("alacritty-egl");
}

#[test]
fn glmark2_buffer() {
    plays_as_on_the_system("glmark2-buffer");
}

#[test]
fn glmark2_desktop() {
    plays_as_on_the_system("glmark2-desktop");
}

#[test]
fn imgui_bundle() {
    plays_as_on_the_system("imgui_bundle");
}

#[test]
fn kitty() {
    plays_as_on_the_system("kitty");
}

#[test]
fn love_mrrescue() {
    plays_as_on_the_system("love-mrrescue");
}

#[test]
fn moderngl_deferred() {
    plays_as_on_the_system("moderngl-deferred");
}

#[test]
fn moderngl_instancing() {
    plays_as_on_the_system("moderngl-instancing");
}

#[test]
fn moderngl_textures() {
    plays_as_on_the_system("moderngl-textures");
}

#[test]
fn pyglet() {
    plays_as_on_the_system("pyglet");
}

#[test]
fn raylib_shaders() {
    plays_as_on_the_system("raylib-shaders");
}

#[test]
fn raylib_textures() {
    plays_as_on_the_system("raylib-textures");
}

#[test]
fn arcade_cubes() {
    plays_as_on_the_system("arcade-cubes");
}

#[test]
#[ignore = "its window has four samples, which the system's software renderer draws as one: edges differ"]
fn arcade_minimap() {
    plays_as_on_the_system("arcade-minimap");
}

#[test]
#[ignore = "its window has four samples, which the system's software renderer draws as one: edges differ"]
fn arcade_text() {
    plays_as_on_the_system("arcade-text");
}

#[test]
#[ignore = "its window has four samples, which the system's software renderer draws as one: edges differ"]
fn arcade_tiled_map() {
    plays_as_on_the_system("arcade-tiled_map");
}

#[test]
fn glfw_egl() {
    plays_as_on_the_system("glfw-egl");
}

#[test]
fn godot3() {
    plays_as_on_the_system("godot3");
}

#[test]
fn love_demo() {
    plays_as_on_the_system("love-demo");
}

#[test]
fn moderngl_feedback() {
    plays_as_on_the_system("moderngl-feedback");
}

#[test]
fn raylib_instancing() {
    plays_as_on_the_system("raylib-instancing");
}

#[test]
fn raylib_models() {
    plays_as_on_the_system("raylib-models");
}

#[test]
fn supertux2_level() {
    plays_as_on_the_system("supertux2-level");
}
