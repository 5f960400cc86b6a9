//! Sampler state, as sampler objects and textures have it alike (GL 4.6 §8.2, tables 8.17 and 23.18).

use super::{Token, dirty};
use crate::consts::gl::*;
use crate::pipe::Pipe;
use mgl_core::pipe::{
    BorderForm, CompareFunc, CompareMode, Filter, MinFilter, SamplerDesc, SrgbDecode, Wrap,
};
use mgl_core::pod::{Bool32, F32};
use std::sync::atomic::{AtomicU64, Ordering};

/// A sampler object.
pub struct Sampler {
    name: u32,
    params: SamplerDesc,
    version: u64,
}

/// Versions of all samplers: none is given out twice.
static VERSIONS: AtomicU64 = AtomicU64::new(1);

fn next_version() -> u64 {
    VERSIONS.fetch_add(1, Ordering::Relaxed)
}

impl Sampler {
    /// A sampler with GL's initial values.
    #[must_use]
    pub fn new(name: u32) -> Self {
        Self {
            name,
            params: initial(),
            version: next_version(),
        }
    }
    /// The application's name.
    #[must_use]
    pub fn name(&self) -> u32 {
        self.name
    }
    /// Its parameters. The handle is null: CSOs are made of contents, not of objects.
    #[must_use]
    pub fn params(&self) -> &SamplerDesc {
        &self.params
    }
    /// Replaces the parameters.
    pub fn set_params(&mut self, params: SamplerDesc, _: Token<dirty::TextureParams>) {
        self.params = params;
        self.version = next_version();
    }
    /// Another one for every content of every sampler; never 0.
    #[inline]
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }
    /// Ends it on the pipe: nothing of it is there, only CSOs that others may share.
    pub fn destroy(self, _pipe: &mut Pipe) {}
}

/// GL's initial sampler state.
#[must_use]
pub fn initial() -> SamplerDesc {
    SamplerDesc {
        min_filter: MinFilter::NEAREST_MIPMAP_LINEAR,
        mag_filter: Filter::LINEAR,
        wrap: [Wrap::REPEAT; 3],
        compare_mode: CompareMode::NONE,
        compare_func: CompareFunc::LEQUAL,
        min_lod: F32(-1000.0),
        max_lod: F32(1000.0),
        lod_bias: F32(0.0),
        max_anisotropy: F32(1.0),
        border_color: [0; 4],
        border_form: BorderForm::FLOAT,
        seamless: Bool32::FALSE,
        srgb_decode: SrgbDecode::DECODE,
        ..SamplerDesc::default()
    }
}

/// Initial state of a rectangle texture's own sampler (GL 4.6 §8.22: no mipmaps, no repetition).
#[must_use]
pub fn initial_rectangle() -> SamplerDesc {
    SamplerDesc {
        min_filter: MinFilter::LINEAR,
        wrap: [Wrap::CLAMP_TO_EDGE; 3],
        ..initial()
    }
}

/// Values handed to a parameter entry point, in the form of that entry point (GL 4.6 §8.10).
#[derive(Clone, Copy, Debug)]
pub enum Values<'a> {
    /// `i` and `iv`: colours are normalised integers.
    Int(&'a [i32]),
    /// `f` and `fv`.
    Float(&'a [f32]),
    /// `Iiv`: colours stay signed integers.
    PureInt(&'a [i32]),
    /// `Iuiv`: colours stay unsigned integers.
    PureUint(&'a [u32]),
}

impl Values<'_> {
    /// Value `i` as an integer; floats are rounded.
    #[must_use]
    pub fn int(&self, i: usize) -> i32 {
        match self {
            Values::Int(v) | Values::PureInt(v) => v.get(i).copied().unwrap_or(0),
            Values::PureUint(v) => v.get(i).copied().unwrap_or(0) as i32,
            Values::Float(v) => v.get(i).copied().unwrap_or(0.0).round_ties_even() as i32,
        }
    }
    /// Value `i` as an enumerant; [`u32::MAX`], which is none, for a number that no enumerant has.
    #[must_use]
    pub fn symbol(&self, i: usize) -> u32 {
        match self {
            Values::Float(v) => symbol(v.get(i).copied().unwrap_or(0.0)),
            _ => self.int(i) as u32,
        }
    }
    /// Value `i` as a float.
    #[must_use]
    pub fn float(&self, i: usize) -> f32 {
        match self {
            Values::Int(v) | Values::PureInt(v) => v.get(i).copied().unwrap_or(0) as f32,
            Values::PureUint(v) => v.get(i).copied().unwrap_or(0) as f32,
            Values::Float(v) => v.get(i).copied().unwrap_or(0.0),
        }
    }
    /// How many values there are: 1 for the scalar entry points.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Values::Int(v) | Values::PureInt(v) => v.len(),
            Values::Float(v) => v.len(),
            Values::PureUint(v) => v.len(),
        }
    }
    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A float that stands for an enumerant, rounded (GL 4.6 §2.2.1); [`u32::MAX`], which is none, for a number that no
/// enumerant has.
#[must_use]
pub fn symbol(v: f32) -> u32 {
    let v = v.round_ties_even();
    if (0.0..u32::MAX as f32).contains(&v) {
        v as u32
    } else {
        u32::MAX
    }
}

/// An answer to a parameter query, before its conversion to the form asked for (GL 4.6 §2.2.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// An enumerant or integer.
    Int(i32),
    /// A float.
    Float(f32),
    /// Four enumerants.
    Symbols([u32; 4]),
    /// A colour, by the form it was written in.
    Color([u32; 4], BorderForm),
}

