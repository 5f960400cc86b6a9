//! The text form of a trace: [`dump`] and [`assemble`], inverse to each other.
//!
//! ```text
//! { "mgl_trace": 1,                      version of the form
//!   "about": …, "expect": …,             for the reader; ignored
//!   "provenance": { … }, "first_frame": 0,
//!   "records": [
//!     {"op": "Clear", "verb": "0:0", "buffers": "COLOR0", …},      "verb" is ignored when read
//!     {"op": "ReadPixels", …, "reply": {"bytes": {"hex": "…"}}},   reply: "none", {"value": n}, {"bytes": …}, {"caps": …}
//!     {"event": {"Log": …}},
//!     {"image": {"surface": …, "width": …, "height": …, "rgba": {"base64": "…"}}}   before the Present of its frame
//!   ],
//!   "blobs": { NAME: BASE64, … } }
//! ```
//!
//! A dump is written record by record; the blobs that records name follow behind them. `assemble` reads the text twice,
//! blobs first. What comes back: every record and blob to the byte, replies, events, images, frame numbers; not the
//! cutting into chunks.

use super::bytes_text;
use super::call_text::{self, Detail, Problem};
use super::contents::FrameImage;
use super::cursor::{Record, RecordPlace};
use super::error::TraceError;
use super::provenance::Provenance;
use super::reader::TraceFile;
use super::writer::{TraceWriter, WriterOptions, Written};
use crate::codec::RecordView;
use crate::handle::SurfaceHandle;
use crate::pipe::payload::BlobRef;
use crate::pipe::{Caps, Event, Op, Reply, Wait};
use serde::Deserialize;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::io::Write;
use std::ops::{Bound, RangeBounds};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_128;

/// Version of the text form.
pub const TEXT_VERSION: u64 = 1;

/// What a dump holds.
pub struct DumpOptions<'o> {
    /// First frame, and the one behind the last.
    pub frames: (Bound<u64>, Bound<u64>),
    /// Calls that are shown. A dump that leaves calls out is for reading; it may not assemble to a working trace.
    pub calls: &'o dyn Fn(Op) -> bool,
    /// Frame images.
    pub images: bool,
    /// Replies and events.
    pub replies: bool,
}

impl Default for DumpOptions<'_> {
    fn default() -> Self {
        Self {
            frames: (Bound::Unbounded, Bound::Unbounded),
            calls: &|_| true,
            images: true,
            replies: true,
        }
    }
}

/// Writes the text form of a trace.
pub fn dump(
    file: &TraceFile,
    out: &mut dyn Write,
    options: &DumpOptions<'_>,
) -> Result<(), TraceError> {
    let io = || TraceError::io(Path::new("dump"), "writing");
    let mut cursor = file.records(options.frames)?;
    let first_frame = match options.frames.start_bound() {
        Bound::Included(v) => *v,
        _ => file.frames().start,
    };
    writeln!(
        out,
        "{{\"mgl_trace\": {TEXT_VERSION},\n\"provenance\": {},\n\"first_frame\": {first_frame},\n\"records\": [",
        json!(file.provenance())
    )
    .map_err(io())?;
    let mut lines = Lines { out, any: false };
    // Name of each blob that did not fit in place, in order of first use.
    let mut named: HashMap<u128, ()> = HashMap::new();
    let mut order: Vec<(u128, BlobRef)> = Vec::new();
    let mut frame_open = None;
    let mut end = None;
    while let Some(r) = cursor.next()? {
        let (place, op) = (r.place, r.call.op());
        if options.replies && file.has_replies() {
            for e in file.events(place.ordinal)? {
                lines.put(&json!({"event": e}))?;
            }
        }
        end = Some(place.ordinal + 1);
        frame_open = (op != Op::Present).then_some(place.frame);
        if op == Op::Present && options.images {
            for m in file.images(place.frame)? {
                lines.put(&image_text(&m))?;
            }
        }
        if !(options.calls)(op) {
            continue;
        }
        let refs = crate::codec::blob_refs(&r.view).unwrap_or(&[]);
        let mut next_ref = 0;
        let mut line = call_text::show(&r.call, Detail::Short, &mut |name, bytes| {
            let at = refs.get(next_ref).copied().unwrap_or_default();
            next_ref += 1;
            show_blob(name, bytes, &mut |hash| {
                if named.insert(hash, ()).is_none() {
                    order.push((hash, at));
                }
            })
        });
        finish_line(file, options, &place, &r.view, &mut line)?;
        lines.put(&Value::Object(line))?;
    }
    if let Some(end) = end.filter(|_| options.replies && file.has_replies()) {
        for e in file.events(end)? {
            lines.put(&json!({"event": e}))?;
        }
    }
    if let Some(frame) = frame_open.filter(|_| options.images) {
        for m in file.images(frame)? {
            lines.put(&image_text(&m))?;
        }
    }
    let out = lines.out;
    write!(out, "\n],\n\"blobs\": {{").map_err(io())?;
    for (i, (hash, at)) in order.iter().enumerate() {
        let comma = if i == 0 { "" } else { "," };
        let bytes = bytes_text::base64(&file.blob(at)?);
        write!(out, "{comma}\n\"{hash:032x}\": \"{bytes}\"").map_err(io())?;
    }
    writeln!(out, "\n}}}}").map_err(io())?;
    out.flush().map_err(io())
}

