//! What Vulkan offers on this machine (design: driver 5.6): each device with its driver, and which of
//! the features that Magma uses it has. `mgl doctor` prints it; the device choice starts from it.
//!
//! A machine without a Vulkan loader, or whose loader finds no driver, gives a [`ProbeError`] in words.
//! Loading runs the drivers' code: a caller that must not crash calls [`devices`] in a child process.

use ash::vk;
use serde::{Deserialize, Serialize};
use std::ffi::CStr;

/// Lowest version that Magma draws with.
pub const LOWEST_VERSION: u32 = vk::API_VERSION_1_1;

/// Why there is no device to speak of.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProbeError {
    /// No Vulkan loader library.
    #[error("no Vulkan loader: {0}")]
    NoLoader(String),
    /// The loader is older than Vulkan 1.1.
    #[error("the Vulkan loader is version {0}, and 1.1 is needed")]
    OldLoader(String),
    /// No instance, mostly because the loader found no driver.
    #[error("no Vulkan instance: {0}")]
    NoInstance(String),
    /// Devices cannot be listed.
    #[error("Vulkan devices cannot be listed: {0}")]
    NoList(String),
    /// Drivers, but no device.
    #[error("no Vulkan device")]
    NoDevice,
}

/// Whether Magma draws without a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Need {
    /// A device without it is not used.
    Required,
    /// There is something in its place.
    Optional,
}

/// A feature of Vulkan that Magma uses.
pub struct Feature {
    /// Vulkan's name of the feature, or of the extension where that is all there is to it.
    pub name: &'static str,
    /// Magma's own name for it; empty where there is no going without.
    pub fact: &'static str,
    /// Whether Magma draws without it.
    pub need: Need,
    /// What it is used for, in OpenGL's words.
    pub purpose: &'static str,
    /// What happens on a device without it.
    pub without: &'static str,
    has: fn(&Offer) -> bool,
}

impl Feature {
    /// Whether a device has it.
    #[must_use]
    pub fn is_in(&self, offer: &Offer) -> bool {
        (self.has)(offer)
    }
}

