//! Uniform buffers and descriptor sets of a draw: the default block, whose bytes are streamed when they change, the named
//! blocks, and the samplers.

use super::Magma;
use super::program::block_sizes;
use super::stream::{MAX_BLOCK, Place};
use super::targets::context;
use super::units::Slot;
use ash::vk;
use mgl_core::handle::ShaderHandle;
use mgl_core::pipe::*;
use mgl_core::program::{SET_DEFAULT_BLOCK, SET_SAMPLERS, SET_UNIFORM_BLOCKS};

/// Where a program's default block is.
#[derive(Debug, Clone, Copy)]
pub struct ConstantsAt {
    /// `constants_generation` of the bytes.
    generation: u64,
    place: Place,
}

impl Magma {
    /// Resolves the uniform blocks of a program, if anything that they depend on has moved.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] for ranges that the device cannot bind.
    pub(super) fn follow_blocks(
        &mut self,
        s: &PushedState,
        h: ShaderHandle,
    ) -> Result<(), BackendError> {
        let driver = |e: mgl_core::pipe::table::HandleError| BackendError::Driver(e.to_string());
        let entry = s.programs.get(h).map_err(driver)?;
        let program = self.obj.programs.get(h).map_err(driver)?;
        let serial = program.serial;
        let c = context(s)?;
        let seen = (
            c.generation(Group::UniformBuffers),
            self.obj.epoch,
            serial,
            entry.bindings_generation,
        );
        let ctx = Self::ctx_of(&mut self.contexts, s)?;
        if ctx.blocks_seen == Some(seen) {
            return Ok(());
        }
        ctx.blocks_seen = None;
        let mut blocks = std::mem::take(&mut ctx.blocks);
        let mut uses = std::mem::take(&mut ctx.block_uses);
        blocks.clear();
        uses.clear();
        let align = self
            .gpu
            .limits
            .core
            .min_uniform_buffer_offset_alignment
            .max(1);
        let most = u64::from(self.gpu.limits.core.max_uniform_buffer_range);
        let zeros = self.zeros()?;
        let program = self.obj.programs.get(h).map_err(driver)?;
        let mut failed = Ok(());
        for (_, count, first, size) in block_sizes(&program.code) {
            if u64::from(size) > most {
                failed = Err(BackendError::Unsupported(format!(
                    "a uniform block of {size} bytes"
                )));
                break;
            }
            for block in first..first + count {
                let point = entry
                    .bindings
                    .uniform_blocks
                    .iter()
                    .find(|b| b.block == block)
                    .map(|b| b.binding);
                let given = c
                    .values
                    .uniform_buffers
                    .iter()
                    .find(|b| Some(b.index) == point)
                    .and_then(|b| Some((b, self.obj.buffers.get(b.buffer).ok()?)));
                let found = given.and_then(|(b, buffer)| {
                    // A range shorter than the block is undefined in GL. Where the buffer goes on behind it, the block
                    // may; and the buffer may have become shorter since it was bound.
                    let left = buffer.size.saturating_sub(b.offset);
                    let range = b.size.max(u64::from(size)).min(left).min(most);
                    (range > 0).then_some((b.buffer, buffer.raw.buffer, b.offset, range))
                });
                match found {
                    Some((_, _, offset, _)) if offset % align != 0 => {
                        failed = Err(BackendError::Unsupported(format!(
                            "a uniform buffer from byte {offset}"
                        )));
                    }
                    Some((handle, raw, offset, range)) => {
                        uses.push((handle, false));
                        blocks.push((raw, offset, range));
                    }
                    None => blocks.push((zeros, 0, u64::from(size.max(16)).min(MAX_BLOCK))),
                }
            }
        }
        let ctx = Self::ctx_of(&mut self.contexts, s)?;
        ctx.blocks = blocks;
        ctx.block_uses = uses;
        failed?;
        ctx.blocks_seen = Some((seen.0, self.obj.epoch, seen.2, seen.3));
        Ok(())
    }

