//! The GLSL types that a program's interface can have, by their GL enumerants (GL 3.3 table 2.12,
//! GL 4.6 table 7.3), with what is needed to move values of them: shape, component kind, std140
//! alignment. No other part of the crate knows these numbers.

use serde::{Deserialize, Serialize};

/// A GLSL type by its GL enumerant, as `glGetActiveUniform` and `glGetActiveAttrib` report it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GlType(pub u32);

/// What one component of a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ComponentKind {
    Float,
    Double,
    Int,
    Uint,
    Bool,
}

/// What a sampler reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SamplerDim {
    D1,
    D2,
    D3,
    Cube,
    Rect,
    Buffer,
}

/// A sampler type taken apart (GL 3.3 table 2.12).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SamplerShape {
    pub dim: SamplerDim,
    pub arrayed: bool,
    pub shadow: bool,
    pub multisample: bool,
    /// `Float`, `Int` or `Uint`.
    pub component: ComponentKind,
}

/// Shape of a numeric type: `columns` is 1 for scalars and vectors; `rows` is the vector size or
/// the number of components of one matrix column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NumericShape {
    pub component: ComponentKind,
    pub columns: u8,
    pub rows: u8,
}

macro_rules! gl_types {
    (numeric { $($n:ident = $nv:literal, $nk:ident, $nc:literal, $nr:literal;)* }
     sampler { $($s:ident = $sv:literal, $sd:ident, $sk:ident $(, $flag:ident)*;)* }) => {
        #[allow(missing_docs)]
        impl GlType {
            $(pub const $n: GlType = GlType($nv);)*
            $(pub const $s: GlType = GlType($sv);)*
        }

        impl GlType {
            /// Shape of a scalar, vector or matrix type; `None` for samplers and unknown numbers.
            pub const fn numeric(self) -> Option<NumericShape> {
                match self.0 {
                    $($nv => Some(NumericShape {
                        component: ComponentKind::$nk, columns: $nc, rows: $nr,
                    }),)*
                    _ => None,
                }
            }

            /// The parts of a sampler type; `None` for everything else.
            pub const fn sampler(self) -> Option<SamplerShape> {
                match self.0 {
                    $($sv => {
                        #[allow(unused_mut)]
                        let mut shape = SamplerShape {
                            dim: SamplerDim::$sd, arrayed: false, shadow: false, multisample: false,
                            component: ComponentKind::$sk,
                        };
                        $(shape.$flag = true;)*
                        Some(shape)
                    })*
                    _ => None,
                }
            }

            /// The enumerant's name without its `GL_` prefix; `None` for unknown numbers.
            pub const fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($nv => Some(stringify!($n)),)*
                    $($sv => Some(stringify!($s)),)*
                    _ => None,
                }
            }

            /// The sampler type with these parts, if GLSL has it.
            pub fn from_sampler(shape: SamplerShape) -> Option<GlType> {
                [$(GlType($sv)),*].into_iter().find(|t| t.sampler() == Some(shape))
            }

            /// The numeric type with this shape, if GLSL has it.
            pub fn from_numeric(shape: NumericShape) -> Option<GlType> {
                [$(GlType($nv)),*].into_iter().find(|t| t.numeric() == Some(shape))
            }
        }
    };
}

