//! Surfaces: windows and pbuffers (EGL 1.5, 3.5 and 3.10). Pixmaps are refused by name.

use super::attributes::{MAX_INTERVAL, MAX_PBUFFER};
use super::config;
use super::display::{EglDisplay, Platform, initialized};
use super::error::{Result, answer};
use crate::consts::egl::*;
use crate::context;
use crate::gl::entry::api_entry;
use crate::winsys::configs::Config;
use crate::winsys::current::{self, Binding};
use crate::winsys::drawable::Drawable;
use crate::winsys::memory;
use crate::winsys::state::state;
use crate::winsys::types::*;
use std::ffi::{c_int, c_void};
use std::sync::Arc;

/// An EGLSurface.
pub struct EglSurface {
    /// What is drawn to.
    pub drawable: Arc<Drawable>,
    /// EGL_GL_COLORSPACE is sRGB.
    srgb: bool,
    /// EGL_LARGEST_PBUFFER as asked for.
    largest: bool,
}

impl EglSurface {
    /// Whether it is a window's.
    fn is_window(&self) -> bool {
        self.drawable.connection.is_some()
    }

    /// Lets go of it; it ends when it is not current any more.
    pub fn end(&self) {
        if let Some(connection) = &self.drawable.connection {
            state().remove_drawable(connection.name(), self.drawable.xid);
        }
    }
}

/// Attributes of a new surface.
#[derive(Default)]
struct Wanted {
    srgb: bool,
    width: c_int,
    height: c_int,
    largest: bool,
}

fn wanted(list: &[(c_int, c_int)], pbuffer: bool) -> Result<Wanted> {
    let mut wanted = Wanted::default();
    for (name, value) in list {
        match *name {
            EGL_GL_COLORSPACE => {
                wanted.srgb = match *value {
                    EGL_GL_COLORSPACE_SRGB => true,
                    EGL_GL_COLORSPACE_LINEAR => false,
                    _ => return Err(EGL_BAD_MATCH),
                }
            }
            // A hint: there is always a back buffer.
            EGL_RENDER_BUFFER if !pbuffer => match *value {
                EGL_BACK_BUFFER | EGL_SINGLE_BUFFER => {}
                _ => return Err(EGL_BAD_PARAMETER),
            },
            EGL_WIDTH if pbuffer && *value >= 0 => wanted.width = *value,
            EGL_HEIGHT if pbuffer && *value >= 0 => wanted.height = *value,
            EGL_WIDTH | EGL_HEIGHT if pbuffer => return Err(EGL_BAD_PARAMETER),
            EGL_LARGEST_PBUFFER if pbuffer => wanted.largest = *value != 0,
            EGL_TEXTURE_FORMAT | EGL_TEXTURE_TARGET if pbuffer => match *value {
                EGL_NO_TEXTURE => {}
                _ => return Err(EGL_BAD_MATCH),
            },
            EGL_MIPMAP_TEXTURE if pbuffer => {}
            EGL_VG_COLORSPACE | EGL_VG_ALPHA_FORMAT => {}
            _ => return Err(EGL_BAD_ATTRIBUTE),
        }
    }
    Ok(wanted)
}

fn register(display: &EglDisplay, surface: EglSurface) -> EGLSurface {
    let handle = state().new_handle();
    display.surfaces.lock().insert(handle, Arc::new(surface));
    handle as EGLSurface
}

fn create_window(
    dpy: EGLDisplay,
    handle: EGLConfig,
    window: impl FnOnce(&Platform) -> Result<u64>,
    list: &[(c_int, c_int)],
) -> Result<EGLSurface> {
    let (display, backing) = initialized(dpy)?;
    let config: &'static Config = config::of_handle(handle)?;
    let connection = backing.connection.ok_or(EGL_BAD_NATIVE_WINDOW)?;
    if config.visual.is_none() {
        return Err(EGL_BAD_MATCH);
    }
    let wanted = wanted(list, false)?;
    let window = window(&display.platform)?;
    let xid = u32::try_from(window).map_err(|_| EGL_BAD_NATIVE_WINDOW)?;
    // The program's window may still be on its way to the server.
    display.sync_native();
    let geometry = connection.geometry(xid).ok_or(EGL_BAD_NATIVE_WINDOW)?;
    state().pump(&connection);
    let taken = display
        .surfaces
        .lock()
        .values()
        .any(|s| s.is_window() && s.drawable.xid == xid && s.drawable.is_alive());
    if taken {
        return Err(EGL_BAD_ALLOC);
    }
    let drawable = state().new_window(&connection, xid, geometry, config, wanted.srgb, true);
    Ok(register(
        &display,
        EglSurface {
            drawable,
            srgb: wanted.srgb,
            largest: false,
        },
    ))
}

