//! Blits that scale or mirror under a scissor, for every kind of value and image, and clears under masks.

use crate::framebuffers::{blit, from_to, read, renderbuffer};
use crate::rig::*;
use mgl_core::format::Format;
use mgl_core::pipe::*;
use mgl_core::pod::F32;

fn scissor(rig: &mut Rig, x: i32, y: i32, width: u32, height: u32) {
    rig.state.scissor(
        0,
        Scissor {
            enable: true.into(),
            x,
            y,
            width,
            height,
        },
    );
    rig.push_state();
}

fn no_scissor(rig: &mut Rig) {
    rig.state.scissor_enable(0, false.into());
    rig.push_state();
}

fn clear_ints(rig: &mut Rig, class: ValueType, color: [u32; 4]) {
    rig.call(&Call::Clear {
        p: &Clear {
            buffers: BufferMask::COLOR0,
            color_type: class,
            color,
            ..Clear::default()
        },
    });
}

fn clear_depth_stencil(rig: &mut Rig, depth: f32, stencil: u32) {
    rig.call(&Call::Clear {
        p: &Clear {
            buffers: BufferMask(BufferMask::DEPTH.0 | BufferMask::STENCIL.0),
            color_type: ValueType::FLOAT,
            depth: F32(depth),
            stencil,
            ..Clear::default()
        },
    });
}

/// Reads from an attachment that is bound for reading alone.
fn look(rig: &mut Rig, a: Attachment, area: (i32, i32, u32, u32), buffers: BufferMask) -> Vec<u8> {
    let color = a.format.info().expect("a format").is_color();
    let f = if color {
        rig.framebuffer_state(&[a], None, FramebufferBinding::READ)
    } else {
        rig.framebuffer_state(&[], Some(a), FramebufferBinding::READ)
    };
    rig.call(&Call::SetFramebufferState { p: &f });
    read(rig, area.0, area.1, area.2, area.3, a.format, buffers)
}

#[test]
fn integers_are_scaled_and_mirrored_under_a_scissor() {
    let mut rig = Rig::new(4, 4);
    for (format, class, one, two) in [
        (
            Format::RGBA32I,
            ValueType::INT,
            [-1i32 as u32, 2, -3i32 as u32, 4],
            [9, 8, 7, 6],
        ),
        (
            Format::RGBA8UI,
            ValueType::UINT,
            [1, 2, 3, 255],
            [200, 100, 0, 1],
        ),
        (
            Format::RG16UI,
            ValueType::UINT,
            [60000, 7, 0, 0],
            [5, 6, 0, 0],
        ),
        (
            Format::R8I,
            ValueType::INT,
            [-100i32 as u32, 0, 0, 0],
            [100, 0, 0, 0],
        ),
    ] {
        let (a, b) = (
            renderbuffer(&mut rig, format, 2, 1, 0),
            renderbuffer(&mut rig, format, 4, 4, 0),
        );
        let (a, b) = (rig.attachment(a, 0, 0), rig.attachment(b, 0, 0));
        rig.framebuffer(&[a], None);
        clear_ints(&mut rig, class, one);
        scissor(&mut rig, 1, 0, 1, 1);
        clear_ints(&mut rig, class, two);
        no_scissor(&mut rig);
        from_to(&mut rig, a, b);
        clear_ints(&mut rig, class, [0; 4]);
        scissor(&mut rig, 1, 1, 2, 2);
        blit(
            &mut rig,
            [0, 0, 2, 1],
            [4, 0, 0, 4],
            BufferMask::COLOR0,
            Filter::NEAREST,
        );
        no_scissor(&mut rig);
        let texel = look(&mut rig, a, (0, 0, 2, 1), BufferMask::COLOR0);
        let size = texel.len() / 2;
        let (first, second) = texel.split_at(size);
        let zero = vec![0; size];
        let row = look(&mut rig, b, (0, 1, 4, 1), BufferMask::COLOR0);
        assert_eq!(row, [&zero[..], second, first, &zero].concat(), "{format}");
        let row = look(&mut rig, b, (0, 3, 4, 1), BufferMask::COLOR0);
        assert_eq!(row, zero.repeat(4), "{format}");
    }
}

