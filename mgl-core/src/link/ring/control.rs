//! The control page: every cursor and flag that both ends see, a cache line a writer.

use super::Sizes;
use super::bell::Doorbell;
use super::sync::AtomicU64;
use super::words::Memory;
use std::sync::atomic::Ordering;

/// One of the two rings of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// Records and control entries.
    Commands,
    /// Bulk bytes.
    Stage,
}

/// Two lines of 64 bytes: processors fetch them in pairs.
#[derive(Default)]
#[repr(C, align(128))]
struct Line<T>(T);

/// See the module. Cursors count words from the beginning of the link and never go back.
#[derive(Default)]
#[repr(C, align(4096))]
pub struct Control {
    /// Written by the producer: words published, a lane each.
    heads: Line<[AtomicU64; 2]>,
    /// Written by the consumer: words whose room the producer may use again, a lane each.
    tails: Line<[AtomicU64; 2]>,
    /// Written by the consumer: records applied.
    applied: Line<AtomicU64>,
    /// Written once: the producer is closed; the consumer is gone.
    ended: Line<[AtomicU64; 2]>,
    /// The consumer sleeps on it.
    records: Line<Doorbell>,
    /// The producer sleeps on it.
    room: Line<Doorbell>,
    /// Waiters sleep on it.
    done: Line<Doorbell>,
}

#[cfg(not(test))]
const _: () = assert!(size_of::<Control>() == 4096);

impl Control {
    pub fn head(&self, lane: Lane) -> &AtomicU64 {
        &self.heads.0[lane as usize]
    }
    pub fn tail(&self, lane: Lane) -> &AtomicU64 {
        &self.tails.0[lane as usize]
    }
    pub fn applied(&self) -> &AtomicU64 {
        &self.applied.0
    }
    /// Rung when records were published or the producer was closed.
    pub fn records(&self) -> &Doorbell {
        &self.records.0
    }
    /// Rung when room was given back or the consumer is gone.
    pub fn room(&self) -> &Doorbell {
        &self.room.0
    }
    /// Rung when records were applied or the consumer is gone.
    pub fn done(&self) -> &Doorbell {
        &self.done.0
    }
    pub fn is_closed(&self) -> bool {
        self.ended.0[0].load(Ordering::Acquire) != 0
    }
    #[inline]
    pub fn is_gone(&self) -> bool {
        self.ended.0[1].load(Ordering::Acquire) != 0
    }
    pub fn close(&self) {
        self.ended.0[0].store(1, Ordering::Release);
        self.records().ring();
    }
    pub fn leave(&self) {
        self.ended.0[1].store(1, Ordering::Release);
        self.room().ring();
        self.done().ring();
    }
}

/// What the two ends share.
pub struct Shared {
    pub control: Box<Control>,
    memories: [Memory; 2],
}

impl Shared {
    pub fn new(sizes: Sizes) -> Self {
        let [commands, stage] = sizes.words();
        Self {
            control: Box::default(),
            memories: [Memory::new(commands), Memory::new(stage)],
        }
    }
    #[inline]
    pub fn memory(&self, lane: Lane) -> &Memory {
        &self.memories[lane as usize]
    }
}
