//! Each sample of multisampled images: written, read, and emitted into another server.

use crate::emission::{all, is_quiet, moved};
use crate::framebuffers::{blit, from_to, read, renderbuffer};
use crate::lane::Lane;
use crate::rig::*;
use mgl_core::format::Format;
use mgl_core::handle::*;
use mgl_core::pipe::backend::Reply;
use mgl_core::pipe::emission::Part;
use mgl_core::pipe::*;
use mgl_core::pod::F32;
use std::collections::BTreeMap;

const SAMPLES: u32 = 4;

fn texture(rig: &mut Rig, target: Target, format: Format, size: [u32; 3]) -> TextureHandle {
    let h: TextureHandle = rig.alloc();
    let color = format.info().expect("a format").is_color();
    rig.call(&Call::ResourceCreate {
        p: &ResourceDesc {
            resource: h.into(),
            target,
            format,
            width: size[0],
            height: size[1],
            depth: 1,
            layers: size[2],
            levels: 1,
            samples: SAMPLES,
            bind: if color {
                BindMask::SAMPLED | BindMask::RENDER_TARGET
            } else {
                BindMask::SAMPLED | BindMask::DEPTH_STENCIL
            },
            ..ResourceDesc::default()
        },
    });
    h
}

fn write_sample(
    take: &mut dyn FnMut(&Call<'_>),
    texture: TextureHandle,
    area: Box3,
    sample: u32,
    bytes: &[u8],
) {
    let texels = area.width * area.height * area.depth;
    let row_stride = bytes.len() as u32 / texels * area.width;
    take(&Call::ResourceSubData {
        p: &SubData {
            resource: texture.into(),
            union_box: area,
            row_stride,
            image_stride: u64::from(row_stride * area.height),
            sample,
            ..SubData::default()
        },
        bytes,
        regions: &[],
    });
}

fn read_sample(rig: &mut Rig, texture: TextureHandle, area: Box3, sample: u32) -> Vec<u8> {
    let format = rig.s.textures.get(texture).expect("live").desc.format;
    let p = &GetTextureImage {
        texture,
        format,
        area,
        sample,
        ..GetTextureImage::default()
    };
    match rig.call(&Call::GetTextureImage { p }) {
        Reply::Bytes(b) => b,
        r => panic!("{r:?}"),
    }
}

/// Texels of a format, each another, and such as every API keeps: no NaNs, depths from 0 to 1.
fn texels(format: Format, count: usize, seed: usize) -> Vec<u8> {
    let size = format.info().expect("a format").bytes as usize;
    let texel = |n: usize| -> Vec<u8> {
        let n = n * 37 + seed * 101 + 5;
        let part = |i: usize| ((n + i * 59) % 251) as f32 / 251.0;
        match format {
            Format::RGBA32F => (0..4)
                .flat_map(|i| (part(i) * 9.0 - 4.0).to_le_bytes())
                .collect(),
            Format::DEPTH_COMPONENT32F => part(0).to_le_bytes().to_vec(),
            Format::DEPTH32F_STENCIL8 => {
                [part(0).to_le_bytes(), u32::from(n as u8).to_le_bytes()].concat()
            }
            // As wide fixed point the low bits repeat the high ones.
            Format::DEPTH_COMPONENT24 => {
                let v = (n as u32).wrapping_mul(0x9E37_79B1) >> 8;
                (v << 8 | v >> 16).to_le_bytes().to_vec()
            }
            // Halves from 1 to 2.
            Format::RGBA16F => (0..4)
                .flat_map(|i| (0x3C00u16 | (n + i * 7) as u16 & 0x3FF).to_le_bytes())
                .collect(),
            _ => (0..size).map(|i| (n * 7 + i * 31) as u8).collect(),
        }
    };
    (0..count).flat_map(texel).collect()
}

#[test]
fn every_sample_is_written_and_read_by_itself() {
    let mut rig = Rig::new(4, 4);
    for (target, format) in [
        (Target::TEXTURE_2D_MULTISAMPLE, Format::RGBA8),
        (Target::TEXTURE_2D_MULTISAMPLE, Format::SRGB8_ALPHA8),
        (Target::TEXTURE_2D_MULTISAMPLE, Format::RGB8),
        (Target::TEXTURE_2D_MULTISAMPLE, Format::RGB565),
        (Target::TEXTURE_2D_MULTISAMPLE, Format::RGB10_A2),
        (Target::TEXTURE_2D_MULTISAMPLE, Format::RGBA16F),
        (Target::TEXTURE_2D_MULTISAMPLE, Format::RGBA32F),
        (Target::TEXTURE_2D_MULTISAMPLE, Format::RGBA8UI),
        (Target::TEXTURE_2D_MULTISAMPLE, Format::RG32I),
        (Target::TEXTURE_2D_MULTISAMPLE, Format::DEPTH_COMPONENT16),
        (Target::TEXTURE_2D_MULTISAMPLE, Format::DEPTH_COMPONENT24),
        (Target::TEXTURE_2D_MULTISAMPLE, Format::DEPTH_COMPONENT32F),
        (Target::TEXTURE_2D_MULTISAMPLE, Format::DEPTH24_STENCIL8),
        (Target::TEXTURE_2D_MULTISAMPLE, Format::DEPTH32F_STENCIL8),
        (Target::TEXTURE_2D_MULTISAMPLE_ARRAY, Format::RGBA8),
        (Target::TEXTURE_2D_MULTISAMPLE_ARRAY, Format::RGBA8UI),
        (
            Target::TEXTURE_2D_MULTISAMPLE_ARRAY,
            Format::DEPTH24_STENCIL8,
        ),
    ] {
        let layers = match target {
            Target::TEXTURE_2D_MULTISAMPLE => 1,
            _ => 3,
        };
        let t = texture(&mut rig, target, format, [5, 3, layers]);
        let whole = Box3 {
            width: 5,
            height: 3,
            depth: layers,
            ..Box3::default()
        };
        let mut has: Vec<Vec<u8>> = (0..SAMPLES as usize)
            .map(|n| texels(format, 15 * layers as usize, n))
            .collect();
        for (n, bytes) in has.iter().enumerate() {
            write_sample(&mut |c| drop(rig.call(c)), t, whole, n as u32, bytes);
        }
        // A box in the middle, of one sample and one layer.
        let part = Box3 {
            x: 1,
            y: 1,
            z: layers - 1,
            width: 2,
            height: 1,
            depth: 1,
        };
        let size = format.info().expect("a format").bytes as usize;
        let inner = texels(format, 2, 9);
        write_sample(&mut |c| drop(rig.call(c)), t, part, 2, &inner);
        let at = ((layers as usize - 1) * 15 + 6) * size;
        has[2][at..at + 2 * size].copy_from_slice(&inner);
        for (n, bytes) in (0..).zip(&has) {
            let found = read_sample(&mut rig, t, whole, n);
            assert_eq!(found, *bytes, "{target:?} {format}: sample {n}");
        }
        assert_eq!(
            read_sample(&mut rig, t, part, 2),
            inner,
            "{target:?} {format}"
        );
    }
}

/// Colour and depth at which a triangle's edge runs through pixels.
fn edge(rig: &mut Rig, program: &Program) {
    rig.call(&Call::Clear {
        p: &Clear {
            buffers: BufferMask::COLOR0 | BufferMask::DEPTH | BufferMask::STENCIL,
            color_type: ValueType::FLOAT,
            color: [1.0f32, 0.0, 0.0, 1.0].map(f32::to_bits),
            depth: F32(0.75),
            stencil: 0x5A,
            ..Clear::default()
        },
    });
    rig.positions(&[-1.0, -1.0, 1.0, -0.7, -0.6, 1.0]);
    rig.uniform(program, "tint", &[0.0f32, 0.0, 1.0, 1.0]);
    rig.draw(Primitive::TRIANGLES, 0, 3);
}

/// What a colour is when it is resolved.
fn resolved(rig: &mut Rig, from: ResourceHandle) -> Vec<u8> {
    let single = renderbuffer(rig, Format::RGBA8, 8, 8, 0);
    let (a, b) = (rig.attachment(from, 0, 0), rig.attachment(single, 0, 0));
    from_to(rig, a, b);
    blit(
        rig,
        [0, 0, 8, 8],
        [0, 0, 8, 8],
        BufferMask::COLOR0,
        Filter::NEAREST,
    );
    rig.framebuffer(&[b], None);
    read(rig, 0, 0, 8, 8, Format::RGBA8, BufferMask::COLOR0)
}

/// A rig that goes on with another server in place of its own.
fn go_on(a: &mut Rig, b: Server<Box<Lane>>) {
    (a.s, a.be) = (b.state, *b.backend);
}

#[test]
fn samples_go_along_when_they_are_emitted() {
    let mut a = Rig::with_surface(SurfaceDesc {
        width: 8,
        height: 8,
        color: Format::RGBA8,
        depth_stencil: Format::DEPTH24_STENCIL8,
        double_buffered: true.into(),
        samples: SAMPLES,
        ..SurfaceDesc::default()
    });
    let program = a.program("flat");
    a.uniform(&program, "place", &[1.0f32, 1.0, 0.0, 0.0]);
    a.state.depth_test(true.into());
    a.state.depth_write(true.into());
    a.push_state();
    let target = Target::TEXTURE_2D_MULTISAMPLE;
    let color = texture(&mut a, target, Format::RGBA8, [8, 8, 1]);
    let depth = texture(&mut a, target, Format::DEPTH_COMPONENT24, [8, 8, 1]);
    let many = renderbuffer(&mut a, Format::RGBA8, 8, 8, SAMPLES);
    let deep = renderbuffer(&mut a, Format::DEPTH24_STENCIL8, 8, 8, SAMPLES);
    let pairs: [(ResourceHandle, ResourceHandle); 2] =
        [(color.into(), depth.into()), (many.into(), deep.into())];
    for (c, d) in pairs {
        let (c, d) = (a.attachment(c, 0, 0), a.attachment(d, 0, 0));
        a.framebuffer(&[c], Some(d));
        edge(&mut a, &program);
    }
    a.default_framebuffer();
    edge(&mut a, &program);

    let (mut b, emission) = moved(&mut a, &[(program.shader, "flat")]);
    assert_eq!(emission.left_out, BTreeMap::new());
    let (mine, s) = all(std::mem::take(&mut a.s), &mut a.be);
    a.s = s;
    let (its, s) = all(std::mem::take(&mut b.state), &mut b.backend);
    b.state = s;
    assert_eq!(mine.len(), its.len());
    for (part, bytes) in &mine {
        assert_eq!(its[part], *bytes, "{part}");
    }
    // The control: of some pixel the triangle covers some samples and not all.
    for part in [
        Part::Level(color, 0).to_string(),
        Part::Level(depth, 0).to_string(),
        Part::Renderbuffer(many).to_string(),
        Part::Renderbuffer(deep).to_string(),
    ] {
        let samples: Vec<&[u8]> = mine[&part].chunks_exact(8 * 8 * 4).collect();
        assert_eq!(samples.len(), SAMPLES as usize, "{part}");
        assert!(samples.iter().any(|s| *s != samples[0]), "{part}");
    }
    is_quiet(&mut b);

    let images: [ResourceHandle; 2] = [color.into(), many.into()];
    let before = images.map(|r| resolved(&mut a, r));
    let shown = a.image();
    go_on(&mut a, b);
    assert_eq!(images.map(|r| resolved(&mut a, r)), before);
    assert_eq!(a.image().rgba, shown.rgba);

    // One flipped sample of one texel is seen.
    let texel = Box3 {
        x: 3,
        y: 5,
        width: 1,
        height: 1,
        depth: 1,
        ..Box3::default()
    };
    let old = read_sample(&mut a, color, texel, 1);
    let flipped: Vec<u8> = old.iter().map(|b| b ^ 0xFF).collect();
    write_sample(&mut |c| drop(a.call(c)), color, texel, 1, &flipped);
    let after = resolved(&mut a, color.into());
    let at = (5 * 8 + 3) * 4;
    assert_ne!(after[at..at + 4], before[0][at..at + 4]);
    assert_eq!(after[..at], before[0][..at]);
    let (flipped, s) = all(std::mem::take(&mut a.s), &mut a.be);
    a.s = s;
    let part = Part::Level(color, 0).to_string();
    assert_ne!(flipped[&part], mine[&part]);
}
