//! Draws of Magma's own over one slice of an image, with the shaders of [`super::internal`]: fills under
//! masks, and blits that vkCmdBlitImage has no words for. They count in no query and are captured by
//! nothing.

use super::Magma;
use super::context::Bound;
use super::gpu::Gpu;
use super::images::{IDENTITY, ViewKey, sample_flag};
use super::instance::error;
use super::internal::{BlitConstants, CONSTANTS_BYTES, FillConstants, Shader, Source, Values};
use super::program::set_layout;
use super::recorder::Garbage;
use super::targets::Slice;
use crate::depth_unit::AS_READ;
use ash::vk;
use mgl_core::pipe::BackendError;

/// What a draw writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// Components of a colour, as bits of a colour mask.
    Color(u32),
    /// Depth.
    Depth,
    /// Bits of the stencil value.
    Stencil {
        /// Which bits.
        mask: u32,
        /// Their values.
        value: u32,
    },
}

/// What makes two pipelines the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key {
    shader: Option<Shader>,
    format: vk::Format,
    samples: u32,
    /// Which samples are written.
    mask: u64,
    /// Of colours: the mask. 16 for depth, 32 for stencil.
    writes: u32,
}

/// Pipelines and what they are made of; made when first drawn with.
#[derive(Default)]
pub struct Painter {
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    /// Nearest and linear.
    samplers: [vk::Sampler; 2],
    pipelines: Vec<(Key, vk::Pipeline)>,
    /// Pipelines made so far.
    pub made: u64,
}

impl Painter {
    /// Takes everything out.
    pub fn take(&mut self) -> Vec<Garbage> {
        let old = std::mem::take(self);
        self.made = old.made;
        let pipelines = old.pipelines.into_iter().map(|p| Garbage::Pipeline(p.1));
        pipelines
            .chain(old.samplers.map(Garbage::Sampler))
            .chain([
                Garbage::PipelineLayout(old.layout),
                Garbage::SetLayout(old.set_layout),
            ])
            .collect()
    }

    /// Makes what all pipelines share. What was made before an error stays, and ends with the rest.
    fn prepare(&mut self, gpu: &Gpu) -> Result<(), BackendError> {
        if self.set_layout == vk::DescriptorSetLayout::null() {
            let binding = [vk::DescriptorSetLayoutBinding::default()
                .binding(0)
                .descriptor_type(vk::DescriptorType::COMBINED_IMAGE_SAMPLER)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::FRAGMENT)];
            self.set_layout = set_layout(gpu, &binding)?;
        }
        if self.layout == vk::PipelineLayout::null() {
            let sets = [self.set_layout];
            let ranges = [vk::PushConstantRange {
                stage_flags: STAGES,
                offset: 0,
                size: CONSTANTS_BYTES,
            }];
            let info = vk::PipelineLayoutCreateInfo::default()
                .set_layouts(&sets)
                .push_constant_ranges(&ranges);
            // SAFETY: the set layout lives, and the lists live until the call returns.
            self.layout = unsafe { gpu.device.create_pipeline_layout(&info, None) }
                .map_err(|e| error("a pipeline layout", e))?;
        }
        for (at, filter) in [vk::Filter::NEAREST, vk::Filter::LINEAR]
            .into_iter()
            .enumerate()
        {
            if self.samplers[at] != vk::Sampler::null() {
                continue;
            }
            let edge = vk::SamplerAddressMode::CLAMP_TO_EDGE;
            let info = vk::SamplerCreateInfo::default()
                .mag_filter(filter)
                .min_filter(filter)
                .address_mode_u(edge)
                .address_mode_v(edge)
                .address_mode_w(edge);
            // SAFETY: the struct lives until the call returns.
            self.samplers[at] = unsafe { gpu.device.create_sampler(&info, None) }
                .map_err(|e| error("a sampler", e))?;
        }
        Ok(())
    }

    fn pipeline(&mut self, gpu: &Gpu, key: Key) -> Result<vk::Pipeline, BackendError> {
        if let Some(found) = self.pipelines.iter().find(|p| p.0 == key) {
            return Ok(found.1);
        }
        let made = make(gpu, self.layout, &key)?;
        self.pipelines.push((key, made));
        self.made += 1;
        Ok(made)
    }
}

