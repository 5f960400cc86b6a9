//! Pixels in and out, pixel buffer objects, compressed images.

use super::log::{Seen, spy};
use super::*;
use crate::gl::buffer::{
    glBindBuffer, glBufferData, glBufferSubData, glGenBuffers, glGetBufferSubData,
};
use crate::gl::tests::spy::store_of;
use crate::gl::tests::{buffer, handle_of};
use crate::gl::texture::compressed::*;
use crate::gl::texture::params::*;
use crate::gl::texture::readback::*;
use crate::gl::texture::storage::*;
use crate::gl::texture::transfer::*;

fn level(pname: u32) -> i32 {
    let mut v = -1;
    // SAFETY: room for one value.
    unsafe { glGetTexLevelParameteriv(GL_TEXTURE_2D, 0, pname, &mut v) };
    v
}

#[test]
fn pixels_come_back_as_they_went_in() {
    let _c = current(Profile::Core, None);
    texture(GL_TEXTURE_2D);
    let pixels: Vec<u8> = (0..64).collect();
    image(0, 4, 4, Some(&pixels));
    let mut out = [0u8; 64];
    // SAFETY: 16 texels of four bytes.
    unsafe {
        glGetTexImage(
            GL_TEXTURE_2D,
            0,
            GL_RGBA,
            GL_UNSIGNED_BYTE,
            out.as_mut_ptr().cast(),
        )
    };
    assert_eq!(out[..], pixels[..]);
    sub_image(1, 1, 2, 2, 200);
    // SAFETY: 16 texels of four bytes.
    unsafe {
        glGetTexImage(
            GL_TEXTURE_2D,
            0,
            GL_BGRA,
            GL_UNSIGNED_BYTE,
            out.as_mut_ptr().cast(),
        )
    };
    assert_eq!(out[..4], [2, 1, 0, 3]);
    assert_eq!(out[20..28], [200; 8]);
    assert_eq!(level(GL_TEXTURE_WIDTH), 4);
    assert_eq!(level(GL_TEXTURE_INTERNAL_FORMAT), GL_RGBA8 as i32);
    assert_eq!(level(GL_TEXTURE_RED_SIZE), 8);
    assert_eq!(level(GL_TEXTURE_RED_TYPE), GL_UNSIGNED_NORMALIZED as i32);
    assert_eq!(level(GL_TEXTURE_DEPTH_SIZE), 0);
    assert_eq!(error(), GL_NO_ERROR);
}

#[test]
fn rows_of_a_one_dimensional_array_are_layers() {
    let _c = current(Profile::Core, None);
    texture(GL_TEXTURE_1D_ARRAY);
    let pixels: Vec<u8> = (0..24).collect();
    // SAFETY: six texels of four bytes; room for one value.
    unsafe {
        glTexImage2D(
            GL_TEXTURE_1D_ARRAY,
            0,
            GL_RGBA8 as i32,
            2,
            3,
            0,
            GL_RGBA,
            GL_UNSIGNED_BYTE,
            pixels.as_ptr().cast(),
        );
        glTexParameteri(GL_TEXTURE_1D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_LINEAR as i32);
        let mut v = 0;
        glGetTexLevelParameteriv(GL_TEXTURE_1D_ARRAY, 0, GL_TEXTURE_HEIGHT, &mut v);
        assert_eq!(v, 3);
    }
    let ((), seen) = spy(0, |gl| draw(gl, GlType::SAMPLER_1D_ARRAY));
    let [Seen::Create(d), Seen::Upload(u, regions, bytes)] = &seen[..] else {
        panic!("{seen:?}");
    };
    assert_eq!((d.width, d.height, d.layers), (2, 1, 3));
    assert_eq!(
        (u.union_box.height, u.union_box.depth, regions.len()),
        (1, 3, 1)
    );
    assert_eq!(bytes[..], pixels[..]);
    assert_eq!(error(), GL_NO_ERROR);
}

