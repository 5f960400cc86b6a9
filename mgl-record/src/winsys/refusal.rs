//! Contexts that are not given: why, said on standard error once for each reason.
//!
//! The interfaces leave a program with a null pointer or an error code, from which nobody can tell what was wrong.

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::fmt;

/// Why a context was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// OpenGL has the version, and mgl does not.
    NotOffered(u32, u32),
    /// OpenGL has no such version.
    NoSuchVersion(i64, i64),
    /// Forward compatibility before 3.0.
    ForwardCompatible(u32, u32),
    /// A profile mask that names no profile, or several.
    Profile(i32),
    /// A context without errors that is to debug, or to be robust.
    NoError,
    /// Flags that are not known.
    Flags(i32),
    /// An attribute that is not known, or not with this value.
    Attribute(i32, i32),
    /// OpenGL ES.
    Es,
    /// Colour indices.
    ColorIndex,
    /// The context to share objects with is none.
    Share,
    /// The configuration, or the visual, is none of ours.
    Config,
    /// The back end has no context.
    Driver(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotOffered(major, minor) => {
                write!(f, "OpenGL {major}.{minor} is not offered (mgl has 3.3)")
            }
            Self::NoSuchVersion(major, minor) => write!(f, "there is no OpenGL {major}.{minor}"),
            Self::ForwardCompatible(major, minor) => write!(
                f,
                "OpenGL {major}.{minor} cannot be forward-compatible, which 3.0 began"
            ),
            Self::Profile(mask) => write!(f, "the profile mask {mask:#x} names no single profile"),
            Self::NoError => write!(
                f,
                "a context without errors can neither debug nor be robust"
            ),
            Self::Flags(flags) => write!(f, "the context flags {flags:#x} are not known"),
            Self::Attribute(name, value) => {
                write!(
                    f,
                    "the attribute {name:#x} is not known with the value {value:#x}"
                )
            }
            Self::Es => write!(f, "OpenGL ES is not offered; mgl has desktop OpenGL"),
            Self::ColorIndex => write!(f, "colour-index rendering is not offered"),
            Self::Share => write!(f, "the context to share with does not exist"),
            Self::Config => write!(f, "the configuration or visual is not one that mgl gave"),
            Self::Driver(why) => write!(f, "{why}"),
        }
    }
}

/// Reasons beyond these are not told apart: a program that tries out attributes must not fill its log.
const MOST: usize = 32;

static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Says why `interface` refused a context, unless that was said.
#[cold]
pub fn say(interface: &str, why: &Refusal) {
    let text = format!("{interface} context refused: {why}");
    let mut said = SAID.lock();
    if said.len() < MOST && said.insert(text.clone()) {
        eprintln!("mgl: {text}");
        crate::notes::refused(&text);
    }
}

/// Whether a reason was said, for tests.
#[cfg(test)]
pub fn was_said(interface: &str, why: &Refusal) -> bool {
    SAID.lock()
        .contains(&format!("{interface} context refused: {why}"))
}
