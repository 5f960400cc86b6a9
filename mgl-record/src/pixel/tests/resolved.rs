//! Internal formats and the errors of illegal combinations.

use super::sweep::{FORMATS, TYPES};
use super::*;
use crate::consts::gl::*;
use mgl_core::format::Format;

/// Internal formats that OpenGL 3.3 requires for textures and renderbuffers alike (3.8.1,
/// "Required Texture Formats"), with the pipe's format for each.
const REQUIRED: &[(u32, Format)] = &[
    (GL_RGBA32F, Format::RGBA32F),
    (GL_RGBA32I, Format::RGBA32I),
    (GL_RGBA32UI, Format::RGBA32UI),
    (GL_RGBA16, Format::RGBA16),
    (GL_RGBA16F, Format::RGBA16F),
    (GL_RGBA16I, Format::RGBA16I),
    (GL_RGBA16UI, Format::RGBA16UI),
    (GL_RGBA8, Format::RGBA8),
    (GL_RGBA8I, Format::RGBA8I),
    (GL_RGBA8UI, Format::RGBA8UI),
    (GL_SRGB8_ALPHA8, Format::SRGB8_ALPHA8),
    (GL_RGB10_A2, Format::RGB10_A2),
    (GL_RGB10_A2UI, Format::RGB10_A2UI),
    (GL_R11F_G11F_B10F, Format::R11F_G11F_B10F),
    (GL_RG32F, Format::RG32F),
    (GL_RG32I, Format::RG32I),
    (GL_RG32UI, Format::RG32UI),
    (GL_RG16, Format::RG16),
    (GL_RG16F, Format::RG16F),
    (GL_RG16I, Format::RG16I),
    (GL_RG16UI, Format::RG16UI),
    (GL_RG8, Format::RG8),
    (GL_RG8I, Format::RG8I),
    (GL_RG8UI, Format::RG8UI),
    (GL_R32F, Format::R32F),
    (GL_R32I, Format::R32I),
    (GL_R32UI, Format::R32UI),
    (GL_R16F, Format::R16F),
    (GL_R16I, Format::R16I),
    (GL_R16UI, Format::R16UI),
    (GL_R16, Format::R16),
    (GL_R8, Format::R8),
    (GL_R8I, Format::R8I),
    (GL_R8UI, Format::R8UI),
    (GL_DEPTH_COMPONENT32F, Format::DEPTH_COMPONENT32F),
    (GL_DEPTH_COMPONENT24, Format::DEPTH_COMPONENT24),
    (GL_DEPTH_COMPONENT16, Format::DEPTH_COMPONENT16),
    (GL_DEPTH32F_STENCIL8, Format::DEPTH32F_STENCIL8),
    (GL_DEPTH24_STENCIL8, Format::DEPTH24_STENCIL8),
];

/// Those required for textures only.
const REQUIRED_TEXTURES: &[(u32, Format)] = &[
    (GL_RGBA16_SNORM, Format::RGBA16_SNORM),
    (GL_RGBA8_SNORM, Format::RGBA8_SNORM),
    (GL_RGB32F, Format::RGB32F),
    (GL_RGB32I, Format::RGB32I),
    (GL_RGB32UI, Format::RGB32UI),
    (GL_RGB16_SNORM, Format::RGB16_SNORM),
    (GL_RGB16F, Format::RGB16F),
    (GL_RGB16I, Format::RGB16I),
    (GL_RGB16UI, Format::RGB16UI),
    (GL_RGB16, Format::RGB16),
    (GL_RGB8_SNORM, Format::RGB8_SNORM),
    (GL_RGB8, Format::RGB8),
    (GL_RGB8I, Format::RGB8I),
    (GL_RGB8UI, Format::RGB8UI),
    (GL_SRGB8, Format::SRGB8),
    (GL_RGB9_E5, Format::RGB9_E5),
    (GL_RG16_SNORM, Format::RG16_SNORM),
    (GL_RG8_SNORM, Format::RG8_SNORM),
    (GL_COMPRESSED_RG_RGTC2, Format::RG8),
    (GL_COMPRESSED_SIGNED_RG_RGTC2, Format::RG8_SNORM),
    (GL_R16_SNORM, Format::R16_SNORM),
    (GL_R8_SNORM, Format::R8_SNORM),
    (GL_COMPRESSED_RED_RGTC1, Format::R8),
    (GL_COMPRESSED_SIGNED_RED_RGTC1, Format::R8_SNORM),
];

