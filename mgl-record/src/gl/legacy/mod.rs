//! State of the fixed function (GL 3.3 compatibility profile): kept and answered as the specification says, and read by no
//! draw, because only shaders draw here.
//!
//! Toolkits that draw with shaders in a compatibility context set such state around their own drawing and around that of
//! others: matrices, switches, current colours, environments. In the core profile the same calls raise
//! GL_INVALID_OPERATION. What would draw by fixed function (glBegin, glDrawPixels, display lists) is refused by name.

pub mod arrays;
pub mod attrib_stack;
pub mod client_stack;
pub mod color;
pub mod get;
pub mod light;
pub mod math;
pub mod matrix;
pub mod params;
pub mod raster;
pub mod texcoord;
pub mod texture_env;

use super::types::*;
use crate::consts::gl::*;
use crate::context::Gl;
use std::collections::BTreeSet;

/// GL_MAX_TEXTURE_COORDS and GL_MAX_TEXTURE_UNITS.
pub const TEXTURE_COORDS: usize = 8;
/// GL_MAX_LIGHTS.
pub const LIGHTS: u32 = 8;
/// GL_MAX_CLIP_PLANES.
pub const CLIP_PLANES: usize = 8;

/// A context's state of the fixed function.
#[derive(Default)]
pub struct Legacy {
    /// Matrix stacks.
    pub matrices: matrix::Matrices,
    /// Current colours, normals and texture coordinates.
    pub current: Current,
    /// Lights, materials, fog, texture environments and coordinate generation.
    pub params: params::Params,
    /// Single values.
    pub values: raster::Values,
    /// Switches that are on; those of a texture unit with its number, others with 0.
    pub switches: BTreeSet<(GLenum, u32)>,
    /// Arrays of conventional attributes, by vertex array.
    pub arrays: arrays::Arrays,
    /// glPushAttrib.
    pub attribs: Vec<attrib_stack::Saved>,
    /// glPushClientAttrib.
    pub client_attribs: Vec<client_stack::Saved>,
}

/// Current values of conventional vertex attributes (GL 3.3 compatibility §2.7).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Current {
    /// GL_CURRENT_COLOR.
    pub color: [f32; 4],
    /// GL_CURRENT_SECONDARY_COLOR.
    pub secondary: [f32; 4],
    /// GL_CURRENT_NORMAL.
    pub normal: [f32; 3],
    /// GL_CURRENT_TEXTURE_COORDS, by unit.
    pub texture: [[f32; 4]; TEXTURE_COORDS],
    /// GL_CURRENT_FOG_COORD.
    pub fog: f32,
    /// GL_CURRENT_INDEX.
    pub index: f32,
    /// GL_EDGE_FLAG.
    pub edge: bool,
}

impl Default for Current {
    fn default() -> Self {
        Self {
            color: [1.0; 4],
            secondary: [0.0, 0.0, 0.0, 1.0],
            normal: [0.0, 0.0, 1.0],
            texture: [[0.0, 0.0, 0.0, 1.0]; TEXTURE_COORDS],
            fog: 0.0,
            index: 1.0,
            edge: true,
        }
    }
}

/// Switches of a texture unit (GL 3.3 compatibility §3.9.18, §2.12.3).
fn is_of_unit(cap: GLenum) -> bool {
    matches!(
        cap,
        GL_TEXTURE_1D
            | GL_TEXTURE_2D
            | GL_TEXTURE_3D
            | GL_TEXTURE_CUBE_MAP
            | GL_TEXTURE_RECTANGLE
            | GL_TEXTURE_GEN_S
            | GL_TEXTURE_GEN_T
            | GL_TEXTURE_GEN_R
            | GL_TEXTURE_GEN_Q
    )
}

/// Switches of the fixed function. Those of the second list change what shaders draw too, which no back end does.
fn is_switch(cap: GLenum) -> bool {
    is_of_unit(cap)
        || matches!(
            cap,
            GL_LIGHTING
                | GL_COLOR_MATERIAL
                | GL_NORMALIZE
                | GL_RESCALE_NORMAL
                | GL_FOG
                | GL_COLOR_SUM
                | GL_POINT_SPRITE
                | GL_POINT_SMOOTH
                | GL_VERTEX_PROGRAM_TWO_SIDE
                | GL_AUTO_NORMAL
                | GL_INDEX_LOGIC_OP
                | GL_MAP1_COLOR_4..=GL_MAP1_VERTEX_4
                | GL_MAP2_COLOR_4..=GL_MAP2_VERTEX_4
        )
        || (GL_LIGHT0..GL_LIGHT0 + LIGHTS).contains(&cap)
        || changes_fragments(cap)
}

/// Switches that have an effect on fragments of shaders as well (GL 3.3 compatibility §3.5.2, §3.6.2, §4.1.4).
fn changes_fragments(cap: GLenum) -> bool {
    matches!(cap, GL_ALPHA_TEST | GL_LINE_STIPPLE | GL_POLYGON_STIPPLE)
}

impl Gl<'_> {
    /// The state of the fixed function, which the core profile lacks: GL_INVALID_OPERATION there.
    pub(crate) fn legacy(&mut self) -> Option<&mut Legacy> {
        if self.is_core() {
            self.raise(GL_INVALID_OPERATION);
            return None;
        }
        Some(&mut self.ctx.legacy)
    }

    /// Reads a switch of the fixed function, or sets it; `None` for what is none, and in the core profile.
    pub(crate) fn legacy_switch(&mut self, cap: GLenum, set: Option<bool>) -> Option<bool> {
        if self.is_core() || !is_switch(cap) {
            return None;
        }
        let unit = if is_of_unit(cap) {
            self.ctx.textures.active()
        } else {
            0
        };
        let switches = &mut self.ctx.legacy.switches;
        match set {
            Some(true) => drop(switches.insert((cap, unit))),
            Some(false) => drop(switches.remove(&(cap, unit))),
            None => {}
        }
        if set == Some(true) && changes_fragments(cap) {
            self.ctx.misc.without_effect("glEnable", cap);
        }
        Some(self.ctx.legacy.switches.contains(&(cap, unit)))
    }
}

/// Reads `N` values; a vector's pointer need not be aligned.
///
/// # Safety
///
/// `p` leads to `N` values.
unsafe fn read<T: Copy, const N: usize>(p: *const T) -> [T; N] {
    // SAFETY: as the caller promises.
    unsafe { p.cast::<[T; N]>().read_unaligned() }
}

/// A number as it reaches a current value.
pub trait Component: Copy {
    /// The number itself.
    fn plain(self) -> f32;
    /// Integers stand for their range, in which signed ones have no zero (GL 3.3 compatibility table 2.10).
    fn normalized(self) -> f32;
}

macro_rules! components {
    ($($t:ty: $bits:literal $signed:literal;)*) => {$(
        impl Component for $t {
            fn plain(self) -> f32 {
                self as f32
            }
            fn normalized(self) -> f32 {
                let range = f64::from(u32::MAX >> (32 - $bits));
                let v = f64::from(self);
                (if $signed { (2.0 * v + 1.0) / range } else { v / range }) as f32
            }
        }
    )*};
}
components! {
    i8: 8 true;
    i16: 16 true;
    i32: 32 true;
    u8: 8 false;
    u16: 16 false;
    u32: 32 false;
}
impl Component for f32 {
    fn plain(self) -> f32 {
        self
    }
    fn normalized(self) -> f32 {
        self
    }
}
impl Component for f64 {
    fn plain(self) -> f32 {
        self as f32
    }
    fn normalized(self) -> f32 {
        self as f32
    }
}
