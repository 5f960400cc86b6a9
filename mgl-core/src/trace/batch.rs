//! A batch: records, the bytes that they name, and what stands between records.
//!
//! Notes (replies, events, images) stand among the records, with an opcode that no record has. So one number says how
//! much of a batch counts: it is published once a record or note is there as a whole, and whoever finds the batch in
//! memory that outlived its process takes it up to there.

use super::arena::Arena;
use super::chunk::entry;
use super::error::TraceError;
use super::segment::Segment;
use super::writer::TraceWriter;
use crate::codec::{
    self, BlobSink, DecodeError, RecordView, Room, blob_refs_mut, each_blob, encode_in,
    record_words,
};
use crate::handle::{Handle, SurfaceHandle};
use crate::pipe::payload::BlobRef;
use crate::pipe::{Call, Op};
use std::io::{self, Write};
use std::sync::Arc;

/// A batch of this many words goes to the writer.
const BATCH_WORDS: usize = 128 << 10;
/// A batch with this many bytes of blobs, replies and images goes to the writer.
const BATCH_BYTES: usize = 4 << 20;
/// A batch whose memory has grown beyond this gives it back before it is used again.
const KEEP_BYTES: usize = 4 * BATCH_BYTES;

/// The opcode of notes.
const NOTE: u16 = u16::MAX;
/// Words of a note: head, three numbers, place in the bytes and size.
const NOTE_WORDS: usize = 6;
const REPLY: u16 = 1;
const EVENT: u16 = 2;
const IMAGE: u16 = 3;

/// Something that is not a record, between two records of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoteKind {
    /// Reply to the record behind which `behind` more were pushed.
    Reply { kind: u32, value: u64, behind: u64 },
    /// An event.
    Event,
    /// Image of the frame being recorded.
    Image {
        surface: SurfaceHandle,
        width: u32,
        height: u32,
    },
}

/// What the game's thread gathers.
pub(super) struct Batch {
    words: Segment,
    data: Segment,
    /// Words in use.
    len: usize,
    /// Bytes in use.
    bytes: usize,
    /// Where it says how much of it counts.
    slot: Option<(Arc<Arena>, usize)>,
    /// Its number.
    pub number: u64,
    /// Presents in it.
    pub frames: u32,
    /// Ticks that it has been seen at.
    pub ticks: u32,
}

impl Batch {
    fn new(words: Segment, data: Segment, slot: Option<(Arc<Arena>, usize)>) -> Self {
        Self {
            words,
            data,
            len: 0,
            bytes: 0,
            slot,
            number: 0,
            frames: 0,
            ticks: 0,
        }
    }

    /// One in the process's own memory.
    pub fn private() -> Self {
        Self::new(Segment::private(), Segment::private(), None)
    }

    /// One in a slot of an arena.
    pub fn shared(arena: &Arc<Arena>, slot: usize, (words, data): (Segment, Segment)) -> Self {
        Self::new(words, data, Some((Arc::clone(arena), slot)))
    }

