//! Magma's own shaders, for what Vulkan has no command for: clears under colour and stencil masks, and
//! blits under a scissor, between samples, into images with a hidden alpha, of depth or stencil that
//! scale (design: driver 5.6).
//!
//! The SPIR-V is checked in beside the GLSL that it is made of; a test of mgl-record, where the compiler
//! is, demands that both agree. Every variant is one of the files with some macros in front.
//!
//! Stencil needs no extension: a blit of it draws zero first, then each of the eight bits under its own
//! write mask where the source has it.
//!
//! All of them take push constants of [`CONSTANTS_BYTES`] bytes, and blits an image at set 0, binding 0.

use ash::vk;
use bytemuck::{Pod, Zeroable};
use mgl_core::format::{ComponentClass, FormatInfo};
use mgl_core::program::ShaderStage;

/// Bytes of push constants, for the vertex and the fragment stage.
pub const CONSTANTS_BYTES: u32 = size_of::<BlitConstants>() as u32;

/// Push constants of a fill.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub struct FillConstants {
    /// The value, as bits of the target's component type.
    pub value: [u32; 4],
    /// Zero.
    pub unused: [u32; 8],
    /// Depth, 0 to 1.
    pub depth: f32,
}

/// Push constants of a blit.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub struct BlitConstants {
    /// Two opposite corners of the source, texels: x and y of the first, then of the second.
    pub from: [f32; 4],
    /// The corners of the target that they go to, pixels.
    pub to: [f32; 4],
    /// Slice of a three-dimensional source.
    pub slice: i32,
    /// The sample that is read of [`Source::Sample`].
    pub sample: i32,
    /// 1 to filter linearly; has no effect on integers, depth, stencil and multisampled images.
    pub filtered: i32,
    /// Of a stencil blit: only pixels whose source has this bit are drawn; 0 for all.
    pub bit: u32,
    /// Depth of the triangle, 0 to 1.
    pub depth: f32,
    /// Of a depth blit: how depths of 24 bits were read ([`crate::depth_unit`]); negative for all others.
    pub unit: f32,
}

/// What components are to shaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Values {
    /// Floating-point and normalised ones.
    Float,
    /// Signed integers.
    Int,
    /// Unsigned integers.
    Uint,
    /// Depth.
    Depth,
    /// Stencil.
    Stencil,
}

impl Values {
    /// Of a colour format; of depth formats their depth.
    #[must_use]
    pub fn of(info: &FormatInfo) -> Self {
        match info.class {
            ComponentClass::Sint => Self::Int,
            ComponentClass::Uint => Self::Uint,
            ComponentClass::Depth | ComponentClass::DepthStencil => Self::Depth,
            ComponentClass::Stencil => Self::Stencil,
            _ => Self::Float,
        }
    }
}

/// What kind of image a blit reads, and through what kind of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// One-dimensional; the view is `TYPE_1D_ARRAY` of one layer.
    One,
    /// Two-dimensional; the view is `TYPE_2D_ARRAY` of one layer.
    Two,
    /// Three-dimensional; the view is `TYPE_3D`.
    Three,
    /// Two-dimensional with samples, as many as the target's; the view is `TYPE_2D_ARRAY` of one layer.
    Samples,
    /// Two-dimensional with samples, of which one is read; the view is `TYPE_2D_ARRAY` of one layer.
    Sample,
}

impl Source {
    /// The view that the shader reads through.
    #[must_use]
    pub fn view_type(self) -> vk::ImageViewType {
        match self {
            Self::One => vk::ImageViewType::TYPE_1D_ARRAY,
            Self::Two | Self::Samples | Self::Sample => vk::ImageViewType::TYPE_2D_ARRAY,
            Self::Three => vk::ImageViewType::TYPE_3D,
        }
    }
}

/// A shader.
pub struct Internal {
    /// Name of the checked-in SPIR-V, without its extension.
    pub name: &'static str,
    /// The GLSL file.
    pub source: &'static str,
    /// Stage.
    pub stage: ShaderStage,
    /// Lines between the version and the source: extensions and macros.
    pub prologue: &'static str,
    bytes: &'static [u8],
}

impl Internal {
    /// The SPIR-V.
    #[must_use]
    pub fn words(&self) -> Vec<u32> {
        let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        self.bytes.chunks_exact(4).map(word).collect()
    }
}

macro_rules! shaders {
    ($($id:ident = $name:literal, $source:literal, $stage:ident, $prologue:literal;)*) => {
        /// All of them.
        pub const ALL: &[Internal] = &[$(Internal {
            name: $name,
            source: $source,
            stage: ShaderStage::$stage,
            prologue: $prologue,
            bytes: include_bytes!(concat!($name, ".spv")),
        }),*];

        /// Numbers of the shaders in [`ALL`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum Shader { $($id),* }
    };
}

