//! Framebuffers: read-backs of every kind, blits with everything that OpenGL ES does not do by itself, copies.

use crate::rig::*;
use mgl_core::format::Format;
use mgl_core::handle::*;
use mgl_core::pipe::*;
use mgl_core::pod::F32;

pub fn renderbuffer(
    rig: &mut Rig,
    format: Format,
    width: u32,
    height: u32,
    samples: u32,
) -> RenderbufferHandle {
    let h: RenderbufferHandle = rig.alloc();
    rig.call(&Call::ResourceCreate {
        p: &ResourceDesc {
            resource: h.into(),
            target: Target::RENDERBUFFER,
            format,
            width,
            height,
            depth: 1,
            layers: 1,
            levels: 1,
            samples,
            ..ResourceDesc::default()
        },
    });
    h
}

pub fn read(
    rig: &mut Rig,
    x: i32,
    y: i32,
    width: u32,
    height: u32,
    format: Format,
    buffers: BufferMask,
) -> Vec<u8> {
    let r = rig.call(&Call::ReadPixels {
        p: &ReadPixels {
            x,
            y,
            width,
            height,
            format,
            buffers,
            ..ReadPixels::default()
        },
    });
    match r {
        Reply::Bytes(b) => b,
        r => panic!("{r:?}"),
    }
}

/// The lower left pixel is red, the rest green.
fn marked(rig: &mut Rig) {
    rig.clear([0.0, 1.0, 0.0, 1.0]);
    rig.state.scissor(
        0,
        Scissor {
            enable: true.into(),
            width: 1,
            height: 1,
            ..Scissor::default()
        },
    );
    rig.push_state();
    rig.clear([1.0, 0.0, 0.0, 1.0]);
    rig.state.scissor_enable(0, false.into());
    rig.push_state();
}

#[test]
fn pixels_are_read_in_the_attachments_own_format() {
    let mut rig = Rig::new(4, 4);
    marked(&mut rig);
    let pixels = read(&mut rig, 0, 0, 2, 1, Format::RGBA8, BufferMask::COLOR0);
    assert_eq!(pixels, [RED, GREEN].concat());
    let pixels = read(&mut rig, 1, 3, 3, 1, Format::RGBA8, BufferMask::COLOR0);
    assert_eq!(pixels, GREEN.repeat(3));
    assert!(read(&mut rig, 0, 0, 0, 4, Format::RGBA8, BufferMask::COLOR0).is_empty());
    let cases: [(Format, Vec<u8>); 6] = [
        (Format::RGB565, bytes(&[0xF800u16])),
        (Format::RGB10_A2, bytes(&[0xC000_03FFu32])),
        (Format::R16F, bytes(&[0x3C00u16])),
        (Format::RGBA32F, bytes(&[1.0f32, 0.0, 0.0, 1.0])),
        (Format::RG16, bytes(&[0xFFFFu16, 0])),
        (Format::R11F_G11F_B10F, bytes(&[0x3C0u32])),
    ];
    for (format, texel) in cases {
        let rb = renderbuffer(&mut rig, format, 2, 2, 0);
        let a = rig.attachment(rb, 0, 0);
        rig.framebuffer(&[a], None);
        rig.clear([1.0, 0.0, 0.0, 1.0]);
        let pixels = read(&mut rig, 0, 0, 2, 2, format, BufferMask::COLOR0);
        assert_eq!(pixels, texel.repeat(4), "{format}");
    }
}

