//! How each format of the pipe is stored in Vulkan (design: driver 5.6, pipe contract 3.7), and the
//! texels on both sides: the transfer layout that crosses the pipe, and what copies between buffers
//! and images read and write.
//!
//! Three-component formats get a fourth component that is 1 from the upload on, is never written
//! ([`Plan::write_mask`]), and is sampled as 1 ([`Plan::mapping`]); so blending with the destination's
//! alpha, read-backs and copies between formats see what GL wants. Formats that a device cannot draw
//! to are stored in a wider one that holds every value of theirs.

use crate::texels::{decode, encode};
use ash::vk;
use mgl_core::format::{ComponentClass, Format, FormatInfo, TexelLayout};
use mgl_core::pipe::{BackendError, Swizzle};

/// Features of a format's optimally tiled images, as the device gives them.
pub type FeaturesOf<'a> = &'a dyn Fn(vk::Format) -> vk::FormatFeatureFlags;

/// How stored texels differ from the transfer layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Texels {
    /// Not at all.
    Same,
    /// A fourth component that is 1 follows three of `size` bytes each.
    Widened { size: u8, one: [u8; 4] },
    /// 16-bit words whose bits are rotated right by so many.
    Rotated(u8),
    /// 16-bit words whose first and third of four components change places: (offsets, bits).
    Swapped { low: u8, high: u8, bits: u8 },
    /// The transfer layout of another format with the same values.
    Values(Format),
}

/// How depth is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DepthTexels {
    None,
    /// 16 bits, as in the transfer layout of `DEPTH_COMPONENT16`.
    Unorm16,
    /// 24 bits at the low end of a word; the rest is undefined.
    Unorm24,
    /// A 32-bit float.
    Float,
}

/// Storage of a format.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The pipe's format.
    pub info: &'static FormatInfo,
    /// Format of the image.
    pub format: vk::Format,
    /// Aspects of the image: of its own format, which may have stencil where the pipe's has none.
    pub aspects: vk::ImageAspectFlags,
    /// Bytes of a texel of the colour, depth or (where that is all there is) stencil aspect in
    /// buffers that are copied to and from images.
    pub bytes: u32,
    /// It can be drawn to.
    pub renderable: bool,
    /// It can be blended into.
    pub blendable: bool,
    /// It can be filtered linearly.
    pub filterable: bool,
    /// The format of views that leave the sRGB curve out; the same for formats without one.
    pub plain: vk::Format,
    texels: Texels,
    depth: DepthTexels,
}

const ATTACH: vk::FormatFeatureFlags = vk::FormatFeatureFlags::COLOR_ATTACHMENT;
const SAMPLED: vk::FormatFeatureFlags = vk::FormatFeatureFlags::SAMPLED_IMAGE;
const DEPTH_ATTACH: vk::FormatFeatureFlags = vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT;

impl Plan {
    /// Storage of `format` on a device with these features. Drawing to the format is provided for
    /// wherever GL can draw to it and the device has any format for it.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] with the format's name.
    pub fn of(format: Format, features: FeaturesOf<'_>) -> Result<Plan, BackendError> {
        let unsupported = || BackendError::Unsupported(format!("format {format}"));
        let info = format.info().ok_or_else(unsupported)?;
        let list = candidates(info);
        let has = |f: vk::Format, all: vk::FormatFeatureFlags| features(f).contains(all);
        let wanted = match (info.is_color(), info.color_renderable) {
            (true, true) => SAMPLED | ATTACH,
            (true, false) => SAMPLED,
            _ if info.has_depth() => SAMPLED | DEPTH_ATTACH,
            _ => DEPTH_ATTACH,
        };
        let found = list
            .iter()
            .find(|c| has(c.0, wanted))
            .or_else(|| list.iter().find(|c| has(c.0, SAMPLED)))
            .ok_or_else(unsupported)?;
        let (vk_format, texels) = *found;
        let own = features(vk_format);
        let (aspects, depth) = depth_of(vk_format);
        let bytes = match (depth, texels) {
            (DepthTexels::Unorm16, _) => 2,
            (DepthTexels::Unorm24 | DepthTexels::Float, _) if info.has_depth() => 4,
            _ if !info.is_color() => 1,
            (_, Texels::Widened { size, .. }) => 4 * u32::from(size),
            (_, Texels::Values(f)) => f.info().map_or(0, |i| i.bytes),
            _ => info.bytes,
        };
        Ok(Plan {
            info,
            format: vk_format,
            aspects,
            bytes,
            renderable: own.intersects(ATTACH | DEPTH_ATTACH),
            blendable: own.contains(vk::FormatFeatureFlags::COLOR_ATTACHMENT_BLEND),
            filterable: own.contains(vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_LINEAR),
            plain: match vk_format {
                vk::Format::R8G8B8A8_SRGB => vk::Format::R8G8B8A8_UNORM,
                f => f,
            },
            texels,
            depth,
        })
    }

