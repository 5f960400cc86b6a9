//! The frame of a trace file: its fixed bytes, and nothing about what is inside a chunk (design: trace file).
//!
//! All numbers are little-endian.
//!
//! ```text
//! file     header, chunk*, [trailer]
//!
//! header   64 bytes
//!    0  magic            89 4D 47 4C 54 0D 0A 1A ("\x89MGLT\r\n\x1a": shows transfers that meddle with line ends)
//!    8  u32  version     format version of the writer
//!   12  u32  oldest      oldest format version whose reader can read the file
//!   16  [u8; 8] rkyv     release series of the archives, "0.8", filled with zeros
//!   24  u64  layout      fingerprint of the schema (`mgl_core::layout`), whose text is in the schema chunk
//!   32  [u8; 24]         zero
//!   56  u64  checksum    xxh3-64 of bytes 0..56
//!
//! chunk    64 bytes of header, content, zeros up to a multiple of 16; so headers and contents lie at multiples of 16
//!    0  u32  marker      "MGLc"
//!    4  u16  kind        1 provenance  2 schema  3 records  4 blobs  5 replies  6 image  7 checkpoint (reserved)
//!                        8 prologue of a window (reserved)  9 index; readers pass over kinds that they do not know
//!    6  u16  codec       0 none  1 LZ4 block  2 Zstandard frame
//!    8  u32  stored      bytes of content in the file
//!   12  u32  real        bytes of content when decompressed, at most 64 MiB
//!   16  u64  ordinal     number of the chunk among its kind, from 0
//!   24  u64  frame       records: frame of the first record; image: its frame; else the frame being written
//!   32  u64  record      records: ordinal of the first record; else records before it (replies: before its first entry)
//!   40  u32  count       records: how many; replies: entries; else 0
//!   44  u32  frames      records: frames that end in it, that is Presents; else 0
//!   48  u32  verb        records: ordinal in its frame of the first verb in the chunk; else 0
//!   52  u32              zero
//!   56  u64  checksum    xxh3-64 of bytes 0..56 and of the stored content
//!
//! trailer  32 bytes, the file's last; absent from a file that was not finished
//!    0  magic            "MGLTEND\n"
//!    8  u64  index       offset of the first index chunk; index chunks follow one another up to the trailer
//!   16  u64  length      bytes of the file, trailer included
//!   24  u64  checksum    xxh3-64 of bytes 0..24
//! ```
//!
//! Order: one provenance chunk, one schema chunk, then the rest. A blob's chunk precedes the first record that names it;
//! a reply follows its record. So every prefix that ends at a chunk's end is a whole trace, and a file that was cut
//! anywhere is read up to its last complete chunk.
//!
//! Contents: schema is plain UTF-8, so that it can be read whatever became of rkyv; all others are rkyv archives, see
//! [`super::chunk`]. A frame ends at a Present of any surface. Frames are numbered from the first chunk's `frame`, which
//! is above 0 in a file that was trimmed, so that a verb's name (frame, ordinal in the frame) survives.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// First bytes of a trace file.
pub const MAGIC: [u8; 8] = *b"\x89MGLT\r\n\x1a";
/// First bytes of the trailer.
pub const TRAILER_MAGIC: [u8; 8] = *b"MGLTEND\n";
/// First bytes of a chunk.
pub const CHUNK_MARKER: [u8; 4] = *b"MGLc";
/// Format version that this code writes.
pub const VERSION: u32 = 2;
/// Oldest version whose readers can read what this code writes.
pub const OLDEST_READER: u32 = 2;
/// Release series of the archives.
pub const RKYV_SERIES: [u8; 8] = *b"0.8\0\0\0\0\0";
/// Bytes of the file header.
pub const FILE_HEADER_BYTES: usize = 64;
/// Bytes of a chunk header.
pub const CHUNK_HEADER_BYTES: usize = 64;
/// Bytes of the trailer.
pub const TRAILER_BYTES: usize = 32;
/// Headers and contents lie at multiples of this.
pub const ALIGN: usize = 16;
/// Largest content of a chunk, bytes, stored or real.
pub const MAX_CONTENT: usize = 64 << 20;

