//! The back ends of the pipe and what feeds them.
pub mod espryt;

pub use mgl_core::pipe::backend::NativeWindow;
pub mod spv;
pub mod player;
