//! Emission: all that a [`PushedState`] holds, said anew as calls (design: pipe contract 3.5, rule 11).
//!
//! What the state does not hold comes from a [`Content`]: bytes, texels, code of programs. A fresh server that is fed by
//! [`emit`] has an equal state ([`first_difference`] finds none), and the content that was given
//! ([`content_difference`]). Not part of it, because no call says it: results of queries that were not asked for, whether a
//! fence was reached (it lies later among the commands then, which delays nobody for ever), the swap interval, open debug
//! groups, and how far transform feedback has come in its buffers: what is captured next starts at their front again.
//!
//! Objects come before what names them, and all state before the verbs that read it. State may name more of a resource
//! than there is by now, when that was respecified since; `room` says how such a thing is emitted.

mod captures;
mod content;
mod difference;
mod groups;
mod keeping;
mod objects;
mod parts;
mod read_back;
mod room;
mod upload;

pub use content::{Absent, Content, Piece};
pub use difference::{content_difference, first_difference};
pub use keeping::KeepingBackend;
pub use parts::{Part, Plane, parts};
pub use read_back::{read_back, unsaid};

use super::calls::Call;
use super::error::ApplyError;
use super::payload::{BindContext, ContextReset};
use super::pushed::PushedState;
use crate::handle::*;
use std::collections::BTreeMap;

/// Why a state cannot be emitted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmissionError {
    /// Who takes the calls refuses one.
    #[error(transparent)]
    Refused(#[from] ApplyError),
    /// Nobody has the code of a program.
    #[error("{0:?}: nobody has its code")]
    NoCode(ShaderHandle),
    /// The code of a program is not what was pushed.
    #[error("{program:?}: the {part} that was given is not what was pushed")]
    OtherCode {
        /// The program.
        program: ShaderHandle,
        /// A stage, or `reflection`.
        part: &'static str,
    },
    /// There is no handle for something that is made and ended again.
    #[error("no {0:?} handle is left")]
    NoHandle(HandleKind),
}

/// What was emitted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Emission {
    /// Calls.
    pub calls: u64,
    /// Bytes of content.
    pub bytes: u64,
    /// What was left out, and why, with how often.
    pub left_out: BTreeMap<String, u64>,
}

/// Gives a handle of a kind for an object that is made and ended again. Who goes on with the emitted state mints them
/// where it mints its own.
pub type Spare<'s> = dyn FnMut(HandleKind) -> Option<Handle> + 's;

/// Takes a call, or refuses it.
pub type Sink<'s> = dyn FnMut(&Call<'_>) -> Result<(), ApplyError> + 's;

/// Handles above all that `state` has used: for who does not go on minting behind the emission.
pub fn spare_handles(state: &PushedState) -> impl FnMut(HandleKind) -> Option<Handle> + 'static {
    let s = state;
    let mut next = [0u32; HandleKind::COUNT];
    for (kind, slots) in [
        (HandleKind::BUFFER, s.buffers.high_water()),
        (HandleKind::TEXTURE, s.textures.high_water()),
        (HandleKind::RENDERBUFFER, s.renderbuffers.high_water()),
        // Names without a table: half way up is far from all others.
        (HandleKind::FRAMEBUFFER, SLOT_LIMIT as usize / 2),
        (HandleKind::STREAM_OUTPUT, SLOT_LIMIT as usize / 2),
        (HandleKind::RENDER_STATE, s.render_states.high_water()),
        (HandleKind::VERTEX_ELEMENTS, s.vertex_elements.high_water()),
        (HandleKind::SAMPLER, s.samplers.high_water()),
        (HandleKind::SAMPLER_VIEW, s.views.high_water()),
        (HandleKind::SHADER, s.programs.high_water()),
        (HandleKind::FENCE, s.fences.high_water()),
        (HandleKind::QUERY, s.queries.high_water()),
        (HandleKind::CONTEXT, s.contexts.high_water()),
        (HandleKind::SURFACE, s.surfaces.high_water()),
    ] {
        next[kind.0 as usize] = u32::try_from(slots).unwrap_or(SLOT_LIMIT);
    }
    move |kind| {
        let slot = next.get_mut(kind.0 as usize)?;
        let h = Handle {
            slot: *slot,
            generation: 1,
        };
        *slot = slot.checked_add(1)?;
        (h.slot < SLOT_LIMIT).then_some(h)
    }
}

/// Emits all of `state` into `sink`, for a listener to whom nothing was said yet.
///
/// # Errors
///
/// What is missing, or the first refusal of `sink`; nothing is emitted behind that.
pub fn emit(
    state: &PushedState,
    content: &mut dyn Content,
    spare: &mut Spare<'_>,
    sink: &mut Sink<'_>,
) -> Result<Emission, EmissionError> {
    let mut e = Emitter {
        state,
        spare,
        sink,
        report: Emission::default(),
    };
    if state.epoch != 0 {
        let p = &ContextReset {
            epoch: state.epoch,
            ..ContextReset::default()
        };
        e.put(Call::ContextReset { p })?;
    }
    let room = room::Room::of(state);
    e.labels()?;
    e.contexts()?;
    e.surfaces()?;
    e.constant_states()?;
    e.resources(&room)?;
    e.views()?;
    e.programs(content)?;
    e.fences()?;
    for (h, c) in state.contexts.iter() {
        e.speak(h)?;
        e.groups(c)?;
    }
    for (h, c) in state
        .contexts
        .iter()
        .filter(|(_, c)| !c.captures.is_empty())
    {
        e.speak(h)?;
        e.captures(c)?;
    }
    e.settle(&room)?;
    e.content(content)?;
    // Last, so that nothing of the above is counted by one.
    e.queries()?;
    e.put(Call::BindContext { p: &state.current })?;
    Ok(e.report)
}

/// An emission under way.
struct Emitter<'e> {
    state: &'e PushedState,
    spare: &'e mut Spare<'e>,
    sink: &'e mut Sink<'e>,
    report: Emission,
}

impl Emitter<'_> {
    fn put(&mut self, call: Call<'_>) -> Result<(), EmissionError> {
        (self.sink)(&call)?;
        self.report.calls += 1;
        Ok(())
    }

    fn spare<H: TypedHandle>(&mut self) -> Result<H, EmissionError> {
        let h = (self.spare)(H::KIND).ok_or(EmissionError::NoHandle(H::KIND))?;
        Ok(H::from_raw(h))
    }

    /// A context speaks, without surfaces.
    fn speak(&mut self, context: ContextHandle) -> Result<(), EmissionError> {
        let p = &BindContext {
            context,
            ..BindContext::default()
        };
        self.put(Call::BindContext { p })
    }

    fn leave_out(&mut self, what: impl Into<String>) {
        *self.report.left_out.entry(what.into()).or_insert(0) += 1;
    }
}
