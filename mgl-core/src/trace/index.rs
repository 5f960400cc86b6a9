//! The index: where the chunks are.
//!
//! A finished file ends in index chunks and a trailer; a file without them is walked from header to header.

use super::chunk::{Index, IndexEntry};
use super::format::*;

/// Entries an index chunk holds; a longer index has several.
pub(super) const ENTRIES_PER_CHUNK: usize = 1 << 19;

/// A chunk's header and place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkInfo {
    /// Offset in the file.
    pub offset: u64,
    /// Its header.
    pub header: ChunkHeader,
}

impl ChunkInfo {
    /// Offset just behind it.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.offset + self.header.chunk_bytes()
    }

    pub(super) fn to_entry(self) -> IndexEntry {
        let Self { offset, header } = self;
        let ChunkHeader {
            kind,
            codec,
            stored,
            real,
            ordinal,
            frame,
            record,
            count,
            frames,
            verb,
        } = header;
        IndexEntry {
            offset,
            kind: kind.to_u16(),
            codec: codec.to_u16(),
            stored,
            real,
            ordinal,
            frame,
            record,
            count,
            frames,
            verb,
        }
    }

    fn from_entry(e: &rkyv::Archived<IndexEntry>) -> Result<Self, String> {
        // Through the header's own bytes, so that an entry passes the checks that a header passes.
        let header = ChunkHeader {
            kind: ChunkKind::from_u16(e.kind.to_native()),
            codec: Codec::from_u16(e.codec.to_native())
                .ok_or_else(|| format!("codec {} is not known", e.codec))?,
            stored: e.stored.to_native(),
            real: e.real.to_native(),
            ordinal: e.ordinal.to_native(),
            frame: e.frame.to_native(),
            record: e.record.to_native(),
            count: e.count.to_native(),
            frames: e.frames.to_native(),
            verb: e.verb.to_native(),
        };
        header.check()?;
        Ok(Self {
            offset: e.offset.to_native(),
            header,
        })
    }
}

/// Appends the entries of one index chunk, which must go on where `chunks` ends and stay below `limit`.
pub(super) fn extend(
    chunks: &mut Vec<ChunkInfo>,
    index: &rkyv::Archived<Index>,
    limit: u64,
) -> Result<(), String> {
    for e in index.entries.iter() {
        let c = ChunkInfo::from_entry(e)?;
        let expected = chunks
            .last()
            .map_or(FILE_HEADER_BYTES as u64, ChunkInfo::end);
        if c.offset != expected || c.end() > limit {
            return Err(format!(
                "entry {}: a chunk at offset {} where one was expected at {expected}",
                chunks.len(),
                c.offset
            ));
        }
        chunks.push(c);
    }
    Ok(())
}

/// Checks that chunks follow one another in numbers too: ordinals a kind, records, frames;
/// images and replies are found by halving, so they must be in order.
pub(super) struct Sequence {
    ordinals: [u64; 16],
    /// Records so far.
    pub records: u64,
    /// Frame being written: the first one of the file until a records chunk says otherwise.
    pub frame: u64,
    started: bool,
    /// Frame of the last image, record of the last replies.
    image: u64,
    reply: u64,
}

impl Sequence {
    pub fn new() -> Self {
        Self {
            ordinals: [0; 16],
            records: 0,
            frame: 0,
            started: false,
            image: 0,
            reply: 0,
        }
    }

    /// Takes the next chunk's header, or says why it cannot follow.
    pub fn next(&mut self, h: &ChunkHeader) -> Result<(), String> {
        if let Some(n) = self.ordinals.get_mut(usize::from(h.kind.to_u16())) {
            if h.ordinal != *n {
                return Err(format!("number {} where {n} was expected", h.ordinal));
            }
            *n += 1;
        }
        match h.kind {
            ChunkKind::Records => {
                if !self.started {
                    (self.started, self.frame, self.records) = (true, h.frame, h.record);
                }
                if h.record != self.records || h.frame != self.frame {
                    return Err(format!(
                        "record {} of frame {} where record {} of frame {} was expected",
                        h.record, h.frame, self.records, self.frame
                    ));
                }
                self.records += u64::from(h.count);
                self.frame += u64::from(h.frames);
            }
            ChunkKind::Image => {
                if h.frame < self.image {
                    return Err(format!("frame {} behind frame {}", h.frame, self.image));
                }
                self.image = h.frame;
            }
            ChunkKind::Replies => {
                if h.record < self.reply {
                    return Err(format!("record {} behind record {}", h.record, self.reply));
                }
                self.reply = h.record;
            }
            ChunkKind::Blobs if h.ordinal >= u64::from(u32::MAX) => {
                return Err("more blob chunks than a reference can name".into());
            }
            _ => {}
        }
        Ok(())
    }
}
