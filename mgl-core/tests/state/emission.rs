//! A state that is emitted into a fresh one is there again; what is left out is named.

use crate::legal::{CodeOnly, World};
use mgl_core::handle::*;
use mgl_core::pipe::emission::{EmissionError, emit, first_difference, spare_handles};
use mgl_core::pipe::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Emits the state of `w` but for calls that `drops` names into a fresh state.
fn emitted(w: &World, drops: &dyn Fn(&Call<'_>) -> bool) -> Result<PushedState, EmissionError> {
    let mut fresh = PushedState::default();
    let mut sink = |call: &Call<'_>| match drops(call) {
        true => Ok(()),
        false => absorb(&mut fresh, call),
    };
    emit(
        &w.state,
        &mut CodeOnly(&w.code),
        &mut spare_handles(&w.state),
        &mut sink,
    )?;
    Ok(fresh)
}

fn whole(w: &World) -> Option<String> {
    match emitted(w, &|_| false) {
        Err(e) => Some(e.to_string()),
        Ok(fresh) => first_difference(&w.state, &fresh),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_fresh_state_equals_the_one_that_is_emitted(seed in any::<u64>(), steps in 0..900usize) {
        let mut w = World::new(seed);
        for _ in 0..steps {
            w.step();
        }
        prop_assert_eq!(whole(&w), None);
    }
}

/// Every call that emission makes is missed in some state when it is left out, the roundabout ways among them: what died
/// while it was bound, and what was respecified below its bindings.
#[test]
fn whatever_is_left_out_is_missed_by_name() {
    let mut unseen: BTreeSet<&str> = [
        "ContextCreate",
        "SurfaceCreate",
        "ObjectLabel",
        "ResourceCreate",
        "SetTextureParams",
        "CreateRenderState",
        "CreateVertexElements",
        "CreateSamplerState",
        "CreateSamplerView",
        "CreateShaderState",
        "SetProgramBindings",
        "SetGlobalConstants",
        "FenceCreate",
        "QueryCreate",
        "QueryBegin",
        "BindRenderState",
        "BindVertexElements",
        "SetDynamicState",
        "SetFramebufferState",
        "SetVertexBuffers",
        "SetIndexBuffer",
        "SetIndirectBuffers",
        "SetSamplerViews",
        "BindSamplerStates",
        "SetShaderImages",
        "SetShaderBuffers",
        "SetStreamOutputTargets",
        "SetVertexAttribDefaults",
        "SetPixelPackState",
        "SetPatchState",
        "BindShaderState",
        "SetDrawProgram",
        "SetDispatchProgram",
        "BeginStreamOutput",
        "PauseStreamOutput",
        "BindContext",
        "ResourceRespecify",
        "ResourceDestroy",
        "DeleteRenderState",
        "DeleteVertexElements",
        "ContextReset",
    ]
    .into();
    for seed in 0..60 {
        let mut w = World::new(seed);
        (0..500).for_each(|_| w.step());
        assert_eq!(whole(&w), None);
        for name in unseen.clone() {
            let found = match emitted(&w, &|call| call.op().name() == name) {
                Err(e) => Some(e.to_string()),
                Ok(fresh) => first_difference(&w.state, &fresh),
            };
            if found.is_some() {
                unseen.remove(name);
            }
        }
    }
    assert!(unseen.is_empty(), "left out and not missed: {unseen:?}");
}

/// A context with every group pushed.
fn all_groups() -> World {
    for seed in 0.. {
        let mut w = World::new(seed);
        for _ in 0..2000 {
            w.step();
            let all = |c: &ContextState| Group::ALL.iter().all(|g| c.was_pushed(*g));
            if w.state.context().is_some_and(all) {
                return w;
            }
        }
    }
    unreachable!("seeds do not end")
}

#[test]
fn a_group_that_is_left_out_is_named() {
    let w = all_groups();
    let (context, _) = (w.state.contexts.iter())
        .find(|(_, c)| Group::ALL.iter().all(|g| c.was_pushed(*g)))
        .expect("it was just made");
    for &g in Group::ALL {
        let of_group = |call: &Call<'_>| match (g, call) {
            (Group::RenderState, Call::BindRenderState { .. })
            | (Group::Dynamic, Call::SetDynamicState { .. })
            | (Group::VertexElements, Call::BindVertexElements { .. })
            | (Group::VertexBuffers, Call::SetVertexBuffers { .. })
            | (Group::IndexBuffer, Call::SetIndexBuffer { .. })
            | (Group::IndirectBuffers, Call::SetIndirectBuffers { .. })
            | (Group::SamplerViews, Call::SetSamplerViews { .. })
            | (Group::SamplerStates, Call::BindSamplerStates { .. })
            | (Group::ShaderImages, Call::SetShaderImages { .. })
            | (Group::StreamOutput, Call::SetStreamOutputTargets { .. })
            | (Group::AttribDefaults, Call::SetVertexAttribDefaults { .. })
            | (Group::PixelPack, Call::SetPixelPackState { .. })
            | (Group::Patch, Call::SetPatchState { .. })
            | (Group::Shader, Call::BindShaderState { .. })
            | (Group::DrawProgram, Call::SetDrawProgram { .. })
            | (Group::DispatchProgram, Call::SetDispatchProgram { .. }) => true,
            (Group::DrawFramebuffer, Call::SetFramebufferState { p }) => {
                p.binding == FramebufferBinding::DRAW
            }
            (Group::ReadFramebuffer, Call::SetFramebufferState { p }) => {
                p.binding == FramebufferBinding::READ
            }
            (Group::UniformBuffers, Call::SetShaderBuffers { p, .. }) => {
                p.class == BufferClass::UNIFORM_BUFFER
            }
            (Group::StorageBuffers, Call::SetShaderBuffers { p, .. }) => {
                p.class == BufferClass::SHADER_STORAGE_BUFFER
            }
            (Group::AtomicBuffers, Call::SetShaderBuffers { p, .. }) => {
                p.class == BufferClass::ATOMIC_COUNTER_BUFFER
            }
            _ => false,
        };
        let mut speaker = ContextHandle::NULL;
        let mut fresh = PushedState::default();
        let mut sink = |call: &Call<'_>| {
            if let Call::BindContext { p } = call {
                speaker = p.context;
            }
            if speaker == context && of_group(call) {
                return Ok(());
            }
            absorb(&mut fresh, call)
        };
        let done = emit(
            &w.state,
            &mut CodeOnly(&w.code),
            &mut spare_handles(&w.state),
            &mut sink,
        );
        let text = match done {
            // Transform feedback cannot begin without them.
            Err(e) => e.to_string(),
            Ok(_) => first_difference(&w.state, &fresh).expect("it is missed"),
        };
        assert!(text.contains(g.name()), "{}: {text}", g.name());
    }
}

