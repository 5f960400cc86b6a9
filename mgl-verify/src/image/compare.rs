//! [`compare`]: all measures of two images in one value.

use serde::Serialize;

use super::clusters::{Clusters, clusters};
use super::density::{DenseWindow, densest_window};
use super::difference::difference;
use super::flip::{Flip, flip};
use super::options::{MaskUse, Masked, Options, Size};
use super::pixels::Image;
use super::ssim::{Ssim, ssim, ssim_of_equal};

/// The result of comparing two images. Serialises to the JSON of `mgl compare --json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Size of the left (expected) image.
    pub left: Size,
    /// Size of the right (actual) image.
    pub right: Size,
    /// The masks, with what each of them covered.
    pub masks: Vec<MaskUse>,
    /// The measures; absent when the sizes differ, which is a failure and never a resize.
    pub measures: Option<Measures>,
}

/// What was measured over the pixels that are not masked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measures {
    /// Pixels compared; 0 when everything is masked.
    pub pixels: u64,
    /// Pixels with any difference in a compared channel.
    pub differing: u64,
    /// Pixels with a channel that differs by more than `tolerance`.
    pub mismatching: u64,
    /// The tolerance, in steps of 1/255.
    pub tolerance: u8,
    /// Largest difference of a channel, in steps of 1/255.
    pub max_difference: u8,
    /// Mean difference over pixels and channels, in steps of 1/255.
    pub mean_difference: f64,
    /// Peak signal-to-noise ratio in dB over pixels and channels; absent when it is infinite.
    pub psnr_db: Option<f64>,
    /// Structural similarity; absent when a side is under 11 pixels: such images are compared exactly.
    pub ssim: Option<Ssim>,
    /// The 16x16 window of most mismatching pixels; absent when none mismatches.
    pub densest: Option<DenseWindow>,
    /// Mismatching pixels in groups.
    pub clusters: Clusters,
    /// FLIP, when it was asked for.
    pub flip: Option<Flip>,
}

/// Compares `left` (expected) with `right` (actual).
///
/// Alpha is left out unless `options.alpha`. Cost: equal images, a pass over their bytes; otherwise
/// a pass over all pixels, and SSIM around those that differ.
pub fn compare(left: &Image, right: &Image, options: &Options) -> Comparison {
    let size = left.size();
    let (masked, masks) = Masked::new(&options.masks, size);
    let measures = (size == right.size()).then(|| measure(left, right, &masked, options));
    Comparison {
        left: size,
        right: right.size(),
        masks,
        measures,
    }
}

fn measure(left: &Image, right: &Image, masked: &Masked, options: &Options) -> Measures {
    let right = &*masked.cover(left, right);
    let (map, sums) = difference(left, right, options);
    let pixels = masked.visible(left.size());
    let samples = pixels * options.channels() as u64;
    let (ssim, (densest, clusters)) = rayon::join(
        || {
            if sums.differing > 0 {
                ssim(left, right, &map, masked, options.alpha)
            } else {
                ssim_of_equal(map.size, masked, options.alpha)
            }
        },
        || {
            if sums.mismatching > 0 {
                (
                    densest_window(&map, options.tolerance),
                    clusters(&map, options.tolerance),
                )
            } else {
                (None, Clusters::default())
            }
        },
    );
    Measures {
        pixels,
        differing: sums.differing,
        mismatching: sums.mismatching,
        tolerance: options.tolerance,
        max_difference: sums.max,
        mean_difference: sums.mean(samples),
        psnr_db: sums.psnr(samples),
        ssim,
        densest,
        clusters,
        flip: options.flip.then(|| flip(left, right, masked)),
    }
}
