//! Textures and renderbuffers: storage and uploads (design: pipe contract 3.3, 3.5).

use super::formats::Plan;
use super::multisample::is_multisampled;
use super::objects::{Image, Name, Params, Texture};
use super::storage::Shape;
use super::views::ViewShape;
use super::work::Work;
use crate::records;
use glow::HasContext;
use mgl_core::handle::*;
use mgl_core::pipe::limits::level_extent;
use mgl_core::pipe::*;

/// Regions above which one upload of the union box is cheaper than many calls.
const MANY_REGIONS: usize = 64;

/// Whether an upload goes up as its union box: a pure function of the record. Otherwise each region goes up.
pub fn takes_box(d: &SubData, regions: &[SubRegion]) -> bool {
    records::takes_box(d, regions, MANY_REGIONS)
}

impl Work<'_> {
    /// Makes a texture or renderbuffer, or its storage anew.
    ///
    /// # Errors
    ///
    /// As for storage.
    pub fn specify_image(&mut self, d: &ResourceDesc) -> Result<(), BackendError> {
        let lost = |e: mgl_core::pipe::table::HandleError| BackendError::Driver(e.to_string());
        let h = d.resource.handle;
        if d.target == Target::RENDERBUFFER {
            let h = RenderbufferHandle(h);
            let image = self.make_image(&Shape::of(d))?;
            match self.obj.renderbuffers.get_mut(h) {
                Err(_) => {
                    self.obj.renderbuffers.insert(h, image).map_err(lost)?;
                }
                Ok(place) => {
                    let old = std::mem::replace(place, image);
                    self.end_image(&old);
                }
            }
            return Ok(());
        }
        let h = TextureHandle(h);
        let image = self.make_texture_image(d)?;
        let new = Texture {
            desc: *d,
            image,
            params: Params::INITIAL,
            pushed: None,
        };
        match self.obj.textures.get_mut(h) {
            Err(_) => {
                self.obj.textures.insert(h, new).map_err(lost)?;
            }
            Ok(place) => {
                let old = std::mem::replace(place, new);
                if d.target != Target::TEXTURE_BUFFER {
                    self.keep_levels(&old, &new)?;
                }
                self.end_image(&old.image);
            }
        }
        Ok(())
    }

    fn make_texture_image(&mut self, d: &ResourceDesc) -> Result<Image, BackendError> {
        match d.storage {
            StorageKind::BUFFER_TEXTURE => {
                let plan = Plan::of(d.format, &self.dev.gl.has)?;
                if plan.widen.is_some() {
                    return Err(BackendError::Unsupported(format!(
                        "a buffer texture of {}",
                        d.format
                    )));
                }
                if d.buffer.is_null() || d.size == 0 {
                    let zeros = self.zeros(1024)?;
                    return self.make_buffer_texture(plan, zeros.name, zeros.offset, 1024);
                }
                let name = self.buffer(d.buffer)?.name;
                self.make_buffer_texture(plan, name, d.offset, d.size)
            }
            StorageKind::VIEW => {
                let owner = self
                    .obj
                    .textures
                    .get(d.view_of)
                    .map_err(|e| BackendError::Driver(e.to_string()))?
                    .image;
                self.make_view(
                    &owner,
                    &ViewShape {
                        format: d.format,
                        target: super::storage::native_target(d.target),
                        first_level: d.view_level,
                        levels: d.levels.max(1),
                        first_layer: d.view_layer,
                        layers: d.layers.max(1),
                    },
                )
            }
            _ => self.make_image(&Shape::of(d)),
        }
    }

    /// Makes a texture of a buffer's bytes.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] when the context has none.
    pub fn make_buffer_texture(
        &mut self,
        plan: Plan,
        buffer: glow::Buffer,
        offset: u64,
        size: u64,
    ) -> Result<Image, BackendError> {
        if !self.dev.gl.has.buffer_texture {
            return Err(BackendError::Unsupported("buffer textures".into()));
        }
        let serial = self.obj.serial();
        let target = glow::TEXTURE_BUFFER;
        // SAFETY: a context is current.
        let name = unsafe { self.dev.gl.glow.create_texture() }.map_err(BackendError::Driver)?;
        self.dev.tally.textures_made.one();
        self.ctx.bind_for_work(self.dev, target, name, serial);
        self.dev.check_errors("before a buffer texture");
        // SAFETY: the texture is bound, and the buffer holds the range.
        unsafe {
            self.dev.gl.es.TexBufferRange(
                target,
                plan.internal,
                buffer.0.get(),
                offset as isize,
                size as isize,
            );
        }
        let image = Image {
            name: Name::Texture(name, target),
            serial,
            plan,
            width: (size / u64::from(plan.info.bytes)) as u32,
            height: 1,
            depth: 1,
            levels: 1,
            samples: 0,
            of_surface: false,
        };
        if let Err(e) = self.dev.gl.check("a buffer texture") {
            image.delete(self.dev);
            return Err(e);
        }
        Ok(image)
    }

    /// Storage ends: the GL object, the views of it, and the framebuffers that hold it.
    pub fn end_image(&mut self, image: &Image) {
        self.ctx.framebuffers.let_go(self.dev, image.serial);
        self.obj.views.delete_of(self.dev, image.serial);
        image.delete(self.dev);
        self.obj.dead_images.push(image.serial);
        self.obj.moved();
    }

    /// A resource's name ends; GL keeps storage that views and attachments still use.
    pub fn destroy_resource(&mut self, r: ResourceHandle) {
        match r.kind {
            HandleKind::BUFFER => {
                if let Ok(b) = self.obj.buffers.remove(BufferHandle(r.handle)) {
                    // SAFETY: a context of the share group is current.
                    unsafe { self.dev.gl.glow.delete_buffer(b.name) };
                    self.dev.tally.buffers_ended.one();
                    self.obj.converted.forget(self.dev, b.serial);
                    self.obj.moved();
                }
            }
            HandleKind::RENDERBUFFER => {
                if let Ok(image) = self.obj.renderbuffers.remove(RenderbufferHandle(r.handle)) {
                    self.end_image(&image);
                }
            }
            _ => {
                if let Ok(t) = self.obj.textures.remove(TextureHandle(r.handle)) {
                    self.end_image(&t.image);
                }
            }
        }
    }

    /// Copies the levels that a respecification keeps: extent, format and samples are the same.
    fn keep_levels(&mut self, old: &Texture, new: &Texture) -> Result<(), BackendError> {
        let (a, b) = (&old.desc, &new.desc);
        if a.format != b.format || old.image.samples != new.image.samples {
            return Ok(());
        }
        for level in 0..a.levels.max(1).min(b.levels.max(1)) {
            let extent = level_extent(a, level);
            if extent == level_extent(b, level) {
                self.copy_level(&old.image, &new.image, level, extent)?;
            }
        }
        Ok(())
    }

    fn copy_level(
        &mut self,
        from: &Image,
        to: &Image,
        level: u32,
        (w, h, d): (u32, u32, u32),
    ) -> Result<(), BackendError> {
        let whole = Box3 {
            width: w,
            height: h,
            depth: d,
            ..Box3::default()
        };
        self.copy_texels(from, level, &whole, to, level, (0, 0, 0))
    }

    /// Uploads into a level of a texture.
    ///
    /// # Errors
    ///
    /// When the texture has no storage.
    pub fn upload_texture(
        &mut self,
        d: &SubData,
        regions: &[SubRegion],
        bytes: &[u8],
    ) -> Result<(), BackendError> {
        let texture = self
            .obj
            .textures
            .get(TextureHandle(d.resource.handle))
            .map_err(|e| BackendError::Driver(e.to_string()))?;
        let (image, asked) = (texture.image, texture.desc.samples);
        let put = |w: &mut Self, area: &Box3, bytes: &[u8]| {
            if is_multisampled(&image) {
                w.put_sample((&image, asked), d, area, bytes)
            } else {
                w.put_texels(&image, d, area, bytes)
            }
        };
        if takes_box(d, regions) {
            return put(self, &d.union_box, bytes);
        }
        for r in regions {
            let rest = bytes.get(r.offset as usize..).unwrap_or(&[]);
            put(self, &r.area, rest)?;
        }
        Ok(())
    }

    /// Uploads a box of tight texels in the format's transfer layout.
    ///
    /// # Errors
    ///
    /// As for uploads.
    pub fn put_tight(
        &mut self,
        image: &Image,
        level: u32,
        area: &Box3,
        bytes: &[u8],
    ) -> Result<(), BackendError> {
        let row = area.width * image.plan.info.bytes;
        let d = SubData {
            level,
            row_stride: row,
            image_stride: u64::from(row) * u64::from(area.height),
            ..SubData::default()
        };
        self.put_texels(image, &d, area, bytes)
    }

    /// Fills a box of a level with one value.
    ///
    /// # Errors
    ///
    /// As for uploads.
    pub fn clear_texels(&mut self, c: &ClearResource) -> Result<(), BackendError> {
        let image = self.image_of(c.resource)?;
        let info = image.plan.info;
        let value = &bytemuck::bytes_of(&c.value)[..info.bytes.min(16) as usize];
        let texels = c.area.width as usize * c.area.height as usize * c.area.depth as usize;
        if texels == 0 {
            return Ok(());
        }
        let (Name::Texture(name, _), true) = (image.name, self.dev.gl.has.clear_texture) else {
            let bytes: Vec<u8> = value
                .iter()
                .copied()
                .cycle()
                .take(texels * value.len())
                .collect();
            return self.put_tight(&image, c.level, &c.area, &bytes);
        };
        let mut texel = Vec::with_capacity(16);
        match image.plan.widen {
            Some(w) => w.row(value, &mut texel),
            None => texel.extend_from_slice(value),
        }
        let a = &c.area;
        let [x, y, z, w, h, d] = [a.x, a.y, a.z, a.width, a.height, a.depth].map(|v| v as i32);
        self.dev.check_errors("before clearing a texture");
        self.dev.tally.clear_calls.one();
        // SAFETY: the context is current, `apply` has checked the box, and the value has the bytes of one texel.
        unsafe {
            self.dev.gl.es.ClearTexSubImageEXT(
                name.0.get(),
                c.level as i32,
                x,
                y,
                z,
                w,
                h,
                d,
                image.plan.upload_format,
                image.plan.upload_type,
                texel.as_ptr().cast(),
            );
        }
        self.dev.gl.check("clearing a texture")
    }

    /// Uploads one box whose first texel is at the start of `bytes`, with the strides of `d`.
    ///
    /// # Errors
    ///
    /// When there are too few bytes.
    pub fn put_texels(
        &mut self,
        image: &Image,
        d: &SubData,
        area: &Box3,
        bytes: &[u8],
    ) -> Result<(), BackendError> {
        if area.width == 0 || area.height == 0 || area.depth == 0 {
            return Ok(());
        }
        let Some((name, target)) = image.texture() else {
            return Err(BackendError::Driver("an upload into no texture".into()));
        };
        let plan = &image.plan;
        let texel = plan.info.bytes as usize;
        let row = area.width as usize * texel;
        let (row_stride, image_stride) = (d.row_stride as usize, d.image_stride as usize);
        // GL counts strides in texels and rows.
        let fits = plan.widen.is_none()
            && (area.height == 1 && area.depth == 1
                || row_stride % texel == 0 && (area.depth == 1 || image_stride % row_stride == 0));
        let tight;
        let (source, row_length, image_height) = if fits {
            let rows = |n: usize, stride: usize| n.saturating_sub(1) * stride;
            let needed = rows(area.depth as usize, image_stride)
                + rows(area.height as usize, row_stride)
                + row;
            let source = bytes.get(..needed).ok_or_else(short)?;
            let length = if area.height == 1 && area.depth == 1 {
                0
            } else {
                row_stride / texel
            };
            let height = if area.depth == 1 {
                0
            } else {
                image_stride / row_stride
            };
            (source, length, height)
        } else {
            let mut all = Vec::with_capacity(
                area.width as usize
                    * area.height as usize
                    * area.depth as usize
                    * plan.upload_bytes as usize,
            );
            for z in 0..area.depth as usize {
                for y in 0..area.height as usize {
                    let at = z * image_stride + y * row_stride;
                    let line = bytes.get(at..at + row).ok_or_else(short)?;
                    match plan.widen {
                        Some(w) => w.row(line, &mut all),
                        None => all.extend_from_slice(line),
                    }
                }
            }
            tight = all;
            (tight.as_slice(), 0, 0)
        };
        self.ctx.bind_for_work(self.dev, target, name, image.serial);
        self.set_unpack(row_length as i32, image_height as i32);
        let jobs = match target {
            glow::TEXTURE_CUBE_MAP => area.depth,
            _ => 1,
        };
        let texels = u64::from(area.width) * u64::from(area.height) * u64::from(area.depth);
        self.dev.tally.texture_upload_jobs.add(u64::from(jobs));
        self.dev
            .tally
            .texture_upload_bytes
            .add(texels * u64::from(plan.upload_bytes));
        let gl = &self.dev.gl.glow;
        let [x, y, z, w, h, depth] =
            [area.x, area.y, area.z, area.width, area.height, area.depth].map(|v| v as i32);
        let (format, ty, level) = (plan.upload_format, plan.upload_type, d.level as i32);
        // SAFETY: the texture is bound, no unpack buffer is, and `source` holds the box with the strides set.
        unsafe {
            match target {
                glow::TEXTURE_3D | glow::TEXTURE_2D_ARRAY | glow::TEXTURE_CUBE_MAP_ARRAY => {
                    gl.tex_sub_image_3d(
                        target,
                        level,
                        x,
                        y,
                        z,
                        w,
                        h,
                        depth,
                        format,
                        ty,
                        glow::PixelUnpackData::Slice(Some(source)),
                    );
                }
                glow::TEXTURE_CUBE_MAP => {
                    let step = if image_height == 0 {
                        row_bytes(plan, w as usize, row_length) * h as usize
                    } else {
                        image_stride
                    };
                    for i in 0..depth {
                        let face = glow::TEXTURE_CUBE_MAP_POSITIVE_X + (z + i) as u32;
                        let part = source.get(i as usize * step..).ok_or_else(short)?;
                        let data = glow::PixelUnpackData::Slice(Some(part));
                        gl.tex_sub_image_2d(face, level, x, y, w, h, format, ty, data);
                    }
                }
                _ => {
                    let data = glow::PixelUnpackData::Slice(Some(source));
                    gl.tex_sub_image_2d(target, level, x, y, w, h, format, ty, data);
                }
            }
        }
        Ok(())
    }

    /// Strides of uploads, texels and rows; 0 is tight.
    fn set_unpack(&mut self, row_length: i32, image_height: i32) {
        let gl = &self.dev.gl.glow;
        let set = &mut self.ctx.shadow.unpack;
        // SAFETY: the context is current.
        unsafe {
            if set.0 != row_length {
                gl.pixel_store_i32(glow::UNPACK_ROW_LENGTH, row_length);
            }
            if set.1 != image_height {
                gl.pixel_store_i32(glow::UNPACK_IMAGE_HEIGHT, image_height);
            }
        }
        *set = (row_length, image_height);
    }
}

fn row_bytes(plan: &Plan, width: usize, row_length: usize) -> usize {
    let texels = if row_length == 0 { width } else { row_length };
    texels * plan.upload_bytes as usize
}

fn short() -> BackendError {
    BackendError::Driver("an upload with too few bytes".into())
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
        assert!(takes_box(&sub(999, 999, true), &[region(1, 1); 65]));
        assert!(!takes_box(&sub(999, 999, true), &[region(1, 1); 64]));
    }
}
