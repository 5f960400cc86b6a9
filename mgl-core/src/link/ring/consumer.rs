//! The server's end: takes records out of the ring, to be decoded where they lie.

use super::control::{Lane, Shared};
use super::frame::{self, Of};
use super::words::Reader;
use super::{LinkError, LinkStats};
use crate::codec::{BlobSource, RecordView, blob_refs, split};
use crate::pipe::payload::BlobRef;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// What came over the link.
#[derive(Debug)]
pub enum Item<'a> {
    /// A record, for [`decode`](crate::codec::decode) with `blobs`.
    Record {
        /// Its ordinal, from 0.
        ordinal: u64,
        /// Its words.
        record: RecordView<'a>,
        /// What its blob references name.
        blobs: Blobs<'a>,
    },
    /// The number of a [`Producer::mark`](super::Producer::mark).
    Mark(u64),
    /// The producer is closed and everything has been taken.
    Closed,
}

/// The blobs of one record.
#[derive(Clone, Copy)]
pub struct Blobs<'a> {
    stage: &'a Reader,
    whole: &'a [u64],
}

impl std::fmt::Debug for Blobs<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Blobs").finish_non_exhaustive()
    }
}

impl<'a> Blobs<'a> {
    /// The bytes and, of those in the stage ring, the position behind them.
    fn find(&self, r: &BlobRef) -> Option<(&'a [u8], u64)> {
        if r.size == 0 {
            return Some((&[], self.stage.at()));
        }
        if !r.offset.is_multiple_of(8) {
            return None;
        }
        let (at, words) = (r.offset / 8, r.size.div_ceil(8));
        let part = match r.seg {
            frame::SEG_STAGE => self.stage.part(at, words).ok()?,
            frame::SEG_WHOLE => {
                let from = self.whole.get(usize::try_from(at).ok()?..)?;
                from.get(..usize::try_from(words).ok()?)?
            }
            _ => return None,
        };
        let end = match r.seg {
            frame::SEG_STAGE => at + words,
            _ => self.stage.at(),
        };
        Some((&bytemuck::cast_slice(part)[..r.size as usize], end))
    }
}

impl BlobSource for Blobs<'_> {
    #[inline]
    fn get(&self, r: &BlobRef) -> Result<&[u8], String> {
        match self.find(r) {
            Some((bytes, _)) => Ok(bytes),
            None => Err(format!(
                "bytes {}+{} of segment {} are not on the link",
                r.offset, r.size, r.seg
            )),
        }
    }
}

/// The next thing to hand out.
#[derive(Debug, Clone, Copy)]
enum Found {
    /// Words in the command ring.
    Record(u64),
    /// Put together from pieces.
    Whole,
    Mark(u64),
}

/// Words put together that are kept for the next time.
const KEEP_WORDS: usize = 1 << 17;

/// See the module. Dropping it makes every push and wait of the other end return [`LinkError::Gone`].
pub struct Consumer {
    shared: Arc<Shared>,
    commands: Reader,
    stage: Reader,
    /// Records that are over.
    applied: u64,
    /// A record was handed out that is not over.
    pending: bool,
    /// Records whose end waiters were told of for sure.
    told: u64,
    /// Pieces of the next record's blobs and of itself.
    blobs: Vec<u64>,
    record: Vec<u64>,
    spin: Duration,
    stats: LinkStats,
}

impl Consumer {
    pub(super) fn new(shared: Arc<Shared>, spin: Duration) -> Self {
        Self {
            commands: Reader::new(shared.clone(), Lane::Commands),
            stage: Reader::new(shared.clone(), Lane::Stage),
            shared,
            applied: 0,
            pending: false,
            told: 0,
            blobs: Vec::new(),
            record: Vec::new(),
            spin,
            stats: LinkStats::default(),
        }
    }

