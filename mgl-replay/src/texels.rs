//! Texels as numbers: decoding the transfer layout, encoding it, and what is computed between (conversions, mipmaps).
//! Both back ends use it.
//!
//! For the roads through the CPU; rounding is to nearest, as GL 4.6 §2.3.5 wants for normalised values.

use mgl_core::format::{ComponentClass, Format, FormatInfo, TexelLayout};

/// A texel's components: red, green, blue, alpha; or depth and stencil. Absent ones are 0, alpha 1.
pub type Texel = [f64; 4];

/// The bits of the half float nearest to `v`, ties to even; NaN keeps its upper payload bits.
pub fn half(v: f32) -> u16 {
    let bits = v.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7FFF_FFFF;
    if magnitude > 0x7F80_0000 {
        let payload = (magnitude >> 13 & 0x3FF) as u16;
        return sign | 0x7C00 | payload | u16::from(payload == 0);
    }
    if magnitude >= 0x4780_0000 {
        return sign | 0x7C00;
    }
    let round = |value: u32, shift: u32| {
        let (kept, rest, tie) = (value >> shift, value & ((1 << shift) - 1), 1 << (shift - 1));
        kept + u32::from(rest > tie || rest == tie && kept & 1 == 1)
    };
    if magnitude >= 0x3880_0000 {
        // Rebias the exponent by 112; a carry out of the mantissa raises it, to infinity at the top.
        return sign | round(magnitude - (112 << 23), 13) as u16;
    }
    let shift = 126 - (magnitude >> 23);
    if shift > 24 {
        return sign;
    }
    sign | round(magnitude & 0x7F_FFFF | 0x80_0000, shift) as u16
}

/// The value of a half float.
pub fn wide(h: u16) -> f32 {
    let (e, m) = (u32::from(h >> 10 & 0x1F), u32::from(h & 0x3FF));
    let magnitude = match e {
        0 => m as f32 * 2f32.powi(-24),
        31 => f32::from_bits(0x7F80_0000 | m << 13),
        _ => (1.0 + m as f32 / 1024.0) * 2f32.powi(e as i32 - 15),
    };
    f32::from_bits(magnitude.to_bits() | u32::from(h & 0x8000) << 16)
}

fn word(p: &[u8]) -> u32 {
    let mut w = [0; 4];
    let n = p.len().min(4);
    w[..n].copy_from_slice(&p[..n]);
    u32::from_le_bytes(w)
}

/// Widths and positions of a packed format's components.
fn packed_fields(format: Format) -> Option<&'static [(u32, u32)]> {
    Some(match format {
        Format::RGB565 => &[(11, 5), (5, 6), (0, 5)],
        Format::RGBA4 => &[(12, 4), (8, 4), (4, 4), (0, 4)],
        Format::RGB5_A1 => &[(11, 5), (6, 5), (1, 5), (0, 1)],
        Format::RGB10_A2 | Format::RGB10_A2UI => &[(0, 10), (10, 10), (20, 10), (30, 2)],
        _ => return None,
    })
}

fn mask(bits: u32) -> u32 {
    u32::MAX >> (32 - bits)
}

