//! Parameters by name of lights, materials, fog, texture environments and coordinate generation: which there are, what they
//! are at first, and which values they take.

use crate::consts::gl::*;
use crate::gl::types::*;
use crate::state::sampler::Values;
use std::collections::BTreeMap;

/// What has parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// A light, from 0.
    Light(u32),
    /// The lighting model.
    LightModel,
    /// The material of a side: 0 front, 1 back.
    Material(u32),
    /// Fog.
    Fog,
    /// The environment of a texture unit.
    TexEnv(u32),
    /// The level-of-detail bias of a texture unit.
    FilterControl(u32),
    /// Point sprites of a texture unit.
    PointSprite(u32),
    /// Generation of a unit's coordinate: 0 to 3.
    TexGen(u32, u32),
}

/// Which values a parameter takes.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Any numbers.
    Numbers,
    /// A colour: integers stand for their range.
    Color,
    /// A number in a range.
    Range(f32, f32),
    /// A number from 0 to 90, or 180.
    Cutoff,
    /// 1, 2 or 4.
    Scale,
    /// A boolean.
    Bool,
    /// One of these enumerants.
    Symbol(&'static [GLenum]),
}

/// A parameter.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Values that it has.
    pub count: usize,
    initial: [f32; 4],
    kind: Kind,
}

impl Parameter {
    /// Whether integers stand for the range of a colour.
    #[must_use]
    pub fn is_color(&self) -> bool {
        matches!(self.kind, Kind::Color)
    }
}

fn one(initial: f32, kind: Kind) -> Option<Parameter> {
    Some(Parameter {
        count: 1,
        initial: [initial, 0.0, 0.0, 0.0],
        kind,
    })
}

fn four(initial: [f32; 4], kind: Kind) -> Option<Parameter> {
    Some(Parameter {
        count: 4,
        initial,
        kind,
    })
}

fn symbol(initial: GLenum, all: &'static [GLenum]) -> Option<Parameter> {
    one(initial as f32, Kind::Symbol(all))
}

const BLACK: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
const WHITE: [f32; 4] = [1.0; 4];
const POSITIVE: Kind = Kind::Range(0.0, f32::INFINITY);
const MODES: &[GLenum] = &[
    GL_ADD,
    GL_BLEND,
    GL_DECAL,
    GL_MODULATE,
    GL_REPLACE,
    GL_COMBINE,
];
const COMBINE_ALPHA: &[GLenum] = &[
    GL_REPLACE,
    GL_MODULATE,
    GL_ADD,
    GL_ADD_SIGNED,
    GL_INTERPOLATE,
    GL_SUBTRACT,
];
const COMBINE_RGB: &[GLenum] = &[
    GL_REPLACE,
    GL_MODULATE,
    GL_ADD,
    GL_ADD_SIGNED,
    GL_INTERPOLATE,
    GL_SUBTRACT,
    GL_DOT3_RGB,
    GL_DOT3_RGBA,
];
const SOURCES: &[GLenum] = &[
    GL_TEXTURE,
    GL_CONSTANT,
    GL_PRIMARY_COLOR,
    GL_PREVIOUS,
    GL_TEXTURE0,
    GL_TEXTURE1,
    GL_TEXTURE2,
    GL_TEXTURE3,
    GL_TEXTURE4,
    GL_TEXTURE5,
    GL_TEXTURE6,
    GL_TEXTURE7,
];
const OPERANDS: &[GLenum] = &[
    GL_SRC_COLOR,
    GL_ONE_MINUS_SRC_COLOR,
    GL_SRC_ALPHA,
    GL_ONE_MINUS_SRC_ALPHA,
];
const ALPHA_OPERANDS: &[GLenum] = &[GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA];
const GENERATE: &[GLenum] = &[
    GL_OBJECT_LINEAR,
    GL_EYE_LINEAR,
    GL_SPHERE_MAP,
    GL_REFLECTION_MAP,
    GL_NORMAL_MAP,
];
const GENERATE_R: &[GLenum] = &[
    GL_OBJECT_LINEAR,
    GL_EYE_LINEAR,
    GL_REFLECTION_MAP,
    GL_NORMAL_MAP,
];
const GENERATE_Q: &[GLenum] = &[GL_OBJECT_LINEAR, GL_EYE_LINEAR];

