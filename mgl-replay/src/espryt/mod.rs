//! Espryt: the back end on OpenGL ES 3.1 and later (design: driver 5.5).
//!
//! One root context and one native context a GL context, all in one share group: handles are unique in the process, so
//! the client's share groups need no counterpart. All draw into framebuffer objects; windows get a copy when a frame is
//! shown. `mod.rs` decides which native context an operation runs in and hands it to [`work::Work`], which the other
//! modules extend, one a subject. What GL has set is shadowed a context ([`context`]); what the pushed state says is
//! followed at verbs by generations, so that unchanged state costs nothing.

mod attribs;
mod blit;
mod buffers;
mod caps;
mod capture;
mod clear;
mod context;
mod copy;
mod debug;
mod depth;
mod depth_unit;
mod device;
mod draw;
mod egl;
pub mod essl;
mod formats;
mod framebuffers;
mod gl;
mod indices;
pub mod loader;
mod memory;
mod mipmap;
mod multisample;
mod near;
mod objects;
mod painter;
mod program;
mod provoking;
mod queries;
mod read;
mod samplers;
mod samples;
mod state;
mod steady;
mod storage;
mod stream;
mod surfaces;
mod tally;
mod texel;
mod textures;
mod uniforms;
mod units;
mod vertex;
mod views;
mod work;

pub use egl::DisplayChoice;

use crate::texels as convert;
use context::NativeContext;
use device::Device;
use glow::HasContext;
use mgl_core::handle::*;
use mgl_core::pipe::backend::{NativeWindow, Pace, ProgramCode, Result};
use mgl_core::pipe::event::{Event, LogLevel};
use mgl_core::pipe::table::Table;
use mgl_core::pipe::*;
use objects::Objects;
use surfaces::Surface;
use work::Work;

/// How Espryt is to run.
#[derive(Debug, Clone, Default)]
pub struct EsprytOptions {
    /// Where its contexts live.
    pub display: DisplayChoice,
    /// KHR_debug messages and GL errors become [`Event::Log`] lines of level Error.
    pub debug: bool,
}

/// What the driver below says that Espryt's contexts are; a test asserts that they are OpenGL ES ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiStrings {
    /// EGL_CONTEXT_CLIENT_TYPE: 0x30A0 is OpenGL ES, 0x30A2 desktop OpenGL.
    pub client_api: i32,
    /// GL_VERSION.
    pub version: String,
    /// GL_RENDERER.
    pub renderer: String,
}

/// See the module.
pub struct Espryt {
    caps: Caps,
    obj: Objects,
    contexts: Table<ContextHandle, NativeContext>,
    service: NativeContext,
    /// Native windows of surfaces that are about to be created.
    windows: Vec<(SurfaceHandle, NativeWindow)>,
    /// [`egl::Context::id`] of the context that worked last.
    last: u64,
    /// Uploads since they were last asked for, where they are reported.
    uploads: Option<Vec<UploadReport>>,
    /// Dropped last: everything above is made by it.
    dev: Device,
}

/// A context for an operation on shared objects: any one that this thread can use.
enum Which {
    Bound(ContextHandle),
    /// The root context, let go of afterwards: no thread may keep it from the others.
    Service,
}

impl Espryt {
    /// Opens a display and makes the root context, which no thread has current afterwards.
    ///
    /// # Errors
    ///
    /// In words that say what is missing: the library, a display, OpenGL ES 3.1, an EGL extension.
    pub fn new(options: EsprytOptions) -> Result<Self> {
        Self::lacking(options, &[])
    }

    /// As [`Espryt::new`], but without some of the context's features (by their names in [`Caps::features`]): what stands
    /// in for them can be tested on a driver that has them.
    ///
    /// # Errors
    ///
    /// As [`Espryt::new`], and for a name that is no feature.
    pub fn lacking(options: EsprytOptions, features: &[&str]) -> Result<Self> {
        let (dev, root) = Device::open(&options.display, options.debug, features)?;
        let caps = caps::caps(&dev.gl);
        let mut service = NativeContext::of(&dev, root);
        service.egl.holder = 0;
        dev.egl.release();
        Ok(Self {
            caps,
            obj: Objects::default(),
            contexts: Table::default(),
            service,
            windows: Vec::new(),
            last: 0,
            uploads: None,
            dev,
        })
    }

