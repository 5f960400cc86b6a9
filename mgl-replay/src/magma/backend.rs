//! The methods of the trait, each a line or two: what they do stands in the module of its subject.

use super::context::Ctx;
use super::recorder::Garbage;
use super::surfaces::Surface;
use super::{Magma, textures};
use mgl_core::handle::*;
use mgl_core::pipe::backend::{NativeWindow, Pace, ProgramCode, Result};
use mgl_core::pipe::event::{Event, LogLevel};
use mgl_core::pipe::*;

fn driver(e: table::HandleError) -> BackendError {
    BackendError::Driver(e.to_string())
}

impl Backend for Magma {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn attach_native(&mut self, surface: SurfaceHandle, window: &NativeWindow) -> Result {
        self.steady = None;
        self.displays.open(&window.display)?;
        self.windows.retain(|w| w.0 != surface);
        self.windows.push((surface, window.clone()));
        Ok(())
    }

    fn read_surface(
        &mut self,
        _: &PushedState,
        surface: SurfaceHandle,
    ) -> Result<(u32, u32, Vec<u8>)> {
        self.steady = None;
        self.read_shown(surface)
    }

    fn take_events(&mut self) -> Vec<Event> {
        self.gpu.events.take()
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
        self.counted().told()
    }

    fn approximations(&self) -> Vec<(&'static str, u64)> {
        self.near.counted()
    }

    fn resource_specify(&mut self, s: &PushedState, d: &ResourceDesc, _: bool) -> Result {
        self.steady = None;
        match d.target {
            Target::BUFFER => self.specify_buffer(d),
            _ => self.specify_image(d),
        }?;
        self.label_new(s, d.resource);
        Ok(())
    }

    fn debug(&mut self, _: &PushedState, e: DebugEvent<'_>) -> Result {
        self.steady = None;
        self.tell_debug(e);
        Ok(())
    }

    fn object_label(&mut self, _: &PushedState, l: &ObjectLabel, label: &[u8]) -> Result {
        self.steady = None;
        self.label(l.kind, l.handle, label);
        Ok(())
    }

    fn resource_destroy(&mut self, _: &PushedState, r: ResourceHandle) -> Result {
        self.steady = None;
        self.destroy_resource(r);
        Ok(())
    }

    fn sub_data(
        &mut self,
        _: &PushedState,
        d: &SubData,
        regions: &[SubRegion],
        bytes: &[u8],
    ) -> Result {
        self.steady = None;
        let before = self.counters.uploads();
        let shape = match d.resource.kind {
            HandleKind::BUFFER => {
                self.upload_buffer(BufferHandle(d.resource.handle), d.offset, bytes)?;
                UploadShape::Box
            }
            _ => {
                self.upload_texture(d, regions, bytes)?;
                if textures::takes_box(d, regions) {
                    UploadShape::Box
                } else {
                    UploadShape::Regions
                }
            }
        };
        if let Some(list) = &mut self.uploads {
            let after = self.counters.uploads();
            list.push(UploadReport {
                resource: d.resource,
                level: d.level,
                shape,
                jobs: (after.0 - before.0) as u32,
                bytes: after.1 - before.1,
            });
        }
        Ok(())
    }

    fn buffer_read(&mut self, _: &PushedState, r: &BufferRange) -> Result<Vec<u8>> {
        self.steady = None;
        self.read_buffer(r)
    }

    fn copy_region(&mut self, _: &PushedState, c: &CopyRegion) -> Result {
        self.steady = None;
        self.copy_region_of(c)
    }

    fn clear_resource(&mut self, _: &PushedState, c: &ClearResource) -> Result {
        self.steady = None;
        match c.resource.kind {
            HandleKind::BUFFER => self.clear_buffer_range(c),
            _ => self.clear_texels(c),
        }
    }

    fn generate_mipmap(&mut self, s: &PushedState, g: &GenerateMipmap) -> Result {
        self.steady = None;
        self.make_mipmaps(s, g)
    }

