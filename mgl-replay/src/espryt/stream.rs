//! A buffer that is written front to back: bytes that live for one draw or until the buffer starts anew.

use super::buffers::Buffers;
use super::context::{Serial, Shadow};
use super::device::Device;
use glow::HasContext;
use mgl_core::pipe::BackendError;

/// First byte that anything may be asked to lie behind.
const MOST: u64 = 1 << 32;

/// See the module.
pub struct Stream {
    name: Option<glow::Buffer>,
    serial: Serial,
    size: u64,
    head: u64,
    /// Rises when the buffer starts anew: what was written before is gone.
    pub epoch: u64,
}

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
            epoch: 1,
        }
    }

    /// The buffer, which is the caller's to end.
    pub fn take(&mut self) -> Option<glow::Buffer> {
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
        let gl = &dev.gl.glow;
        if least > MOST {
            return Err(BackendError::OutOfMemory(format!(
                "a client array that starts at byte {least}"
            )));
        }
        let needed = bytes.len() as u64;
        let mut at = self.head.max(least).next_multiple_of(align.max(1));
        let fresh = self.name.is_none();
        let name = match self.name {
            Some(name) => name,
            None => {
                // SAFETY: a context is current.
                let name = unsafe { gl.create_buffer() }.map_err(BackendError::Driver)?;
                dev.tally.buffers_made.one();
                *serials += 1;
                self.serial = *serials;
                *self.name.insert(name)
            }
        };
        shadow.bind_copy_write(dev, name, self.serial);
        if fresh || at + needed > self.size {
            at = least.next_multiple_of(align.max(1));
            let size = self.size.max((at + needed).next_power_of_two());
            self.epoch += 1;
            // Nothing fits any more if this fails.
            self.head = u64::MAX / 4;
            Buffers::allocate(dev, glow::COPY_WRITE_BUFFER, size, glow::STREAM_DRAW)?;
            self.size = size;
        }
        if !bytes.is_empty() {
            dev.tally.stream_bytes.add(needed);
            // SAFETY: the buffer is bound, and the range is inside it. Nothing reads the range yet, since it lies behind
            // all that was written since the storage was new: so no synchronisation is needed.
            unsafe {
                let p = dev.gl.es.MapBufferRange(
                    glow::COPY_WRITE_BUFFER,
                    at as isize,
                    needed as isize,
                    glow::MAP_WRITE_BIT
                        | glow::MAP_UNSYNCHRONIZED_BIT
                        | glow::MAP_INVALIDATE_RANGE_BIT,
                );
                if p.is_null() {
                    return Err(BackendError::OutOfMemory("a streaming buffer".into()));
                }
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), p.cast(), bytes.len());
                gl.unmap_buffer(glow::COPY_WRITE_BUFFER);
            }
        }
        self.head = at + needed;
        Ok(Place {
            name,
            serial: self.serial,
            offset: at,
        })
    }
}
