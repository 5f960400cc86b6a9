//! Rewriting of the stored test programs: what the words say afterwards, and modules that are damaged
//! or do not belong to their archive. That everything is valid for Vulkan is checked where there is a
//! compiler (mgl-record/tests/magma_shaders.rs).

use super::*;
use mgl_core::program::{StageMask, UniformBlock};
use rspirv::dr::Instruction;
use rspirv::spirv::{BuiltIn, Capability, Decoration, Op, StorageClass};
use std::path::Path;

const RICH: ShaderFeatures = ShaderFeatures {
    depth_clip_control: true,
    draw_parameters: true,
    one_d_images: true,
    geometry: true,
    tessellation: true,
    late_point_size: true,
    clip_distance: true,
    cull_distance: true,
    float64: true,
    sample_rate: true,
    multi_viewport: true,
    gather_extended: true,
    cube_arrays: true,
    capture: true,
    streams: true,
    opaque_blocks: false,
};
const POOR: ShaderFeatures = ShaderFeatures {
    depth_clip_control: false,
    draw_parameters: false,
    one_d_images: false,
    opaque_blocks: true,
    ..RICH
};

fn stored(name: &str) -> (Reflection, [Vec<u32>; 6]) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shaders");
    let archive = std::fs::read(dir.join(format!("{name}.refl"))).expect("an archive");
    let reflection = Reflection::decode(&archive).expect("an archive decodes");
    let mut stages: [Vec<u32>; 6] = Default::default();
    for (ext, stage) in [
        ("vert", ShaderStage::Vertex),
        ("geom", ShaderStage::Geometry),
        ("frag", ShaderStage::Fragment),
    ] {
        if let Ok(bytes) = std::fs::read(dir.join(format!("{name}.{ext}.spv"))) {
            stages[stage as usize] = bytes
                .chunks_exact(4)
                .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
                .collect();
        }
    }
    (reflection, stages)
}

fn program(name: &str, features: ShaderFeatures) -> Program {
    let (reflection, stages) = stored(name);
    Program::new(reflection, &stages, features).expect("a program")
}

fn state() -> DrawState {
    DrawState {
        depth_minus_one_to_one: true,
        point_origin_upper_left: true,
        draw_buffers: 1,
        indexed: true,
        ..DrawState::default()
    }
}

fn module(p: &Program, stage: ShaderStage, state: &DrawState) -> Spv {
    let words = p.stage(stage, &p.key(state)).expect("a stage");
    Spv::load(&words.expect("the stage is there")).expect("a module")
}

fn count(spv: &Spv, op: Op) -> usize {
    let all = spv.module.functions.iter().flat_map(|f| f.all_inst_iter());
    all.filter(|i| i.class.opcode == op).count()
}

#[test]
fn depth_is_rewritten_only_without_clip_control() {
    let rewritten = module(&program("vertexcolor", POOR), ShaderStage::Vertex, &state());
    let kept = module(&program("vertexcolor", RICH), ShaderStage::Vertex, &state());
    assert_eq!(
        count(&rewritten, Op::FMul),
        count(&kept, Op::FMul) + 1,
        "z and w are averaged"
    );
    let zero_to_one = DrawState {
        depth_minus_one_to_one: false,
        ..state()
    };
    let plain = module(
        &program("vertexcolor", POOR),
        ShaderStage::Vertex,
        &zero_to_one,
    );
    assert_eq!(count(&plain, Op::FMul), count(&kept, Op::FMul));
}

#[test]
fn points_get_the_pushed_size() {
    let p = program("vertexcolor", RICH);
    let points = DrawState {
        points: true,
        ..state()
    };
    let spv = module(&p, ShaderStage::Vertex, &points);
    let block = spv
        .variables()
        .into_iter()
        .find(|v| v.class == StorageClass::PushConstant)
        .expect("a block of push constants");
    assert_eq!(
        spv.member_decoration(block.ty, 1, Decoration::Offset),
        Some(std::mem::offset_of!(DrawConstants, point_size) as u32)
    );
    let without = module(&p, ShaderStage::Vertex, &state());
    assert!(
        without
            .variables()
            .iter()
            .all(|v| v.class != StorageClass::PushConstant)
    );
    // The size, and the position, which points outside the clip volume lose.
    assert_eq!(count(&spv, Op::Store), count(&without, Op::Store) + 2);
    assert_eq!(count(&spv, Op::Select), count(&without, Op::Select) + 1);
}

/// Locations of a module's outputs.
fn outputs(spv: &Spv) -> Vec<u32> {
    let mut list: Vec<u32> = spv
        .variables()
        .iter()
        .filter(|v| v.class == StorageClass::Output && !spv.is_builtin(**v))
        .filter_map(|v| spv.decoration(v.id, Decoration::Location))
        .collect();
    list.sort_unstable();
    list
}

