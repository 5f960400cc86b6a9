//! What a replay may cost: a small file must not keep a machine busy for hours, nor fill its memory.
//!
//! Everything that a record asks of the driver is counted before it is passed on, in units of about one run of a vertex
//! shader:
//!
//! | call | units |
//! |---|---|
//! | draw | vertices and [`PER_INSTANCE`] for each instance of each range; indirect ones by what their buffer says |
//! | dispatch | [`PER_GROUP`] for each work group |
//! | clear, blit, copy, mipmaps, upload, read-back | one for each [`BYTES_A_UNIT`] bytes |
//! | program | one for each byte of its code and its reflection |
//!
//! A replay may cost [`BASE`] units, and [`PER_FRAME`] more for each frame that it has shown. A file of which little is left
//! when it is packed has no more frames that count than one for [`BYTES_A_FRAME`] stored bytes of records and blobs: so
//! the whole is bounded by the size of the file. Programs that draw for people stay below that; a software rasteriser
//! takes some seconds for the units of a frame. The storage of all objects that live at one time may be
//! [`STORAGE`] bytes. Both can be raised ([`Limit`]). A read-back may not be larger than a recording can hold.
//!
//! What fragments cost is not known before they are drawn: whoever watches a replay also bounds the time of a record.

use mgl_core::handle::{
    BufferHandle, HandleKind, RenderbufferHandle, ResourceHandle, TextureHandle,
};
use mgl_core::pipe::*;
use mgl_core::trace::blobs::MAX_BLOB;
use mgl_core::trace::{ChunkKind, TraceFile};

/// Units that every replay may cost.
pub const BASE: u64 = 1 << 28;
/// Units more for each frame.
pub const PER_FRAME: u64 = 1 << 26;
/// Stored bytes for which a frame counts.
pub const BYTES_A_FRAME: u64 = 32;
/// Bytes of the objects that live at one time.
pub const STORAGE: u64 = 4 << 30;
/// Units of an instance, its vertices apart.
pub const PER_INSTANCE: u64 = 24;
/// Units of a work group.
pub const PER_GROUP: u64 = 64;
/// Bytes that are written, copied or read for a unit.
pub const BYTES_A_UNIT: u64 = 256;

/// How far the bounds of this module hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Limit {
    /// So many times.
    Times(u64),
    /// Not at all: for a trace that is trusted.
    None,
}

impl Default for Limit {
    fn default() -> Self {
        Self::Times(1)
    }
}

impl std::str::FromStr for Limit {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(n) if n > 0 => Ok(Self::Times(n)),
            _ if text == "none" => Ok(Self::None),
            _ => Err("neither a number of at least 1 nor `none`".to_owned()),
        }
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Times(n) => n.fmt(f),
            Self::None => f.write_str("none"),
        }
    }
}

/// A record asks for more than a replay may cost.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OverLimit {
    /// Work.
    #[error(
        "{what} would cost {cost} units, {spent} are spent, and the replay may have cost {allowed} by now: \
         `--limit {times}` allows it"
    )]
    Work {
        /// The call.
        what: String,
        /// Its units.
        cost: u64,
        /// Units before it.
        spent: u64,
        /// Units allowed.
        allowed: u64,
        /// Least [`Limit::Times`] that allows it.
        times: u64,
    },
    /// Storage.
    #[error(
        "{what} would bring the storage to {bytes} bytes, and a replay may take {allowed}: `--limit {times}` allows it"
    )]
    Storage {
        /// The call.
        what: &'static str,
        /// Bytes with it.
        bytes: u64,
        /// Bytes allowed.
        allowed: u64,
        /// Least [`Limit::Times`] that allows it.
        times: u64,
    },
    /// A reply.
    #[error("{what} asks for {bytes} bytes, and no recording holds a reply above {MAX_BLOB}")]
    Reply {
        /// The call.
        what: &'static str,
        /// Bytes of the reply.
        bytes: u64,
    },
}

/// What a replay has cost, and what it may.
#[derive(Debug, Clone)]
pub struct Budget {
    /// How many times the bounds hold; none for no bound.
    times: Option<u64>,
    /// Units allowed by now, once.
    once: u64,
    /// Frames that still count.
    frames: u64,
    work: u64,
    storage: u64,
}

impl Budget {
    /// For a replay of a file.
    #[must_use]
    pub fn new(file: &TraceFile, limit: Limit) -> Self {
        let content = |kind| matches!(kind, ChunkKind::Records | ChunkKind::Blobs);
        let chunks = file.chunks().iter().filter(|c| content(c.header.kind));
        let bytes: u64 = chunks.map(|c| u64::from(c.header.stored)).sum();
        Self {
            times: match limit {
                Limit::Times(n) => Some(n),
                Limit::None => None,
            },
            once: BASE,
            frames: bytes / BYTES_A_FRAME,
            work: 0,
            storage: 0,
        }
    }

