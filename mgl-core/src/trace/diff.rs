//! Compares two traces: frame by frame, verb by verb, field by field.
//!
//! A frame is cut into steps: the pushes before a verb, and the verb. Equal steps are found by digest and anchor the
//! rest; steps between two anchors are paired in order. Within a pair the nth push of a call is compared with the nth
//! push of that call, because between set calls there is no order. What is meant for messages only (GL names, version
//! numbers) and replies are not compared; a blob is its content's hash, never its place.

use super::align::gaps;
use super::bytes_text;
use super::call_text::{self, Detail, visit_blobs};
use super::cursor::{Cursor, Record};
use super::error::TraceError;
use super::reader::TraceFile;
use crate::pipe::{Class, Op};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::{Bound, Range};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

/// Fields that are for messages only.
const MASKED: &[(&str, &str)] = &[
    ("ResourceCreate", "gl_name"),
    ("ResourceRespecify", "gl_name"),
    ("CreateShaderState", "gl_name"),
    ("BindRenderState", "version"),
    ("DrawVbo", "patch_vertices"),
];

/// What to compare.
pub struct DiffOptions<'o> {
    /// Frames.
    pub frames: (Bound<u64>, Bound<u64>),
    /// Fields, as `Call.path`, that are compared.
    pub fields: &'o dyn Fn(&str) -> bool,
    /// Rows that are kept; all are counted.
    pub limit: usize,
}

impl Default for DiffOptions<'_> {
    fn default() -> Self {
        Self {
            frames: (Bound::Unbounded, Bound::Unbounded),
            fields: &|_| true,
            limit: 10_000,
        }
    }
}

/// A difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DiffRow {
    /// Frame.
    pub frame: u64,
    /// The verb that the push was for, `F:N`, as the left file counts, or the right one where it has none.
    pub verb: String,
    /// The call.
    pub call: &'static str,
    /// Path of the field; empty where a whole call is on one side only.
    pub path: String,
    /// The left value; none where the left file lacks the call or the field.
    pub left: Option<String>,
    /// The right value.
    pub right: Option<String>,
}

/// How often a field differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldCount {
    /// `Call.path`, indices taken out.
    pub field: String,
    /// Differences.
    pub count: u64,
}

/// Frames that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FrameRun {
    /// The first.
    pub first: u64,
    /// The last.
    pub last: u64,
}

/// All differences.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Diff {
    /// Frames that both files have and that were compared.
    pub frames: u64,
    /// Frames that differ.
    pub different_frames: u64,
    /// Frames asked for that only the left file has.
    pub only_left: Vec<FrameRun>,
    /// Frames asked for that only the right file has.
    pub only_right: Vec<FrameRun>,
    /// Differences.
    pub total: u64,
    /// The first of them, in order.
    pub rows: Vec<DiffRow>,
    /// The fields, most frequent first.
    pub summary: Vec<FieldCount>,
}

impl Diff {
    /// Whether nothing differs.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        self.total == 0 && self.only_left.is_empty() && self.only_right.is_empty()
    }
}

/// Compares two files.
pub fn diff(
    left: &TraceFile,
    right: &TraceFile,
    options: &DiffOptions<'_>,
) -> Result<Diff, TraceError> {
    let (l, r) = (
        selected(left.all_frames(), options.frames),
        selected(right.all_frames(), options.frames),
    );
    let mut d = Diff {
        only_left: outside(&l, &r),
        only_right: outside(&r, &l),
        ..Diff::default()
    };
    let mut fields = BTreeMap::new();
    let common = common(&l, &r);
    if !common.is_empty() {
        let mut sides = [
            Side::new(left, common.clone())?,
            Side::new(right, common.clone())?,
        ];
        for frame in common {
            d.frames += 1;
            let before = d.total;
            compare_frame(&mut sides, frame, options, &mut d, &mut fields)?;
            d.different_frames += u64::from(d.total > before);
        }
    }
    d.summary = fields
        .into_iter()
        .map(|(field, count)| FieldCount { field, count })
        .collect();
    d.summary
        .sort_by(|a, b| (b.count, &a.field).cmp(&(a.count, &b.field)));
    Ok(d)
}

/// The frames of a file that bounds ask for.
fn selected(all: Range<u64>, (start, end): (Bound<u64>, Bound<u64>)) -> Range<u64> {
    let start = match start {
        Bound::Included(v) => v,
        Bound::Excluded(v) => v.saturating_add(1),
        Bound::Unbounded => all.start,
    };
    let end = match end {
        Bound::Included(v) => v.saturating_add(1),
        Bound::Excluded(v) => v,
        Bound::Unbounded => all.end,
    };
    common(&(start..end), &all)
}

fn common(a: &Range<u64>, b: &Range<u64>) -> Range<u64> {
    a.start.max(b.start)..a.end.min(b.end)
}

