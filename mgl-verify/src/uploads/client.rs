//! The client's side: ResourceSubData records, summed up a texture, level and frame.

use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Display};
use std::ops::Range;

use mgl_core::handle::{Handle, HandleKind, ResourceHandle};
use mgl_core::pipe::limits::level_extent;
use mgl_core::pipe::{Box3, Call, Reply, ResourceDesc, SubData, SubDataFlags, SubRegion, Target};
use mgl_core::trace::TraceError;
use mgl_core::trace::TraceFile;
use mgl_core::trace::consumer::{Consumer, Flow, drive};
use mgl_core::trace::cursor::Record;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

/// Union boxes that are kept a texture, level and frame; more are told by number and digest.
const BOXES: usize = 4;

/// A level of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextureLevel {
    /// Ordinal of the texture.
    pub texture: u32,
    pub level: u32,
}

/// What a texture is, from one of its uploads on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextureInfo {
    /// Ordinal: textures are counted in the order in which they are first uploaded to.
    pub texture: u32,
    /// Frame of the first upload that this holds for.
    pub since: u64,
    /// GL name; 0 where the client gave none.
    pub name: u32,
    /// Label (KHR_debug).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    pub target: String,
    pub format: String,
    /// Texels of level 0, as `256x128`, with slices, layers or faces behind if there are more than one.
    pub extent: String,
    pub levels: u32,
}

/// Uploads into one level of a texture in one frame.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LevelUploads {
    /// ResourceSubData records.
    pub emissions: u64,
    /// Regions of all of them.
    pub regions: u64,
    /// Union boxes in order, as `WxH+X+Y` or `WxHxD+X+Y+Z`; behind the fourth `+N digest`.
    pub boxes: Vec<String>,
    /// Bytes of the union boxes.
    pub box_bytes: u64,
    /// Bytes of the regions; those of the box where an upload has none.
    pub region_bytes: u64,
    /// Emissions whose box may go up whole.
    pub union_whole: u64,
}

/// Uploads into all buffers in one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BufferUploads {
    /// ResourceSubData records.
    pub emissions: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Sums over frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct UploadTotals {
    /// Texture uploads.
    pub uploads: u64,
    /// Their regions.
    pub regions: u64,
    /// Bytes of their union boxes.
    pub box_bytes: u64,
    /// Bytes of their regions.
    pub region_bytes: u64,
    /// Buffer uploads.
    pub buffer_uploads: u64,
    /// Their bytes.
    pub buffer_bytes: u64,
}

/// Kind, slot and generation of a handle, for maps.
pub(super) type Key = (u32, u32, u32);

fn key(resource: ResourceHandle) -> Key {
    let Handle { slot, generation } = resource.handle;
    (resource.kind.0, slot, generation)
}

/// What the client emitted.
#[derive(Clone, Debug, Default)]
pub struct ClientUploads {
    /// Frames looked at.
    pub frames: Range<u64>,
    /// Textures, by ordinal and then by frame; one that was respecified is there again.
    pub textures: Vec<TextureInfo>,
    /// By frame and level.
    pub levels: BTreeMap<(u64, TextureLevel), LevelUploads>,
    /// By frame.
    pub buffers: BTreeMap<u64, BufferUploads>,
    /// Ordinals by handle; empty when read from a file.
    pub(super) ordinals: HashMap<Key, u32>,
}

impl ClientUploads {
    /// Ordinal of a texture of the trace; none for one that nothing was uploaded to, and for buffers.
    pub fn ordinal(&self, texture: ResourceHandle) -> Option<u32> {
        self.ordinals.get(&key(texture)).copied()
    }

    /// What a texture is in a frame.
    pub fn info(&self, texture: u32, frame: u64) -> Option<&TextureInfo> {
        let of = |info: &&TextureInfo| info.texture == texture;
        self.textures
            .iter()
            .filter(of)
            .rfind(|info| info.since <= frame)
            .or_else(|| self.textures.iter().find(of))
    }

