//! The system's OpenGL ES: an EGL display without window system, and a context on it.
//!
//! May load and run the system's driver; to be called in a child process only.

use std::ffi::{CStr, c_char, c_void};
use std::fmt;

use khronos_egl as egl;
use mgl_replay::espryt::loader;
use serde::{Deserialize, Serialize};

const PLATFORM_SURFACELESS_MESA: egl::Enum = 0x31DD;
const GL_VENDOR: u32 = 0x1F00;
const GL_RENDERER: u32 = 0x1F01;
const GL_VERSION: u32 = 0x1F02;
const GL_SHADING_LANGUAGE_VERSION: u32 = 0x8B8C;
/// Versions to ask for, best first; the last is the least that Espryt draws with.
const VERSIONS: [(egl::Int, egl::Int); 2] = [(3, 2), (3, 1)];

/// An OpenGL ES driver that makes a context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GlesInfo {
    /// EGL_VERSION and EGL_VENDOR of the display.
    pub egl: String,
    /// GL_VERSION.
    pub version: String,
    pub shading_language: String,
    pub vendor: String,
    pub renderer: String,
}

impl fmt::Display for GlesInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} on {} (EGL {})",
            self.version, self.renderer, self.egl
        )
    }
}

type Egl = egl::DynamicInstance<egl::EGL1_4>;
type GetPlatformDisplay =
    unsafe extern "system" fn(egl::Enum, *mut c_void, *const egl::Int) -> egl::EGLDisplay;
type GetString = unsafe extern "system" fn(u32) -> *const c_char;

pub(super) fn probe() -> Result<GlesInfo, String> {
    let (path, library) = loader::open().map_err(|e| e.to_string())?;
    // SAFETY: the library passed the loader's checks, so its EGL functions have EGL's signatures.
    let egl = unsafe { Egl::load_required_from(library) }
        .map_err(|e| format!("{}: {e}", path.display()))?;
    let display = surfaceless_display(&egl)?;
    egl.initialize(display)
        .map_err(|e| format!("the surfaceless EGL display does not start: {e}"))?;
    let info = describe(&egl, display);
    // The answer stands whatever becomes of the display.
    let _ = egl.terminate(display);
    info
}

fn surfaceless_display(egl: &Egl) -> Result<egl::Display, String> {
    let extensions = egl
        .query_string(None, egl::EXTENSIONS)
        .map(|text| text.to_string_lossy().into_owned())
        .unwrap_or_default();
    if !extensions
        .split(' ')
        .any(|e| e == "EGL_MESA_platform_surfaceless")
    {
        return Err("EGL offers no surfaceless display (EGL_MESA_platform_surfaceless)".to_owned());
    }
    let get = egl
        .get_proc_address("eglGetPlatformDisplayEXT")
        .ok_or("EGL has no eglGetPlatformDisplayEXT")?;
    // SAFETY: the function of this name has this signature (EGL_EXT_platform_base); the surfaceless
    // platform takes the default native display, no attributes.
    let display = unsafe {
        let get = std::mem::transmute::<extern "system" fn(), GetPlatformDisplay>(get);
        get(
            PLATFORM_SURFACELESS_MESA,
            std::ptr::null_mut(),
            std::ptr::null(),
        )
    };
    if display.is_null() {
        return Err("EGL refuses a surfaceless display".to_owned());
    }
    // SAFETY: EGL just returned it.
    Ok(unsafe { egl::Display::from_ptr(display) })
}

fn describe(egl: &Egl, display: egl::Display) -> Result<GlesInfo, String> {
    let egl_text = |name| {
        let text = egl.query_string(Some(display), name);
        text.map_or_else(
            |_| "unknown".to_owned(),
            |t| t.to_string_lossy().into_owned(),
        )
    };
    let context = create_context(egl, display)?;
    egl.make_current(display, None, None, Some(context))
        .map_err(|e| format!("the context cannot be used without a surface: {e}"))?;
    let get = egl
        .get_proc_address("glGetString")
        .ok_or("EGL has no glGetString")?;
    // SAFETY: glGetString has this signature (OpenGL ES 3.2, section 20.2).
    let get = unsafe { std::mem::transmute::<extern "system" fn(), GetString>(get) };
    let gl_text = |name| {
        // SAFETY: a context is current; the result is null or a string that lives as long as it.
        let text = unsafe { get(name).as_ref().map(|text| CStr::from_ptr(text)) };
        text.map_or_else(
            || "unknown".to_owned(),
            |t| t.to_string_lossy().into_owned(),
        )
    };
    Ok(GlesInfo {
        egl: format!("{}, {}", egl_text(egl::VERSION), egl_text(egl::VENDOR)),
        version: gl_text(GL_VERSION),
        shading_language: gl_text(GL_SHADING_LANGUAGE_VERSION),
        vendor: gl_text(GL_VENDOR),
        renderer: gl_text(GL_RENDERER),
    })
}

fn create_context(egl: &Egl, display: egl::Display) -> Result<egl::Context, String> {
    egl.bind_api(egl::OPENGL_ES_API)
        .map_err(|e| format!("EGL has no OpenGL ES: {e}"))?;
    // SAFETY: EGL_KHR_no_config_context lets a null config stand for none; a driver without it refuses.
    let no_config = unsafe { egl::Config::from_ptr(std::ptr::null_mut()) };
    let mut refusal = String::new();
    for (major, minor) in VERSIONS {
        let attributes = [
            egl::CONTEXT_MAJOR_VERSION,
            major,
            egl::CONTEXT_MINOR_VERSION,
            minor,
            egl::NONE,
        ];
        match egl.create_context(display, no_config, None, &attributes) {
            Ok(context) => return Ok(context),
            Err(error) => refusal = format!("no OpenGL ES {major}.{minor} context: {error}"),
        }
    }
    Err(refusal)
}
