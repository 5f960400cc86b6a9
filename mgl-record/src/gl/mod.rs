//! The GL front end: entry points and what they are declared with.

pub mod blit;
pub mod buffer;
pub mod clear;
pub mod debug;
pub mod debug_label;
pub mod draw;
pub mod entry;
pub mod es2;
pub mod ext;
pub mod extensions;
pub mod framebuffer;
pub mod framebuffer_query;
pub mod get;
pub mod get_objects;
pub mod legacy;
pub mod limits;
pub mod misc;
pub mod program;
pub mod query;
pub mod read;
pub mod renderbuffer;
pub mod robustness;
pub mod sampler;
pub mod shader_objects;
pub mod state;
pub mod sync;
pub mod text;
pub mod texture;
pub mod types;
pub mod uniform;
pub mod vertex;
pub mod vertex_value;
pub mod xfb;

#[cfg(test)]
mod tests;