gl_types! {
    numeric {
        FLOAT = 0x1406, Float, 1, 1;
        FLOAT_VEC2 = 0x8B50, Float, 1, 2;
        FLOAT_VEC3 = 0x8B51, Float, 1, 3;
        FLOAT_VEC4 = 0x8B52, Float, 1, 4;
        DOUBLE = 0x140A, Double, 1, 1;
        DOUBLE_VEC2 = 0x8FFC, Double, 1, 2;
        DOUBLE_VEC3 = 0x8FFD, Double, 1, 3;
        DOUBLE_VEC4 = 0x8FFE, Double, 1, 4;
        INT = 0x1404, Int, 1, 1;
        INT_VEC2 = 0x8B53, Int, 1, 2;
        INT_VEC3 = 0x8B54, Int, 1, 3;
        INT_VEC4 = 0x8B55, Int, 1, 4;
        UNSIGNED_INT = 0x1405, Uint, 1, 1;
        UNSIGNED_INT_VEC2 = 0x8DC6, Uint, 1, 2;
        UNSIGNED_INT_VEC3 = 0x8DC7, Uint, 1, 3;
        UNSIGNED_INT_VEC4 = 0x8DC8, Uint, 1, 4;
        BOOL = 0x8B56, Bool, 1, 1;
        BOOL_VEC2 = 0x8B57, Bool, 1, 2;
        BOOL_VEC3 = 0x8B58, Bool, 1, 3;
        BOOL_VEC4 = 0x8B59, Bool, 1, 4;
        FLOAT_MAT2 = 0x8B5A, Float, 2, 2;
        FLOAT_MAT3 = 0x8B5B, Float, 3, 3;
        FLOAT_MAT4 = 0x8B5C, Float, 4, 4;
        FLOAT_MAT2X3 = 0x8B65, Float, 2, 3;
        FLOAT_MAT2X4 = 0x8B66, Float, 2, 4;
        FLOAT_MAT3X2 = 0x8B67, Float, 3, 2;
        FLOAT_MAT3X4 = 0x8B68, Float, 3, 4;
        FLOAT_MAT4X2 = 0x8B69, Float, 4, 2;
        FLOAT_MAT4X3 = 0x8B6A, Float, 4, 3;
        DOUBLE_MAT2 = 0x8F46, Double, 2, 2;
        DOUBLE_MAT3 = 0x8F47, Double, 3, 3;
        DOUBLE_MAT4 = 0x8F48, Double, 4, 4;
        DOUBLE_MAT2X3 = 0x8F49, Double, 2, 3;
        DOUBLE_MAT2X4 = 0x8F4A, Double, 2, 4;
        DOUBLE_MAT3X2 = 0x8F4B, Double, 3, 2;
        DOUBLE_MAT3X4 = 0x8F4C, Double, 3, 4;
        DOUBLE_MAT4X2 = 0x8F4D, Double, 4, 2;
        DOUBLE_MAT4X3 = 0x8F4E, Double, 4, 3;
    }
    sampler {
        SAMPLER_1D = 0x8B5D, D1, Float;
        SAMPLER_2D = 0x8B5E, D2, Float;
        SAMPLER_3D = 0x8B5F, D3, Float;
        SAMPLER_CUBE = 0x8B60, Cube, Float;
        SAMPLER_1D_SHADOW = 0x8B61, D1, Float, shadow;
        SAMPLER_2D_SHADOW = 0x8B62, D2, Float, shadow;
        SAMPLER_1D_ARRAY = 0x8DC0, D1, Float, arrayed;
        SAMPLER_2D_ARRAY = 0x8DC1, D2, Float, arrayed;
        SAMPLER_CUBE_MAP_ARRAY = 0x900C, Cube, Float, arrayed;
        SAMPLER_1D_ARRAY_SHADOW = 0x8DC3, D1, Float, arrayed, shadow;
        SAMPLER_2D_ARRAY_SHADOW = 0x8DC4, D2, Float, arrayed, shadow;
        SAMPLER_2D_MULTISAMPLE = 0x9108, D2, Float, multisample;
        SAMPLER_2D_MULTISAMPLE_ARRAY = 0x910B, D2, Float, multisample, arrayed;
        SAMPLER_CUBE_SHADOW = 0x8DC5, Cube, Float, shadow;
        SAMPLER_CUBE_MAP_ARRAY_SHADOW = 0x900D, Cube, Float, arrayed, shadow;
        SAMPLER_BUFFER = 0x8DC2, Buffer, Float;
        SAMPLER_2D_RECT = 0x8B63, Rect, Float;
        SAMPLER_2D_RECT_SHADOW = 0x8B64, Rect, Float, shadow;
        INT_SAMPLER_1D = 0x8DC9, D1, Int;
        INT_SAMPLER_2D = 0x8DCA, D2, Int;
        INT_SAMPLER_3D = 0x8DCB, D3, Int;
        INT_SAMPLER_CUBE = 0x8DCC, Cube, Int;
        INT_SAMPLER_1D_ARRAY = 0x8DCE, D1, Int, arrayed;
        INT_SAMPLER_2D_ARRAY = 0x8DCF, D2, Int, arrayed;
        INT_SAMPLER_CUBE_MAP_ARRAY = 0x900E, Cube, Int, arrayed;
        INT_SAMPLER_2D_MULTISAMPLE = 0x9109, D2, Int, multisample;
        INT_SAMPLER_2D_MULTISAMPLE_ARRAY = 0x910C, D2, Int, multisample, arrayed;
        INT_SAMPLER_BUFFER = 0x8DD0, Buffer, Int;
        INT_SAMPLER_2D_RECT = 0x8DCD, Rect, Int;
        UNSIGNED_INT_SAMPLER_1D = 0x8DD1, D1, Uint;
        UNSIGNED_INT_SAMPLER_2D = 0x8DD2, D2, Uint;
        UNSIGNED_INT_SAMPLER_3D = 0x8DD3, D3, Uint;
        UNSIGNED_INT_SAMPLER_CUBE = 0x8DD4, Cube, Uint;
        UNSIGNED_INT_SAMPLER_1D_ARRAY = 0x8DD6, D1, Uint, arrayed;
        UNSIGNED_INT_SAMPLER_2D_ARRAY = 0x8DD7, D2, Uint, arrayed;
        UNSIGNED_INT_SAMPLER_CUBE_MAP_ARRAY = 0x900F, Cube, Uint, arrayed;
        UNSIGNED_INT_SAMPLER_2D_MULTISAMPLE = 0x910A, D2, Uint, multisample;
        UNSIGNED_INT_SAMPLER_2D_MULTISAMPLE_ARRAY = 0x910D, D2, Uint, multisample, arrayed;
        UNSIGNED_INT_SAMPLER_BUFFER = 0x8DD8, Buffer, Uint;
        UNSIGNED_INT_SAMPLER_2D_RECT = 0x8DD5, Rect, Uint;
    }
}