#[test]
fn required_formats_keep_their_precision() {
    for profile in [Profile::Core, Profile::Compatibility] {
        for &(internal, format) in REQUIRED.iter().chain(REQUIRED_TEXTURES) {
            let resolved = resolve(internal, profile);
            assert_eq!(resolved.map(|r| r.format), Ok(format), "{internal:#x}");
            assert_eq!(resolved.map(|r| r.internal_format), Ok(internal));
            let stored = resolve::resolve_storage(internal, profile);
            assert_eq!(stored, resolved, "{internal:#x}");
        }
        for &(internal, format) in REQUIRED {
            let resolved = resolve::resolve_renderbuffer(internal, profile);
            assert_eq!(resolved.map(|r| r.format), Ok(format), "{internal:#x}");
        }
    }
}

#[test]
fn every_internal_format_is_whole() {
    let all: Vec<u32> = resolve::texture_formats(Profile::Compatibility).collect();
    let mut unique = all.clone();
    unique.dedup();
    assert_eq!(all.len(), unique.len(), "no internal format has two rows");
    let core = resolve::texture_formats(Profile::Core).count();
    assert!(all.len() >= 190 && core > 100 && core < all.len());
    for internal in all {
        let resolved = resolve(internal, Profile::Compatibility).expect("it is listed");
        let info = resolved.format.info().expect("a format of the pipe");
        // The channels fit the storage, both ways.
        for channels in [resolved.store_channels(), resolved.load_channels()] {
            assert!(
                ClientLayout::of_format(resolved.format, channels).is_some(),
                "{internal:#x}"
            );
        }
        let s = resolved.sizes;
        let named = [
            s.red,
            s.green,
            s.blue,
            s.alpha,
            s.luminance,
            s.intensity,
            s.depth,
            s.stencil,
            s.shared,
        ];
        assert!(named.iter().any(|&n| n > 0), "{internal:#x}");
        if resolved.base_format == info.base_format() {
            assert_eq!(
                resolved.swizzle,
                [GL_RED, GL_GREEN, GL_BLUE, GL_ALPHA],
                "{internal:#x}"
            );
        } else {
            assert!(
                matches!(
                    resolved.base_format,
                    GL_ALPHA | GL_LUMINANCE | GL_LUMINANCE_ALPHA | GL_INTENSITY
                ),
                "{internal:#x}"
            );
            assert_eq!(s.red + s.green + s.blue, 0, "{internal:#x}");
        }
    }
}

#[test]
fn old_formats_exist_in_the_compatibility_profile_only() {
    for internal in [
        1,
        2,
        3,
        4,
        GL_LUMINANCE,
        GL_ALPHA8,
        GL_INTENSITY16,
        GL_SLUMINANCE8_ALPHA8,
    ] {
        assert!(
            resolve(internal, Profile::Compatibility).is_ok(),
            "{internal:#x}"
        );
        assert_eq!(
            resolve(internal, Profile::Core).map_err(PixelError::gl_error),
            Err(GL_INVALID_VALUE),
            "{internal:#x}"
        );
    }
    for internal in [0, 5, GL_BGRA, GL_RGBA_INTEGER, GL_STENCIL_INDEX4, u32::MAX] {
        let found = resolve(internal, Profile::Compatibility).map_err(PixelError::gl_error);
        assert_eq!(found, Err(GL_INVALID_VALUE), "{internal:#x}");
    }
}

#[test]
fn swizzles_compose() {
    let plain = [GL_RED, GL_GREEN, GL_BLUE, GL_ALPHA];
    let resolved = |internal| resolve(internal, Profile::Compatibility).expect("it exists");
    let (r, g, zero, one) = (GL_RED, GL_GREEN, GL_ZERO, GL_ONE);
    for (internal, swizzle) in [
        (GL_LUMINANCE8, [r, r, r, one]),
        (GL_LUMINANCE8_ALPHA8, [r, r, r, g]),
        (GL_SLUMINANCE8_ALPHA8, [r, r, r, GL_ALPHA]),
        (GL_ALPHA8, [zero, zero, zero, r]),
        (GL_INTENSITY8, [r, r, r, r]),
        (GL_RGBA8, plain),
    ] {
        assert_eq!(resolved(internal).swizzle, swizzle);
        assert_eq!(resolved(internal).compose_swizzle(plain), swizzle);
    }
    let alpha = resolved(GL_ALPHA8);
    assert_eq!(
        alpha.compose_swizzle([GL_ALPHA, one, GL_RED, zero]),
        [r, one, zero, zero]
    );
}

