//! All legal combinations: the fast paths against the general one, in and out again, and sizes
//! that no memory has.

use proptest::prelude::*;

use super::convert::Rules;
use super::layout::{Channel, Element};
use super::*;
use crate::consts::gl::*;
use crate::pixel::pack::pack_by;
use crate::pixel::unpack::unpack_by;
use mgl_core::format::Format;

pub(super) const FORMATS: &[u32] = &[
    GL_COLOR_INDEX,
    GL_STENCIL_INDEX,
    GL_DEPTH_COMPONENT,
    GL_DEPTH_STENCIL,
    GL_RED,
    GL_GREEN,
    GL_BLUE,
    GL_ALPHA,
    GL_RG,
    GL_RGB,
    GL_BGR,
    GL_RGBA,
    GL_BGRA,
    GL_ABGR_EXT,
    GL_LUMINANCE,
    GL_LUMINANCE_ALPHA,
    GL_RED_INTEGER,
    GL_GREEN_INTEGER,
    GL_BLUE_INTEGER,
    GL_ALPHA_INTEGER,
    GL_RG_INTEGER,
    GL_RGB_INTEGER,
    GL_BGR_INTEGER,
    GL_RGBA_INTEGER,
    GL_BGRA_INTEGER,
    GL_LUMINANCE_INTEGER_EXT,
    GL_LUMINANCE_ALPHA_INTEGER_EXT,
];

pub(super) const TYPES: &[u32] = &[
    GL_BITMAP,
    GL_BYTE,
    GL_UNSIGNED_BYTE,
    GL_SHORT,
    GL_UNSIGNED_SHORT,
    GL_INT,
    GL_UNSIGNED_INT,
    GL_HALF_FLOAT,
    GL_FLOAT,
    GL_UNSIGNED_BYTE_3_3_2,
    GL_UNSIGNED_BYTE_2_3_3_REV,
    GL_UNSIGNED_SHORT_5_6_5,
    GL_UNSIGNED_SHORT_5_6_5_REV,
    GL_UNSIGNED_SHORT_4_4_4_4,
    GL_UNSIGNED_SHORT_4_4_4_4_REV,
    GL_UNSIGNED_SHORT_5_5_5_1,
    GL_UNSIGNED_SHORT_1_5_5_5_REV,
    GL_UNSIGNED_INT_8_8_8_8,
    GL_UNSIGNED_INT_8_8_8_8_REV,
    GL_UNSIGNED_INT_10_10_10_2,
    GL_UNSIGNED_INT_2_10_10_10_REV,
    GL_UNSIGNED_INT_24_8,
    GL_UNSIGNED_INT_10F_11F_11F_REV,
    GL_UNSIGNED_INT_5_9_9_9_REV,
    GL_FLOAT_32_UNSIGNED_INT_24_8_REV,
];

/// One legal combination.
#[derive(Clone, Copy, Debug)]
struct Combination {
    format: u32,
    ty: u32,
    resolved: Resolved,
    layout: ClientLayout,
}

/// Every legal combination of internal format, format and type for a texture image.
fn combinations() -> Vec<Combination> {
    let mut all = Vec::new();
    for internal in resolve::texture_formats(Profile::Compatibility) {
        for &format in FORMATS {
            for &ty in TYPES {
                let legal = validate::tex_image(internal, format, ty, Profile::Compatibility);
                if let Ok((resolved, layout)) = legal {
                    all.push(Combination {
                        format,
                        ty,
                        resolved,
                        layout,
                    });
                }
            }
        }
    }
    all
}

/// Pseudo-random bytes: xorshift, the same ones every time.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| (self.next() >> 24) as u8).collect()
    }
}

