//! Applies a call: checks its handles, maintains [`PushedState`], and has the back end do what is to be done.
//!
//! The only road to a back end, live and in replay. Order: checks against state, then state, then the back end;
//! destroys the other way round, so that the back end can still read the entry.

use super::backend::{Backend, BackendError, DrawCall, ProgramCode, Reply};
use super::calls::{Call, Class, Op};
use super::group::Group;
use super::payload::*;
use super::pushed::*;
use super::table::HandleError;
use crate::counters::Counters;
use crate::handle::*;
use crate::pod::FieldError;

/// Texels of the longest side of an image.
pub const MAX_EXTENT: u32 = 1 << 15;
/// Bytes of the largest texture or renderbuffer.
pub const MAX_IMAGE_BYTES: u64 = 2 << 30;
/// Bytes of the largest buffer.
pub const MAX_BUFFER_BYTES: u64 = 4 << 30;

/// Why a call was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// A handle is dead, stale, or of the wrong kind.
    #[error("{op}: field {field}: {error}")]
    Handle {
        /// The call.
        op: &'static str,
        /// The field.
        field: String,
        /// What is wrong with it.
        error: HandleError,
    },
    /// A value does not go with the state.
    #[error("{op}: {error}")]
    Field {
        /// The call.
        op: &'static str,
        /// Which, and why.
        error: FieldError,
    },
    /// A verb reads a group that was never pushed.
    #[error("{op} reads {group:?}, which was never pushed")]
    Poison {
        /// The verb.
        op: &'static str,
        /// The group.
        group: Group,
    },
    /// No context is bound.
    #[error("{0}: no context is bound")]
    NoContext(&'static str),
    /// The back end does not take the call.
    #[error("{op} is not taken by the {backend} back end")]
    NotTaken {
        /// The call.
        op: &'static str,
        /// The back end.
        backend: String,
    },
    /// The back end failed.
    #[error("{op}: {error}")]
    Backend {
        /// The call.
        op: &'static str,
        /// What happened.
        error: BackendError,
    },
}

struct Cx {
    op: Op,
}

impl Cx {
    /// The field's name becomes text only when it is needed: a good call allocates nothing.
    fn handle<T>(
        &self,
        field: impl std::fmt::Display,
        r: Result<T, HandleError>,
    ) -> Result<T, ApplyError> {
        r.map_err(|error| ApplyError::Handle {
            op: self.op.name(),
            field: field.to_string(),
            error,
        })
    }
    fn field<T>(
        &self,
        field: impl Into<String>,
        problem: impl Into<String>,
    ) -> Result<T, ApplyError> {
        Err(ApplyError::Field {
            op: self.op.name(),
            error: FieldError::new(field, problem),
        })
    }
    fn done(&self, r: Result<(), BackendError>) -> Result<Reply, ApplyError> {
        self.asked(r.map(|()| Reply::None))
    }
    fn asked(&self, r: Result<Reply, BackendError>) -> Result<Reply, ApplyError> {
        r.map_err(|error| ApplyError::Backend {
            op: self.op.name(),
            error,
        })
    }
    /// A handle that must be live, or null.
    fn live_or_null<H: TypedHandle, T>(
        &self,
        field: &str,
        t: &super::table::Table<H, T>,
        h: H,
    ) -> Result<(), ApplyError> {
        if h.raw().is_null() {
            Ok(())
        } else {
            self.handle(field, t.get(h)).map(|_| ())
        }
    }
    fn resource<'s>(
        &self,
        field: &str,
        s: &'s PushedState,
        r: ResourceHandle,
    ) -> Result<&'s ResourceEntry, ApplyError> {
        match r.kind {
            HandleKind::BUFFER => self.handle(field, s.buffers.get(BufferHandle(r.handle))),
            HandleKind::TEXTURE => self.handle(field, s.textures.get(TextureHandle(r.handle))),
            HandleKind::RENDERBUFFER => {
                self.handle(field, s.renderbuffers.get(RenderbufferHandle(r.handle)))
            }
            k => self.handle(field, Err(HandleError::WrongKind(k))),
        }
    }
    fn poison(&self, s: &PushedState, group: Group) -> Result<(), ApplyError> {
        match s.context() {
            Some(c) if c.was_pushed(group) => Ok(()),
            Some(_) => Err(ApplyError::Poison {
                op: self.op.name(),
                group,
            }),
            None => Err(ApplyError::NoContext(self.op.name())),
        }
    }
    fn range(
        &self,
        field: impl std::fmt::Display,
        offset: u64,
        size: u64,
        limit: u64,
    ) -> Result<(), ApplyError> {
        match offset.checked_add(size) {
            Some(end) if end <= limit => Ok(()),
            _ => self.field(
                field.to_string(),
                format!("bytes {offset}+{size} are outside the buffer's {limit}"),
            ),
        }
    }
    /// A box inside a level of a texture; z counts slices, layers or faces.
    fn inside(
        &self,
        field: &str,
        d: &ResourceDesc,
        level: u32,
        b: &Box3,
    ) -> Result<(), ApplyError> {
        if level >= d.levels.max(1) {
            return self.field("level", format!("{level} of {}", d.levels));
        }
        let (w, h, z) = level_extent(d, level);
        let ok = |at: u32, n: u32, limit: u32| at.checked_add(n).is_some_and(|e| e <= limit);
        if ok(b.x, b.width, w) && ok(b.y, b.height, h) && ok(b.z, b.depth, z) {
            Ok(())
        } else {
            self.field(
                field,
                format!("{b:?} is outside level {level} of {w}x{h}x{z}"),
            )
        }
    }
}

