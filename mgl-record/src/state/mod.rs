//! GL objects and context state. Each file owns one kind: private fields, mutators that take the group's dirty token,
//! and what the tracker reads. No entry points here, and no pushes but those that GL defines as immediate.

pub mod buffer;
pub mod debug;
pub mod dirty;
pub mod framebuffer;
pub mod names;
pub mod program;
pub mod query;
pub mod renderbuffer;
pub mod sampler;
pub mod sampling;
pub mod share;
pub mod stream_output;
pub mod sync;
pub mod texture;
pub mod uniforms;
pub mod vertex_array;

pub use dirty::{Generations, Token};
pub use names::{Id, NameTable, Slab};
pub use share::{References, Share};
