//! Texture units: for each sampler slot of the program the texture of the unit that it is bound to, and its sampler.
//!
//! Slots are native units: the generated ESSL has the slot as its binding. A slot whose unit has no view, or one that
//! the sampler cannot read, gets a black texture of one texel.

use super::context::{Seen, Unit};
use super::formats::Plan;
use super::objects::Image;
use super::samplers::LookUp;
use super::storage::Shape;
use super::views::Sampled;
use super::work::Work;
use glow::HasContext;
use mgl_core::format::{ComponentClass, Format};
use mgl_core::handle::{ShaderHandle, TextureHandle};
use mgl_core::pipe::*;
use mgl_core::program::{ComponentKind, SamplerDim, SamplerShape};

/// Stand-ins, by what the sampler reads.
#[derive(Debug, Default)]
pub struct Dummies {
    made: Vec<(SamplerShape, Image)>,
}

impl Dummies {
    /// Ends all of them.
    pub fn clear(&mut self, dev: &super::device::Device) {
        for (_, image) in self.made.drain(..) {
            image.delete(dev);
        }
    }
}

/// A texture that is bound for the program in use.
#[derive(Debug, Clone, Copy)]
pub struct InUse {
    texture: TextureHandle,
    pushed: Option<TextureParams>,
}

/// The native target that a sampler type reads.
pub fn target_of(shape: SamplerShape) -> u32 {
    match (shape.dim, shape.arrayed, shape.multisample) {
        (SamplerDim::D1 | SamplerDim::D2 | SamplerDim::Rect, false, false) => glow::TEXTURE_2D,
        (SamplerDim::D1 | SamplerDim::D2 | SamplerDim::Rect, true, false) => glow::TEXTURE_2D_ARRAY,
        (SamplerDim::D1 | SamplerDim::D2 | SamplerDim::Rect, false, true) => {
            glow::TEXTURE_2D_MULTISAMPLE
        }
        (SamplerDim::D1 | SamplerDim::D2 | SamplerDim::Rect, true, true) => {
            glow::TEXTURE_2D_MULTISAMPLE_ARRAY
        }
        (SamplerDim::D3, ..) => glow::TEXTURE_3D,
        (SamplerDim::Cube, false, _) => glow::TEXTURE_CUBE_MAP,
        (SamplerDim::Cube, true, _) => glow::TEXTURE_CUBE_MAP_ARRAY,
        (SamplerDim::Buffer, ..) => glow::TEXTURE_BUFFER,
    }
}

/// Whether a sampler type may read a format: anything else is undefined in GL and an error in OpenGL ES.
fn fits(shape: SamplerShape, sampled: &Sampled) -> bool {
    let class = match sampled.plan.info.class {
        ComponentClass::Sint => ComponentKind::Int,
        ComponentClass::Uint | ComponentClass::Stencil => ComponentKind::Uint,
        _ => ComponentKind::Float,
    };
    // A depth-stencil texture yields unsigned integers when its mode says stencil.
    let stencil = sampled.plan.info.class == ComponentClass::DepthStencil
        && shape.component == ComponentKind::Uint;
    target_of(shape) == sampled.target && (class == shape.component || stencil)
}

