//! The densest window of mismatching pixels: local loss that a mean over the frame hides.

use serde::Serialize;

use super::difference::DifferenceMap;
use super::options::Rect;

/// Side of the window in pixels.
const WINDOW: u32 = 16;

/// The 16x16 window with the most mismatching pixels (smaller where the image is).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DenseWindow {
    /// Mismatching pixels in the window, 1 to 256.
    pub pixels: u32,
    /// The first such window, from the top left.
    pub rect: Rect,
}

/// Searches all window positions; nothing when no pixel exceeds `tolerance`.
pub(super) fn densest_window(map: &DifferenceMap, tolerance: u8) -> Option<DenseWindow> {
    let width = map.size.width as usize;
    let height = map.size.height as usize;
    let (w, h) = (width.min(WINDOW as usize), height.min(WINDOW as usize));
    // Mismatching pixels of each column within the rows of the window.
    let mut columns = vec![0_u32; width];
    let add_row = |columns: &mut [u32], y: usize, sign: i32| {
        if !map.exceeds(y, tolerance) {
            return false;
        }
        for (count, &d) in columns.iter_mut().zip(map.row(y)) {
            if d > tolerance {
                *count = count.wrapping_add_signed(sign);
            }
        }
        true
    };
    let mut best: Option<DenseWindow> = None;
    for y in 0..height {
        if best.is_some_and(|b| b.pixels as usize == w * h) {
            break;
        }
        let entered = add_row(&mut columns, y, 1);
        if y >= h {
            add_row(&mut columns, y - h, -1);
        }
        // A window can only beat the ones above it when its newest row has something to add.
        if y + 1 < h || !(entered || y + 1 == h) {
            continue;
        }
        let mut count: u32 = columns[..w].iter().sum();
        for x in 0..=width - w {
            if x > 0 {
                count = count + columns[x + w - 1] - columns[x - 1];
            }
            if count > best.map_or(0, |b| b.pixels) {
                best = Some(DenseWindow {
                    pixels: count,
                    rect: Rect {
                        x: x as u32,
                        y: (y + 1 - h) as u32,
                        width: w as u32,
                        height: h as u32,
                    },
                });
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::options::Size;

    /// The definition, counted afresh at every position.
    fn by_definition(map: &DifferenceMap, tolerance: u8) -> Option<DenseWindow> {
        let (w, h) = (map.size.width.min(WINDOW), map.size.height.min(WINDOW));
        let mut best: Option<DenseWindow> = None;
        for y in 0..=map.size.height - h {
            for x in 0..=map.size.width - w {
                let pixels = (y..y + h)
                    .flat_map(|y| &map.row(y as usize)[x as usize..(x + w) as usize])
                    .filter(|&&d| d > tolerance)
                    .count() as u32;
                if pixels > best.map_or(0, |b| b.pixels) {
                    let rect = Rect {
                        x,
                        y,
                        width: w,
                        height: h,
                    };
                    best = Some(DenseWindow { pixels, rect });
                }
            }
        }
        best
    }

    #[test]
    fn agrees_with_its_definition() {
        let sizes = [(1, 1), (5, 40), (40, 5), (16, 16), (17, 33), (53, 61)];
        for (width, height) in sizes {
            for keep in [2, 9, 60, 400] {
                let size = Size { width, height };
                let map = DifferenceMap::from_fn(size, |x, y| {
                    let mix = (x * 7919 + y * 104_729 + 13).wrapping_mul(2_654_435_761) >> 7;
                    if mix % keep == 0 { (mix >> 9) as u8 } else { 0 }
                });
                for tolerance in [0, 100] {
                    assert_eq!(
                        densest_window(&map, tolerance),
                        by_definition(&map, tolerance),
                        "{size} keep {keep} tolerance {tolerance}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_lost_block_is_found_where_it_is() {
        let size = Size {
            width: 100,
            height: 80,
        };
        let lost = |x, y| (70..82).contains(&x) && (33..40).contains(&y);
        let map = DifferenceMap::from_fn(size, |x, y| if lost(x, y) { 9 } else { 0 });
        let found = densest_window(&map, 8).expect("a block differs");
        assert_eq!(found.pixels, 12 * 7);
        assert_eq!(densest_window(&map, 9), None);
    }
}
