//! Moves an image from one layout to another: chooses the path, walks rows.

use super::codec::{
    CHUNK, DepthStencil, read_bits, read_colors, read_depth_stencil, read_integers, write_bits,
    write_colors, write_depth_stencil, write_integers,
};
use super::layout::{Channel, ClientLayout, Element, Geometry};
use super::number::clamp_up_to;
use super::shuffle::{Moves, moves};
use super::{PixelError, PixelStore};

/// One side of a conversion: texels in memory.
#[derive(Clone, Debug)]
pub(super) struct Side {
    /// What a texel is.
    pub layout: ClientLayout,
    /// Distance of rows in bytes.
    pub row_stride: usize,
    /// Distance of images in bytes.
    pub image_stride: usize,
    /// Bytes of a row.
    pub row_bytes: usize,
    /// Bits skipped at the start of a row of a bitmap.
    pub lead_bits: usize,
    /// Elements are byte-swapped.
    pub swap: bool,
    /// Bitmaps start with the least significant bit.
    pub lsb_first: bool,
}

impl Side {
    /// A side in application memory, whose first byte is the first of the geometry's range.
    pub(super) fn client(layout: ClientLayout, geometry: &Geometry, store: &PixelStore) -> Side {
        Side {
            layout,
            row_stride: geometry.row_stride,
            image_stride: geometry.image_stride,
            row_bytes: geometry.row_bytes,
            lead_bits: geometry.lead_bits,
            swap: store.swap_bytes,
            lsb_first: store.lsb_first,
        }
    }

    /// A side in the transfer layout. `None` where a row exceeds the address space.
    pub(super) fn transfer(
        layout: ClientLayout,
        width: u32,
        row_stride: usize,
        image_stride: usize,
    ) -> Option<Side> {
        Some(Side {
            layout,
            row_stride,
            image_stride,
            row_bytes: (width as usize).checked_mul(layout.texel_bytes())?,
            lead_bits: 0,
            swap: false,
            lsb_first: false,
        })
    }

    /// Bytes from the first texel to the end of the last.
    fn extent(&self, height: u32, depth: u32) -> Option<usize> {
        let images = self.image_stride.checked_mul(depth as usize - 1)?;
        let rows = self.row_stride.checked_mul(height as usize - 1)?;
        images.checked_add(rows)?.checked_add(self.row_bytes)
    }

    /// Bytes of what is swapped as one; 1 for nothing.
    fn swap_unit(&self) -> usize {
        if !self.swap {
            return 1;
        }
        match self.layout.element {
            Element::Bit | Element::I8 | Element::U8 => 1,
            Element::I16 | Element::U16 | Element::F16 => 2,
            Element::Packed(packing) => packing.bytes as usize,
            _ => 4,
        }
    }
}

/// What happens to values on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rules {
    /// Colours are clamped to 0 and 1.
    pub clamp: bool,
    /// Depth values are clamped to 0 and 1.
    pub clamp_depth: bool,
    /// Luminance is the sum of red, green and blue.
    pub sum_luminance: bool,
    /// Take the general path even where texels only move; for comparing the two.
    pub general: bool,
}

/// How rows are converted.
enum Path {
    /// Bytes move, nothing else.
    Moves(Moves),
    /// Through numbers.
    Colors,
    /// Through integers.
    Integers,
    /// Through depth and stencil values.
    DepthStencil,
    /// Colour indices: without pixel maps, which belong to fixed function, all of them are mapped
    /// to zero (OpenGL 4.6 compatibility, 8.4.3.1: the initial maps have one entry, 0).
    Zero,
}

fn path(from: &ClientLayout, to: &ClientLayout, rules: Rules) -> Path {
    if from.channels() == [Channel::Index] {
        return Path::Zero;
    }
    let may_exceed = match from.element {
        Element::F16
        | Element::F32
        | Element::SmallFloats
        | Element::SharedExponent
        | Element::Depth32FStencil8 => true,
        Element::I8 | Element::I16 | Element::I32 => !from.integer,
        _ => false,
    };
    let clamps = if from.channels().first() == Some(&Channel::Depth) {
        rules.clamp_depth
    } else {
        rules.clamp
    };
    let sums = rules.sum_luminance && to.channels().contains(&Channel::L);
    let changes = rules.general || (clamps && may_exceed) || sums;
    if !changes && let Some(moves) = moves(from, to) {
        return Path::Moves(moves);
    }
    if from.integer {
        return Path::Integers;
    }
    match from.channels() {
        [Channel::Depth | Channel::Stencil, ..] => Path::DepthStencil,
        _ => Path::Colors,
    }
}

