//! Transform feedback: finds the outputs that `glTransformFeedbackVaryings` names and lays their
//! components out in the buffers (GL 3.3 §2.14, and ARB_transform_feedback3's special names).

use super::interface::plain_variables;
use super::link::{LinkLog, Stage, XfbRequest};
use super::uniforms::original_name;
use mgl_core::program::{GlType, TransformFeedback, XfbMode, XfbSource, XfbVarying};
use mgl_replay::spv::{Shape, Spv};
use rspirv::spirv::{BuiltIn, Decoration, StorageClass};

/// What a captured name means.
struct Found {
    ty: GlType,
    size: u32,
    source: XfbSource,
}

/// Resolves the request against the outputs of the last vertex-processing stage, whose locations
/// are assigned.
pub fn link_xfb(
    stage: &Stage,
    request: &XfbRequest,
    log: &mut LinkLog,
) -> Option<TransformFeedback> {
    let mut varyings: Vec<XfbVarying> = Vec::new();
    let mut strides = vec![0u32];
    let separate = request.mode == XfbMode::Separate;
    let mut components = 0;
    let mut failed = false;
    for (at, name) in request.varyings.iter().enumerate() {
        if separate && at > 0 {
            strides.push(0);
        }
        if name == "gl_NextBuffer" || name.starts_with("gl_SkipComponents") {
            if separate {
                log.error(format!("`{name}` cannot be captured into separate buffers"));
                failed = true;
                continue;
            }
            let Some(skipped) = name.strip_prefix("gl_SkipComponents") else {
                strides.push(0);
                continue;
            };
            let Some(size) = skipped.parse::<u32>().ok().filter(|n| (1..=4).contains(n)) else {
                log.error(format!("`{name}` cannot be captured"));
                failed = true;
                continue;
            };
            let buffer = strides.len() as u32 - 1;
            let offset = strides[buffer as usize];
            let ty = GlType::FLOAT;
            varyings.push(XfbVarying {
                name: name.clone(),
                ty,
                size,
                buffer,
                offset,
                source: None,
            });
            strides[buffer as usize] += size * 4;
            continue;
        }
        if varyings.iter().any(|v| v.name == *name) {
            log.error(format!("`{name}` is captured twice"));
            failed = true;
            continue;
        }
        let Some(found) = find(stage, name) else {
            log.error(format!(
                "`{name}` is to be captured but is no output of the {} shader",
                stage.stage.name()
            ));
            failed = true;
            continue;
        };
        let count = found.ty.components() * (found.ty.component_bytes() / 4) * found.size;
        components += count;
        if separate && count > log.limits.xfb_separate_components {
            log.error(format!(
                "`{name}` has {count} components, the limit of a separate buffer is {}",
                log.limits.xfb_separate_components
            ));
            failed = true;
        }
        let buffer = strides.len() as u32 - 1;
        let offset = strides[buffer as usize];
        strides[buffer as usize] += count * 4;
        varyings.push(XfbVarying {
            name: name.clone(),
            ty: found.ty,
            size: found.size,
            buffer,
            offset,
            source: Some(found.source),
        });
    }
    let buffers = strides.len() as u32;
    let buffer_limit = if separate {
        log.limits.xfb_separate_attribs
    } else {
        log.limits.xfb_buffers
    };
    if buffers > buffer_limit {
        log.error(format!(
            "{buffers} buffers are captured into, the limit is {buffer_limit}"
        ));
        failed = true;
    }
    if !separate && components > log.limits.xfb_interleaved_components {
        log.error(format!(
            "{components} components are captured, the limit is {}",
            log.limits.xfb_interleaved_components
        ));
        failed = true;
    }
    (!failed).then_some(TransformFeedback {
        mode: request.mode,
        varyings,
        strides,
    })
}

/// Splits `name[n]` into name and index.
fn subscript(name: &str) -> Option<(&str, Option<u32>)> {
    match name.strip_suffix(']') {
        None => Some((name, None)),
        Some(open) => {
            let (base, index) = open.rsplit_once('[')?;
            Some((base, Some(index.parse().ok()?)))
        }
    }
}

