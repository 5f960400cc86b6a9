//! Where two states differ, in words.

use super::super::group::Group;
use super::super::pushed::{ContextState, ProgramEntry, PushedState};
use super::super::table::Table;
use super::content::{Content, Piece};
use super::keeping::KeepingBackend;
use super::objects::CODE_PARTS;
use super::parts::{Part, parts};
use crate::handle::*;
use serde::Serialize;
use serde_json::Value;
use std::fmt::{Debug, Write};

/// The first difference of two states: the object, the field, and both values. `None` when they are equal.
#[must_use]
pub fn first_difference(a: &PushedState, b: &PushedState) -> Option<String> {
    if a == b {
        return None;
    }
    let PushedState {
        buffers,
        textures,
        renderbuffers,
        render_states,
        vertex_elements,
        samplers,
        views,
        programs,
        fences,
        queries,
        contexts,
        surfaces,
        labels,
        current,
        epoch,
        params_changes: _,
    } = a;
    let found = None
        .or_else(|| objects(buffers, &b.buffers, fields))
        .or_else(|| objects(textures, &b.textures, fields))
        .or_else(|| objects(renderbuffers, &b.renderbuffers, fields))
        .or_else(|| objects(render_states, &b.render_states, fields))
        .or_else(|| objects(vertex_elements, &b.vertex_elements, fields))
        .or_else(|| objects(samplers, &b.samplers, fields))
        .or_else(|| objects(views, &b.views, fields))
        .or_else(|| objects(programs, &b.programs, program))
        .or_else(|| objects(fences, &b.fences, fields))
        .or_else(|| objects(queries, &b.queries, fields))
        .or_else(|| objects(contexts, &b.contexts, context))
        .or_else(|| objects(surfaces, &b.surfaces, fields));
    if found.is_some() {
        return found;
    }
    for key in labels.keys().chain(b.labels.keys()) {
        let text = |s: &PushedState| {
            s.labels
                .get(key)
                .map(|l| String::from_utf8_lossy(l).into_owned())
        };
        if labels.get(key) != b.labels.get(key) {
            let (kind, h) = key;
            return Some(format!(
                "label of {kind:?} {{{},{}}}: {:?} against {:?}",
                h.slot,
                h.generation,
                text(a),
                text(b)
            ));
        }
    }
    if let Some(text) = fields(current, &b.current) {
        return Some(format!("current: {text}"));
    }
    (*epoch != b.epoch).then(|| format!("epoch: {epoch} against {}", b.epoch))
}

fn objects<H: TypedHandle + Debug + Copy, T: PartialEq>(
    a: &Table<H, T>,
    b: &Table<H, T>,
    describe: impl Fn(&T, &T) -> Option<String>,
) -> Option<String> {
    for (h, x) in a.iter() {
        match b.get(h) {
            Ok(y) if x == y => {}
            Ok(y) => {
                let text = describe(x, y).unwrap_or_else(|| "differs".into());
                return Some(format!("{h:?}: {text}"));
            }
            Err(_) => return Some(format!("{h:?}: is missing")),
        }
    }
    let more = b.iter().find(|(h, _)| !a.contains(*h));
    more.map(|(h, _)| format!("{h:?}: is too many"))
}

/// Path and values of the first field that differs.
fn fields<T: Serialize>(a: &T, b: &T) -> Option<String> {
    let value = |v: &T| serde_json::to_value(v).unwrap_or_default();
    let mut path = String::new();
    let (x, y) = walk(&value(a), &value(b), &mut path)?;
    Some(format!("{}: {x} against {y}", path.trim_start_matches('.')))
}

fn walk(a: &Value, b: &Value, path: &mut String) -> Option<(Value, Value)> {
    if a == b {
        return None;
    }
    let length = path.len();
    match (a, b) {
        (Value::Object(x), Value::Object(y)) => {
            for (key, v) in x {
                let _ = write!(path, ".{key}");
                if let Some(found) = walk(v, y.get(key).unwrap_or(&Value::Null), path) {
                    return Some(found);
                }
                path.truncate(length);
            }
        }
        (Value::Array(x), Value::Array(y)) if x.len() == y.len() => {
            for (i, (v, w)) in x.iter().zip(y).enumerate() {
                let _ = write!(path, "[{i}]");
                if let Some(found) = walk(v, w, path) {
                    return Some(found);
                }
                path.truncate(length);
            }
        }
        _ => {}
    }
    Some((a.clone(), b.clone()))
}

