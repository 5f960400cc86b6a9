//! Draws for which all that the one before bound and set still stands: they record themselves, and the uniform values that
//! changed.
//!
//! What a draw depends on moves in three ways: state of the context, whose version says so; what is pushed beside contexts
//! (parameters of textures, bindings and values of programs), which has counts of its own; and methods of the back end,
//! each of which forgets what was steady.

use super::work::Work;
use mgl_core::handle::{ContextHandle, ShaderHandle};
use mgl_core::pipe::*;

/// What has to be equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    context: ContextHandle,
    /// [`ContextState::version`].
    version: u64,
    params: u64,
    /// Of the program in use.
    bindings: u64,
    /// [`super::objects::Objects::epoch`].
    objects: u64,
    /// The store that uniform values are streamed through.
    stream: u64,
    mode: Primitive,
    index_size: u32,
    flags: DrawFlags,
    restart_index: u32,
    base_instance: u32,
}

/// What the last draw has left in place.
#[derive(Debug, Clone, Copy)]
pub struct Steady {
    stamp: Stamp,
    program: ShaderHandle,
    /// Bytes of its default block.
    block: usize,
    /// The values that are bound.
    values: u64,
}

/// Whether a draw leaves nothing behind that counts for itself alone.
fn may_be_steady(d: &DrawCall<'_>) -> bool {
    let own = [
        DrawFlags::USER_INDICES,
        DrawFlags::INDIRECT,
        DrawFlags::CAPTURING,
    ];
    d.user_arrays.is_empty() && own.iter().all(|f| !d.info.flags.has(*f))
}

impl Work<'_> {
    fn draw_stamp(&self, s: &PushedState, info: &DrawInfo) -> Option<Stamp> {
        let c = s.context()?;
        Some(Stamp {
            context: s.current.context,
            version: c.version(),
            params: s.params_changes.count(),
            bindings: s
                .programs
                .get(c.values.draw_program)
                .ok()?
                .bindings_generation,
            objects: self.obj.epoch,
            stream: self.ctx.constants.epoch,
            mode: info.mode,
            index_size: info.index_size,
            flags: info.flags,
            restart_index: info.restart_index,
            base_instance: info.base_instance,
        })
    }

    /// Draws as the draw before did; false where that is not enough.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`].
    #[inline]
    pub(super) fn draw_again(
        &mut self,
        s: &PushedState,
        d: &DrawCall<'_>,
    ) -> Result<bool, BackendError> {
        let Some(steady) = self.obj.steady else {
            return Ok(false);
        };
        if !may_be_steady(d) || self.draw_stamp(s, d.info) != Some(steady.stamp) {
            return Ok(false);
        }
        if let Ok(p) = s.programs.get(steady.program)
            && p.constants_generation != steady.values
        {
            self.obj.steady = None;
            let values = p.constants_generation;
            if steady.block > 0 {
                self.follow_constants(steady.program, steady.block, &p.constants, values)?;
            }
            let mut steady = Steady { values, ..steady };
            // The stream may have begun anew.
            steady.stamp.stream = self.ctx.constants.epoch;
            self.obj.steady = Some(steady);
        }
        match d.info.index_size {
            0 => self.draw_arrays(s, d)?,
            _ => self.draw_elements(s, d)?,
        }
        Ok(true)
    }

    /// The draw that was just done as it was given leaves all in place.
    pub(super) fn settle(&mut self, s: &PushedState, d: &DrawCall<'_>, h: ShaderHandle) {
        self.obj.steady = None;
        if !may_be_steady(d) || self.ctx.capture.is_some() {
            return;
        }
        let (Some(stamp), Ok(program), Ok(entry)) = (
            self.draw_stamp(s, d.info),
            self.obj.programs.get(h),
            s.programs.get(h),
        ) else {
            return;
        };
        let block = program.reflection.default_block.as_ref();
        self.obj.steady = Some(Steady {
            stamp,
            program: h,
            block: block.map_or(0, |b| b.size as usize),
            values: entry.constants_generation,
        });
    }
}