/// Components of one texel.
pub fn decode(info: &FormatInfo, p: &[u8]) -> Texel {
    let mut out = [0.0, 0.0, 0.0, 1.0];
    match info.format {
        Format::DEPTH24_STENCIL8 => {
            let w = word(p);
            return [
                f64::from(w >> 8) / f64::from(mask(24)),
                f64::from(w & 0xFF),
                0.0,
                1.0,
            ];
        }
        Format::DEPTH32F_STENCIL8 => {
            let depth = f64::from(f32::from_bits(word(p)));
            return [depth, f64::from(p[4]), 0.0, 1.0];
        }
        Format::STENCIL_INDEX8 => return [0.0, f64::from(p[0]), 0.0, 1.0],
        Format::DEPTH_COMPONENT24 => {
            return [f64::from(word(p) >> 8) / f64::from(mask(24)), 0.0, 0.0, 1.0];
        }
        Format::R11F_G11F_B10F => {
            let w = word(p);
            let f = |at: u32, bits: u32, up: u32| {
                f64::from(wide(((w >> at & mask(bits)) << up) as u16))
            };
            return [f(0, 11, 4), f(11, 11, 4), f(22, 10, 5), 1.0];
        }
        Format::RGB9_E5 => {
            let w = word(p);
            let scale = 2f64.powi((w >> 27) as i32 - 24);
            let c = |at: u32| f64::from(w >> at & 0x1FF) * scale;
            return [c(0), c(9), c(18), 1.0];
        }
        _ => {}
    }
    if let Some(fields) = packed_fields(info.format) {
        let w = word(p);
        for (to, (at, bits)) in out.iter_mut().zip(fields) {
            let v = f64::from(w >> at & mask(*bits));
            *to = if info.class == ComponentClass::Uint {
                v
            } else {
                v / f64::from(mask(*bits))
            };
        }
        return out;
    }
    let TexelLayout::Array(size) = info.layout else {
        return out;
    };
    let size = usize::from(size);
    for (to, c) in out.iter_mut().zip(p.chunks_exact(size)) {
        let w = word(c);
        let bits = size as u32 * 8;
        let signed = f64::from((w << (32 - bits)) as i32 >> (32 - bits));
        *to = match info.class {
            ComponentClass::Unorm | ComponentClass::Depth if size < 4 => {
                f64::from(w) / f64::from(mask(bits))
            }
            ComponentClass::Snorm => (signed / f64::from(mask(bits - 1))).max(-1.0),
            ComponentClass::Sint => signed,
            ComponentClass::Uint => f64::from(w),
            _ if size == 2 => f64::from(wide(w as u16)),
            _ => f64::from(f32::from_bits(w)),
        };
    }
    out
}

/// A value rounded and clamped to an unsigned integer of `bits` bits.
fn unsigned(v: f64, bits: u32) -> u32 {
    v.round().clamp(0.0, f64::from(mask(bits))) as u32
}

/// Appends a texel with these components.
pub fn encode(info: &FormatInfo, t: &Texel, out: &mut Vec<u8>) {
    let unorm = |v: f64, bits: u32| unsigned(v.clamp(0.0, 1.0) * f64::from(mask(bits)), bits);
    let small = |v: f64, down: u32| {
        // Packed floats have no sign; what is negative is zero.
        let v = if v > 0.0 { v as f32 } else { 0.0 };
        u32::from(half(v)) >> down
    };
    let w = match info.format {
        Format::DEPTH24_STENCIL8 => unorm(t[0], 24) << 8 | unsigned(t[1], 8),
        Format::DEPTH_COMPONENT24 => unorm(t[0], 24) << 8,
        Format::DEPTH32F_STENCIL8 => {
            out.extend_from_slice(&(t[0] as f32).to_le_bytes());
            unsigned(t[1], 8)
        }
        Format::STENCIL_INDEX8 => unsigned(t[1], 8),
        Format::R11F_G11F_B10F => {
            small(t[0], 4) & mask(11)
                | (small(t[1], 4) & mask(11)) << 11
                | (small(t[2], 5) & mask(10)) << 22
        }
        Format::RGB9_E5 => shared_exponent(t),
        _ => match packed_fields(info.format) {
            Some(fields) => fields.iter().zip(t).fold(0, |w, ((at, bits), v)| {
                w | if info.class == ComponentClass::Uint {
                    unsigned(*v, *bits)
                } else {
                    unorm(*v, *bits)
                } << at
            }),
            None => return encode_array(info, t, out),
        },
    };
    let size = match info.layout {
        TexelLayout::FloatDepthStencil => 4,
        _ => info.bytes as usize,
    };
    out.extend_from_slice(&w.to_le_bytes()[..size]);
}

fn encode_array(info: &FormatInfo, t: &Texel, out: &mut Vec<u8>) {
    let TexelLayout::Array(size) = info.layout else {
        return;
    };
    let (size, bits) = (usize::from(size), u32::from(size) * 8);
    let parts = (info.bytes as usize / size).min(4);
    for &v in &t[..parts] {
        let w = match info.class {
            ComponentClass::Unorm | ComponentClass::Depth if size < 4 => {
                unsigned(v.clamp(0.0, 1.0) * f64::from(mask(bits)), bits)
            }
            ComponentClass::Snorm => {
                (v.clamp(-1.0, 1.0) * f64::from(mask(bits - 1))).round() as i32 as u32
            }
            ComponentClass::Sint => {
                let most = f64::from(mask(bits - 1));
                v.round().clamp(-most - 1.0, most) as i32 as u32
            }
            ComponentClass::Uint => unsigned(v, bits),
            _ if size == 2 => u32::from(half(v as f32)),
            _ => (v as f32).to_bits(),
        };
        out.extend_from_slice(&w.to_le_bytes()[..size]);
    }
}

