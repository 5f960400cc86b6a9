//! Read-backs: pixels of framebuffers, texels of textures, and frames for images. All exact (design: driver 5.7).
//!
//! Colour is read as OpenGL ES lets it be read and brought to the transfer layout on the CPU. Formats that cannot be
//! attached are copied bit for bit into an integer format of the same size first. Depth and stencil are read where the
//! driver reads them (NV_read_depth, NV_read_stencil), else through a shader.

use super::formats::ReadAs;
use super::memory::{reserve, zeros};
use super::multisample::is_multisampled;
use super::objects::Image;
use super::storage::Shape;
use super::texel;
use super::work::Work;
use glow::HasContext;
use mgl_core::format::{ComponentClass, Format, FormatInfo};
use mgl_core::handle::{SurfaceHandle, TextureHandle};
use mgl_core::pipe::*;

/// A rectangle of pixels.
#[derive(Debug, Clone, Copy)]
pub struct Area {
    /// First column.
    pub x: i32,
    /// First row.
    pub y: i32,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl Area {
    /// Pixels.
    pub fn pixels(&self) -> usize {
        self.width as usize * self.height as usize
    }
}

impl Work<'_> {
    /// What a Present would show now: width, height, RGBA8 rows, bottom row first.
    ///
    /// # Errors
    ///
    /// As for reading.
    pub fn read_surface(
        &mut self,
        s: &PushedState,
        h: SurfaceHandle,
    ) -> Result<(u32, u32, Vec<u8>), BackendError> {
        let image = self.shown_image(s, h)?;
        let fb = &mut self.ctx.framebuffers;
        fb.bind_scratch(self.dev, glow::READ_FRAMEBUFFER, &image, 0, 0)?;
        let read = ReadAs::of(image.plan.info);
        let area = Area {
            x: 0,
            y: 0,
            width: image.width,
            height: image.height,
        };
        let raw = self.read_raw(read.gl(), read.bytes(), &area)?;
        let mut rgba = reserve(area.pixels() * 4)?;
        let row = image.width as usize * read.bytes();
        for line in raw.chunks_exact(row.max(1)) {
            texel::to_rgba8(image.plan.info, read, line, &mut rgba);
        }
        Ok((image.width, image.height, rgba))
    }

    /// Pixels of the read framebuffer that is bound, rows from the bottom, as client format and type say.
    fn read_raw(
        &mut self,
        (format, ty): (u32, u32),
        bytes: usize,
        a: &Area,
    ) -> Result<Vec<u8>, BackendError> {
        let mut raw = zeros(a.pixels() * bytes)?;
        self.dev.check_errors("before a read");
        self.dev.tally.read_calls.one();
        // SAFETY: the read framebuffer is complete, no pack buffer is bound, rows are tight, and `raw` holds them all.
        unsafe {
            self.dev.gl.glow.read_pixels(
                a.x,
                a.y,
                a.width as i32,
                a.height as i32,
                format,
                ty,
                glow::PixelPackData::Slice(Some(&mut raw)),
            );
        }
        self.dev.gl.check("reading pixels")?;
        Ok(raw)
    }

    /// Colour of the read framebuffer that is bound, in the transfer layout of its format.
    fn read_color(&mut self, info: &FormatInfo, a: &Area) -> Result<Vec<u8>, BackendError> {
        let read = ReadAs::of(info);
        let raw = self.read_raw(read.gl(), read.bytes(), a)?;
        let mut out = reserve(a.pixels() * info.bytes as usize)?;
        texel::from_read(info, read, &raw, &mut out);
        Ok(out)
    }

    /// Depth and stencil of a slice, in the transfer layout of a depth or stencil format. What is not asked for is zero.
    fn read_depth_stencil(
        &mut self,
        (image, level, layer): (&Image, u32, u32),
        info: &FormatInfo,
        a: &Area,
        depth: bool,
        stencil: bool,
    ) -> Result<Vec<u8>, BackendError> {
        let (has, own) = (&self.dev.gl.has, image.plan.info);
        let depth = depth && info.has_depth() && own.has_depth();
        let stencil = stencil && info.has_stencil() && own.has_stencil();
        let layer = if layer == u32::MAX { 0 } else { layer };
        let (mut d, mut s);
        if depth && !has.read_depth || stencil && !has.read_stencil {
            (d, s) = self.depth_by_shader((image, level, layer), a, depth, stencil)?;
        } else {
            let fb = &mut self.ctx.framebuffers;
            fb.bind_scratch(self.dev, glow::READ_FRAMEBUFFER, image, level, layer)?;
            (d, s) = (Vec::new(), Vec::new());
            if depth {
                let float = matches!(
                    own.format,
                    Format::DEPTH_COMPONENT32F | Format::DEPTH32F_STENCIL8
                );
                let ty = if float {
                    glow::FLOAT
                } else {
                    glow::UNSIGNED_INT
                };
                d = self.read_raw((glow::DEPTH_COMPONENT, ty), 4, a)?;
            }
            if stencil {
                s = self.read_raw((glow::STENCIL_INDEX, glow::UNSIGNED_BYTE), 1, a)?;
            }
        }
        if d.is_empty() {
            d = zeros(a.pixels() * 4)?;
        }
        if s.is_empty() {
            s = zeros(a.pixels())?;
        }
        let mut out = reserve(a.pixels() * info.bytes as usize)?;
        texel::join_depth_stencil(info, &d, &s, &mut out);
        Ok(out)
    }

