//! `mgl compare`: measures and judges two images, or two folders of images.

use std::path::PathBuf;

use clap::builder::ValueParser;
use comfy_table::Cell;
use mgl_verify::image::{
    Batch, BatchRow, Image, Mask, Options, Rect, Thresholds, compare_paths, heatmap,
};

use crate::exit::{Exit, Failure};
use crate::output::{Output, Tone};
use crate::progress::Progress;

/// Compare two images, or two folders of images name by name
///
/// Prints SSIM (mean and worst 32x32 tile, the lowest of luma and channels), PSNR, the largest
/// difference and the mismatching pixels. Without a limit the images must be equal.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  mgl compare expected.png actual.png                     equal, pixel for pixel?
  mgl compare a.png b.png --min-ssim 0.99 --min-tile 0.95 --heatmap diff.png
  mgl compare live/ replayed/ --json                      every image of two folders
  mgl compare a.png b.png --mask 'clock=80x20+700+4'      all but a corner

Exits with 1 when a limit is not kept, an image is missing on one side, or sizes differ.")]
pub struct Args {
    /// The expected image, or a folder of PNG images
    left: PathBuf,

    /// The actual image, or a folder with images of the same names
    right: PathBuf,

    /// Write a picture of the differences; with folders, one a differing image into this folder
    #[arg(long, value_name = "FILE")]
    heatmap: Option<PathBuf>,

    /// Least mean SSIM, of luma and of each channel
    #[arg(long, value_name = "0..1")]
    min_ssim: Option<f64>,

    /// Least SSIM of the worst 32x32 tile
    #[arg(long, value_name = "0..1")]
    min_tile: Option<f64>,

    /// Most mismatching pixels in a 16x16 window, of 256
    #[arg(long, value_name = "N")]
    max_window: Option<u32>,

    /// Most mismatching pixels
    #[arg(long, value_name = "N")]
    max_pixels: Option<u64>,

    /// Largest difference of a channel, 0 to 255
    #[arg(long, value_name = "N")]
    max_difference: Option<u8>,

    /// A pixel mismatches when a channel differs by more than this, 0 to 255
    #[arg(long, value_name = "N", default_value_t = 0)]
    tolerance: u8,

    /// Leave out a rectangle, given as NAME=WIDTHxHEIGHT+X+Y
    #[arg(long = "mask", value_name = "MASK", value_parser = ValueParser::new(parse_mask))]
    masks: Vec<Mask>,

    /// Compare alpha too
    #[arg(long)]
    alpha: bool,

    /// Compute FLIP too (mean and 99th percentile)
    #[arg(long)]
    flip: bool,
}

impl Args {
    fn options(&self) -> Options {
        Options {
            tolerance: self.tolerance,
            alpha: self.alpha,
            flip: self.flip,
            masks: self.masks.clone(),
        }
    }

    fn thresholds(&self) -> Result<Thresholds, Failure> {
        let given = Thresholds {
            max_mismatching: self.max_pixels,
            max_difference: self.max_difference,
            min_ssim: self.min_ssim,
            min_tile_ssim: self.min_tile,
            max_window: self.max_window,
        };
        given.check().map_err(Failure::input)?;
        Ok(if given == Thresholds::NONE {
            Thresholds::EXACT
        } else {
            given
        })
    }
}

fn parse_mask(text: &str) -> Result<Mask, String> {
    let form = || format!("`{text}` is not of the form NAME=WIDTHxHEIGHT+X+Y");
    let (name, rect) = text.split_once('=').ok_or_else(form)?;
    let (width, rest) = rect.split_once('x').ok_or_else(form)?;
    let mut rest = rest.split('+');
    let mut number = || rest.next()?.parse().ok();
    let (height, x, y) = (number(), number(), number());
    match (width.parse(), height, x, y, rest.next()) {
        (Ok(width), Some(height), Some(x), Some(y), None) if !name.is_empty() => Ok(Mask {
            name: name.to_owned(),
            reason: "command line".to_owned(),
            rect: Rect {
                x,
                y,
                width,
                height,
            },
        }),
        _ => Err(form()),
    }
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    let (options, thresholds) = (args.options(), args.thresholds()?);
    let mut progress: Option<Progress> = None;
    let batch = compare_paths(&args.left, &args.right, &options, &thresholds, |total| {
        progress
            .get_or_insert_with(|| Progress::new(total, "images"))
            .step();
    })?;
    drop(progress);
    let heatmaps = write_heatmaps(args, &batch, &options)?;

    out.show(&batch, |out, batch| {
        if let [row] = &batch.images[..]
            && !args.left.is_dir()
        {
            show_one(out, row)?;
        } else {
            show_folder(out, batch)?;
        }
        for path in heatmaps {
            out.line(format_args!("heatmap: {}", path.display()))?;
        }
        Ok(())
    })?;
    Ok(if batch.pass {
        Exit::Success
    } else {
        Exit::Difference
    })
}

/// One picture for a pair of files, or one for each differing pair of two folders.
fn write_heatmaps(args: &Args, batch: &Batch, options: &Options) -> Result<Vec<PathBuf>, Failure> {
    let Some(target) = &args.heatmap else {
        return Ok(Vec::new());
    };
    let folders = args.left.is_dir();
    let mut written = Vec::new();
    for row in &batch.images {
        let differs = row
            .comparison
            .measures
            .as_ref()
            .is_some_and(|m| m.differing > 0);
        if folders && !differs {
            continue;
        }
        let left = Image::load(&row.left)?;
        let right = Image::load(&row.right)?;
        let Some(picture) = heatmap(&left, &right, options) else {
            continue;
        };
        let path = if folders {
            std::fs::create_dir_all(target)
                .map_err(|e| Failure::input(format!("{}: {e}", target.display())))?;
            // The name as it is: a report shows it as text.
            target.join(row.left.file_name().unwrap_or_default())
        } else {
            target.clone()
        };
        picture.save(&path)?;
        written.push(path);
    }
    Ok(written)
}

