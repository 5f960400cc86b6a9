//! `mgl uploads`: the program's side from the trace, the back end's from its replay.

use std::path::PathBuf;

use crate::common::{arg, run};
use crate::scene::Files;

/// A stored text trace, assembled.
fn assembled(files: &Files, name: &str) -> PathBuf {
    let text: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "traces", "text", name]
        .iter()
        .collect();
    let trace = files.path("assembled.mgltrace");
    run(["assemble", arg(&text), "-o", arg(&trace)]).expect_code(0);
    trace
}

/// The cells of the row that starts with these.
fn row<'t>(table: &'t str, first: &[&str]) -> Vec<&'t str> {
    let cells = |line: &'t str| -> Vec<&'t str> {
        let inner = line.trim_matches(['|', ' ']);
        inner.split_whitespace().collect()
    };
    table
        .lines()
        .map(cells)
        .find(|cells| cells.starts_with(first))
        .unwrap_or_else(|| panic!("no row {first:?}:\n{table}"))
}

#[test]
fn the_programs_side_is_a_table() {
    let files = Files::new();
    let trace = assembled(&files, "uploads.json");
    let call = run(["uploads", arg(&trace)]);
    call.expect_code(0);
    let glyphs = row(&call.stdout, &["0", "0", "5", "glyphs"]);
    assert_eq!(glyphs[4..], ["GL_TEXTURE_2D", "GL_RGBA8", "16x16", "1"]);
    let two_frames = row(&call.stdout, &["0:0", "1..3"]);
    assert_eq!(
        two_frames[2..],
        ["1", "2", "8x8+4+4", "256", "B", "32", "B"]
    );
    let layers = row(&call.stdout, &["1:1", "0"]);
    assert_eq!(layers[4], "4x4x2+0+0+1");
    for line in [
        "textures: 13 uploads, 7 regions, boxes 2.41 KiB, regions 1.94 KiB\n",
        "buffers: 3 uploads, 96 B\n",
    ] {
        assert!(call.stdout.contains(line), "{line}\n{}", call.stdout);
    }
    assert!(!call.stdout.contains("shape"), "{}", call.stdout);
}

#[test]
fn frames_are_selected() {
    let files = Files::new();
    let trace = assembled(&files, "uploads.json");
    let call = run(["uploads", arg(&trace), "--frames", "5"]);
    call.expect_code(0);
    // Counted as in the whole trace.
    assert_eq!(row(&call.stdout, &["2:0", "5"])[2..4], ["1", "0"]);
    assert!(!call.stdout.contains("glyphs"), "{}", call.stdout);
    assert!(
        call.stdout.contains("textures: 1 uploads"),
        "{}",
        call.stdout
    );
    run(["uploads", arg(&trace), "--frames", "5..90"]).expect_code(2);
}

#[test]
fn the_back_end_says_what_it_chose() {
    let files = Files::new();
    let trace = assembled(&files, "uploads.json");
    let call = run(["uploads", arg(&trace), "--backend", "espryt"]);
    call.expect_code(0);
    assert!(
        call.stdout.starts_with("replayed on espryt ("),
        "{}",
        call.stdout
    );
    let few = row(&call.stdout, &["0:0", "1..3"]);
    assert_eq!(few[9..], ["regions", "2", "32", "B"]);
    let full = row(&call.stdout, &["0:0", "3"]);
    assert_eq!(full[9..], ["box", "1", "256", "B"]);

    let json = run(["uploads", arg(&trace), "--backend", "espryt", "--json"]).json();
    let rows = json["uploads"].as_array().expect("rows");
    let of_frame = |frame: u64| {
        let found = rows.iter().find(|row| row["frame"] == frame);
        found.unwrap_or_else(|| panic!("no row of frame {frame}"))
    };
    assert_eq!(of_frame(1)["back_end"]["shape"], "regions");
    assert_eq!(of_frame(2)["back_end"]["jobs"], 2);
    assert_eq!(of_frame(3)["boxes"][0], "8x8+4+4");
    assert_eq!(json["buffers"][0]["back_end"]["bytes"], 64);
    assert_eq!(json["totals"]["back_end"]["jobs"], 15);
    assert_eq!(json["totals"]["uploads"], 13);
    assert_eq!(json["frames"], "0..7");
}

/// No data is never shown as 0.
#[test]
fn a_back_end_that_uploads_nothing_says_nothing() {
    let files = Files::new();
    let trace = assembled(&files, "uploads.json");
    let call = run(["uploads", arg(&trace), "--backend", "null"]);
    call.expect_code(0);
    assert_eq!(row(&call.stdout, &["0:0", "3"])[9..], ["-", "-", "-"]);
    let json = run(["uploads", arg(&trace), "--backend", "null", "--json"]).json();
    assert!(json["uploads"][0]["back_end"].is_null());
    assert!(json["totals"]["back_end"].is_null());
}

#[test]
fn a_trace_without_uploads_says_so() {
    let files = Files::new();
    let call = files.run("uploads", "good.mgltrace", &[]);
    call.expect_code(0);
    assert_eq!(call.stdout, "frames 0..3 upload nothing\n");
    let json = files.run("uploads", "good.mgltrace", &["--json"]).json();
    assert_eq!(json["uploads"].as_array().map(Vec::len), Some(0));
    assert_eq!(json["totals"]["uploads"], 0);
    files.run("uploads", "missing.mgltrace", &[]).expect_code(2);
    let wrong = files.run("uploads", "good.mgltrace", &["--backend", "espresso"]);
    wrong.expect_code(2);
    assert!(wrong.stderr.contains("espryt"), "{}", wrong.stderr);
}