#[test]
fn reported_sizes_and_types() {
    let resolved = |internal| resolve(internal, Profile::Compatibility).expect("it exists");
    let r = resolved(GL_LUMINANCE8_ALPHA8);
    assert_eq!((r.sizes.luminance, r.sizes.alpha, r.sizes.red), (8, 8, 0));
    assert_eq!(r.component_type(r.sizes.luminance), GL_UNSIGNED_NORMALIZED);
    assert_eq!(r.component_type(r.sizes.red), GL_NONE);
    let r = resolved(GL_RGB9_E5);
    assert_eq!((r.sizes.red, r.sizes.shared, r.sizes.alpha), (9, 5, 0));
    assert_eq!(r.component_type(r.sizes.green), GL_FLOAT);
    let r = resolved(GL_DEPTH32F_STENCIL8);
    assert_eq!((r.sizes.depth, r.sizes.stencil), (32, 8));
    assert_eq!(r.component_type(r.sizes.depth), GL_FLOAT);
    let r = resolved(GL_DEPTH_COMPONENT16);
    assert_eq!(r.component_type(r.sizes.depth), GL_UNSIGNED_NORMALIZED);
    let r = resolved(GL_RGBA8I);
    assert_eq!(r.component_type(r.sizes.alpha), GL_INT);
    let r = resolved(GL_COMPRESSED_RGBA_S3TC_DXT5_EXT);
    assert_eq!((r.sizes.red, r.sizes.alpha), (4, 4));
    let r = resolved(GL_COMPRESSED_RGB);
    assert_eq!(
        (r.internal_format, r.compressed, r.sizes.red),
        (GL_RGB, None, 8)
    );
}

#[test]
fn unsized_formats_follow_their_pixels() {
    let of = |internal, format, ty| {
        resolve::resolve_for_pixels(internal, format, ty, Profile::Compatibility)
            .map(|r| (r.format, r.internal_format))
    };
    assert_eq!(
        of(GL_RGBA, GL_RGBA, GL_UNSIGNED_BYTE),
        Ok((Format::RGBA8, GL_RGBA))
    );
    assert_eq!(
        of(GL_RGBA, GL_RGBA, GL_UNSIGNED_SHORT),
        Ok((Format::RGBA16, GL_RGBA))
    );
    assert_eq!(
        of(GL_RGBA8, GL_RGBA, GL_UNSIGNED_SHORT),
        Ok((Format::RGBA8, GL_RGBA8))
    );
    assert_eq!(
        of(GL_RED, GL_RED, GL_UNSIGNED_SHORT),
        Ok((Format::R16, GL_RED))
    );
    assert_eq!(
        of(GL_RGB, GL_RGB, GL_UNSIGNED_SHORT_5_6_5),
        Ok((Format::RGB565, GL_RGB))
    );
    assert_eq!(of(GL_RGBA, GL_RGBA, GL_FLOAT), Ok((Format::RGBA8, GL_RGBA)));
    assert_eq!(
        of(GL_DEPTH_COMPONENT, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT),
        Ok((Format::DEPTH_COMPONENT16, GL_DEPTH_COMPONENT))
    );
}

#[test]
fn storage_and_renderbuffers_are_choosier() {
    let compat = Profile::Compatibility;
    for internal in [
        GL_RGBA,
        GL_RGB,
        GL_DEPTH_COMPONENT,
        GL_COMPRESSED_RGB,
        GL_SRGB,
        4,
    ] {
        let error = resolve::resolve_storage(internal, compat).map_err(PixelError::gl_error);
        assert_eq!(error, Err(GL_INVALID_ENUM), "{internal:#x}");
    }
    assert!(resolve::resolve_storage(GL_COMPRESSED_RGBA_S3TC_DXT5_EXT, compat).is_ok());
    for internal in [
        GL_RGBA,
        GL_RGB,
        GL_DEPTH_STENCIL,
        GL_STENCIL_INDEX16,
        GL_LUMINANCE8,
    ] {
        assert!(
            resolve::resolve_renderbuffer(internal, compat).is_ok(),
            "{internal:#x}"
        );
    }
    for internal in [
        GL_RGB9_E5,
        GL_COMPRESSED_RED_RGTC1,
        GL_ALPHA8,
        GL_SRGB,
        0,
        3,
    ] {
        let error = resolve::resolve_renderbuffer(internal, compat).map_err(PixelError::gl_error);
        assert_eq!(error, Err(GL_INVALID_ENUM), "{internal:#x}");
    }
}

