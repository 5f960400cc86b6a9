//! Buffers: storage, uploads, copies and read-backs.
//!
//! Storage lives in device memory; bytes go there and back through staging. Buffers that the CPU had to look into keep
//! a copy of their content ([`super::indices`]).

use super::Magma;
use super::memory::RawBuffer;
use super::objects::Buffer;
use super::recorder::{Access, Garbage};
use ash::vk;
use gpu_allocator::MemoryLocation;
use mgl_core::handle::*;
use mgl_core::pipe::{BackendError, BufferRange, ClearResource, CopyRegion, ResourceDesc};

impl Magma {
    /// A live buffer.
    ///
    /// # Errors
    ///
    /// [`BackendError::Driver`] for one whose storage could not be made.
    #[inline]
    pub(super) fn buffer(&self, h: BufferHandle) -> Result<&Buffer, BackendError> {
        self.obj
            .buffers
            .get(h)
            .map_err(|e| BackendError::Driver(e.to_string()))
    }

    /// A live buffer.
    ///
    /// # Errors
    ///
    /// As above.
    #[inline]
    pub(super) fn buffer_mut(&mut self, h: BufferHandle) -> Result<&mut Buffer, BackendError> {
        self.obj
            .buffers
            .get_mut(h)
            .map_err(|e| BackendError::Driver(e.to_string()))
    }

    /// Makes a buffer, or its storage anew. Storage of the same size is kept.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`].
    pub(super) fn specify_buffer(&mut self, d: &ResourceDesc) -> Result<(), BackendError> {
        let h = BufferHandle(d.resource.handle);
        let same = self.obj.buffers.get(h).is_ok_and(|b| b.size == d.size);
        if !same {
            let raw = self.make_buffer(d.size)?;
            self.counters.buffers_made += 1;
            let new = Buffer {
                raw,
                serial: self.obj.serial(),
                size: d.size,
                access: Access::default(),
                mirror: None,
                version: 0,
            };
            match self.obj.buffers.get_mut(h) {
                Ok(place) => {
                    let old = std::mem::replace(place, new);
                    self.counters.buffers_ended += 1;
                    self.rec.discard(Garbage::Buffer(old.raw));
                    self.obj.moved();
                }
                Err(_) => {
                    self.obj
                        .buffers
                        .insert(h, new)
                        .map_err(|e| BackendError::Driver(e.to_string()))?;
                }
            }
        }
        let b = self.buffer_mut(h)?;
        b.version += 1;
        b.mirror = None;
        if d.flags.has(mgl_core::pipe::ResourceFlags::DEFINED) {
            return Ok(());
        }
        let cmd = self.write_buffer(h)?;
        let b = self.buffer(h)?;
        // SAFETY: nothing is rendered; the buffer holds whole words.
        unsafe {
            self.gpu
                .device
                .cmd_fill_buffer(cmd, b.raw.buffer, 0, vk::WHOLE_SIZE, 0);
        }
        Ok(())
    }

    fn make_buffer(&mut self, size: u64) -> Result<RawBuffer, BackendError> {
        if size > self.most_bytes {
            return Err(BackendError::OutOfMemory(format!(
                "a buffer of {size} bytes"
            )));
        }
        let mut usage = vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST
            | vk::BufferUsageFlags::VERTEX_BUFFER
            | vk::BufferUsageFlags::INDEX_BUFFER
            | vk::BufferUsageFlags::UNIFORM_BUFFER
            | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
            | vk::BufferUsageFlags::INDIRECT_BUFFER;
        if self.gpu.has.transform_feedback {
            usage |= vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT;
        }
        self.mem.buffer(
            &self.gpu,
            size.next_multiple_of(4),
            usage,
            MemoryLocation::GpuOnly,
        )
    }

    /// Ends a buffer.
    pub(super) fn destroy_buffer(&mut self, h: BufferHandle) {
        if let Ok(b) = self.obj.buffers.remove(h) {
            self.counters.buffers_ended += 1;
            self.rec.discard(Garbage::Buffer(b.raw));
            self.obj.moved();
        }
    }

