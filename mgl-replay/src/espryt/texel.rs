//! Texel conversions on the CPU: a fourth component on the way up, and back from what OpenGL ES lets be read to the
//! transfer layout of a format. All of them are exact.

use super::formats::ReadAs;
pub use crate::texels::{convert, half};
use mgl_core::format::{ComponentClass, Format, FormatInfo, TexelLayout};

/// Adds a fourth component that is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Widen {
    /// Bytes of a component.
    size: usize,
    /// One, little-endian.
    one: [u8; 4],
}

impl Widen {
    /// For a three-component format.
    pub fn of(info: &FormatInfo) -> Self {
        let size = match info.layout {
            TexelLayout::Array(n) => usize::from(n),
            _ => 1,
        };
        let one: u32 = match (info.class, size) {
            (ComponentClass::Unorm, _) => u32::MAX,
            (ComponentClass::Snorm, 1) => 0x7F,
            (ComponentClass::Snorm, _) => 0x7FFF,
            (ComponentClass::Float, 2) => 0x3C00,
            (ComponentClass::Float, _) => 1f32.to_bits(),
            _ => 1,
        };
        Self {
            size,
            one: one.to_le_bytes(),
        }
    }

    /// Appends whole texels of `row` to `out`, each with its fourth component.
    pub fn row(&self, row: &[u8], out: &mut Vec<u8>) {
        for texel in row.chunks_exact(3 * self.size) {
            out.extend_from_slice(texel);
            out.extend_from_slice(&self.one[..self.size]);
        }
    }
}

fn u16_at(p: &[u8], i: usize) -> u16 {
    u16::from_le_bytes([p[2 * i], p[2 * i + 1]])
}
fn f32_at(p: &[u8], i: usize) -> f32 {
    f32::from_le_bytes([p[4 * i], p[4 * i + 1], p[4 * i + 2], p[4 * i + 3]])
}
fn u32_at(p: &[u8], i: usize) -> u32 {
    f32_at(p, i).to_bits()
}

/// The value of `bits` bits that an 8-bit read-back of it stands for.
fn narrow(v: u8, bits: u32) -> u32 {
    let max = (1 << bits) - 1;
    (u32::from(v) * max * 2 + 255) / 510
}

/// Turns texels as glReadPixels gave them into the transfer layout of `info`'s format; `src` holds whole texels.
pub fn from_read(info: &FormatInfo, read: ReadAs, src: &[u8], out: &mut Vec<u8>) {
    let parts = info.color_components() as usize;
    for p in src.chunks_exact(read.bytes()) {
        match (info.layout, read) {
            (TexelLayout::Array(1), ReadAs::U8 | ReadAs::I8) => out.extend_from_slice(&p[..parts]),
            (TexelLayout::Array(2), ReadAs::U16 | ReadAs::I16) => {
                out.extend_from_slice(&p[..2 * parts]);
            }
            (TexelLayout::Array(4), ReadAs::F32 | ReadAs::I32 | ReadAs::U32) => {
                out.extend_from_slice(&p[..4 * parts]);
            }
            (TexelLayout::Array(2), ReadAs::F32) => {
                for i in 0..parts {
                    out.extend_from_slice(&half(f32_at(p, i)).to_le_bytes());
                }
            }
            // Integers come back as words whose low bytes are the value.
            (TexelLayout::Array(n), _) => {
                for i in 0..parts {
                    out.extend_from_slice(&p[4 * i..4 * i + usize::from(n)]);
                }
            }
            _ => packed(info, read, p, out),
        }
    }
}

fn packed(info: &FormatInfo, read: ReadAs, p: &[u8], out: &mut Vec<u8>) {
    let half_bits = |i: usize| u32::from(half(f32_at(p, i)));
    let word = match (info.format, read) {
        (Format::RGB565, ReadAs::U8) => {
            narrow(p[0], 5) << 11 | narrow(p[1], 6) << 5 | narrow(p[2], 5)
        }
        (Format::RGBA4, ReadAs::U8) => {
            narrow(p[0], 4) << 12 | narrow(p[1], 4) << 8 | narrow(p[2], 4) << 4 | narrow(p[3], 4)
        }
        (Format::RGB5_A1, ReadAs::U8) => {
            narrow(p[0], 5) << 11 | narrow(p[1], 5) << 6 | narrow(p[2], 5) << 1 | narrow(p[3], 1)
        }
        (Format::RGB10_A2, _) => u32_at(p, 0),
        (Format::RGB10_A2UI, _) => {
            u32_at(p, 0) & 0x3FF
                | (u32_at(p, 1) & 0x3FF) << 10
                | (u32_at(p, 2) & 0x3FF) << 20
                | u32_at(p, 3) << 30
        }
        // Eleven and ten bits are a half float's upper ones without the sign.
        (Format::R11F_G11F_B10F, _) => {
            (half_bits(0) >> 4 & 0x7FF)
                | (half_bits(1) >> 4 & 0x7FF) << 11
                | (half_bits(2) >> 5 & 0x3FF) << 22
        }
        _ => 0,
    };
    out.extend_from_slice(&word.to_le_bytes()[..info.bytes as usize]);
}

