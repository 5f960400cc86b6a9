//! The text of golden files: tables whose rows are one line each, so that a change of a golden reads well as a diff.

use std::fmt::Write;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Why a golden file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TomlError {
    /// Not TOML, or not of this form.
    #[error("line {line}: {problem}")]
    Form {
        /// Counted from 1.
        line: usize,
        problem: String,
    },
    /// A value that cannot be.
    #[error("{place}: {problem}")]
    Value {
        /// Path of the value, as `client.uploads[3].frames`.
        place: String,
        problem: String,
    },
}

impl TomlError {
    pub(crate) fn value(place: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Value {
            place: place.into(),
            problem: problem.into(),
        }
    }
}

/// Reads a whole file.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, TomlError> {
    toml::from_str(text).map_err(|e| {
        let start = e.span().map_or(0, |s| s.start.min(text.len()));
        let before = text.as_bytes().get(..start).unwrap_or_default();
        TomlError::Form {
            line: 1 + before.iter().filter(|b| **b == b'\n').count(),
            problem: e.message().to_owned(),
        }
    })
}

/// A value on one line.
pub(crate) fn inline<T: Serialize>(value: &T) -> String {
    let mut text = String::new();
    value
        .serialize(toml::ser::ValueSerializer::new(&mut text))
        .expect("rows hold numbers, texts, and lists of them");
    text
}

/// Appends `name = value`.
pub(crate) fn entry<T: Serialize>(out: &mut String, name: &str, value: &T) {
    let _ = writeln!(out, "{name} = {}", inline(value));
}

/// Appends a list with a row a line; nothing for none.
pub(crate) fn rows<T: Serialize>(out: &mut String, name: &str, rows: &[T]) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(out, "{name} = [");
    for row in rows {
        let _ = writeln!(out, "    {},", inline(row));
    }
    out.push_str("]\n");
}

/// How a total changed, as pull requests show it: `uploads -23 [43 -> 20]`, or `uploads +0` where it did not.
pub(crate) fn delta(name: &str, golden: u64, actual: u64, unit: &str) -> String {
    let change = i128::from(actual) - i128::from(golden);
    match change {
        0 => format!("{name} +0{unit}"),
        _ => format!("{name} {change:+}{unit} [{golden}{unit} -> {actual}{unit}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Row {
        name: &'static str,
        list: Vec<u32>,
        absent: Option<u32>,
    }

    #[test]
    fn rows_are_one_line_each_in_the_order_of_their_fields() {
        let mut text = String::new();
        let row = |name| Row {
            name,
            list: vec![2, 1],
            absent: None,
        };
        rows(&mut text, "rows", &[row("b"), row("a \"quoted\"")]);
        rows::<Row>(&mut text, "none", &[]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        assert_eq!(lines[1], "    { name = \"b\", list = [2, 1] },");
        let back: toml::Table = toml::from_str(&text).expect("TOML");
        assert_eq!(back["rows"][1]["name"].as_str(), Some("a \"quoted\""));
    }

    #[test]
    fn deltas_have_a_sign_and_both_values() {
        assert_eq!(delta("uploads", 43, 20, ""), "uploads -23 [43 -> 20]");
        assert_eq!(delta("box bytes", 7, 7, " B"), "box bytes +0 B");
        assert_eq!(
            delta("jobs", 0, u64::MAX, ""),
            format!("jobs +{0} [0 -> {0}]", u64::MAX)
        );
    }

    #[test]
    fn errors_name_the_line() {
        let error = parse::<toml::Table>("a = 1\nb = \n").expect_err("no value");
        assert!(
            matches!(error, TomlError::Form { line: 2, .. }),
            "{error:?}"
        );
    }
}
