//! Buffers: storage, uploads, copies and read-backs.
//!
//! A respecified buffer gets new storage under the same GL name, so that the GPU may still read the old one. Buffers
//! whose indices had to be rewritten keep a copy of their content on the CPU ([`super::indices`]).

use super::context::{Serial, Shadow};
use super::device::Device;
use super::memory::reserve;
use super::objects::Buffer;
use super::work::Work;
use glow::HasContext;
use mgl_core::handle::{BufferHandle, TypedHandle};
use mgl_core::pipe::{BackendError, BufferRange, ClearResource, CopyRegion, ResourceDesc};

impl Shadow {
    /// Binds a buffer to GL_COPY_WRITE_BUFFER.
    pub fn bind_copy_write(&mut self, dev: &Device, name: glow::Buffer, serial: Serial) {
        if self.copy_write != serial {
            dev.tally.buffer_binds.one();
            // SAFETY: the context is current, and the buffer lives.
            unsafe { dev.gl.glow.bind_buffer(glow::COPY_WRITE_BUFFER, Some(name)) };
            self.copy_write = serial;
        }
    }

    /// Binds a buffer to GL_COPY_READ_BUFFER.
    pub fn bind_copy_read(&mut self, dev: &Device, name: glow::Buffer, serial: Serial) {
        if self.copy_read != serial {
            dev.tally.buffer_binds.one();
            // SAFETY: the context is current, and the buffer lives.
            unsafe { dev.gl.glow.bind_buffer(glow::COPY_READ_BUFFER, Some(name)) };
            self.copy_read = serial;
        }
    }
}

/// Storage calls that glow has for 32-bit sizes only.
pub struct Buffers;

impl Buffers {
    /// New, undefined storage for the buffer bound to `target`.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`].
    pub fn allocate(dev: &Device, target: u32, size: u64, usage: u32) -> Result<(), BackendError> {
        let what = || format!("a buffer of {size} bytes");
        let bytes = isize::try_from(size).map_err(|_| BackendError::OutOfMemory(what()))?;
        dev.check_errors("before a buffer's storage");
        dev.tally.buffer_allocations.one();
        // SAFETY: a buffer is bound to the target.
        unsafe { dev.gl.es.BufferData(target, bytes, std::ptr::null(), usage) };
        match dev.gl.error() {
            glow::NO_ERROR => Ok(()),
            glow::OUT_OF_MEMORY => Err(BackendError::OutOfMemory(what())),
            code => Err(BackendError::Driver(format!(
                "{}: GL error {code:#06x}",
                what()
            ))),
        }
    }

    /// Overwrites bytes of the buffer bound to `target`; they are inside it.
    fn put(dev: &Device, target: u32, offset: u64, bytes: &[u8]) {
        // SAFETY: `apply` has checked the range against the buffer's size.
        unsafe {
            dev.gl.es.BufferSubData(
                target,
                offset as isize,
                bytes.len() as isize,
                bytes.as_ptr().cast(),
            );
        }
    }
}

