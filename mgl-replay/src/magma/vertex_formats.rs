//! How vertex attributes are fed to pipelines: the Vulkan format of each type that GL knows (GL 4.6
//! table 10.3), or the format that its elements are repacked to on the CPU where the device cannot
//! read them, and the current values of attributes that no array feeds.
//!
//! A pipeline's format must have the shader's component type. Where GL leaves a mismatch undefined
//! (integers read as floats, the other signedness), the bits of the component, widened to 32, reach
//! the shader.

use super::spirv::Input;
use crate::texels::{decode, wide};
use ash::vk;
use mgl_core::format::Format;
use mgl_core::pipe::{AttribClass, AttribType, AttribValue, ValueType, VertexAttrib};
use mgl_core::program::ComponentKind;

/// How elements become what the pipeline reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Repack {
    /// As they are.
    Copy,
    /// Floats with the values that GL gives the components.
    Floats,
    /// 32-bit words: integers widened, by their own signedness.
    Words,
    /// Doubles.
    Doubles,
}

/// How one attribute is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VertexPlan {
    /// The format that the pipeline has.
    pub format: vk::Format,
    /// Bytes of an element as the pipeline reads it.
    pub bytes: u32,
    /// Alignment that offset and stride must have, bytes.
    pub align: u32,
    repack: Repack,
}

impl VertexPlan {
    /// Elements must be repacked whatever offset and stride are.
    #[must_use]
    pub fn converts(&self) -> bool {
        self.repack != Repack::Copy
    }

    /// Elements that lie at `offset` and every `stride` bytes from there must be repacked.
    #[must_use]
    pub fn must_repack(&self, offset: u64, stride: u32) -> bool {
        self.converts()
            || !offset.is_multiple_of(self.align.into())
            || !stride.is_multiple_of(self.align)
    }

    /// Bytes from element to element after [`repack`].
    #[must_use]
    pub fn repacked_stride(&self) -> u32 {
        self.bytes.next_multiple_of(4)
    }
}

/// Bytes of one element of an attribute as the application stores it.
#[must_use]
pub fn element_bytes(a: &VertexAttrib) -> u32 {
    if a.ty.is_packed() {
        a.ty.bytes()
    } else {
        a.ty.bytes() * a.components
    }
}

/// The plan for an attribute. `input` is what the shader reads at its location, if anything; `reads`
/// says whether the device reads vertices of a format.
#[must_use]
pub fn plan(
    a: &VertexAttrib,
    input: Option<&Input>,
    reads: &dyn Fn(vk::Format) -> bool,
) -> VertexPlan {
    let wanted = input.map_or(own_kind(a), |i| i.component);
    let own = own_kind(a);
    if wanted == own
        && let Some(format) = natural(a)
        && reads(format)
    {
        return VertexPlan {
            format,
            bytes: element_bytes(a),
            align: a.ty.bytes(),
            repack: Repack::Copy,
        };
    }
    let n = a.components.clamp(1, 4);
    let format = words(wanted, n);
    if wanted == ComponentKind::Double {
        return VertexPlan {
            format,
            bytes: 8 * n,
            align: 8,
            repack: Repack::Doubles,
        };
    }
    let repack = if own == ComponentKind::Float || own == ComponentKind::Double {
        Repack::Floats
    } else {
        Repack::Words
    };
    // 32-bit integers of the other signedness are read as they are.
    let same_bits = repack == Repack::Words && a.ty.bytes() == 4;
    VertexPlan {
        format,
        bytes: 4 * n,
        align: 4,
        repack: if same_bits { Repack::Copy } else { repack },
    }
}

/// What kind of component an attribute is by itself.
fn own_kind(a: &VertexAttrib) -> ComponentKind {
    match (a.class, a.ty) {
        (AttribClass::LONG, _) => ComponentKind::Double,
        (AttribClass::INTEGER, AttribType::BYTE | AttribType::SHORT | AttribType::INT) => {
            ComponentKind::Int
        }
        (AttribClass::INTEGER, _) => ComponentKind::Uint,
        _ => ComponentKind::Float,
    }
}

