//! Textures: uploads and read-backs of every format, regions, respecification, sampler kinds, views, parameters,
//! mipmaps, copies.

use crate::rig::*;
use mgl_core::format::{ComponentClass, Format, FormatInfo, TexelLayout};
use mgl_core::handle::*;
use mgl_core::pipe::*;
use mgl_core::pod::F32;

/// Bytes of `texels` texels whose values come back from any storage: floats are finite, shared exponents canonical.
fn pattern(info: &FormatInfo, texels: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut seed = 12345u32;
    let mut next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed >> 8
    };
    for _ in 0..texels {
        match (info.format, info.class, info.layout) {
            (Format::RGB9_E5, ..) => {
                // The largest component fills the mantissa, which makes the exponent the canonical one.
                let m = 256 + next() % 256;
                let w = m | (next() % 512) << 9 | (next() % 512) << 18 | (next() % 32) << 27;
                out.extend(w.to_le_bytes());
            }
            (Format::R11F_G11F_B10F, ..) => {
                // Exponents below the largest, which stands for infinities.
                let w = (next() % 0x7C0) | ((next() % 0x7C0) << 11) | ((next() % 0x3E0) << 22);
                out.extend(w.to_le_bytes());
            }
            (Format::DEPTH_COMPONENT24, ..) => {
                let d = next() & 0xFF_FFFF;
                // As GL_UNSIGNED_INT has it: the upper bits again below.
                out.extend((d << 8 | d >> 16).to_le_bytes());
            }
            (Format::DEPTH32F_STENCIL8, ..) => {
                out.extend(((next() % 1000) as f32 / 1000.0).to_le_bytes());
                out.extend((next() & 0xFF).to_le_bytes());
            }
            (_, ComponentClass::Float, TexelLayout::Array(2)) => {
                for _ in 0..info.color_components() {
                    out.extend(
                        ((next() % 0x7C00) as u16 | ((next() & 1) as u16 * 0x8000)).to_le_bytes(),
                    );
                }
            }
            (_, ComponentClass::Float | ComponentClass::Depth, TexelLayout::Array(4)) => {
                for _ in 0..info.color_components().max(1) {
                    out.extend(((next() % 100_000) as f32 / 100_000.0).to_le_bytes());
                }
            }
            (_, ComponentClass::Snorm, TexelLayout::Array(n)) => {
                // The most negative value stands for -1 twice and comes back as the other one.
                for _ in 0..info.color_components() {
                    let v = if n == 1 {
                        i64::from(next() % 255) - 127
                    } else {
                        i64::from(next() % 65535) - 32767
                    };
                    out.extend(&v.to_le_bytes()[..usize::from(n)]);
                }
            }
            _ => out.extend((0..info.bytes).map(|_| next() as u8)),
        }
    }
    out
}

fn whole(rig: &Rig, texture: TextureHandle, level: u32) -> Box3 {
    let d = rig.s.textures.get(texture).expect("a texture").desc;
    let (width, height, depth) = mgl_core::pipe::limits::level_extent(&d, level);
    Box3 {
        width,
        height,
        depth,
        ..Box3::default()
    }
}

fn upload(rig: &mut Rig, texture: TextureHandle, level: u32, area: Box3, content: &[u8]) {
    let d = rig.s.textures.get(texture).expect("a texture").desc;
    let row = area.width * d.format.info().expect("a format").bytes;
    rig.call(&Call::ResourceSubData {
        p: &SubData {
            resource: texture.into(),
            level,
            union_box: area,
            row_stride: row,
            image_stride: u64::from(row) * u64::from(area.height),
            flags: SubDataFlags::UNION_WHOLE,
            ..SubData::default()
        },
        bytes: content,
        regions: &[],
    });
}

fn desc(target: Target, format: Format, width: u32, height: u32) -> ResourceDesc {
    ResourceDesc {
        target,
        format,
        width,
        height,
        ..ResourceDesc::default()
    }
}

#[test]
fn every_format_comes_back_as_it_went_up() {
    let mut rig = Rig::new(4, 4);
    for &format in Format::ALL {
        let info = format.info().expect("a format");
        // Rows of odd length, so that no alignment hides.
        let t = rig.texture_2d(format, 5, 3, 2);
        for level in 0..2 {
            let area = whole(&rig, t, level);
            let content = pattern(info, (area.width * area.height) as usize);
            upload(&mut rig, t, level, area, &content);
            let read = rig.read_texture(t, level);
            assert_eq!(read.len(), content.len(), "{format}");
            assert_eq!(read, content, "{format} level {level}");
        }
    }
}

#[test]
fn new_storage_is_zero() {
    let mut rig = Rig::new(4, 4);
    for &format in Format::ALL {
        let info = format.info().expect("a format");
        let t = rig.texture_2d(format, 3, 3, 2);
        for level in 0..2 {
            let zeros = rig.read_texture(t, level);
            assert!(zeros.iter().all(|b| *b == 0), "{format} level {level}");
        }
        assert_eq!(rig.read_texture(t, 0).len(), 9 * info.bytes as usize);
    }
}

