//! The comparisons of a case: what a trace or its replay gives against the golden's files.
//!
//! Nothing is written here.

use std::path::Path;

use mgl_core::trace::TraceFile;

use super::images::Shown;
use super::settings::Settings;
use super::store::{COUNTERS, FRAMES, Golden, SETTINGS, StoreError, UPLOADS};
use super::verdict::{Check, Verdict};
use super::worker::{Replayed, image_path};
use crate::counters::{self, CounterSection, CounterTable};
use crate::difference::Difference;
use crate::image::{Comparison, Image, compare};
use crate::state::{StateDiff, StateLog, capture};
use crate::uploads::{self, ServerUploads, Uploads};

/// Differences that a check keeps; all are counted.
const KEPT: usize = 20;

/// What a run gave for a golden. What was not measured is absent.
#[derive(Default)]
pub struct Given {
    pub state: Option<StateLog>,
    pub uploads: Uploads,
    pub counters: CounterTable,
    /// Images of all back ends.
    pub images: Vec<Shown>,
}

/// The files of a golden that are not as a run gave them; images stand in [`Given::images`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    pub state: bool,
    pub uploads: bool,
    pub counters: bool,
    /// Of the client's side.
    pub pushed_uploads: bool,
    pub pushed_counters: bool,
}

impl Changed {
    /// What is written now, and what waits: all of it is written, but for what the trace pushes where that is `kept`.
    pub fn split(self, kept: bool) -> (Self, Self) {
        if !kept {
            return (self, Self::default());
        }
        let now = Self {
            state: false,
            ..self
        };
        let later = Self {
            state: self.state,
            uploads: self.pushed_uploads,
            counters: self.pushed_counters,
            ..Self::default()
        };
        (now, later)
    }
}

impl Given {
    /// What is written: without what the trace pushes where that is `kept`.
    pub fn written(&self, kept: bool) -> Self {
        let mut written = Self {
            state: self.state.clone(),
            uploads: self.uploads.clone(),
            counters: self.counters.clone(),
            images: Vec::new(),
        };
        if kept {
            (
                written.state,
                written.uploads.client,
                written.counters.client,
            ) = (None, None, None);
        }
        written
    }
}

/// Comparing with one golden.
pub struct Case<'c> {
    pub golden: &'c Golden,
    pub settings: &'c Settings,
    pub name: &'c str,
    /// The front end drew; else what the trace itself pushes is a constant.
    pub live: bool,
    /// Goldens are to be written.
    pub update: bool,
    /// Why what the trace itself pushes is not to be written all the same.
    pub kept: Option<String>,
    pub checks: Vec<Check>,
    pub given: Given,
    pub changed: Changed,
}

