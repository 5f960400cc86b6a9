//! Every trace of `traces/text` does what it says that it does.
//!
//! A trace's `expect` is `{"error": TEXT}`, a part of the first error's message, or figures: `counters` after all records
//! were applied to a null back end, and `frames`, `first_frame`, `partial_frame`, `replies`, `events`,
//! `different_blobs` of the file. `backends` limits what it may be replayed on (its programs are no real code).

use mgl_core::counters::Counters;
use mgl_core::pipe::*;
use mgl_core::trace::*;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn all() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/text");
    let mut files: Vec<PathBuf> = std::fs::read_dir(dir)
        .expect("traces/text exists")
        .map(|e| e.expect("a directory entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == "json"))
        .collect();
    files.sort();
    files
}

fn assembled(text: &str) -> Result<TraceFile, TraceError> {
    let (bytes, _) = assemble(
        text,
        Path::new("text"),
        Vec::new(),
        WriterOptions::default(),
    )?;
    TraceFile::from_bytes("assembled", bytes)
}

/// Applies all records; the first error with the place of its record.
fn applied(f: &TraceFile) -> Result<Counters, String> {
    let mut server = Server::new(Box::new(NullBackend::default()));
    let mut cursor = f.records(..).map_err(|e| e.to_string())?;
    while let Some(r) = cursor.next().map_err(|e| e.to_string())? {
        server
            .apply(&r.call)
            .map_err(|e| format!("{}: {e}", r.place))?;
    }
    Ok(server.counters)
}

fn check(text: &str) -> Result<(), String> {
    let document: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let expect = document["expect"].as_object().ok_or("no expectation")?;
    let outcome = assembled(text)
        .map_err(|e| e.to_string())
        .and_then(|f| applied(&f).map(|c| (f, c)));
    if let Some(wanted) = expect.get("error").and_then(Value::as_str) {
        return match outcome {
            Err(e) if e.contains(wanted) => Ok(()),
            Err(e) => Err(format!("'{wanted}' was expected, '{e}' came")),
            Ok(_) => Err(format!("'{wanted}' was expected, all went well")),
        };
    }
    let (file, counters) = outcome?;
    let counters = counters.fields();
    let info = file.info();
    let stats = stats(&file, ..).map_err(|e| e.to_string())?;
    for (key, wanted) in expect {
        let got: Value = match key.as_str() {
            "counters" => {
                for (name, wanted) in wanted.as_object().ok_or("counters: no object")? {
                    let got = counters.iter().find(|c| c.0 == name).map(|c| c.1);
                    if got != wanted.as_u64() {
                        return Err(format!("{name}: {wanted} was expected, {got:?} came"));
                    }
                }
                continue;
            }
            "backends" => continue,
            "frames" => info.frames.into(),
            "first_frame" => info.first_frame.into(),
            "partial_frame" => info.partial_frame.into(),
            "replies" => stats.replies.into(),
            "events" => stats.events.into(),
            "different_blobs" => stats.blobs.different.into(),
            k => return Err(format!("unknown expectation '{k}'")),
        };
        if got != *wanted {
            return Err(format!("{key}: {wanted} was expected, {got} came"));
        }
    }
    Ok(())
}

#[test]
fn they_do_what_they_say() {
    let files = all();
    assert!(files.len() >= 10, "{files:?}");
    let mut errors = String::new();
    for path in &files {
        let text = std::fs::read_to_string(path).expect("readable");
        if let Err(e) = check(&text) {
            errors += &format!("{}: {e}\n", path.display());
        }
    }
    assert!(errors.is_empty(), "{errors}");
}

#[test]
fn their_dumps_assemble_to_the_same_trace() {
    for path in all() {
        let text = std::fs::read_to_string(&path).expect("readable");
        // Those that are refused as text have no trace.
        let Ok(f) = assembled(&text) else { continue };
        super::text::assert_inverse(&f);
    }
}
