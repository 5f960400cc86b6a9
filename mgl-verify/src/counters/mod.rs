//! Counters as a result: what a trace costs, in things that can be counted (design: verification 6.1; product,
//! counters.toml).
//!
//! The client's counters follow from the trace ([`client`]); a back end's own come from its replay
//! ([`CounterSection::add_frame`]). [`CounterTable`] is the golden file. A counter that is on one side only is a
//! difference, never 0. What the counters do not cover stands with them ([`mgl_core::counters`]).

mod limits;
mod table;
#[cfg(test)]
mod tests;

use mgl_core::counters::Counters;
use mgl_core::pipe::{PushedState, Reply, absorb, count};
use mgl_core::trace::consumer::{Consumer, Flow, drive};
use mgl_core::trace::cursor::Record;
use mgl_core::trace::{TraceError, TraceFile};

pub use limits::{CounterLimit, CounterLimits};
pub use table::{CounterSection, CounterTable, CounterValue};

/// The pipe's counters over a trace, whose records are taken in by a pushed state. A record that is refused counts
/// nothing, as in a replay.
///
/// # Errors
/// The trace is damaged.
pub fn client(file: &TraceFile) -> Result<CounterSection, TraceError> {
    let mut counter = Counter::default();
    drive(file, .., &mut counter)?;
    Ok(counter.section)
}

#[derive(Default)]
struct Counter {
    section: CounterSection,
    state: PushedState,
    counters: Counters,
    at_frame_start: Counters,
}

impl Consumer for Counter {
    type Error = TraceError;

    fn wants_replies(&self) -> bool {
        false
    }

    fn record(&mut self, record: &Record<'_>, _: Option<&Reply>) -> Result<Flow, TraceError> {
        if absorb(&mut self.state, &record.call).is_ok() {
            count(&mut self.counters, &record.call);
        }
        Ok(Flow::Continue)
    }

    fn frame_end(&mut self, _: u64, whole: bool) -> Result<Flow, TraceError> {
        let counted = self.counters.since(&self.at_frame_start);
        self.at_frame_start = self.counters;
        self.section.add_frame(whole, &counted.fields());
        Ok(Flow::Continue)
    }
}