/// RGB9_E5 (GL 4.6 §8.5.2).
fn shared_exponent(t: &Texel) -> u32 {
    const LARGEST: f64 = 65408.0;
    let c = [t[0], t[1], t[2]].map(|v| if v > 0.0 { v.min(LARGEST) } else { 0.0 });
    let most = c[0].max(c[1]).max(c[2]);
    let floor_log = if most > 0.0 {
        most.log2().floor()
    } else {
        -16.0
    };
    let mut e = floor_log.max(-16.0) as i32 + 16;
    if (most / 2f64.powi(e - 24)).round() >= 512.0 {
        e += 1;
    }
    let scale = 2f64.powi(e - 24);
    let m = c.map(|v| (v / scale).round() as u32 & 0x1FF);
    m[0] | m[1] << 9 | m[2] << 18 | (e as u32) << 27
}

/// Texels of one format as texels of another. `None` between integers and others, or colour and depth.
pub fn convert(from: &FormatInfo, to: &FormatInfo, bytes: &[u8]) -> Option<Vec<u8>> {
    if from.format == to.format {
        return Some(bytes.to_vec());
    }
    let family = |i: &FormatInfo| match i.class {
        ComponentClass::Sint => 1,
        ComponentClass::Uint => 2,
        _ if i.is_color() => 0,
        _ => 3,
    };
    if family(from) != family(to) {
        return None;
    }
    let texels = bytes.chunks_exact(from.bytes as usize);
    let mut out = Vec::with_capacity(texels.len() * to.bytes as usize);
    for p in texels {
        encode(to, &decode(from, p), &mut out);
    }
    Some(out)
}

/// The next mipmap level of an image of `size` texels (columns, rows, slices), by a box filter; `slices` says whether
/// slices are halved too. Gives the bytes and the level's size.
pub fn half_size(
    info: &FormatInfo,
    bytes: &[u8],
    (w, h, d): (u32, u32, u32),
    slices: bool,
) -> (Vec<u8>, (u32, u32, u32)) {
    let size = (
        (w / 2).max(1),
        (h / 2).max(1),
        if slices { (d / 2).max(1) } else { d },
    );
    let texel = info.bytes as usize;
    let at = |x: u32, y: u32, z: u32| {
        let i = ((z as usize * h as usize + y as usize) * w as usize + x as usize) * texel;
        linear(info, decode(info, &bytes[i..i + texel]))
    };
    // The texels around the middle of a coarse one, with their weights.
    let taps = |i: u32, from: u32, to: u32| -> [(u32, f64); 2] {
        let centre = (f64::from(i) + 0.5) * f64::from(from) / f64::from(to) - 0.5;
        let low = centre.floor();
        let part = centre - low;
        let clamp = |v: f64| v.clamp(0.0, f64::from(from - 1)) as u32;
        [(clamp(low), 1.0 - part), (clamp(low + 1.0), part)]
    };
    let mut out = Vec::with_capacity(size.0 as usize * size.1 as usize * size.2 as usize * texel);
    for z in 0..size.2 {
        for y in 0..size.1 {
            for x in 0..size.0 {
                let mut sum = [0.0; 4];
                for (sz, wz) in taps(z, d, size.2) {
                    for (sy, wy) in taps(y, h, size.1) {
                        for (sx, wx) in taps(x, w, size.0) {
                            let weight = wx * wy * wz;
                            if weight > 0.0 {
                                for (s, v) in sum.iter_mut().zip(at(sx, sy, sz)) {
                                    *s += v * weight;
                                }
                            }
                        }
                    }
                }
                encode(info, &curved(info, sum), &mut out);
            }
        }
    }
    (out, size)
}

