//! The corpus lane (`scripts/test --corpus DIR`): recorded GL traces of real programs, replayed by glretrace on the
//! system's GL and on the driver in the same test. Built with the feature `corpus` only.

#[path = "road/road.rs"]
#[allow(dead_code)]
mod road;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use mgl_core::pipe::Wait;
use mgl_core::trace::{DiffOptions, TraceFile, diff};
use mgl_verify::image::{Image, Options, Thresholds, compare};
use mgl_verify::launcher::Launcher;
use mgl_verify::settings::BackEnd;
use mgl_verify::source::{LiveOptions, Source};
use road::{Place, Report, arg, finish, mgl_with_driver};

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
    plays_on("espryt", name);
}

/// As [`plays_as_on_the_system`], on a back end.
fn plays_on(back_end: &str, name: &str) {
    let place = Place::new();
    let trace = trace(name);
    for folder in ["system", "driver"] {
        std::fs::create_dir(place.path(folder)).expect("a new folder");
    }
    let mut command = Command::new("glretrace");
    place.on_display(&mut command);
    finish(command.args(["-s", "system/", arg(&trace)])).expect_code(0);
    let report: Report = place.record_on(
        back_end,
        "corpus.mgltrace",
        &["glretrace", "-s", "driver/", arg(&trace)],
    );
    report.is_healthy();
    assert_eq!(report.0["backend"], back_end);

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

    let frames = place.replays_equal_on(back_end, "corpus.mgltrace");
    assert_eq!(frames, driver.len() as u64);
    // What glretrace saw is what the recording holds.
    let file = TraceFile::open(&place.path("corpus.mgltrace")).expect("a readable trace");
    let last = Image::load(&driver[driver.len() - 1]).expect("a picture");
    let recorded = road::live(&file, frames - 1);
    let same = Thresholds::EXACT.judge(&compare(&last, &recorded, &Options::default()));
    assert!(same.pass, "{name}: {same:?}");
}

/// A trace as the source of a golden: the recording's frames are the system's, which are those that glretrace itself
/// takes pictures of.
fn is_a_source(name: &str) {
    let place = Place::new();
    let trace = trace(name);
    let source = Source::GlTrace {
        path: trace.clone(),
    };
    let program = Path::new(env!("CARGO_BIN_EXE_mgl"));
    let launcher = Launcher::at(program.parent().expect("a folder")).expect("the driver");
    let limit = Duration::from_secs(120);
    let options = LiveOptions {
        back_end: BackEnd::Null,
        max_frames: None,
        limit,
        leave_out: None,
        device: None,
    };
    let (base, recording) = (place.path(""), place.path("source.mgltrace"));
    let recorded = source
        .record(&base, &launcher, &options, &recording)
        .expect("recorded");
    assert!(recorded.report.is_some());
    let frames = TraceFile::open(&recording).expect("a trace").frames();

    let player = match name.ends_with("-egl") {
        true => "eglretrace",
        false => "glretrace",
    };
    std::fs::create_dir(place.path("system")).expect("a new folder");
    let mut command = Command::new(player);
    place.on_display(&mut command);
    finish(command.args(["-s", "system/", arg(&trace)])).expect_code(0);
    let pictures = pictures(&place.path("system"));
    assert_eq!(pictures.len() as u64, frames.end);

    let wanted: Vec<u64> = frames.collect();
    let images = source
        .system_images(&base, &launcher, &wanted, &place.path("kept"), limit)
        .expect("drawn");
    for (picture, (frame, kept)) in pictures.iter().zip(&images.frames).skip(1) {
        let (left, right) = (Image::load(picture), Image::load(kept));
        assert_eq!(
            left.expect("a picture"),
            right.expect("a picture"),
            "frame {frame}"
        );
    }
}

/// What the program waited for in the second half of its frames, by call, as often as it did; Presents apart.
fn steady_waits(file: &TraceFile) -> BTreeMap<&'static str, u64> {
    let frames = file.frames();
    let steady = frames.start + (frames.end - frames.start) / 2..frames.end;
    let mut cursor = file.records(steady).expect("frames of the file");
    let mut waits = BTreeMap::new();
    while let Some(record) = cursor.next().expect("a whole record") {
        if !matches!(record.call.wait(), Wait::None | Wait::Present) {
            *waits.entry(record.call.op().name()).or_default() += 1;
        }
    }
    waits
}

/// What a program asks for itself. A Flush waits for glFinish and its kin alone.
const ASKED_FOR: [&str; 8] = [
    "Flush",
    "ReadPixels",
    "GetTextureImage",
    "ResourceReadback",
    "QueryResult",
    "QueryAvailable",
    "FenceStatus",
    "FenceWait",
];