macro_rules! offers {
    ($($(#[$doc:meta])* $name:ident, $extension:literal, $core:expr, $query:ident . $field:ident;)*) => {
        /// What one device offers, as far as Magma asks. The extension features are true only where
        /// the device has both the extension (or a version that includes it) and the feature.
        #[derive(Clone, Debug, Default)]
        pub struct Offer {
            /// `VkPhysicalDeviceProperties::apiVersion`.
            pub version: u32,
            /// Names of the device's extensions, sorted.
            pub extensions: Vec<String>,
            /// Core features.
            pub core: vk::PhysicalDeviceFeatures,
            $($(#[$doc])* pub $name: bool,)*
        }

        impl Offer {
            fn is_core(&self, since: u32) -> bool {
                since != 0 && self.version >= since
            }

            fn has_extension_or_core(&self, name: &str, since: u32) -> bool {
                self.is_core(since) || self.has_extension(name)
            }

            fn read(&mut self, instance: &ash::Instance, device: vk::PhysicalDevice) {
                $(
                    if self.has_extension_or_core($extension, $core) {
                        self.$name = query::$query(instance, device).$field == vk::TRUE;
                    }
                )*
            }
        }
    };
}

offers! {
    /// Rendering without render pass objects.
    dynamic_rendering, "VK_KHR_dynamic_rendering", vk::API_VERSION_1_3, dynamic_rendering.dynamic_rendering;
    /// Cull mode, front face, topology, depth and stencil tests as dynamic state.
    extended_dynamic_state, "VK_EXT_extended_dynamic_state", 0, eds1.extended_dynamic_state;
    /// Rasteriser discard, depth bias enable, primitive restart as dynamic state.
    extended_dynamic_state2, "VK_EXT_extended_dynamic_state2", 0, eds2.extended_dynamic_state2;
    /// Clip space with z from -w to w.
    depth_clip_control, "VK_EXT_depth_clip_control", 0, depth_clip_control.depth_clip_control;
    /// Clipping by depth apart from clamping.
    depth_clip_enable, "VK_EXT_depth_clip_enable", 0, depth_clip_enable.depth_clip_enable;
    /// The last vertex of a primitive gives its flat values.
    provoking_vertex_last, "VK_EXT_provoking_vertex", 0, provoking_vertex.provoking_vertex_last;
    /// Any border colour.
    custom_border_colors, "VK_EXT_custom_border_color", 0, custom_border_color.custom_border_colors;
    /// Any border colour, without naming the format that it is for.
    custom_border_color_without_format, "VK_EXT_custom_border_color", 0, custom_border_color.custom_border_color_without_format;
    /// Border colours go through component mappings.
    border_color_swizzle, "VK_EXT_border_color_swizzle", 0, border_swizzle.border_color_swizzle;
    /// And the mapping is the view's.
    border_color_swizzle_from_image, "VK_EXT_border_color_swizzle", 0, border_swizzle.border_color_swizzle_from_image;
    /// Capturing vertices.
    transform_feedback, "VK_EXT_transform_feedback", 0, transform_feedback.transform_feedback;
    /// Capturing vertices of several streams.
    geometry_streams, "VK_EXT_transform_feedback", 0, transform_feedback.geometry_streams;
    /// A query of primitives that counts without capturing.
    primitives_generated_query, "VK_EXT_primitives_generated_query", 0, primitives_generated.primitives_generated_query;
    /// Lines by Bresenham's rule.
    bresenham_lines, "VK_EXT_line_rasterization", 0, lines.bresenham_lines;
    /// Antialiased lines.
    smooth_lines, "VK_EXT_line_rasterization", 0, lines.smooth_lines;
    /// Attributes that advance every n instances.
    instance_rate_divisor, "VK_EXT_vertex_attribute_divisor", 0, divisor.vertex_attribute_instance_rate_divisor;
    /// 8-bit indices.
    index_type_uint8, "VK_EXT_index_type_uint8", 0, index_uint8.index_type_uint8;
    /// Primitive restart of lists.
    list_restart, "VK_EXT_primitive_topology_list_restart", 0, list_restart.primitive_topology_list_restart;
    /// Descriptors and vertex buffers may be empty.
    null_descriptor, "VK_EXT_robustness2", 0, robustness2.null_descriptor;
    /// `BaseVertex`, `BaseInstance` and `DrawIndex` in shaders.
    shader_draw_parameters, "VK_KHR_shader_draw_parameters", vk::API_VERSION_1_1, draw_parameters.shader_draw_parameters;
    /// Cube maps that filter each face alone.
    non_seamless_cube_map, "VK_EXT_non_seamless_cube_map", 0, non_seamless.non_seamless_cube_map;
}

/// One feature structure each; a structure is only asked for where its extension is there.
mod query {
    use ash::vk;

    macro_rules! queries {
        ($($name:ident, $ty:ident;)*) => {
            $(pub fn $name(instance: &ash::Instance, device: vk::PhysicalDevice) -> vk::$ty<'static> {
                let mut asked = vk::$ty::default();
                let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut asked);
                // SAFETY: the device is one of the instance's, which is of version 1.1 or later, and
                // the structures live through the call.
                unsafe { instance.get_physical_device_features2(device, &mut features) };
                asked
            })*
        };
    }

    queries! {
        dynamic_rendering, PhysicalDeviceDynamicRenderingFeatures;
        eds1, PhysicalDeviceExtendedDynamicStateFeaturesEXT;
        eds2, PhysicalDeviceExtendedDynamicState2FeaturesEXT;
        depth_clip_control, PhysicalDeviceDepthClipControlFeaturesEXT;
        depth_clip_enable, PhysicalDeviceDepthClipEnableFeaturesEXT;
        provoking_vertex, PhysicalDeviceProvokingVertexFeaturesEXT;
        custom_border_color, PhysicalDeviceCustomBorderColorFeaturesEXT;
        border_swizzle, PhysicalDeviceBorderColorSwizzleFeaturesEXT;
        transform_feedback, PhysicalDeviceTransformFeedbackFeaturesEXT;
        primitives_generated, PhysicalDevicePrimitivesGeneratedQueryFeaturesEXT;
        lines, PhysicalDeviceLineRasterizationFeaturesKHR;
        divisor, PhysicalDeviceVertexAttributeDivisorFeaturesKHR;
        index_uint8, PhysicalDeviceIndexTypeUint8FeaturesKHR;
        list_restart, PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT;
        robustness2, PhysicalDeviceRobustness2FeaturesEXT;
        draw_parameters, PhysicalDeviceShaderDrawParametersFeatures;
        non_seamless, PhysicalDeviceNonSeamlessCubeMapFeaturesEXT;
    }
}

impl Offer {
    /// Whether the device lists an extension.
    #[must_use]
    pub fn has_extension(&self, name: &str) -> bool {
        self.extensions
            .binary_search_by(|e| e.as_str().cmp(name))
            .is_ok()
    }

    /// Asks a device. The instance must have been made for Vulkan 1.1 or later.
    #[must_use]
    pub fn of(instance: &ash::Instance, device: vk::PhysicalDevice) -> Offer {
        // SAFETY: the device is one of the instance's.
        let (properties, core, listed) = unsafe {
            (
                instance.get_physical_device_properties(device),
                instance.get_physical_device_features(device),
                instance.enumerate_device_extension_properties(device),
            )
        };
        let mut extensions: Vec<String> = listed
            .unwrap_or_default()
            .iter()
            .map(|e| text(&e.extension_name))
            .collect();
        extensions.sort_unstable();
        let mut offer = Offer {
            version: properties.api_version,
            extensions,
            core,
            ..Offer::default()
        };
        if offer.version >= LOWEST_VERSION {
            offer.read(instance, device);
        }
        offer
    }

    /// The first required feature that the device lacks.
    #[must_use]
    pub fn missing(&self) -> Option<&'static Feature> {
        FEATURES
            .iter()
            .find(|f| f.need == Need::Required && !f.is_in(self))
    }
}

macro_rules! features {
    ($($fact:literal, $name:literal, $need:ident, $has:expr, $purpose:literal, $without:literal;)*) => {
        /// Every feature that Magma asks a device for, those that it cannot do without first.
        pub const FEATURES: &[Feature] = &[$(Feature {
            name: $name,
            fact: $fact,
            need: Need::$need,
            purpose: $purpose,
            without: $without,
            has: $has,
        }),*];
    };
}

fn on(b: vk::Bool32) -> bool {
    b == vk::TRUE
}

features! {
    "", "Vulkan 1.1", Required, |o| o.version >= LOWEST_VERSION,
        "everything", "the device is not used";
    "", "dynamicRendering", Required, |o| o.dynamic_rendering,
        "framebuffers", "the device is not used";
    "", "VK_KHR_depth_stencil_resolve", Required,
        |o| o.has_extension_or_core("VK_KHR_depth_stencil_resolve", vk::API_VERSION_1_2),
        "multisampled depth and stencil", "the device is not used";

    "robust_access", "robustBufferAccess", Optional, |o| on(o.core.robust_buffer_access),
        "indices and vertices outside buffers", "such draws may crash the driver";
    "dynamic_state", "extendedDynamicState2", Optional,
        |o| o.extended_dynamic_state && o.extended_dynamic_state2,
        "culling, depth and stencil state without new pipelines", "more pipelines are made";
    "depth_clip_control", "depthClipControl", Optional, |o| o.depth_clip_control,
        "clip space from -w to w", "the last vertex stage is rewritten";
    "depth_clamp", "depthClamp", Optional, |o| on(o.core.depth_clamp),
        "GL_DEPTH_CLAMP", "the near and the far plane clip";
    "depth_clip_enable", "depthClipEnable", Optional, |o| o.depth_clip_enable,
        "GL_DEPTH_CLAMP apart from clipping", "clamping turns clipping off, as OpenGL wants it";
    "depth_bias_clamp", "depthBiasClamp", Optional, |o| on(o.core.depth_bias_clamp),
        "glPolygonOffsetClamp", "offsets are not clamped";
    "provoking_vertex_last", "provokingVertexLast", Optional, |o| o.provoking_vertex_last,
        "flat values from a primitive's last vertex", "indices are rewritten";
    "custom_border_color", "customBorderColors", Optional,
        |o| o.custom_border_colors && o.custom_border_color_without_format,
        "any border colour of textures", "the nearest of black, white and transparent black";
    "border_color_swizzle", "borderColorSwizzle", Optional,
        |o| o.border_color_swizzle && o.border_color_swizzle_from_image
            && o.custom_border_colors && o.custom_border_color_without_format,
        "border colours of textures whose components change places", "they may have other components";
    "transform_feedback", "transformFeedback", Optional, |o| o.transform_feedback,
        "transform feedback", "nothing is captured";
    "primitives_generated", "primitivesGeneratedQuery", Optional, |o| o.primitives_generated_query,
        "GL_PRIMITIVES_GENERATED", "the count comes from transform feedback where that runs";
    "occlusion_precise", "occlusionQueryPrecise", Optional,
        |o| on(o.core.occlusion_query_precise),
        "GL_SAMPLES_PASSED", "the count is only zero or not zero";
    "bresenham_lines", "bresenhamLines", Optional, |o| o.bresenham_lines,
        "aliased lines exactly as OpenGL draws them", "lines may differ by a pixel at their ends";
    "smooth_lines", "smoothLines", Optional, |o| o.smooth_lines,
        "GL_LINE_SMOOTH", "such lines are drawn without smoothing";
    "wide_lines", "wideLines", Optional, |o| on(o.core.wide_lines),
        "line widths over 1", "lines are one pixel wide";
    "large_points", "largePoints", Optional, |o| on(o.core.large_points),
        "point sizes over 1", "points are one pixel large";
    "fill_mode", "fillModeNonSolid", Optional, |o| on(o.core.fill_mode_non_solid),
        "GL_LINE and GL_POINT polygon modes", "polygons are filled";
    "logic_op", "logicOp", Optional, |o| on(o.core.logic_op),
        "logical operations", "fragments replace what is there";
    "independent_blend", "independentBlend", Optional, |o| on(o.core.independent_blend),
        "blending and colour masks a draw buffer", "all draw buffers have those of the first";
    "dual_src_blend", "dualSrcBlend", Optional, |o| on(o.core.dual_src_blend),
        "dual-source blending", "the first colour is taken for the second one";
    "alpha_to_one", "alphaToOne", Optional, |o| on(o.core.alpha_to_one),
        "GL_SAMPLE_ALPHA_TO_ONE", "shaders write it";
    "geometry", "geometryShader", Optional, |o| on(o.core.geometry_shader),
        "geometry shaders, gl_PrimitiveID", "programs with them are refused";
    "tessellation", "tessellationShader", Optional, |o| on(o.core.tessellation_shader),
        "tessellation", "programs with it are refused";
    "late_point_size", "shaderTessellationAndGeometryPointSize", Optional,
        |o| on(o.core.shader_tessellation_and_geometry_point_size),
        "point sizes behind geometry and tessellation shaders", "programs that set them are refused";
    "clip_distance", "shaderClipDistance", Optional, |o| on(o.core.shader_clip_distance),
        "gl_ClipDistance", "programs with it are refused";
    "cull_distance", "shaderCullDistance", Optional, |o| on(o.core.shader_cull_distance),
        "gl_CullDistance", "programs with it are refused";
    "fp64", "shaderFloat64", Optional, |o| on(o.core.shader_float64),
        "double precision", "programs with it are refused";
    "draw_parameters", "shaderDrawParameters", Optional, |o| o.shader_draw_parameters,
        "gl_InstanceID with a base instance, gl_BaseVertex, gl_DrawID",
        "the values are pushed with each draw";
    "sample_shading", "sampleRateShading", Optional, |o| on(o.core.sample_rate_shading),
        "GL_SAMPLE_SHADING, gl_SampleID", "programs with it are refused";
    "multi_viewport", "multiViewport", Optional, |o| on(o.core.multi_viewport),
        "gl_ViewportIndex", "programs with it are refused";
    "layer_output", "VK_EXT_shader_viewport_index_layer", Optional,
        |o| o.has_extension("VK_EXT_shader_viewport_index_layer"),
        "gl_Layer in vertex shaders", "programs with it are refused";
    "anisotropy", "samplerAnisotropy", Optional, |o| on(o.core.sampler_anisotropy),
        "anisotropic filtering", "textures are filtered without";
    "cube_array", "imageCubeArray", Optional, |o| on(o.core.image_cube_array),
        "cube map arrays", "textures of that kind are refused";
    "gather_extended", "shaderImageGatherExtended", Optional,
        |o| on(o.core.shader_image_gather_extended),
        "textureGatherOffset", "programs with it are refused";
    "non_seamless_cube", "nonSeamlessCubeMap", Optional, |o| o.non_seamless_cube_map,
        "cube maps without GL_TEXTURE_CUBE_MAP_SEAMLESS", "they are filtered across faces";
    "mirror_clamp", "VK_KHR_sampler_mirror_clamp_to_edge", Optional,
        |o| o.has_extension("VK_KHR_sampler_mirror_clamp_to_edge"),
        "GL_MIRROR_CLAMP_TO_EDGE", "the mirror image repeats";
    "vertex_divisor", "vertexAttributeInstanceRateDivisor", Optional, |o| o.instance_rate_divisor,
        "instance divisors over 1", "every instance has an element of its own";
    "index_u8", "indexTypeUint8", Optional, |o| o.index_type_uint8,
        "8-bit indices", "indices are widened";
    "list_restart", "primitiveTopologyListRestart", Optional, |o| o.list_restart,
        "primitive restart in lists", "indices are rewritten";
    "null_descriptor", "nullDescriptor", Optional, |o| o.null_descriptor,
        "slots without texture or buffer", "a texture or buffer of zeros is bound";
    "swapchain", "VK_KHR_swapchain", Optional, |o| o.has_extension("VK_KHR_swapchain"),
        "windows", "frames are read back and sent to the X server";
}

/// One feature of one device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeatureState {
    /// Its name in [`FEATURES`].
    pub name: String,
    /// Whether Magma draws without it.
    pub need: Need,
    /// Whether the device has it.
    pub present: bool,
    /// What it is used for.
    pub purpose: String,
    /// What happens where it is missing.
    pub without: String,
}

