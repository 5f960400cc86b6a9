//! The client's end of the pipe: mints handles, records, and hands calls to `apply`.
//!
//! Monolith: client, pushed state and back end share a process, so a push is a direct call. A refusal by `apply` is a
//! fault of the front end and is reported loudly, once a message. A back end's out-of-memory becomes a GL error of the next
//! glGetError; what it cannot draw is told once and counted, and leaves no error.

use crate::config::Config;
use crate::leave_out::LeaveOut;
use crate::notes;
use mgl_core::counters::Counters;
use mgl_core::handle::*;
use mgl_core::pipe::event::LogLevel;
use mgl_core::pipe::{
    ApplyError, Backend, BackendError, BindContext, Call, Event, Op, PushedState, Reply, apply,
};
use mgl_core::trace::{Provenance, RecorderOptions, TraceRecorder};
use mgl_replay::{BackendOptions, EsprytOptions, MagmaOptions, make_backend};
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
    recorder: Option<TraceRecorder>,
    /// A push to drop.
    leave_out: Option<LeaveOut>,
    /// How the recording went, once it has ended.
    pub recording: Option<mgl_core::trace::Status>,
    /// What the tracker's checks found.
    pub checks: Checks,
}

/// Results of `MGL_CHECK`.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Checks {
    /// Comparisons of a repushed state with the live one.
    pub repush: u64,
    /// Those that found a difference.
    pub repush_differences: u64,
    /// The first difference, in words.
    pub first_difference: Option<String>,
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
        let options = BackendOptions {
            espryt: EsprytOptions {
                debug: config.debug,
                ..EsprytOptions::default()
            },
            magma: MagmaOptions {
                device: config.device.clone(),
                debug: config.debug,
                ..MagmaOptions::default()
            },
        };
        let start = || make_backend(config.backend, &options);
        let backend = crate::passthrough::during(start).map_err(|e| {
            format!("{e}; mgl doctor says what this machine offers and what to install")
        })?;
        let mut pipe = Self::with_backend(config, backend);
        pipe.start_recording();
        crate::report::at_exit();
        Ok(pipe)
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
            recorder: None,
            leave_out: config.leave_out.clone(),
            recording: None,
            checks: Checks::default(),
        }
    }

    /// Starts writing the trace that the settings ask for. A failure is told and ends nothing.
    fn start_recording(&mut self) {
        let Some(path) = self.config.record.clone() else {
            return;
        };
        // A second process of the same command finds the first one's file and takes a name of its own.
        let path = if is_taken(&path, self.config.record_over.as_deref()) {
            let mut name = path.file_stem().unwrap_or_default().to_os_string();
            name.push(format!("-{}", std::process::id()));
            if let Some(e) = path.extension() {
                name.push(".");
                name.push(e);
            }
            path.with_file_name(name)
        } else {
            path
        };
        let mut provenance = Provenance::of_process(self.backend.caps());
        if self.config.full_provenance {
            provenance.add_full();
        }
        match TraceRecorder::create(&path, &provenance, RecorderOptions::default()) {
            Ok(r) => {
                notes::recording(&path);
                self.recorder = Some(r);
            }
            Err(e) => {
                notes::failed(&e);
                eprintln!("mgl: not recording: {e}; the program goes on");
            }
        }
    }

    /// Ends the recording: index and trailer are written.
    pub fn finish_recording(&mut self) {
        if let Some(mut r) = self.recorder.take() {
            // What was refused or approximated stands at the end of the trace: `mgl info` lists it.
            let refused = crate::refusals()
                .into_iter()
                .map(|(n, c)| (n.to_owned(), c));
            let values = self.unsupported.iter().map(|(n, c)| (n.clone(), *c));
            let near = self.backend.approximations();
            let near = near.into_iter().map(|(n, c)| (n, "approximated", c));
            let told = refused
                .chain(values)
                .map(|(what, times)| (what, "refused", times))
                .collect::<Vec<_>>();
            let told = told.iter().map(|(n, how, c)| (n.as_str(), *how, *c));
            for (what, how, times) in told.chain(near) {
                let text = format!("{what} {how} {times} times");
                r.event(&Event::Log {
                    level: LogLevel::Warn,
                    text,
                });
            }
            self.recording = Some(r.finish());
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
        if self.leave_out.is_some() && self.is_left_out(call) {
            return None;
        }
        // Recorded before it is applied: should the driver below crash, the file shows by which call.
        if let Some(r) = &mut self.recorder {
            r.push(call);
        }
        match apply(
            &mut self.state,
            self.backend.as_mut(),
            &mut self.counters,
            call,
        ) {
            Ok(reply) => {
                if let Some(r) = self.recorder.as_mut().filter(|_| reply != Reply::None) {
                    r.reply(&reply);
                }
                Some(reply)
            }
            Err(e) => {
                self.failed(call, e);
                None
            }
        }
    }

    #[cold]
    fn is_left_out(&mut self, call: &Call<'_>) -> bool {
        let op = call.op();
        let taken = self.leave_out.as_mut().is_some_and(|push| push.takes(op));
        if taken {
            eprintln!("mgl: a push of {} was left out, as asked", op.name());
        }
        taken
    }

    /// Says so when the push that was to be left out never came.
    pub fn tell_unused_leave_out(&self) {
        if let Some(text) = self.leave_out.as_ref().and_then(LeaveOut::unused) {
            eprintln!("mgl: {text}");
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
                // A program that did nothing wrong gets no error for what it draws. What it waits for and does not get
                // it is told of.
                if !paints(call.op()) {
                    self.raise(GL_INVALID_OPERATION);
                }
            }
            ApplyError::Backend {
                error: BackendError::Driver(_),
                ..
            } if paints(call.op()) => self.fault(&e),
            _ => {
                self.fault(&e);
                self.raise(GL_INVALID_OPERATION);
            }
        }
    }

    /// Counts a push that failed, and says it once a message.
    fn fault(&mut self, e: &ApplyError) {
        let text = e.to_string();
        let n = self.faults.entry(text.clone()).or_insert(0);
        *n += 1;
        if *n == 1 {
            eprintln!("mgl: push refused: {text}");
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
    pub fn before_present(&mut self, surface: SurfaceHandle) {
        let every = self.config.images_every;
        if every == 0 || !self.counters.presents.is_multiple_of(every) || self.recorder.is_none() {
            return;
        }
        match self.backend.read_surface(&self.state, surface) {
            Ok((w, h, rgba)) => {
                if let Some(r) = &mut self.recorder {
                    r.frame_image(surface, w, h, &rgba);
                }
            }
            Err(e) => eprintln!("mgl: no image of frame {}: {e}", self.counters.presents),
        }
    }

    /// A frame ended.
    pub fn after_present(&mut self) {
        if self
            .config
            .max_frames
            .is_some_and(|n| self.counters.presents >= n)
            && self.recorder.is_some()
        {
            self.finish_recording();
            eprintln!(
                "mgl: recorded {} frames as asked; the program goes on",
                self.counters.presents
            );
        }
    }

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
            if let Some(r) = &mut self.recorder {
                r.event(&e);
            }
            match e {
                Event::GlError { code, detail } => {
                    eprintln!("mgl: {detail}");
                    self.raise(code);
                }
                Event::Log { level, text } if level >= LogLevel::Warn => {
                    eprintln!("mgl: {text}")
                }
                _ => {}
            }
        }
    }
}

/// Whether a call puts something into images or buffers, and answers nothing.
fn paints(op: Op) -> bool {
    matches!(
        op,
        Op::DrawVbo
            | Op::Clear
            | Op::Blit
            | Op::CopyFramebufferToTexture
            | Op::GenerateMipmap
            | Op::ResourceCopyRegion
            | Op::ClearResource
            | Op::BeginStreamOutput
            | Op::EndStreamOutput
            | Op::PauseStreamOutput
            | Op::ResumeStreamOutput
    )
}

/// Whether the file is another process's recording: there, and not what `over` says it was before. A thing that is no
/// file is nobody's.
fn is_taken(path: &std::path::Path, over: Option<&str>) -> bool {
    let now = mgl_core::files::stamp(path);
    now.is_some() && now.as_deref() != over
}
