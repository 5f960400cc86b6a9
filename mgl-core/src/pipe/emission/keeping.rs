//! A null back end that keeps content: what uploads, copies, clears of resources and plain blits make of it.
//!
//! It draws nothing, so it has what was given to it and not what a GPU would have: a listener for checks.

use super::super::backend::*;
use super::super::calls::Op;
use super::super::caps::Caps;
use super::super::null::NullBackend;
use super::super::payload::*;
use super::super::pushed::PushedState;
use super::parts::{Image, Part, Plane};
use crate::handle::*;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Kind, object, level or plane.
type Key = (HandleKind, Handle, u32);

fn key(part: Part) -> Key {
    match part {
        Part::Buffer(h) => (HandleKind::BUFFER, h.raw(), 0),
        Part::Level(h, level) => (HandleKind::TEXTURE, h.raw(), level),
        Part::Renderbuffer(h) => (HandleKind::RENDERBUFFER, h.raw(), 0),
        Part::Surface(h, plane) => (HandleKind::SURFACE, h.raw(), plane as u32),
    }
}

/// Content of a part: all of it, zero where nothing was written; of a multisampled image sample after sample.
#[derive(Debug, Clone)]
struct Store {
    /// The shape of an image; `None` of a buffer.
    image: Option<Image>,
    bytes: Vec<u8>,
}

impl Store {
    /// Where the rows of a box of one sample are, in its order: first byte and bytes. `None` when it is not inside.
    fn rows(&self, area: &Box3, sample: u32) -> Option<Vec<std::ops::Range<usize>>> {
        let image = self.image?;
        let [w, h, d] = image.extent.map(|v| v as usize);
        let texel = image.format.info()?.bytes as usize;
        let [x, y, z] = [area.x, area.y, area.z].map(|v| v as usize);
        let [nx, ny, nz] = [area.width, area.height, area.depth].map(|v| v as usize);
        if x + nx > w || y + ny > h || z + nz > d || !image.each_sample().contains(&sample) {
            return None;
        }
        let first = sample as usize * d;
        let row = |z: usize, y: usize| {
            let at = (((first + z) * h + y) * w + x) * texel;
            at..at + nx * texel
        };
        Some(
            (z..z + nz)
                .flat_map(|z| (y..y + ny).map(move |y| (z, y)))
                .map(|(z, y)| row(z, y))
                .collect(),
        )
    }

    /// The bytes of a box of one sample.
    fn read(&self, area: &Box3, sample: u32) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        for row in self.rows(area, sample)? {
            out.extend_from_slice(self.bytes.get(row)?);
        }
        Some(out)
    }
}

/// See the module.
#[derive(Debug)]
pub struct KeepingBackend {
    null: NullBackend,
    caps: Caps,
    /// As specified last.
    shapes: BTreeMap<(HandleKind, Handle), ResourceDesc>,
    stores: BTreeMap<Key, Store>,
}

impl Default for KeepingBackend {
    fn default() -> Self {
        let null = NullBackend::default();
        Self {
            caps: Caps {
                backend: "keeping".into(),
                renderer: "keeping".into(),
                ..null.caps().clone()
            },
            null,
            shapes: BTreeMap::new(),
            stores: BTreeMap::new(),
        }
    }
}

impl KeepingBackend {
    /// What it has of a part, as in [`super::Piece::bytes`]: of a buffer `size` bytes from `offset` on, of an image the rows of
    /// a box. `None` when nothing was ever written to the part.
    #[must_use]
    pub fn read(&self, part: Part, offset: u64, size: u64, area: &Box3) -> Option<Vec<u8>> {
        let store = self.stores.get(&key(part))?;
        let Some(image) = store.image else {
            let from = usize::try_from(offset).ok()?;
            let to = from.checked_add(usize::try_from(size).ok()?)?;
            return store.bytes.get(from..to).map(<[u8]>::to_vec);
        };
        let mut out = Vec::new();
        for sample in image.each_sample() {
            out.extend_from_slice(&store.read(area, sample)?);
        }
        Some(out)
    }

    /// One sample of a box of an image.
    fn read_sample(&self, part: Part, area: &Box3, sample: u32) -> Option<Vec<u8>> {
        self.stores.get(&key(part))?.read(area, sample)
    }

