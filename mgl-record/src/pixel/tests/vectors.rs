//! Values worked out by hand from the specification.

// Binary literals are grouped by the components of the words.
#![allow(clippy::unusual_byte_groupings)]

use super::*;
use crate::consts::gl::*;

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn halves(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|&v| half::f16::from_f32(v).to_le_bytes())
        .collect()
}

/// Unpacks one texel into four 32-bit floats.
fn as_floats(format: u32, ty: u32, source: &[u8]) -> [f32; 4] {
    let out = unpack_row(GL_RGBA32F, format, ty, 1, source).expect("a legal pair");
    let mut texel = [0.0; 4];
    for (value, bytes) in texel.iter_mut().zip(out.chunks_exact(4)) {
        *value = f32::from_le_bytes(bytes.try_into().expect("four bytes"));
    }
    texel
}

#[test]
fn packed_types_place_their_components() {
    // Each word has its first component full, its second at one step, the others at zero; the
    // alphas are as given.
    type Case = (u32, u32, u64, [f32; 4]);
    let cases: &[Case] = &[
        (
            GL_RGB,
            GL_UNSIGNED_BYTE_3_3_2,
            0b111_001_00,
            [1.0, 1.0 / 7.0, 0.0, 1.0],
        ),
        (
            GL_RGB,
            GL_UNSIGNED_BYTE_2_3_3_REV,
            0b00_001_111,
            [1.0, 1.0 / 7.0, 0.0, 1.0],
        ),
        (
            GL_RGB,
            GL_UNSIGNED_SHORT_5_6_5,
            0b11111_000001_00000,
            [1.0, 1.0 / 63.0, 0.0, 1.0],
        ),
        (
            GL_RGB,
            GL_UNSIGNED_SHORT_5_6_5_REV,
            0b00000_000001_11111,
            [1.0, 1.0 / 63.0, 0.0, 1.0],
        ),
        (
            GL_RGBA,
            GL_UNSIGNED_SHORT_4_4_4_4,
            0xf103,
            [1.0, 1.0 / 15.0, 0.0, 0.2],
        ),
        (
            GL_RGBA,
            GL_UNSIGNED_SHORT_4_4_4_4_REV,
            0x301f,
            [1.0, 1.0 / 15.0, 0.0, 0.2],
        ),
        (
            GL_BGRA,
            GL_UNSIGNED_SHORT_4_4_4_4,
            0xf103,
            [0.0, 1.0 / 15.0, 1.0, 0.2],
        ),
        (
            GL_BGRA,
            GL_UNSIGNED_SHORT_4_4_4_4_REV,
            0x301f,
            [0.0, 1.0 / 15.0, 1.0, 0.2],
        ),
        (
            GL_ABGR_EXT,
            GL_UNSIGNED_SHORT_4_4_4_4,
            0xf103,
            [0.2, 0.0, 1.0 / 15.0, 1.0],
        ),
        (
            GL_RGBA,
            GL_UNSIGNED_SHORT_5_5_5_1,
            0b11111_00001_00000_1,
            [1.0, 1.0 / 31.0, 0.0, 1.0],
        ),
        (
            GL_RGBA,
            GL_UNSIGNED_SHORT_1_5_5_5_REV,
            0b0_00000_00001_11111,
            [1.0, 1.0 / 31.0, 0.0, 0.0],
        ),
        (
            GL_BGRA,
            GL_UNSIGNED_SHORT_1_5_5_5_REV,
            0b1_00000_00001_11111,
            [0.0, 1.0 / 31.0, 1.0, 1.0],
        ),
        (
            GL_RGBA,
            GL_UNSIGNED_INT_8_8_8_8,
            0xff01_0033,
            [1.0, 1.0 / 255.0, 0.0, 0.2],
        ),
        (
            GL_RGBA,
            GL_UNSIGNED_INT_8_8_8_8_REV,
            0x3300_01ff,
            [1.0, 1.0 / 255.0, 0.0, 0.2],
        ),
        (
            GL_BGRA,
            GL_UNSIGNED_INT_8_8_8_8,
            0xff01_0033,
            [0.0, 1.0 / 255.0, 1.0, 0.2],
        ),
        (
            GL_BGRA,
            GL_UNSIGNED_INT_8_8_8_8_REV,
            0x3300_01ff,
            [0.0, 1.0 / 255.0, 1.0, 0.2],
        ),
        (
            GL_RGBA,
            GL_UNSIGNED_INT_10_10_10_2,
            (1023 << 22) | (1 << 12) | 1,
            [1.0, 1.0 / 1023.0, 0.0, 1.0 / 3.0],
        ),
        (
            GL_RGBA,
            GL_UNSIGNED_INT_2_10_10_10_REV,
            (1 << 30) | (1 << 10) | 1023,
            [1.0, 1.0 / 1023.0, 0.0, 1.0 / 3.0],
        ),
        (
            GL_BGRA,
            GL_UNSIGNED_INT_2_10_10_10_REV,
            (2 << 30) | (1 << 10) | 1023,
            [0.0, 1.0 / 1023.0, 1.0, 2.0 / 3.0],
        ),
        // Red 1.0 and green 2.0 as 11-bit floats, blue 0.5 as a 10-bit one.
        (
            GL_RGB,
            GL_UNSIGNED_INT_10F_11F_11F_REV,
            (14 << 5 << 22) | (16 << 6 << 11) | (15 << 6),
            [1.0, 2.0, 0.5, 1.0],
        ),
        // Shared exponent 17: steps of 2^-7.
        (
            GL_RGB,
            GL_UNSIGNED_INT_5_9_9_9_REV,
            (17 << 27) | (64 << 18) | (256 << 9) | 128,
            [1.0, 2.0, 0.5, 1.0],
        ),
    ];
    for &(format, ty, word, expected) in cases {
        let size = source_range(&PixelStore::tight(), 1, 1, 1, format, ty)
            .expect("small")
            .end;
        let bytes = &word.to_le_bytes()[..size];
        assert_eq!(
            as_floats(format, ty, bytes),
            expected,
            "format {format:#x} type {ty:#x}"
        );
        // The same word, its bytes reversed.
        let store = PixelStore {
            swap_bytes: true,
            ..PixelStore::tight()
        };
        let reversed: Vec<u8> = bytes.iter().rev().copied().collect();
        let resolved = resolve(GL_RGBA32F, Profile::Core).expect("a sized format");
        let mut out = [0; 16];
        unpack(
            &reversed,
            &store,
            [1, 1, 1],
            format,
            ty,
            &resolved,
            &mut out,
            16,
            16,
        )
        .expect("a legal pair");
        assert_eq!(
            out[..],
            floats(&expected)[..],
            "swapped, format {format:#x} type {ty:#x}"
        );
        // And back to the word, where it has all components.
        let resolved = resolve(GL_RGBA32F, Profile::Core).expect("a sized format");
        let mut packed = vec![0; size];
        pack(
            &floats(&expected),
            16,
            16,
            &resolved,
            [1, 1, 1],
            &PixelStore::tight(),
            format,
            ty,
            &mut packed,
            PackRules::default(),
        )
        .expect("a legal pair");
        assert_eq!(packed, bytes, "packed, format {format:#x} type {ty:#x}");
    }
}

