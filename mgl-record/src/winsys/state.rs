//! What GLX and EGL know of this process: connections, drawables, contexts.
//!
//! One state for both interfaces, because programs mix them (design page 5.2). It belongs to the
//! process that made it: a forked child finds another pid and starts afresh, with connections of
//! its own, and never touches its parent's (nor the locks that its parent's threads held).

use super::configs::Config;
use super::drawable::Drawable;
use super::egl::display::EglDisplay;
use super::names;
use super::x11::{Connection, Geometry, WindowEvent, X11Error};
use crate::context::{self, ContextRef, SwapError};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Once, Weak};

/// A context as GLX or EGL names it.
pub struct ContextEntry {
    /// The driver's side.
    pub context: ContextRef,
    /// The configuration it was made with, if any.
    pub config: Option<&'static Config>,
    /// The screen it was made for.
    pub screen: i32,
    /// For EGL: the display that owns it.
    pub display: usize,
}

/// A drawable's name: its server's display string (without the screen) and its id.
type DrawableKey = (Arc<str>, u32);

/// The state of one process.
pub struct State {
    pid: u32,
    connections: Mutex<HashMap<Arc<str>, Arc<Connection>>>,
    drawables: Mutex<HashMap<DrawableKey, Arc<Drawable>>>,
    /// The last drawable of each window, whether or not the program has let go of it.
    latest: Mutex<HashMap<DrawableKey, Weak<Drawable>>>,
    contexts: Mutex<HashMap<usize, Arc<ContextEntry>>>,
    hints: Mutex<HashMap<DrawableKey, &'static Config>>,
    described: Mutex<HashMap<(usize, u32), &'static Config>>,
    /// EGL's displays.
    pub displays: Mutex<Vec<Arc<EglDisplay>>>,
    next_handle: AtomicUsize,
    next_offscreen: AtomicUsize,
}

static STATE: AtomicPtr<State> = AtomicPtr::new(ptr::null_mut());

/// The state of this process; made at first use, made anew in a forked child.
pub fn state() -> &'static State {
    let pid = std::process::id();
    let current = STATE.load(Ordering::Acquire);
    // SAFETY: only leaked boxes are stored.
    if let Some(state) = unsafe { current.as_ref() }.filter(|s| s.pid == pid) {
        return state;
    }
    names::install_hooks();
    // A parent's state stays behind untouched: dropping it would close the parent's connections
    // under locks that may be held by threads which do not exist here.
    let fresh = Box::leak(Box::new(State {
        pid,
        connections: Mutex::default(),
        drawables: Mutex::default(),
        latest: Mutex::default(),
        contexts: Mutex::default(),
        hints: Mutex::default(),
        described: Mutex::default(),
        displays: Mutex::default(),
        next_handle: AtomicUsize::new(1),
        next_offscreen: AtomicUsize::new(1),
    }));
    match STATE.compare_exchange(current, fresh, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => fresh,
        // SAFETY: as above; another thread of this process was faster.
        Err(other) => unsafe { &*other },
    }
}

/// `:1.0` and `:1` are one server.
fn server_of(display: &str) -> &str {
    match display.rsplit_once('.') {
        Some((server, screen))
            if server.contains(':') && screen.bytes().all(|b| b.is_ascii_digit()) =>
        {
            server
        }
        _ => display,
    }
}

impl State {
    /// Our connection to a server, opened at first use.
    ///
    /// # Errors
    ///
    /// [`X11Error`] when it cannot be reached; asked again, it is tried again.
    pub fn connection(&self, display: &str) -> Result<Arc<Connection>, X11Error> {
        let server = server_of(display);
        let mut connections = self.connections.lock();
        if let Some(connection) = connections.get(server) {
            return Ok(Arc::clone(connection));
        }
        let connection = Arc::new(Connection::open(server)?);
        connections.insert(server.into(), Arc::clone(&connection));
        Ok(connection)
    }

