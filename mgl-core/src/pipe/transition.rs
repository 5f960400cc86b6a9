//! The second step of a call: what it makes of [`PushedState`]. Pure: no back end, no counter, no failure.
//!
//! A call has passed [`super::check`] against the same state; where a handle is dead all the same, nothing changes.
//!
//! Two halves, because a back end reads the entry of an object that ends: [`enter`] runs before the back end, and takes a
//! dying object out of every group that names it; [`leave`] runs behind it, and ends the entry. Who has no back end
//! (state capture, counters, statistics) runs both: [`whole`].

use super::calls::Call;
use super::group::Group;
use super::payload::*;
use super::pushed::*;
use super::table::Table;
use crate::handle::*;

/// Both halves.
pub fn whole(s: &mut PushedState, call: &Call<'_>) {
    enter(s, call);
    leave(s, call);
}

/// What the back end is to find.
#[inline(always)]
pub fn enter(s: &mut PushedState, call: &Call<'_>) {
    match *call {
        Call::ResourceCreate { p } => {
            let entry = ResourceEntry {
                desc: *p,
                params: None,
            };
            let h = p.resource.handle;
            match p.resource.kind {
                HandleKind::BUFFER => put(&mut s.buffers, BufferHandle(h), entry),
                HandleKind::TEXTURE => put(&mut s.textures, TextureHandle(h), entry),
                _ => put(&mut s.renderbuffers, RenderbufferHandle(h), entry),
            }
        }
        Call::ResourceRespecify { p } => {
            let h = p.resource.handle;
            let entry = match p.resource.kind {
                HandleKind::BUFFER => s.buffers.get_mut(BufferHandle(h)),
                HandleKind::TEXTURE => s.textures.get_mut(TextureHandle(h)),
                _ => s.renderbuffers.get_mut(RenderbufferHandle(h)),
            };
            if let Ok(e) = entry {
                e.desc = *p;
            }
        }
        Call::ResourceDestroy { p } => s.scrub_resource(p.resource),
        Call::FenceCreate { p } => put(&mut s.fences, p.fence, ()),
        Call::ContextReset { p } => {
            *s = PushedState {
                epoch: p.epoch,
                ..PushedState::default()
            };
        }
        Call::ContextCreate { p } => put(&mut s.contexts, p.context, ContextState::new(*p)),
        Call::BindContext { p } => s.current = *p,
        Call::SurfaceCreate { p } => put(&mut s.surfaces, p.surface, *p),
        Call::SurfaceRespecify { p } => {
            if let Ok(e) = s.surfaces.get_mut(p.surface) {
                *e = *p;
            }
        }
        Call::SurfaceDestroy { p } => s.scrub_resource(p.surface.into()),

        Call::QueryCreate { p } => {
            let entry = QueryEntry {
                desc: *p,
                active: false,
                context: s.current.context,
            };
            put(&mut s.queries, p.query, entry);
        }
        Call::QueryBegin { p } => {
            if let Ok(q) = s.queries.get_mut(p.query) {
                q.active = true;
                q.desc = *p;
                q.context = s.current.context;
            }
        }
        Call::QueryEnd { p } => {
            if let Ok(q) = s.queries.get_mut(p.query) {
                q.active = false;
            }
        }
        Call::QueryCounter { p } => {
            if let Ok(q) = s.queries.get_mut(p.query) {
                q.desc = *p;
            }
        }

        Call::CreateRenderState { p } => put(&mut s.render_states, p.render_state, p.state),
        Call::BindRenderState { p } => {
            set(s, Group::RenderState, |v| v.render_state = p.render_state);
        }
        Call::DeleteRenderState { p } => s.scrub_render_state(p.render_state),
        Call::CreateVertexElements {
            p,
            attribs,
            bindings,
        } => {
            let entry = VertexElementsEntry {
                attribs: attribs.to_vec(),
                bindings: bindings.to_vec(),
            };
            put(&mut s.vertex_elements, p.vertex_elements, entry);
        }
        Call::BindVertexElements { p } => {
            set(s, Group::VertexElements, |v| {
                v.vertex_elements = p.vertex_elements
            });
        }
        Call::DeleteVertexElements { p } => s.scrub_vertex_elements(p.vertex_elements),
        Call::CreateShaderState { p, .. } => {
            let entry = ProgramEntry {
                desc: *p,
                code: code_digests(call),
                constants: Vec::new(),
                constants_generation: 0,
                bindings: ProgramBindings::default(),
                bindings_generation: 0,
            };
            put(&mut s.programs, p.shader, entry);
        }
        Call::BindShaderState { p } => set(s, Group::Shader, |v| v.shader = p.shader),
        Call::DeleteShaderState { p } => s.scrub_shader(p.shader),
        Call::CreateSamplerState { p } => put(&mut s.samplers, p.sampler, *p),
        Call::DeleteSamplerState { p } => s.scrub_sampler(p.sampler),
        Call::CreateSamplerView { p } => put(&mut s.views, p.view, *p),
        Call::DeleteSamplerView { p } => s.scrub_view(p.view),

        Call::SetDynamicState { p, words } => {
            if let Some(c) = s.context_mut()
                && c.values.dynamic.scatter(p.chunks, words).is_ok()
            {
                c.touch(Group::Dynamic);
            }
        }
        Call::SetFramebufferState { p } => {
            let Some(c) = s.context_mut() else { return };
            // The binding says where the value goes, and is no part of it.
            let value = FramebufferState {
                binding: FramebufferBinding::NONE,
                ..*p
            };
            if p.binding.has(FramebufferBinding::DRAW) {
                c.values.draw_framebuffer = value;
                c.touch(Group::DrawFramebuffer);
            }
            if p.binding.has(FramebufferBinding::READ) {
                c.values.read_framebuffer = value;
                c.touch(Group::ReadFramebuffer);
            }
        }
        Call::SetVertexBuffers { buffers, .. } => {
            set_list(s, Group::VertexBuffers, |v| &mut v.vertex_buffers, buffers);
        }
        Call::SetIndexBuffer { p } => set(s, Group::IndexBuffer, |v| v.index_buffer = *p),
        Call::SetIndirectBuffers { p } => set(s, Group::IndirectBuffers, |v| v.indirect = *p),
        Call::SetSamplerViews { views, .. } => {
            set_list(s, Group::SamplerViews, |v| &mut v.views, views);
        }
        Call::BindSamplerStates { samplers, .. } => {
            set_list(s, Group::SamplerStates, |v| &mut v.samplers, samplers);
        }
        Call::SetShaderImages { images, .. } => {
            set_list(s, Group::ShaderImages, |v| &mut v.images, images);
        }
        Call::SetShaderBuffers { p, buffers } => match p.class {
            BufferClass::UNIFORM_BUFFER => {
                set_list(
                    s,
                    Group::UniformBuffers,
                    |v| &mut v.uniform_buffers,
                    buffers,
                );
            }
            BufferClass::SHADER_STORAGE_BUFFER => {
                set_list(
                    s,
                    Group::StorageBuffers,
                    |v| &mut v.storage_buffers,
                    buffers,
                );
            }
            _ => set_list(s, Group::AtomicBuffers, |v| &mut v.atomic_buffers, buffers),
        },
        Call::SetStreamOutputTargets { p, targets } => set(s, Group::StreamOutput, |v| {
            v.stream_output = p.stream_output;
            v.stream_targets.clear();
            v.stream_targets.extend_from_slice(targets);
        }),
        Call::SetGlobalConstants { p, bytes } => {
            let (at, size) = (p.offset as usize, p.block_size as usize);
            if let Ok(program) = s.programs.get_mut(p.shader) {
                program.constants.resize(size, 0);
                if let Some(place) = program.constants.get_mut(at..at + bytes.len()) {
                    place.copy_from_slice(bytes);
                }
                program.constants_generation += 1;
            }
        }
        Call::SetVertexAttribDefaults { values, .. } => {
            set_list(s, Group::AttribDefaults, |v| &mut v.attrib_defaults, values);
        }
        Call::SetPixelPackState { p } => set(s, Group::PixelPack, |v| v.pixel_pack = *p),
        Call::SetPatchState { p } => set(s, Group::Patch, |v| v.patch = *p),
        Call::SetDrawProgram { p } => set(s, Group::DrawProgram, |v| v.draw_program = p.shader),
        Call::SetDispatchProgram { p } => {
            set(s, Group::DispatchProgram, |v| v.dispatch_program = p.shader);
        }
        Call::SetProgramBindings {
            p,
            samplers,
            images,
            uniform_blocks,
            storage_blocks,
        } => {
            if let Ok(program) = s.programs.get_mut(p.shader) {
                let b = &mut program.bindings;
                replace(&mut b.samplers, samplers);
                replace(&mut b.images, images);
                replace(&mut b.uniform_blocks, uniform_blocks);
                replace(&mut b.storage_blocks, storage_blocks);
                program.bindings_generation += 1;
            }
        }
        Call::SetTextureParams { p } => {
            if let Ok(e) = s.textures.get_mut(p.texture) {
                e.params = Some(*p);
                s.params_changes.happens();
            }
        }
        Call::ObjectDeath { p } => match p.kind {
            HandleKind::FRAMEBUFFER => s.scrub_framebuffer(FramebufferHandle(p.handle)),
            HandleKind::STREAM_OUTPUT => s.scrub_stream_output(StreamOutputHandle(p.handle)),
            _ => {}
        },

        Call::BeginStreamOutput { p } => {
            if let Some(c) = s.context_mut() {
                let capture = Capture {
                    object: p.stream_output,
                    primitive: p.primitive,
                    paused: false,
                    program: c.values.draw_program,
                    targets: c.values.stream_targets.clone(),
                };
                let raw = |h: StreamOutputHandle| h.raw();
                let at = c
                    .captures
                    .partition_point(|x| raw(x.object) < raw(capture.object));
                c.captures.insert(at, capture);
            }
        }
        Call::EndStreamOutput { p } => {
            if let Some(c) = s.context_mut() {
                c.captures.retain(|x| x.object != p.stream_output);
            }
        }
        Call::PauseStreamOutput { p } => pause(s, p.stream_output, true),
        Call::ResumeStreamOutput { p } => pause(s, p.stream_output, false),
        Call::BindStreamOutput { p } => {
            set(s, Group::StreamOutput, |v| {
                v.stream_output = p.stream_output
            });
        }

        Call::ObjectLabel { p, label } => {
            let key = (p.kind, p.handle);
            if label.is_empty() {
                s.labels.remove(&key);
            } else {
                s.labels.insert(key, label.into());
            }
        }

        Call::GetCaps { .. }
        | Call::MapPersistent { .. }
        | Call::UnmapPersistent { .. }
        | Call::FenceStatus { .. }
        | Call::FenceWait { .. }
        | Call::FenceWaitServer { .. }
        | Call::FenceDestroy { .. }
        | Call::ContextDestroy { .. }
        | Call::QueryAvailable { .. }
        | Call::QueryResult { .. }
        | Call::QueryDestroy { .. }
        | Call::QueryTimestamp { .. }
        | Call::ResourceSubData { .. }
        | Call::BufferSubDataResident { .. }
        | Call::ResourceSubDataComplete { .. }
        | Call::ResourceFlushRange { .. }
        | Call::ResourceReadback { .. }
        | Call::ResourceCopyRegion { .. }
        | Call::ClearResource { .. }
        | Call::Invalidate { .. }
        | Call::GenerateMipmap { .. }
        | Call::GetTextureImage { .. }
        | Call::GetTextureImageToBuffer { .. }
        | Call::DrawVbo { .. }
        | Call::Clear { .. }
        | Call::Blit { .. }
        | Call::ReadPixels { .. }
        | Call::ReadPixelsToBuffer { .. }
        | Call::CopyFramebufferToTexture { .. }
        | Call::LaunchGrid { .. }
        | Call::MemoryBarrier { .. }
        | Call::DebugMarker { .. }
        | Call::DebugMessage { .. }
        | Call::PushDebugGroup { .. }
        | Call::PopDebugGroup { .. }
        | Call::Flush { .. }
        | Call::SetSwapInterval { .. }
        | Call::Present { .. } => {}
    }
}

