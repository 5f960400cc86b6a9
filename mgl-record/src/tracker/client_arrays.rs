//! Client arrays: which bytes of the program's memory a draw reads, and copying them once.
//!
//! Nothing is reconciled here: the bytes are read while the program waits in the draw, as GL has it.

use crate::state::vertex_array::{MAX_ATTRIBS, VertexArray};
use mgl_core::pipe::UserArray;

/// Bytes that one draw may bring along; above it the draw is an out-of-memory.
const LIMIT: u64 = 1 << 30;
/// Alignment of regions in the blob.
const ALIGNMENT: usize = 16;

/// Vertices and instances that a draw reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// First and last vertex, base vertex included.
    pub vertices: (u32, u32),
    /// Instances.
    pub instances: u32,
    /// First instance.
    pub base_instance: u32,
}

/// Part of the program's memory.
#[derive(Debug, Clone, Copy)]
struct Region {
    from: u64,
    to: u64,
    /// Where it is in the blob, once it is there.
    at: Option<u64>,
}

/// What crosses with the draw; the memory is used again by the next one.
#[derive(Default)]
pub struct ClientArrays {
    regions: Vec<Region>,
    /// The blob.
    pub bytes: Vec<u8>,
    /// The arrays in it.
    pub arrays: Vec<UserArray>,
}

/// More bytes than one draw may bring along.
#[derive(Debug, PartialEq, Eq)]
pub struct TooLarge;

impl ClientArrays {
    /// Forgets the last draw.
    pub fn clear(&mut self) {
        self.regions.clear();
        self.bytes.clear();
        self.arrays.clear();
    }

    /// Copies what the attributes of `mask` read; ranges that overlap or touch (interleaved arrays) cross once.
    ///
    /// # Errors
    ///
    /// The draw reads more than [`LIMIT`] bytes.
    ///
    /// # Safety
    ///
    /// The pointers of these attributes lead to the elements that the draw reads.
    pub unsafe fn gather(
        &mut self,
        vao: &VertexArray,
        mask: u32,
        extent: Extent,
    ) -> Result<(), TooLarge> {
        self.clear();
        for location in bits(mask) {
            let a = &vao.attribs()[location as usize];
            let (first, last) = match a.divisor {
                0 => extent.vertices,
                d => {
                    let steps = (extent.instances.max(1) - 1) / d;
                    let first = extent.base_instance;
                    (first, first.saturating_add(steps))
                }
            };
            let step = u64::from(a.step());
            let size = u64::from(last - first) * step + u64::from(a.element_size());
            let from = a.pointer.wrapping_add(u64::from(first) * step);
            if size > LIMIT || from.checked_add(size).is_none() {
                return Err(TooLarge);
            }
            self.regions.push(Region {
                from,
                to: from + size,
                at: None,
            });
            self.arrays.push(UserArray {
                binding: location,
                first,
                // The address for now; the place in the blob is known below.
                offset: from,
                size,
                ..UserArray::default()
            });
        }
        self.merge();
        if self.regions.iter().map(|r| r.to - r.from).sum::<u64>() > LIMIT {
            return Err(TooLarge);
        }
        // In the order of the attributes and not of the addresses, which differ from run to run: equal draws make equal
        // blobs.
        for u in &mut self.arrays {
            let i = self.regions.partition_point(|r| r.to <= u.offset);
            let r = &mut self.regions[i];
            let at = match r.at {
                Some(at) => at,
                None => {
                    let aligned = self.bytes.len().next_multiple_of(ALIGNMENT);
                    self.bytes.resize(aligned, 0);
                    // SAFETY: a region is a union of ranges that touch, each of which the draw reads: the caller
                    // vouches.
                    let part = unsafe {
                        std::slice::from_raw_parts(r.from as *const u8, (r.to - r.from) as usize)
                    };
                    self.bytes.extend_from_slice(part);
                    *r.at.insert(aligned as u64)
                }
            };
            u.offset = at + (u.offset - r.from);
        }
        Ok(())
    }

    /// Sorts the regions and joins those that overlap or touch.
    fn merge(&mut self) {
        self.regions.sort_unstable_by_key(|r| r.from);
        let mut n = 0;
        for i in 0..self.regions.len() {
            let r = self.regions[i];
            if n > 0 && r.from <= self.regions[n - 1].to {
                let last = &mut self.regions[n - 1];
                last.to = last.to.max(r.to);
            } else {
                self.regions[n] = r;
                n += 1;
            }
        }
        self.regions.truncate(n);
    }
}

