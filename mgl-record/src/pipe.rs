//! The client's end of the pipe: mints handles, records, and hands calls to `apply`.
//!
//! Monolith: client, pushed state and back end share a process, so a push is a direct call. A refusal by `apply` is a
//! fault of the front end and is reported loudly, once a message; back ends' refusals of values and out-of-memory
//! become GL errors of the next glGetError, as GL allows for draws.

use crate::config::{BackendChoice, Config};
use mgl_core::counters::Counters;
use mgl_core::handle::*;
use mgl_core::pipe::{
    ApplyError, Backend, BackendError, BindContext, Call, Event, NullBackend, PushedState, Reply,
    apply,
};
use std::collections::BTreeMap;

/// See the module.
pub struct Pipe {
    /// What was pushed.
    pub state: PushedState,
    /// What draws.
    pub backend: Box<dyn Backend>,
    /// What is counted.
    pub counters: Counters,
    /// The settings.
    pub config: Config,
    slots: Vec<SlotAllocator>,
    /// The speaker that the next record is to have.
    want: BindContext,
    /// GL error that a push left, for the current context's glGetError.
    pending_error: u32,
    /// Values that the back end does not lower, with how often.
    unsupported: BTreeMap<String, u64>,
    faults: BTreeMap<String, u64>,
}

impl Pipe {
    /// Makes the back end that `config` names.
    ///
    /// # Errors
    ///
    /// It cannot be made; the text says why.
    pub fn new(config: &Config) -> Result<Self, String> {
        for w in &config.warnings {
            eprintln!("mgl: {w}; ignored");
        }
        let backend: Box<dyn Backend> = match config.backend {
            BackendChoice::Null => Box::new(NullBackend::default()),
            BackendChoice::Espryt => Box::new(NullBackend::default()),
        };
        Ok(Self::with_backend(config, backend))
    }

    /// A pipe to a given back end.
    #[must_use]
    pub fn with_backend(config: &Config, backend: Box<dyn Backend>) -> Self {
        let slots = (0..HandleKind::COUNT as u32)
            .map(|k| SlotAllocator::for_kind(HandleKind(k)))
            .collect();
        Self {
            state: PushedState::default(),
            backend,
            counters: Counters::default(),
            config: config.clone(),
            slots,
            want: BindContext::default(),
            pending_error: 0,
            unsupported: BTreeMap::new(),
            faults: BTreeMap::new(),
        }
    }

    /// Mints a handle. All 2^20 slots of a kind being live is an out-of-memory, reported as a null handle.
    pub fn mint<H: TypedHandle>(&mut self) -> H {
        match self.slots[H::KIND.0 as usize].alloc() {
            Some(h) => H::from_raw(h),
            None => {
                self.raise(crate::consts::gl::GL_OUT_OF_MEMORY);
                H::default()
            }
        }
    }

    /// Gives a handle back, after the call that ends its object was pushed.
    pub fn release<H: TypedHandle>(&mut self, h: H) {
        self.slots[H::KIND.0 as usize].free(h.raw());
    }

    /// Live handles of a kind, and slots ever used.
    #[must_use]
    pub fn handle_counts(&self, kind: HandleKind) -> (usize, usize) {
        let a = &self.slots[kind.0 as usize];
        (a.live(), a.high_water())
    }

    /// Says who speaks next; a BindContext goes out with the next push if that is a change.
    #[inline]
    pub fn speak(&mut self, who: BindContext) {
        self.want = who;
    }

    /// Makes the next push bind its speaker anew: the thread's native context may have moved.
    pub fn forget_speaker(&mut self) {
        self.state.current = BindContext::default();
    }

    /// Pushes a call that has no answer.
    #[inline]
    pub fn push(&mut self, call: Call<'_>) {
        self.ask(call);
    }

    /// Pushes a call; the answer is `None` when it was refused or failed.
    pub fn ask(&mut self, call: Call<'_>) -> Option<Reply> {
        if self.want != self.state.current
            && !matches!(
                call,
                Call::ContextCreate { .. } | Call::SurfaceCreate { .. }
            )
        {
            let who = self.want;
            self.one(&Call::BindContext { p: &who });
        }
        self.one(&call)
    }

    fn one(&mut self, call: &Call<'_>) -> Option<Reply> {
        match apply(
            &mut self.state,
            self.backend.as_mut(),
            &mut self.counters,
            call,
        ) {
            Ok(reply) => Some(reply),
            Err(e) => {
                self.failed(call, e);
                None
            }
        }
    }

    #[cold]
    fn failed(&mut self, call: &Call<'_>, e: ApplyError) {
        use crate::consts::gl::{GL_INVALID_OPERATION, GL_OUT_OF_MEMORY};
        match &e {
            ApplyError::Backend {
                error: BackendError::OutOfMemory(what),
                ..
            } => {
                eprintln!("mgl: {}: out of memory: {what}", call.op().name());
                self.raise(GL_OUT_OF_MEMORY);
            }
            ApplyError::Backend {
                error: BackendError::Unsupported(what),
                ..
            } => {
                let n = self.unsupported.entry(what.clone()).or_insert(0);
                *n += 1;
                if *n == 1 {
                    eprintln!(
                        "mgl: {} is not supported by the {} back end; refused",
                        what,
                        self.backend.caps().backend
                    );
                }
                self.raise(GL_INVALID_OPERATION);
            }
            _ => {
                let text = e.to_string();
                let n = self.faults.entry(text.clone()).or_insert(0);
                *n += 1;
                if *n == 1 {
                    eprintln!("mgl: push refused: {text}");
                }
                self.raise(GL_INVALID_OPERATION);
            }
        }
    }

    /// A surface is about to end: nobody speaks with it any more.
    pub fn drop_surface(&mut self, s: SurfaceHandle) {
        for place in [&mut self.want.draw, &mut self.want.read] {
            if *place == s {
                *place = SurfaceHandle::NULL;
            }
        }
    }

    /// What the recorder wants of a frame before it ends: its image.
    pub fn before_present(&mut self, _surface: SurfaceHandle) {}

    /// A frame ended.
    pub fn after_present(&mut self) {}

    /// Leaves a GL error for the next glGetError.
    pub fn raise(&mut self, code: u32) {
        if self.pending_error == 0 {
            self.pending_error = code;
        }
    }

    /// Takes the GL error that pushes left, 0 for none.
    #[inline]
    pub fn take_error(&mut self) -> u32 {
        std::mem::take(&mut self.pending_error)
    }

    /// Values that the back end refused, with how often.
    #[must_use]
    pub fn unsupported(&self) -> &BTreeMap<String, u64> {
        &self.unsupported
    }

    /// Pushes that `apply` refused, with how often; empty in a healthy front end.
    #[must_use]
    pub fn faults(&self) -> &BTreeMap<String, u64> {
        &self.faults
    }

    /// Takes what the back end reported since the last call, in order; GL errors are kept for glGetError.
    pub fn drain_events(&mut self) {
        for e in self.backend.take_events() {
            match e {
                Event::GlError { code, detail } => {
                    eprintln!("mgl: {detail}");
                    self.raise(code);
                }
                Event::Log { level, text } if level >= mgl_core::pipe::event::LogLevel::Warn => {
                    eprintln!("mgl: {text}")
                }
                _ => {}
            }
        }
    }
}
