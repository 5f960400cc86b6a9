//! The server's end of the pipe: what was pushed, what draws, and what was counted, behind one method a call.
//!
//! The only road to a back end, live and in replay. Three steps, each a module: [`check`] touches nothing, [`transition`]
//! changes the state and nothing else, [`execute`] is the back end's. A call that is refused leaves all as it was; one
//! at which the back end fails has changed the state, as it has the client's that pushed it.

use super::backend::{Backend, BackendError, Reply};
use super::calls::Call;
use super::check::check;
use super::count::count;
use super::error::ApplyError;
use super::execute::execute;
use super::pushed::PushedState;
use super::transition;
use crate::counters::Counters;
use std::ops::DerefMut;

/// A server. `P` points to its back end: `Box<dyn Backend>`, or `&mut` of one that somebody else holds.
#[derive(Debug, Clone, Default)]
pub struct Server<P> {
    /// What was pushed.
    pub state: PushedState,
    /// What draws.
    pub backend: P,
    /// What was counted.
    pub counters: Counters,
}

impl<P: DerefMut<Target: Backend>> Server<P> {
    /// A server to which nothing was pushed.
    #[must_use]
    pub fn new(backend: P) -> Self {
        Self {
            state: PushedState::default(),
            backend,
            counters: Counters::default(),
        }
    }

    /// Applies a call.
    ///
    /// # Errors
    ///
    /// It is refused, or the back end fails.
    pub fn apply(&mut self, call: &Call<'_>) -> Result<Reply, ApplyError> {
        let Self {
            state,
            backend,
            counters,
        } = self;
        apply(state, &mut **backend, counters, call)
    }

    /// Applies a call that leaves no trace in the counters: a tool's own wish.
    ///
    /// # Errors
    ///
    /// As [`Server::apply`].
    pub fn apply_uncounted(&mut self, call: &Call<'_>) -> Result<Reply, ApplyError> {
        let mut counters = self.counters;
        apply(&mut self.state, &mut *self.backend, &mut counters, call)
    }
}

/// [`Server::apply`], for who holds the three apart.
///
/// # Errors
///
/// As there.
pub fn apply<B: Backend + ?Sized>(
    state: &mut PushedState,
    backend: &mut B,
    counters: &mut Counters,
    call: &Call<'_>,
) -> Result<Reply, ApplyError> {
    let op = call.op();
    if !backend.caps().takes(op) && !op.info().retired {
        return Err(ApplyError::NotTaken {
            op: op.name(),
            backend: backend.caps().backend.clone(),
        });
    }
    check(state, call)?;
    count(counters, call);
    transition::enter(state, call);
    let reply = execute(state, backend, call);
    transition::leave(state, call);
    reply.map_err(|error| ApplyError::Backend {
        op: op.name(),
        error,
    })
}

/// What a call makes of a state that no back end stands behind: checked, then taken in.
///
/// # Errors
///
/// The call is refused; the state is as it was.
pub fn absorb(state: &mut PushedState, call: &Call<'_>) -> Result<(), ApplyError> {
    check(state, call)?;
    transition::whole(state, call);
    Ok(())
}

impl ApplyError {
    /// Whether the back end, rather than the call, is why nothing was done: it does not lower this.
    #[must_use]
    pub fn unsupported(&self) -> Option<&str> {
        match self {
            Self::Backend {
                error: BackendError::Unsupported(what),
                ..
            } => Some(what),
            _ => None,
        }
    }
}
