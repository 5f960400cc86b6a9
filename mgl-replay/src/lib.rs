//! The back ends of the pipe and what feeds them.
pub mod espryt;
<<<<<<< HEAD

pub use mgl_core::pipe::backend::NativeWindow;
=======
pub mod spv;
>>>>>>> bfbbd41 (Shader road: reflection archive, GLSL link, ESSL for a simple program)
