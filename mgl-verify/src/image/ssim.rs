//! Structural similarity (Wang et al. 2004), as a mean and as the worst tile.
//!
//! Window: 11x11 Gaussian of sigma 1.5, population covariance, K1 0.01, K2 0.03, L 255, images
//! continued by mirroring with the edge pixel repeated. The mean leaves out the 5 pixels along each
//! edge whose window reaches over it; the tiles cover the whole image. This is what scikit-image's
//! `structural_similarity(gaussian_weights=True, sigma=1.5, use_sample_covariance=False)` computes.
//!
//! With s = x + y and d = x - y, four filtered fields (s, d, s², d²) hold what the usual five do, and
//! a window in which both images are equal has d = 0 and a similarity of exactly 1. So only what
//! lies within reach of a difference is computed, and deficits (1 - SSIM) are summed.

use std::ops::Range;

use rayon::prelude::*;
use serde::Serialize;

use super::difference::DifferenceMap;
use super::options::{Masked, Rect, Size};
use super::pixels::Image;

/// Pixels that the window reaches to each side.
const REACH: usize = 5;
/// Side of the window; smaller images have no SSIM.
const WINDOW: usize = 2 * REACH + 1;
/// Side of a tile.
const TILE: usize = 32;
/// Columns computed at a time, so that the filtered fields stay in the second-level cache.
const SPAN: usize = 256;
/// Floats computed side by side.
const LANES: usize = 8;
const SIGMA: f64 = 1.5;
const C1: f32 = (0.01 * 255.0) * (0.01 * 255.0);
const C2: f32 = (0.03 * 255.0) * (0.03 * 255.0);

/// Mean similarity of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TileScore {
    /// Mean over the tile's pixels that are not masked, at most 1.
    pub mean: f64,
    /// 32x32 pixels; less at the right and bottom edge.
    pub rect: Rect,
}

/// Similarity of one plane (luma or a channel).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PlaneSsim {
    /// Mean over the image's interior, at most 1.
    pub mean: f64,
    /// The tile of the lowest mean; the first of them from the top left.
    pub worst: TileScore,
}

/// Similarity of two images, plane by plane.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ssim {
    /// BT.709 luma, not rounded.
    pub luma: PlaneSsim,
    pub red: PlaneSsim,
    pub green: PlaneSsim,
    pub blue: PlaneSsim,
    /// Present when alpha was compared.
    pub alpha: Option<PlaneSsim>,
}

impl Ssim {
    /// The planes with their names, luma first.
    pub fn planes(&self) -> impl Iterator<Item = (&'static str, &PlaneSsim)> {
        [
            ("luma", Some(&self.luma)),
            ("red", Some(&self.red)),
            ("green", Some(&self.green)),
            ("blue", Some(&self.blue)),
            ("alpha", self.alpha.as_ref()),
        ]
        .into_iter()
        .filter_map(|(name, plane)| Some((name, plane?)))
    }

    /// The lowest mean and the lowest tile over all planes.
    pub fn lowest(&self) -> PlaneSsim {
        self.planes().fold(self.luma, |low, (_, plane)| PlaneSsim {
            mean: low.mean.min(plane.mean),
            worst: if plane.worst.mean < low.worst.mean {
                plane.worst
            } else {
                low.worst
            },
        })
    }
}

/// Whether images of `size` are large enough for the window.
pub(super) fn applies(size: Size) -> bool {
    size.width as usize >= WINDOW && size.height as usize >= WINDOW
}

/// Compares all planes; nothing when [`applies`] says no or every pixel is masked.
pub(super) fn ssim(
    left: &Image,
    right: &Image,
    map: &DifferenceMap,
    masked: &Masked,
    alpha: bool,
) -> Option<Ssim> {
    if !applies(map.size) {
        return None;
    }
    let input = Input {
        left,
        right,
        map,
        masked,
    };
    let channel = |i: usize| input.plane(move |p| f32::from(p[i]));
    Some(Ssim {
        luma: input.plane(luma)?,
        red: channel(0)?,
        green: channel(1)?,
        blue: channel(2)?,
        alpha: if alpha { Some(channel(3)?) } else { None },
    })
}

/// The result of [`ssim`] for images that are known to be equal: 1 everywhere.
pub(super) fn ssim_of_equal(map: &DifferenceMap, masked: &Masked, alpha: bool) -> Option<Ssim> {
    if !applies(map.size) {
        return None;
    }
    let bands = (0..rows_of_tiles(map.size))
        .map(|ty| count_band(map.size, masked, ty))
        .collect();
    let plane = summarise(map.size, bands)?;
    Some(Ssim {
        luma: plane,
        red: plane,
        green: plane,
        blue: plane,
        alpha: alpha.then_some(plane),
    })
}

