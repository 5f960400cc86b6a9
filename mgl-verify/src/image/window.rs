//! The SSIM window: Gaussian-filtered fields of an area, and the deficits (1 - SSIM) they give.
//!
//! With s = x + y and d = x - y, four filtered fields (s, d, s², d²) hold what the usual five do (x, y,
//! x², y², xy), and where a window sees no difference all of d is 0 and the deficit is exactly 0.

use std::ops::Range;

use super::pixels::Image;
use super::rows::{Fields, deficit, filter, split, weigh};

/// Pixels that the window reaches to each side.
pub(super) const REACH: usize = 5;
/// Side of the window.
pub(super) const WINDOW: usize = 2 * REACH + 1;
/// Floats of the widest vector in use.
const LANES: usize = 8;
const SIGMA: f64 = 1.5;
const C1: f32 = (0.01 * 255.0) * (0.01 * 255.0);
const C2: f32 = (0.03 * 255.0) * (0.03 * 255.0);

/// What of a pixel is compared: the weights of its channels.
pub(super) type Plane = [f32; 4];
/// BT.709 luma, not rounded.
pub(super) const LUMA: Plane = [0.2126, 0.7152, 0.0722, 0.0];
/// Red, green, blue, alpha.
pub(super) const CHANNELS: [Plane; 4] = [
    [1.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 0.0, 0.0],
    [0.0, 0.0, 1.0, 0.0],
    [0.0, 0.0, 0.0, 1.0],
];

/// Two images of one size that are seen through the window.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) left: &'a Image,
    pub(super) right: &'a Image,
}

/// A rectangle of pixels.
#[derive(Clone, Debug)]
pub(super) struct Area {
    pub(super) columns: Range<usize>,
    pub(super) rows: Range<usize>,
}

/// Buffers of one thread.
#[derive(Default)]
pub(super) struct Window {
    weights: [f32; REACH + 1],
    /// s, d, s², d² filtered along rows: as many rows as the area and REACH more at both ends.
    fields: [Vec<f32>; 4],
    /// Columns of the area.
    columns: usize,
    /// Floats a row: as many, and up to a whole vector more that have no meaning.
    width: usize,
    first_row: usize,
    /// What was subtracted from s to keep its squares small, hence exact.
    shift: f32,
    /// One row of the four fields: not filtered yet, with REACH more at both ends; and filtered twice.
    raw: [Vec<f32>; 4],
    filtered: [Vec<f32>; 4],
    deficits: Vec<f32>,
}

impl Window {
    /// Loads what the windows of `area` see of a plane, and filters it along rows.
    pub(super) fn load(&mut self, pair: Pair<'_>, area: &Area, plane: Plane) {
        let size = pair.left.size();
        let (width, height) = (size.width as usize, size.height as usize);
        self.resize(area);
        self.shift = shift(pair, area, plane);

        // Where the images go on to both sides, pixels are read in order; elsewhere mirrored.
        let (start, end) = (area.columns.start, area.columns.end);
        let before = REACH - start.min(REACH);
        let after = REACH - (width - end).min(REACH);
        let whole = 0..self.columns + 2 * REACH;
        let direct = before..whole.end - after;
        let read = start + direct.start - REACH..start + direct.end - REACH;
        for line in 0..area.rows.len() + 2 * REACH {
            let y = mirror(area.rows.start + line, height) as u32;
            let (left, right) = (pair.left.row(y), pair.right.row(y));
            let fields = self.raw_fields(direct.clone());
            split(&left[read.clone()], &right[read.clone()], plane, fields);
            for i in (whole.start..direct.start).chain(direct.end..whole.end) {
                let x = mirror(start + i, width);
                let fields = self.raw_fields(i..i + 1);
                split(&left[x..=x], &right[x..=x], plane, fields);
            }
            for (raw, field) in self.raw.iter().zip(&mut self.fields) {
                let taps = std::array::from_fn(|tap| &raw[tap..]);
                let out = &mut field[line * self.width..][..self.width];
                filter(taps, self.weights, out);
            }
        }
    }