#[test]
fn every_target_comes_back() {
    let mut rig = Rig::new(4, 4);
    let layered = |target, layers| ResourceDesc {
        layers,
        levels: 2,
        ..desc(target, Format::RGBA8, 6, 6)
    };
    let descs = [
        ResourceDesc {
            levels: 2,
            ..desc(Target::TEXTURE_1D, Format::RGBA8, 7, 1)
        },
        ResourceDesc {
            layers: 3,
            levels: 2,
            ..desc(Target::TEXTURE_1D_ARRAY, Format::RGB8, 7, 1)
        },
        desc(Target::TEXTURE_RECTANGLE, Format::RGB8, 7, 5),
        layered(Target::TEXTURE_2D_ARRAY, 3),
        layered(Target::TEXTURE_CUBE_MAP, 6),
        layered(Target::TEXTURE_CUBE_MAP_ARRAY, 12),
        ResourceDesc {
            depth: 5,
            levels: 2,
            ..desc(Target::TEXTURE_3D, Format::RGB16F, 6, 3)
        },
    ];
    for d in descs {
        let t = rig.texture(d);
        let info = d.format.info().expect("a format");
        for level in 0..d.levels.max(1) {
            let area = whole(&rig, t, level);
            let texels = area.width * area.height * area.depth;
            let content = pattern(info, texels as usize);
            upload(&mut rig, t, level, area, &content);
            assert_eq!(
                rig.read_texture(t, level),
                content,
                "{:?} {level}",
                d.target
            );
        }
    }
}

#[test]
fn only_the_regions_go_up_where_the_box_is_not_whole() {
    let mut rig = Rig::new(4, 4);
    for format in [Format::RGBA8, Format::RGB8, Format::SRGB8] {
        let texel = format.info().expect("a format").bytes as usize;
        let t = rig.texture_2d(format, 8, 8, 1);
        let all = whole(&rig, t, 0);
        upload(&mut rig, t, 0, all, &vec![9; 64 * texel]);
        let union = Box3 {
            x: 1,
            y: 1,
            width: 6,
            height: 6,
            depth: 1,
            ..Box3::default()
        };
        let region = |x: u32, y: u32| SubRegion {
            area: Box3 {
                x: 1 + x,
                y: 1 + y,
                width: 2,
                height: 2,
                depth: 1,
                ..Box3::default()
            },
            offset: u64::from(y * 6 + x) * texel as u64,
        };
        // Each row of the box has its number in every byte.
        let content: Vec<u8> = (0..36 * texel)
            .map(|i| (i / (6 * texel)) as u8 + 50)
            .collect();
        rig.call(&Call::ResourceSubData {
            p: &SubData {
                resource: t.into(),
                union_box: union,
                row_stride: 6 * texel as u32,
                image_stride: 36 * texel as u64,
                ..SubData::default()
            },
            bytes: &content,
            regions: &[region(0, 0), region(4, 4)],
        });
        let read = rig.read_texture(t, 0);
        for y in 0..8u8 {
            for x in 0..8u8 {
                let low = (1..3).contains(&x) && (1..3).contains(&y);
                let high = (5..7).contains(&x) && (5..7).contains(&y);
                let expected = if low || high { y - 1 + 50 } else { 9 };
                let at = (usize::from(y) * 8 + usize::from(x)) * texel;
                assert_eq!(
                    read[at..at + texel],
                    vec![expected; texel],
                    "{format} {x},{y}"
                );
            }
        }
    }
}

#[test]
fn respecified_textures_keep_the_levels_that_stay() {
    let mut rig = Rig::new(4, 4);
    let t = rig.texture_2d(Format::RGBA8, 4, 4, 2);
    let area = whole(&rig, t, 0);
    let content = pattern(Format::RGBA8.info().expect("a format"), 16);
    upload(&mut rig, t, 0, area, &content);
    let a = rig.attachment(t, 0, 0);
    rig.framebuffer(&[a], None);
    let old = rig.s.textures.get(t).expect("a texture").desc;
    rig.call(&Call::ResourceRespecify {
        p: &ResourceDesc { levels: 3, ..old },
    });
    assert_eq!(rig.read_texture(t, 0), content);
    assert_eq!(rig.read_texture(t, 2), vec![0; 4]);
    // What is bound follows the new storage.
    rig.clear([1.0, 0.0, 0.0, 1.0]);
    assert_eq!(rig.read_texture(t, 0), bytes(&[RED; 16]));
    rig.call(&Call::ResourceRespecify {
        p: &ResourceDesc { width: 8, ..old },
    });
    assert_eq!(rig.read_texture(t, 0), vec![0; 128]);
}

/// A view of all of a texture, and its parameters with nearest filtering.
fn bind_texture(rig: &mut Rig, unit: u32, texture: TextureHandle) -> BoundView {
    let d = rig.s.textures.get(texture).expect("a texture").desc;
    let view: SamplerViewHandle = rig.alloc();
    rig.call(&Call::CreateSamplerView {
        p: &SamplerView {
            view,
            texture,
            format: d.format,
            target: d.target,
            levels: d.levels.max(1),
            layers: d.layers.max(1),
            ..SamplerView::default()
        },
    });
    rig.call(&Call::SetTextureParams {
        p: &params(texture),
    });
    BoundView {
        unit,
        view,
        texture,
        ..BoundView::default()
    }
}