/// Columns, rows and slices (layers and faces counted) of a level.
#[must_use]
pub fn level_extent(d: &ResourceDesc, level: u32) -> (u32, u32, u32) {
    let at = |v: u32| (v >> level.min(31)).max(1);
    match d.target {
        Target::TEXTURE_3D => (at(d.width), at(d.height), at(d.depth)),
        Target::TEXTURE_1D => (at(d.width), 1, 1),
        Target::TEXTURE_1D_ARRAY => (at(d.width), 1, d.layers.max(1)),
        _ => (at(d.width), at(d.height), d.layers.max(1)),
    }
}

/// Applies `call`. An error leaves the state as it was before (a failing back end excepted: then the state has the
/// call, as the client that pushed it does).
#[allow(clippy::too_many_lines)] // one arm a call
pub fn apply(
    s: &mut PushedState,
    be: &mut dyn Backend,
    counters: &mut Counters,
    call: &Call<'_>,
) -> Result<Reply, ApplyError> {
    let op = call.op();
    let info = op.info();
    let cx = Cx { op };
    if !be.caps().takes(op) {
        return Err(ApplyError::NotTaken {
            op: info.name,
            backend: be.caps().backend.clone(),
        });
    }
    counters.records += 1;
    counters.verbs += u64::from(info.class == Class::Verb);
    for &g in info.reads {
        cx.poison(s, g)?;
    }
    match *call {
        Call::GetCaps { .. } => {
            counters.round_trips += 1;
            Ok(Reply::Caps(Box::new(be.caps().clone())))
        }
        Call::ResourceCreate { p } => {
            check_desc(&cx, s, p)?;
            let entry = ResourceEntry {
                desc: *p,
                params: None,
            };
            let h = p.resource.handle;
            match p.resource.kind {
                HandleKind::BUFFER => cx
                    .handle("resource", s.buffers.insert(BufferHandle(h), entry))
                    .map(|_| ())?,
                HandleKind::TEXTURE => cx
                    .handle("resource", s.textures.insert(TextureHandle(h), entry))
                    .map(|_| ())?,
                _ => cx
                    .handle(
                        "resource",
                        s.renderbuffers.insert(RenderbufferHandle(h), entry),
                    )
                    .map(|_| ())?,
            }
            cx.done(be.resource_specify(s, p, false))
        }
        Call::ResourceRespecify { p } => {
            check_desc(&cx, s, p)?;
            let old = cx.resource("resource", s, p.resource)?.desc;
            if old.target != p.target {
                return cx.field(
                    "target",
                    format!("{:?} cannot become {:?}", old.target, p.target),
                );
            }
            let h = p.resource.handle;
            let entry = match p.resource.kind {
                HandleKind::BUFFER => s.buffers.get_mut(BufferHandle(h)),
                HandleKind::TEXTURE => s.textures.get_mut(TextureHandle(h)),
                _ => s.renderbuffers.get_mut(RenderbufferHandle(h)),
            };
            cx.handle("resource", entry)?.desc = *p;
            cx.done(be.resource_specify(s, p, true))
        }
        Call::ResourceDestroy { p } => {
            cx.resource("resource", s, p.resource)?;
            s.scrub_resource(p.resource);
            let r = be.resource_destroy(s, p.resource);
            let h = p.resource.handle;
            match p.resource.kind {
                HandleKind::BUFFER => drop(s.buffers.remove(BufferHandle(h))),
                HandleKind::TEXTURE => drop(s.textures.remove(TextureHandle(h))),
                _ => drop(s.renderbuffers.remove(RenderbufferHandle(h))),
            }
            cx.done(r)
        }
        Call::MapPersistent { p } => {
            let size = cx.handle("buffer", s.buffers.get(p.buffer))?.desc.size;
            cx.range("offset", p.offset, p.size, size)?;
            Err(ApplyError::NotTaken {
                op: info.name,
                backend: be.caps().backend.clone(),
            })
        }
        Call::UnmapPersistent { p } => cx.resource("resource", s, p.resource).map(|_| Reply::None),
        Call::FenceCreate { p } => {
            cx.handle("fence", s.fences.insert(p.fence, ()))?;
            cx.done(be.fence_create(s, p.fence))
        }
        Call::FenceStatus { p } => {
            cx.handle("fence", s.fences.get(p.fence))?;
            counters.round_trips += 1;
            cx.asked(
                be.fence_wait(s, p.fence, 0, false)
                    .map(|r| Reply::Value(u64::from(r.0))),
            )
        }
        Call::FenceWait { p } => {
            cx.handle("fence", s.fences.get(p.fence))?;
            counters.round_trips += 1;
            cx.asked(
                be.fence_wait(s, p.fence, p.timeout_ns, p.flush.get())
                    .map(|r| Reply::Value(u64::from(r.0))),
            )
        }
        Call::FenceWaitServer { p } => {
            cx.handle("fence", s.fences.get(p.fence))?;
            cx.done(be.fence_wait_server(s, p.fence))
        }
        Call::FenceDestroy { p } => {
            cx.handle("fence", s.fences.get(p.fence))?;
            let r = be.fence_destroy(s, p.fence);
            let _ = s.fences.remove(p.fence);
            cx.done(r)
        }
        Call::ContextReset { p } => {
            *s = PushedState {
                epoch: p.epoch,
                ..PushedState::default()
            };
            cx.done(be.reset())
        }
        Call::ContextCreate { p } => {
            cx.live_or_null("share", &s.contexts, p.share)?;
            cx.handle(
                "context",
                s.contexts.insert(p.context, ContextState::new(*p)),
            )?;
            cx.done(be.context_create(s, p))
        }
        Call::ContextDestroy { p } => {
            cx.handle("context", s.contexts.get(p.context))?;
            let r = be.context_destroy(s, p.context);
            drop(s.contexts.remove(p.context));
            // A share group lives on without the context that founded it; nothing refers to a dead one.
            for (_, c) in s.contexts.iter_mut() {
                if c.desc.share == p.context {
                    c.desc.share = ContextHandle::NULL;
                }
            }
            if s.current.context == p.context {
                s.current = BindContext::default();
            }
            cx.done(r)
        }
        Call::BindContext { p } => {
            cx.live_or_null("context", &s.contexts, p.context)?;
            cx.live_or_null("draw", &s.surfaces, p.draw)?;
            cx.live_or_null("read", &s.surfaces, p.read)?;
            s.current = *p;
            cx.done(be.bind_context(s, p))
        }
        Call::SurfaceCreate { p } => {
            check_surface(&cx, p)?;
            cx.handle("surface", s.surfaces.insert(p.surface, *p))?;
            cx.done(be.surface_specify(s, p, false))
        }
        Call::SurfaceRespecify { p } => {
            check_surface(&cx, p)?;
            *cx.handle("surface", s.surfaces.get_mut(p.surface))? = *p;
            cx.done(be.surface_specify(s, p, true))
        }
        Call::SurfaceDestroy { p } => {
            cx.handle("surface", s.surfaces.get(p.surface))?;
            s.scrub_resource(p.surface.into());
            let r = be.surface_destroy(s, p.surface);
            let _ = s.surfaces.remove(p.surface);
            cx.done(r)
        }
        Call::ObjectLabel { .. } => Ok(Reply::None),

        Call::QueryCreate { p } => cx
            .handle(
                "query",
                s.queries.insert(
                    p.query,
                    QueryEntry {
                        desc: *p,
                        active: false,
                    },
                ),
            )
            .map(|_| Reply::None),
        Call::QueryBegin { p } => {
            let q = cx.handle("query", s.queries.get_mut(p.query))?;
            if q.active {
                return cx.field("query", "is active already");
            }
            q.active = true;
            q.desc = *p;
            cx.done(be.query_begin(s, p))
        }
        Call::QueryEnd { p } => {
            let q = cx.handle("query", s.queries.get_mut(p.query))?;
            if !q.active {
                return cx.field("query", "is not active");
            }
            q.active = false;
            cx.done(be.query_end(s, p))
        }
        Call::QueryAvailable { p } => {
            cx.handle("query", s.queries.get(p.query))?;
            counters.round_trips += 1;
            cx.asked(
                be.query_available(s, p.query)
                    .map(|v| Reply::Value(u64::from(v))),
            )
        }
        Call::QueryResult { p } => {
            if cx.handle("query", s.queries.get(p.query))?.active {
                return cx.field("query", "is active: it has no result");
            }
            counters.round_trips += 1;
            cx.asked(be.query_result(s, p.query).map(Reply::Value))
        }
        Call::QueryDestroy { p } => {
            cx.handle("query", s.queries.get(p.query))?;
            let r = be.query_destroy(s, p.query);
            drop(s.queries.remove(p.query));
            cx.done(r)
        }
        Call::QueryTimestamp { .. } => {
            counters.round_trips += 1;
            cx.asked(be.timestamp(s).map(Reply::Value))
        }
        Call::QueryCounter { p } => {
            cx.handle("query", s.queries.get_mut(p.query))?.desc = *p;
            cx.done(be.query_counter(s, p))
        }

        Call::CreateRenderState { p } => {
            counters.render_state_mints += 1;
            cx.handle(
                "render_state",
                s.render_states.insert(p.render_state, p.state),
            )
            .map(|_| Reply::None)
        }
        Call::BindRenderState { p } => {
            counters.render_state_binds += 1;
            cx.handle("render_state", s.render_states.get(p.render_state))?;
            let h = p.render_state;
            set(&cx, s, Group::RenderState, |v| v.render_state = h)
        }
        Call::DeleteRenderState { p } => {
            cx.handle("render_state", s.render_states.remove(p.render_state))?;
            s.scrub_render_state(p.render_state);
            Ok(Reply::None)
        }
        Call::CreateVertexElements {
            p,
            attribs,
            bindings,
        } => {
            counters.vertex_elements_mints += 1;
            check_elements(&cx, attribs, bindings)?;
            let e = VertexElementsEntry {
                attribs: attribs.to_vec(),
                bindings: bindings.to_vec(),
            };
            cx.handle(
                "vertex_elements",
                s.vertex_elements.insert(p.vertex_elements, e),
            )
            .map(|_| Reply::None)
        }
        Call::BindVertexElements { p } => {
            cx.handle("vertex_elements", s.vertex_elements.get(p.vertex_elements))?;
            let h = p.vertex_elements;
            set(&cx, s, Group::VertexElements, |v| v.vertex_elements = h)
        }
        Call::DeleteVertexElements { p } => {
            cx.handle("vertex_elements", s.vertex_elements.get(p.vertex_elements))?;
            s.scrub_vertex_elements(p.vertex_elements);
            let r = be.vertex_elements_delete(s, p.vertex_elements);
            drop(s.vertex_elements.remove(p.vertex_elements));
            cx.done(r)
        }
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
            for (i, code) in stages.iter().enumerate() {
                let present = p.stages.0 >> i & 1 != 0;
                if present == code.is_empty() || code.len() % 4 != 0 {
                    return cx.field(
                        "stages",
                        format!("stage {i} has {} bytes of code", code.len()),
                    );
                }
            }
            counters.shader_mints += 1;
            let digest = |b: &[u8]| {
                if b.is_empty() {
                    0
                } else {
                    xxhash_rust::xxh3::xxh3_128(b)
                }
            };
            let mut code = [0; 7];
            for (d, b) in code.iter_mut().zip(stages.iter().chain([&reflection])) {
                *d = digest(b);
                counters.shader_bytes += b.len() as u64;
            }
            let entry = ProgramEntry {
                desc: *p,
                code,
                constants: Vec::new(),
                constants_generation: 0,
                bindings: ProgramBindings::default(),
                bindings_generation: 0,
            };
            cx.handle("shader", s.programs.insert(p.shader, entry))?;
            cx.done(be.shader_create(s, p, ProgramCode { stages, reflection }))
        }
        Call::BindShaderState { p } => {
            cx.live_or_null("shader", &s.programs, p.shader)?;
            set(&cx, s, Group::Shader, |v| v.shader = p.shader)
        }
        Call::DeleteShaderState { p } => {
            cx.handle("shader", s.programs.get(p.shader))?;
            s.scrub_shader(p.shader);
            let r = be.shader_delete(s, p.shader);
            drop(s.programs.remove(p.shader));
            cx.done(r)
        }
        Call::CreateSamplerState { p } => {
            counters.sampler_mints += 1;
            cx.handle("sampler", s.samplers.insert(p.sampler, *p))
                .map(|_| Reply::None)
        }
        Call::DeleteSamplerState { p } => {
            cx.handle("sampler", s.samplers.get(p.sampler))?;
            s.scrub_sampler(p.sampler);
            let r = be.sampler_delete(s, p.sampler);
            let _ = s.samplers.remove(p.sampler);
            cx.done(r)
        }
        Call::CreateSamplerView { p } => {
            counters.view_mints += 1;
            let d = cx.handle("texture", s.textures.get(p.texture))?.desc;
            let inside = |first: u32, n: u32, limit: u32| {
                n > 0 && first.checked_add(n).is_some_and(|e| e <= limit)
            };
            if d.target != Target::TEXTURE_BUFFER {
                if !inside(p.first_level, p.levels, d.levels.max(1)) {
                    return cx.field(
                        "levels",
                        format!("{}+{} of {}", p.first_level, p.levels, d.levels),
                    );
                }
                if !inside(p.first_layer, p.layers, d.layers.max(1)) {
                    return cx.field(
                        "layers",
                        format!("{}+{} of {}", p.first_layer, p.layers, d.layers),
                    );
                }
            }
            cx.handle("view", s.views.insert(p.view, *p))
                .map(|_| Reply::None)
        }
        Call::DeleteSamplerView { p } => {
            cx.handle("view", s.views.get(p.view))?;
            s.scrub_view(p.view);
            let r = be.view_delete(s, p.view);
            let _ = s.views.remove(p.view);
            cx.done(r)
        }

        Call::SetDynamicState { p, words } => {
            counters.dynamic_emissions += 1;
            let c = context(&cx, s)?;
            let mut d = c.values.dynamic;
            d.scatter(p.chunks, words)
                .map_err(|error| ApplyError::Field {
                    op: info.name,
                    error,
                })?;
            c.values.dynamic = d;
            c.touch(Group::Dynamic);
            Ok(Reply::None)
        }
        Call::SetFramebufferState { p } => {
            counters.framebuffer_emissions += 1;
            check_framebuffer(&cx, s, p)?;
            let c = context(&cx, s)?;
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
            Ok(Reply::None)
        }
        Call::SetVertexBuffers { buffers, .. } => {
            counters.vertex_buffer_emissions += 1;
            for (i, b) in buffers.iter().enumerate() {
                if !b.buffer.is_null() {
                    cx.handle(format_args!("buffers[{i}].buffer"), s.buffers.get(b.buffer))?;
                }
            }
            set_list(
                &cx,
                s,
                Group::VertexBuffers,
                |v| &mut v.vertex_buffers,
                buffers,
            )
        }
        Call::SetIndexBuffer { p } => {
            cx.live_or_null("buffer", &s.buffers, p.buffer)?;
            set(&cx, s, Group::IndexBuffer, |v| v.index_buffer = *p)
        }
        Call::SetIndirectBuffers { p } => {
            cx.live_or_null("draw", &s.buffers, p.draw)?;
            cx.live_or_null("dispatch", &s.buffers, p.dispatch)?;
            cx.live_or_null("parameter", &s.buffers, p.parameter)?;
            set(&cx, s, Group::IndirectBuffers, |v| v.indirect = *p)
        }
        Call::SetSamplerViews { views, .. } => {
            counters.sampler_view_emissions += 1;
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
            set_list(&cx, s, Group::SamplerViews, |v| &mut v.views, views)
        }
        Call::BindSamplerStates { samplers, .. } => {
            counters.sampler_state_emissions += 1;
            for (i, b) in samplers.iter().enumerate() {
                cx.handle(
                    format_args!("samplers[{i}].sampler"),
                    s.samplers.get(b.sampler),
                )?;
            }
            set_list(&cx, s, Group::SamplerStates, |v| &mut v.samplers, samplers)
        }
        Call::SetShaderImages { images, .. } => {
            for (i, b) in images.iter().enumerate() {
                cx.handle(
                    format_args!("images[{i}].texture"),
                    s.textures.get(b.texture),
                )?;
            }
            set_list(&cx, s, Group::ShaderImages, |v| &mut v.images, images)
        }
        Call::SetShaderBuffers { p, buffers } => {
            counters.shader_buffer_emissions += 1;
            check_ranges(&cx, s, "buffers", buffers)?;
            match p.class {
                BufferClass::UNIFORM_BUFFER => set_list(
                    &cx,
                    s,
                    Group::UniformBuffers,
                    |v| &mut v.uniform_buffers,
                    buffers,
                ),
                BufferClass::SHADER_STORAGE_BUFFER => set_list(
                    &cx,
                    s,
                    Group::StorageBuffers,
                    |v| &mut v.storage_buffers,
                    buffers,
                ),
                _ => set_list(
                    &cx,
                    s,
                    Group::AtomicBuffers,
                    |v| &mut v.atomic_buffers,
                    buffers,
                ),
            }
        }
        Call::SetStreamOutputTargets { p, targets } => {
            check_ranges(&cx, s, "targets", targets)?;
            set(&cx, s, Group::StreamOutput, |v| {
                v.stream_output = p.stream_output;
                v.stream_targets.clear();
                v.stream_targets.extend_from_slice(targets);
            })
        }
        Call::SetGlobalConstants { p, bytes } => {
            counters.constant_bytes += bytes.len() as u64;
            if p.block_size > 1 << 20 {
                return cx.field("block_size", format!("{} is above 1 MiB", p.block_size));
            }
            let prog = cx.handle("shader", s.programs.get_mut(p.shader))?;
            let (at, size) = (p.offset as usize, p.block_size as usize);
            if at.checked_add(bytes.len()).is_none_or(|e| e > size) {
                return cx.field(
                    "offset",
                    format!("bytes {at}+{} are outside the block of {size}", bytes.len()),
                );
            }
            prog.constants.resize(size, 0);
            prog.constants[at..at + bytes.len()].copy_from_slice(bytes);
            prog.constants_generation += 1;
            Ok(Reply::None)
        }
        Call::SetVertexAttribDefaults { values, .. } => set_list(
            &cx,
            s,
            Group::AttribDefaults,
            |v| &mut v.attrib_defaults,
            values,
        ),
        Call::SetPixelPackState { p } => set(&cx, s, Group::PixelPack, |v| v.pixel_pack = *p),
        Call::SetPatchState { p } => set(&cx, s, Group::Patch, |v| v.patch = *p),
        Call::SetDrawProgram { p } => {
            cx.live_or_null("shader", &s.programs, p.shader)?;
            set(&cx, s, Group::DrawProgram, |v| v.draw_program = p.shader)
        }
        Call::SetDispatchProgram { p } => {
            cx.live_or_null("shader", &s.programs, p.shader)?;
            set(&cx, s, Group::DispatchProgram, |v| {
                v.dispatch_program = p.shader
            })
        }
        Call::SetProgramBindings {
            p,
            samplers,
            images,
            uniform_blocks,
            storage_blocks,
        } => {
            let prog = cx.handle("shader", s.programs.get_mut(p.shader))?;
            prog.bindings = ProgramBindings {
                samplers: samplers.to_vec(),
                images: images.to_vec(),
                uniform_blocks: uniform_blocks.to_vec(),
                storage_blocks: storage_blocks.to_vec(),
            };
            prog.bindings_generation += 1;
            Ok(Reply::None)
        }

        Call::SetTextureParams { p } => {
            cx.live_or_null("sampler", &s.samplers, p.sampler)?;
            cx.handle("texture", s.textures.get_mut(p.texture))?.params = Some(*p);
            Ok(Reply::None)
        }
        Call::ResourceSubData { p, bytes, regions } => {
            let d = cx.resource("resource", s, p.resource)?.desc;
            check_sub_data(&cx, &d, p, bytes, regions)?;
            if d.target == Target::BUFFER {
                counters.buffer_uploads += 1;
                counters.buffer_bytes += bytes.len() as u64;
            } else {
                counters.texture_uploads += 1;
                counters.texture_regions += regions.len() as u64;
                counters.texture_box_bytes += bytes.len() as u64;
            }
            cx.done(be.sub_data(s, p, regions, bytes))
        }
        Call::BufferSubDataResident { p, bytes } => {
            let size = cx.handle("buffer", s.buffers.get(p.buffer))?.desc.size;
            cx.range("offset", p.offset, bytes.len() as u64, size)?;
            let d = SubData {
                resource: p.buffer.into(),
                offset: p.offset,
                ..SubData::default()
            };
            cx.done(be.sub_data(s, &d, &[], bytes))
        }
        Call::ResourceSubDataComplete { p } => {
            cx.resource("resource", s, p.resource).map(|_| Reply::None)
        }
        Call::ResourceFlushRange { p } => {
            let size = cx.handle("buffer", s.buffers.get(p.buffer))?.desc.size;
            cx.range("offset", p.offset, p.size, size)
                .map(|()| Reply::None)
        }
        Call::ResourceReadback { p } => {
            let size = cx.handle("buffer", s.buffers.get(p.buffer))?.desc.size;
            cx.range("offset", p.offset, p.size, size)?;
            counters.round_trips += 1;
            counters.readback_bytes += p.size;
            cx.asked(be.buffer_read(s, p).map(Reply::Bytes))
        }
        Call::ResourceCopyRegion { p } => {
            let (a, b) = (
                cx.resource("src", s, p.src)?.desc,
                cx.resource("dst", s, p.dst)?.desc,
            );
            let to = Box3 {
                x: p.dst_x,
                y: p.dst_y,
                z: p.dst_z,
                ..p.src_box
            };
            match (a.target == Target::BUFFER, b.target == Target::BUFFER) {
                (true, true) => {
                    cx.range(
                        "src_box",
                        u64::from(p.src_box.x),
                        u64::from(p.src_box.width),
                        a.size,
                    )?;
                    cx.range(
                        "dst_x",
                        u64::from(p.dst_x),
                        u64::from(p.src_box.width),
                        b.size,
                    )?;
                }
                (false, false) => {
                    cx.inside("src_box", &a, p.src_level, &p.src_box)?;
                    cx.inside("dst_x", &b, p.dst_level, &to)?;
                }
                _ => {
                    return cx.field(
                        "dst",
                        "a buffer and a texture cannot be copied into each other",
                    );
                }
            }
            cx.done(be.copy_region(s, p))
        }
        Call::ClearResource { p } => {
            let d = cx.resource("resource", s, p.resource)?.desc;
            if d.target == Target::BUFFER {
                cx.range("offset", p.offset, p.size, d.size)?;
            } else {
                cx.inside("area", &d, p.level, &p.area)?;
            }
            cx.done(be.clear_resource(s, p))
        }
        Call::Invalidate { p } => cx.resource("resource", s, p.resource).map(|_| Reply::None),
        Call::GenerateMipmap { p } => {
            let d = cx.handle("texture", s.textures.get(p.texture))?.desc;
            if p.last_level >= d.levels.max(1) || p.base_level > p.last_level {
                return cx.field(
                    "last_level",
                    format!("{}..={} of {}", p.base_level, p.last_level, d.levels),
                );
            }
            cx.done(be.generate_mipmap(s, p))
        }
        Call::GetTextureImage { p } => {
            let d = cx.handle("texture", s.textures.get(p.texture))?.desc;
            check_texture_read(&cx, &d, p)?;
            counters.round_trips += 1;
            let r = be.texture_read(s, p);
            counters.readback_bytes += r.as_ref().map_or(0, |b| b.len() as u64);
            cx.asked(r.map(Reply::Bytes))
        }
        Call::GetTextureImageToBuffer { .. } | Call::ReadPixelsToBuffer { .. } => {
            Err(ApplyError::NotTaken {
                op: info.name,
                backend: be.caps().backend.clone(),
            })
        }
        Call::ObjectDeath { p } => {
            match p.kind {
                HandleKind::FRAMEBUFFER => s.scrub_framebuffer(FramebufferHandle(p.handle)),
                HandleKind::STREAM_OUTPUT => s.scrub_stream_output(StreamOutputHandle(p.handle)),
                k => return cx.handle("kind", Err(HandleError::WrongKind(k))),
            }
            cx.done(be.object_death(s, p))
        }

        Call::DrawVbo {
            p,
            indices,
            arrays,
            ranges,
            user_arrays,
        } => {
            check_draw(&cx, s, p, indices, arrays, ranges, user_arrays)?;
            counters.draws += 1;
            counters.draw_ranges += ranges.len() as u64;
            counters.user_array_bytes += (indices.len() + arrays.len()) as u64;
            cx.done(be.draw(
                s,
                DrawCall {
                    info: p,
                    ranges,
                    user_arrays,
                    indices,
                    arrays,
                },
            ))
        }
        Call::Clear { p } => {
            counters.clears += 1;
            cx.done(be.clear(s, p))
        }
        Call::Blit { p } => cx.done(be.blit(s, p)),
        Call::ReadPixels { p } => {
            let c = context(&cx, s)?;
            let fb = &c.values.read_framebuffer;
            let ok = |at: i32, n: u32, limit: u32| {
                at >= 0 && i64::from(at) + i64::from(n) <= i64::from(limit)
            };
            if !ok(p.x, p.width, fb.width) || !ok(p.y, p.height, fb.height) {
                return cx.field(
                    "width",
                    format!(
                        "the rectangle is outside the framebuffer of {}x{}",
                        fb.width, fb.height
                    ),
                );
            }
            if p.format.info().is_none() {
                return cx.field("format", "none");
            }
            counters.round_trips += 1;
            let r = be.read_pixels(s, p);
            counters.readback_bytes += r.as_ref().map_or(0, |b| b.len() as u64);
            cx.asked(r.map(Reply::Bytes))
        }
        Call::CopyFramebufferToTexture { p } => {
            let d = cx.handle("texture", s.textures.get(p.texture))?.desc;
            cx.inside("area", &d, p.level, &p.area)?;
            if p.area.depth != 1 {
                return cx.field("area.depth", format!("{} is not 1", p.area.depth));
            }
            cx.done(be.copy_to_texture(s, p))
        }
        Call::LaunchGrid { p } => cx.done(be.launch_grid(s, p)),
        Call::MemoryBarrier { p } => cx.done(be.memory_barrier(s, p)),
        Call::BeginStreamOutput { p }
        | Call::EndStreamOutput { p }
        | Call::PauseStreamOutput { p }
        | Call::ResumeStreamOutput { p }
        | Call::BindStreamOutput { p } => cx.done(be.stream_output(s, op, p)),
        Call::DebugMarker { p, text } => cx.done(be.marker(s, p, text)),
        Call::Flush { p } => cx.done(be.flush(s, p)),
        Call::SetSwapInterval { p } => {
            cx.handle("surface", s.surfaces.get(p.surface))?;
            cx.done(be.swap_interval(s, p))
        }
        Call::Present { p } => {
            cx.handle("surface", s.surfaces.get(p.surface))?;
            counters.presents += 1;
            cx.done(be.present(s, p))
        }
    }
}

