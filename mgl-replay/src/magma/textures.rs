//! Textures and renderbuffers: storage and uploads (design: pipe contract 3.3, 3.5).

use super::Magma;
use super::formats::{Plan, texel_buffer};
use super::images::Shape;
use super::objects::{ImageId, Storage, Texels, Texture, Window};
use super::recorder::Garbage;
use crate::records;
use ash::vk;
use mgl_core::handle::*;
use mgl_core::pipe::limits::level_extent;
use mgl_core::pipe::*;

/// Regions above which one upload of the union box is cheaper than many copies.
const MANY_REGIONS: usize = 256;

/// Whether an upload goes up as its union box: a pure function of the record. Otherwise each region goes up.
pub fn takes_box(d: &SubData, regions: &[SubRegion]) -> bool {
    records::takes_box(d, regions, MANY_REGIONS)
}

/// The aspects that the pipe's format has, which are copied one by one, with the bytes of a texel of each.
pub fn copies_of(plan: &Plan) -> impl Iterator<Item = (vk::ImageAspectFlags, u32)> + use<> {
    let info = plan.info;
    let first = if info.is_color() {
        (vk::ImageAspectFlags::COLOR, plan.bytes)
    } else if info.has_depth() {
        (vk::ImageAspectFlags::DEPTH, plan.bytes)
    } else {
        (vk::ImageAspectFlags::STENCIL, 1)
    };
    let second = info.has_depth() && info.has_stencil();
    std::iter::once(first).chain(second.then_some((vk::ImageAspectFlags::STENCIL, 1)))
}

/// Where a box of a window lies in its image.
pub struct Place {
    /// Level and layers, of all aspects.
    pub layers: vk::ImageSubresourceLayers,
    /// First texel.
    pub offset: vk::Offset3D,
    /// Texels.
    pub extent: vk::Extent3D,
}

impl Window {
    /// Where a box of a level lies.
    pub fn place(&self, kind: vk::ImageType, level: u32, b: &Box3) -> Place {
        let solid = kind == vk::ImageType::TYPE_3D;
        Place {
            layers: vk::ImageSubresourceLayers {
                aspect_mask: self.plan.aspects,
                mip_level: self.first_level + level,
                base_array_layer: if solid { 0 } else { self.first_layer + b.z },
                layer_count: if solid { 1 } else { b.depth },
            },
            offset: vk::Offset3D {
                x: b.x as i32,
                y: b.y as i32,
                z: if solid { b.z as i32 } else { 0 },
            },
            extent: vk::Extent3D {
                width: b.width,
                height: b.height,
                depth: if solid { b.depth } else { 1 },
            },
        }
    }
}

impl Magma {
    /// The image part of a texture.
    ///
    /// # Errors
    ///
    /// When it has none: it is a buffer texture, or was never specified.
    pub(super) fn texture_window(&self, h: TextureHandle) -> Result<Window, BackendError> {
        let t = self
            .obj
            .textures
            .get(h)
            .map_err(|e| BackendError::Driver(e.to_string()))?;
        match t.storage {
            Storage::Image(w) => Ok(w),
            Storage::Buffer(_) => Err(BackendError::Driver("a buffer texture has no image".into())),
        }
    }

    /// The image part of a resource.
    ///
    /// # Errors
    ///
    /// When it has none.
    pub(super) fn window_of(&self, r: ResourceHandle) -> Result<Window, BackendError> {
        match r.kind {
            HandleKind::RENDERBUFFER => self
                .obj
                .renderbuffers
                .get(RenderbufferHandle(r.handle))
                .copied()
                .map_err(|e| BackendError::Driver(e.to_string())),
            _ => self.texture_window(TextureHandle(r.handle)),
        }
    }

    fn own_window(&mut self, image: ImageId) -> Result<Window, BackendError> {
        let i = self.obj.images.get_mut(image)?;
        i.users += 1;
        Ok(Window {
            image,
            plan: i.plan,
            first_level: 0,
            levels: i.levels,
            first_layer: 0,
            layers: i.layers,
        })
    }