#[test]
fn illegal_combinations_have_their_errors() {
    let error = |internal, format, ty| {
        validate::tex_image(internal, format, ty, Profile::Core)
            .err()
            .map(PixelError::gl_error)
    };
    let (bytes, floats) = (GL_UNSIGNED_BYTE, GL_FLOAT);
    for (internal, format, ty, expected) in [
        (GL_RGBA8, GL_RGBA, bytes, None),
        (GL_RGBA8, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, None),
        (
            GL_RGBA8UI,
            GL_RGBA_INTEGER,
            GL_UNSIGNED_INT_2_10_10_10_REV,
            None,
        ),
        (
            GL_DEPTH_COMPONENT24,
            GL_DEPTH_STENCIL,
            GL_UNSIGNED_INT_24_8,
            None,
        ),
        (GL_DEPTH24_STENCIL8, GL_DEPTH_COMPONENT, floats, None),
        (GL_STENCIL_INDEX8, GL_STENCIL_INDEX, bytes, None),
        // Not formats, not types.
        (GL_RGBA8, GL_RGBA8, bytes, Some(GL_INVALID_ENUM)),
        (GL_RGBA8, GL_RGBA, GL_DOUBLE, Some(GL_INVALID_ENUM)),
        (GL_RGBA8, GL_RGBA, GL_RGBA, Some(GL_INVALID_ENUM)),
        (GL_RGBA8, GL_LUMINANCE, bytes, Some(GL_INVALID_ENUM)),
        (GL_RGBA8, GL_RGBA, GL_BITMAP, Some(GL_INVALID_ENUM)),
        (GL_RGBA8UI, GL_RGBA_INTEGER, floats, Some(GL_INVALID_ENUM)),
        (
            GL_DEPTH24_STENCIL8,
            GL_DEPTH_STENCIL,
            bytes,
            Some(GL_INVALID_ENUM),
        ),
        // Packed types of other formats.
        (
            GL_RGBA8,
            GL_RGBA,
            GL_UNSIGNED_SHORT_5_6_5,
            Some(GL_INVALID_OPERATION),
        ),
        (
            GL_RGB8,
            GL_RGB,
            GL_UNSIGNED_INT_8_8_8_8,
            Some(GL_INVALID_OPERATION),
        ),
        (
            GL_RGB8,
            GL_BGR,
            GL_UNSIGNED_SHORT_5_6_5,
            Some(GL_INVALID_OPERATION),
        ),
        (
            GL_RGBA8,
            GL_RGBA,
            GL_UNSIGNED_INT_24_8,
            Some(GL_INVALID_OPERATION),
        ),
        (
            GL_RGB9_E5,
            GL_RGBA,
            GL_UNSIGNED_INT_5_9_9_9_REV,
            Some(GL_INVALID_OPERATION),
        ),
        // Not internal formats.
        (GL_BGRA, GL_BGRA, bytes, Some(GL_INVALID_VALUE)),
        (GL_LUMINANCE8, GL_RED, bytes, Some(GL_INVALID_VALUE)),
        // Values of another kind.
        (GL_RGBA8, GL_RGBA_INTEGER, bytes, Some(GL_INVALID_OPERATION)),
        (GL_RGBA8UI, GL_RGBA, bytes, Some(GL_INVALID_OPERATION)),
        (
            GL_RGBA8,
            GL_DEPTH_COMPONENT,
            bytes,
            Some(GL_INVALID_OPERATION),
        ),
        (
            GL_DEPTH_COMPONENT24,
            GL_RED,
            bytes,
            Some(GL_INVALID_OPERATION),
        ),
        (GL_STENCIL_INDEX8, GL_RED, bytes, Some(GL_INVALID_OPERATION)),
        (
            GL_DEPTH24_STENCIL8,
            GL_STENCIL_INDEX,
            bytes,
            Some(GL_INVALID_OPERATION),
        ),
    ] {
        assert_eq!(
            error(internal, format, ty),
            expected,
            "{internal:#x} {format:#x} {ty:#x}"
        );
    }
    let resolved = |internal| resolve(internal, Profile::Core).expect("it exists");
    let read = |internal, format, ty| {
        validate::read(&resolved(internal), format, ty, Profile::Compatibility)
            .err()
            .map(PixelError::gl_error)
    };
    assert_eq!(read(GL_DEPTH24_STENCIL8, GL_STENCIL_INDEX, bytes), None);
    assert_eq!(
        read(GL_DEPTH_COMPONENT24, GL_STENCIL_INDEX, bytes),
        Some(GL_INVALID_OPERATION)
    );
    assert_eq!(
        read(GL_DEPTH_COMPONENT24, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8),
        Some(GL_INVALID_OPERATION)
    );
    assert_eq!(
        read(GL_RGBA8, GL_COLOR_INDEX, bytes),
        Some(GL_INVALID_OPERATION)
    );
    assert_eq!(read(GL_RGBA8I, GL_RGBA, bytes), Some(GL_INVALID_OPERATION));
    assert_eq!(read(GL_RGBA8, GL_LUMINANCE, floats), None);
}

#[test]
fn no_value_at_all_panics() {
    let odd = [
        0,
        1,
        GL_RGBA,
        GL_RGBA8,
        GL_DEPTH_STENCIL,
        GL_BITMAP,
        0x7fff_ffff,
        u32::MAX,
    ];
    for &a in &odd {
        for &format in FORMATS.iter().chain(&odd) {
            for &ty in TYPES.iter().chain(&odd) {
                let legal = validate::tex_image(a, format, ty, Profile::Compatibility).is_ok();
                assert!(!legal || ClientLayout::new(format, ty).is_some());
            }
        }
    }
}
