//! The general path: one texel at a time, through numbers.
//!
//! Colours go through `f64`, integers through `i64`, depth and stencil as a pair; every layout is
//! read and written by one function a class of values.

use super::layout::{Channel, ClientLayout, Element};
use super::number::{
    from_half, from_shared_exponent, from_small_float, from_snorm, from_unorm, to_half,
    to_shared_exponent, to_small_float, to_snorm, to_unorm, unorm_max,
};

/// Texels converted at a time; their numbers live on the stack.
pub(super) const CHUNK: usize = 64;

/// Depth and stencil of a texel; `None` where the layout read lacks the value.
pub(super) type DepthStencil = (Option<f64>, Option<u32>);

/// Sets what a channel means in red, green, blue and alpha.
fn put<T: Copy>(texel: &mut [T; 4], channel: Channel, value: T) {
    match channel {
        Channel::R => texel[0] = value,
        Channel::G => texel[1] = value,
        Channel::B => texel[2] = value,
        Channel::A => texel[3] = value,
        Channel::L => texel[..3].fill(value),
        Channel::Depth | Channel::Stencil | Channel::Index | Channel::Hidden => {}
    }
}

/// What a channel takes from red, green, blue and alpha. Luminance takes red, into which the caller
/// has added the others where OpenGL says so.
fn get<T: Copy>(texel: &[T; 4], channel: Channel, one: T) -> T {
    match channel {
        Channel::R | Channel::L => texel[0],
        Channel::G => texel[1],
        Channel::B => texel[2],
        Channel::A => texel[3],
        Channel::Depth | Channel::Stencil | Channel::Index | Channel::Hidden => one,
    }
}

/// Reads arrays of elements of `N` bytes.
fn read_array<const N: usize, T: Copy>(
    layout: &ClientLayout,
    bytes: &[u8],
    texels: &mut [[T; 4]],
    value: impl Fn([u8; N]) -> T,
) {
    let channels = layout.channels();
    for (source, texel) in bytes.chunks_exact(N * channels.len()).zip(texels) {
        for (element, &channel) in source.chunks_exact(N).zip(channels) {
            put(texel, channel, value(std::array::from_fn(|i| element[i])));
        }
    }
}

/// Writes arrays of elements of `N` bytes.
fn write_array<const N: usize, T: Copy>(
    layout: &ClientLayout,
    texels: &[[T; 4]],
    bytes: &mut [u8],
    one: T,
    value: impl Fn(T) -> [u8; N],
) {
    let channels = layout.channels();
    for (target, texel) in bytes.chunks_exact_mut(N * channels.len()).zip(texels) {
        for (element, &channel) in target.chunks_exact_mut(N).zip(channels) {
            element.copy_from_slice(&value(get(texel, channel, one)));
        }
    }
}

/// A word of one to four bytes.
fn read_word(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .rev()
        .fold(0, |word, &byte| (word << 8) | u32::from(byte))
}

/// Writes a word of one to four bytes.
fn write_word(bytes: &mut [u8], word: u32) {
    bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
}

/// Reads colours; components that the layout lacks are 0, alpha 1 (OpenGL 4.6, 8.4.4.4).
///
/// `bytes` holds exactly the texels asked for. Layouts without colours give black.
pub(super) fn read_colors(layout: &ClientLayout, bytes: &[u8], texels: &mut [[f64; 4]]) {
    texels.fill([0.0, 0.0, 0.0, 1.0]);
    match layout.element {
        Element::I8 => {
            read_array(layout, bytes, texels, |[b]| {
                from_snorm(i32::from(b as i8), 8)
            });
        }
        Element::U8 => read_array(layout, bytes, texels, |[b]| from_unorm(u32::from(b), 8)),
        Element::I16 => read_array(layout, bytes, texels, |b| {
            from_snorm(i32::from(i16::from_le_bytes(b)), 16)
        }),
        Element::U16 => read_array(layout, bytes, texels, |b| {
            from_unorm(u32::from(u16::from_le_bytes(b)), 16)
        }),
        Element::I32 => {
            read_array(layout, bytes, texels, |b| {
                from_snorm(i32::from_le_bytes(b), 32)
            });
        }
        Element::U32 => {
            read_array(layout, bytes, texels, |b| {
                from_unorm(u32::from_le_bytes(b), 32)
            });
        }
        Element::F16 => read_array(layout, bytes, texels, |b| from_half(u16::from_le_bytes(b))),
        Element::F32 => read_array(layout, bytes, texels, |b| f64::from(f32::from_le_bytes(b))),
        Element::Packed(packing) => {
            for (source, texel) in bytes.chunks_exact(packing.bytes as usize).zip(texels) {
                let word = read_word(source);
                for (&(shift, width), &channel) in packing.fields.iter().zip(layout.channels()) {
                    let field = (word >> shift) & unorm_max(width);
                    put(texel, channel, from_unorm(field, width));
                }
            }
        }
        Element::SmallFloats => {
            for (source, texel) in bytes.chunks_exact(4).zip(texels) {
                let word = read_word(source);
                texel[0] = from_small_float(word & 0x7ff, 6);
                texel[1] = from_small_float((word >> 11) & 0x7ff, 6);
                texel[2] = from_small_float(word >> 22, 5);
            }
        }
        Element::SharedExponent => {
            for (source, texel) in bytes.chunks_exact(4).zip(texels) {
                texel[..3].copy_from_slice(&from_shared_exponent(read_word(source)));
            }
        }
        Element::Bit | Element::U24 | Element::Depth24Stencil8 | Element::Depth32FStencil8 => {}
    }
}

