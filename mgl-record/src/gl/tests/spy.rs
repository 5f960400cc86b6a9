//! A back end that keeps buffers in memory and writes down draws and uploads. All else is the null back end's.

use mgl_core::handle::*;
use mgl_core::pipe::backend::{Pace, ProgramCode, Result};
use mgl_core::pipe::*;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard};
use std::time::Duration;

/// Its renderer string.
pub const NAME: &str = "spy";

/// The next flush finds that the device is lost.
static LOST: AtomicBool = AtomicBool::new(false);

/// Has the device be lost at the next flush: in a child of its own, since nothing brings it back.
pub fn lose_device() {
    LOST.store(true, Ordering::Relaxed);
}

/// The next flush panics.
static BROKEN: AtomicBool = AtomicBool::new(false);

/// Has the next flush panic.
pub fn break_down() {
    BROKEN.store(true, Ordering::Relaxed);
}

/// Contexts whose flushes wait until they may go on.
static HELD: Mutex<Vec<ContextHandle>> = Mutex::new(Vec::new());
static LET_GO: Condvar = Condvar::new();

/// Has the flushes of a context wait for [`let_go`].
pub fn hold(c: ContextHandle) {
    HELD.lock().unwrap_or_else(|e| e.into_inner()).push(c);
}

/// Lets all flushes go on.
pub fn let_go() {
    HELD.lock().unwrap_or_else(|e| e.into_inner()).clear();
    LET_GO.notify_all();
}

/// How long every surface's display shows a frame.
static REFRESH: Mutex<Option<Duration>> = Mutex::new(None);

/// Gives every surface a display.
pub fn refresh_every(time: Duration) {
    *REFRESH.lock().unwrap_or_else(|e| e.into_inner()) = Some(time);
}

/// A draw with the state that it read.
#[derive(Debug, Clone)]
pub struct Drawn {
    pub context: ContextHandle,
    pub info: DrawInfo,
    pub ranges: Vec<DrawRange>,
    pub user_arrays: Vec<UserArray>,
    pub indices: Vec<u8>,
    pub arrays: Vec<u8>,
    pub attribs: Vec<VertexAttrib>,
    pub bindings: Vec<VertexBinding>,
    pub buffers: Vec<VertexBuffer>,
    pub values: Vec<AttribValue>,
    pub index_buffer: BufferHandle,
}

/// What was told, of all contexts.
#[derive(Default)]
pub struct Log {
    pub draws: Vec<Drawn>,
    /// Contents of live buffers.
    pub stores: HashMap<(u32, u32), Vec<u8>>,
    /// Buffer, first byte, bytes, flags.
    pub uploads: Vec<(BufferHandle, u64, u64, SubDataFlags)>,
    /// Buffers read back.
    pub reads: Vec<BufferHandle>,
    /// Fences and queries that are not done yet, with how often they still say so.
    slow: HashMap<(u32, u32, u32), u32>,
    /// Waits for fences: nanoseconds, and whether to flush first.
    pub waits: Vec<(FenceHandle, u64, bool)>,
    /// Flushes, with who spoke.
    pub flushes: Vec<ContextHandle>,
}

static LOG: LazyLock<Mutex<Log>> = LazyLock::new(Mutex::default);

/// The log. Never held across an entry point.
pub fn log() -> MutexGuard<'static, Log> {
    LOG.lock().unwrap_or_else(|e| e.into_inner())
}

/// Draws of a context, in order.
pub fn draws_of(c: ContextHandle) -> Vec<Drawn> {
    log()
        .draws
        .iter()
        .filter(|d| d.context == c)
        .cloned()
        .collect()
}

/// Uploads into a buffer, in order.
pub fn uploads_of(b: BufferHandle) -> Vec<(u64, u64, SubDataFlags)> {
    let l = log();
    let mine = l.uploads.iter().filter(|u| u.0 == b);
    mine.map(|u| (u.1, u.2, u.3)).collect()
}

fn kind_and_key<H: TypedHandle>(h: H) -> (u32, u32, u32) {
    (H::KIND.0, h.raw().slot, h.raw().generation)
}

/// Has a fence or query say `times` more that it is not done.
pub fn delay<H: TypedHandle>(h: H, times: u32) {
    log().slow.insert(kind_and_key(h), times);
}

