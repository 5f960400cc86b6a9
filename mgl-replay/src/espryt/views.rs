//! Sampler views: which GL texture object a view is sampled through, and the parameters that it needs.
//!
//! A view of whole layers in the texture's own format and target is the texture itself, with the view's levels as base
//! and maximum level. Any other view gets a GL texture view of its own. The pushed parameters of the texture apply to
//! both.

use super::context::Serial;
use super::device::Device;
use super::formats::Plan;
use super::objects::{Image, Name, Params};
use super::storage::native_target;
use super::work::Work;
use glow::HasContext;
use mgl_core::handle::{SamplerViewHandle, TypedHandle};
use mgl_core::pipe::*;

/// A GL texture view.
#[derive(Debug, Clone, Copy)]
struct Made {
    generation: u32,
    /// Storage that it views.
    owner: Serial,
    image: Image,
    params: Params,
}

/// By slot of the view.
#[derive(Debug, Default)]
pub struct Views {
    slots: Vec<Option<Made>>,
}

impl Views {
    /// Ends a view's object.
    pub fn delete(&mut self, dev: &Device, h: SamplerViewHandle) {
        if let Some(slot) = self.slots.get_mut(h.raw().slot as usize)
            && let Some(made) = slot.take()
        {
            made.image.delete(dev);
        }
    }

    /// Ends the objects that view storage which ended.
    pub fn delete_of(&mut self, dev: &Device, owner: Serial) {
        for slot in &mut self.slots {
            if slot.as_ref().is_some_and(|m| m.owner == owner)
                && let Some(made) = slot.take()
            {
                made.image.delete(dev);
            }
        }
    }

    /// Ends all objects.
    pub fn clear(&mut self, dev: &Device) {
        for made in self.slots.drain(..).flatten() {
            made.image.delete(dev);
        }
    }
}

/// A GL texture ready to be sampled.
#[derive(Debug, Clone, Copy)]
pub struct Sampled {
    /// GL object.
    pub name: glow::Texture,
    /// Its native target.
    pub target: u32,
    /// Identity.
    pub serial: Serial,
    /// Its format.
    pub plan: Plan,
}

impl Work<'_> {
    /// The GL texture of a bound view, with parameters as pushed. `None` where the texture has no storage.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] for views that the context lacks.
    pub fn sampled(
        &mut self,
        s: &PushedState,
        b: &BoundView,
    ) -> Result<Option<Sampled>, BackendError> {
        let driver = |e: mgl_core::pipe::table::HandleError| BackendError::Driver(e.to_string());
        let view = *s.views.get(b.view).map_err(driver)?;
        let Ok(texture) = self.obj.textures.get(b.texture).copied() else {
            return Ok(None);
        };
        let pushed = s.textures.get(b.texture).map_err(driver)?.params;
        let d = &texture.desc;
        if d.target == Target::TEXTURE_BUFFER {
            let (name, target) = match texture.image.texture() {
                Some(t) => t,
                None => return Ok(None),
            };
            return Ok(Some(Sampled {
                name,
                target,
                serial: texture.image.serial,
                plan: texture.image.plan,
            }));
        }
        let (base, max) = level_range(&view, pushed.as_ref());
        let same = view.format == d.format
            && native_target(view.target) == native_target(d.target)
            && view.first_layer == 0
            && view.layers == d.layers.max(1);
        let image = if same {
            let params = params_of(&texture.image.plan, pushed.as_ref(), base, max);
            if let Ok(t) = self.obj.textures.get_mut(b.texture) {
                let old = std::mem::replace(&mut t.params, params);
                t.pushed = pushed;
                let image = t.image;
                self.set_params(&image, &old, &params);
            }
            texture.image
        } else {
            let made = self.view_object(b.view, &view, &texture.image)?;
            let at = |level: u32| level.saturating_sub(view.first_level);
            let params = params_of(&made.plan, pushed.as_ref(), at(base), at(max));
            if let Some(Some(m)) = self.obj.views.slots.get_mut(b.view.raw().slot as usize) {
                let old = std::mem::replace(&mut m.params, params);
                self.set_params(&made, &old, &params);
            }
            made
        };
        Ok(image.texture().map(|(name, target)| Sampled {
            name,
            target,
            serial: image.serial,
            plan: image.plan,
        }))
    }

    fn view_object(
        &mut self,
        h: SamplerViewHandle,
        v: &SamplerView,
        owner: &Image,
    ) -> Result<Image, BackendError> {
        let at = h.raw().slot as usize;
        if let Some(Some(m)) = self.obj.views.slots.get(at)
            && m.generation == h.raw().generation
            && m.owner == owner.serial
        {
            return Ok(m.image);
        }
        let shape = ViewShape {
            format: v.format,
            target: native_target(v.target),
            first_level: v.first_level,
            levels: v.levels,
            first_layer: v.first_layer,
            layers: v.layers,
        };
        let image = self.make_view(owner, &shape)?;
        let slots = &mut self.obj.views.slots;
        if slots.len() <= at {
            slots.resize(at + 1, None);
        }
        let old = slots[at].replace(Made {
            generation: h.raw().generation,
            owner: owner.serial,
            image,
            params: Params::INITIAL,
        });
        if let Some(old) = old {
            old.image.delete(self.dev);
        }
        Ok(image)
    }

    /// Makes a GL texture view.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] when the context lacks them, or when the two formats are stored differently.
    pub fn make_view(&mut self, owner: &Image, v: &ViewShape) -> Result<Image, BackendError> {
        let (dev, gl) = (self.dev, &self.dev.gl.glow);
        let plan = Plan::of(v.format, &dev.gl.has)?;
        let Name::Texture(original, _) = owner.name else {
            return Err(BackendError::Unsupported("a view of a renderbuffer".into()));
        };
        if !dev.gl.has.texture_view {
            return Err(BackendError::Unsupported(format!(
                "a view of {} as {}",
                owner.plan.info.name, plan.info.name
            )));
        }
        if plan.upload_bytes != owner.plan.upload_bytes {
            return Err(BackendError::Unsupported(format!(
                "a view of {} as {}, which are stored with different sizes",
                owner.plan.info.name, plan.info.name
            )));
        }
        dev.check_errors("a texture view");
        // SAFETY: a context is current; the object is new, and the ranges are those that `apply` has checked.
        let name = unsafe {
            let name = gl.create_texture().map_err(BackendError::Driver)?;
            dev.tally.textures_made.one();
            dev.tally.texture_views_made.one();
            dev.gl.es.TextureViewEXT(
                name.0.get(),
                v.target,
                original.0.get(),
                plan.internal,
                v.first_level,
                v.levels,
                v.first_layer,
                v.layers,
            );
            name
        };
        let at_level = |n: u32| n.checked_shr(v.first_level).unwrap_or(0).max(1);
        let image = Image {
            name: Name::Texture(name, v.target),
            serial: self.obj.serial(),
            plan,
            width: at_level(owner.width),
            height: at_level(owner.height),
            depth: if v.target == glow::TEXTURE_3D {
                at_level(owner.depth)
            } else {
                v.layers
            },
            levels: v.levels,
            samples: owner.samples,
            of_surface: false,
        };
        if let Err(e) = dev.gl.check("a texture view") {
            image.delete(dev);
            return Err(e);
        }
        Ok(image)
    }

    /// Makes `new` the parameters of a GL texture that has `old`.
    pub fn set_params(&mut self, image: &Image, old: &Params, new: &Params) {
        if old == new {
            return;
        }
        let Some((name, target)) = image.texture() else {
            return;
        };
        if matches!(
            target,
            glow::TEXTURE_2D_MULTISAMPLE | glow::TEXTURE_2D_MULTISAMPLE_ARRAY
        ) && old.swizzle == new.swizzle
            && old.stencil == new.stencil
        {
            return;
        }
        self.ctx.bind_for_work(self.dev, target, name, image.serial);
        let gl = &self.dev.gl.glow;
        let multisample = image.samples > 0;
        // SAFETY: the texture is bound; the values are GL's own.
        unsafe {
            let set = |what: u32, value: u32| gl.tex_parameter_i32(target, what, value as i32);
            if old.base != new.base && !multisample {
                set(glow::TEXTURE_BASE_LEVEL, new.base);
            }
            if old.max != new.max && !multisample {
                set(glow::TEXTURE_MAX_LEVEL, new.max);
            }
            for (i, what) in [
                glow::TEXTURE_SWIZZLE_R,
                glow::TEXTURE_SWIZZLE_G,
                glow::TEXTURE_SWIZZLE_B,
                glow::TEXTURE_SWIZZLE_A,
            ]
            .into_iter()
            .enumerate()
            {
                if old.swizzle[i] != new.swizzle[i] {
                    set(what, new.swizzle[i].0);
                }
            }
            if old.stencil != new.stencil {
                let mode = if new.stencil {
                    glow::STENCIL_INDEX
                } else {
                    glow::DEPTH_COMPONENT
                };
                set(glow::DEPTH_STENCIL_TEXTURE_MODE, mode);
            }
        }
    }
}

