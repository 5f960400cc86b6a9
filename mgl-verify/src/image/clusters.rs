//! Mismatching pixels grouped into clusters with bounding boxes: where to look.

use serde::Serialize;

use super::difference::DifferenceMap;
use super::options::Rect;

/// Side of a grid cell in pixels. Pixels join when their cells touch, corners included, so gaps of
/// up to 7 pixels never separate and gaps of 15 always do.
const CELL: usize = 8;
/// Most clusters that are listed.
const LISTED: usize = 64;

/// A group of mismatching pixels that lie close together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cluster {
    /// The smallest rectangle around its pixels.
    pub rect: Rect,
    /// Mismatching pixels in it.
    pub pixels: u64,
    /// Largest difference of a channel in it.
    pub max_difference: u8,
}

/// All clusters of an image.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Clusters {
    /// Number of clusters.
    pub total: usize,
    /// The clusters of most pixels, at most 64; the largest first.
    pub largest: Vec<Cluster>,
}

/// What a cell holds; bounds are half-open.
#[derive(Clone, Copy)]
struct Cell {
    pixels: u64,
    max: u8,
    x: (usize, usize),
    y: (usize, usize),
}

const EMPTY: Cell = Cell {
    pixels: 0,
    max: 0,
    x: (usize::MAX, 0),
    y: (usize::MAX, 0),
};

impl Cell {
    /// Adds the mismatching ones of a row's pixels from column `x` on.
    fn add_row(&mut self, x: usize, y: usize, differences: &[u8], tolerance: u8) {
        let mismatch = |&d: &u8| d > tolerance;
        let Some(first) = differences.iter().position(mismatch) else {
            return;
        };
        let last = differences.iter().rposition(mismatch).unwrap_or(first);
        self.join(Cell {
            pixels: differences.iter().filter(|&d| mismatch(d)).count() as u64,
            max: differences.iter().copied().max().unwrap_or(0),
            x: (x + first, x + last + 1),
            y: (y, y + 1),
        });
    }

    fn join(&mut self, other: Cell) {
        self.pixels += other.pixels;
        self.max = self.max.max(other.max);
        self.x = (self.x.0.min(other.x.0), self.x.1.max(other.x.1));
        self.y = (self.y.0.min(other.y.0), self.y.1.max(other.y.1));
    }

    fn cluster(&self) -> Cluster {
        Cluster {
            rect: Rect {
                x: self.x.0 as u32,
                y: self.y.0 as u32,
                width: (self.x.1 - self.x.0) as u32,
                height: (self.y.1 - self.y.0) as u32,
            },
            pixels: self.pixels,
            max_difference: self.max,
        }
    }
}

/// Groups the pixels whose difference exceeds `tolerance`.
pub(super) fn clusters(map: &DifferenceMap, tolerance: u8) -> Clusters {
    let columns = (map.size.width as usize).div_ceil(CELL);
    let rows = (map.size.height as usize).div_ceil(CELL);
    let mut cells = vec![EMPTY; columns * rows];
    for y in (0..map.size.height as usize).filter(|&y| map.exceeds(y, tolerance)) {
        let cells = &mut cells[y / CELL * columns..][..columns];
        for ((cx, part), cell) in map.row(y).chunks(CELL).enumerate().zip(cells) {
            cell.add_row(cx * CELL, y, part, tolerance);
        }
    }

    let mut found = Vec::new();
    let mut queue = Vec::new();
    for start in 0..cells.len() {
        let mut cluster = EMPTY;
        queue.push(start);
        while let Some(index) = queue.pop() {
            let cell = std::mem::replace(&mut cells[index], EMPTY);
            if cell.pixels == 0 {
                continue;
            }
            cluster.join(cell);
            let (cx, cy) = (index % columns, index / columns);
            for ny in cy.saturating_sub(1)..=(cy + 1).min(rows - 1) {
                for nx in cx.saturating_sub(1)..=(cx + 1).min(columns - 1) {
                    queue.push(ny * columns + nx);
                }
            }
        }
        if cluster.pixels > 0 {
            found.push(cluster.cluster());
        }
    }
    found.sort_by_key(|c| (std::cmp::Reverse(c.pixels), c.rect.y, c.rect.x));
    let total = found.len();
    found.truncate(LISTED);
    Clusters {
        total,
        largest: found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::options::Size;

    const SIZE: Size = Size {
        width: 203,
        height: 101,
    };

    fn rect(x: u32, y: u32, width: u32, height: u32) -> Rect {
        Rect {
            x,
            y,
            width,
            height,
        }
    }

    #[test]
    fn far_groups_are_told_apart_and_boxed_exactly() {
        let big = |x, y| (20..90).contains(&x) && (33..36).contains(&y);
        let map = DifferenceMap::from_fn(SIZE, |x, y| match (x, y) {
            (202, 100) => 200,
            (0, 0) => 3,
            _ if big(x, y) => 20,
            _ => 0,
        });
        let found = clusters(&map, 0);
        assert_eq!(found.total, 3);
        assert_eq!(
            found.largest,
            [
                Cluster {
                    rect: rect(20, 33, 70, 3),
                    pixels: 210,
                    max_difference: 20
                },
                Cluster {
                    rect: rect(0, 0, 1, 1),
                    pixels: 1,
                    max_difference: 3
                },
                Cluster {
                    rect: rect(202, 100, 1, 1),
                    pixels: 1,
                    max_difference: 200
                },
            ]
        );
        assert_eq!(clusters(&map, 19).total, 2);
        assert_eq!(clusters(&map, 200), Clusters::default());
    }

    #[test]
    fn near_pixels_join_across_cells() {
        // A diagonal of single pixels, 7 apart each.
        let map = DifferenceMap::from_fn(SIZE, |x, y| u8::from(x == y && x % 7 == 0));
        let found = clusters(&map, 0);
        assert_eq!(found.total, 1);
        assert_eq!(found.largest[0].rect, rect(0, 0, 99, 99));
        assert_eq!(found.largest[0].pixels, 15);
    }

    #[test]
    fn the_list_is_bounded_and_the_total_is_not() {
        let map = DifferenceMap::from_fn(SIZE, |x, y| u8::from(x % 20 == 0 && y % 20 == 0));
        let found = clusters(&map, 0);
        assert_eq!((found.total, found.largest.len()), (11 * 6, LISTED));
    }
}
