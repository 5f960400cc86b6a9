//! Build script: a table of the OpenGL ES functions that glow lacks (design: driver 5.5), generated from the Khronos
//! registry. The registry's aliases give each core name its EXT and OES spellings, so that a 3.1 context with the right
//! extensions fills the same entries.

use gl_generator::{Api, Fallbacks, Profile, Registry, StructGenerator};
use std::{env, fs::File, io::BufWriter, path::Path};

/// Extensions whose functions Espryt calls when a context has them.
const EXTENSIONS: [&str; 13] = [
    "GL_EXT_base_instance",
    "GL_EXT_buffer_storage",
    "GL_EXT_clear_texture",
    "GL_EXT_clip_control",
    "GL_EXT_copy_image",
    "GL_EXT_disjoint_timer_query",
    "GL_EXT_draw_elements_base_vertex",
    "GL_EXT_polygon_offset_clamp",
    "GL_EXT_texture_border_clamp",
    "GL_EXT_texture_buffer",
    "GL_EXT_texture_view",
    "GL_OES_texture_storage_multisample_2d_array",
    "GL_OES_viewport_array",
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let path = Path::new(&env::var_os("OUT_DIR").expect("set by cargo")).join("gles.rs");
    let mut file = BufWriter::new(File::create(&path).expect("OUT_DIR is writable"));
    Registry::new(
        Api::Gles2,
        (3, 2),
        Profile::Core,
        Fallbacks::All,
        EXTENSIONS,
    )
    .write_bindings(StructGenerator, &mut file)
    .expect("OUT_DIR is writable");
}
