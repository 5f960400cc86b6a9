//! Behaviour of the image comparison: early outs, masks, sizes, and every limit going red for its own reason.

use mgl_verify::image::{
    Comparison, Failure, Image, Mask, Measures, Options, Rect, Size, Thresholds, compare, heatmap,
};

/// A picture with structure everywhere.
fn picture(width: u32, height: u32) -> Image {
    Image::from_fn(width, height, |x, y| {
        let wave = ((x as f32 * 0.21).sin() * (y as f32 * 0.17).cos() * 100.0 + 128.0) as u8;
        let mix = (x * 7919 + y * 104_729).wrapping_mul(2_654_435_761) >> 27;
        [wave, wave / 2 + mix as u8, (x + y) as u8, 255]
    })
}

/// The picture with `change` applied to the pixels of `rect`.
fn changed(image: &Image, rect: Rect, change: impl Fn([u8; 4]) -> [u8; 4]) -> Image {
    let width = image.size().width;
    let mut copy = image.clone();
    for y in rect.y..rect.y + rect.height {
        for x in rect.x..rect.x + rect.width {
            let pixel = &mut copy.pixels_mut()[(y * width + x) as usize];
            *pixel = change(*pixel);
        }
    }
    copy
}

fn invert([r, g, b, a]: [u8; 4]) -> [u8; 4] {
    [!r, !g, !b, a]
}

fn rect(x: u32, y: u32, width: u32, height: u32) -> Rect {
    Rect {
        x,
        y,
        width,
        height,
    }
}

fn mask(rect: Rect) -> Options {
    Options {
        masks: vec![Mask {
            name: "clock".into(),
            reason: "shows the time of day".into(),
            rect,
        }],
        ..Options::default()
    }
}

fn measures(comparison: &Comparison) -> &Measures {
    comparison.measures.as_ref().expect("sizes agree")
}

/// SSIM of one pixel and plane by its definition, in f64, every sum afresh.
fn ssim_by_definition(left: &Image, right: &Image, px: i64, py: i64, plane: usize) -> f64 {
    let size = left.size();
    let mirror = |i: i64, n: u32| {
        let n = i64::from(n);
        if i < 0 {
            -1 - i
        } else if i >= n {
            2 * n - 1 - i
        } else {
            i
        }
    };
    let weight = |i: i64| (-(i * i) as f64 / 4.5).exp();
    let total: f64 = (-5..=5).map(weight).sum::<f64>().powi(2);
    let (mut mx, mut my, mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for dy in -5..=5 {
        for dx in -5..=5 {
            let (x, y) = (mirror(px + dx, size.width), mirror(py + dy, size.height));
            let i = (y * i64::from(size.width) + x) as usize;
            let a = f64::from(left.pixels()[i][plane]);
            let b = f64::from(right.pixels()[i][plane]);
            let w = weight(dx) * weight(dy) / total;
            mx += w * a;
            my += w * b;
            xx += w * a * a;
            yy += w * b * b;
            xy += w * a * b;
        }
    }
    let (c1, c2) = (2.55 * 2.55, 7.65 * 7.65);
    let (vx, vy, cov) = (xx - mx * mx, yy - my * my, xy - mx * my);
    (2.0 * mx * my + c1) * (2.0 * cov + c2) / ((mx * mx + my * my + c1) * (vx + vy + c2))
}

/// What is skipped must have been 1: sparse changes at awkward places against the full definition.
#[test]
fn skipping_changes_nothing() {
    let spots = [
        vec![rect(0, 0, 1, 1)],
        vec![rect(68, 0, 1, 45)],
        vec![rect(31, 31, 2, 2), rect(50, 40, 1, 1)],
        vec![rect(20, 12, 5, 1), rect(38, 12, 5, 1)],
        vec![rect(0, 44, 69, 1)],
    ];
    let left = picture(69, 45);
    for rects in spots {
        let right = rects
            .iter()
            .fold(left.clone(), |image, &r| changed(&image, r, invert));
        let comparison = compare(&left, &right, &Options::default());
        let ssim = measures(&comparison).ssim.expect("large enough");
        for (plane, score) in [(0, ssim.red), (1, ssim.green), (2, ssim.blue)] {
            let at = |x, y| ssim_by_definition(&left, &right, x, y, plane);
            let inner = (5..40).flat_map(|y| (5..64).map(move |x| at(x, y)));
            let mean = inner.sum::<f64>() / (59.0 * 35.0);
            assert!(
                (score.mean - mean).abs() < 1e-6,
                "{rects:?}: {score:?}, {mean}"
            );
            let tile = |r: Rect| {
                let (x, y) = (i64::from(r.x), i64::from(r.y));
                let (w, h) = (i64::from(r.width), i64::from(r.height));
                let sum: f64 = (y..y + h)
                    .flat_map(|y| (x..x + w).map(move |x| at(x, y)))
                    .sum();
                sum / (w * h) as f64
            };
            let worst = tile(score.worst.rect);
            assert!(
                (score.worst.mean - worst).abs() < 1e-6,
                "{rects:?}: {score:?}, {worst}"
            );
        }
    }
}

#[test]
fn equal_images_score_exactly_one() {
    let image = picture(100, 70);
    let comparison = compare(&image, &image.clone(), &Options::default());
    let measures = measures(&comparison);
    assert_eq!((measures.pixels, measures.differing), (7000, 0));
    assert_eq!(measures.psnr_db, None);
    assert_eq!(measures.densest, None);
    for (_, plane) in measures.ssim.expect("large enough").planes() {
        assert_eq!((plane.mean, plane.worst.mean), (1.0, 1.0));
    }
    assert!(Thresholds::EXACT.judge(&comparison).pass);
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let left = picture(333, 200);
    let right = changed(&left, rect(40, 3, 250, 190), |[r, g, b, a]| {
        [r ^ 5, g, b ^ 9, a]
    });
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let options = Options {
            flip: true,
            ..Options::default()
        };
        pool.expect("a thread pool")
            .install(|| compare(&left, &right, &options))
    };
    assert_eq!(on(1), on(3));
}

