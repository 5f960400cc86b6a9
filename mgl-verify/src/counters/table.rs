//! counters.toml: a line a counter, with total and largest frame.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::limits::CounterLimits;
use crate::difference::Difference;
use crate::toml_text::{TomlError, delta, entry, parse};

const HEAD: &str = "\
# What the trace costs: the total of each counter, its largest whole frame (peak), and what follows the last Present
# (partial). Written by `mgl verify --update`.
";

/// One counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CounterValue {
    /// Over all frames, the partial one included.
    pub total: u64,
    /// Largest value of a whole frame; 0 without one.
    pub peak: u64,
    /// Counted after the last Present; absent where nothing follows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<u64>,
}

/// The counters of the client or of a back end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CounterSection {
    /// Whole frames: those that a Present ended.
    pub frames: u64,
    /// By name.
    pub counters: BTreeMap<String, CounterValue>,
}

impl CounterSection {
    /// Takes in what was counted in a frame; `whole` is false for what follows the last Present.
    pub fn add_frame(&mut self, whole: bool, counted: &[(impl AsRef<str>, u64)]) {
        self.frames += u64::from(whole);
        for (name, n) in counted {
            let (name, n) = (name.as_ref(), *n);
            if !self.counters.contains_key(name) {
                self.counters
                    .insert(name.to_owned(), CounterValue::default());
            }
            let Some(value) = self.counters.get_mut(name) else {
                continue;
            };
            value.total += n;
            if whole {
                value.peak = value.peak.max(n);
            } else {
                *value.partial.get_or_insert(0) += n;
            }
        }
    }
}

/// counters.toml. A section that is not there was not measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CounterTable {
    /// What the pipe counts.
    pub client: Option<CounterSection>,
    /// What Espryt counts.
    pub espryt: Option<CounterSection>,
    /// What Magma counts.
    pub magma: Option<CounterSection>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sections {
    client: Option<Section>,
    espryt: Option<Section>,
    magma: Option<Section>,
}

/// A section as the file has it: `frames`, and a counter a line.
struct Section {
    frames: u64,
    counters: BTreeMap<String, CounterValue>,
}

/// By hand, because a collecting derive loses the lines of errors.
impl<'de> Deserialize<'de> for Section {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Rows;
        impl<'de> Visitor<'de> for Rows {
            type Value = Section;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of counters")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Section, A::Error> {
                let (mut frames, mut counters) = (None, BTreeMap::new());
                while let Some(name) = map.next_key::<String>()? {
                    if name == "frames" {
                        frames = Some(map.next_value()?);
                    } else {
                        counters.insert(name, map.next_value()?);
                    }
                }
                Ok(Section {
                    frames: frames.ok_or_else(|| A::Error::missing_field("frames"))?,
                    counters,
                })
            }
        }
        deserializer.deserialize_map(Rows)
    }
}

impl From<Section> for CounterSection {
    fn from(section: Section) -> Self {
        let Section { frames, counters } = section;
        Self { frames, counters }
    }
}

