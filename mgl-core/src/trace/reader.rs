//! The reader: opens trace files, finished, cut and hostile ones.
//!
//! A finished file is mapped and positioned by its index. A file without a valid trailer is walked from chunk to chunk,
//! every checksum is compared, and everything up to the first chunk that is not whole is read ([`Recovery`]). Opening
//! decompresses nothing but provenance and index. Sizes are checked before anything is allocated, at most 64 MiB a chunk
//! are decompressed, and of blobs only the chunks used last are kept.

use super::blobs::BlobCache;
use super::chunk::{Content, Document, Index, WordContent};
use super::contents::ReplyChunk;
use super::cursor::Cursor;
use super::error::TraceError;
use super::format::*;
use super::index::{ChunkInfo, Sequence, extend};
use super::older::Mapping;
use super::outcomes::Outcomes;
use super::provenance::Provenance;
use super::storage::{Storage, is_readable, read_header};
use crate::codec;
use crate::files;
use rkyv::util::AlignedVec;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::{Bound, Range, RangeBounds};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

/// Bytes of provenance: arguments and the whole environment are far below that.
const MAX_PROVENANCE: u32 = 4 << 20;
/// Bytes of blob chunks kept in memory.
const CACHE_BYTES: usize = 256 << 20;

/// What was read of a file that was not finished.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Recovery {
    /// Whole frames.
    pub frames: u64,
    /// Bytes behind the last whole chunk, ignored.
    pub ignored_bytes: u64,
    /// What ended the reading.
    pub reason: String,
}

impl std::fmt::Display for Recovery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "recovered, {} frames, {} bytes of an unfinished chunk ignored ({}); `mgl repair` writes the index",
            self.frames, self.ignored_bytes, self.reason
        )
    }
}

/// What [`TraceFile::info`] says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Info {
    /// The file.
    pub path: String,
    /// Its bytes.
    pub bytes: u64,
    /// Format version.
    pub version: u32,
    /// Layout fingerprint of its records, in hexadecimal.
    pub layout: String,
    /// First frame.
    pub first_frame: u64,
    /// Whole frames: those that a Present ended.
    pub frames: u64,
    /// Records.
    pub records: u64,
    /// Records behind the last Present.
    pub partial_frame: bool,
    /// Frames that have an image.
    pub images: u64,
    /// Chunks a kind.
    pub chunks: Vec<KindInfo>,
    /// Set when the file was not finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovered: Option<Recovery>,
    /// Set when this mgl cannot read the records: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
    /// Where it comes from.
    pub provenance: Provenance,
}

/// The chunks of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KindInfo {
    /// Kind.
    pub kind: String,
    /// How many.
    pub chunks: u64,
    /// Bytes in the file, headers left out.
    pub stored_bytes: u64,
    /// Bytes when decompressed.
    pub real_bytes: u64,
}

/// An open trace file.
pub struct TraceFile {
    path: PathBuf,
    storage: Storage,
    length: u64,
    header: FileHeader,
    pub(super) chunks: Vec<ChunkInfo>,
    /// Positions in `chunks`, a kind.
    records: Vec<usize>,
    pub(super) blobs: Vec<usize>,
    pub(super) replies: Vec<usize>,
    pub(super) images: Vec<usize>,
    frames: Range<u64>,
    record_end: u64,
    partial: bool,
    /// Its records are of another schema.
    older: Option<Mapping>,
    provenance: Provenance,
    recovered: Option<Recovery>,
    pub(super) blob_cache: Mutex<BlobCache>,
    pub(super) reply_cache: Mutex<Option<Arc<ReplyChunk>>>,
    outcomes: OnceLock<Outcomes>,
    /// Records whose replies came late, and how many had been pushed by then.
    pub(super) late: OnceLock<BTreeMap<u64, u64>>,
}

