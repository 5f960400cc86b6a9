//! The extensions that are listed: those whose every function and enumerant works.
//!
//! What core versions up to 3.3 took over is listed by its extension too, as programs ask by that name. Extensions of the
//! fixed function are listed where only state is left of them. A test compares the list with the registry's functions.

use crate::context::Profile;
use std::ffi::{CStr, CString};
use std::sync::LazyLock;

/// Which profiles list an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Where {
    /// Both profiles.
    Both,
    /// The core profile alone: the compatibility profile's share of it is fixed function.
    Core,
    /// The compatibility profile alone: all of it is long core, or was removed from it.
    Compatibility,
}
use Where::{Both, Compatibility, Core};

/// Every extension, sorted by name.
const ALL: &[(&CStr, Where)] = &[
    (c"GL_AMD_draw_buffers_blend", Both),
    (c"GL_ANGLE_texture_compression_dxt3", Both),
    (c"GL_ANGLE_texture_compression_dxt5", Both),
    (c"GL_APPLE_packed_pixels", Compatibility),
    (c"GL_ARB_ES2_compatibility", Both),
    (c"GL_ARB_blend_func_extended", Both),
    (c"GL_ARB_copy_buffer", Both),
    (c"GL_ARB_debug_output", Both),
    (c"GL_ARB_depth_buffer_float", Both),
    (c"GL_ARB_depth_clamp", Both),
    (c"GL_ARB_depth_texture", Compatibility),
    (c"GL_ARB_draw_buffers", Both),
    (c"GL_ARB_draw_buffers_blend", Both),
    (c"GL_ARB_draw_elements_base_vertex", Both),
    (c"GL_ARB_draw_instanced", Both),
    (c"GL_ARB_explicit_attrib_location", Both),
    (c"GL_ARB_fragment_coord_conventions", Both),
    (c"GL_ARB_fragment_shader", Both),
    (c"GL_ARB_framebuffer_object", Both),
    (c"GL_ARB_framebuffer_sRGB", Both),
    (c"GL_ARB_half_float_pixel", Both),
    (c"GL_ARB_half_float_vertex", Both),
    (c"GL_ARB_instanced_arrays", Both),
    (c"GL_ARB_map_buffer_range", Both),
    (c"GL_ARB_multisample", Compatibility),
    (c"GL_ARB_multitexture", Compatibility),
    (c"GL_ARB_occlusion_query", Compatibility),
    (c"GL_ARB_occlusion_query2", Both),
    (c"GL_ARB_pixel_buffer_object", Both),
    (c"GL_ARB_point_parameters", Compatibility),
    (c"GL_ARB_point_sprite", Both),
    (c"GL_ARB_provoking_vertex", Both),
    (c"GL_ARB_robustness", Core),
    (c"GL_ARB_sampler_objects", Both),
    (c"GL_ARB_seamless_cube_map", Both),
    (c"GL_ARB_shader_bit_encoding", Both),
    (c"GL_ARB_shader_objects", Both),
    (c"GL_ARB_shader_texture_lod", Both),
    (c"GL_ARB_shading_language_100", Compatibility),
    (c"GL_ARB_shadow", Compatibility),
    (c"GL_ARB_sync", Both),
    (c"GL_ARB_texture_border_clamp", Compatibility),
    (c"GL_ARB_texture_buffer_object", Both),
    (c"GL_ARB_texture_compression", Compatibility),
    (c"GL_ARB_texture_compression_bptc", Both),
    (c"GL_ARB_texture_compression_rgtc", Both),
    (c"GL_ARB_texture_cube_map", Compatibility),
    (c"GL_ARB_texture_filter_anisotropic", Both),
    (c"GL_ARB_texture_float", Both),
    (c"GL_ARB_texture_mirrored_repeat", Compatibility),
    (c"GL_ARB_texture_multisample", Both),
    (c"GL_ARB_texture_non_power_of_two", Both),
    (c"GL_ARB_texture_rectangle", Both),
    (c"GL_ARB_texture_rg", Both),
    (c"GL_ARB_texture_rgb10_a2ui", Both),
    (c"GL_ARB_texture_storage", Both),
    (c"GL_ARB_texture_swizzle", Both),
    (c"GL_ARB_timer_query", Both),
    (c"GL_ARB_transpose_matrix", Compatibility),
    (c"GL_ARB_uniform_buffer_object", Both),
    (c"GL_ARB_vertex_array_bgra", Both),
    (c"GL_ARB_vertex_array_object", Both),
    (c"GL_ARB_vertex_buffer_object", Both),
    (c"GL_ARB_vertex_shader", Both),
    (c"GL_ARB_vertex_type_10f_11f_11f_rev", Both),
    (c"GL_ARB_vertex_type_2_10_10_10_rev", Core),
    (c"GL_ATI_draw_buffers", Compatibility),
    (c"GL_ATI_separate_stencil", Compatibility),
    (c"GL_ATI_texture_float", Both),
    (c"GL_EXT_abgr", Both),
    (c"GL_EXT_bgra", Compatibility),
    (c"GL_EXT_blend_color", Compatibility),
    (c"GL_EXT_blend_equation_separate", Both),
    (c"GL_EXT_blend_func_separate", Compatibility),
    (c"GL_EXT_blend_minmax", Compatibility),
    (c"GL_EXT_blend_subtract", Compatibility),
    (c"GL_EXT_copy_texture", Compatibility),
    (c"GL_EXT_debug_label", Both),
    (c"GL_EXT_debug_marker", Both),
    (c"GL_EXT_draw_buffers2", Both),
    (c"GL_EXT_draw_instanced", Both),
    (c"GL_EXT_draw_range_elements", Compatibility),
    (c"GL_EXT_framebuffer_blit", Both),
    (c"GL_EXT_framebuffer_multisample", Both),
    (c"GL_EXT_framebuffer_object", Both),
    (c"GL_EXT_framebuffer_sRGB", Both),
    (c"GL_EXT_multi_draw_arrays", Compatibility),
    (c"GL_EXT_packed_depth_stencil", Both),
    (c"GL_EXT_packed_float", Both),
    (c"GL_EXT_packed_pixels", Compatibility),
    (c"GL_EXT_pixel_buffer_object", Both),
    (c"GL_EXT_point_parameters", Compatibility),
    (c"GL_EXT_provoking_vertex", Both),
    (c"GL_EXT_shadow_funcs", Compatibility),
    (c"GL_EXT_stencil_wrap", Compatibility),
    (c"GL_EXT_subtexture", Compatibility),
    (c"GL_EXT_texture", Compatibility),
    (c"GL_EXT_texture3D", Compatibility),
    (c"GL_EXT_texture_array", Both),
    (c"GL_EXT_texture_buffer_object", Compatibility),
    (c"GL_EXT_texture_compression_dxt1", Both),
    (c"GL_EXT_texture_compression_latc", Compatibility),
    (c"GL_EXT_texture_compression_rgtc", Both),
    (c"GL_EXT_texture_compression_s3tc", Both),
    (c"GL_EXT_texture_cube_map", Compatibility),
    (c"GL_EXT_texture_edge_clamp", Compatibility),
    (c"GL_EXT_texture_filter_anisotropic", Both),
    (c"GL_EXT_texture_integer", Both),
    (c"GL_EXT_texture_object", Compatibility),
    (c"GL_EXT_texture_rectangle", Compatibility),
    (c"GL_EXT_texture_sRGB", Both),
    (c"GL_EXT_texture_sRGB_decode", Both),
    (c"GL_EXT_texture_shared_exponent", Both),
    (c"GL_EXT_texture_snorm", Both),
    (c"GL_EXT_texture_swizzle", Both),
    (c"GL_EXT_timer_query", Both),
    (c"GL_EXT_transform_feedback", Both),
    (c"GL_EXT_vertex_array_bgra", Both),
    (c"GL_GREMEDY_string_marker", Both),
    (c"GL_IBM_texture_mirrored_repeat", Compatibility),
    (c"GL_INGR_blend_func_separate", Compatibility),
    (c"GL_KHR_context_flush_control", Both),
    (c"GL_KHR_debug", Both),
    (c"GL_KHR_no_error", Both),
    (c"GL_KHR_robustness", Both),
    (c"GL_NV_blend_square", Compatibility),
    (c"GL_NV_conditional_render", Both),
    (c"GL_NV_depth_clamp", Both),
    (c"GL_NV_packed_depth_stencil", Both),
    (c"GL_NV_texture_rectangle", Compatibility),
    (c"GL_OES_read_format", Compatibility),
    (c"GL_SGIS_generate_mipmap", Compatibility),
    (c"GL_SGIS_texture_border_clamp", Compatibility),
    (c"GL_SGIS_texture_edge_clamp", Compatibility),
    (c"GL_SGIS_texture_lod", Compatibility),
    (c"GL_SUN_multi_draw_arrays", Compatibility),
];

