//! Pixel formats of the pipe: the resolved, sized formats that textures, renderbuffers and
//! surfaces have once the client has resolved what the application asked for.
//!
//! A format is named by OpenGL's own sized internal format enum. One table (the `formats!`
//! invocation below) says everything about each of them; there is nothing compressed, nothing
//! luminance, alpha or intensity, and nothing unsized in it, because the client has resolved those
//! before anything crosses the pipe.
//!
//! Every format has one *transfer layout*: the tight, little-endian texel layout in which its bytes
//! cross the pipe. It equals what OpenGL calls the client-memory layout of
//! [`FormatInfo::transfer_format`] with [`FormatInfo::transfer_type`], at an alignment of one byte,
//! and both are a pair that OpenGL ES accepts for the format where OpenGL ES has the format.

use std::fmt;
use std::str::FromStr;

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// OpenGL enum values for pixel transfer formats and types, as used by [`FormatInfo`].
pub mod transfer {
    /// `GL_RED`
    pub const RED: u32 = 0x1903;
    /// `GL_RG`
    pub const RG: u32 = 0x8227;
    /// `GL_RGB`
    pub const RGB: u32 = 0x1907;
    /// `GL_RGBA`
    pub const RGBA: u32 = 0x1908;
    /// `GL_RED_INTEGER`
    pub const RED_INTEGER: u32 = 0x8D94;
    /// `GL_RG_INTEGER`
    pub const RG_INTEGER: u32 = 0x8228;
    /// `GL_RGB_INTEGER`
    pub const RGB_INTEGER: u32 = 0x8D98;
    /// `GL_RGBA_INTEGER`
    pub const RGBA_INTEGER: u32 = 0x8D99;
    /// `GL_DEPTH_COMPONENT`
    pub const DEPTH_COMPONENT: u32 = 0x1902;
    /// `GL_DEPTH_STENCIL`
    pub const DEPTH_STENCIL: u32 = 0x84F9;
    /// `GL_STENCIL_INDEX`
    pub const STENCIL_INDEX: u32 = 0x1901;

    /// `GL_BYTE`
    pub const BYTE: u32 = 0x1400;
    /// `GL_UNSIGNED_BYTE`
    pub const UNSIGNED_BYTE: u32 = 0x1401;
    /// `GL_SHORT`
    pub const SHORT: u32 = 0x1402;
    /// `GL_UNSIGNED_SHORT`
    pub const UNSIGNED_SHORT: u32 = 0x1403;
    /// `GL_INT`
    pub const INT: u32 = 0x1404;
    /// `GL_UNSIGNED_INT`
    pub const UNSIGNED_INT: u32 = 0x1405;
    /// `GL_FLOAT`
    pub const FLOAT: u32 = 0x1406;
    /// `GL_HALF_FLOAT`
    pub const HALF_FLOAT: u32 = 0x140B;
    /// `GL_UNSIGNED_SHORT_5_6_5`
    pub const UNSIGNED_SHORT_5_6_5: u32 = 0x8363;
    /// `GL_UNSIGNED_SHORT_4_4_4_4`
    pub const UNSIGNED_SHORT_4_4_4_4: u32 = 0x8033;
    /// `GL_UNSIGNED_SHORT_5_5_5_1`
    pub const UNSIGNED_SHORT_5_5_5_1: u32 = 0x8034;
    /// `GL_UNSIGNED_INT_2_10_10_10_REV`
    pub const UNSIGNED_INT_2_10_10_10_REV: u32 = 0x8368;
    /// `GL_UNSIGNED_INT_10F_11F_11F_REV`
    pub const UNSIGNED_INT_10F_11F_11F_REV: u32 = 0x8C3B;
    /// `GL_UNSIGNED_INT_5_9_9_9_REV`
    pub const UNSIGNED_INT_5_9_9_9_REV: u32 = 0x8C3E;
    /// `GL_UNSIGNED_INT_24_8`
    pub const UNSIGNED_INT_24_8: u32 = 0x84FA;
    /// `GL_FLOAT_32_UNSIGNED_INT_24_8_REV`
    pub const FLOAT_32_UNSIGNED_INT_24_8_REV: u32 = 0x8DAD;
}

/// A resolved pixel format: the value of OpenGL's sized internal format enum, or 0 for none.
///
/// Any `u32` is representable, so that records can be decoded before they are checked;
/// [`Format::info`] is the check.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[repr(transparent)]
pub struct Format(pub u32);

