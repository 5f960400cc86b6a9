//! Vertex input: one Vulkan binding an attribute that the program reads (design: pipe contract 3.3).
//!
//! An attribute's own offset goes into the offset of its binding, so that pipelines depend on formats and divisors only.
//! What the device cannot read, or not at such an offset or stride, is repacked on the CPU and kept until the content
//! changes. Attributes that no array feeds read their current value from a buffer with a stride of zero. Bytes of client
//! arrays go where element 0 would lie inside the stream, because addresses are counted from it.

use super::Magma;
use super::memory::RawBuffer;
use super::recorder::Garbage;
use super::spirv::Input;
use super::stream::Place;
use super::targets::context;
use super::vertex_formats::{VertexPlan, constant, plan, repack};
use crate::approximation::Approximation;
use ash::vk;
use bytemuck::{Pod, Zeroable};
use gpu_allocator::MemoryLocation;
use mgl_core::handle::{BufferHandle, ShaderHandle};
use mgl_core::pipe::*;

/// Attributes that a pipeline can have.
pub const MOST: usize = 32;
/// Bytes of repacked buffers that are kept.
const BUDGET: u64 = 64 << 20;

/// An attribute as a pipeline has it.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct InputKey {
    /// Location, plus one; 0 for none.
    pub location: u32,
    /// Vulkan's format.
    pub format: i32,
    /// Instances an element lasts; 0 is per vertex.
    pub divisor: u32,
    /// Bytes from element to element, where that is the pipeline's.
    pub stride: u32,
}

/// The attributes of a draw, resolved.
#[derive(Debug, Clone)]
pub struct VertexInput {
    /// Attributes.
    pub count: usize,
    /// Pipeline's part.
    pub keys: [InputKey; MOST],
    /// Buffers by binding.
    pub buffers: [vk::Buffer; MOST],
    /// First bytes.
    pub offsets: [u64; MOST],
    /// Bytes from element to element.
    pub strides: [u64; MOST],
    /// Buffers of the client that are read.
    pub uses: Vec<(BufferHandle, bool)>,
    /// Places in the stream that are read.
    places: Vec<Place>,
    /// Buffers that repacked ones were made from, and the content that they had.
    watched: Vec<(BufferHandle, u64)>,
    /// It holds for one draw only.
    once: bool,
}

impl Default for VertexInput {
    fn default() -> Self {
        Self {
            count: 0,
            keys: [InputKey::default(); MOST],
            buffers: [vk::Buffer::null(); MOST],
            offsets: [0; MOST],
            strides: [0; MOST],
            uses: Vec::new(),
            places: Vec::new(),
            watched: Vec::new(),
            once: false,
        }
    }
}

/// What a kept repacked buffer was made from.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Key {
    buffer: u64,
    version: u64,
    first: u64,
    stride: u32,
    attrib: VertexAttrib,
    format: vk::Format,
}

/// Kept repacked buffers, the oldest first.
#[derive(Debug, Default)]
pub struct Repacked {
    kept: Vec<(Key, RawBuffer)>,
}

impl Repacked {
    /// Takes all out.
    pub fn take(&mut self) -> Vec<RawBuffer> {
        std::mem::take(&mut self.kept)
            .into_iter()
            .map(|k| k.1)
            .collect()
    }
}

/// What an attribute reads from.
struct Source {
    buffer: vk::Buffer,
    offset: u64,
    stride: u32,
}

impl Magma {
    /// Resolves the attributes of a draw, if anything that they depend on has moved. They are in the context's
    /// [`VertexInput`] afterwards.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] for attributes that the device cannot read.
    pub(super) fn follow_vertex_input(
        &mut self,
        s: &PushedState,
        h: ShaderHandle,
        d: &DrawCall<'_>,
    ) -> Result<(), BackendError> {
        let c = context(s)?;
        let serial = self
            .obj
            .programs
            .get(h)
            .map_err(|e| BackendError::Driver(e.to_string()))?
            .serial;
        let seen = (
            c.generation(Group::VertexElements),
            c.generation(Group::VertexBuffers),
            c.generation(Group::AttribDefaults),
            self.obj.epoch,
            serial,
        );
        let submission = self.rec.serial;
        let ctx = Self::ctx_of(&mut self.contexts, s)?;
        if ctx.vertex_seen == Some(seen) && !ctx.vertex.once && d.user_arrays.is_empty() {
            let (stream, buffers) = (&mut self.stream, &self.obj.buffers);
            let same = |w: &(BufferHandle, u64)| buffers.get(w.0).is_ok_and(|b| b.version == w.1);
            if ctx.vertex.watched.iter().all(same)
                && ctx.vertex.places.iter().all(|p| stream.keep(p, submission))
            {
                return Ok(());
            }
        }
        ctx.vertex_seen = None;
        let mut v = std::mem::take(&mut ctx.vertex);
        let done = self.resolve_input(s, h, d, &mut v);
        let ctx = Self::ctx_of(&mut self.contexts, s)?;
        ctx.vertex = v;
        if done.is_ok() {
            ctx.vertex_seen = Some(seen);
        }
        done
    }