#[test]
fn outputs_without_attachment_go() {
    let p = program("outputs", RICH);
    let all = outputs(&module(&p, ShaderStage::Fragment, &state()));
    assert!(all.len() >= 2 && all[0] == 0, "{all:?}");
    let without = DrawState {
        unattached: 1,
        ..state()
    };
    let left = outputs(&module(&p, ShaderStage::Fragment, &without));
    assert_eq!(left, all[1..]);
    let p = program("broadcast", RICH);
    let some = DrawState {
        draw_buffers: 4,
        unattached: 0b101,
        ..state()
    };
    assert_eq!(outputs(&module(&p, ShaderStage::Fragment, &some)), [1, 3]);
}

#[test]
fn captured_varyings_are_decorated_with_their_place() {
    let p = program("capture", RICH);
    let capturing = DrawState {
        capture: true,
        ..state()
    };
    let spv = module(&p, ShaderStage::Vertex, &capturing);
    let xfb = p.reflection.xfb.as_ref().expect("the program captures");
    let mut places: Vec<_> = spv
        .variables()
        .iter()
        .filter_map(|v| {
            Some((
                spv.decoration(v.id, Decoration::XfbBuffer)?,
                spv.decoration(v.id, Decoration::Offset)?,
                spv.decoration(v.id, Decoration::XfbStride)?,
            ))
        })
        .collect();
    places.sort_unstable();
    let mut wanted: Vec<_> = xfb
        .varyings
        .iter()
        .map(|v| (v.buffer, v.offset, xfb.strides[v.buffer as usize]))
        .collect();
    wanted.sort_unstable();
    assert_eq!(places, wanted);
    assert!(has_mode(&spv, ExecutionMode::Xfb));
    assert!(edit::has_capability(&spv, Capability::TransformFeedback));
    let idle = module(&p, ShaderStage::Vertex, &state());
    assert!(!has_mode(&idle, ExecutionMode::Xfb));
}

#[test]
fn a_base_instance_is_subtracted_wherever_it_comes_from() {
    let list: Vec<String> = names();
    let name = list
        .iter()
        .find(|n| stored(n).0.vertex.uses_instance_id)
        .expect("a stored program reads gl_InstanceID");
    let spv = module(&program(name, RICH), ShaderStage::Vertex, &state());
    let has = |spv: &Spv, builtin: BuiltIn| {
        spv.variables()
            .iter()
            .any(|v| spv.decoration(v.id, Decoration::BuiltIn) == Some(builtin as u32))
    };
    assert!(has(&spv, BuiltIn::InstanceIndex) && has(&spv, BuiltIn::BaseInstance));
    let pushed = module(&program(name, POOR), ShaderStage::Vertex, &state());
    assert!(has(&pushed, BuiltIn::InstanceIndex) && !has(&pushed, BuiltIn::BaseInstance));
    assert!(!edit::has_capability(&pushed, Capability::DrawParameters));
    assert_eq!(count(&spv, Op::ISub), count(&pushed, Op::ISub));
    assert!(count(&spv, Op::ISub) > 0);
}

/// Names of all stored programs.
fn names() -> Vec<String> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shaders");
    let files = std::fs::read_dir(dir).expect("the folder of shaders");
    let mut names: Vec<String> = files
        .filter_map(|f| {
            let name = f.ok()?.file_name().into_string().ok()?;
            Some(name.strip_suffix(".refl")?.to_owned())
        })
        .collect();
    names.sort_unstable();
    names
}

#[test]
fn all_stored_programs_have_all_variants() {
    let list = names();
    assert!(list.len() >= 8, "the programs are found");
    for name in &list {
        for features in [RICH, POOR] {
            let p = program(name, features);
            for flip_y in [false, true] {
                let state = DrawState {
                    flip_y,
                    points: flip_y,
                    capture: flip_y,
                    draw_buffers: 3,
                    ..state()
                };
                for stage in p.reflection.stages.iter() {
                    module(&p, stage, &state);
                }
            }
            for stage in ShaderStage::ALL {
                let there = p.stage(stage, &p.key(&state())).expect("a stage").is_some();
                assert_eq!(there, p.reflection.stages.contains(stage), "{name}");
            }
        }
    }
}

