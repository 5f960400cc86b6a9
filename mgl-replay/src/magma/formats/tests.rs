//! Every format on devices with much and with little, and both ways through the image's texels.

use super::*;

fn everything(_: vk::Format) -> vk::FormatFeatureFlags {
    vk::FormatFeatureFlags::from_raw(0x1_FFFF)
}

/// What Vulkan demands of every device for the formats at hand (tables of "Required Format Support").
fn demanded(f: vk::Format) -> vk::FormatFeatureFlags {
    use vk::Format as V;
    let sampled = SAMPLED | vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_LINEAR;
    match f {
        V::R8_UNORM
        | V::R8G8_UNORM
        | V::R8G8B8A8_UNORM
        | V::R8G8B8A8_SRGB
        | V::R5G6B5_UNORM_PACK16
        | V::A1R5G5B5_UNORM_PACK16
        | V::A2B10G10R10_UNORM_PACK32
        | V::R16_SFLOAT
        | V::R16G16_SFLOAT
        | V::R16G16B16A16_SFLOAT => sampled | ATTACH,
        V::R32_SFLOAT | V::R32G32_SFLOAT | V::R32G32B32A32_SFLOAT => SAMPLED | ATTACH,
        V::B4G4R4A4_UNORM_PACK16
        | V::R8_SNORM
        | V::R8G8_SNORM
        | V::R8G8B8A8_SNORM
        | V::B10G11R11_UFLOAT_PACK32
        | V::E5B9G9R9_UFLOAT_PACK32 => sampled,
        V::A2B10G10R10_UINT_PACK32
        | V::R8_UINT
        | V::R8_SINT
        | V::R8G8_UINT
        | V::R8G8_SINT
        | V::R8G8B8A8_UINT
        | V::R8G8B8A8_SINT
        | V::R16_UINT
        | V::R16_SINT
        | V::R16G16_UINT
        | V::R16G16_SINT
        | V::R16G16B16A16_UINT
        | V::R16G16B16A16_SINT
        | V::R32_UINT
        | V::R32_SINT
        | V::R32G32_UINT
        | V::R32G32_SINT
        | V::R32G32B32A32_UINT
        | V::R32G32B32A32_SINT => SAMPLED | ATTACH,
        V::D16_UNORM | V::D32_SFLOAT | V::D32_SFLOAT_S8_UINT => SAMPLED | DEPTH_ATTACH,
        _ => vk::FormatFeatureFlags::empty(),
    }
}

/// Texels of a format with values of all kinds.
fn samples(info: &FormatInfo) -> Vec<u8> {
    let mut out = Vec::new();
    for i in 0..64u32 {
        let v = |k: u32| {
            let raw = f64::from((i * 7 + k * 13) % 64) / 63.0;
            match info.class {
                ComponentClass::Sint => (raw * 200.0).round() - 100.0,
                ComponentClass::Uint => (raw * 200.0).round(),
                ComponentClass::Snorm => raw * 2.0 - 1.0,
                _ => raw,
            }
        };
        let t = if info.is_color() {
            [v(0), v(1), v(2), v(3)]
        } else {
            [v(0), (v(1) * 255.0).round(), 0.0, 1.0]
        };
        encode(info, &t, &mut out);
    }
    if info.format == Format::DEPTH_COMPONENT24 {
        for p in out.chunks_exact_mut(4) {
            p[0] = p[3];
        }
    }
    out
}

fn through_image(plan: &Plan, bytes: &[u8]) -> Vec<u8> {
    let (mut main, mut stencil, mut back) = (Vec::new(), Vec::new(), Vec::new());
    plan.to_image(bytes, &mut main);
    if plan.info.class == ComponentClass::DepthStencil {
        plan.stencil_to_image(bytes, &mut stencil);
        plan.join_from_image(&main, &stencil, &mut back);
    } else {
        plan.from_image(&main, &mut back);
    }
    assert_eq!(main.len(), 64 * plan.bytes as usize, "{}", plan.info.name);
    back
}

#[test]
fn every_format_comes_back_from_any_device() {
    for &format in Format::ALL {
        for features in [everything, demanded] {
            let plan = Plan::of(format, &features).expect("a plan for every format");
            let bytes = samples(plan.info);
            assert_eq!(
                through_image(&plan, &bytes),
                bytes,
                "{format} in {:?}",
                plan.format
            );
            let desktop = plan.info.color_renderable || !plan.info.is_color();
            assert!(plan.renderable || !desktop, "{format} in {:?}", plan.format);
        }
    }
}

