//! The OpenGL ES function tables and what the context below offers (design: driver 5.5).
//!
//! [`Gl`] joins glow with a generated table of what glow lacks. Both are filled through one resolver, which gives ES 3.2
//! names their EXT or OES spelling on a 3.1 context. Whether something may be used is decided here, by version and
//! extension string only: a non-null pointer proves nothing, because glvnd answers every name.

use super::egl::Egl;
use mgl_core::pipe::BackendError;
use std::collections::HashSet;

/// The generated table: OpenGL ES 3.2 and the extensions of `build.rs`.
#[allow(
    clippy::all,
    unsafe_op_in_unsafe_fn,
    missing_docs,
    unused,
    rustdoc::all
)]
pub mod es {
    include!(concat!(env!("OUT_DIR"), "/gles.rs"));
}

/// ES 3.2 functions that a 3.1 context may have by extension: name without `gl`, extension, suffix.
const FROM_EXTENSION: &[(&str, &str, &str)] = &[
    ("BlendEquationi", "GL_EXT_draw_buffers_indexed", "EXT"),
    ("BlendEquationi", "GL_OES_draw_buffers_indexed", "OES"),
    (
        "BlendEquationSeparatei",
        "GL_EXT_draw_buffers_indexed",
        "EXT",
    ),
    (
        "BlendEquationSeparatei",
        "GL_OES_draw_buffers_indexed",
        "OES",
    ),
    ("BlendFuncSeparatei", "GL_EXT_draw_buffers_indexed", "EXT"),
    ("BlendFuncSeparatei", "GL_OES_draw_buffers_indexed", "OES"),
    ("ColorMaski", "GL_EXT_draw_buffers_indexed", "EXT"),
    ("ColorMaski", "GL_OES_draw_buffers_indexed", "OES"),
    ("Enablei", "GL_EXT_draw_buffers_indexed", "EXT"),
    ("Enablei", "GL_OES_draw_buffers_indexed", "OES"),
    ("Disablei", "GL_EXT_draw_buffers_indexed", "EXT"),
    ("Disablei", "GL_OES_draw_buffers_indexed", "OES"),
    ("CopyImageSubData", "GL_EXT_copy_image", "EXT"),
    ("CopyImageSubData", "GL_OES_copy_image", "OES"),
    ("DebugMessageCallback", "GL_KHR_debug", "KHR"),
    ("DebugMessageControl", "GL_KHR_debug", "KHR"),
    ("DebugMessageInsert", "GL_KHR_debug", "KHR"),
    ("PushDebugGroup", "GL_KHR_debug", "KHR"),
    ("PopDebugGroup", "GL_KHR_debug", "KHR"),
    ("ObjectLabel", "GL_KHR_debug", "KHR"),
    (
        "DrawElementsBaseVertex",
        "GL_EXT_draw_elements_base_vertex",
        "EXT",
    ),
    (
        "DrawElementsBaseVertex",
        "GL_OES_draw_elements_base_vertex",
        "OES",
    ),
    (
        "DrawElementsInstancedBaseVertex",
        "GL_EXT_draw_elements_base_vertex",
        "EXT",
    ),
    (
        "DrawElementsInstancedBaseVertex",
        "GL_OES_draw_elements_base_vertex",
        "OES",
    ),
    ("FramebufferTexture", "GL_EXT_geometry_shader", "EXT"),
    ("FramebufferTexture", "GL_OES_geometry_shader", "OES"),
    ("MinSampleShading", "GL_OES_sample_shading", "OES"),
    ("PatchParameteri", "GL_EXT_tessellation_shader", "EXT"),
    ("PatchParameteri", "GL_OES_tessellation_shader", "OES"),
    ("SamplerParameterIiv", "GL_EXT_texture_border_clamp", "EXT"),
    ("SamplerParameterIiv", "GL_OES_texture_border_clamp", "OES"),
    ("SamplerParameterIuiv", "GL_EXT_texture_border_clamp", "EXT"),
    ("SamplerParameterIuiv", "GL_OES_texture_border_clamp", "OES"),
    ("TexBufferRange", "GL_EXT_texture_buffer", "EXT"),
    ("TexBufferRange", "GL_OES_texture_buffer", "OES"),
    (
        "TexStorage3DMultisample",
        "GL_OES_texture_storage_multisample_2d_array",
        "OES",
    ),
];