/// Converts an image of `extent` texels. `source` and `target` start at the first texel.
pub(super) fn convert(
    source: &[u8],
    from: &Side,
    target: &mut [u8],
    to: &Side,
    extent: [u32; 3],
    rules: Rules,
) -> Result<(), PixelError> {
    let [width, height, depth] = extent;
    if width == 0 || height == 0 || depth == 0 {
        return Ok(());
    }
    for (side, name, given) in [(from, "source", source.len()), (to, "target", target.len())] {
        let needed = side.extent(height, depth).ok_or(PixelError::TooLarge)?;
        if needed > given {
            return Err(PixelError::OutOfBounds {
                side: name,
                needed,
                given,
            });
        }
    }
    let path = path(&from.layout, &to.layout, rules);
    let (unit_in, unit_out) = (from.swap_unit(), to.swap_unit());
    let mut swapped = Vec::new();
    for z in 0..depth as usize {
        for y in 0..height as usize {
            let at = z * from.image_stride + y * from.row_stride;
            let mut row = &source[at..at + from.row_bytes];
            if unit_in > 1 {
                swapped.clear();
                swapped.extend_from_slice(row);
                swap_bytes(&mut swapped, unit_in);
                row = &swapped;
            }
            let at = z * to.image_stride + y * to.row_stride;
            let out = &mut target[at..at + to.row_bytes];
            convert_row(&path, row, from, out, to, width as usize, rules);
            swap_bytes(out, unit_out);
        }
    }
    Ok(())
}

/// Reverses the bytes of each unit.
fn swap_bytes(bytes: &mut [u8], unit: usize) {
    if unit > 1 {
        for element in bytes.chunks_exact_mut(unit) {
            element.reverse();
        }
    }
}

fn convert_row(
    path: &Path,
    row: &[u8],
    from: &Side,
    out: &mut [u8],
    to: &Side,
    width: usize,
    rules: Rules,
) {
    match path {
        Path::Moves(Moves::Copy) => out.copy_from_slice(row),
        Path::Moves(Moves::Shuffle(shuffle)) => shuffle.row(row, out),
        Path::Zero => out.fill(0),
        Path::Colors => {
            let mut texels = [[0.0; 4]; CHUNK];
            for (part, part_out) in parts(row, &from.layout, out, &to.layout) {
                let texels = &mut texels[..part.len() / from.layout.texel_bytes()];
                read_colors(&from.layout, part, texels);
                if rules.clamp {
                    for t in texels.iter_mut().flatten() {
                        *t = clamp_up_to(*t, 1.0);
                    }
                }
                if rules.sum_luminance {
                    for t in texels.iter_mut() {
                        t[0] += t[1] + t[2];
                        if rules.clamp {
                            t[0] = clamp_up_to(t[0], 1.0);
                        }
                    }
                }
                write_colors(&to.layout, texels, part_out);
            }
        }
        Path::Integers => {
            let mut texels = [[0; 4]; CHUNK];
            for (part, part_out) in parts(row, &from.layout, out, &to.layout) {
                let texels = &mut texels[..part.len() / from.layout.texel_bytes()];
                read_integers(&from.layout, part, texels);
                if rules.sum_luminance {
                    for t in texels.iter_mut() {
                        t[0] += t[1] + t[2];
                    }
                }
                write_integers(&to.layout, texels, part_out);
            }
        }
        Path::DepthStencil => depth_stencil_row(row, from, out, to, width, rules),
    }
}

/// Cuts a row of both sides into parts of at most [`CHUNK`] texels.
fn parts<'a>(
    row: &'a [u8],
    from: &ClientLayout,
    out: &'a mut [u8],
    to: &ClientLayout,
) -> impl Iterator<Item = (&'a [u8], &'a mut [u8])> {
    // Texels of colours and integers are whole bytes, so that neither size is zero.
    row.chunks(CHUNK * from.texel_bytes().max(1))
        .zip(out.chunks_mut(CHUNK * to.texel_bytes().max(1)))
}

/// Converts a row of depth and stencil values, which may be bits on either side.
fn depth_stencil_row(
    row: &[u8],
    from: &Side,
    out: &mut [u8],
    to: &Side,
    width: usize,
    rules: Rules,
) {
    let (size_in, size_out) = (from.layout.texel_bytes(), to.layout.texel_bytes());
    let mut texels: [DepthStencil; CHUNK] = [(None, None); CHUNK];
    for start in (0..width).step_by(CHUNK) {
        let count = CHUNK.min(width - start);
        let texels = &mut texels[..count];
        if from.layout.element == Element::Bit {
            read_bits(row, from.lead_bits + start, from.lsb_first, texels);
        } else {
            let part = &row[start * size_in..(start + count) * size_in];
            read_depth_stencil(&from.layout, part, texels);
        }
        if rules.clamp_depth {
            for depth in texels.iter_mut().filter_map(|t| t.0.as_mut()) {
                *depth = clamp_up_to(*depth, 1.0);
            }
        }
        if to.layout.element == Element::Bit {
            write_bits(out, to.lead_bits + start, to.lsb_first, texels);
        } else {
            let part = &mut out[start * size_out..(start + count) * size_out];
            write_depth_stencil(&to.layout, texels, part);
        }
    }
}