fn params(texture: TextureHandle) -> TextureParams {
    TextureParams {
        texture,
        max_level: 1000,
        swizzle: [Swizzle::RED, Swizzle::GREEN, Swizzle::BLUE, Swizzle::ALPHA],
        depth_stencil_mode: DepthStencilMode::DEPTH_COMPONENT,
        min_lod: F32(-1000.0),
        max_lod: F32(1000.0),
        ..TextureParams::default()
    }
}

fn sampler(rig: &mut Rig, change: impl FnOnce(&mut SamplerDesc)) -> SamplerHandle {
    let handle: SamplerHandle = rig.alloc();
    let mut d = SamplerDesc {
        sampler: handle,
        min_filter: MinFilter::NEAREST,
        mag_filter: Filter::NEAREST,
        wrap: [Wrap::CLAMP_TO_EDGE; 3],
        compare_mode: CompareMode::NONE,
        compare_func: CompareFunc::LEQUAL,
        min_lod: F32(-1000.0),
        max_lod: F32(1000.0),
        max_anisotropy: F32(1.0),
        srgb_decode: SrgbDecode::DECODE,
        ..SamplerDesc::default()
    };
    change(&mut d);
    rig.call(&Call::CreateSamplerState { p: &d });
    handle
}

fn set_views(rig: &mut Rig, views: &[BoundView], sampler: SamplerHandle) {
    rig.call(&Call::SetSamplerViews {
        p: &SetSamplerViews::default(),
        views,
    });
    let samplers: Vec<BoundSampler> = views
        .iter()
        .map(|v| BoundSampler {
            unit: v.unit,
            sampler,
            ..BoundSampler::default()
        })
        .collect();
    rig.call(&Call::BindSamplerStates {
        p: &BindSamplerStates::default(),
        samplers: &samplers,
    });
}

/// Two by two texels: red, green, blue and white, from the lower left.
fn four(rig: &mut Rig, format: Format) -> TextureHandle {
    let t = rig.texture_2d(format, 2, 2, 1);
    let all: Vec<u8> = [RED, GREEN, BLUE, [255; 4]]
        .iter()
        .flat_map(|c| c[..format.info().expect("a format").bytes as usize].to_vec())
        .collect();
    let area = whole(rig, t, 0);
    upload(rig, t, 0, area, &all);
    t
}

#[test]
fn a_textured_triangle() {
    let mut rig = Rig::new(4, 4);
    rig.program("textured");
    rig.positions(&COVER);
    let nearest = sampler(&mut rig, |_| {});
    for format in [Format::RGBA8, Format::RGB8] {
        let t = four(&mut rig, format);
        let view = bind_texture(&mut rig, 0, t);
        set_views(&mut rig, &[view], nearest);
        rig.draw(Primitive::TRIANGLES, 0, 3);
        let image = rig.image();
        assert_eq!((image.at(0, 0), image.at(3, 0)), (RED, GREEN), "{format}");
        assert_eq!(
            (image.at(0, 3), image.at(3, 3)),
            (BLUE, [255; 4]),
            "{format}"
        );
        // The content changes under the same view.
        let area = whole(&rig, t, 0);
        let texel = format.info().expect("a format").bytes as usize;
        upload(
            &mut rig,
            t,
            0,
            area,
            &[BLUE[..texel].to_vec(), vec![255; 3 * texel]].concat(),
        );
        rig.draw(Primitive::TRIANGLES, 0, 3);
        assert_eq!(rig.image().at(0, 0), BLUE);
    }
}

#[test]
fn depth_is_filtered_as_colour_is() {
    let mut rig = Rig::new(4, 4);
    rig.program("textured");
    rig.positions(&COVER);
    let linear = sampler(&mut rig, |d| {
        d.min_filter = MinFilter::LINEAR;
        d.mag_filter = Filter::LINEAR;
        d.wrap = [Wrap::CLAMP_TO_EDGE; 3];
    });
    for (format, content) in [
        (Format::DEPTH_COMPONENT16, bytes(&[0u16, 0xFFFF])),
        (Format::DEPTH_COMPONENT24, bytes(&[0u32, u32::MAX])),
        (Format::DEPTH_COMPONENT32F, bytes(&[0f32, 1.0])),
        (Format::DEPTH24_STENCIL8, bytes(&[0u32, 0xFFFF_FF00])),
    ] {
        let t = rig.texture(desc(Target::TEXTURE_2D, format, 2, 1));
        let area = whole(&rig, t, 0);
        upload(&mut rig, t, 0, area, &content);
        let view = bind_texture(&mut rig, 0, t);
        set_views(&mut rig, &[view], linear);
        rig.draw(Primitive::TRIANGLES, 0, 3);
        let image = rig.image();
        let red = [0, 1, 2, 3].map(|x| image.at(x, 1)[0]);
        // A quarter and three quarters of the way from one texel's middle to the other's.
        for (got, want) in red.into_iter().zip([0u8, 64, 191, 255]) {
            assert!(got.abs_diff(want) <= 2, "{format}: {red:?}");
        }
    }
}

