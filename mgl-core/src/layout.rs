//! The layout fingerprint: one digest over everything that fixes the meaning of a record (design: pipe contract 3.3).

use crate::pipe::calls::{CATALOGUE, visit_schema};
use crate::pipe::render_state::DYNAMIC_CHUNKS;
use std::collections::BTreeMap;
use std::fmt::Write;
use xxhash_rust::xxh3::xxh3_64;

/// What is archived otherwise than as a record: events, capabilities, reflection, kinds of replies. A test holds it
/// against the types.
const ARCHIVES: &str = include_str!("layout/archives.txt");

/// The schema as text: one line a call, a struct's field, a value of an enumeration or a mask, a dynamic chunk, and a part
/// of what is archived. Stored in trace files.
#[must_use]
pub fn schema_text() -> String {
    let mut out = String::new();
    for c in CATALOGUE {
        let _ = writeln!(
            out,
            "call {} {} {} {:?} {:?} optional={} record_blob={} blobs={} tails={}",
            c.op as u16,
            c.name,
            c.payload,
            c.class,
            c.wait,
            c.optional,
            c.record_blob,
            c.blobs.join(","),
            c.tails
                .iter()
                .map(|(n, t, s)| format!("{n}:{t}:{s}"))
                .collect::<Vec<_>>()
                .join(","),
        );
    }
    let mut structs: BTreeMap<&str, String> = BTreeMap::new();
    let mut named: BTreeMap<&str, &[(&str, u32)]> = BTreeMap::new();
    visit_schema(&mut |name, fields| {
        structs.entry(name).or_insert_with(|| {
            fields.iter().fold(String::new(), |mut s, f| {
                let _ = writeln!(
                    s,
                    "field {name} {} {} {} {} {}",
                    f.name, f.ty, f.offset, f.size, f.count
                );
                s
            })
        });
        named.extend(fields.iter().map(|f| (f.ty, f.named)));
    });
    out.extend(structs.into_values());
    for (ty, values) in named {
        for (name, value) in values {
            let _ = writeln!(out, "value {ty} {name} {value}");
        }
    }
    for c in DYNAMIC_CHUNKS {
        let _ = writeln!(out, "chunk {} {} {}", c.name, c.offset, c.size);
    }
    out.push_str(ARCHIVES);
    out
}

/// Digest of [`schema_text`].
#[must_use]
pub fn layout_fingerprint() -> u64 {
    xxh3_64(schema_text().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipe::{Caps, Event};
    use crate::program::Reflection;
    use serde_reflection::{ContainerFormat, Named, Tracer, TracerConfig, VariantFormat};

    #[test]
    fn the_schema_names_every_call_field_and_value() {
        let text = schema_text();
        for c in CATALOGUE {
            assert!(text.contains(&format!("call {} {} ", c.op as u16, c.name)));
        }
        for line in [
            "field DrawInfo mode Primitive 0 4 1",
            "chunk viewport0 0 24",
            "value Primitive GL_TRIANGLES 4",
            "value ClearMask STENCIL 4",
            "value Format GL_RGBA8 32856",
            "value HandleKind GL_SURFACE 14",
            "archive reply bytes 2",
        ] {
            assert!(text.lines().any(|l| l == line), "{line}");
        }
    }

    /// Events, capabilities and reflection as postcard has them: a line a struct, and a line a variant of an enumeration.
    fn archives() -> String {
        let mut tracer = Tracer::new(TracerConfig::default());
        let trace = |result: serde_reflection::Result<()>| result.expect("plain data");
        trace(tracer.trace_simple_type::<Caps>().map(drop));
        trace(tracer.trace_simple_type::<Event>().map(drop));
        trace(tracer.trace_simple_type::<Reflection>().map(drop));
        let mut out = String::new();
        let fields = |fields: &[Named<serde_reflection::Format>]| {
            let field = |f: &Named<_>| format!("{}:{:?}", f.name, f.value).replace(' ', "");
            fields.iter().map(field).collect::<Vec<_>>().join(" ")
        };
        for (name, shape) in tracer.registry().expect("whole") {
            match shape {
                ContainerFormat::Enum(variants) => {
                    for (i, v) in variants {
                        let value = match &v.value {
                            VariantFormat::Struct(f) => fields(f),
                            other => format!("{other:?}").replace(' ', ""),
                        };
                        let _ = writeln!(out, "archive {name} {i} {} {value}", v.name);
                    }
                }
                ContainerFormat::Struct(f) => {
                    let _ = writeln!(out, "archive {name} {}", fields(&f));
                }
                other => {
                    let text = format!("{other:?}").replace(' ', "");
                    let _ = writeln!(out, "archive {name} {text}");
                }
            }
        }
        use crate::trace::chunk::entry::*;
        for (name, number) in [
            ("none", NONE),
            ("value", VALUE),
            ("bytes", BYTES),
            ("caps", CAPS),
            ("event", EVENT),
        ] {
            let _ = writeln!(out, "archive reply {name} {number}");
        }
        out
    }

    #[test]
    fn what_is_archived_is_written_down() {
        let now = archives();
        if ARCHIVES != now {
            let place = std::env::temp_dir().join("mgl-archives.txt");
            std::fs::write(&place, &now).expect("a place for what it is now");
            panic!("it is another: {}; see docs/trace-format.md on versions", place.display());
        }
    }

    /// A change of a call, a payload, an enumeration or an archive is a version of its own: files are told apart by both.
    #[test]
    fn a_version_has_one_layout() {
        let now = (crate::trace::format::VERSION, layout_fingerprint());
        assert_eq!(
            now,
            (2, 0x8ffb_4235_d7b0_1ea8),
            "see docs/trace-format.md on versions"
        );
    }
}