    pub fn is_shared(&self) -> bool {
        self.slot.is_some()
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes in use.
    pub fn size(&self) -> usize {
        self.len * 8 + self.bytes
    }

    #[inline]
    pub fn is_full(&self) -> bool {
        self.len >= BATCH_WORDS || self.bytes >= BATCH_BYTES
    }

    /// Its memory, in bytes.
    pub fn memory(&self) -> usize {
        (self.words.capacity() + self.data.capacity()) * 8
    }

    /// Whether it has more memory than is kept.
    pub fn is_large(&self) -> bool {
        self.words.capacity().max(self.data.capacity()) * 8 > KEEP_BYTES
    }

    /// Gives its memory back.
    pub fn release(&mut self) {
        self.words.release();
        self.data.release();
    }

    /// Starts anew.
    pub fn begin(&mut self, number: u64) {
        (self.len, self.bytes) = (0, 0);
        (self.number, self.frames, self.ticks) = (number, 0, 0);
        if let Some((arena, slot)) = &self.slot {
            arena.begin(*slot, number);
        }
    }

    /// Whether there is room for so many words.
    #[inline]
    pub fn has_words(&self, words: usize) -> bool {
        self.len + words <= self.words.capacity()
    }

    /// Makes room for so many words, and for blobs of so many bytes ([`padded`] each).
    ///
    /// # Errors
    /// There is no more memory.
    pub fn make_room(&mut self, words: usize, bytes: usize) -> io::Result<()> {
        if !self.has_words(words) {
            self.words.grow(self.len + words)?;
        }
        let bytes = padded(self.bytes) + bytes;
        if bytes > self.data.capacity() * 8 {
            self.data.grow(bytes.div_ceil(8))?;
        }
        Ok(())
    }

    /// Appends a call of so many words, for which there is room; false when there is no memory for its blobs: nothing was
    /// appended.
    #[inline]
    pub fn push(&mut self, call: &Call<'_>, words: usize) -> bool {
        let mut room = Behind {
            words: &mut self.words,
            len: self.len,
            data: Data::behind(&mut self.data, self.bytes),
        };
        match encode_in(call, &mut room) {
            Ok(()) => {}
            Err(never) => match never {},
        }
        let (used, lacks) = (room.data.used, room.data.lacks);
        self.commit(words, used, lacks)
    }

    /// Appends a record that is encoded, as [`Self::push`] does; `blobs` visits its blobs in order.
    #[inline]
    pub fn push_record(
        &mut self,
        op: Op,
        record: &[u64],
        blobs: impl FnOnce(&mut dyn FnMut(&[u8])),
    ) -> bool {
        let copy = &mut self.words.words_mut()[self.len..self.len + record.len()];
        copy.copy_from_slice(record);
        if op.info().blobs.is_empty() {
            return self.commit(record.len(), self.bytes, false);
        }
        let mut sink = Data::behind(&mut self.data, self.bytes);
        let mut refs = blob_refs_mut(copy).unwrap_or_default().iter_mut();
        blobs(&mut |bytes| {
            if let Some(place) = refs.next() {
                *place = sink.put(bytes);
            }
        });
        let (used, lacks) = (sink.used, sink.lacks);
        self.commit(record.len(), used, lacks)
    }

    /// Words and bytes that a note with so many bytes takes.
    pub fn note_room(bytes: usize) -> (usize, usize) {
        (NOTE_WORDS, padded(bytes))
    }

    /// Appends a note, as [`Self::push`] does.
    pub fn note(&mut self, what: NoteKind, bytes: &[u8]) -> bool {
        let (kind, numbers) = match what {
            NoteKind::Reply {
                kind,
                value,
                behind,
            } => (REPLY, [u64::from(kind), value, behind]),
            NoteKind::Event => (EVENT, [0; 3]),
            NoteKind::Image {
                surface: SurfaceHandle(s),
                width,
                height,
            } => {
                let surface = u64::from(s.slot) | u64::from(s.generation) << 32;
                (IMAGE, [surface, width.into(), height.into()])
            }
        };
        let mut sink = Data::behind(&mut self.data, self.bytes);
        let place = sink.put(bytes);
        let (used, lacks) = (sink.used, sink.lacks);
        let head = u64::from(NOTE) | u64::from(kind) << 16 | (NOTE_WORDS as u64 * 8) << 32;
        let [a, b, c] = numbers;
        self.words.words_mut()[self.len..self.len + NOTE_WORDS].copy_from_slice(&[
            head,
            a,
            b,
            c,
            place.offset,
            place.size,
        ]);
        self.commit(NOTE_WORDS, used, lacks)
    }

    /// So many words more count, and all bytes up to `bytes`; nothing does where something `lacks`.
    #[inline]
    fn commit(&mut self, words: usize, bytes: usize, lacks: bool) -> bool {
        if lacks {
            return false;
        }
        self.len += words;
        self.bytes = bytes;
        if let Some((arena, slot)) = &self.slot {
            arena.commit(*slot, self.len, bytes);
        }
        true
    }

    /// What is in it: words, and the bytes that they name.
    pub fn content(&self) -> (&[u64], &[u8]) {
        (
            &self.words.words()[..self.len],
            &self.data.bytes()[..self.bytes],
        )
    }
}

/// Bytes that a blob takes: blobs start at multiples of eight, so that SPIR-V words can be read in place.
#[inline]
pub(super) fn padded(bytes: usize) -> usize {
    bytes.next_multiple_of(8)
}

/// Words of a call's record, and bytes of its blobs.
#[inline]
pub(super) fn room_of(call: &Call<'_>) -> (usize, usize) {
    let mut bytes = 0;
    each_blob(call, |b| bytes += padded(b.len()));
    (record_words(call), bytes)
}

/// Room behind the words that are used, of which there is enough.
struct Behind<'b> {
    words: &'b mut Segment,
    len: usize,
    data: Data<'b>,
}