    fn resolve_input(
        &mut self,
        s: &PushedState,
        h: ShaderHandle,
        d: &DrawCall<'_>,
        v: &mut VertexInput,
    ) -> Result<(), BackendError> {
        let values = &context(s)?.values;
        let entry = s
            .vertex_elements
            .get(values.vertex_elements)
            .map_err(|e| BackendError::Driver(e.to_string()))?;
        v.uses.clear();
        v.places.clear();
        v.watched.clear();
        v.once = !d.user_arrays.is_empty();
        v.keys = [InputKey::default(); MOST];
        let count = self
            .obj
            .programs
            .get(h)
            .map(|p| p.code.layout().inputs.len())
            .unwrap_or(0);
        v.count = count;
        if count > MOST.min(self.gpu.limits.core.max_vertex_input_bindings as usize) {
            return Err(BackendError::Unsupported(format!(
                "{count} vertex attributes"
            )));
        }
        for i in 0..count {
            let input = self
                .obj
                .programs
                .get(h)
                .map_err(|e| BackendError::Driver(e.to_string()))?
                .code
                .layout()
                .inputs[i];
            let found = entry.attribs.iter().find(|a| a.location == input.location);
            let (format, divisor, source) = match found {
                Some(a) => {
                    let b = entry.bindings.iter().find(|b| b.binding == a.binding);
                    let divisor = b.map_or(0, |b| b.divisor);
                    let (plan, source) =
                        self.array(values, a, b.map_or(0, |b| b.stride), &input, d, v)?;
                    (plan.format, divisor, source)
                }
                None => {
                    let value = values
                        .attrib_defaults
                        .iter()
                        .find(|x| x.location == input.location)
                        .copied()
                        .unwrap_or(AttribValue {
                            location: input.location,
                            ty: ValueType::FLOAT,
                            bits: [0, 0, 0, 1f32.to_bits(), 0, 0, 0, 0],
                        });
                    let (format, bytes) = constant(&value, &input);
                    let place = self.put(&bytes, 16, 0)?;
                    v.places.push(place);
                    let source = Source {
                        buffer: place.buffer,
                        offset: place.offset,
                        stride: 0,
                    };
                    (format, 0, source)
                }
            };
            let most = if self.gpu.has.vertex_divisor {
                self.gpu.limits.divisor
            } else {
                1
            };
            if divisor > most {
                self.near(Approximation::Divisor);
            }
            let divisor = divisor.min(most);
            v.keys[i] = InputKey {
                location: input.location + 1,
                format: format.as_raw(),
                divisor,
                stride: if self.gpu.has.dynamic_state {
                    0
                } else {
                    source.stride
                },
            };
            v.buffers[i] = source.buffer;
            v.offsets[i] = source.offset;
            v.strides[i] = u64::from(source.stride);
        }
        Ok(())
    }

    /// Where an array's elements are, as the device reads them.
    fn array(
        &mut self,
        values: &mgl_core::pipe::pushed::GroupValues,
        a: &VertexAttrib,
        own_stride: u32,
        input: &Input,
        d: &DrawCall<'_>,
        v: &mut VertexInput,
    ) -> Result<(VertexPlan, Source), BackendError> {
        let gpu = &self.gpu;
        let reads = |f: vk::Format| gpu.reads_vertices(f);
        if a.class == AttribClass::LONG && !gpu.has.fp64 {
            return Err(BackendError::Unsupported(
                "vertex attributes of doubles that stay doubles".into(),
            ));
        }
        let plan = plan(a, Some(input), &reads);
        let given = values
            .vertex_buffers
            .iter()
            .find(|b| b.binding == a.binding);
        let stride = given.map_or(own_stride, |b| b.stride);
        let limit = self.gpu.limits.core.max_vertex_input_binding_stride;
        let overlaps = stride != 0 && stride < plan.bytes;
        let user = d.user_arrays.iter().find(|u| u.binding == a.binding);
        let source = match (given, user) {
            (Some(b), _) if !b.buffer.is_null() => {
                let offset = b.offset + u64::from(a.relative_offset);
                if plan.must_repack(offset, stride) || overlaps || stride > limit {
                    v.watched.push((b.buffer, self.buffer(b.buffer)?.version));
                    self.repacked(a, &plan, b.buffer, offset, stride)?
                } else {
                    let buffer = self.buffer(b.buffer)?;
                    let (raw, size) = (buffer.raw.buffer, buffer.raw.size);
                    if offset >= size {
                        self.nothing()?
                    } else {
                        if !v.uses.iter().any(|u| u.0 == b.buffer) {
                            v.uses.push((b.buffer, false));
                        }
                        Source {
                            buffer: raw,
                            offset,
                            stride,
                        }
                    }
                }
            }
            (_, Some(u)) => {
                let bytes = &d.arrays[u.offset as usize..(u.offset + u.size) as usize];
                if plan.must_repack(u64::from(a.relative_offset), stride) || overlaps {
                    let mut out = Vec::new();
                    repack(
                        a,
                        &plan,
                        bytes,
                        a.relative_offset as usize,
                        stride as usize,
                        &mut out,
                    );
                    let stride = if stride == 0 {
                        0
                    } else {
                        plan.repacked_stride()
                    };
                    self.place_array(u.first, stride, 0, &out)?
                } else {
                    self.place_array(u.first, stride, a.relative_offset, bytes)?
                }
            }
            _ => self.nothing()?,
        };
        Ok((plan, source))
    }

