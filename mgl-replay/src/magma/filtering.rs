//! Linear filtering of depth (GL 4.6 §8.14 filters depth textures as all others).
//!
//! Vulkan lets a device leave it out, and software devices do not tell of it though they have it: whether it works is
//! found by a probe, when a depth texture is first sampled with a filter. Where it does not, the nearest texel is taken.

use super::Magma;
use super::copy::window_at;
use super::images::Shape;
use super::internal::{BlitConstants, Shader, Source, Values};
use super::objects::{ImageId, Window};
use super::painter::{Input, Paint};
use super::targets::Slice;
use crate::texels::encode;
use ash::vk;
use mgl_core::format::Format;
use mgl_core::pipe::{BackendError, Box3};

impl Magma {
    /// Whether the device filters a depth format linearly, which it does not tell of.
    ///
    /// # Errors
    ///
    /// As for drawing.
    pub(super) fn filters_depth(&mut self, format: Format) -> Result<bool, BackendError> {
        if let Some(known) = self.depth_filters.iter().find(|k| k.0 == format) {
            return Ok(known.1);
        }
        // The layers are right that this is not told of.
        self.gpu.instance.mute_filters(true);
        let filters = self.probe_filter(format);
        let any = self.depth_filters.iter().any(|k| k.1);
        let filters = match filters {
            Ok(f) => f,
            Err(e) => {
                self.gpu.instance.mute_filters(any);
                return Err(e);
            }
        };
        self.gpu.instance.mute_filters(any || filters);
        self.depth_filters.push((format, filters));
        Ok(filters)
    }

    /// Samples between a texel of depth 0 and one of depth 1.
    fn probe_filter(&mut self, format: Format) -> Result<bool, BackendError> {
        let from = self.make_image(&Shape::plain(format, 2, 1))?;
        let to = match self.make_image(&Shape::plain(Format::R32F, 1, 1)) {
            Ok(to) => to,
            Err(e) => {
                self.end_image(from);
                return Err(e);
            }
        };
        let value = self.filtered_middle(from, to);
        self.end_image(from);
        self.end_image(to);
        value.map(|v| (v - 0.5).abs() < 0.1)
    }

    fn filtered_middle(&mut self, from: ImageId, to: ImageId) -> Result<f32, BackendError> {
        let slice = |m: &Self, image: ImageId| {
            m.obj.images.get(image).map(|i| Slice {
                image,
                plan: i.plan,
                level: 0,
                layer: 0,
                layers: 1,
            })
        };
        let (from, to) = (slice(self, from)?, slice(self, to)?);
        let info = from.plan.info;
        let mut texels = Vec::new();
        encode(info, &[0.0, 0.0, 0.0, 1.0], &mut texels);
        encode(info, &[1.0, 0.0, 0.0, 1.0], &mut texels);
        let area = |width| Box3 {
            width,
            height: 1,
            depth: 1,
            ..Box3::default()
        };
        let source: Window = window_at(&from);
        self.put_tight(&source, 0, &area(2), &texels)?;
        let Some(shader) = Shader::blit(Source::Two, Values::Float) else {
            return Ok(0.0);
        };
        let constants = BlitConstants {
            from: [0.0, 0.0, 2.0, 1.0],
            to: [0.0, 0.0, 1.0, 1.0],
            filtered: 1,
            ..BlitConstants::default()
        };
        let input = Input {
            slice: from,
            source: Source::Two,
            aspects: vk::ImageAspectFlags::DEPTH,
            format: from.plan.format,
            linear: true,
        };
        let rect = vk::Rect2D {
            extent: vk::Extent2D {
                width: 1,
                height: 1,
            },
            ..vk::Rect2D::default()
        };
        self.paint(
            &to,
            (to.plan.format, u64::MAX),
            rect,
            Some(shader),
            &[Paint::Color(1)],
            &[bytemuck::bytes_of(&constants)],
            Some(&input),
        )?;
        let read = self.read_box(&window_at(&to), 0, &area(1))?;
        Ok(read.first_chunk().map_or(0.0, |b| f32::from_le_bytes(*b)))
    }
}
