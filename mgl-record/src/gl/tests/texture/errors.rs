//! The errors that GL demands, and that nothing happens then.

use super::*;
use crate::gl::texture::image::*;
use crate::gl::texture::params::*;
use crate::gl::texture::storage::*;
use crate::gl::texture::*;
use std::ptr::null;

macro_rules! fails {
    ($( $error:ident: $call:expr; )*) => { $(
        // SAFETY: no pointer is followed: sizes are small, or the pointers are null.
        #[allow(unused_unsafe)]
        unsafe { $call };
        assert_eq!(error(), $error, "{}", stringify!($call));
    )* };
}

#[test]
fn names_and_bindings() {
    let _c = current(Profile::Core, None);
    let name = texture(GL_TEXTURE_2D);
    fails! {
        GL_INVALID_VALUE: glGenTextures(-1, std::ptr::null_mut());
        GL_INVALID_VALUE: glDeleteTextures(-1, null());
        GL_INVALID_ENUM: glBindTexture(GL_TEXTURE_CUBE_MAP_POSITIVE_X, 0);
        GL_INVALID_OPERATION: glBindTexture(GL_TEXTURE_3D, name);
        GL_INVALID_OPERATION: glBindTexture(GL_TEXTURE_2D, 77_777);
        GL_INVALID_ENUM: glActiveTexture(GL_TEXTURE0 + 48);
        GL_INVALID_ENUM: glActiveTexture(0);
        GL_NO_ERROR: glActiveTexture(GL_TEXTURE0 + 47);
    }
    // SAFETY: no pointers, and one name.
    unsafe {
        assert_eq!(glIsTexture(name), 1);
        assert_eq!(glIsTexture(0), 0);
        glDeleteTextures(1, &name);
        assert_eq!(glIsTexture(name), 0);
    }
}

#[test]
fn the_compatibility_profile_takes_names_of_the_program() {
    let _c = current(Profile::Compatibility, None);
    fails! { GL_NO_ERROR: glBindTexture(GL_TEXTURE_2D, 77_777); }
}

#[test]
fn images() {
    let _c = current(Profile::Core, None);
    texture(GL_TEXTURE_2D);
    let image = |target, level, internal: u32, w, h, border, format, ty| {
        // SAFETY: no pixels.
        unsafe {
            glTexImage2D(
                target,
                level,
                internal as i32,
                w,
                h,
                border,
                format,
                ty,
                null(),
            )
        }
    };
    let (t, rgba, ub) = (GL_TEXTURE_2D, GL_RGBA, GL_UNSIGNED_BYTE);
    fails! {
        GL_INVALID_ENUM: image(GL_TEXTURE_3D, 0, rgba, 4, 4, 0, rgba, ub);
        GL_INVALID_ENUM: image(GL_TEXTURE_CUBE_MAP, 0, rgba, 4, 4, 0, rgba, ub);
        GL_INVALID_VALUE: image(t, -1, rgba, 4, 4, 0, rgba, ub);
        GL_INVALID_VALUE: image(t, 14, rgba, 4, 4, 0, rgba, ub);
        GL_INVALID_VALUE: image(t, 0, rgba, -1, 4, 0, rgba, ub);
        GL_INVALID_VALUE: image(t, 0, rgba, 8193, 4, 0, rgba, ub);
        GL_INVALID_VALUE: image(t, 0, rgba, 4, 4, 1, rgba, ub);
        GL_INVALID_ENUM: image(t, 0, rgba, 4, 4, 0, GL_RGBA8, ub);
        GL_INVALID_ENUM: image(t, 0, rgba, 4, 4, 0, rgba, 0);
        GL_INVALID_VALUE: image(t, 0, 0x1234, 4, 4, 0, rgba, ub);
        GL_INVALID_OPERATION: image(t, 0, rgba, 4, 4, 0, rgba, GL_UNSIGNED_SHORT_5_6_5);
        GL_INVALID_OPERATION: image(t, 0, rgba, 4, 4, 0, GL_DEPTH_COMPONENT, ub);
        GL_INVALID_OPERATION: image(t, 0, GL_RGBA8UI, 4, 4, 0, rgba, ub);
        GL_INVALID_VALUE: image(GL_TEXTURE_RECTANGLE, 1, rgba, 4, 4, 0, rgba, ub);
        GL_INVALID_VALUE: image(GL_TEXTURE_CUBE_MAP_POSITIVE_X, 0, rgba, 4, 2, 0, rgba, ub);
        GL_INVALID_VALUE: image(t, 0, GL_LUMINANCE, 4, 4, 0, rgba, ub);
        GL_NO_ERROR: image(t, 0, rgba, 4, 4, 0, rgba, ub);
        GL_INVALID_OPERATION: glTexImage3D(GL_TEXTURE_3D, 0, GL_DEPTH_COMPONENT as i32, 2, 2, 2, 0, GL_DEPTH_COMPONENT,
            ub, null());
    }
    let part = |level, x, y, w, h, format, ty| {
        // SAFETY: no pixels.
        unsafe { glTexSubImage2D(t, level, x, y, w, h, format, ty, null()) }
    };
    fails! {
        GL_INVALID_OPERATION: part(1, 0, 0, 1, 1, rgba, ub);
        GL_INVALID_VALUE: part(0, 1, 0, 4, 4, rgba, ub);
        GL_INVALID_VALUE: part(0, -1, 0, 1, 1, rgba, ub);
        GL_INVALID_VALUE: part(0, 0, 0, -1, 1, rgba, ub);
        GL_INVALID_VALUE: part(0, i32::MAX, i32::MAX, i32::MAX, i32::MAX, rgba, ub);
        GL_INVALID_ENUM: part(0, 0, 0, 1, 1, 0, ub);
        GL_INVALID_OPERATION: part(0, 0, 0, 1, 1, GL_RGBA_INTEGER, ub);
        GL_NO_ERROR: part(0, 4, 4, 0, 0, rgba, ub);
    }
}

