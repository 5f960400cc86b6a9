//! What the samplers of a program read: which unit, which target of it, as which kind of values.

use super::texture::TextureTarget;
use mgl_core::pipe::MAX_TEXTURE_UNITS;
use mgl_core::program::{ComponentKind, GlType, Reflection, SamplerDim};

/// What a sampler type yields: which kind of texel has to stand in for a missing texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Yield {
    /// Floats.
    Float,
    /// Signed integers.
    Int,
    /// Unsigned integers.
    Uint,
    /// The result of a comparison.
    Comparison,
}

/// A unit that samplers of a program read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplerUse {
    /// Unit.
    pub unit: u32,
    /// The texture of the unit that is read.
    pub target: TextureTarget,
    /// What comes of it.
    pub yields: Yield,
}

impl SamplerUse {
    /// A sampler of a GLSL type that reads a unit; `None` where the type is no sampler's.
    #[must_use]
    pub fn new(unit: u32, ty: GlType) -> Option<Self> {
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
        Some(Self {
            unit,
            target,
            yields,
        })
    }
}

/// The units that a program reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sampling {
    /// In the order of their units, each once: samplers of several stages meet on one unit.
    pub uses: Vec<SamplerUse>,
    /// A unit that samplers of two types read, which no draw may (GL 3.3 §2.11.7), and those types.
    pub conflict: Option<(u32, [GlType; 2])>,
}

impl Sampling {
    /// What samplers read whose slots are set to `units`.
    #[must_use]
    pub fn new(r: &Reflection, units: &[u32]) -> Self {
        let mut all: Vec<(u32, u32, GlType)> = Vec::new();
        for s in &r.samplers {
            let slots = s.slot..s.slot + s.array_size;
            all.extend(slots.map(|slot| (units[slot as usize], slot, s.ty)));
        }
        all.sort_unstable_by_key(|&(unit, slot, _)| (unit, slot));
        let clash = all
            .windows(2)
            .find(|w| w[0].0 == w[1].0 && w[0].2 != w[1].2);
        let conflict = clash.map(|w| (w[0].0, [w[0].2, w[1].2]));
        all.dedup_by_key(|s| s.0);
        let uses = all.iter().filter(|s| s.0 < MAX_TEXTURE_UNITS);
        let uses = uses.filter_map(|&(unit, _, ty)| SamplerUse::new(unit, ty));
        Self {
            uses: uses.collect(),
            conflict,
        }
    }
}
