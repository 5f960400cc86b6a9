//! Espryt: the back end on OpenGL ES.

pub mod loader;