#[test]
fn proxies_ask_and_change_nothing() {
    let _c = current(Profile::Core, None);
    let ask = |w: i32| {
        // SAFETY: no pixels; room for one value.
        unsafe {
            glTexImage2D(
                GL_PROXY_TEXTURE_2D,
                0,
                GL_RGBA8 as i32,
                w,
                w,
                0,
                GL_RGBA,
                GL_UNSIGNED_BYTE,
                null(),
            );
            let mut v = -1;
            glGetTexLevelParameteriv(GL_PROXY_TEXTURE_2D, 0, GL_TEXTURE_WIDTH, &mut v);
            v
        }
    };
    assert_eq!(ask(64), 64);
    assert_eq!(ask(8193), 0, "too large is no error, but zero");
    assert_eq!(ask(8192), 8192);
    assert_eq!(error(), GL_NO_ERROR);
}

#[test]
fn immutable_storage() {
    let _c = current(Profile::Core, None);
    fails! { GL_INVALID_OPERATION: glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 4, 4); }
    texture(GL_TEXTURE_2D);
    fails! {
        GL_INVALID_ENUM: glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA, 4, 4);
        GL_INVALID_ENUM: glTexStorage2D(GL_TEXTURE_3D, 1, GL_RGBA8, 4, 4);
        GL_INVALID_VALUE: glTexStorage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 4, 4);
        GL_INVALID_VALUE: glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 0, 4);
        GL_INVALID_OPERATION: glTexStorage2D(GL_TEXTURE_2D, 4, GL_RGBA8, 4, 4);
        GL_NO_ERROR: glTexStorage2D(GL_TEXTURE_2D, 3, GL_RGBA8, 4, 4);
        GL_INVALID_OPERATION: glTexStorage2D(GL_TEXTURE_2D, 3, GL_RGBA8, 4, 4);
        GL_INVALID_OPERATION: glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8 as i32, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, null());
        GL_NO_ERROR: glTexSubImage2D(GL_TEXTURE_2D, 2, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, [0u8; 4].as_ptr().cast());
    }
    let mut v = 0;
    // SAFETY: room for one value.
    unsafe { glGetTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_IMMUTABLE_LEVELS, &mut v) };
    assert_eq!(v, 3);
}

#[test]
fn multisample_buffer_and_mipmap() {
    let _c = current(Profile::Core, None);
    texture(GL_TEXTURE_2D_MULTISAMPLE);
    let ms = GL_TEXTURE_2D_MULTISAMPLE;
    fails! {
        GL_INVALID_VALUE: glTexImage2DMultisample(ms, 0, GL_RGBA8, 4, 4, 1);
        GL_INVALID_OPERATION: glTexImage2DMultisample(ms, 64, GL_RGBA8, 4, 4, 1);
        GL_INVALID_ENUM: glTexImage2DMultisample(GL_TEXTURE_2D, 4, GL_RGBA8, 4, 4, 1);
        GL_INVALID_ENUM: glTexImage2DMultisample(ms, 4, GL_RGB9_E5, 4, 4, 1);
        GL_NO_ERROR: glTexImage2DMultisample(ms, 4, GL_RGBA8, 4, 4, 1);
        GL_INVALID_ENUM: glTexParameteri(ms, GL_TEXTURE_MIN_FILTER, GL_NEAREST as i32);
        GL_INVALID_OPERATION: glTexParameteri(ms, GL_TEXTURE_BASE_LEVEL, 1);
        GL_INVALID_ENUM: glTexBuffer(GL_TEXTURE_2D, GL_RGBA8, 0);
        GL_INVALID_ENUM: glTexBuffer(GL_TEXTURE_BUFFER, GL_RGB8, 0);
        GL_INVALID_OPERATION: glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA8, 99);
        GL_NO_ERROR: glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA8, 0);
        GL_INVALID_ENUM: glGenerateMipmap(ms);
        GL_INVALID_ENUM: glGenerateMipmap(GL_TEXTURE_RECTANGLE);
        GL_INVALID_OPERATION: glGenerateMipmap(GL_TEXTURE_CUBE_MAP);
        GL_INVALID_OPERATION: glGenerateMipmap(GL_TEXTURE_2D);
    }
}