/// Stages that read the push constants.
const STAGES: vk::ShaderStageFlags = vk::ShaderStageFlags::from_raw(
    vk::ShaderStageFlags::VERTEX.as_raw() | vk::ShaderStageFlags::FRAGMENT.as_raw(),
);
/// [`Key::writes`] of depth and stencil.
const DEPTH: u32 = 16;
const STENCIL: u32 = 32;

fn module(gpu: &Gpu, shader: Shader) -> Result<vk::ShaderModule, BackendError> {
    let words = shader.get().words();
    let info = vk::ShaderModuleCreateInfo::default().code(&words);
    // SAFETY: the words are valid SPIR-V (a test says so) and live until the call returns.
    unsafe { gpu.device.create_shader_module(&info, None) }.map_err(|e| error("a shader module", e))
}

fn make(gpu: &Gpu, layout: vk::PipelineLayout, key: &Key) -> Result<vk::Pipeline, BackendError> {
    let vertex = module(gpu, Shader::Triangle)?;
    let fragment = key.shader.map(|s| module(gpu, s)).transpose();
    let made = fragment
        .as_ref()
        .map_err(Clone::clone)
        .and_then(|f| assemble(gpu, layout, key, vertex, *f));
    // SAFETY: pipelines do not need their modules any more.
    unsafe {
        gpu.device.destroy_shader_module(vertex, None);
        if let Ok(Some(f)) = fragment {
            gpu.device.destroy_shader_module(f, None);
        }
    }
    made
}

fn assemble(
    gpu: &Gpu,
    layout: vk::PipelineLayout,
    key: &Key,
    vertex: vk::ShaderModule,
    fragment: Option<vk::ShaderModule>,
) -> Result<vk::Pipeline, BackendError> {
    let stage = |flag, module| {
        vk::PipelineShaderStageCreateInfo::default()
            .stage(flag)
            .module(module)
            .name(c"main")
    };
    let mut stages = vec![stage(vk::ShaderStageFlags::VERTEX, vertex)];
    stages.extend(fragment.map(|f| stage(vk::ShaderStageFlags::FRAGMENT, f)));
    let input = vk::PipelineVertexInputStateCreateInfo::default();
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
        .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let viewport = vk::PipelineViewportStateCreateInfo::default()
        .viewport_count(1)
        .scissor_count(1);
    let raster = vk::PipelineRasterizationStateCreateInfo::default()
        .polygon_mode(vk::PolygonMode::FILL)
        .line_width(1.0);
    let mask = [key.mask as u32, (key.mask >> 32) as u32];
    let multisample = vk::PipelineMultisampleStateCreateInfo::default()
        .rasterization_samples(sample_flag(key.samples))
        .sample_mask(&mask);
    let replace = vk::StencilOpState {
        fail_op: vk::StencilOp::REPLACE,
        pass_op: vk::StencilOp::REPLACE,
        depth_fail_op: vk::StencilOp::REPLACE,
        compare_op: vk::CompareOp::ALWAYS,
        compare_mask: 0xFF,
        ..vk::StencilOpState::default()
    };
    let depth = vk::PipelineDepthStencilStateCreateInfo::default()
        .depth_test_enable(key.writes == DEPTH)
        .depth_write_enable(key.writes == DEPTH)
        .depth_compare_op(vk::CompareOp::ALWAYS)
        .stencil_test_enable(key.writes == STENCIL)
        .front(replace)
        .back(replace);
    let color = key.writes < DEPTH;
    let target = [vk::PipelineColorBlendAttachmentState::default()
        .color_write_mask(vk::ColorComponentFlags::from_raw(key.writes & 0xF))];
    let formats = [key.format];
    let count = usize::from(color);
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&target[..count]);
    let dynamic = [
        vk::DynamicState::VIEWPORT,
        vk::DynamicState::SCISSOR,
        vk::DynamicState::STENCIL_WRITE_MASK,
        vk::DynamicState::STENCIL_REFERENCE,
    ];
    let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic);
    let mut rendering =
        vk::PipelineRenderingCreateInfo::default().color_attachment_formats(&formats[..count]);
    match key.writes {
        DEPTH => rendering = rendering.depth_attachment_format(key.format),
        STENCIL => rendering = rendering.stencil_attachment_format(key.format),
        _ => {}
    }
    let info = [vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&raster)
        .multisample_state(&multisample)
        .depth_stencil_state(&depth)
        .color_blend_state(&blend)
        .dynamic_state(&dynamic)
        .layout(layout)
        .push_next(&mut rendering)];
    // SAFETY: every struct of the chain lives until the call returns.
    let made = unsafe {
        gpu.device
            .create_graphics_pipelines(vk::PipelineCache::null(), &info, None)
    };
    match made {
        Ok(p) => Ok(p[0]),
        Err((_, e)) => Err(error("a pipeline", e)),
    }
}

