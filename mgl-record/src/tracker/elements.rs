//! Vertex-elements CSOs by content: made once, found again by hash, confirmed by comparison (design: pipe contract 3.4).

use crate::pipe::Pipe;
use mgl_core::handle::VertexElementsHandle;
use mgl_core::pipe::{Call, VertexAttrib, VertexBinding, VertexElements};
use std::collections::HashMap;
use xxhash_rust::xxh3::Xxh3;

/// CSOs that a context keeps.
pub const CAPACITY: usize = 1024;

struct Entry {
    hash: u64,
    attribs: Vec<VertexAttrib>,
    bindings: Vec<VertexBinding>,
    handle: VertexElementsHandle,
    /// When it was last asked for.
    used: u64,
}

/// The CSOs of one context, least recently used ones replaced first.
#[derive(Default)]
pub struct ElementsCache {
    by_hash: HashMap<u64, usize>,
    entries: Vec<Entry>,
    clock: u64,
    /// The entry that was asked for last: most draws ask for it again.
    last: usize,
}

impl ElementsCache {
    /// The CSO of this content, made now if there is none.
    pub fn get(
        &mut self,
        pipe: &mut Pipe,
        attribs: &[VertexAttrib],
        bindings: &[VertexBinding],
    ) -> VertexElementsHandle {
        self.clock += 1;
        if let Some(e) = self.entries.get_mut(self.last)
            && e.attribs == attribs
            && e.bindings == bindings
        {
            e.used = self.clock;
            return e.handle;
        }
        let hash = hash(attribs, bindings);
        let found = self.by_hash.get(&hash).copied();
        if let Some(i) = found
            && let e = &mut self.entries[i]
            && e.attribs == attribs
            && e.bindings == bindings
        {
            e.used = self.clock;
            self.last = i;
            return e.handle;
        }
        // Another content under the same hash gives way; else there is a free place, or the least recently used goes.
        let place = found.or_else(|| self.victim());
        if let Some(old) = place.map(|i| &self.entries[i]) {
            self.by_hash.remove(&old.hash);
            delete(pipe, old.handle);
        }
        let entry = Entry {
            hash,
            attribs: attribs.to_vec(),
            bindings: bindings.to_vec(),
            handle: pipe.mint(),
            used: self.clock,
        };
        let handle = entry.handle;
        create(&entry, &mut |c| pipe.push(c));
        let at = match place {
            Some(i) => {
                self.entries[i] = entry;
                i
            }
            None => {
                self.entries.push(entry);
                self.entries.len() - 1
            }
        };
        self.by_hash.insert(hash, at);
        self.last = at;
        handle
    }

    fn victim(&self) -> Option<usize> {
        if self.entries.len() < CAPACITY {
            return None;
        }
        (0..self.entries.len()).min_by_key(|&i| self.entries[i].used)
    }

    /// CSOs that live.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether none lives.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Ends all CSOs.
    pub fn destroy(&mut self, pipe: &mut Pipe) {
        for e in self.entries.drain(..) {
            delete(pipe, e.handle);
        }
        self.by_hash.clear();
    }
}

fn hash(attribs: &[VertexAttrib], bindings: &[VertexBinding]) -> u64 {
    let mut h = Xxh3::new();
    h.update(&(attribs.len() as u32).to_le_bytes());
    h.update(bytemuck::cast_slice(attribs));
    h.update(bytemuck::cast_slice(bindings));
    h.digest()
}

fn create(e: &Entry, sink: &mut dyn FnMut(Call<'_>)) {
    sink(Call::CreateVertexElements {
        p: &VertexElements {
            vertex_elements: e.handle,
        },
        attribs: &e.attribs,
        bindings: &e.bindings,
    });
}

fn delete(pipe: &mut Pipe, handle: VertexElementsHandle) {
    pipe.push(Call::DeleteVertexElements {
        p: &VertexElements {
            vertex_elements: handle,
        },
    });
    pipe.release(handle);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use mgl_core::pipe::NullBackend;
    use mgl_replay::BackendKind;

    fn pipe() -> Pipe {
        let config = Config {
            backend: BackendKind::Null,
            record: None,
            ..Config::from_env()
        };
        Pipe::with_backend(&config, Box::new(NullBackend::default()))
    }

    fn binding(stride: u32) -> [VertexBinding; 1] {
        [VertexBinding {
            stride,
            ..VertexBinding::default()
        }]
    }

    #[test]
    fn content_is_made_once_and_the_oldest_gives_way() {
        let (mut pipe, mut cache) = (pipe(), ElementsCache::default());
        let first = cache.get(&mut pipe, &[], &binding(0));
        assert_eq!(cache.get(&mut pipe, &[], &binding(0)), first);
        assert_eq!(pipe.server().counters.vertex_elements_mints, 1);
        for i in 1..CAPACITY as u32 {
            cache.get(&mut pipe, &[], &binding(i));
        }
        assert_eq!(cache.get(&mut pipe, &[], &binding(0)), first, "still there");
        cache.get(&mut pipe, &[], &binding(5000));
        assert_eq!(cache.len(), CAPACITY);
        assert_eq!(pipe.server().state.vertex_elements.len(), CAPACITY);
        assert_eq!(
            cache.get(&mut pipe, &[], &binding(0)),
            first,
            "used lately, so kept"
        );
        let mints = pipe.server().counters.vertex_elements_mints;
        cache.get(&mut pipe, &[], &binding(1));
        assert_eq!(
            pipe.server().counters.vertex_elements_mints,
            mints + 1,
            "was evicted"
        );
        cache.destroy(&mut pipe);
        assert!(pipe.server().state.vertex_elements.is_empty() && cache.is_empty());
        assert!(pipe.faults().is_empty(), "{:?}", pipe.faults());
    }
}