/// Whether the profile and the target allow a wrap mode.
fn wrap_mode(v: u32, compatibility: bool, rectangle: bool) -> Option<Wrap> {
    let w = Wrap::from_gl(v)?;
    let legal = match w {
        Wrap::CLAMP => compatibility,
        Wrap::REPEAT | Wrap::MIRRORED_REPEAT | Wrap::MIRROR_CLAMP_TO_EDGE => !rectangle,
        _ => true,
    };
    legal.then_some(w)
}

/// What limits sampler parameters.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// `GL_CLAMP` exists.
    pub compatibility: bool,
    /// The parameters are a rectangle texture's own: no mipmap filters, no repetition.
    pub rectangle: bool,
    /// `GL_MAX_TEXTURE_MAX_ANISOTROPY`
    pub max_anisotropy: f32,
}

/// Sets a sampler parameter.
///
/// # Errors
///
/// `GL_INVALID_ENUM` for a parameter or value that does not exist, `GL_INVALID_VALUE` for an anisotropy below 1
/// (GL 4.6 §8.10). Nothing is changed then.
pub fn set(p: &mut SamplerDesc, pname: u32, v: Values<'_>, rules: Rules) -> Result<(), u32> {
    let symbol = v.symbol(0);
    let bad = GL_INVALID_ENUM;
    match pname {
        GL_TEXTURE_MIN_FILTER => {
            let f = MinFilter::from_gl(symbol).ok_or(bad)?;
            if rules.rectangle && !matches!(f, MinFilter::NEAREST | MinFilter::LINEAR) {
                return Err(bad);
            }
            p.min_filter = f;
        }
        GL_TEXTURE_MAG_FILTER => p.mag_filter = Filter::from_gl(symbol).ok_or(bad)?,
        GL_TEXTURE_WRAP_S | GL_TEXTURE_WRAP_T | GL_TEXTURE_WRAP_R => {
            let mode = wrap_mode(symbol, rules.compatibility, rules.rectangle).ok_or(bad)?;
            p.wrap[match pname {
                GL_TEXTURE_WRAP_S => 0,
                GL_TEXTURE_WRAP_T => 1,
                _ => 2,
            }] = mode;
        }
        GL_TEXTURE_COMPARE_MODE => p.compare_mode = CompareMode::from_gl(symbol).ok_or(bad)?,
        GL_TEXTURE_COMPARE_FUNC => p.compare_func = CompareFunc::from_gl(symbol).ok_or(bad)?,
        GL_TEXTURE_MIN_LOD => p.min_lod = F32(v.float(0)),
        GL_TEXTURE_MAX_LOD => p.max_lod = F32(v.float(0)),
        GL_TEXTURE_LOD_BIAS => p.lod_bias = F32(v.float(0)),
        GL_TEXTURE_MAX_ANISOTROPY => {
            let a = v.float(0);
            if a.is_nan() || a < 1.0 {
                return Err(GL_INVALID_VALUE);
            }
            p.max_anisotropy = F32(a.min(rules.max_anisotropy.max(1.0)));
        }
        GL_TEXTURE_SRGB_DECODE_EXT => p.srgb_decode = SrgbDecode::from_gl(symbol).ok_or(bad)?,
        // A colour needs an array: the scalar entry points do not know it.
        GL_TEXTURE_BORDER_COLOR if v.len() >= 4 => {
            (p.border_color, p.border_form) = match v {
                Values::Int(c) => (
                    std::array::from_fn(|i| normalised(c[i]).to_bits()),
                    BorderForm::FLOAT,
                ),
                Values::Float(c) => (std::array::from_fn(|i| c[i].to_bits()), BorderForm::FLOAT),
                Values::PureInt(c) => (std::array::from_fn(|i| c[i] as u32), BorderForm::INT),
                Values::PureUint(c) => (std::array::from_fn(|i| c[i]), BorderForm::UINT),
            };
        }
        _ => return Err(bad),
    }
    Ok(())
}