/// The parameter of a name; `None` where its owner has none of that name (GL 3.3 compatibility tables 6.15 to 6.26).
#[must_use]
pub fn parameter(owner: Owner, pname: GLenum) -> Option<Parameter> {
    match (owner, pname) {
        (Owner::Light(_), GL_AMBIENT) => four(BLACK, Kind::Color),
        (Owner::Light(i), GL_DIFFUSE | GL_SPECULAR) => {
            four(if i == 0 { WHITE } else { BLACK }, Kind::Color)
        }
        (Owner::Light(_), GL_POSITION) => four([0.0, 0.0, 1.0, 0.0], Kind::Numbers),
        (Owner::Light(_), GL_SPOT_DIRECTION) => Some(Parameter {
            count: 3,
            initial: [0.0, 0.0, -1.0, 0.0],
            kind: Kind::Numbers,
        }),
        (Owner::Light(_), GL_SPOT_EXPONENT) => one(0.0, Kind::Range(0.0, 128.0)),
        (Owner::Light(_), GL_SPOT_CUTOFF) => one(180.0, Kind::Cutoff),
        (Owner::Light(_), GL_CONSTANT_ATTENUATION) => one(1.0, POSITIVE),
        (Owner::Light(_), GL_LINEAR_ATTENUATION | GL_QUADRATIC_ATTENUATION) => one(0.0, POSITIVE),
        (Owner::LightModel, GL_LIGHT_MODEL_AMBIENT) => four([0.2, 0.2, 0.2, 1.0], Kind::Color),
        (Owner::LightModel, GL_LIGHT_MODEL_LOCAL_VIEWER | GL_LIGHT_MODEL_TWO_SIDE) => {
            one(0.0, Kind::Bool)
        }
        (Owner::LightModel, GL_LIGHT_MODEL_COLOR_CONTROL) => symbol(
            GL_SINGLE_COLOR,
            &[GL_SINGLE_COLOR, GL_SEPARATE_SPECULAR_COLOR],
        ),
        (Owner::Material(_), GL_AMBIENT) => four([0.2, 0.2, 0.2, 1.0], Kind::Color),
        (Owner::Material(_), GL_DIFFUSE) => four([0.8, 0.8, 0.8, 1.0], Kind::Color),
        (Owner::Material(_), GL_SPECULAR | GL_EMISSION) => four(BLACK, Kind::Color),
        (Owner::Material(_), GL_SHININESS) => one(0.0, Kind::Range(0.0, 128.0)),
        (Owner::Material(_), GL_COLOR_INDEXES) => Some(Parameter {
            count: 3,
            initial: [0.0, 1.0, 1.0, 0.0],
            kind: Kind::Numbers,
        }),
        (Owner::Fog, GL_FOG_MODE) => symbol(GL_EXP, &[GL_LINEAR, GL_EXP, GL_EXP2]),
        (Owner::Fog, GL_FOG_DENSITY) => one(1.0, POSITIVE),
        (Owner::Fog, GL_FOG_START | GL_FOG_INDEX) => one(0.0, Kind::Numbers),
        (Owner::Fog, GL_FOG_END) => one(1.0, Kind::Numbers),
        (Owner::Fog, GL_FOG_COLOR) => four([0.0; 4], Kind::Color),
        (Owner::Fog, GL_FOG_COORD_SRC) => {
            symbol(GL_FRAGMENT_DEPTH, &[GL_FOG_COORD, GL_FRAGMENT_DEPTH])
        }
        (Owner::TexEnv(_), GL_TEXTURE_ENV_MODE) => symbol(GL_MODULATE, MODES),
        (Owner::TexEnv(_), GL_TEXTURE_ENV_COLOR) => four([0.0; 4], Kind::Color),
        (Owner::TexEnv(_), GL_COMBINE_RGB) => symbol(GL_MODULATE, COMBINE_RGB),
        (Owner::TexEnv(_), GL_COMBINE_ALPHA) => symbol(GL_MODULATE, COMBINE_ALPHA),
        (Owner::TexEnv(_), GL_SRC0_RGB | GL_SRC0_ALPHA) => symbol(GL_TEXTURE, SOURCES),
        (Owner::TexEnv(_), GL_SRC1_RGB | GL_SRC1_ALPHA) => symbol(GL_PREVIOUS, SOURCES),
        (Owner::TexEnv(_), GL_SRC2_RGB | GL_SRC2_ALPHA) => symbol(GL_CONSTANT, SOURCES),
        (Owner::TexEnv(_), GL_OPERAND0_RGB | GL_OPERAND1_RGB) => symbol(GL_SRC_COLOR, OPERANDS),
        (Owner::TexEnv(_), GL_OPERAND2_RGB) => symbol(GL_SRC_ALPHA, OPERANDS),
        (Owner::TexEnv(_), GL_OPERAND0_ALPHA | GL_OPERAND1_ALPHA | GL_OPERAND2_ALPHA) => {
            symbol(GL_SRC_ALPHA, ALPHA_OPERANDS)
        }
        (Owner::TexEnv(_), GL_RGB_SCALE | GL_ALPHA_SCALE) => one(1.0, Kind::Scale),
        (Owner::FilterControl(_), GL_TEXTURE_LOD_BIAS) => one(0.0, Kind::Numbers),
        (Owner::PointSprite(_), GL_COORD_REPLACE) => one(0.0, Kind::Bool),
        (Owner::TexGen(_, c), GL_TEXTURE_GEN_MODE) => symbol(
            GL_EYE_LINEAR,
            match c {
                0 | 1 => GENERATE,
                2 => GENERATE_R,
                _ => GENERATE_Q,
            },
        ),
        (Owner::TexGen(_, c), GL_OBJECT_PLANE | GL_EYE_PLANE) => {
            let plane = std::array::from_fn(|i| f32::from(u8::from(c < 2 && i == c as usize)));
            four(plane, Kind::Numbers)
        }
        _ => None,
    }
}

