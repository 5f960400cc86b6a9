//! Images: storage of texels, and the views of it.
//!
//! Row 0 of an image is the row that GL calls y = 0, of textures and framebuffer objects; the buffers of surfaces are
//! stored as windows are, the uppermost row first ([`Image::flip`]), so that rasterisation rounds as it does for a
//! program that draws into its window. Storage whose content nothing defines starts as zero (an alpha that was added as
//! one), so that a replay shows the same as the live run.

use super::Magma;
use super::formats::Plan;
use super::gpu::Gpu;
use super::instance::error;
use super::memory::RawImage;
use super::objects::ImageId;
use super::recorder::{Access, Garbage};
use ash::vk;
use mgl_core::format::{ComponentClass, Format};
use mgl_core::pipe::{BackendError, ResourceDesc, ResourceFlags, StorageKind, Target};

/// What is to be made.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// One, two or three dimensions.
    pub kind: vk::ImageType,
    /// Format.
    pub format: Format,
    /// Texels.
    pub width: u32,
    /// Texels.
    pub height: u32,
    /// Texels; 1 but for three dimensions.
    pub depth: u32,
    /// Layers or faces.
    pub layers: u32,
    /// Levels.
    pub levels: u32,
    /// Samples, 0 or 1 for single-sampled.
    pub samples: u32,
    /// Faces can be seen as cube maps.
    pub cube: bool,
    /// It may be seen in other formats.
    pub mutable: bool,
    /// Content is filled with zero.
    pub zero: bool,
    /// Rows lie from the top.
    pub flip: bool,
}

impl Shape {
    /// A plain single-sampled image of two dimensions.
    pub fn plain(format: Format, width: u32, height: u32) -> Self {
        Self {
            kind: vk::ImageType::TYPE_2D,
            format,
            width: width.max(1),
            height: height.max(1),
            depth: 1,
            layers: 1,
            levels: 1,
            samples: 1,
            cube: false,
            mutable: false,
            zero: false,
            flip: false,
        }
    }

    /// Of a texture or renderbuffer.
    pub fn of(d: &ResourceDesc) -> Self {
        let (kind, height, depth) = match d.target {
            Target::TEXTURE_1D | Target::TEXTURE_1D_ARRAY => (vk::ImageType::TYPE_1D, 1, 1),
            Target::TEXTURE_3D => (vk::ImageType::TYPE_3D, d.height, d.depth),
            _ => (vk::ImageType::TYPE_2D, d.height, 1),
        };
        let layers = if kind == vk::ImageType::TYPE_3D {
            1
        } else {
            d.layers.max(1)
        };
        Self {
            kind,
            format: d.format,
            width: d.width.max(1),
            height: height.max(1),
            depth: depth.max(1),
            layers,
            levels: d.levels.max(1),
            samples: d.samples,
            cube: kind == vk::ImageType::TYPE_2D
                && d.samples <= 1
                && d.width == d.height
                && layers >= 6,
            mutable: d.storage == StorageKind::IMMUTABLE && d.target != Target::RENDERBUFFER,
            zero: !d.flags.has(ResourceFlags::DEFINED),
            flip: false,
        }
    }
}

/// What a view shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ViewKey {
    /// Vulkan's format.
    pub format: vk::Format,
    /// Kind of the view.
    pub kind: vk::ImageViewType,
    /// Aspects.
    pub aspects: vk::ImageAspectFlags,
    /// First level.
    pub first_level: u32,
    /// Levels.
    pub levels: u32,
    /// First layer.
    pub first_layer: u32,
    /// Layers.
    pub layers: u32,
    /// Component sources, red to alpha.
    pub swizzle: [vk::ComponentSwizzle; 4],
    /// It is drawn to, not sampled.
    pub attach: bool,
}

/// The mapping that changes nothing.
pub const IDENTITY: [vk::ComponentSwizzle; 4] = [vk::ComponentSwizzle::IDENTITY; 4];