#[test]
fn components_expand_to_four() {
    let full = [0u8, 51, 102, 153];
    let cases: &[(u32, &[u8], [u8; 4])] = &[
        (GL_RED, &full[1..2], [51, 0, 0, 255]),
        (GL_GREEN, &full[1..2], [0, 51, 0, 255]),
        (GL_BLUE, &full[1..2], [0, 0, 51, 255]),
        (GL_ALPHA, &full[1..2], [0, 0, 0, 51]),
        (GL_RG, &full[1..3], [51, 102, 0, 255]),
        (GL_RGB, &full[1..4], [51, 102, 153, 255]),
        (GL_BGR, &full[1..4], [153, 102, 51, 255]),
        (GL_RGBA, &full, [0, 51, 102, 153]),
        (GL_BGRA, &full, [102, 51, 0, 153]),
        (GL_ABGR_EXT, &full, [153, 102, 51, 0]),
        (GL_LUMINANCE, &full[1..2], [51, 51, 51, 255]),
        (GL_LUMINANCE_ALPHA, &full[1..3], [51, 51, 51, 102]),
        (GL_COLOR_INDEX, &full[1..2], [0, 0, 0, 0]),
    ];
    for &(format, source, expected) in cases {
        let out = unpack_row(GL_RGBA8, format, GL_UNSIGNED_BYTE, 1, source);
        assert_eq!(out.as_deref(), Ok(&expected[..]), "format {format:#x}");
        // The general path alone: floats in, the same bytes out.
        let source: Vec<f32> = source.iter().map(|&b| f32::from(b) / 255.0).collect();
        let out = unpack_row(GL_RGBA8, format, GL_FLOAT, 1, &floats(&source));
        assert_eq!(
            out.as_deref(),
            Ok(&expected[..]),
            "format {format:#x} from floats"
        );
    }
}