impl CounterTable {
    /// All sections, by name.
    pub fn sections(&self) -> [(&'static str, Option<&CounterSection>); 3] {
        [
            ("client", self.client.as_ref()),
            ("espryt", self.espryt.as_ref()),
            ("magma", self.magma.as_ref()),
        ]
    }

    /// The place of a back end's section; none for back ends that count nothing.
    pub fn server_mut(&mut self, back_end: &str) -> Option<&mut Option<CounterSection>> {
        match back_end {
            "espryt" => Some(&mut self.espryt),
            "magma" => Some(&mut self.magma),
            _ => None,
        }
    }

    /// The file's text; the same counters have the same text.
    pub fn to_toml(&self) -> String {
        let mut out = HEAD.to_owned();
        for (name, section) in self.sections() {
            let Some(section) = section else { continue };
            let _ = writeln!(out, "\n[{name}]");
            entry(&mut out, "frames", &section.frames);
            for (name, value) in &section.counters {
                entry(&mut out, name, value);
            }
        }
        out
    }

    /// Reads a file's text.
    ///
    /// # Errors
    /// It is not of this form; the error names line or place.
    pub fn from_toml(text: &str) -> Result<Self, TomlError> {
        let Sections {
            client,
            espryt,
            magma,
        } = parse(text)?;
        let table = Self {
            client: client.map(Into::into),
            espryt: espryt.map(Into::into),
            magma: magma.map(Into::into),
        };
        for (section, counters) in table.sections() {
            let Some(counters) = counters else { continue };
            for (name, value) in &counters.counters {
                if value.peak > value.total || value.partial > Some(value.total) {
                    return Err(TomlError::value(
                        format!("{section}.{name}"),
                        "a part is more than the total",
                    ));
                }
            }
        }
        Ok(table)
    }

    /// What differs by more than is allowed; places are empty, since counters are of the whole file. Sections that
    /// `actual` lacks were not measured and are not compared; one that only `actual` has is a difference.
    pub fn compare(golden: &Self, actual: &Self, limits: &CounterLimits) -> Vec<Difference> {
        let mut found = Vec::new();
        let mut add = |field: String, golden: Option<String>, actual: Option<String>| {
            found.push(Difference {
                place: String::new(),
                field,
                golden,
                actual,
            });
        };
        for ((section, golden), (_, actual)) in golden.sections().into_iter().zip(actual.sections())
        {
            let Some(actual) = actual else { continue };
            let Some(golden) = golden else {
                let all = format!("{} counters", actual.counters.len());
                add(section.to_owned(), None, Some(all));
                continue;
            };
            if golden.frames != actual.frames {
                let (g, a) = (golden.frames.to_string(), actual.frames.to_string());
                add(format!("{section}.frames"), Some(g), Some(a));
            }
            for name in names(golden, actual) {
                let counter = format!("{section}.{name}");
                let (g, a) = (golden.counters.get(name), actual.counters.get(name));
                let (Some(g), Some(a)) = (g, a) else {
                    let total = |v: &CounterValue| format!("{} in total", v.total);
                    add(counter, g.map(total), a.map(total));
                    continue;
                };
                let limit = limits.of(&counter).copied().unwrap_or_default();
                let CounterValue {
                    total,
                    peak,
                    partial,
                } = *g;
                for (part, g, a) in [
                    ("total", Some(total), Some(a.total)),
                    ("peak", Some(peak), Some(a.peak)),
                    ("partial", partial, a.partial),
                ] {
                    let near = match (g, a) {
                        (Some(g), Some(a)) => limit.allows(g, a),
                        (g, a) => g == a,
                    };
                    if !near {
                        let text = |v: Option<u64>| v.map(|v| v.to_string());
                        add(format!("{counter}.{part}"), text(g), text(a));
                    }
                }
            }
        }
        found
    }

    /// The changes of the totals, as lines for a pull request: one a section in which something changed. `case` is what
    /// they are changes of.
    pub fn delta_lines(case: &str, golden: &Self, actual: &Self) -> Vec<String> {
        let mut lines = Vec::new();
        for ((section, golden), (_, actual)) in golden.sections().into_iter().zip(actual.sections())
        {
            let (Some(golden), Some(actual)) = (golden, actual) else {
                continue;
            };
            let mut parts = Vec::new();
            for name in names(golden, actual) {
                match (golden.counters.get(name), actual.counters.get(name)) {
                    (Some(g), Some(a)) if g.total != a.total => {
                        parts.push(delta(name, g.total, a.total, ""));
                    }
                    (Some(_), None) => parts.push(format!("{name} is gone")),
                    (None, Some(a)) => parts.push(format!("{name} is new [{}]", a.total)),
                    _ => {}
                }
            }
            if !parts.is_empty() {
                lines.push(format!("{case}  {section}: {}", parts.join("  ")));
            }
        }
        lines
    }
}

/// The counters of both, sorted.
fn names<'c>(golden: &'c CounterSection, actual: &'c CounterSection) -> BTreeSet<&'c str> {
    let all = golden.counters.keys().chain(actual.counters.keys());
    all.map(String::as_str).collect()
}
