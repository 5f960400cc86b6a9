//! Arrays of conventional attributes (GL 3.3 compatibility §2.8), part of vertex array objects. Shaders that read them are
//! refused, so no draw does.

use super::TEXTURE_COORDS;
use crate::consts::gl::*;
use crate::context::Gl;
use crate::gl::entry::gl_entry;
use crate::gl::types::*;
use crate::state::buffer::BufferTarget;
use core::ffi::c_void;
use std::collections::BTreeMap;

/// One array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array {
    /// Whether it is enabled.
    pub on: bool,
    /// Components.
    pub size: GLint,
    /// Their type.
    pub ty: GLenum,
    /// Bytes from element to element as set.
    pub stride: GLsizei,
    /// Address, or offset into the buffer.
    pub pointer: usize,
    /// Name of the buffer that was bound.
    pub buffer: GLuint,
}

/// An array's place in [`Set`]: colour, edge flag, fog, index, normal, secondary colour, vertex, and texture coordinates.
pub type Place = usize;
/// Where the arrays of texture coordinates begin.
pub const TEXTURE: Place = 7;

/// The arrays of one vertex array object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Set([Array; TEXTURE + TEXTURE_COORDS]);

impl Default for Set {
    fn default() -> Self {
        let array = |size, ty| Array {
            on: false,
            size,
            ty,
            stride: 0,
            pointer: 0,
            buffer: 0,
        };
        let mut all = [array(4, GL_FLOAT); TEXTURE + TEXTURE_COORDS];
        all[1] = array(1, GL_UNSIGNED_BYTE);
        all[2] = array(1, GL_FLOAT);
        all[3] = array(1, GL_FLOAT);
        all[4] = array(3, GL_FLOAT);
        all[5] = array(3, GL_FLOAT);
        Self(all)
    }
}

/// Arrays by the name of their vertex array object.
#[derive(Debug, Default)]
pub struct Arrays {
    sets: BTreeMap<GLuint, Set>,
    /// GL_CLIENT_ACTIVE_TEXTURE, from 0.
    pub unit: usize,
}

impl Arrays {
    /// The arrays of a vertex array object.
    #[must_use]
    pub fn of(&self, vertex_array: GLuint) -> Set {
        self.sets.get(&vertex_array).copied().unwrap_or_default()
    }
    /// Replaces them.
    pub fn replace(&mut self, vertex_array: GLuint, set: Set) {
        self.sets.insert(vertex_array, set);
    }
    /// A vertex array object was deleted.
    pub fn forget(&mut self, vertex_array: GLuint) {
        self.sets.remove(&vertex_array);
    }
    fn array_mut(&mut self, vertex_array: GLuint, place: Place) -> &mut Array {
        &mut self.sets.entry(vertex_array).or_default().0[place]
    }
}

/// The place that a switch of glEnableClientState names.
fn place(cap: GLenum, unit: usize) -> Option<Place> {
    Some(match cap {
        GL_COLOR_ARRAY => 0,
        GL_EDGE_FLAG_ARRAY => 1,
        GL_FOG_COORD_ARRAY => 2,
        GL_INDEX_ARRAY => 3,
        GL_NORMAL_ARRAY => 4,
        GL_SECONDARY_COLOR_ARRAY => 5,
        GL_VERTEX_ARRAY => 6,
        GL_TEXTURE_COORD_ARRAY => TEXTURE + unit,
        _ => return None,
    })
}

fn switch(gl: &mut Gl<'_>, cap: GLenum, on: bool) {
    let name = gl.ctx.vertex.current().name();
    let Some(state) = gl.legacy() else { return };
    match place(cap, state.arrays.unit) {
        Some(p) => state.arrays.array_mut(name, p).on = on,
        None => gl.raise(GL_INVALID_ENUM),
    }
}

/// What describes an array.
struct Pointer<'a> {
    place: Place,
    sizes: &'a [GLint],
    types: &'a [GLenum],
    size: GLint,
    ty: GLenum,
    stride: GLsizei,
    pointer: *const c_void,
}

const NUMBERS: &[GLenum] = &[
    GL_SHORT,
    GL_INT,
    GL_FLOAT,
    GL_DOUBLE,
    GL_HALF_FLOAT,
    GL_INT_2_10_10_10_REV,
    GL_UNSIGNED_INT_2_10_10_10_REV,
];
const COLORS: &[GLenum] = &[
    GL_BYTE,
    GL_UNSIGNED_BYTE,
    GL_SHORT,
    GL_UNSIGNED_SHORT,
    GL_INT,
    GL_UNSIGNED_INT,
    GL_FLOAT,
    GL_DOUBLE,
    GL_HALF_FLOAT,
    GL_INT_2_10_10_10_REV,
    GL_UNSIGNED_INT_2_10_10_10_REV,
];
const NORMALS: &[GLenum] = &[
    GL_BYTE,
    GL_SHORT,
    GL_INT,
    GL_FLOAT,
    GL_DOUBLE,
    GL_HALF_FLOAT,
    GL_INT_2_10_10_10_REV,
    GL_UNSIGNED_INT_2_10_10_10_REV,
];
const BGRA: GLint = GL_BGRA as GLint;