/// An image.
#[derive(Debug)]
pub struct Image {
    /// Vulkan's image and its memory.
    pub raw: RawImage,
    /// How its format is stored.
    pub plan: Plan,
    /// Dimensions.
    pub kind: vk::ImageType,
    /// Texels of level 0.
    pub width: u32,
    /// Texels of level 0.
    pub height: u32,
    /// Texels of level 0; 1 but for three dimensions.
    pub depth: u32,
    /// Layers or faces.
    pub layers: u32,
    /// Levels.
    pub levels: u32,
    /// Samples, 1 for single-sampled.
    pub samples: u32,
    /// Rows lie from the top.
    pub flip: bool,
    /// It can be sampled.
    pub sampled: bool,
    /// Present layout of all of it.
    pub layout: vk::ImageLayout,
    /// Accesses.
    pub access: Access,
    /// Textures that use it.
    pub users: u32,
    views: Vec<(ViewKey, vk::ImageView)>,
}

impl Image {
    /// Columns, rows and slices of a level.
    pub fn extent(&self, level: u32) -> vk::Extent3D {
        let at = |v: u32| v.checked_shr(level).unwrap_or(0).max(1);
        vk::Extent3D {
            width: at(self.width),
            height: at(self.height),
            depth: at(self.depth),
        }
    }
}

impl Image {
    /// All that is to end with it.
    pub fn into_garbage(self) -> impl Iterator<Item = Garbage> {
        let views = self.views.into_iter().map(|v| Garbage::View(v.1));
        views.chain([Garbage::Image(self.raw)])
    }
}

/// All images, by number.
#[derive(Default)]
pub struct Images {
    slots: Vec<Option<Image>>,
    /// Views made so far.
    pub views_made: u64,
    /// Images made so far.
    pub made: u64,
}

impl Images {
    /// An image.
    ///
    /// # Errors
    ///
    /// When it ended.
    #[inline]
    pub fn get(&self, id: ImageId) -> Result<&Image, BackendError> {
        self.slots
            .get(id.0 as usize)
            .and_then(Option::as_ref)
            .ok_or_else(|| BackendError::Driver("an image that has ended".into()))
    }

    /// An image.
    ///
    /// # Errors
    ///
    /// When it ended.
    #[inline]
    pub fn get_mut(&mut self, id: ImageId) -> Result<&mut Image, BackendError> {
        self.slots
            .get_mut(id.0 as usize)
            .and_then(Option::as_mut)
            .ok_or_else(|| BackendError::Driver("an image that has ended".into()))
    }

    fn insert(&mut self, image: Image) -> ImageId {
        self.made += 1;
        let at = match self.slots.iter().position(Option::is_none) {
            Some(at) => at,
            None => {
                self.slots.push(None);
                self.slots.len() - 1
            }
        };
        self.slots[at] = Some(image);
        ImageId(at as u32)
    }

    /// Takes an image out.
    pub fn take(&mut self, id: ImageId) -> Option<Image> {
        self.slots.get_mut(id.0 as usize).and_then(Option::take)
    }

    /// Takes all images out.
    pub fn take_all(&mut self) -> Vec<Image> {
        std::mem::take(&mut self.slots)
            .into_iter()
            .flatten()
            .collect()
    }

    /// A view of an image, made when first asked for.
    ///
    /// # Errors
    ///
    /// Vulkan's.
    pub fn view(
        &mut self,
        gpu: &Gpu,
        id: ImageId,
        key: &ViewKey,
    ) -> Result<vk::ImageView, BackendError> {
        let image = self.get(id)?;
        if let Some(found) = image.views.iter().find(|v| v.0 == *key) {
            return Ok(found.1);
        }
        let usage = match (key.attach, image.plan.info.is_color()) {
            (false, _) => vk::ImageUsageFlags::SAMPLED,
            (true, true) => vk::ImageUsageFlags::COLOR_ATTACHMENT,
            (true, false) => vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
        };
        let mut usage = vk::ImageViewUsageCreateInfo::default().usage(usage);
        let [r, g, b, a] = key.swizzle;
        let info = vk::ImageViewCreateInfo::default()
            .image(image.raw.image)
            .view_type(key.kind)
            .format(key.format)
            .components(vk::ComponentMapping { r, g, b, a })
            .subresource_range(vk::ImageSubresourceRange {
                aspect_mask: key.aspects,
                base_mip_level: key.first_level,
                level_count: key.levels,
                base_array_layer: key.first_layer,
                layer_count: key.layers,
            })
            .push_next(&mut usage);
        // SAFETY: the image lives; ranges are inside it.
        let view = unsafe { gpu.device.create_image_view(&info, None) }
            .map_err(|e| error("a view of an image", e))?;
        self.views_made += 1;
        self.get_mut(id)?.views.push((*key, view));
        Ok(view)
    }
}