#[test]
fn different_sizes_fail_whatever_the_limits() {
    let comparison = compare(&picture(40, 40), &picture(40, 41), &Options::default());
    assert_eq!(comparison.measures, None);
    let verdict = Thresholds::NONE.judge(&comparison);
    assert!(!verdict.pass);
    let size = |height| Size { width: 40, height };
    assert_eq!(
        verdict.failures,
        [Failure::Sizes {
            left: size(40),
            right: size(41)
        }]
    );
    assert!(heatmap(&picture(40, 40), &picture(40, 41), &Options::default()).is_none());
}

#[test]
fn a_masked_change_passes_and_its_neighbour_does_not() {
    let left = picture(120, 90);
    let clock = rect(50, 30, 20, 10);
    let right = changed(&left, clock, invert);
    let comparison = compare(&left, &right, &mask(clock));
    assert_eq!(comparison.masks[0].pixels, 200);
    assert_eq!(measures(&comparison).pixels, 120 * 90 - 200);
    assert!(Thresholds::EXACT.judge(&comparison).pass);
    let narrower = rect(50, 30, 19, 10);
    let verdict = Thresholds::EXACT.judge(&compare(&left, &right, &mask(narrower)));
    assert_eq!(
        verdict.failures,
        [Failure::Mismatching {
            pixels: 10,
            allowed: 0
        }]
    );
}

/// Masked pixels must not lift the mean of what remains.
#[test]
fn masks_do_not_dilute_the_mean() {
    let left = picture(128, 64);
    let right = changed(&left, rect(0, 0, 64, 64), invert);
    let whole = compare(&left, &right, &Options::default());
    let half = compare(&left, &right, &mask(rect(64, 0, 64, 64)));
    let mean = |c: &Comparison| measures(c).ssim.expect("large enough").luma.mean;
    assert!(
        mean(&half) < mean(&whole) - 0.2,
        "{} {}",
        mean(&half),
        mean(&whole)
    );
}

#[test]
fn a_mask_over_everything_is_no_pass() {
    let image = picture(50, 50);
    for size in [50, 8] {
        let image = if size == 50 {
            image.clone()
        } else {
            picture(size, size)
        };
        let comparison = compare(&image, &image, &mask(rect(0, 0, 50, 50)));
        let verdict = Thresholds::NONE.judge(&comparison);
        assert_eq!(verdict.failures, [Failure::NothingCompared]);
    }
}

