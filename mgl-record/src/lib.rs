//! The mgl OpenGL driver.
//!
//! Programs load this library as libGL, libGLX, libOpenGL, libEGL and the GLES names (design page
//! 5); everything they can link to or ask for by name is in [`exports`].

pub mod context;
pub mod exports;
pub mod gl;
pub mod pixel;
pub mod winsys;

/// Enumerants of the registry, generated.
pub mod consts {
    include!(concat!(env!("OUT_DIR"), "/consts.rs"));
}

pub use exports::refusals;
