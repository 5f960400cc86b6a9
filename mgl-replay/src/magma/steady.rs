//! Draws for which all that the one before resolved, bound and made ready still stands: they record themselves, and the
//! uniform values that changed.
//!
//! What a draw depends on moves in three ways: state of the context, whose version says so; what is pushed beside contexts
//! (parameters of textures, bindings and values of programs), which has counts of its own; and methods of the back end,
//! each of which forgets what was steady.

use super::Magma;
use super::indices::Indices;
use super::targets::context;
use ash::vk;
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
    /// Barriers and submissions so far.
    barriers: u64,
    submission: u64,
    mode: Primitive,
    index_size: u32,
    flags: DrawFlags,
    restart_index: u32,
}

/// What the last draw has left in place.
#[derive(Debug, Clone, Copy)]
pub struct Steady {
    stamp: Stamp,
    program: ShaderHandle,
    /// Bytes of its default block.
    block: u32,
    /// The values that are bound.
    values: u64,
    layout: vk::PipelineLayout,
    indices: Option<Indices>,
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

impl Magma {
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
            barriers: self.rec.epoch,
            submission: self.rec.serial,
            mode: info.mode,
            index_size: info.index_size,
            flags: info.flags,
            restart_index: info.restart_index,
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
        let Some(steady) = self.steady else {
            return Ok(false);
        };
        if !may_be_steady(d) || self.draw_stamp(s, d.info) != Some(steady.stamp) {
            return Ok(false);
        }
        let values = s
            .programs
            .get(steady.program)
            .map_or(0, |p| p.constants_generation);
        if values != steady.values {
            self.bind_constants(s, steady.program, steady.block, steady.layout)?;
            if let Some(steady) = &mut self.steady {
                steady.values = values;
            }
        }
        self.draw_ranges(s, d, d.ranges, steady.indices.as_ref())?;
        Ok(true)
    }

    /// The draw that was just recorded as it was given leaves all in place.
    pub(super) fn settle(&mut self, s: &PushedState, d: &DrawCall<'_>, indices: Option<Indices>) {
        self.steady = None;
        // Of an image that is drawn to and read at once, what a draw wrote is ready for the next one behind a barrier.
        if !may_be_steady(d) || self.capture_runs() || !self.feedback.is_empty() {
            return;
        }
        let Ok(h) = context(s).map(|c| c.values.draw_program) else {
            return;
        };
        let (Some(stamp), Ok(program), Ok(entry)) = (
            self.draw_stamp(s, d.info),
            self.obj.programs.get(h),
            s.programs.get(h),
        ) else {
            return;
        };
        let block = program.reflection().default_block.as_ref();
        self.steady = Some(Steady {
            stamp,
            program: h,
            block: block.map_or(0, |b| b.size),
            values: entry.constants_generation,
            layout: program.layout,
            indices,
        });
    }
}