#[test]
fn parameters_and_queries() {
    let _c = current(Profile::Core, None);
    texture(GL_TEXTURE_2D);
    let mut v = [0; 4];
    fails! {
        GL_INVALID_ENUM: glTexParameteri(GL_TEXTURE_BUFFER, GL_TEXTURE_MAX_LEVEL, 1);
        GL_INVALID_ENUM: glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WIDTH, 1);
        GL_INVALID_VALUE: glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, -1);
        GL_INVALID_VALUE: glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, -1);
        GL_INVALID_ENUM: glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_R, GL_RGBA as i32);
        GL_INVALID_ENUM: glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, GL_RED as i32);
        GL_INVALID_ENUM: glTexParameteri(GL_TEXTURE_2D, GL_GENERATE_MIPMAP, 1);
        GL_INVALID_OPERATION: glTexParameteri(GL_TEXTURE_RECTANGLE, GL_TEXTURE_BASE_LEVEL, 1);
        GL_INVALID_ENUM: glTexParameteri(GL_TEXTURE_RECTANGLE, GL_TEXTURE_WRAP_S, GL_REPEAT as i32);
        GL_INVALID_ENUM: glGetTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_WIDTH, v.as_mut_ptr());
        GL_INVALID_ENUM: glGetTexLevelParameteriv(GL_TEXTURE_CUBE_MAP, 0, GL_TEXTURE_WIDTH, v.as_mut_ptr());
        GL_INVALID_VALUE: glGetTexLevelParameteriv(GL_TEXTURE_2D, -1, GL_TEXTURE_WIDTH, v.as_mut_ptr());
        GL_INVALID_ENUM: glGetTexLevelParameteriv(GL_TEXTURE_2D, 0, GL_TEXTURE_WRAP_S, v.as_mut_ptr());
        GL_INVALID_OPERATION: glGetTexLevelParameteriv(GL_TEXTURE_2D, 0, GL_TEXTURE_COMPRESSED_IMAGE_SIZE, v.as_mut_ptr());
        GL_INVALID_ENUM: transfer::glPixelStorei(GL_TEXTURE_2D, 1);
        GL_INVALID_VALUE: transfer::glPixelStorei(GL_UNPACK_ALIGNMENT, 3);
        GL_INVALID_VALUE: transfer::glPixelStorei(GL_PACK_ROW_LENGTH, -1);
        GL_NO_ERROR: transfer::glPixelStoref(GL_UNPACK_ALIGNMENT, 1.9);
    }
    assert_eq!(v, [0; 4], "an error writes nothing");
}

#[test]
fn samplers() {
    use crate::gl::sampler::*;
    let _c = current(Profile::Core, None);
    let mut s = 0;
    let mut v = 0;
    fails! {
        GL_INVALID_VALUE: glGenSamplers(-1, &mut s);
        GL_INVALID_OPERATION: glBindSampler(0, 99);
        GL_INVALID_VALUE: glBindSampler(48, 0);
        GL_INVALID_OPERATION: glSamplerParameteri(99, GL_TEXTURE_MIN_FILTER, GL_LINEAR as i32);
        GL_NO_ERROR: glGenSamplers(1, &mut s);
        GL_INVALID_ENUM: glSamplerParameteri(s, GL_TEXTURE_BASE_LEVEL, 0);
        GL_INVALID_ENUM: glSamplerParameteri(s, GL_TEXTURE_BORDER_COLOR, 0);
        GL_NO_ERROR: glSamplerParameterf(s, GL_TEXTURE_MAX_LOD, 3.0);
        GL_NO_ERROR: glGetSamplerParameteriv(s, GL_TEXTURE_MAX_LOD, &mut v);
        GL_INVALID_ENUM: glGetSamplerParameteriv(s, GL_TEXTURE_MAX_LEVEL, &mut v);
        GL_NO_ERROR: glBindSampler(3, s);
    }
    assert_eq!(v, 3);
    // SAFETY: one name.
    unsafe {
        assert_eq!(glIsSampler(s), 1);
        glDeleteSamplers(1, &s);
        assert_eq!(glIsSampler(s), 0);
    }
    on(|gl| {
        assert!(
            gl.ctx.textures.unit(3).sampler().is_none(),
            "unbound when deleted"
        )
    });
}
