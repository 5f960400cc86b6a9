//! The attachments of the bound draw framebuffer after a verb: for looking at a frame while it is being drawn.
//!
//! A replay is played up to the verb, then the framebuffer is read through the pipe like anything else; nothing is played
//! after that. Attachments of several samples are resolved first.

use crate::limits::{Budget, Limit};
use crate::player::{PlayError, Progress};
use mgl_core::format::Format;
use mgl_core::handle::{Handle, RenderbufferHandle, ResourceHandle};
use mgl_core::pipe::ApplyError;
use mgl_core::pipe::*;
use mgl_core::trace::cursor::RecordPlace;
use mgl_core::trace::outcomes::Verdict;
use mgl_core::trace::{TraceError, TraceFile};
use std::collections::HashSet;

/// An attachment as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachmentImage {
    /// `color0` to `color7`, `depth`, `stencil`.
    pub name: String,
    /// Its format; `bytes` are in its transfer layout.
    pub format: Format,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Samples before they were resolved; 0 and 1 are single-sampled.
    pub samples: u32,
    /// Rows, bottom row first.
    pub bytes: Vec<u8>,
}

/// What a framebuffer held.
#[derive(Debug, Clone)]
pub struct FramebufferImage {
    /// The verb's call.
    pub op: Op,
    /// All attachments that could be read.
    pub attachments: Vec<AttachmentImage>,
    /// Those that could not: name, and why.
    pub unread: Vec<(String, String)>,
}

/// Why there is no image of a framebuffer.
#[derive(Debug, thiserror::Error)]
pub enum AttachmentError {
    /// The file.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The replay ended before.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// There is no such verb.
    #[error("frame {frame} has {verbs} verbs, from {frame}:0 on; there is no {frame}:{verb}")]
    NoVerb {
        /// The frame.
        frame: u64,
        /// The verb that was asked for.
        verb: u32,
        /// How many there are.
        verbs: u32,
    },
    /// Nothing is drawn to.
    #[error("no framebuffer is bound at verb {frame}:{verb}")]
    NoFramebuffer {
        /// The frame.
        frame: u64,
        /// The verb.
        verb: u32,
    },
}

/// Plays a trace up to a verb and reads what the bound draw framebuffer holds after it; of a Present, before it.
///
/// # Errors
///
/// [`AttachmentError`]. An attachment that cannot be read is no error: it stands in [`FramebufferImage::unread`].
pub fn framebuffer_after(
    file: &TraceFile,
    backend: &mut dyn Backend,
    frame: u64,
    verb: u32,
    limit: Limit,
    progress: Option<Progress<'_>>,
) -> Result<FramebufferImage, AttachmentError> {
    let mut budget = Budget::new(file, limit);
    let all = file.all_frames();
    // A frame that the file does not have is an error of its own.
    file.records(frame..=frame)?;
    let mut cursor = file.records(all.start..=frame)?;
    let mut server = Server::new(backend);
    let mut verbs = 0;
    while let Some(record) = cursor.next()? {
        let place = record.place;
        let here = place.frame == frame && place.verb == Some(verb);
        if place.frame == frame && place.verb.is_some() {
            verbs += 1;
        }
        if let Some(progress) = &progress {
            progress.begin(&place, record.call.op());
        }
        let taken = budget.take(&server.state, &mut *server.backend, &record.call);
        taken.map_err(|error| PlayError::Limit {
            frame: place.frame,
            place: place.to_string(),
            ordinal: place.ordinal,
            error,
        })?;
        let present = matches!(record.call, Call::Present { .. });
        if !(here && present) {
            push(file, &mut server, &record.call, &place)?;
        }
        if here {
            let fb = match server.state.context() {
                Some(c) => c.values.draw_framebuffer,
                None => return Err(AttachmentError::NoFramebuffer { frame, verb }),
            };
            let mut reader = Reader {
                server,
                out: FramebufferImage {
                    op: record.call.op(),
                    attachments: Vec::new(),
                    unread: Vec::new(),
                },
            };
            reader.read_all(&fb);
            return Ok(reader.out);
        }
    }
    Err(AttachmentError::NoVerb { frame, verb, verbs })
}

/// As the player does: what the back end does not lower draws nothing, and what was not carried out when it was recorded
/// is not here either.
fn push(
    file: &TraceFile,
    server: &mut Server<&mut dyn Backend>,
    call: &Call<'_>,
    place: &RecordPlace,
) -> Result<(), PlayError> {
    let Err(error) = server.apply(call) else {
        return Ok(());
    };
    if error.unsupported().is_some() || file.judge(place.ordinal, &error)? == Verdict::AsRecorded {
        return Ok(());
    }
    Err(PlayError::Apply {
        frame: place.frame,
        place: place.to_string(),
        ordinal: place.ordinal,
        error,
    })
}

struct Reader<'r> {
    server: Server<&'r mut dyn Backend>,
    out: FramebufferImage,
}

/// What of a framebuffer is read.
#[derive(Clone, Copy)]
struct Part {
    attachment: Attachment,
    buffers: BufferMask,
}

