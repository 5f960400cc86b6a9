//! The portable limit set that the driver reports (GL 3.3 tables 6.33 to 6.48), the same on every back end.

/// GL_MAX_VERTEX_ATTRIBS.
pub const MAX_VERTEX_ATTRIBS: u32 = 16;
/// GL_MAX_UNIFORM_BUFFER_BINDINGS: 12 a stage of three, and room to spare.
pub const MAX_UNIFORM_BUFFER_BINDINGS: u32 = 72;
/// GL_MAX_DRAW_BUFFERS and GL_MAX_COLOR_ATTACHMENTS.
pub const MAX_DRAW_BUFFERS: u32 = 8;
/// GL_MAX_DUAL_SOURCE_DRAW_BUFFERS.
pub const MAX_DUAL_SOURCE_DRAW_BUFFERS: u32 = 1;
/// GL_MAX_TEXTURE_IMAGE_UNITS and its vertex and geometry kin.
pub const MAX_TEXTURE_IMAGE_UNITS: u32 = 16;
/// GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS.
pub const MAX_COMBINED_TEXTURE_IMAGE_UNITS: u32 = 48;