/// Writes colours, rounding and clamping as the layout demands.
///
/// `bytes` has room for exactly the texels given. Layouts without colours are left alone.
pub(super) fn write_colors(layout: &ClientLayout, texels: &[[f64; 4]], bytes: &mut [u8]) {
    match layout.element {
        Element::I8 => {
            write_array(layout, texels, bytes, 1.0, |v| {
                (to_snorm(v, 8) as i8).to_le_bytes()
            });
        }
        Element::U8 => {
            write_array(layout, texels, bytes, 1.0, |v| {
                (to_unorm(v, 8) as u8).to_le_bytes()
            });
        }
        Element::I16 => {
            write_array(layout, texels, bytes, 1.0, |v| {
                (to_snorm(v, 16) as i16).to_le_bytes()
            });
        }
        Element::U16 => {
            write_array(layout, texels, bytes, 1.0, |v| {
                (to_unorm(v, 16) as u16).to_le_bytes()
            });
        }
        Element::I32 => {
            write_array(layout, texels, bytes, 1.0, |v| {
                to_snorm(v, 32).to_le_bytes()
            });
        }
        Element::U32 => {
            write_array(layout, texels, bytes, 1.0, |v| {
                to_unorm(v, 32).to_le_bytes()
            });
        }
        Element::F16 => write_array(layout, texels, bytes, 1.0, |v| to_half(v).to_le_bytes()),
        Element::F32 => write_array(layout, texels, bytes, 1.0, |v| (v as f32).to_le_bytes()),
        Element::Packed(packing) => {
            for (target, texel) in bytes.chunks_exact_mut(packing.bytes as usize).zip(texels) {
                let mut word = 0;
                for (&(shift, width), &channel) in packing.fields.iter().zip(layout.channels()) {
                    word |= to_unorm(get(texel, channel, 1.0), width) << shift;
                }
                write_word(target, word);
            }
        }
        Element::SmallFloats => {
            for (target, &[r, g, b, _]) in bytes.chunks_exact_mut(4).zip(texels) {
                let word = to_small_float(r, 6)
                    | (to_small_float(g, 6) << 11)
                    | (to_small_float(b, 5) << 22);
                write_word(target, word);
            }
        }
        Element::SharedExponent => {
            for (target, &[r, g, b, _]) in bytes.chunks_exact_mut(4).zip(texels) {
                write_word(target, to_shared_exponent([r, g, b]));
            }
        }
        Element::Bit | Element::U24 | Element::Depth24Stencil8 | Element::Depth32FStencil8 => {}
    }
}

/// Reads integers; components that the layout lacks are 0, alpha 1. Layouts without integers give
/// that, too.
pub(super) fn read_integers(layout: &ClientLayout, bytes: &[u8], texels: &mut [[i64; 4]]) {
    texels.fill([0, 0, 0, 1]);
    match layout.element {
        Element::I8 => read_array(layout, bytes, texels, |[b]| i64::from(b as i8)),
        Element::U8 => read_array(layout, bytes, texels, |[b]| i64::from(b)),
        Element::I16 => read_array(layout, bytes, texels, |b| i64::from(i16::from_le_bytes(b))),
        Element::U16 => read_array(layout, bytes, texels, |b| i64::from(u16::from_le_bytes(b))),
        Element::I32 => read_array(layout, bytes, texels, |b| i64::from(i32::from_le_bytes(b))),
        Element::U32 => read_array(layout, bytes, texels, |b| i64::from(u32::from_le_bytes(b))),
        Element::Packed(packing) => {
            for (source, texel) in bytes.chunks_exact(packing.bytes as usize).zip(texels) {
                let word = read_word(source);
                for (&(shift, width), &channel) in packing.fields.iter().zip(layout.channels()) {
                    put(
                        texel,
                        channel,
                        i64::from((word >> shift) & unorm_max(width)),
                    );
                }
            }
        }
        _ => {}
    }
}

