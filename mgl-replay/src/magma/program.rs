//! Programs: the stages of each variant as shader modules, and the layout that their pipelines have.

use super::Magma;
use super::gpu::Gpu;
use super::instance::error;
use super::recorder::Garbage;
use super::spirv::{self, BindingKind, DrawConstants, ShaderFeatures, SpirvError, VariantKey};
use ash::vk;
use mgl_core::handle::ShaderHandle;
use mgl_core::pipe::backend::ProgramCode;
use mgl_core::pipe::{BackendError, ProgramDesc};
use mgl_core::program::{Reflection, SET_SAMPLERS, SET_UNIFORM_BLOCKS, SamplerShape, ShaderStage};

/// A descriptor set that was written for a program, and its content.
#[derive(Debug, Default)]
pub struct KeptSet<T> {
    /// Submission that it belongs to.
    pub serial: u64,
    /// The set.
    pub set: vk::DescriptorSet,
    /// What it holds.
    pub content: Vec<T>,
}

/// A stage's code for a key.
struct Module {
    stage: ShaderStage,
    key: VariantKey,
    module: vk::ShaderModule,
}

/// See the module.
pub struct Program {
    /// Identity; never the same twice.
    pub serial: u64,
    /// Code and reflection.
    pub code: spirv::Program,
    /// Variants drawn with, by number.
    pub variants: Vec<VariantKey>,
    modules: Vec<Module>,
    /// Layouts of the sets of blocks and samplers.
    pub blocks_layout: vk::DescriptorSetLayout,
    /// As above.
    pub samplers_layout: vk::DescriptorSetLayout,
    /// Layout of its pipelines.
    pub layout: vk::PipelineLayout,
    /// Sampler types by slot.
    pub slots: Vec<Option<SamplerShape>>,
    /// The fragment stage has flat inputs.
    pub flat_inputs: bool,
    /// Uniform blocks as last bound.
    pub blocks_set: KeptSet<(vk::Buffer, u64, u64)>,
    /// Samplers as last bound.
    pub samplers_set: KeptSet<super::units::Slot>,
}

impl Program {
    /// What the client's linker found.
    pub fn reflection(&self) -> &Reflection {
        &self.code.reflection
    }

    /// The number of a variant.
    pub fn variant(&mut self, key: VariantKey) -> u32 {
        let at = match self.variants.iter().position(|v| *v == key) {
            Some(at) => at,
            None => {
                self.variants.push(key);
                self.variants.len() - 1
            }
        };
        at as u32
    }

    /// The module of a stage for a variant; `None` where the program has no such stage.
    ///
    /// # Errors
    ///
    /// What the variant asks for and the device lacks.
    pub fn module(
        &mut self,
        gpu: &Gpu,
        stage: ShaderStage,
        key: &VariantKey,
    ) -> Result<Option<vk::ShaderModule>, BackendError> {
        let found = self
            .modules
            .iter()
            .find(|m| m.stage == stage && self.code.same_stage(stage, &m.key, key));
        if let Some(m) = found {
            return Ok(Some(m.module));
        }
        let Some(words) = self.code.stage(stage, key).map_err(refused)? else {
            return Ok(None);
        };
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        // SAFETY: the words are a module that was checked.
        let module = unsafe { gpu.device.create_shader_module(&info, None) }
            .map_err(|e| error("a shader module", e))?;
        self.modules.push(Module {
            stage,
            key: *key,
            module,
        });
        Ok(Some(module))
    }
}

