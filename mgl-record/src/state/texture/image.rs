//! One image of a texture: a face of a level, with the client's copy of it.

use super::dirty::DirtyRegions;
use super::shadow::Shadow;
use crate::consts::gl::{GL_INVALID_OPERATION, GL_OUT_OF_MEMORY};
use crate::pixel::{self, PixelStore, Resolved};
use mgl_core::pipe::Box3;

/// Shape of an image: texels as the pipe counts them. Layers of an array are slices; the rows of a `GL_TEXTURE_1D_ARRAY`
/// are slices of height 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Slices.
    pub depth: u32,
}

impl Extent {
    /// Whether there are no texels.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.width == 0 || self.height == 0 || self.depth == 0
    }
    /// The whole of it.
    #[must_use]
    pub fn whole(&self) -> Box3 {
        Box3 {
            width: self.width,
            height: self.height,
            depth: self.depth,
            ..Box3::default()
        }
    }
}

/// What fixes the storage of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageSpec {
    /// Texels.
    pub extent: Extent,
    /// Format.
    pub resolved: Resolved,
    /// Samples, 0 for one.
    pub samples: u32,
    /// Sample positions are fixed.
    pub fixed_samples: bool,
}

/// See the module.
pub struct Image {
    spec: ImageSpec,
    /// Tight rows in the format's transfer layout; empty as long as the application gave no texels.
    shadow: Shadow,
    /// The GPU wrote texels that the shadow lacks.
    gpu_written: bool,
    dirty: DirtyRegions,
    /// The blocks as the application gave them, of a compressed image.
    blocks: Option<Vec<u8>>,
}

/// Pixels of the application, on their way in.
#[derive(Clone, Copy)]
pub struct Pixels<'a> {
    /// What the transfer touches.
    pub bytes: &'a [u8],
    /// How it lies there.
    pub store: &'a PixelStore,
    /// `format` argument.
    pub format: u32,
    /// `type` argument.
    pub ty: u32,
}

