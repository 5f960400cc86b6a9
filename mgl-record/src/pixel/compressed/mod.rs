//! Block formats: sizes, checks, and decoding to plain texels.
//!
//! No compressed texel crosses the pipe (design page 3.7). The specifications of S3TC and RGTC leave
//! the last bit open; it is decoded here as by Mesa's decoder in software, which widens the ends of a
//! block by repeating bits and drops the fractions between them. BPTC is exact by specification.

mod rgtc;
mod s3tc;

use super::PixelError;

/// A block compression. All of them have blocks of 4 x 4 texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// S3TC DXT1 without alpha.
    Dxt1Rgb,
    /// S3TC DXT1 with one bit of alpha.
    Dxt1Rgba,
    /// S3TC DXT3: DXT1 colours with four bits of alpha.
    Dxt3,
    /// S3TC DXT5: DXT1 colours with interpolated alpha.
    Dxt5,
    /// RGTC of one component; LATC has the same blocks.
    Rgtc1,
    /// Signed RGTC of one component.
    Rgtc1Signed,
    /// RGTC of two components.
    Rgtc2,
    /// Signed RGTC of two components.
    Rgtc2Signed,
    /// BPTC of four 8-bit components.
    Bc7,
    /// BPTC of three unsigned half floats.
    Bc6h,
    /// BPTC of three signed half floats.
    Bc6hSigned,
}

/// Width and height of a block in texels.
pub const BLOCK: u32 = 4;

impl Compression {
    /// Whether it is one of the S3TC family.
    pub fn is_s3tc(self) -> bool {
        matches!(
            self,
            Compression::Dxt1Rgb | Compression::Dxt1Rgba | Compression::Dxt3 | Compression::Dxt5
        )
    }

    /// Whether three-dimensional textures can have it: BPTC only (OpenGL 4.6, table 8.17). Array
    /// textures and cube maps can have all.
    pub fn allows_3d(self) -> bool {
        matches!(
            self,
            Compression::Bc7 | Compression::Bc6h | Compression::Bc6hSigned
        )
    }

    /// Bytes of a block.
    pub fn block_bytes(self) -> usize {
        match self {
            Compression::Dxt1Rgb
            | Compression::Dxt1Rgba
            | Compression::Rgtc1
            | Compression::Rgtc1Signed => 8,
            _ => 16,
        }
    }

    /// Bytes of a decoded texel: those of the format that the internal format resolves to.
    fn texel_bytes(self) -> usize {
        match self {
            Compression::Rgtc1 | Compression::Rgtc1Signed => 1,
            Compression::Rgtc2 | Compression::Rgtc2Signed => 2,
            Compression::Dxt1Rgb => 3,
            Compression::Dxt1Rgba | Compression::Dxt3 | Compression::Dxt5 | Compression::Bc7 => 4,
            Compression::Bc6h | Compression::Bc6hSigned => 6,
        }
    }

    /// Bytes of an image of `width` x `height` x `depth` texels, blocks at its edges being whole;
    /// `None` where that exceeds the address space.
    pub fn image_bytes(self, width: u32, height: u32, depth: u32) -> Option<usize> {
        let bytes = (width.div_ceil(BLOCK) as usize)
            .checked_mul(height.div_ceil(BLOCK) as usize)?
            .checked_mul(depth as usize)?
            .checked_mul(self.block_bytes())?;
        // Slices end at half the address space.
        isize::try_from(bytes).is_ok().then_some(bytes)
    }

    /// Checks the `imageSize` of `glCompressedTexImage*` and `glCompressedTexSubImage*` (OpenGL
    /// 4.6, 8.7).
    ///
    /// # Errors
    ///
    /// [`PixelError::InvalidValue`] where it is not the size of such an image.
    pub fn check_size(
        self,
        width: u32,
        height: u32,
        depth: u32,
        size: i32,
    ) -> Result<(), PixelError> {
        if usize::try_from(size).ok() == self.image_bytes(width, height, depth) {
            Ok(())
        } else {
            Err(PixelError::InvalidValue("imageSize does not fit the image"))
        }
    }

    /// Checks the place of a sub-image in a level of `level` texels: it starts at blocks, and ends
    /// at blocks or at the level's end (OpenGL 4.6, 8.7, and the formats' extensions).
    ///
    /// # Errors
    ///
    /// [`PixelError::InvalidValue`] where it leaves the level, [`PixelError::InvalidOperation`]
    /// where it cuts blocks.
    pub fn check_place(
        self,
        level: [u32; 2],
        offset: [i32; 2],
        size: [u32; 2],
    ) -> Result<(), PixelError> {
        for axis in 0..2 {
            let outside = PixelError::InvalidValue("the sub-image leaves the level");
            let start = u32::try_from(offset[axis]).map_err(|_| outside)?;
            let end = start.checked_add(size[axis]).ok_or(outside)?;
            if end > level[axis] {
                return Err(outside);
            }
            if start % BLOCK != 0 || (end % BLOCK != 0 && end != level[axis]) {
                return Err(PixelError::InvalidOperation("the sub-image cuts blocks"));
            }
        }
        Ok(())
    }

