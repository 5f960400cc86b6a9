//! Reports for other programs: JUnit for CI servers, JSON for scripts, Markdown for comments.

use std::ffi::OsStr;
use std::fmt::Write;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::case::in_words;
use super::verdict::{CaseReport, Check, Report, Verdict};

/// A form of report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Junit,
    Json,
    Markdown,
}

/// A report to be written: `KIND=FILE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub kind: Kind,
    pub path: PathBuf,
}

impl Target {
    /// Reads `KIND=FILE`; a file's name may be no text.
    ///
    /// # Errors
    /// In words: it is of another form.
    pub fn parse(text: &OsStr) -> Result<Self, String> {
        let bytes = text.as_bytes();
        let at = bytes.iter().position(|b| *b == b'=');
        let (kind, path) = at
            .map(|at| (&bytes[..at], OsStr::from_bytes(&bytes[at + 1..])))
            .ok_or_else(|| "not of the form KIND=FILE".to_owned())?;
        let kind = match kind {
            b"junit" => Kind::Junit,
            b"json" => Kind::Json,
            b"md" => Kind::Markdown,
            other => {
                let other = String::from_utf8_lossy(other);
                return Err(format!("'{other}' is no kind of report: junit, json or md"));
            }
        };
        if path.is_empty() {
            return Err("the file's name is missing".to_owned());
        }
        Ok(Self {
            kind,
            path: path.into(),
        })
    }

    /// Writes the report.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, report: &Report) -> io::Result<()> {
        let text = match self.kind {
            Kind::Junit => junit(report),
            Kind::Json => serde_json::to_string_pretty(report)? + "\n",
            Kind::Markdown => markdown(report),
        };
        if let Some(folder) = self.path.parent().filter(|f| *f != Path::new("")) {
            std::fs::create_dir_all(folder)?;
        }
        mgl_core::files::write(&self.path, text.as_bytes())
    }
}

/// JUnit's XML: a suite a case, a test case a check. What was not compared is skipped or an error, never a pass.
pub fn junit(report: &Report) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let (tests, failures, errors, skipped) = counts(report.checks());
    let _ = writeln!(
        out,
        "<testsuites name=\"mgl verify\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" \
         skipped=\"{skipped}\" time=\"{:.3}\">",
        report.seconds
    );
    for case in &report.cases {
        suite(case, &mut out);
    }
    out.push_str("</testsuites>\n");
    out
}

fn counts<'c>(checks: impl Iterator<Item = &'c Check>) -> (usize, usize, usize, usize) {
    let mut n = (0, 0, 0, 0);
    for check in checks {
        n.0 += 1;
        match element(check.verdict) {
            Some("failure") => n.1 += 1,
            Some("error") => n.2 += 1,
            Some(_) => n.3 += 1,
            None => {}
        }
    }
    n
}

/// The element that says what is wrong.
fn element(verdict: Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Pass | Verdict::Constant | Verdict::Updated => None,
        Verdict::Fail | Verdict::Missing | Verdict::Unreferenced => Some("failure"),
        Verdict::Pointer
        | Verdict::Crashed
        | Verdict::TimedOut
        | Verdict::Error
        | Verdict::Environment => Some("error"),
        Verdict::Skipped => Some("skipped"),
    }
}

fn suite(case: &CaseReport, out: &mut String) {
    let (tests, failures, errors, skipped) = counts(case.checks.iter());
    let title = xml(&case.title());
    let _ = writeln!(
        out,
        "  <testsuite name=\"{title}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" \
         skipped=\"{skipped}\" time=\"{:.3}\">",
        case.seconds
    );
    if let Some(p) = &case.proof {
        let _ = writeln!(
            out,
            "    <properties>\n      <property name=\"renderer\" value=\"{}\"/>\n      <property name=\"version\" \
             value=\"{}\"/>\n      <property name=\"trace\" value=\"{}\"/>\n      <property name=\"records\" \
             value=\"{}\"/>\n      <property name=\"frames\" value=\"{}\"/>\n    </properties>",
            xml(&p.renderer),
            xml(&p.version),
            xml(&p.trace),
            p.records,
            p.frames
        );
    }
    for check in &case.checks {
        let _ = write!(
            out,
            "    <testcase classname=\"{title}\" name=\"{}\"",
            xml(&check.what)
        );
        let Some(element) = element(check.verdict) else {
            let _ = writeln!(
                out,
                "><system-out>{}: {}</system-out></testcase>",
                check.verdict.word(),
                xml(&check.detail)
            );
            continue;
        };
        let _ = writeln!(
            out,
            ">\n      <{element} message=\"{}: {}\">",
            check.verdict.word(),
            xml(&check.detail)
        );
        for d in &check.differences {
            let _ = writeln!(out, "{}", xml(&in_words(d)));
        }
        for d in &check.deltas {
            let _ = writeln!(out, "{}", xml(d));
        }
        let _ = writeln!(out, "      </{element}>\n    </testcase>");
    }
    out.push_str("  </testsuite>\n");
}

