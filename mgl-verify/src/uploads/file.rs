//! uploads.toml: a line a texture, level and run of frames with the same uploads.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Uploads;
use super::client::{BufferUploads, ClientUploads, LevelUploads, TextureInfo, TextureLevel};
use super::server::{ServerBuffers, ServerLevel, ServerUploads};
use crate::toml_text::{TomlError, entry, parse, rows};

/// Frames that a file may span.
const MOST_FRAMES: u64 = 1 << 20;
/// Bytes that the rows of a file may take when their runs are held frame by frame.
const MOST_BYTES: u64 = 256 << 20;

const HEAD: &str = "\
# Uploads a texture, level and frame: what the client emitted, and what each back end made of it.
# Textures are counted in the order in which they are first uploaded to. Written by `mgl verify --update`.
";

/// A row of the file: frames that follow each other and hold the same.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LevelRow {
    texture: u32,
    level: u32,
    frames: String,
    emissions: u64,
    regions: u64,
    boxes: Vec<String>,
    box_bytes: u64,
    region_bytes: u64,
    union_whole: u64,
}

impl LevelRow {
    fn new(at: TextureLevel, frames: &Range<u64>, uploads: &LevelUploads) -> Self {
        let LevelUploads {
            emissions,
            regions,
            ref boxes,
            box_bytes,
            region_bytes,
            union_whole,
        } = *uploads;
        Self {
            texture: at.texture,
            level: at.level,
            frames: show(frames),
            emissions,
            regions,
            boxes: boxes.clone(),
            box_bytes,
            region_bytes,
            union_whole,
        }
    }

