//! Texture units: for each sampler slot of the program the texture of the unit that it is bound to, and its sampler.
//!
//! A slot whose unit has no view, or one that the sampler cannot read, gets a black texture of one texel.

use super::Magma;
use super::images::{Shape, ViewKey};
use super::instance::error;
use super::objects::{ImageId, Storage, Texels};
use super::recorder::Garbage;
use super::targets::context;
use ash::vk;
use mgl_core::format::{ComponentClass, Format, FormatInfo};
use mgl_core::handle::{BufferHandle, ShaderHandle, TextureHandle};
use mgl_core::pipe::*;
use mgl_core::program::{ComponentKind, SamplerDim, SamplerShape};

/// What a sampler slot reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Slot {
    /// View of an image; null for buffer textures.
    pub view: vk::ImageView,
    /// Its sampler.
    pub sampler: vk::Sampler,
    /// View of a buffer.
    pub texels: vk::BufferView,
    /// The image.
    pub image: Option<ImageId>,
    /// The buffer.
    pub buffer: Option<BufferHandle>,
    /// The layout that the image is in.
    pub layout: vk::ImageLayout,
    /// The device filters its format linearly.
    pub filterable: bool,
}

/// A texture that is bound for the program in use.
#[derive(Debug, Clone, Copy)]
pub struct InUse {
    texture: TextureHandle,
    pushed: Option<TextureParams>,
}

/// Stand-ins, by what the sampler reads.
#[derive(Debug, Default)]
pub struct Dummies {
    images: Vec<(SamplerShape, ImageId)>,
    texels: Vec<(ComponentKind, vk::BufferView)>,
}

impl Dummies {
    /// Forgets all; the images end with all others, the views are given out.
    pub fn take(&mut self) -> Vec<vk::BufferView> {
        self.images.clear();
        std::mem::take(&mut self.texels)
            .into_iter()
            .map(|t| t.1)
            .collect()
    }
}

/// The kind of view that a sampler type reads.
pub fn kind_of(shape: SamplerShape) -> vk::ImageViewType {
    match (shape.dim, shape.arrayed) {
        (SamplerDim::D1, false) => vk::ImageViewType::TYPE_1D,
        (SamplerDim::D1, true) => vk::ImageViewType::TYPE_1D_ARRAY,
        (SamplerDim::D3, _) => vk::ImageViewType::TYPE_3D,
        (SamplerDim::Cube, false) => vk::ImageViewType::CUBE,
        (SamplerDim::Cube, true) => vk::ImageViewType::CUBE_ARRAY,
        (_, false) => vk::ImageViewType::TYPE_2D,
        (_, true) => vk::ImageViewType::TYPE_2D_ARRAY,
    }
}

/// The kind of view of a texture target, and whether it has samples.
fn kind_of_target(t: Target) -> Option<(vk::ImageViewType, bool)> {
    Some(match t {
        Target::TEXTURE_1D => (vk::ImageViewType::TYPE_1D, false),
        Target::TEXTURE_1D_ARRAY => (vk::ImageViewType::TYPE_1D_ARRAY, false),
        Target::TEXTURE_2D | Target::TEXTURE_RECTANGLE => (vk::ImageViewType::TYPE_2D, false),
        Target::TEXTURE_2D_ARRAY => (vk::ImageViewType::TYPE_2D_ARRAY, false),
        Target::TEXTURE_3D => (vk::ImageViewType::TYPE_3D, false),
        Target::TEXTURE_CUBE_MAP => (vk::ImageViewType::CUBE, false),
        Target::TEXTURE_CUBE_MAP_ARRAY => (vk::ImageViewType::CUBE_ARRAY, false),
        Target::TEXTURE_2D_MULTISAMPLE => (vk::ImageViewType::TYPE_2D, true),
        Target::TEXTURE_2D_MULTISAMPLE_ARRAY => (vk::ImageViewType::TYPE_2D_ARRAY, true),
        _ => return None,
    })
}