/// A record for reading: `op`, then its fields that are not zero; of a blob its text, if it is one, or its size and
/// content hash.
#[must_use]
pub fn show(record: &Record<'_>) -> Map<String, Value> {
    call_text::show(&record.call, Detail::Short, &mut |name, bytes| {
        (!bytes.is_empty()).then(|| bytes_text::digest(name, bytes))
    })
}

/// Adds what is no part of the call: the verb's name and the reply.
fn finish_line(
    file: &TraceFile,
    options: &DumpOptions<'_>,
    place: &RecordPlace,
    view: &RecordView<'_>,
    line: &mut Map<String, Value>,
) -> Result<(), TraceError> {
    if let Some(v) = place.verb {
        line.shift_insert(1, "verb".into(), format!("{}:{v}", place.frame).into());
    }
    // A reply is only looked for where the catalogue has the sender wait for something.
    if options.replies
        && view.op.info().wait != Wait::None
        && let Some(r) = file.reply(place.ordinal)?
    {
        line.insert("reply".into(), reply_text(&r));
    }
    Ok(())
}

/// One record a line.
struct Lines<'w> {
    out: &'w mut dyn Write,
    any: bool,
}

impl Lines<'_> {
    fn put(&mut self, v: &Value) -> Result<(), TraceError> {
        let comma = if self.any { ",\n" } else { "" };
        self.any = true;
        write!(self.out, "{comma}{v}").map_err(TraceError::io(Path::new("dump"), "writing"))
    }
}

fn show_blob(name: &str, bytes: &[u8], keep: &mut dyn FnMut(u128)) -> Option<Value> {
    if bytes.is_empty() {
        return None;
    }
    if matches!(name, "label" | "text")
        && let Some(text) = bytes_text::as_text(bytes)
    {
        return Some(text);
    }
    if bytes.len() <= bytes_text::IN_PLACE {
        return Some(bytes_text::in_place(bytes));
    }
    let hash = xxh3_128(bytes);
    keep(hash);
    Some(json!({"blob": format!("{hash:032x}")}))
}

fn image_text(m: &FrameImage) -> Value {
    json!({"image": {
        "surface": m.surface,
        "width": m.width,
        "height": m.height,
        "rgba": bytes_text::in_place(&m.rgba),
    }})
}

fn reply_text(r: &Reply) -> Value {
    match r {
        Reply::None => json!("none"),
        Reply::Value(v) => json!({"value": v}),
        Reply::Bytes(b) => json!({"bytes": bytes_text::in_place(b)}),
        Reply::Caps(c) => json!({"caps": c}),
    }
}