fn find(stage: &Stage, name: &str) -> Option<Found> {
    let (base, element) = subscript(name)?;
    find_builtin(&stage.spv, base, element).or_else(|| find_plain(&stage.spv, name))
}

fn find_builtin(spv: &Spv, base: &str, element: Option<u32>) -> Option<Found> {
    let wanted = match base {
        "gl_Position" => BuiltIn::Position,
        "gl_PointSize" => BuiltIn::PointSize,
        "gl_ClipDistance" => BuiltIn::ClipDistance,
        _ => return None,
    };
    for variable in spv.variables() {
        if variable.class != StorageClass::Output {
            continue;
        }
        let ty = if spv.decoration(variable.id, Decoration::BuiltIn) == Some(wanted as u32) {
            variable.ty
        } else {
            let block = spv.strip_array(variable.ty).0;
            let Shape::Struct(members) = spv.shape(block) else {
                continue;
            };
            let at = (0..members.len() as u32).find(|at| {
                spv.member_decoration(block, *at, Decoration::BuiltIn) == Some(wanted as u32)
            });
            let Some(at) = at else { continue };
            members[at as usize]
        };
        let (ty, size, offset) = captured_type(spv, ty, element)?;
        let source = XfbSource::BuiltIn {
            builtin: wanted as u32,
            element: offset,
        };
        return Some(Found { ty, size, source });
    }
    None
}

/// Type, elements and first element of a capture of a basic value or an array of them.
fn captured_type(spv: &Spv, ty: u32, element: Option<u32>) -> Option<(GlType, u32, u32)> {
    match (spv.shape(ty), element) {
        (Shape::Basic(basic), None) => Some((basic, 1, 0)),
        (Shape::Array(inner, length), element) => {
            let Shape::Basic(basic) = spv.shape(inner) else {
                return None;
            };
            match element {
                None => Some((basic, length, 0)),
                Some(n) if n < length => Some((basic, 1, n)),
                Some(_) => None,
            }
        }
        _ => None,
    }
}

/// Finds `a`, `a[1]`, `s.b`, `s.b[1]`, `s[2].b`, `Block.b`.
fn find_plain(spv: &Spv, name: &str) -> Option<Found> {
    let mut parts = name.split('.');
    let (head, head_index) = subscript(parts.next()?)?;
    let rest: Vec<&str> = parts.collect();
    for variable in plain_variables(spv, StorageClass::Output) {
        let location = spv
            .decoration(variable.id, Decoration::Location)
            .unwrap_or(0);
        let is_block = spv.decoration(variable.ty, Decoration::Block).is_some();
        let walked = if is_block {
            let block = original_name(spv.name(variable.ty));
            if head == block && head_index.is_none() && !rest.is_empty() {
                walk(spv, variable.ty, location, None, &rest)
            } else if spv.name(variable.id).is_empty() {
                // Members of a block without an instance name go by their own names.
                let all: Vec<&str> = name.split('.').collect();
                walk(spv, variable.ty, location, None, &all)
            } else {
                None
            }
        } else if original_name(spv.name(variable.id)) == head {
            walk(spv, variable.ty, location, head_index, &rest)
        } else {
            None
        };
        if walked.is_some() {
            return walked;
        }
    }
    None
}

fn walk(spv: &Spv, ty: u32, location: u32, index: Option<u32>, rest: &[&str]) -> Option<Found> {
    let Some((next, rest)) = rest.split_first() else {
        let (basic, size, element) = captured_type(spv, ty, index)?;
        let source = XfbSource::Location(location + element * basic.locations(true));
        return Some(Found {
            ty: basic,
            size,
            source,
        });
    };
    let (ty, location) = match (spv.shape(ty), index) {
        (Shape::Array(inner, length), Some(n)) if n < length => {
            (inner, location + n * spv.locations(inner, true))
        }
        (Shape::Struct(_), None) => (ty, location),
        _ => return None,
    };
    let Shape::Struct(members) = spv.shape(ty) else {
        return None;
    };
    let (field, index) = subscript(next)?;
    let mut location = location;
    for (at, member) in members.into_iter().enumerate() {
        if original_name(spv.member_name(ty, at as u32)) == field {
            return walk(spv, member, location, index, rest);
        }
        location += spv.locations(member, true);
    }
    None
}