    /// A number that no other object of this process has, for handles that programs only pass back.
    pub fn new_handle(&self) -> usize {
        // Spread like addresses, and far from small integers that programs pass by mistake.
        0x6d67_0000 + 16 * self.next_handle.fetch_add(1, Ordering::Relaxed)
    }

    /// An id for a drawable that no server knows.
    pub fn new_offscreen_id(&self) -> u32 {
        // Beyond the 29 bits that X gives to ids.
        0x8000_0000 | self.next_offscreen.fetch_add(1, Ordering::Relaxed) as u32
    }

    /// Registers a context and returns its handle.
    pub fn add_context(&self, entry: ContextEntry) -> usize {
        let handle = self.new_handle();
        self.contexts.lock().insert(handle, Arc::new(entry));
        handle
    }

    /// The context behind a handle.
    pub fn context(&self, handle: usize) -> Option<Arc<ContextEntry>> {
        self.contexts.lock().get(&handle).cloned()
    }

    /// Forgets a handle; the context itself lives on while it is current.
    pub fn remove_context(&self, handle: usize) -> Option<Arc<ContextEntry>> {
        self.contexts.lock().remove(&handle)
    }

    /// Handles of the contexts that an EGL display owns, the oldest first.
    pub fn contexts_of(&self, display: usize) -> Vec<usize> {
        let contexts = self.contexts.lock();
        let mut handles: Vec<usize> = contexts
            .iter()
            .filter(|(_, entry)| entry.display == display)
            .map(|(handle, _)| *handle)
            .collect();
        handles.sort_unstable();
        handles
    }

    /// Registers a pbuffer under its id.
    pub fn add_drawable(&self, server: &str, drawable: &Arc<Drawable>) {
        let key = (server_of(server).into(), drawable.xid);
        self.drawables.lock().insert(key, Arc::clone(drawable));
    }

    /// Makes a window's drawable and registers it. One that the window had before ends first, even
    /// if it is still current somewhere: the server allows one native surface a window.
    pub fn new_window(
        &self,
        connection: &Arc<Connection>,
        xid: u32,
        geometry: Geometry,
        config: &'static Config,
        srgb: bool,
        declared: bool,
    ) -> Arc<Drawable> {
        self.retire_drawable(connection.name(), xid);
        let drawable = Drawable::window(connection, xid, geometry, config, srgb, declared);
        let key: DrawableKey = (server_of(connection.name()).into(), xid);
        let latest = Arc::downgrade(&drawable);
        self.latest.lock().insert(key.clone(), latest);
        self.drawables.lock().insert(key, Arc::clone(&drawable));
        drawable
    }

    /// The drawable of this id, if there is one.
    pub fn drawable(&self, server: &str, xid: u32) -> Option<Arc<Drawable>> {
        let key = (server_of(server).into(), xid);
        self.drawables.lock().get(&key).cloned()
    }

    /// Forgets a drawable; it ends when it is not current any more.
    pub fn remove_drawable(&self, server: &str, xid: u32) -> Option<Arc<Drawable>> {
        let key = (server_of(server).into(), xid);
        self.drawables.lock().remove(&key)
    }

    /// Ends the drawable of a window that is gone, also one that was let go of while current.
    fn retire_drawable(&self, server: &str, xid: u32) {
        let key: DrawableKey = (server_of(server).into(), xid);
        let known = self.drawables.lock().remove(&key);
        let latest = self.latest.lock().remove(&key);
        for drawable in [known, latest.and_then(|l| l.upgrade())]
            .into_iter()
            .flatten()
        {
            drawable.retire();
        }
    }

    /// Takes in what a server has reported about windows, without waiting for it.
    pub fn pump(&self, connection: &Connection) -> Vec<WindowEvent> {
        let events = connection.poll();
        for event in &events {
            match *event {
                WindowEvent::Resized(window, width, height) => {
                    if let Some(drawable) = self.drawable(connection.name(), window) {
                        drawable.note_size(width, height);
                    }
                }
                WindowEvent::Destroyed(window) => {
                    self.retire_drawable(connection.name(), window);
                }
            }
        }
        events
    }

