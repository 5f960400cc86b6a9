//! Textures and samplers at verbs: uploads, parameters, views, and what is bound to which unit.
//!
//! Views are resolved here (design: pipe contract 3.5): the target by the sampler's type, completeness by the sampler
//! that is in effect, a black texture where nothing complete is bound. A verb that finds no generation moved costs four
//! comparisons.

pub mod cache;
pub mod objects;
pub mod upload;

use crate::context::Gl;
use crate::pipe::Pipe;
use crate::state::dirty::{Buffers, Programs, TextureBindings, TextureContent, TextureParams};
use crate::state::texture::{Texture, TextureTarget};
use crate::state::{Generations, Id, Share};
use mgl_core::handle::TextureHandle;
use mgl_core::pipe::pushed::GroupValues;
use mgl_core::pipe::{
    BindSamplerStates, BoundSampler, BoundView, Call, Group, MAX_TEXTURE_UNITS, SamplerDesc,
    SetSamplerViews,
};
use mgl_core::program::{ComponentKind, GlType, SamplerDim};
pub use objects::{Objects, Yield};

/// A sampler of the program and the unit that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplerUse {
    /// Sampler slot of the program.
    pub slot: u32,
    /// Unit.
    pub unit: u32,
    /// The sampler's GLSL type.
    pub ty: GlType,
}

/// Generations at the last verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen([u64; 5]);

impl Seen {
    /// Buffers count only for programs that read buffer textures.
    fn now(g: &Generations, buffers: bool) -> Self {
        Self([
            g.of::<TextureContent>(),
            g.of::<TextureParams>(),
            g.of::<TextureBindings>(),
            g.of::<Programs>(),
            if buffers { g.of::<Buffers>() } else { 0 },
        ])
    }
}

/// What a context's tracker remembers of textures.
#[derive(Default)]
pub struct TextureTracker {
    seen: Option<Seen>,
    reads_buffers: bool,
    uses: Vec<SamplerUse>,
    views: Vec<BoundView>,
    samplers: Vec<BoundSampler>,
}

impl TextureTracker {
    /// Ends what was made for the context: nothing, views and samplers are the share group's.
    pub fn destroy(&mut self, _pipe: &mut Pipe) {
        self.seen = None;
    }
}

/// The texture target and the kind of values of a sampler type.
#[must_use]
pub fn sampler_reads(ty: GlType) -> Option<(TextureTarget, Yield)> {
    let s = ty.sampler()?;
    let target = match (s.dim, s.arrayed, s.multisample) {
        (SamplerDim::D1, false, _) => TextureTarget::D1,
        (SamplerDim::D1, true, _) => TextureTarget::D1Array,
        (SamplerDim::D2, false, false) => TextureTarget::D2,
        (SamplerDim::D2, true, false) => TextureTarget::D2Array,
        (SamplerDim::D2, false, true) => TextureTarget::D2Multisample,
        (SamplerDim::D2, true, true) => TextureTarget::D2MultisampleArray,
        (SamplerDim::D3, ..) => TextureTarget::D3,
        (SamplerDim::Cube, false, _) => TextureTarget::Cube,
        (SamplerDim::Cube, true, _) => TextureTarget::CubeArray,
        (SamplerDim::Rect, ..) => TextureTarget::Rectangle,
        (SamplerDim::Buffer, ..) => TextureTarget::Buffer,
    };
    let yields = match s.component {
        _ if s.shadow => Yield::Comparison,
        ComponentKind::Int => Yield::Int,
        ComponentKind::Uint => Yield::Uint,
        _ => Yield::Float,
    };
    Some((target, yields))
}

/// Brings textures, views and samplers up to date for a verb that reads `samplers`.
pub fn validate(gl: &mut Gl<'_>, samplers: &[SamplerUse]) {
    let tracker = &mut gl.ctx.tracker.textures;
    let now = Seen::now(gl.gens, tracker.reads_buffers);
    if tracker.seen == Some(now) && tracker.uses == samplers {
        return;
    }
    tracker.uses.clear();
    tracker.uses.extend_from_slice(samplers);
    let mut tracker = std::mem::take(tracker);
    tracker.views.clear();
    tracker.samplers.clear();
    tracker.reads_buffers = false;
    gl.share.objects.next_tick();
    for s in &tracker.uses {
        let Some((target, yields)) = sampler_reads(s.ty) else {
            continue;
        };
        // Samplers of several stages meet on one unit.
        if s.unit >= MAX_TEXTURE_UNITS || tracker.views.iter().any(|v| v.unit == s.unit) {
            continue;
        }
        tracker.reads_buffers |= target == TextureTarget::Buffer;
        let Some((texture, sampler)) = resolve(gl, s.unit, target, yields) else {
            continue;
        };
        let Some(view) = gl.share.objects.view(texture, gl.pipe, gl.gens) else {
            continue;
        };
        tracker.views.push(BoundView {
            unit: s.unit,
            view,
            texture,
            ..BoundView::default()
        });
        if target != TextureTarget::Buffer && !target.is_multisample() {
            tracker.samplers.push(BoundSampler {
                unit: s.unit,
                sampler: gl.share.objects.sampler(&sampler, gl.pipe, gl.gens),
                ..BoundSampler::default()
            });
        }
    }
    tracker.views.sort_by_key(|v| v.unit);
    tracker.samplers.sort_by_key(|s| s.unit);
    push_bindings(gl, &tracker);
    tracker.seen = Some(Seen::now(gl.gens, tracker.reads_buffers));
    gl.ctx.tracker.textures = tracker;
}

