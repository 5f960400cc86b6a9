//! Vertex array objects and current attribute values (GL 4.6 chapter 10).

use super::buffer::Buffer;
use super::dirty::{AttribValues, Passive, VertexArrays};
use super::*;
use crate::context::Profile;
use mgl_core::pipe::{AttribClass, AttribType, AttribValue, ValueType};

/// Generic vertex attributes.
pub const MAX_ATTRIBS: u32 = crate::gl::limits::MAX_VERTEX_ATTRIBS;

/// What an attribute's array is (glVertexAttribPointer and kin).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttribArray {
    /// Components, 1 to 4.
    pub components: u32,
    /// Components are stored BGRA.
    pub bgra: bool,
    /// Component type.
    pub ty: AttribType,
    /// How it reaches the shader.
    pub class: AttribClass,
    /// Bytes from element to element as set: 0 for tightly packed.
    pub stride: u32,
    /// Byte offset into the buffer, or without one an address in the program.
    pub pointer: u64,
    /// The buffer that was bound to GL_ARRAY_BUFFER when the pointer was set.
    pub buffer: Option<Id<Buffer>>,
    /// Instances an element lasts; 0 is per vertex.
    pub divisor: u32,
}

impl Default for AttribArray {
    fn default() -> Self {
        Self {
            components: 4,
            bgra: false,
            ty: AttribType::FLOAT,
            class: AttribClass::FLOAT,
            stride: 0,
            pointer: 0,
            buffer: None,
            divisor: 0,
        }
    }
}

impl AttribArray {
    /// Bytes of one element.
    #[inline]
    #[must_use]
    pub fn element_size(&self) -> u32 {
        if self.ty.is_packed() {
            self.ty.bytes()
        } else {
            self.ty.bytes() * self.components
        }
    }
    /// Bytes from element to element.
    #[inline]
    #[must_use]
    pub fn step(&self) -> u32 {
        match self.stride {
            0 => self.element_size(),
            s => s,
        }
    }
}

/// A vertex array object.
pub struct VertexArray {
    name: u32,
    enabled: u32,
    attribs: [AttribArray; MAX_ATTRIBS as usize],
    element_buffer: Option<Id<Buffer>>,
}

impl VertexArray {
    fn new(name: u32) -> Self {
        Self {
            name,
            enabled: 0,
            attribs: [AttribArray::default(); MAX_ATTRIBS as usize],
            element_buffer: None,
        }
    }
    /// The application's name for it; 0 is the default vertex array.
    #[must_use]
    pub fn name(&self) -> u32 {
        self.name
    }
    /// Enabled attributes, a bit a location.
    #[inline]
    #[must_use]
    pub fn enabled(&self) -> u32 {
        self.enabled
    }
    /// Arrays by location.
    #[inline]
    #[must_use]
    pub fn attribs(&self) -> &[AttribArray; MAX_ATTRIBS as usize] {
        &self.attribs
    }
    /// GL_ELEMENT_ARRAY_BUFFER_BINDING.
    #[inline]
    #[must_use]
    pub fn element_buffer(&self) -> Option<Id<Buffer>> {
        self.element_buffer
    }
    /// Whether an attribute or the element binding names the buffer.
    #[must_use]
    pub fn refers_to(&self, id: Id<Buffer>) -> bool {
        self.buffers().any(|b| b == id)
    }
    fn buffers(&self) -> impl Iterator<Item = Id<Buffer>> + '_ {
        self.attribs
            .iter()
            .map(|a| a.buffer)
            .chain([self.element_buffer])
            .flatten()
    }

    /// Enables or disables the array of a location.
    pub fn enable(&mut self, _t: Token<VertexArrays>, location: u32, on: bool) {
        if on {
            self.enabled |= 1 << location;
        } else {
            self.enabled &= !(1 << location);
        }
    }
    /// Sets the array of a location; its divisor stays.
    pub fn set_array(&mut self, _t: Token<VertexArrays>, location: u32, array: AttribArray) {
        let place = &mut self.attribs[location as usize];
        *place = AttribArray {
            divisor: place.divisor,
            ..array
        };
    }
    /// Sets how many instances an element lasts.
    pub fn set_divisor(&mut self, _t: Token<VertexArrays>, location: u32, divisor: u32) {
        self.attribs[location as usize].divisor = divisor;
    }
    /// Binds the element array buffer.
    pub fn set_element_buffer(&mut self, _t: Token<VertexArrays>, buffer: Option<Id<Buffer>>) {
        self.element_buffer = buffer;
    }
    /// Takes a deleted buffer out (GL 4.6 §5.1.2). The attributes stay enabled.
    pub fn unbind_buffer(&mut self, _t: Token<VertexArrays>, id: Id<Buffer>) {
        for a in &mut self.attribs {
            if a.buffer == Some(id) {
                // An offset is no address: what is left reads nothing.
                (a.buffer, a.pointer) = (None, 0);
            }
        }
        if self.element_buffer == Some(id) {
            self.element_buffer = None;
        }
    }
}

