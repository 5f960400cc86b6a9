//! Vertex attributes that OpenGL ES cannot read: converted on the CPU (design: driver 5.5, BGRA and packed formats).
//!
//! Doubles, fixed point (where the driver does not take it), packed floats and BGRA order become floats, or bytes in RGBA
//! order, in a buffer of their own; elements farther apart than OpenGL ES reads are put together. A buffer is converted whole, from the attribute's offset, and the result is kept until
//! the content changes; client arrays are converted with each draw.

use super::context::Serial;
use super::convert::{decode, encode};
use super::device::Device;
use super::work::Work;
use glow::HasContext;
use mgl_core::format::Format;
use mgl_core::handle::BufferHandle;
use mgl_core::pipe::*;

/// Bytes of converted buffers that are kept.
const BUDGET: usize = 64 << 20;

/// What OpenGL ES reads in place of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored {
    /// Components.
    pub components: u32,
    /// Component type.
    pub ty: u32,
    /// Values are normalised.
    pub normalized: bool,
    /// Values stay integers.
    pub integer: bool,
    /// Bytes an element.
    pub bytes: u32,
}

/// How an attribute, of elements that begin every `stride` bytes, is stored when OpenGL ES cannot read it; `None` when it
/// can.
pub fn stored(dev: &Device, a: &VertexAttrib, stride: u32) -> Option<Stored> {
    let floats = Some(Stored {
        components: a.components,
        ty: glow::FLOAT,
        normalized: false,
        integer: false,
        bytes: a.components * 4,
    });
    let far = stride > dev.gl.limits.vertex_stride;
    match a.ty {
        AttribType::DOUBLE if a.class != AttribClass::LONG => floats,
        AttribType::FIXED if far || !dev.gl.has.fixed_attribs => floats,
        AttribType::UNSIGNED_INT_10F_11F_11F_REV => floats,
        AttribType::UNSIGNED_BYTE if a.bgra.get() => Some(Stored {
            components: 4,
            ty: glow::UNSIGNED_BYTE,
            normalized: true,
            integer: false,
            bytes: 4,
        }),
        t if a.bgra.get() => Some(Stored {
            components: 4,
            ty: t.0,
            normalized: a.class == AttribClass::NORMALIZED,
            integer: false,
            bytes: 4,
        }),
        t if far => Some(Stored {
            components: a.components,
            ty: t.0,
            normalized: a.class == AttribClass::NORMALIZED,
            integer: a.class == AttribClass::INTEGER,
            bytes: source_bytes(a) as u32,
        }),
        _ => None,
    }
}

/// Bytes of one element in the source.
fn source_bytes(a: &VertexAttrib) -> usize {
    let one = a.ty.bytes() as usize;
    if a.ty.is_packed() {
        one
    } else {
        one * a.components as usize
    }
}

/// Appends one element as it is stored.
fn element(a: &VertexAttrib, src: &[u8], out: &mut Vec<u8>) {
    match a.ty {
        AttribType::DOUBLE => {
            for c in src.chunks_exact(8) {
                let mut b = [0; 8];
                b.copy_from_slice(c);
                out.extend_from_slice(&(f64::from_le_bytes(b) as f32).to_le_bytes());
            }
        }
        AttribType::FIXED => {
            for c in src.chunks_exact(4) {
                let v = i32::from_le_bytes([c[0], c[1], c[2], c[3]]);
                out.extend_from_slice(&(v as f32 / 65536.0).to_le_bytes());
            }
        }
        AttribType::UNSIGNED_INT_10F_11F_11F_REV => {
            let (packed, floats) = (Format::R11F_G11F_B10F.info(), Format::RGBA32F.info());
            if let (Some(from), Some(to)) = (packed, floats) {
                let mut all = Vec::with_capacity(16);
                encode(to, &decode(from, src), &mut all);
                out.extend_from_slice(&all[..a.components as usize * 4]);
            }
        }
        _ if !a.bgra.get() => out.extend_from_slice(src),
        AttribType::UNSIGNED_BYTE => out.extend_from_slice(&[src[2], src[1], src[0], src[3]]),
        // Ten bits of blue, green and red from below: red and blue change places.
        _ => {
            let w = u32::from_le_bytes([src[0], src[1], src[2], src[3]]);
            let swapped = w & 0xC00F_FC00 | (w & 0x3FF) << 20 | w >> 20 & 0x3FF;
            out.extend_from_slice(&swapped.to_le_bytes());
        }
    }
}

