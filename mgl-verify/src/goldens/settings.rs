//! [`Settings`]: `golden.toml`, the part of a golden that people write.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::paths::is_plain;
use super::store::{FRAMES, PENDING};
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

impl Settings {
    /// Says what makes no sense: folders that are not the golden's own, limits that no value can break.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn check(&self) -> Result<(), String> {
        for o in &self.overrides {
            let folder = &o.folder;
            if !is_plain(Path::new(folder)) || [FRAMES, PENDING].contains(&folder.as_str()) {
                return Err(format!(
                    "override: folder '{folder}' is no folder of its own beside {FRAMES}"
                ));
            }
            if !DRAWING.contains(&o.backend.as_str()) {
                return Err(format!("override: there is no back end '{}'", o.backend));
            }
        }
        self.images.thresholds.check()?;
        let empty = |m: &&Mask| m.rect.width == 0 || m.rect.height == 0;
        match self.images.masks.iter().find(empty) {
            Some(mask) => Err(format!("mask '{}' covers nothing", mask.name)),
            None => Ok(()),
        }
    }

    /// The back ends that an image in a folder is the golden image of, on some device.
    pub fn sharers(&self, folder: &str, is_there: impl Fn(&str) -> bool) -> Vec<&'static str> {
        let shares = |backend: &&str| {
            let mut own = self.overrides.iter().filter(|o| o.backend == **backend);
            match folder == FRAMES {
                // Whoever has no image of its own, on every device.
                true => !own.any(|o| o.device.is_none() && is_there(&o.folder)),
                false => own.any(|o| o.folder == folder),
            }
        };
        DRAWING.iter().copied().filter(shares).collect()
    }
}

/// The back ends that draw.
pub const DRAWING: [&str; 2] = ["espryt", "magma"];

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
    fn settings_that_make_no_sense_are_refused() {
        let check = |text: &str| {
            let settings: Settings = toml::from_str(text).map_err(|e| e.to_string())?;
            settings.check()
        };
        let of = |folder: &str| {
            format!(
                "[[override]]\nbackend = 'magma'\nfolder = '{folder}'\nreason = ''\norigin = ''\n"
            )
        };
        assert_eq!(check(&of("frames-magma")), Ok(()));
        for folder in ["/tmp/a", "../a", "a/../../b", "", ".", "frames", "pending"] {
            let error = check(&of(folder)).expect_err(folder);
            assert!(error.contains("folder"), "{error}");
        }
        assert!(check(&of("a").replace("magma", "metal")).is_err());
        for limit in ["nan", "-0.5", "1.5", "inf"] {
            let text = format!("[images.thresholds]\nmin_ssim = {limit}\n");
            assert!(check(&text).is_err(), "{limit}");
        }
        let mask =
            "[[images.mask]]\nname = 'a'\nreason = ''\nx = 0\ny = 0\nwidth = 4\nheight = 4\n";
        assert_eq!(check(mask), Ok(()));
        assert!(check(&format!("{mask}heigth = 5\n")).is_err());
        assert!(check(&mask.replace("width = 4", "width = 0")).is_err());
    }

    #[test]
    fn an_image_is_shared_by_all_that_have_no_other() {
        let settings = |device: &str| -> Settings {
            toml::from_str(&format!(
                "[[override]]\nbackend = 'magma'\n{device}folder = 'own'\nreason = ''\norigin = ''\n"
            ))
            .expect("good settings")
        };
        let all = settings("");
        assert_eq!(all.sharers("frames", |f| f == "own"), ["espryt"]);
        assert_eq!(all.sharers("frames", |_| false), DRAWING);
        assert_eq!(all.sharers("own", |_| true), ["magma"]);
        // On other devices Magma has the shared one.
        let one = settings("device = 'llvmpipe'\n");
        assert_eq!(one.sharers("frames", |_| true), DRAWING);
        assert_eq!(Settings::default().sharers("frames", |_| true), DRAWING);
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
