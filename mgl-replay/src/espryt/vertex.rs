//! Vertex input: a vertex array a vertex-elements CSO and context, and the buffers on it (design: pipe contract 3.3).
//!
//! Binding points of a CSO are numbered densely in OpenGL ES, which has sixteen of them. Bytes of client arrays go to a
//! streaming buffer at an offset from which element 0 would lie inside the buffer, because GL computes addresses from it.

use super::attribs::{converted_array, stored};
use super::context::Serial;
use super::device::Device;
use super::work::Work;
use glow::HasContext;
use mgl_core::handle::{TypedHandle, VertexElementsHandle};
use mgl_core::pipe::pushed::VertexElementsEntry;
use mgl_core::pipe::*;

/// A buffer on a binding point.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct BoundBuffer {
    serial: Serial,
    offset: u64,
    stride: u32,
}

#[derive(Debug)]
struct VertexArray {
    generation: u32,
    name: glow::VertexArray,
    bound: Vec<BoundBuffer>,
    /// Attributes that are converted; their binding points follow those of the CSO.
    converted: Vec<VertexAttrib>,
    index: Serial,
}

/// Vertex arrays of one context.
#[derive(Debug, Default)]
pub struct VertexArrays {
    /// By slot of the CSO.
    slots: Vec<Option<VertexArray>>,
    bound: Option<glow::VertexArray>,
    dead: Vec<glow::VertexArray>,
}

impl VertexArrays {
    /// Buffers are bound anew.
    pub fn distrust(&mut self) {
        for v in self.slots.iter_mut().flatten() {
            v.bound.fill(BoundBuffer::default());
            v.index = 0;
        }
    }

    /// A CSO ended.
    pub fn forget(&mut self, h: VertexElementsHandle) {
        if let Some(slot) = self.slots.get_mut(h.raw().slot as usize) {
            self.dead.extend(slot.take().map(|v| v.name));
        }
    }

    /// GL objects that live, those that wait for their end among them.
    pub fn objects(&self) -> usize {
        self.slots.iter().flatten().count() + self.dead.len()
    }

    /// Deletes what was forgotten; the context is current.
    pub fn bury(&mut self, dev: &Device) {
        for name in self.dead.drain(..) {
            // SAFETY: the context is current, and the object is its own.
            unsafe { dev.gl.glow.delete_vertex_array(name) };
            dev.tally.vertex_arrays_ended.one();
            if self.bound == Some(name) {
                self.bound = None;
            }
        }
    }

    /// Binds a vertex array, or the context's own with none.
    pub fn bind(&mut self, dev: &Device, name: Option<glow::VertexArray>) {
        if self.bound != name {
            self.bound = name;
            dev.tally.vertex_array_binds.one();
            // SAFETY: the context is current, and the object is its own.
            unsafe { dev.gl.glow.bind_vertex_array(name) };
        }
    }
}

