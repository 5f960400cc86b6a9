//! What a back end is.
//!
//! Rules for its author:
//!
//! 1. State is never handed over twice. Class T and the binds of class C only change [`PushedState`]; a back end reads
//!    it at verbs, and keeps only what is native to its API, with the generation at which it last looked.
//! 2. A method is called after `PushedState` has taken the call in, except destroys and deletes, which are called
//!    before, so that the entry can still be read.
//! 3. Handles are live and of the right kind: `apply` has checked them. References inside state may name objects that
//!    died since; `apply` takes a dying handle out of every group first, so that state holds live handles or null.
//! 4. Verbs find every group that the catalogue lists for them pushed (poison is checked before).
//! 5. Memory is the back end's own to run out of: report [`BackendError::OutOfMemory`], never abort.
//! 6. No method panics on any input that passed `decode` and `apply`'s checks; sizes inside blobs are checked there too.
//! 7. A call that is not in [`Caps::call_mask`] is never passed on; the client is told its name.
//! 8. Replies are in the transfer layout of the format that the call names: what the application asked for is the
//!    client's to convert.
//! 9. Texture and buffer content is the back end's alone; `PushedState` keeps shapes, not texels.
//! 10. Window-system handles come through [`Backend::attach_native`], before the surface is created.

use super::caps::Caps;
use super::event::Event;
use super::payload::*;
use super::pushed::PushedState;
use crate::handle::*;

/// Why a back end could not do something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// Out of memory (GL_OUT_OF_MEMORY).
    #[error("out of memory: {0}")]
    OutOfMemory(String),
    /// A value that this back end does not lower.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// The device is gone.
    #[error("device lost: {0}")]
    Lost(String),
    /// The driver below misbehaved.
    #[error("{0}")]
    Driver(String),
}

/// What a back end answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// Nothing was asked.
    None,
    /// Capabilities.
    Caps(Box<Caps>),
    /// A number: a query's result or availability (0 or 1), a time stamp, a [`FenceResult`].
    Value(u64),
    /// Bytes: read-backs, rows in the transfer layout of the format asked for.
    Bytes(Vec<u8>),
}

/// A native window as the window system layer knows it; travels out of band.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NativeWindow {
    /// X display string (`:0`), or the default one.
    pub display: Option<String>,
    /// X screen.
    pub screen: i32,
    /// X window.
    pub window: u32,
    /// X visual.
    pub visual: u32,
    /// Depth of the visual, bits.
    pub depth: u8,
}

/// How fast a surface is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// How long its display shows a frame.
    pub refresh: std::time::Duration,
    /// Its swap interval: how many of these each frame stays. Below zero a late frame does not wait for the next one.
    pub interval: i32,
}

/// A draw, as the back end gets it.
#[derive(Debug, Clone, Copy)]
pub struct DrawCall<'a> {
    /// Payload.
    pub info: &'a DrawInfo,
    /// Ranges.
    pub ranges: &'a [DrawRange],
    /// Client arrays.
    pub user_arrays: &'a [UserArray],
    /// User indices.
    pub indices: &'a [u8],
    /// Bytes of the client arrays.
    pub arrays: &'a [u8],
}

/// Code of a new program.
#[derive(Debug, Clone, Copy)]
pub struct ProgramCode<'a> {
    /// SPIR-V words as bytes, in the order vertex, tessellation control, tessellation evaluation, geometry, fragment,
    /// compute; empty where absent.
    pub stages: [&'a [u8]; 6],
    /// The reflection archive.
    pub reflection: &'a [u8],
}

/// What the application says of itself.
#[derive(Debug, Clone, Copy)]
pub enum DebugEvent<'a> {
    /// A message or marker.
    Message {
        /// What it is.
        message: DebugMessage,
        /// Its text.
        text: &'a [u8],
    },
    /// A group begins.
    Push {
        /// Its name.
        text: &'a [u8],
    },
    /// The innermost group ends.
    Pop,
}

/// How an upload went to the driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UploadShape {
    /// As its union box (a buffer's upload always is one).
    Box,
    /// Region by region.
    Regions,
}

/// What a back end made of one ResourceSubData.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct UploadReport {
    /// The texture or buffer.
    pub resource: ResourceHandle,
    /// Mipmap level; 0 for buffers.
    pub level: u32,
    /// The shape chosen: a pure function of the record and [`Caps`].
    pub shape: UploadShape,
    /// Upload calls to the driver.
    pub jobs: u32,
    /// Bytes handed to it, in the driver's own format and without gaps between rows.
    pub bytes: u64,
}