/// The sample count flag of a number.
pub fn sample_flag(samples: u32) -> vk::SampleCountFlags {
    vk::SampleCountFlags::from_raw(samples.max(1).next_power_of_two())
}

impl Magma {
    /// Makes an image.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] for a format or kind that the device lacks, [`BackendError::OutOfMemory`].
    pub(super) fn make_image(&mut self, shape: &Shape) -> Result<ImageId, BackendError> {
        let plan = self.gpu.plan(shape.format)?;
        if shape.samples > 1 && !plan.renderable {
            return Err(BackendError::Unsupported(format!(
                "{} with samples",
                shape.format
            )));
        }
        let mut usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        let features = self
            .gpu
            .format_features(plan.format)
            .optimal_tiling_features;
        if features.contains(vk::FormatFeatureFlags::SAMPLED_IMAGE) {
            usage |= vk::ImageUsageFlags::SAMPLED;
        }
        if plan.renderable {
            usage |= if plan.info.is_color() {
                vk::ImageUsageFlags::COLOR_ATTACHMENT
            } else {
                vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT
            };
        }
        let mut flags = vk::ImageCreateFlags::empty();
        if shape.cube {
            flags |= vk::ImageCreateFlags::CUBE_COMPATIBLE;
        }
        if shape.mutable && plan.info.is_color() || has_curve(plan.format) {
            flags |= vk::ImageCreateFlags::MUTABLE_FORMAT;
        }
        if shape.kind == vk::ImageType::TYPE_3D && plan.renderable {
            flags |= vk::ImageCreateFlags::TYPE_2D_ARRAY_COMPATIBLE;
        }
        // SAFETY: a plain question.
        let properties = unsafe {
            self.gpu
                .instance
                .raw
                .get_physical_device_image_format_properties(
                    self.gpu.physical,
                    plan.format,
                    shape.kind,
                    vk::ImageTiling::OPTIMAL,
                    usage,
                    flags,
                )
        };
        let what = || {
            format!(
                "{} of {}x{}x{}, {} layers, {} levels, {} samples",
                shape.format,
                shape.width,
                shape.height,
                shape.depth,
                shape.layers,
                shape.levels,
                shape.samples
            )
        };
        let properties = properties.map_err(|e| match e {
            vk::Result::ERROR_FORMAT_NOT_SUPPORTED => BackendError::Unsupported(what()),
            e => error(&what(), e),
        })?;
        let most = properties.max_extent;
        if shape.width > most.width
            || shape.height > most.height
            || shape.depth > most.depth
            || shape.layers > properties.max_array_layers
            || shape.levels > properties.max_mip_levels
        {
            return Err(BackendError::OutOfMemory(what()));
        }
        let samples = most_fitting(properties.sample_counts, shape.samples);
        let info = vk::ImageCreateInfo::default()
            .flags(flags)
            .image_type(shape.kind)
            .format(plan.format)
            .extent(vk::Extent3D {
                width: shape.width,
                height: shape.height,
                depth: shape.depth,
            })
            .mip_levels(shape.levels)
            .array_layers(shape.layers)
            .samples(sample_flag(samples))
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(usage)
            .initial_layout(vk::ImageLayout::UNDEFINED);
        let raw = self.mem.image(&self.gpu, &info)?;
        let id = self.obj.images.insert(Image {
            raw,
            plan,
            kind: shape.kind,
            width: shape.width,
            height: shape.height,
            depth: shape.depth,
            layers: shape.layers,
            levels: shape.levels,
            samples,
            flip: shape.flip,
            sampled: usage.contains(vk::ImageUsageFlags::SAMPLED),
            layout: vk::ImageLayout::UNDEFINED,
            access: Access::default(),
            users: 0,
            views: Vec::new(),
        });
        if shape.zero {
            self.zero_image(id)?;
        }
        Ok(id)
    }

