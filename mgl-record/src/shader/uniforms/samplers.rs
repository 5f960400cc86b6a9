//! Samplers of a linked program: names, slots and SPIR-V bindings. An array that stands for the
//! samplers of structures is several uniforms to GL; the slots of its elements follow each other.

use super::original_name;
use crate::shader::link::{LinkLog, Stage};
use mgl_core::program::{
    GlType, Reflection, SET_SAMPLERS, Sampler, StageMask, Uniform, UniformPlace,
};
use mgl_replay::spv::{Shape, Spv, Variable, edit};
use rspirv::spirv::{Decoration, StorageClass};
use std::collections::HashMap;

/// A sampler variable as GL sees it.
struct Declared {
    /// What it is matched by between stages.
    key: String,
    ty: GlType,
    /// Descriptors of the variable.
    count: u32,
    uniforms: Vec<DeclaredUniform>,
}

struct DeclaredUniform {
    /// Without the `[0]` of an array.
    name: String,
    size: u32,
    is_array: bool,
}

/// Type of the elements, their number, whether it is an array at all.
fn shape(spv: &Spv, variable: Variable) -> (u32, u32, bool) {
    let (mut inner, mut count, mut is_array) = (variable.ty, 1u32, false);
    while let Shape::Array(element, length) = spv.shape(inner) {
        inner = element;
        count = count.saturating_mul(length);
        is_array = true;
    }
    (inner, count, is_array)
}

/// Finds out what a sampler variable was declared as.
fn declared_sampler(stage: &Stage, variable: Variable, limit: u32) -> Result<Declared, String> {
    let (inner, count, is_array) = shape(&stage.spv, variable);
    let key = stage.spv.name(variable.id).to_owned();
    let hoisted = stage.decls.hoisted(&key);
    let name = match hoisted {
        Some([(uniform, _), ..]) => original_name(uniform),
        _ => original_name(&key),
    };
    let Shape::Basic(ty) = stage.spv.shape(inner) else {
        return Err(format!("uniform `{name}` has a type that is not supported"));
    };
    if count > limit {
        return Err(format!(
            "uniform `{name}` has {count} samplers, the limit is {limit}"
        ));
    }
    let uniforms = match hoisted {
        Some(path) => elements(path, count),
        None => vec![DeclaredUniform {
            name: name.to_owned(),
            size: count,
            is_array,
        }],
    };
    Ok(Declared {
        key: original_name(&key).to_owned(),
        ty,
        count,
        uniforms,
    })
}

/// The uniforms whose samplers are the first `count` elements of a flattened array.
fn elements(path: &[(String, Vec<u32>)], count: u32) -> Vec<DeclaredUniform> {
    let Some(((last, sizes), outer)) = path.split_last() else {
        return Vec::new();
    };
    let mut names = vec![String::new()];
    let indexed = |names: Vec<String>, sizes: &[u32]| {
        sizes.iter().fold(names, |names, size| {
            names
                .iter()
                .flat_map(|name| (0..*size).map(move |n| format!("{name}[{n}]")))
                .take(count as usize)
                .collect()
        })
    };
    for (part, sizes) in outer {
        names = names
            .iter()
            .map(|name| format!("{name}{}.", original_name(part)))
            .collect();
        if !sizes.is_empty() {
            for name in &mut names {
                name.pop();
            }
            names = indexed(names, sizes);
            for name in &mut names {
                name.push('.');
            }
        }
    }
    for name in &mut names {
        name.push_str(original_name(last));
    }
    // Only the innermost array is one uniform.
    let (size, is_array) = match sizes.split_last() {
        Some((size, more)) => {
            names = indexed(names, more);
            (*size, true)
        }
        None => (1, false),
    };
    names.truncate((count / size.max(1)) as usize);
    names
        .into_iter()
        .map(|name| DeclaredUniform {
            name,
            size,
            is_array,
        })
        .collect()
}

