//! Descriptor sets and vertex inputs of a program.

use super::SpirvError;
use crate::spv::{Shape, Spv};
use ash::vk;
use mgl_core::program::{
    ComponentKind, GlType, Reflection, SET_DEFAULT_BLOCK, SET_SAMPLERS, SET_UNIFORM_BLOCKS,
    SamplerDim, SamplerShape, ShaderStage, StageMask,
};
use rspirv::spirv::{Decoration, StorageClass};

/// What a binding of a descriptor set is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindingKind {
    /// The default uniform block of this many bytes.
    DefaultBlock {
        /// Bytes.
        size: u32,
    },
    /// The uniform blocks with these indices in the archive: `first .. first + count`.
    UniformBlocks {
        /// Block index of the first element.
        first: u32,
        /// Bytes that the shader reads of each.
        size: u32,
    },
    /// The sampler slots `first .. first + count`.
    Samplers {
        /// Slot of the first element.
        first: u32,
        /// What each of them reads.
        shape: SamplerShape,
    },
}

/// One binding of a descriptor set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Descriptor set: the archive's set numbers.
    pub set: u32,
    /// Binding in the set.
    pub binding: u32,
    /// Descriptors: elements of the array.
    pub count: u32,
    /// What it is.
    pub kind: BindingKind,
    /// Stages that read it.
    pub stages: vk::ShaderStageFlags,
}

impl Binding {
    /// The type of its descriptors. Uniform buffers are dynamic where `dynamic` says so.
    #[must_use]
    pub fn descriptor_type(&self, dynamic: bool) -> vk::DescriptorType {
        match self.kind {
            BindingKind::DefaultBlock { .. } | BindingKind::UniformBlocks { .. } if dynamic => {
                vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC
            }
            BindingKind::DefaultBlock { .. } | BindingKind::UniformBlocks { .. } => {
                vk::DescriptorType::UNIFORM_BUFFER
            }
            BindingKind::Samplers { shape, .. } if shape.dim == SamplerDim::Buffer => {
                vk::DescriptorType::UNIFORM_TEXEL_BUFFER
            }
            BindingKind::Samplers { .. } => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
        }
    }
}

/// A vertex attribute that the vertex stage reads; one entry a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// Location.
    pub location: u32,
    /// What the shader reads there: `Float`, `Double`, `Int` or `Uint`.
    pub component: ComponentKind,
    /// Components that it reads, 1 to 4.
    pub components: u32,
}

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Bindings, by set and binding.
    pub bindings: Vec<Binding>,
    /// Attributes that the vertex stage reads, by location.
    pub inputs: Vec<Input>,
    /// Outputs of the fragment stage with index 0: a bit a location, copies of `gl_FragColor` apart.
    pub outputs: u32,
}

/// Vulkan's flags for stages.
fn flags(stages: StageMask) -> vk::ShaderStageFlags {
    stages
        .iter()
        .fold(vk::ShaderStageFlags::empty(), |f, s| f | stage_flag(s))
}

/// Vulkan's flag for a stage.
#[must_use]
pub fn stage_flag(stage: ShaderStage) -> vk::ShaderStageFlags {
    match stage {
        ShaderStage::Vertex => vk::ShaderStageFlags::VERTEX,
        ShaderStage::TessControl => vk::ShaderStageFlags::TESSELLATION_CONTROL,
        ShaderStage::TessEval => vk::ShaderStageFlags::TESSELLATION_EVALUATION,
        ShaderStage::Geometry => vk::ShaderStageFlags::GEOMETRY,
        ShaderStage::Fragment => vk::ShaderStageFlags::FRAGMENT,
        ShaderStage::Compute => vk::ShaderStageFlags::COMPUTE,
    }
}

impl Layout {
    /// What the archive says; the vertex inputs are filled in from the vertex stage.
    pub(super) fn of(r: &Reflection) -> Layout {
        let mut bindings = Vec::new();
        if let Some(block) = &r.default_block
            && block.size > 0
        {
            bindings.push(Binding {
                set: SET_DEFAULT_BLOCK,
                binding: 0,
                count: 1,
                kind: BindingKind::DefaultBlock { size: block.size },
                stages: flags(block.stages),
            });
        }
        let mut index = 0;
        while let Some(block) = r.uniform_blocks.get(index) {
            let count = block.array_size.max(1) as usize;
            let elements = r.uniform_blocks.iter().skip(index).take(count);
            let stages = elements.fold(StageMask::default(), |m, b| m | b.stages);
            bindings.push(Binding {
                set: SET_UNIFORM_BLOCKS,
                binding: index as u32,
                count: count as u32,
                kind: BindingKind::UniformBlocks {
                    first: index as u32,
                    size: block.size,
                },
                stages: flags(stages),
            });
            index += count;
        }
        let mut samplers: Vec<Binding> = r
            .samplers
            .iter()
            .filter_map(|s| {
                Some(Binding {
                    set: SET_SAMPLERS,
                    binding: s.slot,
                    count: s.array_size.max(1),
                    kind: BindingKind::Samplers {
                        first: s.slot,
                        shape: s.ty.sampler()?,
                    },
                    stages: flags(s.stages),
                })
            })
            .collect();
        samplers.sort_by_key(|b| b.binding);
        bindings.extend(samplers);
        let outputs = r
            .outputs
            .iter()
            .filter(|o| o.index == 0)
            .flat_map(|o| o.location..o.location.saturating_add(o.size))
            .filter(|l| *l < 32)
            .fold(0, |m, l| m | 1 << l);
        Layout {
            bindings,
            inputs: Vec::new(),
            outputs,
        }
    }