/// The locations of a mask, ascending.
pub fn bits(mask: u32) -> impl Iterator<Item = u32> {
    (0..MAX_ATTRIBS).filter(move |i| mask >> i & 1 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Profile;
    use crate::state::vertex_array::{AttribArray, VertexState};
    use crate::state::{Generations, dirty::VertexArrays};
    use mgl_core::pipe::AttribType;

    fn state(arrays: &[(u32, AttribArray)]) -> VertexState {
        let mut v = VertexState::new(Profile::Compatibility);
        let mut g = Generations::default();
        for (location, a) in arrays {
            v.current_mut()
                .set_array(g.touch::<VertexArrays>(), *location, *a);
            v.current_mut().set_divisor(g.touch(), *location, a.divisor);
        }
        v
    }

    fn floats(pointer: u64, components: u32, stride: u32, divisor: u32) -> AttribArray {
        AttribArray {
            components,
            stride,
            pointer,
            divisor,
            ty: AttribType::FLOAT,
            ..AttribArray::default()
        }
    }

    #[test]
    fn interleaved_arrays_are_one_region_and_others_their_own() {
        let mixed: Vec<f32> = (0..50).map(|i| i as f32).collect();
        let other: Vec<f32> = (0..8).map(|i| 100.0 + i as f32).collect();
        let (m, o) = (mixed.as_ptr() as u64, other.as_ptr() as u64);
        // Vertices of five floats: three and two; and one float an instance pair.
        let v = state(&[
            (0, floats(m, 3, 20, 0)),
            (3, floats(m + 12, 2, 20, 0)),
            (5, floats(o, 1, 0, 2)),
        ]);
        let mut c = ClientArrays::default();
        let extent = Extent {
            vertices: (2, 4),
            instances: 5,
            base_instance: 1,
        };
        // SAFETY: both vectors hold what the extent reads.
        unsafe { c.gather(v.current(), 0b101001, extent) }.expect("small");
        let [a, b, d] = c.arrays[..] else {
            panic!("{:?}", c.arrays)
        };
        let part = |u: &UserArray| -> Vec<f32> {
            let (from, to) = (u.offset as usize, (u.offset + u.size) as usize);
            c.bytes[from..to]
                .chunks_exact(4)
                .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
                .collect()
        };
        assert_eq!((a.binding, a.first, a.size), (0, 2, 52));
        assert_eq!((b.binding, b.first, b.size), (3, 2, 48));
        assert_eq!(b.offset, a.offset + 12, "one region");
        assert_eq!(part(&a), mixed[10..23]);
        assert_eq!(part(&b), mixed[13..25]);
        // Instances 0 to 4 step every two: elements 1 to 3.
        assert_eq!((d.first, d.size), (1, 12));
        assert_eq!(part(&d), other[1..4]);
        assert_eq!(
            c.bytes.len(),
            64 + 12,
            "60 bytes of the one, aligned, 12 of the other"
        );
        let capacity = c.bytes.capacity();
        // SAFETY: as above.
        unsafe { c.gather(v.current(), 0b101001, extent) }.expect("small");
        assert_eq!(c.bytes.capacity(), capacity, "memory is used again");
    }

    #[test]
    fn the_blob_does_not_depend_on_where_arrays_lie() {
        let extent = Extent {
            vertices: (0, 2),
            instances: 1,
            base_instance: 0,
        };
        // Two arrays with room between them: the first one's before, and behind.
        let mut blobs = Vec::new();
        for (one, two) in [(0, 8), (8, 0)] {
            let mut memory = [0.0f32; 12];
            memory[one..one + 3].copy_from_slice(&[1.0, 2.0, 3.0]);
            memory[two..two + 3].copy_from_slice(&[7.0, 8.0, 9.0]);
            let address = |i: usize| memory[i..].as_ptr() as u64;
            let v = state(&[
                (0, floats(address(one), 1, 4, 0)),
                (1, floats(address(two), 1, 4, 0)),
            ]);
            let mut c = ClientArrays::default();
            // SAFETY: the array holds what the extent reads.
            unsafe { c.gather(v.current(), 0b11, extent) }.expect("small");
            let offsets: Vec<u64> = c.arrays.iter().map(|a| a.offset).collect();
            blobs.push((offsets, c.bytes));
        }
        assert_eq!(blobs[0].0, [0, 16]);
        assert_eq!(blobs[0], blobs[1]);
    }

    #[test]
    fn absurd_extents_are_refused_before_anything_is_read() {
        let v = state(&[(0, floats(64, 4, 1 << 20, 0))]);
        let extent = Extent {
            vertices: (0, u32::MAX),
            instances: 1,
            base_instance: 0,
        };
        let mut c = ClientArrays::default();
        // SAFETY: nothing is read of a draw that is too large.
        let r = unsafe { c.gather(v.current(), 1, extent) };
        assert_eq!(r, Err(TooLarge));
    }
}