fn context<'s>(cx: &Cx, s: &'s mut PushedState) -> Result<&'s mut ContextState, ApplyError> {
    s.contexts
        .get_mut(s.current.context)
        .map_err(|_| ApplyError::NoContext(cx.op.name()))
}

fn set(
    cx: &Cx,
    s: &mut PushedState,
    g: Group,
    f: impl FnOnce(&mut GroupValues),
) -> Result<Reply, ApplyError> {
    let c = context(cx, s)?;
    f(&mut c.values);
    c.touch(g);
    Ok(Reply::None)
}

fn set_list<T: Copy>(
    cx: &Cx,
    s: &mut PushedState,
    g: Group,
    place: impl FnOnce(&mut GroupValues) -> &mut Vec<T>,
    new: &[T],
) -> Result<Reply, ApplyError> {
    set(cx, s, g, |v| {
        let list = place(v);
        list.clear();
        list.extend_from_slice(new);
    })
}

fn check_desc(cx: &Cx, s: &PushedState, d: &ResourceDesc) -> Result<(), ApplyError> {
    let kind_fits = match d.resource.kind {
        HandleKind::BUFFER => d.target == Target::BUFFER,
        HandleKind::RENDERBUFFER => d.target == Target::RENDERBUFFER,
        HandleKind::TEXTURE => !matches!(
            d.target,
            Target::NONE | Target::BUFFER | Target::RENDERBUFFER
        ),
        _ => false,
    };
    if !kind_fits {
        return cx.field(
            "target",
            format!(
                "{:?} does not go with a {:?} handle",
                d.target, d.resource.kind
            ),
        );
    }
    if d.target == Target::BUFFER {
        if d.size > MAX_BUFFER_BYTES {
            return cx.field("size", format!("{} is above {MAX_BUFFER_BYTES}", d.size));
        }
        return Ok(());
    }
    let Some(f) = d.format.info() else {
        return cx.field("format", "none");
    };
    if d.target == Target::TEXTURE_BUFFER {
        let size = if d.buffer.is_null() {
            0
        } else {
            cx.handle("buffer", s.buffers.get(d.buffer))?.desc.size
        };
        return cx.range("offset", d.offset, d.size, size);
    }
    cx.live_or_null("view_of", &s.textures, d.view_of)?;
    for (name, v) in [
        ("width", d.width),
        ("height", d.height),
        ("depth", d.depth),
        ("layers", d.layers),
    ] {
        if v == 0 || v > MAX_EXTENT {
            return cx.field(name, format!("{v} is not 1 to {MAX_EXTENT}"));
        }
    }
    let longest = d
        .width
        .max(d.height)
        .max(if d.target == Target::TEXTURE_3D {
            d.depth
        } else {
            1
        });
    if d.levels == 0 || d.levels > 32 - longest.leading_zeros() {
        return cx.field(
            "levels",
            format!("{} of at most {}", d.levels, 32 - longest.leading_zeros()),
        );
    }
    if d.samples > 64 {
        return cx.field("samples", format!("{} is above 64", d.samples));
    }
    let texels = u64::from(d.width) * u64::from(d.height);
    let bytes = texels
        .saturating_mul(u64::from(d.depth) * u64::from(d.layers))
        .saturating_mul(u64::from(d.samples.max(1)) * u64::from(f.bytes));
    if bytes > MAX_IMAGE_BYTES {
        return cx.field(
            "width",
            format!("{bytes} bytes are above {MAX_IMAGE_BYTES}"),
        );
    }
    Ok(())
}