/// How the components of a format are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ComponentClass {
    /// Unsigned normalised integers: 0 to 1.
    Unorm,
    /// Signed normalised integers: -1 to 1.
    Snorm,
    /// Floating point, including the packed and shared-exponent forms.
    Float,
    /// Signed integers.
    Sint,
    /// Unsigned integers.
    Uint,
    /// Depth only.
    Depth,
    /// Stencil only.
    Stencil,
    /// Depth and stencil together.
    DepthStencil,
}

/// How the bytes of one texel are arranged in the transfer layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TexelLayout {
    /// One little-endian element a component, in component order, each of this many bytes.
    Array(u8),
    /// All components packed in one little-endian word of this many bytes.
    Packed(u8),
    /// A 32-bit float depth followed by a word whose low eight bits are the stencil value.
    FloatDepthStencil,
}

/// Bits a component has in storage; 0 where the format lacks the component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ComponentBits {
    /// Bits of red (mantissa bits for the shared-exponent format).
    pub red: u8,
    /// Bits of green.
    pub green: u8,
    /// Bits of blue.
    pub blue: u8,
    /// Bits of alpha.
    pub alpha: u8,
    /// Bits of depth.
    pub depth: u8,
    /// Bits of stencil.
    pub stencil: u8,
    /// Bits of the shared exponent.
    pub shared: u8,
}

/// Everything that is known of one format.
#[derive(Debug, PartialEq, Eq)]
pub struct FormatInfo {
    /// The format that this describes.
    pub format: Format,
    /// OpenGL's name for it, such as `GL_RGBA8`.
    pub name: &'static str,
    /// Bytes of one texel in the transfer layout.
    pub bytes: u32,
    /// The `format` argument that describes the transfer layout to OpenGL, see [`transfer`].
    pub transfer_format: u32,
    /// The `type` argument that describes the transfer layout to OpenGL, see [`transfer`].
    pub transfer_type: u32,
    /// How a texel's bytes are arranged.
    pub layout: TexelLayout,
    /// How components are stored.
    pub class: ComponentClass,
    /// Bits of each component.
    pub bits: ComponentBits,
    /// Colour components are encoded with the sRGB curve.
    pub srgb: bool,
    /// Desktop OpenGL can draw to it as a colour attachment (OpenGL 4.6, 9.4).
    pub color_renderable: bool,
    /// Desktop OpenGL can filter it linearly. True for depth (with or without comparison), false
    /// for integers and stencil.
    pub filterable: bool,
}

impl FormatInfo {
    /// Number of colour components; 0 for depth and stencil formats.
    pub const fn color_components(&self) -> u32 {
        let b = self.bits;
        (b.red != 0) as u32 + (b.green != 0) as u32 + (b.blue != 0) as u32 + (b.alpha != 0) as u32
    }

    /// Whether texels have an alpha component of their own.
    pub const fn has_alpha(&self) -> bool {
        self.bits.alpha != 0
    }

    /// Whether texels have colour components.
    pub const fn is_color(&self) -> bool {
        self.bits.red != 0
    }

    /// Whether texels have a depth component.
    pub const fn has_depth(&self) -> bool {
        self.bits.depth != 0
    }

    /// Whether texels have a stencil component.
    pub const fn has_stencil(&self) -> bool {
        self.bits.stencil != 0
    }

    /// Whether colour components are signed or unsigned integers that are not normalised.
    pub const fn is_integer(&self) -> bool {
        matches!(self.class, ComponentClass::Sint | ComponentClass::Uint)
    }

    /// The unsized base format: `GL_RED`, `GL_RG`, `GL_RGB`, `GL_RGBA`, `GL_DEPTH_COMPONENT`,
    /// `GL_STENCIL_INDEX` or `GL_DEPTH_STENCIL`.
    pub const fn base_format(&self) -> u32 {
        match self.class {
            ComponentClass::Depth => transfer::DEPTH_COMPONENT,
            ComponentClass::Stencil => transfer::STENCIL_INDEX,
            ComponentClass::DepthStencil => transfer::DEPTH_STENCIL,
            _ => match self.color_components() {
                1 => transfer::RED,
                2 => transfer::RG,
                3 => transfer::RGB,
                _ => transfer::RGBA,
            },
        }
    }
}

