//! The writer: calls in, a trace file out. Pure and synchronous over any `io::Write`; no threads and no clocks here.
//!
//! Used by the recorder's thread ([`super::recorder`]), by `assemble` and by `repair`. Every chunk goes out in one
//! `write_all`, so what a killed process leaves is whole chunks and at most one part of one.

mod resume;

use super::blobs::{BlobStore, MAX_BLOB, Placed, SPAN_BYTES};
use super::chunk::{
    Document, ImageRows, Index, IndexEntry, Pack, Packer, Replies, ReplyEntry, Words, archive,
    entry,
};
use super::error::TraceError;
use super::format::*;
use super::index::{ChunkInfo, ENTRIES_PER_CHUNK};
use super::provenance::Provenance;
use crate::codec::{self, DecodeError, MAX_RECORD_BYTES, RecordView, blob_refs_mut, slice_of};
use crate::handle::SurfaceHandle;
use crate::pipe::payload::BlobRef;
use crate::pipe::{Call, Class, Event, Op, Reply};
use rkyv::util::AlignedVec;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Pending records of this many words are cut into a chunk.
const RECORD_WORDS: usize = 512 << 10;
/// Pending replies of this many bytes are cut into a chunk.
const REPLY_BYTES: usize = 4 << 20;

/// How the writer packs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriterOptions {
    /// Records.
    pub records: Pack,
    /// Blobs and replies.
    pub blobs: Pack,
    /// Frame images.
    pub images: Pack,
    /// Number of the first frame.
    pub first_frame: u64,
}

impl Default for WriterOptions {
    fn default() -> Self {
        Self {
            records: Pack::Fast,
            blobs: Pack::Small(3),
            images: Pack::Small(1),
            first_frame: 0,
        }
    }
}

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Written {
    /// Bytes of whole chunks, headers and trailer included.
    pub bytes: u64,
    /// Records.
    pub records: u64,
    /// Frames that ended.
    pub frames: u64,
}

/// Where the writer stands between two records.
#[derive(Debug, Clone, Copy, Default)]
struct Position {
    record: u64,
    frame: u64,
    verb: u32,
}

/// See the module.
pub struct TraceWriter<W: Write> {
    out: W,
    path: PathBuf,
    options: WriterOptions,
    /// Bytes of whole chunks.
    at: u64,
    index: Vec<IndexEntry>,
    ordinals: [u64; 16],
    packer: Packer,
    packed: Vec<u8>,
    archived: AlignedVec<16>,
    chunk: Vec<u8>,
    blobs: BlobStore,
    words: Vec<u64>,
    replies: Replies,
    /// Next record.
    here: Position,
    /// First record of the pending chunk.
    start: Position,
    one: (Vec<u64>, Vec<u8>),
}

impl<W: Write> TraceWriter<W> {
    /// Writes header, provenance and schema. `path` is for messages.
    pub fn create(
        out: W,
        path: &Path,
        provenance: &Provenance,
        options: WriterOptions,
    ) -> Result<Self, TraceError> {
        let schema = crate::layout::schema_text();
        Self::create_like(
            &FileHeader::current(),
            &schema,
            out,
            path,
            provenance,
            options,
        )
    }

    /// As [`TraceWriter::create`], for chunks of records that have another schema: those of a file that is copied.
    pub(super) fn create_like(
        header: &FileHeader,
        schema: &str,
        out: W,
        path: &Path,
        provenance: &Provenance,
        options: WriterOptions,
    ) -> Result<Self, TraceError> {
        let mut w = Self::new(out, path, options);
        let here = w.here;
        w.raw(&header.to_bytes())?;
        let json =
            serde_json::to_string(provenance).map_err(|e| TraceError::text("provenance", e))?;
        w.emit(&Document { json }, ChunkKind::Provenance, Pack::None, here)?;
        w.content(
            schema.as_bytes(),
            ChunkKind::Schema,
            Pack::Small(3),
            here,
            (0, 0),
        )?;
        Ok(w)
    }