/// 32-bit or 64-bit components; every device reads the 32-bit ones.
fn words(kind: ComponentKind, n: u32) -> vk::Format {
    use vk::Format as V;
    let of = |list: [V; 4]| list[(n - 1).min(3) as usize];
    match kind {
        ComponentKind::Int | ComponentKind::Bool => of([
            V::R32_SINT,
            V::R32G32_SINT,
            V::R32G32B32_SINT,
            V::R32G32B32A32_SINT,
        ]),
        ComponentKind::Uint => of([
            V::R32_UINT,
            V::R32G32_UINT,
            V::R32G32B32_UINT,
            V::R32G32B32A32_UINT,
        ]),
        ComponentKind::Float => of([
            V::R32_SFLOAT,
            V::R32G32_SFLOAT,
            V::R32G32B32_SFLOAT,
            V::R32G32B32A32_SFLOAT,
        ]),
        ComponentKind::Double => of([
            V::R64_SFLOAT,
            V::R64G64_SFLOAT,
            V::R64G64B64_SFLOAT,
            V::R64G64B64A64_SFLOAT,
        ]),
    }
}

/// The format that reads an attribute as the application stores it, if Vulkan has one.
fn natural(a: &VertexAttrib) -> Option<vk::Format> {
    use vk::Format as V;
    let n = a.components as usize;
    let of = |list: [V; 4]| list.get(n.wrapping_sub(1)).copied();
    let normal = a.class == AttribClass::NORMALIZED;
    let integer = a.class == AttribClass::INTEGER;
    let bgra = a.bgra.get();
    match a.ty {
        AttribType::UNSIGNED_BYTE if bgra => normal.then_some(V::B8G8R8A8_UNORM),
        AttribType::UNSIGNED_INT_2_10_10_10_REV if integer => None,
        AttribType::INT_2_10_10_10_REV if integer => None,
        AttribType::UNSIGNED_INT_2_10_10_10_REV => Some(match (bgra, normal) {
            (false, true) => V::A2B10G10R10_UNORM_PACK32,
            (false, false) => V::A2B10G10R10_USCALED_PACK32,
            (true, true) => V::A2R10G10B10_UNORM_PACK32,
            (true, false) => V::A2R10G10B10_USCALED_PACK32,
        }),
        AttribType::INT_2_10_10_10_REV => Some(match (bgra, normal) {
            (false, true) => V::A2B10G10R10_SNORM_PACK32,
            (false, false) => V::A2B10G10R10_SSCALED_PACK32,
            (true, true) => V::A2R10G10B10_SNORM_PACK32,
            (true, false) => V::A2R10G10B10_SSCALED_PACK32,
        }),
        AttribType::UNSIGNED_INT_10F_11F_11F_REV if !integer => Some(V::B10G11R11_UFLOAT_PACK32),
        AttribType::FLOAT if !integer => of([
            V::R32_SFLOAT,
            V::R32G32_SFLOAT,
            V::R32G32B32_SFLOAT,
            V::R32G32B32A32_SFLOAT,
        ]),
        AttribType::HALF_FLOAT if !integer => of([
            V::R16_SFLOAT,
            V::R16G16_SFLOAT,
            V::R16G16B16_SFLOAT,
            V::R16G16B16A16_SFLOAT,
        ]),
        AttribType::DOUBLE if a.class == AttribClass::LONG => of([
            V::R64_SFLOAT,
            V::R64G64_SFLOAT,
            V::R64G64B64_SFLOAT,
            V::R64G64B64A64_SFLOAT,
        ]),
        AttribType::BYTE if integer => {
            of([V::R8_SINT, V::R8G8_SINT, V::R8G8B8_SINT, V::R8G8B8A8_SINT])
        }
        AttribType::BYTE if normal => of([
            V::R8_SNORM,
            V::R8G8_SNORM,
            V::R8G8B8_SNORM,
            V::R8G8B8A8_SNORM,
        ]),
        AttribType::BYTE => of([
            V::R8_SSCALED,
            V::R8G8_SSCALED,
            V::R8G8B8_SSCALED,
            V::R8G8B8A8_SSCALED,
        ]),
        AttribType::UNSIGNED_BYTE if integer => {
            of([V::R8_UINT, V::R8G8_UINT, V::R8G8B8_UINT, V::R8G8B8A8_UINT])
        }
        AttribType::UNSIGNED_BYTE if normal => of([
            V::R8_UNORM,
            V::R8G8_UNORM,
            V::R8G8B8_UNORM,
            V::R8G8B8A8_UNORM,
        ]),
        AttribType::UNSIGNED_BYTE => of([
            V::R8_USCALED,
            V::R8G8_USCALED,
            V::R8G8B8_USCALED,
            V::R8G8B8A8_USCALED,
        ]),
        AttribType::SHORT if integer => of([
            V::R16_SINT,
            V::R16G16_SINT,
            V::R16G16B16_SINT,
            V::R16G16B16A16_SINT,
        ]),
        AttribType::SHORT if normal => of([
            V::R16_SNORM,
            V::R16G16_SNORM,
            V::R16G16B16_SNORM,
            V::R16G16B16A16_SNORM,
        ]),
        AttribType::SHORT => of([
            V::R16_SSCALED,
            V::R16G16_SSCALED,
            V::R16G16B16_SSCALED,
            V::R16G16B16A16_SSCALED,
        ]),
        AttribType::UNSIGNED_SHORT if integer => of([
            V::R16_UINT,
            V::R16G16_UINT,
            V::R16G16B16_UINT,
            V::R16G16B16A16_UINT,
        ]),
        AttribType::UNSIGNED_SHORT if normal => of([
            V::R16_UNORM,
            V::R16G16_UNORM,
            V::R16G16B16_UNORM,
            V::R16G16B16A16_UNORM,
        ]),
        AttribType::UNSIGNED_SHORT => of([
            V::R16_USCALED,
            V::R16G16_USCALED,
            V::R16G16B16_USCALED,
            V::R16G16B16A16_USCALED,
        ]),
        AttribType::INT if integer => of([
            V::R32_SINT,
            V::R32G32_SINT,
            V::R32G32B32_SINT,
            V::R32G32B32A32_SINT,
        ]),
        AttribType::UNSIGNED_INT if integer => of([
            V::R32_UINT,
            V::R32G32_UINT,
            V::R32G32B32_UINT,
            V::R32G32B32A32_UINT,
        ]),
        // Vulkan has no scaled or normalised 32-bit integers and no fixed point.
        _ => None,
    }
}