    fn present_at_once(&mut self) {
        self.at_once = true;
    }

    fn pace(&self, surface: SurfaceHandle) -> Option<Pace> {
        self.obj.surfaces.get(surface).ok()?.pace()
    }

    fn samples(&self, _: &PushedState, r: ResourceHandle) -> Option<u32> {
        self.samples_of(r)
    }

    fn texture_read(&mut self, _: &PushedState, g: &GetTextureImage) -> Result<Vec<u8>> {
        self.steady = None;
        self.read_texture(g)
    }

    fn context_create(&mut self, _: &PushedState, d: &ContextDesc) -> Result {
        self.steady = None;
        self.contexts
            .insert(d.context, Ctx::default())
            .map(|_| ())
            .map_err(driver)
    }

    fn context_destroy(&mut self, _: &PushedState, h: ContextHandle) -> Result {
        self.steady = None;
        self.end_rendering();
        self.suspend_queries();
        self.queries.forget_context(h);
        if let Ok(c) = self.contexts.remove(h)
            && let Some(counters) = c.counters
        {
            self.rec.discard(Garbage::Buffer(counters.raw));
        }
        Ok(())
    }

    fn bind_context(&mut self, _: &PushedState, b: &BindContext) -> Result {
        self.steady = None;
        if self.speaks != b.context {
            // What is active and what is captured is the other context's.
            self.end_rendering();
            self.suspend_queries();
            self.speaks = b.context;
        }
        Ok(())
    }

    fn surface_specify(&mut self, _: &PushedState, d: &SurfaceDesc, respecify: bool) -> Result {
        self.steady = None;
        if !respecify {
            let at = self.windows.iter().position(|w| w.0 == d.surface);
            let window = at.map(|i| self.windows.remove(i).1);
            return self
                .obj
                .surfaces
                .insert(d.surface, Surface::new(*d, window))
                .map(|_| ())
                .map_err(driver);
        }
        if let Ok(place) = self.obj.surfaces.get_mut(d.surface) {
            place.desc = *d;
            let images = place.take_images();
            self.end_surface_images(images);
        }
        Ok(())
    }

    fn surface_destroy(&mut self, _: &PushedState, h: SurfaceHandle) -> Result {
        self.steady = None;
        self.close_window(h);
        if let Ok(mut surface) = self.obj.surfaces.remove(h) {
            let images = surface.take_images();
            self.end_surface_images(images);
        }
        Ok(())
    }

    fn reset(&mut self) -> Result {
        self.steady = None;
        self.clear_objects();
        self.windows.clear();
        Ok(())
    }

    fn shader_create(&mut self, _: &PushedState, d: &ProgramDesc, code: ProgramCode<'_>) -> Result {
        self.steady = None;
        // As the client has linked it, the program exists; who draws with it is told.
        if let Err(e) = self.create_program(d, &code) {
            self.broken.push((d.shader, e));
        }
        Ok(())
    }

    fn shader_delete(&mut self, _: &PushedState, h: ShaderHandle) -> Result {
        self.steady = None;
        self.broken.retain(|b| b.0 != h);
        self.delete_program(h);
        Ok(())
    }

    fn sampler_delete(&mut self, _: &PushedState, h: SamplerHandle) -> Result {
        self.steady = None;
        self.end_sampler(h);
        Ok(())
    }

    fn view_delete(&mut self, _: &PushedState, _: SamplerViewHandle) -> Result {
        self.steady = None;
        self.obj.moved();
        Ok(())
    }

    fn vertex_elements_delete(&mut self, _: &PushedState, _: VertexElementsHandle) -> Result {
        self.steady = None;
        self.obj.moved();
        Ok(())
    }

    fn fence_create(&mut self, _: &PushedState, f: FenceHandle) -> Result {
        self.steady = None;
        self.make_fence(f)
    }