#[test]
fn depth_and_stencil_are_read() {
    let mut rig = Rig::new(4, 4);
    rig.call(&Call::Clear {
        p: &Clear {
            buffers: BufferMask(BufferMask::DEPTH.0 | BufferMask::STENCIL.0),
            color_type: ValueType::FLOAT,
            depth: F32(0.5),
            stencil: 0x5A,
            ..Clear::default()
        },
    });
    let both = BufferMask(BufferMask::DEPTH.0 | BufferMask::STENCIL.0);
    let pixels = read(&mut rig, 1, 1, 2, 1, Format::DEPTH24_STENCIL8, both);
    let word = u32::from_le_bytes([pixels[0], pixels[1], pixels[2], pixels[3]]);
    assert_eq!((word & 0xFF, pixels.len()), (0x5A, 8));
    assert!((word >> 8).abs_diff(0x80_0000) <= 1, "{word:#x}");
    for (format, samples) in [
        (Format::DEPTH_COMPONENT16, 0),
        (Format::DEPTH_COMPONENT24, 0),
        (Format::DEPTH_COMPONENT32F, 0),
        (Format::DEPTH32F_STENCIL8, 0),
        (Format::DEPTH_COMPONENT32F, 4),
        (Format::STENCIL_INDEX8, 0),
    ] {
        let rb = renderbuffer(&mut rig, format, 2, 2, samples);
        let a = rig.attachment(rb, 0, 0);
        rig.framebuffer(&[], Some(a));
        rig.call(&Call::Clear {
            p: &Clear {
                buffers: both,
                color_type: ValueType::FLOAT,
                depth: F32(0.25),
                stencil: 7,
                ..Clear::default()
            },
        });
        let pixels = read(&mut rig, 0, 0, 1, 1, format, both);
        let expected: Vec<u8> = match format {
            Format::DEPTH_COMPONENT16 => bytes(&[0x4000u16]),
            Format::DEPTH_COMPONENT24 => bytes(&[0x4000_0040u32]),
            Format::DEPTH_COMPONENT32F => bytes(&[0.25f32]),
            Format::DEPTH32F_STENCIL8 => [bytes(&[0.25f32]), bytes(&[7u32])].concat(),
            _ => vec![7],
        };
        assert_eq!(pixels, expected, "{format} with {samples} samples");
    }
}

pub fn blit(rig: &mut Rig, src: [i32; 4], dst: [i32; 4], buffers: BufferMask, filter: Filter) {
    let rect = |r: [i32; 4]| Rect {
        x0: r[0],
        y0: r[1],
        x1: r[2],
        y1: r[3],
    };
    rig.call(&Call::Blit {
        p: &Blit {
            src: rect(src),
            dst: rect(dst),
            buffers,
            filter,
            ..Blit::default()
        },
    });
}

/// Reads from one attachment, draws to another.
pub fn from_to(rig: &mut Rig, from: Attachment, to: Attachment) {
    for (a, binding) in [
        (from, FramebufferBinding::READ),
        (to, FramebufferBinding::DRAW),
    ] {
        let color = a.format.info().expect("a format").is_color();
        let f = if color {
            rig.framebuffer_state(&[a], None, binding)
        } else {
            rig.framebuffer_state(&[], Some(a), binding)
        };
        rig.call(&Call::SetFramebufferState { p: &f });
    }
}

#[test]
fn blits_scale_mirror_and_clip() {
    let mut rig = Rig::new(4, 4);
    let source = rig.texture_2d(Format::RGBA8, 2, 2, 1);
    let a = rig.attachment(source, 0, 0);
    rig.framebuffer(&[a], None);
    marked(&mut rig);
    rig.default_framebuffer();
    rig.clear([0.0, 0.0, 0.0, 1.0]);
    let f = rig.framebuffer_state(&[a], None, FramebufferBinding::READ);
    rig.call(&Call::SetFramebufferState { p: &f });
    blit(
        &mut rig,
        [0, 0, 2, 2],
        [0, 0, 4, 4],
        BufferMask::COLOR0,
        Filter::NEAREST,
    );
    let image = rig.image();
    assert_eq!(
        (image.count(RED), image.at(1, 1), image.at(2, 1)),
        (4, RED, GREEN)
    );
    blit(
        &mut rig,
        [0, 0, 2, 2],
        [4, 4, 0, 0],
        BufferMask::COLOR0,
        Filter::NEAREST,
    );
    assert_eq!(rig.image().at(3, 3), RED, "mirrored both ways");
    // The scissor of the draw framebuffer counts.
    rig.clear([0.0, 0.0, 0.0, 1.0]);
    rig.state.scissor(
        0,
        Scissor {
            enable: true.into(),
            x: 1,
            y: 0,
            width: 1,
            height: 4,
        },
    );
    rig.push_state();
    blit(
        &mut rig,
        [0, 0, 2, 2],
        [0, 0, 4, 4],
        BufferMask::COLOR0,
        Filter::NEAREST,
    );
    let image = rig.image();
    assert_eq!(
        (image.count(BLACK), image.at(1, 1), image.at(1, 2)),
        (12, RED, GREEN)
    );
}

