//! Walking the records of a file, frame by frame.
//!
//! A cursor lends: a record borrows the chunk it lies in and the blobs it names, until the next one is asked for.

use super::blobs::RecordBlobs;
use super::chunk::WordContent;
use super::error::TraceError;
use super::format::ChunkKind;
use super::index::ChunkInfo;
use super::reader::TraceFile;
use crate::codec::{self, DecodeError, RecordView};
use crate::pipe::{Call, Class, Op};
use std::ops::Range;

/// Where a record stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordPlace {
    /// Its ordinal in the file.
    pub ordinal: u64,
    /// Its frame.
    pub frame: u64,
    /// Ordinal of the verb in its frame, if it is one: with `frame` the verb's name `F:N`. A frame's last verb is the
    /// Present that ends it.
    pub verb: Option<u32>,
    /// Ordinal in its frame that the next verb has, this one included.
    pub next_verb: u32,
}

impl std::fmt::Display for RecordPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.verb {
            Some(v) => write!(f, "{}:{v}", self.frame),
            None => write!(f, "{}:{} (before)", self.frame, self.next_verb),
        }
    }
}

/// A record, not decoded: its blobs have not been looked at.
#[derive(Debug, Clone, Copy)]
pub struct RawRecord<'c> {
    /// Where it stands.
    pub place: RecordPlace,
    /// Its words.
    pub view: RecordView<'c>,
}

/// A record, decoded.
#[derive(Debug, Clone, Copy)]
pub struct Record<'c> {
    /// Where it stands.
    pub place: RecordPlace,
    /// Its words.
    pub view: RecordView<'c>,
    /// The call.
    pub call: Call<'c>,
}

/// See the module.
pub struct Cursor<'f> {
    walk: Walk<'f>,
    held: RecordBlobs,
}

/// The way through the records, blobs apart: so that a record's words and its blobs can be borrowed side by side.
struct Walk<'f> {
    file: &'f TraceFile,
    /// Frames asked for.
    frames: Range<u64>,
    /// Next records chunk, as a position among them.
    next_chunk: usize,
    chunk: Option<(ChunkInfo, WordContent)>,
    /// Its records as today's, where it holds others.
    mapped: Option<Vec<u64>>,
    /// Next word in the chunk, and records left in it.
    at: usize,
    left: u32,
    ordinal: u64,
    frame: u64,
    verb: u32,
}

impl<'f> Cursor<'f> {
    pub(super) fn new(file: &'f TraceFile, frames: Range<u64>) -> Self {
        // The last chunk that starts before the first frame may hold that frame's first records, and so may those that
        // start within the frame: the first of them is behind the last that starts in an earlier frame.
        let next_chunk = file
            .record_chunks()
            .partition_point(|i| file.chunks()[*i].header.frame < frames.start)
            .saturating_sub(1);
        Self {
            walk: Walk {
                file,
                frames,
                next_chunk,
                chunk: None,
                mapped: None,
                at: 0,
                left: 0,
                ordinal: 0,
                frame: 0,
                verb: 0,
            },
            held: RecordBlobs::default(),
        }
    }

    /// The file.
    #[must_use]
    pub fn file(&self) -> &'f TraceFile {
        self.walk.file
    }

    /// The next record, decoded; `None` behind the last.
    #[allow(clippy::should_implement_trait)] // it lends
    #[inline]
    pub fn next(&mut self) -> Result<Option<Record<'_>>, TraceError> {
        let file = self.walk.file;
        let Some(RawRecord { place, view }) = self.walk.advance()? else {
            return Ok(None);
        };
        if !view.op.info().blobs.is_empty() {
            file.hold_blobs(&view, &mut self.held)?;
        }
        match codec::decode(&view, &self.held) {
            Ok(call) => Ok(Some(Record { place, view, call })),
            Err(e) => Err(bad(file, file.offset_of(place.ordinal), &place, e)),
        }
    }

    /// The next record, not decoded; `None` behind the last.
    pub fn next_raw(&mut self) -> Result<Option<RawRecord<'_>>, TraceError> {
        self.walk.advance()
    }
}

impl Walk<'_> {
    /// Moves behind the next record of the frames asked for.
    #[inline]
    fn advance(&mut self) -> Result<Option<RawRecord<'_>>, TraceError> {
        while self.left == 0 || self.frame < self.frames.start {
            if self.left > 0 {
                self.record()?;
            } else if !self.next_records()? {
                return Ok(None);
            }
        }
        if self.frame >= self.frames.end {
            return Ok(None);
        }
        self.record().map(Some)
    }

    /// Moves behind the next record of the chunk, which has one.
    #[inline]
    fn record(&mut self) -> Result<RawRecord<'_>, TraceError> {
        let (info, content) = self
            .chunk
            .as_ref()
            .expect("records are left in a chunk, so there is one");
        let words = self.mapped.as_deref().unwrap_or(content.words());
        let mut place = RecordPlace {
            ordinal: self.ordinal,
            frame: self.frame,
            verb: None,
            next_verb: self.verb,
        };
        let view = match codec::split(&words[self.at..]) {
            Ok((view, _)) => view,
            Err(e) => return Err(bad(self.file, info.offset, &place, e)),
        };
        if view.op.info().class == Class::Verb {
            place.verb = Some(self.verb);
            self.verb += 1;
        }
        if view.op == Op::Present {
            self.frame += 1;
            self.verb = 0;
        }
        self.at += view.words.len();
        self.left -= 1;
        self.ordinal += 1;
        if self.left == 0 {
            check_end(self.file, info, words.len() - self.at, self.frame)?;
        }
        Ok(RawRecord { place, view })
    }

    /// Loads the next chunk that has records.
    #[cold]
    fn next_records(&mut self) -> Result<bool, TraceError> {
        while let Some(&i) = self.file.record_chunks().get(self.next_chunk) {
            let info = self.file.chunks()[i];
            if info.header.frame >= self.frames.end {
                return Ok(false);
            }
            self.next_chunk += 1;
            let buffer = self.chunk.take().map(|(_, c)| c.into_buffer());
            let content = self.file.words_into(buffer.unwrap_or_default(), &info)?;
            self.mapped = self.file.mapped(&info, content.words())?;
            self.at = 0;
            self.left = info.header.count;
            self.ordinal = info.header.record;
            self.frame = info.header.frame;
            self.verb = info.header.verb;
            if self.left > 0 {
                self.chunk = Some((info, content));
                return Ok(true);
            }
            let words = self.mapped.as_deref().unwrap_or(content.words());
            check_end(self.file, &info, words.len(), self.frame)?;
        }
        Ok(false)
    }
}

/// At a chunk's end: its records and frames must be as many as its header says.
fn check_end(
    file: &TraceFile,
    info: &ChunkInfo,
    left: usize,
    frame: u64,
) -> Result<(), TraceError> {
    let frames = frame - info.header.frame;
    if left == 0 && frames == u64::from(info.header.frames) {
        return Ok(());
    }
    Err(file.damaged(
        ChunkKind::Records,
        info.offset,
        format!(
            "{} records with {} Presents are said to be in it, {frames} Presents and {left} further words are",
            info.header.count, info.header.frames
        ),
    ))
}

#[cold]
fn bad(file: &TraceFile, offset: u64, place: &RecordPlace, error: DecodeError) -> TraceError {
    TraceError::Record {
        path: file.path().to_owned(),
        offset,
        frame: place.frame,
        ordinal: place.ordinal,
        error,
    }
}