#[test]
fn stencil_is_scaled_bit_by_bit() {
    let mut rig = Rig::new(4, 4);
    for format in [
        Format::DEPTH24_STENCIL8,
        Format::DEPTH32F_STENCIL8,
        Format::STENCIL_INDEX8,
    ] {
        let (a, b) = (
            renderbuffer(&mut rig, format, 2, 2, 0),
            renderbuffer(&mut rig, format, 6, 6, 0),
        );
        let (a, b) = (rig.attachment(a, 0, 0), rig.attachment(b, 0, 0));
        rig.framebuffer(&[], Some(a));
        clear_depth_stencil(&mut rig, 0.5, 0xA5);
        scissor(&mut rig, 0, 1, 2, 1);
        clear_depth_stencil(&mut rig, 0.5, 0x5B);
        no_scissor(&mut rig);
        from_to(&mut rig, a, b);
        clear_depth_stencil(&mut rig, 1.0, 0xFF);
        scissor(&mut rig, 1, 0, 5, 6);
        blit(
            &mut rig,
            [0, 0, 2, 2],
            [0, 0, 4, 6],
            BufferMask::STENCIL,
            Filter::NEAREST,
        );
        no_scissor(&mut rig);
        let column = |rig: &mut Rig, x: i32| -> Vec<u8> {
            let pixels = look(rig, b, (x, 0, 1, 6), BufferMask::STENCIL);
            let size = pixels.len() / 6;
            let at = if format == Format::DEPTH32F_STENCIL8 {
                4
            } else {
                0
            };
            pixels.chunks_exact(size).map(|p| p[at]).collect()
        };
        let inside = [0xA5, 0xA5, 0xA5, 0x5B, 0x5B, 0x5B];
        assert_eq!(column(&mut rig, 1), inside, "{format}");
        assert_eq!(column(&mut rig, 3), inside, "{format}");
        for outside in [0, 4] {
            assert_eq!(column(&mut rig, outside), [0xFF; 6], "{format}: {outside}");
        }
    }
}

#[test]
fn depth_is_scaled_and_stencil_beside_it_stays() {
    let mut rig = Rig::new(4, 4);
    for format in [
        Format::DEPTH_COMPONENT16,
        Format::DEPTH_COMPONENT24,
        Format::DEPTH_COMPONENT32F,
        Format::DEPTH24_STENCIL8,
        Format::DEPTH32F_STENCIL8,
    ] {
        let (a, b) = (
            renderbuffer(&mut rig, format, 2, 1, 0),
            renderbuffer(&mut rig, format, 4, 2, 0),
        );
        let (a, b) = (rig.attachment(a, 0, 0), rig.attachment(b, 0, 0));
        rig.framebuffer(&[], Some(a));
        clear_depth_stencil(&mut rig, 0.25, 1);
        scissor(&mut rig, 1, 0, 1, 1);
        clear_depth_stencil(&mut rig, 0.75, 2);
        no_scissor(&mut rig);
        from_to(&mut rig, a, b);
        clear_depth_stencil(&mut rig, 1.0, 9);
        scissor(&mut rig, 1, 0, 2, 2);
        blit(
            &mut rig,
            [0, 0, 2, 1],
            [4, 0, 0, 2],
            BufferMask::DEPTH,
            Filter::NEAREST,
        );
        no_scissor(&mut rig);
        let both = BufferMask(BufferMask::DEPTH.0 | BufferMask::STENCIL.0);
        let source = look(&mut rig, a, (0, 0, 2, 1), BufferMask::DEPTH);
        let row = look(&mut rig, b, (0, 1, 4, 1), BufferMask::DEPTH);
        let size = source.len() / 2;
        assert_eq!(row[size..2 * size], source[size..], "{format}: mirrored");
        assert_eq!(
            row[2 * size..3 * size],
            source[..size],
            "{format}: mirrored"
        );
        assert_eq!(
            row[..size],
            row[3 * size..],
            "{format}: outside the scissor"
        );
        assert_ne!(row[..size], row[size..2 * size], "{format}");
        let all = look(&mut rig, b, (1, 0, 1, 1), both);
        match format {
            Format::DEPTH24_STENCIL8 => assert_eq!(all[0], 9),
            Format::DEPTH32F_STENCIL8 => assert_eq!(all[4], 9),
            _ => {}
        }
    }
}

