//! A buffer that is written front to back: bytes that live for one draw or until the buffer starts anew.
//!
//! Where the driver has EXT_buffer_storage it stays mapped, and starting anew is another buffer: writing costs no call.
//! Elsewhere each range is mapped for itself, unsynchronised, and starting anew orphans the storage.

use super::buffers::Buffers;
use super::context::{Serial, Shadow};
use super::device::Device;
use glow::HasContext;
use mgl_core::pipe::BackendError;
use std::ptr::NonNull;

/// Bytes of a buffer that stays mapped, at least: making another one costs more than writing.
const STAYING: u64 = 4 << 20;
/// First byte that anything may be asked to lie behind.
const MOST: u64 = 1 << 32;

/// See the module.
pub struct Stream {
    name: Option<glow::Buffer>,
    serial: Serial,
    size: u64,
    head: u64,
    /// Where the buffer is mapped, if it stays so.
    mapped: Option<Mapped>,
    /// Rises when the buffer starts anew: what was written before is gone.
    pub epoch: u64,
}

/// Where a buffer that stays mapped is seen; it ends with the buffer.
struct Mapped(NonNull<u8>);

// SAFETY: the mapping belongs to the process; the one mutable borrow of the stream writes to it.
unsafe impl Send for Mapped {}

/// Where bytes were put.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The buffer.
    pub name: glow::Buffer,
    /// Its identity.
    pub serial: Serial,
    /// First byte.
    pub offset: u64,
}

impl Stream {
    /// A buffer of `size` bytes, made when first used.
    pub fn new(size: u64) -> Self {
        Self {
            name: None,
            serial: 0,
            size,
            head: 0,
            mapped: None,
            epoch: 1,
        }
    }

    /// The buffer, which is the caller's to end.
    pub fn take(&mut self) -> Option<glow::Buffer> {
        self.mapped = None;
        self.name.take()
    }

    /// Puts `bytes` at an offset that is a multiple of `align` and at least `least`.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`].
    pub fn write(
        &mut self,
        dev: &Device,
        shadow: &mut Shadow,
        serials: &mut Serial,
        bytes: &[u8],
        align: u64,
        least: u64,
    ) -> Result<Place, BackendError> {
        if least > MOST {
            return Err(BackendError::OutOfMemory(format!(
                "a client array that starts at byte {least}"
            )));
        }
        let align = align.max(1);
        let at = self.head.max(least).next_multiple_of(align);
        let fits = self.name.is_some() && at + bytes.len() as u64 <= self.size;
        let at = match (fits, dev.gl.has.buffer_storage) {
            (true, _) => at,
            (false, stays) => {
                let at = least.next_multiple_of(align);
                let end = at + bytes.len() as u64;
                // Nothing fits any more if this fails.
                self.head = u64::MAX / 4;
                self.epoch += 1;
                if stays {
                    self.replace(dev, shadow, serials, end)?;
                } else {
                    self.orphan(dev, shadow, serials, end)?;
                }
                at
            }
        };
        let Some(name) = self.name else {
            return Err(BackendError::Driver("a stream without a buffer".into()));
        };
        if !bytes.is_empty() {
            dev.tally.stream_bytes.add(bytes.len() as u64);
            match &self.mapped {
                // SAFETY: the mapping is as large as the buffer, and the range inside it. Nothing reads the range yet, since
                // it lies behind all that was written since the storage was new.
                Some(Mapped(start)) => unsafe {
                    let to = start.as_ptr().add(at as usize);
                    std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
                },
                None => self.write_mapped(dev, shadow, name, at, bytes)?,
            }
        }
        self.head = at + bytes.len() as u64;
        Ok(Place {
            name,
            serial: self.serial,
            offset: at,
        })
    }

    /// A new buffer, bound for copies.
    fn make(
        &mut self,
        dev: &Device,
        shadow: &mut Shadow,
        serials: &mut Serial,
    ) -> Result<glow::Buffer, BackendError> {
        // SAFETY: a context is current.
        let name = unsafe { dev.gl.glow.create_buffer() }.map_err(BackendError::Driver)?;
        dev.tally.buffers_made.one();
        *serials += 1;
        self.serial = *serials;
        shadow.bind_copy_write(dev, name, self.serial);
        Ok(*self.name.insert(name))
    }

    /// Another buffer that stays mapped, with room for `least` bytes. What was drawn from the old one keeps its content.
    #[cold]
    fn replace(
        &mut self,
        dev: &Device,
        shadow: &mut Shadow,
        serials: &mut Serial,
        least: u64,
    ) -> Result<(), BackendError> {
        let size = self.size.max(STAYING).max(least.next_power_of_two());
        if let Some(old) = self.take() {
            // SAFETY: a context of the share group is current, and the buffer lives; the driver keeps its storage for as
            // long as draws under way read it.
            unsafe { dev.gl.glow.delete_buffer(old) };
            dev.tally.buffers_ended.one();
        }
        self.make(dev, shadow, serials)?;
        let failed = || BackendError::OutOfMemory(format!("a streaming buffer of {size} bytes"));
        let bytes = isize::try_from(size).map_err(|_| failed())?;
        let access = glow::MAP_WRITE_BIT | glow::MAP_PERSISTENT_BIT | glow::MAP_COHERENT_BIT;
        dev.check_errors("before a streaming buffer's storage");
        dev.tally.buffer_allocations.one();
        // SAFETY: the buffer is bound, and new.
        let start = unsafe {
            let (es, target) = (&dev.gl.es, glow::COPY_WRITE_BUFFER);
            es.BufferStorageEXT(target, bytes, std::ptr::null(), access);
            match dev.gl.error() {
                glow::NO_ERROR => es.MapBufferRange(target, 0, bytes, access),
                _ => std::ptr::null_mut(),
            }
        };
        self.mapped = Some(Mapped(NonNull::new(start.cast()).ok_or_else(failed)?));
        self.size = size;
        Ok(())
    }

    /// New storage for the same buffer, with room for `least` bytes.
    #[cold]
    fn orphan(
        &mut self,
        dev: &Device,
        shadow: &mut Shadow,
        serials: &mut Serial,
        least: u64,
    ) -> Result<(), BackendError> {
        match self.name {
            Some(name) => shadow.bind_copy_write(dev, name, self.serial),
            None => drop(self.make(dev, shadow, serials)?),
        }
        let size = self.size.max(least.next_power_of_two());
        Buffers::allocate(dev, glow::COPY_WRITE_BUFFER, size, glow::STREAM_DRAW)?;
        self.size = size;
        Ok(())
    }

    /// Maps a range for itself and writes it.
    fn write_mapped(
        &self,
        dev: &Device,
        shadow: &mut Shadow,
        name: glow::Buffer,
        at: u64,
        bytes: &[u8],
    ) -> Result<(), BackendError> {
        shadow.bind_copy_write(dev, name, self.serial);
        // SAFETY: the buffer is bound, and the range is inside it. Nothing reads the range yet, since it lies behind all
        // that was written since the storage was new: so no synchronisation is needed.
        unsafe {
            let p = dev.gl.es.MapBufferRange(
                glow::COPY_WRITE_BUFFER,
                at as isize,
                bytes.len() as isize,
                glow::MAP_WRITE_BIT | glow::MAP_UNSYNCHRONIZED_BIT | glow::MAP_INVALIDATE_RANGE_BIT,
            );
            if p.is_null() {
                return Err(BackendError::OutOfMemory("a streaming buffer".into()));
            }
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), p.cast(), bytes.len());
            dev.gl.glow.unmap_buffer(glow::COPY_WRITE_BUFFER);
        }
        Ok(())
    }
}
