//! RGTC blocks (OpenGL 4.6, D.1), which LATC and the alpha of DXT5 share.

/// The three-bit codes of the sixteen texels of a block.
pub(super) fn codes(block: &[u8]) -> impl Iterator<Item = usize> + use<> {
    let mut bits = [0; 8];
    bits[..6].copy_from_slice(&block[2..8]);
    let bits = u64::from_le_bytes(bits);
    (0..16).map(move |i| (bits >> (3 * i)) as usize & 7)
}

/// The eight values that codes choose from: six between two ends, or four and the limits where the
/// first end is not larger.
pub(super) fn interpolate(first: i32, second: i32, least: i32, most: i32) -> [i32; 8] {
    std::array::from_fn(|code| {
        let code = code as i32;
        match code {
            0 => first,
            1 => second,
            _ if first > second => (first * (8 - code) + second * (code - 1)) / 7,
            6 => least,
            7 => most,
            _ => (first * (6 - code) + second * (code - 1)) / 5,
        }
    })
}

/// Decodes one component into every `step`th byte from `first` on.
pub(super) fn unsigned(block: &[u8], texels: &mut [u8], step: usize, first: usize) {
    let values = interpolate(i32::from(block[0]), i32::from(block[1]), 0, 255);
    for (texel, code) in texels.chunks_exact_mut(step).zip(codes(block)) {
        texel[first] = values[code] as u8;
    }
}

/// Decodes one signed component into every `step`th byte from `first` on. The least value is
/// written as -127, which means -1 as well as -128 does.
pub(super) fn signed(block: &[u8], texels: &mut [u8], step: usize, first: usize) {
    let (a, b) = (block[0] as i8, block[1] as i8);
    let values = interpolate(i32::from(a), i32::from(b), -127, 127);
    for (texel, code) in texels.chunks_exact_mut(step).zip(codes(block)) {
        texel[first] = values[code].max(-127) as i8 as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes 0 to 7, twice.
    const CODES: [u8; 6] = [0x88, 0xc6, 0xfa, 0x88, 0xc6, 0xfa];

    fn block(first: u8, second: u8) -> Vec<u8> {
        [&[first, second][..], &CODES].concat()
    }

    #[test]
    fn codes_are_three_bits_each() {
        let all: Vec<usize> = codes(&block(0, 0)).collect();
        assert_eq!(all, [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn values_between_the_ends() {
        let mut texels = [0; 16];
        unsigned(&block(255, 0), &mut texels, 1, 0);
        assert_eq!(texels[..8], [255, 0, 218, 182, 145, 109, 72, 36]);
        unsigned(&block(0, 255), &mut texels, 1, 0);
        assert_eq!(texels[..8], [0, 255, 51, 102, 153, 204, 0, 255]);
        let as_signed = |texels: &[u8]| texels.iter().map(|&t| t as i8).collect::<Vec<_>>();
        signed(&block(127, -127i8 as u8), &mut texels, 1, 0);
        assert_eq!(
            as_signed(&texels[..8]),
            [127, -127, 90, 54, 18, -18, -54, -90]
        );
        signed(&block(-127i8 as u8, 127), &mut texels, 1, 0);
        assert_eq!(
            as_signed(&texels[..8]),
            [-127, 127, -76, -25, 25, 76, -127, 127]
        );
    }

    #[test]
    fn components_interleave() {
        let mut texels = [9; 32];
        unsigned(&block(10, 20), &mut texels, 2, 1);
        assert_eq!(texels[..4], [9, 10, 9, 20]);
    }
}
