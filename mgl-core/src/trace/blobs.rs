//! Blobs: stored once a file, found by content.
//!
//! The writer's side finds a blob by its xxh3-128 and gathers new ones into chunks; the reader's side keeps the chunks
//! that were used last.

use super::chunk::WordContent;
use super::format::MAX_CONTENT;
use crate::codec::{BlobSource, slice_of};
use crate::pipe::payload::BlobRef;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use xxhash_rust::xxh3::xxh3_128;

/// Largest blob, bytes: an image of 16384 x 16384 texels of four bytes.
pub const MAX_BLOB: u64 = 1 << 30;
/// A pending chunk of this many bytes is written; a larger blob gets chunks of its own.
pub const CHUNK_TARGET: usize = 4 << 20;
/// Bytes of a blob in one chunk; a larger one runs on in the next.
pub const SPAN_BYTES: usize = MAX_CONTENT / 2;
/// Known blobs a generation: the map of contents holds at most twice as many.
const GENERATION: usize = 1 << 20;

/// The key is a hash already.
#[derive(Default)]
struct Identity(u64);
impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for c in bytes.chunks(8) {
            let mut w = [0; 8];
            w[..c.len()].copy_from_slice(c);
            self.0 ^= u64::from_le_bytes(w);
        }
    }
    fn write_u128(&mut self, v: u128) {
        self.0 = v as u64;
    }
}
type Known = HashMap<u128, (u32, u64, u64), BuildHasherDefault<Identity>>;

/// Content to place. Two generations: what was not seen during the last million new blobs is forgotten, so that a
/// recording of days does not grow without bound; a forgotten blob that returns is stored once more.
#[derive(Default)]
pub(super) struct BlobStore {
    young: Known,
    old: Known,
    /// Words of the pending chunk.
    pub pending: Vec<u64>,
    /// Ordinal that the pending chunk will have.
    pub next_chunk: u32,
}

/// Where a blob is to go.
pub(super) enum Placed {
    /// It is in the file or in the pending chunk.
    At(BlobRef),
    /// It needs chunks of its own: the caller writes them, see [`BlobStore::place_large`].
    Large(u128),
}

impl BlobStore {
    /// Finds or adds a blob. The empty blob is the zero reference.
    pub fn put(&mut self, bytes: &[u8]) -> Placed {
        if bytes.is_empty() {
            return Placed::At(BlobRef::default());
        }
        let hash = xxh3_128(bytes);
        if let Some(r) = self.find(hash, bytes.len() as u64) {
            return Placed::At(r);
        }
        if bytes.len() > CHUNK_TARGET {
            return Placed::Large(hash);
        }
        let at = self.pending.len();
        self.pending.resize(at + bytes.len().div_ceil(8), 0);
        bytemuck::cast_slice_mut::<u64, u8>(&mut self.pending[at..])[..bytes.len()]
            .copy_from_slice(bytes);
        Placed::At(self.know(hash, self.next_chunk, at as u64 * 8, bytes.len() as u64))
    }

    /// Notes that the large blob begins with the next chunk.
    pub fn place_large(&mut self, hash: u128, size: u64) -> BlobRef {
        self.know(hash, self.next_chunk, 0, size)
    }

    fn find(&mut self, hash: u128, size: u64) -> Option<BlobRef> {
        let place = match self.young.get(&hash) {
            Some(p) => *p,
            None => {
                let p = self.old.remove(&hash)?;
                self.insert(hash, p);
                p
            }
        };
        (place.2 == size).then(|| reference(place))
    }

    fn know(&mut self, hash: u128, seg: u32, offset: u64, size: u64) -> BlobRef {
        self.insert(hash, (seg, offset, size));
        reference((seg, offset, size))
    }

    fn insert(&mut self, hash: u128, place: (u32, u64, u64)) {
        if self.young.len() >= GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(hash, place);
    }
}

fn reference((seg, offset, size): (u32, u64, u64)) -> BlobRef {
    BlobRef {
        offset,
        size,
        seg,
        ..BlobRef::default()
    }
}

/// Blob chunks in memory: those used last, up to a number of bytes.
pub(super) struct BlobCache {
    /// Most recent last.
    chunks: Vec<(u32, WordContent)>,
    bytes: usize,
    limit: usize,
}

impl BlobCache {
    pub fn new(limit: usize) -> Self {
        Self {
            chunks: Vec::new(),
            bytes: 0,
            limit,
        }
    }

    /// A chunk that is here.
    pub fn get(&mut self, seg: u32) -> Option<WordContent> {
        let i = self.chunks.iter().rposition(|(s, _)| *s == seg)?;
        let hit = self.chunks.remove(i);
        let content = hit.1.clone();
        self.chunks.push(hit);
        Some(content)
    }

    /// Keeps a chunk; the ones used longest ago make room.
    pub fn keep(&mut self, seg: u32, content: &WordContent) {
        self.bytes += content.bytes().len();
        self.chunks.push((seg, content.clone()));
        let mut drop = 0;
        while self.bytes > self.limit && drop + 1 < self.chunks.len() {
            self.bytes -= self.chunks[drop].1.bytes().len();
            drop += 1;
        }
        self.chunks.drain(..drop);
    }
}

/// The blobs of one record, held while it is decoded.
#[derive(Default)]
pub(super) struct RecordBlobs {
    /// Chunks by ordinal.
    pub chunks: Vec<(u32, WordContent)>,
    /// Blobs that run over several chunks: first chunk, and the whole.
    pub large: Vec<(u32, Vec<u8>)>,
}

impl BlobSource for RecordBlobs {
    fn get(&self, r: &BlobRef) -> Result<&[u8], String> {
        if r.size == 0 {
            return if *r == BlobRef::default() {
                Ok(&[])
            } else {
                Err("an empty blob has a place".into())
            };
        }
        if let Some((_, whole)) = self
            .large
            .iter()
            .find(|(s, b)| *s == r.seg && r.offset == 0 && b.len() as u64 == r.size)
        {
            return Ok(whole);
        }
        match self.chunks.iter().find(|(s, _)| *s == r.seg) {
            Some((_, c)) => slice_of(c.bytes(), r),
            None => Err(format!("there is no blob chunk {}", r.seg)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(p: Placed) -> BlobRef {
        match p {
            Placed::At(r) => r,
            Placed::Large(_) => panic!("a small blob was called large"),
        }
    }

    #[test]
    fn equal_bytes_are_stored_once() {
        let mut s = BlobStore::default();
        let a = at(s.put(b"hello"));
        let b = at(s.put(b"world!!!!"));
        assert_eq!(at(s.put(b"hello")), a);
        assert_eq!((a.offset, a.size, b.offset), (0, 5, 8));
        assert_eq!(s.pending.len(), 3);
        assert_eq!(at(s.put(b"")), BlobRef::default());
        assert!(matches!(
            s.put(&vec![1; CHUNK_TARGET + 1]),
            Placed::Large(_)
        ));
    }

    #[test]
    fn what_returns_in_time_is_not_forgotten() {
        let mut s = BlobStore::default();
        let first = at(s.put(b"first"));
        for i in 0..GENERATION as u64 {
            s.insert(u128::from(i) << 64 | u128::from(i), (7, i, 1));
        }
        assert_eq!(at(s.put(b"first")), first, "found in the old generation");
        assert!(s.young.len() + s.old.len() <= 2 * GENERATION);
    }
}
