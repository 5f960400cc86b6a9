//! The client's end: encodes calls into the ring.

use super::control::{Lane, Shared};
use super::frame::{self, Of};
use super::waiter::Waiter;
use super::words::Writer;
use super::{LinkError, LinkStats};
use crate::codec::{BlobSink, MAX_RECORD_BYTES, Room, each_blob, encode_in};
use crate::pipe::payload::BlobRef;
use crate::pipe::{Call, Op};
use std::sync::Arc;
use std::time::Duration;

/// Words of records that are shown together: several draws, and few enough that the consumer does not wait for long.
const BATCH_WORDS: u64 = 1 << 10;
/// The same of what they name in the stage ring.
const BATCH_STAGED: u64 = 1 << 13;

/// See the module. Dropping it closes the link: the consumer ends when it has taken everything.
pub struct Producer {
    shared: Arc<Shared>,
    commands: Writer,
    stage: Writer,
    ordinal: u64,
    /// The record that crosses in pieces.
    large: Vec<u64>,
    closed: bool,
    spin: Duration,
    stats: LinkStats,
}

impl Producer {
    pub(super) fn new(shared: Arc<Shared>, spin: Duration) -> Self {
        Self {
            commands: Writer::new(shared.clone(), Lane::Commands),
            stage: Writer::new(shared.clone(), Lane::Stage),
            shared,
            ordinal: 0,
            large: Vec::new(),
            closed: false,
            spin,
            stats: LinkStats::default(),
        }
    }

    /// Encodes a call and puts it behind the others; its ordinal. Waits where there is no room, and publishes what was put
    /// before that. A large record waits for the consumer.
    ///
    /// # Errors
    ///
    /// [`LinkError::Gone`], [`LinkError::Closed`], [`LinkError::RecordSize`], [`LinkError::Tail`].
    #[inline]
    pub fn put(&mut self, call: &Call<'_>) -> Result<u64, LinkError> {
        let place = self.lay(call)?;
        self.commit(call, place)
    }

    /// As [`Producer::put`]; `see` is shown the record before it is put, header included, with blob references of the link's
    /// own: encoded once, for whoever else wants it.
    ///
    /// # Errors
    ///
    /// As [`Producer::put`].
    #[inline]
    pub fn put_seen(
        &mut self,
        call: &Call<'_>,
        see: impl FnOnce(&[u64]),
    ) -> Result<u64, LinkError> {
        let place = self.lay(call)?;
        see(match place {
            // It was written there; nothing was published since.
            Place::Ring { at, words, .. } => self.commands.part(at, words)?,
            Place::Pieces => &self.large,
        });
        self.commit(call, place)
    }

    #[inline]
    fn lay(&mut self, call: &Call<'_>) -> Result<Place, LinkError> {
        self.check_open()?;
        let mut room = Rings {
            producer: self,
            place: Place::Pieces,
        };
        encode_in(call, &mut room)?;
        Ok(room.place)
    }

    #[inline]
    fn commit(&mut self, call: &Call<'_>, place: Place) -> Result<u64, LinkError> {
        match place {
            Place::Ring {
                at,
                words,
                base,
                staged,
            } => {
                self.commands.put(at + words);
                if staged != 0 {
                    self.stage.put(base + staged);
                }
            }
            Place::Pieces => self.put_large(call)?,
        }
        let ordinal = self.ordinal;
        self.ordinal += 1;
        self.stats.records += 1;
        Ok(ordinal)
    }

    /// Sees to it that a record and its blobs find contiguous room, which takes half of each ring at most.
    #[cold]
    fn make_room(&mut self, words: u64, staged: u64) -> Result<(), LinkError> {
        self.reserve_entry(words)?;
        let base = self.reserve(Lane::Stage, staged)?;
        self.stage.put(base);
        Ok(())
    }

    /// Puts a number that is no record: [`Item::Mark`](super::Item::Mark) between the records before and after it. Waits
    /// as [`Producer::put`].
    ///
    /// # Errors
    ///
    /// As [`Producer::put`].
    pub fn mark(&mut self, number: u64) -> Result<(), LinkError> {
        self.check_open()?;
        let words = frame::MARK_WORDS;
        self.put_entry(&[frame::header(frame::MARK, 0, words), number])
    }

