//! A share group: the objects that several contexts see, and the sweep that ends objects whose names are gone.

use super::buffer::Buffer;
use super::framebuffer::Framebuffer;
use super::names::{Id, NameTable};
use super::program::{Program, Shader};
use super::renderbuffer::Renderbuffer;
use super::sampler::Sampler;
use super::sync::Sync;
use super::texture::Texture;
use crate::context::ContextState;
use crate::pipe::Pipe;
use std::collections::BTreeSet;

/// Objects of a share group.
#[derive(Default)]
pub struct Share {
    /// Buffer objects.
    pub buffers: NameTable<Buffer>,
    /// Textures, the default texture of each target (name 0) apart: those are in [`Share::default_textures`].
    pub textures: NameTable<Texture>,
    /// Textures named 0, by [`super::texture::TextureTarget`] index; made when first used.
    pub default_textures: Vec<Option<Id<Texture>>>,
    /// Renderbuffers.
    pub renderbuffers: NameTable<Renderbuffer>,
    /// Sampler objects.
    pub samplers: NameTable<Sampler>,
    /// Programs; shaders and programs share one name space, kept by `program_names`.
    pub programs: NameTable<Program>,
    /// Shaders.
    pub shaders: NameTable<Shader>,
    /// Sync objects by their GLsync value.
    pub syncs: NameTable<Sync>,
    /// What the tracker made for the group: sampler CSOs, views, textures that stand in for incomplete ones.
    pub objects: crate::tracker::textures::Objects,
    /// Contexts of the group that live.
    pub contexts: u32,
    /// Names ended since the last sweep.
    pub deleted: usize,
    /// So many make the next sweep due, if that is more than [`SWEEP_AFTER`].
    sweep_after: usize,
}

/// Names that may end before a sweep is due. Programs that show nothing would otherwise keep what they end.
const SWEEP_AFTER: usize = 64;

/// Ids that something still refers to.
#[derive(Default)]
pub struct References {
    /// Buffers.
    pub buffers: BTreeSet<Id<Buffer>>,
    /// Textures.
    pub textures: BTreeSet<Id<Texture>>,
    /// Renderbuffers.
    pub renderbuffers: BTreeSet<Id<Renderbuffer>>,
    /// Samplers.
    pub samplers: BTreeSet<Id<Sampler>>,
    /// Programs.
    pub programs: BTreeSet<Id<Program>>,
    /// Shaders.
    pub shaders: BTreeSet<Id<Shader>>,
}

impl References {
    /// What a framebuffer is attached to.
    pub fn framebuffer(&mut self, f: &Framebuffer) {
        f.references(self);
    }
}

impl Share {
    /// Whether any object waits for its last reference to go.
    pub fn has_zombies(&self) -> bool {
        !(self.buffers.zombies().is_empty()
            && self.textures.zombies().is_empty()
            && self.renderbuffers.zombies().is_empty()
            && self.samplers.zombies().is_empty()
            && self.programs.zombies().is_empty()
            && self.shaders.zombies().is_empty())
    }

    /// Whether a sweep is due before the next Present: as many names have ended since the last one as pay for it.
    #[inline]
    #[must_use]
    pub fn is_sweep_due(&self) -> bool {
        self.deleted >= SWEEP_AFTER && self.deleted >= self.sweep_after
    }

    /// Makes a sweep due if there is anything to be swept.
    pub fn request_sweep(&mut self) {
        if self.has_zombies() {
            self.deleted = usize::MAX;
        }
    }

    /// Ends the zombies that none of the group's `contexts` refers to: textures before buffers (a buffer texture holds
    /// its buffer), programs before shaders.
    pub fn sweep<'a>(&mut self, contexts: impl Iterator<Item = &'a ContextState>, pipe: &mut Pipe) {
        self.deleted = 0;
        if !self.has_zombies() {
            return;
        }
        let mut refs = References::default();
        for c in contexts {
            c.references(&mut refs);
        }
        for p in self
            .programs
            .take_unreferenced(|id| refs.programs.contains(&id))
        {
            p.destroy(pipe);
        }
        for (_, p) in self.programs.objects.iter() {
            p.references(&mut refs);
        }
        self.shaders
            .take_unreferenced(|id| refs.shaders.contains(&id));
        for t in self
            .textures
            .take_unreferenced(|id| refs.textures.contains(&id))
        {
            // Views die before what they are of.
            self.objects.forget_views(t.handle(), pipe);
            t.destroy(pipe);
        }
        for (_, t) in self.textures.objects.iter() {
            t.references(&mut refs);
        }
        for r in self
            .renderbuffers
            .take_unreferenced(|id| refs.renderbuffers.contains(&id))
        {
            r.destroy(pipe);
        }
        for s in self
            .samplers
            .take_unreferenced(|id| refs.samplers.contains(&id))
        {
            s.destroy(pipe);
        }
        for b in self
            .buffers
            .take_unreferenced(|id| refs.buffers.contains(&id))
        {
            b.destroy(pipe);
        }
        // A sweep looks at what refers to objects: the more there are, the more names pay for one.
        self.sweep_after = (self.buffers.objects.len()
            + self.textures.objects.len()
            + self.programs.objects.len())
            / 4;
    }

    /// Ends everything: the last context of the group is gone.
    pub fn destroy(mut self, pipe: &mut Pipe) {
        fn all<T>(mut t: NameTable<T>) -> Vec<T> {
            let ids: Vec<_> = t.objects.iter().map(|(id, _)| id).collect();
            ids.into_iter()
                .filter_map(|id| t.objects.remove(id))
                .collect()
        }
        all(self.programs).into_iter().for_each(|p| p.destroy(pipe));
        self.objects.destroy(pipe);
        all(self.textures).into_iter().for_each(|t| t.destroy(pipe));
        all(self.renderbuffers)
            .into_iter()
            .for_each(|r| r.destroy(pipe));
        all(self.samplers).into_iter().for_each(|s| s.destroy(pipe));
        all(self.buffers).into_iter().for_each(|b| b.destroy(pipe));
        all(self.syncs).into_iter().for_each(|s| s.destroy(pipe));
    }
}
