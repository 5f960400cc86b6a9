//! Which images of a run become the golden's, where `--update` asks for that.
//!
//! An image in `frames` is what several back ends must show. So one that is there is replaced only when every back end
//! that it belongs to was replayed in the same run, and all of them show the new one; what one back end alone shows is
//! left to people: they verify the others as well, give the back end images of its own, or accept the new one for all.
//! An image that nobody has yet changes nothing for anybody: the first back end's is written. Either is compared with the
//! system's OpenGL first.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::blessing::{self, Blessed, Blesser};
use super::case::measures;
use super::settings::Settings;
use super::store::Golden;
use super::verdict::{CaseReport, Verdict};
use crate::image::{Image, compare};
use crate::replay::image_name;

/// What a back end showed of a frame.
#[derive(Clone, Debug)]
pub struct Shown {
    pub backend: &'static str,
    pub frame: u64,
    /// The folder of the golden image that it was compared with, or that it lacks.
    pub folder: String,
    /// The folder that it would be written into: the back end's own, if it has one.
    pub target: String,
    /// Where it is.
    pub image: PathBuf,
    /// It is not as the golden says.
    pub differs: bool,
    /// Name of its check.
    pub what: String,
}

/// An image that waits for a decision: folder, frame, file.
pub type Waiting = (String, u64, PathBuf);

/// The images that differ, one a place: the first back end's.
pub fn waiting(shown: &[Shown]) -> Vec<Waiting> {
    let mut out: BTreeMap<(&str, u64), &Shown> = BTreeMap::new();
    for s in shown.iter().filter(|s| s.differs) {
        out.entry((&s.target, s.frame)).or_insert(s);
    }
    out.into_values()
        .map(|s| (s.target.clone(), s.frame, s.image.clone()))
        .collect()
}

/// Writes the images that may be written, says in the checks what became of each, and gives those that were left.
pub fn update(
    golden: &Golden,
    settings: &Settings,
    mut blesser: Blesser<'_>,
    shown: &[Shown],
    rows: &mut [CaseReport],
) -> Vec<Waiting> {
    let mut left = Vec::new();
    for (folder, frame, image) in waiting(shown) {
        let place = Place {
            golden,
            settings,
            shown,
            folder: &folder,
            frame,
        };
        let (verdict, words, written_for) = match place.write(&image, &mut blesser) {
            Ok((words, backends)) => (Verdict::Updated, words, backends),
            Err((verdict, why)) => {
                left.push((folder.clone(), frame, image));
                (verdict, why, Vec::new())
            }
        };
        let mut waits = verdict != Verdict::Updated;
        for s in place.candidates() {
            let (verdict, words) = match verdict {
                Verdict::Updated if !written_for.contains(&s.backend) => {
                    // One waits; a second one would take its place.
                    if !std::mem::replace(&mut waits, true) {
                        left.push((folder.clone(), frame, s.image.clone()));
                    }
                    let words = "not written, since the back ends differ".to_owned();
                    (Verdict::Fail, words)
                }
                verdict => (verdict, words.clone()),
            };
            let checks = rows.iter_mut().flat_map(|row| &mut row.checks);
            for check in checks.filter(|c| c.what == s.what) {
                if verdict != Verdict::Fail {
                    check.verdict = verdict;
                }
                check.detail = format!("{words}; before: {}", check.detail);
            }
        }
    }
    left
}

/// One golden image, and what was shown for it.
struct Place<'p> {
    golden: &'p Golden,
    settings: &'p Settings,
    shown: &'p [Shown],
    folder: &'p str,
    frame: u64,
}

impl<'p> Place<'p> {
    /// The back ends that show something else, and would be written here.
    fn candidates(&self) -> impl Iterator<Item = &'p Shown> + use<'p> {
        let (folder, frame) = (self.folder, self.frame);
        let fits = move |s: &&Shown| s.differs && s.frame == frame && s.target == folder;
        self.shown.iter().filter(fits)
    }

    fn file(&self, folder: &str) -> PathBuf {
        self.golden.image_path(folder, self.frame)
    }

    /// Writes an image; says how it compares with the system's, and which back ends show it.
    fn write(
        &self,
        image: &std::path::Path,
        blesser: &mut Blesser<'_>,
    ) -> Result<(String, Vec<&'static str>), (Verdict, String)> {
        let error = |e: &dyn std::fmt::Display| (Verdict::Error, e.to_string());
        let image = Image::load(image).map_err(|e| error(&e))?;
        let unlike = |s: &Shown| -> Result<Option<String>, (Verdict, String)> {
            let other = Image::load(&s.image).map_err(|e| error(&e))?;
            let comparison = compare(&image, &other, &self.settings.images.options());
            let verdict = self.settings.images.thresholds.judge(&comparison);
            Ok((!verdict.pass).then(|| measures(&comparison)))
        };
        let mut like = Vec::new();
        // A link that leads nowhere is there too.
        let is_there = std::fs::symlink_metadata(self.file(self.folder)).is_ok();
        if is_there {
            self.all_verified().map_err(|why| (Verdict::Fail, why))?;
            let same = |s: &&Shown| s.frame == self.frame && s.folder == self.folder;
            for s in self.shown.iter().filter(same) {
                if let Some(how) = unlike(s)? {
                    let why = format!(
                        "not written, since the back ends differ: {} is no other's image ({how})",
                        s.backend
                    );
                    return Err((Verdict::Fail, why));
                }
                like.push(s.backend);
            }
        }
        for s in self.candidates() {
            if !like.contains(&s.backend) && unlike(s)?.is_none() {
                like.push(s.backend);
            }
        }
        let blessed = blesser.bless(self.frame, &image);
        let words = match &blessed {
            Blessed::Like(figures) => figures.in_words(),
            Blessed::Unlike(figures, why) => {
                let figures = figures.in_words();
                let why = format!(
                    "not written, since it is not as the system shows it ({why}; {figures})"
                );
                return Err((Verdict::Fail, why));
            }
            Blessed::Unknown(why) => format!("not compared with the system's: {why}"),
        };
        self.golden
            .write_image(self.folder, self.frame, &image)
            .and_then(|()| blessing::note(self.golden, self.folder, self.frame, &blessed))
            .map_err(|e| error(&e))?;
        Ok((format!("written, {words}"), like))
    }

    /// Says which back ends an image that is there belongs to, and that were not replayed.
    fn all_verified(&self) -> Result<(), String> {
        let is_there = |folder: &str| self.file(folder).is_file();
        let missing: Vec<&str> = self
            .settings
            .sharers(self.folder, is_there)
            .into_iter()
            .filter(|b| {
                !self
                    .shown
                    .iter()
                    .any(|s| s.backend == *b && s.frame == self.frame)
            })
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let here: Vec<&str> = self.candidates().map(|s| s.backend).collect();
        let (missing, here) = (missing.join(" and "), here.join(" and "));
        Err(format!(
            "not written, since {missing} has {}/{} too and was not verified: verify with `--backend espryt,magma`, or \
             give {here} images of its own ([[override]])",
            self.folder,
            image_name(self.frame)
        ))
    }
}