/// Ends the entry of what dies.
#[inline(always)]
pub fn leave(s: &mut PushedState, call: &Call<'_>) {
    match *call {
        Call::ResourceDestroy { p } => {
            let h = p.resource.handle;
            match p.resource.kind {
                HandleKind::BUFFER => drop(s.buffers.remove(BufferHandle(h))),
                HandleKind::TEXTURE => drop(s.textures.remove(TextureHandle(h))),
                _ => drop(s.renderbuffers.remove(RenderbufferHandle(h))),
            }
        }
        Call::FenceDestroy { p } => drop(s.fences.remove(p.fence)),
        Call::ContextDestroy { p } => s.end_context(p.context),
        Call::SurfaceDestroy { p } => drop(s.surfaces.remove(p.surface)),
        Call::QueryDestroy { p } => drop(s.queries.remove(p.query)),
        Call::DeleteRenderState { p } => drop(s.render_states.remove(p.render_state)),
        Call::DeleteVertexElements { p } => drop(s.vertex_elements.remove(p.vertex_elements)),
        Call::DeleteShaderState { p } => drop(s.programs.remove(p.shader)),
        Call::DeleteSamplerState { p } => drop(s.samplers.remove(p.sampler)),
        Call::DeleteSamplerView { p } => drop(s.views.remove(p.view)),
        _ => {}
    }
}