/// Result of a back end's operation.
pub type Result<T = ()> = std::result::Result<T, BackendError>;

/// A back end. See the module's rules.
#[allow(unused_variables)]
pub trait Backend: Send {
    /// What it can do.
    fn caps(&self) -> &Caps;
    /// The native window of a surface that is about to be created.
    fn attach_native(&mut self, surface: SurfaceHandle, window: &NativeWindow) -> Result {
        Ok(())
    }
    /// Lets go of the native context of this thread (the program made none current here).
    fn release_thread(&mut self) -> Result {
        Ok(())
    }
    /// The pixels that a Present of this surface would show now: width, height, RGBA8 rows, bottom row first. Out of band:
    /// no record, and no effect on later calls.
    fn read_surface(
        &mut self,
        s: &PushedState,
        surface: SurfaceHandle,
    ) -> Result<(u32, u32, Vec<u8>)> {
        Err(BackendError::Unsupported("reading a surface".into()))
    }
    /// From now on a Present waits for no display: who sends the calls waits, for as long as [`Backend::pace`] says.
    fn present_at_once(&mut self) {}
    /// How fast a surface is shown that does not wait itself; `None` where nothing is waited for.
    fn pace(&self, surface: SurfaceHandle) -> Option<Pace> {
        None
    }
    /// Events since the last call, in order.
    fn take_events(&mut self) -> Vec<Event> {
        Vec::new()
    }