macro_rules! bits {
    ([$r:literal $g:literal $b:literal $a:literal]) => {
        ComponentBits {
            red: $r,
            green: $g,
            blue: $b,
            alpha: $a,
            depth: 0,
            stencil: 0,
            shared: 0,
        }
    };
    ([$r:literal $g:literal $b:literal $a:literal shared $e:literal]) => {
        ComponentBits {
            red: $r,
            green: $g,
            blue: $b,
            alpha: $a,
            depth: 0,
            stencil: 0,
            shared: $e,
        }
    };
    ([depth $d:literal stencil $s:literal]) => {
        ComponentBits {
            red: 0,
            green: 0,
            blue: 0,
            alpha: 0,
            depth: $d,
            stencil: $s,
            shared: 0,
        }
    };
}

/// Reads one row of the table a format and writes the constants, the list of all and the look-up.
macro_rules! formats {
    ($($name:ident = $value:literal, $bytes:literal, $tf:ident $tt:ident, $layout:expr, $class:ident,
       $bits:tt $(, $flag:ident)*;)*) => {
        impl Format {
            $(#[doc = concat!("`GL_", stringify!($name), "`")]
            pub const $name: Format = Format($value);)*

            /// Every format, in the table's order.
            pub const ALL: &'static [Format] = &[$(Format::$name),*];

            /// What is known of this format, or `None` where the value is not a format of the
            /// pipe ([`Format::NONE`] is not).
            pub fn info(self) -> Option<&'static FormatInfo> {
                match self.0 {
                    $($value => {
                        static INFO: FormatInfo = FormatInfo {
                            format: Format::$name,
                            name: concat!("GL_", stringify!($name)),
                            bytes: $bytes,
                            transfer_format: transfer::$tf,
                            transfer_type: transfer::$tt,
                            layout: $layout,
                            class: ComponentClass::$class,
                            bits: bits!($bits),
                            srgb: has_flag(&[$(stringify!($flag)),*], "srgb"),
                            color_renderable: has_flag(&[$(stringify!($flag)),*], "render"),
                            filterable: has_flag(&[$(stringify!($flag)),*], "filter"),
                        };
                        Some(&INFO)
                    })*
                    _ => None,
                }
            }
        }

        /// Every format's name and value, in the table's order.
        pub(crate) const NAMES: &[(&str, u32)] = &[$((concat!("GL_", stringify!($name)), $value)),*];
    };
}

/// Whether a table row names a flag; byte comparison because this runs at compile time.
const fn has_flag(flags: &[&str], wanted: &str) -> bool {
    let mut i = 0;
    while i < flags.len() {
        let (a, b) = (flags[i].as_bytes(), wanted.as_bytes());
        let mut same = a.len() == b.len();
        let mut k = 0;
        while same && k < a.len() {
            same = a[k] == b[k];
            k += 1;
        }
        if same {
            return true;
        }
        i += 1;
    }
    false
}

use TexelLayout::{Array, FloatDepthStencil, Packed};

