//! The display that a source runs on.

use crate::doctor;
use crate::xvfb::Xvfb;

use super::SourceError;

/// A display, for one run.
pub enum Display {
    /// A server of our own, which ends with the value.
    Own(Xvfb),
    /// The one that DISPLAY names.
    Given(String),
}

impl Display {
    /// A server of our own where Xvfb is installed: screens of one size give windows of one size. Else the display
    /// there is.
    pub fn get() -> Result<Self, SourceError> {
        let missing = match Xvfb::start(&[]) {
            Ok(server) => return Ok(Self::Own(server)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                "Xvfb is not installed".to_owned()
            }
            Err(error) => format!("Xvfb: {error}"),
        };
        match doctor::display_there_is() {
            Ok(name) => Ok(Self::Given(name)),
            Err(reason) => Err(SourceError::NoDisplay {
                reason: format!("{missing}, and {reason}"),
            }),
        }
    }

    /// The value for DISPLAY.
    pub fn name(&self) -> &str {
        match self {
            Self::Own(server) => server.display(),
            Self::Given(name) => name,
        }
    }
}
