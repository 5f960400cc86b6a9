//! What a share group has on the pipe beside its textures: sampler CSOs, sampler views, and the textures that stand in
//! for incomplete ones.
//!
//! They live a share group, not a process: a back end makes native objects of them, and those belong to a share group of
//! native contexts. They end with the group, and views before that with their texture, or when it is respecified: a view
//! describes a shape that is gone then.

use super::cache::{ContentCache, Found};
use super::upload;
use crate::consts::gl::{GL_RED, GL_ZERO};
use crate::pipe::Pipe;
use crate::pixel::Resolved;
use crate::state::buffer::Buffer;
use crate::state::dirty::{TextureContent, TextureParams as ParamsGroup};
use crate::state::sampling::Yield;
use crate::state::texture::{Extent, ImageSpec, Texture, TextureTarget};
use crate::state::{Generations, NameTable, sampler};
use mgl_core::format::{ComponentClass, Format};
use mgl_core::handle::{SamplerHandle, SamplerViewHandle, TextureHandle};
use mgl_core::pipe::{
    Call, CompareMode, DepthStencilMode, Filter, MinFilter, SamplerDesc, SamplerOnly, SamplerView,
    SamplerViewOnly, Swizzle, TextureParams, Wrap,
};
use std::collections::BTreeMap;

/// Sampler CSOs of a share group.
const SAMPLERS: usize = 256;
/// Sampler views of a share group.
const VIEWS: usize = 4096;

/// What [`Sampled`] was made of, beside the texture itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampledKey {
    /// [`Objects::evictions`].
    pub evictions: u64,
    /// Cube maps are seamless.
    pub seamless: bool,
    /// [`crate::state::sampler::Sampler::version`] of the sampler object in effect, 0 for none.
    pub sampler: u64,
}

/// What a complete texture is on the pipe for one sampler.
#[derive(Debug, Clone, Copy)]
pub struct Sampled {
    /// Its view.
    pub view: Found<SamplerViewHandle>,
    /// The CSO in effect; none where texels are read without one.
    pub sampler: Option<Found<SamplerHandle>>,
    /// The CSO of the texture's own sampler.
    pub own: Found<SamplerHandle>,
}

/// See the module.
pub struct Objects {
    samplers: ContentCache<SamplerDesc, SamplerHandle>,
    views: ContentCache<SamplerView, SamplerViewHandle>,
    stand_ins: BTreeMap<(TextureTarget, Yield), Texture>,
    /// Rises when a CSO or a view made room for another: who remembers one has to look again.
    evictions: u64,
    /// Rows of the upload that is being put together.
    pub(super) rows: Vec<u8>,
}

impl Default for Objects {
    fn default() -> Self {
        Self {
            samplers: ContentCache::new(SAMPLERS),
            views: ContentCache::new(VIEWS),
            stand_ins: BTreeMap::new(),
            evictions: 0,
            rows: Vec::new(),
        }
    }
}

