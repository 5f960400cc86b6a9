//! How a format of the pipe is stored in images, and the conversions between its transfer layout and what copies between
//! buffers and images move, an aspect at a time.

use super::gpu::Gpu;
use crate::espryt::convert::{decode, encode};
use ash::vk;
use mgl_core::format::{ComponentClass, Format, FormatInfo};
use mgl_core::pipe::BackendError;

/// What is done to texels on their way into an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    /// Nothing.
    None,
    /// Other components of the same values: decoded and encoded as this format.
    Recode(Format),
    /// Depth in the high 24 bits of a word; images have it in the low ones.
    Depth24,
    /// As above with stencil in the low eight bits.
    Depth24Stencil8,
    /// 24-bit depth, stored as a float.
    Depth24AsFloat,
    /// 24-bit depth and stencil, the depth stored as a float.
    Depth24AsFloatStencil8,
    /// A float and a word of stencil.
    FloatStencil8,
}

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// The pipe's format.
    pub info: &'static FormatInfo,
    /// Vulkan's.
    pub vk: vk::Format,
    /// Vulkan's without sRGB encoding; the same where there is none.
    pub linear: vk::Format,
    change: Change,
    /// The image has an alpha that the format lacks: it is one, and stays so.
    pub opaque: bool,
    /// Can be drawn to.
    pub renderable: bool,
    /// Can be filtered linearly.
    pub filterable: bool,
    /// vkCmdBlitImage reads and writes it.
    pub blits: bool,
    /// Can be sampled.
    pub sampled: bool,
}

/// Vulkan's format with the pipe's transfer layout, for those that have one.
fn direct(f: Format) -> Option<vk::Format> {
    use vk::Format as V;
    Some(match f {
        Format::R8 => V::R8_UNORM,
        Format::RG8 => V::R8G8_UNORM,
        Format::RGB8 => V::R8G8B8_UNORM,
        Format::RGBA8 => V::R8G8B8A8_UNORM,
        Format::R16 => V::R16_UNORM,
        Format::RG16 => V::R16G16_UNORM,
        Format::RGB16 => V::R16G16B16_UNORM,
        Format::RGBA16 => V::R16G16B16A16_UNORM,
        Format::R8_SNORM => V::R8_SNORM,
        Format::RG8_SNORM => V::R8G8_SNORM,
        Format::RGB8_SNORM => V::R8G8B8_SNORM,
        Format::RGBA8_SNORM => V::R8G8B8A8_SNORM,
        Format::R16_SNORM => V::R16_SNORM,
        Format::RG16_SNORM => V::R16G16_SNORM,
        Format::RGB16_SNORM => V::R16G16B16_SNORM,
        Format::RGBA16_SNORM => V::R16G16B16A16_SNORM,
        Format::SRGB8 => V::R8G8B8_SRGB,
        Format::SRGB8_ALPHA8 => V::R8G8B8A8_SRGB,
        Format::RGB565 => V::R5G6B5_UNORM_PACK16,
        Format::RGBA4 => V::R4G4B4A4_UNORM_PACK16,
        Format::RGB5_A1 => V::R5G5B5A1_UNORM_PACK16,
        Format::RGB10_A2 => V::A2B10G10R10_UNORM_PACK32,
        Format::RGB10_A2UI => V::A2B10G10R10_UINT_PACK32,
        Format::R11F_G11F_B10F => V::B10G11R11_UFLOAT_PACK32,
        Format::RGB9_E5 => V::E5B9G9R9_UFLOAT_PACK32,
        Format::R16F => V::R16_SFLOAT,
        Format::RG16F => V::R16G16_SFLOAT,
        Format::RGB16F => V::R16G16B16_SFLOAT,
        Format::RGBA16F => V::R16G16B16A16_SFLOAT,
        Format::R32F => V::R32_SFLOAT,
        Format::RG32F => V::R32G32_SFLOAT,
        Format::RGB32F => V::R32G32B32_SFLOAT,
        Format::RGBA32F => V::R32G32B32A32_SFLOAT,
        Format::R8I => V::R8_SINT,
        Format::RG8I => V::R8G8_SINT,
        Format::RGB8I => V::R8G8B8_SINT,
        Format::RGBA8I => V::R8G8B8A8_SINT,
        Format::R16I => V::R16_SINT,
        Format::RG16I => V::R16G16_SINT,
        Format::RGB16I => V::R16G16B16_SINT,
        Format::RGBA16I => V::R16G16B16A16_SINT,
        Format::R32I => V::R32_SINT,
        Format::RG32I => V::R32G32_SINT,
        Format::RGB32I => V::R32G32B32_SINT,
        Format::RGBA32I => V::R32G32B32A32_SINT,
        Format::R8UI => V::R8_UINT,
        Format::RG8UI => V::R8G8_UINT,
        Format::RGB8UI => V::R8G8B8_UINT,
        Format::RGBA8UI => V::R8G8B8A8_UINT,
        Format::R16UI => V::R16_UINT,
        Format::RG16UI => V::R16G16_UINT,
        Format::RGB16UI => V::R16G16B16_UINT,
        Format::RGBA16UI => V::R16G16B16A16_UINT,
        Format::R32UI => V::R32_UINT,
        Format::RG32UI => V::R32G32_UINT,
        Format::RGB32UI => V::R32G32B32_UINT,
        Format::RGBA32UI => V::R32G32B32A32_UINT,
        Format::DEPTH_COMPONENT16 => V::D16_UNORM,
        Format::DEPTH_COMPONENT32F => V::D32_SFLOAT,
        Format::STENCIL_INDEX8 => V::S8_UINT,
        _ => return None,
    })
}

