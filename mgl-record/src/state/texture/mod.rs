//! Textures (GL 4.6 chapter 8): parameters, images, and what they are on the pipe.
//!
//! - [`target`]: the targets;
//! - [`image`]: a face of a level with its shadow, [`shadow`] and [`dirty`] below it;
//! - [`shape`]: the storage that the images add up to, as the pipe describes it;
//! - [`complete`][]: completeness;
//! - [`units`]: a context's texture units and pixel store state.
//!
//! Nothing is pushed here but the end of a texture; [`crate::tracker::textures`] sends what changed when a verb needs it.

pub mod complete;
pub mod dirty;
pub mod image;
pub mod shadow;
pub mod shape;
pub mod target;
pub mod units;

use super::buffer::Buffer;
use super::dirty::{TextureContent, TextureParams};
use super::{Id, References, Token, sampler};
use crate::consts::gl::*;
use crate::pipe::Pipe;
use crate::pixel::Resolved;
use crate::tracker::textures::{Sampled, SampledKey};
use mgl_core::handle::TextureHandle;
use mgl_core::pipe::{Box3, Call, ResourceOnly, SamplerDesc};

pub use image::{Extent, Image, ImageSpec, Pixels};
pub use target::{ImageTarget, TextureTarget};
pub use units::{TextureState, Unit};

/// Levels that an image may have at most: side 2^15 and one.
pub const MAX_LEVELS: u32 = 16;

/// Parameters of a texture object (GL 4.6 §8.10).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// `GL_TEXTURE_BASE_LEVEL`
    pub base_level: u32,
    /// `GL_TEXTURE_MAX_LEVEL`
    pub max_level: u32,
    /// `GL_TEXTURE_SWIZZLE_RGBA`
    pub swizzle: [u32; 4],
    /// `GL_DEPTH_STENCIL_TEXTURE_MODE`
    pub depth_stencil_mode: u32,
    /// `GL_DEPTH_TEXTURE_MODE` of the compatibility profile: what depth becomes; `GL_RED` in the core profile.
    pub depth_mode: u32,
    /// `GL_GENERATE_MIPMAP` of the compatibility profile.
    pub generate_mipmap: bool,
    /// `GL_TEXTURE_PRIORITY` of the compatibility profile; means nothing.
    pub priority: f32,
    /// The texture's own sampler.
    pub sampler: SamplerDesc,
}

impl Parameters {
    fn initial(target: TextureTarget, compatibility: bool) -> Self {
        Self {
            base_level: 0,
            max_level: 1000,
            swizzle: [GL_RED, GL_GREEN, GL_BLUE, GL_ALPHA],
            depth_stencil_mode: GL_DEPTH_COMPONENT,
            depth_mode: if compatibility { GL_LUMINANCE } else { GL_RED },
            generate_mipmap: false,
            priority: 1.0,
            sampler: if target == TextureTarget::Rectangle {
                sampler::initial_rectangle()
            } else {
                sampler::initial()
            },
        }
    }
}

/// The buffer that a buffer texture reads (GL 4.6 §8.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexelBuffer {
    /// The buffer.
    pub buffer: Id<Buffer>,
    /// Format of a texel.
    pub resolved: Resolved,
}

/// A texture.
pub struct Texture {
    name: u32,
    target: TextureTarget,
    handle: TextureHandle,
    params: Parameters,
    /// By level and face.
    images: Vec<Option<Box<Image>>>,
    immutable_levels: Option<u32>,
    texel_buffer: Option<TexelBuffer>,
    /// Images changed since [`crate::tracker::textures`] last sent them.
    stale: bool,
    /// What it is on the pipe, until it changes.
    sampled: Option<(SampledKey, Sampled)>,
}