fn read_reply(v: &Value) -> Result<Reply, String> {
    if v == "none" {
        return Ok(Reply::None);
    }
    let one = v
        .as_object()
        .filter(|m| m.len() == 1)
        .and_then(|m| m.iter().next());
    match one {
        Some((k, v)) if k == "value" => v
            .as_u64()
            .map(Reply::Value)
            .ok_or_else(|| format!("value: {v} is no number from 0")),
        Some((k, v)) if k == "bytes" => bytes_text::read(v, &|_| None).map(Reply::Bytes),
        Some((k, v)) if k == "caps" => Caps::deserialize(v)
            .map(|c| Reply::Caps(Box::new(c)))
            .map_err(|e| format!("caps: {e}")),
        _ => Err("a reply is \"none\", value, bytes or caps".into()),
    }
}

/// Makes a trace of its text form. `name` is for messages.
pub fn assemble<W: Write>(
    text: &str,
    name: &Path,
    out: W,
    options: WriterOptions,
) -> Result<(W, Written), TraceError> {
    let mut head = Head {
        first_frame: options.first_frame,
        room: text.len() + FILL_BYTES,
        ..Head::default()
    };
    parse(text, &mut |key, value| head.take(key, value), None)?;
    if head.version != Some(TEXT_VERSION) {
        return Err(TraceError::text(
            "mgl_trace",
            format!("not there, or not {TEXT_VERSION}: it is no text form of a trace"),
        ));
    }
    let mut writer = TraceWriter::create(
        out,
        name,
        &head.provenance,
        WriterOptions {
            first_frame: head.first_frame,
            ..options
        },
    )?;
    let mut number = 0u64;
    let mut failed = None;
    let r = parse(
        text,
        &mut |_, _| Ok(()),
        Some(&mut |item| {
            let r = assemble_item(item, &head.blobs, &mut writer, number);
            number += 1;
            r.map_err(|e| {
                let m = e.to_string();
                failed = Some(e);
                m
            })
        }),
    );
    if let Some(e) = failed {
        return Err(e);
    }
    r?;
    writer.finish()
}

/// The document without its records.
#[derive(Default)]
struct Head {
    version: Option<u64>,
    first_frame: u64,
    provenance: Provenance,
    blobs: HashMap<String, Vec<u8>>,
    /// Bytes that further blobs may have.
    room: usize,
}

/// Bytes that the blobs of a document may have beyond its own length: what `fill` makes of a few letters.
const FILL_BYTES: usize = 256 << 20;

impl Head {
    fn take(&mut self, key: &str, v: Value) -> Result<(), String> {
        match key {
            "mgl_trace" => self.version = v.as_u64(),
            "about" | "expect" => {}
            "first_frame" => {
                self.first_frame = v
                    .as_u64()
                    .filter(|f| *f < super::format::MAX_NUMBER / 2)
                    .ok_or_else(|| format!("first_frame: {v} is no frame number"))?;
            }
            "provenance" => {
                self.provenance =
                    Provenance::deserialize(v).map_err(|e| format!("provenance: {e}"))?;
            }
            "blobs" => {
                let Value::Object(m) = v else {
                    return Err("blobs: not an object".into());
                };
                for (name, v) in m {
                    let bytes =
                        bytes_text::read_table(&v).map_err(|e| format!("blobs: {name}: {e}"))?;
                    let room = self.room.checked_sub(bytes.len());
                    self.room = room.ok_or("blobs: they are too large together")?;
                    self.blobs.insert(name, bytes);
                }
            }
            _ => return Err(format!("unknown key '{key}'")),
        }
        Ok(())
    }
}