#[test]
fn filtered_blits_are_cut_by_the_scissor_and_not_squeezed() {
    let mut rig = Rig::new(4, 4);
    let a = rig.texture_2d(Format::RGBA32F, 2, 1, 1);
    let b = rig.texture_2d(Format::RGBA32F, 4, 1, 1);
    let (a, b) = (rig.attachment(a, 0, 0), rig.attachment(b, 0, 0));
    rig.framebuffer(&[a], None);
    rig.clear([0.0, 8.0, 0.0, 1.0]);
    scissor(&mut rig, 1, 0, 1, 1);
    rig.clear([4.0, 0.0, 0.0, 1.0]);
    no_scissor(&mut rig);
    from_to(&mut rig, a, b);
    rig.clear([-1.0; 4]);
    scissor(&mut rig, 1, 0, 3, 1);
    blit(
        &mut rig,
        [0, 0, 2, 1],
        [0, 0, 4, 1],
        BufferMask::COLOR0,
        Filter::LINEAR,
    );
    no_scissor(&mut rig);
    let row = look(&mut rig, b, (0, 0, 4, 1), BufferMask::COLOR0);
    let values: Vec<f32> = row
        .chunks_exact(4)
        .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect();
    assert_eq!(values[..4], [-1.0; 4]);
    for (got, want) in values[4..]
        .chunks_exact(4)
        .zip([[1.0, 6.0], [3.0, 2.0], [4.0, 0.0]])
    {
        let near = (got[0] - want[0]).abs() < 0.05 && (got[1] - want[1]).abs() < 0.05;
        assert!(near, "{got:?}, want {want:?}");
    }
}

#[test]
fn slices_layers_and_rows_are_sources() {
    let mut rig = Rig::new(4, 4);
    for (target, depth, layers, height) in [
        (Target::TEXTURE_3D, 3, 1, 2),
        (Target::TEXTURE_2D_ARRAY, 1, 3, 2),
        (Target::TEXTURE_CUBE_MAP, 1, 6, 2),
        (Target::TEXTURE_1D_ARRAY, 1, 3, 1),
    ] {
        let t = rig.texture(ResourceDesc {
            target,
            format: Format::RGBA8,
            width: 2,
            height,
            depth,
            layers,
            levels: 1,
            ..ResourceDesc::default()
        });
        for (layer, color) in [(1, [0.0, 1.0, 0.0, 1.0]), (2, [1.0, 0.0, 0.0, 1.0])] {
            let a = rig.attachment(t, 0, layer);
            rig.framebuffer(&[a], None);
            rig.clear(color);
        }
        let a = rig.attachment(t, 0, 2);
        rig.default_framebuffer();
        rig.clear([0.0, 0.0, 0.0, 1.0]);
        let f = rig.framebuffer_state(&[a], None, FramebufferBinding::READ);
        rig.call(&Call::SetFramebufferState { p: &f });
        scissor(&mut rig, 1, 1, 3, 3);
        blit(
            &mut rig,
            [0, 0, 2, height as i32],
            [0, 0, 4, 4],
            BufferMask::COLOR0,
            Filter::NEAREST,
        );
        no_scissor(&mut rig);
        let image = rig.image();
        assert_eq!((image.count(RED), image.count(BLACK)), (9, 7), "{target:?}");
    }
}

