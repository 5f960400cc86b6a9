//! The first step of a call: whether it may be applied. Touches nothing.
//!
//! Handles are live and of the right kind, ranges lie inside what they name, and the groups that a verb reads were
//! pushed. What passes here, [`super::transition`] can take in without a question, and no back end meets it unchecked.

mod capture;
mod checker;
mod draw;
mod shapes;

use super::backend::DrawCall;
use super::calls::Call;
use super::error::ApplyError;
use super::group::Group;
use super::payload::*;
use super::pushed::{ContextState, PushedState};
use super::render_state::DynamicState;
use super::table::HandleError;
use crate::handle::*;
use checker::Checker;

/// Whether `s` takes `call`.
///
/// # Errors
///
/// What is wrong, by call and field.
#[inline(always)]
pub fn check(s: &PushedState, call: &Call<'_>) -> Result<(), ApplyError> {
    let op = call.op();
    let info = op.info();
    let cx = Checker { op };
    // Looked up once, by whoever needs it.
    let context = || s.context().ok_or(ApplyError::NoContext(info.name));
    if info.reads_mask != 0 {
        pushed(cx, context()?, info.reads_mask)?;
    }
    match *call {
        // Retired.
        Call::MapPersistent { .. }
        | Call::UnmapPersistent { .. }
        | Call::BufferSubDataResident { .. }
        | Call::ResourceSubDataComplete { .. }
        | Call::ResourceFlushRange { .. }
        | Call::Invalidate { .. }
        | Call::GetTextureImageToBuffer { .. }
        | Call::ReadPixelsToBuffer { .. } => Err(ApplyError::Retired(info.name)),

        Call::GetCaps { .. }
        | Call::ContextReset { .. }
        | Call::QueryTimestamp { .. }
        | Call::LaunchGrid { .. }
        | Call::MemoryBarrier { .. }
        | Call::Clear { .. }
        | Call::Blit { .. }
        | Call::DebugMarker { .. }
        | Call::DebugMessage { .. }
        | Call::PushDebugGroup { .. }
        | Call::PopDebugGroup { .. }
        | Call::Flush { .. } => Ok(()),

        Call::ObjectLabel { p, .. } => {
            if p.kind == HandleKind::NONE || p.handle.is_null() {
                return cx.field("handle", "names nothing");
            }
            Ok(())
        }

        Call::ResourceCreate { p } => {
            shapes::desc(cx, s, p)?;
            let h = p.resource.handle;
            let vacant = match p.resource.kind {
                HandleKind::BUFFER => s.buffers.vacant(BufferHandle(h)),
                HandleKind::TEXTURE => s.textures.vacant(TextureHandle(h)),
                _ => s.renderbuffers.vacant(RenderbufferHandle(h)),
            };
            cx.handle("resource", vacant)
        }
        Call::ResourceRespecify { p } => {
            shapes::desc(cx, s, p)?;
            let old = cx.resource("resource", s, p.resource)?.desc;
            if old.target != p.target {
                let problem = format!("{:?} cannot become {:?}", old.target, p.target);
                return cx.field("target", problem);
            }
            Ok(())
        }
        Call::ResourceDestroy { p } => cx.resource("resource", s, p.resource).map(|_| ()),
        Call::FenceCreate { p } => cx.handle("fence", s.fences.vacant(p.fence)),
        Call::FenceStatus { p } | Call::FenceWaitServer { p } | Call::FenceDestroy { p } => {
            cx.handle("fence", s.fences.get(p.fence)).map(|_| ())
        }
        Call::FenceWait { p } => cx.handle("fence", s.fences.get(p.fence)).map(|_| ()),
        Call::ContextCreate { p } => {
            cx.live_or_null("share", &s.contexts, p.share)?;
            cx.handle("context", s.contexts.vacant(p.context))
        }
        Call::ContextDestroy { p } => cx.handle("context", s.contexts.get(p.context)).map(|_| ()),
        Call::BindContext { p } => {
            cx.live_or_null("context", &s.contexts, p.context)?;
            cx.live_or_null("draw", &s.surfaces, p.draw)?;
            cx.live_or_null("read", &s.surfaces, p.read)
        }
        Call::SurfaceCreate { p } => {
            shapes::surface(cx, p)?;
            cx.handle("surface", s.surfaces.vacant(p.surface))
        }
        Call::SurfaceRespecify { p } => {
            shapes::surface(cx, p)?;
            cx.handle("surface", s.surfaces.get(p.surface)).map(|_| ())
        }
        Call::SurfaceDestroy { p } => cx.handle("surface", s.surfaces.get(p.surface)).map(|_| ()),

        Call::QueryCreate { p } => cx.handle("query", s.queries.vacant(p.query)),
        Call::QueryBegin { p } => {
            if cx.handle("query", s.queries.get(p.query))?.active {
                return cx.field("query", "is active already");
            }
            Ok(())
        }
        Call::QueryEnd { p } => {
            if !cx.handle("query", s.queries.get(p.query))?.active {
                return cx.field("query", "is not active");
            }
            Ok(())
        }
        Call::QueryResult { p } => {
            if cx.handle("query", s.queries.get(p.query))?.active {
                return cx.field("query", "is active: it has no result");
            }
            Ok(())
        }
        Call::QueryAvailable { p } | Call::QueryDestroy { p } => {
            cx.handle("query", s.queries.get(p.query)).map(|_| ())
        }
        Call::QueryCounter { p } => cx.handle("query", s.queries.get(p.query)).map(|_| ()),

        Call::CreateRenderState { p } => {
            cx.handle("render_state", s.render_states.vacant(p.render_state))
        }
        Call::BindRenderState { p } => {
            cx.handle("render_state", s.render_states.get(p.render_state))?;
            context().map(|_| ())
        }
        Call::DeleteRenderState { p } => cx
            .handle("render_state", s.render_states.get(p.render_state))
            .map(|_| ()),
        Call::CreateVertexElements {
            p,
            attribs,
            bindings,
        } => {
            shapes::elements(cx, attribs, bindings)?;
            cx.handle(
                "vertex_elements",
                s.vertex_elements.vacant(p.vertex_elements),
            )
        }
        Call::BindVertexElements { p } => {
            cx.handle("vertex_elements", s.vertex_elements.get(p.vertex_elements))?;
            context().map(|_| ())
        }
        Call::DeleteVertexElements { p } => cx
            .handle("vertex_elements", s.vertex_elements.get(p.vertex_elements))
            .map(|_| ()),
        Call::CreateShaderState {
            p,
            vertex,
            tess_control,
            tess_eval,
            geometry,
            fragment,
            compute,
            reflection: _,
        } => {
            let stages = [vertex, tess_control, tess_eval, geometry, fragment, compute];
            for (i, code) in stages.iter().enumerate() {
                let present = p.stages.0 >> i & 1 != 0;
                if present == code.is_empty() || code.len() % 4 != 0 {
                    let problem = format!("stage {i} has {} bytes of code", code.len());
                    return cx.field("stages", problem);
                }
            }
            cx.handle("shader", s.programs.vacant(p.shader))
        }
        Call::BindShaderState { p }
        | Call::SetDrawProgram { p }
        | Call::SetDispatchProgram { p } => {
            cx.live_or_null("shader", &s.programs, p.shader)?;
            context().map(|_| ())
        }
        Call::DeleteShaderState { p } => cx.handle("shader", s.programs.get(p.shader)).map(|_| ()),
        Call::CreateSamplerState { p } => cx.handle("sampler", s.samplers.vacant(p.sampler)),
        Call::DeleteSamplerState { p } => {
            cx.handle("sampler", s.samplers.get(p.sampler)).map(|_| ())
        }
        Call::CreateSamplerView { p } => {
            shapes::view(cx, s, p)?;
            cx.handle("view", s.views.vacant(p.view))
        }
        Call::DeleteSamplerView { p } => cx.handle("view", s.views.get(p.view)).map(|_| ()),

        Call::SetDynamicState { p, words } => {
            let mut d: DynamicState = context()?.values.dynamic;
            d.scatter(p.chunks, words)
                .map_err(|error| ApplyError::Field {
                    op: info.name,
                    error,
                })
        }
        Call::SetFramebufferState { p } => {
            shapes::framebuffer(cx, s, p)?;
            context().map(|_| ())
        }
        Call::SetVertexBuffers { buffers, .. } => {
            for (i, b) in buffers.iter().enumerate() {
                if !b.buffer.is_null() {
                    cx.handle(format_args!("buffers[{i}].buffer"), s.buffers.get(b.buffer))?;
                }
            }
            context().map(|_| ())
        }
        Call::SetIndexBuffer { p } => {
            cx.live_or_null("buffer", &s.buffers, p.buffer)?;
            context().map(|_| ())
        }
        Call::SetIndirectBuffers { p } => {
            cx.live_or_null("draw", &s.buffers, p.draw)?;
            cx.live_or_null("dispatch", &s.buffers, p.dispatch)?;
            cx.live_or_null("parameter", &s.buffers, p.parameter)?;
            context().map(|_| ())
        }
        Call::SetSamplerViews { views, .. } => {
            for (i, b) in views.iter().enumerate() {
                let view = cx.handle(format_args!("views[{i}].view"), s.views.get(b.view))?;
                if view.texture != b.texture {
                    return cx.field(format!("views[{i}].texture"), "is not the view's");
                }
                cx.handle(
                    format_args!("views[{i}].texture"),
                    s.textures.get(b.texture),
                )?;
            }
            context().map(|_| ())
        }
        Call::BindSamplerStates { samplers, .. } => {
            for (i, b) in samplers.iter().enumerate() {
                cx.handle(
                    format_args!("samplers[{i}].sampler"),
                    s.samplers.get(b.sampler),
                )?;
            }
            context().map(|_| ())
        }
        Call::SetShaderImages { images, .. } => {
            for (i, b) in images.iter().enumerate() {
                cx.handle(
                    format_args!("images[{i}].texture"),
                    s.textures.get(b.texture),
                )?;
            }
            context().map(|_| ())
        }
        Call::SetShaderBuffers { buffers, .. } => {
            shapes::buffer_ranges(cx, s, "buffers", buffers)?;
            context().map(|_| ())
        }
        Call::SetStreamOutputTargets { targets, .. } => {
            shapes::buffer_ranges(cx, s, "targets", targets)?;
            context().map(|_| ())
        }
        Call::SetGlobalConstants { p, bytes } => {
            cx.handle("shader", s.programs.get(p.shader))?;
            shapes::constants(cx, p, bytes)
        }
        Call::SetVertexAttribDefaults { .. }
        | Call::SetPixelPackState { .. }
        | Call::SetPatchState { .. } => context().map(|_| ()),
        Call::SetProgramBindings { p, .. } => {
            cx.handle("shader", s.programs.get(p.shader)).map(|_| ())
        }

        Call::SetTextureParams { p } => {
            cx.live_or_null("sampler", &s.samplers, p.sampler)?;
            cx.handle("texture", s.textures.get(p.texture)).map(|_| ())
        }
        Call::ResourceSubData { p, bytes, regions } => {
            let d = cx.resource("resource", s, p.resource)?.desc;
            shapes::sub_data(cx, &d, p, bytes, regions)
        }
        Call::ResourceReadback { p } => {
            let size = cx.handle("buffer", s.buffers.get(p.buffer))?.desc.size;
            cx.range("offset", p.offset, p.size, size)
        }
        Call::ResourceCopyRegion { p } => shapes::copy(cx, s, p),
        Call::ClearResource { p } => {
            let d = cx.resource("resource", s, p.resource)?.desc;
            if d.target == Target::BUFFER {
                cx.range("offset", p.offset, p.size, d.size)
            } else {
                cx.inside("area", &d, p.level, &p.area)
            }
        }
        Call::GenerateMipmap { p } => {
            let d = cx.handle("texture", s.textures.get(p.texture))?.desc;
            if p.last_level >= d.levels.max(1) || p.base_level > p.last_level {
                let problem = format!("{}..={} of {}", p.base_level, p.last_level, d.levels);
                return cx.field("last_level", problem);
            }
            Ok(())
        }
        Call::GetTextureImage { p } => {
            let d = cx.handle("texture", s.textures.get(p.texture))?.desc;
            shapes::texture_read(cx, &d, p)
        }
        Call::ObjectDeath { p } => match p.kind {
            HandleKind::FRAMEBUFFER | HandleKind::STREAM_OUTPUT => Ok(()),
            k => cx.handle("kind", Err(HandleError::WrongKind(k))),
        },

        Call::BeginStreamOutput { p } => capture::begin(cx, context()?, p),
        Call::EndStreamOutput { p } => capture::under_way(cx, context()?, p).map(|_| ()),
        Call::PauseStreamOutput { p } => capture::pause(cx, context()?, p, true),
        Call::ResumeStreamOutput { p } => capture::pause(cx, context()?, p, false),
        Call::BindStreamOutput { .. } => capture::bind(cx, context()?),

        Call::DrawVbo {
            p,
            indices,
            arrays,
            ranges,
            user_arrays,
        } => {
            let d = DrawCall {
                info: p,
                ranges,
                user_arrays,
                indices,
                arrays,
            };
            draw::draw(cx, s, context()?, &d)
        }
        Call::ReadPixels { p } => shapes::pixels(cx, s, &context()?.values.read_framebuffer, p),
        Call::CopyFramebufferToTexture { p } => {
            let d = cx.handle("texture", s.textures.get(p.texture))?.desc;
            cx.inside("area", &d, p.level, &p.area)?;
            if p.area.depth != 1 {
                return cx.field("area.depth", format!("{} is not 1", p.area.depth));
            }
            Ok(())
        }
        Call::SetSwapInterval { p } => cx.handle("surface", s.surfaces.get(p.surface)).map(|_| ()),
        Call::Present { p } => cx.handle("surface", s.surfaces.get(p.surface)).map(|_| ()),
    }
}

/// Whether all groups of `mask` were pushed (poison; design: verification 6.5): one comparison, and names only where it
/// fails.
#[inline]
fn pushed(cx: Checker, c: &ContextState, mask: u32) -> Result<(), ApplyError> {
    if mask & !c.pushed_mask() == 0 {
        return Ok(());
    }
    let missing = |g: &&Group| mask & g.bit() != 0 && !c.was_pushed(**g);
    let group = Group::ALL.iter().find(missing).copied();
    Err(ApplyError::Poison {
        op: cx.op.name(),
        group: group.unwrap_or(Group::RenderState),
    })
}