/// Appends whole elements of `src`, as `plan` has them, that begin every `stride` bytes from
/// `first`; one element with a stride of zero. Each takes [`VertexPlan::repacked_stride`] bytes.
pub fn repack(
    a: &VertexAttrib,
    plan: &VertexPlan,
    src: &[u8],
    first: usize,
    stride: usize,
    out: &mut Vec<u8>,
) {
    let size = element_bytes(a) as usize;
    let mut at = first;
    while let Some(one) = at.checked_add(size).and_then(|end| src.get(at..end)) {
        let begin = out.len();
        element(a, plan.repack, one, out);
        out.resize(begin + plan.repacked_stride() as usize, 0);
        if stride == 0 {
            break;
        }
        at += stride;
    }
}

fn element(a: &VertexAttrib, how: Repack, src: &[u8], out: &mut Vec<u8>) {
    let n = a.components.clamp(1, 4) as usize;
    match how {
        Repack::Copy => out.extend_from_slice(src),
        Repack::Words => {
            let size = a.ty.bytes() as usize;
            for c in src.chunks_exact(size) {
                let mut w = [0; 4];
                w[..size].copy_from_slice(c);
                let shift = 32 - 8 * size as u32;
                let word = u32::from_le_bytes(w);
                let word = match a.ty {
                    AttribType::BYTE | AttribType::SHORT => {
                        ((word << shift) as i32 >> shift) as u32
                    }
                    _ => word,
                };
                out.extend_from_slice(&word.to_le_bytes());
            }
        }
        Repack::Floats => {
            for v in &values(a, src)[..n] {
                out.extend_from_slice(&(*v as f32).to_le_bytes());
            }
        }
        Repack::Doubles => {
            for v in &values(a, src)[..n] {
                out.extend_from_slice(&v.to_le_bytes());
            }
        }
    }
}