impl Objects {
    /// A verb begins: what it uses stays.
    pub fn next_tick(&mut self) {
        self.samplers.next_tick();
        self.views.next_tick();
    }
    /// Sampler CSOs and views held.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        (self.samplers.len(), self.views.len())
    }

    /// What a texture is on the pipe for one sampler, as long as nothing of it changed; it is used now.
    #[inline]
    pub fn known(&mut self, t: &Texture, key: &SampledKey) -> Option<Sampled> {
        let known = *t.sampled().filter(|(k, _)| k == key).map(|(_, s)| s)?;
        self.views.keep(known.view);
        self.samplers.keep(known.own);
        if let Some(s) = known.sampler {
            self.samplers.keep(s);
        }
        Some(known)
    }
    /// Rises when what was found before may have gone.
    #[inline]
    #[must_use]
    pub fn evictions(&self) -> u64 {
        self.evictions
    }

    /// The CSO of a sampler's parameters.
    pub fn sampler(
        &mut self,
        params: &SamplerDesc,
        pipe: &mut Pipe,
        gens: &mut Generations,
    ) -> Found<SamplerHandle> {
        let key = SamplerDesc {
            sampler: SamplerHandle::NULL,
            ..*params
        };
        if let Some(h) = self.samplers.get(&key) {
            return h;
        }
        let sampler: SamplerHandle = pipe.mint();
        pipe.push(Call::CreateSamplerState {
            p: &SamplerDesc { sampler, ..key },
        });
        let (found, old) = self.samplers.insert(key, sampler);
        if let Some(old) = old {
            delete_sampler(old, pipe);
            self.evictions += 1;
            // Other contexts may have it bound: they have to look again.
            drop(gens.touch::<ParamsGroup>());
        }
        found
    }

    /// The view of a texture as a whole.
    pub fn view(
        &mut self,
        texture: TextureHandle,
        pipe: &mut Pipe,
        gens: &mut Generations,
    ) -> Option<Found<SamplerViewHandle>> {
        let d = *pipe.resource(texture)?;
        let key = SamplerView {
            texture,
            format: d.format,
            target: d.target,
            levels: d.levels.max(1),
            layers: d.layers.max(1),
            ..SamplerView::default()
        };
        if let Some(h) = self.views.get(&key) {
            return Some(h);
        }
        let view: SamplerViewHandle = pipe.mint();
        pipe.push(Call::CreateSamplerView {
            p: &SamplerView { view, ..key },
        });
        let (found, old) = self.views.insert(key, view);
        if let Some(old) = old {
            delete_view(old, pipe);
            self.evictions += 1;
            drop(gens.touch::<ParamsGroup>());
        }
        Some(found)
    }

    /// A texture ends, or changes its shape: its views end before.
    pub fn forget_views(&mut self, texture: TextureHandle, pipe: &mut Pipe) {
        for view in self.views.take(|k| k.texture == texture) {
            delete_view(view, pipe);
        }
    }

    /// Tells the pipe a texture's parameters, if it knows others; gives the CSO of the texture's own sampler. The texture
    /// must be live there.
    pub fn push_params(
        &mut self,
        t: &Texture,
        seamless: bool,
        pipe: &mut Pipe,
        gens: &mut Generations,
    ) -> Found<SamplerHandle> {
        let own = SamplerDesc {
            seamless: seamless.into(),
            ..t.params().sampler
        };
        let found = self.sampler(&own, pipe, gens);
        let params = TextureParams {
            texture: t.handle(),
            sampler: found.handle,
            base_level: t.params().base_level,
            max_level: t.params().max_level,
            swizzle: swizzle(t),
            depth_stencil_mode: DepthStencilMode(t.params().depth_stencil_mode),
            min_lod: own.min_lod,
            max_lod: own.max_lod,
            lod_bias: own.lod_bias,
            ..TextureParams::default()
        };
        let is_there = pipe.resource(t.handle()).is_some();
        if is_there && pipe.texture_params(t.handle()) != Some(&params) {
            pipe.push(Call::SetTextureParams { p: &params });
        }
        found
    }

    /// The texture that stands in for one that is missing or incomplete: black, opaque (GL 4.6 §8.17). There is none for
    /// buffer textures, which read as nothing at all without a buffer.
    pub fn stand_in(
        &mut self,
        target: TextureTarget,
        yields: Yield,
        buffers: &NameTable<Buffer>,
        pipe: &mut Pipe,
        gens: &mut Generations,
    ) -> Option<(TextureHandle, SamplerDesc)> {
        if target == TextureTarget::Buffer {
            return None;
        }
        let mut t = match self.stand_ins.remove(&(target, yields)) {
            Some(t) => t,
            None => black(target, yields, pipe, gens)?,
        };
        let made = upload::flush(&mut t, buffers, self, pipe);
        if made {
            self.push_params(&t, false, pipe, gens);
        }
        let answer = made.then_some((t.handle(), t.params().sampler));
        self.stand_ins.insert((target, yields), t);
        answer
    }

    /// The textures that stand in for incomplete ones.
    pub fn stand_ins(&self) -> impl Iterator<Item = &Texture> {
        self.stand_ins.values()
    }

    /// Ends all of it: the share group is gone.
    pub fn destroy(&mut self, pipe: &mut Pipe) {
        for v in self.views.take(|_| true) {
            delete_view(v, pipe);
        }
        for t in std::mem::take(&mut self.stand_ins).into_values() {
            t.destroy(pipe);
        }
        for s in self.samplers.take(|_| true) {
            delete_sampler(s, pipe);
        }
    }
}