/// Text for XML: markup escaped, characters that XML does not have replaced.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// A table of the cases, and what is wrong with each.
pub fn markdown(report: &Report) -> String {
    let mut out = String::from("| golden | back end | result | checks |\n|---|---|---|---|\n");
    for case in &report.cases {
        let bad: Vec<&Check> = case
            .checks
            .iter()
            .filter(|c| !c.verdict.is_good())
            .collect();
        let word = match (case.is_good(), bad.first()) {
            (true, _) => "pass",
            (false, Some(check)) => check.verdict.word(),
            (false, None) => "nothing was checked",
        };
        let _ = writeln!(
            out,
            "| {} | {} | {word} | {} of {} |",
            cell(&case.name),
            case.backend.as_deref().unwrap_or("all"),
            case.checks.len() - bad.len(),
            case.checks.len()
        );
    }
    for case in report.cases.iter().filter(|c| !c.is_good()) {
        let _ = writeln!(out, "\n**{}**\n", cell(&case.title()));
        for check in case.checks.iter().filter(|c| !c.verdict.is_good()) {
            let word = check.verdict.word();
            let _ = writeln!(out, "- {} {word}: {}", check.what, cell(&check.detail));
            for delta in &check.deltas {
                let _ = writeln!(out, "  - `{delta}`");
            }
        }
    }
    out
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::difference::Difference;

    fn report() -> Report {
        let mut failed = Check::new("image 3 espryt", Verdict::Fail, "SSIM 0.5 < 0.9 & worse");
        failed.differences.push(Difference {
            place: "3:4 DrawVbo".into(),
            field: "RenderState.\"x\"".into(),
            golden: None,
            actual: Some("1".into()),
        });
        Report {
            live: false,
            pass: false,
            cases: vec![CaseReport {
                name: "a|b".into(),
                backend: Some("espryt".into()),
                proof: Some(Default::default()),
                checks: vec![
                    Check::new("state", Verdict::Constant, "equal"),
                    failed,
                    Check::new("x", Verdict::Skipped, "why"),
                    Check::new("y", Verdict::Crashed, "signal 11"),
                ],
                seconds: 1.0,
            }],
            pending: Vec::new(),
            seconds: 1.0,
        }
    }

    #[test]
    fn junit_counts_what_is_wrong_and_escapes_it() {
        let text = junit(&report());
        assert!(
            text.contains("tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\""),
            "{text}"
        );
        assert!(text.contains("SSIM 0.5 &lt; 0.9 &amp; worse"), "{text}");
        assert!(text.contains("RenderState.&quot;x&quot;"), "{text}");
        assert!(text.contains("constant: equal"), "{text}");
    }

    #[test]
    fn markdown_shows_the_first_thing_that_is_wrong() {
        let text = markdown(&report());
        assert!(
            text.contains("| a\\|b | espryt | FAIL | 1 of 4 |"),
            "{text}"
        );
        assert!(text.contains("- y CRASHED: signal 11"), "{text}");
    }

    #[test]
    fn targets_are_kind_and_file() {
        let target: Target = Target::parse("junit=out/a.xml".as_ref()).expect("good");
        assert_eq!(
            (target.kind, target.path),
            (Kind::Junit, "out/a.xml".into())
        );
        for wrong in ["junit", "pdf=a", "md="] {
            assert!(Target::parse(wrong.as_ref()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_case_that_checked_nothing_is_not_good() {
        let case = CaseReport {
            name: "a".into(),
            backend: None,
            proof: None,
            checks: Vec::new(),
            seconds: 0.0,
        };
        assert!(!case.is_good());
    }
}
