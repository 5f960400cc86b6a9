//! Which texture a sampler reads.

use super::*;
use mgl_core::format::Format;
use mgl_core::pipe::{CompareMode, Target};

/// Format and target of the texture on unit 0 after a draw, and whether it is the one that is bound.
fn read(ty: GlType, target: TextureTarget) -> (Format, Target, bool) {
    on(|gl| {
        draw(gl, ty);
        let id = gl.bound_texture(target);
        let own = gl.share.textures.objects[id].handle();
        let c = gl
            .pipe
            .server()
            .state
            .contexts
            .get(gl.ctx.handle)
            .expect("live");
        let v = c.values.views.first().expect("a view");
        let d = gl
            .pipe
            .server()
            .state
            .textures
            .get(v.texture)
            .expect("live")
            .desc;
        (d.format, d.target, v.texture == own)
    })
}

fn is_read() -> bool {
    read(GlType::SAMPLER_2D, TextureTarget::D2).2
}

#[test]
fn a_missing_texture_is_black_of_its_kind() {
    let _c = current(Profile::Core, None);
    for (ty, target, format) in [
        (GlType::SAMPLER_2D, TextureTarget::D2, Format::RGBA8),
        (GlType::INT_SAMPLER_3D, TextureTarget::D3, Format::RGBA8I),
        (
            GlType::UNSIGNED_INT_SAMPLER_2D_ARRAY,
            TextureTarget::D2Array,
            Format::RGBA8UI,
        ),
        (
            GlType::SAMPLER_CUBE_SHADOW,
            TextureTarget::Cube,
            Format::DEPTH_COMPONENT16,
        ),
        (GlType::SAMPLER_1D, TextureTarget::D1, Format::RGBA8),
        (
            GlType::SAMPLER_1D_ARRAY,
            TextureTarget::D1Array,
            Format::RGBA8,
        ),
        (
            GlType::SAMPLER_2D_RECT,
            TextureTarget::Rectangle,
            Format::RGBA8,
        ),
        (
            GlType::SAMPLER_2D_MULTISAMPLE,
            TextureTarget::D2Multisample,
            Format::RGBA8,
        ),
        (
            GlType::SAMPLER_CUBE_MAP_ARRAY,
            TextureTarget::CubeArray,
            Format::RGBA8,
        ),
    ] {
        assert_eq!(
            read(ty, target),
            (format, target.pipe(), false),
            "{target:?}"
        );
    }
    on(|gl| {
        let faults = gl.pipe.faults().clone();
        draw(gl, GlType::SAMPLER_BUFFER);
        let c = gl
            .pipe
            .server()
            .state
            .contexts
            .get(gl.ctx.handle)
            .expect("live");
        let target = |t| {
            gl.pipe
                .server()
                .state
                .textures
                .get(t)
                .expect("live")
                .desc
                .target
        };
        assert!(
            c.values
                .views
                .iter()
                .all(|v| target(v.texture) != Target::TEXTURE_BUFFER),
            "a buffer texture has no stand-in"
        );
        draw(gl, GlType::SAMPLER_2D_SHADOW);
        let c = gl
            .pipe
            .server()
            .state
            .contexts
            .get(gl.ctx.handle)
            .expect("live");
        let s = gl
            .pipe
            .server()
            .state
            .samplers
            .get(c.values.samplers[0].sampler)
            .expect("live");
        assert_eq!(s.compare_mode, CompareMode::COMPARE_REF_TO_TEXTURE);
        assert_eq!(*gl.pipe.faults(), faults);
    });
}

