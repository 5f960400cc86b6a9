//! What a (format, type) pair means in memory, and which bytes a transfer touches.

use std::ops::Range;

use mgl_core::format::Format;

use super::PixelStore;
use crate::consts::gl::*;

/// What one component of a texel in memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// Red.
    R,
    /// Green.
    G,
    /// Blue.
    B,
    /// Alpha.
    A,
    /// Luminance: red, green and blue at once.
    L,
    /// Depth.
    Depth,
    /// Stencil.
    Stencil,
    /// A colour index.
    Index,
    /// Storage that the application does not know of: not read, written as one.
    Hidden,
}

/// How the components of a texel lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// One bit a texel.
    Bit,
    /// Signed bytes.
    I8,
    /// Unsigned bytes.
    U8,
    /// Signed 16-bit integers.
    I16,
    /// Unsigned 16-bit integers.
    U16,
    /// Signed 32-bit integers.
    I32,
    /// Unsigned 32-bit integers.
    U32,
    /// 16-bit floats.
    F16,
    /// 32-bit floats.
    F32,
    /// Depth of 24 bits in the high bits of an unsigned 32-bit integer.
    U24,
    /// All components in one word.
    Packed(&'static Packing),
    /// Red and green as 11-bit floats, blue as a 10-bit float.
    SmallFloats,
    /// Red, green and blue with a shared exponent.
    SharedExponent,
    /// 24 bits of depth above 8 of stencil.
    Depth24Stencil8,
    /// A float of depth, then a word with the stencil value in its low 8 bits.
    Depth32FStencil8,
}

/// Where components lie in a packed word (OpenGL 4.6, tables 8.6 to 8.8).
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Packing {
    /// Bytes of the word: 1, 2 or 4.
    pub bytes: u32,
    /// Shift and width in bits of each component, in the order in which the format names them.
    pub fields: &'static [(u32, u32)],
}

static P332: Packing = Packing {
    bytes: 1,
    fields: &[(5, 3), (2, 3), (0, 2)],
};
static P233_REV: Packing = Packing {
    bytes: 1,
    fields: &[(0, 3), (3, 3), (6, 2)],
};
static P565: Packing = Packing {
    bytes: 2,
    fields: &[(11, 5), (5, 6), (0, 5)],
};
static P565_REV: Packing = Packing {
    bytes: 2,
    fields: &[(0, 5), (5, 6), (11, 5)],
};
static P4444: Packing = Packing {
    bytes: 2,
    fields: &[(12, 4), (8, 4), (4, 4), (0, 4)],
};
static P4444_REV: Packing = Packing {
    bytes: 2,
    fields: &[(0, 4), (4, 4), (8, 4), (12, 4)],
};
static P5551: Packing = Packing {
    bytes: 2,
    fields: &[(11, 5), (6, 5), (1, 5), (0, 1)],
};
static P1555_REV: Packing = Packing {
    bytes: 2,
    fields: &[(0, 5), (5, 5), (10, 5), (15, 1)],
};
pub(super) static P8888: Packing = Packing {
    bytes: 4,
    fields: &[(24, 8), (16, 8), (8, 8), (0, 8)],
};
pub(super) static P8888_REV: Packing = Packing {
    bytes: 4,
    fields: &[(0, 8), (8, 8), (16, 8), (24, 8)],
};
static P1010102: Packing = Packing {
    bytes: 4,
    fields: &[(22, 10), (12, 10), (2, 10), (0, 2)],
};
static P2101010_REV: Packing = Packing {
    bytes: 4,
    fields: &[(0, 10), (10, 10), (20, 10), (30, 2)],
};

/// A texel in memory: what a (format, type) pair means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientLayout {
    /// How components lie in memory.
    pub element: Element,
    channels: [Channel; 4],
    count: u8,
    /// Components are integers that are not normalised.
    pub integer: bool,
}

