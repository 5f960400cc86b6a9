//! The system's OpenGL ES, as Espryt finds it: a display without window system, and a context on it.
//!
//! Loads and runs the system's driver; to be called in a child process only.

use std::fmt;

use mgl_core::pipe::Backend;
use mgl_replay::EsprytOptions;
use mgl_replay::espryt::{DisplayChoice, Espryt};
use serde::{Deserialize, Serialize};

/// An OpenGL ES driver that Espryt draws with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GlesInfo {
    /// GL_VERSION.
    pub version: String,
    pub vendor: String,
    pub renderer: String,
    /// Optional features that Espryt makes use of.
    pub features: Vec<String>,
}

impl fmt::Display for GlesInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.version, self.renderer)
    }
}

pub(super) fn probe() -> Result<GlesInfo, String> {
    let espryt = Espryt::new(EsprytOptions {
        display: DisplayChoice::Surfaceless,
        debug: false,
    })
    .map_err(|error| error.to_string())?;
    let caps = espryt.caps();
    Ok(GlesInfo {
        version: caps.version.clone(),
        vendor: caps.vendor.clone(),
        renderer: caps.renderer.clone(),
        features: caps.features.clone(),
    })
}
