//! What a draw must fulfil.

use super::super::backend::DrawCall;
use super::super::error::ApplyError;
use super::super::group::Group;
use super::super::payload::*;
use super::super::pushed::{ContextState, PushedState};
use super::checker::Checker;
use super::pushed;

/// A draw of the current context `c`.
pub(super) fn draw(
    cx: Checker,
    s: &PushedState,
    c: &ContextState,
    d: &DrawCall<'_>,
) -> Result<(), ApplyError> {
    let DrawCall {
        info: p,
        ranges,
        user_arrays,
        indices,
        arrays,
    } = *d;
    if c.values.draw_program.is_null() {
        return cx.field("mode", "no draw program is bound");
    }
    if p.index_size != 0 {
        let limit = if p.flags.has(DrawFlags::USER_INDICES) {
            indices.len() as u64
        } else {
            pushed(cx, c, Group::IndexBuffer.bit())?;
            cx.handle("index buffer", s.buffers.get(c.values.index_buffer.buffer))?
                .desc
                .size
        };
        // Beyond a real index buffer GL leaves the result undefined; beyond the record's own blob there is nothing.
        if p.flags.has(DrawFlags::USER_INDICES) {
            for (i, r) in ranges.iter().enumerate() {
                let end = (u64::from(r.start) + u64::from(r.count)) * u64::from(p.index_size);
                if end > limit {
                    return cx.field(
                        format!("ranges[{i}]"),
                        format!("ends at byte {end} of {limit} bytes of indices"),
                    );
                }
            }
        }
    }
    if p.flags.has(DrawFlags::INDIRECT) {
        pushed(cx, c, Group::IndirectBuffers.bit())?;
        cx.handle("indirect buffer", s.buffers.get(c.values.indirect.draw))?;
    }
    if p.mode == Primitive::PATCHES {
        pushed(cx, c, Group::Patch.bit())?;
    }
    for (i, u) in user_arrays.iter().enumerate() {
        if u.binding >= MAX_VERTEX_ATTRIBS {
            return cx.field(
                format!("user_arrays[{i}].binding"),
                format!("{} is not below 32", u.binding),
            );
        }
        cx.range(
            format_args!("user_arrays[{i}].offset"),
            u.offset,
            u.size,
            arrays.len() as u64,
        )?;
    }
    Ok(())
}