/// What a draw reads.
pub struct Input {
    pub slice: Slice,
    pub source: Source,
    pub aspects: vk::ImageAspectFlags,
    pub format: vk::Format,
    pub linear: bool,
}

/// Which samples are read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Samples {
    /// Each goes to its like, and a single one to all.
    Like,
    /// One of several is read, exactly.
    From(u32),
    /// Those of a mask are written, exactly, with an alpha that a format hides.
    To(u64),
}

/// A blit by drawing. Corners count in the images' own rows.
#[derive(Debug, Clone, Copy)]
pub struct Drawn {
    /// Source: a slice of another image than the target's, single-sampled or with as many samples, unless one is read.
    pub from: Slice,
    /// Target, of any number of samples.
    pub to: Slice,
    /// Corners of the source: x and y of the first, then of the second.
    pub src: [i32; 4],
    /// Corners of the target that they go to.
    pub dst: [i32; 4],
    /// Pixels of the target that may be written.
    pub visible: vk::Rect2D,
    /// Colours are filtered.
    pub linear: bool,
    /// Values are taken as they are stored, without sRGB conversions.
    pub raw: bool,
    /// Samples.
    pub samples: Samples,
}

impl Magma {
    /// Writes a value to some components of the pixels of a rectangle.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`], and Vulkan's.
    pub(super) fn fill(
        &mut self,
        to: &Slice,
        srgb: bool,
        rect: vk::Rect2D,
        paint: Paint,
        value: [u32; 4],
    ) -> Result<(), BackendError> {
        let constants = FillConstants {
            value,
            ..FillConstants::default()
        };
        let shader = match paint {
            Paint::Color(_) => Shader::fill(Values::of(to.plan.info)),
            _ => None,
        };
        let format = if srgb { to.plan.format } else { to.plan.plain };
        let bytes = bytemuck::bytes_of(&constants);
        let every = (format, u64::MAX);
        self.paint(to, every, rect, shader, &[paint], &[bytes], None)
    }

    /// Blits aspects by drawing, one after the other.
    ///
    /// # Errors
    ///
    /// As for each of them.
    pub(super) fn draw_blits(
        &mut self,
        d: &Drawn,
        aspects: vk::ImageAspectFlags,
    ) -> Result<(), BackendError> {
        for aspect in [
            vk::ImageAspectFlags::COLOR,
            vk::ImageAspectFlags::DEPTH,
            vk::ImageAspectFlags::STENCIL,
        ] {
            if aspects.contains(aspect) {
                self.draw_blit(d, aspect)?;
            }
        }
        Ok(())
    }

