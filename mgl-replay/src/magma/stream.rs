//! Bytes for the GPU that are used once: staging, client arrays, rewritten indices, constants.
//!
//! Chunks of memory that the CPU sees are filled one after the other and filled again once the GPU is done with them.
//! Behind each chunk lies room for a whole uniform block, so that a dynamic offset anywhere in the chunk is valid.

use super::gpu::Gpu;
use super::memory::{Memory, RawBuffer};
use super::recorder::Recorder;
use ash::vk;
use gpu_allocator::MemoryLocation;
use mgl_core::pipe::BackendError;

/// Bytes of a chunk.
const CHUNK: u64 = 4 << 20;
/// Chunks larger than this are given back when the GPU is done with them.
const KEPT: u64 = 16 << 20;
/// Largest uniform block that is streamed.
pub const MAX_BLOCK: u64 = 65536;

/// Where bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The buffer.
    pub buffer: vk::Buffer,
    /// First byte.
    pub offset: u64,
    /// Number of the chunk.
    pub chunk: usize,
    /// Which filling of the chunk.
    pub filling: u64,
}

struct Chunk {
    raw: RawBuffer,
    /// Bytes that may be filled.
    size: u64,
    /// Serial of its last use.
    used: u64,
    /// Never the same twice.
    filling: u64,
    /// Descriptor set of the default block in this chunk.
    set: vk::DescriptorSet,
}

/// See the module.
#[derive(Default)]
pub struct Stream {
    chunks: Vec<Option<Chunk>>,
    current: Option<usize>,
    at: u64,
    fillings: u64,
    /// Highest serial whose chunks may be filled again.
    over: u64,
}

fn align_up(v: u64, align: u64) -> u64 {
    v.div_ceil(align.max(1)) * align.max(1)
}

impl Stream {
    /// Reserves room for `size` bytes at a multiple of `align`, not before `least`.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`].
    pub fn reserve(
        &mut self,
        gpu: &Gpu,
        mem: &mut Memory,
        rec: &Recorder,
        size: u64,
        align: u64,
        least: u64,
    ) -> Result<(Place, &mut [u8]), BackendError> {
        let fits = |at: u64, room: u64| {
            let start = align_up(at.max(least), align);
            (start + size <= room).then_some(start)
        };
        let found = self.current.and_then(|i| {
            let c = self.chunks[i].as_ref()?;
            fits(self.at, c.size).map(|start| (i, start))
        });
        let (i, start) = match found {
            Some(f) => f,
            None => {
                let needed = align_up(least, align) + size;
                let i = self.next(gpu, mem, rec, needed)?;
                (i, align_up(least, align))
            }
        };
        self.at = start + size;
        let Some(chunk) = self.chunks[i].as_mut() else {
            return Err(BackendError::Driver("a stream without chunks".into()));
        };
        chunk.used = rec.serial;
        let place = Place {
            buffer: chunk.raw.buffer,
            offset: start,
            chunk: i,
            filling: chunk.filling,
        };
        let bytes = chunk
            .raw
            .memory
            .mapped_slice_mut()
            .and_then(|m| m.get_mut(start as usize..(start + size) as usize))
            .ok_or_else(|| BackendError::Driver("staging memory is not mapped".into()))?;
        Ok((place, bytes))
    }

    /// A call of the pipe begins: what the GPU is done with may be filled again. Not in the middle of one, since it may
    /// wait for the GPU and go on to use what it has put here before.
    pub fn begin(&mut self, rec: &Recorder) {
        self.over = rec.completed;
    }

    /// Puts bytes at a multiple of `align`, not before `least`.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`].
    pub fn write(
        &mut self,
        gpu: &Gpu,
        mem: &mut Memory,
        rec: &Recorder,
        bytes: &[u8],
        align: u64,
        least: u64,
    ) -> Result<Place, BackendError> {
        let (place, to) = self.reserve(gpu, mem, rec, bytes.len() as u64, align, least)?;
        to.copy_from_slice(bytes);
        Ok(place)
    }

    /// A chunk that the GPU is done with, or a new one.
    fn next(
        &mut self,
        gpu: &Gpu,
        mem: &mut Memory,
        rec: &Recorder,
        needed: u64,
    ) -> Result<usize, BackendError> {
        let over = self.over;
        for place in &mut self.chunks {
            if place
                .as_ref()
                .is_some_and(|c| c.used <= over && c.size > KEPT && needed <= CHUNK)
                && let Some(c) = place.take()
            {
                mem.end_buffer(gpu, c.raw);
            }
        }
        let free = self.chunks.iter().position(|c| {
            c.as_ref()
                .is_some_and(|c| c.used <= over && c.size >= needed)
        });
        let i = match free {
            Some(i) => i,
            None => {
                let size = needed.max(CHUNK);
                let raw = mem.buffer(
                    gpu,
                    size + MAX_BLOCK,
                    vk::BufferUsageFlags::TRANSFER_SRC
                        | vk::BufferUsageFlags::VERTEX_BUFFER
                        | vk::BufferUsageFlags::INDEX_BUFFER
                        | vk::BufferUsageFlags::UNIFORM_BUFFER
                        | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
                        | vk::BufferUsageFlags::INDIRECT_BUFFER,
                    MemoryLocation::CpuToGpu,
                )?;
                let new = Chunk {
                    raw,
                    size,
                    used: rec.serial,
                    filling: 0,
                    set: vk::DescriptorSet::null(),
                };
                match self.chunks.iter().position(Option::is_none) {
                    Some(i) => {
                        self.chunks[i] = Some(new);
                        i
                    }
                    None => {
                        self.chunks.push(Some(new));
                        self.chunks.len() - 1
                    }
                }
            }
        };
        self.current = Some(i);
        self.at = 0;
        self.fillings += 1;
        if let Some(c) = &mut self.chunks[i] {
            c.filling = self.fillings;
        }
        Ok(i)
    }

    /// The descriptor set that was kept for a chunk; null before one was.
    pub fn set_of(&self, chunk: usize) -> vk::DescriptorSet {
        self.chunks
            .get(chunk)
            .and_then(Option::as_ref)
            .map_or_else(vk::DescriptorSet::null, |c| c.set)
    }

    /// Keeps the descriptor set of a chunk.
    pub fn keep_set(&mut self, chunk: usize, set: vk::DescriptorSet) {
        if let Some(Some(c)) = self.chunks.get_mut(chunk) {
            c.set = set;
        }
    }

    /// Keeps bytes that were put earlier until all that is recorded now is complete. False when their chunk was filled
    /// anew meanwhile.
    #[inline]
    pub fn keep(&mut self, p: &Place, serial: u64) -> bool {
        match self.chunks.get_mut(p.chunk) {
            Some(Some(c)) if c.filling == p.filling => {
                c.used = c.used.max(serial);
                true
            }
            _ => false,
        }
    }

    /// Ends all chunks; the GPU is done.
    pub fn end(&mut self, gpu: &Gpu, mem: &mut Memory) {
        for c in self.chunks.drain(..).flatten() {
            mem.end_buffer(gpu, c.raw);
        }
        self.current = None;
    }
}
