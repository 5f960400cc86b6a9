//! Texture units, proxies and pixel store modes of a context (GL 4.6 §8.1, §8.4.1, §8.22).

use super::{ImageSpec, Texture, TextureTarget};
use crate::pixel::PixelStore;
use crate::state::dirty::{PixelStoreState, TextureBindings, TextureParams};
use crate::state::sampler::Sampler;
use crate::state::{Id, References, Token};
use mgl_core::pipe::MAX_TEXTURE_UNITS;
use std::collections::BTreeMap;

/// What is bound to a texture unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unit {
    textures: [Option<Id<Texture>>; TextureTarget::COUNT],
    sampler: Option<Id<Sampler>>,
}

impl Unit {
    /// The texture of a target; `None` is the default texture.
    #[inline]
    #[must_use]
    pub fn texture(&self, target: TextureTarget) -> Option<Id<Texture>> {
        self.textures[target.index()]
    }
    /// The sampler object; `None` leaves the texture's own parameters in effect.
    #[inline]
    #[must_use]
    pub fn sampler(&self) -> Option<Id<Sampler>> {
        self.sampler
    }
}

/// A context's texture units and pixel store state.
#[derive(Default)]
pub struct TextureState {
    /// Up to the highest unit that was ever touched.
    units: Vec<Unit>,
    active: u32,
    seamless: bool,
    unpack: PixelStore,
    pack: PixelStore,
    /// What the last accepted proxy calls asked for, by target and level.
    proxies: BTreeMap<(TextureTarget, u32), ImageSpec>,
}

impl TextureState {
    /// Adds what the units refer to.
    pub fn references(&self, refs: &mut References) {
        for u in &self.units {
            refs.textures.extend(u.textures.iter().flatten());
            refs.samplers.extend(u.sampler);
        }
    }

    /// Selected unit, from 0.
    #[inline]
    #[must_use]
    pub fn active(&self) -> u32 {
        self.active
    }
    /// glActiveTexture. No draw depends on it.
    pub fn set_active(&mut self, unit: u32) {
        self.active = unit.min(MAX_TEXTURE_UNITS - 1);
    }
    /// What is bound to a unit.
    #[inline]
    #[must_use]
    pub fn unit(&self, unit: u32) -> Unit {
        self.units.get(unit as usize).copied().unwrap_or_default()
    }
    /// What is bound to the selected unit.
    #[inline]
    #[must_use]
    pub fn active_unit(&self) -> Unit {
        self.unit(self.active)
    }
    fn unit_mut(&mut self, unit: u32) -> &mut Unit {
        let i = unit.min(MAX_TEXTURE_UNITS - 1) as usize;
        if self.units.len() <= i {
            self.units.resize(i + 1, Unit::default());
        }
        &mut self.units[i]
    }
    /// Binds a texture to a unit.
    pub fn bind(
        &mut self,
        unit: u32,
        target: TextureTarget,
        texture: Option<Id<Texture>>,
        _: Token<TextureBindings>,
    ) {
        self.unit_mut(unit).textures[target.index()] = texture;
    }
    /// Binds a sampler object to a unit.
    pub fn bind_sampler(
        &mut self,
        unit: u32,
        sampler: Option<Id<Sampler>>,
        _: Token<TextureBindings>,
    ) {
        self.unit_mut(unit).sampler = sampler;
    }
    /// Unbinds a texture from every unit: it was deleted (GL 4.6 §8.1).
    pub fn unbind(&mut self, texture: Id<Texture>, _: Token<TextureBindings>) {
        for t in self.units.iter_mut().flat_map(|u| &mut u.textures) {
            if *t == Some(texture) {
                *t = None;
            }
        }
    }
    /// Unbinds a sampler object from every unit: it was deleted (GL 4.6 §8.2).
    pub fn unbind_sampler(&mut self, sampler: Id<Sampler>, _: Token<TextureBindings>) {
        for u in &mut self.units {
            if u.sampler == Some(sampler) {
                u.sampler = None;
            }
        }
    }

    /// Whether `GL_TEXTURE_CUBE_MAP_SEAMLESS` is enabled.
    #[inline]
    #[must_use]
    pub fn seamless(&self) -> bool {
        self.seamless
    }
    /// Enables or disables `GL_TEXTURE_CUBE_MAP_SEAMLESS`.
    pub fn set_seamless(&mut self, on: bool, _: Token<TextureParams>) {
        self.seamless = on;
    }

    /// `GL_UNPACK_*`
    #[must_use]
    pub fn unpack_store(&self) -> &PixelStore {
        &self.unpack
    }
    /// `GL_PACK_*`
    #[must_use]
    pub fn pack_store(&self) -> &PixelStore {
        &self.pack
    }
    /// Replaces the unpack modes.
    pub fn set_unpack_store(&mut self, s: PixelStore, _: Token<PixelStoreState>) {
        self.unpack = s;
    }
    /// Replaces the pack modes.
    pub fn set_pack_store(&mut self, s: PixelStore, _: Token<PixelStoreState>) {
        self.pack = s;
    }

    /// What the last proxy call for a level asked for, if that was acceptable.
    #[must_use]
    pub fn proxy(&self, target: TextureTarget, level: u32) -> Option<&ImageSpec> {
        self.proxies.get(&(target, level))
    }
    /// Remembers a proxy call; `None` where it asked for too much.
    pub fn set_proxy(&mut self, target: TextureTarget, level: u32, spec: Option<ImageSpec>) {
        match spec {
            Some(s) => {
                self.proxies.insert((target, level), s);
            }
            None => {
                self.proxies.remove(&(target, level));
            }
        }
    }
}
