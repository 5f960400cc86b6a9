//! Compares two [`StateLog`]s: verb by verb, field by field.
//!
//! Frames are cut into steps, a verb each; equal steps anchor the rest, so that one inserted draw is one difference. What
//! lies between two anchors is paired by the kind of verb. Calls on objects are compared between the verbs that both have. Handles are compared up to renaming: the first pair that is met
//! holds from then on. A difference of a group is reported at the first verb that sees it, and again only when one of the
//! two values changes.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use mgl_core::trace::align::gaps;
use serde::Serialize;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::defaults::{LeftOut, without_indices};
use super::log::{Frame, Id, StateLog, Step, StoredLeaf};
use crate::difference::Difference;

/// How often a field differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldCount {
    /// The field, indices taken out.
    pub field: String,
    pub count: u64,
}

/// All differences of two logs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StateDiff {
    /// Frames that both have.
    pub frames: u64,
    /// Those that differ.
    pub different_frames: u64,
    /// Verbs of the golden.
    pub verbs: u64,
    /// Frames that the golden alone has.
    pub only_golden: Vec<u64>,
    /// Frames that the run alone has.
    pub only_actual: Vec<u64>,
    /// Differences.
    pub total: u64,
    /// The first of them, in order.
    pub rows: Vec<Difference>,
    /// The fields, most frequent first.
    pub summary: Vec<FieldCount>,
}

impl StateDiff {
    /// Whether nothing differs.
    pub fn is_equal(&self) -> bool {
        self.total == 0 && self.only_golden.is_empty() && self.only_actual.is_empty()
    }
}

impl StateLog {
    /// What is different in `actual`, this being the golden. At most `limit` rows are kept; all are counted.
    pub fn diff(&self, actual: &Self, limit: usize) -> StateDiff {
        let mut out = StateDiff {
            verbs: self.verb_count() as u64,
            ..StateDiff::default()
        };
        if self == actual {
            out.frames = self.frames.len() as u64;
            return out;
        }
        let mut c = Comparison {
            sides: [Side::new(self, actual), Side::new(actual, self)],
            renamed: HashMap::new(),
            taken: HashSet::new(),
            equal: HashSet::new(),
            reported: HashSet::new(),
            limit,
            fields: BTreeMap::new(),
            out,
        };
        c.run();
        let mut out = c.out;
        out.summary = c
            .fields
            .into_iter()
            .map(|(field, count)| FieldCount { field, count })
            .collect();
        out.summary
            .sort_by(|a, b| (b.count, &a.field).cmp(&(a.count, &b.field)));
        out
    }
}

/// One log while it is walked.
struct Side<'l> {
    log: &'l StateLog,
    /// Rows that say nothing beside the other log.
    left_out: LeftOut,
    /// Digest of every value, and whether it names objects.
    digests: Vec<(u64, bool)>,
    /// The groups of every context as they are now, by name.
    contexts: HashMap<Id, BTreeMap<&'l str, Id>>,
}

/// A step with the whole state of its context.
struct Seen<'l> {
    step: &'l Step,
    ordinal: usize,
    groups: BTreeMap<&'l str, Id>,
    /// Of the verb and the state, calls on objects left out.
    digest: u64,
    /// Of the verb alone: for steps whose state differs.
    kind: u64,
}

impl<'l> Side<'l> {
    fn new(log: &'l StateLog, other: &StateLog) -> Self {
        let left_out = LeftOut::beside(log, other);
        Self {
            log,
            digests: log.digests(&left_out),
            left_out,
            contexts: HashMap::new(),
        }
    }

