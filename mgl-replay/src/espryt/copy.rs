//! Copies: between images, and from the read framebuffer into textures. Inside OpenGL ES where it can, through the CPU
//! where it cannot: what counts then is the transfer layout, in which compatible formats have equally large texels.

use super::objects::{Image, Name};
use super::read::{Area, blit_mask};
use super::texel;
use super::work::Work;
use glow::HasContext;
use mgl_core::format::{ComponentClass, FormatInfo};
use mgl_core::handle::*;
use mgl_core::pipe::*;

/// GL name and target of an image for glCopyImageSubData.
pub fn raw_name(image: &Image) -> (u32, u32) {
    match image.name {
        Name::Texture(name, target) => (name.0.get(), target),
        Name::Renderbuffer(name) => (name.0.get(), glow::RENDERBUFFER),
    }
}

/// Whether glCopyImageSubData of OpenGL ES takes a pair of formats: the same one, or two of the same view class (ES 3.2
/// table 16.3), which packed and depth formats are not in.
fn copies_on_gpu(a: &Image, b: &Image) -> bool {
    if a.plan.internal == b.plan.internal {
        return true;
    }
    let classed = |i: &FormatInfo| {
        i.is_color()
            && !matches!(
                i.format,
                mgl_core::format::Format::RGB565
                    | mgl_core::format::Format::RGBA4
                    | mgl_core::format::Format::RGB5_A1
            )
    };
    // An added fourth component must stay what it is.
    a.plan.upload_bytes == b.plan.upload_bytes
        && a.plan.widen == b.plan.widen
        && classed(a.plan.info)
        && classed(b.plan.info)
}