    /// xxh3-128 of all that it has of a part; `None` when nothing was ever written to it.
    #[must_use]
    pub fn digest(&self, part: Part) -> Option<u128> {
        let store = self.stores.get(&key(part))?;
        Some(xxhash_rust::xxh3::xxh3_128(&store.bytes))
    }

    /// Parts to which something was written.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.stores.len()
    }

    /// The content of a part, made now if nothing was written to it yet.
    fn store(&mut self, s: &PushedState, part: Part) -> Result<&mut Store> {
        match self.stores.entry(key(part)) {
            Entry::Occupied(e) => Ok(e.into_mut()),
            Entry::Vacant(e) => {
                let image = part.image(s);
                let size = match (part, image) {
                    (Part::Buffer(h), _) => s.buffers.get(h).map_or(0, |b| b.desc.size),
                    (_, Some(i)) => {
                        let [w, h, d] = i.extent;
                        let one = i.format.image_bytes(w, h, d).unwrap_or(u64::MAX);
                        one.saturating_mul(i.samples.max(1).into())
                    }
                    _ => 0,
                };
                let memory = || BackendError::OutOfMemory(format!("{size} bytes of {part}"));
                let size = usize::try_from(size).map_err(|_| memory())?;
                let mut bytes = Vec::new();
                bytes.try_reserve_exact(size).map_err(|_| memory())?;
                bytes.resize(size, 0);
                Ok(e.insert(Store { image, bytes }))
            }
        }
    }

    /// Writes rows into a box of one sample; `source` gives the bytes of the n-th row.
    fn write<'b>(
        &mut self,
        s: &PushedState,
        (part, area, sample): (Part, &Box3, u32),
        source: impl Fn(usize, usize) -> Option<&'b [u8]>,
    ) -> Result {
        let store = self.store(s, part)?;
        let rows = store.rows(area, sample).unwrap_or_default();
        for (i, row) in rows.into_iter().enumerate() {
            let n = row.len();
            if let (Some(to), Some(from)) = (store.bytes.get_mut(row), source(i, n)) {
                to.copy_from_slice(from);
            }
        }
        Ok(())
    }

    /// Copies a box between images, where their texels are equally large and have as many samples; of several one takes the
    /// first. What was never written is undefined there too.
    fn copy(
        &mut self,
        s: &PushedState,
        (from, area): (Part, &Box3),
        (to, at): (Part, [u32; 3]),
    ) -> Result {
        let texel = |p: Part| p.image(s).and_then(|i| i.format.info()).map(|f| f.bytes);
        if texel(from) != texel(to) {
            return Ok(());
        }
        let samples = |p: Part| p.image(s).map_or(1, |i| i.samples.max(1));
        if samples(to) != 1 && samples(to) != samples(from) {
            return Ok(());
        }
        let [x, y, z] = at;
        let target = Box3 { x, y, z, ..*area };
        for sample in 0..samples(to) {
            let Some(bytes) = self.read_sample(from, area, sample) else {
                return Ok(());
            };
            let row = |i: usize, n: usize| bytes.get(i * n..(i + 1) * n);
            self.write(s, (to, &target, sample), row)?;
        }
        Ok(())
    }

    fn forget(&mut self, kind: HandleKind, handle: Handle) {
        self.stores.retain(|k, _| (k.0, k.1) != (kind, handle));
    }
}

/// The part that is attached, and the slice of it.
fn attached(a: &Attachment, is_color: bool) -> Option<(Part, u32)> {
    let h = a.resource.handle;
    Some(match a.resource.kind {
        HandleKind::TEXTURE => (Part::Level(TextureHandle(h), a.level), a.layer),
        HandleKind::RENDERBUFFER => (Part::Renderbuffer(RenderbufferHandle(h)), 0),
        HandleKind::SURFACE => {
            let plane = match (is_color, a.layer) {
                (false, _) => Plane::DepthStencil,
                (true, 0) => Plane::Back,
                (true, _) => Plane::Front,
            };
            (Part::Surface(SurfaceHandle(h), plane), 0)
        }
        _ => return None,
    })
}

