//! Uniform buffers: the default block, whose bytes are streamed when they change, and the named blocks.

use super::context::{Seen, Serial, UniformRange};
use super::essl::{DEFAULT_BLOCK_BINDING, FIRST_BLOCK_BINDING};
use super::work::Work;
use mgl_core::handle::{ShaderHandle, TypedHandle};
use mgl_core::pipe::*;

/// Where a context has the default block of a program.
#[derive(Debug, Clone, Copy, Default)]
pub struct ConstantsAt {
    /// Generation of the program's handle.
    handle: u32,
    /// `constants_generation` of the bytes.
    generation: u64,
    /// Epoch of the streaming buffer that they are in.
    epoch: u64,
    range: UniformRange,
    name: Option<glow::Buffer>,
}

impl Work<'_> {
    /// Binds the uniform buffers of the program in use, and uploads its default block if it changed.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`], or [`BackendError::Unsupported`] when there are more blocks than binding points.
    pub fn follow_uniforms(
        &mut self,
        s: &PushedState,
        h: ShaderHandle,
        variant: usize,
    ) -> Result<(), BackendError> {
        let driver = |e: mgl_core::pipe::table::HandleError| BackendError::Driver(e.to_string());
        let entry = s.programs.get(h).map_err(driver)?;
        let program = self.obj.programs.get(h).map_err(driver)?;
        let size = program.reflection.default_block.as_ref().map(|b| b.size);
        let blocks = program.reflection.uniform_blocks.len();
        let largest = program
            .reflection
            .uniform_blocks
            .iter()
            .map(|b| b.size)
            .max();
        let serial = program.variant(variant).serial;
        if let Some(size) = size.filter(|s| *s > 0) {
            self.follow_constants(
                h,
                size as usize,
                &entry.constants,
                entry.constants_generation,
            )?;
        }
        if blocks == 0 {
            return Ok(());
        }
        let c = self.context(s)?;
        let generation = c.generation(Group::UniformBuffers);
        let seen = &mut self.ctx.seen;
        let moved = seen.moved(Group::UniformBuffers, generation)
            | (seen.uniforms_epoch != self.obj.epoch)
            | (seen.uniforms_program != serial)
            | (seen.uniforms_bindings != entry.bindings_generation);
        if !moved {
            return Ok(());
        }
        if largest > Some(self.dev.gl.limits.uniform_block_size) {
            return Err(BackendError::Unsupported(format!(
                "a uniform block of {} bytes",
                largest.unwrap_or(0)
            )));
        }
        let last = FIRST_BLOCK_BINDING as usize + blocks;
        if last > self.dev.gl.limits.uniform_bindings as usize {
            return Err(BackendError::Unsupported(format!(
                "{blocks} uniform blocks"
            )));
        }
        self.ctx.seen.uniforms_epoch = Seen::NEVER;
        for block in 0..blocks {
            self.bind_block(h, block, &entry.bindings, &c.values.uniform_buffers)?;
        }
        let seen = &mut self.ctx.seen;
        seen.uniforms_program = serial;
        seen.uniforms_bindings = entry.bindings_generation;
        seen.uniforms_epoch = self.obj.epoch;
        Ok(())
    }

    fn bind_block(
        &mut self,
        h: ShaderHandle,
        block: usize,
        bindings: &mgl_core::pipe::pushed::ProgramBindings,
        buffers: &[BufferBinding],
    ) -> Result<(), BackendError> {
        let needed = self
            .obj
            .programs
            .get(h)
            .map_or(16, |p| p.reflection.uniform_blocks[block].size.max(16));
        let point = bindings
            .uniform_blocks
            .iter()
            .find(|b| b.block as usize == block)
            .map(|b| b.binding);
        let given = buffers.iter().find(|b| Some(b.index) == point);
        let found = match given {
            Some(b) => {
                let buffer = self.buffer(b.buffer)?;
                // A range shorter than the block is undefined in GL. Where the buffer goes on behind it, the block may;
                // and the buffer may have become shorter since it was bound.
                let left = buffer.size.saturating_sub(b.offset);
                let size = b.size.max(u64::from(needed)).min(left);
                (size > 0).then_some((
                    buffer.name,
                    UniformRange {
                        buffer: buffer.serial,
                        offset: b.offset,
                        size,
                    },
                ))
            }
            None => None,
        };
        let (name, range) = match found {
            Some(f) => f,
            None => {
                let zeros = self.zeros(needed as usize)?;
                (
                    zeros.name,
                    UniformRange {
                        buffer: zeros.serial,
                        offset: zeros.offset,
                        size: u64::from(needed),
                    },
                )
            }
        };
        self.bind_uniform_range(FIRST_BLOCK_BINDING + block as u32, name, range);
        Ok(())
    }

    fn bind_uniform_range(&mut self, point: u32, name: glow::Buffer, range: UniformRange) {
        let place = &mut self.ctx.shadow.uniforms[point as usize];
        if *place != range {
            let unknown = place.buffer == 0;
            *place = range;
            self.dev.tally.buffer_binds.one();
            // SAFETY: the context is current; the buffer lives, and holds the range when it was bound.
            unsafe {
                if unknown {
                    // The same range may be bound, of older storage.
                    let gl = &self.dev.gl.glow;
                    glow::HasContext::bind_buffer_base(gl, glow::UNIFORM_BUFFER, point, None);
                }
                self.dev.gl.es.BindBufferRange(
                    glow::UNIFORM_BUFFER,
                    point,
                    name.0.get(),
                    range.offset as isize,
                    range.size as isize,
                );
            }
        }
    }

    /// Binds the default block of a program, of `size` bytes, with the values that were pushed, put there now if they changed.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`].
    pub(super) fn follow_constants(
        &mut self,
        h: ShaderHandle,
        size: usize,
        bytes: &[u8],
        generation: u64,
    ) -> Result<(), BackendError> {
        let at = h.raw().slot as usize;
        let ctx = &mut *self.ctx;
        if ctx.constants_at.len() <= at {
            ctx.constants_at.resize(at + 1, ConstantsAt::default());
        }
        let known = ctx.constants_at[at];
        let current = known.handle == h.raw().generation
            && known.generation == generation
            && known.epoch == ctx.constants.epoch;
        let (name, range) = match (current, known.name) {
            (true, Some(name)) => (name, known.range),
            _ => {
                let padded;
                let content = if bytes.len() == size {
                    bytes
                } else {
                    // What was never pushed is zero.
                    let mut all = bytes.to_vec();
                    all.resize(size, 0);
                    padded = all;
                    &padded
                };
                let align = u64::from(self.dev.gl.limits.uniform_offset_alignment);
                let serials: &mut Serial = self.obj.last_serial();
                let place =
                    ctx.constants
                        .write(self.dev, &mut ctx.shadow, serials, content, align, 0)?;
                let range = UniformRange {
                    buffer: place.serial,
                    offset: place.offset,
                    size: size as u64,
                };
                ctx.constants_at[at] = ConstantsAt {
                    handle: h.raw().generation,
                    generation,
                    epoch: ctx.constants.epoch,
                    range,
                    name: Some(place.name),
                };
                (place.name, range)
            }
        };
        self.bind_uniform_range(DEFAULT_BLOCK_BINDING, name, range);
        Ok(())
    }
}
