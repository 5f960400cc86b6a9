//! Commands that read traces: what they show, and what they say of files that are none.

use std::path::{Path, PathBuf};

use mgl_core::format::Format;
use mgl_core::handle::{ContextHandle, Handle, SurfaceHandle};
use mgl_core::pipe::{BindContext, Call, ContextDesc, ContextProfile, Present, SurfaceDesc};
use mgl_core::trace::{Provenance, TraceWriter, WriterOptions};
use tempfile::TempDir;

use crate::common::{Run, arg, run};

const HANDLE: Handle = Handle {
    slot: 0,
    generation: 1,
};

/// A trace of some frames in which nothing is drawn; each has an image of 4x2 pixels, its number in red.
pub fn write_trace(path: &Path, frames: u8) {
    let surface = SurfaceHandle(HANDLE);
    let context = ContextHandle(HANDLE);
    let provenance = Provenance {
        mgl: "0.1.0".into(),
        program: "a-program".into(),
        backend: "null".into(),
        ..Provenance::default()
    };
    let mut writer = TraceWriter::create(Vec::new(), path, &provenance, WriterOptions::default())
        .expect("a Vec takes everything");
    let mut push = |writer: &mut TraceWriter<Vec<u8>>, call: Call<'_>| {
        writer.push(&call).expect("a Vec takes everything");
    };
    push(
        &mut writer,
        Call::SurfaceCreate {
            p: &SurfaceDesc {
                surface,
                width: 4,
                height: 2,
                color: Format::RGBA8,
                double_buffered: true.into(),
                ..SurfaceDesc::default()
            },
        },
    );
    push(
        &mut writer,
        Call::ContextCreate {
            p: &ContextDesc {
                context,
                profile: ContextProfile::CORE,
                ..ContextDesc::default()
            },
        },
    );
    push(
        &mut writer,
        Call::BindContext {
            p: &BindContext {
                context,
                draw: surface,
                read: surface,
            },
        },
    );
    for frame in 0..frames {
        let pixels = [frame, 0, 0, 255].repeat(8);
        writer
            .image(surface, 4, 2, &pixels)
            .expect("a Vec takes everything");
        push(
            &mut writer,
            Call::Present {
                p: &Present {
                    surface,
                    ..Present::default()
                },
            },
        );
        writer.flush().expect("a Vec takes everything");
    }
    let (bytes, _) = writer.finish().expect("a Vec takes everything");
    std::fs::write(path, bytes).expect("write");
}

struct Files {
    dir: TempDir,
}

impl Files {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("temporary folder");
        write_trace(&dir.path().join("good.mgltrace"), 3);
        Self { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn info(&self, name: &str, options: &[&str]) -> Run {
        run([&["info", arg(&self.path(name))], options].concat())
    }

    /// The good trace without its last bytes.
    fn cut(&self, name: &str, bytes: usize) {
        let whole = std::fs::read(self.path("good.mgltrace")).expect("read");
        std::fs::write(self.path(name), &whole[..whole.len() - bytes]).expect("write");
    }
}

#[test]
fn info_shows_frames_records_and_origin() {
    let files = Files::new();
    let call = files.info("good.mgltrace", &[]);
    call.expect_code(0);
    for text in ["3, from 0 to 2", "a-program", "good.mgltrace", "│ records"] {
        assert!(call.stdout.contains(text), "{text}:\n{}", call.stdout);
    }
    assert!(!call.stdout.contains("not finished"), "{}", call.stdout);

    let call = files.info("good.mgltrace", &["--json"]);
    call.expect_code(0);
    let info = call.json();
    assert_eq!(
        (&info["frames"], &info["records"], &info["images"]),
        (&3.into(), &6.into(), &3.into())
    );
    assert_eq!(info["provenance"]["program"], "a-program");
}

#[test]
fn a_cut_trace_is_recovered_and_said_to_be() {
    let files = Files::new();
    files.cut("cut.mgltrace", 20);
    let call = files.info("cut.mgltrace", &[]);
    call.expect_code(0);
    assert!(
        call.stdout.contains("recovered, 3 frames"),
        "{}",
        call.stdout
    );
    assert!(call.stdout.contains("mgl repair"), "{}", call.stdout);
    let json = files.info("cut.mgltrace", &["--json"]).json();
    assert_eq!(json["recovered"]["frames"], 3);
}

#[test]
fn files_that_are_no_traces_are_told_apart() {
    let files = Files::new();
    std::fs::write(files.path("empty.mgltrace"), "").expect("write");
    let image = mgl_verify::image::Image::from_fn(3, 3, |_, _| [0; 4]);
    image.save(&files.path("image.mgltrace")).expect("save");
    std::fs::write(files.path("noise.mgltrace"), [0xA5; 5000]).expect("write");
    for (name, says) in [
        ("missing.mgltrace", "No such file"),
        ("empty.mgltrace", "empty"),
        ("image.mgltrace", "PNG"),
        ("noise.mgltrace", "not an mgl trace"),
    ] {
        let call = files.info(name, &[]);
        call.expect_code(2);
        assert!(call.stdout.is_empty(), "{name}: {}", call.stdout);
        assert!(
            call.stderr.contains(name) && call.stderr.contains(says),
            "{}",
            call.stderr
        );
        let call = files.info(name, &["--json"]);
        call.expect_code(2);
        assert!(
            call.json()["error"]
                .as_str()
                .is_some_and(|e| e.contains(says))
        );
    }
    let call = run(["info", arg(files.dir.path())]);
    call.expect_code(2);
    assert!(
        call.stderr.contains(arg(files.dir.path())),
        "{}",
        call.stderr
    );
}

/// Whatever single byte is damaged: an answer, a known exit code, and never a crash.
#[test]
fn damage_never_crashes_info() {
    let files = Files::new();
    let whole = std::fs::read(files.path("good.mgltrace")).expect("read");
    for at in (0..whole.len()).step_by(whole.len() / 60) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x55;
        std::fs::write(files.path("damaged.mgltrace"), damaged).expect("write");
        let call = files.info("damaged.mgltrace", &[]);
        assert!(
            matches!(call.code, Some(0 | 2)),
            "byte {at}: {:?} {}",
            call.code,
            call.stderr
        );
        let named =
            call.stderr.contains("damaged.mgltrace") || call.stdout.contains("damaged.mgltrace");
        assert!(named, "byte {at}: {}", call.stderr);
    }
}
