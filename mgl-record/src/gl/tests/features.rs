//! What is listed is there: every function of a listed extension and of the versions that contexts have.

use crate::context::Profile;
use crate::exports::{Kind, lookup};
use crate::gl::extensions;
use crate::winsys;
use std::ffi::CStr;

mod registry {
    include!(concat!(env!("OUT_DIR"), "/features.rs"));
}

/// Extensions that the registry used here does not have, with their functions.
const YOUNGER: &[(&str, &[&str])] = &[
    ("EGL_EXT_platform_xcb", &[]),
    ("EGL_MESA_configless_context", &[]),
    // Names of enumerants, which the registry has under other names.
    ("GL_APPLE_packed_pixels", &[]),
    ("GL_EXT_texture_edge_clamp", &[]),
    ("GL_EXT_texture_rectangle", &[]),
    (
        "GL_SUN_multi_draw_arrays",
        &["glMultiDrawArraysEXT", "glMultiDrawElementsEXT"],
    ),
];

/// Functions of core versions that are refused: X pixmaps, which no configuration offers, X fonts, and images of EGL.
const REFUSED: &[&str] = &[
    "eglBindTexImage",
    "eglCopyBuffers",
    "eglCreateImage",
    "eglCreatePbufferFromClientBuffer",
    "eglCreatePixmapSurface",
    "eglCreatePlatformPixmapSurface",
    "eglCreatePlatformPixmapSurfaceEXT",
    "eglDestroyImage",
    "eglReleaseTexImage",
    "glXCopyContext",
    "glXCreateGLXPixmap",
    "glXCreateGLXPixmapWithConfigSGIX",
    "glXCreatePixmap",
    "glXDestroyGLXPixmap",
    "glXDestroyPixmap",
    "glXUseXFont",
];

fn is_refused(name: &str) -> bool {
    lookup(name).is_none_or(|e| e.kind == Kind::Refused)
}

/// Functions that an extension adds to a profile: 1 core, 2 compatibility.
fn functions(extension: &str, profile: u8) -> Vec<&'static str> {
    if let Some((_, list)) = registry::EXTENSIONS.iter().find(|e| e.0 == extension) {
        let list = list.iter().filter(|(_, profiles)| profiles & profile != 0);
        return list.map(|(name, _)| *name).collect();
    }
    let known = YOUNGER.iter().find(|e| e.0 == extension);
    known
        .unwrap_or_else(|| panic!("{extension} is not in the registry"))
        .1
        .to_vec()
}

fn missing(list: impl Iterator<Item = String>, profile: u8) -> Vec<String> {
    list.flat_map(|e| {
        let functions = functions(&e, profile).into_iter();
        functions
            .filter(|f| is_refused(f) && !REFUSED.contains(f))
            .map(move |f| format!("{e}: {f}"))
            .collect::<Vec<_>>()
    })
    .collect()
}

fn words(list: &CStr) -> impl Iterator<Item = String> {
    list.to_string_lossy()
        .split(' ')
        .map(str::to_owned)
        .collect::<Vec<_>>()
        .into_iter()
}

#[test]
fn every_function_of_a_listed_extension_is_there() {
    for (profile, bit) in [(Profile::Core, 1), (Profile::Compatibility, 2)] {
        let list = extensions::of(profile).iter();
        let list = list.map(|e| e.to_string_lossy().into_owned());
        assert_eq!(missing(list, bit), [""; 0], "{profile:?}");
    }
    for list in winsys::extension_lists() {
        assert_eq!(missing(words(list), 3), [""; 0]);
    }
}

#[test]
fn every_function_of_the_core_profile_is_there() {
    let versions = registry::VERSIONS
        .iter()
        .filter(|(name, _)| !name.starts_with("GL_VERSION_4"));
    let missing: Vec<_> = versions
        .flat_map(|(version, list)| list.iter().map(move |f| (version, f)))
        .filter(|(_, f)| is_refused(f) && !REFUSED.contains(f))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(
        registry::VERSIONS
            .iter()
            .any(|v| v.0 == "GL_VERSION_3_3" && v.1.len() > 20)
    );
}
