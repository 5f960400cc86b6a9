//! The player: feeds a trace's records to a back end, without the program that made them (design: trace format).
//!
//! The records go through `decode` and `apply` into a fresh [`PushedState`], as they did when they were recorded. What the
//! player adds: frames as units, images, replies compared with the recorded ones, times, errors that name frame and
//! verb, and a bound on what all this may cost ([`limits`](crate::limits)).
//!
//! What a replay that reaches its end stands for ([`Summary::is_faithful`]): the back end did every call, and the driver
//! below had no complaint, but for those that the recording had as well. A call that the back end does not lower is left
//! out, and the replay goes on; one on which it fails ends it. Both are faults of the back end, not of the trace.

use crate::BackendKind;
use crate::limits::{Budget, Limit, OverLimit};
use mgl_core::counters::Counters;
use mgl_core::format::Format;
use mgl_core::handle::SurfaceHandle;
use mgl_core::pipe::ApplyError;
use mgl_core::pipe::event::{Event, LogLevel};
use mgl_core::pipe::*;
use mgl_core::trace::cursor::RecordPlace;
use mgl_core::trace::outcomes::Verdict;
use mgl_core::trace::{TraceError, TraceFile};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What to play, and how.
#[derive(Debug, Clone, Default)]
pub struct PlayOptions<'p> {
    /// Frames to deliver; those before are played too, since state comes from them. `None`: all.
    pub frames: Option<Range<u64>>,
    /// Read the image of every delivered frame.
    pub images: bool,
    /// Of these frames only, if images are read at all.
    pub image_frames: Option<BTreeSet<u64>>,
    /// Compare replies with the recorded ones.
    pub check_replies: bool,
    /// Query results count as comparable: the trace was recorded on this very back end.
    pub same_backend: bool,
    /// Ask the back end what it makes of uploads ([`PlayedFrame::uploads`]).
    pub uploads: bool,
    /// How far the bounds on what a replay may cost hold.
    pub limit: Limit,
    /// Where the replay tells how far it is, for whoever watches this process.
    pub progress: Option<Progress<'p>>,
}

impl PlayOptions<'_> {
    fn wants_image(&self, frame: u64) -> bool {
        self.images
            && self
                .image_frames
                .as_ref()
                .is_none_or(|f| f.contains(&frame))
    }
}

/// How the back end that a trace was recorded on stands to the one that replays it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// It drew. The null back end did not: its replies are zeros and its images black, and say nothing of what another
    /// back end must give.
    pub drew: bool,
    /// It is this very one, driver included.
    pub same: bool,
}

impl Origin {
    /// What the trace says of it; a trace that names no back end counts as drawn.
    #[must_use]
    pub fn of(file: &TraceFile, here: &Caps) -> Self {
        let there = file.provenance().caps.as_ref();
        let name = |c: &Caps| (c.backend.clone(), c.renderer.clone(), c.version.clone());
        Self {
            drew: file.provenance().backend != BackendKind::Null.name(),
            same: there.is_some_and(|c| name(c) == name(here)),
        }
    }
}

/// How far a replay is, told before each record in four words, which may lie in memory that another process sees: when
/// a driver takes the replay down, they still name the record at which it happened.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'p> {
    words: &'p [AtomicU64; 4],
}

/// A record that a replay has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgressPlace {
    /// Ordinal of the record in the file.
    pub ordinal: u64,
    /// Its frame.
    pub frame: u64,
    /// Ordinal in the frame of the next verb, which is this one if the record is a verb.
    pub next_verb: u32,
    /// The call.
    pub op: Op,
}

impl std::fmt::Display for ProgressPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            ordinal,
            frame,
            next_verb,
            op,
        } = self;
        let before = if op.info().class == Class::Verb {
            ""
        } else {
            " (before)"
        };
        write!(f, "{frame}:{next_verb}{before}, {op:?}, record {ordinal}")
    }
}

