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
    file: &'f TraceFile,
    /// Frames asked for.
    frames: Range<u64>,
    /// Next records chunk, as a position among them.
    next_chunk: usize,
    chunk: Option<(ChunkInfo, WordContent)>,
    /// Next word in the chunk, and records left in it.
    at: usize,
    left: u32,
    ordinal: u64,
    frame: u64,
    verb: u32,
    held: RecordBlobs,
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
            file,
            frames,
            next_chunk,
            chunk: None,
            at: 0,
            left: 0,
            ordinal: 0,
            frame: 0,
            verb: 0,
            held: RecordBlobs::default(),
        }
    }

    /// The file.
    #[must_use]
    pub fn file(&self) -> &'f TraceFile {
        self.file
    }

    /// The next record, decoded; `None` behind the last.
    #[allow(clippy::should_implement_trait)] // it lends
    #[inline]
    pub fn next(&mut self) -> Result<Option<Record<'_>>, TraceError> {
        let Some((place, range)) = self.advance()? else {
            return Ok(None);
        };
        let Some((info, content)) = &self.chunk else {
            return Ok(None);
        };
        let words = &content.words()[range];
        let view = RecordView {
            op: codec::split(words)
                .map_err(|e| self.bad(info, &place, e))?
                .0
                .op,
            words,
        };
        if !view.op.info().blobs.is_empty() {
            self.file.hold_blobs(&view, &mut self.held)?;
        }
        match codec::decode(&view, &self.held) {
            Ok(call) => Ok(Some(Record { place, view, call })),
            Err(e) => Err(self.bad(info, &place, e)),
        }
    }

    /// The next record, not decoded; `None` behind the last.
    pub fn next_raw(&mut self) -> Result<Option<RawRecord<'_>>, TraceError> {
        let Some((place, range)) = self.advance()? else {
            return Ok(None);
        };
        let Some((info, content)) = &self.chunk else {
            return Ok(None);
        };
        let (view, _) =
            codec::split(&content.words()[range]).map_err(|e| self.bad(info, &place, e))?;
        Ok(Some(RawRecord { place, view }))
    }

    /// Moves behind the next record of the frames asked for: its place, and its words in the chunk.
    #[inline]
    fn advance(&mut self) -> Result<Option<(RecordPlace, Range<usize>)>, TraceError> {
        loop {
            if self.left == 0 && !self.next_records()? {
                return Ok(None);
            }
            if self.frame >= self.frames.end {
                return Ok(None);
            }
            let Some((info, content)) = &self.chunk else {
                return Ok(None);
            };
            let place = RecordPlace {
                ordinal: self.ordinal,
                frame: self.frame,
                verb: None,
                next_verb: self.verb,
            };
            let (view, _) =
                codec::split(&content.words()[self.at..]).map_err(|e| self.bad(info, &place, e))?;
            let (op, range) = (view.op, self.at..self.at + view.words.len());
            let place = RecordPlace {
                verb: (op.info().class == Class::Verb).then_some(self.verb),
                ..place
            };
            self.at = range.end;
            self.left -= 1;
            self.ordinal += 1;
            self.verb += u32::from(place.verb.is_some());
            if op == Op::Present {
                self.frame += 1;
                self.verb = 0;
            }
            if self.left == 0 {
                self.check_end()?;
            }
            if place.frame >= self.frames.start {
                return Ok(Some((place, range)));
            }
        }
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
            let content = self.file.words(&info)?;
            self.at = 0;
            self.left = info.header.count;
            self.ordinal = info.header.record;
            self.frame = info.header.frame;
            self.verb = info.header.verb;
            self.chunk = Some((info, content));
            if self.left > 0 {
                return Ok(true);
            }
            self.check_end()?;
        }
        Ok(false)
    }

    /// At a chunk's end: its records and frames must be as many as its header says.
    fn check_end(&self) -> Result<(), TraceError> {
        let Some((info, content)) = &self.chunk else {
            return Ok(());
        };
        let frames = self.frame - info.header.frame;
        if self.at != content.words().len() || frames != u64::from(info.header.frames) {
            return Err(self.file.damaged(
                ChunkKind::Records,
                info.offset,
                format!(
                    "{} records with {} Presents are said to be in it, {frames} Presents and {} further words are",
                    info.header.count,
                    info.header.frames,
                    content.words().len() - self.at
                ),
            ));
        }
        Ok(())
    }

    #[cold]
    fn bad(&self, info: &ChunkInfo, place: &RecordPlace, error: DecodeError) -> TraceError {
        TraceError::Record {
            path: self.file.path().to_owned(),
            offset: info.offset,
            frame: place.frame,
            ordinal: place.ordinal,
            error,
        }
    }
}
