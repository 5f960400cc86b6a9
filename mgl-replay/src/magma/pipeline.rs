//! Pipelines: found by what they are made of, made when first drawn with, kept in a cache on disk between runs.

use super::Magma;
use super::gpu::Gpu;
use super::instance::error;
use super::state::{Flexible, blend_factor, blend_op, class_of, logic_op, topology};
use super::vertex::{InputKey, MOST};
use ash::vk;
use bytemuck::{Pod, Zeroable};
use mgl_core::handle::ShaderHandle;
use mgl_core::pipe::*;
use mgl_core::program::ShaderStage;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::path::PathBuf;

/// How lines are rasterised.
pub const LINES_DEFAULT: u32 = 0;
/// Bresenham's rule.
pub const LINES_BRESENHAM: u32 = 1;
/// Smooth.
pub const LINES_SMOOTH: u32 = 2;

/// What makes two pipelines the same.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct Key {
    /// [`super::program::Program::serial`].
    pub program: u64,
    /// Number of the variant.
    pub variant: u32,
    /// Class of topology, or the topology.
    pub topology: i32,
    /// Blending of the draw buffers, as GL has it; nothing where there is none.
    pub blend: [[u32; 8]; MAX_COLOR_ATTACHMENTS],
    /// Logic operation plus one; 0 is off.
    pub logic: u32,
    /// Polygon mode.
    pub polygon: i32,
    /// Depth is clamped.
    pub depth_clamp: u32,
    /// Clip space is GL's.
    pub minus_one_to_one: u32,
    /// The last vertex provokes.
    pub last_provokes: u32,
    /// How lines are rasterised.
    pub lines: u32,
    /// Formats of draw buffers.
    pub formats: [i32; MAX_COLOR_ATTACHMENTS],
    /// Format of depth.
    pub depth: i32,
    /// Format of stencil.
    pub stencil: i32,
    /// Draw buffers.
    pub draw_buffers: u32,
    /// Samples.
    pub samples: u32,
    /// Mask of samples.
    pub sample_mask: u32,
    /// Alpha to coverage 1, alpha to one 2, sample shading 4.
    pub multisample: u32,
    /// Smallest share of samples shaded, as bits.
    pub shading: u32,
    /// Vertices a patch.
    pub patch: u32,
    /// Viewports.
    pub viewports: u32,
    /// Zero.
    pub pad: u32,
    /// State that is not set by commands here; nothing where it is.
    pub flexible: Flexible,
    /// Attributes.
    pub inputs: [InputKey; MOST],
}

impl Default for Key {
    fn default() -> Self {
        Self::zeroed()
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, h: &mut H) {
        h.write(bytemuck::bytes_of(self));
    }
}

/// xxh3 of the bytes written last.
#[derive(Default)]
pub struct Xxh3(u64);

impl Hasher for Xxh3 {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxhash_rust::xxh3::xxh3_64_with_seed(bytes, self.0);
    }
}

/// See the module.
pub struct Pipelines {
    cache: vk::PipelineCache,
    map: HashMap<Box<Key>, vk::Pipeline, BuildHasherDefault<Xxh3>>,
    /// The key found last.
    last: Option<(Box<Key>, vk::Pipeline)>,
    /// Where the cache lies on disk.
    file: Option<PathBuf>,
    /// Pipelines made so far.
    pub made: u64,
}

/// Largest cache that is read from disk.
const MOST_BYTES: u64 = 256 << 20;

impl Pipelines {
    /// An empty set, over the cache on disk if one is given. A cache that is not this device's is not used.
    ///
    /// # Errors
    ///
    /// Vulkan's.
    pub fn new(gpu: &Gpu, file: Option<PathBuf>) -> Result<Self, BackendError> {
        let data = file
            .as_ref()
            .filter(|f| std::fs::metadata(f).is_ok_and(|m| m.len() <= MOST_BYTES))
            .and_then(|f| std::fs::read(f).ok())
            .filter(|d| is_of(gpu, d))
            .unwrap_or_default();
        let info = vk::PipelineCacheCreateInfo::default().initial_data(&data);
        // SAFETY: the data lives until the call returns; drivers check it.
        let cache = unsafe { gpu.device.create_pipeline_cache(&info, None) }
            .map_err(|e| error("a pipeline cache", e))?;
        Ok(Self {
            cache,
            map: HashMap::default(),
            last: None,
            file,
            made: 0,
        })
    }