impl<'p> Progress<'p> {
    /// Tells it in these words: records begun, frame, next verb, opcode. All zero: none has begun.
    #[must_use]
    pub fn new(words: &'p [AtomicU64; 4]) -> Self {
        Self { words }
    }

    /// Says that a record is next.
    #[inline]
    pub fn begin(&self, place: &RecordPlace, op: Op) {
        let values = [
            place.ordinal + 1,
            place.frame,
            u64::from(place.next_verb),
            u64::from(op as u16),
        ];
        // A reader looks when the writer is gone, or takes what it reads for a snapshot that may be torn.
        for (word, value) in self.words.iter().zip(values) {
            word.store(value, Ordering::Relaxed);
        }
    }

    /// The record that was begun last; none before the first.
    #[must_use]
    pub fn last(&self) -> Option<ProgressPlace> {
        let [begun, frame, next_verb, op] =
            std::array::from_fn(|i| self.words[i].load(Ordering::Relaxed));
        Some(ProgressPlace {
            ordinal: begun.checked_sub(1)?,
            frame,
            next_verb: u32::try_from(next_verb).ok()?,
            op: Op::from_u16(u16::try_from(op).ok()?)?,
        })
    }
}

/// Pixels of the largest image that is read.
pub const MAX_PIXELS: u64 = 1 << 26;

/// A picture: RGBA, one byte each, bottom row first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// `width * height * 4` bytes.
    pub rgba: Vec<u8>,
}

impl Picture {
    /// The rows from the top, as image files have them.
    #[must_use]
    pub fn top_down(&self) -> Vec<u8> {
        let row = self.width as usize * 4;
        self.rgba
            .chunks_exact(row.max(1))
            .rev()
            .flatten()
            .copied()
            .collect()
    }
}

/// A frame that was played.
#[derive(Debug, Clone)]
pub struct PlayedFrame {
    /// Its number.
    pub frame: u64,
    /// The surface presented; null in a partial frame.
    pub surface: SurfaceHandle,
    /// What follows the last Present: shown by nothing.
    pub partial: bool,
    /// Counted in this frame.
    pub counters: Counters,
    /// Time in `decode`, `apply` and the back end.
    pub time: Duration,
    /// The image, if asked for and available.
    pub image: Option<Picture>,
    /// What the back end made of the frame's uploads, in order, if asked for.
    pub uploads: Vec<UploadReport>,
    /// What the back end itself counted in this frame, by name.
    pub native: Vec<(&'static str, u64)>,
}

/// A reply that differs from the recorded one.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ReplyDifference {
    /// Verb name `F:N` or place.
    pub place: String,
    /// The call.
    pub call: &'static str,
    /// What differs, in words.
    pub detail: String,
}

/// How a replay went.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// Frames delivered.
    pub frames: u64,
    /// Counted over all.
    pub counters: Counters,
    /// Replies compared.
    pub replies_compared: u64,
    /// Those that differ.
    pub reply_differences: Vec<ReplyDifference>,
    /// What the back end did not do, and what the driver complained of (debug messages, out of memory), each once. The
    /// recording had none of it.
    pub backend_errors: Vec<String>,
    /// What the back end drew as near as its API allows, by name, with how often.
    pub approximated: Vec<(&'static str, u64)>,
    /// The same, where the recording had it too.
    pub as_recorded: Vec<String>,
    /// The call on which the back end failed, with its verb: nothing behind it was replayed.
    pub fault: Option<String>,
    /// Time in `decode`, `apply` and the back end.
    pub time: Duration,
}

impl Summary {
    /// Whether the back end did all that the recording's did.
    #[must_use]
    pub fn is_faithful(&self) -> bool {
        self.fault.is_none() && self.backend_errors.is_empty()
    }
}

