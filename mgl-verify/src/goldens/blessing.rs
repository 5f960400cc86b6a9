//! Blessing: how the images of a golden compare with what the system's own OpenGL shows.
//!
//! A golden image that looks like nobody else's is a golden fault. So an image is compared with the system's image of the
//! same frame when it is taken in, and the figures stay beside it, in `blessing.toml`.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::settings::Settings;
use super::store::{BLESSING, Golden, StoreError};
use crate::image::{Comparison, Image, compare};
use crate::launcher::Launcher;
use crate::replay::image_name;
use crate::source::SystemImages;

/// `blessing.toml`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Blessing {
    /// The figures of images, by folder and file.
    pub image: BTreeMap<String, Figures>,
}

/// How an image compares with the system's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// Mean SSIM of the worst plane; absent where the image is too small for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ssim: Option<f64>,
    /// SSIM of the worst tile of all planes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst_tile: Option<f64>,
    /// Pixels that differ.
    pub differing: u64,
    /// Largest difference of a channel, of 255.
    pub largest: u8,
    /// Renderer and version of the system's OpenGL.
    pub driver: String,
}

impl Figures {
    /// The figures of a comparison; nothing where the sizes differ.
    pub fn of(comparison: &Comparison, driver: &str) -> Option<Self> {
        let measures = comparison.measures.as_ref()?;
        let planes = || measures.ssim.iter().flat_map(|s| s.planes());
        Some(Self {
            ssim: planes().map(|(_, p)| p.mean).min_by(f64::total_cmp),
            worst_tile: planes().map(|(_, p)| p.worst.mean).min_by(f64::total_cmp),
            differing: measures.differing,
            largest: measures.max_difference,
            driver: driver.to_owned(),
        })
    }

    /// In words.
    pub fn in_words(&self) -> String {
        let figure = |v: Option<f64>| v.map_or("none".to_owned(), |v| format!("{v:.4}"));
        format!(
            "against {}: SSIM {}, worst tile {}, {} pixels differ by at most {}",
            self.driver,
            figure(self.ssim),
            figure(self.worst_tile),
            self.differing,
            self.largest
        )
    }
}

/// What blessing an image gave.
#[derive(Clone, Debug, PartialEq)]
pub enum Blessed {
    /// As the system shows it, within the golden's thresholds.
    Like(Figures),
    /// Not as the system shows it: what is beyond the thresholds.
    Unlike(Figures, String),
    /// There is no image of the system, and why.
    Unknown(String),
}

/// Makes the system's images of a golden when the first is asked for.
pub struct Blesser<'b> {
    golden: &'b Golden,
    settings: &'b Settings,
    limit: Duration,
    system: Option<Result<(SystemImages, tempfile::TempDir), String>>,
}

impl<'b> Blesser<'b> {
    pub fn new(golden: &'b Golden, settings: &'b Settings, limit: Duration) -> Self {
        Self {
            golden,
            settings,
            limit,
            system: None,
        }
    }

    fn system(&mut self) -> &Result<(SystemImages, tempfile::TempDir), String> {
        if self.system.is_none() {
            self.system = Some(self.run());
        }
        self.system.as_ref().expect("it was just made")
    }

    fn run(&self) -> Result<(SystemImages, tempfile::TempDir), String> {
        let Some(source) = &self.settings.source else {
            return Err(
                "golden.toml names no source that the system's OpenGL could draw".to_owned(),
            );
        };
        let launcher = Launcher::locate().map_err(|e| e.to_string())?;
        let scratch = tempfile::tempdir().map_err(|e| e.to_string())?;
        let frames: Vec<u64> = self.settings.images.frames.iter().copied().collect();
        let images = source
            .system_images(
                self.golden.folder(),
                &launcher,
                &frames,
                scratch.path(),
                self.limit,
            )
            .map_err(|e| e.to_string())?;
        Ok((images, scratch))
    }

