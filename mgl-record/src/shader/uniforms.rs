//! Uniforms of a linked program: lists the active ones as GL enumerates them, gives blocks and
//! samplers their bindings in every stage, and fills in initial values (GL 3.3 §2.11.4).

mod samplers;

use super::glslang::DEFAULT_BLOCK_NAME;
use super::leaves::{Leaf, as_bool, block_leaves, block_size, is_reasonable};
use super::link::{LinkLog, Stage};
use mgl_core::program::{
    DefaultBlock, DepthRangeOffsets, Reflection, SET_DEFAULT_BLOCK, SET_UNIFORM_BLOCKS, StageMask,
    Uniform, UniformBlock, UniformPlace,
};
use mgl_replay::spv::{Spv, Variable};
use rspirv::spirv::{Decoration, StorageClass};
use std::collections::HashMap;

/// A name that the translator makes up for the members of `gl_DepthRange`.
pub const DEPTH_RANGE: &str = "mgl_DepthRange";
/// What the translator puts before an identifier that GLSL has since made a keyword.
pub const RENAME_PREFIX: &str = "mgl_r_";

/// Most bytes of the default block: what the archive can hold.
const MAX_DEFAULT_BLOCK: u32 = 1 << 20;

/// The identifier as the program wrote it.
pub fn original_name(name: &str) -> &str {
    name.strip_prefix(RENAME_PREFIX).unwrap_or(name)
}

fn block_variables(stage: &Stage) -> Vec<Variable> {
    let variables = stage.spv.variables();
    variables
        .into_iter()
        .filter(|v| v.class == StorageClass::Uniform)
        .collect()
}

fn block_type(spv: &Spv, variable: Variable) -> u32 {
    spv.strip_array(variable.ty).0
}

/// Fills in everything about uniforms and rewrites the stages' bindings accordingly.
pub fn link_uniforms(stages: &mut [Stage], reflection: &mut Reflection, log: &mut LinkLog) {
    link_default_block(stages, reflection, log);
    samplers::link_samplers(stages, reflection, log);
    assign_locations(reflection);
    link_blocks(stages, reflection, log);
}

fn link_default_block(stages: &mut [Stage], reflection: &mut Reflection, log: &mut LinkLog) {
    let mut leaves: Vec<(Leaf, StageMask)> = Vec::new();
    let mut mask = StageMask::default();
    let mut size = 0;
    for stage in stages.iter_mut() {
        let Some(variable) = block_variables(stage)
            .into_iter()
            .find(|v| stage.spv.name(v.ty) == DEFAULT_BLOCK_NAME)
        else {
            continue;
        };
        if !stage.reach.uses(variable.id) {
            stage.spv.remove_variables(&[variable.id]);
            continue;
        }
        stage
            .spv
            .decorate(variable.id, Decoration::DescriptorSet, SET_DEFAULT_BLOCK);
        stage.spv.decorate(variable.id, Decoration::Binding, 0);
        mask |= stage.stage;
        if !is_reasonable(&stage.spv, variable.ty) {
            log.error(format!(
                "the {} shader has too many uniforms",
                stage.stage.name()
            ));
            return;
        }
        let mine = block_leaves(stage, variable.ty, "", &[]);
        size = size.max(block_size(&mine));
        if leaves.is_empty() {
            leaves = mine
                .iter()
                .cloned()
                .map(|leaf| (leaf, StageMask::default()))
                .collect();
        } else if mine.len() != leaves.len()
            || mine
                .iter()
                .zip(&leaves)
                .any(|(a, (b, _))| a.name != b.name || a.offset != b.offset || a.size != b.size)
        {
            log.error("default uniform block is laid out differently in two stages".to_owned());
            return;
        }
        for (at, own) in mine.iter().enumerate() {
            let (leaf, used) = &mut leaves[at];
            // A stage that lacks the declaration cannot know that a word is a boolean.
            if own.ty != leaf.ty {
                leaf.ty = as_bool(leaf.ty);
            }
            if stage.reach.uses_path(variable.id, &own.path) {
                *used |= stage.stage;
            }
        }
    }
    if mask.is_empty() {
        return;
    }
    if size > MAX_DEFAULT_BLOCK {
        log.error(format!(
            "the uniforms of the default block take {size} bytes"
        ));
        return;
    }
    for stage in mask.iter() {
        let components: u64 = leaves
            .iter()
            .filter(|(_, used)| used.contains(stage))
            .map(|(leaf, _)| u64::from(leaf.ty.components()) * u64::from(leaf.size))
            .sum();
        if components > u64::from(log.limits.uniform_components) {
            log.error(format!(
                "the {} shader uses {components} uniform components, the limit is {}",
                stage.name(),
                log.limits.uniform_components
            ));
            return;
        }
    }
    let preset = preset(stages, &leaves, size);
    let mut depth_range = DepthRangeOffsets {
        near: 0,
        far: 0,
        diff: 0,
    };
    let mut has_depth_range = false;
    for (leaf, used) in leaves {
        if let Some(member) = leaf.name.strip_prefix(DEPTH_RANGE) {
            match member {
                ".near" => depth_range.near = leaf.offset,
                ".far" => depth_range.far = leaf.offset,
                _ => depth_range.diff = leaf.offset,
            }
            has_depth_range |= !used.is_empty();
        }
        if used.is_empty() {
            continue;
        }
        reflection
            .uniforms
            .push(uniform(leaf, UniformPlace::Default, used));
    }
    reflection.default_block = Some(DefaultBlock {
        size,
        preset,
        stages: mask,
        depth_range: has_depth_range.then_some(depth_range),
    });
}

