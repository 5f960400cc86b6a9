//! Buffer objects and their bindings (GL 4.6 chapter 6).
//!
//! Buffer operations are immediate: each writes the client's copy ([`shadow`]) and pushes in the same breath. The copy is
//! current but for what the GPU wrote; that is marked by [`Buffer::gpu_wrote`] and read back by [`Buffer::sync`] when
//! somebody asks for the bytes.

mod bindings;
mod shadow;

pub use bindings::*;
pub use shadow::{ALIGNMENT, Shadow};

use super::*;
use crate::consts::gl::*;
use crate::pipe::{Answer, Pipe};
use mgl_core::handle::{BufferHandle, ResourceHandle};
use mgl_core::pipe::{
    BindMask, Box3, BufferRange, BufferUsage, Call, CopyRegion, Reply, ResourceDesc, ResourceFlags,
    ResourceOnly, StorageKind, SubData, SubDataFlags, Target,
};

/// Bytes of the largest data store: buffer copies name byte positions in 32 bits.
pub const MAX_BUFFER_SIZE: u64 = u32::MAX as u64;

/// A mapping of a buffer's range (GL 4.6 §6.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mapping {
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub length: u64,
    /// GL_MAP_*_BIT.
    pub access: u32,
}

/// A buffer object.
pub struct Buffer {
    name: u32,
    handle: BufferHandle,
    /// As last pushed; `None` before the first data store.
    desc: Option<ResourceDesc>,
    /// What it has been bound as so far.
    hint: BindMask,
    shadow: Shadow,
    mapping: Option<Mapping>,
    /// Ranges flushed of an explicitly flushed mapping, sorted, apart from each other.
    flushed: Vec<(u64, u64)>,
    gpu_written: bool,
}

impl Buffer {
    /// A buffer without a data store, under a freshly minted handle.
    #[must_use]
    pub fn new(name: u32, handle: BufferHandle) -> Self {
        Self {
            name,
            handle,
            desc: None,
            hint: BindMask::NONE,
            shadow: Shadow::default(),
            mapping: None,
            flushed: Vec::new(),
            gpu_written: false,
        }
    }
    /// The application's name for it.
    #[must_use]
    pub fn name(&self) -> u32 {
        self.name
    }
    /// Its handle; null before it has a data store.
    #[inline]
    #[must_use]
    pub fn handle(&self) -> BufferHandle {
        match self.desc {
            Some(_) => self.handle,
            None => BufferHandle::NULL,
        }
    }
    /// Its handle, which may not be live on the pipe yet.
    #[must_use]
    pub fn minted(&self) -> BufferHandle {
        self.handle
    }
    /// Bytes.
    #[inline]
    #[must_use]
    pub fn size(&self) -> u64 {
        self.shadow.len() as u64
    }
    /// GL_BUFFER_USAGE.
    #[must_use]
    pub fn usage(&self) -> u32 {
        self.desc.map_or(GL_STATIC_DRAW, |d| d.usage.0)
    }
    /// The mapping, while it is mapped.
    #[inline]
    #[must_use]
    pub fn mapping(&self) -> Option<Mapping> {
        self.mapping
    }
    /// Where the mapped range starts; null while it is not mapped.
    #[must_use]
    pub fn map_pointer(&self) -> *mut u8 {
        self.mapping.map_or(std::ptr::null_mut(), |m| {
            self.shadow.pointer(m.offset as usize)
        })
    }
    /// Whether the GPU may have written bytes that the client's copy lacks.
    #[must_use]
    pub fn is_gpu_written(&self) -> bool {
        self.gpu_written
    }
    /// Remembers what it is bound as, for placement.
    pub fn hint(&mut self, as_what: BindMask) {
        self.hint = BindMask(self.hint.0 | as_what.0);
    }

