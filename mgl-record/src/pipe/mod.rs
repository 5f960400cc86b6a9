//! The client's end of the pipe: mints handles, remembers what it emitted, records, and sends calls over a link.
//!
//! It never looks at the server. What it knows of it comes as answers and notices: the capabilities once, at the start;
//! answers where a call's wait class says so; notices of what failed, in order. A refusal is a fault of the front end and
//! is reported loudly, once a message. Out of memory becomes a GL error of the context that caused it, seen by a later
//! glGetError of that context; what the back end cannot draw is told once and counted, and leaves no error.

mod emitted;
mod errors;
mod labels;
mod recording;

use crate::check::Checks;
use crate::config::{Config, LinkKind};
use crate::leave_out::LeaveOut;
use emitted::Emitted;
use errors::Errors;
use labels::Labels;
use mgl_core::counters::Counters;
use mgl_core::handle::*;
use mgl_core::link::ring::LinkStats;
use mgl_core::link::{Link, News, Notice, Sent, Ticket};
use mgl_core::pipe::event::LogLevel;
use mgl_core::pipe::{
    ApplyError, Backend, BackendError, BindContext, Call, Caps, ContextState, Event, Op, Reply,
    ResourceDesc, Server, TextureParams, Wait,
};
use mgl_core::trace::TraceRecorder;
use mgl_replay::{BackendOptions, EsprytOptions, MagmaOptions, NativeWindow, make_backend};
use std::collections::BTreeMap;
use std::time::Duration;

/// See the module.
pub struct Pipe {
    link: Link,
    /// What the back end can do.
    caps: Caps,
    emitted: Emitted,
    /// The settings.
    pub config: Config,
    slots: Vec<SlotAllocator>,
    /// The speaker that the next record is to have.
    want: BindContext,
    errors: Errors,
    /// The device is lost, and why: nothing is sent any more.
    lost: Option<String>,
    /// Values that the back end does not lower, with how often.
    unsupported: BTreeMap<String, u64>,
    faults: BTreeMap<String, u64>,
    recorder: Option<TraceRecorder>,
    /// A push to drop.
    leave_out: Option<LeaveOut>,
    /// The process ends: nothing is sent any more, and nobody is told.
    closed: bool,
    /// Frames presented.
    presents: u64,
    /// Calls that were waited for, Presents apart.
    waits: u64,
    /// What the entry point that runs is to wait for once it has let go of the driver.
    after: Option<Ticket>,
    /// The entry point that runs is left where it needs an answer, and is run again.
    restartable: bool,
    /// Answers that entry points are run again for.
    answers: Vec<Stashed>,
    /// What the entry point that was just left is to be run again behind.
    left: Option<Ticket>,
    /// How the recording went, once it has ended.
    pub recording: Option<mgl_core::trace::Status>,
    /// What the checks found.
    pub checks: Checks,
    labels: Labels,
}

/// An answer, on its way to the entry point that asked.
struct Stashed {
    context: ContextHandle,
    /// The question, as a record, and its ordinal.
    question: Vec<u64>,
    ordinal: u64,
    ticket: Ticket,
}

/// What comes of asking where an entry point can be run again.
#[derive(Debug)]
pub enum Answer {
    /// The answer.
    Reply(Reply),
    /// The call was refused or failed.
    Failed,
    /// It is on its way: return, and touch nothing; the entry point is run again when it is there.
    Later,
}

/// What the server can say at the end.
#[derive(Default)]
pub struct ServerReport {
    /// What was counted.
    pub counters: Counters,
    /// What was drawn as near as the API below allows, with how often.
    pub approximations: Vec<(&'static str, u64)>,
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
        let kind = config.backend;
        let start = move || {
            let made = crate::passthrough::during(|| make_backend(kind, &options));
            made.map_err(|e| std::io::Error::other(e.to_string()))
        };
        let link = match config.link.resolved() {
            LinkKind::Direct => Link::direct(&start),
            _ => {
                let start = start.clone();
                Link::thread(move || {
                    // Every EGL call of that thread is a driver's.
                    crate::passthrough::for_ever();
                    start()
                })
            }
        };
        let link = match link {
            // The system gives no thread, or no memory for the ring: drawing goes on without.
            Err(e) if e.raw_os_error().is_some() => {
                eprintln!("mgl: no thread to draw in ({e}): drawing in the program's own");
                Link::direct(&start)
            }
            link => link,
        };
        let link = link.map_err(|e| {
            format!("{e}; mgl doctor says what this machine offers and what to install")
        })?;
        let mut pipe =
            Self::with_link(config, link).ok_or("the back end broke down at its start")?;
        pipe.start_recording();
        crate::report::at_exit();
        Ok(pipe)
    }

