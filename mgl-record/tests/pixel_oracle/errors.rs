//! The errors of illegal combinations.

use super::oracle::Oracle;
use super::*;
use mgl::pixel::{PixelError, Profile, resolve, validate};

/// Why the driver may report another error for a combination, if it may.
fn fact(internal: u32, format: u32, ty: u32, ours: u32, profile: Profile) -> Option<&'static str> {
    let old = matches!(
        format,
        GL_COLOR_INDEX
            | GL_ALPHA
            | GL_LUMINANCE
            | GL_LUMINANCE_ALPHA
            | GL_ALPHA_INTEGER
            | GL_LUMINANCE_INTEGER_EXT
            | GL_LUMINANCE_ALPHA_INTEGER_EXT
    );
    if profile == Profile::Core && (old || ty == GL_BITMAP) && ours == GL_INVALID_ENUM {
        return Some("the driver takes deprecated formats in the core profile; table 8.3 does not");
    }
    if ty == GL_UNSIGNED_INT_5_9_9_9_REV && ours == GL_INVALID_OPERATION {
        return Some(
            "a packed type of other formats is an invalid operation; the driver says enum",
        );
    }
    if format == GL_INTENSITY && ours == GL_INVALID_ENUM {
        return Some("not a pixel format; the driver looks at the packed type first");
    }
    if matches!(internal, GL_STENCIL_INDEX | GL_STENCIL_INDEX8) && ours == GL_INVALID_OPERATION {
        return Some("colours do not go into stencil textures; the driver takes them");
    }
    if internal == GL_STENCIL_INDEX1 {
        return Some("the one stencil texture format is that of eight bits; the driver takes all");
    }
    None
}

#[test]
fn texture_images_are_refused_alike() {
    for (compatibility, profile) in [(true, Profile::Compatibility), (false, Profile::Core)] {
        let gl = Oracle::new(compatibility);
        bind_new_texture(&gl, GL_TEXTURE_2D);
        let mut internals: Vec<u32> = resolve::texture_formats(Profile::Compatibility).collect();
        internals.extend([GL_BGRA, 5, 0, GL_RGBA_INTEGER, GL_STENCIL_INDEX1]);
        let (mut same, mut explained) = (0, 0);
        let mut unexplained = Vec::new();
        for &internal in &internals {
            for &format in FORMATS {
                for &ty in TYPES {
                    gl.glTexImage2D(
                        GL_TEXTURE_2D,
                        0,
                        internal as i32,
                        2,
                        2,
                        0,
                        format,
                        ty,
                        std::ptr::null(),
                    );
                    let theirs = gl.error();
                    let ours = validate::tex_image(internal, format, ty, profile)
                        .err()
                        .map_or(0, PixelError::gl_error);
                    if ours == theirs {
                        same += 1;
                    } else if fact(internal, format, ty, ours, profile).is_some() {
                        explained += 1;
                    } else {
                        unexplained.push(format!(
                            "{internal:#x} {format:#x} {ty:#x}: ours {ours:#x}, theirs {theirs:#x}"
                        ));
                    }
                }
            }
        }
        assert!(unexplained.is_empty(), "{profile:?}: {unexplained:#?}");
        assert!(
            same > 100_000,
            "{profile:?}: {same} the same, {explained} explained"
        );
    }
}

#[test]
fn storage_and_renderbuffers_are_refused_alike() {
    let gl = Oracle::new(true);
    let mut renderbuffer = 0;
    gl.glGenRenderbuffers(1, &mut renderbuffer);
    gl.glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
    let mut internals: Vec<u32> = resolve::texture_formats(Profile::Compatibility).collect();
    internals.extend([
        0,
        GL_BGRA,
        GL_STENCIL_INDEX1,
        GL_STENCIL_INDEX4,
        GL_STENCIL_INDEX16,
    ]);
    let mut unexplained = Vec::new();
    for &internal in &internals {
        gl.glRenderbufferStorage(GL_RENDERBUFFER, internal, 4, 4);
        let theirs = gl.error();
        let resolved = resolve::resolve_renderbuffer(internal, Profile::Compatibility);
        let ours = resolved.map_err(PixelError::gl_error).err().unwrap_or(0);
        let base = resolve::resolve(internal, Profile::Compatibility).map(|r| r.base_format);
        let fact = if internal == GL_RGB9_E5 {
            // Shared exponents cannot be rendered to; the driver says so only of the framebuffer.
            true
        } else {
            // Storage of these does not take components where shaders put them.
            matches!(base, Ok(GL_ALPHA | GL_LUMINANCE_ALPHA))
        };
        if ours != theirs && !fact {
            unexplained.push(format!(
                "renderbuffer {internal:#x}: {ours:#x}, theirs {theirs:#x}"
            ));
        }
        bind_new_texture(&gl, GL_TEXTURE_2D);
        gl.glTexStorage2D(GL_TEXTURE_2D, 1, internal, 4, 4);
        let theirs = gl.error();
        let ours = resolve::resolve_storage(internal, Profile::Compatibility)
            .map_err(PixelError::gl_error)
            .err()
            .unwrap_or(0);
        // The driver forgets some unsized formats in its list of them.
        let fact = ours == GL_INVALID_ENUM
            && matches!(
                internal,
                1..=4
                    | GL_SRGB
                    | GL_SRGB_ALPHA
                    | GL_SLUMINANCE
                    | GL_SLUMINANCE_ALPHA
                    | GL_RED_SNORM..=GL_RGBA_SNORM
                    | GL_ALPHA_SNORM..=GL_INTENSITY_SNORM
                    | GL_STENCIL_INDEX
                    | GL_STENCIL_INDEX1
                    | GL_STENCIL_INDEX4
                    | GL_STENCIL_INDEX16
                    | GL_COMPRESSED_RED
                    | GL_COMPRESSED_RG
            );
        if ours != theirs && !fact {
            unexplained.push(format!(
                "storage {internal:#x}: {ours:#x}, theirs {theirs:#x}"
            ));
        }
    }
    assert!(unexplained.is_empty(), "{unexplained:#?}");
}