impl Image {
    /// An image without content.
    #[must_use]
    pub fn new(spec: ImageSpec) -> Self {
        Self {
            spec,
            shadow: Shadow::default(),
            gpu_written: false,
            dirty: DirtyRegions::default(),
            blocks: None,
        }
    }
    /// Its shape and format.
    #[must_use]
    pub fn spec(&self) -> &ImageSpec {
        &self.spec
    }
    /// Texels.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.spec.extent
    }
    /// Format.
    #[must_use]
    pub fn resolved(&self) -> &Resolved {
        &self.spec.resolved
    }
    /// What changed since it was last sent.
    #[must_use]
    pub fn dirty(&self) -> &DirtyRegions {
        &self.dirty
    }
    /// Whether the shadow lacks what the GPU wrote.
    #[must_use]
    pub fn is_gpu_written(&self) -> bool {
        self.gpu_written
    }
    /// Whether there is any content on the client.
    #[must_use]
    pub fn has_shadow(&self) -> bool {
        !self.shadow.is_empty()
    }
    /// The shadow: tight rows; empty when the application gave no texels.
    #[must_use]
    pub fn shadow(&self) -> &[u8] {
        &self.shadow
    }
    /// The compressed blocks, of an image that was given as such and not changed since by other means.
    #[must_use]
    pub fn blocks(&self) -> Option<&[u8]> {
        self.blocks.as_deref()
    }
    /// Bytes of a texel.
    #[must_use]
    pub fn texel_bytes(&self) -> usize {
        self.spec
            .resolved
            .format
            .info()
            .map_or(0, |f| f.bytes as usize)
    }
    /// Bytes of a row of the shadow.
    #[must_use]
    pub fn row_stride(&self) -> usize {
        self.texel_bytes() * self.spec.extent.width as usize
    }
    /// Bytes of a slice of the shadow.
    #[must_use]
    pub fn image_stride(&self) -> usize {
        self.row_stride() * self.spec.extent.height as usize
    }
    /// First byte of a texel in the shadow.
    #[must_use]
    pub fn offset(&self, x: u32, y: u32, z: u32) -> usize {
        z as usize * self.image_stride()
            + y as usize * self.row_stride()
            + x as usize * self.texel_bytes()
    }

    /// Makes sure that there is a shadow to write into.
    fn grow(&mut self) -> Result<(), u32> {
        if self.shadow.is_empty() && !self.spec.extent.is_empty() {
            let e = self.spec.extent;
            let bytes = self
                .spec
                .resolved
                .format
                .image_bytes(e.width, e.height, e.depth)
                .and_then(|b| usize::try_from(b).ok())
                .ok_or(GL_OUT_OF_MEMORY)?;
            self.shadow = Shadow::zeroed(bytes).ok_or(GL_OUT_OF_MEMORY)?;
        }
        Ok(())
    }

    /// Marks a box that the shadow now holds as to be sent.
    pub(super) fn mark(&mut self, area: Box3) {
        if area == self.spec.extent.whole() {
            self.gpu_written = false;
            self.dirty.set(area);
        } else if self.gpu_written {
            // Around the box the shadow is out of date: nothing may be sent but the box itself.
            self.dirty.add_exact(area);
        } else {
            self.dirty.add(area);
        }
    }

    /// Marks everything as to be sent again, if the shadow holds it.
    pub(super) fn mark_all(&mut self) {
        if self.has_shadow() && !self.gpu_written {
            self.dirty.set(self.spec.extent.whole());
        }
    }

    /// Rows of a transfer into `area`: the application sees the slices of a one-dimensional array as rows.
    fn client_extent(area: &Box3, rows_are_slices: bool) -> [u32; 3] {
        if rows_are_slices {
            [area.width, area.depth, 1]
        } else {
            [area.width, area.height, area.depth]
        }
    }

    /// Writes pixels into a box, which the caller has checked to be inside.
    pub(super) fn write(
        &mut self,
        area: Box3,
        pixels: Pixels<'_>,
        rows_are_slices: bool,
    ) -> Result<(), u32> {
        self.grow()?;
        let (row, image) = (self.row_stride(), self.image_stride());
        let at = self.offset(area.x, area.y, area.z);
        let target = self.shadow.get_mut(at..).ok_or(GL_INVALID_OPERATION)?;
        pixel::unpack(
            pixels.bytes,
            pixels.store,
            Self::client_extent(&area, rows_are_slices),
            pixels.format,
            pixels.ty,
            &self.spec.resolved,
            target,
            row,
            image,
        )
        .map_err(pixel::PixelError::gl_error)?;
        self.blocks = None;
        self.mark(area);
        Ok(())
    }

    /// Writes tight texels of the image's own format into a box inside.
    pub(super) fn write_texels(&mut self, area: Box3, bytes: &[u8]) -> Result<(), u32> {
        self.store_texels(area, bytes)?;
        self.blocks = None;
        self.mark(area);
        Ok(())
    }

    fn store_texels(&mut self, area: Box3, bytes: &[u8]) -> Result<(), u32> {
        self.grow()?;
        let row = area.width as usize * self.texel_bytes();
        let mut rows = bytes.chunks_exact(row.max(1));
        for z in area.z..area.z + area.depth {
            for y in area.y..area.y + area.height {
                let at = self.offset(area.x, y, z);
                let (Some(from), Some(to)) = (rows.next(), self.shadow.get_mut(at..at + row))
                else {
                    return Err(GL_INVALID_OPERATION);
                };
                to.copy_from_slice(from);
            }
        }
        Ok(())
    }

    /// Writes compressed blocks into a box, whose place and size the caller has checked.
    pub(super) fn write_blocks(&mut self, area: Box3, bytes: &[u8]) -> Result<(), u32> {
        let code = self.spec.resolved.compressed.ok_or(GL_INVALID_OPERATION)?;
        self.grow()?;
        let (row, image) = (self.row_stride(), self.image_stride());
        let at = self.offset(area.x, area.y, area.z);
        let target = self.shadow.get_mut(at..).ok_or(GL_INVALID_OPERATION)?;
        code.decode(
            bytes,
            [area.width, area.height, area.depth],
            target,
            row,
            image,
        )
        .map_err(pixel::PixelError::gl_error)?;
        self.keep_blocks(area, bytes);
        self.mark(area);
        Ok(())
    }

    /// Keeps the blocks of a box beside the decoded texels, for glGetCompressedTexImage.
    fn keep_blocks(&mut self, area: Box3, bytes: &[u8]) {
        let e = self.spec.extent;
        let Some(code) = self.spec.resolved.compressed else {
            return;
        };
        let Some(total) = code.image_bytes(e.width, e.height, e.depth) else {
            return;
        };
        let block = code.block_bytes();
        let side = pixel::compressed::BLOCK;
        let across = |n: u32| n.div_ceil(side) as usize;
        let kept = self.blocks.get_or_insert_with(|| vec![0; total]);
        let row = across(area.width) * block;
        let mut rows = bytes.chunks_exact(row.max(1));
        for z in area.z as usize..(area.z + area.depth) as usize {
            for y in 0..across(area.height) {
                let line = z * across(e.height) + (area.y / side) as usize + y;
                let at = (line * across(e.width) + (area.x / side) as usize) * block;
                if let (Some(from), Some(to)) = (rows.next(), kept.get_mut(at..at + row)) {
                    to.copy_from_slice(from);
                }
            }
        }
    }

    /// The GPU writes into the image: by drawing, copying, making mipmaps.
    #[inline]
    pub(super) fn mark_gpu_written(&mut self) {
        if !self.gpu_written {
            self.gpu_written = true;
            self.blocks = None;
        }
    }

    /// Takes the whole content as the GPU has it.
    pub(super) fn reconcile(&mut self, bytes: &[u8]) -> Result<(), u32> {
        self.store_texels(self.spec.extent.whole(), bytes)?;
        self.gpu_written = false;
        Ok(())
    }

    /// The marks were sent.
    pub(super) fn sent(&mut self) {
        self.dirty.clear();
    }
}
