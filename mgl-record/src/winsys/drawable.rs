//! What programs draw to: windows and pbuffers, for GLX and EGL alike.
//!
//! A drawable ties an id of the window system to a surface of the driver. Windows are watched on
//! our own connection: a new size is noted when it arrives and applied when the thread that draws
//! comes by (make-current, swap, wait, viewport); a destroyed window retires its surface, since the
//! server hands its id out again.

use super::configs::Config;
use super::x11::{Connection, Geometry};
use crate::context::{self, NativeWindow, SurfaceRef};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};

/// One thing to draw to.
pub struct Drawable {
    /// Its id: a window's from the program, a pbuffer's from us.
    pub xid: u32,
    /// The configuration it was made with.
    pub config: &'static Config,
    /// The driver's side.
    pub surface: SurfaceRef,
    /// The server of a window; none for what exists on our side alone.
    pub connection: Option<Arc<Connection>>,
    /// Whether the program declared it (glXCreateWindow, eglCreateWindowSurface, a pbuffer) instead
    /// of just drawing to a window.
    pub declared: bool,
    /// GLX_SWAP_INTERVAL_EXT.
    pub swap_interval: AtomicI32,
    /// Selected GLX events.
    pub event_mask: AtomicU64,
    size: Mutex<Size>,
    alive: AtomicBool,
}

struct Size {
    /// What the surface has.
    applied: (u32, u32),
    /// What the window has.
    latest: (u32, u32),
}

impl Drawable {
    /// A window's drawable; starts to watch it.
    pub fn window(
        connection: &Arc<Connection>,
        xid: u32,
        geometry: Geometry,
        config: &'static Config,
        srgb: bool,
        declared: bool,
    ) -> Arc<Self> {
        connection.watch(xid);
        // The window may have changed between the caller's question and the watch.
        let geometry = connection.geometry(xid).unwrap_or(geometry);
        let mut surface = config.surface(geometry.width, geometry.height);
        surface.srgb |= srgb;
        surface.native = Some(NativeWindow {
            display: Some(connection.name().to_owned()),
            screen: geometry.screen,
            window: xid,
            visual: connection.window_visual(xid).unwrap_or(0),
            depth: geometry.depth,
        });
        let size = (geometry.width, geometry.height);
        let connection = Some(Arc::clone(connection));
        Self::new(xid, config, &surface, connection, size, declared)
    }

    /// A drawable without a window.
    pub fn offscreen(
        xid: u32,
        config: &'static Config,
        width: u32,
        height: u32,
        srgb: bool,
    ) -> Arc<Self> {
        let mut surface = config.surface(width, height);
        surface.srgb |= srgb;
        Self::new(xid, config, &surface, None, (width, height), true)
    }

    fn new(
        xid: u32,
        config: &'static Config,
        surface: &context::SurfaceConfig,
        connection: Option<Arc<Connection>>,
        size: (u32, u32),
        declared: bool,
    ) -> Arc<Self> {
        Arc::new(Self {
            xid,
            config,
            surface: context::create_surface(surface),
            connection,
            declared,
            swap_interval: AtomicI32::new(1),
            event_mask: AtomicU64::new(0),
            size: Mutex::new(Size {
                applied: size,
                latest: size,
            }),
            alive: AtomicBool::new(true),
        })
    }

    /// Width and height as the window system has them, in pixels.
    pub fn size(&self) -> (u32, u32) {
        self.size.lock().latest
    }

    /// Whether the window still exists.
    pub fn is_alive(&self) -> bool {
        self.alive.load(Ordering::Acquire)
    }

    /// Notes a new size.
    pub fn note_size(&self, width: u32, height: u32) {
        self.size.lock().latest = (width, height);
    }

    /// Gives the surface the size noted last, if it has another.
    pub fn apply_size(&self) {
        let mut size = self.size.lock();
        if size.applied != size.latest {
            size.applied = size.latest;
            let (width, height) = size.applied;
            drop(size);
            context::resize_surface(&self.surface, width, height);
        }
    }

    /// Ends it now: its window is gone. Further calls do nothing. The window stays watched, as
    /// another drawable may have taken its place.
    pub fn retire(&self) {
        if self.alive.swap(false, Ordering::AcqRel) {
            context::destroy_surface(&self.surface);
        }
    }

    /// Sets the swap interval of this drawable.
    pub fn set_swap_interval(&self, interval: i32) {
        self.swap_interval.store(interval, Ordering::Relaxed);
        context::set_swap_interval(&self.surface, interval);
    }
}

/// A drawable that the program lets go of while it is current ends when it no longer is.
impl Drop for Drawable {
    fn drop(&mut self) {
        self.retire();
    }
}