#[test]
fn mipmap_filters_need_the_chain() {
    let _c = current(Profile::Core, None);
    texture(GL_TEXTURE_2D);
    image(0, 4, 2, Some(&[0; 32]));
    assert!(
        !is_read(),
        "the initial filter reads levels that are not there"
    );
    parameter(GL_TEXTURE_MAX_LEVEL, 0);
    assert!(is_read(), "one level is the whole chain now");
    parameter(GL_TEXTURE_MAX_LEVEL, 1000);
    image(1, 2, 1, Some(&[0; 8]));
    assert!(!is_read());
    image(2, 1, 1, Some(&[0; 4]));
    assert!(is_read());
    image(1, 2, 2, Some(&[0; 16]));
    assert!(!is_read(), "a level of the wrong size");
    parameter(GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    assert!(is_read(), "which does not matter without a mipmap filter");
    parameter(GL_TEXTURE_BASE_LEVEL, 5);
    assert!(!is_read(), "no base level");
    assert_eq!(error(), GL_NO_ERROR);
}

#[test]
fn the_bound_sampler_decides() {
    let _c = current(Profile::Core, None);
    texture(GL_TEXTURE_2D);
    image(0, 4, 4, Some(&[0; 64]));
    let mut s = 0;
    // SAFETY: room for one name.
    unsafe {
        crate::gl::sampler::glGenSamplers(1, &mut s);
        crate::gl::sampler::glSamplerParameteri(s, GL_TEXTURE_MIN_FILTER, GL_NEAREST as i32);
        crate::gl::sampler::glBindSampler(0, s);
    }
    assert!(is_read());
    // SAFETY: no pointers.
    unsafe { crate::gl::sampler::glBindSampler(0, 0) };
    assert!(!is_read());
    assert_eq!(error(), GL_NO_ERROR);
}

#[test]
fn integer_textures_are_not_filtered() {
    let _c = current(Profile::Core, None);
    texture(GL_TEXTURE_2D);
    // SAFETY: no pixels.
    unsafe {
        glTexImage2D(
            GL_TEXTURE_2D,
            0,
            GL_RGBA8UI as i32,
            2,
            2,
            0,
            GL_RGBA_INTEGER,
            GL_UNSIGNED_BYTE,
            std::ptr::null(),
        );
    }
    parameter(GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    let own = |ty| read(ty, TextureTarget::D2).2;
    assert!(!own(GlType::UNSIGNED_INT_SAMPLER_2D), "magnified linearly");
    parameter(GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    assert!(own(GlType::UNSIGNED_INT_SAMPLER_2D));
}

#[test]
fn a_cube_map_needs_six_faces() {
    let _c = current(Profile::Core, None);
    texture(GL_TEXTURE_CUBE_MAP);
    let own = || read(GlType::SAMPLER_CUBE, TextureTarget::Cube).2;
    // SAFETY: no pixels, no pointers.
    unsafe {
        glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, GL_LINEAR as i32);
        for face in 0..6 {
            assert!(!own(), "{face} faces");
            glTexImage2D(
                GL_TEXTURE_CUBE_MAP_POSITIVE_X + face,
                0,
                GL_RGBA8 as i32,
                4,
                4,
                0,
                GL_RGBA,
                GL_UNSIGNED_BYTE,
                std::ptr::null(),
            );
        }
        assert!(own());
        glTexImage2D(
            GL_TEXTURE_CUBE_MAP_POSITIVE_Y,
            0,
            GL_RGBA8 as i32,
            2,
            2,
            0,
            GL_RGBA,
            GL_UNSIGNED_BYTE,
            std::ptr::null(),
        );
        assert!(!own(), "one face of another size");
    }
    assert_eq!(error(), GL_NO_ERROR);
}

#[test]
fn luminance_is_a_swizzle_under_the_programs_own() {
    use mgl_core::pipe::Swizzle;
    let _c = current(Profile::Compatibility, None);
    texture(GL_TEXTURE_2D);
    parameter(GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    // SAFETY: four texels of two bytes, rows of four bytes.
    unsafe {
        glTexImage2D(
            GL_TEXTURE_2D,
            0,
            GL_LUMINANCE_ALPHA as i32,
            2,
            2,
            0,
            GL_LUMINANCE_ALPHA,
            GL_UNSIGNED_BYTE,
            [1u8, 2, 3, 4, 5, 6, 7, 8].as_ptr().cast(),
        );
    }
    parameter(GL_TEXTURE_SWIZZLE_R, GL_ALPHA);
    assert!(is_read());
    on(|gl| {
        let id = bound(gl);
        let h = gl.share.textures.objects[id].handle();
        let e = gl.pipe.server().state.textures.get(h).expect("live");
        assert_eq!(e.desc.format, Format::RG8);
        let p = e.params.expect("parameters");
        assert_eq!(
            p.swizzle,
            [Swizzle::GREEN, Swizzle::RED, Swizzle::RED, Swizzle::GREEN]
        );
    });
    assert_eq!(error(), GL_NO_ERROR);
}

#[test]
fn levels_without_a_place_stay_with_the_client() {
    let _c = current(Profile::Core, None);
    texture(GL_TEXTURE_2D);
    let faults = on(|gl| gl.pipe.faults().clone());
    // Level 2 is none of a texture of 16 x 1; the base level is missing, or is level 3, whose chain skips it.
    image(0, 16, 1, Some(&[1; 64]));
    image(2, 4, 4, Some(&[2; 64]));
    for base in [0, 1, 2, 72] {
        parameter(GL_TEXTURE_BASE_LEVEL, base);
        on(|gl| draw(gl, GlType::SAMPLER_2D));
    }
    image(3, 2, 1, Some(&[3; 8]));
    for base in [3, 0] {
        parameter(GL_TEXTURE_BASE_LEVEL, base);
        on(|gl| draw(gl, GlType::SAMPLER_2D));
    }
    assert_eq!(on(|gl| gl.pipe.faults().clone()), faults);
}
