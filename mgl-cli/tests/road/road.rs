//! What the tests of the road share: a display, programs, recordings and what they must hold.

#[path = "../program/common.rs"]
#[allow(dead_code)]
mod program;
#[path = "../../../mgl-record/tests/common/xvfb.rs"]
#[allow(dead_code)]
mod xvfb;

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::Command;

use mgl_core::trace::{RepairOptions, TraceFile, repair};
use mgl_verify::image::Image;
use serde_json::{Value, json};
use tempfile::TempDir;

#[allow(unused_imports)]
pub use program::{Run, arg, finish, mgl, mgl_with_driver};

/// A display and a folder.
pub struct Place {
    xvfb: xvfb::Xvfb,
    folder: TempDir,
}

impl Place {
    pub fn new() -> Self {
        Self {
            xvfb: xvfb::Xvfb::start(),
            folder: tempfile::tempdir().expect("temporary folder"),
        }
    }

    /// A file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A command that finds the display, and works in the folder.
    pub fn on_display<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command
            .env("DISPLAY", self.xvfb.display())
            .env_remove("EGL_PLATFORM")
            .current_dir(self.folder.path())
    }

    /// `mgl` with the driver beside it, on the display, with every frame's state and content emitted and compared, and
    /// the driver's report in a file.
    pub fn checked(&self, report: &str) -> Command {
        let mut command = mgl_with_driver();
        self.on_display(&mut command)
            .env("MGL_CHECK", "repush")
            .env("MGL_REPORT", self.path(report));
        command
    }

    /// Records a program on Espryt with the image of every frame; gives the driver's report.
    #[track_caller]
    pub fn record(&self, trace: &str, program: &[&str]) -> Report {
        self.record_on("espryt", trace, program)
    }

    /// Records a program on a back end with the image of every frame; gives the driver's report.
    #[track_caller]
    pub fn record_on(&self, back_end: &str, trace: &str, program: &[&str]) -> Report {
        let report = format!("{trace}.json");
        let mut command = self.checked(&report);
        command
            .args(["record", "-o", trace, "--images", "every=1"])
            .args(["--backend", back_end, "--"])
            .args(program);
        finish(&mut command).expect_code(0);
        Report::read(&self.path(&report))
    }

    /// Compiles one of the C programs of this folder; the driver's own names are what it is linked to.
    pub fn compile(&self, name: &str, flags: &[&str]) -> PathBuf {
        let built = Path::new(env!("CARGO_BIN_EXE_mgl"));
        let folder = built.parent().expect("programs lie in a folder");
        let libraries = [
            format!("-L{}", folder.join("shims").display()),
            format!("-Wl,-rpath-link,{}", folder.display()),
            "-Wl,--no-as-needed".to_owned(),
            // The shims hold no names themselves.
            folder.join("libmgl.so").display().to_string(),
        ];
        let libraries: Vec<&str> = match flags.contains(&"-shared") {
            true => Vec::new(),
            false => libraries
                .iter()
                .map(String::as_str)
                .chain(["-l:libGL.so.1", "-l:libEGL.so.1", "-l:libX11.so.6"])
                .collect(),
        };
        self.cc(&format!("road/programs/{name}.c"), name, flags, &libraries)
    }

    /// Compiles a C program of the tests' folder that runs on the system's GL, and on the driver under `mgl`.
    pub fn compile_for_system(&self, source: &str, name: &str) -> PathBuf {
        let libraries = ["-l:libGL.so.1", "-l:libEGL.so.1", "-l:libX11.so.6", "-ldl"];
        self.cc(source, name, &[], &libraries)
    }

    fn cc(&self, source: &str, name: &str, flags: &[&str], libraries: &[&str]) -> PathBuf {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let out = self.path(name);
        let mut command = Command::new("cc");
        command
            .args(["-O1", "-Wall", "-Wextra", "-o"])
            .arg(&out)
            .arg(here.join("tests").join(source))
            .arg("-I")
            .arg(here.join("../mgl-record/tests/programs"))
            .args(flags)
            .args(libraries);
        let done = command.output().expect("cc is installed");
        assert!(
            done.status.success(),
            "{source}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
        out
    }

    /// Replays a recording on Espryt from its file and from a copy that holds no image: every frame must equal the live
    /// one.
    #[track_caller]
    pub fn replays_equal(&self, trace: &str) -> u64 {
        self.replays_equal_on("espryt", trace)
    }

    /// As [`Self::replays_equal`], on a back end.
    #[track_caller]
    pub fn replays_equal_on(&self, back_end: &str, trace: &str) -> u64 {
        let replay = || {
            let mut command = mgl();
            command.args(["replay", "--backend", back_end]);
            command
        };
        let path = self.path(trace);
        let file = TraceFile::open(&path).expect("a readable trace");
        let frames = file.frames().end;
        assert_eq!(file.image_frames().len() as u64, frames, "images of frames");

        let report = finish(replay().arg(&path).arg("--json"));
        let json = report.expect_code(0).json();
        assert_eq!(json["pass"], true);
        assert_eq!(json["images_compared"], frames);
        assert_eq!(json["errors"], json!([]));

        let copy = self.path(&format!("image-free-{trace}"));
        let writer = BufWriter::new(File::create(&copy).expect("a new file"));
        let options = RepairOptions {
            drop_images: true,
            ..RepairOptions::default()
        };
        repair(&file, writer, &copy, options).expect("a copy");
        let bare = TraceFile::open(&copy).expect("a readable copy");
        assert!(bare.image_frames().is_empty());
        assert_eq!(bare.frames(), file.frames());
        let out = self.path(&format!("replayed-{trace}"));
        finish(replay().arg(&copy).arg("--out").arg(&out)).expect_code(0);
        for frame in file.frames() {
            let replayed = Image::load(&out.join(format!("{frame:06}.png"))).expect("a frame");
            assert_eq!(replayed, live(&file, frame), "{trace}: frame {frame}");
        }
        frames
    }
}

/// The image that was recorded with a frame.
pub fn live(file: &TraceFile, frame: u64) -> Image {
    let image = file.image(frame).expect("readable").expect("recorded");
    Image::from_bottom_up(image.width, image.height, &image.rgba).expect("whole rows")
}

/// What the driver said of itself at the end of a program.
pub struct Report(pub Value);

impl Report {
    pub fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).expect("the driver's report");
        Self(serde_json::from_str(&text).expect("one JSON document"))
    }

    /// Nothing refused, nothing at fault, and at every frame a fresh server has what the live one has.
    #[track_caller]
    pub fn is_healthy(&self) -> &Self {
        for what in ["refused", "unsupported", "faults", "panics"] {
            assert_eq!(self.0[what], json!({}), "{what}");
        }
        let checks = &self.0["checks"];
        assert!(checks["repush"].as_u64() > Some(0), "{checks}");
        assert_eq!(checks["repush_differences"], 0, "{checks}");
        assert_eq!(checks["left_out"], json!({}), "{checks}");
        self
    }

    /// Bytes that the client has were compared with the server's.
    #[track_caller]
    pub fn compared_content(&self) -> &Self {
        let bytes = &self.0["checks"]["compared_bytes"];
        assert!(bytes.as_u64() > Some(0), "{bytes}");
        self
    }

    pub fn counter(&self, name: &str) -> u64 {
        self.0["counters"][name].as_u64().expect("a counter")
    }
}