#[test]
fn old_formats_take_their_components() {
    let rgba = [10, 20, 30, 40];
    let take = |internal| unpack_row(internal, GL_RGBA, GL_UNSIGNED_BYTE, 1, &rgba);
    assert_eq!(take(GL_LUMINANCE8), Ok(vec![10]));
    assert_eq!(take(1), Ok(vec![10]));
    assert_eq!(take(GL_INTENSITY8), Ok(vec![10]));
    assert_eq!(take(GL_ALPHA8), Ok(vec![40]));
    assert_eq!(take(GL_LUMINANCE8_ALPHA8), Ok(vec![10, 40]));
    assert_eq!(take(GL_SLUMINANCE8), Ok(vec![10, 10, 10]));
    assert_eq!(take(GL_SLUMINANCE8_ALPHA8), Ok(vec![10, 10, 10, 40]));
    assert_eq!(take(GL_RGB8), Ok(vec![10, 20, 30]));
    let read = |internal, source: &[u8]| {
        pack_row(
            internal,
            GL_RGBA,
            GL_UNSIGNED_BYTE,
            1,
            source,
            PackRules::default(),
        )
    };
    assert_eq!(read(GL_LUMINANCE8, &[10]), Ok(vec![10, 0, 0, 255]));
    assert_eq!(read(GL_INTENSITY8, &[10]), Ok(vec![10, 0, 0, 255]));
    assert_eq!(read(GL_ALPHA8, &[40]), Ok(vec![0, 0, 0, 40]));
    assert_eq!(
        read(GL_LUMINANCE8_ALPHA8, &[10, 40]),
        Ok(vec![10, 0, 0, 40])
    );
    assert_eq!(read(GL_SLUMINANCE8, &[10, 10, 10]), Ok(vec![10, 0, 0, 255]));
    assert_eq!(
        read(GL_SLUMINANCE8_ALPHA8, &[10, 10, 10, 40]),
        Ok(vec![10, 0, 0, 40])
    );
}