impl Work<'_> {
    /// Binds textures and samplers for the program in use, if anything that they depend on has moved.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] for what the context cannot sample.
    pub fn follow_textures(
        &mut self,
        s: &PushedState,
        h: ShaderHandle,
        variant: usize,
    ) -> Result<(), BackendError> {
        let program = self
            .obj
            .programs
            .get(h)
            .map_err(|e| BackendError::Driver(e.to_string()))?;
        if program.slots.is_empty() {
            return Ok(());
        }
        let serial = program.variant(variant).serial;
        let c = self.context(s)?;
        let bindings = s.programs.get(h).map_or(0, |p| p.bindings_generation);
        let seen = &mut self.ctx.seen;
        let moved = seen.moved(Group::SamplerViews, c.generation(Group::SamplerViews))
            | seen.moved(Group::SamplerStates, c.generation(Group::SamplerStates))
            | (seen.textures_epoch != self.obj.epoch)
            | (seen.units_program != serial)
            | (seen.units_bindings != bindings);
        // Parameters are pushed without a group: each texture in use is looked at.
        let params_moved = || {
            self.ctx.in_use.iter().any(|u| {
                s.textures
                    .get(u.texture)
                    .is_ok_and(|entry| entry.params != u.pushed)
            })
        };
        if !moved && !params_moved() {
            return Ok(());
        }
        self.ctx.in_use.clear();
        self.ctx.look_ups.clear();
        self.ctx.seen.textures_epoch = Seen::NEVER;
        let count = program.slots.len();
        if count > self.dev.gl.limits.texture_units as usize {
            return Err(BackendError::Unsupported(format!("{count} samplers")));
        }
        for slot in 0..count {
            self.bind_slot(s, h, slot)?;
        }
        let seen = &mut self.ctx.seen;
        seen.units_program = serial;
        seen.units_bindings = bindings;
        seen.textures_epoch = self.obj.epoch;
        Ok(())
    }

    fn bind_slot(
        &mut self,
        s: &PushedState,
        h: ShaderHandle,
        slot: usize,
    ) -> Result<(), BackendError> {
        let values = &self.context(s)?.values;
        let shape = self
            .obj
            .programs
            .get(h)
            .map_err(|e| BackendError::Driver(e.to_string()))?
            .slots[slot];
        let unit = s.programs.get(h).ok().and_then(|p| {
            let found = p.bindings.samplers.iter().find(|b| b.slot as usize == slot);
            found.map(|b| b.unit)
        });
        let bound = unit.and_then(|u| values.views.iter().find(|v| v.unit == u));
        let mut sampled = None;
        if let Some(b) = bound {
            sampled = self.sampled(s, b)?.filter(|t| fits(shape, t));
            let pushed = s.textures.get(b.texture).ok().and_then(|t| t.params);
            self.ctx.in_use.push(InUse {
                texture: b.texture,
                pushed,
            });
        }
        let (sampled, sampler) = match (sampled, bound) {
            (Some(t), Some(b)) => {
                let given = values.samplers.iter().find(|x| Some(x.unit) == unit);
                let own = s.textures.get(b.texture).ok().and_then(|t| t.params);
                let handle = given
                    .map(|x| x.sampler)
                    .or(own.map(|p| p.sampler))
                    .unwrap_or_default();
                (t, self.sampler(s, handle)?)
            }
            _ => (self.dummy(shape)?, self.nearest_sampler()?),
        };
        self.ctx.look_ups.push(LookUp {
            faces_alone: sampler.look_up.faces_alone && sampled.target == glow::TEXTURE_CUBE_MAP,
            ..sampler.look_up
        });
        self.bind_unit(slot as u32, &sampled, sampler.name, sampler.serial);
        Ok(())
    }

    /// Binds a texture and a sampler to a native unit.
    pub fn bind_unit(&mut self, unit: u32, t: &Sampled, sampler: glow::Sampler, serial: u64) {
        let old = self.ctx.shadow.units[unit as usize];
        let new = Unit {
            texture: t.serial,
            sampler: serial,
        };
        if old.texture != new.texture {
            self.ctx.activate(self.dev, unit);
            self.dev.tally.texture_binds.one();
            // SAFETY: the context is current, and the texture lives.
            unsafe { self.dev.gl.glow.bind_texture(t.target, Some(t.name)) };
        }
        if old.sampler != new.sampler {
            self.dev.tally.sampler_binds.one();
            // SAFETY: the context is current, and the sampler lives.
            unsafe { self.dev.gl.glow.bind_sampler(unit, Some(sampler)) };
        }
        self.ctx.shadow.units[unit as usize] = new;
    }

    fn dummy(&mut self, shape: SamplerShape) -> Result<Sampled, BackendError> {
        let found = self.obj.dummies.made.iter().find(|d| d.0 == shape);
        let image = match found {
            Some((_, image)) => *image,
            None => {
                let image = self.make_dummy(shape)?;
                self.obj.dummies.made.push((shape, image));
                image
            }
        };
        let (name, target) = image
            .texture()
            .ok_or_else(|| BackendError::Driver("a stand-in is no texture".into()))?;
        Ok(Sampled {
            name,
            target,
            serial: image.serial,
            plan: image.plan,
        })
    }

    fn make_dummy(&mut self, shape: SamplerShape) -> Result<Image, BackendError> {
        let format = match (shape.component, shape.shadow) {
            (_, true) => Format::DEPTH_COMPONENT16,
            (ComponentKind::Int, _) => Format::RGBA8I,
            (ComponentKind::Uint, _) => Format::RGBA8UI,
            _ => Format::RGBA8,
        };
        let target = target_of(shape);
        if target == glow::TEXTURE_BUFFER {
            return self.make_dummy_buffer_texture(format);
        }
        let multisample = matches!(
            target,
            glow::TEXTURE_2D_MULTISAMPLE | glow::TEXTURE_2D_MULTISAMPLE_ARRAY
        );
        self.make_image(&Shape {
            target,
            format,
            width: 1,
            height: 1,
            depth: match target {
                glow::TEXTURE_CUBE_MAP | glow::TEXTURE_CUBE_MAP_ARRAY => 6,
                _ => 1,
            },
            levels: 1,
            samples: if multisample { 2 } else { 0 },
            fixed_locations: true,
            zero: true,
        })
    }

    fn make_dummy_buffer_texture(&mut self, format: Format) -> Result<Image, BackendError> {
        let plan = Plan::of(format, &self.dev.gl.has)?;
        let place = self.zeros(1024)?;
        self.make_buffer_texture(plan, place.name, place.offset, 1024)
    }
}