/// Why a replay ended before its time; a back end that fails is no such reason ([`Summary::fault`]).
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// The file.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A call does not go with what was pushed before: the trace is at fault.
    #[error("frame {frame}, verb {place}, record {ordinal}: {error}")]
    Apply {
        /// Frame.
        frame: u64,
        /// Verb name.
        place: String,
        /// Ordinal of the record.
        ordinal: u64,
        /// What happened.
        error: ApplyError,
    },
    /// The trace asks for more than a replay may cost.
    #[error("frame {frame}, verb {place}, record {ordinal}: {error}")]
    Limit {
        /// Frame.
        frame: u64,
        /// Verb name.
        place: String,
        /// Ordinal of the record.
        ordinal: u64,
        /// What it asks for.
        error: OverLimit,
    },
    /// The receiver of frames gave up.
    #[error("{0}")]
    Stopped(String),
}

impl PlayError {
    /// Whether the back end failed, or does not take the call; else the trace is at fault.
    #[must_use]
    pub fn is_fault(&self) -> bool {
        matches!(
            self,
            Self::Apply {
                error: ApplyError::Backend { .. } | ApplyError::NotTaken { .. },
                ..
            }
        )
    }
}

/// Different complaints that are kept; a driver may have one for every draw.
const COMPLAINTS: usize = 100;

/// What went wrong in the back end, each once.
#[derive(Default)]
struct Complaints {
    /// What it does not lower, as it calls it, with the message and how often.
    unsupported: BTreeMap<String, (String, u64)>,
    /// What was not carried out when it was recorded either, as it is said here.
    as_recorded: BTreeSet<String>,
    /// What it or the driver said.
    said: Vec<String>,
    /// Those that were not kept.
    more: u64,
}

impl Complaints {
    fn unsupported(&mut self, op: &str, what: String) {
        if let Some((_, times)) = self.unsupported.get_mut(&what) {
            *times += 1;
        } else if self.unsupported.len() < COMPLAINTS {
            let text = format!("{op}: not supported: {what}");
            self.unsupported.insert(what, (text, 1));
        } else {
            self.more += 1;
        }
    }

    fn as_recorded(&mut self, error: &ApplyError) {
        let text = match error {
            ApplyError::Backend {
                op,
                error: BackendError::Unsupported(what),
            } => format!("{op}: not supported: {what}"),
            error => error.to_string(),
        };
        if self.as_recorded.len() < COMPLAINTS {
            self.as_recorded.insert(text);
        }
    }

    fn say(&mut self, text: String) {
        if self.said.contains(&text) {
            return;
        }
        match self.said.len() < COMPLAINTS {
            true => self.said.push(text),
            false => self.more += 1,
        }
    }

    /// Tells what the recording had too from what it had not. A recording says at its end how often a value was refused;
    /// the driver's complaints stand where they came.
    fn sort(self, file: &TraceFile, out: &mut Summary) -> Result<(), TraceError> {
        out.as_recorded.extend(self.as_recorded);
        if self.unsupported.is_empty() && self.said.is_empty() {
            return Ok(());
        }
        // A file that tells outcomes has told of each call; one of version 1 says only how often a value was refused.
        let told = !file.outcomes()?.is_empty();
        let mut recorded = BTreeSet::new();
        let mut refused: BTreeMap<&str, u64> = BTreeMap::new();
        file.visit_events(&mut |_, event| match event {
            Event::Log { level, text } if level >= LogLevel::Warn => {
                if !told
                    && let Some((what, times)) = refusal(&text)
                    && let Some((what, _)) = self.unsupported.get_key_value(what)
                {
                    refused.insert(what, times);
                }
                if self.said.contains(&text) {
                    recorded.insert(text);
                }
            }
            Event::GlError { detail, .. } if self.said.contains(&detail) => {
                recorded.insert(detail);
            }
            _ => {}
        })?;
        for (what, (text, times)) in &self.unsupported {
            match refused.get(what.as_str()) {
                Some(n) if times <= n => out.as_recorded.push(text.clone()),
                _ => out.backend_errors.push(text.clone()),
            }
        }
        for text in self.said {
            match recorded.contains(&text) {
                true => out.as_recorded.push(text),
                false => out.backend_errors.push(text),
            }
        }
        if self.more > 0 {
            let text = format!("and {} more complaints", self.more);
            out.backend_errors.push(text);
        }
        Ok(())
    }
}

