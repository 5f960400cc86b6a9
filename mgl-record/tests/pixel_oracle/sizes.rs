//! What OpenGL says of textures when asked.

use super::oracle::Oracle;
use super::*;
use mgl::pixel::{Profile, resolve, validate};

#[test]
fn component_sizes_and_types_agree() {
    let gl = Oracle::new(true);
    let mut unexplained = Vec::new();
    let mut compared = 0;
    for internal in resolve::texture_formats(Profile::Compatibility) {
        let resolved = resolve(internal, Profile::Compatibility).expect("it is listed");
        // The driver compresses what asks for just any compression; here it stays as it is.
        let generic = resolved.internal_format != internal;
        if generic || STORED_OTHERWISE.contains(&internal) {
            continue;
        }
        let pair = FORMATS.iter().find_map(|&format| {
            let ty = if format == GL_DEPTH_STENCIL {
                GL_UNSIGNED_INT_24_8
            } else {
                GL_UNSIGNED_BYTE
            };
            validate::tex_image(internal, format, ty, Profile::Compatibility).ok()?;
            Some((format, ty))
        });
        let (format, ty) = pair.expect("some pixels go into every format");
        bind_new_texture(&gl, GL_TEXTURE_2D);
        let level = internal as i32;
        gl.glTexImage2D(
            GL_TEXTURE_2D,
            0,
            level,
            4,
            4,
            0,
            format,
            ty,
            std::ptr::null(),
        );
        assert_eq!(gl.error(), 0, "{internal:#x}");
        let s = resolved.sizes;
        let sized = [
            (GL_TEXTURE_RED_SIZE, Some(GL_TEXTURE_RED_TYPE), s.red),
            (GL_TEXTURE_GREEN_SIZE, Some(GL_TEXTURE_GREEN_TYPE), s.green),
            (GL_TEXTURE_BLUE_SIZE, Some(GL_TEXTURE_BLUE_TYPE), s.blue),
            (GL_TEXTURE_ALPHA_SIZE, Some(GL_TEXTURE_ALPHA_TYPE), s.alpha),
            (
                GL_TEXTURE_LUMINANCE_SIZE,
                Some(GL_TEXTURE_LUMINANCE_TYPE),
                s.luminance,
            ),
            (
                GL_TEXTURE_INTENSITY_SIZE,
                Some(GL_TEXTURE_INTENSITY_TYPE),
                s.intensity,
            ),
            (GL_TEXTURE_DEPTH_SIZE, Some(GL_TEXTURE_DEPTH_TYPE), s.depth),
            (GL_TEXTURE_STENCIL_SIZE, None, s.stencil),
            (GL_TEXTURE_SHARED_SIZE, None, s.shared),
        ];
        let mut check = |what: u32, ours: i32| {
            let theirs = gl.level_parameter(GL_TEXTURE_2D, what);
            compared += 1;
            if ours != theirs {
                unexplained.push(format!(
                    "{internal:#x} {what:#x}: {ours:#x}, theirs {theirs:#x}"
                ));
            }
        };
        for (size_name, type_name, size) in sized {
            check(size_name, i32::from(size));
            if let Some(name) = type_name {
                check(name, resolved.component_type(size) as i32);
            }
        }
        check(GL_TEXTURE_INTERNAL_FORMAT, resolved.internal_format as i32);
        check(
            GL_TEXTURE_COMPRESSED,
            i32::from(resolved.compressed.is_some()),
        );
    }
    assert!(unexplained.is_empty(), "{unexplained:#?}");
    assert!(compared > 2500, "{compared}");
}

#[test]
fn color_attachments_agree() {
    let gl = Oracle::new(true);
    let mut framebuffer = 0;
    gl.glGenFramebuffers(1, &mut framebuffer);
    gl.glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    let mut unexplained = Vec::new();
    for internal in resolve::texture_formats(Profile::Compatibility) {
        let resolved = resolve(internal, Profile::Compatibility).expect("it is listed");
        if !resolved.is_color() || resolved.internal_format != internal {
            continue;
        }
        let format = if resolved.is_integer() {
            GL_RGBA_INTEGER
        } else {
            GL_RGBA
        };
        let name = bind_new_texture(&gl, GL_TEXTURE_2D);
        let (level, ty) = (internal as i32, GL_UNSIGNED_BYTE);
        gl.glTexImage2D(
            GL_TEXTURE_2D,
            0,
            level,
            4,
            4,
            0,
            format,
            ty,
            std::ptr::null(),
        );
        gl.glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, 0);
        let theirs = gl.glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
        let ours = resolved.color_renderable();
        // The driver has formats of its own for these, and renders to them.
        let fact = matches!(resolved.base_format, GL_ALPHA | GL_LUMINANCE_ALPHA) && theirs;
        if ours != theirs && !fact {
            unexplained.push(format!("{internal:#x}: {ours}, theirs {theirs}"));
        }
    }
    assert!(unexplained.is_empty(), "{unexplained:#?}");
}
