//! Read-backs: pixels of framebuffers, texels of textures, and frames for images. All exact (design: driver 5.7).

use super::formats::ReadAs;
use super::objects::Image;
use super::texel;
use super::work::Work;
use glow::HasContext;
use mgl_core::handle::SurfaceHandle;
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
        self.ctx
            .framebuffers
            .bind_scratch(self.dev, glow::READ_FRAMEBUFFER, &image, 0, 0)?;
        let read = ReadAs::of(image.plan.info);
        let area = Area {
            x: 0,
            y: 0,
            width: image.width,
            height: image.height,
        };
        let raw = self.read_raw(read, &area)?;
        let mut rgba = Vec::with_capacity(image.width as usize * image.height as usize * 4);
        let row = image.width as usize * read.bytes();
        for line in raw.chunks_exact(row.max(1)) {
            texel::to_rgba8(image.plan.info, read, line, &mut rgba);
        }
        Ok((image.width, image.height, rgba))
    }

    /// Pixels of the read framebuffer that is bound, rows from the bottom, as `read` says.
    fn read_raw(&mut self, read: ReadAs, a: &Area) -> Result<Vec<u8>, BackendError> {
        let (format, ty) = read.gl();
        let mut raw = vec![0; a.width as usize * a.height as usize * read.bytes()];
        self.dev.check_errors("before a read");
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

    /// Texels of a colour image's slice, in its format's transfer layout.
    pub fn read_slice(
        &mut self,
        image: &Image,
        level: u32,
        layer: u32,
        a: &Area,
    ) -> Result<Vec<u8>, BackendError> {
        self.ctx.framebuffers.bind_scratch(
            self.dev,
            glow::READ_FRAMEBUFFER,
            image,
            level,
            layer,
        )?;
        let read = ReadAs::of(image.plan.info);
        let raw = self.read_raw(read, a)?;
        let mut out = Vec::with_capacity(
            a.width as usize * a.height as usize * image.plan.info.bytes as usize,
        );
        texel::from_read(image.plan.info, read, &raw, &mut out);
        Ok(out)
    }
}

impl Work<'_> {
    pub fn read_pixels(
        &mut self,
        _s: &PushedState,
        _r: &ReadPixels,
    ) -> Result<Vec<u8>, BackendError> {
        Err(BackendError::Unsupported("ReadPixels".into()))
    }
    pub fn read_texture(&mut self, _g: &GetTextureImage) -> Result<Vec<u8>, BackendError> {
        Err(BackendError::Unsupported("".into()))
    }
    pub fn copy_to_texture(
        &mut self,
        _s: &PushedState,
        _c: &CopyToTexture,
    ) -> Result<(), BackendError> {
        Err(BackendError::Unsupported("".into()))
    }
    pub fn generate_mipmap(&mut self, _g: &GenerateMipmap) -> Result<(), BackendError> {
        Err(BackendError::Unsupported("".into()))
    }
    pub fn clear_texels(&mut self, _c: &ClearResource) -> Result<(), BackendError> {
        Err(BackendError::Unsupported("".into()))
    }
}
