//! What a trace consists of: calls, frames, blobs, and the pipe's counters.

use super::call_text::visit_blobs;
use super::consumer::{Consumer, Flow, drive};
use super::cursor::Record;
use super::error::TraceError;
use super::reader::TraceFile;
use crate::codec::blob_refs;
use crate::counters::Counters;
use crate::pipe::{Call, Class, Op, PushedState, Reply, absorb, count};
use serde::Serialize;
use std::collections::HashSet;
use std::ops::RangeBounds;

/// See the module.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Stats {
    /// Records.
    pub records: u64,
    /// Bytes of records, blobs left out.
    pub record_bytes: u64,
    /// Calls that occur, most frequent first.
    pub calls: Vec<CallStats>,
    /// Frames in order; the last may be partial.
    pub frames: Vec<FrameStats>,
    /// Blobs.
    pub blobs: BlobStats,
    /// Replies to records.
    pub replies: u64,
    /// Events.
    pub events: u64,
    /// What the pipe counts, summed over all frames.
    pub counters: Counters,
    /// Records that were refused when applied, and the first of them.
    pub refused: u64,
    /// Frame, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_refusal: Option<(u64, String)>,
}

/// One call of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CallStats {
    /// Its name.
    pub call: &'static str,
    /// Records.
    pub count: u64,
    /// Their bytes.
    pub record_bytes: u64,
    /// Bytes of the blobs that they name.
    pub blob_bytes: u64,
}

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct FrameStats {
    /// Its number.
    pub frame: u64,
    /// Ended by a Present.
    pub whole: bool,
    /// Records.
    pub records: u64,
    /// Verbs.
    pub verbs: u64,
    /// Draws.
    pub draws: u64,
    /// Bytes of records.
    pub record_bytes: u64,
    /// Bytes of blobs that records name.
    pub blob_bytes: u64,
    /// Of these, bytes that no earlier frame named.
    pub new_blob_bytes: u64,
}

/// All blobs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct BlobStats {
    /// Times that one is named.
    pub references: u64,
    /// Their bytes.
    pub referenced_bytes: u64,
    /// Different blobs.
    pub different: u64,
    /// Their bytes.
    pub different_bytes: u64,
}

/// Counts. Records are taken in by a pushed state for the pipe's counters; one that is refused counts as such.
pub fn stats(file: &TraceFile, frames: impl RangeBounds<u64>) -> Result<Stats, TraceError> {
    let mut c = Counter::default();
    drive(file, frames, &mut c)?;
    let mut s = c.stats;
    s.counters = c.counters;
    s.calls = c.calls.into_iter().filter(|c| c.count > 0).collect();
    s.calls
        .sort_by(|a, b| (b.count, a.call).cmp(&(a.count, b.call)));
    Ok(s)
}

struct Counter {
    stats: Stats,
    calls: Vec<CallStats>,
    frame: FrameStats,
    seen: HashSet<(u32, u64, u64)>,
    state: PushedState,
    counters: Counters,
}

impl Default for Counter {
    fn default() -> Self {
        Self {
            stats: Stats::default(),
            calls: Op::ALL
                .iter()
                .map(|op| CallStats {
                    call: op.name(),
                    count: 0,
                    record_bytes: 0,
                    blob_bytes: 0,
                })
                .collect(),
            frame: FrameStats::default(),
            seen: HashSet::new(),
            state: PushedState::default(),
            counters: Counters::default(),
        }
    }
}

impl Consumer for Counter {
    type Error = TraceError;

    fn event(&mut self, _: &crate::pipe::Event) -> Result<(), TraceError> {
        self.stats.events += 1;
        Ok(())
    }

    fn record(&mut self, r: &Record<'_>, reply: Option<&Reply>) -> Result<Flow, TraceError> {
        let op = r.call.op();
        let bytes = r.view.words.len() as u64 * 8;
        let (mut blob_bytes, f) = (0, &mut self.frame);
        visit_blobs(&r.call, &mut |b| blob_bytes += b.len() as u64);
        for b in blob_refs(&r.view)
            .unwrap_or(&[])
            .iter()
            .filter(|b| b.size > 0)
        {
            self.stats.blobs.references += 1;
            self.stats.blobs.referenced_bytes += b.size;
            if self.seen.insert((b.seg, b.offset, b.size)) {
                self.stats.blobs.different += 1;
                self.stats.blobs.different_bytes += b.size;
                f.new_blob_bytes += b.size;
            }
        }
        f.frame = r.place.frame;
        f.records += 1;
        f.verbs += u64::from(op.info().class == Class::Verb);
        f.draws += u64::from(matches!(r.call, Call::DrawVbo { .. }));
        f.record_bytes += bytes;
        f.blob_bytes += blob_bytes;
        self.stats.records += 1;
        self.stats.record_bytes += bytes;
        self.stats.replies += u64::from(reply.is_some());
        let c = &mut self.calls[op as usize - 1];
        c.count += 1;
        c.record_bytes += bytes;
        c.blob_bytes += blob_bytes;
        match absorb(&mut self.state, &r.call) {
            Ok(()) => count(&mut self.counters, &r.call),
            Err(e) => {
                self.stats.refused += 1;
                self.stats
                    .first_refusal
                    .get_or_insert_with(|| (r.place.frame, e.to_string()));
            }
        }
        Ok(Flow::Continue)
    }

    fn frame_end(&mut self, _: u64, whole: bool) -> Result<Flow, TraceError> {
        let frame = std::mem::take(&mut self.frame);
        self.stats.frames.push(FrameStats { whole, ..frame });
        Ok(Flow::Continue)
    }
}
