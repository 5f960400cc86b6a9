//! Depths of 24 bits as shaders see them. They are parts of 2^24 - 1, and where a driver reads one, it gives the nearest float,
//! or the product with a reciprocal that is rounded before, or with one of 2^24. Each can be told back exactly, where it is
//! known which it is: a back end finds that by a probe, when such a depth is first drawn.

use mgl_core::format::Format;

/// What a shader takes off the product with 2^24, as a part of it: of the nearest float, and of the two products. The second
/// is just below 2^-23, so that no half is left to round.
pub const UNITS: [f32; 3] = [1.0 / 16_777_216.0, 1.0f32.next_down() / 8_388_608.0, 0.0];

/// Said of depths that are drawn as they are read.
pub const AS_READ: f32 = -1.0;

/// Depths to probe with: the largest, and such as the three ways tell apart.
pub const PROBES: [u32; 8] = [
    0xFF_FFFF, 0xF5_19F7, 0xC0_0000, 0xBF_FFFF, 0x80_0000, 0x7F_4C6F, 0x3B_559C, 0x01_0101,
];

/// A format with depths of 24 bits.
pub fn is_wide(format: Format) -> bool {
    [Format::DEPTH_COMPONENT24, Format::DEPTH24_STENCIL8].contains(&format)
}

/// The probes as texels to upload; as wide fixed point they repeat their upper bits, of which a stencil value takes the place.
pub fn probe_texels() -> Vec<u8> {
    let wide = PROBES.map(|v| v << 8 | v >> 16);
    wide.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// Whether texels that were read have the probes' depths.
pub fn are_probes(texels: &[u8]) -> bool {
    let depths = texels.as_chunks::<4>().0.iter();
    depths.map(|t| u32::from_le_bytes(*t) >> 8).eq(PROBES)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the shaders do.
    fn drawn(d: f32, unit: f32) -> f32 {
        if d >= 1.0 {
            return d;
        }
        let u = d * 16_777_216.0;
        let part = (u - u * unit).round_ties_even() / 16_777_216.0;
        part + part * 6.0e-8
    }

    #[test]
    fn every_depth_is_told_back_whichever_way_it_was_read() {
        let most = f64::from(0xFF_FFFFu32);
        let read = [
            |v: u32| (f64::from(v) / f64::from(0xFF_FFFFu32)) as f32,
            |v: u32| v as f32 * (1.0 / f64::from(0xFF_FFFFu32)) as f32,
            |v: u32| v as f32 / 16_777_216.0,
        ];
        for v in (0..1u32 << 24).step_by(61).chain(PROBES) {
            for (read, unit) in read.iter().zip(UNITS) {
                // The last but one of the rounded products is 1, as the last.
                if v == 0xFF_FFFE && read(v) >= 1.0 {
                    continue;
                }
                let d = drawn(read(v), unit);
                assert_eq!(d, (f64::from(v) / most) as f32, "{v:#x}");
                // Where it is written, with a product that is rounded or cut off.
                assert_eq!((d * most as f32) as u32, v, "{v:#x}");
            }
        }
        // Each probe tells of its own way alone.
        for (i, read) in read.iter().enumerate() {
            for (j, unit) in UNITS.into_iter().enumerate() {
                let kept = |v: u32| (drawn(read(v), unit) * most as f32) as u32 == v;
                assert_eq!(PROBES.into_iter().all(kept), i == j, "{i} {j}");
            }
        }
    }

    #[test]
    fn probes_are_found_again() {
        let mut texels = probe_texels();
        assert!(are_probes(&texels));
        texels[0] ^= 1;
        assert!(are_probes(&texels), "a stencil value is not looked at");
        texels[1] ^= 1;
        assert!(!are_probes(&texels));
        assert!(!are_probes(&texels[4..]));
    }
}
