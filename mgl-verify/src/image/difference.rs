//! The per-pixel difference map and the sums that come with it (mean, largest, PSNR).

use rayon::prelude::*;

use super::options::{Options, Size};
use super::pixels::Image;

/// The largest difference over the compared channels, a byte a pixel.
pub(super) struct DifferenceMap {
    pub(super) size: Size,
    values: Vec<u8>,
    /// The largest difference of each row, so that what reads the map can pass over equal rows.
    rows: Vec<u8>,
}

impl DifferenceMap {
    /// Whether row `y` has any difference.
    pub(super) fn differs(&self, y: usize) -> bool {
        self.exceeds(y, 0)
    }

    /// Whether row `y` has a difference above `tolerance`.
    pub(super) fn exceeds(&self, y: usize, tolerance: u8) -> bool {
        self.rows.get(y).is_some_and(|&largest| largest > tolerance)
    }

    pub(super) fn row(&self, y: usize) -> &[u8] {
        let width = self.size.width as usize;
        &self.values[y * width..][..width]
    }

    /// The map of an image whose difference at (x, y) is `f(x, y)`.
    #[cfg(test)]
    pub(super) fn from_fn(size: Size, f: impl Fn(u32, u32) -> u8) -> Self {
        let values = (0..size.height)
            .flat_map(|y| (0..size.width).map(move |x| (x, y)))
            .map(|(x, y)| f(x, y))
            .collect::<Vec<u8>>();
        let rows = values
            .chunks(size.width as usize)
            .map(|row| row.iter().copied().max().unwrap_or(0))
            .collect();
        Self { size, values, rows }
    }
}

/// Sums over all pixels.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(super) struct Sums {
    /// Pixels with any difference.
    pub(super) differing: u64,
    /// Pixels whose difference exceeds the tolerance.
    pub(super) mismatching: u64,
    /// Largest difference of a channel.
    pub(super) max: u8,
    /// Sum of the differences of all channels.
    absolute: u64,
    /// Sum of their squares.
    squared: u64,
}

impl Sums {
    fn add(self, other: Self) -> Self {
        Self {
            differing: self.differing + other.differing,
            mismatching: self.mismatching + other.mismatching,
            max: self.max.max(other.max),
            absolute: self.absolute + other.absolute,
            squared: self.squared + other.squared,
        }
    }

    /// Mean difference of so many samples (pixels times channels), in steps of 1/255.
    pub(super) fn mean(&self, samples: u64) -> f64 {
        ratio(self.absolute, samples)
    }

    /// Peak signal-to-noise ratio of so many samples in dB; nothing when all are equal.
    pub(super) fn psnr(&self, samples: u64) -> Option<f64> {
        let mse = ratio(self.squared, samples);
        (mse > 0.0).then(|| 10.0 * (255.0 * 255.0 / mse).log10())
    }
}

fn ratio(sum: u64, count: u64) -> f64 {
    if count == 0 {
        0.0
    } else {
        sum as f64 / count as f64
    }
}

/// Compares two images of one size, pixel by pixel. What is masked must be equal already.
pub(super) fn difference(left: &Image, right: &Image, options: &Options) -> (DifferenceMap, Sums) {
    let size = left.size();
    debug_assert_eq!(size, right.size());
    let mut values = vec![0; size.pixels() as usize];
    let rows: Vec<Sums> = values
        .par_chunks_exact_mut(size.width.max(1) as usize)
        .enumerate()
        .map(|(y, row)| {
            let (a, b) = (left.row(y as u32), right.row(y as u32));
            if a == b {
                Sums::default()
            } else if options.alpha {
                row_difference::<4>(a, b, options.tolerance, row)
            } else {
                row_difference::<3>(a, b, options.tolerance, row)
            }
        })
        .collect();
    let map = DifferenceMap {
        size,
        values,
        rows: rows.iter().map(|sums| sums.max).collect(),
    };
    (map, rows.into_iter().fold(Sums::default(), Sums::add))
}

fn row_difference<const CHANNELS: usize>(
    left: &[[u8; 4]],
    right: &[[u8; 4]],
    tolerance: u8,
    out: &mut [u8],
) -> Sums {
    // Pixels whose sums fit 32 bits, four channels squared included: half as wide, twice as fast.
    const RUN: usize = 8192;
    let mut sums = Sums::default();
    let runs = left.chunks(RUN).zip(right.chunks(RUN));
    for ((left, right), out) in runs.zip(out.chunks_mut(RUN)) {
        let (mut absolute, mut squared, mut differing, mut mismatching) = (0_u32, 0, 0, 0);
        for ((a, b), out) in left.iter().zip(right).zip(out) {
            let mut largest = 0;
            for channel in 0..CHANNELS {
                let d = a[channel].abs_diff(b[channel]);
                largest = largest.max(d);
                absolute += u32::from(d);
                squared += u32::from(d) * u32::from(d);
            }
            *out = largest;
            sums.max = sums.max.max(largest);
            differing += u32::from(largest > 0);
            mismatching += u32::from(largest > tolerance);
        }
        sums.absolute += u64::from(absolute);
        sums.squared += u64::from(squared);
        sums.differing += u64::from(differing);
        sums.mismatching += u64::from(mismatching);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    fn images() -> (Image, Image) {
        let left = Image::from_fn(20, 3, |x, y| [x as u8, y as u8, 50, 255]);
        let mut right = left.clone();
        right.pixels_mut()[5][0] += 3;
        right.pixels_mut()[5][2] -= 40;
        right.pixels_mut()[26][1] += 1;
        right.pixels_mut()[59][3] -= 100;
        (left, right)
    }

    #[test]
    fn counts_and_sums() {
        let (left, right) = images();
        let options = Options {
            tolerance: 1,
            ..Options::default()
        };
        let (map, sums) = difference(&left, &right, &options);
        assert_eq!((sums.differing, sums.mismatching, sums.max), (2, 1, 40));
        assert_eq!(sums.mean(180), 44.0 / 180.0);
        let mse = (9.0 + 1600.0 + 1.0) / 180.0;
        let psnr = 10.0 * (65025.0_f64 / mse).log10();
        assert!((sums.psnr(180).expect("images differ") - psnr).abs() < 1e-12);
        assert_eq!((map.row(0)[5], map.row(1)[6], map.row(2)[19]), (40, 1, 0));
    }

    #[test]
    fn alpha_counts_only_when_asked() {
        let (left, right) = images();
        let options = Options {
            alpha: true,
            ..Options::default()
        };
        let (map, sums) = difference(&left, &right, &options);
        assert_eq!((sums.differing, sums.max), (3, 100));
        assert_eq!(map.row(2)[19], 100);
    }

    /// The widest image that can be loaded, all of it as different as can be.
    #[test]
    fn sums_do_not_overflow() {
        let flat = |value: u8| Image::from_fn(32_768, 2, |_, _| [value; 4]);
        let options = Options {
            alpha: true,
            ..Options::default()
        };
        let (_, sums) = difference(&flat(0), &flat(255), &options);
        assert_eq!((sums.mean(65_536 * 4), sums.differing), (255.0, 65_536));
        assert_eq!(sums.psnr(65_536 * 4), Some(0.0));
    }
}
