//! [`Settings`]: `golden.toml`, the part of a golden that people write.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::counters::CounterLimits;
use crate::image::{Mask, Options, Thresholds};
use crate::source::Source;

/// What a golden is made from, and what its comparisons must reach.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// What draws the frames; absent: the trace alone can be verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    pub images: Images,
    /// How far counters may move.
    #[serde(skip_serializing_if = "no_limits")]
    pub counters: CounterLimits,
    /// Other images for a back end or a device.
    #[serde(rename = "override", skip_serializing_if = "Vec::is_empty")]
    pub overrides: Vec<Override>,
}

/// Which frames have images, and how these are compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Images {
    /// Frames.
    pub frames: BTreeSet<u64>,
    /// A pixel mismatches when one of its channels differs by more than this, in steps of 1/255.
    #[serde(skip_serializing_if = "is_zero")]
    pub tolerance: u8,
    /// Compare the alpha channel too.
    #[serde(skip_serializing_if = "is_false")]
    pub alpha: bool,
    pub thresholds: Thresholds,
    /// Parts that are left out.
    #[serde(rename = "mask", skip_serializing_if = "Vec::is_empty")]
    pub masks: Vec<Mask>,
}

fn no_limits(v: &CounterLimits) -> bool {
    v.0.is_empty()
}
fn is_zero(v: &u8) -> bool {
    *v == 0
}
fn is_false(v: &bool) -> bool {
    !v
}

impl Images {
    /// The options of a comparison.
    pub fn options(&self) -> Options {
        Options {
            tolerance: self.tolerance,
            alpha: self.alpha,
            flip: false,
            masks: self.masks.clone(),
        }
    }
}

/// Images of a folder of their own for a back end, or for one of its devices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Override {
    /// The back end.
    pub backend: String,
    /// Part of the device's or the driver's name; absent: every device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// The folder beside `frames`.
    pub folder: String,
    /// Why this back end may show something else.
    pub reason: String,
    /// Where the images come from.
    pub origin: String,
}

impl Override {
    /// Whether it is for a back end on a device.
    pub fn is_for(&self, backend: &str, device: &str) -> bool {
        let device_fits = |part: &String| device.to_lowercase().contains(&part.to_lowercase());
        self.backend == backend && self.device.as_ref().is_none_or(device_fits)
    }
}

/// The frames of a new golden: at most eight, evenly spread over all that follow the first, since what a program never
/// drew is undefined there; the only one of a trace that has no more.
pub fn default_frames(all: std::ops::Range<u64>) -> BTreeSet<u64> {
    const MOST: u64 = 8;
    let start = if all.end > all.start + 1 {
        all.start + 1
    } else {
        all.start
    };
    let count = all.end.saturating_sub(start);
    if count <= MOST {
        return (start..all.end).collect();
    }
    (0..MOST)
        .map(|i| start + i * (count - 1) / (MOST - 1))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_spread_and_leave_out_the_first() {
        let frames = |range| default_frames(range).into_iter().collect::<Vec<_>>();
        assert_eq!(frames(0..1), [0]);
        assert_eq!(frames(0..4), [1, 2, 3]);
        assert_eq!(frames(0..0), [0; 0]);
        let many = frames(0..300);
        assert_eq!((many.len(), many[0], many[7]), (8, 1, 299));
    }

    #[test]
    fn settings_are_written_as_they_are_read() {
        let text = r#"
            [images]
            frames = [1, 5]
            tolerance = 2
            [images.thresholds]
            min_ssim = 0.98
            [[images.mask]]
            name = "clock"
            reason = "it shows the time"
            x = 1
            y = 2
            width = 3
            height = 4
            [[override]]
            backend = "magma"
            device = "llvmpipe"
            folder = "frames-magma"
            reason = "another rule for lines"
            origin = "lavapipe 22.3"
        "#;
        let settings: Settings = toml::from_str(text).expect("good settings");
        assert_eq!(settings.images.masks[0].rect.height, 4);
        assert!(settings.overrides[0].is_for("magma", "LLVMpipe (LLVM 15)"));
        assert!(!settings.overrides[0].is_for("espryt", "llvmpipe"));
        let written = toml::to_string(&settings).expect("serialises");
        assert_eq!(toml::from_str::<Settings>(&written), Ok(settings));
        let error = toml::from_str::<Settings>("[images]\nframe = [1]").expect_err("no such key");
        assert!(error.to_string().contains("frame"), "{error}");
    }
}
