//! Pixel transfer compared with the system's desktop OpenGL: the same pixels through both.
//!
//! The system's driver (Mesa's llvmpipe where this was written) is the oracle. Where it differs for
//! a reason, the reason stands beside the exception as a fact; everything else must agree.

mod compressed;
mod errors;
mod noise;
mod oracle;
mod readback;
mod sizes;
mod upload;
mod volume;

use mgl::consts::gl::*;
use mgl::pixel::{PixelStore, Resolved};
use mgl_core::format::ComponentClass;
use oracle::Oracle;

/// Pixel formats, one of them (`GL_INTENSITY`) none.
const FORMATS: &[u32] = &[
    GL_COLOR_INDEX,
    GL_STENCIL_INDEX,
    GL_DEPTH_COMPONENT,
    GL_DEPTH_STENCIL,
    GL_RED,
    GL_GREEN,
    GL_BLUE,
    GL_ALPHA,
    GL_RG,
    GL_RGB,
    GL_BGR,
    GL_RGBA,
    GL_BGRA,
    GL_ABGR_EXT,
    GL_LUMINANCE,
    GL_LUMINANCE_ALPHA,
    GL_INTENSITY,
    GL_RED_INTEGER,
    GL_GREEN_INTEGER,
    GL_BLUE_INTEGER,
    GL_ALPHA_INTEGER,
    GL_RG_INTEGER,
    GL_RGB_INTEGER,
    GL_BGR_INTEGER,
    GL_RGBA_INTEGER,
    GL_BGRA_INTEGER,
    GL_LUMINANCE_INTEGER_EXT,
    GL_LUMINANCE_ALPHA_INTEGER_EXT,
];

/// Types, two of them (`GL_DOUBLE`, `GL_INT_2_10_10_10_REV`) none of pixels.
const TYPES: &[u32] = &[
    GL_BITMAP,
    GL_BYTE,
    GL_UNSIGNED_BYTE,
    GL_SHORT,
    GL_UNSIGNED_SHORT,
    GL_INT,
    GL_UNSIGNED_INT,
    GL_HALF_FLOAT,
    GL_FLOAT,
    GL_DOUBLE,
    GL_UNSIGNED_BYTE_3_3_2,
    GL_UNSIGNED_BYTE_2_3_3_REV,
    GL_UNSIGNED_SHORT_5_6_5,
    GL_UNSIGNED_SHORT_5_6_5_REV,
    GL_UNSIGNED_SHORT_4_4_4_4,
    GL_UNSIGNED_SHORT_4_4_4_4_REV,
    GL_UNSIGNED_SHORT_5_5_5_1,
    GL_UNSIGNED_SHORT_1_5_5_5_REV,
    GL_UNSIGNED_INT_8_8_8_8,
    GL_UNSIGNED_INT_8_8_8_8_REV,
    GL_UNSIGNED_INT_10_10_10_2,
    GL_UNSIGNED_INT_2_10_10_10_REV,
    GL_UNSIGNED_INT_24_8,
    GL_UNSIGNED_INT_10F_11F_11F_REV,
    GL_UNSIGNED_INT_5_9_9_9_REV,
    GL_FLOAT_32_UNSIGNED_INT_24_8_REV,
    GL_INT_2_10_10_10_REV,
];

/// Internal formats that the driver stores with other precision than the pipe does, because the
/// pipe has no such format.
const STORED_OTHERWISE: &[u32] = &[
    // 3, 3 and 2 bits, 4 each, 5 each, 10 each without alpha; 4 bits of luminance and alpha; 32
    // bits of fixed-point depth.
    GL_R3_G3_B2,
    GL_RGB4,
    GL_RGB5,
    GL_RGB10,
    GL_LUMINANCE4_ALPHA4,
    GL_DEPTH_COMPONENT32,
];

/// Bytes that the driver may read beyond what it should: it copies whole rows, padding and all,
/// when it swaps bytes.
const SLACK: usize = 1 << 14;

/// Sets the storage modes of one direction.
fn set_store(gl: &Oracle, store: &PixelStore, pack: bool) {
    let of = |unpack_name: u32, pack_name: u32| if pack { pack_name } else { unpack_name };
    for (name, value) in [
        (of(GL_UNPACK_ALIGNMENT, GL_PACK_ALIGNMENT), store.alignment),
        (
            of(GL_UNPACK_ROW_LENGTH, GL_PACK_ROW_LENGTH),
            store.row_length,
        ),
        (
            of(GL_UNPACK_IMAGE_HEIGHT, GL_PACK_IMAGE_HEIGHT),
            store.image_height,
        ),
        (
            of(GL_UNPACK_SKIP_PIXELS, GL_PACK_SKIP_PIXELS),
            store.skip_pixels,
        ),
        (of(GL_UNPACK_SKIP_ROWS, GL_PACK_SKIP_ROWS), store.skip_rows),
        (
            of(GL_UNPACK_SKIP_IMAGES, GL_PACK_SKIP_IMAGES),
            store.skip_images,
        ),
        (
            of(GL_UNPACK_SWAP_BYTES, GL_PACK_SWAP_BYTES),
            u32::from(store.swap_bytes),
        ),
        (
            of(GL_UNPACK_LSB_FIRST, GL_PACK_LSB_FIRST),
            u32::from(store.lsb_first),
        ),
    ] {
        gl.glPixelStorei(name, value as i32);
    }
    assert_eq!(gl.error(), 0, "{store:?}");
}

/// A new texture, bound to a target.
fn bind_new_texture(gl: &Oracle, target: u32) -> u32 {
    let mut name = 0;
    gl.glGenTextures(1, &mut name);
    gl.glBindTexture(target, name);
    name
}

/// How texels of a kind are read to be compared: format, type, and 32-bit words a texel.
fn readable(resolved: &Resolved) -> (u32, u32, usize) {
    match resolved.class() {
        ComponentClass::Sint => (GL_RGBA_INTEGER, GL_INT, 4),
        ComponentClass::Uint => (GL_RGBA_INTEGER, GL_UNSIGNED_INT, 4),
        ComponentClass::Depth | ComponentClass::DepthStencil => (GL_DEPTH_COMPONENT, GL_FLOAT, 1),
        ComponentClass::Stencil => (GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, 1),
        _ => (GL_RGBA, GL_FLOAT, 4),
    }
}

/// Words of four bytes.
fn words(bytes: &[u8]) -> impl Iterator<Item = [u8; 4]> + '_ {
    bytes
        .chunks_exact(4)
        .map(|b| b.try_into().expect("four bytes"))
}