    /// Makes a texture or renderbuffer, or its storage anew.
    ///
    /// # Errors
    ///
    /// As for storage.
    pub(super) fn specify_image(&mut self, d: &ResourceDesc) -> Result<(), BackendError> {
        let lost = |e: mgl_core::pipe::table::HandleError| BackendError::Driver(e.to_string());
        let h = d.resource.handle;
        if d.target == Target::RENDERBUFFER {
            let h = RenderbufferHandle(h);
            let image = self.make_image(&Shape::of(d))?;
            let new = self.own_window(image)?;
            match self.obj.renderbuffers.get_mut(h) {
                Err(_) => {
                    self.obj.renderbuffers.insert(h, new).map_err(lost)?;
                }
                Ok(place) => {
                    let old = std::mem::replace(place, new);
                    self.release_image(old.image);
                }
            }
            return Ok(());
        }
        let h = TextureHandle(h);
        let storage = self.make_texture_storage(d)?;
        let new = Texture { desc: *d, storage };
        match self.obj.textures.get_mut(h) {
            Err(_) => {
                self.obj.textures.insert(h, new).map_err(lost)?;
            }
            Ok(place) => {
                let old = std::mem::replace(place, new);
                self.keep_levels(&old, &new)?;
                self.end_storage(&old.storage);
            }
        }
        Ok(())
    }

    fn make_texture_storage(&mut self, d: &ResourceDesc) -> Result<Storage, BackendError> {
        match d.storage {
            StorageKind::BUFFER_TEXTURE => {
                let (format, widened) =
                    texel_buffer(d.format, &|f| self.gpu.format_features(f).buffer_features)?;
                if widened {
                    return Err(BackendError::Unsupported(format!(
                        "a buffer texture of {}",
                        d.format
                    )));
                }
                Ok(Storage::Buffer(Texels {
                    buffer: d.buffer,
                    info: d.format.info(),
                    format,
                    offset: d.offset,
                    size: d.size,
                    view: None,
                }))
            }
            StorageKind::VIEW => {
                let owner = self.texture_window(d.view_of)?;
                let plan = self.gpu.plan(d.format)?;
                if plan.bytes != owner.plan.bytes {
                    return Err(BackendError::Unsupported(format!(
                        "a view of {} as {}, which are stored with different sizes",
                        owner.plan.info.name, plan.info.name
                    )));
                }
                self.obj.images.get_mut(owner.image)?.users += 1;
                Ok(Storage::Image(Window {
                    image: owner.image,
                    plan,
                    first_level: owner.first_level + d.view_level,
                    levels: d.levels.max(1),
                    first_layer: owner.first_layer + d.view_layer,
                    layers: if d.target == Target::TEXTURE_3D {
                        1
                    } else {
                        d.layers.max(1)
                    },
                }))
            }
            _ => {
                let shape = Shape::of(d);
                if d.target == Target::TEXTURE_CUBE_MAP_ARRAY && !self.gpu.has.cube_array {
                    return Err(BackendError::Unsupported("cube map arrays".into()));
                }
                let image = self.make_image(&shape)?;
                Ok(Storage::Image(self.own_window(image)?))
            }
        }
    }

    fn end_storage(&mut self, s: &Storage) {
        match s {
            Storage::Image(w) => self.release_image(w.image),
            Storage::Buffer(t) => {
                if let Some((view, _)) = t.view {
                    self.rec.discard(Garbage::BufferView(view));
                }
                self.obj.moved();
            }
        }
    }

    /// A resource's name ends; images stay while texture views use them.
    pub(super) fn destroy_resource(&mut self, r: ResourceHandle) {
        match r.kind {
            HandleKind::BUFFER => self.destroy_buffer(BufferHandle(r.handle)),
            HandleKind::RENDERBUFFER => {
                if let Ok(w) = self.obj.renderbuffers.remove(RenderbufferHandle(r.handle)) {
                    self.release_image(w.image);
                }
            }
            _ => {
                if let Ok(t) = self.obj.textures.remove(TextureHandle(r.handle)) {
                    self.end_storage(&t.storage);
                }
            }
        }
    }