/// Kind of a device, as `VkPhysicalDeviceType` has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    /// A GPU with memory of its own.
    Discrete,
    /// A GPU that shares the CPU's memory.
    Integrated,
    /// A part of a GPU that a virtual machine was given.
    Virtual,
    /// A software rasteriser.
    Cpu,
    /// Anything else.
    Other,
}

impl DeviceKind {
    fn of(ty: vk::PhysicalDeviceType) -> Self {
        match ty {
            vk::PhysicalDeviceType::DISCRETE_GPU => Self::Discrete,
            vk::PhysicalDeviceType::INTEGRATED_GPU => Self::Integrated,
            vk::PhysicalDeviceType::VIRTUAL_GPU => Self::Virtual,
            vk::PhysicalDeviceType::CPU => Self::Cpu,
            _ => Self::Other,
        }
    }
}

/// A Vulkan device and its driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// `deviceName`.
    pub name: String,
    /// What kind of device it is.
    pub kind: DeviceKind,
    /// Version of Vulkan, such as `1.3.230`.
    pub version: String,
    /// `driverName`; empty where the device does not say.
    pub driver: String,
    /// `driverInfo`; empty where the device does not say.
    pub driver_info: String,
    /// PCI identifiers of vendor and device.
    pub ids: [u32; 2],
    /// Whether Magma can draw with it: nothing required is missing.
    pub usable: bool,
    /// All of [`FEATURES`], in that order.
    pub features: Vec<FeatureState>,
}