fn program(a: &ProgramEntry, b: &ProgramEntry) -> Option<String> {
    if let Some(text) = fields(&a.desc, &b.desc) {
        return Some(format!("desc.{text}"));
    }
    if let Some(i) = (0..a.code.len()).find(|&i| a.code[i] != b.code[i]) {
        return Some(format!(
            "code of {}: {:032x} against {:032x}",
            CODE_PARTS[i], a.code[i], b.code[i]
        ));
    }
    if let Some(text) = fields(&a.bindings, &b.bindings) {
        return Some(format!("bindings.{text}"));
    }
    bytes(&a.constants, &b.constants).map(|text| format!("constants: {text}"))
}

fn context(a: &ContextState, b: &ContextState) -> Option<String> {
    if let Some(text) = fields(&a.desc, &b.desc) {
        return Some(format!("desc.{text}"));
    }
    let pushed = |g: &&Group| a.was_pushed(**g) != b.was_pushed(**g);
    if let Some(g) = Group::ALL.iter().find(pushed) {
        let side = if a.was_pushed(*g) { "second" } else { "first" };
        return Some(format!("{}: was never pushed in the {side}", g.name()));
    }
    fields(&a.values, &b.values)
        .or_else(|| fields(&a.captures, &b.captures).map(|text| format!("captures{text}")))
}

/// The first byte that differs.
fn bytes(a: &[u8], b: &[u8]) -> Option<String> {
    if a.len() != b.len() {
        return Some(format!("{} bytes against {}", a.len(), b.len()));
    }
    let i = (0..a.len()).find(|&i| a[i] != b[i])?;
    Some(format!("byte {i}: {:#04x} against {:#04x}", a[i], b[i]))
}

/// The first part of `state` of which `kept` has not what `wanted` shows, with the place of the first such byte; what
/// cannot be had of `wanted` is not compared. `None` when there is none.
pub fn content_difference(
    state: &PushedState,
    wanted: &mut dyn Content,
    kept: &KeepingBackend,
) -> Option<String> {
    for part in parts(state) {
        let mut found = None;
        // Who cannot show all has shown the rest.
        let _ = wanted.pieces(state, part, &mut |piece| {
            if found.is_none() {
                found = compare(state, part, &piece, kept);
            }
        });
        if found.is_some() {
            return found;
        }
    }
    None
}

fn compare(
    state: &PushedState,
    part: Part,
    piece: &Piece<'_>,
    kept: &KeepingBackend,
) -> Option<String> {
    let size = piece.bytes.len() as u64;
    let Some(there) = kept.read(part, piece.offset, size, &piece.area) else {
        return (size > 0).then(|| format!("{part}: content is missing"));
    };
    if there.len() != piece.bytes.len() {
        return bytes(piece.bytes, &there).map(|text| format!("{part}: {text}"));
    }
    let i = (0..there.len()).find(|&i| there[i] != piece.bytes[i])?;
    let (a, b) = (piece.bytes[i], there[i]);
    let texel = part.image(state).and_then(|m| m.format.info());
    let Some(texel) = texel.map(|f| f.bytes as usize).filter(|n| *n > 0) else {
        let at = piece.offset + i as u64;
        return Some(format!("{part}: byte {at}: {a:#04x} against {b:#04x}"));
    };
    let (w, h) = (
        piece.area.width.max(1) as usize,
        piece.area.height.max(1) as usize,
    );
    let depth = piece.area.depth.max(1) as usize;
    let n = i / texel;
    let [x, y, z, sample] = [n % w, n / w % h, n / w / h % depth, n / w / h / depth];
    let sample = match part.image(state).map_or(0, |m| m.samples) {
        0 | 1 => String::new(),
        _ => format!(", sample {sample}"),
    };
    Some(format!(
        "{part}: texel ({}, {}, {}){sample}, byte {}: {a:#04x} against {b:#04x}",
        x + piece.area.x as usize,
        y + piece.area.y as usize,
        z + piece.area.z as usize,
        i % texel
    ))
}
