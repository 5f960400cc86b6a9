//! Facts about stages that back ends need before they draw: which built-ins are read and written,
//! execution modes, derivatives, discard.

use super::link::{LinkLog, Stage};
use mgl_core::program::{
    FragmentFacts, Geometry, GeometryPrimitive, Reflection, ShaderStage, VertexFacts,
};
use mgl_replay::spv::{Shape, Spv};
use rspirv::dr::Operand;
use rspirv::spirv::{BuiltIn, Capability, Decoration, ExecutionMode, Op, StorageClass};

/// One built-in that reachable code touches.
struct Touched {
    builtin: BuiltIn,
    class: StorageClass,
    stored: bool,
    /// Length, for the clip distance array.
    length: u32,
}

fn touched(stage: &Stage) -> Vec<Touched> {
    let spv = &stage.spv;
    let mut list = Vec::new();
    for variable in spv.variables() {
        if !matches!(variable.class, StorageClass::Input | StorageClass::Output)
            || !stage.reach.uses(variable.id)
        {
            continue;
        }
        let array_length = |ty| match spv.shape(ty) {
            Shape::Array(_, length) => length,
            _ => 0,
        };
        let stored = stage.reach.stores(variable.id);
        if let Some(builtin) = spv
            .decoration(variable.id, Decoration::BuiltIn)
            .and_then(Spv::builtin)
        {
            let length = array_length(variable.ty);
            list.push(Touched {
                builtin,
                class: variable.class,
                stored,
                length,
            });
            continue;
        }
        // gl_PerVertex, arrayed by vertex where it is an input.
        let (ty, outer) = spv.strip_array(variable.ty);
        let Shape::Struct(members) = spv.shape(ty) else {
            continue;
        };
        for (at, member) in members.into_iter().enumerate() {
            let at = at as u32;
            let Some(builtin) = spv
                .member_decoration(ty, at, Decoration::BuiltIn)
                .and_then(Spv::builtin)
            else {
                continue;
            };
            let used = if outer.is_some() {
                // Which vertex does not matter: the member is the second index.
                (0..outer.unwrap_or(1)).any(|n| stage.reach.uses_path(variable.id, &[n, at]))
            } else {
                stage.reach.uses_path(variable.id, &[at])
            };
            if used {
                let length = array_length(member);
                list.push(Touched {
                    builtin,
                    class: variable.class,
                    stored,
                    length,
                });
            }
        }
    }
    list
}

/// Fills in the archive's facts from all stages.
pub fn collect_facts(stages: &[Stage], reflection: &mut Reflection, log: &mut LinkLog) {
    let last_vertex = stages
        .iter()
        .rfind(|s| s.stage < ShaderStage::Fragment)
        .map(|s| s.stage);
    for stage in stages {
        let touched = touched(stage);
        if stage.stage == ShaderStage::Vertex {
            vertex_inputs(&touched, &mut reflection.vertex);
        }
        if Some(stage.stage) == last_vertex {
            vertex_outputs(stage, &touched, &mut reflection.vertex);
        }
        if stage.stage == ShaderStage::Geometry {
            reflection.geometry = geometry(&stage.spv, log);
        }
        if stage.stage == ShaderStage::Fragment {
            fragment(stage, &touched, &mut reflection.fragment);
        }
        reflection.uses_fp64 |=
            stage.spv.module.capabilities.iter().any(|inst| {
                inst.operands.first() == Some(&Operand::Capability(Capability::Float64))
            });
    }
}

fn vertex_inputs(touched: &[Touched], facts: &mut VertexFacts) {
    for t in touched.iter().filter(|t| t.class == StorageClass::Input) {
        match t.builtin {
            BuiltIn::InstanceIndex => facts.uses_instance_id = true,
            BuiltIn::VertexIndex => facts.uses_vertex_id = true,
            BuiltIn::BaseInstance => facts.uses_base_instance = true,
            BuiltIn::BaseVertex => facts.uses_base_vertex = true,
            BuiltIn::DrawIndex => facts.uses_draw_id = true,
            _ => {}
        }
    }
}