impl GlType {
    /// True for the sampler types.
    pub const fn is_sampler(self) -> bool {
        self.sampler().is_some()
    }

    /// Generic attribute or varying locations that one value takes (GL 3.3 §2.11.3): the columns of
    /// a matrix, one otherwise, and twice that for doubles of more than two rows where
    /// `double_slots` says that they count double (varyings; vertex inputs count once).
    pub const fn locations(self, double_slots: bool) -> u32 {
        match self.numeric() {
            Some(shape) => {
                let wide = double_slots
                    && matches!(shape.component, ComponentKind::Double)
                    && shape.rows > 2;
                shape.columns as u32 * if wide { 2 } else { 1 }
            }
            None => 1,
        }
    }

    /// Scalar components of one value, 0 for samplers.
    pub const fn components(self) -> u32 {
        match self.numeric() {
            Some(shape) => shape.columns as u32 * shape.rows as u32,
            None => 0,
        }
    }

    /// Bytes of one component in a buffer: 8 for doubles, 4 for the rest (booleans too).
    pub const fn component_bytes(self) -> u32 {
        match self.numeric() {
            Some(NumericShape {
                component: ComponentKind::Double,
                ..
            }) => 8,
            _ => 4,
        }
    }
}

impl std::fmt::Debug for GlType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "GlType({:#06x})", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_round_trip() {
        for raw in 0..0x1_0000u32 {
            let ty = GlType(raw);
            if let Some(shape) = ty.numeric() {
                assert_eq!(GlType::from_numeric(shape), Some(ty));
                assert!(ty.sampler().is_none());
            }
            if let Some(shape) = ty.sampler() {
                assert_eq!(GlType::from_sampler(shape), Some(ty));
            }
        }
    }

    #[test]
    fn locations_count_columns() {
        assert_eq!(GlType::FLOAT_MAT4X3.locations(false), 4);
        assert_eq!(GlType::FLOAT_VEC4.locations(true), 1);
        assert_eq!(GlType::DOUBLE_VEC3.locations(true), 2);
        assert_eq!(GlType::DOUBLE_VEC3.locations(false), 1);
        assert_eq!(GlType::FLOAT_MAT2X3.components(), 6);
    }
}
