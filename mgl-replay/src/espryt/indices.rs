//! Index buffers, and restart indices that OpenGL ES does not know (design: pipe contract 3.7).
//!
//! OpenGL ES restarts at the largest value of the index type only. Where a draw restarts at another index, its indices
//! are rewritten: the restart index becomes the largest value, and the type is widened where an index has that value
//! already. The indices are read from a copy of the buffer on the CPU that is kept from then on, up to a budget.

use super::context::Serial;
use super::work::Work;
use mgl_core::handle::BufferHandle;
use mgl_core::pipe::*;

/// Bytes of index buffers of which copies are kept.
const MIRROR_BUDGET: u64 = 64 << 20;

/// Where the indices of a draw are.
#[derive(Debug, Clone, Copy)]
pub struct Indices {
    /// The buffer.
    pub name: glow::Buffer,
    /// Its identity.
    pub serial: Serial,
    /// First byte of index 0 of the draw's own counting; may be behind the buffer's start.
    base: i64,
    /// Bytes an index.
    size: u32,
    /// The largest value restarts.
    pub restart: bool,
}

impl Indices {
    /// Four-byte indices that were put somewhere.
    pub fn of_words(place: &super::stream::Place) -> Self {
        Self {
            name: place.name,
            serial: place.serial,
            base: place.offset as i64,
            size: 4,
            restart: false,
        }
    }

    /// Type of the indices.
    pub fn gl_type(&self) -> u32 {
        match self.size {
            1 => glow::UNSIGNED_BYTE,
            2 => glow::UNSIGNED_SHORT,
            _ => glow::UNSIGNED_INT,
        }
    }

    /// Byte offset of an index in the buffer.
    pub fn address(&self, start: u32) -> usize {
        (self.base + i64::from(start) * i64::from(self.size)).max(0) as usize
    }
}

/// The largest value of an index of `size` bytes.
fn largest(size: u32) -> u32 {
    match size {
        1 => 0xFF,
        2 => 0xFFFF,
        _ => u32::MAX,
    }
}

/// Indices in which `restart` has become the largest value, and their new size.
fn rewrite(bytes: &[u8], size: u32, restart: u32) -> (Vec<u8>, u32) {
    let fixed = largest(size);
    let values = bytes.chunks_exact(size as usize).map(|b| {
        let mut word = [0; 4];
        word[..b.len()].copy_from_slice(b);
        u32::from_le_bytes(word)
    });
    // Only an index that is the largest value without meaning a restart needs a wider type.
    let wide = size < 4 && values.clone().any(|v| v == fixed);
    let (to, out) = (
        if wide { 4 } else { size },
        largest(if wide { 4 } else { size }),
    );
    let mut all = Vec::with_capacity(bytes.len() / size as usize * to as usize);
    for v in values {
        let v = if v == restart { out } else { v };
        all.extend_from_slice(&v.to_le_bytes()[..to as usize]);
    }
    (all, to)
}

impl Work<'_> {
    /// Brings the indices of a draw where OpenGL ES can read them.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`], or [`BackendError::Unsupported`] for an indirect draw with a restart index that
    /// OpenGL ES does not know.
    pub fn place_indices(
        &mut self,
        s: &PushedState,
        d: &DrawCall<'_>,
    ) -> Result<Indices, BackendError> {
        let (info, size) = (d.info, d.info.index_size);
        let user = info.flags.has(DrawFlags::USER_INDICES);
        let buffer = self.context(s)?.values.index_buffer.buffer;
        // An index that the type cannot hold never restarts.
        let restart = info.flags.has(DrawFlags::RESTART) && info.restart_index <= largest(size);
        let lower = restart && info.restart_index != largest(size);
        if lower && info.flags.has(DrawFlags::INDIRECT) {
            return Err(BackendError::Unsupported(format!(
                "restart index {:#x} in an indirect draw",
                info.restart_index
            )));
        }
        if lower {
            return self.place_rewritten(d, (!user).then_some(buffer));
        }
        if user {
            let place = self.stream_arrays(d.indices, 4, 0)?;
            return Ok(Indices {
                name: place.name,
                serial: place.serial,
                base: place.offset as i64,
                size,
                restart,
            });
        }
        let b = self.buffer(buffer)?;
        Ok(Indices {
            name: b.name,
            serial: b.serial,
            base: 0,
            size,
            restart,
        })
    }

    /// Rewrites the indices that the ranges span.
    fn place_rewritten(
        &mut self,
        d: &DrawCall<'_>,
        buffer: Option<BufferHandle>,
    ) -> Result<Indices, BackendError> {
        let size = d.info.index_size;
        let used = d.ranges.iter().filter(|r| r.count > 0);
        let first = used.clone().map(|r| r.start).min().unwrap_or(0);
        let end = used
            .map(|r| u64::from(r.start) + u64::from(r.count))
            .max()
            .unwrap_or(0);
        let (from, to) = (u64::from(first) * u64::from(size), end * u64::from(size));
        let restart = d.info.restart_index;
        let (bytes, wide) = match buffer {
            None => rewrite(&d.indices[from as usize..to as usize], size, restart),
            Some(h) => {
                let source = self.index_bytes(h)?;
                let to = to.min(source.len() as u64);
                let part = &source[from.min(to) as usize..to as usize];
                let done = rewrite(part, size, restart);
                self.keep_mirror(h, source);
                done
            }
        };
        let place = self.stream_arrays(&bytes, 4, 0)?;
        Ok(Indices {
            name: place.name,
            serial: place.serial,
            base: place.offset as i64 - i64::from(first) * i64::from(wide),
            size: wide,
            restart: true,
        })
    }

    /// All bytes of a buffer: its mirror, taken out, or read back.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`].
    pub fn index_bytes(&mut self, h: BufferHandle) -> Result<Vec<u8>, BackendError> {
        let b = self.buffer(h)?;
        if let Some(m) = b.mirror.take() {
            return Ok(m);
        }
        let size = b.size;
        self.read_buffer(&BufferRange {
            buffer: h,
            offset: 0,
            size,
        })
    }

    /// Keeps the bytes of a buffer as its mirror, as far as the budget goes.
    pub fn keep_mirror(&mut self, h: BufferHandle, bytes: Vec<u8>) {
        let kept: u64 = self
            .obj
            .buffers
            .iter()
            .filter_map(|(_, b)| b.mirror.as_ref())
            .map(|m| m.len() as u64)
            .sum();
        if kept + bytes.len() as u64 <= MIRROR_BUDGET
            && let Ok(b) = self.obj.buffers.get_mut(h)
        {
            b.mirror = Some(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shorts(v: &[u16]) -> Vec<u8> {
        v.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    #[test]
    fn restart_becomes_the_largest_value() {
        let (bytes, size) = rewrite(&shorts(&[0, 1, 2, 7, 3]), 2, 7);
        assert_eq!((bytes, size), (shorts(&[0, 1, 2, 0xFFFF, 3]), 2));
    }

    #[test]
    fn an_index_of_the_largest_value_stays_an_index() {
        let (bytes, size) = rewrite(&shorts(&[0xFFFF, 5]), 2, 5);
        let words: Vec<u32> = bytes
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        assert_eq!((words, size), (vec![0xFFFF, u32::MAX], 4));
        assert_eq!(rewrite(&[1, 2, 3], 1, 2), (vec![1, 0xFF, 3], 1));
    }
}
