//! Object storage and GL name spaces.
//!
//! Objects live in a [`Slab`] under an [`Id`]; names lead to ids. A deleted name leaves its object behind as long as
//! something refers to it: the object is a *zombie* until [`crate::state::Share::sweep`] finds that no context, vertex
//! array, framebuffer, texture or program holds its id (GL 4.6 §5.1.3). Bindings are therefore plain ids, and nothing
//! counts references on the hot path.

use std::collections::{BTreeMap, HashMap};
use std::marker::PhantomData;
use std::num::NonZeroU32;

/// Index of an object of type `T` in its slab.
pub struct Id<T>(NonZeroU32, PhantomData<fn() -> T>);

impl<T> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Id<T> {}
impl<T> PartialEq for Id<T> {
    fn eq(&self, o: &Self) -> bool {
        self.0 == o.0
    }
}
impl<T> Eq for Id<T> {}
impl<T> PartialOrd for Id<T> {
    fn partial_cmp(&self, o: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(o))
    }
}
impl<T> Ord for Id<T> {
    fn cmp(&self, o: &Self) -> std::cmp::Ordering {
        self.0.cmp(&o.0)
    }
}
impl<T> std::hash::Hash for Id<T> {
    fn hash<H: std::hash::Hasher>(&self, h: &mut H) {
        self.0.hash(h);
    }
}
impl<T> std::fmt::Debug for Id<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{}", self.0)
    }
}

impl<T> Id<T> {
    fn index(self) -> usize {
        self.0.get() as usize - 1
    }
    fn from_index(i: usize) -> Self {
        let n = u32::try_from(i + 1).ok().and_then(NonZeroU32::new);
        Self(
            n.expect("a slab holds fewer than 2^32 objects"),
            PhantomData,
        )
    }
}