/// Kind of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChunkKind {
    /// Where the trace comes from.
    Provenance,
    /// The text of the schema.
    Schema,
    /// Records.
    Records,
    /// Bytes that records name.
    Blobs,
    /// Replies and events.
    Replies,
    /// A frame's image, or a part of it.
    Image,
    /// Reserved: state to start from.
    Checkpoint,
    /// Reserved: what a capture window starts from.
    Prologue,
    /// Where the chunks are.
    Index,
    /// A kind of a later version.
    Unknown(u16),
}

impl ChunkKind {
    /// From the number in a chunk header.
    #[must_use]
    pub const fn from_u16(v: u16) -> Self {
        match v {
            1 => Self::Provenance,
            2 => Self::Schema,
            3 => Self::Records,
            4 => Self::Blobs,
            5 => Self::Replies,
            6 => Self::Image,
            7 => Self::Checkpoint,
            8 => Self::Prologue,
            9 => Self::Index,
            v => Self::Unknown(v),
        }
    }
    /// The number in a chunk header.
    #[must_use]
    pub const fn to_u16(self) -> u16 {
        match self {
            Self::Provenance => 1,
            Self::Schema => 2,
            Self::Records => 3,
            Self::Blobs => 4,
            Self::Replies => 5,
            Self::Image => 6,
            Self::Checkpoint => 7,
            Self::Prologue => 8,
            Self::Index => 9,
            Self::Unknown(v) => v,
        }
    }
}

impl std::fmt::Display for ChunkKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Provenance => "provenance",
            Self::Schema => "schema",
            Self::Records => "records",
            Self::Blobs => "blobs",
            Self::Replies => "replies",
            Self::Image => "image",
            Self::Checkpoint => "checkpoint",
            Self::Prologue => "prologue",
            Self::Index => "index",
            Self::Unknown(v) => return write!(f, "kind-{v}"),
        })
    }
}

/// How a content is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Codec {
    /// Not at all.
    None,
    /// LZ4, one block.
    Lz4,
    /// Zstandard, one frame.
    Zstd,
}

impl Codec {
    /// From the number in a chunk header.
    #[must_use]
    pub const fn from_u16(v: u16) -> Option<Self> {
        match v {
            0 => Some(Self::None),
            1 => Some(Self::Lz4),
            2 => Some(Self::Zstd),
            _ => None,
        }
    }
    /// The number in a chunk header.
    #[must_use]
    pub const fn to_u16(self) -> u16 {
        match self {
            Self::None => 0,
            Self::Lz4 => 1,
            Self::Zstd => 2,
        }
    }
}

/// The file header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileHeader {
    /// Format version of the writer.
    pub version: u32,
    /// Oldest version whose reader can read the file.
    pub oldest_reader: u32,
    /// Release series of the archives.
    pub rkyv: [u8; 8],
    /// Layout fingerprint.
    pub layout: u64,
}

impl FileHeader {
    /// The header of a file that this code writes.
    #[must_use]
    pub fn current() -> Self {
        Self {
            version: VERSION,
            oldest_reader: OLDEST_READER,
            rkyv: RKYV_SERIES,
            layout: crate::layout::layout_fingerprint(),
        }
    }

    /// As bytes.
    #[must_use]
    pub fn to_bytes(self) -> [u8; FILE_HEADER_BYTES] {
        let Self {
            version,
            oldest_reader,
            rkyv,
            layout,
        } = self;
        let mut b = [0; FILE_HEADER_BYTES];
        b[0..8].copy_from_slice(&MAGIC);
        b[8..12].copy_from_slice(&version.to_le_bytes());
        b[12..16].copy_from_slice(&oldest_reader.to_le_bytes());
        b[16..24].copy_from_slice(&rkyv);
        b[24..32].copy_from_slice(&layout.to_le_bytes());
        let sum = xxh3_64(&b[..56]);
        b[56..64].copy_from_slice(&sum.to_le_bytes());
        b
    }

