//! What outlives what: share groups their founder, views their texture; and transform feedback.

use mgl_core::format::Format;
use mgl_core::handle::*;
use mgl_core::pipe::*;

fn h(slot: u32) -> Handle {
    Handle {
        slot,
        generation: 1,
    }
}

fn take(s: &mut PushedState, call: Call<'_>) {
    absorb(s, &call).unwrap_or_else(|e| panic!("{call:?}: {e}"));
}

/// The refusal of a call, in words.
fn refusal(s: &mut PushedState, call: Call<'_>) -> String {
    match absorb(s, &call) {
        Err(e) => e.to_string(),
        Ok(()) => panic!("{call:?} was taken"),
    }
}

fn context(s: &mut PushedState, slot: u32, share: ContextHandle) -> ContextHandle {
    let context = ContextHandle(h(slot));
    let p = &ContextDesc {
        context,
        share,
        profile: ContextProfile::CORE,
        ..ContextDesc::default()
    };
    take(s, Call::ContextCreate { p });
    context
}

fn bind(s: &mut PushedState, context: ContextHandle) {
    let p = &BindContext {
        context,
        ..BindContext::default()
    };
    take(s, Call::BindContext { p });
}

fn share(s: &PushedState, context: ContextHandle) -> ContextHandle {
    s.contexts.get(context).expect("it lives").desc.share
}

#[test]
fn a_share_group_outlives_its_founder() {
    let mut s = PushedState::default();
    let founder = context(&mut s, 0, ContextHandle::NULL);
    let second = context(&mut s, 1, founder);
    let third = context(&mut s, 2, founder);
    let fourth = context(&mut s, 3, third);
    let stranger = context(&mut s, 4, ContextHandle::NULL);
    let end = |s: &mut PushedState, context| {
        take(
            s,
            Call::ContextDestroy {
                p: &ContextOnly { context },
            },
        );
    };
    end(&mut s, founder);
    assert!(share(&s, second).is_null(), "it takes the founder's place");
    assert_eq!(share(&s, third), second);
    assert_eq!(share(&s, fourth), third);
    end(&mut s, third);
    assert_eq!(share(&s, fourth), second, "over the one that is gone");
    assert!(share(&s, stranger).is_null(), "of another group");
}

#[test]
fn a_query_is_of_the_context_that_begins_it() {
    let mut s = PushedState::default();
    let a = context(&mut s, 0, ContextHandle::NULL);
    let b = context(&mut s, 1, a);
    let p = &QueryDesc {
        query: QueryHandle(h(0)),
        target: QueryTarget::SAMPLES_PASSED,
        index: 0,
    };
    let of = |s: &PushedState| s.queries.get(p.query).expect("it lives").context;
    bind(&mut s, a);
    take(&mut s, Call::QueryCreate { p });
    assert_eq!(of(&s), a);
    bind(&mut s, b);
    take(&mut s, Call::QueryBegin { p });
    assert_eq!(of(&s), b);
    let p = &ContextOnly { context: b };
    take(&mut s, Call::ContextDestroy { p });
    assert!(of(&s).is_null());
}

#[test]
fn what_names_a_dead_resource_names_nothing() {
    let mut s = PushedState::default();
    let (owner, view, texels) = (h(0), h(1), h(2));
    let buffer = BufferHandle(h(0));
    let texture = |t: Handle| ResourceDesc {
        resource: TextureHandle(t).into(),
        target: Target::TEXTURE_2D,
        format: Format::RGBA8,
        width: 4,
        height: 4,
        depth: 1,
        layers: 1,
        levels: 1,
        ..ResourceDesc::default()
    };
    let view_of_owner = ResourceDesc {
        storage: StorageKind::VIEW,
        view_of: TextureHandle(owner),
        ..texture(view)
    };
    let buffer_texture = ResourceDesc {
        target: Target::TEXTURE_BUFFER,
        buffer,
        offset: 4,
        size: 8,
        ..texture(texels)
    };
    let store = ResourceDesc {
        resource: buffer.into(),
        target: Target::BUFFER,
        size: 16,
        ..ResourceDesc::default()
    };
    for p in [&store, &texture(owner), &view_of_owner, &buffer_texture] {
        take(&mut s, Call::ResourceCreate { p });
    }
    let p = &SamplerView {
        view: SamplerViewHandle(h(0)),
        texture: TextureHandle(owner),
        levels: 1,
        layers: 1,
        ..SamplerView::default()
    };
    take(&mut s, Call::CreateSamplerView { p });
    for resource in [TextureHandle(owner).into(), buffer.into()] {
        let p = &ResourceOnly {
            resource,
            ..ResourceOnly::default()
        };
        take(&mut s, Call::ResourceDestroy { p });
    }
    assert!(s.views.get(p.view).expect("it lives").texture.is_null());
    let desc = |t| s.textures.get(TextureHandle(t)).expect("it lives").desc;
    assert!(desc(view).view_of.is_null());
    let d = desc(texels);
    assert_eq!(
        (d.buffer, d.offset, d.size),
        (BufferHandle::NULL, 0, 0),
        "a range of nothing is empty"
    );
    let p = &SamplerViewOnly { view: p.view };
    take(&mut s, Call::DeleteSamplerView { p });
}