impl Reader<'_> {
    fn read_all(&mut self, fb: &FramebufferState) {
        for (i, &attachment) in fb.color.iter().enumerate() {
            let part = Part {
                attachment,
                buffers: BufferMask::COLOR0,
            };
            self.read(format!("color{i}"), fb, part);
        }
        let depth = Part {
            attachment: fb.depth,
            buffers: BufferMask::DEPTH,
        };
        self.read("depth".to_owned(), fb, depth);
        let stencil = Part {
            attachment: fb.stencil,
            buffers: BufferMask::STENCIL,
        };
        self.read("stencil".to_owned(), fb, stencil);
    }

    fn read(&mut self, name: String, fb: &FramebufferState, part: Part) {
        if part.attachment.resource.is_null() {
            return;
        }
        let format = part.attachment.format;
        match self.bytes(fb, part) {
            Ok(bytes) => self.out.attachments.push(AttachmentImage {
                name,
                format,
                width: fb.width,
                height: fb.height,
                samples: fb.samples,
                bytes,
            }),
            Err(why) => self.out.unread.push((name, why.to_string())),
        }
    }

    fn push(&mut self, call: &Call<'_>) -> Result<Reply, ApplyError> {
        self.server.apply(call)
    }

    fn bytes(&mut self, fb: &FramebufferState, part: Part) -> Result<Vec<u8>, ApplyError> {
        let color = part.buffers == BufferMask::COLOR0;
        let mut read = FramebufferState {
            binding: FramebufferBinding::READ,
            read: match color {
                true => part.attachment,
                false => Attachment::default(),
            },
            ..*fb
        };
        self.push(&Call::SetFramebufferState { p: &read })?;
        if fb.samples > 1 {
            read = self.resolved(fb, part)?;
            self.push(&Call::SetFramebufferState { p: &read })?;
        }
        let pixels = ReadPixels {
            width: fb.width,
            height: fb.height,
            format: part.attachment.format,
            buffers: part.buffers,
            ..ReadPixels::default()
        };
        match self.push(&Call::ReadPixels { p: &pixels })? {
            Reply::Bytes(bytes) => Ok(bytes),
            _ => Ok(Vec::new()),
        }
    }

    /// Blits the bound read framebuffer into a renderbuffer of one sample; gives the framebuffer to read that from.
    fn resolved(
        &mut self,
        fb: &FramebufferState,
        part: Part,
    ) -> Result<FramebufferState, ApplyError> {
        let used: HashSet<u32> = self
            .server
            .state
            .renderbuffers
            .iter()
            .map(|(h, _)| h.0.slot)
            .collect();
        let slot = (0..).find(|s| !used.contains(s)).unwrap_or(0);
        // Above every generation that the trace has given out.
        let handle = RenderbufferHandle(Handle {
            slot,
            generation: u32::MAX,
        });
        let color = part.buffers == BufferMask::COLOR0;
        let bind = if color {
            BindMask::RENDER_TARGET
        } else {
            BindMask::DEPTH_STENCIL
        };
        let desc = ResourceDesc {
            resource: ResourceHandle::of(handle),
            target: Target::RENDERBUFFER,
            bind,
            format: part.attachment.format,
            width: fb.width,
            height: fb.height,
            depth: 1,
            layers: 1,
            levels: 1,
            ..ResourceDesc::default()
        };
        self.push(&Call::ResourceCreate { p: &desc })?;
        let attachment = Attachment {
            resource: desc.resource,
            format: desc.format,
            target: Target::RENDERBUFFER,
            ..Attachment::default()
        };
        let mut target = FramebufferState {
            framebuffer: fb.framebuffer,
            binding: FramebufferBinding::DRAW,
            width: fb.width,
            height: fb.height,
            draw_buffers: [NO_BUFFER; MAX_COLOR_ATTACHMENTS],
            ..FramebufferState::default()
        };
        match part.buffers {
            BufferMask::COLOR0 => {
                target.color[0] = attachment;
                target.draw_buffers[0] = 0;
                target.read = attachment;
            }
            BufferMask::DEPTH => target.depth = attachment,
            _ => target.stencil = attachment,
        }
        self.push(&Call::SetFramebufferState { p: &target })?;
        let area = Rect {
            x1: fb.width as i32,
            y1: fb.height as i32,
            ..Rect::default()
        };
        let blit = Blit {
            src: area,
            dst: area,
            buffers: part.buffers,
            filter: Filter::NEAREST,
            ..Blit::default()
        };
        // A scissor would cut the blit.
        let dynamic = self.without_scissor();
        if let Some((chunks, words)) = dynamic {
            let p = SetDynamicState {
                chunks,
                ..SetDynamicState::default()
            };
            self.push(&Call::SetDynamicState {
                p: &p,
                words: &words,
            })?;
        }
        self.push(&Call::Blit { p: &blit })?;
        Ok(FramebufferState {
            binding: FramebufferBinding::READ,
            ..target
        })
    }

    /// The dynamic state with its scissors off, as SetDynamicState takes it.
    fn without_scissor(&self) -> Option<(u32, Vec<u32>)> {
        let mut dynamic = self.server.state.context()?.values.dynamic;
        dynamic.scissors = DynamicState::initial().scissors;
        let mut words = Vec::new();
        dynamic.gather(ALL_CHUNKS, &mut words);
        Some((ALL_CHUNKS, words))
    }
}
