//! Textures and samplers at verbs: uploads, parameters, views, and what is bound to which unit.
//!
//! Views are resolved here (design: pipe contract 3.5): the target by the sampler's type, completeness by the sampler
//! that is in effect, a black texture where nothing complete is bound. A verb that finds no generation moved costs four
//! comparisons; where one has moved, each texture still knows what it is on the pipe, unless it changed itself.

pub mod cache;
pub mod objects;
pub mod upload;

use crate::context::Gl;
use crate::pipe::Pipe;
use crate::state::dirty::{Buffers, Programs, TextureBindings, TextureContent, TextureParams};
use crate::state::sampler::Sampler;
use crate::state::sampling::SamplerUse;
use crate::state::texture::{Texture, TextureTarget};
use crate::state::{Generations, Id, Share};
use mgl_core::handle::TextureHandle;
use mgl_core::pipe::pushed::GroupValues;
use mgl_core::pipe::{
    BindSamplerStates, BoundSampler, BoundView, Call, Group, SamplerDesc, SetSamplerViews,
};
pub use objects::{Objects, Sampled, SampledKey};

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
    views: Vec<BoundView>,
    samplers: Vec<BoundSampler>,
}

impl TextureTracker {
    /// Ends what was made for the context: nothing, views and samplers are the share group's.
    pub fn destroy(&mut self, _pipe: &mut Pipe) {
        self.seen = None;
    }
}

/// Brings textures, views and samplers up to date for a verb that reads `samplers`, which are in the order of their units.
pub fn validate(gl: &mut Gl<'_>, samplers: &[SamplerUse]) {
    let tracker = &mut gl.ctx.tracker.textures;
    let now = Seen::now(gl.gens, tracker.reads_buffers);
    if tracker.seen == Some(now) {
        return;
    }
    let mut tracker = std::mem::take(tracker);
    tracker.views.clear();
    tracker.samplers.clear();
    tracker.reads_buffers = false;
    gl.share.objects.next_tick();
    for s in samplers {
        tracker.reads_buffers |= s.target == TextureTarget::Buffer;
        let Some((texture, sampled)) = resolve(gl, s) else {
            continue;
        };
        tracker.views.push(BoundView {
            unit: s.unit,
            view: sampled.view.handle,
            texture,
            ..BoundView::default()
        });
        if let Some(sampler) = sampled.sampler {
            tracker.samplers.push(BoundSampler {
                unit: s.unit,
                sampler: sampler.handle,
                ..BoundSampler::default()
            });
        }
    }
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

/// The texture that a unit gives to a sampler, up to date on the pipe, and what it is there.
fn resolve(gl: &mut Gl<'_>, wanted: &SamplerUse) -> Option<(TextureHandle, Sampled)> {
    let &SamplerUse {
        unit,
        target,
        yields,
    } = wanted;
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
    // Texels are read without a sampler there.
    let fetched = target == TextureTarget::Buffer || target.is_multisample();
    if let Some(t) = id.and_then(|id| textures.objects.get_mut(id)) {
        let own = bound.sampler().and_then(|s| samplers.objects.get(s));
        let key = SampledKey {
            evictions: objects.evictions(),
            seamless,
            sampler: own.map_or(0, Sampler::version),
        };
        if let Some(known) = objects.known(t, &key) {
            return Some((t.handle(), known));
        }
        let effective = SamplerDesc {
            seamless: seamless.into(),
            ..own.map_or(t.params().sampler, |s| *s.params())
        };
        if t.is_complete(&effective) && upload::flush(t, buffers, objects, gl.pipe) {
            let own = objects.push_params(t, seamless, gl.pipe, gl.gens);
            let sampled = Sampled {
                view: objects.view(t.handle(), gl.pipe, gl.gens)?,
                sampler: (!fetched).then(|| objects.sampler(&effective, gl.pipe, gl.gens)),
                own,
            };
            // Where one made room for another, the next verb looks again.
            t.remember_sampled(key, sampled);
            return Some((t.handle(), sampled));
        }
    }
    let (texture, sampler) = objects.stand_in(target, yields, buffers, gl.pipe, gl.gens)?;
    let sampler = objects.sampler(&sampler, gl.pipe, gl.gens);
    let sampled = Sampled {
        view: objects.view(texture, gl.pipe, gl.gens)?,
        sampler: (!fetched).then_some(sampler),
        own: sampler,
    };
    Some((texture, sampled))
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