    /// Decodes an image to texels of the format that the internal format resolves to, in the
    /// transfer layout, rows `row_stride` and images `image_stride` bytes apart.
    ///
    /// # Errors
    ///
    /// [`PixelError::TooLarge`] and [`PixelError::OutOfBounds`] for sizes that memory does not have.
    pub fn decode(
        self,
        source: &[u8],
        extent: [u32; 3],
        target: &mut [u8],
        row_stride: usize,
        image_stride: usize,
    ) -> Result<(), PixelError> {
        let [width, height, depth] = extent;
        if width == 0 || height == 0 || depth == 0 {
            return Ok(());
        }
        let needed = self
            .image_bytes(width, height, depth)
            .ok_or(PixelError::TooLarge)?;
        if needed > source.len() {
            return Err(PixelError::OutOfBounds {
                side: "source",
                needed,
                given: source.len(),
            });
        }
        let texel = self.texel_bytes();
        let row_bytes = (width as usize)
            .checked_mul(texel)
            .ok_or(PixelError::TooLarge)?;
        let needed = image_stride
            .checked_mul(depth as usize - 1)
            .zip(row_stride.checked_mul(height as usize - 1))
            .and_then(|(images, rows)| images.checked_add(rows)?.checked_add(row_bytes))
            .ok_or(PixelError::TooLarge)?;
        if needed > target.len() {
            return Err(PixelError::OutOfBounds {
                side: "target",
                needed,
                given: target.len(),
            });
        }
        let mut blocks = source.chunks_exact(self.block_bytes());
        // The largest texel has six bytes.
        let mut decoded = [0; 6 * 16];
        let decoded = &mut decoded[..16 * texel];
        let block = BLOCK as usize;
        for z in 0..depth as usize {
            for y in (0..height as usize).step_by(block) {
                for x in (0..width as usize).step_by(block) {
                    // There are as many as have been counted above.
                    let Some(next) = blocks.next() else {
                        return Ok(());
                    };
                    self.decode_block(next, decoded);
                    let columns = block.min(width as usize - x) * texel;
                    let rows = block.min(height as usize - y);
                    for (row, texels) in decoded.chunks_exact(block * texel).take(rows).enumerate()
                    {
                        let at = z * image_stride + (y + row) * row_stride + x * texel;
                        target[at..at + columns].copy_from_slice(&texels[..columns]);
                    }
                }
            }
        }
        Ok(())
    }