    /// Bits of [`mgl_core::pipe::ColorMask`] that draws and clears may write.
    #[must_use]
    pub fn write_mask(&self) -> u32 {
        if self.info.is_color() && self.info.color_components() == 3 {
            0b0111
        } else {
            0b1111
        }
    }

    /// A clear colour for the image: the stored alpha of a format without alpha stays 1. The words
    /// are floats or integers, as the format has it.
    #[must_use]
    pub fn clear_words(&self, mut words: [u32; 4]) -> [u32; 4] {
        if self.write_mask() != 0b1111 {
            words[3] = if self.info.is_integer() {
                1
            } else {
                1f32.to_bits()
            };
        }
        words
    }

    /// Component mapping of a view for sampling, given the texture's own swizzle. Components that
    /// the format lacks read as GL wants: 0, and 1 for alpha.
    pub fn mapping(&self, swizzle: [Swizzle; 4]) -> vk::ComponentMapping {
        let parts = self.info.color_components();
        let one = |s: Swizzle| match s {
            Swizzle::RED => vk::ComponentSwizzle::R,
            Swizzle::GREEN if self.info.is_color() && parts < 2 => vk::ComponentSwizzle::ZERO,
            Swizzle::GREEN if self.info.is_color() => vk::ComponentSwizzle::G,
            Swizzle::BLUE if self.info.is_color() && parts > 2 => vk::ComponentSwizzle::B,
            Swizzle::ALPHA if self.info.has_alpha() => vk::ComponentSwizzle::A,
            Swizzle::ALPHA | Swizzle::ONE => vk::ComponentSwizzle::ONE,
            _ => vk::ComponentSwizzle::ZERO,
        };
        vk::ComponentMapping {
            r: one(swizzle[0]),
            g: one(swizzle[1]),
            b: one(swizzle[2]),
            a: one(swizzle[3]),
        }
    }

    /// Whether images of two plans hold the same bytes for the same texels, so that a copy between
    /// them needs no conversion.
    #[must_use]
    pub fn same_texels(&self, other: &Plan) -> bool {
        self.info.format == other.info.format
            || self.info.is_color()
                && other.info.is_color()
                && self.texels == Texels::Same
                && other.texels == Texels::Same
                && self.info.bytes == other.info.bytes
    }

    /// Whether the bytes that cross the pipe can be copied to and from the image as they are.
    #[must_use]
    pub fn is_direct(&self) -> bool {
        match self.info.class {
            ComponentClass::Depth => matches!(
                (self.info.format, self.depth),
                (Format::DEPTH_COMPONENT16, DepthTexels::Unorm16)
                    | (Format::DEPTH_COMPONENT32F, DepthTexels::Float)
            ),
            ComponentClass::DepthStencil => false,
            ComponentClass::Stencil => true,
            _ => self.texels == Texels::Same,
        }
    }

    /// Appends the image's texels for whole texels of the transfer layout: colour, depth (of a
    /// depth-stencil format the depth aspect), or stencil where that is all there is.
    pub fn to_image(&self, src: &[u8], out: &mut Vec<u8>) {
        let texels = src.chunks_exact(self.info.bytes as usize);
        if self.info.has_depth() {
            for p in texels {
                self.depth_to_image(p, out);
            }
            return;
        }
        match self.texels {
            Texels::Same => out.extend_from_slice(src),
            Texels::Widened { size, one } => {
                for p in texels {
                    out.extend_from_slice(p);
                    out.extend_from_slice(&one[..usize::from(size)]);
                }
            }
            Texels::Rotated(n) => words(src, out, |w| w.rotate_right(n.into())),
            Texels::Swapped { low, high, bits } => words(src, out, |w| swap(w, low, high, bits)),
            Texels::Values(to) => {
                if let Some(to) = to.info() {
                    for p in texels {
                        encode(to, &decode(self.info, p), out);
                    }
                }
            }
        }
    }