    /// Asks a window's server for its size and applies it. Returns whether it still exists.
    pub fn refresh(&self, drawable: &Drawable) -> bool {
        let Some(connection) = &drawable.connection else {
            return drawable.is_alive();
        };
        // An event that is newer than the answer must win, and one that is older must not: ask
        // again until nothing about this window came between.
        for _ in 0..4 {
            let Some(geometry) = connection.geometry(drawable.xid) else {
                self.retire_drawable(connection.name(), drawable.xid);
                return false;
            };
            let events = self.pump(connection);
            drawable.note_size(geometry.width, geometry.height);
            let changed = events.iter().any(|e| {
                matches!(*e, WindowEvent::Resized(window, width, height)
                    if window == drawable.xid && (width, height) != drawable.size())
            });
            if !changed {
                break;
            }
        }
        if drawable.is_alive() {
            drawable.apply_size();
        }
        drawable.is_alive()
    }

    /// The drawable of a window; `None` when no such window exists.
    ///
    /// A window that the program only draws to takes the configuration of the context it is used
    /// with, and gets a new surface when that changes.
    pub fn window(
        &self,
        connection: &Arc<Connection>,
        xid: u32,
        config: &'static Config,
        declare: bool,
    ) -> Option<Arc<Drawable>> {
        let geometry = connection.geometry(xid)?;
        // After the round trip: a DestroyNotify of this id's former owner has arrived by now.
        self.pump(connection);
        if let Some(known) = self.drawable(connection.name(), xid) {
            let fits = known.declared || ptr::eq(known.config, config);
            if fits && !declare {
                return self.refresh(&known).then_some(known);
            }
        }
        Some(self.new_window(connection, xid, geometry, config, false, declare))
    }

    /// Presents a drawable, and takes in what happened to its window meanwhile. A window that is
    /// gone has nothing to present to, which is no error: programs do this while they close.
    ///
    /// # Errors
    ///
    /// The device is lost.
    pub fn present(&self, drawable: &Drawable) -> Result<(), SwapError> {
        let Some(connection) = &drawable.connection else {
            return Ok(());
        };
        self.pump(connection);
        if !drawable.is_alive() {
            return Ok(());
        }
        match context::swap_buffers(&drawable.surface) {
            Ok(()) => {}
            Err(SwapError::Lost) => return Err(SwapError::Lost),
            Err(error) => {
                static ONCE: Once = Once::new();
                ONCE.call_once(|| eprintln!("mgl: {error}"));
            }
        }
        self.pump(connection);
        if drawable.is_alive() {
            drawable.apply_size();
        }
        Ok(())
    }

    /// Remembers which configuration glXChooseVisual meant by a visual: the visual alone does not
    /// tell whether the program asked for a back buffer.
    pub fn set_hint(&self, server: &str, visual: u32, config: &'static Config) {
        let key = (server_of(server).into(), visual);
        self.hints.lock().insert(key, config);
    }

    /// The configuration that was last chosen as this visual.
    pub fn hint(&self, server: &str, visual: u32) -> Option<&'static Config> {
        let key = (server_of(server).into(), visual);
        self.hints.lock().get(&key).copied()
    }

    /// Remembers which configuration the description at an address was made for.
    pub fn set_described(&self, address: usize, visual: u32, config: &'static Config) {
        self.described.lock().insert((address, visual), config);
    }

    /// The configuration that a description was made for, if we made it.
    pub fn described(&self, address: usize, visual: u32) -> Option<&'static Config> {
        self.described.lock().get(&(address, visual)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::server_of;

    #[test]
    fn screens_are_cut_off_and_hosts_are_not() {
        for (display, server) in [
            (":1.0", ":1"),
            (":1", ":1"),
            ("host.example.org:2", "host.example.org:2"),
            ("host.example.org:2.1", "host.example.org:2"),
            ("10.0.0.1:0", "10.0.0.1:0"),
            ("", ""),
        ] {
            assert_eq!(server_of(display), server);
        }
    }
}