/// The components of one element as GL converts them (GL 4.6 §10.3.1 and §2.3.5).
fn values(a: &VertexAttrib, src: &[u8]) -> [f64; 4] {
    let normal = a.class == AttribClass::NORMALIZED;
    let mut out = [0.0, 0.0, 0.0, 1.0];
    let field = |v: u32, bits: u32, signed: bool| {
        let value = if signed {
            f64::from((v << (32 - bits)) as i32 >> (32 - bits))
        } else {
            f64::from(v)
        };
        match (normal, signed) {
            (false, _) => value,
            (true, false) => value / f64::from(u32::MAX >> (32 - bits)),
            (true, true) => (value / f64::from(u32::MAX >> (33 - bits))).max(-1.0),
        }
    };
    let word = |c: &[u8]| {
        let mut w = [0; 4];
        w[..c.len().min(4)].copy_from_slice(&c[..c.len().min(4)]);
        u32::from_le_bytes(w)
    };
    match a.ty {
        AttribType::UNSIGNED_INT_2_10_10_10_REV | AttribType::INT_2_10_10_10_REV => {
            let (w, signed) = (word(src), a.ty == AttribType::INT_2_10_10_10_REV);
            for (n, at) in [0, 10, 20].into_iter().enumerate() {
                out[n] = field(w >> at & 0x3FF, 10, signed);
            }
            out[3] = field(w >> 30, 2, signed);
        }
        AttribType::UNSIGNED_INT_10F_11F_11F_REV => {
            if let Some(info) = Format::R11F_G11F_B10F.info() {
                out = decode(info, src);
            }
        }
        _ => {
            let size = a.ty.bytes() as usize;
            for (to, c) in out.iter_mut().zip(src.chunks_exact(size)) {
                let w = word(c);
                *to = match a.ty {
                    AttribType::FLOAT => f64::from(f32::from_bits(w)),
                    AttribType::HALF_FLOAT => f64::from(wide(w as u16)),
                    AttribType::FIXED => f64::from(w as i32) / 65536.0,
                    AttribType::DOUBLE => {
                        let mut b = [0; 8];
                        b.copy_from_slice(c);
                        f64::from_le_bytes(b)
                    }
                    AttribType::BYTE => field(w, 8, true),
                    AttribType::UNSIGNED_BYTE => field(w, 8, false),
                    AttribType::SHORT => field(w, 16, true),
                    AttribType::UNSIGNED_SHORT => field(w, 16, false),
                    AttribType::INT => field(w, 32, true),
                    _ => field(w, 32, false),
                };
            }
        }
    }
    if a.bgra.get() {
        out.swap(0, 2);
    }
    out
}

/// Format and bytes of an attribute's current value, for a buffer with a stride of 0. The bits of
/// 32-bit values reach the shader as they are.
#[must_use]
pub fn constant(value: &AttribValue, input: &Input) -> (vk::Format, [u8; 32]) {
    let mut bytes = [0; 32];
    let bits = value.bits;
    let double =
        |n: usize| f64::from_bits(u64::from(bits[2 * n]) | u64::from(bits[2 * n + 1]) << 32);
    if input.component == ComponentKind::Double {
        for (n, b) in bytes.chunks_exact_mut(8).enumerate() {
            let v = match value.ty {
                ValueType::DOUBLE => double(n),
                ValueType::FLOAT => f64::from(f32::from_bits(bits[n])),
                ValueType::INT => f64::from(bits[n] as i32),
                _ => f64::from(bits[n]),
            };
            b.copy_from_slice(&v.to_le_bytes());
        }
        return (
            words(ComponentKind::Double, input.components.clamp(1, 4)),
            bytes,
        );
    }
    for (n, b) in bytes.chunks_exact_mut(4).take(4).enumerate() {
        let v = match value.ty {
            ValueType::DOUBLE => (double(n) as f32).to_bits(),
            _ => bits[n],
        };
        b.copy_from_slice(&v.to_le_bytes());
    }
    (words(input.component, 4), bytes)
}

#[cfg(test)]
mod tests;