    /// Copies the levels that a respecification keeps: extent, format and samples are the same.
    fn keep_levels(&mut self, old: &Texture, new: &Texture) -> Result<(), BackendError> {
        let (Storage::Image(from), Storage::Image(to)) = (old.storage, new.storage) else {
            return Ok(());
        };
        let (a, b) = (&old.desc, &new.desc);
        let samples = |m: &Self, w: &Window| m.obj.images.get(w.image).map(|i| (i.samples, i.kind));
        if a.format != b.format || samples(self, &from)? != samples(self, &to)? {
            return Ok(());
        }
        for level in 0..a.levels.max(1).min(b.levels.max(1)) {
            let (w, h, d) = level_extent(a, level);
            if (w, h, d) == level_extent(b, level) {
                let whole = Box3 {
                    width: w,
                    height: h,
                    depth: d,
                    ..Box3::default()
                };
                self.copy_texels(&from, level, &whole, &to, level, (0, 0, 0))?;
            }
        }
        Ok(())
    }

    /// Uploads into a level of a texture.
    ///
    /// # Errors
    ///
    /// When the texture has no storage.
    pub(super) fn upload_texture(
        &mut self,
        d: &SubData,
        regions: &[SubRegion],
        bytes: &[u8],
    ) -> Result<(), BackendError> {
        self.stream.begin(&self.rec);
        let w = self.window_of(d.resource)?;
        let samples = self.obj.images.get(w.image)?.samples;
        let asked = (self.obj.textures)
            .get(TextureHandle(d.resource.handle))
            .map_or(1, |t| t.desc.samples);
        let put = |m: &mut Self, parts: &[(Box3, &[u8])]| match samples {
            0 | 1 => m.put_texels(&w, d, parts),
            _ => m.put_sample((&w, asked), d, parts),
        };
        if takes_box(d, regions) {
            return put(self, &[(d.union_box, bytes)]);
        }
        let parts: Vec<(Box3, &[u8])> = regions
            .iter()
            .map(|r| (r.area, bytes.get(r.offset as usize..).unwrap_or(&[])))
            .collect();
        put(self, &parts)
    }

    /// Uploads a box of tight texels in the format's transfer layout.
    ///
    /// # Errors
    ///
    /// As for uploads.
    pub(super) fn put_tight(
        &mut self,
        w: &Window,
        level: u32,
        area: &Box3,
        bytes: &[u8],
    ) -> Result<(), BackendError> {
        let row = area.width * w.plan.info.bytes;
        let d = SubData {
            level,
            row_stride: row,
            image_stride: u64::from(row) * u64::from(area.height),
            ..SubData::default()
        };
        self.put_texels(w, &d, &[(*area, bytes)])
    }