    /// Puts elements from number `first` where element 0 would lie inside the stream.
    fn place_array(
        &mut self,
        first: u32,
        stride: u32,
        relative: u32,
        bytes: &[u8],
    ) -> Result<Source, BackendError> {
        let before = u64::from(first) * u64::from(stride);
        // Element 0 lies at a multiple of sixteen, so that alignment is as it was.
        let least = before.next_multiple_of(16);
        let skip = least - before;
        let place = if skip == 0 {
            self.put(bytes, 16, before)?
        } else {
            let mut padded = vec![0; ((16 - skip % 16) % 16) as usize];
            padded.extend_from_slice(bytes);
            let place = self.put(&padded, 16, before)?;
            Place {
                offset: place.offset + (16 - skip % 16) % 16,
                ..place
            }
        };
        Ok(Source {
            buffer: place.buffer,
            offset: place.offset - before + u64::from(relative),
            stride,
        })
    }

    /// One element of zeros for all vertices: what an array reads that nothing feeds.
    fn nothing(&mut self) -> Result<Source, BackendError> {
        Ok(Source {
            buffer: self.zeros()?,
            offset: 0,
            stride: 0,
        })
    }

    /// A buffer of an attribute's elements as the device reads them, from element 0.
    fn repacked(
        &mut self,
        a: &VertexAttrib,
        plan: &VertexPlan,
        h: BufferHandle,
        first: u64,
        stride: u32,
    ) -> Result<Source, BackendError> {
        let b = self.buffer(h)?;
        let key = Key {
            buffer: b.serial,
            version: b.version,
            first,
            stride,
            attrib: *a,
            format: plan.format,
        };
        let out_stride = if stride == 0 {
            0
        } else {
            plan.repacked_stride()
        };
        if let Some(found) = self.repacked.kept.iter().find(|k| k.0 == key) {
            return Ok(Source {
                buffer: found.1.buffer,
                offset: 0,
                stride: out_stride,
            });
        }
        let source = self.take_bytes(h)?;
        let mut bytes = Vec::new();
        repack(
            a,
            plan,
            &source,
            first as usize,
            stride as usize,
            &mut bytes,
        );
        self.keep_mirror(h, source);
        // An older content of the same buffer will not be asked for again.
        let stale = |k: &Key| {
            Key {
                version: key.version,
                ..*k
            } == key
        };
        let mut total: u64 =
            self.repacked.kept.iter().map(|k| k.1.size).sum::<u64>() + bytes.len() as u64;
        let mut i = 0;
        while i < self.repacked.kept.len() {
            if stale(&self.repacked.kept[i].0) || total > BUDGET {
                let (_, old) = self.repacked.kept.remove(i);
                total -= old.size;
                self.rec.discard(Garbage::Buffer(old));
            } else {
                i += 1;
            }
        }
        let mut raw = self.mem.buffer(
            &self.gpu,
            bytes.len().max(64) as u64,
            vk::BufferUsageFlags::VERTEX_BUFFER,
            MemoryLocation::CpuToGpu,
        )?;
        let Some(m) = raw.memory.mapped_slice_mut() else {
            self.rec.discard(Garbage::Buffer(raw));
            return Err(BackendError::Driver("vertex memory is not mapped".into()));
        };
        m[..bytes.len()].copy_from_slice(&bytes);
        m[bytes.len()..].fill(0);
        let source = Source {
            buffer: raw.buffer,
            offset: 0,
            stride: out_stride,
        };
        self.repacked.kept.push((key, raw));
        Ok(source)
    }
}
