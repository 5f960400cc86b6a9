//! The X display: a connection with its handshake, so that a stale socket or missing rights show.

use std::fmt;

use serde::{Deserialize, Serialize};
use x11rb::connection::Connection;

/// A display that answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DisplayInfo {
    /// The value of DISPLAY.
    pub name: String,
    pub vendor: String,
    pub width: u16,
    pub height: u16,
    /// Bits a pixel of the root window.
    pub depth: u8,
}

impl fmt::Display for DisplayInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            vendor,
            width,
            height,
            depth,
        } = self;
        write!(f, "{name}: {width}x{height}x{depth}, {vendor}")
    }
}

/// Whether an X server without a screen can be started.
pub(super) fn server_is_installed() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join("Xvfb").is_file())
}

pub(super) fn probe() -> Result<DisplayInfo, String> {
    let name = std::env::var("DISPLAY")
        .ok()
        .filter(|name| !name.is_empty())
        .ok_or("DISPLAY is not set")?;
    let (connection, screen) = x11rb::connect(Some(&name)).map_err(|e| format!("{name}: {e}"))?;
    let setup = connection.setup();
    let screen = setup
        .roots
        .get(screen)
        .ok_or_else(|| format!("{name}: the server has no such screen"))?;
    Ok(DisplayInfo {
        name,
        vendor: String::from_utf8_lossy(&setup.vendor).into_owned(),
        width: screen.width_in_pixels,
        height: screen.height_in_pixels,
        depth: screen.root_depth,
    })
}
