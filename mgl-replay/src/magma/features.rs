//! What a device has: each fact by a name of ours, read once, and what of Vulkan is switched on for it.
//!
//! A fact that tests take away ("lacking") is not switched on either, so that a back end that relied on it would draw
//! validation messages.

use super::instance::Instance;
use ash::vk;
use mgl_core::pipe::BackendError;
use std::ffi::{CStr, c_char};

macro_rules! facts {
    ($( $(#[$doc:meta])* $name:ident; )*) => {
        /// Optional abilities of a device.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct Has { $( $(#[$doc])* pub $name: bool, )* }

        impl Has {
            /// Names and values.
            pub fn list(&self) -> Vec<(&'static str, bool)> { vec![ $( (stringify!($name), self.$name) ),* ] }
            /// Takes one away.
            fn lose(&mut self, name: &str) -> bool {
                match name { $( stringify!($name) => { self.$name = false; true } )* _ => false }
            }
        }
    };
}

facts! {
    /// Clip space of GL (VK_EXT_depth_clip_control).
    depth_clip_control;
    /// Depth clipping apart from clamping (VK_EXT_depth_clip_enable).
    depth_clip_enable;
    /// Any border colour, without format.
    custom_border_color;
    /// Border colours go through component mappings as GL's do.
    border_color_swizzle;
    /// Dynamic states of VK_EXT_extended_dynamic_state and 2.
    dynamic_state;
    /// Transform feedback.
    transform_feedback;
    /// The last vertex can provoke.
    provoking_vertex_last;
    /// Bresenham lines.
    bresenham_lines;
    /// Smooth lines.
    smooth_lines;
    /// Eight-bit indices.
    index_u8;
    /// Primitive restart in lists.
    list_restart;
    /// Divisors above one.
    vertex_divisor;
    /// Queries of generated primitives.
    primitives_generated;
    /// Cube maps that do not filter across faces.
    non_seamless_cube;
    /// Null descriptors and null vertex buffers.
    null_descriptor;
    /// Geometry shaders.
    geometry;
    /// Tessellation.
    tessellation;
    /// Shading a sample each.
    sample_shading;
    /// Dual-source blending.
    dual_src_blend;
    /// Blending of each draw buffer apart.
    independent_blend;
    /// Logic operations.
    logic_op;
    /// Depth clamping.
    depth_clamp;
    /// Clamped depth bias.
    depth_bias_clamp;
    /// Polygon modes.
    fill_mode;
    /// Lines other than one pixel wide.
    wide_lines;
    /// Points other than one pixel large.
    large_points;
    /// Alpha to one.
    alpha_to_one;
    /// Several viewports.
    multi_viewport;
    /// Layer and viewport from the vertex shader.
    layer_output;
    /// Anisotropic filtering.
    anisotropy;
    /// Exact sample counts.
    occlusion_precise;
    /// Clip distances.
    clip_distance;
    /// Cube map arrays.
    cube_array;
    /// Wrap mode GL_MIRROR_CLAMP_TO_EDGE.
    mirror_clamp;
    /// 64-bit floats in shaders.
    fp64;
    /// Base vertex, base instance and draw number in shaders.
    draw_parameters;
    /// Windows.
    swapchain;
    /// Reads outside buffers are harmless.
    robust_access;
}

/// Numbers of a device.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Vulkan's own.
    pub core: vk::PhysicalDeviceLimits,
    /// Buffers, streams and bytes of transform feedback.
    pub xfb_buffers: u32,
    /// Largest divisor.
    pub divisor: u32,
}

/// What a device is and has.
pub struct Facts {
    /// See there.
    pub has: Has,
    /// See there.
    pub limits: Limits,
    /// Extensions to switch on.
    pub extensions: Vec<&'static CStr>,
    /// Version of the device, as far as the instance takes it.
    pub version: u32,
    /// The driver; 0 where it does not say.
    pub driver: vk::DriverId,
    /// VK_KHR_dynamic_rendering is an extension here, not core.
    pub dynamic_rendering_extension: bool,
    /// The core features.
    features: vk::PhysicalDeviceFeatures,
}

fn named(list: &[vk::ExtensionProperties], name: &CStr) -> bool {
    list.iter()
        .any(|e| e.extension_name_as_c_str().is_ok_and(|n| n == name))
}

/// The structs of the pNext chain that features are read with, and switched on with.
#[derive(Default)]
struct Chain {
    rendering: vk::PhysicalDeviceDynamicRenderingFeatures<'static>,
    clip_control: vk::PhysicalDeviceDepthClipControlFeaturesEXT<'static>,
    clip_enable: vk::PhysicalDeviceDepthClipEnableFeaturesEXT<'static>,
    border: vk::PhysicalDeviceCustomBorderColorFeaturesEXT<'static>,
    border_swizzle: vk::PhysicalDeviceBorderColorSwizzleFeaturesEXT<'static>,
    dynamic: vk::PhysicalDeviceExtendedDynamicStateFeaturesEXT<'static>,
    dynamic2: vk::PhysicalDeviceExtendedDynamicState2FeaturesEXT<'static>,
    xfb: vk::PhysicalDeviceTransformFeedbackFeaturesEXT<'static>,
    provoking: vk::PhysicalDeviceProvokingVertexFeaturesEXT<'static>,
    lines: vk::PhysicalDeviceLineRasterizationFeaturesEXT<'static>,
    index_u8: vk::PhysicalDeviceIndexTypeUint8FeaturesEXT<'static>,
    restart: vk::PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT<'static>,
    divisor: vk::PhysicalDeviceVertexAttributeDivisorFeaturesEXT<'static>,
    generated: vk::PhysicalDevicePrimitivesGeneratedQueryFeaturesEXT<'static>,
    seams: vk::PhysicalDeviceNonSeamlessCubeMapFeaturesEXT<'static>,
    robust2: vk::PhysicalDeviceRobustness2FeaturesEXT<'static>,
    parameters: vk::PhysicalDeviceShaderDrawParametersFeatures<'static>,
}

const CLIP_CONTROL: &CStr = ash::ext::depth_clip_control::NAME;
const CLIP_ENABLE: &CStr = ash::ext::depth_clip_enable::NAME;
const BORDER: &CStr = ash::ext::custom_border_color::NAME;
const BORDER_SWIZZLE: &CStr = ash::ext::border_color_swizzle::NAME;
const DYNAMIC: &CStr = ash::ext::extended_dynamic_state::NAME;
const DYNAMIC2: &CStr = ash::ext::extended_dynamic_state2::NAME;
const XFB: &CStr = ash::ext::transform_feedback::NAME;
const PROVOKING: &CStr = ash::ext::provoking_vertex::NAME;
const LINES: &CStr = ash::ext::line_rasterization::NAME;
const INDEX_U8: &CStr = ash::ext::index_type_uint8::NAME;
const RESTART: &CStr = ash::ext::primitive_topology_list_restart::NAME;
const DIVISOR: &CStr = ash::ext::vertex_attribute_divisor::NAME;
const GENERATED: &CStr = ash::ext::primitives_generated_query::NAME;
const SEAMS: &CStr = ash::ext::non_seamless_cube_map::NAME;
const ROBUST2: &CStr = ash::ext::robustness2::NAME;
const LAYER: &CStr = ash::ext::shader_viewport_index_layer::NAME;
const MIRROR: &CStr = ash::khr::sampler_mirror_clamp_to_edge::NAME;
const RENDERING: &CStr = ash::khr::dynamic_rendering::NAME;
const DS_RESOLVE: &CStr = ash::khr::depth_stencil_resolve::NAME;
const RENDERPASS2: &CStr = ash::khr::create_renderpass2::NAME;
const DRIVER: &CStr = ash::khr::driver_properties::NAME;
const SWAPCHAIN: &CStr = ash::khr::swapchain::NAME;

impl Facts {
    /// Reads what a device has, without what is `lacking`.
    ///
    /// # Errors
    ///
    /// What Magma cannot do without is missing; a name in `lacking` that is no feature.
    pub fn read(
        instance: &Instance,
        pd: vk::PhysicalDevice,
        lacking: &[&str],
    ) -> Result<Self, BackendError> {
        let raw = &instance.raw;
        // SAFETY: the handle is the instance's.
        let (props, list) = unsafe {
            (
                raw.get_physical_device_properties(pd),
                raw.enumerate_device_extension_properties(pd),
            )
        };
        let list = list.map_err(|e| super::instance::error("listing a device's extensions", e))?;
        let version = props.api_version.min(instance.version);
        if version < vk::API_VERSION_1_1 {
            return Err(BackendError::Driver(
                "the device's Vulkan is older than 1.1".into(),
            ));
        }
        let ext = |n: &CStr| named(&list, n);
        let mut c = Chain::default();
        let mut f2 = vk::PhysicalDeviceFeatures2::default().push_next(&mut c.parameters);
        if ext(RENDERING) || version >= vk::API_VERSION_1_3 {
            f2 = f2.push_next(&mut c.rendering);
        }
        macro_rules! ask {
            ($($name:expr => $field:ident),*) => { $( if ext($name) { f2 = f2.push_next(&mut c.$field); } )* };
        }
        ask!(CLIP_CONTROL => clip_control, CLIP_ENABLE => clip_enable, BORDER => border,
             BORDER_SWIZZLE => border_swizzle, DYNAMIC => dynamic, DYNAMIC2 => dynamic2, XFB => xfb,
             PROVOKING => provoking, LINES => lines, INDEX_U8 => index_u8, RESTART => restart, DIVISOR => divisor,
             GENERATED => generated, SEAMS => seams, ROBUST2 => robust2);
        // SAFETY: the chain's structs live.
        unsafe { raw.get_physical_device_features2(pd, &mut f2) };
        let f = f2.features;
        let mut xfb = vk::PhysicalDeviceTransformFeedbackPropertiesEXT::default();
        let mut divisor = vk::PhysicalDeviceVertexAttributeDivisorPropertiesEXT::default();
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        let mut p2 = vk::PhysicalDeviceProperties2::default();
        if ext(DRIVER) || version >= vk::API_VERSION_1_2 {
            p2 = p2.push_next(&mut driver);
        }
        if ext(XFB) {
            p2 = p2.push_next(&mut xfb);
        }
        if ext(DIVISOR) {
            p2 = p2.push_next(&mut divisor);
        }
        // SAFETY: the chain's structs live.
        unsafe { raw.get_physical_device_properties2(pd, &mut p2) };
        let on = |b: vk::Bool32| b != 0;
        let mut has = Has {
            depth_clip_control: on(c.clip_control.depth_clip_control),
            depth_clip_enable: on(c.clip_enable.depth_clip_enable),
            custom_border_color: on(c.border.custom_border_colors)
                && on(c.border.custom_border_color_without_format),
            border_color_swizzle: on(c.border_swizzle.border_color_swizzle)
                && on(c.border_swizzle.border_color_swizzle_from_image),
            dynamic_state: on(c.dynamic.extended_dynamic_state)
                && on(c.dynamic2.extended_dynamic_state2),
            transform_feedback: on(c.xfb.transform_feedback),
            provoking_vertex_last: on(c.provoking.provoking_vertex_last),
            bresenham_lines: on(c.lines.bresenham_lines),
            smooth_lines: on(c.lines.smooth_lines),
            index_u8: on(c.index_u8.index_type_uint8),
            list_restart: on(c.restart.primitive_topology_list_restart),
            vertex_divisor: on(c.divisor.vertex_attribute_instance_rate_divisor),
            primitives_generated: on(c.generated.primitives_generated_query),
            non_seamless_cube: on(c.seams.non_seamless_cube_map),
            null_descriptor: on(c.robust2.null_descriptor),
            geometry: on(f.geometry_shader),
            tessellation: on(f.tessellation_shader),
            sample_shading: on(f.sample_rate_shading),
            dual_src_blend: on(f.dual_src_blend),
            independent_blend: on(f.independent_blend),
            logic_op: on(f.logic_op),
            depth_clamp: on(f.depth_clamp),
            depth_bias_clamp: on(f.depth_bias_clamp),
            fill_mode: on(f.fill_mode_non_solid),
            wide_lines: on(f.wide_lines),
            large_points: on(f.large_points),
            alpha_to_one: on(f.alpha_to_one),
            multi_viewport: on(f.multi_viewport),
            layer_output: ext(LAYER),
            anisotropy: on(f.sampler_anisotropy),
            occlusion_precise: on(f.occlusion_query_precise),
            clip_distance: on(f.shader_clip_distance),
            cube_array: on(f.image_cube_array),
            mirror_clamp: ext(MIRROR),
            fp64: on(f.shader_float64),
            draw_parameters: on(c.parameters.shader_draw_parameters),
            swapchain: instance.xcb && ext(SWAPCHAIN),
            robust_access: on(f.robust_buffer_access),
        };
        let dynamic_rendering_extension = ext(RENDERING);
        if !on(c.rendering.dynamic_rendering) {
            return Err(BackendError::Driver(
                "the Vulkan driver lacks VK_KHR_dynamic_rendering".into(),
            ));
        }
        if version < vk::API_VERSION_1_2 && !ext(DS_RESOLVE) {
            return Err(BackendError::Driver(
                "the Vulkan driver lacks VK_KHR_depth_stencil_resolve".into(),
            ));
        }
        for name in lacking {
            if !has.lose(name) {
                return Err(BackendError::Driver(format!("{name} is no feature")));
            }
        }
        let mut extensions: Vec<&'static CStr> = Vec::new();
        let mut add = |wanted: bool, name: &'static CStr| {
            if wanted && ext(name) {
                extensions.push(name);
            }
        };
        // Where it is listed, it must be on.
        add(true, ash::khr::portability_subset::NAME);
        add(true, RENDERING);
        add(version < vk::API_VERSION_1_2, DS_RESOLVE);
        add(version < vk::API_VERSION_1_2, RENDERPASS2);
        add(version < vk::API_VERSION_1_2, ash::khr::multiview::NAME);
        add(has.depth_clip_control, CLIP_CONTROL);
        add(has.depth_clip_enable, CLIP_ENABLE);
        add(has.custom_border_color, BORDER);
        add(
            has.border_color_swizzle && has.custom_border_color,
            BORDER_SWIZZLE,
        );
        add(has.dynamic_state, DYNAMIC);
        add(has.dynamic_state, DYNAMIC2);
        add(has.transform_feedback, XFB);
        add(has.provoking_vertex_last, PROVOKING);
        add(has.bresenham_lines || has.smooth_lines, LINES);
        add(has.index_u8, INDEX_U8);
        add(has.list_restart, RESTART);
        add(has.vertex_divisor, DIVISOR);
        add(has.primitives_generated, GENERATED);
        add(has.non_seamless_cube, SEAMS);
        add(has.null_descriptor, ROBUST2);
        add(has.layer_output, LAYER);
        add(has.mirror_clamp, MIRROR);
        add(has.swapchain, SWAPCHAIN);
        has.border_color_swizzle &= has.custom_border_color;
        Ok(Self {
            has,
            limits: Limits {
                core: props.limits,
                xfb_buffers: xfb.max_transform_feedback_buffers,
                divisor: divisor.max_vertex_attrib_divisor.max(1),
            },
            extensions,
            version,
            driver: driver.driver_id,
            dynamic_rendering_extension,
            features: f,
        })
    }

    /// Makes the device with one queue of a family.
    ///
    /// # Errors
    ///
    /// Vulkan's.
    pub fn make(
        &self,
        instance: &Instance,
        pd: vk::PhysicalDevice,
        family: u32,
    ) -> Result<ash::Device, BackendError> {
        let h = &self.has;
        let of = vk::Bool32::from;
        let f = &self.features;
        let core = vk::PhysicalDeviceFeatures {
            robust_buffer_access: of(h.robust_access),
            full_draw_index_uint32: f.full_draw_index_uint32,
            image_cube_array: of(h.cube_array),
            independent_blend: of(h.independent_blend),
            geometry_shader: of(h.geometry),
            tessellation_shader: of(h.tessellation),
            sample_rate_shading: of(h.sample_shading),
            dual_src_blend: of(h.dual_src_blend),
            logic_op: of(h.logic_op),
            multi_draw_indirect: f.multi_draw_indirect,
            draw_indirect_first_instance: f.draw_indirect_first_instance,
            depth_clamp: of(h.depth_clamp),
            depth_bias_clamp: of(h.depth_bias_clamp),
            fill_mode_non_solid: of(h.fill_mode),
            wide_lines: of(h.wide_lines),
            large_points: of(h.large_points),
            alpha_to_one: of(h.alpha_to_one),
            multi_viewport: of(h.multi_viewport),
            sampler_anisotropy: of(h.anisotropy),
            occlusion_query_precise: of(h.occlusion_precise),
            vertex_pipeline_stores_and_atomics: 0,
            shader_tessellation_and_geometry_point_size: f
                .shader_tessellation_and_geometry_point_size,
            shader_image_gather_extended: f.shader_image_gather_extended,
            shader_uniform_buffer_array_dynamic_indexing: f
                .shader_uniform_buffer_array_dynamic_indexing,
            shader_sampled_image_array_dynamic_indexing: f
                .shader_sampled_image_array_dynamic_indexing,
            shader_clip_distance: of(h.clip_distance),
            shader_cull_distance: f.shader_cull_distance,
            shader_float64: of(h.fp64),
            ..vk::PhysicalDeviceFeatures::default()
        };
        let mut c = Chain::default();
        c.rendering.dynamic_rendering = 1;
        c.parameters.shader_draw_parameters = of(h.draw_parameters);
        c.clip_control.depth_clip_control = 1;
        c.clip_enable.depth_clip_enable = 1;
        c.border.custom_border_colors = 1;
        c.border.custom_border_color_without_format = 1;
        c.border_swizzle.border_color_swizzle = 1;
        c.border_swizzle.border_color_swizzle_from_image = 1;
        c.dynamic.extended_dynamic_state = 1;
        c.dynamic2.extended_dynamic_state2 = 1;
        c.xfb.transform_feedback = 1;
        c.provoking.provoking_vertex_last = 1;
        c.lines.bresenham_lines = of(h.bresenham_lines);
        c.lines.smooth_lines = of(h.smooth_lines);
        c.index_u8.index_type_uint8 = 1;
        c.restart.primitive_topology_list_restart = 1;
        c.divisor.vertex_attribute_instance_rate_divisor = 1;
        c.generated.primitives_generated_query = 1;
        c.seams.non_seamless_cube_map = 1;
        c.robust2.null_descriptor = 1;
        let queues = [vk::DeviceQueueCreateInfo::default()
            .queue_family_index(family)
            .queue_priorities(&[1.0])];
        let names: Vec<*const c_char> = self.extensions.iter().map(|n| n.as_ptr()).collect();
        let mut info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&names)
            .enabled_features(&core)
            .push_next(&mut c.rendering);
        if h.draw_parameters {
            info = info.push_next(&mut c.parameters);
        }
        macro_rules! switch_on {
            ($($name:expr => $field:ident),*) => {
                $( if self.extensions.contains(&$name) { info = info.push_next(&mut c.$field); } )*
            };
        }
        switch_on!(CLIP_CONTROL => clip_control, CLIP_ENABLE => clip_enable, BORDER => border,
             BORDER_SWIZZLE => border_swizzle, DYNAMIC => dynamic, DYNAMIC2 => dynamic2, XFB => xfb,
             PROVOKING => provoking, LINES => lines, INDEX_U8 => index_u8, RESTART => restart, DIVISOR => divisor,
             GENERATED => generated, SEAMS => seams, ROBUST2 => robust2);
        // SAFETY: every pointer lives until the call returns.
        unsafe { instance.raw.create_device(pd, &info, None) }
            .map_err(|e| super::instance::error("making a Vulkan device", e))
    }
}
