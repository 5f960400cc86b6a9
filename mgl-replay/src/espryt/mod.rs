//! Espryt: the back end on OpenGL ES.

pub mod essl;
pub mod loader;
