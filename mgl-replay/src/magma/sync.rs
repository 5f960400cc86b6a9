//! Barriers and layouts before accesses (see [`super::recorder`] for the epochs).

use super::Magma;
use super::objects::ImageId;
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
                self.barriers.push(
                    vk::ImageMemoryBarrier::default()
                        .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
                        .dst_access_mask(
                            vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE,
                        )
                        .old_layout(i.layout)
                        .new_layout(*layout)
                        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                        .image(i.raw.image)
                        .subresource_range(vk::ImageSubresourceRange {
                            aspect_mask: i.plan.aspects,
                            base_mip_level: 0,
                            level_count: vk::REMAINING_MIP_LEVELS,
                            base_array_layer: 0,
                            layer_count: vk::REMAINING_ARRAY_LAYERS,
                        }),
                );
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
        let epoch = self.rec.epoch;
        for (id, _, write) in images {
            let a = &mut self.obj.images.get_mut(*id)?.access;
            if *write {
                a.writes(epoch);
            } else {
                a.reads(epoch);
            }
        }
        for (h, write) in buffers {
            let a = &mut self.buffer_mut(*h)?.access;
            if *write {
                a.writes(epoch);
            } else {
                a.reads(epoch);
            }
        }
        Ok(())
    }
}
