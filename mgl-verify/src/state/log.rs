//! [`StateLog`]: what was pushed, verb by verb, with every value spelled out as rows of path and leaf.
//!
//! A log needs neither the trace it comes from nor the layout of any struct: paths and leaves are texts, handles are
//! objects by first appearance. Values are stored once; a step names the groups that changed.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use mgl_core::handle::{Handle, HandleKind};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::defaults::LeftOut;
use super::flatten::Leaf;
use super::room;

/// An index into one of the log's tables.
pub(super) type Id = u32;

/// Most names of groups: a comparison holds all of them at every verb.
const MOST_GROUPS: usize = 256;

/// Stands for no context.
pub(super) const NONE: Id = Id::MAX;

/// What was pushed in a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateLog {
    /// Paths, leaves and names.
    #[serde(deserialize_with = "room::list")]
    pub(super) texts: Vec<String>,
    #[serde(deserialize_with = "room::list")]
    pub(super) values: Vec<Value>,
    #[serde(deserialize_with = "room::list")]
    pub(super) objects: Vec<Object>,
    #[serde(deserialize_with = "room::list")]
    pub(super) frames: Vec<Frame>,
}

/// Rows, by path and leaf.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Value(#[serde(deserialize_with = "room::list")] pub Vec<(Id, StoredLeaf)>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum StoredLeaf {
    /// A text.
    Text(Id),
    /// An object.
    Object(Id),
}

/// An object that a handle names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Object {
    pub kind: HandleKind,
    pub slot: u32,
    pub generation: u32,
    /// The application's name for it, 0 if there is none.
    pub gl_name: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Frame {
    pub frame: u64,
    #[serde(deserialize_with = "room::list")]
    pub steps: Vec<Step>,
}

/// A verb and what came before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Step {
    /// Name of the verb; empty where a file ends before one.
    pub verb: Id,
    /// Its payload, blobs and tails.
    pub call: Id,
    /// The context that speaks, an object.
    pub context: Id,
    /// Calls on objects since the last verb, in order: name and value.
    #[serde(deserialize_with = "room::list")]
    pub objects: Vec<(Id, Id)>,
    /// Groups of the context that changed since its last verb: name and value.
    #[serde(deserialize_with = "room::list")]
    pub groups: Vec<(Id, Id)>,
}

impl StateLog {
    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        self.frames.len()
    }

    /// Number of verbs.
    pub fn verb_count(&self) -> usize {
        self.frames.iter().map(|f| f.steps.len()).sum()
    }

    pub(super) fn text(&self, id: Id) -> &str {
        &self.texts[id as usize]
    }

    /// How an object is called in messages.
    pub(super) fn object_name(&self, id: Id) -> String {
        let Object {
            kind,
            slot,
            generation,
            gl_name,
        } = self.objects[id as usize];
        let name = kind.name().unwrap_or("object");
        let name = name.strip_prefix("GL_").unwrap_or(name).to_lowercase();
        let mut text = format!("{name} {{{slot},{generation}}}");
        if gl_name != 0 {
            let _ = write!(text, " (name {gl_name})");
        }
        text
    }

    /// A leaf in words.
    pub(super) fn leaf(&self, leaf: StoredLeaf) -> String {
        match leaf {
            StoredLeaf::Text(id) => self.text(id).to_owned(),
            StoredLeaf::Object(id) => self.object_name(id),
        }
    }

    /// A digest of every value and whether it names objects, for a comparison with a log beside which some rows say nothing.
    /// Objects count by kind only, so that renaming them does not matter; equal digests of values without objects mean equal
    /// values.
    pub(super) fn digests(&self, left_out: &LeftOut) -> Vec<(u64, bool)> {
        let values = self.values.iter();
        values.map(|v| self.digest(v, left_out)).collect()
    }

    fn digest(&self, value: &Value, left_out: &LeftOut) -> (u64, bool) {
        let mut h = Xxh3::new();
        let mut objects = false;
        let mut add = |text: &str| {
            h.update(&(text.len() as u32).to_le_bytes());
            h.update(text.as_bytes());
        };
        for (path, leaf) in &value.0 {
            if left_out.has(self, *path, *leaf) {
                continue;
            }
            add(self.text(*path));
            match leaf {
                StoredLeaf::Text(t) => add(self.text(*t)),
                StoredLeaf::Object(o) => {
                    objects = true;
                    add(self.objects[*o as usize].kind.name().unwrap_or("?"));
                }
            }
        }
        (h.digest(), objects)
    }

    /// Whether every index lies within its table, and no more groups are named than a context could have.
    pub(super) fn is_consistent(&self) -> bool {
        let steps = || self.frames.iter().flat_map(|f| &f.steps);
        let groups: HashSet<Id> = steps().flat_map(|s| &s.groups).map(|g| g.0).collect();
        if groups.len() > MOST_GROUPS {
            return false;
        }
        let text = |id: &Id| (*id as usize) < self.texts.len();
        let value = |id: &Id| (*id as usize) < self.values.len();
        let object = |id: &Id| (*id as usize) < self.objects.len();
        let pair = |(name, v): &(Id, Id)| text(name) && value(v);
        self.values.iter().all(|v| {
            v.0.iter().all(|(path, leaf)| {
                text(path)
                    && match leaf {
                        StoredLeaf::Text(t) => text(t),
                        StoredLeaf::Object(o) => object(o),
                    }
            })
        }) && steps().all(|s| {
            text(&s.verb)
                && value(&s.call)
                && (s.context == NONE || object(&s.context))
                && s.objects.iter().all(pair)
                && s.groups.iter().all(pair)
        })
    }
}

/// Builds the tables of a log.
#[derive(Default)]
pub(super) struct Builder {
    pub log: StateLog,
    texts: HashMap<String, Id>,
    values: HashMap<Value, Id>,
    /// By kind, slot and generation.
    objects: HashMap<(u32, u32, u32), Id>,
}

impl Builder {
    pub fn text(&mut self, text: &str) -> Id {
        if let Some(id) = self.texts.get(text) {
            return *id;
        }
        let id = next(&self.log.texts);
        self.log.texts.push(text.to_owned());
        self.texts.insert(text.to_owned(), id);
        id
    }

    pub fn object(&mut self, kind: HandleKind, handle: Handle) -> Id {
        let objects = &mut self.log.objects;
        let key = (kind.0, handle.slot, handle.generation);
        *self.objects.entry(key).or_insert_with(|| {
            let id = next(objects);
            objects.push(Object {
                kind,
                slot: handle.slot,
                generation: handle.generation,
                gl_name: 0,
            });
            id
        })
    }

    /// Remembers what the application calls an object.
    pub fn name(&mut self, kind: HandleKind, handle: Handle, gl_name: u32) {
        let id = self.object(kind, handle);
        self.log.objects[id as usize].gl_name = gl_name;
    }

    pub fn value(&mut self, rows: Vec<(String, Leaf)>) -> Id {
        let rows = rows.into_iter().map(|(path, leaf)| {
            let path = self.text(&path);
            let leaf = match leaf {
                Leaf::Text(t) => StoredLeaf::Text(self.text(&t)),
                Leaf::Handle(kind, handle) => StoredLeaf::Object(self.object(kind, handle)),
            };
            (path, leaf)
        });
        let value = Value(rows.collect());
        if let Some(id) = self.values.get(&value) {
            return *id;
        }
        let id = next(&self.log.values);
        self.log.values.push(value.clone());
        self.values.insert(value, id);
        id
    }
}

fn next<T>(table: &[T]) -> Id {
    Id::try_from(table.len()).expect("a recording has fewer values than there are numbers")
}