    /// The client's copy. [`Buffer::sync`] it first where the GPU can have written.
    #[inline]
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.shadow.bytes()
    }
    /// Marks that a verb wrote it on the GPU (transform feedback, read-backs into it).
    pub fn gpu_wrote(&mut self, _t: Token<dirty::BufferContent>) {
        self.gpu_written = true;
    }
    /// Makes the client's copy current: reads back what the GPU wrote, and waits for it.
    pub fn sync(&mut self, pipe: &mut Pipe) {
        if !self.gpu_written || self.desc.is_none() {
            return;
        }
        let reply = pipe.ask(Call::ResourceReadback { p: &self.whole() });
        self.learn(reply);
    }

    /// As [`Buffer::sync`], where the entry point can be run again; false when it is to be left.
    pub fn sync_apart(&mut self, pipe: &mut Pipe) -> bool {
        if !self.gpu_written || self.desc.is_none() {
            return true;
        }
        match pipe.ask_apart(Call::ResourceReadback { p: &self.whole() }) {
            Answer::Later => return false,
            Answer::Reply(reply) => self.learn(Some(reply)),
            Answer::Failed => {}
        }
        true
    }

    fn whole(&self) -> BufferRange {
        BufferRange {
            buffer: self.handle,
            offset: 0,
            size: self.size(),
        }
    }

    fn learn(&mut self, reply: Option<Reply>) {
        if let Some(Reply::Bytes(bytes)) = reply {
            let n = bytes.len().min(self.shadow.len());
            self.shadow.write(0, &bytes[..n]);
            self.gpu_written = false;
        }
    }

    /// glBufferData: a new data store of `size` bytes, with `data` (of that size) as content or none. Ends a mapping. `token`
    /// is taken where the store was none, or of another size.
    ///
    /// False, and nothing has changed, when there is no memory.
    pub fn specify(
        &mut self,
        token: impl FnOnce() -> Token<dirty::Buffers>,
        pipe: &mut Pipe,
        size: u64,
        data: Option<&[u8]>,
        usage: BufferUsage,
    ) -> bool {
        if size > MAX_BUFFER_SIZE {
            return false;
        }
        if size != self.size() {
            let Some(shadow) = usize::try_from(size).ok().and_then(Shadow::zeroed) else {
                return false;
            };
            // The old memory goes after the copy: `data` may lead into it, by a pointer that was mapped.
            let old = std::mem::replace(&mut self.shadow, shadow);
            if let Some(data) = data {
                self.shadow.write(0, data);
            }
            drop(old);
        } else if let Some(data) = data {
            self.shadow.write(0, data);
        }
        self.mapping = None;
        self.flushed.clear();
        self.gpu_written = false;
        let desc = ResourceDesc {
            resource: self.handle.into(),
            target: Target::BUFFER,
            storage: StorageKind::MUTABLE,
            bind: self.hint,
            height: 1,
            depth: 1,
            layers: 1,
            levels: 1,
            usage,
            flags: if data.is_some() {
                ResourceFlags::DEFINED
            } else {
                ResourceFlags::NONE
            },
            gl_name: self.name,
            size,
            ..ResourceDesc::default()
        };
        let old = self.desc.replace(desc);
        if old.is_none_or(|old| old.size != size) {
            drop(token());
        }
        match old {
            None => pipe.push(Call::ResourceCreate { p: &desc }),
            Some(_) => pipe.push(Call::ResourceRespecify { p: &desc }),
        }
        if data.is_some() {
            self.upload(0, size, &mut |c| pipe.push(c));
        }
        true
    }

    /// Writes `bytes` at `offset`; the range is inside the store.
    pub fn write(
        &mut self,
        _t: Token<dirty::BufferContent>,
        pipe: &mut Pipe,
        offset: u64,
        bytes: &[u8],
    ) {
        if bytes.is_empty() {
            return;
        }
        self.shadow.write(offset as usize, bytes);
        self.upload(offset, bytes.len() as u64, &mut |c| pipe.push(c));
    }

    /// Pushes a range of the client's copy.
    fn upload(&self, offset: u64, size: u64, sink: &mut dyn FnMut(Call<'_>)) {
        if size == 0 {
            return;
        }
        let whole = offset == 0 && size == self.size();
        let p = SubData {
            resource: self.handle.into(),
            offset,
            flags: if whole {
                SubDataFlags::DISCARD
            } else {
                SubDataFlags::NONE
            },
            ..SubData::default()
        };
        let (from, to) = (offset as usize, (offset + size) as usize);
        sink(Call::ResourceSubData {
            p: &p,
            bytes: &self.bytes()[from..to],
            regions: &[],
        });
    }

    /// glMapBufferRange, once the range and the access bits are known to be good: the address of the first byte; null
    /// when the entry point is to be left.
    pub fn map(&mut self, _t: Token<dirty::Mappings>, pipe: &mut Pipe, map: Mapping) -> *mut u8 {
        let whole = map.offset == 0 && map.length == self.size();
        let dropped = map.access & GL_MAP_INVALIDATE_BUFFER_BIT != 0
            || (map.access & GL_MAP_INVALIDATE_RANGE_BIT != 0 && whole);
        if dropped {
            self.gpu_written = false;
        } else {
            // A written mapping goes up whole at unmap, so what the GPU wrote has to be in it, read or not.
            if !self.sync_apart(pipe) {
                return std::ptr::null_mut();
            }
        }
        self.mapping = Some(map);
        self.flushed.clear();
        self.map_pointer()
    }

    /// glFlushMappedBufferRange: `offset` counts from the start of the mapping.
    pub fn flush_mapped(&mut self, offset: u64, length: u64) {
        let Some(m) = self.mapping else { return };
        if length > 0 {
            add_range(&mut self.flushed, m.offset + offset, length);
        }
    }

    /// glUnmapBuffer: pushes what was written. False if it was not mapped.
    pub fn unmap(&mut self, _t: Token<dirty::Mappings>, pipe: &mut Pipe) -> bool {
        let Some(m) = self.mapping.take() else {
            return false;
        };
        if m.access & GL_MAP_WRITE_BIT != 0 {
            if m.access & GL_MAP_FLUSH_EXPLICIT_BIT != 0 {
                for &(offset, length) in &self.flushed {
                    self.upload(offset, length, &mut |c| pipe.push(c));
                }
            } else {
                self.upload(m.offset, m.length, &mut |c| pipe.push(c));
            }
        }
        self.flushed.clear();
        true
    }

    /// glCopyBufferSubData inside one buffer; the ranges are inside it and do not overlap.
    pub fn copy_within(
        &mut self,
        _t: Token<dirty::BufferContent>,
        pipe: &mut Pipe,
        from: u64,
        to: u64,
        size: u64,
    ) {
        self.shadow
            .copy_within(from as usize, to as usize, size as usize);
        push_copy(pipe, self.handle, self.handle, from, to, size);
    }

    /// glCopyBufferSubData from another buffer; both ranges are inside.
    pub fn copy_from(
        &mut self,
        _t: Token<dirty::BufferContent>,
        pipe: &mut Pipe,
        src: &Buffer,
        from: u64,
        to: u64,
        size: u64,
    ) {
        let end = (from + size) as usize;
        self.shadow
            .write(to as usize, &src.bytes()[from as usize..end]);
        // Bytes that only the GPU has are copied there; this side learns them when it asks.
        self.gpu_written |= src.gpu_written;
        push_copy(pipe, src.handle, self.handle, from, to, size);
    }

    /// Ends it on the pipe.
    pub fn destroy(self, pipe: &mut Pipe) {
        if self.desc.is_some() {
            pipe.push(Call::ResourceDestroy {
                p: &ResourceOnly {
                    resource: ResourceHandle::of(self.handle),
                    ..ResourceOnly::default()
                },
            });
        }
        pipe.release(self.handle);
    }
}

