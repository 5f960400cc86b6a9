//! The stored trace `unfinished-frame.json` and hand-made tables.

use std::path::{Path, PathBuf};

use mgl_core::trace::{TraceFile, WriterOptions, assemble, stats};

use super::*;
use crate::difference::Difference;
use crate::toml_text::TomlError;

fn trace(name: &str) -> TraceFile {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "traces", "text", name]
        .iter()
        .collect();
    let text = std::fs::read_to_string(path).expect("a stored trace");
    let options = WriterOptions::default();
    let (bytes, _) = assemble(&text, Path::new(name), Vec::new(), options).expect("assembles");
    TraceFile::from_bytes(name, bytes).expect("opens")
}

#[test]
fn the_client_side_follows_from_the_trace() {
    for name in [
        "uploads.json",
        "unfinished-frame.json",
        "reads-and-replies.json",
    ] {
        let file = trace(name);
        let section = client(&file).expect("reads");
        let all = stats(&file, ..).expect("reads");
        let whole = all.frames.iter().filter(|f| f.whole).count() as u64;
        assert_eq!(section.frames, whole, "{name}");
        let partial = all.frames.iter().any(|f| !f.whole);
        for (counter, total) in all.counters.fields() {
            let value = section.counters[counter];
            assert_eq!(value.partial.is_some(), partial, "{name} {counter}");
            // Statistics leave read-backs out.
            if !matches!(
                counter,
                "records" | "verbs" | "readback_bytes" | "round_trips"
            ) {
                assert_eq!(value.total, total, "{name} {counter}");
            }
        }
        assert_eq!(
            section.counters["records"].total,
            file.record_count(),
            "{name}"
        );
    }
    let section = client(&trace("uploads.json")).expect("reads");
    let value = |counter: &str| section.counters[counter];
    let uploads = CounterValue {
        total: 13,
        peak: 6,
        partial: Some(1),
    };
    assert_eq!(value("texture_uploads"), uploads);
    assert_eq!(value("presents").total, 6);
    assert_eq!(value("presents").partial, Some(0));
}

fn table(rows: &[(&'static str, u64, u64)]) -> CounterTable {
    let mut section = CounterSection::default();
    for frame in [true, false] {
        let counted: Vec<_> = rows
            .iter()
            .map(|&(name, whole, rest)| (name, if frame { whole } else { rest }))
            .collect();
        section.add_frame(frame, &counted);
    }
    CounterTable {
        client: Some(section),
        ..CounterTable::default()
    }
}

#[test]
fn the_file_comes_back() {
    let mut all = table(&[("records", 10, 2), ("draws", 3, 0)]);
    all.magma = Some(CounterSection::default());
    let text = all.to_toml();
    assert!(
        text.contains("\n[client]\nframes = 1\ndraws = { total = 3, peak = 3, partial = 0 }\n"),
        "{text}"
    );
    let back = CounterTable::from_toml(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(back, all);
    assert_eq!(back.to_toml(), text);
}

#[test]
fn files_that_are_wrong_are_refused_by_place() {
    let refused = |text: &str| CounterTable::from_toml(text).expect_err("refused");
    for (text, at) in [
        ("[client]\nframes = 1\ndraws = 3\n", 3),
        ("[client]\nframes = 1\ndraws = { total = 3, peek = 3 }\n", 3),
        ("[client]\nframes = -1\n", 2),
        ("[server]\nframes = 1\n", 1),
        ("[client]\ndraws = { total = 3, peak = 3 }\n", 1),
    ] {
        let error = refused(text);
        let line = match &error {
            TomlError::Form { line, .. } => *line,
            TomlError::Value { .. } => 0,
        };
        assert_eq!(line, at, "{text}: {error}");
    }
    assert_eq!(
        refused("[espryt]\nframes = 1\ndraws = { total = 3, peak = 4 }\n").to_string(),
        "espryt.draws: a part is more than the total"
    );
}

fn fields(rows: &[Difference]) -> Vec<(&str, Option<&str>, Option<&str>)> {
    rows.iter()
        .map(|d| (&*d.field, d.golden.as_deref(), d.actual.as_deref()))
        .collect()
}

#[test]
fn equality_is_the_rule_and_limits_are_counter_by_counter() {
    let golden = table(&[("records", 100, 10), ("draws", 4, 1)]);
    let actual = table(&[("records", 103, 10), ("draws", 4, 3)]);
    let none = CounterLimits::default();
    assert!(CounterTable::compare(&golden, &golden, &none).is_empty());
    assert_eq!(
        fields(&CounterTable::compare(&golden, &actual, &none)),
        [
            ("client.draws.total", Some("5"), Some("7")),
            ("client.draws.partial", Some("1"), Some("3")),
            ("client.records.total", Some("110"), Some("113")),
            ("client.records.peak", Some("100"), Some("103")),
        ]
    );
    let limits: CounterLimits = toml::from_str(
        "\"client.records\" = { max_percent = 3 }\n\"client.draws\" = { max_difference = 1 }",
    )
    .expect("limits");
    assert_eq!(
        fields(&CounterTable::compare(&golden, &actual, &limits)),
        [
            ("client.draws.total", Some("5"), Some("7")),
            ("client.draws.partial", Some("1"), Some("3")),
        ]
    );
    assert!(limits.problems(&golden).is_empty());
    let wrong: CounterLimits = toml::from_str(
        "\"client.recods\" = { max_percent = 3 }\n\"client.draws\" = {}\n\"*\" = { max_percent = -1 }",
    )
    .expect("limits");
    assert_eq!(
        wrong.problems(&golden),
        [
            "'*': max_percent = -1 is no share",
            "'client.draws' sets no limit",
            "'client.recods' matches no counter",
        ]
    );
}

#[test]
fn what_is_on_one_side_only_is_a_difference_and_never_zero() {
    let golden = table(&[("records", 5, 0), ("gone", 0, 0)]);
    let actual = table(&[("records", 5, 0), ("new", 0, 0)]);
    let generous: CounterLimits =
        toml::from_str("\"*\" = { max_difference = 1000 }").expect("limits");
    assert_eq!(
        fields(&CounterTable::compare(&golden, &actual, &generous)),
        [
            ("client.gone", Some("0 in total"), None),
            ("client.new", None, Some("0 in total")),
        ]
    );
    let empty = CounterTable::default();
    assert_eq!(
        fields(&CounterTable::compare(&empty, &actual, &generous)),
        [("client", None, Some("2 counters"))]
    );
    assert!(
        CounterTable::compare(&golden, &empty, &generous).is_empty(),
        "not measured"
    );
    let mut whole = actual.clone();
    let section = whole.client.as_mut().expect("measured");
    section.frames = 2;
    for value in section.counters.values_mut() {
        value.partial = None;
    }
    assert_eq!(
        fields(&CounterTable::compare(&actual, &whole, &generous)),
        [
            ("client.frames", Some("1"), Some("2")),
            ("client.new.partial", Some("0"), None),
            ("client.records.partial", Some("0"), None),
        ]
    );
}

#[test]
fn deltas_are_lines_for_a_pull_request() {
    let golden = table(&[("records", 5, 0), ("draws", 2, 0), ("gone", 1, 0)]);
    let actual = table(&[("records", 9, 0), ("draws", 2, 0), ("new", 7, 0)]);
    assert!(CounterTable::delta_lines("atlas", &golden, &golden).is_empty());
    assert_eq!(
        CounterTable::delta_lines("atlas", &golden, &actual),
        ["atlas  client: gone is gone  new is new [7]  records +4 [5 -> 9]"]
    );
}