#[test]
fn a_changed_value_is_named_with_its_object_and_field() {
    let p = &SamplerDesc {
        sampler: SamplerHandle(Handle {
            slot: 3,
            generation: 2,
        }),
        ..SamplerDesc::default()
    };
    let mut states = [PushedState::default(), PushedState::default()];
    absorb(&mut states[0], &Call::CreateSamplerState { p }).expect("new");
    let other = &SamplerDesc {
        wrap: [Wrap::REPEAT, Wrap::CLAMP_TO_EDGE, Wrap::REPEAT],
        ..*p
    };
    absorb(&mut states[1], &Call::CreateSamplerState { p: other }).expect("new");
    let text = first_difference(&states[0], &states[1]).expect("they differ");
    assert!(text.starts_with("Sampler{3,2}: wrap[0]: "), "{text}");
    let empty = PushedState::default();
    let text = first_difference(&states[0], &empty).expect("they differ");
    assert_eq!(text, "Sampler{3,2}: is missing");
    let text = first_difference(&empty, &states[0]).expect("they differ");
    assert_eq!(text, "Sampler{3,2}: is too many");
    assert_eq!(first_difference(&states[0], &states[0].clone()), None);
}

#[test]
fn code_that_is_missing_or_of_another_program_is_told() {
    let mut w = World::new(1);
    while w.state.programs.is_empty() {
        w.step();
    }
    let (h, _) = w.state.programs.iter().next().expect("it was just made");
    let code = w.code.get_mut(&h.raw()).expect("kept");
    code[6].push(1);
    let told = emitted(&w, &|_| false).expect_err("other code");
    let part = "reflection";
    assert_eq!(told, EmissionError::OtherCode { program: h, part });
    w.code.clear();
    let told = emitted(&w, &|_| false).expect_err("no code");
    assert_eq!(told, EmissionError::NoCode(h));
}