impl DeviceInfo {
    /// Asks a device. The instance must have been made for Vulkan 1.1 or later.
    #[must_use]
    pub fn of(instance: &ash::Instance, device: vk::PhysicalDevice) -> DeviceInfo {
        let offer = Offer::of(instance, device);
        let has_driver_names =
            offer.has_extension_or_core("VK_KHR_driver_properties", vk::API_VERSION_1_2);
        let mut names = vk::PhysicalDeviceDriverProperties::default();
        // SAFETY: the device is one of the instance's. The driver's structure is asked for only where
        // the device knows it, and lives through the call.
        let properties = unsafe { instance.get_physical_device_properties(device) };
        if offer.version >= LOWEST_VERSION && has_driver_names {
            let mut more = vk::PhysicalDeviceProperties2::default().push_next(&mut names);
            // SAFETY: as above.
            unsafe { instance.get_physical_device_properties2(device, &mut more) };
        }
        let features = FEATURES.iter().map(|f| FeatureState {
            name: f.name.to_owned(),
            need: f.need,
            present: f.is_in(&offer),
            purpose: f.purpose.to_owned(),
            without: f.without.to_owned(),
        });
        DeviceInfo {
            name: text(&properties.device_name),
            kind: DeviceKind::of(properties.device_type),
            version: version_text(properties.api_version),
            driver: text(&names.driver_name),
            driver_info: text(&names.driver_info),
            ids: [properties.vendor_id, properties.device_id],
            usable: offer.missing().is_none(),
            features: features.collect(),
        }
    }