#[test]
fn parameters_take_effect_without_other_changes() {
    let mut rig = Rig::new(4, 4);
    rig.program("textured");
    rig.positions(&COVER);
    let t = rig.texture_2d(Format::RGBA8, 2, 2, 2);
    let (a, b) = (whole(&rig, t, 0), whole(&rig, t, 1));
    upload(&mut rig, t, 0, a, &bytes(&[RED; 4]));
    upload(&mut rig, t, 1, b, &GREEN);
    let nearest = sampler(&mut rig, |_| {});
    let view = bind_texture(&mut rig, 0, t);
    set_views(&mut rig, &[view], nearest);
    rig.draw(Primitive::TRIANGLES, 0, 3);
    assert_eq!(rig.image().count(RED), 16);
    rig.call(&Call::SetTextureParams {
        p: &TextureParams {
            base_level: 1,
            ..params(t)
        },
    });
    rig.draw(Primitive::TRIANGLES, 0, 3);
    assert_eq!(rig.image().count(GREEN), 16, "base level");
    rig.call(&Call::SetTextureParams {
        p: &TextureParams {
            swizzle: [Swizzle::ZERO, Swizzle::ZERO, Swizzle::RED, Swizzle::ONE],
            ..params(t)
        },
    });
    rig.draw(Primitive::TRIANGLES, 0, 3);
    assert_eq!(rig.image().count(BLUE), 16, "swizzle");
}

#[test]
fn a_unit_without_view_is_black() {
    let mut rig = Rig::new(4, 4);
    rig.clear([1.0, 0.0, 0.0, 1.0]);
    rig.program("textured");
    rig.positions(&COVER);
    rig.draw(Primitive::TRIANGLES, 0, 3);
    assert_eq!(rig.image().count([0; 4]), 16);
    // A texture that dies is gone from the unit.
    let t = four(&mut rig, Format::RGBA8);
    let nearest = sampler(&mut rig, |_| {});
    let view = bind_texture(&mut rig, 0, t);
    set_views(&mut rig, &[view], nearest);
    rig.draw(Primitive::TRIANGLES, 0, 3);
    assert_eq!(rig.image().at(0, 0), RED);
    rig.call(&Call::ResourceDestroy {
        p: &ResourceOnly {
            resource: t.into(),
            ..ResourceOnly::default()
        },
    });
    rig.draw(Primitive::TRIANGLES, 0, 3);
    assert_eq!(rig.image().count([0; 4]), 16);
}

#[test]
fn three_component_textures_sample_alpha_as_one() {
    let mut rig = Rig::new(4, 4);
    rig.program("textured");
    rig.positions(&COVER);
    let nearest = sampler(&mut rig, |_| {});
    let halves = |v: [f32; 3]| bytes(&v.map(|f| if f == 0.0 { 0u16 } else { 0x3C00 }));
    for (format, texel) in [
        (Format::RGB16F, halves([1.0, 0.0, 1.0])),
        (Format::RGB16, bytes(&[0xFFFFu16, 0, 0xFFFF])),
        (Format::RGB8_SNORM, vec![127, 0, 127]),
        (Format::SRGB8, vec![255, 0, 255]),
    ] {
        let t = rig.texture_2d(format, 1, 1, 1);
        let area = whole(&rig, t, 0);
        upload(&mut rig, t, 0, area, &texel);
        let view = bind_texture(&mut rig, 0, t);
        set_views(&mut rig, &[view], nearest);
        rig.clear([0.0; 4]);
        rig.draw(Primitive::TRIANGLES, 0, 3);
        assert_eq!(rig.image().count([255, 0, 255, 255]), 16, "{format}");
    }
}

#[test]
fn three_component_formats_can_be_drawn_to() {
    let mut rig = Rig::new(4, 4);
    let p = rig.program("flat");
    rig.positions(&LEFT);
    rig.uniform(&p, "place", &[1.0f32, 1.0, 0.0, 0.0]);
    rig.uniform(&p, "tint", &[1.0f32, 0.0, 1.0, 0.25]);
    let t = rig.texture_2d(Format::RGB16F, 4, 4, 1);
    let a = rig.attachment(t, 0, 0);
    rig.framebuffer(&[a], None);
    rig.clear([0.0, 1.0, 0.0, 0.0]);
    // Blending with the destination's alpha sees one.
    rig.state.blend_enable(0, true.into());
    rig.state.blend_src_color(0, BlendFactor::DST_ALPHA);
    rig.push_state();
    rig.draw(Primitive::TRIANGLE_STRIP, 0, 4);
    let read = rig.read_texture(t, 0);
    assert_eq!(read[..6], bytes(&[0x3C00u16, 0, 0x3C00]));
    assert_eq!(read[18..24], bytes(&[0u16, 0x3C00, 0]));
}