    /// `texture 3 'glyphs'`.
    pub fn texture_name(&self, texture: u32) -> String {
        let label = self
            .textures
            .iter()
            .filter(|info| info.texture == texture)
            .find_map(|info| info.label.as_deref());
        match label {
            Some(label) => format!("texture {texture} '{label}'"),
            None => format!("texture {texture}"),
        }
    }

    /// Sums over all frames.
    pub fn totals(&self) -> UploadTotals {
        let mut sum = UploadTotals::default();
        for level in self.levels.values() {
            sum.uploads += level.emissions;
            sum.regions += level.regions;
            sum.box_bytes += level.box_bytes;
            sum.region_bytes += level.region_bytes;
        }
        for buffers in self.buffers.values() {
            sum.buffer_uploads += buffers.emissions;
            sum.buffer_bytes += buffers.bytes;
        }
        sum
    }

    /// Whether nothing was uploaded.
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty() && self.buffers.is_empty()
    }
}

/// The client's uploads in all frames of a trace.
///
/// # Errors
/// The trace is damaged.
pub fn client(file: &TraceFile) -> Result<ClientUploads, TraceError> {
    client_of_frames(file, file.all_frames())
}

/// The client's uploads in some frames. What comes before them is read too: textures have the same ordinals whichever
/// frames are asked for.
///
/// # Errors
/// The trace is damaged, or does not have the frames.
pub fn client_of_frames(file: &TraceFile, frames: Range<u64>) -> Result<ClientUploads, TraceError> {
    let all = file.all_frames();
    if frames != all {
        // A selection that the file does not have is an error of its own.
        file.records(frames.clone())?;
    }
    let mut collector = Collector {
        uploads: ClientUploads {
            frames: frames.clone(),
            ..ClientUploads::default()
        },
        ..Collector::default()
    };
    if all.start < frames.end {
        drive(file, all.start..frames.end, &mut collector)?;
    }
    Ok(collector.finish())
}

/// Bytes of a label that are kept: one blob may be the label of every texture.
const LABEL_BYTES: usize = 256;

#[derive(Default)]
struct Collector {
    uploads: ClientUploads,
    resources: HashMap<Key, ResourceDesc>,
    labels: HashMap<Key, String>,
    /// Of the rows that have more boxes than are kept: how many more, and their digest.
    more: BTreeMap<(u64, TextureLevel), (u64, Xxh3)>,
}

impl Collector {
    fn upload(&mut self, frame: u64, p: &SubData, bytes: &[u8], regions: &[SubRegion]) {
        let counted = self.uploads.frames.contains(&frame);
        if p.resource.kind == HandleKind::BUFFER {
            if counted {
                let buffers = self.uploads.buffers.entry(frame).or_default();
                buffers.emissions += 1;
                buffers.bytes += bytes.len() as u64;
            }
            return;
        }
        let next = self.uploads.ordinals.len() as u32;
        let texture = *self.uploads.ordinals.entry(key(p.resource)).or_insert(next);
        if !counted {
            return;
        }
        self.describe(texture, frame, p.resource);
        let at = (
            frame,
            TextureLevel {
                texture,
                level: p.level,
            },
        );
        let texel = self
            .resources
            .get(&key(p.resource))
            .and_then(|d| d.format.info())
            .map_or(0, |f| u64::from(f.bytes));
        let row = self.uploads.levels.entry(at).or_default();
        row.emissions += 1;
        row.regions += regions.len() as u64;
        row.box_bytes += bytes.len() as u64;
        row.region_bytes += match regions {
            [] => bytes.len() as u64,
            _ => regions
                .iter()
                .map(|r| volume(&r.area).saturating_mul(texel))
                .fold(0, u64::saturating_add),
        };
        row.union_whole += u64::from(p.flags.has(SubDataFlags::UNION_WHOLE));
        let shown = BoxText(&p.union_box).to_string();
        if row.boxes.len() < BOXES {
            row.boxes.push(shown);
        } else {
            let more = self.more.entry(at).or_insert_with(|| (0, Xxh3::new()));
            more.0 += 1;
            more.1.update(shown.as_bytes());
            more.1.update(b"\n");
        }
    }