    /// The features that the device lacks.
    pub fn lacking(&self) -> impl Iterator<Item = &FeatureState> {
        self.features.iter().filter(|f| !f.present)
    }
}

/// A version as people write it.
#[must_use]
pub fn version_text(version: u32) -> String {
    format!(
        "{}.{}.{}",
        vk::api_version_major(version),
        vk::api_version_minor(version),
        vk::api_version_patch(version)
    )
}

/// A name in a fixed array of a Vulkan structure.
fn text(chars: &[std::ffi::c_char]) -> String {
    let bytes: &[u8] = bytemuck::cast_slice(chars);
    CStr::from_bytes_until_nul(bytes)
        .map(|s| s.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// The Vulkan loader of this machine.
///
/// # Errors
///
/// [`ProbeError::NoLoader`], [`ProbeError::OldLoader`].
pub fn entry() -> Result<ash::Entry, ProbeError> {
    // SAFETY: the loader's initialisers have no conditions of their own that a caller could meet.
    let entry = unsafe { ash::Entry::load() }.map_err(|e| ProbeError::NoLoader(e.to_string()))?;
    // SAFETY: the entry point has no conditions.
    let version = unsafe { entry.try_enumerate_instance_version() }
        .ok()
        .flatten()
        .unwrap_or(vk::API_VERSION_1_0);
    if version < LOWEST_VERSION {
        return Err(ProbeError::OldLoader(version_text(version)));
    }
    Ok(entry)
}

/// All Vulkan devices of this machine, in the loader's order.
///
/// # Errors
///
/// In words: no loader, no driver, no device.
pub fn devices() -> Result<Vec<DeviceInfo>, ProbeError> {
    let entry = entry()?;
    let app = vk::ApplicationInfo::default()
        .application_name(c"mgl")
        .api_version(vk::API_VERSION_1_3);
    let create = vk::InstanceCreateInfo::default().application_info(&app);
    // SAFETY: the structures live through the call; the instance is destroyed below, before the entry.
    let instance = unsafe { entry.create_instance(&create, None) }
        .map_err(|e| ProbeError::NoInstance(e.to_string()))?;
    // SAFETY: the instance lives.
    let listed = unsafe { instance.enumerate_physical_devices() };
    let result = match listed {
        Err(e) => Err(ProbeError::NoList(e.to_string())),
        Ok(list) if list.is_empty() => Err(ProbeError::NoDevice),
        Ok(list) => Ok(list
            .into_iter()
            .map(|d| DeviceInfo::of(&instance, d))
            .collect()),
    };
    // SAFETY: made above, and nothing of it is used any more.
    unsafe { instance.destroy_instance(None) };
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_says_what_it_is_for_and_what_happens_without() {
        let mut names: Vec<&str> = FEATURES.iter().map(|f| f.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), FEATURES.len(), "names are unique");
        for f in FEATURES {
            assert!(!f.purpose.is_empty() && !f.without.is_empty(), "{}", f.name);
            let refuses = f.without == "the device is not used";
            assert_eq!(refuses, f.need == Need::Required, "{}", f.name);
        }
    }

    #[test]
    fn what_magma_switches_on_is_what_is_listed() {
        use crate::magma::features::Has;
        let facts: Vec<&str> = Has::default().list().iter().map(|f| f.0).collect();
        for fact in &facts {
            let listed = FEATURES.iter().filter(|f| f.fact == *fact).count();
            assert_eq!(listed, 1, "{fact}");
        }
        // Shaders ask for these by themselves.
        let more = ["late_point_size", "cull_distance", "gather_extended"];
        for f in FEATURES.iter().filter(|f| f.need == Need::Optional) {
            assert!(
                facts.contains(&f.fact) || more.contains(&f.fact),
                "{}",
                f.fact
            );
        }
    }

    #[test]
    fn nothing_is_present_in_an_empty_offer() {
        let offer = Offer::default();
        for f in FEATURES {
            assert!(!f.is_in(&offer), "{}", f.name);
        }
        assert_eq!(offer.missing().map(|f| f.name), Some("Vulkan 1.1"));
    }

    #[test]
    fn versions_that_include_an_extension_have_it() {
        let mut offer = Offer {
            version: vk::API_VERSION_1_1,
            dynamic_rendering: true,
            ..Offer::default()
        };
        let missing = offer.missing().map(|f| f.name);
        assert_eq!(missing, Some("VK_KHR_depth_stencil_resolve"));
        offer.version = vk::API_VERSION_1_2;
        assert!(offer.missing().is_none());
    }

    #[test]
    fn the_systems_device_can_be_drawn_with() {
        let list = devices().unwrap_or_else(|e| panic!("{e}; `mgl doctor` says what to install"));
        let device = list
            .iter()
            .find(|d| d.usable)
            .unwrap_or_else(|| panic!("no usable device among {list:#?}"));
        assert!(!device.name.is_empty() && device.version.starts_with("1."));
        assert_eq!(device.features.len(), FEATURES.len());
    }
}