#[test]
fn clears_write_the_components_and_bits_that_masks_let_through() {
    let mut rig = Rig::new(4, 4);
    for (format, class, old, new, left) in [
        (
            Format::RGBA16I,
            ValueType::INT,
            [1, 2, 3, 4],
            [-5i32 as u32, 6, 7, 8],
            [1i16, 6, 3, 8],
        ),
        (
            Format::RGBA16UI,
            ValueType::UINT,
            [1, 2, 3, 4],
            [5, 6, 7, 8],
            [1, 6, 3, 8],
        ),
    ] {
        let rb = renderbuffer(&mut rig, format, 2, 2, 0);
        let a = rig.attachment(rb, 0, 0);
        rig.framebuffer(&[a], None);
        clear_ints(&mut rig, class, old);
        rig.state
            .color_mask(0, ColorMask(ColorMask::G.0 | ColorMask::A.0));
        rig.push_state();
        clear_ints(&mut rig, class, new);
        rig.state.color_mask(0, ColorMask(0xF));
        rig.push_state();
        let pixels = look(&mut rig, a, (0, 0, 1, 1), BufferMask::COLOR0);
        assert_eq!(pixels, bytes(&left), "{format}");
    }
    let rb = renderbuffer(&mut rig, Format::DEPTH24_STENCIL8, 2, 2, 0);
    let a = rig.attachment(rb, 0, 0);
    rig.framebuffer(&[], Some(a));
    clear_depth_stencil(&mut rig, 1.0, 0xFF);
    rig.state.stencil_write_mask(0, 0x3C);
    rig.state.stencil_write_mask(1, 0x3C);
    rig.push_state();
    clear_depth_stencil(&mut rig, 1.0, 0x58);
    let pixels = look(&mut rig, a, (1, 1, 1, 1), BufferMask::STENCIL);
    assert_eq!(pixels[0], 0xC3 | (0x58 & 0x3C));
}

#[test]
fn masked_clears_reach_every_layer() {
    let mut rig = Rig::new(4, 4);
    let t = rig.texture(ResourceDesc {
        target: Target::TEXTURE_2D_ARRAY,
        format: Format::RGBA8,
        width: 2,
        height: 2,
        layers: 3,
        levels: 1,
        ..ResourceDesc::default()
    });
    let a = Attachment {
        layers: 3,
        ..rig.attachment(t, 0, 0)
    };
    let mut f = rig.framebuffer_state(&[a], None, FramebufferBinding(3));
    f.layers = 3;
    rig.call(&Call::SetFramebufferState { p: &f });
    rig.clear([0.0, 1.0, 0.0, 1.0]);
    rig.state.color_mask(0, ColorMask::R);
    rig.push_state();
    rig.clear([1.0, 0.0, 1.0, 0.0]);
    assert_eq!(rig.read_texture(t, 0), [255, 255, 0, 255].repeat(12));
}

#[test]
fn neither_clears_nor_blits_count_as_samples() {
    let mut rig = Rig::new(4, 4);
    let query = rig.alloc();
    let p = QueryDesc {
        query,
        target: QueryTarget::ANY_SAMPLES_PASSED,
        ..QueryDesc::default()
    };
    rig.call(&Call::QueryCreate { p: &p });
    rig.call(&Call::QueryBegin { p: &p });
    rig.state.color_mask(0, ColorMask::R);
    rig.push_state();
    rig.clear([1.0; 4]);
    scissor(&mut rig, 0, 0, 3, 3);
    blit(
        &mut rig,
        [0, 0, 2, 2],
        [0, 0, 4, 4],
        BufferMask::COLOR0,
        Filter::NEAREST,
    );
    rig.call(&Call::QueryEnd { p: &p });
    match rig.call(&Call::QueryResult {
        p: &QueryOnly { query },
    }) {
        Reply::Value(v) => assert_eq!(v, 0),
        r => panic!("{r:?}"),
    }
}