fn delete_sampler(sampler: SamplerHandle, pipe: &mut Pipe) {
    pipe.push(Call::DeleteSamplerState {
        p: &SamplerOnly { sampler },
    });
    pipe.release(sampler);
}

fn delete_view(view: SamplerViewHandle, pipe: &mut Pipe) {
    pipe.push(Call::DeleteSamplerView {
        p: &SamplerViewOnly { view },
    });
    pipe.release(view);
}

/// What the driver has to swizzle: the application's choice, over what depth becomes in the compatibility profile, over
/// what luminance, alpha and intensity are stored as.
fn swizzle(t: &Texture) -> [Swizzle; 4] {
    use crate::consts::gl::{GL_ALPHA, GL_INTENSITY, GL_LUMINANCE, GL_ONE};
    let p = t.params();
    let stored = match t.texel_buffer() {
        Some(b) => Some(b.resolved),
        None => (t.level(t.base_level()))
            .or_else(|| t.level(0))
            .map(|i| *i.resolved()),
    };
    let composed = match stored {
        Some(r)
            if matches!(
                r.class(),
                ComponentClass::Depth | ComponentClass::DepthStencil
            ) =>
        {
            let inner = match p.depth_mode {
                GL_LUMINANCE => [GL_RED, GL_RED, GL_RED, GL_ONE],
                GL_INTENSITY => [GL_RED; 4],
                GL_ALPHA => [GL_ZERO, GL_ZERO, GL_ZERO, GL_RED],
                _ => r.swizzle,
            };
            Resolved {
                swizzle: inner,
                ..r
            }
            .compose_swizzle(p.swizzle)
        }
        Some(r) => r.compose_swizzle(p.swizzle),
        None => p.swizzle,
    };
    composed.map(Swizzle)
}

/// Makes a stand-in.
fn black(
    target: TextureTarget,
    yields: Yield,
    pipe: &mut Pipe,
    gens: &mut Generations,
) -> Option<Texture> {
    let (format, texel): (Format, &[u8]) = match yields {
        Yield::Float => (Format::RGBA8, &[0, 0, 0, 255]),
        Yield::Int => (Format::RGBA8I, &[0, 0, 0, 1]),
        Yield::Uint => (Format::RGBA8UI, &[0, 0, 0, 1]),
        Yield::Comparison => (Format::DEPTH_COMPONENT16, &[0, 0]),
    };
    let spec = ImageSpec {
        extent: Extent {
            width: 1,
            height: 1,
            depth: if target == TextureTarget::CubeArray {
                6
            } else {
                1
            },
        },
        resolved: Resolved::of_format(format)?,
        samples: u32::from(target.is_multisample()),
        fixed_samples: target.is_multisample(),
    };
    let mut t = Texture::new(0, target, false, pipe);
    for face in 0..target.faces() {
        t.specify(0, face, spec, None, gens.touch::<TextureContent>())
            .ok()?;
        if !target.is_multisample() {
            let texels = texel.repeat(spec.extent.depth as usize);
            t.write_texels(0, face, spec.extent.whole(), &texels, gens.touch())
                .ok()?;
        }
    }
    let params = crate::state::texture::Parameters {
        sampler: SamplerDesc {
            min_filter: MinFilter::NEAREST,
            mag_filter: Filter::NEAREST,
            wrap: [Wrap::CLAMP_TO_EDGE; 3],
            compare_mode: if yields == Yield::Comparison {
                CompareMode::COMPARE_REF_TO_TEXTURE
            } else {
                CompareMode::NONE
            },
            ..sampler::initial()
        },
        ..*t.params()
    };
    t.set_params(params, gens.touch());
    Some(t)
}
