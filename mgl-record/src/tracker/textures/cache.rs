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

struct Entry<H> {
    handle: H,
    /// Tick of the last use.
    used: u64,
}

/// See the module.
pub struct ContentCache<K, H> {
    entries: HashMap<Bytes<K>, Entry<H>, Xxh3DefaultBuilder>,
    capacity: usize,
    tick: u64,
}

impl<K: Pod, H: Copy> ContentCache<K, H> {
    /// A cache that holds `capacity` objects, and more while more are used in one tick.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self {
            entries: HashMap::with_hasher(Xxh3DefaultBuilder::new()),
            capacity,
            tick: 0,
        }
    }
    /// Starts a tick: what is used from now on is not evicted before the next one.
    pub fn next_tick(&mut self) {
        self.tick += 1;
    }
    /// Objects held.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
    /// The object of a content, if there is one; that is a use.
    pub fn get(&mut self, key: &K) -> Option<H> {
        let e = self.entries.get_mut(&Bytes(*key))?;
        e.used = self.tick;
        Some(e.handle)
    }
    /// Adds an object. Returns the one that has to go for it, if any.
    pub fn insert(&mut self, key: K, handle: H) -> Option<H> {
        let evicted = if self.entries.len() >= self.capacity {
            self.evict()
        } else {
            None
        };
        let used = self.tick;
        self.entries.insert(Bytes(key), Entry { handle, used });
        evicted
    }
    fn evict(&mut self) -> Option<H> {
        let old = self
            .entries
            .iter()
            .filter(|(_, e)| e.used < self.tick)
            .min_by_key(|(_, e)| e.used)
            .map(|(k, _)| *k)?;
        self.entries.remove(&old).map(|e| e.handle)
    }
    /// Takes out what `gone` names.
    pub fn take(&mut self, gone: impl Fn(&K) -> bool) -> Vec<H> {
        let mut taken = Vec::new();
        self.entries.retain(|k, e| {
            let go = gone(&k.0);
            if go {
                taken.push(e.handle);
            }
            !go
        });
        taken
    }
    /// All objects with their contents.
    pub fn iter(&self) -> impl Iterator<Item = (&K, H)> {
        self.entries.iter().map(|(k, e)| (&k.0, e.handle))
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
            assert_eq!(c.insert(key, handle), None);
        }
        c.next_tick();
        assert_eq!(c.get(&10), Some(1));
        assert_eq!(c.insert(30, 3), Some(2), "20 was used longest ago");
        assert_eq!(c.insert(40, 4), None, "10 and 30 are in use in this tick");
        assert_eq!(c.len(), 3);
        assert_eq!(c.take(|k| *k < 35).len(), 2);
        assert_eq!(c.iter().collect::<Vec<_>>(), [(&40, 4)]);
    }
}