/// Whether a fence or query is done; each asking brings it nearer.
fn is_done<H: TypedHandle>(h: H) -> bool {
    match log().slow.get_mut(&kind_and_key(h)) {
        Some(n) if *n > 0 => {
            *n -= 1;
            false
        }
        _ => true,
    }
}

/// Content of a buffer as the back end has it.
pub fn store_of(b: BufferHandle) -> Option<Vec<u8>> {
    log().stores.get(&key(b)).cloned()
}

/// A buffer as a key.
pub fn key(b: BufferHandle) -> (u32, u32) {
    (b.0.slot, b.0.generation)
}

/// See the module.
pub struct Spy {
    null: NullBackend,
    caps: Caps,
    /// Presents wait for no display.
    at_once: bool,
    intervals: BTreeMap<Handle, i32>,
}

impl Spy {
    pub fn new() -> Self {
        let null = NullBackend::default();
        let caps = Caps {
            renderer: NAME.into(),
            ..null.caps().clone()
        };
        Self {
            null,
            caps,
            at_once: false,
            intervals: BTreeMap::new(),
        }
    }
}

macro_rules! as_null {
    ($( fn $name:ident($($arg:ident: $ty:ty),*) -> $ret:ty; )*) => { $(
        fn $name(&mut self, $($arg: $ty),*) -> $ret { self.null.$name($($arg),*) }
    )* };
}

