//! A display of our own for a test: the server that goldens are recorded on.

#[path = "../../../mgl-verify/src/xvfb.rs"]
mod server;

/// A running server.
pub struct Xvfb(server::Xvfb);

impl Xvfb {
    /// Starts a server with the screen that the project's figures are for.
    pub fn start() -> Self {
        Self::with(&[])
    }

    /// Starts a server with more arguments.
    pub fn with(arguments: &[&str]) -> Self {
        Self(server::Xvfb::start(arguments).expect("Xvfb is installed"))
    }

    /// The value for DISPLAY.
    pub fn display(&self) -> &str {
        self.0.display()
    }
}
