//! LDR-FLIP (Andersson et al. 2020): the difference that a viewer flipping between two images sees.
//!
//! Colour: both images pass the eye's contrast sensitivity filters (in YCxCz), then their distance is
//! taken in Hunt-adjusted CIELab with the HyAB metric. Features: edges and points of the luma, since
//! a change there catches the eye. Both are joined into an error between 0 and 1 a pixel.
//! Viewing conditions are the paper's: 0.7 m from a 0.7 m wide screen of 3840 pixels.

use rayon::prelude::*;
use serde::Serialize;

use super::options::Masked;
use super::pixels::Image;

/// FLIP errors over the pixels that are not masked; 0 is no visible difference, 1 the largest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Flip {
    /// Mean error.
    pub mean: f64,
    /// The error that 99 % of the pixels do not exceed.
    pub p99: f64,
}

/// Pixels a degree of the field of view.
const PIXELS_PER_DEGREE: f64 = 0.7 * (3840.0 / 0.7) * (std::f64::consts::PI / 180.0);
/// Exponent that spreads colour differences, and where its curve bends (pc, pt in the paper).
const COLOUR_EXPONENT: f32 = 0.7;
const BEND_AT: f32 = 0.4;
const BEND_TO: f32 = 0.95;
/// Width of the feature detector in degrees.
const FEATURE_WIDTH: f64 = 0.082;
/// The contrast sensitivity of achromatic, red-green and blue-yellow: sums of Gaussians (a, b).
const SENSITIVITY: [&[(f64, f64)]; 3] = [
    &[(1.0, 0.0047)],
    &[(1.0, 0.0053)],
    &[(34.1, 0.04), (13.5, 0.025)],
];

type Colour = [f32; 3];

/// A picture of one float a pixel.
#[derive(Clone)]
struct Plane {
    width: usize,
    values: Vec<f32>,
}

/// Compares two images of one size, colour channels only. What is masked must be equal already.
pub(super) fn flip(left: &Image, right: &Image, masked: &Masked) -> Flip {
    let visible = |y: usize, x: usize| !masked.row(y).is_some_and(|row| row[x]);
    let width = left.size().width as usize;
    let errors: Vec<f32> = error_map(left, right)
        .chunks(width.max(1))
        .enumerate()
        .flat_map(|(y, row)| row.iter().enumerate().map(move |(x, &e)| (y, x, e)))
        .filter_map(|(y, x, e)| visible(y, x).then_some(e))
        .collect();
    summarise(errors)
}

fn summarise(mut errors: Vec<f32>) -> Flip {
    if errors.is_empty() {
        return Flip::default();
    }
    let mean = errors.iter().map(|&e| f64::from(e)).sum::<f64>() / errors.len() as f64;
    // Nearest rank: the smallest error that at least 99 % of all do not exceed.
    let rank = (errors.len() * 99).div_ceil(100).max(1) - 1;
    let (_, p99, _) = errors.select_nth_unstable_by(rank, f32::total_cmp);
    Flip {
        mean,
        p99: f64::from(*p99),
    }
}

fn error_map(left: &Image, right: &Image) -> Vec<f32> {
    let (left, right) = rayon::join(|| Prepared::new(left), || Prepared::new(right));
    let largest = distance(hunt(to_lab([0.0, 1.0, 0.0])), hunt(to_lab([0.0, 0.0, 1.0])))
        .powf(COLOUR_EXPONENT);
    (0..left.colour.len())
        .into_par_iter()
        .map(|i| {
            let colour = distance(left.colour[i], right.colour[i]).powf(COLOUR_EXPONENT);
            let bend = BEND_AT * largest;
            let colour = if colour < bend {
                BEND_TO / bend * colour
            } else {
                BEND_TO + (colour - bend) / (largest - bend) * (1.0 - BEND_TO)
            };
            let edges = (left.edges.values[i] - right.edges.values[i]).abs();
            let points = (left.points.values[i] - right.points.values[i]).abs();
            let feature = (edges.max(points) / std::f32::consts::SQRT_2).sqrt();
            colour.powf(1.0 - feature)
        })
        .collect()
}

/// What is computed of each image alone.
struct Prepared {
    /// Filtered and Hunt-adjusted CIELab.
    colour: Vec<Colour>,
    edges: Plane,
    points: Plane,
}