impl Case<'_> {
    /// Adds a check of a part of the golden that can be written; says whether the part differs. `pushed`: it is what the
    /// trace itself pushes.
    fn add(&mut self, mut check: Check, pushed: bool) -> bool {
        let differs = !check.verdict.is_good();
        if let Some(why) = self.kept.as_ref().filter(|_| differs && pushed) {
            check.detail = format!("{why}; {}", check.detail);
        } else if differs && self.update {
            check.verdict = Verdict::Updated;
            check.detail = format!("written; before: {}", check.detail);
        }
        self.checks.push(check);
        differs
    }

    /// The verdict on what equals its golden, if it comes from the trace alone.
    fn good(&self) -> Verdict {
        if self.live {
            Verdict::Pass
        } else {
            Verdict::Constant
        }
    }

    /// Compares what a trace pushes: state, and the client's uploads and counters.
    pub fn trace(&mut self, file: &TraceFile) {
        match capture(file) {
            Ok(log) => self.state(log),
            Err(e) => self
                .checks
                .push(Check::new("state", Verdict::Error, e.to_string())),
        }
        match uploads::client(file) {
            Ok(client) => {
                let measured = Uploads {
                    client: Some(client.clone()),
                    ..Uploads::default()
                };
                self.given.uploads.client = Some(client);
                let good = self.good();
                self.uploads("uploads", good, &measured);
            }
            Err(e) => self
                .checks
                .push(Check::new("uploads", Verdict::Error, e.to_string())),
        }
        match counters::client(file) {
            Ok(client) => {
                let measured = CounterTable {
                    client: Some(client.clone()),
                    ..CounterTable::default()
                };
                self.given.counters.client = Some(client);
                let good = self.good();
                self.counters("counters", good, &measured);
            }
            Err(e) => self
                .checks
                .push(Check::new("counters", Verdict::Error, e.to_string())),
        }
    }

    fn state(&mut self, log: StateLog) {
        if log.verb_count() == 0 {
            let detail = "the trace pushes no verb: there is nothing to compare";
            self.checks
                .push(Check::new("state", Verdict::Error, detail));
            return;
        }
        let check = match self.golden.state() {
            Ok(golden) => state_check(golden.diff(&log, KEPT), self.good()),
            Err(e) => unread("state", e),
        };
        self.changed.state = self.add(check, true);
        self.given.state = Some(log);
    }

    fn uploads(&mut self, what: &str, good: Verdict, measured: &Uploads) {
        let golden = read_toml(self.golden, UPLOADS, Uploads::from_toml);
        let check = match golden {
            Ok(golden) => {
                let rows = Uploads::compare(&golden, measured);
                let deltas = Uploads::delta_lines(self.name, &golden, measured);
                differences(what, good, rows, deltas)
            }
            Err(e) => unread(what, e),
        };
        let pushed = measured.client.is_some();
        let differs = self.add(check, pushed);
        self.changed.uploads |= differs && !(pushed && self.kept.is_some());
        self.changed.pushed_uploads |= differs && pushed;
    }

    fn counters(&mut self, what: &str, good: Verdict, measured: &CounterTable) {
        let golden = read_toml(self.golden, COUNTERS, CounterTable::from_toml);
        let check = match golden {
            Ok(golden) => {
                let limits = &self.settings.counters;
                for problem in limits.problems(&golden) {
                    let detail = format!("{SETTINGS}, counters: {problem}");
                    self.checks.push(Check::new(what, Verdict::Error, detail));
                }
                let rows = CounterTable::compare(&golden, measured, limits);
                let deltas = CounterTable::delta_lines(self.name, &golden, measured);
                differences(what, good, rows, deltas)
            }
            Err(e) => unread(what, e),
        };
        let pushed = measured.client.is_some();
        let differs = self.add(check, pushed);
        self.changed.counters |= differs && !(pushed && self.kept.is_some());
        self.changed.pushed_counters |= differs && pushed;
    }

    /// Compares what a replay gave: images, the back end's uploads and counters, replies.
    pub fn replay(&mut self, backend: &'static str, replayed: &Replayed, scratch: &Path) {
        for error in &replayed.errors {
            let check = Check::new(format!("driver {backend}"), Verdict::Fail, error.clone());
            self.checks.push(check);
        }
        self.replies(backend, replayed);
        self.images(backend, replayed, scratch);
        self.server_uploads(backend, replayed);
        self.server_counters(backend, replayed);
    }

    fn replies(&mut self, backend: &str, replayed: &Replayed) {
        let what = format!("replies {backend}");
        let rows: Vec<Difference> = replayed
            .reply_differences
            .iter()
            .map(|(place, call, detail)| Difference {
                place: place.clone(),
                field: call.clone(),
                golden: Some("as recorded".to_owned()),
                actual: Some(detail.clone()),
            })
            .collect();
        if replayed.replies_compared == 0 {
            // A trace without read-backs has nothing to say here.
            return;
        }
        let mut check = differences(&what, Verdict::Pass, rows, Vec::new());
        if check.verdict == Verdict::Pass {
            check.detail = format!("{} equal", replayed.replies_compared);
        }
        self.checks.push(check);
    }

    fn images(&mut self, backend: &'static str, replayed: &Replayed, scratch: &Path) {
        if self.settings.images.frames.is_empty() {
            let detail = format!("{SETTINGS} names no frame: no image was compared");
            let what = format!("images {backend}");
            self.checks.push(Check::new(what, Verdict::Skipped, detail));
        }
        let fitting = self
            .settings
            .overrides
            .iter()
            .find(|o| o.is_for(backend, &replayed.proof.renderer));
        for &frame in &self.settings.images.frames {
            let what = format!("image {frame} {backend}");
            let Some(result) = replayed.frames.iter().find(|f| f.frame == frame) else {
                let detail = format!("the trace has no frame {frame}");
                self.checks.push(Check::new(what, Verdict::Error, detail));
                continue;
            };
            if !result.image {
                let detail = "the back end gave no image";
                self.checks.push(Check::new(what, Verdict::Error, detail));
                continue;
            }
            let image = match Image::load(&image_path(scratch, frame)) {
                Ok(image) => image,
                Err(e) => {
                    self.checks
                        .push(Check::new(what, Verdict::Error, e.to_string()));
                    continue;
                }
            };
            // The override's image first, then the one of all back ends.
            let own = fitting.map(|o| o.folder.as_str());
            let (folder, golden) = match own.map(|f| (f, self.golden.image(f, frame))) {
                Some((f, Ok(image))) => (f, Ok(image)),
                Some((_, Err(StoreError::Missing(_)))) | None => {
                    (FRAMES, self.golden.image(FRAMES, frame))
                }
                Some((f, Err(e))) => (f, Err(e)),
            };
            let chain = own.map(|f| {
                if f == folder {
                    format!(" (of {f})")
                } else {
                    format!(" (of {folder}, as {f} has none)")
                }
            });
            let mut check = match golden {
                Ok(golden) => image_check(&what, self.settings, &golden, &image),
                Err(e) => unread(&what, e),
            };
            check.detail.push_str(&chain.unwrap_or_default());
            self.given.images.push(Shown {
                backend,
                frame,
                folder: folder.to_owned(),
                // A back end with images of its own gets another one of its own.
                target: own.unwrap_or(folder).to_owned(),
                image: image_path(scratch, frame),
                differs: !check.verdict.is_good(),
                what,
            });
            self.checks.push(check);
        }
    }

    fn server_uploads(&mut self, backend: &str, replayed: &Replayed) {
        let Some(client) = self.given.uploads.client.clone() else {
            return;
        };
        let what = format!("uploads {backend}");
        let mut server = ServerUploads::default();
        for frame in &replayed.frames {
            if let Err(e) = server.add_frame(frame.frame, &frame.uploads, &client) {
                self.checks
                    .push(Check::new(what, Verdict::Error, e.to_string()));
                return;
            }
        }
        let mut measured = Uploads::default();
        let Some(place) = measured.server_mut(backend) else {
            return;
        };
        *place = Some(server.clone());
        if let Some(place) = self.given.uploads.server_mut(backend) {
            *place = Some(server);
        }
        self.uploads(&what, Verdict::Pass, &measured);
    }

    fn server_counters(&mut self, backend: &str, replayed: &Replayed) {
        let what = format!("counters {backend}");
        let mut server = CounterSection::default();
        for frame in &replayed.frames {
            server.add_frame(frame.whole, &frame.native);
        }
        let mut measured = CounterTable::default();
        let Some(place) = measured.server_mut(backend) else {
            return;
        };
        *place = Some(server.clone());
        if let Some(place) = self.given.counters.server_mut(backend) {
            *place = Some(server);
        }
        self.counters(&what, Verdict::Pass, &measured);
    }
}

