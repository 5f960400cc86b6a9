//! A small cache by content that forgets what was used longest ago.

use std::collections::HashMap;
use std::hash::Hash;

/// Values by key, at most a fixed number of them.
pub struct Cache<K, V> {
    entries: HashMap<K, (V, u64)>,
    capacity: usize,
    clock: u64,
}

impl<K: Hash + Eq + Clone, V: Clone> Cache<K, V> {
    /// An empty cache for `capacity` values.
    pub fn new(capacity: usize) -> Cache<K, V> {
        Cache {
            entries: HashMap::new(),
            capacity,
            clock: 0,
        }
    }

    /// The value under `key`, which becomes the one used last.
    pub fn get(&mut self, key: &K) -> Option<V> {
        self.clock += 1;
        let (value, used) = self.entries.get_mut(key)?;
        *used = self.clock;
        Some(value.clone())
    }

    /// Puts a value in, in place of the one used longest ago when the cache is full.
    pub fn insert(&mut self, key: K, value: V) {
        self.clock += 1;
        if self.entries.len() >= self.capacity && !self.entries.contains_key(&key) {
            let oldest = self.entries.iter().min_by_key(|(_, (_, used))| *used);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                self.entries.remove(&oldest);
            }
        }
        self.entries.insert(key, (value, self.clock));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgets_the_oldest() {
        let mut cache = Cache::new(2);
        cache.insert(1, "a");
        cache.insert(2, "b");
        assert_eq!(cache.get(&1), Some("a"));
        cache.insert(3, "c");
        assert_eq!(cache.get(&2), None);
        assert_eq!(cache.get(&1), Some("a"));
        cache.insert(3, "d");
        assert_eq!(cache.get(&3), Some("d"));
        assert_eq!(cache.get(&1), Some("a"));
    }
}