    fn uploads(&self) -> LevelUploads {
        LevelUploads {
            emissions: self.emissions,
            regions: self.regions,
            boxes: self.boxes.clone(),
            box_bytes: self.box_bytes,
            region_bytes: self.region_bytes,
            union_whole: self.union_whole,
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ServerRow {
    texture: u32,
    level: u32,
    frames: String,
    /// Uploads that went up as a box.
    boxes: u64,
    /// Uploads that went up region by region.
    regions: u64,
    jobs: u64,
    bytes: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BufferRow {
    frames: String,
    emissions: u64,
    bytes: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ServerBufferRow {
    frames: String,
    jobs: u64,
    bytes: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClientSection {
    frames: String,
    #[serde(default)]
    textures: Vec<TextureInfo>,
    #[serde(default)]
    uploads: Vec<LevelRow>,
    #[serde(default)]
    buffers: Vec<BufferRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ServerSection {
    frames: String,
    #[serde(default)]
    uploads: Vec<ServerRow>,
    #[serde(default)]
    buffers: Vec<ServerBufferRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sections {
    client: Option<ClientSection>,
    espryt: Option<ServerSection>,
    magma: Option<ServerSection>,
}

impl Uploads {
    /// The file's text; the same uploads have the same text.
    pub fn to_toml(&self) -> String {
        let mut out = HEAD.to_owned();
        if let Some(client) = &self.client {
            let ClientUploads {
                frames,
                textures,
                levels,
                buffers,
                ordinals: _,
            } = client;
            out.push_str("\n[client]\n");
            entry(&mut out, "frames", &show(frames));
            rows(&mut out, "textures", textures);
            let levels = runs(levels, |&(frame, at)| (at, frame));
            let levels: Vec<LevelRow> = levels
                .into_iter()
                .map(|(at, frames, uploads)| LevelRow::new(at, &frames, uploads))
                .collect();
            rows(&mut out, "uploads", &levels);
            let buffers: Vec<BufferRow> = runs(buffers, |&frame| ((), frame))
                .into_iter()
                .map(
                    |((), frames, &BufferUploads { emissions, bytes })| BufferRow {
                        frames: show(&frames),
                        emissions,
                        bytes,
                    },
                )
                .collect();
            rows(&mut out, "buffers", &buffers);
        }
        for (name, server) in self.servers() {
            let Some(server) = server else { continue };
            let ServerUploads {
                frames,
                levels,
                buffers,
            } = server;
            let _ = writeln!(out, "\n[{name}]");
            entry(&mut out, "frames", &show(frames));
            let levels = runs(levels, |&(frame, at)| (at, frame));
            let levels: Vec<ServerRow> = levels
                .into_iter()
                .map(|(at, frames, level)| {
                    let ServerLevel {
                        boxes,
                        regions,
                        jobs,
                        bytes,
                    } = *level;
                    ServerRow {
                        texture: at.texture,
                        level: at.level,
                        frames: show(&frames),
                        boxes,
                        regions,
                        jobs,
                        bytes,
                    }
                })
                .collect();
            rows(&mut out, "uploads", &levels);
            let buffers: Vec<ServerBufferRow> = runs(buffers, |&frame| ((), frame))
                .into_iter()
                .map(
                    |((), frames, &ServerBuffers { jobs, bytes })| ServerBufferRow {
                        frames: show(&frames),
                        jobs,
                        bytes,
                    },
                )
                .collect();
            rows(&mut out, "buffers", &buffers);
        }
        out
    }

    /// Reads a file's text.
    ///
    /// # Errors
    /// It is not of this form; the error names line or place.
    pub fn from_toml(text: &str) -> Result<Self, TomlError> {
        let sections: Sections = parse(text)?;
        let mut room = Room(MOST_BYTES);
        let client = sections.client.map(|s| read_client(s, &mut room));
        let client = client.transpose()?;
        let mut server =
            |name, section: Option<_>| section.map(|s| read_server(name, s, &mut room)).transpose();
        Ok(Self {
            client,
            espryt: server("espryt", sections.espryt)?,
            magma: server("magma", sections.magma)?,
        })
    }
}

/// What is left of [`MOST_BYTES`].
struct Room(u64);

impl Room {
    /// Takes the room of a row for all frames of its run.
    fn take(&mut self, place: &str, run: &Range<u64>, texts: &[String]) -> Result<(), TomlError> {
        const A_ROW: u64 = 128;
        let texts: u64 = texts.iter().map(|t| t.len() as u64 + 32).sum();
        let bytes = (run.end - run.start).saturating_mul(A_ROW + texts);
        match self.0.checked_sub(bytes) {
            Some(left) => {
                self.0 = left;
                Ok(())
            }
            None => Err(TomlError::value(
                format!("{place}.frames"),
                "the rows of the file take more memory than they may",
            )),
        }
    }
}

fn read_client(section: ClientSection, room: &mut Room) -> Result<ClientUploads, TomlError> {
    let frames = read_span("client", &section.frames)?;
    let mut levels = BTreeMap::new();
    for (i, row) in section.uploads.into_iter().enumerate() {
        let place = format!("client.uploads[{i}]");
        let at = TextureLevel {
            texture: row.texture,
            level: row.level,
        };
        let run = read_run(&place, &row.frames, &frames)?;
        room.take(&place, &run, &row.boxes)?;
        for frame in run {
            insert(&mut levels, (frame, at), row.uploads(), &place, frame)?;
        }
    }
    Ok(ClientUploads {
        buffers: read_buffers(
            "client",
            section.buffers.into_iter().map(|row| {
                let (emissions, bytes) = (row.emissions, row.bytes);
                (row.frames, BufferUploads { emissions, bytes })
            }),
            &frames,
            room,
        )?,
        frames,
        textures: section.textures,
        levels,
        ..ClientUploads::default()
    })
}

fn read_server(
    name: &str,
    section: ServerSection,
    room: &mut Room,
) -> Result<ServerUploads, TomlError> {
    let frames = read_span(name, &section.frames)?;
    let mut levels = BTreeMap::new();
    for (i, row) in section.uploads.into_iter().enumerate() {
        let place = format!("{name}.uploads[{i}]");
        let at = TextureLevel {
            texture: row.texture,
            level: row.level,
        };
        let level = ServerLevel {
            boxes: row.boxes,
            regions: row.regions,
            jobs: row.jobs,
            bytes: row.bytes,
        };
        let run = read_run(&place, &row.frames, &frames)?;
        room.take(&place, &run, &[])?;
        for frame in run {
            insert(&mut levels, (frame, at), level, &place, frame)?;
        }
    }
    Ok(ServerUploads {
        buffers: read_buffers(
            name,
            section.buffers.into_iter().map(|row| {
                let (jobs, bytes) = (row.jobs, row.bytes);
                (row.frames, ServerBuffers { jobs, bytes })
            }),
            &frames,
            room,
        )?,
        frames,
        levels,
    })
}

fn read_buffers<T: Copy>(
    section: &str,
    list: impl Iterator<Item = (String, T)>,
    frames: &Range<u64>,
    room: &mut Room,
) -> Result<BTreeMap<u64, T>, TomlError> {
    let mut buffers = BTreeMap::new();
    for (i, (run, value)) in list.enumerate() {
        let place = format!("{section}.buffers[{i}]");
        let run = read_run(&place, &run, frames)?;
        room.take(&place, &run, &[])?;
        for frame in run {
            insert(&mut buffers, frame, value, &place, frame)?;
        }
    }
    Ok(buffers)
}

fn insert<K: Ord, V>(
    map: &mut BTreeMap<K, V>,
    key: K,
    value: V,
    place: &str,
    frame: u64,
) -> Result<(), TomlError> {
    match map.insert(key, value) {
        None => Ok(()),
        Some(_) => Err(TomlError::value(
            format!("{place}.frames"),
            format!("frame {frame} is in an earlier row too"),
        )),
    }
}

/// Frames as `3` or `3..7`.
pub(super) fn show(frames: &Range<u64>) -> String {
    if frames.end == frames.start + 1 {
        frames.start.to_string()
    } else {
        format!("{}..{}", frames.start, frames.end)
    }
}

fn read_frames(place: String, text: &str) -> Result<Range<u64>, TomlError> {
    let number = |text: &str| text.parse::<u64>().ok();
    let frames = match text.split_once("..") {
        Some((start, end)) => number(start)
            .zip(number(end))
            .map(|(start, end)| start..end),
        None => number(text).and_then(|n| Some(n..n.checked_add(1)?)),
    };
    frames.ok_or_else(|| TomlError::value(place, format!("'{text}' is neither N nor A..B")))
}

fn read_span(section: &str, text: &str) -> Result<Range<u64>, TomlError> {
    let place = format!("{section}.frames");
    let frames = read_frames(place.clone(), text)?;
    if frames.end.saturating_sub(frames.start) > MOST_FRAMES {
        return Err(TomlError::value(
            place,
            format!("more than {MOST_FRAMES} frames"),
        ));
    }
    Ok(frames)
}

fn read_run(place: &str, text: &str, all: &Range<u64>) -> Result<Range<u64>, TomlError> {
    let place = format!("{place}.frames");
    let frames = read_frames(place.clone(), text)?;
    if frames.is_empty() || frames.start < all.start || frames.end > all.end {
        return Err(TomlError::value(
            place,
            format!("{text} is not among the frames {}", show(all)),
        ));
    }
    Ok(frames)
}

/// Rows that hold the same in frames that follow each other become one; sorted by what they are of, then by frame.
pub(super) fn runs<K, G: Ord + Copy, V: PartialEq>(
    map: &BTreeMap<K, V>,
    split: impl Fn(&K) -> (G, u64),
) -> Vec<(G, Range<u64>, &V)> {
    let mut sorted: Vec<((G, u64), &V)> = map.iter().map(|(k, v)| (split(k), v)).collect();
    sorted.sort_by_key(|row| row.0);
    let mut runs: Vec<(G, Range<u64>, &V)> = Vec::new();
    for ((of, frame), value) in sorted {
        match runs.last_mut() {
            Some((last, frames, v)) if *last == of && frames.end == frame && **v == *value => {
                frames.end = frame + 1;
            }
            _ => runs.push((of, frame..frame + 1, value)),
        }
    }
    runs
}
