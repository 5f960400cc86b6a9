//! The third step of a call: what the back end does. It finds the state as [`super::transition::enter`] left it.

use super::backend::{Backend, BackendError, DebugEvent, DrawCall, ProgramCode, Reply, Result};
use super::calls::Call;
use super::payload::*;
use super::pushed::PushedState;

/// Has the back end do what `call` says. Calls that only set state do nothing here: a back end reads state at verbs.
///
/// # Errors
///
/// The back end's.
#[inline(always)]
pub fn execute<B: Backend + ?Sized>(s: &PushedState, be: &mut B, call: &Call<'_>) -> Result<Reply> {
    let done = |r: Result| r.map(|()| Reply::None);
    match *call {
        Call::GetCaps { .. } => Ok(Reply::Caps(Box::new(be.caps().clone()))),
        Call::ResourceCreate { p } => done(be.resource_specify(s, p, false)),
        Call::ResourceRespecify { p } => done(be.resource_specify(s, p, true)),
        Call::ResourceDestroy { p } => done(be.resource_destroy(s, p.resource)),
        Call::FenceCreate { p } => done(be.fence_create(s, p.fence)),
        Call::FenceStatus { p } => be
            .fence_wait(s, p.fence, 0, false)
            .map(|r| Reply::Value(u64::from(r.0))),
        Call::FenceWait { p } => be
            .fence_wait(s, p.fence, p.timeout_ns, p.flush.get())
            .map(|r| Reply::Value(u64::from(r.0))),
        Call::FenceWaitServer { p } => done(be.fence_wait_server(s, p.fence)),
        Call::FenceDestroy { p } => done(be.fence_destroy(s, p.fence)),
        Call::ContextReset { .. } => done(be.reset()),
        Call::ContextCreate { p } => done(be.context_create(s, p)),
        Call::ContextDestroy { p } => done(be.context_destroy(s, p.context)),
        Call::BindContext { p } => done(be.bind_context(s, p)),
        Call::SurfaceCreate { p } => done(be.surface_specify(s, p, false)),
        Call::SurfaceRespecify { p } => done(be.surface_specify(s, p, true)),
        Call::SurfaceDestroy { p } => done(be.surface_destroy(s, p.surface)),

        Call::QueryBegin { p } => done(be.query_begin(s, p)),
        Call::QueryEnd { p } => done(be.query_end(s, p)),
        Call::QueryAvailable { p } => be
            .query_available(s, p.query)
            .map(|v| Reply::Value(u64::from(v))),
        Call::QueryResult { p } => be.query_result(s, p.query).map(Reply::Value),
        Call::QueryDestroy { p } => done(be.query_destroy(s, p.query)),
        Call::QueryTimestamp { .. } => be.timestamp(s).map(Reply::Value),
        Call::QueryCounter { p } => done(be.query_counter(s, p)),

        Call::DeleteVertexElements { p } => done(be.vertex_elements_delete(s, p.vertex_elements)),
        Call::CreateShaderState {
            p,
            vertex,
            tess_control,
            tess_eval,
            geometry,
            fragment,
            compute,
            reflection,
        } => {
            let stages = [vertex, tess_control, tess_eval, geometry, fragment, compute];
            done(be.shader_create(s, p, ProgramCode { stages, reflection }))
        }
        Call::DeleteShaderState { p } => done(be.shader_delete(s, p.shader)),
        Call::DeleteSamplerState { p } => done(be.sampler_delete(s, p.sampler)),
        Call::DeleteSamplerView { p } => done(be.view_delete(s, p.view)),

        Call::ResourceSubData { p, bytes, regions } => done(be.sub_data(s, p, regions, bytes)),
        Call::ResourceReadback { p } => be.buffer_read(s, p).map(Reply::Bytes),
        Call::ResourceCopyRegion { p } => done(be.copy_region(s, p)),
        Call::ClearResource { p } => done(be.clear_resource(s, p)),
        Call::GenerateMipmap { p } => done(be.generate_mipmap(s, p)),
        Call::GetTextureImage { p } => be.texture_read(s, p).map(Reply::Bytes),
        Call::ObjectDeath { p } => done(be.object_death(s, p)),

        Call::DrawVbo {
            p,
            indices,
            arrays,
            ranges,
            user_arrays,
        } => done(be.draw(
            s,
            DrawCall {
                info: p,
                ranges,
                user_arrays,
                indices,
                arrays,
            },
        )),
        Call::Clear { p } => done(be.clear(s, p)),
        Call::Blit { p } => done(be.blit(s, p)),
        Call::ReadPixels { p } => be.read_pixels(s, p).map(Reply::Bytes),
        Call::CopyFramebufferToTexture { p } => done(be.copy_to_texture(s, p)),
        Call::LaunchGrid { p } => done(be.launch_grid(s, p)),
        Call::MemoryBarrier { p } => done(be.memory_barrier(s, p)),
        Call::BeginStreamOutput { p }
        | Call::EndStreamOutput { p }
        | Call::PauseStreamOutput { p }
        | Call::ResumeStreamOutput { p }
        | Call::BindStreamOutput { p } => done(be.stream_output(s, call.op(), p)),
        Call::ObjectLabel { p, label } => done(be.object_label(s, p, label)),
        Call::DebugMarker { p, text } => done(be.debug(
            s,
            match p.kind {
                1 => DebugEvent::Push { text },
                2 => DebugEvent::Pop,
                _ => DebugEvent::Message {
                    message: DebugMessage {
                        source: DebugSource::APPLICATION,
                        kind: DebugType::MARKER,
                        severity: DebugSeverity::NOTIFICATION,
                        id: p.id,
                    },
                    text,
                },
            },
        )),
        Call::DebugMessage { p, text } => {
            done(be.debug(s, DebugEvent::Message { message: *p, text }))
        }
        Call::PushDebugGroup { text, .. } => done(be.debug(s, DebugEvent::Push { text })),
        Call::PopDebugGroup { .. } => done(be.debug(s, DebugEvent::Pop)),
        Call::Flush { p } => done(be.flush(s, p)),
        Call::SetSwapInterval { p } => done(be.swap_interval(s, p)),
        Call::Present { p } => done(be.present(s, p)),

        // Retired ones did not get past the check.
        Call::MapPersistent { .. }
        | Call::UnmapPersistent { .. }
        | Call::BufferSubDataResident { .. }
        | Call::ResourceSubDataComplete { .. }
        | Call::ResourceFlushRange { .. }
        | Call::Invalidate { .. }
        | Call::GetTextureImageToBuffer { .. }
        | Call::ReadPixelsToBuffer { .. } => {
            Err(BackendError::Unsupported(call.op().name().into()))
        }

        Call::QueryCreate { .. }
        | Call::CreateRenderState { .. }
        | Call::BindRenderState { .. }
        | Call::DeleteRenderState { .. }
        | Call::CreateVertexElements { .. }
        | Call::BindVertexElements { .. }
        | Call::BindShaderState { .. }
        | Call::CreateSamplerState { .. }
        | Call::CreateSamplerView { .. }
        | Call::SetDynamicState { .. }
        | Call::SetFramebufferState { .. }
        | Call::SetVertexBuffers { .. }
        | Call::SetIndexBuffer { .. }
        | Call::SetIndirectBuffers { .. }
        | Call::SetSamplerViews { .. }
        | Call::BindSamplerStates { .. }
        | Call::SetShaderImages { .. }
        | Call::SetShaderBuffers { .. }
        | Call::SetStreamOutputTargets { .. }
        | Call::SetGlobalConstants { .. }
        | Call::SetVertexAttribDefaults { .. }
        | Call::SetPixelPackState { .. }
        | Call::SetPatchState { .. }
        | Call::SetDrawProgram { .. }
        | Call::SetDispatchProgram { .. }
        | Call::SetProgramBindings { .. }
        | Call::SetTextureParams { .. } => Ok(Reply::None),
    }
}