#[test]
fn sampler_kinds() {
    let mut rig = Rig::new(4, 4);
    let p = rig.program("kinds");
    rig.positions(&COVER);
    let slot = |name: &str| {
        p.reflection
            .samplers
            .iter()
            .find(|s| p.reflection.uniforms[s.uniform as usize].name == name)
            .unwrap_or_else(|| panic!("no sampler {name}"))
            .slot
    };
    let filled = |rig: &mut Rig, d: ResourceDesc, content: &[u8]| {
        let t = rig.texture(d);
        let area = whole(rig, t, 0);
        upload(rig, t, 0, area, content);
        t
    };
    let unsigned = filled(
        &mut rig,
        desc(Target::TEXTURE_2D, Format::RGBA8UI, 1, 1),
        &[10, 20, 30, 40],
    );
    let signed = filled(
        &mut rig,
        desc(Target::TEXTURE_2D, Format::RGBA8I, 1, 1),
        &[246, 236, 226, 216],
    );
    let array = ResourceDesc {
        layers: 3,
        ..desc(Target::TEXTURE_2D_ARRAY, Format::RGBA8, 1, 1)
    };
    let layers = filled(&mut rig, array, &[RED, GREEN, BLUE].concat());
    let solid = ResourceDesc {
        depth: 4,
        ..desc(Target::TEXTURE_3D, Format::RGBA8, 1, 1)
    };
    let slices = filled(&mut rig, solid, &[RED, RED, RED, GREEN].concat());
    let cube_map = ResourceDesc {
        layers: 6,
        ..desc(Target::TEXTURE_CUBE_MAP, Format::RGBA8, 1, 1)
    };
    let cube = filled(
        &mut rig,
        cube_map,
        &[RED, RED, RED, RED, BLUE, RED].concat(),
    );
    let line = filled(
        &mut rig,
        desc(Target::TEXTURE_1D, Format::RGBA8, 2, 1),
        &[RED, GREEN].concat(),
    );
    let rect = filled(
        &mut rig,
        desc(Target::TEXTURE_RECTANGLE, Format::RGBA8, 2, 1),
        &[RED, BLUE].concat(),
    );
    let depth = filled(
        &mut rig,
        desc(Target::TEXTURE_2D, Format::DEPTH_COMPONENT16, 1, 1),
        &bytes(&[0xC000u16]),
    );
    let buffer = rig.buffer(&[vec![1; 16], [RED, RED, RED, GREEN].concat()].concat());
    let texels = rig.texture(ResourceDesc {
        storage: StorageKind::BUFFER_TEXTURE,
        buffer,
        offset: 16,
        size: 16,
        ..desc(Target::TEXTURE_BUFFER, Format::RGBA8, 4, 1)
    });
    let bound = [
        ("unsigned_2d", unsigned),
        ("signed_2d", signed),
        ("layers", layers),
        ("slices", slices),
        ("cube", cube),
        ("texels", texels),
        ("line", line),
        ("rect", rect),
        ("shadow", depth),
    ];
    let mut views = Vec::new();
    for (name, t) in bound {
        let view = bind_texture(&mut rig, slot(name), t);
        views.push(view);
    }
    let nearest = sampler(&mut rig, |_| {});
    let compare = sampler(&mut rig, |d| {
        d.compare_mode = CompareMode::COMPARE_REF_TO_TEXTURE
    });
    set_views(&mut rig, &views, nearest);
    let samplers: Vec<BoundSampler> = views
        .iter()
        .map(|v| BoundSampler {
            unit: v.unit,
            sampler: if v.unit == slot("shadow") {
                compare
            } else {
                nearest
            },
            ..BoundSampler::default()
        })
        .collect();
    rig.call(&Call::BindSamplerStates {
        p: &BindSamplerStates::default(),
        samplers: &samplers,
    });
    let expected = [
        [10, 20, 30, 40],
        [10, 20, 30, 40],
        BLUE,
        GREEN,
        BLUE,
        GREEN,
        GREEN,
        BLUE,
        [255; 4],
    ];
    for (which, color) in expected.into_iter().enumerate() {
        rig.uniform(&p, "which", &[which as i32]);
        rig.draw(Primitive::TRIANGLES, 0, 3);
        assert_eq!(
            rig.image().at(1, 1),
            color,
            "kind {which}: {}",
            bound[which].0
        );
    }
    // Without any of them each kind reads black.
    set_views(&mut rig, &[], nearest);
    for which in 0..expected.len() {
        rig.uniform(&p, "which", &[which as i32]);
        rig.draw(Primitive::TRIANGLES, 0, 3);
        let pixel = rig.image().at(1, 1);
        assert_eq!(pixel[..3], [0; 3], "kind {which} without texture");
    }
}