#[test]
fn every_candidate_holds_every_value() {
    for &format in Format::ALL {
        let info = format.info().expect("a format");
        let list = candidates(info);
        assert!(!list.is_empty(), "{format}");
        for (only, _) in list {
            let features = |f: vk::Format| {
                if f == only {
                    everything(f)
                } else {
                    vk::FormatFeatureFlags::empty()
                }
            };
            let plan = Plan::of(format, &features).expect("the candidate is there");
            assert_eq!(plan.format, only);
            let bytes = samples(info);
            assert_eq!(through_image(&plan, &bytes), bytes, "{format} in {only:?}");
        }
    }
}

#[test]
fn a_device_without_formats_refuses_by_name() {
    for &format in Format::ALL {
        let error = Plan::of(format, &|_| vk::FormatFeatureFlags::empty()).expect_err("no format");
        assert!(error.to_string().contains(&format.to_string()), "{error}");
    }
    assert!(Plan::of(Format::NONE, &everything).is_err());
}

#[test]
fn sixteen_bits_of_depth_and_all_of_24_survive_floats() {
    let only_float = |f: vk::Format| match f {
        vk::Format::D32_SFLOAT | vk::Format::D32_SFLOAT_S8_UINT => everything(f),
        _ => vk::FormatFeatureFlags::empty(),
    };
    let plan = Plan::of(Format::DEPTH_COMPONENT16, &only_float).expect("a plan");
    let all: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    let (mut image, mut back) = (Vec::new(), Vec::new());
    plan.to_image(&all, &mut image);
    plan.from_image(&image, &mut back);
    assert_eq!(all, back);
    let plan = Plan::of(Format::DEPTH24_STENCIL8, &only_float).expect("a plan");
    for v in (0..1u32 << 24).step_by(61).chain([0xFF_FFFF, 0xFF_FFFE]) {
        let texel = (v << 8 | 0xA5).to_le_bytes();
        let (mut image, mut stencil, mut back) = (Vec::new(), Vec::new(), Vec::new());
        plan.to_image(&texel, &mut image);
        plan.stencil_to_image(&texel, &mut stencil);
        plan.join_from_image(&image, &stencil, &mut back);
        assert_eq!(back, texel, "{v:#x}");
    }
}

#[test]
fn texels_are_what_vulkan_reads() {
    let image = |format: Format, only: vk::Format, src: &[u8]| {
        let features = |f: vk::Format| {
            if f == only {
                everything(f)
            } else {
                vk::FormatFeatureFlags::empty()
            }
        };
        let mut out = Vec::new();
        let plan = Plan::of(format, &features).expect("a plan");
        plan.to_image(src, &mut out);
        out
    };
    use vk::Format as V;
    // Red 31, green 1, blue 2, alpha 1.
    let rgb5_a1 = (31u16 << 11 | 1 << 6 | 2 << 1 | 1).to_le_bytes();
    assert_eq!(
        image(Format::RGB5_A1, V::A1R5G5B5_UNORM_PACK16, &rgb5_a1),
        (1u16 << 15 | 31 << 10 | 1 << 5 | 2).to_le_bytes()
    );
    assert_eq!(
        image(Format::RGB5_A1, V::B5G5R5A1_UNORM_PACK16, &rgb5_a1),
        (2u16 << 11 | 1 << 6 | 31 << 1 | 1).to_le_bytes()
    );
    let rgba4 = 0x1234u16.to_le_bytes();
    assert_eq!(
        image(Format::RGBA4, V::B4G4R4A4_UNORM_PACK16, &rgba4),
        0x3214u16.to_le_bytes()
    );
    assert_eq!(
        image(Format::RGBA4, V::A4R4G4B4_UNORM_PACK16, &rgba4),
        0x4123u16.to_le_bytes()
    );
    assert_eq!(
        image(Format::RGBA4, V::R8G8B8A8_UNORM, &rgba4),
        [17, 34, 51, 68]
    );
    assert_eq!(
        image(
            Format::RGB565,
            V::B5G6R5_UNORM_PACK16,
            &(31u16 << 11 | 5 << 5 | 7).to_le_bytes()
        ),
        (7u16 << 11 | 5 << 5 | 31).to_le_bytes()
    );
    assert_eq!(
        image(Format::RGB8, V::R8G8B8A8_UNORM, &[1, 2, 3]),
        [1, 2, 3, 255]
    );
    assert_eq!(
        image(Format::RGB16I, V::R16G16B16A16_SINT, &[1, 0, 2, 0, 3, 0]),
        [1, 0, 2, 0, 3, 0, 1, 0]
    );
    assert_eq!(
        image(
            Format::DEPTH_COMPONENT24,
            V::X8_D24_UNORM_PACK32,
            &0xABCD_EFABu32.to_le_bytes()
        ),
        0xAB_CDEFu32.to_le_bytes()
    );
}