fn check_surface(cx: &Cx, d: &SurfaceDesc) -> Result<(), ApplyError> {
    if d.width == 0 || d.height == 0 || d.width > MAX_EXTENT || d.height > MAX_EXTENT {
        return cx.field(
            "width",
            format!("{}x{} is not 1 to {MAX_EXTENT} a side", d.width, d.height),
        );
    }
    if d.samples > 64 {
        return cx.field("samples", format!("{} is above 64", d.samples));
    }
    if u64::from(d.width) * u64::from(d.height) * 4 * u64::from(d.samples.max(1)) > MAX_IMAGE_BYTES
    {
        return cx.field("width", format!("{}x{} is too large", d.width, d.height));
    }
    if !d.color.info().is_some_and(|f| f.is_color()) {
        return cx.field("color", format!("{} is not a colour format", d.color));
    }
    if d.depth_stencil.0 != 0 && d.depth_stencil.info().is_none_or(|f| f.is_color()) {
        return cx.field(
            "depth_stencil",
            format!("{} is not a depth or stencil format", d.depth_stencil),
        );
    }
    Ok(())
}

fn check_elements(
    cx: &Cx,
    attribs: &[VertexAttrib],
    bindings: &[VertexBinding],
) -> Result<(), ApplyError> {
    let (mut seen, mut bound) = (0u32, 0u32);
    for b in bindings {
        if bound >> b.binding & 1 != 0 {
            return cx.field("bindings", format!("binding {} twice", b.binding));
        }
        bound |= 1 << b.binding;
    }
    for (i, a) in attribs.iter().enumerate() {
        if seen >> a.location & 1 != 0 {
            return cx.field(
                format!("attribs[{i}].location"),
                format!("{} twice", a.location),
            );
        }
        seen |= 1 << a.location;
        if bound >> a.binding & 1 == 0 {
            return cx.field(
                format!("attribs[{i}].binding"),
                format!("binding point {} is not described", a.binding),
            );
        }
    }
    Ok(())
}

