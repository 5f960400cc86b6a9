//! `full_repush()`: every live object and all pushed state anew, as calls (design: pipe contract 3.5, rule 11).
//!
//! Objects come from the front end's own tables, group values from what was last emitted. A fresh `PushedState` fed by
//! it equals the live one, at any verb.

use crate::driver::Driver;
use crate::state::Share;
use mgl_core::handle::{ContextHandle, SurfaceHandle};
use mgl_core::pipe::*;

/// Emits the whole state.
pub fn full_repush(d: &Driver, live: &PushedState, emit: &mut dyn FnMut(Call<'_>)) {
    // Contexts in the order of their making: a context's share partner comes before it, unless it is gone by now.
    let mut made: Vec<ContextHandle> = Vec::new();
    for c in d.contexts.iter() {
        if let Ok(state) = live.contexts.get(c.handle) {
            emit(Call::ContextCreate { p: &state.desc });
            made.push(c.handle);
        }
    }
    for s in d.surfaces.iter() {
        if let Ok(desc) = live.surfaces.get(s.handle) {
            emit(Call::SurfaceCreate { p: desc });
        }
    }
    for share in d.shares.iter() {
        repush_share(share, live, emit);
    }
    for c in d.contexts.iter() {
        let t = &c.tracker;
        t.render.repush(emit);
        t.vertex.repush(emit);
    }
    for c in d.contexts.iter() {
        let Ok(state) = live.contexts.get(c.handle) else {
            continue;
        };
        let who = BindContext {
            context: c.handle,
            draw: SurfaceHandle::NULL,
            read: SurfaceHandle::NULL,
        };
        emit(Call::BindContext { p: &who });
        c.queries.repush(emit);
        repush_groups(state, emit);
        c.stream_output.repush(emit);
    }
    if let Some(pipe) = &d.pipe {
        pipe.repush_labels(emit);
    }
    emit(Call::BindContext { p: &live.current });
}

fn repush_share(share: &Share, live: &PushedState, emit: &mut dyn FnMut(Call<'_>)) {
    for (_, b) in share.buffers.objects.iter() {
        b.repush(emit);
    }
    super::textures::repush(share, live, emit);
    for (_, p) in share.programs.objects.iter() {
        p.repush(live, emit);
    }
    for (_, s) in share.syncs.objects.iter() {
        s.repush(emit);
    }
}

/// Emits every group that was pushed, with its value.
fn repush_groups(c: &ContextState, emit: &mut dyn FnMut(Call<'_>)) {
    let v = &c.values;
    for &g in Group::ALL.iter().filter(|g| c.was_pushed(**g)) {
        let shader_buffers = |class, buffers: &[BufferBinding], emit: &mut dyn FnMut(Call<'_>)| {
            emit(Call::SetShaderBuffers {
                p: &SetShaderBuffers {
                    class,
                    ..SetShaderBuffers::default()
                },
                buffers,
            });
        };
        match g {
            Group::RenderState if !v.render_state.is_null() => {
                let p = BindRenderState {
                    render_state: v.render_state,
                    ..BindRenderState::default()
                };
                emit(Call::BindRenderState { p: &p });
            }
            Group::VertexElements if !v.vertex_elements.is_null() => {
                emit(Call::BindVertexElements {
                    p: &VertexElements {
                        vertex_elements: v.vertex_elements,
                    },
                });
            }
            // A bound CSO that died left null behind, which no bind can say; the next verb binds another.
            Group::RenderState | Group::VertexElements => {}
            Group::Dynamic => {
                let mut words = Vec::new();
                v.dynamic.gather(ALL_CHUNKS, &mut words);
                let p = SetDynamicState {
                    chunks: ALL_CHUNKS,
                    ..SetDynamicState::default()
                };
                emit(Call::SetDynamicState {
                    p: &p,
                    words: &words,
                });
            }
            Group::DrawFramebuffer => {
                let p = FramebufferState {
                    binding: FramebufferBinding::DRAW,
                    ..v.draw_framebuffer
                };
                emit(Call::SetFramebufferState { p: &p });
            }
            Group::ReadFramebuffer => {
                let p = FramebufferState {
                    binding: FramebufferBinding::READ,
                    ..v.read_framebuffer
                };
                emit(Call::SetFramebufferState { p: &p });
            }
            Group::VertexBuffers => {
                emit(Call::SetVertexBuffers {
                    p: &SetVertexBuffers::default(),
                    buffers: &v.vertex_buffers,
                });
            }
            Group::IndexBuffer => emit(Call::SetIndexBuffer { p: &v.index_buffer }),
            Group::IndirectBuffers => emit(Call::SetIndirectBuffers { p: &v.indirect }),
            Group::SamplerViews => {
                emit(Call::SetSamplerViews {
                    p: &SetSamplerViews::default(),
                    views: &v.views,
                });
            }
            Group::SamplerStates => {
                emit(Call::BindSamplerStates {
                    p: &BindSamplerStates::default(),
                    samplers: &v.samplers,
                });
            }
            Group::ShaderImages => {
                emit(Call::SetShaderImages {
                    p: &SetShaderImages::default(),
                    images: &v.images,
                });
            }
            Group::UniformBuffers => {
                shader_buffers(BufferClass::UNIFORM_BUFFER, &v.uniform_buffers, emit)
            }
            Group::StorageBuffers => {
                shader_buffers(BufferClass::SHADER_STORAGE_BUFFER, &v.storage_buffers, emit)
            }
            Group::AtomicBuffers => {
                shader_buffers(BufferClass::ATOMIC_COUNTER_BUFFER, &v.atomic_buffers, emit)
            }
            Group::StreamOutput => {
                let p = SetStreamOutputTargets {
                    stream_output: v.stream_output,
                };
                emit(Call::SetStreamOutputTargets {
                    p: &p,
                    targets: &v.stream_targets,
                });
            }
            Group::AttribDefaults => {
                let p = SetVertexAttribDefaults::default();
                emit(Call::SetVertexAttribDefaults {
                    p: &p,
                    values: &v.attrib_defaults,
                });
            }
            Group::PixelPack => emit(Call::SetPixelPackState { p: &v.pixel_pack }),
            Group::Patch => emit(Call::SetPatchState { p: &v.patch }),
            Group::Shader => emit(Call::BindShaderState {
                p: &ShaderOnly { shader: v.shader },
            }),
            Group::DrawProgram => emit(Call::SetDrawProgram {
                p: &ShaderOnly {
                    shader: v.draw_program,
                },
            }),
            Group::DispatchProgram => emit(Call::SetDispatchProgram {
                p: &ShaderOnly {
                    shader: v.dispatch_program,
                },
            }),
        }
    }
}