fn push_copy(pipe: &mut Pipe, src: BufferHandle, dst: BufferHandle, from: u64, to: u64, size: u64) {
    let narrow = |v: u64| u32::try_from(v).expect("stores are below 4 GiB");
    pipe.push(Call::ResourceCopyRegion {
        p: &CopyRegion {
            src: src.into(),
            dst: dst.into(),
            src_box: Box3 {
                x: narrow(from),
                width: narrow(size),
                height: 1,
                depth: 1,
                ..Box3::default()
            },
            dst_x: narrow(to),
            ..CopyRegion::default()
        },
    });
}

/// Adds `offset..offset+length` to sorted ranges, joining those that touch.
fn add_range(ranges: &mut Vec<(u64, u64)>, offset: u64, length: u64) {
    let (mut from, mut to) = (offset, offset + length);
    let first = ranges.partition_point(|&(o, n)| o + n < from);
    let mut last = first;
    while let Some(&(o, n)) = ranges.get(last).filter(|&&(o, _)| o <= to) {
        (from, to) = (from.min(o), to.max(o + n));
        last += 1;
    }
    ranges.splice(first..last, [(from, to - from)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flushed_ranges_join_when_they_touch() {
        let mut r = Vec::new();
        for (o, n) in [(10, 5), (30, 5), (0, 2), (15, 3)] {
            add_range(&mut r, o, n);
        }
        assert_eq!(r, [(0, 2), (10, 8), (30, 5)]);
        add_range(&mut r, 1, 40);
        assert_eq!(r, [(0, 41)]);
    }
}