/// Vertex arrays of a context, and the current attribute values.
pub struct VertexState {
    arrays: NameTable<VertexArray>,
    bound: Option<Id<VertexArray>>,
    default: VertexArray,
    values: [AttribValue; MAX_ATTRIBS as usize],
    restart: bool,
    restart_index: u32,
}

impl VertexState {
    /// Initial state. Both profiles have a vertex array 0; the core profile's entry points refuse to use it.
    #[must_use]
    pub fn new(_profile: Profile) -> Self {
        let value = |location| AttribValue {
            location,
            ty: ValueType::FLOAT,
            bits: [0, 0, 0, 1f32.to_bits(), 0, 0, 0, 0],
        };
        Self {
            arrays: NameTable::default(),
            bound: None,
            default: VertexArray::new(0),
            values: std::array::from_fn(|i| value(i as u32)),
            restart: false,
            restart_index: 0,
        }
    }

    /// The bound vertex array.
    #[inline]
    #[must_use]
    pub fn current(&self) -> &VertexArray {
        match self.bound {
            Some(id) => &self.arrays.objects[id],
            None => &self.default,
        }
    }
    /// The bound vertex array, whose mutators take the token.
    #[inline]
    pub fn current_mut(&mut self) -> &mut VertexArray {
        match self.bound {
            Some(id) => &mut self.arrays.objects[id],
            None => &mut self.default,
        }
    }
    /// Whether vertex array 0 is bound.
    #[inline]
    #[must_use]
    pub fn is_default_bound(&self) -> bool {
        self.bound.is_none()
    }
    /// Names and objects.
    pub fn table_mut(&mut self) -> &mut NameTable<VertexArray> {
        &mut self.arrays
    }
    /// glGenVertexArrays: one name.
    pub fn reserve(&mut self) -> u32 {
        self.arrays.reserve()
    }
    /// Whether the name has an object: it was bound before.
    #[must_use]
    pub fn exists(&self, name: u32) -> bool {
        self.arrays.id(name).is_some()
    }
    /// glBindVertexArray. False for a name that was not generated.
    pub fn bind(&mut self, _t: Token<VertexArrays>, name: u32) -> bool {
        if name == 0 {
            self.bound = None;
        } else if let Some(id) = self.arrays.id(name) {
            self.bound = Some(id);
        } else if self.arrays.is_reserved(name) {
            self.bound = Some(self.arrays.create(name, VertexArray::new(name)));
        } else {
            return false;
        }
        true
    }
    /// glDeleteVertexArrays: one name. A bound array is replaced by vertex array 0.
    pub fn delete(&mut self, _t: Token<VertexArrays>, name: u32) {
        if let Some(id) = self.arrays.delete(name) {
            if self.bound == Some(id) {
                self.bound = None;
            }
            // Vertex arrays belong to one context, and nothing but its binding refers to them.
            self.arrays.take_unreferenced(|_| false);
        }
    }

    /// Current values by location.
    #[inline]
    #[must_use]
    pub fn values(&self) -> &[AttribValue; MAX_ATTRIBS as usize] {
        &self.values
    }
    /// Sets the current value of a location.
    pub fn set_value(
        &mut self,
        _t: Token<AttribValues>,
        location: u32,
        ty: ValueType,
        bits: [u32; 4],
    ) {
        let v = &mut self.values[location as usize];
        v.ty = ty;
        v.bits[..4].copy_from_slice(&bits);
    }

    /// GL_PRIMITIVE_RESTART.
    #[inline]
    #[must_use]
    pub fn restart(&self) -> bool {
        self.restart
    }
    /// Enables or disables GL_PRIMITIVE_RESTART.
    pub fn set_restart(&mut self, _t: Token<Passive>, on: bool) {
        self.restart = on;
    }
    /// GL_PRIMITIVE_RESTART_INDEX.
    #[inline]
    #[must_use]
    pub fn restart_index(&self) -> u32 {
        self.restart_index
    }
    /// glPrimitiveRestartIndex.
    pub fn set_restart_index(&mut self, _t: Token<Passive>, index: u32) {
        self.restart_index = index;
    }

    /// Adds what the arrays refer to.
    pub fn references(&self, refs: &mut References) {
        refs.buffers.extend(self.default.buffers());
        for (_, a) in self.arrays.objects.iter() {
            refs.buffers.extend(a.buffers());
        }
    }
}