    /// 1 - SSIM of the loaded pixels in image row `y`. Exactly 0 where the window sees no difference.
    pub(super) fn deficits(&mut self, y: usize) -> &mut [f32] {
        let first = y - self.first_row;
        for (field, out) in self.fields.iter().zip(&mut self.filtered) {
            let taps = std::array::from_fn(|tap| &field[(first + tap) * self.width..]);
            filter(taps, self.weights, out);
        }
        let fields = self.filtered.each_ref().map(Vec::as_slice);
        deficit(fields, self.shift, C1, C2, &mut self.deficits);
        &mut self.deficits[..self.columns]
    }

    fn resize(&mut self, area: &Area) {
        self.weights = weights();
        self.columns = area.columns.len();
        self.width = self.columns.next_multiple_of(LANES);
        self.first_row = area.rows.start;
        let lines = area.rows.len() + 2 * REACH;
        let all = |buffers: &mut [Vec<f32>; 4], length: usize| {
            for buffer in buffers {
                buffer.resize(length, 0.0);
            }
        };
        all(&mut self.fields, self.width * lines);
        all(&mut self.raw, self.width + 2 * REACH);
        all(&mut self.filtered, self.width);
        self.deficits.resize(self.width, 0.0);
    }

    /// Part of the row buffers, to be filled.
    fn raw_fields(&mut self, part: Range<usize>) -> Fields<'_> {
        let [s, d, ss, dd] = &mut self.raw;
        Fields {
            shift: self.shift,
            s: &mut s[part.clone()],
            d: &mut d[part.clone()],
            ss: &mut ss[part.clone()],
            dd: &mut dd[part],
        }
    }
}

/// A value near the middle of s; a handful of pixels gives one.
fn shift(pair: Pair<'_>, area: &Area, plane: Plane) -> f32 {
    let Area { columns, rows } = area;
    let (mut sum, mut count) = (0.0, 0.0);
    for y in [rows.start, rows.start + rows.len() / 2, rows.end - 1] {
        let (left, right) = (pair.left.row(y as u32), pair.right.row(y as u32));
        for x in columns.clone().step_by(29).chain([columns.end - 1]) {
            sum += weigh(left[x], plane) + weigh(right[x], plane);
            count += 1.0;
        }
    }
    (sum / count).round()
}

/// Index `i - REACH` mirrored into 0..n, with the edge repeated: -1 is 0, n is n - 1.
fn mirror(i: usize, n: usize) -> usize {
    match i.checked_sub(REACH) {
        None => REACH - 1 - i,
        Some(i) if i >= n => 2 * n - 1 - i,
        Some(i) => i,
    }
}

/// The window's weights along one axis, from its end to its middle.
fn weights() -> [f32; REACH + 1] {
    let weight = |i: usize| {
        let x = i as f64 - REACH as f64;
        (-x * x / (2.0 * SIGMA * SIGMA)).exp()
    };
    let sum: f64 = (0..WINDOW).map(weight).sum();
    std::array::from_fn(|i| (weight(i) / sum) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirroring_repeats_the_edge() {
        let seen: Vec<usize> = (0..12 + 2 * REACH).map(|i| mirror(i, 12)).collect();
        assert_eq!(
            seen,
            [
                4, 3, 2, 1, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 11, 10, 9, 8, 7
            ]
        );
    }

    #[test]
    fn weights_sum_to_one() {
        let weights = weights();
        let sum = weights[REACH] + 2.0 * weights[..REACH].iter().sum::<f32>();
        assert!((sum - 1.0).abs() < 1e-6, "{sum}");
    }

    /// Equal windows inside a loaded area that also holds differences.
    #[test]
    fn a_window_without_difference_has_no_deficit() {
        let pixel = |x: u32, y: u32| [(x * 37 + y * 11) as u8, (x * y) as u8, 200, 255];
        let left = Image::from_fn(64, 24, pixel);
        let right = Image::from_fn(64, 24, |x, y| if x == 0 { [0; 4] } else { pixel(x, y) });
        let area = Area {
            columns: 0..64,
            rows: 0..24,
        };
        let pair = Pair {
            left: &left,
            right: &right,
        };
        let mut window = Window::default();
        for plane in [LUMA, CHANNELS[0], CHANNELS[2]] {
            window.load(pair, &area, plane);
            for y in 0..24 {
                let deficits = window.deficits(y);
                assert!(deficits[..=REACH].iter().all(|&d| d > 0.0), "{plane:?} {y}");
                assert!(
                    deficits[REACH + 1..].iter().all(|&d| d == 0.0),
                    "{plane:?} {y}"
                );
            }
        }
    }
}
