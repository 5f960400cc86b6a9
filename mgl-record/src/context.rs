//! Contexts, surfaces, and the current-context slot of a thread.
//!
//! The window-system layer makes contexts and surfaces here and says which are current; entry points find the current
//! context by [`with_current`] and get a [`Gl`]: the context's own state, its share group, the pipe and the dirty
//! generations, all borrowed from the locked driver.

use crate::driver::{self, Driver};
use crate::pipe::Pipe;
use crate::state::buffer::BufferState;
use crate::state::debug::DebugState;
use crate::state::framebuffer::FramebufferState;
use crate::state::program::ProgramState;
use crate::state::query::QueryState;
use crate::state::stream_output::StreamOutputState;
use crate::state::texture::TextureState;
use crate::state::vertex_array::VertexState;
use crate::state::{Generations, References, Share};
use crate::tracker::Tracker;
use mgl_core::format::Format;
use mgl_core::handle::{ContextHandle, SurfaceHandle};
use mgl_core::pipe::{
    BindContext, Call, ContextDesc, ContextFlags, ContextOnly, ContextProfile, Flush, FlushFlags,
    Present, RenderState, Scissor, SurfaceDesc, SurfaceOnly, SwapInterval, ValueType, Viewport,
};
use mgl_core::pod::F32;
pub use mgl_replay::NativeWindow;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The API profile of a context (GL 3.3 §1.2 and appendix E).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Deprecated features are gone.
    Core,
    /// Legacy GLSL and object rules are accepted; fixed function is refused by name.
    Compatibility,
}

/// What a program asked for when it made a context.
#[derive(Clone, Debug)]
pub struct ContextConfig {
    /// Profile.
    pub profile: Profile,
    /// Version asked for.
    pub major: u32,
    /// Version asked for.
    pub minor: u32,
    /// Debug context.
    pub debug: bool,
    /// Forward-compatible context.
    pub forward_compatible: bool,
    /// Robust buffer access.
    pub robust: bool,
    /// Contexts are lost on reset.
    pub lose_on_reset: bool,
    /// The program vouches for raising no errors; they are raised all the same (KHR_no_error).
    pub no_error: bool,
    /// Leaving the context flushes it, as it always does here; a program may ask it not to.
    pub flush_on_release: bool,
}

/// The shape of a default framebuffer.
#[derive(Clone, Debug)]
pub struct SurfaceConfig {
    /// The window to present to, if any.
    pub native: Option<NativeWindow>,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Has an alpha channel.
    pub alpha: bool,
    /// 0, 16, 24 or 32.
    pub depth_bits: u8,
    /// 0 or 8.
    pub stencil_bits: u8,
    /// Samples a pixel, 0 for one.
    pub samples: u8,
    /// Has a back buffer.
    pub double_buffered: bool,
    /// Can encode sRGB.
    pub srgb: bool,
}

/// Why a context could not be made.
#[derive(Debug, thiserror::Error)]
pub enum CreateError {
    /// Version.
    #[error("OpenGL {0}.{1} is not offered")]
    BadVersion(u32, u32),
    /// Profile.
    #[error("the profile is not offered")]
    BadProfile,
    /// No back end.
    #[error("no driver: {0}")]
    NoDriver(String),
}

/// The context is current in another thread, or gone.
#[derive(Debug, thiserror::Error)]
#[error("cannot make the context current: {0}")]
pub struct MakeCurrentError(pub &'static str);

/// Why nothing was presented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SwapError {
    /// The surface is gone.
    #[error("cannot present")]
    NoSurface,
    /// The device is lost, and what was drawn with it.
    #[error("the device is lost")]
    Lost,
}

/// A context, as the window system layer holds it.
#[derive(Debug)]
pub struct Context {
    id: usize,
    /// What was asked for.
    pub config: ContextConfig,
}

/// A surface, as the window system layer holds it.
#[derive(Debug)]
pub struct Surface {
    id: usize,
    /// What was asked for.
    pub config: SurfaceConfig,
}

/// Shared reference to a context.
pub type ContextRef = Arc<Context>;
/// Shared reference to a surface.
pub type SurfaceRef = Arc<Surface>;

/// A surface in the driver.
pub struct SurfaceState {
    /// Its handle.
    pub handle: SurfaceHandle,
    /// As last pushed.
    pub desc: SurfaceDesc,
    /// Frames presented.
    pub frames: u64,
}