/// Formats with at least the same components and bits, in order of preference; the last is one that every device has.
fn stand_ins(f: Format) -> &'static [Format] {
    match f {
        Format::RGB8 => &[Format::RGBA8],
        Format::SRGB8 => &[Format::SRGB8_ALPHA8],
        Format::RGB16 => &[Format::RGBA16, Format::RGBA32F],
        Format::RGB8_SNORM => &[Format::RGBA8_SNORM],
        Format::RGB16_SNORM => &[Format::RGBA16_SNORM, Format::RGBA32F],
        Format::RGB16F => &[Format::RGBA16F],
        Format::RGB32F => &[Format::RGBA32F],
        Format::RGB8I => &[Format::RGBA8I],
        Format::RGB16I => &[Format::RGBA16I],
        Format::RGB32I => &[Format::RGBA32I],
        Format::RGB8UI => &[Format::RGBA8UI],
        Format::RGB16UI => &[Format::RGBA16UI],
        Format::RGB32UI => &[Format::RGBA32UI],
        Format::RGB565 | Format::RGBA4 | Format::RGB5_A1 => &[Format::RGBA8],
        Format::RGB10_A2 => &[Format::RGBA16, Format::RGBA32F],
        Format::RGB10_A2UI => &[Format::RGBA16UI],
        Format::R11F_G11F_B10F => &[Format::RGBA16F],
        Format::RGB9_E5 => &[Format::RGBA16F],
        Format::R16 => &[Format::R32F],
        Format::RG16 => &[Format::RG32F],
        Format::RGBA16 => &[Format::RGBA32F],
        Format::R8_SNORM => &[Format::R16F],
        Format::RG8_SNORM => &[Format::RG16F],
        Format::RGBA8_SNORM => &[Format::RGBA16F],
        Format::R16_SNORM => &[Format::R32F],
        Format::RG16_SNORM => &[Format::RG32F],
        Format::RGBA16_SNORM => &[Format::RGBA32F],
        _ => &[],
    }
}

fn linear(f: vk::Format) -> vk::Format {
    match f {
        vk::Format::R8G8B8A8_SRGB => vk::Format::R8G8B8A8_UNORM,
        vk::Format::R8G8B8_SRGB => vk::Format::R8G8B8_UNORM,
        f => f,
    }
}