#[test]
fn views_restrict_and_reinterpret() {
    let mut rig = Rig::new(4, 4);
    rig.program("textured");
    rig.positions(&COVER);
    let nearest = sampler(&mut rig, |_| {});
    let t = rig.texture(ResourceDesc {
        layers: 3,
        levels: 2,
        ..desc(Target::TEXTURE_2D_ARRAY, Format::RGBA8, 2, 2)
    });
    let gray = [188u8, 188, 188, 255];
    for (level, layer, color) in [
        (0, 0, RED),
        (0, 1, RED),
        (0, 2, GREEN),
        (1, 0, RED),
        (1, 1, BLUE),
        (1, 2, gray),
    ] {
        let area = Box3 {
            z: layer,
            width: 2 >> level,
            height: 2 >> level,
            depth: 1,
            ..Box3::default()
        };
        let texels = (area.width * area.height) as usize;
        upload(&mut rig, t, level, area, &color.repeat(texels));
    }
    let mut show = |format, first_level, first_layer| {
        let view: SamplerViewHandle = rig.alloc();
        rig.call(&Call::CreateSamplerView {
            p: &SamplerView {
                view,
                texture: t,
                format,
                target: Target::TEXTURE_2D,
                first_level,
                levels: 1,
                first_layer,
                layers: 1,
                ..SamplerView::default()
            },
        });
        let bound = BoundView {
            view,
            texture: t,
            ..BoundView::default()
        };
        set_views(&mut rig, &[bound], nearest);
        rig.draw(Primitive::TRIANGLES, 0, 3);
        let pixel = rig.image().at(2, 2);
        rig.call(&Call::DeleteSamplerView {
            p: &SamplerViewOnly { view },
        });
        pixel
    };
    assert_eq!(show(Format::RGBA8, 0, 2), GREEN);
    assert_eq!(show(Format::RGBA8, 1, 1), BLUE);
    assert_eq!(show(Format::RGBA8, 1, 2), gray);
    // As sRGB, 188 is about a half.
    let linear = show(Format::SRGB8_ALPHA8, 1, 2);
    assert!((126..=130).contains(&linear[0]), "{linear:?}");
}

#[test]
fn texture_views_share_storage() {
    let mut rig = Rig::new(4, 4);
    let owner = rig.texture(ResourceDesc {
        layers: 2,
        ..desc(Target::TEXTURE_2D_ARRAY, Format::RGBA8, 2, 2)
    });
    let view = rig.texture(ResourceDesc {
        storage: StorageKind::VIEW,
        view_of: owner,
        view_layer: 1,
        ..desc(Target::TEXTURE_2D, Format::R32UI, 2, 2)
    });
    let area = whole(&rig, view, 0);
    upload(&mut rig, view, 0, area, &bytes(&[0xFF0000FFu32; 4]));
    let all = rig.read_texture(owner, 0);
    assert_eq!(all, [vec![0; 16], RED.repeat(4)].concat());
    // Storage lives on with the view when its owner's name ends.
    rig.call(&Call::ResourceDestroy {
        p: &ResourceOnly {
            resource: owner.into(),
            ..ResourceOnly::default()
        },
    });
    assert_eq!(rig.read_texture(view, 0), RED.repeat(4));
}

#[test]
fn border_colors_of_each_form() {
    let mut rig = Rig::new(4, 4);
    rig.program("textured");
    // The texture covers the lower left quarter; the rest is border.
    rig.positions(&COVER);
    let t = rig.texture_2d(Format::RGBA8, 1, 1, 1);
    let area = whole(&rig, t, 0);
    upload(&mut rig, t, 0, area, &RED);
    let s = sampler(&mut rig, |d| {
        d.wrap = [Wrap::CLAMP_TO_BORDER; 3];
        d.border_color = [0.0f32, 1.0, 0.0, 1.0].map(f32::to_bits);
    });
    let view = bind_texture(&mut rig, 0, t);
    set_views(&mut rig, &[view], s);
    rig.state.viewport(
        0,
        Viewport {
            x: F32(-4.0),
            y: F32(-4.0),
            width: F32(8.0),
            height: F32(8.0),
            far: F32(1.0),
            ..Viewport::default()
        },
    );
    rig.push_state();
    rig.draw(Primitive::TRIANGLES, 0, 3);
    // All that shows lies at half the texture and above: inside it.
    assert_eq!(rig.image().count(RED), 16);
    // Unsigned borders need an unsigned texture.
    let p = rig.program("kinds");
    rig.uniform(&p, "which", &[0i32]);
    let forms = [
        (BorderForm::INT, Format::RGBA8I),
        (BorderForm::UINT, Format::RGBA8UI),
    ];
    for (form, format) in forms {
        let t = rig.texture_2d(format, 1, 1, 1);
        let s = sampler(&mut rig, |d| {
            d.wrap = [Wrap::CLAMP_TO_BORDER; 3];
            d.border_form = form;
            d.border_color = [1, 2, 3, 4];
        });
        let name = if form == BorderForm::INT {
            "signed_2d"
        } else {
            "unsigned_2d"
        };
        let slot = p
            .reflection
            .samplers
            .iter()
            .find(|s| p.reflection.uniforms[s.uniform as usize].name == name)
            .expect("the sampler")
            .slot;
        let view = bind_texture(&mut rig, slot, t);
        set_views(&mut rig, &[view], s);
        rig.draw(Primitive::TRIANGLES, 0, 3);
    }
}