/// Reads a sampler parameter back; `None` for one that does not exist.
#[must_use]
pub fn get(p: &SamplerDesc, pname: u32) -> Option<Answer> {
    let symbol = |v: u32| Answer::Int(v as i32);
    Some(match pname {
        GL_TEXTURE_MIN_FILTER => symbol(p.min_filter.0),
        GL_TEXTURE_MAG_FILTER => symbol(p.mag_filter.0),
        GL_TEXTURE_WRAP_S => symbol(p.wrap[0].0),
        GL_TEXTURE_WRAP_T => symbol(p.wrap[1].0),
        GL_TEXTURE_WRAP_R => symbol(p.wrap[2].0),
        GL_TEXTURE_COMPARE_MODE => symbol(p.compare_mode.0),
        GL_TEXTURE_COMPARE_FUNC => symbol(p.compare_func.0),
        GL_TEXTURE_MIN_LOD => Answer::Float(p.min_lod.0),
        GL_TEXTURE_MAX_LOD => Answer::Float(p.max_lod.0),
        GL_TEXTURE_LOD_BIAS => Answer::Float(p.lod_bias.0),
        GL_TEXTURE_MAX_ANISOTROPY => Answer::Float(p.max_anisotropy.0),
        GL_TEXTURE_SRGB_DECODE_EXT => symbol(p.srgb_decode.0),
        GL_TEXTURE_BORDER_COLOR => Answer::Color(p.border_color, p.border_form),
        _ => return None,
    })
}

/// A normalised integer as a float (GL 4.6 equation 2.2).
fn normalised(v: i32) -> f32 {
    (f64::from(v) / f64::from(i32::MAX)).max(-1.0) as f32
}

/// A float as a normalised integer (GL 4.6 §2.3.5).
fn to_normalised(v: f32) -> i32 {
    (f64::from(v.clamp(-1.0, 1.0)) * f64::from(i32::MAX)).round() as i32
}

