//! The only module that calls glslang: parse one shader, link the shaders of a program, generate
//! SPIR-V a stage (design page 5.4). What it exports is safe.
//!
//! glslang runs with the relaxed Vulkan rules, so that plain uniforms become members of one default
//! block. Its own binding and location mapper is never run: decorations in the SPIR-V are exactly
//! those that the source gives, and the linker adds the rest.

use super::limits::ShaderLimits;
use glslang_sys as sys;
use mgl_core::program::ShaderStage;
use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr::NonNull;
use std::sync::OnceLock;

/// Name that the default block's type has in the SPIR-V.
pub const DEFAULT_BLOCK_NAME: &str = "mgl_DefaultBlock";

/// What the shader is parsed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The real road: relaxed Vulkan rules, SPIR-V 1.3.
    Relaxed,
    /// OpenGL rules, which keep uniform initialisers as constants of the SPIR-V's variables.
    OpenGl,
}

impl Target {
    fn messages(self) -> sys::glslang_messages_t {
        let rules = match self {
            Target::Relaxed => sys::glslang_messages_t::VULKAN_RULES,
            Target::OpenGl => sys::glslang_messages_t::DEFAULT,
        };
        sys::glslang_messages_t::SPV_RULES | rules
    }
}

/// A shader that glslang has parsed without error.
pub struct ParsedShader {
    shader: NonNull<sys::glslang_shader_t>,
    stage: ShaderStage,
    target: Target,
}

// SAFETY: a glslang shader owns its tree and memory pool; it has no thread affinity as long as one
// thread uses it at a time, which `&mut` and ownership give.
unsafe impl Send for ParsedShader {}

impl Drop for ParsedShader {
    fn drop(&mut self) {
        // SAFETY: the pointer came from glslang_shader_create and is deleted once.
        unsafe { sys::glslang_shader_delete(self.shader.as_ptr()) }
    }
}

/// SPIR-V of a linked program, a stage each, in pipeline order.
pub type StageWords = Vec<(ShaderStage, Vec<u32>)>;

fn stage_number(stage: ShaderStage) -> sys::glslang_stage_t {
    match stage {
        ShaderStage::Vertex => sys::glslang_stage_t::Vertex,
        ShaderStage::TessControl => sys::glslang_stage_t::TesselationControl,
        ShaderStage::TessEval => sys::glslang_stage_t::TesselationEvaluation,
        ShaderStage::Geometry => sys::glslang_stage_t::Geometry,
        ShaderStage::Fragment => sys::glslang_stage_t::Fragment,
        ShaderStage::Compute => sys::glslang_stage_t::Compute,
    }
}

fn ensure_started() {
    static STARTED: OnceLock<()> = OnceLock::new();
    STARTED.get_or_init(|| {
        // SAFETY: called once; the process-wide tables then live as long as the process, because
        // finalize is never called.
        unsafe { sys::glslang_initialize_process() };
    });
}

/// Copies a log that glslang owns.
///
/// # Safety
/// `text` is null or a NUL-terminated string that stays valid during the call.
unsafe fn copy_log(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}