    /// A pipe over a given link; `None` when nobody is at its other end.
    pub(crate) fn with_link(config: &Config, mut link: Link) -> Option<Self> {
        let slots = (0..HandleKind::COUNT as u32)
            .map(|k| SlotAllocator::for_kind(HandleKind(k)))
            .collect();
        let caps = link.run(|server| server.backend.caps().clone())?;
        Some(Self {
            link,
            caps,
            emitted: Emitted::default(),
            config: config.clone(),
            slots,
            want: BindContext::default(),
            errors: Errors::default(),
            lost: None,
            unsupported: BTreeMap::new(),
            faults: BTreeMap::new(),
            recorder: None,
            leave_out: config.leave_out.clone(),
            closed: false,
            presents: 0,
            waits: 0,
            after: None,
            restartable: false,
            answers: Vec::new(),
            left: None,
            recording: None,
            checks: Checks::default(),
            labels: Labels::new(),
        })
    }

    /// What the back end can do.
    #[inline]
    #[must_use]
    pub fn caps(&self) -> &Caps {
        &self.caps
    }

    /// What was emitted of a context's groups.
    #[inline]
    #[must_use]
    pub fn emitted(&self, context: ContextHandle) -> Option<&ContextState> {
        self.emitted.context(context)
    }

    /// A resource as it was emitted.
    #[inline]
    #[must_use]
    pub fn resource(&self, resource: impl Into<ResourceHandle>) -> Option<&ResourceDesc> {
        self.emitted.resource(resource.into())
    }

    /// A texture's parameters as they were emitted.
    #[inline]
    #[must_use]
    pub fn texture_params(&self, texture: TextureHandle) -> Option<&TextureParams> {
        self.emitted.params(texture)
    }