    /// What is allowed, where `once` is by default.
    fn allowed(&self, once: u64) -> u64 {
        self.times.map_or(u64::MAX, |n| once.saturating_mul(n))
    }

    /// Takes the cost of a call that is about to be applied to `s`.
    ///
    /// # Errors
    /// It is above what is left. Nothing is taken then.
    #[inline]
    pub fn take(
        &mut self,
        s: &PushedState,
        backend: &mut dyn Backend,
        call: &Call<'_>,
    ) -> Result<(), OverLimit> {
        match call.op().info().class {
            Class::State => match call {
                Call::SetGlobalConstants { p, .. } => {
                    let before = s.programs.get(p.shader).map_or(0, |e| e.constants.len());
                    self.store(call, before as u64, u64::from(p.block_size))
                }
                _ => Ok(()),
            },
            Class::Query => Ok(()),
            Class::Screen => self.take_storage(s, call),
            Class::Constant => match call {
                Call::CreateShaderState {
                    vertex,
                    tess_control,
                    tess_eval,
                    geometry,
                    fragment,
                    compute,
                    reflection,
                    ..
                } => {
                    let stages = [
                        vertex,
                        tess_control,
                        tess_eval,
                        geometry,
                        fragment,
                        compute,
                        reflection,
                    ];
                    let bytes: u64 = stages.iter().map(|b| b.len() as u64).sum();
                    self.spend(call, bytes)
                }
                _ => Ok(()),
            },
            Class::Object | Class::Verb => {
                let cost = match call {
                    Call::Present { .. } => {
                        if self.frames > 0 {
                            self.frames -= 1;
                            self.once = self.once.saturating_add(PER_FRAME);
                        }
                        return Ok(());
                    }
                    Call::DrawVbo { p, ranges, .. } => draw_cost(s, backend, p, ranges),
                    _ => {
                        let (bytes, reply) = bytes_of(s, call);
                        if reply && bytes > MAX_BLOB {
                            let what = call.op().name();
                            return Err(OverLimit::Reply { what, bytes });
                        }
                        match call {
                            Call::LaunchGrid { p } => group_cost(p),
                            _ => bytes / BYTES_A_UNIT,
                        }
                    }
                };
                self.spend(call, cost)
            }
        }
    }

    fn spend(&mut self, call: &Call<'_>, cost: u64) -> Result<(), OverLimit> {
        let sum = self.work.saturating_add(cost);
        let allowed = self.allowed(self.once);
        if sum > allowed {
            return Err(OverLimit::Work {
                what: in_words(call),
                cost,
                spent: self.work,
                allowed,
                times: sum.div_ceil(self.once),
            });
        }
        self.work = sum;
        Ok(())
    }

    /// An object of `before` bytes takes `after`.
    fn store(&mut self, call: &Call<'_>, before: u64, after: u64) -> Result<(), OverLimit> {
        let bytes = self.storage.saturating_sub(before).saturating_add(after);
        let allowed = self.allowed(STORAGE);
        if bytes > allowed && after > before {
            return Err(OverLimit::Storage {
                what: call.op().name(),
                bytes,
                allowed,
                times: bytes.div_ceil(STORAGE),
            });
        }
        self.storage = bytes;
        Ok(())
    }