/// Elements of `src` that begin every `stride` bytes from `first`; one with a stride of zero.
fn elements(a: &VertexAttrib, src: &[u8], first: usize, stride: usize) -> Vec<u8> {
    let size = source_bytes(a);
    let mut out = Vec::new();
    let mut at = first;
    while let Some(one) = src.get(at..at + size) {
        element(a, one, &mut out);
        if stride == 0 {
            break;
        }
        at += stride;
    }
    out
}

/// What a kept conversion was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key {
    buffer: Serial,
    version: u64,
    first: u64,
    stride: u32,
    attrib: VertexAttrib,
}

/// Kept conversions, the oldest first.
#[derive(Debug, Default)]
pub struct Converted {
    kept: Vec<(Key, glow::Buffer, Serial, usize)>,
    /// No longer kept. A draw that is being made ready may have them bound, which deleting would undo.
    dead: Vec<glow::Buffer>,
}

impl Converted {
    /// A buffer ended: its conversions are not asked for again.
    pub fn forget(&mut self, dev: &Device, buffer: Serial) {
        self.kept.retain(|(key, name, ..)| {
            let end = key.buffer == buffer;
            if end {
                // SAFETY: a context of the share group is current; vertex arrays that have it bound keep its storage.
                unsafe { dev.gl.glow.delete_buffer(*name) };
                dev.tally.buffers_ended.one();
            }
            !end
        });
    }

    /// Ends all of them.
    pub fn clear(&mut self, dev: &Device) {
        self.dead.extend(self.kept.drain(..).map(|k| k.1));
        self.bury(dev);
    }

    /// Ends those that are no longer kept; no draw is being made ready.
    pub fn bury(&mut self, dev: &Device) {
        for name in self.dead.drain(..) {
            // SAFETY: a context of the share group is current.
            unsafe { dev.gl.glow.delete_buffer(name) };
            dev.tally.buffers_ended.one();
        }
    }
}

impl Work<'_> {
    /// A buffer of the elements of an attribute that OpenGL ES can read, from element 0.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`].
    pub fn converted_buffer(
        &mut self,
        a: &VertexAttrib,
        buffer: BufferHandle,
        offset: u64,
        stride: u32,
    ) -> Result<(glow::Buffer, Serial), BackendError> {
        let b = self.buffer(buffer)?;
        let key = Key {
            buffer: b.serial,
            version: b.version,
            first: offset + u64::from(a.relative_offset),
            stride,
            attrib: *a,
        };
        if let Some(found) = self.obj.converted.kept.iter().find(|k| k.0 == key) {
            return Ok((found.1, found.2));
        }
        let source = self.index_bytes(buffer)?;
        let bytes = elements(a, &source, key.first as usize, stride as usize);
        self.keep_mirror(buffer, source);
        // An older content of the same buffer will not be asked for again.
        let stale = |k: &Key| {
            Key {
                version: key.version,
                ..*k
            } == key
        };
        let dev = self.dev;
        let Converted { kept, dead } = &mut self.obj.converted;
        let mut total: usize = kept.iter().map(|k| k.3).sum::<usize>() + bytes.len();
        kept.retain(|(k, name, _, size)| {
            let end = stale(k) || total > BUDGET;
            if end {
                total -= size;
                dead.push(*name);
            }
            !end
        });
        // SAFETY: a context is current.
        let name = unsafe { dev.gl.glow.create_buffer() }.map_err(BackendError::Driver)?;
        dev.tally.buffers_made.one();
        dev.tally.buffer_allocations.one();
        let serial = self.obj.serial();
        self.ctx.shadow.bind_copy_write(dev, name, serial);
        dev.check_errors("before converted vertices");
        // SAFETY: the buffer is bound. It is never empty, so that reads have something to clamp to.
        unsafe {
            let content: &[u8] = if bytes.is_empty() { &[0; 16] } else { &bytes };
            dev.gl.es.BufferData(
                glow::COPY_WRITE_BUFFER,
                content.len() as isize,
                content.as_ptr().cast(),
                glow::STATIC_DRAW,
            );
        }
        dev.gl.check("converted vertices")?;
        self.obj
            .converted
            .kept
            .push((key, name, serial, bytes.len()));
        Ok((name, serial))
    }
}

