//! Inputs and outputs of a linked program: vertex attributes and fragment outputs get their
//! locations from the source, from the program's bindings and then from what is free (GL 3.3
//! §2.11.3, §3.9.2); values between stages are matched by name and given locations (§2.11.6).

use super::link::{LinkLog, LinkOptions, Stage};
use super::uniforms::original_name;
use mgl_core::program::{Attribute, FragOutput, ShaderStage};
use mgl_replay::spv::{Shape, Spv, Variable, edit};
use rspirv::dr::Operand;
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass};

/// What the translator names the output that stands for `gl_FragColor`.
pub const FRAG_COLOR: &str = "mgl_FragColor";
/// What the translator names the output array that stands for `gl_FragData`.
pub const FRAG_DATA: &str = "mgl_FragData";

/// Which locations are taken, as a growing bit set.
#[derive(Default)]
struct Slots(Vec<bool>);

impl Slots {
    fn is_free(&self, first: u32, count: u32) -> bool {
        (first..first + count).all(|n| !self.0.get(n as usize).copied().unwrap_or(false))
    }

    fn take(&mut self, first: u32, count: u32) {
        let end = (first + count) as usize;
        if self.0.len() < end {
            self.0.resize(end, false);
        }
        self.0[first as usize..end].fill(true);
    }

    /// The first place for `count` consecutive locations.
    fn find(&self, count: u32) -> u32 {
        (0..)
            .find(|first| self.is_free(*first, count))
            .expect("the locations above all taken ones are free")
    }
}

/// Variables of a storage class that are no built-ins.
pub fn plain_variables(spv: &Spv, class: StorageClass) -> Vec<Variable> {
    let variables = spv.variables();
    variables
        .into_iter()
        .filter(|v| v.class == class && !spv.is_builtin(*v))
        .collect()
}

/// Gives the vertex stage's inputs their locations, drops the inactive ones, and lists the active
/// ones.
pub fn link_attributes(
    stage: &mut Stage,
    options: &LinkOptions,
    log: &mut LinkLog,
) -> Vec<Attribute> {
    let limit = log.limits.vertex_attribs;
    let mut attributes = Vec::new();
    let mut slots = Slots::default();
    let mut waiting = Vec::new();
    let mut gone = Vec::new();
    for variable in plain_variables(&stage.spv, StorageClass::Input) {
        if !stage.reach.uses(variable.id) {
            gone.push(variable.id);
            continue;
        }
        let name = original_name(stage.spv.name(variable.id)).to_owned();
        let count = stage.spv.locations(variable.ty, false);
        let (element, length) = stage.spv.strip_array(variable.ty);
        let Shape::Basic(ty) = stage.spv.shape(element) else {
            log.error(format!(
                "vertex attribute `{name}` has a type that attributes cannot have"
            ));
            continue;
        };
        let given = stage
            .spv
            .decoration(variable.id, Decoration::Location)
            .or_else(|| options.attrib_bindings.get(&name).copied());
        attributes.push(Attribute {
            name: name.clone(),
            ty,
            size: length.unwrap_or(1),
            location: -1,
        });
        let index = attributes.len() - 1;
        match given {
            Some(location) if u64::from(location) + u64::from(count) > u64::from(limit) => {
                log.error(format!(
                    "vertex attribute `{name}` at location {location} does not fit in {limit} attributes"
                ));
            }
            Some(location) => {
                if !slots.is_free(location, count) {
                    log.error(format!(
                        "vertex attribute `{name}` shares location {location} with another one"
                    ));
                    continue;
                }
                slots.take(location, count);
                attributes[index].location = location as i32;
                stage
                    .spv
                    .decorate(variable.id, Decoration::Location, location);
            }
            None => waiting.push((variable, index, count, name)),
        }
    }
    for (variable, index, count, name) in waiting {
        let location = slots.find(count);
        if location + count > limit {
            log.error(format!(
                "no {count} consecutive locations are left of {limit} for vertex attribute `{name}`"
            ));
            continue;
        }
        slots.take(location, count);
        attributes[index].location = location as i32;
        stage
            .spv
            .decorate(variable.id, Decoration::Location, location);
    }
    stage.spv.remove_variables(&gone);
    for variable in stage.spv.variables() {
        if variable.class != StorageClass::Input || !stage.reach.uses(variable.id) {
            continue;
        }
        let name = match stage
            .spv
            .decoration(variable.id, Decoration::BuiltIn)
            .and_then(Spv::builtin)
        {
            Some(BuiltIn::VertexIndex) => "gl_VertexID",
            Some(BuiltIn::InstanceIndex) => "gl_InstanceID",
            Some(BuiltIn::BaseVertex) => "gl_BaseVertex",
            Some(BuiltIn::BaseInstance) => "gl_BaseInstance",
            Some(BuiltIn::DrawIndex) => "gl_DrawID",
            _ => continue,
        };
        let Shape::Basic(ty) = stage.spv.shape(variable.ty) else {
            continue;
        };
        attributes.push(Attribute {
            name: name.to_owned(),
            ty,
            size: 1,
            location: -1,
        });
    }
    attributes
}