fn luma(p: [u8; 4]) -> f32 {
    0.2126 * f32::from(p[0]) + 0.7152 * f32::from(p[1]) + 0.0722 * f32::from(p[2])
}

struct Input<'a> {
    left: &'a Image,
    right: &'a Image,
    map: &'a DifferenceMap,
    masked: &'a Masked,
}

/// Sum of deficits over `pixels` pixels.
#[derive(Clone, Copy, Default)]
struct Part {
    deficit: f64,
    pixels: u64,
}

impl Part {
    fn mean(self) -> Option<f64> {
        (self.pixels > 0).then(|| 1.0 - self.deficit / self.pixels as f64)
    }
}

/// What a row of tiles adds up to.
struct Band {
    tiles: Vec<Part>,
    interior: Part,
}

impl Input<'_> {
    fn width(&self) -> usize {
        self.map.size.width as usize
    }

    fn height(&self) -> usize {
        self.map.size.height as usize
    }

    fn plane(&self, sample: impl Fn([u8; 4]) -> f32 + Sync) -> Option<PlaneSsim> {
        // Collected in order and summed on one thread: the result does not depend on scheduling.
        let bands: Vec<Band> = (0..rows_of_tiles(self.map.size))
            .into_par_iter()
            .map_init(Scratch::default, |scratch, ty| {
                self.band(ty, &sample, scratch)
            })
            .collect();
        summarise(self.map.size, bands)
    }

    /// Adds up tile row `ty`.
    fn band(&self, ty: usize, sample: &impl Fn([u8; 4]) -> f32, scratch: &mut Scratch) -> Band {
        let size = self.map.size;
        let (inner_rows, inner_columns) = (interior(size.height), interior(size.width));
        let rows = tile_rows(size, ty);
        let mut band = count_band(size, self.masked, ty);
        for columns in self.touched_columns(&rows) {
            let Some(rows) = self.touched_rows(&rows, &columns) else {
                continue;
            };
            scratch.load(self, &columns, &rows, sample);
            for y in rows {
                let deficits = scratch.deficits(y, columns.len());
                let inner_row = inner_rows.contains(&y);
                let flags = self.masked.row(y);
                for (x, &deficit) in columns.clone().zip(deficits) {
                    if flags.is_some_and(|flags| flags[x]) {
                        continue;
                    }
                    band.tiles[x / TILE].deficit += f64::from(deficit);
                    if inner_row && inner_columns.contains(&x) {
                        band.interior.deficit += f64::from(deficit);
                    }
                }
            }
        }
        band
    }

    /// Column ranges, at most [`SPAN`] wide, that hold every pixel of `rows` whose window sees a difference.
    fn touched_columns(&self, rows: &Range<usize>) -> Vec<Range<usize>> {
        let width = self.width();
        let mut seen = vec![0_u8; width];
        for y in self.dilate_rows(rows) {
            for (seen, &d) in seen.iter_mut().zip(self.map.row(y)) {
                *seen |= d;
            }
        }
        let mut spans: Vec<Range<usize>> = Vec::new();
        for x in (0..width).filter(|&x| seen[x] != 0) {
            let start = x.saturating_sub(REACH);
            let end = (x + REACH + 1).min(width);
            match spans.last_mut() {
                // A small gap costs less than the edges of two spans.
                Some(last) if start <= last.end + LANES => last.end = end,
                _ => spans.push(start..end),
            }
        }
        spans
            .into_iter()
            .flat_map(|s| {
                (s.start..s.end)
                    .step_by(SPAN)
                    .map(move |x| x..(x + SPAN).min(s.end))
            })
            .collect()
    }

    /// The part of `rows` whose windows see a difference within `columns`.
    fn touched_rows(&self, rows: &Range<usize>, columns: &Range<usize>) -> Option<Range<usize>> {
        let x = columns.start.saturating_sub(REACH)..(columns.end + REACH).min(self.width());
        let differs = |&y: &usize| self.map.row(y)[x.clone()].iter().any(|&d| d != 0);
        let first = self.dilate_rows(rows).find(differs)?;
        let last = self.dilate_rows(rows).rev().find(differs)?;
        let start = first.saturating_sub(REACH).max(rows.start);
        let end = (last + REACH + 1).min(rows.end);
        (start < end).then_some(start..end)
    }

    fn dilate_rows(&self, rows: &Range<usize>) -> Range<usize> {
        rows.start.saturating_sub(REACH)..(rows.end + REACH).min(self.height())
    }
}