#[test]
fn missing_components_are_sampled_as_gl_wants() {
    use vk::ComponentSwizzle as S;
    let identity = [Swizzle::RED, Swizzle::GREEN, Swizzle::BLUE, Swizzle::ALPHA];
    let mapping = |format: Format, swizzle| {
        let m = Plan::of(format, &everything)
            .expect("a plan")
            .mapping(swizzle);
        [m.r, m.g, m.b, m.a]
    };
    assert_eq!(mapping(Format::RGB8, identity), [S::R, S::G, S::B, S::ONE]);
    assert_eq!(mapping(Format::RGBA8, identity), [S::R, S::G, S::B, S::A]);
    assert_eq!(
        mapping(Format::R8, identity),
        [S::R, S::ZERO, S::ZERO, S::ONE]
    );
    assert_eq!(
        mapping(
            Format::RG16F,
            [Swizzle::ALPHA, Swizzle::BLUE, Swizzle::ONE, Swizzle::GREEN]
        ),
        [S::ONE, S::ZERO, S::ONE, S::G]
    );
    assert_eq!(
        mapping(Format::DEPTH24_STENCIL8, identity),
        [S::R, S::ZERO, S::ZERO, S::ONE]
    );
}

#[test]
fn alpha_that_is_not_there_stays_one() {
    for &format in Format::ALL {
        let plan = Plan::of(format, &everything).expect("a plan");
        let hidden = plan.info.is_color() && plan.info.color_components() == 3;
        assert_eq!(plan.write_mask(), if hidden { 7 } else { 15 }, "{format}");
    }
    let clear = |f| {
        Plan::of(f, &everything)
            .expect("a plan")
            .clear_words([7; 4])
    };
    assert_eq!(clear(Format::RGB8), [7, 7, 7, 1f32.to_bits()]);
    assert_eq!(clear(Format::RGB8UI), [7, 7, 7, 1]);
    assert_eq!(clear(Format::RGBA8), [7; 4]);
}

#[test]
fn buffer_textures_read_three_components_or_get_a_fourth() {
    assert_eq!(
        texel_buffer(Format::RGB32F, &everything).expect("a format"),
        (vk::Format::R32G32B32_SFLOAT, false)
    );
    let without = |f: vk::Format| match f {
        vk::Format::R32G32B32_SFLOAT => vk::FormatFeatureFlags::empty(),
        f => everything(f),
    };
    assert_eq!(
        texel_buffer(Format::RGB32F, &without).expect("a format"),
        (vk::Format::R32G32B32A32_SFLOAT, true)
    );
    assert_eq!(
        texel_buffer(Format::RG16, &everything).expect("a format"),
        (vk::Format::R16G16_UNORM, false)
    );
    let error = texel_buffer(Format::DEPTH_COMPONENT16, &everything).expect_err("no buffer format");
    assert!(error.to_string().contains("GL_DEPTH_COMPONENT16"));
}

#[test]
fn screens_show_bytes() {
    let show = |format: Format, src: &[u8]| {
        let mut out = Vec::new();
        to_rgba8(format.info().expect("a format"), src, &mut out);
        out
    };
    assert_eq!(show(Format::RGBA8, &[1, 2, 3, 4]), [1, 2, 3, 4]);
    assert_eq!(show(Format::RGB8, &[1, 2, 3]), [1, 2, 3, 255]);
    assert_eq!(
        show(Format::RGB10_A2, &(1023u32 | 1 << 30).to_le_bytes()),
        [255, 0, 0, 85]
    );
    assert_eq!(show(Format::R16UI, &300u16.to_le_bytes()), [255, 0, 0, 255]);
}