formats! {
    R8 = 0x8229, 1, RED UNSIGNED_BYTE, Array(1), Unorm, [8 0 0 0], render, filter;
    RG8 = 0x822B, 2, RG UNSIGNED_BYTE, Array(1), Unorm, [8 8 0 0], render, filter;
    RGB8 = 0x8051, 3, RGB UNSIGNED_BYTE, Array(1), Unorm, [8 8 8 0], render, filter;
    RGBA8 = 0x8058, 4, RGBA UNSIGNED_BYTE, Array(1), Unorm, [8 8 8 8], render, filter;
    R16 = 0x822A, 2, RED UNSIGNED_SHORT, Array(2), Unorm, [16 0 0 0], render, filter;
    RG16 = 0x822C, 4, RG UNSIGNED_SHORT, Array(2), Unorm, [16 16 0 0], render, filter;
    RGB16 = 0x8054, 6, RGB UNSIGNED_SHORT, Array(2), Unorm, [16 16 16 0], render, filter;
    RGBA16 = 0x805B, 8, RGBA UNSIGNED_SHORT, Array(2), Unorm, [16 16 16 16], render, filter;

    R8_SNORM = 0x8F94, 1, RED BYTE, Array(1), Snorm, [8 0 0 0], render, filter;
    RG8_SNORM = 0x8F95, 2, RG BYTE, Array(1), Snorm, [8 8 0 0], render, filter;
    RGB8_SNORM = 0x8F96, 3, RGB BYTE, Array(1), Snorm, [8 8 8 0], render, filter;
    RGBA8_SNORM = 0x8F97, 4, RGBA BYTE, Array(1), Snorm, [8 8 8 8], render, filter;
    R16_SNORM = 0x8F98, 2, RED SHORT, Array(2), Snorm, [16 0 0 0], render, filter;
    RG16_SNORM = 0x8F99, 4, RG SHORT, Array(2), Snorm, [16 16 0 0], render, filter;
    RGB16_SNORM = 0x8F9A, 6, RGB SHORT, Array(2), Snorm, [16 16 16 0], render, filter;
    RGBA16_SNORM = 0x8F9B, 8, RGBA SHORT, Array(2), Snorm, [16 16 16 16], render, filter;

    SRGB8 = 0x8C41, 3, RGB UNSIGNED_BYTE, Array(1), Unorm, [8 8 8 0], srgb, render, filter;
    SRGB8_ALPHA8 = 0x8C43, 4, RGBA UNSIGNED_BYTE, Array(1), Unorm, [8 8 8 8], srgb, render, filter;

    RGB565 = 0x8D62, 2, RGB UNSIGNED_SHORT_5_6_5, Packed(2), Unorm, [5 6 5 0], render, filter;
    RGBA4 = 0x8056, 2, RGBA UNSIGNED_SHORT_4_4_4_4, Packed(2), Unorm, [4 4 4 4], render, filter;
    RGB5_A1 = 0x8057, 2, RGBA UNSIGNED_SHORT_5_5_5_1, Packed(2), Unorm, [5 5 5 1], render, filter;
    RGB10_A2 = 0x8059, 4, RGBA UNSIGNED_INT_2_10_10_10_REV, Packed(4), Unorm, [10 10 10 2], render, filter;
    RGB10_A2UI = 0x906F, 4, RGBA_INTEGER UNSIGNED_INT_2_10_10_10_REV, Packed(4), Uint, [10 10 10 2], render;
    R11F_G11F_B10F = 0x8C3A, 4, RGB UNSIGNED_INT_10F_11F_11F_REV, Packed(4), Float, [11 11 10 0], render, filter;
    RGB9_E5 = 0x8C3D, 4, RGB UNSIGNED_INT_5_9_9_9_REV, Packed(4), Float, [9 9 9 0 shared 5], filter;

    R16F = 0x822D, 2, RED HALF_FLOAT, Array(2), Float, [16 0 0 0], render, filter;
    RG16F = 0x822F, 4, RG HALF_FLOAT, Array(2), Float, [16 16 0 0], render, filter;
    RGB16F = 0x881B, 6, RGB HALF_FLOAT, Array(2), Float, [16 16 16 0], render, filter;
    RGBA16F = 0x881A, 8, RGBA HALF_FLOAT, Array(2), Float, [16 16 16 16], render, filter;
    R32F = 0x822E, 4, RED FLOAT, Array(4), Float, [32 0 0 0], render, filter;
    RG32F = 0x8230, 8, RG FLOAT, Array(4), Float, [32 32 0 0], render, filter;
    RGB32F = 0x8815, 12, RGB FLOAT, Array(4), Float, [32 32 32 0], render, filter;
    RGBA32F = 0x8814, 16, RGBA FLOAT, Array(4), Float, [32 32 32 32], render, filter;

    R8I = 0x8231, 1, RED_INTEGER BYTE, Array(1), Sint, [8 0 0 0], render;
    RG8I = 0x8237, 2, RG_INTEGER BYTE, Array(1), Sint, [8 8 0 0], render;
    RGB8I = 0x8D8F, 3, RGB_INTEGER BYTE, Array(1), Sint, [8 8 8 0], render;
    RGBA8I = 0x8D8E, 4, RGBA_INTEGER BYTE, Array(1), Sint, [8 8 8 8], render;
    R16I = 0x8233, 2, RED_INTEGER SHORT, Array(2), Sint, [16 0 0 0], render;
    RG16I = 0x8239, 4, RG_INTEGER SHORT, Array(2), Sint, [16 16 0 0], render;
    RGB16I = 0x8D89, 6, RGB_INTEGER SHORT, Array(2), Sint, [16 16 16 0], render;
    RGBA16I = 0x8D88, 8, RGBA_INTEGER SHORT, Array(2), Sint, [16 16 16 16], render;
    R32I = 0x8235, 4, RED_INTEGER INT, Array(4), Sint, [32 0 0 0], render;
    RG32I = 0x823B, 8, RG_INTEGER INT, Array(4), Sint, [32 32 0 0], render;
    RGB32I = 0x8D83, 12, RGB_INTEGER INT, Array(4), Sint, [32 32 32 0], render;
    RGBA32I = 0x8D82, 16, RGBA_INTEGER INT, Array(4), Sint, [32 32 32 32], render;

    R8UI = 0x8232, 1, RED_INTEGER UNSIGNED_BYTE, Array(1), Uint, [8 0 0 0], render;
    RG8UI = 0x8238, 2, RG_INTEGER UNSIGNED_BYTE, Array(1), Uint, [8 8 0 0], render;
    RGB8UI = 0x8D7D, 3, RGB_INTEGER UNSIGNED_BYTE, Array(1), Uint, [8 8 8 0], render;
    RGBA8UI = 0x8D7C, 4, RGBA_INTEGER UNSIGNED_BYTE, Array(1), Uint, [8 8 8 8], render;
    R16UI = 0x8234, 2, RED_INTEGER UNSIGNED_SHORT, Array(2), Uint, [16 0 0 0], render;
    RG16UI = 0x823A, 4, RG_INTEGER UNSIGNED_SHORT, Array(2), Uint, [16 16 0 0], render;
    RGB16UI = 0x8D77, 6, RGB_INTEGER UNSIGNED_SHORT, Array(2), Uint, [16 16 16 0], render;
    RGBA16UI = 0x8D76, 8, RGBA_INTEGER UNSIGNED_SHORT, Array(2), Uint, [16 16 16 16], render;
    R32UI = 0x8236, 4, RED_INTEGER UNSIGNED_INT, Array(4), Uint, [32 0 0 0], render;
    RG32UI = 0x823C, 8, RG_INTEGER UNSIGNED_INT, Array(4), Uint, [32 32 0 0], render;
    RGB32UI = 0x8D71, 12, RGB_INTEGER UNSIGNED_INT, Array(4), Uint, [32 32 32 0], render;
    RGBA32UI = 0x8D70, 16, RGBA_INTEGER UNSIGNED_INT, Array(4), Uint, [32 32 32 32], render;

    // The texel of DEPTH_COMPONENT24 is what GL_UNSIGNED_INT gives for it: the value in the high
    // 24 bits, the low eight ignored on the way in.
    DEPTH_COMPONENT16 = 0x81A5, 2, DEPTH_COMPONENT UNSIGNED_SHORT, Array(2), Depth, [depth 16 stencil 0], filter;
    DEPTH_COMPONENT24 = 0x81A6, 4, DEPTH_COMPONENT UNSIGNED_INT, Array(4), Depth, [depth 24 stencil 0], filter;
    DEPTH_COMPONENT32F = 0x8CAC, 4, DEPTH_COMPONENT FLOAT, Array(4), Depth, [depth 32 stencil 0], filter;
    DEPTH24_STENCIL8 = 0x88F0, 4, DEPTH_STENCIL UNSIGNED_INT_24_8, Packed(4), DepthStencil, [depth 24 stencil 8], filter;
    DEPTH32F_STENCIL8 = 0x8CAD, 8, DEPTH_STENCIL FLOAT_32_UNSIGNED_INT_24_8_REV, FloatDepthStencil, DepthStencil, [depth 32 stencil 8], filter;
    STENCIL_INDEX8 = 0x8D48, 1, STENCIL_INDEX UNSIGNED_BYTE, Array(1), Stencil, [depth 0 stencil 8];
}

