//! Single samples of multisampled images. OpenGL ES neither uploads nor reads them, so each is drawn from or to a
//! single-sampled texture of the same format ([`super::painter`]), value by value.

use super::blit::Place;
use super::objects::{Image, Name, Objects};
use super::painter::{Painting, Samples, Values};
use super::read::Area;
use super::storage::Shape;
use super::work::Work;
use mgl_core::format::{ComponentClass, FormatInfo};
use mgl_core::handle::*;
use mgl_core::pipe::render_state::Scissor;
use mgl_core::pipe::*;

/// What is drawn of a format.
fn values(info: &FormatInfo) -> &'static [Values] {
    match info.class {
        ComponentClass::Depth => &[Values::Depth],
        ComponentClass::Stencil => &[Values::Stencil],
        ComponentClass::DepthStencil => &[Values::Depth, Values::Stencil],
        ComponentClass::Sint => &[Values::Sint],
        ComponentClass::Uint => &[Values::Uint],
        _ => &[Values::Float],
    }
}

/// The samples of `has` that are sample `n` of the `asked` for; where the driver has more, they repeat these in turn.
fn mask(has: u32, asked: u32, n: u32) -> u32 {
    (0..has.clamp(1, 32))
        .filter(|i| i % asked.max(1) == n)
        .fold(0, |mask, i| mask | 1 << i)
}

/// Whether uploads and reads of an image name a sample.
pub fn is_multisampled(image: &Image) -> bool {
    let target = match image.name {
        Name::Texture(_, target) => target,
        Name::Renderbuffer(_) => glow::RENDERBUFFER,
    };
    let multisampled = [
        glow::TEXTURE_2D_MULTISAMPLE,
        glow::TEXTURE_2D_MULTISAMPLE_ARRAY,
    ];
    // A texture may be one of a single sample.
    image.samples > 1 || multisampled.contains(&target)
}

impl Work<'_> {
    /// A texture that holds one sample of every texel of a slice.
    ///
    /// # Errors
    ///
    /// As for storage and drawing.
    pub fn one_sample(&mut self, from: &Place, sample: u32) -> Result<Image, BackendError> {
        let (image, ..) = from;
        if image.samples <= 1 {
            return self.single_copy(from, glow::TEXTURE_2D);
        }
        let (source, upside_down) = self.paint_source(from)?;
        let single = self.make_image(&plain(image, image.width, image.height));
        let done = single.and_then(|single| {
            let place = if upside_down {
                [1, -1, 0, image.height as i32 - 1]
            } else {
                [1, 1, 0, 0]
            };
            let samples = Samples::From(sample % image.samples);
            match self.paint_all(&source, &(single, 0, 0), place, samples) {
                Ok(()) => Ok(single),
                Err(e) => {
                    self.end_image(&single);
                    Err(e)
                }
            }
        });
        self.end_image(&source);
        done
    }

    /// A box of one sample, in the format's transfer layout.
    ///
    /// # Errors
    ///
    /// As for storage, drawing and reading.
    pub fn read_sample(
        &mut self,
        image: &Image,
        area: &Box3,
        sample: u32,
    ) -> Result<Vec<u8>, BackendError> {
        let a = Area::from(area);
        let mut all = Vec::new();
        if a.pixels() == 0 {
            return Ok(all);
        }
        for z in area.z..area.z + area.depth {
            let single = self.one_sample(&(*image, 0, z), sample)?;
            let bytes = self.read_slice(&single, 0, 0, &a);
            self.end_image(&single);
            all.extend_from_slice(&bytes?);
        }
        Ok(all)
    }

    /// Writes one sample of the texels of a box, whose first texel is at the start of `bytes`, with the strides of `d`.
    ///
    /// # Errors
    ///
    /// As for storage, uploading and drawing.
    pub fn put_sample(
        &mut self,
        (image, asked): (&Image, u32),
        d: &SubData,
        area: &Box3,
        bytes: &[u8],
    ) -> Result<(), BackendError> {
        let mask = mask(image.samples, asked, d.sample);
        if area.width == 0 || area.height == 0 || area.depth == 0 || mask == 0 {
            return Ok(());
        }
        let source = self.make_image(&plain(image, area.width, area.height))?;
        let mut done = Ok(());
        for z in 0..area.depth {
            let at = (d.image_stride as usize).saturating_mul(z as usize);
            let flat = Box3 {
                width: area.width,
                height: area.height,
                depth: 1,
                ..Box3::default()
            };
            let upload = SubData { level: 0, ..*d };
            let place = [1, 1, -(area.x as i32), -(area.y as i32)];
            let to = (*image, 0, area.z + z);
            done = self
                .put_texels(&source, &upload, &flat, bytes.get(at..).unwrap_or(&[]))
                .and_then(|()| self.paint_all(&source, &to, place, Samples::To(mask)));
            if done.is_err() {
                break;
            }
        }
        self.end_image(&source);
        done
    }

    /// Draws all that a format has over the pixels whose sources lie inside.
    fn paint_all(
        &mut self,
        source: &Image,
        to: &Place,
        place: [i32; 4],
        samples: Samples,
    ) -> Result<(), BackendError> {
        let scissor = Scissor {
            enable: true.into(),
            x: 0,
            y: 0,
            width: to.0.width,
            height: to.0.height,
        };
        for &values in values(source.plan.info) {
            let painting = Painting {
                values,
                place,
                scissor,
                // Texels of sRGB formats are decoded when they are read.
                srgb: source.plan.info.srgb,
                samples,
            };
            self.paint_values(source, to, &painting)?;
        }
        Ok(())
    }
}

impl Objects {
    /// Samples that the storage of a resource has, if it has any.
    pub fn samples_of(&self, r: ResourceHandle) -> Option<u32> {
        let image = match r.kind {
            HandleKind::SURFACE => {
                return self.surfaces.get(SurfaceHandle(r.handle)).ok()?.samples();
            }
            HandleKind::RENDERBUFFER => {
                self.renderbuffers.get(RenderbufferHandle(r.handle)).ok()?
            }
            _ => &self.textures.get(TextureHandle(r.handle)).ok()?.image,
        };
        Some(image.samples)
    }
}

/// A texture without samples, in the format of an image.
fn plain(image: &Image, width: u32, height: u32) -> Shape {
    Shape {
        target: glow::TEXTURE_2D,
        format: image.plan.info.format,
        width,
        height,
        depth: 1,
        levels: 1,
        samples: 0,
        fixed_locations: true,
        zero: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_beyond_those_asked_for_repeat_them() {
        assert_eq!([0, 1, 2, 3].map(|n| mask(4, 4, n)), [1, 2, 4, 8]);
        assert_eq!([0, 1].map(|n| mask(4, 2, n)), [0b0101, 0b1010]);
        assert_eq!([0, 1, 2].map(|n| mask(4, 3, n)), [0b1001, 0b0010, 0b0100]);
        // A driver that has fewer has no place for the last ones.
        assert_eq!([0, 3].map(|n| mask(2, 4, n)), [1, 0]);
        assert_eq!(mask(0, 1, 0), 1);
    }
}