    /// Where the bytes of a program's default block are, put there now if they changed.
    fn follow_constants(
        &mut self,
        s: &PushedState,
        h: ShaderHandle,
        size: usize,
    ) -> Result<Place, BackendError> {
        let entry = s
            .programs
            .get(h)
            .map_err(|e| BackendError::Driver(e.to_string()))?;
        let at = h.0.slot as usize;
        if self.constants_at.len() <= at {
            self.constants_at.resize(at + 1, None);
        }
        let generation = entry.constants_generation;
        if let Some((of, known)) = &self.constants_at[at]
            && *of == h.0.generation
            && known.generation == generation
            && self.stream.keep(&known.place, self.rec.serial)
        {
            return Ok(known.place);
        }
        let align = self
            .gpu
            .limits
            .core
            .min_uniform_buffer_offset_alignment
            .max(16);
        let (place, to) =
            self.stream
                .reserve(&self.gpu, &mut self.mem, &self.rec, size as u64, align, 0)?;
        // What was never pushed is zero.
        let n = entry.constants.len().min(size);
        to[..n].copy_from_slice(&entry.constants[..n]);
        to[n..].fill(0);
        self.constants_at[at] = Some((h.0.generation, ConstantsAt { generation, place }));
        Ok(place)
    }

    /// The set that shows a chunk of the stream as a default block.
    fn constants_set(&mut self, place: &Place) -> Result<vk::DescriptorSet, BackendError> {
        let known = self.stream.set_of(place.chunk);
        if known != vk::DescriptorSet::null() {
            return Ok(known);
        }
        let set = self.descriptors.lasting(&self.gpu, self.constants_layout)?;
        let info = [vk::DescriptorBufferInfo {
            buffer: place.buffer,
            offset: 0,
            range: self.block_room,
        }];
        let write = [vk::WriteDescriptorSet::default()
            .dst_set(set)
            .dst_binding(0)
            .descriptor_type(vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC)
            .buffer_info(&info)];
        // SAFETY: the set is new, and the buffer lives as long as the chunk.
        unsafe { self.gpu.device.update_descriptor_sets(&write, &[]) };
        self.stream.keep_set(place.chunk, set);
        Ok(set)
    }

    /// Binds the descriptor sets of a draw.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`].
    pub(super) fn bind_sets(
        &mut self,
        s: &PushedState,
        h: ShaderHandle,
    ) -> Result<(), BackendError> {
        let driver = |e: mgl_core::pipe::table::HandleError| BackendError::Driver(e.to_string());
        let program = self.obj.programs.get(h).map_err(driver)?;
        let layout = program.layout;
        let size = program
            .reflection()
            .default_block
            .as_ref()
            .map_or(0, |b| b.size);
        let (has_blocks, has_samplers) = (
            !program.reflection().uniform_blocks.is_empty(),
            !program.slots.is_empty(),
        );
        self.bind_constants(s, h, size, layout)?;
        let other = self.bound.layout != layout;
        if has_blocks {
            let set = self.blocks_set(s, h)?;
            if other || self.bound.sets[1].0 != set {
                self.bound.sets[1] = (set, 0);
                self.bind_set(layout, SET_UNIFORM_BLOCKS, set, &[]);
            }
        }
        if has_samplers {
            let set = self.samplers_set(s, h)?;
            if other || self.bound.sets[2].0 != set {
                self.bound.sets[2] = (set, 0);
                self.bind_set(layout, SET_SAMPLERS, set, &[]);
            }
        }
        self.bound.layout = layout;
        Ok(())
    }

    /// Binds the default block of a program, of `size` bytes, where its values are now.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`].
    pub(super) fn bind_constants(
        &mut self,
        s: &PushedState,
        h: ShaderHandle,
        size: u32,
        layout: vk::PipelineLayout,
    ) -> Result<(), BackendError> {
        if size == 0 {
            return Ok(());
        }
        let place = self.follow_constants(s, h, size as usize)?;
        let set = self.constants_set(&place)?;
        let want = (set, place.offset as u32);
        if self.bound.sets[0] != want {
            self.bound.sets[0] = want;
            self.bind_set(layout, SET_DEFAULT_BLOCK, set, &[want.1]);
        }
        Ok(())
    }

    fn bind_set(
        &mut self,
        layout: vk::PipelineLayout,
        number: u32,
        set: vk::DescriptorSet,
        offsets: &[u32],
    ) {
        let cmd = self.rec.cmd();
        // SAFETY: the set lives and fits the layout.
        unsafe {
            self.gpu.device.cmd_bind_descriptor_sets(
                cmd,
                vk::PipelineBindPoint::GRAPHICS,
                layout,
                number,
                &[set],
                offsets,
            );
        }
    }