shaders! {
    Triangle = "triangle", "triangle.vert", Vertex, "";
    FillFloat = "fill_float", "fill.frag", Fragment, "#define VEC4 vec4\n";
    FillInt = "fill_int", "fill.frag", Fragment, "#define VEC4 ivec4\n";
    FillUint = "fill_uint", "fill.frag", Fragment, "#define VEC4 uvec4\n";
    Blit1Float = "blit_1_float", "blit.frag", Fragment,
        "#define DIM1\n#define FILTERS\n#define SAMPLER sampler1DArray\n#define VEC4 vec4\n";
    Blit1Int = "blit_1_int", "blit.frag", Fragment,
        "#define DIM1\n#define SAMPLER isampler1DArray\n#define VEC4 ivec4\n";
    Blit1Uint = "blit_1_uint", "blit.frag", Fragment,
        "#define DIM1\n#define SAMPLER usampler1DArray\n#define VEC4 uvec4\n";
    Blit2Float = "blit_2_float", "blit.frag", Fragment,
        "#define FILTERS\n#define SAMPLER sampler2DArray\n#define VEC4 vec4\n";
    Blit2Int = "blit_2_int", "blit.frag", Fragment,
        "#define SAMPLER isampler2DArray\n#define VEC4 ivec4\n";
    Blit2Uint = "blit_2_uint", "blit.frag", Fragment,
        "#define SAMPLER usampler2DArray\n#define VEC4 uvec4\n";
    Blit3Float = "blit_3_float", "blit.frag", Fragment,
        "#define DIM3\n#define FILTERS\n#define SAMPLER sampler3D\n#define VEC4 vec4\n";
    Blit3Int = "blit_3_int", "blit.frag", Fragment,
        "#define DIM3\n#define SAMPLER isampler3D\n#define VEC4 ivec4\n";
    Blit3Uint = "blit_3_uint", "blit.frag", Fragment,
        "#define DIM3\n#define SAMPLER usampler3D\n#define VEC4 uvec4\n";
    BlitSamplesFloat = "blit_samples_float", "blit.frag", Fragment,
        "#define SAMPLES\n#define SAMPLER sampler2DMSArray\n#define VEC4 vec4\n";
    BlitSamplesInt = "blit_samples_int", "blit.frag", Fragment,
        "#define SAMPLES\n#define SAMPLER isampler2DMSArray\n#define VEC4 ivec4\n";
    BlitSamplesUint = "blit_samples_uint", "blit.frag", Fragment,
        "#define SAMPLES\n#define SAMPLER usampler2DMSArray\n#define VEC4 uvec4\n";
    BlitSampleFloat = "blit_sample_float", "blit.frag", Fragment,
        "#define SAMPLE\n#define SAMPLER sampler2DMSArray\n#define VEC4 vec4\n";
    BlitSampleInt = "blit_sample_int", "blit.frag", Fragment,
        "#define SAMPLE\n#define SAMPLER isampler2DMSArray\n#define VEC4 ivec4\n";
    BlitSampleUint = "blit_sample_uint", "blit.frag", Fragment,
        "#define SAMPLE\n#define SAMPLER usampler2DMSArray\n#define VEC4 uvec4\n";
    Blit1Depth = "blit_1_depth", "blit.frag", Fragment,
        "#define DIM1\n#define DEPTH\n#define SAMPLER sampler1DArray\n";
    Blit2Depth = "blit_2_depth", "blit.frag", Fragment,
        "#define DEPTH\n#define SAMPLER sampler2DArray\n";
    BlitSamplesDepth = "blit_samples_depth", "blit.frag", Fragment,
        "#define SAMPLES\n#define DEPTH\n#define SAMPLER sampler2DMSArray\n";
    BlitSampleDepth = "blit_sample_depth", "blit.frag", Fragment,
        "#define SAMPLE\n#define DEPTH\n#define SAMPLER sampler2DMSArray\n";
    Blit1Stencil = "blit_1_stencil", "blit.frag", Fragment,
        "#define DIM1\n#define STENCIL\n#define SAMPLER usampler1DArray\n";
    Blit2Stencil = "blit_2_stencil", "blit.frag", Fragment,
        "#define STENCIL\n#define SAMPLER usampler2DArray\n";
    BlitSamplesStencil = "blit_samples_stencil", "blit.frag", Fragment,
        "#define SAMPLES\n#define STENCIL\n#define SAMPLER usampler2DMSArray\n";
    BlitSampleStencil = "blit_sample_stencil", "blit.frag", Fragment,
        "#define SAMPLE\n#define STENCIL\n#define SAMPLER usampler2DMSArray\n";
}

