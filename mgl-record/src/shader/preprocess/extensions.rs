//! Shading language extensions: which ones `#extension` knows and which macros are defined.

/// What becomes of an extension that a shader asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handling {
    /// The language that shaders are translated to has it built in.
    BuiltIn,
    /// glslang is told.
    PassOn,
}

/// One extension.
pub struct Extension {
    pub name: &'static str,
    pub handling: Handling,
}

const fn built_in(name: &'static str) -> Extension {
    Extension {
        name,
        handling: Handling::BuiltIn,
    }
}

const fn pass_on(name: &'static str) -> Extension {
    Extension {
        name,
        handling: Handling::PassOn,
    }
}

/// All that are supported.
pub const SUPPORTED: &[Extension] = &[
    built_in("GL_3DL_array_objects"),
    built_in("GL_ARB_draw_buffers"),
    built_in("GL_ARB_draw_instanced"),
    built_in("GL_ARB_explicit_attrib_location"),
    built_in("GL_ARB_fragment_coord_conventions"),
    built_in("GL_ARB_shader_bit_encoding"),
    built_in("GL_ARB_shader_texture_lod"),
    built_in("GL_ARB_texture_multisample"),
    built_in("GL_ARB_texture_rectangle"),
    built_in("GL_ARB_uniform_buffer_object"),
    built_in("GL_EXT_draw_instanced"),
    built_in("GL_EXT_texture_array"),
    pass_on("GL_ARB_conservative_depth"),
    pass_on("GL_ARB_separate_shader_objects"),
    pass_on("GL_ARB_shading_language_420pack"),
    pass_on("GL_ARB_texture_cube_map_array"),
    pass_on("GL_ARB_texture_gather"),
];

/// The extension with this name.
pub fn find(name: &str) -> Option<&'static Extension> {
    SUPPORTED.iter().find(|e| e.name == name)
}
