//! What was emitted last: the client's memory of its own records, which it compares new state with.
//!
//! Not the server's state, although the same transitions make it: nothing comes back from there. It holds what the
//! tracker compares with, and no more: verbs, programs, fences and queries leave no trace here.

use mgl_core::handle::*;
use mgl_core::pipe::{
    BindContext, Call, Class, ContextState, Op, PushedState, ResourceDesc, TextureParams,
    transition,
};

/// See the module.
#[derive(Default)]
pub(super) struct Emitted {
    model: PushedState,
}

impl Emitted {
    /// Takes in a record that was sent.
    #[inline]
    pub fn note(&mut self, call: &Call<'_>) {
        if is_remembered(call.op()) {
            self.take_in(call);
        }
    }

    #[inline(never)]
    fn take_in(&mut self, call: &Call<'_>) {
        transition::whole(&mut self.model, call);
    }

    /// Who spoke last.
    #[inline]
    pub fn speaker(&self) -> &BindContext {
        &self.model.current
    }

    /// The speaker is to be said anew.
    pub fn forget_speaker(&mut self) {
        self.model.current = BindContext::default();
    }

    /// A context's groups.
    #[inline]
    pub fn context(&self, h: ContextHandle) -> Option<&ContextState> {
        self.model.contexts.get(h).ok()
    }

    /// A resource's description.
    #[inline]
    pub fn resource(&self, r: ResourceHandle) -> Option<&ResourceDesc> {
        self.model.resource(r).map(|e| &e.desc)
    }

    /// A texture's parameters; `None` for a texture that has none, or is not there.
    #[inline]
    pub fn params(&self, t: TextureHandle) -> Option<&TextureParams> {
        let entry = self.model.textures.get(t).ok()?;
        entry.params.as_ref()
    }
}

/// Whether a call leaves something that a later one is compared with.
#[inline]
fn is_remembered(op: Op) -> bool {
    match op {
        // Programs are compared by their owner, and their code is hashed nowhere but at the server.
        Op::CreateShaderState | Op::SetGlobalConstants | Op::SetProgramBindings => false,
        Op::FenceCreate | Op::FenceDestroy => false,
        _ => {
            let class = op.info().class;
            !matches!(class, Class::Verb | Class::Query)
        }
    }
}