fn check_framebuffer(cx: &Cx, s: &PushedState, p: &FramebufferState) -> Result<(), ApplyError> {
    let check = |field: std::fmt::Arguments<'_>, a: &Attachment| -> Result<(), ApplyError> {
        if a.resource.is_null() {
            return Ok(());
        }
        let h = a.resource.handle;
        match a.resource.kind {
            HandleKind::SURFACE => cx
                .handle(field, s.surfaces.get(SurfaceHandle(h)))
                .map(|_| ()),
            HandleKind::RENDERBUFFER => cx
                .handle(field, s.renderbuffers.get(RenderbufferHandle(h)))
                .map(|_| ()),
            HandleKind::TEXTURE => {
                let d = cx.handle(field, s.textures.get(TextureHandle(h)))?.desc;
                let (_, _, z) = level_extent(&d, a.level);
                if a.level >= d.levels.max(1) || a.layer >= z {
                    return cx.field(
                        field.to_string(),
                        format!(
                            "level {} layer {} of {} levels, {z} layers",
                            a.level, a.layer, d.levels
                        ),
                    );
                }
                Ok(())
            }
            k => cx.handle(field, Err(HandleError::WrongKind(k))),
        }
    };
    for (i, a) in p.color.iter().enumerate() {
        check(format_args!("color[{i}].resource"), a)?;
    }
    check(format_args!("depth.resource"), &p.depth)?;
    check(format_args!("stencil.resource"), &p.stencil)?;
    check(format_args!("read.resource"), &p.read)?;
    if p.width > MAX_EXTENT || p.height > MAX_EXTENT {
        return cx.field(
            "width",
            format!("{}x{} is above {MAX_EXTENT}", p.width, p.height),
        );
    }
    Ok(())
}