/// A surface bound as default framebuffer, as the front end sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoundSurface {
    /// Index in the driver.
    pub id: usize,
    /// Its description.
    pub desc: SurfaceDesc,
}

/// A context's own state.
pub struct ContextState {
    /// Profile.
    pub profile: Profile,
    /// What was asked for.
    pub config: ContextConfig,
    /// Its handle.
    pub handle: ContextHandle,
    /// Index of its share group.
    pub share: usize,
    /// First error since the last glGetError (GL 4.6 §2.3.1).
    pub error: u32,
    /// Render state: the pipe's own block.
    pub render: RenderState,
    /// Values of glClear.
    pub clear: ClearValues,
    /// Buffers and their bindings.
    pub buffers: BufferState,
    /// Vertex arrays, attributes.
    pub vertex: VertexState,
    /// Texture and sampler bindings, pixel store.
    pub textures: TextureState,
    /// Framebuffers and their bindings.
    pub framebuffers: FramebufferState,
    /// The program in use.
    pub programs: ProgramState,
    /// Queries.
    pub queries: QueryState,
    /// Transform feedback.
    pub stream_output: StreamOutputState,
    /// State of the fixed function, in the compatibility profile.
    pub legacy: Box<crate::gl::legacy::Legacy>,
    /// Hints, and other values that no draw depends on.
    pub misc: crate::gl::misc::MiscState,
    /// Debug output.
    pub debug: Box<DebugState>,
    /// Draw surface.
    pub draw: Option<BoundSurface>,
    /// Read surface.
    pub read: Option<BoundSurface>,
    /// What the tracker remembers.
    pub tracker: Tracker,
    /// Thread that it is current in.
    current_in: Option<std::thread::ThreadId>,
    ever_current: bool,
    doomed: bool,
}

/// Values of glClear (GL 4.6 §17.4.3).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClearValues {
    /// Colour, as bits.
    pub color: [u32; 4],
    /// What the colour's bits are: floats, or the integers of EXT_texture_integer.
    pub color_type: ValueType,
    /// Depth.
    pub depth: f64,
    /// Stencil.
    pub stencil: i32,
}

/// The current context, borrowed from the locked driver for the time of an entry point.
pub struct Gl<'a> {
    /// The context's own state.
    pub ctx: &'a mut ContextState,
    /// Objects of its share group.
    pub share: &'a mut Share,
    /// The pipe.
    pub pipe: &'a mut Pipe,
    /// Dirty generations of the process.
    pub gens: &'a mut Generations,
    /// The entry point, for messages.
    pub entry: &'static str,
}

impl Gl<'_> {
    /// Raises a GL error: the first since the last glGetError is kept (GL 4.6 §2.3.1).
    #[cold]
    pub fn raise(&mut self, code: u32) {
        if self.ctx.error == 0 {
            self.ctx.error = code;
        }
        self.tell_error(code);
    }

    /// Whether the device is lost and the context is one that tells (GL 4.6 §2.3.2): made to lose its state on a reset.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.ctx.config.lose_on_reset && self.pipe.is_lost()
    }

    /// Whether the context is a core profile one.
    #[must_use]
    pub fn is_core(&self) -> bool {
        self.ctx.profile == Profile::Core
    }

    /// glGetError: the context's first error, else one that a push left.
    pub fn take_error(&mut self) -> u32 {
        let pushed = self.pipe.take_error(self.ctx.handle);
        match std::mem::take(&mut self.ctx.error) {
            0 => pushed,
            e => e,
        }
    }
}

struct Slot {
    context: Option<ContextRef>,
    draw: Option<SurfaceRef>,
    read: Option<SurfaceRef>,
}

thread_local! {
    static SLOT: RefCell<Slot> = const { RefCell::new(Slot { context: None, draw: None, read: None }) };
    static CURRENT: std::cell::Cell<usize> = const { std::cell::Cell::new(usize::MAX) };
}

/// Runs `f`, the body of the entry point `entry`, on the calling thread's current context; `None` without one. Then waits,
/// without the driver, for what `f` pushed and its wait class asks for, and delivers debug messages.
#[inline]
pub fn with_current<R>(entry: &'static str, f: impl FnOnce(&mut Gl<'_>) -> R) -> Option<R> {
    let mut f = Some(f);
    run_current(entry, false, |gl| f.take().map(|f| f(gl))).flatten()
}