impl Format {
    /// No format.
    pub const NONE: Format = Format(0);

    /// Whether this is [`Format::NONE`].
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Bytes of a tight row of `width` texels in the transfer layout; `None` where the value is
    /// not a format of the pipe.
    pub fn row_bytes(self, width: u32) -> Option<u64> {
        Some(u64::from(self.info()?.bytes) * u64::from(width))
    }

    /// Bytes of a tight image of `width` x `height` x `depth` texels in the transfer layout;
    /// `None` where the value is not a format of the pipe or the size exceeds 64 bits.
    pub fn image_bytes(self, width: u32, height: u32, depth: u32) -> Option<u64> {
        self.row_bytes(width)?
            .checked_mul(u64::from(height))?
            .checked_mul(u64::from(depth))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.info() {
            Some(info) => f.pad(info.name),
            None if self.is_none() => f.pad("NONE"),
            None => write!(f, "{:#06x}", self.0),
        }
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A word that is neither the name of a format nor a number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a pixel format")]
pub struct UnknownFormat(pub String);

impl FromStr for Format {
    type Err = UnknownFormat;

    /// Reads what [`Display`](fmt::Display) writes: a name, with or without its `GL_`, `NONE`, or a
    /// number (decimal, or hexadecimal after `0x`).
    fn from_str(text: &str) -> Result<Format, UnknownFormat> {
        if text == "NONE" {
            return Ok(Format::NONE);
        }
        let bare = text.strip_prefix("GL_").unwrap_or(text);
        let named = Format::ALL
            .iter()
            .filter_map(|f| f.info())
            .find(|info| info.name.strip_prefix("GL_") == Some(bare));
        if let Some(info) = named {
            return Ok(info.format);
        }
        let number = match text.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => text.parse(),
        };
        number
            .map(Format)
            .map_err(|_| UnknownFormat(text.to_owned()))
    }
}

impl Serialize for Format {
    /// A name for people, a `u32` otherwise.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            serializer.serialize_u32(self.0)
        }
    }
}