fn uniform(leaf: Leaf, place: UniformPlace, stages: StageMask) -> Uniform {
    let name = match leaf.name.strip_prefix(DEPTH_RANGE) {
        Some(member) => format!("gl_DepthRange{member}"),
        None => leaf.name,
    };
    Uniform {
        name,
        ty: leaf.ty,
        size: leaf.size,
        is_array: leaf.is_array,
        place,
        location: -1,
        offset: leaf.offset,
        array_stride: leaf.array_stride,
        matrix_stride: leaf.matrix_stride,
        row_major: leaf.row_major,
        stages,
    }
}

/// The block's bytes after the initialisers of all stages; empty when there are none.
fn preset(stages: &[Stage], leaves: &[(Leaf, StageMask)], size: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let values = stages.iter().flat_map(|s| s.initial_values.iter());
    let by_name: HashMap<&str, &Leaf> = leaves
        .iter()
        .map(|(leaf, _)| (leaf.name.as_str(), leaf))
        .collect();
    for value in values {
        let Some(leaf) = by_name.get(value.name.as_str()) else {
            continue;
        };
        let Some(shape) = leaf.ty.numeric() else {
            continue;
        };
        if bytes.is_empty() {
            bytes = vec![0; size as usize];
        }
        let rows = u32::from(shape.rows);
        for (at, word) in value.components.iter().enumerate() {
            let (column, row) = (at as u32 / rows, at as u32 % rows);
            let (major, minor) = if leaf.row_major {
                (row, column)
            } else {
                (column, row)
            };
            let width = leaf.ty.component_bytes();
            let offset = leaf.offset
                + value.element * leaf.array_stride
                + major * leaf.matrix_stride
                + minor * width;
            let at = offset as usize;
            let word = word.to_le_bytes();
            let width = width as usize;
            if let Some(target) = bytes.get_mut(at..at + width) {
                target.copy_from_slice(&word[..width]);
            }
        }
    }
    bytes
}

/// Locations in order of the list: the default block's members and the samplers.
fn assign_locations(reflection: &mut Reflection) {
    let mut next = 0;
    for uniform in &mut reflection.uniforms {
        if !uniform.name.starts_with("gl_") {
            uniform.location = next;
            next += uniform.size as i32;
        }
    }
}

