//! Commands that read traces: what they show, and what they say of files that are none.

use std::path::{Path, PathBuf};

use mgl_core::format::Format;
use mgl_core::handle::{
    ContextHandle, FramebufferHandle, Handle, RenderStateHandle, SurfaceHandle,
};
use mgl_core::pipe::render_state::{ALL_CHUNKS, DynamicState, PipelineState};
use mgl_core::pipe::*;
use mgl_core::pod::F32;
use mgl_core::trace::{Provenance, TraceWriter, WriterOptions};
use mgl_verify::image::Image;
use tempfile::TempDir;

use crate::common::{Run, arg, finish, mgl, run};

const HANDLE: Handle = Handle {
    slot: 0,
    generation: 1,
};
const SURFACE: SurfaceHandle = SurfaceHandle(HANDLE);
const WIDTH: u32 = 16;
const HEIGHT: u32 = 12;

/// What a trace holds that a replay cannot confirm.
#[derive(Clone, Copy, Default)]
struct Lies {
    /// The image of this frame has another colour.
    image: Option<u8>,
    /// So has the pixel that was read back in this frame.
    reply: Option<u8>,
}

/// The colour that frame `n` is cleared to.
fn colour(n: u8) -> [u8; 4] {
    [n, 255 - n, 51, 255]
}

/// A trace of frames that clear a window to a colour, read a pixel back and show it, with images.
fn write_trace(path: &Path, frames: u8, lies: Lies) {
    let provenance = Provenance {
        mgl: "0.1.0".into(),
        program: "a-program".into(),
        backend: "espryt".into(),
        ..Provenance::default()
    };
    let mut writer = TraceWriter::create(Vec::new(), path, &provenance, WriterOptions::default())
        .expect("a Vec takes everything");
    let mut push = |call: Call<'_>| writer.push(&call).map(|_| ());
    prelude(&mut push).expect("a Vec takes everything");
    for n in 0..frames {
        let shown = |lie: Option<u8>| if lie == Some(n) { [9; 4] } else { colour(n) };
        let mut record = || {
            let bits = colour(n).map(|c| (f32::from(c) / 255.0).to_bits());
            writer.push(&Call::Clear {
                p: &Clear {
                    buffers: BufferMask::COLOR0,
                    color: bits,
                    depth: F32(1.0),
                    ..Clear::default()
                },
            })?;
            let read = writer.push(&Call::ReadPixels {
                p: &ReadPixels {
                    width: 1,
                    height: 1,
                    format: Format::RGBA8,
                    buffers: BufferMask::COLOR0,
                    ..ReadPixels::default()
                },
            })?;
            writer.reply(read, &Reply::Bytes(shown(lies.reply).into()))?;
            let pixels = shown(lies.image).repeat((WIDTH * HEIGHT) as usize);
            writer.image(SURFACE, WIDTH, HEIGHT, &pixels)?;
            writer.push(&Call::Present {
                p: &Present {
                    surface: SURFACE,
                    ..Present::default()
                },
            })?;
            writer.flush()
        };
        record().expect("a Vec takes everything");
    }
    let (bytes, _) = writer.finish().expect("a Vec takes everything");
    std::fs::write(path, bytes).expect("write");
}