    /// Blits one aspect by drawing.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] for images that cannot be sampled, [`BackendError::OutOfMemory`].
    pub(super) fn draw_blit(
        &mut self,
        d: &Drawn,
        aspect: vk::ImageAspectFlags,
    ) -> Result<(), BackendError> {
        let (kind, samples, flags) = {
            let i = self.obj.images.get(d.from.image)?;
            let features = self.gpu.format_features(i.plan.format);
            (i.kind, i.samples, features.optimal_tiling_features)
        };
        let values = match aspect {
            vk::ImageAspectFlags::DEPTH => Values::Depth,
            vk::ImageAspectFlags::STENCIL => Values::Stencil,
            _ => Values::of(d.from.plan.info),
        };
        let source = match kind {
            vk::ImageType::TYPE_1D => Source::One,
            vk::ImageType::TYPE_3D => Source::Three,
            _ if samples > 1 => match d.samples {
                Samples::From(_) => Source::Sample,
                _ => Source::Samples,
            },
            _ => Source::Two,
        };
        let refuse = || {
            BackendError::Unsupported(format!(
                "a blit of {} to {}",
                d.from.plan.info.name, d.to.plan.info.name
            ))
        };
        if !flags.contains(vk::FormatFeatureFlags::SAMPLED_IMAGE) || !d.to.plan.renderable {
            return Err(refuse());
        }
        let shader = Shader::blit(source, values).ok_or_else(refuse)?;
        let can_filter = flags.contains(vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_LINEAR);
        let linear = d.linear && can_filter && values == Values::Float;
        let unit = match (values, d.samples) {
            (Values::Depth, Samples::From(_) | Samples::To(_)) => {
                self.depth_unit(d.from.plan.info.format)?
            }
            _ => AS_READ,
        };
        let constants = BlitConstants {
            unit,
            from: d.src.map(|v| v as f32),
            to: d.dst.map(|v| v as f32),
            slice: d.from.layer as i32,
            sample: match d.samples {
                Samples::From(n) => n as i32,
                _ => 0,
            },
            filtered: linear.into(),
            ..BlitConstants::default()
        };
        let pick = |s: &Slice| if d.raw { s.plan.plain } else { s.plan.format };
        let input = Input {
            slice: d.from,
            source,
            aspects: aspect,
            format: pick(&d.from),
            linear,
        };
        let (mut paints, mut all) = (Vec::new(), Vec::new());
        match values {
            Values::Depth => {
                paints.push(Paint::Depth);
                all.push(constants);
            }
            Values::Stencil => {
                // Zero first, then each bit where the source has it.
                for bit in std::iter::once(0).chain((0..8).map(|n| 1u32 << n)) {
                    let mask = if bit == 0 { 0xFF } else { bit };
                    paints.push(Paint::Stencil { mask, value: bit });
                    all.push(BlitConstants { bit, ..constants });
                }
            }
            _ => {
                paints.push(Paint::Color(match d.samples {
                    Samples::To(_) => 0b1111,
                    _ => d.to.plan.write_mask(),
                }));
                all.push(constants);
            }
        }
        let bytes: Vec<&[u8]> = all.iter().map(bytemuck::bytes_of).collect();
        let mask = match d.samples {
            Samples::To(mask) => mask,
            _ => u64::MAX,
        };
        self.paint(
            &d.to,
            (pick(&d.to), mask),
            d.visible,
            Some(shader),
            &paints,
            &bytes,
            Some(&input),
        )
    }

