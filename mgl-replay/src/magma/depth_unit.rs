//! How the device reads depths of 24 bits ([`crate::depth_unit`]), found by drawing some.

use super::Magma;
use super::copy::window_at;
use super::images::Shape;
use super::objects::ImageId;
use super::painter::{Drawn, Samples};
use super::targets::Slice;
use crate::depth_unit::{AS_READ, PROBES, UNITS, are_probes, is_wide, probe_texels};
use ash::vk;
use mgl_core::format::Format;
use mgl_core::pipe::{BackendError, Box3};

impl Magma {
    /// How depths of a format are drawn.
    ///
    /// # Errors
    ///
    /// As for storage, drawing and reading.
    pub(super) fn depth_unit(&mut self, format: Format) -> Result<f32, BackendError> {
        if !is_wide(format) {
            return Ok(AS_READ);
        }
        if let Some(known) = self.depth_units.iter().find(|k| k.0 == format) {
            return Ok(known.1);
        }
        let unit = self.probe_depths(format);
        self.depth_units.retain(|k| k.0 != format);
        let unit = unit?;
        self.depth_units.push((format, unit));
        Ok(unit)
    }

    fn probe_depths(&mut self, format: Format) -> Result<f32, BackendError> {
        let shape = Shape::plain(format, PROBES.len() as u32, 1);
        let from = self.make_image(&shape)?;
        let to = match self.make_image(&shape) {
            Ok(to) => to,
            Err(e) => {
                self.end_image(from);
                return Err(e);
            }
        };
        let unit = self.unit_between(format, from, to);
        self.end_image(from);
        self.end_image(to);
        unit
    }

    /// The way of drawing in which depths stay what they are.
    fn unit_between(
        &mut self,
        format: Format,
        from: ImageId,
        to: ImageId,
    ) -> Result<f32, BackendError> {
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
        let width = PROBES.len() as u32;
        let row = Box3 {
            width,
            height: 1,
            depth: 1,
            ..Box3::default()
        };
        self.put_tight(&window_at(&from), 0, &row, &probe_texels())?;
        let drawn = Drawn {
            from,
            to,
            src: [0, 0, width as i32, 1],
            dst: [0, 0, width as i32, 1],
            visible: vk::Rect2D {
                extent: vk::Extent2D { width, height: 1 },
                ..vk::Rect2D::default()
            },
            linear: false,
            raw: true,
            samples: Samples::From(0),
        };
        for unit in UNITS {
            // The draw takes what is known.
            self.depth_units.retain(|k| k.0 != format);
            self.depth_units.push((format, unit));
            self.draw_blit(&drawn, vk::ImageAspectFlags::DEPTH)?;
            if are_probes(&self.read_box(&window_at(&to), 0, &row)?) {
                return Ok(unit);
            }
        }
        Ok(AS_READ)
    }
}