    /// What the context that is current on this thread is, or the root context where none is.
    ///
    /// # Errors
    ///
    /// When no context can be made current.
    pub fn api_strings(&mut self) -> Result<ApiStrings> {
        self.on_any(&PushedState::default(), |w| {
            Ok(ApiStrings {
                client_api: w.dev.egl.client_api(&w.ctx.egl).unwrap_or(0),
                version: w.dev.gl.string(glow::VERSION),
                renderer: w.dev.gl.string(glow::RENDERER),
            })
        })
    }

    /// Ends what goes on in a context that is to end: active queries, a capture. Drivers crash without.
    fn stop_context(dev: &Device, c: &mut NativeContext) {
        if c.is_busy() && dev.egl.make_current(&mut c.egl, None).is_ok() {
            c.stop(dev);
        }
    }

    /// Ends a context, which is in no table any more, and what belongs to it.
    fn end_context(&mut self, mut c: NativeContext) {
        let before = egl::current_id();
        Self::stop_context(&self.dev, &mut c);
        if egl::current_id() != before {
            self.forget_holder(before);
        }
        let tally = &self.dev.tally;
        tally
            .framebuffers_ended
            .add(c.framebuffers.objects() as u64);
        tally.vertex_arrays_ended.add(c.vertex.objects() as u64);
        tally.queries_ended.add(c.dead_queries.len() as u64);
        tally.contexts_ended.one();
        self.dev.egl.destroy_context(&mut c.egl);
        // Queries are a context's own, and gone with it.
        let gone: Vec<QueryHandle> = self
            .obj
            .queries
            .iter()
            .filter(|(_, q)| q.context == c.egl.id)
            .map(|(h, _)| h)
            .collect();
        for h in gone {
            if self.obj.queries.remove(h).is_ok() {
                self.dev.tally.queries_ended.one();
            }
        }
        // Its streaming buffers are the share group's.
        let streams: Vec<glow::Buffer> = [c.arrays.take(), c.constants.take()]
            .into_iter()
            .flatten()
            .collect();
        if streams.is_empty() {
            return;
        }
        let _ = self.on_any(&PushedState::default(), |w| {
            for name in streams {
                // SAFETY: a context of the share group is current, and the buffer lives.
                unsafe { w.dev.gl.glow.delete_buffer(name) };
                w.dev.tally.buffers_ended.one();
            }
            Ok(())
        });
    }

    /// Framebuffer objects that live in all contexts; for tests of the cache.
    #[must_use]
    pub fn framebuffer_objects(&self) -> usize {
        self.contexts
            .iter()
            .map(|(_, c)| c.framebuffers.len())
            .sum::<usize>()
            + self.service.framebuffers.len()
    }

    /// Which context an operation on shared objects can use on this thread.
    fn usable(&self, s: &PushedState) -> Which {
        let current = egl::current_id();
        if current != 0
            && let Some((h, _)) = self.contexts.iter().find(|(_, c)| c.egl.id == current)
        {
            return Which::Bound(h);
        }
        let thread = egl::thread_token();
        match self.contexts.get(s.current.context) {
            Ok(c) if c.egl.holder == 0 || c.egl.holder == thread => Which::Bound(s.current.context),
            _ => Which::Service,
        }
    }