/// The value and the number of `… refused N times`, which a recording ends with.
fn refusal(text: &str) -> Option<(&str, u64)> {
    let (what, times) = text.strip_suffix(" times")?.rsplit_once(" refused ")?;
    Some((what, times.parse().ok()?))
}

/// Plays a trace. `deliver` gets every frame of the selection, in order, and may end the replay by an error text.
///
/// # Errors
///
/// The file cannot be read or decoded, a call is refused, or `deliver` ends it.
pub fn play(
    file: &TraceFile,
    backend: &mut dyn Backend,
    options: &PlayOptions<'_>,
    deliver: &mut dyn FnMut(PlayedFrame) -> Result<(), String>,
) -> Result<Summary, PlayError> {
    let mut p = Player {
        file,
        options,
        server: Server::new(backend),
        at_frame_start: Counters::default(),
        native_at_frame_start: Vec::new(),
        summary: Summary::default(),
        frame_time: Duration::ZERO,
        budget: Budget::new(file, options.limit),
        complaints: Complaints::default(),
    };
    p.server.backend.report_uploads(options.uploads);
    p.native_at_frame_start = p.server.backend.native_counters();
    let played = p.play_frames(deliver);
    p.server.backend.report_uploads(false);
    p.summary.counters = p.server.counters;
    p.summary.approximated = p.server.backend.approximations();
    match played {
        Err(error) if error.is_fault() => {
            p.drain();
            p.summary.fault = Some(error.to_string());
        }
        played => played?,
    }
    p.complaints.sort(file, &mut p.summary)?;
    Ok(p.summary)
}

struct Player<'p> {
    file: &'p TraceFile,
    server: Server<&'p mut dyn Backend>,
    options: &'p PlayOptions<'p>,
    at_frame_start: Counters,
    native_at_frame_start: Vec<(&'static str, u64)>,
    summary: Summary,
    frame_time: Duration,
    budget: Budget,
    complaints: Complaints,
}