impl Backend for Spy {
    fn caps(&self) -> &Caps {
        &self.caps
    }
    fn present_at_once(&mut self) {
        self.at_once = true;
    }
    fn pace(&self, surface: SurfaceHandle) -> Option<Pace> {
        let refresh = (*REFRESH.lock().unwrap_or_else(|e| e.into_inner()))?;
        let interval = self.intervals.get(&surface.raw()).copied().unwrap_or(1);
        self.at_once.then_some(Pace { refresh, interval })
    }
    fn swap_interval(&mut self, _: &PushedState, i: &SwapInterval) -> Result {
        self.intervals.insert(i.surface.raw(), i.interval);
        Ok(())
    }
    fn resource_specify(&mut self, s: &PushedState, d: &ResourceDesc, again: bool) -> Result {
        if let Some(b) = d.resource.typed::<BufferHandle>() {
            log().stores.insert(key(b), vec![0xee; d.size as usize]);
        }
        self.null.resource_specify(s, d, again)
    }
    fn resource_destroy(&mut self, s: &PushedState, r: ResourceHandle) -> Result {
        if let Some(b) = r.typed::<BufferHandle>() {
            log().stores.remove(&key(b));
        }
        self.null.resource_destroy(s, r)
    }
    fn sub_data(
        &mut self,
        s: &PushedState,
        d: &SubData,
        regions: &[SubRegion],
        bytes: &[u8],
    ) -> Result {
        if let Some(b) = d.resource.typed::<BufferHandle>() {
            let mut l = log();
            l.uploads.push((b, d.offset, bytes.len() as u64, d.flags));
            let at = d.offset as usize;
            if let Some(store) = l.stores.get_mut(&key(b)) {
                store[at..at + bytes.len()].copy_from_slice(bytes);
            }
        }
        self.null.sub_data(s, d, regions, bytes)
    }
    fn buffer_read(&mut self, _: &PushedState, r: &BufferRange) -> Result<Vec<u8>> {
        let mut l = log();
        l.reads.push(r.buffer);
        let (from, to) = (r.offset as usize, (r.offset + r.size) as usize);
        Ok(l.stores[&key(r.buffer)][from..to].to_vec())
    }
    fn copy_region(&mut self, s: &PushedState, c: &CopyRegion) -> Result {
        if let (Some(a), Some(b)) = (c.src.typed(), c.dst.typed::<BufferHandle>()) {
            let mut l = log();
            let (from, n) = (c.src_box.x as usize, c.src_box.width as usize);
            let part = l.stores[&key(a)][from..from + n].to_vec();
            let to = c.dst_x as usize;
            if let Some(store) = l.stores.get_mut(&key(b)) {
                store[to..to + n].copy_from_slice(&part);
            }
        }
        self.null.copy_region(s, c)
    }
    fn draw(&mut self, s: &PushedState, d: DrawCall<'_>) -> Result {
        let Some(c) = s.context() else { return Ok(()) };
        let v = &c.values;
        let elements = s.vertex_elements.get(v.vertex_elements).cloned();
        let elements = elements.unwrap_or_default();
        log().draws.push(Drawn {
            context: s.current.context,
            info: *d.info,
            ranges: d.ranges.to_vec(),
            user_arrays: d.user_arrays.to_vec(),
            indices: d.indices.to_vec(),
            arrays: d.arrays.to_vec(),
            attribs: elements.attribs,
            bindings: elements.bindings,
            buffers: v.vertex_buffers.clone(),
            values: v.attrib_defaults.clone(),
            index_buffer: v.index_buffer.buffer,
        });
        Ok(())
    }
    fn fence_wait(
        &mut self,
        _: &PushedState,
        f: FenceHandle,
        ns: u64,
        flush: bool,
    ) -> Result<FenceResult> {
        log().waits.push((f, ns, flush));
        Ok(match (is_done(f), ns) {
            (true, 0) => FenceResult::ALREADY_SIGNALED,
            (true, _) => FenceResult::CONDITION_SATISFIED,
            (false, _) => FenceResult::TIMEOUT_EXPIRED,
        })
    }
    fn query_available(&mut self, _: &PushedState, q: QueryHandle) -> Result<bool> {
        Ok(is_done(q))
    }
    fn flush(&mut self, s: &PushedState, _: &Flush) -> Result {
        log().flushes.push(s.current.context);
        let mut held = HELD.lock().unwrap_or_else(|e| e.into_inner());
        while held.contains(&s.current.context) {
            held = LET_GO.wait(held).unwrap_or_else(|e| e.into_inner());
        }
        drop(held);
        assert!(!BROKEN.swap(false, Ordering::Relaxed), "on purpose");
        if LOST.load(Ordering::Relaxed) {
            return Err(BackendError::Lost("on purpose".into()));
        }
        Ok(())
    }
    as_null! {
        fn read_surface(s: &PushedState, h: SurfaceHandle) -> Result<(u32, u32, Vec<u8>)>;
        fn generate_mipmap(s: &PushedState, g: &GenerateMipmap) -> Result;
        fn texture_read(s: &PushedState, g: &GetTextureImage) -> Result<Vec<u8>>;
        fn context_create(s: &PushedState, d: &ContextDesc) -> Result;
        fn context_destroy(s: &PushedState, c: ContextHandle) -> Result;
        fn bind_context(s: &PushedState, b: &BindContext) -> Result;
        fn surface_specify(s: &PushedState, d: &SurfaceDesc, again: bool) -> Result;
        fn surface_destroy(s: &PushedState, h: SurfaceHandle) -> Result;
        fn reset() -> Result;
        fn shader_create(s: &PushedState, d: &ProgramDesc, code: ProgramCode<'_>) -> Result;
        fn shader_delete(s: &PushedState, h: ShaderHandle) -> Result;
        fn fence_create(s: &PushedState, f: FenceHandle) -> Result;
        fn fence_wait_server(s: &PushedState, f: FenceHandle) -> Result;
        fn fence_destroy(s: &PushedState, f: FenceHandle) -> Result;
        fn query_begin(s: &PushedState, q: &QueryDesc) -> Result;
        fn query_end(s: &PushedState, q: &QueryDesc) -> Result;
        fn query_result(s: &PushedState, q: QueryHandle) -> Result<u64>;
        fn query_destroy(s: &PushedState, q: QueryHandle) -> Result;
        fn timestamp(s: &PushedState) -> Result<u64>;
        fn query_counter(s: &PushedState, q: &QueryDesc) -> Result;
        fn clear(s: &PushedState, c: &Clear) -> Result;
        fn blit(s: &PushedState, b: &Blit) -> Result;
        fn read_pixels(s: &PushedState, r: &ReadPixels) -> Result<Vec<u8>>;
        fn copy_to_texture(s: &PushedState, c: &CopyToTexture) -> Result;
        fn stream_output(s: &PushedState, op: Op, o: &StreamOutputOp) -> Result;
        fn present(s: &PushedState, p: &Present) -> Result;
    }
}
