//! What the launcher tells the driver, by environment variables.

use crate::leave_out::LeaveOut;
use mgl_replay::BackendKind;
use std::ffi::OsString;
use std::path::PathBuf;

/// Settings of this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// `MGL_BACKEND`: `espryt` (default), `magma` or `null`.
    pub backend: BackendKind,
    /// `MGL_LINK`: `direct`, `thread` or `auto` (default).
    pub link: LinkKind,
    /// `MGL_DEVICE`: the Vulkan device, by number or part of its name.
    pub device: Option<String>,
    /// `MGL_RECORD`: trace file to write.
    pub record: Option<PathBuf>,
    /// `MGL_RECORD_OVER`: what the trace file was when the command started ([`mgl_core::files::stamp`]): that one is
    /// replaced, and no other.
    pub record_over: Option<String>,
    /// `MGL_NOTES`: file that gets a note of what the driver did about recording; beside it the launcher takes the
    /// recorder's memory into its keeping.
    pub notes: Option<PathBuf>,
    /// `MGL_IMAGES`: store the image of every n-th frame, 0 for none.
    pub images_every: u64,
    /// `MGL_MAX_FRAMES`: recording ends after so many frames.
    pub max_frames: Option<u64>,
    /// `MGL_CHECK`: `repush` emits the server's state into a fresh server and compares both at every Present.
    pub check_repush: bool,
    /// `MGL_DEBUG`: the back end's debug messages become errors in the log.
    pub debug: bool,
    /// `MGL_REPORT`: file that gets one JSON document (counters, refusals, checks) at exit.
    pub report: Option<PathBuf>,
    /// `MGL_LEAVE_OUT`: a push to drop.
    pub leave_out: Option<LeaveOut>,
    /// `MGL_PROVENANCE`: `full` keeps paths, arguments and the environment in the trace.
    pub full_provenance: bool,
    /// Settings that were not understood, for one warning each.
    pub warnings: Vec<String>,
}

/// Where the back end works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LinkKind {
    /// In the program's own threads, at every call.
    Direct,
    /// In a thread of its own.
    Thread,
    /// In a thread of its own, where there are two processors.
    #[default]
    Auto,
}

impl LinkKind {
    /// What `auto` comes to on this machine; never [`LinkKind::Auto`].
    #[must_use]
    pub fn resolved(self) -> Self {
        match self {
            Self::Auto => match std::thread::available_parallelism() {
                Ok(n) if n.get() >= 2 => Self::Thread,
                _ => Self::Direct,
            },
            kind => kind,
        }
    }
}

impl Config {
    /// Reads the environment. Unknown values are warned of and left at their defaults.
    #[must_use]
    pub fn from_env() -> Self {
        Self::from_vars(|name| std::env::var_os(name))
    }

    fn from_vars(raw: impl Fn(&str) -> Option<OsString>) -> Self {
        // Paths are what they are; everything else is text.
        let path = |name: &str| raw(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let var = |name: &str| raw(name).map(|v| v.to_string_lossy().into_owned());
        let mut warnings = Vec::new();
        let mut number = |name: &str| {
            let text = var(name)?;
            text.parse::<u64>()
                .map_err(|_| warnings.push(format!("{name}={text} is not a number")))
                .ok()
        };
        let images_every = number("MGL_IMAGES").unwrap_or(0);
        let max_frames = number("MGL_MAX_FRAMES");
        let backend = match var("MGL_BACKEND").as_deref() {
            None | Some("") => BackendKind::Espryt,
            Some(name) => name.parse().unwrap_or_else(|e| {
                warnings.push(format!("MGL_BACKEND: {e}"));
                BackendKind::Espryt
            }),
        };
        let check_repush = match var("MGL_CHECK").as_deref() {
            None | Some("") => false,
            Some("repush") => true,
            Some(other) => {
                warnings.push(format!("MGL_CHECK={other} is not repush"));
                false
            }
        };
        let link = match var("MGL_LINK").as_deref() {
            None | Some("" | "auto") => LinkKind::Auto,
            Some("direct") => LinkKind::Direct,
            Some("thread") => LinkKind::Thread,
            Some(other) => {
                warnings.push(format!("MGL_LINK={other} is not direct, thread or auto"));
                LinkKind::Auto
            }
        };
        let asked = var("MGL_LEAVE_OUT").filter(|v| !v.is_empty());
        let leave_out = match asked.as_deref().map(LeaveOut::parse) {
            None => None,
            Some(Ok(push)) => Some(push),
            Some(Err(why)) => {
                warnings.push(format!("MGL_LEAVE_OUT: {why}"));
                None
            }
        };
        Self {
            backend,
            link,
            device: var("MGL_DEVICE").filter(|v| !v.is_empty()),
            record: path("MGL_RECORD"),
            record_over: var("MGL_RECORD_OVER"),
            notes: path("MGL_NOTES"),
            images_every,
            max_frames,
            check_repush,
            debug: var("MGL_DEBUG").is_some_and(|v| v == "1"),
            report: path("MGL_REPORT"),
            leave_out,
            full_provenance: var("MGL_PROVENANCE").is_some_and(|v| v == "full"),
            warnings,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStringExt;

    #[test]
    fn defaults_and_warnings() {
        let c = Config::from_vars(|_| None);
        assert_eq!(c.backend, BackendKind::Espryt);
        assert!(c.record.is_none() && c.warnings.is_empty());
        let c = Config::from_vars(|n| match n {
            "MGL_BACKEND" => Some(OsString::from("metal")),
            "MGL_IMAGES" => Some("often".into()),
            "MGL_RECORD" => Some(OsString::from_vec(b"a\xff.mgltrace".to_vec())),
            "MGL_DEVICE" => Some("llvmpipe".into()),
            "MGL_LEAVE_OUT" => Some("DrawMesh".into()),
            "MGL_LINK" => Some("rope".into()),
            _ => None,
        });
        assert_eq!(c.warnings.len(), 4);
        assert!(c.leave_out.is_none() && c.warnings[3].contains("DrawMesh"));
        assert!(c.link == LinkKind::Auto && c.warnings[2].contains("rope"));
        assert_eq!(c.device.as_deref(), Some("llvmpipe"));
        let record = c.record.map(|path| path.into_os_string().into_vec());
        assert_eq!(record.as_deref(), Some(&b"a\xff.mgltrace"[..]));
    }
}
