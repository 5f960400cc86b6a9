//! EGL.
pub mod error;
