//! Image comparison of one 1920x1080 frame, beside the image-compare crate's SSIM of the same pair.
//!
//! Goals: at least 2 times its speed where the images differ everywhere, at least 10 times where
//! under 5 % of the tiles differ. Ours computes all measures (luma and three channels, tiles,
//! clusters, PSNR), theirs the structural similarity of three channels.

use divan::Bencher;
use image::RgbImage;
use mgl_verify::image::{Image, Options, compare};

const WIDTH: u32 = 1920;
const HEIGHT: u32 = 1080;

/// Where the right image differs.
#[derive(Clone, Copy, Debug)]
enum Case {
    Nowhere,
    /// A 256x128 block: 32 of 2040 tiles, and those within reach of it.
    Block,
    Everywhere,
}

const CASES: [Case; 3] = [Case::Nowhere, Case::Block, Case::Everywhere];

fn pair(case: Case) -> (Image, Image) {
    let pixel = |x: u32, y: u32| {
        let mix = (x * 7919 + y * 104_729).wrapping_mul(2_654_435_761) >> 28;
        [
            (x / 8) as u8,
            (y / 5) as u8,
            ((x + y) / 16) as u8 + mix as u8,
            255,
        ]
    };
    let left = Image::from_fn(WIDTH, HEIGHT, pixel);
    let right = Image::from_fn(WIDTH, HEIGHT, |x, y| {
        let [r, g, b, a] = pixel(x, y);
        let differs = match case {
            Case::Nowhere => false,
            Case::Block => (800..1056).contains(&x) && (400..528).contains(&y),
            Case::Everywhere => true,
        };
        let change = u8::from(differs);
        [r ^ change, g ^ (change * 3), b ^ (change * 2), a]
    });
    (left, right)
}

fn rgb(image: &Image) -> RgbImage {
    let bytes = image.pixels().iter().flat_map(|p| [p[0], p[1], p[2]]);
    RgbImage::from_raw(WIDTH, HEIGHT, bytes.collect()).expect("three bytes a pixel")
}

#[divan::bench(args = CASES)]
fn mgl(bencher: Bencher, case: Case) {
    let (left, right) = pair(case);
    let options = Options::default();
    bencher.bench(|| compare(&left, &right, &options));
}

#[divan::bench(args = CASES)]
fn mgl_one_thread(bencher: Bencher, case: Case) {
    let (left, right) = pair(case);
    let options = Options::default();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.expect("a thread pool");
    bencher.bench(|| pool.install(|| compare(&left, &right, &options)));
}

#[divan::bench(args = CASES)]
fn mgl_flip(bencher: Bencher, case: Case) {
    let (left, right) = pair(case);
    let options = Options {
        flip: true,
        ..Options::default()
    };
    bencher.bench(|| compare(&left, &right, &options));
}

#[divan::bench(args = CASES)]
fn image_compare_crate(bencher: Bencher, case: Case) {
    let (left, right) = pair(case);
    let (left, right) = (rgb(&left), rgb(&right));
    let algorithm = image_compare::Algorithm::MSSIMSimple;
    bencher.bench(|| image_compare::rgb_similarity_structure(&algorithm, &left, &right));
}

fn main() {
    divan::main();
}