#[test]
fn alpha_counts_only_when_asked() {
    let left = picture(40, 40);
    let right = changed(&left, rect(10, 10, 20, 20), |[r, g, b, _]| [r, g, b, 0]);
    assert!(
        Thresholds::EXACT
            .judge(&compare(&left, &right, &Options::default()))
            .pass
    );
    let options = Options {
        alpha: true,
        ..Options::default()
    };
    let comparison = compare(&left, &right, &options);
    let ssim = measures(&comparison).ssim.expect("large enough");
    assert!(ssim.alpha.expect("asked for").mean < 0.9);
    assert_eq!(ssim.luma.mean, 1.0);
    assert!(!Thresholds::default().judge(&comparison).pass);
}

#[test]
fn small_images_are_compared_exactly() {
    for (width, height) in [(10, 40), (40, 10), (1, 1)] {
        let left = picture(width, height);
        let right = changed(&left, rect(0, 0, 1, 1), |[r, g, b, a]| [r ^ 1, g, b, a]);
        let comparison = compare(&left, &right, &Options::default());
        assert_eq!(measures(&comparison).ssim, None);
        let verdict = Thresholds::default().judge(&comparison);
        assert_eq!(verdict.failures, [Failure::SmallImage { differing: 1 }]);
        let equal = compare(&left, &left, &Options::default());
        assert!(Thresholds::default().judge(&equal).pass);
    }
    let eleven = compare(&picture(11, 11), &picture(11, 11), &Options::default());
    assert!(measures(&eleven).ssim.is_some());
}

#[test]
fn empty_images_are_no_pass_and_no_panic() {
    for (width, height) in [(0, 0), (0, 5), (5, 0)] {
        let empty = Image::from_fn(width, height, |_, _| [0; 4]);
        let options = Options {
            flip: true,
            ..Options::default()
        };
        let comparison = compare(&empty, &empty, &options);
        assert_eq!(
            Thresholds::NONE.judge(&comparison).failures,
            [Failure::NothingCompared]
        );
        assert!(heatmap(&empty, &empty, &options).is_some());
    }
}

/// Each limit fails alone, and names what it saw.
#[test]
fn every_limit_goes_red_for_its_own_reason() {
    let left = picture(160, 96);
    let right = changed(&left, rect(130, 40, 12, 12), invert);
    let comparison = compare(&left, &right, &Options::default());
    let only = |thresholds: Thresholds| {
        let failures = thresholds.judge(&comparison).failures;
        let texts: Vec<String> = failures.iter().map(Failure::to_string).collect();
        texts.join("\n")
    };
    let none = Thresholds::NONE;

    assert_eq!(only(none), "");
    let text = only(Thresholds {
        max_mismatching: Some(143),
        ..none
    });
    assert_eq!(text, "144 mismatching pixels, 143 allowed");
    let text = only(Thresholds {
        max_window: Some(143),
        ..none
    });
    assert_eq!(
        text,
        "144 mismatching pixels in window 16x16+126+36, 143 allowed"
    );
    let text = only(Thresholds {
        max_difference: Some(100),
        ..none
    });
    assert!(
        text.starts_with("largest difference 2") && text.ends_with("100 allowed"),
        "{text}"
    );
    let text = only(Thresholds {
        min_ssim: Some(0.99),
        ..none
    });
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(text.starts_with("SSIM of luma is 0.9"), "{text}");
    let text = only(Thresholds {
        min_tile_ssim: Some(0.95),
        ..none
    });
    assert!(
        text.starts_with("SSIM of luma in tile 32x32+128+32 is"),
        "{text}"
    );

    // And each holds where it is met.
    let met = Thresholds {
        max_mismatching: Some(144),
        max_difference: Some(255),
        min_ssim: Some(0.9),
        min_tile_ssim: Some(0.0),
        max_window: Some(144),
    };
    assert_eq!(only(met), "");
}

#[test]
fn options_and_thresholds_read_from_files_refuse_unknown_names() {
    let options: Options = serde_json::from_str(
        r#"{"tolerance": 2, "masks": [{"name": "fps", "reason": "time", "x": 1, "y": 2, "width": 3, "height": 4}]}"#,
    )
    .expect("valid options");
    assert_eq!(options.masks[0].rect, rect(1, 2, 3, 4));
    assert!(serde_json::from_str::<Options>(r#"{"tolerence": 2}"#).is_err());
    assert!(serde_json::from_str::<Thresholds>(r#"{"min_sim": 0.9}"#).is_err());
}
