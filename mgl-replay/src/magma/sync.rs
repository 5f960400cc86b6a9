//! Barriers and layouts before accesses (see [`super::recorder`] for the epochs).

use super::Magma;
use super::images::Image;
use super::objects::ImageId;
use super::recorder::full_barrier;
use ash::vk;
use mgl_core::handle::BufferHandle;
use mgl_core::pipe::BackendError;

/// An access to an image: in which layout, and whether it writes.
pub type ImageUse = (ImageId, vk::ImageLayout, bool);
/// An access to a buffer, and whether it writes.
pub type BufferUse = (BufferHandle, bool);

impl Magma {
    /// Ends rendering and makes ready for a transfer.
    ///
    /// # Errors
    ///
    /// When an object ended, or the device is gone.
    pub(super) fn transfer(
        &mut self,
        images: &[ImageUse],
        buffers: &[BufferUse],
    ) -> Result<(), BackendError> {
        self.end_rendering();
        self.sync(images, buffers)
    }

    /// Makes ready for accesses. Rendering that is under way ends where a barrier is needed.
    ///
    /// # Errors
    ///
    /// When an object ended, or the device is gone.
    pub(super) fn sync(
        &mut self,
        images: &[ImageUse],
        buffers: &[BufferUse],
    ) -> Result<(), BackendError> {
        self.rec.check()?;
        let epoch = self.rec.epoch;
        let mut conflict = false;
        for (id, layout, write) in images {
            let i = self.obj.images.get(*id)?;
            conflict |= i.layout != *layout
                || if *write {
                    i.access.write_conflicts(epoch)
                } else {
                    i.access.read_conflicts(epoch)
                };
        }
        for (h, write) in buffers {
            let a = self.buffer(*h)?.access;
            conflict |= if *write {
                a.write_conflicts(epoch)
            } else {
                a.read_conflicts(epoch)
            };
        }
        if conflict {
            self.end_rendering();
            self.barriers.clear();
            for (id, layout, _) in images {
                let i = self.obj.images.get_mut(*id)?;
                if i.layout == *layout {
                    continue;
                }
                self.barriers.push(layout_change(i, *layout));
                i.layout = *layout;
            }
            let barriers = std::mem::take(&mut self.barriers);
            self.rec.barrier(&self.gpu, &barriers);
            self.barriers = barriers;
        }
        self.mark(images, buffers)
    }

    /// Notes accesses in the present epoch: of work that is recorded now, after barriers that came behind [`Magma::sync`].
    ///
    /// # Errors
    ///
    /// When an object ended.
    pub(super) fn mark(
        &mut self,
        images: &[ImageUse],
        buffers: &[BufferUse],
    ) -> Result<(), BackendError> {
        let (epoch, serial) = (self.rec.epoch, self.rec.serial);
        for (id, _, write) in images {
            let a = &mut self.obj.images.get_mut(*id)?.access;
            if *write {
                a.writes(epoch, serial);
            } else {
                a.reads(epoch, serial);
            }
        }
        for (h, write) in buffers {
            let a = &mut self.buffer_mut(*h)?.access;
            if *write {
                a.writes(epoch, serial);
            } else {
                a.reads(epoch, serial);
            }
        }
        Ok(())
    }

    /// A command buffer for a write to an image by a transfer, which is in the layout for it then, and whether it is the
    /// early one. Rendering goes on where the write can go before it. [`Magma::wrote_image`] follows.
    ///
    /// # Errors
    ///
    /// When the image ended, or the device is gone.
    pub(super) fn write_image(
        &mut self,
        id: ImageId,
    ) -> Result<(vk::CommandBuffer, bool), BackendError> {
        self.rec.check()?;
        let layout = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
        let i = self.obj.images.get_mut(id)?;
        if let Some(cmd) = self.rec.early(&self.gpu, &mut i.access)? {
            if i.layout != layout {
                full_barrier(&self.gpu, cmd, &[layout_change(i, layout)]);
                i.layout = layout;
            }
            return Ok((cmd, true));
        }
        self.transfer(&[(id, layout, true)], &[])?;
        Ok((self.rec.cmd(), false))
    }

    /// What was to be written is: after an early write an image is ready to be sampled, which is what comes next.
    ///
    /// # Errors
    ///
    /// When the image ended.
    pub(super) fn wrote_image(
        &mut self,
        id: ImageId,
        (cmd, early): (vk::CommandBuffer, bool),
    ) -> Result<(), BackendError> {
        let i = self.obj.images.get_mut(id)?;
        if early && i.sampled {
            let layout = vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL;
            full_barrier(&self.gpu, cmd, &[layout_change(i, layout)]);
            i.layout = layout;
        }
        Ok(())
    }

    /// A command buffer for a write to a buffer by a transfer. Rendering goes on where the write can go before it.
    ///
    /// # Errors
    ///
    /// When the buffer ended, or the device is gone.
    pub(super) fn write_buffer(
        &mut self,
        h: BufferHandle,
    ) -> Result<vk::CommandBuffer, BackendError> {
        self.rec.check()?;
        let b = self
            .obj
            .buffers
            .get_mut(h)
            .map_err(|e| BackendError::Driver(e.to_string()))?;
        if let Some(cmd) = self.rec.early(&self.gpu, &mut b.access)? {
            return Ok(cmd);
        }
        self.transfer(&[], &[(h, true)])?;
        Ok(self.rec.cmd())
    }
}

/// All of an image goes over to a layout.
fn layout_change(i: &Image, layout: vk::ImageLayout) -> vk::ImageMemoryBarrier<'static> {
    vk::ImageMemoryBarrier::default()
        .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
        .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)
        .old_layout(i.layout)
        .new_layout(layout)
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .image(i.raw.image)
        .subresource_range(vk::ImageSubresourceRange {
            aspect_mask: i.plan.aspects,
            base_mip_level: 0,
            level_count: vk::REMAINING_MIP_LEVELS,
            base_array_layer: 0,
            layer_count: vk::REMAINING_ARRAY_LAYERS,
        })
}
