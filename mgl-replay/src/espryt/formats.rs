//! How each format of the pipe is stored in OpenGL ES (design: driver 5.5, pipe contract 3.7).
//!
//! Most formats exist in OpenGL ES under the same name. Three-component formats that desktop GL can draw to and OpenGL
//! ES cannot are stored with a fourth component, which is 1, is never written, and is sampled as 1: the transfer layout
//! stays that of the pipe's format. Formats that a context lacks altogether are refused by name.

use super::gl::Has;
use super::texel::Widen;
use mgl_core::format::{ComponentClass, Format, FormatInfo, TexelLayout, transfer};
use mgl_core::pipe::BackendError;

/// Storage of a format.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// The pipe's format.
    pub info: &'static FormatInfo,
    /// Sized internal format.
    pub internal: u32,
    /// Client format of uploads.
    pub upload_format: u32,
    /// Client type of uploads.
    pub upload_type: u32,
    /// Bytes of a texel as uploaded.
    pub upload_bytes: u32,
    /// A fourth component is added to the transfer layout.
    pub widen: Option<Widen>,
    /// It can be drawn to, and so be read through a framebuffer.
    pub renderable: bool,
}

impl Plan {
    /// Storage of `format` in a context that has `has`.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] with the format's name.
    pub fn of(format: Format, has: &Has) -> Result<Self, BackendError> {
        let unsupported = || BackendError::Unsupported(format!("format {format}"));
        let info = format.info().ok_or_else(unsupported)?;
        let wide = widened(format);
        let stored = match wide {
            None => info,
            Some(f) => f.info().ok_or_else(unsupported)?,
        };
        let norm16 = matches!(info.class, ComponentClass::Unorm | ComponentClass::Snorm)
            && matches!(info.layout, TexelLayout::Array(2));
        if norm16 && !has.norm16 {
            return Err(unsupported());
        }
        let renderable = match info.class {
            ComponentClass::Snorm => has.render_snorm,
            ComponentClass::Float => has.color_buffer_float && info.color_renderable,
            ComponentClass::Depth | ComponentClass::Stencil | ComponentClass::DepthStencil => true,
            _ => info.color_renderable,
        };
        Ok(Self {
            info,
            internal: stored.format.0,
            upload_format: stored.transfer_format,
            upload_type: stored.transfer_type,
            upload_bytes: stored.bytes,
            widen: wide.map(|_| Widen::of(info)),
            renderable,
        })
    }

    /// Bits of [`mgl_core::pipe::ColorMask`] that may be written.
    pub fn write_mask(&self) -> u32 {
        if self.widen.is_some() { 0b0111 } else { 0b1111 }
    }
}

/// The four-component format that stands in for a three-component one.
fn widened(format: Format) -> Option<Format> {
    Some(match format {
        Format::RGB16 => Format::RGBA16,
        Format::RGB8_SNORM => Format::RGBA8_SNORM,
        Format::RGB16_SNORM => Format::RGBA16_SNORM,
        Format::SRGB8 => Format::SRGB8_ALPHA8,
        Format::RGB16F => Format::RGBA16F,
        Format::RGB32F => Format::RGBA32F,
        Format::RGB8I => Format::RGBA8I,
        Format::RGB16I => Format::RGBA16I,
        Format::RGB32I => Format::RGBA32I,
        Format::RGB8UI => Format::RGBA8UI,
        Format::RGB16UI => Format::RGBA16UI,
        Format::RGB32UI => Format::RGBA32UI,
        _ => return None,
    })
}

/// GL attachment point of a depth or stencil format.
pub fn attachment_point(info: &FormatInfo) -> u32 {
    match info.class {
        ComponentClass::Depth => glow::DEPTH_ATTACHMENT,
        ComponentClass::Stencil => glow::STENCIL_ATTACHMENT,
        ComponentClass::DepthStencil => glow::DEPTH_STENCIL_ATTACHMENT,
        _ => glow::COLOR_ATTACHMENT0,
    }
}

/// How the bytes of a renderable colour format come back from glReadPixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadAs {
    /// Four unsigned bytes.
    U8,
    /// Four unsigned shorts.
    U16,
    /// Four signed bytes.
    I8,
    /// Four signed shorts.
    I16,
    /// Four floats.
    F32,
    /// Four signed words.
    I32,
    /// Four unsigned words.
    U32,
    /// RGB10_A2 as it is.
    Packed,
}

impl ReadAs {
    /// What OpenGL ES lets be read of a colour format (ES 3.2 §16.1.2, EXT_texture_norm16, EXT_render_snorm).
    pub fn of(info: &FormatInfo) -> Self {
        if info.format == Format::RGB10_A2 {
            return Self::Packed;
        }
        let wide = matches!(info.layout, TexelLayout::Array(2));
        match info.class {
            ComponentClass::Unorm if wide => Self::U16,
            ComponentClass::Snorm if wide => Self::I16,
            ComponentClass::Snorm => Self::I8,
            ComponentClass::Float => Self::F32,
            ComponentClass::Sint => Self::I32,
            ComponentClass::Uint => Self::U32,
            _ => Self::U8,
        }
    }

    /// Client format and type.
    pub fn gl(self) -> (u32, u32) {
        match self {
            Self::U8 => (transfer::RGBA, transfer::UNSIGNED_BYTE),
            Self::U16 => (transfer::RGBA, transfer::UNSIGNED_SHORT),
            Self::I8 => (transfer::RGBA, transfer::BYTE),
            Self::I16 => (transfer::RGBA, transfer::SHORT),
            Self::F32 => (transfer::RGBA, transfer::FLOAT),
            Self::I32 => (transfer::RGBA_INTEGER, transfer::INT),
            Self::U32 => (transfer::RGBA_INTEGER, transfer::UNSIGNED_INT),
            Self::Packed => (transfer::RGBA, transfer::UNSIGNED_INT_2_10_10_10_REV),
        }
    }

    /// Bytes of a texel.
    pub fn bytes(self) -> usize {
        match self {
            Self::U8 | Self::I8 | Self::Packed => 4,
            Self::U16 | Self::I16 => 8,
            Self::F32 | Self::I32 | Self::U32 => 16,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_a_plan_or_a_name_in_the_refusal() {
        for &format in Format::ALL {
            match Plan::of(format, &Has::default()) {
                Ok(plan) => {
                    assert!(plan.upload_bytes >= plan.info.bytes, "{format}");
                    assert_eq!(plan.widen.is_some(), plan.internal != format.0, "{format}");
                }
                Err(e) => assert!(e.to_string().contains(&format.to_string())),
            }
        }
        let all = Has {
            norm16: true,
            render_snorm: true,
            color_buffer_float: true,
            ..Has::default()
        };
        for &format in Format::ALL {
            let plan = Plan::of(format, &all).expect("a plan for every format");
            let desktop = plan.info.color_renderable || !plan.info.is_color();
            assert_eq!(plan.renderable, desktop, "{format}");
        }
    }
}
