//! Resources, and room for what state names of them.
//!
//! A buffer may have become smaller since a range of it was bound, and a texture may have lost levels or layers since one
//! was attached; no such binding can be said of the resource as it is. So it is made large enough at first, and takes its
//! shape when all bindings are there. The same goes for a texture whose storage owner comes behind it.

use super::super::calls::Call;
use super::super::limits::level_extent;
use super::super::payload::*;
use super::super::pushed::PushedState;
use super::{EmissionError, Emitter};
use crate::format::Format;
use crate::handle::*;
use std::collections::{BTreeMap, BTreeSet};

/// Levels, slices and layers that a texture has to have.
#[derive(Clone, Copy, Default)]
struct Shape {
    levels: u32,
    depth: u32,
    layers: u32,
}

/// What has to be larger at first.
pub(super) struct Room {
    /// Bytes.
    buffers: BTreeMap<Handle, u64>,
    textures: BTreeMap<Handle, Shape>,
    /// Textures that are made in another shape, or without their storage owner.
    provisional: BTreeSet<Handle>,
}

impl Room {
    /// What the bindings of a state need.
    pub fn of(s: &PushedState) -> Self {
        let mut room = Self {
            buffers: BTreeMap::new(),
            textures: BTreeMap::new(),
            provisional: BTreeSet::new(),
        };
        for (_, t) in s.textures.iter() {
            let d = &t.desc;
            if d.target == Target::TEXTURE_BUFFER {
                room.range(s, d.buffer, d.offset, d.size);
            }
        }
        for (_, c) in s.contexts.iter() {
            let v = &c.values;
            let lists = [
                &v.uniform_buffers,
                &v.storage_buffers,
                &v.atomic_buffers,
                &v.stream_targets,
            ];
            let captured = c.captures.iter().map(|c| &c.targets);
            for b in lists.into_iter().chain(captured).flatten() {
                room.range(s, b.buffer, b.offset, b.size);
            }
            for f in [&v.draw_framebuffer, &v.read_framebuffer] {
                for a in f.color.iter().chain([&f.depth, &f.stencil, &f.read]) {
                    room.attachment(s, a);
                }
            }
        }
        for (_, v) in s.views.iter() {
            room.view(s, v);
        }
        let wanted = &room.provisional;
        room.textures.retain(|h, _| wanted.contains(h));
        room
    }

    fn range(&mut self, s: &PushedState, buffer: BufferHandle, offset: u64, size: u64) {
        let end = offset.saturating_add(size);
        if s.buffers.get(buffer).is_ok_and(|b| b.desc.size < end) {
            let needs = self.buffers.entry(buffer.raw()).or_default();
            *needs = end.max(*needs);
        }
    }

    fn attachment(&mut self, s: &PushedState, a: &Attachment) {
        let Some(t) = a.resource.typed::<TextureHandle>() else {
            return;
        };
        let Ok(d) = s.textures.get(t).map(|e| e.desc) else {
            return;
        };
        let slices = a.layer.saturating_add(1);
        let needs = match d.target {
            Target::TEXTURE_3D => Shape {
                levels: a.level.saturating_add(1),
                depth: slices.checked_shl(a.level).unwrap_or(u32::MAX),
                layers: 1,
            },
            _ => Shape {
                levels: a.level.saturating_add(1),
                depth: 1,
                layers: slices,
            },
        };
        let there = a.level < d.levels.max(1) && a.layer < level_extent(&d, a.level).2;
        self.shape(t, needs, there);
    }

    fn view(&mut self, s: &PushedState, v: &SamplerView) {
        let Ok(d) = s.textures.get(v.texture).map(|e| e.desc) else {
            return;
        };
        if d.target == Target::TEXTURE_BUFFER {
            return;
        }
        let needs = Shape {
            levels: v.first_level.saturating_add(v.levels),
            depth: 1,
            layers: v.first_layer.saturating_add(v.layers),
        };
        let there = needs.levels <= d.levels.max(1) && needs.layers <= d.layers.max(1);
        self.shape(v.texture, needs, there);
    }

    fn shape(&mut self, texture: TextureHandle, needs: Shape, there: bool) {
        let s = self.textures.entry(texture.raw()).or_default();
        s.levels = s.levels.max(needs.levels);
        s.depth = s.depth.max(needs.depth);
        s.layers = s.layers.max(needs.layers);
        if !there {
            self.provisional.insert(texture.raw());
        }
    }