/// Number of rows of tiles.
fn rows_of_tiles(size: Size) -> usize {
    (size.height as usize).div_ceil(TILE)
}

/// The image rows of tile row `ty`.
fn tile_rows(size: Size, ty: usize) -> Range<usize> {
    ty * TILE..((ty + 1) * TILE).min(size.height as usize)
}

/// The image columns of tile column `tx`.
fn tile_columns(size: Size, tx: usize) -> Range<usize> {
    tx * TILE..((tx + 1) * TILE).min(size.width as usize)
}

/// Indices along an axis of `length` pixels whose window stays inside.
fn interior(length: u32) -> Range<usize> {
    REACH..length as usize - REACH
}

/// The pixels of tile row `ty`, without deficits.
fn count_band(size: Size, masked: &Masked, ty: usize) -> Band {
    let columns = (size.width as usize).div_ceil(TILE);
    let mut band = Band {
        tiles: vec![Part::default(); columns],
        interior: Part::default(),
    };
    for y in tile_rows(size, ty) {
        let count = |x: Range<usize>| x.len() as u64 - masked.count(y, x);
        for (tx, tile) in band.tiles.iter_mut().enumerate() {
            tile.pixels += count(tile_columns(size, tx));
        }
        if interior(size.height).contains(&y) {
            band.interior.pixels += count(interior(size.width));
        }
    }
    band
}

/// Mean and worst tile of all bands; nothing when every pixel is masked.
fn summarise(size: Size, bands: Vec<Band>) -> Option<PlaneSsim> {
    let mut interior = Part::default();
    let mut worst: Option<TileScore> = None;
    for (ty, band) in bands.iter().enumerate() {
        interior.deficit += band.interior.deficit;
        interior.pixels += band.interior.pixels;
        for (tx, tile) in band.tiles.iter().enumerate() {
            let Some(mean) = tile.mean() else { continue };
            if worst.is_none_or(|w| mean < w.mean) {
                let (x, y) = (tile_columns(size, tx), tile_rows(size, ty));
                let rect = Rect {
                    x: x.start as u32,
                    y: y.start as u32,
                    width: x.len() as u32,
                    height: y.len() as u32,
                };
                worst = Some(TileScore { mean, rect });
            }
        }
    }
    let worst = worst?;
    Some(PlaneSsim {
        // With every interior pixel masked, the edge is all there is to judge.
        mean: interior.mean().unwrap_or(worst.mean),
        worst,
    })
}

/// Index `i - REACH` mirrored into 0..n, with the edge repeated: -1 is 0, n is n - 1.
fn mirror(i: usize, n: usize) -> usize {
    match i.checked_sub(REACH) {
        None => REACH - 1 - i,
        Some(i) if i >= n => 2 * n - 1 - i,
        Some(i) => i,
    }
}

/// The window's weights along one axis.
fn kernel() -> [f32; WINDOW] {
    let weight = |i: usize| {
        let x = i as f64 - REACH as f64;
        (-x * x / (2.0 * SIGMA * SIGMA)).exp()
    };
    let sum: f64 = (0..WINDOW).map(weight).sum();
    std::array::from_fn(|i| (weight(i) / sum) as f32)
}

type Block = [f32; LANES];

/// Buffers of one thread: a rectangle of the four fields, filtered along rows.
#[derive(Default)]
struct Scratch {
    kernel: [f32; WINDOW],
    /// s, d, s², d²; rows from `first_row`, `stride` blocks each.
    fields: [Vec<Block>; 4],
    stride: usize,
    /// Row of the image whose window starts at the fields' first row.
    first_row: usize,
    /// What was subtracted from s to keep its squares small, hence exact.
    shift: f32,
    /// The four fields of one row, not filtered yet.
    row: [Vec<f32>; 4],
    deficits: Vec<Block>,
}