/// Sends the lists if the pipe lacks something of them, or has none yet. Units that the program does not read may keep
/// what they had: programs that take turns would send their lists at every turn otherwise.
fn push_bindings(gl: &mut Gl<'_>, tracker: &TextureTracker) {
    let live = gl.pipe.emitted(gl.ctx.handle);
    let has = |g, same: fn(&GroupValues, &TextureTracker) -> bool| {
        live.is_some_and(|c| c.was_pushed(g) && same(&c.values, tracker))
    };
    let views = has(Group::SamplerViews, |v, t| holds(&v.views, &t.views));
    let samplers = has(Group::SamplerStates, |v, t| holds(&v.samplers, &t.samplers));
    if !views {
        gl.pipe.push(Call::SetSamplerViews {
            p: &SetSamplerViews::default(),
            views: &tracker.views,
        });
    }
    if !samplers {
        gl.pipe.push(Call::BindSamplerStates {
            p: &BindSamplerStates::default(),
            samplers: &tracker.samplers,
        });
    }
}

/// Whether all of `wanted` is in `live`; both are in the order of their units.
fn holds<T: PartialEq>(live: &[T], wanted: &[T]) -> bool {
    let mut live = live.iter();
    wanted.iter().all(|w| live.any(|l| l == w))
}

/// The texture that a unit gives to a sampler, up to date on the pipe, with the sampler state in effect.
fn resolve(
    gl: &mut Gl<'_>,
    unit: u32,
    target: TextureTarget,
    yields: Yield,
) -> Option<(TextureHandle, SamplerDesc)> {
    let bound = gl.ctx.textures.unit(unit);
    let seamless = gl.ctx.textures.seamless();
    let id = bound.texture(target).or_else(|| {
        let d = gl.share.default_textures.get(target.index());
        d.copied().flatten()
    });
    let Share {
        textures,
        buffers,
        samplers,
        objects,
        ..
    } = &mut *gl.share;
    if let Some(t) = id.and_then(|id| textures.objects.get_mut(id)) {
        let own = bound.sampler().and_then(|s| samplers.objects.get(s));
        let effective = SamplerDesc {
            seamless: seamless.into(),
            ..own.map_or(t.params().sampler, |s| *s.params())
        };
        if t.is_complete(&effective) && upload::flush(t, buffers, objects, gl.pipe) {
            objects.push_params(t, seamless, gl.pipe, gl.gens);
            return Some((t.handle(), effective));
        }
    }
    objects.stand_in(target, yields, buffers, gl.pipe, gl.gens)
}

/// Brings a texture up to date that a verb uses as attachment, source or destination. Returns whether it has storage.
pub fn flush_for_attachment(gl: &mut Gl<'_>, texture: Id<Texture>) -> bool {
    let seamless = gl.ctx.textures.seamless();
    let Share {
        textures,
        buffers,
        objects,
        ..
    } = &mut *gl.share;
    let Some(t) = textures.objects.get_mut(texture) else {
        return false;
    };
    if !upload::flush(t, buffers, objects, gl.pipe) {
        return false;
    }
    objects.push_params(t, seamless, gl.pipe, gl.gens);
    true
}

/// Brings an image's shadow up to date with what the GPU wrote.
///
/// # Errors
///
/// `GL_OUT_OF_MEMORY`; `GL_NO_ERROR` when the entry point is to be left, and is run again.
pub fn reconcile(
    gl: &mut Gl<'_>,
    texture: Id<Texture>,
    level: u32,
    face: usize,
) -> Result<(), u32> {
    let written = gl
        .share
        .textures
        .objects
        .get(texture)
        .and_then(|t| t.image(level, face))
        .is_some_and(|i| i.is_gpu_written());
    if !written || !flush_for_attachment(gl, texture) {
        return Ok(());
    }
    match gl.share.textures.objects.get_mut(texture) {
        Some(t) => upload::read_back(t, level, face, |call| gl.pipe.ask_apart(call)),
        None => Ok(()),
    }
}