impl ClientLayout {
    /// The meaning of a pair, or `None` where OpenGL does not define the pair (see
    /// [`validate::transfer`](super::validate::transfer) for the error).
    pub fn new(format: u32, ty: u32) -> Option<ClientLayout> {
        let (channels, integer) = format_channels(format)?;
        let element = match ty {
            GL_BITMAP => Element::Bit,
            GL_BYTE => Element::I8,
            GL_UNSIGNED_BYTE => Element::U8,
            GL_SHORT => Element::I16,
            GL_UNSIGNED_SHORT => Element::U16,
            GL_INT => Element::I32,
            GL_UNSIGNED_INT => Element::U32,
            GL_HALF_FLOAT => Element::F16,
            GL_FLOAT => Element::F32,
            GL_UNSIGNED_INT_10F_11F_11F_REV => Element::SmallFloats,
            GL_UNSIGNED_INT_5_9_9_9_REV => Element::SharedExponent,
            GL_UNSIGNED_INT_24_8 => Element::Depth24Stencil8,
            GL_FLOAT_32_UNSIGNED_INT_24_8_REV => Element::Depth32FStencil8,
            _ => Element::Packed(packing(ty)?),
        };
        if !pair_is_defined(channels, integer, format, element) {
            return None;
        }
        ClientLayout::from_parts(element, channels, integer)
    }

    /// The transfer layout of a format of the pipe, its components being `channels`.
    ///
    /// `None` where the value is not a format, or has another number of components.
    pub fn of_format(format: Format, channels: &[Channel]) -> Option<ClientLayout> {
        let info = format.info()?;
        let mut layout = ClientLayout::new(info.transfer_format, info.transfer_type)?;
        if format == Format::DEPTH_COMPONENT24 {
            layout.element = Element::U24;
        }
        if layout.channels().len() != channels.len() {
            return None;
        }
        ClientLayout::from_parts(layout.element, channels, layout.integer)
    }

    fn from_parts(element: Element, channels: &[Channel], integer: bool) -> Option<ClientLayout> {
        let mut all = [Channel::Hidden; 4];
        all.get_mut(..channels.len())?.copy_from_slice(channels);
        Some(ClientLayout {
            element,
            channels: all,
            count: channels.len() as u8,
            integer,
        })
    }

    /// What the components of a texel are, in order.
    pub fn channels(&self) -> &[Channel] {
        &self.channels[..usize::from(self.count)]
    }

    /// Whether there is a luminance among the components.
    pub(super) fn has_luminance(&self) -> bool {
        self.channels().contains(&Channel::L)
    }

    /// The same layout with its components stored as other elements.
    pub(super) fn with_element(self, element: Element) -> ClientLayout {
        ClientLayout { element, ..self }
    }

    /// The same layout with its components in the opposite order.
    pub(super) fn reversed(mut self) -> ClientLayout {
        self.channels[..usize::from(self.count)].reverse();
        self
    }

    /// Bytes of one texel; 0 for bitmaps, whose texels are bits.
    pub fn texel_bytes(&self) -> usize {
        let count = usize::from(self.count);
        match self.element {
            Element::Bit => 0,
            Element::I8 | Element::U8 => count,
            Element::I16 | Element::U16 | Element::F16 => 2 * count,
            Element::I32 | Element::U32 | Element::F32 => 4 * count,
            Element::Packed(packing) => packing.bytes as usize,
            Element::U24
            | Element::SmallFloats
            | Element::SharedExponent
            | Element::Depth24Stencil8 => 4,
            Element::Depth32FStencil8 => 8,
        }
    }

    /// Bytes of the type: what an offset into a pixel buffer object must be a multiple of
    /// (OpenGL 4.6, 8.4.4.1), and 4 for the type of eight bytes.
    pub fn element_bytes(&self) -> usize {
        match self.element {
            Element::Bit => 1,
            Element::Depth32FStencil8 => 4,
            Element::Packed(_) | Element::U24 => self.texel_bytes(),
            Element::SmallFloats | Element::SharedExponent | Element::Depth24Stencil8 => 4,
            _ => self.texel_bytes() / usize::from(self.count).max(1),
        }
    }

