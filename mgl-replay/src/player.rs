//! The player: feeds a trace's records to a back end, without the program that made them (design: trace format).
//!
//! The records go through `decode` and `apply` into a fresh [`PushedState`], as they did when they were recorded. What the
//! player adds: frames as units, images, replies compared with the recorded ones, times, and errors that name frame and
//! verb.

use mgl_core::counters::Counters;
use mgl_core::format::Format;
use mgl_core::handle::SurfaceHandle;
use mgl_core::pipe::apply::ApplyError;
use mgl_core::pipe::event::{Event, LogLevel};
use mgl_core::pipe::*;
use mgl_core::trace::cursor::RecordPlace;
use mgl_core::trace::{TraceError, TraceFile};
use std::ops::Range;
use std::time::{Duration, Instant};

/// What to play, and how.
#[derive(Debug, Clone, Default)]
pub struct PlayOptions {
    /// Frames to deliver; those before are played too, since state comes from them. `None`: all.
    pub frames: Option<Range<u64>>,
    /// Read the image of every delivered frame.
    pub images: bool,
    /// Compare replies with the recorded ones.
    pub check_replies: bool,
    /// Query results count as comparable: the trace was recorded on this very back end.
    pub same_backend: bool,
}

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
    /// Errors that the back end reported (debug messages, out of memory).
    pub backend_errors: Vec<String>,
    /// Time in `decode`, `apply` and the back end.
    pub time: Duration,
}

/// Why a replay ended.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// The file.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A call was refused or failed.
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
    /// The receiver of frames gave up.
    #[error("{0}")]
    Stopped(String),
}

impl PlayError {
    /// Whether the environment is at fault (exit code 3), not the trace.
    #[must_use]
    pub fn is_environment(&self) -> bool {
        matches!(
            self,
            Self::Apply {
                error: ApplyError::Backend {
                    error: BackendError::Lost(_) | BackendError::Driver(_),
                    ..
                },
                ..
            }
        )
    }
}

/// Plays a trace. `deliver` gets every frame of the selection, in order, and may end the replay by an error text.
///
/// # Errors
///
/// The file cannot be read or decoded, a call is refused, or `deliver` ends it.
pub fn play(
    file: &TraceFile,
    backend: &mut dyn Backend,
    options: &PlayOptions,
    deliver: &mut dyn FnMut(PlayedFrame) -> Result<(), String>,
) -> Result<Summary, PlayError> {
    let mut p = Player {
        file,
        backend,
        options,
        state: PushedState::default(),
        counters: Counters::default(),
        at_frame_start: Counters::default(),
        summary: Summary::default(),
        frame_time: Duration::ZERO,
    };
    let wanted = options.frames.clone().unwrap_or(file.all_frames());
    let mut cursor = if wanted.is_empty() && options.frames.is_none() {
        return Ok(p.summary);
    } else if options.frames.is_some() {
        // A selection that the file does not have is an error of its own; what precedes it is played as well.
        file.records(wanted.clone())?;
        file.records(file.all_frames().start..wanted.end)?
    } else {
        file.records(..)?
    };
    let mut last: Option<RecordPlace> = None;
    loop {
        let start = Instant::now();
        let Some(record) = cursor.next()? else { break };
        let place = record.place;
        let present = match record.call {
            Call::Present { p } => Some(p.surface),
            _ => None,
        };
        let deliver_this = wanted.contains(&place.frame);
        let mut image = None;
        if let Some(surface) = present {
            p.frame_time += start.elapsed();
            if deliver_this && options.images {
                image = p.surface_image(surface);
            }
            let start = Instant::now();
            p.apply(&record.call, &place)?;
            p.frame_time += start.elapsed();
            p.drain();
            p.end_frame(place.frame, surface, false, image, deliver_this, deliver)?;
        } else {
            p.apply(&record.call, &place)?;
            p.frame_time += start.elapsed();
        }
        last = Some(place).filter(|_| present.is_none());
    }
    if let Some(place) = last {
        p.drain();
        let deliver_this = wanted.contains(&place.frame);
        let image = if deliver_this && options.images {
            p.bound_image()
        } else {
            None
        };
        p.end_frame(
            place.frame,
            SurfaceHandle::NULL,
            true,
            image,
            deliver_this,
            deliver,
        )?;
    }
    p.summary.counters = p.counters;
    Ok(p.summary)
}

struct Player<'p> {
    file: &'p TraceFile,
    backend: &'p mut dyn Backend,
    options: &'p PlayOptions,
    state: PushedState,
    counters: Counters,
    at_frame_start: Counters,
    summary: Summary,
    frame_time: Duration,
}

impl Player<'_> {
    fn apply(&mut self, call: &Call<'_>, place: &RecordPlace) -> Result<(), PlayError> {
        let fail = |error| PlayError::Apply {
            frame: place.frame,
            place: place.to_string(),
            ordinal: place.ordinal,
            error,
        };
        match apply(&mut self.state, self.backend, &mut self.counters, call) {
            Ok(reply) => {
                if self.options.check_replies && reply != Reply::None {
                    self.compare_reply(call, &reply, place)?;
                }
                Ok(())
            }
            // What the back end does not lower was refused while recording too, and drew nothing there either.
            Err(ApplyError::Backend {
                op,
                error: BackendError::Unsupported(what),
            }) => {
                let text = format!("{op}: not supported: {what}");
                if !self.summary.backend_errors.contains(&text) {
                    self.summary.backend_errors.push(text);
                }
                Ok(())
            }
            Err(e) => Err(fail(e)),
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
                    && self.state.queries.get(p.query).is_ok_and(|q| {
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
        for e in self.backend.take_events() {
            match e {
                Event::Log {
                    level: LogLevel::Error,
                    text,
                }
                | Event::GlError { detail: text, .. } => {
                    self.summary.backend_errors.push(text);
                }
                _ => {}
            }
        }
    }

    fn surface_image(&mut self, surface: SurfaceHandle) -> Option<Picture> {
        match self.backend.read_surface(&self.state, surface) {
            Ok((width, height, rgba)) => Some(Picture {
                width,
                height,
                rgba,
            }),
            Err(e) => {
                self.summary.backend_errors.push(format!("no image: {e}"));
                None
            }
        }
    }

    /// The image of a partial frame: the bound draw framebuffer's first colour buffer, where that has eight bits a
    /// channel.
    fn bound_image(&mut self) -> Option<Picture> {
        let c = self.state.context()?;
        let fb = c.values.draw_framebuffer;
        let color = fb.color.get(*fb.draw_buffers.first()? as usize)?;
        if let Some(surface) = color.resource.typed::<SurfaceHandle>() {
            return self.surface_image(surface);
        }
        if !matches!(color.format, Format::RGBA8 | Format::SRGB8_ALPHA8) || fb.samples > 1 {
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
        let mut scratch = Counters::default();
        for call in [
            Call::SetFramebufferState { p: &read },
            Call::ReadPixels { p: &pixels },
        ] {
            if let Ok(Reply::Bytes(rgba)) =
                apply(&mut self.state, self.backend, &mut scratch, &call)
            {
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
        let counters = self.counters.since(&self.at_frame_start);
        self.at_frame_start = self.counters;
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
        })
        .map_err(PlayError::Stopped)
    }
}
