//! Sampler objects of sampler CSOs, made when first bound (design: pipe contract 3.3, SamplerDesc).
//!
//! GL_CLAMP becomes clamping to the edge, or to the border where a linear filter would blend with it. A bias of the level
//! of detail is no state of OpenGL ES: shaders add it. Cube maps always filter across faces there: shaders keep to a face.

use super::context::Serial;
use super::device::Device;
use super::work::Work;
use crate::approximation::Approximation;
use glow::HasContext;
use mgl_core::handle::{SamplerHandle, TypedHandle};
use mgl_core::pipe::*;

/// A sampler object.
#[derive(Debug, Clone, Copy)]
pub struct Sampler {
    generation: u32,
    /// GL object.
    pub name: glow::Sampler,
    /// Identity.
    pub serial: Serial,
    /// What the shader does in its place.
    pub look_up: LookUp,
}

/// What look-ups through a sampler do that OpenGL ES cannot be told.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LookUp {
    /// Bias of the level of detail.
    pub bias: f32,
    /// Each face of a cube map is filtered alone.
    pub faces_alone: bool,
}

impl LookUp {
    /// Whether it is what OpenGL ES does.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

/// By slot of the CSO.
#[derive(Debug, Default)]
pub struct Samplers {
    slots: Vec<Option<Sampler>>,
    /// With GL's initial values.
    initial: Option<Sampler>,
    /// Nearest filtering, for stand-ins.
    nearest: Option<Sampler>,
}

impl Samplers {
    /// Ends the object of a CSO.
    pub fn delete(&mut self, dev: &Device, h: SamplerHandle) {
        if let Some(slot) = self.slots.get_mut(h.raw().slot as usize)
            && let Some(s) = slot.take()
        {
            // SAFETY: a context of the share group is current.
            unsafe { dev.gl.glow.delete_sampler(s.name) };
            dev.tally.samplers_ended.one();
        }
    }

    /// Ends all objects.
    pub fn clear(&mut self, dev: &Device) {
        let all = self.slots.drain(..).flatten();
        for s in all.chain(self.initial.take()).chain(self.nearest.take()) {
            // SAFETY: a context of the share group is current.
            unsafe { dev.gl.glow.delete_sampler(s.name) };
            dev.tally.samplers_ended.one();
        }
    }
}

/// GL's initial sampler (ES 3.2 table 21.13, which is GL's too).
fn initial() -> SamplerDesc {
    SamplerDesc {
        min_filter: MinFilter::NEAREST_MIPMAP_LINEAR,
        mag_filter: Filter::LINEAR,
        wrap: [Wrap::REPEAT; 3],
        compare_mode: CompareMode::NONE,
        compare_func: CompareFunc::LEQUAL,
        min_lod: mgl_core::pod::F32(-1000.0),
        max_lod: mgl_core::pod::F32(1000.0),
        max_anisotropy: mgl_core::pod::F32(1.0),
        border_form: BorderForm::FLOAT,
        seamless: true.into(),
        srgb_decode: SrgbDecode::DECODE,
        ..SamplerDesc::default()
    }
}

impl Work<'_> {
    /// The sampler object of a CSO; the initial one for null.
    ///
    /// # Errors
    ///
    /// When the driver gives no object.
    pub fn sampler(&mut self, s: &PushedState, h: SamplerHandle) -> Result<Sampler, BackendError> {
        if h.is_null() {
            if let Some(made) = self.obj.samplers.initial {
                return Ok(made);
            }
            let made = self.make_sampler(&initial())?;
            self.obj.samplers.initial = Some(made);
            return Ok(made);
        }
        let at = h.raw().slot as usize;
        if let Some(Some(made)) = self.obj.samplers.slots.get(at)
            && made.generation == h.raw().generation
        {
            return Ok(*made);
        }
        let desc = *s
            .samplers
            .get(h)
            .map_err(|e| BackendError::Driver(e.to_string()))?;
        let made = Sampler {
            generation: h.raw().generation,
            ..self.make_sampler(&desc)?
        };
        let slots = &mut self.obj.samplers.slots;
        if slots.len() <= at {
            slots.resize(at + 1, None);
        }
        slots[at] = Some(made);
        Ok(made)
    }

    /// A sampler that any texture is complete with.
    ///
    /// # Errors
    ///
    /// When the driver gives no object.
    pub fn nearest_sampler(&mut self) -> Result<Sampler, BackendError> {
        if let Some(made) = self.obj.samplers.nearest {
            return Ok(made);
        }
        let made = self.make_sampler(&SamplerDesc {
            min_filter: MinFilter::NEAREST,
            mag_filter: Filter::NEAREST,
            wrap: [Wrap::CLAMP_TO_EDGE; 3],
            ..initial()
        })?;
        self.obj.samplers.nearest = Some(made);
        Ok(made)
    }