    fn take_storage(&mut self, s: &PushedState, call: &Call<'_>) -> Result<(), OverLimit> {
        let surface = |h| s.surfaces.get(h).map_or(0, surface_bytes);
        match call {
            Call::ResourceCreate { p } => self.store(call, 0, resource_bytes(p)),
            Call::ResourceRespecify { p } => {
                let before = desc(s, p.resource).map_or(0, |d| resource_bytes(&d));
                self.store(call, before, resource_bytes(p))
            }
            Call::ResourceDestroy { p } => {
                let before = desc(s, p.resource).map_or(0, |d| resource_bytes(&d));
                self.store(call, before, 0)
            }
            Call::SurfaceCreate { p } => self.store(call, 0, surface_bytes(p)),
            Call::SurfaceRespecify { p } => self.store(call, surface(p.surface), surface_bytes(p)),
            Call::SurfaceDestroy { p } => self.store(call, surface(p.surface), 0),
            Call::ContextReset { .. } => {
                self.storage = 0;
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// A call, with what makes it expensive.
fn in_words(call: &Call<'_>) -> String {
    match call {
        Call::DrawVbo { p, .. } if p.flags.has(DrawFlags::INDIRECT) => {
            format!("a DrawVbo of {} indirect draws", p.indirect_draws)
        }
        Call::DrawVbo { p, ranges, .. } => {
            let vertices: u64 = ranges.iter().map(|r| u64::from(r.count)).sum();
            format!(
                "a DrawVbo of {vertices} vertices in {} instances",
                p.instances
            )
        }
        Call::LaunchGrid { p } => {
            let [x, y, z] = p.groups;
            format!("a LaunchGrid of {x}x{y}x{z} groups")
        }
        other => other.op().name().to_owned(),
    }
}

fn draw_cost(
    s: &PushedState,
    backend: &mut dyn Backend,
    p: &DrawInfo,
    ranges: &[DrawRange],
) -> u64 {
    if p.flags.has(DrawFlags::INDIRECT) {
        return indirect_cost(s, backend, p);
    }
    let vertices = ranges
        .iter()
        .map(|r| u64::from(r.count) + PER_INSTANCE)
        .fold(p.captured_vertices, u64::saturating_add);
    vertices.saturating_mul(u64::from(p.instances.max(1)))
}

/// What an indirect draw costs: its counts stand in a buffer (GL 4.6 §10.4: count, instances, first vertex …).
fn indirect_cost(s: &PushedState, backend: &mut dyn Backend, p: &DrawInfo) -> u64 {
    const COUNTS: u64 = 8;
    let of_draws = u64::from(p.indirect_draws).saturating_mul(PER_INSTANCE);
    let Some(c) = s.context() else {
        return of_draws;
    };
    let buffer = c.values.indirect.draw;
    let Ok(size) = s.buffers.get(buffer).map(|b| b.desc.size) else {
        return of_draws;
    };
    let stride = match (p.indirect_stride, p.index_size) {
        (0, 0) => 16,
        (0, _) => 20,
        (n, _) => u64::from(n),
    };
    let room = size.saturating_sub(p.indirect_offset);
    let draws = u64::from(p.indirect_draws).min(room / stride + 1);
    let bytes = draws.saturating_mul(stride).min(room);
    // More draws than a reply can hold: their number alone is too much.
    if !(COUNTS..=MAX_BLOB).contains(&bytes) {
        return of_draws;
    }
    let range = BufferRange {
        buffer,
        offset: p.indirect_offset,
        size: bytes,
    };
    // A buffer that cannot be read is the draw's own fault to report.
    let read = backend.buffer_read(s, &range).unwrap_or_default();
    read.chunks(stride as usize)
        .filter_map(|draw| draw.first_chunk::<8>())
        .map(|b| {
            let word =
                |at: usize| u64::from(u32::from_le_bytes([b[at], b[at + 1], b[at + 2], b[at + 3]]));
            (word(0) + PER_INSTANCE).saturating_mul(word(4))
        })
        .fold(of_draws, u64::saturating_add)
}

fn group_cost(p: &GridInfo) -> u64 {
    p.groups
        .iter()
        .fold(PER_GROUP, |n, g| n.saturating_mul(u64::from(*g)))
}

fn desc(s: &PushedState, r: ResourceHandle) -> Option<ResourceDesc> {
    match r.kind {
        HandleKind::BUFFER => s.buffers.get(BufferHandle(r.handle)).ok().map(|e| e.desc),
        HandleKind::TEXTURE => s.textures.get(TextureHandle(r.handle)).ok().map(|e| e.desc),
        HandleKind::RENDERBUFFER => {
            let h = RenderbufferHandle(r.handle);
            s.renderbuffers.get(h).ok().map(|e| e.desc)
        }
        _ => None,
    }
}

/// Bytes of a texel of a format; 4 where it is none.
fn texel(format: mgl_core::format::Format) -> u64 {
    format.info().map_or(4, |f| (f.bytes as u64).max(1))
}

/// Bytes of a resource; none for what only views another one.
fn resource_bytes(d: &ResourceDesc) -> u64 {
    if d.target == Target::BUFFER {
        return d.size;
    }
    if d.target == Target::TEXTURE_BUFFER || !d.view_of.is_null() {
        return 0;
    }
    let base = [d.width, d.height, d.depth, d.layers, d.samples.max(1)]
        .iter()
        .fold(texel(d.format), |n, v| n.saturating_mul(u64::from(*v)));
    // All smaller levels together: a third of the first one, or as much again where it is a line of texels.
    let smaller = if d.height > 1 { base / 3 } else { base };
    match d.levels {
        0 | 1 => base,
        _ => base.saturating_add(smaller),
    }
}

fn surface_bytes(d: &SurfaceDesc) -> u64 {
    let samples = u64::from(d.samples.max(1));
    let texels = u64::from(d.width) * u64::from(d.height) * samples;
    // Colour, front and back, and depth.
    texels.saturating_mul(2 * texel(d.color) + 4)
}

fn volume(b: &Box3) -> u64 {
    u64::from(b.width)
        .saturating_mul(u64::from(b.height))
        .saturating_mul(u64::from(b.depth))
}

/// Bytes of a framebuffer's buffers that a mask names.
fn framebuffer_bytes(fb: &FramebufferState, mask: BufferMask) -> u64 {
    const A_TEXEL: u64 = 8;
    let buffers = u64::from(mask.0.count_ones());
    u64::from(fb.width)
        .saturating_mul(u64::from(fb.height))
        .saturating_mul(A_TEXEL * buffers)
}

/// Bytes that a call writes, copies or reads; whether they are a reply.
fn bytes_of(s: &PushedState, call: &Call<'_>) -> (u64, bool) {
    let texture = |h: TextureHandle| s.textures.get(h).ok().map(|e| e.desc);
    let of_level = |d: Option<ResourceDesc>, b: &Box3| {
        let texel = d.map_or(4, |d| texel(d.format) * u64::from(d.samples.max(1)));
        volume(b).saturating_mul(texel)
    };
    match call {
        Call::ResourceSubData { p, bytes, .. } => {
            let of_box = of_level(desc(s, p.resource), &p.union_box);
            (of_box.max(bytes.len() as u64), false)
        }
        Call::BufferSubDataResident { bytes, .. } => (bytes.len() as u64, false),
        Call::ResourceReadback { p } => (p.size, true),
        Call::ResourceCopyRegion { p } => match desc(s, p.src) {
            Some(d) if d.target == Target::BUFFER => (u64::from(p.src_box.width), false),
            d => (of_level(d, &p.src_box), false),
        },
        Call::ClearResource { p } => match desc(s, p.resource) {
            Some(d) if d.target == Target::BUFFER => (p.size, false),
            d => (of_level(d, &p.area), false),
        },
        Call::GenerateMipmap { p } => (texture(p.texture).map_or(0, |d| resource_bytes(&d)), false),
        Call::GetTextureImage { p } => (of_level(texture(p.texture), &p.area), true),
        Call::CopyFramebufferToTexture { p } => (of_level(texture(p.texture), &p.area), false),
        Call::Clear { p } => {
            let fb = s.context().map(|c| &c.values.draw_framebuffer);
            (fb.map_or(0, |fb| framebuffer_bytes(fb, p.buffers)), false)
        }
        Call::Blit { p } => {
            let fb = s.context().map(|c| &c.values.draw_framebuffer);
            (fb.map_or(0, |fb| framebuffer_bytes(fb, p.buffers)), false)
        }
        Call::ReadPixels { p } => {
            let texels = u64::from(p.width) * u64::from(p.height);
            (texels.saturating_mul(texel(p.format)), true)
        }
        _ => (0, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgl_core::format::Format;

    #[test]
    fn limits_are_numbers_or_none() {
        assert_eq!("12".parse(), Ok(Limit::Times(12)));
        assert_eq!("none".parse(), Ok(Limit::None));
        for wrong in ["0", "-1", "1.5", "", "all"] {
            assert!(wrong.parse::<Limit>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn textures_take_their_levels_layers_and_samples() {
        let desc = |width, height, levels| ResourceDesc {
            target: Target::TEXTURE_2D,
            format: Format::RGBA8,
            width,
            height,
            depth: 1,
            layers: 6,
            levels,
            samples: 4,
            ..ResourceDesc::default()
        };
        let one = 16 * 16 * 4 * 6 * 4;
        assert_eq!(resource_bytes(&desc(16, 16, 1)), one);
        assert_eq!(resource_bytes(&desc(16, 16, 5)), one + one / 3);
        assert_eq!(resource_bytes(&desc(256, 1, 9)), 2 * one);
        let most = desc(u32::MAX, u32::MAX, 32);
        assert_eq!(resource_bytes(&most), u64::MAX, "nothing overflows");
    }

    #[test]
    fn a_grid_of_the_largest_numbers_does_not_overflow() {
        let grid = GridInfo {
            groups: [u32::MAX; 3],
            ..GridInfo::default()
        };
        assert_eq!(group_cost(&grid), u64::MAX);
    }
}