impl Texture {
    /// A texture without images. `compatibility` is the profile of the context that first binds it.
    pub fn new(name: u32, target: TextureTarget, compatibility: bool, pipe: &mut Pipe) -> Self {
        Self {
            name,
            target,
            handle: pipe.mint(),
            params: Parameters::initial(target, compatibility),
            images: Vec::new(),
            immutable_levels: None,
            texel_buffer: None,
            stale: true,
            sampled: None,
        }
    }
    /// Something of its images has changed.
    fn changed(&mut self) {
        self.stale = true;
        self.sampled = None;
    }
    /// What it is on the pipe, if nothing has changed since that was found out.
    #[inline]
    #[must_use]
    pub fn sampled(&self) -> Option<&(SampledKey, Sampled)> {
        self.sampled.as_ref()
    }
    /// Remembers what it is on the pipe. Not for buffer textures: their buffer changes without them.
    pub fn remember_sampled(&mut self, key: SampledKey, sampled: Sampled) {
        if self.target != TextureTarget::Buffer {
            self.sampled = Some((key, sampled));
        }
    }
    /// The application's name; 0 for a default texture.
    #[must_use]
    pub fn name(&self) -> u32 {
        self.name
    }
    /// What it is.
    #[must_use]
    pub fn target(&self) -> TextureTarget {
        self.target
    }
    /// Its handle, which may not be live on the pipe yet.
    #[must_use]
    pub fn handle(&self) -> TextureHandle {
        self.handle
    }
    /// Its parameters.
    #[must_use]
    pub fn params(&self) -> &Parameters {
        &self.params
    }
    /// Replaces the parameters.
    pub fn set_params(&mut self, params: Parameters, _: Token<TextureParams>) {
        // The base level takes part in the shape of the storage.
        self.stale |= params.base_level != self.params.base_level;
        self.sampled = None;
        self.params = params;
    }
    /// Levels of immutable storage, if it has such.
    #[must_use]
    pub fn immutable_levels(&self) -> Option<u32> {
        self.immutable_levels
    }
    /// The buffer of a buffer texture.
    #[must_use]
    pub fn texel_buffer(&self) -> Option<&TexelBuffer> {
        self.texel_buffer.as_ref()
    }
    /// Sets the buffer of a buffer texture.
    pub fn set_texel_buffer(&mut self, b: Option<TexelBuffer>, _: Token<TextureContent>) {
        self.texel_buffer = b;
        self.changed();
    }

    fn slot(&self, level: u32, face: usize) -> usize {
        level as usize * self.target.faces() + face
    }
    /// An image, if it is specified. Those without texels count as unspecified.
    #[must_use]
    pub fn image(&self, level: u32, face: usize) -> Option<&Image> {
        self.images.get(self.slot(level, face))?.as_deref()
    }
    fn image_mut(&mut self, level: u32, face: usize) -> Option<&mut Image> {
        let slot = self.slot(level, face);
        self.images.get_mut(slot)?.as_deref_mut()
    }
    /// Levels for which there may be images.
    #[must_use]
    pub fn level_count(&self) -> u32 {
        (self.images.len() / self.target.faces()) as u32
    }
    fn put(&mut self, level: u32, face: usize, image: Option<Box<Image>>) {
        let slot = self.slot(level, face);
        if self.images.len() <= slot {
            let whole = (level as usize + 1) * self.target.faces();
            self.images.resize_with(whole, || None);
        }
        self.images[slot] = image;
        self.changed();
    }

    /// glTexImage*: specifies an image anew. Without pixels its content is undefined; an extent without texels takes the
    /// image away.
    ///
    /// # Errors
    ///
    /// `GL_OUT_OF_MEMORY`, or what the transfer reports; then the texture is as it was.
    pub fn specify(
        &mut self,
        level: u32,
        face: usize,
        spec: ImageSpec,
        pixels: Option<Pixels<'_>>,
        _: Token<TextureContent>,
    ) -> Result<(), u32> {
        if spec.extent.is_empty() {
            self.put(level, face, None);
            return Ok(());
        }
        let rows_are_slices = self.target == TextureTarget::D1Array;
        // The same shape again: the memory is there already.
        let mut reused = self
            .image_mut(level, face)
            .filter(|i| *i.spec() == spec && pixels.is_some());
        if let (Some(image), Some(pixels)) = (&mut reused, pixels) {
            image.write(spec.extent.whole(), pixels, rows_are_slices)?;
            self.changed();
            return Ok(());
        }
        let mut image = Image::new(spec);
        if let Some(pixels) = pixels {
            image.write(spec.extent.whole(), pixels, rows_are_slices)?;
        }
        self.put(level, face, Some(Box::new(image)));
        Ok(())
    }

    /// glCompressedTexImage*: specifies an image by blocks.
    ///
    /// # Errors
    ///
    /// `GL_OUT_OF_MEMORY`; then the texture is as it was.
    pub fn specify_blocks(
        &mut self,
        level: u32,
        face: usize,
        spec: ImageSpec,
        blocks: Option<&[u8]>,
        _: Token<TextureContent>,
    ) -> Result<(), u32> {
        let mut image = Image::new(spec);
        if let Some(blocks) = blocks.filter(|_| !spec.extent.is_empty()) {
            image.write_blocks(spec.extent.whole(), blocks)?;
        }
        let there = !spec.extent.is_empty();
        self.put(level, face, there.then(|| Box::new(image)));
        Ok(())
    }

    /// glTexSubImage*: writes into an image; the area was checked to be inside.
    ///
    /// # Errors
    ///
    /// `GL_INVALID_OPERATION` without an image, or what the transfer reports.
    pub fn write(
        &mut self,
        level: u32,
        face: usize,
        area: Box3,
        pixels: Pixels<'_>,
        _: Token<TextureContent>,
    ) -> Result<(), u32> {
        let rows_are_slices = self.target == TextureTarget::D1Array;
        self.changed();
        self.image_mut(level, face)
            .ok_or(GL_INVALID_OPERATION)?
            .write(area, pixels, rows_are_slices)
    }