#[test]
fn blits_convert_formats() {
    let mut rig = Rig::new(4, 4);
    let source = rig.texture_2d(Format::RGBA8, 2, 2, 1);
    let a = rig.attachment(source, 0, 0);
    rig.framebuffer(&[a], None);
    rig.clear([1.0, 0.0, 1.0, 0.0]);
    for (format, texel) in [
        (Format::RGB8, vec![255u8, 0, 255]),
        (Format::RGBA16F, bytes(&[0x3C00u16, 0, 0x3C00, 0])),
        (Format::RGB16F, bytes(&[0x3C00u16, 0, 0x3C00])),
        (Format::RGB565, bytes(&[0xF81Fu16])),
    ] {
        let target = rig.texture_2d(format, 2, 2, 1);
        let b = rig.attachment(target, 0, 0);
        from_to(&mut rig, a, b);
        blit(
            &mut rig,
            [0, 0, 2, 2],
            [0, 0, 2, 2],
            BufferMask::COLOR0,
            Filter::NEAREST,
        );
        assert_eq!(rig.read_texture(target, 0), texel.repeat(4), "{format}");
    }
    // The fourth component that was added is still one: blending shows it.
    let p = rig.program("flat");
    rig.positions(&COVER);
    rig.uniform(&p, "place", &[1.0f32, 1.0, 0.0, 0.0]);
    rig.uniform(&p, "tint", &[0.0f32, 1.0, 0.0, 0.0]);
    let target = rig.texture_2d(Format::RGB16F, 2, 2, 1);
    let b = rig.attachment(target, 0, 0);
    from_to(&mut rig, a, b);
    blit(
        &mut rig,
        [0, 0, 2, 2],
        [0, 0, 2, 2],
        BufferMask::COLOR0,
        Filter::NEAREST,
    );
    rig.state.blend_enable(0, true.into());
    rig.state.blend_src_color(0, BlendFactor::DST_ALPHA);
    rig.push_state();
    rig.draw(Primitive::TRIANGLES, 0, 3);
    assert_eq!(
        rig.read_texture(target, 0),
        bytes(&[0u16, 0x3C00, 0]).repeat(4)
    );
}

#[test]
fn samples_are_resolved() {
    let mut rig = Rig::new(4, 4);
    let many = renderbuffer(&mut rig, Format::RGBA8, 4, 4, 4);
    let a = rig.attachment(many, 0, 0);
    rig.framebuffer(&[a], None);
    marked(&mut rig);
    // In place, elsewhere, scaled, and into another format.
    for (format, dst, red) in [
        (Format::RGBA8, [0, 0, 4, 4], (0, 0)),
        (Format::RGBA8, [1, 1, 5, 5], (1, 1)),
        (Format::RGB8, [0, 0, 4, 4], (0, 0)),
        (Format::RGBA8, [0, 0, 8, 8], (1, 1)),
    ] {
        let target = rig.texture_2d(format, 8, 8, 1);
        let b = rig.attachment(target, 0, 0);
        from_to(&mut rig, a, b);
        blit(
            &mut rig,
            [0, 0, 4, 4],
            dst,
            BufferMask::COLOR0,
            Filter::NEAREST,
        );
        let texel = format.info().expect("a format").bytes as usize;
        let at = (red.1 * 8 + red.0) * texel;
        let pixels = rig.read_texture(target, 0);
        assert_eq!(pixels[at..at + texel], RED[..texel], "{format} {dst:?}");
        let beside = at + 2 * texel;
        assert_eq!(
            pixels[beside..beside + texel],
            GREEN[..texel],
            "{format} {dst:?}"
        );
    }
    // A read of samples.
    let f = rig.framebuffer_state(&[a], None, FramebufferBinding::READ);
    rig.call(&Call::SetFramebufferState { p: &f });
    let pixels = read(&mut rig, 0, 0, 2, 1, Format::RGBA8, BufferMask::COLOR0);
    assert_eq!(pixels, [RED, GREEN].concat());
    // Samples to samples.
    let other = renderbuffer(&mut rig, Format::RGBA8, 4, 4, 4);
    let b = rig.attachment(other, 0, 0);
    rig.framebuffer(&[b], None);
    rig.clear([0.0, 0.0, 1.0, 1.0]);
    from_to(&mut rig, a, b);
    blit(
        &mut rig,
        [0, 0, 2, 2],
        [1, 1, 3, 3],
        BufferMask::COLOR0,
        Filter::NEAREST,
    );
    let f = rig.framebuffer_state(&[b], None, FramebufferBinding::READ);
    rig.call(&Call::SetFramebufferState { p: &f });
    let pixels = read(&mut rig, 0, 1, 4, 1, Format::RGBA8, BufferMask::COLOR0);
    assert_eq!(pixels, [BLUE, RED, GREEN, BLUE].concat());
}

