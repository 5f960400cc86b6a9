//! The per-pixel difference map and the sums that come with it (mean, largest, PSNR).

use rayon::prelude::*;

use super::options::{Masked, Options, Size};
use super::pixels::Image;

/// The largest difference over the compared channels, a byte a pixel; 0 where masked.
pub(super) struct DifferenceMap {
    pub(super) size: Size,
    values: Vec<u8>,
}

impl DifferenceMap {
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
            .collect();
        Self { size, values }
    }
}

/// Sums over all compared pixels.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(super) struct Sums {
    /// Pixels that are not masked.
    pub(super) pixels: u64,
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
            pixels: self.pixels + other.pixels,
            differing: self.differing + other.differing,
            mismatching: self.mismatching + other.mismatching,
            max: self.max.max(other.max),
            absolute: self.absolute + other.absolute,
            squared: self.squared + other.squared,
        }
    }

    /// Mean difference over pixels and `channels`, in steps of 1/255.
    pub(super) fn mean(&self, channels: usize) -> f64 {
        ratio(self.absolute, self.pixels * channels as u64)
    }

    /// Peak signal-to-noise ratio in dB over pixels and `channels`; nothing when all are equal.
    pub(super) fn psnr(&self, channels: usize) -> Option<f64> {
        let mse = ratio(self.squared, self.pixels * channels as u64);
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

/// Compares two images of one size, pixel by pixel.
pub(super) fn difference(
    left: &Image,
    right: &Image,
    masked: &Masked,
    options: &Options,
) -> (DifferenceMap, Sums) {
    let size = left.size();
    debug_assert_eq!(size, right.size());
    let mut values = vec![0; size.pixels() as usize];
    let sums = values
        .par_chunks_exact_mut(size.width.max(1) as usize)
        .enumerate()
        .map(|(y, row)| {
            let (a, b) = (left.row(y as u32), right.row(y as u32));
            let mut sums = if a == b {
                Sums::default()
            } else if options.alpha {
                row_difference::<4>(a, b, masked.row(y), options.tolerance, row)
            } else {
                row_difference::<3>(a, b, masked.row(y), options.tolerance, row)
            };
            sums.pixels = a.len() as u64 - masked.count(y, 0..a.len());
            sums
        })
        .reduce(Sums::default, Sums::add);
    (DifferenceMap { size, values }, sums)
}

fn row_difference<const CHANNELS: usize>(
    left: &[[u8; 4]],
    right: &[[u8; 4]],
    masked: Option<&[bool]>,
    tolerance: u8,
    out: &mut [u8],
) -> Sums {
    let mut sums = Sums::default();
    for (x, ((a, b), out)) in left.iter().zip(right).zip(out).enumerate() {
        if masked.is_some_and(|flags| flags[x]) {
            continue;
        }
        let mut largest = 0;
        for channel in 0..CHANNELS {
            let d = a[channel].abs_diff(b[channel]);
            largest = largest.max(d);
            sums.absolute += u64::from(d);
            sums.squared += u64::from(d) * u64::from(d);
        }
        *out = largest;
        sums.max = sums.max.max(largest);
        sums.differing += u64::from(largest > 0);
        sums.mismatching += u64::from(largest > tolerance);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::options::{Mask, Rect};

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
        let (map, sums) = difference(&left, &right, &Masked::default(), &options);
        assert_eq!(sums.pixels, 60);
        assert_eq!((sums.differing, sums.mismatching, sums.max), (2, 1, 40));
        assert_eq!(sums.mean(3), 44.0 / 180.0);
        let mse = (9.0 + 1600.0 + 1.0) / 180.0;
        let psnr = 10.0 * (65025.0_f64 / mse).log10();
        assert!((sums.psnr(3).expect("images differ") - psnr).abs() < 1e-12);
        assert_eq!((map.row(0)[5], map.row(1)[6], map.row(2)[19]), (40, 1, 0));
    }

    #[test]
    fn alpha_counts_only_when_asked() {
        let (left, right) = images();
        let options = Options {
            alpha: true,
            ..Options::default()
        };
        let (map, sums) = difference(&left, &right, &Masked::default(), &options);
        assert_eq!((sums.differing, sums.max), (3, 100));
        assert_eq!(map.row(2)[19], 100);
    }

    #[test]
    fn masked_pixels_count_nowhere() {
        let (left, right) = images();
        let mask = Mask {
            name: "all but the last row".into(),
            reason: "test".into(),
            rect: Rect {
                x: 0,
                y: 0,
                width: 20,
                height: 2,
            },
        };
        let (masked, _) = Masked::new(&[mask], left.size());
        let (_, sums) = difference(&left, &right, &masked, &Options::default());
        assert_eq!(
            sums,
            Sums {
                pixels: 20,
                ..Sums::default()
            }
        );
        assert_eq!(sums.psnr(3), None);
    }
}