fn check_ranges(
    cx: &Cx,
    s: &PushedState,
    list: &str,
    ranges: &[BufferBinding],
) -> Result<(), ApplyError> {
    for (i, b) in ranges.iter().enumerate() {
        let size = cx
            .handle(format_args!("{list}[{i}].buffer"), s.buffers.get(b.buffer))?
            .desc
            .size;
        cx.range(format_args!("{list}[{i}].offset"), b.offset, b.size, size)?;
    }
    Ok(())
}

fn check_sub_data(
    cx: &Cx,
    d: &ResourceDesc,
    p: &SubData,
    bytes: &[u8],
    regions: &[SubRegion],
) -> Result<(), ApplyError> {
    if d.target == Target::BUFFER {
        if !regions.is_empty() {
            return cx.field("regions", "a buffer upload has none");
        }
        return cx.range("offset", p.offset, bytes.len() as u64, d.size);
    }
    if d.target == Target::TEXTURE_BUFFER || d.target == Target::RENDERBUFFER || d.samples > 1 {
        return cx.field("resource", format!("{:?} takes no upload", d.target));
    }
    cx.inside("union_box", d, p.level, &p.union_box)?;
    let u = &p.union_box;
    let texel = d.format.info().map_or(0, |f| f.bytes as u64);
    let needs = |b: &Box3| -> Option<u64> {
        if b.width == 0 || b.height == 0 || b.depth == 0 {
            return Some(0);
        }
        (u64::from(b.depth) - 1)
            .checked_mul(p.image_stride)?
            .checked_add((u64::from(b.height) - 1) * u64::from(p.row_stride))?
            .checked_add(u64::from(b.width) * texel)
    };
    if u64::from(p.row_stride) < u64::from(u.width) * texel && u.height > 1 {
        return cx.field("row_stride", format!("{} is less than a row", p.row_stride));
    }
    if p.image_stride < u64::from(p.row_stride) * u64::from(u.height) && u.depth > 1 {
        return cx.field(
            "image_stride",
            format!("{} is less than a slice", p.image_stride),
        );
    }
    let fits = |n: Option<u64>, at: u64| {
        n.and_then(|n| n.checked_add(at))
            .is_some_and(|e| e <= bytes.len() as u64)
    };
    if !fits(needs(u), 0) {
        return cx.field(
            "bytes",
            format!("{} bytes are too few for the union box", bytes.len()),
        );
    }
    let ok = |at: u32, n: u32, lo: u32, len: u32| {
        at >= lo && u64::from(at) + u64::from(n) <= u64::from(lo) + u64::from(len)
    };
    for (i, r) in regions.iter().enumerate() {
        let a = &r.area;
        if !ok(a.x, a.width, u.x, u.width)
            || !ok(a.y, a.height, u.y, u.height)
            || !ok(a.z, a.depth, u.z, u.depth)
        {
            return cx.field(format!("regions[{i}].area"), "is outside the union box");
        }
        if !fits(needs(a), r.offset) {
            return cx.field(format!("regions[{i}].offset"), "is outside the blob");
        }
    }
    Ok(())
}