impl std::fmt::Debug for TraceFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TraceFile")
            .field("path", &self.path)
            .field("frames", &self.frames)
            .field("chunks", &self.chunks.len())
            .finish_non_exhaustive()
    }
}

impl TraceFile {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        let (storage, length) = Self::storage_of(path)?;
        Self::from_storage(path, storage, length)
    }

    /// What is in a file, also in one that a newer mgl wrote: what the frame of the format says, which every version
    /// keeps, and why its records cannot be read here.
    pub fn survey(path: &Path) -> Result<Info, TraceError> {
        let (storage, length) = Self::storage_of(path)?;
        let header = read_header(path, &storage, length)?;
        let mut f = Self::bare(path, storage, length, header);
        let why = match is_readable(path, &f.header) {
            Ok(()) => f.read_frame().and_then(|()| f.find_mapping()).err(),
            Err(newer) => {
                // Its index and provenance may be of another shape.
                if f.read_frame().is_err() {
                    f = Self::bare(path, f.storage, length, f.header);
                    f.recover();
                    let _ = f.sort_chunks();
                    f.recovered = None;
                }
                Some(newer)
            }
        };
        match why {
            Some(e) if !e.is_of_another_version() => Err(e),
            why => Ok(Info {
                unreadable: why.map(|e| e.to_string()),
                ..f.info()
            }),
        }
    }

    fn storage_of(path: &Path) -> Result<(Storage, u64), TraceError> {
        let io = |action| TraceError::io(path, action);
        let file = files::open(path).map_err(|e| match e.kind() {
            // It is no regular file.
            std::io::ErrorKind::InvalidInput => TraceError::NotATrace {
                path: path.to_owned(),
                found: e.to_string(),
            },
            _ => io("opening")(e),
        })?;
        let length = file.metadata().map_err(io("opening"))?.len();
        let mut tail = [0; TRAILER_BYTES];
        let finished = length >= (FILE_HEADER_BYTES + TRAILER_BYTES) as u64
            && file
                .read_exact_at(&mut tail, length - TRAILER_BYTES as u64)
                .is_ok()
            && Trailer::from_bytes(&tail).is_some_and(|t| t.length == length);
        let storage = if finished {
            // SAFETY: a map of a file that someone truncates faults; only finished files are mapped, which nothing
            // writes to any more. What the bytes say is checked like everything else.
            let map = unsafe { memmap2::Mmap::map(&file) }.map_err(io("mapping"))?;
            Storage::Map(Arc::new(map))
        } else {
            Storage::File(file)
        };
        Ok((storage, length))
    }

    /// Opens a file whose bytes are in memory; `name` is for messages.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, TraceError> {
        let length = bytes.len() as u64;
        Self::from_storage(Path::new(name), Storage::Memory(bytes), length)
    }

    fn from_storage(path: &Path, storage: Storage, length: u64) -> Result<Self, TraceError> {
        let header = read_header(path, &storage, length)?;
        is_readable(path, &header)?;
        let mut f = Self::bare(path, storage, length, header);
        f.read_frame()?;
        f.find_mapping()?;
        Ok(f)
    }

    /// A file of which only the header was read.
    fn bare(path: &Path, storage: Storage, length: u64, header: FileHeader) -> Self {
        Self {
            path: path.to_owned(),
            storage,
            length,
            header,
            chunks: Vec::new(),
            records: Vec::new(),
            blobs: Vec::new(),
            replies: Vec::new(),
            images: Vec::new(),
            frames: 0..0,
            record_end: 0,
            partial: false,
            provenance: Provenance::default(),
            recovered: None,
            older: None,
            blob_cache: Mutex::new(BlobCache::new(CACHE_BYTES)),
            reply_cache: Mutex::new(None),
            outcomes: OnceLock::new(),
            late: OnceLock::new(),
        }
    }

    /// Finds the chunks, and reads provenance.
    fn read_frame(&mut self) -> Result<(), TraceError> {
        match self.trailer() {
            Some(t) => self.read_index(t)?,
            None => self.recover(),
        }
        self.sort_chunks()
    }

    /// How records of another schema become today's.
    fn find_mapping(&mut self) -> Result<(), TraceError> {
        if self.header.layout == FileHeader::current().layout {
            return Ok(());
        }
        let schema = self.schema().map_err(|e| e.to_string());
        match schema.and_then(|t| Mapping::from_schema(&t, self.header.layout)) {
            Ok(mapping) => {
                self.older = Some(mapping);
                Ok(())
            }
            Err(unknown) => Err(TraceError::Layout {
                path: self.path.clone(),
                version: self.header.version,
                unknown,
                recorder: self.provenance.mgl.clone(),
            }),
        }
    }

    /// Its header.
    pub(super) fn header(&self) -> &FileHeader {
        &self.header
    }

    /// A record chunk's words as today's records, where they are others in the file.
    pub(super) fn mapped(
        &self,
        info: &ChunkInfo,
        words: &[u64],
    ) -> Result<Option<Vec<u64>>, TraceError> {
        let mapped = self.older.as_ref().map(|m| m.map(words)).transpose();
        mapped.map_err(|p| self.damaged(ChunkKind::Records, info.offset, p))
    }

    fn trailer(&self) -> Option<Trailer> {
        let at = self.length.checked_sub(TRAILER_BYTES as u64)?;
        let mut b = [0; TRAILER_BYTES];
        self.storage.read(&mut b, at).ok()?;
        Trailer::from_bytes(&b).filter(|t| {
            t.length == self.length && t.index >= FILE_HEADER_BYTES as u64 && t.index <= at
        })
    }

    fn read_index(&mut self, t: Trailer) -> Result<(), TraceError> {
        let end = self.length - TRAILER_BYTES as u64;
        let mut at = t.index;
        while at < end {
            let info = self
                .header_at(at, end)
                .map_err(|p| self.damaged(ChunkKind::Index, at, p))?;
            if info.header.kind != ChunkKind::Index {
                return Err(self.damaged(
                    ChunkKind::Index,
                    at,
                    "another kind of chunk stands there".into(),
                ));
            }
            let content = self.content(&info)?;
            let r = content
                .access::<Index>()
                .and_then(|i| extend(&mut self.chunks, i, t.index));
            r.map_err(|p| self.damaged(ChunkKind::Index, at, p))?;
            at = info.end();
        }
        let covered = self
            .chunks
            .last()
            .map_or(FILE_HEADER_BYTES as u64, ChunkInfo::end);
        if covered != t.index {
            return Err(self.damaged(
                ChunkKind::Index,
                t.index,
                format!("it covers the file up to {covered} only"),
            ));
        }
        Ok(())
    }

    /// Walks a file without an index and keeps what is whole.
    fn recover(&mut self) {
        let mut at = FILE_HEADER_BYTES as u64;
        let mut sequence = Sequence::new();
        let mut buffer = Vec::new();
        let reason = loop {
            if at == self.length {
                break "the file ends without an index".to_owned();
            }
            let info = match self.header_at(at, self.length) {
                Ok(i) if i.header.kind == ChunkKind::Index => {
                    // An index whose trailer did not get into the file.
                    break "the index is not whole".to_owned();
                }
                Ok(i) => i,
                Err(e) => break e,
            };
            match self.stored(&info, &mut buffer) {
                Ok(true) => {}
                Ok(false) => break "a chunk's checksum does not match".to_owned(),
                Err(e) => break e.to_string(),
            }
            if let Err(e) = sequence.next(&info.header) {
                break e;
            }
            self.chunks.push(info);
            at = info.end();
        };
        self.recovered = Some(Recovery {
            frames: 0,
            ignored_bytes: self.length - at,
            reason,
        });
    }

    /// Sorts the chunks by kind and reads provenance.
    fn sort_chunks(&mut self) -> Result<(), TraceError> {
        let mut sequence = Sequence::new();
        for i in 0..self.chunks.len() {
            let ChunkInfo { offset, header } = self.chunks[i];
            sequence
                .next(&header)
                .map_err(|p| self.damaged(header.kind, offset, p))?;
            match header.kind {
                ChunkKind::Records => self.records.push(i),
                ChunkKind::Blobs => self.blobs.push(i),
                ChunkKind::Replies => self.replies.push(i),
                ChunkKind::Image => self.images.push(i),
                _ => {}
            }
        }
        let first = self
            .records
            .first()
            .map_or(0, |i| self.chunks[*i].header.frame);
        self.frames = first..sequence.frame.max(first);
        self.record_end = sequence.records;
        // Whether anything follows the last Present is known from the last chunk only.
        self.partial = self.last_chunk_is_partial();
        let frames = self.frames.end - self.frames.start;
        if let Some(r) = &mut self.recovered {
            r.frames = frames;
        }
        let first = self.chunks.first().copied();
        match first.filter(|c| c.header.kind == ChunkKind::Provenance) {
            Some(c) => {
                if c.header.real > MAX_PROVENANCE {
                    let problem = format!("{} bytes are more than {MAX_PROVENANCE}", c.header.real);
                    return Err(self.damaged(ChunkKind::Provenance, c.offset, problem));
                }
                let content = self.content(&c)?;
                let json = content
                    .access::<Document>()
                    .map(|d| d.json.as_str().to_owned());
                self.provenance = json
                    .and_then(|j| serde_json::from_str(&j).map_err(|e| e.to_string()))
                    .map_err(|p| self.damaged(ChunkKind::Provenance, c.offset, p))?;
                Ok(())
            }
            // A file cut within its very first chunk is empty, not damaged.
            None if self.recovered.is_some() && self.chunks.is_empty() => Ok(()),
            None => Err(self.damaged(
                ChunkKind::Provenance,
                FILE_HEADER_BYTES as u64,
                "the first chunk is of another kind".into(),
            )),
        }
    }

    fn last_chunk_is_partial(&self) -> bool {
        let Some(last) = self.records.last().map(|i| self.chunks[*i]) else {
            return false;
        };
        if last.header.frames == 0 {
            return last.header.count > 0;
        }
        // Damage shows when the records are read; here it only leaves the question open.
        let Ok(words) = self.words(&last) else {
            return false;
        };
        let (mut rest, mut open) = (words.words(), false);
        while let Ok((view, more)) = codec::split(rest) {
            open = view.op != crate::pipe::Op::Present;
            rest = more;
        }
        open
    }

    /// Name and sizes, without reading records.
    #[must_use]
    pub fn info(&self) -> Info {
        let mut chunks: Vec<KindInfo> = Vec::new();
        for c in &self.chunks {
            let kind = c.header.kind.to_string();
            let k = match chunks.iter().position(|k| k.kind == kind) {
                Some(i) => &mut chunks[i],
                None => {
                    chunks.push(KindInfo {
                        kind,
                        chunks: 0,
                        stored_bytes: 0,
                        real_bytes: 0,
                    });
                    chunks.last_mut().expect("just pushed")
                }
            };
            k.chunks += 1;
            k.stored_bytes += u64::from(c.header.stored);
            k.real_bytes += u64::from(c.header.real);
        }
        Info {
            path: self.path.display().to_string(),
            bytes: self.length,
            version: self.header.version,
            layout: format!("{:016x}", self.header.layout),
            first_frame: self.frames.start,
            frames: self.frames.end - self.frames.start,
            records: self.record_count(),
            partial_frame: self.partial,
            images: self.image_frames().len() as u64,
            chunks,
            recovered: self.recovered.clone(),
            unreadable: None,
            provenance: self.provenance.clone(),
        }
    }

    /// What became of records that were not carried out when they were recorded. Reads all replies and events, once.
    pub fn outcomes(&self) -> Result<&Outcomes, TraceError> {
        if let Some(known) = self.outcomes.get() {
            return Ok(known);
        }
        let found = Outcomes::of(self)?;
        Ok(self.outcomes.get_or_init(|| found))
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where it comes from.
    #[must_use]
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// Set when the file was not finished.
    #[must_use]
    pub fn recovered(&self) -> Option<&Recovery> {
        self.recovered.as_ref()
    }

    /// Chunks in file order; index chunks left out.
    #[must_use]
    pub fn chunks(&self) -> &[ChunkInfo] {
        &self.chunks
    }

    /// The whole frames.
    #[must_use]
    pub fn frames(&self) -> Range<u64> {
        self.frames.clone()
    }

    /// The frames, the partial one included that follows the last Present.
    #[must_use]
    pub fn all_frames(&self) -> Range<u64> {
        self.frames.start..self.frames.end + u64::from(self.partial)
    }

    /// Records in the file.
    #[must_use]
    pub fn record_count(&self) -> u64 {
        let first = self
            .records
            .first()
            .map_or(0, |i| self.chunks[*i].header.record);
        self.record_end - first
    }

    /// The records of some frames, in order. `..` gives all, the partial frame included. Frames that the file does not
    /// have are an error, an empty file gives an empty walk.
    pub fn records(&self, frames: impl RangeBounds<u64>) -> Result<Cursor<'_>, TraceError> {
        let all = self.all_frames();
        let start = match frames.start_bound() {
            Bound::Included(v) => *v,
            Bound::Excluded(v) => v.saturating_add(1),
            Bound::Unbounded => all.start,
        };
        let end = match frames.end_bound() {
            Bound::Included(v) => v.saturating_add(1),
            Bound::Excluded(v) => *v,
            Bound::Unbounded => all.end,
        };
        let bounded = !matches!(
            (frames.start_bound(), frames.end_bound()),
            (Bound::Unbounded, Bound::Unbounded)
        );
        if bounded && (start >= end || start < all.start || end > all.end) {
            let show = |r: Range<u64>| match r.end.checked_sub(r.start) {
                None | Some(0) => "none".to_owned(),
                Some(1) => format!("{}", r.start),
                Some(_) => format!("{}..{}", r.start, r.end),
            };
            return Err(TraceError::NoFrames {
                path: self.path.clone(),
                asked: format!("{start}..{end}"),
                held: show(all),
            });
        }
        Ok(Cursor::new(self, start..end))
    }

    /// Offset of the chunk that holds a record.
    pub(super) fn offset_of(&self, record: u64) -> u64 {
        let behind = self
            .records
            .partition_point(|i| self.chunks[*i].header.record <= record);
        let i = behind.checked_sub(1).and_then(|i| self.records.get(i));
        i.map_or(0, |i| self.chunks[*i].offset)
    }

    /// Positions in [`TraceFile::chunks`] of the records chunks.
    pub(super) fn record_chunks(&self) -> &[usize] {
        &self.records
    }

    /// The schema of the records, as text.
    pub fn schema(&self) -> Result<String, TraceError> {
        let Some(c) = self
            .chunks
            .iter()
            .find(|c| c.header.kind == ChunkKind::Schema)
        else {
            return Ok(String::new());
        };
        let content = self.content(c)?;
        String::from_utf8(content.to_vec())
            .map_err(|e| self.damaged(ChunkKind::Schema, c.offset, e.to_string()))
    }

    /// The stored bytes of a chunk, checksum compared.
    pub(super) fn stored_bytes(&self, info: &ChunkInfo) -> Result<Vec<u8>, TraceError> {
        let mut b = Vec::new();
        match self.stored(info, &mut b)? {
            true => Ok(b),
            false => Err(self.damaged(
                info.header.kind,
                info.offset,
                "its checksum does not match".into(),
            )),
        }
    }

    /// The words of a records or blobs chunk.
    pub(super) fn words(&self, info: &ChunkInfo) -> Result<WordContent, TraceError> {
        self.words_into(AlignedVec::new(), info)
    }

    /// The same, decompressed into a buffer that is used again.
    pub(super) fn words_into(
        &self,
        buffer: AlignedVec<16>,
        info: &ChunkInfo,
    ) -> Result<WordContent, TraceError> {
        let c = self.content_into(buffer, info)?;
        WordContent::new(c).map_err(|p| self.damaged(info.header.kind, info.offset, p))
    }

    /// A chunk's content, verified and decompressed.
    pub(super) fn content(&self, info: &ChunkInfo) -> Result<Content, TraceError> {
        self.content_into(AlignedVec::new(), info)
    }

    fn content_into(
        &self,
        buffer: AlignedVec<16>,
        info: &ChunkInfo,
    ) -> Result<Content, TraceError> {
        let damaged = |p| self.damaged(info.header.kind, info.offset, p);
        if let Storage::Map(map) = &self.storage {
            let (h, at) = self.verified_in_map(map, info).map_err(damaged)?;
            return if h.codec == Codec::None {
                Ok(Content::mapped(Arc::clone(map), at, h.stored as usize))
            } else {
                Content::unpack_into(buffer, &h, &map[at..at + h.stored as usize]).map_err(damaged)
            };
        }
        let stored = self.stored_bytes(info)?;
        Content::unpack_into(buffer, &info.header, &stored).map_err(damaged)
    }

    fn verified_in_map(
        &self,
        map: &memmap2::Mmap,
        info: &ChunkInfo,
    ) -> Result<(ChunkHeader, usize), String> {
        let at = info.offset as usize;
        let header = map
            .get(at..at + CHUNK_HEADER_BYTES)
            .and_then(|b| b.try_into().ok())
            .ok_or("it is outside the file")?;
        let content = at + CHUNK_HEADER_BYTES;
        let stored = map
            .get(content..content + info.header.stored as usize)
            .ok_or("it is outside the file")?;
        if ChunkHeader::from_bytes(header)? != info.header {
            return Err("its header is not what the index says".into());
        }
        if !verify(header, stored) {
            return Err("its checksum does not match".into());
        }
        Ok((info.header, content))
    }

    /// Reads a chunk's stored bytes. Whether header and checksum are right.
    fn stored(&self, info: &ChunkInfo, out: &mut Vec<u8>) -> Result<bool, TraceError> {
        let mut head = [0; CHUNK_HEADER_BYTES];
        let io = || TraceError::io(&self.path, "reading");
        self.storage.read(&mut head, info.offset).map_err(io())?;
        out.clear();
        out.resize(info.header.stored as usize, 0);
        self.storage
            .read(out, info.offset + CHUNK_HEADER_BYTES as u64)
            .map_err(io())?;
        Ok(ChunkHeader::from_bytes(&head).is_ok_and(|h| h == info.header) && verify(&head, out))
    }

    /// The header of a chunk that must end at or before `end`.
    fn header_at(&self, at: u64, end: u64) -> Result<ChunkInfo, String> {
        if at + CHUNK_HEADER_BYTES as u64 > end {
            return Err("the file ends within a chunk header".into());
        }
        let mut b = [0; CHUNK_HEADER_BYTES];
        self.storage.read(&mut b, at).map_err(|e| e.to_string())?;
        let info = ChunkInfo {
            offset: at,
            header: ChunkHeader::from_bytes(&b)?,
        };
        if info.end() > end {
            return Err(format!("the file ends within a {} chunk", info.header.kind));
        }
        Ok(info)
    }

    pub(super) fn damaged(&self, kind: ChunkKind, offset: u64, problem: String) -> TraceError {
        TraceError::Chunk {
            path: self.path.clone(),
            kind,
            offset,
            problem,
        }
    }
}