#[test]
fn pixel_buffers_are_read_and_written() {
    let _c = current(Profile::Core, None);
    texture(GL_TEXTURE_2D);
    let mut b = [0; 2];
    let bytes: Vec<u8> = (0..32).collect();
    let mut out = [0u8; 24];
    // SAFETY: sizes are those of the arrays; offsets stand for pointers while pixel buffers are bound.
    unsafe {
        glGenBuffers(2, b.as_mut_ptr());
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, b[0]);
        glBufferData(
            GL_PIXEL_UNPACK_BUFFER,
            32,
            bytes.as_ptr().cast(),
            GL_STATIC_DRAW,
        );
        let load = |w, h, offset: usize| {
            glTexImage2D(
                GL_TEXTURE_2D,
                0,
                GL_RGBA8 as i32,
                w,
                h,
                0,
                GL_RGBA,
                GL_UNSIGNED_BYTE,
                offset as *const c_void,
            );
        };
        load(2, 2, 16);
        assert_eq!(error(), GL_NO_ERROR);
        load(2, 2, 17);
        assert_eq!(error(), GL_INVALID_OPERATION, "one byte too few");
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
        glBindBuffer(GL_PIXEL_PACK_BUFFER, b[1]);
        glBufferData(GL_PIXEL_PACK_BUFFER, 24, std::ptr::null(), GL_STATIC_DRAW);
        glGetTexImage(
            GL_TEXTURE_2D,
            0,
            GL_RGBA,
            GL_UNSIGNED_BYTE,
            8 as *mut c_void,
        );
        glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_FLOAT, 8 as *mut c_void);
        assert_eq!(error(), GL_INVALID_OPERATION, "floats do not fit");
        glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_FLOAT, 3 as *mut c_void);
        assert_eq!(error(), GL_INVALID_OPERATION, "not a multiple of four");
        glGetBufferSubData(GL_PIXEL_PACK_BUFFER, 0, 24, out.as_mut_ptr().cast());
    }
    assert_eq!(out[..8], [0; 8]);
    assert_eq!(out[8..], bytes[16..]);
    assert_eq!(error(), GL_NO_ERROR);
}

#[test]
fn compressed_images_are_decoded_and_answered_in_blocks() {
    let _c = current(Profile::Core, None);
    texture(GL_TEXTURE_2D);
    parameter(GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    let format = GL_COMPRESSED_RGBA_S3TC_DXT5_EXT;
    // Opaque white, and half-transparent black.
    let white = [255u8, 255, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0];
    let black = [128u8, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let blocks = [white, black].concat();
    let mut out = [0u8; 32];
    // SAFETY: sizes are those of the arrays.
    unsafe {
        let data = blocks.as_ptr().cast();
        glCompressedTexImage2D(GL_TEXTURE_2D, 0, format, 8, 4, 0, 31, data);
        assert_eq!(error(), GL_INVALID_VALUE);
        glCompressedTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 8, 4, 0, 32, data);
        assert_eq!(error(), GL_INVALID_ENUM);
        glCompressedTexImage2D(GL_TEXTURE_2D, 0, format, 8, 4, 0, 32, data);
        assert_eq!(error(), GL_NO_ERROR);
        glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 2, 0, 4, 4, format, 16, data);
        assert_eq!(error(), GL_INVALID_OPERATION, "not at a block");
        glTexSubImage2D(
            GL_TEXTURE_2D,
            0,
            0,
            0,
            1,
            1,
            GL_RGBA,
            GL_UNSIGNED_BYTE,
            data,
        );
        assert_eq!(error(), GL_INVALID_OPERATION, "pixels into blocks");
        glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 4, 0, 4, 4, format, 16, data);
        assert_eq!(error(), GL_NO_ERROR);
        glGetCompressedTexImage(GL_TEXTURE_2D, 0, out.as_mut_ptr().cast());
    }
    assert_eq!(out[..], [white, white].concat()[..]);
    assert_eq!(level(GL_TEXTURE_COMPRESSED), 1);
    assert_eq!(level(GL_TEXTURE_COMPRESSED_IMAGE_SIZE), 32);
    assert_eq!(level(GL_TEXTURE_INTERNAL_FORMAT), format as i32);
    let ((), seen) = spy(0, |gl| draw(gl, GlType::SAMPLER_2D));
    let Some(Seen::Upload(_, _, bytes)) = seen.last() else {
        panic!("{seen:?}");
    };
    assert!(bytes.len() == 8 * 4 * 4 && bytes.iter().all(|&b| b == 255));
    assert_eq!(error(), GL_NO_ERROR);
}