    /// Fills all of an image with zero; an alpha that was added with one.
    fn zero_image(&mut self, id: ImageId) -> Result<(), BackendError> {
        let layout = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
        let written = self.write_image(id)?;
        let cmd = written.0;
        let image = self.obj.images.get(id)?;
        let range = [vk::ImageSubresourceRange {
            aspect_mask: image.plan.aspects,
            base_mip_level: 0,
            level_count: vk::REMAINING_MIP_LEVELS,
            base_array_layer: 0,
            layer_count: vk::REMAINING_ARRAY_LAYERS,
        }];
        let one = image.plan.write_mask() != 0b1111;
        // SAFETY: the image is in this layout, and nothing is rendered.
        unsafe {
            if image.plan.info.is_color() {
                let value = match image.plan.info.class {
                    ComponentClass::Sint | ComponentClass::Uint => vk::ClearColorValue {
                        uint32: [0, 0, 0, one.into()],
                    },
                    _ => vk::ClearColorValue {
                        float32: [0.0, 0.0, 0.0, if one { 1.0 } else { 0.0 }],
                    },
                };
                let d = &self.gpu.device;
                d.cmd_clear_color_image(cmd, image.raw.image, layout, &value, &range);
            } else {
                self.gpu.device.cmd_clear_depth_stencil_image(
                    cmd,
                    image.raw.image,
                    layout,
                    &vk::ClearDepthStencilValue::default(),
                    &range,
                );
            }
        }
        self.wrote_image(id, written)
    }

    /// A user of an image ends; the image goes with the last one.
    pub(super) fn release_image(&mut self, id: ImageId) {
        let last = match self.obj.images.get_mut(id) {
            Ok(i) => {
                i.users = i.users.saturating_sub(1);
                i.users == 0
            }
            Err(_) => false,
        };
        if last {
            self.end_image(id);
        }
        self.obj.moved();
    }

    /// An image ends once the GPU is done with it.
    pub(super) fn end_image(&mut self, id: ImageId) {
        self.forget_attachment(id);
        if let Some(image) = self.obj.images.take(id) {
            self.counters.images_ended += 1;
            for g in image.into_garbage() {
                self.rec.discard(g);
            }
        }
    }
}

/// Whether a format has a counterpart with or without sRGB encoding, as which it may be seen.
fn has_curve(f: vk::Format) -> bool {
    matches!(f, vk::Format::R8G8B8A8_UNORM | vk::Format::R8G8B8A8_SRGB)
}

/// The smallest count that is enough, or the largest there is.
fn most_fitting(counts: vk::SampleCountFlags, wanted: u32) -> u32 {
    if wanted <= 1 {
        return 1;
    }
    let offered = [2u32, 4, 8, 16, 32, 64]
        .into_iter()
        .filter(|n| counts.as_raw() & n != 0);
    offered
        .clone()
        .find(|n| *n >= wanted)
        .or(offered.max())
        .unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sample_counts_are_rounded_up() {
        let have = vk::SampleCountFlags::TYPE_1 | vk::SampleCountFlags::TYPE_4;
        assert_eq!(most_fitting(have, 0), 1);
        assert_eq!(most_fitting(have, 2), 4);
        assert_eq!(most_fitting(have, 8), 4);
        assert_eq!(most_fitting(vk::SampleCountFlags::TYPE_1, 4), 1);
    }
}