/// Depths (words, as GL reads them: 32-bit fixed point or float bits) and stencil values as texels of a depth or stencil
/// format.
pub fn join_depth_stencil(info: &FormatInfo, depth: &[u8], stencil: &[u8], out: &mut Vec<u8>) {
    for (d, &s) in depth.chunks_exact(4).zip(stencil) {
        let word = u32_at(d, 0);
        match info.format {
            Format::DEPTH_COMPONENT16 => {
                out.extend_from_slice(&((word >> 16) as u16).to_le_bytes())
            }
            Format::DEPTH24_STENCIL8 => {
                out.extend_from_slice(&(word & 0xFFFF_FF00 | u32::from(s)).to_le_bytes());
            }
            Format::DEPTH32F_STENCIL8 => {
                out.extend_from_slice(d);
                out.extend_from_slice(&u32::from(s).to_le_bytes());
            }
            Format::STENCIL_INDEX8 => out.push(s),
            _ => out.extend_from_slice(d),
        }
    }
}

/// The eight-bit RGBA texels that texels read as `read` show as on a screen: what an image of a surface holds. Formats
/// without alpha give 255.
pub fn to_rgba8(info: &FormatInfo, read: ReadAs, src: &[u8], out: &mut Vec<u8>) {
    let byte = |v: f32| (v.clamp(0.0, 1.0) * 255.0).round() as u8;
    for p in src.chunks_exact(read.bytes()) {
        let mut texel = match read {
            ReadAs::U8 => [p[0], p[1], p[2], p[3]],
            ReadAs::U16 => std::array::from_fn(|i| byte(f32::from(u16_at(p, i)) / 65535.0)),
            ReadAs::I8 => std::array::from_fn(|i| byte(f32::from(p[i] as i8) / 127.0)),
            ReadAs::I16 => std::array::from_fn(|i| byte(f32::from(u16_at(p, i) as i16) / 32767.0)),
            ReadAs::F32 => std::array::from_fn(|i| byte(f32_at(p, i))),
            ReadAs::I32 | ReadAs::U32 => std::array::from_fn(|i| u32_at(p, i).min(255) as u8),
            ReadAs::Packed => {
                let w = u32_at(p, 0);
                let c = |at: u32| byte((w >> at & 0x3FF) as f32 / 1023.0);
                [c(0), c(10), c(20), (w >> 30) as u8 * 85]
            }
        };
        if !info.has_alpha() {
            texel[3] = 255;
        }
        out.extend_from_slice(&texel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_integers_survive_eight_bits() {
        for bits in [1, 4, 5, 6] {
            let max = (1u32 << bits) - 1;
            for v in 0..=max {
                let read = (v as f32 / max as f32 * 255.0).round() as u8;
                assert_eq!(narrow(read, bits), v);
            }
        }
    }

    #[test]
    fn packed_formats_come_back() {
        let read = |format: Format, as_: ReadAs, src: &[u8]| {
            let mut out = Vec::new();
            from_read(format.info().expect("a format"), as_, src, &mut out);
            out
        };
        assert_eq!(
            read(Format::RGB565, ReadAs::U8, &[255, 0, 255, 255]),
            0xF81Fu16.to_le_bytes()
        );
        assert_eq!(
            read(Format::RGB5_A1, ReadAs::U8, &[0, 255, 0, 255]),
            0x07C1u16.to_le_bytes()
        );
        let floats: Vec<u8> = [1f32, 0.5, 2.0, 1.0]
            .iter()
            .flat_map(|f| f.to_le_bytes())
            .collect();
        assert_eq!(
            read(Format::R11F_G11F_B10F, ReadAs::F32, &floats),
            (0x3C0u32 | 0x380 << 11 | 0x200 << 22).to_le_bytes()
        );
        assert_eq!(
            read(Format::RG16F, ReadAs::F32, &floats),
            [0, 0x3C, 0, 0x38]
        );
        assert_eq!(
            read(
                Format::RG8I,
                ReadAs::I32,
                &[0xFF, 0xFF, 0xFF, 0xFF, 5, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9]
            ),
            [0xFF, 5]
        );
    }

    #[test]
    fn a_fourth_component_is_one() {
        let widen = |format: Format, row: &[u8]| {
            let mut out = Vec::new();
            Widen::of(format.info().expect("a format")).row(row, &mut out);
            out
        };
        assert_eq!(widen(Format::SRGB8, &[1, 2, 3]), [1, 2, 3, 255]);
        assert_eq!(widen(Format::RGB8_SNORM, &[1, 2, 3]), [1, 2, 3, 127]);
        assert_eq!(
            widen(Format::RGB16F, &[1, 2, 3, 4, 5, 6]),
            [1, 2, 3, 4, 5, 6, 0, 0x3C]
        );
        assert_eq!(
            widen(Format::RGB8UI, &[1, 2, 3, 4, 5, 6]),
            [1, 2, 3, 1, 4, 5, 6, 1]
        );
    }
}