/// Every trace of a group, recorded over both links on Espryt and on Magma, and once on null: the recordings are equal, and
/// nothing is waited for in steady frames but what the program asks for. glretrace goes by no answer.
fn recordings_are_equal(group: &str) {
    let place = Place::new();
    let mut count = 0;
    let corpus = std::env::var_os("MGL_CORPUS").expect("MGL_CORPUS names the corpus");
    for trace in pictures(&Path::new(&corpus).join(group)) {
        if trace.extension().is_none_or(|e| e != "trace") {
            continue;
        }
        count += 1;
        let name = trace.file_stem().expect("a name").to_string_lossy();
        let record = |back_end: &str, link: &str| {
            let file = format!("{name}-{back_end}-{link}.mgltrace");
            let mut command = mgl_with_driver();
            place.on_display(&mut command);
            command.args(["record", "-o", &file, "--backend", back_end]);
            command.args(["--link", link, "--", "apitrace", "replay", arg(&trace)]);
            finish(&mut command).expect_code(0);
            TraceFile::open(&place.path(&file)).expect("a readable trace")
        };
        let one = record("espryt", "thread");
        let waits = steady_waits(&one);
        assert!(
            waits.keys().all(|op| ASKED_FOR.contains(op)),
            "{name}: {waits:?}"
        );
        println!("{name}: waits in steady frames: {waits:?}");
        for other in [
            record("espryt", "direct"),
            record("magma", "thread"),
            record("magma", "direct"),
            record("null", "auto"),
        ] {
            let difference = diff(&one, &other, &DiffOptions::default()).expect("whole records");
            let back_end = other.provenance().caps.as_ref().map(|c| &c.backend);
            let first = difference.rows.first();
            assert!(difference.is_equal(), "{name} on {back_end:?}: {first:?}");
            assert!(difference.frames > 2, "{name}");
        }
    }
    assert!(count > 10, "{count} traces in {group}");
}

#[test]
fn recordings_of_the_first_group_are_equal() {
    recordings_are_equal("group1");
}

#[test]
fn recordings_of_the_second_group_are_equal() {
    recordings_are_equal("group2");
}

/// Recorded on EGL, and played by another program.
#[test]
fn an_egl_trace_is_a_source() {
    is_a_source("alacritty-egl");
}

/// Two drawables end frames in turn.
#[test]
fn a_trace_of_two_drawables_is_a_source() {
    is_a_source("imgui_bundle");
}

#[test]
fn a_trace_that_reads_back_is_a_source() {
    is_a_source("raylib-textures");
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

/// The same traces on Vulkan.
mod magma {
    use super::plays_on;

    #[test]
    fn alacritty_egl() {
        plays_on("magma", "alacritty-egl");
    }

    #[test]
    fn glmark2_buffer() {
        plays_on("magma", "glmark2-buffer");
    }

    #[test]
    fn glmark2_desktop() {
        plays_on("magma", "glmark2-desktop");
    }

    #[test]
    fn imgui_bundle() {
        plays_on("magma", "imgui_bundle");
    }

    #[test]
    fn kitty() {
        plays_on("magma", "kitty");
    }

    #[test]
    fn love_mrrescue() {
        plays_on("magma", "love-mrrescue");
    }

    #[test]
    fn moderngl_deferred() {
        plays_on("magma", "moderngl-deferred");
    }

    #[test]
    fn moderngl_instancing() {
        plays_on("magma", "moderngl-instancing");
    }

    #[test]
    fn moderngl_textures() {
        plays_on("magma", "moderngl-textures");
    }

    #[test]
    fn pyglet() {
        plays_on("magma", "pyglet");
    }

    #[test]
    fn raylib_shaders() {
        plays_on("magma", "raylib-shaders");
    }

    #[test]
    fn raylib_textures() {
        plays_on("magma", "raylib-textures");
    }

    #[test]
    fn arcade_cubes() {
        plays_on("magma", "arcade-cubes");
    }

    #[test]
    #[ignore = "its window has four samples, which the system's software renderer draws as one: edges differ"]
    fn arcade_minimap() {
        plays_on("magma", "arcade-minimap");
    }

    #[test]
    #[ignore = "its window has four samples, which the system's software renderer draws as one: edges differ"]
    fn arcade_text() {
        plays_on("magma", "arcade-text");
    }

    #[test]
    #[ignore = "its window has four samples, which the system's software renderer draws as one: edges differ"]
    fn arcade_tiled_map() {
        plays_on("magma", "arcade-tiled_map");
    }

    #[test]
    fn glfw_egl() {
        plays_on("magma", "glfw-egl");
    }

    #[test]
    fn godot3() {
        plays_on("magma", "godot3");
    }

    #[test]
    fn love_demo() {
        plays_on("magma", "love-demo");
    }

    #[test]
    fn moderngl_feedback() {
        plays_on("magma", "moderngl-feedback");
    }

    #[test]
    fn raylib_instancing() {
        plays_on("magma", "raylib-instancing");
    }

    #[test]
    #[ignore = "in its second frame a line lies exactly between two rows of a window: Vulkan has the other rule for ties"]
    fn raylib_models() {
        plays_on("magma", "raylib-models");
    }

    #[test]
    fn supertux2_level() {
        plays_on("magma", "supertux2-level");
    }
}
