//! Commands that look into traces and rewrite them: info, dump, stats, diff, assemble, repair; and what
//! they say of files that are no traces.

use std::io::Write;
use std::process::Stdio;

use mgl_verify::image::Image;

use crate::common::{arg, mgl, run};
use crate::scene::{Files, Lies, colour, write_trace};

#[test]
fn info_shows_frames_records_and_origin() {
    let files = Files::new();
    let call = files.run("info", "good.mgltrace", &[]);
    call.expect_code(0);
    for text in ["3, from 0 to 2", "a-program", "good.mgltrace", "| records"] {
        assert!(call.stdout.contains(text), "{text}:\n{}", call.stdout);
    }
    assert!(!call.stdout.contains("not finished"), "{}", call.stdout);

    let call = files.run("info", "good.mgltrace", &["--json"]);
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
    let call = files.run("info", "cut.mgltrace", &[]);
    call.expect_code(0);
    assert!(
        call.stdout.contains("recovered, 3 frames"),
        "{}",
        call.stdout
    );
    assert!(call.stdout.contains("mgl repair"), "{}", call.stdout);
    let json = files.run("info", "cut.mgltrace", &["--json"]).json();
    assert_eq!(json["recovered"]["frames"], 3);
}

#[test]
fn info_says_what_a_later_version_s_file_is() {
    use mgl_core::trace::format::{FILE_HEADER_BYTES, FileHeader};
    let files = Files::new();
    let mut bytes = std::fs::read(files.path("good.mgltrace")).expect("read");
    let now = FileHeader::current();
    let later = FileHeader {
        version: now.version + 1,
        oldest_reader: now.version + 1,
        ..now
    };
    bytes[..FILE_HEADER_BYTES].copy_from_slice(&later.to_bytes());
    std::fs::write(files.path("later.mgltrace"), bytes).expect("written");
    let call = files.run("info", "later.mgltrace", &[]);
    call.expect_code(0);
    for text in ["3, from 0 to 2", "a-program", "use a newer mgl"] {
        assert!(call.stdout.contains(text), "{text}:\n{}", call.stdout);
    }
    let json = files.run("info", "later.mgltrace", &["--json"]).json();
    let why = json["unreadable"].as_str().expect("why not");
    assert!(why.contains("use a newer mgl"), "{why}");
    // Nothing else reads it.
    let call = files.run("dump", "later.mgltrace", &[]);
    call.expect_code(2);
    assert!(call.stderr.contains("use a newer mgl"), "{}", call.stderr);
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
        let call = files.run("info", name, &[]);
        call.expect_code(2);
        assert!(call.stdout.is_empty(), "{name}: {}", call.stdout);
        assert!(
            call.stderr.contains(name) && call.stderr.contains(says),
            "{}",
            call.stderr
        );
        let call = files.run("info", name, &["--json"]);
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
        let call = files.run("info", "damaged.mgltrace", &[]);
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

/// The text form of a trace.
fn text(files: &Files, name: &str) -> String {
    let call = files.run("dump", name, &["--json"]);
    call.expect_code(0);
    call.stdout
}

#[test]
fn dump_prints_a_line_a_record_and_selects() {
    let files = Files::new();
    let call = files.run("dump", "good.mgltrace", &[]);
    call.expect_code(0);
    assert_eq!(call.stdout.lines().count(), 16, "{}", call.stdout);
    let call = files.run(
        "dump",
        "good.mgltrace",
        &["--frames", "1", "--calls", "Read*,Present"],
    );
    call.expect_code(0);
    let lines: Vec<&str> = call.stdout.lines().map(str::trim).collect();
    assert!(
        lines[0].starts_with("1:1  ReadPixels") && lines[0].contains("width=1"),
        "{lines:?}"
    );
    assert_eq!(
        (lines.len(), lines[1]),
        (2, "1:2  Present                surface={0,1}")
    );
    files
        .run("dump", "good.mgltrace", &["--frames", "5..9"])
        .expect_code(2);
}

#[test]
fn the_text_form_is_one_document_that_assembles_to_the_same_trace() {
    let files = Files::new();
    let first = text(&files, "good.mgltrace");
    let document: serde_json::Value = serde_json::from_str(&first).expect("one JSON document");
    // Records, and an image a frame.
    assert_eq!(document["records"].as_array().map(Vec::len), Some(16 + 3));
    std::fs::write(files.path("text.json"), &first).expect("write");
    let copy = files.path("copy.mgltrace");
    files
        .run("assemble", "text.json", &["-o", arg(&copy)])
        .expect_code(0);
    assert_eq!(text(&files, "copy.mgltrace"), first);
    files.run("replay", "copy.mgltrace", &[]).expect_code(0);
}

#[test]
fn assemble_reads_standard_input() {
    let files = Files::new();
    let copy = files.path("copy.mgltrace");
    let mut child = mgl()
        .args(["assemble", "-", "-o", arg(&copy), "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("mgl starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin
        .write_all(text(&files, "good.mgltrace").as_bytes())
        .expect("write");
    drop(stdin);
    let output = child.wait_with_output().expect("mgl ends");
    assert!(output.status.success());
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(document["written"]["frames"], 3);
}

#[test]
fn text_that_is_wrong_is_placed_and_leaves_no_file() {
    let files = Files::new();
    let good = text(&files, "good.mgltrace");
    let wrong = [
        (
            good.replace("\"op\":\"Clear\"", "\"op\":\"Cleer\""),
            "Cleer",
        ),
        (good.replace("\"depth\":1.0", "\"depht\":1.0"), "depht"),
        (good[..good.len() / 2].to_owned(), "line"),
        ("[]".to_owned(), "line 1"),
        ("{}".to_owned(), "mgl_trace"),
    ];
    for (text, says) in wrong {
        std::fs::write(files.path("wrong.json"), text).expect("write");
        let out = files.path("out.mgltrace");
        let call = files.run("assemble", "wrong.json", &["-o", arg(&out)]);
        call.expect_code(2);
        let named = call.stderr.contains("wrong.json") && call.stderr.contains(says);
        assert!(named, "{says}: {}", call.stderr);
        let left = std::fs::read_dir(files.dir.path()).expect("folder");
        let names: Vec<_> = left.map(|e| e.expect("entry").file_name()).collect();
        assert!(
            !names
                .iter()
                .any(|n| n.to_string_lossy().starts_with("out.mgltrace")),
            "{names:?}"
        );
    }
    let text = files.path("wrong.json");
    let call = run(["assemble", arg(&text), "-o", "/no/such/folder/a.mgltrace"]);
    call.expect_code(2);
    assert!(
        call.stderr.contains("/no/such/folder/a.mgltrace"),
        "{}",
        call.stderr
    );
}

#[test]
fn recorded_images_are_saved_upright() {
    let files = Files::new();
    let live = files.path("live");
    let call = files.run("dump", "good.mgltrace", &["--images", arg(&live)]);
    call.expect_code(0);
    assert!(call.stdout.starts_with("3 images"), "{}", call.stdout);
    let image = Image::load(&live.join("000002.png")).expect("a PNG");
    assert!(image.pixels().iter().all(|p| *p == colour(2)));
    let replayed = files.path("replayed");
    files
        .run("replay", "good.mgltrace", &["--out", arg(&replayed)])
        .expect_code(0);
    run(["compare", arg(&live), arg(&replayed), "--alpha"]).expect_code(0);
}

#[test]
fn stats_count_calls_frames_and_bytes() {
    let files = Files::new();
    let json = files.run("stats", "good.mgltrace", &["--json"]).json();
    assert_eq!(
        (&json["records"], &json["counters"]["clears"]),
        (&16.into(), &3.into())
    );
    assert_eq!(json["frames"].as_array().map(Vec::len), Some(3));
    let options = ["--calls", "Clear", "--per-frame", "--frames", "..2"];
    let call = files.run("stats", "good.mgltrace", &options);
    call.expect_code(0);
    assert!(call.stdout.contains("2 whole frames") && call.stdout.contains("Clear"));
    assert!(!call.stdout.contains("ReadPixels"), "{}", call.stdout);
}

#[test]
fn diff_names_the_first_field_that_differs() {
    let files = Files::new();
    files
        .run(
            "diff",
            "good.mgltrace",
            &[arg(&files.path("good.mgltrace"))],
        )
        .expect_code(0);
    let changed = text(&files, "good.mgltrace").replacen("\"width\":1,", "\"width\":2,", 1);
    std::fs::write(files.path("changed.json"), changed).expect("write");
    let changed = files.path("changed.mgltrace");
    files
        .run("assemble", "changed.json", &["-o", arg(&changed)])
        .expect_code(0);

    let call = files.run("diff", "good.mgltrace", &[arg(&changed)]);
    call.expect_code(1);
    let first = "first difference: frame 0, verb 0:1, ReadPixels.width";
    assert!(call.stdout.starts_with(first), "{}", call.stdout);
    let json = files
        .run("diff", "good.mgltrace", &[arg(&changed), "--json"])
        .json();
    assert_eq!(
        (&json["total"], &json["rows"][0]["right"]),
        (&1.into(), &"2".into())
    );
    for options in [["--fields", "Clear.*"], ["--frames", "1.."]] {
        let both = [&[arg(&changed)], &options[..]].concat();
        files.run("diff", "good.mgltrace", &both).expect_code(0);
    }
    let none = [arg(&changed), "--frames", "8.."];
    files.run("diff", "good.mgltrace", &none).expect_code(2);

    write_trace(&files.path("longer.mgltrace"), 5, Lies::default());
    let call = files.run(
        "diff",
        "good.mgltrace",
        &[arg(&files.path("longer.mgltrace"))],
    );
    call.expect_code(1);
    assert!(
        call.stdout.contains("frames 3 to 4 are only in the right"),
        "{}",
        call.stdout
    );
}

#[test]
fn repair_gives_a_cut_trace_its_index() {
    let files = Files::new();
    files.cut("cut.mgltrace", 20);
    let mended = files.path("mended.mgltrace");
    let call = files.run("repair", "cut.mgltrace", &["-o", arg(&mended)]);
    call.expect_code(0);
    assert!(
        call.stdout.contains("3 frames, 16 records"),
        "{}",
        call.stdout
    );
    assert!(files.run("info", "mended.mgltrace", &["--json"]).json()["recovered"].is_null());
    files
        .run("diff", "good.mgltrace", &[arg(&mended)])
        .expect_code(0);

    files
        .run("repair", "cut.mgltrace", &["--in-place"])
        .expect_code(0);
    assert!(files.run("info", "cut.mgltrace", &["--json"]).json()["recovered"].is_null());
    files.run("repair", "cut.mgltrace", &[]).expect_code(2);
}

#[test]
fn a_copy_without_images_and_replies_still_replays() {
    let files = Files::new();
    let copy = files.path("copy.mgltrace");
    let options = ["--drop-images", "--drop-replies", "-o", arg(&copy)];
    files
        .run("repair", "good.mgltrace", &options)
        .expect_code(0);
    let info = files.run("info", "copy.mgltrace", &["--json"]).json();
    assert_eq!((&info["images"], &info["records"]), (&0.into(), &16.into()));
    let report = files.run("replay", "copy.mgltrace", &["--json"]).json();
    assert_eq!(
        (&report["images_compared"], &report["replies_compared"]),
        (&0.into(), &0.into())
    );
    let nothing = files.run(
        "dump",
        "copy.mgltrace",
        &["--images", arg(&files.path("none"))],
    );
    nothing.expect_code(2);
    assert!(
        nothing.stderr.contains("--images every=1"),
        "{}",
        nothing.stderr
    );
}

#[test]
fn a_reader_that_has_seen_enough_ends_a_dump() {
    let files = Files::new();
    for options in [&[][..], &["--json"]] {
        let mut child = mgl()
            .args(["dump", arg(&files.path("good.mgltrace"))])
            .args(options)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("mgl starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("mgl ends");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*errors), (Some(0), ""));
    }
}