    /// Appends whole texels of the transfer layout for the image's texels; the inverse of
    /// [`Plan::to_image`] for formats without stencil beside depth.
    pub fn from_image(&self, src: &[u8], out: &mut Vec<u8>) {
        let texels = src.chunks_exact(self.bytes.max(1) as usize);
        if self.info.has_depth() {
            for p in texels {
                self.join(p, 0, out);
            }
            return;
        }
        match self.texels {
            Texels::Same => out.extend_from_slice(src),
            Texels::Widened { size, .. } => {
                for p in texels {
                    out.extend_from_slice(&p[..3 * usize::from(size)]);
                }
            }
            Texels::Rotated(n) => words(src, out, |w| w.rotate_left(n.into())),
            Texels::Swapped { low, high, bits } => words(src, out, |w| swap(w, low, high, bits)),
            Texels::Values(from) => {
                if let Some(from) = from.info() {
                    for p in texels {
                        encode(self.info, &decode(from, p), out);
                    }
                }
            }
        }
    }

    fn depth_to_image(&self, p: &[u8], out: &mut Vec<u8>) {
        let word = |n: usize| {
            let mut w = [0; 4];
            w[..n].copy_from_slice(&p[..n]);
            u32::from_le_bytes(w)
        };
        let unorm24 = |v: u32| match self.depth {
            DepthTexels::Float => {
                let value = (f64::from(v) / f64::from(0xFF_FFFFu32)) as f32;
                value.to_bits()
            }
            _ => v,
        };
        match self.info.format {
            Format::DEPTH_COMPONENT16 if self.depth == DepthTexels::Unorm16 => {
                out.extend_from_slice(&p[..2]);
            }
            Format::DEPTH_COMPONENT16 => {
                let value = f32::from(word(2) as u16) / 65535.0;
                out.extend_from_slice(&value.to_le_bytes());
            }
            Format::DEPTH_COMPONENT24 | Format::DEPTH24_STENCIL8 => {
                out.extend_from_slice(&unorm24(word(4) >> 8).to_le_bytes());
            }
            _ => out.extend_from_slice(&p[..4]),
        }
    }

    /// Appends the bytes of the stencil aspect for whole texels of the transfer layout.
    pub fn stencil_to_image(&self, src: &[u8], out: &mut Vec<u8>) {
        let at = match self.info.format {
            Format::DEPTH24_STENCIL8 | Format::STENCIL_INDEX8 => 0,
            Format::DEPTH32F_STENCIL8 => 4,
            _ => return,
        };
        out.extend(src.chunks_exact(self.info.bytes as usize).map(|p| p[at]));
    }

    /// Appends whole texels of the transfer layout for texels of the depth aspect and the stencil
    /// aspect. An empty slice stands for an aspect that was not read: its values are 0.
    pub fn join_from_image(&self, depth: &[u8], stencil: &[u8], out: &mut Vec<u8>) {
        if !self.info.has_depth() {
            out.extend_from_slice(stencil);
            return;
        }
        let size = self.bytes.max(1) as usize;
        let zero = [0; 4];
        if depth.is_empty() {
            for &s in stencil {
                self.join(&zero[..size], s, out);
            }
            return;
        }
        for (n, d) in depth.chunks_exact(size).enumerate() {
            self.join(d, stencil.get(n).copied().unwrap_or(0), out);
        }
    }