impl Scratch {
    /// Loads what the windows of the rectangle see, and filters it along rows.
    fn load(
        &mut self,
        input: &Input<'_>,
        columns: &Range<usize>,
        rows: &Range<usize>,
        sample: &impl Fn([u8; 4]) -> f32,
    ) {
        let (width, height) = (input.width(), input.height());
        self.kernel = kernel();
        self.stride = columns.len().div_ceil(LANES);
        self.first_row = rows.start;
        let lines = rows.len() + 2 * REACH;
        for field in &mut self.fields {
            field.resize(self.stride * lines, [0.0; LANES]);
        }
        let padded = self.stride * LANES + 2 * REACH;
        for row in &mut self.row {
            // Only the first columns.len() + 2 * REACH floats are ever set.
            row.clear();
            row.resize(padded, 0.0);
        }
        self.deficits.resize(self.stride, [0.0; LANES]);

        let sum_at = |x: usize, y: usize| {
            let i = y * width + x;
            sample(input.left.pixels()[i]) + sample(input.right.pixels()[i])
        };
        // Any value near the middle will do; a handful of pixels gives one.
        let probes = columns.clone().step_by(29).chain([columns.end - 1]);
        let (mut sum, mut count) = (0.0, 0.0);
        for x in probes {
            for y in [rows.start, rows.start + rows.len() / 2, rows.end - 1] {
                sum += sum_at(x, y);
                count += 1.0;
            }
        }
        self.shift = (sum / count).round();

        for line in 0..lines {
            let y = mirror(rows.start + line, height) as u32;
            let (left, right) = (input.left.row(y), input.right.row(y));
            let map = input.map.row(y as usize);
            let [s_row, d_row, ss_row, dd_row] = &mut self.row;
            for i in 0..columns.len() + 2 * REACH {
                let x = mirror(columns.start + i, width);
                let a = sample(left[x]);
                // Masked pixels have no difference, whatever the right image shows there.
                let b = if map[x] == 0 { a } else { sample(right[x]) };
                let s = a + b - self.shift;
                let d = a - b;
                (s_row[i], d_row[i], ss_row[i], dd_row[i]) = (s, d, s * s, d * d);
            }
            for (row, field) in self.row.iter().zip(&mut self.fields) {
                let out = &mut field[line * self.stride..][..self.stride];
                filter_row(row, &self.kernel, out);
            }
        }
    }

    /// 1 - SSIM of the first `count` pixels of image row `y`.
    fn deficits(&mut self, y: usize, count: usize) -> &[f32] {
        let first = (y - self.first_row) * self.stride;
        let [s_field, d_field, ss_field, dd_field] = &self.fields;
        for block in 0..self.stride {
            let at =
                |field: &[Block]| filter_column(&field[first + block..], self.stride, &self.kernel);
            let (s, d, ss, dd) = (at(s_field), at(d_field), at(ss_field), at(dd_field));
            let out = &mut self.deficits[block];
            for lane in 0..LANES {
                let (s, d) = (s[lane], d[lane]);
                let var_s = ss[lane] - s * s;
                let var_d = dd[lane] - d * d;
                let mean = s + self.shift;
                // 2 mx my + C1 and mx² + my² + C1, 2 cov + C2 and vx + vy + C2, each in s and d.
                let l_top = 0.5 * (mean * mean - d * d) + C1;
                let l_bottom = 0.5 * (mean * mean + d * d) + C1;
                let c_top = 0.5 * (var_s - var_d) + C2;
                let c_bottom = 0.5 * (var_s + var_d) + C2;
                let bottom = l_bottom * c_bottom;
                out[lane] = (bottom - l_top * c_top) / bottom;
            }
        }
        &self.deficits.as_flattened()[..count]
    }
}

/// Filters a row of floats into blocks; `row` holds REACH more on each side.
fn filter_row(row: &[f32], kernel: &[f32; WINDOW], out: &mut [Block]) {
    for (block, out) in out.iter_mut().enumerate() {
        let source: &[f32; LANES + 2 * REACH] = row[block * LANES..]
            .first_chunk()
            .expect("the row holds REACH floats on both sides of every block");
        let mut sum = [0.0; LANES];
        for (lane, sum) in sum.iter_mut().enumerate() {
            *sum = kernel[REACH] * source[lane + REACH];
        }
        // The window is symmetric: one multiplication serves two pixels.
        for tap in 0..REACH {
            for (lane, sum) in sum.iter_mut().enumerate() {
                *sum += kernel[tap] * (source[lane + tap] + source[lane + 2 * REACH - tap]);
            }
        }
        *out = sum;
    }
}

/// Filters the column of blocks that starts at `field[0]`, one row every `stride` blocks.
fn filter_column(field: &[Block], stride: usize, kernel: &[f32; WINDOW]) -> Block {
    let mut sum = field[REACH * stride].map(|v| kernel[REACH] * v);
    for tap in 0..REACH {
        let above = &field[tap * stride];
        let below = &field[(2 * REACH - tap) * stride];
        for (lane, sum) in sum.iter_mut().enumerate() {
            *sum += kernel[tap] * (above[lane] + below[lane]);
        }
    }
    sum
}
