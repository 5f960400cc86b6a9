//! Samplers of sampler CSOs, made when first used (design: pipe contract 3.3, SamplerDesc).
//!
//! GL's filters without mipmaps become level 0 only: a largest level of detail of a quarter still tells minification from
//! magnification (Vulkan's own advice). GL_CLAMP becomes clamping to the edge, or to the border where a linear filter
//! would blend with it.

use super::Magma;
use super::gpu::Gpu;
use super::instance::error;
use super::recorder::Garbage;
use crate::approximation::Approximation;
use ash::vk;
use mgl_core::handle::{SamplerHandle, TypedHandle};
use mgl_core::pipe::*;
use mgl_core::pod::F32;

/// A sampler as it is used: comparing where the shader compares, and biased by the texture too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Kept {
    generation: u32,
    compares: bool,
    nearest: bool,
    raw: vk::Sampler,
}

/// By slot of the CSO.
#[derive(Debug, Default)]
pub struct Samplers {
    slots: Vec<Vec<Kept>>,
    /// With GL's initial values.
    initial: [vk::Sampler; 2],
    /// Nearest filtering, for stand-ins.
    nearest: [vk::Sampler; 2],
    /// Samplers made so far.
    pub made: u64,
}

impl Samplers {
    /// Takes the samplers of a CSO out.
    pub fn take(&mut self, h: SamplerHandle) -> Vec<vk::Sampler> {
        self.slots
            .get_mut(h.raw().slot as usize)
            .map(|s| std::mem::take(s).into_iter().map(|k| k.raw).collect())
            .unwrap_or_default()
    }

    /// Takes all samplers out.
    pub fn take_all(&mut self) -> Vec<vk::Sampler> {
        let all = std::mem::take(self);
        all.slots
            .into_iter()
            .flatten()
            .map(|k| k.raw)
            .chain(all.initial)
            .chain(all.nearest)
            .filter(|s| *s != vk::Sampler::null())
            .collect()
    }
}

/// GL's initial sampler (GL 4.6 table 23.18).
fn initial() -> SamplerDesc {
    SamplerDesc {
        min_filter: MinFilter::NEAREST_MIPMAP_LINEAR,
        mag_filter: Filter::LINEAR,
        wrap: [Wrap::REPEAT; 3],
        compare_mode: CompareMode::NONE,
        compare_func: CompareFunc::LEQUAL,
        min_lod: F32(-1000.0),
        max_lod: F32(1000.0),
        max_anisotropy: F32(1.0),
        border_form: BorderForm::FLOAT,
        seamless: true.into(),
        srgb_decode: SrgbDecode::DECODE,
        ..SamplerDesc::default()
    }
}

/// Vulkan's comparison.
pub fn compare_op(f: CompareFunc) -> vk::CompareOp {
    match f {
        CompareFunc::NEVER => vk::CompareOp::NEVER,
        CompareFunc::LESS => vk::CompareOp::LESS,
        CompareFunc::EQUAL => vk::CompareOp::EQUAL,
        CompareFunc::LEQUAL => vk::CompareOp::LESS_OR_EQUAL,
        CompareFunc::GREATER => vk::CompareOp::GREATER,
        CompareFunc::NOTEQUAL => vk::CompareOp::NOT_EQUAL,
        CompareFunc::GEQUAL => vk::CompareOp::GREATER_OR_EQUAL,
        _ => vk::CompareOp::ALWAYS,
    }
}

/// The nearest of the border colours that every device has.
fn plain_border(d: &SamplerDesc) -> vk::BorderColor {
    let integers = d.border_form != BorderForm::FLOAT;
    let v = |i: usize| {
        if integers {
            f64::from(d.border_color[i].min(1))
        } else {
            f64::from(f32::from_bits(d.border_color[i]))
        }
    };
    let (light, solid) = (v(0) + v(1) + v(2) >= 1.5, v(3) >= 0.5);
    match (solid, light, integers) {
        (false, _, false) => vk::BorderColor::FLOAT_TRANSPARENT_BLACK,
        (false, _, true) => vk::BorderColor::INT_TRANSPARENT_BLACK,
        (true, false, false) => vk::BorderColor::FLOAT_OPAQUE_BLACK,
        (true, false, true) => vk::BorderColor::INT_OPAQUE_BLACK,
        (true, true, false) => vk::BorderColor::FLOAT_OPAQUE_WHITE,
        (true, true, true) => vk::BorderColor::INT_OPAQUE_WHITE,
    }
}