    /// The steps of a frame.
    fn steps(&mut self, frame: &'l Frame) -> Vec<Seen<'l>> {
        let steps = frame.steps.iter().enumerate();
        steps.map(|(i, step)| self.step(i, step)).collect()
    }

    fn step(&mut self, ordinal: usize, step: &'l Step) -> Seen<'l> {
        let groups = self.contexts.entry(step.context).or_default();
        for &(name, value) in &step.groups {
            groups.insert(self.log.text(name), value);
        }
        let mut h = Xxh3::new();
        let mut add = |name: &str, value: Id| {
            h.update(name.as_bytes());
            h.update(&self.digests[value as usize].0.to_le_bytes());
        };
        add(self.log.text(step.verb), step.call);
        for (name, value) in groups.iter() {
            add(name, *value);
        }
        Seen {
            step,
            ordinal,
            groups: groups.clone(),
            digest: h.digest(),
            kind: xxh3_64(self.log.text(step.verb).as_bytes()),
        }
    }
}

/// The steps that belong together, in order: equal ones first, then, between these, those of one kind.
fn pairs(l: &[Seen<'_>], r: &[Seen<'_>]) -> Vec<(usize, usize)> {
    let digests = |steps: &[Seen<'_>]| -> Vec<u64> { steps.iter().map(|s| s.digest).collect() };
    let kinds = |steps: &[Seen<'_>]| -> Vec<u64> { steps.iter().map(|s| s.kind).collect() };
    let mut out = Vec::new();
    for_equal(
        &digests(l),
        &digests(r),
        &mut |between, (a, b)| match between {
            true => for_equal(
                &kinds(&l[a.clone()]),
                &kinds(&r[b.clone()]),
                &mut |other, (x, y)| {
                    if !other {
                        let pairs = x.zip(y).map(|(x, y)| (a.start + x, b.start + y));
                        out.extend(pairs);
                    }
                },
            ),
            false => out.extend(a.zip(b)),
        },
    );
    out
}

/// A run of elements of both sides.
type Runs = (Range<usize>, Range<usize>);

/// Visits the runs of equal elements (`false`) and what lies between them (`true`), in order.
fn for_equal(l: &[u64], r: &[u64], visit: &mut dyn FnMut(bool, Runs)) {
    let (mut i, mut j) = (0, 0);
    for (a, b) in gaps(l, r) {
        visit(false, (i..a.start, j..b.start));
        (i, j) = (a.end, b.end);
        visit(true, (a, b));
    }
    visit(false, (i..l.len(), j..r.len()));
}

/// Where a difference is.
struct Place {
    frame: u64,
    ordinal: usize,
    verb: String,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let verb = if self.verb.is_empty() {
            "end"
        } else {
            &self.verb
        };
        write!(f, "{}:{} {verb}", self.frame, self.ordinal)
    }
}

struct Comparison<'l> {
    sides: [Side<'l>; 2],
    /// Objects of the golden and the run's objects that they are.
    renamed: HashMap<Id, Id>,
    /// The run's objects that are one of the golden's.
    taken: HashSet<Id>,
    /// Pairs of values that were found equal.
    equal: HashSet<(Id, Id)>,
    /// Pairs of values of groups whose difference was reported.
    reported: HashSet<(String, Id, Id)>,
    limit: usize,
    fields: BTreeMap<String, u64>,
    out: StateDiff,
}

impl<'l> Comparison<'l> {
    fn run(&mut self) {
        let [golden, actual] = [self.sides[0].log, self.sides[1].log];
        let frames = |log: &'l StateLog| -> BTreeMap<u64, &'l Frame> {
            log.frames.iter().map(|f| (f.frame, f)).collect()
        };
        let (left, right) = (frames(golden), frames(actual));
        let missing = |from: &BTreeMap<u64, _>, other: &BTreeMap<u64, _>| -> Vec<u64> {
            from.keys()
                .filter(|f| !other.contains_key(f))
                .copied()
                .collect()
        };
        self.out.only_golden = missing(&left, &right);
        self.out.only_actual = missing(&right, &left);
        for (number, l) in left {
            // A frame that one side lacks still moves the state of the other.
            let l = self.sides[0].steps(l);
            let Some(r) = right.get(&number) else {
                continue;
            };
            let r = self.sides[1].steps(r);
            self.out.frames += 1;
            let before = self.out.total;
            self.frame(number, &l, &r);
            self.out.different_frames += u64::from(self.out.total > before);
        }
    }

    fn frame(&mut self, number: u64, l: &[Seen<'l>], r: &[Seen<'l>]) {
        let (mut i, mut j) = (0, 0);
        let end = (l.len(), r.len());
        for (x, y) in pairs(l, r).into_iter().chain([end]) {
            for lost in &l[i..x] {
                let place = self.place(0, number, lost);
                self.row(&place, place.verb.clone(), Some("pushed".into()), None);
            }
            for added in &r[j..y] {
                let place = self.place(1, number, added);
                self.row(&place, place.verb.clone(), None, Some("pushed".into()));
            }
            // Between two verbs that both sides have, calls on objects keep their order.
            let (to, other) = ((x + 1).min(l.len()), (y + 1).min(r.len()));
            self.objects(number, &l[i..to], &r[j..other]);
            if let (Some(a), Some(b)) = (l.get(x), r.get(y)) {
                self.verb(number, a, b);
            }
            (i, j) = (to, other);
        }
    }

    fn place(&self, side: usize, frame: u64, s: &Seen<'_>) -> Place {
        Place {
            frame,
            ordinal: s.ordinal,
            verb: self.sides[side].log.text(s.step.verb).to_owned(),
        }
    }

    /// Compares two verbs and the state that they see.
    fn verb(&mut self, number: u64, l: &Seen<'l>, r: &Seen<'l>) {
        let place = self.place(0, number, l);
        self.values(&place, l.step.call, r.step.call);
        let names: HashSet<&str> = l.groups.keys().chain(r.groups.keys()).copied().collect();
        let mut names: Vec<&str> = names.into_iter().collect();
        names.sort_unstable();
        for name in names {
            match (l.groups.get(name), r.groups.get(name)) {
                (Some(&a), Some(&b)) => {
                    if self.equal.contains(&(a, b))
                        || self.reported.contains(&(name.to_owned(), a, b))
                    {
                        continue;
                    }
                    if self.values(&place, a, b) {
                        self.equal.insert((a, b));
                    } else {
                        self.reported.insert((name.to_owned(), a, b));
                    }
                }
                (a, b) => {
                    let side = (a.copied().unwrap_or(Id::MAX), b.copied().unwrap_or(Id::MAX));
                    if self.reported.insert((name.to_owned(), side.0, side.1)) {
                        let said = |v: Option<&Id>| v.map(|_| "pushed".to_owned());
                        self.row(&place, name.to_owned(), said(a), said(b));
                    }
                }
            }
        }
    }

    /// Compares the calls on objects of two runs of steps, in order.
    fn objects(&mut self, number: u64, l: &[Seen<'l>], r: &[Seen<'l>]) {
        let calls = |steps: &[Seen<'l>]| -> Vec<(usize, Id, Id)> {
            let all = steps.iter().enumerate();
            all.flat_map(|(i, s)| s.step.objects.iter().map(move |&(n, v)| (i, n, v)))
                .collect()
        };
        let (a, b) = (calls(l), calls(r));
        if a.is_empty() && b.is_empty() {
            return;
        }
        let digests = |side: &Side<'_>, calls: &[(usize, Id, Id)]| -> Vec<u64> {
            let names = calls.iter();
            names
                .map(|&(_, n, v)| {
                    let name = xxh3_64(side.log.text(n).as_bytes());
                    name ^ side.digests[v as usize].0.rotate_left(1)
                })
                .collect()
        };
        let (da, db) = (digests(&self.sides[0], &a), digests(&self.sides[1], &b));
        let (mut i, mut j) = (0, 0);
        let end = (a.len()..a.len(), b.len()..b.len());
        for (x, y) in gaps(&da, &db).into_iter().chain([end]) {
            for n in 0..x.start - i {
                let place = self.place(0, number, &l[a[i + n].0]);
                self.values(&place, a[i + n].2, b[j + n].2);
            }
            (i, j) = (x.end, y.end);
            self.object_gap(number, (l, &a[x]), (r, &b[y]));
        }
    }

    /// Calls that differ: the n-th of a name with the n-th of that name.
    fn object_gap(
        &mut self,
        number: u64,
        (l, a): (&[Seen<'l>], &[(usize, Id, Id)]),
        (r, b): (&[Seen<'l>], &[(usize, Id, Id)]),
    ) {
        let [golden, actual] = [self.sides[0].log, self.sides[1].log];
        let mut rest: Vec<&(usize, Id, Id)> = b.iter().collect();
        for (step, name, value) in a {
            let place = self.place(0, number, &l[*step]);
            let name = golden.text(*name);
            match rest.iter().position(|(_, n, _)| actual.text(*n) == name) {
                Some(at) => {
                    let (_, _, other) = rest.remove(at);
                    self.values(&place, *value, *other);
                }
                None => self.row(&place, name.to_owned(), Some("pushed".into()), None),
            }
        }
        for (step, name, _) in rest {
            let place = self.place(1, number, &r[*step]);
            let name = actual.text(*name).to_owned();
            self.row(&place, name, None, Some("pushed".into()));
        }
    }

    /// Compares two values; reports what differs and says whether nothing does.
    fn values(&mut self, place: &Place, a: Id, b: Id) -> bool {
        let [golden, actual] = [self.sides[0].log, self.sides[1].log];
        let ((da, objects), (db, _)) = (
            self.sides[0].digests[a as usize],
            self.sides[1].digests[b as usize],
        );
        if da == db && !objects {
            return true;
        }
        let (left, right) = (&golden.values[a as usize].0, &actual.values[b as usize].0);
        let mut rest: HashMap<&str, StoredLeaf> = right
            .iter()
            .map(|(path, leaf)| (actual.text(*path), *leaf))
            .collect();
        let before = self.out.total;
        for (path, leaf) in left {
            if self.sides[0].left_out.has(golden, *path, *leaf) {
                continue;
            }
            let path = golden.text(*path);
            let other = rest.remove(path);
            if other.is_none_or(|other| !self.leaves(*leaf, other)) {
                let other = other.map(|o| actual.leaf(o));
                self.row(place, path.to_owned(), Some(golden.leaf(*leaf)), other);
            }
        }
        for (path, leaf) in right {
            if self.sides[1].left_out.has(actual, *path, *leaf) {
                continue;
            }
            let path = actual.text(*path);
            if rest.contains_key(path) {
                self.row(place, path.to_owned(), None, Some(actual.leaf(*leaf)));
            }
        }
        self.out.total == before
    }

    /// Whether two leaves are the same. Objects that were not met yet are from now on.
    fn leaves(&mut self, a: StoredLeaf, b: StoredLeaf) -> bool {
        let [golden, actual] = [self.sides[0].log, self.sides[1].log];
        match (a, b) {
            (StoredLeaf::Text(a), StoredLeaf::Text(b)) => golden.text(a) == actual.text(b),
            (StoredLeaf::Object(a), StoredLeaf::Object(b)) => {
                let kind = |log: &StateLog, id: Id| log.objects[id as usize].kind;
                if kind(golden, a) != kind(actual, b) {
                    return false;
                }
                match self.renamed.get(&a) {
                    Some(&known) => known == b,
                    None if self.taken.insert(b) => {
                        self.renamed.insert(a, b);
                        true
                    }
                    None => false,
                }
            }
            _ => false,
        }
    }

    fn row(
        &mut self,
        place: &Place,
        field: String,
        golden: Option<String>,
        actual: Option<String>,
    ) {
        self.out.total += 1;
        *self.fields.entry(without_indices(&field)).or_default() += 1;
        if self.out.rows.len() < self.limit {
            self.out.rows.push(Difference {
                place: place.to_string(),
                field,
                golden,
                actual,
            });
        }
    }
}