/// What comes before the first frame.
fn prelude<E>(push: &mut impl FnMut(Call<'_>) -> Result<(), E>) -> Result<(), E> {
    let context = ContextHandle(HANDLE);
    let render_state = RenderStateHandle(HANDLE);
    push(Call::SurfaceCreate {
        p: &SurfaceDesc {
            surface: SURFACE,
            width: WIDTH,
            height: HEIGHT,
            color: Format::RGBA8,
            double_buffered: true.into(),
            ..SurfaceDesc::default()
        },
    })?;
    push(Call::ContextCreate {
        p: &ContextDesc {
            context,
            profile: ContextProfile::CORE,
            ..ContextDesc::default()
        },
    })?;
    push(Call::BindContext {
        p: &BindContext {
            context,
            draw: SURFACE,
            read: SURFACE,
        },
    })?;
    push(Call::CreateRenderState {
        p: &RenderStateDesc {
            render_state,
            state: PipelineState::initial(),
        },
    })?;
    push(Call::BindRenderState {
        p: &BindRenderState {
            render_state,
            version: 1,
            ..BindRenderState::default()
        },
    })?;
    let mut words = Vec::new();
    DynamicState::initial().gather(ALL_CHUNKS, &mut words);
    push(Call::SetDynamicState {
        p: &SetDynamicState {
            chunks: ALL_CHUNKS,
            ..SetDynamicState::default()
        },
        words: &words,
    })?;
    let color = Attachment {
        resource: SURFACE.into(),
        format: Format::RGBA8,
        ..Attachment::default()
    };
    let mut framebuffer = FramebufferState {
        framebuffer: FramebufferHandle::DEFAULT,
        binding: FramebufferBinding::DRAW | FramebufferBinding::READ,
        width: WIDTH,
        height: HEIGHT,
        draw_buffers: [NO_BUFFER; MAX_COLOR_ATTACHMENTS],
        read: color,
        ..FramebufferState::default()
    };
    framebuffer.draw_buffers[0] = 0;
    framebuffer.color[0] = color;
    push(Call::SetFramebufferState { p: &framebuffer })
}

struct Files {
    dir: TempDir,
}

impl Files {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("temporary folder");
        write_trace(&dir.path().join("good.mgltrace"), 3, Lies::default());
        Self { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn replay(&self, name: &str, options: &[&str]) -> Run {
        run([&["replay", arg(&self.path(name))], options].concat())
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
        (&3.into(), &16.into(), &3.into())
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
    let image = Image::from_fn(3, 3, |_, _| [0; 4]);
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

#[test]
fn a_replay_equals_its_recorded_images() {
    let files = Files::new();
    let call = files.replay("good.mgltrace", &[]);
    call.expect_code(0);
    for text in [
        "3 frames replayed: espryt on",
        "images: 3 compared",
        "replies: 3 compared",
    ] {
        assert!(call.stdout.contains(text), "{text}:\n{}", call.stdout);
    }
    let call = files.replay("good.mgltrace", &["--json", "--debug"]);
    call.expect_code(0);
    let report = call.json();
    assert_eq!(
        (&report["pass"], &report["images_compared"]),
        (&true.into(), &3.into())
    );
    assert_eq!(report["frames"][2]["check"], "equal");
    assert_eq!(report["errors"], serde_json::json!([]));
    assert_eq!(report["frames"][1]["counters"]["clears"], 1);
}

#[test]
fn replayed_frames_are_written_upright_and_selected() {
    let files = Files::new();
    let out = files.path("out");
    files
        .replay("good.mgltrace", &["--out", arg(&out), "--frames", "1.."])
        .expect_code(0);
    assert!(!out.join("000000.png").exists());
    for n in [1, 2] {
        let image = Image::load(&out.join(format!("00000{n}.png"))).expect("a PNG");
        assert_eq!(image.size().to_string(), format!("{WIDTH}x{HEIGHT}"));
        assert!(
            image.pixels().iter().all(|p| *p == colour(n)),
            "{:?}",
            image.pixels()[0]
        );
    }
}

#[test]
fn an_image_that_differs_fails_and_is_shown() {
    let files = Files::new();
    let lies = Lies {
        image: Some(1),
        ..Lies::default()
    };
    write_trace(&files.path("lie.mgltrace"), 3, lies);
    let out = files.path("out");
    let call = files.replay("lie.mgltrace", &["--out", arg(&out)]);
    call.expect_code(1);
    let text = format!("{} pixels differ, by up to 246", WIDTH * HEIGHT);
    assert!(call.stdout.contains(&text), "{}", call.stdout);
    for folder in ["recorded", "differences"] {
        assert!(out.join(folder).join("000001.png").exists(), "{folder}");
        assert!(!out.join(folder).join("000000.png").exists(), "{folder}");
    }
    files
        .replay("lie.mgltrace", &["--frames", "2"])
        .expect_code(0);
}

#[test]
fn a_reply_that_differs_fails_and_is_named() {
    let files = Files::new();
    let lies = Lies {
        reply: Some(2),
        ..Lies::default()
    };
    write_trace(&files.path("lie.mgltrace"), 3, lies);
    let call = files.replay("lie.mgltrace", &[]);
    call.expect_code(1);
    assert!(
        call.stdout.contains("FAIL: reply to ReadPixels at 2:1"),
        "{}",
        call.stdout
    );
}

#[test]
fn the_null_back_end_draws_nothing_and_checks_nothing() {
    let files = Files::new();
    let call = files.replay("good.mgltrace", &["--backend", "null", "--json"]);
    call.expect_code(0);
    let report = call.json();
    assert_eq!(
        (&report["images_compared"], &report["replies_compared"]),
        (&0.into(), &0.into())
    );
    assert_eq!(report["counters"]["presents"], 3);
    let call = files.replay(
        "good.mgltrace",
        &["--backend", "null", "--bench", "--stats"],
    );
    call.expect_code(0);
    assert!(call.stdout.contains("records a second") && call.stdout.contains("presents"));
}

#[test]
fn replays_that_cannot_be_made_have_their_own_exit_codes() {
    let files = Files::new();
    files
        .replay("good.mgltrace", &["--frames", "7..9"])
        .expect_code(2);
    files
        .replay("good.mgltrace", &["--frames", "x"])
        .expect_code(2);
    files
        .replay("good.mgltrace", &["--backend", "metal"])
        .expect_code(2);
    files.replay("missing.mgltrace", &[]).expect_code(2);
    let file = files.path("file");
    std::fs::write(&file, "").expect("write");
    let call = files.replay("good.mgltrace", &["--out", arg(&file)]);
    call.expect_code(2);
    assert!(call.stderr.contains(arg(&file)), "{}", call.stderr);

    let call = finish(
        mgl()
            .env("MGL_REAL_LIBEGL", "/nonexistent/libEGL.so.1")
            .args(["replay", arg(&files.path("good.mgltrace"))]),
    );
    call.expect_code(3);
    assert!(call.stderr.contains("mgl doctor"), "{}", call.stderr);
}

#[test]
fn a_cut_trace_replays_up_to_the_cut() {
    let files = Files::new();
    files.cut("cut.mgltrace", 20);
    let call = files.replay("cut.mgltrace", &["--json"]);
    call.expect_code(0);
    assert_eq!(call.json()["frames"].as_array().map(Vec::len), Some(3));
}