impl Answer {
    /// How many values it has.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Answer::Int(_) | Answer::Float(_) => 1,
            Answer::Symbols(_) | Answer::Color(..) => 4,
        }
    }
    /// Never: an answer has a value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }
    /// The values as `iv` returns them: float colours become normalised integers, other floats are rounded.
    #[must_use]
    pub fn ints(&self) -> [i32; 4] {
        match *self {
            Answer::Int(v) => [v, 0, 0, 0],
            Answer::Float(v) => [v.round() as i32, 0, 0, 0],
            Answer::Symbols(s) => s.map(|v| v as i32),
            Answer::Color(c, BorderForm::FLOAT) => c.map(|v| to_normalised(f32::from_bits(v))),
            Answer::Color(c, _) => c.map(|v| v as i32),
        }
    }
    /// The values as `fv` returns them.
    #[must_use]
    pub fn floats(&self) -> [f32; 4] {
        match *self {
            Answer::Int(v) => [v as f32, 0.0, 0.0, 0.0],
            Answer::Float(v) => [v, 0.0, 0.0, 0.0],
            Answer::Symbols(s) => s.map(|v| v as f32),
            Answer::Color(c, BorderForm::FLOAT) => c.map(f32::from_bits),
            Answer::Color(c, BorderForm::INT) => c.map(|v| v as i32 as f32),
            Answer::Color(c, _) => c.map(|v| v as f32),
        }
    }
    /// The values as `Iiv` and `Iuiv` return them: colours are not converted.
    #[must_use]
    pub fn pure(&self) -> [i32; 4] {
        match *self {
            Answer::Color(c, BorderForm::FLOAT) => c.map(|v| f32::from_bits(v) as i32),
            _ => self.ints(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Rules = Rules {
        compatibility: false,
        rectangle: false,
        max_anisotropy: 16.0,
    };

    #[test]
    fn every_parameter_reads_back() {
        for (pname, value) in [
            (GL_TEXTURE_MIN_FILTER, GL_LINEAR),
            (GL_TEXTURE_MAG_FILTER, GL_NEAREST),
            (GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE),
            (GL_TEXTURE_WRAP_T, GL_MIRRORED_REPEAT),
            (GL_TEXTURE_WRAP_R, GL_CLAMP_TO_BORDER),
            (GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE),
            (GL_TEXTURE_COMPARE_FUNC, GL_GREATER),
            (GL_TEXTURE_MIN_LOD, 1),
            (GL_TEXTURE_MAX_LOD, 5),
            (GL_TEXTURE_LOD_BIAS, 2),
            (GL_TEXTURE_MAX_ANISOTROPY, 4),
            (GL_TEXTURE_SRGB_DECODE_EXT, GL_SKIP_DECODE_EXT),
        ] {
            for v in [Values::Int(&[value as i32]), Values::Float(&[value as f32])] {
                let mut p = initial();
                assert_eq!(set(&mut p, pname, v, RULES), Ok(()), "{pname:#x}");
                let a = get(&p, pname).expect("a parameter");
                assert_eq!(a.ints()[0], value as i32, "{pname:#x}");
                assert_eq!(a.floats()[0], value as f32, "{pname:#x}");
            }
        }
    }

    #[test]
    fn bad_values_are_refused_and_change_nothing() {
        let rectangle = Rules {
            rectangle: true,
            ..RULES
        };
        for (pname, v, rules, error) in [
            (GL_TEXTURE_MIN_FILTER, 0, RULES, GL_INVALID_ENUM),
            (
                GL_TEXTURE_MAG_FILTER,
                GL_LINEAR_MIPMAP_LINEAR,
                RULES,
                GL_INVALID_ENUM,
            ),
            (GL_TEXTURE_WRAP_S, GL_CLAMP, RULES, GL_INVALID_ENUM),
            (GL_TEXTURE_WRAP_S, GL_REPEAT, rectangle, GL_INVALID_ENUM),
            (
                GL_TEXTURE_MIN_FILTER,
                GL_NEAREST_MIPMAP_NEAREST,
                rectangle,
                GL_INVALID_ENUM,
            ),
            (GL_TEXTURE_MAX_ANISOTROPY, 0, RULES, GL_INVALID_VALUE),
            (GL_TEXTURE_BORDER_COLOR, 0, RULES, GL_INVALID_ENUM),
            (GL_TEXTURE_BASE_LEVEL, 0, RULES, GL_INVALID_ENUM),
        ] {
            let mut p = initial();
            assert_eq!(
                set(&mut p, pname, Values::Int(&[v as i32]), rules),
                Err(error)
            );
            assert_eq!(p, initial(), "{pname:#x}");
        }
        let mut p = initial();
        let old = Rules {
            compatibility: true,
            ..RULES
        };
        assert_eq!(
            set(
                &mut p,
                GL_TEXTURE_WRAP_S,
                Values::Int(&[GL_CLAMP as i32]),
                old
            ),
            Ok(())
        );
    }

    #[test]
    fn a_float_without_an_enumerant_is_refused() {
        for v in [-1.0, -0.6, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for pname in [
                GL_TEXTURE_COMPARE_MODE,
                GL_TEXTURE_WRAP_S,
                GL_TEXTURE_SRGB_DECODE_EXT,
            ] {
                let mut p = initial();
                assert_eq!(
                    set(&mut p, pname, Values::Float(&[v]), RULES),
                    Err(GL_INVALID_ENUM),
                    "{v}"
                );
                assert_eq!(p, initial());
            }
        }
        assert_eq!(symbol(GL_LINEAR as f32), GL_LINEAR);
    }

    #[test]
    fn border_colours_keep_their_form() {
        let mut p = initial();
        let c = GL_TEXTURE_BORDER_COLOR;
        set(&mut p, c, Values::Float(&[0.5, -2.0, 1.0, 0.0]), RULES).expect("a colour");
        let a = get(&p, c).expect("a parameter");
        assert_eq!(a.floats(), [0.5, -2.0, 1.0, 0.0]);
        assert_eq!(a.ints(), [1 << 30, -i32::MAX, i32::MAX, 0]);
        set(&mut p, c, Values::Int(&[i32::MAX, i32::MIN, 0, 0]), RULES).expect("a colour");
        assert_eq!(
            get(&p, c).expect("a parameter").floats(),
            [1.0, -1.0, 0.0, 0.0]
        );
        set(&mut p, c, Values::PureInt(&[-7, 1, 2, 3]), RULES).expect("a colour");
        assert_eq!(get(&p, c).expect("a parameter").pure(), [-7, 1, 2, 3]);
        assert_eq!(p.border_form, BorderForm::INT);
        set(&mut p, c, Values::PureUint(&[u32::MAX, 1, 2, 3]), RULES).expect("a colour");
        assert_eq!(get(&p, c).expect("a parameter").pure(), [-1, 1, 2, 3]);
        assert_eq!(p.border_form, BorderForm::UINT);
    }
}