#[test]
fn luminance_is_red_or_the_sum() {
    let texel = [10u8, 20, 30, 40];
    let read = |internal, ty, sum_luminance| {
        let rules = PackRules {
            sum_luminance,
            clamp: false,
        };
        pack_row(internal, GL_LUMINANCE_ALPHA, ty, 1, &texel, rules)
    };
    assert_eq!(read(GL_RGBA8, GL_UNSIGNED_BYTE, false), Ok(vec![10, 40]));
    assert_eq!(read(GL_RGBA8, GL_UNSIGNED_BYTE, true), Ok(vec![60, 40]));
    let rules = PackRules {
        sum_luminance: true,
        clamp: false,
    };
    let bright = [200u8, 100, 0, 255];
    let sum = pack_row(GL_RGBA8, GL_LUMINANCE, GL_UNSIGNED_BYTE, 1, &bright, rules);
    assert_eq!(sum, Ok(vec![255]), "fixed point clamps");
    let sum = pack_row(GL_RGBA8, GL_LUMINANCE, GL_FLOAT, 1, &bright, rules);
    assert_eq!(
        sum,
        Ok(floats(&[(300.0f64 / 255.0) as f32])),
        "floats do not"
    );
    // Each is clamped before it is added, and the sum again.
    let wild = halves(&[-0.5, 0.25, 1.5, 1.0]);
    for (clamp, expected) in [(false, 1.25), (true, 1.0)] {
        let rules = PackRules {
            sum_luminance: true,
            clamp,
        };
        let sum = pack_row(GL_RGBA16F, GL_LUMINANCE, GL_FLOAT, 1, &wild, rules);
        assert_eq!(sum, Ok(floats(&[expected])));
    }
    let tame = halves(&[-0.5, 0.25, 0.5, 1.0]);
    for (clamp, expected) in [(false, 0.25), (true, 0.75)] {
        let rules = PackRules {
            sum_luminance: true,
            clamp,
        };
        let sum = pack_row(GL_RGBA16F, GL_LUMINANCE, GL_FLOAT, 1, &tame, rules);
        assert_eq!(sum, Ok(floats(&[expected])));
    }
    let one = pack_row(
        GL_LUMINANCE8,
        GL_LUMINANCE,
        GL_UNSIGNED_BYTE,
        1,
        &[10],
        rules,
    );
    assert_eq!(one, Ok(vec![10]));
}

#[test]
fn reading_clamps_when_told() {
    let texel = halves(&[-0.5, 0.25, 1.5, 1.0]);
    let read = |ty, clamp| {
        let rules = PackRules {
            clamp,
            sum_luminance: false,
        };
        pack_row(GL_RGBA16F, GL_RGBA, ty, 1, &texel, rules).expect("a legal pair")
    };
    assert_eq!(read(GL_FLOAT, false), floats(&[-0.5, 0.25, 1.5, 1.0]));
    assert_eq!(read(GL_FLOAT, true), floats(&[0.0, 0.25, 1.0, 1.0]));
    assert_eq!(read(GL_HALF_FLOAT, false), texel);
    assert_eq!(read(GL_HALF_FLOAT, true), halves(&[0.0, 0.25, 1.0, 1.0]));
    assert_eq!(read(GL_BYTE, false), [-64i8 as u8, 32, 127, 127]);
    assert_eq!(read(GL_BYTE, true), [0, 32, 127, 127]);
    assert_eq!(read(GL_UNSIGNED_BYTE, false), [0, 64, 255, 255]);
    let signed = pack_row(
        GL_RGBA8_SNORM,
        GL_RGBA,
        GL_BYTE,
        1,
        &[0x81, 0, 0x7f, 1],
        PackRules {
            clamp: true,
            sum_luminance: false,
        },
    );
    assert_eq!(signed, Ok(vec![0, 0, 0x7f, 1]));
}

#[test]
fn integers_are_clamped_not_scaled() {
    let out = unpack_row(GL_RGBA8UI, GL_RGBA_INTEGER, GL_INT, 1, &{
        let values = [-5i32, 7, 300, 255];
        values
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect::<Vec<_>>()
    });
    assert_eq!(out, Ok(vec![0, 7, 255, 255]));
    let out = unpack_row(
        GL_RGBA8I,
        GL_RGBA_INTEGER,
        GL_UNSIGNED_BYTE,
        1,
        &[1, 127, 128, 255],
    );
    assert_eq!(out, Ok(vec![1, 127, 127, 127]));
    let out = unpack_row(GL_RGBA32UI, GL_RED_INTEGER, GL_UNSIGNED_SHORT, 1, &[1, 2]);
    assert_eq!(
        out,
        Ok(vec![1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0])
    );
    // Red 1023, green 2, blue 1, alpha 3 as 10_10_10_2.
    let word = (1023u32 << 22) | (2 << 12) | (1 << 2) | 3;
    let out = unpack_row(
        GL_RGBA8UI,
        GL_RGBA_INTEGER,
        GL_UNSIGNED_INT_10_10_10_2,
        1,
        &word.to_le_bytes(),
    );
    assert_eq!(out, Ok(vec![255, 2, 1, 3]));
    let out = unpack_row(
        GL_RGB10_A2UI,
        GL_RGBA_INTEGER,
        GL_UNSIGNED_BYTE,
        1,
        &[255, 2, 1, 200],
    );
    assert_eq!(
        out,
        Ok(((3u32 << 30) | (1 << 20) | (2 << 10) | 255)
            .to_le_bytes()
            .to_vec())
    );
}

