//! Making a back end by name.

use crate::espryt::{DisplayChoice, Espryt, EsprytOptions};
use crate::magma::{Magma, MagmaOptions};
use mgl_core::pipe::backend::{Backend, BackendError};
use mgl_core::pipe::null::NullBackend;
use std::fmt;
use std::str::FromStr;

/// A back end of this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BackendKind {
    /// OpenGL ES.
    Espryt,
    /// Vulkan.
    Magma,
    /// Draws nothing.
    Null,
}

impl BackendKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Espryt, Self::Magma, Self::Null];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Espryt => "espryt",
            Self::Magma => "magma",
            Self::Null => "null",
        }
    }
}

impl fmt::Display for BackendKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for BackendKind {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|k| k.name() == s)
            .ok_or_else(|| format!("'{s}' is no back end; there are espryt, magma and null"))
    }
}

/// How the back ends are to run.
#[derive(Debug, Clone, Default)]
pub struct BackendOptions {
    /// Espryt.
    pub espryt: EsprytOptions,
    /// Magma.
    pub magma: MagmaOptions,
}

impl BackendOptions {
    /// Without a window system, on the device that is best.
    #[must_use]
    pub fn headless(debug: bool) -> Self {
        Self {
            espryt: EsprytOptions {
                display: DisplayChoice::Surfaceless,
                debug,
            },
            magma: MagmaOptions {
                debug,
                ..MagmaOptions::default()
            },
        }
    }
}

/// Makes a back end.
///
/// # Errors
///
/// The environment lacks something; `mgl doctor` says what.
pub fn make_backend(
    kind: BackendKind,
    options: &BackendOptions,
) -> Result<Box<dyn Backend>, BackendError> {
    Ok(match kind {
        BackendKind::Espryt => Box::new(Espryt::new(options.espryt.clone())?),
        BackendKind::Magma => Box::new(Magma::new(options.magma.clone())?),
        BackendKind::Null => Box::new(NullBackend::default()),
    })
}