/// Writes integers, clamped to what the layout can hold (OpenGL 4.6, 8.5).
pub(super) fn write_integers(layout: &ClientLayout, texels: &[[i64; 4]], bytes: &mut [u8]) {
    /// Clamps to the range of a type; the cast then loses nothing.
    macro_rules! clamped {
        ($ty:ty) => {
            write_array(layout, texels, bytes, 1, |v| {
                (v.clamp(i64::from(<$ty>::MIN), i64::from(<$ty>::MAX)) as $ty).to_le_bytes()
            })
        };
    }
    match layout.element {
        Element::I8 => clamped!(i8),
        Element::U8 => clamped!(u8),
        Element::I16 => clamped!(i16),
        Element::U16 => clamped!(u16),
        Element::I32 => clamped!(i32),
        Element::U32 => clamped!(u32),
        Element::Packed(packing) => {
            for (target, texel) in bytes.chunks_exact_mut(packing.bytes as usize).zip(texels) {
                let mut word = 0;
                for (&(shift, width), &channel) in packing.fields.iter().zip(layout.channels()) {
                    let largest = i64::from(unorm_max(width));
                    word |= (get(texel, channel, 1).clamp(0, largest) as u32) << shift;
                }
                write_word(target, word);
            }
        }
        _ => {}
    }
}

/// Reads depth and stencil. Depth of a float type is not clamped; stencil values of float types
/// lose their fraction (OpenGL 4.6, 8.4.4.3).
pub(super) fn read_depth_stencil(layout: &ClientLayout, bytes: &[u8], texels: &mut [DepthStencil]) {
    texels.fill((None, None));
    let stencil = layout.channels() == [Channel::Stencil];
    /// Reads one element a texel, as depth or as stencil.
    macro_rules! single {
        ($ty:ty, $depth:expr, $index:expr) => {
            for (source, texel) in bytes.chunks_exact(size_of::<$ty>()).zip(texels) {
                let value = <$ty>::from_le_bytes(std::array::from_fn(|i| source[i]));
                *texel = if stencil {
                    (None, Some($index(value)))
                } else {
                    (Some($depth(value)), None)
                };
            }
        };
    }
    match layout.element {
        Element::I8 => single!(i8, |v| from_snorm(i32::from(v), 8), |v| v as u32),
        Element::U8 => single!(u8, |v| from_unorm(u32::from(v), 8), u32::from),
        Element::I16 => single!(i16, |v| from_snorm(i32::from(v), 16), |v| v as u32),
        Element::U16 => single!(u16, |v| from_unorm(u32::from(v), 16), u32::from),
        Element::I32 => single!(i32, |v| from_snorm(v, 32), |v| v as u32),
        Element::U32 => single!(u32, |v| from_unorm(v, 32), |v| v),
        Element::F16 => single!(u16, from_half, |v| from_half(v) as i64 as u32),
        Element::F32 => single!(f32, f64::from, |v: f32| v as i64 as u32),
        Element::U24 => single!(u32, |v| from_unorm(v >> 8, 24), |v| v),
        Element::Depth24Stencil8 => {
            for (source, texel) in bytes.chunks_exact(4).zip(texels) {
                let word = read_word(source);
                *texel = (Some(from_unorm(word >> 8, 24)), Some(word & 255));
            }
        }
        Element::Depth32FStencil8 => {
            for (source, texel) in bytes.chunks_exact(8).zip(texels) {
                let depth = f32::from_le_bytes(std::array::from_fn(|i| source[i]));
                *texel = (Some(f64::from(depth)), Some(u32::from(source[4])));
            }
        }
        Element::Bit | Element::Packed(_) | Element::SmallFloats | Element::SharedExponent => {}
    }
}