    fn make_sampler(&mut self, d: &SamplerDesc) -> Result<Sampler, BackendError> {
        let (gl, es, has) = (&self.dev.gl.glow, &self.dev.gl.es, &self.dev.gl.has);
        let linear = d.mag_filter == Filter::LINEAR
            || !matches!(
                d.min_filter,
                MinFilter::NEAREST
                    | MinFilter::NEAREST_MIPMAP_NEAREST
                    | MinFilter::NEAREST_MIPMAP_LINEAR
            );
        let mut border = false;
        let mut wrap = [0; 3];
        for (to, from) in wrap.iter_mut().zip(d.wrap) {
            *to = match from {
                Wrap::CLAMP if linear && has.border_clamp => glow::CLAMP_TO_BORDER,
                Wrap::CLAMP => glow::CLAMP_TO_EDGE,
                Wrap::CLAMP_TO_BORDER if !has.border_clamp => {
                    self.dev.near(Approximation::BorderClamp);
                    glow::CLAMP_TO_EDGE
                }
                Wrap::MIRROR_CLAMP_TO_EDGE if !has.mirror_clamp => {
                    // The same up to the end of the mirror image.
                    self.dev.near(Approximation::MirrorClamp);
                    glow::MIRRORED_REPEAT
                }
                w => w.0,
            };
            border |= *to == glow::CLAMP_TO_BORDER;
        }
        // SAFETY: a context is current.
        let name = unsafe { gl.create_sampler() }.map_err(BackendError::Driver)?;
        self.dev.tally.samplers_made.one();
        // SAFETY: the object is new, the values are GL's own, and border colours have four components.
        unsafe {
            let set = |what: u32, value: u32| gl.sampler_parameter_i32(name, what, value as i32);
            set(glow::TEXTURE_MIN_FILTER, d.min_filter.0);
            set(glow::TEXTURE_MAG_FILTER, d.mag_filter.0);
            set(glow::TEXTURE_WRAP_S, wrap[0]);
            set(glow::TEXTURE_WRAP_T, wrap[1]);
            set(glow::TEXTURE_WRAP_R, wrap[2]);
            set(glow::TEXTURE_COMPARE_MODE, d.compare_mode.0);
            set(glow::TEXTURE_COMPARE_FUNC, d.compare_func.0);
            gl.sampler_parameter_f32(name, glow::TEXTURE_MIN_LOD, d.min_lod.0);
            gl.sampler_parameter_f32(name, glow::TEXTURE_MAX_LOD, d.max_lod.0);
            if d.max_anisotropy.0 > 1.0 && has.anisotropy {
                let most = self.dev.gl.limits.anisotropy;
                gl.sampler_parameter_f32(
                    name,
                    glow::TEXTURE_MAX_ANISOTROPY_EXT,
                    d.max_anisotropy.0.min(most),
                );
            }
            if d.srgb_decode == SrgbDecode::SKIP_DECODE && has.srgb_decode {
                set(TEXTURE_SRGB_DECODE, d.srgb_decode.0);
            }
            if border {
                let raw = name.0.get();
                let what = glow::TEXTURE_BORDER_COLOR;
                match d.border_form {
                    BorderForm::INT => {
                        es.SamplerParameterIiv(raw, what, d.border_color.as_ptr().cast());
                    }
                    BorderForm::UINT => {
                        es.SamplerParameterIuiv(raw, what, d.border_color.as_ptr());
                    }
                    _ => gl.sampler_parameter_f32_slice(
                        name,
                        what,
                        &d.border_color.map(f32::from_bits),
                    ),
                }
            }
        }
        Ok(Sampler {
            generation: 0,
            name,
            serial: self.obj.serial(),
            look_up: LookUp {
                bias: d.lod_bias.0,
                faces_alone: !d.seamless.get() && filters(d),
            },
        })
    }
}

/// Whether texels are blended at all.
fn filters(d: &SamplerDesc) -> bool {
    let nearest = [
        MinFilter::NEAREST,
        MinFilter::NEAREST_MIPMAP_NEAREST,
        MinFilter::NEAREST_MIPMAP_LINEAR,
    ];
    d.mag_filter != Filter::NEAREST || !nearest.contains(&d.min_filter)
}

/// EXT_texture_sRGB_decode.
const TEXTURE_SRGB_DECODE: u32 = 0x8A48;