    fn new(out: W, path: &Path, options: WriterOptions) -> Self {
        let here = Position {
            frame: options.first_frame,
            ..Position::default()
        };
        Self {
            out,
            path: path.to_owned(),
            options,
            at: 0,
            index: Vec::new(),
            ordinals: [0; 16],
            packer: Packer::default(),
            packed: Vec::new(),
            archived: AlignedVec::new(),
            chunk: Vec::new(),
            blobs: BlobStore::default(),
            words: Vec::new(),
            replies: Replies::default(),
            here,
            start: here,
            one: Default::default(),
        }
    }

    /// What is in the file by now, pending records left out of the bytes.
    #[must_use]
    pub fn written(&self) -> Written {
        Written {
            bytes: self.at,
            records: self.here.record,
            frames: self.here.frame - self.options.first_frame,
        }
    }

    /// The file.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.out
    }

    /// Number of the frame that the next record belongs to.
    #[must_use]
    pub fn frame(&self) -> u64 {
        self.here.frame
    }

    /// Changes how blobs, replies and images are packed from now on.
    pub fn set_packing(&mut self, blobs: Pack) {
        (self.options.blobs, self.options.images) = (blobs, blobs);
    }

    /// Appends a call. Returns its ordinal.
    pub fn push(&mut self, call: &Call<'_>) -> Result<u64, TraceError> {
        let (mut words, mut blobs) = std::mem::take(&mut self.one);
        words.clear();
        blobs.clear();
        let size = codec::encode(call, &mut words, &mut blobs);
        let r = check_record_size(call.op(), size).and_then(|()| self.push_words(&words, &blobs));
        self.one = (words, blobs);
        r.map(|()| self.here.record - 1)
    }

    /// Appends encoded records whose blobs are in `blobs`, segment 0.
    pub fn push_words(&mut self, words: &[u64], blobs: &[u8]) -> Result<(), TraceError> {
        let mut rest = words;
        while !rest.is_empty() {
            let (view, more) = codec::split(rest).map_err(|e| self.refused(e))?;
            self.push_record(&view, blobs)?;
            rest = more;
        }
        Ok(())
    }

    /// Appends one of them.
    pub(super) fn push_record(
        &mut self,
        view: &RecordView<'_>,
        blobs: &[u8],
    ) -> Result<(), TraceError> {
        let info = view.op.info();
        let at = self.words.len();
        self.words.extend_from_slice(view.words);
        if !info.blobs.is_empty() {
            // No chunk of records is cut meanwhile.
            let mut words = std::mem::take(&mut self.words);
            let placed = self.place_blobs(view.op, &mut words[at..], blobs);
            if placed.is_err() {
                words.truncate(at);
            }
            self.words = words;
            placed?;
        }
        self.here.record += 1;
        if info.class == Class::Verb {
            self.here.verb += 1;
        }
        if view.op == Op::Present {
            self.here.frame += 1;
            self.here.verb = 0;
        }
        if self.words.len() >= RECORD_WORDS {
            self.flush()?;
        }
        Ok(())
    }

    /// Places a record's blobs. Their places are written into `copy`, and not into what the caller has, which somebody
    /// may read once this process is dead.
    fn place_blobs(&mut self, op: Op, copy: &mut [u64], blobs: &[u8]) -> Result<(), TraceError> {
        let refs = blob_refs_mut(copy).map_err(|e| self.refused(e))?;
        for (i, r) in refs.iter_mut().enumerate() {
            let bytes = slice_of(blobs, r).map_err(|detail| {
                self.refused(DecodeError::Blob {
                    record: op.name(),
                    field: op.info().blobs[i],
                    detail,
                })
            })?;
            *r = self.place(bytes)?;
        }
        Ok(())
    }

    pub(super) fn refused(&self, error: DecodeError) -> TraceError {
        TraceError::Record {
            path: self.path.clone(),
            offset: self.at,
            frame: self.here.frame,
            ordinal: self.here.record,
            error,
        }
    }

    /// Appends the reply to the record pushed last.
    pub fn reply(&mut self, reply: &Reply) -> Result<(), TraceError> {
        let (kind, value, bytes) = reply_parts(reply);
        self.entry(kind, value, &bytes)
    }

    /// Appends the reply to a record behind which `behind` more were pushed by now.
    pub fn late_reply(&mut self, behind: u64, reply: &Reply) -> Result<(), TraceError> {
        let (kind, value, bytes) = reply_parts(reply);
        self.reply_entry(kind, value, behind, &bytes)
    }

    pub(super) fn reply_entry(
        &mut self,
        kind: u32,
        value: u64,
        behind: u64,
        bytes: &[u8],
    ) -> Result<(), TraceError> {
        if behind == 0 {
            return self.entry(kind, value, bytes);
        }
        if behind >= self.here.record {
            return Err(TraceError::text("reply", "it is to no record"));
        }
        let bytes = [&behind.to_le_bytes(), bytes].concat();
        self.entry(kind | entry::LATE, value, &bytes)
    }

    /// Appends an event that came after all records so far.
    pub fn event(&mut self, event: &Event) -> Result<(), TraceError> {
        self.entry(entry::EVENT, 0, &event_bytes(event))
    }

    /// Appends a reply or an event, in parts if it is long.
    pub(super) fn entry(&mut self, kind: u32, value: u64, bytes: &[u8]) -> Result<(), TraceError> {
        if bytes.len() as u64 > MAX_BLOB {
            return Err(too_large("a reply or event", bytes.len()));
        }
        let record = self.here.record;
        let total = bytes.len() as u64;
        let mut rest = bytes;
        loop {
            let (part, more) = rest.split_at(rest.len().min(SPAN_BYTES));
            if self.replies.bytes.len() + part.len() > REPLY_BYTES && !self.replies.bytes.is_empty()
            {
                self.flush()?;
            }
            self.replies.entries.push(ReplyEntry {
                record,
                kind,
                value,
                total,
                offset: self.replies.bytes.len() as u64,
                size: part.len() as u64,
            });
            self.replies.bytes.extend_from_slice(part);
            rest = more;
            if rest.is_empty() {
                return Ok(());
            }
        }
    }

    /// Writes the image of the frame that the next Present ends: `width * height` pixels RGBA, bottom row first.
    pub fn image(
        &mut self,
        surface: SurfaceHandle,
        width: u32,
        height: u32,
        rgba: &[u8],
    ) -> Result<(), TraceError> {
        let frame = self.here.frame;
        self.image_of(frame, surface, width, height, rgba)
    }

    /// Writes the image of a frame.
    pub(super) fn image_of(
        &mut self,
        frame: u64,
        surface: SurfaceHandle,
        width: u32,
        height: u32,
        rgba: &[u8],
    ) -> Result<(), TraceError> {
        let row = width as usize * 4;
        if row.checked_mul(height as usize) != Some(rgba.len()) || rgba.is_empty() {
            return Err(TraceError::text(
                "image",
                format!("{} bytes are not {width}x{height} pixels", rgba.len()),
            ));
        }
        if row > SPAN_BYTES {
            return Err(too_large("a row of an image", row));
        }
        let (pack, at) = (self.options.images, Position { frame, ..self.here });
        let rows = SPAN_BYTES / row;
        for (i, part) in rgba.chunks(rows * row).enumerate() {
            let part = ImageRows {
                surface_slot: surface.0.slot,
                surface_generation: surface.0.generation,
                width,
                height,
                first_row: (i * rows) as u32,
                rgba: part.to_vec(),
            };
            self.emit(&part, ChunkKind::Image, pack, at)?;
        }
        Ok(())
    }

    /// Writes what is pending: blobs, then the records that name them, then replies.
    pub fn flush(&mut self) -> Result<(), TraceError> {
        self.flush_blobs()?;
        if !self.words.is_empty() {
            let words = Words {
                words: std::mem::take(&mut self.words),
            };
            let (start, here) = (self.start, self.here);
            let counts = (
                (here.record - start.record) as u32,
                (here.frame - start.frame) as u32,
            );
            self.archived = archive(&words, std::mem::take(&mut self.archived));
            self.words = words.words;
            self.words.clear();
            self.start = here;
            self.archived_content(ChunkKind::Records, self.options.records, start, counts)?;
        }
        if !self.replies.entries.is_empty() {
            let replies = std::mem::take(&mut self.replies);
            let at = Position {
                record: replies.entries[0].record,
                ..self.here
            };
            self.archived = archive(&replies, std::mem::take(&mut self.archived));
            let count = replies.entries.len() as u32;
            self.replies = replies;
            self.replies.entries.clear();
            self.replies.bytes.clear();
            self.archived_content(ChunkKind::Replies, self.options.blobs, at, (count, 0))?;
        }
        Ok(())
    }

    /// Writes what is pending, the index and the trailer.
    pub fn finish(mut self) -> Result<(W, Written), TraceError> {
        self.flush()?;
        let written = self.close()?;
        Ok((self.out, written))
    }

    /// Writes index and trailer behind the last whole chunk; pending records are given up.
    pub(super) fn close(&mut self) -> Result<Written, TraceError> {
        let first = self.at;
        let entries = std::mem::take(&mut self.index);
        let here = self.here;
        for part in entries.chunks(ENTRIES_PER_CHUNK) {
            let part = Index {
                entries: part.to_vec(),
            };
            self.emit(&part, ChunkKind::Index, Pack::Fast, here)?;
        }
        let trailer = Trailer {
            index: first,
            length: self.at + TRAILER_BYTES as u64,
        };
        self.raw(&trailer.to_bytes())?;
        self.out
            .flush()
            .map_err(TraceError::io(&self.path, "writing"))?;
        Ok(self.written())
    }

    /// Copies a chunk as it is; its place in order, records and frames follow its header.
    pub(super) fn copy_chunk(&mut self, h: &ChunkHeader, stored: &[u8]) -> Result<(), TraceError> {
        if h.kind == ChunkKind::Records {
            if self
                .index
                .iter()
                .all(|e| e.kind != ChunkKind::Records.to_u16())
            {
                self.options.first_frame = h.frame;
                (self.here.record, self.here.frame) = (h.record, h.frame);
            }
            self.here.record += u64::from(h.count);
            self.here.frame += u64::from(h.frames);
            self.start = self.here;
        }
        self.write_chunk(*h, stored)
    }

    fn place(&mut self, bytes: &[u8]) -> Result<BlobRef, TraceError> {
        if bytes.len() as u64 > MAX_BLOB {
            return Err(too_large("a blob", bytes.len()));
        }
        match self.blobs.put(bytes) {
            Placed::At(r) => {
                if self.blobs.pending.len() * 8 >= super::blobs::CHUNK_TARGET {
                    self.flush_blobs()?;
                }
                Ok(r)
            }
            Placed::Large(hash) => {
                self.flush_blobs()?;
                let r = self.blobs.place_large(hash, bytes.len() as u64);
                for part in bytes.chunks(SPAN_BYTES) {
                    let mut words = vec![0; part.len().div_ceil(8)];
                    bytemuck::cast_slice_mut::<u64, u8>(&mut words)[..part.len()]
                        .copy_from_slice(part);
                    self.blobs.pending = words;
                    self.flush_blobs()?;
                }
                Ok(r)
            }
        }
    }

    fn flush_blobs(&mut self) -> Result<(), TraceError> {
        if self.blobs.pending.is_empty() {
            return Ok(());
        }
        let words = Words {
            words: std::mem::take(&mut self.blobs.pending),
        };
        self.blobs.next_chunk += 1;
        let (pack, here) = (self.options.blobs, self.here);
        self.emit(&words, ChunkKind::Blobs, pack, here)?;
        let mut words = words.words;
        words.clear();
        // A large blob's buffer is given back; the usual one is kept.
        if words.capacity() * 8 <= 2 * super::blobs::CHUNK_TARGET {
            self.blobs.pending = words;
        }
        Ok(())
    }

    fn emit<T>(
        &mut self,
        value: &T,
        kind: ChunkKind,
        how: Pack,
        at: Position,
    ) -> Result<(), TraceError>
    where
        T: for<'a> rkyv::Serialize<
                rkyv::api::high::HighSerializer<
                    AlignedVec<16>,
                    rkyv::ser::allocator::ArenaHandle<'a>,
                    rkyv::rancor::Error,
                >,
            >,
    {
        self.archived = archive(value, std::mem::take(&mut self.archived));
        self.archived_content(kind, how, at, (0, 0))
    }

    fn archived_content(
        &mut self,
        kind: ChunkKind,
        how: Pack,
        at: Position,
        counts: (u32, u32),
    ) -> Result<(), TraceError> {
        let bytes = std::mem::take(&mut self.archived);
        let r = self.content(&bytes, kind, how, at, counts);
        self.archived = bytes;
        r
    }

    fn content(
        &mut self,
        bytes: &[u8],
        kind: ChunkKind,
        how: Pack,
        at: Position,
        (count, frames): (u32, u32),
    ) -> Result<(), TraceError> {
        if bytes.len() > MAX_CONTENT {
            return Err(too_large("a chunk's content", bytes.len()));
        }
        let mut packed = std::mem::take(&mut self.packed);
        let codec = self.packer.pack(bytes, how, &mut packed);
        let stored = if codec == Codec::None { bytes } else { &packed };
        let header = ChunkHeader {
            kind,
            codec,
            stored: stored.len() as u32,
            real: bytes.len() as u32,
            ordinal: self.ordinals[usize::from(kind.to_u16())],
            frame: at.frame,
            record: at.record,
            count,
            frames,
            verb: if kind == ChunkKind::Records {
                at.verb
            } else {
                0
            },
        };
        let r = self.write_chunk(header, stored);
        self.packed = packed;
        r
    }

    fn write_chunk(&mut self, header: ChunkHeader, stored: &[u8]) -> Result<(), TraceError> {
        let mut chunk = std::mem::take(&mut self.chunk);
        chunk.clear();
        chunk.extend_from_slice(&header.to_bytes(stored));
        chunk.extend_from_slice(stored);
        chunk.resize(chunk.len().next_multiple_of(ALIGN), 0);
        let offset = self.at;
        let r = self.raw(&chunk);
        self.chunk = chunk;
        r?;
        if let Some(n) = self.ordinals.get_mut(usize::from(header.kind.to_u16())) {
            *n = header.ordinal + 1;
        }
        if header.kind != ChunkKind::Index {
            self.index.push(ChunkInfo { offset, header }.to_entry());
        }
        Ok(())
    }

    fn raw(&mut self, bytes: &[u8]) -> Result<(), TraceError> {
        self.out
            .write_all(bytes)
            .map_err(TraceError::io(&self.path, "writing"))?;
        self.at += bytes.len() as u64;
        Ok(())
    }
}