fn refused(e: SpirvError) -> BackendError {
    match e {
        SpirvError::Unsupported { .. } => BackendError::Unsupported(e.to_string()),
        e => BackendError::Driver(e.to_string()),
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes
        .chunks_exact(4)
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect()
}

/// Whether a fragment stage has inputs that are not interpolated.
fn has_flat(words: &[u32]) -> bool {
    use rspirv::spirv::Decoration;
    let Ok(spv) = crate::spv::Spv::load(words) else {
        return false;
    };
    spv.variables().into_iter().any(|v| {
        v.class == rspirv::spirv::StorageClass::Input
            && !spv.is_builtin(v)
            && spv.decoration(v.id, Decoration::Flat).is_some()
    })
}

/// A descriptor set layout.
///
/// # Errors
///
/// Vulkan's.
pub fn set_layout(
    gpu: &Gpu,
    bindings: &[vk::DescriptorSetLayoutBinding<'_>],
) -> Result<vk::DescriptorSetLayout, BackendError> {
    let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(bindings);
    // SAFETY: the bindings live until the call returns.
    unsafe { gpu.device.create_descriptor_set_layout(&info, None) }
        .map_err(|e| error("a descriptor set layout", e))
}

impl Magma {
    /// Makes a program.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] for what the device lacks.
    pub(super) fn create_program(
        &mut self,
        d: &ProgramDesc,
        code: &ProgramCode<'_>,
    ) -> Result<(), BackendError> {
        let reflection =
            Reflection::decode(code.reflection).map_err(|e| BackendError::Driver(e.to_string()))?;
        let stages = code.stages.map(words);
        let flat_inputs = has_flat(&stages[ShaderStage::Fragment as usize]);
        let features: ShaderFeatures = self.shader_features;
        let code = spirv::Program::new(reflection, &stages, features).map_err(refused)?;
        let layout_of = |set: u32| -> Vec<vk::DescriptorSetLayoutBinding<'static>> {
            code.layout()
                .bindings
                .iter()
                .filter(|b| b.set == set)
                .map(|b| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(b.binding)
                        .descriptor_type(b.descriptor_type(false))
                        .descriptor_count(b.count)
                        .stage_flags(b.stages)
                })
                .collect()
        };
        if let Some(block) = &code.reflection.default_block
            && u64::from(block.size) > self.block_room
        {
            return Err(BackendError::Unsupported(format!(
                "a default uniform block of {} bytes",
                block.size
            )));
        }
        let blocks_layout = set_layout(&self.gpu, &layout_of(SET_UNIFORM_BLOCKS))?;
        let samplers_layout = match set_layout(&self.gpu, &layout_of(SET_SAMPLERS)) {
            Ok(l) => l,
            Err(e) => {
                self.rec.discard(Garbage::SetLayout(blocks_layout));
                return Err(e);
            }
        };
        let sets = [self.constants_layout, blocks_layout, samplers_layout];
        let range = [vk::PushConstantRange::default()
            .stage_flags(vk::ShaderStageFlags::ALL_GRAPHICS)
            .size(size_of::<DrawConstants>() as u32)];
        let info = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(&sets)
            .push_constant_ranges(&range);
        // SAFETY: the set layouts live.
        let layout = match unsafe { self.gpu.device.create_pipeline_layout(&info, None) } {
            Ok(l) => l,
            Err(e) => {
                self.rec.discard(Garbage::SetLayout(blocks_layout));
                self.rec.discard(Garbage::SetLayout(samplers_layout));
                return Err(error("a pipeline layout", e));
            }
        };
        let slots = code.layout().slots();
        let program = Program {
            serial: self.obj.serial(),
            code,
            variants: Vec::new(),
            modules: Vec::new(),
            blocks_layout,
            samplers_layout,
            layout,
            slots,
            flat_inputs,
            blocks_set: KeptSet::default(),
            samplers_set: KeptSet::default(),
        };
        match self.obj.programs.insert(d.shader, program) {
            Ok(_) => {
                self.counters.programs_linked += 1;
                Ok(())
            }
            Err(e) => Err(BackendError::Driver(e.to_string())),
        }
    }

    /// Ends a program and its pipelines.
    pub(super) fn delete_program(&mut self, h: ShaderHandle) {
        if let Ok(p) = self.obj.programs.remove(h) {
            self.counters.programs_ended += 1;
            self.end_program(p);
        }
    }

    /// Ends what a program is made of.
    pub(super) fn end_program(&mut self, p: Program) {
        for pipeline in self.pipelines.forget(p.serial) {
            self.rec.discard(Garbage::Pipeline(pipeline));
        }
        for m in p.modules {
            // SAFETY: modules may end before the pipelines that were made of them.
            unsafe { self.gpu.device.destroy_shader_module(m.module, None) };
        }
        self.rec.discard(Garbage::PipelineLayout(p.layout));
        self.rec.discard(Garbage::SetLayout(p.blocks_layout));
        self.rec.discard(Garbage::SetLayout(p.samplers_layout));
    }
}

/// Bytes that a block's shader reads, by block index.
pub fn block_sizes(p: &spirv::Program) -> impl Iterator<Item = (u32, u32, u32, u32)> + '_ {
    p.layout().bindings.iter().filter_map(|b| match b.kind {
        BindingKind::UniformBlocks { first, size } => Some((b.binding, b.count, first, size)),
        _ => None,
    })
}