    /// Uploads boxes whose first texels are at the start of their bytes, with the strides of `d`.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`], and when there are too few bytes.
    pub(super) fn put_texels(
        &mut self,
        w: &Window,
        d: &SubData,
        parts: &[(Box3, &[u8])],
    ) -> Result<(), BackendError> {
        let written = self.write_image(w.image)?;
        let (image, kind) = {
            let i = self.obj.images.get(w.image)?;
            (i.raw.image, i.kind)
        };
        let (mut copies, mut buffer) = (std::mem::take(&mut self.copies), vk::Buffer::null());
        copies.clear();
        let texel = w.plan.info.bytes as usize;
        let mut packed = Vec::new();
        for (area, bytes) in parts {
            if area.width == 0 || area.height == 0 || area.depth == 0 {
                continue;
            }
            for (aspect, size) in copies_of(&w.plan) {
                let row = area.width as usize * size as usize;
                let total = row as u64 * u64::from(area.height) * u64::from(area.depth);
                let (place, to) =
                    self.stream
                        .reserve(&self.gpu, &mut self.mem, &self.rec, total, 16, 0)?;
                let mut lines = to.chunks_exact_mut(row);
                for z in 0..area.depth as usize {
                    for y in 0..area.height as usize {
                        let at = z * d.image_stride as usize + y * d.row_stride as usize;
                        let line =
                            bytes
                                .get(at..at + area.width as usize * texel)
                                .ok_or_else(|| {
                                    BackendError::Driver("an upload with too few bytes".into())
                                })?;
                        let Some(o) = lines.next() else { break };
                        if w.plan.is_direct() {
                            o.copy_from_slice(line);
                            continue;
                        }
                        packed.clear();
                        if aspect == vk::ImageAspectFlags::STENCIL {
                            w.plan.stencil_to_image(line, &mut packed);
                        } else {
                            w.plan.to_image(line, &mut packed);
                        }
                        o.copy_from_slice(&packed);
                    }
                }
                let p = w.place(kind, d.level, area);
                if buffer != place.buffer && !copies.is_empty() {
                    self.copy_to_image(written.0, buffer, image, &copies);
                    copies.clear();
                }
                buffer = place.buffer;
                self.counters.texture_upload_jobs += 1;
                self.counters.texture_upload_bytes += total;
                copies.push(vk::BufferImageCopy {
                    buffer_offset: place.offset,
                    buffer_row_length: 0,
                    buffer_image_height: 0,
                    image_subresource: vk::ImageSubresourceLayers {
                        aspect_mask: aspect,
                        ..p.layers
                    },
                    image_offset: p.offset,
                    image_extent: p.extent,
                });
            }
        }
        if !copies.is_empty() {
            self.copy_to_image(written.0, buffer, image, &copies);
        }
        self.copies = copies;
        self.wrote_image(w.image, written)
    }

    fn copy_to_image(
        &self,
        cmd: vk::CommandBuffer,
        from: vk::Buffer,
        to: vk::Image,
        copies: &[vk::BufferImageCopy],
    ) {
        // SAFETY: nothing is rendered; the image is in this layout, the boxes are inside it, and the buffer holds them.
        unsafe {
            self.gpu.device.cmd_copy_buffer_to_image(
                cmd,
                from,
                to,
                vk::ImageLayout::TRANSFER_DST_OPTIMAL,
                copies,
            );
        }
    }

    /// Fills a box of a level with one value.
    ///
    /// # Errors
    ///
    /// As for uploads.
    pub(super) fn clear_texels(&mut self, c: &ClearResource) -> Result<(), BackendError> {
        let w = self.window_of(c.resource)?;
        let value = &bytemuck::bytes_of(&c.value)[..w.plan.info.bytes.min(16) as usize];
        let texels = c.area.width as usize * c.area.height as usize * c.area.depth as usize;
        if texels == 0 {
            return Ok(());
        }
        let bytes: Vec<u8> = value
            .iter()
            .copied()
            .cycle()
            .take(texels * value.len())
            .collect();
        self.put_tight(&w, c.level, &c.area, &bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sub(w: u32, h: u32, whole: bool) -> SubData {
        SubData {
            union_box: Box3 {
                width: w,
                height: h,
                depth: 1,
                ..Box3::default()
            },
            flags: if whole {
                SubDataFlags::UNION_WHOLE
            } else {
                SubDataFlags::NONE
            },
            ..SubData::default()
        }
    }

    fn region(w: u32, h: u32) -> SubRegion {
        SubRegion {
            area: Box3 {
                width: w,
                height: h,
                depth: 1,
                ..Box3::default()
            },
            offset: 0,
        }
    }

    #[test]
    fn the_shape_follows_from_the_record() {
        assert!(takes_box(&sub(8, 8, false), &[]), "no regions: the box");
        assert!(takes_box(&sub(8, 8, true), &[region(8, 6)]));
        assert!(!takes_box(&sub(8, 8, true), &[region(8, 5)]));
        assert!(
            !takes_box(&sub(8, 8, false), &[region(8, 8)]),
            "texels that the client does not have must not go up"
        );
        assert!(takes_box(&sub(999, 999, true), &[region(1, 1); 257]));
        assert!(!takes_box(&sub(999, 999, true), &[region(1, 1); 256]));
    }
}