/// The attachment that pixels are read from.
fn source(f: &FramebufferState, buffers: BufferMask) -> Option<(Part, u32)> {
    if buffers.has(BufferMask::COLOR0) {
        return attached(&f.read, true);
    }
    let deep = if buffers.has(BufferMask::DEPTH) {
        &f.depth
    } else {
        &f.stencil
    };
    attached(deep, false)
}

impl Backend for KeepingBackend {
    fn caps(&self) -> &Caps {
        &self.caps
    }
    fn resource_specify(&mut self, s: &PushedState, d: &ResourceDesc, _: bool) -> Result {
        let (kind, handle) = (d.resource.kind, d.resource.handle);
        let old = self.shapes.insert((kind, handle), *d);
        // A texture keeps the levels whose shape stays.
        self.stores.retain(|&(k, h, level), store| {
            let stays = || {
                let part = Part::Level(TextureHandle(h), level);
                level < d.levels.max(1)
                    && part.image(s) == store.image
                    && old.is_some_and(|o| o.layers == d.layers)
            };
            (k, h) != (kind, handle) || (k == HandleKind::TEXTURE && stays())
        });
        Ok(())
    }
    fn resource_destroy(&mut self, _: &PushedState, r: ResourceHandle) -> Result {
        self.shapes.remove(&(r.kind, r.handle));
        self.forget(r.kind, r.handle);
        Ok(())
    }
    fn sub_data(
        &mut self,
        s: &PushedState,
        d: &SubData,
        regions: &[SubRegion],
        bytes: &[u8],
    ) -> Result {
        let h = d.resource.handle;
        if d.resource.kind == HandleKind::BUFFER {
            let store = self.store(s, Part::Buffer(BufferHandle(h)))?;
            let at = usize::try_from(d.offset).unwrap_or(usize::MAX);
            let end = at.saturating_add(bytes.len());
            if let Some(to) = store.bytes.get_mut(at..end) {
                to.copy_from_slice(bytes);
            }
            return Ok(());
        }
        let whole = [SubRegion {
            area: d.union_box,
            offset: 0,
        }];
        let regions = if regions.is_empty() { &whole } else { regions };
        for r in regions {
            let rows = r.area.height.max(1) as usize;
            let source = |i: usize, n: usize| {
                let at = r.offset as usize
                    + (i / rows) * d.image_stride as usize
                    + (i % rows) * d.row_stride as usize;
                bytes.get(at..at + n)
            };
            let part = Part::Level(TextureHandle(h), d.level);
            self.write(s, (part, &r.area, d.sample), source)?;
        }
        Ok(())
    }
    fn buffer_read(&mut self, s: &PushedState, r: &BufferRange) -> Result<Vec<u8>> {
        match self.read(Part::Buffer(r.buffer), r.offset, r.size, &Box3::default()) {
            Some(bytes) => Ok(bytes),
            None => self.null.buffer_read(s, r),
        }
    }
    fn copy_region(&mut self, s: &PushedState, c: &CopyRegion) -> Result {
        let part = |r: ResourceHandle, level: u32| match r.kind {
            HandleKind::BUFFER => Part::Buffer(BufferHandle(r.handle)),
            HandleKind::TEXTURE => Part::Level(TextureHandle(r.handle), level),
            _ => Part::Renderbuffer(RenderbufferHandle(r.handle)),
        };
        let (from, to) = (part(c.src, c.src_level), part(c.dst, c.dst_level));
        if let Part::Buffer(_) = from {
            let (at, size) = (c.src_box.x.into(), c.src_box.width.into());
            let Some(bytes) = self.read(from, at, size, &Box3::default()) else {
                return Ok(());
            };
            let at = c.dst_x as usize;
            let store = self.store(s, to)?;
            if let Some(place) = store.bytes.get_mut(at..at + bytes.len()) {
                place.copy_from_slice(&bytes);
            }
            return Ok(());
        }
        let at = [c.dst_x, c.dst_y, c.dst_z];
        self.copy(s, (from, &c.src_box), (to, at))
    }
    fn clear_resource(&mut self, s: &PushedState, c: &ClearResource) -> Result {
        let value: Vec<u8> = c.value.iter().flat_map(|w| w.to_le_bytes()).collect();
        let size = (c.value_size as usize).clamp(1, value.len());
        let fill = |bytes: &mut [u8]| {
            for place in bytes.chunks_mut(size) {
                place.copy_from_slice(&value[..place.len()]);
            }
        };
        let h = c.resource.handle;
        let part = match c.resource.kind {
            HandleKind::BUFFER => {
                let store = self.store(s, Part::Buffer(BufferHandle(h)))?;
                let (at, end) = (c.offset as usize, c.offset.saturating_add(c.size) as usize);
                if let Some(place) = store.bytes.get_mut(at..end) {
                    fill(place);
                }
                return Ok(());
            }
            HandleKind::TEXTURE => Part::Level(TextureHandle(h), c.level),
            _ => Part::Renderbuffer(RenderbufferHandle(h)),
        };
        let store = self.store(s, part)?;
        let samples = store.image.map_or(0..1, |i| i.each_sample());
        for row in samples
            .filter_map(|n| store.rows(&c.area, n))
            .flatten()
            .collect::<Vec<_>>()
        {
            if let Some(place) = store.bytes.get_mut(row) {
                fill(place);
            }
        }
        Ok(())
    }
    fn texture_read(&mut self, s: &PushedState, g: &GetTextureImage) -> Result<Vec<u8>> {
        match self.read_sample(Part::Level(g.texture, g.level), &g.area, g.sample) {
            Some(bytes) => Ok(bytes),
            None => self.null.texture_read(s, g),
        }
    }
    fn read_pixels(&mut self, s: &PushedState, r: &ReadPixels) -> Result<Vec<u8>> {
        let from = s
            .context()
            .and_then(|c| source(&c.values.read_framebuffer, r.buffers));
        let area = |z: u32| Box3 {
            x: r.x.max(0) as u32,
            y: r.y.max(0) as u32,
            z,
            width: r.width,
            height: r.height,
            depth: 1,
        };
        match from.and_then(|(part, z)| self.read_sample(part, &area(z), r.sample)) {
            Some(bytes) => Ok(bytes),
            None => self.null.read_pixels(s, r),
        }
    }
    /// Of equal size and not mirrored; all others leave things as they are.
    fn blit(&mut self, s: &PushedState, b: &Blit) -> Result {
        let Some(v) = s.context().map(|c| &c.values) else {
            return Ok(());
        };
        let (src, dst) = (b.src, b.dst);
        let (w, h) = (src.x1 - src.x0, src.y1 - src.y0);
        let plain = w >= 0 && h >= 0 && (w, h) == (dst.x1 - dst.x0, dst.y1 - dst.y0);
        let inside = [src.x0, src.y0, dst.x0, dst.y0].iter().all(|v| *v >= 0);
        if !plain || !inside {
            return Ok(());
        }
        let Some((from, z)) = source(&v.read_framebuffer, b.buffers) else {
            return Ok(());
        };
        let area = Box3 {
            x: src.x0 as u32,
            y: src.y0 as u32,
            z,
            width: w as u32,
            height: h as u32,
            depth: 1,
        };
        let f = &v.draw_framebuffer;
        let targets: Vec<_> = if b.buffers.has(BufferMask::COLOR0) {
            let drawn = f
                .draw_buffers
                .iter()
                .filter_map(|i| f.color.get(*i as usize));
            drawn.filter_map(|a| attached(a, true)).collect()
        } else {
            let deep = if b.buffers.has(BufferMask::DEPTH) {
                &f.depth
            } else {
                &f.stencil
            };
            attached(deep, false).into_iter().collect()
        };
        for (to, z) in targets {
            let at = [dst.x0 as u32, dst.y0 as u32, z];
            self.copy(s, (from, &area), (to, at))?;
        }
        Ok(())
    }
    fn copy_to_texture(&mut self, s: &PushedState, c: &CopyToTexture) -> Result {
        let f = s.context().map(|c| c.values.read_framebuffer);
        let is_color = c.format.info().is_some_and(|i| i.is_color());
        let buffers = if is_color {
            BufferMask::COLOR0
        } else {
            BufferMask::DEPTH
        };
        let Some((from, z)) = f.and_then(|f| source(&f, buffers)) else {
            return Ok(());
        };
        let (Ok(x), Ok(y)) = (u32::try_from(c.x), u32::try_from(c.y)) else {
            return Ok(());
        };
        let area = Box3 { x, y, z, ..c.area };
        let to = Part::Level(c.texture, c.level);
        self.copy(s, (from, &area), (to, [c.area.x, c.area.y, c.area.z]))
    }
    fn surface_specify(&mut self, _: &PushedState, d: &SurfaceDesc, _: bool) -> Result {
        self.forget(HandleKind::SURFACE, d.surface.raw());
        Ok(())
    }
    fn surface_destroy(&mut self, _: &PushedState, h: SurfaceHandle) -> Result {
        self.forget(HandleKind::SURFACE, h.raw());
        Ok(())
    }
    fn reset(&mut self) -> Result {
        *self = Self::default();
        Ok(())
    }