    /// Shows the consumer all that was put, and wakes it if it is parked.
    ///
    /// # Errors
    ///
    /// [`LinkError::Gone`].
    #[inline]
    pub fn publish(&mut self) -> Result<(), LinkError> {
        self.show();
        match self.shared.control.is_gone() {
            false => Ok(()),
            true => Err(LinkError::Gone),
        }
    }

    /// As [`Producer::publish`], but only where a batch has come together: what has not been asked to be done soon (GL 4.6
    /// §2.3.2) may lie, also while the consumer sleeps, whom to wake costs more than to apply a few records.
    ///
    /// # Errors
    ///
    /// As [`Producer::publish`].
    #[inline]
    pub fn offer(&mut self) -> Result<(), LinkError> {
        if self.commands.unpublished() >= BATCH_WORDS || self.stage.unpublished() >= BATCH_STAGED {
            return self.publish();
        }
        Ok(())
    }

    /// Publishes what was put, and ends the stream: the consumer gets [`Item::Closed`](super::Item::Closed) behind it.
    pub fn close(&mut self) {
        if !self.closed {
            self.closed = true;
            self.show();
            self.shared.control.close();
        }
    }

    /// The ordinal of the next record: records put so far.
    #[must_use]
    pub fn ordinal(&self) -> u64 {
        self.ordinal
    }

    /// Waits for records of this link to be applied.
    #[must_use]
    pub fn waiter(&self) -> Waiter {
        Waiter {
            shared: self.shared.clone(),
            spin: self.spin,
        }
    }

    /// What this end did.
    #[must_use]
    pub fn stats(&self) -> LinkStats {
        self.stats
    }

    #[inline]
    fn check_open(&self) -> Result<(), LinkError> {
        if self.closed {
            return Err(LinkError::Closed);
        }
        match self.shared.control.is_gone() {
            false => Ok(()),
            true => Err(LinkError::Gone),
        }
    }

    fn show(&mut self) {
        // The bytes first: whoever sees a record sees its blobs.
        self.stage.publish();
        if self.commands.publish() {
            self.stats.publishes += 1;
            self.stats.wakes += u64::from(self.shared.control.records().ring());
        }
    }

    /// The position of room for `words`, at most half the lane's, in one part.
    #[inline]
    fn reserve(&mut self, lane: Lane, words: u64) -> Result<u64, LinkError> {
        let writer = match lane {
            Lane::Commands => &mut self.commands,
            Lane::Stage => &mut self.stage,
        };
        let at = writer.place(words);
        if !writer.has_room(at + words)? {
            self.wait_for_room(lane, at + words)?;
        }
        Ok(at)
    }

    #[cold]
    fn wait_for_room(&mut self, lane: Lane, end: u64) -> Result<(), LinkError> {
        self.show();
        self.stats.waits += 1;
        let control = &self.shared.control;
        let writer = match lane {
            Lane::Commands => &mut self.commands,
            Lane::Stage => &mut self.stage,
        };
        let parks = &mut self.stats.parks;
        control.room().wait(self.spin, parks, || {
            if control.is_gone() {
                return Some(Err(LinkError::Gone));
            }
            match writer.has_room(end) {
                Ok(true) => Some(Ok(())),
                Ok(false) => None,
                Err(e) => Some(Err(e)),
            }
        })
    }

    /// As [`Producer::reserve`], with the entry that fills what is left before the end of the memory.
    #[inline]
    fn reserve_entry(&mut self, words: u64) -> Result<u64, LinkError> {
        let at = self.reserve(Lane::Commands, words)?;
        let head = self.commands.head();
        if at > head {
            self.commands.part_mut(head, 1)?[0] = frame::header(frame::PAD, 0, at - head);
            self.commands.put(at);
        }
        Ok(at)
    }

    fn put_entry(&mut self, entry: &[u64]) -> Result<(), LinkError> {
        let words = entry.len() as u64;
        let at = self.reserve_entry(words)?;
        self.commands.part_mut(at, words)?.copy_from_slice(entry);
        self.commands.put(at + words);
        Ok(())
    }

