//! What Espryt tells the client that it can do: all of it true of the context below (design: driver 5.7).

use super::gl::Gl;
use mgl_core::pipe::payload::MAX_COLOR_ATTACHMENTS;
use mgl_core::pipe::{Caps, Op};

/// Calls of the catalogue that are not taken.
const NOT_TAKEN: &[Op] = &[
    Op::SetShaderImages,
    Op::LaunchGrid,
    Op::MemoryBarrier,
    Op::BindStreamOutput,
];

/// Capabilities of the context that is current.
pub fn caps(gl: &Gl) -> Caps {
    let get = |name: u32| gl.integer(name).max(0) as u32;
    let taken: Vec<Op> = Op::ALL
        .iter()
        .copied()
        .filter(|o| !NOT_TAKEN.contains(o))
        .collect();
    let mut features: Vec<String> = gl
        .has
        .list()
        .into_iter()
        .filter(|(_, present)| *present)
        .map(|(name, _)| name.to_owned())
        .collect();
    // Where a value is not GL's.
    if !gl.has.counts_samples {
        features.push("samples_passed:boolean".into());
    }
    features.sort_unstable();
    Caps {
        backend: "espryt".into(),
        vendor: gl.string(glow::VENDOR),
        renderer: gl.string(glow::RENDERER),
        version: gl.string(glow::VERSION),
        call_mask: Caps::mask_of(&taken),
        max_texture_size: get(glow::MAX_TEXTURE_SIZE),
        max_3d_texture_size: get(glow::MAX_3D_TEXTURE_SIZE),
        max_cube_map_size: get(glow::MAX_CUBE_MAP_TEXTURE_SIZE),
        max_array_layers: get(glow::MAX_ARRAY_TEXTURE_LAYERS),
        max_renderbuffer_size: get(glow::MAX_RENDERBUFFER_SIZE),
        max_samples: get(glow::MAX_SAMPLES),
        max_color_attachments: get(glow::MAX_COLOR_ATTACHMENTS).min(MAX_COLOR_ATTACHMENTS as u32),
        max_vertex_attribs: gl.limits.attribs,
        max_stage_texture_units: get(glow::MAX_TEXTURE_IMAGE_UNITS),
        max_uniform_block_size: get(glow::MAX_UNIFORM_BLOCK_SIZE),
        uniform_buffer_offset_alignment: gl.limits.uniform_offset_alignment,
        max_anisotropy_bits: gl.limits.anisotropy.to_bits(),
        features,
    }
}