    fn fence_wait(
        &mut self,
        _: &PushedState,
        f: FenceHandle,
        timeout_ns: u64,
        flush: bool,
    ) -> Result<FenceResult> {
        self.steady = None;
        self.wait_fence(f, timeout_ns, flush)
    }

    fn fence_wait_server(&mut self, _: &PushedState, _: FenceHandle) -> Result {
        self.steady = None;
        // One queue, in order.
        Ok(())
    }

    fn fence_destroy(&mut self, _: &PushedState, f: FenceHandle) -> Result {
        self.steady = None;
        let _ = self.obj.fences.remove(f);
        Ok(())
    }

    fn query_begin(&mut self, _: &PushedState, q: &QueryDesc) -> Result {
        self.steady = None;
        self.begin_query(q)
    }

    fn query_end(&mut self, _: &PushedState, q: &QueryDesc) -> Result {
        self.steady = None;
        self.end_query(q)
    }

    fn query_available(&mut self, _: &PushedState, q: QueryHandle) -> Result<bool> {
        self.steady = None;
        self.is_query_available(q)
    }

    fn query_result(&mut self, _: &PushedState, q: QueryHandle) -> Result<u64> {
        self.steady = None;
        self.result_of_query(q)
    }

    fn query_destroy(&mut self, _: &PushedState, q: QueryHandle) -> Result {
        self.steady = None;
        self.end_query_object(q);
        Ok(())
    }

    fn timestamp(&mut self, _: &PushedState) -> Result<u64> {
        self.steady = None;
        self.clock()
    }

    fn query_counter(&mut self, _: &PushedState, q: &QueryDesc) -> Result {
        self.steady = None;
        self.count_query(q)
    }

    fn draw(&mut self, s: &PushedState, d: DrawCall<'_>) -> Result {
        self.draw_call(s, &d)
    }

    fn clear(&mut self, s: &PushedState, c: &Clear) -> Result {
        self.steady = None;
        self.clear_targets(s, c)
    }

    fn blit(&mut self, s: &PushedState, b: &Blit) -> Result {
        self.steady = None;
        self.blit_pixels(s, b)
    }

    fn read_pixels(&mut self, s: &PushedState, r: &ReadPixels) -> Result<Vec<u8>> {
        self.steady = None;
        self.read_pixels_of(s, r)
    }

    fn copy_to_texture(&mut self, s: &PushedState, c: &CopyToTexture) -> Result {
        self.steady = None;
        self.copy_pixels(s, c)
    }

    fn stream_output(&mut self, s: &PushedState, op: Op, o: &StreamOutputOp) -> Result {
        self.steady = None;
        self.stream_output_op(s, op, o)
    }

    fn flush(&mut self, s: &PushedState, f: &Flush) -> Result {
        self.steady = None;
        // What is drawn to a single buffer or to the front is seen after a flush (GL 4.6 §2.3.2).
        let d = s.current.draw;
        let windowed = self.obj.surfaces.get(d).ok().filter(|x| x.window.is_some());
        match windowed.map(|x| (x.desc.double_buffered.get(), x.front_drawn)) {
            Some((false, _)) => self.show(d)?,
            Some((true, true)) => self.show_front(d)?,
            _ => {}
        }
        if f.flags.has(FlushFlags::FINISH) {
            self.finish()
        } else {
            self.submit()
        }
    }

    fn swap_interval(&mut self, _: &PushedState, i: &SwapInterval) -> Result {
        self.steady = None;
        if let Ok(surface) = self.obj.surfaces.get_mut(i.surface) {
            surface.interval = i.interval;
        }
        Ok(())
    }

    fn present(&mut self, _: &PushedState, p: &Present) -> Result {
        self.steady = None;
        let r = self.show(p.surface);
        if let Err(e) = &r {
            self.gpu
                .events
                .log(LogLevel::Error, format!("showing a surface: {e}"));
        }
        r
    }
}