/// As [`with_current`], for what may be left where it needs an answer, and is run again when that is there
/// ([`Pipe::ask_apart`]): the driver is free for other threads meanwhile.
#[inline]
pub fn with_current_again<R>(entry: &'static str, f: impl FnMut(&mut Gl<'_>) -> R) -> Option<R> {
    run_current(entry, true, f)
}

#[inline]
fn run_current<R>(
    entry: &'static str,
    restartable: bool,
    mut f: impl FnMut(&mut Gl<'_>) -> R,
) -> Option<R> {
    let id = CURRENT.try_with(std::cell::Cell::get).ok()?;
    if id == usize::MAX {
        return None;
    }
    loop {
        let mut guard = driver::lock();
        let d: &mut Driver = &mut guard;
        let ctx = d.contexts.get_mut(id)?;
        let share = d.shares.get_mut(ctx.share)?;
        let pipe = d.pipe.as_mut()?;
        pipe.begin(ctx.speaker(), restartable);
        let mut gl = Gl {
            ctx,
            share,
            pipe,
            gens: &mut d.generations,
            entry,
        };
        if gl.ctx.debug.has_late_labels() {
            gl.push_late_labels();
        }
        let result = f(&mut gl);
        let messages = gl.ctx.debug.take_delivery();
        let wait = pipe.end();
        if share.is_sweep_due() {
            let group = ctx.share;
            sweep(d, group);
        }
        if wait.is_none() && messages.is_none() {
            return Some(result);
        }
        drop(guard);
        if let Some(messages) = messages {
            messages.deliver();
        }
        match wait {
            None => return Some(result),
            Some((ticket, false)) => {
                // What it says is of no interest here; failures are told by notices.
                drop(ticket.take());
                return Some(result);
            }
            Some((ticket, true)) => ticket.wait(),
        }
    }
}

/// Ends the objects of a share group that nothing refers to any more.
#[cold]
fn sweep(d: &mut Driver, group: usize) {
    let (Some(share), Some(pipe)) = (d.shares.get_mut(group), d.pipe.as_mut()) else {
        return;
    };
    share.sweep(d.contexts.iter().filter(|c| c.share == group), pipe);
    pipe.publish();
}

impl ContextState {
    /// Who speaks when this context pushes: itself, with its surfaces.
    #[inline]
    fn speaker(&self) -> BindContext {
        let surface = |s: Option<BoundSurface>| s.map_or(SurfaceHandle::NULL, |s| s.desc.surface);
        BindContext {
            context: self.handle,
            draw: surface(self.draw),
            read: surface(self.read),
        }
    }

    /// Ids that this context refers to.
    pub fn references(&self, refs: &mut References) {
        self.buffers.references(refs);
        self.vertex.references(refs);
        self.textures.references(refs);
        self.framebuffers.references(refs);
        self.programs.references(refs);
    }
}

/// Makes a context, in the share group of `share` if one is given.
///
/// # Errors
///
/// Versions above 3.3, or no back end.
pub fn create(cfg: &ContextConfig, share: Option<&ContextRef>) -> Result<ContextRef, CreateError> {
    if (cfg.major, cfg.minor) > (3, 3) {
        return Err(CreateError::BadVersion(cfg.major, cfg.minor));
    }
    let mut guard = driver::lock();
    let d: &mut Driver = &mut guard;
    d.pipe().map_err(CreateError::NoDriver)?;
    let share_handle = share
        .and_then(|s| d.contexts.get(s.id))
        .map(|c| (c.share, c.handle));
    let pipe = d.pipe().map_err(CreateError::NoDriver)?;
    let handle: ContextHandle = pipe.mint();
    let flags = ContextFlags::NONE
        .with(ContextFlags::DEBUG, cfg.debug)
        .with(ContextFlags::FORWARD_COMPATIBLE, cfg.forward_compatible)
        .with(ContextFlags::ROBUST, cfg.robust)
        .with(ContextFlags::LOSE_ON_RESET, cfg.lose_on_reset);
    let profile = match cfg.profile {
        Profile::Core => ContextProfile::CORE,
        Profile::Compatibility => ContextProfile::COMPATIBILITY,
    };
    let share_with = share_handle.map_or(ContextHandle::NULL, |(_, h)| h);
    let desc = ContextDesc {
        context: handle,
        share: share_with,
        profile,
        flags,
    };
    if pipe.ask(Call::ContextCreate { p: &desc }).is_none() {
        pipe.release(handle);
        return Err(CreateError::NoDriver(
            "the back end could not make a context".into(),
        ));
    }
    let group = match share_handle {
        Some((g, _)) => g,
        None => d.shares.insert(Share::default()),
    };
    if let Some(s) = d.shares.get_mut(group) {
        s.contexts += 1;
    }
    let id = d.contexts.insert(ContextState {
        profile: cfg.profile,
        config: cfg.clone(),
        handle,
        share: group,
        error: 0,
        render: RenderState::initial(),
        clear: ClearValues {
            color: [0; 4],
            color_type: ValueType::FLOAT,
            depth: 1.0,
            stencil: 0,
        },
        buffers: BufferState::default(),
        vertex: VertexState::new(cfg.profile),
        textures: TextureState::default(),
        framebuffers: FramebufferState::default(),
        programs: ProgramState::default(),
        queries: QueryState::default(),
        stream_output: StreamOutputState::default(),
        legacy: Box::default(),
        misc: crate::gl::misc::MiscState::default(),
        debug: Box::new(DebugState::new(cfg.debug)),
        draw: None,
        read: None,
        tracker: Tracker::default(),
        current_in: None,
        ever_current: false,
        doomed: false,
    });
    Ok(Arc::new(Context {
        id,
        config: cfg.clone(),
    }))
}

/// Destroys a context; while it is current, when it ceases to be.
pub fn destroy_context(ctx: &ContextRef) {
    let mut guard = driver::lock();
    let d: &mut Driver = &mut guard;
    if let Some(c) = d.contexts.get_mut(ctx.id) {
        c.doomed = true;
        if c.current_in.is_none() {
            end_context(d, ctx.id);
        }
    }
}

fn end_context(d: &mut Driver, id: usize) {
    let Some(mut c) = d.contexts.remove(id) else {
        return;
    };
    let Some(pipe) = d.pipe.as_mut() else { return };
    // Objects of the context itself end while it can still speak.
    pipe.speak(BindContext {
        context: c.handle,
        ..BindContext::default()
    });
    c.queries.destroy(pipe);
    c.framebuffers.destroy(pipe);
    c.tracker.destroy(pipe);
    if let Some(s) = d.shares.get_mut(c.share) {
        s.contexts -= 1;
        if s.contexts == 0 {
            if let Some(s) = d.shares.remove(c.share) {
                s.destroy(pipe);
            }
        } else {
            s.sweep(d.contexts.iter().filter(|o| o.share == c.share), pipe);
        }
    }
    pipe.push(Call::ContextDestroy {
        p: &ContextOnly { context: c.handle },
    });
    pipe.release(c.handle);
    pipe.speak(BindContext::default());
    pipe.forget_speaker();
    pipe.publish();
}

/// Makes a context current in this thread, or none.
///
/// # Errors
///
/// The context is current in another thread, or was destroyed.
pub fn make_current(
    ctx: Option<&ContextRef>,
    draw: Option<&SurfaceRef>,
    read: Option<&SurfaceRef>,
) -> Result<(), MakeCurrentError> {
    crate::report::rest_at_exit();
    let me = std::thread::current().id();
    let old = SLOT.try_with(|s| s.borrow().context.clone()).ok().flatten();
    let mut guard = driver::lock();
    let d: &mut Driver = &mut guard;
    if let Some(c) = ctx {
        let state = d
            .contexts
            .get(c.id)
            .ok_or(MakeCurrentError("it was destroyed"))?;
        if state.current_in.is_some_and(|t| t != me) {
            return Err(MakeCurrentError("it is current in another thread"));
        }
    }
    let same = match (ctx, &old) {
        (Some(a), Some(b)) => a.id == b.id,
        _ => false,
    };
    if let Some(o) = old.filter(|_| !same) {
        let mut doomed = false;
        if let Some(c) = d.contexts.get_mut(o.id) {
            c.current_in = None;
            doomed = c.doomed;
            // Implicit flush of the context that is left (GLX 1.4 §3.3.7).
            flush_state(c, d.pipe.as_mut());
        }
        if doomed {
            end_context(d, o.id);
        }
        if let Some(p) = d.pipe.as_mut() {
            if ctx.is_none() {
                p.release_thread();
            }
            p.forget_speaker();
        }
    }
    if let Some(c) = ctx {
        let bound = |s: Option<&SurfaceRef>| {
            s.and_then(|s| {
                d.surfaces.get(s.id).map(|st| BoundSurface {
                    id: s.id,
                    desc: st.desc,
                })
            })
        };
        let (draw, read) = (bound(draw), bound(read));
        if let Some(state) = d.contexts.get_mut(c.id) {
            state.current_in = Some(me);
            if (state.draw, state.read) != (draw, read) {
                (state.draw, state.read) = (draw, read);
                state.framebuffers.surfaces_changed(&mut d.generations);
            }
            if !state.ever_current {
                state.ever_current = true;
                first_current(state, draw.as_ref());
            }
        }
        if let Some(p) = d.pipe.as_mut() {
            p.forget_speaker();
        }
    }
    let _ = CURRENT.try_with(|cur| cur.set(ctx.map_or(usize::MAX, |c| c.id)));
    let _ = SLOT.try_with(|s| {
        *s.borrow_mut() = Slot {
            context: ctx.cloned(),
            draw: ctx.and(draw.cloned()),
            read: ctx.and(read.cloned()),
        };
    });
    Ok(())
}

/// Viewport and scissor take the size of the first surface (GL 4.6 §13.8.1, §14.9.2), and a context without a default
/// framebuffer or with a single-buffered one starts with other draw buffers.
fn first_current(c: &mut ContextState, draw: Option<&BoundSurface>) {
    let (w, h) = draw.map_or((0, 0), |s| (s.desc.width, s.desc.height));
    for i in 0..mgl_core::pipe::render_state::MAX_VIEWPORTS {
        c.render.viewport(
            i,
            Viewport {
                width: F32(w as f32),
                height: F32(h as f32),
                far: F32(1.0),
                ..Viewport::default()
            },
        );
        c.render.scissor(
            i,
            Scissor {
                width: w,
                height: h,
                ..Scissor::default()
            },
        );
    }
    c.framebuffers
        .first_surface(draw.map(|s| s.desc.double_buffered.get()));
}

fn flush_state(c: &ContextState, pipe: Option<&mut Pipe>) {
    if let Some(p) = pipe {
        p.speak(c.speaker());
        p.push(Call::Flush {
            p: &Flush::default(),
        });
        p.publish();
    }
}

/// This thread's context.
#[must_use]
pub fn current() -> Option<ContextRef> {
    SLOT.try_with(|s| s.borrow().context.clone()).ok().flatten()
}

/// This thread's draw surface.
#[must_use]
pub fn current_draw() -> Option<SurfaceRef> {
    SLOT.try_with(|s| s.borrow().draw.clone()).ok().flatten()
}

/// This thread's read surface.
#[must_use]
pub fn current_read() -> Option<SurfaceRef> {
    SLOT.try_with(|s| s.borrow().read.clone()).ok().flatten()
}

/// Makes a surface. Without a back end (no context can be made either) it exists on this side only.
#[must_use]
pub fn create_surface(cfg: &SurfaceConfig) -> SurfaceRef {
    let mut guard = driver::lock();
    let d: &mut Driver = &mut guard;
    let depth_stencil = match (cfg.depth_bits, cfg.stencil_bits) {
        (0, 0) => Format(0),
        (0, _) => Format::STENCIL_INDEX8,
        (1..=16, 0) => Format::DEPTH_COMPONENT16,
        (_, 0) => Format::DEPTH_COMPONENT24,
        _ => Format::DEPTH24_STENCIL8,
    };
    let color = if cfg.alpha {
        Format::RGBA8
    } else {
        Format::RGB8
    };
    let mut desc = SurfaceDesc {
        width: cfg.width.max(1),
        height: cfg.height.max(1),
        color,
        depth_stencil,
        samples: u32::from(cfg.samples),
        double_buffered: cfg.double_buffered.into(),
        ..SurfaceDesc::default()
    };
    match d.pipe() {
        Ok(pipe) => {
            desc.surface = pipe.mint();
            if let Some(native) = &cfg.native {
                pipe.attach_native(desc.surface, native);
            }
            pipe.push(Call::SurfaceCreate { p: &desc });
            pipe.publish();
        }
        Err(e) => eprintln!("mgl: {e}"),
    }
    let id = d.surfaces.insert(SurfaceState {
        handle: desc.surface,
        desc,
        frames: 0,
    });
    Arc::new(Surface {
        id,
        config: cfg.clone(),
    })
}

/// Gives a surface another size.
pub fn resize_surface(surface: &SurfaceRef, width: u32, height: u32) {
    let mut guard = driver::lock();
    let d: &mut Driver = &mut guard;
    let Some(s) = d.surfaces.get_mut(surface.id) else {
        return;
    };
    let (width, height) = (width.max(1), height.max(1));
    if (s.desc.width, s.desc.height) == (width, height) {
        return;
    }
    (s.desc.width, s.desc.height) = (width, height);
    let desc = s.desc;
    if let Some(p) = d.pipe.as_mut() {
        p.push(Call::SurfaceRespecify { p: &desc });
        p.publish();
    }
    for c in d.contexts.iter_mut() {
        let mut hit = false;
        for bound in [&mut c.draw, &mut c.read].into_iter().flatten() {
            if bound.id == surface.id {
                bound.desc = desc;
                hit = true;
            }
        }
        if hit {
            c.framebuffers.surfaces_changed(&mut d.generations);
        }
    }
}

/// Destroys a surface.
pub fn destroy_surface(surface: &SurfaceRef) {
    let mut guard = driver::lock();
    let d: &mut Driver = &mut guard;
    let Some(s) = d.surfaces.remove(surface.id) else {
        return;
    };
    for c in d.contexts.iter_mut() {
        let mut hit = false;
        for bound in [&mut c.draw, &mut c.read] {
            if bound.as_ref().is_some_and(|b| b.id == surface.id) {
                *bound = None;
                hit = true;
            }
        }
        if hit {
            c.framebuffers.surfaces_changed(&mut d.generations);
        }
    }
    if let Some(p) = d.pipe.as_mut() {
        p.drop_surface(s.handle);
        p.push(Call::SurfaceDestroy {
            p: &SurfaceOnly { surface: s.handle },
        });
        p.release(s.handle);
        p.publish();
    }
}

static FRAMES: AtomicU64 = AtomicU64::new(0);

/// Ends of frames so far, on all surfaces: a swap, or a flush, which is how a frame without a back buffer ends.
#[must_use]
pub fn frame_ends() -> u64 {
    FRAMES.load(Ordering::Relaxed)
}

/// Notes that a frame may have ended.
pub fn frame_ended() {
    FRAMES.fetch_add(1, Ordering::Relaxed);
}

/// Shows a surface's back buffer: the end of a frame.
///
/// # Errors
///
/// See [`SwapError`].
pub fn swap_buffers(surface: &SurfaceRef) -> Result<(), SwapError> {
    let mut guard = driver::lock();
    let d: &mut Driver = &mut guard;
    let s = d.surfaces.get_mut(surface.id).ok_or(SwapError::NoSurface)?;
    s.frames += 1;
    frame_ended();
    let handle = s.handle;
    let current = CURRENT.try_with(std::cell::Cell::get).unwrap_or(usize::MAX);
    let Some(p) = d.pipe.as_mut() else {
        return Err(SwapError::NoSurface);
    };
    if p.is_lost() {
        return Err(SwapError::Lost);
    }
    if let Some(c) = d.contexts.get(current) {
        p.speak(c.speaker());
    }
    p.before_present(handle);
    p.push(Call::Present {
        p: &Present {
            surface: handle,
            ..Present::default()
        },
    });
    p.after_present();
    // Objects whose last reference went away in this frame.
    for (i, share) in d.shares.iter_mut_indexed() {
        share.sweep(d.contexts.iter().filter(|c| c.share == i), p);
    }
    p.look();
    let credit = p.end();
    crate::check::at_present(d);
    drop(guard);
    if let Some((ticket, _)) = credit {
        ticket.wait();
    }
    Ok(())
}

/// Sets the swap interval of a surface.
pub fn set_swap_interval(surface: &SurfaceRef, interval: i32) {
    let mut guard = driver::lock();
    let d: &mut Driver = &mut guard;
    let Some(handle) = d.surfaces.get(surface.id).map(|s| s.handle) else {
        return;
    };
    if let Some(p) = d.pipe.as_mut() {
        p.push(Call::SetSwapInterval {
            p: &SwapInterval {
                surface: handle,
                interval,
                ..SwapInterval::default()
            },
        });
        p.publish();
    }
}

/// glFinish on the current context, for glXWaitGL and kin.
pub fn finish_current() {
    frame_ended();
    with_current("glFinish", |gl| {
        gl.pipe.push(Call::Flush {
            p: &Flush {
                flags: FlushFlags::FINISH,
                ..Flush::default()
            },
        })
    });
}

/// glFlush on the current context.
pub fn flush_current() {
    frame_ended();
    with_current("glFlush", |gl| {
        gl.pipe.push(Call::Flush {
            p: &Flush::default(),
        })
    });
}
