//! The implementation limits that shaders see as `gl_Max*` constants and that linking enforces
//! (GL 3.3 tables 6.35 to 6.40). The driver reports the same numbers from `glGet`.

use mgl_core::program::ShaderStage;

/// Limits of the shading language and of linking. The default is the portable set that the driver
/// reports unless it is told to pass the back end's own limits through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ShaderLimits {
    /// Generic vertex attributes.
    pub vertex_attribs: u32,
    /// Samplers that one vertex shader may use.
    pub vertex_samplers: u32,
    /// Samplers that one geometry shader may use.
    pub geometry_samplers: u32,
    /// Samplers that one fragment shader may use.
    pub fragment_samplers: u32,
    /// Samplers of all stages together.
    pub combined_samplers: u32,
    /// Components (floats) of default-block uniforms in one stage.
    pub uniform_components: u32,
    /// Uniform blocks of one stage.
    pub uniform_blocks: u32,
    /// Uniform blocks of all stages together.
    pub combined_uniform_blocks: u32,
    /// Bytes of one uniform block.
    pub uniform_block_size: u32,
    /// Components (floats) between two stages.
    pub varying_components: u32,
    pub clip_distances: u32,
    pub draw_buffers: u32,
    pub dual_source_draw_buffers: u32,
    pub geometry_output_vertices: u32,
    pub geometry_total_output_components: u32,
    pub min_texel_offset: i32,
    pub max_texel_offset: i32,
    pub xfb_interleaved_components: u32,
    pub xfb_separate_attribs: u32,
    pub xfb_separate_components: u32,
    pub xfb_buffers: u32,
    pub samples: u32,
    pub viewports: u32,
}

impl ShaderLimits {
    /// Samplers that one shader of this stage may use.
    pub fn samplers_of(&self, stage: ShaderStage) -> u32 {
        match stage {
            ShaderStage::Vertex => self.vertex_samplers,
            ShaderStage::Geometry => self.geometry_samplers,
            _ => self.fragment_samplers,
        }
    }
}

impl Default for ShaderLimits {
    fn default() -> Self {
        ShaderLimits {
            vertex_attribs: 16,
            vertex_samplers: 16,
            geometry_samplers: 16,
            fragment_samplers: 16,
            combined_samplers: 48,
            uniform_components: 1024 * 4,
            uniform_blocks: 12,
            combined_uniform_blocks: 36,
            uniform_block_size: 65536,
            varying_components: 60,
            clip_distances: 8,
            draw_buffers: 8,
            dual_source_draw_buffers: 1,
            geometry_output_vertices: 256,
            geometry_total_output_components: 1024,
            min_texel_offset: -8,
            max_texel_offset: 7,
            xfb_interleaved_components: 64,
            xfb_separate_attribs: 4,
            xfb_separate_components: 4,
            xfb_buffers: 4,
            samples: 4,
            viewports: 1,
        }
    }
}