#[test]
fn depth_and_stencil_find_their_bits() {
    let d24s8 = 0x8000_0012u32.to_le_bytes();
    let out = unpack_row(
        GL_DEPTH24_STENCIL8,
        GL_DEPTH_STENCIL,
        GL_UNSIGNED_INT_24_8,
        1,
        &d24s8,
    );
    assert_eq!(out, Ok(d24s8.to_vec()));
    let mut wide = floats(&[1.0]);
    wide.extend(0xabcd_ef34u32.to_le_bytes());
    let ty = GL_FLOAT_32_UNSIGNED_INT_24_8_REV;
    let out = unpack_row(GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL, ty, 1, &wide);
    assert_eq!(out, Ok(0xffff_ff34u32.to_le_bytes().to_vec()));
    let out = unpack_row(GL_DEPTH32F_STENCIL8, GL_DEPTH_STENCIL, ty, 1, &wide);
    assert_eq!(
        out,
        Ok([&1f32.to_le_bytes()[..], &[0x34, 0, 0, 0]].concat())
    );
    // Depth of 24 bits repeats its high bits.
    let out = unpack_row(
        GL_DEPTH_COMPONENT24,
        GL_DEPTH_COMPONENT,
        GL_FLOAT,
        1,
        &floats(&[0.5]),
    );
    assert_eq!(out, Ok(0x8000_0080u32.to_le_bytes().to_vec()));
    let out = unpack_row(
        GL_DEPTH_COMPONENT32F,
        GL_DEPTH_COMPONENT,
        GL_FLOAT,
        2,
        &floats(&[-1.0, 7.0]),
    );
    assert_eq!(out, Ok(floats(&[0.0, 1.0])), "depth is clamped");
    let read = |format, ty| {
        pack_row(
            GL_DEPTH24_STENCIL8,
            format,
            ty,
            1,
            &d24s8,
            PackRules::default(),
        )
    };
    assert_eq!(read(GL_STENCIL_INDEX, GL_UNSIGNED_BYTE), Ok(vec![0x12]));
    assert_eq!(read(GL_STENCIL_INDEX, GL_FLOAT), Ok(floats(&[18.0])));
    assert_eq!(read(GL_DEPTH_COMPONENT, GL_UNSIGNED_BYTE), Ok(vec![0x80]));
    assert_eq!(
        read(GL_DEPTH_COMPONENT, GL_UNSIGNED_INT),
        Ok(0x8000_0080u32.to_le_bytes().to_vec())
    );
    assert_eq!(
        read(GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8),
        Ok(d24s8.to_vec())
    );
    let mut wide = floats(&[(8388608.0f64 / 16777215.0) as f32]);
    wide.extend(0x12u32.to_le_bytes());
    assert_eq!(read(GL_DEPTH_STENCIL, ty), Ok(wide));
}

#[test]
fn depth_alone_leaves_stencil_values() {
    let resolved = resolve(GL_DEPTH24_STENCIL8, Profile::Core).expect("a sized format");
    let mut target = 0x1234_56abu32.to_le_bytes();
    let store = PixelStore::tight();
    let depth = 0xffffu16.to_le_bytes();
    let (format, ty) = (GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT);
    unpack(
        &depth,
        &store,
        [1, 1, 1],
        format,
        ty,
        &resolved,
        &mut target,
        4,
        4,
    )
    .expect("depth goes into depth-stencil");
    assert_eq!(u32::from_le_bytes(target), 0xffff_ffab);
}