    /// Compares an image with the system's of the same frame.
    pub fn bless(&mut self, frame: u64, image: &Image) -> Blessed {
        let settings = self.settings;
        let (images, _) = match self.system() {
            Ok(system) => system,
            Err(e) => return Blessed::Unknown(e.clone()),
        };
        let Some((_, path)) = images.frames.iter().find(|(f, _)| *f == frame) else {
            return Blessed::Unknown(format!("the system showed no frame {frame}"));
        };
        let driver = format!("{} {}", images.driver.renderer, images.driver.version);
        match Image::load(path) {
            Ok(system) => judge(settings, &system, image, &driver),
            Err(e) => Blessed::Unknown(e.to_string()),
        }
    }
}

fn judge(settings: &Settings, system: &Image, image: &Image, driver: &str) -> Blessed {
    let comparison = compare(system, image, &settings.images.options());
    let verdict = settings.images.thresholds.judge(&comparison);
    match Figures::of(&comparison, driver) {
        Some(figures) if verdict.pass => Blessed::Like(figures),
        Some(figures) => Blessed::Unlike(figures, verdict.in_short()),
        None => Blessed::Unknown(format!(
            "the system shows {}, the golden {}",
            comparison.left, comparison.right
        )),
    }
}

/// Notes the figures of an image, or that it has none.
///
/// # Errors
/// The file cannot be read or written.
pub fn note(
    golden: &Golden,
    folder: &str,
    frame: u64,
    blessed: &Blessed,
) -> Result<(), StoreError> {
    let mut blessing: Blessing = match golden.toml(BLESSING) {
        Err(StoreError::Missing(_)) => Blessing::default(),
        other => other?,
    };
    let key = Path::new(folder).join(image_name(frame));
    let key = key.to_string_lossy().into_owned();
    match blessed {
        Blessed::Like(figures) | Blessed::Unlike(figures, _) => {
            blessing.image.insert(key, figures.clone());
        }
        Blessed::Unknown(_) => {
            blessing.image.remove(&key);
        }
    }
    if blessing.image.is_empty() {
        return golden.remove(BLESSING);
    }
    golden.write_toml(
        BLESSING,
        "How the images compare with what the system's own OpenGL shows. Written by mgl.",
        &blessing,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(f: impl FnMut(u32, u32) -> [u8; 4]) -> Image {
        Image::from_fn(64, 64, f)
    }

    #[test]
    fn an_image_unlike_the_systems_is_not_blessed() {
        let settings = Settings::default();
        let system = picture(|x, y| [x as u8 * 3, y as u8 * 3, 40, 255]);
        let same = judge(&settings, &system, &system.clone(), "Mesa");
        let Blessed::Like(figures) = same else {
            panic!("{same:?}");
        };
        assert_eq!((figures.ssim, figures.differing), (Some(1.0), 0));
        let other = picture(|x, y| [x as u8 * 3, (x ^ y) as u8 * 3, 40, 255]);
        assert!(matches!(
            judge(&settings, &system, &other, "Mesa"),
            Blessed::Unlike(f, why) if f.differing > 0 && why.contains("SSIM")
        ));
        let small = Image::from_fn(32, 64, |_, _| [0; 4]);
        assert!(matches!(
            judge(&settings, &system, &small, "Mesa"),
            Blessed::Unknown(why) if why.contains("32x64")
        ));
    }

    #[test]
    fn figures_stay_beside_the_images() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let golden = Golden::new(dir.path(), "a");
        let figures = Figures {
            ssim: Some(0.99),
            driver: "Mesa".to_owned(),
            ..Figures::default()
        };
        note(&golden, "frames", 3, &Blessed::Like(figures.clone())).expect("written");
        let stored: Blessing = golden.toml(BLESSING).expect("read");
        assert_eq!(stored.image["frames/000003.png"], figures);
        note(&golden, "frames", 3, &Blessed::Unknown("gone".into())).expect("written");
        assert!(matches!(
            golden.toml::<Blessing>(BLESSING),
            Err(StoreError::Missing(_))
        ));
    }

    #[test]
    fn a_golden_without_a_source_has_no_blessing() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let (golden, settings) = (Golden::new(dir.path(), "a"), Settings::default());
        let mut blesser = Blesser::new(&golden, &settings, Duration::from_secs(1));
        let blessed = blesser.bless(1, &picture(|_, _| [0; 4]));
        assert!(matches!(blessed, Blessed::Unknown(why) if why.contains("source")));
    }
}