impl<'b> Room for Behind<'b> {
    type Error = std::convert::Infallible;
    type Sink<'r>
        = &'r mut Data<'b>
    where
        Self: 'r;

    #[inline]
    fn record(
        &mut self,
        _: Op,
        words: usize,
        _: usize,
    ) -> Result<(&mut [u64], Self::Sink<'_>), Self::Error> {
        let record = &mut self.words.words_mut()[self.len..self.len + words];
        Ok((record, &mut self.data))
    }
}

/// Takes blobs behind the bytes that are used.
struct Data<'b> {
    room: &'b mut Segment,
    used: usize,
    /// There was no memory for one.
    lacks: bool,
}

impl<'b> Data<'b> {
    #[inline]
    fn behind(room: &'b mut Segment, used: usize) -> Self {
        Self {
            room,
            used,
            lacks: false,
        }
    }

    #[cold]
    fn grow(&mut self, bytes: usize) -> bool {
        self.lacks |= self.room.grow(bytes.div_ceil(8)).is_err();
        !self.lacks
    }
}

impl BlobSink for Data<'_> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) -> BlobRef {
        let offset = padded(self.used);
        let end = offset + bytes.len();
        if end > self.room.capacity() * 8 && !self.grow(end) {
            return BlobRef::default();
        }
        self.room.bytes_mut()[offset..end].copy_from_slice(bytes);
        self.used = end;
        BlobRef {
            offset: offset as u64,
            size: bytes.len() as u64,
            ..BlobRef::default()
        }
    }
}

/// A part of a batch.
#[derive(Debug)]
pub(super) enum Part<'b> {
    /// A record.
    Record(RecordView<'b>),
    /// A note, and its bytes.
    Note(NoteKind, &'b [u8]),
}

/// Why a part cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum PartError {
    #[error(transparent)]
    Record(#[from] DecodeError),
    #[error("a note is damaged")]
    Note,
}

/// Splits the first part off `words`, which name bytes of `data`: the part and the rest.
pub(super) fn split<'b>(
    words: &'b [u64],
    data: &'b [u8],
) -> Result<(Part<'b>, &'b [u64]), PartError> {
    let Some(head) = words.first().filter(|w| **w as u16 == NOTE) else {
        let (view, rest) = codec::split(words)?;
        return Ok((Part::Record(view), rest));
    };
    let (note, rest) = words.split_at_checked(NOTE_WORDS).ok_or(PartError::Note)?;
    let &[_, a, b, c, offset, size] = note else {
        return Err(PartError::Note);
    };
    let number = |n: u64| u32::try_from(n).map_err(|_| PartError::Note);
    let what = match (head >> 16) as u16 {
        REPLY => NoteKind::Reply {
            kind: number(a)?,
            value: b,
            behind: c,
        },
        EVENT => NoteKind::Event,
        IMAGE => NoteKind::Image {
            surface: SurfaceHandle(Handle {
                slot: a as u32,
                generation: (a >> 32) as u32,
            }),
            width: number(b)?,
            height: number(c)?,
        },
        _ => return Err(PartError::Note),
    };
    let place = BlobRef {
        offset,
        size,
        ..BlobRef::default()
    };
    let bytes = codec::slice_of(data, &place).map_err(|_| PartError::Note)?;
    Ok((Part::Note(what, bytes), rest))
}

