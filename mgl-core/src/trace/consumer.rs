//! One reader, many tools: a consumer is handed everything in a file, in the order in which it happened.

use super::contents::FrameImage;
use super::cursor::Record;
use super::error::TraceError;
use super::reader::TraceFile;
use crate::pipe::{Event, Reply, Wait};
use std::ops::RangeBounds;

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Enough was seen.
    Stop,
}

/// What a tool does with a file. All methods but [`Consumer::record`] do nothing unless they are written.
#[allow(unused_variables)]
pub trait Consumer {
    /// The tool's error.
    type Error: From<TraceError>;

    /// Whether images are wanted; reading them costs.
    fn wants_images(&self) -> bool {
        false
    }
    /// Whether replies and events are wanted.
    fn wants_replies(&self) -> bool {
        true
    }
    /// Before the first record.
    fn begin(&mut self, file: &TraceFile) -> Result<(), Self::Error> {
        Ok(())
    }
    /// An event; it comes before the record that was pushed after it.
    fn event(&mut self, event: &Event) -> Result<(), Self::Error> {
        Ok(())
    }
    /// A record, with its reply if one was recorded.
    fn record(&mut self, record: &Record<'_>, reply: Option<&Reply>) -> Result<Flow, Self::Error>;
    /// An image; it comes before the end of its frame.
    fn image(&mut self, image: &FrameImage) -> Result<(), Self::Error> {
        Ok(())
    }
    /// The end of a frame; `whole` is false for what follows the last Present.
    fn frame_end(&mut self, frame: u64, whole: bool) -> Result<Flow, Self::Error> {
        Ok(Flow::Continue)
    }
}

/// Hands the records of some frames, with all that belongs to them, to a consumer.
pub fn drive<C: Consumer>(
    file: &TraceFile,
    frames: impl RangeBounds<u64>,
    consumer: &mut C,
) -> Result<(), C::Error> {
    let mut cursor = file.records(frames)?;
    consumer.begin(file)?;
    let replies = consumer.wants_replies() && file.has_replies();
    let mut open: Option<u64> = None;
    let mut next = None;
    while let Some(r) = cursor.next()? {
        let (ordinal, frame) = (r.place.ordinal, r.place.frame);
        if replies {
            for e in file.events(ordinal)? {
                consumer.event(&e)?;
            }
        }
        let reply = if replies && !matches!(r.call.op().info().wait, Wait::None) {
            file.reply(ordinal)?
        } else {
            None
        };
        next = Some(ordinal + 1);
        open = Some(frame);
        let present = matches!(r.call, crate::pipe::Call::Present { .. });
        if consumer.record(&r, reply.as_ref())? == Flow::Stop {
            return Ok(());
        }
        if present {
            open = None;
            if frame_end(file, consumer, frame, true)? == Flow::Stop {
                return Ok(());
            }
        }
    }
    if let Some(next) = next.filter(|_| replies) {
        for e in file.events(next)? {
            consumer.event(&e)?;
        }
    }
    if let Some(frame) = open {
        frame_end(file, consumer, frame, false)?;
    }
    Ok(())
}

fn frame_end<C: Consumer>(
    file: &TraceFile,
    consumer: &mut C,
    frame: u64,
    whole: bool,
) -> Result<Flow, C::Error> {
    if consumer.wants_images() {
        for m in file.images(frame)? {
            consumer.image(&m)?;
        }
    }
    consumer.frame_end(frame, whole)
}