impl<'de> Deserialize<'de> for Format {
    /// Human-readable input may give the name or the number.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Format, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_any(NameOrNumber)
        } else {
            u32::deserialize(deserializer).map(Format)
        }
    }
}

/// Reads a format from a name or a number.
struct NameOrNumber;

impl de::Visitor<'_> for NameOrNumber {
    type Value = Format;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a pixel format, or its number")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Format, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Format, E> {
        u32::try_from(number)
            .map(Format)
            .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(number), &self))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Format, E> {
        u32::try_from(number)
            .map(Format)
            .map_err(|_| E::invalid_value(de::Unexpected::Signed(number), &self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn infos() -> impl Iterator<Item = &'static FormatInfo> {
        Format::ALL
            .iter()
            .map(|f| f.info().expect("every listed format has a row"))
    }

    #[test]
    fn look_up_returns_the_row_of_the_format() {
        for &format in Format::ALL {
            assert_eq!(
                format.info().map(|i| i.format),
                Some(format),
                "{}",
                format.0
            );
        }
        assert_eq!(Format::NONE.info(), None);
        // Unsized, luminance and compressed formats never cross the pipe.
        for value in [0x1908, 0x1907, 0x8040, 0x803C, 0x83F0, 0x8E8C, u32::MAX] {
            assert_eq!(Format(value).info(), None, "{value:#x}");
        }
        let mut values: Vec<u32> = Format::ALL.iter().map(|f| f.0).collect();
        values.sort_unstable();
        values.dedup();
        assert_eq!(values.len(), Format::ALL.len());
    }

    #[test]
    fn texel_sizes_follow_from_layout_and_bits() {
        for info in infos() {
            let b = info.bits;
            let sum: u32 = [
                b.red, b.green, b.blue, b.alpha, b.depth, b.stencil, b.shared,
            ]
            .iter()
            .map(|&n| u32::from(n))
            .sum();
            match info.layout {
                TexelLayout::Array(size) => {
                    let components = info.color_components()
                        + u32::from(info.has_depth())
                        + u32::from(info.has_stencil());
                    assert_eq!(info.bytes, components * u32::from(size), "{}", info.name);
                    if info.format != Format::DEPTH_COMPONENT24 {
                        assert_eq!(sum, info.bytes * 8, "{}", info.name);
                    }
                }
                TexelLayout::Packed(size) => {
                    assert_eq!(info.bytes, u32::from(size), "{}", info.name);
                    assert_eq!(sum, info.bytes * 8, "{}", info.name);
                }
                TexelLayout::FloatDepthStencil => {
                    assert_eq!((info.bytes, sum), (8, 40), "{}", info.name);
                }
            }
        }
    }

    #[test]
    fn transfer_pair_agrees_with_class_and_components() {
        use transfer::*;
        for info in infos() {
            let (class, name) = (info.class, info.name);
            if info.is_integer() {
                let base = match info.transfer_format {
                    RED_INTEGER => RED,
                    RG_INTEGER => RG,
                    RGB_INTEGER => RGB,
                    RGBA_INTEGER => RGBA,
                    other => panic!("{name}: {other:#x}"),
                };
                assert_eq!(base, info.base_format(), "{name}");
                assert!(!info.filterable, "{name}");
            } else {
                assert_eq!(info.transfer_format, info.base_format(), "{name}");
            }
            if let TexelLayout::Array(size) = info.layout {
                let expected = match (class, size) {
                    (ComponentClass::Unorm | ComponentClass::Uint | ComponentClass::Stencil, 1) => {
                        UNSIGNED_BYTE
                    }
                    (ComponentClass::Unorm | ComponentClass::Uint | ComponentClass::Depth, 2) => {
                        UNSIGNED_SHORT
                    }
                    (ComponentClass::Uint, 4) => UNSIGNED_INT,
                    (ComponentClass::Snorm | ComponentClass::Sint, 1) => BYTE,
                    (ComponentClass::Snorm | ComponentClass::Sint, 2) => SHORT,
                    (ComponentClass::Sint, 4) => INT,
                    (ComponentClass::Float, 2) => HALF_FLOAT,
                    (ComponentClass::Float, 4) => FLOAT,
                    (ComponentClass::Depth, 4) if info.bits.depth == 24 => UNSIGNED_INT,
                    (ComponentClass::Depth, 4) => FLOAT,
                    other => panic!("{name}: {other:?}"),
                };
                assert_eq!(info.transfer_type, expected, "{name}");
            }
            assert!(
                !info.color_renderable || info.is_color(),
                "{name}: only colour formats are colour-renderable"
            );
            assert_eq!(info.srgb, name.starts_with("GL_SRGB"), "{name}");
        }
    }

    #[test]
    fn sizes_are_exact_or_refused() {
        assert_eq!(Format::RGB8.row_bytes(7), Some(21));
        assert_eq!(Format::RGBA32F.row_bytes(u32::MAX), Some(16 * 0xffff_ffff));
        assert_eq!(Format::DEPTH32F_STENCIL8.image_bytes(3, 5, 2), Some(240));
        assert_eq!(Format::R8.image_bytes(0, 5, 2), Some(0));
        assert_eq!(
            Format::R8.image_bytes(u32::MAX, u32::MAX, 1),
            Some(0xffff_fffe_0000_0001)
        );
        assert_eq!(Format::RG8.image_bytes(u32::MAX, u32::MAX, 1), None);
        assert_eq!(Format::R8.image_bytes(u32::MAX, u32::MAX, 2), None);
        assert_eq!(Format::NONE.row_bytes(1), None);
        assert_eq!(Format(0x1908).image_bytes(1, 1, 1), None);
    }

    #[test]
    fn text_and_numbers_read_back() {
        for &format in Format::ALL {
            let name = format.to_string();
            assert_eq!(name.parse(), Ok(format));
            assert_eq!(name.trim_start_matches("GL_").parse(), Ok(format));
            let json = serde_json::to_string(&format).expect("a name serialises");
            assert_eq!(json, format!("\"{name}\""));
            let back: Format = serde_json::from_str(&json).expect("a name reads back");
            assert_eq!(back, format);
            let back: Format =
                serde_json::from_str(&format.0.to_string()).expect("a number reads back");
            assert_eq!(back, format);
            let bytes = postcard::to_stdvec(&format).expect("a format encodes");
            let back: Format = postcard::from_bytes(&bytes).expect("a format decodes");
            assert_eq!(back, format);
        }
        for odd in [Format::NONE, Format(0x1908), Format(u32::MAX)] {
            let json = serde_json::to_string(&odd).expect("any value serialises");
            let back: Format = serde_json::from_str(&json).expect("any value reads back");
            assert_eq!(back, odd, "{json}");
        }
        assert_eq!(Format::RGBA8.to_string(), "GL_RGBA8");
        assert_eq!(format!("{:?}", Format(0x1908)), "0x1908");
        assert!("GL_RGBA9".parse::<Format>().is_err());
        assert!("".parse::<Format>().is_err());
        for bad in ["-1", "4294967296", "1.5", "null", "\"GL_NOPE\""] {
            assert!(serde_json::from_str::<Format>(bad).is_err(), "{bad}");
        }
    }
}
