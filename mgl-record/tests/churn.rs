//! Objects that come and go leave nothing behind, without a frame that ends: after 48 rounds of making, using and ending
//! there are as many handles of every kind as after twelve, and no more slots were ever used.

mod common;

use common::{compile, on_driver, run_ok};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const KINDS: [&str; 12] = [
    "buffers",
    "textures",
    "renderbuffers",
    "framebuffers",
    "programs",
    "samplers",
    "vertex_arrays",
    "queries",
    "fences",
    "feedback",
    "render_states",
    "contexts",
];
const ROUNDS: &str = "48";
/// Rounds in which caches fill, and what waits for a sweep reaches its full number.
const FIRST: &str = "12";

/// Handles by kind at the end of the program.
fn handles(program: &Path, back_end: &str, arguments: &[&str]) -> Value {
    let report = tempfile::NamedTempFile::new().expect("a temporary file");
    let mut command = Command::new(program);
    on_driver(&mut command, back_end);
    command.args(arguments).env("MGL_REPORT", report.path());
    run_ok(&mut command);
    let text = std::fs::read_to_string(report.path()).expect("the driver's report");
    let report: Value = serde_json::from_str(&text).expect("one JSON document");
    for what in ["faults", "unsupported", "refused", "panics"] {
        assert_eq!(report[what], serde_json::json!({}), "{arguments:?}: {what}");
    }
    assert!(report["counters"]["draws"].as_u64() > Some(0) || arguments[0] == "contexts");
    report["handles"].clone()
}

fn comes_back(program: &Path, back_end: &str, kind: &str) {
    let few = handles(program, back_end, &[kind, FIRST]);
    let many = handles(program, back_end, &[kind, ROUNDS]);
    assert_eq!(few, many, "{kind} on {back_end}");
}

#[test]
fn churn_leaves_nothing_behind_on_null() {
    let program = compile("churn", "null", &[]);
    for kind in KINDS {
        comes_back(&program, "null", kind);
    }
}

#[test]
fn churn_leaves_nothing_behind_on_espryt() {
    let program = compile("churn", "espryt", &[]);
    for kind in KINDS {
        comes_back(&program, "espryt", kind);
    }
}

/// An object a round that is kept is seen, by kind.
#[test]
fn what_is_left_behind_is_seen() {
    let program = compile("churn", "keep", &[]);
    for (kind, handle) in [
        ("buffers", "buffer"),
        ("textures", "texture"),
        ("renderbuffers", "renderbuffer"),
        ("programs", "shader"),
        ("queries", "query"),
        ("fences", "fence"),
        ("contexts", "context"),
    ] {
        let few = handles(&program, "null", &[kind, FIRST, "keep"]);
        let many = handles(&program, "null", &[kind, ROUNDS, "keep"]);
        let live = |all: &Value| all[handle]["live"].as_u64().expect("a number");
        let slots = |all: &Value| all[handle]["high_water"].as_u64().expect("a number");
        assert_eq!(live(&many) - live(&few), 48 - 12, "{kind}");
        assert!(slots(&many) > slots(&few), "{kind}");
    }
}
