//! A log of what reaches the back end.

use crate::context::Gl;
use crate::gl::tests::gl as on;
use mgl_core::handle::*;
use mgl_core::pipe::backend::{ProgramCode, Result};
use mgl_core::pipe::*;
use std::sync::{Arc, Mutex};

/// What reached the back end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Seen {
    Create(ResourceDesc),
    Respecify(ResourceDesc),
    Destroy(ResourceHandle),
    Upload(SubData, Vec<SubRegion>, Vec<u8>),
    Mipmap(GenerateMipmap),
    ReadTexture(GetTextureImage),
    ReadPixels(ReadPixels),
    CopyPixels(CopyToTexture),
    Blit(Blit),
}

/// What stands between the pipe and its back end for a while.
struct Log {
    caps: Caps,
    inner: Arc<Mutex<Box<dyn Backend>>>,
    log: Arc<Mutex<Vec<Seen>>>,
    fill: u8,
}

fn lock<T: ?Sized>(m: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    m.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Runs `f` on the current context with a log of what reaches the back end meanwhile. Read-backs answer bytes of `fill`.
/// The driver stays locked: other tests are not in the log.
pub(crate) fn spy<R>(fill: u8, f: impl FnOnce(&mut Gl<'_>) -> R) -> (R, Vec<Seen>) {
    on(|gl| {
        let log = Arc::new(Mutex::new(Vec::new()));
        let null: Box<dyn Backend> = Box::new(NullBackend::default());
        let inner = std::mem::replace(&mut gl.pipe.server_mut().backend, null);
        let caps = inner.caps().clone();
        let inner = Arc::new(Mutex::new(inner));
        gl.pipe.server_mut().backend = Box::new(Log {
            caps,
            inner: inner.clone(),
            log: log.clone(),
            fill,
        });
        // After a panic of the test the log stays in between, which does no harm.
        let r = f(gl);
        let null: Box<dyn Backend> = Box::new(NullBackend::default());
        gl.pipe.server_mut().backend = std::mem::replace(&mut *lock(&inner), null);
        let seen = std::mem::take(&mut *lock(&log));
        (r, seen)
    })
}

impl Log {
    fn note(&self, s: Seen) {
        lock(&self.log).push(s);
    }
}

macro_rules! pass {
    ($($name:ident($($a:ident: $t:ty),*) $(-> $r:ty)?;)*) => { $(
        fn $name(&mut self, s: &PushedState $(, $a: $t)*) -> Result$(<$r>)? { lock(&self.inner).$name(s $(, $a)*) }
    )* };
}

impl Backend for Log {
    fn caps(&self) -> &Caps {
        &self.caps
    }
    fn take_events(&mut self) -> Vec<Event> {
        lock(&self.inner).take_events()
    }
    fn resource_specify(&mut self, s: &PushedState, d: &ResourceDesc, again: bool) -> Result {
        self.note(if again {
            Seen::Respecify(*d)
        } else {
            Seen::Create(*d)
        });
        lock(&self.inner).resource_specify(s, d, again)
    }
    fn resource_destroy(&mut self, s: &PushedState, r: ResourceHandle) -> Result {
        self.note(Seen::Destroy(r));
        lock(&self.inner).resource_destroy(s, r)
    }
    fn sub_data(
        &mut self,
        _: &PushedState,
        d: &SubData,
        regions: &[SubRegion],
        bytes: &[u8],
    ) -> Result {
        self.note(Seen::Upload(*d, regions.to_vec(), bytes.to_vec()));
        Ok(())
    }
    fn generate_mipmap(&mut self, _: &PushedState, g: &GenerateMipmap) -> Result {
        self.note(Seen::Mipmap(*g));
        Ok(())
    }
    fn texture_read(&mut self, s: &PushedState, g: &GetTextureImage) -> Result<Vec<u8>> {
        self.note(Seen::ReadTexture(*g));
        let mut b = lock(&self.inner).texture_read(s, g)?;
        b.fill(self.fill);
        Ok(b)
    }
    fn read_pixels(&mut self, s: &PushedState, r: &ReadPixels) -> Result<Vec<u8>> {
        self.note(Seen::ReadPixels(*r));
        let mut b = lock(&self.inner).read_pixels(s, r)?;
        b.fill(self.fill);
        Ok(b)
    }
    fn copy_to_texture(&mut self, _: &PushedState, c: &CopyToTexture) -> Result {
        self.note(Seen::CopyPixels(*c));
        Ok(())
    }
    fn blit(&mut self, _: &PushedState, b: &Blit) -> Result {
        self.note(Seen::Blit(*b));
        Ok(())
    }
    fn reset(&mut self) -> Result {
        lock(&self.inner).reset()
    }
    pass! {
        buffer_read(r: &BufferRange) -> Vec<u8>;
        copy_region(c: &CopyRegion);
        context_create(d: &ContextDesc);
        context_destroy(c: ContextHandle);
        bind_context(b: &BindContext);
        surface_specify(d: &SurfaceDesc, again: bool);
        surface_destroy(h: SurfaceHandle);
        shader_create(d: &ProgramDesc, code: ProgramCode<'_>);
        shader_delete(h: ShaderHandle);
        fence_create(f: FenceHandle);
        fence_wait(f: FenceHandle, timeout_ns: u64, flush: bool) -> FenceResult;
        fence_wait_server(f: FenceHandle);
        fence_destroy(f: FenceHandle);
        query_begin(q: &QueryDesc);
        query_end(q: &QueryDesc);
        query_available(q: QueryHandle) -> bool;
        query_result(q: QueryHandle) -> u64;
        query_destroy(q: QueryHandle);
        timestamp() -> u64;
        query_counter(q: &QueryDesc);
        draw(d: DrawCall<'_>);
        clear(c: &Clear);
        flush(f: &Flush);
        present(p: &Present);
    }
}