fn set(gl: &mut Gl<'_>, p: &Pointer<'_>) {
    let name = gl.ctx.vertex.current().name();
    let buffer = gl.ctx.buffers.bound(BufferTarget::Array);
    let buffer = buffer.map_or(0, |id| gl.share.buffers.objects[id].name());
    let Some(state) = gl.legacy() else { return };
    // GL 3.3 compatibility §2.8: values before types before what does not go together.
    let packed = matches!(p.ty, GL_INT_2_10_10_10_REV | GL_UNSIGNED_INT_2_10_10_10_REV);
    let error = if !p.sizes.contains(&p.size) || p.stride < 0 {
        GL_INVALID_VALUE
    } else if !p.types.contains(&p.ty) {
        GL_INVALID_ENUM
    } else if (p.size == BGRA && p.ty != GL_UNSIGNED_BYTE && !packed)
        || (name != 0 && buffer == 0 && !p.pointer.is_null())
    {
        GL_INVALID_OPERATION
    } else {
        let array = state.arrays.array_mut(name, p.place);
        *array = Array {
            on: array.on,
            size: p.size,
            ty: p.ty,
            stride: p.stride,
            pointer: p.pointer as usize,
            buffer,
        };
        return;
    };
    gl.raise(error);
}

/// A value of an array by the name of its query (GL 3.3 compatibility tables 6.6 to 6.9).
pub(super) fn get(set: &Set, unit: usize, pname: GLenum) -> Option<i64> {
    let [color, edge, fog, index, normal, secondary, vertex, ..] = &set.0;
    let texture = &set.0[TEXTURE + unit];
    let on = |a: &Array| i64::from(a.on);
    Some(match pname {
        GL_VERTEX_ARRAY => on(vertex),
        GL_VERTEX_ARRAY_SIZE => vertex.size.into(),
        GL_VERTEX_ARRAY_TYPE => vertex.ty.into(),
        GL_VERTEX_ARRAY_STRIDE => vertex.stride.into(),
        GL_VERTEX_ARRAY_BUFFER_BINDING => vertex.buffer.into(),
        GL_NORMAL_ARRAY => on(normal),
        GL_NORMAL_ARRAY_TYPE => normal.ty.into(),
        GL_NORMAL_ARRAY_STRIDE => normal.stride.into(),
        GL_NORMAL_ARRAY_BUFFER_BINDING => normal.buffer.into(),
        GL_COLOR_ARRAY => on(color),
        GL_COLOR_ARRAY_SIZE => color.size.into(),
        GL_COLOR_ARRAY_TYPE => color.ty.into(),
        GL_COLOR_ARRAY_STRIDE => color.stride.into(),
        GL_COLOR_ARRAY_BUFFER_BINDING => color.buffer.into(),
        GL_SECONDARY_COLOR_ARRAY => on(secondary),
        GL_SECONDARY_COLOR_ARRAY_SIZE => secondary.size.into(),
        GL_SECONDARY_COLOR_ARRAY_TYPE => secondary.ty.into(),
        GL_SECONDARY_COLOR_ARRAY_STRIDE => secondary.stride.into(),
        GL_SECONDARY_COLOR_ARRAY_BUFFER_BINDING => secondary.buffer.into(),
        GL_INDEX_ARRAY => on(index),
        GL_INDEX_ARRAY_TYPE => index.ty.into(),
        GL_INDEX_ARRAY_STRIDE => index.stride.into(),
        GL_INDEX_ARRAY_BUFFER_BINDING => index.buffer.into(),
        GL_FOG_COORD_ARRAY => on(fog),
        GL_FOG_COORD_ARRAY_TYPE => fog.ty.into(),
        GL_FOG_COORD_ARRAY_STRIDE => fog.stride.into(),
        GL_FOG_COORD_ARRAY_BUFFER_BINDING => fog.buffer.into(),
        GL_EDGE_FLAG_ARRAY => on(edge),
        GL_EDGE_FLAG_ARRAY_STRIDE => edge.stride.into(),
        GL_EDGE_FLAG_ARRAY_BUFFER_BINDING => edge.buffer.into(),
        GL_TEXTURE_COORD_ARRAY => on(texture),
        GL_TEXTURE_COORD_ARRAY_SIZE => texture.size.into(),
        GL_TEXTURE_COORD_ARRAY_TYPE => texture.ty.into(),
        GL_TEXTURE_COORD_ARRAY_STRIDE => texture.stride.into(),
        GL_TEXTURE_COORD_ARRAY_BUFFER_BINDING => texture.buffer.into(),
        GL_CLIENT_ACTIVE_TEXTURE => i64::from(GL_TEXTURE0) + unit as i64,
        _ => return None,
    })
}