fn create_pbuffer(
    dpy: EGLDisplay,
    handle: EGLConfig,
    list: &[(c_int, c_int)],
) -> Result<EGLSurface> {
    let (display, _) = initialized(dpy)?;
    let config = config::of_handle(handle)?;
    let wanted = wanted(list, true)?;
    let (mut width, mut height) = (wanted.width, wanted.height);
    if wanted.largest {
        (width, height) = (width.min(MAX_PBUFFER), height.min(MAX_PBUFFER));
    }
    if width > MAX_PBUFFER || height > MAX_PBUFFER {
        return Err(EGL_BAD_ALLOC);
    }
    let xid = state().new_offscreen_id();
    let (width, height) = (width.max(1) as u32, height.max(1) as u32);
    let drawable = Drawable::offscreen(xid, config, width, height, wanted.srgb);
    Ok(register(
        &display,
        EglSurface {
            drawable,
            srgb: wanted.srgb,
            largest: wanted.largest,
        },
    ))
}

fn find(dpy: EGLDisplay, handle: EGLSurface) -> Result<(Arc<EglDisplay>, Arc<EglSurface>)> {
    let (display, _) = initialized(dpy)?;
    let found = display.surfaces.lock().get(&(handle as usize)).cloned();
    Ok((display, found.ok_or(EGL_BAD_SURFACE)?))
}

fn destroy(dpy: EGLDisplay, handle: EGLSurface) -> Result<EGLBoolean> {
    let (display, _) = initialized(dpy)?;
    let old = display.surfaces.lock().remove(&(handle as usize));
    old.ok_or(EGL_BAD_SURFACE)?.end();
    Ok(1)
}

fn swap(dpy: EGLDisplay, handle: EGLSurface) -> Result<EGLBoolean> {
    let (display, surface) = find(dpy, handle)?;
    if !surface.is_window() {
        // A pbuffer has nothing to show; the call still flushes (EGL 1.5, 3.10.1).
        context::flush_current();
        return Ok(1);
    }
    display.flush_native();
    let shown = state().present(&surface.drawable);
    shown.map_err(|_| EGL_CONTEXT_LOST)?;
    if surface.drawable.is_alive() {
        Ok(1)
    } else {
        Err(EGL_BAD_NATIVE_WINDOW)
    }
}

fn query(dpy: EGLDisplay, handle: EGLSurface, attribute: EGLint) -> Result<EGLint> {
    let (display, surface) = find(dpy, handle)?;
    if matches!(attribute, EGL_WIDTH | EGL_HEIGHT) && surface.is_window() {
        // What the program has asked of its window must be done before the answer.
        display.sync_native();
        state().refresh(&surface.drawable);
    }
    let (width, height) = surface.drawable.size();
    Ok(match attribute {
        EGL_CONFIG_ID => surface.drawable.config.id,
        EGL_WIDTH => width as EGLint,
        EGL_HEIGHT => height as EGLint,
        EGL_LARGEST_PBUFFER => surface.largest.into(),
        EGL_TEXTURE_FORMAT | EGL_TEXTURE_TARGET => EGL_NO_TEXTURE,
        EGL_MIPMAP_TEXTURE | EGL_MIPMAP_LEVEL => 0,
        EGL_SWAP_BEHAVIOR => EGL_BUFFER_DESTROYED,
        EGL_MULTISAMPLE_RESOLVE => EGL_MULTISAMPLE_RESOLVE_DEFAULT,
        EGL_RENDER_BUFFER => EGL_BACK_BUFFER,
        EGL_HORIZONTAL_RESOLUTION | EGL_VERTICAL_RESOLUTION | EGL_PIXEL_ASPECT_RATIO => EGL_UNKNOWN,
        EGL_GL_COLORSPACE if surface.srgb => EGL_GL_COLORSPACE_SRGB,
        EGL_GL_COLORSPACE => EGL_GL_COLORSPACE_LINEAR,
        EGL_VG_COLORSPACE => EGL_VG_COLORSPACE_sRGB,
        EGL_VG_ALPHA_FORMAT => EGL_VG_ALPHA_FORMAT_NONPRE,
        _ => return Err(EGL_BAD_ATTRIBUTE),
    })
}

fn set_attribute(
    dpy: EGLDisplay,
    handle: EGLSurface,
    attribute: EGLint,
    value: EGLint,
) -> Result<EGLBoolean> {
    find(dpy, handle)?;
    match (attribute, value) {
        (EGL_SWAP_BEHAVIOR, EGL_BUFFER_DESTROYED)
        | (EGL_MULTISAMPLE_RESOLVE, EGL_MULTISAMPLE_RESOLVE_DEFAULT)
        | (EGL_MIPMAP_LEVEL, _) => Ok(1),
        (EGL_SWAP_BEHAVIOR, EGL_BUFFER_PRESERVED)
        | (EGL_MULTISAMPLE_RESOLVE, EGL_MULTISAMPLE_RESOLVE_BOX) => Err(EGL_BAD_MATCH),
        (EGL_SWAP_BEHAVIOR | EGL_MULTISAMPLE_RESOLVE, _) => Err(EGL_BAD_PARAMETER),
        _ => Err(EGL_BAD_ATTRIBUTE),
    }
}