    /// Where the rows of a transfer of `width` x `height` x `depth` texels lie; `None` where that
    /// exceeds the address space.
    pub fn geometry(
        &self,
        store: &PixelStore,
        width: u32,
        height: u32,
        depth: u32,
    ) -> Option<Geometry> {
        let or = |set: u32, size: u32| if set != 0 { set } else { size } as usize;
        let row_texels = or(store.row_length, width);
        let image_rows = or(store.image_height, height);
        let alignment = store.alignment.max(1) as usize;
        let skip_pixels = store.skip_pixels as usize;
        // OpenGL's rule for the distance of rows (8.4.4.1) equals rounding up to the alignment,
        // because elements larger than the alignment are multiples of it.
        let (row_end, lead, lead_bits, row_bytes);
        if self.element == Element::Bit {
            row_end = row_texels.div_ceil(8);
            lead = skip_pixels / 8;
            lead_bits = skip_pixels % 8;
            row_bytes = lead_bits.checked_add(width as usize)?.div_ceil(8);
        } else {
            let texel = self.texel_bytes();
            row_end = row_texels.checked_mul(texel)?;
            lead = skip_pixels.checked_mul(texel)?;
            lead_bits = 0;
            row_bytes = (width as usize).checked_mul(texel)?;
        }
        let row_stride = row_end.checked_next_multiple_of(alignment)?;
        let image_stride = row_stride.checked_mul(image_rows)?;
        let start = (store.skip_images as usize)
            .checked_mul(image_stride)?
            .checked_add((store.skip_rows as usize).checked_mul(row_stride)?)?
            .checked_add(lead)?;
        let bytes = if width == 0 || height == 0 || depth == 0 {
            0
        } else {
            image_stride
                .checked_mul(depth as usize - 1)?
                .checked_add(row_stride.checked_mul(height as usize - 1)?)?
                .checked_add(row_bytes)?
        };
        let end = start.checked_add(bytes)?;
        // Rust's slices, and so what can be addressed at all, end at half the address space.
        isize::try_from(end).ok()?;
        Some(Geometry {
            range: start..end,
            row_stride,
            image_stride,
            row_bytes,
            lead_bits,
        })
    }
}

/// Where the rows of a transfer lie, in bytes from the pixel pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// First byte touched, and the byte after the last; empty for an image without texels.
    pub range: Range<usize>,
    /// Distance of rows.
    pub row_stride: usize,
    /// Distance of images.
    pub image_stride: usize,
    /// Bytes of a row.
    pub row_bytes: usize,
    /// Bits skipped in the first byte of each row; for bitmaps only.
    pub lead_bits: usize,
}

/// Which bytes a transfer touches, counted from the pixel pointer: the first and the one after the
/// last. `None` where OpenGL does not define the (format, type) pair or the sizes exceed the
/// address space.
///
/// Padding after the last row is not touched, so that the range is exactly what a pixel buffer
/// object must hold (OpenGL 4.6, 8.4.4.1). For one- and two-dimensional transfers pass
/// [`PixelStore::without_images`].
pub fn source_range(
    store: &PixelStore,
    width: u32,
    height: u32,
    depth: u32,
    format: u32,
    ty: u32,
) -> Option<Range<usize>> {
    let layout = ClientLayout::new(format, ty)?;
    Some(layout.geometry(store, width, height, depth)?.range)
}

