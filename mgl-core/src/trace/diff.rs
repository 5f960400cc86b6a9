//! Compares two traces: frame by frame, verb by verb, field by field.
//!
//! A frame is cut into steps: the pushes before a verb, and the verb. Equal steps are found by digest and anchor the
//! rest; steps between two anchors are paired in order. Within a pair the nth push of a call is compared with the nth
//! push of that call, because between set calls there is no order. What is meant for messages only (GL names, version
//! numbers) and replies are not compared; a blob is its content's hash, never its place.

use super::align::gaps;
use super::call_text::{self, Detail, visit_blobs};
use super::cursor::Record;
use super::error::TraceError;
use super::reader::TraceFile;
use crate::pipe::{Class, Op};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::ops::{Bound, RangeBounds};
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

/// All differences.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Diff {
    /// Frames that both files have and that were compared.
    pub frames: u64,
    /// Frames that differ.
    pub different_frames: u64,
    /// Frames asked for that only the left file has.
    pub only_left: Vec<u64>,
    /// Frames asked for that only the right file has.
    pub only_right: Vec<u64>,
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
    let wanted = |f: &u64| options.frames.contains(f);
    let (l, r) = (left.all_frames(), right.all_frames());
    let mut d = Diff {
        only_left: l.clone().filter(|f| !r.contains(f) && wanted(f)).collect(),
        only_right: r.clone().filter(|f| !l.contains(f) && wanted(f)).collect(),
        ..Diff::default()
    };
    let mut fields = BTreeMap::new();
    for frame in l.filter(|f| r.contains(f) && wanted(f)) {
        d.frames += 1;
        let before = d.total;
        compare_frame(left, right, frame, options, &mut d, &mut fields)?;
        d.different_frames += u64::from(d.total > before);
    }
    d.summary = fields
        .into_iter()
        .map(|(field, count)| FieldCount { field, count })
        .collect();
    d.summary
        .sort_by(|a, b| (b.count, &a.field).cmp(&(a.count, &b.field)));
    Ok(d)
}

/// The digests of a frame's steps, in order.
fn steps(file: &TraceFile, frame: u64) -> Result<Vec<u64>, TraceError> {
    let mut cursor = file.records(frame..=frame)?;
    let (mut out, mut h, mut open) = (Vec::new(), Xxh3::new(), false);
    while let Some(r) = cursor.next()? {
        digest(&r, &mut h);
        open = true;
        if r.place.verb.is_some() {
            out.push(h.digest());
            h.reset();
            open = false;
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
    left: &TraceFile,
    right: &TraceFile,
    frame: u64,
    options: &DiffOptions<'_>,
    d: &mut Diff,
    fields: &mut BTreeMap<String, u64>,
) -> Result<(), TraceError> {
    let (l, r) = (steps(left, frame)?, steps(right, frame)?);
    if l == r {
        return Ok(());
    }
    let gaps = gaps(&l, &r);
    let mut lefts = Steps::new(left, frame)?;
    let mut rights = Steps::new(right, frame)?;
    for (l, r) in gaps {
        for i in 0..l.len().max(r.len()) {
            let a = match l.clone().nth(i) {
                Some(n) => lefts.get(n)?,
                None => Vec::new(),
            };
            let b = match r.clone().nth(i) {
                Some(n) => rights.get(n)?,
                None => Vec::new(),
            };
            compare_step(frame, a, b, options, d, fields);
        }
    }
    Ok(())
}

/// A push, as text.
struct Push {
    verb: String,
    op: Op,
    value: Map<String, Value>,
}

/// Walks the steps of a frame once, in order, and shows those asked for.
struct Steps<'f> {
    cursor: super::cursor::Cursor<'f>,
    next: usize,
}

impl<'f> Steps<'f> {
    fn new(file: &'f TraceFile, frame: u64) -> Result<Self, TraceError> {
        Ok(Self {
            cursor: file.records(frame..=frame)?,
            next: 0,
        })
    }

    /// Step `n`, which is behind the one asked for last.
    fn get(&mut self, n: usize) -> Result<Vec<Push>, TraceError> {
        let mut out = Vec::new();
        while let Some(r) = self.cursor.next()? {
            if self.next == n {
                let op = r.call.op();
                let mut value = call_text::show(&r.call, Detail::Full, &mut |_, b| {
                    Some(json!({"size": b.len(), "xxh3": format!("{:032x}", xxh3_128(b))}))
                });
                value.retain(|k, _| k != "op" && !masked(op, k));
                out.push(Push {
                    verb: format!("{}:{}", r.place.frame, r.place.next_verb),
                    op,
                    value,
                });
            }
            if r.call.op().info().class == Class::Verb {
                self.next += 1;
                if self.next > n {
                    break;
                }
            }
        }
        Ok(out)
    }
}

fn compare_step(
    frame: u64,
    left: Vec<Push>,
    mut right: Vec<Push>,
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
    for a in left {
        let Some(i) = right.iter().position(|b| b.op == a.op) else {
            row(
                &a.verb,
                a.op.name(),
                String::new(),
                Some("pushed".into()),
                None,
            );
            continue;
        };
        let b = right.remove(i);
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
    for b in right {
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