    /// Runs something at the server's end, behind all that was sent so far, and waits for it. `None` when the server is
    /// gone.
    pub fn at_server<T: Send + 'static>(
        &mut self,
        f: impl FnOnce(&mut Server<Box<dyn Backend>>) -> T + Send + 'static,
    ) -> Option<T> {
        self.link.run(f)
    }

    /// What the server has counted; nothing where it does not answer in time.
    pub fn server_report(&mut self) -> ServerReport {
        let patience = Duration::from_secs(10);
        let report = self.link.run_within(patience, |server| ServerReport {
            counters: server.counters,
            approximations: server.backend.approximations(),
        });
        report.unwrap_or_default()
    }

    /// Waits until all that was sent so far has been applied, `patience` at most.
    pub fn rest(&mut self, patience: Duration) {
        let _ = self.link.run_within(patience, |_| ());
    }

    /// The end of the process: all that was sent has been applied when this returns, unless that takes longer than
    /// `patience`; false then.
    pub fn close(&mut self, patience: Duration) -> bool {
        self.closed = true;
        self.link.close(patience)
    }

    /// Tells the server the native window of a surface that is about to be created.
    pub fn attach_native(&mut self, surface: SurfaceHandle, window: &NativeWindow) {
        let id = window.window;
        let window = window.clone();
        let attach = move |s: &mut Server<Box<dyn Backend>>| {
            let done = s.backend.attach_native(surface, &window);
            done.map_err(|e| e.to_string())
        };
        if let Some(Err(e)) = self.link.run(attach) {
            eprintln!("mgl: window {id:#x}: {e}");
        }
    }

    /// Has the server let go of this thread's native context, where it has one.
    pub fn release_thread(&mut self) {
        if let Err(e) = self.link.release_thread() {
            eprintln!("mgl: releasing the native context: {e}");
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
        if !self.labels.is_empty() {
            self.label(H::KIND, h.raw(), &[]);
        }
        self.slots[H::KIND.0 as usize].free(h.raw());
    }

    /// Whether a handle was minted and not given back.
    #[must_use]
    pub fn is_live<H: TypedHandle>(&self, h: H) -> bool {
        self.slots[H::KIND.0 as usize].is_live(h.raw())
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

    /// Has everything that was pushed so far applied in due course, outside of an entry point.
    pub fn publish(&mut self) {
        self.link.publish();
    }

    /// Makes the next push bind its speaker anew: the thread's native context may have moved.
    pub fn forget_speaker(&mut self) {
        self.emitted.forget_speaker();
    }

    /// Pushes a call that has no answer. What its wait class asks for, the entry point that runs waits for once it has
    /// let go of the driver.
    #[inline]
    pub fn push(&mut self, call: Call<'_>) {
        if let Sent::Later(ticket) = self.send(&call) {
            self.after = Some(ticket);
        }
    }

    /// Pushes a call and waits here until it was applied; the answer is `None` when it was refused or failed. The driver
    /// stays locked meanwhile: for what is rare, or cannot be begun anew ([`Pipe::ask_apart`]).
    pub fn ask(&mut self, call: Call<'_>) -> Option<Reply> {
        let reply = match self.send(&call) {
            Sent::Done(reply) => reply,
            Sent::Later(ticket) => self.link.wait(ticket),
        };
        let ordinal = self.link.sent().saturating_sub(1);
        self.answered(&call, ordinal, reply)
    }

    /// Pushes a call that has an answer, without keeping the driver from other threads while it is waited for: the entry
    /// point is left and run again. Up to here it must have done nothing that doing it again would change.
    pub fn ask_apart(&mut self, call: Call<'_>) -> Answer {
        if !self.restartable || self.link.is_direct() {
            return self.ask(call).map_or(Answer::Failed, Answer::Reply);
        }
        let context = self.want.context;
        let mut question = Vec::new();
        let _ = mgl_core::codec::encode(&call, &mut question, &mut Vec::new());
        let stashed = self.answers.iter().position(|a| a.context == context);
        if let Some(stashed) = stashed.map(|i| self.answers.swap_remove(i))
            && stashed.question == question
        {
            let reply = self.link.wait(stashed.ticket);
            let reply = self.answered(&call, stashed.ordinal, reply);
            return reply.map_or(Answer::Failed, Answer::Reply);
        }
        let sent = self.send(&call);
        let ordinal = self.link.sent().saturating_sub(1);
        match sent {
            Sent::Done(reply) => {
                let reply = self.answered(&call, ordinal, reply);
                reply.map_or(Answer::Failed, Answer::Reply)
            }
            Sent::Later(ticket) => {
                self.left = Some(ticket.clone());
                self.answers.push(Stashed {
                    context,
                    question,
                    ordinal,
                    ticket,
                });
                Answer::Later
            }
        }
    }

    /// An answer to record `ordinal` has come: it is recorded, and notices that it may stand behind are taken.
    fn answered(&mut self, call: &Call<'_>, ordinal: u64, reply: Option<Reply>) -> Option<Reply> {
        if let (Some(r), Some(reply)) = (self.recorder.as_mut(), &reply)
            && *reply != Reply::None
        {
            // Other threads may have pushed more meanwhile.
            r.late_reply(self.link.sent().saturating_sub(ordinal + 1), reply);
        }
        self.take_notices();
        if reply.is_none() && call.op().info().wait == Wait::Reply && !self.closed {
            // What a program waits for and does not get it is told of, at once.
            self.raise(crate::consts::gl::GL_INVALID_OPERATION);
        }
        reply
    }

    /// The one place where calls leave: with their speaker, remembered and recorded.
    fn send(&mut self, call: &Call<'_>) -> Sent {
        if self.lost.is_some() || self.closed {
            return Sent::Done(None);
        }
        if self.want != *self.emitted.speaker()
            && !matches!(
                call,
                Call::ContextCreate { .. } | Call::SurfaceCreate { .. }
            )
        {
            let who = self.want;
            drop(self.one(&Call::BindContext { p: &who }));
        }
        self.one(call)
    }

    fn one(&mut self, call: &Call<'_>) -> Sent {
        if self.leave_out.is_some() && self.is_left_out(call) {
            return Sent::Done(None);
        }
        self.emitted.note(call);
        let wait = call.wait();
        self.waits += u64::from(!matches!(wait, Wait::None | Wait::Present));
        // Recorded before it is applied: should the driver below crash, the file shows by which call.
        self.link.send(call, wait, self.recorder.as_mut())
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

    /// An entry point begins. `restartable`: it may be run again ([`Pipe::ask_apart`]).
    #[inline]
    pub fn begin(&mut self, who: BindContext, restartable: bool) {
        self.want = who;
        self.restartable = restartable;
    }

    /// An entry point has done its work, or has been left: what it pushed goes out when it is worth it, or is asked to. Gives what is to be waited for
    /// without the driver, and whether the entry point is to be run again then.
    #[inline]
    pub fn end(&mut self) -> Option<(Ticket, bool)> {
        self.link.offer();
        let awaits = self.left.is_some() | self.after.is_some() | !self.answers.is_empty();
        if !awaits & !self.link.has_notices() {
            return None;
        }
        self.settle()
    }

    /// The end of an entry point that is to wait, or hears something.
    #[cold]
    fn settle(&mut self) -> Option<(Ticket, bool)> {
        if self.link.has_notices() {
            self.take_notices();
        }
        if let Some(ticket) = self.left.take() {
            return Some((ticket, true));
        }
        if !self.answers.is_empty() {
            // Run again, it did not ask again: what it found is another by now.
            let context = self.want.context;
            self.answers.retain(|a| a.context != context);
        }
        self.after.take().map(|ticket| (ticket, false))
    }

    /// Takes what the server has told, in order: errors for their contexts, lines for the log, events for the trace.
    #[cold]
    pub fn take_notices(&mut self) {
        while let Some(notice) = self.link.notice() {
            let Notice {
                ordinal,
                context,
                news,
            } = notice;
            match news {
                News::Failed { op, error } => {
                    self.record_outcome(ordinal, &error);
                    self.failed(context, op, &error);
                }
                News::Event(event) => self.reported(context, &event),
            }
        }
    }

    /// Has the back end tell what it has to, and takes it.
    pub fn look(&mut self) {
        self.link.look();
        self.take_notices();
    }

    #[cold]
    fn failed(&mut self, context: ContextHandle, op: Op, error: &ApplyError) {
        let ApplyError::Backend { error: why, .. } = error else {
            return self.fault(error);
        };
        match why {
            BackendError::OutOfMemory(what) => {
                eprintln!("mgl: {}: out of memory: {what}", op.name());
                self.errors
                    .raise(context, crate::consts::gl::GL_OUT_OF_MEMORY);
            }
            BackendError::Unsupported(what) => {
                let n = self.unsupported.entry(what.clone()).or_insert(0);
                *n += 1;
                if *n == 1 {
                    eprintln!(
                        "mgl: {} is not supported by the {} back end; refused",
                        what, self.caps.backend
                    );
                }
            }
            BackendError::Lost(what) => self.lose(what),
            BackendError::Driver(_) => self.fault(error),
        }
    }

    fn reported(&mut self, context: ContextHandle, event: &Event) {
        if let Some(r) = &mut self.recorder {
            r.event(event);
        }
        match event {
            Event::GlError { code, detail } => {
                eprintln!("mgl: {detail}");
                self.errors.raise(context, *code);
            }
            Event::Log { level, text } if *level >= LogLevel::Warn => eprintln!("mgl: {text}"),
            _ => {}
        }
    }

    /// The device is gone: said once; from now on nothing is sent.
    #[cold]
    fn lose(&mut self, what: &str) {
        if self.lost.is_none() {
            eprintln!(
                "mgl: the device is lost: {what}; what the program draws from now on is not shown"
            );
            self.lost = Some(what.to_owned());
        }
    }

    /// Whether the device is lost (GL 4.6 §2.3.2).
    #[inline]
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.lost.is_some()
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

    /// Leaves a GL error for the next glGetError of the context that speaks.
    pub fn raise(&mut self, code: u32) {
        self.errors.raise(self.want.context, code);
    }

    /// Takes the GL error that pushes left for a context, 0 for none.
    #[inline]
    pub fn take_error(&mut self, context: ContextHandle) -> u32 {
        self.take_notices();
        self.errors.take(context)
    }

    /// Values that the back end refused, with how often.
    #[must_use]
    pub fn unsupported(&self) -> &BTreeMap<String, u64> {
        &self.unsupported
    }

    /// Pushes that the server refused, with how often; empty in a healthy front end.
    #[must_use]
    pub fn faults(&self) -> &BTreeMap<String, u64> {
        &self.faults
    }

    /// Calls that were, or over another link would have been, waited for, Presents apart: round trips.
    #[must_use]
    pub fn waits(&self) -> u64 {
        self.waits
    }

    /// What the client's end of the ring did, where the link has one.
    #[must_use]
    pub fn link_stats(&self) -> Option<LinkStats> {
        self.link.stats()
    }

    /// Frames presented.
    #[must_use]
    pub fn presents(&self) -> u64 {
        self.presents
    }
}

#[cfg(test)]
impl Pipe {
    /// A pipe to a given back end, over the direct link.
    pub fn with_backend(config: &Config, backend: Box<dyn Backend>) -> Self {
        let made = Link::direct(|| Ok::<_, String>(backend));
        let pipe = Self::with_link(config, made.expect("nothing can fail"));
        pipe.expect("a direct link has its server")
    }
    /// Draws with another back end from now on.
    pub fn replace_backend(&mut self, backend: Box<dyn Backend>) {
        self.caps = backend.caps().clone();
        self.server_mut().backend = backend;
    }
    /// The server, which tests look into.
    pub fn server(&self) -> &Server<Box<dyn Backend>> {
        self.link.server().expect("tests use the direct link")
    }
    /// The server, to change it.
    pub fn server_mut(&mut self) -> &mut Server<Box<dyn Backend>> {
        self.link.server_mut().expect("tests use the direct link")
    }
}