#[test]
fn a_buffer_texture_follows_its_buffer() {
    let _c = current(Profile::Core, None);
    texture(GL_TEXTURE_BUFFER);
    let mut b = 0;
    // SAFETY: sizes are those of the arrays.
    unsafe {
        glGenBuffers(1, &mut b);
        glBindBuffer(GL_TEXTURE_BUFFER, b);
        glBufferData(GL_TEXTURE_BUFFER, 64, std::ptr::null(), GL_STATIC_DRAW);
        glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA32F, b);
    }
    let ((), seen) = spy(0, |gl| draw(gl, GlType::SAMPLER_BUFFER));
    assert!(
        matches!(&seen[..], [Seen::Create(d)] if (d.size, d.width) == (64, 4) && !d.buffer.is_null()),
        "{seen:?}"
    );
    // SAFETY: no data.
    unsafe { glBufferData(GL_TEXTURE_BUFFER, 160, std::ptr::null(), GL_STATIC_DRAW) };
    let ((), seen) = spy(0, |gl| draw(gl, GlType::SAMPLER_BUFFER));
    assert!(
        matches!(&seen[..], [Seen::Respecify(d)] if d.width == 10),
        "{seen:?}"
    );
    assert_eq!(error(), GL_NO_ERROR);
}

/// Bytes that are written under the buffer's name reach the back end as the buffer's, before the draw that samples them
/// under the texture's, whichever context of the group writes them.
#[test]
fn a_buffer_texture_is_written_through_its_buffer() {
    let c = current(Profile::Core, None);
    let name = texture(GL_TEXTURE_BUFFER);
    let b = buffer(GL_TEXTURE_BUFFER, &[1; 64]);
    // SAFETY: no pointers.
    unsafe { glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA8, b) };
    let handle = handle_of(b);
    let ((), seen) = spy(0, |gl| draw(gl, GlType::SAMPLER_BUFFER));
    assert!(matches!(&seen[..], [Seen::Create(_)]), "{seen:?}");
    let write = |value: u8| {
        // SAFETY: the bytes are there.
        unsafe { glBufferSubData(GL_TEXTURE_BUFFER, 8, 4, [value; 4].as_ptr().cast()) };
        assert_eq!(error(), GL_NO_ERROR);
    };
    write(2);
    assert_eq!(store_of(handle).expect("live")[7..13], [1, 2, 2, 2, 2, 1]);
    let ((), seen) = spy(0, |gl| draw(gl, GlType::SAMPLER_BUFFER));
    assert!(
        seen.is_empty(),
        "the texture has no texels of its own: {seen:?}"
    );
    let other = current(Profile::Core, Some(&c));
    // SAFETY: no pointers.
    unsafe {
        glBindTexture(GL_TEXTURE_BUFFER, name);
        glBindBuffer(GL_TEXTURE_BUFFER, b);
    }
    write(3);
    // Larger, too: the texture's size follows in the context that samples it.
    // SAFETY: the bytes are there.
    unsafe {
        glBufferData(
            GL_TEXTURE_BUFFER,
            128,
            [4u8; 128].as_ptr().cast(),
            GL_STATIC_DRAW,
        );
    }
    c.make_current();
    let ((), seen) = spy(0, |gl| draw(gl, GlType::SAMPLER_BUFFER));
    assert!(
        matches!(&seen[..], [Seen::Respecify(d)] if d.size == 128),
        "{seen:?}"
    );
    assert_eq!(store_of(handle), Some(vec![4; 128]));
    other.make_current();
    let ((), seen) = spy(0, |gl| draw(gl, GlType::SAMPLER_BUFFER));
    assert!(seen.is_empty(), "one change serves both: {seen:?}");
}

#[test]
fn pixel_store_modes_are_kept() {
    let _c = current(Profile::Core, None);
    // SAFETY: no pointers.
    unsafe {
        glPixelStorei(GL_UNPACK_ROW_LENGTH, 7);
        glPixelStorei(GL_PACK_ALIGNMENT, 8);
        glPixelStorei(GL_PACK_SWAP_BYTES, 3);
    }
    on(|gl| {
        assert_eq!(gl.ctx.textures.unpack_store().row_length, 7);
        assert_eq!(gl.ctx.textures.pack_store().alignment, 8);
        assert!(gl.ctx.textures.pack_store().swap_bytes);
    });
}