/// What texels of the transfer layout mean: 32-bit floats or integers, not-a-numbers all alike.
/// Different bytes may mean the same: the two -1 of signed normalised integers, the bits beside
/// depth, the payload of not-a-numbers.
fn meaning(resolved: &Resolved, texels: &[u8]) -> Vec<u32> {
    let count = texels.len() as u64 / resolved.format.row_bytes(1).expect("a format");
    let class = resolved.class();
    let (formats, ty): (&[u32], u32) = match class {
        mgl_core::format::ComponentClass::Sint => (&[GL_RGBA_INTEGER], GL_INT),
        mgl_core::format::ComponentClass::Uint => (&[GL_RGBA_INTEGER], GL_UNSIGNED_INT),
        mgl_core::format::ComponentClass::Depth => (&[GL_DEPTH_COMPONENT], GL_FLOAT),
        mgl_core::format::ComponentClass::Stencil => (&[GL_STENCIL_INDEX], GL_FLOAT),
        mgl_core::format::ComponentClass::DepthStencil => {
            (&[GL_DEPTH_COMPONENT, GL_STENCIL_INDEX], GL_FLOAT)
        }
        _ => (&[GL_RGBA], GL_FLOAT),
    };
    let mut words = Vec::new();
    // All components of the storage, whatever the base format makes of them.
    let plain = Resolved::of_format(resolved.format).expect("a format of the pipe");
    for &format in formats {
        let store = PixelStore::tight();
        let range = source_range(&store, count as u32, 1, 1, format, ty).expect("small");
        let mut out = vec![0; range.end];
        let rules = Rules {
            general: true,
            ..Rules::default()
        };
        let (row, extent) = (texels.len(), [count as u32, 1, 1]);
        pack_by(
            rules, texels, row, row, &plain, extent, &store, format, ty, &mut out,
        )
        .expect("a format can be read as itself");
        words.extend(out.chunks_exact(4).map(|b| {
            let word = u32::from_le_bytes(b.try_into().expect("four bytes"));
            let nan = ty == GL_FLOAT && f32::from_bits(word).is_nan();
            if nan { f32::NAN.to_bits() } else { word }
        }));
    }
    words
}

fn random_store(noise: &mut Noise, width: u32) -> PixelStore {
    let mut below = |n: u64| (noise.next() >> 20) as u32 % n as u32;
    PixelStore {
        alignment: 1 << below(4),
        row_length: if below(2) == 0 { 0 } else { width + below(9) },
        image_height: if below(2) == 0 { 0 } else { 3 + below(3) },
        skip_pixels: below(5),
        skip_rows: below(3),
        skip_images: below(2),
        swap_bytes: below(2) == 0,
        lsb_first: below(2) == 0,
    }
}

/// Unpacks by both paths; both must mean the same. Gives the fast one's texels.
fn both_ways(c: &Combination, store: &PixelStore, extent: [u32; 3], source: &[u8]) -> Vec<u8> {
    let [width, height, depth] = extent;
    let (row, image, fast) = tight_rows(&c.resolved, width, height, depth);
    let mut results = [fast.clone(), fast];
    for (general, out) in [false, true].into_iter().zip(&mut results) {
        let rules = Rules {
            clamp_depth: true,
            general,
            ..Rules::default()
        };
        unpack_by(
            rules,
            source,
            store,
            extent,
            c.format,
            c.ty,
            &c.resolved,
            out,
            row,
            image,
        )
        .unwrap_or_else(|e| panic!("{c:x?}: {e}"));
    }
    let [fast, general] = results;
    assert_eq!(
        meaning(&c.resolved, &fast),
        meaning(&c.resolved, &general),
        "{c:x?} {store:?} {source:?}"
    );
    fast
}

#[test]
fn fast_and_general_paths_agree_for_all() {
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    let all = combinations();
    assert!(all.len() > 15_000, "{} combinations", all.len());
    for c in &all {
        let extent = [7, 3, 2];
        let store = random_store(&mut noise, 7);
        let range = c.layout.geometry(&store, 7, 3, 2).expect("small").range;
        let source = noise.bytes(range.len());
        let texels = both_ways(c, &store, extent, &source);

        // Out again, by both paths, into the same layout.
        if c.format == GL_COLOR_INDEX || !validate::can_read(&c.layout, &c.resolved) {
            continue;
        }
        let (row, image, _) = tight_rows(&c.resolved, 7, 3, 2);
        let mut results = [vec![0; range.len()], vec![0; range.len()]];
        for (general, out) in [false, true].into_iter().zip(&mut results) {
            let rules = Rules {
                general,
                ..Rules::default()
            };
            pack_by(
                rules,
                &texels,
                row,
                image,
                &c.resolved,
                extent,
                &store,
                c.format,
                c.ty,
                out,
            )
            .unwrap_or_else(|e| panic!("{c:x?}: {e}"));
        }
        let again: Vec<_> = results
            .iter()
            .map(|bytes| both_ways(c, &store, extent, bytes))
            .collect();
        assert_eq!(
            meaning(&c.resolved, &again[0]),
            meaning(&c.resolved, &again[1]),
            "packed, {c:x?} {store:?}"
        );
    }
}

/// Whether texels of a layout, made from texels of a format, give those back. They do unless the
/// layout cannot hold what the format can.
fn survives(c: &Combination) -> bool {
    let element = c.layout.element;
    if !validate::can_read(&c.layout, &c.resolved) {
        return false;
    }
    match c.resolved.format {
        // Rounded towards zero: only exact values stay.
        Format::R11F_G11F_B10F => {
            matches!(element, Element::F16 | Element::F32 | Element::SmallFloats)
        }
        _ if element == Element::SmallFloats => false,
        // Green has a bit more than the red that luminance is read from.
        Format::RGB565 if c.layout.has_luminance() => false,
        // Components lose bits to a larger neighbour, and win them back if the neighbour is lost.
        Format::RGB9_E5 => matches!(element, Element::F32 | Element::F16),
        _ if c.layout.channels() == [Channel::Stencil] => {
            // Signed types have a bit less.
            element != Element::I8
        }
        _ => c.format != GL_COLOR_INDEX,
    }
}