    /// From bytes. The magic is the caller's to check first; an error is what is wrong.
    pub fn from_bytes(b: &[u8; FILE_HEADER_BYTES]) -> Result<Self, String> {
        if xxh3_64(&b[..56]) != u64_at(b, 56) {
            return Err("the header's checksum does not match".into());
        }
        // The checksum of a later version holds too, so `version` can be believed before the rest is understood.
        let h = Self {
            version: u32_at(b, 8),
            oldest_reader: u32_at(b, 12),
            rkyv: b[16..24].try_into().expect("eight bytes"),
            layout: u64_at(b, 24),
        };
        if h.version <= VERSION && b[32..56] != [0; 24] {
            return Err("reserved bytes of the header are not zero".into());
        }
        Ok(h)
    }
}

/// A chunk header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkHeader {
    /// Kind.
    pub kind: ChunkKind,
    /// Compression.
    pub codec: Codec,
    /// Bytes in the file, without padding.
    pub stored: u32,
    /// Bytes when decompressed.
    pub real: u32,
    /// Number among its kind.
    pub ordinal: u64,
    /// Frame.
    pub frame: u64,
    /// First record.
    pub record: u64,
    /// Records or entries.
    pub count: u32,
    /// Frames that end in it.
    pub frames: u32,
    /// Ordinal in its frame of the first verb.
    pub verb: u32,
}

impl ChunkHeader {
    /// As bytes, with the checksum over the stored content too.
    #[must_use]
    pub fn to_bytes(self, content: &[u8]) -> [u8; CHUNK_HEADER_BYTES] {
        let Self {
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
        } = self;
        let mut b = [0; CHUNK_HEADER_BYTES];
        b[0..4].copy_from_slice(&CHUNK_MARKER);
        b[4..6].copy_from_slice(&kind.to_u16().to_le_bytes());
        b[6..8].copy_from_slice(&codec.to_u16().to_le_bytes());
        b[8..12].copy_from_slice(&stored.to_le_bytes());
        b[12..16].copy_from_slice(&real.to_le_bytes());
        b[16..24].copy_from_slice(&ordinal.to_le_bytes());
        b[24..32].copy_from_slice(&frame.to_le_bytes());
        b[32..40].copy_from_slice(&record.to_le_bytes());
        b[40..44].copy_from_slice(&count.to_le_bytes());
        b[44..48].copy_from_slice(&frames.to_le_bytes());
        b[48..52].copy_from_slice(&verb.to_le_bytes());
        let sum = checksum(&b, content);
        b[56..64].copy_from_slice(&sum.to_le_bytes());
        b
    }

    /// From bytes, without the checksum: see [`verify`].
    pub fn from_bytes(b: &[u8; CHUNK_HEADER_BYTES]) -> Result<Self, String> {
        if b[0..4] != CHUNK_MARKER {
            return Err("no chunk starts here".into());
        }
        let codec = u16::from_le_bytes([b[6], b[7]]);
        let h = Self {
            kind: ChunkKind::from_u16(u16::from_le_bytes([b[4], b[5]])),
            codec: Codec::from_u16(codec).ok_or_else(|| format!("codec {codec} is not known"))?,
            stored: u32_at(b, 8),
            real: u32_at(b, 12),
            ordinal: u64_at(b, 16),
            frame: u64_at(b, 24),
            record: u64_at(b, 32),
            count: u32_at(b, 40),
            frames: u32_at(b, 44),
            verb: u32_at(b, 48),
        };
        if u32_at(b, 52) != 0 {
            return Err("reserved bytes of the chunk header are not zero".into());
        }
        h.check()?;
        Ok(h)
    }

    /// Refuses sizes and numbers that no writer gives. What passes can be added up without overflow.
    pub fn check(&self) -> Result<(), String> {
        if self.real as usize > MAX_CONTENT || self.stored as usize > MAX_CONTENT {
            return Err(format!(
                "{} bytes stored, {} decompressed: more than {MAX_CONTENT} a chunk",
                self.stored, self.real
            ));
        }
        if self.codec == Codec::None && self.stored != self.real {
            return Err(format!(
                "{} bytes stored plain, but {} when decompressed",
                self.stored, self.real
            ));
        }
        if self.frame > MAX_NUMBER || self.record > MAX_NUMBER || self.ordinal > MAX_NUMBER {
            return Err("a frame, record or chunk number is out of range".into());
        }
        if self.frames > self.count {
            return Err(format!(
                "{} frames end in {} records",
                self.frames, self.count
            ));
        }
        // So that nobody counts frames for ever that a header merely claims.
        if self.kind == ChunkKind::Records && self.count > self.real / MIN_RECORD_BYTES {
            return Err(format!(
                "{} records cannot be in {} bytes",
                self.count, self.real
            ));
        }
        Ok(())
    }

