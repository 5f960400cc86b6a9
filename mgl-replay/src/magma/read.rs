//! Read-backs: pixels of framebuffers, texels of textures, and frames for images. All exact (design: driver 5.7).

use super::Magma;
use super::copy::window_at;
use super::formats::to_rgba8;
use super::objects::Window;
use super::targets::Slice;
use super::textures::copies_of;
use crate::texels::{decode, encode};
use ash::vk;
use mgl_core::format::FormatInfo;
use mgl_core::handle::SurfaceHandle;
use mgl_core::pipe::*;

/// Reverses the order of rows of `row` bytes.
pub fn turn(bytes: &mut [u8], row: usize) {
    let n = bytes.len().checked_div(row).unwrap_or(0);
    for i in 0..n / 2 {
        let (a, b) = bytes.split_at_mut((n - 1 - i) * row);
        a[i * row..(i + 1) * row].swap_with_slice(&mut b[..row]);
    }
}

fn reserve(n: usize) -> Result<Vec<u8>, BackendError> {
    let mut v = Vec::new();
    v.try_reserve_exact(n)
        .map_err(|_| BackendError::OutOfMemory(format!("{n} bytes")))?;
    Ok(v)
}

impl Magma {
    /// A box of texels of a single-sampled image, in the transfer layout of the window's format, rows as they lie.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`].
    pub(super) fn read_box(
        &mut self,
        w: &Window,
        level: u32,
        area: &Box3,
    ) -> Result<Vec<u8>, BackendError> {
        let texels = area.width as usize * area.height as usize * area.depth as usize;
        let mut out = reserve(texels.saturating_mul(w.plan.info.bytes as usize))?;
        if texels == 0 {
            return Ok(out);
        }
        let samples = self.obj.images.get(w.image)?.samples;
        if samples > 1 {
            return Err(BackendError::Unsupported(
                "reading the texels of samples".into(),
            ));
        }
        let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        self.transfer(&[(w.image, layout, false)], &[])?;
        let mut offsets = [0u64; 2];
        let mut total = 0u64;
        for (o, (_, size)) in offsets.iter_mut().zip(copies_of(&w.plan)) {
            *o = total;
            total = (total + texels as u64 * u64::from(size)).next_multiple_of(16);
        }
        let back = self.readback(total)?;
        let image = self.obj.images.get(w.image)?;
        let p = w.place(image.kind, level, area);
        let regions: Vec<vk::BufferImageCopy> = copies_of(&w.plan)
            .zip(offsets)
            .map(|((aspect, _), offset)| vk::BufferImageCopy {
                buffer_offset: offset,
                buffer_row_length: 0,
                buffer_image_height: 0,
                image_subresource: vk::ImageSubresourceLayers {
                    aspect_mask: aspect,
                    ..p.layers
                },
                image_offset: p.offset,
                image_extent: p.extent,
            })
            .collect();
        let raw = image.raw.image;
        let cmd = self.rec.cmd();
        // SAFETY: nothing is rendered; the image is in this layout, the box is inside it, and the buffer holds it.
        unsafe {
            self.gpu
                .device
                .cmd_copy_image_to_buffer(cmd, raw, layout, back, &regions);
        }
        let bytes = self.wait_readback(total)?;
        let mut parts = copies_of(&w.plan)
            .zip(offsets)
            .map(|((_, size), at)| &bytes[at as usize..][..texels * size as usize]);
        let (first, second) = (parts.next().unwrap_or(&[]), parts.next());
        match second {
            Some(stencil) => w.plan.join_from_image(first, stencil, &mut out),
            None => w.plan.from_image(first, &mut out),
        }
        Ok(out)
    }

    /// GetTextureImage.
    ///
    /// # Errors
    ///
    /// As for reading.
    pub(super) fn read_texture(&mut self, g: &GetTextureImage) -> Result<Vec<u8>, BackendError> {
        let w = self.texture_window(g.texture)?;
        if self.obj.images.get(w.image)?.samples > 1 {
            return self.read_sample(&w, g.level, &g.area, g.sample);
        }
        self.read_box(&w, g.level, &g.area)
    }

    /// A slice without samples: itself, or a resolved copy.
    ///
    /// # Errors
    ///
    /// As for storage.
    pub(super) fn single_sampled(&mut self, s: &Slice) -> Result<Slice, BackendError> {
        if self.obj.images.get(s.image)?.samples <= 1 {
            return Ok(*s);
        }
        self.resolve_slice(s)
    }

    /// A rectangle of a slice in the transfer layout of its format, rows from GL's bottom: one sample, or what is resolved.
    /// Pixels outside are zero.
    fn read_rect(
        &mut self,
        s: &Slice,
        sample: Option<u32>,
        (x, y): (i32, i32),
        (width, height): (u32, u32),
    ) -> Result<Vec<u8>, BackendError> {
        let single = match sample {
            Some(n) => self.one_sample(s, n)?,
            None => self.single_sampled(s)?,
        };
        let (extent, flip) = {
            let i = self.obj.images.get(single.image)?;
            (i.extent(single.level), i.flip)
        };
        let size = single.plan.info.bytes as usize;
        let axis = |at: i32, n: u32, most: u32| {
            let low = i64::from(at).clamp(0, i64::from(most));
            let high = (i64::from(at) + i64::from(n)).clamp(low, i64::from(most));
            (low as u32, (high - low) as u32)
        };
        let (left, w) = axis(x, width, extent.width);
        let (low, h) = axis(y, height, extent.height);
        let first = if flip { extent.height - low - h } else { low };
        let area = Box3 {
            x: left,
            y: first,
            z: 0,
            width: w,
            height: h,
            depth: 1,
        };
        let mut inner = self.read_box(&window_at(&single), 0, &area)?;
        if flip {
            turn(&mut inner, w as usize * size);
        }
        if (w, h) == (width, height) {
            return Ok(inner);
        }
        let row = width as usize * size;
        let mut all = reserve(row.saturating_mul(height as usize))?;
        all.resize(row * height as usize, 0);
        let (dx, dy) = (
            (i64::from(left) - i64::from(x)),
            (i64::from(low) - i64::from(y)),
        );
        for (i, line) in inner.chunks_exact((w as usize * size).max(1)).enumerate() {
            let at = (dy as usize + i) * row + dx as usize * size;
            all[at..at + line.len()].copy_from_slice(line);
        }
        Ok(all)
    }