static CORE_LIST: LazyLock<Vec<&'static CStr>> = LazyLock::new(|| select(Compatibility));
static COMPATIBILITY_LIST: LazyLock<Vec<&'static CStr>> = LazyLock::new(|| select(Core));

/// All extensions but those that are only where `other` says.
fn select(other: Where) -> Vec<&'static CStr> {
    ALL.iter()
        .filter(|(_, place)| *place != other)
        .map(|(name, _)| *name)
        .collect()
}

/// The extensions of a profile, sorted.
#[must_use]
pub fn of(profile: Profile) -> &'static [&'static CStr] {
    match profile {
        Profile::Core => &CORE_LIST,
        Profile::Compatibility => &COMPATIBILITY_LIST,
    }
}

/// All extensions of the compatibility profile in one string, as glGetString answers it.
#[must_use]
pub fn string() -> &'static CStr {
    static TEXT: LazyLock<CString> = LazyLock::new(|| {
        let words: Vec<&str> = COMPATIBILITY_LIST
            .iter()
            .filter_map(|e| e.to_str().ok())
            .collect();
        CString::new(words.join(" ")).unwrap_or_default()
    });
    &TEXT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_sorted_and_single() {
        assert!(ALL.windows(2).all(|w| w[0].0 < w[1].0));
    }

    #[test]
    fn profiles_list_what_is_theirs() {
        let has = |profile, name: &CStr| of(profile).contains(&name);
        for (name, core, compatibility) in [
            (c"GL_EXT_texture_sRGB_decode", true, true),
            (c"GL_ARB_robustness", true, false),
            (c"GL_EXT_bgra", false, true),
            (c"GL_KHR_debug", true, true),
            (c"GL_ARB_compute_shader", false, false),
        ] {
            assert_eq!(has(Profile::Core, name), core, "{name:?}");
            assert_eq!(has(Profile::Compatibility, name), compatibility, "{name:?}");
        }
    }
}
