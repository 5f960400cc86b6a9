//! What is inside a chunk: the archives, and how they become stored bytes and back.
//!
//! [`seal`] archives and compresses, [`Content`] is a content that was verified, decompressed and validated. Both are
//! pure: no file is touched here. Archives are checked by bytecheck before anything in them is read.

use super::format::*;
use rkyv::rancor;
use rkyv::util::AlignedVec;
use rkyv::{Archive, Deserialize, Serialize};
use std::sync::Arc;

/// Records and blobs: one vector of words. Bulk words serialise at memory speed.
///
/// Records: the codec's words. Blobs: bytes, each blob at a multiple of eight; a blob that is too large for one chunk
/// starts at 0 of its own chunk and runs on at 0 of the next ones.
#[derive(Archive, Serialize, Deserialize, Debug, Default)]
pub struct Words {
    /// The words.
    pub words: Vec<u64>,
}

/// Provenance: a JSON document, so that fields may be added without a new format version.
#[derive(Archive, Serialize, Deserialize, Debug)]
pub struct Document {
    /// JSON.
    pub json: String,
}

/// Kind of a [`ReplyEntry`].
pub mod entry {
    /// The reply is empty.
    pub const NONE: u32 = 0;
    /// The reply is `value`.
    pub const VALUE: u32 = 1;
    /// The reply is bytes.
    pub const BYTES: u32 = 2;
    /// The reply is a Caps, in postcard.
    pub const CAPS: u32 = 3;
    /// An event, in postcard.
    pub const EVENT: u32 = 16;
    /// A bit of a reply's kind: it came when more records had been pushed. Its bytes begin with how many those were, a
    /// u64; a thread waited for it while others went on.
    pub const LATE: u32 = 1 << 31;
}

/// One reply or event.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplyEntry {
    /// Records before it, counted as their ordinals are: a reply is to the last of them.
    pub record: u64,
    /// See [`entry`].
    pub kind: u32,
    /// A number, for [`entry::VALUE`].
    pub value: u64,
    /// Bytes of the whole; more than `size` when the next chunk's first entry goes on with it.
    pub total: u64,
    /// First byte in [`Replies::bytes`].
    pub offset: u64,
    /// Bytes there.
    pub size: u64,
}

/// Replies and events, in order of `record`.
#[derive(Archive, Serialize, Deserialize, Debug, Default)]
pub struct Replies {
    /// The entries.
    pub entries: Vec<ReplyEntry>,
    /// What they name.
    pub bytes: Vec<u8>,
}

/// Rows of a frame's image: RGBA, one byte each, bottom row first as ReadPixels gives them.
#[derive(Archive, Serialize, Deserialize, Debug)]
pub struct ImageRows {
    /// Slot of the surface.
    pub surface_slot: u32,
    /// Generation of the surface.
    pub surface_generation: u32,
    /// Pixels of the whole image.
    pub width: u32,
    /// Pixels of the whole image.
    pub height: u32,
    /// First row in this chunk; the next chunk goes on.
    pub first_row: u32,
    /// The rows.
    pub rgba: Vec<u8>,
}

/// Where a chunk is: its header's words but the checksum.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexEntry {
    /// Offset of the chunk.
    pub offset: u64,
    /// Number of the kind.
    pub kind: u16,
    /// Number of the codec.
    pub codec: u16,
    /// As in the header.
    pub stored: u32,
    /// As in the header.
    pub real: u32,
    /// As in the header.
    pub ordinal: u64,
    /// As in the header.
    pub frame: u64,
    /// As in the header.
    pub record: u64,
    /// As in the header.
    pub count: u32,
    /// As in the header.
    pub frames: u32,
    /// As in the header.
    pub verb: u32,
}

/// The index, or a part of it.
#[derive(Archive, Serialize, Deserialize, Debug)]
pub struct Index {
    /// Entries in file order; index chunks themselves have none.
    pub entries: Vec<IndexEntry>,
}

/// Archives `value` into `out`, which is cleared.
pub(super) fn archive<T>(value: &T, mut out: AlignedVec<16>) -> AlignedVec<16>
where
    T: for<'a> Serialize<
        rkyv::api::high::HighSerializer<
            AlignedVec<16>,
            rkyv::ser::allocator::ArenaHandle<'a>,
            rancor::Error,
        >,
    >,
{
    out.clear();
    rkyv::api::high::to_bytes_in::<_, rancor::Error>(value, out)
        .expect("an archive into memory has nothing to fail on")
}