fn vertex_outputs(stage: &Stage, touched: &[Touched], facts: &mut VertexFacts) {
    for t in touched
        .iter()
        .filter(|t| t.class == StorageClass::Output && t.stored)
    {
        match t.builtin {
            BuiltIn::PointSize => facts.writes_point_size = true,
            BuiltIn::ClipDistance => facts.clip_distances = t.length,
            BuiltIn::Layer => facts.writes_layer = true,
            BuiltIn::ViewportIndex => facts.writes_viewport_index = true,
            _ => {}
        }
    }
    facts.uses_noperspective = stage.spv.variables().iter().any(|v| {
        v.class == StorageClass::Output
            && stage
                .spv
                .decoration(v.id, Decoration::NoPerspective)
                .is_some()
    });
}

fn modes(spv: &Spv) -> impl Iterator<Item = (ExecutionMode, u32)> + '_ {
    spv.module
        .execution_modes
        .iter()
        .filter_map(|inst| match inst.operands.as_slice() {
            [_, Operand::ExecutionMode(mode), rest @ ..] => Some((
                *mode,
                match rest.first() {
                    Some(Operand::LiteralBit32(v)) => *v,
                    _ => 0,
                },
            )),
            _ => None,
        })
}

fn geometry(spv: &Spv, log: &mut LinkLog) -> Option<Geometry> {
    let (mut input, mut output, mut max_vertices, mut invocations) = (None, None, 0, 1);
    for (mode, value) in modes(spv) {
        match mode {
            ExecutionMode::InputPoints => input = Some(GeometryPrimitive::Points),
            ExecutionMode::InputLines => input = Some(GeometryPrimitive::Lines),
            ExecutionMode::InputLinesAdjacency => input = Some(GeometryPrimitive::LinesAdjacency),
            ExecutionMode::Triangles => input = Some(GeometryPrimitive::Triangles),
            ExecutionMode::InputTrianglesAdjacency => {
                input = Some(GeometryPrimitive::TrianglesAdjacency);
            }
            ExecutionMode::OutputPoints => output = Some(GeometryPrimitive::Points),
            ExecutionMode::OutputLineStrip => output = Some(GeometryPrimitive::LineStrip),
            ExecutionMode::OutputTriangleStrip => output = Some(GeometryPrimitive::TriangleStrip),
            ExecutionMode::OutputVertices => max_vertices = value,
            ExecutionMode::Invocations => invocations = value.max(1),
            _ => {}
        }
    }
    match (input, output) {
        (Some(input), Some(output)) => Some(Geometry {
            input,
            output,
            max_vertices,
            invocations,
        }),
        _ => {
            log.error("the geometry shader lacks an input or an output primitive".to_owned());
            None
        }
    }
}

fn fragment(stage: &Stage, touched: &[Touched], facts: &mut FragmentFacts) {
    for t in touched {
        match (t.class, t.builtin) {
            (StorageClass::Output, BuiltIn::FragDepth) => facts.writes_depth |= t.stored,
            (_, BuiltIn::FragCoord) => facts.uses_frag_coord = true,
            (_, BuiltIn::PointCoord) => facts.uses_point_coord = true,
            (_, BuiltIn::FrontFacing) => facts.uses_front_facing = true,
            (_, BuiltIn::PrimitiveId) => facts.uses_primitive_id = true,
            (_, BuiltIn::SampleId | BuiltIn::SamplePosition) => facts.per_sample = true,
            _ => {}
        }
    }
    facts.per_sample |= stage.spv.variables().iter().any(|v| {
        v.class == StorageClass::Input && stage.spv.decoration(v.id, Decoration::Sample).is_some()
    });
    facts.uses_discard = stage.reach.has_op(Op::Kill)
        || stage.reach.has_op(Op::TerminateInvocation)
        || stage.reach.has_op(Op::DemoteToHelperInvocation);
    facts.uses_derivatives = [
        Op::DPdx,
        Op::DPdy,
        Op::Fwidth,
        Op::DPdxFine,
        Op::DPdyFine,
        Op::FwidthFine,
        Op::DPdxCoarse,
        Op::DPdyCoarse,
        Op::FwidthCoarse,
    ]
    .into_iter()
    .any(|op| stage.reach.has_op(op));
    facts.early_fragment_tests =
        modes(&stage.spv).any(|(mode, _)| mode == ExecutionMode::EarlyFragmentTests);
    facts.pixel_center_integer = stage.decls.pixel_center_integer;
    facts.origin_upper_left = stage.decls.origin_upper_left;
}
