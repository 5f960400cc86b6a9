//! The layout fingerprint: one digest over everything that fixes the meaning of a record (design: pipe contract 3.3).

use crate::pipe::calls::{CATALOGUE, visit_schema};
use crate::pipe::payload::DEFAULTS;
use crate::pipe::render_state::DYNAMIC_CHUNKS;
use std::collections::BTreeMap;
use std::fmt::Write;
use xxhash_rust::xxh3::xxh3_64;

/// What is archived otherwise than as a record: events, capabilities, reflection, kinds of replies. A test holds it
/// against the types.
const ARCHIVES: &str = include_str!("layout/archives.txt");

/// The schema as text: one line a call, a struct's field, a default that is not zero, a value of an enumeration or a mask, a
/// dynamic chunk, and a part of what is archived. Stored in trace files.
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
    for d in DEFAULTS {
        let _ = writeln!(out, "default {} {} {}", d.of, d.field, d.value);
    }
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
    use crate::program::{GeometryPrimitive, Reflection, UniformPlace, XfbMode, XfbSource};
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
            "value BufferMask STENCIL 512",
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
        // Of an enumeration within, one call finds one variant.
        trace(
            tracer
                .trace_simple_type::<crate::pipe::event::LogLevel>()
                .map(drop),
        );
        trace(
            tracer
                .trace_simple_type::<crate::pipe::event::OutcomeKind>()
                .map(drop),
        );
        trace(tracer.trace_simple_type::<UniformPlace>().map(drop));
        trace(tracer.trace_simple_type::<XfbMode>().map(drop));
        trace(tracer.trace_simple_type::<XfbSource>().map(drop));
        trace(tracer.trace_simple_type::<GeometryPrimitive>().map(drop));
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
            ("late", LATE),
        ] {
            let _ = writeln!(out, "archive reply {name} {number}");
        }
        out
    }

    #[test]
    fn what_is_archived_is_written_down() {
        let now = archives();
        if ARCHIVES != now {
            let place = std::env::temp_dir().join("archives.txt");
            std::fs::write(&place, &now).expect("a place for what it is now");
            panic!(
                "it is another: {}; see docs/trace-format.md on versions",
                place.display()
            );
        }
    }

    /// Every version's schema. Version 1 names no values and archives in its files; they stand here.
    const VERSIONS: [&str; 2] = [
        include_str!("layout/versions/1.txt"),
        include_str!("layout/versions/2.txt"),
    ];

    /// A change of a call, a payload, an enumeration or an archive is a version of its own.
    #[test]
    fn a_version_has_one_schema() {
        assert_eq!(VERSIONS.len(), crate::trace::format::VERSION as usize);
        let now = schema_text();
        if VERSIONS[VERSIONS.len() - 1] != now {
            let place = std::env::temp_dir().join("schema.txt");
            std::fs::write(&place, &now).expect("a place for what it is now");
            let place = place.display();
            panic!("it is another: {place}; see docs/trace-format.md on versions");
        }
        // What landed is in files of strangers.
        let landed = xxh3_64(VERSIONS[0].as_bytes());
        assert_eq!(landed, 0xe1e5_b020_3dd1_a59b, "version 1 is what it was");
    }

    #[test]
    fn a_default_is_a_field_s() {
        for d in crate::pipe::payload::DEFAULTS {
            let mut found = None;
            visit_schema(&mut |name, fields| {
                let field = fields.iter().find(|f| (name, f.name) == (d.of, d.field));
                found = found.or(field.map(|f| f.size / f.count.max(1)));
            });
            let bytes = found.unwrap_or_else(|| panic!("{d:?}: no such field"));
            assert!(
                d.value != 0 && (bytes >= 8 || d.value >> (8 * bytes) == 0),
                "{d:?}"
            );
        }
    }

    /// What a version says holds in every later one: rows, fields, values and archives are only ever appended.
    #[test]
    fn no_version_takes_anything_back() {
        let now = schema_text();
        for (i, text) in VERSIONS.iter().enumerate() {
            let kinds = ["value ", "archive ", "default "];
            let frozen = |l: &&str| kinds.iter().any(|k| l.starts_with(k));
            for line in text.lines().filter(frozen) {
                assert!(now.lines().any(|l| l == line), "version {}: {line}", i + 1);
            }
            if let Err(lost) = crate::trace::older::Mapping::between(text, &now) {
                panic!("version {}: {lost}", i + 1);
            }
        }
    }
}