    /// A buffer as it is made.
    fn first_buffer(&self, d: &ResourceDesc) -> ResourceDesc {
        let size = self.buffers.get(&d.resource.handle);
        ResourceDesc {
            size: size.copied().unwrap_or(d.size),
            ..*d
        }
    }

    /// A texture as it is made, but for its storage owner.
    fn first_texture(&self, d: &ResourceDesc) -> ResourceDesc {
        let Some(needs) = self.textures.get(&d.resource.handle) else {
            return *d;
        };
        let (levels, layers) = (needs.levels.max(1), needs.layers.max(1));
        if d.target == Target::TEXTURE_BUFFER {
            return ResourceDesc {
                levels,
                layers,
                ..*d
            };
        }
        // As many texels as that takes, of the smallest format: its own may be too large for so many.
        ResourceDesc {
            storage: StorageKind::MUTABLE,
            format: Format::R8,
            width: 1u32.checked_shl(levels - 1).unwrap_or(u32::MAX),
            height: 1,
            depth: needs.depth.max(1),
            layers,
            levels,
            samples: 0,
            view_of: TextureHandle::NULL,
            ..*d
        }
    }
}

impl Emitter<'_> {
    /// Buffers, textures with their parameters, renderbuffers. Samplers are there.
    pub(super) fn resources(&mut self, room: &Room) -> Result<(), EmissionError> {
        let state = self.state;
        for (_, b) in state.buffers.iter() {
            let p = &room.first_buffer(&b.desc);
            self.put(Call::ResourceCreate { p })?;
        }
        // Owners of storage before those that share it; who is left over waits for itself.
        let mut waiting: Vec<_> = state.textures.iter().collect();
        let mut made = BTreeSet::from([Handle::NULL]);
        while !waiting.is_empty() {
            let before = waiting.len();
            let mut later = Vec::new();
            for (h, t) in waiting {
                let first = room.first_texture(&t.desc);
                // Nobody asks whose storage a buffer texture has.
                let waits = first.target != Target::TEXTURE_BUFFER;
                if waits && !made.contains(&first.view_of.raw()) {
                    later.push((h, t));
                    continue;
                }
                self.put(Call::ResourceCreate { p: &first })?;
                made.insert(h.raw());
            }
            waiting = later;
            if waiting.len() == before {
                for (h, t) in waiting.drain(..) {
                    let p = &ResourceDesc {
                        view_of: TextureHandle::NULL,
                        ..room.first_texture(&t.desc)
                    };
                    self.put(Call::ResourceCreate { p })?;
                    made.insert(h.raw());
                }
            }
        }
        for p in state.textures.iter().filter_map(|(_, t)| t.params.as_ref()) {
            self.put(Call::SetTextureParams { p })?;
        }
        for (_, r) in state.renderbuffers.iter() {
            self.put(Call::ResourceCreate { p: &r.desc })?;
        }
        Ok(())
    }

    /// Gives the resources their shapes that were made in others. Textures first: a buffer texture's range may be one that
    /// its buffer has no more.
    pub(super) fn settle(&mut self, room: &Room) -> Result<(), EmissionError> {
        let state = self.state;
        let of_themselves = owners_of_themselves(state);
        for (h, t) in state.textures.iter() {
            if room.textures.contains_key(&h.raw()) || of_themselves.contains(&h.raw()) {
                self.put(Call::ResourceRespecify { p: &t.desc })?;
            }
        }
        for (h, b) in state.buffers.iter() {
            if room.buffers.contains_key(&h.raw()) {
                self.put(Call::ResourceRespecify { p: &b.desc })?;
            }
        }
        Ok(())
    }
}

/// Textures whose chain of storage owners does not end: respecified into each other.
fn owners_of_themselves(s: &PushedState) -> BTreeSet<Handle> {
    let owner = |h: Handle| {
        let t = s.textures.get(TextureHandle(h)).ok()?;
        Some(t.desc.view_of.raw()).filter(|o| !o.is_null())
    };
    let ends = |start: Handle| {
        let mut seen = BTreeSet::from([start]);
        let mut at = start;
        while let Some(next) = owner(at) {
            if !seen.insert(next) {
                return false;
            }
            at = next;
        }
        true
    };
    let all = s.textures.iter().map(|(h, _)| h.raw());
    all.filter(|&h| owner(h).is_some() && !ends(h)).collect()
}