impl<W: Write> TraceWriter<W> {
    /// Appends all parts of a batch.
    pub(super) fn parts(&mut self, words: &[u64], data: &[u8]) -> Result<(), TraceError> {
        let mut rest = words;
        while let Some(head) = rest.first() {
            // Almost all of them.
            if *head as u16 != NOTE {
                let (view, more) = codec::split(rest).map_err(|e| self.refused(e))?;
                self.push_record(&view, data)?;
                rest = more;
                continue;
            }
            let (part, more) = split(rest, data).map_err(|e| self.refused_part(e))?;
            self.part(&part, data)?;
            rest = more;
        }
        Ok(())
    }

    /// Appends a part of a batch whose bytes are `data`.
    pub(super) fn part(&mut self, part: &Part<'_>, data: &[u8]) -> Result<(), TraceError> {
        match *part {
            Part::Record(view) => self.push_record(&view, data),
            Part::Note(
                NoteKind::Reply {
                    kind,
                    value,
                    behind,
                },
                bytes,
            ) => self.reply_entry(kind, value, behind, bytes),
            Part::Note(NoteKind::Event, bytes) => self.entry(entry::EVENT, 0, bytes),
            Part::Note(
                NoteKind::Image {
                    surface,
                    width,
                    height,
                },
                bytes,
            ) => self.image(surface, width, height, bytes),
        }
    }

    /// A part that cannot be read, as an error of the file.
    fn refused_part(&self, error: PartError) -> TraceError {
        match error {
            PartError::Record(e) => self.refused(e),
            PartError::Note => TraceError::text("batch", error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipe::{DebugMarker, Op};

    #[test]
    fn records_and_notes_come_back_in_order() {
        assert!(Op::from_u16(NOTE).is_none());
        let mut batch = Batch::private();
        let payload = DebugMarker::default();
        let image = NoteKind::Image {
            surface: SurfaceHandle(Handle {
                slot: 5,
                generation: 9,
            }),
            width: 1,
            height: 2,
        };
        let reply = NoteKind::Reply {
            kind: 2,
            value: 7,
            behind: 3,
        };
        for round in 0..2 {
            batch.begin(round);
            for n in 0..3000usize {
                let call = Call::DebugMarker {
                    p: &payload,
                    text: &vec![n as u8; n % 50],
                };
                let (words, bytes) = room_of(&call);
                if !batch.has_words(words) {
                    batch.make_room(words, bytes).expect("memory");
                }
                assert!(batch.push(&call, words));
                for (what, bytes) in [(reply, &b"abc"[..]), (NoteKind::Event, b""), (image, b"12")]
                {
                    let (words, room) = Batch::note_room(bytes.len());
                    batch.make_room(words, room).expect("memory");
                    assert!(batch.note(what, bytes));
                }
            }
            let (mut rest, data) = batch.content();
            for n in 0..3000 {
                let (part, more) = split(rest, data).expect("a record");
                let Part::Record(view) = part else {
                    panic!("a note where a record was");
                };
                match codec::decode(&view, data).expect("decodes") {
                    Call::DebugMarker { text, .. } => assert_eq!(text, vec![n as u8; n % 50]),
                    other => panic!("{other:?}"),
                }
                rest = more;
                for expected in [(reply, &b"abc"[..]), (NoteKind::Event, b""), (image, b"12")] {
                    let (part, more) = split(rest, data).expect("a note");
                    match part {
                        Part::Note(what, bytes) => assert_eq!((what, bytes), expected),
                        Part::Record(_) => panic!("a record where a note was"),
                    }
                    rest = more;
                }
            }
            assert!(rest.is_empty());
        }
    }

    #[test]
    fn damaged_notes_are_refused() {
        let mut batch = Batch::private();
        let (words, bytes) = Batch::note_room(3);
        batch.make_room(words, bytes).expect("memory");
        assert!(batch.note(
            NoteKind::Reply {
                kind: 2,
                value: 7,
                behind: 3,
            },
            b"abc"
        ));
        let (words, data) = batch.content();
        assert!(split(words, data).is_ok());
        assert!(split(&words[..5], data).is_err());
        assert!(split(words, &data[..2]).is_err());
        for (at, value) in [(0, u64::MAX), (1, u64::MAX), (4, u64::MAX), (5, u64::MAX)] {
            let mut copy = words.to_vec();
            copy[at] = value;
            assert!(split(&copy, data).is_err(), "word {at}");
        }
    }
}