impl Prepared {
    fn new(image: &Image) -> Self {
        let width = image.size().width as usize;
        let ycxcz: Vec<Colour> = image.pixels().par_iter().map(|p| to_ycxcz(*p)).collect();
        let plane = |c: usize| Plane {
            width,
            values: ycxcz.iter().map(|p| p[c]).collect(),
        };
        let luma = Plane {
            width,
            values: ycxcz.iter().map(|p| (p[0] + 16.0) / 116.0).collect(),
        };
        let [y, cx, cz] = [0, 1, 2].map(|c| sensitivity_filter(&plane(c), SENSITIVITY[c]));
        let colour = (0..ycxcz.len())
            .into_par_iter()
            .map(|i| {
                let seen = ycxcz_to_linear([y.values[i], cx.values[i], cz.values[i]]);
                hunt(to_lab(seen.map(|v| v.clamp(0.0, 1.0))))
            })
            .collect();
        let (blur, first, second) = feature_kernels();
        let magnitude = |kernel: &[f32]| {
            let across = luma.filter(kernel, &blur);
            let down = luma.filter(&blur, kernel);
            across.zip(&down, f32::hypot)
        };
        Self {
            colour,
            edges: magnitude(&first),
            points: magnitude(&second),
        }
    }
}

fn sensitivity_filter(plane: &Plane, gaussians: &[(f64, f64)]) -> Plane {
    use std::f64::consts::PI;
    let widest = SENSITIVITY
        .iter()
        .flat_map(|g| g.iter())
        .map(|&(_, b)| b)
        .fold(0.0, f64::max);
    let reach = (3.0 * (widest / (2.0 * PI * PI)).sqrt() * PIXELS_PER_DEGREE).ceil() as i32;
    let kernel = |b: f64| -> Vec<f64> {
        let weight = |i: i32| {
            let x = f64::from(i) / PIXELS_PER_DEGREE;
            (-PI * PI * x * x / b).exp()
        };
        (-reach..=reach).map(weight).collect()
    };
    let volume = |a: f64, b: f64| a * (PI / b).sqrt() * kernel(b).iter().sum::<f64>().powi(2);
    let total: f64 = gaussians.iter().map(|&(a, b)| volume(a, b)).sum();

    // A two-dimensional Gaussian is a product of two, a sum of them is not: filter by each, then add.
    let mut sum: Option<Plane> = None;
    for &(a, b) in gaussians {
        let share = volume(a, b) / total;
        let kernel = kernel(b);
        let one: f64 = kernel.iter().sum();
        let across: Vec<f32> = kernel.iter().map(|k| (k / one * share) as f32).collect();
        let down: Vec<f32> = kernel.iter().map(|k| (k / one) as f32).collect();
        let part = plane.filter(&across, &down);
        sum = Some(match sum {
            None => part,
            Some(sum) => sum.zip(&part, |a, b| a + b),
        });
    }
    sum.expect("every sensitivity has a Gaussian")
}

/// A Gaussian, and its first and second derivative with positive and negative weights of sum 1 each.
fn feature_kernels() -> (Vec<f32>, Vec<f32>, Vec<f32>) {
    let deviation = 0.5 * FEATURE_WIDTH * PIXELS_PER_DEGREE;
    let reach = (3.0 * deviation).ceil() as i32;
    let gaussian = |x: f64| (-x * x / (2.0 * deviation * deviation)).exp();
    let sample = |f: &dyn Fn(f64) -> f64| -> Vec<f32> {
        let weights: Vec<f64> = (-reach..=reach).map(|i| f(f64::from(i))).collect();
        let positive: f64 = weights.iter().filter(|w| **w > 0.0).sum();
        let negative: f64 = -weights.iter().filter(|w| **w < 0.0).sum::<f64>();
        let scale = |w: f64| w / if w < 0.0 { negative } else { positive };
        weights.into_iter().map(|w| scale(w) as f32).collect()
    };
    (
        sample(&gaussian),
        sample(&|x| -x * gaussian(x)),
        sample(&|x| (x * x / (deviation * deviation) - 1.0) * gaussian(x)),
    )
}

impl Plane {
    fn zip(&self, other: &Self, f: impl Fn(f32, f32) -> f32 + Sync) -> Self {
        let values = self.values.iter().zip(&other.values);
        Self {
            width: self.width,
            values: values.map(|(&a, &b)| f(a, b)).collect(),
        }
    }