    /// The next item; waits for one. The item before is over with this: a record counts as applied, and its room goes
    /// back to the producer.
    ///
    /// # Errors
    ///
    /// What is wrong with the cursors, entry or record; the link is of no use then.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Item<'_>, LinkError> {
        loop {
            if let Some(found) = self.find()? {
                return self.item(found);
            }
            self.settle();
            self.stats.waits += 1;
            let (control, commands) = (&self.shared.control, &mut self.commands);
            let parks = &mut self.stats.parks;
            let closed = control.records().wait(self.spin, parks, || {
                // In this order: what was published before the end is there when the end is seen.
                let closed = control.is_closed();
                match commands.refresh() {
                    Err(e) => Some(Err(e)),
                    Ok(()) if commands.left() > 0 => Some(Ok(false)),
                    Ok(()) => closed.then_some(Ok(true)),
                }
            })?;
            if closed {
                return Ok(Item::Closed);
            }
        }
    }

    /// As [`Consumer::next`], without waiting.
    ///
    /// # Errors
    ///
    /// As [`Consumer::next`].
    pub fn try_next(&mut self) -> Result<Option<Item<'_>>, LinkError> {
        let closed = self.shared.control.is_closed();
        if let Some(found) = self.find()? {
            return self.item(found).map(Some);
        }
        self.settle();
        Ok(closed.then_some(Item::Closed))
    }

    /// The record handed out last is applied, and who waits for it knows: to be called where somebody may wait. Going on to
    /// the next item counts it as applied too, but wakes nobody before the next call of this, or before this end waits
    /// itself: a waiter that every record wakes costs both ends more than the records.
    pub fn applied(&mut self) {
        self.over();
        self.tell();
    }

    /// What this end did.
    #[must_use]
    pub fn stats(&self) -> LinkStats {
        self.stats
    }

    /// What was handed out is over.
    #[inline]
    fn over(&mut self) {
        if !self.pending {
            return;
        }
        self.pending = false;
        self.applied += 1;
        let control = &self.shared.control;
        control.applied().store(self.applied, Ordering::Release);
        for pieces in [&mut self.blobs, &mut self.record] {
            if pieces.capacity() > KEEP_WORDS {
                *pieces = Vec::new();
            }
            pieces.clear();
        }
    }

    fn tell(&mut self) {
        if self.told != self.applied {
            self.told = self.applied;
            self.stats.wakes += u64::from(self.shared.control.done().ring());
        }
    }

    /// Before this end waits: the other one has all that it may wait for.
    fn settle(&mut self) {
        self.tell();
        self.give_back(1);
    }

    /// Gives room back where a ring owes at least `words`.
    #[inline]
    fn give_back(&mut self, words: u64) {
        let mut some = false;
        for lane in [&mut self.commands, &mut self.stage] {
            some |= lane.owed() >= words.min(lane.capacity() / 8) && lane.give_back();
        }
        if some {
            self.stats.wakes += u64::from(self.shared.control.room().ring());
        }
    }

    /// Takes what is not to be handed out, up to what is; None: nothing is there by now.
    #[inline]
    fn find(&mut self) -> Result<Option<Found>, LinkError> {
        self.over();
        loop {
            self.give_back(u64::MAX);
            if self.commands.left() == 0 {
                self.commands.refresh()?;
                if self.commands.left() == 0 {
                    return Ok(None);
                }
            }
            let at = self.commands.at();
            let header = self.commands.part(at, 1)?[0];
            let (op, flags, words) = frame::parse(header);
            if words == 0 || words > self.commands.left() {
                return Err(LinkError::Entry { at, header });
            }
            let end = at + words;
            match (op, flags, words) {
                (frame::PAD, 0, _) => self.commands.take(end),
                (frame::MARK, 0, frame::MARK_WORDS) => {
                    let number = self.commands.part(at, words)?[1];
                    self.commands.take(end);
                    return Ok(Some(Found::Mark(number)));
                }
                (frame::PIECE, 0 | 1, frame::PIECE_WORDS) => {
                    let part = self.commands.part(at, words)?;
                    let of = if flags == 0 { Of::Blobs } else { Of::Record };
                    let (offset, size) = (part[1], part[2]);
                    self.piece(of, offset, size)?;
                    self.commands.take(end);
                }
                (frame::WHOLE, 0, frame::WHOLE_WORDS) => return Ok(Some(Found::Whole)),
                (frame::WHOLE.., ..) => return Err(LinkError::Entry { at, header }),
                _ => return Ok(Some(Found::Record(words))),
            }
        }
    }

    #[cold]
    fn piece(&mut self, of: Of, offset: u64, size: u64) -> Result<(), LinkError> {
        self.stage.refresh()?;
        let (at, words) = (offset / 8, size.div_ceil(8));
        if !offset.is_multiple_of(8) || at < self.stage.at() {
            return Err(LinkError::Part {
                lane: Lane::Stage,
                at,
                words,
            });
        }
        let part = self.stage.part(at, words)?;
        let pieces = match of {
            Of::Blobs => &mut self.blobs,
            Of::Record => &mut self.record,
        };
        let grown = pieces.try_reserve(part.len());
        grown.map_err(|_| LinkError::Memory {
            bytes: (pieces.len() as u64 + words) * 8,
        })?;
        pieces.extend_from_slice(part);
        self.stage.take(at + words);
        self.stats.pieces += 1;
        Ok(())
    }

    #[inline]
    fn item(&mut self, found: Found) -> Result<Item<'_>, LinkError> {
        let words = match found {
            Found::Mark(number) => return Ok(Item::Mark(number)),
            Found::Record(words) => words,
            Found::Whole => frame::WHOLE_WORDS,
        };
        let ordinal = self.applied;
        let at = self.commands.at();
        // The taking end of the stage moves before the record is borrowed, its room only after.
        let end = {
            let part = match found {
                Found::Whole => &self.record,
                _ => self.commands.part(at, words)?,
            };
            let (view, rest) = split(part).map_err(|error| LinkError::Record { ordinal, error })?;
            if !rest.is_empty() {
                return Err(LinkError::Entry {
                    at,
                    header: part[0],
                });
            }
            if view.op.info().blobs.is_empty() {
                self.stage.at()
            } else {
                self.stage.refresh()?;
                let blobs = Blobs {
                    stage: &self.stage,
                    whole: &self.blobs,
                };
                let mut last = self.stage.at();
                let refs =
                    blob_refs(&view).map_err(|error| LinkError::Record { ordinal, error })?;
                for r in refs {
                    let (_, end) = blobs.find(r).ok_or(LinkError::Blob {
                        ordinal,
                        seg: r.seg,
                        offset: r.offset,
                        size: r.size,
                    })?;
                    last = last.max(end);
                }
                last
            }
        };
        self.stage.take(end);
        self.commands.take(at + words);
        self.pending = true;
        self.stats.records += 1;
        let part = match found {
            Found::Whole => &self.record,
            _ => self.commands.part(at, words)?,
        };
        let (record, _) = split(part).map_err(|error| LinkError::Record { ordinal, error })?;
        Ok(Item::Record {
            ordinal,
            record,
            blobs: Blobs {
                stage: &self.stage,
                whole: &self.blobs,
            },
        })
    }
}

impl Drop for Consumer {
    fn drop(&mut self) {
        self.shared.control.leave();
    }
}
