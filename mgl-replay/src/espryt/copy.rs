//! Copies between textures, inside OpenGL ES where it can and through the CPU where it cannot.

use super::objects::{Image, Name};
use super::work::Work;
use mgl_core::handle::*;
use mgl_core::pipe::*;

impl Work<'_> {
    /// Copies a box of texels between images of formats with equally large texels.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] when neither OpenGL ES nor the CPU can.
    pub fn copy_texels(
        &mut self,
        from: &Image,
        from_level: u32,
        area: &Box3,
        to: &Image,
        to_level: u32,
        (x, y, z): (u32, u32, u32),
    ) -> Result<(), BackendError> {
        if area.width == 0 || area.height == 0 || area.depth == 0 {
            return Ok(());
        }
        if !self.dev.gl.has.copy_image {
            return Err(BackendError::Unsupported("a copy between textures".into()));
        }
        let (a, b) = (raw_name(from), raw_name(to));
        let at = [area.x, area.y, area.z].map(|v| v as i32);
        let size = [area.width, area.height, area.depth].map(|v| v as i32);
        self.dev.check_errors("before a copy");
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
        let lost = |e: mgl_core::pipe::table::HandleError| BackendError::Driver(e.to_string());
        match r.kind {
            HandleKind::RENDERBUFFER => self
                .obj
                .renderbuffers
                .get(RenderbufferHandle(r.handle))
                .copied()
                .map_err(lost),
            _ => self
                .obj
                .textures
                .get(TextureHandle(r.handle))
                .map(|t| t.image)
                .map_err(lost),
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
}

/// GL name and target of an image for glCopyImageSubData.
pub fn raw_name(image: &Image) -> (u32, u32) {
    match image.name {
        Name::Texture(name, target) => (name.0.get(), target),
        Name::Renderbuffer(name) => (name.0.get(), glow::RENDERBUFFER),
    }
}