#[test]
fn a_blit_inside_one_image() {
    let mut rig = Rig::new(4, 4);
    marked(&mut rig);
    blit(
        &mut rig,
        [0, 0, 1, 1],
        [2, 2, 4, 4],
        BufferMask::COLOR0,
        Filter::NEAREST,
    );
    let image = rig.image();
    assert_eq!((image.count(RED), image.at(3, 3)), (5, RED));
}

#[test]
fn depth_is_blitted() {
    let mut rig = Rig::new(4, 4);
    let (a, b) = (
        renderbuffer(&mut rig, Format::DEPTH24_STENCIL8, 4, 4, 4),
        renderbuffer(&mut rig, Format::DEPTH24_STENCIL8, 4, 4, 0),
    );
    let (a, b) = (rig.attachment(a, 0, 0), rig.attachment(b, 0, 0));
    rig.framebuffer(&[], Some(a));
    rig.call(&Call::Clear {
        p: &Clear {
            buffers: BufferMask(BufferMask::DEPTH.0 | BufferMask::STENCIL.0),
            color_type: ValueType::FLOAT,
            depth: F32(1.0),
            stencil: 3,
            ..Clear::default()
        },
    });
    from_to(&mut rig, a, b);
    let both = BufferMask(BufferMask::DEPTH.0 | BufferMask::STENCIL.0);
    blit(&mut rig, [0, 0, 4, 4], [0, 0, 4, 4], both, Filter::NEAREST);
    let f = rig.framebuffer_state(&[], Some(b), FramebufferBinding::READ);
    rig.call(&Call::SetFramebufferState { p: &f });
    let pixels = read(&mut rig, 3, 3, 1, 1, Format::DEPTH24_STENCIL8, both);
    assert_eq!(pixels, bytes(&[0xFFFF_FF03u32]));
}

#[test]
fn copies_from_the_framebuffer() {
    let mut rig = Rig::new(4, 4);
    marked(&mut rig);
    let texel_of = |format: Format, color: [u8; 4]| -> Vec<u8> {
        match format {
            Format::RGB565 => bytes(&[if color == RED { 0xF800u16 } else { 0x07E0 }]),
            Format::R8 => vec![color[0]],
            Format::RGB16F => {
                bytes(&[color[0], color[1], color[2]].map(|c| if c > 0 { 0x3C00u16 } else { 0 }))
            }
            Format::RGB8 => color[..3].to_vec(),
            _ => color.to_vec(),
        }
    };
    for format in [
        Format::RGBA8,
        Format::RGB8,
        Format::RGB565,
        Format::R8,
        Format::RGB16F,
    ] {
        let t = rig.texture(ResourceDesc {
            target: Target::TEXTURE_2D_ARRAY,
            format,
            width: 4,
            height: 4,
            layers: 2,
            ..ResourceDesc::default()
        });
        rig.call(&Call::CopyFramebufferToTexture {
            p: &CopyToTexture {
                texture: t,
                format,
                // The first column lies outside the framebuffer and is left as it is.
                area: Box3 {
                    x: 1,
                    y: 1,
                    z: 1,
                    width: 3,
                    height: 1,
                    depth: 1,
                },
                x: -1,
                ..CopyToTexture::default()
            },
        });
        let read = rig.read_texture(t, 0);
        let size = format.info().expect("a format").bytes as usize;
        let at = |x: usize, y: usize| read[(16 + y * 4 + x) * size..][..size].to_vec();
        assert_eq!(at(1, 1), vec![0; size], "{format}: untouched");
        assert_eq!(at(2, 1), texel_of(format, RED), "{format}");
        assert_eq!(at(3, 1), texel_of(format, GREEN), "{format}");
    }
    // Depth.
    let t = rig.texture_2d(Format::DEPTH24_STENCIL8, 4, 4, 1);
    rig.call(&Call::CopyFramebufferToTexture {
        p: &CopyToTexture {
            texture: t,
            format: Format::DEPTH24_STENCIL8,
            area: Box3 {
                width: 4,
                height: 4,
                depth: 1,
                ..Box3::default()
            },
            ..CopyToTexture::default()
        },
    });
    assert_eq!(rig.read_texture(t, 0), bytes(&[0xFFFF_FF00u32]).repeat(16));
}