impl Player<'_> {
    fn play_frames(
        &mut self,
        deliver: &mut dyn FnMut(PlayedFrame) -> Result<(), String>,
    ) -> Result<(), PlayError> {
        let wanted = self
            .options
            .frames
            .clone()
            .unwrap_or(self.file.all_frames());
        let mut cursor = if wanted.is_empty() && self.options.frames.is_none() {
            return Ok(());
        } else if self.options.frames.is_some() {
            // A selection that the file does not have is an error of its own; what precedes it is played as well.
            self.file.records(wanted.clone())?;
            self.file
                .records(self.file.all_frames().start..wanted.end)?
        } else {
            self.file.records(..)?
        };
        let mut last: Option<RecordPlace> = None;
        loop {
            let start = Instant::now();
            let Some(record) = cursor.next()? else { break };
            let place = record.place;
            if let Some(progress) = &self.options.progress {
                progress.begin(&place, record.call.op());
            }
            let present = match record.call {
                Call::Present { p } => Some(p.surface),
                _ => None,
            };
            let deliver_this = wanted.contains(&place.frame);
            let mut image = None;
            if let Some(surface) = present {
                self.frame_time += start.elapsed();
                if deliver_this && self.options.wants_image(place.frame) {
                    image = self.uncounted(|p| p.surface_image(surface));
                }
                let start = Instant::now();
                self.apply(&record.call, &place)?;
                self.frame_time += start.elapsed();
                self.drain();
                self.end_frame(place.frame, surface, false, image, deliver_this, deliver)?;
            } else {
                self.apply(&record.call, &place)?;
                self.frame_time += start.elapsed();
            }
            last = Some(place).filter(|_| present.is_none());
        }
        if let Some(place) = last {
            self.drain();
            let deliver_this = wanted.contains(&place.frame);
            let image = if deliver_this && self.options.wants_image(place.frame) {
                self.uncounted(Self::bound_image)
            } else {
                None
            };
            self.end_frame(
                place.frame,
                SurfaceHandle::NULL,
                true,
                image,
                deliver_this,
                deliver,
            )?;
        }
        Ok(())
    }

    fn apply(&mut self, call: &Call<'_>, place: &RecordPlace) -> Result<(), PlayError> {
        let fail = |error| PlayError::Apply {
            frame: place.frame,
            place: place.to_string(),
            ordinal: place.ordinal,
            error,
        };
        self.take_cost(call).map_err(|error| PlayError::Limit {
            frame: place.frame,
            place: place.to_string(),
            ordinal: place.ordinal,
            error,
        })?;
        match self.server.apply(call) {
            Ok(reply) => {
                if self.options.check_replies && reply != Reply::None {
                    self.compare_reply(call, &reply, place)?;
                }
                Ok(())
            }
            Err(error) => match (self.file.judge(place.ordinal, &error)?, error) {
                (Verdict::AsRecorded, error) => {
                    self.complaints.as_recorded(&error);
                    Ok(())
                }
                // What the back end does not lower is left out, as it is live.
                (
                    Verdict::Fault(_),
                    ApplyError::Backend {
                        op,
                        error: BackendError::Unsupported(what),
                    },
                ) => {
                    self.complaints.unsupported(op, what);
                    Ok(())
                }
                (Verdict::Fault(_), error) => Err(fail(error)),
            },
        }
    }

    /// Takes a call's cost from the budget. Whether an indirect draw is too much stands in a buffer.
    fn take_cost(&mut self, call: &Call<'_>) -> Result<(), OverLimit> {
        let take = |p: &mut Self| p.budget.take(&p.server.state, &mut *p.server.backend, call);
        match call {
            Call::DrawVbo { p, .. } if p.flags.has(DrawFlags::INDIRECT) => self.uncounted(take),
            _ => take(self),
        }
    }

    /// Compares what can be compared: bytes that were read, and query results on the same back end; never clocks,
    /// fences or availability, which no two runs share.
    fn compare_reply(
        &mut self,
        call: &Call<'_>,
        reply: &Reply,
        place: &RecordPlace,
    ) -> Result<(), PlayError> {
        let comparable = match call {
            Call::ReadPixels { .. }
            | Call::GetTextureImage { .. }
            | Call::ResourceReadback { .. } => true,
            Call::QueryResult { p } => {
                self.options.same_backend
                    && self.server.state.queries.get(p.query).is_ok_and(|q| {
                        !matches!(
                            q.desc.target,
                            QueryTarget::TIME_ELAPSED | QueryTarget::TIMESTAMP
                        )
                    })
            }
            _ => false,
        };
        if !comparable {
            return Ok(());
        }
        let Some(recorded) = self.file.reply(place.ordinal)? else {
            return Ok(());
        };
        self.summary.replies_compared += 1;
        let detail = match (&recorded, reply) {
            (a, b) if a == b => return Ok(()),
            (Reply::Bytes(a), Reply::Bytes(b)) if a.len() == b.len() => {
                let n = a.iter().zip(b).filter(|(x, y)| x != y).count();
                format!("{n} of {} bytes differ", a.len())
            }
            (Reply::Bytes(a), Reply::Bytes(b)) => {
                format!("{} bytes recorded, {} replayed", a.len(), b.len())
            }
            (a, b) => format!("{a:?} recorded, {b:?} replayed"),
        };
        self.summary.reply_differences.push(ReplyDifference {
            place: place.to_string(),
            call: call.op().name(),
            detail,
        });
        Ok(())
    }

    fn drain(&mut self) {
        for e in self.server.backend.take_events() {
            match e {
                Event::Log {
                    level: LogLevel::Error,
                    text,
                }
                | Event::GlError { detail: text, .. } => self.complaints.say(text),
                _ => {}
            }
        }
    }

    fn surface_image(&mut self, surface: SurfaceHandle) -> Option<Picture> {
        let extent = self
            .server
            .state
            .surfaces
            .get(surface)
            .map(|d| (d.width, d.height));
        if let Ok((width, height)) = extent
            && u64::from(width) * u64::from(height) > MAX_PIXELS
        {
            let text = format!("no image: {width}x{height} pixels are more than {MAX_PIXELS}");
            self.complaints.say(text);
            return None;
        }
        match self
            .server
            .backend
            .read_surface(&self.server.state, surface)
        {
            Ok((width, height, rgba)) => Some(Picture {
                width,
                height,
                rgba,
            }),
            Err(e) => {
                self.complaints.say(format!("no image: {e}"));
                None
            }
        }
    }

    /// The image of a partial frame: the bound draw framebuffer's first colour buffer, where that has eight bits a
    /// channel.
    fn bound_image(&mut self) -> Option<Picture> {
        let c = self.server.state.context()?;
        let fb = c.values.draw_framebuffer;
        let color = fb.color.get(*fb.draw_buffers.first()? as usize)?;
        if let Some(surface) = color.resource.typed::<SurfaceHandle>() {
            return self.surface_image(surface);
        }
        let pixels = u64::from(fb.width) * u64::from(fb.height);
        if !matches!(color.format, Format::RGBA8 | Format::SRGB8_ALPHA8)
            || fb.samples > 1
            || pixels > MAX_PIXELS
        {
            return None;
        }
        let read = FramebufferState {
            binding: FramebufferBinding::READ,
            read: *color,
            ..fb
        };
        let pixels = ReadPixels {
            width: fb.width,
            height: fb.height,
            format: color.format,
            buffers: BufferMask::COLOR0,
            ..ReadPixels::default()
        };
        for call in [
            Call::SetFramebufferState { p: &read },
            Call::ReadPixels { p: &pixels },
        ] {
            if let Ok(Reply::Bytes(rgba)) = self.server.apply_uncounted(&call) {
                return Some(Picture {
                    width: fb.width,
                    height: fb.height,
                    rgba,
                });
            }
        }
        None
    }

    fn end_frame(
        &mut self,
        frame: u64,
        surface: SurfaceHandle,
        partial: bool,
        image: Option<Picture>,
        deliver_this: bool,
        deliver: &mut dyn FnMut(PlayedFrame) -> Result<(), String>,
    ) -> Result<(), PlayError> {
        let counters = self.server.counters.since(&self.at_frame_start);
        self.at_frame_start = self.server.counters;
        let uploads = self.server.backend.take_uploads();
        let native = self.native_since_frame_start();
        let time = std::mem::take(&mut self.frame_time);
        self.summary.time += time;
        if !deliver_this {
            return Ok(());
        }
        self.summary.frames += 1;
        deliver(PlayedFrame {
            frame,
            surface,
            partial,
            counters,
            time,
            image,
            uploads,
            native,
        })
        .map_err(PlayError::Stopped)
    }

    /// Runs `f`, and leaves what the back end counts meanwhile out of the frame: images are the player's wish, not the
    /// trace's. (State that has to be set again afterwards is the next frame's: compare counters of replays that take
    /// the same images.)
    fn uncounted<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.server.backend.native_counters();
        let result = f(self);
        let after = self.server.backend.native_counters();
        for (name, start) in &mut self.native_at_frame_start {
            let value = |list: &[(&str, u64)]| list.iter().find(|c| c.0 == *name).map(|c| c.1);
            if let (Some(b), Some(a)) = (value(&before), value(&after)) {
                *start = start.wrapping_add(a.wrapping_sub(b));
            }
        }
        result
    }

    /// What the back end counted since the last call.
    fn native_since_frame_start(&mut self) -> Vec<(&'static str, u64)> {
        let now = self.server.backend.native_counters();
        let before = std::mem::replace(&mut self.native_at_frame_start, now);
        self.native_at_frame_start
            .iter()
            .map(|&(name, value)| {
                let old = before.iter().find(|b| b.0 == name).map_or(0, |b| b.1);
                (name, value.wrapping_sub(old))
            })
            .collect()
    }
}