/// Appends one element of `records`.
fn assemble_item<W: Write>(
    item: Value,
    blobs: &HashMap<String, Vec<u8>>,
    w: &mut TraceWriter<W>,
    number: u64,
) -> Result<(), TraceError> {
    let place = |name: &str| format!("record {number} ({name})");
    let bad = |name: &str, p: Problem| {
        let field = if p.field.is_empty() {
            String::new()
        } else {
            format!(": field {}", p.field)
        };
        TraceError::text(format!("{}{field}", place(name)), p.problem)
    };
    let Value::Object(mut m) = item else {
        return Err(TraceError::text(place("?"), "it is not an object"));
    };
    let is_call = m.contains_key("op");
    if !is_call && let Some(e) = m.remove("event") {
        let event = Event::deserialize(e).map_err(|e| TraceError::text(place("event"), e))?;
        return w.event(&event);
    }
    if !is_call && let Some(i) = m.remove("image") {
        return assemble_image(&i, w).map_err(|e| match e {
            Ok(e) => e,
            Err(p) => TraceError::text(place("image"), p),
        });
    }
    let name = match m.remove("op") {
        Some(Value::String(s)) => s,
        Some(v) => {
            return Err(TraceError::text(
                place("?"),
                format!("op: {v} is not a string"),
            ));
        }
        None => return Err(TraceError::text(place("?"), "it has no op, event or image")),
    };
    let op = Op::from_name(&name)
        .ok_or_else(|| TraceError::text(place(&name), "there is no such call"))?;
    let reply = m.remove("reply");
    m.remove("verb");
    let table = |n: &str| blobs.get(n).cloned();
    call_text::read(op, m, &mut |v| bytes_text::read(v, &table), |c| w.push(c))
        .map_err(|p| bad(&name, p))??;
    if let Some(r) = reply {
        let r = read_reply(&r).map_err(|p| bad(&name, Problem::new("reply", p)))?;
        w.reply(&r)?;
    }
    Ok(())
}

fn assemble_image<W: Write>(
    v: &Value,
    w: &mut TraceWriter<W>,
) -> Result<(), Result<TraceError, String>> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Image {
        surface: SurfaceHandle,
        width: u32,
        height: u32,
        rgba: Value,
    }
    let i = Image::deserialize(v).map_err(|e| Err(e.to_string()))?;
    let rgba = bytes_text::read(&i.rgba, &|_| None).map_err(|e| Err(format!("rgba: {e}")))?;
    w.image(i.surface, i.width, i.height, &rgba).map_err(Ok)
}

/// Gets the keys of the document but `records`.
type TakeKey<'t> = dyn FnMut(&str, Value) -> Result<(), String> + 't;
/// Gets the elements of `records`.
type TakeItem<'t> = dyn FnMut(Value) -> Result<(), String> + 't;

/// Walks the document. Without `items` the records are skipped, with it the other keys are.
fn parse<'t>(
    text: &str,
    keys: &mut TakeKey<'t>,
    items: Option<&mut TakeItem<'t>>,
) -> Result<(), TraceError> {
    let mut d = serde_json::Deserializer::from_str(text);
    Document { keys, items }
        .deserialize(&mut d)
        .and_then(|()| d.end())
        .map_err(|e| TraceError::text(format!("line {} column {}", e.line(), e.column()), e))
}

struct Document<'a, 't> {
    keys: &'a mut TakeKey<'t>,
    items: Option<&'a mut TakeItem<'t>>,
}

impl<'de> DeserializeSeed<'de> for Document<'_, '_> {
    type Value = ();
    fn deserialize<D: serde::Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Document<'_, '_> {
    type Value = ();
    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the text form of a trace: an object")
    }
    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match (&mut self.items, key.as_str()) {
                (None, "records") => drop(map.next_value::<IgnoredAny>()?),
                (None, k) => {
                    let v = map.next_value()?;
                    (self.keys)(k, v).map_err(serde::de::Error::custom)?;
                }
                (Some(items), "records") => map.next_value_seed(Items(&mut **items))?,
                (Some(_), _) => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

struct Items<'a, 't>(&'a mut TakeItem<'t>);

impl<'de> DeserializeSeed<'de> for Items<'_, '_> {
    type Value = ();
    fn deserialize<D: serde::Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Items<'_, '_> {
    type Value = ();
    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list of records")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(v) = seq.next_element::<Value>()? {
            (self.0)(v).map_err(serde::de::Error::custom)?;
        }
        Ok(())
    }
}