    /// Bytes of the whole chunk in the file.
    #[must_use]
    pub fn chunk_bytes(&self) -> u64 {
        CHUNK_HEADER_BYTES as u64 + u64::from(self.stored).next_multiple_of(ALIGN as u64)
    }
}

/// No record is smaller: its header.
const MIN_RECORD_BYTES: u32 = crate::codec::HEADER_BYTES as u32;

/// Largest frame, record and chunk numbers.
pub const MAX_NUMBER: u64 = 1 << 48;

/// Whether header bytes and stored content go together.
#[must_use]
pub fn verify(header: &[u8; CHUNK_HEADER_BYTES], content: &[u8]) -> bool {
    checksum(header, content) == u64_at(header, 56)
}

fn checksum(header: &[u8; CHUNK_HEADER_BYTES], content: &[u8]) -> u64 {
    let mut h = Xxh3::new();
    h.update(&header[..56]);
    h.update(content);
    h.digest()
}

/// The trailer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trailer {
    /// Offset of the first index chunk.
    pub index: u64,
    /// Bytes of the file.
    pub length: u64,
}

impl Trailer {
    /// As bytes.
    #[must_use]
    pub fn to_bytes(self) -> [u8; TRAILER_BYTES] {
        let Self { index, length } = self;
        let mut b = [0; TRAILER_BYTES];
        b[0..8].copy_from_slice(&TRAILER_MAGIC);
        b[8..16].copy_from_slice(&index.to_le_bytes());
        b[16..24].copy_from_slice(&length.to_le_bytes());
        let sum = xxh3_64(&b[..24]);
        b[24..32].copy_from_slice(&sum.to_le_bytes());
        b
    }

    /// From bytes, if they are a trailer.
    #[must_use]
    pub fn from_bytes(b: &[u8; TRAILER_BYTES]) -> Option<Self> {
        (b[0..8] == TRAILER_MAGIC && xxh3_64(&b[..24]) == u64_at(b, 24)).then(|| Self {
            index: u64_at(b, 8),
            length: u64_at(b, 16),
        })
    }
}

fn u32_at(b: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(b[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(b: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(b[at..at + 8].try_into().expect("eight bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_parts_come_back() {
        let h = FileHeader::current();
        assert_eq!(FileHeader::from_bytes(&h.to_bytes()), Ok(h));
        let c = ChunkHeader {
            kind: ChunkKind::Records,
            codec: Codec::Lz4,
            stored: 5,
            real: 64,
            ordinal: 3,
            frame: 4,
            record: 99,
            count: 8,
            frames: 2,
            verb: 7,
        };
        let bytes = c.to_bytes(b"hello");
        assert_eq!(ChunkHeader::from_bytes(&bytes), Ok(c));
        assert!(verify(&bytes, b"hello") && !verify(&bytes, b"hallo"));
        assert_eq!(c.chunk_bytes(), 80);
        let t = Trailer {
            index: 640,
            length: 1000,
        };
        assert_eq!(Trailer::from_bytes(&t.to_bytes()), Some(t));
    }

    #[test]
    fn every_flipped_byte_of_a_frame_part_is_noticed() {
        let h = FileHeader::current().to_bytes();
        for i in 8..h.len() {
            let mut b = h;
            b[i] ^= 0x10;
            assert!(FileHeader::from_bytes(&b).is_err(), "byte {i}");
        }
        let t = Trailer {
            index: 64,
            length: 256,
        }
        .to_bytes();
        for i in 0..t.len() {
            let mut b = t;
            b[i] ^= 1;
            assert_eq!(Trailer::from_bytes(&b), None, "byte {i}");
        }
    }

    #[test]
    fn kinds_and_codecs_keep_their_numbers() {
        for v in 0..20 {
            assert_eq!(ChunkKind::from_u16(v).to_u16(), v);
        }
        for v in 0..3 {
            assert_eq!(Codec::from_u16(v).map(Codec::to_u16), Some(v));
        }
        assert_eq!(Codec::from_u16(3), None);
    }
}