fn link_blocks(stages: &mut [Stage], reflection: &mut Reflection, log: &mut LinkLog) {
    struct Known {
        first_index: u32,
        elements: u32,
        first_uniform: usize,
        leaf_count: usize,
    }
    let mut known: HashMap<String, Known> = HashMap::new();
    for stage in stages.iter_mut() {
        let mut gone = Vec::new();
        let mut blocks_of_stage = 0;
        for variable in block_variables(stage) {
            let ty = block_type(&stage.spv, variable);
            let name = stage.spv.name(ty).to_owned();
            if name == DEFAULT_BLOCK_NAME {
                continue;
            }
            let block_name = original_name(&name).to_owned();
            let length = stage.spv.strip_array(variable.ty).1;
            let elements = length.unwrap_or(1);
            let instance = stage.spv.name(variable.id);
            let prefix = if instance.is_empty() {
                String::new()
            } else {
                format!("{block_name}.")
            };
            if !is_reasonable(&stage.spv, ty) || elements > log.limits.combined_uniform_blocks {
                log.error(format!("uniform block `{block_name}` is too large"));
                continue;
            }
            // The first index of an arrayed block's path is its element.
            let root: &[u32] = if length.is_some() { &[0] } else { &[] };
            let leaves = block_leaves(stage, ty, &prefix, root);
            let used = stage.reach.uses(variable.id);
            let entry = known.entry(block_name.clone()).or_insert_with(|| {
                let first_index = reflection.uniform_blocks.len() as u32;
                let first_uniform = reflection.uniforms.len();
                let size = block_size(&leaves);
                let binding = stage
                    .spv
                    .decoration(variable.id, Decoration::Binding)
                    .unwrap_or(0);
                let leaf_count = leaves.len();
                let members: Vec<u32> = (first_uniform..first_uniform + leaf_count)
                    .map(|n| n as u32)
                    .collect();
                for element in 0..elements {
                    reflection.uniform_blocks.push(UniformBlock {
                        name: match length {
                            Some(_) => format!("{block_name}[{element}]"),
                            None => block_name.clone(),
                        },
                        size,
                        array_element: element,
                        array_size: length.unwrap_or(0),
                        initial_binding: if binding == 0 { 0 } else { binding + element },
                        members: members.clone(),
                        stages: StageMask::default(),
                    });
                }
                for leaf in leaves {
                    let place = UniformPlace::Block(first_index);
                    reflection
                        .uniforms
                        .push(uniform(leaf, place, StageMask::default()));
                }
                Known {
                    first_index,
                    elements,
                    first_uniform,
                    leaf_count,
                }
            });
            if entry.elements != elements {
                log.error(format!(
                    "uniform block `{block_name}` has different sizes in two stages"
                ));
                continue;
            }
            let first = entry.first_index;
            let uniforms = entry.first_uniform..entry.first_uniform + entry.leaf_count;
            if !used {
                gone.push(variable.id);
                continue;
            }
            blocks_of_stage += elements;
            for block in &mut reflection.uniform_blocks[first as usize..(first + elements) as usize]
            {
                block.stages |= stage.stage;
            }
            // All members of a std140 or shared block are active (§2.11.4), so that the stages of a
            // member are those of its block.
            for uniform in &mut reflection.uniforms[uniforms] {
                uniform.stages |= stage.stage;
            }
            stage
                .spv
                .decorate(variable.id, Decoration::DescriptorSet, SET_UNIFORM_BLOCKS);
            stage.spv.decorate(variable.id, Decoration::Binding, first);
        }
        stage.spv.remove_variables(&gone);
        if blocks_of_stage > log.limits.uniform_blocks {
            log.error(format!(
                "the {} shader uses {blocks_of_stage} uniform blocks, the limit is {}",
                stage.stage.name(),
                log.limits.uniform_blocks
            ));
        }
    }
    for block in &reflection.uniform_blocks {
        if block.size > log.limits.uniform_block_size {
            log.error(format!(
                "uniform block `{}` has {} bytes, the limit is {}",
                block.name, block.size, log.limits.uniform_block_size
            ));
            break;
        }
    }
}