fn check_texture_read(cx: &Cx, d: &ResourceDesc, p: &GetTextureImage) -> Result<(), ApplyError> {
    if d.target == Target::TEXTURE_BUFFER || d.samples > 1 {
        return cx.field(
            "texture",
            format!("{:?} with {} samples cannot be read", d.target, d.samples),
        );
    }
    if p.format != d.format {
        return cx.field(
            "format",
            format!("{} is not the texture's {}", p.format, d.format),
        );
    }
    cx.inside("area", d, p.level, &p.area)
}

fn check_draw(
    cx: &Cx,
    s: &PushedState,
    p: &DrawInfo,
    indices: &[u8],
    arrays: &[u8],
    ranges: &[DrawRange],
    user_arrays: &[UserArray],
) -> Result<(), ApplyError> {
    let Some(c) = s.context() else {
        return Err(ApplyError::NoContext(cx.op.name()));
    };
    if c.values.draw_program.is_null() {
        return cx.field("mode", "no draw program is bound");
    }
    if p.index_size != 0 {
        let limit = if p.flags.has(DrawFlags::USER_INDICES) {
            indices.len() as u64
        } else {
            cx.poison(s, Group::IndexBuffer)?;
            cx.handle("index buffer", s.buffers.get(c.values.index_buffer.buffer))?
                .desc
                .size
        };
        // Beyond a real index buffer GL leaves the result undefined; beyond the record's own blob there is nothing.
        if p.flags.has(DrawFlags::USER_INDICES) {
            for (i, r) in ranges.iter().enumerate() {
                let end = (u64::from(r.start) + u64::from(r.count)) * u64::from(p.index_size);
                if end > limit {
                    return cx.field(
                        format!("ranges[{i}]"),
                        format!("ends at byte {end} of {limit} bytes of indices"),
                    );
                }
            }
        }
    }
    if p.flags.has(DrawFlags::INDIRECT) {
        cx.poison(s, Group::IndirectBuffers)?;
        cx.handle("indirect buffer", s.buffers.get(c.values.indirect.draw))?;
    }
    if p.mode == Primitive::PATCHES {
        cx.poison(s, Group::Patch)?;
    }
    for (i, u) in user_arrays.iter().enumerate() {
        if u.binding >= MAX_VERTEX_ATTRIBS {
            return cx.field(
                format!("user_arrays[{i}].binding"),
                format!("{} is not below 32", u.binding),
            );
        }
        cx.range(
            format_args!("user_arrays[{i}].offset"),
            u.offset,
            u.size,
            arrays.len() as u64,
        )?;
    }
    Ok(())
}
