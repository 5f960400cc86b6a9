//! The ring of the `thread` link: encoded records from the client's thread to the thread that applies them.
//!
//! ```text
//! control page    heads       written by the producer: words published of the command ring and of the stage ring
//!                 tails       written by the consumer: words of both whose room is free again (retired)
//!                 applied     written by the consumer: records applied
//!                 ended       producer closed; consumer gone
//!                 doorbells   records: the consumer sleeps on it; room: the producer; done: who waits for `applied`
//!
//! command ring    | entry | entry | ... | PAD to the end |      8 MiB: records as [`codec`](crate::codec) has them, marks
//! stage ring      | blobs of a record | gap to the end |        32 MiB: what blob references of records name
//! ```
//!
//! - Cursors count words (of 8 bytes) from the beginning and never go back; capacities are powers of two, so that a
//!   position's place is the low bits. An entry, and the blobs of one record together, are contiguous: the consumer decodes
//!   them where they lie.
//! - What is put becomes visible with [`Producer::publish`]: one release store a lane, for as many records as were put.
//! - A producer without room publishes, spins and parks until enough has been retired. The consumer retires in batches: an
//!   eighth of a ring at a time, and all of it before it parks, so that the other end's wait always ends.
//! - A record of more than half the command ring, or with blobs of more than half the stage ring together, crosses in
//!   pieces that the consumer puts together in memory of its own. The record is the same.
//! - Doorbells ([`bell`]): a peer is rung only if it is parked. Their models (`model.rs`) run under loom.
//! - An end that is dropped, by a panic too, wakes whoever waits for it: [`LinkError::Gone`] for the producer and waiters,
//!   [`Item::Closed`] for the consumer once it has taken everything.
//! - The memory is the process's own: a forked child that touches nothing here disturbs nothing.
//!
//! The cursors and headers that one end reads are checked, so that a peer gone wrong is an error; the content of records
//! is checked by decoding them. A peer that changes what it has published is not defended against: the ends trust each
//! other that far.

mod bell;
mod consumer;
mod control;
mod frame;
#[cfg(test)]
mod model;
mod producer;
mod sync;
mod waiter;
mod words;

pub use consumer::{Blobs, Consumer, Item};
pub use control::Lane;
pub use producer::Producer;
pub use waiter::Waiter;

use crate::codec::DecodeError;
use std::sync::Arc;

/// Sizes of the two rings, bytes. Rounded up to powers of two, and to [`Sizes::SMALLEST`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// The command ring.
    pub commands: usize,
    /// The stage ring.
    pub stage: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Self {
            commands: 8 << 20,
            stage: 32 << 20,
        }
    }
}

impl Sizes {
    /// Half of it holds every entry that the link itself makes.
    pub const SMALLEST: usize = 64;

    /// Words of the rings.
    fn words(self) -> [usize; 2] {
        [self.commands, self.stage].map(|bytes| bytes.max(Self::SMALLEST).next_power_of_two() / 8)
    }
}

/// What a link cannot do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// The consumer is gone.
    #[error("the applying end of the link is gone")]
    Gone,
    /// The producer was closed.
    #[error("the link is closed")]
    Closed,
    /// A record that no decoder takes.
    #[error(
        "record {record} of {bytes} bytes is larger than {}",
        crate::codec::MAX_RECORD_BYTES
    )]
    RecordSize {
        /// Its name.
        record: &'static str,
        /// Its bytes.
        bytes: usize,
    },
    /// The producer's cursor is impossible.
    #[error("{lane:?} ring of {capacity} words: head {head} after {seen}, tail {tail}")]
    Head {
        /// Ring.
        lane: Lane,
        /// As found, words.
        head: u64,
        /// As found before.
        seen: u64,
        /// The consumer's cursor.
        tail: u64,
        /// Words.
        capacity: u64,
    },
    /// The consumer's cursor is impossible.
    #[error("{lane:?} ring: tail {tail} after {seen}, head {head}")]
    Tail {
        /// Ring.
        lane: Lane,
        /// As found, words.
        tail: u64,
        /// As found before.
        seen: u64,
        /// The producer's cursor.
        head: u64,
    },
    /// Words that are not there, or go over the end of the memory.
    #[error("{lane:?} ring: {words} words at {at} are not there in one part")]
    Part {
        /// Ring.
        lane: Lane,
        /// Position.
        at: u64,
        /// Words.
        words: u64,
    },
    /// An entry that is none.
    #[error("command ring: header {header:#x} at {at}")]
    Entry {
        /// Position.
        at: u64,
        /// As found.
        header: u64,
    },
    /// A record that is none.
    #[error("record {ordinal}: {error}")]
    Record {
        /// Ordinal.
        ordinal: u64,
        /// Why.
        error: DecodeError,
    },
    /// A blob that is not where its record says.
    #[error("record {ordinal}: bytes {offset}+{size} of segment {seg} are not on the link")]
    Blob {
        /// Ordinal.
        ordinal: u64,
        /// Segment.
        seg: u32,
        /// Bytes.
        offset: u64,
        /// Bytes.
        size: u64,
    },
    /// No memory to put pieces together.
    #[error("no memory for {bytes} bytes in pieces")]
    Memory {
        /// Bytes.
        bytes: u64,
    },
}

/// What an end did, counted since the link was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct LinkStats {
    /// Records put or taken.
    pub records: u64,
    /// Publications, each of one or more entries (producer).
    pub publishes: u64,
    /// Waits for room (producer) or for entries (consumer).
    pub waits: u64,
    /// Sleeps in these waits.
    pub parks: u64,
    /// Rings that found somebody asleep or about to.
    pub wakes: u64,
    /// Pieces put or taken.
    pub pieces: u64,
}

/// A new link: each end for one thread at a time.
#[must_use]
pub fn pair(sizes: Sizes) -> (Producer, Consumer) {
    let shared = Arc::new(control::Shared::new(sizes));
    let spin = sync::spin_time();
    (
        Producer::new(shared.clone(), spin),
        Consumer::new(shared, spin),
    )
}
