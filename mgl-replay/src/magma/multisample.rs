//! Single samples of multisampled images. Vulkan copies no buffer to or from such images, so each sample is drawn from or
//! to a single-sampled image of the same format ([`super::painter`]), value by value.

use super::Magma;
use super::copy::window_at;
use super::objects::Window;
use super::painter::{Drawn, Samples};
use super::targets::Slice;
use ash::vk;
use mgl_core::handle::*;
use mgl_core::pipe::*;

/// Scratch images: what is read, and what is written.
const READ: u32 = 3;
const WRITTEN: u32 = 4;

/// The samples of `has` that are sample `n` of the `asked` for; where the device has more, they repeat these in turn.
fn mask(has: u32, asked: u32, n: u32) -> u64 {
    (0..has.clamp(1, 64))
        .filter(|i| i % asked.max(1) == n)
        .fold(0, |mask, i| mask | 1 << i)
}

fn whole(width: u32, height: u32) -> [i32; 4] {
    [0, 0, width as i32, height as i32]
}

/// A slice of one level of a window.
fn slice_of(w: &Window, level: u32, layer: u32) -> Slice {
    Slice {
        image: w.image,
        plan: w.plan,
        level: w.first_level + level,
        layer: w.first_layer + layer,
        layers: 1,
    }
}

impl Magma {
    /// A slice that holds one sample of every texel of another.
    ///
    /// # Errors
    ///
    /// As for storage and drawing.
    pub(super) fn one_sample(&mut self, s: &Slice, sample: u32) -> Result<Slice, BackendError> {
        let (extent, flip, samples) = {
            let i = self.obj.images.get(s.image)?;
            (i.extent(s.level), i.flip, i.samples)
        };
        if samples <= 1 {
            return Ok(*s);
        }
        let (width, height) = (extent.width, extent.height);
        let image = self.scratch(s.plan.info.format, width, height, flip, READ)?;
        let to = Slice {
            image,
            level: 0,
            layer: 0,
            layers: 1,
            ..*s
        };
        let drawn = Drawn {
            from: *s,
            to,
            src: whole(width, height),
            dst: whole(width, height),
            visible: vk::Rect2D {
                extent: vk::Extent2D { width, height },
                ..vk::Rect2D::default()
            },
            linear: false,
            raw: true,
            samples: Samples::From(sample % samples),
        };
        self.draw_blits(&drawn, s.plan.aspects)?;
        Ok(to)
    }

    /// A box of one sample, in the transfer layout of the window's format.
    ///
    /// # Errors
    ///
    /// As for storage, drawing and reading.
    pub(super) fn read_sample(
        &mut self,
        w: &Window,
        level: u32,
        area: &Box3,
        sample: u32,
    ) -> Result<Vec<u8>, BackendError> {
        let mut all = Vec::new();
        let flat = Box3 {
            z: 0,
            depth: 1,
            ..*area
        };
        for z in area.z..area.z + area.depth {
            let single = self.one_sample(&slice_of(w, level, z), sample)?;
            all.extend_from_slice(&self.read_box(&window_at(&single), 0, &flat)?);
        }
        Ok(all)
    }

    /// Writes one sample of the texels of boxes, whose first texels are at the start of their bytes, with the strides of `d`.
    ///
    /// # Errors
    ///
    /// As for storage, uploading and drawing.
    pub(super) fn put_sample(
        &mut self,
        (w, asked): (&Window, u32),
        d: &SubData,
        parts: &[(Box3, &[u8])],
    ) -> Result<(), BackendError> {
        let mask = mask(self.obj.images.get(w.image)?.samples, asked, d.sample);
        for (area, bytes) in parts {
            let (width, height) = (area.width, area.height);
            if width == 0 || height == 0 || mask == 0 {
                continue;
            }
            for z in 0..area.depth {
                let image = self.scratch(w.plan.info.format, width, height, false, WRITTEN)?;
                let from = Slice {
                    image,
                    plan: w.plan,
                    level: 0,
                    layer: 0,
                    layers: 1,
                };
                let flat = Box3 {
                    width,
                    height,
                    depth: 1,
                    ..Box3::default()
                };
                let at = (d.image_stride as usize).saturating_mul(z as usize);
                let upload = SubData { level: 0, ..*d };
                let rest = bytes.get(at..).unwrap_or(&[]);
                self.put_texels(&window_at(&from), &upload, &[(flat, rest)])?;
                let (x, y) = (area.x as i32, area.y as i32);
                let drawn = Drawn {
                    from,
                    to: slice_of(w, d.level, area.z + z),
                    src: whole(width, height),
                    dst: [x, y, x + width as i32, y + height as i32],
                    visible: vk::Rect2D {
                        offset: vk::Offset2D { x, y },
                        extent: vk::Extent2D { width, height },
                    },
                    linear: false,
                    raw: true,
                    samples: Samples::To(mask),
                };
                self.draw_blits(&drawn, w.plan.aspects)?;
            }
        }
        Ok(())
    }

    /// Samples that the storage of a resource has, if it has any.
    pub(super) fn samples_of(&self, r: ResourceHandle) -> Option<u32> {
        let image = match r.kind {
            HandleKind::SURFACE => self
                .obj
                .surfaces
                .get(SurfaceHandle(r.handle))
                .ok()?
                .made()?,
            _ => self.window_of(r).ok()?.image,
        };
        Some(self.obj.images.get(image).ok()?.samples)
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
        // A device that has fewer has no place for the last ones.
        assert_eq!([0, 3].map(|n| mask(2, 4, n)), [1, 0]);
        assert_eq!(mask(64, 64, 63), 1 << 63);
    }
}