/// Whether a sampler type may read a format: anything else is undefined in GL.
fn component_fits(shape: SamplerShape, info: &FormatInfo, stencil: bool) -> bool {
    let class = match info.class {
        ComponentClass::Sint => ComponentKind::Int,
        ComponentClass::Uint | ComponentClass::Stencil => ComponentKind::Uint,
        // A depth-stencil texture yields unsigned integers when its mode says stencil.
        ComponentClass::DepthStencil if stencil => ComponentKind::Uint,
        _ => ComponentKind::Float,
    };
    class == shape.component
}

/// First and last level that may be sampled, counted in the texture: the view's, inside the texture's own range.
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

const UNCHANGED: [Swizzle; 4] = [Swizzle::RED, Swizzle::GREEN, Swizzle::BLUE, Swizzle::ALPHA];

impl Magma {
    /// Resolves textures and samplers for a program, if anything that they depend on has moved. They are in the
    /// context's list of slots afterwards.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] for what the device cannot sample.
    pub(super) fn follow_textures(
        &mut self,
        s: &PushedState,
        h: ShaderHandle,
    ) -> Result<(), BackendError> {
        let program = self
            .obj
            .programs
            .get(h)
            .map_err(|e| BackendError::Driver(e.to_string()))?;
        let (serial, count) = (program.serial, program.slots.len());
        let c = context(s)?;
        let bindings = s.programs.get(h).map_or(0, |p| p.bindings_generation);
        let seen = (
            c.generation(Group::SamplerViews),
            c.generation(Group::SamplerStates),
            self.obj.epoch,
            serial,
            bindings,
        );
        let ctx = self.ctx(s)?;
        let params_moved = || {
            // Parameters are pushed without a group: each texture in use is looked at.
            ctx.in_use.iter().any(|u| {
                s.textures
                    .get(u.texture)
                    .is_ok_and(|entry| entry.params != u.pushed)
            })
        };
        if ctx.units_seen == Some(seen) && !params_moved() {
            return Ok(());
        }
        ctx.units_seen = None;
        ctx.in_use.clear();
        let mut slots = std::mem::take(&mut ctx.slots);
        slots.clear();
        let mut failed = Ok(());
        for slot in 0..count {
            match self.resolve_slot(s, h, slot) {
                Ok(r) => slots.push(r),
                Err(e) => {
                    failed = Err(e);
                    break;
                }
            }
        }
        // Stand-ins may have been made on the way.
        let seen = (seen.0, seen.1, self.obj.epoch, seen.3, seen.4);
        let ctx = self.ctx(s)?;
        ctx.slots = slots;
        if failed.is_ok() {
            ctx.units_seen = Some(seen);
        }
        failed
    }

    fn resolve_slot(
        &mut self,
        s: &PushedState,
        h: ShaderHandle,
        slot: usize,
    ) -> Result<Slot, BackendError> {
        let values = &context(s)?.values;
        let shape = self.obj.programs.get(h).ok().and_then(|p| p.slots[slot]);
        let Some(shape) = shape else {
            return Ok(Slot::default());
        };
        let unit = s.programs.get(h).ok().and_then(|p| {
            let found = p.bindings.samplers.iter().find(|b| b.slot as usize == slot);
            found.map(|b| b.unit)
        });
        let bound = unit.and_then(|u| values.views.iter().find(|v| v.unit == u));
        let Some(b) = bound else {
            return self.dummy_slot(shape);
        };
        let params = s.textures.get(b.texture).ok().and_then(|t| t.params);
        self.ctx(s)?.in_use.push(InUse {
            texture: b.texture,
            pushed: params,
        });
        let given = values.samplers.iter().find(|x| Some(x.unit) == unit);
        let handle = given
            .map(|x| x.sampler)
            .or(params.map(|p| p.sampler))
            .unwrap_or_default();
        let view = *s
            .views
            .get(b.view)
            .map_err(|e| BackendError::Driver(e.to_string()))?;
        let skip = s
            .samplers
            .get(handle)
            .is_ok_and(|d| d.srgb_decode == SrgbDecode::SKIP_DECODE);
        match self.sampled(b.texture, &view, params.as_ref(), shape, skip)? {
            None => self.dummy_slot(shape),
            Some(found) if found.view == vk::ImageView::null() => Ok(found),
            Some(found) => {
                let mut sampler = self.sampler(s, handle, shape.shadow, !found.filterable)?;
                if shape.multisample {
                    sampler = self.nearest_sampler(shape.shadow)?;
                }
                Ok(Slot { sampler, ..found })
            }
        }
    }

