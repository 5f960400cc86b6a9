//! Records of another schema: files that an older mgl wrote are read as if this one had written them.
//!
//! A file holds its schema as text. Rows of the catalogue and fields of structs are only ever appended, and keep their
//! names; so a record is mapped by name, and a field that the file lacks takes its default, which is zero unless the schema says otherwise. The plan
//! is made once a file; a record costs the copies that it needs. A schema that has what this one does not is a newer
//! mgl's, and refused by name.

use crate::codec::{HEADER_BYTES, MAX_RECORD_BYTES};
use std::collections::BTreeMap;

/// Bytes of the text that are looked at: several times what a schema has.
const MAX_TEXT: usize = 1 << 20;
/// Leaves of one struct.
const MAX_LEAVES: usize = 4096;
/// Bytes of what a chunk becomes: twice the largest content.
const MAX_MAPPED: usize = 128 << 20;
/// Bytes of one struct.
const MAX_STRUCT: usize = 64 << 10;
/// Bytes of a BlobRef in a record.
const BLOB_BYTES: usize = size_of::<crate::pipe::BlobRef>();

/// How records of a file become today's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mapping {
    /// By opcode.
    calls: BTreeMap<u16, CallPlan>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct CallPlan {
    payload: StructPlan,
    /// For each blob here, which it is there.
    blobs: Vec<Option<usize>>,
    blobs_there: usize,
    /// For each tail here, which it is there, and its elements.
    tails: Vec<(Option<usize>, StructPlan)>,
    /// Bytes of an element of each tail there.
    tails_there: Vec<usize>,
}

/// Copies that make a struct of another.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct StructPlan {
    there: usize,
    here: usize,
    /// From, to, bytes.
    copies: Vec<(usize, usize, usize)>,
    /// Where a default is that is not zero, and its bytes.
    fills: Vec<(usize, Vec<u8>)>,
}

/// A schema, as its text says.
struct Schema<'t> {
    calls: BTreeMap<&'t str, CallText<'t>>,
    structs: BTreeMap<&'t str, Vec<FieldText<'t>>>,
    /// Defaults that are not zero, by struct and field.
    defaults: BTreeMap<(&'t str, &'t str), u64>,
    /// Where dynamic state has its chunks.
    chunks: Vec<&'t str>,
    /// Numbers of named values and bits, by type and name. Version 1 does not say them: they are today's.
    values: BTreeMap<(&'t str, &'t str), &'t str>,
    /// What is archived otherwise than as records; nothing in version 1, where it is as today.
    archives: Vec<&'t str>,
}

struct CallText<'t> {
    op: u16,
    payload: &'t str,
    blobs: Vec<&'t str>,
    /// Name, type, bytes of an element.
    tails: Vec<(&'t str, &'t str, usize)>,
}

struct FieldText<'t> {
    name: &'t str,
    ty: &'t str,
    offset: usize,
    size: usize,
    count: usize,
}

/// A part of a struct that is no struct.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Leaf {
    path: String,
    ty: String,
    offset: usize,
    size: usize,
    /// Its default, if that is not zero.
    default: Option<Vec<u8>>,
}

impl Mapping {
    /// From the schema in a file to this mgl's; `fingerprint` is the file's.
    ///
    /// # Errors
    ///
    /// The text is none, or has what this mgl does not know: what, in words.
    pub fn from_schema(theirs: &str, fingerprint: u64) -> Result<Self, String> {
        if xxhash_rust::xxh3::xxh3_64(theirs.as_bytes()) != fingerprint {
            return Err("a schema that is not the one of its header".into());
        }
        let ours = crate::layout::schema_text();
        Self::between(theirs, &ours)
    }

