//! The layout fingerprint: one digest over everything that fixes the meaning of a record (design: pipe contract 3.3).

use crate::pipe::calls::{CATALOGUE, visit_schema};
use crate::pipe::render_state::DYNAMIC_CHUNKS;
use std::collections::BTreeMap;
use std::fmt::Write;
use xxhash_rust::xxh3::xxh3_64;

/// The schema as text: one line a call, one line a struct field, one line a dynamic chunk. Stored in trace files.
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
    });
    out.extend(structs.into_values());
    for c in DYNAMIC_CHUNKS {
        let _ = writeln!(out, "chunk {} {} {}", c.name, c.offset, c.size);
    }
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

    #[test]
    fn the_schema_names_every_call_and_field() {
        let text = schema_text();
        for c in CATALOGUE {
            assert!(text.contains(&format!("call {} {} ", c.op as u16, c.name)));
        }
        assert!(text.contains("field DrawInfo mode Primitive 0 4 1"));
        assert!(text.contains("chunk viewport0 0 24"));
    }

    /// A change of a call or of a payload is a version of its own: files are told apart by both.
    #[test]
    fn a_version_has_one_layout() {
        let now = (crate::trace::format::VERSION, layout_fingerprint());
        assert_eq!(
            now,
            (1, 0x8ffb_4235_d7b0_1ea8),
            "see docs/trace-format.md on versions"
        );
    }
}