/// Objects by id.
pub struct Slab<T> {
    items: Vec<Option<Box<T>>>,
    free: Vec<usize>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<T> Slab<T> {
    /// Adds an object.
    pub fn insert(&mut self, value: T) -> Id<T> {
        let i = self.free.pop().unwrap_or_else(|| {
            self.items.push(None);
            self.items.len() - 1
        });
        self.items[i] = Some(Box::new(value));
        Id::from_index(i)
    }
    /// The object of an id.
    #[inline]
    pub fn get(&self, id: Id<T>) -> Option<&T> {
        self.items.get(id.index())?.as_deref()
    }
    /// The object of an id.
    #[inline]
    pub fn get_mut(&mut self, id: Id<T>) -> Option<&mut T> {
        self.items.get_mut(id.index())?.as_deref_mut()
    }
    /// Two different objects at once, the first one to read.
    pub fn get_two_mut(&mut self, read: Id<T>, write: Id<T>) -> (Option<&T>, Option<&mut T>) {
        let (r, w) = (read.index(), write.index());
        let end = self.items.len();
        if r == w || r >= end || w >= end {
            return (None, None);
        }
        let (low, high) = self.items.split_at_mut(r.max(w));
        if r < w {
            (low[r].as_deref(), high[0].as_deref_mut())
        } else {
            (high[0].as_deref(), low[w].as_deref_mut())
        }
    }
    /// Takes an object out; its id may be given out again.
    pub fn remove(&mut self, id: Id<T>) -> Option<T> {
        let v = self.items.get_mut(id.index())?.take()?;
        self.free.push(id.index());
        Some(*v)
    }
    /// All objects.
    pub fn iter(&self) -> impl Iterator<Item = (Id<T>, &T)> {
        self.items
            .iter()
            .enumerate()
            .filter_map(|(i, v)| v.as_deref().map(|v| (Id::from_index(i), v)))
    }
    /// All objects.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (Id<T>, &mut T)> {
        self.items
            .iter_mut()
            .enumerate()
            .filter_map(|(i, v)| v.as_deref_mut().map(|v| (Id::from_index(i), v)))
    }
    /// Live objects.
    pub fn len(&self) -> usize {
        self.items.len() - self.free.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Indexing by an id that is known to be live: bindings hold ids of objects that a sweep keeps.
impl<T> std::ops::Index<Id<T>> for Slab<T> {
    type Output = T;
    fn index(&self, id: Id<T>) -> &T {
        self.get(id)
            .expect("an id that something refers to is live")
    }
}
impl<T> std::ops::IndexMut<Id<T>> for Slab<T> {
    fn index_mut(&mut self, id: Id<T>) -> &mut T {
        self.get_mut(id)
            .expect("an id that something refers to is live")
    }
}

/// Names below this are looked up in an array.
const DENSE: u32 = 1 << 16;

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    Unused,
    /// Given out by glGen*, not bound yet.
    Reserved,
    /// Index of the object, plus one.
    Object(NonZeroU32),
}

/// One name space with its objects.
pub struct NameTable<T> {
    /// The objects, zombies included.
    pub objects: Slab<T>,
    dense: Vec<Name>,
    sparse: HashMap<u32, Name>,
    next: u32,
    zombies: Vec<Id<T>>,
    /// Labels by name (KHR_debug): few programs have any.
    labels: BTreeMap<u32, Box<[u8]>>,
}

impl<T> Default for NameTable<T> {
    fn default() -> Self {
        Self {
            objects: Slab::default(),
            dense: Vec::new(),
            sparse: HashMap::new(),
            next: 1,
            zombies: Vec::new(),
            labels: BTreeMap::new(),
        }
    }
}

impl<T> NameTable<T> {
    #[inline]
    fn name(&self, name: u32) -> Name {
        if name < DENSE {
            self.dense
                .get(name as usize)
                .copied()
                .unwrap_or(Name::Unused)
        } else {
            self.sparse.get(&name).copied().unwrap_or(Name::Unused)
        }
    }
    fn set(&mut self, name: u32, to: Name) {
        if name < DENSE {
            if self.dense.len() <= name as usize {
                self.dense.resize(name as usize + 1, Name::Unused);
            }
            self.dense[name as usize] = to;
        } else if to == Name::Unused {
            self.sparse.remove(&name);
        } else {
            self.sparse.insert(name, to);
        }
    }
    /// glGen*: a name that is not in use.
    pub fn reserve(&mut self) -> u32 {
        // Names are given out in rising order from the lowest free one, as other drivers do.
        while self.next == 0 || self.name(self.next) != Name::Unused {
            self.next = self.next.wrapping_add(1);
        }
        let n = self.next;
        self.set(n, Name::Reserved);
        self.next = n.wrapping_add(1);
        n
    }
    /// Whether the name was given out or is an object's.
    pub fn is_reserved(&self, name: u32) -> bool {
        name != 0 && self.name(name) != Name::Unused
    }
    /// The object of a name, if it has one already.
    #[inline]
    pub fn id(&self, name: u32) -> Option<Id<T>> {
        match self.name(name) {
            Name::Object(n) => Some(Id(n, PhantomData)),
            _ => None,
        }
    }
    /// The object of a name.
    #[inline]
    pub fn get(&self, name: u32) -> Option<&T> {
        self.objects.get(self.id(name)?)
    }
    /// The object of a name.
    #[inline]
    pub fn get_mut(&mut self, name: u32) -> Option<&mut T> {
        let id = self.id(name)?;
        self.objects.get_mut(id)
    }
    /// Gives a name its object. The name need not have been reserved.
    pub fn create(&mut self, name: u32, value: T) -> Id<T> {
        let id = self.objects.insert(value);
        self.set(name, Name::Object(id.0));
        id
    }
    /// glDelete*: ends the name. Returns the object, which is a zombie now, if there was one.
    pub fn delete(&mut self, name: u32) -> Option<Id<T>> {
        if name == 0 {
            return None;
        }
        let id = self.id(name);
        if !self.labels.is_empty() {
            self.labels.remove(&name);
        }
        if self.name(name) != Name::Unused {
            self.set(name, Name::Unused);
            self.next = self.next.min(name);
        }
        self.zombies.extend(id);
        id
    }
    /// Labels a name, or takes its label away. The label ends with the name.
    pub fn set_label(&mut self, name: u32, label: Option<&[u8]>) {
        match label {
            Some(text) => drop(self.labels.insert(name, text.into())),
            None => drop(self.labels.remove(&name)),
        }
    }
    /// A name's label; `None` without one.
    #[must_use]
    pub fn label(&self, name: u32) -> Option<&[u8]> {
        self.labels.get(&name).map(AsRef::as_ref)
    }
    /// Objects without a name.
    pub fn zombies(&self) -> &[Id<T>] {
        &self.zombies
    }
    /// Takes those zombies out that `referenced` does not know; the caller ends their lives on the pipe.
    pub fn take_unreferenced(&mut self, referenced: impl Fn(Id<T>) -> bool) -> Vec<T> {
        let (keep, gone): (Vec<_>, Vec<_>) = std::mem::take(&mut self.zombies)
            .into_iter()
            .partition(|&z| referenced(z));
        self.zombies = keep;
        gone.into_iter()
            .filter_map(|z| self.objects.remove(z))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_zombies() {
        let mut t: NameTable<&str> = NameTable::default();
        let (a, b) = (t.reserve(), t.reserve());
        assert_eq!((a, b), (1, 2));
        assert!(
            t.is_reserved(a) && t.get(a).is_none(),
            "a reserved name has no object yet"
        );
        let id = t.create(a, "a");
        t.create(900_000, "far");
        assert_eq!(t.get(900_000), Some(&"far"));
        assert_eq!(t.delete(a), Some(id));
        assert!(!t.is_reserved(a) && t.get(a).is_none());
        assert_eq!(t.objects[id], "a", "the object outlives its name");
        assert!(t.take_unreferenced(|_| true).is_empty());
        assert_eq!(t.take_unreferenced(|_| false), ["a"]);
        assert_eq!(t.reserve(), 1, "the name is free again");
        assert_eq!(t.delete(0), None);
    }
}