impl Plan {
    /// How a format is stored on a device.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] when there is nothing to store it in.
    pub fn of(gpu: &Gpu, format: Format) -> Result<Self, BackendError> {
        let Some(info) = format.info() else {
            return Err(BackendError::Unsupported(format!("format {format}")));
        };
        let features = |f: vk::Format| gpu.format_features(f).optimal_tiling_features;
        let wanted = if info.color_renderable {
            vk::FormatFeatureFlags::COLOR_ATTACHMENT | vk::FormatFeatureFlags::SAMPLED_IMAGE
        } else if info.is_color() {
            vk::FormatFeatureFlags::SAMPLED_IMAGE
        } else {
            vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT
        };
        let good = |f: vk::Format| features(f).contains(wanted);
        let made = |vk: vk::Format, change: Change, opaque: bool| {
            let f = features(vk);
            Self {
                info,
                vk,
                linear: linear(vk),
                change,
                opaque,
                renderable: f.intersects(
                    vk::FormatFeatureFlags::COLOR_ATTACHMENT
                        | vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT,
                ),
                filterable: f.contains(vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_LINEAR),
                blits: f.contains(
                    vk::FormatFeatureFlags::BLIT_SRC | vk::FormatFeatureFlags::BLIT_DST,
                ),
                sampled: f.contains(vk::FormatFeatureFlags::SAMPLED_IMAGE),
            }
        };
        let first = |list: &[(vk::Format, Change)]| {
            list.iter().find(|(f, _)| good(*f)).map(|(f, c)| made(*f, *c, false))
        };
        use vk::Format as V;
        let found = match format {
            Format::DEPTH_COMPONENT24 => first(&[
                (V::X8_D24_UNORM_PACK32, Change::Depth24),
                (V::D32_SFLOAT, Change::Depth24AsFloat),
            ]),
            Format::DEPTH24_STENCIL8 => first(&[
                (V::D24_UNORM_S8_UINT, Change::Depth24Stencil8),
                (V::D32_SFLOAT_S8_UINT, Change::Depth24AsFloatStencil8),
            ]),
            Format::DEPTH32F_STENCIL8 => first(&[(V::D32_SFLOAT_S8_UINT, Change::FloatStencil8)]),
            _ => {
                // Three components are rarely drawn to: they have a fourth everywhere, so that a trace's images are the
                // same on every device.
                let three = info.color_components() == 3
                    && matches!(info.layout, mgl_core::format::TexelLayout::Array(_));
                let own = direct(format).filter(|f| !three && good(*f));
                own.map(|f| made(f, Change::None, false)).or_else(|| {
                    stand_ins(format).iter().find_map(|s| {
                        let to = s.info()?;
                        direct(*s).filter(|f| good(*f)).map(|f| {
                            made(
                                f,
                                Change::Recode(*s),
                                to.has_alpha() && !info.has_alpha(),
                            )
                        })
                    })
                })
            }
        };
        found.ok_or_else(|| BackendError::Unsupported(format!("{format} on this device")))
    }

    /// All aspects of the image.
    pub fn aspects(&self) -> vk::ImageAspectFlags {
        match self.info.class {
            ComponentClass::Depth => vk::ImageAspectFlags::DEPTH,
            ComponentClass::Stencil => vk::ImageAspectFlags::STENCIL,
            ComponentClass::DepthStencil => {
                vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL
            }
            _ => vk::ImageAspectFlags::COLOR,
        }
    }