impl Work<'_> {
    /// A live buffer.
    ///
    /// # Errors
    ///
    /// [`BackendError::Driver`] for one whose storage could not be made.
    pub fn buffer(&mut self, h: BufferHandle) -> Result<&mut Buffer, BackendError> {
        self.obj
            .buffers
            .get_mut(h)
            .map_err(|e| BackendError::Driver(e.to_string()))
    }

    /// Makes a buffer, or its storage anew.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`].
    pub fn specify_buffer(&mut self, d: &ResourceDesc) -> Result<(), BackendError> {
        let h = BufferHandle::from_raw(d.resource.handle);
        let usage = match d.usage.0 {
            0 => glow::DYNAMIC_DRAW,
            u => u,
        };
        let (name, serial) = match self.obj.buffers.get(h) {
            Ok(b) => (b.name, b.serial),
            Err(_) => {
                // SAFETY: a context is current.
                let name =
                    unsafe { self.dev.gl.glow.create_buffer() }.map_err(BackendError::Driver)?;
                self.dev.tally.buffers_made.one();
                let serial = self.obj.serial();
                let buffer = Buffer {
                    name,
                    serial,
                    size: 0,
                    usage,
                    mirror: None,
                    version: 0,
                };
                self.obj
                    .buffers
                    .insert(h, buffer)
                    .map_err(|e| BackendError::Driver(e.to_string()))?;
                (name, serial)
            }
        };
        self.ctx.shadow.bind_copy_write(self.dev, name, serial);
        Buffers::allocate(self.dev, glow::COPY_WRITE_BUFFER, d.size, usage)?;
        let b = self.buffer(h)?;
        let resized = b.size != d.size;
        (b.size, b.usage, b.version) = (d.size, usage, b.version + 1);
        b.mirror = None;
        if resized {
            // Ranges of uniform buffers depend on it.
            self.obj.moved();
        }
        Ok(())
    }

    /// Overwrites bytes of a buffer.
    ///
    /// # Errors
    ///
    /// When the buffer has no storage.
    pub fn upload_buffer(
        &mut self,
        h: BufferHandle,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), BackendError> {
        if bytes.is_empty() {
            return Ok(());
        }
        let b = self.buffer(h)?;
        let (name, serial, size, usage) = (b.name, b.serial, b.size, b.usage);
        b.version += 1;
        if let Some(m) = &mut b.mirror {
            let at = offset as usize;
            if let Some(place) = m.get_mut(at..at + bytes.len()) {
                place.copy_from_slice(bytes);
            }
        }
        self.ctx.shadow.bind_copy_write(self.dev, name, serial);
        self.dev.tally.buffer_upload_jobs.one();
        self.dev.tally.buffer_upload_bytes.add(bytes.len() as u64);
        if offset == 0 && bytes.len() as u64 == size {
            // The whole content: new storage, so that draws under way keep the old one.
            self.dev.tally.buffer_allocations.one();
            // SAFETY: the buffer is bound, and the bytes are as many as its size.
            unsafe {
                self.dev.gl.es.BufferData(
                    glow::COPY_WRITE_BUFFER,
                    size as isize,
                    bytes.as_ptr().cast(),
                    usage,
                );
            }
            return Ok(());
        }
        Buffers::put(self.dev, glow::COPY_WRITE_BUFFER, offset, bytes);
        Ok(())
    }

    /// Bytes of a buffer.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`] when they cannot be mapped.
    pub fn read_buffer(&mut self, r: &BufferRange) -> Result<Vec<u8>, BackendError> {
        if r.size == 0 {
            return Ok(Vec::new());
        }
        let b = self.buffer(r.buffer)?;
        let (name, serial) = (b.name, b.serial);
        self.ctx.shadow.bind_copy_read(self.dev, name, serial);
        self.dev.check_errors("before mapping a buffer");
        // SAFETY: `apply` has checked the range; the mapping holds `size` bytes until it is undone.
        unsafe {
            let p = self.dev.gl.es.MapBufferRange(
                glow::COPY_READ_BUFFER,
                r.offset as isize,
                r.size as isize,
                glow::MAP_READ_BIT,
            );
            if p.is_null() {
                self.dev.gl.check("mapping a buffer")?;
                return Err(BackendError::OutOfMemory("mapping a buffer".into()));
            }
            let bytes = reserve(r.size as usize).map(|mut all| {
                all.extend_from_slice(std::slice::from_raw_parts(p.cast(), r.size as usize));
                all
            });
            self.dev.gl.glow.unmap_buffer(glow::COPY_READ_BUFFER);
            bytes
        }
    }

    /// Copies bytes between buffers; the box holds the range in x and width.
    ///
    /// # Errors
    ///
    /// When a buffer has no storage.
    pub fn copy_buffer(&mut self, c: &CopyRegion) -> Result<(), BackendError> {
        let (from, to) = (
            BufferHandle::from_raw(c.src.handle),
            BufferHandle::from_raw(c.dst.handle),
        );
        let size = c.src_box.width as usize;
        if size == 0 {
            return Ok(());
        }
        let (at, dst_at) = (c.src_box.x as usize, c.dst_x as usize);
        let overlaps = from == to && at < dst_at + size && dst_at < at + size;
        if overlaps {
            // GL leaves it to the caller; here it is a move.
            let bytes = self.read_buffer(&BufferRange {
                buffer: from,
                offset: at as u64,
                size: size as u64,
            })?;
            return self.upload_buffer(to, dst_at as u64, &bytes);
        }
        let b = self.buffer(from)?;
        let src = (b.name, b.serial);
        let copied = b
            .mirror
            .as_ref()
            .and_then(|m| m.get(at..at + size))
            .map(<[u8]>::to_vec);
        let b = self.buffer(to)?;
        let dst = (b.name, b.serial);
        b.version += 1;
        b.mirror = match (b.mirror.take(), copied) {
            (Some(mut m), Some(bytes)) => m
                .get_mut(dst_at..dst_at + size)
                .map(|p| {
                    p.copy_from_slice(&bytes);
                })
                .map(|()| m),
            _ => None,
        };
        self.ctx.shadow.bind_copy_read(self.dev, src.0, src.1);
        self.ctx.shadow.bind_copy_write(self.dev, dst.0, dst.1);
        self.dev.tally.copy_calls.one();
        // SAFETY: `apply` has checked both ranges.
        unsafe {
            self.dev.gl.es.CopyBufferSubData(
                glow::COPY_READ_BUFFER,
                glow::COPY_WRITE_BUFFER,
                at as isize,
                dst_at as isize,
                size as isize,
            );
        }
        Ok(())
    }

    /// Fills a range of a buffer with a repeated value.
    ///
    /// # Errors
    ///
    /// When the buffer has no storage.
    pub fn clear_buffer_range(&mut self, c: &ClearResource) -> Result<(), BackendError> {
        let value = bytemuck::bytes_of(&c.value);
        let unit = (c.value_size as usize).clamp(1, value.len());
        let mut bytes = reserve(c.size as usize)?;
        bytes.extend(value[..unit].iter().cycle().take(c.size as usize));
        self.upload_buffer(BufferHandle::from_raw(c.resource.handle), c.offset, &bytes)
    }
}
