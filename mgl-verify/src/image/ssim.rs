//! Structural similarity (Wang et al. 2004), as a mean and as the worst tile.
//!
//! Window: 11x11 Gaussian of sigma 1.5, population covariance, K1 0.01, K2 0.03, L 255, images
//! continued by mirroring with the edge pixel repeated. The mean leaves out the 5 pixels along each
//! edge whose window reaches over it; the tiles cover the whole image. This is what scikit-image's
//! `structural_similarity(gaussian_weights=True, sigma=1.5, use_sample_covariance=False)` computes.
//!
//! A window in which both images are equal has a similarity of exactly 1. So only what lies within
//! reach of a difference is computed, and deficits (1 - SSIM) are summed. The arithmetic is in `window`.

use std::ops::Range;

use rayon::prelude::*;
use serde::Serialize;

use super::difference::DifferenceMap;
use super::options::{Masked, Rect, Size};
use super::pixels::Image;
use super::window::{Area, CHANNELS, LUMA, Pair, Plane, REACH, WINDOW, Window};

/// Side of a tile.
const TILE: usize = 32;
/// Rows and columns computed at a time: large, so that little is filtered twice, and small enough for
/// the filtered fields to stay in the second-level cache.
const BAND: usize = 2 * TILE;
const SPAN: usize = 128;
/// Gaps up to this are computed along: they cost less than the edges of two spans.
const GAP: usize = 8;

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
fn applies(size: Size) -> bool {
    size.width as usize >= WINDOW && size.height as usize >= WINDOW
}

/// Compares all planes; nothing when a side is under 11 pixels, or every pixel is masked.
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
    let [red, green, blue, opacity] = CHANNELS;
    let planes = [LUMA, red, green, blue, opacity];
    let input = Input {
        pair: Pair { left, right },
        map,
        masked,
        planes: &planes[..if alpha { 5 } else { 4 }],
    };
    // Collected in order and summed on one thread: the result does not depend on scheduling.
    let bands: Vec<Band> = (0..number_of_bands(map.size))
        .into_par_iter()
        .map_init(Window::default, |window, index| input.band(index, window))
        .collect();
    let plane = |index| summarise(map.size, &bands, index);
    Some(Ssim {
        luma: plane(0)?,
        red: plane(1)?,
        green: plane(2)?,
        blue: plane(3)?,
        alpha: if alpha { Some(plane(4)?) } else { None },
    })
}

/// The result of [`ssim`] for images that are known to be equal: 1 everywhere.
pub(super) fn ssim_of_equal(size: Size, masked: &Masked, alpha: bool) -> Option<Ssim> {
    if !applies(size) {
        return None;
    }
    let bands: Vec<Band> = (0..number_of_bands(size))
        .map(|index| Band::new(size, masked, index, 1))
        .collect();
    let plane = summarise(size, &bands, 0)?;
    Some(Ssim {
        luma: plane,
        red: plane,
        green: plane,
        blue: plane,
        alpha: alpha.then_some(plane),
    })
}

/// What [`BAND`] rows add up to.
struct Band {
    rows: Range<usize>,
    /// Pixels of each tile that are not masked, row by row.
    pixels: Vec<u64>,
    /// Those of them in the interior, over all tiles.
    interior_pixels: u64,
    /// Sums of deficits, one a plane.
    deficits: Vec<Deficits>,
}

/// Sums of 1 - SSIM over the pixels that are not masked.
#[derive(Clone, Default)]
struct Deficits {
    /// One a tile.
    tiles: Vec<f64>,
    interior: f64,
}