/// Reads a file of TOML by its own reader.
pub fn read_toml<T, E: std::fmt::Display>(
    golden: &Golden,
    name: &str,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> Result<T, StoreError> {
    let text = golden.text(name)?;
    parse(&text).map_err(|e| StoreError::Content {
        path: golden.folder().join(name),
        problem: e.to_string(),
    })
}

/// The check of a golden's file that cannot be read.
fn unread(what: &str, error: StoreError) -> Check {
    let verdict = match error {
        StoreError::Missing(_) => Verdict::Missing,
        StoreError::Pointer(_) => Verdict::Pointer,
        StoreError::Io { .. } | StoreError::Content { .. } | StoreError::Image(_) => Verdict::Error,
    };
    Check::new(what, verdict, error.to_string())
}

fn differences(what: &str, good: Verdict, mut rows: Vec<Difference>, deltas: Vec<String>) -> Check {
    if rows.is_empty() {
        return Check::new(what, good, "equal");
    }
    let count = rows.len();
    let first = &rows[0];
    let detail = format!("{count} differences; first: {}", in_words(first));
    rows.truncate(KEPT);
    Check {
        differences: rows,
        deltas,
        ..Check::new(what, Verdict::Fail, detail)
    }
}

/// A difference in a line.
pub fn in_words(d: &Difference) -> String {
    let value = |v: &Option<String>| v.clone().unwrap_or_else(|| "nothing".to_owned());
    let place = if d.place.is_empty() {
        String::new()
    } else {
        format!("{}, ", d.place)
    };
    format!(
        "{place}{}: {} expected, {} found",
        d.field,
        value(&d.golden),
        value(&d.actual)
    )
}

fn state_check(diff: StateDiff, good: Verdict) -> Check {
    if diff.is_equal() {
        let detail = format!("{} verbs in {} frames equal", diff.verbs, diff.frames);
        return Check::new("state", good, detail);
    }
    let mut parts = Vec::new();
    if let Some(first) = diff.rows.first() {
        let frames = diff.different_frames;
        parts.push(format!(
            "{} differences in {frames} frames; first: {}",
            diff.total,
            in_words(first)
        ));
    }
    for (frames, whose) in [
        (&diff.only_golden, "the golden"),
        (&diff.only_actual, "the run"),
    ] {
        if let (Some(first), Some(last)) = (frames.first(), frames.last()) {
            parts.push(format!("frames {first} to {last} are only in {whose}"));
        }
    }
    let summary = diff.summary.iter().take(KEPT);
    Check {
        deltas: summary
            .map(|f| format!("{}: {} differences", f.field, f.count))
            .collect(),
        differences: diff.rows,
        ..Check::new("state", Verdict::Fail, parts.join("; "))
    }
}

fn image_check(what: &str, settings: &Settings, golden: &Image, actual: &Image) -> Check {
    let hidden = &settings.images.masks;
    if golden == actual && hidden.is_empty() {
        return Check::new(what, Verdict::Pass, "equal pixel for pixel");
    }
    let comparison = compare(golden, actual, &settings.images.options());
    let verdict = settings.images.thresholds.judge(&comparison);
    let mut detail = measures(&comparison);
    for mask in &comparison.masks {
        if mask.pixels == 0 {
            let outside = format!("; mask {} lies outside the image", mask.mask.name);
            detail.push_str(&outside);
        }
    }
    if verdict.pass {
        return Check::new(what, Verdict::Pass, detail);
    }
    let why = verdict.in_short();
    Check::new(what, Verdict::Fail, format!("{why}; {detail}"))
}

/// The measures of a comparison in a line.
pub fn measures(c: &Comparison) -> String {
    let Some(m) = &c.measures else {
        return format!("{} expected, {} found", c.left, c.right);
    };
    let mut parts = vec![format!("{} of {} pixels differ", m.differing, m.pixels)];
    if m.differing > 0 {
        parts.push(format!("by at most {}", m.max_difference));
    }
    if let Some(ssim) = &m.ssim {
        let worst = ssim
            .planes()
            .map(|(_, s)| s)
            .min_by(|a, b| a.worst.mean.total_cmp(&b.worst.mean));
        if let Some(s) = worst {
            parts.push(format!(
                "SSIM {:.4}, worst tile {:.4} at {}",
                s.mean, s.worst.mean, s.worst.rect
            ));
        }
    }
    if let Some(psnr) = m.psnr_db {
        parts.push(format!("PSNR {psnr:.1} dB"));
    }
    parts.join(", ")
}