/// xxh3-128 of the parts of a new program, as [`ProgramEntry::code`] has them; of any other call zeros.
pub(super) fn code_digests(call: &Call<'_>) -> [u128; 7] {
    let Call::CreateShaderState {
        p: _,
        vertex,
        tess_control,
        tess_eval,
        geometry,
        fragment,
        compute,
        reflection,
    } = *call
    else {
        return [0; 7];
    };
    let parts = [
        vertex,
        tess_control,
        tess_eval,
        geometry,
        fragment,
        compute,
        reflection,
    ];
    parts.map(|b| match b {
        [] => 0,
        b => xxhash_rust::xxh3::xxh3_128(b),
    })
}

/// The entry of a new object; [`super::check`] has seen that its handle is free.
fn put<H: TypedHandle, T>(table: &mut Table<H, T>, h: H, value: T) {
    let _ = table.insert(h, value);
}

fn set(s: &mut PushedState, g: Group, f: impl FnOnce(&mut GroupValues)) {
    if let Some(c) = s.context_mut() {
        f(&mut c.values);
        c.touch(g);
    }
}

fn pause(s: &mut PushedState, object: StreamOutputHandle, paused: bool) {
    if let Some(c) = s.context_mut().and_then(|c| c.capture_mut(object)) {
        c.paused = paused;
    }
}

fn set_list<T: Copy>(
    s: &mut PushedState,
    g: Group,
    place: impl FnOnce(&mut GroupValues) -> &mut Vec<T>,
    new: &[T],
) {
    set(s, g, |v| replace(place(v), new));
}

/// The list's memory is used again.
fn replace<T: Copy>(list: &mut Vec<T>, new: &[T]) {
    list.clear();
    list.extend_from_slice(new);
}
