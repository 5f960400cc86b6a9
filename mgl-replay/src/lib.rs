//! The back ends of the pipe (Espryt on OpenGL ES; Magma on Vulkan; null) and the player that feeds them from trace files.

pub mod approximation;
pub mod attachments;
pub mod backends;
mod depth_unit;
pub mod espryt;
mod events;
pub mod limits;
pub mod magma;
pub mod player;
mod records;
pub mod spv;
pub mod texels;
mod xcb;

pub use backends::{BackendKind, BackendOptions, make_backend};
pub use espryt::EsprytOptions;
pub use limits::Limit;
pub use magma::MagmaOptions;
pub use mgl_core::pipe::backend::NativeWindow;