#[test]
fn srgb_encoding_of_writes_is_a_choice() {
    let mut rig = Rig::new(4, 4);
    let t = rig.texture_2d(Format::SRGB8_ALPHA8, 2, 2, 1);
    let a = rig.attachment(t, 0, 0);
    rig.framebuffer(&[a], None);
    rig.clear([0.5, 0.5, 0.5, 1.0]);
    assert_eq!(
        rig.read_texture(t, 0)[..4],
        [128, 128, 128, 255],
        "off is GL's initial value"
    );
    rig.state.framebuffer_srgb(true.into());
    rig.push_state();
    rig.clear([0.5, 0.5, 0.5, 1.0]);
    assert_eq!(rig.read_texture(t, 0)[..4], [188, 188, 188, 255]);
    // A window-sized blit follows the switch too.
    let b = rig.texture_2d(Format::RGBA8, 2, 2, 1);
    let b_at = rig.attachment(b, 0, 0);
    rig.state.framebuffer_srgb(false.into());
    rig.push_state();
    from_to(&mut rig, a, b_at);
    blit(
        &mut rig,
        [0, 0, 2, 2],
        [0, 0, 2, 2],
        BufferMask::COLOR0,
        Filter::NEAREST,
    );
    assert_eq!(rig.read_texture(b, 0)[..4], [188, 188, 188, 255]);
}

#[test]
fn the_front_buffer_has_the_last_frame() {
    let mut rig = Rig::new(4, 4);
    rig.clear([1.0, 0.0, 0.0, 1.0]);
    rig.present();
    let surface = rig.surface;
    let front = Attachment {
        resource: surface.into(),
        format: Format::RGBA8,
        layer: 1,
        ..Attachment::default()
    };
    let f = FramebufferState {
        framebuffer: FramebufferHandle::DEFAULT,
        binding: FramebufferBinding::READ,
        width: 4,
        height: 4,
        draw_buffers: [NO_BUFFER; 8],
        read: front,
        ..FramebufferState::default()
    };
    rig.call(&Call::SetFramebufferState { p: &f });
    assert_eq!(
        read(&mut rig, 0, 0, 1, 1, Format::RGBA8, BufferMask::COLOR0),
        RED
    );
    rig.clear([0.0, 1.0, 0.0, 1.0]);
    assert_eq!(
        read(&mut rig, 0, 0, 1, 1, Format::RGBA8, BufferMask::COLOR0),
        RED
    );
    rig.present();
    assert_eq!(
        read(&mut rig, 0, 0, 1, 1, Format::RGBA8, BufferMask::COLOR0),
        GREEN
    );
}

#[test]
fn integer_attachments_are_cleared_and_read() {
    let mut rig = Rig::new(4, 4);
    for (format, ty, color, texel) in [
        (
            Format::RGBA8I,
            ValueType::INT,
            [-1i32 as u32, 2, -3i32 as u32, 4],
            vec![255u8, 2, 253, 4],
        ),
        (
            Format::RGB16UI,
            ValueType::UINT,
            [1, 2, 60000, 9],
            bytes(&[1u16, 2, 60000]),
        ),
        (
            Format::RGB10_A2UI,
            ValueType::UINT,
            [1, 2, 3, 1],
            bytes(&[1u32 | 2 << 10 | 3 << 20 | 1 << 30]),
        ),
        (
            Format::R32I,
            ValueType::INT,
            [i32::MIN as u32, 0, 0, 0],
            bytes(&[i32::MIN]),
        ),
    ] {
        let t = rig.texture_2d(format, 2, 2, 1);
        let a = rig.attachment(t, 0, 0);
        rig.framebuffer(&[a], None);
        rig.call(&Call::Clear {
            p: &Clear {
                buffers: BufferMask::COLOR0,
                color_type: ty,
                color,
                ..Clear::default()
            },
        });
        assert_eq!(
            read(&mut rig, 0, 0, 2, 2, format, BufferMask::COLOR0),
            texel.repeat(4),
            "{format}"
        );
    }
}

#[test]
fn slices_and_layers_can_be_drawn_to() {
    let mut rig = Rig::new(4, 4);
    for (target, depth, layers) in [
        (Target::TEXTURE_3D, 3, 1),
        (Target::TEXTURE_2D_ARRAY, 1, 3),
        (Target::TEXTURE_CUBE_MAP, 1, 6),
    ] {
        let t = rig.texture(ResourceDesc {
            target,
            format: Format::RGBA8,
            width: 2,
            height: 2,
            depth,
            layers,
            levels: 2,
            ..ResourceDesc::default()
        });
        let a = rig.attachment(t, 0, 2);
        rig.framebuffer(&[a], None);
        rig.clear([1.0, 0.0, 0.0, 1.0]);
        let read = rig.read_texture(t, 0);
        assert_eq!(read[32..48], RED.repeat(4), "{target:?}");
        assert_eq!(read[..32], [0; 32], "{target:?}");
    }
}
