//! Looking into indices: the range that a draw reads, and primitives that the pipe does not know.
//!
//! Where indices are read on the client, and what has to be reconciled first (design: pipe contract 3.5.10):
//!
//! | site | source | before reading |
//! |---|---|---|
//! | range of client arrays | user indices | nothing: they were copied for this draw |
//! | range of client arrays | element buffer | [`crate::state::buffer::Buffer::sync`]: the GPU may have written it |
//! | offsets that are no multiple of the index size | element buffer | the same |
//! | quadrilaterals | both | as above |
//! | parameters of indirect draws | indirect buffer | the same |

/// Index types by size in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexType {
    /// GL_UNSIGNED_BYTE.
    U8,
    /// GL_UNSIGNED_SHORT.
    U16,
    /// GL_UNSIGNED_INT.
    U32,
}

impl IndexType {
    /// The type of a GL constant.
    #[must_use]
    pub const fn from_gl(ty: u32) -> Option<Self> {
        use crate::consts::gl::*;
        Some(match ty {
            GL_UNSIGNED_BYTE => Self::U8,
            GL_UNSIGNED_SHORT => Self::U16,
            GL_UNSIGNED_INT => Self::U32,
            _ => return None,
        })
    }
    /// Bytes an index.
    #[must_use]
    pub const fn size(self) -> u32 {
        match self {
            Self::U8 => 1,
            Self::U16 => 2,
            Self::U32 => 4,
        }
    }
    /// Largest index.
    #[must_use]
    pub const fn max(self) -> u32 {
        match self {
            Self::U8 => 0xff,
            Self::U16 => 0xffff,
            Self::U32 => u32::MAX,
        }
    }
}

fn each(bytes: &[u8], ty: IndexType, mut f: impl FnMut(u32)) {
    match ty {
        IndexType::U8 => bytes.iter().for_each(|&b| f(u32::from(b))),
        IndexType::U16 => bytes
            .chunks_exact(2)
            .for_each(|c| f(u32::from(u16::from_le_bytes([c[0], c[1]])))),
        IndexType::U32 => bytes
            .chunks_exact(4)
            .for_each(|c| f(u32::from_le_bytes([c[0], c[1], c[2], c[3]]))),
    }
}

/// Smallest and largest index in `bytes`, the restart index left out; `None` when there is none.
#[must_use]
pub fn bounds(bytes: &[u8], ty: IndexType, restart: Option<u32>) -> Option<(u32, u32)> {
    let (mut min, mut max) = (u32::MAX, 0);
    match restart {
        None => each(bytes, ty, |i| (min, max) = (min.min(i), max.max(i))),
        Some(r) => each(bytes, ty, |i| {
            if i != r {
                (min, max) = (min.min(i), max.max(i));
            }
        }),
    }
    (min <= max).then_some((min, max))
}

/// Both ranges as one.
#[must_use]
pub fn join(a: Option<(u32, u32)>, b: Option<(u32, u32)>) -> Option<(u32, u32)> {
    match (a, b) {
        (Some((a0, a1)), Some((b0, b1))) => Some((a0.min(b0), a1.max(b1))),
        (a, b) => a.or(b),
    }
}

/// Cuts quadrilaterals into triangles whose last vertex is the quadrilateral's last, which flat outputs come from.
#[derive(Default)]
struct Quads {
    held: [u32; 4],
    n: usize,
}

impl Quads {
    fn vertex(&mut self, i: u32, out: &mut Vec<u8>) {
        self.held[self.n] = i;
        self.n += 1;
        if self.n == 4 {
            self.n = 0;
            let [a, b, c, d] = self.held;
            for v in [a, b, d, b, c, d] {
                out.extend_from_slice(&v.to_le_bytes());
            }
        }
    }
}

/// Appends the triangles (32-bit indices) of the quadrilaterals that `count` vertices from `first` make.
pub fn quads_of_range(first: u32, count: u32, out: &mut Vec<u8>) {
    let mut q = Quads::default();
    for i in 0..count {
        q.vertex(first.wrapping_add(i), out);
    }
}

/// Appends the triangles (32-bit indices) of the quadrilaterals that indices make; a restart begins a new one.
pub fn quads_of_indices(bytes: &[u8], ty: IndexType, restart: Option<u32>, out: &mut Vec<u8>) {
    let mut q = Quads::default();
    each(bytes, ty, |i| {
        if Some(i) == restart {
            q.n = 0;
        } else {
            q.vertex(i, out);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(bytes: &[u8]) -> Vec<u32> {
        let mut v = Vec::new();
        each(bytes, IndexType::U32, |i| v.push(i));
        v
    }

    #[test]
    fn bounds_of_all_types_honour_restart() {
        let shorts: Vec<u8> = [7u16, 0xffff, 3, 9]
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect();
        assert_eq!(bounds(&shorts, IndexType::U16, None), Some((3, 0xffff)));
        assert_eq!(bounds(&shorts, IndexType::U16, Some(0xffff)), Some((3, 9)));
        assert_eq!(bounds(&[5, 5], IndexType::U8, Some(5)), None);
        assert_eq!(bounds(&[0], IndexType::U8, None), Some((0, 0)));
        assert_eq!(bounds(&[], IndexType::U32, None), None);
        assert_eq!(join(Some((1, 2)), Some((0, 1))), Some((0, 2)));
        assert_eq!(join(None, Some((4, 5))), Some((4, 5)));
    }

    #[test]
    fn quads_keep_their_last_vertex_last() {
        let mut out = Vec::new();
        quads_of_range(10, 9, &mut out);
        assert_eq!(
            words(&out),
            [10, 11, 13, 11, 12, 13, 14, 15, 17, 15, 16, 17]
        );
        out.clear();
        quads_of_indices(&[1, 2, 255, 4, 5, 6, 7], IndexType::U8, Some(255), &mut out);
        assert_eq!(words(&out), [4, 5, 7, 5, 6, 7]);
    }
}