fn set_interval(dpy: EGLDisplay, interval: EGLint) -> Result<EGLBoolean> {
    initialized(dpy)?;
    let current = current::get().filter(|c| matches!(c.binding, Binding::Egl { .. }));
    let draw = current
        .ok_or(EGL_BAD_CONTEXT)?
        .draw
        .ok_or(EGL_BAD_SURFACE)?;
    draw.set_swap_interval(interval.clamp(0, MAX_INTERVAL));
    Ok(1)
}

/// The window that a platform's pointer leads to.
fn pointed_window(platform: &Platform, native: *mut c_void) -> Result<u64> {
    if native.is_null() {
        return Err(EGL_BAD_NATIVE_WINDOW);
    }
    // SAFETY: the platform extensions say what the program passes: a pointer to a Window (Xlib) or
    // to an xcb_window_t.
    unsafe {
        Ok(match platform {
            Platform::X11 { .. } => *native.cast::<Window>(),
            Platform::Xcb { .. } => (*native.cast::<u32>()).into(),
            Platform::Surfaceless | Platform::Device => return Err(EGL_BAD_NATIVE_WINDOW),
        })
    }
}

api_entry! {
    /// A surface of a window.
    fn eglCreateWindowSurface(
        dpy: EGLDisplay,
        config: EGLConfig,
        window: EGLNativeWindowType,
        attributes: *const EGLint,
    ) -> EGLSurface {
        // SAFETY: the program passes null or a list that ends with EGL_NONE.
        let list = unsafe { memory::pairs(attributes, EGL_NONE) };
        answer(create_window(dpy, config, |_| Ok(window), &list))
    }

    /// A surface of a window that a pointer leads to.
    fn eglCreatePlatformWindowSurface(
        dpy: EGLDisplay,
        config: EGLConfig,
        native: *mut c_void,
        attributes: *const EGLAttrib,
    ) -> EGLSurface {
        // SAFETY: the program passes null or a list that ends with EGL_NONE.
        let list = unsafe { memory::long_pairs(attributes, EGL_NONE) };
        answer(create_window(dpy, config, |p| pointed_window(p, native), &list))
    }

    /// The name of eglCreatePlatformWindowSurface before EGL 1.5.
    fn eglCreatePlatformWindowSurfaceEXT(
        dpy: EGLDisplay,
        config: EGLConfig,
        native: *mut c_void,
        attributes: *const EGLint,
    ) -> EGLSurface {
        // SAFETY: the program passes null or a list that ends with EGL_NONE.
        let list = unsafe { memory::pairs(attributes, EGL_NONE) };
        answer(create_window(dpy, config, |p| pointed_window(p, native), &list))
    }

    /// A surface without a window.
    fn eglCreatePbufferSurface(
        dpy: EGLDisplay,
        config: EGLConfig,
        attributes: *const EGLint,
    ) -> EGLSurface {
        // SAFETY: the program passes null or a list that ends with EGL_NONE.
        let list = unsafe { memory::pairs(attributes, EGL_NONE) };
        answer(create_pbuffer(dpy, config, &list))
    }

    /// Ends a surface, a current one when it ceases to be.
    fn eglDestroySurface(dpy: EGLDisplay, surface: EGLSurface) -> EGLBoolean {
        answer(destroy(dpy, surface))
    }

    /// One attribute of a surface.
    fn eglQuerySurface(
        dpy: EGLDisplay,
        surface: EGLSurface,
        attribute: EGLint,
        value: *mut EGLint,
    ) -> EGLBoolean {
        answer(query(dpy, surface, attribute).map(|found| {
            // SAFETY: the program passes null or a pointer to an int.
            unsafe { memory::store(value, found) };
            1
        }))
    }

    /// Sets one attribute of a surface.
    fn eglSurfaceAttrib(
        dpy: EGLDisplay,
        surface: EGLSurface,
        attribute: EGLint,
        value: EGLint,
    ) -> EGLBoolean {
        answer(set_attribute(dpy, surface, attribute, value))
    }

    /// Shows what was drawn. Also sends what the program has queued for the server.
    fn eglSwapBuffers(dpy: EGLDisplay, surface: EGLSurface) -> EGLBoolean {
        answer(swap(dpy, surface))
    }

    /// As eglSwapBuffers; the rectangles are a hint, and the whole surface is shown.
    fn eglSwapBuffersWithDamageKHR(
        dpy: EGLDisplay,
        surface: EGLSurface,
        _rectangles: *mut EGLint,
        count: EGLint,
    ) -> EGLBoolean {
        answer(if count < 0 { Err(EGL_BAD_PARAMETER) } else { swap(dpy, surface) })
    }

    /// As eglSwapBuffersWithDamageKHR.
    fn eglSwapBuffersWithDamageEXT(
        dpy: EGLDisplay,
        surface: EGLSurface,
        _rectangles: *mut EGLint,
        count: EGLint,
    ) -> EGLBoolean {
        answer(if count < 0 { Err(EGL_BAD_PARAMETER) } else { swap(dpy, surface) })
    }

    /// Sets the swap interval of the current surface.
    fn eglSwapInterval(dpy: EGLDisplay, interval: EGLint) -> EGLBoolean {
        answer(set_interval(dpy, interval))
    }
}