    /// Filters along rows by `across` and along columns by `down`; edge pixels are repeated outwards.
    fn filter(&self, across: &[f32], down: &[f32]) -> Self {
        let width = self.width;
        if self.values.is_empty() {
            return self.clone();
        }
        let height = self.values.len() / width;
        let mut rows = vec![0.0; self.values.len()];
        rows.par_chunks_exact_mut(width)
            .zip(self.values.par_chunks_exact(width))
            .for_each(|(out, row)| {
                let reach = across.len() / 2;
                let mut padded = Vec::with_capacity(width + 2 * reach);
                padded.extend(std::iter::repeat_n(row[0], reach));
                padded.extend_from_slice(row);
                padded.extend(std::iter::repeat_n(row[width - 1], reach));
                for (tap, &weight) in across.iter().enumerate() {
                    add_scaled(out, &padded[tap..], weight);
                }
            });
        let mut values = vec![0.0; self.values.len()];
        values
            .par_chunks_exact_mut(width)
            .enumerate()
            .for_each(|(y, out)| {
                let reach = down.len() / 2;
                for (tap, &weight) in down.iter().enumerate() {
                    let y = (y + tap).saturating_sub(reach).min(height - 1);
                    add_scaled(out, &rows[y * width..], weight);
                }
            });
        Self { width, values }
    }
}

fn add_scaled(out: &mut [f32], source: &[f32], weight: f32) {
    for (out, value) in out.iter_mut().zip(source) {
        *out += weight * value;
    }
}

/// Linear RGB to CIE XYZ (D65), as the fractions that the primaries give.
const RGB_TO_XYZ: [[f64; 3]; 3] = [
    [
        10_135_552.0 / 24_577_794.0,
        8_788_810.0 / 24_577_794.0,
        4_435_075.0 / 24_577_794.0,
    ],
    [
        2_613_072.0 / 12_288_897.0,
        8_788_810.0 / 12_288_897.0,
        887_015.0 / 12_288_897.0,
    ],
    [
        1_425_808.0 / 73_733_382.0,
        8_788_810.0 / 73_733_382.0,
        70_074_185.0 / 73_733_382.0,
    ],
];
const XYZ_TO_RGB: [[f64; 3]; 3] = [
    [3.241_003_275, -1.537_398_934, -0.498_615_861],
    [-0.969_224_334, 1.875_930_071, 0.041_554_224],
    [0.055_639_423, -0.204_011_202, 1.057_148_933],
];

fn multiply(matrix: &[[f64; 3]; 3], v: Colour) -> Colour {
    std::array::from_fn(|row| {
        let products = (0..3).map(|i| matrix[row][i] * f64::from(v[i]));
        products.sum::<f64>() as f32
    })
}

/// XYZ of linear RGB, relative to white.
fn to_relative_xyz(linear: Colour) -> Colour {
    let xyz = multiply(&RGB_TO_XYZ, linear);
    std::array::from_fn(|i| xyz[i] / RGB_TO_XYZ[i].iter().sum::<f64>() as f32)
}

fn to_ycxcz(pixel: [u8; 4]) -> Colour {
    let linear = |c: u8| {
        let s = f32::from(c) / 255.0;
        if s <= 0.04045 {
            s / 12.92
        } else {
            ((s + 0.055) / 1.055).powf(2.4)
        }
    };
    let [x, y, z] = to_relative_xyz([linear(pixel[0]), linear(pixel[1]), linear(pixel[2])]);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

fn ycxcz_to_linear([luma, cx, cz]: Colour) -> Colour {
    let y = (luma + 16.0) / 116.0;
    let relative = [y + cx / 500.0, y, y - cz / 200.0];
    let xyz = std::array::from_fn(|i| relative[i] * RGB_TO_XYZ[i].iter().sum::<f64>() as f32);
    multiply(&XYZ_TO_RGB, xyz)
}

fn to_lab(linear: Colour) -> Colour {
    const DELTA: f32 = 6.0 / 29.0;
    let [x, y, z] = to_relative_xyz(linear).map(|t| {
        if t > DELTA * DELTA * DELTA {
            t.cbrt()
        } else {
            t / (3.0 * DELTA * DELTA) + 4.0 / 29.0
        }
    });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// Colours look less colourful where it is dark.
fn hunt([l, a, b]: Colour) -> Colour {
    [l, 0.01 * l * a, 0.01 * l * b]
}

/// HyAB: city-block in lightness, Euclidean in chroma.
fn distance(p: Colour, q: Colour) -> f32 {
    (p[0] - q[0]).abs() + (p[1] - q[1]).hypot(p[2] - q[2])
}