    /// Notes what a texture is now, if that is not what was noted last.
    fn describe(&mut self, texture: u32, since: u64, handle: ResourceHandle) {
        let desc = self.resources.get(&key(handle));
        let (width, height, depth) = desc.map_or((0, 0, 0), |d| level_extent(d, 0));
        let mut extent = format!("{width}x{height}");
        if depth > 1 {
            extent.push_str(&format!("x{depth}"));
        }
        let new = TextureInfo {
            texture,
            since,
            name: desc.map_or(0, |d| d.gl_name),
            label: self.labels.get(&key(handle)).cloned(),
            target: desc.map_or("unknown".to_owned(), |d| target_name(d.target)),
            format: desc.map_or("unknown".to_owned(), |d| d.format.to_string()),
            extent,
            levels: desc.map_or(0, |d| d.levels),
        };
        let same = |old: &TextureInfo| {
            TextureInfo {
                since,
                ..old.clone()
            } == new
        };
        let last = self
            .uploads
            .textures
            .iter()
            .rev()
            .find(|t| t.texture == texture);
        if !last.is_some_and(same) {
            self.uploads.textures.push(new);
        }
    }

    fn finish(mut self) -> ClientUploads {
        for (at, (count, digest)) in self.more {
            if let Some(row) = self.uploads.levels.get_mut(&at) {
                row.boxes.push(format!("+{count} {:016x}", digest.digest()));
            }
        }
        // Stable: what a texture was first stays first.
        self.uploads.textures.sort_by_key(|t| (t.texture, t.since));
        self.uploads
    }
}

impl Consumer for Collector {
    type Error = TraceError;

    fn wants_replies(&self) -> bool {
        false
    }

    fn record(&mut self, record: &Record<'_>, _: Option<&Reply>) -> Result<Flow, TraceError> {
        match record.call {
            Call::ResourceCreate { p } | Call::ResourceRespecify { p } => {
                self.resources.insert(key(p.resource), *p);
            }
            Call::ResourceDestroy { p } => {
                self.resources.remove(&key(p.resource));
                self.labels.remove(&key(p.resource));
            }
            Call::ContextReset { .. } => {
                self.resources.clear();
                self.labels.clear();
            }
            Call::ObjectLabel { p, label } => {
                let resource = key(ResourceHandle {
                    kind: p.kind,
                    handle: p.handle,
                });
                let label =
                    String::from_utf8_lossy(&label[..label.len().min(LABEL_BYTES)]).into_owned();
                if label.is_empty() {
                    self.labels.remove(&resource);
                } else {
                    self.labels.insert(resource, label);
                }
            }
            Call::ResourceSubData { p, bytes, regions } => {
                self.upload(record.place.frame, p, bytes, regions);
            }
            _ => {}
        }
        Ok(Flow::Continue)
    }
}

/// A target by its GL name.
fn target_name(target: Target) -> String {
    format!("{target:?}")
}

fn volume(b: &Box3) -> u64 {
    u64::from(b.width)
        .saturating_mul(u64::from(b.height))
        .saturating_mul(u64::from(b.depth))
}

/// A box as goldens have it.
struct BoxText<'b>(&'b Box3);

impl Display for BoxText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Box3 {
            x,
            y,
            z,
            width,
            height,
            depth,
        } = *self.0;
        if z == 0 && depth == 1 {
            write!(f, "{width}x{height}+{x}+{y}")
        } else {
            write!(f, "{width}x{height}x{depth}+{x}+{y}+{z}")
        }
    }
}