/// Gives the fragment stage's outputs their locations and lists them.
pub fn link_outputs(
    stage: &mut Stage,
    options: &LinkOptions,
    log: &mut LinkLog,
) -> Vec<FragOutput> {
    let mut outputs = Vec::new();
    // One set of locations an index: dual-source outputs share location 0.
    let mut slots = [Slots::default(), Slots::default()];
    let mut waiting = Vec::new();
    for variable in plain_variables(&stage.spv, StorageClass::Output) {
        let declared = stage.spv.name(variable.id).to_owned();
        let name = match declared.as_str() {
            FRAG_COLOR => "gl_FragColor".to_owned(),
            FRAG_DATA => "gl_FragData".to_owned(),
            _ => original_name(&declared).to_owned(),
        };
        let (element, length) = stage.spv.strip_array(variable.ty);
        let Shape::Basic(ty) = stage.spv.shape(element) else {
            log.error(format!(
                "fragment output `{name}` has a type that outputs cannot have"
            ));
            continue;
        };
        let index = outputs.len();
        let size = length.unwrap_or(1);
        outputs.push(FragOutput {
            name: name.clone(),
            ty,
            size,
            is_array: length.is_some(),
            location: 0,
            index: 0,
        });
        let in_source = stage.spv.decoration(variable.id, Decoration::Location);
        let source_index = stage
            .spv
            .decoration(variable.id, Decoration::Index)
            .unwrap_or(0);
        let bound = options.frag_data_bindings.get(&name).copied();
        match in_source.map(|location| (location, source_index)).or(bound) {
            None => waiting.push((variable, index, size)),
            Some((location, source)) => {
                let limit = if source == 0 {
                    log.limits.draw_buffers
                } else {
                    log.limits.dual_source_draw_buffers
                };
                let fits = u64::from(location) + u64::from(size) <= u64::from(limit);
                if source > 1 || !fits {
                    log.error(format!(
                        "fragment output `{name}` at location {location}, index {source} is over the limit of {limit}"
                    ));
                    continue;
                }
                let slots = &mut slots[source as usize];
                if !slots.is_free(location, size) {
                    log.error(format!(
                        "fragment output `{name}` shares location {location} with another one"
                    ));
                    continue;
                }
                slots.take(location, size);
                outputs[index].location = location;
                outputs[index].index = source;
                stage
                    .spv
                    .decorate(variable.id, Decoration::Location, location);
                if source > 0 {
                    stage.spv.decorate(variable.id, Decoration::Index, source);
                }
            }
        }
    }
    for (variable, index, size) in waiting {
        let location = slots[0].find(size);
        if location + size > log.limits.draw_buffers {
            log.error(format!(
                "fragment output `{}` does not fit in {} draw buffers",
                outputs[index].name, log.limits.draw_buffers
            ));
            continue;
        }
        slots[0].take(location, size);
        outputs[index].location = location;
        stage
            .spv
            .decorate(variable.id, Decoration::Location, location);
    }
    outputs
}

/// True when the stage's inputs have an array dimension for the vertices of a primitive.
fn inputs_per_vertex(stage: ShaderStage) -> bool {
    matches!(
        stage,
        ShaderStage::Geometry | ShaderStage::TessControl | ShaderStage::TessEval
    )
}

/// Type of one vertex's value of an input.
fn input_type(stage: &Stage, variable: Variable) -> u32 {
    let is_patch = stage
        .spv
        .decoration(variable.id, Decoration::Patch)
        .is_some();
    if inputs_per_vertex(stage.stage) && !is_patch {
        stage.spv.strip_array(variable.ty).0
    } else {
        variable.ty
    }
}

/// Type of one vertex's value of an output.
fn output_type(stage: &Stage, variable: Variable) -> u32 {
    let is_patch = stage
        .spv
        .decoration(variable.id, Decoration::Patch)
        .is_some();
    if stage.stage == ShaderStage::TessControl && !is_patch {
        stage.spv.strip_array(variable.ty).0
    } else {
        variable.ty
    }
}

/// The name by which values are matched: the block's name for a block, the variable's otherwise.
fn match_name(spv: &Spv, variable: Variable, ty: u32) -> String {
    if spv.decoration(ty, Decoration::Block).is_some() {
        format!("block {}", original_name(spv.name(ty)))
    } else {
        original_name(spv.name(variable.id)).to_owned()
    }
}

const INTERPOLATION: [Decoration; 4] = [
    Decoration::Flat,
    Decoration::NoPerspective,
    Decoration::Centroid,
    Decoration::Sample,
];

/// Puts a variable that is zero in an input's place.
fn zero_input(spv: &mut Spv, input: Variable) {
    let zero = spv.global(Op::ConstantNull, Some(input.ty), Vec::new());
    let pointer = spv.type_pointer(StorageClass::Private, input.ty);
    let operands = vec![
        Operand::StorageClass(StorageClass::Private),
        Operand::IdRef(zero),
    ];
    let private = spv.add_global(Op::Variable, Some(pointer), operands);
    edit::retarget(spv, input.id, private, StorageClass::Private);
}

