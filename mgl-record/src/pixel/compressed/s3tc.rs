//! S3TC blocks (EXT_texture_compression_s3tc).

use super::rgtc::interpolate;

/// The two colours of a block, and a code of two bits a texel.
fn colors(block: &[u8]) -> ([u16; 2], u32) {
    let word = |at: usize| u16::from_le_bytes([block[at], block[at + 1]]);
    let codes = u32::from(word(4)) | (u32::from(word(6)) << 16);
    ([word(0), word(2)], codes)
}

/// A 5-6-5 colour as three bytes, high bits repeated in the low ones.
fn expand(color: u16) -> [u16; 3] {
    let (r, g, b) = (color >> 11, (color >> 5) & 63, color & 31);
    [
        (r << 3) | (r >> 2),
        (g << 2) | (g >> 4),
        (b << 3) | (b >> 2),
    ]
}

/// The four colours that codes choose from, with alpha. `opaque` blocks always interpolate two
/// colours; others have one and black, without alpha, where the first colour is not larger.
fn palette([first, second]: [u16; 2], opaque: bool) -> [[u8; 4]; 4] {
    let (c0, c1) = (expand(first), expand(second));
    let mix = |by: &dyn Fn(u16, u16) -> u16| {
        let [r, g, b] = std::array::from_fn(|i| by(c0[i], c1[i]) as u8);
        [r, g, b, 255]
    };
    let two = [mix(&|a, _| a), mix(&|_, b| b)];
    if opaque || first > second {
        [
            two[0],
            two[1],
            mix(&|a, b| (2 * a + b) / 3),
            mix(&|a, b| (a + 2 * b) / 3),
        ]
    } else {
        [two[0], two[1], mix(&|a, b| (a + b).div_ceil(2)), [0; 4]]
    }
}

/// Writes the colours of a block into texels of `N` bytes, alpha where there is room for it.
fn write_colors<const N: usize>(block: &[u8], opaque: bool, texels: &mut [u8]) {
    let (ends, codes) = colors(block);
    let palette = palette(ends, opaque);
    for (i, texel) in texels.chunks_exact_mut(N).enumerate() {
        let color = palette[(codes >> (2 * i)) as usize & 3];
        texel.copy_from_slice(&color[..N]);
    }
}

/// DXT1 to red, green and blue.
pub(super) fn dxt1_rgb(block: &[u8], texels: &mut [u8]) {
    write_colors::<3>(block, false, texels);
}

/// DXT1 to red, green, blue and alpha.
pub(super) fn dxt1_rgba(block: &[u8], texels: &mut [u8]) {
    write_colors::<4>(block, false, texels);
}

/// DXT3 to red, green, blue and alpha.
pub(super) fn dxt3(block: &[u8], texels: &mut [u8]) {
    write_colors::<4>(&block[8..], true, texels);
    for (i, texel) in texels.chunks_exact_mut(4).enumerate() {
        texel[3] = ((block[i / 2] >> (4 * (i % 2))) & 15) * 17;
    }
}

/// DXT5 to red, green, blue and alpha.
pub(super) fn dxt5(block: &[u8], texels: &mut [u8]) {
    write_colors::<4>(&block[8..], true, texels);
    let values = interpolate(i32::from(block[0]), i32::from(block[1]), 0, 255);
    for (texel, code) in texels.chunks_exact_mut(4).zip(super::rgtc::codes(block)) {
        texel[3] = values[code] as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Colours, then codes 0, 1, 2, 3 in the first row and 0 elsewhere.
    fn block(first: u16, second: u16) -> [u8; 8] {
        let (a, b) = (first.to_le_bytes(), second.to_le_bytes());
        [a[0], a[1], b[0], b[1], 0b11_10_01_00, 0, 0, 0]
    }

    #[test]
    fn four_colours_or_three_and_black() {
        let mut texels = [0; 64];
        dxt1_rgba(&block(0xf800, 0x001f), &mut texels);
        assert_eq!(
            texels[..16],
            [
                255, 0, 0, 255, 0, 0, 255, 255, 170, 0, 85, 255, 85, 0, 170, 255
            ]
        );
        dxt1_rgba(&block(0x001f, 0xf800), &mut texels);
        assert_eq!(
            texels[..16],
            [0, 0, 255, 255, 255, 0, 0, 255, 128, 0, 128, 255, 0, 0, 0, 0]
        );
        let mut texels = [9; 48];
        dxt1_rgb(&block(0x001f, 0xf800), &mut texels);
        assert_eq!(texels[..12], [0, 0, 255, 255, 0, 0, 128, 0, 128, 0, 0, 0]);
        // Equal colours count as not larger.
        dxt1_rgb(&block(0xffff, 0xffff), &mut texels);
        assert_eq!(texels[9..12], [0, 0, 0]);
    }

    #[test]
    fn alpha_of_four_bits() {
        let mut bytes = [0; 16];
        bytes[0] = 0xf1;
        bytes[7] = 0x80;
        bytes[8..].copy_from_slice(&block(0x001f, 0xf800));
        let mut texels = [0; 64];
        dxt3(&bytes, &mut texels);
        assert_eq!(
            (texels[3], texels[7], texels[59], texels[63]),
            (17, 255, 0, 136)
        );
        // The order of the colours does not matter here.
        assert_eq!(texels[8..11], [85, 0, 170]);
    }

    #[test]
    fn alpha_between_two() {
        let mut bytes = [0; 16];
        bytes[..2].copy_from_slice(&[70, 0]);
        // Codes 0 to 7 in the first eight texels.
        bytes[2..5].copy_from_slice(&[0x88, 0xc6, 0xfa]);
        let mut texels = [0; 64];
        dxt5(&bytes, &mut texels);
        let alpha: Vec<u8> = texels.chunks_exact(4).take(8).map(|t| t[3]).collect();
        assert_eq!(alpha, [70, 0, 60, 50, 40, 30, 20, 10]);
        bytes[..2].copy_from_slice(&[0, 70]);
        dxt5(&bytes, &mut texels);
        let alpha: Vec<u8> = texels.chunks_exact(4).take(8).map(|t| t[3]).collect();
        assert_eq!(alpha, [0, 70, 14, 28, 42, 56, 0, 255]);
    }
}