/// The array whose pointer a query names.
fn pointer_place(pname: GLenum, unit: usize) -> Option<Place> {
    let cap = match pname {
        GL_VERTEX_ARRAY_POINTER => GL_VERTEX_ARRAY,
        GL_NORMAL_ARRAY_POINTER => GL_NORMAL_ARRAY,
        GL_COLOR_ARRAY_POINTER => GL_COLOR_ARRAY,
        GL_SECONDARY_COLOR_ARRAY_POINTER => GL_SECONDARY_COLOR_ARRAY,
        GL_INDEX_ARRAY_POINTER => GL_INDEX_ARRAY,
        GL_TEXTURE_COORD_ARRAY_POINTER => GL_TEXTURE_COORD_ARRAY,
        GL_FOG_COORD_ARRAY_POINTER => GL_FOG_COORD_ARRAY,
        GL_EDGE_FLAG_ARRAY_POINTER => GL_EDGE_FLAG_ARRAY,
        _ => return None,
    };
    place(cap, unit)
}

gl_entry! {
    /// Enables an array (GL 3.3 compatibility §2.8).
    fn glEnableClientState(gl, array: GLenum) { switch(gl, array, true) }
    /// Disables an array.
    fn glDisableClientState(gl, array: GLenum) { switch(gl, array, false) }
    /// Selects the unit whose coordinates' array is meant.
    fn glClientActiveTexture(gl, texture: GLenum) {
        let Some(state) = gl.legacy() else { return };
        let unit = texture.wrapping_sub(GL_TEXTURE0) as usize;
        if unit < TEXTURE_COORDS {
            state.arrays.unit = unit;
        } else {
            gl.raise(GL_INVALID_ENUM);
        }
    }
    /// Describes the array of vertices.
    fn glVertexPointer(gl, size: GLint, ty: GLenum, stride: GLsizei, pointer: *const c_void) {
        set(gl, &Pointer { place: 6, sizes: &[2, 3, 4], types: NUMBERS, size, ty, stride, pointer })
    }
    /// Describes the array of normals.
    fn glNormalPointer(gl, ty: GLenum, stride: GLsizei, pointer: *const c_void) {
        set(gl, &Pointer { place: 4, sizes: &[3], types: NORMALS, size: 3, ty, stride, pointer })
    }
    /// Describes the array of colours.
    fn glColorPointer(gl, size: GLint, ty: GLenum, stride: GLsizei, pointer: *const c_void) {
        set(gl, &Pointer { place: 0, sizes: &[3, 4, BGRA], types: COLORS, size, ty, stride, pointer })
    }
    /// Describes the array of secondary colours.
    fn glSecondaryColorPointer(gl, size: GLint, ty: GLenum, stride: GLsizei, pointer: *const c_void) {
        set(gl, &Pointer { place: 5, sizes: &[3, BGRA], types: COLORS, size, ty, stride, pointer })
    }
    /// Describes the array of colour indices.
    fn glIndexPointer(gl, ty: GLenum, stride: GLsizei, pointer: *const c_void) {
        let types = &[GL_UNSIGNED_BYTE, GL_SHORT, GL_INT, GL_FLOAT, GL_DOUBLE];
        set(gl, &Pointer { place: 3, sizes: &[1], types, size: 1, ty, stride, pointer })
    }
    /// Describes the array of fog coordinates.
    fn glFogCoordPointer(gl, ty: GLenum, stride: GLsizei, pointer: *const c_void) {
        let types = &[GL_HALF_FLOAT, GL_FLOAT, GL_DOUBLE];
        set(gl, &Pointer { place: 2, sizes: &[1], types, size: 1, ty, stride, pointer })
    }
    /// Describes the array of edge flags.
    fn glEdgeFlagPointer(gl, stride: GLsizei, pointer: *const c_void) {
        let types = &[GL_UNSIGNED_BYTE];
        set(gl, &Pointer { place: 1, sizes: &[1], types, size: 1, ty: GL_UNSIGNED_BYTE, stride, pointer })
    }
    /// Describes the array of a unit's texture coordinates.
    fn glTexCoordPointer(gl, size: GLint, ty: GLenum, stride: GLsizei, pointer: *const c_void) {
        let place = TEXTURE + gl.ctx.legacy.arrays.unit;
        set(gl, &Pointer { place, sizes: &[1, 2, 3, 4], types: NUMBERS, size, ty, stride, pointer })
    }
    /// A pointer by its name (GL 4.6 §2.2.2): of debug output, or of an array of the compatibility profile.
    fn glGetPointerv(gl, pname: GLenum, params: *mut *mut c_void) {
        let name = gl.ctx.vertex.current().name();
        let arrays = &gl.ctx.legacy.arrays;
        let array = pointer_place(pname, arrays.unit).filter(|_| !gl.is_core());
        let found = match array {
            Some(p) => Some(arrays.of(name).0[p].pointer),
            None => gl.ctx.debug.pointer(pname),
        };
        match found {
            // SAFETY: the program gives room for a pointer.
            Some(at) => unsafe { params.write_unaligned(at as *mut c_void) },
            None => gl.raise(GL_INVALID_ENUM),
        }
    }
}
