//! Uploads against their golden: every difference by place and field, and the sums as deltas.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::Uploads;
use super::client::{BufferUploads, ClientUploads, LevelUploads, TextureInfo, TextureLevel};
use super::server::{ServerBuffers, ServerLevel, ServerUploads};
use crate::difference::Difference;
use crate::toml_text::delta;

impl Uploads {
    /// What differs, by frame. Sections that `actual` lacks were not measured and are not compared; one that only
    /// `actual` has is a difference. Frames that one side did not look at are a difference once, and not compared.
    pub fn compare(golden: &Self, actual: &Self) -> Vec<Difference> {
        let mut found = Found::default();
        if let Some(client) = &actual.client {
            match &golden.client {
                Some(golden) => compare_client(golden, client, &mut found),
                None => found.only_actual("client", client.levels.len()),
            }
        }
        // Names of textures: the run's own, or the golden's where the client's side was not measured.
        let names = actual.client.as_ref().or(golden.client.as_ref());
        for ((name, golden), (_, actual)) in golden.servers().into_iter().zip(actual.servers()) {
            let Some(actual) = actual else { continue };
            match golden {
                Some(golden) => compare_server(name, golden, actual, names, &mut found),
                None => found.only_actual(name, actual.levels.len()),
            }
        }
        found.sorted()
    }

    /// The changes of the sums, as lines for a pull request: one for the client and one a back end; none where nothing
    /// changed or was measured on one side only. `case` is what they are changes of.
    pub fn delta_lines(case: &str, golden: &Self, actual: &Self) -> Vec<String> {
        let mut lines = Vec::new();
        if let (Some(golden), Some(actual)) = (&golden.client, &actual.client) {
            let (g, a) = (golden.totals(), actual.totals());
            if g != a {
                let mut parts = vec![
                    delta("uploads", g.uploads, a.uploads, ""),
                    delta("box bytes", g.box_bytes, a.box_bytes, " B"),
                ];
                let rest = [
                    ("regions", g.regions, a.regions, ""),
                    ("region bytes", g.region_bytes, a.region_bytes, " B"),
                    ("buffer uploads", g.buffer_uploads, a.buffer_uploads, ""),
                    ("buffer bytes", g.buffer_bytes, a.buffer_bytes, " B"),
                ];
                add_changed(&mut parts, &rest);
                lines.push(format!("{case}  {}", parts.join("  ")));
            }
        }
        for ((name, golden), (_, actual)) in golden.servers().into_iter().zip(actual.servers()) {
            let (Some(golden), Some(actual)) = (golden, actual) else {
                continue;
            };
            let ([g, gb], [a, ab]) = (golden.totals(), actual.totals());
            if (g, gb) != (a, ab) {
                let mut parts = vec![
                    delta(&format!("{name} jobs"), g.0, a.0, ""),
                    delta("bytes", g.1, a.1, " B"),
                ];
                let rest = [
                    ("buffer jobs", gb.0, ab.0, ""),
                    ("buffer bytes", gb.1, ab.1, " B"),
                ];
                add_changed(&mut parts, &rest);
                lines.push(format!("{case}  {}", parts.join("  ")));
            }
        }
        lines
    }
}

fn add_changed(parts: &mut Vec<String>, totals: &[(&str, u64, u64, &str)]) {
    for &(name, golden, actual, unit) in totals {
        if golden != actual {
            parts.push(delta(name, golden, actual, unit));
        }
    }
}