/// Parses one shader of preprocessed and translated GLSL, which starts with its `#version`. On
/// failure gives glslang's log, whose line numbers count from the first line of `source`.
pub fn parse(
    stage: ShaderStage,
    source: &str,
    target: Target,
    limits: &ShaderLimits,
) -> Result<(ParsedShader, String), String> {
    ensure_started();
    let code =
        CString::new(source).map_err(|_| "ERROR: 0:1: NUL character in source\n".to_owned())?;
    let block_name = CString::new(DEFAULT_BLOCK_NAME).expect("the name has no NUL");
    let resource = resource(limits);
    let (client, client_version, language_version) = match target {
        Target::Relaxed => (
            sys::glslang_client_t::Vulkan,
            sys::glslang_target_client_version_t::Vulkan1_1,
            sys::glslang_target_language_version_t::SPIRV1_3,
        ),
        Target::OpenGl => (
            sys::glslang_client_t::OpenGL,
            sys::glslang_target_client_version_t::OpenGL450,
            sys::glslang_target_language_version_t::SPIRV1_0,
        ),
    };
    let input = sys::glslang_input_t {
        language: sys::glslang_source_t::GLSL,
        stage: stage_number(stage),
        client,
        client_version,
        target_language: sys::glslang_target_language_t::SPIRV,
        target_language_version: language_version,
        code: code.as_ptr(),
        default_version: 330,
        default_profile: sys::glslang_profile_t::Core,
        force_default_version_and_profile: 0,
        forward_compatible: 0,
        messages: target.messages(),
        resource: &resource,
        callbacks: sys::glsl_include_callbacks_t {
            include_system: None,
            include_local: None,
            free_include_result: None,
        },
        callbacks_ctx: std::ptr::null_mut(),
    };
    let options = sys::glslang_shader_options_t::AUTO_MAP_BINDINGS
        | sys::glslang_shader_options_t::AUTO_MAP_LOCATIONS
        | match target {
            Target::Relaxed => sys::glslang_shader_options_t::VULKAN_RULES_RELAXED,
            Target::OpenGl => sys::glslang_shader_options_t::DEFAULT,
        };

    // SAFETY: `input` and the strings that it points to outlive every call in this block; the
    // shader copies the code (set_preprocessed_code) and the block's name, so that nothing dangles
    // when they go; the shader pointer is checked before use.
    unsafe {
        let shader = NonNull::new(sys::glslang_shader_create(&input))
            .ok_or_else(|| "ERROR: the shader compiler is out of memory\n".to_owned())?;
        let parsed = ParsedShader {
            shader,
            stage,
            target,
        };
        let raw = shader.as_ptr();
        sys::glslang_shader_set_options(raw, options.0);
        sys::glslang_shader_set_default_uniform_block_name(raw, block_name.as_ptr());
        sys::glslang_shader_set_default_uniform_block_set_and_binding(raw, 0, 0);
        sys::glslang_shader_set_preprocessed_code(raw, code.as_ptr());
        let ok = sys::glslang_shader_parse(raw, &input) != 0;
        let log = copy_log(sys::glslang_shader_get_info_log(raw));
        if ok { Ok((parsed, log)) } else { Err(log) }
    }
}

/// Links parsed shaders (any number a stage, all for the same target) into one program and
/// generates each stage. Consumes the shaders: linking changes their trees. Gives glslang's log with
/// the result or as the error.
pub fn link(shaders: Vec<ParsedShader>) -> Result<(StageWords, String), String> {
    struct Program(NonNull<sys::glslang_program_t>);
    impl Drop for Program {
        fn drop(&mut self) {
            // SAFETY: the pointer came from glslang_program_create and is deleted once.
            unsafe { sys::glslang_program_delete(self.0.as_ptr()) }
        }
    }

    let Some(first) = shaders.first() else {
        return Ok((Vec::new(), String::new()));
    };
    let target = first.target;
    assert!(
        shaders.iter().all(|s| s.target == target),
        "a program has one target"
    );
    let mut stages: Vec<ShaderStage> = shaders.iter().map(|s| s.stage).collect();
    stages.sort_unstable();
    stages.dedup();

    // SAFETY: the shaders live until this function returns, after the program (declared later, so
    // dropped earlier) is gone; pointers handed out by the program are copied before the next call.
    unsafe {
        let program = Program(
            NonNull::new(sys::glslang_program_create())
                .ok_or_else(|| "ERROR: the shader linker is out of memory\n".to_owned())?,
        );
        let raw = program.0.as_ptr();
        for shader in &shaders {
            sys::glslang_program_add_shader(raw, shader.shader.as_ptr());
        }
        let linked = sys::glslang_program_link(raw, target.messages().0) != 0;
        let log = copy_log(sys::glslang_program_get_info_log(raw));
        if !linked {
            return Err(log);
        }
        let mut options = sys::glslang_spv_options_t {
            generate_debug_info: false,
            strip_debug_info: false,
            disable_optimizer: true,
            optimize_size: false,
            optimize_performance: false,
            disassemble: false,
            validate: false,
            emit_nonsemantic_shader_debug_info: false,
            emit_nonsemantic_shader_debug_source: false,
            compile_only: false,
            optimize_allow_expanded_id_bound: false,
            compiler_signature: std::ptr::null(),
            command_line_arguments: std::ptr::null(),
            current_working_directory: std::ptr::null(),
        };
        let mut words = Vec::with_capacity(stages.len());
        for stage in stages {
            sys::glslang_program_SPIRV_generate_with_options(
                raw,
                stage_number(stage),
                &mut options,
            );
            let len = sys::glslang_program_SPIRV_get_size(raw);
            let mut code = vec![0u32; len];
            sys::glslang_program_SPIRV_get(raw, code.as_mut_ptr());
            let messages = copy_log(sys::glslang_program_SPIRV_get_messages(raw));
            if len == 0 {
                return Err(format!(
                    "{log}{messages}ERROR: no code for the {} stage\n",
                    stage.name()
                ));
            }
            words.push((stage, code));
        }
        Ok((words, log))
    }
}