    /// From one schema to another.
    pub(crate) fn between(theirs: &str, ours: &str) -> Result<Self, String> {
        let (theirs, ours) = (Schema::parse(theirs)?, Schema::parse(ours)?);
        if theirs.chunks.iter().any(|c| !ours.chunks.contains(c)) {
            return Err("other places of dynamic state".into());
        }
        // A value that has no name here is refused by the record that has it; one that moved would mean something else.
        for (key @ (ty, name), there) in &theirs.values {
            if ours.values.get(key).is_some_and(|here| here != there) {
                return Err(format!("{ty} {name} as number {there}"));
            }
        }
        let unknown = |a: &&&str| !ours.archives.contains(a);
        if let Some(archive) = theirs.archives.iter().find(unknown) {
            return Err(format!("the {archive}"));
        }
        let mut calls = BTreeMap::new();
        for (name, there) in &theirs.calls {
            let here = ours.calls.get(name).ok_or(format!("the call {name}"))?;
            if there.op != here.op {
                return Err(format!("the call {name} as number {}", there.op));
            }
            let payload = plan(&theirs, there.payload, &ours, here.payload)?;
            let mut tails = Vec::new();
            for (tail, ty, size) in &here.tails {
                let at = there.tails.iter().position(|t| t.0 == *tail);
                let elements = match at {
                    Some(i) => {
                        let (_, ty_there, size_there) = there.tails[i];
                        let both =
                            ours.structs.contains_key(ty) && theirs.structs.contains_key(ty_there);
                        if both {
                            let elements = plan(&theirs, ty_there, &ours, ty)?;
                            if elements.there != size_there {
                                return Err(format!("{name}.{tail} of {size_there} bytes each"));
                            }
                            elements
                        } else if (ty_there, size_there) == (*ty, *size) {
                            StructPlan::whole(*size)
                        } else {
                            return Err(format!("{name}.{tail} of type {ty_there}"));
                        }
                    }
                    None => StructPlan::default(),
                };
                tails.push((at, elements));
            }
            let blobs_here = &here.blobs;
            if let Some(blob) = there.blobs.iter().find(|b| !blobs_here.contains(b)) {
                return Err(format!("{name}.{blob}"));
            }
            let known = |tail: &str| here.tails.iter().any(|t| t.0 == tail);
            if let Some((tail, ..)) = there.tails.iter().find(|t| !known(t.0)) {
                return Err(format!("{name}.{tail}"));
            }
            let place = |blob: &&str| there.blobs.iter().position(|b| b == blob);
            let call = CallPlan {
                payload,
                blobs: blobs_here.iter().map(place).collect(),
                blobs_there: there.blobs.len(),
                tails,
                tails_there: there.tails.iter().map(|t| t.2).collect(),
            };
            calls.insert(there.op, call);
        }
        Ok(Self { calls })
    }

    /// The records of a chunk as today's.
    ///
    /// # Errors
    ///
    /// A record is not as the file's schema says.
    pub fn map(&self, mut words: &[u64]) -> Result<Vec<u64>, String> {
        let mut out = Vec::with_capacity(words.len() + words.len() / 8);
        while let Some(&head) = words.first() {
            let (op, size) = (head as u16, (head >> 32) as usize);
            if size % 8 != 0
                || !(HEADER_BYTES..=MAX_RECORD_BYTES).contains(&size)
                || size / 8 > words.len()
            {
                return Err(format!(
                    "a record of {size} bytes, {} left",
                    words.len() * 8
                ));
            }
            let (record, rest) = words.split_at(size / 8);
            let plan = self.calls.get(&op).ok_or(format!("opcode {op}"))?;
            plan.map(record, &mut out)
                .ok_or(format!("a record of opcode {op} has {size} bytes"))?;
            if out.len() * 8 > MAX_MAPPED {
                return Err(format!("records of more than {MAX_MAPPED} bytes"));
            }
            words = rest;
        }
        Ok(out)
    }
}

