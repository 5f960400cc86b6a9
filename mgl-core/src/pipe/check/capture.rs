//! What transform feedback must fulfil (GL 4.6 §13.2).

use super::super::error::ApplyError;
use super::super::payload::StreamOutputOp;
use super::super::pushed::{Capture, ContextState};
use super::checker::Checker;

/// It begins for the object that is bound, and once (GL 4.6 §13.2.2).
pub(super) fn begin(cx: Checker, c: &ContextState, p: &StreamOutputOp) -> Result<(), ApplyError> {
    if c.values.stream_output != p.stream_output {
        return cx.field("stream_output", "is not the bound object");
    }
    if c.capture(p.stream_output).is_some() {
        return cx.field("stream_output", "is captured to already");
    }
    Ok(())
}

/// The transform feedback that a call goes on with.
pub(super) fn under_way<'c>(
    cx: Checker,
    c: &'c ContextState,
    p: &StreamOutputOp,
) -> Result<&'c Capture, ApplyError> {
    match c.capture(p.stream_output) {
        Some(capture) => Ok(capture),
        None => cx.field("stream_output", "is not captured to"),
    }
}

/// It is paused and resumed in turns (GL 4.6 §13.2.3).
pub(super) fn pause(
    cx: Checker,
    c: &ContextState,
    p: &StreamOutputOp,
    pauses: bool,
) -> Result<(), ApplyError> {
    if under_way(cx, c, p)?.paused == pauses {
        let problem = ["is not paused", "is paused already"];
        return cx.field("stream_output", problem[usize::from(pauses)]);
    }
    Ok(())
}

/// Another object may be bound when nothing is captured, or that is paused (GL 4.6 §13.2.1).
pub(super) fn bind(cx: Checker, c: &ContextState) -> Result<(), ApplyError> {
    let runs = c
        .capture(c.values.stream_output)
        .is_some_and(|capture| !capture.paused);
    if runs {
        return cx.field("stream_output", "is captured to, and not paused");
    }
    Ok(())
}
