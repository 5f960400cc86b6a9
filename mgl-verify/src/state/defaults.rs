//! Fields that one of two logs cannot have: its trace was recorded, or it was stored, before they were appended to their
//! structs. At their default they say what the other log says by not having them, and no golden moves; any other value is a
//! difference. Fields that both logs know are never left out.

use std::collections::{HashMap, HashSet};

use mgl_core::format::Format;
use mgl_core::pipe::calls::visit_schema;
use mgl_core::pipe::payload::default_of;
use mgl_core::pod::{FieldInfo, mask_text};

use super::log::{Id, StateLog, StoredLeaf};

/// What leaves show of fields at their default, by the field's name. Structs may name fields alike.
struct Defaults(HashMap<&'static str, HashSet<String>>);

impl Defaults {
    fn new() -> Self {
        let mut by_name: HashMap<&str, HashSet<String>> = HashMap::new();
        visit_schema(&mut |of, fields| {
            for f in fields {
                let texts = by_name.entry(f.name).or_default();
                texts.insert(shown(f, default_of(of, f.name)));
            }
        });
        Self(by_name)
    }

    fn has(&self, path: &str, leaf: &str) -> bool {
        // Below it are the names of programs.
        if path.starts_with("DrawProgram.") {
            return false;
        }
        let Some((_, name)) = path.rsplit_once('.') else {
            return false;
        };
        let name = name.split('[').next().unwrap_or(name);
        self.0.get(name).is_some_and(|texts| texts.contains(leaf))
    }
}

/// How a value of a field is shown.
fn shown(f: &FieldInfo, value: u64) -> String {
    let bits = value as u32;
    match f.ty {
        "Format" => Format(bits).to_string(),
        "bool32" => (value != 0).to_string(),
        "f32" => f32::from_bits(bits).to_string(),
        ty if ty.ends_with("Handle") => "null".to_owned(),
        _ if f.named.is_empty() => value.to_string(),
        // Enumerations have GL's names; masks have their bits'.
        _ if f.named.iter().all(|n| n.0.starts_with("GL_")) => {
            let name = f.named.iter().find(|n| n.1 == bits);
            name.map_or_else(|| value.to_string(), |n| n.0.to_owned())
        }
        _ => {
            let bits_of = f.named.iter().map(|&(name, bit)| (bit, name));
            mask_text(bits, &bits_of.collect::<Vec<_>>())
        }
    }
}

/// Which rows of a log say nothing beside another one.
pub(super) struct LeftOut {
    /// Paths that the other log has nowhere.
    unknown: HashSet<Id>,
    defaults: Defaults,
}

impl LeftOut {
    /// Of `log`, beside `other`.
    pub(super) fn beside(log: &StateLog, other: &StateLog) -> Self {
        let paths = |log: &StateLog| -> HashSet<Id> {
            let rows = log.values.iter().flat_map(|v| &v.0);
            rows.map(|(path, _)| *path).collect()
        };
        let known: HashSet<String> = paths(other)
            .into_iter()
            .map(|path| without_indices(other.text(path)))
            .collect();
        let mut unknown = paths(log);
        unknown.retain(|path| !known.contains(&without_indices(log.text(*path))));
        Self {
            unknown,
            defaults: Defaults::new(),
        }
    }

    /// Whether a row of the log is left out.
    pub(super) fn has(&self, log: &StateLog, path: Id, leaf: StoredLeaf) -> bool {
        let StoredLeaf::Text(text) = leaf else {
            return false;
        };
        self.unknown.contains(&path) && self.defaults.has(log.text(path), log.text(text))
    }
}

/// A path whatever the element of a list.
pub(super) fn without_indices(field: &str) -> String {
    let mut out = String::new();
    let mut depth = 0;
    for c in field.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::flatten::{Leaf, rows};
    use super::super::log::{Builder, Frame, NONE, Step};
    use super::*;
    use mgl_core::pipe::*;

    /// Two reads, of which the second has `more`, and then as many plain ones.
    fn log(more: &[(&str, &str)], plain: usize) -> StateLog {
        let mut b = Builder::default();
        let mut steps = Vec::new();
        for i in 0..2 + plain {
            let mut rows = vec![
                ("ReadPixels.x".to_owned(), Leaf::Text(i.to_string())),
                ("ReadPixels.width".to_owned(), Leaf::Text("8".to_owned())),
            ];
            if i == 1 {
                let more = more.iter();
                rows.extend(more.map(|(p, l)| ((*p).to_owned(), Leaf::Text((*l).to_owned()))));
            }
            steps.push(Step {
                verb: b.text("ReadPixels"),
                call: b.value(rows),
                context: NONE,
                objects: Vec::new(),
                groups: Vec::new(),
            });
        }
        b.log.frames = vec![Frame { frame: 0, steps }];
        b.log
    }

    fn differences(golden: &StateLog, actual: &StateLog) -> Vec<(String, Option<String>)> {
        let diff = golden.diff(actual, 100);
        let rows = diff.rows.into_iter();
        rows.map(|d| (d.field, d.actual)).collect()
    }

    #[test]
    fn an_appended_field_at_its_default_moves_no_golden() {
        let old = log(&[], 0);
        let new = log(
            &[
                ("ReadPixels.sample", "0"),
                ("ReadPixels.by_sample", "false"),
            ],
            0,
        );
        assert_eq!(differences(&old, &new), []);
        assert_eq!(differences(&new, &old), []);
        let digests = |a: &StateLog, b: &StateLog| a.digests(&LeftOut::beside(a, b));
        assert_eq!(
            digests(&old, &new),
            digests(&new, &old),
            "they anchor each other"
        );
        // Another value is said, also where nothing else differs.
        let other = log(
            &[("ReadPixels.sample", "2"), ("ReadPixels.by_sample", "true")],
            0,
        );
        let said = [("ReadPixels.sample", "2"), ("ReadPixels.by_sample", "true")];
        let said = said.map(|(p, l)| (p.to_owned(), Some(l.to_owned())));
        assert_eq!(differences(&old, &other), said);
        assert_ne!(digests(&old, &other), digests(&other, &old));
        // An inserted verb is one difference beside fields that were appended.
        let more = log(&[("ReadPixels.sample", "0")], 1);
        assert_eq!(old.diff(&more, 100).total, 1);
    }

    #[test]
    fn what_a_log_knows_it_must_have() {
        let golden = log(
            &[
                ("ReadPixels.rows[1].sample", "0"),
                ("ReadPixels.sample", "0"),
            ],
            0,
        );
        let actual = log(
            &[
                ("ReadPixels.rows[0].sample", "0"),
                ("ReadPixels.sample", "0"),
            ],
            0,
        );
        assert_eq!(differences(&golden, &actual).len(), 2, "another element");
        // Names that programs give are no fields.
        let old = log(&[], 0);
        let new = log(&[("DrawProgram.uniform.sample", "0")], 0);
        assert_eq!(differences(&old, &new).len(), 1);
        assert_eq!(
            differences(&old, &log(&[("ReadPixels.colour", "0")], 0)).len(),
            1
        );
    }

    /// What a payload of zeros shows is what its fields' defaults are, but for those that are said not to be zero.
    #[test]
    fn defaults_are_shown_as_payloads_show_them() {
        let defaults = Defaults::new();
        let all = [
            rows("p", &SubData::default()),
            rows("p", &ReadPixels::default()),
            rows("p", &GetTextureImage::default()),
            rows("p", &DrawInfo::default()),
            rows("p", &TextureParams::default()),
            rows("p", &ResourceDesc::default()),
            rows("p", &Blit::default()),
            rows("p", &Clear::default()),
            rows("p", &ContextDesc::default()),
            rows("p", &SamplerDesc::default()),
        ];
        for (path, leaf) in all.concat() {
            let Leaf::Text(text) = leaf else {
                panic!("{path}: a handle");
            };
            assert!(defaults.has(&path, &text), "{path}: {text}");
            assert!(!defaults.has(&path, "7"), "{path}");
        }
    }
}