fn make(gpu: &Gpu, d: &SamplerDesc, compares: bool) -> Result<vk::Sampler, BackendError> {
    let has = &gpu.has;
    let linear = d.mag_filter == Filter::LINEAR
        || !matches!(
            d.min_filter,
            MinFilter::NEAREST
                | MinFilter::NEAREST_MIPMAP_NEAREST
                | MinFilter::NEAREST_MIPMAP_LINEAR
        );
    let mut border = false;
    let mut wrap = [vk::SamplerAddressMode::REPEAT; 3];
    for (to, from) in wrap.iter_mut().zip(d.wrap) {
        *to = match from {
            Wrap::CLAMP if linear => vk::SamplerAddressMode::CLAMP_TO_BORDER,
            Wrap::CLAMP | Wrap::CLAMP_TO_EDGE => vk::SamplerAddressMode::CLAMP_TO_EDGE,
            Wrap::CLAMP_TO_BORDER => vk::SamplerAddressMode::CLAMP_TO_BORDER,
            Wrap::MIRRORED_REPEAT => vk::SamplerAddressMode::MIRRORED_REPEAT,
            Wrap::MIRROR_CLAMP_TO_EDGE if has.mirror_clamp => {
                vk::SamplerAddressMode::MIRROR_CLAMP_TO_EDGE
            }
            // The same up to the end of the mirror image; the caller tells.
            Wrap::MIRROR_CLAMP_TO_EDGE => vk::SamplerAddressMode::MIRRORED_REPEAT,
            _ => vk::SamplerAddressMode::REPEAT,
        };
        border |= *to == vk::SamplerAddressMode::CLAMP_TO_BORDER;
    }
    let filter = |linear: bool| {
        if linear {
            vk::Filter::LINEAR
        } else {
            vk::Filter::NEAREST
        }
    };
    let min = !matches!(
        d.min_filter,
        MinFilter::NEAREST | MinFilter::NEAREST_MIPMAP_NEAREST | MinFilter::NEAREST_MIPMAP_LINEAR
    );
    let mipmapped = !matches!(d.min_filter, MinFilter::NEAREST | MinFilter::LINEAR);
    let between = matches!(
        d.min_filter,
        MinFilter::NEAREST_MIPMAP_LINEAR | MinFilter::LINEAR_MIPMAP_LINEAR
    );
    let (low, high) = if mipmapped {
        let low = d.min_lod.0.max(0.0);
        (low, d.max_lod.0.max(low))
    } else {
        (0.0, 0.25)
    };
    let most = gpu.limits.core.max_sampler_lod_bias;
    let anisotropic = has.anisotropy && d.max_anisotropy.0 > 1.0;
    let custom = border && has.custom_border_color;
    let integers = d.border_form != BorderForm::FLOAT;
    let mut flags = vk::SamplerCreateFlags::empty();
    if has.non_seamless_cube && !d.seamless.get() {
        flags |= vk::SamplerCreateFlags::NON_SEAMLESS_CUBE_MAP_EXT;
    }
    let mut colour = vk::SamplerCustomBorderColorCreateInfoEXT::default()
        .custom_border_color(vk::ClearColorValue {
            uint32: d.border_color,
        })
        .format(vk::Format::UNDEFINED);
    let mut info = vk::SamplerCreateInfo::default()
        .flags(flags)
        .mag_filter(filter(d.mag_filter == Filter::LINEAR))
        .min_filter(filter(min))
        .mipmap_mode(if between {
            vk::SamplerMipmapMode::LINEAR
        } else {
            vk::SamplerMipmapMode::NEAREST
        })
        .address_mode_u(wrap[0])
        .address_mode_v(wrap[1])
        .address_mode_w(wrap[2])
        .mip_lod_bias(d.lod_bias.0.clamp(-most, most))
        .anisotropy_enable(anisotropic)
        .max_anisotropy(if anisotropic {
            d.max_anisotropy
                .0
                .min(gpu.limits.core.max_sampler_anisotropy)
        } else {
            1.0
        })
        .compare_enable(compares && d.compare_mode != CompareMode::NONE)
        .compare_op(compare_op(d.compare_func))
        .min_lod(low)
        .max_lod(high)
        .border_color(match (custom, integers) {
            (true, true) => vk::BorderColor::INT_CUSTOM_EXT,
            (true, false) => vk::BorderColor::FLOAT_CUSTOM_EXT,
            _ => plain_border(d),
        });
    if custom {
        info = info.push_next(&mut colour);
    }
    // SAFETY: the chain lives until the call returns.
    unsafe { gpu.device.create_sampler(&info, None) }.map_err(|e| error("a sampler", e))
}