impl Band {
    /// The pixels of band `index`, without deficits.
    fn new(size: Size, masked: &Masked, index: usize, planes: usize) -> Self {
        let rows = index * BAND..((index + 1) * BAND).min(size.height as usize);
        let columns = columns_of_tiles(size);
        let tiles = rows.len().div_ceil(TILE) * columns;
        let deficits = Deficits {
            tiles: vec![0.0; tiles],
            interior: 0.0,
        };
        let mut pixels = vec![0; tiles];
        let mut interior_pixels = 0;
        for y in rows.clone() {
            let count = |x: Range<usize>| x.len() as u64 - masked.count(y, x);
            let tiles = &mut pixels[(y - rows.start) / TILE * columns..][..columns];
            for (tx, pixels) in tiles.iter_mut().enumerate() {
                *pixels += count(tx * TILE..((tx + 1) * TILE).min(size.width as usize));
            }
            if interior(size.height).contains(&y) {
                interior_pixels += count(interior(size.width));
            }
        }
        Self {
            rows,
            pixels,
            interior_pixels,
            deficits: vec![deficits; planes],
        }
    }

    /// The part of the image that tile `index` of the band covers.
    fn tile(&self, size: Size, index: usize) -> Rect {
        let columns = columns_of_tiles(size);
        let (x, y) = (
            index % columns * TILE,
            self.rows.start + index / columns * TILE,
        );
        Rect {
            x: x as u32,
            y: y as u32,
            width: TILE.min(size.width as usize - x) as u32,
            height: TILE.min(self.rows.end - y) as u32,
        }
    }
}

impl Deficits {
    /// Adds the deficits of some columns of a row, of which `inner` lie in the interior; the row's
    /// tiles start with `first_tile`.
    fn add(
        &mut self,
        first_tile: usize,
        columns: &Range<usize>,
        row: &[f32],
        inner: &Range<usize>,
    ) {
        let part = |x: &Range<usize>| sum(&row[x.start - columns.start..x.end - columns.start]);
        let mut start = columns.start;
        while start < columns.end {
            let tile = start / TILE;
            let x = start..((tile + 1) * TILE).min(columns.end);
            let inside = x.start.max(inner.start)..x.end.min(inner.end);
            let whole = part(&x);
            self.tiles[first_tile + tile] += whole;
            if inside == x {
                self.interior += whole;
            } else if !inside.is_empty() {
                self.interior += part(&inside);
            }
            start = x.end;
        }
    }
}

/// Sum of a few floats, in an order that vector instructions can follow.
fn sum(values: &[f32]) -> f64 {
    let mut lanes = [0.0; 8];
    let (blocks, rest) = (values.chunks_exact(8), values.chunks_exact(8).remainder());
    for block in blocks {
        for (lane, value) in lanes.iter_mut().zip(block) {
            *lane += value;
        }
    }
    let sum: f32 = lanes.iter().chain(rest).sum();
    f64::from(sum)
}

struct Input<'a> {
    pair: Pair<'a>,
    map: &'a DifferenceMap,
    masked: &'a Masked,
    planes: &'a [Plane],
}

