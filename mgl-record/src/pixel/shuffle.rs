//! Texels whose components only change places: no component's value changes.

use super::layout::{Channel, ClientLayout, Element, P8888, P8888_REV};

/// How the components of texels change places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moves {
    /// Not at all: bytes are copied.
    Copy,
    /// As in a [`Shuffle`].
    Shuffle(Shuffle),
}

/// Where each component of the new texel comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shuffle {
    /// Bytes of a component.
    size: usize,
    /// Components of the old texel.
    from: usize,
    /// Components of the new texel.
    to: usize,
    /// For each component of the new texel: which component of the old one, [`ZERO`] or [`ONE`].
    map: [u8; 4],
    /// The bytes of one.
    one: [u8; 4],
}

/// The component is zero.
const ZERO: u8 = 4;
/// The component is one.
const ONE: u8 = 5;

/// A packed word of four bytes is an array of bytes.
fn plain(layout: &ClientLayout) -> ClientLayout {
    match layout.element {
        Element::Packed(packing) if std::ptr::eq(packing, &P8888_REV) => {
            layout.with_element(Element::U8)
        }
        Element::Packed(packing) if std::ptr::eq(packing, &P8888) => {
            layout.with_element(Element::U8).reversed()
        }
        _ => *layout,
    }
}

/// How texels of one layout become texels of another, if components only change places.
///
/// Both sides are in memory order: swapped bytes have been put right.
pub(super) fn moves(from: &ClientLayout, to: &ClientLayout) -> Option<Moves> {
    let (from, to) = (plain(from), plain(to));
    if from.element != to.element || from.integer != to.integer {
        return None;
    }
    let (size, one): (usize, [u8; 4]) = match (from.element, from.integer) {
        (Element::I8 | Element::U8, true) => (1, [1, 0, 0, 0]),
        (Element::I16 | Element::U16, true) => (2, [1, 0, 0, 0]),
        (Element::I32 | Element::U32, true) => (4, [1, 0, 0, 0]),
        (Element::I8, false) => (1, [0x7f, 0, 0, 0]),
        (Element::U8, false) => (1, [0xff, 0, 0, 0]),
        (Element::I16, false) => (2, [0xff, 0x7f, 0, 0]),
        (Element::U16, false) => (2, [0xff, 0xff, 0, 0]),
        (Element::I32, false) => (4, [0xff, 0xff, 0xff, 0x7f]),
        (Element::U32, false) => (4, [0xff; 4]),
        (Element::F16, _) => (2, [0, 0x3c, 0, 0]),
        (Element::F32, _) => (4, 1f32.to_le_bytes()),
        (Element::Bit, _) => return None,
        _ => return (from.channels() == to.channels()).then_some(Moves::Copy),
    };
    let is_color = |c: &Channel| matches!(c, Channel::R | Channel::G | Channel::B | Channel::A);
    if from.channels() == to.channels() && !from.channels().contains(&Channel::Hidden) {
        return Some(Moves::Copy);
    }
    let mut map = [ZERO; 4];
    for (slot, channel) in map.iter_mut().zip(to.channels()) {
        // Luminance as a target may be a sum: the caller knows, and asks only when it is not.
        let wanted = if *channel == Channel::L {
            Channel::R
        } else {
            *channel
        };
        if wanted == Channel::Hidden {
            *slot = ONE;
            continue;
        }
        if !is_color(&wanted) {
            return None;
        }
        let found = from
            .channels()
            .iter()
            .position(|&c| c == wanted || (c == Channel::L && wanted != Channel::A));
        *slot = match found {
            Some(index) => index as u8,
            None if wanted == Channel::A => ONE,
            None => ZERO,
        };
    }
    Some(Moves::Shuffle(Shuffle {
        size,
        from: from.channels().len(),
        to: to.channels().len(),
        map,
        one,
    }))
}

impl Shuffle {
    /// Moves the components of a row of whole texels.
    pub(super) fn row(&self, source: &[u8], target: &mut [u8]) {
        match (self.size, self.from, self.to, self.map) {
            // The ones that matter most: BGRA and RGBA, BGR and RGB, and their alpha dropped.
            (1, 4, 4, [2, 1, 0, 3]) => {
                for (s, t) in source.chunks_exact(4).zip(target.chunks_exact_mut(4)) {
                    // 0xBBGGRRAA, turned by a byte 0xAABBGGRR, lowest byte first R G B A.
                    let word = u32::from_be_bytes([s[0], s[1], s[2], s[3]]);
                    t.copy_from_slice(&word.rotate_right(8).to_le_bytes());
                }
            }
            (1, 4, 3, [0, 1, 2, _]) => {
                for (s, t) in source.chunks_exact(4).zip(target.chunks_exact_mut(3)) {
                    t.copy_from_slice(&s[..3]);
                }
            }
            (1, 4, 3, [2, 1, 0, _]) => {
                for (s, t) in source.chunks_exact(4).zip(target.chunks_exact_mut(3)) {
                    t.copy_from_slice(&[s[2], s[1], s[0]]);
                }
            }
            (1, 3, 3, [2, 1, 0, _]) => {
                for (s, t) in source.chunks_exact(3).zip(target.chunks_exact_mut(3)) {
                    t.copy_from_slice(&[s[2], s[1], s[0]]);
                }
            }
            (1, 3, 4, [0, 1, 2, ONE]) => {
                for (s, t) in source.chunks_exact(3).zip(target.chunks_exact_mut(4)) {
                    t.copy_from_slice(&[s[0], s[1], s[2], self.one[0]]);
                }
            }
            (1, ..) => self.sized::<1>(source, target),
            (2, ..) => self.sized::<2>(source, target),
            _ => self.sized::<4>(source, target),
        }
    }

    fn sized<const N: usize>(&self, source: &[u8], target: &mut [u8]) {
        let one: [u8; N] = std::array::from_fn(|i| self.one[i]);
        let mut texel = [[0u8; N]; 6];
        texel[usize::from(ONE)] = one;
        let texels = source
            .chunks_exact(N * self.from)
            .zip(target.chunks_exact_mut(N * self.to));
        for (s, t) in texels {
            for (slot, component) in texel.iter_mut().zip(s.chunks_exact(N)) {
                slot.copy_from_slice(component);
            }
            for (component, &from) in t.chunks_exact_mut(N).zip(&self.map) {
                component.copy_from_slice(&texel[usize::from(from)]);
            }
        }
    }
}