impl Magma {
    /// The sampler of a CSO; the initial one for null. `compares`: the shader's sampler type compares;
    /// `nearest`: the device does not filter the format.
    ///
    /// # Errors
    ///
    /// Vulkan's.
    pub(super) fn sampler(
        &mut self,
        s: &PushedState,
        h: SamplerHandle,
        compares: bool,
        nearest: bool,
    ) -> Result<vk::Sampler, BackendError> {
        if nearest && h.is_null() {
            return self.nearest_sampler(compares);
        }
        let which = usize::from(compares);
        if h.is_null() {
            let made = self.obj.samplers.initial[which];
            if made != vk::Sampler::null() {
                return Ok(made);
            }
            let made = make(&self.gpu, &initial(), compares)?;
            self.obj.samplers.made += 1;
            self.obj.samplers.initial[which] = made;
            return Ok(made);
        }
        let at = h.raw().slot as usize;
        let generation = h.raw().generation;
        let slots = &mut self.obj.samplers.slots;
        if slots.len() <= at {
            slots.resize_with(at + 1, Vec::new);
        }
        if let Some(k) = slots[at]
            .iter()
            .find(|k| k.generation == generation && k.compares == compares && k.nearest == nearest)
        {
            return Ok(k.raw);
        }
        let mut desc = *s
            .samplers
            .get(h)
            .map_err(|e| BackendError::Driver(e.to_string()))?;
        if nearest {
            desc.mag_filter = Filter::NEAREST;
            desc.min_filter = match desc.min_filter {
                MinFilter::LINEAR => MinFilter::NEAREST,
                MinFilter::LINEAR_MIPMAP_NEAREST
                | MinFilter::NEAREST_MIPMAP_LINEAR
                | MinFilter::LINEAR_MIPMAP_LINEAR => MinFilter::NEAREST_MIPMAP_NEAREST,
                f => f,
            };
            desc.max_anisotropy = F32(1.0);
        }
        if desc.wrap.contains(&Wrap::MIRROR_CLAMP_TO_EDGE) && !self.gpu.has.mirror_clamp {
            self.near(Approximation::MirrorClamp);
        }
        let raw = make(&self.gpu, &desc, compares)?;
        self.obj.samplers.made += 1;
        self.obj.samplers.slots[at].push(Kept {
            generation,
            compares,
            nearest,
            raw,
        });
        Ok(raw)
    }

    /// A sampler for stand-ins.
    ///
    /// # Errors
    ///
    /// Vulkan's.
    pub(super) fn nearest_sampler(&mut self, compares: bool) -> Result<vk::Sampler, BackendError> {
        let which = usize::from(compares);
        if self.obj.samplers.nearest[which] == vk::Sampler::null() {
            let d = SamplerDesc {
                min_filter: MinFilter::NEAREST,
                mag_filter: Filter::NEAREST,
                wrap: [Wrap::CLAMP_TO_EDGE; 3],
                compare_mode: CompareMode::COMPARE_REF_TO_TEXTURE,
                ..initial()
            };
            self.obj.samplers.nearest[which] = make(&self.gpu, &d, compares)?;
            self.obj.samplers.made += 1;
        }
        Ok(self.obj.samplers.nearest[which])
    }

    /// A CSO ends.
    pub(super) fn end_sampler(&mut self, h: SamplerHandle) {
        for raw in self.obj.samplers.take(h) {
            self.counters.samplers_ended += 1;
            self.rec.discard(Garbage::Sampler(raw));
        }
        self.obj.moved();
    }
}