fn op(object: StreamOutputHandle) -> StreamOutputOp {
    StreamOutputOp {
        stream_output: object,
        primitive: CapturePrimitive::LINES,
        ..StreamOutputOp::default()
    }
}

#[test]
fn transform_feedback_is_begun_paused_and_ended_in_order() {
    let mut s = PushedState::default();
    let c = context(&mut s, 0, ContextHandle::NULL);
    bind(&mut s, c);
    let buffer = BufferHandle(h(0));
    let store = ResourceDesc {
        resource: buffer.into(),
        target: Target::BUFFER,
        size: 16,
        ..ResourceDesc::default()
    };
    take(&mut s, Call::ResourceCreate { p: &store });
    let own = op(StreamOutputHandle::NULL);
    let target = BufferBinding {
        buffer,
        size: 16,
        ..BufferBinding::default()
    };
    let p = &SetStreamOutputTargets {
        stream_output: StreamOutputHandle::NULL,
    };
    take(
        &mut s,
        Call::SetStreamOutputTargets {
            p,
            targets: &[target],
        },
    );
    let p = &ShaderOnly {
        shader: ShaderHandle::NULL,
    };
    take(&mut s, Call::SetDrawProgram { p });

    let other = op(StreamOutputHandle(h(7)));
    let ends = |p| Call::EndStreamOutput { p };
    assert!(refusal(&mut s, ends(&own)).contains("is not captured to"));
    let text = refusal(&mut s, Call::BeginStreamOutput { p: &other });
    assert!(text.contains("is not the bound object"), "{text}");
    take(&mut s, Call::BeginStreamOutput { p: &own });
    let text = refusal(&mut s, Call::BeginStreamOutput { p: &own });
    assert!(text.contains("is captured to already"), "{text}");
    let text = refusal(&mut s, Call::ResumeStreamOutput { p: &own });
    assert!(text.contains("is not paused"), "{text}");
    let text = refusal(&mut s, Call::BindStreamOutput { p: &other });
    assert!(text.contains("not paused"), "{text}");
    take(&mut s, Call::PauseStreamOutput { p: &own });
    let text = refusal(&mut s, Call::PauseStreamOutput { p: &own });
    assert!(text.contains("is paused already"), "{text}");
    take(&mut s, Call::BindStreamOutput { p: &other });
    take(&mut s, Call::BeginStreamOutput { p: &other });

    let captures = |s: &PushedState| s.context().expect("bound").captures.clone();
    let found = captures(&s);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].object, own.stream_output);
    assert!(found[0].paused && !found[1].paused);
    assert_eq!(found[0].primitive, CapturePrimitive::LINES);
    assert_eq!(found[0].targets, [target]);

    // What they were captured to ends, and then the object itself.
    let p = &ResourceOnly {
        resource: buffer.into(),
        ..ResourceOnly::default()
    };
    take(&mut s, Call::ResourceDestroy { p });
    assert!(captures(&s).iter().all(|c| c.targets.is_empty()));
    let p = &ObjectDeath {
        kind: HandleKind::STREAM_OUTPUT,
        handle: h(7),
        ..ObjectDeath::default()
    };
    take(&mut s, Call::ObjectDeath { p });
    assert_eq!(captures(&s).len(), 1);
    take(&mut s, ends(&own));
    assert!(captures(&s).is_empty());
}