/// Kind, number and bytes of a reply.
pub(super) fn reply_parts(reply: &Reply) -> (u32, u64, std::borrow::Cow<'_, [u8]>) {
    match reply {
        Reply::None => (entry::NONE, 0, [].as_slice().into()),
        Reply::Value(v) => (entry::VALUE, *v, [].as_slice().into()),
        Reply::Bytes(b) => (entry::BYTES, 0, b.into()),
        Reply::Caps(c) => (
            entry::CAPS,
            0,
            postcard::to_stdvec(c.as_ref())
                .expect("plain data always has a postcard form")
                .into(),
        ),
    }
}

/// An event's postcard form.
pub(super) fn event_bytes(event: &Event) -> Vec<u8> {
    postcard::to_stdvec(event).expect("plain data always has a postcard form")
}

fn too_large(what: &str, size: usize) -> TraceError {
    TraceError::TooLarge {
        what: what.into(),
        size: size as u64,
        limit: if what == "a blob" || what == "a reply or event" {
            MAX_BLOB
        } else {
            SPAN_BYTES as u64
        },
    }
}

/// The record limit, checked where records are made.
pub(super) fn check_record_size(op: Op, size: usize) -> Result<(), TraceError> {
    if size <= MAX_RECORD_BYTES {
        return Ok(());
    }
    Err(TraceError::TooLarge {
        what: format!("a {} record", op.name()),
        size: size as u64,
        limit: MAX_RECORD_BYTES as u64,
    })
}
