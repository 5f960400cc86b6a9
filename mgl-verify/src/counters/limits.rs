//! How far a counter may be from its golden value. Equality is the rule; a golden's settings may allow more, counter by
//! counter.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::table::CounterTable;

/// What golden.toml allows, by counter: `"espryt.state_calls" = { max_percent = 5 }`.
///
/// A key is `SECTION.COUNTER`; `*` stands for any text. Of several keys that match a counter the one without `*` holds,
/// else the longest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CounterLimits(pub BTreeMap<String, CounterLimit>);

/// How far a value may be from the golden one, in either direction: within either of the two that are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CounterLimit {
    /// Percent of the golden value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_percent: Option<f64>,
    /// A number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_difference: Option<u64>,
}

impl CounterLimit {
    /// Whether a value is near enough.
    pub fn allows(&self, golden: u64, actual: u64) -> bool {
        let difference = golden.abs_diff(actual);
        let percent = |percent: f64| difference as f64 <= golden as f64 * percent / 100.0;
        difference == 0
            || self.max_difference.is_some_and(|most| difference <= most)
            || self.max_percent.is_some_and(percent)
    }
}

impl CounterLimits {
    /// The limit of a counter (`espryt.draw_calls`); none means equality.
    pub fn of(&self, counter: &str) -> Option<&CounterLimit> {
        let matching = self.0.iter().filter(|(key, _)| matches(key, counter));
        let rank = |key: &str| (!key.contains('*'), key.len());
        matching.max_by_key(|(key, _)| rank(key)).map(|(_, l)| l)
    }

    /// What is wrong with the limits, in words: values that make no sense, and keys that match no counter of the golden
    /// (a misspelt one would allow nothing, and nobody would see it).
    pub fn problems(&self, golden: &CounterTable) -> Vec<String> {
        let names: Vec<String> = golden
            .sections()
            .into_iter()
            .filter_map(|(section, counters)| Some((section, counters?)))
            .flat_map(|(section, counters)| {
                let names = counters.counters.keys();
                names.map(move |name| format!("{section}.{name}"))
            })
            .collect();
        let mut problems = Vec::new();
        for (key, limit) in &self.0 {
            match limit {
                CounterLimit {
                    max_percent: None,
                    max_difference: None,
                } => problems.push(format!("'{key}' sets no limit")),
                CounterLimit {
                    max_percent: Some(p),
                    ..
                } if !p.is_finite() || *p < 0.0 => {
                    problems.push(format!("'{key}': max_percent = {p} is no share"));
                }
                _ => {}
            }
            if !names.iter().any(|name| matches(key, name)) {
                problems.push(format!("'{key}' matches no counter"));
            }
        }
        problems
    }
}

/// Whether a pattern, in which `*` stands for any text, is the whole name.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    let Some(last) = parts.next_back() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(rows: &[(&str, Option<f64>, Option<u64>)]) -> CounterLimits {
        let row = |&(key, max_percent, max_difference): &(&str, _, _)| {
            let limit = CounterLimit {
                max_percent,
                max_difference,
            };
            (key.to_owned(), limit)
        };
        CounterLimits(rows.iter().map(row).collect())
    }

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, expected) in [
            ("client.records", "client.records", true),
            ("client.record", "client.records", false),
            ("client.*", "client.records", true),
            ("client.*", "espryt.records", false),
            ("*.records", "client.records", true),
            ("*_made", "espryt.textures_made", true),
            ("*_made", "espryt.textures_made_up", false),
            ("e*.t*_made", "espryt.textures_made", true),
            ("e*made*made", "espryt.made", false),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn the_nearest_key_holds() {
        let l = limits(&[
            ("*", Some(1.0), None),
            ("espryt.*", Some(2.0), None),
            ("espryt.draw_calls", None, Some(3)),
        ]);
        assert_eq!(l.of("espryt.draw_calls"), Some(&l.0["espryt.draw_calls"]));
        assert_eq!(l.of("espryt.copy_calls"), Some(&l.0["espryt.*"]));
        assert_eq!(l.of("client.records"), Some(&l.0["*"]));
        assert_eq!(limits(&[]).of("client.records"), None);
    }

    #[test]
    fn limits_hold_in_both_directions() {
        let both = CounterLimit {
            max_percent: Some(10.0),
            max_difference: Some(2),
        };
        for (golden, actual, allowed) in [
            (100, 110, true),
            (100, 90, true),
            (100, 111, false),
            (100, 89, false),
            (5, 7, true),
            (5, 8, false),
            (0, 2, true),
            (0, 3, false),
            (7, 7, true),
        ] {
            assert_eq!(both.allows(golden, actual), allowed, "{golden} {actual}");
        }
        assert!(!CounterLimit::default().allows(1, 2));
        assert!(CounterLimit::default().allows(2, 2));
    }
}
