//! Values of a program's uniforms (GL 4.6 §7.6): where the value of each location is, resolved once a link, and the bytes of
//! the default block with what of them the pipe lacks.

use crate::consts::gl::*;
use mgl_core::program::{ComponentKind, Reflection, UniformPlace};
use std::ops::Range;

/// Why a uniform could not be set: a GL error.
pub type UniformError = u32;

/// What a location names.
#[derive(Clone, Copy)]
struct Location {
    place: Place,
    /// Elements from this one to the end of its array.
    left: u32,
    is_array: bool,
}

#[derive(Clone, Copy)]
enum Place {
    /// Nothing: a gap between locations.
    Nowhere,
    /// A texture unit: the sampler slot.
    Sampler(u32),
    /// Bytes of the default block.
    Value(Value),
}

/// Where an element is in the default block, and its shape.
#[derive(Clone, Copy)]
struct Value {
    offset: u32,
    array_stride: u32,
    matrix_stride: u32,
    component: ComponentKind,
    columns: u8,
    rows: u8,
    row_major: bool,
}

impl Value {
    /// Where a component of an element, counted from this one, is.
    fn at(&self, element: usize, column: usize, row: usize) -> usize {
        let (major, minor) = if self.row_major {
            (row, column)
        } else {
            (column, row)
        };
        self.offset as usize
            + element * self.array_stride as usize
            + major * self.matrix_stride as usize
            + 4 * minor
    }
}

/// Values handed to a glUniform entry point.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// What the values are.
    pub kind: ComponentKind,
    /// Columns and rows of an element; a vector has one column.
    pub shape: (u8, u8),
    /// Matrices come by rows.
    pub transpose: bool,
    /// Elements.
    pub count: usize,
    /// The values as bits.
    pub bits: &'a [u32],
}

/// What setting a uniform came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Set {
    /// The default block has the values.
    Values,
    /// These sampler slots are to read the units that were given.
    Units(Range<usize>),
}

/// See the module.
#[derive(Default)]
pub struct UniformValues {
    locations: Vec<Location>,
    bytes: Vec<u8>,
    /// Bytes that the pipe does not have yet.
    dirty: Option<(usize, usize)>,
}

impl UniformValues {
    /// The values that a freshly linked program has.
    #[must_use]
    pub fn new(r: &Reflection) -> Self {
        let nowhere = Location {
            place: Place::Nowhere,
            left: 0,
            is_array: false,
        };
        let mut locations = vec![nowhere; r.location_count() as usize];
        for u in r.uniforms.iter().filter(|u| u.location >= 0) {
            for e in 0..u.size {
                let Some(location) = locations.get_mut(u.location as usize + e as usize) else {
                    continue;
                };
                let place = match (u.place, u.ty.numeric()) {
                    (UniformPlace::Sampler(s), _) => {
                        Place::Sampler(r.samplers[s as usize].slot + e)
                    }
                    (_, Some(shape)) => Place::Value(Value {
                        offset: u.offset + e * u.array_stride,
                        array_stride: u.array_stride,
                        matrix_stride: u.matrix_stride,
                        component: shape.component,
                        columns: shape.columns,
                        rows: shape.rows,
                        row_major: u.row_major,
                    }),
                    (_, None) => Place::Nowhere,
                };
                *location = Location {
                    place,
                    left: u.size - e,
                    is_array: u.is_array,
                };
            }
        }
        let bytes = r.default_block.as_ref().map_or_else(Vec::new, |b| {
            let mut bytes = b.preset.clone();
            bytes.resize(b.size as usize, 0);
            bytes
        });
        Self {
            locations,
            bytes,
            dirty: None,
        }
    }

    /// Sets elements from a location on; those behind the end of its array are ignored.
    ///
    /// # Errors
    ///
    /// GL_INVALID_OPERATION as in GL 4.6 §7.6.1.
    #[inline]
    pub fn set(&mut self, location: i32, given: &Given<'_>) -> Result<Set, UniformError> {
        let found = usize::try_from(location)
            .ok()
            .and_then(|l| self.locations.get(l));
        let l = *found.ok_or(GL_INVALID_OPERATION)?;
        if given.count > 1 && !l.is_array {
            return Err(GL_INVALID_OPERATION);
        }
        let count = given.count.min(l.left as usize);
        match l.place {
            Place::Nowhere => Err(GL_INVALID_OPERATION),
            Place::Sampler(slot) => {
                if given.kind != ComponentKind::Int || given.shape != (1, 1) {
                    return Err(GL_INVALID_OPERATION);
                }
                let slot = slot as usize;
                Ok(Set::Units(slot..slot + count))
            }
            Place::Value(v) => {
                let boolean = v.component == ComponentKind::Bool && given.shape.0 == 1;
                if (v.columns, v.rows) != given.shape || (v.component != given.kind && !boolean) {
                    return Err(GL_INVALID_OPERATION);
                }
                if boolean || given.shape.0 > 1 {
                    self.write_by_component(&v, count, given, boolean);
                } else {
                    self.write_vectors(&v, count, given.bits);
                }
                Ok(Set::Values)
            }
        }
    }