    /// Overwrites bytes of a buffer.
    ///
    /// # Errors
    ///
    /// When the buffer has no storage.
    pub(super) fn upload_buffer(
        &mut self,
        h: BufferHandle,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), BackendError> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.stream.begin(&self.rec);
        let b = self.buffer_mut(h)?;
        b.version += 1;
        if let Some(m) = &mut b.mirror {
            let at = offset as usize;
            if let Some(place) = m.get_mut(at..at + bytes.len()) {
                place.copy_from_slice(bytes);
            }
        }
        let place = self
            .stream
            .write(&self.gpu, &mut self.mem, &self.rec, bytes, 16, 0)?;
        let cmd = self.write_buffer(h)?;
        let region = [vk::BufferCopy {
            src_offset: place.offset,
            dst_offset: offset,
            size: bytes.len() as u64,
        }];
        let to = self.buffer(h)?.raw.buffer;
        self.counters.buffer_upload_jobs += 1;
        self.counters.buffer_upload_bytes += bytes.len() as u64;
        // SAFETY: nothing is rendered; `apply` has checked the range against the buffer's size.
        unsafe {
            self.gpu
                .device
                .cmd_copy_buffer(cmd, place.buffer, to, &region)
        };
        Ok(())
    }

    /// Bytes of a buffer.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`] when there is no memory for them.
    pub(super) fn read_buffer(&mut self, r: &BufferRange) -> Result<Vec<u8>, BackendError> {
        if r.size == 0 {
            return Ok(Vec::new());
        }
        self.transfer(&[], &[(r.buffer, false)])?;
        let back = self.readback(r.size)?;
        let cmd = self.rec.cmd();
        let region = [vk::BufferCopy {
            src_offset: r.offset,
            dst_offset: 0,
            size: r.size,
        }];
        let from = self.buffer(r.buffer)?.raw.buffer;
        // SAFETY: nothing is rendered; `apply` has checked the range.
        unsafe { self.gpu.device.cmd_copy_buffer(cmd, from, back, &region) };
        let bytes = self.wait_readback(r.size)?;
        let mut out = Vec::new();
        out.try_reserve_exact(bytes.len())
            .map_err(|_| BackendError::OutOfMemory(format!("{} bytes", bytes.len())))?;
        out.extend_from_slice(bytes);
        Ok(out)
    }

    /// A buffer of at least `size` bytes that the CPU reads.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`].
    pub(super) fn readback(&mut self, size: u64) -> Result<vk::Buffer, BackendError> {
        if self.back.as_ref().is_none_or(|b| b.size < size) {
            if let Some(old) = self.back.take() {
                self.rec.discard(Garbage::Buffer(old));
            }
            if size > self.most_bytes {
                return Err(BackendError::OutOfMemory(format!(
                    "{size} bytes of read-back"
                )));
            }
            self.back = Some(self.mem.buffer(
                &self.gpu,
                size.next_power_of_two().max(1 << 16),
                vk::BufferUsageFlags::TRANSFER_DST,
                MemoryLocation::GpuToCpu,
            )?);
        }
        self.back
            .as_ref()
            .map(|b| b.buffer)
            .ok_or_else(|| BackendError::Driver("no read-back memory".into()))
    }

    /// Waits for the copies to [`Magma::readback`]'s buffer and gives its bytes.
    ///
    /// # Errors
    ///
    /// [`BackendError::Lost`].
    pub(super) fn wait_readback(&mut self, size: u64) -> Result<&[u8], BackendError> {
        self.rec.host_barrier(&self.gpu);
        self.counters.waits += 1;
        self.finish()?;
        self.back
            .as_ref()
            .and_then(|b| b.memory.mapped_slice())
            .and_then(|m| m.get(..size as usize))
            .ok_or_else(|| BackendError::Driver("read-back memory is not mapped".into()))
    }

    /// Copies bytes between buffers; the box holds the range in x and width.
    ///
    /// # Errors
    ///
    /// When a buffer has no storage.
    pub(super) fn copy_buffer(&mut self, c: &CopyRegion) -> Result<(), BackendError> {
        let (from, to) = (BufferHandle(c.src.handle), BufferHandle(c.dst.handle));
        let size = u64::from(c.src_box.width);
        if size == 0 {
            return Ok(());
        }
        let (at, dst_at) = (u64::from(c.src_box.x), u64::from(c.dst_x));
        if from == to && at < dst_at + size && dst_at < at + size {
            // GL leaves it to the caller; here it is a move.
            let bytes = self.read_buffer(&BufferRange {
                buffer: from,
                offset: at,
                size,
            })?;
            return self.upload_buffer(to, dst_at, &bytes);
        }
        if from == to {
            self.transfer(&[], &[(from, true)])?;
        } else {
            self.transfer(&[], &[(from, false), (to, true)])?;
        }
        let b = self.buffer_mut(to)?;
        b.version += 1;
        b.mirror = None;
        let (src, dst) = (self.buffer(from)?.raw.buffer, self.buffer(to)?.raw.buffer);
        let cmd = self.rec.cmd();
        let region = [vk::BufferCopy {
            src_offset: at,
            dst_offset: dst_at,
            size,
        }];
        // SAFETY: nothing is rendered; `apply` has checked both ranges, which do not overlap.
        unsafe { self.gpu.device.cmd_copy_buffer(cmd, src, dst, &region) };
        Ok(())
    }

    /// Fills a range of a buffer with a repeated value.
    ///
    /// # Errors
    ///
    /// When the buffer has no storage.
    pub(super) fn clear_buffer_range(&mut self, c: &ClearResource) -> Result<(), BackendError> {
        let h = BufferHandle(c.resource.handle);
        let value = bytemuck::bytes_of(&c.value);
        let unit = (c.value_size as usize).clamp(1, value.len());
        let word: Vec<u8> = value[..unit].iter().copied().cycle().take(4).collect();
        if 4 % unit == 0 && c.offset.is_multiple_of(4) && c.size.is_multiple_of(4) && c.size > 0 {
            self.transfer(&[], &[(h, true)])?;
            let b = self.buffer_mut(h)?;
            b.version += 1;
            b.mirror = None;
            let to = b.raw.buffer;
            let data = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
            let cmd = self.rec.cmd();
            // SAFETY: nothing is rendered; `apply` has checked the range, and it is aligned.
            unsafe {
                self.gpu
                    .device
                    .cmd_fill_buffer(cmd, to, c.offset, c.size, data);
            }
            return Ok(());
        }
        let mut bytes = Vec::new();
        bytes
            .try_reserve_exact(c.size as usize)
            .map_err(|_| BackendError::OutOfMemory(format!("{} bytes", c.size)))?;
        bytes.extend(value[..unit].iter().cycle().take(c.size as usize));
        self.upload_buffer(h, c.offset, &bytes)
    }
}
