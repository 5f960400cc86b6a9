//! Objects of the pipe by content: the same content is the same object, and the least recently used one makes room.
//!
//! A hash finds the candidates, the bytes decide (design: pipe contract 3.4).

use bytemuck::Pod;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use xxhash_rust::xxh3::Xxh3DefaultBuilder;

/// A key that hashes and compares by its bytes. Payload structs have no implicit padding.
#[derive(Clone, Copy)]
struct Bytes<K>(K);

impl<K: Pod> PartialEq for Bytes<K> {
    fn eq(&self, o: &Self) -> bool {
        bytemuck::bytes_of(&self.0) == bytemuck::bytes_of(&o.0)
    }
}
impl<K: Pod> Eq for Bytes<K> {}
impl<K: Pod> Hash for Bytes<K> {
    fn hash<S: Hasher>(&self, s: &mut S) {
        s.write(bytemuck::bytes_of(&self.0));
    }
}

struct Entry<K, H> {
    key: K,
    handle: H,
    /// Tick of the last use.
    used: u64,
}

/// An object that was found, and where: [`ContentCache::keep`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found<H> {
    /// The object.
    pub handle: H,
    slot: u32,
}

/// See the module.
pub struct ContentCache<K, H> {
    slots: HashMap<Bytes<K>, u32, Xxh3DefaultBuilder>,
    entries: Vec<Option<Entry<K, H>>>,
    free: Vec<u32>,
    capacity: usize,
    tick: u64,
}

impl<K: Pod, H: Copy> ContentCache<K, H> {
    /// A cache that holds `capacity` objects, and more while more are used in one tick.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self {
            slots: HashMap::with_hasher(Xxh3DefaultBuilder::new()),
            entries: Vec::new(),
            free: Vec::new(),
            capacity,
            tick: 0,
        }
    }
    /// Starts a tick: what is used from now on is not evicted before the next one.
    #[inline]
    pub fn next_tick(&mut self) {
        self.tick += 1;
    }
    /// Objects held.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }
    /// The object of a content, if there is one; that is a use.
    pub fn get(&mut self, key: &K) -> Option<Found<H>> {
        let slot = *self.slots.get(&Bytes(*key))?;
        let e = self.entries.get_mut(slot as usize)?.as_mut()?;
        e.used = self.tick;
        let handle = e.handle;
        Some(Found { handle, slot })
    }
    /// Uses what was found before, and is known not to have gone since.
    #[inline]
    pub fn keep(&mut self, found: Found<H>) {
        if let Some(Some(e)) = self.entries.get_mut(found.slot as usize) {
            e.used = self.tick;
        }
    }
    /// Adds an object; the second answer is the one that has to go for it, if any.
    pub fn insert(&mut self, key: K, handle: H) -> (Found<H>, Option<H>) {
        let evicted = if self.len() >= self.capacity {
            self.evict()
        } else {
            None
        };
        let entry = Some(Entry {
            key,
            handle,
            used: self.tick,
        });
        let slot = match self.free.pop() {
            Some(slot) => {
                self.entries[slot as usize] = entry;
                slot
            }
            None => {
                self.entries.push(entry);
                self.entries.len() as u32 - 1
            }
        };
        self.slots.insert(Bytes(key), slot);
        (Found { handle, slot }, evicted)
    }
    fn evict(&mut self) -> Option<H> {
        let old = self.entries.iter().enumerate();
        let old = old.filter_map(|(i, e)| e.as_ref().map(|e| (i, e.used)));
        let old = old.filter(|(_, used)| *used < self.tick);
        let (slot, _) = old.min_by_key(|(_, used)| *used)?;
        self.remove(slot)
    }
    fn remove(&mut self, slot: usize) -> Option<H> {
        let e = self.entries[slot].take()?;
        self.slots.remove(&Bytes(e.key));
        self.free.push(slot as u32);
        Some(e.handle)
    }
    /// Takes out what `gone` names.
    pub fn take(&mut self, gone: impl Fn(&K) -> bool) -> Vec<H> {
        let goes = |e: &Option<Entry<K, H>>| e.as_ref().is_some_and(|e| gone(&e.key));
        let slots: Vec<usize> = (0..self.entries.len())
            .filter(|&i| goes(&self.entries[i]))
            .collect();
        slots.into_iter().filter_map(|i| self.remove(i)).collect()
    }
    /// All objects with their contents.
    pub fn iter(&self) -> impl Iterator<Item = (&K, H)> {
        self.entries.iter().flatten().map(|e| (&e.key, e.handle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_content_same_object_and_the_oldest_goes() {
        let mut c: ContentCache<u64, u32> = ContentCache::new(2);
        for (key, handle) in [(10u64, 1u32), (20, 2)] {
            c.next_tick();
            assert_eq!(c.get(&key), None);
            assert_eq!(c.insert(key, handle).1, None);
        }
        c.next_tick();
        let ten = c.get(&10).expect("there");
        assert_eq!(ten.handle, 1);
        let (thirty, gone) = c.insert(30, 3);
        assert_eq!(gone, Some(2), "20 was used longest ago");
        assert_eq!(c.insert(40, 4).1, None, "10 and 30 are in use in this tick");
        assert_eq!(c.len(), 3);
        c.next_tick();
        c.keep(thirty);
        c.keep(ten);
        assert_eq!(c.insert(50, 5).1, Some(4), "the others were kept");
        assert_eq!(c.take(|k| *k < 35).len(), 2);
        assert_eq!(c.iter().collect::<Vec<_>>(), [(&50, 5)]);
    }
}