/// Shortens arrays to what the program can reach, for their samplers count against the limits: those that
/// stand for samplers of structures, and those that are too long as they are.
fn shorten(stages: &mut [Stage], log: &LinkLog) {
    let mut needed: HashMap<String, u32> = HashMap::new();
    let each = |stage: &Stage| -> Vec<(Variable, String, u32)> {
        let variables = stage.spv.variables().into_iter();
        variables
            .filter(|v| v.class == StorageClass::UniformConstant && stage.reach.uses(v.id))
            .filter_map(|v| {
                let name = stage.spv.name(v.id).to_owned();
                let (_, count, is_array) = shape(&stage.spv, v);
                let sizes = match stage.decls.hoisted(&name) {
                    Some(path) => path.last()?.1.as_slice(),
                    None if count > log.limits.samplers_of(stage.stage) => &[],
                    None => return None,
                };
                if !is_array {
                    return None;
                }
                let whole = sizes.iter().product::<u32>().max(1);
                let used = match stage.reach.highest_index(v.id) {
                    Some(index) => index.saturating_add(1).next_multiple_of(whole).min(count),
                    None => count,
                };
                Some((v, name, used))
            })
            .collect()
    };
    for stage in stages.iter() {
        for (_, name, used) in each(stage) {
            let most = needed.entry(name).or_default();
            *most = used.max(*most);
        }
    }
    for stage in stages.iter_mut() {
        for (variable, name, _) in each(stage) {
            let (_, count, _) = shape(&stage.spv, variable);
            let length = needed.get(&name).copied().unwrap_or(count);
            if length < count {
                edit::resize_array(&mut stage.spv, variable, length);
            }
        }
    }
}

/// Lists the active samplers and gives them their slots, which are also their bindings.
pub fn link_samplers(stages: &mut [Stage], reflection: &mut Reflection, log: &mut LinkLog) {
    shorten(stages, log);
    // The first sampler in the archive and the number of descriptors.
    let mut known: HashMap<String, (usize, u32)> = HashMap::new();
    let mut slots = 0;
    for stage in stages.iter_mut() {
        let mut gone = Vec::new();
        let mut slots_of_stage = 0;
        for variable in stage.spv.variables() {
            if variable.class != StorageClass::UniformConstant {
                continue;
            }
            if !stage.reach.uses(variable.id) {
                gone.push(variable.id);
                continue;
            }
            let declared = declared_sampler(stage, variable, log.limits.combined_samplers);
            let declared = match declared {
                Ok(declared) => declared,
                Err(message) => {
                    log.error(message);
                    continue;
                }
            };
            let unit = stage
                .spv
                .decoration(variable.id, Decoration::Binding)
                .unwrap_or(0);
            let uniforms = declared.uniforms.len();
            let (first, count) = *known.entry(declared.key.clone()).or_insert_with(|| {
                let first = reflection.samplers.len();
                add(reflection, &declared, slots, unit);
                slots += declared.count;
                (first, declared.count)
            });
            let samplers = &mut reflection.samplers[first..first + uniforms.max(1)];
            let same = count == declared.count && samplers.iter().all(|s| s.ty == declared.ty);
            if !same {
                let uniform = &reflection.uniforms[samplers[0].uniform as usize];
                log.error(format!(
                    "uniform `{}` has different types in two stages",
                    uniform.name.trim_end_matches("[0]")
                ));
                continue;
            }
            for sampler in samplers.iter_mut() {
                sampler.stages |= stage.stage;
                reflection.uniforms[sampler.uniform as usize].stages |= stage.stage;
            }
            slots_of_stage += count;
            let slot = samplers[0].slot;
            stage
                .spv
                .decorate(variable.id, Decoration::DescriptorSet, SET_SAMPLERS);
            stage.spv.decorate(variable.id, Decoration::Binding, slot);
        }
        stage.spv.remove_variables(&gone);
        let limit = log.limits.samplers_of(stage.stage);
        if slots_of_stage > limit {
            log.error(format!(
                "the {} shader uses {slots_of_stage} samplers, the limit is {limit}",
                stage.stage.name()
            ));
        }
    }
    if slots > log.limits.combined_samplers {
        log.error(format!(
            "the program uses {slots} samplers, the limit is {}",
            log.limits.combined_samplers
        ));
    }
}

/// Adds a variable's uniforms to the archive.
fn add(reflection: &mut Reflection, declared: &Declared, mut slot: u32, unit: u32) {
    for own in &declared.uniforms {
        let uniform = reflection.uniforms.len() as u32;
        let index = reflection.samplers.len() as u32;
        reflection.uniforms.push(Uniform {
            name: if own.is_array {
                format!("{}[0]", own.name)
            } else {
                own.name.clone()
            },
            ty: declared.ty,
            size: own.size,
            is_array: own.is_array,
            place: UniformPlace::Sampler(index),
            location: -1,
            offset: 0,
            array_stride: 0,
            matrix_stride: 0,
            row_major: false,
            stages: StageMask::default(),
        });
        reflection.samplers.push(Sampler {
            uniform,
            ty: declared.ty,
            array_size: own.size,
            slot,
            initial_unit: unit,
            has_initial_unit: unit != 0,
            stages: StageMask::default(),
        });
        slot += own.size;
    }
}