#[test]
fn modules_that_do_not_belong_to_their_archive_are_refused() {
    let list = names();
    let sampling = list
        .iter()
        .find(|n| !stored(n).0.samplers.is_empty())
        .expect("a stored program samples");
    let (mut reflection, stages) = stored(sampling);
    reflection.samplers.clear();
    let error = Program::new(reflection, &stages, RICH)
        .err()
        .expect("a sampler without entry");
    assert!(
        error.to_string().contains("the archive does not have"),
        "{error}"
    );
    let (mut reflection, mut stages) = stored("vertexcolor");
    reflection.stages = ShaderStage::Vertex.mask();
    stages.swap(ShaderStage::Vertex as usize, ShaderStage::Fragment as usize);
    let error = Program::new(reflection, &stages, RICH)
        .err()
        .expect("a fragment shader as a vertex shader");
    assert!(error.to_string().contains("Fragment"), "{error}");
    let (reflection, _) = stored("vertexcolor");
    assert!(Program::new(reflection, &Default::default(), RICH).is_err());
}

#[test]
fn arrayed_blocks_take_one_binding_of_many_descriptors() {
    let block = |name: &str, array_element, array_size| UniformBlock {
        name: name.to_owned(),
        size: 64,
        array_element,
        array_size,
        initial_binding: 0,
        members: Vec::new(),
        stages: ShaderStage::Vertex.mask(),
    };
    let reflection = Reflection {
        stages: ShaderStage::Vertex.mask(),
        uniform_blocks: vec![
            block("A", 0, 0),
            block("B[0]", 0, 2),
            UniformBlock {
                stages: ShaderStage::Fragment.mask(),
                ..block("B[1]", 1, 2)
            },
            block("C", 0, 0),
        ],
        ..Reflection::default()
    };
    let layout = Layout::of(&reflection);
    let found: Vec<_> = layout
        .bindings
        .iter()
        .map(|b| (b.set, b.binding, b.count))
        .collect();
    assert_eq!(found, [(1, 0, 1), (1, 1, 2), (1, 3, 1)]);
    assert_eq!(
        layout.bindings[1].stages,
        vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT
    );
    assert_eq!(
        layout.bindings[1].descriptor_type(true),
        vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC
    );
}

#[test]
fn recursion_and_stray_branches_are_refused() {
    let (reflection, mut stages) = stored("vertexcolor");
    let words = &mut stages[ShaderStage::Fragment as usize];
    let mut spv = Spv::load(words).expect("a module");
    let main = spv.entry_function();
    let void = spv.global(Op::TypeVoid, None, Vec::new());
    let id = spv.new_id();
    let call = Instruction::new(
        Op::FunctionCall,
        Some(void),
        Some(id),
        vec![Operand::IdRef(main)],
    );
    edit::insert_before(&mut spv, Op::Return, false, |_| vec![call.clone()]);
    *words = spv.assemble();
    let error = Program::new(reflection.clone(), &stages, RICH)
        .err()
        .expect("a function that calls itself");
    assert!(error.to_string().contains("calls itself"), "{error}");

    let (_, mut stages) = stored("vertexcolor");
    let words = &mut stages[ShaderStage::Fragment as usize];
    let mut spv = Spv::load(words).expect("a module");
    for function in &mut spv.module.functions {
        for inst in function.all_inst_iter_mut() {
            if inst.class.opcode == Op::Return {
                *inst = Instruction::new(Op::Branch, None, None, vec![Operand::IdRef(main)]);
            }
        }
    }
    *words = spv.assemble();
    let error = Program::new(reflection, &stages, RICH)
        .err()
        .expect("a branch to no block");
    assert!(error.to_string().contains("branch"), "{error}");
}

#[test]
fn damaged_modules_are_errors_and_never_panics() {
    let mut refused = 0;
    for name in names() {
        let (reflection, stages) = stored(&name);
        for stage in reflection.stages.iter() {
            let words = &stages[stage as usize];
            let mut one = reflection.clone();
            one.stages = StageMask(stage.mask().0);
            let mut try_with = |bad: Vec<u32>| {
                let mut list: [Vec<u32>; 6] = Default::default();
                list[stage as usize] = bad;
                match Program::new(one.clone(), &list, POOR) {
                    Ok(p) => {
                        let state = DrawState {
                            flip_y: true,
                            points: true,
                            capture: true,
                            draw_buffers: 2,
                            ..state()
                        };
                        refused += usize::from(p.stage(stage, &p.key(&state)).is_err());
                    }
                    Err(_) => refused += 1,
                }
            };
            for len in (0..words.len()).step_by(7) {
                try_with(words[..len].to_vec());
            }
            for at in 0..words.len() {
                let mut bad = words.clone();
                bad[at] ^= 1 << ((at * 7) % 32);
                try_with(bad.clone());
                bad[at] = words[at].wrapping_add(1);
                try_with(bad);
            }
        }
    }
    assert!(refused > 1000, "{refused} were refused");
}