    /// Writes vectors as they are.
    fn write_vectors(&mut self, v: &Value, count: usize, bits: &[u32]) {
        let rows = v.rows as usize;
        if count == 1 || v.array_stride as usize == 4 * rows {
            self.put(v.offset as usize, &bits[..count * rows]);
            return;
        }
        for (i, element) in bits.chunks_exact(rows).take(count).enumerate() {
            self.put(v.at(i, 0, 0), element);
        }
    }

    /// Writes matrices, and booleans of any values.
    fn write_by_component(&mut self, v: &Value, count: usize, given: &Given<'_>, boolean: bool) {
        let (columns, rows) = (v.columns as usize, v.rows as usize);
        for i in 0..count {
            for c in 0..columns {
                let at = i * columns * rows;
                if !boolean && !given.transpose && !v.row_major {
                    let from = at + c * rows;
                    self.put(v.at(i, c, 0), &given.bits[from..from + rows]);
                    continue;
                }
                for r in 0..rows {
                    let from = if given.transpose {
                        r * columns + c
                    } else {
                        c * rows + r
                    };
                    let bits = given.bits[at + from];
                    let bits = match (boolean, given.kind) {
                        // Zero is false, in floats both zeros (GL 4.6 §7.6.1).
                        (true, ComponentKind::Float) => u32::from(f32::from_bits(bits) != 0.0),
                        (true, _) => u32::from(bits != 0),
                        _ => bits,
                    };
                    self.put(v.at(i, c, r), &[bits]);
                }
            }
        }
    }

    /// Writes words, and marks them if they are others.
    #[inline]
    fn put(&mut self, at: usize, words: &[u32]) {
        let new: &[u8] = bytemuck::cast_slice(words);
        let end = at + new.len();
        let Some(place) = self.bytes.get_mut(at..end) else {
            return;
        };
        if place != new {
            place.copy_from_slice(new);
            self.dirty = Some(match self.dirty {
                None => (at, end),
                Some((lo, hi)) => (lo.min(at), hi.max(end)),
            });
        }
    }

    /// Writes a value that is no uniform of the program's own.
    pub fn put_float(&mut self, at: u32, value: f32) {
        self.put(at as usize, &[value.to_bits()]);
    }

    /// The sampler slot that a location names.
    #[must_use]
    pub fn sampler_slot(&self, location: i32) -> Option<usize> {
        match self.locations.get(usize::try_from(location).ok()?)?.place {
            Place::Sampler(slot) => Some(slot as usize),
            _ => None,
        }
    }

    /// The value at a location as bits, column by column, with its component kind; `None` where there is none.
    #[must_use]
    pub fn get(&self, location: i32) -> Option<(ComponentKind, Vec<u32>)> {
        let Place::Value(v) = self.locations.get(usize::try_from(location).ok()?)?.place else {
            return None;
        };
        let mut out = Vec::new();
        for c in 0..v.columns as usize {
            for r in 0..v.rows as usize {
                let at = v.at(0, c, r);
                out.push(bytemuck::pod_read_unaligned(self.bytes.get(at..at + 4)?));
            }
        }
        Some((v.component, out))
    }

    /// Bytes of the default block.
    #[must_use]
    pub fn block_size(&self) -> usize {
        self.bytes.len()
    }

    /// The pipe has none of it.
    pub fn forget_sent(&mut self) {
        self.dirty = (!self.bytes.is_empty()).then_some((0, self.bytes.len()));
    }

    /// Takes what the pipe lacks: where, and the bytes.
    #[inline]
    pub fn take_unsent(&mut self) -> Option<(usize, &[u8])> {
        let (lo, hi) = self.dirty.take()?;
        // Whole registers of 16 bytes: what std140 aligns to, and what constant caches load.
        let (lo, hi) = (lo & !15, hi.next_multiple_of(16).min(self.bytes.len()));
        Some((lo, &self.bytes[lo..hi]))
    }
}
