//! Numbers as pixels hold them: normalised integers, halves, the packed floats, shared exponents.
//!
//! All conversions go through `f64`, in which every value of every source type is exact (except
//! for the quotients of normalised integers, whose error is far below the smallest step of any
//! target), so that each result is rounded once.

/// Largest value of an unsigned integer of `bits` bits (1 to 32).
pub(super) fn unorm_max(bits: u32) -> u32 {
    u32::MAX >> (32 - bits)
}

/// An unsigned normalised integer of `bits` bits as a number (OpenGL 4.6, equation 2.1).
pub(super) fn from_unorm(value: u32, bits: u32) -> f64 {
    f64::from(value) / f64::from(unorm_max(bits))
}

/// A number as an unsigned normalised integer of `bits` bits, clamped, to the nearest
/// (OpenGL 4.6, equation 2.3). Not a number gives 0.
pub(super) fn to_unorm(value: f64, bits: u32) -> u32 {
    // The cast takes NaN to zero.
    (value.clamp(0.0, 1.0) * f64::from(unorm_max(bits))).round_ties_even() as u32
}

/// A signed normalised integer of `bits` bits as a number (OpenGL 4.6, equation 2.2): the lowest
/// value and the one above it both mean -1.
pub(super) fn from_snorm(value: i32, bits: u32) -> f64 {
    (f64::from(value) / f64::from(unorm_max(bits - 1))).max(-1.0)
}

/// A number as a signed normalised integer of `bits` bits, clamped, to the nearest
/// (OpenGL 4.6, equation 2.4). Not a number gives 0.
pub(super) fn to_snorm(value: f64, bits: u32) -> i32 {
    (value.clamp(-1.0, 1.0) * f64::from(unorm_max(bits - 1))).round_ties_even() as i32
}

/// A number between 0 and `largest`. Unlike with `clamp`, not a number becomes 0.
pub(super) fn clamp_up_to(value: f64, largest: f64) -> f64 {
    if value >= largest {
        largest
    } else if value > 0.0 {
        value
    } else {
        0.0
    }
}

/// A half-precision float as a number.
pub(super) fn from_half(bits: u16) -> f64 {
    half::f16::from_bits(bits).to_f64()
}

/// A number as a half-precision float, to the nearest; too large becomes infinite.
pub(super) fn to_half(value: f64) -> u16 {
    half::f16::from_f64(value).to_bits()
}

/// An unsigned float of five exponent bits and `mantissa` mantissa bits (OpenGL 4.6, 2.3.4.3 and
/// 2.3.4.4): six for the 11-bit form, five for the 10-bit form.
pub(super) fn from_small_float(bits: u32, mantissa: u32) -> f64 {
    let steps = f64::from(1u32 << mantissa);
    let fraction = f64::from(bits & unorm_max(mantissa));
    match (bits >> mantissa) & 31 {
        0 => fraction / steps * power_of_two(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1.0 + fraction / steps) * power_of_two(exponent as i32 - 15),
    }
}

/// A number as an unsigned float of five exponent bits and `mantissa` mantissa bits, towards zero:
/// negative values become 0, finite values above the largest become the largest; infinity and not
/// a number stay what they are.
pub(super) fn to_small_float(value: f64, mantissa: u32) -> u32 {
    let special = 31 << mantissa;
    if value.is_nan() {
        return special | 1;
    }
    if value <= 0.0 {
        return 0;
    }
    if value.is_infinite() {
        return special;
    }
    let steps = f64::from(1u32 << mantissa);
    let exponent = floor_log2(value);
    if exponent < -14 {
        return (value * power_of_two(14) * steps) as u32;
    }
    if exponent > 15 {
        return special - 1;
    }
    let fraction = value * power_of_two(-exponent) - 1.0;
    // The exponent is between -14 and 15 here, so that the biased one is between 1 and 30.
    (((exponent + 15) as u32) << mantissa) | (fraction * steps) as u32
}