#[test]
fn bitmaps_are_read_from_either_end() {
    // Bits 1011 0010 1 from the most significant end, then from the least significant one.
    let resolved = resolve(GL_STENCIL_INDEX8, Profile::Core).expect("a sized format");
    let bits = [1, 0, 1, 1, 0, 0, 1, 0, 1];
    for (lsb_first, bytes) in [
        (false, [0b1011_0010, 0b1000_0000]),
        (true, [0b0100_1101, 1]),
    ] {
        let store = PixelStore {
            lsb_first,
            skip_pixels: 2,
            ..PixelStore::tight()
        };
        let layout = ClientLayout::new(GL_STENCIL_INDEX, GL_BITMAP).expect("a defined pair");
        let range = layout.geometry(&store, 7, 1, 1).expect("small").range;
        let mut out = [9; 7];
        unpack(
            &bytes[range],
            &store,
            [7, 1, 1],
            GL_STENCIL_INDEX,
            GL_BITMAP,
            &resolved,
            &mut out,
            7,
            7,
        )
        .expect("stencil bits");
        assert_eq!(out, bits[2..], "lsb first: {lsb_first}");
        let mut packed = [0xff, 0xff];
        pack(
            &out,
            7,
            7,
            &resolved,
            [7, 1, 1],
            &store,
            GL_STENCIL_INDEX,
            GL_BITMAP,
            &mut packed,
            PackRules::default(),
        )
        .expect("stencil bits");
        let kept = if lsb_first { [3, 0xfe] } else { [0xc0, 0x7f] };
        assert_eq!(
            packed,
            [bytes[0] | kept[0], bytes[1] | kept[1]],
            "bits around stay"
        );
    }
}

#[test]
fn a_part_of_a_larger_image_is_cut_out() {
    // Two images of 4 rows of 5 BGRA texels, each byte telling where it is.
    let at = |z: usize, y: usize, x: usize| [z as u8, y as u8, x as u8, 0xff];
    let mut source = Vec::new();
    for z in 0..3 {
        for y in 0..4 {
            for x in 0..5 {
                source.extend(at(z, y, x));
            }
        }
    }
    let store = PixelStore {
        row_length: 5,
        image_height: 4,
        skip_pixels: 1,
        skip_rows: 2,
        skip_images: 1,
        ..PixelStore::default()
    };
    let (format, ty) = (GL_BGRA, GL_UNSIGNED_BYTE);
    let range = source_range(&store, 3, 2, 2, format, ty).expect("small");
    let resolved = resolve(GL_RGBA8, Profile::Core).expect("a sized format");
    let mut out = vec![0xee; 2 * 40];
    unpack(
        &source[range.clone()],
        &store,
        [3, 2, 2],
        format,
        ty,
        &resolved,
        &mut out,
        16,
        40,
    )
    .expect("a legal pair");
    let mut expected = vec![0xee; 2 * 40];
    for z in 0..2 {
        for y in 0..2 {
            for x in 0..3 {
                let [b, g, r, a] = at(z + 1, y + 2, x + 1);
                expected[z * 40 + y * 16 + x * 4..][..4].copy_from_slice(&[r, g, b, a]);
            }
        }
    }
    assert_eq!(out, expected);
    // And put back in place, nothing else touched.
    let mut back = vec![0x77; range.len()];
    pack(
        &out,
        16,
        40,
        &resolved,
        [3, 2, 2],
        &store,
        format,
        ty,
        &mut back,
        PackRules::default(),
    )
    .expect("a legal pair");
    for z in 0..2 {
        for y in 0..2 {
            let row = z * 80 + y * 20;
            assert_eq!(back[row..row + 12], source[range.start + row..][..12]);
            if row + 20 <= back.len() {
                assert_eq!(back[row + 12..row + 20], [0x77; 8]);
            }
        }
    }
}
