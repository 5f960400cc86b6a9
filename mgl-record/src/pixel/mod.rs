//! Pixel transfer: everything between the application's pixels and the pipe's.
//!
//! Applications hand pixels over in any of OpenGL's (format, type) pairs, under `GL_UNPACK_*`
//! state, for any of its internal formats, some of them compressed or long deprecated. The pipe
//! knows none of that: it carries rows of plain texels of a [`Format`](mgl_core::format::Format).
//! This module is the whole of the distance (design pages 3.2 and 3.7):
//!
//! - [`mod@resolve`]: internal formats to [`Resolved`];
//! - [`validate`]: which combinations are legal, and which error OpenGL demands for the others;
//! - [`layout`]: what a (format, type) pair means in memory, and which bytes a transfer touches;
//! - [`mod@unpack`] and [`mod@pack`]: pixels in, pixels out;
//! - [`compressed`]: block formats, decoded here;
//! - [`mipmap`]: how many levels, and how large.
//!
//! Nothing here calls OpenGL or touches a context; nothing here panics, whatever the sizes.

mod codec;
pub mod compressed;
mod convert;
pub mod layout;
pub mod mipmap;
mod number;
pub mod pack;
pub mod resolve;
mod shuffle;
#[cfg(test)]
mod tests;
pub mod unpack;
pub mod validate;

use crate::consts::gl::{
    GL_INVALID_ENUM, GL_INVALID_OPERATION, GL_INVALID_VALUE, GL_OUT_OF_MEMORY,
};

pub use layout::{ClientLayout, source_range};
pub use pack::{PackRules, pack};
pub use resolve::{Resolved, resolve};
pub use unpack::unpack;

/// Which rules of the language of OpenGL apply to a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Profile {
    /// The core profile: nothing deprecated.
    Core,
    /// The compatibility profile: luminance, alpha, intensity and `1` to `4` exist.
    Compatibility,
}

/// One set of pixel storage modes, `GL_UNPACK_*` or `GL_PACK_*` (OpenGL 4.6, 8.4.1 and 18.2.1).
///
/// The front end keeps the values legal: `alignment` is 1, 2, 4 or 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PixelStore {
    /// Rows start at multiples of this many bytes.
    pub alignment: u32,
    /// Texels a row, or 0 for the width of the image.
    pub row_length: u32,
    /// Rows an image, or 0 for the height of the image.
    pub image_height: u32,
    /// Texels skipped at the start of each row.
    pub skip_pixels: u32,
    /// Rows skipped at the start of each image.
    pub skip_rows: u32,
    /// Images skipped at the start.
    pub skip_images: u32,
    /// Bytes of elements of two and more bytes are reversed.
    pub swap_bytes: bool,
    /// Bitmaps start with the least significant bit of each byte.
    pub lsb_first: bool,
}

impl Default for PixelStore {
    /// The initial state of a context.
    fn default() -> PixelStore {
        PixelStore {
            alignment: 4,
            row_length: 0,
            image_height: 0,
            skip_pixels: 0,
            skip_rows: 0,
            skip_images: 0,
            swap_bytes: false,
            lsb_first: false,
        }
    }
}

impl PixelStore {
    /// Rows one after another without gaps.
    pub fn tight() -> PixelStore {
        PixelStore {
            alignment: 1,
            ..PixelStore::default()
        }
    }

    /// The modes that apply to one- and two-dimensional transfers, which know no images.
    pub fn without_images(self) -> PixelStore {
        PixelStore {
            image_height: 0,
            skip_images: 0,
            ..self
        }
    }
}

/// Why a pixel transfer is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PixelError {
    /// OpenGL's `GL_INVALID_ENUM`.
    #[error("invalid enum: {0}")]
    InvalidEnum(&'static str),
    /// OpenGL's `GL_INVALID_VALUE`.
    #[error("invalid value: {0}")]
    InvalidValue(&'static str),
    /// OpenGL's `GL_INVALID_OPERATION`.
    #[error("invalid operation: {0}")]
    InvalidOperation(&'static str),
    /// The sizes given do not fit the address space.
    #[error("the image exceeds the address space")]
    TooLarge,
    /// There are fewer bytes than the transfer touches.
    #[error("the transfer touches {needed} bytes of the {side}, which has {given}")]
    OutOfBounds {
        /// Which of the two sides is too small.
        side: &'static str,
        /// Bytes that the transfer touches.
        needed: usize,
        /// Bytes that are there.
        given: usize,
    },
}

impl PixelError {
    /// The error that `glGetError` reports for it.
    pub fn gl_error(self) -> u32 {
        match self {
            PixelError::InvalidEnum(_) => GL_INVALID_ENUM,
            PixelError::InvalidValue(_) => GL_INVALID_VALUE,
            PixelError::InvalidOperation(_) | PixelError::OutOfBounds { .. } => {
                GL_INVALID_OPERATION
            }
            PixelError::TooLarge => GL_OUT_OF_MEMORY,
        }
    }
}