/// How hard to compress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pack {
    /// Not at all.
    None,
    /// LZ4.
    Fast,
    /// Zstandard at this level.
    Small(i32),
}

/// Compressor state that is worth keeping from chunk to chunk.
pub(super) struct Packer {
    lz4: lz4_flex::block::CompressTable,
    zstd: Option<(i32, zstd::bulk::Compressor<'static>)>,
}

impl Default for Packer {
    fn default() -> Self {
        Self {
            lz4: lz4_flex::block::CompressTable::large(),
            zstd: None,
        }
    }
}

impl Packer {
    /// Compresses `content` into `out`. What does not become smaller stays plain: then `out` means nothing.
    pub fn pack(&mut self, content: &[u8], how: Pack, out: &mut Vec<u8>) -> Codec {
        let codec = match how {
            Pack::None => None,
            Pack::Fast => {
                out.resize(lz4_flex::block::get_maximum_output_size(content.len()), 0);
                lz4_flex::block::compress_into_with_table(content, out, &mut self.lz4)
                    .ok()
                    .map(|n| {
                        out.truncate(n);
                        Codec::Lz4
                    })
            }
            Pack::Small(level) => self.zstd(content, level, out).ok().map(|()| Codec::Zstd),
        };
        codec
            .filter(|_| out.len() < content.len())
            .unwrap_or(Codec::None)
    }

    fn zstd(&mut self, content: &[u8], level: i32, out: &mut Vec<u8>) -> std::io::Result<()> {
        let compressor = match &mut self.zstd {
            Some((l, c)) => {
                if *l != level {
                    c.set_compression_level(level)?;
                    *l = level;
                }
                c
            }
            none => &mut none.insert((level, zstd::bulk::Compressor::new(level)?)).1,
        };
        out.clear();
        out.reserve(zstd::zstd_safe::compress_bound(content.len()));
        compressor.compress_to_buffer(content, out)?;
        Ok(())
    }
}

/// A content in memory: a part of the map of a finished file, or a buffer of its own.
#[derive(Clone)]
pub struct Content {
    bytes: Bytes,
}

#[derive(Clone)]
enum Bytes {
    Mapped {
        map: Arc<memmap2::Mmap>,
        at: usize,
        len: usize,
    },
    Owned(Arc<AlignedVec<16>>),
}

impl std::ops::Deref for Content {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Mapped { map, at, len } => &map[*at..*at + *len],
            Bytes::Owned(v) => v,
        }
    }
}

impl Content {
    /// A part of a map, in place. `at` is a multiple of 16.
    pub(super) fn mapped(map: Arc<memmap2::Mmap>, at: usize, len: usize) -> Self {
        Self {
            bytes: Bytes::Mapped { map, at, len },
        }
    }

    /// Decompresses `stored`, which the header describes.
    #[cfg(test)]
    fn unpack(header: &ChunkHeader, stored: &[u8]) -> Result<Self, String> {
        Self::unpack_into(AlignedVec::new(), header, stored)
    }

    /// Decompresses `stored`, which the header describes, into a buffer whose content does not matter.
    pub(super) fn unpack_into(
        mut out: AlignedVec<16>,
        header: &ChunkHeader,
        stored: &[u8],
    ) -> Result<Self, String> {
        match header.codec {
            Codec::None => {
                out.clear();
                out.extend_from_slice(stored);
            }
            Codec::Lz4 => {
                out.resize(header.real as usize, 0);
                let n = lz4_flex::block::decompress_into(stored, &mut out)
                    .map_err(|e| format!("LZ4: {e}"))?;
                if n != out.len() {
                    return Err(format!("{n} bytes decompressed, {} expected", out.len()));
                }
            }
            Codec::Zstd => {
                out.resize(header.real as usize, 0);
                let n = zstd::bulk::decompress_to_buffer(stored, &mut out[..])
                    .map_err(|e| format!("Zstandard: {e}"))?;
                if n != out.len() {
                    return Err(format!("{n} bytes decompressed, {} expected", out.len()));
                }
            }
        }
        Ok(Self {
            bytes: Bytes::Owned(Arc::new(out)),
        })
    }

    /// Its buffer, for use again, if it has one that nobody else holds.
    fn into_buffer(self) -> Option<AlignedVec<16>> {
        match self.bytes {
            Bytes::Owned(v) => Arc::try_unwrap(v).ok(),
            Bytes::Mapped { .. } => None,
        }
    }