/// The frames of `a` that are not of `b`, as runs: a file may claim more of them than memory can name.
fn outside(a: &Range<u64>, b: &Range<u64>) -> Vec<FrameRun> {
    let before = a.start..a.end.min(b.start.max(a.start));
    let behind = a.start.max(b.end)..a.end;
    let both = if b.is_empty() {
        vec![a.clone()]
    } else {
        vec![before, behind]
    };
    both.into_iter()
        .filter(|r| !r.is_empty())
        .map(|r| FrameRun {
            first: r.start,
            last: r.end - 1,
        })
        .collect()
}

/// A file while it is walked: once for digests, and once more for what differs. So a comparison takes two passes over a
/// file, however its frames are cut into chunks.
struct Side<'f> {
    digests: Cursor<'f>,
    steps: Steps<'f>,
}

impl<'f> Side<'f> {
    fn new(file: &'f TraceFile, frames: Range<u64>) -> Result<Self, TraceError> {
        Ok(Self {
            digests: file.records(frames.clone())?,
            steps: Steps {
                cursor: file.records(frames.clone())?,
                next: (frames.start, 0),
            },
        })
    }
}

/// The digests of the steps of the frame that is next, in order.
fn steps(cursor: &mut Cursor<'_>) -> Result<Vec<u64>, TraceError> {
    let (mut out, mut h, mut open) = (Vec::new(), Xxh3::new(), false);
    while let Some(r) = cursor.next()? {
        digest(&r, &mut h);
        open = true;
        if r.place.verb.is_some() {
            out.push(h.digest());
            h.reset();
            open = false;
        }
        if r.call.op() == Op::Present {
            break;
        }
    }
    if open {
        out.push(h.digest());
    }
    Ok(out)
}

/// Adds a record to a digest: what is compared of it, and nothing else.
fn digest(r: &Record<'_>, h: &mut Xxh3) {
    let info = r.view.op.info();
    let bytes: &[u8] = bytemuck::cast_slice(r.view.words);
    let payload = &bytes[crate::codec::HEADER_BYTES..][..info.payload_size];
    h.update(&(r.view.op as u16).to_le_bytes());
    let mut at = 0;
    for f in info.fields.iter().filter(|f| masked(r.view.op, f.name)) {
        h.update(&payload[at..f.offset as usize]);
        at = (f.offset + f.size) as usize;
    }
    h.update(&payload[at..]);
    visit_blobs(&r.call, &mut |b| h.update(&xxh3_128(b).to_le_bytes()));
    let blobs = info.blobs.len() * size_of::<crate::pipe::BlobRef>();
    h.update(&bytes[crate::codec::HEADER_BYTES + info.payload_size + blobs..]);
}

/// Whether a field is for messages only (GL names, version numbers) and no part of what two recordings are compared by.
#[must_use]
pub fn masked(op: Op, field: &str) -> bool {
    MASKED.contains(&(op.name(), field))
}

