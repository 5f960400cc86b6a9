//! What the sender of a call waits for: the catalogue's class, and what a payload makes of it.

use super::calls::{Call, Wait};
use super::payload::{FlushFlags, ResourceDesc, StorageKind};
use crate::handle::HandleKind;

impl Call<'_> {
    /// What its sender waits for. The only place that decides it.
    ///
    /// Storage that cannot be specified again, and that of renderbuffers, is the one that programs ask for errors right
    /// behind (GL 4.6 §6.2, §8.19, §9.2.4); a flush is waited for when it is to finish.
    #[inline]
    #[must_use]
    pub fn wait(&self) -> Wait {
        let storage = |d: &ResourceDesc| {
            let at_once =
                d.storage == StorageKind::IMMUTABLE || d.resource.kind == HandleKind::RENDERBUFFER;
            if at_once { Wait::Ack } else { Wait::None }
        };
        match self {
            Call::ResourceCreate { p } | Call::ResourceRespecify { p } => storage(p),
            Call::Flush { p } if p.flags.has(FlushFlags::FINISH) => Wait::Applied,
            // Whether a context can be had is what its maker asks.
            Call::ContextCreate { .. } => Wait::Applied,
            call => call.op().info().wait,
        }
    }
}
