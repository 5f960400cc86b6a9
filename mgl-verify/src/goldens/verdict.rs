//! What verifying found: [`Check`]s of [`CaseReport`]s, each with a [`Verdict`].

use serde::Serialize;

use crate::difference::Difference;

/// The result of one comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It was compared and is as it should be.
    Pass,
    /// It is as it should be and could not have changed in this run: a constant of the trace file.
    Constant,
    /// A golden was written, as `--update` asked for.
    Updated,
    /// It differs.
    Fail,
    /// There is no golden.
    Missing,
    /// There is a golden and nothing that it belongs to.
    Unreferenced,
    /// The golden's file is a pointer of a large-file store.
    Pointer,
    /// It was not run.
    Skipped,
    /// The replay ended by a signal.
    Crashed,
    /// The replay took longer than it may.
    TimedOut,
    /// It could not be run: the trace, the golden or the program is at fault.
    Error,
    /// It could not be run: this machine lacks something.
    Environment,
}

impl Verdict {
    /// Whether nothing is wrong.
    pub fn is_good(self) -> bool {
        matches!(self, Self::Pass | Self::Constant | Self::Updated)
    }

    /// The word that results show.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Constant => "constant",
            Self::Updated => "updated",
            Self::Fail => "FAIL",
            Self::Missing => "MISSING",
            Self::Unreferenced => "UNREFERENCED",
            Self::Pointer => "POINTER",
            Self::Skipped => "SKIPPED",
            Self::Crashed => "CRASHED",
            Self::TimedOut => "TIMED OUT",
            Self::Error => "ERROR",
            Self::Environment => "ENVIRONMENT",
        }
    }
}

/// One comparison of a case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// What was compared: `state`, `image 12`, `uploads`, `uploads espryt`, `counters`, `replies`, `replay`.
    pub what: String,
    pub verdict: Verdict,
    /// In a few words: measures, what is wrong, what to do.
    pub detail: String,
    /// The first of the differences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
    /// Changes that can be pasted into a description of what was changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deltas: Vec<String>,
}

impl Check {
    /// A check without differences.
    pub fn new(what: impl Into<String>, verdict: Verdict, detail: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            verdict,
            detail: detail.into(),
            differences: Vec::new(),
            deltas: Vec::new(),
        }
    }
}

/// What ran. Nothing in it is ever made up: what is not known is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, serde::Deserialize)]
pub struct Proof {
    /// Device or renderer, as the driver names it.
    pub renderer: String,
    /// The driver's version.
    pub version: String,
    /// xxh3-128 of the trace file that was replayed.
    pub trace: String,
    pub records: u64,
    pub frames: u64,
}

/// A golden with one back end, or the part of it that is the same for all of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CaseReport {
    /// Name of the golden.
    pub name: String,
    /// The back end; absent for what does not depend on it.
    pub backend: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    pub checks: Vec<Check>,
    /// Seconds that it took.
    pub seconds: f64,
}

impl CaseReport {
    /// Whether nothing is wrong. A case that checked nothing is wrong.
    pub fn is_good(&self) -> bool {
        !self.checks.is_empty() && self.checks.iter().all(|c| c.verdict.is_good())
    }

    /// Name and back end.
    pub fn title(&self) -> String {
        match &self.backend {
            Some(backend) => format!("{} on {backend}", self.name),
            None => self.name.clone(),
        }
    }
}

/// Everything that verifying found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Whether the front end drew, or stored traces were replayed.
    pub live: bool,
    pub pass: bool,
    pub cases: Vec<CaseReport>,
    /// Goldens for which something is pending now.
    pub pending: Vec<String>,
    pub seconds: f64,
}

impl Report {
    /// All checks.
    pub fn checks(&self) -> impl Iterator<Item = &Check> {
        self.cases.iter().flat_map(|c| &c.checks)
    }

    /// How many checks have a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.checks().filter(|c| c.verdict == verdict).count()
    }

    /// Whether all that is wrong is that this machine lacks something.
    pub fn is_environment(&self) -> bool {
        let mut bad = self.checks().filter(|c| !c.verdict.is_good()).peekable();
        bad.peek().is_some() && bad.all(|c| c.verdict == Verdict::Environment)
    }
}