impl Work<'_> {
    /// Binds the vertex array of the pushed CSO with the buffers of this draw.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] for attributes that OpenGL ES cannot read.
    pub fn follow_vertex_input(
        &mut self,
        s: &PushedState,
        d: &DrawCall<'_>,
    ) -> Result<(), BackendError> {
        self.obj.converted.bury(self.dev);
        let c = self.context(s)?;
        let h = c.values.vertex_elements;
        let entry = s
            .vertex_elements
            .get(h)
            .map_err(|e| BackendError::Driver(e.to_string()))?;
        let slot = h.raw().slot as usize;
        let known = matches!(self.ctx.vertex.slots.get(slot), Some(Some(v)) if v.generation == h.raw().generation);
        if !known {
            self.make_vertex_array(h, entry)?;
        }
        let name = self.ctx.vertex.slots[slot].as_ref().map(|v| v.name);
        self.ctx.vertex.bind(self.dev, name);
        let elements = c.generation(Group::VertexElements);
        let buffers = c.generation(Group::VertexBuffers);
        let moved = self.ctx.seen.moved(Group::VertexElements, elements)
            | self.ctx.seen.moved(Group::VertexBuffers, buffers)
            | (self.ctx.seen.vertex_epoch != self.obj.epoch);
        let converts = self.ctx.vertex.slots[slot]
            .as_ref()
            .is_some_and(|v| !v.converted.is_empty());
        let skipped = self.skipped_instances(d);
        let moved = moved | (self.ctx.seen.skipped_instances != skipped);
        if moved || converts || !d.user_arrays.is_empty() {
            self.ctx.seen.skipped_instances = skipped;
            self.bind_vertex_buffers(slot, entry, &c.values.vertex_buffers, d)?;
            self.ctx.seen.vertex_epoch = self.obj.epoch;
        }
        if self
            .ctx
            .seen
            .moved(Group::AttribDefaults, c.generation(Group::AttribDefaults))
        {
            self.set_attrib_defaults(&c.values.attrib_defaults);
        }
        Ok(())
    }

    fn make_vertex_array(
        &mut self,
        h: VertexElementsHandle,
        e: &VertexElementsEntry,
    ) -> Result<(), BackendError> {
        let (dev, gl) = (self.dev, &self.dev.gl.glow);
        let stride = |a: &VertexAttrib| {
            let source = e.bindings.iter().find(|b| b.binding == a.binding);
            source.map_or(0, |b| b.stride)
        };
        for a in &e.attribs {
            check_attrib(dev, a, stride(a))?;
        }
        let converted: Vec<VertexAttrib> = e
            .attribs
            .iter()
            .filter(|a| stored(dev, a, stride(a)).is_some())
            .copied()
            .collect();
        let points = e.bindings.len() + converted.len();
        if points > dev.gl.limits.attribs as usize {
            return Err(BackendError::Unsupported(format!(
                "{points} vertex buffer binding points"
            )));
        }
        // SAFETY: the context is current.
        let name = unsafe { gl.create_vertex_array() }.map_err(BackendError::Driver)?;
        dev.tally.vertex_arrays_made.one();
        self.ctx.vertex.bind(dev, Some(name));
        // SAFETY: the context and the object are current; locations, binding points and formats were checked.
        unsafe {
            for a in &e.attribs {
                let (location, size, offset) = (a.location, a.components as i32, a.relative_offset);
                gl.enable_vertex_attrib_array(location);
                if let Some(to) = stored(dev, a, stride(a)) {
                    let n = to.components as i32;
                    if to.integer {
                        gl.vertex_attrib_format_i32(location, n, to.ty, 0);
                    } else {
                        gl.vertex_attrib_format_f32(location, n, to.ty, to.normalized, 0);
                    }
                    let at = converted.iter().position(|c| c == a).unwrap_or(0);
                    gl.vertex_attrib_binding(location, (e.bindings.len() + at) as u32);
                    continue;
                }
                match a.class {
                    AttribClass::INTEGER => {
                        gl.vertex_attrib_format_i32(location, size, a.ty.0, offset);
                    }
                    class => gl.vertex_attrib_format_f32(
                        location,
                        size,
                        a.ty.0,
                        class == AttribClass::NORMALIZED,
                        offset,
                    ),
                }
                let native = e.bindings.iter().position(|b| b.binding == a.binding);
                gl.vertex_attrib_binding(location, native.unwrap_or(0) as u32);
            }
            for (i, b) in e.bindings.iter().enumerate() {
                gl.vertex_binding_divisor(i as u32, b.divisor);
            }
            for (i, a) in converted.iter().enumerate() {
                let source = e.bindings.iter().find(|b| b.binding == a.binding);
                let divisor = source.map_or(0, |b| b.divisor);
                gl.vertex_binding_divisor((e.bindings.len() + i) as u32, divisor);
            }
        }
        let slot = h.raw().slot as usize;
        let slots = &mut self.ctx.vertex.slots;
        if slots.len() <= slot {
            slots.resize_with(slot + 1, || None);
        }
        let old = slots[slot].replace(VertexArray {
            generation: h.raw().generation,
            name,
            bound: vec![BoundBuffer::default(); points],
            converted,
            index: 0,
        });
        self.ctx.vertex.dead.extend(old.map(|v| v.name));
        Ok(())
    }

    /// The base instance of a draw, where the context has none.
    fn skipped_instances(&self, d: &DrawCall<'_>) -> u32 {
        if self.dev.gl.has.base_instance {
            0
        } else {
            d.info.base_instance
        }
    }

    fn bind_vertex_buffers(
        &mut self,
        slot: usize,
        e: &VertexElementsEntry,
        buffers: &[VertexBuffer],
        d: &DrawCall<'_>,
    ) -> Result<(), BackendError> {
        // Where draws have no base instance, elements begin further on.
        let skipped = u64::from(self.skipped_instances(d));
        for (i, b) in e.bindings.iter().enumerate() {
            let given = buffers.iter().find(|v| v.binding == b.binding);
            let stride = given.map_or(b.stride, |v| v.stride);
            if stride > self.dev.gl.limits.vertex_stride {
                // All that is read of it is converted.
                let (name, want) = self.place_nothing()?;
                self.bind_vertex_buffer(slot, i, name, want);
                continue;
            }
            let ahead = if b.divisor > 0 {
                skipped * u64::from(stride)
            } else {
                0
            };
            let user = d.user_arrays.iter().find(|u| u.binding == b.binding);
            let (name, want) = match (given, user) {
                (Some(v), _) if !v.buffer.is_null() => {
                    let buffer = self.buffer(v.buffer)?;
                    let want = BoundBuffer {
                        serial: buffer.serial,
                        offset: v.offset + ahead,
                        stride,
                    };
                    (buffer.name, want)
                }
                (_, Some(u)) => {
                    let bytes = &d.arrays[u.offset as usize..(u.offset + u.size) as usize];
                    let (name, mut want) = self.place_user_array(u.first, stride, bytes)?;
                    want.offset += ahead;
                    (name, want)
                }
                _ => self.place_nothing()?,
            };
            self.bind_vertex_buffer(slot, i, name, want);
        }
        let count = self.ctx.vertex.slots[slot]
            .as_ref()
            .map_or(0, |v| v.converted.len());
        for k in 0..count {
            let Some(a) = self.ctx.vertex.slots[slot].as_ref().map(|v| v.converted[k]) else {
                break;
            };
            let given = buffers.iter().find(|v| v.binding == a.binding);
            let source = e.bindings.iter().find(|b| b.binding == a.binding);
            let stride = given.map_or(source.map_or(0, |b| b.stride), |v| v.stride);
            let size = stored(self.dev, &a, stride).map_or(0, |s| s.bytes);
            let out_stride = if stride == 0 { 0 } else { size };
            let instanced = source.is_some_and(|b| b.divisor > 0);
            let ahead = if instanced {
                skipped * u64::from(out_stride)
            } else {
                0
            };
            let user = d.user_arrays.iter().find(|u| u.binding == a.binding);
            let (name, want) = match (given, user) {
                (Some(v), _) if !v.buffer.is_null() => {
                    let (name, serial) = self.converted_buffer(&a, v.buffer, v.offset, stride)?;
                    let want = BoundBuffer {
                        serial,
                        offset: ahead,
                        stride: out_stride,
                    };
                    (name, want)
                }
                (_, Some(u)) => {
                    let bytes = converted_array(&a, u, stride, d.arrays);
                    let (name, mut want) = self.place_user_array(u.first, out_stride, &bytes)?;
                    want.offset += ahead;
                    (name, want)
                }
                _ => self.place_nothing()?,
            };
            self.bind_vertex_buffer(slot, e.bindings.len() + k, name, want);
        }
        Ok(())
    }

    fn bind_vertex_buffer(
        &mut self,
        slot: usize,
        point: usize,
        name: glow::Buffer,
        want: BoundBuffer,
    ) {
        let Some(Some(v)) = self.ctx.vertex.slots.get_mut(slot) else {
            return;
        };
        let bound = &mut v.bound[point];
        if *bound != want {
            let unknown = bound.serial == 0;
            *bound = want;
            self.dev.tally.buffer_binds.one();
            // SAFETY: the vertex array is bound, the binding point is below the limit, and the buffer lives.
            unsafe {
                if unknown {
                    // The same range may be bound, of older storage.
                    self.dev.gl.es.BindVertexBuffer(point as u32, 0, 0, 16);
                }
                self.dev.gl.es.BindVertexBuffer(
                    point as u32,
                    name.0.get(),
                    want.offset as isize,
                    want.stride as i32,
                );
            }
        }
    }

    /// One element of zeros for all vertices: what a binding point reads that nothing feeds.
    fn place_nothing(&mut self) -> Result<(glow::Buffer, BoundBuffer), BackendError> {
        let place = self.zeros(256)?;
        let want = BoundBuffer {
            serial: place.serial,
            offset: place.offset,
            stride: 0,
        };
        Ok((place.name, want))
    }

    /// Puts elements from number `first` where element 0 would lie inside the buffer.
    fn place_user_array(
        &mut self,
        first: u32,
        stride: u32,
        bytes: &[u8],
    ) -> Result<(glow::Buffer, BoundBuffer), BackendError> {
        let before = u64::from(first) * u64::from(stride);
        let place = self.stream_arrays(bytes, 16, before)?;
        let want = BoundBuffer {
            serial: place.serial,
            offset: place.offset - before,
            stride,
        };
        Ok((place.name, want))
    }

    /// Puts bytes of a draw into the streaming buffer.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`].
    pub fn stream_arrays(
        &mut self,
        bytes: &[u8],
        align: u64,
        least: u64,
    ) -> Result<super::stream::Place, BackendError> {
        let ctx = &mut *self.ctx;
        ctx.arrays.write(
            self.dev,
            &mut ctx.shadow,
            self.obj.last_serial(),
            bytes,
            align,
            least,
        )
    }

    /// At least `size` bytes of zeros, aligned for a uniform block.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`].
    pub fn zeros(&mut self, size: usize) -> Result<super::stream::Place, BackendError> {
        let align = u64::from(self.dev.gl.limits.uniform_offset_alignment);
        if let Some(z) = self.obj.zeros.iter().find(|z| z.1 >= size) {
            return Ok(z.0);
        }
        let size = size.next_power_of_two().max(1024);
        let mut stream = super::stream::Stream::new(size as u64);
        let place = stream.write(
            self.dev,
            &mut self.ctx.shadow,
            self.obj.last_serial(),
            &vec![0; size],
            align,
            0,
        )?;
        // The older one may be bound for the very draw that asks, and deleting would unbind it.
        self.obj.zeros.push((place, size));
        Ok(place)
    }

    /// Puts a buffer on the vertex array's index binding.
    pub fn bind_index_buffer(&mut self, s: &PushedState, name: glow::Buffer, serial: Serial) {
        let slot = s
            .context()
            .map_or(0, |c| c.values.vertex_elements.raw().slot as usize);
        if let Some(Some(v)) = self.ctx.vertex.slots.get_mut(slot)
            && v.index != serial
        {
            let unknown = v.index == 0;
            v.index = serial;
            self.dev.tally.buffer_binds.one();
            // SAFETY: the vertex array is bound, and the buffer lives.
            unsafe {
                if unknown {
                    let gl = &self.dev.gl.glow;
                    gl.bind_buffer(glow::ELEMENT_ARRAY_BUFFER, None);
                }
                self.dev
                    .gl
                    .glow
                    .bind_buffer(glow::ELEMENT_ARRAY_BUFFER, Some(name));
            }
        }
    }

    fn set_attrib_defaults(&mut self, values: &[AttribValue]) {
        for v in values {
            let Some(place) = self.ctx.shadow.attribs.get_mut(v.location as usize) else {
                continue;
            };
            let (ty, bits) = match v.ty {
                ValueType::INT => (glow::INT, [v.bits[0], v.bits[1], v.bits[2], v.bits[3]]),
                ValueType::UINT => (
                    glow::UNSIGNED_INT,
                    [v.bits[0], v.bits[1], v.bits[2], v.bits[3]],
                ),
                ValueType::DOUBLE => (
                    glow::FLOAT,
                    std::array::from_fn(|i| {
                        let wide = u64::from(v.bits[2 * i]) | u64::from(v.bits[2 * i + 1]) << 32;
                        (f64::from_bits(wide) as f32).to_bits()
                    }),
                ),
                _ => (glow::FLOAT, [v.bits[0], v.bits[1], v.bits[2], v.bits[3]]),
            };
            if *place == (ty, bits) {
                continue;
            }
            *place = (ty, bits);
            let gl = &self.dev.gl.glow;
            let [x, y, z, w] = bits;
            // SAFETY: the context is current, and the location is below the limit.
            unsafe {
                match ty {
                    glow::INT => {
                        gl.vertex_attrib_4_i32(v.location, x as i32, y as i32, z as i32, w as i32);
                    }
                    glow::UNSIGNED_INT => gl.vertex_attrib_4_u32(v.location, x, y, z, w),
                    _ => {
                        let [x, y, z, w] = bits.map(f32::from_bits);
                        gl.vertex_attrib_4_f32(v.location, x, y, z, w);
                    }
                }
            }
        }
    }
}

/// Largest offset of an attribute in its element that every OpenGL ES takes (ES 3.2 table 21.39).
const MAX_RELATIVE_OFFSET: u32 = 2047;

fn check_attrib(dev: &Device, a: &VertexAttrib, stride: u32) -> Result<(), BackendError> {
    let refuse = |what: String| Err(BackendError::Unsupported(what));
    if a.location >= dev.gl.limits.attribs {
        return refuse(format!("vertex attribute {}", a.location));
    }
    if a.class == AttribClass::LONG {
        return refuse("vertex attributes of doubles that stay doubles".into());
    }
    if a.relative_offset > MAX_RELATIVE_OFFSET && stored(dev, a, stride).is_none() {
        return refuse(format!(
            "a vertex attribute offset of {}",
            a.relative_offset
        ));
    }
    Ok(())
}