impl Work<'_> {
    /// Copies a box of texels between images of formats with equally large texels.
    ///
    /// # Errors
    ///
    /// As for reading and uploading, where OpenGL ES has no copy of its own.
    pub fn copy_texels(
        &mut self,
        from: &Image,
        from_level: u32,
        area: &Box3,
        to: &Image,
        to_level: u32,
        at: (u32, u32, u32),
    ) -> Result<(), BackendError> {
        if area.width == 0 || area.height == 0 || area.depth == 0 {
            return Ok(());
        }
        if self.dev.gl.has.copy_image && copies_on_gpu(from, to) {
            return self.copy_on_gpu(from, from_level, area, to, to_level, at);
        }
        if from.samples > 1 || from.plan.info.bytes != to.plan.info.bytes {
            return Err(BackendError::Unsupported(format!(
                "a copy of {} to {}",
                from.plan.info.name, to.plan.info.name
            )));
        }
        let bytes = self.read_box(from, from_level, area)?;
        let target = Box3 {
            x: at.0,
            y: at.1,
            z: at.2,
            ..*area
        };
        self.put_tight(to, to_level, &target, &bytes)
    }

    /// glCopyImageSubData.
    ///
    /// # Errors
    ///
    /// GL's.
    pub fn copy_on_gpu(
        &mut self,
        from: &Image,
        from_level: u32,
        area: &Box3,
        to: &Image,
        to_level: u32,
        (x, y, z): (u32, u32, u32),
    ) -> Result<(), BackendError> {
        if !self.dev.gl.has.copy_image {
            return Err(BackendError::Unsupported("a copy between textures".into()));
        }
        let (a, b) = (raw_name(from), raw_name(to));
        let at = [area.x, area.y, area.z].map(|v| v as i32);
        let size = [area.width, area.height, area.depth].map(|v| v as i32);
        self.dev.check_errors("before a copy");
        self.dev.tally.copy_calls.one();
        // SAFETY: the context is current; `apply` has checked both boxes.
        unsafe {
            self.dev.gl.es.CopyImageSubData(
                a.0,
                a.1,
                from_level as i32,
                at[0],
                at[1],
                at[2],
                b.0,
                b.1,
                to_level as i32,
                x as i32,
                y as i32,
                z as i32,
                size[0],
                size[1],
                size[2],
            );
        }
        self.dev.gl.check("a copy between textures")
    }

    /// The image of a resource.
    ///
    /// # Errors
    ///
    /// When it has no storage.
    pub fn image_of(&self, r: ResourceHandle) -> Result<Image, BackendError> {
        match r.kind {
            HandleKind::RENDERBUFFER => self
                .obj
                .renderbuffers
                .get(RenderbufferHandle(r.handle))
                .copied()
                .map_err(|e| BackendError::Driver(e.to_string())),
            _ => self.texture_image(TextureHandle(r.handle)),
        }
    }

    /// ResourceCopyRegion.
    ///
    /// # Errors
    ///
    /// As for copies.
    pub fn copy_region(&mut self, c: &CopyRegion) -> Result<(), BackendError> {
        if c.src.kind == HandleKind::BUFFER {
            return self.copy_buffer(c);
        }
        let (from, to) = (self.image_of(c.src)?, self.image_of(c.dst)?);
        self.copy_texels(
            &from,
            c.src_level,
            &c.src_box,
            &to,
            c.dst_level,
            (c.dst_x, c.dst_y, c.dst_z),
        )
    }

    /// CopyFramebufferToTexture (GL 4.6 §8.6). Pixels outside the framebuffer leave their texels as they are.
    ///
    /// # Errors
    ///
    /// As for reading and uploading, where OpenGL ES has no copy of its own.
    pub fn copy_to_texture(
        &mut self,
        s: &PushedState,
        c: &CopyToTexture,
    ) -> Result<(), BackendError> {
        self.bind_read_framebuffer(s)?;
        let to = self.texture_image(c.texture)?;
        let bound = self.ctx.framebuffers.read_bound;
        let source = if to.plan.info.is_color() {
            bound.color
        } else {
            bound.depth.or(bound.stencil)
        };
        let Some((from, ..)) = source else {
            return Ok(());
        };
        let read = &self.context(s)?.values.read_framebuffer;
        let Some((x, y, area)) = crate::records::clip(c, read.width, read.height) else {
            return Ok(());
        };
        let size = (area.width as i32, area.height as i32);
        if to.plan.renderable && to.plan.widen.is_none() && blits_to(&from, &to) {
            let fb = &mut self.ctx.framebuffers;
            fb.bind_scratch(self.dev, glow::DRAW_FRAMEBUFFER, &to, c.level, area.z)?;
            self.ctx.plain_output_state(self.dev);
            self.dev.check_errors("before a copy");
            let (dx, dy) = (area.x as i32, area.y as i32);
            // A multisampled source is resolved in place only; a copy of one goes by the CPU.
            if from.samples <= 1 || (dx, dy) == (x, y) && from.plan.internal == to.plan.internal {
                self.dev.tally.copy_calls.one();
                // SAFETY: both framebuffers are complete.
                unsafe {
                    self.dev.gl.glow.blit_framebuffer(
                        x,
                        y,
                        x + size.0,
                        y + size.1,
                        dx,
                        dy,
                        dx + size.0,
                        dy + size.1,
                        blit_mask(to.plan.info),
                        glow::NEAREST,
                    );
                }
                return self.dev.gl.check("a copy into a texture");
            }
        }
        let pixels = self.read_pixels(
            s,
            &ReadPixels {
                x,
                y,
                width: area.width,
                height: area.height,
                format: from.plan.info.format,
                buffers: if to.plan.info.is_color() {
                    BufferMask::COLOR0
                } else {
                    BufferMask(BufferMask::DEPTH.0 | BufferMask::STENCIL.0)
                },
                ..ReadPixels::default()
            },
        )?;
        let bytes = texel::convert(from.plan.info, to.plan.info, &pixels).ok_or_else(|| {
            BackendError::Unsupported(format!(
                "a copy of {} into a texture of {}",
                from.plan.info.name, to.plan.info.name
            ))
        })?;
        self.put_tight(&to, c.level, &area, &bytes)
    }
}

/// Whether glBlitFramebuffer converts between two formats as a copy does.
fn blits_to(from: &Image, to: &Image) -> bool {
    let (a, b) = (from.plan.info, to.plan.info);
    if !b.is_color() {
        return a.format == b.format;
    }
    let kind = |i: &FormatInfo| match i.class {
        ComponentClass::Sint => 1,
        ComponentClass::Uint => 2,
        _ => 0,
    };
    kind(a) == kind(b) && a.srgb == b.srgb
}

/// The rectangle of an area.
impl From<&Box3> for Area {
    fn from(b: &Box3) -> Self {
        Self {
            x: b.x as i32,
            y: b.y as i32,
            width: b.width,
            height: b.height,
        }
    }
}