/// sRGB-encoded colour as linear values.
fn linear(info: &FormatInfo, mut t: Texel) -> Texel {
    if info.srgb {
        for v in &mut t[..3] {
            *v = if *v <= 0.04045 {
                *v / 12.92
            } else {
                ((*v + 0.055) / 1.055).powf(2.4)
            };
        }
    }
    t
}

/// Linear colour as sRGB-encoded values.
fn curved(info: &FormatInfo, mut t: Texel) -> Texel {
    if info.srgb {
        for v in &mut t[..3] {
            *v = if *v <= 0.003_130_8 {
                *v * 12.92
            } else {
                1.055 * v.powf(1.0 / 2.4) - 0.055
            };
        }
    }
    t
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some bytes of a format that stand for finite, canonical values.
    fn samples(info: &FormatInfo) -> Vec<u8> {
        let mut out = Vec::new();
        let integers = info.is_integer();
        for i in 0..64 {
            let v = |k: u32| {
                let raw = f64::from((i * 7 + k * 13) % 64) / 63.0;
                if integers { (raw * 100.0).round() } else { raw }
            };
            let t = if info.is_color() {
                [v(0), v(1), v(2), v(3)]
            } else {
                [v(0), (v(1) * 255.0).round(), 0.0, 1.0]
            };
            encode(info, &t, &mut out);
        }
        out
    }

    #[test]
    fn every_format_decodes_to_what_encodes_back() {
        for &format in Format::ALL {
            let info = format.info().expect("a format");
            let bytes = samples(info);
            assert_eq!(bytes.len(), 64 * info.bytes as usize, "{format}");
            let mut again = Vec::new();
            for p in bytes.chunks_exact(info.bytes as usize) {
                encode(info, &decode(info, p), &mut again);
            }
            assert_eq!(again, bytes, "{format}");
        }
    }

    #[test]
    fn conversions_keep_values() {
        let (a, b) = (
            Format::RGB565.info().expect("a format"),
            Format::RGBA8.info().expect("a format"),
        );
        let out = convert(a, b, &0xF81Fu16.to_le_bytes()).expect("both are colours");
        assert_eq!(out, [255, 0, 255, 255]);
        assert!(convert(a, Format::R32UI.info().expect("a format"), &[0, 0]).is_none());
    }

    #[test]
    fn every_half_float_comes_back() {
        for h in 0..=u16::MAX {
            assert_eq!(half(wide(h)), h, "{h:#06x}");
        }
    }

    #[test]
    fn halves_round_to_even() {
        assert_eq!(
            half(65520.0),
            0x7C00,
            "above the largest half by half a step"
        );
        assert_eq!(half(65519.9), 0x7BFF);
        assert_eq!(half(1.0 + 1.0 / 2048.0), 0x3C00, "a tie goes to even");
        assert_eq!(half(1.0 + 3.0 / 2048.0), 0x3C02);
        assert_eq!(half(2f32.powi(-25)), 0, "half the smallest goes to zero");
        assert_eq!(half(2f32.powi(-25) * 1.01), 1);
        assert_eq!(half(-0.0), 0x8000);
    }

    #[test]
    fn levels_are_averages() {
        let info = Format::R8.info().expect("a format");
        let (out, size) = half_size(info, &[0, 100, 200, 100, 8, 8, 8, 8], (4, 2, 1), false);
        assert_eq!((out, size), (vec![29, 79], (2, 1, 1)));
        let (out, size) = half_size(info, &[0, 90, 30], (3, 1, 1), false);
        assert_eq!((out, size), (vec![90], (1, 1, 1)));
    }

    #[test]
    fn shared_exponents_are_canonical() {
        let info = Format::RGB9_E5.info().expect("a format");
        let bits = |t: Texel| {
            let mut out = Vec::new();
            encode(info, &t, &mut out);
            word(&out)
        };
        assert_eq!(bits([0.0, 0.0, 0.0, 1.0]), 0);
        assert_eq!(
            bits([1.0, 0.5, 0.25, 1.0]),
            256 | 128 << 9 | 64 << 18 | 16 << 27
        );
        assert_eq!(bits([1e9, -1.0, f64::NAN, 1.0]), 511 | 31 << 27);
    }
}