    /// Draws triangles over one slice, seen in a format, over the samples of a mask, one for each of `paints` with the constants at the same place.
    /// All paints are of one kind.
    #[allow(clippy::too_many_arguments)] // the parts of one draw, each for one command
    pub(super) fn paint(
        &mut self,
        to: &Slice,
        (format, mask): (vk::Format, u64),
        rect: vk::Rect2D,
        shader: Option<Shader>,
        paints: &[Paint],
        constants: &[&[u8]],
        input: Option<&Input>,
    ) -> Result<(), BackendError> {
        let Some(first) = paints.first() else {
            return Ok(());
        };
        if rect.extent.width == 0 || rect.extent.height == 0 {
            return Ok(());
        }
        self.painter.prepare(&self.gpu)?;
        let (kind, aspects, samples, extent) = {
            let i = self.obj.images.get(to.image)?;
            (i.kind, i.plan.aspects, i.samples, i.extent(to.level))
        };
        let key = Key {
            shader,
            format,
            samples,
            mask,
            writes: match first {
                Paint::Color(mask) => mask & 0xF,
                Paint::Depth => DEPTH,
                Paint::Stencil { .. } => STENCIL,
            },
        };
        let pipeline = self.painter.pipeline(&self.gpu, key)?;
        let set = match input {
            None => None,
            Some(input) => Some(self.input_set(input)?),
        };
        self.end_rendering();
        self.suspend_queries();
        let color = matches!(first, Paint::Color(_));
        let layout = if color {
            vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL
        } else {
            vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL
        };
        let read_only = vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL;
        match input {
            Some(i) => self.sync(
                &[(i.slice.image, read_only, false), (to.image, layout, true)],
                &[],
            )?,
            None => self.sync(&[(to.image, layout, true)], &[])?,
        }
        let view = self.obj.images.view(
            &self.gpu,
            to.image,
            &ViewKey {
                format,
                kind: match kind {
                    vk::ImageType::TYPE_1D => vk::ImageViewType::TYPE_1D,
                    _ => vk::ImageViewType::TYPE_2D,
                },
                aspects,
                first_level: to.level,
                levels: 1,
                first_layer: to.layer,
                layers: 1,
                swizzle: IDENTITY,
                attach: true,
            },
        )?;
        let attachment = [vk::RenderingAttachmentInfo::default()
            .image_view(view)
            .image_layout(layout)
            .load_op(vk::AttachmentLoadOp::LOAD)
            .store_op(vk::AttachmentStoreOp::STORE)];
        let area = vk::Rect2D {
            extent: vk::Extent2D {
                width: extent.width,
                height: extent.height,
            },
            ..vk::Rect2D::default()
        };
        let mut info = vk::RenderingInfo::default()
            .render_area(area)
            .layer_count(1);
        match first {
            Paint::Color(_) => info = info.color_attachments(&attachment),
            Paint::Depth => info = info.depth_attachment(&attachment[0]),
            Paint::Stencil { .. } => info = info.stencil_attachment(&attachment[0]),
        }
        let viewport = [vk::Viewport {
            width: extent.width as f32,
            height: extent.height as f32,
            max_depth: 1.0,
            ..vk::Viewport::default()
        }];
        let faces = vk::StencilFaceFlags::FRONT_AND_BACK;
        let pipeline_layout = self.painter.layout;
        let cmd = self.rec.cmd();
        let d = &self.gpu.device;
        // SAFETY: nothing is rendered now; views, layouts and the pipeline's formats are as said; every state that the
        // pipeline leaves to commands is set; the rectangle is inside the image.
        unsafe {
            self.gpu.begin_rendering(cmd, &info);
            d.cmd_bind_pipeline(cmd, vk::PipelineBindPoint::GRAPHICS, pipeline);
            d.cmd_set_viewport(cmd, 0, &viewport);
            d.cmd_set_scissor(cmd, 0, &[rect]);
            if let Some(set) = set {
                let point = vk::PipelineBindPoint::GRAPHICS;
                d.cmd_bind_descriptor_sets(cmd, point, pipeline_layout, 0, &[set], &[]);
            }
            for (paint, bytes) in paints.iter().zip(constants) {
                let (mask, value) = match *paint {
                    Paint::Stencil { mask, value } => (mask, value),
                    _ => (0, 0),
                };
                d.cmd_set_stencil_write_mask(cmd, faces, mask);
                d.cmd_set_stencil_reference(cmd, faces, value);
                d.cmd_push_constants(cmd, pipeline_layout, STAGES, 0, bytes);
                d.cmd_draw(cmd, 3, 1, 0, 0);
            }
            self.gpu.end_rendering(cmd);
        }
        // What draws had bound is bound no more.
        self.bound = Bound::default();
        Ok(())
    }

    /// A descriptor set with the image that a draw reads.
    fn input_set(&mut self, i: &Input) -> Result<vk::DescriptorSet, BackendError> {
        let solid = i.source == Source::Three;
        let view = self.obj.images.view(
            &self.gpu,
            i.slice.image,
            &ViewKey {
                format: i.format,
                kind: i.source.view_type(),
                aspects: i.aspects,
                first_level: i.slice.level,
                levels: 1,
                first_layer: if solid { 0 } else { i.slice.layer },
                layers: 1,
                swizzle: IDENTITY,
                attach: false,
            },
        )?;
        let layout = self.painter.set_layout;
        let set = self.descriptors.allocate(&self.gpu, &self.rec, layout)?;
        let image = [vk::DescriptorImageInfo {
            sampler: self.painter.samplers[usize::from(i.linear)],
            image_view: view,
            image_layout: vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
        }];
        let write = [vk::WriteDescriptorSet::default()
            .dst_set(set)
            .dst_binding(0)
            .descriptor_type(vk::DescriptorType::COMBINED_IMAGE_SAMPLER)
            .image_info(&image)];
        // SAFETY: the set is new, and nothing reads it yet.
        unsafe { self.gpu.device.update_descriptor_sets(&write, &[]) };
        Ok(set)
    }
}
