//! [`Thresholds`]: what a comparison must reach, and the [`Verdict`] on it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::compare::{Comparison, Measures};
use super::options::{Rect, Size};

/// Limits that a comparison must keep; an absent limit is not checked.
///
/// The SSIM limits hold for luma and for each channel, since a change of hue can leave luma as it was.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Thresholds {
    /// Most mismatching pixels.
    pub max_mismatching: Option<u64>,
    /// Largest difference of a channel, in steps of 1/255.
    pub max_difference: Option<u8>,
    /// Least mean SSIM of each plane.
    pub min_ssim: Option<f64>,
    /// Least SSIM of each plane's worst tile.
    pub min_tile_ssim: Option<f64>,
    /// Most mismatching pixels in a 16x16 window, of 256.
    pub max_window: Option<u32>,
}

impl Thresholds {
    /// No limits.
    pub const NONE: Self = Self {
        max_mismatching: None,
        max_difference: None,
        min_ssim: None,
        min_tile_ssim: None,
        max_window: None,
    };

    /// No pixel may exceed the tolerance; with a tolerance of 0 the images must be equal.
    pub const EXACT: Self = Self {
        max_mismatching: Some(0),
        ..Self::NONE
    };
}

/// The limits between two drivers that follow the same rules: rounding passes, a lost object does not.
impl Default for Thresholds {
    fn default() -> Self {
        Self {
            min_ssim: Some(0.99),
            min_tile_ssim: Some(0.95),
            ..Self::NONE
        }
    }
}

/// A limit that was not kept.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "check", rename_all = "kebab-case")]
pub enum Failure {
    /// The images are of different sizes.
    Sizes { left: Size, right: Size },
    /// Masks cover the whole image, or it has no pixels.
    NothingCompared,
    /// Too many pixels mismatch.
    Mismatching { pixels: u64, allowed: u64 },
    /// A channel differs by too much.
    Difference { largest: u8, allowed: u8 },
    /// A plane's mean SSIM is too low.
    Ssim {
        plane: &'static str,
        mean: f64,
        required: f64,
    },
    /// A plane's worst tile is too low.
    Tile {
        plane: &'static str,
        mean: f64,
        required: f64,
        rect: Rect,
    },
    /// SSIM is asked for, the image is too small for it, and the pixels are not equal.
    SmallImage { differing: u64 },
    /// Too many mismatching pixels lie together.
    Window {
        pixels: u32,
        allowed: u32,
        rect: Rect,
    },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sizes { left, right } => write!(f, "sizes differ: {left} and {right}"),
            Self::NothingCompared => f.write_str("nothing was compared: no pixel is left unmasked"),
            Self::Mismatching { pixels, allowed } => {
                write!(f, "{pixels} mismatching pixels, {allowed} allowed")
            }
            Self::Difference { largest, allowed } => {
                write!(f, "largest difference {largest}, {allowed} allowed")
            }
            Self::Ssim {
                plane,
                mean,
                required,
            } => write!(f, "SSIM of {plane} is {mean:.6}, {required} required"),
            Self::Tile {
                plane,
                mean,
                required,
                rect,
            } => write!(
                f,
                "SSIM of {plane} in tile {rect} is {mean:.6}, {required} required"
            ),
            Self::SmallImage { differing } => write!(
                f,
                "{differing} pixels differ, none may: the image is too small for SSIM"
            ),
            Self::Window {
                pixels,
                allowed,
                rect,
            } => write!(
                f,
                "{pixels} mismatching pixels in window {rect}, {allowed} allowed"
            ),
        }
    }
}

/// What the thresholds say of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// All limits were kept.
    pub pass: bool,
    /// The limits that were not.
    pub failures: Vec<Failure>,
}

impl Verdict {
    /// The first limit that was not kept, and how many more there are.
    pub fn in_short(&self) -> String {
        match &self.failures[..] {
            [] => "all limits are kept".to_owned(),
            [one] => one.to_string(),
            [first, rest @ ..] => format!("{first} (and {} more limits)", rest.len()),
        }
    }
}

impl Thresholds {
    /// Says when an SSIM that is required is none: no value could fail it, or none reach it.
    ///
    /// # Errors
    /// Which one, in words.
    pub fn check(&self) -> Result<(), String> {
        for (name, value) in [
            ("min_ssim", self.min_ssim),
            ("min_tile_ssim", self.min_tile_ssim),
        ] {
            if let Some(v) = value.filter(|v| !(0.0..=1.0).contains(v)) {
                return Err(format!("{name} = {v} is not from 0 to 1"));
            }
        }
        Ok(())
    }

    /// Checks every limit.
    pub fn judge(&self, comparison: &Comparison) -> Verdict {
        let failures = match &comparison.measures {
            None => vec![Failure::Sizes {
                left: comparison.left,
                right: comparison.right,
            }],
            Some(measures) if measures.pixels == 0 => vec![Failure::NothingCompared],
            Some(measures) => self.failures(measures),
        };
        Verdict {
            pass: failures.is_empty(),
            failures,
        }
    }

    fn failures(&self, measures: &Measures) -> Vec<Failure> {
        let mut failures = Vec::new();
        if let Some(allowed) = self.max_mismatching
            && measures.mismatching > allowed
        {
            failures.push(Failure::Mismatching {
                pixels: measures.mismatching,
                allowed,
            });
        }
        if let Some(allowed) = self.max_difference
            && measures.max_difference > allowed
        {
            failures.push(Failure::Difference {
                largest: measures.max_difference,
                allowed,
            });
        }
        self.similarity_failures(measures, &mut failures);
        if let (Some(allowed), Some(densest)) = (self.max_window, measures.densest)
            && densest.pixels > allowed
        {
            failures.push(Failure::Window {
                pixels: densest.pixels,
                allowed,
                rect: densest.rect,
            });
        }
        failures
    }

    fn similarity_failures(&self, measures: &Measures, failures: &mut Vec<Failure>) {
        if self.min_ssim.is_none() && self.min_tile_ssim.is_none() {
            return;
        }
        let Some(ssim) = &measures.ssim else {
            if measures.differing > 0 {
                failures.push(Failure::SmallImage {
                    differing: measures.differing,
                });
            }
            return;
        };
        for (plane, score) in ssim.planes() {
            // Written so that a value that is no number fails.
            let reaches = |mean: f64, required: f64| mean >= required;
            if let Some(required) = self.min_ssim
                && !reaches(score.mean, required)
            {
                failures.push(Failure::Ssim {
                    plane,
                    mean: score.mean,
                    required,
                });
            }
            if let Some(required) = self.min_tile_ssim
                && !reaches(score.worst.mean, required)
            {
                failures.push(Failure::Tile {
                    plane,
                    mean: score.worst.mean,
                    required,
                    rect: score.worst.rect,
                });
            }
        }
    }
}