#[test]
fn what_goes_in_comes_out_again() {
    let mut noise = Noise(0x0123_4567_89ab_cdef);
    let mut tried = 0;
    for c in combinations().iter().filter(|c| survives(c)) {
        tried += 1;
        let (width, store) = (64, PixelStore::tight());
        let extent = [width, 1, 1];
        let range = c.layout.geometry(&store, width, 1, 1).expect("small").range;
        let source = noise.bytes(range.len());
        let texels = both_ways(c, &store, extent, &source);
        let mut out = vec![0; range.len()];
        let row = texels.len();
        let rules = PackRules::default();
        pack(
            &texels,
            row,
            row,
            &c.resolved,
            extent,
            &store,
            c.format,
            c.ty,
            &mut out,
            rules,
        )
        .unwrap_or_else(|e| panic!("{c:x?}: {e}"));
        let again = both_ways(c, &store, extent, &out);
        assert_eq!(
            meaning(&c.resolved, &texels),
            meaning(&c.resolved, &again),
            "{c:x?}"
        );
    }
    assert!(tried > 14_000, "{tried} combinations");
}

proptest! {
    #[test]
    fn any_store_and_any_bytes(
        pick in any::<prop::sample::Index>(),
        (width, height, depth) in (0u32..9, 0u32..4, 0u32..3),
        seed in 1u64..,
    ) {
        thread_local! {
            static ALL: Vec<Combination> = combinations();
        }
        let c = ALL.with(|all| all[pick.index(all.len())]);
        let mut noise = Noise(seed);
        let store = random_store(&mut noise, width);
        let range = c.layout.geometry(&store, width, height, depth).expect("small").range;
        let source = noise.bytes(range.len());
        both_ways(&c, &store, [width, height, depth], &source);
    }

    #[test]
    fn no_size_panics(
        pick in any::<prop::sample::Index>(),
        extent in prop::array::uniform3(prop_oneof![0u32..4, any::<u32>(), Just(u32::MAX)]),
        sizes in prop::array::uniform5(prop_oneof![0u32..4, any::<u32>(), Just(u32::MAX)]),
        (alignment, given) in (prop_oneof![Just(1u32), Just(2), Just(4), Just(8)], 0usize..64),
        (row, image) in (any::<usize>(), any::<usize>()),
    ) {
        thread_local! {
            static ALL: Vec<Combination> = combinations();
        }
        let c = ALL.with(|all| all[pick.index(all.len())]);
        let [row_length, image_height, skip_pixels, skip_rows, skip_images] = sizes;
        let store = PixelStore {
            alignment,
            row_length,
            image_height,
            skip_pixels,
            skip_rows,
            skip_images,
            swap_bytes: false,
            lsb_first: false,
        };
        let mut bytes = vec![0; given];
        let source = vec![0; given];
        let r = &c.resolved;
        let done = unpack(&source, &store, extent, c.format, c.ty, r, &mut bytes, row, image);
        if extent.iter().map(|&n| u128::from(n)).product::<u128>() > 8 * 64 {
            prop_assert!(done.is_err());
        }
        let _ = pack(
            &source, row, image, r, extent, &store, c.format, c.ty, &mut bytes, PackRules::default(),
        );
    }
}

#[test]
fn missing_bytes_are_named() {
    let resolved = resolve(GL_RGBA8, Profile::Core).expect("a sized format");
    let (format, ty, store) = (GL_RGBA, GL_UNSIGNED_BYTE, PixelStore::default());
    let mut out = [0; 16];
    let short = unpack(
        &[0; 15],
        &store,
        [2, 2, 1],
        format,
        ty,
        &resolved,
        &mut out,
        8,
        16,
    );
    assert_eq!(
        short,
        Err(PixelError::OutOfBounds {
            side: "source",
            needed: 16,
            given: 15
        })
    );
    let short = unpack(
        &[0; 16],
        &store,
        [2, 2, 1],
        format,
        ty,
        &resolved,
        &mut out[..15],
        8,
        16,
    );
    assert_eq!(
        short,
        Err(PixelError::OutOfBounds {
            side: "target",
            needed: 16,
            given: 15
        })
    );
    let none = unpack(
        &[],
        &store,
        [0, 2, 1],
        format,
        ty,
        &resolved,
        &mut [],
        8,
        16,
    );
    assert_eq!(none, Ok(()));
}