    /// Runs `f` in any context that this thread can use.
    fn on_any<T>(
        &mut self,
        s: &PushedState,
        f: impl FnOnce(&mut Work<'_>) -> Result<T>,
    ) -> Result<T> {
        match self.usable(s) {
            Which::Bound(h) => self.on(h, f),
            Which::Service => {
                self.let_go();
                self.dev.egl.make_current(&mut self.service.egl, None)?;
                if self.last != self.service.egl.id {
                    self.last = self.service.egl.id;
                    self.service.distrust();
                }
                self.service.bury(&self.dev);
                let r = f(&mut Work {
                    dev: &self.dev,
                    obj: &mut self.obj,
                    ctx: &mut self.service,
                });
                // Others see what was done.
                // SAFETY: the root context is current.
                unsafe { self.dev.gl.glow.flush() };
                self.dev.egl.release();
                self.service.egl.holder = 0;
                self.settle();
                r
            }
        }
    }

    /// Runs `f` in the context that speaks.
    fn on_current<T>(
        &mut self,
        s: &PushedState,
        f: impl FnOnce(&mut Work<'_>) -> Result<T>,
    ) -> Result<T> {
        self.on(s.current.context, f)
    }

    fn on<T>(&mut self, h: ContextHandle, f: impl FnOnce(&mut Work<'_>) -> Result<T>) -> Result<T> {
        let ctx = self
            .contexts
            .get_mut(h)
            .map_err(|e| BackendError::Driver(e.to_string()))?;
        if egl::current_id() != ctx.egl.id {
            let before = egl::current_id();
            self.dev.egl.make_current(&mut ctx.egl, None)?;
            let id = ctx.egl.id;
            self.forget_holder(before);
            return self.on_made_current(h, id, f);
        }
        let id = ctx.egl.id;
        self.on_made_current(h, id, f)
    }

    #[inline]
    fn on_made_current<T>(
        &mut self,
        h: ContextHandle,
        id: u64,
        f: impl FnOnce(&mut Work<'_>) -> Result<T>,
    ) -> Result<T> {
        let ctx = self
            .contexts
            .get_mut(h)
            .map_err(|e| BackendError::Driver(e.to_string()))?;
        if self.last != id {
            self.last = id;
            ctx.distrust();
        }
        ctx.bury(&self.dev);
        let r = f(&mut Work {
            dev: &self.dev,
            obj: &mut self.obj,
            ctx,
        });
        self.settle();
        r
    }

    /// Tells all contexts of storage and queries that ended.
    #[inline]
    fn settle(&mut self) {
        if self.obj.dead_images.is_empty() && self.obj.dead_queries.is_empty() {
            return;
        }
        for serial in std::mem::take(&mut self.obj.dead_images) {
            for (_, c) in self.contexts.iter_mut() {
                c.framebuffers.forget(serial);
            }
            self.service.framebuffers.forget(serial);
        }
        for (context, query) in std::mem::take(&mut self.obj.dead_queries) {
            for (_, c) in self.contexts.iter_mut() {
                if c.egl.id == context {
                    c.dead_queries.push(query);
                }
            }
        }
    }

    /// The context with this id is on no thread any more.
    fn forget_holder(&mut self, id: u64) {
        if id == 0 {
            return;
        }
        for (_, c) in self.contexts.iter_mut() {
            if c.egl.id == id {
                c.egl.holder = 0;
            }
        }
    }

    /// This thread has no context current afterwards; what it did is visible to others.
    fn let_go(&mut self) {
        let id = egl::current_id();
        if id != 0 {
            self.dev.egl.release();
            self.forget_holder(id);
        }
    }

    /// Ends every object.
    fn clear_objects(&mut self) {
        let _ = self.on_any(&PushedState::default(), |w| {
            let (dev, obj) = (w.dev, &mut *w.obj);
            obj.samplers.clear(dev);
            obj.views.clear(dev);
            obj.dummies.clear(dev);
            obj.converted.clear(dev);
            obj.depth_readers.clear(dev);
            obj.painter.clear(dev);
            for (_, q) in obj.queries.iter_mut() {
                obj.counters.give_back(q.counter.take());
            }
            obj.counters.clear(dev);
            for (_, t) in obj.textures.iter() {
                t.image.delete(dev);
            }
            for (_, r) in obj.renderbuffers.iter() {
                r.delete(dev);
            }
            for (_, p) in obj.programs.iter_mut() {
                p.delete(dev);
            }
            for (_, s) in obj.surfaces.iter_mut() {
                for image in s.take_images() {
                    image.delete(dev);
                }
            }
            // SAFETY: a context of the share group is current, and the objects live.
            unsafe {
                for (_, b) in obj.buffers.iter() {
                    dev.gl.glow.delete_buffer(b.name);
                    dev.tally.buffers_ended.one();
                }
                for (_, f) in obj.fences.iter() {
                    dev.gl.glow.delete_sync(f.0);
                    dev.tally.fences_ended.one();
                }
                for (place, _) in obj.zeros.drain(..) {
                    dev.gl.glow.delete_buffer(place.name);
                    dev.tally.buffers_ended.one();
                }
            }
            Ok(())
        });
    }

    fn close_windows(&mut self) {
        let current = egl::current_id();
        for (_, s) in self.obj.surfaces.iter_mut() {
            if let Some(surface) = s.window.as_mut().and_then(|w| w.surface.take()) {
                if self.dev.egl.is_current_window(&surface) {
                    self.dev.egl.release();
                }
                self.dev.egl.destroy_window(&surface);
            }
        }
        if egl::current_id() == 0 {
            self.forget_holder(current);
        }
    }
}

impl Drop for Espryt {
    fn drop(&mut self) {
        self.close_windows();
        self.clear_objects();
        self.let_go();
        for (_, c) in self.contexts.iter_mut() {
            Self::stop_context(&self.dev, c);
            self.dev.egl.destroy_context(&mut c.egl);
        }
        self.dev.egl.destroy_context(&mut self.service.egl);
    }
}

impl Backend for Espryt {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn attach_native(&mut self, surface: SurfaceHandle, window: &NativeWindow) -> Result {
        self.obj.steady = None;
        if !self.dev.egl.has_windows() {
            return Err(BackendError::Unsupported(
                "a window, since the back end's display is not an X server".into(),
            ));
        }
        if let Some(other) = window
            .display
            .as_deref()
            .filter(|d| !self.dev.egl.shows_on(d))
        {
            return Err(BackendError::Unsupported(format!(
                "a window on {other}, since the back end's display is {}",
                self.dev.egl.display_name()
            )));
        }
        self.windows.retain(|w| w.0 != surface);
        self.windows.push((surface, window.clone()));
        Ok(())
    }

    fn release_thread(&mut self) -> Result {
        self.obj.steady = None;
        let id = egl::current_id();
        if id != 0 && self.contexts.iter().any(|(_, c)| c.egl.id == id) {
            self.let_go();
        }
        Ok(())
    }

    fn read_surface(
        &mut self,
        s: &PushedState,
        surface: SurfaceHandle,
    ) -> Result<(u32, u32, Vec<u8>)> {
        self.obj.steady = None;
        self.on_any(s, |w| w.read_surface(s, surface))
    }

    fn take_events(&mut self) -> Vec<Event> {
        self.dev.events.take()
    }

    fn report_uploads(&mut self, on: bool) {
        self.uploads = on.then(Vec::new);
    }

    fn take_uploads(&mut self) -> Vec<UploadReport> {
        self.uploads
            .as_mut()
            .map(std::mem::take)
            .unwrap_or_default()
    }

    fn native_counters(&self) -> Vec<(&'static str, u64)> {
        self.dev.tally.fields()
    }

    fn approximations(&self) -> Vec<(&'static str, u64)> {
        self.dev.approximations()
    }

    fn resource_specify(&mut self, s: &PushedState, d: &ResourceDesc, _respecify: bool) -> Result {
        self.obj.steady = None;
        self.on_any(s, |w| match d.target {
            Target::BUFFER => w.specify_buffer(d),
            _ => w.specify_image(d),
        })?;
        let ResourceHandle { kind, handle } = d.resource;
        match kind {
            HandleKind::BUFFER => self.label_new(s, BufferHandle(handle)),
            HandleKind::TEXTURE => self.label_new(s, TextureHandle(handle)),
            _ => self.label_new(s, RenderbufferHandle(handle)),
        }
    }

    fn debug(&mut self, s: &PushedState, e: DebugEvent<'_>) -> Result {
        self.obj.steady = None;
        self.tell_debug(s, e)
    }

    fn object_label(&mut self, s: &PushedState, l: &ObjectLabel, label: &[u8]) -> Result {
        self.obj.steady = None;
        self.label(s, l.kind, l.handle, label)
    }

    fn resource_destroy(&mut self, s: &PushedState, r: ResourceHandle) -> Result {
        self.obj.steady = None;
        self.on_any(s, |w| {
            w.destroy_resource(r);
            Ok(())
        })
    }

    fn sub_data(
        &mut self,
        s: &PushedState,
        d: &SubData,
        regions: &[SubRegion],
        bytes: &[u8],
    ) -> Result {
        self.obj.steady = None;
        let before = self.uploads.as_ref().map(|_| self.dev.tally.uploads());
        let done = self.on_any(s, |w| match d.resource.kind {
            HandleKind::BUFFER => w.upload_buffer(BufferHandle(d.resource.handle), d.offset, bytes),
            _ => w.upload_texture(d, regions, bytes),
        });
        if let (Some(list), Some(before)) = (&mut self.uploads, before) {
            let after = self.dev.tally.uploads();
            list.push(UploadReport {
                resource: d.resource,
                level: d.level,
                shape: if textures::takes_box(d, regions) {
                    UploadShape::Box
                } else {
                    UploadShape::Regions
                },
                jobs: (after.0 - before.0) as u32,
                bytes: after.1 - before.1,
            });
        }
        done
    }

    fn buffer_read(&mut self, s: &PushedState, r: &BufferRange) -> Result<Vec<u8>> {
        self.obj.steady = None;
        self.on_any(s, |w| w.read_buffer(r))
    }

    fn copy_region(&mut self, s: &PushedState, c: &CopyRegion) -> Result {
        self.obj.steady = None;
        self.on_any(s, |w| w.copy_region(c))
    }

    fn clear_resource(&mut self, s: &PushedState, c: &ClearResource) -> Result {
        self.obj.steady = None;
        self.on_any(s, |w| match c.resource.kind {
            HandleKind::BUFFER => w.clear_buffer_range(c),
            _ => w.clear_texels(c),
        })
    }

    fn generate_mipmap(&mut self, s: &PushedState, g: &GenerateMipmap) -> Result {
        self.obj.steady = None;
        self.on_any(s, |w| w.generate_mipmap(g))
    }

    fn present_at_once(&mut self) {
        self.obj.at_once = true;
    }

    fn pace(&self, surface: SurfaceHandle) -> Option<Pace> {
        self.obj.surfaces.get(surface).ok()?.pace()
    }

    fn samples(&self, _: &PushedState, r: ResourceHandle) -> Option<u32> {
        self.obj.samples_of(r)
    }

    fn texture_read(&mut self, s: &PushedState, g: &GetTextureImage) -> Result<Vec<u8>> {
        self.obj.steady = None;
        self.on_any(s, |w| w.read_texture(g))
    }

    fn context_create(&mut self, _: &PushedState, d: &ContextDesc) -> Result {
        self.obj.steady = None;
        let before = egl::current_id();
        let made = NativeContext::new(&self.dev, Some(&self.service.egl))?;
        // The new context is not current for the client yet.
        self.dev.egl.release();
        self.forget_holder(before);
        let c = self
            .contexts
            .insert(d.context, made)
            .map_err(|e| BackendError::Driver(e.to_string()))?;
        c.egl.holder = 0;
        self.dev.tally.contexts_made.one();
        Ok(())
    }

    fn context_destroy(&mut self, _: &PushedState, h: ContextHandle) -> Result {
        self.obj.steady = None;
        if let Ok(c) = self.contexts.remove(h) {
            self.end_context(c);
        }
        Ok(())
    }

    fn bind_context(&mut self, s: &PushedState, b: &BindContext) -> Result {
        self.obj.steady = None;
        if b.context.is_null() {
            self.let_go();
            return Ok(());
        }
        self.on_current(s, |_| Ok(()))
    }

    fn surface_specify(&mut self, s: &PushedState, d: &SurfaceDesc, respecify: bool) -> Result {
        self.obj.steady = None;
        if !respecify {
            let at = self.windows.iter().position(|w| w.0 == d.surface);
            let window = at.map(|i| self.windows.remove(i).1);
            return self
                .obj
                .surfaces
                .insert(d.surface, Surface::new(*d, window))
                .map(|_| ())
                .map_err(|e| BackendError::Driver(e.to_string()));
        }
        self.on_any(s, |w| {
            let images: Vec<_> = match w.obj.surfaces.get_mut(d.surface) {
                Ok(place) => {
                    place.desc = *d;
                    place.take_images().collect()
                }
                Err(_) => Vec::new(),
            };
            for image in images {
                w.end_image(&image);
            }
            w.obj.moved();
            Ok(())
        })
    }

    fn surface_destroy(&mut self, s: &PushedState, h: SurfaceHandle) -> Result {
        self.obj.steady = None;
        self.on_any(s, |w| {
            if let Ok(mut surface) = w.obj.surfaces.remove(h) {
                for image in surface.take_images() {
                    w.end_image(&image);
                }
                if let Some(native) = surface.window.and_then(|w| w.surface) {
                    w.close_window(&native);
                }
            }
            Ok(())
        })
    }

    fn reset(&mut self) -> Result {
        self.obj.steady = None;
        self.close_windows();
        self.clear_objects();
        self.let_go();
        let contexts: Vec<ContextHandle> = self.contexts.iter().map(|(h, _)| h).collect();
        for h in contexts {
            if let Ok(c) = self.contexts.remove(h) {
                self.end_context(c);
            }
        }
        self.contexts = Table::default();
        self.obj = Objects::default();
        self.windows.clear();
        // The root context has state and objects of its own: another takes its place.
        let mut fresh = NativeContext::new(&self.dev, Some(&self.service.egl))?;
        self.dev.egl.release();
        fresh.egl.holder = 0;
        self.dev.tally.contexts_made.one();
        let old = std::mem::replace(&mut self.service, fresh);
        self.end_context(old);
        Ok(())
    }

    fn shader_create(&mut self, s: &PushedState, d: &ProgramDesc, code: ProgramCode<'_>) -> Result {
        self.obj.steady = None;
        self.on_any(s, |w| w.create_program(d, &code))
    }

    fn shader_delete(&mut self, s: &PushedState, h: ShaderHandle) -> Result {
        self.obj.steady = None;
        self.on_any(s, |w| {
            if let Ok(mut p) = w.obj.programs.remove(h) {
                p.delete(w.dev);
            }
            Ok(())
        })
    }

    fn sampler_delete(&mut self, s: &PushedState, h: SamplerHandle) -> Result {
        self.obj.steady = None;
        self.on_any(s, |w| {
            w.obj.samplers.delete(w.dev, h);
            w.obj.moved();
            Ok(())
        })
    }

    fn view_delete(&mut self, s: &PushedState, h: SamplerViewHandle) -> Result {
        self.obj.steady = None;
        self.on_any(s, |w| {
            w.obj.views.delete(w.dev, h);
            w.obj.moved();
            Ok(())
        })
    }

    fn vertex_elements_delete(&mut self, _: &PushedState, h: VertexElementsHandle) -> Result {
        self.obj.steady = None;
        for (_, c) in self.contexts.iter_mut() {
            c.vertex.forget(h);
        }
        Ok(())
    }

    fn fence_create(&mut self, s: &PushedState, f: FenceHandle) -> Result {
        self.obj.steady = None;
        self.on_any(s, |w| w.create_fence(f))
    }

    fn fence_wait(
        &mut self,
        s: &PushedState,
        f: FenceHandle,
        timeout_ns: u64,
        flush: bool,
    ) -> Result<FenceResult> {
        self.obj.steady = None;
        self.on_any(s, |w| w.wait_fence(f, timeout_ns, flush))
    }

    fn fence_wait_server(&mut self, s: &PushedState, f: FenceHandle) -> Result {
        self.obj.steady = None;
        self.on_any(s, |w| w.wait_fence_on_server(f))
    }

    fn fence_destroy(&mut self, s: &PushedState, f: FenceHandle) -> Result {
        self.obj.steady = None;
        self.on_any(s, |w| {
            w.destroy_fence(f);
            Ok(())
        })
    }

    fn query_begin(&mut self, s: &PushedState, q: &QueryDesc) -> Result {
        self.obj.steady = None;
        self.on_current(s, |w| w.begin_query(q))
    }

    fn query_end(&mut self, s: &PushedState, q: &QueryDesc) -> Result {
        self.obj.steady = None;
        self.on_current(s, |w| w.end_query(q))
    }

    fn query_available(&mut self, s: &PushedState, q: QueryHandle) -> Result<bool> {
        self.obj.steady = None;
        self.on_current(s, |w| w.query_available(q))
    }

    fn query_result(&mut self, s: &PushedState, q: QueryHandle) -> Result<u64> {
        self.obj.steady = None;
        self.on_current(s, |w| w.query_result(q))
    }

    fn query_destroy(&mut self, _: &PushedState, q: QueryHandle) -> Result {
        self.obj.steady = None;
        if let Ok(q) = self.obj.queries.remove(q) {
            self.obj.dead_queries.push((q.context, q.name));
            self.obj.counters.give_back(q.counter);
            self.settle();
        }
        Ok(())
    }

    fn timestamp(&mut self, s: &PushedState) -> Result<u64> {
        self.obj.steady = None;
        self.on_any(s, |w| w.timestamp())
    }

    fn query_counter(&mut self, s: &PushedState, q: &QueryDesc) -> Result {
        self.obj.steady = None;
        self.on_current(s, |w| w.query_counter(q))
    }

    fn draw(&mut self, s: &PushedState, d: DrawCall<'_>) -> Result {
        self.on_current(s, |w| w.draw(s, &d))
    }

    fn clear(&mut self, s: &PushedState, c: &Clear) -> Result {
        self.obj.steady = None;
        self.on_current(s, |w| w.clear(s, c))
    }

    fn blit(&mut self, s: &PushedState, b: &Blit) -> Result {
        self.obj.steady = None;
        self.on_current(s, |w| w.blit(s, b))
    }

    fn read_pixels(&mut self, s: &PushedState, r: &ReadPixels) -> Result<Vec<u8>> {
        self.obj.steady = None;
        self.on_current(s, |w| w.read_pixels(s, r))
    }

    fn copy_to_texture(&mut self, s: &PushedState, c: &CopyToTexture) -> Result {
        self.obj.steady = None;
        self.on_current(s, |w| w.copy_to_texture(s, c))
    }

    fn stream_output(&mut self, s: &PushedState, op: Op, o: &StreamOutputOp) -> Result {
        self.obj.steady = None;
        self.on_current(s, |w| w.stream_output(s, op, o))
    }

    fn flush(&mut self, s: &PushedState, f: &Flush) -> Result {
        self.obj.steady = None;
        self.on_current(s, |w| {
            // SAFETY: the context is current.
            unsafe {
                if f.flags.has(FlushFlags::FINISH) {
                    w.dev.gl.glow.finish();
                } else {
                    w.dev.gl.glow.flush();
                }
            }
            // What is drawn to a single buffer or to the front is seen after a flush (GL 4.6 §2.3.2).
            let d = s.current.draw;
            let windowed = w.obj.surfaces.get(d).ok().filter(|x| x.window.is_some());
            match windowed.map(|x| (x.desc.double_buffered.get(), x.front_drawn)) {
                Some((false, _)) => w.show(s, d),
                Some((true, true)) => w.show_front(s, d),
                _ => Ok(()),
            }
        })
    }

    fn swap_interval(&mut self, _: &PushedState, i: &SwapInterval) -> Result {
        self.obj.steady = None;
        if let Ok(surface) = self.obj.surfaces.get_mut(i.surface) {
            surface.interval = i.interval;
        }
        Ok(())
    }

    fn present(&mut self, s: &PushedState, p: &Present) -> Result {
        self.obj.steady = None;
        let shared = self
            .contexts
            .iter()
            .filter(|(_, c)| c.egl.holder != 0)
            .count()
            > 1;
        let r = self.on_any(s, |w| {
            let r = w.show(s, p.surface);
            if shared {
                // Another thread may show the same window next.
                let _ = w.dev.egl.make_current(&mut w.ctx.egl, None);
            }
            w.dev.check_errors("a frame's end");
            r
        });
        if let Err(e) = &r {
            self.dev
                .events
                .log(LogLevel::Error, format!("showing a surface: {e}"));
        }
        r
    }
}