    /// ReadPixels.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] for depth and stencil on a driver that does not read them.
    pub fn read_pixels(
        &mut self,
        s: &PushedState,
        r: &ReadPixels,
    ) -> Result<Vec<u8>, BackendError> {
        let area = Area {
            x: r.x,
            y: r.y,
            width: r.width,
            height: r.height,
        };
        let info = r
            .format
            .info()
            .ok_or_else(|| BackendError::Driver("a read without format".into()))?;
        if area.pixels() == 0 {
            return Ok(Vec::new());
        }
        self.bind_read_framebuffer(s)?;
        let bound = self.ctx.framebuffers.read_bound;
        let color = info.is_color();
        let found = if color {
            bound.color
        } else if r.buffers.has(BufferMask::DEPTH) {
            bound.depth.or(bound.stencil)
        } else {
            bound.stencil.or(bound.depth)
        };
        // GL leaves a read of what is not there undefined; here it is zero.
        let Some((image, level, layer)) = found else {
            return zeros(area.pixels() * info.bytes as usize);
        };
        if color && image.plan.info.bytes != info.bytes {
            return Err(BackendError::Driver(format!(
                "a read of {} as {}",
                image.plan.info.name, info.name
            )));
        }
        if r.by_sample.get() && image.samples > 1 {
            let layer = if layer == u32::MAX { 0 } else { layer };
            let single = self.one_sample(&(image, level, layer), r.sample)?;
            let done = self.read_single(&single, &area, info, r.buffers);
            self.end_image(&single);
            return done;
        }
        if image.samples > 1 {
            return self.read_resolved(&image, &area, info, r.buffers);
        }
        if color {
            if !reads_directly(&image) {
                // Of a layered attachment the first layer is read (GL 4.6 §9.8).
                let layer = if layer == u32::MAX { 0 } else { layer };
                return self.read_slice(&image, level, layer, &area);
            }
            return self.read_color(image.plan.info, &area);
        }
        self.read_depth_stencil(
            (&image, level, layer),
            info,
            &area,
            r.buffers.has(BufferMask::DEPTH),
            r.buffers.has(BufferMask::STENCIL),
        )
    }

    /// Reads a multisampled framebuffer by way of a single-sampled copy.
    fn read_resolved(
        &mut self,
        image: &Image,
        a: &Area,
        info: &FormatInfo,
        buffers: BufferMask,
    ) -> Result<Vec<u8>, BackendError> {
        let single = self.make_image(&Shape {
            target: glow::RENDERBUFFER,
            format: image.plan.info.format,
            width: image.width,
            height: image.height,
            depth: 1,
            levels: 1,
            samples: 0,
            fixed_locations: true,
            zero: false,
        })?;
        let done = self.resolve_and_read(image, &single, a, info, buffers);
        self.end_image(&single);
        done
    }

    fn resolve_and_read(
        &mut self,
        image: &Image,
        single: &Image,
        a: &Area,
        info: &FormatInfo,
        buffers: BufferMask,
    ) -> Result<Vec<u8>, BackendError> {
        self.resolve_image(image, single)?;
        self.read_single(single, a, info, buffers)
    }

    /// Reads an image that stands for a multisampled one.
    fn read_single(
        &mut self,
        single: &Image,
        a: &Area,
        info: &FormatInfo,
        buffers: BufferMask,
    ) -> Result<Vec<u8>, BackendError> {
        if info.is_color() {
            return self.read_slice(single, 0, 0, a);
        }
        let (d, st) = (
            buffers.has(BufferMask::DEPTH),
            buffers.has(BufferMask::STENCIL),
        );
        self.read_depth_stencil((single, 0, 0), info, a, d, st)
    }