    /// ReadPixels.
    ///
    /// # Errors
    ///
    /// As for reading.
    pub(super) fn read_pixels_of(
        &mut self,
        s: &PushedState,
        r: &ReadPixels,
    ) -> Result<Vec<u8>, BackendError> {
        let info = r
            .format
            .info()
            .ok_or_else(|| BackendError::Driver("a read without format".into()))?;
        let pixels = r.width as usize * r.height as usize;
        if pixels == 0 {
            return Ok(Vec::new());
        }
        let t = self.read_targets(s)?;
        let color = info.is_color();
        let found = if color {
            t.color[0]
        } else if r.buffers.has(BufferMask::DEPTH) {
            t.depth.or(t.stencil)
        } else {
            t.stencil.or(t.depth)
        };
        // GL leaves a read of what is not there undefined; here it is zero.
        let Some(slice) = found else {
            let n = pixels.saturating_mul(info.bytes as usize);
            let mut zeros = reserve(n)?;
            zeros.resize(n, 0);
            return Ok(zeros);
        };
        let own = slice.plan.info;
        if color && own.bytes != info.bytes {
            return Err(BackendError::Driver(format!(
                "a read of {} as {}",
                own.name, info.name
            )));
        }
        let sample = r.by_sample.get().then_some(r.sample);
        let bytes = self.read_rect(&slice, sample, (r.x, r.y), (r.width, r.height))?;
        if color {
            return Ok(bytes);
        }
        let (depth, stencil) = (
            r.buffers.has(BufferMask::DEPTH),
            r.buffers.has(BufferMask::STENCIL),
        );
        if own.format == info.format
            && (depth || !own.has_depth())
            && (stencil || !own.has_stencil())
        {
            return Ok(bytes);
        }
        as_depth_stencil(own, info, &bytes, depth, stencil)
    }

    /// What a Present would show now: width, height, RGBA8 rows, bottom row first.
    ///
    /// # Errors
    ///
    /// As for reading.
    pub(super) fn read_shown(
        &mut self,
        h: SurfaceHandle,
    ) -> Result<(u32, u32, Vec<u8>), BackendError> {
        let image = self.surface_image(h, false, 0)?;
        let (plan, width, height) = {
            let i = self.obj.images.get(image)?;
            (i.plan, i.width, i.height)
        };
        let slice = Slice {
            image,
            plan,
            level: 0,
            layer: 0,
            layers: 1,
        };
        let bytes = self.read_rect(&slice, None, (0, 0), (width, height))?;
        let mut rgba = reserve(width as usize * height as usize * 4)?;
        to_rgba8(plan.info, &bytes, &mut rgba);
        Ok((width, height, rgba))
    }
}

/// Depth and stencil of one format as texels of another; what is not asked for is zero.
fn as_depth_stencil(
    own: &FormatInfo,
    info: &FormatInfo,
    bytes: &[u8],
    depth: bool,
    stencil: bool,
) -> Result<Vec<u8>, BackendError> {
    let texels = bytes.len() / own.bytes as usize;
    let mut out = reserve(texels.saturating_mul(info.bytes as usize))?;
    for p in bytes.chunks_exact(own.bytes as usize) {
        let mut t = decode(own, p);
        if own.has_depth() && !own.has_stencil() {
            t[1] = 0.0;
        }
        if !depth {
            t[0] = 0.0;
        }
        if !stencil {
            t[1] = 0.0;
        }
        encode(info, &t, &mut out);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgl_core::format::Format;

    #[test]
    fn rows_change_places() {
        let mut rows = [1, 1, 2, 2, 3, 3];
        turn(&mut rows, 2);
        assert_eq!(rows, [3, 3, 2, 2, 1, 1]);
        turn(&mut rows, 0);
        assert_eq!(rows, [3, 3, 2, 2, 1, 1]);
    }

    #[test]
    fn depth_and_stencil_are_told_apart() {
        let own = Format::DEPTH24_STENCIL8.info().expect("a format");
        let texel = 0x1234_5678_u32.to_le_bytes();
        let read = |format: Format, d: bool, s: bool| {
            as_depth_stencil(own, format.info().expect("a format"), &texel, d, s)
                .expect("there is memory")
        };
        assert_eq!(read(Format::STENCIL_INDEX8, false, true), [0x78]);
        assert_eq!(
            read(Format::DEPTH24_STENCIL8, true, false),
            0x1234_5600u32.to_le_bytes()
        );
        assert_eq!(
            read(Format::DEPTH24_STENCIL8, false, true),
            0x78u32.to_le_bytes()
        );
    }
}