fn verdict_cell(out: &Output, row: &BatchRow) -> Cell {
    match (&row.comparison.measures, row.verdict.pass) {
        (Some(m), true) if m.differing == 0 => out.toned("equal", Tone::Good),
        (_, true) => out.toned("pass", Tone::Good),
        (_, false) => out.toned("FAIL", Tone::Bad),
    }
}

fn psnr(db: Option<f64>) -> String {
    db.map_or_else(|| "infinite".to_owned(), |db| format!("{db:.2} dB"))
}

fn show_one(out: &mut Output, row: &BatchRow) -> Result<(), Failure> {
    let comparison = &row.comparison;
    let mut rows = vec![vec!["size".to_owned(), comparison.left.to_string()]];
    if let Some(m) = &comparison.measures {
        rows.push(vec![
            "mismatching pixels".into(),
            format!(
                "{} of {} (by more than {})",
                m.mismatching, m.pixels, m.tolerance
            ),
        ]);
        rows.push(vec![
            "largest difference".into(),
            m.max_difference.to_string(),
        ]);
        rows.push(vec![
            "mean difference".into(),
            format!("{:.4}", m.mean_difference),
        ]);
        rows.push(vec!["PSNR".into(), psnr(m.psnr_db)]);
        if let Some(ssim) = &m.ssim {
            for (plane, score) in ssim.planes() {
                rows.push(vec![
                    format!("SSIM {plane}"),
                    format!(
                        "{:.6}, worst tile {:.6} at {}",
                        score.mean, score.worst.mean, score.worst.rect
                    ),
                ]);
            }
        } else {
            rows.push(vec![
                "SSIM".into(),
                "under 11 pixels: compared exactly".into(),
            ]);
        }
        if let Some(densest) = &m.densest {
            rows.push(vec![
                "densest window".into(),
                format!("{} mismatching pixels in {}", densest.pixels, densest.rect),
            ]);
            rows.push(vec!["clusters".into(), m.clusters.total.to_string()]);
        }
        for (i, cluster) in m.clusters.largest.iter().take(5).enumerate() {
            rows.push(vec![
                format!("  cluster {}", i + 1),
                format!(
                    "{} pixels in {}, by up to {}",
                    cluster.pixels, cluster.rect, cluster.max_difference
                ),
            ]);
        }
        if let Some(flip) = &m.flip {
            rows.push(vec![
                "FLIP".into(),
                format!("mean {:.6}, 99th percentile {:.6}", flip.mean, flip.p99),
            ]);
        }
        for used in &comparison.masks {
            rows.push(vec![
                format!("mask {}", used.mask.name),
                format!("{} pixels of {}", used.pixels, used.mask.rect),
            ]);
        }
    } else {
        rows.push(vec!["other size".into(), comparison.right.to_string()]);
    }
    let rows = rows
        .into_iter()
        .map(|row| row.into_iter().map(Cell::new).collect())
        .collect();
    out.table(&["measure", "value"], rows)?;
    if row.verdict.pass {
        let equal = comparison
            .measures
            .as_ref()
            .is_some_and(|m| m.differing == 0);
        out.line(if equal { "equal" } else { "within the limits" })?;
    }
    for failure in &row.verdict.failures {
        out.line(format_args!("FAIL: {failure}"))?;
    }
    Ok(())
}

fn show_folder(out: &mut Output, batch: &Batch) -> Result<(), Failure> {
    let rows = batch
        .images
        .iter()
        .map(|row| {
            let verdict = verdict_cell(out, row);
            let Some(m) = &row.comparison.measures else {
                let sizes = format!("{} and {}", row.comparison.left, row.comparison.right);
                return vec![Cell::new(&row.name), verdict, Cell::new(sizes)];
            };
            let lowest = m.ssim.as_ref().map(|s| s.lowest());
            let score = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:.6}"));
            vec![
                Cell::new(&row.name),
                verdict,
                Cell::new(m.mismatching),
                Cell::new(m.max_difference),
                Cell::new(score(lowest.map(|l| l.mean))),
                Cell::new(score(lowest.map(|l| l.worst.mean))),
                Cell::new(psnr(m.psnr_db)),
            ]
        })
        .collect();
    let header = [
        "image",
        "",
        "pixels",
        "largest",
        "SSIM",
        "worst tile",
        "PSNR",
    ];
    out.table(&header, rows)?;
    for (names, side) in [(&batch.only_left, "left"), (&batch.only_right, "right")] {
        for name in names {
            out.line(format_args!("FAIL: {name}: only in the {side} folder"))?;
        }
    }
    let failed = batch.images.iter().filter(|row| !row.verdict.pass).count()
        + batch.only_left.len()
        + batch.only_right.len();
    let total = batch.images.len() + batch.only_left.len() + batch.only_right.len();
    let images = if total == 1 { "image" } else { "images" };
    out.line(format_args!("{total} {images}, {failed} failed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_parsed_and_garbage_is_refused() {
        let mask = parse_mask("clock=80x20+700+4").expect("a mask");
        assert_eq!(
            (mask.name.as_str(), mask.rect.to_string().as_str()),
            ("clock", "80x20+700+4")
        );
        for text in [
            "",
            "clock",
            "clock=",
            "=1x1+0+0",
            "a=1x1",
            "a=1x1+0",
            "a=1x1+0+0+0",
            "a=-1x1+0+0",
        ] {
            assert!(parse_mask(text).is_err(), "{text}");
        }
    }
}
