//! Our own connection to the program's X server.
//!
//! Requests of ours never go through the program's connection, so that its sequence numbers, error
//! handler and event queue stay as it expects them (design page 5, "own xcb connection"). Here are
//! the questions asked (visuals, geometry) and the events listened to (size, destruction).

use x11rb::connection::{Connection as _, RequestConnection as _};
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    ChangeWindowAttributesAux, ConnectionExt as _, EventMask, VisualClass,
};
use x11rb::rust_connection::RustConnection;

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum X11Error {
    /// The server cannot be reached.
    #[error("cannot connect to the X server {name}: {why}")]
    Connect {
        /// Its display string.
        name: String,
        /// The library's words.
        why: String,
    },
}

/// A visual that contexts can be made for: true or direct colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visual {
    /// Its id, unique in the server.
    pub id: u32,
    /// Bits a pixel that the window has.
    pub depth: u8,
    /// Whether it is DirectColor rather than TrueColor.
    pub direct: bool,
    /// Bits of red, green and blue.
    pub bits: [u8; 3],
}

/// What is asked about a screen once.
#[derive(Clone, Debug)]
pub struct Screen {
    /// The visual of the root window, or the first usable one of its depth.
    pub default: Option<Visual>,
    /// All usable visuals.
    pub visuals: Vec<Visual>,
}

/// Where a drawable is and how large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Width in pixels, never zero.
    pub width: u32,
    /// Height in pixels, never zero.
    pub height: u32,
    /// Bits a pixel.
    pub depth: u8,
    /// Index of its screen.
    pub screen: i32,
}

/// What happened to a window that is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowEvent {
    /// It has a new size.
    Resized(u32, u32, u32),
    /// It is gone; its id may come back as another window.
    Destroyed(u32),
}

/// One connection, shared by all threads of the process that opened it.
pub struct Connection {
    name: String,
    conn: RustConnection,
    screens: Vec<Screen>,
}

impl Connection {
    /// Connects to the server of a display string.
    ///
    /// # Errors
    ///
    /// [`X11Error::Connect`] when it cannot be reached.
    pub fn open(name: &str) -> Result<Self, X11Error> {
        let (conn, _) = RustConnection::connect(Some(name)).map_err(|e| X11Error::Connect {
            name: name.to_owned(),
            why: e.to_string(),
        })?;
        let screens = screens(&conn);
        Ok(Self {
            name: name.to_owned(),
            conn,
            screens,
        })
    }

    /// The display string it was opened with.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The screens of the server.
    pub fn screens(&self) -> &[Screen] {
        &self.screens
    }

    /// Size, depth and screen of a drawable; `None` when it does not exist.
    pub fn geometry(&self, drawable: u32) -> Option<Geometry> {
        let reply = self.conn.get_geometry(drawable).ok()?.reply().ok()?;
        let screen = self
            .conn
            .setup()
            .roots
            .iter()
            .position(|s| s.root == reply.root)?;
        Some(Geometry {
            width: u32::from(reply.width).max(1),
            height: u32::from(reply.height).max(1),
            depth: reply.depth,
            screen: screen as i32,
        })
    }

    /// The visual of a window; `None` when it is none.
    pub fn window_visual(&self, window: u32) -> Option<u32> {
        let reply = self.conn.get_window_attributes(window).ok()?.reply().ok()?;
        Some(reply.visual)
    }

    /// Starts to report a window's size and end. Event masks are kept a client, so the program's
    /// own selection is left alone.
    pub fn watch(&self, window: u32) {
        let attributes = ChangeWindowAttributesAux::new().event_mask(EventMask::STRUCTURE_NOTIFY);
        // An error (the window is gone) comes back as an event and is dropped there.
        if let Ok(cookie) = self.conn.change_window_attributes(window, &attributes) {
            drop(cookie);
            let _ = self.conn.flush();
        }
    }

    /// Takes what has arrived, without waiting.
    pub fn poll(&self) -> Vec<WindowEvent> {
        let mut events = Vec::new();
        while let Ok(Some(event)) = self.conn.poll_for_event() {
            match event {
                Event::ConfigureNotify(e) => events.push(WindowEvent::Resized(
                    e.window,
                    u32::from(e.width).max(1),
                    u32::from(e.height).max(1),
                )),
                Event::DestroyNotify(e) => events.push(WindowEvent::Destroyed(e.window)),
                _ => {}
            }
        }
        events
    }

    /// An id that no client of the server has: for drawables that exist on our side alone.
    pub fn new_id(&self) -> Option<u32> {
        self.conn.generate_id().ok()
    }

    /// First event and first error code of the server's own GLX extension, zeros without one.
    pub fn glx_codes(&self) -> (u8, u8) {
        match self.conn.extension_information("GLX") {
            Ok(Some(info)) => (info.first_event, info.first_error),
            _ => (0, 0),
        }
    }
}

fn screens(conn: &RustConnection) -> Vec<Screen> {
    conn.setup()
        .roots
        .iter()
        .map(|root| {
            let visuals: Vec<Visual> = root
                .allowed_depths
                .iter()
                .flat_map(|d| d.visuals.iter().map(|v| (d.depth, v)))
                .filter_map(|(depth, v)| {
                    let direct = match v.class {
                        VisualClass::TRUE_COLOR => false,
                        VisualClass::DIRECT_COLOR => true,
                        _ => return None,
                    };
                    let bits = [v.red_mask, v.green_mask, v.blue_mask];
                    Some(Visual {
                        id: v.visual_id,
                        depth,
                        direct,
                        bits: bits.map(|mask| mask.count_ones() as u8),
                    })
                })
                .collect();
            let default = visuals
                .iter()
                .find(|v| v.id == root.root_visual)
                .or_else(|| {
                    visuals
                        .iter()
                        .find(|v| v.depth == root.root_depth && !v.direct)
                })
                .copied();
            Screen { default, visuals }
        })
        .collect()
}
