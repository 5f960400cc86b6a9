//! Magma: the back end on Vulkan 1.1 and later (design: driver 5.6).
//!
//! The pure parts need no device: what a device must offer ([`probe`]), how formats of the pipe are
//! stored ([`formats`], [`vertex_formats`]), and a program's SPIR-V as pipelines take it ([`spirv`]).

pub mod formats;
pub mod probe;
pub mod spirv;
pub mod vertex_formats;
