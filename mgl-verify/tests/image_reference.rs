//! The image measures against the figures of scikit-image and of FLIP's own evaluator.
//!
//! The pairs, the figures and the script that made both lie in `image_reference/`.

use std::path::{Path, PathBuf};

use mgl_verify::image::{Comparison, Image, Options, Rect, compare};
use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/image_reference")
}

/// Every stored pair: its name, the figures for it and our comparison of it.
fn pairs() -> Vec<(String, Value, Comparison)> {
    let text = std::fs::read_to_string(folder().join("reference.json")).expect("reference.json");
    let stored: Value = serde_json::from_str(&text).expect("valid JSON");
    let options = Options {
        flip: true,
        ..Options::default()
    };
    let pairs = stored["pairs"].as_object().expect("an object of pairs");
    assert!(pairs.len() >= 9, "pairs are missing");
    let load = |name: &str, side: char| {
        Image::load(&folder().join(format!("{name}-{side}.png"))).expect("stored image")
    };
    pairs
        .iter()
        .map(|(name, figures)| {
            let comparison = compare(&load(name, 'a'), &load(name, 'b'), &options);
            (name.clone(), figures.clone(), comparison)
        })
        .collect()
}

#[track_caller]
fn assert_near(what: &str, ours: f64, reference: &Value, tolerance: f64) {
    let reference = reference.as_f64().expect("a number");
    assert!(
        (ours - reference).abs() <= tolerance,
        "{what}: {ours} here, {reference} there"
    );
}

#[test]
fn ssim_agrees_with_scikit_image() {
    for (name, figures, comparison) in pairs() {
        let measures = comparison.measures.expect("sizes agree");
        let ssim = measures.ssim.expect("11 pixels or more");
        for (plane, score) in ssim.planes() {
            let reference = &figures["ssim"][plane];
            let what = format!("{name} {plane}");
            assert_near(&what, score.mean, &reference["mean"], 1e-5);
            assert_near(&what, score.worst.mean, &reference["worst_tile"], 1e-5);
        }
    }
}

#[test]
fn the_worst_tile_is_where_the_object_was_lost() {
    let (_, figures, comparison) = pairs()
        .into_iter()
        .find(|(name, ..)| name == "lost-disc")
        .expect("the pair is stored");
    let measures = comparison.measures.expect("sizes agree");
    let luma = measures.ssim.expect("large enough").luma;
    let reference = &figures["ssim"]["luma"];
    assert_eq!(luma.worst.rect.x, reference["tile_x"]);
    assert_eq!(luma.worst.rect.y, reference["tile_y"]);
    // The mean hides what the tile and the clusters show.
    assert!(luma.mean > 0.98 && luma.worst.mean < 0.9, "{luma:?}");
    assert_eq!(measures.clusters.total, 1);
    let disc = Rect {
        x: 224,
        y: 24,
        width: 13,
        height: 13,
    };
    assert_eq!(measures.clusters.largest[0].rect, disc);
}

#[test]
fn simple_measures_agree() {
    for (name, figures, comparison) in pairs() {
        let measures = comparison.measures.expect("sizes agree");
        let psnr = measures.psnr_db.expect("the images differ");
        assert_near(&name, psnr, &figures["psnr_db"], 1e-9);
        assert_near(
            &name,
            measures.mean_difference,
            &figures["mean_difference"],
            1e-9,
        );
        assert_eq!(figures["max_difference"], measures.max_difference, "{name}");
        assert_eq!(figures["differing"], measures.differing, "{name}");
    }
}

#[test]
fn flip_agrees_with_its_evaluator() {
    for (name, figures, comparison) in pairs() {
        let flip = comparison
            .measures
            .expect("sizes agree")
            .flip
            .expect("asked for");
        assert_near(&name, flip.mean, &figures["flip_mean"], 1e-3);
        assert_near(&name, flip.p99, &figures["flip_p99"], 2e-3);
    }
}

/// A change of hue alone: luma says equal, so luma alone must never decide.
#[test]
fn a_hue_change_is_not_hidden_by_luma() {
    let (.., comparison) = pairs()
        .into_iter()
        .find(|(name, ..)| name == "hue")
        .expect("the pair is stored");
    let ssim = comparison
        .measures
        .as_ref()
        .and_then(|m| m.ssim)
        .expect("large enough");
    assert!(ssim.luma.mean > 0.99 && ssim.red.mean < 0.9, "{ssim:?}");
    let verdict = mgl_verify::image::Thresholds::default().judge(&comparison);
    assert!(!verdict.pass);
}