/// A field of a row: its name, and its value as text.
type Field<T> = (&'static str, fn(T) -> String);

/// Differences, with the frame that they are sorted by.
#[derive(Default)]
struct Found(Vec<(Option<u64>, Difference)>);

impl Found {
    fn add(
        &mut self,
        frame: Option<u64>,
        place: &str,
        field: impl Into<String>,
        golden: Option<String>,
        actual: Option<String>,
    ) {
        if golden == actual {
            return;
        }
        let difference = Difference {
            place: place.to_owned(),
            field: field.into(),
            golden,
            actual,
        };
        self.0.push((frame, difference));
    }

    fn only_actual(&mut self, section: &str, rows: usize) {
        self.add(None, "", section, None, Some(format!("{rows} uploads")));
    }

    /// The whole file's first, then frame by frame; within a frame as they were found.
    fn sorted(mut self) -> Vec<Difference> {
        self.0.sort_by_key(|found| found.0);
        self.0.into_iter().map(|found| found.1).collect()
    }
}

fn common(golden: &Range<u64>, actual: &Range<u64>) -> Range<u64> {
    golden.start.max(actual.start)..golden.end.min(actual.end)
}

fn compare_frames(section: &str, golden: &Range<u64>, actual: &Range<u64>, found: &mut Found) {
    let show = |frames: &Range<u64>| Some(format!("{}..{}", frames.start, frames.end));
    let field = format!("{section}.frames");
    found.add(None, "", field, show(golden), show(actual));
}

fn compare_client(golden: &ClientUploads, actual: &ClientUploads, found: &mut Found) {
    compare_frames("client", &golden.frames, &actual.frames, found);
    let frames = common(&golden.frames, &actual.frames);
    compare_textures(golden, actual, found);
    for (frame, at) in keys(&golden.levels, &actual.levels, |k| frames.contains(&k.0)) {
        let place = level_place(frame, at, Some(actual), Some(golden));
        let key = (frame, at);
        let (g, a) = (golden.levels.get(&key), actual.levels.get(&key));
        let (Some(g), Some(a)) = (g, a) else {
            let show = |l: &LevelUploads| {
                format!(
                    "{} uploads, {} regions, {} B",
                    l.emissions, l.regions, l.box_bytes
                )
            };
            found.add(Some(frame), &place, "uploads", g.map(show), a.map(show));
            continue;
        };
        let LevelUploads {
            emissions,
            regions,
            boxes,
            box_bytes,
            region_bytes,
            union_whole,
        } = g;
        for (field, g, a) in [
            ("emissions", *emissions, a.emissions),
            ("regions", *regions, a.regions),
            ("box_bytes", *box_bytes, a.box_bytes),
            ("region_bytes", *region_bytes, a.region_bytes),
            ("union_whole", *union_whole, a.union_whole),
        ] {
            let (g, a) = (g.to_string(), a.to_string());
            found.add(Some(frame), &place, field, Some(g), Some(a));
        }
        let (g, a) = (boxes.join(", "), a.boxes.join(", "));
        found.add(Some(frame), &place, "boxes", Some(g), Some(a));
    }
    for frame in keys(&golden.buffers, &actual.buffers, |f| frames.contains(f)) {
        let place = format!("frame {frame}, buffers");
        let of = |client: &ClientUploads| client.buffers.get(&frame).copied();
        let (g, a) = (of(golden), of(actual));
        let fields: [Field<BufferUploads>; 2] = [
            ("emissions", |b| b.emissions.to_string()),
            ("bytes", |b| b.bytes.to_string()),
        ];
        for (field, value) in fields {
            let text = |b: Option<BufferUploads>| b.map(value);
            found.add(Some(frame), &place, field, text(g), text(a));
        }
    }
}

fn compare_textures(golden: &ClientUploads, actual: &ClientUploads, found: &mut Found) {
    let by_key = |client: &ClientUploads| -> BTreeMap<(u32, u64), Vec<TextureInfo>> {
        let mut map = BTreeMap::<_, Vec<TextureInfo>>::new();
        for info in &client.textures {
            let place = map.entry((info.texture, info.since)).or_default();
            place.push(info.clone());
        }
        map
    };
    let (g, a) = (by_key(golden), by_key(actual));
    for (texture, since) in keys(&g, &a, |_| true) {
        let none = Vec::new();
        let g = g.get(&(texture, since)).unwrap_or(&none);
        let a = a.get(&(texture, since)).unwrap_or(&none);
        let named = if a.is_empty() { golden } else { actual };
        let place = format!("frame {since}, {}", named.texture_name(texture));
        for i in 0..g.len().max(a.len()) {
            compare_texture(since, &place, g.get(i), a.get(i), found);
        }
    }
}

fn compare_texture(
    since: u64,
    place: &str,
    golden: Option<&TextureInfo>,
    actual: Option<&TextureInfo>,
    found: &mut Found,
) {
    let (Some(golden), Some(actual)) = (golden, actual) else {
        let show = |t: &TextureInfo| format!("{} {} {}", t.target, t.format, t.extent);
        let (g, a) = (golden.map(show), actual.map(show));
        // Two that differ in what is not shown here cannot meet: one of them is absent.
        found.add(Some(since), place, "texture", g, a);
        return;
    };
    let TextureInfo {
        texture: _,
        since: _,
        name,
        label,
        target,
        format,
        extent,
        levels,
    } = golden;
    for (field, g, a) in [
        ("target", target, &actual.target),
        ("format", format, &actual.format),
        ("extent", extent, &actual.extent),
        ("name", &name.to_string(), &actual.name.to_string()),
        ("levels", &levels.to_string(), &actual.levels.to_string()),
    ] {
        found.add(Some(since), place, field, Some(g.clone()), Some(a.clone()));
    }
    let (g, a) = (label.clone(), actual.label.clone());
    found.add(Some(since), place, "label", g, a);
}

fn compare_server(
    name: &str,
    golden: &ServerUploads,
    actual: &ServerUploads,
    names: Option<&ClientUploads>,
    found: &mut Found,
) {
    compare_frames(name, &golden.frames, &actual.frames, found);
    let frames = common(&golden.frames, &actual.frames);
    for (frame, at) in keys(&golden.levels, &actual.levels, |k| frames.contains(&k.0)) {
        let place = level_place(frame, at, names, None);
        let of = |server: &ServerUploads| server.levels.get(&(frame, at)).copied();
        let (g, a) = (of(golden), of(actual));
        let fields: [Field<ServerLevel>; 3] = [
            ("shape", |l| l.shape()),
            ("jobs", |l| l.jobs.to_string()),
            ("bytes", |l| l.bytes.to_string()),
        ];
        for (field, value) in fields {
            let field = format!("{name}.{field}");
            found.add(Some(frame), &place, field, g.map(value), a.map(value));
        }
        // Counts behind one shape.
        let counts = |l: ServerLevel| format!("{} box, {} regions", l.boxes, l.regions);
        if let (Some(g), Some(a)) = (g, a)
            && g.shape() == a.shape()
        {
            let field = format!("{name}.uploads");
            let (g, a) = (counts(g), counts(a));
            found.add(Some(frame), &place, field, Some(g), Some(a));
        }
    }
    for frame in keys(&golden.buffers, &actual.buffers, |f| frames.contains(f)) {
        let place = format!("frame {frame}, buffers");
        let of = |server: &ServerUploads| server.buffers.get(&frame).copied();
        let (g, a) = (of(golden), of(actual));
        let fields: [Field<ServerBuffers>; 2] = [
            ("jobs", |b| b.jobs.to_string()),
            ("bytes", |b| b.bytes.to_string()),
        ];
        for (field, value) in fields {
            let text = |b: Option<ServerBuffers>| b.map(value);
            let field = format!("{name}.{field}");
            found.add(Some(frame), &place, field, text(g), text(a));
        }
    }
}

/// The keys of both maps that are wanted, in order.
fn keys<K: Ord + Copy, V>(
    golden: &BTreeMap<K, V>,
    actual: &BTreeMap<K, V>,
    wanted: impl Fn(&K) -> bool,
) -> BTreeSet<K> {
    golden
        .keys()
        .chain(actual.keys())
        .copied()
        .filter(wanted)
        .collect()
}

/// `frame 12, texture 3 'glyphs' level 0`.
fn level_place(
    frame: u64,
    at: TextureLevel,
    names: Option<&ClientUploads>,
    else_names: Option<&ClientUploads>,
) -> String {
    let TextureLevel { texture, level } = at;
    let known = |client: &&ClientUploads| client.info(texture, frame).is_some();
    let name = match names.filter(known).or(else_names) {
        Some(client) => client.texture_name(texture),
        None => format!("texture {texture}"),
    };
    format!("frame {frame}, {name} level {level}")
}