    /// Decodes one block to sixteen texels, row by row.
    fn decode_block(self, block: &[u8], texels: &mut [u8]) {
        match self {
            Compression::Dxt1Rgb => s3tc::dxt1_rgb(block, texels),
            Compression::Dxt1Rgba => s3tc::dxt1_rgba(block, texels),
            Compression::Dxt3 => s3tc::dxt3(block, texels),
            Compression::Dxt5 => s3tc::dxt5(block, texels),
            Compression::Rgtc1 => rgtc::unsigned(block, texels, 1, 0),
            Compression::Rgtc1Signed => rgtc::signed(block, texels, 1, 0),
            Compression::Rgtc2 => {
                rgtc::unsigned(&block[..8], texels, 2, 0);
                rgtc::unsigned(&block[8..], texels, 2, 1);
            }
            Compression::Rgtc2Signed => {
                rgtc::signed(&block[..8], texels, 2, 0);
                rgtc::signed(&block[8..], texels, 2, 1);
            }
            Compression::Bc7 => bcdec_rs::bc7(block, texels, 16),
            Compression::Bc6h | Compression::Bc6hSigned => {
                let mut halves = [0u16; 48];
                bcdec_rs::bc6h_half(block, &mut halves, 12, self == Compression::Bc6hSigned);
                for (bytes, half) in texels.chunks_exact_mut(2).zip(halves) {
                    bytes.copy_from_slice(&half.to_le_bytes());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consts::gl::*;
    use crate::pixel::{Profile, resolve};
    use proptest::prelude::*;

    const ALL: [Compression; 11] = [
        Compression::Dxt1Rgb,
        Compression::Dxt1Rgba,
        Compression::Dxt3,
        Compression::Dxt5,
        Compression::Rgtc1,
        Compression::Rgtc1Signed,
        Compression::Rgtc2,
        Compression::Rgtc2Signed,
        Compression::Bc7,
        Compression::Bc6h,
        Compression::Bc6hSigned,
    ];

    #[test]
    fn decoded_texels_have_the_resolved_format() {
        let mut seen = 0;
        for internal in resolve::texture_formats(Profile::Compatibility) {
            let resolved = resolve(internal, Profile::Compatibility).expect("it is listed");
            if let Some(compression) = resolved.compressed {
                let bytes = resolved.format.row_bytes(1);
                assert_eq!(
                    bytes,
                    Some(compression.texel_bytes() as u64),
                    "{internal:#x}"
                );
                seen += 1;
            }
        }
        assert_eq!(seen, 20);
    }

    #[test]
    fn sizes_count_whole_blocks() {
        let dxt1 = Compression::Dxt1Rgb;
        assert_eq!(dxt1.image_bytes(1, 1, 1), Some(8));
        assert_eq!(dxt1.image_bytes(4, 4, 1), Some(8));
        assert_eq!(dxt1.image_bytes(5, 4, 3), Some(48));
        assert_eq!(Compression::Bc7.image_bytes(5, 9, 1), Some(2 * 3 * 16));
        assert_eq!(dxt1.image_bytes(0, 4, 1), Some(0));
        assert_eq!(dxt1.image_bytes(u32::MAX, u32::MAX, u32::MAX), None);
        assert_eq!(dxt1.check_size(5, 4, 1, 16), Ok(()));
        for size in [-16, 0, 8, 15, 17, 24] {
            let error = dxt1.check_size(5, 4, 1, size).map_err(PixelError::gl_error);
            assert_eq!(error, Err(GL_INVALID_VALUE), "{size}");
        }
    }

    #[test]
    fn sub_images_keep_to_blocks() {
        let place = |offset, size| {
            Compression::Dxt5
                .check_place([10, 8], offset, size)
                .map_err(PixelError::gl_error)
        };
        assert_eq!(place([0, 0], [10, 8]), Ok(()));
        assert_eq!(place([4, 4], [4, 4]), Ok(()));
        assert_eq!(place([8, 0], [2, 4]), Ok(()), "the level ends there");
        assert_eq!(place([4, 0], [2, 4]), Err(GL_INVALID_OPERATION));
        assert_eq!(place([2, 0], [8, 4]), Err(GL_INVALID_OPERATION));
        assert_eq!(place([8, 0], [4, 4]), Err(GL_INVALID_VALUE));
        assert_eq!(place([-4, 0], [4, 4]), Err(GL_INVALID_VALUE));
        assert_eq!(place([4, 4], [u32::MAX, 4]), Err(GL_INVALID_VALUE));
    }

    #[test]
    fn edges_are_cut_and_gaps_kept() {
        // Red only, then green only: two blocks of DXT1 beside each other, 6 x 3 texels of them.
        let block = |color: u16| {
            let mut bytes = [0; 8];
            bytes[..2].copy_from_slice(&color.to_le_bytes());
            bytes
        };
        let source = [block(0xf800), block(0x07e0)].concat();
        let mut target = [7; 2 * 70];
        Compression::Dxt1Rgb
            .decode(
                &[&source[..], &source].concat(),
                [6, 3, 2],
                &mut target,
                20,
                70,
            )
            .expect("room for all");
        for z in 0..2 {
            for y in 0..3 {
                let row = &target[z * 70 + y * 20..][..20];
                assert_eq!(row[..12], [255, 0, 0].repeat(4));
                assert_eq!(row[12..18], [0, 255, 0].repeat(2));
                assert_eq!(row[18..], [7; 2]);
            }
        }
        let short = Compression::Dxt1Rgb.decode(&source[..15], [6, 3, 1], &mut target, 20, 70);
        assert!(matches!(
            short,
            Err(PixelError::OutOfBounds {
                side: "source",
                needed: 16,
                ..
            })
        ));
        let short = Compression::Dxt1Rgb.decode(&source, [6, 3, 1], &mut target[..57], 20, 70);
        assert!(matches!(
            short,
            Err(PixelError::OutOfBounds {
                side: "target",
                needed: 58,
                ..
            })
        ));
    }

    proptest! {
        #[test]
        fn any_block_decodes(which in 0usize..11, block in prop::collection::vec(any::<u8>(), 16)) {
            let compression = ALL[which];
            let mut target = vec![0; 16 * compression.texel_bytes()];
            let row = 4 * compression.texel_bytes();
            prop_assert_eq!(
                compression.decode(&block, [4, 4, 1], &mut target, row, 4 * row),
                Ok(())
            );
            if matches!(compression, Compression::Bc6h) {
                for half in target.chunks_exact(2) {
                    prop_assert!(half[1] & 0x80 == 0, "unsigned floats have no sign");
                }
            }
        }

        #[test]
        fn no_size_panics(
            which in 0usize..11,
            extent in prop::array::uniform3(prop_oneof![0u32..9, any::<u32>()]),
            strides in (any::<usize>(), any::<usize>()),
        ) {
            let mut target = [0; 64];
            let _ = ALL[which].decode(&[0; 64], extent, &mut target, strides.0, strides.1);
        }
    }
}