/// The exponent of a positive, finite, normal number.
fn floor_log2(value: f64) -> i32 {
    ((value.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

/// Two to the power of `exponent`, which is between -1022 and 1023.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// Red, green and blue of a shared-exponent word (OpenGL 4.6, 8.25).
pub(super) fn from_shared_exponent(word: u32) -> [f64; 3] {
    let scale = power_of_two((word >> 27) as i32 - 24);
    [0, 9, 18].map(|shift| f64::from((word >> shift) & 511) * scale)
}

/// Red, green and blue as a shared-exponent word (OpenGL 4.6, 8.5.2).
pub(super) fn to_shared_exponent(rgb: [f64; 3]) -> u32 {
    /// The largest value: 511/512 x 2^16.
    const LARGEST: f64 = 65408.0;
    let clamped = rgb.map(|c| clamp_up_to(c, LARGEST));
    let largest = clamped[0].max(clamped[1]).max(clamped[2]);
    let log = if largest > 0.0 {
        floor_log2(largest)
    } else {
        -16
    };
    let mut exponent = log.max(-16) + 16;
    let scale = |exponent: i32| power_of_two(24 - exponent);
    if (largest * scale(exponent) + 0.5).floor() >= 512.0 {
        exponent += 1;
    }
    let [r, g, b] = clamped.map(|c| (c * scale(exponent) + 0.5).floor() as u32);
    // The exponent is between 0 and 31: the largest value has log2 15, and does not round up.
    ((exponent as u32) << 27) | (b << 18) | (g << 9) | r
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalised_integers_round_trip_and_clamp() {
        for bits in [1, 2, 3, 4, 5, 6, 8, 10, 16] {
            for value in 0..=unorm_max(bits) {
                assert_eq!(
                    to_unorm(from_unorm(value, bits), bits),
                    value,
                    "{bits} bits"
                );
            }
        }
        for value in [0, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX - 1, u32::MAX] {
            assert_eq!(to_unorm(from_unorm(value, 32), 32), value);
        }
        assert_eq!(to_unorm(-0.5, 8), 0);
        assert_eq!(to_unorm(1.5, 8), 255);
        assert_eq!(to_unorm(f64::NAN, 8), 0);
        assert_eq!(to_unorm(f64::INFINITY, 16), 65535);
        for value in -127..=127 {
            assert_eq!(to_snorm(from_snorm(value, 8), 8), value);
        }
        assert_eq!(from_snorm(-128, 8), -1.0);
        assert_eq!(from_snorm(-127, 8), -1.0);
        assert_eq!(from_snorm(i32::MIN, 32), -1.0);
        assert_eq!(to_snorm(-7.0, 16), -32767);
        assert_eq!(to_snorm(f64::NAN, 16), 0);
    }

    #[test]
    fn small_floats_follow_the_specification() {
        // Eleven bits: 0x3c0 is exponent 15, mantissa 0, that is 1.0; ten bits: 0x1e0.
        assert_eq!(from_small_float(0x3c0, 6), 1.0);
        assert_eq!(from_small_float(0x1e0, 5), 1.0);
        assert_eq!(from_small_float(0x7bf, 6), 65024.0);
        assert_eq!(from_small_float(0x3df, 5), 64512.0);
        assert_eq!(from_small_float(1, 6), (-20f64).exp2());
        assert_eq!(from_small_float(1, 5), (-19f64).exp2());
        for (mantissa, end) in [(6, 0x7c0), (5, 0x3e0)] {
            for bits in 0..=end {
                assert_eq!(
                    to_small_float(from_small_float(bits, mantissa), mantissa),
                    bits
                );
            }
            assert!(from_small_float(end + 1, mantissa).is_nan());
            assert_eq!(to_small_float(-1.0, mantissa), 0);
            assert_eq!(to_small_float(f64::NEG_INFINITY, mantissa), 0);
            assert_eq!(to_small_float(1e9, mantissa), end - 1);
            assert_eq!(to_small_float(f64::INFINITY, mantissa), end);
            assert!(from_small_float(to_small_float(f64::NAN, mantissa), mantissa).is_nan());
            assert_eq!(to_small_float(f64::MIN_POSITIVE / 2.0, mantissa), 0);
        }
    }

    #[test]
    fn shared_exponents_follow_the_specification() {
        // 1.0 in all: exponent 16 (2^(16-24) a step), mantissas 256.
        assert_eq!(
            to_shared_exponent([1.0; 3]),
            (16 << 27) | (256 << 18) | (256 << 9) | 256
        );
        assert_eq!(
            from_shared_exponent((16 << 27) | (256 << 18) | (128 << 9)),
            [0.0, 0.5, 1.0]
        );
        assert_eq!(to_shared_exponent([0.0, -1.0, f64::NAN]), 0);
        assert_eq!(to_shared_exponent([f64::INFINITY, 1e30, 65408.0]), u32::MAX);
        // Rounds up into the next exponent: 511.9 / 512.
        let word = to_shared_exponent([511.9 / 512.0, 0.0, 0.0]);
        assert_eq!(from_shared_exponent(word)[0], 1.0);
        for exponent in 0..32u32 {
            for mantissa in [256u32, 300, 511] {
                let word = (exponent << 27) | (mantissa << 18) | (17 << 9) | 1;
                assert_eq!(to_shared_exponent(from_shared_exponent(word)), word);
            }
        }
    }
}