/// The components of a pixel format and whether they are integers.
fn format_channels(format: u32) -> Option<(&'static [Channel], bool)> {
    use Channel::{A, B, Depth, G, Index, L, R, Stencil};
    Some(match format {
        GL_COLOR_INDEX => (&[Index], false),
        GL_STENCIL_INDEX => (&[Stencil], false),
        GL_DEPTH_COMPONENT => (&[Depth], false),
        GL_DEPTH_STENCIL => (&[Depth, Stencil], false),
        GL_RED => (&[R], false),
        GL_GREEN => (&[G], false),
        GL_BLUE => (&[B], false),
        GL_ALPHA => (&[A], false),
        GL_RG => (&[R, G], false),
        GL_RGB => (&[R, G, B], false),
        GL_BGR => (&[B, G, R], false),
        GL_RGBA => (&[R, G, B, A], false),
        GL_BGRA => (&[B, G, R, A], false),
        GL_ABGR_EXT => (&[A, B, G, R], false),
        GL_LUMINANCE => (&[L], false),
        GL_LUMINANCE_ALPHA => (&[L, A], false),
        GL_RED_INTEGER => (&[R], true),
        GL_GREEN_INTEGER => (&[G], true),
        GL_BLUE_INTEGER => (&[B], true),
        GL_ALPHA_INTEGER => (&[A], true),
        GL_RG_INTEGER => (&[R, G], true),
        GL_RGB_INTEGER => (&[R, G, B], true),
        GL_BGR_INTEGER => (&[B, G, R], true),
        GL_RGBA_INTEGER => (&[R, G, B, A], true),
        GL_BGRA_INTEGER => (&[B, G, R, A], true),
        GL_LUMINANCE_INTEGER_EXT => (&[L], true),
        GL_LUMINANCE_ALPHA_INTEGER_EXT => (&[L, A], true),
        _ => return None,
    })
}

/// The packing of a packed type.
fn packing(ty: u32) -> Option<&'static Packing> {
    Some(match ty {
        GL_UNSIGNED_BYTE_3_3_2 => &P332,
        GL_UNSIGNED_BYTE_2_3_3_REV => &P233_REV,
        GL_UNSIGNED_SHORT_5_6_5 => &P565,
        GL_UNSIGNED_SHORT_5_6_5_REV => &P565_REV,
        GL_UNSIGNED_SHORT_4_4_4_4 => &P4444,
        GL_UNSIGNED_SHORT_4_4_4_4_REV => &P4444_REV,
        GL_UNSIGNED_SHORT_5_5_5_1 => &P5551,
        GL_UNSIGNED_SHORT_1_5_5_5_REV => &P1555_REV,
        GL_UNSIGNED_INT_8_8_8_8 => &P8888,
        GL_UNSIGNED_INT_8_8_8_8_REV => &P8888_REV,
        GL_UNSIGNED_INT_10_10_10_2 => &P1010102,
        GL_UNSIGNED_INT_2_10_10_10_REV => &P2101010_REV,
        _ => return None,
    })
}