/// Matches the outputs of one stage with the inputs of the next, gives both their locations and
/// drops the consumer's unused inputs.
pub fn link_varyings(producer: &mut Stage, consumer: &mut Stage, log: &mut LinkLog) {
    struct Pair {
        output: Option<Variable>,
        input: Option<Variable>,
        count: u32,
        given: Option<u32>,
    }
    let outputs = plain_variables(&producer.spv, StorageClass::Output);
    let mut matched = vec![false; outputs.len()];
    let mut pairs = Vec::new();
    let mut gone = Vec::new();
    let mut components = 0;
    for input in plain_variables(&consumer.spv, StorageClass::Input) {
        if !consumer.reach.uses(input.id) {
            gone.push(input.id);
            continue;
        }
        let ty = input_type(consumer, input);
        let name = match_name(&consumer.spv, input, ty);
        let given = consumer.spv.decoration(input.id, Decoration::Location);
        let found = outputs.iter().position(|output| {
            let by_location = producer.spv.decoration(output.id, Decoration::Location);
            match (given, by_location) {
                (Some(a), Some(b)) => a == b,
                _ => match_name(&producer.spv, *output, output_type(producer, *output)) == name,
            }
        });
        let Some(at) = found else {
            // Undefined since GLSL 1.30; here it is zero.
            if !consumer.decls.strict_inputs {
                log.warning(&format!(
                    "input `{name}` of the {} shader has no matching output in the {} shader",
                    consumer.stage.name(),
                    producer.stage.name()
                ));
                zero_input(&mut consumer.spv, input);
                gone.push(input.id);
                continue;
            }
            log.error(format!(
                "input `{name}` of the {} shader has no matching output in the {} shader",
                consumer.stage.name(),
                producer.stage.name()
            ));
            continue;
        };
        let output = outputs[at];
        let out_ty = output_type(producer, output);
        if !consumer.spv.same_type(ty, &producer.spv, out_ty) {
            log.error(format!(
                "`{name}` is {} in the {} shader but {} in the {} shader",
                producer.spv.type_name(out_ty),
                producer.stage.name(),
                consumer.spv.type_name(ty),
                consumer.stage.name()
            ));
            continue;
        }
        matched[at] = true;
        components += consumer.spv.components(ty);
        // The reader's interpolation is the one that counts; a driver below may insist that the
        // writer says the same.
        if consumer.stage == ShaderStage::Fragment {
            for decoration in INTERPOLATION {
                producer.spv.undecorate(output.id, decoration);
                if consumer.spv.decoration(input.id, decoration).is_some() {
                    producer.spv.decorate_flag(output.id, decoration);
                }
            }
        }
        pairs.push(Pair {
            output: Some(output),
            input: Some(input),
            count: consumer.spv.locations(ty, true),
            given: given.or_else(|| producer.spv.decoration(output.id, Decoration::Location)),
        });
    }
    for (output, matched) in outputs.iter().zip(matched) {
        if !matched {
            pairs.push(Pair {
                output: Some(*output),
                input: None,
                count: producer.spv.locations(output_type(producer, *output), true),
                given: producer.spv.decoration(output.id, Decoration::Location),
            });
        }
    }
    consumer.spv.remove_variables(&gone);
    if components > log.limits.varying_components {
        log.error(format!(
            "{components} components pass from the {} to the {} shader, the limit is {}",
            producer.stage.name(),
            consumer.stage.name(),
            log.limits.varying_components
        ));
        return;
    }

    let mut slots = Slots::default();
    for pair in &pairs {
        if let Some(location) = pair.given
            && location < 1 << 12
        {
            slots.take(location, pair.count);
        }
    }
    for pair in &pairs {
        let location = match pair.given {
            Some(location) => location,
            None => {
                let location = slots.find(pair.count);
                slots.take(location, pair.count);
                location
            }
        };
        if let Some(output) = pair.output {
            producer
                .spv
                .decorate(output.id, Decoration::Location, location);
        }
        if let Some(input) = pair.input {
            consumer
                .spv
                .decorate(input.id, Decoration::Location, location);
        }
    }
}

/// Gives the outputs of a last vertex-processing stage that no fragment stage follows their
/// locations.
pub fn link_last_outputs(stage: &mut Stage) {
    let mut slots = Slots::default();
    let outputs = plain_variables(&stage.spv, StorageClass::Output);
    for output in &outputs {
        if let Some(location) = stage.spv.decoration(output.id, Decoration::Location)
            && location < 1 << 12
        {
            slots.take(location, stage.spv.locations(output.ty, true));
        }
    }
    for output in outputs {
        if stage
            .spv
            .decoration(output.id, Decoration::Location)
            .is_none()
        {
            let count = stage.spv.locations(output_type(stage, output), true);
            let location = slots.find(count);
            slots.take(location, count);
            stage
                .spv
                .decorate(output.id, Decoration::Location, location);
        }
    }
}