    /// Takes the pipelines of a program out.
    pub fn forget(&mut self, program: u64) -> Vec<vk::Pipeline> {
        self.last = None;
        let mut gone = Vec::new();
        self.map.retain(|k, p| {
            let keep = k.program != program;
            if !keep {
                gone.push(*p);
            }
            keep
        });
        gone
    }

    /// Writes the cache to disk and ends everything; the GPU is done.
    pub fn end(&mut self, gpu: &Gpu) {
        // SAFETY: the cache lives.
        if let (Some(file), Ok(data), true) = (
            &self.file,
            unsafe { gpu.device.get_pipeline_cache_data(self.cache) },
            self.made > 0,
        ) {
            write_whole(file, &data);
        }
        // SAFETY: nothing is in use.
        unsafe {
            for (_, p) in self.map.drain() {
                gpu.device.destroy_pipeline(p, None);
            }
            gpu.device.destroy_pipeline_cache(self.cache, None);
        }
        self.last = None;
    }
}

/// Whether a cache's header names this device (Vulkan, VkPipelineCacheHeaderVersionOne).
fn is_of(gpu: &Gpu, data: &[u8]) -> bool {
    let word = |at: usize| {
        data.get(at..at + 4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    };
    let p = &gpu.properties;
    word(4) == Some(1)
        && word(8) == Some(p.vendor_id)
        && word(12) == Some(p.device_id)
        && data.get(16..32) == Some(&p.pipeline_cache_uuid[..])
}

/// Replaces a file as a whole. A cache that cannot be written is done without.
fn write_whole(file: &std::path::Path, data: &[u8]) {
    let Some(folder) = file.parent() else { return };
    if std::fs::create_dir_all(folder).is_err() {
        return;
    }
    let part = file.with_extension(format!("part-{}", std::process::id()));
    if std::fs::write(&part, data).is_ok() && std::fs::rename(&part, file).is_ok() {
        return;
    }
    let _ = std::fs::remove_file(&part);
}

/// Where the pipeline cache of a device lies: in the user's cache folder (XDG base directories).
pub fn cache_file(gpu: &Gpu) -> Option<PathBuf> {
    let set = |name: &str| {
        std::env::var_os(name)
            .filter(|v| !v.is_empty())
            .map(PathBuf::from)
    };
    let folder = set("XDG_CACHE_HOME")
        .filter(|p| p.is_absolute())
        .or_else(|| set("HOME").map(|h| h.join(".cache")))?;
    let id: String = gpu
        .properties
        .pipeline_cache_uuid
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    Some(folder.join("mgl").join(format!("pipelines-{id}.bin")))
}

impl Magma {
    /// The pipeline of a key, made now if it is new.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] for stages that the device lacks, [`BackendError::OutOfMemory`].
    pub(super) fn pipeline(
        &mut self,
        h: ShaderHandle,
        key: &Key,
    ) -> Result<vk::Pipeline, BackendError> {
        if let Some((last, p)) = &self.pipelines.last
            && **last == *key
        {
            return Ok(*p);
        }
        let found = self.pipelines.map.get(key).copied();
        let p = match found {
            Some(p) => p,
            None => {
                let p = self.make_pipeline(h, key)?;
                self.pipelines.map.insert(Box::new(*key), p);
                self.pipelines.made += 1;
                p
            }
        };
        match &mut self.pipelines.last {
            Some(last) => {
                *last.0 = *key;
                last.1 = p;
            }
            none => *none = Some((Box::new(*key), p)),
        }
        Ok(p)
    }

    #[allow(clippy::too_many_lines)] // one struct of Vulkan's after the other
    fn make_pipeline(&mut self, h: ShaderHandle, key: &Key) -> Result<vk::Pipeline, BackendError> {
        let gpu = &self.gpu;
        let has = &gpu.has;
        let program = self
            .obj
            .programs
            .get_mut(h)
            .map_err(|e| BackendError::Driver(e.to_string()))?;
        let variant = program
            .variants
            .get(key.variant as usize)
            .copied()
            .unwrap_or_default();
        let mut stages: Vec<vk::PipelineShaderStageCreateInfo<'_>> = Vec::new();
        let wanted = [
            (ShaderStage::Vertex, vk::ShaderStageFlags::VERTEX),
            (
                ShaderStage::TessControl,
                vk::ShaderStageFlags::TESSELLATION_CONTROL,
            ),
            (
                ShaderStage::TessEval,
                vk::ShaderStageFlags::TESSELLATION_EVALUATION,
            ),
            (ShaderStage::Geometry, vk::ShaderStageFlags::GEOMETRY),
            (ShaderStage::Fragment, vk::ShaderStageFlags::FRAGMENT),
        ];
        for (stage, flag) in wanted {
            if let Some(module) = program.module(gpu, stage, &variant)? {
                stages.push(
                    vk::PipelineShaderStageCreateInfo::default()
                        .stage(flag)
                        .module(module)
                        .name(c"main"),
                );
            }
        }
        let mut attributes = Vec::new();
        let mut bindings = Vec::new();
        let mut divisors = Vec::new();
        for (i, k) in key
            .inputs
            .iter()
            .take_while(|k| k.location != 0)
            .enumerate()
        {
            attributes.push(vk::VertexInputAttributeDescription {
                location: k.location - 1,
                binding: i as u32,
                format: vk::Format::from_raw(k.format),
                offset: 0,
            });
            bindings.push(vk::VertexInputBindingDescription {
                binding: i as u32,
                stride: k.stride,
                input_rate: if k.divisor == 0 {
                    vk::VertexInputRate::VERTEX
                } else {
                    vk::VertexInputRate::INSTANCE
                },
            });
            if k.divisor > 1 {
                divisors.push(vk::VertexInputBindingDivisorDescriptionEXT {
                    binding: i as u32,
                    divisor: k.divisor,
                });
            }
        }
        let mut divisor = vk::PipelineVertexInputDivisorStateCreateInfoEXT::default()
            .vertex_binding_divisors(&divisors);
        let mut input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_attribute_descriptions(&attributes)
            .vertex_binding_descriptions(&bindings);
        if !divisors.is_empty() {
            input = input.push_next(&mut divisor);
        }
        let f = &key.flexible;
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(vk::PrimitiveTopology::from_raw(key.topology))
            .primitive_restart_enable(f.restart != 0);
        let tessellation = vk::PipelineTessellationStateCreateInfo::default()
            .patch_control_points(key.patch.max(1));
        let mut clip = vk::PipelineViewportDepthClipControlCreateInfoEXT::default()
            .negative_one_to_one(key.minus_one_to_one != 0);
        let mut viewport = vk::PipelineViewportStateCreateInfo::default()
            .viewport_count(key.viewports)
            .scissor_count(key.viewports);
        if has.depth_clip_control {
            viewport = viewport.push_next(&mut clip);
        }
        let mut provoking = vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT::default()
            .provoking_vertex_mode(vk::ProvokingVertexModeEXT::LAST_VERTEX);
        let mut lines = vk::PipelineRasterizationLineStateCreateInfoEXT::default()
            .line_rasterization_mode(if key.lines == LINES_SMOOTH {
                vk::LineRasterizationModeEXT::RECTANGULAR_SMOOTH
            } else {
                vk::LineRasterizationModeEXT::BRESENHAM
            });
        let mut raster = vk::PipelineRasterizationStateCreateInfo::default()
            .depth_clamp_enable(key.depth_clamp != 0)
            .rasterizer_discard_enable(f.discard != 0)
            .polygon_mode(vk::PolygonMode::from_raw(key.polygon))
            .cull_mode(vk::CullModeFlags::from_raw(f.cull))
            .front_face(vk::FrontFace::from_raw(f.front))
            .depth_bias_enable(f.bias != 0)
            .line_width(1.0);
        if key.last_provokes != 0 {
            raster = raster.push_next(&mut provoking);
        }
        if key.lines != LINES_DEFAULT {
            raster = raster.push_next(&mut lines);
        }
        let mask = [key.sample_mask];
        let multisample = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(super::images::sample_flag(key.samples))
            .sample_shading_enable(key.multisample & 4 != 0)
            .min_sample_shading(f32::from_bits(key.shading))
            .sample_mask(&mask)
            .alpha_to_coverage_enable(key.multisample & 1 != 0)
            .alpha_to_one_enable(key.multisample & 2 != 0);
        let face = |s: &[i32; 4]| vk::StencilOpState {
            fail_op: vk::StencilOp::from_raw(s[1]),
            pass_op: vk::StencilOp::from_raw(s[3]),
            depth_fail_op: vk::StencilOp::from_raw(s[2]),
            compare_op: vk::CompareOp::from_raw(s[0]),
            ..vk::StencilOpState::default()
        };
        let depth = vk::PipelineDepthStencilStateCreateInfo::default()
            .depth_test_enable(f.depth_test != 0)
            .depth_write_enable(f.depth_write != 0)
            .depth_compare_op(vk::CompareOp::from_raw(f.depth_func))
            .stencil_test_enable(f.stencil_test != 0)
            .front(face(&f.stencil[0]))
            .back(face(&f.stencil[1]));
        let targets: Vec<vk::PipelineColorBlendAttachmentState> = key
            .blend
            .iter()
            .take(key.draw_buffers as usize)
            .map(|b| {
                let b: BlendTarget = bytemuck::cast(*b);
                vk::PipelineColorBlendAttachmentState {
                    blend_enable: b.enable.get().into(),
                    src_color_blend_factor: blend_factor(b.src_color),
                    dst_color_blend_factor: blend_factor(b.dst_color),
                    color_blend_op: blend_op(b.eq_color),
                    src_alpha_blend_factor: blend_factor(b.src_alpha),
                    dst_alpha_blend_factor: blend_factor(b.dst_alpha),
                    alpha_blend_op: blend_op(b.eq_alpha),
                    color_write_mask: vk::ColorComponentFlags::from_raw(b.mask.0 & 0xF),
                }
            })
            .collect();
        let logic = LogicOp(key.logic.saturating_sub(1));
        let blend = vk::PipelineColorBlendStateCreateInfo::default()
            .logic_op_enable(key.logic != 0)
            .logic_op(logic_op(logic))
            .attachments(&targets);
        let mut dynamic = vec![
            vk::DynamicState::VIEWPORT,
            vk::DynamicState::SCISSOR,
            vk::DynamicState::LINE_WIDTH,
            vk::DynamicState::DEPTH_BIAS,
            vk::DynamicState::BLEND_CONSTANTS,
            vk::DynamicState::STENCIL_COMPARE_MASK,
            vk::DynamicState::STENCIL_WRITE_MASK,
            vk::DynamicState::STENCIL_REFERENCE,
        ];
        if has.dynamic_state {
            dynamic.extend([
                vk::DynamicState::CULL_MODE,
                vk::DynamicState::FRONT_FACE,
                vk::DynamicState::PRIMITIVE_TOPOLOGY,
                vk::DynamicState::DEPTH_TEST_ENABLE,
                vk::DynamicState::DEPTH_WRITE_ENABLE,
                vk::DynamicState::DEPTH_COMPARE_OP,
                vk::DynamicState::STENCIL_TEST_ENABLE,
                vk::DynamicState::STENCIL_OP,
                vk::DynamicState::RASTERIZER_DISCARD_ENABLE,
                vk::DynamicState::DEPTH_BIAS_ENABLE,
                vk::DynamicState::PRIMITIVE_RESTART_ENABLE,
            ]);
        }
        // Strides are set with the buffers, and a program without attributes has none.
        if has.dynamic_state && !bindings.is_empty() {
            dynamic.push(vk::DynamicState::VERTEX_INPUT_BINDING_STRIDE);
        }
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic);
        let formats: Vec<vk::Format> = key.formats[..key.draw_buffers as usize]
            .iter()
            .map(|f| vk::Format::from_raw(*f))
            .collect();
        let mut rendering = vk::PipelineRenderingCreateInfo::default()
            .color_attachment_formats(&formats)
            .depth_attachment_format(vk::Format::from_raw(key.depth))
            .stencil_attachment_format(vk::Format::from_raw(key.stencil));
        let info = [vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .tessellation_state(&tessellation)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&multisample)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(program.layout)
            .push_next(&mut rendering)];
        // SAFETY: every struct of the chain lives until the call returns.
        let made = unsafe {
            gpu.device
                .create_graphics_pipelines(self.pipelines.cache, &info, None)
        };
        match made {
            Ok(p) => Ok(p[0]),
            Err((_, e)) => Err(error("a pipeline", e)),
        }
    }
}

/// The topology part of a key.
pub fn topology_key(mode: Primitive, dynamic: bool) -> i32 {
    let t = topology(mode);
    if dynamic { class_of(t) } else { t }.as_raw()
}