    /// The archive of a type, validated.
    pub(super) fn access<T>(&self) -> Result<&T::Archived, String>
    where
        T: Archive,
        T::Archived: rkyv::Portable
            + for<'a> rkyv::bytecheck::CheckBytes<rkyv::api::high::HighValidator<'a, rancor::Error>>,
    {
        rkyv::access::<T::Archived, rancor::Error>(self)
            .map_err(|e| format!("its archive is damaged: {e}"))
    }
}

/// The words of a records or blobs chunk, validated once.
#[derive(Clone)]
pub struct WordContent {
    content: Content,
    at: usize,
    len: usize,
}

impl WordContent {
    /// Validates a content.
    pub(super) fn new(content: Content) -> Result<Self, String> {
        let (at, len) = {
            let words = &content.access::<Words>()?.words;
            // Little-endian words are words here; where they lie in the content is all that has to be kept.
            let start = words.as_ptr() as usize - content.as_ptr() as usize;
            (start, words.len() * 8)
        };
        let new = Self { content, at, len };
        bytemuck::try_cast_slice::<u8, u64>(new.bytes())
            .map_err(|e| format!("its words are not aligned: {e}"))?;
        Ok(new)
    }

    /// Its buffer, for use again.
    pub(super) fn into_buffer(self) -> AlignedVec<16> {
        self.content.into_buffer().unwrap_or_default()
    }

    /// As words.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        bytemuck::cast_slice(self.bytes())
    }

    /// As bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.content[self.at..self.at + self.len]
    }
}

#[cfg(not(target_endian = "little"))]
compile_error!("records are little-endian words and read in place");

#[cfg(test)]
mod tests {
    use super::*;

    fn header(codec: Codec, stored: usize, real: usize) -> ChunkHeader {
        ChunkHeader {
            kind: ChunkKind::Blobs,
            codec,
            stored: stored as u32,
            real: real as u32,
            ordinal: 0,
            frame: 0,
            record: 0,
            count: 0,
            frames: 0,
            verb: 0,
        }
    }

    #[test]
    fn words_come_back_through_every_codec() {
        let value = Words {
            words: (0..5000u64).map(|i| i % 7).collect(),
        };
        let bytes = archive(&value, AlignedVec::new());
        let mut packer = Packer::default();
        for (how, expected) in [
            (Pack::None, Codec::None),
            (Pack::Fast, Codec::Lz4),
            (Pack::Small(1), Codec::Zstd),
            (Pack::Small(3), Codec::Zstd),
        ] {
            let mut out = Vec::new();
            let codec = packer.pack(&bytes, how, &mut out);
            assert_eq!(codec, expected);
            let stored: &[u8] = if codec == Codec::None { &bytes } else { &out };
            let h = header(codec, stored.len(), bytes.len());
            let content = Content::unpack(&h, stored).expect("unpacks");
            let words = WordContent::new(content).expect("validates");
            assert_eq!(words.words(), value.words);
            // A wrong size is refused, not believed.
            for real in [bytes.len() - 1, bytes.len() + 1] {
                if codec != Codec::None {
                    assert!(Content::unpack(&header(codec, stored.len(), real), stored).is_err());
                }
            }
        }
    }

    #[test]
    fn what_does_not_shrink_stays_plain() {
        let mut packer = Packer::default();
        assert_eq!(packer.pack(b"", Pack::Fast, &mut Vec::new()), Codec::None);
        assert_eq!(
            packer.pack(b"abc", Pack::Small(1), &mut Vec::new()),
            Codec::None
        );
    }

    #[test]
    fn damaged_archives_are_refused() {
        let bytes = archive(
            &Words {
                words: vec![1, 2, 3],
            },
            AlignedVec::new(),
        );
        for n in 0..bytes.len() {
            let h = header(Codec::None, n, n);
            let r = Content::unpack(&h, &bytes[..n]).and_then(WordContent::new);
            assert!(
                r.is_err() || r.is_ok_and(|w| w.words().len() < 3),
                "{n} bytes"
            );
        }
        for i in 0..bytes.len() {
            for bit in 0..8 {
                let mut b = AlignedVec::<16>::new();
                b.extend_from_slice(&bytes);
                b[i] ^= 1 << bit;
                let h = header(Codec::None, b.len(), b.len());
                if let Ok(w) = Content::unpack(&h, &b).and_then(WordContent::new) {
                    assert!(w.words().len() <= 4);
                }
            }
        }
    }
}
