//! What became of a trace's records where it was recorded, and what that makes of what becomes of them here: the one policy
//! of all who go through a trace.
//!
//! - A call that was not carried out here and was not there either, for a like reason, is *as recorded*.
//! - One that was carried out there and not here is a fault: the replay is not what was recorded.
//! - One that was not carried out there and is here is no fault: the back end does more.
//!
//! Outcomes are rare, and looked for when something is not carried out here.

use super::cursor::Record;
use super::error::TraceError;
use super::reader::TraceFile;
use crate::pipe::event::{Event, OutcomeKind};
use crate::pipe::{ApplyError, PushedState};
use std::collections::HashMap;

/// The outcomes of a file, by the ordinals of its records. Records that were carried out have none.
#[derive(Debug, Default)]
pub struct Outcomes {
    /// Sorted by ordinal; the text's place.
    list: Vec<(u64, OutcomeKind, usize)>,
    /// Each once.
    texts: Vec<String>,
}

/// Whether what was not carried out here was not carried out where it was recorded either, for a like reason.
fn is_like(there: OutcomeKind, here: OutcomeKind) -> bool {
    use OutcomeKind::*;
    match (there, here) {
        // Back ends differ in how they say that they do not have something.
        (Unsupported | NotTaken, Unsupported | NotTaken) => true,
        (there, here) => there == here,
    }
}

/// How an outcome here stands to the one that was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The recording had it too.
    AsRecorded,
    /// It had not: what the recording says of the record, if anything.
    Fault(Option<String>),
}

impl TraceFile {
    /// The policy for a record that was not carried out here. See [`outcomes`](super::outcomes).
    ///
    /// # Errors
    ///
    /// The file's replies and events cannot be read.
    pub fn judge(&self, ordinal: u64, here: &ApplyError) -> Result<Verdict, TraceError> {
        Ok(match self.outcomes()?.get(ordinal) {
            Some((there, _)) if is_like(there, OutcomeKind::of(here)) => Verdict::AsRecorded,
            Some((_, text)) => Verdict::Fault(Some(text.to_owned())),
            None => Verdict::Fault(None),
        })
    }

    /// Takes a record into a state that no back end stands behind; false where it was refused when it was recorded, too.
    ///
    /// # Errors
    ///
    /// [`AbsorbError`].
    pub fn absorb(
        &self,
        state: &mut PushedState,
        record: &Record<'_>,
    ) -> Result<bool, AbsorbError> {
        let Err(error) = crate::pipe::absorb(state, &record.call) else {
            return Ok(true);
        };
        match self.judge(record.place.ordinal, &error)? {
            Verdict::AsRecorded => Ok(false),
            Verdict::Fault(_) => Err(AbsorbError::Refused(error)),
        }
    }
}

/// Why a record could not be taken in.
#[derive(Debug, thiserror::Error)]
pub enum AbsorbError {
    /// It is refused here, and was not where it was recorded.
    #[error(transparent)]
    Refused(#[from] ApplyError),
    /// The file.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

impl Outcomes {
    pub(super) fn of(file: &TraceFile) -> Result<Self, TraceError> {
        let mut out = Self::default();
        let mut known: HashMap<String, usize> = HashMap::new();
        file.visit_events(&mut |now, event| {
            if let Event::Outcome { behind, kind, text } = event
                && let Some(ordinal) = now.checked_sub(behind.saturating_add(1))
            {
                let texts = &mut out.texts;
                let at = *known.entry(text).or_insert_with_key(|text| {
                    texts.push(text.clone());
                    texts.len() - 1
                });
                out.list.push((ordinal, kind, at));
            }
        })?;
        // What is told first of a record holds.
        out.list.sort_by_key(|o| o.0);
        out.list.dedup_by_key(|o| o.0);
        Ok(out)
    }

    /// Whether every record was carried out, as far as the file says.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many records were not carried out.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// What became of a record that was not carried out, and why.
    #[must_use]
    pub fn get(&self, ordinal: u64) -> Option<(OutcomeKind, &str)> {
        let at = self.list.binary_search_by_key(&ordinal, |o| o.0).ok()?;
        let (_, kind, text) = *self.list.get(at)?;
        Some((kind, self.texts.get(text)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use OutcomeKind::*;

    #[test]
    fn reasons_are_told_apart() {
        for (there, here, like) in [
            (Unsupported, NotTaken, true),
            (Refused, Refused, true),
            (Lost, Lost, true),
            (OutOfMemory, Unsupported, false),
            (Unsupported, Failed, false),
            (Refused, NotTaken, false),
        ] {
            assert_eq!(is_like(there, here), like, "{there:?} {here:?}");
        }
    }
}