#[test]
fn mipmaps_are_made() {
    let mut rig = Rig::new(4, 4);
    // Formats that GL makes them for, and formats that it does not.
    for format in [
        Format::RGBA8,
        Format::SRGB8,
        Format::RGB8,
        Format::RGB16F,
        Format::RGB9_E5,
        Format::DEPTH_COMPONENT16,
    ] {
        let info = format.info().expect("a format");
        let t = rig.texture_2d(format, 8, 8, 4);
        let area = whole(&rig, t, 0);
        let one = match format {
            Format::RGB16F => bytes(&[0x3800u16, 0x3C00, 0]),
            Format::RGB9_E5 => bytes(&[256u32 | 256 << 9 | 15 << 27]),
            _ => (0..info.bytes as u8).map(|i| 40 + i).collect(),
        };
        upload(&mut rig, t, 0, area, &one.repeat(64));
        rig.call(&Call::GenerateMipmap {
            p: &GenerateMipmap {
                texture: t,
                base_level: 0,
                last_level: 2,
                ..GenerateMipmap::default()
            },
        });
        for level in 1..3 {
            let read = rig.read_texture(t, level);
            assert_eq!(
                read,
                one.repeat(64 >> (2 * level)),
                "{format} level {level}"
            );
        }
        assert!(
            rig.read_texture(t, 3).iter().all(|b| *b == 0),
            "{format}: the level behind the last is untouched"
        );
    }
    // Averages, for a format with values.
    let t = rig.texture_2d(Format::R8, 2, 2, 2);
    let area = whole(&rig, t, 0);
    upload(&mut rig, t, 0, area, &[0, 100, 200, 100]);
    rig.call(&Call::GenerateMipmap {
        p: &GenerateMipmap {
            texture: t,
            base_level: 0,
            last_level: 1,
            ..GenerateMipmap::default()
        },
    });
    assert_eq!(rig.read_texture(t, 1), [100]);
}

#[test]
fn copies_between_textures() {
    let mut rig = Rig::new(4, 4);
    let pairs = [
        (Format::RGBA8, Format::RGBA8),
        (Format::RGBA8, Format::R32UI),
        (Format::RGB8, Format::SRGB8),
        (Format::RGB16F, Format::RGB16UI),
        (Format::RGB565, Format::RGB565),
        (Format::RGB565, Format::R16UI),
        (Format::DEPTH24_STENCIL8, Format::DEPTH24_STENCIL8),
        (Format::RGB9_E5, Format::RGBA8),
    ];
    for (from, to) in pairs {
        let info = from.info().expect("a format");
        let (a, b) = (rig.texture_2d(from, 4, 4, 1), rig.texture_2d(to, 4, 4, 2));
        let content = pattern(info, 16);
        let area = whole(&rig, a, 0);
        upload(&mut rig, a, 0, area, &content);
        rig.call(&Call::ResourceCopyRegion {
            p: &CopyRegion {
                src: a.into(),
                dst: b.into(),
                dst_level: 1,
                src_box: Box3 {
                    x: 2,
                    y: 1,
                    width: 2,
                    height: 2,
                    depth: 1,
                    ..Box3::default()
                },
                ..CopyRegion::default()
            },
        });
        let texel = info.bytes as usize;
        let row = |y: usize| &content[(y * 4 + 2) * texel..(y * 4 + 4) * texel];
        assert_eq!(
            rig.read_texture(b, 1),
            [row(1), row(2)].concat(),
            "{from} to {to}"
        );
    }
}

#[test]
fn copies_of_buffers() {
    let mut rig = Rig::new(4, 4);
    let a = rig.buffer(&(0..32).collect::<Vec<u8>>());
    let b = rig.buffer(&[0xEE; 16]);
    let copy = |rig: &mut Rig, src: BufferHandle, at, dst: BufferHandle, dst_x, width| {
        rig.call(&Call::ResourceCopyRegion {
            p: &CopyRegion {
                src: src.into(),
                dst: dst.into(),
                src_box: Box3 {
                    x: at,
                    width,
                    ..Box3::default()
                },
                dst_x,
                ..CopyRegion::default()
            },
        });
    };
    let read = |rig: &mut Rig, buffer, size| {
        rig.call(&Call::ResourceReadback {
            p: &BufferRange {
                buffer,
                offset: 0,
                size,
            },
        })
    };
    copy(&mut rig, a, 8, b, 2, 4);
    let mut expected = vec![0xEE; 16];
    expected[2..6].copy_from_slice(&[8, 9, 10, 11]);
    assert_eq!(read(&mut rig, b, 16), Reply::Bytes(expected));
    copy(&mut rig, a, 0, a, 2, 6);
    assert_eq!(
        read(&mut rig, a, 10),
        Reply::Bytes(vec![0, 1, 0, 1, 2, 3, 4, 5, 8, 9]),
        "overlapping ranges move"
    );
    rig.call(&Call::ClearResource {
        p: &ClearResource {
            resource: b.into(),
            value: [0x0201, 0, 0, 0],
            value_size: 2,
            offset: 4,
            size: 6,
            ..ClearResource::default()
        },
    });
    let Reply::Bytes(content) = read(&mut rig, b, 12) else {
        panic!("bytes")
    };
    assert_eq!(content[2..12], [8, 9, 1, 2, 1, 2, 1, 2, 0xEE, 0xEE]);
}