    fn generate_mipmap(&mut self, s: &PushedState, g: &GenerateMipmap) -> Result {
        self.null.generate_mipmap(s, g)
    }
    fn context_create(&mut self, s: &PushedState, d: &ContextDesc) -> Result {
        self.null.context_create(s, d)
    }
    fn context_destroy(&mut self, s: &PushedState, c: ContextHandle) -> Result {
        self.null.context_destroy(s, c)
    }
    fn bind_context(&mut self, s: &PushedState, b: &BindContext) -> Result {
        self.null.bind_context(s, b)
    }
    fn shader_create(&mut self, s: &PushedState, d: &ProgramDesc, code: ProgramCode<'_>) -> Result {
        self.null.shader_create(s, d, code)
    }
    fn shader_delete(&mut self, s: &PushedState, h: ShaderHandle) -> Result {
        self.null.shader_delete(s, h)
    }
    fn fence_create(&mut self, s: &PushedState, f: FenceHandle) -> Result {
        self.null.fence_create(s, f)
    }
    fn fence_wait(
        &mut self,
        s: &PushedState,
        f: FenceHandle,
        timeout_ns: u64,
        flush: bool,
    ) -> Result<FenceResult> {
        self.null.fence_wait(s, f, timeout_ns, flush)
    }
    fn fence_wait_server(&mut self, s: &PushedState, f: FenceHandle) -> Result {
        self.null.fence_wait_server(s, f)
    }
    fn fence_destroy(&mut self, s: &PushedState, f: FenceHandle) -> Result {
        self.null.fence_destroy(s, f)
    }
    fn query_begin(&mut self, s: &PushedState, q: &QueryDesc) -> Result {
        self.null.query_begin(s, q)
    }
    fn query_end(&mut self, s: &PushedState, q: &QueryDesc) -> Result {
        self.null.query_end(s, q)
    }
    fn query_available(&mut self, s: &PushedState, q: QueryHandle) -> Result<bool> {
        self.null.query_available(s, q)
    }
    fn query_result(&mut self, s: &PushedState, q: QueryHandle) -> Result<u64> {
        self.null.query_result(s, q)
    }
    fn query_destroy(&mut self, s: &PushedState, q: QueryHandle) -> Result {
        self.null.query_destroy(s, q)
    }
    fn timestamp(&mut self, s: &PushedState) -> Result<u64> {
        self.null.timestamp(s)
    }
    fn query_counter(&mut self, s: &PushedState, q: &QueryDesc) -> Result {
        self.null.query_counter(s, q)
    }
    fn draw(&mut self, s: &PushedState, d: DrawCall<'_>) -> Result {
        self.null.draw(s, d)
    }
    fn clear(&mut self, s: &PushedState, c: &Clear) -> Result {
        self.null.clear(s, c)
    }
    fn launch_grid(&mut self, s: &PushedState, g: &GridInfo) -> Result {
        self.null.launch_grid(s, g)
    }
    fn memory_barrier(&mut self, s: &PushedState, b: &MemoryBarrier) -> Result {
        self.null.memory_barrier(s, b)
    }
    fn stream_output(&mut self, s: &PushedState, op: Op, o: &StreamOutputOp) -> Result {
        self.null.stream_output(s, op, o)
    }
    fn flush(&mut self, s: &PushedState, f: &Flush) -> Result {
        self.null.flush(s, f)
    }
    fn present(&mut self, s: &PushedState, p: &Present) -> Result {
        self.null.present(s, p)
    }
}