impl CallPlan {
    /// Appends the record; `None` when it is not as its schema says.
    fn map(&self, record: &[u64], out: &mut Vec<u64>) -> Option<()> {
        let bytes: &[u8] = bytemuck::cast_slice(record);
        let mut at = HEADER_BYTES;
        let mut take = |n: usize| {
            let part = bytes.get(at..at.checked_add(n)?)?;
            at += n.next_multiple_of(8);
            Some(part)
        };
        let start = out.len();
        out.push(record[0]);
        let payload = take(self.payload.there)?;
        self.payload.apply(payload, 1, out);
        let blobs = take(self.blobs_there * BLOB_BYTES)?;
        for blob in &self.blobs {
            let mut words = [0; BLOB_BYTES / 8];
            if let Some(i) = blob {
                let from = &blobs[i * BLOB_BYTES..(i + 1) * BLOB_BYTES];
                bytemuck::cast_slice_mut(&mut words).copy_from_slice(from);
            }
            out.extend_from_slice(&words);
        }
        let counts = take(self.tails_there.len() * 4)?;
        let counts = bytemuck::cast_slice::<u8, u32>(counts).to_vec();
        let mut tails = Vec::with_capacity(counts.len());
        for (count, size) in counts.iter().zip(&self.tails_there) {
            tails.push(take((*count as usize).checked_mul(*size)?)?);
        }
        if at != bytes.len() {
            return None;
        }
        // Nothing grows beyond what a record may have.
        let grown =
            |(i, e): &(Option<usize>, StructPlan)| i.map_or(0, |i| e.here * counts[i] as usize);
        if self.tails.iter().map(grown).sum::<usize>() > MAX_RECORD_BYTES {
            return None;
        }
        let here = self.tails.iter();
        let counts: Vec<u32> = here.map(|(i, _)| i.map_or(0, |i| counts[i])).collect();
        append(bytemuck::cast_slice(&counts), out);
        for ((i, elements), count) in self.tails.iter().zip(&counts) {
            if let Some(i) = i {
                elements.apply(tails[*i], *count as usize, out);
            }
        }
        let size = (out.len() - start) * 8;
        if size > MAX_RECORD_BYTES {
            return None;
        }
        out[start] = record[0] & 0xffff_ffff | (size as u64) << 32;
        Some(())
    }
}

/// Appends bytes as words, the last filled with zeros.
fn append(bytes: &[u8], out: &mut Vec<u64>) {
    let start = out.len();
    out.resize(start + bytes.len().div_ceil(8), 0);
    bytemuck::cast_slice_mut(&mut out[start..])[..bytes.len()].copy_from_slice(bytes);
}

impl StructPlan {
    fn whole(size: usize) -> Self {
        Self {
            there: size,
            here: size,
            copies: vec![(0, 0, size)],
            fills: Vec::new(),
        }
    }

    /// Appends `count` structs made of those in `from`, which has as many.
    fn apply(&self, from: &[u8], count: usize, out: &mut Vec<u64>) {
        let start = out.len();
        out.resize(start + (self.here * count).div_ceil(8), 0);
        let to: &mut [u8] = bytemuck::cast_slice_mut(&mut out[start..]);
        for i in 0..count {
            let (from, to) = (&from[i * self.there..], &mut to[i * self.here..]);
            for &(a, b, n) in &self.copies {
                to[b..b + n].copy_from_slice(&from[a..a + n]);
            }
            for (at, bytes) in &self.fills {
                to[*at..*at + bytes.len()].copy_from_slice(bytes);
            }
        }
    }
}

/// How a struct of one schema becomes one of the other.
fn plan(
    theirs: &Schema<'_>,
    there: &str,
    ours: &Schema<'_>,
    here: &str,
) -> Result<StructPlan, String> {
    let (from, to) = (theirs.leaves(there)?, ours.leaves(here)?);
    let mut by_path: BTreeMap<&str, &Leaf> = from.iter().map(|l| (l.path.as_str(), l)).collect();
    let mut copies: Vec<(usize, usize, usize)> = Vec::new();
    let mut fills = Vec::new();
    let padding = |l: &Leaf| l.ty.to_lowercase().starts_with("pad");
    for leaf in &to {
        let Some(old) = by_path.remove(leaf.path.as_str()) else {
            fills.extend(leaf.default.clone().map(|bytes| (leaf.offset, bytes)));
            continue;
        };
        // A field may have been appended where there was padding.
        if padding(old) && padding(leaf) && old.size != leaf.size {
            continue;
        }
        if (&old.ty, old.size) != (&leaf.ty, leaf.size) {
            return Err(format!("{there}.{} of type {}", leaf.path, old.ty));
        }
        match copies.last_mut() {
            Some((a, b, n)) if *a + *n == old.offset && *b + *n == leaf.offset => *n += leaf.size,
            _ => copies.push((old.offset, leaf.offset, leaf.size)),
        }
    }
    if let Some((path, _)) = by_path.iter().find(|(_, l)| !padding(l)) {
        return Err(format!("{there}.{path}"));
    }
    let size = |leaves: &[Leaf]| leaves.iter().map(|l| l.offset + l.size).max().unwrap_or(0);
    Ok(StructPlan {
        there: size(&from),
        here: size(&to),
        copies,
        fills,
    })
}