impl Input<'_> {
    /// Adds up band `index`.
    fn band(&self, index: usize, window: &mut Window) -> Band {
        let mut band = Band::new(self.map.size, self.masked, index, self.planes.len());
        for columns in self.touched_columns(&band.rows) {
            let Some(rows) = self.touched_rows(&band.rows, &columns) else {
                continue;
            };
            let area = Area { columns, rows };
            for (plane, deficits) in self.planes.iter().zip(&mut band.deficits) {
                window.load(self.pair, &area, *plane);
                for y in area.rows.clone() {
                    let tiles = (y - band.rows.start) / TILE * columns_of_tiles(self.map.size);
                    self.add_row(y, &area.columns, window.deficits(y), tiles, deficits);
                }
            }
        }
        band
    }

    fn add_row(
        &self,
        y: usize,
        columns: &Range<usize>,
        row: &mut [f32],
        first_tile: usize,
        to: &mut Deficits,
    ) {
        if let Some(flags) = self.masked.row(y) {
            for (deficit, flag) in row.iter_mut().zip(&flags[columns.clone()]) {
                if *flag {
                    *deficit = 0.0;
                }
            }
        }
        let size = self.map.size;
        let inner = if interior(size.height).contains(&y) {
            interior(size.width)
        } else {
            0..0
        };
        to.add(first_tile, columns, row, &inner);
    }

    /// Column ranges, at most [`SPAN`] wide, that hold every pixel of `rows` whose window sees a difference.
    fn touched_columns(&self, rows: &Range<usize>) -> Vec<Range<usize>> {
        let width = self.map.size.width as usize;
        let mut seen = vec![0_u8; width];
        for y in self.seen_rows(rows).filter(|&y| self.map.differs(y)) {
            for (seen, &d) in seen.iter_mut().zip(self.map.row(y)) {
                *seen |= d;
            }
        }
        let mut spans: Vec<Range<usize>> = Vec::new();
        for x in (0..width).filter(|&x| seen[x] != 0) {
            let start = x.saturating_sub(REACH);
            let end = (x + REACH + 1).min(width);
            match spans.last_mut() {
                Some(last) if start <= last.end + GAP => last.end = end,
                _ => spans.push(start..end),
            }
        }
        let cut = |span: Range<usize>| {
            let starts = span.clone().step_by(SPAN);
            starts.map(move |x| x..(x + SPAN).min(span.end))
        };
        spans.into_iter().flat_map(cut).collect()
    }

    /// The part of `rows` whose windows see a difference within `columns`.
    fn touched_rows(&self, rows: &Range<usize>, columns: &Range<usize>) -> Option<Range<usize>> {
        let width = self.map.size.width as usize;
        let x = columns.start.saturating_sub(REACH)..(columns.end + REACH).min(width);
        let differs =
            |&y: &usize| self.map.differs(y) && self.map.row(y)[x.clone()].iter().any(|&d| d != 0);
        let first = self.seen_rows(rows).find(differs)?;
        let last = self.seen_rows(rows).rev().find(differs)?;
        let start = first.saturating_sub(REACH).max(rows.start);
        let end = (last + REACH + 1).min(rows.end);
        (start < end).then_some(start..end)
    }

    /// The rows that the windows of `rows` see.
    fn seen_rows(&self, rows: &Range<usize>) -> Range<usize> {
        let height = self.map.size.height as usize;
        rows.start.saturating_sub(REACH)..(rows.end + REACH).min(height)
    }
}

fn number_of_bands(size: Size) -> usize {
    (size.height as usize).div_ceil(BAND)
}

fn columns_of_tiles(size: Size) -> usize {
    (size.width as usize).div_ceil(TILE)
}

/// Indices along an axis of `length` pixels whose window stays inside.
fn interior(length: u32) -> Range<usize> {
    REACH..length as usize - REACH
}

/// Mean and worst tile of one plane over all bands; nothing when every pixel is masked.
fn summarise(size: Size, bands: &[Band], plane: usize) -> Option<PlaneSsim> {
    let mean = |deficit: f64, pixels: u64| (pixels > 0).then(|| 1.0 - deficit / pixels as f64);
    let (mut deficit, mut pixels) = (0.0, 0);
    let mut worst: Option<TileScore> = None;
    for band in bands {
        let deficits = &band.deficits[plane];
        deficit += deficits.interior;
        pixels += band.interior_pixels;
        for (tile, (sum, pixels)) in deficits.tiles.iter().zip(&band.pixels).enumerate() {
            let Some(mean) = mean(*sum, *pixels) else {
                continue;
            };
            if worst.is_none_or(|w| mean < w.mean) {
                let rect = band.tile(size, tile);
                worst = Some(TileScore { mean, rect });
            }
        }
    }
    let worst = worst?;
    Some(PlaneSsim {
        // With every interior pixel masked, the edge is all there is to judge.
        mean: mean(deficit, pixels).unwrap_or(worst.mean),
        worst,
    })
}