    /// One texel from its depth, as the image has it, and its stencil.
    fn join(&self, depth: &[u8], stencil: u8, out: &mut Vec<u8>) {
        let word = match *depth {
            [a, b] => u32::from(u16::from_le_bytes([a, b])),
            [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
            _ => 0,
        };
        let unit =
            |max: f64| (f64::from(f32::from_bits(word)).clamp(0.0, 1.0) * max).round() as u32;
        let bits24 = || match self.depth {
            DepthTexels::Float => unit(16_777_215.0),
            _ => word & 0xFF_FFFF,
        };
        match self.info.format {
            Format::DEPTH_COMPONENT16 => {
                let v = match self.depth {
                    DepthTexels::Float => unit(65_535.0),
                    _ => word,
                };
                out.extend_from_slice(&(v as u16).to_le_bytes());
            }
            // GL widens 24 bits to 32 by repeating the upper ones.
            Format::DEPTH_COMPONENT24 => {
                let v = bits24();
                out.extend_from_slice(&(v << 8 | v >> 16).to_le_bytes());
            }
            Format::DEPTH24_STENCIL8 => {
                out.extend_from_slice(&(bits24() << 8 | u32::from(stencil)).to_le_bytes());
            }
            Format::DEPTH32F_STENCIL8 => {
                out.extend_from_slice(&word.to_le_bytes());
                out.extend_from_slice(&u32::from(stencil).to_le_bytes());
            }
            _ => out.extend_from_slice(&word.to_le_bytes()),
        }
    }
}

/// The format of a buffer texture's texels as they lie in the buffer, and whether a copy with a
/// fourth component ([`Plan::to_image`]'s) must be made because the device lacks three.
///
/// # Errors
///
/// [`BackendError::Unsupported`] with the format's name.
pub fn texel_buffer(
    format: Format,
    buffer_features: FeaturesOf<'_>,
) -> Result<(vk::Format, bool), BackendError> {
    let unsupported = || BackendError::Unsupported(format!("buffer textures of format {format}"));
    let info = format.info().ok_or_else(unsupported)?;
    let three = match format {
        Format::RGB32F => Some(vk::Format::R32G32B32_SFLOAT),
        Format::RGB32I => Some(vk::Format::R32G32B32_SINT),
        Format::RGB32UI => Some(vk::Format::R32G32B32_UINT),
        _ => None,
    };
    let has = |f| buffer_features(f).contains(vk::FormatFeatureFlags::UNIFORM_TEXEL_BUFFER);
    if let Some(f) = three
        && has(f)
    {
        return Ok((f, false));
    }
    let (first, texels) = candidates(info)[0];
    let widened = matches!(texels, Texels::Widened { .. });
    if info.is_color() && has(first) && (texels == Texels::Same || three.is_some() && widened) {
        return Ok((first, widened));
    }
    Err(unsupported())
}

/// Appends eight-bit RGBA texels, as on a screen, for texels of the transfer layout. Formats without
/// alpha give 255; integers are clamped.
pub fn to_rgba8(info: &FormatInfo, src: &[u8], out: &mut Vec<u8>) {
    if matches!(info.format, Format::RGBA8 | Format::SRGB8_ALPHA8) {
        out.extend_from_slice(src);
        return;
    }
    for p in src.chunks_exact(info.bytes as usize) {
        let texel = decode(info, p);
        let scale = if info.is_integer() { 1.0 } else { 255.0 };
        for (n, v) in texel.into_iter().enumerate() {
            let byte = (v * scale).round().clamp(0.0, 255.0) as u8;
            out.push(if n == 3 && !info.has_alpha() {
                255
            } else {
                byte
            });
        }
    }
}

/// Aspects of an image format, and how its depth is stored.
fn depth_of(format: vk::Format) -> (vk::ImageAspectFlags, DepthTexels) {
    let (depth, stencil) = (vk::ImageAspectFlags::DEPTH, vk::ImageAspectFlags::STENCIL);
    match format {
        vk::Format::D16_UNORM => (depth, DepthTexels::Unorm16),
        vk::Format::X8_D24_UNORM_PACK32 => (depth, DepthTexels::Unorm24),
        vk::Format::D32_SFLOAT => (depth, DepthTexels::Float),
        vk::Format::D24_UNORM_S8_UINT => (depth | stencil, DepthTexels::Unorm24),
        vk::Format::D32_SFLOAT_S8_UINT => (depth | stencil, DepthTexels::Float),
        vk::Format::S8_UINT => (stencil, DepthTexels::None),
        _ => (vk::ImageAspectFlags::COLOR, DepthTexels::None),
    }
}

fn words(src: &[u8], out: &mut Vec<u8>, f: impl Fn(u16) -> u16) {
    for p in src.chunks_exact(2) {
        out.extend_from_slice(&f(u16::from_le_bytes([p[0], p[1]])).to_le_bytes());
    }
}

/// Two components of `bits` bits at `low` and `high` change places.
fn swap(w: u16, low: u8, high: u8, bits: u8) -> u16 {
    let mask = (1u16 << bits) - 1;
    let (a, b) = (w >> low & mask, w >> high & mask);
    w & !(mask << low | mask << high) | a << high | b << low
}

/// The bytes of 1 in a component of a format.
fn one_of(info: &FormatInfo) -> (u8, [u8; 4]) {
    let size = match info.layout {
        TexelLayout::Array(n) => n,
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
    (size, one.to_le_bytes())
}

/// Image formats for a format, the best first. The first is the one with the format's own bits.
fn candidates(info: &FormatInfo) -> Vec<(vk::Format, Texels)> {
    use vk::Format as V;
    let same = |f| (f, Texels::Same);
    let values = |f, of| (f, Texels::Values(of));
    let wide = |f| {
        let (size, one) = one_of(info);
        (f, Texels::Widened { size, one })
    };
    // Wider formats that hold every value of the 16-bit normalised ones.
    let floats = |list: &mut Vec<(V, Texels)>| {
        list.push(match info.color_components() {
            1 => values(V::R32_SFLOAT, Format::R32F),
            2 => values(V::R32G32_SFLOAT, Format::RG32F),
            _ => values(V::R32G32B32A32_SFLOAT, Format::RGBA32F),
        });
    };
    // And of the 8-bit signed ones.
    let halves = |list: &mut Vec<(V, Texels)>| {
        list.push(match info.color_components() {
            1 => values(V::R16_SFLOAT, Format::R16F),
            2 => values(V::R16G16_SFLOAT, Format::RG16F),
            _ => values(V::R16G16B16A16_SFLOAT, Format::RGBA16F),
        });
    };
    let mut list = Vec::with_capacity(4);
    match info.format {
        Format::R8 => list.push(same(V::R8_UNORM)),
        Format::RG8 => list.push(same(V::R8G8_UNORM)),
        Format::RGB8 => list.push(wide(V::R8G8B8A8_UNORM)),
        Format::RGBA8 => list.push(same(V::R8G8B8A8_UNORM)),
        Format::R16 => list.push(same(V::R16_UNORM)),
        Format::RG16 => list.push(same(V::R16G16_UNORM)),
        Format::RGB16 => list.push(wide(V::R16G16B16A16_UNORM)),
        Format::RGBA16 => list.push(same(V::R16G16B16A16_UNORM)),
        Format::R8_SNORM => list.push(same(V::R8_SNORM)),
        Format::RG8_SNORM => list.push(same(V::R8G8_SNORM)),
        Format::RGB8_SNORM => list.push(wide(V::R8G8B8A8_SNORM)),
        Format::RGBA8_SNORM => list.push(same(V::R8G8B8A8_SNORM)),
        Format::R16_SNORM => list.push(same(V::R16_SNORM)),
        Format::RG16_SNORM => list.push(same(V::R16G16_SNORM)),
        Format::RGB16_SNORM => list.push(wide(V::R16G16B16A16_SNORM)),
        Format::RGBA16_SNORM => list.push(same(V::R16G16B16A16_SNORM)),
        Format::SRGB8 => list.push(wide(V::R8G8B8A8_SRGB)),
        Format::SRGB8_ALPHA8 => list.push(same(V::R8G8B8A8_SRGB)),

        Format::RGB565 => {
            list.push(same(V::R5G6B5_UNORM_PACK16));
            list.push((
                V::B5G6R5_UNORM_PACK16,
                Texels::Swapped {
                    low: 0,
                    high: 11,
                    bits: 5,
                },
            ));
            list.push(values(V::R8G8B8A8_UNORM, Format::RGBA8));
        }
        Format::RGBA4 => {
            list.push(same(V::R4G4B4A4_UNORM_PACK16));
            list.push((
                V::B4G4R4A4_UNORM_PACK16,
                Texels::Swapped {
                    low: 4,
                    high: 12,
                    bits: 4,
                },
            ));
            list.push((V::A4R4G4B4_UNORM_PACK16, Texels::Rotated(4)));
            list.push(values(V::R8G8B8A8_UNORM, Format::RGBA8));
        }
        Format::RGB5_A1 => {
            list.push(same(V::R5G5B5A1_UNORM_PACK16));
            list.push((V::A1R5G5B5_UNORM_PACK16, Texels::Rotated(1)));
            list.push((
                V::B5G5R5A1_UNORM_PACK16,
                Texels::Swapped {
                    low: 1,
                    high: 11,
                    bits: 5,
                },
            ));
            list.push(values(V::R8G8B8A8_UNORM, Format::RGBA8));
        }
        Format::RGB10_A2 => {
            list.push(same(V::A2B10G10R10_UNORM_PACK32));
            list.push(values(V::R16G16B16A16_UNORM, Format::RGBA16));
            list.push(values(V::R32G32B32A32_SFLOAT, Format::RGBA32F));
        }
        Format::RGB10_A2UI => {
            list.push(same(V::A2B10G10R10_UINT_PACK32));
            list.push(values(V::R16G16B16A16_UINT, Format::RGBA16UI));
        }
        Format::R11F_G11F_B10F => {
            list.push(same(V::B10G11R11_UFLOAT_PACK32));
            list.push(values(V::R16G16B16A16_SFLOAT, Format::RGBA16F));
        }
        Format::RGB9_E5 => {
            list.push(same(V::E5B9G9R9_UFLOAT_PACK32));
            list.push(values(V::R32G32B32A32_SFLOAT, Format::RGBA32F));
        }

        Format::R16F => list.push(same(V::R16_SFLOAT)),
        Format::RG16F => list.push(same(V::R16G16_SFLOAT)),
        Format::RGB16F => list.push(wide(V::R16G16B16A16_SFLOAT)),
        Format::RGBA16F => list.push(same(V::R16G16B16A16_SFLOAT)),
        Format::R32F => list.push(same(V::R32_SFLOAT)),
        Format::RG32F => list.push(same(V::R32G32_SFLOAT)),
        Format::RGB32F => list.push(wide(V::R32G32B32A32_SFLOAT)),
        Format::RGBA32F => list.push(same(V::R32G32B32A32_SFLOAT)),

        Format::R8I => list.push(same(V::R8_SINT)),
        Format::RG8I => list.push(same(V::R8G8_SINT)),
        Format::RGB8I => list.push(wide(V::R8G8B8A8_SINT)),
        Format::RGBA8I => list.push(same(V::R8G8B8A8_SINT)),
        Format::R16I => list.push(same(V::R16_SINT)),
        Format::RG16I => list.push(same(V::R16G16_SINT)),
        Format::RGB16I => list.push(wide(V::R16G16B16A16_SINT)),
        Format::RGBA16I => list.push(same(V::R16G16B16A16_SINT)),
        Format::R32I => list.push(same(V::R32_SINT)),
        Format::RG32I => list.push(same(V::R32G32_SINT)),
        Format::RGB32I => list.push(wide(V::R32G32B32A32_SINT)),
        Format::RGBA32I => list.push(same(V::R32G32B32A32_SINT)),
        Format::R8UI => list.push(same(V::R8_UINT)),
        Format::RG8UI => list.push(same(V::R8G8_UINT)),
        Format::RGB8UI => list.push(wide(V::R8G8B8A8_UINT)),
        Format::RGBA8UI => list.push(same(V::R8G8B8A8_UINT)),
        Format::R16UI => list.push(same(V::R16_UINT)),
        Format::RG16UI => list.push(same(V::R16G16_UINT)),
        Format::RGB16UI => list.push(wide(V::R16G16B16A16_UINT)),
        Format::RGBA16UI => list.push(same(V::R16G16B16A16_UINT)),
        Format::R32UI => list.push(same(V::R32_UINT)),
        Format::RG32UI => list.push(same(V::R32G32_UINT)),
        Format::RGB32UI => list.push(wide(V::R32G32B32A32_UINT)),
        Format::RGBA32UI => list.push(same(V::R32G32B32A32_UINT)),

        Format::DEPTH_COMPONENT16 => {
            list.push(same(V::D16_UNORM));
            list.push(same(V::D32_SFLOAT));
        }
        Format::DEPTH_COMPONENT24 => {
            list.push(same(V::X8_D24_UNORM_PACK32));
            list.push(same(V::D24_UNORM_S8_UINT));
            list.push(same(V::D32_SFLOAT));
        }
        Format::DEPTH_COMPONENT32F => {
            list.push(same(V::D32_SFLOAT));
            list.push(same(V::D32_SFLOAT_S8_UINT));
        }
        Format::DEPTH24_STENCIL8 => {
            list.push(same(V::D24_UNORM_S8_UINT));
            list.push(same(V::D32_SFLOAT_S8_UINT));
        }
        Format::DEPTH32F_STENCIL8 => list.push(same(V::D32_SFLOAT_S8_UINT)),
        Format::STENCIL_INDEX8 => {
            list.push(same(V::S8_UINT));
            list.push(same(V::D24_UNORM_S8_UINT));
            list.push(same(V::D32_SFLOAT_S8_UINT));
        }
        _ => {}
    }
    match (info.class, info.layout) {
        (ComponentClass::Unorm | ComponentClass::Snorm, TexelLayout::Array(2)) => {
            floats(&mut list);
        }
        (ComponentClass::Snorm, TexelLayout::Array(1)) => halves(&mut list),
        _ => {}
    }
    list
}

#[cfg(test)]
mod tests;