    /// Sends bytes through the stage ring, a quarter of it at a time, so that one end fills while the other empties.
    fn put_pieces(&mut self, of: Of, bytes: &[u8]) -> Result<(), LinkError> {
        let most = self.stage.capacity() / 4 * 8;
        for piece in bytes.chunks(most as usize) {
            let words = piece.len().div_ceil(8) as u64;
            let at = self.reserve(Lane::Stage, words)?;
            let room = bytemuck::cast_slice_mut(self.stage.part_mut(at, words)?);
            room[..piece.len()].copy_from_slice(piece);
            self.stage.put(at + words);
            self.put_entry(&[
                frame::header(frame::PIECE, of as u16, frame::PIECE_WORDS),
                at * 8,
                piece.len() as u64,
            ])?;
            self.stats.pieces += 1;
            self.show();
        }
        Ok(())
    }

    #[cold]
    fn put_large(&mut self, call: &Call<'_>) -> Result<(), LinkError> {
        let mut sent = Ok(());
        each_blob(call, |bytes| {
            if sent.is_ok() {
                sent = self.put_pieces(Of::Blobs, bytes);
            }
        });
        sent?;
        let record = std::mem::take(&mut self.large);
        let put = if record.len() as u64 <= self.commands.capacity() / 2 {
            self.put_entry(&record)
        } else {
            let whole = frame::header(frame::WHOLE, 0, frame::WHOLE_WORDS);
            self.put_pieces(Of::Record, bytemuck::cast_slice(&record))
                .and_then(|()| self.put_entry(&[whole]))
        };
        self.large = record;
        put
    }
}

impl Drop for Producer {
    fn drop(&mut self) {
        self.close();
    }
}

/// Where an encoded record lies that is not put yet.
enum Place {
    /// In the rings: words at `at`, blobs in `staged` words from `base`.
    Ring {
        at: u64,
        words: u64,
        base: u64,
        staged: u64,
    },
    /// In the producer's own memory; its blobs are still the call's.
    Pieces,
}

/// Room of the next record: in the rings, or, where it takes more than half of one, in the producer's own memory.
struct Rings<'p> {
    producer: &'p mut Producer,
    /// Where it was found.
    place: Place,
}

impl Room for Rings<'_> {
    type Error = LinkError;
    type Sink<'r>
        = Sink<'r>
    where
        Self: 'r;

    #[inline(never)]
    fn record(
        &mut self,
        op: Op,
        words: usize,
        blob_words: usize,
    ) -> Result<(&mut [u64], Sink<'_>), LinkError> {
        if words * 8 > MAX_RECORD_BYTES {
            return Err(LinkError::RecordSize {
                record: op.name(),
                bytes: words * 8,
            });
        }
        let p = &mut *self.producer;
        let (n, staged) = (words as u64, blob_words as u64);
        if n > p.commands.capacity() / 2 || staged > p.stage.capacity() / 2 {
            p.large.resize(words, 0);
            let sink = Sink {
                room: &mut [],
                next: 0,
                seg: frame::SEG_WHOLE,
            };
            return Ok((&mut p.large, sink));
        }
        if p.commands.next_mut(n).is_none() || p.stage.next_mut(staged).is_none() {
            p.make_room(n, staged)?;
        }
        let (at, base) = (p.commands.head(), p.stage.head());
        self.place = Place::Ring {
            at,
            words: n,
            base,
            staged,
        };
        match (p.commands.next_mut(n), p.stage.next_mut(staged)) {
            (Some(record), Some(room)) => Ok((
                record,
                Sink {
                    room,
                    next: base,
                    seg: frame::SEG_STAGE,
                },
            )),
            // Cannot be: room was made.
            _ => Err(LinkError::Gone),
        }
    }
}

/// Lays the blobs of a record out one behind the other, each on a word; copies them where there is room for them.
struct Sink<'r> {
    room: &'r mut [u64],
    /// Position of the next, words.
    next: u64,
    seg: u32,
}

impl BlobSink for Sink<'_> {
    #[inline(always)]
    fn put(&mut self, bytes: &[u8]) -> BlobRef {
        if bytes.is_empty() {
            return BlobRef {
                seg: self.seg,
                ..BlobRef::default()
            };
        }
        let words = bytes.len().div_ceil(8);
        if let Some((room, rest)) = std::mem::take(&mut self.room).split_at_mut_checked(words) {
            bytemuck::cast_slice_mut(room)[..bytes.len()].copy_from_slice(bytes);
            self.room = rest;
        }
        let offset = self.next * 8;
        self.next += words as u64;
        BlobRef {
            offset,
            size: bytes.len() as u64,
            seg: self.seg,
            ..BlobRef::default()
        }
    }
}