fn resource(limits: &ShaderLimits) -> sys::glslang_resource_t {
    let int = |n: u32| c_int::try_from(n).unwrap_or(c_int::MAX);
    // SAFETY: the struct is plain integers and booleans; all-zero is a value of it (0 is false).
    let mut r: sys::glslang_resource_t = unsafe { std::mem::zeroed() };
    let vectors = |components: u32| int(components / 4);
    r.max_lights = 8;
    r.max_clip_planes = int(limits.clip_distances);
    r.max_texture_units = 8;
    r.max_texture_coords = 8;
    r.max_vertex_attribs = int(limits.vertex_attribs);
    r.max_vertex_uniform_components = int(limits.uniform_components);
    r.max_varying_floats = int(limits.varying_components);
    r.max_vertex_texture_image_units = int(limits.vertex_samplers);
    r.max_combined_texture_image_units = int(limits.combined_samplers);
    r.max_texture_image_units = int(limits.fragment_samplers);
    r.max_fragment_uniform_components = int(limits.uniform_components);
    r.max_draw_buffers = int(limits.draw_buffers);
    r.max_vertex_uniform_vectors = vectors(limits.uniform_components);
    r.max_varying_vectors = vectors(limits.varying_components);
    r.max_fragment_uniform_vectors = vectors(limits.uniform_components);
    r.max_vertex_output_vectors = 16;
    r.max_fragment_input_vectors = 15;
    r.min_program_texel_offset = limits.min_texel_offset;
    r.max_program_texel_offset = limits.max_texel_offset;
    r.max_clip_distances = int(limits.clip_distances);
    r.max_compute_work_group_count_x = 65535;
    r.max_compute_work_group_count_y = 65535;
    r.max_compute_work_group_count_z = 65535;
    r.max_compute_work_group_size_x = 1024;
    r.max_compute_work_group_size_y = 1024;
    r.max_compute_work_group_size_z = 64;
    r.max_compute_uniform_components = int(limits.uniform_components);
    r.max_compute_texture_image_units = 16;
    r.max_compute_image_uniforms = 8;
    r.max_compute_atomic_counters = 8;
    r.max_compute_atomic_counter_buffers = 8;
    r.max_varying_components = int(limits.varying_components);
    r.max_vertex_output_components = 64;
    r.max_geometry_input_components = 64;
    r.max_geometry_output_components = 128;
    r.max_fragment_input_components = 128;
    r.max_image_units = 8;
    r.max_combined_image_units_and_fragment_outputs = 8;
    r.max_combined_shader_output_resources = 16;
    r.max_image_samples = 0;
    r.max_fragment_image_uniforms = 8;
    r.max_combined_image_uniforms = 8;
    r.max_geometry_texture_image_units = int(limits.geometry_samplers);
    r.max_geometry_output_vertices = int(limits.geometry_output_vertices);
    r.max_geometry_total_output_components = int(limits.geometry_total_output_components);
    r.max_geometry_uniform_components = int(limits.uniform_components);
    r.max_geometry_varying_components = 64;
    r.max_tess_control_input_components = 128;
    r.max_tess_control_output_components = 128;
    r.max_tess_control_texture_image_units = 16;
    r.max_tess_control_uniform_components = int(limits.uniform_components);
    r.max_tess_control_total_output_components = 4096;
    r.max_tess_evaluation_input_components = 128;
    r.max_tess_evaluation_output_components = 128;
    r.max_tess_evaluation_texture_image_units = 16;
    r.max_tess_evaluation_uniform_components = int(limits.uniform_components);
    r.max_tess_patch_components = 120;
    r.max_patch_vertices = 32;
    r.max_tess_gen_level = 64;
    r.max_viewports = int(limits.viewports);
    r.max_fragment_atomic_counters = 8;
    r.max_combined_atomic_counters = 8;
    r.max_atomic_counter_bindings = 8;
    r.max_fragment_atomic_counter_buffers = 8;
    r.max_combined_atomic_counter_buffers = 8;
    r.max_atomic_counter_buffer_size = 16384;
    r.max_transform_feedback_buffers = int(limits.xfb_buffers);
    r.max_transform_feedback_interleaved_components = int(limits.xfb_interleaved_components);
    r.max_cull_distances = int(limits.clip_distances);
    r.max_combined_clip_and_cull_distances = int(limits.clip_distances);
    r.max_samples = int(limits.samples);
    r.__bindgen_anon_1.maxDualSourceDrawBuffersEXT = int(limits.dual_source_draw_buffers);
    r.limits = sys::glslang_limits_t::default();
    r
}