    /// Switches the reports of [`Backend::take_uploads`] on or off; they are off at first, so that live runs pay nothing.
    /// Reports that were not taken are dropped.
    fn report_uploads(&mut self, on: bool) {}
    /// What became of every ResourceSubData since the last call, in order. Empty while reports are off, and for back ends
    /// that upload nothing.
    fn take_uploads(&mut self) -> Vec<UploadReport> {
        Vec::new()
    }
    /// The back end's own totals since it was made, by name, always in the same order. Only such as follow from the
    /// records and [`Caps`]: no times, nothing that depends on threads. A counter that a back end does not keep is absent;
    /// 0 means that nothing happened.
    fn native_counters(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    /// What was drawn as near as the API below allows because it cannot be drawn exactly, by name, with how often since
    /// the back end was made; what never happened is absent. Each is said once in a log line of level Warn.
    fn approximations(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    /// A resource was created or respecified.
    fn resource_specify(&mut self, s: &PushedState, d: &ResourceDesc, respecify: bool) -> Result;
    /// A resource's name ends. Storage stays while something uses it.
    fn resource_destroy(&mut self, s: &PushedState, r: ResourceHandle) -> Result;
    /// An upload.
    fn sub_data(
        &mut self,
        s: &PushedState,
        d: &SubData,
        regions: &[SubRegion],
        bytes: &[u8],
    ) -> Result;
    /// Reads a buffer range.
    fn buffer_read(&mut self, s: &PushedState, r: &BufferRange) -> Result<Vec<u8>>;
    /// Copies between resources.
    fn copy_region(&mut self, s: &PushedState, c: &CopyRegion) -> Result;
    /// Fills a resource with a value.
    fn clear_resource(&mut self, s: &PushedState, c: &ClearResource) -> Result {
        Err(BackendError::Unsupported("ClearResource".into()))
    }
    /// Makes mipmaps.
    fn generate_mipmap(&mut self, s: &PushedState, g: &GenerateMipmap) -> Result;
    /// Samples that the storage of a texture, a renderbuffer or a surface has; `None` where they are as many as were asked
    /// for. A driver may round up.
    fn samples(&self, s: &PushedState, r: ResourceHandle) -> Option<u32> {
        None
    }
    /// Reads a box of a texture level.
    fn texture_read(&mut self, s: &PushedState, g: &GetTextureImage) -> Result<Vec<u8>>;

    /// A context was created.
    fn context_create(&mut self, s: &PushedState, d: &ContextDesc) -> Result;
    /// A context ends.
    fn context_destroy(&mut self, s: &PushedState, c: ContextHandle) -> Result;
    /// The speaker changes.
    fn bind_context(&mut self, s: &PushedState, b: &BindContext) -> Result;
    /// A surface was created or has a new size.
    fn surface_specify(&mut self, s: &PushedState, d: &SurfaceDesc, respecify: bool) -> Result;
    /// A surface ends.
    fn surface_destroy(&mut self, s: &PushedState, h: SurfaceHandle) -> Result;
    /// All is forgotten.
    fn reset(&mut self) -> Result;

    /// A program was created.
    fn shader_create(&mut self, s: &PushedState, d: &ProgramDesc, code: ProgramCode<'_>) -> Result;
    /// A program ends.
    fn shader_delete(&mut self, s: &PushedState, h: ShaderHandle) -> Result;
    /// A sampler CSO ends.
    fn sampler_delete(&mut self, s: &PushedState, h: SamplerHandle) -> Result {
        Ok(())
    }
    /// A sampler view ends.
    fn view_delete(&mut self, s: &PushedState, h: SamplerViewHandle) -> Result {
        Ok(())
    }
    /// A vertex-elements CSO ends.
    fn vertex_elements_delete(&mut self, s: &PushedState, h: VertexElementsHandle) -> Result {
        Ok(())
    }
    /// A framebuffer or stream output object is gone.
    fn object_death(&mut self, s: &PushedState, d: &ObjectDeath) -> Result {
        Ok(())
    }

    /// A fence is set.
    fn fence_create(&mut self, s: &PushedState, f: FenceHandle) -> Result;
    /// Waits for a fence; a timeout of 0 asks only.
    fn fence_wait(
        &mut self,
        s: &PushedState,
        f: FenceHandle,
        timeout_ns: u64,
        flush: bool,
    ) -> Result<FenceResult>;
    /// The server waits for a fence.
    fn fence_wait_server(&mut self, s: &PushedState, f: FenceHandle) -> Result;
    /// A fence ends.
    fn fence_destroy(&mut self, s: &PushedState, f: FenceHandle) -> Result;

    /// A query begins.
    fn query_begin(&mut self, s: &PushedState, q: &QueryDesc) -> Result;
    /// A query ends.
    fn query_end(&mut self, s: &PushedState, q: &QueryDesc) -> Result;
    /// Whether a result is there.
    fn query_available(&mut self, s: &PushedState, q: QueryHandle) -> Result<bool>;
    /// The result, waited for.
    fn query_result(&mut self, s: &PushedState, q: QueryHandle) -> Result<u64>;
    /// A query ends its life.
    fn query_destroy(&mut self, s: &PushedState, q: QueryHandle) -> Result;
    /// The server's clock, nanoseconds.
    fn timestamp(&mut self, s: &PushedState) -> Result<u64>;
    /// Writes the server's clock into a query.
    fn query_counter(&mut self, s: &PushedState, q: &QueryDesc) -> Result;

    /// Draws.
    fn draw(&mut self, s: &PushedState, d: DrawCall<'_>) -> Result;
    /// Clears.
    fn clear(&mut self, s: &PushedState, c: &Clear) -> Result;
    /// Blits.
    fn blit(&mut self, s: &PushedState, b: &Blit) -> Result;
    /// Reads pixels.
    fn read_pixels(&mut self, s: &PushedState, r: &ReadPixels) -> Result<Vec<u8>>;
    /// Copies pixels into a texture.
    fn copy_to_texture(&mut self, s: &PushedState, c: &CopyToTexture) -> Result;
    /// Dispatches.
    fn launch_grid(&mut self, s: &PushedState, g: &GridInfo) -> Result {
        Err(BackendError::Unsupported("LaunchGrid".into()))
    }
    /// A memory barrier.
    fn memory_barrier(&mut self, s: &PushedState, b: &MemoryBarrier) -> Result {
        Err(BackendError::Unsupported("MemoryBarrier".into()))
    }
    /// Begins, ends, pauses, resumes or binds a stream output object, as `op` says.
    fn stream_output(
        &mut self,
        s: &PushedState,
        op: super::calls::Op,
        o: &StreamOutputOp,
    ) -> Result {
        Err(BackendError::Unsupported(op.name().into()))
    }
    /// What the application says of itself, for tools that watch the API below. Groups may be left open, and may be closed
    /// that were never opened here: a trace may begin in the middle of one.
    fn debug(&mut self, s: &PushedState, e: DebugEvent<'_>) -> Result {
        Ok(())
    }
    /// An object has another label, or with an empty one none. It may be yet to be made: who makes it asks
    /// [`PushedState::label`].
    fn object_label(&mut self, s: &PushedState, l: &ObjectLabel, label: &[u8]) -> Result {
        Ok(())
    }
    /// Hands work to the GPU.
    fn flush(&mut self, s: &PushedState, f: &Flush) -> Result;
    /// Swap interval.
    fn swap_interval(&mut self, s: &PushedState, i: &SwapInterval) -> Result {
        Ok(())
    }
    /// Shows a surface.
    fn present(&mut self, s: &PushedState, p: &Present) -> Result;
}