/// Parameters that were set, the rest being as at first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Params(BTreeMap<(Owner, GLenum), [f32; 4]>);

impl Params {
    /// The values of a parameter; `None` where there is none of that name.
    #[must_use]
    pub fn get(&self, owner: Owner, pname: GLenum) -> Option<[f32; 4]> {
        let initial = parameter(owner, pname)?.initial;
        Some(self.0.get(&(owner, pname)).copied().unwrap_or(initial))
    }
    /// Sets a parameter that was checked.
    pub fn set(&mut self, owner: Owner, pname: GLenum, v: [f32; 4]) {
        self.0.insert((owner, pname), v);
    }
    /// Takes over what `other` says of the owners that `which` selects.
    pub fn restore(&mut self, other: &Params, which: impl Fn(Owner) -> bool) {
        self.0.retain(|(owner, _), _| !which(*owner));
        let theirs = other.0.iter().filter(|((owner, _), _)| which(*owner));
        self.0.extend(theirs.map(|(k, v)| (*k, *v)));
    }
}

/// The values of a parameter as they are kept.
///
/// # Errors
///
/// `GL_INVALID_ENUM` for a name or enumerant that is none here and for an array by a call with one value, `GL_INVALID_VALUE`
/// for a number out of range.
pub fn check(owner: Owner, pname: GLenum, v: Values<'_>) -> Result<[f32; 4], GLenum> {
    let p = parameter(owner, pname).ok_or(GL_INVALID_ENUM)?;
    if v.len() < p.count {
        return Err(GL_INVALID_ENUM);
    }
    let number = |i: usize| match v {
        // Signed integers have no zero here (GL 3.3 compatibility table 2.10).
        Values::Int(c) if p.is_color() => {
            ((2.0 * f64::from(c[i]) + 1.0) / f64::from(u32::MAX)) as f32
        }
        _ => v.float(i),
    };
    let first = number(0);
    let ok = match p.kind {
        Kind::Numbers | Kind::Color | Kind::Bool => true,
        Kind::Range(from, to) => first >= from && first <= to,
        Kind::Cutoff => (0.0..=90.0).contains(&first) || first == 180.0,
        Kind::Scale => matches!(first, 1.0 | 2.0 | 4.0),
        Kind::Symbol(all) => {
            let s = v.symbol(0);
            return if all.contains(&s) {
                Ok([s as f32, 0.0, 0.0, 0.0])
            } else {
                Err(GL_INVALID_ENUM)
            };
        }
    };
    if !ok {
        return Err(GL_INVALID_VALUE);
    }
    if matches!(p.kind, Kind::Bool) {
        return Ok([f32::from(u8::from(first != 0.0)), 0.0, 0.0, 0.0]);
    }
    Ok(std::array::from_fn(|i| {
        if i < p.count { number(i) } else { 0.0 }
    }))
}
