//! The text form: dump and assemble are inverse.

use crate::scene;
use mgl_core::trace::*;
use proptest::prelude::*;
use std::path::Path;

pub fn dumped(f: &TraceFile) -> String {
    let mut out = Vec::new();
    dump(f, &mut out, &DumpOptions::default()).expect("a Vec takes everything");
    String::from_utf8(out).expect("JSON is UTF-8")
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

/// A file, its dump, the file assembled from that, and its dump again: everything is equal.
pub fn assert_inverse(f: &TraceFile) {
    let text = dumped(f);
    let back = assembled(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(
        scene::calls(f).expect("reads"),
        scene::calls(&back).expect("reads")
    );
    assert_eq!(dumped(&back), text);
    assert_eq!(f.provenance(), back.provenance());
    assert_eq!(f.all_frames(), back.all_frames());
    for n in 0..=f.record_count() {
        assert_eq!(f.reply(n).expect("reads"), back.reply(n).expect("reads"));
        assert_eq!(f.events(n).expect("reads"), back.events(n).expect("reads"));
    }
    for frame in f.all_frames() {
        assert_eq!(
            f.images(frame).expect("reads"),
            back.images(frame).expect("reads")
        );
    }
}

#[test]
fn a_session_survives_its_text() {
    let f = TraceFile::from_bytes("memory", scene::file(5)).expect("opens");
    assert_inverse(&f);
    let text = dumped(&f);
    for part in [
        r#""op":"Clear","verb":"3:0","buffers":"COLOR0""#,
        r#"{"event":{"Log":"#,
        r#""reply":{"bytes":{"hex":"0303030303030303"}}"#,
        r#""viewport0":{"#,
        r#""blobs": {"#,
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn every_call_survives_its_text() {
    let schema = crate::schema::Schema::shared();
    let f = random_trace(
        schema,
        (0..5).flat_map(|seed| mgl_core::pipe::Op::ALL.iter().map(move |op| (*op, seed))),
    );
    assert_inverse(&f);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn any_trace_survives_its_text(calls in proptest::collection::vec((0..mgl_core::pipe::Op::ALL.len(), any::<u64>()), 0..60)) {
        let schema = crate::schema::Schema::shared();
        let f = random_trace(schema, calls.into_iter().map(|(op, seed)| (mgl_core::pipe::Op::ALL[op], seed)));
        assert_inverse(&f);
    }
}

fn random_trace(
    schema: &crate::schema::Schema,
    calls: impl Iterator<Item = (mgl_core::pipe::Op, u64)>,
) -> TraceFile {
    let mut w = TraceWriter::create(
        Vec::new(),
        Path::new("memory"),
        &Provenance::of_tool("test"),
        WriterOptions::default(),
    )
    .expect("creates");
    for (op, seed) in calls {
        let (words, blobs) = schema.sample(op, &mut crate::schema::Random(seed));
        let (view, _) = mgl_core::codec::split(&words).expect("splits");
        let call = mgl_core::codec::decode(&view, &blobs).expect("a sample decodes");
        w.push(&call).expect("pushes");
        if op.info().wait != mgl_core::pipe::Wait::None && seed % 2 == 0 {
            w.reply(&mgl_core::pipe::Reply::Value(seed))
                .expect("replies");
        }
    }
    TraceFile::from_bytes("random", w.finish().expect("finishes").0).expect("opens")
}

#[test]
fn a_dump_can_be_narrowed() {
    let f = TraceFile::from_bytes("memory", scene::file(5)).expect("opens");
    let mut out = Vec::new();
    let options = DumpOptions {
        frames: (std::ops::Bound::Included(2), std::ops::Bound::Excluded(4)),
        calls: &|op| op.name() == "Clear",
        images: false,
        replies: false,
    };
    dump(&f, &mut out, &options).expect("dumps");
    let v: serde_json::Value = serde_json::from_slice(&out).expect("JSON");
    let verbs: Vec<_> = v["records"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|r| r["verb"].as_str().expect("a verb"))
        .collect();
    assert_eq!(verbs, ["2:0", "3:0"]);
    assert_eq!(v["first_frame"], 2);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let doc = |records: &str| format!("{{\"mgl_trace\": 1, \"records\": [{records}]}}");
    for (text, place) in [
        (String::new(), "line 1 column 0"),
        ("[]".into(), "the text form of a trace: an object"),
        ("{".into(), "line 1 column 1"),
        ("{}".into(), "mgl_trace: not there, or not 1"),
        (
            "{\"mgl_trace\": 2}".into(),
            "mgl_trace: not there, or not 1",
        ),
        (
            "{\"mgl_trace\": 1, \"recods\": []}".into(),
            "unknown key 'recods'",
        ),
        (doc("3"), "record 0 (?): it is not an object"),
        (doc("{}"), "record 0 (?): it has no op, event or image"),
        (
            doc(r#"{"op": "Fly"}"#),
            "record 0 (Fly): there is no such call",
        ),
        (
            doc(r#"{"op": "Flush"}, {"op": "Clear", "depth": "deep"}"#),
            "record 1 (Clear): field depth: 'deep' is neither a number",
        ),
        (
            doc(r#"{"op": "Clear", "buffers": 4096}"#),
            "record 0 (Clear): field buffers: 0x1000 has bits",
        ),
        (
            doc(r#"{"op": "DebugMarker", "text": {"blob": "x"}}"#),
            "record 0 (DebugMarker): field text: the document has no blob 'x'",
        ),
        (
            doc(r#"{"op": "DebugMarker", "text": {"hex": "0x"}}"#),
            "record 0 (DebugMarker): field text: 'x' is no hexadecimal digit",
        ),
        (
            doc(r#"{"op": "SetSamplerViews", "views": [{}, {"unit": 192}]}"#),
            "record 0 (SetSamplerViews): field views[1].unit: 192 is not below 192",
        ),
        (
            doc(
                r#"{"op": "SetFramebufferState", "color": [{}, {}, {"format": "RGBA9"}, {}, {}, {}, {}, {}]}"#,
            ),
            "record 0 (SetFramebufferState): field color[2].format",
        ),
        (
            doc(r#"{"op": "QueryTimestamp", "reply": {"value": -1}}"#),
            "record 0 (QueryTimestamp): field reply: value: -1",
        ),
        (
            doc(r#"{"event": {"Birthday": 1}}"#),
            "record 0 (event): unknown variant",
        ),
        (
            doc(r#"{"image": {"surface": {}, "width": 2, "height": 2, "rgba": {"hex": "00"}}}"#),
            "1 bytes are not 2x2 pixels",
        ),
        (
            doc(r#"{"op": "Flush"}"#).replace("records\": [", "records\": [{\"op\": \"Flush\"} "),
            "line 1 column",
        ),
    ] {
        let e = assembled(&text)
            .err()
            .unwrap_or_else(|| panic!("taken: {text}"));
        assert!(e.to_string().contains(place), "{text}\n{e}\n{place}");
    }
}

#[test]
fn blobs_may_come_before_or_behind_the_records() {
    let records = r#""records": [{"op": "DebugMarker", "text": {"blob": "a"}}]"#;
    let blobs = r#""blobs": {"a": "Zm9v"}"#;
    for text in [
        format!("{{\"mgl_trace\": 1, {records}, {blobs}}}"),
        format!("{{{blobs}, \"mgl_trace\": 1, {records}}}"),
    ] {
        let f = assembled(&text).expect("assembles");
        assert!(dumped(&f).contains(r#""text":{"text":"foo"}"#));
    }
}

#[test]
fn noise_in_a_text_is_never_a_panic() {
    let text = dumped(&TraceFile::from_bytes("memory", scene::file(1)).expect("opens"));
    let mut r = crate::schema::Random(7);
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..3000 {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..=r.below(3) {
            let at = r.below(bytes.len());
            match r.below(4) {
                0 => bytes[at] = b"0123456789\"{}[],:-e.xgL|"[r.below(24)],
                1 => drop(bytes.remove(at)),
                2 => bytes.truncate(at.max(1)),
                _ => {
                    let from = r.below(bytes.len());
                    let part = bytes[from..(from + 20).min(bytes.len())].to_vec();
                    bytes.splice(at..at, part);
                }
            }
        }
        let Ok(text) = String::from_utf8(bytes) else {
            continue;
        };
        match assembled(&text) {
            Ok(f) => {
                taken += 1;
                assert!(scene::calls(&f).is_ok(), "what was taken reads back");
            }
            Err(e) => {
                refused += 1;
                assert!(!e.to_string().is_empty());
            }
        }
    }
    assert!(taken > 20 && refused > 200, "{taken} {refused}");
}

#[test]
fn blobs_of_a_few_letters_take_no_more_memory_than_they_may() {
    let text = |blobs: u32| {
        let blob = |n| format!("\"b{n}\": {{\"fill\": {n}, \"size\": 67108864}}");
        let blobs: Vec<String> = (0..blobs).map(blob).collect();
        format!(
            "{{\"mgl_trace\": 1, \"records\": [], \"blobs\": {{{}}}}}",
            blobs.join(", ")
        )
    };
    let assembled = |text: &str| {
        let options = WriterOptions::default();
        assemble(text, Path::new("text"), Vec::new(), options).map(|_| ())
    };
    assembled(&text(4)).expect("they have room");
    let error = assembled(&text(5)).expect_err("too much");
    assert!(error.to_string().contains("too large together"), "{error}");
}