    /// Aspects that are copied one by one, with the bytes of a texel of each.
    pub fn copies(&self) -> &'static [(vk::ImageAspectFlags, u32)] {
        const DEPTH: vk::ImageAspectFlags = vk::ImageAspectFlags::DEPTH;
        const STENCIL: vk::ImageAspectFlags = vk::ImageAspectFlags::STENCIL;
        const COLOR: vk::ImageAspectFlags = vk::ImageAspectFlags::COLOR;
        match (self.info.class, self.stored_bytes()) {
            (ComponentClass::Depth, 2) => &[(DEPTH, 2)],
            (ComponentClass::Depth, _) => &[(DEPTH, 4)],
            (ComponentClass::Stencil, _) => &[(STENCIL, 1)],
            (ComponentClass::DepthStencil, _) => &[(DEPTH, 4), (STENCIL, 1)],
            (_, 1) => &[(COLOR, 1)],
            (_, 2) => &[(COLOR, 2)],
            (_, 3) => &[(COLOR, 3)],
            (_, 4) => &[(COLOR, 4)],
            (_, 6) => &[(COLOR, 6)],
            (_, 8) => &[(COLOR, 8)],
            (_, 12) => &[(COLOR, 12)],
            _ => &[(COLOR, 16)],
        }
    }

    /// Bytes of a texel of a colour format as copies move it.
    pub fn stored_bytes(&self) -> u32 {
        match self.change {
            Change::Recode(f) => f.info().map_or(0, |i| i.bytes),
            _ => self.info.bytes,
        }
    }

    /// Whether copies move the transfer layout itself.
    pub fn is_direct(&self) -> bool {
        self.change == Change::None
    }

    /// Component mapping that a view needs so that the format's components come out as GL's.
    pub fn alpha_one(&self) -> bool {
        self.opaque
    }

    /// Turns whole texels of the transfer layout into what a copy to `aspect` moves. `out` has the room for them.
    pub fn pack(&self, aspect: vk::ImageAspectFlags, texels: &[u8], out: &mut [u8]) {
        let word = |p: &[u8]| u32::from_le_bytes([p[0], p[1], p[2], p[3]]);
        let size = self.info.bytes as usize;
        let depth = aspect == vk::ImageAspectFlags::DEPTH;
        let source = texels.chunks_exact(size);
        match self.change {
            Change::None => out.copy_from_slice(texels),
            Change::Recode(f) => {
                let Some(to) = f.info() else { return };
                let n = to.bytes as usize;
                let mut one = Vec::with_capacity(16);
                for (p, o) in source.zip(out.chunks_exact_mut(n)) {
                    one.clear();
                    encode(to, &decode(self.info, p), &mut one);
                    o.copy_from_slice(&one[..n]);
                }
            }
            Change::Depth24 => {
                for (p, o) in source.zip(out.chunks_exact_mut(4)) {
                    o.copy_from_slice(&(word(p) >> 8).to_le_bytes());
                }
            }
            Change::Depth24Stencil8 if depth => {
                for (p, o) in source.zip(out.chunks_exact_mut(4)) {
                    o.copy_from_slice(&(word(p) >> 8).to_le_bytes());
                }
            }
            Change::Depth24AsFloat | Change::Depth24AsFloatStencil8 if depth => {
                for (p, o) in source.zip(out.chunks_exact_mut(4)) {
                    let v = f64::from(word(p) >> 8) / f64::from(0xFF_FFFF);
                    o.copy_from_slice(&(v as f32).to_le_bytes());
                }
            }
            Change::FloatStencil8 if depth => {
                for (p, o) in source.zip(out.chunks_exact_mut(4)) {
                    o.copy_from_slice(&p[..4]);
                }
            }
            Change::FloatStencil8 => {
                for (p, o) in source.zip(out) {
                    *o = p[4];
                }
            }
            _ => {
                for (p, o) in source.zip(out) {
                    *o = p[0];
                }
            }
        }
    }

    /// Appends whole texels of the transfer layout, made from what copies of the aspects gave.
    pub fn unpack(&self, parts: &[&[u8]], out: &mut Vec<u8>) {
        let word = |p: &[u8]| u32::from_le_bytes([p[0], p[1], p[2], p[3]]);
        let first = parts.first().copied().unwrap_or(&[]);
        let second = parts.get(1).copied().unwrap_or(&[]);
        let fixed = |f: f32| {
            let v = f64::from(f).clamp(0.0, 1.0) * f64::from(0xFF_FFFF);
            v.round() as u32
        };
        match self.change {
            Change::None => out.extend_from_slice(first),
            Change::Recode(f) => {
                let Some(from) = f.info() else { return };
                for p in first.chunks_exact(from.bytes as usize) {
                    encode(self.info, &decode(from, p), out);
                }
            }
            Change::Depth24 => {
                for p in first.chunks_exact(4) {
                    let d = word(p) & 0xFF_FFFF;
                    // As GL_UNSIGNED_INT: the highest bits fill the lowest.
                    out.extend_from_slice(&(d << 8 | d >> 16).to_le_bytes());
                }
            }
            Change::Depth24AsFloat => {
                for p in first.chunks_exact(4) {
                    let d = fixed(f32::from_bits(word(p)));
                    out.extend_from_slice(&(d << 8 | d >> 16).to_le_bytes());
                }
            }
            Change::Depth24Stencil8 => {
                for (p, s) in first.chunks_exact(4).zip(second) {
                    out.extend_from_slice(&(word(p) << 8 | u32::from(*s)).to_le_bytes());
                }
            }
            Change::Depth24AsFloatStencil8 => {
                for (p, s) in first.chunks_exact(4).zip(second) {
                    let d = fixed(f32::from_bits(word(p)));
                    out.extend_from_slice(&(d << 8 | u32::from(*s)).to_le_bytes());
                }
            }
            Change::FloatStencil8 => {
                for (p, s) in first.chunks_exact(4).zip(second) {
                    out.extend_from_slice(p);
                    out.extend_from_slice(&u32::from(*s).to_le_bytes());
                }
            }
        }
    }
}