/// Whether a type is defined for a format (OpenGL 4.6, table 8.5 and the text around it).
fn pair_is_defined(channels: &[Channel], integer: bool, format: u32, element: Element) -> bool {
    match element {
        Element::Bit => matches!(channels, [Channel::Index | Channel::Stencil]),
        Element::F16 | Element::F32 => !integer && format != GL_DEPTH_STENCIL,
        Element::Packed(packing) if packing.fields.len() == 3 => {
            matches!(format, GL_RGB | GL_RGB_INTEGER)
        }
        Element::Packed(packing) => match format {
            GL_RGBA | GL_BGRA | GL_RGBA_INTEGER | GL_BGRA_INTEGER => true,
            // EXT_abgr predates packed types; what its four equal components mean is clear.
            GL_ABGR_EXT => packing.fields[0].1 == packing.fields[3].1,
            _ => false,
        },
        Element::SmallFloats | Element::SharedExponent => format == GL_RGB,
        Element::Depth24Stencil8 | Element::Depth32FStencil8 => format == GL_DEPTH_STENCIL,
        _ => format != GL_DEPTH_STENCIL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packings_cover_their_words_without_overlap() {
        for packing in [
            &P332,
            &P233_REV,
            &P565,
            &P565_REV,
            &P4444,
            &P4444_REV,
            &P5551,
            &P1555_REV,
            &P8888,
            &P8888_REV,
            &P1010102,
            &P2101010_REV,
        ] {
            let mut seen = 0u64;
            for &(shift, width) in packing.fields {
                let mask = ((1u64 << width) - 1) << shift;
                assert_eq!(seen & mask, 0, "{packing:?}");
                seen |= mask;
            }
            assert_eq!(seen, (1u64 << (8 * packing.bytes)) - 1, "{packing:?}");
        }
    }

    #[test]
    fn rows_are_aligned_as_the_specification_says() {
        // Equation 8.2 written out: element size s, n elements a group, l groups, alignment a.
        for (format, ty, s, n) in [
            (GL_RGB, GL_UNSIGNED_BYTE, 1usize, 3usize),
            (GL_RGB, GL_UNSIGNED_SHORT, 2, 3),
            (GL_RGB, GL_FLOAT, 4, 3),
            (GL_RGB, GL_UNSIGNED_SHORT_5_6_5, 2, 1),
            (GL_RED, GL_UNSIGNED_BYTE, 1, 1),
            (GL_RGBA, GL_HALF_FLOAT, 2, 4),
        ] {
            let layout = ClientLayout::new(format, ty).expect("a defined pair");
            assert_eq!(layout.element_bytes(), s);
            for a in [1usize, 2, 4, 8] {
                for l in 1usize..20 {
                    let expected = if s >= a {
                        s * n * l
                    } else {
                        s * (a / s * (s * n * l).div_ceil(a))
                    };
                    let store = PixelStore {
                        alignment: a as u32,
                        ..PixelStore::default()
                    };
                    let geometry = layout
                        .geometry(&store, l as u32, 2, 1)
                        .expect("a small image");
                    assert_eq!(geometry.row_stride, expected, "s {s} n {n} l {l} a {a}");
                    assert_eq!(geometry.range, 0..expected + s * n * l);
                }
            }
        }
    }

    #[test]
    fn skips_and_lengths_move_the_range() {
        let store = PixelStore {
            alignment: 4,
            row_length: 10,
            image_height: 7,
            skip_pixels: 3,
            skip_rows: 2,
            skip_images: 1,
            ..PixelStore::default()
        };
        // Rows of 10 RGB texels: 30 bytes, 32 apart; images of 7 rows: 224 apart.
        let start = 224 + 2 * 32 + 9;
        let range = source_range(&store, 4, 3, 2, GL_RGB, GL_UNSIGNED_BYTE);
        assert_eq!(range, Some(start..start + 224 + 2 * 32 + 12));
        let flat = store.without_images();
        let range = source_range(&flat, 4, 3, 1, GL_RGB, GL_UNSIGNED_BYTE);
        assert_eq!(range, Some(73..73 + 2 * 32 + 12));
        assert_eq!(
            source_range(&store, 0, 3, 2, GL_RGB, GL_UNSIGNED_BYTE),
            Some(start..start)
        );
    }

    #[test]
    fn bitmaps_are_measured_in_bits() {
        let layout = ClientLayout::new(GL_STENCIL_INDEX, GL_BITMAP).expect("a defined pair");
        let store = PixelStore {
            alignment: 2,
            skip_pixels: 11,
            ..PixelStore::default()
        };
        let geometry = layout.geometry(&store, 20, 3, 1).expect("a small image");
        assert_eq!((geometry.row_stride, geometry.lead_bits), (4, 3));
        // 3 + 20 bits need 3 bytes, after one whole byte skipped.
        assert_eq!(geometry.range, 1..1 + 2 * 4 + 3);
    }

    #[test]
    fn hostile_sizes_are_refused() {
        let huge = u32::MAX;
        let store = PixelStore {
            alignment: 8,
            ..PixelStore::default()
        };
        assert_eq!(
            source_range(&store, huge, huge, huge, GL_RGBA, GL_FLOAT),
            None
        );
        assert_eq!(source_range(&store, huge, huge, 1, GL_RGBA, GL_FLOAT), None);
        let skips = PixelStore {
            row_length: huge,
            image_height: huge,
            skip_pixels: huge,
            skip_rows: huge,
            skip_images: huge,
            ..store
        };
        for ty in [GL_UNSIGNED_BYTE, GL_FLOAT] {
            assert_eq!(source_range(&skips, 1, 1, 1, GL_RGBA, ty), None);
        }
        assert_eq!(
            source_range(&skips, 1, 1, 1, GL_COLOR_INDEX, GL_BITMAP),
            None
        );
    }
}
