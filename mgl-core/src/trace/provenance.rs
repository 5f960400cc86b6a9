//! Where a trace comes from.
//!
//! By default nothing that names a person or a place: the program's base name, allow-listed variables without path
//! separators, driver strings. [`Provenance::add_full`] adds paths, arguments and environment on request.

use crate::pipe::Caps;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Variables that change what is recorded and name neither persons nor places.
pub const ALLOWED_VARIABLES: &[&str] = &[
    "GALLIUM_DRIVER",
    "LIBGL_ALWAYS_SOFTWARE",
    "LP_NUM_THREADS",
    "MESA_GLSL_VERSION_OVERRIDE",
    "MESA_GL_VERSION_OVERRIDE",
    "MESA_LOADER_DRIVER_OVERRIDE",
    "MGL_BACKEND",
    "MGL_CAPS",
    "MGL_CLOCK_STEP_US",
    "MGL_DEVICE",
    "MGL_TRANSPORT",
    "SDL_VIDEODRIVER",
    "XDG_SESSION_TYPE",
    "vblank_mode",
];

/// Where a trace comes from. Stored as JSON: fields may be added without a new format version.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Provenance {
    /// Version of the mgl that wrote the file.
    pub mgl: String,
    /// Base name of the program recorded, or of the tool that made the file.
    pub program: String,
    /// Arguments that it was given (only their number).
    pub arguments: usize,
    /// Milliseconds since 1970 at which recording began; 0 where time means nothing.
    pub started_unix_ms: u64,
    /// Back end while recording.
    pub backend: String,
    /// What the back end could do, its driver's strings included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caps: Option<Caps>,
    /// Operating system and processor architecture.
    pub system: String,
    /// Allow-listed variables.
    pub variables: BTreeMap<String, String>,
    /// More, on request only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full: Option<FullProvenance>,
}

/// What is written on request only.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FullProvenance {
    /// Path of the program.
    pub program: String,
    /// Its arguments, without the program.
    pub arguments: Vec<String>,
    /// Working directory.
    pub directory: String,
    /// The whole environment.
    pub environment: BTreeMap<String, String>,
}

impl Provenance {
    /// Of this process, recorded through a back end with `caps`.
    #[must_use]
    pub fn of_process(caps: &Caps) -> Self {
        Self {
            program: std::env::current_exe()
                .ok()
                .and_then(|p| Some(p.file_name()?.to_string_lossy().into_owned()))
                .unwrap_or_default(),
            arguments: std::env::args_os().count().saturating_sub(1),
            started_unix_ms: std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .map_or(0, |d| d.as_millis() as u64),
            backend: caps.backend.clone(),
            caps: Some(caps.clone()),
            variables: ALLOWED_VARIABLES
                .iter()
                .filter_map(|n| Some(((*n).to_owned(), std::env::var(n).ok()?)))
                .filter(|(_, v)| !v.contains('/'))
                .collect(),
            ..Self::of_tool("")
        }
    }

    /// Of a file that a tool makes: no time, no variables, so that the same input gives the same bytes.
    #[must_use]
    pub fn of_tool(program: &str) -> Self {
        Self {
            mgl: env!("CARGO_PKG_VERSION").into(),
            program: program.into(),
            system: format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH),
            ..Self::default()
        }
    }

    /// Adds paths, arguments and environment.
    pub fn add_full(&mut self) {
        let text = |s: std::ffi::OsString| s.to_string_lossy().into_owned();
        self.full = Some(FullProvenance {
            program: std::env::current_exe().map_or_else(|_| String::new(), |p| text(p.into())),
            arguments: std::env::args_os().skip(1).map(text).collect(),
            directory: std::env::current_dir().map_or_else(|_| String::new(), |p| text(p.into())),
            environment: std::env::vars_os()
                .map(|(k, v)| (text(k), text(v)))
                .collect(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipe::{Backend, NullBackend};

    #[test]
    fn no_path_unless_asked_for() {
        let mut p = Provenance::of_process(NullBackend::default().caps());
        let text = serde_json::to_string(&p).expect("JSON");
        assert!(!text.contains('/'), "{text}");
        assert!(p.started_unix_ms > 0 && !p.program.is_empty());
        p.add_full();
        let text = serde_json::to_string(&p).expect("JSON");
        assert!(text.contains("\"environment\"") && text.contains('/'));
        assert_eq!(
            serde_json::from_str::<Provenance>(&text).expect("comes back"),
            p
        );
    }

    #[test]
    fn fields_of_a_later_version_are_passed_over() {
        let p: Provenance =
            serde_json::from_str(r#"{"program":"x","weather":"fine"}"#).expect("reads");
        assert_eq!(p.program, "x");
    }
}
