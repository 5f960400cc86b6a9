//! The mgl OpenGL driver.
//!
//! Programs load this library as libGL, libGLX, libOpenGL, libEGL and the GLES names (design page
//! 5); everything they can link to or ask for by name is in [`exports`].

#[macro_use]
mod say;

mod check;
pub mod config;
pub mod context;
pub mod driver;
pub mod exports;
pub mod gl;
pub mod leave_out;
mod notes;
mod passthrough;
pub mod pipe;
pub mod pixel;
mod process;
pub mod report;
pub mod state;
pub mod tracker;
pub mod winsys;

/// Enumerants of the registry, generated.
pub mod consts {
    include!(concat!(env!("OUT_DIR"), "/consts.rs"));
}

pub use exports::refusals;
pub mod shader;
