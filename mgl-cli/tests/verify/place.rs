//! A folder with a trace of ours and its golden, for tests to spoil.

use std::path::{Path, PathBuf};
use std::process::Command;

use mgl_core::trace::{DumpOptions, TraceFile, WriterOptions, assemble, dump};
use mgl_verify::goldens::store::{Golden, STATE};
use mgl_verify::state::capture;
use serde_json::Value;
use tempfile::TempDir;

use crate::road::{Run, finish, mgl_with_driver};

/// The trace that is spoilt.
pub const NAME: &str = "raylib-textures";

/// The project's folder.
pub fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

pub struct Place {
    folder: TempDir,
}

impl Place {
    /// With the trace and the golden of [`NAME`].
    pub fn new() -> Self {
        let place = Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
        };
        let from = project();
        for name in [
            format!("traces/{NAME}.mgltrace"),
            format!("traces/gl/{NAME}.trace"),
        ] {
            copy(&from.join(&name), &place.path(&name));
        }
        copy(
            &from.join("goldens").join(NAME),
            &place.path("goldens").join(NAME),
        );
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn golden(&self) -> Golden {
        Golden::new(&self.path("goldens"), NAME)
    }

    /// `mgl` in the folder, as it runs on a CI server or for people.
    pub fn mgl(&self, ci: bool) -> Command {
        let mut command = mgl_with_driver();
        command.current_dir(self.folder.path()).env_remove("CI");
        if ci {
            command.env("CI", "1");
        }
        command
    }

    /// Runs `mgl --json verify` and gives its document. Nothing is written beside the goldens.
    #[track_caller]
    pub fn verify(&self, args: &[&str], code: i32) -> Value {
        self.run(true, &[&["--json", "verify"], args].concat(), code)
            .json()
    }

    #[track_caller]
    pub fn run(&self, ci: bool, args: &[&str], code: i32) -> Run {
        let run = finish(self.mgl(ci).args(args));
        run.expect_code(code);
        run
    }

    /// Replaces text in a file of the golden, which must be there once at least.
    #[track_caller]
    pub fn edit(&self, file: &str, from: &str, to: &str) {
        let path = self.golden().folder().join(file);
        let text = std::fs::read_to_string(&path).expect("a readable file");
        assert!(text.contains(from), "no {from:?} in {text}");
        std::fs::write(&path, text.replacen(from, to, 1)).expect("written");
    }

    /// Makes the golden's state that of a trace in which one thing is different: in the text of the `nth` record of a
    /// call, counted from 1, `from` is replaced.
    #[track_caller]
    pub fn alter_state(&self, call: &str, nth: usize, from: &str, to: &str) {
        let text = self.text();
        let start = format!("{{\"op\":\"{call}\"");
        let mut lines: Vec<&str> = text.lines().collect();
        let mut fitting = (0..lines.len()).filter(|&i| lines[i].starts_with(&start));
        let at = fitting.nth(nth - 1).expect("so many records of the call");
        assert!(lines[at].contains(from), "no {from} in {}", lines[at]);
        let line = lines[at].replacen(from, to, 1);
        lines[at] = &line;
        self.take_state_of(&lines.join("\n"));
    }

    /// The trace as text.
    pub fn text(&self) -> String {
        let trace = self.path(&format!("traces/{NAME}.mgltrace"));
        let file = TraceFile::open(&trace).expect("a readable trace");
        let mut text = Vec::new();
        dump(&file, &mut text, &DumpOptions::default()).expect("it has a text form");
        String::from_utf8(text).expect("text")
    }

    /// Makes the golden's state that of a trace that is given as text.
    #[track_caller]
    pub fn take_state_of(&self, text: &str) {
        let trace = self.path("altered.mgltrace");
        let out = std::fs::File::create(&trace).expect("a new file");
        assemble(text, Path::new("altered"), out, WriterOptions::default())
            .expect("it can be assembled");
        let log = capture(&TraceFile::open(&trace).expect("readable")).expect("it can be applied");
        self.golden().write(STATE, &log.encode()).expect("written");
    }
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        for entry in std::fs::read_dir(from).expect("a readable folder") {
            let path = entry.expect("readable").path();
            copy(&path, &to.join(path.file_name().expect("a name")));
        }
        return;
    }
    std::fs::create_dir_all(to.parent().expect("a folder")).expect("made");
    std::fs::copy(from, to).expect("copied");
}

/// The checks of a report with a verdict: `what`, `detail`.
pub fn with_verdict(report: &Value, verdict: &str) -> Vec<(String, String)> {
    let cases = report["cases"].as_array().expect("cases");
    cases
        .iter()
        .flat_map(|case| case["checks"].as_array().expect("checks"))
        .filter(|check| check["verdict"] == verdict)
        .map(|check| {
            let text = |key: &str| check[key].as_str().expect("text").to_owned();
            (text("what"), text("detail"))
        })
        .collect()
}

/// The only check of a report that is neither pass nor constant, which must be one of `what` with this verdict.
#[track_caller]
pub fn only_wrong(report: &Value, what: &str, verdict: &str) -> String {
    let mut wrong = Vec::new();
    for case in report["cases"].as_array().expect("cases") {
        for check in case["checks"].as_array().expect("checks") {
            if check["verdict"] != "pass" && check["verdict"] != "constant" {
                wrong.push(check.clone());
            }
        }
    }
    assert_eq!(wrong.len(), 1, "{wrong:#?}");
    assert_eq!(wrong[0]["what"], what, "{wrong:#?}");
    assert_eq!(wrong[0]["verdict"], verdict, "{wrong:#?}");
    wrong[0]["detail"].as_str().expect("text").to_owned()
}