fn compare_frame(
    [left, right]: &mut [Side<'_>; 2],
    frame: u64,
    options: &DiffOptions<'_>,
    d: &mut Diff,
    fields: &mut BTreeMap<String, u64>,
) -> Result<(), TraceError> {
    let (l, r) = (steps(&mut left.digests)?, steps(&mut right.digests)?);
    if l == r {
        return Ok(());
    }
    for (l, r) in gaps(&l, &r) {
        for i in 0..l.len().max(r.len()) {
            let a = match l.clone().nth(i) {
                Some(n) => left.steps.get(frame, n)?,
                None => Vec::new(),
            };
            let b = match r.clone().nth(i) {
                Some(n) => right.steps.get(frame, n)?,
                None => Vec::new(),
            };
            compare_step(frame, a, b, options, d, fields);
        }
    }
    Ok(())
}

/// Whether a file has a field, in some frames, that a selection takes: a selection that takes none compares nothing.
///
/// # Errors
/// The file is damaged, or lacks the frames.
pub fn has_field(
    file: &TraceFile,
    frames: (Bound<u64>, Bound<u64>),
    taken: &dyn Fn(&str) -> bool,
) -> Result<bool, TraceError> {
    let frames = selected(file.all_frames(), frames);
    if frames.is_empty() {
        return Ok(false);
    }
    let mut cursor = file.records(frames)?;
    let mut seen = std::collections::HashSet::new();
    while let Some(r) = cursor.next()? {
        let call = r.call.op().name();
        if taken(call) {
            return Ok(true);
        }
        let mut found = false;
        let value = call_text::show(&r.call, Detail::Full, &mut |name, b| {
            Some(bytes_text::digest(name, b))
        });
        flatten("", &Value::Object(value), &mut |path, _| {
            let field = format!("{call}.{path}");
            found |= !seen.contains(&field) && taken(&field);
            seen.insert(field);
        });
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A push, as text.
struct Push {
    verb: String,
    op: Op,
    value: Map<String, Value>,
}

/// Walks the steps of a file once, in order, and shows those asked for.
struct Steps<'f> {
    cursor: Cursor<'f>,
    /// Frame and step that the next record belongs to.
    next: (u64, usize),
}

impl Steps<'_> {
    /// Step `n` of a frame, which is behind the one asked for last.
    fn get(&mut self, frame: u64, n: usize) -> Result<Vec<Push>, TraceError> {
        let mut out = Vec::new();
        while self.next <= (frame, n) {
            let Some(r) = self.cursor.next()? else { break };
            let op = r.call.op();
            if self.next == (frame, n) {
                let mut value = call_text::show(&r.call, Detail::Full, &mut |name, b| {
                    Some(bytes_text::digest(name, b))
                });
                value.retain(|k, _| k != "op" && !masked(op, k));
                out.push(Push {
                    verb: format!("{}:{}", r.place.frame, r.place.next_verb),
                    op,
                    value,
                });
            }
            if op == Op::Present {
                self.next = (self.next.0 + 1, 0);
            } else if op.info().class == Class::Verb {
                self.next.1 += 1;
            }
        }
        Ok(out)
    }
}

fn compare_step(
    frame: u64,
    left: Vec<Push>,
    right: Vec<Push>,
    options: &DiffOptions<'_>,
    d: &mut Diff,
    fields: &mut BTreeMap<String, u64>,
) {
    let mut row =
        |verb: &str, call: &'static str, path: String, l: Option<String>, r: Option<String>| {
            let field = if path.is_empty() {
                call.to_owned()
            } else {
                format!("{call}.{path}")
            };
            if !(options.fields)(&field) {
                return;
            }
            d.total += 1;
            *fields.entry(without_indices(&field)).or_default() += 1;
            if d.rows.len() < options.limit {
                d.rows.push(DiffRow {
                    frame,
                    verb: verb.to_owned(),
                    call,
                    path,
                    left: l,
                    right: r,
                });
            }
        };
    // The pushes of a call, in order; what is taken is gone.
    let mut right: Vec<Option<Push>> = right.into_iter().map(Some).collect();
    let mut of_call: HashMap<Op, VecDeque<usize>> = HashMap::new();
    for (i, b) in right.iter().enumerate() {
        if let Some(b) = b {
            of_call.entry(b.op).or_default().push_back(i);
        }
    }
    for a in left {
        let next = of_call.get_mut(&a.op).and_then(VecDeque::pop_front);
        let Some(b) = next.and_then(|i| right[i].take()) else {
            row(
                &a.verb,
                a.op.name(),
                String::new(),
                Some("pushed".into()),
                None,
            );
            continue;
        };
        let (mut l, mut r) = (Vec::new(), BTreeMap::new());
        flatten("", &Value::Object(a.value), &mut |k, v| l.push((k, v)));
        flatten("", &Value::Object(b.value), &mut |k, v| {
            drop(r.insert(k, v))
        });
        for (path, v) in l {
            let w = r.remove(&path);
            if w.as_ref() != Some(&v) {
                row(&a.verb, a.op.name(), path, Some(v), w);
            }
        }
        for (path, w) in r {
            row(&a.verb, a.op.name(), path, None, Some(w));
        }
    }
    for b in right.into_iter().flatten() {
        row(
            &b.verb,
            b.op.name(),
            String::new(),
            None,
            Some("pushed".into()),
        );
    }
}

/// Every leaf of a value with its path. A handle is a leaf.
fn flatten(path: &str, v: &Value, leaf: &mut dyn FnMut(String, String)) {
    match v {
        Value::Object(m) => {
            if let (2, Some(s), Some(g)) = (m.len(), m.get("slot"), m.get("generation")) {
                return leaf(path.to_owned(), format!("{{{s},{g}}}"));
            }
            for (k, v) in m {
                let path = if path.is_empty() {
                    k.clone()
                } else {
                    format!("{path}.{k}")
                };
                flatten(&path, v, leaf);
            }
        }
        Value::Array(a) => {
            for (i, v) in a.iter().enumerate() {
                flatten(&format!("{path}[{i}]"), v, leaf);
            }
        }
        Value::String(s) => leaf(path.to_owned(), s.clone()),
        v => leaf(path.to_owned(), v.to_string()),
    }
}

fn without_indices(field: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for c in field.chars() {
        match c {
            '[' => inside = true,
            ']' => inside = false,
            c if !inside => out.push(c),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masked_fields_exist() {
        for (call, field) in MASKED {
            let op = Op::from_name(call).expect("a call");
            assert!(
                op.info().fields.iter().any(|f| f.name == *field),
                "{call}.{field}"
            );
        }
    }
}