macro_rules! features {
    ($( $(#[$m:meta])* $name:ident = $in32:literal $( | $ext:literal )* ; )*) => {
        /// What may be used.
        #[derive(Debug, Clone, Copy, Default)]
        pub struct Has {
            $( $(#[$m])* pub $name: bool, )*
            /// Fixed-point vertex attributes, which Mesa refuses in the binding model; found by trying.
            pub fixed_attribs: bool,
            /// Fragment shaders count in a buffer.
            pub counts_samples: bool,
        }

        impl Has {
            fn of(version: u32, extensions: &HashSet<String>) -> Self {
                Self {
                    $( $name: ($in32 && version >= 320) $( || extensions.contains(concat!("GL_", $ext)) )* , )*
                    fixed_attribs: false,
                    counts_samples: false,
                }
            }
            /// Does without a feature; false when there is none of this name.
            pub fn lack(&mut self, name: &str) -> bool {
                match name {
                    $( stringify!($name) => self.$name = false, )*
                    "counts_samples" => self.counts_samples = false,
                    _ => return false,
                }
                true
            }
            /// Name and presence of each.
            pub fn list(&self) -> Vec<(&'static str, bool)> {
                vec![ $( (stringify!($name), self.$name), )* ("counts_samples", self.counts_samples) ]
            }
        }
    };
}

features! {
    /// Vertices of an instanced draw start at an instance other than 0.
    base_instance = false | "EXT_base_instance";
    /// Buffers stay mapped while they are drawn from.
    buffer_storage = false | "EXT_buffer_storage";
    /// Indices are offset by a base vertex.
    base_vertex = true | "EXT_draw_elements_base_vertex" | "OES_draw_elements_base_vertex";
    /// Sampling outside yields a border colour.
    border_clamp = true | "EXT_texture_border_clamp" | "OES_texture_border_clamp";
    /// Textures whose texels are a buffer's.
    buffer_texture = true | "EXT_texture_buffer" | "OES_texture_buffer";
    /// Textures are filled with a value.
    clear_texture = false | "EXT_clear_texture";
    /// Origin and depth range of clip space.
    clip_control = false | "EXT_clip_control";
    /// User clip planes.
    clip_distance = false | "EXT_clip_cull_distance";
    /// Half and single floats can be drawn to.
    color_buffer_float = true | "EXT_color_buffer_float";
    /// Raw copies between textures.
    copy_image = true | "EXT_copy_image" | "OES_copy_image";
    /// Arrays of cube maps.
    cube_map_array = true | "EXT_texture_cube_map_array" | "OES_texture_cube_map_array";
    /// Depth clamping.
    depth_clamp = false | "EXT_depth_clamp";
    /// Blending and masks a draw buffer.
    draw_buffers_indexed = true | "EXT_draw_buffers_indexed" | "OES_draw_buffers_indexed";
    /// Two fragment colours to one blend.
    dual_source = false | "EXT_blend_func_extended";
    /// Debug output.
    debug = true | "KHR_debug";
    /// Fragments read what the framebuffer holds.
    framebuffer_fetch = false | "EXT_shader_framebuffer_fetch";
    /// Framebuffers can be upside down in memory, as windows are.
    flip_y = false | "MESA_framebuffer_flip_y";
    /// 32-bit floats can be filtered.
    float_linear = false | "OES_texture_float_linear";
    /// Geometry shaders and layered framebuffers.
    geometry = true | "EXT_geometry_shader" | "OES_geometry_shader";
    /// Geometry shaders write point sizes.
    geometry_point_size = false | "EXT_geometry_point_size" | "OES_geometry_point_size";
    /// Mirroring once.
    mirror_clamp = false | "EXT_texture_mirror_clamp_to_edge";
    /// Switching multisampling off, alpha to one.
    multisample_switch = false | "EXT_multisample_compatibility";
    /// Arrays of multisampled textures.
    multisample_array = true | "OES_texture_storage_multisample_2d_array";
    /// Interpolation without perspective.
    noperspective = false | "NV_shader_noperspective_interpolation";
    /// 16-bit normalised formats.
    norm16 = false | "EXT_texture_norm16";
    /// A limit on polygon offset.
    offset_clamp = false | "EXT_polygon_offset_clamp";
    /// Depth can be read.
    read_depth = false | "NV_read_depth";
    /// Stencil can be read.
    read_stencil = false | "NV_read_stencil";
    /// Packed depth and stencil can be read.
    read_depth_stencil = false | "NV_read_depth_stencil";
    /// Signed normalised formats can be drawn to.
    render_snorm = false | "EXT_render_snorm";
    /// Fragments know their sample.
    sample_variables = true | "OES_sample_variables";
    /// A shading rate a sample.
    sample_shading = true | "OES_sample_shading";
    /// sRGB decoding is a sampler's choice.
    srgb_decode = false | "EXT_texture_sRGB_decode";
    /// sRGB encoding of writes can be switched off.
    srgb_write_control = false | "EXT_sRGB_write_control";
    /// Tessellation.
    tessellation = true | "EXT_tessellation_shader" | "OES_tessellation_shader";
    /// Views of textures.
    texture_view = false | "EXT_texture_view" | "OES_texture_view";
    /// Stencil can be a texture of its own.
    stencil_texture = true | "OES_texture_stencil8";
    /// Time stamps.
    timer_query = false | "EXT_disjoint_timer_query";
    /// More than one viewport, and viewports in floats.
    viewport_array = false | "OES_viewport_array";
    /// Anisotropic filtering.
    anisotropy = false | "EXT_texture_filter_anisotropic";
}

/// Implementation limits that lowering depends on.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// Texture units of all stages.
    pub texture_units: u32,
    /// Generic attributes.
    pub attribs: u32,
    /// Bytes from element to element.
    pub vertex_stride: u32,
    /// Characters of a debug message; 0 without KHR_debug.
    pub debug_text: usize,
    /// Characters of a label; 0 without KHR_debug.
    pub debug_label: usize,
    /// Uniform buffer binding points.
    pub uniform_bindings: u32,
    /// Bytes.
    pub uniform_offset_alignment: u32,
    /// Bytes.
    pub uniform_block_size: u32,
    /// Largest anisotropy, 1 without.
    pub anisotropy: f32,
    /// Draw buffers.
    pub draw_buffers: u32,
}

/// The functions. Valid for every context of the display, as long as one of them is current.
pub struct Gl {
    /// Most of them.
    pub glow: glow::Context,
    /// The rest.
    pub es: es::Gles2,
    /// What may be used.
    pub has: Has,
    /// Limits.
    pub limits: Limits,
    /// 310 or 320.
    pub version: u32,
}

// SAFETY: the tables are plain function addresses of the driver, which may be called from any thread that has a context
// current.
unsafe impl Send for Gl {}

impl Gl {
    /// Loads the functions; a context is current. What is `lacking` counts as absent.
    ///
    /// # Errors
    ///
    /// When the context is not OpenGL ES 3.1 or later, or when something lacking is unknown.
    pub fn load(egl: &Egl, lacking: &[&str]) -> Result<Self, BackendError> {
        let address = |name: &str| egl.address(name);
        // Every context answers glGetString and glGetIntegerv, so a bare table finds out which it is.
        let bare = es::Gles2::load_with(address);
        let text = string(&bare, glow::VERSION);
        let version = parse_version(&text).ok_or_else(|| {
            BackendError::Driver(format!("the context is not an OpenGL ES one: '{text}'"))
        })?;
        if version < 310 {
            return Err(BackendError::Unsupported(format!(
                "Espryt needs OpenGL ES 3.1, the driver has '{text}'"
            )));
        }
        let extensions = extensions(&bare);
        let resolve = |name: &str| match spelling(name, version, &extensions) {
            Some(name) => egl.address(&name),
            None => std::ptr::null(),
        };
        // SAFETY: the context is current, and the addresses are those of its functions.
        let glow = unsafe { glow::Context::from_loader_function(resolve) };
        let es = es::Gles2::load_with(resolve);
        let mut has = Has::of(version, &extensions);
        has.fixed_attribs = takes_fixed_attribs(&es);
        has.counts_samples = integer(&es, glow::MAX_FRAGMENT_SHADER_STORAGE_BLOCKS) > 0;
        for name in lacking {
            if !has.lack(name) {
                return Err(BackendError::Unsupported(format!("a feature named {name}")));
            }
        }
        let get = |name| integer(&es, name).max(0) as u32;
        // One character is the terminating zero's.
        let text = |name| match has.debug {
            true => get(name).saturating_sub(1) as usize,
            false => 0,
        };
        let limits = Limits {
            texture_units: get(glow::MAX_COMBINED_TEXTURE_IMAGE_UNITS),
            attribs: get(glow::MAX_VERTEX_ATTRIBS),
            vertex_stride: get(glow::MAX_VERTEX_ATTRIB_STRIDE),
            debug_text: text(glow::MAX_DEBUG_MESSAGE_LENGTH),
            debug_label: text(glow::MAX_LABEL_LENGTH),
            uniform_bindings: get(glow::MAX_UNIFORM_BUFFER_BINDINGS),
            uniform_offset_alignment: get(glow::UNIFORM_BUFFER_OFFSET_ALIGNMENT).max(1),
            uniform_block_size: get(glow::MAX_UNIFORM_BLOCK_SIZE),
            anisotropy: if has.anisotropy {
                float(&es, glow::MAX_TEXTURE_MAX_ANISOTROPY_EXT)
            } else {
                1.0
            },
            draw_buffers: get(glow::MAX_DRAW_BUFFERS),
        };
        Ok(Self {
            glow,
            es,
            has,
            limits,
            version,
        })
    }

    /// An integer of the current context.
    pub fn integer(&self, name: u32) -> i32 {
        integer(&self.es, name)
    }

    /// A string of the current context; empty when it has none.
    pub fn string(&self, name: u32) -> String {
        string(&self.es, name)
    }

    /// Takes the GL error, 0 for none.
    pub fn error(&self) -> u32 {
        // SAFETY: a context is current.
        unsafe { self.es.GetError() }
    }

    /// Checks for a failed allocation; other errors found on the way are named too.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`] for GL_OUT_OF_MEMORY, [`BackendError::Driver`] for other errors.
    pub fn check(&self, what: &str) -> Result<(), BackendError> {
        match self.error() {
            glow::NO_ERROR => Ok(()),
            glow::OUT_OF_MEMORY => Err(BackendError::OutOfMemory(what.into())),
            code => Err(BackendError::Driver(format!(
                "{what}: GL error {code:#06x}"
            ))),
        }
    }
}

/// Tries whether a vertex array takes a fixed-point attribute (ES 3.2 table 10.2 says that it does).
fn takes_fixed_attribs(es: &es::Gles2) -> bool {
    let mut name = 0;
    // SAFETY: a context is current; the vertex array is new and deleted again.
    unsafe {
        while es.GetError() != glow::NO_ERROR {}
        es.GenVertexArrays(1, &mut name);
        es.BindVertexArray(name);
        es.VertexAttribFormat(0, 1, glow::FIXED, 0, 0);
        let taken = es.GetError() == glow::NO_ERROR;
        es.BindVertexArray(0);
        es.DeleteVertexArrays(1, &name);
        taken
    }
}

fn integer(es: &es::Gles2, name: u32) -> i32 {
    let mut v = 0;
    // SAFETY: a context is current, and the queries made here write one integer.
    unsafe { es.GetIntegerv(name, &mut v) };
    v
}

fn float(es: &es::Gles2, name: u32) -> f32 {
    let mut v = 0.0;
    // SAFETY: as for integers.
    unsafe { es.GetFloatv(name, &mut v) };
    v
}

fn text_of(p: *const u8) -> String {
    if p.is_null() {
        return String::new();
    }
    // SAFETY: GL returns NUL-terminated strings that live as long as the context.
    unsafe { std::ffi::CStr::from_ptr(p.cast()) }
        .to_string_lossy()
        .into_owned()
}

fn string(es: &es::Gles2, name: u32) -> String {
    // SAFETY: a context is current.
    text_of(unsafe { es.GetString(name) })
}

fn extensions(es: &es::Gles2) -> HashSet<String> {
    (0..integer(es, glow::NUM_EXTENSIONS).max(0) as u32)
        // SAFETY: a context is current, and the index is below the count.
        .map(|i| text_of(unsafe { es.GetStringi(glow::EXTENSIONS, i) }))
        .collect()
}

/// `OpenGL ES 3.2 Mesa 22` is 320.
fn parse_version(text: &str) -> Option<u32> {
    let number = text.strip_prefix("OpenGL ES ")?.split(' ').next()?;
    let (major, minor) = number.split_once('.')?;
    let minor = minor.split('.').next()?;
    Some(major.parse::<u32>().ok()? * 100 + minor.parse::<u32>().ok()? * 10)
}

/// The name under which this context has a function, or `None` when it has it under no name.
fn spelling(name: &str, version: u32, extensions: &HashSet<String>) -> Option<String> {
    if version >= 320 {
        return Some(name.to_owned());
    }
    let bare = name.strip_prefix("gl").unwrap_or(name);
    let mut rows = FROM_EXTENSION.iter().filter(|r| r.0 == bare).peekable();
    if rows.peek().is_none() {
        return Some(name.to_owned());
    }
    rows.find(|r| extensions.contains(r.1))
        .map(|r| format!("{name}{}", r.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(parse_version("OpenGL ES 3.2 Mesa 22.3.6"), Some(320));
        assert_eq!(parse_version("OpenGL ES 3.1"), Some(310));
        assert_eq!(
            parse_version("OpenGL ES 3.1.0 (build)"),
            Some(310),
            "a third number is allowed"
        );
        assert_eq!(parse_version("4.5 (Core Profile) Mesa 22.3.6"), None);
    }

    #[test]
    fn names_are_spelled_as_the_context_has_them() {
        let with = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<HashSet<_>>();
        let spell = |name, version, list: &[&str]| spelling(name, version, &with(list));
        assert_eq!(
            spell("glTexBufferRange", 320, &[]).as_deref(),
            Some("glTexBufferRange")
        );
        assert_eq!(spell("glTexBufferRange", 310, &[]), None);
        assert_eq!(
            spell("glTexBufferRange", 310, &["GL_OES_texture_buffer"]).as_deref(),
            Some("glTexBufferRangeOES")
        );
        assert_eq!(spell("glClear", 310, &[]).as_deref(), Some("glClear"));
    }
}
