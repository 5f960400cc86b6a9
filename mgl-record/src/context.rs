//! Contexts, surfaces and the current-context slot: a placeholder that keeps the bookkeeping and
//! draws nothing, until the front end's own lands.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The API profile of a context (GL 3.3, 1.2 and appendix E).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    Core,
    Compatibility,
}

/// What a program asked for when it made a context.
#[derive(Clone, Debug)]
pub struct ContextConfig {
    pub profile: Profile,
    pub major: u32,
    pub minor: u32,
    pub debug: bool,
    pub forward_compatible: bool,
    pub robust: bool,
    pub lose_on_reset: bool,
}

/// A native window to present to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeWindow {
    /// X display string.
    pub display: Option<String>,
    pub screen: i32,
    pub window: u32,
    pub visual: u32,
    pub depth: u8,
}

/// The shape of a default framebuffer.
#[derive(Clone, Debug)]
pub struct SurfaceConfig {
    pub native: Option<NativeWindow>,
    pub width: u32,
    pub height: u32,
    pub alpha: bool,
    pub depth_bits: u8,
    pub stencil_bits: u8,
    pub samples: u8,
    pub double_buffered: bool,
    pub srgb: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum CreateError {
    #[error("OpenGL {0}.{1} is not offered")]
    BadVersion(u32, u32),
    #[error("the profile is not offered")]
    BadProfile,
    #[error("no driver: {0}")]
    NoDriver(String),
}

#[derive(Debug, thiserror::Error)]
#[error("cannot make the context current")]
pub struct MakeCurrentError;

#[derive(Debug, thiserror::Error)]
#[error("cannot present")]
pub struct SwapError;

pub struct Context {
    pub config: ContextConfig,
}

pub struct Surface {
    pub config: SurfaceConfig,
    size: [AtomicU32; 2],
}

pub type ContextRef = Arc<Context>;
pub type SurfaceRef = Arc<Surface>;

/// A GL context's front-end state.
pub struct Gl {
    error: u32,
}

impl Gl {
    /// Raises a GL error (GL 3.3, 2.5).
    pub fn raise(&mut self, code: u32) {
        if self.error == 0 {
            self.error = code;
        }
    }
}

type Slot = (
    Option<ContextRef>,
    Option<SurfaceRef>,
    Option<SurfaceRef>,
    Gl,
);

thread_local! {
    static SLOT: RefCell<Slot> = const { RefCell::new((None, None, None, Gl { error: 0 })) };
}

/// Runs `f` on the calling thread's current context; `None` without one.
pub fn with_current<R>(f: impl FnOnce(&mut Gl) -> R) -> Option<R> {
    SLOT.try_with(|s| {
        let mut s = s.borrow_mut();
        s.0.is_some().then(|| f(&mut s.3))
    })
    .ok()
    .flatten()
}

pub fn create(cfg: &ContextConfig, _share: Option<&ContextRef>) -> Result<ContextRef, CreateError> {
    if (cfg.major, cfg.minor) > (3, 3) {
        return Err(CreateError::BadVersion(cfg.major, cfg.minor));
    }
    let config = cfg.clone();
    Ok(Arc::new(Context { config }))
}

pub fn destroy_context(_ctx: &ContextRef) {}

pub fn make_current(
    ctx: Option<&ContextRef>,
    draw: Option<&SurfaceRef>,
    read: Option<&SurfaceRef>,
) -> Result<(), MakeCurrentError> {
    SLOT.try_with(|s| {
        let mut s = s.borrow_mut();
        (s.0, s.1, s.2) = (ctx.cloned(), draw.cloned(), read.cloned());
    })
    .map_err(|_| MakeCurrentError)
}

pub fn current() -> Option<ContextRef> {
    SLOT.try_with(|s| s.borrow().0.clone()).ok().flatten()
}

pub fn current_draw() -> Option<SurfaceRef> {
    SLOT.try_with(|s| s.borrow().1.clone()).ok().flatten()
}

pub fn current_read() -> Option<SurfaceRef> {
    SLOT.try_with(|s| s.borrow().2.clone()).ok().flatten()
}

pub fn create_surface(cfg: &SurfaceConfig) -> SurfaceRef {
    Arc::new(Surface {
        size: [AtomicU32::new(cfg.width), AtomicU32::new(cfg.height)],
        config: cfg.clone(),
    })
}

pub fn resize_surface(surface: &SurfaceRef, width: u32, height: u32) {
    surface.size[0].store(width, Ordering::Relaxed);
    surface.size[1].store(height, Ordering::Relaxed);
}

pub fn destroy_surface(_surface: &SurfaceRef) {}

pub fn swap_buffers(_surface: &SurfaceRef) -> Result<(), SwapError> {
    Ok(())
}

pub fn set_swap_interval(_surface: &SurfaceRef, _interval: i32) {}

pub fn finish_current() {}

pub fn flush_current() {}
