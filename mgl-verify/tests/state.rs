//! State logs of a recorded trace: equal to themselves, and different where the trace was altered, by the right name.

use std::path::Path;

use mgl_core::trace::{DumpOptions, TraceFile, WriterOptions, assemble, dump};
use mgl_verify::state::{StateLog, capture};

/// A trace of the project as lines of text.
fn lines(name: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../traces/{name}.mgltrace"));
    let file = TraceFile::open(&path).expect("a readable trace");
    let mut text = Vec::new();
    let options = DumpOptions {
        replies: false,
        ..DumpOptions::default()
    };
    dump(&file, &mut text, &options).expect("it has a text form");
    let text = String::from_utf8(text).expect("text");
    text.lines().map(str::to_owned).collect()
}

fn log(lines: &[String]) -> StateLog {
    let (bytes, _) = assemble(
        &lines.join("\n"),
        Path::new("altered"),
        Vec::new(),
        WriterOptions::default(),
    )
    .expect("it can be assembled");
    capture(&TraceFile::from_bytes("altered", bytes).expect("readable")).expect("it can be applied")
}

/// The places of the records of a call.
fn records(lines: &[String], call: &str) -> Vec<usize> {
    let start = format!("{{\"op\":\"{call}\"");
    (0..lines.len())
        .filter(|&i| lines[i].starts_with(&start))
        .collect()
}

/// Field, golden, actual of all differences.
fn diff(
    golden: &StateLog,
    actual: &StateLog,
) -> Vec<(String, String, Option<String>, Option<String>)> {
    let diff = golden.diff(actual, 1000);
    assert_eq!(diff.total as usize, diff.rows.len());
    assert_eq!(diff.is_equal(), diff.rows.is_empty());
    let rows = diff.rows.into_iter();
    rows.map(|d| (d.place, d.field, d.golden, d.actual))
        .collect()
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn a_log_is_equal_to_itself_also_from_a_file() {
    let golden = log(&lines("moderngl-textures"));
    assert!(golden.verb_count() > 60 && golden.frame_count() >= 8);
    let read = StateLog::decode(&golden.encode()).expect("its own bytes");
    assert_eq!(read, golden);
    assert_eq!(diff(&golden, &read), []);
}

#[test]
fn a_lost_and_an_inserted_draw_are_one_difference_each() {
    let lines = lines("moderngl-textures");
    let golden = log(&lines);
    let draws = records(&lines, "DrawVbo");
    let at = draws[draws.len() / 2];
    let mut lost = lines.clone();
    // Its ordinal is its name; the following ones move up.
    lost.remove(at);
    let found = diff(&golden, &log(&renumbered(lost)));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (found[0].1.as_str(), &found[0].2, &found[0].3),
        ("DrawVbo", &some("pushed"), &None)
    );
    let mut inserted = lines.clone();
    inserted.insert(at, lines[at].clone());
    let found = diff(&golden, &log(&renumbered(inserted)));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (found[0].1.as_str(), &found[0].2, &found[0].3),
        ("DrawVbo", &None, &some("pushed"))
    );
}

/// Without the names of verbs, which no longer count as they did.
fn renumbered(lines: Vec<String>) -> Vec<String> {
    lines
        .into_iter()
        .map(|line| {
            let Some(start) = line.find("\"verb\":\"") else {
                return line;
            };
            let length = line[start + 8..].find('"').expect("a name") + 9;
            let rest = line[start + length..].trim_start_matches(',');
            let before = match rest.starts_with('}') {
                true => line[..start].trim_end_matches(','),
                false => &line[..start],
            };
            format!("{before}{rest}")
        })
        .collect()
}

#[test]
fn handles_count_up_to_renaming() {
    let lines = lines("raylib-textures");
    let golden = log(&lines);
    let moved = |text: &str, key: &str| -> String {
        let mut out = String::new();
        let mut parts = text.split(key);
        out.push_str(parts.next().expect("a first part"));
        for part in parts {
            let digits = part.find(|c: char| !c.is_ascii_digit()).expect("an end");
            let slot: u32 = part[..digits].parse().expect("a slot");
            let moved = if part[digits..].starts_with(",\"generation\":0") {
                slot
            } else {
                slot + 40
            };
            out.push_str(&format!("{key}{moved}{}", &part[digits..]));
        }
        out
    };
    let keys = [
        "\"kind\":\"GL_TEXTURE\",\"handle\":{\"slot\":",
        "\"texture\":{\"slot\":",
    ];
    let renamed: Vec<String> = lines
        .iter()
        .map(|line| keys.iter().fold(line.clone(), |l, key| moved(&l, key)))
        .collect();
    assert_ne!(renamed, lines);
    assert_eq!(diff(&golden, &log(&renamed)), []);

    // One texture in the place of another is a difference, and every verb that sees it from then on is not told again.
    let views = records(&lines, "SetSamplerViews");
    let at = views[views.len() - 1];
    let other = lines[views[views.len() - 2]].clone();
    assert_ne!(lines[at], other);
    let mut wrong = lines.clone();
    wrong[at] = other;
    let found = diff(&golden, &log(&wrong));
    assert!(
        found
            .iter()
            .any(|(_, field, g, a)| field == "SamplerViews[0].texture"
                && g.is_some()
                && a.is_some()),
        "{found:?}"
    );
    assert!(found.len() < 20, "{found:?}");
}

#[test]
fn uniforms_are_named() {
    let lines = lines("moderngl-textures");
    let golden = log(&lines);
    let pushes = records(&lines, "SetGlobalConstants");
    let mut lost = lines.clone();
    lost.remove(pushes[pushes.len() - 1]);
    let found = diff(&golden, &log(&renumbered(lost)));
    assert!(
        found
            .iter()
            .all(|(_, field, ..)| field.starts_with("DrawProgram.uniform."))
            && !found.is_empty(),
        "{found:?}"
    );
}

#[test]
fn a_frame_that_one_side_lacks_is_told() {
    let lines = lines("moderngl-textures");
    let golden = log(&lines);
    let presents = records(&lines, "Present");
    // Without the last whole frame and what follows it.
    let last = presents[presents.len() - 2];
    let end = (last..lines.len())
        .find(|&i| lines[i].starts_with(']'))
        .expect("the records end");
    let mut short = lines.clone();
    short.drain(last + 1..end);
    short[last] = short[last].trim_end_matches(',').to_owned();
    let result = golden.diff(&log(&short), 10);
    assert!(!result.is_equal());
    assert!(!result.only_golden.is_empty() && result.only_actual.is_empty());
    let reversed = log(&short).diff(&golden, 10);
    assert_eq!(reversed.only_actual, result.only_golden);
}