/// Writes depth and stencil. What the texels lack stays as it is in `bytes`, so that depth can be
/// replaced beneath stencil values. `index_mask` is what stencil values are reduced to first.
pub(super) fn write_depth_stencil(
    layout: &ClientLayout,
    texels: &[DepthStencil],
    bytes: &mut [u8],
) {
    let stencil = layout.channels() == [Channel::Stencil];
    /// Writes one element a texel, as depth or as stencil reduced to the bits given, which are
    /// those of OpenGL 4.6 compatibility, table 18.2 (index masks).
    macro_rules! single {
        ($bytes:literal, $depth:expr, $index:expr) => {
            for (target, texel) in bytes.chunks_exact_mut($bytes).zip(texels) {
                let value = if stencil {
                    texel.1.map($index)
                } else {
                    texel.0.map($depth)
                };
                if let Some(value) = value {
                    target.copy_from_slice(&value);
                }
            }
        };
    }
    match layout.element {
        Element::I8 => single!(1, |d| (to_snorm(d, 8).max(0) as i8).to_le_bytes(), |s| {
            ((s & 0x7f) as i8).to_le_bytes()
        }),
        Element::U8 => {
            single!(1, |d| (to_unorm(d, 8) as u8).to_le_bytes(), |s| (s as u8)
                .to_le_bytes())
        }
        Element::I16 => single!(2, |d| (to_snorm(d, 16).max(0) as i16).to_le_bytes(), |s| {
            ((s & 0x7fff) as i16).to_le_bytes()
        }),
        Element::U16 => {
            single!(2, |d| (to_unorm(d, 16) as u16).to_le_bytes(), |s| (s
                as u16)
                .to_le_bytes())
        }
        Element::I32 => single!(4, |d| to_snorm(d, 32).max(0).to_le_bytes(), |s| {
            ((s & 0x7fff_ffff) as i32).to_le_bytes()
        }),
        Element::U32 => single!(4, |d| to_unorm(d, 32).to_le_bytes(), |s: u32| s
            .to_le_bytes()),
        Element::F16 => {
            single!(2, |d| to_half(d).to_le_bytes(), |s| to_half(f64::from(s))
                .to_le_bytes())
        }
        Element::F32 => {
            single!(4, |d| (d as f32).to_le_bytes(), |s| (s as f32)
                .to_le_bytes())
        }
        Element::U24 => single!(
            4,
            |d| {
                // The low bits repeat the high ones: what GL_UNSIGNED_INT gives for 24 bits.
                let depth = to_unorm(d, 24);
                ((depth << 8) | (depth >> 16)).to_le_bytes()
            },
            |s: u32| s.to_le_bytes()
        ),
        Element::Depth24Stencil8 => {
            for (target, &(depth, stencil)) in bytes.chunks_exact_mut(4).zip(texels) {
                let mut word = read_word(target);
                if let Some(depth) = depth {
                    word = (word & 255) | (to_unorm(depth, 24) << 8);
                }
                if let Some(stencil) = stencil {
                    word = (word & !255) | (stencil & 255);
                }
                write_word(target, word);
            }
        }
        Element::Depth32FStencil8 => {
            for (target, &(depth, stencil)) in bytes.chunks_exact_mut(8).zip(texels) {
                if let Some(depth) = depth {
                    target[..4].copy_from_slice(&(depth as f32).to_le_bytes());
                }
                if let Some(stencil) = stencil {
                    target[4..].copy_from_slice(&(stencil & 255).to_le_bytes());
                }
            }
        }
        Element::Bit | Element::Packed(_) | Element::SmallFloats | Element::SharedExponent => {}
    }
}

/// Reads stencil values of one bit each, the first being bit `lead` of the row.
pub(super) fn read_bits(row: &[u8], lead: usize, lsb_first: bool, texels: &mut [DepthStencil]) {
    for (i, texel) in texels.iter_mut().enumerate() {
        *texel = (
            None,
            Some(u32::from(row[(lead + i) / 8] >> bit_shift(lead + i, lsb_first)) & 1),
        );
    }
}

/// Writes stencil values of one bit each, the first being bit `lead` of the row; bits around them
/// stay as they are.
pub(super) fn write_bits(row: &mut [u8], lead: usize, lsb_first: bool, texels: &[DepthStencil]) {
    for (i, texel) in texels.iter().enumerate() {
        let shift = bit_shift(lead + i, lsb_first);
        let bit = texel.1.unwrap_or(0) as u8 & 1;
        let byte = &mut row[(lead + i) / 8];
        *byte = (*byte & !(1 << shift)) | (bit << shift);
    }
}

/// Where the bit of a number lies in its byte.
fn bit_shift(index: usize, lsb_first: bool) -> u32 {
    let within = (index % 8) as u32;
    if lsb_first { within } else { 7 - within }
}
