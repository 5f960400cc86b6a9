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
/// GL_MAX_VIEWPORT_DIMS and GL_MAX_TEXTURE_SIZE.
pub const MAX_VIEWPORT_DIM: u32 = 16384;
/// GL_MAX_TEXTURE_SIZE, GL_MAX_CUBE_MAP_TEXTURE_SIZE, GL_MAX_RECTANGLE_TEXTURE_SIZE, GL_MAX_RENDERBUFFER_SIZE.
pub const MAX_TEXTURE_SIZE: u32 = 8192;
/// GL_MAX_3D_TEXTURE_SIZE.
pub const MAX_3D_TEXTURE_SIZE: u32 = 2048;
/// GL_MAX_ARRAY_TEXTURE_LAYERS.
pub const MAX_ARRAY_TEXTURE_LAYERS: u32 = 2048;
/// GL_MAX_TEXTURE_BUFFER_SIZE, texels.
pub const MAX_TEXTURE_BUFFER_SIZE: u32 = 65536;
/// GL_MAX_SAMPLES and its kin.
pub const MAX_SAMPLES: u32 = 4;
/// GL_MAX_UNIFORM_BLOCK_SIZE, bytes.
pub const MAX_UNIFORM_BLOCK_SIZE: u32 = 65536;
/// GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT, bytes: of a register. A back end whose driver asks for more copies such ranges.
pub const UNIFORM_BUFFER_OFFSET_ALIGNMENT: u32 = 16;
/// GL_MAX_TEXTURE_MAX_ANISOTROPY. A back end whose driver has less filters with what that has.
pub const MAX_ANISOTROPY: f32 = 16.0;