    /// The view of a texture that a sampler type reads; `None` where it cannot.
    fn sampled(
        &mut self,
        texture: TextureHandle,
        v: &SamplerView,
        p: Option<&TextureParams>,
        shape: SamplerShape,
        skip_decode: bool,
    ) -> Result<Option<Slot>, BackendError> {
        let Ok(t) = self.obj.textures.get(texture).copied() else {
            return Ok(None);
        };
        let w = match t.storage {
            Storage::Buffer(texels) => {
                if shape.dim != SamplerDim::Buffer
                    || !texels.info.is_some_and(|i| component_fits(shape, i, false))
                {
                    return Ok(None);
                }
                return self.texel_slot(texture, &texels);
            }
            Storage::Image(w) => w,
        };
        let stencil = p.is_some_and(|p| p.depth_stencil_mode == DepthStencilMode::STENCIL_INDEX);
        let plan = if v.format == w.plan.info.format {
            w.plan
        } else {
            self.gpu.plan(v.format)?
        };
        let Some((kind, multisample)) = kind_of_target(v.target) else {
            return Ok(None);
        };
        if kind != kind_of(shape)
            || multisample != shape.multisample
            || !component_fits(shape, plan.info, stencil && plan.info.has_stencil())
        {
            return Ok(None);
        }
        let aspects = match plan.info.class {
            ComponentClass::Depth => vk::ImageAspectFlags::DEPTH,
            ComponentClass::Stencil => vk::ImageAspectFlags::STENCIL,
            ComponentClass::DepthStencil if stencil => vk::ImageAspectFlags::STENCIL,
            ComponentClass::DepthStencil => vk::ImageAspectFlags::DEPTH,
            _ => vk::ImageAspectFlags::COLOR,
        };
        let (base, max) = level_range(v, p);
        let base = base.min(w.levels.saturating_sub(1));
        let max = max.clamp(base, w.levels.saturating_sub(1).max(base));
        let m = plan.mapping(p.map_or(UNCHANGED, |p| p.swizzle));
        let solid = kind == vk::ImageViewType::TYPE_3D;
        let key = ViewKey {
            format: if skip_decode { plan.plain } else { plan.format },
            kind,
            aspects,
            first_level: w.first_level + base,
            levels: max - base + 1,
            first_layer: if solid {
                0
            } else {
                w.first_layer + v.first_layer
            },
            layers: if solid { 1 } else { v.layers.max(1) },
            swizzle: [m.r, m.g, m.b, m.a],
            attach: false,
        };
        let view = self.obj.images.view(&self.gpu, w.image, &key)?;
        Ok(Some(Slot {
            view,
            image: Some(w.image),
            layout: vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
            filterable: plan.filterable
                || aspects == vk::ImageAspectFlags::DEPTH
                    && self.filters_depth(plan.info.format)?,
            ..Slot::default()
        }))
    }