/// The bytes of a client array's elements as OpenGL ES can read them.
pub fn converted_array(a: &VertexAttrib, u: &UserArray, stride: u32, arrays: &[u8]) -> Vec<u8> {
    let part = &arrays[u.offset as usize..(u.offset + u.size) as usize];
    elements(a, part, a.relative_offset as usize, stride as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attrib(ty: AttribType, components: u32, bgra: bool) -> VertexAttrib {
        VertexAttrib {
            ty,
            components,
            bgra: bgra.into(),
            class: AttribClass::NORMALIZED,
            ..VertexAttrib::default()
        }
    }

    fn one(a: &VertexAttrib, src: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        element(a, src, &mut out);
        out
    }

    #[test]
    fn elements_become_what_gles_reads() {
        let floats = |v: &[f32]| -> Vec<u8> { v.iter().flat_map(|f| f.to_le_bytes()).collect() };
        let doubles: Vec<u8> = [1.5f64, -2.0]
            .iter()
            .flat_map(|f| f.to_le_bytes())
            .collect();
        assert_eq!(
            one(&attrib(AttribType::DOUBLE, 2, false), &doubles),
            floats(&[1.5, -2.0])
        );
        let fixed: Vec<u8> = [0x1_8000i32, -0x1_0000]
            .iter()
            .flat_map(|f| f.to_le_bytes())
            .collect();
        assert_eq!(
            one(&attrib(AttribType::FIXED, 2, false), &fixed),
            floats(&[1.5, -1.0])
        );
        assert_eq!(
            one(&attrib(AttribType::UNSIGNED_BYTE, 4, true), &[1, 2, 3, 4]),
            [3, 2, 1, 4]
        );
        let packed = 1u32 | 2 << 10 | 3 << 20 | 2 << 30;
        let swapped = 3u32 | 2 << 10 | 1 << 20 | 2 << 30;
        let t = AttribType::UNSIGNED_INT_2_10_10_10_REV;
        assert_eq!(
            one(&attrib(t, 4, true), &packed.to_le_bytes()),
            swapped.to_le_bytes()
        );
        let plain = attrib(AttribType::SHORT, 2, false);
        assert_eq!(one(&plain, &[1, 2, 3, 4]), [1, 2, 3, 4]);
        let small = 0x3C0u32 | 0x380 << 11 | 0x200 << 22;
        let t = AttribType::UNSIGNED_INT_10F_11F_11F_REV;
        assert_eq!(
            one(&attrib(t, 3, false), &small.to_le_bytes()),
            floats(&[1.0, 0.5, 2.0])
        );
    }

    #[test]
    fn strides_are_followed_to_the_last_whole_element() {
        let a = attrib(AttribType::UNSIGNED_BYTE, 4, true);
        let src: Vec<u8> = (0..16).collect();
        assert_eq!(elements(&a, &src, 1, 6), [3, 2, 1, 4, 9, 8, 7, 10]);
        assert_eq!(elements(&a, &src, 1, 0), [3, 2, 1, 4]);
        assert!(elements(&a, &src, 14, 4).is_empty());
    }
}