impl Shader {
    /// The shader that fills with values; `None` for depth and stencil, which need no fragment stage.
    #[must_use]
    pub fn fill(values: Values) -> Option<Shader> {
        match values {
            Values::Float => Some(Shader::FillFloat),
            Values::Int => Some(Shader::FillInt),
            Values::Uint => Some(Shader::FillUint),
            Values::Depth | Values::Stencil => None,
        }
    }

    /// The shader that blits values out of an image; `None` for depth and stencil of
    /// three-dimensional images, which do not exist.
    #[must_use]
    pub fn blit(source: Source, values: Values) -> Option<Shader> {
        Some(match (source, values) {
            (Source::One, Values::Float) => Shader::Blit1Float,
            (Source::One, Values::Int) => Shader::Blit1Int,
            (Source::One, Values::Uint) => Shader::Blit1Uint,
            (Source::One, Values::Depth) => Shader::Blit1Depth,
            (Source::One, Values::Stencil) => Shader::Blit1Stencil,
            (Source::Two, Values::Float) => Shader::Blit2Float,
            (Source::Two, Values::Int) => Shader::Blit2Int,
            (Source::Two, Values::Uint) => Shader::Blit2Uint,
            (Source::Two, Values::Depth) => Shader::Blit2Depth,
            (Source::Two, Values::Stencil) => Shader::Blit2Stencil,
            (Source::Three, Values::Float) => Shader::Blit3Float,
            (Source::Three, Values::Int) => Shader::Blit3Int,
            (Source::Three, Values::Uint) => Shader::Blit3Uint,
            (Source::Three, Values::Depth | Values::Stencil) => return None,
            (Source::Samples, Values::Float) => Shader::BlitSamplesFloat,
            (Source::Samples, Values::Int) => Shader::BlitSamplesInt,
            (Source::Samples, Values::Uint) => Shader::BlitSamplesUint,
            (Source::Samples, Values::Depth) => Shader::BlitSamplesDepth,
            (Source::Samples, Values::Stencil) => Shader::BlitSamplesStencil,
            (Source::Sample, Values::Float) => Shader::BlitSampleFloat,
            (Source::Sample, Values::Int) => Shader::BlitSampleInt,
            (Source::Sample, Values::Uint) => Shader::BlitSampleUint,
            (Source::Sample, Values::Depth) => Shader::BlitSampleDepth,
            (Source::Sample, Values::Stencil) => Shader::BlitSampleStencil,
        })
    }

    /// Its entry in [`ALL`].
    #[must_use]
    pub fn get(self) -> &'static Internal {
        &ALL[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spv::Spv;

    #[test]
    fn every_shader_is_found_by_what_it_does() {
        let all = [
            Values::Float,
            Values::Int,
            Values::Uint,
            Values::Depth,
            Values::Stencil,
        ];
        let mut found = vec![Shader::Triangle];
        found.extend(all.into_iter().filter_map(Shader::fill));
        for source in [
            Source::One,
            Source::Two,
            Source::Three,
            Source::Samples,
            Source::Sample,
        ] {
            found.extend(all.into_iter().filter_map(|v| Shader::blit(source, v)));
        }
        assert_eq!(found.len(), ALL.len());
        for shader in found {
            let internal = shader.get();
            let spv = Spv::load(&internal.words()).expect("the words are a module");
            assert!(!spv.module.functions.is_empty(), "{}", internal.name);
            let named = format!("{shader:?}").to_lowercase();
            assert_eq!(named, internal.name.replace('_', ""), "the lists agree");
        }
    }

    #[test]
    fn constants_lie_where_the_shaders_read_them() {
        assert_eq!(std::mem::offset_of!(FillConstants, depth), 48);
        assert_eq!(std::mem::offset_of!(BlitConstants, depth), 48);
        assert_eq!(std::mem::offset_of!(BlitConstants, to), 16);
        assert_eq!(std::mem::offset_of!(BlitConstants, slice), 32);
        assert_eq!(std::mem::offset_of!(BlitConstants, sample), 36);
        assert_eq!(std::mem::offset_of!(BlitConstants, filtered), 40);
        assert_eq!(std::mem::offset_of!(BlitConstants, bit), 44);
        assert_eq!(std::mem::offset_of!(BlitConstants, unit), 52);
        assert_eq!(CONSTANTS_BYTES, 56);
    }
}