    /// Writes tight texels in the image's own format into an image.
    ///
    /// # Errors
    ///
    /// As for [`Texture::write`].
    pub fn write_texels(
        &mut self,
        level: u32,
        face: usize,
        area: Box3,
        bytes: &[u8],
        _: Token<TextureContent>,
    ) -> Result<(), u32> {
        self.changed();
        self.image_mut(level, face)
            .ok_or(GL_INVALID_OPERATION)?
            .write_texels(area, bytes)
    }

    /// glCompressedTexSubImage*: writes blocks into an image; place and size were checked.
    ///
    /// # Errors
    ///
    /// As for [`Texture::write`].
    pub fn write_blocks(
        &mut self,
        level: u32,
        face: usize,
        area: Box3,
        blocks: &[u8],
        _: Token<TextureContent>,
    ) -> Result<(), u32> {
        self.changed();
        self.image_mut(level, face)
            .ok_or(GL_INVALID_OPERATION)?
            .write_blocks(area, blocks)
    }

    /// glTexStorage*: immutable storage of `levels` levels (GL 4.6 §8.19). Parameters and images start anew.
    pub fn set_storage(&mut self, levels: u32, spec: ImageSpec, _: Token<TextureContent>) {
        self.images.clear();
        self.changed();
        for level in 0..levels {
            let spec = ImageSpec {
                extent: shape::level_extent(self.target, spec.extent, level),
                ..spec
            };
            for face in 0..self.target.faces() {
                self.put(level, face, Some(Box::new(Image::new(spec))));
            }
        }
        self.immutable_levels = Some(levels);
    }

    /// Makes the levels after the base level of the base level's kind, as mipmap generation does (GL 4.6 §8.14.4).
    /// Returns first and last level, or `None` where there is nothing to make.
    pub fn make_chain(&mut self, _: Token<TextureContent>) -> Option<(u32, u32)> {
        let base = self.base_level();
        let first = self.image(base, 0)?;
        let spec = *first.spec();
        let last = self.last_level()?;
        for level in base + 1..=last {
            let spec = ImageSpec {
                extent: shape::level_extent(self.target, spec.extent, level - base),
                ..spec
            };
            for face in 0..self.target.faces() {
                if self.image(level, face).is_none_or(|i| *i.spec() != spec) {
                    self.put(level, face, Some(Box::new(Image::new(spec))));
                }
                if let Some(image) = self.image_mut(level, face) {
                    image.sent();
                    image.mark_gpu_written();
                }
            }
        }
        (last > base).then_some((base, last))
    }

    /// The GPU writes into an image: a face, or slices of it.
    #[inline]
    pub fn mark_gpu_written(&mut self, level: u32, face: usize) {
        if let Some(image) = self.image_mut(level, face) {
            image.mark_gpu_written();
        }
    }

    /// The GPU's content of an image, read back.
    ///
    /// # Errors
    ///
    /// `GL_OUT_OF_MEMORY`.
    pub fn reconcile(&mut self, level: u32, face: usize, bytes: &[u8]) -> Result<(), u32> {
        match self.image_mut(level, face) {
            Some(image) => image.reconcile(bytes),
            None => Ok(()),
        }
    }

    /// Whether something may have to be sent.
    #[inline]
    #[must_use]
    pub fn is_stale(&self) -> bool {
        self.stale || self.target == TextureTarget::Buffer
    }
    /// Everything was sent.
    pub fn refreshed(&mut self) {
        self.stale = false;
    }
    /// The marks of an image were sent.
    pub fn sent(&mut self, level: u32, face: usize) {
        if let Some(image) = self.image_mut(level, face) {
            image.sent();
        }
    }
    /// The server lost a level: what the client has of it is to be sent again.
    pub fn resend(&mut self, level: u32) {
        for face in 0..self.target.faces() {
            if let Some(image) = self.image_mut(level, face) {
                image.mark_all();
            }
        }
    }

    /// Ends it on the pipe. Its views must be gone.
    pub fn destroy(self, pipe: &mut Pipe) {
        if pipe.resource(self.handle).is_some() {
            pipe.push(Call::ResourceDestroy {
                p: &ResourceOnly {
                    resource: self.handle.into(),
                    ..ResourceOnly::default()
                },
            });
        }
        pipe.release(self.handle);
    }
    /// Adds what it refers to: the buffer of a buffer texture.
    pub fn references(&self, refs: &mut References) {
        refs.buffers.extend(self.texel_buffer.map(|b| b.buffer));
    }
}