    /// Texels of a slice of an image, in its format's transfer layout.
    ///
    /// # Errors
    ///
    /// As for reading.
    pub fn read_slice(
        &mut self,
        image: &Image,
        level: u32,
        layer: u32,
        a: &Area,
    ) -> Result<Vec<u8>, BackendError> {
        let info = image.plan.info;
        if info.is_color() && !reads_directly(image) {
            return self.read_by_bits(image, level, layer, a);
        }
        if !info.is_color() {
            return self.read_depth_stencil((image, level, layer), info, a, true, true);
        }
        let fb = &mut self.ctx.framebuffers;
        fb.bind_scratch(self.dev, glow::READ_FRAMEBUFFER, image, level, layer)?;
        self.read_color(info, a)
    }

    /// Reads a slice that cannot be attached: copied bit for bit into an integer format of the same size.
    fn read_by_bits(
        &mut self,
        image: &Image,
        level: u32,
        layer: u32,
        a: &Area,
    ) -> Result<Vec<u8>, BackendError> {
        let format = match image.plan.upload_bytes {
            1 => Format::R8UI,
            2 => Format::R16UI,
            4 => Format::R32UI,
            8 => Format::RG32UI,
            16 => Format::RGBA32UI,
            _ => {
                return Err(BackendError::Unsupported(format!(
                    "reading {} back",
                    image.plan.info.name
                )));
            }
        };
        let bits = self.make_image(&Shape {
            target: glow::TEXTURE_2D,
            format,
            width: a.width,
            height: a.height,
            depth: 1,
            levels: 1,
            samples: 0,
            fixed_locations: true,
            zero: false,
        })?;
        let area = Box3 {
            x: a.x as u32,
            y: a.y as u32,
            z: layer,
            width: a.width,
            height: a.height,
            depth: 1,
        };
        let whole = Area { x: 0, y: 0, ..*a };
        let done = self
            .copy_on_gpu(image, level, &area, &bits, 0, (0, 0, 0))
            .and_then(|()| self.read_slice(&bits, 0, 0, &whole));
        self.end_image(&bits);
        let wide = done?;
        let texel = image.plan.upload_bytes as usize;
        if image.plan.widen.is_none() {
            return Ok(wide);
        }
        let kept = image.plan.info.bytes as usize;
        Ok(wide
            .chunks_exact(texel)
            .flat_map(|t| &t[..kept])
            .copied()
            .collect())
    }

    /// A box of texels, in the format's transfer layout.
    ///
    /// # Errors
    ///
    /// As for reading.
    pub fn read_box(
        &mut self,
        image: &Image,
        level: u32,
        area: &Box3,
    ) -> Result<Vec<u8>, BackendError> {
        let a = Area {
            x: area.x as i32,
            y: area.y as i32,
            width: area.width,
            height: area.height,
        };
        let slice = a.pixels() * image.plan.info.bytes as usize;
        let mut all = reserve(slice.saturating_mul(area.depth as usize))?;
        if slice == 0 {
            return Ok(all);
        }
        for z in area.z..area.z + area.depth {
            all.extend_from_slice(&self.read_slice(image, level, z, &a)?);
        }
        Ok(all)
    }

    /// GetTextureImage.
    ///
    /// # Errors
    ///
    /// As for reading.
    pub fn read_texture(&mut self, g: &GetTextureImage) -> Result<Vec<u8>, BackendError> {
        let image = self.texture_image(g.texture)?;
        if is_multisampled(&image) {
            return self.read_sample(&image, &g.area, g.sample);
        }
        self.read_box(&image, g.level, &g.area)
    }

    /// The storage of a texture.
    ///
    /// # Errors
    ///
    /// When it has none.
    pub fn texture_image(&self, h: TextureHandle) -> Result<Image, BackendError> {
        self.obj
            .textures
            .get(h)
            .map(|t| t.image)
            .map_err(|e| BackendError::Driver(e.to_string()))
    }
}

/// Whether glReadPixels gives an image's own values. Mesa clamps signed normalised ones at zero, which no version or
/// extension string tells, so they never go that way.
fn reads_directly(image: &Image) -> bool {
    image.plan.renderable && image.plan.info.class != ComponentClass::Snorm
}

/// The bits of glBlitFramebuffer that an image's format has.
pub fn blit_mask(info: &FormatInfo) -> u32 {
    match info.class {
        ComponentClass::Depth => glow::DEPTH_BUFFER_BIT,
        ComponentClass::Stencil => glow::STENCIL_BUFFER_BIT,
        ComponentClass::DepthStencil => glow::DEPTH_BUFFER_BIT | glow::STENCIL_BUFFER_BIT,
        _ => glow::COLOR_BUFFER_BIT,
    }
}