    fn blocks_set(
        &mut self,
        s: &PushedState,
        h: ShaderHandle,
    ) -> Result<vk::DescriptorSet, BackendError> {
        let driver = |e: mgl_core::pipe::table::HandleError| BackendError::Driver(e.to_string());
        let ctx = Self::ctx_of(&mut self.contexts, s)?;
        let program = self.obj.programs.get_mut(h).map_err(driver)?;
        if program.blocks_set.serial == self.rec.serial && program.blocks_set.content == ctx.blocks
        {
            return Ok(program.blocks_set.set);
        }
        let set = self
            .descriptors
            .allocate(&self.gpu, &self.rec, program.blocks_layout)?;
        self.counters.sets_written += 1;
        let infos = &mut self.buffer_infos;
        infos.clear();
        infos.extend(
            ctx.blocks
                .iter()
                .map(|&(buffer, offset, range)| vk::DescriptorBufferInfo {
                    buffer,
                    offset,
                    range,
                }),
        );
        for (binding, count, first, _) in block_sizes(&program.code) {
            let part = &infos[first as usize..(first + count) as usize];
            let write = [vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(binding)
                .descriptor_type(vk::DescriptorType::UNIFORM_BUFFER)
                .buffer_info(part)];
            // SAFETY: the set is new, and the buffers live until the submission is complete.
            unsafe { self.gpu.device.update_descriptor_sets(&write, &[]) };
        }
        let kept = &mut program.blocks_set;
        (kept.serial, kept.set) = (self.rec.serial, set);
        kept.content.clear();
        kept.content.extend_from_slice(&ctx.blocks);
        Ok(set)
    }

    fn samplers_set(
        &mut self,
        s: &PushedState,
        h: ShaderHandle,
    ) -> Result<vk::DescriptorSet, BackendError> {
        let driver = |e: mgl_core::pipe::table::HandleError| BackendError::Driver(e.to_string());
        let ctx = Self::ctx_of(&mut self.contexts, s)?;
        let program = self.obj.programs.get_mut(h).map_err(driver)?;
        if program.samplers_set.serial == self.rec.serial
            && program.samplers_set.content == ctx.slots
        {
            return Ok(program.samplers_set.set);
        }
        let set = self
            .descriptors
            .allocate(&self.gpu, &self.rec, program.samplers_layout)?;
        self.counters.sets_written += 1;
        for (slot, r) in ctx.slots.iter().enumerate() {
            if program.slots[slot].is_none() {
                continue;
            }
            let (binding, element) = place_of(&program.code, slot as u32);
            let image = [vk::DescriptorImageInfo {
                sampler: r.sampler,
                image_view: r.view,
                image_layout: r.layout,
            }];
            let texels = [r.texels];
            let mut write = vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(binding)
                .dst_array_element(element);
            write = if is_texels(r) {
                write
                    .descriptor_type(vk::DescriptorType::UNIFORM_TEXEL_BUFFER)
                    .texel_buffer_view(&texels)
            } else {
                write
                    .descriptor_type(vk::DescriptorType::COMBINED_IMAGE_SAMPLER)
                    .image_info(&image)
            };
            // SAFETY: the set is new, and views and samplers live until the submission is complete.
            unsafe { self.gpu.device.update_descriptor_sets(&[write], &[]) };
        }
        let kept = &mut program.samplers_set;
        (kept.serial, kept.set) = (self.rec.serial, set);
        kept.content.clear();
        kept.content.extend_from_slice(&ctx.slots);
        Ok(set)
    }
}

fn is_texels(s: &Slot) -> bool {
    s.texels != vk::BufferView::null()
}

/// Binding and array element of a sampler slot.
fn place_of(p: &super::spirv::Program, slot: u32) -> (u32, u32) {
    use super::spirv::BindingKind;
    p.layout()
        .bindings
        .iter()
        .find_map(|b| match b.kind {
            BindingKind::Samplers { first, .. } if (first..first + b.count).contains(&slot) => {
                Some((b.binding, slot - first))
            }
            _ => None,
        })
        .unwrap_or((slot, 0))
}
