//! How the driver reads depths of 24 bits ([`crate::depth_unit`]), found by drawing some.

use super::objects::Image;
use super::painter::{Painting, Samples, Values};
use super::read::Area;
use super::storage::Shape;
use super::work::Work;
use crate::depth_unit::{AS_READ, PROBES, UNITS, are_probes, is_wide, probe_texels};
use mgl_core::format::Format;
use mgl_core::pipe::render_state::Scissor;
use mgl_core::pipe::{BackendError, Box3};

impl Work<'_> {
    /// How depths of an image are drawn.
    ///
    /// # Errors
    ///
    /// As for storage, drawing and reading.
    pub fn depth_unit(&mut self, source: &Image) -> Result<f32, BackendError> {
        if !is_wide(source.plan.info.format) {
            return Ok(AS_READ);
        }
        if let Some(known) = self.obj.painter.depth_unit {
            return Ok(known);
        }
        let unit = self.probe_depths();
        self.obj.painter.depth_unit = unit.as_ref().ok().copied();
        unit
    }

    fn probe_depths(&mut self) -> Result<f32, BackendError> {
        let shape = Shape {
            target: glow::TEXTURE_2D,
            format: Format::DEPTH_COMPONENT24,
            width: PROBES.len() as u32,
            height: 1,
            depth: 1,
            levels: 1,
            samples: 0,
            fixed_locations: true,
            zero: false,
        };
        let from = self.make_image(&shape)?;
        let to = match self.make_image(&shape) {
            Ok(to) => to,
            Err(e) => {
                self.end_image(&from);
                return Err(e);
            }
        };
        let unit = self.unit_between(&from, &to);
        self.end_image(&from);
        self.end_image(&to);
        unit
    }

    /// The way of drawing in which depths stay what they are.
    fn unit_between(&mut self, from: &Image, to: &Image) -> Result<f32, BackendError> {
        let row = Box3 {
            width: from.width,
            height: 1,
            depth: 1,
            ..Box3::default()
        };
        self.put_tight(from, 0, &row, &probe_texels())?;
        let painting = Painting {
            values: Values::Depth,
            place: [1, 1, 0, 0],
            scissor: Scissor {
                enable: true.into(),
                x: 0,
                y: 0,
                width: from.width,
                height: 1,
            },
            srgb: false,
            samples: Samples::From(0),
        };
        for unit in UNITS {
            // The draw takes what is known.
            self.obj.painter.depth_unit = Some(unit);
            self.paint_values(from, &(*to, 0, 0), &painting)?;
            if are_probes(&self.read_slice(to, 0, 0, &Area::from(&row))?) {
                return Ok(unit);
            }
        }
        Ok(AS_READ)
    }
}