impl<'t> Schema<'t> {
    fn parse(text: &'t str) -> Result<Self, String> {
        if text.len() > MAX_TEXT {
            return Err(format!("a schema of {} bytes", text.len()));
        }
        let mut schema = Self {
            calls: BTreeMap::new(),
            structs: BTreeMap::new(),
            defaults: BTreeMap::new(),
            chunks: Vec::new(),
            values: BTreeMap::new(),
            archives: Vec::new(),
        };
        for line in text.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let wrong = || format!("the line \u{201c}{line}\u{201d} of its schema");
            match words.as_slice() {
                ["call", op, name, payload, rest @ ..] => {
                    let value = |key: &str| rest.iter().find_map(|w| w.strip_prefix(key));
                    let list = |text: &'t str| text.split(',').filter(|w| !w.is_empty());
                    let tail = |text: &'t str| {
                        let mut parts = text.split(':');
                        let (name, ty) = (parts.next()?, parts.next()?);
                        let size: usize = parts.next()?.parse().ok()?;
                        (1..=MAX_STRUCT).contains(&size).then_some((name, ty, size))
                    };
                    let tails = list(value("tails=").ok_or_else(wrong)?).map(tail);
                    let call = CallText {
                        op: op.parse().map_err(|_| wrong())?,
                        payload,
                        blobs: list(value("blobs=").ok_or_else(wrong)?).collect(),
                        tails: tails.collect::<Option<_>>().ok_or_else(wrong)?,
                    };
                    schema.calls.insert(name, call);
                }
                ["field", of, name, ty @ .., offset, size, count] if !ty.is_empty() => {
                    let number = |w: &str| match w.parse() {
                        Ok(n) if n <= MAX_STRUCT => Ok(n),
                        _ => Err(wrong()),
                    };
                    let field = FieldText {
                        name,
                        ty: ty[0],
                        offset: number(offset)?,
                        size: number(size)?,
                        count: number(count)?.max(1),
                    };
                    if ty.len() != 1 {
                        return Err(wrong());
                    }
                    schema.structs.entry(of).or_default().push(field);
                }
                ["default", of, field, value] => {
                    let value = value.parse().map_err(|_| wrong())?;
                    schema.defaults.insert((of, field), value);
                }
                ["chunk", ..] => schema.chunks.push(line),
                ["value", ty, name, number] => {
                    schema.values.insert((ty, name), number);
                }
                ["archive", ..] => schema.archives.push(line),
                // What a later version says more of itself.
                _ => {}
            }
        }
        if schema.calls.is_empty() {
            return Err("a schema without calls".into());
        }
        Ok(schema)
    }

    /// The leaves of a struct, by their paths; structs in it are taken apart.
    fn leaves(&self, name: &str) -> Result<Vec<Leaf>, String> {
        let mut out = Vec::new();
        self.collect(name, "", 0, 0, &mut out)?;
        Ok(out)
    }

    fn collect(
        &self,
        name: &str,
        path: &str,
        base: usize,
        depth: u32,
        out: &mut Vec<Leaf>,
    ) -> Result<(), String> {
        if depth > 8 || out.len() > MAX_LEAVES {
            return Err(format!("the struct {name}, which is too large"));
        }
        let fields = self.structs.get(name).map_or(&[][..], Vec::as_slice);
        for f in fields {
            let path = format!("{path}{}", f.name);
            if self.structs.contains_key(f.ty) && f.size.is_multiple_of(f.count) {
                let each = f.size / f.count;
                for i in 0..f.count {
                    let at = base + f.offset + i * each;
                    self.collect(f.ty, &format!("{path}[{i}]."), at, depth + 1, out)?;
                }
                continue;
            }
            let default = self.defaults.get(&(name, f.name)).map(|value| {
                // Each element of an array has it.
                let bytes = value.to_le_bytes();
                let each = (f.size / f.count).clamp(1, bytes.len());
                let all = bytes[..each].iter().copied().cycle();
                all.take(f.size).collect()
            });
            out.push(Leaf {
                path,
                ty: f.ty.to_owned(),
                offset: base + f.offset,
                size: f.size,
                default,
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW: &str = "call 1 Paint Paint Verb None optional=false record_blob=false blobs=a,b tails=dots:Dot:16,ids:u32:4\n\
        call 2 Wash Wash Verb None optional=false record_blob=false blobs= tails=\n\
        field Dot x u32 0 4 1\nfield Dot y u32 4 4 1\nfield Dot z u64 8 8 1\n\
        field Paint mode u32 0 4 1\nfield Paint extra u32 4 4 1\nfield Paint dot Dot 8 32 2\n\
        value Way UP 7\nvalue Way DOWN 9\narchive Event Log unit\n";
    const OLD: &str = "value Way UP 7\narchive Event Log unit\ncall 1 Paint Paint Verb None optional=false record_blob=false blobs=b tails=ids:u32:4,dots:Dot:8\n\
        field Dot y u32 0 4 1\nfield Dot x u32 4 4 1\n\
        field Paint mode u32 0 4 1\nfield Paint pad Pad 4 4 1\nfield Paint dot Dot 8 16 2\n";

    fn record(op: u64, parts: &[&[u64]]) -> Vec<u64> {
        let body = parts.concat();
        let mut words = vec![op | (body.len() as u64 + 1) << 35];
        words.extend(body);
        words
    }

    const fn two(low: u32, high: u32) -> u64 {
        low as u64 | (high as u64) << 32
    }

    #[test]
    fn records_are_mapped_by_name() {
        let m = Mapping::between(OLD, NEW).expect("known");
        let blob = |n: u64| [n, n, n];
        assert_eq!(BLOB_BYTES, 24);
        let old = record(
            1,
            &[
                &[two(7, 98), two(2, 1), two(4, 3)],
                &blob(5),
                &[two(3, 1)],
                &[two(10, 11), two(12, 0)],
                &[two(21, 20)],
            ],
        );
        let new = record(
            1,
            &[
                &[two(7, 0), two(1, 2), 0, two(3, 4), 0],
                &blob(0),
                &blob(5),
                &[two(1, 3)],
                &[two(20, 21), 0],
                &[two(10, 11), two(12, 0)],
            ],
        );
        let twice = [old.clone(), old.clone()].concat();
        assert_eq!(m.map(&twice), Ok([new.clone(), new].concat()));
        // What is cut or too long is no record of that schema.
        let mut long = old.clone();
        long.push(0);
        long[0] += 8 << 32;
        for wrong in [&old[..old.len() - 1], &long, &[3 | 8 << 32], &[1 | 8 << 32]] {
            assert!(m.map(wrong).is_err());
        }
    }

    #[test]
    fn what_is_not_known_here_is_named() {
        let newer = |text: &str| Mapping::between(text, OLD).expect_err("newer");
        for (what, with, unknown) in [
            ("mode u32 0 4", "mode u16 0 2", "Paint.mode of type u16"),
            ("pad Pad 4", "more u32 4", "Paint.more"),
            ("Dot y", "Dot z", "Paint.dot[0].z"),
            ("blobs=b", "blobs=b,c", "Paint.c"),
            ("ids:u32:4,", "ids:u32:4,way:u32:4,", "Paint.way"),
            ("ids:u32:4", "ids:u64:8", "Paint.ids of type u64"),
            ("dots:Dot:8", "dots:Dot:4", "Paint.dots of 4 bytes each"),
            (
                "call 1",
                "chunk view 0 8\ncall 1",
                "other places of dynamic state",
            ),
            ("call 1", "value Way UP 8\ncall 1", "Way UP as number 8"),
            (
                "call 1",
                "archive Event Log struct\ncall 1",
                "the archive Event Log struct",
            ),
        ] {
            let text = OLD.replace(what, with);
            assert!(
                text != OLD && newer(&text).contains(unknown),
                "{with}: {}",
                newer(&text)
            );
        }
        assert!(
            Mapping::between(
                &format!("{OLD}call 2 Wash Wash Verb None blobs= tails=\n"),
                OLD
            )
            .is_err_and(|e| e == "the call Wash")
        );
        assert_eq!(
            newer(&OLD.replace("call 1", "call 7")),
            "the call Paint as number 7"
        );
        assert_eq!(newer("words"), "a schema without calls");
    }

    #[test]
    fn a_field_that_a_file_lacks_takes_its_default() {
        let old = "call 1 Paint Paint Verb None optional=false record_blob=false blobs= tails=dots:Dot:8\n\
            field Dot x u32 0 4 1\nfield Dot y u32 4 4 1\n\
            field Paint mode u32 0 4 1\nfield Paint pad pad 4 4 4\n";
        let new = "call 1 Paint Paint Verb None optional=false record_blob=false blobs= tails=dots:Dot:16\n\
            field Dot x u32 0 4 1\nfield Dot y u32 4 4 1\nfield Dot size f32 8 4 1\nfield Dot glow u32 12 4 1\n\
            field Paint mode u32 0 4 1\nfield Paint extra u32 4 4 1\nfield Paint masks u32 8 8 2\n\
            default Dot size 1065353216\ndefault Paint masks 4294967295\ndefault Paint mode 9\n";
        let record = |bytes: u64, words: &[u64]| [&[1 | bytes << 32][..], words].concat();
        let dot = |x: u64, y: u64| x | y << 32;
        let there = record(40, &[5, 2, dot(1, 2), dot(3, 4)]);
        let one = u64::from(1f32.to_bits());
        // What the file has stays what it is, also where it has another default.
        let here = record(64, &[5, u64::MAX, 2, dot(1, 2), one, dot(3, 4), one]);
        let m = Mapping::between(old, new).expect("an older one");
        assert_eq!(m.map(&there), Ok(here.clone()));
        let same = Mapping::between(new, new).expect("the same");
        assert_eq!(same.map(&here), Ok(here));
        let zero = new.replace("default", "later");
        let m = Mapping::between(old, &zero).expect("an older one");
        let here = record(64, &[5, 0, 2, dot(1, 2), 0, dot(3, 4), 0]);
        assert_eq!(m.map(&there), Ok(here), "zero where nothing is said");
        assert!(
            Mapping::between(
                old,
                &new.replace("default Dot size 1", "default Dot size x")
            )
            .is_err()
        );
    }

    #[test]
    fn today_s_schema_maps_to_itself() {
        let print = crate::layout::layout_fingerprint();
        let m = Mapping::from_schema(&crate::layout::schema_text(), print).expect("ours");
        assert!(Mapping::from_schema(&crate::layout::schema_text(), print + 1).is_err());
        for (op, plan) in &m.calls {
            assert_eq!(plan.payload.there, plan.payload.here, "{op}");
            assert!(plan.payload.copies.len() <= 1, "{op}");
        }
    }

    #[test]
    fn no_text_is_a_panic() {
        let ours = crate::layout::schema_text();
        for cut in (0..ours.len()).step_by(97) {
            let _ = Mapping::between(&ours[..cut], &ours);
            let shifted = ours.replacen(&ours[cut..cut + 1], "9", 3);
            let _ = Mapping::between(&shifted, &ours);
        }
        let deep = "call 1 A A v w blobs= tails=\nfield A a A 0 8 1\nfield A b A 0 60000 60000\n";
        assert!(Mapping::between(deep, &ours).is_err());
    }
}