/// What a GL texture view shows.
#[derive(Debug, Clone, Copy)]
pub struct ViewShape {
    /// Format.
    pub format: mgl_core::format::Format,
    /// Native target.
    pub target: u32,
    /// First level of the owner.
    pub first_level: u32,
    /// Levels.
    pub levels: u32,
    /// First layer of the owner.
    pub first_layer: u32,
    /// Layers.
    pub layers: u32,
}

/// First and last level that may be sampled, counted in the owner: the view's, inside the texture's own range.
fn level_range(v: &SamplerView, p: Option<&TextureParams>) -> (u32, u32) {
    let last = v.first_level.saturating_add(v.levels.max(1) - 1);
    match p {
        None => (v.first_level, last),
        Some(p) => {
            let base = p.base_level.clamp(v.first_level, last);
            (base, p.max_level.clamp(base, last))
        }
    }
}

fn params_of(plan: &Plan, p: Option<&TextureParams>, base: u32, max: u32) -> Params {
    let mut swizzle = p.map_or(Params::INITIAL.swizzle, |p| p.swizzle);
    if plan.widen.is_some() {
        for s in &mut swizzle {
            if *s == Swizzle::ALPHA {
                *s = Swizzle::ONE;
            }
        }
    }
    Params {
        base,
        max,
        swizzle,
        stencil: p.is_some_and(|p| p.depth_stencil_mode == DepthStencilMode::STENCIL_INDEX)
            && plan.info.has_stencil()
            && plan.info.has_depth(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_those_of_view_and_texture() {
        let view = |first_level, levels| SamplerView {
            first_level,
            levels,
            ..SamplerView::default()
        };
        let params = |base_level, max_level| TextureParams {
            base_level,
            max_level,
            ..TextureParams::default()
        };
        assert_eq!(level_range(&view(0, 4), None), (0, 3));
        assert_eq!(level_range(&view(0, 4), Some(&params(1, 1000))), (1, 3));
        assert_eq!(level_range(&view(1, 2), Some(&params(0, 1000))), (1, 2));
        assert_eq!(level_range(&view(0, 1), Some(&params(7, 2))), (0, 0));
        assert_eq!(level_range(&view(0, 4), Some(&params(2, 1))), (2, 2));
    }
}