    /// Makes one binding of those that a module has as one array: the samplers of an array of structures are
    /// uniforms of their own to GL.
    pub(super) fn join_arrays(&mut self, spv: &Spv) {
        for v in spv.variables() {
            if v.class != StorageClass::UniformConstant {
                continue;
            }
            let (_, count) = spv.strip_array(v.ty);
            let place = (
                spv.decoration(v.id, Decoration::DescriptorSet),
                spv.decoration(v.id, Decoration::Binding),
            );
            let (Some(count), (Some(SET_SAMPLERS), Some(binding))) = (count, place) else {
                continue;
            };
            let found = self
                .bindings
                .iter()
                .position(|b| b.set == SET_SAMPLERS && b.binding == binding);
            let Some(first) = found else { continue };
            // What does not fit is left as it is, for the check to find.
            let mut end = first + 1;
            let mut joined = self.bindings[first];
            while let Some(next) = self.bindings.get(end)
                && joined.count < count
                && joined
                    .count
                    .checked_add(next.count)
                    .is_some_and(|n| n <= count)
                && next.set == SET_SAMPLERS
                && next.binding == binding + joined.count
                && same_samplers(joined.kind, next.kind)
            {
                joined.count += next.count;
                joined.stages |= next.stages;
                end += 1;
            }
            if joined.count == count {
                self.bindings.splice(first..end, [joined]);
            }
        }
    }

    /// The sampler types by slot; slots that no sampler has are `None`.
    #[must_use]
    pub fn slots(&self) -> Vec<Option<SamplerShape>> {
        let mut slots = Vec::new();
        for b in &self.bindings {
            if let BindingKind::Samplers { first, shape } = b.kind {
                let end = (first + b.count) as usize;
                if slots.len() < end {
                    slots.resize(end, None);
                }
                slots[first as usize..end].fill(Some(shape));
            }
        }
        slots
    }

    /// Whether every resource of a module is one of the bindings, with the same type and count.
    pub(super) fn check(&self, spv: &Spv, stage: ShaderStage) -> Result<(), SpirvError> {
        let invalid = |what: String| SpirvError::Invalid {
            stage: stage.name(),
            what,
        };
        for v in spv.variables() {
            match v.class {
                StorageClass::Uniform | StorageClass::UniformConstant => {}
                StorageClass::Input
                | StorageClass::Output
                | StorageClass::Private
                | StorageClass::Function
                | StorageClass::Workgroup => continue,
                other => return Err(invalid(format!("{other:?} variables are not supported"))),
            }
            let set = spv.decoration(v.id, Decoration::DescriptorSet);
            let binding = spv.decoration(v.id, Decoration::Binding);
            let (Some(set), Some(binding)) = (set, binding) else {
                return Err(invalid("a resource without set and binding".to_owned()));
            };
            let known = self
                .bindings
                .iter()
                .find(|b| b.set == set && b.binding == binding);
            let Some(known) = known else {
                return Err(invalid(format!(
                    "a resource at set {set}, binding {binding} that the archive does not have"
                )));
            };
            let (ty, count) = spv.strip_array(v.ty);
            let right = match (known.kind, spv.shape(ty)) {
                (BindingKind::Samplers { shape, .. }, Shape::Basic(basic)) => {
                    GlType::from_sampler(shape) == Some(basic)
                        && v.class == StorageClass::UniformConstant
                }
                (
                    BindingKind::DefaultBlock { .. } | BindingKind::UniformBlocks { .. },
                    Shape::Struct(_),
                ) => {
                    v.class == StorageClass::Uniform
                        && spv.decoration(ty, Decoration::Block).is_some()
                }
                _ => false,
            };
            if !right || count.unwrap_or(1) != known.count {
                return Err(invalid(format!(
                    "the resource at set {set}, binding {binding} is another one in the archive"
                )));
            }
            if !known.stages.contains(stage_flag(stage)) {
                return Err(invalid(format!(
                    "the archive does not give the resource at set {set}, binding {binding} to this stage"
                )));
            }
        }
        Ok(())
    }
}

/// Both are samplers of one type.
fn same_samplers(a: BindingKind, b: BindingKind) -> bool {
    match (a, b) {
        (BindingKind::Samplers { shape: a, .. }, BindingKind::Samplers { shape: b, .. }) => a == b,
        _ => false,
    }
}

/// Attributes that a vertex stage reads. Matrices and arrays take one entry a location; double
/// vectors of more than two components take one, as GL counts them.
pub(super) fn inputs(spv: &Spv) -> Vec<Input> {
    let mut inputs = Vec::new();
    for v in spv.variables() {
        if v.class != StorageClass::Input || spv.is_builtin(v) {
            continue;
        }
        let Some(location) = spv.decoration(v.id, Decoration::Location) else {
            continue;
        };
        let (ty, count) = spv.strip_array(v.ty);
        let Shape::Basic(basic) = spv.shape(ty) else {
            continue;
        };
        let Some(shape) = basic.numeric() else {
            continue;
        };
        let locations = u32::from(shape.columns).saturating_mul(count.unwrap_or(1));
        for n in 0..locations.min(32) {
            inputs.push(Input {
                location: location.saturating_add(n),
                component: shape.component,
                components: u32::from(shape.rows),
            });
        }
    }
    inputs.sort_by_key(|i| i.location);
    inputs.dedup_by_key(|i| i.location);
    inputs
}