#[test]
fn boxes_of_textures_are_filled() {
    let mut rig = Rig::new(4, 4);
    for format in [
        Format::RGBA8,
        Format::RGB8,
        Format::RGB16F,
        Format::R32UI,
        Format::DEPTH_COMPONENT16,
    ] {
        let info = format.info().expect("a format");
        let texel = info.bytes as usize;
        let t = rig.texture_2d(format, 4, 4, 1);
        let value = [0x3C00_3C00u32, 0x3C00_3C00, 0, 0];
        rig.call(&Call::ClearResource {
            p: &ClearResource {
                resource: t.into(),
                area: Box3 {
                    x: 1,
                    y: 2,
                    width: 2,
                    height: 1,
                    depth: 1,
                    ..Box3::default()
                },
                format,
                value_size: info.bytes,
                value,
                ..ClearResource::default()
            },
        });
        let read = rig.read_texture(t, 0);
        let one = &bytemuck::bytes_of(&value)[..texel];
        for (i, p) in read.chunks_exact(texel).enumerate() {
            let inside = i == 9 || i == 10;
            assert_eq!(
                p,
                if inside { one } else { &[0; 16][..texel] },
                "{format} texel {i}"
            );
        }
    }
}

/// What changes between two draws that have all else in common is seen by the second one, whatever it is that changes.
#[test]
fn draws_of_one_state_see_what_changed_between_them() {
    let mut rig = Rig::new(4, 4);
    let p = rig.program("textured");
    rig.positions(&COVER);
    let texel = |rig: &mut Rig, content: [u8; 4]| {
        let t = rig.texture(desc(Target::TEXTURE_2D, Format::RGBA8, 1, 1));
        let area = whole(rig, t, 0);
        upload(rig, t, 0, area, &content);
        t
    };
    let (first, second) = (texel(&mut rig, RED), texel(&mut rig, BLUE));
    let views = [
        bind_texture(&mut rig, 0, first),
        bind_texture(&mut rig, 1, second),
    ];
    let nearest = sampler(&mut rig, |_| {});
    set_views(&mut rig, &views, nearest);
    let drawn = |rig: &mut Rig| {
        for _ in 0..2 {
            rig.draw(Primitive::TRIANGLES, 0, 3);
        }
    };
    // Nothing is read in between: all draws are of one submission, and the last one is seen.
    let seen = |rig: &mut Rig, what: &str, want: [u8; 4]| {
        rig.draw(Primitive::TRIANGLES, 0, 3);
        assert_eq!(rig.image().at(1, 1), want, "{what}");
        rig.clear([0.0; 4]);
        drawn(rig);
    };
    drawn(&mut rig);
    seen(&mut rig, "nothing", RED);
    rig.call(&Call::SetTextureParams {
        p: &TextureParams {
            swizzle: [Swizzle::ZERO, Swizzle::RED, Swizzle::ZERO, Swizzle::ONE],
            ..params(first)
        },
    });
    seen(&mut rig, "parameters of the texture", GREEN);
    let area = whole(&rig, first, 0);
    upload(&mut rig, first, 0, area, &[0, 0, 0, 255]);
    seen(&mut rig, "texels", [0, 0, 0, 255]);
    rig.call(&Call::SetProgramBindings {
        p: &SetProgramBindings { shader: p.shader },
        samplers: &[SlotUnit { slot: 0, unit: 1 }],
        images: &[],
        uniform_blocks: &[],
        storage_blocks: &[],
    });
    seen(&mut rig, "the unit", BLUE);
    rig.clear([0.0, 1.0, 0.0, 1.0]);
    let moved = bytes(&[9.0f32; 6]);
    let vertices = rig.s.context().expect("a context").values.vertex_buffers[0].buffer;
    rig.write_buffer(vertices, 0, &moved);
    rig.draw(Primitive::TRIANGLES, 0, 3);
    assert_eq!(rig.image().at(1, 1), GREEN, "vertices that lie elsewhere");
    rig.write_buffer(vertices, 0, &bytes(&COVER));
    rig.draw(Primitive::TRIANGLES, 0, 3);
    assert_eq!(rig.image().at(1, 1), BLUE, "vertices that are back");

    let flat = rig.program("flat");
    rig.uniform(&flat, "place", &[1.0f32, 1.0, 0.0, 0.0]);
    for (tint, want) in [
        ([1.0f32, 0.0, 0.0, 1.0], RED),
        ([0.0, 1.0, 0.0, 1.0], GREEN),
    ] {
        rig.uniform(&flat, "tint", &tint);
        rig.draw(Primitive::TRIANGLES, 0, 3);
        rig.uniform(&flat, "tint", &[0.0f32, 0.0, 1.0, 1.0]);
        rig.draw(Primitive::TRIANGLES, 0, 3);
        rig.uniform(&flat, "tint", &tint);
        rig.draw(Primitive::TRIANGLES, 0, 3);
        assert_eq!(rig.image().at(1, 1), want, "a uniform");
    }
}