    fn texel_slot(
        &mut self,
        texture: TextureHandle,
        t: &Texels,
    ) -> Result<Option<Slot>, BackendError> {
        let Ok(buffer) = self.obj.buffers.get(t.buffer) else {
            return Ok(None);
        };
        let (raw, serial, size) = (buffer.raw.buffer, buffer.serial, buffer.size);
        let bytes = u64::from(t.info.map_or(1, |i| i.bytes));
        let left = t.size.min(size.saturating_sub(t.offset));
        let most = u64::from(self.gpu.limits.core.max_texel_buffer_elements);
        let range = (left / bytes).min(most) * bytes;
        if range == 0 {
            return Ok(None);
        }
        let view = match t.view {
            Some((view, of)) if of == serial => view,
            old => {
                if let Some((view, _)) = old {
                    self.rec.discard(Garbage::BufferView(view));
                }
                let align = self
                    .gpu
                    .limits
                    .core
                    .min_texel_buffer_offset_alignment
                    .max(1);
                if !t.offset.is_multiple_of(align) {
                    return Err(BackendError::Unsupported(format!(
                        "a buffer texture from byte {}",
                        t.offset
                    )));
                }
                let info = vk::BufferViewCreateInfo::default()
                    .buffer(raw)
                    .format(t.format)
                    .offset(t.offset)
                    .range(range);
                // SAFETY: the buffer lives and holds the range.
                let view = unsafe { self.gpu.device.create_buffer_view(&info, None) }
                    .map_err(|e| error("a buffer texture", e))?;
                if let Ok(x) = self.obj.textures.get_mut(texture)
                    && let Storage::Buffer(x) = &mut x.storage
                {
                    x.view = Some((view, serial));
                }
                view
            }
        };
        Ok(Some(Slot {
            texels: view,
            buffer: Some(t.buffer),
            ..Slot::default()
        }))
    }

    fn dummy_slot(&mut self, shape: SamplerShape) -> Result<Slot, BackendError> {
        if shape.dim == SamplerDim::Buffer {
            let found = self.dummies.texels.iter().find(|t| t.0 == shape.component);
            let view = match found {
                Some(t) => t.1,
                None => {
                    let format = match shape.component {
                        ComponentKind::Int => vk::Format::R8G8B8A8_SINT,
                        ComponentKind::Uint => vk::Format::R8G8B8A8_UINT,
                        _ => vk::Format::R8G8B8A8_UNORM,
                    };
                    let zeros = self.zeros()?;
                    let info = vk::BufferViewCreateInfo::default()
                        .buffer(zeros)
                        .format(format)
                        .range(1024);
                    // SAFETY: the buffer lives and holds the range.
                    let view = unsafe { self.gpu.device.create_buffer_view(&info, None) }
                        .map_err(|e| error("a stand-in", e))?;
                    self.dummies.texels.push((shape.component, view));
                    view
                }
            };
            return Ok(Slot {
                texels: view,
                ..Slot::default()
            });
        }
        let found = self.dummies.images.iter().find(|d| d.0 == shape);
        let image = match found {
            Some((_, image)) => *image,
            None => {
                let image = self.make_dummy(shape)?;
                self.dummies.images.push((shape, image));
                image
            }
        };
        let i = self.obj.images.get(image)?;
        let m = i.plan.mapping(UNCHANGED);
        let key = ViewKey {
            format: i.plan.format,
            kind: kind_of(shape),
            aspects: if shape.shadow {
                vk::ImageAspectFlags::DEPTH
            } else {
                vk::ImageAspectFlags::COLOR
            },
            first_level: 0,
            levels: 1,
            first_layer: 0,
            layers: i.layers,
            swizzle: [m.r, m.g, m.b, m.a],
            attach: false,
        };
        let view = self.obj.images.view(&self.gpu, image, &key)?;
        Ok(Slot {
            view,
            sampler: self.nearest_sampler(shape.shadow)?,
            image: Some(image),
            layout: vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
            ..Slot::default()
        })
    }

    fn make_dummy(&mut self, shape: SamplerShape) -> Result<ImageId, BackendError> {
        let format = match (shape.component, shape.shadow) {
            (_, true) => Format::DEPTH_COMPONENT16,
            (ComponentKind::Int, _) => Format::RGBA8I,
            (ComponentKind::Uint, _) => Format::RGBA8UI,
            _ => Format::RGBA8,
        };
        let cube = shape.dim == SamplerDim::Cube;
        let kind = match shape.dim {
            SamplerDim::D1 => vk::ImageType::TYPE_1D,
            SamplerDim::D3 => vk::ImageType::TYPE_3D,
            _ => vk::ImageType::TYPE_2D,
        };
        self.make_image(&Shape {
            kind,
            layers: if cube { 6 } else { 1 },
            cube,
            samples: if shape.multisample { 4 } else { 1 },
            zero: true,
            ..Shape::plain(format, 1, 1)
        })
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
