//! What Magma tells the client that it can do: all of it true of the device (design: driver 5.7).

use super::gpu::Gpu;
use super::stream::MAX_BLOCK;
use ash::vk;
use mgl_core::pipe::payload::MAX_COLOR_ATTACHMENTS;
use mgl_core::pipe::{Caps, Op};

/// Calls of the catalogue that are not taken.
const NOT_TAKEN: &[Op] = &[
    Op::SetShaderImages,
    Op::LaunchGrid,
    Op::MemoryBarrier,
    Op::BindStreamOutput,
];

/// Capabilities of a device.
pub fn caps(gpu: &Gpu) -> Caps {
    let l = &gpu.limits.core;
    let taken: Vec<Op> = Op::ALL
        .iter()
        .copied()
        .filter(|o| !NOT_TAKEN.contains(o))
        .collect();
    let mut features: Vec<String> = gpu
        .has
        .list()
        .into_iter()
        .filter(|(_, present)| *present)
        .map(|(name, _)| name.to_owned())
        .collect();
    // Where a value is not GL's.
    if !gpu.has.occlusion_precise {
        features.push("samples_passed:boolean".into());
    }
    if !gpu.has.non_seamless_cube {
        features.push("cube_map_seams:always_filtered".into());
    }
    features.sort_unstable();
    let counts = l.framebuffer_color_sample_counts & l.framebuffer_depth_sample_counts;
    let samples = [64, 32, 16, 8, 4, 2]
        .into_iter()
        .find(|n| counts.contains(vk::SampleCountFlags::from_raw(*n)))
        .unwrap_or(1);
    let version = |v: u32| {
        format!(
            "{}.{}.{}",
            vk::api_version_major(v),
            vk::api_version_minor(v),
            vk::api_version_patch(v)
        )
    };
    Caps {
        backend: "magma".into(),
        vendor: format!("{:#06x}", gpu.properties.vendor_id),
        renderer: gpu.name(),
        version: format!(
            "Vulkan {}, driver {:#x}",
            version(gpu.version),
            gpu.properties.driver_version
        ),
        call_mask: Caps::mask_of(&taken),
        max_texture_size: l.max_image_dimension2_d.min(l.max_image_dimension1_d),
        max_3d_texture_size: l.max_image_dimension3_d,
        max_cube_map_size: l.max_image_dimension_cube,
        max_array_layers: l.max_image_array_layers,
        max_renderbuffer_size: l.max_framebuffer_width.min(l.max_image_dimension2_d),
        max_samples: samples,
        max_color_attachments: l.max_color_attachments.min(MAX_COLOR_ATTACHMENTS as u32),
        max_vertex_attribs: l
            .max_vertex_input_bindings
            .min(l.max_vertex_input_attributes)
            .min(32),
        max_stage_texture_units: l.max_per_stage_descriptor_samplers.min(192),
        max_uniform_block_size: l.max_uniform_buffer_range.min(MAX_BLOCK as u32),
        uniform_buffer_offset_alignment: l.min_uniform_buffer_offset_alignment as u32,
        max_anisotropy_bits: if gpu.has.anisotropy {
            l.max_sampler_anisotropy
        } else {
            1.0
        }
        .to_bits(),
        features,
    }
}
